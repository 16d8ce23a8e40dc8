-- Index builds read the table under heap's name, and give it its own back.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS amcheck;
RESET client_min_messages;
CREATE TABLE am_items (pk int, sk int, item jsonb, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_items SELECT i % 10, i / 10, jsonb_build_object('n', i) FROM generate_series(0, 1999) i;

-- serial, concurrent, parallel, of every method, partial, unique, on expressions
CREATE INDEX am_plain ON am_items (sk);
CREATE UNIQUE INDEX CONCURRENTLY am_unique ON am_items (((item ->> 'n')::int));
CREATE INDEX CONCURRENTLY am_partial ON am_items ((item ->> 'n')) WHERE sk > 100;
SET min_parallel_table_scan_size = 0;
SET max_parallel_maintenance_workers = 2;
ALTER TABLE am_items SET (parallel_workers = 2);
CREATE INDEX am_parallel ON am_items (sk, pk);
RESET min_parallel_table_scan_size;
RESET max_parallel_maintenance_workers;
CREATE INDEX am_hash ON am_items USING hash (sk);
CREATE INDEX am_gin ON am_items USING gin (item);
CREATE INDEX am_brin ON am_items USING brin (sk);
CREATE INDEX am_gist ON am_items USING gist ((int4range(pk, sk, '[]'))) WHERE sk >= pk;
REINDEX TABLE am_items;
REINDEX TABLE CONCURRENTLY am_items;
SELECT c.relname, bt_index_check(c.oid, true) FROM pg_index i JOIN pg_class c ON c.oid = indexrelid
JOIN pg_am a ON a.oid = c.relam
WHERE indrelid = 'am_items'::regclass AND amname = 'btree' ORDER BY 1;
SET enable_seqscan = off;
SELECT count(*) FROM am_items WHERE item @> '{"n": 1000}';
SELECT count(*) FROM am_items WHERE sk = 7;
SELECT count(*) FROM am_items WHERE sk >= pk AND int4range(pk, sk, '[]') @> 150;
SELECT count(*) FROM am_items WHERE item ->> 'n' = '1999' AND sk > 100;
RESET enable_seqscan;

-- a build that fails leaves the table as it was, under its own method
ALTER TABLE am_items RESET (parallel_workers);
\set VERBOSITY terse
CREATE INDEX am_failing ON am_items ((1 / ((item ->> 'n')::int - 1500)));
CREATE UNIQUE INDEX CONCURRENTLY am_failing ON am_items (pk);
INSERT INTO am_items VALUES (0, -1, '{"n": -1}'), (0, -2, '{"n": -2}');
SELECT count(*) FROM am_items WHERE pk = 0;
DROP INDEX am_failing;
\set VERBOSITY default

-- ... so does a rebuild, of which the table itself is not told: later rows go to their collections
CREATE FUNCTION am_divide(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN n / current_setting('am.divisor')::int; END $$;
CREATE TABLE am_rebuilt (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo;
SET am.divisor = 1;
INSERT INTO am_rebuilt VALUES (0, -1);
CREATE INDEX am_divided ON am_rebuilt (am_divide(sk));
SET am.divisor = 0;
\set VERBOSITY terse
REINDEX INDEX am_divided;
\set VERBOSITY default
SET am.divisor = 1;
INSERT INTO am_rebuilt SELECT i % 20, i / 20, repeat('x', 150) FROM generate_series(0, 1999) i;
SELECT max(pages) < 15 AS gathered FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS pages FROM am_rebuilt GROUP BY pk) s;
DROP TABLE am_rebuilt;
DROP FUNCTION am_divide;

-- an index function that reads the catalogs, in subtransactions
CREATE FUNCTION am_busy(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count(*) FROM pg_class;
	RETURN n;
EXCEPTION WHEN OTHERS THEN
	RETURN 0;
END $$;
CREATE INDEX am_busily ON am_items (am_busy(sk));
SELECT bt_index_check('am_busily', true);

-- a constraint that is checked by scanning the table, and a foreign key to it
ALTER TABLE am_items ADD CHECK (sk > -10);
ALTER TABLE am_items ADD CHECK (sk > 0);
CREATE TABLE am_referring (pk int, sk int, FOREIGN KEY (pk, sk) REFERENCES am_items) USING dynamo;
INSERT INTO am_referring VALUES (1, 1), (1, 1000);
INSERT INTO am_referring VALUES (1, 1);
DELETE FROM am_items WHERE pk = 1 AND sk = 1;
DROP TABLE am_referring, am_items;
DROP FUNCTION am_busy;
