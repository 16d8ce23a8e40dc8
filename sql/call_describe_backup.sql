-- DescribeBackup: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'DescribeBackup', '{}',
	'ValidationException: 1 validation error detected: Value null at ''backupArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'DescribeBackup', '{"BackupArn": ""}',
	'ValidationException: Invalid Backup ARN'),
('a short one', 'DescribeBackup', '{"BackupArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''backupArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('no ARN at all', 'DescribeBackup', '{"BackupArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid Backup ARN'),
('a table', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup"}',
	'ValidationException: Invalid Backup ARN'),
('an export', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/export/01489173575360-b308cd7d"}',
	'ValidationException: Invalid Backup ARN'),
('not there', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID'),
('not there, of a region that exists', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:eu-west-1:000000000000:table/FactBackup/backup/ID'),
('of a region that does not exist', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:mars-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid'),
('of another that does not exist', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-10:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid'),
('of one in capitals', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:US-EAST-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid'),
('of no region', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb::000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid'),
('another account''s', 'DescribeBackup', '{"BackupArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'AccessDeniedException: Access is denied'),
('another partition''s', 'DescribeBackup', '{"BackupArn": "arn:aws-cn:dynamodb:us-east-1:000000000000:table/FactBackup/backup/01489173575360-b308cd7d"}',
	'ValidationException: BackupArn is not valid')
) AS fact (about, operation, request, answer), :told;

SELECT dynamo.create_table('FactBackup', 'pk');
SELECT dynamo.call('CreateBackup', '{"TableName": "FactBackup", "BackupName": "one"}') #>> '{BackupDetails,BackupArn}' AS one \gset
SELECT json_build_object('BackupArn', :'one') AS base \gset
SELECT :facts FROM (VALUES
('whole', 'DescribeBackup', '{}',
	'{"BackupDescription":{"BackupDetails":{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID","BackupName":"one","BackupStatus":"AVAILABLE","BackupType":"USER","BackupCreationDateTime":"TIME"},"SourceTableDetails":{"TableName":"FactBackup","TableId":"UUID","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"TableCreationDateTime":"TIME","ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0},"ItemCount":0,"BillingMode":"PAY_PER_REQUEST"},"SourceTableFeatureDetails":{}}}')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', replace(:'one', 'us-east-1', 'ap-northeast-3')) AS base \gset
SELECT :facts FROM (VALUES
('by any region, and told so', 'DescribeBackup', '{}',
	'{"BackupDescription": {"BackupDetails": {"BackupArn": "arn:aws:dynamodb:ap-northeast-3:000000000000:table/FactBackup/backup/ID"}}}')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', replace(:'one', '/FactBackup/', '/FactBackupOther/')) AS base \gset
SELECT :facts FROM (VALUES
('not by another table', 'DescribeBackup', '{}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactBackupOther/backup/ID')
) AS fact (about, operation, request, answer), :told;

-- What a backup tells of the table's features
SELECT dynamo.create_index('FactBackup', 'ByA', 'a');
SELECT dynamo.enable_stream('FactBackup') IS NOT NULL;
SELECT dynamo.enable_ttl('FactBackup', 't');
\set base '{}'
SELECT :facts FROM (VALUES
('encrypted', 'UpdateTable', '{"TableName": "FactBackup", "SSESpecification": {"Enabled": true}}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', dynamo.call('CreateBackup', '{"TableName": "FactBackup", "BackupName": "two"}') #>> '{BackupDetails,BackupArn}') AS base \gset
SELECT :facts FROM (VALUES
('features', 'DescribeBackup', '{}',
	'{"BackupDescription":{"BackupDetails":{"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup/backup/ID","BackupName":"two","BackupStatus":"AVAILABLE","BackupType":"USER","BackupCreationDateTime":"TIME"},"SourceTableDetails":{"TableName":"FactBackup","TableId":"UUID","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactBackup","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"TableCreationDateTime":"TIME","ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0},"ItemCount":0,"BillingMode":"PAY_PER_REQUEST"},"SourceTableFeatureDetails":{"GlobalSecondaryIndexes":[{"IndexName":"ByA","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}],"StreamDescription":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"t"},"SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:aws:kms:us-east-1:000000000000:key/UUID"}}}}')
) AS fact (about, operation, request, answer), :told;

-- The system's, of a table that was deleted while its past was kept: zeroes at its end, nothing of features
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "FactBackup", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
SELECT dynamo.drop_table('FactBackup');
SELECT json_build_object('BackupArn', dynamo.call('ListBackups', '{"BackupType": "SYSTEM", "TableName": "FactBackup"}') #>> '{BackupSummaries,0,BackupArn}') AS base \gset
SELECT regexp_replace(:'base', '\d{14}', 'ID');
SELECT :facts FROM (VALUES
('the system''s', 'DescribeBackup', '{}',
	'{"BackupDescription": {"BackupDetails": {"BackupType": "SYSTEM", "BackupStatus": "AVAILABLE", "BackupName": "FactBackup$DeletedTableBackup", "BackupExpiryDateTime": "TIME"}, "SourceTableFeatureDetails": {}}}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('DescribeBackup', :'base') #> '{BackupDescription,SourceTableFeatureDetails}';
SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name LIKE 'FactBackup%';
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name LIKE 'FactBackup%' \gexec
