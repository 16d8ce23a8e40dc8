# The workers that run event source mappings: they come and go with the
# mappings, serve all databases, try again what has failed, and are in nobody's
# way.
#
# Takes long.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 120;

# No rounds of maintenance at first: a worker starts with the mapping.
start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 0\n"
	  . "dynamo.handler_interval = 50ms\nlog_error_verbosity = verbose\n");

my $tables = q{
	CREATE EXTENSION dynamo;
	SELECT dynamo.create_table('Source', 'id');
	SELECT dynamo.enable_stream('Source');
	CREATE TABLE public.seen (ordinal serial, function text, id text);
	CREATE TABLE public.switch (broken boolean);
	INSERT INTO public.switch VALUES (false);
	CREATE FUNCTION public.ids(event jsonb) RETURNS SETOF text LANGUAGE sql AS
	$$SELECT r #>> '{dynamodb,Keys,id,S}' FROM jsonb_array_elements(event -> 'Records') r$$;
	CREATE FUNCTION public.see(event jsonb) RETURNS void LANGUAGE sql AS
	$$INSERT INTO public.seen (function, id) SELECT 'see', i FROM public.ids(event) i$$;
	CREATE FUNCTION public.may_fail(event jsonb) RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.seen (function, id) SELECT 'may_fail', i FROM public.ids(event) i;
		IF (SELECT broken FROM public.switch) THEN RAISE EXCEPTION 'broken'; END IF;
	END $$;
};

sub put
{
	my ($id, $database) = @_;
	sql("SELECT dynamo.put_item('Source', jsonb_build_object('id', '$id', 'v', random())::dynamo.item)", $database);
	return;
}

sub seen
{
	my ($function, $database) = @_;
	return sql("SELECT coalesce(string_agg(id, ' ' ORDER BY ordinal), '') FROM public.seen WHERE function = '$function'", $database);
}

sub becomes
{
	my ($query, $expected, $what, $database) = @_;
	wait_for(sub { sql($query, $database) eq $expected }, $PATIENCE);
	is(sql($query, $database), $expected, $what);
	return;
}

my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo background'};

# -- They come and go -------------------------------------------------------

sql($tables);
becomes($workers, '0', 'no mapping, no worker');
my $see = sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.see')});
put('a');
ok(wait_for(sub { seen('see') eq 'a' }, $PATIENCE), 'a change is handled');
becomes(q{SELECT DISTINCT application_name FROM pg_stat_activity WHERE backend_type = 'dynamo background'},
	'dynamo handler', 'a worker shows itself');
is(sql(q{SELECT DISTINCT service FROM dynamo.stat_activity}), 'handler', '... among the other workers, too');
sql("SELECT dynamo.update_event_source_mapping($see, enabled => false)");
becomes($workers, '0', 'disabled: it leaves');
put('b');
sql("SELECT dynamo.update_event_source_mapping($see, enabled => true)");
ok(wait_for(sub { seen('see') eq 'a b' }, $PATIENCE), 'enabled: what was changed meanwhile is handled');

# Two mappings share a process while they have nothing to do, and get another
# while a function takes long.
sql(q{CREATE FUNCTION public.long(event jsonb) RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(100)'});
my $second = sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.long', starting_position => 'LATEST')});
becomes($workers, '1', 'two mappings have one worker');
put('two');
becomes($workers, '2', 'or two, while a function takes long');
ok(wait_for(sub { seen('see') eq 'a b two' }, $PATIENCE), 'the other one goes on');
sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'; SELECT dynamo.delete_event_source_mapping($second); TRUNCATE public.seen");

# -- Failures ---------------------------------------------------------------

sql('UPDATE public.switch SET broken = true');
my $may_fail = sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.may_fail')});
put('c');
ok(reported(qr/WARNING:  P0001: event source mapping $may_fail: function public.may_fail has failed on a batch of table "Source": broken/),
	'a failure is logged');
ok(wait_for(sub { sql("SELECT max(failures) > 1 FROM dynamo_internal.event_source_positions WHERE mapping = $may_fail") eq 't' }, $PATIENCE),
	'it is tried again');
is(seen('may_fail'), '', 'and leaves nothing behind');
ok(wait_for(sub { seen('see') eq 'c' }, $PATIENCE), 'others go on');
sql('UPDATE public.switch SET broken = false');
ok(wait_for(sub { seen('may_fail') eq 'c' }, $PATIENCE), 'when it can, it handles the change');

# What fails at commit is a failure, too.
sql(q{
	CREATE TABLE public.late (id text UNIQUE DEFERRABLE INITIALLY DEFERRED);
	INSERT INTO public.late VALUES ('x');
	CREATE FUNCTION public.fails_late(event jsonb) RETURNS void LANGUAGE sql AS
	$$INSERT INTO public.late VALUES ('x'); INSERT INTO public.seen (function, id) SELECT 'fails_late', i FROM public.ids(event) i$$});
my $late = sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.fails_late')});
put('d');
ok( wait_for(sub { sql("SELECT max(failures) > 0 FROM dynamo_internal.event_source_positions WHERE mapping = $late") eq 't' }, $PATIENCE),
	'a constraint that fails at commit is noted');
like(sql("SELECT last_processing_result FROM dynamo.event_source_mappings WHERE mapping = $late"),
	qr/^PROBLEM: duplicate key value violates unique constraint/, '... with its message');
sql(q{DELETE FROM public.late});
ok(wait_for(sub { seen('fails_late') eq 'd' }, $PATIENCE), 'and tried again');
ok(wait_for(sub { seen('see') =~ /\bd\b/ }, $PATIENCE), 'and what is not late has it, too');

# So it is of a batch that begins behind records which were trimmed too early.
sql("SELECT dynamo.update_event_source_mapping($late, enabled => false)");
put('lost');
ok(wait_for(sub { seen('see') =~ /\blost\b/ }, $PATIENCE), 'a change that one mapping misses');
sql(q{UPDATE dynamo.streams SET trimmed_number = (SELECT last_value FROM dynamo_internal.stream_sequence) WHERE table_name = 'Source'});
put('m');
sql("SELECT dynamo.update_event_source_mapping($late, enabled => true)");
ok( wait_for(sub { sql("SELECT max(failures) > 0 FROM dynamo_internal.event_source_positions WHERE mapping = $late") eq 't' }, $PATIENCE),
	'a failure at commit behind it is noted');
sql(q{DELETE FROM public.late});
ok(wait_for(sub { seen('fails_late') eq 'd m' }, $PATIENCE), '... and tried again');
ok(wait_for(sub { seen('see') =~ /\bm\b/ }, $PATIENCE), 'the other mapping goes on');
sql("SELECT dynamo.delete_event_source_mapping($_)") foreach $late, $may_fail;

# -- The batching window ----------------------------------------------------

# The other mapping tells that a batch could have been had.
sql('TRUNCATE public.seen');
sql(q{CREATE FUNCTION public.waits(event jsonb) RETURNS void LANGUAGE sql AS
	$$INSERT INTO public.seen (function, id) VALUES ('waits', jsonb_array_length(event -> 'Records')::text)$$});
my $waits = sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.waits', batch_size => 2, batching_window_seconds => 300)});
put('e');
ok(wait_for(sub { seen('see') eq 'e' }, $PATIENCE), 'a change is there');
is(seen('waits'), '', 'a batch is waited for');
put('e');
ok(wait_for(sub { seen('waits') eq '2' }, $PATIENCE), 'until it is whole');
ok(wait_for(sub { seen('see') eq 'e e' }, $PATIENCE), 'the other mapping has both');
sql("SELECT dynamo.delete_event_source_mapping($waits)");

# -- A function that hangs --------------------------------------------------

set('dynamo.handler_timeout', '1s');
set('dynamo.grace_period', '300ms');
sql(q{
	TRUNCATE public.seen;
	CREATE ROLE mallory;
	GRANT USAGE ON SCHEMA dynamo TO mallory;
	GRANT SELECT ON dynamo_data."Source" TO mallory;
	GRANT CREATE ON SCHEMA public TO mallory;
	GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO mallory;
	SET ROLE mallory;
	CREATE FUNCTION public.sleeps(event jsonb) RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(100)';
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
my $sleeps = sql(q{SET ROLE mallory; SELECT dynamo.create_event_source_mapping('Source', 'public.sleeps')});
put('f');
ok(reported(qr/WARNING:  57014: event source mapping $sleeps: function public.sleeps has failed on a batch of table "Source": canceling statement due to statement timeout/),
	'a function that takes too long is cancelled');
ok(wait_for(sub { seen('see') eq 'f' }, $PATIENCE), 'others go on');
sql("SELECT dynamo.delete_event_source_mapping($sleeps)");
my $clings = sql(q{SET ROLE mallory; SELECT dynamo.create_event_source_mapping('Source', 'public.clings')});
put('g');

# What mallory does on this table may be refused still, for as long as before.
ok( wait_for(sub { put('g'); log_has(qr/WARNING:  57014: dynamo had to end a worker that could not be cancelled: run event source mapping $clings\n.*Process \d+ in database "postgres", for role "mallory"/) }, $PATIENCE),
	'one that cannot be cancelled costs its process, and the log names role and mapping');
put('h');
ok(wait_for(sub { seen('see') =~ /\bh\b/ }, $PATIENCE), 'others go on');
like(sql("SELECT lag FROM dynamo.event_source_mappings WHERE mapping = $clings"), qr/^\d\d:/, 'the view shows that it is behind');
sql("SELECT dynamo.delete_event_source_mapping($clings)");
set('dynamo.handler_timeout', '1min');

# -- Drops ------------------------------------------------------------------

sql(q{CREATE DATABASE two});
sql($tables, 'two');
sql(q{SELECT dynamo.create_event_source_mapping('Source', 'public.see')}, 'two');
put('a', 'two');
ok(wait_for(sub { seen('see', 'two') eq 'a' }, $PATIENCE), 'another database is served');
is(sql(q{SELECT dynamo.drop_table('Source')}, 'two'), '', 'a table is dropped while it is served');
becomes(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo background' AND datname = 'two'}, '0',
	'then its worker leaves');
sql(q{SELECT dynamo.create_table('Source', 'id'); SELECT dynamo.enable_stream('Source');
	SELECT dynamo.create_event_source_mapping('Source', 'public.see')}, 'two');
put('b', 'two');
ok(wait_for(sub { seen('see', 'two') eq 'a b' }, $PATIENCE), 'a table of its name is another one');
is(sql('DROP DATABASE two'), '', 'a database is dropped while it is served');

# -- Restart ----------------------------------------------------------------

set('dynamo.ttl_interval', '1s');
sql('TRUNCATE public.seen');
server('crash') or die;
server('restart') or die;
put('i');
ok(wait_for(sub { seen('see') eq 'i' }, $PATIENCE), 'after a restart maintenance starts the workers');

# What a terminated worker leaves is taken up by the next one.
sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'dynamo background'});
put('j');
ok(wait_for(sub { seen('see') eq 'i j' }, $PATIENCE), 'and after one was terminated');

# The setting ends them all.
set('dynamo.handler_workers', '0');
becomes(q{SELECT count(*) FROM dynamo.stat_activity WHERE service = 'handler'}, '0', 'with handler_workers = 0 there are none');
set('dynamo.handler_workers', '3');
put('k');
ok(wait_for(sub { seen('see') eq 'i j k' }, $PATIENCE), 'and then there are again');
done_testing();
