--
-- Who may make, see, delete and restore backups
--
\a
\t on
\set VERBOSITY terse
CREATE ROLE backup_owner;
CREATE ROLE backup_member IN ROLE backup_owner;
CREATE ROLE backup_reader;
CREATE ROLE backup_other;
GRANT CREATE ON SCHEMA dynamo_data TO backup_owner, backup_reader, backup_other;
CREATE FUNCTION pg_temp.arn(name text) RETURNS text LANGUAGE sql SECURITY DEFINER AS
$$SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/backup/' || backup_id FROM dynamo.backups WHERE backup_name = name$$;
CREATE FUNCTION pg_temp.asked(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(dynamo.try_call(operation, request)::text, 'com[.a-zA-Z0-9]*#', '', 'g'),
		'backup/[0-9]{14}-[0-9a-f]{8}', 'backup/ID', 'g'), '^.*("(TableStatus|BackupStatus)":"[A-Z]*").*', '\1') $$;
GRANT USAGE ON SCHEMA pg_temp TO PUBLIC;
SET ROLE backup_owner;
SELECT dynamo.create_table('BackupMine', 'id');
SELECT dynamo.put_item('BackupMine', '{"id": "a"}'), dynamo.put_item('BackupMine', '{"id": "b"}');

-- Made by the owner, or who is a member of it: the owner has it in both cases.
SELECT pg_temp.asked('CreateBackup', '{"TableName": "BackupMine", "BackupName": "owner"}');
SET ROLE backup_member;
SELECT pg_temp.asked('CreateBackup', '{"TableName": "BackupMine", "BackupName": "member"}');
RESET ROLE;
SELECT pg_temp.asked('CreateBackup', '{"TableName": "BackupMine", "BackupName": "superuser"}');
SELECT backup_name, relowner::regrole, relacl FROM dynamo.backups JOIN pg_class ON pg_class.oid = relation ORDER BY 1;
-- Others may not, whatever they may read; nor does anybody create in the schema.
GRANT SELECT, INSERT ON dynamo_data."BackupMine" TO backup_reader;
SET ROLE backup_reader;
SELECT pg_temp.asked('CreateBackup', '{"TableName": "BackupMine", "BackupName": "reader"}');
CREATE TABLE dynamo_backup.mine (item dynamo.item);
SET ROLE backup_owner;
CREATE TABLE dynamo_backup.mine (item dynamo.item);
ALTER TABLE dynamo_data."BackupMine" SET SCHEMA dynamo_backup;

-- Others see none of it, and restore none of it.
SET ROLE backup_reader;
SELECT count(*) FROM dynamo.backups;
SELECT pg_temp.asked('ListBackups', '{}');
SELECT pg_temp.asked(o, json_build_object('BackupArn', pg_temp.arn('owner'), 'TargetTableName', 'BackupStolen')) FROM unnest('{DescribeBackup,DeleteBackup,RestoreTableFromBackup}'::text[]) o;
-- With SELECT they do, and the new table is theirs.
RESET ROLE;
SELECT relation FROM dynamo.backups WHERE backup_name = 'owner' \gset
GRANT SELECT ON :relation TO backup_reader;
SET ROLE backup_reader;
SELECT backup_name FROM dynamo.backups;
SELECT pg_temp.asked(o, json_build_object('BackupArn', pg_temp.arn('owner'), 'TargetTableName', 'BackupGiven')) FROM unnest('{DescribeBackup,DeleteBackup,RestoreTableFromBackup}'::text[]) o;
SELECT relowner::regrole FROM pg_class WHERE oid = dynamo.relation('BackupGiven');
SELECT count(*) FROM dynamo.scan('BackupGiven');
SELECT dynamo.drop_table('BackupGiven');
-- Row-level security does not let a part of it pass for all of it.
RESET ROLE;
ALTER TABLE :relation ENABLE ROW LEVEL SECURITY;
SET ROLE backup_reader;
\set VERBOSITY sqlstate
SELECT dynamo.restore_table('BackupPart', backup_arn => pg_temp.arn('owner')) IS NULL;
\set VERBOSITY terse
RESET ROLE;
ALTER TABLE :relation DISABLE ROW LEVEL SECURITY;
ALTER TABLE dynamo_data."BackupMine" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE backup_owner;
SELECT dynamo.create_backup('BackupMine', 'hidden');
RESET ROLE;
SELECT count(*) FROM dynamo.backups WHERE backup_name = 'hidden';
ALTER TABLE dynamo_data."BackupMine" NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
-- SELECT on a backup is no right to make a table.
REVOKE CREATE ON SCHEMA dynamo_data FROM backup_reader;
SET ROLE backup_reader;
SELECT dynamo.restore_table('BackupGiven', backup_arn => pg_temp.arn('owner'));
RESET ROLE;

-- A table that changes hands leaves its backups where they are.
ALTER TABLE dynamo_data."BackupMine" OWNER TO backup_other;
SET ROLE backup_other;
SELECT count(*) FROM dynamo.backups;
SELECT pg_temp.asked('DeleteBackup', json_build_object('BackupArn', pg_temp.arn('owner')));
SET ROLE backup_owner;
SELECT pg_temp.asked('CreateBackup', '{"TableName": "BackupMine", "BackupName": "late"}');
SELECT pg_temp.asked('DeleteBackup', json_build_object('BackupArn', pg_temp.arn('owner')));
-- A backup can be given away, too.
RESET ROLE;
SELECT relation FROM dynamo.backups WHERE backup_name = 'member' \gset
ALTER TABLE :relation OWNER TO backup_other;
SET ROLE backup_other;
SELECT pg_temp.asked('DeleteBackup', json_build_object('BackupArn', pg_temp.arn('member')));
-- Rights on a table stay rights on what DeleteTable leaves of it; the past is no way around them.
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "BackupMine", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
SET ROLE backup_owner;
SELECT pg_temp.asked('RestoreTableToPointInTime', '{"SourceTableName": "BackupMine", "TargetTableName": "BackupPast", "UseLatestRestorableTime": true}');
SET ROLE backup_other;
SELECT dynamo.drop_table('BackupMine');
SELECT backup_type FROM dynamo.backups;
SET ROLE backup_owner;
SELECT pg_temp.asked('RestoreTableToPointInTime', '{"SourceTableName": "BackupMine", "TargetTableName": "BackupPast", "UseLatestRestorableTime": true}');
SELECT pg_temp.asked('RestoreTableFromBackup', json_build_object('BackupArn', pg_temp.arn('BackupMine$DeletedTableBackup'), 'TargetTableName', 'BackupPast'));
RESET ROLE;
DROP OWNED BY backup_owner, backup_member, backup_reader, backup_other;
SELECT count(*) FROM dynamo.backups;
DROP ROLE backup_owner, backup_member, backup_reader, backup_other;
