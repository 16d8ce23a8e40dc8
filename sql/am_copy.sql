-- COPY inserts many rows at a time; each collection of a batch is placed as a
-- whole, and what the user sees is as on heap.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS amcheck;
RESET client_min_messages;
CREATE TABLE am_copied (pk text COLLATE "C", sk int, body text, PRIMARY KEY (pk, sk)) USING dynamo;

-- collections that alternate within a batch
COPY am_copied FROM STDIN;
b	1	first of b
a	1	first of a
b	2	second of b
a	2	second of a
\.
SELECT pk, sk, body FROM am_copied ORDER BY pk, sk;

-- a duplicate inside one batch, then against the table: nothing of it stays
COPY am_copied FROM STDIN;
c	1	first of c
d	1	first of d
c	1	again
\.
COPY am_copied FROM STDIN;
c	1	first of c
a	2	again
\.
SELECT count(*) FROM am_copied;

-- triggers fire row by row in the order of the file
CREATE FUNCTION am_tell() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE NOTICE '% %', TG_WHEN, NEW.sk; RETURN NEW; END $$;
CREATE TRIGGER am_told AFTER INSERT ON am_copied FOR EACH ROW EXECUTE FUNCTION am_tell();
COPY am_copied FROM STDIN;
z	3	
y	2	
z	1	
\.
DROP TRIGGER am_told ON am_copied;
DROP FUNCTION am_tell;

-- 60 collections of 80 rows in turns, several batches: more than one batch has
-- rows of each, and batches are placed knowing those before
TRUNCATE am_copied;
COPY am_copied FROM PROGRAM
	'awk "BEGIN { for (i = 0; i < 4800; i++) printf \"%d\\t%d\\t%0150d\\n\", i % 60, i / 60, i }"';
SELECT count(*), avg(n) < 10 AS gathered
FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM am_copied GROUP BY pk) s;
SELECT bt_index_check('am_copied_pkey', true);

-- a file that is in order fills the pages
TRUNCATE am_copied;
COPY am_copied FROM PROGRAM
	'awk "BEGIN { for (i = 0; i < 4800; i++) printf \"%d\\t%d\\t%0150d\\n\", i / 80, i % 80, i }"';
SELECT count(*), avg(n) < 5 AS gathered,
	pg_relation_size('am_copied') / current_setting('block_size')::int < 160 AS filled
FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM am_copied GROUP BY pk) s;

-- collections of a page and a bit: the bits of several share pages (without
-- that, there are some 200 pages)
TRUNCATE am_copied;
COPY am_copied FROM PROGRAM
	'awk "BEGIN { for (i = 0; i < 6000; i++) printf \"%d\\t%d\\t%0150d\\n\", i / 60, i % 60, i }"';
SELECT count(*), max(n) AS pages_of_one,
	pg_relation_size('am_copied') / current_setting('block_size')::int < 170 AS filled
FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM am_copied GROUP BY pk) s;

-- rows of very different lengths: the room of a page is reckoned row by row
TRUNCATE am_copied;
COPY am_copied FROM PROGRAM
	'awk "BEGIN { srand(1); for (i = 0; i < 500; i++) printf \"%d\\t%d\\t%0*d\\n\", i % 5, i, 1 + rand() * 5000, i }"';
SELECT count(*), count(DISTINCT ctid), bool_and(body::int = sk) FROM am_copied;

-- COPY FREEZE
BEGIN;
TRUNCATE am_copied;
COPY am_copied FROM STDIN WITH (FREEZE);
a	1	frozen
b	1	frozen
\.
SELECT pk, body FROM am_copied ORDER BY pk;
COMMIT;
DROP TABLE am_copied;
