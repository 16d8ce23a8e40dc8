-- Query: key conditions, filters, projections, Select, indexes
\t on
\a
SELECT dynamo.call('CreateTable', '{"TableName": "CallQuery", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"},
    {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
  "GlobalSecondaryIndexes": [
    {"IndexName": "keys", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}},
    {"IndexName": "incl", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}}],
  "LocalSecondaryIndexes": [
    {"IndexName": "local", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallQuery', 'Item', i::json))) FROM unnest(ARRAY[
  '{"pk": {"S": "a"}, "sk": {"N": "-3"}, "x": {"N": "1"}}',
  '{"pk": {"S": "a"}, "sk": {"N": "1"}, "x": {"N": "2"}, "g": {"S": "G"}, "l": {"S": "zz"}, "y": {"S": "why"}}',
  '{"pk": {"S": "a"}, "sk": {"N": "2.5"}, "x": {"N": "3"}, "g": {"S": "G"}, "l": {"S": "za"}}',
  '{"pk": {"S": "a"}, "sk": {"N": "10"}, "g": {"S": "G"}}',
  '{"pk": {"S": "b"}, "sk": {"N": "1"}, "g": {"S": "G"}, "l": {"S": "a"}, "x": {"S": "b"}}']) i;
CREATE FUNCTION pg_temp.query(key text, vals text, more text DEFAULT '{}') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('Query', ('{"TableName": "CallQuery", "KeyConditionExpression": "' || key || '", "ExpressionAttributeValues": ' || vals
    || CASE WHEN more = '{}' THEN '}' ELSE ', ' || substr(more, 2) END)::json) $$;

-- numbers come in numeric order, or backwards
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}}', '{"ProjectionExpression": "sk"}');
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}}', '{"ProjectionExpression": "sk", "ScanIndexForward": false}');
-- every operator on the sort key; the value may come first
SELECT pg_temp.query('pk = :p AND sk = :s', '{":p": {"S": "a"}, ":s": {"N": "2.50"}}', '{"Select": "COUNT"}');
SELECT pg_temp.query('pk = :p AND sk < :s', '{":p": {"S": "a"}, ":s": {"N": "1"}}', '{"ProjectionExpression": "sk"}');
SELECT pg_temp.query('sk <= :s AND pk = :p', '{":p": {"S": "a"}, ":s": {"N": "1"}}', '{"ProjectionExpression": "sk"}');
SELECT pg_temp.query('(pk = :p) AND (:s < sk)', '{":p": {"S": "a"}, ":s": {"N": "1"}}', '{"ProjectionExpression": "sk"}');
SELECT pg_temp.query('pk = :p AND sk >= :s', '{":p": {"S": "a"}, ":s": {"N": "1"}}', '{"ProjectionExpression": "sk"}');
SELECT pg_temp.query('pk = :p AND sk BETWEEN :s AND :t', '{":p": {"S": "a"}, ":s": {"N": "-3"}, ":t": {"N": "1"}}', '{"ProjectionExpression": "sk"}');
SELECT pg_temp.query('g = :g AND begins_with(l, :l)', '{":g": {"S": "G"}, ":l": {"S": "z"}}', '{"IndexName": "keys"}');
SELECT pg_temp.query('pk = :p', '{":p": {"S": "nobody"}}');
-- the filter counts in ScannedCount only, and may use what the projection drops
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}, ":x": {"N": "2"}}', '{"FilterExpression": "x >= :x", "ProjectionExpression": "sk"}');
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}, ":x": {"N": "2"}}', '{"FilterExpression": "x >= :x", "Select": "COUNT"}');

-- a global index has what it projects, and refuses what it does not
SELECT pg_temp.query('g = :g AND l > :l', '{":g": {"S": "G"}, ":l": {"S": "z"}}', '{"IndexName": "keys"}');
SELECT pg_temp.query('g = :g', '{":g": {"S": "G"}, ":x": {"N": "2"}}', '{"IndexName": "incl", "FilterExpression": "x = :x"}');
SELECT pg_temp.query('g = :g', '{":g": {"S": "G"}, ":x": {"N": "2"}}', '{"IndexName": "keys", "FilterExpression": "x = :x OR pk = :x", "Select": "COUNT"}');
SELECT pg_temp.query('g = :g', '{":g": {"S": "G"}}', '{"IndexName": "keys", "Select": "ALL_PROJECTED_ATTRIBUTES", "Limit": 1}');
SELECT pg_temp.query('g = :g', '{":g": {"S": "G"}}', '{"IndexName": "keys", "Select": "ALL_ATTRIBUTES"}');
SELECT pg_temp.query('g = :g', '{":g": {"S": "G"}}', '{"IndexName": "keys", "ProjectionExpression": "y, pk, x.z"}');
SELECT pg_temp.query('g = :g', '{":g": {"S": "G"}}', '{"IndexName": "keys", "ConsistentRead": true}');
-- a filter may not use what its index does not carry, not even a local one
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}, ":x": {"N": "2"}}', '{"IndexName": "local", "FilterExpression": "x = :x OR y = :x", "Select": "ALL_ATTRIBUTES"}');
-- a local index fetches it from the table, and reads consistently
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}}', '{"IndexName": "local"}');
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}}', '{"IndexName": "local", "ProjectionExpression": "l, y"}');
SELECT pg_temp.query('pk = :p', '{":p": {"S": "a"}}', '{"IndexName": "local", "Select": "ALL_ATTRIBUTES", "ConsistentRead": true}');
SELECT dynamo.drop_table('CallQuery');
