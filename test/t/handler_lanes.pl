# A parallelization factor: batches of two lanes of one shard are handled at the
# same time, by two processes.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;
use lib dirname(__FILE__);
use Server;

start_server("shared_preload_libraries = dynamo\ndynamo.http_port = 0\ndynamo.ttl_interval = 1s\n"
	  . "max_worker_processes = 16\ndynamo.handler_interval = 50ms\ndynamo.handler_workers = 3\n");

# A call waits until there is another one, or some time has passed.  With another
# mapping there are two processes from the beginning.
sql(q{
	CREATE EXTENSION dynamo;
	SET dynamo.stream_shards = 1;
	SELECT dynamo.create_table('Source', 'id'), dynamo.enable_stream('Source');
	CREATE TABLE public.met (together boolean, records int);
	CREATE FUNCTION public.meet(event jsonb) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		tries int := 0;
		met boolean;
	BEGIN
		PERFORM pg_catalog.pg_advisory_xact_lock_shared(4711);
		LOOP
			met := (SELECT count(*) = 2 FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND objid = 4711)
				OR EXISTS (SELECT FROM public.met WHERE together);
			EXIT WHEN met OR tries = 300;
			tries := tries + 1;
			PERFORM pg_catalog.pg_sleep(0.1);
		END LOOP;
		INSERT INTO public.met VALUES (met, jsonb_array_length(event -> 'Records'));
	END $$;
	CREATE FUNCTION public.see(event jsonb) RETURNS void LANGUAGE sql AS '';
	SELECT dynamo.create_event_source_mapping('Source', 'public.see');
	SELECT count(dynamo.put_item('Source', jsonb_build_object('id', n::text)::dynamo.item)) FROM generate_series(1, 50) n;
	SELECT dynamo.create_event_source_mapping('Source', 'public.meet', parallelization_factor => 2, starting_position => 'TRIM_HORIZON')});
ok(wait_for(sub { sql('SELECT sum(records) FROM public.met') eq '50' }, 120), 'all is handled');
is(sql('SELECT count(*), bool_and(together) FROM public.met'), '2 t', 'by two batches at a time');

done_testing();
