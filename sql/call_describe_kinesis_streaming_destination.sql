-- DescribeKinesisStreamingDestination: where none can exist
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'DescribeKinesisStreamingDestination', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short and wrong name', 'DescribeKinesisStreamingDestination', '{"TableName": "!", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DescribeKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'DescribeKinesisStreamingDestination', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactKinesis'''),
('another account''s', 'DescribeKinesisStreamingDestination', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactKinesis', 'pk');
SELECT :facts FROM (VALUES
('a table', 'DescribeKinesisStreamingDestination', '{"TableName": "FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'{"TableName":"FactKinesis","KinesisDataStreamDestinations":[]}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactKinesis');
