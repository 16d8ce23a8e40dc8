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

-- a row that comes while the primary index is being made anew: core's words,
-- not those about pages that the index does not have yet
CREATE TYPE am_odd AS (v int);
CREATE FUNCTION am_odd_cmp(a am_odd, b am_odd) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('am.meddle') = 'on' THEN
		INSERT INTO public.am_odds VALUES (ROW(9), 9);	-- REINDEX has a search_path of its own
	END IF;
	RETURN a.v - b.v;
END $$;
DO $$
DECLARE
	op text;
BEGIN
	FOREACH op IN ARRAY ARRAY['<', '<=', '=', '>=', '>'] LOOP
		EXECUTE format('CREATE FUNCTION %I(am_odd, am_odd) RETURNS boolean LANGUAGE sql AS ''SELECT am_odd_cmp($1, $2) %s 0''', 'am_odd' || op, op);
		EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = am_odd, RIGHTARG = am_odd, FUNCTION = %I)', op, 'am_odd' || op);
	END LOOP;
END $$;
CREATE OPERATOR CLASS am_odd_ops DEFAULT FOR TYPE am_odd USING btree AS OPERATOR 1 public.<, OPERATOR 2 public.<=, OPERATOR 3 public.=,
	OPERATOR 4 public.>=, OPERATOR 5 public.>, FUNCTION 1 am_odd_cmp(am_odd, am_odd);
SET am.meddle = off;
CREATE TABLE am_odds (pk am_odd, sk int, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_odds VALUES (ROW(1), 1), (ROW(2), 2);
SET am.meddle = on;
\set VERBOSITY terse
REINDEX TABLE am_odds;
SET am.meddle = off;
SELECT * FROM am_odds ORDER BY sk;
SET client_min_messages = warning;
DROP TABLE am_odds;
DROP TYPE am_odd CASCADE;
