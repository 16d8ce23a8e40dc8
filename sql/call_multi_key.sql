-- A global index with several key attributes: what a Query may ask of it
\t on
\a
SELECT dynamo.call('CreateTable', '{"TableName": "CallMulti", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "h1", "AttributeType": "S"}, {"AttributeName": "h2", "AttributeType": "N"},
    {"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"}, {"AttributeName": "c", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
  "GlobalSecondaryIndexes": [{"IndexName": "multi", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
    {"AttributeName": "h1", "KeyType": "HASH"}, {"AttributeName": "h2", "KeyType": "HASH"},
    {"AttributeName": "a", "KeyType": "RANGE"}, {"AttributeName": "b", "KeyType": "RANGE"}, {"AttributeName": "c", "KeyType": "RANGE"}]}]}') IS NOT NULL;
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallMulti', 'Item', json_build_object('pk', json_build_object('S', n::text),
    'h1', '{"S": "H"}'::json, 'h2', '{"N": "7"}'::json, 'a', json_build_object('S', 'a' || n % 2), 'b', json_build_object('N', (n % 3 * 5)::text), 'c', json_build_object('S', 'c' || n)))))
  FROM generate_series(1, 12) n;
-- one attribute missing: not in the index
SELECT dynamo.call('PutItem', '{"TableName": "CallMulti", "Item": {"pk": {"S": "sparse"}, "h1": {"S": "H"}, "h2": {"N": "7"}, "a": {"S": "a0"}, "b": {"N": "1"}}}');
-- one of the wrong type: refused
SELECT dynamo.try_call('PutItem', '{"TableName": "CallMulti", "Item": {"pk": {"S": "bad"}, "b": {"S": "1"}}}');
-- RANGE attributes that are too long together, one byte more than 1024: refused, by an update as by a put
SELECT n, dynamo.try_call('PutItem', json_build_object('TableName', 'CallMulti', 'Item', json_build_object('pk', '{"S": "long"}'::json,
    'a', json_build_object('S', repeat('a', 511)), 'b', '{"N": "1"}'::json, 'c', json_build_object('S', repeat('c', n)))))
  FROM unnest(ARRAY[511, 512]) n;
SELECT n, dynamo.try_call('UpdateItem', json_build_object('TableName', 'CallMulti', 'Key', '{"pk": {"S": "long"}}'::json,
    'UpdateExpression', 'SET c = :c', 'ExpressionAttributeValues', json_build_object(':c', json_build_object('S', repeat('d', n)))))
  FROM unnest(ARRAY[511, 512]) n;
SELECT dynamo.call('DeleteItem', '{"TableName": "CallMulti", "Key": {"pk": {"S": "long"}}}');
CREATE FUNCTION pg_temp.query(key text, vals text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(a ->> 'message', (SELECT string_agg((i -> 'a' ->> 'S') || ' ' || (i -> 'b' ->> 'N') || ' ' || (i -> 'c' ->> 'S'), ', ') FROM json_array_elements(a -> 'Items') i))
    FROM dynamo.try_call('Query', ('{"TableName": "CallMulti", "IndexName": "multi", "KeyConditionExpression": "' || key || '", "ExpressionAttributeValues": {":h": {"S": "H"}, ":k": {"N": "7.0"}' || vals || '}' || more || '}')::json) a $$;

-- all HASH attributes; the RANGE attributes order one after the other, each by its type
SELECT pg_temp.query('h1 = :h AND h2 = :k', '');
SELECT pg_temp.query('h2 = :k AND h1 = :h', '', ', "ScanIndexForward": false');
-- a left prefix, the last by any operator, clauses in any order
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a = :a', ', ":a": {"S": "a1"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a > :a', ', ":a": {"S": "a0"}');
SELECT pg_temp.query('b >= :b AND a = :a AND h1 = :h AND h2 = :k', ', ":a": {"S": "a1"}, ":b": {"N": "5"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a = :a AND b = :b AND begins_with(c, :c)', ', ":a": {"S": "a1"}, ":b": {"N": "5"}, ":c": {"S": "c1"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a = :a AND b BETWEEN :b AND :c', ', ":a": {"S": "a0"}, ":b": {"N": "1"}, ":c": {"N": "5"}');
-- paging goes on inside
SELECT dynamo.call('Query', '{"TableName": "CallMulti", "IndexName": "multi", "KeyConditionExpression": "h1 = :h AND h2 = :k AND a = :a", "ExpressionAttributeValues": {":h": {"S": "H"}, ":k": {"N": "7"}, ":a": {"S": "a1"}},
  "Limit": 2, "ProjectionExpression": "c"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a = :a', ', ":a": {"S": "a1"}', ', "Limit": 2, "ExclusiveStartKey": {"h1": {"S": "H"}, "h2": {"N": "7"}, "a": {"S": "a1"}, "b": {"N": "0"}, "c": {"S": "c9"}, "pk": {"S": "9"}}');
-- refused: a gap, a range before the last, a HASH attribute missing or not equal
SELECT pg_temp.query('h1 = :h AND h2 = :k AND b = :b', ', ":b": {"N": "5"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND c = :c', ', ":c": {"S": "5"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a > :a AND b = :b', ', ":a": {"S": "a0"}, ":b": {"N": "5"}');
SELECT dynamo.try_call('Query', '{"TableName": "CallMulti", "IndexName": "multi", "KeyConditionExpression": "h1 = :h", "ExpressionAttributeValues": {":h": {"S": "H"}}}');
SELECT pg_temp.query('h1 = :h AND h2 > :k', '');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND x = :a', ', ":a": {"S": "a1"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a = :a', ', ":a": {"N": "5"}');
SELECT pg_temp.query('h1 = :h AND h2 = :k', ', ":a": {"N": "5"}', ', "FilterExpression": "b = :a"');
SELECT pg_temp.query('h1 = :h AND h2 = :k', '', ', "ExclusiveStartKey": {"h1": {"S": "H"}, "h2": {"N": "7"}, "pk": {"S": "9"}}');
SELECT pg_temp.query('h1 = :h AND h2 = :k AND a = :a', ', ":a": {"S": "a1"}', ', "ExclusiveStartKey": {"h1": {"S": "H"}, "h2": {"N": "7"}, "a": {"S": "a0"}, "b": {"N": "0"}, "c": {"S": "c9"}, "pk": {"S": "9"}}');
-- the legacy parameter works as well
SELECT dynamo.call('Query', '{"TableName": "CallMulti", "IndexName": "multi", "Select": "COUNT", "KeyConditions": {
  "h1": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "H"}]}, "h2": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "7"}]}, "a": {"ComparisonOperator": "LT", "AttributeValueList": [{"S": "a1"}]}}}');
SELECT dynamo.drop_table('CallMulti');
