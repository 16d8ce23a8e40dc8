-- UpdateItem: create, change, refuse
\t on
\a
SELECT dynamo.create_table('CallUpdate', 'pk');
SELECT dynamo.create_index('CallUpdate', 'byc', 'c');
SELECT dynamo.create_index('CallUpdate', 'byd', 'd');

-- an update of a missing item creates it, even without an expression
SELECT dynamo.call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "bare"}}, "ReturnValues": "ALL_NEW"}');
SELECT dynamo.call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = :n ADD s :s",
  "ExpressionAttributeValues": {":n": {"N": "1"}, ":s": {"SS": ["x"]}}, "ReturnValues": "ALL_NEW"}');
-- what only removes creates nothing
SELECT dynamo.call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "none"}}, "UpdateExpression": "REMOVE n", "ReturnValues": "ALL_NEW"}');
SELECT dynamo.call('GetItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "none"}}}');
-- all sections at once, against the item as it was
SELECT dynamo.call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}},
  "UpdateExpression": "SET m = n, n = n + :one, l = list_append(if_not_exists(l, :e), :e) REMOVE gone DELETE s :s",
  "ExpressionAttributeValues": {":one": {"N": "1"}, ":e": {"L": [{"S": "e"}]}, ":s": {"SS": ["x"]}}, "ReturnValues": "ALL_NEW"}');

-- conditions
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = :v",
  "ConditionExpression": "n < :v", "ExpressionAttributeValues": {":v": {"N": "2"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = :v",
  "ConditionExpression": "n < :v", "ExpressionAttributeValues": {":v": {"N": "2"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT dynamo.call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = :v",
  "ConditionExpression": "n < :v", "ExpressionAttributeValues": {":v": {"N": "3"}}, "ReturnValues": "UPDATED_NEW"}');

-- refused before the table is looked up: Update first, then Condition, then what is unused
SELECT dynamo.try_call('UpdateItem', '{"TableName": "NoSuchTable", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET", "ConditionExpression": "a ="}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "NoSuchTable", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET a = b", "ConditionExpression": "a ="}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "NoSuchTable", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET a = b", "ExpressionAttributeNames": {"#x": "y"}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "NoSuchTable", "Key": {"pk": {"S": "a"}}, "ExpressionAttributeValues": {":x": {"S": "y"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "NoSuchTable", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET a = b"}');
-- refused by the schema, before the condition
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"x": {"S": "a"}}, "UpdateExpression": "SET pk = :v", "ExpressionAttributeValues": {":v": {"S": "a"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET pk = :v",
  "ConditionExpression": "attribute_not_exists(pk)", "ExpressionAttributeValues": {":v": {"S": "a"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "REMOVE pk.x"}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "REMOVE c.x"}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET x = y", "ConditionExpression": "pk.x = y"}');
-- refused by the item
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET x.y = :v", "ExpressionAttributeValues": {":v": {"S": "a"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET x = y"}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = n + l"}');
SELECT dynamo.try_call('UpdateItem', json_build_object('TableName', 'CallUpdate', 'Key', '{"pk": {"S": "a"}}'::json, 'UpdateExpression', 'SET x = :v',
  'ExpressionAttributeValues', json_build_object(':v', json_build_object('S', repeat('x', 409600)))));
-- refused by an index
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET c = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET c = :v", "ExpressionAttributeValues": {":v": {"S": ""}}}');
-- a value of the wrong type is told before a path into a key, and before the condition
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET c = :v, d.x = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET c = :v", "ConditionExpression": "c = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}');
-- and nothing of all that was written
SELECT dynamo.call('GetItem', '{"TableName": "CallUpdate", "Key": {"pk": {"S": "a"}}}');
SELECT dynamo.drop_table('CallUpdate');
