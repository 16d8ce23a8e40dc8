-- Elements of vectors are the nearest float4 of a number, as PostgreSQL's own conversion
\t on
\a
SELECT dynamo.call('CreateTable', '{"TableName": "Rounded", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
  "VectorIndexes": [{"IndexName": "all", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2000, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"}}]}') IS NOT NULL;
CREATE TEMP TABLE numbers (place int, n text);
-- numbers of 1 to 38 digits and all magnitudes of a float4
INSERT INTO numbers SELECT i, CASE WHEN i % 3 = 0 THEN '-' ELSE '' END || (1 + i % 9) || '.' || substr(md5d, 1, i % 37) || '1e' || (i % 76 - 38)
FROM generate_series(1, 1000) i, LATERAL (SELECT string_agg(translate(md5((i * 7 + j)::text), 'abcdef', '123456'), '') AS md5d FROM generate_series(1, 2) j) m;
-- the middle between two of them, where the even one is nearest, and what is next to it
INSERT INTO numbers SELECT 1000 + 4 * k + d, ((8388608 + k * 37) + 0.5 + CASE d WHEN 1 THEN 0 WHEN 2 THEN 1e-20 WHEN 3 THEN -1e-20 ELSE 1e-9 END)::text
FROM generate_series(0, 249) k, generate_series(1, 4) d;
SELECT dynamo.call('PutItem', json_build_object('TableName', 'Rounded', 'Item', json_build_object('pk', '{"S": "a"}'::json,
  'v', (SELECT json_build_object('L', json_agg(json_build_object('N', n) ORDER BY place)) FROM numbers)))) IS NULL;
SELECT count(*), count(*) FILTER (WHERE (e->>'N')::float4 = n::float4) AS nearest FROM numbers JOIN
  (SELECT dynamo.call('SearchVectors', json_build_object('TableName', 'Rounded', 'IndexName', 'all', 'TopK', 1, 'ProjectionExpression', 'v',
    'SearchVector', (SELECT json_agg(json_build_object('N', n) ORDER BY place) FROM numbers))) AS answer) s ON true
  JOIN LATERAL json_array_elements(answer#>'{SearchResults,0,Item,v,L}') WITH ORDINALITY x(e, o) ON o = place;
SELECT n, e->>'N' FROM numbers JOIN (SELECT dynamo.call('SearchVectors', json_build_object('TableName', 'Rounded', 'IndexName', 'all', 'TopK', 1, 'ProjectionExpression', 'v',
    'SearchVector', (SELECT json_agg(json_build_object('N', n) ORDER BY place) FROM numbers))) AS answer) s ON true
  JOIN LATERAL json_array_elements(answer#>'{SearchResults,0,Item,v,L}') WITH ORDINALITY x(e, o) ON o = place
WHERE place BETWEEN 1001 AND 1008 OR place IN (7, 38, 77) ORDER BY place;
DROP TABLE dynamo_data."Rounded";
