-- What a vector index keeps beside the items, dynamo_vector: a search by it finds what a
-- search of the items finds, whatever has been done to the rows.
\t on
\a
SET client_min_messages = warning;
SELECT setseed(0.3);
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/removable.sql
\i :helper
CREATE FUNCTION pg_temp.numbers(dimensions int, n int) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT jsonb_agg(round((random() * 2 - 1)::numeric, 4)) FROM generate_series(1, dimensions) WHERE n IS NOT NULL $$;
CREATE FUNCTION pg_temp.make(name text, dimensions int, distance text, schema jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT dynamo.call('CreateTable', jsonb_build_object('TableName', name, 'BillingMode', 'PAY_PER_REQUEST',
    'AttributeDefinitions', '[{"AttributeName": "tenant", "AttributeType": "S"}, {"AttributeName": "id", "AttributeType": "N"}]'::jsonb || CASE WHEN schema @> '[{"AttributeName": "color"}]' THEN '[{"AttributeName": "color", "AttributeType": "S"}]' ELSE '[]'::jsonb END,
    'KeySchema', '[{"AttributeName": "tenant", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}]'::jsonb,
    'VectorIndexes', jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('IndexName', 'Near', 'VectorAttribute', '{"AttributeName": "v"}'::jsonb,
      'Dimensions', dimensions, 'DistanceFunction', distance, 'SearchSchema', schema, 'Projection', '{"ProjectionType": "KEYS_ONLY"}'::jsonb))))::json)
    #>>'{TableDescription,VectorIndexes,0,IndexStatus}' $$;
-- What a search finds by the index, and once more from the items: with another name the
-- index is none of the definition's.
CREATE FUNCTION pg_temp.found(name text, v jsonb, condition text, vals text) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(string_agg(concat_ws(' ', item->>'tenant', item->>'id', score), ', ' ORDER BY n), 'nothing')
  FROM dynamo.search_vectors(name, 'Near', v, 20, condition, vals::dynamo.item) WITH ORDINALITY AS s (item, score, n) $$;
CREATE FUNCTION pg_temp.same(name text, dimensions int, condition text DEFAULT NULL, vals text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v jsonb := pg_temp.numbers(dimensions, 1); kept text; read text;
BEGIN
  kept := pg_temp.found(name, v, condition, vals);
  EXECUTE format('ALTER INDEX dynamo_data.%I RENAME TO away', name || '/Near');
  read := pg_temp.found(name, v, condition, vals);
  EXECUTE format('ALTER INDEX dynamo_data.away RENAME TO %I', name || '/Near');
  RETURN CASE WHEN kept = read THEN regexp_count(kept, ',') + 1 || ' the same' ELSE kept || ' but ' || read END;
END $$;
CREATE FUNCTION pg_temp.sound(name text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT c::text FROM dynamo.check_table(name) AS c $$;
CREATE FUNCTION pg_temp.looked_at(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; result text := '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || statement LOOP
    result := result || coalesce(substring(line FROM '(?:Items Read|Vectors Compared): .*'), '');
  END LOOP;
  RETURN result;
END $$;
CREATE FUNCTION pg_temp.pages(statement text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || statement INTO plan;
  RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;

-- the relation, and that core knows it as an index
SELECT pg_temp.make('Kept', 3, 'EUCLIDEAN', '[{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "color", "SearchSchemaElementType": "INLINE_FILTER"}]');
SELECT pg_get_indexdef('dynamo_data."Kept/Near"'::regclass);
SELECT dynamo.put_item('Kept', jsonb_build_object('tenant', 't' || n % 3, 'id', n, 'color', CASE n % 2 WHEN 0 THEN 'red' ELSE 'blue' END, 'v', pg_temp.numbers(3, n))::text::dynamo.item)
  FROM generate_series(1, 60) AS n \g /dev/null
SELECT pg_temp.same('Kept', 3, 'tenant = :t', '{":t": "t1"}');
SELECT pg_temp.same('Kept', 3, 'tenant = :t AND color = :c', '{":t": "t1", ":c": "red"}');
SELECT pg_temp.same('Kept', 3, 'tenant = :t', '{":t": "t9"}');
SELECT pg_temp.looked_at($$SELECT * FROM dynamo.search_vectors('Kept', 'Near', '[0, 0, 0]', 1, 'tenant = :t AND color = :c', '{":t": "t1", ":c": "red"}')$$) ~ 'Vectors Compared: 10$';
-- no value of its type can be made by hand
SELECT '0 dimensions'::dynamo_internal.vector_entry;
SELECT dynamo_internal.vector_entry('{"v": [1, 2]}', 'v', 2, '{}', '{}', false);
-- arguments that no definition has, and items that are not in the index
SELECT dynamo_internal.vector_entry(item::dynamo.item, 'v', dimensions, attributes, types, hashed) FROM (VALUES
  ('{"v": [1, 2]}', 3, '{}'::text[], '{}'::"char"[], false), ('{"v": [1, 2]}', 0, '{}', '{}', false), ('{"v": [1, 2]}', 4097, '{}', '{}', false),
  ('{"v": [1, 2]}', 2, '{a}', '{}', false), ('{"v": [1, 2]}', 2, '{a}', '{NULL}', false), ('{"v": [1, 2]}', 2, '{}', '{}', true),
  ('{"v": [1, 2]}', 2, '{a}', '{S}', true), ('{"v": [1, "2"]}', 2, '{}', '{}', false), ('{"a": 1}', 2, '{}', '{}', false)) AS x (item, dimensions, attributes, types, hashed);

-- by all doors
INSERT INTO dynamo_data."Kept" (item) VALUES ('{"tenant": "t1", "id": 100, "v": [9, 9, 9]}'), ('{"tenant": "t1", "id": 101, "v": [9, 9]}'), ('{"tenant": "t1", "id": 102}');
COPY dynamo_data."Kept" (item) FROM stdin;
{"tenant": "t1", "id": 103, "v": [9, 9, 8]}
\.
SELECT * FROM dynamo.partiql($$INSERT INTO "Kept" VALUE {'tenant': 't1', 'id': 104, 'v': [9, 9, 7]}$$);
SELECT pg_temp.found('Kept', '[9, 9, 9]', 'tenant = :t', '{":t": "t1"}') ~ '^t1 100 0, t1 103 1, t1 104 2, t1 \d\d? ';
UPDATE dynamo_data."Kept" SET item = '{"tenant": "t1", "id": 100, "v": [9, 9, 5]}' WHERE pk = 't1' AND sk = 100;
SELECT dynamo.update_item('Kept', '{"tenant": "t1", "id": 103}', 'SET v[2] = :n', '{":n": 9}');
SELECT dynamo.delete_item('Kept', '{"tenant": "t1", "id": 104}');
SELECT dynamo.update_item('Kept', '{"tenant": "t1", "id": 102}', 'SET v = :v', '{":v": [9, 9, 8.5]}');
SELECT pg_temp.found('Kept', '[9, 9, 9]', 'tenant = :t', '{":t": "t1"}') ~ '^t1 103 0, t1 102 0.5, t1 100 4, t1 \d\d? ';
SELECT pg_temp.same('Kept', 3, 'tenant = :t', '{":t": "t1"}');
-- the writes of the own transaction, and those that are taken back
BEGIN;
SELECT dynamo.put_item('Kept', '{"tenant": "t1", "id": 200, "v": [20, 20, 20]}');
SAVEPOINT s;
SELECT dynamo.put_item('Kept', '{"tenant": "t1", "id": 201, "v": [20, 20, 20]}');
SELECT pg_temp.found('Kept', '[20, 20, 20]', 'tenant = :t', '{":t": "t1"}') ~ '^t1 200 0, t1 201 0, ';
ROLLBACK TO s;
SELECT pg_temp.found('Kept', '[20, 20, 20]', 'tenant = :t', '{":t": "t1"}') ~ '^t1 200 0, t1 103 ';
ROLLBACK;
SELECT pg_temp.found('Kept', '[20, 20, 20]', 'tenant = :t', '{":t": "t1"}') ~ '^t1 103 ';
-- of those with one score the key decides, not the place
SELECT dynamo.put_item('Kept', jsonb_build_object('tenant', 'same', 'id', n * 7 % 30, 'v', '[1, 1, 1]'::jsonb)::text::dynamo.item) FROM generate_series(1, 29) AS n \g /dev/null
SELECT string_agg(item->>'id', ' ' ORDER BY n) FROM dynamo.search_vectors('Kept', 'Near', '[0, 0, 0]', 10, 'tenant = :t', '{":t": "same"}') WITH ORDINALITY AS s (item, score, n);
SELECT pg_temp.same('Kept', 3, 'tenant = :t', '{":t": "same"}');
SELECT pg_temp.sound('Kept');

-- an update that leaves the vector alone is HOT, one that does not is not
SELECT pg_stat_force_next_flush();
SELECT n_tup_hot_upd AS hot, n_tup_upd AS updates FROM pg_stat_user_tables WHERE relid = 'dynamo_data."Kept"'::regclass \gset before_
SELECT dynamo.update_item('Kept', '{"tenant": "same", "id": 1}', 'SET note = :n', '{":n": 1}');
SELECT dynamo.put_item('Kept', '{"tenant": "same", "id": 2, "note": 1, "v": [1, 1, 1]}');
UPDATE dynamo_data."Kept" SET item = '{"tenant": "same", "id": 3, "note": 1, "v": [1, 1, 1]}' WHERE pk = 'same' AND sk = 3;
SELECT dynamo.update_item('Kept', '{"tenant": "same", "id": 4}', 'SET v = :v', '{":v": [1, 1, 2]}');
SELECT dynamo.update_item('Kept', '{"tenant": "same", "id": 5}', 'SET color = :c', '{":c": "red"}');
SELECT pg_stat_force_next_flush();
SELECT n_tup_hot_upd - :before_hot AS hot, n_tup_upd - :before_updates AS updates FROM pg_stat_user_tables WHERE relid = 'dynamo_data."Kept"'::regclass;
SELECT pg_temp.same('Kept', 3, 'tenant = :t AND color = :c', '{":t": "same", ":c": "red"}');

-- An entry that an update had left as it was would be looked at last, and passed over.
SELECT pg_temp.make('Moved', 2, 'EUCLIDEAN', '[{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "color", "SearchSchemaElementType": "INLINE_FILTER"}]');
CREATE FUNCTION pg_temp.first(v text, condition text DEFAULT '') RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT item->>'id' || ' ' || score FROM dynamo.search_vectors('Moved', 'Near', v, 1, 'tenant = :t' || condition,
    CASE condition WHEN '' THEN '{":t": "t"}' ELSE '{":t": "t", ":c": "red"}' END::dynamo.item) $$;
SELECT dynamo.put_item('Moved', '{"tenant": "t", "id": 1, "v": [1, 1]}');
SELECT dynamo.put_item('Moved', '{"tenant": "t", "id": 2, "v": [-9, -9], "color": "blue"}');
SELECT dynamo.update_item('Moved', '{"tenant": "t", "id": 2}', 'SET v = :v', '{":v": [9, 9]}');
SELECT pg_temp.first('[9, 9]'), pg_temp.first('[9, 9]', ' AND color = :c');
SELECT dynamo.put_item('Moved', '{"tenant": "t", "id": 2, "v": [9, 8], "color": "red"}');
SELECT pg_temp.first('[9, 8]', ' AND color = :c');
SELECT dynamo.update_item('Moved', '{"tenant": "t", "id": 2}', 'SET color = :c', '{":c": "blue"}');
SELECT pg_temp.first('[9, 8]', ' AND color = :c');
SELECT dynamo.update_item('Moved', '{"tenant": "t", "id": 2}', 'SET color = :c', '{":c": "red"}');
SELECT pg_temp.first('[9, 8]', ' AND color = :c');
UPDATE dynamo_data."Moved" SET item = '{"tenant": "t", "id": 2, "v": [9, 7], "color": "red"}' WHERE sk = 2;
SELECT pg_temp.first('[9, 7]'), pg_temp.sound('Moved');

-- Groups of one page and of several, vectors that lie on two pages and on three; with a
-- HASH attribute and without. Room that VACUUM finds is used again.
CREATE TABLE sizes (name text, dimensions int, n int, distance text);
INSERT INTO sizes VALUES ('D1', 1, 1500, 'DOT_PRODUCT'), ('D128', 128, 150, 'COSINE'), ('D1000', 1000, 40, 'EUCLIDEAN'), ('D1536', 1536, 20, 'COSINE'), ('D2049', 2049, 15, 'DOT_PRODUCT'), ('D4096', 4096, 8, 'EUCLIDEAN');
SELECT pg_temp.make(name || hashed, dimensions, distance, CASE WHEN hashed THEN '[{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}]'::jsonb END)
  FROM sizes, (VALUES (true), (false)) AS h (hashed) ORDER BY name, hashed;
CREATE FUNCTION pg_temp.fill(name text, dimensions int, first int, last int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO dynamo_data.%I (item) SELECT jsonb_build_object(''tenant'', ''t'' || i %% 4, ''id'', i, ''v'', pg_temp.numbers($1, i))::text::dynamo.item FROM generate_series($2, $3) AS i', name)
    USING dimensions, first, last;
END $$;
SELECT pg_temp.fill(name || hashed, dimensions, 1, n) FROM sizes, (VALUES (true), (false)) AS h (hashed) ORDER BY name, hashed \g /dev/null
SELECT name, pg_relation_size(format('dynamo_data.%I', name || 'true/Near')::regclass) / 8192 AS pages, pg_temp.same(name || 'true', dimensions, 'tenant = :t', '{":t": "t2"}'), pg_temp.same(name || 'false', dimensions) FROM sizes ORDER BY dimensions;
DELETE FROM dynamo_data."D1536true" WHERE sk <= 10;
DELETE FROM dynamo_data."D128false" WHERE sk <= 100;
SELECT pg_temp.removable() \g /dev/null
VACUUM dynamo_data."D1536true", dynamo_data."D128false";
SELECT pg_relation_size('dynamo_data."D1536true/Near"') AS wide, pg_relation_size('dynamo_data."D128false/Near"') AS narrow \gset before_
SELECT pg_temp.fill('D1536true', 1536, 101, 110), pg_temp.fill('D128false', 128, 1001, 1100);
SELECT pg_relation_size('dynamo_data."D1536true/Near"') - :before_wide AS wide, pg_relation_size('dynamo_data."D128false/Near"') - :before_narrow AS narrow;
SELECT pg_temp.same('D1536true', 1536, 'tenant = :t', '{":t": "t2"}'), pg_temp.same('D128false', 128);
SELECT pg_temp.sound(name || hashed) FROM sizes, (VALUES (true), (false)) AS h (hashed);

-- Many tenants: generations with ever more buckets, so that a search of one reads few pages
SELECT pg_temp.make('Many', 128, 'COSINE', '[{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}]');
SELECT pg_temp.fill('Many', 128, 1, 600);
INSERT INTO dynamo_data."Many" (item) SELECT jsonb_build_object('tenant', 'u' || i % 500, 'id', i, 'v', v)::text::dynamo.item FROM generate_series(1, 3000) AS i, (SELECT pg_temp.numbers(128, 1) AS v) AS one;
SELECT pg_temp.same('Many', 128, 'tenant = :t', '{":t": "u7"}'), pg_temp.same('Many', 128, 'tenant = :t', '{":t": "t2"}');
SELECT pg_temp.pages($$SELECT * FROM dynamo.search_vectors('Many', 'Near', array_fill(1, ARRAY[128]), 1, 'tenant = :t', '{":t": "u7"}')$$) < 130 AS few_pages, pg_relation_size('dynamo_data."Many/Near"') / 8192 > 230 AS of_many;
DELETE FROM dynamo_data."Many" WHERE pk IN ('t0', 't1', 't2');
DELETE FROM dynamo_data."Many" WHERE sk <= 2000;
SELECT pg_temp.removable() \g /dev/null
VACUUM dynamo_data."Many";
SELECT pg_relation_size('dynamo_data."Many/Near"') AS size \gset before_
SELECT pg_temp.fill('Many', 128, 5001, 6500);
SELECT pg_relation_size('dynamo_data."Many/Near"') - :before_size <= 8192 * 30 AS reused;
SELECT pg_temp.same('Many', 128, 'tenant = :t', '{":t": "u7"}'), pg_temp.same('Many', 128, 'tenant = :t', '{":t": "t2"}');
SELECT pg_temp.sound('Many');

-- what core does to indexes
REINDEX INDEX dynamo_data."Many/Near";
SELECT pg_temp.same('Many', 128, 'tenant = :t', '{":t": "t2"}');
REINDEX INDEX CONCURRENTLY dynamo_data."Many/Near";
SELECT pg_temp.same('Many', 128, 'tenant = :t', '{":t": "t2"}');
VACUUM FULL dynamo_data."Many";
SELECT pg_temp.same('Many', 128, 'tenant = :t', '{":t": "t2"}');
CLUSTER dynamo_data."Many" USING "Many/Near";
SELECT pg_temp.sound('Many');
-- ANALYZE makes no entries, which are long, and would all be in memory at once
ANALYZE dynamo_data."Many";
SELECT count(*) FROM pg_statistic WHERE starelid = 'dynamo_data."Many/Near"'::regclass;
TRUNCATE dynamo_data."Many";
SELECT pg_temp.same('Many', 128, 'tenant = :t', '{":t": "t2"}');
ALTER TABLE dynamo_data."Many" SET UNLOGGED;
SELECT pg_temp.fill('Many', 128, 1, 40);
SELECT pg_temp.same('Many', 128, 'tenant = :t', '{":t": "t2"}');
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'vector_entry_ops';
-- no plan of SQL uses it
SET enable_seqscan = off;
CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; RETURN plan; END $$;
SELECT pg_temp.plan($$SELECT count(*) FROM dynamo_data."Many" WHERE dynamo_internal.vector_entry(item, 'v', 128, '{tenant}', '{S}', true) IS NOT NULL$$) !~ 'Index';
RESET enable_seqscan;
-- an index of one's own, of entries that differ in their shape
CREATE TABLE own (item dynamo.item, n int);
CREATE INDEX own_vectors ON own USING dynamo_vector (dynamo_internal.vector_entry(item, 'v', n, '{}', '{}', false));
INSERT INTO own VALUES ('{"v": [1, 2]}', 2), ('{"v": [1, 2]}', 3), (NULL, 2);
INSERT INTO own VALUES ('{"v": [1, 2, 3]}', 3);
CREATE UNIQUE INDEX ON own USING dynamo_vector (dynamo_internal.vector_entry(item, 'v', n, '{}', '{}', false));
CREATE INDEX ON own USING dynamo_vector (n);
CREATE INDEX ON own USING dynamo_vector (dynamo_internal.vector_entry(item, 'v', 2, '{}', '{}', false), dynamo_internal.vector_entry(item, 'v', 3, '{}', '{}', false));
CREATE INDEX ON own USING dynamo_vector (dynamo_internal.vector_entry(item, 'v', n, '{}', '{}', false)) WITH (fillfactor = 50);
ALTER INDEX own_vectors SET (fillfactor = 50);
-- a search of an index that is another's searches the items; dropping that changes nothing
ALTER INDEX dynamo_data."Kept/Near" RENAME TO "Kept/Away";
CREATE INDEX "Kept/Near" ON dynamo_data."Kept" USING dynamo_vector (dynamo_internal.vector_entry(item, 'w', 3, '{tenant,color}', '{S,S}', true));
SELECT pg_temp.found('Kept', '[9, 9, 9]', 'tenant = :t', '{":t": "t1"}') ~ '^t1 103 0, t1 102 0.5, ';
DROP INDEX dynamo_data."Kept/Near";
ALTER INDEX dynamo_data."Kept/Away" RENAME TO "Kept/Near";
SELECT pg_temp.found('Kept', '[9, 9, 9]', 'tenant = :t', '{":t": "t1"}') ~ '^t1 103 0, t1 102 0.5, ';
-- to drop the relation is to delete the index
DROP INDEX dynamo_data."Kept/Near";
SELECT pg_temp.found('Kept', '[9, 9, 9]', 'tenant = :t', '{":t": "t1"}');
-- UpdateTable builds it of the items that are there, and drops it
SELECT dynamo.call('UpdateTable', '{"TableName": "Kept", "VectorIndexUpdates": [{"Create": {"IndexName": "Near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 3, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"}}}]}') IS NOT NULL;
SELECT pg_temp.same('Kept', 3), pg_temp.sound('Kept');
SELECT dynamo.call('DescribeTable', '{"TableName": "Kept"}')#>>'{Table,VectorIndexes,0,ItemCount}', count(*) FROM dynamo_data."Kept" WHERE item->'v' IS NOT NULL AND jsonb_array_length(item->'v') = 3;
SELECT dynamo.call('UpdateTable', '{"TableName": "Kept", "VectorIndexUpdates": [{"Delete": {"IndexName": "Near"}}]}') IS NOT NULL;
SELECT to_regclass('dynamo_data."Kept/Near"') IS NULL;
DROP TABLE own, sizes;
SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name ~ '^(D\d|Kept|Many|Moved)' ORDER BY table_name \g /dev/null
