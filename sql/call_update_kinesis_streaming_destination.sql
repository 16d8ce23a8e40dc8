-- UpdateKinesisStreamingDestination: where none can exist
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'UpdateKinesisStreamingDestination', '{}',
	'ValidationException: 1 validation error detected: Value null at ''streamArn'' failed to satisfy constraint: Member must not be null'),
('a short and wrong name', 'UpdateKinesisStreamingDestination', '{"TableName": "!", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'UpdateKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found'),
('another region''s', 'UpdateKinesisStreamingDestination', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactKinesis'''),
('another account''s', 'UpdateKinesisStreamingDestination', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}',
	'AccessDeniedException: Access is denied'),
('no stream', 'UpdateKinesisStreamingDestination', '{"TableName": "FactNone", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}',
	'ValidationException: 1 validation error detected: Value null at ''streamArn'' failed to satisfy constraint: Member must not be null'),
('a short stream', 'UpdateKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "short", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''streamArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a precision', 'UpdateKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "SECOND"}}',
	'ValidationException: 1 validation error detected: Value ''SECOND'' at ''updateKinesisStreamingConfiguration.approximateCreationDateTimePrecision'' failed to satisfy constraint: Member must satisfy enum value set: [MILLISECOND, MICROSECOND]'),
('nothing to change', 'UpdateKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here"}',
	'ValidationException: Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values'),
('nothing in it', 'UpdateKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {}}',
	'ValidationException: Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values'),
('nothing but null in it', 'UpdateKinesisStreamingDestination', '{"TableName": "FactNone", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": null}}',
	'ValidationException: Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactKinesis', 'pk');
SELECT :facts FROM (VALUES
('a table', 'UpdateKinesisStreamingDestination', '{"TableName": "FactKinesis", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/Here", "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}}',
	'ValidationException: Table is not in a valid state to enable Kinesis Streaming Destination: No streaming destination with streamArn: arn:aws:kinesis:us-east-1:000000000000:stream/Here found for table with tableName: FactKinesis')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactKinesis');
