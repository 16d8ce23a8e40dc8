-- KeyConditions, QueryFilter, ScanFilter, AttributesToGet
\t on
\a
SELECT dynamo.create_table('CallLegacyQuery', 'pk', 'sk', sort_key_type => 'N');
SELECT count(dynamo.call('PutItem', json_build_object('TableName', 'CallLegacyQuery', 'Item', json_build_object(
    'pk', '{"S": "a"}'::json, 'sk', json_build_object('N', n::text), 'x', json_build_object('S', 'x' || n % 2))))) FROM generate_series(1, 5) n;
CREATE FUNCTION pg_temp.query(conditions text, more text DEFAULT '') RETURNS json LANGUAGE sql AS $$
  SELECT coalesce(a -> 'message', a) FROM dynamo.try_call('Query', ('{"TableName": "CallLegacyQuery", "KeyConditions": ' || conditions || more || '}')::json) a $$;

SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "AttributesToGet": ["sk"]');
SELECT c, pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "sk": ' || c || '}', ', "Select": "COUNT"') FROM unnest(ARRAY[
  '{"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "2"}]}', '{"ComparisonOperator": "LT", "AttributeValueList": [{"N": "2"}]}',
  '{"ComparisonOperator": "LE", "AttributeValueList": [{"N": "2"}]}', '{"ComparisonOperator": "GT", "AttributeValueList": [{"N": "2"}]}',
  '{"ComparisonOperator": "GE", "AttributeValueList": [{"N": "2"}]}', '{"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "2"}, {"N": "4"}]}',
  '{"ComparisonOperator": "NE", "AttributeValueList": [{"N": "2"}]}', '{"ComparisonOperator": "NULL"}', '{"ComparisonOperator": "IN", "AttributeValueList": [{"N": "2"}]}',
  '{"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "4"}, {"N": "2"}]}', '{"ComparisonOperator": "EQ", "AttributeValueList": []}', '{"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "2"}]}']) c;
-- filters, with or without an operator between them
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "Select": "COUNT", "QueryFilter": {"x": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x1"}]}}');
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "Select": "COUNT", "ConditionalOperator": "OR", "QueryFilter": {"x": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x1"}]}, "y": {"ComparisonOperator": "NULL"}}');
SELECT dynamo.call('Scan', '{"TableName": "CallLegacyQuery", "Select": "COUNT", "ScanFilter": {"x": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "1"}]}, "sk": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]}}}');
SELECT v, dynamo.call('Scan', ('{"TableName": "CallLegacyQuery", "Select": "COUNT", "ScanFilter": {"sk": {"ComparisonOperator": "IN", "AttributeValueList": ' || v || '}}}')::json)
	FROM unnest(ARRAY['[{"N": "10"}, {"N": "5.0"}, {"N": "-1"}, {"N": "2"}]', '[{"S": "2"}]']) v;
-- many values for many items
INSERT INTO dynamo_data."CallLegacyQuery" (item) SELECT jsonb_build_object('pk', 'b', 'sk', n, 'x', 'y')::dynamo.item FROM generate_series(1, 20000) n;
SET statement_timeout = '60s';
SELECT dynamo.call('Scan', json_build_object('TableName', 'CallLegacyQuery', 'Select', 'COUNT', 'ScanFilter', json_build_object('x', json_build_object('ComparisonOperator', 'IN', 'AttributeValueList', v))))
	FROM (SELECT json_agg(json_build_object('S', 'v' || i)) FROM generate_series(1, 400000) i) x(v);
RESET statement_timeout;
-- KeyConditions may go with the newer expressions
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "ProjectionExpression": "sk", "FilterExpression": "x = :x", "ExpressionAttributeValues": {":x": {"S": "x0"}}');

-- refused
SELECT pg_temp.query('{}');
-- their number before the table is looked up, what no index can search after it
SELECT pg_temp.query('{}', ', "TableName": "NoSuchTable"');
SELECT c, pg_temp.query(c), pg_temp.query(c, ', "TableName": "NoSuchTable"') FROM unnest(ARRAY[
  '{"pk": {"ComparisonOperator": "NE", "AttributeValueList": [{"N": "1"}]}}', '{"sk": {"ComparisonOperator": "NULL"}}',
  '{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "sk": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}}',
  '{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "x": {"ComparisonOperator": "NOT_NULL"}}',
  '{"pk": {"ComparisonOperator": "NE", "AttributeValueList": [{"S": "a"}]}, "x": {"ComparisonOperator": "NULL"}, "y": {"ComparisonOperator": "NULL"}}']) c;
SELECT pg_temp.query('{"sk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]}}');
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "GT", "AttributeValueList": [{"S": "a"}]}}');
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}, "b": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}');
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "QueryFilter": {"sk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]}}');
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "QueryFilter": {"x": {"ComparisonOperator": "LT", "AttributeValueList": [{"SS": ["1"]}]}}');
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "ConditionalOperator": "OR"');
-- what is wrong with a condition before what is wrong with their number
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "ConditionalOperator": "OR", "QueryFilter": {"x": {"ComparisonOperator": "LT", "AttributeValueList": [' || v || ']}}')
	FROM unnest(ARRAY['{"SS": ["1"]}', '{"S": "1"}']) v;
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "AttributesToGet": ["x", "x"]');
SELECT pg_temp.query('{"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}', ', "KeyConditionExpression": "pk = :p"');
SELECT dynamo.try_call('Scan', '{"TableName": "CallLegacyQuery", "ScanFilter": {}, "FilterExpression": "a = b", "ProjectionExpression": "a"}');
SELECT dynamo.drop_table('CallLegacyQuery');
