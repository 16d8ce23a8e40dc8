-- Rows go where their collection is, whichever way they come in.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS amcheck;
RESET client_min_messages;
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/removable.sql
\i :helper

-- Distinct heap pages a collection lies on, on average.
CREATE FUNCTION am_pages(relation regclass) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	result numeric;
BEGIN
	EXECUTE format('SELECT avg(n) FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM %s GROUP BY pk) s', relation)
		INTO result;
	RETURN result;
END $$;

-- 100 collections of 60 rows in an order that has nothing to do with them
CREATE TABLE am_source AS
	SELECT i % 100 AS pk, i / 100 AS sk, repeat('x', 150) AS body
	FROM generate_series(0, 5999) i ORDER BY hashint4(i), i;
CREATE TABLE am_heap (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING heap;
CREATE TABLE am_items (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo;

-- INSERT ... SELECT: far fewer pages a collection, few more in all
INSERT INTO am_heap SELECT * FROM am_source;
INSERT INTO am_items SELECT * FROM am_source;
SELECT am_pages('am_heap') > 40 AS scattered, am_pages('am_items') < 10 AS gathered,
	pg_relation_size('am_items') < 1.5 * pg_relation_size('am_heap') AS filled;
SELECT bt_index_check('am_items_pkey', true);

-- switched off, it is heap to the last tuple
TRUNCATE am_items;
SET dynamo.placement = off;
INSERT INTO am_items SELECT * FROM am_source;
SELECT count(*) FROM am_items JOIN am_heap USING (pk, sk) WHERE am_items.ctid <> am_heap.ctid;
RESET dynamo.placement;

-- so it is where the key has one column, or there is none, or it is deferrable
CREATE TABLE am_single (pk int PRIMARY KEY, sk int, body text) USING dynamo;
CREATE TABLE am_none (pk int, sk int, body text) USING dynamo;
CREATE TABLE am_deferrable (pk int, sk int, body text, PRIMARY KEY (pk, sk) DEFERRABLE) USING dynamo;
INSERT INTO am_single SELECT pk + 100 * sk, sk, body FROM am_source;
INSERT INTO am_none SELECT * FROM am_source;
INSERT INTO am_deferrable SELECT * FROM am_source;
SELECT (SELECT count(*) FROM am_single s JOIN am_heap h ON s.pk = h.pk + 100 * h.sk WHERE s.ctid <> h.ctid) AS single,
	(SELECT count(*) FROM am_none s JOIN am_heap h USING (pk, sk) WHERE s.ctid <> h.ctid) AS none,
	(SELECT count(*) FROM am_deferrable s JOIN am_heap h USING (pk, sk) WHERE s.ctid <> h.ctid) AS deferrable;
DROP TABLE am_single, am_none, am_deferrable;

-- in order within the collection: no page is left before it is full
TRUNCATE am_items;
INSERT INTO am_items SELECT * FROM am_source ORDER BY sk, pk;
SELECT am_pages('am_items') < 10 AS gathered;

-- one row a statement, each in a fresh relcache entry: no page for each
TRUNCATE am_items;
DO $$
BEGIN
	FOR i IN 1..300 LOOP
		INSERT INTO am_items VALUES (i, 0, repeat('x', 150));
		ALTER TABLE am_items ALTER body SET STATISTICS 100;
	END LOOP;
END $$;
SELECT pg_relation_size('am_items') / current_setting('block_size')::int < 15 AS shared;

-- singletons fill their pages, as on heap
TRUNCATE am_items;
INSERT INTO am_items SELECT i, 0, '' FROM generate_series(1, 5000) i;
SELECT pg_relation_size('am_items') / current_setting('block_size')::int < 35 AS filled;

-- room given back by VACUUM is used again
DELETE FROM am_items;
SELECT pg_temp.removable() \g /dev/null
VACUUM (TRUNCATE off) am_items;
SELECT pg_relation_size('am_items') AS before \gset
INSERT INTO am_items SELECT i, 0, '' FROM generate_series(5001, 10000) i;
SELECT pg_relation_size('am_items') <= :before + current_setting('block_size')::int AS reused;

-- a truncation by VACUUM: what was remembered of the pages is not believed
DELETE FROM am_items;
SELECT pg_temp.removable() \g /dev/null
VACUUM am_items;
SELECT pg_relation_size('am_items');
INSERT INTO am_items SELECT * FROM am_source;
SELECT count(*), am_pages('am_items') < 10 AS gathered FROM am_items;

-- room on an older page of the collection is found, too, if the newest is full
CREATE TABLE am_older (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo WITH (autovacuum_enabled = off);
INSERT INTO am_older SELECT 1, i, repeat('x', 150) FROM generate_series(1, 123) i;
SELECT pg_relation_size('am_older') AS before \gset
DELETE FROM am_older WHERE ctid < '(0,15)';
SELECT pg_temp.removable() \g /dev/null
VACUUM am_older;
INSERT INTO am_older SELECT 1, i, repeat('x', 150) FROM generate_series(1, 14) i;
SELECT pg_relation_size('am_older') = :before AS older, count(*) FROM am_older;
DROP TABLE am_older;

-- ... on the oldest of six, which lies behind the newest and the nearest, in a session that remembers none
CREATE TABLE am_oldest (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo WITH (autovacuum_enabled = off);
INSERT INTO am_oldest SELECT 1, i * 37 % 144, repeat('x', 300) FROM generate_series(0, 143) i;
SELECT pg_relation_size('am_oldest') AS before \gset
DELETE FROM am_oldest WHERE ctid < '(0,3)';
SELECT pg_temp.removable() \g /dev/null
VACUUM am_oldest;
\c -
\i :helper
INSERT INTO am_oldest SELECT 1, 1000 + i, repeat('x', 300) FROM generate_series(1, 2) i;
SELECT pg_relation_size('am_oldest') = :before AS oldest, array_agg(ctid ORDER BY sk) AS places FROM am_oldest WHERE sk >= 1000;
DROP TABLE am_oldest;

-- ... of wide rows the third
CREATE TABLE am_wide (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo WITH (autovacuum_enabled = off);
ALTER TABLE am_wide ALTER body SET STORAGE PLAIN;
INSERT INTO am_wide SELECT 1, i * 5 % 12, repeat('x', 1950) FROM generate_series(0, 11) i;
SELECT pg_relation_size('am_wide') AS before \gset
DELETE FROM am_wide WHERE ctid < '(0,3)';
SELECT pg_temp.removable() \g /dev/null
VACUUM am_wide;
\c -
\i :helper
INSERT INTO am_wide SELECT 1, 1000 + i, repeat('x', 1950) FROM generate_series(1, 2) i;
SELECT pg_relation_size('am_wide') = :before AS third, array_agg(ctid ORDER BY sk) AS places FROM am_wide WHERE sk >= 1000;
DROP TABLE am_wide;

-- a neighbour may be on the index page before: what was between them is gone,
-- and the session is new and remembers nothing
CREATE TABLE am_before (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo WITH (autovacuum_enabled = off);
INSERT INTO am_before SELECT pk, sk, repeat('x', 150) FROM generate_series(1, 2) pk, generate_series(1, 1000) sk;
DELETE FROM am_before WHERE pk = 1 AND sk > 500;
SELECT pg_temp.removable() \g /dev/null
VACUUM am_before;
\c -
INSERT INTO am_before VALUES (1, 1000, '');
SELECT (a.ctid::text::point)[0] = (b.ctid::text::point)[0] AS beside FROM am_before a, am_before b WHERE a.pk = 1 AND a.sk = 500 AND b.pk = 1 AND b.sk = 1000;
DROP TABLE am_before;

-- a temporary table larger than its buffers: pages are in others by now
SET temp_buffers = '800kB';
CREATE TEMP TABLE am_temporary (LIKE am_items INCLUDING ALL) USING dynamo;
INSERT INTO am_temporary SELECT * FROM am_source;
SELECT count(*), am_pages('am_temporary') < 10 AS gathered FROM am_temporary;
SELECT bt_index_check('am_temporary_pkey', true);
DROP TABLE am_temporary;

-- fillfactor is respected
CREATE TABLE am_loose (LIKE am_items INCLUDING ALL) USING dynamo WITH (fillfactor = 50);
INSERT INTO am_loose SELECT * FROM am_source;
SELECT max(n) <= 20 AS half, am_pages('am_loose') < 15 AS gathered
FROM (SELECT count(*) AS n FROM am_loose GROUP BY (ctid::text::point)[0]) s;

-- ... and if it asks for any room, there is enough for an update of a long row; else none is left
CREATE TABLE am_long (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo WITH (fillfactor = 98);
CREATE TABLE am_full (LIKE am_long INCLUDING ALL) USING dynamo;
INSERT INTO am_long SELECT 1, i, repeat('x', 660) FROM generate_series(1, 100) i;
INSERT INTO am_full SELECT * FROM am_long;
SELECT (SELECT max(n) FROM (SELECT count(*) AS n FROM am_long GROUP BY (ctid::text::point)[0]) s) AS long,
	(SELECT max(n) FROM (SELECT count(*) AS n FROM am_full GROUP BY (ctid::text::point)[0]) s) AS "full";
DROP TABLE am_long, am_full;

-- rows of nearly a page, of more, and of many sizes
TRUNCATE am_items;
ALTER TABLE am_items ALTER body SET STORAGE PLAIN;
INSERT INTO am_items SELECT i % 3, i, repeat('x', (i * 1013) % 8000) FROM generate_series(1, 200) i;
SELECT count(*), sum(length(body)) FROM am_items;
INSERT INTO am_items VALUES (1, -1, repeat('x', 9000));
ALTER TABLE am_items ALTER body SET STORAGE EXTERNAL;
INSERT INTO am_items SELECT i % 3, i, repeat('x', i * 1013) FROM generate_series(201, 250) i;
SELECT count(*), sum(length(body)) FROM am_items;
SELECT bt_index_check('am_items_pkey', true);

-- a new version that does not fit its page goes to its collection, in whatever order they come
TRUNCATE am_items;
INSERT INTO am_items SELECT * FROM am_source;
UPDATE am_items SET body = repeat('y', 300);
SELECT am_pages('am_items') < 20 AS gathered;
TRUNCATE am_items;
INSERT INTO am_items SELECT * FROM am_source;
DO $$
DECLARE
	source am_source;
BEGIN
	FOR source IN SELECT * FROM am_source WHERE sk % 2 = 0 LOOP
		UPDATE am_items SET body = repeat('y', 300) WHERE pk = source.pk AND sk = source.sk;
	END LOOP;
END $$;
SELECT am_pages('am_items') < 20 AS gathered;

-- key types of every kind: by value, by reference, of fixed and variable length
CREATE TABLE am_types (pk uuid, sk numeric, body text, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_types SELECT lpad(pk::text, 32, '0')::uuid, sk, body FROM am_source;
SELECT am_pages('am_types') < 10 AS gathered;
DROP TABLE am_types;
-- (the index holds this one compressed)
CREATE TABLE am_types (pk text, sk name, body text, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_types SELECT repeat('k', 600) || pk, sk, body FROM am_source;
SELECT am_pages('am_types') < 10 AS gathered;
DROP TABLE am_types;
CREATE TABLE am_types (pk int[], sk numeric, body text, PRIMARY KEY (pk, sk) INCLUDE (body)) USING dynamo;
INSERT INTO am_types SELECT ARRAY[pk, pk], sk, body FROM am_source;
SELECT am_pages('am_types') < 10 AS gathered;
DROP TABLE am_types;

-- a collection whose entries on one leaf point to many pages: no more of them are
-- looked at than there is room for, on either side
CREATE TABLE am_wide (pk int, sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo WITH (fillfactor = 10);
INSERT INTO am_wide SELECT 1, sk, repeat('x', 900) FROM generate_series(1, 150) sk;
SELECT am_pages('am_wide') > 100 AS scattered;
INSERT INTO am_wide VALUES (1, 0, ''), (1, 1000, '');
DROP TABLE am_wide;

-- NULL in a key is refused by the constraint, a duplicate by the index
INSERT INTO am_items VALUES (NULL, 1, '');
INSERT INTO am_items VALUES (1, NULL, '');
INSERT INTO am_items SELECT pk, sk, '' FROM am_source WHERE pk = 1 AND sk = 1;

DROP TABLE am_source, am_heap, am_items, am_loose;
DROP FUNCTION am_pages;
