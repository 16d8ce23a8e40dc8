-- DescribeContinuousBackups: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DescribeContinuousBackups', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short one', 'DescribeContinuousBackups', '{"TableName": "x"}',
	'ValidationException: 1 validation error detected: Value ''x'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3'),
('no table', 'DescribeContinuousBackups', '{"TableName": "FactNone"}',
	'TableNotFoundException: Table not found: FactNone'),
('another region''s', 'DescribeContinuousBackups', '{"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable"}',
	'ValidationException: 1 validation error detected: Invalid AWS region in ''arn:aws:dynamodb:eu-west-1:000000000000:table/FactTable'''),
('another account''s', 'DescribeContinuousBackups', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable"}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactTable', 'pk');
SELECT :facts FROM (VALUES
('backups always, the past not', 'DescribeContinuousBackups', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactTable"}',
	'{"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED", "RecoveryPeriodInDays": null, "EarliestRestorableDateTime": null, "LatestRestorableDateTime": null}}}'),
('on', 'UpdateContinuousBackups', '{"TableName": "FactTable", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}',
	'{"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED"}}}'),
('with times', 'DescribeContinuousBackups', '{"TableName": "FactTable"}',
	'{"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 35, "EarliestRestorableDateTime": "TIME", "LatestRestorableDateTime": "TIME"}}}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactTable');
SELECT format('DROP TABLE %s', relation) FROM dynamo.backups WHERE table_name = 'FactTable' \gexec
