-- StartBulkPutItems and the SQL functions that load items, and what
-- DescribeBulkOperation, ListBulkOperations and CancelBulkOperation tell of them.
\set VERBOSITY terse
\pset null '~'
CREATE TEMPORARY TABLE made (buckets text);
COPY made FROM PROGRAM 'd=$(mktemp -d) && mkdir -p $d/regress-bulk $d/regress-reports && echo $d';
SELECT buckets FROM made \gset
LOAD 'dynamo';
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
SET client_min_messages = error;
DELETE FROM dynamo_internal.jobs;
CREATE FUNCTION put_file(key text, content text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	o oid := lo_from_bytea(0, convert_to(content, 'UTF8'));
BEGIN
	PERFORM lo_export(o, current_setting('dynamo.bucket_directory') || '/regress-bulk/' || key);
	PERFORM lo_unlink(o);
END $$;
CREATE FUNCTION request(table_name text, prefix text, more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS $$
SELECT (jsonb_build_object('TableName', table_name,
	'InputS3Configuration', jsonb_build_object('S3Bucket', 'regress-bulk', 'S3KeyPrefix', prefix, 'InputFormat', 'DYNAMODB_JSON'),
	'OutputS3Configuration', jsonb_build_object('S3Bucket', 'regress-reports', 'S3KeyPrefix', 'reports', 'OutputType', '["ERROR", "CONDITION_CHECK_FAILURE"]'::jsonb)) || more)::json $$;
CREATE FUNCTION shown(answer json) RETURNS text LANGUAGE sql AS $$
SELECT regexp_replace(regexp_replace(regexp_replace(answer::text, '\d{14}-[0-9a-f]{8}', 'ID', 'g'),
	'"TableId":"[^"]*"', '"TableId":"UUID"', 'g'), 'Time":[0-9.]+', 'Time":T', 'g') $$;
CREATE FUNCTION arn(name text) RETURNS text LANGUAGE sql AS $$
SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/bulk-operation/' || job
FROM dynamo.jobs WHERE table_name = name ORDER BY job DESC LIMIT 1 $$;
CREATE FUNCTION described(name text) RETURNS text LANGUAGE sql AS $$
SELECT shown(dynamo.call('DescribeBulkOperation', json_build_object('BulkOperationArn', arn(name)))) $$;

-- Wrong requests
SELECT dynamo.create_table('Shop', 'id') IS NOT NULL;
SELECT dynamo.try_call('StartBulkPutItems', '{}');
SELECT dynamo.try_call('StartBulkPutItems', request('Shop', '', '{"TableName": null}'));
SELECT dynamo.try_call('StartBulkPutItems', request('Shop', '', '{"MaxWriteRequestUnits": 1023, "PerformanceTier": "FAST"}'));
SELECT dynamo.try_call('StartBulkPutItems', request('Shop', '', '{"InputS3Configuration": {"S3Bucket": "b", "InputFormat": "CSV"}}'));
SELECT dynamo.try_call('StartBulkPutItems', request('Shop', '', '{"ClientToken": "", "OutputS3Configuration": {"S3Bucket": "b", "S3BucketOwner": "12345678901", "OutputType": ["ERROR"]}}'));
SELECT dynamo.try_call('StartBulkPutItems', request('None', ''));
SELECT dynamo.call('ListBulkOperations', '{}');

-- Over what is there, with conditions, and what is wrong or refused reported
SELECT dynamo.put_item('Shop', '{"id": "1", "v": 1}'), dynamo.put_item('Shop', '{"id": "2", "v": 1}');
SELECT put_file('a.json', $$
{"Item":{"id":{"S":"1"},"v":{"N":"2"}}}
{"Item":{"id":{"S":"2"},"v":{"N":"2"}},"ConditionExpression":"attribute_not_exists(id)"}
{"Item":{"id":{"S":"3"},"v":{"N":"2"}},"ConditionExpression":"attribute_not_exists(#i)","ExpressionAttributeNames":{"#i":"id"}}
{"Item":{"id":{"S":"3"},"v":{"N":"3"}},"ConditionExpression":"v = :v","ExpressionAttributeValues":{":v":{"N":"2"}}}
{"Item":{"id":{"S":"4"}},"ConditionExpression":"v = :w","ExpressionAttributeValues":{":v":{"N":"2"}}}
{"Item":{"id":{"S":"4"}},"ConditionExpression":"v = ","Other":1}
{"Item":{"id":{"N":"4"}}}
{"Item":{"id":{"S":"4"}},"ConditionExpression":"attribute_not_exists(id)","ExpressionAttributeNames":{"#i":"id"}}
none
$$);
SELECT shown(dynamo.call('StartBulkPutItems', request('Shop', '', '{"ClientToken": "t", "MaxWriteRequestUnits": 5000}')));
SELECT dynamo.call('StartBulkPutItems', request('Shop', '', '{"ClientToken": "t", "MaxWriteRequestUnits": 5000}')) #>> '{BulkOperationDescription,BulkOperationArn}' = arn('Shop');
SELECT dynamo.try_call('StartBulkPutItems', request('Shop', '', '{"ClientToken": "t"}'));
CALL dynamo.run_jobs();
SELECT described('Shop');
SELECT item FROM dynamo.scan('Shop') ORDER BY item->>'id';
SELECT job FROM dynamo.jobs WHERE table_name = 'Shop' \gset
\set report :buckets '/regress-reports/reports/AWSDynamoDB/' :job '/error/00000000.json'
SELECT * FROM regexp_split_to_table(rtrim(pg_read_file(:'report'), E'\n'), E'\n');
\set report :buckets '/regress-reports/reports/AWSDynamoDB/' :job '/condition-check-failure/00000000.json'
SELECT * FROM regexp_split_to_table(rtrim(pg_read_file(:'report'), E'\n'), E'\n');
SELECT shown(dynamo.call('ListBulkOperations', '{}'));
SELECT shown(dynamo.call('CancelBulkOperation', json_build_object('BulkOperationArn', arn('Shop'))));

-- A prefix with a NUL names no file; a token finds its operation.
SELECT count(DISTINCT answer #>> '{BulkOperationDescription,BulkOperationArn}'), min(answer #>> '{BulkOperationDescription,InputS3Configuration}')
FROM generate_series(1, 2), replace(request('Shop', 'a@b', '{"ClientToken": "nul"}')::text, '@', '\u0000') request, dynamo.call('StartBulkPutItems', request::json) answer;
CALL dynamo.run_jobs();
SELECT status, failure_code FROM dynamo.jobs WHERE created_at = (SELECT max(created_at) FROM dynamo.jobs);

-- What a table refuses by itself is found item by item.
SELECT dynamo.create_table('Checked', 'id') IS NOT NULL;
ALTER TABLE dynamo_data."Checked" ADD CHECK (item->>'v' <> '3');
SELECT put_file('b.json', (SELECT string_agg(format('{"Item":{"id":{"S":"%s"},"v":{"S":"%s"}}}', i, i), E'\n') FROM generate_series(1, 5) i));
SELECT dynamo.bulk_put_items('Checked', 'regress-bulk', 'b.json') IS NOT NULL;
CALL dynamo.run_jobs();
SELECT status, position ->> 'Taken' AS taken, position -> 'Errors' AS errors FROM dynamo.jobs WHERE table_name = 'Checked';

-- Items are written in the order in which transactions take theirs, whatever
-- their order in the file, those of one key in that order, so that a bulk
-- operation and a transaction cannot wait for each other.
SELECT dynamo.create_table('Ordered', 'id') IS NOT NULL;
CREATE TABLE written (n serial, id text, v text);
CREATE FUNCTION note_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.written (id, v) VALUES (NEW.item->>'id', NEW.item->>'v');
	RETURN NEW;
END $$;
CREATE TRIGGER note_row AFTER INSERT OR UPDATE ON dynamo_data."Ordered" FOR EACH ROW EXECUTE FUNCTION note_row();
SELECT put_file('o.json', (SELECT string_agg(format('{"Item":{"id":{"S":"%s"},"v":{"S":"%s"}}}', md5((i / 2)::text), i), E'\n') FROM generate_series(1, 41) i));
SELECT dynamo.bulk_put_items('Ordered', 'regress-bulk', 'o.json') IS NOT NULL;
CALL dynamo.run_jobs();
SELECT count(*), array_agg(w.v ORDER BY n) = array_agg(w.v ORDER BY o.pk, w.v::int) AS in_order, bool_and(o.item->>'v' >= w.v) AS last_wins
FROM written w JOIN dynamo_data."Ordered" o ON o.item->>'id' = w.id;
DROP FUNCTION note_row CASCADE;
DROP TABLE written;
-- and its progress is shown no more
SELECT count(*) FROM pg_stat_progress_copy WHERE pid = pg_backend_pid();

-- A cancel, a time limit or a lack of memory is no fault of the record that was
-- being read: it was reported as such, for good.  Twelve records, whose values
-- take most of the time, and time for one or two of them.
SELECT put_file('slow1.json', r || E'\n'), put_file('slow12.json', repeat(r || E'\n', 12))
FROM (SELECT '{"Item":{"id":{"S":"1"}},"ConditionExpression":"v = :v","ExpressionAttributeValues":{":v":{"NS":['
	|| string_agg('"' || i || '.5"', ',' ORDER BY md5(i::text)) || ']}}}' AS r FROM generate_series(100000, 200000) i) r;
SELECT dynamo.bulk_put_items('Shop', 'regress-bulk', 'slow1.json') IS NOT NULL;
SELECT clock_timestamp() AS began \gset
CALL dynamo.run_jobs();
SELECT ceil(extract(milliseconds FROM took) * 1.25) AS first, ceil(extract(milliseconds FROM took) * 2) AS second
FROM (SELECT clock_timestamp() - :'began' AS took) t \gset
SELECT dynamo.bulk_put_items('Shop', 'regress-bulk', 'slow12.json') AS slow \gset
SET statement_timeout = :first;
CALL dynamo.run_jobs();
SET statement_timeout = :second;
CALL dynamo.run_jobs();
RESET statement_timeout;
SELECT status, position::text ~ 'cancel' AS reported FROM dynamo.jobs WHERE job = right(:'slow', 23);
SELECT dynamo.cancel_job(:'slow');
CALL dynamo.run_jobs();
-- So it is while one record is put after the other, because one of them failed.
SELECT dynamo.create_table('Stopped', 'id') IS NOT NULL;
CREATE SEQUENCE failed;
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF new.item->>'id' = 'bad' THEN
		PERFORM nextval('public.failed');
		RAISE 'a bad record';
	ELSIF new.item->>'id' = 'stop' AND pg_sequence_last_value('public.failed') IS NOT NULL THEN
		RAISE 'stopped' USING ERRCODE = 'query_canceled';
	END IF;
	RETURN new;
END $$;
CREATE TRIGGER stop BEFORE INSERT ON dynamo_data."Stopped" FOR EACH ROW EXECUTE FUNCTION stop();
SELECT put_file('stop-b.json', string_agg(format('{"Item":{"id":{"S":"%s"}}}', CASE i WHEN 5001 THEN 'bad' WHEN 5002 THEN 'stop' ELSE i::text END), E'\n' ORDER BY i))
FROM generate_series(1, 5002) i;
SELECT dynamo.bulk_put_items('Stopped', 'regress-bulk', 'stop-') AS stopped \gset
CALL dynamo.run_jobs();
SELECT status, position->'Taken' AS taken FROM dynamo.jobs WHERE job = right(:'stopped', 23);
SELECT position->'TotalBytes' AS total FROM dynamo.jobs WHERE job = right(:'stopped', 23) \gset
DROP TRIGGER stop ON dynamo_data."Stopped";
-- A process that goes on with it counts no file that came later.
SELECT put_file('stop-a.json', '{"Item":{"id":{"S":"late"}}}');
\c -
SET client_min_messages = error;
CALL dynamo.run_jobs();
SELECT status, position->'Taken' AS taken, position->>'TotalBytes' = :'total' AS same FROM dynamo.jobs WHERE job = right(:'stopped', 23);
DROP FUNCTION stop CASCADE;
DROP SEQUENCE failed;

-- A job that is cancelled while a step is done goes no further than that.
CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.cancel_job(job) FROM dynamo.jobs WHERE table_name = 'Stopped' AND status = 'IN_PROGRESS';
	RETURN new;
END $$;
CREATE TRIGGER cancel BEFORE INSERT OR UPDATE ON dynamo_data."Stopped" FOR EACH ROW WHEN (new.item->>'id' = '7') EXECUTE FUNCTION cancel();
SELECT dynamo.bulk_put_items('Stopped', 'regress-bulk', 'stop-b') AS cancelled \gset
CALL dynamo.run_jobs();
SELECT status, position->'Taken' AS taken FROM dynamo.jobs WHERE job = right(:'cancelled', 23);
DROP FUNCTION cancel CASCADE;
SELECT dynamo.drop_table('Stopped');

-- A report that cannot have its name leaves nothing of what was written of it.
SELECT right(dynamo.call('StartBulkPutItems', request('Checked', 'b.json')) #>> '{BulkOperationDescription,BulkOperationArn}', 23) AS job \gset
\set folder :buckets '/regress-reports/reports/AWSDynamoDB/' :job '/error'
\set mkdir 'cat > /dev/null; mkdir -p ' :folder '/00000000.json'
COPY (SELECT 1) TO PROGRAM :'mkdir';
CALL dynamo.run_jobs();
SELECT status, regexp_replace(failure_message, :'job', '<job>') FROM dynamo.jobs WHERE job = :'job';
SELECT * FROM pg_ls_dir(:'folder');

-- Nothing of a job that has ended stays open.
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'dynamo transfer';

-- A file that was cut short is reported as such; the others are taken.
SELECT dynamo.create_table('Short', 'id') IS NOT NULL;
\set gzip 'gzip -c | head -c 60 > ' :buckets '/regress-bulk/e1.json.gz'
COPY (SELECT format('{"Item":{"id":{"S":"%s"}}}', md5(i::text)) FROM generate_series(1, 100) i) TO PROGRAM :'gzip';
\set gzip 'gzip -c > ' :buckets '/regress-bulk/e2.json.gz'
COPY (SELECT '{"Item":{"id":{"S":"last"}}}') TO PROGRAM :'gzip';
SELECT dynamo.bulk_put_items('Short', 'regress-bulk', 'e', input_compression => 'GZIP') IS NOT NULL;
CALL dynamo.run_jobs();
SELECT status, position ->> 'Failed' AS failed, (SELECT e ->> 'File' FROM json_array_elements(position -> 'Errors') e ORDER BY e ->> 'Line' NULLS FIRST LIMIT 1) AS file,
	(SELECT e ->> 'Code' FROM json_array_elements(position -> 'Errors') e WHERE e ->> 'Line' IS NULL) AS code
FROM dynamo.jobs WHERE table_name = 'Short';
SELECT item FROM dynamo_data."Short" WHERE item->>'id' = 'last';

-- What may pass by itself is tried again, but not for ever.
SELECT dynamo.create_table('Busy', 'id') IS NOT NULL;
CREATE SEQUENCE attempts;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'attempt %', nextval('public.attempts') USING ERRCODE = 'serialization_failure';
END $$;
CREATE TRIGGER refuse BEFORE INSERT ON dynamo_data."Busy" FOR EACH ROW EXECUTE FUNCTION refuse();
SELECT dynamo.bulk_put_items('Busy', 'regress-bulk', 'b.json') IS NOT NULL;
CALL dynamo.run_jobs();
SELECT status, failure_code, failure_message, position FROM dynamo.jobs WHERE table_name = 'Busy';
DROP FUNCTION refuse CASCADE;
DROP SEQUENCE attempts;

-- Cancelled, and without its table
BEGIN;
SELECT dynamo.bulk_put_items('Shop', 'regress-bulk', 'b.json') IS NOT NULL;
SELECT dynamo.call('CancelBulkOperation', json_build_object('BulkOperationArn', arn('Shop'))) ->> 'BulkOperationStatus';
SELECT dynamo.bulk_put_items('Checked', 'regress-bulk', 'b.json') IS NOT NULL;
SELECT dynamo.drop_table('Checked');
COMMIT;
CALL dynamo.run_jobs();
SELECT table_name, status, failure_code FROM dynamo.jobs WHERE created_at = (SELECT max(created_at) FROM dynamo.jobs j WHERE j.table_name = jobs.table_name) ORDER BY 1;

-- Who may not write the table may not load it.
CREATE ROLE regress_reader;
GRANT SELECT ON dynamo_data."Shop" TO regress_reader;
SET ROLE regress_reader;
SELECT dynamo.bulk_put_items('Shop', 'regress-bulk', 'b.json');
SELECT dynamo.call('ListBulkOperations', '{}');
RESET ROLE;
REVOKE ALL ON dynamo_data."Shop" FROM regress_reader;
DROP ROLE regress_reader;

-- Imports by SQL
SELECT put_file('c.csv', E'x|1|a\nx|2|b\n');
SELECT dynamo.import_table('Sorted', 'regress-bulk', 'h', 'r', 'S', 'N', prefix => 'c.csv', input_format => 'CSV', delimiter => '|', header => '{h,r,v}') ~ ':table/Sorted/import/\d{14}-[0-9a-f]{8}$';
CALL dynamo.run_jobs();
SELECT item FROM dynamo.query('Sorted', 'h = :h', '{":h": "x"}');
SELECT dynamo.import_table('Sorted', 'regress-bulk', 'h');
SELECT dynamo.import_table('Other', 'regress-bulk', NULL);
SELECT dynamo.import_table('Other', 'regress-bulk', 'h', input_format => 'XML');
SELECT dynamo.import_table('Other', 'regress-bulk', 'h', input_format => 'CSV', header => '{a,NULL}');
SELECT dynamo.bulk_put_items('Shop', NULL);
SELECT dynamo.bulk_put_items('Shop', 'regress-bulk', input_format => 'CSV');

SELECT dynamo.drop_table(table_name) FROM dynamo.tables;
DELETE FROM dynamo_internal.jobs;
DROP FUNCTION put_file, request, shown, arn, described;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
