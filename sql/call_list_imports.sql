-- ListImports: what is refused; what is listed is in call_import_table
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('none asked for', 'ListImports', '{"PageSize": 0}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''pageSize'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('too many', 'ListImports', '{"PageSize": 26}',
	'ValidationException: 1 validation error detected: Value ''26'' at ''pageSize'' failed to satisfy constraint: Member must have value less than or equal to 25'),
('a token of nothing', 'ListImports', '{"NextToken": "x"}',
	'ValidationException: 1 validation error detected: Value ''x'' at ''nextToken'' failed to satisfy constraint: Member must have length greater than or equal to 112'),
('no table', 'ListImports', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactNone"}',
	'{"ImportSummaryList":[]}'),
('an empty ARN', 'ListImports', '{"TableArn": ""}',
	'ValidationException: 1 validation error detected: Value '''' at ''tableArn'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('a name', 'ListImports', '{"TableArn": "FactNone"}',
	'{"ImportSummaryList":[]}'),
('another region''s', 'ListImports', '{"TableArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactNone"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactNone'''),
('another account''s', 'ListImports', '{"TableArn": "arn:aws:dynamodb:us-east-1:111111111111:table/FactNone"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT pg_temp.told('ListImports', :'base', json_build_object('NextToken', repeat('0', 112))::text);
