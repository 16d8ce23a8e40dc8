-- BatchGetItem
\t on
\a
SELECT dynamo.create_table('CallBatchA', 'pk', partition_key_type => 'N');
SELECT dynamo.create_table('CallBatchB', 'pk', 'sk');
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallBatchA', 'Item', json_build_object(
    'pk', json_build_object('N', n::text), 'x', json_build_object('S', 'x' || n))))) FROM generate_series(1, 3) n;
SELECT dynamo.call('PutItem', '{"TableName": "CallBatchB", "Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "m": {"M": {"y": {"S": "y"}}}}}');

-- items that are missing are left out; every table has its list
SELECT dynamo.call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"N": "3"}}, {"pk": {"N": "9"}}, {"pk": {"N": "1"}}]},
  "CallBatchB": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "x"}}]}}}');
-- settings by table
SELECT dynamo.call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"N": "3"}}], "ConsistentRead": true, "ProjectionExpression": "x"},
  "CallBatchB": {"Keys": [{"pk": {"S": "a"}, "sk": {"S": "b"}}, {"pk": {"S": "a"}, "sk": {"S": "c"}}], "ProjectionExpression": "#m.y", "ExpressionAttributeNames": {"#m": "m"}}},
  "ReturnConsumedCapacity": "TOTAL"}');
SELECT dynamo.call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"N": "3"}}], "AttributesToGet": ["x"]}}, "ReturnConsumedCapacity": "INDEXES"}');
-- keys are compared as sent: 1 and 1.0 are one item, returned once
SELECT dynamo.call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"N": "1"}}, {"pk": {"N": "1.0"}}]}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"NoSuchTable": {"Keys": [{"pk": {"N": "1"}}, {"pk": {"N": "1"}}]}}}');

-- refused
SELECT dynamo.try_call('BatchGetItem', '{}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBatchA": {}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": []}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"a;": {"Keys": [{}]}}}');
SELECT dynamo.try_call('BatchGetItem', json_build_object('RequestItems', json_build_object('CallBatchA', json_build_object('Keys',
  (SELECT json_agg(json_build_object('pk', json_build_object('N', n::text))) FROM generate_series(1, 101) n)))));
SELECT dynamo.try_call('BatchGetItem', json_build_object('RequestItems', json_build_object(
  'CallBatchA', json_build_object('Keys', (SELECT json_agg(json_build_object('pk', json_build_object('N', n::text))) FROM generate_series(1, 60) n)),
  'CallBatchB', json_build_object('Keys', (SELECT json_agg(json_build_object('pk', json_build_object('N', n::text))) FROM generate_series(1, 41) n)))));
-- one table with an expression, another with the legacy parameter
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"N": "1"}}], "AttributesToGet": ["x"]},
  "CallBatchB": {"Keys": [{"pk": {"N": "1"}}], "ProjectionExpression": "x"}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"N": "x"}}]}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"S": "1"}}]}, "NoSuchTable": {"Keys": [{"pk": {"N": "1"}}]}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBatchA": {"Keys": [{"pk": {"S": "1"}}]}}}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"CallBatchB": {"Keys": [{"pk": {"S": ""}, "sk": {"S": "1"}}]}}}');

-- 16 MB an answer; the keys there was no room for come back with the table's settings
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallBatchA', 'Item', json_build_object(
    'pk', json_build_object('N', n::text), 'x', json_build_object('S', repeat('x', 400000)))))) FROM generate_series(1, 45) n;
SELECT json_array_length(answer -> 'Responses' -> 'CallBatchA'), answer -> 'UnprocessedKeys'
  FROM dynamo.call('BatchGetItem', json_build_object('RequestItems', json_build_object('CallBatchA', json_build_object('ConsistentRead', true, 'ProjectionExpression', '#p', 'ExpressionAttributeNames', '{"#p": "pk"}'::json,
  'Keys', (SELECT json_agg(json_build_object('pk', json_build_object('N', n::text)) ORDER BY n) FROM generate_series(1, 45) n))))) answer;
-- 16 MB is all right, a byte more is not: 41 items of 400005 bytes, and one
CREATE FUNCTION pg_temp.got(bytes int) RETURNS int LANGUAGE sql AS $$
  SELECT dynamo.put_item('CallBatchA', jsonb_build_object('pk', 42, 'x', repeat('x', bytes - 5))::dynamo.item);
  SELECT json_array_length(dynamo.call('BatchGetItem', json_build_object('RequestItems', json_build_object('CallBatchA', json_build_object('ProjectionExpression', 'pk',
    'Keys', (SELECT json_agg(json_build_object('pk', json_build_object('N', n::text)) ORDER BY n) FROM generate_series(1, 42) n))))) -> 'Responses' -> 'CallBatchA') $$;
SELECT n, pg_temp.got(16 * 1024 * 1024 - 41 * 400005 + n) FROM generate_series(0, 1) n;
SELECT dynamo.drop_table('CallBatchA');
SELECT dynamo.drop_table('CallBatchB');
