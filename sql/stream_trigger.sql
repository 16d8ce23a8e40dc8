-- A stream leaves the engine its fast path, and means the same on the slow one;
-- triggers that are switched off record nothing by any door.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
SELECT dynamo.create_table('Switched', 'pk');
SELECT dynamo.enable_stream('Switched') IS NOT NULL AS enabled;
SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger
WHERE tgrelid = 'dynamo_data."Switched"'::regclass ORDER BY tgname;

-- Disabled, and enabled again.
ALTER TABLE dynamo_data."Switched" DISABLE TRIGGER "!dynamo_stream";
SELECT dynamo.put_item('Switched', '{"pk": "off by API"}');
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "off by SQL"}');
ALTER TABLE dynamo_data."Switched" ENABLE TRIGGER "!dynamo_stream";
SELECT dynamo.put_item('Switched', '{"pk": "on by API"}');
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "on by SQL"}');
SELECT * FROM pg_temp.records('Switched');

-- As on a subscriber.
SET session_replication_role = replica;
SELECT dynamo.put_item('Switched', '{"pk": "replica by API"}');
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "replica by SQL"}');
ALTER TABLE dynamo_data."Switched" ENABLE ALWAYS TRIGGER "!dynamo_stream";
SELECT dynamo.put_item('Switched', '{"pk": "always by API"}');
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "always by SQL"}');
RESET session_replication_role;
ALTER TABLE dynamo_data."Switched" ENABLE REPLICA TRIGGER "!dynamo_stream";
SELECT dynamo.put_item('Switched', '{"pk": "only replica by API"}');
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "only replica by SQL"}');
ALTER TABLE dynamo_data."Switched" ENABLE TRIGGER "!dynamo_stream";
SELECT * FROM pg_temp.records('Switched') OFFSET 2;

-- A trigger of the user's sends the engine through SQL: still one record each,
-- and the one for a change that the trigger adds comes second.
CREATE FUNCTION pg_temp.stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE dynamo_data."Switched" SET item = item::jsonb || '{"stamp": true}' WHERE pk = new.pk;
	RETURN NULL;
END $$;
CREATE TRIGGER "A stamp" AFTER INSERT ON dynamo_data."Switched"
	FOR EACH ROW EXECUTE FUNCTION pg_temp.stamp();
SELECT dynamo.put_item('Switched', '{"pk": "stamped"}');
SELECT dynamo.update_item('Switched', '{"pk": "stamped"}', 'SET a = :a', '{":a": 1}');
SELECT dynamo.update_item('Switched', '{"pk": "stamped"}', 'SET a = :a', '{":a": 1}');
SELECT dynamo.delete_item('Switched', '{"pk": "stamped"}');
SELECT * FROM dynamo.transact_write('[{"Put": {"TableName": "Switched", "Item": {"pk": "transaction"}}},
	{"Delete": {"TableName": "Switched", "Key": {"pk": "missing"}}}]');
SELECT * FROM pg_temp.records('Switched') OFFSET 4;
DROP TRIGGER "A stamp" ON dynamo_data."Switched";

-- Row-level security does, too.
CREATE ROLE dynamo_test_streamer;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."Switched" TO dynamo_test_streamer;
ALTER TABLE dynamo_data."Switched" ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_of_it ON dynamo_data."Switched" USING (true);
SET ROLE dynamo_test_streamer;
SELECT dynamo.put_item('Switched', '{"pk": "policy"}');
SELECT dynamo.delete_item('Switched', '{"pk": "policy"}');
RESET ROLE;
SELECT * FROM pg_temp.records('Switched') OFFSET 10;
ALTER TABLE dynamo_data."Switched" DISABLE ROW LEVEL SECURITY;

-- One that somebody gave a condition, fewer events or another function is not
-- the stream's: nothing is written past it by the API, and it records nothing.
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT OR UPDATE OR DELETE ON dynamo_data."Switched"
	FOR EACH ROW WHEN (false) EXECUTE FUNCTION dynamo_internal.stream_capture();
SELECT dynamo.put_item('Switched', '{"pk": "conditional"}');
SELECT count(*) FROM dynamo.get_item('Switched', '{"pk": "on by API"}');
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT ON dynamo_data."Switched"
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
SELECT dynamo.put_item('Switched', '{"pk": "inserts only"}');
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "inserts only"}');
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT OR UPDATE OR DELETE ON dynamo_data."Switched"
	FOR EACH ROW EXECUTE FUNCTION pg_temp.stamp();
SELECT dynamo.put_item('Switched', '{"pk": "other function"}');
SELECT dynamo.transact_write('[{"Put": {"TableName": "Switched", "Item": {"pk": "other function"}}}]');
CREATE OR REPLACE TRIGGER "!dynamo_stream" AFTER INSERT OR UPDATE OR DELETE ON dynamo_data."Switched"
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
CREATE OR REPLACE TRIGGER "!dynamo_stream_truncate" BEFORE TRUNCATE ON dynamo_data."Switched"
	FOR EACH STATEMENT WHEN (false) EXECUTE FUNCTION dynamo_internal.stream_capture();
SELECT dynamo.put_item('Switched', '{"pk": "no TRUNCATE"}');
CREATE OR REPLACE TRIGGER "!dynamo_stream_truncate" BEFORE TRUNCATE ON dynamo_data."Switched"
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.stream_capture();
SELECT dynamo.put_item('Switched', '{"pk": "as before"}');
SELECT * FROM pg_temp.records('Switched') OFFSET 12;

-- Renamed, it records nothing, by any door.
ALTER TRIGGER "!dynamo_stream" ON dynamo_data."Switched" RENAME TO renamed;
SELECT dynamo.put_item('Switched', '{"pk": "renamed by API"}');
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "renamed by SQL"}');
ALTER TRIGGER renamed ON dynamo_data."Switched" RENAME TO "!dynamo_stream";
SELECT count(*) FROM pg_temp.records('Switched');

-- The function under another name records nothing a second time.
CREATE TRIGGER "!dynamo_stream_again" AFTER INSERT ON dynamo_data."Switched"
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.stream_capture();
INSERT INTO dynamo_data."Switched" (item) VALUES ('{"pk": "once"}');
SELECT * FROM pg_temp.records('Switched') OFFSET 13;
DROP TRIGGER "!dynamo_stream_again" ON dynamo_data."Switched";

-- Disabling copes with triggers dropped.
DROP TRIGGER "!dynamo_stream" ON dynamo_data."Switched";
SELECT dynamo.put_item('Switched', '{"pk": "dropped"}');
SELECT count(*) FROM pg_temp.records('Switched');
SELECT dynamo.disable_stream('Switched');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'dynamo_data."Switched"'::regclass;

SELECT dynamo.drop_table('Switched');
DROP ROLE dynamo_test_streamer;
