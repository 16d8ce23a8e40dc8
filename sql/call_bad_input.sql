-- What has killed or hung servers of this family
\t on
\a
SELECT dynamo.create_table('CallBad', 'pk');
-- a body that is null, for every operation
SELECT o, dynamo.try_call(o, 'null') ->> 'Message' IS NULL AND dynamo.try_call(o, 'null') ->> '__type' LIKE '%SerializationException'
  FROM unnest(ARRAY['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'BatchGetItem', 'BatchWriteItem', 'TransactGetItems', 'TransactWriteItems', 'CreateTable', 'ListTables']) o;
-- nulls where structures should be
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBad": null}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBad": {"Keys": [null]}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBad": {"Keys": [{"pk": null}]}}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallBad": null}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallBad": [null]}}');
SELECT dynamo.try_call('BatchWriteItem', '{"RequestItems": {"CallBad": [{"PutRequest": null, "DeleteRequest": null}]}}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [null]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": null}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [null, {"Get": null}]}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallBad", "Item": {"pk": {"S": "a"}, "l": {"L": [null]}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallBad", "Item": {"pk": {"S": "a"}, "l": {"SS": [null]}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallBad", "Item": {"pk": {"S": "a"}, "m": {"M": {"x": null}}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallBad", "Item": {"pk": {"S": "a"}}, "Expected": {"x": null}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallBad", "Item": {"pk": {"S": "a"}}, "Expected": {"x": {"ComparisonOperator": "EQ", "AttributeValueList": [null]}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallBad", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET #a = :a", "ExpressionAttributeNames": {"#a": null}, "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallBad", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": null}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallBad", "Key": {"pk": {"S": "a"}}, "AttributesToGet": [null]}');
-- empty structures
SELECT dynamo.try_call('PutItem', '{"TableName": "CallBad", "Item": {}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallBad", "Key": {}}');
SELECT dynamo.try_call('Query', '{"TableName": "CallBad", "KeyConditions": {}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallBad", "Key": {"pk": {"S": "a"}}, "Expected": {}, "AttributeUpdates": {}}');
-- a filter on a missing attribute
SELECT dynamo.call('Scan', '{"TableName": "CallBad", "FilterExpression": "size(nope) > :n OR nope.x[3] = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}');
-- deep nesting: in values, in expressions, in the JSON itself
SELECT dynamo.try_call('PutItem', ('{"TableName": "CallBad", "Item": {"pk": {"S": "a"}, "x": ' || repeat('{"L": [', 31) || '{"S": "leaf"}' || repeat(']}', 31) || '}}')::json);
SELECT dynamo.try_call('PutItem', ('{"TableName": "CallBad", "Item": {"pk": {"S": "a"}, "x": ' || repeat('{"L": [', 32) || '{"S": "leaf"}' || repeat(']}', 32) || '}}')::json);
SELECT dynamo.try_call('PutItem', ('{"TableName": "CallBad", "Item": {"pk": {"S": "a"}, "x": ' || repeat('{"M": {"m": ', 900) || '{"S": "leaf"}' || repeat('}}', 900) || '}}')::json);
SELECT dynamo.try_call('PutItem', ('{"TableName": "CallBad", "Item": ' || repeat('[', 3000) || repeat(']', 3000) || '}')::json);
SELECT dynamo.try_call('GetItem', ('{"Nope": ' || repeat('[', 1500) || repeat(']', 1500) || '}')::json) ->> 'message';
SELECT left(dynamo.try_call('Scan', json_build_object('TableName', 'CallBad', 'FilterExpression', repeat('(', 2000) || 'a = b' || repeat(')', 2000))) ->> 'message', 100);
SELECT left(dynamo.try_call('Scan', json_build_object('TableName', 'CallBad', 'FilterExpression', repeat('NOT ', 1000) || 'a = b')) ->> 'message', 120);
SELECT left(dynamo.try_call('GetItem', json_build_object('TableName', 'CallBad', 'Key', '{"pk": {"S": "a"}}'::json, 'ProjectionExpression', 'a' || repeat('[0]', 1000))) ->> 'message', 120);
-- the largest numbers, and larger ones
SELECT dynamo.try_call('Query', '{"TableName": "CallBad", "Limit": 9223372036854775807, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}, "Select": "COUNT"}');
SELECT dynamo.try_call('Query', '{"TableName": "CallBad", "Limit": 1e300, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}, "Select": "COUNT"}');
SELECT dynamo.try_call('Query', '{"TableName": "CallBad", "Limit": 99999999999999999999}') ->> '__type';
-- a flag as a string
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"CallBad": [{"PutRequest": {"Item": {"pk": {"S": "flag"}}}}]}}') ->> 'UnprocessedItems';
SELECT f, dynamo.try_call('GetItem', json_build_object('TableName', 'CallBad', 'Key', '{"pk": {"S": "flag"}}'::json, 'ConsistentRead', f, 'ReturnConsumedCapacity', 'TOTAL')) #>> '{ConsumedCapacity,CapacityUnits}'
  FROM unnest(ARRAY['true', 'YES', '1', 'false', 'No', '0', 'x']) f;
-- a NUL, escaped
SELECT dynamo.try_call('GetItem', '{"TableName": "Call\u0000Bad", "Key": {"pk": {"S": "a"}}}') ->> '__type';
-- ... and hides nothing that stands behind it
SELECT dynamo.try_call('GetItem', '{"TableName": "Call\u0000Bad", "ReturnConsumedCapacity": "a\u0000b", "Key": {}}') ->> 'message';
SELECT dynamo.try_call('GetItem', '{"TableName": "CallBad", "ReturnConsumedCapacity": "TOTAL\u0000", "Key": {}}') ->> 'message';
SELECT dynamo.try_call('Scan', '{"TableName": "CallBad", "IndexName": "a\u0000b"}') ->> 'message';
-- no attribute has one in its name; that is malformed, and so comes before what is missing
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallBad", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "REMOVE #a", "ExpressionAttributeNames": {"#a": "x\u0000y"}}');
SELECT dynamo.try_call('GetItem', '{"Key": {"pk": {"S": "a"}}, "AttributesToGet": ["x\u0000y"]}');
SELECT dynamo.try_call('UpdateTimeToLive', '{"TableName": "CallBad", "TimeToLiveSpecification": {"AttributeName": "x\u0000y", "Enabled": true}}');
SELECT dynamo.try_call('CreateTable', '{"TableName": "CallBadNul", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "x\u0000y", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "x\u0000y", "AttributeType": "S"}]}') ->> '__type';
SELECT dynamo.try_call('GetItem', '{"TableName": "CallBad", "Key": {"pk": {"S": "a\u0000b"}}}');
SELECT dynamo.try_call('GetItem', '{"TableName": "CallBad", "Key": {"pk": {"S": "a"}}, "ProjectionExpression": "a\u0000b"}') ->> '__type';
SELECT dynamo.try_call('GetItem', '{"TableName": "CallBad", "Key": {"p\u0000k": {"S": "a"}}}') ->> '__type';
SELECT dynamo.drop_table('CallBad');
