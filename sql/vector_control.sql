-- Vector indexes: making, describing and deleting them, and what is refused
\t on
\a
CREATE FUNCTION pg_temp.create(more text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(a->>'message', a::text) FROM dynamo.try_call('CreateTable', ('{"TableName": "Made", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}'::jsonb || more::jsonb)::json) a $$;
CREATE FUNCTION pg_temp.vector(more text DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
  SELECT '{"IndexName": "near", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 4, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "ALL"}}'::jsonb || more::jsonb $$;
CREATE FUNCTION pg_temp.with(VARIADIC vectors text[]) RETURNS text LANGUAGE sql AS $$
  SELECT jsonb_build_object('VectorIndexes', (SELECT jsonb_agg(pg_temp.vector(v)) FROM unnest(vectors) v))::text $$;

-- the shape
SELECT pg_temp.create('{"VectorIndexes": [{}]}');
SELECT pg_temp.create(pg_temp.with('{"DistanceFunction": "MANHATTAN", "Dimensions": 0, "SearchSchema": []}'));
SELECT pg_temp.create(pg_temp.with('{"SearchSchema": [{"AttributeName": "a", "SearchSchemaElementType": "RANGE"}]}'));
SELECT pg_temp.create(pg_temp.with('{"Dimensions": "x"}'));
-- rules
SELECT pg_temp.create((pg_temp.with('{}')::jsonb || '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}')::text);
SELECT pg_temp.create(pg_temp.with('{"Dimensions": 4097}'));
SELECT pg_temp.create(pg_temp.with('{"SearchSchema": [{"AttributeName": "b", "SearchSchemaElementType": "HASH"}]}'));
SELECT pg_temp.create(pg_temp.with('{"SearchSchema": [{"AttributeName": "a", "SearchSchemaElementType": "HASH"}, {"AttributeName": "a", "SearchSchemaElementType": "INLINE_FILTER"}]}'));
SELECT pg_temp.create(pg_temp.with('{"VectorAttribute": {"AttributeName": "a"}}'));
SELECT pg_temp.create(pg_temp.with('{"IndexName": "one"}', '{"IndexName": "two", "Dimensions": 5}'));
SELECT pg_temp.create(pg_temp.with('{"IndexName": "one"}', '{"IndexName": "one"}'));
SELECT pg_temp.create(pg_temp.with('{"IndexName": "one"}', '{"IndexName": "two"}', '{"IndexName": "three"}', '{"IndexName": "four"}', '{"IndexName": "five"}', '{"IndexName": "six"}'));
SELECT pg_temp.create(pg_temp.with('{"Projection": {"ProjectionType": "INCLUDE"}}'));
SELECT pg_temp.create((pg_temp.with('{}')::jsonb || '{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "z", "AttributeType": "S"}]}')::text);
SELECT pg_temp.create((pg_temp.with('{"SearchSchema": [{"AttributeName": "a", "SearchSchemaElementType": "HASH"}, {"AttributeName": "z", "SearchSchemaElementType": "HASH"}]}')::jsonb
  || '{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "z", "AttributeType": "S"}]}')::text);
-- 18 INLINE_FILTER elements, and no more
SELECT n, substring(pg_temp.create((pg_temp.with(json_build_object('SearchSchema', json_agg(json_build_object('AttributeName', 'f' || i, 'SearchSchemaElementType', 'INLINE_FILTER')))::text)::jsonb
  || jsonb_build_object('AttributeDefinitions', jsonb_agg(jsonb_build_object('AttributeName', 'f' || i, 'AttributeType', 'S')) || '[{"AttributeName": "a", "AttributeType": "S"}]'))::text), 'CREATING|at most.*elements')
FROM (VALUES (18), (19)) v(n), generate_series(1, n) i GROUP BY n ORDER BY n;
SELECT dynamo.drop_table('Made');
-- 20 projected attributes: the vector counts, keys do not
SELECT pg_temp.create(pg_temp.with(json_build_object('Projection', json_build_object('ProjectionType', 'INCLUDE', 'NonKeyAttributes', (SELECT json_agg('n' || i) FROM generate_series(1, 20) i)))::text));
SELECT pg_temp.create(pg_temp.with(json_build_object('Projection', json_build_object('ProjectionType', 'INCLUDE', 'NonKeyAttributes', (SELECT json_agg('n' || i) FROM generate_series(1, 19) i) ))::text)) ~ 'ACTIVE|CREATING';
SELECT dynamo.drop_table('Made');
SELECT pg_temp.create(pg_temp.with(json_build_object('Projection', json_build_object('ProjectionType', 'INCLUDE', 'NonKeyAttributes', (SELECT json_agg(CASE i WHEN 1 THEN 'a' ELSE 'n' || i END) FROM generate_series(1, 20) i) ))::text)) ~ 'CREATING';
SELECT dynamo.drop_table('Made');
-- an empty list is as good as none
SELECT pg_temp.create('{"VectorIndexes": []}') ~ 'Vector';
SELECT dynamo.drop_table('Made');

-- described: CREATING with the table, ACTIVE with it; attributes of a SearchSchema are defined
SELECT dynamo.call('CreateTable', ('{"TableName": "Made", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "f", "AttributeType": "N"}, {"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "h", "AttributeType": "B"}],
  "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}'::jsonb || pg_temp.with('{"IndexName": "two", "Dimensions": 4.7}',
    '{"IndexName": "one", "DistanceFunction": "DOT_PRODUCT", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["y", "x"]},
      "SearchSchema": [{"AttributeName": "f", "SearchSchemaElementType": "INLINE_FILTER"}, {"AttributeName": "h", "SearchSchemaElementType": "HASH"}]}')::jsonb)::json)#>'{TableDescription,VectorIndexes}';
SELECT a->'AttributeDefinitions', a->'VectorIndexes' FROM (SELECT dynamo.call('DescribeTable', '{"TableName": "Made"}')->'Table' AS a) t;
SELECT index_name, ordinal, partition_key, partition_key_type, sort_key, sort_key_type, projection, non_key_attributes, vector_attribute, dimensions, distance_function
FROM dynamo.indexes WHERE table_name = 'Made' ORDER BY ordinal;

-- UpdateTable: what is asked for
CREATE FUNCTION pg_temp.update(changes text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(a->>'message', a::text) FROM dynamo.try_call('UpdateTable', ('{"TableName": "Made"}'::jsonb || changes::jsonb)::json) a $$;
CREATE FUNCTION pg_temp.add(vector text DEFAULT '{}', more text DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.update((jsonb_build_object('VectorIndexUpdates', jsonb_build_array(jsonb_build_object('Create', pg_temp.vector(vector)))) || more::jsonb)::text) $$;
SELECT u, pg_temp.update(u) FROM unnest(ARRAY['{"VectorIndexUpdates": []}', '{"VectorIndexUpdates": [{}]}', '{"VectorIndexUpdates": [{"Update": {"IndexName": "one"}}]}',
  '{"VectorIndexUpdates": [{"Delete": {"IndexName": "none"}}]}', '{"VectorIndexUpdates": [{"Delete": {"IndexName": "none"}}, {"Delete": {"IndexName": "none"}}]}',
  '{"VectorIndexUpdates": [{"Delete": {"IndexName": "none"}}], "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "none"}}]}',
  '{"VectorIndexUpdates": [{"Delete": {}}]}', '{"VectorIndexUpdates": [{"Delete": {"IndexName": "one"}}], "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}',
  '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}']) u;
SELECT pg_temp.update((jsonb_build_object('VectorIndexUpdates', jsonb_build_array(jsonb_build_object('Create', pg_temp.vector(), 'Delete', '{"IndexName": "one"}'::json))))::text);
SELECT pg_temp.add('{"IndexName": "one"}');
SELECT pg_temp.add('{"Dimensions": 5}');
SELECT pg_temp.add('{"Dimensions": 5000}');
SELECT pg_temp.add('{"VectorAttribute": {"AttributeName": "a"}}');
SELECT pg_temp.add('{"VectorAttribute": {"AttributeName": "other"}}', '{"AttributeDefinitions": [{"AttributeName": "other", "AttributeType": "S"}]}');
SELECT pg_temp.add('{"SearchSchema": [{"AttributeName": "a", "SearchSchemaElementType": "HASH"}]}');
SELECT pg_temp.add('{"SearchSchema": [{"AttributeName": "h", "SearchSchemaElementType": "HASH"}]}', '{"AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}]}');
-- a GSI cannot have the name of a vector index, nor the reverse
SELECT pg_temp.update('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "one", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}}]}');
SELECT dynamo.create_index('Made', 'gsi', 'g');
SELECT pg_temp.add('{"IndexName": "gsi"}');
SELECT pg_temp.update('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}]}');
SELECT pg_temp.update('{"VectorIndexUpdates": [{"Delete": {"IndexName": "gsi"}}]}');

-- added to a filled table: items that fit are found, others are passed over and stay
INSERT INTO dynamo_data."Made" (item) VALUES ('{"a": "1", "v": [1, 2]}'), ('{"a": "2", "v": [1]}'), ('{"a": "3", "v": "x"}'), ('{"a": "4"}') RETURNING 1;
SELECT a->>'TableStatus', a->'VectorIndexes'->2 FROM (SELECT dynamo.call('UpdateTable', (jsonb_build_object('TableName', 'Made', 'VectorIndexUpdates',
  jsonb_build_array(jsonb_build_object('Create', pg_temp.vector('{"VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2}')))))::json)->'TableDescription' AS a) t;
SELECT dynamo.call('DescribeTable', '{"TableName": "Made"}')#>>'{Table,VectorIndexes,2,IndexStatus}';
SELECT dynamo.call('SearchVectors', '{"TableName": "Made", "IndexName": "near", "TopK": 5, "SearchVector": [{"N": "1"}, {"N": "2"}]}');
SELECT dynamo.update_item('Made', '{"a": "2"}', 'SET note = :o', '{":o": 1}') IS NULL;
SELECT dynamo.update_item('Made', '{"a": "2"}', 'SET v = :o', '{":o": [1]}');
-- five at most
SELECT pg_temp.add('{"IndexName": "four"}') ~ '"IndexName":"four"', pg_temp.add('{"IndexName": "five"}') ~ '"IndexName":"five"', pg_temp.add('{"IndexName": "six"}');
-- deleted: told once more, then gone, and writes are free
SELECT dynamo.call('UpdateTable', '{"TableName": "Made", "VectorIndexUpdates": [{"Delete": {"IndexName": "near"}}]}')#>>'{TableDescription,VectorIndexes,2,IndexStatus}';
SELECT dynamo.call('DescribeTable', '{"TableName": "Made"}')#>>'{Table,VectorIndexes,2,IndexName}';
SELECT dynamo.try_call('SearchVectors', '{"TableName": "Made", "IndexName": "near", "TopK": 5, "SearchVector": [{"N": "1"}, {"N": "2"}]}');
SELECT dynamo.update_item('Made', '{"a": "2"}', 'SET v = :o', '{":o": [1]}') IS NULL;
-- rolled back: as before
BEGIN;
SELECT pg_temp.update('{"VectorIndexUpdates": [{"Delete": {"IndexName": "two"}}]}') ~ 'DELETING';
ROLLBACK;
SELECT dynamo.put_item('Made', '{"a": "5", "emb": [1]}');
-- a change to PAY_PER_REQUEST and an index, in one request
SELECT pg_temp.update('{"VectorIndexUpdates": [{"Delete": {"IndexName": "one"}}]}') ~ 'DELETING', pg_temp.update('{"VectorIndexUpdates": [{"Delete": {"IndexName": "two"}}]}') ~ 'DELETING',
  pg_temp.update('{"VectorIndexUpdates": [{"Delete": {"IndexName": "four"}}]}') ~ 'DELETING', pg_temp.update('{"VectorIndexUpdates": [{"Delete": {"IndexName": "five"}}]}') ~ 'DELETING';
SELECT dynamo.drop_index('Made', 'gsi');
SELECT pg_temp.update('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}') ~ 'PROVISIONED';
SELECT pg_temp.add();
SELECT pg_temp.add('{}', '{"BillingMode": "PAY_PER_REQUEST"}') ~ 'near';

-- backups keep it, and restores; items that do not fit come back, too
SELECT dynamo.call('CreateBackup', '{"TableName": "Made", "BackupName": "kept"}')#>>'{BackupDetails,BackupArn}' AS arn \gset
SELECT dynamo.call('DescribeBackup', json_build_object('BackupArn', :'arn'))#>'{BackupDescription,SourceTableFeatureDetails,VectorIndexes}';
CREATE FUNCTION pg_temp.restore(arn text, more text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(a->>'message', (a#>'{TableDescription,VectorIndexes}')::text, 'restored without') FROM dynamo.try_call('RestoreTableFromBackup', (jsonb_build_object('TargetTableName', 'Again', 'BackupArn', arn) || more::jsonb)::json) a $$;
INSERT INTO dynamo_data."Made" (item) VALUES ('{"a": "bad", "emb": 1}') RETURNING 1;
SELECT dynamo.call('CreateBackup', '{"TableName": "Made", "BackupName": "bad"}')#>>'{BackupDetails,BackupArn}' AS bad \gset
SELECT pg_temp.restore(:'bad', '{}');
SELECT count(*) FROM dynamo.scan('Again') UNION ALL SELECT count(*) FROM dynamo.scan('Made');
SELECT dynamo.call('DescribeTable', '{"TableName": "Again"}')#>>'{Table,VectorIndexes,0,IndexStatus}';
SELECT dynamo.put_item('Again', '{"a": "5", "emb": [1]}');
SELECT dynamo.drop_table('Again');
SELECT pg_temp.restore(:'arn', '{"VectorIndexOverride": []}');
SELECT dynamo.drop_table('Again');
SELECT pg_temp.restore(:'arn', jsonb_build_object('VectorIndexOverride', jsonb_build_array(pg_temp.vector('{"IndexName": "renamed"}')))::text);
SELECT dynamo.drop_table('Again');
SELECT pg_temp.restore(:'arn', jsonb_build_object('VectorIndexOverride', jsonb_build_array(pg_temp.vector(v)))::text) FROM unnest(ARRAY['{"Dimensions": 5}', '{"DistanceFunction": "EUCLIDEAN"}',
  '{"VectorAttribute": {"AttributeName": "x"}}', '{"Projection": {"ProjectionType": "KEYS_ONLY"}}', '{"SearchSchema": [{"AttributeName": "a", "SearchSchemaElementType": "HASH"}]}']) v;
SELECT pg_temp.restore(:'arn', '{"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT dynamo.call('DeleteBackup', json_build_object('BackupArn', b))#>>'{BackupDescription,BackupDetails,BackupStatus}' FROM unnest(ARRAY[:'arn', :'bad']) b;

-- a role needs SELECT to search, and learns nothing without
CREATE ROLE regress_vector;
SET ROLE regress_vector;
SELECT dynamo.try_call('SearchVectors', '{"TableName": "Made", "IndexName": "near", "TopK": 5, "SearchVector": [{"N": "1"}, {"N": "2"}]}')->>'__type';
RESET ROLE;
GRANT INSERT, UPDATE ON dynamo_data."Made" TO regress_vector;
SET ROLE regress_vector;
SELECT dynamo.try_call('SearchVectors', '{"TableName": "Made", "IndexName": "near", "TopK": 5, "SearchVector": [{"N": "1"}, {"N": "2"}]}')->>'__type';
RESET ROLE;
-- row-level security hides items from a search
GRANT SELECT ON dynamo_data."Made" TO regress_vector;
DELETE FROM dynamo_data."Made";
SELECT dynamo.put_item('Made', i::dynamo.item) IS NULL FROM unnest(ARRAY['{"a": "mine", "emb": [1, 2, 3, 4]}', '{"a": "yours", "emb": [1, 2, 3, 4]}']) i;
ALTER TABLE dynamo_data."Made" ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON dynamo_data."Made" USING (item->>'a' = 'mine');
SET ROLE regress_vector;
SELECT dynamo.call('SearchVectors', '{"TableName": "Made", "IndexName": "near", "TopK": 5, "SearchVector": [{"N": "1"}, {"N": "2"}, {"N": "3"}, {"N": "4"}]}');
RESET ROLE;

SELECT dynamo.drop_table('Made');
SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Made';
DROP ROLE regress_vector;
