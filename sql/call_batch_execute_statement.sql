-- BatchExecuteStatement: each statement for itself.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Shop', 'pk', 'sk') IS NOT NULL;
SELECT dynamo.create_table('Other', 'id') IS NOT NULL;
CREATE FUNCTION pg_temp.batch(statements jsonb, more jsonb DEFAULT '{}')
RETURNS SETOF text LANGUAGE sql AS $$
	SELECT coalesce(r, answer)::jsonb::text
	FROM dynamo.try_call('BatchExecuteStatement',
		(jsonb_build_object('Statements', statements) || more)::json) answer
	LEFT JOIN LATERAL (
		SELECT json_array_elements(answer->'Responses') r
		UNION ALL SELECT answer->'ConsumedCapacity'
		WHERE answer->'ConsumedCapacity' IS NOT NULL) s ON true
$$;
CREATE FUNCTION pg_temp.s(VARIADIC s text[]) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_agg(jsonb_build_object('Statement', t)) FROM unnest(s) t
$$;

-- writes: those that fail leave the others alone
SELECT pg_temp.batch(pg_temp.s(
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''2'', ''n'': 2}',
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''1'', ''n'': 1}',
	'INSERT INTO Other VALUE {''id'': ''x''}',
	'INSERT INTO Nowhere VALUE {''id'': ''x''}',
	'INSERT INTO Shop VALUE {''pk'': ''b''}',
	'INSERT INTO Shop VALUE {''pk'': ''b'', ''sk'': 1e999}',
	'INSERT INTO Shop VALU', 'UPDATE Shop SET a = 1'),
	'{"ReturnConsumedCapacity": "TOTAL"}');
SELECT pg_temp.batch('[
	{"Statement": "INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''2''}"},
	{"Statement": "UPDATE Shop SET n = n + 1 WHERE pk = ? AND sk = ?", "Parameters": [{"S": "a"}, {"S": "1"}]},
	{"Statement": "UPDATE Shop SET n = n + 1 WHERE pk = ''a'' AND sk = ''3''"},
	{"Statement": "UPDATE Shop SET n = n + 1 WHERE pk = ?", "Parameters": [{"N": "x"}]},
	{"Statement": "DELETE FROM Shop WHERE pk = ''a'' AND sk = ''4''"},
	{"Statement": "DELETE FROM Other WHERE id = ''x'' AND n = 5", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}]');
SELECT pg_temp.batch(pg_temp.s(
	'FROM Shop WHERE pk = ''a'' AND sk = ''1'' SET n = 5 RETURNING ALL OLD *',
	'UPDATE Shop REMOVE n WHERE pk = ''a'' AND sk = ''2'' RETURNING MODIFIED NEW *',
	'DELETE FROM Other WHERE id = ''x'' RETURNING ALL OLD *'));

-- units of writes that fail: in the sum of a table that others were done in
SELECT pg_temp.batch(pg_temp.s(
	'UPDATE Shop SET m = 1 WHERE pk = ''a'' AND sk = ''1''',
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''2'', ''v'': ''' || repeat('x', 2500) || '''}',
	'UPDATE Shop SET m = 1 WHERE pk = ''a'' AND sk = ''none''',
	'UPDATE Shop SET m = 1 WHERE pk = ''a''',
	'UPDATE Other SET m = 1 WHERE id = ''x'''),
	'{"ReturnConsumedCapacity": "INDEXES"}');

-- TableName: of those that were tried, whatever was wrong with them
SELECT pg_temp.batch(pg_temp.s(
	'UPDATE Shop SET m = none WHERE pk = ''a'' AND sk = ''1''',
	'UPDATE Shop SET sk = ''x'' WHERE pk = ''a'' AND sk = ''2''',
	'UPDATE Shop SET m = 1 WHERE pk = ''a'' AND sk = ''''',
	'INSERT INTO Shop VALUE {''pk'': ''b'', ''sk'': ''''}',
	'INSERT INTO Shop VALUE {''pk'': ''b'', ''sk'': 1}',
	'UPDATE Shop SET m = 1 WHERE pk = ''b'' AND sk = 1',
	'UPDATE Shop SET m = 1 WHERE pk = ''b'''));

-- reads: by the whole key and nothing else
SELECT pg_temp.batch(pg_temp.s(
	'SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''1''',
	'SELECT sk FROM Shop WHERE sk = ''2'' AND pk = ''a''',
	'SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''9''',
	'SELECT * FROM Shop WHERE pk = ''a''', 'SELECT * FROM Shop WHERE n = 1',
	'SELECT * FROM Shop', 'SELECT * FROM Shop WHERE pk IN [''a''] AND sk = ''3''',
	'SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''4'' AND attribute_exists(n)',
	'SELECT * FROM Shop WHERE pk = ''a'' AND sk = 5',
	'SELECT * FROM "Shop"."i" WHERE pk = ''a'' AND sk = ''6''',
	'SELECT * FROM Nowhere WHERE pk = ''a''', 'SLECT'));
SELECT pg_temp.batch('[
	{"Statement": "SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''1''", "ConsistentRead": true},
	{"Statement": "SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''2''", "ConsistentRead": false},
	{"Statement": "SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''3''"}]',
	'{"ReturnConsumedCapacity": "INDEXES"}');

-- what no member is to blame for is an error of the whole call
BEGIN READ ONLY;
SELECT dynamo.call('BatchExecuteStatement', '{"Statements": [
	{"Statement": "DELETE FROM Shop WHERE pk = ''a'' AND sk = ''1''"}]}');
ROLLBACK;

-- an error that the service has no word for is told as a warning
CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE 'refused by a trigger' USING DETAIL = 'It is the trigger''s detail.';
END $$;
CREATE TRIGGER refuse BEFORE DELETE ON dynamo_data."Shop" FOR EACH ROW
	EXECUTE FUNCTION pg_temp.refuse();
SELECT pg_temp.batch(pg_temp.s(
	'DELETE FROM Shop WHERE pk = ''a'' AND sk = ''1''',
	'UPDATE Shop SET n = 3 WHERE pk = ''a'' AND sk = ''2'''));
DROP TRIGGER refuse ON dynamo_data."Shop";

-- refused as a whole; a statement with bad parameters or without is a read, too
SELECT pg_temp.batch('[{"Statement": "DELETE FROM Shop WHERE pk = ''a'' AND sk = ''2''"},
	{"Statement": "SELECT * FROM Shop WHERE pk = ?", "Parameters": [{"N": "x"}]}]');
SELECT pg_temp.batch(pg_temp.s('DELETE FROM Shop WHERE pk = ''a'' AND sk = ''2''',
	'SELECT * FROM Shop WHERE pk = ? AND sk = ''1'''));
SELECT pg_temp.batch(pg_temp.s('SELECT', 'DELETE FROM Shop WHERE pk = ''a'' AND sk = ''none'''));
SELECT pg_temp.batch(pg_temp.s(
	'SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''1''',
	'DELETE FROM Shop WHERE pk = ''a'' AND sk = ''2'''));
SELECT pg_temp.batch(pg_temp.s(
	'UPDATE Shop SET n = 1 WHERE pk = ''a'' AND sk = ''1''',
	'DELETE FROM Shop WHERE pk = ''a'' AND sk = ''1'''));
SELECT pg_temp.batch('[]');
SELECT left(pg_temp.batch(jsonb_agg(jsonb_build_object('Statement', 'SELECT * FROM Shop WHERE pk = ''' || i || ''''))), 40)
	FROM generate_series(1, 26) i;
SELECT pg_temp.batch(pg_temp.s('EXISTS(SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''1'' AND n = 1)'));
SELECT dynamo.drop_table('Shop'), dynamo.drop_table('Other');
