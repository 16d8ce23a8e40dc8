-- Every part of a request replaced by everything it should not be: the answer
-- is the service's, never an internal error
\t on
\a
SELECT dynamo.create_table('CallFuzz', 'pk', 'sk', sort_key_type => 'N');
SELECT dynamo.create_index('CallFuzz', 'gsi', 'g', 'h');
CREATE TEMP TABLE seed AS SELECT operation, request::jsonb FROM (VALUES
  ('GetItem', '{"TableName": "CallFuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "ProjectionExpression": "#a.b[1], c", "ExpressionAttributeNames": {"#a": "a"}, "ReturnConsumedCapacity": "INDEXES"}'),
  ('GetItem', '{"TableName": "CallFuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "AttributesToGet": ["a", "pk"], "ConsistentRead": true}'),
  ('PutItem', '{"TableName": "CallFuzz", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"S": "g"}, "h": {"S": "h"}, "x": {"L": [{"M": {"y": {"SS": ["a", "b"]}}}, {"NULL": true}, {"B": "AAAA"}, {"BOOL": true}]}},
    "ConditionExpression": "NOT (size(x) > :v AND contains(x, :w))", "ExpressionAttributeValues": {":v": {"N": "100"}, ":w": {"S": "a"}}, "ReturnValues": "ALL_OLD", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}'),
  ('PutItem', '{"TableName": "CallFuzz", "Item": {"pk": {"S": "a"}, "sk": {"N": "2"}}, "Expected": {"x": {"Exists": false}, "y": {"ComparisonOperator": "IN", "AttributeValueList": [{"S": "a"}]}}, "ConditionalOperator": "OR"}'),
  ('UpdateItem', '{"TableName": "CallFuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "UpdateExpression": "SET #a = if_not_exists(#a, :v) + :v, l = list_append(:l, :l) REMOVE z ADD s :s",
    "ExpressionAttributeNames": {"#a": "n"}, "ExpressionAttributeValues": {":v": {"N": "1"}, ":l": {"L": [{"S": "x"}]}, ":s": {"NS": ["1", "2"]}}, "ReturnValues": "UPDATED_NEW"}'),
  ('UpdateItem', '{"TableName": "CallFuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "3"}}, "AttributeUpdates": {"a": {"Action": "ADD", "Value": {"N": "1"}}, "b": {"Action": "DELETE"}}, "ReturnValues": "ALL_NEW", "ReturnItemCollectionMetrics": "SIZE"}'),
  ('DeleteItem', '{"TableName": "CallFuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "2"}}, "ConditionExpression": "begins_with(pk, :v)", "ExpressionAttributeValues": {":v": {"S": "a"}}}'),
  ('Query', '{"TableName": "CallFuzz", "KeyConditionExpression": "pk = :p AND sk BETWEEN :a AND :b", "FilterExpression": "attribute_exists(n)", "ExpressionAttributeValues": {":p": {"S": "a"}, ":a": {"N": "0"}, ":b": {"N": "9"}},
    "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "0.5"}}, "Limit": 2, "ScanIndexForward": true, "Select": "ALL_ATTRIBUTES", "ReturnConsumedCapacity": "TOTAL"}'),
  ('Query', '{"TableName": "CallFuzz", "IndexName": "gsi", "KeyConditions": {"g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "g"}]}}, "QueryFilter": {"x": {"ComparisonOperator": "NOT_NULL"}},
    "ExclusiveStartKey": {"g": {"S": "g"}, "h": {"S": "a"}, "pk": {"S": "a"}, "sk": {"N": "0.5"}}}'),
  ('Scan', '{"TableName": "CallFuzz", "Segment": 0, "TotalSegments": 1, "Limit": 3, "FilterExpression": "a = :a OR attribute_type(a, :t)", "ExpressionAttributeValues": {":a": {"M": {"x": {"S": "y"}}}, ":t": {"S": "N"}},
    "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "0.5"}}}'),
  ('BatchGetItem', '{"RequestItems": {"CallFuzz": {"Keys": [{"pk": {"S": "a"}, "sk": {"N": "1"}}, {"pk": {"S": "a"}, "sk": {"N": "2"}}], "ProjectionExpression": "#a", "ExpressionAttributeNames": {"#a": "a"}}}}'),
  ('BatchWriteItem', '{"RequestItems": {"CallFuzz": [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"N": "5"}}}}, {"DeleteRequest": {"Key": {"pk": {"S": "a"}, "sk": {"N": "6"}}}}]}, "ReturnItemCollectionMetrics": "SIZE"}'),
  ('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "CallFuzz", "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "ProjectionExpression": "#a", "ExpressionAttributeNames": {"#a": "a"}}}], "ReturnConsumedCapacity": "TOTAL"}'),
  ('TransactWriteItems', '{"ClientRequestToken": "fuzz", "ReturnConsumedCapacity": "INDEXES", "TransactItems": [{"Put": {"TableName": "CallFuzz", "Item": {"pk": {"S": "t"}, "sk": {"N": "5"}}}}, {"Delete": {"TableName": "CallFuzz", "Key": {"pk": {"S": "t"}, "sk": {"N": "6"}}}},
    {"Update": {"TableName": "CallFuzz", "Key": {"pk": {"S": "t"}, "sk": {"N": "7"}}, "UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}},
    {"ConditionCheck": {"TableName": "CallFuzz", "Key": {"pk": {"S": "t"}, "sk": {"N": "8"}}, "ConditionExpression": "attribute_not_exists(pk)"}}]}')
) s(operation, request);
-- the seeds themselves are answered
SELECT operation, dynamo.try_call(operation, request::json)::text FROM seed WHERE dynamo.try_call(operation, request::json)::text LIKE '%#%';

CREATE FUNCTION pg_temp.paths(j jsonb) RETURNS SETOF text[] LANGUAGE sql AS $$
  WITH RECURSIVE p(path, value) AS (
    SELECT ARRAY[]::text[], j
    UNION ALL
    SELECT path || m.key, m.value FROM p, LATERAL (
      SELECT key, o.value FROM jsonb_each(CASE jsonb_typeof(p.value) WHEN 'object' THEN p.value ELSE '{}' END) o
      UNION ALL
      SELECT (n - 1)::text, a.value FROM jsonb_array_elements(CASE jsonb_typeof(p.value) WHEN 'array' THEN p.value ELSE '[]' END) WITH ORDINALITY a(value, n)) m)
  SELECT path FROM p WHERE path <> '{}' $$;
CREATE TEMP TABLE answer AS
  SELECT operation, changed, dynamo.try_call(operation, changed::json)::text AS answer FROM (
    SELECT operation, jsonb_set(request, path, v::jsonb) AS changed FROM seed, pg_temp.paths(request) path,
      unnest(ARRAY['null', '[]', '{}', '0', '-1.5', '1e300', 'true', '""', '"x"', '"#a"', '":v"', '"ALL_OLD"', '"SET a = :v"', '[null]', '[[]]', '{"S": "x"}', '{"N": "1"}', '{"": {"S": ""}}', '{"L": [{"L": []}]}', '{"M": {"": {"NULL": true}}}']) v
    UNION ALL
    SELECT operation, request #- path FROM seed, pg_temp.paths(request) path) c;
SELECT count(*) > 5000, count(*) FILTER (WHERE answer LIKE '%ValidationException%') > 1000, count(*) FILTER (WHERE answer LIKE '%SerializationException%') > 1000,
  count(*) FILTER (WHERE answer NOT LIKE '%#%') > 100 FROM answer;
SELECT operation, changed, answer FROM answer WHERE answer LIKE '%InternalServerError%' LIMIT 10;
SELECT dynamo.drop_table('CallFuzz');
DELETE FROM dynamo_internal.transact_tokens WHERE token IN ('fuzz', 'x', '#a', ':v', 'ALL_OLD', 'SET a = :v');
