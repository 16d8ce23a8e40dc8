-- CreateGlobalTable: the service makes no table of that version any more
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
\set base '{"ReplicationGroup": [{"RegionName": "us-east-1"}]}'
SELECT :facts FROM (VALUES
('no name', 'CreateGlobalTable', '{}',
	'ValidationException: 1 validation error detected: Value null at ''globalTableName'' failed to satisfy constraint: Member must not be null'),
('no group', 'CreateGlobalTable', '{"GlobalTableName": "FactNone", "ReplicationGroup": null}',
	'ValidationException: 1 validation error detected: Value null at ''replicationGroup'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'CreateGlobalTable', '{"GlobalTableName": ""}',
	'ValidationException: TableName must be at least 3 characters long and at most 255 characters long'),
('a short one, in older words', 'CreateGlobalTable', '{"GlobalTableName": "ab"}',
	'ValidationException: TableName must be at least 3 characters long and at most 255 characters long'),
('a wrong one', 'CreateGlobalTable', '{"GlobalTableName": "a!b"}',
	'ValidationException: 1 validation error detected: Value ''a!b'' at ''globalTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'CreateGlobalTable', '{"GlobalTableName": "FactNone"}',
	'ValidationException: One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactGlobal', 'pk');
SELECT :facts FROM (VALUES
('a table', 'CreateGlobalTable', '{"GlobalTableName": "FactGlobal"}',
	'ValidationException: One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactGlobal');
