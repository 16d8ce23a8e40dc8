-- GetShardIterator, and what becomes of iterators: where they begin, how long
-- they last, what is refused.
\a
\t on
SET dynamo.stream_shards = 1;

SELECT dynamo.create_table('StreamIterator', 'pk');
SELECT dynamo.enable_stream('StreamIterator', 'KEYS_ONLY') IS NOT NULL;
SELECT arn, s ->> 'ShardId' AS shard, s #>> '{SequenceNumberRange,StartingSequenceNumber}' AS start
FROM json_extract_path_text(dynamo.call('DescribeTable', '{"TableName": "StreamIterator"}'), 'Table', 'LatestStreamArn') arn,
	json_extract_path(dynamo.call('DescribeStream', json_build_object('StreamArn', arn)), 'StreamDescription', 'Shards', '0') s \gset
CREATE TEMP TABLE good AS SELECT jsonb_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'TRIM_HORIZON') AS request;

CREATE FUNCTION pg_temp.iterator(changes jsonb) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.call('GetShardIterator', (SELECT (request || changes)::json FROM good)) ->> 'ShardIterator';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
-- Keys of the records that an iterator gives, or an error.
CREATE FUNCTION pg_temp.keys(iterator text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT string_agg(r #>> '{dynamodb,Keys,pk,S}', ' ') FROM json_array_elements(
		dynamo.call('GetRecords', json_build_object('ShardIterator', iterator)) -> 'Records') r);
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || regexp_replace(sqlerrm, 'x{10,}', 'x...');
END $$;

-- Four places to begin at.
SELECT pg_temp.iterator('{"ShardIteratorType": "LATEST"}') AS latest \gset
SELECT dynamo.put_item('StreamIterator', '{"pk": "a"}');
SELECT dynamo.put_item('StreamIterator', '{"pk": "b"}');
SELECT dynamo.put_item('StreamIterator', '{"pk": "c"}');
SELECT r #>> '{dynamodb,SequenceNumber}' AS second
FROM json_array_elements(dynamo.call('GetRecords', json_build_object('ShardIterator', pg_temp.iterator('{}'))) -> 'Records') WITH ORDINALITY AS r (r, n)
WHERE n = 2 \gset
SELECT pg_temp.keys(pg_temp.iterator('{}')) AS trim_horizon,
	pg_temp.keys(:'latest') AS latest_before,
	pg_temp.keys(pg_temp.iterator('{"ShardIteratorType": "LATEST"}')) IS NULL AS latest_after;
SELECT pg_temp.keys(pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', :'second'))) AS at,
	pg_temp.keys(pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AFTER_SEQUENCE_NUMBER', 'SequenceNumber', :'second'))) AS after,
	pg_temp.keys(pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', '0000' || :'second'))) AS zeros;

-- The number a shard starts with is behind nothing.
SELECT pg_temp.keys(pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', :'start'))) AS at,
	pg_temp.keys(pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AFTER_SEQUENCE_NUMBER', 'SequenceNumber', :'start'))) AS after;

-- The greatest number there can be is one, and no greater one is.
SELECT pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AFTER_SEQUENCE_NUMBER', 'SequenceNumber', '1' || lpad((281474976710655 + more)::text, 20, '0'))) ~ '^arn:' AS is_number
FROM generate_series(0, 1) more;

-- An iterator may be used again, and names its stream.
SELECT pg_temp.keys(:'latest'), starts_with(:'latest', :'arn' || '|1|'), length(:'latest') <= 2048 AS short;

-- What is refused by itself.
SELECT pg_temp.iterator(changes::jsonb)
FROM unnest(ARRAY['{"StreamArn": null}', '{"StreamArn": "x"}', '{"ShardId": null}', '{"ShardId": "shardId-1"}',
	'{"ShardId": "shardId-01234567890123456789-01234567-01234567890123456789-0123456789"}',
	'{"ShardIteratorType": null}', '{"ShardIteratorType": "AT_TIME"}',
	'{"SequenceNumber": "100000000000000000001"}', '{"ShardIteratorType": "LATEST", "SequenceNumber": "100000000000000000001"}',
	'{"ShardIteratorType": "AT_SEQUENCE_NUMBER"}', '{"ShardIteratorType": "AFTER_SEQUENCE_NUMBER"}',
	'{"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "1"}',
	'{"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "10000000000000000000000000000000000000001"}',
	'{"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "1000000000000000x0001"}',
	'{"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "200000000000000000001"}',
	'{"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "199999999999999999999"}',
	'{"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "1000000000000000000001"}']) changes;

-- A number beyond all there can be, and one that would be small if it were cut.
SELECT pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AFTER_SEQUENCE_NUMBER', 'SequenceNumber', number))
FROM unnest(ARRAY['100000281474976710656', '118446744073709551621']) number;

-- What there is not.
SELECT pg_temp.iterator(changes::jsonb)
FROM unnest(ARRAY['{"StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/StreamIterator"}',
	'{"StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/StreamIterator/stream/2015-05-11T21:21:33.291"}',
	'{"ShardId": "shardId-00000000000000000000-00000000"}', '{"ShardId": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}']) changes;

-- What was there before the first record that is left.
SELECT pg_temp.iterator(jsonb_build_object('ShardIteratorType', type, 'SequenceNumber', number))
FROM unnest(ARRAY['AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER']) type,
	unnest(ARRAY['000000000000000000001', (:'start'::numeric - 1)::text]) number;

-- Iterators that are none.
SELECT pg_temp.keys(iterator)
FROM unnest(ARRAY[NULL, '', 'x', '|1|', :'arn', :'arn' || '|1|', :'arn' || '|1|AAAA', :'arn' || '|2|' || split_part(:'latest', '|', 3),
	left(:'latest', -4), :'latest' || 'AAAA', 'x' || :'latest', repeat('x', 2049)]) iterator;

-- One that is made by hand, of another shard or another time.
CREATE FUNCTION pg_temp.made(arn text, shard text, number text, age interval) RETURNS text
LANGUAGE sql AS $$
	SELECT arn || '|1|' || translate(encode(convert_to(shard || '|' || number || '|' ||
		lpad((extract(epoch FROM now() - age) * 1000)::bigint::text, 20, '0'), 'UTF8'), 'base64'), E'\n', '')
$$;
SELECT pg_temp.keys(pg_temp.made(:'arn', :'shard', :'start', '14 minutes'));
SELECT pg_temp.keys(pg_temp.made(:'arn', :'shard', :'start', '16 minutes'));
SELECT pg_temp.keys(pg_temp.made(:'arn', 'shardId-00000000000000000000-00000000', :'start', '0'));
SELECT pg_temp.keys(pg_temp.made(:'arn', :'shard', '100000000000000000000', '0'));
SELECT pg_temp.keys(pg_temp.made(:'arn', :'shard', '000000000000000000000', '0'));
SELECT pg_temp.keys(pg_temp.made('arn:aws:dynamodb:us-east-1:000000000000:table/None/stream/2015-05-11T21:21:33.291', :'shard', :'start', '0'));

-- A limit out of range.
SELECT dynamo.try_call('GetRecords', json_build_object('ShardIterator', :'latest', 'Limit', n)) ->> 'message'
FROM unnest(ARRAY[-1, 0, 1001]) n;

-- What was left before is trimmed: whoever would go on there has missed it.
SELECT bool_or(dynamo_internal.trim_streams(now() + n * interval '4 hours') > 0) AS trimmed FROM generate_series(1, 8) n;
SELECT pg_temp.keys(:'latest');
SELECT pg_temp.iterator(jsonb_build_object('ShardIteratorType', 'AT_SEQUENCE_NUMBER', 'SequenceNumber', :'second'));
SELECT dynamo.put_item('StreamIterator', '{"pk": "d"}');
SELECT pg_temp.keys(pg_temp.iterator('{}')) AS trim_horizon;

SELECT dynamo.drop_table('StreamIterator');
