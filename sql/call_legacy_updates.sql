-- AttributeUpdates
\t on
\a
SELECT dynamo.create_table('CallUpdates', 'pk');
CREATE FUNCTION pg_temp.update(updates text, more text DEFAULT '', key text DEFAULT 'a') RETURNS json LANGUAGE sql AS $$
  SELECT coalesce(a -> 'message', a) FROM dynamo.try_call('UpdateItem', ('{"TableName": "CallUpdates", "Key": {"pk": {"S": "' || key || '"}}, "AttributeUpdates": ' || updates || more || '}')::json) a $$;

-- PUT is the default; ADD creates, sums, unites, and appends to a list
SELECT pg_temp.update('{"n": {"Value": {"N": "1"}}, "s": {"Action": "ADD", "Value": {"SS": ["a"]}}, "l": {"Action": "ADD", "Value": {"L": [{"S": "x"}]}}, "c": {"Action": "ADD", "Value": {"N": "2.5"}}}', ', "ReturnValues": "ALL_NEW"');
SELECT pg_temp.update('{"n": {"Action": "PUT", "Value": {"BOOL": true}}, "s": {"Action": "ADD", "Value": {"SS": ["b", "a"]}}, "l": {"Action": "ADD", "Value": {"L": [{"S": "y"}]}}, "c": {"Action": "ADD", "Value": {"N": "-1"}}}', ', "ReturnValues": "UPDATED_NEW"');
-- DELETE takes members out of a set, or the attribute
SELECT pg_temp.update('{"s": {"Action": "DELETE", "Value": {"SS": ["b", "z"]}}, "n": {"Action": "DELETE"}, "nope": {"Action": "DELETE"}}', ', "ReturnValues": "ALL_NEW"');
SELECT pg_temp.update('{"s": {"Action": "DELETE", "Value": {"SS": ["a"]}}}', ', "ReturnValues": "ALL_NEW"');
-- a DELETE creates nothing, an ADD does
SELECT pg_temp.update('{"s": {"Action": "DELETE"}}', ', "ReturnValues": "ALL_NEW"', 'b');
SELECT pg_temp.update('{"s": {"Action": "ADD", "Value": {"N": "1"}}}', ', "ReturnValues": "ALL_NEW"', 'b');
-- with Expected
SELECT pg_temp.update('{"s": {"Value": {"N": "2"}}}', ', "Expected": {"s": {"Value": {"N": "2"}}}', 'b');
SELECT pg_temp.update('{"s": {"Value": {"N": "2"}}}', ', "Expected": {"s": {"Value": {"N": "1"}}}, "ReturnValues": "UPDATED_OLD"', 'b');

-- refused
SELECT u, pg_temp.update(u) FROM unnest(ARRAY['{"x": {}}', '{"x": {"Action": "PUT"}}', '{"x": {"Action": "DELETE", "Value": {"S": "a"}}}', '{"x": {"Action": "ADD", "Value": {"S": "a"}}}',
  '{"x": {"Action": "ADD", "Value": {"N": "a"}}}', '{"x": {"Action": "add"}}', '{"x": null}', '{"pk": {"Value": {"S": "a"}}}', '{"l": {"Action": "ADD", "Value": {"N": "1"}}}',
  '{"c": {"Action": "DELETE", "Value": {"NS": ["1"]}}}']) u;
-- a name has 1 to 65535 bytes, here and in Expected
SELECT pg_temp.update('{"": {"Value": {"S": "a"}}}', ', "ReturnValues": "ALL_NEW"');
SELECT pg_temp.update(format('{"%s": {"Value": {"S": "a"}}}', repeat('n', 65536)), ', "ReturnValues": "ALL_NEW"');
SELECT pg_temp.update('{"a": {"Value": {"S": "a"}}}', ', "Expected": {"": {"Exists": false}}');
SELECT dynamo.drop_table('CallUpdates');
