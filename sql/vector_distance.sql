-- Scores are those of sums in double precision, whatever the dimensions; a vector is at no distance from itself
\t on
\a
SELECT dynamo.call('CreateTable', (SELECT json_build_object('TableName', 'Distances', 'BillingMode', 'PAY_PER_REQUEST',
  'AttributeDefinitions', '[{"AttributeName": "pk", "AttributeType": "S"}]'::json, 'KeySchema', '[{"AttributeName": "pk", "KeyType": "HASH"}]'::json,
  'VectorIndexes', json_agg(json_build_object('IndexName', f, 'VectorAttribute', '{"AttributeName": "v"}'::json, 'Dimensions', 21,
    'DistanceFunction', f, 'Projection', '{"ProjectionType": "KEYS_ONLY"}'::json))) FROM unnest(ARRAY['COSINE', 'DOT_PRODUCT', 'EUCLIDEAN']) f)) IS NOT NULL;
-- 60 vectors, whose elements are no short fractions; two blocks of eight elements and five more
CREATE TEMP TABLE vectors AS SELECT i AS n, array_agg(((('x' || substr(md5(i || '.' || j), 1, 7))::bit(28)::int - 134217728) / 134217728.0)::float4 ORDER BY j) AS v
  FROM generate_series(1, 60) i, generate_series(1, 21) j GROUP BY i;
INSERT INTO dynamo_data."Distances" (item) SELECT jsonb_build_object('pk', n::text, 'v', to_jsonb(v))::dynamo.item FROM vectors;
CREATE FUNCTION pg_temp.sums(a float4[], b float4[], OUT product float8, OUT distance float8, OUT a2 float8, OUT b2 float8) LANGUAGE sql AS $$
  SELECT sum(x::float8 * y::float8), sqrt(sum((x::float8 - y::float8) ^ 2)), sum(x::float8 * x::float8), sum(y::float8 * y::float8) FROM unnest(a, b) e (x, y) $$;
-- each with each: how many scores are those, but for the order of sums
WITH found AS (SELECT f, a.v, n, s.item->>'pk' AS pk, score FROM unnest(ARRAY['COSINE', 'DOT_PRODUCT', 'EUCLIDEAN']) f, vectors a, dynamo.search_vectors('Distances', f, v, 100) s)
SELECT f, count(*), count(*) FILTER (WHERE abs(score - CASE f WHEN 'COSINE' THEN 1 - product / sqrt(a2 * b2) WHEN 'DOT_PRODUCT' THEN product ELSE distance END) < 1e-14 * 21) AS right,
  count(*) FILTER (WHERE found.n = b.n AND score = 0) AS same
FROM found JOIN vectors b ON b.n::text = pk, pg_temp.sums(found.v, b.v) GROUP BY f ORDER BY f;
-- best first
SELECT f, bool_and(score >= before OR before IS NULL) AS rise, bool_and(score <= before OR before IS NULL) AS fall FROM (
  SELECT f, n, score, lag(score) OVER (PARTITION BY f, n ORDER BY o) AS before FROM unnest(ARRAY['COSINE', 'DOT_PRODUCT', 'EUCLIDEAN']) f, vectors a,
    dynamo.search_vectors('Distances', f, v, 100) WITH ORDINALITY s (item, score, o)) s GROUP BY f ORDER BY f;
-- as many as are asked for, and these the best
SELECT count(*), count(*) FILTER (WHERE few = many) FROM generate_series(1, 60) k,
  LATERAL (SELECT array_agg(score) AS few FROM dynamo.search_vectors('Distances', 'EUCLIDEAN', array_fill(0.1, ARRAY[21]), k)) a,
  LATERAL (SELECT array_agg(score) AS many FROM (SELECT score FROM dynamo.search_vectors('Distances', 'EUCLIDEAN', array_fill(0.1, ARRAY[21]), 100) LIMIT k) b) b;
DROP TABLE dynamo_data."Distances";
