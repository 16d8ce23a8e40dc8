-- What another region has sent, stored where it is newer.
SET client_min_messages = warning;
SELECT dynamo.create_region('apply-here');
CREATE SERVER region_apply FOREIGN DATA WRAPPER dynamo_region;
SELECT dynamo.create_region('apply-there', 'region_apply');
CREATE ROLE region_applier;
GRANT USAGE, CREATE ON SCHEMA dynamo_data TO region_applier;
SET SESSION AUTHORIZATION region_applier;
SELECT dynamo.create_table('RegionApply', 'h', 'r', 'S', 'N');
SELECT dynamo.create_index('RegionApply', 'by_v', 'v', partition_key_type => 'N');
SELECT dynamo.enable_stream('RegionApply') IS NOT NULL AS stream;
RESET SESSION AUTHORIZATION;
SELECT dynamo_internal.add_replica('RegionApply', 'apply-there');
SET SESSION AUTHORIZATION region_applier;

-- A change as it is sent; "ago" is milliseconds before now.
CREATE FUNCTION pg_temp.change(number int8, ago int8, item jsonb, deleted boolean DEFAULT false, region int DEFAULT 7) RETURNS bytea LANGUAGE sql AS $$
	SELECT int8send(number) || int8send((SELECT (extract(epoch FROM now()) * 1000)::int8 - ago) << 16) || int4send(region) ||
		CASE WHEN deleted THEN '\x01'::bytea ELSE '\x00' END || int4send(length(b)) || b
	FROM (SELECT dynamo_internal.item_send(item::dynamo.item)) AS i(b)
$$;
CREATE FUNCTION pg_temp.send("position" int8, VARIADIC changes bytea[]) RETURNS text LANGUAGE sql AS $$
	SELECT a::text FROM dynamo_internal.apply_replica('RegionApply', 'apply-there', 'one', "position",
		(SELECT '\x01'::bytea || coalesce(string_agg(c, '' ORDER BY n), '') FROM unnest(changes) WITH ORDINALITY AS u(c, n))) AS a
$$;

-- New items, newer ones, older ones, and the same again.
SELECT dynamo_internal.replica_received('RegionApply', 'apply-there', 'one');
BEGIN;
SELECT pg_temp.send(2, pg_temp.change(1, 10000, '{"h": "b", "r": 1, "v": 1}'), pg_temp.change(2, 10000, '{"h": "a", "r": 1, "v": 1}'));
SELECT pg_temp.send(2, pg_temp.change(1, 10000, '{"h": "b", "r": 1, "v": 1}'), pg_temp.change(2, 10000, '{"h": "a", "r": 1, "v": 1}'));
SELECT pg_temp.send(3, pg_temp.change(3, 9000, '{"h": "a", "r": 1, "v": 2}'));
SELECT pg_temp.send(4, pg_temp.change(4, 9500, '{"h": "a", "r": 1, "v": 3}'));
-- Of one time, the greater region is newer.
SELECT pg_temp.send(5, pg_temp.change(5, 9000, '{"h": "a", "r": 1, "v": 4}', region => 8));
SELECT pg_temp.send(6, pg_temp.change(6, 9000, '{"h": "a", "r": 1, "v": 5}', region => 6));
COMMIT;
SELECT item FROM dynamo.scan('RegionApply') ORDER BY item->>'h';
SELECT event_name, new_image::jsonb FROM dynamo.stream('RegionApply');
SELECT item->>'h' AS h FROM dynamo.query('RegionApply', 'v = :v', '{":v": 4}', index_name => 'by_v');
SELECT dynamo_internal.replica_received('RegionApply', 'apply-there', 'one'), dynamo_internal.replica_received('RegionApply', 'apply-there', 'two');
SELECT applied, discarded FROM dynamo.replicas WHERE table_name = 'RegionApply';

-- A local write is newer than what it has seen, and older changes come too late.
SELECT dynamo.put_item('RegionApply', '{"h": "a", "r": 1, "v": 6}');
SELECT pg_temp.send(7, pg_temp.change(7, 5000, '{"h": "a", "r": 1, "v": 7}'), pg_temp.change(8, 5000, '{"h": "b", "r": 1}', true));
SELECT item FROM dynamo.scan('RegionApply');
-- What was deleted stays so; nor does it come here at all when a tombstone is first.
SELECT pg_temp.send(10, pg_temp.change(9, 6000, '{"h": "b", "r": 1, "v": 8}'));
SELECT pg_temp.send(11, pg_temp.change(11, 4000, '{"h": "c", "r": 1}', true));
SELECT pg_temp.send(12, pg_temp.change(12, 4500, '{"h": "c", "r": 1, "v": 9}'));
SELECT pg_temp.send(13, pg_temp.change(13, 3500, '{"h": "c", "r": 1, "v": 10}'));
SELECT item FROM dynamo.scan('RegionApply') ORDER BY item->>'h';
SELECT dynamo.delete_item('RegionApply', '{"h": "c", "r": 1}');
SELECT pg_temp.send(14, pg_temp.change(14, 3000, '{"h": "c", "r": 1, "v": 11}'));
SELECT count(*) FROM dynamo.scan('RegionApply');

-- From the future: up to half a second is taken, the rest is to be sent again.
SELECT pg_temp.send(20, pg_temp.change(16, -60000, '{"h": "early", "r": 1}'), pg_temp.change(18, 1000, '{"h": "d", "r": 1}'));
SELECT dynamo_internal.replica_received('RegionApply', 'apply-there', 'one');
SELECT item->>'h' AS h FROM dynamo.scan('RegionApply') ORDER BY 1;

-- What is put here has a version of its own; what is a region's has the region's.
RESET SESSION AUTHORIZATION;
SELECT v.keys::jsonb, v.region_id IN (6, 7, 8) AS there, deleted FROM dynamo_internal.item_versions v
WHERE global_id = (SELECT global_id FROM dynamo_internal.global_tables) ORDER BY v.keys::text;

-- A trigger that writes the item again does not make the change a local one.
CREATE FUNCTION pg_temp.again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF new.item->'again' IS NULL THEN
		UPDATE dynamo_data."RegionApply" SET item = (item::jsonb || '{"again": true}')::dynamo.item WHERE item->>'h' = new.item->>'h';
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER again AFTER INSERT OR UPDATE ON dynamo_data."RegionApply" FOR EACH ROW EXECUTE FUNCTION pg_temp.again();
SELECT a.* FROM dynamo_internal.apply_replica('RegionApply', 'apply-there', 'one', 21, '\x01'::bytea || pg_temp.change(21, 1000, '{"h": "again", "r": 1}')) AS a;
SELECT item FROM dynamo.get_item('RegionApply', 'again', 1);
SELECT region_id FROM dynamo_internal.item_versions WHERE keys->>'h' = 'again' AND global_id = (SELECT global_id FROM dynamo_internal.global_tables);
DROP TRIGGER again ON dynamo_data."RegionApply";

-- What plain SQL can store can come, too: an item that is in no index.
SELECT pg_temp.send(22, pg_temp.change(22, 1000, '{"h": "text", "r": 1, "v": "text"}'));
SELECT dynamo.delete_item('RegionApply', 'text', 1);

-- So can the longest items: in a list an empty string counts one byte and takes four.
SELECT pg_temp.send(22, pg_temp.change(22, 1000, jsonb_build_object('h', 'long', 'r', 1, 'l', array_fill(''::text, ARRAY[409500]))));
SELECT dynamo.item_size(item) > 409500 AS large, length(dynamo_internal.item_send(item)) > 1600000 AS long FROM dynamo.get_item('RegionApply', 'long', 1);
SELECT dynamo.delete_item('RegionApply', 'long', 1);

-- Nothing that is wrong is stored, nor what comes with it.
SET SESSION AUTHORIZATION region_applier;
CREATE FUNCTION pg_temp.refused(records bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo_internal.apply_replica('RegionApply', 'apply-there', 'one', 99, records);
	RETURN 'stored';
EXCEPTION WHEN others THEN
	RETURN sqlerrm;
END $$;
SELECT n, pg_temp.refused(r) FROM (VALUES
	(1, ''::bytea), (2, '\x02'), (3, '\x0100'),
	(4, '\x01' || pg_temp.change(1, 0, '{"h": "x", "r": 1}') || '\x00'),
	(5, '\x01' || pg_temp.change(1, 0, '{"h": "x"}')),
	(6, '\x01' || pg_temp.change(1, 0, '{"h": "x", "r": "text"}')),
	(8, '\x01' || pg_temp.change(1, 0, '{"h": "x", "r": 1, "more": 1}', true)),
	(9, '\x01' || pg_temp.change(0, 0, '{"h": "x", "r": 1}')),
	(10, '\x01' || int8send(1) || int8send(-1) || int4send(7) || '\x00' || int4send(2) || '\x0100'),
	(11, '\x01' || int8send(1) || int8send(1) || int4send(7) || '\x00' || int4send(-1)),
	(12, '\x01' || int8send(1) || int8send(1) || int4send(7) || '\x00' || int4send(4) || '\xffffffff'),
	(13, '\x01' || pg_temp.change(1, 0, '{"h": "y", "r": 1}') || set_byte(pg_temp.change(2, 0, '{"h": "x", "r": 1}'), 30, 255)),
	(14, '\x01' || decode(repeat('00', 3100000), 'hex'))) AS t(n, r) ORDER BY n;
SELECT item->>'h' AS h FROM dynamo.scan('RegionApply') ORDER BY 1;
SELECT dynamo_internal.replica_received('RegionApply', 'apply-there', 'one');

-- What a policy hides from the owner is not taken for deleted.
SELECT pg_temp.send(23, pg_temp.change(23, 1000, '{"h": "hidden", "r": 1}'));
CREATE POLICY most ON dynamo_data."RegionApply" USING (item->>'h' <> 'hidden');
ALTER TABLE dynamo_data."RegionApply" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT pg_temp.refused('\x01' || pg_temp.change(24, 500, '{"h": "hidden", "r": 1}', true));
ALTER TABLE dynamo_data."RegionApply" NO FORCE ROW LEVEL SECURITY;
SELECT item FROM dynamo.get_item('RegionApply', 'hidden', 1);
SELECT pg_temp.send(24, pg_temp.change(24, 500, '{"h": "hidden", "r": 1}', true));
SELECT count(*) FROM dynamo.get_item('RegionApply', 'hidden', 1) WHERE item IS NOT NULL;

-- For the owner, of a table that has such a replica.
SELECT dynamo_internal.replica_received('RegionApply', 'apply-nowhere', 'one');
SELECT dynamo_internal.replica_received('RegionNone', 'apply-there', 'one');
SELECT dynamo.create_table('RegionPlain', 'id');
SELECT dynamo_internal.apply_replica('RegionPlain', 'apply-there', 'one', 1, '\x01');
RESET SESSION AUTHORIZATION;
CREATE ROLE region_intruder;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."RegionApply" TO region_intruder;
SET SESSION AUTHORIZATION region_intruder;
SELECT dynamo_internal.replica_received('RegionApply', 'apply-there', 'one');
SELECT dynamo_internal.apply_replica('RegionApply', 'apply-there', 'one', 1000, '\x01');
RESET SESSION AUTHORIZATION;

-- Tombstones stay, however old; all that is of the table goes with it.
UPDATE dynamo_internal.item_versions SET time = time - (90000000::int8 << 16) WHERE deleted AND keys->>'h' <> 'c' AND global_id = (SELECT global_id FROM dynamo_internal.global_tables);
SELECT dynamo_internal.trim_replicas();
SELECT keys::jsonb FROM dynamo_internal.item_versions WHERE deleted AND global_id = (SELECT global_id FROM dynamo_internal.global_tables) ORDER BY 1;
DROP TABLE dynamo_data."RegionApply", dynamo_data."RegionPlain";
SELECT dynamo_internal.trim_replicas();
SELECT count(*) FROM dynamo_internal.item_versions;
SELECT count(*) FROM dynamo_internal.replicas_received;
DELETE FROM dynamo.streams WHERE table_name = 'RegionApply';
SELECT dynamo.drop_region('apply-there'), dynamo.drop_region('apply-here');
DROP SERVER region_apply;
DROP OWNED BY region_applier;
DROP ROLE region_applier, region_intruder;
