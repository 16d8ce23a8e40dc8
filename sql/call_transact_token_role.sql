-- ClientRequestToken: each role has its own
\t on
\a
SELECT dynamo.create_table('CallToken', 'pk');
CREATE FUNCTION pg_temp.add(token text, more text DEFAULT '', key text DEFAULT 'a') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('TransactWriteItems', ('{"TransactItems": [{"Update": {"TableName": "CallToken", "Key": {"pk": {"S": "' || key || '"}},
    "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}], "ClientRequestToken": "' || token || '"' || more || '}')::json) $$;
CREATE FUNCTION pg_temp.n() RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call('GetItem', '{"TableName": "CallToken", "Key": {"pk": {"S": "a"}}}') -> 'Item' -> 'n' $$;

SELECT pg_temp.add('one');
-- another role's is another one, and nobody else's business
CREATE ROLE regress_call_token LOGIN;
GRANT SELECT, INSERT, UPDATE ON dynamo_data."CallToken" TO regress_call_token;
SET ROLE regress_call_token;
SELECT pg_temp.add('one');
SELECT count(*) FROM dynamo_internal.transact_tokens;
RESET ROLE;
SELECT pg_temp.n();
SELECT dynamo.drop_table('CallToken');
DELETE FROM dynamo_internal.transact_tokens;
DELETE FROM dynamo_internal.shared_tokens;
DROP ROLE regress_call_token;
