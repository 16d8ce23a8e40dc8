# A function keeps a counter of the changes to each item.  Again and again all
# processes of the server are killed while it is at work.  In the end the
# counter of an item is what was counted in the item itself: no change was
# handled twice, and none was left out.
#
# There are 3 rounds, or DYNAMO_HANDLER_ROUNDS.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Server;

my $rounds = $ENV{DYNAMO_HANDLER_ROUNDS} || 3;
my $PATIENCE = 120;
local $SIG{PIPE} = 'IGNORE';

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\nfsync = on\n"
	  . "dynamo.ttl_interval = 1s\ndynamo.handler_interval = 20ms\n");
sql(q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Source', 'id');
	SELECT dynamo.enable_stream('Source');
	CREATE TABLE public.counter (id text PRIMARY KEY, changes bigint, total bigint);
	CREATE TABLE public.calls (records bigint);

	CREATE FUNCTION public.keep_count(event jsonb) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.counter AS c
		SELECT r #>> '{dynamodb,Keys,id,S}', count(*),
			sum((r #>> '{dynamodb,NewImage,n,N}')::bigint - coalesce((r #>> '{dynamodb,OldImage,n,N}')::bigint, 0))
		FROM jsonb_array_elements(event -> 'Records') r GROUP BY 1
		ON CONFLICT (id) DO UPDATE SET changes = c.changes + excluded.changes, total = c.total + excluded.total;
		PERFORM pg_sleep(0.03);
		INSERT INTO public.calls VALUES (jsonb_array_length(event -> 'Records'));
	END $$;

	CREATE PROCEDURE public.change(times int) LANGUAGE plpgsql AS $$
	BEGIN
		FOR i IN 1 .. times LOOP
			PERFORM dynamo.update_item('Source', jsonb_build_object('id', floor(random() * 40)::text)::dynamo.item,
				'ADD n :one', '{":one": 1}');
			COMMIT;
			PERFORM pg_sleep(0.005);
		END LOOP;
	END $$;
});
is(sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.keep_count', batch_size => 20,
	starting_position => 'TRIM_HORIZON')}), '1', 'a function handles the changes of a table');

sub number { return sql($_[0]) =~ /^(\d+)$/ ? $1 : -1; }

# Is a function at work at this moment?
sub at_work
{
	return number(q{SELECT count(*) FROM pg_stat_activity
		WHERE application_name = 'dynamo handler' AND wait_event = 'PgSleep'}) > 0;
}

my $amid = 0;
foreach my $round (1 .. $rounds)
{
	my @writers = map { session('CALL public.change(100000)') } 1 .. 2;
	my $before = number('SELECT count(*) FROM public.calls');
	wait_for(sub { number('SELECT count(*) FROM public.calls') > $before }, $PATIENCE)
	  or die 'the function is not called';
	sleep rand 0.5;
	$amid++ if wait_for(\&at_work, $PATIENCE);
	server('crash') or die 'the server was not killed';
	close $_ foreach @writers;
	server('restart') or die 'the server did not start again';
}
is($amid, $rounds, 'the server was killed in the middle of a batch each time');

wait_for(sub { sql(q{SELECT lag IS NULL FROM dynamo.event_source_mappings}) eq 't' }, $PATIENCE);
my $source = sql(q{SELECT item->>'id', item->>'n', item->>'n' FROM dynamo_data."Source" ORDER BY 1});
my $changes = number(q{SELECT sum((item->>'n')::bigint) FROM dynamo_data."Source"});
cmp_ok($changes, '>', 20, 'there were changes');
is(sql('SELECT id, changes, total FROM public.counter ORDER BY 1'), $source, 'each was handled once');
is(number('SELECT sum(records) FROM public.calls'), $changes, 'the calls have had as many records');
is(number('SELECT handled FROM dynamo.event_source_mappings'), $changes, 'the view says so, too');
diag "$rounds rounds, $changes changes";
done_testing();
