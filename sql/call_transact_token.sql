-- ClientRequestToken: done once in ten minutes
\t on
\a
SELECT dynamo.create_table('CallToken', 'pk');
CREATE FUNCTION pg_temp.add(token text, more text DEFAULT '', key text DEFAULT 'a') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('TransactWriteItems', ('{"TransactItems": [{"Update": {"TableName": "CallToken", "Key": {"pk": {"S": "' || key || '"}},
    "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}], "ClientRequestToken": "' || token || '"' || more || '}')::json) $$;
CREATE FUNCTION pg_temp.n() RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call('GetItem', '{"TableName": "CallToken", "Key": {"pk": {"S": "a"}}}') -> 'Item' -> 'n' $$;

-- the same request again answers, and writes nothing; it costs what reading would
SELECT pg_temp.add('one', ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pg_temp.add('one', ', "ReturnConsumedCapacity": "TOTAL"');
SELECT pg_temp.add('one', ', "ReturnConsumedCapacity": "NONE"');
SELECT pg_temp.n();
-- what was deleted counts, too: 9 kB are three units, twice
SELECT dynamo.call('PutItem', json_build_object('TableName', 'CallToken', 'Item', json_build_object('pk', '{"S": "large"}'::json, 't', json_build_object('S', repeat('x', 9000)))));
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "CallToken", "Key": {"pk": {"S": "large"}}}}], "ClientRequestToken": "gone", "ReturnConsumedCapacity": "TOTAL"}')
FROM generate_series(1, 2);
-- the order of members and the blanks do not matter, another token does
SELECT dynamo.try_call('TransactWriteItems', '{"ClientRequestToken":"one","TransactItems":[{"Update":{"ExpressionAttributeValues":{":one":{"N":"1"}},"UpdateExpression":"ADD n :one","Key":{"pk":{"S":"a"}},"TableName":"CallToken"}}]}');
SELECT pg_temp.add('two');
SELECT pg_temp.n();
-- nor does it matter that one statement sends it twice
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [{"Update": {"TableName": "CallToken", "Key": {"pk": {"S": "twice"}},
  "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}], "ClientRequestToken": "twice"}')
FROM generate_series(1, 2);
SELECT dynamo.get_item('CallToken', '{"pk": "twice"}');
-- another request under a known token
SELECT pg_temp.add('one', key => 'b');
-- a call that failed is not remembered
SELECT dynamo.try_call('TransactWriteItems', '{"ClientRequestToken": "three", "TransactItems": [{"Update": {"TableName": "CallToken", "Key": {"pk": {"S": "a"}},
  "UpdateExpression": "ADD n :one", "ConditionExpression": "n > :one", "ExpressionAttributeValues": {":one": {"N": "7"}}}}]}') -> 'CancellationReasons' -> 0 -> 'Code';
SELECT pg_temp.add('three');
SELECT pg_temp.n();
-- nor one that was rolled back
BEGIN;
SELECT pg_temp.add('four');
ROLLBACK;
SELECT pg_temp.add('four');
SELECT pg_temp.n();
-- form
SELECT pg_temp.add('');
SELECT pg_temp.add(repeat('x', 37));
SELECT dynamo.drop_table('CallToken');
DELETE FROM dynamo_internal.transact_tokens;
DELETE FROM dynamo_internal.shared_tokens;
