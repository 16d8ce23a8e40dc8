-- The functions that return items in all kinds of plans: rows are right, whatever runs them
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('Plans', 'pk', 'sk N'), dynamo.create_table('PlansTree', 'id');
INSERT INTO dynamo_data."Plans" (item)
	SELECT format('{"pk": "p%s", "sk": %s, "of": "q%s"}', i % 10, i, i / 2)::dynamo.item FROM generate_series(0, 99) AS i;
INSERT INTO dynamo_data."PlansTree" (item)
	SELECT format('{"id": "q%s", "up": "q%s"}', i, i / 2)::dynamo.item FROM generate_series(1, 50) AS i;
ANALYZE dynamo_data."Plans", dynamo_data."PlansTree";

-- in an Append; the whole row
SELECT count(*) FROM (SELECT item FROM dynamo.scan('Plans') UNION ALL SELECT item FROM dynamo.scan('PlansTree')) AS u
	WHERE item->>'pk' = 'p1' OR item->>'id' = 'q1';
SELECT count(u) FROM (SELECT item FROM dynamo.scan('Plans') UNION ALL SELECT item FROM dynamo.scan('PlansTree')) AS u;
SELECT count(*), count(q), count(q.*) FROM dynamo.scan('Plans') AS q;
SELECT q, row(q) FROM dynamo.get_item('PlansTree', '{"id": "q7"}') AS q;
-- below an outer join, with expressions of both sides
SELECT n, q.s, q.y FROM (VALUES (1, 'p1'), (2, 'p2'), (3, 'none')) AS t (n, x)
	LEFT JOIN LATERAL (SELECT coalesce(item->>'sk', '-') AS s, x || '!' AS y FROM dynamo.query('Plans', 'pk = :p',
		jsonb_build_object(':p', x)::dynamo.item) LIMIT 2) AS q ON q.s <> '11' ORDER BY n, s;
-- rescanned by a recursion, and below a Memoize
WITH RECURSIVE up (id, item) AS (
	SELECT 'q40', item FROM dynamo.get_item('PlansTree', '{"id": "q40"}')
	UNION ALL
	SELECT u.item->>'up', g.item FROM up AS u,
		dynamo.get_item('PlansTree', jsonb_build_object('id', u.item->>'up')::dynamo.item) AS g)
SELECT string_agg(id, ' ') FROM up;
SELECT count(*) FROM dynamo.scan('Plans') AS a,
	dynamo.scan('Plans', '#o = :p', jsonb_build_object(':p', a.item->>'of')::dynamo.item, expression_attribute_names => '{"#o": "of"}') AS b,
	dynamo.get_item('PlansTree', jsonb_build_object('id', b.item->>'of')::dynamo.item) AS g
	WHERE g.item->>'up' = 'q3';
-- arguments from an InitPlan, and from a SubPlan
SELECT count(*) FROM dynamo.query('Plans', 'pk = :p', (SELECT '{":p": "p3"}'::dynamo.item));
SELECT x, (SELECT count(*) FROM dynamo.query('Plans', 'pk = :p', (SELECT jsonb_build_object(':p', y)::dynamo.item
	FROM (VALUES ('p3'), ('none')) AS v (y) WHERE y = x))) FROM (VALUES ('p3'), ('none')) AS t (x);
-- semi, anti and full joins; beside parallel workers
SELECT count(*) FROM dynamo.scan('Plans') AS a
	WHERE EXISTS (SELECT FROM dynamo.get_item('PlansTree', jsonb_build_object('id', a.item->>'of')::dynamo.item));
SELECT count(*) FROM dynamo.scan('Plans') AS a WHERE a.item->>'of' NOT IN (SELECT item->>'id' FROM dynamo.scan('PlansTree'));
SELECT count(*) FROM dynamo.scan('Plans') AS a FULL JOIN dynamo.scan('PlansTree') AS b ON a.item->>'of' = b.item->>'id';
CREATE TABLE plans_plain AS SELECT 'q' || i AS id, 0 AS n FROM generate_series(1, 20000) AS i;
ANALYZE plans_plain;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT count(*) FROM plans_plain AS p JOIN dynamo.scan('PlansTree') AS b ON b.item->>'id' = p.id;
ROLLBACK;
-- as the source of writes; a statement does not see what it writes
MERGE INTO plans_plain AS p USING dynamo.scan('PlansTree') AS b ON p.id = b.item->>'id' WHEN MATCHED THEN UPDATE SET n = 1;
SELECT sum(n) FROM plans_plain;
DELETE FROM plans_plain AS p USING dynamo.get_item('PlansTree', '{"id": "q3"}') AS g WHERE p.id = g.item->>'id' RETURNING id;
INSERT INTO dynamo_data."PlansTree" (item)
	SELECT jsonb_build_object('id', 'z' || (item->>'id'))::dynamo.item FROM dynamo.scan('PlansTree');
SELECT count(*) FROM dynamo.scan('PlansTree');
-- a view, an inlined function, one with settings of its own, another plan in PL/pgSQL after five
CREATE VIEW plans_view AS SELECT q.item->>'sk' AS sk FROM dynamo.query('Plans', 'pk = :p', '{":p": "p1"}') AS q;
SELECT count(*) FROM plans_view;
CREATE FUNCTION plans_inlined() RETURNS SETOF dynamo.item LANGUAGE sql STABLE AS $$SELECT item FROM dynamo.scan('Plans')$$;
SELECT count(*) FROM plans_inlined();
BEGIN;
ALTER FUNCTION dynamo.scan SET work_mem = '1MB';
SELECT count(*) FROM dynamo.scan('Plans');
ROLLBACK;
DO $$
DECLARE r record; n int := 0;
BEGIN
	FOR i IN 1 .. 12 LOOP
		FOR r IN SELECT item FROM dynamo.query('Plans', 'pk = :p', jsonb_build_object(':p', 'p' || i % 10)::dynamo.item) LOOP
			n := n + 1;
		END LOOP;
	END LOOP;
	RAISE NOTICE '%', n;
END
$$;
DROP VIEW plans_view;
DROP FUNCTION plans_inlined;
DROP TABLE plans_plain;
SELECT dynamo.drop_table('Plans'), dynamo.drop_table('PlansTree');
