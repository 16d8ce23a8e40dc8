-- TransactWriteItems: all or nothing, with reasons
\t on
\a
SELECT dynamo.create_table('CallTransactA', 'pk', 'sk');
SELECT dynamo.create_table('CallTransactB', 'pk', partition_key_type => 'N');
SELECT dynamo.create_index('CallTransactB', 'gsi', 'g');
SELECT dynamo.call('PutItem', '{"TableName": "CallTransactB", "Item": {"pk": {"N": "1"}, "stock": {"N": "5"}}}');

-- all four kinds over two tables
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [
  {"Put": {"TableName": "CallTransactA", "Item": {"pk": {"S": "o"}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}},
  {"Update": {"TableName": "CallTransactB", "Key": {"pk": {"N": "1"}}, "UpdateExpression": "SET stock = stock - :q", "ConditionExpression": "stock >= :q", "ExpressionAttributeValues": {":q": {"N": "2"}}}},
  {"Delete": {"TableName": "CallTransactB", "Key": {"pk": {"N": "2"}}}},
  {"ConditionCheck": {"TableName": "CallTransactA", "Key": {"pk": {"S": "o"}, "sk": {"S": "2"}}, "ConditionExpression": "attribute_not_exists(#k)", "ExpressionAttributeNames": {"#k": "pk"}}}],
  "ReturnConsumedCapacity": "INDEXES"}');
-- all conditions that fail are told, in order, with the item where asked for; nothing is written
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [
  {"Put": {"TableName": "CallTransactA", "Item": {"pk": {"S": "o"}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
  {"Put": {"TableName": "CallTransactA", "Item": {"pk": {"S": "o"}, "sk": {"S": "3"}}}},
  {"Update": {"TableName": "CallTransactB", "Key": {"pk": {"N": "1"}}, "UpdateExpression": "SET stock = stock - :q", "ConditionExpression": "stock >= :q", "ExpressionAttributeValues": {":q": {"N": "4"}}}},
  {"ConditionCheck": {"TableName": "CallTransactB", "Key": {"pk": {"N": "9"}}, "ConditionExpression": "attribute_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}]}');
-- an item is shown with its own failed condition only
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [
  {"ConditionCheck": {"TableName": "CallTransactA", "Key": {"pk": {"S": "o"}, "sk": {"S": "1"}}, "ConditionExpression": "attribute_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
  {"ConditionCheck": {"TableName": "CallTransactB", "Key": {"pk": {"N": "9"}}, "ConditionExpression": "attribute_exists(pk)"}}]}') -> 'CancellationReasons';
SELECT dynamo.call('Scan', '{"TableName": "CallTransactA"}');
SELECT dynamo.call('Scan', '{"TableName": "CallTransactB"}');
-- what the schema refuses cancels before any condition is looked at
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [
  {"ConditionCheck": {"TableName": "CallTransactB", "Key": {"pk": {"N": "9"}}, "ConditionExpression": "attribute_exists(pk)"}},
  {"Delete": {"TableName": "CallTransactB", "Key": {"pk": {"S": "9"}}}},
  {"Put": {"TableName": "CallTransactB", "Item": {"x": {"S": "9"}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "CallTransactB", "Item": {"pk": {"N": "9"}, "g": {"N": "9"}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', json_build_object('TransactItems', json_build_array(json_build_object('Delete', json_build_object('TableName', 'CallTransactA',
  'Key', json_build_object('pk', json_build_object('S', repeat('x', 2049)), 'sk', '{"S": "1"}'::json))))));
-- what only the item can refuse is a reason, too
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [
  {"Update": {"TableName": "CallTransactB", "Key": {"pk": {"N": "1"}}, "UpdateExpression": "SET a.b = :v", "ExpressionAttributeValues": {":v": {"N": "4"}}}},
  {"Update": {"TableName": "CallTransactB", "Key": {"pk": {"N": "3"}}, "UpdateExpression": "SET a = b"}}]}');

-- errors of the request itself
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": []}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "CallTransactB", "Item": {}}, "Delete": {"TableName": "CallTransactB", "Key": {}}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"ConditionCheck": {"TableName": "CallTransactB", "Key": {}}}, {"Update": {"Key": {}}}, {"Put": {"ReturnValuesOnConditionCheckFailure": "x"}}]}');
SELECT right(dynamo.try_call('TransactWriteItems', json_build_object('TransactItems', (SELECT json_agg(json_build_object('Delete', json_build_object('TableName', 'CallTransactB',
  'Key', json_build_object('pk', json_build_object('N', n::text))))) FROM generate_series(1, 101) n))) ->> 'message', 116);
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "NoSuchTable", "Key": {"pk": {"N": "1"}}, "UpdateExpression": "SET a = :v"}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "NoSuchTable", "Item": {"pk": {"SS": []}}}}]}');
-- values come before placeholders that nothing could use
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "NoSuchTable", "Item": {"pk": {"SS": []}}, "ExpressionAttributeValues": {":a": {}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "NoSuchTable", "Item": {"pk": {"S": "a"}}, "ExpressionAttributeValues": {":a": {}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "CallTransactA", "Item": {"pk": {"S": ""}, "sk": {"S": "1"}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "CallTransactB", "Item": {"pk": {"N": "1"}, "g": {"S": ""}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "NoSuchTable", "Item": {"pk": {"S": "1"}}}}]}');
SELECT dynamo.try_call('TransactWriteItems', json_build_object('TransactItems', (SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'CallTransactB',
  'Item', json_build_object('pk', json_build_object('N', n::text), 'x', json_build_object('S', repeat('x', 400000)))))) FROM generate_series(1, 11) n)));
-- one item twice, of whatever kinds, however the number or the table is written
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "CallTransactB", "Item": {"pk": {"N": "1"}}}},
  {"ConditionCheck": {"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/CallTransactB", "Key": {"pk": {"N": "1.0"}}, "ConditionExpression": "attribute_exists(pk)"}}]}');
-- 100 actions
SELECT dynamo.call('TransactWriteItems', json_build_object('ReturnConsumedCapacity', 'TOTAL', 'TransactItems', (SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'CallTransactB',
  'Item', json_build_object('pk', json_build_object('N', n::text))))) FROM generate_series(101, 200) n)));
SELECT dynamo.call('Scan', '{"TableName": "CallTransactB", "Select": "COUNT"}');
-- an error that says a race was lost tells of which action, and what PostgreSQL had to say
CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'lost' USING ERRCODE = '40P01', DETAIL = 'One waits for the other.'; END $$;
CREATE TRIGGER lose BEFORE DELETE ON dynamo_data."CallTransactB" FOR EACH ROW EXECUTE FUNCTION lose();
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "CallTransactA", "Item": {"pk": {"S": "o"}, "sk": {"S": "3"}}}}, {"Delete": {"TableName": "CallTransactB", "Key": {"pk": {"N": "1"}}}}]');
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "CallTransactA", "Item": {"pk": {"S": "o"}, "sk": {"S": "3"}}}}, {"Delete": {"TableName": "CallTransactB", "Key": {"pk": {"N": "1"}}}}]}');
SELECT dynamo.drop_table('CallTransactA');
SELECT dynamo.drop_table('CallTransactB');
DROP FUNCTION lose;
