-- ListStreams: what is refused, and what is listed
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('none asked for', 'ListStreams', '{"Limit": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''limit'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('too many', 'ListStreams', '{"Limit": 101}',
	'ValidationException: 1 validation error detected: Value ''101'' at ''limit'' failed to satisfy constraint: Member must have value less than or equal to 100'),
('a short name', 'ListStreams', '{"TableName": "x"}',
	'ValidationException: 1 validation error detected: Value ''x'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('a wrong one', 'ListStreams', '{"TableName": "a b c"}',
	'ValidationException: 1 validation error detected: Value ''a b c'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('a start that is no ARN', 'ListStreams', '{"ExclusiveStartStreamArn": "arn"}',
	'ValidationException: 1 validation error detected: Value ''arn'' at ''exclusiveStartStreamArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a start that is a table''s', 'ListStreams', '{"ExclusiveStartStreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactStreams"}',
	'ValidationException: Invalid StreamArn'),
('no table', 'ListStreams', '{"TableName": "FactNone"}',
	'{"Streams":[]}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactStreams', 'pk');
SELECT :facts FROM (VALUES
('no stream', 'ListStreams', '{"TableName": "FactStreams"}',
	'{"Streams": [], "LastEvaluatedStreamArn": null}'),
('one', 'UpdateTable', '{"TableName": "FactStreams", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}',
	'{}'),
('listed, by a full page', 'ListStreams', '{"TableName": "FactStreams", "Limit": 1}',
	'{"Streams": [{"StreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactStreams/stream/LABEL", "TableName": "FactStreams", "StreamLabel": "LABEL"}], "LastEvaluatedStreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactStreams/stream/LABEL"}'),
('listed, by a page with room', 'ListStreams', '{"TableName": "FactStreams", "Limit": 2}',
	'{"Streams": [{"TableName": "FactStreams"}], "LastEvaluatedStreamArn": null}'),
('behind one that is gone', 'ListStreams', '{"TableName": "FactStreams", "ExclusiveStartStreamArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactStreams/stream/2015-05-11T21:21:33.291"}',
	'{"Streams": [{"TableName": "FactStreams"}]}'),
('disabled', 'UpdateTable', '{"TableName": "FactStreams", "StreamSpecification": {"StreamEnabled": false}}',
	'{}'),
('another one', 'UpdateTable', '{"TableName": "FactStreams", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}',
	'{}'),
('both', 'ListStreams', '{"TableName": "FactStreams"}',
	'{"Streams": [{"TableName": "FactStreams"}, {"TableName": "FactStreams"}]}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactStreams');
DELETE FROM dynamo.streams WHERE table_name = 'FactStreams';
