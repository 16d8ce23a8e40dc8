-- Literals and parameters of PartiQL, in every place where they may stand.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Shop', 'pk', 'sk', 'S', 'N') IS NOT NULL;
CREATE FUNCTION pg_temp.run(statement text, parameters json DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(answer->>'message', answer->>'Message', (answer->'Items')::jsonb::text)
	FROM dynamo.try_call('ExecuteStatement',
		json_strip_nulls(json_build_object('Statement', statement,
										   'Parameters', parameters))) answer
$$;

-- number literals are stored as numbers are
SELECT pg_temp.run(format('INSERT INTO Shop VALUE {''pk'': ''n'', ''sk'': %s, ''n'': %s, ''m'': {''x'': [%s]}, ''ns'': <<%s, 1>>}', i, n, n, n))
	FROM unnest('{7.31e6, 7.31E6, 7.31e+6, 731e4, 73100000e-1, .73e1, -.73e1, 7.310}'::text[]) WITH ORDINALITY AS t(n, i);
SELECT pg_temp.run('SELECT sk, n, m, ns FROM Shop WHERE pk = ''n''');
SELECT pg_temp.run('SELECT sk FROM Shop WHERE pk = ''n'' AND n = 73.1e5');
SELECT pg_temp.run('SELECT n FROM Shop WHERE pk = ''n'' AND sk = 0.6e+1');

-- a literal out of range is told with its place, a parameter is not
SELECT s, pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''r'', ''sk'': 1, ''v'': ' || s || '}'),
	pg_temp.run('UPDATE Shop SET v = ' || s || ' WHERE pk = ''n'' AND sk = 1') FROM (VALUES
	('1e126'), ('-1e126'), ('1e-131'), ('123456789012345678901234567890123456789'),
	('{''x'': 1e126}'), ('[0, 1e-131]'), ('{''x'': [{''y'': 1e126}]}'), ('<<1, 1e126>>'),
	('1e2147483648'), ('[1e99999999999]')) v(s);
SELECT p, pg_temp.run('SELECT * FROM Shop WHERE pk = ''n'' AND sk = ?', json_build_array(p)),
	pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''r'', ''sk'': 1, ''v'': ?}', json_build_array(p)),
	pg_temp.run('UPDATE Shop SET v = ? WHERE pk = ''n'' AND sk = 1', json_build_array(p)) FROM (VALUES
	('{"N": "1e2147483648"}'::json), ('{"N": "1e2147483647"}'), ('{"N": ""}'),
	('{"L": [{"N": "1e99999999999"}]}'), ('{"M": {"a": {"N": "x"}}}'), ('{"NS": ["1", "1e126"]}')) v(p);

-- of several bad parameters the first one is told; a bad number too deep is too deep
CREATE FUNCTION pg_temp.deep(levels int, leaf text) RETURNS json LANGUAGE sql AS $$
	SELECT (repeat('{"L":[', levels) || leaf || repeat(']}', levels))::json
$$;
SELECT pg_temp.run('SELECT * FROM Shop WHERE pk = ? AND v = ?', json_build_array('{"N": "x"}'::json, pg_temp.deep(40, '{"S": "a"}')));
SELECT pg_temp.run('SELECT * FROM Shop WHERE pk = ? AND v = ?', json_build_array(pg_temp.deep(40, '{"N": "x"}'), '{"N": "x"}'::json));
SELECT dynamo.try_call(o, json_build_object(m, json_build_array(
		json_build_object('Statement', 'UPDATE Shop SET v = ? WHERE pk = ''n'' AND sk = 1', 'Parameters', json_build_array(p)))))
	FROM (VALUES ('ExecuteTransaction', 'TransactStatements'), ('BatchExecuteStatement', 'Statements')) o(o, m),
		(VALUES (pg_temp.deep(40, '{"N": "x"}')), ('{"N": "1e2147483648"}'::json)) p(p);

-- equality of every type: sets have no order, lists have
SELECT pg_temp.run('INSERT INTO Shop VALUE {''pk'': ''e'', ''sk'': 1, ''ss'': <<''a'', ''b''>>, ''ns'': <<1, 2>>, ''l'': [1, 2], ''m'': {''a'': 1, ''b'': 2}, ''nil'': null, ''b'': ?, ''bs'': ?, ''data'': ''d'', ''name'': ''x''}',
	'[{"B": "AH8="}, {"BS": ["AQ==", "Ag=="]}]');
SELECT s, pg_temp.run('SELECT sk FROM Shop WHERE pk = ''e'' AND ' || s, '[{"BS": ["Ag==", "AQ=="]}, {"B": "gA=="}]') FROM (VALUES
	('ss = <<''b'', ''a''>>'), ('ss <> <<''b'', ''a''>>'), ('ns = <<2.0, 1>>'), ('ns <> <<1>>'),
	('l = [1, 2]'), ('l = [2, 1]'), ('l <> [2, 1]'), ('m = {''b'': 2, ''a'': 1.0}'), ('m <> {''a'': 1}'),
	('nil = null'), ('nil <> null'), ('bs = ?'), ('none <> 1'), ('NOT none = 1'), ('none = 1'),
	('bs = ? AND b < ?'), ('bs = ? AND b > ?'), ('data = ''d'' AND "name" = ''x''')) v(s);

-- types that no order is known of
SELECT s, pg_temp.run('SELECT * FROM Nowhere WHERE ' || s, '[{"BS": ["AQ=="]}, {"BOOL": true}]') FROM (VALUES
	('a < ?'), ('a <= <<1>>'), ('a > <<''a''>>'), ('a >= ? '), ('a BETWEEN [] AND []'),
	('a BETWEEN ? AND ?')) v(s);
SELECT dynamo.drop_table('Shop');
