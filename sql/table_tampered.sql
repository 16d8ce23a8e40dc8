-- An owner may alter the relation as he likes: the engine looks before it trusts
\t on
\a
\set VERBOSITY terse
-- a row without an item is reported, not read
SELECT dynamo.create_table('Tampered', 'pk', 'sk');
SELECT dynamo.create_index('Tampered', 'ByG', 'g', 'h');
SELECT dynamo.put_item('Tampered', '{"pk": "a", "sk": "1", "g": "x", "h": "y"}');
ALTER TABLE dynamo_data."Tampered" ALTER item DROP NOT NULL, ALTER pk DROP EXPRESSION, ALTER sk DROP EXPRESSION;
INSERT INTO dynamo_data."Tampered" (pk, sk) VALUES ('n', 'n');
SELECT dynamo.get_item('Tampered', '{"pk": "n", "sk": "n"}');
SELECT item FROM dynamo.scan('Tampered');
SELECT dynamo.put_item('Tampered', '{"pk": "n", "sk": "n"}');
SELECT dynamo.delete_item('Tampered', '{"pk": "n", "sk": "n"}');
DELETE FROM dynamo_data."Tampered" WHERE pk = 'n';
-- keys that are no longer made from the item are not made up by us
SELECT dynamo.put_item('Tampered', '{"pk": "b", "sk": "1"}');
SELECT dynamo.update_item('Tampered', '{"pk": "a", "sk": "1"}', 'SET v = :v', '{":v": 1}', return_values => 'ALL_NEW');
SELECT dynamo.drop_table('Tampered');

-- columns of other types
SELECT dynamo.create_table('Tampered', 'pk', 'sk');
ALTER TABLE dynamo_data."Tampered" ALTER pk DROP EXPRESSION, ALTER sk DROP EXPRESSION;
ALTER TABLE dynamo_data."Tampered" ALTER item TYPE text USING item::text;
SELECT item FROM dynamo.scan('Tampered');
SELECT dynamo.put_item('Tampered', '{"pk": "b", "sk": "1"}');
INSERT INTO dynamo_data."Tampered" (pk, sk, item) VALUES ('b', '1', 'by SQL');
SELECT item FROM dynamo_data."Tampered";
SELECT dynamo.drop_table('Tampered');
-- ... which keep nobody from other tables
SELECT count(*) >= 0 FROM dynamo.stat_streams;
SELECT dynamo.call('ListContributorInsights', '{}') IS NOT NULL;
DROP TABLE dynamo_data."Tampered";

-- an index that has taken the name of ours is not used, and its end is not ours
SELECT dynamo.create_table('Tampered', 'pk', 'sk');
SELECT dynamo.create_index('Tampered', 'ByG', 'g', 'h');
ALTER INDEX dynamo_data."Tampered/ByG" RENAME TO other;
CREATE INDEX "Tampered/ByG" ON dynamo_data."Tampered" (pk, (item ->> 'g'), sk) WHERE item ? 'g';
SELECT item FROM dynamo.query('Tampered', 'nope = :g', '{":g": "x"}', index_name => 'ByG');
SELECT dynamo.put_item('Tampered', '{"pk": "a", "sk": "1", "g": "x", "h": "y"}');
SELECT item FROM dynamo.query('Tampered', 'g = :g', '{":g": "x"}', index_name => 'ByG');
DROP INDEX dynamo_data."Tampered/ByG";
CREATE INDEX "Tampered/ByG" ON dynamo_data."Tampered" (pk DESC, sk, dynamo_internal.key_hash(item, 'pk', 'sk'));
SELECT item FROM dynamo.scan('Tampered', index_name => 'ByG');
DROP INDEX dynamo_data."Tampered/ByG";
ALTER INDEX dynamo_data.other RENAME TO "Tampered/ByG";
SELECT item FROM dynamo.query('Tampered', 'g = :g', '{":g": "x"}', index_name => 'ByG');
DROP INDEX dynamo_data."Tampered/ByG";
SELECT item FROM dynamo.query('Tampered', 'g = :g', '{":g": "x"}', index_name => 'ByG');
-- a primary key with the columns the other way round is not our primary index
ALTER TABLE dynamo_data."Tampered" DROP CONSTRAINT "Tampered:pkey", ADD PRIMARY KEY (sk, pk);
SELECT dynamo.put_item('Tampered', '{"pk": "b", "sk": "1"}');
SELECT dynamo.put_item('Tampered', '{"pk": "b", "sk": "1", "v": 2}');
SELECT item FROM dynamo.query('Tampered', 'pk = :p', '{":p": "b"}');
SELECT count(*) FROM dynamo.scan('Tampered');
SELECT dynamo.drop_table('Tampered');

-- nor is one that would refuse a second item when the transaction ends
SELECT dynamo.create_table('Tampered', 'pk');
ALTER TABLE dynamo_data."Tampered" DROP CONSTRAINT "Tampered:pkey",
	ADD PRIMARY KEY (pk) DEFERRABLE INITIALLY DEFERRED;
BEGIN;
INSERT INTO dynamo_data."Tampered" (item) VALUES ('{"pk": "a"}'), ('{"pk": "a"}');
SELECT dynamo.put_item('Tampered', '{"pk": "a", "v": 1}');
SELECT item FROM dynamo.scan('Tampered');
COMMIT;
SELECT dynamo.drop_table('Tampered');

-- ... or none at all
SELECT dynamo.create_table('Tampered', 'pk');
ALTER TABLE dynamo_data."Tampered" DROP CONSTRAINT "Tampered:pkey";
CREATE INDEX ON dynamo_data."Tampered" (pk);
INSERT INTO dynamo_data."Tampered" (item) VALUES ('{"pk": "a"}'), ('{"pk": "a"}');
SELECT dynamo.put_item('Tampered', '{"pk": "a", "v": 1}');
SELECT item FROM dynamo.scan('Tampered');
SELECT dynamo.drop_table('Tampered');

-- a relation put in the place of the table's, with keys of another attribute:
-- they are what the relation makes of them, not what we would
SELECT dynamo.create_table('Tampered', 'pk');
CREATE TABLE dynamo_data.other (
	pk dynamo.partition_key PRIMARY KEY GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'other'::text, 'S'::"char")) STORED,
	item dynamo.item NOT NULL) USING dynamo;
UPDATE dynamo.tables SET relation = 'dynamo_data.other' WHERE table_name = 'Tampered';
SELECT dynamo.put_item('Tampered', '{"pk": "a", "other": "b"}');
SELECT pk, item FROM dynamo_data.other;
SELECT dynamo.drop_table('Tampered');
DROP TABLE dynamo_data."Tampered";

-- nor is a view read that the owner has made of the relation, as PostgreSQL 15 lets him
SELECT dynamo.create_table('Tampered', 'pk');
ALTER TABLE dynamo_data."Tampered" DROP CONSTRAINT "Tampered:pkey";
VACUUM dynamo_data."Tampered";
DO $$
BEGIN
	CREATE RULE "_RETURN" AS ON SELECT TO dynamo_data."Tampered" DO INSTEAD
		SELECT 'v'::dynamo.partition_key AS pk, '{"pk": "v"}'::dynamo.item AS item;
EXCEPTION WHEN wrong_object_type THEN
	NULL;
END $$;
DO $$
BEGIN
	PERFORM dynamo.scan('Tampered');
	IF FOUND THEN
		RAISE NOTICE 'the view was read';
	END IF;
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	NULL;
END $$;
DO $$
BEGIN
	DROP TABLE dynamo_data."Tampered";
EXCEPTION WHEN wrong_object_type THEN
	DROP VIEW dynamo_data."Tampered";
END $$;

-- rows deleted by hand leave nothing in the way of a table made anew
SELECT dynamo.create_table('Tampered', 'pk'), dynamo.create_index('Tampered', 'ByG', 'g');
DELETE FROM dynamo.tables WHERE table_name = 'Tampered';
DROP TABLE dynamo_data."Tampered";
SELECT dynamo.create_table('Tampered', 'pk'), dynamo.create_index('Tampered', 'ByG', 'g');
SELECT dynamo.drop_table('Tampered');

-- a key attribute that has lost its type is reported, not read
SELECT dynamo.create_table('Tampered', 'pk'), dynamo.create_index('Tampered', 'ByG', 'g');
DO $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = 'dynamo.indexes'::regclass AND contype = 'c' LOOP
		EXECUTE format('ALTER TABLE dynamo.indexes DROP CONSTRAINT %I', name);
	END LOOP;
	UPDATE dynamo.indexes SET partition_key_type = '{}' WHERE table_name = 'Tampered';
	PERFORM dynamo.scan('Tampered');
EXCEPTION WHEN data_corrupted THEN
	RAISE NOTICE '%', sqlerrm;
END $$;
SELECT dynamo.drop_table('Tampered');
