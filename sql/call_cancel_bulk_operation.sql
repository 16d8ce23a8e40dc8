-- CancelBulkOperation: what is refused; what is cancelled is in call_start_bulk_put_items
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'CancelBulkOperation', '{}',
	'ValidationException: 1 validation error detected: Value null at ''bulkOperationArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'CancelBulkOperation', '{"BulkOperationArn": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''bulkOperationArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a short one', 'CancelBulkOperation', '{"BulkOperationArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''bulkOperationArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('no ARN at all', 'CancelBulkOperation', '{"BulkOperationArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid BulkOperation ARN'),
('a table''s', 'CancelBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs"}',
	'ValidationException: Invalid BulkOperation ARN'),
('a backup''s', 'CancelBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/backup/01695353076000-a1b2c3d4"}',
	'ValidationException: Invalid BulkOperation ARN'),
('not there', 'CancelBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/bulk-operation/01695353076000-a1b2c3d4"}',
	'ResourceNotFoundException: Requested resource not found: BulkOperation: arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/bulk-operation/ID not found'),
('another region''s', 'CancelBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactJobs/bulk-operation/01695353076000-a1b2c3d4"}',
	'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-1:000000000000:table/FactJobs'),
('another account''s', 'CancelBulkOperation', '{"BulkOperationArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactJobs/bulk-operation/01695353076000-a1b2c3d4"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
