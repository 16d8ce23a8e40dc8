-- Trimming: a piece of four hours goes when all in it is older than a day.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
SET dynamo.stream_shards = 4;
SELECT dynamo.create_table('Trimmed', 'pk');
SELECT dynamo.create_table('Quiet', 'pk');
SELECT count(dynamo.enable_stream(name)) FROM unnest(ARRAY['Trimmed', 'Quiet']) name;
SELECT dynamo.put_item('Trimmed', '{"pk": "1"}');
SELECT dynamo.put_item('Trimmed', '{"pk": "2"}');
SELECT sequence_number AS first, created_at AS moment FROM dynamo.stream('Trimmed') LIMIT 1 \gset
SELECT sequence_number AS second FROM dynamo.stream('Trimmed') OFFSET 1 LIMIT 1 \gset

-- At no time within 24 hours.
SELECT count(dynamo_internal.trim_streams(:'moment'::timestamptz + make_interval(hours => h)))
FROM generate_series(0, 24, 4) h;
SELECT count(*) FROM pg_temp.records('Trimmed');

-- A reader at it is not disturbed.
BEGIN;
DECLARE c CURSOR FOR SELECT event_name FROM dynamo.stream('Trimmed');
FETCH c;
SELECT dynamo_internal.trim_streams(:'moment'::timestamptz + interval '28 hours');
FETCH ALL FROM c;
COMMIT;

-- Then it goes, once.
SELECT dynamo_internal.trim_streams(:'moment'::timestamptz + interval '28 hours');
SELECT dynamo_internal.trim_streams(:'moment'::timestamptz + interval '28 hours');
SELECT * FROM pg_temp.records('Trimmed');

-- Nor is there a day before the end of time.
SELECT dynamo_internal.trim_streams('infinity');
SELECT dynamo_internal.trim_streams('-infinity');

-- Whoever has missed a record learns it; who has not goes on.
SELECT dynamo.put_item('Trimmed', '{"pk": "3"}');
SELECT * FROM dynamo.stream('Trimmed', :first);
SELECT event_name, new_image::jsonb FROM dynamo.stream('Trimmed', :second);
SELECT event_name, new_image::jsonb FROM dynamo.stream('Trimmed');
SELECT * FROM dynamo.stream('Quiet', :first);

-- Streams disabled for a day are forgotten, those enabled are not.
SELECT dynamo.disable_stream('Quiet');
SELECT dynamo_internal.trim_streams(now() + interval '23 hours') >= 0 AS trimmed;
SELECT table_name FROM dynamo.streams WHERE table_name IN ('Trimmed', 'Quiet') ORDER BY 1;
SELECT dynamo_internal.trim_streams(now() + interval '25 hours') >= 0 AS trimmed;
SELECT table_name FROM dynamo.streams WHERE table_name IN ('Trimmed', 'Quiet') ORDER BY 1;
SELECT * FROM dynamo.stream('Quiet');

-- Trimming that is rolled back has not happened.
SELECT dynamo.put_item('Trimmed', '{"pk": "4"}');
SELECT max(created_at) AS moment FROM dynamo.stream('Trimmed') \gset
BEGIN;
SELECT dynamo_internal.trim_streams(:'moment'::timestamptz + interval '28 hours');
SELECT count(*) FROM pg_temp.records('Trimmed');
ROLLBACK;
SELECT event, new FROM pg_temp.records('Trimmed') WHERE new ->> 'pk' = '4';

-- The greatest number that is gone is noted, whichever shard has it: items of
-- the first and the last of four, in both orders.
SELECT dynamo.create_table(name, 'pk') FROM unnest(ARRAY['FirstLast', 'LastFirst']) name;
SELECT count(dynamo.enable_stream(name)) FROM unnest(ARRAY['FirstLast', 'LastFirst']) name;
SELECT dynamo.put_item('FirstLast', '{"pk": "2"}'), dynamo.put_item('FirstLast', '{"pk": "3"}');
SELECT dynamo.put_item('LastFirst', '{"pk": "3"}'), dynamo.put_item('LastFirst', '{"pk": "2"}');
SELECT max(sequence_number) - 100000000000000000000 AS first_last, max(created_at) AS moment FROM dynamo.stream('FirstLast') \gset
SELECT max(sequence_number) - 100000000000000000000 AS last_first FROM dynamo.stream('LastFirst') \gset
SELECT table_name, string_agg(shard::text, ' ' ORDER BY number) AS shards
FROM (SELECT * FROM dynamo_internal.stream_records_0 UNION ALL SELECT * FROM dynamo_internal.stream_records_1
	UNION ALL SELECT * FROM dynamo_internal.stream_records_2 UNION ALL SELECT * FROM dynamo_internal.stream_records_3
	UNION ALL SELECT * FROM dynamo_internal.stream_records_4 UNION ALL SELECT * FROM dynamo_internal.stream_records_5
	UNION ALL SELECT * FROM dynamo_internal.stream_records_6 UNION ALL SELECT * FROM dynamo_internal.stream_records_7) r
	JOIN dynamo.streams ON stream = stream_id WHERE table_name IN ('FirstLast', 'LastFirst') GROUP BY 1 ORDER BY 1;
SELECT dynamo_internal.trim_streams(:'moment'::timestamptz + interval '28 hours');
SELECT table_name, trimmed_number = CASE table_name WHEN 'FirstLast' THEN :first_last ELSE :last_first END AS noted
FROM dynamo.streams WHERE table_name IN ('FirstLast', 'LastFirst') ORDER BY 1;

-- What is noted does not go back, should older records go later.
SELECT stream_id AS stream, trimmed_number AS noted,
	'dynamo_internal.stream_records_' || (floor(extract(epoch FROM :'moment'::timestamptz - '2000-01-01 00:00:00+00') / 14400)::int + 1) % 8 AS next
FROM dynamo.streams WHERE table_name = 'FirstLast' \gset
INSERT INTO :next (stream, shard, number, created_at, event, service) VALUES (:stream, 0, :noted - 1, now(), 'I', false);
SELECT dynamo_internal.trim_streams(:'moment'::timestamptz + interval '32 hours');
SELECT trimmed_number = :noted AS noted FROM dynamo.streams WHERE stream_id = :stream;

-- If the clock was set back, the piece to be used next has young records: it stays.
SELECT 'dynamo_internal.stream_records_' || (floor(extract(epoch FROM now() - '2000-01-01 00:00:00+00') / 14400)::int + 1) % 8 AS next \gset
INSERT INTO :next (stream, shard, number, created_at, event, service) VALUES (:stream, 0, :noted + 1, now(), 'I', false);
SELECT dynamo_internal.trim_streams(now());
SELECT count(*) FROM :next WHERE number = :noted + 1;
TRUNCATE :next;

SELECT dynamo.drop_table(name) FROM unnest(ARRAY['Trimmed', 'Quiet', 'FirstLast', 'LastFirst']) name;
