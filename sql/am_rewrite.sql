-- What rewrites, empties or moves a whole table.
CREATE TABLE am_items (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_items SELECT i % 50, i / 50, repeat('x', 150) FROM generate_series(0, 2999) i ORDER BY hashint4(i);
CREATE FUNCTION am_pages() RETURNS numeric LANGUAGE sql AS
$$ SELECT avg(n) FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM am_items GROUP BY pk) s $$;
CREATE FUNCTION am_state() RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws(', ', amname, (SELECT count(*) FROM am_items), (SELECT md5(string_agg(t::text, ',' ORDER BY pk, sk)) = md5((SELECT string_agg((i / 60, i % 60, repeat('x', 150))::text, ',' ORDER BY i) FROM generate_series(0, 2999) i)) FROM am_items t))
	FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE c.oid = 'am_items'::regclass $$;

-- the TOAST table is heap's
SELECT amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
WHERE c.oid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'am_items'::regclass);

-- VACUUM FULL sorts by the primary key, each collection lies together ...
VACUUM FULL am_items;
SELECT am_state(), am_pages() < 3 AS gathered;
-- ... and CLUSTER by the index it is told
CREATE INDEX am_by_sk ON am_items (sk, pk);
CLUSTER am_items USING am_by_sk;
SELECT am_state(), am_pages() > 30 AS scattered;
DROP INDEX am_by_sk;
CLUSTER am_items USING am_items_pkey;
SELECT am_state(), am_pages() < 3 AS gathered;
VACUUM (FREEZE, ANALYZE) am_items;
SELECT am_state(), relpages > 0 AS pages, reltuples
FROM pg_class WHERE oid = 'am_items'::regclass;

-- to heap, and back
ALTER TABLE am_items SET ACCESS METHOD heap;
SELECT am_state();
ALTER TABLE am_items SET ACCESS METHOD dynamo;
SELECT am_state();

-- ALTER TABLE that rewrites; inside a transaction that is rolled back
BEGIN;
ALTER TABLE am_items ALTER sk TYPE numeric;
INSERT INTO am_items VALUES (1, 0.5, 'half');
SELECT sk, length(body) FROM am_items WHERE pk = 1 AND sk < 2 ORDER BY sk;
ROLLBACK;
SELECT am_state();

-- TRUNCATE and more in one transaction, rolled back, then not
BEGIN;
TRUNCATE am_items;
INSERT INTO am_items VALUES (1, 1, 'other');
SELECT count(*) FROM am_items;
ROLLBACK;
SELECT am_state();
BEGIN;
SAVEPOINT s;
INSERT INTO am_items VALUES (100, 1, 'new');
ROLLBACK TO s;
TRUNCATE am_items;
INSERT INTO am_items SELECT i / 60, i % 60, repeat('x', 150) FROM generate_series(0, 2999) i;
COMMIT;
SELECT am_state();

-- the key taken away, and given back: pages found by it while it is there
ALTER TABLE am_items DROP CONSTRAINT am_items_pkey;
DELETE FROM am_items WHERE pk = 49;
INSERT INTO am_items SELECT 49, i, repeat('x', 150) FROM generate_series(0, 59) i;
ALTER TABLE am_items ADD PRIMARY KEY (pk, sk);
DELETE FROM am_items WHERE pk = 48;
INSERT INTO am_items SELECT 48, i, repeat('x', 150) FROM generate_series(0, 59) i;
SELECT am_state();

-- temporary, unlogged, partitioned; a materialized view; as default
CREATE TEMP TABLE am_temp (LIKE am_items INCLUDING ALL) USING dynamo ON COMMIT DELETE ROWS;
INSERT INTO am_temp SELECT * FROM am_items;
SELECT count(*) FROM am_temp;
CREATE UNLOGGED TABLE am_unlogged (LIKE am_items INCLUDING ALL) USING dynamo;
INSERT INTO am_unlogged SELECT * FROM am_items;
SELECT count(*) FROM am_unlogged;
SET default_table_access_method = dynamo;
CREATE TABLE am_partitioned (LIKE am_items INCLUDING ALL) PARTITION BY HASH (pk);
CREATE TABLE am_part0 PARTITION OF am_partitioned FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE am_part1 PARTITION OF am_partitioned FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO am_partitioned SELECT * FROM am_items;
UPDATE am_partitioned SET pk = pk + 1000;
CREATE MATERIALIZED VIEW am_view AS SELECT * FROM am_items;
REFRESH MATERIALIZED VIEW am_view;
RESET default_table_access_method;
SELECT relname, amname FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE relname ~ '^am_(part|view)' AND relkind IN ('r', 'm') ORDER BY 1;
SELECT (SELECT count(*) FROM am_partitioned) AS partitioned, (SELECT count(*) FROM am_view) AS view;
DROP TABLE am_temp, am_unlogged, am_partitioned;
DROP MATERIALIZED VIEW am_view;
DROP FUNCTION am_pages, am_state;
DROP TABLE am_items;
