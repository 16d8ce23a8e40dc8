--
-- query, scan and batch_get stream: one item at a time, for as long as asked.
--
SELECT dynamo.create_table('Stream', 'pk', 'sk', sort_key_type => 'N');
INSERT INTO dynamo_data."Stream" (item)
SELECT jsonb_build_object('pk', 'p' || n % 3, 'sk', n, 'half', n % 2)::dynamo.item
FROM generate_series(1, 300) AS n;
ANALYZE dynamo_data."Stream";

-- A plan node of ours, no Function Scan that collects all
EXPLAIN (COSTS OFF)
SELECT item->>'sk' FROM dynamo.query('Stream', 'pk = :p', '{":p": "p1"}') LIMIT 1;
EXPLAIN (COSTS OFF) SELECT item->>'sk' FROM dynamo.scan('Stream', max_items => 5);
EXPLAIN (COSTS OFF) SELECT item->>'sk' FROM dynamo.batch_get('Stream', '{"pk": "p1", "sk": 1}');

-- LIMIT stops it: of 100 items one is read
CREATE FUNCTION rows_of(plan_node text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ plan_node THEN
			RETURN NEXT substring(line FROM 'actual rows=(\d+)');
		END IF;
	END LOOP;
END
$$;
SELECT rows_of('Custom Scan', $$SELECT item FROM dynamo.query('Stream', 'pk = :p', '{":p": "p1"}') LIMIT 1$$);
SELECT rows_of('Custom Scan', $$SELECT item FROM dynamo.scan('Stream') LIMIT 7$$);

-- A join runs it once for each outer row, closing one scan before the next
SELECT k, item->>'sk' AS first
FROM unnest('{p0,p1,p2,p3}'::text[]) AS k
	CROSS JOIN LATERAL (
		SELECT item FROM dynamo.query('Stream', 'pk = :p', jsonb_build_object(':p', k)::dynamo.item) LIMIT 1) AS q;
SELECT k, count(item)
FROM unnest('{p0,p1,p2,p3}'::text[]) AS k
	LEFT JOIN LATERAL dynamo.query('Stream', 'pk = :p', jsonb_build_object(':p', k)::dynamo.item) ON true
GROUP BY k ORDER BY k;
SELECT k, (SELECT max((item->>'sk')::int) FROM dynamo.query('Stream', 'pk = :p', jsonb_build_object(':p', k)::dynamo.item))
FROM unnest('{p0,p1,p2,p3}'::text[]) AS k;
-- Two at once, read alternately
SELECT a.item->>'sk' AS a, b.item->>'sk' AS b
FROM dynamo.query('Stream', 'pk = :p', '{":p": "p0"}', max_items => 2) AS a,
	dynamo.query('Stream', 'pk = :p', '{":p": "p1"}', max_items => 2) AS b;
SELECT (dynamo.query('Stream', 'pk = :p', '{":p": "p0"}', max_items => 2))->>'sk' AS a,
	(dynamo.query('Stream', 'pk = :p', '{":p": "p1"}', max_items => 3))->>'sk' AS b;

-- Where core scans the function it works all the same
SELECT count(*) FROM dynamo.query('Stream', 'pk = :p', (SELECT '{":p": "p1"}'::dynamo.item));
SELECT count(*) FROM ROWS FROM (dynamo.scan('Stream'), generate_series(1, 2)) AS r;

-- A cursor sees the table as it was when opened, and may be left half-read
BEGIN;
DECLARE c CURSOR FOR SELECT item->>'sk' AS sk FROM dynamo.query('Stream', 'pk = :p', '{":p": "p1"}');
FETCH 2 FROM c;
SELECT count(dynamo.delete_item('Stream', jsonb_build_object('pk', 'p1', 'sk', n)::dynamo.item, return_values => 'ALL_OLD'))
FROM generate_series(1, 300) AS n;
FETCH 2 FROM c;
SAVEPOINT s;
FETCH 1 FROM c;
ROLLBACK TO s;
CLOSE c;
SELECT count(*) FROM dynamo.scan('Stream');
ROLLBACK;
-- An error in the middle, and one that is caught
SELECT 1 / ((item->>'sk')::int - 4) FROM dynamo.query('Stream', 'pk = :p', '{":p": "p1"}');
DO $$
BEGIN
	PERFORM 1 / ((item->>'sk')::int - 4) FROM dynamo.query('Stream', 'pk = :p', '{":p": "p1"}');
EXCEPTION WHEN division_by_zero THEN
	RAISE NOTICE 'caught';
END
$$;
-- A loop in PL/pgSQL that writes what it reads
DO $$
DECLARE i dynamo.item;
	n int := 0;
BEGIN
	FOR i IN SELECT item FROM dynamo.query('Stream', 'pk = :p', '{":p": "p2"}') LOOP
		PERFORM dynamo.update_item('Stream', jsonb_build_object('pk', 'p2', 'sk', i->'sk')::dynamo.item,
			'SET seen = :t', '{":t": true}');
		n := n + 1;
		EXIT WHEN n = 10;
	END LOOP;
END
$$;
SELECT count(*) FROM dynamo.scan('Stream', 'seen = :t', '{":t": true}');

-- max_items counts what is returned, after the filter
SELECT array_agg(item->>'sk') FROM dynamo.query('Stream', 'pk = :p', '{":p": "p0", ":h": 0}',
	filter_expression => 'half = :h', max_items => 3);
SELECT array_agg(item->>'sk') FROM dynamo.query('Stream', 'pk = :p', '{":p": "p0"}',
	filter_expression => 'attribute_not_exists(half)');
SELECT count(*) FROM dynamo.scan('Stream', max_items => 0);
SELECT count(*) FROM dynamo.scan('Stream', max_items => -1);

-- Segments are disjoint and complete
SELECT count(*), count(DISTINCT item->>'sk')
FROM generate_series(0, 4) AS s, LATERAL dynamo.scan('Stream', segment => s, total_segments => 5);

DROP FUNCTION rows_of;
SELECT dynamo.drop_table('Stream');
