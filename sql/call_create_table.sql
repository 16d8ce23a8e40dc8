-- CreateTable: what the service answers, in the order in which it looks
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
\set base '{"TableName": "FactTable", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}'

-- Names: the length is looked at before the characters
SELECT :facts FROM (VALUES
('no name', 'CreateTable', '{"TableName": null}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('short', 'CreateTable', '{"TableName": "ab"}',
	'ValidationException: 1 validation error detected: Value ''ab'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('short and wrong', 'CreateTable', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('wrong', 'CreateTable', '{"TableName": "a;c"}',
	'ValidationException: 1 validation error detected: Value ''a;c'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('empty', 'CreateTable', '{"TableName": ""}',
	'ValidationException: 2 validation errors detected: Value '''' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value '''' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('a number', 'CreateTable', '{"TableName": 5}',
	'SerializationException: NUMBER_VALUE cannot be converted to String'),
('ARN with a short name', 'CreateTable', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/ab"}',
	'ValidationException: 1 validation error detected: Value ''arn:aws:dynamodb:us-east-1:000000000000:table/ab'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('ARN of another account', 'CreateTable', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable"}',
	'AccessDeniedException: Access is denied'),
('ARN of another region', 'CreateTable', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable''')
) AS fact (about, operation, request, answer), :told;

-- Shapes, before all rules: type before name, name before key type, write before read
SELECT :facts FROM (VALUES
('nothing', 'CreateTable', '{"KeySchema": null, "AttributeDefinitions": null}',
	'ValidationException: 2 validation errors detected: Value null at ''attributeDefinitions'' failed to satisfy constraint: Member must not be null; Value null at ''keySchema'' failed to satisfy constraint: Member must not be null'),
('empty definition', 'CreateTable', '{"AttributeDefinitions": [{}]}',
	'ValidationException: 2 validation errors detected: Value null at ''attributeDefinitions.1.member.attributeType'' failed to satisfy constraint: Member must not be null; Value null at ''attributeDefinitions.1.member.attributeName'' failed to satisfy constraint: Member must not be null'),
('empty key element', 'CreateTable', '{"KeySchema": [{}]}',
	'ValidationException: 2 validation errors detected: Value null at ''keySchema.1.member.attributeName'' failed to satisfy constraint: Member must not be null; Value null at ''keySchema.1.member.keyType'' failed to satisfy constraint: Member must not be null'),
('empty key schema', 'CreateTable', '{"KeySchema": []}',
	'ValidationException: 1 validation error detected: Value ''[]'' at ''keySchema'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('empty throughput', 'CreateTable', '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {}}',
	'ValidationException: 2 validation errors detected: Value null at ''provisionedThroughput.writeCapacityUnits'' failed to satisfy constraint: Member must not be null; Value null at ''provisionedThroughput.readCapacityUnits'' failed to satisfy constraint: Member must not be null'),
('several', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "", "AttributeType": "X"}], "KeySchema": [{"AttributeName": "", "KeyType": "X"}], "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}}',
	'ValidationException: 6 validation errors detected: Value ''X'' at ''attributeDefinitions.1.member.attributeType'' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]; Value '''' at ''attributeDefinitions.1.member.attributeName'' failed to satisfy constraint: Member must have length greater than or equal to 1; Value ''0'' at ''provisionedThroughput.writeCapacityUnits'' failed to satisfy constraint: Member must have value greater than or equal to 1; Value ''0'' at ''provisionedThroughput.readCapacityUnits'' failed to satisfy constraint: Member must have value greater than or equal to 1; Value '''' at ''keySchema.1.member.attributeName'' failed to satisfy constraint: Member must have length greater than or equal to 1; Value ''X'' at ''keySchema.1.member.keyType'' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]'),
('billing mode', 'CreateTable', '{"BillingMode": "FREE"}',
	'ValidationException: 1 validation error detected: Value ''FREE'' at ''billingMode'' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]'),
('stream view type', 'CreateTable', '{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "IMAGES"}}',
	'ValidationException: 1 validation error detected: Value ''IMAGES'' at ''streamSpecification.streamViewType'' failed to satisfy constraint: Member must satisfy enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]'),
('stream without a flag', 'CreateTable', '{"StreamSpecification": {"StreamViewType": "NEW_IMAGE"}}',
	'ValidationException: 1 validation error detected: Value null at ''streamSpecification.streamEnabled'' failed to satisfy constraint: Member must not be null'),
('projection type', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "X"}}]}',
	'ValidationException: 1 validation error detected: Value ''X'' at ''globalSecondaryIndexes.1.member.projection.projectionType'' failed to satisfy constraint: Member must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]'),
('global indexes before local ones', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "x"}], "GlobalSecondaryIndexes": [{"IndexName": "y"}]}',
	'ValidationException: 6 validation errors detected: Value ''y'' at ''globalSecondaryIndexes.1.member.indexName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value null at ''globalSecondaryIndexes.1.member.keySchema'' failed to satisfy constraint: Member must not be null; Value null at ''globalSecondaryIndexes.1.member.projection'' failed to satisfy constraint: Member must not be null; Value ''x'' at ''localSecondaryIndexes.1.member.indexName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value null at ''localSecondaryIndexes.1.member.keySchema'' failed to satisfy constraint: Member must not be null; Value null at ''localSecondaryIndexes.1.member.projection'' failed to satisfy constraint: Member must not be null'),
('index without a name', 'CreateTable', '{"GlobalSecondaryIndexes": [{"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: 1 validation error detected: Value null at ''globalSecondaryIndexes.1.member.indexName'' failed to satisfy constraint: Member must not be null'),
('short index name', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "i", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: 1 validation error detected: Value ''i'' at ''globalSecondaryIndexes.1.member.indexName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('empty key of encryption', 'CreateTable', '{"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": ""}}',
	'ValidationException: 1 validation error detected: Value '''' at ''sSESpecification.kMSMasterKeyId'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('encryption type', 'CreateTable', '{"SSESpecification": {"Enabled": true, "SSEType": "X"}}',
	'ValidationException: 1 validation error detected: Value ''X'' at ''sSESpecification.sSEType'' failed to satisfy constraint: Member must satisfy enum value set: [AES256, KMS]'),
('three keys', 'CreateTable', '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}, {"AttributeName": "c", "KeyType": "RANGE"}]}',
	'ValidationException: 1 validation error detected: Value ''[KeySchemaElement(keyType=HASH, attributeName=a), KeySchemaElement(keyType=RANGE, attributeName=b), KeySchemaElement(keyType=RANGE, attributeName=c)]'' at ''keySchema'' failed to satisfy constraint: Member must have length less than or equal to 2'),
('no warmth is a shape', 'CreateTable', '{"WarmThroughput": {"ReadUnitsPerSecond": 0}}',
	'ValidationException: One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html')
) AS fact (about, operation, request, answer), :told;

-- Billing
SELECT :facts FROM (VALUES
('units on demand', 'CreateTable', '{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}',
	'ValidationException: One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST'),
('no units, and PROVISIONED by default', 'CreateTable', '{"BillingMode": null}',
	'ValidationException: One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED'),
('no units', 'CreateTable', '{"BillingMode": "PROVISIONED"}',
	'ValidationException: One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED'),
('out of bounds', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1}}',
	'ValidationException: Given value 1000000000001 for ReadCapacityUnits is out of bounds'),
('out of bounds, to write', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1000000000001}}',
	'ValidationException: Given value 1000000000001 for WriteCapacityUnits is out of bounds'),
('out of bounds, before the key schema', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1}, "KeySchema": [{"AttributeName": "pk", "KeyType": "RANGE"}]}',
	'ValidationException: Given value 1000000000001 for ReadCapacityUnits is out of bounds'),
('more than a table may have, after all', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 40001, "WriteCapacityUnits": 1}, "Tags": [{"Key": "k"}]}',
	'ValidationException: The Tag Value provided is invalid, Value: null'),
('more than a table may have', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 40001, "WriteCapacityUnits": 1}}',
	'LimitExceededException: The requested ReadCapacityUnits, 40001, is above the per table maximum for the account in us-east-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.'),
('more than a table may have, to write', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 40001}}',
	'LimitExceededException: The requested WriteCapacityUnits, 40001, is above the per table maximum for the account in us-east-1. Per table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.'),
('more than an index may have', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 40001}}]}',
	'LimitExceededException: The requested WriteCapacityUnits for index gsi, 40001, is above the per index maximum for the account in us-east-1. Per index maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.'),
('both out of bounds, definitions empty, an index with an unknown key', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 40001, "WriteCapacityUnits": 1}, "AttributeDefinitions": [], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "z", "KeyType": "HASH"}], "Projection": {}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1000000000001}}]}',
	'ValidationException: Given value 1000000000001 for WriteCapacityUnits is out of bounds for index gsi')
) AS fact (about, operation, request, answer), :told;

-- Key schema and definitions
SELECT :facts FROM (VALUES
('a definition twice', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "pk", "AttributeType": "N"}]}',
	'ValidationException: Attribute Name is duplicated: pk'),
('one for two keys', 'CreateTable', '{"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}]}',
	'ValidationException: Invalid KeySchema: Some index key attribute have no definition'),
('fewer definitions than keys', 'CreateTable', '{"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}',
	'ValidationException: Invalid KeySchema: Some index key attribute have no definition'),
('another defined', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "x", "AttributeType": "S"}]}',
	'ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [pk], AttributeDefinitions: [x]'),
('one of two defined', 'CreateTable', '{"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}]}',
	'ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [sk, pk], AttributeDefinitions: [c, pk]'),
('one name for both', 'CreateTable', '{"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}]}',
	'ValidationException: Both the Hash Key and the Range Key element in the KeySchema have the same name'),
('RANGE first', 'CreateTable', '{"KeySchema": [{"AttributeName": "pk", "KeyType": "RANGE"}]}',
	'ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type'),
('RANGE, then HASH', 'CreateTable', '{"KeySchema": [{"AttributeName": "pk", "KeyType": "RANGE"}, {"AttributeName": "sk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}]}',
	'ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type'),
('HASH twice', 'CreateTable', '{"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}]}',
	'ValidationException: Invalid KeySchema: The second KeySchemaElement is not a RANGE key type'),
('one too many, no index', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "x", "AttributeType": "S"}]}',
	'ValidationException: One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions'),
('one too many, with an index; before its projection', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "x", "AttributeType": "S"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {}}]}',
	'ValidationException: One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: [x, pk], keys used: [pk]'),
('a type that keys have not', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "SS"}]}',
	'ValidationException: 1 validation error detected: Value ''SS'' at ''attributeDefinitions.1.member.attributeType'' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]')
) AS fact (about, operation, request, answer), :told;

-- Indexes: the rules of each kind
SELECT :facts FROM (VALUES
('no local ones', 'CreateTable', '{"LocalSecondaryIndexes": []}',
	'ValidationException: One or more parameter values were invalid: List of LocalSecondaryIndexes is empty'),
('no global ones', 'CreateTable', '{"GlobalSecondaryIndexes": []}',
	'ValidationException: One or more parameter values were invalid: List of GlobalSecondaryIndexes is empty'),
('a local one needs a range key of the table', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "S"}], "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex')
) AS fact (about, operation, request, answer), :told;
\set base '{"TableName": "FactTable", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}'
SELECT :facts FROM (VALUES
('one of its own', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: Index KeySchema does not have a range key for index: lsi'),
('another hash key', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi. index hash key: sk, table hash key: pk'),
('one name for both, of a local one', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Both the Hash Key and the Range Key element in the KeySchema have the same name'),
('three keys of a local one', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: 1 validation error detected: Value ''[KeySchemaElement(keyType=HASH, attributeName=pk), KeySchemaElement(keyType=RANGE, attributeName=sk), KeySchemaElement(keyType=RANGE, attributeName=sk)]'' at ''localSecondaryIndexes.1.member.keySchema'' failed to satisfy constraint: Member must have length less than or equal to 2'),
('two hash keys of a local one', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Invalid KeySchema: The second KeySchemaElement is not a RANGE key type'),
('an unknown key of a local one', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "x", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [x, pk], AttributeDefinitions: [sk, pk]'),
('an unknown key of a global one', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [x], AttributeDefinitions: [sk, pk]'),
('one name for both, of a global one', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: The KeySchema contains multiple key attributes with the same name'),
('a global one without a hash key', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type'),
('hash keys first', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}, {"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: All HASH key attributes must precede RANGE key attributes in the KeySchema'),
('one name for two global ones', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}, {"IndexName": "one", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: Duplicate index name: one'),
('one name for a local and a global one', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}], "GlobalSecondaryIndexes": [{"IndexName": "one", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: Duplicate index name: one'),
('units of an index, on demand', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}',
	'ValidationException: One or more parameter values were invalid: ProvisionedThroughput should not be specified for index: gsi when BillingMode is PAY_PER_REQUEST'),
('none of an index, provisioned', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}',
	'ValidationException: One or more parameter values were invalid: ProvisionedThroughput is not specified for index: gsi')
) AS fact (about, operation, request, answer), :told;

-- Projections
SELECT :facts FROM (VALUES
('none', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}]}',
	'ValidationException: 1 validation error detected: Value null at ''globalSecondaryIndexes.1.member.projection'' failed to satisfy constraint: Member must not be null'),
('empty', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {}}]}',
	'ValidationException: One or more parameter values were invalid: Unknown ProjectionType: null'),
('ALL, and names', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}}]}',
	'ValidationException: One or more parameter values were invalid: ProjectionType is ALL, but NonKeyAttributes is specified'),
('KEYS_ONLY, and names', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}}]}',
	'ValidationException: One or more parameter values were invalid: ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified'),
('names without a type', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"NonKeyAttributes": ["a"]}}]}',
	'ValidationException: One or more parameter values were invalid: Unknown ProjectionType: null'),
('INCLUDE, no names', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "INCLUDE"}}]}',
	'ValidationException: One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified'),
('INCLUDE, an empty list', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": []}}]}',
	'ValidationException: 1 validation error detected: Value ''[]'' at ''globalSecondaryIndexes.1.member.projection.nonKeyAttributes'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('INCLUDE, one name twice', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b", "a"]}}]}',
	'ValidationException: One or more parameter values were invalid: Duplicate element in NonKeyAttributes: a'),
('the same of a local one', 'CreateTable', '{"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "INCLUDE"}}]}',
	'ValidationException: One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified')
) AS fact (about, operation, request, answer), :told;

-- What else is said of a table
SELECT :facts FROM (VALUES
('a stream without a view', 'CreateTable', '{"StreamSpecification": {"StreamEnabled": true}}',
	'ValidationException: One or more parameter values were invalid: Table is being created with a stream enabled, UpdateViewType is required'),
('a view without a stream', 'CreateTable', '{"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}}',
	'ValidationException: One or more parameter values were invalid: Table is being created with a stream disabled, UpdateViewType should not be specified'),
('class', 'CreateTable', '{"TableClass": "FAST"}',
	'ValidationException: Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].'),
('limits, provisioned', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "OnDemandThroughput": {"MaxReadRequestUnits": 5}}',
	'ValidationException: One or more parameter values were invalid: MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.'),
('limits to write, provisioned', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "OnDemandThroughput": {"MaxWriteRequestUnits": 5}}',
	'ValidationException: One or more parameter values were invalid: MaxWriteRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.'),
('limits of an index, provisioned', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "OnDemandThroughput": {"MaxReadRequestUnits": 5}}]}',
	'ValidationException: One or more parameter values were invalid: MaxReadRequestUnits for OnDemandThroughput for index: gsi cannot be specified when table BillingMode is PROVISIONED.'),
('limits to write of an index, provisioned', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "OnDemandThroughput": {"MaxWriteRequestUnits": 5}}]}',
	'ValidationException: One or more parameter values were invalid: MaxWriteRequestUnits for OnDemandThroughput for index: gsi cannot be specified when table BillingMode is PROVISIONED.'),
('a limit of nothing', 'CreateTable', '{"OnDemandThroughput": {"MaxReadRequestUnits": 0}}',
	'ValidationException: One or more parameter values were invalid: Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range'),
('-1 clears, and there is nothing to clear', 'CreateTable', '{"OnDemandThroughput": {"MaxWriteRequestUnits": -1}}',
	'ValidationException: One or more parameter values were invalid: Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range'),
('a limit beyond the account''s', 'CreateTable', '{"OnDemandThroughput": {"MaxReadRequestUnits": 40001}}',
	'LimitExceededException: Subscriber limit exceeded: Requested MaxReadRequestUnits for OnDemandThroughput for table exceeds TableMaxReadCapacityUnits of the account in region us-east-1'),
('of an index', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "OnDemandThroughput": {"MaxReadRequestUnits": 0}}]}',
	'ValidationException: One or more parameter values were invalid: Requested MaxReadRequestUnits for OnDemandThroughput for index : gsi is outside of valid range'),
('-1 of an index', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "OnDemandThroughput": {"MaxReadRequestUnits": -1}}]}',
	'ValidationException: One or more parameter values were invalid: Requested MaxReadRequestUnits for OnDemandThroughput for index : gsi is outside of valid range'),
('of an index, beyond the account''s', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "OnDemandThroughput": {"MaxReadRequestUnits": 40001}}]}',
	'LimitExceededException: Subscriber limit exceeded: Requested MaxReadRequestUnits for OnDemandThroughput for index : gsi exceeds TableMaxReadCapacityUnits of the account in region us-east-1'),
('less warm than new', 'CreateTable', '{"WarmThroughput": {"WriteUnitsPerSecond": 3999}}',
	'ValidationException: One or more parameter values were invalid: Requested WriteUnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html'),
('less warm than new, an index', 'CreateTable', '{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "WarmThroughput": {"ReadUnitsPerSecond": 0}}]}',
	'ValidationException: One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for index gsi is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html'),
('less warm than its units', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "WarmThroughput": {"WriteUnitsPerSecond": 4}}',
	'ValidationException: One or more parameter values were invalid: Requested WriteUnitsPerSecond for WarmThroughput for table is lower than WriteCapacityUnits of ProvisionedThroughput'),
('less warm than its units, an index', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "WarmThroughput": {"ReadUnitsPerSecond": 4}}]}',
	'ValidationException: One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for index gsi is lower than ReadCapacityUnits of ProvisionedThroughput'),
('a type without encryption', 'CreateTable', '{"SSESpecification": {"Enabled": false, "SSEType": "KMS"}}',
	'ValidationException: One or more parameter values were invalid: SSEType can not be specified if Enabled is false'),
('a key without encryption', 'CreateTable', '{"SSESpecification": {"Enabled": false, "KMSMasterKeyId": "x"}}',
	'ValidationException: One or more parameter values were invalid: KMSMasterKeyId can not be specified if Enabled is false'),
('a key without a type', 'CreateTable', '{"SSESpecification": {"Enabled": true, "KMSMasterKeyId": "x"}}',
	'ValidationException: One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is specified'),
('a key alone', 'CreateTable', '{"SSESpecification": {"KMSMasterKeyId": "x"}}',
	'ValidationException: One or more parameter values were invalid: SSEType KMS is required if KMSMasterKeyId is specified'),
('AES256', 'CreateTable', '{"SSESpecification": {"Enabled": true, "SSEType": "AES256"}}',
	'ValidationException: One or more parameter values were invalid: SSEType AES256 is not supported'),
('AES256, no flag', 'CreateTable', '{"SSESpecification": {"SSEType": "AES256"}}',
	'ValidationException: One or more parameter values were invalid: SSEType AES256 is not supported'),
('a reserved tag', 'CreateTable', '{"Tags": [{"Key": "aws:x", "Value": "v"}]}',
	'ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:x'),
('a tag without a value', 'CreateTable', '{"Tags": [{"Key": "k"}]}',
	'ValidationException: The Tag Value provided is invalid, Value: null'),
('a tag twice', 'CreateTable', '{"Tags": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}',
	'ValidationException: Duplicate Tag Keys provided as input: Duplicate Tag Key found a'),
('no policy', 'CreateTable', '{"ResourcePolicy": "null"}',
	'ValidationException: One or more parameter values were invalid: Invalid policy document: This text appears not to be a policy'),
('an empty policy', 'CreateTable', '{"ResourcePolicy": "{}"}',
	'ValidationException: One or more parameter values were invalid: Invalid policy document: Syntax error at position (1,3)'),
('of a global table', 'CreateTable', '{"GlobalTableSourceArn": "arn"}',
	'ValidationException: One or more parameter values were invalid: GlobalTableSourceArn is not supported'),
('settings of one', 'CreateTable', '{"GlobalTableSettingsReplicationMode": "ENABLED"}',
	'ValidationException: One or more parameter values were invalid: GlobalTableSettingsReplicationMode is not supported')
) AS fact (about, operation, request, answer), :told;

-- Nothing of all that has been made
SELECT count(*) FROM dynamo.tables WHERE table_name = 'FactTable';

-- What is made: definitions and projected names in order, keys and indexes as they were sent
SELECT :facts FROM (VALUES
('a table', 'CreateTable', '{"AttributeDefinitions": [{"AttributeName": "sk", "AttributeType": "N"}, {"AttributeName": "pk", "AttributeType": "S"}], "GlobalSecondaryIndexes": [{"IndexName": "zzz", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["z", "pk", "a"]}, "WarmThroughput": {}, "OnDemandThroughput": {}}, {"IndexName": "FactTable", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}], "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}], "WarmThroughput": {}, "OnDemandThroughput": {}, "Tags": []}',
	'{"TableDescription":{"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"}],"TableName":"FactTable","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"TableStatus":"CREATING","CreationDateTime":"TIME","ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0,"NumberOfDecreasesToday":0},"TableSizeBytes":0,"ItemCount":0,"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactTable","TableId":"UUID","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"LocalSecondaryIndexes":[{"IndexName":"lsi","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"},"IndexSizeBytes":0,"ItemCount":0,"IndexArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/lsi"}],"GlobalSecondaryIndexes":[{"IndexName":"zzz","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["a","pk","z"]},"IndexStatus":"CREATING","ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0,"NumberOfDecreasesToday":0},"IndexSizeBytes":0,"ItemCount":0,"IndexArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/zzz"},{"IndexName":"FactTable","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"},"IndexStatus":"CREATING","ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0,"NumberOfDecreasesToday":0},"IndexSizeBytes":0,"ItemCount":0,"IndexArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/FactTable"}],"DeletionProtectionEnabled":false}}'),
('its name is taken', 'CreateTable', '{}',
	'ResourceInUseException: Table already exists: FactTable'),
('DeleteTable for the next', 'DeleteTable', '{}',
	'{}'),
('provisioned by default', 'CreateTable', '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}',
	'{"TableDescription":{"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"}],"TableName":"FactTable","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"TableStatus":"CREATING","CreationDateTime":"TIME","ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6,"NumberOfDecreasesToday":0},"TableSizeBytes":0,"ItemCount":0,"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactTable","TableId":"UUID","DeletionProtectionEnabled":false}}'),
('gone', 'DeleteTable', '{}',
	'{}'),
('with all that can be said', 'CreateTable', '{"TableClass": "STANDARD", "SSESpecification": {"Enabled": true}, "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}, "OnDemandThroughput": {"MaxReadRequestUnits": 7}, "WarmThroughput": {"ReadUnitsPerSecond": 13000}, "DeletionProtectionEnabled": true, "Tags": [{"Key": "k", "Value": ""}]}',
	'{"TableDescription":{"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"}],"TableName":"FactTable","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"TableStatus":"CREATING","CreationDateTime":"TIME","ProvisionedThroughput":{"ReadCapacityUnits":0,"WriteCapacityUnits":0,"NumberOfDecreasesToday":0},"TableSizeBytes":0,"ItemCount":0,"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactTable","TableId":"UUID","BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},"TableClassSummary":{"TableClass":"STANDARD"},"OnDemandThroughput":{"MaxReadRequestUnits":7},"WarmThroughput":{"Status":"UPDATING","ReadUnitsPerSecond":13000,"WriteUnitsPerSecond":4000},"SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:aws:kms:us-east-1:000000000000:key/UUID"},"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"},"LatestStreamLabel":"LABEL","LatestStreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/stream/LABEL","DeletionProtectionEnabled":true}}'),
('protected', 'DeleteTable', '{}',
	'ValidationException: Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.'),
('not any more', 'UpdateTable', '{"AttributeDefinitions": null, "KeySchema": null, "BillingMode": null, "DeletionProtectionEnabled": false}',
	'{"TableDescription": {"DeletionProtectionEnabled": false}}'),
('gone, too', 'DeleteTable', '{}',
	'{}')
) AS fact (about, operation, request, answer), :told;

-- How many there may be, of each
CREATE FUNCTION pg_temp.index(name text, VARIADIC keys text[]) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('IndexName', name, 'Projection', '{"ProjectionType": "ALL"}'::jsonb, 'KeySchema', (SELECT jsonb_agg(jsonb_build_object('AttributeName', split_part(k, ' ', 1), 'KeyType', split_part(k, ' ', 2)) ORDER BY n)
		FROM unnest(keys) WITH ORDINALITY AS u(k, n))) $$;
CREATE FUNCTION pg_temp.defined(VARIADIC names text[]) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('AttributeDefinitions', jsonb_agg(jsonb_build_object('AttributeName', name, 'AttributeType', 'S'))) FROM unnest(names) name $$;
\set base '{"TableName": "FactTable", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}]}'
SELECT pg_temp.told('CreateTable', :'base', jsonb_build_object('LocalSecondaryIndexes', jsonb_agg(pg_temp.index('index' || i, 'a HASH', 'b RANGE')))::text) FROM generate_series(1, 6) i;
SELECT pg_temp.told('CreateTable', :'base', jsonb_build_object('GlobalSecondaryIndexes', jsonb_agg(pg_temp.index('index' || i, 'b HASH')))::text) FROM generate_series(1, 21) i;
SELECT kinds, left(pg_temp.told('CreateTable', :'base', (pg_temp.defined(VARIADIC ARRAY['a', 'b'] || array_agg('k' || n)) || jsonb_build_object('GlobalSecondaryIndexes',
	jsonb_build_array(pg_temp.index('gsi', VARIADIC array_agg('k' || n || CASE substr(kinds, n, 1) WHEN 'H' THEN ' HASH' ELSE ' RANGE' END ORDER BY n)))))::text), 155)
FROM unnest('{HRH,HHHHH,HRRRRR,HHHHHRRRRR,HHHHRRRR}'::text[]) kinds, generate_series(1, length(kinds)) n GROUP BY kinds ORDER BY kinds;
SELECT regexp_replace(pg_temp.told('CreateTable', :'base', jsonb_build_object('GlobalSecondaryIndexes', jsonb_build_array(pg_temp.index('gsi', 'a HASH')
	|| jsonb_build_object('Projection', jsonb_build_object('ProjectionType', 'INCLUDE', 'NonKeyAttributes', jsonb_agg('n' || n)))))::text), '\[n1.*\]', '[...]') FROM generate_series(1, 21) n;
SELECT replace(pg_temp.told('CreateTable', :'base', json_build_object('TableName', repeat('x', 256))::text), repeat('x', 256), '...');
-- Names are listed as a hash table has them; a surrogate pair is two of its characters
SELECT pg_temp.told('CreateTable', :'base', (pg_temp.defined('user', 'id', U&'\+01F600', 'created_at', 'é') || jsonb_build_object('KeySchema', pg_temp.index('', 'user HASH', 'id RANGE') -> 'KeySchema',
	'GlobalSecondaryIndexes', jsonb_build_array(pg_temp.index('one', 'user HASH'))))::text);
-- ... U+FFFF is the last that needs no pair
SELECT replace(pg_temp.told('CreateTable', :'base', pg_temp.defined('k', 'm', U&'\FFFF')::text), U&'\FFFF', 'U+FFFF');
SELECT pg_temp.told('CreateTable', :'base', pg_temp.defined(VARIADIC array_agg('a' || i))::text) FROM generate_series(1, 20) i;
-- ... and each once, even where two share a bucket
SELECT pg_temp.told('CreateTable', :'base', (pg_temp.defined('a', 'b', 'x') || jsonb_build_object('GlobalSecondaryIndexes', jsonb_build_array(pg_temp.index('one', 'Aa HASH', 'BB HASH', 'Aa HASH'))))::text);

SELECT dynamo.drop_table('FactTable');
