--
-- transact_write and transact_get
--
SELECT dynamo.create_table('Accounts', 'id');
SELECT dynamo.create_table('Journal', 'id', 'line', sort_key_type => 'N');
SELECT dynamo.put_item('Accounts', format('{"id": "%s", "balance": 100}', a)::dynamo.item)
FROM unnest('{ann,bob}'::text[]) AS a;

-- All four kinds over two tables; values typed or plain
SELECT * FROM dynamo.transact_write('[
	{"Update": {"TableName": "Accounts", "Key": {"id": "ann"}, "UpdateExpression": "SET balance = balance - :x",
		"ConditionExpression": "balance >= :x", "ExpressionAttributeValues": {":x": 30}}},
	{"Update": {"TableName": "Accounts", "Key": {"id": {"S": "bob"}}, "UpdateExpression": "SET balance = balance + :x",
		"ExpressionAttributeValues": {":x": {"N": "30"}}}},
	{"Put": {"TableName": "Journal", "Item": {"id": "1", "line": 1, "amount": 30}}},
	{"Delete": {"TableName": "Journal", "Key": {"id": "0", "line": 1}}},
	{"ConditionCheck": {"TableName": "Accounts", "Key": {"id": "carl"}, "ConditionExpression": "attribute_not_exists(id)"}}]');

-- One snapshot of both; what is missing is null
SELECT ordinal, table_name, item::jsonb FROM dynamo.transact_get('[
	{"Get": {"TableName": "Accounts", "Key": {"id": "ann"}}},
	{"Get": {"TableName": "Accounts", "Key": {"id": "carl"}}},
	{"Get": {"TableName": "Journal", "Key": {"id": {"S": "1"}, "line": {"N": "1"}}, "ProjectionExpression": "amount"}}]');

-- Every failed condition has its reason; the item as it was if asked for
SELECT * FROM dynamo.transact_write('[
	{"Update": {"TableName": "Accounts", "Key": {"id": "ann"}, "UpdateExpression": "SET balance = balance - :x",
		"ConditionExpression": "balance >= :x", "ExpressionAttributeValues": {":x": 300},
		"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Put": {"TableName": "Journal", "Item": {"id": "2", "line": 1}}},
	{"Put": {"TableName": "Journal", "Item": {"id": "1", "line": 1},
		"ConditionExpression": "attribute_not_exists(id)"}}]');
SELECT item->>'balance' AS balance FROM dynamo.get_item('Accounts', '{"id": "ann"}');
SELECT count(*) FROM dynamo.scan('Journal');

-- A plain number keeps its digits, and no text passes for a member
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Journal", "Item":
	{"id": "\"Item\": {\\", "line": 0.12345678901234567890123456789012345678, "Item": {"Key": {"N": "1"}}}}}]');
SELECT item FROM dynamo.query('Journal', 'id = :i', '{":i": "\"Item\": {\\"}');

-- ... nor does a quoted quote end one, nor a brace in it the item
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Journal", "Item":
	{"id": "a\"}", "line": 1, "b": "\"}]}, {\"Put\": {", "c\"": {"d\\": "}"}}, "ConditionExpression": "a <> :v",
	"ExpressionAttributeValues": {":v": "\\\"}"}}}]');
SELECT item FROM dynamo.query('Journal', 'id = :i', '{":i": "a\"}"}');
-- ... also in an item that is not read in one pass, for an escape in a name
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Journal", "Item": {"\u0069d": "f", "line": 1, "b": "}", "c": "\"}", "d": "\\"}}}]');
SELECT item FROM dynamo.query('Journal', 'id = :i', '{":i": "f"}');
-- ... and members of those names that are none of an action are left alone
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Journal", "Item" : {"id": "e", "line": 1, "Item": {"S": "s"}},
	"ConditionExpression": "#Item <> :v", "ExpressionAttributeNames": {"#Item": "Item"}, "ExpressionAttributeValues":
		{":v": 1}}}]');
SELECT item FROM dynamo.query('Journal', 'id = :i', '{":i": "e"}');
SELECT item FROM dynamo.transact_get('[{"Get": {"TableName": "Accounts", "Key": {"id": "carl"}}, "Key": {"": 1}}]');
SELECT item FROM dynamo.transact_get('[[["Key", {"": 1}]]]');

-- A member's name may be written with escapes.  What looks like the mark that stands for an item is an item
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Journal", "\u0049tem": {"id": "f", "line": 1, "given": {"N": "0"}}}},
	{"Put": {"TableName": "Accounts", "Item": {"id": {"S": "given"}, "given": {"N": "0"}}}},
	{"Put": {"TableName": "Accounts", "Item": {"given": {"N": "1"}}}}]');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Journal", "\u0049tem": {"id": "f", "line": 1, "given": {"N": "0"}}}},
	{"Put": {"TableName": "Accounts", "Item": {"id": {"S": "given"}, "given": {"N": "0"}}}}]');
SELECT item FROM dynamo.query('Journal', 'id = :i', '{":i": "f"}');
SELECT item FROM dynamo.get_item('Accounts', 'given');
-- ... and of a member that comes twice the last one counts
SELECT * FROM dynamo.transact_write('[{"Delete": {"TableName": "Journal", "Key": {"id": "f", "line": 1}, "Key": {"id": "g", "line": 1},
	"ConditionExpression": "attribute_exists(id)"}}]');
SELECT * FROM dynamo.transact_write('[{"Delete": {"TableName": "Journal", "Key": {"id": "g", "line": 1}, "Key": {"id": "f", "line": 1},
	"ConditionExpression": "attribute_exists(id) AND line = :l", "ExpressionAttributeValues": {":l": 0}, "ExpressionAttributeValues": {":l": 1}}},
	{"Delete": {"TableName": "Accounts", "Key": {"id": "given"}}}]');
-- ... values are checked as in the API
SELECT * FROM dynamo.transact_write('[{"Delete": {"TableName": "Accounts", "Key": {"id": "given"}, "ConditionExpression": "id = :i", "ExpressionAttributeValues": {}}}]');
SELECT * FROM dynamo.transact_write('[{"Delete": {"TableName": "Accounts", "Key": {"id": "given"}, "ConditionExpression": "id = :i", "ExpressionAttributeValues": {"i": 1}}}]');
SELECT * FROM dynamo.transact_write('[{"Delete": {"TableName": "Accounts", "Key": {"id": "given"}, "ConditionExpression": "id = :i", "ExpressionAttributeValues": {":i": "x", ":j": 1}}}]');

-- One item twice, a wrong key, nothing at all
SELECT * FROM dynamo.transact_write('[
	{"Put": {"TableName": "Accounts", "Item": {"id": "dora"}}},
	{"Delete": {"TableName": "Accounts", "Key": {"id": "dora"}}}]');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Accounts", "Item": {"name": "dora"}}}]');
SELECT * FROM dynamo.transact_write('[]');
SELECT * FROM dynamo.transact_write('[{}]');
SELECT * FROM dynamo.transact_write('{"Put": 1}');
SELECT * FROM dynamo.transact_get('[{"Get": {"TableName": "Accounts"}}]');
SELECT * FROM dynamo.transact_get('[null]');

-- As type json the same; the rows as a column, too
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Accounts", "Item": {"id": "eve"}}}]'::json);
SELECT dynamo.transact_write('[{"Delete": {"TableName": "Accounts", "Key": {"id": "eve"}}}]');
SELECT dynamo.transact_get('[{"Get": {"TableName": "Accounts", "Key": {"id": "eve"}}}]'::json);

-- What is no JSON is said as type json says it, in an item or around it
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Accounts", "Item": {"id": "eve", "b": }}}]');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Accounts", "Item": {"id": "eve"}}]');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Accounts", "Item": {"id": "eve"');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Accounts", "Item": {"id": "eve"}}}]]');
SELECT * FROM dynamo.transact_get('');
SELECT * FROM dynamo.transact_get(NULL);

-- The same request again, which is remembered, is about the items of that time;
-- what was refused is refused again; and a request to write is none to read
BEGIN;
SELECT count(*) FROM generate_series(1, 3) AS n, dynamo.transact_write(
	format('[{"Put": {"TableName": "Accounts", "Item": {"id": "again %s", "n": %s}}}]', n, n));
SELECT item FROM dynamo.scan('Accounts') WHERE item->>'id' LIKE 'again%' ORDER BY item->>'id';
SELECT dynamo.transact_get('[{"Get": {"TableName": "Accounts", "Key": {"id": "again 1"}}}]');
SELECT dynamo.transact_get('[{"Get": {"TableName": "Accounts", "Key": {"id": "again 3"}}}]');
ROLLBACK;
SELECT dynamo.transact_get('[{"Get": {"Table": "Accounts", "Key": {"id": "again 1"}}}]');
SELECT dynamo.transact_get('[{"Get": {"Table": "Accounts", "Key": {"id": "again 2"}}}]');
SELECT * FROM dynamo.transact_write('[{"Get": {"TableName": "Accounts", "Key": {"id": "again 1"}}}]');

-- It is part of the caller's transaction
BEGIN;
SELECT count(*) FROM dynamo.transact_write('[{"Delete": {"TableName": "Accounts", "Key": {"id": "ann"}}},
	{"Delete": {"TableName": "Accounts", "Key": {"id": "bob"}}}]');
SELECT count(*) FROM dynamo.scan('Accounts');
ROLLBACK;
SELECT count(*) FROM dynamo.scan('Accounts');

-- 100 actions, and not one more
SELECT count(*) FROM dynamo.transact_write((
	SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'Journal',
		'Item', json_build_object('id', 'many', 'line', n)))) FROM generate_series(1, 100) AS n));
-- ... whose message shows what was asked for
CREATE FUNCTION pg_temp.refusal(actions json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.transact_write(actions);
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN left(SQLERRM, 330) || ' ... ' || right(SQLERRM, 200);
END $$;
SELECT pg_temp.refusal((SELECT json_agg(json_build_object('Delete', json_build_object('TableName', 'Journal',
	'Key', json_build_object('id', 'more', 'line', n)))) FROM generate_series(1, 101) AS n));
\set VERBOSITY sqlstate
SELECT * FROM dynamo.transact_write((
	SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'Journal',
		'Item', json_build_object('id', 'more', 'line', n)))) FROM generate_series(1, 101) AS n));
\set VERBOSITY default
SELECT item->>'id' AS id, count(*) FROM dynamo.scan('Journal') GROUP BY 1 ORDER BY 1;

SELECT dynamo.drop_table('Accounts'), dynamo.drop_table('Journal');
