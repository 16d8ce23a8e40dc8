-- Of a relation that Citus distributes only an empty shell is left here; it is
-- not to be read or written as if it had the rows.  Citus itself is not
-- needed: what it would leave in the catalogs is put there, and rolled back.
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('Sharded', 'pk');
SELECT dynamo.create_table('Whole', 'pk');
SELECT dynamo.put_item('Sharded', '{"pk": "1"}');
SELECT dynamo.put_item('Whole', '{"pk": "1"}');
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
BEGIN;
SET LOCAL allow_system_table_mods = on;
-- a table of that name that is not Citus' says nothing
CREATE TABLE pg_catalog.pg_dist_partition (partmethod "char", logicalrelid regclass);
INSERT INTO pg_dist_partition VALUES ('h', 'dynamo_data."Sharded"');
GRANT SELECT ON dynamo_data."Sharded" TO PUBLIC;
SELECT dynamo.get_item('Sharded', '{"pk": "1"}');
-- nor does it where Citus is, which has not made it
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
	VALUES (9999, 'citus', 10, 'pg_catalog'::regnamespace, false, '0');
GRANT UPDATE ON dynamo_data."Sharded" TO PUBLIC;
SELECT dynamo.get_item('Sharded', '{"pk": "1"}');
-- now it is
INSERT INTO pg_depend VALUES ('pg_class'::regclass, 'pg_dist_partition'::regclass, 0, 'pg_extension'::regclass, 9999, 0, 'e');
GRANT INSERT ON dynamo_data."Sharded" TO PUBLIC;
SELECT try(statement) FROM unnest(ARRAY[
	$$SELECT dynamo.get_item('Sharded', '{"pk": "1"}')$$,
	$$SELECT dynamo.put_item('Sharded', '{"pk": "2"}')$$,
	$$SELECT dynamo.query('Sharded', 'pk = :p', '{":p": "1"}')$$,
	$$SELECT dynamo.transact_write('[{"Put": {"TableName": "Sharded", "Item": {"pk": "2"}}}]')$$,
	$$SELECT dynamo.create_index('Sharded', 'ByA', 'a')$$,
	$$SELECT dynamo.enable_stream('Sharded')$$]) statement;
-- another table is not concerned
SELECT dynamo.get_item('Whole', '{"pk": "1"}');
-- taken back
DELETE FROM pg_dist_partition;
REVOKE INSERT ON dynamo_data."Sharded" FROM PUBLIC;
SELECT dynamo.get_item('Sharded', '{"pk": "1"}');
ROLLBACK;
SELECT dynamo.get_item('Sharded', '{"pk": "1"}');
DROP FUNCTION try;
SELECT dynamo.drop_table('Sharded');
SELECT dynamo.drop_table('Whole');
