-- Query: a malformed ExclusiveStartKey, and one that is elsewhere
\t on
\a
SELECT dynamo.create_table('StartHash', 'pk');
SELECT dynamo.create_table('StartRange', 'pk', 'sk');
CREATE FUNCTION pg_temp.query(table_name text, start text) RETURNS text LANGUAGE sql AS $$
  SELECT dynamo.try_call('Query', json_build_object('TableName', table_name, 'KeyConditionExpression', 'pk = :p',
	'ExpressionAttributeValues', '{":p": {"S": "a"}}'::json, 'ExclusiveStartKey', start::json)) ->> 'message' $$;

-- another attribute, one more, or none, whether or not the table has a sort key
SELECT start, pg_temp.query('StartHash', start), pg_temp.query('StartRange', start)
FROM unnest(ARRAY['{}', '{"x": {"S": "a"}}', '{"pk": {"S": "a"}, "x": {"S": "b"}}', '{"x": {"S": "a"}, "y": {"S": "b"}}', '{"pk": {"S": "a"}, "sk": {"S": "b"}, "x": {"S": "b"}}']) start;
-- a well-formed one elsewhere, or where there is nothing more
SELECT pg_temp.query('StartHash', '{"pk": {"S": "b"}}');
SELECT pg_temp.query('StartHash', '{"pk": {"S": "a"}}');
SELECT pg_temp.query('StartRange', '{"pk": {"S": "b"}, "sk": {"S": "b"}}');
-- of a wrong type
SELECT pg_temp.query('StartRange', '{"pk": {"S": "a"}, "sk": {"N": "1"}}');

SELECT dynamo.drop_table('StartHash'), dynamo.drop_table('StartRange');
