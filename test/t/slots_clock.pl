# Somebody sets the clock back by an hour: databases that took turns at the only slot
# stood still for that hour, but for the one that had it.  Set on, the log told of work
# that was late by as much, and processes were ended to have slots for it.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $PATIENCE = 120;

# One slot is core's, one the launcher's, one is left.
set_clock(0);
with_clock(sub {
	start_server("shared_preload_libraries = dynamo\nmax_worker_processes = 3\ndynamo.http_port = 0\n"
		  . "dynamo.ttl_interval = 0\nautovacuum = off\n");
});
sql('CREATE DATABASE two');
sql(q{CREATE EXTENSION dynamo; SELECT FROM dynamo.create_table('Shop', 'id'), dynamo.enable_recovery('Shop')}, $_) foreach qw(postgres two);

sub take_turns
{
	my ($when) = @_;
	foreach my $round (1 .. 2)
	{
		foreach my $database (qw(two postgres))
		{
			ok(wait_for(sub {
					sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo background' AND datname = '} . "$database'") eq '1';
				}, $PATIENCE), "database $database has its turn $when");
		}
	}
	return;
}

take_turns('at first');
set_clock(-3600);
take_turns('after the clock was set back');
set_clock(40 * 86400);
take_turns('after it was set on');
ok(!log_has(qr/dynamo is late.* waited for \d{4,} s/), 'nothing was late by as much');
ok(!log_has(qr/dynamo ended process/), 'and nothing had to be ended');

# What has failed is tried again after a while, and not when the clock has caught up.
ok(wait_for(sub { sql('DROP DATABASE IF EXISTS two WITH (FORCE)') !~ /ERROR/ }, $PATIENCE), 'a database is dropped');
sql(q{
	CREATE TABLE public.go ();
	CREATE FUNCTION public.may_fail(event jsonb) RETURNS void LANGUAGE plpgsql AS
	$$BEGIN IF NOT EXISTS (SELECT FROM public.go) THEN RAISE 'not yet'; END IF; END$$;
	SELECT FROM dynamo.enable_stream('Shop');
	SELECT FROM dynamo.create_event_source_mapping('Shop', 'public.may_fail');
	SELECT dynamo.put_item('Shop', '{"id": "1"}')});
ok(wait_for(sub { sql('SELECT count(*) FROM dynamo_internal.event_source_positions WHERE retry_at > clock_timestamp()') eq '1' }, $PATIENCE), 'a function fails');
set_clock(0);
sql('INSERT INTO public.go DEFAULT VALUES');
ok(wait_for(sub { sql('SELECT count(*) FROM dynamo_internal.event_source_positions WHERE failures > 0') eq '0' }, $PATIENCE), 'and is called again after the clock was set back');
done_testing();
