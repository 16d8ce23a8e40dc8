-- Placement fails no insert that heap would have done, refuses none in words
-- of its own, and leaves nothing behind.
CREATE TABLE am_items (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo WITH (autovacuum_enabled = off);

-- pages of an aborted load, gone again, with nothing in the catalogs changed;
-- heap then inserts on its own, and has a target block again
INSERT INTO am_items SELECT i / 40, i % 40, repeat('x', 150) FROM generate_series(0, 3999) i;
VACUUM am_items;
SELECT pg_relation_size('am_items') AS before \gset
BEGIN;
INSERT INTO am_items SELECT 200 + i / 40, i % 40, repeat('x', 150) FROM generate_series(0, 3999) i;
ROLLBACK;
VACUUM am_items;
SELECT pg_relation_size('am_items') = :before AS truncated;
SET dynamo.placement = off;
INSERT INTO am_items VALUES (100, 0, '');
SET dynamo.placement = on;
INSERT INTO am_items VALUES (299, 0, '');
SELECT count(*) FROM am_items;
DROP TABLE am_items;

-- a row that fits no page and has no TOAST table to shrink to, however it comes
\set VERBOSITY terse
DO $$
BEGIN
	EXECUTE (SELECT format('CREATE TABLE am_wide (pk int, sk int, %s, PRIMARY KEY (pk, sk)) USING dynamo',
			string_agg(format('c%s bigint DEFAULT 0', i), ', ')) FROM generate_series(1, 1200) i);
	EXECUTE (SELECT format('INSERT INTO am_wide VALUES (1, 1 %s)', repeat(', NULL', 1200)));
END $$;
INSERT INTO am_wide VALUES (1, 2);
INSERT INTO am_wide VALUES (1, 2) ON CONFLICT DO NOTHING;
COPY am_wide FROM PROGRAM 'seq -s , 1 1202' (FORMAT csv);
DO $$
BEGIN
	EXECUTE (SELECT format('UPDATE am_wide SET %s', string_agg(format('c%s = 0', i), ', ')) FROM generate_series(1, 1200) i);
END $$;
SELECT count(*), pg_relation_size('am_wide') = current_setting('block_size')::int AS one_page FROM am_wide;
DROP TABLE am_wide;
\set VERBOSITY default

-- keys that the index holds compressed: what comparing them takes is given back
CREATE TABLE am_keys (pk text, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo;
CREATE FUNCTION am_memory() RETURNS bigint VOLATILE LANGUAGE sql AS
$$ SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts WHERE name = 'ExecutorState' $$;
INSERT INTO am_keys SELECT repeat('k', 2000) || i, 0, CASE i WHEN 4000 THEN am_memory()::text END FROM generate_series(1, 4000) i;
SELECT body::bigint < 4000000 AS given_back FROM am_keys WHERE body IS NOT NULL;
DROP TABLE am_keys;
DROP FUNCTION am_memory();
