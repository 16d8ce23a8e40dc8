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
-- A shard without records has lost none when those of another one are trimmed.
SET dynamo.stream_shards = 2;
SELECT dynamo.create_table('Lanes', 'id') IS NOT NULL AS created, dynamo.enable_stream('Lanes') IS NOT NULL AS enabled;
RESET dynamo.stream_shards;
SELECT dynamo.create_event_source_mapping('Lanes', 'note_memory', enabled => false) AS lanes \gset
SELECT dynamo.put_item('Lanes', '{"id": "one"}');
SELECT dynamo.run_event_source_mapping(:lanes);
DO $$
BEGIN
	FOR i IN 0 .. 7 LOOP
		EXECUTE format('UPDATE dynamo_internal.stream_records_%s SET created_at = created_at - interval ''2 hours'' WHERE stream = (SELECT max(stream_id) FROM dynamo.streams WHERE table_name = ''Lanes'')', i);
	END LOOP;
END $$;
SELECT dynamo.run_event_source_mapping(:lanes);
UPDATE dynamo.streams SET trimmed_number = (SELECT min(number) FROM dynamo_internal.event_source_positions WHERE mapping = :lanes) WHERE table_name = 'Lanes';
SELECT count(*) FROM dynamo.streams WHERE table_name = 'Lanes' AND trimmed_number > start_number;
SELECT dynamo.run_event_source_mapping(:lanes);
SELECT count(*) FROM dynamo.event_source_mappings WHERE mapping = :lanes AND lost_at IS NOT NULL;
SELECT dynamo.delete_event_source_mapping(:lanes);
SELECT dynamo.drop_table('Lanes');

DROP FUNCTION note_memory;
DROP TABLE taken;
