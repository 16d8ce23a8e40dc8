-- What is known of deleted items is forgotten when all regions have it.
SET client_min_messages = warning;
SELECT dynamo.create_region('stone-a');
CREATE SERVER region_stone FOREIGN DATA WRAPPER dynamo_region;
SELECT dynamo.create_region('stone-b', 'region_stone');
SELECT dynamo.create_table('Stone', 'id');
SELECT dynamo_internal.add_replica('Stone', 'stone-b');
SELECT dynamo.put_item('Stone', jsonb_build_object('id', i)::dynamo.item) FROM unnest('{old,young,unsent,later}'::text[]) AS i;
SELECT dynamo.delete_item('Stone', i) FROM unnest('{old,young,unsent,later}'::text[]) AS i;
CREATE VIEW pg_temp.known AS SELECT keys->>'id' AS id, time, region_id, number, deleted FROM dynamo_internal.item_versions
WHERE global_id = (SELECT global_id FROM dynamo_internal.global_tables WHERE relation = 'dynamo_data."Stone"'::regclass);
CREATE FUNCTION pg_temp.ids() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(id, ' ' ORDER BY id) FROM pg_temp.known WHERE deleted $$;
-- Maintenance, as often as it takes.
CREATE FUNCTION pg_temp.trimmed() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 4 LOOP
		PERFORM dynamo_internal.trim_replicas();
	END LOOP;
	RETURN pg_temp.ids();
END $$;

-- In one transaction, so that the background does nothing between.
BEGIN;
-- Eight days old, but for one; the other region has it, but for one.
UPDATE dynamo_internal.item_versions SET time = time - (691200000::int8 << 16) WHERE keys->>'id' <> 'young' AND global_id = (SELECT global_id FROM dynamo_internal.global_tables);
UPDATE dynamo_internal.global_tables SET versioned = false;
UPDATE dynamo_internal.replicas SET incarnation = 'one', clock = 4000000000000, position = (SELECT number - 1 FROM pg_temp.known WHERE id = 'unsent');
-- It is still being made; it is not known to have all items; then it is to be sent all anew.
SELECT pg_temp.trimmed();
UPDATE dynamo_internal.replicas SET status = 'ACTIVE';
SELECT pg_temp.trimmed();
UPDATE dynamo_internal.global_tables SET versioned = true;
UPDATE dynamo_internal.replicas SET whole = true;
SELECT pg_temp.trimmed();
SELECT count(*) FROM dynamo_internal.stable_versions;
SELECT floor FROM dynamo_internal.global_tables;
UPDATE dynamo_internal.replicas SET whole = false, clock = 0;
-- What its clock says is not known, or is earlier than ours: the floor is no later.
SELECT pg_temp.trimmed();
SELECT floor FROM dynamo_internal.global_tables;
UPDATE dynamo_internal.replicas SET clock = (extract(epoch FROM now() - interval '180 hours') * 1000)::int8;
SELECT pg_temp.trimmed();
SELECT floor = clock << 16 AS told FROM dynamo_internal.global_tables, dynamo_internal.replicas;
UPDATE dynamo_internal.replicas SET clock = 4000000000000;
-- It claims nothing yet; nor do we, before it has all that was written before the floor was set.
SELECT pg_temp.trimmed();
SELECT region_name, members, time, number > 0 AS number, trimmed FROM dynamo_internal.stable_versions;
SELECT dynamo_internal.replica_received('Stone', 'stone-b', 'one', 9000000000000000000, 'stone-a,stone-b');
SELECT pg_temp.trimmed();
UPDATE dynamo_internal.replicas SET position = (SELECT max(number) + 1000000 FROM pg_temp.known);
UPDATE dynamo_internal.item_versions SET number = number + 2000000 WHERE keys->>'id' = 'unsent';
-- What is claimed of another group is not of this.
SELECT dynamo_internal.replica_received('Stone', 'stone-b', 'one', 9000000000000000000, 'stone-a,stone-b,stone-c');
SELECT pg_temp.trimmed();
SELECT dynamo_internal.replica_received('Stone', 'stone-b', 'one', 1, 'stone-a,stone-b');
SELECT pg_temp.trimmed();
SELECT dynamo_internal.replica_received('Stone', 'stone-b', 'one', 9000000000000000000, 'stone-a,stone-b');
-- Now those go that are old and sent.
SELECT pg_temp.trimmed();
SELECT region_name, members, time > 1 AS claims, trimmed > 1 AS trimmed FROM dynamo_internal.stable_versions ORDER BY 1;
COMMIT;

-- With a new replica claims begin anew; who is sent all has made none that holds, until that is done.
BEGIN;
CREATE SERVER region_stone_c FOREIGN DATA WRAPPER dynamo_region;
SELECT dynamo.create_region('stone-c', 'region_stone_c');
SELECT dynamo_internal.add_replica('Stone', 'stone-c');
SELECT region_name, members, time > 0 AS claims, number, trimmed > 1 AS trimmed FROM dynamo_internal.stable_versions ORDER BY 1;
ROLLBACK;
BEGIN;
SELECT dynamo_internal.resend_replica('Stone', 'stone-b');
SELECT region_name, members, time > 0 AS claims, number, trimmed > 1 AS trimmed FROM dynamo_internal.stable_versions ORDER BY 1;
SELECT dynamo_internal.replica_received('Stone', 'stone-b', 'one', 9000000000000000000, 'stone-a,stone-b');
SELECT count(*) FROM dynamo_internal.stable_versions WHERE region_name = 'stone-b';
UPDATE dynamo_internal.replicas SET whole = false;
SELECT dynamo_internal.replica_received('Stone', 'stone-b', 'one', 9000000000000000000, 'stone-a,stone-b');
SELECT count(*) FROM dynamo_internal.stable_versions WHERE region_name = 'stone-b';
ROLLBACK;

-- An item that comes is as old as what is forgotten: it is discarded, and answered; a deletion is not.
CREATE FUNCTION pg_temp.send(number int8, "time" int8, item jsonb, deleted boolean DEFAULT false) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s applied, %s discarded', a.applied, a.discarded) FROM dynamo_internal.item_send(item::dynamo.item) AS i(b), dynamo_internal.apply_replica('Stone', 'stone-b', 'one', number, '\x01'::bytea ||
		int8send(number) || int8send("time") || int4send((SELECT region_id FROM dynamo.regions WHERE region_name = 'stone-b')) ||
		CASE WHEN deleted THEN '\x01'::bytea ELSE '\x00' END || int4send(length(b)) || b) AS a
$$;
SELECT trimmed FROM dynamo_internal.stable_versions WHERE region_name = 'stone-a' \gset
SELECT pg_temp.send(1, :trimmed - 1000, '{"id": "gone"}', true);
SELECT pg_temp.ids();
SELECT pg_temp.send(2, :trimmed - 1000, '{"id": "old"}');
SELECT pg_temp.send(3, :trimmed, '{"id": "later"}');
SELECT pg_temp.send(4, :trimmed + 1, '{"id": "alive"}');
SELECT pg_temp.ids();
SELECT item FROM dynamo.scan('Stone');
SELECT id, time - :trimmed AS later, region_id = (SELECT region_id FROM dynamo.regions WHERE region_name = 'stone-a') AS ours FROM pg_temp.known WHERE id IN ('old', 'later') ORDER BY id;

-- What is written here is later than the floor, by all clocks, and so is an expired item's deletion.
SET dynamo.region_clock_offset = '-23h';
UPDATE dynamo_internal.global_tables SET floor = (SELECT max(time) FROM pg_temp.known) + 1000000000;
SELECT floor FROM dynamo_internal.global_tables \gset
SELECT dynamo.put_item('Stone', '{"id": "old"}');
SELECT time - :floor AS later FROM pg_temp.known WHERE id = 'old';
SELECT dynamo.put_item('Stone', '{"id": "fresh"}');
SELECT time - :floor AS later FROM pg_temp.known WHERE id = 'fresh';
RESET dynamo.region_clock_offset;
SELECT dynamo.enable_ttl('Stone', 't');
SELECT dynamo.put_item('Stone', '{"id": "alive", "t": 1700000000}');
UPDATE dynamo_internal.item_versions SET time = 5 WHERE keys->>'id' = 'alive';
SELECT dynamo.expire_items('Stone');
SELECT time - :floor AS later, deleted FROM pg_temp.known WHERE id = 'alive';

-- A region that is not one of the group claims nothing; all goes with the table.
SELECT dynamo_internal.replica_received('Stone', 'stone-c', 'one', 1, 'stone-a,stone-c');
DROP VIEW pg_temp.known;
DROP TABLE dynamo_data."Stone";
SELECT count(*) FROM dynamo_internal.stable_versions;
SELECT dynamo_internal.trim_replicas();
SELECT dynamo.drop_region('stone-b'), dynamo.drop_region('stone-a');
DROP SERVER region_stone;
