-- DeleteItem
\t on
\a
SELECT dynamo.create_table('CallDelete', 'pk', 'sk', 'B', 'S');
SELECT dynamo.call('PutItem', '{"TableName": "CallDelete", "Item": {"pk": {"B": "AQI="}, "sk": {"S": "1"}, "x": {"B": ""}}}');

-- a condition that fails leaves the item
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": "1"}}, "ConditionExpression": "x = :x",
  "ExpressionAttributeValues": {":x": {"B": "AA=="}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT dynamo.call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": "1"}}, "ConditionExpression": "size(x) = :n",
  "ExpressionAttributeValues": {":n": {"N": "0"}}, "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "TOTAL"}');
-- a missing item: done, nothing to return, one unit; the condition sees an empty item
SELECT dynamo.call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": "1"}}, "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "TOTAL"}');
SELECT dynamo.call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}');
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_exists(pk)"}');
-- refused
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": "1"}}, "ReturnValues": "ALL_NEW"}');
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": "1"}}, "ExpressionAttributeValues": {":a": {"S": "b"}}}');
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}}}');
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": ""}, "sk": {"S": "1"}}}');
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDelete", "Key": {"pk": {"B": "AQI="}, "sk": {"S": ""}}}');
SELECT dynamo.try_call('DeleteItem', json_build_object('TableName', 'CallDelete', 'Key',
  json_build_object('pk', '{"B": "AQI="}'::json, 'sk', json_build_object('S', repeat('x', 1025)))));
SELECT dynamo.try_call('DeleteItem', '{"TableName": "CallDeleteNot", "Key": {"pk": {"B": "AQI="}}}');
SELECT dynamo.drop_table('CallDelete');
