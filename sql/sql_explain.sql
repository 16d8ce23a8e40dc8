-- EXPLAIN shows what a call reads: the btree, the part of its keys, how many items
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SELECT dynamo.create_table('Explain', 'pk', 'sk N');
SELECT dynamo.create_index('Explain', 'ByKind', 'kind', 'n N');
SELECT dynamo.create_index('Explain', 'ByTwo', ARRAY['kind', 'pk'], ARRAY['n N', 'sk N']);
SELECT dynamo.create_table('ExplainOne', 'id');
INSERT INTO dynamo_data."Explain" (item)
	SELECT format('{"pk": "p%s", "sk": %s, "kind": "k%s", "n": %s}', i % 100, i / 100, i % 2, i)::dynamo.item
	FROM generate_series(0, 1999) AS i;
INSERT INTO dynamo_data."ExplainOne" (item)
	SELECT format('{"id": "p%s", "n": %s}', i, i)::dynamo.item FROM generate_series(0, 99) AS i;
ANALYZE dynamo_data."Explain", dynamo_data."ExplainOne";

-- in the first statement of a session, too: planning loads the module
\c -
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.scan('Explain');
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}');
-- a range of sort keys, and what else is asked for
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.query('Explain', '#p = :p AND sk BETWEEN :a AND :b',
	'{":p": "p7", ":a": -1, ":b": 1.50}', filter_expression => 'n > :a',
	expression_attribute_names => '{"#p": "pk"}', scan_index_forward => false, max_items => 5);
-- an index; the WHERE of SQL is a filter of its own
EXPLAIN (COSTS OFF) SELECT item->>'n' FROM dynamo.query('Explain', 'kind = :k AND n >= :n',
	'{":k": "k\"1", ":n": 10}', 'ByKind') WHERE item->>'sk' = '3';
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.query('Explain', 'kind = :k AND pk = :p AND n = :n AND sk < :n',
	'{":k": "k1", ":p": "p1", ":n": 10}', 'ByTwo');
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.scan('Explain', index_name => 'ByKind');
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.get_item('Explain', '{"pk": "p7", "sk": 3}');
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.get_item('Explain', NULL);
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.batch_get('ExplainOne', '{"id": "p1"}', '{"id": "p2"}');
-- it refuses what the call would be refused for
EXPLAIN SELECT * FROM dynamo.query('Explain', 'sk = :s', '{":s": 1}');
EXPLAIN SELECT * FROM dynamo.get_item('Explain', '{"pk": "a"}');
-- in a target list it is core's node that calls the function
EXPLAIN (COSTS OFF) SELECT dynamo.query('Explain', 'pk = :p', '{":p": "p7"}');

-- Executed: read and returned are ScannedCount and Count, and LIMIT stops both
-- (PostgreSQL 18 shows numbers of rows as 1.00, and means over several loops;
-- 19 names a SubPlan after its kind)
CREATE FUNCTION explain_run(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
		RETURN NEXT regexp_replace(regexp_replace(line, '(rows=\d+)\.00', '\1'), 'SubPlan \w+', 'SubPlan');
	END LOOP;
END
$$;
SELECT explain_run($$SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7", ":n": 1500}', filter_expression => 'n > :n')$$);
SELECT explain_run($$SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}') LIMIT 3$$);
SELECT explain_run($$SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}', max_items => 3)$$);
SELECT explain_run($$SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}') WHERE item->>'sk' = '3'$$);
SELECT explain_run($$SELECT * FROM dynamo.scan('Explain') LIMIT 3$$);
SELECT explain_run($$SELECT * FROM dynamo.get_item('ExplainOne', '{"id": "p7"}')$$);
SELECT explain_run($$SELECT * FROM dynamo.get_item('ExplainOne', '{"id": "nobody"}')$$);
SELECT explain_run($$SELECT * FROM dynamo.batch_get('ExplainOne', '{"id": "p1"}', NULL, '{"id": "p2"}', '{"id": "nobody"}')$$);
-- in JSON as members of the plan
CREATE FUNCTION explain_json(query text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan #> '{0,Plan}';
END
$$;
SELECT plan ->> 'Custom Plan Provider', plan ->> 'Table', plan ->> 'Index', plan ->> 'Key'
	FROM explain_json($$SELECT * FROM dynamo.get_item('ExplainOne', '{"id": "p1"}')$$) AS plan;
-- never executed: nothing has been read
SELECT explain_run($$SELECT * FROM generate_series(1, 0) AS n, dynamo.query('Explain', 'pk = :p',
	jsonb_build_object(':p', n)::dynamo.item)$$);
-- parameters of a prepared statement, in a plan for these values and for any
PREPARE one(text) AS SELECT * FROM dynamo.query('Explain', 'pk = :p', jsonb_build_object(':p', $1)::dynamo.item);
EXPLAIN (COSTS OFF) EXECUTE one('p8');
SET plan_cache_mode = force_generic_plan;
SELECT explain_run($$EXECUTE one('p9')$$);
SELECT explain_run($$EXECUTE one('nobody')$$);
RESET plan_cache_mode;
-- a volatile argument is evaluated once, when the call is executed
CREATE SEQUENCE explain_calls;
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.get_item('ExplainOne', jsonb_build_object('id', nextval('explain_calls')::text)::dynamo.item);
SELECT explain_run($$SELECT * FROM dynamo.get_item('ExplainOne', jsonb_build_object('id', nextval('explain_calls')::text)::dynamo.item)$$);
SELECT last_value, is_called FROM explain_calls;

-- A join reads one collection a row; arguments of other rows are shown as written
SELECT explain_run($$SELECT count(*) FROM dynamo.scan('ExplainOne') AS o,
	dynamo.query('Explain', 'pk = :p', jsonb_build_object(':p', o.item->>'id')::dynamo.item) AS m$$);
SELECT count(*), sum((m.item->>'n')::int) FROM dynamo.scan('ExplainOne') AS o,
	dynamo.query('Explain', 'pk = :p', jsonb_build_object(':p', o.item->>'id')::dynamo.item) AS m;
SELECT id, o.item->>'n' FROM (VALUES (1, 'p3'), (2, 'nobody'), (3, 'p4')) AS c (k, id)
	LEFT JOIN LATERAL dynamo.get_item('ExplainOne', jsonb_build_object('id', id)::dynamo.item) AS o ON true ORDER BY k;
-- so does a subquery, of which LIMIT reads a part
SELECT explain_run($$SELECT id, (SELECT m.item->>'n' FROM dynamo.query('Explain', 'pk = :p',
	jsonb_build_object(':p', id)::dynamo.item, scan_index_forward => false) AS m LIMIT 1)
	FROM (VALUES ('p3'), ('p5'), ('p4')) AS c (id)$$);

-- Plans of core's, where the function is not alone or its whole row is needed
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}') WITH ORDINALITY;
SELECT item->>'sk', ordinality FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}') WITH ORDINALITY LIMIT 2;
CREATE TABLE explain_plain AS SELECT i, 'p' || i AS id FROM generate_series(0, 9999) AS i;
CREATE INDEX ON explain_plain (id);
ANALYZE explain_plain;
BEGIN;
EXPLAIN (COSTS OFF) UPDATE explain_plain SET i = -i FROM dynamo.get_item('ExplainOne', '{"id": "p7"}') AS o
	WHERE id = o.item->>'id';
UPDATE explain_plain SET i = -i FROM dynamo.get_item('ExplainOne', '{"id": "p7"}') AS o
	WHERE id = o.item->>'id' RETURNING id, i;
SELECT o, i FROM explain_plain, dynamo.get_item('ExplainOne', '{"id": "p8"}') AS o
	WHERE id = o.item->>'id' FOR UPDATE OF explain_plain;
ROLLBACK;
-- a cursor that goes backward keeps the rows; one that does not has none
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT item->>'sk' FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}');
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
DECLARE d NO SCROLL CURSOR FOR SELECT item->>'sk' FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}');
FETCH 2 FROM d;
FETCH BACKWARD 1 FROM d;
ROLLBACK;

-- Rows are estimated: items a partition key has, and what the condition's operators leave of them
CREATE FUNCTION explain_rows(query text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
	RETURN explain_json(query) ->> 'Plan Rows';
END
$$;
SELECT condition, explain_rows(format($$SELECT * FROM dynamo.query('Explain', %L, '%s')$$, condition, values))
FROM (VALUES (1, 'pk = :a', '{":a": "p7"}'),
	(2, 'pk = :a AND sk > :b', '{":a": "p7", ":b": 1}'),
	(3, 'sk BETWEEN :b AND :c AND pk = :a', '{":a": "p7", ":b": 1, ":c": 3}'),
	(4, 'sk = :b AND (pk = :a)', '{":a": "p7", ":b": 1}')) AS t (n, condition, values) ORDER BY n;
SELECT explain_rows($$SELECT * FROM dynamo.query('Explain', 'kind = :k', '{":k": "k1"}', 'ByKind')$$),
	explain_rows($$SELECT * FROM dynamo.query('Explain', 'kind = :k AND n = :n', '{":k": "k1", ":n": 3}', 'ByKind')$$),
	explain_rows($$SELECT * FROM dynamo.query('Explain', 'pk = :p AND kind = :k', '{":p": "p7", ":k": "k1"}', 'ByTwo')$$);
SELECT explain_rows($$SELECT * FROM dynamo.scan('Explain')$$),
	explain_rows($$SELECT * FROM dynamo.scan('Explain', segment => 1, total_segments => 4)$$),
	explain_rows($$SELECT * FROM dynamo.scan('Explain', max_items => 7)$$),
	explain_rows($$SELECT * FROM dynamo.scan('Explain', 'n > :n', '{":n": 3}')$$),
	explain_rows($$SELECT * FROM dynamo.query('ExplainOne', 'id = :i', '{":i": "p7"}')$$);
-- so a join with few rows looks each up, and one with many does not
EXPLAIN (COSTS OFF) SELECT * FROM explain_plain JOIN dynamo.query('ExplainOne', 'id = :i', '{":i": "p7"}') ON id = item->>'id';
EXPLAIN (COSTS OFF) SELECT * FROM explain_plain JOIN dynamo.query('Explain', 'kind = :k', '{":k": "k1"}', 'ByKind') ON id = item->>'pk';
-- planning raises nothing of its own: these calls are never executed
SELECT count(*) FROM generate_series(1, 0) AS one,
	LATERAL dynamo.query('NoSuchTable', 'nonsense(((', jsonb_build_object(':p', one)::dynamo.item);
SELECT count(*) FROM generate_series(1, 0) AS one,
	LATERAL dynamo.query('Explain', 'foo(pk, :p) AND pk = size(sk)', jsonb_build_object(':p', one)::dynamo.item);

-- Privileges count when the plan is executed, and explained
CREATE ROLE regress_explain;
SET ROLE regress_explain;
EXPLAIN SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}');
EXPLAIN SELECT * FROM dynamo.get_item('ExplainOne', '{"id": "p7"}');
EXECUTE one('p8');
-- nor do estimates say how many items there are
SELECT explain_rows($$SELECT * FROM (SELECT 1 AS a OFFSET 0) AS one,
	LATERAL dynamo.scan('Explain', 'n > :n', jsonb_build_object(':n', a)::dynamo.item)$$);
RESET ROLE;
GRANT SELECT ON dynamo_data."Explain" TO regress_explain;
REVOKE EXECUTE ON FUNCTION dynamo.scan FROM PUBLIC;
SET ROLE regress_explain;
EXPLAIN (COSTS OFF) SELECT * FROM dynamo.query('Explain', 'pk = :p', '{":p": "p7"}');
SELECT * FROM dynamo.scan('Explain');
RESET ROLE;
GRANT EXECUTE ON FUNCTION dynamo.scan TO PUBLIC;
REVOKE SELECT ON dynamo_data."Explain" FROM regress_explain;
DROP ROLE regress_explain;
DROP TABLE explain_plain;
DROP SEQUENCE explain_calls;
DROP FUNCTION explain_run, explain_rows, explain_json;
SELECT dynamo.drop_table('Explain'), dynamo.drop_table('ExplainOne');
