-- ClientRequestToken: the rows of dynamo_internal.transact_tokens
\t on
\a
SELECT dynamo.create_table('CallToken', 'pk');
CREATE FUNCTION pg_temp.add(token text, more text DEFAULT '', key text DEFAULT 'a') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.try_call('TransactWriteItems', ('{"TransactItems": [{"Update": {"TableName": "CallToken", "Key": {"pk": {"S": "' || key || '"}},
    "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}], "ClientRequestToken": "' || token || '"' || more || '}')::json) $$;
CREATE FUNCTION pg_temp.n() RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call('GetItem', '{"TableName": "CallToken", "Key": {"pk": {"S": "a"}}}') -> 'Item' -> 'n' $$;

SELECT pg_temp.add('one');
SELECT pg_temp.add('two');
SELECT pg_temp.add('three');
SELECT pg_temp.n();
-- after ten minutes a token is new, and those past their time are removed
UPDATE dynamo_internal.transact_tokens SET created_at = created_at - interval '10 minutes 1 second' WHERE token IN ('one', 'two');
SELECT pg_temp.add('one');
SELECT pg_temp.n();
SELECT token FROM dynamo_internal.transact_tokens ORDER BY token;
-- ... a few at a time: one that is used again need not be among them
INSERT INTO dynamo_internal.transact_tokens SELECT role, 'old ' || n, request, sizes, created_at - interval '1 day' FROM dynamo_internal.transact_tokens, generate_series(1, 25) n WHERE token = 'one';
UPDATE dynamo_internal.transact_tokens SET created_at = created_at - interval '10 minutes 1 second' WHERE token = 'one';
SELECT pg_temp.add('one');
SELECT pg_temp.n();
SELECT count(*) FILTER (WHERE token LIKE 'old %') AS old, count(*) FILTER (WHERE token = 'one') AS one FROM dynamo_internal.transact_tokens;
-- a row that somebody has tampered with stands for another request
UPDATE dynamo_internal.transact_tokens SET sizes = '{}' WHERE token = 'one';
SELECT pg_temp.add('one');
UPDATE dynamo_internal.transact_tokens SET sizes = '{1}' WHERE token = 'one';
SELECT dynamo.drop_table('CallToken');
DELETE FROM dynamo_internal.transact_tokens;
DELETE FROM dynamo_internal.shared_tokens;
