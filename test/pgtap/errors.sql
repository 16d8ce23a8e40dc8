-- Errors of the SQL functions: DynamoDB's, by SQLSTATE and text; PostgreSQL's
-- own for what only SQL can get wrong.  And settings that must not matter.
BEGIN;
SET LOCAL search_path = tap, pg_catalog;
SELECT no_plan();

SELECT dynamo.create_table('Faults', 'pk', 'sk', sort_key_type => 'N');
SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1, "n": 5}');

-- A table that is not there
SELECT throws_ok(command, 'ND004', 'Requested resource not found', command)
FROM unnest(ARRAY[
	$$SELECT * FROM dynamo.get_item('Nowhere', '{"pk": "a"}')$$,
	$$SELECT dynamo.put_item('Nowhere', '{"pk": "a"}')$$,
	$$SELECT dynamo.update_item('Nowhere', '{"pk": "a"}', 'REMOVE x')$$,
	$$SELECT dynamo.delete_item('Nowhere', '{"pk": "a"}')$$,
	$$SELECT * FROM dynamo.query('Nowhere', 'pk = :p', '{":p": "a"}')$$,
	$$SELECT * FROM dynamo.scan('Nowhere')$$,
	$$SELECT * FROM dynamo.batch_get('Nowhere', '{"pk": "a"}')$$,
	$$SELECT * FROM dynamo.transact_get('[{"Get": {"TableName": "Nowhere", "Key": {"pk": "a"}}}]')$$
	]) AS command;

-- Keys
SELECT throws_ok($$SELECT * FROM dynamo.get_item('Faults', '{"pk": "a"}')$$,
	'ND001', 'The provided key element does not match the schema', 'a key without its sort key');
SELECT throws_ok($$SELECT * FROM dynamo.get_item('Faults', '{"pk": "a", "sk": "1"}')$$,
	'ND001', 'The provided key element does not match the schema', 'a sort key of another type');
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a"}')$$,
	'ND001', 'One or more parameter values were invalid: Missing the key sk in the item', 'an item without its sort key');
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": "x"}')$$,
	'ND001', 'One or more parameter values were invalid: Type mismatch for key sk expected: N actual: S', 'an item with a sort key of another type');

-- Conditions and expressions
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1}', 'attribute_not_exists(pk)')$$,
	'ND008', 'The conditional request failed', 'put_item, condition false');
SELECT throws_ok($$SELECT dynamo.delete_item('Faults', '{"pk": "a", "sk": 1}', 'n > :n', '{":n": 5}')$$,
	'ND008', 'The conditional request failed', 'delete_item, condition false');
SELECT throws_ok($$SELECT dynamo.update_item('Faults', '{"pk": "a", "sk": 2}', 'SET n = :n', '{":n": 1}', 'attribute_exists(pk)')$$,
	'ND008', 'The conditional request failed', 'update_item of a missing item, condition false');
SELECT is_empty($$SELECT * FROM dynamo.get_item('Faults', '{"pk": "a", "sk": 2}')$$, 'and it is not created');
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1}', 'pk = ')$$,
	'ND001', 'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "= "', 'a condition cut short');
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1}', 'n = :n')$$,
	'ND001', 'Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :n', 'an undefined value');
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1}', expression_attribute_values => '{":n": 1}')$$,
	'ND001', 'ExpressionAttributeValues can only be specified when using expressions', 'values without an expression');
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1}', expression_attribute_names => '{"#n": "n"}')$$,
	'ND001', 'ExpressionAttributeNames can only be specified when using expressions', 'names without an expression');
SELECT throws_ok($$SELECT dynamo.update_item('Faults', '{"pk": "a", "sk": 1}', 'SET #n = :n', '{":n": 1}', expression_attribute_names => '{"#n": "n", "#m": "m"}')$$,
	'ND001', 'Value provided in ExpressionAttributeNames unused in expressions: keys: {#m}', 'a name that is not used');
SELECT throws_ok($$SELECT dynamo.update_item('Faults', '{"pk": "a", "sk": 1}', 'SET pk = :p', '{":p": "b"}')$$,
	'ND001', 'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key', 'a key is not updated');
SELECT throws_ok($$SELECT dynamo.update_item('Faults', '{"pk": "a", "sk": 1}', 'SET n = unheard + :n', '{":n": 1}')$$,
	'ND001', 'The provided expression refers to an attribute that does not exist in the item', 'an operand that is missing');
SELECT throws_ok($$SELECT * FROM dynamo.query('Faults', NULL)$$,
	'ND001', 'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.', 'a query without a key condition');
SELECT throws_ok($$SELECT * FROM dynamo.query('Faults', 'sk = :s', '{":s": 1}')$$,
	'ND001', 'Query condition missed key schema element: pk', 'a query without the partition key');
SELECT throws_ok($$SELECT * FROM dynamo.query('Faults', 'pk = :p', '{":p": "a"}', index_name => 'None')$$,
	'ND001', 'The table does not have the specified index: None', 'an unknown index');

SELECT throws_ok($$SELECT * FROM dynamo.scan('Faults', segment => -1, total_segments => 2)$$,
	'ND001', '1 validation error detected: Value ''-1'' at ''segment'' failed to satisfy constraint: Member must have value greater than or equal to 0', 'a segment below zero');
SELECT throws_ok($$SELECT * FROM dynamo.scan('Faults', segment => 0, total_segments => 0)$$,
	'ND001', '1 validation error detected: Value ''0'' at ''totalSegments'' failed to satisfy constraint: Member must have value greater than or equal to 1', 'no segments');
SELECT throws_ok($$SELECT * FROM dynamo.scan('Faults', segment => 0, total_segments => 1000001)$$,
	'ND001', '1 validation error detected: Value ''1000001'' at ''totalSegments'' failed to satisfy constraint: Member must have value less than or equal to 1000000', 'too many segments');
SELECT throws_ok($$SELECT * FROM dynamo.scan('Faults', segment => 2, total_segments => 2)$$,
	'ND001', 'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less than TotalSegments: 2', 'a segment too high');

-- return_values
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1}', return_values => 'SOME')$$,
	'ND001', '1 validation error detected: Value ''SOME'' at ''returnValues'' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]', 'an unknown return_values');
SELECT throws_ok($$SELECT dynamo.put_item('Faults', '{"pk": "a", "sk": 1}', return_values => 'ALL_NEW')$$,
	'ND001', NULL, 'ALL_NEW of a put');

-- Transactions: reasons in the detail, nothing written
CREATE FUNCTION pg_temp.detail_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END
$$;
PREPARE cancelled AS SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Faults", "Item": {"pk": "t", "sk": 1}}},
	{"ConditionCheck": {"TableName": "Faults", "Key": {"pk": "a", "sk": 1},
		"ConditionExpression": "n > :n", "ExpressionAttributeValues": {":n": 5}}}]');
SELECT throws_ok('EXECUTE cancelled', 'ND009',
	'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]', 'transact_write, a condition false');
SELECT is(pg_temp.detail_of('EXECUTE cancelled')::jsonb #>> '{CancellationReasons,1,Code}',
	'ConditionalCheckFailed', 'the detail names the reasons');
SELECT is_empty($$SELECT * FROM dynamo.get_item('Faults', '{"pk": "t", "sk": 1}')$$, 'nothing is written');
SELECT throws_ok($$SELECT * FROM dynamo.transact_write('[]')$$, 'ND001', NULL, 'transact_write of nothing');
SELECT throws_ok($$SELECT * FROM dynamo.transact_write('{}')$$, NULL, NULL, 'transact_write of an object');
SELECT throws_ok($$SELECT * FROM dynamo.transact_write('null')$$, NULL, NULL, 'transact_write of null');
SELECT throws_ok($$SELECT * FROM dynamo.transact_write('[1]')$$, NULL, NULL, 'transact_write of a number');

-- What only SQL can get wrong
SELECT throws_ok($$SELECT dynamo.put_item('Faults', NULL)$$, '22004', 'item must not be null', 'put_item of null');
SELECT throws_ok($$SELECT dynamo.put_item(NULL, '{"pk": "a", "sk": 1}')$$, '22004', 'table_name must not be null', 'a null table name');
SELECT throws_ok($$SELECT dynamo.update_item('Faults', NULL, 'REMOVE n')$$, '22004', 'key must not be null', 'update_item of a null key');
SELECT throws_ok($$SELECT dynamo.delete_item('Faults', NULL)$$, '22004', 'key must not be null', 'delete_item of a null key');
SELECT throws_ok($$SELECT * FROM dynamo.transact_write(NULL)$$, '22004', 'actions must not be null', 'transact_write of null');
SELECT throws_ok($$SELECT * FROM dynamo.scan('Faults', max_items => -1)$$, '22023', 'max_items must not be negative', 'max_items below zero');
SELECT throws_ok(format($$SELECT * FROM dynamo.scan('Faults', projection_expression => '#n', expression_attribute_names => %L)$$, names),
	'22023', 'expression_attribute_names must be a JSON object of strings', 'names ' || names)
FROM unnest(ARRAY['[]', '1', 'null', '{"#n": 1}', '{"#n": ["n"]}', '{"#n": {}}']) AS names;
SELECT is_empty($$SELECT * FROM dynamo.get_item('Faults', NULL)$$, 'get_item of a null key finds nothing');
SELECT is_empty($$SELECT * FROM dynamo.batch_get('Faults', NULL, NULL)$$, 'batch_get of null keys finds nothing');
SELECT is_empty($$SELECT * FROM dynamo.batch_get('Faults', VARIADIC NULL)$$, 'batch_get of a null array finds nothing');
SELECT lives_ok($$SELECT dynamo.update_item('Faults', '{"pk": "a", "sk": 1}', NULL)$$, 'update_item without an expression');

-- Objects of the same names on the search_path change nothing.
CREATE SCHEMA evil;
CREATE FUNCTION evil.query(text, text, dynamo.item, text, text, text, jsonb, boolean, bigint, dynamo.item)
	RETURNS SETOF dynamo.item LANGUAGE sql AS 'SELECT NULL::dynamo.item';
CREATE FUNCTION evil.scan(text, text, dynamo.item, text, text, jsonb, bigint, dynamo.item, int, int)
	RETURNS SETOF dynamo.item LANGUAGE sql AS 'SELECT NULL::dynamo.item';
CREATE FUNCTION evil.batch_get(text, dynamo.item[])
	RETURNS SETOF dynamo.item LANGUAGE sql AS 'SELECT NULL::dynamo.item';
CREATE FUNCTION evil.partition_key(dynamo.item, text, "char")
	RETURNS dynamo.partition_key LANGUAGE sql IMMUTABLE AS 'SELECT NULL::dynamo.partition_key';
CREATE FUNCTION evil.int8ne(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE DOMAIN evil.item AS text;
CREATE DOMAIN evil.text AS bytea;
CREATE TABLE evil.tables (table_name text, relation regclass);
CREATE TABLE evil."Faults" (item dynamo.item);
CREATE FUNCTION pg_temp.bent(query pg_catalog.text) RETURNS bigint LANGUAGE plpgsql
	SET search_path = evil, dynamo, pg_catalog AS $$
DECLARE n bigint;
BEGIN
	EXECUTE query INTO n;
	RETURN n;
END
$$;
SELECT is(pg_temp.bent(query), 1::bigint, 'search_path: ' || query)
FROM unnest(ARRAY[
	$$SELECT count(item) FROM dynamo.query('Faults', 'pk = :p', '{":p": "a"}')$$,
	$$SELECT count(item) FROM dynamo.scan('Faults')$$,
	$$SELECT count(item) FROM dynamo.batch_get('Faults', '{"pk": "a", "sk": 1}')$$,
	$$SELECT count(dynamo.create_table('Bent', 'pk'))$$,
	$$SELECT 1 FROM dynamo.create_index('Bent', 'ByA', 'a')$$,
	$$SELECT 1 FROM dynamo.put_item('Bent', '{"pk": "1", "a": "x"}')$$,
	$$SELECT count(item) FROM dynamo.query('Bent', 'a = :a', '{":a": "x"}', index_name => 'ByA')$$,
	$$SELECT 1 FROM dynamo.drop_index('Bent', 'ByA'), dynamo.drop_table('Bent')$$]) AS query;

-- A read-only transaction reads, and writes nothing.
SET LOCAL transaction_read_only = on;
SELECT is((SELECT count(*) FROM dynamo.scan('Faults')), 1::bigint, 'scan when read-only');
SELECT throws_ok(command, '25006', NULL, 'read-only: ' || command)
FROM unnest(ARRAY[
	$$SELECT dynamo.put_item('Faults', '{"pk": "r", "sk": 1}')$$,
	$$SELECT dynamo.update_item('Faults', '{"pk": "r", "sk": 1}', 'SET n = :n', '{":n": 1}')$$,
	$$SELECT dynamo.delete_item('Faults', '{"pk": "a", "sk": 1}')$$,
	$$SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Faults", "Item": {"pk": "r", "sk": 1}}}]')$$,
	$$SELECT dynamo.call('PutItem', '{"TableName": "Faults", "Item": {"pk": {"S": "r"}, "sk": {"N": "1"}}}')$$,
	$$SELECT dynamo.create_table('Late', 'pk')$$,
	$$SELECT dynamo.drop_table('Faults')$$
	]) AS command;

SELECT * FROM finish();
ROLLBACK;
