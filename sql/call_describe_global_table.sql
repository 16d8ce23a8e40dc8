-- DescribeGlobalTable: there is no table of that version
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DescribeGlobalTable', '{}',
	'ValidationException: 1 validation error detected: Value null at ''globalTableName'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'DescribeGlobalTable', '{"GlobalTableName": ""}',
	'ValidationException: TableName must be at least 3 characters long and at most 255 characters long'),
('a short one, in older words', 'DescribeGlobalTable', '{"GlobalTableName": "ab"}',
	'ValidationException: TableName must be at least 3 characters long and at most 255 characters long'),
('a wrong one', 'DescribeGlobalTable', '{"GlobalTableName": "a!b"}',
	'ValidationException: 1 validation error detected: Value ''a!b'' at ''globalTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DescribeGlobalTable', '{"GlobalTableName": "FactNone"}',
	'GlobalTableNotFoundException: Global table not found: Global table with name: ''FactNone'' does not exist.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactGlobal', 'pk');
SELECT :facts FROM (VALUES
('a table', 'DescribeGlobalTable', '{"GlobalTableName": "FactGlobal"}',
	'GlobalTableNotFoundException: Global table not found: Global table with name: ''FactGlobal'' does not exist.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactGlobal');
