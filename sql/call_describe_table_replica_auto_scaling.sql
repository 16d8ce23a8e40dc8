-- DescribeTableReplicaAutoScaling: there are no replicas
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DescribeTableReplicaAutoScaling', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short and wrong one', 'DescribeTableReplicaAutoScaling', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DescribeTableReplicaAutoScaling', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Global table with name: ''FactNone'' does not exist.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactGlobal', 'pk');
SELECT :facts FROM (VALUES
('a table', 'DescribeTableReplicaAutoScaling', '{"TableName": "FactGlobal"}',
	'ResourceNotFoundException: Global table with name: ''FactGlobal'' does not exist.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactGlobal');
