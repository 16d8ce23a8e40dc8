-- A policy about a backup holds whatever region its ARN says
\t on
\a
SELECT dynamo.create_table('BackupRegion', 'pk');
SELECT dynamo.call('CreateBackup', '{"TableName": "BackupRegion", "BackupName": "one"}') #>> '{BackupDetails,BackupArn}' AS one \gset
CREATE ROLE regress_backup_region;
GRANT SELECT ON dynamo_data."BackupRegion" TO regress_backup_region;
SELECT dynamo.put_role_policy('regress_backup_region', 'p', '{"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"},
	{"Effect": "Deny", "Action": "dynamodb:DescribeBackup", "Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/BackupRegion/backup/*"}]}');
SELECT relation FROM dynamo.backups WHERE table_name = 'BackupRegion' \gset
GRANT SELECT ON :relation TO regress_backup_region;
CREATE FUNCTION pg_temp.denied(arn text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(dynamo.try_call('DescribeBackup', json_build_object('BackupArn', arn)) ->> 'Message', '/\d{14}-[0-9a-f]{8}', '/ID') $$;
SET ROLE regress_backup_region;
SELECT pg_temp.denied(:'one'), pg_temp.denied(replace(:'one', 'us-east-1', 'eu-west-1'));
RESET ROLE;
SELECT dynamo.delete_role_policy('regress_backup_region', 'p');
SELECT dynamo.drop_table('BackupRegion');
DROP TABLE :relation;
DROP ROLE regress_backup_region;
