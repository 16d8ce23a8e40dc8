-- What writes without the executor is refused as other writes are where the
-- transaction, or the server, is read-only.
\a
\t on
\set VERBOSITY sqlstate
CREATE ROLE read_only_role LOGIN;
SELECT dynamo.create_table('ReadOnly', 'pk');
SELECT access_key_id AS key FROM dynamo.create_access_key('read_only_role') \gset
BEGIN READ ONLY;
SAVEPOINT s;
SELECT access_key_id FROM dynamo.create_access_key('read_only_role');
ROLLBACK TO s;
SELECT dynamo.drop_access_key(:'key');
ROLLBACK TO s;
SELECT dynamo.create_backup('ReadOnly', 'backup') IS NULL;
ROLLBACK TO s;
SELECT dynamo.drop_table('ReadOnly');
ROLLBACK TO s;
SELECT dynamo.enable_recovery('ReadOnly');
ROLLBACK;
SELECT count(*) FROM dynamo.backups WHERE table_name = 'ReadOnly';
SELECT dynamo.drop_access_key(:'key');
DROP ROLE read_only_role;
-- Where no event trigger runs, drop_table leaves nothing of the definition either.
SET session_replication_role = replica;
SELECT dynamo.drop_table('ReadOnly');
RESET session_replication_role;
SELECT count(*) FROM dynamo.tables WHERE table_name = 'ReadOnly';
