-- DescribeBulkOperation: what is refused; what is described is in call_start_bulk_put_items
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'DescribeBulkOperation', '{}',
	'ValidationException: 1 validation error detected: Value null at ''bulkOperationArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'DescribeBulkOperation', '{"BulkOperationArn": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''bulkOperationArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a short one', 'DescribeBulkOperation', '{"BulkOperationArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''bulkOperationArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('no ARN at all', 'DescribeBulkOperation', '{"BulkOperationArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid BulkOperation ARN'),
('a table''s', 'DescribeBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs"}',
	'ValidationException: Invalid BulkOperation ARN'),
('a backup''s', 'DescribeBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/backup/01695353076000-a1b2c3d4"}',
	'ValidationException: Invalid BulkOperation ARN'),
('not there', 'DescribeBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/bulk-operation/01695353076000-a1b2c3d4"}',
	'ResourceNotFoundException: Requested resource not found: BulkOperation: arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/bulk-operation/ID not found'),
('another region''s', 'DescribeBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactJobs/bulk-operation/01695353076000-a1b2c3d4"}',
	'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-1:000000000000:table/FactJobs'),
('another account''s', 'DescribeBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactJobs/bulk-operation/01695353076000-a1b2c3d4"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
