-- Which errors of a request are counted, "1 validation error detected: ", by which operation
\t on
\a
SELECT dynamo.create_table('WordingCounted', 'pk');
CREATE TABLE pg_temp.operation (n serial, operation text, request text);
INSERT INTO pg_temp.operation (operation, request) VALUES
	('PutItem', '{"TableName": "WordingCounted", "Item": {"pk": {"S": "a"}}, $}'),
	('UpdateItem', '{"TableName": "WordingCounted", "Key": {"pk": {"S": "a"}}, $}'),
	('DeleteItem', '{"TableName": "WordingCounted", "Key": {"pk": {"S": "a"}}, $}'),
	('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "WordingCounted", "Item": {"pk": {"S": "a"}}, $}}]}');
CREATE FUNCTION pg_temp.all(rest text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT operation || ': ' || coalesce(dynamo.try_call(operation, replace(request, '$', rest)::json) ->> 'message', 'done')
  FROM pg_temp.operation ORDER BY n $$;

-- placeholders without an expression; the classic text says which is missing
SELECT pg_temp.all('"ExpressionAttributeNames": {"#a": "a"}');
SELECT pg_temp.all('"ExpressionAttributeValues": {":a": {"S": "a"}}');
-- empty maps
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeNames": {}');
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeValues": {}');
-- an empty expression
SELECT pg_temp.all('"ConditionExpression": ""');
SELECT pg_temp.all('"UpdateExpression": ""');
-- whatever is wrong with an expression by itself
SELECT pg_temp.all('"ConditionExpression": "a = :v"');
SELECT pg_temp.all('"ConditionExpression": "#a = pk"');
SELECT pg_temp.all('"ConditionExpression": "a ="');
SELECT pg_temp.all('"ConditionExpression": "name = pk"');
SELECT pg_temp.all('"ConditionExpression": "((a = pk))"');
SELECT pg_temp.all('"ConditionExpression": "a = a"');
SELECT pg_temp.all('"ConditionExpression": "nofun(a)"');
SELECT pg_temp.all('"ConditionExpression": "if_not_exists(a, pk)"');
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a, pk)"');
SELECT pg_temp.all('"ConditionExpression": "begins_with(a, :v)", "ExpressionAttributeValues": {":v": {"N": "1"}}');
SELECT pg_temp.all('"UpdateExpression": "SET a = pk SET b = pk"');
SELECT pg_temp.all('"UpdateExpression": "REMOVE a REMOVE b"');
SELECT pg_temp.all('"UpdateExpression": "SET a = pk, a = pk"');
SELECT pg_temp.all('"UpdateExpression": "SET a[1] = pk, a.b = pk"');
SELECT pg_temp.all('"UpdateExpression": "ADD a :v", "ExpressionAttributeValues": {":v": {"S": "1"}}');
-- placeholders: malformed, not used
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeNames": {"a": "a"}');
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeNames": {"#a": "a"}');
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeNames": {"#a": ""}');
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeValues": {"a": {"S": "a"}}');
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeValues": {":a": {"S": "a"}}');
-- an expression beside legacy parameters
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(a)", "Expected": {"a": {"Exists": false}}');
-- ReturnValues
SELECT pg_temp.all('"ReturnValues": "ALL_NEW"');
SELECT pg_temp.all('"ReturnValues": "UPDATED_NEW"');
SELECT pg_temp.all('"ReturnValues": "UPDATED_OLD"');
-- with a value that is nested too deeply it is not counted
SELECT pg_temp.all(format('"ReturnValues": "ALL_NEW", "ConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": %s{"S": "a"}%s}',
	repeat('{"L": [', 32), repeat(']}', 32)));
-- a malformed Expected
SELECT pg_temp.all('"Expected": {"a": {"Exists": false, "Value": {"S": "a"}}}');
SELECT pg_temp.all('"Expected": {"a": {"Exists": true}}');
SELECT pg_temp.all('"Expected": {"a": {"Value": {"S": "a"}, "AttributeValueList": [{"S": "a"}]}}');
SELECT pg_temp.all('"Expected": {"a": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "a"}]}}');
-- what is found with the table, or the item, is not counted
SELECT pg_temp.all('"ConditionExpression": "pk.x = pk"');
SELECT pg_temp.all('"ConditionExpression": "attribute_exists(nothing)"');
-- Query counts what is wrong with Select, Scan does not
SELECT operation, "select", dynamo.try_call(operation, format('{"TableName": "WordingCounted", "Select": "%s"}', "select")::json) ->> 'message'
FROM unnest(ARRAY['Query', 'Scan']) operation, unnest(ARRAY['SPECIFIC_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES']) "select";
-- an error of SQL is left alone, whatever its constraint is called
CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE 'refused' USING ERRCODE = 'check_violation', CONSTRAINT = 'value_is_valid'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON dynamo_data."WordingCounted" FOR EACH ROW EXECUTE FUNCTION pg_temp.refuse();
\set VERBOSITY terse
SELECT dynamo.call('PutItem', '{"TableName": "WordingCounted", "Item": {"pk": {"S": "b"}}}');
-- the SQL functions have no request to count in
SELECT dynamo.put_item('WordingCounted', '{"pk": "a"}', '');
SELECT dynamo.delete_item('WordingCounted', '{"pk": "a"}', expression_attribute_values => '{":a": 1}');

SELECT dynamo.drop_table('WordingCounted');
