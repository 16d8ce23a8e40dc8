-- DescribeImport: what is refused; what is described is in call_import_table
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'DescribeImport', '{}',
	'ValidationException: 1 validation error detected: Value null at ''importArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'DescribeImport', '{"ImportArn": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''importArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a short one', 'DescribeImport', '{"ImportArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''importArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('no ARN at all', 'DescribeImport', '{"ImportArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid Import ARN'),
('a table''s', 'DescribeImport', '{"ImportArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs"}',
	'ValidationException: Invalid Import ARN'),
('a backup''s', 'DescribeImport', '{"ImportArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/backup/01695353076000-a1b2c3d4"}',
	'ValidationException: Invalid Import ARN'),
('not there', 'DescribeImport', '{"ImportArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/import/01695353076000-a1b2c3d4"}',
	'ImportNotFoundException: Import not found: Import not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/import/ID'),
('another region''s', 'DescribeImport', '{"ImportArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactJobs/import/01695353076000-a1b2c3d4"}',
	'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:eu-west-1:000000000000:table/FactJobs'),
('another account''s', 'DescribeImport', '{"ImportArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactJobs/import/01695353076000-a1b2c3d4"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
