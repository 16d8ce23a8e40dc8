-- DescribeTimeToLive: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DescribeTimeToLive', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short and wrong one', 'DescribeTimeToLive', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DescribeTimeToLive', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'DescribeTimeToLive', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable'''),
('another account''s', 'DescribeTimeToLive', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactTable', 'pk');
SELECT :facts FROM (VALUES
('never on', 'DescribeTimeToLive', '{"TableName": "FactTable"}',
	'{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}'),
('on', 'UpdateTimeToLive', '{"TableName": "FactTable", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "t"}}',
	'{"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"t"}}'),
('at once', 'DescribeTimeToLive', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"t"}}'),
('off', 'UpdateTimeToLive', '{"TableName": "FactTable", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "t"}}',
	'{"TimeToLiveSpecification":{"Enabled":false,"AttributeName":"t"}}'),
('without its attribute', 'DescribeTimeToLive', '{"TableName": "FactTable"}',
	'{"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactTable');
