-- ExecuteStatement: the request; statements are in the files partiql_*
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'ExecuteStatement', '{}',
	'ValidationException: 1 validation error detected: Value null at ''statement'' failed to satisfy constraint: Member must not be null'),
('an empty statement', 'ExecuteStatement', '{"Statement": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''statement'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('no parameters', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts WHERE pk = ?", "Parameters": []}',
	'ValidationException: 1 validation error detected: Value ''[]'' at ''parameters'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('a parameter that is none', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts WHERE pk = ?", "Parameters": [{}]}',
	'ValidationException: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes'),
('too few', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts WHERE pk = ?"}',
	'ValidationException: Number of parameters in request and statement don''t match.'),
('no limit', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts", "Limit": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''limit'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('capacity', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts", "ReturnConsumedCapacity": "ALL"}',
	'ValidationException: 1 validation error detected: Value ''ALL'' at ''returnConsumedCapacity'' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]'),
('what a failed condition returns', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts", "ReturnValuesOnConditionCheckFailure": "NEW"}',
	'ValidationException: 1 validation error detected: Value ''NEW'' at ''returnValuesOnConditionCheckFailure'' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]'),
('a token of nothing', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts", "NextToken": "x"}',
	'ResourceNotFoundException: Requested resource not found'),
('no table', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts"}',
	'ResourceNotFoundException: Requested resource not found')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('Facts', 'pk');
SELECT :facts FROM (VALUES
('an item', 'ExecuteStatement', '{"Statement": "INSERT INTO Facts VALUE {''pk'': ?}", "Parameters": [{"S": "1"}]}',
	'{"Items":[]}'),
('twice', 'ExecuteStatement', '{"Statement": "INSERT INTO Facts VALUE {''pk'': ?}", "Parameters": [{"S": "1"}]}',
	'DuplicateItemException: Duplicate primary key exists in table'),
('found', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts WHERE pk = ?", "Parameters": [{"S": "1"}], "ConsistentRead": true, "ReturnConsumedCapacity": "TOTAL"}',
	'{"Items":[{"pk":{"S":"1"}}],"ConsumedCapacity":{"TableName":"Facts","CapacityUnits":1.0}}'),
('a condition that fails, and its item', 'ExecuteStatement', '{"Statement": "DELETE FROM Facts WHERE pk = ''1'' AND x = 1", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}',
	'ConditionalCheckFailedException: The conditional request failed'),
('removed', 'ExecuteStatement', '{"Statement": "DELETE FROM Facts WHERE pk = ''1'' RETURNING ALL OLD *"}',
	'{"Items":[{"pk":{"S":"1"}}]}'),
('nothing left', 'ExecuteStatement', '{"Statement": "SELECT * FROM Facts"}',
	'{"Items":[]}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('Facts');
