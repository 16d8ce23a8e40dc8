-- search_vectors: a search in SQL, by vectors of all types, in plans, and what it refuses
\t on
\a
\set VERBOSITY terse
CREATE FUNCTION pg_temp.must(operation text, request json) RETURNS void LANGUAGE sql AS $$ SELECT dynamo.call(operation, request) $$;
CREATE FUNCTION pg_temp.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
    RETURN NEXT regexp_replace(line, '(rows=\d+)\.00', '\1'); -- PostgreSQL 18 shows numbers of rows as 1.00
  END LOOP; END $$;
SELECT pg_temp.must('CreateTable', '{"TableName": "Sought", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "tenant", "AttributeType": "S"}, {"AttributeName": "id", "AttributeType": "N"}, {"AttributeName": "year", "AttributeType": "N"}],
  "KeySchema": [{"AttributeName": "tenant", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}],
  "VectorIndexes": [
    {"IndexName": "Near", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 2, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"},
     "SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "year", "SearchSchemaElementType": "INLINE_FILTER"}]},
    {"IndexName": "Any", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 2, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "KEYS_ONLY"}}]}');
INSERT INTO dynamo_data."Sought" (item)
  SELECT jsonb_build_object('tenant', t, 'id', i, 'year', 2000 + i % 2, 'emb', jsonb_build_array(i, i % 3 * 0.1))::dynamo.item
  FROM unnest(ARRAY['a', 'b']) AS t, generate_series(1, 20) AS i;
INSERT INTO dynamo_data."Sought" (item) VALUES ('{"tenant": "a", "id": 99}'), ('{"tenant": "a", "id": 98, "emb": [1, "x"]}');

-- items, best first, with their scores, without the vector
SELECT * FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 3, 'tenant = :t', '{":t": "a"}');
SELECT item, score FROM dynamo.search_vectors('Sought', 'Near', search_vector => ARRAY[3, 0], top_k => 2, search_condition_expression => '#t = :t AND #y = :y',
  expression_attribute_values => '{":t": "b", ":y": 2001}', expression_attribute_names => '{"#t": "tenant", "#y": "year"}', projection_expression => 'id, emb');
SELECT score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[-1, 0], 1);

-- all types that write a list of numbers; each element is the float4 next to all its digits
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[7.0, 0.1]::real[], 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[7.0, 0.1]::double precision[], 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[7.0, 0.1], 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[3, 0], 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', '[7, 0.1]', 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', E' [\n7e0,1E-1 ]\t'::text, 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', '[7, 0.1]'::json, 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', '[7, 0.1]'::jsonb, 1);
SET extra_float_digits = -5;
SELECT item->>'id', score = 0 FROM dynamo.search_vectors('Sought', 'Any', ARRAY[7.0, 0.1]::real[], 1);
RESET extra_float_digits;
CREATE DOMAIN sought_vector AS real[];
CREATE DOMAIN sought_number AS real;
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[7.0, 0.1]::sought_vector, 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[7.0, 0.1]::sought_number[], 1);
DROP DOMAIN sought_vector, sought_number;

-- a type of others, as pgvector's, that is written as a list
SET client_min_messages = warning;
CREATE TYPE sought_type;
CREATE FUNCTION sought_in(cstring) RETURNS sought_type LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION sought_out(sought_type) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE sought_type (INPUT = sought_in, OUTPUT = sought_out, LIKE = text);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', '[7,0.1]'::sought_type, 1);
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Any', ARRAY['7', '0.1']::sought_type[], 1);
DROP TYPE sought_type CASCADE;
RESET client_min_messages;

-- in a target list, below a join, with the vector of another row, by an expression that is not constant
SELECT dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 2, 'tenant = :t', '{":t": "a"}');
SELECT (dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 2, 'tenant = :t', '{":t": "a"}')).score;
SELECT q.n, s.item->>'id' AS id, score FROM (VALUES (1, ARRAY[2.0, 0]), (2, ARRAY[19.0, 0])) AS q (n, v),
  dynamo.search_vectors('Sought', 'Near', v, 2, 'tenant = :t', '{":t": "a"}') AS s ORDER BY n, score;
SELECT s.item->>'id' AS id, g.item->'year' AS year, round(score::numeric, 3) AS score
FROM dynamo.search_vectors('Sought', 'Any', ARRAY[1, 0.01], 3) AS s,
  dynamo.get_item('Sought', jsonb_build_object('tenant', s.item->>'tenant', 'id', s.item->'id')::dynamo.item) AS g ORDER BY score, s.item->>'tenant', s.item->>'id';
SELECT count(*), count(s), count(s.*) FROM dynamo.search_vectors('Sought', 'Any', ARRAY[1, 0.01], 3) AS s;
SELECT s FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 1, 'tenant = :t', '{":t": "a"}') AS s;
SELECT id, ordinality FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 2, 'tenant = :t', '{":t": "a"}') WITH ORDINALITY AS s (id, score, ordinality);
BEGIN;
DECLARE c CURSOR FOR SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 5, 'tenant = :t', '{":t": "a"}');
FETCH 2 FROM c;
-- what its own transaction wrote is found
SELECT dynamo.put_item('Sought', '{"tenant": "a", "id": 50, "emb": [3.01, 0]}');
FETCH 1 FROM c;
SELECT item->>'id', round(score::numeric, 4) FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 2, 'tenant = :t', '{":t": "a"}');
ROLLBACK;

-- the past
SELECT dynamo.enable_recovery('Sought');
SELECT dynamo.mark_recovery() AS t \gset
SELECT dynamo.update_item('Sought', '{"tenant": "a", "id": 3}', 'SET emb = :e', '{":e": [9, 9]}');
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 1, 'tenant = :t', '{":t": "a"}', as_of => :'t');
SELECT item->>'id', round(score::numeric, 4) FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 1, 'tenant = :t', '{":t": "a"}');
\set VERBOSITY sqlstate
SELECT item->>'id' FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 1, 'tenant = :t', '{":t": "a"}', as_of => '2020-01-01Z');
\set VERBOSITY terse
SELECT dynamo.disable_recovery('Sought');

-- EXPLAIN: what is read, and how many vectors are compared
ANALYZE dynamo_data."Sought";
SELECT pg_temp.plan($$SELECT item FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 3, 'tenant = :t AND #y = :y', '{":t": "a", ":y": 2001}',
  expression_attribute_names => '{"#y": "year"}')$$);
SELECT pg_temp.plan($$SELECT score FROM dynamo.search_vectors('Sought', 'Any', ARRAY[3, 0], 3) WHERE score < 0.001$$);
SELECT pg_temp.plan($$SELECT s.score FROM (VALUES (ARRAY[2.0, 0]), (ARRAY[19.0, 0])) AS q (v),
  dynamo.search_vectors('Sought', 'Near', v, 2, 'tenant = :t', '{":t": "a"}') AS s$$);
EXPLAIN (COSTS OFF) SELECT item FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 3, 'tenant = :t', '{":t": "a"}');
-- EXPLAIN raises what the call would
EXPLAIN SELECT item FROM dynamo.search_vectors('Sought', 'None', ARRAY[3, 0], 3);
-- the rows that are expected: no more than top_k, no more than a partition has
CREATE FUNCTION pg_temp.expected(query text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; RETURN plan->0->'Plan'->>'Plan Rows'; END $$;
SELECT pg_temp.expected($$SELECT item FROM dynamo.search_vectors('Sought', 'Any', ARRAY[3, 0], 30)$$),
  pg_temp.expected($$SELECT item FROM dynamo.search_vectors('Sought', 'Any', ARRAY[3, 0], 100)$$),
  pg_temp.expected($$SELECT item FROM dynamo.search_vectors('Sought', 'Near', ARRAY[3, 0], 30, 'tenant = :t', '{":t": "a"}')$$);

-- all is read before the first row: LIMIT saves nothing
CREATE FUNCTION pg_temp.costs(query text) RETURNS SETOF boolean LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; plan := plan->0->'Plan';
  RETURN NEXT (plan->>'Startup Cost')::numeric > 0.9 * (plan->>'Total Cost')::numeric; END $$;
SELECT pg_temp.costs($$SELECT item FROM dynamo.search_vectors('Sought', 'Any', ARRAY[3, 0], 30)$$), pg_temp.costs($$SELECT item FROM dynamo.scan('Sought')$$);

-- more dimensions cost more, and most where vectors have to be taken from the items
SELECT dynamo.call('CreateTable', '{"TableName": "Priced", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
  "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "VectorIndexes": [
  {"IndexName": "Narrow", "VectorAttribute": {"AttributeName": "n"}, "Dimensions": 2, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "KEYS_ONLY"}},
  {"IndexName": "Wide", "VectorAttribute": {"AttributeName": "w"}, "Dimensions": 400, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
INSERT INTO dynamo_data."Priced" (item) SELECT jsonb_build_object('id', i, 'n', array_fill(i, ARRAY[2]), 'w', array_fill(i, ARRAY[400]))::text::dynamo.item FROM generate_series(1, 300) AS i;
VACUUM ANALYZE dynamo_data."Priced";
CREATE FUNCTION pg_temp.price(index text, dimensions int) RETURNS numeric LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN
  EXECUTE format('EXPLAIN (FORMAT JSON) SELECT item FROM dynamo.search_vectors(''Priced'', %L, array_fill(1, ARRAY[%s]), 3)', index, dimensions) INTO plan;
  RETURN plan->0->'Plan'->>'Total Cost'; END $$;
SELECT pg_temp.price('Narrow', 2) AS narrow, pg_temp.price('Wide', 400) AS wide \gset
SELECT :wide > 5 * :narrow;
ALTER INDEX dynamo_data."Priced/Wide" RENAME TO "Priced/Away";
SELECT pg_temp.price('Wide', 400) > 1.5 * :wide;
SELECT dynamo.drop_table('Priced');

-- what is refused
CREATE FUNCTION pg_temp.refused(arguments text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE 'SELECT count(*) FROM dynamo.search_vectors(' || arguments || ')'; RETURN 'not refused: ' || arguments;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SELECT a || E'\n  ' || pg_temp.refused(a) FROM unnest(ARRAY[
  $$NULL, 'Any', ARRAY[1, 2], 1$$, $$'Sought', NULL, ARRAY[1, 2], 1$$, $$'Sought', 'Any', NULL, 1$$, $$'Sought', 'Any', NULL::real[], 1$$, $$'Sought', 'Any', ARRAY[1, 2], NULL$$,
  $$'Sought', 'Any', ARRAY[1, 2], 0$$, $$'Sought', 'Any', ARRAY[1, 2], -5$$, $$'Sought', 'Any', ARRAY[1, 2], 101$$, $$'Sought', 'Any', ARRAY[1, 2], 2147483647$$,
  $$'Sought', 'Any', ARRAY[]::real[], 1$$, $$'Sought', 'Any', '[]', 1$$, $$'Sought', 'Any', ARRAY[1], 1$$, $$'Sought', 'Any', ARRAY[1, 2, 3], 1$$,
  $$'Sought', 'Any', array_fill(1, ARRAY[4096]), 1$$, $$'Sought', 'Any', array_fill(1, ARRAY[4097]), 1$$, $$'Sought', 'Any', to_jsonb(array_fill(1, ARRAY[4097])), 1$$,
  $$'Sought', 'Any', ARRAY[[1, 2], [3, 4]], 1$$, $$'Sought', 'Any', ARRAY[1, NULL], 1$$, $$'Sought', 'Any', ARRAY['NaN', 1]::real[], 1$$, $$'Sought', 'Any', ARRAY['Infinity', 1]::real[], 1$$,
  $$'Sought', 'Any', ARRAY['NaN', 1]::float8[], 1$$, $$'Sought', 'Any', ARRAY[1e39, 1]::float8[], 1$$, $$'Sought', 'Any', ARRAY['-Infinity', 1]::float8[], 1$$,
  $$'Sought', 'Any', ARRAY['NaN', 1]::numeric[], 1$$, $$'Sought', 'Any', ARRAY[1e39, 1]::numeric[], 1$$, $$'Sought', 'Any', ARRAY['x', '1'], 1$$, $$'Sought', 'Any', ARRAY[true, false], 1$$,
  $$'Sought', 'Any', 'x', 1$$, $$'Sought', 'Any', '', 1$$, $$'Sought', 'Any', '[', 1$$, $$'Sought', 'Any', '[1', 1$$, $$'Sought', 'Any', '[1,', 1$$, $$'Sought', 'Any', '[1,]', 1$$,
  $$'Sought', 'Any', '[,1]', 1$$, $$'Sought', 'Any', '[1 2]', 1$$, $$'Sought', 'Any', '[1, 2] 3', 1$$, $$'Sought', 'Any', '[1, 2]]', 1$$, $$'Sought', 'Any', '{"N": 1}'::jsonb, 1$$,
  $$'Sought', 'Any', '[null, 1]'::jsonb, 1$$, $$'Sought', 'Any', '[[1], 1]'::jsonb, 1$$, $$'Sought', 'Any', '["1", 1]'::jsonb, 1$$, $$'Sought', 'Any', '[1e39, 1]'::jsonb, 1$$,
  $$'Sought', 'Any', '[1e-500, 1]', 1$$, $$'Sought', 'Any', '[--1, 1]', 1$$, $$'Sought', 'Any', 5, 1$$, $$'Sought', 'Any', now(), 1$$, $$'Sought', 'Any', ROW(1, 2), 1$$,
  $$'Lost', 'Any', ARRAY[1, 2], 1$$, $$'Sought', 'None', ARRAY[1, 2], 1$$, $$'Sought', 'Near', ARRAY[1, 2], 1$$, $$'Sought', 'Near', ARRAY[1, 2], 1, 'tenant = :t'$$,
  $$'Sought', 'Near', ARRAY[1, 2], 1, 'tenant > :t', '{":t": "a"}'$$, $$'Sought', 'Any', ARRAY[1, 2], 1, NULL, '{":t": "a"}'$$,
  $$'Sought', 'Any', ARRAY[1, 2], 1, NULL, NULL, NULL, '{"#t": "a"}'$$, $$'Sought', 'Any', ARRAY[1, 2], 1, 'x = :t', '{":t": "a"}'$$]) AS a;
PREPARE untyped AS SELECT count(*) FROM dynamo.search_vectors('Sought', 'Any', $1, 1);
-- elements next to nothing are nothing
SELECT item->>'id', score FROM dynamo.search_vectors('Sought', 'Near', '[1e-130, 1e-46]', 1, 'tenant = :t', '{":t": "a"}');

-- privileges and row-level security are those of the table
CREATE ROLE dynamo_test_seeker;
GRANT USAGE ON SCHEMA dynamo, dynamo_data TO dynamo_test_seeker;
SET ROLE dynamo_test_seeker;
SELECT count(*) FROM dynamo.search_vectors('Sought', 'Any', ARRAY[1, 2], 1);
EXPLAIN SELECT count(*) FROM dynamo.search_vectors('Sought', 'Any', ARRAY[1, 2], 1);
RESET ROLE;
GRANT SELECT ON dynamo_data."Sought" TO dynamo_test_seeker;
ALTER TABLE dynamo_data."Sought" ENABLE ROW LEVEL SECURITY;
CREATE POLICY odd ON dynamo_data."Sought" TO dynamo_test_seeker USING ((item->>'id')::int % 2 = 1);
SET ROLE dynamo_test_seeker;
SELECT string_agg(item->>'id', ' ') FROM dynamo.search_vectors('Sought', 'Near', ARRAY[4, 0], 3, 'tenant = :t', '{":t": "a"}');
SELECT y, string_agg(item->>'id', ' ') FROM unnest('{2000,2001}'::int[]) AS y, dynamo.search_vectors('Sought', 'Near', ARRAY[4, 0], 3, 'tenant = :t AND #y = :y', jsonb_build_object(':t', 'a', ':y', y), expression_attribute_names => '{"#y": "year"}') GROUP BY y;
RESET ROLE;
SELECT dynamo.drop_table('Sought');
DROP OWNED BY dynamo_test_seeker;
DROP ROLE dynamo_test_seeker;
