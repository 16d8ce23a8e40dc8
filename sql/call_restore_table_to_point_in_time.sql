-- RestoreTableToPointInTime: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'RestoreTableToPointInTime', '{}',
	'ValidationException: 1 validation error detected: Value null at ''targetTableName'' failed to satisfy constraint: Member must not be null'),
('no source', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "UseLatestRestorableTime": true}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('two sources', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "SourceTableName": "FactRestore", "SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore", "UseLatestRestorableTime": true}',
	'ValidationException: Must provide exactly one of: sourceTableArn, sourceTableName'),
('another account''s', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "SourceTableArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactRestore", "UseLatestRestorableTime": true}',
	'ValidationException: This action is only supported by accounts that match the resource owner’s account.'),
('another region''s', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "SourceTableArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactRestore", "UseLatestRestorableTime": true}',
	'ValidationException: Invalid Request: sseSpecificationOverride must be provided for cross-region restores'),
('a name as an ARN', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "SourceTableArn": "FactRestore", "UseLatestRestorableTime": true}',
	'ValidationException: One or more parameter values were invalid: sourceTableArn is not a valid ARN'),
('no table', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "SourceTableName": "FactNone", "UseLatestRestorableTime": true}',
	'TableNotFoundException: Table not found: FactNone'),
('no table, by its ARN', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone", "UseLatestRestorableTime": true}',
	'TableNotFoundException: Table not found: FactNone'),
('no time is seen before', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestored", "SourceTableName": "FactNone"}',
	'ValidationException: Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both'),
('an empty name', 'RestoreTableToPointInTime', '{"TargetTableName": "", "SourceTableName": "FactNone"}',
	'ValidationException: 2 validation errors detected: Value '''' at ''targetTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value '''' at ''targetTableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a short name', 'RestoreTableToPointInTime', '{"TargetTableName": "ab", "SourceTableName": "FactNone"}',
	'ValidationException: 1 validation error detected: Value ''ab'' at ''targetTableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a short and wrong name', 'RestoreTableToPointInTime', '{"TargetTableName": "!", "SourceTableName": "FactNone"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''targetTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value ''!'' at ''targetTableName'' failed to satisfy constraint: Member must have length greater than or equal to 3')
) AS fact (about, operation, request, answer), :told;

-- Which time, before whether the past is kept; that before the time itself; that before the target
SELECT dynamo.call('CreateTable', '{"TableName": "FactRestore", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}, "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "TableClass": "STANDARD_INFREQUENT_ACCESS", "DeletionProtectionEnabled": true, "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}, "SSESpecification": {"Enabled": true}, "Tags": [{"Key": "a", "Value": "1"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}], "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
\set base '{"SourceTableName": "FactRestore", "TargetTableName": "FactRestored"}'
SELECT :facts FROM (VALUES
('no time', 'RestoreTableToPointInTime', '{}',
	'ValidationException: Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both'),
('not the latest, and no other', 'RestoreTableToPointInTime', '{"UseLatestRestorableTime": false}',
	'ValidationException: Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both'),
('two times', 'RestoreTableToPointInTime', '{"UseLatestRestorableTime": true, "RestoreDateTime": 1}',
	'ValidationException: Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please use only one of them'),
('the latest, of a table without a past', 'RestoreTableToPointInTime', '{"UseLatestRestorableTime": true}',
	'PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table ''FactRestore'''),
('a time, of a table without a past', 'RestoreTableToPointInTime', '{"UseLatestRestorableTime": false, "RestoreDateTime": 1}',
	'PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table ''FactRestore'''),
('with a past', 'UpdateContinuousBackups', '{"TableName": "FactRestore", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}',
	'{}'),
('too early', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestore", "RestoreDateTime": 1}',
	'InvalidRestoreTimeException: RestoreDateTime ''TIME'' must be within EarliestRestorableDateTime ''TIME'' and LatestRestorableDateTime ''TIME'''),
('too late', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestore", "RestoreDateTime": 99999999999}',
	'InvalidRestoreTimeException: RestoreDateTime ''TIME'' must be within EarliestRestorableDateTime ''TIME'' and LatestRestorableDateTime ''TIME'''),
('the target is there', 'RestoreTableToPointInTime', '{"TargetTableName": "FactRestore", "UseLatestRestorableTime": true}',
	'TableAlreadyExistsException: Table already exists: FactRestore')
) AS fact (about, operation, request, answer), :told;
\set base '{"SourceTableName": "FactRestore", "TargetTableName": "FactRestored", "UseLatestRestorableTime": true}'
-- Overrides: of throughput, by the billing mode that the new table has
SELECT :facts FROM (VALUES
('units for a table on demand', 'RestoreTableToPointInTime', '{"BillingModeOverride": "PAY_PER_REQUEST", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}',
	'ValidationException: Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST'),
('limits for one that is not', 'RestoreTableToPointInTime', '{"OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}}',
	'ValidationException: Invalid Request: Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST'),
('limits to write for one that is not', 'RestoreTableToPointInTime', '{"OnDemandThroughputOverride": {"MaxWriteRequestUnits": 5}}',
	'ValidationException: Invalid Request: Cannot override MaxWriteRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST'),
('a limit of nothing', 'RestoreTableToPointInTime', '{"BillingModeOverride": "PAY_PER_REQUEST", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 0, "MaxWriteRequestUnits": 0}}',
	'ValidationException: Invalid Request: Requested MaxReadRequestUnits for OnDemandThroughput is outside of valid range'),
('a billing mode', 'RestoreTableToPointInTime', '{"BillingModeOverride": "FREE"}',
	'ValidationException: 1 validation error detected: Value ''FREE'' at ''billingModeOverride'' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]'),
('units of nothing', 'RestoreTableToPointInTime', '{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''provisionedThroughputOverride.readCapacityUnits'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('half of the units', 'RestoreTableToPointInTime', '{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 1}}',
	'ValidationException: 1 validation error detected: Value null at ''provisionedThroughputOverride.writeCapacityUnits'' failed to satisfy constraint: Member must not be null'),
('an empty key', 'RestoreTableToPointInTime', '{"SSESpecificationOverride": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": ""}}',
	'ValidationException: 1 validation error detected: Value '''' at ''sSESpecificationOverride.kMSMasterKeyId'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('a key without a type', 'RestoreTableToPointInTime', '{"SSESpecificationOverride": {"Enabled": true, "KMSMasterKeyId": "x"}}',
	'ValidationException: One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is specified')
) AS fact (about, operation, request, answer), :told;

-- ... of indexes, which are known by keys and projection, and may get other names
SELECT :facts FROM (VALUES
('an index that there was not', 'RestoreTableToPointInTime', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}',
	'ValidationException: Invalid Request: Index gsi does not match a secondary index that existed in the source table and cannot be created during the restore operation'),
('another projection', 'RestoreTableToPointInTime', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}',
	'ValidationException: Invalid Request: Index gsi does not match a secondary index that existed in the source table and cannot be created during the restore operation'),
('a local one that there was not', 'RestoreTableToPointInTime', '{"LocalSecondaryIndexOverride": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Invalid Request: Index lsi does not match a secondary index that existed in the source table and cannot be created during the restore operation'),
('without units', 'RestoreTableToPointInTime', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Invalid Request: Must specify provisioned throughput for index gsi'),
('with units, for a table on demand', 'RestoreTableToPointInTime', '{"BillingModeOverride": "PAY_PER_REQUEST", "GlobalSecondaryIndexOverride": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}',
	'ValidationException: Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index gsi'),
('without a key schema', 'RestoreTableToPointInTime', '{"GlobalSecondaryIndexOverride": [{"IndexName": "gsi"}]}',
	'ValidationException: 2 validation errors detected: Value null at ''globalSecondaryIndexOverride.1.member.keySchema'' failed to satisfy constraint: Member must not be null; Value null at ''globalSecondaryIndexOverride.1.member.projection'' failed to satisfy constraint: Member must not be null')
) AS fact (about, operation, request, answer), :told;

-- What is restored: keys, indexes, throughput, encryption; no stream, class, protection, tags
SELECT :facts FROM (VALUES
('as it was', 'RestoreTableToPointInTime', '{}',
	'{"TableDescription": {"TableName": "FactRestored", "TableStatus": "CREATING", "TableId": "UUID", "KeySchema": [{"AttributeName": "pk"}, {"AttributeName": "sk"}], "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6, "NumberOfDecreasesToday": 0}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}], "LocalSecondaryIndexes": [{"IndexName": "lsi"}], "RestoreSummary": {"SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestore", "SourceBackupArn": null, "RestoreDateTime": "TIME", "RestoreInProgress": true}}}'),
('to a table that is there', 'RestoreTableToPointInTime', '{}',
	'TableAlreadyExistsException: Table already exists: FactRestored'),
('as it is now', 'DescribeTable', '{"TableName": "FactRestored"}',
	'{"Table": {"TableStatus": "ACTIVE", "RestoreSummary": null, "SSEDescription": {"Status": "ENABLED"}, "StreamSpecification": null, "LatestStreamArn": null, "TableClassSummary": null, "DeletionProtectionEnabled": false}}'),
('no tags', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactRestored"}',
	'{"Tags": []}'),
('gone', 'DeleteTable', '{"TableName": "FactRestored"}',
	'{}'),
('without indexes', 'RestoreTableToPointInTime', '{"GlobalSecondaryIndexOverride": [], "LocalSecondaryIndexOverride": []}',
	'{"TableDescription": {"GlobalSecondaryIndexes": null, "LocalSecondaryIndexes": null}}'),
('gone, too', 'DeleteTable', '{"TableName": "FactRestored"}',
	'{}'),
('on demand, its index by another name', 'RestoreTableToPointInTime', '{"BillingModeOverride": "PAY_PER_REQUEST", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}, "GlobalSecondaryIndexOverride": [{"IndexName": "other", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'{"TableDescription": {"BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}, "OnDemandThroughput": {"MaxReadRequestUnits": 9}, "GlobalSecondaryIndexes": [{"IndexName": "other"}], "LocalSecondaryIndexes": [{"IndexName": "lsi"}]}}'),
('gone as well', 'DeleteTable', '{"TableName": "FactRestored"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('UpdateTable', '{"TableName": "FactRestore", "DeletionProtectionEnabled": false}') IS NOT NULL;
SELECT :facts FROM (VALUES
('on demand from now on', 'UpdateTable', '{"TableName": "FactRestore", "BillingMode": "PAY_PER_REQUEST"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactRestore');
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name = 'FactRestore' \gexec
