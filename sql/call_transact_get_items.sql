-- TransactGetItems
\t on
\a
SELECT dynamo.create_table('CallTransactGetA', 'pk', 'sk');
SELECT dynamo.create_table('CallTransactGetB', 'pk', partition_key_type => 'N');
SELECT dynamo.call('PutItem', '{"TableName": "CallTransactGetA", "Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "name": {"S": "Ann"}}}');
SELECT dynamo.call('PutItem', '{"TableName": "CallTransactGetB", "Item": {"pk": {"N": "1"}, "x": {"BOOL": false}}}');

-- answers in order, an empty one for a missing item or a projection that leaves nothing
SELECT dynamo.call('TransactGetItems', '{"TransactItems": [
  {"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"N": "1.0"}}}},
  {"Get": {"TableName": "CallTransactGetA", "Key": {"pk": {"S": "a"}, "sk": {"S": "zz"}}}},
  {"Get": {"TableName": "CallTransactGetA", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}, "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "name"}}},
  {"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"N": "2"}}, "ProjectionExpression": "nope"}}], "ReturnConsumedCapacity": "TOTAL"}');
SELECT dynamo.call('TransactGetItems', '{"TransactItems": [
  {"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"N": "1"}}, "ProjectionExpression": "nope"}}], "ReturnConsumedCapacity": "INDEXES"}');

-- a bad key cancels, an empty one as well
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [
  {"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"N": "1"}}}}, {"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"S": "1"}}}}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "CallTransactGetA", "Key": {"pk": {"S": ""}, "sk": {"S": "b"}}}}]}');
-- errors of the request itself
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": []}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [{}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [{"Get": {}}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"N": "x"}}}}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "NoSuchTable", "Key": {"pk": {"N": "1"}}, "ProjectionExpression": "a,"}}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "NoSuchTable", "Key": {"pk": {"N": "1"}}, "ExpressionAttributeNames": {"#a": "b"}}}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "NoSuchTable", "Key": {"pk": {"N": "1"}}}}]}');
SELECT dynamo.try_call('TransactGetItems', '{"TransactItems": [
  {"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"N": "1"}}}}, {"Get": {"TableName": "CallTransactGetB", "Key": {"pk": {"N": "1.0"}}}}]}');
-- 4 MB an answer
SELECT count(*) FROM (SELECT dynamo.put_item('CallTransactGetB', jsonb_build_object('pk', n, 'x', repeat('x', 400000))::dynamo.item) FROM generate_series(101, 111) n) put;
SELECT json_array_length(a -> 'Responses') AS items, a ->> 'message' AS message FROM unnest('{110,111}'::int[]) last,
  dynamo.try_call('TransactGetItems', (SELECT json_build_object('TransactItems', json_agg(json_build_object('Get', json_build_object('TableName', 'CallTransactGetB',
    'Key', json_build_object('pk', json_build_object('N', n::text)))))) FROM generate_series(101, last) n)) a;
SELECT dynamo.drop_table('CallTransactGetA');
SELECT dynamo.drop_table('CallTransactGetB');
