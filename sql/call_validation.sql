-- Rules of single members: all that are broken in one message, in the operation's order
\t on
\a
CREATE FUNCTION pg_temp.call(operation text, request json) RETURNS text LANGUAGE sql AS $$ SELECT dynamo.try_call(operation, request) ->> 'message' $$;
SELECT pg_temp.call('GetItem', '{}');
SELECT pg_temp.call('GetItem', '{"TableName": null, "Key": null}');
SELECT pg_temp.call('GetItem', '{"TableName": "a b", "Key": {}, "AttributesToGet": [], "ReturnConsumedCapacity": "total"}');
SELECT pg_temp.call('PutItem', '{"ReturnConsumedCapacity": "x", "ReturnValues": "x", "ReturnItemCollectionMetrics": "x", "ConditionalOperator": "x", "Expected": {"a": {"ComparisonOperator": "x"}}}');
SELECT pg_temp.call('UpdateItem', '{"ReturnConsumedCapacity": "x", "ReturnValues": "x", "ReturnItemCollectionMetrics": "x", "ConditionalOperator": "x", "AttributeUpdates": {"a": {"Action": "x"}}}');
SELECT pg_temp.call('DeleteItem', '{"ReturnConsumedCapacity": "x", "ReturnValues": "x", "ReturnItemCollectionMetrics": "x", "ConditionalOperator": "x"}');
SELECT pg_temp.call('Query', '{"Select": "x", "IndexName": "a;", "ReturnConsumedCapacity": "x", "QueryFilter": {"a": {}}, "TableName": "x!", "AttributesToGet": [], "Limit": -1, "KeyConditions": {"b": {"ComparisonOperator": "x"}}}');
SELECT pg_temp.call('Scan', '{"Select": "x", "IndexName": "ab", "TotalSegments": 0, "ReturnConsumedCapacity": "x", "ConditionalOperator": "x", "ScanFilter": {"a": {"ComparisonOperator": "x"}}, "Segment": -1, "Limit": -1, "AttributesToGet": []}');
SELECT pg_temp.call('BatchGetItem', '{"ReturnConsumedCapacity": "x", "RequestItems": {"aa;": {"Keys": [], "AttributesToGet": []}}}');
SELECT pg_temp.call('BatchWriteItem', '{"ReturnConsumedCapacity": "x", "ReturnItemCollectionMetrics": "x"}');
-- table names: one and two characters are just unknown
SELECT pg_temp.call('GetItem', '{"TableName": "a", "Key": {}}');
SELECT pg_temp.call('GetItem', '{"TableName": "", "Key": {}}');
SELECT pg_temp.call('GetItem', json_build_object('TableName', repeat('a', 256), 'Key', '{}'::json)) = '1 validation error detected: Value ''' || repeat('a', 256) || ''' at ''tableName'' failed to satisfy constraint: Member must have length less than or equal to 255';
SELECT pg_temp.call('GetItem', '{"TableName": "arn:aws:dynamodb:eu-west-2:000000000000:table/abc", "Key": {}}');
SELECT pg_temp.call('GetItem', '{"TableName": "arn:aws-cn:dynamodb:us-east-1:000000000000:table/abc", "Key": {}}');
SELECT pg_temp.call('GetItem', '{"TableName": "arn:aws:s3:us-east-1:000000000000:table/abc", "Key": {}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000001:table/abc", "Key": {}}');
SELECT pg_temp.call('GetItem', '{"TableName": "arn:aws:dynamodb", "Key": {}}');
-- the name in an ARN is as long as another
SELECT pg_temp.call('CreateTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/ab", "AttributeDefinitions": [], "KeySchema": []}');
SELECT right(pg_temp.call(operation, json_build_object('TableName', 'arn:aws:dynamodb:us-east-1:000000000000:table/' || repeat('a', 256),
	'AttributeDefinitions', '[{"AttributeName": "a", "AttributeType": "S"}]'::json,
	'KeySchema', '[{"AttributeName": "a", "KeyType": "HASH"}]'::json,
	'BillingMode', 'PAY_PER_REQUEST', 'Key', '{}'::json)), 57)
FROM unnest(ARRAY['CreateTable', 'DescribeTable', 'GetItem']) operation;
-- a zero byte does not end the text
SELECT pg_temp.call('DescribeTable', '{"TableName": "abc\u0000d"}');
-- at most ten are listed
SELECT pg_temp.call('BatchWriteItem', '{"RequestItems": {"abc": [{"PutRequest": {}}, {"PutRequest": {}}, {"PutRequest": {}}, {"PutRequest": {}}, {"PutRequest": {}}, {"PutRequest": {}},
  {"PutRequest": {}}, {"PutRequest": {}}, {"DeleteRequest": {}}, {"DeleteRequest": {}}, {"DeleteRequest": {}}, {"DeleteRequest": {}}]}}');
SELECT left(pg_temp.call('CreateTable', json_build_object('TableName', 'abc', 'KeySchema', '[]'::json,
	'AttributeDefinitions', array_to_json(array_fill(NULL::text, ARRAY[12])))), 30);
-- no such operation
SELECT dynamo.try_call('getitem', '{}');
SELECT dynamo.call('Nope', '{}');
