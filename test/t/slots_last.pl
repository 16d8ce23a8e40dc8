# A second process of a database takes the last slot there is, where work has waited for
# it; the first is held by a function that does not return. A query whose parallel worker
# had that slot once kept it for good, since its entry looks as if it were there. And
# beside a trigger that does not return nothing else ever expired, since who had the last
# slot left after each step of a visit. One process is enough for that trigger.
#
# Takes long: run with assertions only.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

my $PATIENCE = 120;

# One slot is core's, one the launcher's, two are left.
start_server("shared_preload_libraries = dynamo\nmax_worker_processes = 4\ndynamo.http_port = 0\nautovacuum = off\n"
	  . "dynamo.ttl_interval = 0\ndynamo.handler_timeout = 0\ndynamo.maintenance_timeout = 0\n");

sub becomes
{
	my ($query, $expected, $what) = @_;
	my $got;
	wait_for(sub { ($got = sql($query)) eq $expected }, $PATIENCE);
	return is($got, $expected, $what);
}
my $processes = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dynamo background'};
# It has looked whether it may go on, and keeps the lock.
my $held = q{SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE relation = 'public.go'::regclass AND backend_type = 'dynamo background'};

# A function holds the first one.
sql(q{
	CREATE EXTENSION dynamo;
	CREATE TABLE public.go ();
	CREATE FUNCTION public.wait(event jsonb) RETURNS void LANGUAGE plpgsql AS
	$$BEGIN WHILE NOT EXISTS (SELECT FROM public.go) LOOP PERFORM pg_sleep(0.2); END LOOP; END$$;
	CREATE TABLE public.seen (event jsonb);
	CREATE FUNCTION public.see(event jsonb) RETURNS void LANGUAGE sql AS 'INSERT INTO public.seen VALUES (event)';
	SELECT FROM dynamo.create_table('Held', 'id'), dynamo.enable_stream('Held'), dynamo.create_event_source_mapping('Held', 'public.wait');
	SELECT FROM dynamo.create_table('Free', 'id'), dynamo.enable_stream('Free'), dynamo.create_event_source_mapping('Free', 'public.see');
	SELECT dynamo.put_item('Held', '{"id": "1"}')});
becomes($held, '1', 'a function holds a process');

# A parallel worker takes the other slot, and gives it back.
sql('CREATE TABLE public.many AS SELECT i FROM generate_series(1, 100000) i; ALTER TABLE public.many SET (parallel_workers = 4)');
my $query = q{
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 4; SET max_parallel_workers = 4;
	EXPLAIN (ANALYZE, COSTS off, TIMING off) SELECT count(*) FROM public.many};
ok(wait_for(sub { sql($query) =~ qr/Workers Launched: 1\b/ }, $PATIENCE), 'a query takes the last slot');
sql(q{SELECT dynamo.put_item('Free', '{"id": "1"}')});
ok(wait_for(sub { sql($processes) eq '2' }, $PATIENCE), 'later a second process has it');
becomes('SELECT count(*) FROM public.seen', '1', 'and does what has waited');
sql('INSERT INTO public.go DEFAULT VALUES');
becomes($held, '0', 'the first one is free again');

# A trigger that does not return is enough for one process. Items of another table,
# which go again and again, tell that the other has been everywhere. Each is at an item
# of its own, so let there be some.
sql(q{
	DELETE FROM public.go;
	SELECT FROM dynamo.create_table('Slow', 'id'), dynamo.enable_ttl('Slow', 'ttl');
	SELECT FROM dynamo.create_table('Shop', 'id'), dynamo.enable_ttl('Shop', 'ttl');
	CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF NOT pg_try_advisory_xact_lock(1) THEN RAISE LOG 'another process is here'; END IF;
		WHILE NOT EXISTS (SELECT FROM public.go) LOOP PERFORM pg_sleep(0.2); END LOOP;
		RETURN old;
	END $$;
	CREATE TRIGGER wait BEFORE DELETE ON dynamo_data."Slow" FOR EACH ROW EXECUTE FUNCTION public.wait()});
my $put = q{SELECT dynamo.put_item('%s', jsonb_build_object('id', i::text, 'ttl', extract(epoch FROM now())::bigint - 10)::dynamo.item) FROM generate_series(1, %d) i};
sql(sprintf $put, 'Slow', 3);
set('dynamo.ttl_interval', '1s');
becomes($held, '1', 'a trigger holds a process');
foreach my $round (1 .. 3)
{
	sql(sprintf $put, 'Shop', 1);
	becomes(q{SELECT count(*) FROM dynamo.scan('Shop')}, '0', 'another comes by');
}
ok(!log_has(qr/LOG: .*another process is here/), 'and leaves the table to the first');
sql('INSERT INTO public.go DEFAULT VALUES');
becomes(q{SELECT count(*) FROM dynamo.scan('Slow')}, '0', 'which goes on when it can');
done_testing();
