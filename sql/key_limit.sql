--
-- Keys at their limits: 2048 bytes and 1024 bytes, both at once, incompressible,
-- in the primary key and in an index
--
CREATE FUNCTION key_noise(seed int, bytes int) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT substr(string_agg(md5(seed || ':' || i), '' ORDER BY i), 1, bytes) FROM generate_series(0, bytes / 32) i $$;
CREATE TABLE key_limit (
  pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'PK', 'S')) STORED NOT NULL,
  sk dynamo.sort_key GENERATED ALWAYS AS (dynamo_internal.sort_key(item, 'SK', 'S')) STORED NOT NULL,
  item dynamo.item NOT NULL, PRIMARY KEY (pk, sk));
CREATE INDEX key_limit_gsi ON key_limit (dynamo_internal.index_partition_hash(item, 'G', 'S'::"char"), dynamo_internal.index_sort_key(item, 'H', 'S'), dynamo_internal.key_hash(item, 'PK', 'SK'))
  WHERE dynamo_internal.index_partition_hash(item, 'G', 'S'::"char") IS NOT NULL AND dynamo_internal.index_sort_key(item, 'H', 'S') IS NOT NULL;

INSERT INTO key_limit (item) SELECT jsonb_build_object('PK', key_noise(i, 2048), 'SK', key_noise(-i, 1024), 'G', key_noise(i, 2048), 'H', key_noise(-i, 1024))
FROM generate_series(1, 40) i;
-- keys that differ in their last byte only
INSERT INTO key_limit (item) SELECT jsonb_build_object('PK', key_noise(0, 2047) || c, 'SK', key_noise(0, 1023) || c) FROM unnest('{a,b}'::text[]) c;
SELECT count(*), count(DISTINCT pk), count(DISTINCT sk) FROM key_limit;
SET enable_seqscan = off;
SELECT count(*), count(*) FILTER (WHERE dynamo_internal.partition_key_in(textout(pk::text)) = pk) FROM key_limit WHERE pk = key_noise(7, 2048) AND sk = key_noise(-7, 1024);
SELECT right(item ->> 'PK', 1) FROM key_limit WHERE pk = key_noise(0, 2047) || 'b';
SELECT count(*) FROM key_limit WHERE dynamo_internal.index_partition_hash(item, 'G', 'S'::"char") = dynamo_internal.index_partition_hash(jsonb_build_object('G', key_noise(9, 2048)), 'G', 'S'::"char") AND dynamo_internal.index_sort_key(item, 'H', 'S') IS NOT NULL;
RESET enable_seqscan;
-- the same key again
INSERT INTO key_limit (item) SELECT jsonb_set(item::jsonb, '{x}', '1') FROM key_limit WHERE pk = key_noise(7, 2048) ON CONFLICT DO NOTHING;
SELECT count(*) FROM key_limit;

-- one byte more; limits are of bytes, not characters
INSERT INTO key_limit (item) SELECT jsonb_build_object('PK', repeat('x', 2049), 'SK', 's');
INSERT INTO key_limit (item) SELECT jsonb_build_object('PK', 'p', 'SK', repeat('x', 1025));
INSERT INTO key_limit (item) SELECT jsonb_build_object('PK', repeat('é', 1024), 'SK', repeat('é', 512));
INSERT INTO key_limit (item) SELECT jsonb_build_object('PK', repeat('é', 1025), 'SK', 's');
SELECT repeat('x', 2049)::dynamo.partition_key;
SELECT repeat('x', 1025)::dynamo.sort_key;
SELECT length(repeat('x', 1536)::dynamo.partition_key::text), left(repeat('x', 1537)::dynamo.partition_key::text, 7);

-- a key that is cut is told apart by the SHA-256 of all of it
SELECT n, substr(dynamo_internal.partition_key_send(k), 6, 1504) = convert_to(repeat('x', 1504), 'UTF8') AS beginning,
  substr(dynamo_internal.partition_key_send(k), 1510) = sha256(convert_to(repeat('x', n - 1) || 'y', 'UTF8')) AS rest
FROM unnest(ARRAY[1537, 2048]) n, CAST(repeat('x', n - 1) || 'y' AS dynamo.partition_key) k;

-- what PutItem refuses, a row is refused for
INSERT INTO key_limit (item) VALUES ('{"SK":"s"}');
INSERT INTO key_limit (item) VALUES ('{"PK":"p"}');
INSERT INTO key_limit (item) VALUES ('{"PK":5,"SK":"s"}');
INSERT INTO key_limit (item) VALUES ('{"PK":"p","SK":null}');
INSERT INTO key_limit (item) VALUES ('{"PK":"","SK":"s"}');
INSERT INTO key_limit (item) VALUES ('{"PK":{"S":"p"},"SK":{"B":""}}');
INSERT INTO key_limit (pk, item) VALUES ('q', '{"PK":"p","SK":"s"}');
SELECT dynamo_internal.sort_key('{"SK":{"B":""}}', 'SK', 'B');
SELECT dynamo_internal.sort_key('{"SK":{"B":""}}', 'SK', 'X');
DROP TABLE key_limit;

-- an index passes over what has no proper key
SELECT i, dynamo_internal.index_partition_hash(i, 'g', 'N'::"char") AS pk, dynamo_internal.index_sort_key(i, 'h', 'S') AS sk,
  dynamo_internal.index_partition_hash(i, '{g,h}'::text[], '{N,S}'::"char"[]) AS both
FROM unnest(ARRAY['{"g":1,"h":"x"}', '{"g":1}', '{"g":"1","h":""}', '{"g":null,"h":2}', '{}']::dynamo.item[]) i;
SELECT dynamo_internal.index_sort_key(jsonb_build_object('h', repeat('x', 1025)), 'h', 'S') IS NULL,
       dynamo_internal.index_partition_hash(jsonb_build_object('h', repeat('x', 2049)), 'h', 'S'::"char") IS NULL;
SELECT dynamo_internal.index_sort_key('{"h":""}', 'h', 'S') IS NULL AS empty_s, dynamo_internal.index_partition_hash('{"h":{"B":""}}', 'h', 'B'::"char") IS NULL AS empty_b;
-- as many types as attributes, one to eight, or no key
SELECT dynamo_internal.index_partition_hash('{"g":1,"h":"x"}', '{g}'::text[], '{N,S}'::"char"[]) IS NULL AS types,
  dynamo_internal.index_partition_hash('{"g":1,"h":"x"}', '{g,h}'::text[], '{N}'::"char"[]) IS NULL AS attributes,
  dynamo_internal.index_partition_hash('{"g":1}', '{}'::text[], '{}'::"char"[]) IS NULL AS none,
  dynamo_internal.index_partition_hash('{"g":1}', '{g,g,g,g,g,g,g,g,g}'::text[], '{N,N,N,N,N,N,N,N,N}'::"char"[]) IS NULL AS nine;
-- the tie-breaker is that of the whole primary key
SELECT dynamo_internal.key_hash('{"a":"x","b":1}', 'a'), dynamo_internal.key_hash('{"a":"x","b":1}', 'a', 'b'), dynamo_internal.key_hash('{"a":"x"}', 'a', 'b') IS NULL;
-- what was computed last is not taken for a key that differs in its sort key alone
SELECT dynamo_internal.key_hash('{"a":"x","b":"p"}', 'a', 'b') <> dynamo_internal.key_hash('{"a":"x","b":"q"}', 'a', 'b') AS differ;
DROP FUNCTION key_noise;

-- keys that are stored away from their rows
CREATE TABLE key_away (pk dynamo.partition_key, sk dynamo.sort_key) WITH (toast_tuple_target = 128);
ALTER TABLE key_away ALTER pk SET STORAGE EXTERNAL, ALTER sk SET STORAGE EXTERNAL;
INSERT INTO key_away SELECT repeat('p', 1500) || c, repeat('s', 1023) || c FROM unnest('{b,a}'::text[]) c;
SELECT pg_relation_size(reltoastrelid) > 0 AS away FROM pg_class WHERE oid = 'key_away'::regclass;
SELECT right(sk::text, 1) AS last, pk = pk AS same_pk, sk = sk AS same_sk, sk = repeat('s', 1023) || 'a' AS is_a FROM key_away ORDER BY sk;
SELECT count(*) FROM key_away a JOIN key_away b USING (pk, sk);
DROP TABLE key_away;
