--
-- attach_table and detach_table: a relation becomes a table, and a table a
-- mere relation
--
SELECT dynamo.create_table('AttachShop', 'pk', 'sk N');
SELECT dynamo.create_index('AttachShop', 'ByG', 'g', 'h B');
SELECT dynamo.create_index('AttachShop', 'Multi', ARRAY['g', 'a N'], ARRAY['b', 'c N']);
SELECT dynamo.create_index('AttachShop', 'Keys', 'g', projection => 'KEYS_ONLY');
SELECT dynamo.put_item('AttachShop', '{"pk": "x", "sk": 1, "g": "y", "a": 2, "b": "z", "c": 3}');

-- Detached, it is a table of PostgreSQL's, items and indexes included.
SELECT dynamo.detach_table('AttachShop');
SELECT * FROM dynamo.scan('AttachShop');
SELECT count(*) FROM dynamo.tables WHERE table_name = 'AttachShop';
INSERT INTO dynamo_data."AttachShop" (item) VALUES ('{"pk": "x", "sk": 2}') RETURNING pk, sk;
SELECT dynamo.create_table('AttachShop', 'pk');
SELECT dynamo.detach_table('AttachShop');

-- Attached, it is one of ours again. What an index projects is not in it.
SELECT dynamo.attach_table('dynamo_data."AttachShop"');
SELECT item FROM dynamo.query('AttachShop', 'pk = :p', '{":p": "x"}');
SELECT item->>'sk' AS sk FROM dynamo.query('AttachShop', 'g = :g AND a = :a AND b = :b', '{":g": "y", ":a": 2, ":b": "z"}', index_name => 'Multi');
SELECT index_name, ordinal, is_local, partition_key, partition_key_type, sort_key, sort_key_type, projection FROM dynamo.indexes WHERE table_name = 'AttachShop' ORDER BY index_name;
SELECT partition_key, partition_key_type, sort_key, sort_key_type, settings->>'BillingMode' AS billing_mode, ttl_attribute FROM dynamo.tables WHERE table_name = 'AttachShop';
-- it is described as any table on demand is, and so are its indexes
SELECT d->>'IndexName' AS index, d->'ProvisionedThroughput'->>'ReadCapacityUnits' AS read, d->'WarmThroughput'->>'ReadUnitsPerSecond' AS warm, d->'BillingModeSummary'->>'BillingMode' AS mode
FROM (SELECT dynamo.call('DescribeTable', '{"TableName": "AttachShop"}')->'Table') AS answer(t),
	LATERAL (SELECT answer.t UNION ALL SELECT json_array_elements(answer.t->'GlobalSecondaryIndexes')) AS one(d);
SELECT dynamo.attach_table('dynamo_data."AttachShop"', 'Another');

-- Under another name, its indexes are not known by theirs.
SELECT dynamo.detach_table('AttachShop') IS NOT NULL AS detached;
SELECT dynamo.attach_table('dynamo_data."AttachShop"', 'Attach-Other');
SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Attach-Other';
SELECT item->>'sk' AS sk FROM dynamo.get_item('Attach-Other', 'x', 2);
SELECT dynamo.create_table('Attach-Other', 'pk');
SELECT dynamo.drop_table('Attach-Other');

-- Made by plain SQL, without and with our access method.
CREATE TABLE dynamo_data."AttachPlain" (
	pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'id', 'S')) STORED PRIMARY KEY,
	item dynamo.item) USING heap;
INSERT INTO dynamo_data."AttachPlain" (item) VALUES ('{"id": "a"}');
SELECT dynamo.attach_table('dynamo_data."AttachPlain"');
SELECT dynamo.put_item('AttachPlain', '{"id": "b", "e": 1}');
SELECT dynamo.update_item('AttachPlain', '{"id": "a"}', 'SET n = :n', '{":n": 1}', return_values => 'ALL_NEW');
SELECT dynamo.enable_ttl('AttachPlain', 'e');
SELECT dynamo.expire_items('AttachPlain'), item FROM dynamo.scan('AttachPlain') ORDER BY item->>'id';
-- time to live is off after it was attached anew, and can be switched on
SELECT dynamo.detach_table('AttachPlain'), dynamo.attach_table('dynamo_data."AttachPlain"');
SELECT ttl_attribute FROM dynamo.tables WHERE table_name = 'AttachPlain';
SELECT to_regclass('dynamo_data."AttachPlain:ttl"') AS "index";
SELECT dynamo.enable_ttl('AttachPlain', 'other'), dynamo.disable_ttl('AttachPlain');
-- by the index that a dump of the relation has brought, if it is of that attribute
CREATE INDEX "AttachPlain:ttl" ON dynamo_data."AttachPlain" (dynamo_internal.expiry(item, 'e'), dynamo_internal.key_hash(item, 'id'))
	WHERE dynamo_internal.expiry(item, 'e') IS NOT NULL;
SELECT dynamo.enable_ttl('AttachPlain', 'other');
SELECT dynamo.enable_ttl('AttachPlain', 'e');
SELECT dynamo.put_item('AttachPlain', jsonb_build_object('id', 'b', 'e', extract(epoch FROM now())::int - 9));
SELECT dynamo.expire_items('AttachPlain');
-- a stream is disabled first
SELECT dynamo.enable_stream('AttachPlain') IS NOT NULL AS enabled;
SELECT dynamo.detach_table('AttachPlain');
SELECT dynamo.disable_stream('AttachPlain'), dynamo.detach_table('AttachPlain');
DROP TABLE dynamo_data."AttachPlain";

-- Refused: what differs in any part. Each of these says where.
CREATE FUNCTION pg_temp.attach(columns text, options text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE format('CREATE TABLE dynamo_data."AttachBad" (%s) %s', columns, options);
	PERFORM dynamo.attach_table('dynamo_data."AttachBad"');
	DROP TABLE dynamo_data."AttachBad";
	RETURN 'attached';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || COALESCE(NULLIF(detail, ''), SQLERRM);
END
$$;
\set pk 'pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, ''id'', ''S'')) STORED'
\set sk 'sk dynamo.sort_key GENERATED ALWAYS AS (dynamo_internal.sort_key(item, ''at'', ''N'')) STORED'
SELECT pg_temp.attach(:'pk' || ' PRIMARY KEY, item dynamo.item') AS good;
SELECT dynamo.create_table('AttachGood', 'id');
SELECT pg_temp.attach(:'pk' || ', ' || :'sk' || ', item dynamo.item, PRIMARY KEY (pk, sk)') AS good;
\pset format unaligned
SELECT columns, pg_temp.attach(columns) FROM (VALUES
	('id text PRIMARY KEY'),
	('pk dynamo.partition_key PRIMARY KEY, item dynamo.item'),
	('pk dynamo.partition_key DEFAULT ''a'' PRIMARY KEY, item dynamo.item'),
	('pk dynamo.partition_key GENERATED ALWAYS AS (''a'') STORED PRIMARY KEY, item dynamo.item'),
	('pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.index_partition_hash(item, ''id'', ''S''::"char")) STORED PRIMARY KEY, item dynamo.item'),
	('pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, ''id'', ''X'')) STORED PRIMARY KEY, item dynamo.item'),
	('pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, ''i'' || ''d'', ''S'')) STORED PRIMARY KEY, item dynamo.item'),
	('pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item || ''{}'', ''id'', ''S'')) STORED PRIMARY KEY, item dynamo.item'),
	('pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, '''', ''S'')) STORED PRIMARY KEY, item dynamo.item'),
	('pk dynamo.sort_key GENERATED ALWAYS AS (dynamo_internal.sort_key(item, ''id'', ''S'')) STORED PRIMARY KEY, item dynamo.item'),
	(:'pk' || ', item dynamo.item'),
	(:'pk' || ' UNIQUE NOT NULL, item dynamo.item'),
	(:'pk' || ', item dynamo.item, PRIMARY KEY (pk) DEFERRABLE'),
	(:'pk' || ', ' || :'sk' || ', item dynamo.item, PRIMARY KEY (pk)'),
	(:'pk' || ', ' || :'sk' || ', item dynamo.item, PRIMARY KEY (sk, pk)'),
	(:'pk' || ' PRIMARY KEY, other int, item dynamo.item'),
	(:'pk' || ', sk int, item dynamo.item, PRIMARY KEY (pk)'),
	(:'pk' || ', ' || replace(:'sk', '''at''', '''id''') || ', item dynamo.item, PRIMARY KEY (pk, sk)')) AS v(columns);
\pset format aligned
CREATE VIEW dynamo_data."AttachView" AS SELECT 1;
SELECT dynamo.attach_table('dynamo_data."AttachView"');
DROP VIEW dynamo_data."AttachView";
CREATE TABLE public.attach_elsewhere (LIKE dynamo_data."AttachGood" INCLUDING ALL);
SELECT dynamo.attach_table('attach_elsewhere');
ALTER TABLE attach_elsewhere SET SCHEMA dynamo_data;
SELECT dynamo.attach_table('dynamo_data.attach_elsewhere'), dynamo.drop_table('attach_elsewhere');
SELECT dynamo.drop_table('AttachGood');
-- indexes that are not as we make them are left alone
SELECT dynamo.create_table('AttachIndex', 'id');
SELECT dynamo.detach_table('AttachIndex');
CREATE INDEX "AttachIndex/Plain" ON dynamo_data."AttachIndex" (pk);
CREATE INDEX "AttachIndex/Whole" ON dynamo_data."AttachIndex" (dynamo_internal.index_partition_hash(item, 'g', 'S'::"char"), dynamo_internal.key_hash(item, 'id'));
CREATE INDEX "AttachIndex/Good" ON dynamo_data."AttachIndex" (dynamo_internal.index_partition_hash(item, 'g', 'S'::"char"), dynamo_internal.key_hash(item, 'id'))
	WHERE dynamo_internal.index_partition_hash(item, 'g', 'S'::"char") IS NOT NULL;
CREATE INDEX "AttachIndex/Other" ON dynamo_data."AttachIndex" (lower(item->>'id'), dynamo_internal.key_hash(item, 'id'));
-- ... or that CreateTable would refuse beside the others: an attribute has one type, and a place in a key
CREATE INDEX "AttachIndex/Number" ON dynamo_data."AttachIndex" (dynamo_internal.index_partition_hash(item, 'g', 'N'::"char"), dynamo_internal.key_hash(item, 'id'))
	WHERE dynamo_internal.index_partition_hash(item, 'g', 'N'::"char") IS NOT NULL;
CREATE INDEX "AttachIndex/Key" ON dynamo_data."AttachIndex" (dynamo_internal.index_partition_hash(item, 'id', 'N'::"char"), dynamo_internal.key_hash(item, 'id'))
	WHERE dynamo_internal.index_partition_hash(item, 'id', 'N'::"char") IS NOT NULL;
CREATE INDEX "AttachIndex/Twice" ON dynamo_data."AttachIndex" (dynamo_internal.index_partition_hash(item, 'g', 'S'::"char"), dynamo_internal.index_sort_key(item, 'g', 'S'::"char"), dynamo_internal.key_hash(item, 'id'))
	WHERE dynamo_internal.index_partition_hash(item, 'g', 'S'::"char") IS NOT NULL AND dynamo_internal.index_sort_key(item, 'g', 'S'::"char") IS NOT NULL;
SELECT dynamo.attach_table('dynamo_data."AttachIndex"');
SELECT dynamo.put_item('AttachIndex', '{"id": "a", "g": "b"}');
SELECT index_name FROM dynamo.indexes WHERE table_name = 'AttachIndex';
SELECT dynamo.drop_table('AttachIndex');

-- Who may: the owner, with CREATE on the schema.
CREATE ROLE attach_owner;
CREATE ROLE attach_other;
SELECT dynamo.create_table('AttachRight', 'id'), dynamo.detach_table('AttachRight');
SET ROLE attach_other;
SELECT dynamo.attach_table('dynamo_data."AttachRight"');
RESET ROLE;
ALTER TABLE dynamo_data."AttachRight" OWNER TO attach_owner;
SET ROLE attach_owner;
SELECT dynamo.attach_table('dynamo_data."AttachRight"');
RESET ROLE;
GRANT CREATE ON SCHEMA dynamo_data TO attach_owner;
SET ROLE attach_owner;
SELECT dynamo.attach_table('dynamo_data."AttachRight"', 'pg');
SELECT dynamo.attach_table('dynamo_data."AttachRight"', 'no good');
SELECT dynamo.attach_table('dynamo_data."AttachRight"');
CREATE TEMP TABLE attach_temp (LIKE dynamo_data."AttachRight" INCLUDING ALL);
SELECT dynamo.attach_table('attach_temp');
SELECT dynamo.attach_table(NULL), dynamo.attach_table('dynamo.tables');
SELECT dynamo.attach_table('dynamo.tables');
SELECT dynamo.attach_table(1::regclass);
RESET ROLE;
SET ROLE attach_other;
SELECT dynamo.detach_table('AttachRight');
RESET ROLE;
SELECT dynamo.detach_table('AttachNone');
SELECT dynamo.drop_table('AttachRight');
DROP OWNED BY attach_owner;
DROP ROLE attach_owner, attach_other;

-- A type after a key's name is one of three letters. What is not is a part of
-- the name, and said to be.
SELECT dynamo.create_table('AttachBlank', 'id text');
SELECT partition_key, partition_key_type FROM dynamo.tables WHERE table_name = 'AttachBlank';
SELECT dynamo.drop_table('AttachBlank');
