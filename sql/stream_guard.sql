-- Attack: a role with the privilege TRIGGER replaces the trigger that records
-- changes by a function of its own, changes items by plain SQL, and puts ours
-- back: the stream lacks the changes, and the past shows what never was.  The
-- owner does the same by disabling it.  Nobody but a superuser leaves a table
-- without its triggers, except by the functions that end its stream.
\a
\t on
\set VERBOSITY terse
CREATE ROLE guard_owner;
CREATE ROLE guard_mallory;
GRANT CREATE ON SCHEMA dynamo_data TO guard_owner;
CREATE SCHEMA guard;
GRANT USAGE, CREATE ON SCHEMA guard TO guard_owner, guard_mallory;
SET ROLE guard_owner;
SELECT dynamo.create_table('Guarded', 'pk');
SELECT dynamo.enable_stream('Guarded') IS NOT NULL;
SELECT dynamo.enable_recovery('Guarded');
GRANT SELECT, INSERT, UPDATE, DELETE, TRIGGER ON dynamo_data."Guarded" TO guard_mallory;

SET ROLE guard_mallory;
CREATE FUNCTION guard.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT OR UPDATE OR DELETE ON dynamo_data."Guarded" FOR EACH ROW EXECUTE FUNCTION guard.nothing();
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT OR UPDATE OR DELETE ON dynamo_data."Guarded" FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_internal.stream_capture();
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT ON dynamo_data."Guarded" FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
CREATE OR REPLACE TRIGGER "!dynamo_stream_truncate" BEFORE TRUNCATE ON dynamo_data."Guarded" FOR EACH STATEMENT EXECUTE FUNCTION guard.nothing();
INSERT INTO dynamo_data."Guarded" (item) VALUES ('{"pk": "a", "by": "mallory"}');
-- As it is it may be made again.
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT OR UPDATE OR DELETE ON dynamo_data."Guarded" FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();

-- One that fires before ours would change the row once more, and have its record first.
CREATE FUNCTION guard.again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN UPDATE dynamo_data."Guarded" SET item = item::jsonb || '{"again": true}' WHERE pk = new.pk; RETURN NULL; END $$;
CREATE TRIGGER "!a" AFTER INSERT ON dynamo_data."Guarded" FOR EACH ROW EXECUTE FUNCTION guard.again();
CREATE CONSTRAINT TRIGGER "!a" AFTER INSERT ON dynamo_data."Guarded" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION guard.again();
CREATE TRIGGER "!z" AFTER INSERT ON dynamo_data."Guarded" FOR EACH ROW EXECUTE FUNCTION guard.again();
INSERT INTO dynamo_data."Guarded" (item) VALUES ('{"pk": "b"}');

-- The owner neither, in any way.
SET ROLE guard_owner;
ALTER TABLE dynamo_data."Guarded" DISABLE TRIGGER "!dynamo_stream";
ALTER TABLE dynamo_data."Guarded" DISABLE TRIGGER USER;
ALTER TABLE dynamo_data."Guarded" ENABLE REPLICA TRIGGER "!dynamo_stream_truncate";
ALTER TRIGGER "!dynamo_stream" ON dynamo_data."Guarded" RENAME TO moved;
ALTER TRIGGER "!z" ON dynamo_data."Guarded" RENAME TO "!a";
DROP TRIGGER "!dynamo_stream" ON dynamo_data."Guarded";
DROP TRIGGER IF EXISTS "!dynamo_stream_truncate" ON dynamo_data."Guarded" CASCADE;
CREATE TABLE guard.parent (LIKE dynamo_data."Guarded" INCLUDING GENERATED);
ALTER TABLE dynamo_data."Guarded" INHERIT guard.parent;
ALTER TABLE guard.parent DISABLE TRIGGER USER;
ALTER TABLE dynamo_data."Guarded" NO INHERIT guard.parent;
ALTER TABLE dynamo_data."Guarded" ADD extra integer;
ALTER TABLE dynamo_data."Guarded" ALTER item TYPE dynamo.item USING '{"pk": "c"}'::dynamo.item;
ALTER TABLE dynamo_data."Guarded" ALTER extra TYPE bigint;
ALTER TABLE dynamo_data."Guarded" SET UNLOGGED;
DO $$BEGIN EXECUTE 'DROP TRIGGER "!dynamo_stream" ON dynamo_data."Guarded"'; EXCEPTION WHEN object_not_in_prerequisite_state THEN RAISE NOTICE 'refused within a function'; END$$;
-- Nor within CREATE SCHEMA, which moves the table there before it makes triggers.
RESET ROLE;
GRANT CREATE ON DATABASE :DBNAME TO guard_owner;
SET ROLE guard_owner;
CREATE FUNCTION guard.move() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN EXECUTE 'ALTER TABLE dynamo_data."Guarded" SET SCHEMA guard_new'; RETURN 1; END $$;
CREATE SCHEMA guard_new
CREATE TABLE list (n integer) PARTITION BY LIST (n)
CREATE TABLE piece PARTITION OF list FOR VALUES IN (guard.move())
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT OR UPDATE OR DELETE ON "Guarded" FOR EACH ROW EXECUTE FUNCTION guard.nothing();
RESET ROLE;
REVOKE CREATE ON DATABASE :DBNAME FROM guard_owner;
SET ROLE guard_owner;
-- What leaves them alone is allowed.
ALTER TABLE dynamo_data."Guarded" ENABLE ALWAYS TRIGGER "!dynamo_stream";
ALTER TABLE dynamo_data."Guarded" ENABLE TRIGGER "!dynamo_stream", DISABLE TRIGGER "!z", DROP extra;
DROP TRIGGER "!z" ON dynamo_data."Guarded";
CREATE TRIGGER "!b" BEFORE INSERT ON dynamo_data."Guarded" FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
DROP TRIGGER "!b" ON dynamo_data."Guarded";
SELECT tgname, tgenabled, tgfoid::regproc FROM pg_trigger WHERE tgrelid = 'dynamo_data."Guarded"'::regclass ORDER BY tgname COLLATE "C";
SELECT event_name, new_image::jsonb FROM dynamo.stream('Guarded');

-- Other tables are nobody's business but their owners'.
SELECT dynamo.create_table('Unguarded', 'pk');
CREATE TRIGGER "!dynamo_stream" AFTER INSERT ON dynamo_data."Unguarded" FOR EACH ROW EXECUTE FUNCTION guard.nothing();
ALTER TABLE dynamo_data."Unguarded" DISABLE TRIGGER "!dynamo_stream";
DROP TRIGGER "!dynamo_stream" ON dynamo_data."Unguarded";
CREATE TRIGGER "!a" AFTER INSERT ON dynamo_data."Unguarded" FOR EACH ROW EXECUTE FUNCTION guard.nothing();
SELECT dynamo.enable_stream('Unguarded') IS NOT NULL;
DROP TRIGGER "!a" ON dynamo_data."Unguarded";
SELECT dynamo.enable_stream('Unguarded') IS NOT NULL;

-- Streams and recovery end as ever, and the triggers go with the last of them.
SELECT dynamo.disable_stream('Guarded');
DROP TRIGGER "!dynamo_stream" ON dynamo_data."Guarded";
SELECT dynamo.disable_recovery('Guarded');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dynamo_data."Guarded"'::regclass;
ALTER TABLE dynamo_data."Guarded" SET UNLOGGED;
SELECT dynamo.enable_recovery('Guarded');
ALTER TABLE dynamo_data."Guarded" SET LOGGED;
SELECT dynamo.enable_recovery('Guarded');
-- A superuser may, and is warned.
RESET ROLE;
ALTER TABLE dynamo_data."Guarded" DISABLE TRIGGER USER;
ALTER TABLE dynamo_data."Guarded" ENABLE TRIGGER USER;
DROP TRIGGER "!dynamo_stream" ON dynamo_data."Guarded";
SET ROLE guard_owner;
SELECT dynamo.drop_table('Guarded');
SELECT dynamo.drop_table('Unguarded');
RESET ROLE;
SET client_min_messages = warning;
DROP OWNED BY guard_owner, guard_mallory CASCADE;
DROP SCHEMA guard;
DROP ROLE guard_owner, guard_mallory;
