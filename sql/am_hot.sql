-- An update is HOT if and only if no index entry changes.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS amcheck;
RESET client_min_messages;
CREATE TABLE am_items (pk int, sk int, item jsonb, note text, PRIMARY KEY (pk, sk))
	USING dynamo WITH (fillfactor = 50);
CREATE INDEX am_gsi1 ON am_items ((item ->> 'a'), (item ->> 'b')) WHERE item ->> 'a' IS NOT NULL;
CREATE INDEX am_gsi2 ON am_items (note, (item ->> 'c'), ((item ->> 'n')::int));
INSERT INTO am_items VALUES
	(1, 1, '{"a": "1", "b": "2", "c": "3", "n": "4", "x": 0}', 'note'),
	(1, 2, '{"c": "3", "x": 0}', NULL);

-- What an update of row (1, sk) that sets "assignment" was.
CREATE FUNCTION am_update(assignment text, row_sk int DEFAULT 1) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before bigint := pg_stat_get_xact_tuples_hot_updated('am_items'::regclass);
BEGIN
	EXECUTE format('UPDATE am_items SET %s WHERE pk = 1 AND sk = %s', assignment, row_sk);
	RETURN CASE pg_stat_get_xact_tuples_hot_updated('am_items'::regclass) - before
		WHEN 1 THEN 'HOT' ELSE 'not HOT' END;
END $$;

-- the column changes, the entries do not
SELECT am_update($$item = item || '{"x": 1}'$$);
-- switched off, heap's rule
SET dynamo.attribute_hot = off;
SELECT am_update($$item = item || '{"x": 2}'$$);
RESET dynamo.attribute_hot;
-- each expression counts, and each plain column
SELECT am_update($$item = item || '{"a": "one"}'$$), am_update($$item = item || '{"b": "two"}'$$),
	am_update($$item = item || '{"c": "three"}'$$), am_update($$item = item || '{"n": "5"}'$$),
	am_update($$note = 'another'$$), am_update($$note = NULL$$), am_update('sk = 7');
UPDATE am_items SET sk = 1, note = 'note' WHERE sk = 7;
VACUUM am_items;
-- all of them set to what they were
SELECT am_update($$item = item || '{"a": "one", "b": "two", "x": 3}', note = 'note', sk = 1$$);
-- the predicate: leaving, staying out, coming back
SELECT am_update($$item = item - 'a'$$), am_update($$item = item || '{"b": "not indexed"}'$$),
	am_update($$item = item || '{"a": "one"}'$$);
-- NULL stays NULL, or does not
SELECT am_update($$item = item || '{"x": 1}'$$, 2), am_update($$item = item || '{"n": "1"}'$$, 2),
	am_update($$item = item - 'n'$$, 2);

-- every index agrees with the table, whichever way it is read
SELECT indexrelid::regclass, bt_index_check(indexrelid, true) FROM pg_index
WHERE indrelid = 'am_items'::regclass ORDER BY 1;
SET enable_seqscan = off;
SELECT sk, item FROM am_items WHERE item ->> 'a' = 'one' AND item ->> 'a' IS NOT NULL;
SELECT sk, item FROM am_items WHERE note IS NULL ORDER BY sk;
RESET enable_seqscan;
-- ... after pruning and a new build of the same indexes, too
VACUUM am_items;
REINDEX TABLE am_items;
SELECT bool_and(bt_index_check(indexrelid, true) IS NOT NULL) FROM pg_index
WHERE indrelid = 'am_items'::regclass;

-- an index that comes or goes while sessions have looked at the table counts
SELECT am_update($$item = item || '{"x": 5}'$$);
CREATE INDEX am_gsi3 ON am_items ((item ->> 'x'));
SELECT am_update($$item = item || '{"x": 6}'$$);
VACUUM am_items;
DROP INDEX am_gsi3;
SELECT am_update($$item = item || '{"x": 7}'$$);

-- other methods than btree, and a key that is not what the column is
CREATE INDEX am_gin ON am_items USING gin ((item -> 'tags'));
CREATE INDEX am_hash ON am_items USING hash ((item ->> 'h'));
VACUUM am_items;
SELECT am_update($$item = item || '{"x": 8}'$$), am_update($$item = item || '{"tags": ["t"]}'$$),
	am_update($$item = item || '{"h": "h"}'$$);
SET enable_seqscan = off;
SELECT sk FROM am_items WHERE item -> 'tags' @> '["t"]';
SELECT sk FROM am_items WHERE item ->> 'h' = 'h';
RESET enable_seqscan;
DROP INDEX am_gin, am_hash;

-- a function that is replaced by one in another language
CREATE FUNCTION am_key(item jsonb) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN item ->> 'k'; END $$;
CREATE INDEX am_replaced ON am_items (am_key(item));
VACUUM am_items;
SELECT am_update($$item = item || '{"x": 9}'$$);
CREATE OR REPLACE FUNCTION am_key(item jsonb) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT item ->> 'k' $$;
SELECT am_update($$item = item || '{"x": 10}'$$);
DROP INDEX am_replaced;
DROP FUNCTION am_key;

-- a full page: not HOT, and the indexes get their entries
TRUNCATE am_items;
INSERT INTO am_items SELECT 1, i, jsonb_build_object('a', i, 'x', repeat('x', 1500)), 'n'
FROM generate_series(1, 20) i;
UPDATE am_items SET item = item || '{"y": 1}' || jsonb_build_object('x', repeat('y', 1900));
SELECT bt_index_check(indexrelid, true) FROM pg_index WHERE indrelid = 'am_items'::regclass;
SET enable_seqscan = off;
SELECT count(*) FROM am_items WHERE item ->> 'a' >= '0' AND item ->> 'a' IS NOT NULL;
RESET enable_seqscan;

-- rolled back, nothing has happened
BEGIN;
SAVEPOINT s;
SELECT am_update($$item = '{"a": "gone"}'$$);
ROLLBACK TO s;
SELECT am_update($$item = item || '{"y": 2}'$$);
ROLLBACK;
SELECT item ->> 'a' AS a, item ->> 'y' AS y FROM am_items WHERE sk = 1;

DROP FUNCTION am_update;
DROP TABLE am_items;
