-- UpdateTimeToLive: what the service answers; what it does, by all doors, is in ttl_api
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'UpdateTimeToLive', '{}',
	'ValidationException: 1 validation error detected: Value null at ''timeToLiveSpecification'' failed to satisfy constraint: Member must not be null'),
('no name', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": true, "AttributeName": "t"}}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('neither name nor attribute', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": true, "AttributeName": ""}}',
	'ValidationException: 1 validation error detected: Value '''' at ''timeToLiveSpecification.attributeName'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('no specification', 'UpdateTimeToLive', '{"TableName": "FactNone"}',
	'ValidationException: 1 validation error detected: Value null at ''timeToLiveSpecification'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": {}}',
	'ValidationException: 2 validation errors detected: Value null at ''timeToLiveSpecification.enabled'' failed to satisfy constraint: Member must not be null; Value null at ''timeToLiveSpecification.attributeName'' failed to satisfy constraint: Member must not be null'),
('no attribute', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": {"Enabled": true}}',
	'ValidationException: 1 validation error detected: Value null at ''timeToLiveSpecification.attributeName'' failed to satisfy constraint: Member must not be null'),
('an empty attribute', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": ""}}',
	'ValidationException: 1 validation error detected: Value '''' at ''timeToLiveSpecification.attributeName'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('a flag as text', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": {"Enabled": "yes", "AttributeName": "t"}}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('a number as a name', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": 1}}',
	'SerializationException: NUMBER_VALUE cannot be converted to String'),
('a list', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": []}',
	'SerializationException: Unrecognized collection type class com.amazonaws.dynamodb.v20120810.TimeToLiveSpecification'),
('no table', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "t"}}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('no table, switched off', 'UpdateTimeToLive', '{"TableName": "FactNone", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "t"}}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'UpdateTimeToLive', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "t"}}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable''')
) AS fact (about, operation, request, answer), :told;
SELECT replace(pg_temp.told('UpdateTimeToLive', :'base', json_build_object('TableName', 'x', 'TimeToLiveSpecification', json_build_object('Enabled', true, 'AttributeName', repeat('t', 256)))::text), repeat('t', 256), 'ttt');
SELECT dynamo.create_table('FactTable', 'pk');
\set base '{"TableName": "FactTable"}'
SELECT :facts FROM (VALUES
('off already', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": false, "AttributeName": "t"}}',
	'ValidationException: TimeToLive is already disabled'),
('a key may be it', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": true, "AttributeName": "pk"}}',
	'{"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"pk"}}'),
('on already', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": true, "AttributeName": "pk"}}',
	'ValidationException: TimeToLive is already enabled'),
('by another attribute', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": true, "AttributeName": "t"}}',
	'ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is pk'),
('off by another attribute', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": false, "AttributeName": "t"}}',
	'ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is pk'),
('off', 'UpdateTimeToLive', '{"TimeToLiveSpecification": {"Enabled": false, "AttributeName": "pk"}}',
	'{"TimeToLiveSpecification":{"Enabled":false,"AttributeName":"pk"}}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactTable');
