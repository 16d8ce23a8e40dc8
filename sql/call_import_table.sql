-- ImportTable: what may be asked, and what comes of it, as DescribeImport and
-- ListImports tell.  dynamo.run_jobs() does the work in this session.
\set VERBOSITY terse
\pset null '~'
\set bucket regress-import
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/bucket.sql
\i :helper
DELETE FROM dynamo_internal.jobs;
CREATE FUNCTION put_file(key text, content text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	o oid := lo_from_bytea(0, convert_to(content, 'UTF8'));
BEGIN
	PERFORM lo_export(o, current_setting('dynamo.bucket_directory') || '/regress-import/' || key);
	PERFORM lo_unlink(o);
END $$;
-- A request, from its parts
CREATE FUNCTION request(table_name text, prefix text, more jsonb DEFAULT '{}', table_more jsonb DEFAULT '{}') RETURNS json LANGUAGE sql AS $$
SELECT (jsonb_build_object('S3BucketSource', jsonb_build_object('S3Bucket', 'regress-import', 'S3KeyPrefix', prefix),
	'InputFormat', 'DYNAMODB_JSON',
	'TableCreationParameters', jsonb_build_object('TableName', table_name, 'BillingMode', 'PAY_PER_REQUEST',
		'AttributeDefinitions', '[{"AttributeName": "id", "AttributeType": "S"}]'::jsonb,
		'KeySchema', '[{"AttributeName": "id", "KeyType": "HASH"}]'::jsonb) || table_more) || more)::json $$;
-- An answer without what is different each time
CREATE FUNCTION shown(answer json) RETURNS text LANGUAGE sql AS $$
SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(answer::text, '\d{14}-[0-9a-f]{8}', 'ID', 'g'),
	'"TableId":"[^"]*"', '"TableId":"UUID"', 'g'), 'Time":[0-9.]+', 'Time":T', 'g'), 'Request ID: [0-9A-F]{16}', 'Request ID: X') $$;
CREATE FUNCTION arn(name text) RETURNS text LANGUAGE sql AS $$
SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/import/' || job
FROM dynamo.jobs WHERE table_name = name ORDER BY job DESC LIMIT 1 $$;
CREATE FUNCTION described(name text) RETURNS text LANGUAGE sql AS $$
SELECT shown(dynamo.call('DescribeImport', json_build_object('ImportArn', arn(name)))) $$;

-- Wrong requests
SELECT dynamo.try_call('ImportTable', '{}');
SELECT dynamo.try_call('ImportTable', request('T', 'a', '{"InputFormat": "XML", "InputCompressionType": "LZ4"}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', '{"InputFormatOptions": {"Csv": {"Delimiter": ","}}}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', '{"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": "x"}}}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', '{"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ",,", "HeaderList": []}}}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', '{"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ";;"}}}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', '{"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ""}}}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', '{"ClientToken": "a$b", "S3BucketSource": {"S3Bucket": "b", "S3BucketOwner": "me"}}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', table_more => '{"BillingMode": "PROVISIONED"}'));
SELECT dynamo.try_call('ImportTable', request('Imp', 'a', table_more => '{"KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}]}'));

-- No bucket: the table goes again.  Nothing in it: the table is empty.
SELECT shown(dynamo.call('ImportTable', request('NoBucket', 'a', '{"S3BucketSource": {"S3Bucket": "not-there"}}')));
SELECT shown(dynamo.call('ImportTable', request('NoKey', 'a')));
CALL dynamo.run_jobs();
SELECT described('NoBucket');
SELECT described('NoKey');
SELECT table_name, dynamo.call('DescribeTable', json_build_object('TableName', table_name)) #>> '{Table,TableStatus}' AS status FROM dynamo.tables;
DROP TABLE dynamo_data."NoKey";

-- One that works.  Until it has ended its table is CREATING, and of no use.
SELECT put_file('a.json', $$
{"Item":{"id":{"S":"1"},"n":{"N":"1.50"},"b":{"B":"AAEC"},"l":{"L":[{"BOOL":true},{"NULL":true}]},"s":{"SS":["x","y"]}}}
{"Item":{"id":{"S":"2"}}}
$$);
SELECT put_file('b.json', '{"Item":{"id":{"S":"2"},"again":{"BOOL":true}}}');
BEGIN;
SELECT shown(dynamo.call('ImportTable', request('Imp', '', '{"ClientToken": "t1"}',
	'{"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
	"GlobalSecondaryIndexes": [{"IndexName": "ByN", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}')));
SELECT dynamo.call('DescribeTable', '{"TableName": "Imp"}') #>> '{Table,TableStatus}';
SELECT dynamo.try_call('GetItem', '{"TableName": "Imp", "Key": {"id": {"S": "1"}}}');
SELECT dynamo.try_call('PutItem', '{"TableName": "Imp", "Item": {"id": {"S": "1"}}}');
SELECT dynamo.try_call('Scan', '{"TableName": "Imp"}');
SELECT dynamo.try_call('DeleteTable', '{"TableName": "Imp"}');
SELECT dynamo.try_call('UpdateTable', '{"TableName": "Imp", "DeletionProtectionEnabled": true}');
SELECT dynamo.try_call('UpdateTimeToLive', '{"TableName": "Imp", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "t"}}');
SELECT dynamo.try_call('CreateBackup', '{"TableName": "Imp", "BackupName": "half"}');
SELECT dynamo.try_call('UpdateContinuousBackups', '{"TableName": "Imp", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}');
SAVEPOINT before;
SELECT dynamo.export_table('Imp', 'regress-import');
ROLLBACK TO before;
SELECT dynamo.try_call('ImportTable', request('Imp', ''));
COMMIT;
CALL dynamo.run_jobs();
SELECT described('Imp');
SELECT dynamo.call('DescribeTable', '{"TableName": "Imp"}') #>> '{Table,TableStatus}';
SELECT item FROM dynamo.scan('Imp') ORDER BY item->>'id';
SELECT item FROM dynamo.query('Imp', 'n = :n', '{":n": 1.5}', 'ByN');

-- The same token: the same import, if that is of the same table.
SELECT arn('Imp') AS arn \gset
SELECT dynamo.call('ImportTable', request('Imp', '', '{"ClientToken": "t1"}',
	'{"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
	"GlobalSecondaryIndexes": [{"IndexName": "ByN", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}'))
	#>> '{ImportTableDescription,ImportArn}' = :'arn';
SELECT dynamo.call('ImportTable', request('Imp', 'another/prefix', '{"ClientToken": "t1"}')) #>> '{ImportTableDescription,ImportArn}' = :'arn';
SELECT dynamo.try_call('ImportTable', request('Other', '', '{"ClientToken": "t1"}'));
SELECT dynamo.try_call('ImportTable', request('Imp', ''));

-- A prefix with a NUL, which jsonb does not take, names no file, and so does one with
-- a backslash, be there u0000 behind it.  A header with a NUL is malformed.
SELECT dynamo.call('ImportTable', replace(request(name, prefix)::text, '@', '\u0000')::json) IS NOT NULL FROM (VALUES ('Nul', 'a@b'), ('Slash', 'a\u0000')) v(name, prefix);
CALL dynamo.run_jobs();
SELECT described(name) FROM unnest('{Nul,Slash}'::text[]) name;
SELECT dynamo.try_call('ImportTable', replace(request('Nul', 'a', '{"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"HeaderList": ["id", "a@b"]}}}')::text, '@', '\u0000')::json);

-- Wrong items: the others are there, and the first errors are told.
SELECT put_file('wrong.json', $$
{"Item":{"id":{"S":"1"}}}
{"Item":{"id":{"N":"2"}}}
{"Item":{"other":{"S":"3"}}}
{"Item":{"id":{"S":""}}}
{"Item":{"id":{"S":"5"}}
no JSON
{"Item":{"id":{"S":"6"},"big":{"S":"$$ || repeat('x', 409600) || $$"}}}
{"Item":{"id":{"S":"7"}}}
$$);
SELECT dynamo.call('ImportTable', request('Wrong', 'wrong')) IS NOT NULL;
CALL dynamo.run_jobs();
SELECT described('Wrong');
SELECT e FROM dynamo.jobs, json_array_elements(position -> 'Errors') e WHERE table_name = 'Wrong';
SELECT item FROM dynamo.scan('Wrong') ORDER BY item->>'id';

-- CSV: keys have the type of the schema, others are strings.
SELECT put_file('c.csv', E'id;n;"a ""b"""\n1;2;x\n2;;\n3;no;y\n');
SELECT dynamo.call('ImportTable', request('Csv', 'c.csv', '{"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ";"}}}',
	'{"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
	"GlobalSecondaryIndexes": [{"IndexName": "ByN", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}'))
	#> '{ImportTableDescription,InputFormatOptions}';
CALL dynamo.run_jobs();
SELECT item FROM dynamo.scan('Csv') ORDER BY item->>'id';
SELECT e FROM dynamo.jobs, json_array_elements(position -> 'Errors') e WHERE table_name = 'Csv';

-- A file with a header that is none
SELECT put_file('d.csv', E'id,id\n1,2\n');
SELECT dynamo.call('ImportTable', request('Header', 'd.csv', '{"InputFormat": "CSV"}')) IS NOT NULL;
CALL dynamo.run_jobs();
SELECT described('Header');

-- Pages, newest first
SELECT i ->> 'TableArn', i ->> 'ImportStatus' FROM json_array_elements(dynamo.call('ListImports', '{}') -> 'ImportSummaryList') i;
SELECT shown(dynamo.call('ListImports', json_build_object('TableArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Imp')));
SELECT dynamo.call('ListImports', '{"PageSize": 2}') ->> 'NextToken' AS token \gset
SELECT length(:'token'), :'token' ~ '^([0-9a-f]{16})+$';
SELECT i ->> 'TableArn', i ->> 'ImportStatus' FROM json_array_elements(dynamo.call('ListImports', json_build_object('PageSize', 25, 'NextToken', :'token')) -> 'ImportSummaryList') i;

-- Strangers see nothing of it, and cannot do it.
CREATE ROLE regress_stranger;
SET ROLE regress_stranger;
SELECT count(*) FROM dynamo.jobs;
SELECT dynamo.call('ListImports', '{}');
SELECT dynamo.try_call('DescribeImport', json_build_object('ImportArn', :'arn')) ->> '__type';
SELECT dynamo.try_call('ImportTable', request('Stranger', '')) ->> '__type';
RESET ROLE;
DROP ROLE regress_stranger;

-- A policy names the table that is to be made.
CREATE ROLE regress_policy;
GRANT CREATE ON SCHEMA dynamo_data TO regress_policy;
SELECT dynamo.put_role_policy('regress_policy', 'p', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:ImportTable",
	"Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/Allowed"}]}');
BEGIN;
SET LOCAL ROLE regress_policy;
SELECT dynamo.try_call('ImportTable', request('Denied', 'a')) ->> 'Message';
SELECT dynamo.try_call('ImportTable', request('Allowed', 'a')) #>> '{ImportTableDescription,ImportStatus}';
SELECT dynamo.try_call('ListImports', '{}') ->> 'Message';
SELECT dynamo.try_call('DescribeImport', '{"ImportArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Allowed/import/01695353076000-a1b2c3d4"}') ->> 'Message';
ROLLBACK;
SELECT dynamo.delete_role_policy('regress_policy', 'p');
DROP OWNED BY regress_policy;
DROP ROLE regress_policy;

-- Cancelled before it has begun; a table dropped by SQL meanwhile
BEGIN;
SELECT dynamo.call('ImportTable', request('Gone', 'a')) IS NOT NULL;
SELECT dynamo.call('ImportTable', request('Cancelled', 'a')) IS NOT NULL;
SELECT dynamo.cancel_job(arn('Cancelled'));
DROP TABLE dynamo_data."Gone";
COMMIT;
SELECT dynamo.cancel_job(NULL);
SELECT dynamo.cancel_job('none');
CALL dynamo.run_jobs();
SELECT table_name, status, failure_code FROM dynamo.jobs WHERE table_name IN ('Gone', 'Cancelled') ORDER BY 1;
SELECT dynamo.cancel_job(arn('Cancelled'));
SELECT table_name FROM dynamo.tables ORDER BY 1;
BEGIN;
CALL dynamo.run_jobs();
ROLLBACK;

-- A role that was renamed has its jobs under its old name again; one that is
-- gone has them fail.
CREATE ROLE regress_importer;
GRANT CREATE ON SCHEMA dynamo_data TO regress_importer;
SELECT dynamo.grant_bucket('regress-import', 'regress_importer', '{read}');
BEGIN;
SET LOCAL ROLE regress_importer;
SELECT dynamo.call('ImportTable', request('Renamed', 'a')) IS NOT NULL;
RESET ROLE;
ALTER ROLE regress_importer RENAME TO regress_renamed;
COMMIT;
CALL dynamo.run_jobs();
SELECT status, owner FROM dynamo.jobs WHERE table_name = 'Renamed';
ALTER ROLE regress_renamed RENAME TO regress_importer;
CALL dynamo.run_jobs();
SELECT status, owner FROM dynamo.jobs WHERE table_name = 'Renamed';
-- Who may do anything can end it, whatever the role is called.
BEGIN;
SET LOCAL ROLE regress_importer;
SELECT dynamo.call('ImportTable', request('Ended', 'a')) IS NOT NULL;
RESET ROLE;
ALTER ROLE regress_importer RENAME TO regress_renamed;
SELECT dynamo.cancel_job(arn('Ended'));
COMMIT;
CALL dynamo.run_jobs();
SELECT status, owner FROM dynamo.jobs WHERE table_name = 'Ended';
ALTER ROLE regress_renamed RENAME TO regress_importer;
BEGIN;
SET LOCAL ROLE regress_importer;
SELECT dynamo.call('ImportTable', request('Orphan', 'a')) IS NOT NULL;
RESET ROLE;
SELECT dynamo.revoke_bucket('regress-import', 'regress_importer');
DROP OWNED BY regress_importer;
DROP ROLE regress_importer;
COMMIT;
CALL dynamo.run_jobs();
SELECT status, owner, failure_code, failure_message FROM dynamo.jobs WHERE table_name = 'Orphan';
DO $$BEGIN CALL dynamo.run_jobs(); END$$;

SELECT dynamo.drop_table(table_name) FROM dynamo.tables;
DELETE FROM dynamo_internal.jobs;
DROP FUNCTION put_file, request, shown, arn, described;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
