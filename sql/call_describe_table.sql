-- DescribeTable: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DescribeTable', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short one', 'DescribeTable', '{"TableName": "ab"}',
	'ValidationException: 1 validation error detected: Value ''ab'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a short and wrong one', 'DescribeTable', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DescribeTable', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'DescribeTable', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable'''),
('another partition''s', 'DescribeTable', '{"TableName": "arn:aws-cn:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Invalid AWS partition in ''arn:aws-cn:dynamodb:us-east-1:000000000000:table/FactTable'''),
('another account''s', 'DescribeTable', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable"}',
	'AccessDeniedException: Access is denied'),
('of another kind', 'DescribeTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:thing/FactTable"}',
	'ValidationException: 1 validation error detected: Invalid resource type in ''arn:aws:dynamodb:us-east-1:000000000000:thing/FactTable'''),
('an index', 'DescribeTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA"}',
	'ValidationException: 1 validation error detected: Invalid resource type in ''arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA''')
) AS fact (about, operation, request, answer), :told;

-- On demand: units of nothing, warm for what new tables are; what is not set is absent
SELECT :facts FROM (VALUES
('on demand', 'CreateTable', '{"TableName": "FactTable", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}',
	'{"TableDescription": {"TableStatus": "CREATING", "WarmThroughput": null, "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": null}}}'),
('described', 'DescribeTable', '{"TableName": "FactTable"}',
	'{"Table": {"TableName": "FactTable", "TableStatus": "ACTIVE", "CreationDateTime": "TIME", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0, "LastIncreaseDateTime": null, "LastDecreaseDateTime": null}, "TableSizeBytes": 0, "ItemCount": 0, "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable", "TableId": "UUID", "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": "TIME"}, "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}, "DeletionProtectionEnabled": false, "LocalSecondaryIndexes": null, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "IndexStatus": "ACTIVE", "Backfilling": null, "IndexArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/gsi", "IndexSizeBytes": 0, "ItemCount": 0, "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}, "OnDemandThroughput": null, "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}}], "SSEDescription": null, "StreamSpecification": null, "LatestStreamArn": null, "LatestStreamLabel": null, "TableClassSummary": null, "RestoreSummary": null, "ArchivalSummary": null, "Replicas": null, "GlobalTableVersion": null, "OnDemandThroughput": null}}'),
('by its ARN, told by its name', 'DescribeTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'{"Table": {"TableName": "FactTable"}}'),
('gone', 'DeleteTable', '{"TableName": "FactTable"}',
	'{}')
) AS fact (about, operation, request, answer), :told;

-- Provisioned, and never switched: no summary of it; warm for its units
SELECT :facts FROM (VALUES
('provisioned', 'CreateTable', '{"TableName": "FactTable", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}, "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "TableClass": "STANDARD", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}, "SSESpecification": {"Enabled": true}}',
	'{"TableDescription": {"TableStatus": "CREATING"}}'),
('described, too', 'DescribeTable', '{"TableName": "FactTable"}',
	'{"Table": {"BillingModeSummary": null, "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 5, "WriteCapacityUnits": 6}, "WarmThroughput": {"ReadUnitsPerSecond": 5, "WriteUnitsPerSecond": 6, "Status": "ACTIVE"}, "TableClassSummary": {"TableClass": "STANDARD", "LastUpdateDateTime": null}, "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}, "LatestStreamLabel": "LABEL", "LatestStreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/stream/LABEL", "SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": "arn:aws:kms:us-east-1:000000000000:key/UUID"}}}'),
('no stream any more', 'UpdateTable', '{"TableName": "FactTable", "StreamSpecification": {"StreamEnabled": false}}',
	'{"TableDescription": {"TableStatus": "UPDATING"}}'),
('it was the latest', 'DescribeTable', '{"TableName": "FactTable"}',
	'{"Table": {"StreamSpecification": null, "LatestStreamLabel": "LABEL", "LatestStreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/stream/LABEL"}}'),
('gone, too', 'DeleteTable', '{"TableName": "FactTable"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
