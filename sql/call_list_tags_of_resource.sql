-- ListTagsOfResource: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'ListTagsOfResource', '{}',
	'ValidationException: 1 validation error detected: Value null at ''resourceArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'ListTagsOfResource', '{"ResourceArn": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''resourceArn'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('a name', 'ListTagsOfResource', '{"ResourceArn": "FactTable"}',
	'ValidationException: One or more parameter values were invalid: ARNs must start with ''arn:'': FactTable'),
('of another service', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:s3:::bucket"}',
	'ValidationException: One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket'),
('no table', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone"}',
	'ResourceNotFoundException: Requested resource not found: ResourceArn: arn:aws:dynamodb:us-east-1:000000000000:table/FactNone not found'),
('an index', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA"}',
	'ValidationException: One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. Provided resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA'),
('a backup', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/backup/01489173575360-b308cd7d"}',
	'ValidationException: One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/backup/ID'),
('an export', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/export/01489173575360-b308cd7d"}',
	'ValidationException: One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/export/ID'),
('another region''s', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable"}',
	'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable'),
('another account''s', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable"}',
	'AccessDeniedException: Access is denied'),
('of both, the region', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:eu-west-1:111111111111:table/FactTable"}',
	'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-1:111111111111:table/FactTable')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactTable', 'pk');
SELECT :facts FROM (VALUES
('none', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'{"Tags":[]}'),
('a stream that is not there', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/stream/2020-01-01T00:00:00.000"}',
	'ResourceNotFoundException: Requested resource not found: ResourceArn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/stream/LABEL not found'),
('a token of nothing', 'ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable", "NextToken": "x"}',
	'ValidationException: Invalid Request: Provided nextToken is invalid: x')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactTable');
