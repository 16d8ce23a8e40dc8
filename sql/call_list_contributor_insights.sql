-- ListContributorInsights: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('too many', 'ListContributorInsights', '{"MaxResults": 101}',
	'ValidationException: 1 validation error detected: Value ''101'' at ''maxResults'' failed to satisfy constraint: Member must have value less than or equal to 100'),
('a short and wrong name', 'ListContributorInsights', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'ListContributorInsights', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'ListContributorInsights', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactInsights"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactInsights''')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('CreateTable', '{"TableName": "FactInsights", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}], "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
\set base '{"TableName": "FactInsights"}'
SELECT :facts FROM (VALUES
('none', 'ListContributorInsights', '{}',
	'{"ContributorInsightsSummaries": [], "NextToken": null}'),
('on', 'UpdateContributorInsights', '{"ContributorInsightsAction": "ENABLE"}',
	'{}'),
('on, an index', 'UpdateContributorInsights', '{"IndexName": "gsi", "ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "THROTTLED_KEYS"}',
	'{}'),
('both', 'ListContributorInsights', '{}',
	'{"ContributorInsightsSummaries": [{"TableName": "FactInsights", "IndexName": null, "ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS"}, {"TableName": "FactInsights", "IndexName": "gsi", "ContributorInsightsStatus": "ENABLED", "ContributorInsightsMode": "THROTTLED_KEYS"}], "NextToken": null}'),
('one', 'ListContributorInsights', '{"MaxResults": 1}',
	'{"ContributorInsightsSummaries": [{"IndexName": null}]}'),
('off', 'UpdateContributorInsights', '{"ContributorInsightsAction": "DISABLE"}',
	'{}'),
('what is off is never listed', 'ListContributorInsights', '{}',
	'{"ContributorInsightsSummaries": [{"IndexName": "gsi"}]}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactInsights');
