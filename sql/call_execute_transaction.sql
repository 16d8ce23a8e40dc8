-- ExecuteTransaction: all statements or none.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Shop', 'pk', 'sk') IS NOT NULL;
SELECT dynamo.create_table('Other', 'id', NULL, 'N') IS NOT NULL;
CREATE FUNCTION pg_temp.run(statements jsonb, more jsonb DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
	SELECT answer::jsonb::text
	FROM dynamo.try_call('ExecuteTransaction',
		(jsonb_build_object('TransactStatements', statements) || more)::json) answer
$$;
CREATE FUNCTION pg_temp.s(VARIADIC s text[]) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_agg(jsonb_build_object('Statement', t)) FROM unnest(s) t
$$;
CREATE FUNCTION pg_temp.all() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT item::text FROM dynamo.scan('Shop') item
	UNION ALL SELECT item::text FROM dynamo.scan('Other') item
$$;

-- writes
SELECT pg_temp.run(pg_temp.s(
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''1'', ''n'': 1}',
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''2'', ''n'': 2}',
	'INSERT INTO Other VALUE {''id'': 1}'), '{"ReturnConsumedCapacity": "TOTAL"}');
SELECT pg_temp.run('[
	{"Statement": "FROM Shop WHERE pk = ''a'' AND sk = ''1'' SET n = n + ?", "Parameters": [{"N": "5"}]},
	{"Statement": "DELETE FROM Shop WHERE pk = ''a'' AND sk = ''2''"},
	{"Statement": "EXISTS(SELECT * FROM Other WHERE id = 1 AND x IS MISSING)"}]');
SELECT pg_temp.all();

-- none
SELECT pg_temp.run(pg_temp.s(
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3''}',
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''1''}'));
SELECT pg_temp.run(pg_temp.s(
	'UPDATE Shop SET n = 0 WHERE pk = ''a'' AND sk = ''1''',
	'EXISTS(SELECT * FROM Other WHERE id = 1 AND x = 1)'));
SELECT pg_temp.run(pg_temp.s(
	'UPDATE Shop SET n = 0 WHERE pk = ''a'' AND sk = ''1''',
	'EXISTS(SELECT * FROM Other WHERE id = 2 AND x IS MISSING)'));
SELECT pg_temp.run('[
	{"Statement": "INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3''}"},
	{"Statement": "UPDATE Shop SET n = 0 WHERE pk = ''a'' AND sk = ''1'' AND n = 0", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}]');
SELECT pg_temp.run(pg_temp.s(
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3''}',
	'UPDATE Shop SET n = 0 WHERE pk = ''a''',
	'DELETE FROM Shop WHERE pk = ''a'' AND sk = 1',
	'INSERT INTO Shop VALUE {''pk'': ''a''}'));
SELECT pg_temp.run(pg_temp.s(
	'INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''3''}',
	'DELETE FROM Nowhere WHERE pk = ''a'''));
SELECT pg_temp.run(pg_temp.s(
	'UPDATE Shop SET n = 0 WHERE pk = ''a'' AND sk = ''1''',
	'DELETE FROM Shop WHERE pk = ''a'' AND sk = ''1'''));
SELECT pg_temp.all();

SELECT pg_temp.run(pg_temp.s(s)) FROM (VALUES
	('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': ''''}'),
	('UPDATE Shop SET n = 0 WHERE pk = ''a'' AND sk = '''''),
	('INSERT INTO Shop VALUE {''pk'': ''a'', ''sk'': 1}'),
	('SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''''')) v(s);

-- reads
SELECT pg_temp.run(pg_temp.s(
	'SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''1''',
	'SELECT n FROM Shop WHERE pk = ''a'' AND sk = ''9''',
	'SELECT * FROM Other WHERE id = 1'), '{"ReturnConsumedCapacity": "TOTAL"}');
SELECT pg_temp.run(pg_temp.s('SELECT * FROM Shop WHERE pk = ''a'' AND sk = 1'));
SELECT pg_temp.run(pg_temp.s('SELECT * FROM Nowhere WHERE pk = ''a'' AND sk = 1'));
SELECT pg_temp.run(pg_temp.s('SELECT * FROM Other WHERE id = 1', 'SELECT * FROM Other WHERE id = 1.0'));

-- statements that no transaction has; the others come first
SELECT s, pg_temp.run(pg_temp.s('DELETE FROM Other WHERE id = 1', s)) FROM (VALUES
	('SLECT'), ('SELECT * FROM Other WHERE'), ('SELECT * FROM "Other"."i" WHERE id = 2'),
	('SELECT * FROM Shop WHERE pk = ''a'''), ('SELECT * FROM Shop'),
	('SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''1'' AND n = 1'),
	('EXISTS(SELECT * FROM Shop WHERE pk = ''a'' AND sk = ''1'')'),
	('EXISTS(SELECT * FROM Shop WHERE n = 1)'), ('EXISTS(SELECT * FROM Shop)'),
	('DELETE FROM Other WHERE id = 2 RETURNING ALL OLD *'),
	('UPDATE Other SET a = ? WHERE id = 2'), ('SELECT COUNT(*) FROM Shop'),
	('SELECT * FROM Other WHERE id = 2')) v(s);
SELECT pg_temp.run('[{"Statement": "SLECT"}, {"Statement": "SLECT ?", "Parameters": [{"N": "x"}]}]');
SELECT pg_temp.run('[]');

-- 4 MB a request, be they items or parameters
CREATE FUNCTION pg_temp.large(statement text, parameters int) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.run(json_agg(json_build_object('Statement', replace(statement, '%', i::text), 'Parameters',
		(SELECT json_agg(json_build_object('S', repeat('x', 390000 / parameters))) FROM generate_series(1, parameters))))::jsonb)
	FROM generate_series(1, 11) i $$;
SELECT pg_temp.large('UPDATE Other SET a = ? WHERE id = %', 1);
SELECT pg_temp.large('UPDATE Other SET a = ? SET b = ? WHERE id = %', 2);
SELECT pg_temp.large('INSERT INTO Other VALUE {''id'': 10%, ''a'': ?}', 1);

-- a token: once
SELECT pg_temp.run(pg_temp.s('UPDATE Shop SET n = n + 1 WHERE pk = ''a'' AND sk = ''1'''),
	'{"ClientRequestToken": "t", "ReturnConsumedCapacity": "TOTAL"}') FROM generate_series(1, 2);
SELECT pg_temp.run(pg_temp.s('UPDATE Shop SET n = n + 2 WHERE pk = ''a'' AND sk = ''1'''),
	'{"ClientRequestToken": "t"}');
SELECT pg_temp.all();
SELECT dynamo.drop_table('Shop'), dynamo.drop_table('Other');
DELETE FROM dynamo_internal.transact_tokens WHERE token = 't';
