-- What a node tells others that read items of several nodes as of one moment.  Anybody
-- may ask for it: it is of distributed tables, and of those that he may read.
\t on
\a
\set VERBOSITY terse
SELECT dynamo.create_table('MomentNode', 'id');
SELECT dynamo.put_item('MomentNode', '{"id": "a"}');
CREATE FUNCTION pg_temp.read(keys bytea[], known bigint[]) RETURNS bytea[] LANGUAGE sql AS $$ SELECT dynamo_internal.read_items('MomentNode', keys, known) $$;
-- a table that is not distributed has none of its items read so
SELECT pg_temp.read(ARRAY[dynamo_internal.item_send('{"id": "a"}')], '{-1}') IS NULL;
SELECT pg_temp.read('{}', '{}') IS NULL;
-- each key has a version, and there is no null among them
SELECT pg_temp.read(ARRAY[dynamo_internal.item_send('{"id": "a"}')], '{}');
SELECT pg_temp.read('{}', '{1}');
SELECT pg_temp.read(ARRAY[dynamo_internal.item_send('{"id": "a"}')], '{1,2}');
SELECT pg_temp.read('{NULL}', '{1}');
SELECT pg_temp.read(ARRAY[dynamo_internal.item_send('{"id": "a"}')], '{NULL}');
-- nor is any locked
SELECT dynamo_internal.hold_items('MomentNode', ARRAY[dynamo_internal.item_send('{"id": "a"}')]);
SELECT dynamo_internal.hold_items('MomentNode', '{NULL}');
-- a table that is not there, and who may not read it
SELECT dynamo_internal.hold_items('MomentNone', '{}');
SELECT dynamo_internal.read_items('MomentNone', '{}', '{}');
BEGIN;
GRANT USAGE ON SCHEMA dynamo_internal TO pg_read_server_files;
SET LOCAL ROLE pg_read_server_files;
SELECT pg_temp.read('{}', '{}');
ROLLBACK;
SELECT dynamo.drop_table('MomentNode');
