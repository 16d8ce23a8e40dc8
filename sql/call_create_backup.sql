-- CreateBackup: what the service answers; what it keeps is in backup_create
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'CreateBackup', '{}',
	'ValidationException: 1 validation error detected: Value null at ''backupName'' failed to satisfy constraint: Member must not be null'),
('no table''s name', 'CreateBackup', '{"BackupName": "one"}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('no name', 'CreateBackup', '{"TableName": "FactNone"}',
	'ValidationException: 1 validation error detected: Value null at ''backupName'' failed to satisfy constraint: Member must not be null'),
('a short name', 'CreateBackup', '{"TableName": "FactNone", "BackupName": "b"}',
	'ValidationException: 1 validation error detected: Value ''b'' at ''backupName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a wrong and short one, the pattern first', 'CreateBackup', '{"TableName": "FactNone", "BackupName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''backupName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value ''!'' at ''backupName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('no table', 'CreateBackup', '{"TableName": "FactNone", "BackupName": "one"}',
	'TableNotFoundException: Table not found: FactNone'),
('another region''s', 'CreateBackup', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup", "BackupName": "one"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup'''),
('another account''s', 'CreateBackup', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactBackup", "BackupName": "one"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactBackup', 'pk');
SELECT :facts FROM (VALUES
('one', 'CreateBackup', '{"TableName": "FactBackup", "BackupName": "one"}',
	'{"BackupDetails":{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID","BackupName":"one","BackupSizeBytes":0,"BackupStatus":"CREATING","BackupType":"USER","BackupCreationDateTime":"TIME"}}'),
('by its ARN, a name a second time', 'CreateBackup', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup", "BackupName": "one"}',
	'{"BackupDetails": {"BackupName": "one"}}'),
('both', 'ListBackups', '{"TableName": "FactBackup"}',
	'{"BackupSummaries": [{"BackupName": "one"}, {"BackupName": "one"}]}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactBackup');
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name = 'FactBackup' \gexec
