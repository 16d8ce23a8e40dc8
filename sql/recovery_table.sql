-- Point-in-time recovery on and off, by the API and by SQL.

CREATE FUNCTION pg_temp.asked(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(dynamo.try_call(operation, request)::text, '\d{10}\.\d{3}', 'TIME', 'g')
$$;
CREATE FUNCTION pg_temp.triggers(name text) RETURNS SETOF name LANGUAGE sql AS $$
	SELECT tgname FROM pg_trigger WHERE tgrelid = dynamo.relation(name) ORDER BY 1
$$;
SELECT dynamo.create_table('Kept', 'pk');

-- 35 days by default; once more changes the days.
SELECT pg_temp.asked('UpdateContinuousBackups', json_build_object('TableName', 'Kept', 'PointInTimeRecoverySpecification', specification))
FROM unnest(ARRAY['{"PointInTimeRecoveryEnabled": true}', '{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 1}',
	'{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 35}', '{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 0}',
	'{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 36}']::json[]) specification;
SELECT pg_temp.asked('DescribeContinuousBackups', '{"TableName": "Kept"}');
SELECT days, earliest <= latest AS in_order FROM dynamo.recovery_window('Kept');
SELECT pg_temp.triggers('Kept');

-- The window begins and ends with points that were marked.
SELECT dynamo.mark_recovery() AS first \gset
SELECT dynamo.put_item('Kept', '{"pk": "1"}');
SELECT dynamo.mark_recovery() AS last \gset
SELECT earliest <= :'first'::timestamptz AS begins, latest >= :'last'::timestamptz AS ends FROM dynamo.recovery_window('Kept');

-- Off, it has no past; on again, not the one it had.
SELECT pg_temp.asked('UpdateContinuousBackups', '{"TableName": "Kept", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": false}}');
SELECT pg_temp.triggers('Kept');
SELECT * FROM dynamo.recovery_window('Kept');
SELECT * FROM dynamo.scan('Kept', as_of => :'last');
SELECT dynamo.disable_recovery('Kept');
SELECT dynamo.enable_recovery('Kept', 3);
SELECT days, earliest > :'last'::timestamptz AS anew FROM dynamo.recovery_window('Kept');
DO $$ BEGIN PERFORM dynamo.scan('Kept', as_of => now() - interval '1 day'); EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%: %', SQLSTATE, regexp_replace(SQLERRM, '''[^'']*''', 'TIME', 'g'); END $$;
DO $$ BEGIN PERFORM dynamo.scan('Kept', as_of => now() + interval '1 day'); EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%: %', SQLSTATE, regexp_replace(SQLERRM, '''[^'']*''', 'TIME', 'g'); END $$;
-- So it is when points have been marked since.
SELECT dynamo.mark_recovery() IS NOT NULL AS marked;
SELECT dynamo.put_item('Kept', '{"pk": "2"}');
SELECT dynamo.mark_recovery() IS NOT NULL AS marked;
DO $$ BEGIN PERFORM dynamo.scan('Kept', as_of => now() - interval '1 day'); EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%: %', SQLSTATE, regexp_replace(SQLERRM, '''[^'']*''', 'TIME', 'g'); END $$;
DO $$ BEGIN PERFORM dynamo.scan('Kept', as_of => now() + interval '1 day'); EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%: %', SQLSTATE, regexp_replace(SQLERRM, '''[^'']*''', 'TIME', 'g'); END $$;
SELECT dynamo.enable_recovery('Kept', 0);
SELECT dynamo.enable_recovery('Nothing');
SELECT dynamo.disable_recovery('Nothing');
SELECT dynamo.recovery_window('Nothing');

-- A stream has the same triggers: they stay as long as one of both does.
SELECT dynamo.enable_stream('Kept') IS NOT NULL AS enabled;
SELECT pg_temp.triggers('Kept');
SELECT dynamo.disable_recovery('Kept');
SELECT pg_temp.triggers('Kept');
SELECT dynamo.enable_recovery('Kept');
SELECT dynamo.disable_stream('Kept');
SELECT pg_temp.triggers('Kept');

-- It is no mere relation, and has no heirs.
SELECT dynamo.detach_table('Kept');
CREATE TABLE dynamo_data.heir () INHERITS (dynamo_data."Kept");
SELECT dynamo.put_item('Kept', '{"pk": "1"}');
DROP TABLE dynamo_data.heir;

-- Other roles: the owner alone switches it, who may use the table sees the window.
CREATE ROLE dynamo_test_guest;
SET ROLE dynamo_test_guest;
SELECT dynamo.disable_recovery('Kept');
SELECT dynamo.enable_recovery('Kept', 1);
SELECT dynamo.recovery_window('Kept');
SELECT dynamo.mark_recovery();
SELECT dynamo.trim_recovery();
SELECT count(*) FROM dynamo_internal.recovery;
RESET ROLE;
DROP ROLE dynamo_test_guest;

-- DROP TABLE takes all along.
SELECT relation, days FROM dynamo_internal.recovery;
DROP TABLE dynamo_data."Kept";
SELECT relation, days FROM dynamo_internal.recovery;
SELECT count(*) FROM dynamo_internal.recovery_windows WHERE recovery_id <> 0;
