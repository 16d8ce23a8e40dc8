-- Who may enable a stream, and who may read it.

CREATE FUNCTION pg_temp.records(name text) RETURNS TABLE (event text, old jsonb, new jsonb)
LANGUAGE sql AS $$
	SELECT event_name, old_image::jsonb, new_image::jsonb FROM dynamo.stream(name)
$$;
SELECT dynamo.create_table('Secret', 'pk');
SELECT dynamo.enable_stream('Secret') IS NOT NULL AS enabled;
CREATE ROLE dynamo_test_watcher;
GRANT INSERT, UPDATE, DELETE ON dynamo_data."Secret" TO dynamo_test_watcher;

-- Who may only write writes records nevertheless, and has no right on them.
SET ROLE dynamo_test_watcher;
SELECT dynamo.put_item('Secret', '{"pk": "1"}');
INSERT INTO dynamo_data."Secret" (item) VALUES ('{"pk": "2"}');
\set VERBOSITY sqlstate
SELECT * FROM dynamo.stream('Secret');
\set VERBOSITY default
SELECT * FROM dynamo_internal.stream_records_0;
SELECT nextval('dynamo_internal.stream_sequence');
SELECT dynamo.disable_stream('Secret');
SELECT dynamo.enable_stream('Secret');
SELECT dynamo.trim_streams();
SELECT dynamo_internal.trim_streams(now());
SELECT table_name FROM dynamo.streams WHERE table_name = 'Secret';
UPDATE dynamo.streams SET view_type = 'KEYS_ONLY';

-- Who may not use a table does not learn whether it has a stream.
RESET ROLE;
SELECT dynamo.create_table('Silent', 'pk');
SET ROLE dynamo_test_watcher;
\set VERBOSITY sqlstate
SELECT * FROM dynamo.stream('Silent');
\set VERBOSITY default
RESET ROLE;
SELECT dynamo.drop_table('Silent');

-- Whoever may read the table may read its stream, unless policies apply to
-- him: a record knows no policy.
RESET ROLE;
GRANT SELECT ON dynamo_data."Secret" TO dynamo_test_watcher;
SET ROLE dynamo_test_watcher;
SELECT event, new FROM pg_temp.records('Secret');
RESET ROLE;
ALTER TABLE dynamo_data."Secret" ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_of_it ON dynamo_data."Secret" USING (true);
SET ROLE dynamo_test_watcher;
\set VERBOSITY sqlstate
SELECT * FROM pg_temp.records('Secret');
\set VERBOSITY default
RESET ROLE;
SELECT count(*) FROM pg_temp.records('Secret');

-- The owner enables and disables without any other right.
ALTER TABLE dynamo_data."Secret" OWNER TO dynamo_test_watcher;
SET ROLE dynamo_test_watcher;
SELECT dynamo.disable_stream('Secret');
SELECT dynamo.enable_stream('Secret') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Secret', '{"pk": "3"}');
SELECT event, new FROM pg_temp.records('Secret');

-- Writing needs a transaction that may write; reading does not.
BEGIN READ ONLY;
SELECT event, new FROM pg_temp.records('Secret');
SELECT dynamo.disable_stream('Secret');
ROLLBACK;

-- Dropped, the stream is left to who owned the table last, whatever the way.
RESET ROLE;
BEGIN;
DROP TABLE dynamo_data."Secret";
SELECT DISTINCT owner FROM dynamo.streams WHERE table_name = 'Secret';
ROLLBACK;
BEGIN;
ALTER TABLE dynamo_data."Secret" OWNER TO CURRENT_USER;
DROP TABLE dynamo_data."Secret";
SELECT count(DISTINCT owner) FROM dynamo.streams WHERE table_name = 'Secret' AND owner = CURRENT_USER;
ROLLBACK;
SELECT dynamo.drop_table('Secret');
SELECT DISTINCT owner FROM dynamo.streams WHERE table_name = 'Secret';
DELETE FROM dynamo.streams WHERE table_name = 'Secret';
DROP ROLE dynamo_test_watcher;
