-- What becomes of a stream when it is disabled, its table dropped, or its name
-- used again.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
CREATE FUNCTION pg_temp.streams() RETURNS TABLE (name text, relation regclass, view text, enabled boolean, sane boolean)
LANGUAGE sql AS $$
	SELECT table_name, relation, view_type, end_number IS NULL,
		start_number < coalesce(end_number, start_number + 1) AND created_at <= coalesce(disabled_at, now())
	FROM dynamo.streams WHERE table_name LIKE 'Life%' ORDER BY stream_id
$$;

-- No stream, no table.
SELECT * FROM dynamo.stream('Life');
SELECT dynamo.enable_stream('Life');
SELECT dynamo.create_table('Life', 'pk');
SELECT * FROM dynamo.stream('Life');
SELECT dynamo.disable_stream('Life');

-- What was there before is no change.
SELECT dynamo.put_item('Life', '{"pk": "before"}');
SELECT dynamo.enable_stream('Life', 'NEW_IMAGE') IS NOT NULL AS enabled;
SELECT dynamo.enable_stream('Life');
SELECT dynamo.put_item('Life', '{"pk": "first"}');

-- A stream that was disabled is still there; it does not go on.
SELECT dynamo.disable_stream('Life');
SELECT dynamo.disable_stream('Life');
SELECT dynamo.put_item('Life', '{"pk": "between"}');
SELECT * FROM pg_temp.records('Life');

-- The next one starts empty, from the next change on.
SELECT dynamo.enable_stream('Life') IS NOT NULL AS enabled;
SELECT * FROM pg_temp.records('Life');
SELECT dynamo.put_item('Life', '{"pk": "second"}');
SELECT * FROM pg_temp.records('Life');
SELECT count(DISTINCT label) FROM dynamo.streams WHERE table_name = 'Life';

-- A renamed relation is the same table.
ALTER TABLE dynamo_data."Life" RENAME TO other;
SELECT dynamo.put_item('Life', '{"pk": "renamed"}');
INSERT INTO dynamo_data.other (item) VALUES ('{"pk": "renamed by SQL"}');
SELECT * FROM pg_temp.records('Life') OFFSET 1;
-- Of several that have ended it is the last that is read, ...
SELECT dynamo.disable_stream('Life');
SELECT * FROM pg_temp.records('Life') LIMIT 1;
SELECT table_name = 'Life' AND label = (SELECT label FROM dynamo.streams WHERE table_name = 'Life' ORDER BY start_number DESC LIMIT 1) AS latest FROM (
	SELECT split_part(a, '/', 2) AS table_name, split_part(a, '/', 4) AS label FROM json_extract_path_text(dynamo.call('DescribeTable', '{"TableName": "Life"}'), 'Table', 'LatestStreamArn') a) t;
-- ... in whatever order their rows lie.
UPDATE dynamo.streams SET view_type = view_type WHERE stream_id = (SELECT min(stream_id) FROM dynamo.streams WHERE table_name = 'Life');
SELECT * FROM pg_temp.records('Life') LIMIT 1;
SELECT dynamo.enable_stream('Life') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Life', '{"pk": "third"}');
SELECT * FROM pg_temp.records('Life');
UPDATE dynamo.streams SET view_type = view_type WHERE table_name = 'Life' AND end_number IS NOT NULL;
SELECT * FROM pg_temp.records('Life');
ALTER TABLE dynamo_data.other RENAME TO "Life";

-- Dropped and created again: nothing is inherited.
SELECT * FROM pg_temp.streams();
SELECT dynamo.drop_table('Life');
SELECT * FROM pg_temp.streams();
SELECT dynamo.create_table('Life', 'pk');
SELECT dynamo.put_item('Life', '{"pk": "again"}');
SELECT * FROM pg_temp.records('Life');
SELECT dynamo.enable_stream('Life') IS NOT NULL AS enabled;
SELECT * FROM pg_temp.records('Life');

-- By plain SQL it is the same.
BEGIN;
DROP TABLE dynamo_data."Life";
SELECT * FROM pg_temp.streams() WHERE enabled;
ROLLBACK;
SELECT * FROM pg_temp.streams() WHERE enabled;
DROP TABLE dynamo_data."Life";
SELECT * FROM pg_temp.streams();

-- The records of the dropped ones are still there.
SELECT stream - (SELECT min(stream_id) FROM dynamo.streams WHERE table_name = 'Life') AS stream,
	event, new_image::jsonb AS new
FROM (SELECT * FROM dynamo_internal.stream_records_0 UNION ALL SELECT * FROM dynamo_internal.stream_records_1
	UNION ALL SELECT * FROM dynamo_internal.stream_records_2 UNION ALL SELECT * FROM dynamo_internal.stream_records_3
	UNION ALL SELECT * FROM dynamo_internal.stream_records_4 UNION ALL SELECT * FROM dynamo_internal.stream_records_5
	UNION ALL SELECT * FROM dynamo_internal.stream_records_6 UNION ALL SELECT * FROM dynamo_internal.stream_records_7) r
WHERE stream IN (SELECT stream_id FROM dynamo.streams WHERE table_name = 'Life')
ORDER BY number;
DELETE FROM dynamo.streams WHERE table_name = 'Life';

-- A label that is taken is not given again: here those of the next seconds.
SELECT dynamo.create_table('Life', 'pk');
INSERT INTO dynamo.streams (stream_id, table_name, label, view_type, shards, partition_key, partition_key_type,
	owner, owner_oid, created_at, start_number, trimmed_number, disabled_at, end_number)
SELECT -n, 'Life', to_char((statement_timestamp() AT TIME ZONE 'UTC') + n * interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS'),
	'KEYS_ONLY', 1, 'pk', 'S', CURRENT_USER, 10, now(), 0, 0, now(), 1
FROM generate_series(1, 20000) n;
SELECT dynamo.enable_stream('Life') AS label \gset
SELECT :'label' > max(label) AS later FROM dynamo.streams WHERE table_name = 'Life' AND stream_id < 0;
DELETE FROM dynamo.streams WHERE stream_id < 0;
SELECT dynamo.drop_table('Life');
DELETE FROM dynamo.streams WHERE table_name = 'Life';
