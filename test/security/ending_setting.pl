# Attacker: a role with a table of its own, whose trigger changes the settings
# by which PostgreSQL ends a session: exit_on_error, transaction_timeout.
# Wants: to end the process that serves him, with the connections of all others.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__) . '/../t';
use HttpClient;

start_server("dynamo.http_workers = 1\ndynamo.ttl_interval = 0");
my ($mallory, $victim) = map { tenant($_) } qw(mallory victim);
sql(q{
	SELECT dynamo.create_table('Bait', 'id');
	GRANT INSERT, UPDATE, SELECT ON dynamo_data."Bait" TO mallory;
	CREATE FUNCTION public.leave() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM set_config(name, new.item->>'value', false) FROM pg_settings WHERE name = new.item->>'id';
		PERFORM pg_sleep(0.1), 1 / 0;
		RETURN new;
	END $$;
	CREATE TRIGGER leave BEFORE INSERT OR UPDATE ON dynamo_data."Bait" FOR EACH ROW EXECUTE FUNCTION public.leave();
	ALTER DATABASE postgres SET exit_on_error = on;
});
my $socket = connection();
my ($pid) = worker_pids();
foreach my $setting (['exit_on_error', 'on'], ['transaction_timeout', '1ms'])
{
	my ($name, $value) = @$setting;

	# What the server does not have, the trigger does not set: that it divides by
	# zero is the error.
	my $status = sql("SELECT count(*) FROM pg_settings WHERE name = '$name'") ? 500 : 400;
	is( call_as($mallory, 'PutItem', qq({"TableName":"Bait","Item":{"id":{"S":"$name"},"value":{"S":"$value"}}}))->{status},
		$status, "an error under $name");
	is(call_as($victim, 'ListTables', '{}', $socket)->{status}, 200, 'ends no connection');
}

# Nor may it be set for all that begin from now on.
kill 'TERM', $pid;
ok(wait_for(sub { my ($new) = worker_pids(); $new && $new =~ /^\d+$/ && $new != $pid && connection() }), 'another worker');
($pid) = worker_pids();
is(call_as($mallory, 'PutItem', '{"TableName":"Bait","Item":{"id":{"S":"nothing"}}}')->{status}, 400, 'an error');
is((worker_pids())[0], $pid, 'does not end it, whatever is set for the database');

# Nor is the process that starts them ended by what is set for the server, when it has to
# wait, as for VACUUM FULL of a catalog: all others would end with it.
SKIP:
{
	skip 'this server has no transaction_timeout', 1 if sql(q{SELECT count(*) FROM pg_settings WHERE name = 'transaction_timeout'}) eq '0';
	my $launcher = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'dynamo launcher'};
	my $before = sql($launcher);
	set('transaction_timeout', '500ms');
	sql(q{SET transaction_timeout = 0; BEGIN; LOCK TABLE pg_catalog.pg_database IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3)});
	is(sql($launcher), $before, 'the launcher waits, too');
}
done_testing();
