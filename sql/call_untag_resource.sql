-- UntagResource: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'UntagResource', '{"TagKeys": ["a"]}',
	'ValidationException: 1 validation error detected: Value null at ''resourceArn'' failed to satisfy constraint: Member must not be null'),
('no keys', 'UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Value null at ''tagKeys'' failed to satisfy constraint: Member must not be null'),
('no table', 'UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone", "TagKeys": ["a"]}',
	'ResourceNotFoundException: Requested resource not found: ResourceArn: arn:aws:dynamodb:us-east-1:000000000000:table/FactNone not found'),
('an index', 'UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA", "TagKeys": ["a"]}',
	'ValidationException: One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. Provided resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA'),
('a backup', 'UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/backup/01489173575360-b308cd7d", "TagKeys": ["a"]}',
	'ValidationException: One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/backup/ID'),
('another region''s', 'UntagResource', '{"ResourceArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable", "TagKeys": ["a"]}',
	'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable'),
('another account''s', 'UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable", "TagKeys": ["a"]}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;

SELECT dynamo.create_table('FactTable', 'pk');
\set base '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}'
SELECT :facts FROM (VALUES
('an empty list', 'UntagResource', '{"TagKeys": []}',
	'ValidationException: Atleast one Tag Key needs to be provided as Input.'),
('an empty key', 'UntagResource', '{"TagKeys": [""]}',
	'{}'),
('a reserved prefix', 'UntagResource', '{"TagKeys": ["aws:x"]}',
	'ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:x'),
('in any case', 'UntagResource', '{"TagKeys": ["a", "Aws:"]}',
	'ValidationException: Tag Key cannot be prefixed with aws:, Key: Aws:'),
('only the beginning of one', 'UntagResource', '{"TagKeys": ["aws", "xaws:"]}',
	'{}'),
('one that is not there', 'UntagResource', '{"TagKeys": ["none"]}',
	'{}'),
('one twice', 'UntagResource', '{"TagKeys": ["none", "none"]}',
	'{}'),
('two', 'TagResource', '{"Tags": [{"Key": "a", "Value": "1"}, {"Key": "A", "Value": ""}]}',
	'{}'),
('one of two', 'UntagResource', '{"TagKeys": ["a", "none"]}',
	'{}'),
('the other', 'ListTagsOfResource', '{}',
	'{"Tags": [{"Key": "A", "Value": ""}]}')
) AS fact (about, operation, request, answer), :told;
-- Not more than 50 keys
SELECT count, pg_temp.told('UntagResource', :'base', jsonb_build_object('TagKeys', (SELECT jsonb_agg('k' || n) FROM generate_series(1, count) n))::text) FROM unnest('{51,50}'::int[]) count;
SELECT dynamo.drop_table('FactTable');
