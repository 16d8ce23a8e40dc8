-- dynamo.export_table: what is written, and that it comes back as it was.
\set VERBOSITY terse
CREATE TEMPORARY TABLE made (buckets text);
COPY made FROM PROGRAM 'd=$(mktemp -d) && mkdir -p $d/regress-export && echo $d';
SELECT buckets FROM made \gset
LOAD 'dynamo';
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
CREATE FUNCTION shown(text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace($1, '\d{14}-[0-9a-f]{8}', '<id>', 'g'),
		'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z', '<time>', 'g'), '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', '<table id>') $$;
-- What a file of an export has, and its MD5 in base64
CREATE FUNCTION file_text(key text) RETURNS text LANGUAGE sql AS
$$SELECT pg_read_file(current_setting('dynamo.bucket_directory') || '/regress-export/' || $1)$$;
CREATE FUNCTION file_md5(key text) RETURNS text LANGUAGE sql AS
$$SELECT encode(decode(md5(pg_read_binary_file(current_setting('dynamo.bucket_directory') || '/regress-export/' || $1)), 'hex'), 'base64')$$;

SELECT dynamo.create_table('Exported', 'id', 'n N');
SELECT count(dynamo.put_item('Exported', item::dynamo.item)) FROM (VALUES
	('{"id": {"S": "types"}, "n": {"N": "1"}, "s": {"S": "text € \" \\ \n \u0001 \u007f ''"}, "b": {"B": "AAEC/w=="}, "t": {"BOOL": true}, "f": {"BOOL": false},
		"z": {"NULL": true}, "ss": {"SS": ["b", "a"]}, "ns": {"NS": ["3", "1.5"]}, "bs": {"BS": ["AA=="]}, "l": {"L": [{"S": "x"}, {"L": []}, {"M": {}}]}, "e": {"S": ""}, "eb": {"B": ""}}'),
	('{"id": {"S": "names"}, "n": {"N": "2"}, "plain_1": {"NULL": true}, "$d": {"NULL": true}, "$1": {"NULL": true}, "1a": {"NULL": true}, "a b": {"NULL": true}, "null": {"NULL": true},
		"true": {"NULL": true}, "nan": {"NULL": true}, "quote''s": {"NULL": true}, "é": {"NULL": true}}'),
	('{"id": {"S": "numbers"}, "n": {"N": "-3"}, "l": {"L": [{"N": "0"}, {"N": "103"}, {"N": "600"}, {"N": "8.5"}, {"N": "0.05"}, {"N": "0.123"}, {"N": "-12.5"}, {"N": "1e125"}, {"N": "1e-130"},
		{"N": "12345678901234567890123456789012345678"}, {"N": "-0.0012345"}, {"N": "10"}, {"N": "-2000"}]}}')) AS t(item);
SELECT dynamo.export_table('Exported', 'regress-export', 'some/where') AS json \gset
SELECT shown(:'json');
SELECT dynamo.export_table('Exported', 'regress-export', export_format => 'ION') AS ion \gset
CALL dynamo.run_jobs();
SELECT status, failure_code, failure_message FROM dynamo.jobs WHERE table_name = 'Exported';

-- The files and their checksums
\set list 'cat > /dev/null; cd ' :buckets '/regress-export && find . -type f | sed -E "s/[0-9]{14}-[0-9a-f]{8}/<id>/; s/[a-z2-7]{26}/<name>/" | LC_ALL=C sort > ../regress-export.list'
COPY (SELECT 1) TO PROGRAM :'list';
SELECT unnest(string_to_array(rtrim(pg_read_file(:'buckets' || '/regress-export.list'), E'\n'), E'\n')) AS file;
SELECT 'some/where/AWSDynamoDB/' || split_part(:'json', '/export/', 2) || '/' AS json_folder, 'AWSDynamoDB/' || split_part(:'ion', '/export/', 2) || '/' AS ion_folder \gset
SELECT shown(file_text(:'json_folder' || 'manifest-summary.json'));
SELECT shown(file_text(:'ion_folder' || 'manifest-summary.json'));
SELECT name, file_text(folder || name || '.checksum') = file_md5(folder || name || '.json') AS matches
FROM (VALUES ('manifest-summary'), ('manifest-files')) AS n(name), (VALUES (:'json_folder'), (:'ion_folder')) AS f(folder);
SELECT f->'itemCount' AS items, file_md5(f->>'dataFileS3Key') = f->>'md5Checksum' AS md5,
	md5(decode(f->>'md5Checksum', 'base64')) || '-1' = f->>'etag' AS etag, f->>'dataFileS3Key' LIKE :'ion_folder' || 'data/%.ion.gz' AS key
FROM CAST(file_text(:'ion_folder' || 'manifest-files.json') AS json) AS f;

-- The lines: JSON, and Ion
\set unzip 'cat > /dev/null; cd ' :buckets '/regress-export && zcat some/where/AWSDynamoDB/*/data/*.gz > ../regress-export.json && zcat AWSDynamoDB/*/data/*.gz > ../regress-export.ion'
COPY (SELECT 1) TO PROGRAM :'unzip';
SELECT pg_read_file(:'buckets' || '/regress-export.json');
SELECT pg_read_file(:'buckets' || '/regress-export.ion');

-- Read again they are the items of the table, from the data's folder and from
-- the one of the manifests
CREATE VIEW items AS SELECT item FROM dynamo_data."Exported";
SELECT count(*), count(*) FILTER (WHERE item IN (SELECT item FROM items)) AS same
FROM dynamo.bucket_items('regress-export', :'json_folder' || 'data/', input_compression => 'GZIP');
SELECT count(*), count(*) FILTER (WHERE item IN (SELECT item FROM items)) AS same
FROM dynamo.bucket_items('regress-export', :'ion_folder', 'ION', 'GZIP');

-- An empty table has a file without items
SELECT dynamo.create_table('Empty', 'id');
SELECT 'AWSDynamoDB/' || split_part(dynamo.export_table('Empty', 'regress-export'), '/export/', 2) || '/' AS folder \gset
CALL dynamo.run_jobs();
SELECT f->'itemCount' AS items FROM CAST(file_text(:'folder' || 'manifest-files.json') AS json) AS f;

-- Errors
SELECT dynamo.export_table('Nowhere', 'regress-export');
SELECT dynamo.export_table('Exported', 'regress-none');
SELECT dynamo.export_table('Exported', 'regress-export', '../up');
SELECT dynamo.export_table('Exported', 'regress-export', 'a//b');
SELECT dynamo.export_table('Exported', 'regress-export', export_format => 'CSV');
SELECT dynamo.export_table('Exported', 'regress-export', export_view_type => 'OLD');
SELECT dynamo.export_table('Exported', 'regress-export', as_of => now());
SELECT dynamo.export_table('Exported', 'regress-export', from_time => now() - interval '1 hour');
SELECT dynamo.export_table('Exported', 'regress-export', to_time => now());
SELECT dynamo.export_table('Exported', 'regress-export', as_of => now(), from_time => now());
SELECT dynamo.export_table('Exported', 'regress-export', from_time => now(), to_time => now());
SELECT dynamo.export_table('Exported', 'regress-export', from_time => now() + interval '1 hour');
SELECT dynamo.export_table(NULL, 'regress-export');
SELECT dynamo.export_table('Exported', NULL);

-- Who: SELECT on the table, all of it, and the bucket
CREATE ROLE dynamo_test_exporter;
SET ROLE dynamo_test_exporter;
SELECT dynamo.export_table('Exported', 'regress-export');
RESET ROLE;
SELECT dynamo.grant_bucket('regress-export', 'dynamo_test_exporter', '{read}');
GRANT SELECT ON dynamo_data."Exported" TO dynamo_test_exporter;
SET ROLE dynamo_test_exporter;
SELECT dynamo.export_table('Exported', 'regress-export');
RESET ROLE;
SELECT dynamo.grant_bucket('regress-export', 'dynamo_test_exporter', '{write}');
ALTER TABLE dynamo_data."Exported" ENABLE ROW LEVEL SECURITY;
SET ROLE dynamo_test_exporter;
SELECT dynamo.export_table('Exported', 'regress-export');
RESET ROLE;
ALTER TABLE dynamo_data."Exported" DISABLE ROW LEVEL SECURITY;
SET ROLE dynamo_test_exporter;
SELECT dynamo.export_table('Exported', 'regress-export') <> '' AS submitted;
SELECT dynamo.export_table('Exported', 'regress-export') <> '' AS submitted;
SELECT dynamo.export_table('Exported', 'regress-export') <> '' AS submitted;
RESET ROLE;
-- What the role loses before the export begins, the export has lost
SELECT job FROM dynamo.jobs WHERE owner = 'dynamo_test_exporter'::regrole::text ORDER BY created_at LIMIT 1 \gset
SELECT dynamo.cancel_job(:'job');
ALTER TABLE dynamo_data."Exported" ENABLE ROW LEVEL SECURITY;
SET client_min_messages = error;
CALL dynamo.run_jobs();
ALTER TABLE dynamo_data."Exported" DISABLE ROW LEVEL SECURITY;
SET ROLE dynamo_test_exporter;
SELECT dynamo.export_table('Exported', 'regress-export') <> '' AS submitted;
RESET ROLE;
SELECT dynamo.revoke_bucket('regress-export', 'dynamo_test_exporter', '{write}');
CALL dynamo.run_jobs();
SELECT status, failure_code, shown(failure_message) AS failure FROM dynamo.jobs WHERE owner = 'dynamo_test_exporter'::regrole::text ORDER BY created_at;
-- A table of that name that was made later is another one
SELECT dynamo.export_table('Empty', 'regress-export') <> '' AS submitted;
DROP TABLE dynamo_data."Empty";
SELECT dynamo.create_table('Empty', 'id');
CALL dynamo.run_jobs();
SELECT status, failure_code, failure_message FROM dynamo.jobs WHERE table_name = 'Empty' ORDER BY created_at DESC LIMIT 1;
-- A row without an item, which the owner has let in, ends an export, with
-- recovery or without.
ALTER TABLE dynamo_data."Empty" DROP CONSTRAINT "Empty:pkey";
ALTER TABLE dynamo_data."Empty" ALTER pk DROP NOT NULL, ALTER item DROP NOT NULL;
INSERT INTO dynamo_data."Empty" (item) VALUES (NULL);
SELECT dynamo.export_table('Empty', 'regress-export') <> '' AS submitted;
CALL dynamo.run_jobs();
SELECT dynamo.enable_recovery('Empty');
SELECT dynamo.export_table('Empty', 'regress-export') <> '' AS submitted;
CALL dynamo.run_jobs();
SELECT status, failure_message FROM dynamo.jobs WHERE table_name = 'Empty' ORDER BY created_at DESC LIMIT 2;
-- The time that timestamps are counted from is one as any other
SELECT dynamo.export_table('Empty', 'regress-export', as_of => '2000-01-01 00:00:00+00') IS NULL;
SELECT dynamo.try_call('ExportTableToPointInTime', '{"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Empty", "S3Bucket": "regress-export", "ExportTime": 946684800}');

-- They have left nothing: two exports have files, and the empty one
\set count 'cat > /dev/null; cd ' :buckets '/regress-export && ls -d AWSDynamoDB/* some/where/AWSDynamoDB/* | wc -l > ../regress-export.list'
COPY (SELECT 1) TO PROGRAM :'count';
SELECT trim(pg_read_file(:'buckets' || '/regress-export.list'), E'\n ');
SELECT dynamo.revoke_bucket('regress-export', 'dynamo_test_exporter');
DROP TABLE dynamo_data."Empty";
DROP VIEW items;
DROP TABLE dynamo_data."Exported";
DROP FUNCTION shown, file_text, file_md5;
DROP OWNED BY dynamo_test_exporter;
DROP ROLE dynamo_test_exporter;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
