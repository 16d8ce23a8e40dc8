-- SearchVectors: scores, conditions, what is returned, and what is refused
\t on
\a
CREATE FUNCTION pg_temp.must(operation text, request json) RETURNS void LANGUAGE sql AS $$ SELECT dynamo.call(operation, request) $$;
CREATE FUNCTION pg_temp.search(more text) RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('SearchVectors', (('{"TableName": "Found", "TopK": 10}'::jsonb || more::jsonb))::json) $$;
SELECT pg_temp.must('CreateTable', '{"TableName": "Found", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "tenant", "AttributeType": "S"},
    {"AttributeName": "year", "AttributeType": "N"}, {"AttributeName": "tag", "AttributeType": "B"}],
  "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
  "VectorIndexes": [
    {"IndexName": "cosine", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 3, "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "ALL"}},
    {"IndexName": "dot", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 3, "DistanceFunction": "DOT_PRODUCT", "Projection": {"ProjectionType": "KEYS_ONLY"}},
    {"IndexName": "euclid", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 3, "DistanceFunction": "EUCLIDEAN",
     "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title"]},
     "SearchSchema": [{"AttributeName": "tenant", "SearchSchemaElementType": "HASH"}, {"AttributeName": "year", "SearchSchemaElementType": "INLINE_FILTER"},
       {"AttributeName": "tag", "SearchSchemaElementType": "INLINE_FILTER"}]},
    {"IndexName": "own", "VectorAttribute": {"AttributeName": "emb"}, "Dimensions": 3, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"},
     "SearchSchema": [{"AttributeName": "pk", "SearchSchemaElementType": "HASH"}]}]}');
SELECT pg_temp.must('PutItem', json_build_object('TableName', 'Found', 'Item', i::json)) FROM unnest(ARRAY[
  '{"pk": {"S": "a"}, "tenant": {"S": "t"}, "year": {"N": "2020"}, "title": {"S": "A"}, "emb": {"L": [{"N": "1"}, {"N": "0"}, {"N": "0"}]}}',
  '{"pk": {"S": "b"}, "tenant": {"S": "t"}, "year": {"N": "2.021e3"}, "title": {"S": "B"}, "tag": {"B": "AQ=="}, "emb": {"L": [{"N": "0.1"}, {"N": "2"}, {"N": "0"}]}}',
  '{"pk": {"S": "c"}, "tenant": {"S": "u"}, "year": {"N": "2020"}, "title": {"S": "C"}, "emb": {"L": [{"N": "-3"}, {"N": "0"}, {"N": "0"}]}}',
  '{"pk": {"S": "d"}, "tenant": {"S": "t"}, "title": {"S": "no year"}, "emb": {"L": [{"N": "0"}, {"N": "0"}, {"N": "0"}]}}',
  '{"pk": {"S": "e"}, "title": {"S": "no tenant"}, "emb": {"L": [{"N": "1"}, {"N": "1"}, {"N": "0.12345678901234567890"}]}}',
  '{"pk": {"S": "f"}, "tenant": {"S": "t"}, "title": {"S": "no vector"}}']) i;

-- Score: 0 of a vector and itself, 2 of its opposite, 1 of a zero vector; best first
SELECT pg_temp.search('{"IndexName": "cosine", "SearchVector": [{"N": "2"}, {"N": "0"}, {"N": "0"}], "ProjectionExpression": "pk"}');
SELECT pg_temp.search('{"IndexName": "cosine", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "0"}], "ProjectionExpression": "pk", "TopK": 3}');
-- the product, greatest first
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "1"}, {"N": "0.5"}, {"N": "0"}]}');
-- the distance, not its square
SELECT pg_temp.search('{"IndexName": "euclid", "SearchVector": [{"N": "3"}, {"N": "0"}, {"N": "4"}],
  "SearchConditionExpression": "tenant = :t", "ExpressionAttributeValues": {":t": {"S": "t"}}}');
-- items with one score come in the order of their keys
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "1e-100"}]}');
-- sums of the greatest elements do not overflow, and the score stays one of float4
SELECT pg_temp.must('PutItem', '{"TableName": "Found", "Item": {"pk": {"S": "z"}, "emb": {"L": [{"N": "3.4028235e38"}, {"N": "3.4028235e38"}, {"N": "-3.4028235e38"}]}}}');
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "3.4028235e38"}, {"N": "3.4028235e38"}, {"N": "0"}], "TopK": 1}');
SELECT pg_temp.search('{"IndexName": "cosine", "SearchVector": [{"N": "3.4028235e38"}, {"N": "3.4028235e38"}, {"N": "-3.4028235e38"}], "TopK": 1, "ProjectionExpression": "pk"}');
SELECT pg_temp.must('DeleteItem', '{"TableName": "Found", "Key": {"pk": {"S": "z"}}}');

-- filters: numbers are equal as numbers; an item without the attribute is not found by it; the HASH attribute may be the table's
SELECT pg_temp.search('{"IndexName": "euclid", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "0"}],
  "SearchConditionExpression": "(tenant = :t) AND :y = #y", "ExpressionAttributeNames": {"#y": "year"}, "ExpressionAttributeValues": {":t": {"S": "t"}, ":y": {"N": "2021.0"}}}');
SELECT pg_temp.search('{"IndexName": "euclid", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "0"}],
  "SearchConditionExpression": "tenant = :t AND tag = :b", "ExpressionAttributeValues": {":t": {"S": "t"}, ":b": {"B": "AQ=="}}}');
SELECT pg_temp.search('{"IndexName": "euclid", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "0"}],
  "SearchConditionExpression": "tenant = :t AND tag = :b", "ExpressionAttributeValues": {":t": {"S": "t"}, ":b": {"B": ""}}}');
SELECT pg_temp.search('{"IndexName": "own", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "0"}],
  "SearchConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "c"}}}');
-- what contradicts itself is met by nothing
SELECT pg_temp.search('{"IndexName": "euclid", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "0"}],
  "SearchConditionExpression": "tenant = :t AND tenant = :u", "ExpressionAttributeValues": {":t": {"S": "t"}, ":u": {"S": "u"}}}');
SELECT pg_temp.search('{"IndexName": "own", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "0"}],
  "SearchConditionExpression": "pk = :p AND pk = :q", "ExpressionAttributeValues": {":p": {"S": "c"}, ":q": {"S": "d"}}}');

-- the vector is returned only if it is named, rounded to float4, whatever is projected; the table keeps its digits
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "9"}], "TopK": 1, "ProjectionExpression": "emb, pk, title"}');
SELECT pg_temp.search('{"IndexName": "cosine", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "9"}], "TopK": 1, "ProjectionExpression": "emb[2], tenant"}');
SELECT dynamo.call('GetItem', '{"TableName": "Found", "Key": {"pk": {"S": "e"}}, "ProjectionExpression": "emb"}');
-- what is not projected is silently missing, and nothing left is an empty item
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "9"}], "TopK": 1, "ProjectionExpression": "title"}');

-- a write of the same transaction is seen, and its rollback
BEGIN;
SELECT pg_temp.must('UpdateItem', '{"TableName": "Found", "Key": {"pk": {"S": "f"}}, "UpdateExpression": "SET emb = :e", "ExpressionAttributeValues": {":e": {"L": [{"N": "5"}, {"N": "5"}, {"N": "5"}]}}}');
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "1"}], "TopK": 1}');
ROLLBACK;
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "1"}], "TopK": 1}');

-- capacity: a search takes a minimum, and more with dimensions and what it returns
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "1"}], "TopK": 1, "ReturnConsumedCapacity": "TOTAL"}');

SELECT pg_temp.must('PutItem', json_build_object('TableName', 'Found', 'Item', json_build_object('pk', '{"S": "z"}'::json, 'title', json_build_object('S', repeat('z', 3000)), 'emb', '{"L": [{"N": "0"}, {"N": "0"}, {"N": "-99"}]}'::json)));
SELECT pg_temp.search('{"IndexName": "cosine", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "-1"}], "TopK": 1, "ReturnConsumedCapacity": "TOTAL"}')->'ConsumedCapacity';
SELECT pg_temp.search('{"IndexName": "cosine", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "-1"}], "TopK": 1, "ReturnConsumedCapacity": "TOTAL", "ProjectionExpression": "pk, emb"}')->'ConsumedCapacity';
SELECT pg_temp.must('DeleteItem', '{"TableName": "Found", "Key": {"pk": {"S": "z"}}}');

-- checks, in this order: the shape, TopK, the vector, expressions, the table, the index, dimensions, the condition
SELECT dynamo.try_call('SearchVectors', '{"TableName": "Found"}');
SELECT pg_temp.search('{"IndexName": "no", "SearchVector": [], "TopK": 0}');
SELECT pg_temp.search('{"IndexName": "no", "SearchVector": [{"N": "1"}]}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": []}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": [{"N": "1"}], "TopK": 0}');
SELECT pg_temp.search(json_build_object('IndexName', 'none', 'SearchVector', array_fill('{"N": "1"}'::json, ARRAY[4097]))::text)::jsonb->>'message' ~ 'less than or equal to 4096';
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": {"L": []}}');
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "1"}], "TopK": "x"}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": [{"S": "1"}], "TopK": 101}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": [{"N": "1"}, {"S": "1"}], "ProjectionExpression": "size"}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": [{"N": "1"}, {"N": "3.5e38"}]}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": [{"N": "1"}, {"L": []}]}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": [{"N": "1"}], "ExpressionAttributeValues": {":v": {"S": "x"}}}');
SELECT pg_temp.search('{"TableName": "Lost", "IndexName": "none", "SearchVector": [{"N": "1"}], "SearchConditionExpression": "a = :c", "ExpressionAttributeValues": {":v": {"S": "x"}}}');
SELECT pg_temp.search('{"TableName": "Lost", "IndexName": "none", "SearchVector": [{"N": "1"}], "SearchConditionExpression": "year = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}');
SELECT pg_temp.search('{"TableName": "Lost", "IndexName": "none", "SearchVector": [{"N": "1"}], "SearchConditionExpression": "a = :v", "ExpressionAttributeValues": {":v": {"S": "x"}, ":w": {"S": "x"}}}');
SELECT pg_temp.search('{"TableName": "Lost", "IndexName": "none", "SearchVector": [{"N": "1"}]}');
SELECT pg_temp.search('{"IndexName": "none", "SearchVector": [{"N": "1"}]}');
SELECT pg_temp.search('{"IndexName": "euclid", "SearchVector": [{"N": "1"}, {"N": "1"}]}');
SELECT pg_temp.search('{"IndexName": "euclid", "SearchVector": [{"N": "1"}, {"N": "1"}, {"N": "1"}]}');
CREATE FUNCTION pg_temp.condition(condition text, vals text) RETURNS json LANGUAGE sql AS $$
  SELECT pg_temp.search(('{"IndexName": "euclid", "SearchVector": [{"N": "1"}, {"N": "1"}, {"N": "1"}]}'::jsonb
    || jsonb_build_object('SearchConditionExpression', condition, 'ExpressionAttributeValues', vals::jsonb))::text) $$;
SELECT c, pg_temp.condition(c, '{":v": {"S": "x"}, ":w": {"S": "x"}}') FROM unnest(ARRAY[
  'title < :v AND tenant = :w', 'tenant <> :v AND tenant = :w', 'tenant = :v OR tenant = :w', 'NOT tenant = :v AND tenant = :w',
  'tenant.a = :v AND tenant = :w', 'tenant IN (:v, :w)', 'tenant BETWEEN :v AND :w', ':v = :w', 'begins_with(tenant, :v) AND tenant = :w',
  'tenant = tag AND tenant = :v AND tenant = :w']) c;
SELECT pg_temp.condition('title = :v', '{":v": {"S": "x"}}');
SELECT pg_temp.condition('tag = :v', '{":v": {"B": "AQ=="}}');
SELECT pg_temp.condition('tenant = :v', '{":v": {"N": "1"}}');
SELECT pg_temp.condition('tenant = :v', '{":v": {"S": ""}}');
-- members that other reads have are passed over
SELECT pg_temp.search('{"IndexName": "dot", "SearchVector": [{"N": "0"}, {"N": "0"}, {"N": "1"}], "TopK": 1, "Limit": 0, "ConsistentRead": true, "ExclusiveStartKey": {}, "ScanIndexForward": true}');

-- other reads have no use for such an index, nor a search for others
SELECT dynamo.try_call('Query', '{"TableName": "Found", "IndexName": "dot", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}');
SELECT dynamo.try_call('Query', '{"TableName": "Found", "IndexName": "dot", "ConsistentRead": true, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}');
SELECT dynamo.try_call('Scan', '{"TableName": "Found", "IndexName": "dot", "ConsistentRead": true}');
SELECT dynamo.try_call('ExecuteStatement', '{"Statement": "SELECT * FROM \"Found\".\"dot\""}');
DROP TABLE dynamo_data."Found";
