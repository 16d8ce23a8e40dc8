-- Statements of the store that goes through SQL are prepared once in a session;
-- those on relations that are gone do not stay for ever.

DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		PERFORM dynamo.create_table('Passing', 'pk');
		ALTER TABLE dynamo_data."Passing" ADD CHECK (item->>'pk' <> '');
		PERFORM dynamo.put_item('Passing', '{"pk": "a"}'), dynamo.delete_item('Passing', '{"pk": "a"}'),
			dynamo.get_item('Passing', '{"pk": "a"}');
		PERFORM dynamo.drop_table('Passing');
	END LOOP;
END
$$;
SELECT count(*) BETWEEN 1 AND 150 AS few_plans FROM pg_backend_memory_contexts
WHERE name = 'SPI Plan';

-- They are of a relation, whatever it is called: one that takes the name of
-- another is not written in its place.
SELECT dynamo.create_table('Planned', 'pk');
ALTER TABLE dynamo_data."Planned" ADD CHECK (item ? 'pk');
SELECT dynamo.put_item('Planned', '{"pk": "a"}');
ALTER TABLE dynamo_data."Planned" RENAME TO other;
CREATE TABLE dynamo_data."Planned" (LIKE dynamo_data.other INCLUDING ALL);
SELECT dynamo.put_item('Planned', '{"pk": "b"}');
SELECT dynamo.update_item('Planned', '{"pk": "a"}', 'SET n = :n', '{":n": 1}');
SELECT tableoid::regclass, item FROM dynamo_data.other
UNION ALL SELECT tableoid::regclass, item FROM dynamo_data."Planned";
DROP TABLE dynamo_data."Planned";
SELECT dynamo.drop_table('Planned');

-- They find a row by its key, whoever the policies are for when they are planned anew.
SELECT dynamo.create_table('Turns', 'pk');
INSERT INTO dynamo_data."Turns" (item) VALUES ('{"pk": "a"}');
ANALYZE dynamo_data."Turns";
CREATE ROLE regress_turns_ann;
CREATE ROLE regress_turns_ben;
GRANT SELECT ON dynamo_data."Turns" TO regress_turns_ann, regress_turns_ben;
ALTER TABLE dynamo_data."Turns" ENABLE ROW LEVEL SECURITY;
CREATE POLICY everything ON dynamo_data."Turns" USING (true);
BEGIN;
SELECT seq_scan AS before FROM pg_stat_xact_user_tables WHERE relname = 'Turns' \gset
SET LOCAL ROLE regress_turns_ann;
SELECT dynamo.get_item('Turns', '{"pk": "a"}');
SET LOCAL ROLE regress_turns_ben;
SELECT dynamo.get_item('Turns', '{"pk": "a"}');
RESET ROLE;
SELECT seq_scan - :before AS seq_scans FROM pg_stat_xact_user_tables WHERE relname = 'Turns';
COMMIT;
SELECT dynamo.drop_table('Turns');
DROP ROLE regress_turns_ann, regress_turns_ben;

-- ... and whatever the search_path is.
SELECT dynamo.create_table('Paths', 'pk');
ALTER TABLE dynamo_data."Paths" ADD CHECK (item ? 'pk');
INSERT INTO dynamo_data."Paths" (item) VALUES ('{"pk": "a"}');
ANALYZE dynamo_data."Paths";
BEGIN;
SELECT seq_scan AS before FROM pg_stat_xact_user_tables WHERE relname = 'Paths' \gset
SELECT dynamo.get_item('Paths', '{"pk": "a"}');
SET LOCAL search_path = pg_catalog;
SELECT dynamo.get_item('Paths', '{"pk": "a"}');
SELECT seq_scan - :before AS seq_scans FROM pg_stat_xact_user_tables WHERE relname = 'Paths';
COMMIT;
SELECT dynamo.drop_table('Paths');

-- A function that runs while a statement is planned may rename the relation.
-- What has its name then is no item where it is of another type.
SELECT dynamo.create_table('Swapped', 'pk');
SELECT dynamo.put_item('Swapped', '{"pk": "a"}');
CREATE ROLE regress_swapper;
GRANT CREATE ON SCHEMA dynamo_data TO regress_swapper;
CREATE FUNCTION swap() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF to_regclass('dynamo_data.swapped_away') IS NULL THEN
		ALTER TABLE dynamo_data."Swapped" RENAME TO swapped_away;
		CREATE VIEW dynamo_data."Swapped" AS SELECT pk, 1::bigint AS item FROM dynamo_data.swapped_away;
	END IF;
	RETURN true;
END
$$;
CREATE FUNCTION lure() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN public.swap(); END$$;
ALTER TABLE dynamo_data."Swapped" OWNER TO regress_swapper;
ALTER TABLE dynamo_data."Swapped" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY lure ON dynamo_data."Swapped" USING (lure());
SET ROLE regress_swapper;
SELECT dynamo.get_item('Swapped', '{"pk": "a"}');
RESET ROLE;
SELECT dynamo.drop_table('Swapped');
DROP FUNCTION lure, swap;

-- It may read the table by its new name, too, which has another plan take the place of
-- the one that is being made.
SELECT dynamo.create_table('Nested', 'pk');
SELECT dynamo.put_item('Nested', '{"pk": "a"}');
CREATE FUNCTION rename_and_read() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF to_regclass('dynamo_data.nested_away') IS NULL THEN
		ALTER TABLE dynamo_data."Nested" RENAME TO nested_away;
		PERFORM dynamo.get_item('Nested', '{"pk": "a"}');
	END IF;
	RETURN true;
END
$$;
CREATE FUNCTION lure() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN public.rename_and_read(); END$$;
ALTER TABLE dynamo_data."Nested" OWNER TO regress_swapper;
ALTER TABLE dynamo_data."Nested" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY lure ON dynamo_data."Nested" USING (lure());
SET ROLE regress_swapper;
SELECT dynamo.get_item('Nested', '{"pk": "a"}');
RESET ROLE;
SELECT dynamo.drop_table('Nested');
DROP FUNCTION lure, rename_and_read;
REVOKE CREATE ON SCHEMA dynamo_data FROM regress_swapper;
DROP ROLE regress_swapper;
