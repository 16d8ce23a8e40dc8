-- Policies allow SearchVectors on the index's ARN; conditions about keys and attributes deny it
\t on
\a
\set VERBOSITY terse
CREATE ROLE dynamo_test_searcher;
SELECT dynamo.call('CreateTable', '{"TableName": "Allowed", "BillingMode": "PAY_PER_REQUEST",
  "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "VectorIndexes": [
    {"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 1, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"}, "SearchSchema": [{"AttributeName": "pk", "SearchSchemaElementType": "HASH"}]},
    {"IndexName": "other", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 1, "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "ALL"}, "SearchSchema": [{"AttributeName": "pk", "SearchSchemaElementType": "HASH"}]}]}') IS NOT NULL;
SELECT dynamo.put_item('Allowed', '{"pk": "dynamo_test_searcher", "v": [1]}');
GRANT USAGE ON SCHEMA dynamo, dynamo_data TO dynamo_test_searcher;
GRANT SELECT ON dynamo_data."Allowed" TO dynamo_test_searcher;
CREATE FUNCTION pg_temp.searched(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE index text;
BEGIN
  PERFORM dynamo.put_role_policy('dynamo_test_searcher', 'p', '{"Version": "2012-10-17", "Statement": ' || statement || '}');
  SET LOCAL ROLE dynamo_test_searcher;
  FOREACH index IN ARRAY ARRAY['near', 'other'] LOOP
    RETURN NEXT index || ': ' || (SELECT coalesce(answer->>'Message', answer->>'SearchResults') FROM dynamo.try_call('SearchVectors', format('{"TableName": "Allowed", "IndexName": "%s",
      "SearchVector": [{"N": "1"}], "TopK": 1, "SearchConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "dynamo_test_searcher"}}}', index)::json) answer);
  END LOOP;
  RESET ROLE;
END $$;
SELECT pg_temp.searched('{"Effect": "Allow", "Action": "dynamodb:SearchVectors", "Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/Allowed/index/near"}');
SELECT pg_temp.searched('{"Effect": "Allow", "Action": "dynamodb:SearchVectors", "Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/Allowed"}');
SELECT pg_temp.searched('{"Effect": "Allow", "Action": ["dynamodb:Query", "dynamodb:GetItem", "dynamodb:Scan"], "Resource": "*"}');
SELECT pg_temp.searched('{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}}}');
SELECT pg_temp.searched('{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*", "Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "v"]}}}');
-- of SQL functions GRANT decides, as of the others
SET ROLE dynamo_test_searcher;
SELECT item->>'pk' FROM dynamo.search_vectors('Allowed', 'other', ARRAY[1], 1, 'pk = :p', '{":p": "dynamo_test_searcher"}');
RESET ROLE;
SELECT dynamo.drop_table('Allowed');
DROP OWNED BY dynamo_test_searcher;
DROP ROLE dynamo_test_searcher;
