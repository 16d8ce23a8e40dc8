-- DescribeExport: what is refused; what is described is in call_export_table_to_point_in_time
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no ARN', 'DescribeExport', '{}',
	'ValidationException: 1 validation error detected: Value null at ''exportArn'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'DescribeExport', '{"ExportArn": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''exportArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('a short one', 'DescribeExport', '{"ExportArn": "short"}',
	'ValidationException: 1 validation error detected: Value ''short'' at ''exportArn'' failed to satisfy constraint: Member must have length greater than or equal to 37'),
('no ARN at all', 'DescribeExport', '{"ExportArn": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',
	'ValidationException: Invalid Export ARN'),
('a table''s', 'DescribeExport', '{"ExportArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs"}',
	'ValidationException: Invalid Export ARN'),
('a backup''s', 'DescribeExport', '{"ExportArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/backup/01695353076000-a1b2c3d4"}',
	'ValidationException: Invalid Export ARN'),
('not there', 'DescribeExport', '{"ExportArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/export/01695353076000-a1b2c3d4"}',
	'ExportNotFoundException: Export not found: Export not found: arn:aws:dynamodb:us-east-1:000000000000:table/FactJobs/export/ID'),
('another region''s', 'DescribeExport', '{"ExportArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactJobs/export/01695353076000-a1b2c3d4"}',
	'ExportNotFoundException: Export not found: Invalid export arn'),
('another account''s', 'DescribeExport', '{"ExportArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactJobs/export/01695353076000-a1b2c3d4"}',
	'ExportNotFoundException: Export not found: Export not found: arn:aws:dynamodb:us-east-1:111111111111:table/FactJobs/export/ID')
) AS fact (about, operation, request, answer), :told;
