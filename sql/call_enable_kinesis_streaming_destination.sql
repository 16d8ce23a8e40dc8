-- EnableKinesisStreamingDestination: where none can exist
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'EnableKinesisStreamingDestination', '{}',
	'ValidationException: 1 validation error detected: Value null at ''streamArn'' failed to satisfy constraint: Member must not be null'),
('a short and wrong name', 'EnableKinesisStreamingDestination', '{"TableName": "!", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'EnableKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'EnableKinesisStreamingDestination', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactKinesis'''),
('another account''s', 'EnableKinesisStreamingDestination', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'AccessDeniedException: Access is denied'),
('no stream', 'EnableKinesisStreamingDestination', '{"TableName": "FactNone"}',
	'ValidationException: 1 validation error detected: Value null at ''streamArn'' failed to satisfy constraint: Member must not be null'),
('a short stream', 'EnableKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''streamArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a precision', 'EnableKinesisStreamingDestination', '{"TableName": "x", "StreamArn": "short", "EnableKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "SECOND"}}',
	'ValidationException: 3 validation errors detected: Value ''x'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''short'' at ''streamArn'' failed to satisfy constraint: Member must have length greater than or equal to 37; Value ''SECOND'' at ''enableKinesisStreamingConfiguration.approximateCreationDateTimePrecision'' failed to satisfy constraint: Member must satisfy enum value set: [MILLISECOND, MICROSECOND]')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactKinesis', 'pk');
SELECT :facts FROM (VALUES
('a table', 'EnableKinesisStreamingDestination', '{"TableName": "FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'UnknownOperationException: The operation EnableKinesisStreamingDestination is not available here')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactKinesis');
