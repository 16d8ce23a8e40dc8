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
DROP TABLE am_memo;

-- More collections than it has buckets for do not get in each other's way: four
-- rows of each lie on three pages, or nearly.
CREATE TABLE am_many (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_many SELECT i % 20000, i / 20000, repeat('x', 60) FROM generate_series(0, 20000 * 4 - 1) i;
SELECT avg(pages) < 3.4 AS gathered FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS pages FROM am_many GROUP BY pk) s;
DROP TABLE am_many;
