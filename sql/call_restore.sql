-- RestoreTableToPointInTime and RestoreTableFromBackup: what is refused, in which order, as measured in October 2026
\t on
\a
SELECT dynamo.create_table('CallRestore', 'pk');
CREATE FUNCTION pg_temp.past(more jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(coalesce((a ->> '__type') || ' ' || (a ->> 'message'), a #>> '{TableDescription,TableStatus}'), 'com[a-z0-9.]*#|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', '', 'g')
	FROM dynamo.try_call('RestoreTableToPointInTime', ('{"TargetTableName": "CallRestored", "SourceTableName": "CallRestore"}' || more)::json) a $$;
-- which time, before recovery, and whether it is on
SELECT more, pg_temp.past(more) FROM unnest(ARRAY['{}', '{"UseLatestRestorableTime": false}', '{"UseLatestRestorableTime": true, "RestoreDateTime": 1}',
	'{"UseLatestRestorableTime": true}', '{"UseLatestRestorableTime": false, "RestoreDateTime": 1}', '{"SourceTableName": "Nothing"}', '{"SourceTableName": "Nothing", "UseLatestRestorableTime": true}']::jsonb[]) more;
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "CallRestore", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL;
-- then the time, then the target
SELECT more, pg_temp.past(more || '{"TargetTableName": "CallRestore"}') FROM unnest(ARRAY['{}', '{"RestoreDateTime": 1}', '{"RestoreDateTime": 99999999999}', '{"UseLatestRestorableTime": true}']::jsonb[]) more;
-- another account's table, another region's
SELECT pg_temp.past('{"SourceTableName": null, "UseLatestRestorableTime": true, "SourceTableArn": "arn:aws:dynamodb:us-east-1:111111111111:table/CallRestore"}');
SELECT pg_temp.past('{"SourceTableName": null, "UseLatestRestorableTime": true, "SourceTableArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/CallRestore"}');
-- overrides
SELECT member, pg_temp.past(jsonb_build_object('UseLatestRestorableTime', true, 'OnDemandThroughputOverride', jsonb_build_object(member, 0)))
FROM unnest('{MaxReadRequestUnits,MaxWriteRequestUnits}'::text[]) member;
SELECT pg_temp.past('{"SSESpecificationOverride": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": ""}}');
-- the target's name: of a restore from a backup an empty one is told in older words
SELECT dynamo.call('CreateBackup', '{"TableName": "CallRestore", "BackupName": "one"}') #>> '{BackupDetails,BackupArn}' AS one \gset
SELECT name, pg_temp.past(jsonb_build_object('TargetTableName', name)), dynamo.try_call('RestoreTableFromBackup', json_build_object('TargetTableName', name, 'BackupArn', :'one')) ->> 'message'
FROM unnest('{"",ab,a!b,!}'::text[]) name;
SELECT dynamo.try_call('RestoreTableFromBackup', json_build_object('TargetTableName', '', 'BackupArn', 'x')) ->> 'message';
-- what is restored has none of the stream, tags, class and protection, but encryption and throughput
SELECT pg_temp.past('{"UseLatestRestorableTime": true, "SSESpecificationOverride": {"SSEType": "KMS"}}');
SELECT jsonb_object_keys(dynamo.call('DescribeTable', '{"TableName": "CallRestored"}')::jsonb -> 'Table') ORDER BY 1;
SELECT dynamo.drop_table('CallRestored'), dynamo.drop_table('CallRestore');
DO $$DECLARE r regclass; BEGIN FOR r IN SELECT relation FROM dynamo.backups WHERE table_name = 'CallRestore' LOOP EXECUTE 'DROP TABLE ' || r; END LOOP; END$$;
