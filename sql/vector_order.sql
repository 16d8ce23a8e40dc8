-- Plans that read a vector index in order, as searches of distributed tables make them on each shard
\t on
\a
\set VERBOSITY terse
SELECT dynamo.call('CreateTable', '{"TableName": "Ordered", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}, {"AttributeName": "kind", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}], "VectorIndexes": [
    {"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"},
     "SearchSchema": [{"AttributeName": "pk", "SearchSchemaElementType": "HASH"}, {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}]}]}') IS NOT NULL;
INSERT INTO dynamo_data."Ordered" (item) SELECT jsonb_build_object('pk', 'p' || i % 3, 'n', i, 'kind', 'k' || i % 2, 'v', jsonb_build_array(i * 7919 % 1009, i % 10))::dynamo.item FROM generate_series(1, 3000) AS i;
INSERT INTO dynamo_data."Ordered" (item) VALUES ('{"pk": "p0", "n": 0, "kind": "k0"}');

-- A query, as vector_query.c has it: its numbers are the server's own
CREATE FUNCTION pg_temp.own(number bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
SELECT CASE WHEN version() ~ 's390x' THEN number ELSE (SELECT string_agg(substr(number, i, 1), '' ORDER BY i DESC) FROM generate_series(1, length(number)) AS i) END $$;
CREATE FUNCTION pg_temp.asked(v real[], distance int DEFAULT 2, hashed int DEFAULT 1, ntags int DEFAULT 2) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
SELECT pg_temp.own(int2send(array_length(v, 1)::int2)) || substr(int4send(ntags), 4) || substr(int4send(hashed), 4) || pg_temp.own(int4send(distance)) || '\x00000000' || decode(repeat('00000000', ntags), 'hex') || string_agg(pg_temp.own(float4send(e)), '' ORDER BY i) FROM unnest(v) WITH ORDINALITY AS u (e, i) $$;
CREATE FUNCTION pg_temp.sql(q bytea, more text) RETURNS text LANGUAGE sql AS $$
SELECT format('SELECT item FROM dynamo_data."Ordered" WHERE %1$s OPERATOR(dynamo_internal.@@) %2$L::bytea ORDER BY %1$s OPERATOR(dynamo_internal.<->) %2$L::bytea %3$s', pg_get_indexdef(oid, 1, false), q, more) FROM pg_class WHERE relname = 'Ordered/near' $$;
CREATE FUNCTION pg_temp.plan(sql text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || sql LOOP
		RETURN NEXT regexp_replace(line, '(Index Cond|Order By|Sort Key|Filter): .*', '\1');
	END LOOP;
END $$;
CREATE FUNCTION pg_temp.found(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT count(*) || '' '' || md5(string_agg(d::text, '','')) FROM (SELECT power((item->''v''->>0)::float8 - 500, 2) + power((item->''v''->>1)::float8 - 5, 2) AS d FROM (%s) AS f) AS g', sql) INTO result;
	RETURN result;
END $$;
SELECT pg_temp.plan(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), 'LIMIT 10'));
-- The same with the index and by a sort, to the end, also where a pass keeps no more than 128 at a time
CREATE TEMP TABLE results AS SELECT 'index' AS way, n, pg_temp.found(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), 'LIMIT ' || n)) AS found FROM unnest(ARRAY[1, 10, 128, 129, 1300, 4000]) AS n;
SET work_mem = '64kB';
INSERT INTO results SELECT 'small memory', n, pg_temp.found(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), 'LIMIT ' || n)) FROM unnest(ARRAY[1, 10, 128, 129, 1300, 4000]) AS n;
-- ... and where there is memory for more than are counted
SET work_mem = '64GB';
INSERT INTO results SELECT 'much memory', n, pg_temp.found(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), 'LIMIT ' || n)) FROM unnest(ARRAY[1, 10, 128, 129, 1300, 4000]) AS n;
RESET work_mem;
SET enable_indexscan = off;
SELECT pg_temp.plan(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), 'LIMIT 10'));
INSERT INTO results SELECT 'sort', n, pg_temp.found(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), 'LIMIT ' || n)) FROM unnest(ARRAY[1, 10, 128, 129, 1300, 4000]) AS n;
RESET enable_indexscan;
SELECT n, split_part(min(found), ' ', 1), count(DISTINCT found) = 1 AS same FROM results GROUP BY n ORDER BY n;
-- In no order; of another shape; no query
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY[1, 1]);
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY[1, 1, 1]);
SELECT count(*), count(d) FROM (SELECT dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.<->) pg_temp.asked(ARRAY[1, 1, 1]) AS d FROM dynamo_data."Ordered"
  WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY[1, 1]) ORDER BY 1 LIMIT 200) AS f;
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) (SELECT NULL::bytea);
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) '\x00';
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY['NaN', 1]::real[]);
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY[1, 1], distance => 3);
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY[1, 1], ntags => 0);
-- Two orders at once are for a sort
SELECT split_part(pg_temp.found(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), ', dynamo_internal.vector_entry(item, ''v'', 2, ''{pk,kind}'', ''{S,S}'', true) OPERATOR(dynamo_internal.<->) pg_temp.asked(ARRAY[1, 1]) LIMIT 10')), ' ', 1);
-- ... and two conditions for a filter, also where reading the whole table is discouraged
SET enable_seqscan = off;
SELECT split_part(pg_temp.found(pg_temp.sql(pg_temp.asked(ARRAY[500, 5]), ', dynamo_internal.vector_entry(item, ''v'', 2, ''{pk,kind}'', ''{S,S}'', true) OPERATOR(dynamo_internal.<->) pg_temp.asked(ARRAY[1, 1]) LIMIT 10')), ' ', 1);
SELECT count(*) FROM dynamo_data."Ordered" WHERE dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY[1, 1])
  AND dynamo_internal.vector_entry(item, 'v', 2, '{pk,kind}', '{S,S}', true) OPERATOR(dynamo_internal.@@) pg_temp.asked(ARRAY[2, 2]);
RESET enable_seqscan;
-- Of the queries of a loop, each is another
DO $$
DECLARE entry dynamo_internal.vector_entry := dynamo_internal.vector_entry('{"pk": "p", "kind": "k", "v": [3, 4]}', 'v', 2, '{pk,kind}', '{S,S}', true);
	q bytea;
BEGIN
	FOREACH q IN ARRAY ARRAY[pg_temp.asked(ARRAY[0, 0]), pg_temp.asked(ARRAY[3, 0]), pg_temp.asked(ARRAY[0, 0, 0]), pg_temp.asked(ARRAY[3, 4])] LOOP
		RAISE NOTICE '% %', entry OPERATOR(dynamo_internal.<->) q, entry OPERATOR(dynamo_internal.@@) q;
	END LOOP;
END $$;
SELECT dynamo.drop_table('Ordered');
