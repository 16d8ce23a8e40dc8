-- The system backup that is left of a dropped table says how many items it has,
-- also of a table that no VACUUM or ANALYZE has seen.  Of a large one that is an
-- estimate.
CREATE FUNCTION pg_temp.drop_full(name text, n int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM dynamo.create_table(name, 'id');
	EXECUTE format('ALTER TABLE dynamo_data.%I SET (autovacuum_enabled = off)', name);
	PERFORM dynamo.enable_recovery(name);
	PERFORM dynamo.put_item(name, jsonb_build_object('id', i::text, 'text', repeat('x', CASE WHEN n > 1000 THEN 1500 ELSE 10 END))::dynamo.item)
	FROM generate_series(1, n) i;
	PERFORM dynamo.delete_item(name, '{"id": "1"}');
	PERFORM dynamo.drop_table(name);
	RETURN (SELECT item_count FROM dynamo.backups WHERE table_name = name);
END $$;
SELECT pg_temp.drop_full('SystemNone', 0);
SELECT pg_temp.drop_full('SystemSmall', 100);
-- Two of one transaction have names of their own.
SELECT dynamo.create_table(name, 'pk'), dynamo.enable_recovery(name) FROM unnest('{SystemOne,SystemTwo}'::text[]) name;
BEGIN;
SELECT dynamo.drop_table('SystemOne'), dynamo.drop_table('SystemTwo');
COMMIT;
SELECT count(DISTINCT backup_id), count(*) FROM dynamo.backups WHERE table_name IN ('SystemOne', 'SystemTwo') AND backup_type = 'SYSTEM';
SELECT n BETWEEN 5000 AND 7000 AS about_6000 FROM (SELECT pg_temp.drop_full('SystemLarge', 6000) AS n OFFSET 0) large;
-- No secondary index is kept, a vector index neither.
DO $$BEGIN
	PERFORM dynamo.call('CreateTable', '{"TableName": "SystemVector", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
		"VectorIndexes": [{"IndexName": "Near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "KEYS_ONLY"}}]}');
	PERFORM dynamo.enable_recovery('SystemVector');
	PERFORM dynamo.drop_table('SystemVector');
END$$;
SELECT count(*) AS indexes FROM pg_index WHERE indrelid = (SELECT relation FROM dynamo.backups WHERE table_name = 'SystemVector');
-- A column of one's own may have a sequence; the next table of the name, too.
DO $$BEGIN
	FOR i IN 1 .. 2 LOOP
		PERFORM dynamo.create_table('SystemSerial', 'id');
		ALTER TABLE dynamo_data."SystemSerial" ADD n serial;
		PERFORM dynamo.enable_recovery('SystemSerial');
		PERFORM dynamo.drop_table('SystemSerial');
	END LOOP;
END$$;

DO $$DECLARE r regclass; BEGIN FOR r IN SELECT relation FROM dynamo.backups WHERE table_name LIKE 'System%' LOOP EXECUTE 'DROP TABLE ' || r; END LOOP; END$$;
