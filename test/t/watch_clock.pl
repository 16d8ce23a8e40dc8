# Somebody sets the clock back by an hour.  A process that was at work then was not
# watched before the clock had caught up: what could not be cancelled held it.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $PATIENCE = 120;

with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\nautovacuum = off\n"
		  . "dynamo.handler_interval = 50ms\ndynamo.handler_workers = 1\ndynamo.handler_timeout = 1s\ndynamo.grace_period = 300ms\n");
});
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Source', 'id'), dynamo.enable_stream('Source');
	CREATE TABLE public.seen (event jsonb);
	CREATE FUNCTION public.see(event jsonb) RETURNS void LANGUAGE sql AS
	$$INSERT INTO public.seen VALUES (event)$$;
	CREATE FUNCTION public.clings(event jsonb) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		LOOP
			BEGIN
				PERFORM pg_sleep(100);
			EXCEPTION WHEN query_canceled THEN
				NULL;
			END;
		END LOOP;
	END $$});

sub put
{
	my ($id) = @_;
	sql("SELECT dynamo.put_item('Source', '{\"id\": \"$id\"}')");
	return;
}

# It looks for changes all the time, so that its timer is under way.
sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.see')});
put('a');
ok(wait_for(sub { sql('SELECT count(*) FROM public.seen') eq '1' }, $PATIENCE), 'a process is at work');
set_clock(-3600);
put('b');
ok(wait_for(sub { sql('SELECT count(*) FROM public.seen') eq '2' }, $PATIENCE), '... and goes on after the clock was set back');
my $clings = sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.clings')});
put('c');
ok(wait_for(sub { log_has(qr/dynamo had to end a worker that could not be cancelled: run event source mapping $clings\b/) }, $PATIENCE),
	'what cannot be cancelled costs it');
sql("SELECT dynamo.delete_event_source_mapping($clings)");
done_testing();
