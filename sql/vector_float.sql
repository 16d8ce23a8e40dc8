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
-- lists of all lengths and widths: a few, a batch and one less and more, and one whose offsets take three bytes
SELECT dynamo.call('CreateTable', (SELECT json_build_object('TableName', 'Lengths', 'BillingMode', 'PAY_PER_REQUEST',
  'AttributeDefinitions', '[{"AttributeName": "pk", "AttributeType": "S"}]'::json, 'KeySchema', '[{"AttributeName": "pk", "KeyType": "HASH"}]'::json,
  'VectorIndexes', json_agg(json_build_object('IndexName', 'of' || d, 'VectorAttribute', json_build_object('AttributeName', 'v' || d), 'Dimensions', d,
    'DistanceFunction', 'EUCLIDEAN', 'Projection', '{"ProjectionType": "KEYS_ONLY"}'::json))) FROM unnest(ARRAY[1, 63, 64, 65, 4096]) d)) IS NOT NULL;
-- digits of any number, from a few to 38, of all signs and magnitudes; zeros; whole numbers, middles among them
CREATE TEMP TABLE shapes AS SELECT i - 1 AS place, CASE
    WHEN i % 11 = 0 THEN '0'
    WHEN i % 7 = 0 THEN (16777216 + i * 2 + i % 2)::text
    WHEN i % 5 = 0 THEN ((i * 104729) % 20001 - 10000)::text
    ELSE CASE WHEN h % 2 = 0 THEN '-' ELSE '' END || (1 + h % 9) || '.' || substr(digits, 1, h % 38) || 'e' || (h / 64 % 50 - 30) END AS n
  FROM generate_series(1, 4096) i, LATERAL (SELECT ('x' || substr(md5(i::text), 1, 7))::bit(28)::int AS h, translate(md5(i || 'a') || md5(i || 'b'), 'abcdef', '987654') AS digits) x;
INSERT INTO dynamo_data."Lengths" (item) SELECT format('{"pk": {"S": "%s"}, "v%s": {"L": [%s]}}', d, d, string_agg(format('{"N": "%s"}', n), ', ' ORDER BY place))::dynamo.item
  FROM unnest(ARRAY[1, 63, 64, 65, 4096]) d JOIN shapes ON place < d GROUP BY d;
-- and what is none of theirs: too few, too many, no number as the first, the last and in the middle, a number too great
INSERT INTO dynamo_data."Lengths" (item) SELECT format('{"pk": {"S": "%s"}, "v65": {"L": [%s]}}', what, string_agg(CASE WHEN place = bad THEN element ELSE format('{"N": "%s"}', n) END, ', ' ORDER BY place))::dynamo.item
  FROM (VALUES ('few', 64, -1, ''), ('many', 66, -1, ''), ('first', 65, 0, '{"S": "1"}'), ('middle', 65, 30, '{"NULL": true}'), ('batch', 65, 63, '{"L": []}'),
    ('last', 65, 64, '{"BOOL": true}'), ('great', 65, 64, '{"N": "3.5e38"}')) b (what, d, bad, element) JOIN shapes ON place < d GROUP BY what, bad;
SELECT d, item->>'pk' AS found, score, (SELECT count(*) FROM jsonb_array_elements_text(item->('v' || d)) WITH ORDINALITY e (e, o) JOIN shapes ON place = o - 1 WHERE e::float4 = n::float4) AS nearest
FROM unnest(ARRAY[1, 63, 64, 65, 4096]) d, LATERAL (SELECT array_agg(n::float4 ORDER BY place) AS v FROM shapes WHERE place < d) s,
  dynamo.search_vectors('Lengths', 'of' || d, v, 10, projection_expression => 'pk, v' || d) ORDER BY d;
DROP TABLE dynamo_data."Lengths";
