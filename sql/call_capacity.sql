-- ConsumedCapacity and ItemCollectionMetrics
\t on
\a
SELECT dynamo.call('CreateTable', '{"TableName": "CallCapacity", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
    {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
  "GlobalSecondaryIndexes": [
    {"IndexName": "all", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}},
    {"IndexName": "keys", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}],
  "LocalSecondaryIndexes": [
    {"IndexName": "local", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
CREATE FUNCTION pg_temp.update(expression text, vals text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call('UpdateItem', json_strip_nulls(json_build_object('TableName', 'CallCapacity', 'Key', '{"pk": {"S": "a"}, "sk": {"S": "b"}}'::json,
    'UpdateExpression', expression, 'ExpressionAttributeValues', vals::json, 'ReturnConsumedCapacity', 'INDEXES'))) -> 'ConsumedCapacity' $$;

-- an index that is not touched has no arm
SELECT pg_temp.update('SET x = :x', '{":x": {"S": "1"}}');
-- absent to present: the new entry; 3000 bytes are 3 units where they are projected
SELECT pg_temp.update('SET x = :x, g = :g', json_build_object(':x', json_build_object('S', repeat('x', 3000)), ':g', '{"S": "1"}'::json)::text);
-- same key, entry changed: once; entry the same: nothing
SELECT pg_temp.update('SET y = :y', '{":y": {"S": "1"}}');
SELECT pg_temp.update('SET y = :y', '{":y": {"S": "1"}}');
-- key moved: old and new
SELECT pg_temp.update('SET g = :g', '{":g": {"S": "2"}}');
-- present to absent: the old entry
SELECT pg_temp.update('REMOVE g', NULL);
-- the larger of old and new
SELECT pg_temp.update('REMOVE x', NULL);

-- reads: 4 KB, halved unless consistent; missing items count; what is evaluated is rounded as one sum
SELECT dynamo.call('PutItem', json_build_object('TableName', 'CallCapacity', 'Item', json_build_object('pk', '{"S": "r"}'::json, 'sk', json_build_object('S', n::text), 'l', json_build_object('S', n::text),
  'g', '{"S": "g"}'::json, 'x', json_build_object('S', repeat('x', 2100))))) IS NULL FROM generate_series(1, 4) n;
SELECT dynamo.call('Query', '{"TableName": "CallCapacity", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "r"}}, "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES"}');
SELECT dynamo.call('Query', '{"TableName": "CallCapacity", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "r"}}, "Select": "COUNT", "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": true}');
SELECT dynamo.call('Query', '{"TableName": "CallCapacity", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "nobody"}}, "Select": "COUNT", "ReturnConsumedCapacity": "TOTAL"}');
-- an index: what it carries, on its own arm
SELECT dynamo.call('Query', '{"TableName": "CallCapacity", "IndexName": "all", "KeyConditionExpression": "g = :p", "ExpressionAttributeValues": {":p": {"S": "g"}}, "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES"}');
SELECT dynamo.call('Scan', '{"TableName": "CallCapacity", "IndexName": "keys", "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES"}');
-- a local index that fetches pays for each item on the table's arm
SELECT dynamo.call('Query', '{"TableName": "CallCapacity", "IndexName": "local", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "r"}}, "Select": "COUNT", "ReturnConsumedCapacity": "INDEXES"}');
SELECT dynamo.call('Query', '{"TableName": "CallCapacity", "IndexName": "local", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "r"}}, "ProjectionExpression": "y", "ReturnConsumedCapacity": "INDEXES"}');
-- transactions pay the table twice
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "CallCapacity", "Key": {"pk": {"S": "r"}, "sk": {"S": "1"}}}},
  {"ConditionCheck": {"TableName": "CallCapacity", "Key": {"pk": {"S": "r"}, "sk": {"S": "2"}}, "ConditionExpression": "attribute_exists(pk)"}},
  {"ConditionCheck": {"TableName": "CallCapacity", "Key": {"pk": {"S": "r"}, "sk": {"S": "99"}}, "ConditionExpression": "attribute_not_exists(pk)"}}], "ReturnConsumedCapacity": "INDEXES"}');
SELECT dynamo.call('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "CallCapacity", "Key": {"pk": {"S": "r"}, "sk": {"S": "2"}}}}], "ReturnConsumedCapacity": "TOTAL"}') -> 'ConsumedCapacity';

-- metrics: only with a local index, only when asked for
SELECT dynamo.call('PutItem', '{"TableName": "CallCapacity", "Item": {"pk": {"S": "m"}, "sk": {"S": "1"}}, "ReturnItemCollectionMetrics": "SIZE"}');
SELECT dynamo.call('PutItem', '{"TableName": "CallCapacity", "Item": {"pk": {"S": "m"}, "sk": {"S": "1"}}, "ReturnItemCollectionMetrics": "NONE"}');
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"CallCapacity": [{"PutRequest": {"Item": {"pk": {"S": "m"}, "sk": {"S": "2"}}}}, {"DeleteRequest": {"Key": {"pk": {"S": "n"}, "sk": {"S": "2"}}}}]}, "ReturnItemCollectionMetrics": "SIZE"}');
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "CallCapacity", "Key": {"pk": {"S": "m"}, "sk": {"S": "1"}}}}], "ReturnItemCollectionMetrics": "SIZE"}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallCapacity", "Item": {}, "ReturnItemCollectionMetrics": "size", "ReturnConsumedCapacity": "all"}');
SELECT dynamo.drop_table('CallCapacity');
