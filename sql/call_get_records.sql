-- GetRecords: the records of every kind of change, by every view type and
-- every door, to the letter.
\a
\t on
SET dynamo.stream_shards = 1;

-- All records of a table's latest stream, a line each, what changes masked.
CREATE FUNCTION pg_temp.records(name text) RETURNS SETOF text
LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(r::text,
		'"eventID":"[0-9a-f]{32}"', '"eventID":ID'), '"ApproximateCreationDateTime":\d{10},', '"ApproximateCreationDateTime":TIME,'),
		'"SequenceNumber":"1\d{20}"', '"SequenceNumber":NUMBER')
	FROM json_extract_path(dynamo.call('DescribeTable', json_build_object('TableName', name)), 'Table', 'LatestStreamArn') arn,
		json_extract_path(dynamo.call('DescribeStream', json_build_object('StreamArn', arn)), 'StreamDescription', 'Shards', '0', 'ShardId') shard,
		json_extract_path(dynamo.call('GetShardIterator', json_build_object('StreamArn', arn, 'ShardId', shard, 'ShardIteratorType', 'TRIM_HORIZON')), 'ShardIterator') i,
		json_array_elements(dynamo.call('GetRecords', json_build_object('ShardIterator', i)) -> 'Records') r
$$;
CREATE FUNCTION pg_temp.call(operation text, request text) RETURNS text
LANGUAGE sql AS $$
	SELECT dynamo.try_call(operation, replace(request, '"T"', '"StreamRecords"')::json) ->> '__type'
$$;

SELECT dynamo.create_table('StreamRecords', 'pk', 'sk N');
SELECT dynamo.enable_stream('StreamRecords') IS NOT NULL;

-- Each operation that changes an item: INSERT, MODIFY, REMOVE with its images.
SELECT pg_temp.call('PutItem', '{"TableName": "T", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}, "b": {"B": "AAEC"}, "m": {"M": {"l": {"L": [{"NULL": true}, {"BOOL": false}]}}}}}');
SELECT pg_temp.call('PutItem', '{"TableName": "T", "Item": {"pk": {"S": "a"}, "sk": {"N": "1.0"}, "s": {"NS": ["2", "1"]}}}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "T", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "UpdateExpression": "SET n = :n REMOVE s", "ExpressionAttributeValues": {":n": {"N": "1E2"}}}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "T", "Key": {"pk": {"S": "new"}, "sk": {"N": "2"}}}');
SELECT pg_temp.call('DeleteItem', '{"TableName": "T", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}}');
SELECT * FROM pg_temp.records('StreamRecords');

-- What changes nothing leaves no record.
SELECT dynamo.disable_stream('StreamRecords');
SELECT pg_temp.call('PutItem', '{"TableName": "T", "Item": {"pk": {"S": "x"}, "sk": {"N": "1"}, "s": {"SS": ["a", "b"]}, "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}}');
SELECT dynamo.enable_stream('StreamRecords') IS NOT NULL;
SELECT pg_temp.call('PutItem', '{"TableName": "T", "Item": {"pk": {"S": "x"}, "sk": {"N": "1.0"}, "s": {"SS": ["b", "a"]}, "m": {"M": {"y": {"N": "2.0"}, "x": {"N": "1"}}}}}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "T", "Key": {"pk": {"S": "x"}, "sk": {"N": "1"}}, "UpdateExpression": "REMOVE nosuch DELETE s :none", "ExpressionAttributeValues": {":none": {"SS": ["c"]}}}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "T", "Key": {"pk": {"S": "none"}, "sk": {"N": "1"}}, "UpdateExpression": "REMOVE nosuch"}');
SELECT pg_temp.call('DeleteItem', '{"TableName": "T", "Key": {"pk": {"S": "nobody"}, "sk": {"N": "1"}}}');
SELECT pg_temp.call('DeleteItem', '{"TableName": "T", "Key": {"pk": {"S": "x"}, "sk": {"N": "1"}}, "ConditionExpression": "attribute_exists(nosuch)"}');
SELECT pg_temp.call('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "T", "Key": {"pk": {"S": "x"}, "sk": {"N": "1"}}}},
	{"ConditionCheck": {"TableName": "T", "Key": {"pk": {"S": "x"}, "sk": {"N": "2"}}, "ConditionExpression": "attribute_exists(pk)"}}]}');
SELECT * FROM pg_temp.records('StreamRecords');

-- View types: what they leave out is neither told nor counted.  Each item by
-- another door: a batch, a transaction, a SQL function, SQL, and the service.
CREATE FUNCTION pg_temp.changes() RETURNS void LANGUAGE sql AS $$
	SELECT pg_temp.call('BatchWriteItem', '{"RequestItems": {"T": [{"PutRequest": {"Item": {"pk": {"S": "batch"}, "sk": {"N": "1"}, "a": {"S": "1"}}}}]}}');
	SELECT pg_temp.call('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "T", "Key": {"pk": {"S": "batch"}, "sk": {"N": "1"}},
		"UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"S": "22"}}}}]}');
	SELECT dynamo.put_item('StreamRecords', '{"pk": "batch", "sk": 1, "a": "333", "end": 1}');
	UPDATE dynamo_data."StreamRecords" SET item = (item::jsonb || '{"a": "4444"}')::dynamo.item WHERE pk = 'batch';
	DELETE FROM dynamo_data."StreamRecords" WHERE pk = 'batch';
$$;
SELECT dynamo.disable_stream('StreamRecords');
SELECT dynamo.enable_stream('StreamRecords', 'KEYS_ONLY') IS NOT NULL;
SELECT pg_temp.changes();
SELECT * FROM pg_temp.records('StreamRecords');
SELECT dynamo.disable_stream('StreamRecords');
SELECT dynamo.enable_stream('StreamRecords', 'NEW_IMAGE') IS NOT NULL;
SELECT pg_temp.changes();
SELECT * FROM pg_temp.records('StreamRecords');
SELECT dynamo.disable_stream('StreamRecords');
SELECT dynamo.enable_stream('StreamRecords', 'OLD_IMAGE') IS NOT NULL;
SELECT pg_temp.changes();
SELECT * FROM pg_temp.records('StreamRecords');

-- What has expired is removed by the service, and says so.  The second ends in 01:
-- a number's size is that of its digits up to the last that is not 0.
SELECT dynamo.call('UpdateTimeToLive', '{"TableName": "StreamRecords", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "end"}}');
-- One transaction, or else the server's own maintenance may come first.
BEGIN;
SELECT dynamo.put_item('StreamRecords', jsonb_build_object('pk', 'ttl', 'sk', 1, 'end', extract(epoch FROM now())::bigint / 100 * 100 - 99)::dynamo.item);
SELECT dynamo.expire_items('StreamRecords');
COMMIT;
SELECT regexp_replace(r, '"end":{"N":"\d+"}', '"end":PAST') FROM pg_temp.records('StreamRecords') r WHERE r ~ '"ttl"';

SELECT dynamo.drop_table('StreamRecords');
