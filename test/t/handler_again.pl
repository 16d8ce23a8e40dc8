# Of two processes that find a lane due one may fail at it: the other, which comes
# to it then, leaves it alone until it is to be tried again.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Pause;
use Server;

my $PATIENCE = 120;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
	  . "dynamo.handler_interval = 50ms\ndynamo.handler_workers = 1\ndynamo_test.pause = handler\n");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Source', 'id'), dynamo.enable_stream('Source');
	CREATE TABLE public.seen (ordinal serial, function text, id text);
	CREATE FUNCTION public.ids(event jsonb) RETURNS SETOF text LANGUAGE sql AS
	$$SELECT r #>> '{dynamodb,Keys,id,S}' FROM jsonb_array_elements(event -> 'Records') r$$;
	CREATE FUNCTION public.first(event jsonb) RETURNS void LANGUAGE sql AS
	$$INSERT INTO public.seen (function, id) SELECT 'first', i FROM public.ids(event) i$$;
	CREATE FUNCTION public.second(event jsonb) RETURNS void LANGUAGE sql AS
	$$INSERT INTO public.seen (function, id) SELECT 'second', i FROM public.ids(event) i$$});

sub put
{
	my ($id) = @_;
	sql("SELECT dynamo.put_item('Source', '{\"id\": \"$id\"}')");
	return;
}

sub seen
{
	my ($function) = @_;
	return sql("SELECT coalesce(string_agg(id, ' ' ORDER BY ordinal), '') FROM public.seen WHERE function = '$function'");
}

# The only process has looked which lanes are due, and comes to the first now.
hold_jobs();
my $first = sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.first')});
put('a');
ok(stands_still($PATIENCE), 'a lane is due');

# What lies more than a minute ahead would be of a clock that was set back.
my $waits = "UPDATE dynamo_internal.event_source_positions SET failures = 1, retry_at = now() + interval '55 s' WHERE mapping = $first";
sql($waits);
let_jobs_go();

# It does one thing after the other: when it is at another mapping it has left this one.
sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.second', starting_position => 'LATEST')});
put('b');
ok(wait_for(sub { sql($waits); seen('second') eq 'b' }, $PATIENCE), 'the process goes on');
is(seen('first'), '', '... and has left alone what somebody else has failed at meanwhile');
sql("UPDATE dynamo_internal.event_source_positions SET retry_at = NULL WHERE mapping = $first");
ok(wait_for(sub { seen('first') eq 'a b' }, $PATIENCE), '... until it is time');

done_testing();
