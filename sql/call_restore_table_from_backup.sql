-- RestoreTableFromBackup: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'RestoreTableFromBackup', '{}',
	'ValidationException: 2 validation errors detected: Value null at ''targetTableName'' failed to satisfy constraint: Member must not be null; Value null at ''backupArn'' failed to satisfy constraint: Member must not be null'),
('no ARN', 'RestoreTableFromBackup', '{"TargetTableName": "FactRestored"}',
	'ValidationException: 1 validation error detected: Value null at ''backupArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'RestoreTableFromBackup', '{"TargetTableName": "FactRestored", "BackupArn": ""}',
	'ValidationException: Invalid Backup ARN'),
('a short one', 'RestoreTableFromBackup', '{"TargetTableName": "FactRestored", "BackupArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''backupArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('no ARN at all', 'RestoreTableFromBackup', '{"TargetTableName": "FactRestored", "BackupArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid Backup ARN'),
('a table''s', 'RestoreTableFromBackup', '{"TargetTableName": "FactRestored", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore"}',
	'ValidationException: Invalid Backup ARN'),
('another account''s', 'RestoreTableFromBackup', '{"TargetTableName": "FactRestored", "BackupArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactRestore/backup/01489173575360-b308cd7d"}',
	'AccessDeniedException: Access is denied'),
('not there', 'RestoreTableFromBackup', '{"TargetTableName": "FactRestored", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/01489173575360-b308cd7d"}',
	'BackupNotFoundException: Backup not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/ID'),
('an empty name, in older words', 'RestoreTableFromBackup', '{"TargetTableName": "", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/01489173575360-b308cd7d"}',
	'ValidationException: TableName must be at least 3 characters long and at most 255 characters long'),
('an empty name, and no ARN', 'RestoreTableFromBackup', '{"TargetTableName": "", "BackupArn": "x"}',
	'ValidationException: 1 validation error detected: Value ''x'' at ''backupArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a short name', 'RestoreTableFromBackup', '{"TargetTableName": "ab", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/01489173575360-b308cd7d"}',
	'ValidationException: 1 validation error detected: Value ''ab'' at ''targetTableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a wrong name', 'RestoreTableFromBackup', '{"TargetTableName": "a!b", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/01489173575360-b308cd7d"}',
	'ValidationException: 1 validation error detected: Value ''a!b'' at ''targetTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('a short and wrong name', 'RestoreTableFromBackup', '{"TargetTableName": "!", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/01489173575360-b308cd7d"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''targetTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value ''!'' at ''targetTableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('an ARN is no name', 'RestoreTableFromBackup', '{"TargetTableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/01489173575360-b308cd7d"}',
	'ValidationException: 1 validation error detected: Value ''arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore'' at ''targetTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('CreateTable', '{"TableName": "FactRestore", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}, "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "TableClass": "STANDARD_INFREQUENT_ACCESS", "DeletionProtectionEnabled": true, "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}, "SSESpecification": {"Enabled": true}, "Tags": [{"Key": "a", "Value": "1"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}], "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
SELECT dynamo.call('CreateBackup', '{"TableName": "FactRestore", "BackupName": "one"}') #>> '{BackupDetails,BackupArn}' AS one \gset
SELECT json_build_object('BackupArn', :'one', 'TargetTableName', 'FactRestore') AS base \gset
SELECT :facts FROM (VALUES
('the target is there', 'RestoreTableFromBackup', '{}',
	'TableAlreadyExistsException: Table already exists: FactRestore')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', replace(:'one', 'us-east-1', 'eu-west-1'), 'TargetTableName', 'FactRestored') AS base \gset
SELECT :facts FROM (VALUES
('over regions it takes a word on encryption', 'RestoreTableFromBackup', '{}',
	'ValidationException: Invalid Request: sseSpecificationOverride must be provided for cross-region restores'),
('any word', 'RestoreTableFromBackup', '{"SSESpecificationOverride": {}}',
	'{"TableDescription": {"TableStatus": "CREATING"}}'),
('gone', 'DeleteTable', '{"TableName": "FactRestored"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', replace(:'one', 'us-east-1', 'mars-1'), 'TargetTableName', 'FactRestored') AS base \gset
SELECT :facts FROM (VALUES
('a region that does not exist', 'RestoreTableFromBackup', '{}',
	'ValidationException: BackupArn is not valid')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', :'one', 'TargetTableName', 'FactRestored') AS base \gset
-- Overrides: of throughput, by the billing mode that the new table has
SELECT :facts FROM (VALUES
('units for a table on demand', 'RestoreTableFromBackup', '{"BillingModeOverride": "PAY_PER_REQUEST", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}',
	'ValidationException: Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST'),
('limits for one that is not', 'RestoreTableFromBackup', '{"OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}}',
	'ValidationException: Invalid Request: Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST'),
('limits to write for one that is not', 'RestoreTableFromBackup', '{"OnDemandThroughputOverride": {"MaxWriteRequestUnits": 5}}',
	'ValidationException: Invalid Request: Cannot override MaxWriteRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST'),
('a limit of nothing', 'RestoreTableFromBackup', '{"BillingModeOverride": "PAY_PER_REQUEST", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 0, "MaxWriteRequestUnits": 0}}',
	'ValidationException: Invalid Request: Requested MaxReadRequestUnits for OnDemandThroughput is outside of valid range'),
('a billing mode', 'RestoreTableFromBackup', '{"BillingModeOverride": "FREE"}',
	'ValidationException: 1 validation error detected: Value ''FREE'' at ''billingModeOverride'' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]'),
('units of nothing', 'RestoreTableFromBackup', '{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''provisionedThroughputOverride.readCapacityUnits'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('half of the units', 'RestoreTableFromBackup', '{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 1}}',
	'ValidationException: 1 validation error detected: Value null at ''provisionedThroughputOverride.writeCapacityUnits'' failed to satisfy constraint: Member must not be null'),
('an empty key', 'RestoreTableFromBackup', '{"SSESpecificationOverride": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": ""}}',
	'ValidationException: 1 validation error detected: Value '''' at ''sSESpecificationOverride.kMSMasterKeyId'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('a key without a type', 'RestoreTableFromBackup', '{"SSESpecificationOverride": {"Enabled": true, "KMSMasterKeyId": "x"}}',
	'ValidationException: One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is specified')
) AS fact (about, operation, request, answer), :told;

-- ... of indexes, which are known by keys and projection, and may get other names
SELECT :facts FROM (VALUES
('an index that there was not', 'RestoreTableFromBackup', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}',
	'ValidationException: Invalid Request: Index gsi does not match a secondary index that existed in the source table and cannot be created during the restore operation'),
('another projection', 'RestoreTableFromBackup', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}',
	'ValidationException: Invalid Request: Index gsi does not match a secondary index that existed in the source table and cannot be created during the restore operation'),
('a local one that there was not', 'RestoreTableFromBackup', '{"LocalSecondaryIndexOverride": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Invalid Request: Index lsi does not match a secondary index that existed in the source table and cannot be created during the restore operation'),
('without units', 'RestoreTableFromBackup', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Invalid Request: Must specify provisioned throughput for index gsi'),
('with units, for a table on demand', 'RestoreTableFromBackup', '{"BillingModeOverride": "PAY_PER_REQUEST", "GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}',
	'ValidationException: Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index gsi'),
('without a key schema', 'RestoreTableFromBackup', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi"}]}',
	'ValidationException: 2 validation errors detected: Value null at ''globalSecondaryIndexOverride.1.member.keySchema'' failed to satisfy constraint: Member must not be null; Value null at ''globalSecondaryIndexOverride.1.member.projection'' failed to satisfy constraint: Member must not be null')
) AS fact (about, operation, request, answer), :told;

-- What is restored: keys, indexes, throughput, encryption; no stream, class, protection, tags
SELECT :facts FROM (VALUES
('as it was', 'RestoreTableFromBackup', '{}',
	'{"TableDescription": {"TableName": "FactRestored", "TableStatus": "CREATING", "TableId": "UUID", "KeySchema": [{"AttributeName": "pk"}, {"AttributeName": "sk"}], "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6, "NumberOfDecreasesToday": 0}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}], "LocalSecondaryIndexes": [{"IndexName": "lsi"}], "RestoreSummary": {"SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore", "SourceBackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore/backup/ID", "RestoreDateTime": "TIME", "RestoreInProgress": true}}}'),
('to a table that is there', 'RestoreTableFromBackup', '{}',
	'TableAlreadyExistsException: Table already exists: FactRestored'),
('as it is now', 'DescribeTable', '{"TableName": "FactRestored"}',
	'{"Table": {"TableStatus": "ACTIVE", "RestoreSummary": null, "SSEDescription": {"Status": "ENABLED"}, "StreamSpecification": null, "LatestStreamArn": null, "TableClassSummary": null, "DeletionProtectionEnabled": false}}'),
('no tags', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestored"}',
	'{"Tags": []}'),
('gone', 'DeleteTable', '{"TableName": "FactRestored"}',
	'{}'),
('without indexes', 'RestoreTableFromBackup', '{"GlobalSecondaryIndexOverride": [], "LocalSecondaryIndexOverride": []}',
	'{"TableDescription": {"GlobalSecondaryIndexes": null, "LocalSecondaryIndexes": null}}'),
('gone, too', 'DeleteTable', '{"TableName": "FactRestored"}',
	'{}'),
('on demand, its index by another name', 'RestoreTableFromBackup', '{"BillingModeOverride": "PAY_PER_REQUEST", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}, "GlobalSecondaryIndexOverride": [{"IndexName": "other", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'{"TableDescription": {"BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}, "OnDemandThroughput": {"MaxReadRequestUnits": 9}, "GlobalSecondaryIndexes": [{"IndexName": "other"}], "LocalSecondaryIndexes": [{"IndexName": "lsi"}]}}'),
('gone as well', 'DeleteTable', '{"TableName": "FactRestored"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('UpdateTable', '{"TableName": "FactRestore", "DeletionProtectionEnabled": false}') IS NOT NULL;
SELECT :facts FROM (VALUES
('on demand from now on', 'UpdateTable', '{"TableName": "FactRestore", "BillingMode": "PAY_PER_REQUEST"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT json_build_object('BackupArn', dynamo.call('CreateBackup', '{"TableName": "FactRestore", "BackupName": "two"}') #>> '{BackupDetails,BackupArn}', 'TargetTableName', 'FactRestored') AS base \gset
SELECT :facts FROM (VALUES
('to units, which must be said', 'RestoreTableFromBackup', '{"BillingModeOverride": "PROVISIONED"}',
	'ValidationException: Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED'),
('units, but no mode', 'RestoreTableFromBackup', '{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}',
	'ValidationException: Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED'),
('units, but none of the index', 'RestoreTableFromBackup', '{"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}, "GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Invalid Request: Must specify provisioned throughput for index gsi')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactRestore');
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name = 'FactRestore' \gexec
