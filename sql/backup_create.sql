--
-- Backups: made, described, listed, deleted, and all errors of that
--
\a
\t on
CREATE FUNCTION pg_temp.asked(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT operation || ': ' || regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
		dynamo.try_call(operation, request)::text,
		'com[.a-zA-Z0-9]*#', '', 'g'),
		'backup/[0-9]{14}-[0-9a-f]{8}', 'backup/ID', 'g'),
		'"([A-Za-z]*DateTime)":[0-9.]+', '"\1":TIME', 'g'),
		'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'UUID', 'g'),
		'"([A-Za-z]*)SizeBytes":[0-9]+', '"\1SizeBytes":SIZE', 'g') $$;
CREATE FUNCTION pg_temp.arn(name text) RETURNS text LANGUAGE sql AS
$$SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/backup/' || backup_id FROM dynamo.backups WHERE backup_name = name$$;

-- A plain table, and one with all that there is to keep.
SELECT dynamo.create_table('BackupPlain', 'id');
SELECT dynamo.put_item('BackupPlain', jsonb_build_object('id', i::text)) IS NULL AS put FROM generate_series(1, 3) i;
SELECT dynamo.call('CreateTable', '{"TableName": "BackupFull", "BillingMode": "PROVISIONED",
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"},
		{"AttributeName": "c", "AttributeType": "B"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "byC", "Projection": {"ProjectionType": "KEYS_ONLY"},
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}],
	"GlobalSecondaryIndexes": [{"IndexName": "turned", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["y", "x"]},
		"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"SSESpecification": {"Enabled": true, "SSEType": "KMS"},
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
	"Tags": [{"Key": "k", "Value": "v"}]}') IS NOT NULL AS made;
SELECT dynamo.enable_ttl('BackupFull', 'until');
SELECT dynamo.put_item('BackupFull', '{"a": {"S": "x"}, "b": {"N": "1"}, "c": {"B": "AQ=="}, "big": {"N": "12345678901234567890"}}');
SELECT pg_sleep(0.002), pg_temp.asked('CreateBackup', '{"TableName": "BackupPlain", "BackupName": "plain"}');
SELECT pg_sleep(0.002), pg_temp.asked('CreateBackup', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/BackupFull", "BackupName": "full"}');
SELECT backup_name, backup_type, table_name, expires_at, item_count, size_bytes > 0 AS sized,
	table_id = (SELECT t.table_id FROM dynamo.tables t WHERE t.table_name = b.table_name) AS of_it,
	relation = ('dynamo_backup."' || backup_id || '"')::regclass AS named
FROM dynamo.backups b ORDER BY backup_id;

-- Features are {} if there are none.
SELECT pg_temp.asked('DescribeBackup', json_build_object('BackupArn', pg_temp.arn('plain')));
SELECT pg_temp.asked('DescribeBackup', json_build_object('BackupArn', pg_temp.arn('full')));

-- It is as the table was, whatever becomes of that; names need not be unique.
SELECT dynamo.delete_item('BackupPlain', '1'), dynamo.put_item('BackupPlain', '{"id": "4"}');
SELECT pg_sleep(0.002), pg_temp.asked('CreateBackup', '{"TableName": "BackupPlain", "BackupName": "plain"}');
SELECT dynamo.drop_table('BackupPlain');
CREATE FUNCTION pg_temp.items(backup text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	relation regclass;
BEGIN
	FOR relation IN SELECT b.relation FROM dynamo.backups b WHERE backup_name = backup ORDER BY backup_id LOOP
		RETURN QUERY EXECUTE format('SELECT string_agg(item::text, '' '' ORDER BY item::text) FROM %s', relation);
	END LOOP;
END $$;
SELECT pg_temp.items('plain');
SELECT pg_temp.items('full');

-- A table of the same name has another TableId, and backups of its own.
SELECT dynamo.create_table('BackupPlain', 'id');
SELECT pg_sleep(0.002), pg_temp.asked('CreateBackup', '{"TableName": "BackupPlain", "BackupName": "again"}');
SELECT count(DISTINCT table_id), count(*) FROM dynamo.backups WHERE table_name = 'BackupPlain';

-- ListBackups: in the order they were made, of a table, of a type, of a time.
SELECT pg_temp.asked('ListBackups', '{}');
CREATE FUNCTION pg_temp.listed(request jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT COALESCE(string_agg(b->>'BackupName', ' ' ORDER BY n), '') || COALESCE(' -> ' || (SELECT backup_name FROM dynamo.backups
		WHERE answer->>'LastEvaluatedBackupArn' LIKE '%/' || backup_id), '')
	FROM (SELECT dynamo.call('ListBackups', request::json)::jsonb AS answer) c
		LEFT JOIN LATERAL jsonb_array_elements(answer->'BackupSummaries') WITH ORDINALITY e(b, n) ON true
	GROUP BY answer $$;
SELECT request, pg_temp.listed(request) FROM unnest(ARRAY['{"TableName": "BackupPlain"}', '{"TableName": "BackupFull"}',
	'{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/BackupFull"}', '{"TableName": "NoSuchTable"}',
	'{"BackupType": "USER"}', '{"BackupType": "SYSTEM"}', '{"BackupType": "AWS_BACKUP"}', '{"BackupType": "ALL"}',
	'{"Limit": 1}', '{"Limit": 3}', '{"Limit": 4}', '{"Limit": 100}',
	'{"TimeRangeLowerBound": 0}', '{"TimeRangeUpperBound": 0}', '{"TimeRangeLowerBound": 9999999999}',
	'{"TimeRangeLowerBound": 1e20}', '{"TimeRangeUpperBound": -1e20}']::jsonb[]) request;
-- Pages go on where the last has ended.
SELECT pg_temp.listed(jsonb_build_object('Limit', 2, 'ExclusiveStartBackupArn', pg_temp.arn('full')));
SELECT pg_temp.listed(jsonb_build_object('ExclusiveStartBackupArn', pg_temp.arn('again')));
-- The lower bound is inclusive, the upper one is not; times have milliseconds.
SELECT pg_temp.listed(jsonb_build_object('TimeRangeLowerBound', ms)) AS from, pg_temp.listed(jsonb_build_object('TimeRangeUpperBound', ms)) AS before,
	pg_temp.listed(jsonb_build_object('TimeRangeLowerBound', ms, 'TimeRangeUpperBound', ms)) AS none
FROM (SELECT trunc(extract(epoch FROM created_at), 3) AS ms FROM dynamo.backups WHERE backup_name = 'again') b;

-- Deleted it is gone; the answer shows it a last time.
SELECT pg_temp.arn('again') AS again \gset
SELECT relation AS again_relation FROM dynamo.backups WHERE backup_name = 'again' \gset
SELECT pg_temp.asked('DeleteBackup', json_build_object('BackupArn', :'again'));
SELECT pg_temp.asked(operation, json_build_object('BackupArn', :'again')) FROM unnest('{DescribeBackup,DeleteBackup}'::text[]) operation;
SELECT to_regclass(:'again_relation');
-- So it is if its relation is dropped.
SELECT relation AS full_relation, pg_temp.arn('full') AS full FROM dynamo.backups WHERE backup_name = 'full' \gset
BEGIN;
DROP TABLE :full_relation;
SELECT pg_temp.asked('DescribeBackup', json_build_object('BackupArn', :'full'));
SELECT count(*) FROM dynamo.backups WHERE backup_name = 'full';
ROLLBACK;
SELECT count(*) FROM dynamo.backups WHERE backup_name = 'full';
-- Where no event trigger runs, a row may stay: no backup, and in nobody's way.
BEGIN;
ALTER EVENT TRIGGER dynamo_relation_dropped DISABLE;
DROP TABLE :full_relation;
SELECT pg_temp.asked('DescribeBackup', json_build_object('BackupArn', :'full'));
SELECT pg_temp.listed('{"TableName": "BackupFull"}');
ROLLBACK;

-- Errors.
SELECT pg_temp.asked('CreateBackup', request) FROM unnest(ARRAY['{}', '{"TableName": "BackupPlain"}', '{"BackupName": "one"}',
	'{"TableName": "NoSuchTable", "BackupName": "one"}', '{"TableName": "BackupPlain", "BackupName": "ab"}',
	'{"TableName": "BackupPlain", "BackupName": "a b c"}', json_build_object('TableName', 'BackupPlain', 'BackupName', repeat('x', 256)),
	'{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/NoSuchTable", "BackupName": "one"}',
	'{"TableName": 1, "BackupName": "one"}']::json[]) request;
SELECT pg_temp.asked('DescribeBackup', json_build_object('BackupArn', arn)) FROM unnest(ARRAY[
	'short', repeat('x', 40), 'arn:aws:dynamodb:us-east-1:000000000000:table/BackupPlain', 'arn:aws:dynamodb:us-east-1:000000000000:table/BackupPlain/stream/x',
	'arn:aws:dynamodb:us-east-1:000000000000:table/BackupPlain/backup/', 'arn:aws:dynamodb:us-east-1:000000000000:table//backup/01489173575360-b308cd7d',
	'arn:aws:s3:us-east-1:000000000000:table/BackupPlain/backup/01489173575360-b308cd7d',
	'arn:aws:dynamodb:eu-west-1:000000000000:table/BackupPlain/backup/01489173575360-b308cd7d',
	'arn:aws:dynamodb:us-east-1:111111111111:table/BackupPlain/backup/01489173575360-b308cd7d',
	replace(:'full', 'BackupFull', 'BackupPlain')]) arn;
SELECT pg_temp.asked('ListBackups', request) FROM unnest(ARRAY['{"Limit": 0}', '{"Limit": 101}', '{"BackupType": "MINE"}',
	'{"TimeRangeLowerBound": 2, "TimeRangeUpperBound": 1}', '{"TimeRangeLowerBound": "x"}', '{"ExclusiveStartBackupArn": "short"}',
	json_build_object('ExclusiveStartBackupArn', repeat('x', 40)),
	'{"ExclusiveStartBackupArn": "arn:aws:dynamodb:eu-west-1:000000000000:table/BackupPlain/backup/01489173575360-b308cd7d"}']::json[]) request;

-- A transaction that cannot write makes none, and deletes none.
BEGIN READ ONLY;
SAVEPOINT a;
SELECT dynamo.call('CreateBackup', '{"TableName": "BackupPlain", "BackupName": "one"}');
ROLLBACK TO a;
SELECT dynamo.call('DeleteBackup', json_build_object('BackupArn', :'full'));
ROLLBACK;
-- One that is rolled back leaves nothing.
BEGIN;
SELECT dynamo.call('CreateBackup', '{"TableName": "BackupPlain", "BackupName": "undone"}') IS NOT NULL AS made;
ROLLBACK;
SELECT count(*) FROM dynamo.backups WHERE backup_name = 'undone';
SELECT count(*) FROM pg_class WHERE relnamespace = 'dynamo_backup'::regnamespace AND relkind = 'r';
SELECT dynamo.call('DeleteBackup', json_build_object('BackupArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/backup/' || backup_id)) IS NOT NULL AS deleted FROM dynamo.backups;
SELECT dynamo.drop_table('BackupPlain'), dynamo.drop_table('BackupFull');
