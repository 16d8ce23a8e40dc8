-- DescribeContributorInsights: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DescribeContributorInsights', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short and wrong one', 'DescribeContributorInsights', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('a short index', 'DescribeContributorInsights', '{"TableName": "FactNone", "IndexName": "ab"}',
	'ValidationException: IndexName must be at least 3 characters long and at most 255 characters long'),
('an empty index', 'DescribeContributorInsights', '{"TableName": "FactNone", "IndexName": ""}',
	'ValidationException: IndexName must be at least 3 characters long and at most 255 characters long'),
('a wrong index', 'DescribeContributorInsights', '{"TableName": "FactNone", "IndexName": "a b"}',
	'ValidationException: 1 validation error detected: Value ''a b'' at ''indexName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DescribeContributorInsights', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('no table of the index', 'DescribeContributorInsights', '{"TableName": "FactNone", "IndexName": "gsi"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'DescribeContributorInsights', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactInsights"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactInsights'''),
('another account''s', 'DescribeContributorInsights', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactInsights"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('CreateTable', '{"TableName": "FactInsights", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}], "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
\set base '{"TableName": "FactInsights"}'
SELECT :facts FROM (VALUES
('a local index', 'DescribeContributorInsights', '{"IndexName": "lsi"}',
	'ResourceNotFoundException: Requested resource not found: Index: lsi not found for table: FactInsights'),
('no index', 'DescribeContributorInsights', '{"IndexName": "none"}',
	'ResourceNotFoundException: Requested resource not found: Index: none not found for table: FactInsights'),
('never on', 'DescribeContributorInsights', '{}',
	'{"TableName":"FactInsights","ContributorInsightsStatus":"DISABLED"}'),
('never on, an index', 'DescribeContributorInsights', '{"IndexName": "gsi"}',
	'{"TableName":"FactInsights","IndexName":"gsi","ContributorInsightsStatus":"DISABLED"}'),
('on', 'UpdateContributorInsights', '{"ContributorInsightsAction": "ENABLE"}',
	'{}'),
('rules of the hash key and of the range key', 'DescribeContributorInsights', '{}',
	'{"ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS", "LastUpdateDateTime": "TIME"}')
) AS fact (about, operation, request, answer), :told;
SELECT rule ~ '-\d{13}$', regexp_replace(rule, '\d{13}$', 'TIME') FROM json_array_elements_text(dynamo.call('DescribeContributorInsights', :'base') -> 'ContributorInsightsRuleList') rule;
SELECT :facts FROM (VALUES
('throttled ones only', 'UpdateContributorInsights', '{"ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "THROTTLED_KEYS"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT regexp_replace(rule, '\d{13}$', 'TIME') FROM json_array_elements_text(dynamo.call('DescribeContributorInsights', :'base') -> 'ContributorInsightsRuleList') rule;
SELECT :facts FROM (VALUES
('an index', 'UpdateContributorInsights', '{"IndexName": "gsi", "ContributorInsightsAction": "ENABLE"}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT regexp_replace(rule, '\d{13}$', 'TIME') FROM json_array_elements_text(dynamo.call('DescribeContributorInsights', '{"TableName": "FactInsights", "IndexName": "gsi"}') -> 'ContributorInsightsRuleList') rule;
SELECT :facts FROM (VALUES
('off', 'UpdateContributorInsights', '{"ContributorInsightsAction": "DISABLE"}',
	'{}'),
('off again: what it was, and when, is kept', 'DescribeContributorInsights', '{}',
	'{"ContributorInsightsStatus": "DISABLED", "ContributorInsightsMode": "THROTTLED_KEYS", "LastUpdateDateTime": "TIME"}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactInsights');
