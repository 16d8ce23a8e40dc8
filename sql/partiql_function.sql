-- dynamo.partiql(): statements in SQL.
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Shop', 'PK', 'SK') IS NOT NULL;
INSERT INTO dynamo_data."Shop" (item) SELECT jsonb_build_object('PK', 'CUSTOMER#12345', 'SK', 'ORDER#' || lpad(i::text, 3, '0'), 'total', i)::dynamo.item FROM generate_series(1, 200) i;
SELECT item->>'total' FROM dynamo.partiql($$SELECT * FROM "Shop" WHERE PK = ? AND begins_with(SK, 'ORDER#00')$$, 'CUSTOMER#12345') LIMIT 3;
SELECT count(*), sum((item->>'total')::int) FROM dynamo.partiql('SELECT total FROM Shop');

-- parameters of any type that an attribute has
SELECT item FROM dynamo.partiql('UPDATE Shop SET s = ?, t = ?, i = ?, n = ?, f = ?, b = ?, y = ?, nil = ?, j = ?, ss = ?, m = ? WHERE PK = ? AND SK = ? RETURNING MODIFIED NEW *',
	'literal', 'text'::text, 1, 2.50, 1e3::float8, true, '\x0102'::bytea, NULL, '{"a": [1, null]}'::jsonb, '{"SS": ["x", "y"]}'::json, '{"k": "v"}'::dynamo.item, 'CUSTOMER#12345', 'ORDER#001'::varchar);
SELECT item->'total' FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ? AND total IN [?, ?]', VARIADIC ARRAY['CUSTOMER#12345', '1', '2']);
SELECT item->'total' FROM dynamo.partiql('SELECT * FROM Shop WHERE total IN [?, ?]', VARIADIC ARRAY[1, 2]) ORDER BY 1;
SELECT * FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ?', now());
SELECT * FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ?', ARRAY['a']);
SELECT * FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ?', 'NaN'::float8);
SELECT * FROM dynamo.partiql('INSERT INTO Shop VALUE {''PK'': ''a'', ''SK'': ''deep'', ''m'': ?}', ('{"l": ' || repeat('[', 31) || repeat(']', 31) || '}')::dynamo.item);
SELECT * FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ?');
SELECT * FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ?', VARIADIC NULL::text[]);
SELECT * FROM dynamo.partiql(NULL);
SELECT * FROM dynamo.partiql('');
SELECT * FROM dynamo.partiql('SLECT');
SELECT * FROM dynamo.partiql('EXISTS(SELECT * FROM Shop WHERE PK = ''a'' AND SK = ''b'' AND n = 1)');

-- writes: once, and not by EXPLAIN
SELECT * FROM dynamo.partiql('INSERT INTO Shop VALUE {''PK'': ''a'', ''SK'': ?, ''n'': 0}', 'x');
SELECT * FROM dynamo.partiql('INSERT INTO Shop VALUE {''PK'': ''a'', ''SK'': ?, ''n'': 0}', 'x');
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.partiql('UPDATE Shop SET n = n + 1 WHERE PK = ''a'' AND SK = ''x'' RETURNING ALL NEW *');
SELECT item->'n' FROM dynamo.partiql('UPDATE Shop SET n = n + 1 WHERE PK = ''a'' AND SK = ''x'' RETURNING ALL NEW *');
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
SELECT i, item->'n' FROM generate_series(1, 3) i LEFT JOIN dynamo.partiql('UPDATE Shop SET n = n + 1 WHERE PK = ''a'' AND SK = ''x'' RETURNING ALL NEW *') ON i > 0 ORDER BY 1;
SELECT i, item->'n' FROM generate_series(1, 3) i, dynamo.partiql('UPDATE Shop SET n = n + ? WHERE PK = ''a'' AND SK = ''x'' RETURNING ALL NEW *', i) ORDER BY 1;
RESET ALL;
SELECT dynamo.partiql('DELETE FROM Shop WHERE PK = ''a'' AND SK = ''x'' AND n = 100');
SELECT dynamo.partiql('DELETE FROM Shop WHERE PK = ''a'' AND SK = ''x'' RETURNING ALL OLD *');
BEGIN READ ONLY;
SELECT count(*) FROM dynamo.partiql('SELECT * FROM Shop');
SELECT * FROM dynamo.partiql('DELETE FROM Shop WHERE PK = ''a'' AND SK = ''x''');
ROLLBACK;

-- LIMIT stops the reading; a cursor reads as it is asked
EXPLAIN (COSTS OFF)
	SELECT item FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ''CUSTOMER#12345'' AND SK > ''ORDER#150''') LIMIT 2;
CREATE FUNCTION pg_temp.items_read(query text) RETURNS jsonb LANGUAGE plpgsql AS $f$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan::jsonb, '$.**."Items Read"');
END $f$;
SELECT pg_temp.items_read($$SELECT item FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ?', 'CUSTOMER#12345') LIMIT 2$$);
BEGIN;
DECLARE c CURSOR FOR SELECT item->>'SK' FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ? ORDER BY SK DESC', 'CUSTOMER#12345');
FETCH 2 FROM c;
-- so many others that its statement leaves the cache
SELECT count(*) FROM generate_series(1, 3000) i, dynamo.partiql('SELECT * FROM Shop WHERE PK = ''a' || i || ''' AND SK = ''x''');
-- which takes no more memory than the cache and the cursor need
SELECT count(*) <= 257 FROM pg_backend_memory_contexts WHERE name = 'dynamo parsed text' AND ident LIKE 'SELECT%';
FETCH 1 FROM c;
COMMIT;

-- a stream has its writes
SELECT dynamo.create_table('Watched', 'id') IS NOT NULL;
SELECT dynamo.enable_stream('Watched') IS NOT NULL;
SELECT dynamo.partiql('INSERT INTO Watched VALUE {''id'': ''a'', ''n'': 1}');
SELECT dynamo.partiql('UPDATE Watched SET n = n + 1 WHERE id = ''a''');
SELECT dynamo.call('ExecuteTransaction', '{"TransactStatements": [{"Statement": "DELETE FROM Watched WHERE id = ''a'' AND n = 2"}]}');
SELECT event_name, keys, old_image, new_image FROM dynamo.stream('Watched');
SELECT dynamo.drop_table('Watched');

-- privileges, and policies
CREATE ROLE partiql_reader;
GRANT USAGE ON SCHEMA dynamo, dynamo_data TO partiql_reader;
SET ROLE partiql_reader;
SELECT count(*) FROM dynamo.partiql('SELECT * FROM Shop');
SELECT * FROM dynamo.partiql('INSERT INTO Shop VALUE {''PK'': ''a'', ''SK'': ''x''}');
SELECT * FROM dynamo.partiql('UPDATE Shop SET n = 1 WHERE PK = ''a'' AND SK = ''x''');
SELECT * FROM dynamo.partiql('DELETE FROM Shop WHERE PK = ''a'' AND SK = ''x''');
SELECT dynamo.try_call('ExecuteTransaction', '{"TransactStatements": [{"Statement": "SELECT * FROM Shop WHERE id = 1"}]}')->>'Message';
SELECT dynamo.try_call('BatchExecuteStatement', '{"Statements": [{"Statement": "SELECT * FROM Shop WHERE PK = ''a''"}]}');
RESET ROLE;
GRANT SELECT ON dynamo_data."Shop" TO partiql_reader;
ALTER TABLE dynamo_data."Shop" ENABLE ROW LEVEL SECURITY;
CREATE POLICY small ON dynamo_data."Shop" USING ((item->>'total')::int <= 3);
SET ROLE partiql_reader;
SELECT count(*) FROM dynamo.partiql('SELECT * FROM Shop');
SELECT count(*) FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ''CUSTOMER#12345''');
SELECT item->'total' FROM dynamo.partiql('SELECT * FROM Shop WHERE PK = ''CUSTOMER#12345'' AND SK IN [''ORDER#002'', ''ORDER#005'']');
SELECT * FROM dynamo.partiql('DELETE FROM Shop WHERE PK = ''CUSTOMER#12345'' AND SK = ''ORDER#002''');
RESET ROLE;
SELECT dynamo.drop_table('Shop');
REVOKE ALL ON SCHEMA dynamo, dynamo_data FROM partiql_reader;
DROP ROLE partiql_reader;
