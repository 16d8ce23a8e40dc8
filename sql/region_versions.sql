-- The version of each item of a global table: written by all doors.
SET client_min_messages = warning;
SELECT dynamo.create_region('versions-here'), dynamo.create_table('RegionItems', 'h', 'r', 'S', 'N') IS NOT NULL AS made;
CREATE SERVER region_versions FOREIGN DATA WRAPPER dynamo_region;
SELECT dynamo.create_region('versions-there', 'region_versions');
SELECT dynamo.put_item('RegionItems', '{"h": "before", "r": 1}');
SELECT dynamo_internal.add_replica('RegionItems', 'versions-there');

CREATE TEMPORARY TABLE seen (keys jsonb PRIMARY KEY, number int8, time int8);
-- What has been written since the last look, in the order of the feed; a version
-- of a key is greater than the one before, and of this time.  Not of "before", which
-- the background gives its first version sooner or later, where there is one.
CREATE FUNCTION pg_temp.written() RETURNS TABLE (keys jsonb, deleted boolean, greater boolean, now boolean, here boolean) LANGUAGE sql AS $$
	WITH found AS MATERIALIZED (
		SELECT v.*, v.keys::jsonb AS k FROM dynamo_internal.item_versions v WHERE global_id = (SELECT max(global_id) FROM dynamo_internal.global_tables) AND (deleted OR v.keys->>'h' <> 'before')),
	new AS (
		SELECT f.*, f.time > coalesce(s.time, 0) AS greater FROM found f LEFT JOIN seen s ON s.keys = f.k WHERE f.number IS DISTINCT FROM s.number),
	noted AS (
		INSERT INTO seen SELECT k, number, time FROM new ON CONFLICT (keys) DO UPDATE SET number = excluded.number, time = excluded.time)
	SELECT k, new.deleted, new.greater, abs(extract(epoch FROM clock_timestamp()) * 1000 - (time >> 16)) < 600000,
		region_id = (SELECT region_id FROM dynamo.regions WHERE region_name = 'versions-here')
	FROM new ORDER BY number
$$;

-- The API's writes.
SELECT dynamo.put_item('RegionItems', '{"h": "a", "r": 1, "v": 1}');
SELECT * FROM pg_temp.written();
SELECT dynamo.update_item('RegionItems', '{"h": "a", "r": 1}', 'SET v = :v', '{":v": 2}');
SELECT * FROM pg_temp.written();
SELECT dynamo.delete_item('RegionItems', '{"h": "a", "r": 1}');
SELECT * FROM pg_temp.written();
SELECT dynamo.put_item('RegionItems', '{"h": "a", "r": 1, "v": 3}');
SELECT * FROM pg_temp.written();

-- A Put that changes nothing; a delete of what is not there; a condition that
-- does not hold; a write that is rolled back.
SELECT dynamo.put_item('RegionItems', '{"h": "a", "r": 1, "v": 3}');
SELECT * FROM pg_temp.written();
SELECT dynamo.delete_item('RegionItems', '{"h": "none", "r": 1}');
SELECT dynamo.try_call('PutItem', '{"TableName": "RegionItems", "Item": {"h": {"S": "a"}, "r": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(h)"}')->>'__type' AS type;
BEGIN; SELECT dynamo.put_item('RegionItems', '{"h": "back", "r": 1}'); ROLLBACK;
SELECT * FROM pg_temp.written();

-- Several at once.
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"RegionItems": [{"PutRequest": {"Item": {"h": {"S": "batch"}, "r": {"N": "1"}}}}, {"DeleteRequest": {"Key": {"h": {"S": "a"}, "r": {"N": "1"}}}}]}}')->'UnprocessedItems' AS left;
SELECT * FROM pg_temp.written() ORDER BY 1;
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "RegionItems", "Item": {"h": {"S": "t"}, "r": {"N": "1"}}}}, {"Delete": {"TableName": "RegionItems", "Key": {"h": {"S": "batch"}, "r": {"N": "1"}}}}, {"ConditionCheck": {"TableName": "RegionItems", "Key": {"h": {"S": "none"}, "r": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(h)"}}]}');
SELECT * FROM pg_temp.written() ORDER BY 1;
SELECT dynamo.call('ExecuteStatement', jsonb_build_object('Statement', s)) FROM unnest(ARRAY[
	$$INSERT INTO "RegionItems" VALUE {'h': 'p', 'r': 1}$$, $$UPDATE "RegionItems" SET v = 1 WHERE h = 'p' AND r = 1$$, $$DELETE FROM "RegionItems" WHERE h = 't' AND r = 1$$]) AS s;
SELECT * FROM pg_temp.written() ORDER BY 1;

-- Plain SQL: rows, another key, COPY, a row twice in a statement, TRUNCATE.
INSERT INTO dynamo_data."RegionItems" (item) VALUES ('{"h": "sql", "r": 1}'), ('{"h": "sql", "r": 2}');
SELECT * FROM pg_temp.written() ORDER BY 1;
UPDATE dynamo_data."RegionItems" SET item = '{"h": "sql", "r": 3}' WHERE item->>'h' = 'sql' AND item->>'r' = '1';
SELECT * FROM pg_temp.written() ORDER BY 1;
DELETE FROM dynamo_data."RegionItems" WHERE item->>'h' = 'sql' AND item->>'r' = '3';
COPY dynamo_data."RegionItems" (item) FROM stdin;
{"h": "copy", "r": 1}
\.
SELECT * FROM pg_temp.written() ORDER BY 1;
WITH gone AS (DELETE FROM dynamo_data."RegionItems" WHERE item->>'h' = 'copy')
SELECT dynamo.put_item('RegionItems', '{"h": "p", "r": 1, "v": 4}');
SELECT * FROM pg_temp.written() ORDER BY 1;

-- By the other store: a trigger of the user's has it take over.
CREATE FUNCTION pg_temp.same() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER same BEFORE INSERT OR UPDATE ON dynamo_data."RegionItems" FOR EACH ROW EXECUTE FUNCTION pg_temp.same();
SELECT dynamo.put_item('RegionItems', '{"h": "spi", "r": 1, "v": 1}');
SELECT dynamo.put_item('RegionItems', '{"h": "spi", "r": 1, "v": 1}');
SELECT * FROM pg_temp.written();
DROP TRIGGER same ON dynamo_data."RegionItems";

-- A clock that is behind: what has seen a version is above it all the same.
SET dynamo.region_clock_offset = '-1h';
SELECT dynamo.put_item('RegionItems', '{"h": "spi", "r": 1, "v": 2}');
SELECT dynamo.put_item('RegionItems', '{"h": "late", "r": 1}');
SELECT keys, greater, now FROM pg_temp.written();
RESET dynamo.region_clock_offset;

-- An item that expires goes just above its version.
SELECT dynamo.put_item('RegionItems', '{"h": "ttl", "r": 1, "until": 1}');
SELECT dynamo.enable_ttl('RegionItems', 'until');
SELECT keys FROM pg_temp.written();
UPDATE dynamo_data."RegionItems" SET item = jsonb_build_object('h', 'ttl', 'r', 1, 'until', extract(epoch FROM now())::int8 - 60)::dynamo.item WHERE item->>'h' = 'ttl';
SELECT keys FROM pg_temp.written();
SELECT dynamo.expire_items('RegionItems');
SELECT v.keys::jsonb, v.deleted, v.time - s.time AS above FROM dynamo_internal.item_versions v JOIN seen s ON s.keys = v.keys::jsonb WHERE v.keys->>'h' = 'ttl';
SELECT keys, deleted FROM pg_temp.written();
TRUNCATE dynamo_data."RegionItems";
SELECT keys, deleted, greater FROM pg_temp.written() ORDER BY 1;

-- Isolation that is stricter.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT dynamo.put_item('RegionItems', '{"h": "serial", "r": 1}');
SELECT dynamo.put_item('RegionItems', '{"h": "serial", "r": 1, "v": 2}');
SAVEPOINT s; SELECT dynamo.delete_item('RegionItems', '{"h": "serial", "r": 1}'); ROLLBACK TO s;
COMMIT;
SELECT * FROM pg_temp.written();

-- Nobody writes versions by hand.
CREATE ROLE region_versions_writer;
SET ROLE region_versions_writer;
SELECT keys FROM dynamo_internal.item_versions;
SET dynamo.region_clock_offset = 1000;
RESET ROLE;
DROP ROLE region_versions_writer;

-- New items where tombstones are, many at once: the first is inserted in vain, others
-- look for theirs before.  It is tried again after 100 new items.
\c -
SET client_min_messages = warning;
CREATE VIEW pg_temp.done AS SELECT n_tup_ins AS ins, n_tup_upd AS upd, n_tup_del AS del FROM pg_stat_xact_all_tables WHERE relid = 'dynamo_internal.item_versions'::regclass;
CREATE FUNCTION pg_temp.insert(h text, n int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO dynamo_data."RegionItems" (item) SELECT jsonb_build_object('h', h, 'r', i)::dynamo.item FROM generate_series(1, n) i $$;
SELECT pg_temp.insert('again', 5);
DELETE FROM dynamo_data."RegionItems" WHERE item->>'h' = 'again';
BEGIN;
SELECT * FROM pg_temp.done \gset before_
SELECT pg_temp.insert('again', 5);
SELECT ins - :before_ins AS ins, upd - :before_upd AS upd, del - :before_del AS del FROM pg_temp.done;
COMMIT;
DELETE FROM dynamo_data."RegionItems" WHERE item->>'h' = 'again';
BEGIN;
SELECT * FROM pg_temp.done \gset before_
SELECT pg_temp.insert('fresh', 100), pg_temp.insert('again', 5);
SELECT ins - :before_ins AS ins, upd - :before_upd AS upd, del - :before_del AS del FROM pg_temp.done;
COMMIT;
SELECT count(*), count(*) FILTER (WHERE deleted) AS deleted, count(DISTINCT key) AS keys FROM dynamo_internal.item_versions WHERE keys->>'h' IN ('again', 'fresh');

-- One that is deleted and comes again in a transaction, with a savepoint.
BEGIN;
DELETE FROM dynamo_data."RegionItems" WHERE item->>'h' = 'again';
SAVEPOINT s; SELECT pg_temp.insert('again', 2); ROLLBACK TO s;
SELECT pg_temp.insert('again', 3);
COMMIT;
SELECT keys::jsonb, deleted FROM dynamo_internal.item_versions WHERE keys->>'h' = 'again' ORDER BY keys->>'r';

DROP TABLE dynamo_data."RegionItems";
SELECT dynamo.drop_region('versions-there'), dynamo.drop_region('versions-here');
DROP SERVER region_versions;
