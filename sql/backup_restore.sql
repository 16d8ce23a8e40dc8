--
-- Restores of backups: what is kept and what is not, overrides, errors
--
\a
\t on
CREATE FUNCTION pg_temp.asked(operation text, request json) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(dynamo.try_call(operation, request)::text,
		'com[.a-zA-Z0-9]*#', '', 'g'), 'backup/[0-9]{14}-[0-9a-f]{8}', 'backup/ID', 'g') $$;
CREATE FUNCTION pg_temp.arn(name text) RETURNS text LANGUAGE sql AS
$$SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/' || table_name || '/backup/' || backup_id FROM dynamo.backups WHERE backup_name = name$$;
-- A restore: its error, or what DescribeTable tells but for times, ids, sizes.
CREATE FUNCTION pg_temp.described(name text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(((dynamo.call('DescribeTable', json_build_object('TableName', name))::jsonb->'Table')
		- '{TableId,TableArn,TableName,CreationDateTime,ItemCount,TableSizeBytes,DeletionProtectionEnabled,WarmThroughput,TableStatus,LatestStreamArn,LatestStreamLabel}'::text[])::text,
		'"(Index(Arn|SizeBytes)|ItemCount|LastUpdateToPayPerRequestDateTime|NumberOfDecreasesToday)": ("[^"]*"|[0-9.]+)(, )?|, "WarmThroughput": \{[^}]*\}', '', 'g') $$;
CREATE FUNCTION pg_temp.restored(backup text, overrides jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer jsonb := dynamo.try_call('RestoreTableFromBackup', ('{"TargetTableName": "RestoreTo"}'::jsonb || jsonb_build_object('BackupArn', pg_temp.arn(backup)) || overrides)::json);
	shown text;
BEGIN
	IF answer ? '__type' THEN
		RETURN regexp_replace(answer->>'__type', '.*#', '') || ': ' || COALESCE(answer->>'message', answer->>'Message');
	END IF;
	shown := pg_temp.described('RestoreTo');
	PERFORM dynamo.drop_table('RestoreTo');
	RETURN shown;
END $$;

SELECT dynamo.call('CreateTable', '{"TableName": "RestoreFrom", "BillingMode": "PROVISIONED",
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "N"},
		{"AttributeName": "c", "AttributeType": "B"}, {"AttributeName": "d", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "byC", "Projection": {"ProjectionType": "KEYS_ONLY"},
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}],
	"GlobalSecondaryIndexes": [{"IndexName": "turned", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["y", "x"]},
		"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}},
		{"IndexName": "anew", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "d", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
			"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "alias/mine"},
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
	"TableClass": "STANDARD_INFREQUENT_ACCESS",
	"Tags": [{"Key": "k", "Value": "v"}]}') IS NOT NULL AS made;
SELECT dynamo.enable_ttl('RestoreFrom', 'until');
INSERT INTO dynamo_data."RestoreFrom" (item)
SELECT jsonb_build_object('a', jsonb_build_object('S', 'a' || i % 7), 'b', jsonb_build_object('N', i::text), 'c', jsonb_build_object('B', encode(int4send(i % 5), 'base64')),
	'd', jsonb_build_object('S', 'd' || i % 3), 's', jsonb_build_object('SS', jsonb_build_array('x', i::text)), 'long', jsonb_build_object('S', repeat('x', i * 100)))::text::dynamo.item
FROM generate_series(1, 300) i;
SELECT dynamo.call('CreateTable', '{"TableName": "RestoreDemand", "BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxReadRequestUnits": 7, "MaxWriteRequestUnits": 8},
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"GlobalSecondaryIndexes": [{"IndexName": "byB", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
		"OnDemandThroughput": {"MaxReadRequestUnits": 3}}]}') IS NOT NULL AS made;
SELECT count(dynamo.call('CreateBackup', json_build_object('TableName', name, 'BackupName', name))) FROM unnest('{RestoreFrom,RestoreDemand}'::text[]) name;

-- The answer is a table that is being created.
SELECT answer->'TableStatus', answer->'RestoreSummary'->'RestoreInProgress', answer->'RestoreSummary'->'SourceTableArn', answer->'RestoreSummary'->>'SourceBackupArn' = pg_temp.arn('RestoreFrom'),
	(answer->'RestoreSummary'->>'RestoreDateTime')::numeric = (SELECT trunc(extract(epoch FROM created_at), 3) FROM dynamo.backups WHERE backup_name = 'RestoreFrom'),
	jsonb_path_query_array(answer, '$.GlobalSecondaryIndexes[*].IndexStatus')
FROM (SELECT dynamo.call('RestoreTableFromBackup', json_build_object('TargetTableName', 'Restored', 'BackupArn', pg_temp.arn('RestoreFrom')))::jsonb->'TableDescription' AS answer) c;
-- It has the items, in the table and in all indexes.
SELECT count(*), count(*) FILTER (WHERE a.item::text = b.item::text AND a.pk = b.pk AND a.sk = b.sk)
FROM dynamo_data."RestoreFrom" a FULL JOIN dynamo_data."Restored" b USING (pk, sk);
SELECT count(*), md5(string_agg(item::text, ' ' ORDER BY item::text)) = (SELECT md5(string_agg(item::text, ' ' ORDER BY item::text)) FROM dynamo.scan('RestoreFrom', index_name => i))
FROM unnest('{byC,turned,anew}'::text[]) i, dynamo.scan('Restored', index_name => i) GROUP BY i ORDER BY i;
SELECT count(*) FROM dynamo.query('Restored', 'd = :d AND b > :b', '{":d": "d1", ":b": 100}', index_name => 'anew');
-- Kept: keys, indexes, throughput, encryption. Not kept: the stream, time to live, tags, the class.
SELECT pg_temp.described('RestoreFrom');
SELECT pg_temp.described('Restored');
SELECT dynamo.call('DescribeTimeToLive', '{"TableName": "Restored"}');
SELECT dynamo.call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Restored"}');
SELECT pg_temp.described('RestoreDemand') = pg_temp.restored('RestoreDemand', '{}');
-- It can be written, and goes its own way.
SELECT dynamo.put_item('Restored', '{"a": "new", "b": 1}');
SELECT dynamo.get_item('RestoreFrom', 'new', 1), dynamo.get_item('Restored', 'new', 1);

-- The target is there.
SELECT pg_temp.asked('RestoreTableFromBackup', json_build_object('TargetTableName', 'Restored', 'BackupArn', pg_temp.arn('RestoreFrom')));
-- The source need not be.
SELECT dynamo.drop_table('RestoreDemand'), dynamo.drop_table('Restored');
SELECT pg_temp.restored('RestoreDemand', '{"TargetTableName": "RestoreTo"}');

-- Indexes: none, some, under other names; only those that were there.
SELECT pg_temp.restored('RestoreFrom', o) FROM unnest(ARRAY[
	'{"LocalSecondaryIndexOverride": [], "GlobalSecondaryIndexOverride": []}',
	'{"LocalSecondaryIndexOverride": [{"IndexName": "other", "Projection": {"ProjectionType": "KEYS_ONLY"},
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}],
	"GlobalSecondaryIndexOverride": [{"IndexName": "renamed", "Projection": {"NonKeyAttributes": ["x", "y"], "ProjectionType": "INCLUDE"},
		"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 11, "WriteCapacityUnits": 12}}]}',
	'{"GlobalSecondaryIndexOverride": [{"IndexName": "other", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}],
		"ProvisionedThroughput": {"ReadCapacityUnits": 11, "WriteCapacityUnits": 12}}]}',
	'{"GlobalSecondaryIndexOverride": [{"IndexName": "other", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "d", "KeyType": "HASH"}],
		"ProvisionedThroughput": {"ReadCapacityUnits": 11, "WriteCapacityUnits": 12}}]}',
	'{"GlobalSecondaryIndexOverride": [{"IndexName": "other", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}, "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}],
		"ProvisionedThroughput": {"ReadCapacityUnits": 11, "WriteCapacityUnits": 12}}]}',
	'{"LocalSecondaryIndexOverride": [{"IndexName": "other", "Projection": {"ProjectionType": "KEYS_ONLY"},
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "d", "KeyType": "RANGE"}]}]}',
	'{"GlobalSecondaryIndexOverride": [{"IndexName": "turned", "Projection": {"NonKeyAttributes": ["x", "y"], "ProjectionType": "INCLUDE"},
		"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}]}]}']::jsonb[]) o;
-- Throughput.
SELECT pg_temp.restored('RestoreFrom', o) FROM unnest(ARRAY[
	'{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 21, "WriteCapacityUnits": 22}}',
	'{"BillingModeOverride": "PROVISIONED"}',
	'{"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 21, "WriteCapacityUnits": 22}}',
	'{"BillingModeOverride": "PAY_PER_REQUEST"}',
	'{"BillingModeOverride": "PAY_PER_REQUEST", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}}',
	'{"BillingModeOverride": "PAY_PER_REQUEST", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 21, "WriteCapacityUnits": 22}}',
	'{"BillingModeOverride": "PAY_PER_REQUEST", "GlobalSecondaryIndexOverride": [{"IndexName": "turned", "Projection": {"NonKeyAttributes": ["x", "y"], "ProjectionType": "INCLUDE"},
		"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}], "ProvisionedThroughput": {"ReadCapacityUnits": 11, "WriteCapacityUnits": 12}}]}',
	'{"OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}}',
	'{"OnDemandThroughputOverride": {"MaxWriteRequestUnits": 9}}',
	'{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 21, "WriteCapacityUnits": 50000}}']::jsonb[]) o;
SELECT pg_temp.restored('RestoreDemand', o) FROM unnest(ARRAY[
	'{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 21, "WriteCapacityUnits": 22}}',
	'{"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 21, "WriteCapacityUnits": 22}}',
	'{"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 21, "WriteCapacityUnits": 22}, "GlobalSecondaryIndexOverride": []}',
	'{"OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}}',
	'{"GlobalSecondaryIndexOverride": [{"IndexName": "byB", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
		"ProvisionedThroughput": {"ReadCapacityUnits": 11, "WriteCapacityUnits": 12}}]}']::jsonb[]) o;
-- Encryption.
SELECT pg_temp.restored('RestoreDemand', o) FROM unnest(ARRAY[
	'{"SSESpecificationOverride": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "alias/other"}}',
	'{"SSESpecificationOverride": {"Enabled": true, "SSEType": "AES256"}}']::jsonb[]) o;
SELECT pg_temp.restored('RestoreFrom', '{"SSESpecificationOverride": {"Enabled": false}, "LocalSecondaryIndexOverride": [], "GlobalSecondaryIndexOverride": []}');
-- Shapes, names.
SELECT pg_temp.asked('RestoreTableFromBackup', request) FROM unnest(ARRAY['{}', '{"TargetTableName": "RestoreTo"}',
	json_build_object('TargetTableName', 'ab', 'BackupArn', pg_temp.arn('RestoreFrom')),
	json_build_object('TargetTableName', 'RestoreTo', 'BackupArn', pg_temp.arn('RestoreFrom'), 'BillingModeOverride', 'FREE'),
	'{"TargetTableName": "RestoreTo", "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/RestoreFrom/backup/01489173575360-b308cd7d"}']::json[]) request;

-- Rows of a relation that inherits from the backup are not its own.
SELECT relation FROM dynamo.backups WHERE backup_name = 'RestoreDemand' \gset
CREATE TABLE heir () INHERITS (:relation);
INSERT INTO heir VALUES ('{"a": "heir", "b": 1, "z": 1}');
SELECT dynamo.restore_table('RestoreTo', backup_arn => pg_temp.arn('RestoreDemand'));
SELECT count(*) FROM dynamo.scan('RestoreTo');
SELECT dynamo.drop_table('RestoreTo');
DROP TABLE heir;

-- A restore that fails leaves nothing: here the owner has doubled the items.
\set VERBOSITY terse
SELECT relation FROM dynamo.backups WHERE backup_name = 'RestoreDemand' \gset
INSERT INTO :relation VALUES ('{"a": "x"}'), ('{"a": "x"}');
SELECT dynamo.call('RestoreTableFromBackup', json_build_object('TargetTableName', 'RestoreTo', 'BackupArn', pg_temp.arn('RestoreDemand')));
SELECT count(*) FROM dynamo.tables WHERE table_name = 'RestoreTo';
-- Or has made another thing of it.
ALTER TABLE :relation ALTER item TYPE text;
SELECT dynamo.call('RestoreTableFromBackup', json_build_object('TargetTableName', 'RestoreTo', 'BackupArn', pg_temp.arn('RestoreDemand')));
ALTER TABLE :relation DROP item;
SELECT dynamo.call('RestoreTableFromBackup', json_build_object('TargetTableName', 'RestoreTo', 'BackupArn', pg_temp.arn('RestoreDemand')));
SELECT count(dynamo.call('DeleteBackup', json_build_object('BackupArn', pg_temp.arn(backup_name)))) FROM dynamo.backups;
SELECT dynamo.drop_table('RestoreFrom');
