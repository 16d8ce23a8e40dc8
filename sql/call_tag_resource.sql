-- TagResource: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'TagResource', '{"Tags": [{"Key": "a", "Value": "1"}]}',
	'ValidationException: 1 validation error detected: Value null at ''resourceArn'' failed to satisfy constraint: Member must not be null'),
('no tags', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Value null at ''tags'' failed to satisfy constraint: Member must not be null'),
('no table', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone", "Tags": [{"Key": "a", "Value": "1"}]}',
	'ResourceNotFoundException: Requested resource not found: ResourceArn: arn:aws:dynamodb:us-east-1:000000000000:table/FactNone not found'),
('a name', 'TagResource', '{"ResourceArn": "FactTable", "Tags": [{"Key": "a", "Value": "1"}]}',
	'ValidationException: One or more parameter values were invalid: ARNs must start with ''arn:'': FactTable'),
('an index', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA", "Tags": [{"Key": "a", "Value": "1"}]}',
	'ValidationException: One or more parameter values were invalid: Invalid resource arn provided, only table or stream is accepted. Provided resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/index/ByA'),
('a backup', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/backup/01489173575360-b308cd7d", "Tags": [{"Key": "a", "Value": "1"}]}',
	'ValidationException: One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: arn:aws:dynamodb:us-east-1:000000000000:table/FactTable/backup/ID'),
('another region''s', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable", "Tags": [{"Key": "a", "Value": "1"}]}',
	'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable'),
('another account''s', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable", "Tags": [{"Key": "a", "Value": "1"}]}',
	'AccessDeniedException: Access is denied'),
('a wrong tag before the table', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone", "Tags": [{"Key": "aws:a", "Value": "1"}]}',
	'ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:a')
) AS fact (about, operation, request, answer), :told;

-- What tags are, before what they are set on; all or nothing
SELECT dynamo.create_table('FactTable', 'pk');
\set base '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}'
SELECT :facts FROM (VALUES
('an empty list', 'TagResource', '{"Tags": []}',
	'ValidationException: Atleast one Tag needs to be provided as Input.'),
('an empty tag', 'TagResource', '{"Tags": [{}]}',
	'ValidationException: The Tag Key provided is invalid, Key: null'),
('no value', 'TagResource', '{"Tags": [{"Key": "a"}]}',
	'ValidationException: The Tag Value provided is invalid, Value: null'),
('no key', 'TagResource', '{"Tags": [{"Value": "a"}]}',
	'ValidationException: The Tag Key provided is invalid, Key: null'),
('an empty key', 'TagResource', '{"Tags": [{"Key": "", "Value": "a"}]}',
	'ValidationException: The Tag Key provided is invalid, Key: '),
('an empty value', 'TagResource', '{"Tags": [{"Key": "a", "Value": ""}]}',
	'{}'),
('a reserved prefix', 'TagResource', '{"Tags": [{"Key": "b", "Value": ""}, {"Key": "aws:x", "Value": ""}]}',
	'ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:x'),
('in any case', 'TagResource', '{"Tags": [{"Key": "AwS:", "Value": ""}]}',
	'ValidationException: Tag Key cannot be prefixed with aws:, Key: AwS:'),
('not in the middle', 'TagResource', '{"Tags": [{"Key": "xaws:", "Value": ""}, {"Key": "aws", "Value": ""}]}',
	'{}'),
('one twice', 'TagResource', '{"Tags": [{"Key": "c", "Value": "1"}, {"Key": "d", "Value": "1"}, {"Key": "c", "Value": "2"}]}',
	'ValidationException: Duplicate Tag Keys provided as input: Duplicate Tag Key found c'),
('keys differ by case', 'TagResource', '{"Tags": [{"Key": "A", "Value": " x "}]}',
	'{}'),
('one anew', 'TagResource', '{"Tags": [{"Key": "a", "Value": "2"}]}',
	'{}'),
('as they are', 'ListTagsOfResource', '{}',
	'{"Tags": [{"Key": "xaws:", "Value": ""}, {"Key": "aws", "Value": ""}, {"Key": "A", "Value": " x "}, {"Key": "a", "Value": "2"}]}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.call('UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable", "TagKeys": ["a", "A", "aws", "xaws:"]}');

-- Letters, digits and spaces of any script, and a few signs; no other punctuation, symbols, marks or control characters
CREATE FUNCTION pg_temp.tagged(key text, value text) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.told('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}', json_build_object('Tags', json_build_array(json_build_object('Key', key, 'Value', value)))::text) $$;
SELECT text, pg_temp.tagged('k' || text, text) FROM unnest(ARRAY['aZ09 +-=._:/@', 'é', 'Ж', '中文', '한국', 'עברית', 'ﬁ', '٣', '²', '𝒜', '𠀀', U&'\00A0', U&'\3000']) text;
SELECT text, pg_temp.tagged(text, 'v'), pg_temp.tagged('k', text) FROM unnest(ARRAY['!', '#', '"', E'\t', '¡', '–', '€', '™', '❤', '😀', 'a😀b', '→', '𝄞', U&'e\0301', U&'\200B', U&'\FFFF']) text;
-- Lengths count characters: 128 of a key, 256 of a value
SELECT n, left(pg_temp.tagged(repeat('é', n), ''), 60), left(pg_temp.tagged('k', repeat('é', 2 * n)), 60) FROM unnest(ARRAY[128, 129]) n;
SELECT dynamo.drop_table('FactTable');
-- 50 tags and 10,240 bytes, those there are counted, too
SELECT dynamo.create_table('FactTable', 'pk');
SELECT count, pg_temp.told('TagResource', :'base', jsonb_build_object('Tags', (SELECT jsonb_agg(jsonb_build_object('Key', 'k' || n, 'Value', repeat('v', length))) FROM generate_series(1, count) n))::text)
FROM (VALUES (51, 1), (45, 256), (50, 1)) v(count, length);
SELECT pg_temp.tagged('one more', ''), pg_temp.tagged('k1', 'other');
SELECT dynamo.drop_table('FactTable');
-- ... as many bytes, and one more
SELECT dynamo.create_table('FactTable', 'pk');
SELECT more, pg_temp.told('TagResource', :'base', jsonb_build_object('Tags', (SELECT jsonb_agg(jsonb_build_object('Key', 'k' || n, 'Value', repeat('v', 253 + (n = 10)::int * more))) FROM generate_series(10, 49) n))::text)
FROM unnest(ARRAY[1, 0]) more;
SELECT dynamo.drop_table('FactTable');
