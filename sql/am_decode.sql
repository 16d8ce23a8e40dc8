-- Logical decoding sees the changes heap would have logged: a HOT update that
-- attribute-aware HOT made possible has the old key whenever it changed.
-- It takes wal_level = logical; where that is another, it ends here.
SELECT current_setting('wal_level') <> 'logical' AS lacking \gset
\if :lacking
\echo wal_level is not logical
\quit
\endif
SELECT 'init' FROM pg_create_logical_replication_slot('am_slot', 'test_decoding');
CREATE TABLE am_items (pk int, sk int, item jsonb, PRIMARY KEY (pk, sk)) USING dynamo;
CREATE INDEX am_gsi ON am_items ((item ->> 'a'));
CREATE UNIQUE INDEX am_other ON am_items (sk);

BEGIN;
INSERT INTO am_items VALUES (1, 1, '{"a": 1}'), (1, 2, '{"a": 2}');
UPDATE am_items SET item = item || '{"x": 1}' WHERE sk = 1;
UPDATE am_items SET item = item || '{"a": 3}' WHERE sk = 1;
UPDATE am_items SET sk = 3 WHERE sk = 1;
DELETE FROM am_items WHERE sk = 2;
COMMIT;
-- the whole old row, and the key of another index
ALTER TABLE am_items REPLICA IDENTITY FULL;
UPDATE am_items SET item = item || '{"x": 2}';
ALTER TABLE am_items REPLICA IDENTITY USING INDEX am_other;
UPDATE am_items SET item = item || '{"x": 3}';
UPDATE am_items SET pk = 2;
UPDATE am_items SET sk = 4;
COPY am_items FROM STDIN;
5	5	{}
6	6	{}
\.
TRUNCATE am_items;
SELECT data FROM pg_logical_slot_get_changes('am_slot', NULL, NULL, 'include-xids', '0')
WHERE data NOT IN ('BEGIN', 'COMMIT');
SELECT pg_drop_replication_slot('am_slot');
DROP TABLE am_items;
