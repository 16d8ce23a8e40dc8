-- Of several broken constraints, those that the operation tells
\t on
\a
CREATE FUNCTION pg_temp.call(operation text, request json) RETURNS text LANGUAGE sql AS $$ SELECT dynamo.try_call(operation, request) ->> 'message' $$;

-- PutItem and UpdateItem: a bad name alone
SELECT pg_temp.call('PutItem', '{"TableName": "", "Item": {}, "ReturnValues": "x"}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "a!", "Key": {}, "ReturnValues": "x"}');
-- PutItem: else all of them; UpdateItem: the first, and ReturnValues is that
SELECT pg_temp.call('PutItem', '{"TableName": "abc", "Item": {}, "ReturnConsumedCapacity": "x", "ReturnValues": "x"}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "abc", "Key": {}, "ReturnConsumedCapacity": "x", "ReturnValues": "x"}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "abc", "Key": {}, "ReturnConsumedCapacity": "x", "ConditionalOperator": "x"}');
-- while something is missing, all of them, in the operation's order
SELECT pg_temp.call('UpdateItem', '{"TableName": "abc", "ConditionalOperator": "x"}');
SELECT pg_temp.call('UpdateItem', '{"TableName": "", "ReturnConsumedCapacity": "x", "ReturnValues": "x"}');
SELECT pg_temp.call('PutItem', '{"TableName": "", "ReturnValues": "x"}');
-- DeleteItem tells all in any case
SELECT pg_temp.call('DeleteItem', '{"TableName": "", "Key": {}, "ReturnValues": "x"}');
-- Query: a bad ConditionalOperator has a text of its own, and nothing beside it
SELECT pg_temp.call('Query', '{"TableName": "abc", "ConditionalOperator": "x", "Select": "x"}');
SELECT pg_temp.call('Query', '{"TableName": "abc", "ConditionalOperator": "x"}');
SELECT pg_temp.call('Scan', '{"TableName": "abc", "ConditionalOperator": "x", "Select": "x"}');
-- BatchGetItem: RequestItems first, shown as it was sent if a name is bad
SELECT pg_temp.call('BatchGetItem', '{"RequestItems": {}}');
SELECT pg_temp.call('BatchGetItem', '{"RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}}');
SELECT pg_temp.call('BatchGetItem', '{"ReturnConsumedCapacity": "x", "RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}}');
-- BatchWriteItem: a bad choice hides bad names
SELECT pg_temp.call('BatchWriteItem', '{"RequestItems": {}}');
SELECT pg_temp.call('BatchWriteItem', '{"RequestItems": {"bad!name": [{"DeleteRequest": {"Key": {"pk": {"S": "a"}}}}]}}');
SELECT pg_temp.call('BatchWriteItem', '{"ReturnConsumedCapacity": "x", "RequestItems": {"bad!name": [{"DeleteRequest": {"Key": {"pk": {"S": "a"}}}}]}}');
