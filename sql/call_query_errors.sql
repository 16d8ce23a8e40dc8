-- What Query refuses, in the order in which it does
\t on
\a
SELECT dynamo.create_table('CallQueryErr', 'pk', 'sk');
SELECT dynamo.create_table('CallQueryHash', 'pk');
SELECT dynamo.create_index('CallQueryErr', 'gsi', 'g', 'h', 'S', 'N');
SELECT dynamo.create_index('CallQueryErr', 'some', 'g', projection => 'INCLUDE', non_key_attributes => '{n}');
CREATE FUNCTION pg_temp.query(table_name text, more text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('Query', ('{"TableName": "' || table_name || '", ' || more || '}')::json) -> 'message' $$;
CREATE FUNCTION pg_temp.key(key text, vals text, table_name text DEFAULT 'CallQueryErr', more text DEFAULT '') RETURNS json LANGUAGE sql AS $$
  SELECT pg_temp.query(table_name, '"KeyConditionExpression": "' || key || '", "ExpressionAttributeValues": ' || vals || more) $$;

-- mixing, in a fixed order of parameters
SELECT pg_temp.query('CallQueryErr', '"FilterExpression": "x = y", "ConditionalOperator": "OR", "AttributesToGet": ["a"], "KeyConditionExpression": "pk = :p", "KeyConditions": {}');
-- Select and the parameters that go with it
SELECT pg_temp.query('CallQueryErr', '"Select": "SPECIFIC_ATTRIBUTES"');
SELECT pg_temp.query('CallQueryErr', '"Select": "COUNT", "ProjectionExpression": "a"');
SELECT pg_temp.query('CallQueryErr', '"Select": "COUNT", "AttributesToGet": ["a"]');
SELECT pg_temp.query('CallQueryErr', '"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "a"');
SELECT pg_temp.query('CallQueryErr', '"Select": "ALL_PROJECTED_ATTRIBUTES"');
SELECT pg_temp.query('CallQueryErr', '"Select": "EVERYTHING"');
-- no key condition
SELECT pg_temp.query('CallQueryErr', '"FilterExpression": "a = b"');
SELECT pg_temp.query('CallQueryErr', '"ExpressionAttributeValues": {":a": {"S": "x"}}');
-- its shape, before the table is looked up
SELECT pg_temp.key('pk = :p OR sk = :s', '{":p": {"S": "a"}, ":s": {"S": "b"}}', 'NoSuchTable');
SELECT pg_temp.key(':p BETWEEN pk AND :p', '{":p": {"S": "a"}}', 'NoSuchTable');
SELECT pg_temp.key('begins_with(:p, pk)', '{":p": {"S": "a"}}', 'NoSuchTable');
SELECT pg_temp.key('pk <> :p', '{":p": {"S": "a"}}', 'NoSuchTable');
SELECT pg_temp.query('NoSuchTable', '"KeyConditionExpression": "attribute_exists(pk)"');
SELECT pg_temp.key('pk.x = :p', '{":p": {"S": "a"}}', 'NoSuchTable');
SELECT pg_temp.query('NoSuchTable', '"KeyConditionExpression": "pk = sk"');
SELECT pg_temp.key(':p = :p', '{":p": {"S": "a"}}', 'NoSuchTable');
SELECT pg_temp.key('pk = :p AND pk > :p', '{":p": {"S": "a"}}', 'NoSuchTable');
SELECT pg_temp.key('size(pk) = :p', '{":p": {"N": "1"}}', 'NoSuchTable');
SELECT pg_temp.key('pk = :p AND sk BETWEEN :y AND :x', '{":p": {"S": "a"}, ":x": {"S": "x"}, ":y": {"S": "y"}}', 'NoSuchTable');
-- but after what is wrong with other expressions, and unused
SELECT pg_temp.query('CallQueryErr', '"KeyConditionExpression": "pk = sk", "FilterExpression": ""');
SELECT pg_temp.query('CallQueryErr', '"KeyConditionExpression": "pk = sk", "ProjectionExpression": "a,"');
SELECT pg_temp.query('CallQueryErr', '"KeyConditionExpression": "#0 = sk", "ExpressionAttributeNames": {"#0": "pk", "#count": "count"}');
-- table, index, consistency
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'NoSuchTable');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "IndexName": "nope"');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "IndexName": "gsi", "ConsistentRead": true');
-- the condition against the schema
SELECT pg_temp.key('sk = :p', '{":p": {"S": "a"}}');
SELECT pg_temp.key('pk = :p AND x = :p', '{":p": {"S": "a"}}');
SELECT pg_temp.key('pk > :p', '{":p": {"S": "a"}}');
SELECT pg_temp.key('pk = :p AND x = :p', '{":p": {"S": "a"}}', 'CallQueryHash');
SELECT pg_temp.key('x = :p AND pk = :p', '{":p": {"N": "1"}}', 'CallQueryHash');
SELECT pg_temp.key('pk = :p', '{":p": {"N": "1"}}');
SELECT pg_temp.key('pk = :p AND sk > :s', '{":p": {"S": "a"}, ":s": {"N": "1"}}');
SELECT pg_temp.key('pk = :p', '{":p": {"S": ""}}');
SELECT pg_temp.key('pk = :p AND sk = :s', '{":p": {"S": "a"}, ":s": {"S": ""}}');
SELECT pg_temp.key('pk = :p AND sk = :s AND x = :p', '{":p": {"S": "a"}, ":s": {"S": "b"}}');
SELECT pg_temp.key('g = :p AND h = :s', '{":p": {"S": "a"}, ":s": {"S": "b"}}', 'CallQueryErr', ', "IndexName": "gsi"');
-- a filter leaves the keys it reads by alone, and no others
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "FilterExpression": "sk > :p"');
SELECT pg_temp.key('g = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "FilterExpression": "h > :p", "IndexName": "gsi"');
SELECT pg_temp.key('g = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "FilterExpression": "sk > :p", "IndexName": "gsi"');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "FilterExpression": "h.x > :p"');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ProjectionExpression": "sk[0]"');
-- a filter on an index uses what the index carries
SELECT pg_temp.key('g = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "FilterExpression": "m.x = a OR n = a OR pk = sk", "IndexName": "some"');
SELECT pg_temp.query('CallQueryErr', '"KeyConditions": {"g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}, "QueryFilter": {"a": {"ComparisonOperator": "NULL"}}, "IndexName": "some"');
SELECT pg_temp.key('g = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "FilterExpression": "n = pk", "IndexName": "some"') IS NULL;
SELECT dynamo.call('Scan', '{"TableName": "CallQueryErr", "FilterExpression": "a = m", "IndexName": "some", "Select": "COUNT"}');
SELECT pg_temp.query('CallQueryErr', '"KeyConditions": {}, "AttributesToGet": [""]');

-- ExclusiveStartKey: its values, its attributes, its place
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'NoSuchTable', ', "ExclusiveStartKey": {"pk": {}}');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'NoSuchTable', ', "ExclusiveStartKey": {"pk": {"N": "x"}}');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "a"}}');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "a"}, "x": {"S": "b"}}');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "1"}}');
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "b"}, "sk": {"S": "1"}}');
SELECT pg_temp.key('pk = :p AND sk > :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "A"}}');
SELECT pg_temp.key('pk = :p AND sk > :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "b"}, "sk": {"S": "b"}}');
SELECT pg_temp.key('pk = :p AND sk > :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "b"}, "sk": {"S": "a"}}');
SELECT pg_temp.key('pk = :p AND sk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "a"}}') IS NULL;
SELECT pg_temp.key('pk = :p AND sk = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "b"}}');
-- which are taken by each operator
SELECT c, string_agg(k, ' ' ORDER BY k) FROM unnest(ARRAY['sk = :b', 'sk < :b', 'sk <= :b', 'sk > :b', 'sk >= :b', 'sk BETWEEN :b AND :d', 'begins_with(sk, :b)']) c, unnest('{a,b,bb,c,d,dd}'::text[]) k
WHERE pg_temp.key('pk = :p AND ' || c, CASE WHEN c ~ 'BETWEEN' THEN '{":p": {"S": "a"}, ":b": {"S": "b"}, ":d": {"S": "d"}}' ELSE '{":p": {"S": "a"}, ":b": {"S": "b"}}' END,
  'CallQueryErr', ', "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"S": "' || k || '"}}') IS NULL GROUP BY c ORDER BY c;
SELECT pg_temp.key('pk = :p', '{":p": {"S": "a"}}', 'CallQueryHash', ', "ExclusiveStartKey": {"pk": {"S": "x"}}');
SELECT pg_temp.key('g = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "IndexName": "gsi", "ExclusiveStartKey": {"g": {"S": "a"}, "h": {"N": "1"}}');
SELECT pg_temp.key('g = :p', '{":p": {"S": "a"}}', 'CallQueryErr', ', "IndexName": "gsi", "ExclusiveStartKey": {"g": {"S": "b"}, "h": {"N": "1"}, "pk": {"S": "a"}, "sk": {"S": "a"}}');
SELECT dynamo.drop_table('CallQueryErr');
SELECT dynamo.drop_table('CallQueryHash');
