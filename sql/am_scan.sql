-- Every way to read a table, and to change single rows of it.
CREATE TABLE am_items (pk int, sk int, item jsonb, PRIMARY KEY (pk, sk)) USING dynamo;
INSERT INTO am_items SELECT i % 10, i / 10, jsonb_build_object('n', i) FROM generate_series(0, 1999) i ORDER BY hashint4(i);
CREATE INDEX am_by_sk ON am_items (sk);
ANALYZE am_items;
SELECT reltuples FROM pg_class WHERE oid = 'am_items'::regclass;
SELECT attname, n_distinct FROM pg_stats WHERE tablename = 'am_items' AND attname = 'pk';

-- sample, tid and tid range
SELECT count(*) FROM am_items TABLESAMPLE SYSTEM (100);
SELECT count(*) BETWEEN 1 AND 1999 AS some FROM am_items TABLESAMPLE BERNOULLI (50) REPEATABLE (1);
SELECT count(*) FROM am_items WHERE ctid = (SELECT min(ctid) FROM am_items);
SELECT count(*) FROM am_items WHERE ctid >= '(0,0)' AND ctid < '(100000,1)';

-- bitmap, index-only, backward, parallel
SET enable_seqscan = off;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT count(*) FROM am_items WHERE sk IN (5, 6) OR pk = 3;
RESET enable_indexscan;
RESET enable_indexonlyscan;
VACUUM am_items;
SELECT count(*) FROM am_items WHERE sk < 20;
SELECT sk FROM am_items WHERE pk = 3 ORDER BY sk DESC LIMIT 3;
RESET enable_seqscan;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT sum((item ->> 'n')::int) FROM am_items;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT pk, sk FROM am_items WHERE pk = 3 ORDER BY sk;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
UPDATE am_items SET item = '{"current": true}' WHERE pk = 3 AND sk = 0 RETURNING item;
COMMIT;

-- INSERT ... ON CONFLICT, speculative
INSERT INTO am_items VALUES (3, 0, '{"new": true}') ON CONFLICT DO NOTHING;
INSERT INTO am_items VALUES (3, 0, '{"new": true}'), (3, -1, '{}')
ON CONFLICT (pk, sk) DO UPDATE SET item = am_items.item || excluded.item RETURNING sk, item;
MERGE INTO am_items t USING (VALUES (3, -1), (3, -2)) AS s (pk, sk) ON t.pk = s.pk AND t.sk = s.sk
WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.pk, s.sk, '{"merged": true}');
SELECT sk, item FROM am_items WHERE pk = 3 AND sk < 1 ORDER BY sk;

-- row locks of all strengths, savepoints, combo command ids
BEGIN;
SELECT sk FROM am_items WHERE pk = 3 AND sk = -2 FOR KEY SHARE;
SAVEPOINT a;
SELECT sk FROM am_items WHERE pk = 3 AND sk = -2 FOR UPDATE SKIP LOCKED;
UPDATE am_items SET item = item || '{"in": "a"}' WHERE pk = 3 AND sk = -2;
SAVEPOINT b;
DELETE FROM am_items WHERE pk = 3 AND sk = -2;
INSERT INTO am_items VALUES (3, -2, '{"in": "b"}');
SELECT item FROM am_items WHERE pk = 3 AND sk = -2;
ROLLBACK TO b;
SELECT item FROM am_items WHERE pk = 3 AND sk = -2;
ROLLBACK TO a;
SELECT item FROM am_items WHERE pk = 3 AND sk = -2;
COMMIT;

-- triggers see old and new, also those with a transition table
CREATE FUNCTION am_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_LEVEL = 'STATEMENT' THEN
		RAISE NOTICE '% %: %', TG_WHEN, TG_OP, (SELECT string_agg(sk::text, ',' ORDER BY sk) FROM rows);
	ELSE
		RAISE NOTICE '% %: % -> %', TG_WHEN, TG_OP, OLD.item, NEW.item;
		NEW.item := NEW.item || '{"trigger": "was here"}';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER am_before BEFORE UPDATE ON am_items FOR EACH ROW EXECUTE FUNCTION am_tell();
CREATE TRIGGER am_after AFTER UPDATE ON am_items FOR EACH ROW EXECUTE FUNCTION am_tell();
CREATE TRIGGER am_statement AFTER INSERT ON am_items REFERENCING NEW TABLE AS rows
	FOR EACH STATEMENT EXECUTE FUNCTION am_tell();
UPDATE am_items SET item = '{"u": 1}' WHERE pk = 3 AND sk = -2;
INSERT INTO am_items VALUES (3, -4, '{}'), (3, -3, '{}');
DROP TABLE am_items;
DROP FUNCTION am_tell;

-- values out of line: written, left alone by an update, replaced, deleted
CREATE TABLE am_large (pk int, sk int, item text, note text, PRIMARY KEY (pk, sk)) USING dynamo;
ALTER TABLE am_large ALTER item SET STORAGE EXTERNAL;
CREATE INDEX am_prefix ON am_large (left(item, 3));
INSERT INTO am_large SELECT 1, i, i || repeat('-', 100000), '' FROM generate_series(1, 5) i;
UPDATE am_large SET note = 'changed';
UPDATE am_large SET item = sk || repeat('+', 50000) WHERE sk = 2;
UPDATE am_large SET item = item || 'x' WHERE sk = 3;
SELECT sk, length(item), left(item, 3), right(item, 1), note FROM am_large ORDER BY sk;
SET enable_seqscan = off;
SELECT sk FROM am_large WHERE left(item, 3) = '2++';
RESET enable_seqscan;
DELETE FROM am_large WHERE sk < 4;
VACUUM FULL am_large;
SELECT sk, length(item) FROM am_large ORDER BY sk;
DROP TABLE am_large;
