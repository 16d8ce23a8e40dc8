-- UpdateGlobalTable: the service makes no table of that version any more
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
\set base '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}]}'
SELECT :facts FROM (VALUES
('no name', 'UpdateGlobalTable', '{}',
	'ValidationException: 1 validation error detected: Value null at ''globalTableName'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'UpdateGlobalTable', '{"GlobalTableName": ""}',
	'ValidationException: TableName must be at least 3 characters long and at most 255 characters long'),
('a short one, in older words', 'UpdateGlobalTable', '{"GlobalTableName": "ab"}',
	'ValidationException: TableName must be at least 3 characters long and at most 255 characters long'),
('a wrong one', 'UpdateGlobalTable', '{"GlobalTableName": "a!b"}',
	'ValidationException: 1 validation error detected: Value ''a!b'' at ''globalTableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no updates', 'UpdateGlobalTable', '{"GlobalTableName": "FactNone", "ReplicaUpdates": null}',
	'ValidationException: 1 validation error detected: Value null at ''replicaUpdates'' failed to satisfy constraint: Member must not be null'),
('nothing to do', 'UpdateGlobalTable', '{"GlobalTableName": "FactNone", "ReplicaUpdates": []}',
	'ValidationException: One or more parameter values were invalid'),
('no table', 'UpdateGlobalTable', '{"GlobalTableName": "FactNone"}',
	'GlobalTableNotFoundException: Global table with name: ''FactNone'' does not exist.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactGlobal', 'pk');
SELECT :facts FROM (VALUES
('a region leaves it', 'UpdateGlobalTable', '{"GlobalTableName": "FactGlobal", "ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}]}',
	'GlobalTableNotFoundException: Global table with name: ''FactGlobal'' does not exist.'),
('a table', 'UpdateGlobalTable', '{"GlobalTableName": "FactGlobal"}',
	'ValidationException: One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactGlobal');
