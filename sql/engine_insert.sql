-- INSERT by plain SQL gives the item alone.  Its key follows from it: by
-- generated columns on one server, and by the statement's analysis where a
-- table is distributed (sql_insert.c), so this file prints the same there.
CREATE FUNCTION pg_temp.stored(OUT item dynamo.item) RETURNS SETOF dynamo.item LANGUAGE sql AS
	$$ SELECT item FROM dynamo.scan('Plain') AS s(item) ORDER BY item::text COLLATE "C" $$;
SELECT dynamo.create_table('Plain', 'a', 'b');

-- One row, and several: a list of rows is another tree.
INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "one", "b": "1"}');
INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "two", "b": "1"}'), ('{"a": "two", "b": "2"}');

-- What a query gives: a column, a cast of one, a constant, and a query that has
-- no place for a column more.
CREATE TEMP TABLE source AS SELECT jsonb_build_object('a', 'jsonb', 'b', i::text) AS j FROM generate_series(1, 2) AS i;
INSERT INTO dynamo_data."Plain" (item) SELECT jsonb_build_object('a', 'query', 'b', i::text)::dynamo.item FROM generate_series(1, 3) AS i;
INSERT INTO dynamo_data."Plain" (item) SELECT j FROM source;
INSERT INTO dynamo_data."Plain" (item) SELECT '{"a": "constant", "b": "1"}';
WITH c AS (SELECT j FROM source WHERE j ->> 'b' = '1')
	INSERT INTO dynamo_data."Plain" (item) (SELECT jsonb_set(j, '{a}', '"union"')::dynamo.item FROM c UNION SELECT '{"a": "union", "b": "2"}');

-- Where the INSERT is a part of something: WITH, EXPLAIN, a statement that was
-- prepared, a function.
WITH new AS (INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "with", "b": "1"}') RETURNING item) SELECT item FROM new;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT xml) INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "explain", "b": "1"}') \g /dev/null
PREPARE upsert AS INSERT INTO dynamo_data."Plain" (item) VALUES ($1) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;
SELECT format('EXECUTE upsert(%L)', jsonb_build_object('a', 'prepared', 'b', (i % 2)::text, 'n', i)) FROM generate_series(1, 8) AS i \gexec
DO $$ BEGIN
	FOR i IN 1 .. 7 LOOP
		INSERT INTO dynamo_data."Plain" (item) VALUES (jsonb_build_object('a', 'loop', 'b', i::text)::dynamo.item);
	END LOOP;
END $$;
SELECT * FROM pg_temp.stored();

-- A key that is there, or is not in the item.
\set VERBOSITY sqlstate
INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "one", "b": "1"}');
INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "one"}');
INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "three", "b": "1"}'), ('{"b": "1"}');
INSERT INTO dynamo_data."Plain" (item) VALUES (NULL), ('{"a": "three", "b": "1"}');
INSERT INTO dynamo_data."Plain" (item) VALUES ('{"a": "three", "b": "1"}'), ('{"a": "one", "b": "1"}');
\set VERBOSITY default
SELECT count(*) FROM pg_temp.stored();

-- A table without a sort key.
SELECT dynamo.create_table('Short', 'a');
INSERT INTO dynamo_data."Short" (item) SELECT jsonb_build_object('a', i::text)::dynamo.item FROM generate_series(1, 3) AS i;
SELECT item FROM dynamo.get_item('Short', '{"a": "2"}') AS g(item);

-- Clean up
SELECT dynamo.drop_table('Plain');
SELECT dynamo.drop_table('Short');
