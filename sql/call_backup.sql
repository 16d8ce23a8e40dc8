-- DescribeBackup, DeleteBackup, ListBackups and system backups: as measured on the service in October 2026
\t on
\a
SELECT dynamo.create_table('CallBackup', 'pk');
SELECT dynamo.create_index('CallBackup', 'ByA', 'a');
SELECT dynamo.enable_stream('CallBackup') IS NOT NULL;
SELECT dynamo.call('CreateBackup', '{"TableName": "CallBackup", "BackupName": "one"}') #>> '{BackupDetails,BackupArn}' AS one \gset
SELECT dynamo.call('CreateBackup', '{"TableName": "CallBackup", "BackupName": "two"}') #>> '{BackupDetails,BackupArn}' AS two \gset
CREATE FUNCTION pg_temp.asked(operation text, arn text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(coalesce(a ->> 'message', a #>> '{BackupDescription,BackupDetails,BackupArn}', a #>> '{TableDescription,TableStatus}', a::text), '/\d{14}-[0-9a-f]{8}', '/ID', 'g')
	FROM dynamo.try_call(operation, (jsonb_build_object('BackupArn', arn) || more)::json) a $$;

-- any region that exists will do, and the answer has the ARN as it was sent
SELECT region, pg_temp.asked('DescribeBackup', replace(:'one', 'us-east-1', region))
FROM unnest('{us-east-1,eu-west-1,ap-northeast-3,mars-1,"",us-east-10,US-EAST-1}'::text[]) region;
SELECT pg_temp.asked('DescribeBackup', replace(:'one', ':aws:', ':aws-cn:')), pg_temp.asked('DescribeBackup', replace(:'one', '000000000000', '111111111111'));
-- nothing at all is no constraint's matter
SELECT operation, pg_temp.asked(operation, '', '{"TargetTableName": "Restored"}'), pg_temp.asked(operation, 'x', '{"TargetTableName": "Restored"}')
FROM unnest('{DescribeBackup,DeleteBackup,RestoreTableFromBackup}'::text[]) operation;
SELECT dynamo.try_call('ListBackups', json_build_object('ExclusiveStartBackupArn', replace(:'one', 'us-east-1', 'eu-west-1'))) ->> 'message';
-- to restore over regions takes a key, or at least a word on it
SELECT pg_temp.asked('RestoreTableFromBackup', replace(:'one', 'us-east-1', 'eu-west-1'), '{"TargetTableName": "CallBackupBack"}'),
	pg_temp.asked('RestoreTableFromBackup', replace(:'one', 'us-east-1', 'eu-west-1'), '{"TargetTableName": "CallBackupBack", "SSESpecificationOverride": {}}');
SELECT dynamo.drop_table('CallBackupBack');
-- a policy about a backup holds whatever region its ARN says
CREATE ROLE regress_call_backup;
GRANT SELECT ON dynamo_data."CallBackup" TO regress_call_backup;
SELECT dynamo.put_role_policy('regress_call_backup', 'p', '{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:DescribeBackup", "Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/CallBackup/backup/*"}]}');
SELECT relation FROM dynamo.backups WHERE backup_name = 'one' \gset
GRANT SELECT ON :relation TO regress_call_backup;
CREATE FUNCTION pg_temp.denied(arn text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(dynamo.try_call('DescribeBackup', json_build_object('BackupArn', arn)) ->> 'Message', '/\d{14}-[0-9a-f]{8}', '/ID') $$;
SET ROLE regress_call_backup;
SELECT pg_temp.denied(:'one'), pg_temp.denied(replace(:'one', 'us-east-1', 'eu-west-1'));
RESET ROLE;
SELECT dynamo.delete_role_policy('regress_call_backup', 'p');
-- it is really deleted
SELECT pg_temp.asked('DeleteBackup', replace(:'one', 'us-east-1', 'eu-west-1'));
SELECT pg_temp.asked('DescribeBackup', :'one');

-- the system backup of a deleted table: zeroes, nothing of its features, not to be deleted
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "CallBackup", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
SELECT dynamo.call('DeleteTable', '{"TableName": "CallBackup"}') IS NOT NULL;
SELECT b ->> 'BackupArn' AS system FROM json_array_elements(dynamo.call('ListBackups', '{"BackupType": "SYSTEM", "TableName": "CallBackup"}') -> 'BackupSummaries') b \gset
SELECT :'system' ~ ':table/CallBackup/backup/\d{14}-00000000$' AS zeroes;
SELECT dynamo.call('DescribeBackup', json_build_object('BackupArn', :'system')) #> '{BackupDescription,SourceTableFeatureDetails}';
SELECT regexp_replace(pg_temp.asked('DeleteBackup', :'system'), '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', 'TIME');
SELECT pg_temp.asked('RestoreTableFromBackup', :'system', '{"TargetTableName": "CallBackup"}');
SELECT dynamo.call('DescribeTable', '{"TableName": "CallBackup"}') #>> '{Table,GlobalSecondaryIndexes,0,IndexName}';
-- two in one transaction have their own
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "CallBackup", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
SELECT dynamo.create_table('CallBackup2', 'pk');
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "CallBackup2", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
BEGIN;
SELECT dynamo.call('DeleteTable', '{"TableName": "CallBackup"}') IS NOT NULL, dynamo.call('DeleteTable', '{"TableName": "CallBackup2"}') IS NOT NULL;
COMMIT;
SELECT count(DISTINCT backup_id), count(*) FROM dynamo.backups WHERE table_name LIKE 'CallBackup%' AND backup_type = 'SYSTEM';
-- no tags
SELECT dynamo.try_call('ListTagsOfResource', json_build_object('ResourceArn', :'two')) ->> 'message' ~ 'Provided Arn is not a DynamoDB resource arn: arn.*/CallBackup/backup/' AS refused;
SELECT pg_temp.asked('DeleteBackup', :'two') IS NOT NULL;
DO $$DECLARE r regclass; BEGIN FOR r IN SELECT relation FROM dynamo.backups WHERE table_name LIKE 'CallBackup%' LOOP EXECUTE 'DROP TABLE ' || r; END LOOP; END$$;
DROP ROLE regress_call_backup;
