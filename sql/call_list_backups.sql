-- ListBackups: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no table', 'ListBackups', '{"TableName": "FactNone"}',
	'{"BackupSummaries":[]}'),
('none', 'ListBackups', '{"Limit": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''limit'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('too many', 'ListBackups', '{"Limit": 101}',
	'ValidationException: 1 validation error detected: Value ''101'' at ''limit'' failed to satisfy constraint: Member must have value less than or equal to 100'),
('a type', 'ListBackups', '{"BackupType": "X"}',
	'ValidationException: 1 validation error detected: Value ''X'' at ''backupType'' failed to satisfy constraint: Member must satisfy enum value set: [USER, SYSTEM, AWS_BACKUP, ALL]'),
('times the wrong way round', 'ListBackups', '{"TimeRangeLowerBound": 2, "TimeRangeUpperBound": 1}',
	'ValidationException: One or more parameter values were invalid: Time range lower bound must be less than or equal to upper bound'),
('the same time twice', 'ListBackups', '{"TimeRangeLowerBound": 1, "TimeRangeUpperBound": 1}',
	'{"BackupSummaries": []}'),
('a start of another region', 'ListBackups', '{"ExclusiveStartBackupArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: Invalid Request: The supplied ExclusiveStartBackupArn does not match the region'),
('a start that is none', 'ListBackups', '{"ExclusiveStartBackupArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid Backup ARN'),
('a short start', 'ListBackups', '{"ExclusiveStartBackupArn": "x"}',
	'ValidationException: 1 validation error detected: Value ''x'' at ''exclusiveStartBackupArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('another region''s table', 'ListBackups', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup''')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactBackup', 'pk');
SELECT dynamo.call('CreateBackup', '{"TableName": "FactBackup", "BackupName": "one"}') #>> '{BackupDetails,BackupArn}' AS one \gset
SELECT dynamo.call('CreateBackup', '{"TableName": "FactBackup", "BackupName": "two"}') IS NOT NULL;
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "FactBackup", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
SELECT dynamo.drop_table('FactBackup');
\set base '{"TableName": "FactBackup"}'
SELECT :facts FROM (VALUES
('those of users, the first first', 'ListBackups', '{}',
	'{"BackupSummaries": [{"TableName": "FactBackup", "TableId": "UUID", "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID", "BackupName": "one", "BackupCreationDateTime": "TIME", "BackupExpiryDateTime": null, "BackupStatus": "AVAILABLE", "BackupType": "USER"}, {"BackupName": "two"}], "LastEvaluatedBackupArn": null}'),
('the system''s', 'ListBackups', '{"BackupType": "SYSTEM"}',
	'{"BackupSummaries": [{"BackupName": "FactBackup$DeletedTableBackup", "BackupType": "SYSTEM", "BackupExpiryDateTime": "TIME"}]}'),
('all', 'ListBackups', '{"BackupType": "ALL"}',
	'{"BackupSummaries": [{"BackupName": "one"}, {"BackupName": "two"}, {"BackupName": "FactBackup$DeletedTableBackup"}]}'),
('of AWS Backup', 'ListBackups', '{"BackupType": "AWS_BACKUP"}',
	'{"BackupSummaries": []}'),
('one', 'ListBackups', '{"Limit": 1}',
	'{"BackupSummaries": [{"BackupName": "one"}], "LastEvaluatedBackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID"}'),
('none so old', 'ListBackups', '{"TimeRangeUpperBound": 1}',
	'{"BackupSummaries": []}'),
('none so new', 'ListBackups', '{"TimeRangeLowerBound": 99999999999}',
	'{"BackupSummaries": []}')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('TableName', 'FactBackup', 'ExclusiveStartBackupArn', :'one') AS base \gset
SELECT :facts FROM (VALUES
('behind the first', 'ListBackups', '{}',
	'{"BackupSummaries": [{"BackupName": "two"}], "LastEvaluatedBackupArn": null}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name LIKE 'FactBackup%';
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name LIKE 'FactBackup%' \gexec
