-- ImportTable: what files may have, and how they may be compressed.
\set VERBOSITY terse
\pset null '~'
\set bucket regress-files
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/bucket.sql
\i :helper
DELETE FROM dynamo_internal.jobs;
CREATE FUNCTION put_file(key text, content text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	o oid := lo_from_bytea(0, convert_to(content, 'UTF8'));
BEGIN
	PERFORM lo_export(o, current_setting('dynamo.bucket_directory') || '/regress-files/' || key);
	PERFORM lo_unlink(o);
END $$;
CREATE PROCEDURE import(name text, prefix text, more jsonb DEFAULT '{}') LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.call('ImportTable', (jsonb_build_object('S3BucketSource', jsonb_build_object('S3Bucket', 'regress-files', 'S3KeyPrefix', prefix),
		'InputFormat', 'DYNAMODB_JSON', 'TableCreationParameters', jsonb_build_object('TableName', name, 'BillingMode', 'PAY_PER_REQUEST',
			'AttributeDefinitions', '[{"AttributeName": "id", "AttributeType": "S"}]'::jsonb, 'KeySchema', '[{"AttributeName": "id", "KeyType": "HASH"}]'::jsonb)) || more)::json);
END $$;
-- How an import has ended, and what of its table there is
CREATE FUNCTION outcome(name text) RETURNS TABLE (outcome text) LANGUAGE plpgsql AS $$
DECLARE
	d json := dynamo.call('DescribeImport', (SELECT json_build_object('ImportArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/' || name || '/import/' || job)
		FROM dynamo.jobs WHERE table_name = name))->'ImportTableDescription';
BEGIN
	RETURN QUERY SELECT concat_ws(' ', d->>'ImportStatus', d->>'FailureCode', 'processed', d->>'ProcessedItemCount', 'imported', d->>'ImportedItemCount', 'errors', d->>'ErrorCount');
	RETURN QUERY SELECT d->>'FailureMessage' WHERE d->>'FailureMessage' IS NOT NULL;
	RETURN QUERY SELECT e->>'File' || ' ' || COALESCE(e->>'Line', '') || ': ' || (e->>'Message') FROM dynamo.jobs, jsonb_array_elements(position::jsonb->'Errors') AS e WHERE table_name = name;
	RETURN QUERY SELECT 'the table is ' || COALESCE(dynamo.try_call('DescribeTable', json_build_object('TableName', name)) #>> '{Table,TableStatus}', 'gone');
	IF EXISTS (SELECT FROM dynamo.tables AS t WHERE t.table_name = name) THEN
		RETURN QUERY SELECT item::text FROM dynamo.scan(name) ORDER BY item->>'id';
	END IF;
END $$;

-- Objects need no lines of their own.
SELECT put_file('line.json', '{"Item":{"id":{"S":"a"}}}{"Item":{"id":{"S":"b}{\"{"}}} {"Item":{"id":{"S":"c\\"}}}' || E'\t\r\n\n'
	|| '{"Item":{"id":{"S":"d"}}}nothing {"Item":{"id":{"S":"lost"}}}' || E'\n{"Item":{"id":{"S":"e"}}}{"Item":{');
CALL import('Line', 'line.json');
CALL dynamo.run_jobs();
SELECT outcome('Line');
-- More of them in a line than a step has records
SELECT put_file('many.json', string_agg(format('{"Item":{"id":{"S":"%s"}}}', i), '')) FROM generate_series(1, 12000) AS i;
CALL import('Many', 'many.json');
CALL dynamo.run_jobs();
SELECT outcome FROM outcome('Many') LIMIT 2;
SELECT count(*), sum((item->>'id')::int) FROM dynamo_data."Many";

-- A file that is not compressed as it should be is one wrong item.
SELECT put_file('plain.json', '{"Item":{"id":{"S":"plain"}}}');
\set gzip 'gzip -c > ' :buckets '/regress-files/plain.json.gz'
COPY (SELECT '{"Item":{"id":{"S":"gzip"}}}') TO PROGRAM :'gzip';
CALL import('Gzip', 'plain', '{"InputCompressionType": "GZIP"}');
CALL import('Zstd', 'plain', '{"InputCompressionType": "ZSTD"}');
CALL import('Empty', 'empty', '{"InputCompressionType": "ZSTD"}');
SELECT put_file('empty', '');
CALL dynamo.run_jobs();
SELECT outcome('Gzip');
SELECT outcome('Zstd');
SELECT outcome('Empty');
-- One that is cut short is damaged: nobody can tell what is missing.
\set gzip 'gzip -c | head -c 15 > ' :buckets '/regress-files/short.json.gz'
COPY (SELECT '{"Item":{"id":{"S":"gzip"}}}') TO PROGRAM :'gzip';
CALL import('Short', 'short', '{"InputCompressionType": "GZIP"}');
CALL dynamo.run_jobs();
SELECT outcome('Short');
-- What a state tells of an error is short.
SELECT put_file('long.json', '{"Item":{"id":{"S":"a"},"n":{"N":"' || repeat('x', 1000000) || '"}}}');
CALL import('Long', 'long.json');
CALL dynamo.run_jobs();
SELECT length(position::text) < 2000 AS short, left(position::jsonb #>> '{Errors,0,Message}', 60) FROM dynamo.jobs WHERE table_name = 'Long';

-- Nothing there, with a bucket that is ours and one that is not
CALL import('Nothing', 'nothing');
CALL import('NotOurs', 'plain', '{"S3BucketSource": {"S3Bucket": "regress-files", "S3KeyPrefix": "plain", "S3BucketOwner": "123456789012"}}');
CALL dynamo.run_jobs();
SELECT outcome('Nothing');
SELECT outcome('NotOurs');
-- A bulk operation asks for the owners of both buckets.
SELECT dynamo.call('StartBulkPutItems', json_build_object('TableName', 'Nothing', 'InputS3Configuration', json_build_object('S3Bucket', 'regress-files', 'S3KeyPrefix', 'line', 'InputFormat', 'DYNAMODB_JSON', 'S3BucketOwner', i),
	'OutputS3Configuration', json_build_object('S3Bucket', 'regress-files', 'OutputType', '["ERROR"]'::json, 'S3BucketOwner', o))) IS NOT NULL AS asked
FROM (VALUES ('123456789012', '000000000000'), ('000000000000', '123456789012')) AS v(i, o);
CALL dynamo.run_jobs();
SELECT status, failure_message FROM dynamo.jobs WHERE kind = 'BULK_PUT';
SELECT count(*) FROM dynamo_data."Nothing";

SELECT dynamo.drop_table(table_name) FROM unnest('{Line,Many,Gzip,Zstd,Empty,Long,Nothing}'::text[]) AS table_name;
DROP FUNCTION put_file, outcome;
DROP PROCEDURE import;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
