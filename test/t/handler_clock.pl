# Somebody sets the clock back by an hour.  What was written just before lay in the
# future, and was not handled until the clock had caught up.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Clock;
use Server;

my $PATIENCE = 120;

with_clock(sub {
	start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
		  . "dynamo.handler_interval = 50ms\nautovacuum = off\n");
});
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Source', 'id'), dynamo.enable_stream('Source');
	CREATE TABLE public.seen (event jsonb);
	CREATE FUNCTION public.see(event jsonb) RETURNS void LANGUAGE sql AS
	$$INSERT INTO public.seen VALUES (event)$$});
sql(q{SELECT dynamo.put_item('Source', '{"id": "1"}')});
set_clock(-3600);
sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.see', starting_position => 'TRIM_HORIZON')});
ok(wait_for(sub { sql('SELECT count(*) FROM public.seen') eq '1' }, $PATIENCE), 'a change from before the clock was set back is handled');
done_testing();
