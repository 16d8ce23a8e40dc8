-- What makes a PartiQL statement unreadable, and what else is wrong with one
-- whatever the table.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Tab', 'pk', 'sk') IS NOT NULL;
CREATE FUNCTION pg_temp.why(statement text, parameters json DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(answer->>'message', answer->>'Message', answer::text) || '|'
	FROM dynamo.try_call('ExecuteStatement',
		json_strip_nulls(json_build_object('Statement', statement,
										   'Parameters', parameters))) answer
$$;

-- syntax
SELECT s, pg_temp.why(s) FROM (VALUES
	('SLECT * FROM "Tab"'), ('  '), (';'), ('T'), ('FROM "Tab" WHERE pk = 1'),
	('SELECT * FROM "Tab" WHERE pk = 1 foo'), ('SELECT * FROM "Tab" WHERE pk = 1)'),
	('SELECT * FROM "Tab" WHERE pk = 1 e5'),
	('INSERT INTO "Tab" VALUE {''pk'': ''1''} x'), ('INSERT INTO "Tab" t VALUE {}'),
	('DELETE FROM "Tab" WHERE pk = 1 ORDER BY pk'),
	('SELECT * FROM "Tab" ORDER BY pk WHERE pk = 1'),
	('UPDATE "Tab" SET a = 1 WHERE pk = 1 x'),
	('FROM "Tab" SET a = 1 WHERE pk = 1'),
	('SELECT * FROM "Tab" WHERE'), ('SELECT * FROM "Tab" WHERE;'),
	('SELECT * FROM "Tab" WHERE  '), ('SELECT * FROM "Tab" WHERE NOT'),
	('SELECT * FROM "Tab" WHERE ('), ('UPDATE "Tab" SET a = 1 WHERE'),
	('DELETE FROM "Tab" WHERE'), ('DELETE FROM "Nowhere" WHERE'),
	('SELECT * FROM'), ('SELECT * FROM "Tab" WHERE pk = 1 AND'),
	('SELECT * FROM "Tab" WHERE pk = 1 OR'), ('SELECT * FROM "Tab" WHERE pk ='),
	('SELECT * FROM "Tab" WHERE ORDER BY pk'),
	('SELECT * FROM "Tab" WHERE IS NULL'), ('SELECT * FROM "Tab" WHERE pk = LIKE'),
	('SELECT * FROM "Tab" WHERE x IS FOO'), ('SELECT * FROM "Tab" WHERE x IS'),
	('DELETE FROM'), ('DELETE FROM  '), ('DELETE FROM;'), ('DELETE FROM WHERE'),
	('SELECT * FROM "Tab'), ('SELECT * FROM "Tab" WHERE pk = ''a'),
	('SELECT * FROM "Tab" # no comment'), ('SELECT * FROM "Tab" /* open'),
	('SELECT * FROM "Tab" WHERE m.inner = 1'), ('SELECT * FROM "Tab" WHERE pad = 1'),
	('SELECT date FROM "Tab"'), ('SELECT * FROM "Tab" LIMIT 1'),
	('x IS INT4'), ('x IS INT8'), ('x IS DOUBLE PRECISION'),
	('x IS NOT CHARACTER VARYING'),
	('UPDATE "Tab" SET'), ('UPDATE "Tab"'), ('UPDATE'), ('INSERT INTO'),
	('UPDATE "Tab" SET a = 1 WHERE pk = ''1'' RETURNING SOME OLD *'),
	('EXISTS(SELECT * FROM "Tab" WHERE pk = ''a'' AND sk = ''b'' AND c = 1)')
	) v(s);

-- names of tables
SELECT s, pg_temp.why(s) FROM (VALUES
	('SELECT * FROM "Tab" t'), ('SELECT * FROM "Tab" AS t'),
	('UPDATE "Tab" t SET a = 1 WHERE pk = 1'), ('DELETE FROM "Tab" t WHERE pk = 1'),
	('SELECT a AS b FROM "Tab"'), ('SELECT * FROM a.b.c'), ('SELECT * FROM ""'),
	('SELECT * FROM "Tab".""'), ('SELECT * FROM "Tab"."none"'),
	('INSERT INTO "Tab"."i" VALUE {}'), ('UPDATE "Tab"."i" SET a = 1'),
	('DELETE FROM "Nowhere"."i"'), ('SELECT * FROM "Nowhere"'),
	('SELECT * FROM Nowhere WHERE pk = '' AND'), ('UPDATE Nowhere SET a = 1'),
	('INSERT INTO Nowhere VALUE {}')
	) v(s);

-- numbers
SELECT s, pg_temp.why('SELECT * FROM "Tab" WHERE n = ' || s) FROM (VALUES
	('7.31e6'), ('7.31E6'), ('7.31e+6'), ('731e4'), ('73100000e-1'), ('.73e1'),
	('-.73e1'), ('- - 1'), ('+1'), ('1e2147483648'), ('1e99999999999'),
	('1.5e-2147483647'), ('1e99999999999999999999999'), ('1e2147483647'),
	('1e126'), ('1e-131'), ('123456789012345678901234567890123456789'),
	('[1, 1e126]'), ('{''x'': 1e126}'), ('{''x'': [{''y'': 1e-131}]}')) v(s);
SELECT s, pg_temp.why('SELECT * FROM "Tab" WHERE n = ?',
					  json_build_array(json_build_object('N', s))) FROM (VALUES
	('1e2147483648'), ('-1e99999999999'), ('1e-99999999999'),
	('1e-2147483648'), ('1e2147483647'), (''), ('x')) v(s);

-- values
SELECT s, pg_temp.why('SELECT * FROM "Tab" WHERE n = ' || s, '[{"S":"p"}]') FROM (VALUES
	('<<>>'), ('<<1, ''a''>>'), ('<<true>>'), ('<<''x'', ''x''>>'),
	('<<2, 2.0>>'), ('<<1, ?>>'), ('[?]'), ('[1, [?]]'), ('{''a'': ?}'),
	('{''a'': {''b'': ?}}'), ('[a]'), ('[f(1)]'), ('{''a'': 1, ''a'': 2}'),
	('{'''': 1}'), ('MISSING'), ('a + 1'), ('-a'), ('+''a'''), ('- + ?'), ('(a = 1)'),
	(repeat('[', 32) || repeat(']', 32)),
	(repeat('{''a'':', 32) || '1' || repeat('}', 32))) v(s);
SELECT pg_temp.why('SELECT * FROM "Tab" WHERE n = ?',
	('[' || repeat('{"L":[', n) || '{"N":"x"}' || repeat(']}', n) || ']')::json)
	FROM (VALUES (40), (100)) v(n);

-- operators and functions
SELECT s, pg_temp.why('SELECT * FROM "Nowhere" WHERE ' || s, '[{"S":"p"}]') FROM (VALUES
	('a < true'), ('a >= null'), ('a > [1]'), ('a <= {''a'': 1}'),
	('a < <<''a''>>'), ('a BETWEEN true AND false'), ('a BETWEEN 2 AND 1'),
	('attribute_exists(''ss'')'), ('attribute_exists(?)'),
	('attribute_exists()'), ('attribute_exists(a, b)'), ('begins_with(a)'),
	('begins_with(a, 1)'), ('attribute_type(a, ''X'')'), ('size(a)'),
	('size(a) = begins_with(a, ''b'')'), ('contains(a)'),
	('EXISTS(ss)'), ('set_add(a, <<1>>)'), ('F(a)'), ('a = F(b)'), ('a IS INT4'),
	('a LIKE ''b'''), ('a'), ('a + 1 = 2'), ('a = 1 = 2'), ('a = a'),
	('a[-1] = 1'), ('a[2147483648] = 1'), ('a[2147483647] = 1')) v(s);
SELECT s, pg_temp.why(s) FROM (VALUES
	('SELECT attribute_exists(a) FROM "Tab"'), ('SELECT COUNT(*) FROM "Tab"'),
	('SELECT COUNT(*) FROM "Nowhere"'), ('SELECT l[-1] FROM "Tab"'),
	('INSERT INTO "Tab" VALUE {''pk'': ''1'', ''sk'': set_add(a, <<1>>)}'),
	('INSERT INTO "Tab" VALUE {''pk'': a}'), ('INSERT INTO "Tab" VALUE ''a'''),
	('DELETE FROM "Tab" WHERE pk = ''1'' RETURNING MODIFIED OLD *'),
	('DELETE FROM "Tab" WHERE pk = ''1'' RETURNING ALL NEW *'),
	('DELETE FROM "Tab" WHERE pk = ''1'' RETURNING MODIFIED NEW *'),
	(E'SELECT *\n FROM "Tab"\n WHERE "\u00e9\u00e9" = 1 AND foo(a) = 1')
	) v(s);

-- long ones
SELECT left(pg_temp.why('SELECT * FROM "Tab" WHERE ' || repeat('(', 8000)), 90);
SELECT left(pg_temp.why('SELECT * FROM "Tab" WHERE ' || repeat('NOT ', 2000) || 'a = 1'), 90);
SELECT left(pg_temp.why('SELECT * FROM "Tab" WHERE n = ' || repeat('[', 4000) || repeat(']', 4000)), 90);
SELECT left(pg_temp.why('SELECT * FROM "Tab" WHERE n = ' || repeat('-', 8000) || '1'), 90);
SELECT right(pg_temp.why(repeat('x', 8193)), 90);
SELECT pg_temp.why('');
SELECT dynamo.drop_table('Tab');
