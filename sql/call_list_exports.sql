-- ListExports: what is refused; what is listed is in call_export_table_to_point_in_time
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('none asked for', 'ListExports', '{"MaxResults": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''maxResults'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('too many', 'ListExports', '{"MaxResults": 26}',
	'ValidationException: 1 validation error detected: Value ''26'' at ''maxResults'' failed to satisfy constraint: Member must have value less than or equal to 25'),
('a token of nothing', 'ListExports', '{"NextToken": "x"}',
	'ValidationException: Invalid Request: Provided nextToken is invalid: x'),
('no table', 'ListExports', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone"}',
	'{"ExportSummaries":[]}'),
('an empty ARN', 'ListExports', '{"TableArn": ""}',
	'ValidationException: Invalid TableArn: Invalid Table ARN'),
('a name', 'ListExports', '{"TableArn": "FactNone"}',
	'{"ExportSummaries":[]}'),
('another region''s', 'ListExports', '{"TableArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactNone"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactNone'''),
('another account''s', 'ListExports', '{"TableArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactNone"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
