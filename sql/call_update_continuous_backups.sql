-- UpdateContinuousBackups: what the service answers
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('nothing', 'UpdateContinuousBackups', '{}',
	'ValidationException: 1 validation error detected: Value null at ''pointInTimeRecoverySpecification'' failed to satisfy constraint: Member must not be null'),
('no specification', 'UpdateContinuousBackups', '{"TableName": "FactNone"}',
	'ValidationException: 1 validation error detected: Value null at ''pointInTimeRecoverySpecification'' failed to satisfy constraint: Member must not be null'),
('an empty one', 'UpdateContinuousBackups', '{"TableName": "FactNone", "PointInTimeRecoverySpecification": {}}',
	'ValidationException: 1 validation error detected: Value null at ''pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled'' failed to satisfy constraint: Member must not be null'),
('no days', 'UpdateContinuousBackups', '{"TableName": "FactNone", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 0}}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''pointInTimeRecoverySpecification.recoveryPeriodInDays'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('too many', 'UpdateContinuousBackups', '{"TableName": "FactNone", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 36}}',
	'ValidationException: 1 validation error detected: Value ''36'' at ''pointInTimeRecoverySpecification.recoveryPeriodInDays'' failed to satisfy constraint: Member must have value less than or equal to 35'),
('days for what is off', 'UpdateContinuousBackups', '{"TableName": "FactNone", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false, "RecoveryPeriodInDays": 7}}',
	'ValidationException: Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.'),
('no table', 'UpdateContinuousBackups', '{"TableName": "FactNone", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}',
	'TableNotFoundException: Table not found: FactNone'),
('another account''s', 'UpdateContinuousBackups', '{"TableName": "arn:aws:dynamodb:us-east-1:111111111111:table/FactTable", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}',
	'AccessDeniedException: Access is denied')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactTable', 'pk');
\set base '{"TableName": "FactTable"}'
SELECT :facts FROM (VALUES
('off, where it never was on', 'UpdateContinuousBackups', '{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false}}',
	'{"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED", "RecoveryPeriodInDays": null, "EarliestRestorableDateTime": null, "LatestRestorableDateTime": null}}}'),
('on, at once', 'UpdateContinuousBackups', '{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}',
	'{"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 35, "EarliestRestorableDateTime": "TIME", "LatestRestorableDateTime": "TIME"}}}'),
('shorter', 'UpdateContinuousBackups', '{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 7}}',
	'{"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {"RecoveryPeriodInDays": 7}}}'),
('days with a fraction of zero', 'UpdateContinuousBackups', '{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 9.0}}',
	'{"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {"RecoveryPeriodInDays": 9}}}'),
('off', 'UpdateContinuousBackups', '{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false}}',
	'{"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED", "RecoveryPeriodInDays": null}}}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactTable');
