-- Turns by hand: the memory they take, and a stream that is gone.
\set VERBOSITY terse
SELECT setval('dynamo_internal.event_source_ids', 4000, false);
SELECT dynamo.create_table('Turns', 'id') IS NOT NULL AS created, dynamo.enable_stream('Turns') IS NOT NULL AS enabled;

-- Each turn left its records, their JSON and its jsonb behind: 20 kB a record
-- until the call ended, 837 MB for 40,000 of them.
CREATE TABLE taken (n serial, bytes bigint);
CREATE FUNCTION note_memory(event jsonb) RETURNS void LANGUAGE sql AS
$$INSERT INTO public.taken (bytes) SELECT sum(used_bytes) FROM pg_backend_memory_contexts$$;
SELECT dynamo.create_event_source_mapping('Turns', 'note_memory', batch_size => 50, enabled => false) AS mapping \gset
SELECT count(dynamo.put_item('Turns', jsonb_build_object('id', n::text, 'v', repeat('x', 2000))::dynamo.item)) FROM generate_series(1, 2000) n;
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT CASE WHEN max(bytes) - min(bytes) < 8000000 THEN 'flat' ELSE 'grows by ' || max(bytes) - min(bytes) END AS memory FROM taken WHERE n > 4;

-- A stream whose records are all gone, and itself: what came before is lost, and
-- the mapping goes on with the table's next one.
SELECT count(*) FROM dynamo.event_source_mappings WHERE mapping = :mapping AND lost_at IS NOT NULL;
SELECT dynamo.disable_stream('Turns');
SELECT dynamo.enable_stream('Turns') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Turns', '{"id": "next"}');
DELETE FROM dynamo.streams WHERE stream_id = (SELECT min(stream_id) FROM dynamo.streams WHERE table_name = 'Turns');
SELECT dynamo.run_event_source_mapping(:mapping);
SELECT count(*) FROM dynamo.event_source_mappings WHERE mapping = :mapping AND lost_at IS NOT NULL;

SELECT dynamo.delete_event_source_mapping(:mapping);
SELECT dynamo.drop_table('Turns');
DROP FUNCTION note_memory;
DROP TABLE taken;
