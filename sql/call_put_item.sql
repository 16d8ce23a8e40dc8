-- PutItem: replaces a whole item; conditions; what it refuses, in order
\t on
\a
SELECT dynamo.create_table('CallPut', 'pk');
SELECT dynamo.create_index('CallPut', 'byc', 'c', 'd', partition_key_type => 'S', sort_key_type => 'N');

SELECT dynamo.call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "a": {"S": "x"}, "b": {"N": "1.50e2"}}}');
-- the second put leaves nothing of the first, and can return it
SELECT dynamo.call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "b": {"NS": ["3", "1.0"]}}, "ReturnValues": "ALL_OLD"}');
SELECT dynamo.call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "2"}}, "ReturnValues": "ALL_OLD"}');
SELECT dynamo.call('GetItem', '{"TableName": "CallPut", "Key": {"pk": {"S": "1"}}}');

-- a condition sees the item before; a missing one is empty
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)",
  "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "3"}}, "ConditionExpression": "attribute_exists(pk)",
  "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT dynamo.call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "3"}}, "ConditionExpression": "pk <> :v",
  "ExpressionAttributeValues": {":v": {"S": "3"}}}');

-- refused: placeholders that nothing could use, names first, before the values
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {}}, "Expected": {"a": {}}, "ExpressionAttributeNames": {}, "ExpressionAttributeValues": {}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {}}, "Expected": {"a": {}}, "ExpressionAttributeValues": {":a": {}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallPut", "Key": {"pk": {}}, "ExpressionAttributeValues": {":a": {}}}');
-- values of the item, before ReturnValues
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "a": {"SS": []}}, "ReturnValues": "ALL_NEW"}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "a": {"N": "1", "S": "1"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "a": {"SS": ["b", "a", "b"]}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "a": {"N": "abc"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "a": null}}');
-- ReturnValues, before the size
SELECT dynamo.try_call('PutItem', json_build_object('TableName', 'CallPut', 'ReturnValues', 'UPDATED_OLD', 'Item',
  json_build_object('pk', json_build_object('S', '1'), 'x', json_build_object('S', repeat('x', 409600)))));
-- 409,600 bytes are accepted, one more is not; the size comes before the placeholders
SELECT dynamo.try_call('PutItem', json_build_object('TableName', 'CallPut', 'ReturnConsumedCapacity', 'TOTAL', 'Item',
  json_build_object('pk', json_build_object('S', 'big'), 'x', json_build_object('S', repeat('x', 409600 - 6)))));
SELECT dynamo.try_call('PutItem', json_build_object('TableName', 'CallPut', 'ConditionExpression', '', 'ExpressionAttributeNames', '{}'::json, 'Item',
  json_build_object('pk', json_build_object('S', 'big'), 'x', json_build_object('S', repeat('x', 409600 - 5)))));
-- placeholders
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ExpressionAttributeValues": {":a": {"S": "b"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeValues": {}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeValues": {"a": {"S": "b"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {"N": "b"}}}');
-- all keys of both maps before the first value, and values before names
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeNames": {"#a": "", "c": "d"}, "ExpressionAttributeValues": {":a": {}, "a": {"S": "b"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeNames": {"#a": ""}, "ExpressionAttributeValues": {":a": {}, "a": {"S": "b"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeNames": {"#a": ""}, "ExpressionAttributeValues": {":a": {}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {}, "a": {"S": "b"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = :a", "ExpressionAttributeValues": {":b": {"S": "b"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "a = b", "ExpressionAttributeValues": {":b": {"S": "b"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": ""}');
-- the table, then its keys
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPutNot", "Item": {"x": {"S": "1"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"x": {"S": "1"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"N": "1"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": ""}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "c": {"N": "1"}, "d": {"N": "1"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "c": {"NULL": true}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}, "c": {"S": ""}, "d": {"N": "1"}}}');
-- an error of SQL has the exception's SQLSTATE and the service's text
DO $$
BEGIN
	PERFORM dynamo.call('PutItem', '{"TableName": "CallPut", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
EXCEPTION WHEN OTHERS THEN
	DECLARE
		detail text;
	BEGIN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		RAISE INFO '% % %', SQLSTATE, SQLERRM, detail;
	END;
END $$;
SELECT dynamo.drop_table('CallPut');
