-- DeleteBackup: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'DeleteBackup', '{}',
	'ValidationException: 1 validation error detected: Value null at ''backupArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'DeleteBackup', '{"BackupArn": ""}',
	'ValidationException: Invalid Backup ARN'),
('a short one', 'DeleteBackup', '{"BackupArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''backupArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('no ARN at all', 'DeleteBackup', '{"BackupArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid Backup ARN'),
('a table', 'DeleteBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup"}',
	'ValidationException: Invalid Backup ARN'),
('an export', 'DeleteBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/export/01489173575360-b308cd7d"}',
	'ValidationException: Invalid Backup ARN'),
('not there', 'DeleteBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID'),
('not there, of a region that exists', 'DeleteBackup', '{"BackupArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup/backup/ID'),
('of a region that does not exist', 'DeleteBackup', '{"BackupArn": "arn:aws:dynamodb:mars-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid'),
('of no region', 'DeleteBackup', '{"BackupArn": "arn:aws:dynamodb::000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid'),
('another account''s', 'DeleteBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'AccessDeniedException: Access is denied'),
('another partition''s', 'DeleteBackup', '{"BackupArn": "arn:aws-cn:dynamodb:us-east-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid')
) AS fact (about, operation, request, answer), :told;

SELECT dynamo.create_table('FactBackup', 'pk');
SELECT dynamo.call('CreateBackup', '{"TableName": "FactBackup", "BackupName": "one"}') #>> '{BackupDetails,BackupArn}' AS one \gset
SELECT json_build_object('BackupArn', :'one') AS base \gset
SELECT json_build_object('BackupArn', replace(:'one', 'us-east-1', 'eu-west-1')) AS base \gset
SELECT :facts FROM (VALUES
('by any region, and told so', 'DeleteBackup', '{}',
	'{"BackupDescription": {"BackupDetails": {"BackupArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup/backup/ID", "BackupStatus": "DELETED"}, "SourceTableDetails": {"TableName": "FactBackup"}, "SourceTableFeatureDetails": {}}}')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', :'one') AS base \gset
SELECT :facts FROM (VALUES
('it is gone', 'DescribeBackup', '{}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID'),
('and not deleted twice', 'DeleteBackup', '{}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID')
) AS fact (about, operation, request, answer), :told;

-- The system's expires by itself
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "FactBackup", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
SELECT dynamo.drop_table('FactBackup');
SELECT json_build_object('BackupArn', dynamo.call('ListBackups', '{"BackupType": "SYSTEM", "TableName": "FactBackup"}') #>> '{BackupSummaries,0,BackupArn}') AS base \gset
SELECT :facts FROM (VALUES
('the system''s', 'DeleteBackup', '{}',
	'ValidationException: Invalid Request: User is not allowed to delete the system backup with arn arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID. It will automatically expire on TIME')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name LIKE 'FactBackup%';
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name LIKE 'FactBackup%' \gexec
