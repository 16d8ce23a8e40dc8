--
-- Restores of the past: which table is meant, what DeleteTable leaves, errors.
-- What a moment holds is tested elsewhere.
--
\a
\t on
CREATE FUNCTION pg_temp.asked(request jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(dynamo.try_call('RestoreTableToPointInTime', ('{"TargetTableName": "PastTo"}'::jsonb || request)::json)::text,
		'com[.a-zA-Z0-9]*#', '', 'g'), '.*("TableStatus":"CREATING").*', '\1'), '''[0-9-]+T[0-9:]+Z''', '''TIME''', 'g') $$;
CREATE FUNCTION pg_temp.arn(name text) RETURNS text LANGUAGE sql AS
$$SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/backup/' || backup_id FROM dynamo.backups WHERE backup_name = name$$;
SELECT dynamo.create_table('PastFrom', 'pk', 'sk N');
SELECT dynamo.create_index('PastFrom', 'ByG', 'g');
SELECT dynamo.enable_ttl('PastFrom', 'until');
SELECT dynamo.enable_stream('PastFrom') IS NOT NULL AS streamed;

-- The order of errors: shape, recovery, time, target.
SELECT pg_temp.asked(r) FROM unnest(ARRAY['{"TargetTableName": "ab", "SourceTableName": "PastFrom"}', '{}',
	'{"SourceTableName": "NoSuchTable", "UseLatestRestorableTime": true}', '{"SourceTableArn": "PastFrom"}', '{"SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/NoSuchTable", "UseLatestRestorableTime": true}',
	'{"SourceTableName": "PastFrom", "SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/PastFrom"}',
	'{"SourceTableName": "PastFrom", "TargetTableName": "PastFrom", "UseLatestRestorableTime": true}']::jsonb[]) r;
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "PastFrom", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL AS enabled;
SELECT dynamo.put_item('PastFrom', jsonb_build_object('pk', 'a', 'sk', i, 'g', 'g' || i % 2)) IS NULL AS put FROM generate_series(1, 4) i;
SELECT pg_temp.asked('{"SourceTableName": "PastFrom"}'::jsonb || r) FROM unnest(ARRAY['{}', '{"UseLatestRestorableTime": false}',
	'{"UseLatestRestorableTime": true, "RestoreDateTime": 1}', '{"RestoreDateTime": 1}', '{"RestoreDateTime": 9999999999}', '{"RestoreDateTime": 1, "TargetTableName": "PastFrom"}',
	'{"UseLatestRestorableTime": true, "TargetTableName": "PastFrom"}', '{"UseLatestRestorableTime": true, "BillingModeOverride": "PROVISIONED"}',
	'{"RestoreDateTime": "x"}']::jsonb[]) r;

-- The present, by the name and by the ARN.
SELECT pg_temp.asked('{"SourceTableName": "PastFrom", "UseLatestRestorableTime": true}');
SELECT pg_temp.asked('{"TargetTableName": "PastArn", "UseLatestRestorableTime": true, "SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/PastFrom", "GlobalSecondaryIndexOverride": []}');
SELECT table_name, count(*) FROM (SELECT 'PastTo' AS table_name FROM dynamo.scan('PastTo') UNION ALL SELECT 'PastArn' FROM dynamo.scan('PastArn')) t GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM dynamo.query('PastTo', 'g = :g', '{":g": "g1"}', index_name => 'ByG');
SELECT table_name, index_name FROM dynamo.indexes WHERE table_name LIKE 'Past%' ORDER BY 1;
SELECT table_name, ttl_attribute FROM dynamo.tables WHERE table_name LIKE 'Past%' ORDER BY 1;
SELECT dynamo.drop_table('PastTo'), dynamo.drop_table('PastArn');

-- A table without recovery leaves nothing; one that has it leaves a backup, in
-- its old relation, for 35 days.
SELECT count(*) FROM dynamo.backups;
SELECT dynamo.relation('PastFrom')::oid AS relation \gset
BEGIN;
SELECT dynamo.drop_table('PastFrom');
SELECT count(*) FROM dynamo.backups;
ROLLBACK;
SELECT count(*) FROM dynamo.scan('PastFrom');
-- Who depends on it keeps it, as DROP TABLE would.
CREATE VIEW past_view AS SELECT * FROM dynamo_data."PastFrom";
\set VERBOSITY terse
SELECT dynamo.drop_table('PastFrom');
DROP VIEW past_view;
SELECT dynamo.drop_table('PastFrom');
SELECT set_config('past.dropped', clock_timestamp()::text, false) IS NOT NULL AS dropped;
SELECT backup_name, backup_type, table_name, expires_at - created_at, relation::oid = :relation AS same, relation = ('dynamo_backup."' || backup_id || '"')::regclass AS named FROM dynamo.backups;
SELECT count(*) FROM pg_index WHERE indrelid = :relation;
SELECT count(*) FROM pg_trigger WHERE tgrelid = :relation;
SELECT jsonb_array_length(dynamo.call('ListBackups', '{}')::jsonb->'BackupSummaries'), jsonb_array_length(dynamo.call('ListBackups', '{"BackupType": "SYSTEM"}')::jsonb->'BackupSummaries');
SELECT regexp_replace(dynamo.try_call('DeleteBackup', json_build_object('BackupArn', pg_temp.arn('PastFrom$DeletedTableBackup')))::text, '[0-9]{14}-[0-9a-f]{8}|[0-9-]+T[0-9:]+Z', 'X', 'g');

-- It is restored like any, and the past of the table is still there.
SELECT dynamo.restore_table('PastTo', backup_arn => pg_temp.arn('PastFrom$DeletedTableBackup'));
SELECT dynamo.restore_table('PastToo', 'PastFrom');
SELECT (SELECT count(*) FROM dynamo.scan('PastTo')), (SELECT count(*) FROM dynamo.query('PastToo', 'g = :g', '{":g": "g1"}', index_name => 'ByG'));
SELECT pg_temp.asked('{"SourceTableName": "PastFrom", "TargetTableName": "PastLate", "RestoreDateTime": 9999999999}');
-- There is none after its end: it does not go on with the database.
DO $$ BEGIN PERFORM dynamo.restore_table('PastLate', 'PastFrom', clock_timestamp()); EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%, latest at its end: %', SQLSTATE, (SELECT substring(SQLERRM FROM 'LatestRestorableDateTime ''([^'']*)''')::timestamptz <= current_setting('past.dropped')::timestamptz); END $$;
SELECT dynamo.call('DescribeTable', '{"TableName": "PastFrom"}');
-- A new table of that name hides it; its backup stays.
SELECT dynamo.create_table('PastFrom', 'id');
SELECT pg_temp.asked('{"SourceTableName": "PastFrom", "TargetTableName": "PastLate", "UseLatestRestorableTime": true}');
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "PastFrom", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL AS enabled;
SELECT dynamo.drop_table('PastFrom');
SELECT count(*), count(DISTINCT table_id) FROM dynamo.backups WHERE table_name = 'PastFrom';
-- Of two that had the name, the last is meant.
SELECT dynamo.restore_table('PastLate', 'PastFrom');
SELECT partition_key, sort_key FROM dynamo.tables WHERE table_name = 'PastLate';
-- Its window has ended with it, a second ago or more.
SELECT pg_sleep(1.1) IS NOT NULL;
SELECT substring(coalesce(answer ->> 'message', answer ->> 'Message'), 'LatestRestorableDateTime ''([^'']+)''')::timestamptz = date_trunc('second', (SELECT max(ended_at) FROM dynamo_internal.recovery))
FROM dynamo.try_call('RestoreTableToPointInTime', '{"SourceTableName": "PastFrom", "TargetTableName": "PastBad", "RestoreDateTime": 9999999999}') answer;

-- The functions: either a table, with a time or without, or a backup.
SELECT dynamo.restore_table('PastBad');
SELECT dynamo.restore_table('PastBad', 'PastFrom', backup_arn => 'x');
SELECT dynamo.restore_table('PastBad', as_of => now(), backup_arn => 'x');
SELECT dynamo.restore_table('PastBad', 'PastFrom', 'infinity');
SELECT dynamo.restore_table(NULL, 'PastFrom');
SELECT dynamo.create_backup('PastTo', NULL);
SELECT dynamo.create_backup(NULL, 'name');
SELECT dynamo.create_backup('PastTo', 'by SQL');
SELECT dynamo.create_backup('PastTo', 'by_SQL') = pg_temp.arn('by_SQL');
SELECT dynamo.delete_backup(pg_temp.arn('by_SQL'));
SELECT dynamo.delete_backup(NULL);
SELECT dynamo.delete_backup('x');
SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name LIKE 'Past%';
-- Dropped by hand, the past goes, too.
DO $$DECLARE r regclass; BEGIN FOR r IN SELECT relation FROM dynamo.backups LOOP EXECUTE 'DROP TABLE ' || r; END LOOP; END$$;
SELECT pg_temp.asked('{"SourceTableName": "PastFrom", "UseLatestRestorableTime": true}');
