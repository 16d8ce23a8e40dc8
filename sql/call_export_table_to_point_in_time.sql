-- ExportTableToPointInTime: shapes, errors and their order, tokens, times; what
-- DescribeExport and ListExports tell of them.
\set VERBOSITY terse
\set bucket regress-api
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/bucket.sql
\i :helper
CREATE FUNCTION shown(text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace($1, '\d{14}-[0-9a-f]{8}', '<id>', 'g'), 'ID: [0-9A-F]{16}', 'ID: <request>'),
		'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z', '<time>', 'g'), '\d{10}\.\d{3}', '<time>', 'g'), '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', '<table id>') $$;
CREATE FUNCTION call(operation text, request jsonb) RETURNS text LANGUAGE sql AS
$$SELECT shown(dynamo.try_call($1, $2::json)::text)$$;
CREATE FUNCTION export(request jsonb) RETURNS text LANGUAGE sql AS
$$SELECT call('ExportTableToPointInTime', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Points", "S3Bucket": "regress-api"}'::jsonb || $1)$$;

SELECT dynamo.create_table('Points', 'id') IS NOT NULL AS made;
UPDATE dynamo.tables SET created_at = created_at - interval '2 days' WHERE table_name = 'Points';
SELECT dynamo.put_item('Points', '{"id": "1"}');

-- What is wrong with the request, whatever the table
SELECT call('ExportTableToPointInTime', '{}');
SELECT call('ExportTableToPointInTime', '{"TableArn": "Points", "S3Bucket": "regress-api"}');
SELECT export('{"S3Bucket": "-no-"}');
SELECT export('{"S3Bucket": "../up"}');
SELECT export('{"S3BucketOwner": "me"}');
SELECT export('{"ClientToken": "a$b"}');
SELECT export('{"ExportFormat": "CSV", "ExportType": "HALF", "S3SseAlgorithm": "ROT13"}');
SELECT export('{"IncrementalExportSpecification": {}}');
SELECT export('{"ExportType": "FULL_EXPORT", "IncrementalExportSpecification": {}}');
SELECT export('{"ExportType": "INCREMENTAL_EXPORT"}');
SELECT export('{"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {}}');
SELECT export('{"S3SseAlgorithm": "AES256", "S3SseKmsKeyId": "k"}');
SELECT export('{"ExportTime": "yesterday"}');
-- The table, then its recovery, before the times and the bucket
SELECT export('{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Nowhere"}');
SELECT export('{"TableArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/Points"}');
SELECT export('{"TableArn": ""}');
SELECT export('{"S3Bucket": "regress-none", "ExportTime": 99999999999}');
-- but a period, whose time has seconds, before recovery
SELECT export('{"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {"ExportFromTime": 1000000000, "ExportToTime": 99999999999}}');

SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "Points", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}') IS NOT NULL AS enabled;
SELECT extract(epoch FROM date_trunc('second', now())) AS now \gset
-- Times
SELECT export('{"ExportTime": 99999999999}');
SELECT export('{"ExportTime": 1000000000}');
SELECT export(jsonb_build_object('ExportType', 'INCREMENTAL_EXPORT', 'IncrementalExportSpecification', spec))
FROM unnest(ARRAY[
	jsonb_build_object('ExportFromTime', :now - 100),
	jsonb_build_object('ExportFromTime', :now - 1000, 'ExportToTime', :now + 100000),
	jsonb_build_object('ExportFromTime', 1000000000),
	jsonb_build_object('ExportFromTime', 1000000000, 'ExportToTime', 99999999999),
	jsonb_build_object('ExportFromTime', :now - 90000),
	jsonb_build_object('ExportFromTime', :now - 1000, 'ExportToTime', :now - 2000),
	jsonb_build_object('ExportFromTime', :now - 3600)]) AS spec;
-- The prefix
SELECT dynamo.try_call('ExportTableToPointInTime', format('{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Points", "S3Bucket": "regress-api", "S3Prefix": "%s"}', prefix)::json)
FROM unnest(ARRAY['../up', 'a\u0000b', 'a\nb', '/', 'a//b']) prefix;

-- A bucket that is not there, not ours, or not for this role is found later
SELECT export('{"S3Bucket": "regress-none", "ClientToken": "none"}');
SELECT export('{"S3BucketOwner": "123456789012", "ClientToken": "owner"}');
CALL dynamo.run_jobs();
SELECT export('{"S3Bucket": "regress-none", "ClientToken": "none"}');
SELECT export('{"S3BucketOwner": "123456789012", "ClientToken": "owner"}');

-- A token stands for its request, done or not
SELECT export('{"ClientToken": "full", "S3Prefix": "p", "S3SseAlgorithm": "KMS", "S3SseKmsKeyId": "key"}');
SELECT export('{"ClientToken": "full", "S3Prefix": "p", "S3SseAlgorithm": "KMS", "S3SseKmsKeyId": "key"}');
SELECT export('{"ClientToken": "full", "S3Prefix": "q", "S3SseAlgorithm": "KMS", "S3SseKmsKeyId": "key"}');
CALL dynamo.run_jobs();
SELECT export('{"ClientToken": "full", "S3Prefix": "p", "S3SseAlgorithm": "KMS", "S3SseKmsKeyId": "key"}');
SELECT export('{"ClientToken": "full", "S3Prefix": "q", "S3SseAlgorithm": "KMS", "S3SseKmsKeyId": "key"}');
-- for eight hours
UPDATE dynamo_internal.jobs SET created_at = created_at - interval '8 hours' WHERE token = 'full';
SELECT export('{"ClientToken": "full", "S3Prefix": "q"}');
SELECT count(*) FROM dynamo.jobs WHERE kind = 'EXPORT' AND table_name = 'Points';

-- A cancelled one has failed
SELECT dynamo.cancel_job(job) FROM dynamo.jobs WHERE status = 'IN_PROGRESS' AND table_name = 'Points';
CALL dynamo.run_jobs();
SELECT call('DescribeExport', jsonb_build_object('ExportArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Points/export/' || job))
FROM dynamo.jobs WHERE status = 'CANCELLED' AND table_name = 'Points';

-- Pages
SELECT call('ListExports', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Points"}');
SELECT dynamo.call('ListExports', '{"MaxResults": 3, "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Points"}')::json->>'NextToken' AS token \gset
SELECT call('ListExports', jsonb_build_object('MaxResults', 3, 'NextToken', :'token', 'TableArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Points'));
-- One is not found by the name of another table
SELECT call('DescribeExport', jsonb_build_object('ExportArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Others/export/' || job))
FROM dynamo.jobs WHERE status = 'CANCELLED' AND table_name = 'Points';
-- nor for a stranger
CREATE ROLE dynamo_test_stranger;
SELECT job FROM dynamo.jobs WHERE status = 'CANCELLED' AND table_name = 'Points' \gset
SET ROLE dynamo_test_stranger;
SELECT dynamo.try_call('DescribeExport', json_build_object('ExportArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Points/export/' || :'job')::text::json)->>'__type' AS answer;
SELECT dynamo.try_call('ListExports', '{}');
RESET ROLE;
DROP ROLE dynamo_test_stranger;

-- Exports of a table that is gone are described, but listed for no other of
-- its name
DROP TABLE dynamo_data."Points";
SELECT call('ListExports', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Points"}');
SELECT dynamo.create_table('Points', 'id') IS NOT NULL AS made;
SELECT call('ListExports', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Points"}');
SELECT count(*) FILTER (WHERE dynamo.try_call('DescribeExport', json_build_object('ExportArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Points/export/' || job))->'ExportDescription'->>'ExportStatus' IN ('COMPLETED', 'FAILED')) = count(*) AS described,
	(SELECT json_array_length(dynamo.call('ListExports', '{}')->'ExportSummaries') > 0) AS listed
FROM dynamo.jobs WHERE kind = 'EXPORT' AND table_name = 'Points';
DROP TABLE dynamo_data."Points";
DROP FUNCTION export, call, shown;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
