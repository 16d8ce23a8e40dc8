-- INSERT by plain SQL: a plan node of ours stores the rows where the executor
-- would do the same with more work.  With RETURNING the executor does it, so a
-- statement with and one without must come to the same.
SET client_min_messages = warning;
SELECT dynamo.create_table('Orders', 'a', 'b');
SELECT dynamo.create_index('Orders', 'ByStage', 'stage', 'at N');
-- Which parameter an InitPlan sets is told by some versions of PostgreSQL; 19 names
-- the InitPlan after its kind.
CREATE FUNCTION pg_temp.plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$ DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		RETURN NEXT regexp_replace(line, 'InitPlan \w+( \(returns .*\))?', 'InitPlan');
	END LOOP;
END $$;
-- What a statement raises; its rows do not stay.
CREATE FUNCTION pg_temp.raised(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE
	state text; message text; detail text;
BEGIN
	EXECUTE statement;
	RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' | ', state, left(message, 100), nullif(detail, ''));
END $$;

-- Where the node is, and where it is not.
SELECT pg_temp.plan($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "1", "b": "1"}')$$);
SELECT pg_temp.plan($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "1", "b": "1"}'), ('{"a": "1", "b": "2"}')$$);
SELECT pg_temp.plan($$INSERT INTO dynamo_data."Orders" (item) SELECT item FROM dynamo_data."Orders"$$);
SELECT pg_temp.plan($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "1", "b": "1"}') RETURNING item$$);
SELECT pg_temp.plan($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "1", "b": "1"}') ON CONFLICT DO NOTHING$$);
SELECT pg_temp.plan($$WITH w AS (INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "1", "b": "1"}')) SELECT 1$$);

-- Rows, index entries, the number of rows that a client is told.
INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "1", "b": "1", "stage": "open", "at": 2}');
INSERT INTO dynamo_data."Orders" (item)
	SELECT jsonb_build_object('a', '1', 'b', (i + 1)::text, 'stage', CASE WHEN i < 3 THEN 'open' END, 'at', -i)::dynamo.item FROM generate_series(1, 3) AS i;
SELECT item FROM dynamo.query('Orders', 'a = :a', '{":a": "1"}');
SELECT item ->> 'b' AS b, item ->> 'at' AS at FROM dynamo.query('Orders', 'stage = :s', '{":s": "open"}', index_name => 'ByStage');
DO $$ DECLARE n bigint; BEGIN
	INSERT INTO dynamo_data."Orders" (item) SELECT jsonb_build_object('a', '2', 'b', i::text)::dynamo.item FROM generate_series(1, 7) AS i;
	GET DIAGNOSTICS n = ROW_COUNT;
	RAISE WARNING '% rows', n;
END $$;
-- It does not see its own rows.
INSERT INTO dynamo_data."Orders" (item) SELECT item || '{"a": "3"}'::dynamo.item FROM dynamo_data."Orders" WHERE item ->> 'a' = '2';
SELECT item ->> 'a' AS a, count(*) FROM dynamo_data."Orders" GROUP BY 1 ORDER BY 1;

-- Subqueries that are evaluated once are the topmost node's, CTEs too, whether
-- the engine stores the rows or the executor does.
CREATE TABLE source (item dynamo.item);
INSERT INTO source VALUES ('{"a": "11", "b": "0"}');
PREPARE once AS INSERT INTO dynamo_data."Orders" (item) VALUES ((SELECT item || $1 FROM source));
SELECT pg_temp.plan($$EXECUTE once('{"b": "1"}')$$);
EXECUTE once('{"b": "1"}');
CREATE FUNCTION pg_temp.as_is() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER as_is BEFORE INSERT ON dynamo_data."Orders" FOR EACH ROW EXECUTE FUNCTION pg_temp.as_is();
EXECUTE once('{"b": "2"}');
DROP TRIGGER as_is ON dynamo_data."Orders";
WITH taken AS (DELETE FROM source RETURNING item)
INSERT INTO dynamo_data."Orders" (item) SELECT item || '{"b": "3"}'::dynamo.item FROM taken WHERE EXISTS (SELECT FROM source);
SELECT item FROM dynamo.query('Orders', 'a = :a', '{":a": "11"}');
DEALLOCATE once;
DROP TABLE source;

-- Errors are those of the executor, or of PutItem for the item.
CREATE TABLE bad (what text, item text);
INSERT INTO bad VALUES
	('key is there', $$'{"a": "1", "b": "1"}'$$),
	('no sort key', $$'{"a": "1"}'$$),
	('no key', $$'{"b": "1"}'$$),
	('another type', $$'{"a": 1, "b": "1"}'$$),
	('empty', $$'{"a": "1", "b": ""}'$$),
	('key too long', $$jsonb_build_object('a', '1', 'b', repeat('x', 1025))::dynamo.item$$),
	('too large', $$jsonb_build_object('a', '1', 'b', 'x', 'c', repeat('x', 410000))::dynamo.item$$),
	('no item', $$NULL$$);
SELECT what, pg_temp.raised(format('INSERT INTO dynamo_data."Orders" (item) VALUES (%s)', item)) AS raised,
	pg_temp.raised(format('INSERT INTO dynamo_data."Orders" (item) VALUES (%s)', item)) =
	pg_temp.raised(format('INSERT INTO dynamo_data."Orders" (item) VALUES (%s) RETURNING 1', item)) AS same
FROM bad;
-- An item that no index takes is stored, and not in the index.
INSERT INTO dynamo_data."Orders" (item) SELECT '{"a": "9", "b": "1", "stage": 7, "at": "x"}';
SELECT count(*) FROM dynamo.scan('Orders', index_name => 'ByStage');

-- Indexes that others have made: a unique one, with an expression and a
-- predicate, and one of another access method.
CREATE UNIQUE INDEX numbers ON dynamo_data."Orders" ((item ->> 'number')) WHERE item ->> 'number' <> '0';
CREATE INDEX blocks ON dynamo_data."Orders" USING brin ((item ->> 'b'));
INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "4", "b": "1", "number": "7"}'), ('{"a": "4", "b": "2", "number": "0"}'), ('{"a": "4", "b": "3", "number": "0"}');
SELECT pg_temp.raised($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "4", "b": "4", "number": "7"}')$$);
-- Their expressions are prepared once, or else many rows would fill memory.
CREATE FUNCTION pg_temp.used(n int) RETURNS dynamo.item LANGUAGE sql VOLATILE AS $$
	SELECT jsonb_build_object('a', '12', 'b', n::text, 'used', CASE WHEN n % 2999 = 1 THEN (SELECT sum(used_bytes) FROM pg_backend_memory_contexts) END)::dynamo.item $$;
INSERT INTO dynamo_data."Orders" (item) SELECT pg_temp.used(i) FROM generate_series(1, 3000) AS i;
SELECT max((item ->> 'used')::numeric) - min((item ->> 'used')::numeric) < 1000000 AS flat FROM dynamo_data."Orders" WHERE item ->> 'a' = '12' AND item ->> 'b' IN ('1', '3000');
DELETE FROM dynamo_data."Orders" WHERE item ->> 'a' = '12';
DROP INDEX dynamo_data.numbers, dynamo_data.blocks;

-- A plan that is kept follows the relation: the next row is for a trigger, then
-- for policies, and then for nobody else.
CREATE FUNCTION pg_temp.upper_b() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	NEW.item := NEW.item || '{"b": "B"}'::dynamo.item;
	RETURN NEW;
END $$;
PREPARE add AS INSERT INTO dynamo_data."Orders" (item) VALUES ($1);
SELECT pg_temp.plan($$EXECUTE add('{"a": "5", "b": "b"}')$$);
EXECUTE add('{"a": "5", "b": "b"}');
CREATE TRIGGER upper_b BEFORE INSERT ON dynamo_data."Orders" FOR EACH ROW EXECUTE FUNCTION pg_temp.upper_b();
SELECT pg_temp.plan($$EXECUTE add('{"a": "5", "b": "b"}')$$);
EXECUTE add('{"a": "5", "b": "c"}');
DROP TRIGGER upper_b ON dynamo_data."Orders";
SELECT pg_temp.plan($$EXECUTE add('{"a": "5", "b": "b"}')$$);
EXECUTE add('{"a": "5", "b": "d"}');
SELECT item FROM dynamo.query('Orders', 'a = :a', '{":a": "5"}');
-- A constraint, another column, columns that are not generated any more.
ALTER TABLE dynamo_data."Orders" ADD CONSTRAINT short CHECK (length(item ->> 'b') < 3);
SELECT pg_temp.plan($$EXECUTE add('{"a": "5", "b": "b"}')$$);
SELECT pg_temp.raised($$EXECUTE add('{"a": "5", "b": "long"}')$$);
ALTER TABLE dynamo_data."Orders" DROP CONSTRAINT short;
BEGIN;
ALTER TABLE dynamo_data."Orders" ADD COLUMN at timestamptz DEFAULT 'epoch';
SELECT pg_temp.plan($$EXECUTE add('{"a": "5", "b": "b"}')$$);
ROLLBACK;
BEGIN;
ALTER TABLE dynamo_data."Orders" ALTER COLUMN sk DROP EXPRESSION;
SELECT pg_temp.plan($$EXECUTE add('{"a": "5", "b": "b"}')$$);
ROLLBACK;
-- Columns of the key that a constraint compares with the item: the statement gives them.
BEGIN;
ALTER TABLE dynamo_data."Orders" ALTER pk DROP EXPRESSION, ALTER sk DROP EXPRESSION,
	ADD CHECK (pk = dynamo_internal.partition_key(item, 'a', 'S') AND sk = dynamo_internal.sort_key(item, 'b', 'S'));
SELECT pg_temp.plan($$INSERT INTO dynamo_data."Orders" (pk, sk, item) VALUES ('6', 'b', '{"a": "5", "b": "b"}')$$);
SELECT pg_temp.raised($$INSERT INTO dynamo_data."Orders" (pk, sk, item) VALUES ('6', 'b', '{"a": "5", "b": "b"}')$$);
ROLLBACK;
-- A stream: its records are left by a trigger.
SELECT dynamo.enable_stream('Orders') IS NOT NULL AS streams;
SELECT pg_temp.plan($$EXECUTE add('{"a": "5", "b": "b"}')$$);
EXECUTE add('{"a": "6", "b": "1"}');
SELECT event_name, keys FROM dynamo.stream('Orders');

-- Who may not insert, and where nothing may be written.
CREATE ROLE insert_reader;
GRANT SELECT ON dynamo_data."Orders" TO insert_reader;
SELECT dynamo.disable_stream('Orders') IS NOT NULL AS streamed;
SET ROLE insert_reader;
SELECT pg_temp.raised($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "7", "b": "1"}')$$);
RESET ROLE;
GRANT INSERT (item) ON dynamo_data."Orders" TO insert_reader;
SET ROLE insert_reader;
SELECT pg_temp.raised($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "7", "b": "1"}')$$);
RESET ROLE;
BEGIN READ ONLY;
INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "7", "b": "2"}');
ROLLBACK;
-- Policies are the executor's.
ALTER TABLE dynamo_data."Orders" ENABLE ROW LEVEL SECURITY;
CREATE POLICY seven ON dynamo_data."Orders" TO insert_reader WITH CHECK (item ->> 'a' = '7');
SET ROLE insert_reader;
SELECT pg_temp.plan($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "7", "b": "3"}')$$);
SELECT pg_temp.raised($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "8", "b": "3"}')$$);
RESET ROLE;
-- A view inserts as its owner, to whom they do not apply, whoever uses it.
CREATE VIEW owned AS SELECT item FROM dynamo_data."Orders";
GRANT INSERT ON owned TO insert_reader;
SET ROLE insert_reader;
SET row_security = off;
SELECT pg_temp.plan($$INSERT INTO owned VALUES ('{"a": "8", "b": "2"}')$$);
SELECT pg_temp.raised($$INSERT INTO owned VALUES ('{"a": "8", "b": "2"}')$$);
SELECT pg_temp.raised($$INSERT INTO dynamo_data."Orders" (item) VALUES ('{"a": "7", "b": "3"}')$$);
RESET row_security;
RESET ROLE;
DROP VIEW owned;
-- A view, with a check of its own and without.
ALTER TABLE dynamo_data."Orders" DISABLE ROW LEVEL SECURITY;
CREATE VIEW eights AS SELECT item FROM dynamo_data."Orders" WHERE item ->> 'a' = '8';
SELECT pg_temp.plan($$INSERT INTO eights VALUES ('{"a": "8", "b": "1"}')$$);
INSERT INTO eights VALUES ('{"a": "8", "b": "1"}');
CREATE OR REPLACE VIEW eights AS SELECT item FROM dynamo_data."Orders" WHERE item ->> 'a' = '8' WITH CHECK OPTION;
SELECT pg_temp.raised($$INSERT INTO eights VALUES ('{"a": "7", "b": "4"}')$$);
SELECT * FROM eights ORDER BY item ->> 'b';

-- A function that the statement calls writes, too.
CREATE FUNCTION pg_temp.and_another(n int) RETURNS dynamo.item LANGUAGE plpgsql AS $$ BEGIN
	IF n = 2 THEN
		PERFORM dynamo.put_item('Orders', '{"a": "10", "b": "other"}');
	END IF;
	RETURN jsonb_build_object('a', '10', 'b', n::text);
END $$;
INSERT INTO dynamo_data."Orders" (item) SELECT pg_temp.and_another(i) FROM generate_series(1, 3) AS i;
SELECT item FROM dynamo.query('Orders', 'a = :a', '{":a": "10"}');

-- Clean up
DEALLOCATE add;
DROP VIEW eights;
DROP TABLE bad;
SELECT dynamo.drop_table('Orders');
DROP ROLE insert_reader;
