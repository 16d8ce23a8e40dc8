-- DescribeStream: shards by pages, and what is refused; streams by pages.
\a
\t on
SET dynamo.stream_shards = 3;

CREATE FUNCTION pg_temp.asked(operation text, request jsonb) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	BEGIN
		answer := dynamo.call(operation, request::json);
	EXCEPTION WHEN OTHERS THEN
		answer := sqlstate || ' ' || sqlerrm;
	END;
	-- times, and what is made of them
	answer := regexp_replace(answer, '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}', 'LABEL', 'g');
	answer := regexp_replace(answer, 'shardId-\d{20}-[0-9a-f]{8}', 'SHARD', 'g');
	answer := regexp_replace(answer, '"1\d{20}"', 'NUMBER', 'g');
	RETURN regexp_replace(answer, '\d{10}\.\d{3}', 'TIME', 'g');
END $$;
CREATE FUNCTION pg_temp.stream(name text, OUT arn text, OUT shards text[])
LANGUAGE sql AS $$
	SELECT d -> 'Table' ->> 'LatestStreamArn', ARRAY(
		SELECT s ->> 'ShardId' FROM json_array_elements(dynamo.call('DescribeStream', json_build_object('StreamArn',
			d -> 'Table' ->> 'LatestStreamArn')) -> 'StreamDescription' -> 'Shards') s)
	FROM dynamo.call('DescribeTable', json_build_object('TableName', name)) d
$$;

DELETE FROM dynamo.streams WHERE table_name ~ '^StreamList';	-- of an earlier run
SELECT dynamo.create_table('StreamList1', 'pk', 'sk', 'N', 'B');
SELECT dynamo.create_table('StreamList2', 'pk');
SELECT dynamo.create_table('StreamList3', 'pk');
SELECT count(dynamo.enable_stream('StreamList' || n, 'OLD_IMAGE')) FROM generate_series(1, 2) n;
SELECT arn AS arn1, shards AS shards1 FROM pg_temp.stream('StreamList1') \gset
SELECT arn AS arn2 FROM pg_temp.stream('StreamList2') \gset

-- Its ARN by its row.
SELECT dynamo.stream_arn(table_name, label) = :'arn1' FROM dynamo.streams WHERE table_name = 'StreamList1';

-- A stream, and its shards: all begin with it, and their names sort as they do.
SELECT pg_temp.asked('DescribeStream', jsonb_build_object('StreamArn', :'arn1'));
SELECT :'shards1'::text[] = ARRAY(SELECT s FROM unnest(:'shards1'::text[]) s ORDER BY s COLLATE "C") AS sorted,
	(SELECT count(DISTINCT s) FROM unnest(:'shards1'::text[]) s) AS shards;

-- Shards by pages.  Nothing follows one that there is not, and none has children.
SELECT pg_temp.asked('DescribeStream', jsonb_build_object('StreamArn', :'arn1', 'Limit', 2)) ~ '"LastEvaluatedShardId":"SHARD"}}$' AS more;
SELECT d -> 'Shards' -> 0 ->> 'ShardId' = (:'shards1'::text[])[3] AS last, json_array_length(d -> 'Shards') AS shards, d -> 'LastEvaluatedShardId' IS NULL AS "end"
FROM dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn1', 'Limit', 1, 'ExclusiveStartShardId', (:'shards1'::text[])[2])),
	json_extract_path(call, 'StreamDescription') d;
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn1', 'ExclusiveStartShardId', (:'shards1'::text[])[3])) #>> '{StreamDescription,Shards}' AS after_last;
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn1', 'ExclusiveStartShardId', 'shardId-00000000000000000000-00000000')) #>> '{StreamDescription,Shards}' AS after_none;
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn1', 'ShardFilter',
	json_build_object('Type', 'CHILD_SHARDS', 'ShardId', (:'shards1'::text[])[1]))) #>> '{StreamDescription,Shards}' AS children;

-- What DescribeStream refuses.
SELECT pg_temp.asked('DescribeStream', '{}');
SELECT pg_temp.asked('DescribeStream', '{"StreamArn": "arn"}');
SELECT pg_temp.asked('DescribeStream', jsonb_build_object('StreamArn', arn))
FROM unnest(ARRAY[
	'arn:aws:dynamodb:us-east-1:000000000000:table/StreamList1',
	'arn:aws:dynamodb:us-east-1:000000000000:table/StreamList1/index/x',
	'arn:aws:dynamodb:us-east-1:000000000000:table/StreamList1/stream/yesterday',
	'arn:aws:dynamodb:us-east-1:000000000000:table/S/stream/2015-05-11T21:21:33.291',
	'arn:aws:dynamodb:us-east-1:table/StreamList1/stream/2015-05-11T21:21:33.291',
	'arn:aws:kinesis:us-east-1:000000000000:table/StreamList1/stream/2015-05-11T21:21:33.291',
	'arn:aws:dynamodb:us-east-1:000000000000:table/StreamList1/stream/2015-05-11T21:21:33.291',
	'arn:aws:dynamodb:us-east-1:000000000000:table/NoTable/stream/2015-05-11T21:21:33.291',
	'arn:aws:dynamodb:us-west-2:' || substr(:'arn1', 28)]) arn;
SELECT pg_temp.asked('DescribeStream', jsonb_build_object('StreamArn', :'arn1') || changes::jsonb)
FROM unnest(ARRAY['{"Limit": 0}', '{"Limit": 101}', '{"Limit": "1"}', '{"ExclusiveStartShardId": "shardId-1"}', '{"ShardFilter": {}}',
	'{"ShardFilter": {"Type": "PARENTS", "ShardId": "shardId-00000000000000000000-00000000"}}',
	'{"ShardFilter": {"Type": "CHILD_SHARDS"}}', '{"ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": "x"}}']) changes;

-- Streams by pages, in the order of tables, the first behind one that there
-- is not.  A full page has a cursor.
SELECT dynamo.call('ListStreams', json_build_object('Limit', 1, 'ExclusiveStartStreamArn', :'arn1')) AS page \gset
SELECT :'page'::json #>> '{Streams,0,StreamArn}' = :'arn2' AS second, :'page'::json ->> 'LastEvaluatedStreamArn' = :'arn2' AS cursor;
SELECT dynamo.call('ListStreams', json_build_object('TableName', 'StreamList2', 'ExclusiveStartStreamArn', :'arn2'));

-- Disabled, and its table dropped, a stream is still there, with an end.
SELECT dynamo.drop_table('StreamList1');
SELECT pg_temp.asked('DescribeStream', jsonb_build_object('StreamArn', :'arn1', 'Limit', 1));
SELECT bool_and((s -> 'SequenceNumberRange' ->> 'EndingSequenceNumber')::numeric > (s -> 'SequenceNumberRange' ->> 'StartingSequenceNumber')::numeric) AS ends
FROM json_array_elements(dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn1')) #> '{StreamDescription,Shards}') s;

-- A table made anew inherits nothing.
SELECT dynamo.create_table('StreamList1', 'pk');
SELECT arn IS NULL AS none FROM dynamo.call('DescribeTable', '{"TableName": "StreamList1"}'), json_extract_path_text(call, 'Table', 'LatestStreamArn') arn;
SELECT dynamo.drop_table('StreamList' || n) FROM generate_series(1, 3) n;
