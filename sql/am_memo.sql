-- A backend remembers where it last put a row of a collection, and need not
-- look for its neighbours again.
CREATE TABLE am_memo (pk text, sk int, PRIMARY KEY (pk, sk)) USING dynamo;

-- Pages that are looked at for a row of this collection.
CREATE FUNCTION pg_temp.visits(collection text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	before int;
BEGIN
	SELECT coalesce(max(sk), 0) INTO before FROM am_memo WHERE pk = collection;
	EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, FORMAT json) INSERT INTO am_memo VALUES (%L, %s)', collection, before + 1) INTO plan;
	RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::int + (plan->0->'Plan'->>'Shared Read Blocks')::int;
END $$;

INSERT INTO am_memo SELECT 'collection' || i, 0 FROM generate_series(1, 2000) i;
SELECT count(*) FROM (SELECT pg_temp.visits('warm') FROM generate_series(1, 3)) AS warm;
-- The second row of a collection costs less, also when others came between.
SELECT pg_temp.visits('a') > pg_temp.visits('a') AS again,
	pg_temp.visits('b') > pg_temp.visits('a') AS still;

-- A load goes by how many rows it remembers: a small collection moves on without
-- a look at the index.
BEGIN;
INSERT INTO am_memo SELECT 'load' || i, 0 FROM generate_series(1, 15000) i;
SELECT count(pg_temp.visits('load' || i)) AS warm FROM generate_series(1, 3) i;
-- One of them may have been forgotten for others with its hash, or find room where it is.
CREATE TEMP TABLE in_load AS SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.visits('load' || i)) AS visits FROM generate_series(21, 29) i;
COMMIT;
-- Other transactions look, for others may have moved it.
SELECT count(pg_temp.visits('load' || i)) AS warm FROM generate_series(5, 7) i;
SELECT (TABLE in_load) < percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.visits('load' || i)) AS more FROM generate_series(31, 39) i;
-- So does a load if the table grows by pages that are not its own.
BEGIN;
INSERT INTO am_memo SELECT 'more' || i, 0 FROM generate_series(1, 15000) i;
SET LOCAL dynamo.placement = off;
INSERT INTO am_memo SELECT 'other' || i, 0 FROM generate_series(1, 1000) i;
SET LOCAL dynamo.placement = on;
INSERT INTO am_memo SELECT 'again' || i, 0 FROM generate_series(1, 300) i;
SELECT count(pg_temp.visits('load' || i)) AS warm FROM generate_series(11, 13) i;
SELECT (TABLE in_load) < percentile_disc(0.5) WITHIN GROUP (ORDER BY pg_temp.visits('load' || i)) AS more FROM generate_series(41, 49) i;
COMMIT;
DROP TABLE am_memo, in_load;

-- A load of more collections than are remembered at first makes room for them,
-- up to work_mem.
CREATE TABLE am_load (pk int, sk int, PRIMARY KEY (pk, sk)) USING dynamo;
-- Pages that are looked at for the second rows of 10,000 collections.
CREATE FUNCTION am_load(memory text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	TRUNCATE am_load;
	INSERT INTO am_load SELECT i * 7919 % 1000003, 0 FROM generate_series(1, 120000) i;
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json)
		INSERT INTO am_load SELECT i * 7919 % 1000003, 1 FROM generate_series(30001, 40000) i' INTO plan;
	RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::int + (plan->0->'Plan'->>'Shared Read Blocks')::int;
END $$;
SELECT am_load('64kB') AS small \gset
SELECT :small > 1.3 * am_load('4MB') AS less;
SELECT count(*), count(DISTINCT pk) FROM am_load;
DROP TABLE am_load;
DROP FUNCTION am_load;

-- More collections than it has buckets for do not get in each other's way: four
-- rows of each lie on three pages, or nearly.
CREATE TABLE am_many (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_many SELECT i % 20000, i / 20000, repeat('x', 60) FROM generate_series(0, 20000 * 4 - 1) i;
SELECT avg(pages) < 3.4 AS gathered FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS pages FROM am_many GROUP BY pk) s;
DROP TABLE am_many;
