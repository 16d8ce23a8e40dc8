-- DeleteResourcePolicy: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'DeleteResourcePolicy', '{}',
	'ValidationException: 1 validation error detected: Value null at ''resourceArn'' failed to satisfy constraint: Member must not be null'),
('an empty ARN', 'DeleteResourcePolicy', '{"ResourceArn": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''resourceArn'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('no ARN', 'DeleteResourcePolicy', '{"ResourceArn": "x"}',
	'ValidationException: One or more parameter values were invalid: ARNs must start with ''arn:'': x'),
('no table', 'DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('an index', 'DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactPolicy/index/ByA"}',
	'ValidationException: One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. Provided resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactPolicy/index/ByA'),
('a backup', 'DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactPolicy/backup/01489173575360-b308cd7d"}',
	'ValidationException: One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. Provided resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactPolicy/backup/ID'),
('another account''s', 'DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactPolicy"}',
	'ValidationException: This action is only supported by accounts that match the resource owner’s account.'),
('another region''s', 'DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactPolicy"}',
	'ValidationException: One or more parameter values were invalid: Invalid resource Arn: arn:aws:dynamodb:eu-west-1:000000000000:table/FactPolicy'),
('another region''s stream', 'DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactPolicy/stream/2020-01-01T00:00:00.000"}',
	'ValidationException: One or more parameter values were invalid: Invalid resource Arn: arn:aws:dynamodb:eu-west-1:000000000000:table/FactPolicy/stream/LABEL')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactPolicy', 'pk');
\set base '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactPolicy"}'
SELECT :facts FROM (VALUES
('none', 'DeleteResourcePolicy', '{}',
	'{}'),
('none of a revision', 'DeleteResourcePolicy', '{"ExpectedRevisionId": "1"}',
	'PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: Requested update for policy with revision id 1, but table FactPolicy has no associated policy.'),
('an empty revision', 'DeleteResourcePolicy', '{"ExpectedRevisionId": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''expectedRevisionId'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('no stream', 'DeleteResourcePolicy', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactPolicy/stream/2020-01-01T00:00:00.000"}',
	'ResourceNotFoundException: Requested resource not found: Stream: LABEL not found for Table: FactPolicy')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.enable_stream('FactPolicy') AS label \gset
SELECT json_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/FactPolicy/stream/' || :'label') AS base \gset
SELECT :facts FROM (VALUES
('none of its stream', 'DeleteResourcePolicy', '{}',
	'{}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactPolicy');
