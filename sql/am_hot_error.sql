-- Index expressions that fail: an update fails where it would on heap, and
-- the session goes on as before.
CREATE TABLE am_items (pk int, sk int, item jsonb, PRIMARY KEY (pk, sk)) USING dynamo WITH (fillfactor = 50);
CREATE INDEX am_number ON am_items (((item ->> 'n')::int));
INSERT INTO am_items VALUES (1, 1, '{"n": "1", "x": 0}');
-- what the transaction has updated: counters not flushed yet would count, too
CREATE FUNCTION am_hot() RETURNS bigint LANGUAGE sql AS
$$ SELECT pg_stat_get_xact_tuples_hot_updated('am_items'::regclass) $$;

SELECT pg_stat_force_next_flush();
BEGIN;
UPDATE am_items SET item = item || '{"x": 1}';
SELECT am_hot();
SAVEPOINT s;
UPDATE am_items SET item = item || '{"n": "one"}';
ROLLBACK TO s;
-- what the failed one had substituted is gone: this changes an entry
UPDATE am_items SET item = item || '{"n": "2"}';
SELECT am_hot();
-- and what it had prepared is made anew
UPDATE am_items SET item = item || '{"x": 2}';
SELECT am_hot();
COMMIT;
SELECT * FROM am_items;

-- an update that fails inside heap restores it as well
CREATE TABLE am_wide (pk int, sk int, item jsonb, filler text, PRIMARY KEY (pk, sk)) USING dynamo;
ALTER TABLE am_wide ALTER filler SET STORAGE PLAIN;
CREATE INDEX am_wide_number ON am_wide (((item ->> 'n')::int));
INSERT INTO am_wide VALUES (1, 1, '{"n": "1"}');
UPDATE am_wide SET filler = repeat('x', 9000);
SELECT pg_stat_force_next_flush();
BEGIN;
UPDATE am_wide SET item = item || '{"n": "2"}';
SELECT pg_stat_get_xact_tuples_hot_updated('am_wide'::regclass);
COMMIT;
DROP TABLE am_wide;

-- A concurrent build that met a bad row leaves an invalid index.  The row can
-- be mended nevertheless: the index is not evaluated on the old version.
CREATE TABLE am_bad (pk int, sk int, item jsonb, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_bad VALUES (1, 1, '{"n": "bad"}'), (1, 2, '{"n": "2"}');
CREATE INDEX CONCURRENTLY am_bad_number ON am_bad (((item ->> 'n')::int));
UPDATE am_bad SET item = '{"n": "1"}' WHERE sk = 1;
REINDEX INDEX CONCURRENTLY am_bad_number;
SELECT indisvalid FROM pg_index WHERE indexrelid = 'am_bad_number'::regclass;
SELECT pg_stat_force_next_flush();
BEGIN;
UPDATE am_bad SET item = '{"n": "1", "x": 1}' WHERE sk = 1;
SELECT pg_stat_get_xact_tuples_hot_updated('am_bad'::regclass);
COMMIT;
DROP TABLE am_bad;

-- index functions in other languages, with subtransactions and queries of
-- their own
CREATE FUNCTION am_extract(item jsonb) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN (1 / (item ->> 'n')::int)::text;
EXCEPTION WHEN division_by_zero THEN
	RETURN (SELECT max(amname) FROM pg_am WHERE amname = 'dynamo');
END $$;
CREATE FUNCTION am_extract_sql(item jsonb) RETURNS text IMMUTABLE LANGUAGE sql AS
$$ SELECT max(v) FROM (SELECT item ->> 'n' AS v UNION ALL SELECT NULL) s $$;
DROP INDEX am_number;
CREATE INDEX am_extracted ON am_items (am_extract(item), am_extract_sql(item));
SELECT pg_stat_force_next_flush();
BEGIN;
UPDATE am_items SET item = item || '{"x": 3}';
SELECT am_hot();
UPDATE am_items SET item = item || '{"n": "3"}';
SELECT am_hot();
COMMIT;
-- the next transaction finds what was prepared in this one usable
SELECT pg_stat_force_next_flush();
BEGIN;
UPDATE am_items SET item = item || '{"n": "0"}';
UPDATE am_items SET item = item || '{"x": 4}';
SELECT am_hot();
COMMIT;
SELECT * FROM am_items WHERE am_extract(item) = 'dynamo';
DROP INDEX am_extracted;

-- one that updates the table itself, once, after the old row was computed and before the new one is
CREATE FUNCTION am_meddle(item jsonb) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF item ->> 'x' = '5' AND current_setting('am.meddle') = 'on' THEN
		PERFORM set_config('am.meddle', 'off', false);
		UPDATE am_items i SET item = i.item || '{"n": "meddled"}' WHERE sk = 2;
	END IF;
	RETURN item ->> 'n';
END $$;
SET am.meddle = off;
INSERT INTO am_items VALUES (1, 2, '{"n": "2"}');
CREATE INDEX am_meddled ON am_items (am_meddle(item));
ALTER FUNCTION am_meddle VOLATILE;
SELECT pg_stat_force_next_flush();
BEGIN;
SET am.meddle = on;
UPDATE am_items SET item = item || '{"x": 5, "n": "1"}' WHERE sk = 1;
SELECT am_hot();
COMMIT;
SET enable_seqscan = off;
SELECT * FROM am_items WHERE am_meddle(item) IN ('1', 'meddled') ORDER BY sk;
RESET enable_seqscan;
DROP TABLE am_items;
DROP FUNCTION am_hot, am_extract, am_extract_sql, am_meddle;
