-- Shards: an item is always in the same, all of them are used, and the count is
-- that of the setting when the stream was enabled.

CREATE FUNCTION pg_temp.shards(name text) RETURNS TABLE (shard smallint, pk text, events text)
LANGUAGE sql AS $$
	SELECT shard, coalesce(keys, new_image, old_image) ->> 'pk' AS pk, string_agg(event::text, '' ORDER BY number)
	FROM (SELECT * FROM dynamo_internal.stream_records_0 UNION ALL SELECT * FROM dynamo_internal.stream_records_1
		UNION ALL SELECT * FROM dynamo_internal.stream_records_2 UNION ALL SELECT * FROM dynamo_internal.stream_records_3
		UNION ALL SELECT * FROM dynamo_internal.stream_records_4 UNION ALL SELECT * FROM dynamo_internal.stream_records_5
		UNION ALL SELECT * FROM dynamo_internal.stream_records_6 UNION ALL SELECT * FROM dynamo_internal.stream_records_7) r
	WHERE stream = (SELECT max(stream_id) FROM dynamo.streams WHERE table_name = name)
	GROUP BY shard, 2
$$;

-- There is one, if nobody asks for more: many programs read no other.
SELECT dynamo.create_table('Sharded', 'pk', 'sk N');
SELECT dynamo.enable_stream('Sharded') IS NOT NULL AS enabled;
SELECT shards FROM dynamo.streams WHERE table_name = 'Sharded';
SELECT dynamo.disable_stream('Sharded');

SET dynamo.stream_shards = 4;
SELECT dynamo.enable_stream('Sharded') IS NOT NULL AS enabled;
RESET dynamo.stream_shards;
DO $$
BEGIN
	FOR i IN 1..40 LOOP
		PERFORM dynamo.put_item('Sharded', jsonb_build_object('pk', 'p' || i, 'sk', 1)::dynamo.item);
	END LOOP;
END
$$;
UPDATE dynamo_data."Sharded" SET item = item::jsonb || '{"v": 1}';
DELETE FROM dynamo_data."Sharded";
SELECT count(*) AS items, count(DISTINCT shard) AS shards, min(shard), max(shard), min(events) AS least, max(events) AS greatest
FROM pg_temp.shards('Sharded');

-- Shards are ranges of the hash by which a Scan goes.
SELECT dynamo.disable_stream('Sharded');
SET dynamo.stream_shards = 3;
SELECT dynamo.enable_stream('Sharded') IS NOT NULL AS enabled;
RESET dynamo.stream_shards;
INSERT INTO dynamo_data."Sharded" (item)
SELECT jsonb_build_object('pk', 'p' || i, 'sk', 1) FROM generate_series(1, 40) i;
SELECT bool_and(shard >= before) AS ranges, count(DISTINCT shard) AS shards
FROM (SELECT shard, lag(shard, 1, 0::smallint) OVER (ORDER BY s.pk::dynamo.partition_key) AS before
	FROM pg_temp.shards('Sharded') s) t;
SELECT shards FROM dynamo.streams WHERE table_name = 'Sharded' ORDER BY stream_id;

-- All shards together are read in the order of their numbers.
SELECT bool_and(sequence_number > before), count(*)
FROM (SELECT sequence_number, lag(sequence_number, 1, 0) OVER () AS before FROM dynamo.stream('Sharded')) s;

SET dynamo.stream_shards = 0;
SET dynamo.stream_shards = 65;

SELECT dynamo.drop_table('Sharded');
