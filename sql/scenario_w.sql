-- Scenario W: documents of tenants that are found by their vectors, and by words as well:
-- a search of both, each with its ranking, in one statement of SQL
SET client_min_messages = warning;
SELECT dynamo.call('CreateTable', '{"TableName": "Library", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "tenant", "AttributeType": "S"}, {"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "kind", "AttributeType": "S"}],
  "KeySchema": [{"AttributeName": "tenant", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}],
  "VectorIndexes": [{"IndexName": "Near", "VectorAttribute": {"AttributeName": "embedding"}, "Dimensions": 3, "DistanceFunction": "COSINE",
    "SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"}],
    "Projection": {"ProjectionType": "ALL"}}]}') IS NOT NULL AS created;
SELECT count(*) FROM unnest(ARRAY[
  '{"tenant": "ann", "id": "apple", "kind": "note", "text": "How to prune an apple tree in winter", "embedding": [0.9, 0.1, 0.1]}',
  '{"tenant": "ann", "id": "pear", "kind": "note", "text": "Pears want a warm wall", "embedding": [0.8, 0.3, 0.1]}',
  '{"tenant": "ann", "id": "pie", "kind": "recipe", "text": "A pie of apple and cinnamon", "embedding": [0.3, 0.9, 0.1]}',
  '{"tenant": "ann", "id": "disk", "kind": "note", "text": "Which apple has the faster disk", "embedding": [0.0, 0.1, 0.9]}',
  '{"tenant": "ann", "id": "draft", "kind": "note", "text": "A tree without a vector yet"}',
  '{"tenant": "bob", "id": "secret", "kind": "note", "text": "The apple tree of bob", "embedding": [0.9, 0.1, 0.1]}']) AS i, LATERAL dynamo.put_item('Library', i::dynamo.item);

-- the nearest of a tenant; of one kind
SELECT item->>'id' AS id, round(score::numeric, 3) AS score
FROM dynamo.search_vectors('Library', 'Near', ARRAY[1, 0, 0], 3, 'tenant = :t', '{":t": "ann"}');
SELECT item->>'id' AS id
FROM dynamo.search_vectors('Library', 'Near', ARRAY[1, 0, 0], 3, 'tenant = :t AND kind = :k', '{":t": "ann", ":k": "recipe"}');

-- by words: an index of PostgreSQL's own on the relation
CREATE INDEX library_words ON dynamo_data."Library" USING gin (to_tsvector('english', coalesce(item->>'text', '')));
SELECT item->>'id' AS id FROM dynamo_data."Library"
WHERE pk = 'ann' AND to_tsvector('english', coalesce(item->>'text', '')) @@ websearch_to_tsquery('english', 'apple') ORDER BY 1;

-- both: what is high in either ranking (reciprocal rank fusion); nothing of another tenant
PREPARE hybrid (text, real[], text) AS
WITH near AS (
  SELECT item->>'id' AS id, row_number() OVER (ORDER BY score) AS place
  FROM dynamo.search_vectors('Library', 'Near', $2, 20, 'tenant = :t', jsonb_build_object(':t', $1)::dynamo.item)
), words AS (
  SELECT item->>'id' AS id, row_number() OVER (ORDER BY ts_rank(to_tsvector('english', item->>'text'), websearch_to_tsquery('english', $3)) DESC, item->>'id') AS place
  FROM dynamo_data."Library"
  WHERE pk = $1::dynamo.partition_key AND to_tsvector('english', coalesce(item->>'text', '')) @@ websearch_to_tsquery('english', $3)
)
SELECT id, near.place AS near, words.place AS words, round(coalesce(1.0 / (60 + near.place), 0) + coalesce(1.0 / (60 + words.place), 0), 4) AS score
FROM near FULL JOIN words USING (id) ORDER BY score DESC, id;
EXECUTE hybrid('ann', ARRAY[1, 0, 0], 'apple tree');
EXECUTE hybrid('ann', ARRAY[1, 0, 0], 'tree');
EXECUTE hybrid('bob', ARRAY[1, 0, 0], 'tree');

-- a document that gets its vector, and one that loses it, in the transaction of the write
BEGIN;
SELECT dynamo.update_item('Library', '{"tenant": "ann", "id": "draft"}', 'SET embedding = :e', '{":e": [1, 0, 0]}', return_values => 'UPDATED_NEW');
SELECT dynamo.update_item('Library', '{"tenant": "ann", "id": "apple"}', 'REMOVE embedding', return_values => 'UPDATED_OLD');
EXECUTE hybrid('ann', ARRAY[1, 0, 0], 'tree');
ROLLBACK;
EXECUTE hybrid('ann', ARRAY[1, 0, 0], 'tree');

-- what is like what is there: each note with the nearest other one
SELECT mine.item->>'id' AS id, other.item->>'id' AS nearest
FROM dynamo.query('Library', 'tenant = :t', '{":t": "ann"}') AS mine,
  LATERAL (SELECT near.item FROM dynamo.search_vectors('Library', 'Near', mine.item->'embedding', 2, 'tenant = :t', '{":t": "ann"}') AS near
    WHERE near.item->>'id' <> mine.item->>'id' LIMIT 1) AS other
WHERE mine.item ? 'embedding' ORDER BY 1;
DEALLOCATE hybrid;
SELECT dynamo.drop_table('Library');
