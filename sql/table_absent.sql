-- Operations about what a table does not have here: tools ask them as soon as
-- they have created one, and are told so.
\a
\t on

CREATE FUNCTION pg_temp.asked(operation text, request json) RETURNS text
LANGUAGE sql AS $$
	SELECT format('%s: %s', operation, regexp_replace(dynamo.try_call(operation, request)::text, 'com.amazon[a-z0-9.]*#', ''))
$$;
SELECT dynamo.create_table('Absent', 'pk', 'sk');
SELECT dynamo.create_index('Absent', 'ByDay', 'day');
SELECT dynamo.enable_stream('Absent') IS NOT NULL;
SELECT dynamo.call('DescribeTable', '{"TableName": "Absent"}') #>> '{Table,LatestStreamArn}' AS stream,
	'arn:aws:dynamodb:us-east-1:000000000000:table/' AS arn \gset

-- Backups: none there, and errors about some.
SELECT pg_temp.asked('DescribeContinuousBackups', request)
FROM unnest('{"{\"TableName\": \"Absent\"}", "{\"TableName\": \"Nothing\"}", "{\"TableName\": \"x\"}", "{}"}'::json[]) request;
SELECT pg_temp.asked('DescribeContinuousBackups', json_build_object('TableName', :'arn' || 'Absent'));
SELECT pg_temp.asked('UpdateContinuousBackups', json_build_object('TableName', name, 'PointInTimeRecoverySpecification', specification))
FROM (VALUES ('Absent', '{"PointInTimeRecoveryEnabled": false}'::json),
	('Nothing', '{"PointInTimeRecoveryEnabled": false}'),
	('Absent', '{"PointInTimeRecoveryEnabled": false, "RecoveryPeriodInDays": 7}'),
	('Absent', '{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 36}'),
	('Absent', '{}'), ('Absent', NULL)) v(name, specification);
SELECT pg_temp.asked('ListBackups', request)
FROM unnest('{"{}", "{\"TableName\": \"Nothing\"}", "{\"Limit\": 101}"}'::json[]) request;
SELECT pg_temp.asked(operation, json_build_object('BackupArn', backup, 'TargetTableName', 'Restored'))
FROM unnest('{DescribeBackup,DeleteBackup,RestoreTableFromBackup}'::text[]) operation,
	unnest(ARRAY['short', repeat('x', 40), :'arn' || 'Absent/backup/01489173575360-b308cd7d']) backup;
SELECT pg_temp.asked('RestoreTableToPointInTime', json_build_object('TargetTableName', 'Restored', 'SourceTableName', name, 'SourceTableArn', arn, 'UseLatestRestorableTime', true))
FROM (VALUES ('Absent', NULL), ('Nothing', NULL), (NULL, NULL), ('Absent', 'x'), (NULL, :'arn' || 'Absent')) v(name, arn);
SELECT pg_temp.asked('ExportTableToPointInTime', json_build_object('TableArn', table_arn, 'S3Bucket', 'bucket'))
FROM unnest(ARRAY['Absent', :'arn' || 'Absent', :'arn' || 'Nothing']) table_arn;
SELECT pg_temp.asked('ListExports', json_build_object('TableArn', :'arn' || 'Absent')), pg_temp.asked('ListExports', '{"MaxResults": 26}'), pg_temp.asked('ListImports', json_build_object('TableArn', :'arn' || 'Absent'));
SELECT pg_temp.asked('DescribeExport', json_build_object('ExportArn', export))
FROM unnest(ARRAY[repeat('x', 40), :'arn' || 'Absent/export/01489173575360-b308cd7d']) export;

-- Kinesis streams, Contributor Insights.
SELECT pg_temp.asked('DescribeKinesisStreamingDestination', json_build_object('TableName', name))
FROM unnest('{Absent,Nothing}'::text[]) name;
SELECT pg_temp.asked('DescribeContributorInsights', json_build_object('TableName', name, 'IndexName', index))
FROM (VALUES ('Absent', NULL), ('Absent', 'ByDay'), ('Absent', 'None'), ('Nothing', 'ByDay')) v(name, index);

-- Policies, of tables and of streams.
SELECT pg_temp.asked(operation, json_build_object('ResourceArn', resource))
FROM unnest('{GetResourcePolicy,DeleteResourcePolicy}'::text[]) operation,
	unnest(ARRAY['', 'x', :'arn' || 'Absent', :'arn' || 'Nothing', :'arn' || 'Absent/index/ByDay',
		:'arn' || 'Absent/stream/2020-01-01T00:00:00.000', 'arn:aws:dynamodb:mars:000000000000:table/Absent']) resource;
SELECT dynamo.try_call('GetResourcePolicy', json_build_object('ResourceArn', :'stream')) ->> '__type';
SELECT pg_temp.asked('DeleteResourcePolicy', json_build_object('ResourceArn', :'stream'));
SELECT pg_temp.asked('DeleteResourcePolicy', json_build_object('ResourceArn', :'arn' || 'Absent', 'ExpectedRevisionId', '1'));

-- Replicas.
SELECT pg_temp.asked(operation, '{"TableName": "Absent", "GlobalTableName": "Absent"}')
FROM unnest('{DescribeTableReplicaAutoScaling,UpdateTableReplicaAutoScaling,CreateGlobalTable,UpdateGlobalTable,
	DescribeGlobalTable,DescribeGlobalTableSettings,UpdateGlobalTableSettings,ListGlobalTables}'::text[]) operation;
SELECT dynamo.drop_table('Absent');
