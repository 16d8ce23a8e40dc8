-- Where dynamo is not preloaded, nothing is counted: the views are empty and
-- say why, and everything else works.  (On a server that preloads it there is
-- nothing to be seen here: see test/t/stat_requests.pl.)
SELECT current_setting('shared_preload_libraries') ~ 'dynamo' AS preloaded \gset
\if :preloaded
\quit
\endif
SELECT dynamo.create_table('StatAbsent', 'id');
SELECT dynamo.put_item('StatAbsent', '{"id": "a"}');
SELECT * FROM dynamo.get_item('StatAbsent', '{"id": "a"}');
\x
SELECT * FROM dynamo.stat_tables;
SELECT * FROM dynamo.stat_operations;
SELECT * FROM dynamo.stat_table_operations;
SELECT * FROM dynamo.stat_indexes;
SELECT * FROM dynamo.stat_activity;
-- Streams need no shared memory of ours.
SELECT dynamo.enable_stream('StatAbsent') IS NOT NULL AS enabled;
SELECT dynamo.put_item('StatAbsent', '{"id": "b"}');
SELECT table_name, shards, lag_records, holder_pid FROM dynamo.stat_streams
WHERE table_name = 'StatAbsent';
-- This transaction holds its readers back.
BEGIN;
SELECT dynamo.put_item('StatAbsent', '{"id": "c"}');
SELECT table_name, lag_records, holder_pid = pg_backend_pid() AS me,
	holder_xid = pg_current_xact_id()::xid AS mine, holder_since IS NOT NULL AS since
FROM dynamo.stat_streams WHERE table_name = 'StatAbsent';
ROLLBACK;
-- Nothing to reset, and no error; not for everybody.
SELECT dynamo.stat_reset();
SET client_min_messages = warning;
CREATE ROLE stat_absent_user;
SET client_min_messages = notice;
SET ROLE stat_absent_user;
SELECT dynamo.stat_reset();
-- Somebody else's stream is not shown.
SELECT count(*) FROM dynamo.stat_streams WHERE table_name = 'StatAbsent';
RESET ROLE;
DROP ROLE stat_absent_user;
SELECT dynamo.drop_table('StatAbsent');
