-- UpdateContributorInsights: what the service answers; what is counted, and who may, is in table_insights
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'UpdateContributorInsights', '{}',
	'ValidationException: 1 validation error detected: Value null at ''contributorInsightsAction'' failed to satisfy constraint: Member must not be null'),
('no action', 'UpdateContributorInsights', '{"TableName": "FactNone"}',
	'ValidationException: 1 validation error detected: Value null at ''contributorInsightsAction'' failed to satisfy constraint: Member must not be null'),
('an action', 'UpdateContributorInsights', '{"TableName": "FactNone", "ContributorInsightsAction": "ON"}',
	'ValidationException: 1 validation error detected: Value ''ON'' at ''contributorInsightsAction'' failed to satisfy constraint: Member must satisfy enum value set: [ENABLE, DISABLE]'),
('a mode', 'UpdateContributorInsights', '{"TableName": "FactNone", "ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "ALL"}',
	'ValidationException: 1 validation error detected: Value ''ALL'' at ''contributorInsightsMode'' failed to satisfy constraint: Member must satisfy enum value set: [THROTTLED_KEYS, ACCESSED_AND_THROTTLED_KEYS]')
) AS fact (about, operation, request, answer), :told;
\set base '{"ContributorInsightsAction": "ENABLE"}'
SELECT :facts FROM (VALUES
('no name', 'UpdateContributorInsights', '{"TableName": null}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short and wrong one', 'UpdateContributorInsights', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('a short index', 'UpdateContributorInsights', '{"TableName": "FactNone", "IndexName": "ab"}',
	'ValidationException: IndexName must be at least 3 characters long and at most 255 characters long'),
('an empty index', 'UpdateContributorInsights', '{"TableName": "FactNone", "IndexName": ""}',
	'ValidationException: IndexName must be at least 3 characters long and at most 255 characters long'),
('a wrong index', 'UpdateContributorInsights', '{"TableName": "FactNone", "IndexName": "a b"}',
	'ValidationException: 1 validation error detected: Value ''a b'' at ''indexName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'UpdateContributorInsights', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('no table of the index', 'UpdateContributorInsights', '{"TableName": "FactNone", "IndexName": "gsi"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'UpdateContributorInsights', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactInsights"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactInsights'''),
('another account''s', 'UpdateContributorInsights', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactInsights"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('CreateTable', '{"TableName": "FactInsights", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}], "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
\set base '{"TableName": "FactInsights"}'
SELECT :facts FROM (VALUES
('a local index', 'UpdateContributorInsights', '{"IndexName": "lsi", "ContributorInsightsAction": "ENABLE"}',
	'ResourceNotFoundException: Requested resource not found: Index: lsi not found for table: FactInsights'),
('no index', 'UpdateContributorInsights', '{"IndexName": "none", "ContributorInsightsAction": "ENABLE"}',
	'ResourceNotFoundException: Requested resource not found: Index: none not found for table: FactInsights')
) AS fact (about, operation, request, answer), :told;

-- Off where it never was on: nothing has been
SELECT :facts FROM (VALUES
('off', 'UpdateContributorInsights', '{"ContributorInsightsAction": "DISABLE"}',
	'{"TableName": "FactInsights", "IndexName": null, "ContributorInsightsStatus": "DISABLED", "ContributorInsightsMode": null}'),
('as before', 'DescribeContributorInsights', '{}',
	'{"ContributorInsightsStatus": "DISABLED", "ContributorInsightsMode": null, "LastUpdateDateTime": null}')
) AS fact (about, operation, request, answer), :told;
-- On, by default of both
SELECT :facts FROM (VALUES
('on', 'UpdateContributorInsights', '{"ContributorInsightsAction": "ENABLE"}',
	'{"TableName": "FactInsights", "ContributorInsightsStatus": "ENABLING", "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS"}'),
('again: it is', 'UpdateContributorInsights', '{"ContributorInsightsAction": "ENABLE"}',
	'{"ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS"}'),
('of another mode', 'UpdateContributorInsights', '{"ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "THROTTLED_KEYS"}',
	'{"ContributorInsightsStatus": "ENABLING", "ContributorInsightsMode": "THROTTLED_KEYS"}'),
('without a mode that is both, again', 'UpdateContributorInsights', '{"ContributorInsightsAction": "ENABLE"}',
	'{"ContributorInsightsStatus": "ENABLING", "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS"}'),
('an index, apart', 'UpdateContributorInsights', '{"IndexName": "gsi", "ContributorInsightsAction": "ENABLE"}',
	'{"TableName": "FactInsights", "IndexName": "gsi", "ContributorInsightsStatus": "ENABLING"}'),
('off again', 'UpdateContributorInsights', '{"ContributorInsightsAction": "DISABLE"}',
	'{"ContributorInsightsStatus": "DISABLING"}'),
('off twice', 'UpdateContributorInsights', '{"ContributorInsightsAction": "DISABLE"}',
	'{"ContributorInsightsStatus": "DISABLED"}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactInsights');
