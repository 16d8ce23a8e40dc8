-- GetShardIterator AT_TIMESTAMP: the iterator stands before the first record
-- that was made at the time or later.
\a
\t on
SET dynamo.stream_shards = 1;

SELECT dynamo.create_table('StreamTime', 'pk');
SELECT dynamo.enable_stream('StreamTime', 'KEYS_ONLY') IS NOT NULL;
SELECT arn, s ->> 'ShardId' AS shard
FROM json_extract_path_text(dynamo.call('DescribeTable', '{"TableName": "StreamTime"}'), 'Table', 'LatestStreamArn') arn,
	json_extract_path(dynamo.call('DescribeStream', json_build_object('StreamArn', arn)), 'StreamDescription', 'Shards', '0') s \gset
CREATE TEMP TABLE good AS SELECT jsonb_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'AT_TIMESTAMP') AS request;
CREATE FUNCTION pg_temp.asked(changes jsonb) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.call('GetShardIterator', (SELECT (request || changes)::json FROM good)) ->> 'ShardIterator';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
CREATE FUNCTION pg_temp.at(moment timestamptz) RETURNS text
LANGUAGE sql AS $$
	SELECT pg_temp.asked(jsonb_build_object('Timestamp', extract(epoch FROM moment)))
$$;
-- Keys of up to "n" records that an iterator gives.
CREATE FUNCTION pg_temp.keys(iterator text, n int = 3) RETURNS text
LANGUAGE sql AS $$
	SELECT string_agg(r #>> '{dynamodb,Keys,pk,S}', ' ') FROM json_array_elements(
		dynamo.call('GetRecords', json_build_object('ShardIterator', iterator, 'Limit', n)) -> 'Records') r
$$;

-- Before there is a record, and then: before each, at each, behind all.
SELECT pg_temp.at(now()) AS early \gset
SELECT pg_temp.keys(pg_temp.at('epoch')) IS NULL AS none;
SELECT dynamo.put_item('StreamTime', '{"pk": "a"}');
SELECT dynamo.put_item('StreamTime', '{"pk": "b"}');
SELECT dynamo.put_item('StreamTime', '{"pk": "c"}');
SELECT created_at AS b FROM dynamo.stream('StreamTime') OFFSET 1 LIMIT 1 \gset
SELECT pg_temp.keys(:'early') AS early, pg_temp.keys(pg_temp.at(:'b'::timestamptz - interval '1 hour')) AS before,
	pg_temp.keys(pg_temp.at(:'b')) AS at, pg_temp.keys(pg_temp.at(:'b'::timestamptz + interval '1 microsecond')) AS after;
SELECT pg_temp.at(clock_timestamp()) AS now \gset
SELECT dynamo.put_item('StreamTime', '{"pk": "d"}');
SELECT pg_temp.keys(:'now') AS now;

-- Whole seconds, and times long ago, in any way that JSON writes a number.
SELECT pg_temp.keys(pg_temp.asked(jsonb_build_object('Timestamp', number::jsonb)), 1)
FROM unnest(ARRAY['0', '1', '1.5', '-1', '1e9', '-1e300', '-99999999999999999999', floor(extract(epoch FROM :'b'::timestamptz) - 1)::text]) number;

-- A time to come, without limit; no time; a time, or a number, that another
-- type does not take.
SELECT pg_temp.asked(changes::jsonb)
FROM unnest(ARRAY['{}', '{"Timestamp": null}', '{"Timestamp": 1e10}', '{"Timestamp": 1e300}', '{"Timestamp": 99999999999999999999}',
	jsonb_build_object('Timestamp', extract(epoch FROM now() + interval '1 hour'))::text,
	'{"Timestamp": 1, "SequenceNumber": "100000000000000000001"}',
	'{"Timestamp": 1, "ShardIteratorType": "TRIM_HORIZON"}', '{"Timestamp": 1, "ShardIteratorType": "LATEST"}',
	'{"Timestamp": 1, "ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "100000000000000000001"}',
	'{"Timestamp": 1, "ShardIteratorType": "AFTER_SEQUENCE_NUMBER"}',
	'{"Timestamp": "1"}', '{"Timestamp": true}', '{"Timestamp": {}}']) changes;
-- It is checked before the stream is looked up, and its shard.
SELECT pg_temp.asked(changes::jsonb)
FROM unnest(ARRAY['{"StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/StreamTime/stream/2015-05-11T21:21:33.291"}',
	'{"StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/StreamTime/stream/2015-05-11T21:21:33.291", "Timestamp": 1}',
	'{"ShardId": "shardId-00000000000000000000-00000000", "Timestamp": 1}']) changes;

-- A time before all that is left is the oldest that is left.
SELECT bool_or(dynamo_internal.trim_streams(now() + n * interval '4 hours') > 0) AS trimmed FROM generate_series(1, 8) n;
SELECT pg_temp.at(:'b') AS oldest \gset
SELECT dynamo.put_item('StreamTime', '{"pk": "e"}');
SELECT pg_temp.keys(:'oldest') AS oldest, pg_temp.keys(pg_temp.at(:'b')) AS b;
SELECT bool_or(dynamo_internal.trim_streams(now() + n * interval '4 hours') > 0) AS trimmed FROM generate_series(1, 8) n;

-- Numbers are not quite in the order of times.  Whatever time is asked for, the
-- first record that is not older comes first.  10,000 records, one a second,
-- each up to 9 seconds too old, in this piece of the ring and the one before.
SELECT stream_id AS stream FROM dynamo.streams WHERE table_name = 'StreamTime' \gset
SELECT floor(extract(epoch FROM now() - '2000-01-01 00:00:00+00') / 14400)::int % 8 AS piece \gset
SELECT date_trunc('second', now()) - interval '20000 s' AS start \gset
CREATE TEMP TABLE made AS SELECT n, nextval('dynamo_internal.stream_sequence') AS number, :'start'::timestamptz + make_interval(secs => n - n * 7 % 10) AS created_at
FROM generate_series(1, 10000) n;
CREATE FUNCTION pg_temp.record(piece int, stream int, first int, last int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO dynamo_internal.stream_records_%s (stream, shard, number, created_at, event, service, keys)
		SELECT $1, 0, number, created_at, ''I'', false, jsonb_build_object(''pk'', n::text)::dynamo.item FROM made WHERE n BETWEEN $2 AND $3', piece)
		USING stream, first, last;
END $$;
SELECT pg_temp.record((:piece + 7) % 8, :stream, 1, 4321), pg_temp.record(:piece, :stream, 4322, 10000);
SELECT count(*) AS asked, count(*) FILTER (WHERE pg_temp.keys(pg_temp.at(t.moment), 1) IS DISTINCT FROM
	(SELECT m.n::text FROM made m WHERE m.created_at >= t.moment ORDER BY m.number LIMIT 1)) AS wrong
FROM (SELECT :'start'::timestamptz + make_interval(secs => n + n % 3 * 0.5) AS moment FROM generate_series(1, 9990, 37) n) t;

-- To find one costs a few records, not a thousand.
-- (Index entries read are counted when a transaction ends.)
CREATE FUNCTION pg_temp.read() RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(pg_stat_get_tuples_returned(i.indexrelid)) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
	WHERE c.relnamespace = 'dynamo_internal'::regnamespace AND c.relname ~ '^stream_records_'
$$;
SELECT pg_stat_force_next_flush();
SELECT pg_temp.read() AS read \gset
SELECT pg_temp.at(:'start'::timestamptz + interval '7000 seconds') <> '' AS found;
SELECT pg_stat_force_next_flush();
SELECT pg_temp.read() - :read BETWEEN 1 AND 300 AS few;

-- An event source mapping at a time finds it in the same way.
CREATE FUNCTION take_nothing(event jsonb) RETURNS void LANGUAGE sql AS 'SELECT';
SELECT pg_stat_force_next_flush();
SELECT pg_temp.read() AS read \gset
SELECT dynamo.create_event_source_mapping('StreamTime', 'take_nothing', starting_position => 'AT_TIMESTAMP',
	starting_timestamp => :'start'::timestamptz + interval '7000 seconds', enabled => false) AS mapping \gset
SELECT pg_stat_force_next_flush();
SELECT pg_temp.read() - :read BETWEEN 1 AND 300 AS few;
SELECT dynamo.delete_event_source_mapping(:mapping) IS NOT NULL AS deleted;
DROP FUNCTION take_nothing;

-- A stream that has ended gives nothing more.
SELECT dynamo.disable_stream('StreamTime');
SELECT dynamo.call('GetRecords', json_build_object('ShardIterator', pg_temp.at(clock_timestamp())));
SELECT pg_temp.keys(pg_temp.at('epoch'), 1);

SELECT dynamo.drop_table('StreamTime');
