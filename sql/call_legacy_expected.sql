-- Expected and ConditionalOperator
\t on
\a
SELECT dynamo.create_table('CallExpected', 'pk');
SELECT dynamo.call('PutItem', '{"TableName": "CallExpected", "Item": {"pk": {"S": "a"}, "n": {"N": "5"}, "s": {"S": "abc"}, "ss": {"SS": ["x", "y"]}, "l": {"L": [{"S": "e"}]}}}');
-- does the condition hold for item a?
CREATE FUNCTION pg_temp.expect(expected text, more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(a ->> 'message', 'yes') FROM dynamo.try_call('UpdateItem', ('{"TableName": "CallExpected", "Key": {"pk": {"S": "a"}}, "Expected": ' || expected || more || '}')::json) a $$;

-- the older form
SELECT pg_temp.expect('{"n": {"Value": {"N": "5.0"}}}');
SELECT pg_temp.expect('{"n": {"Exists": true, "Value": {"N": "6"}}}');
SELECT pg_temp.expect('{"x": {"Exists": false}}');
SELECT pg_temp.expect('{"n": {"Exists": false}}');
-- every operator
SELECT c, pg_temp.expect(c) FROM unnest(ARRAY[
  '{"n": {"ComparisonOperator": "EQ", "Value": {"N": "5"}}}', '{"n": {"ComparisonOperator": "NE", "Value": {"N": "5"}}}', '{"x": {"ComparisonOperator": "NE", "Value": {"N": "5"}}}',
  '{"n": {"ComparisonOperator": "LT", "Value": {"N": "10"}}}', '{"n": {"ComparisonOperator": "LE", "Value": {"N": "4.9"}}}', '{"n": {"ComparisonOperator": "GT", "Value": {"N": "-1"}}}',
  '{"n": {"ComparisonOperator": "GE", "Value": {"S": "5"}}}', '{"n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "5"}, {"N": "6"}]}}',
  '{"s": {"ComparisonOperator": "IN", "AttributeValueList": [{"S": "x"}, {"S": "abc"}]}}', '{"s": {"ComparisonOperator": "BEGINS_WITH", "Value": {"S": "ab"}}}',
  '{"s": {"ComparisonOperator": "CONTAINS", "Value": {"S": "bc"}}}', '{"ss": {"ComparisonOperator": "CONTAINS", "Value": {"S": "y"}}}', '{"l": {"ComparisonOperator": "CONTAINS", "Value": {"S": "e"}}}',
  '{"ss": {"ComparisonOperator": "NOT_CONTAINS", "Value": {"S": "z"}}}', '{"x": {"ComparisonOperator": "NOT_CONTAINS", "Value": {"S": "z"}}}',
  '{"x": {"ComparisonOperator": "NULL"}}', '{"n": {"ComparisonOperator": "NOT_NULL"}}']) c;
-- AND unless told
SELECT pg_temp.expect('{"n": {"Value": {"N": "5"}}, "s": {"Value": {"S": "nope"}}}');
SELECT pg_temp.expect('{"n": {"Value": {"N": "5"}}, "s": {"Value": {"S": "nope"}}}', ', "ConditionalOperator": "OR"');
SELECT pg_temp.expect('{"n": {"Value": {"N": "5"}}, "s": {"Value": {"S": "nope"}}}', ', "ConditionalOperator": "AND"');
SELECT pg_temp.expect('{}');

-- how many values each takes: none to three
SELECT op, array_agg(number ORDER BY number) FROM unnest('{EQ,NE,LE,LT,GE,GT,IN,BETWEEN,BEGINS_WITH,CONTAINS,NOT_CONTAINS,"NULL",NOT_NULL}'::text[]) WITH ORDINALITY o (op, place),
  generate_series(0, 3) number
WHERE pg_temp.expect(format('{"s": {"ComparisonOperator": "%s", "AttributeValueList": %s}}', op,
  (SELECT coalesce(json_agg(json_build_object('S', 'abc')), '[]') FROM generate_series(1, number)))) NOT LIKE '%Invalid number of argument(s)%'
GROUP BY op, place ORDER BY place;

-- refused
SELECT c, pg_temp.expect(c) FROM unnest(ARRAY[
  '{"a": {}}', '{"a": {"Exists": true}}', '{"a": {"Exists": false, "Value": {"S": "x"}}}', '{"a": {"Value": {"S": "x"}, "AttributeValueList": []}}',
  '{"a": {"Exists": true, "ComparisonOperator": "EQ", "Value": {"S": "x"}}}', '{"a": {"ComparisonOperator": "LT"}}', '{"a": {"AttributeValueList": []}}',
  '{"a": {"ComparisonOperator": "EQ", "AttributeValueList": []}}', '{"a": {"ComparisonOperator": "NULL", "Value": {"S": "x"}}}',
  '{"a": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "5"}]}}', '{"a": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "5"}, {"S": "6"}]}}',
  '{"a": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "6"}, {"N": "5"}]}}', '{"a": {"ComparisonOperator": "LT", "Value": {"SS": ["x"]}}}',
  '{"a": {"ComparisonOperator": "BEGINS_WITH", "Value": {"N": "1"}}}', '{"a": {"ComparisonOperator": "EQ", "Value": {"N": "x"}}}', '{"a": {"ComparisonOperator": "EQ", "Value": {}}}']) c;
SELECT pg_temp.expect('{"n": {"Value": {"N": "5"}}}', ', "ConditionalOperator": "OR"');
SELECT dynamo.try_call('PutItem', '{"TableName": "CallExpected", "Item": {"pk": {"S": "a"}}, "ConditionalOperator": "OR"}');
SELECT dynamo.try_call('UpdateItem', '{"TableName": "CallExpected", "Key": {"pk": {}}, "ConditionExpression": "a = b", "UpdateExpression": "SET", "Expected": {}, "AttributeUpdates": {}}');
SELECT dynamo.drop_table('CallExpected');
