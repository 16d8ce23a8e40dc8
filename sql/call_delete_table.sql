-- DeleteTable: what the service answers, and what it leaves
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DeleteTable', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short one', 'DeleteTable', '{"TableName": "ab"}',
	'ValidationException: 1 validation error detected: Value ''ab'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a short and wrong one', 'DeleteTable', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DeleteTable', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('no table, by its ARN', 'DeleteTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'DeleteTable', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactDelete"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactDelete'''),
('another account''s', 'DeleteTable', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactDelete"}',
	'AccessDeniedException: Access is denied'),
('an index', 'DeleteTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactDelete/index/ByA"}',
	'ValidationException: 1 validation error detected: Invalid resource type in ''arn:aws:dynamodb:us-east-1:000000000000:table/FactDelete/index/ByA''')
) AS fact (about, operation, request, answer), :told;

-- Protection is asked before; the answer has neither keys nor indexes, nor when the table was made
SELECT dynamo.create_table('FactDelete', 'pk');
SELECT dynamo.create_index('FactDelete', 'ByA', 'a');
SELECT dynamo.enable_stream('FactDelete') IS NOT NULL;
SELECT :facts FROM (VALUES
('protected', 'UpdateTable', '{"TableName": "FactDelete", "DeletionProtectionEnabled": true}',
	'{"TableDescription": {"TableStatus": "ACTIVE", "DeletionProtectionEnabled": true}}'),
('refused', 'DeleteTable', '{"TableName": "FactDelete"}',
	'ValidationException: Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.'),
('not protected', 'UpdateTable', '{"TableName": "FactDelete", "DeletionProtectionEnabled": false}',
	'{"TableDescription": {"TableStatus": "ACTIVE", "DeletionProtectionEnabled": false}}'),
('in the past', 'UpdateContinuousBackups', '{"TableName": "FactDelete", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}',
	'{}'),
('deleted', 'DeleteTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactDelete"}',
	'{"TableDescription": {"TableName": "FactDelete", "TableStatus": "DELETING", "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactDelete", "TableId": "UUID", "ItemCount": 0, "TableSizeBytes": 0, "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}, "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": "TIME"}, "DeletionProtectionEnabled": false, "KeySchema": null, "AttributeDefinitions": null, "CreationDateTime": null, "GlobalSecondaryIndexes": null, "StreamSpecification": null, "LatestStreamArn": null}}'),
('gone', 'DescribeTable', '{"TableName": "FactDelete"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactDelete not found'),
('again', 'DeleteTable', '{"TableName": "FactDelete"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactDelete not found'),
('what is left of its past', 'ListBackups', '{"TableName": "FactDelete", "BackupType": "SYSTEM"}',
	'{"BackupSummaries": [{"TableName": "FactDelete", "TableId": "UUID", "BackupName": "FactDelete$DeletedTableBackup", "BackupStatus": "AVAILABLE", "BackupType": "SYSTEM", "BackupExpiryDateTime": "TIME"}]}'),
('its stream is still listed', 'ListStreams', '{"TableName": "FactDelete"}',
	'{"Streams": [{"TableName": "FactDelete", "StreamLabel": "LABEL"}]}')
) AS fact (about, operation, request, answer), :told;
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name = 'FactDelete' \gexec
