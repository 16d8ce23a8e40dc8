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
-- after ten minutes a token is new; those past their time go with their piece
UPDATE dynamo_internal.transact_tokens SET created_at = created_at - interval '10 minutes 1 second' WHERE token IN ('one', 'two');
SELECT pg_temp.add('one');
SELECT pg_temp.n();
SELECT token FROM dynamo_internal.transact_tokens ORDER BY token;
-- in whichever piece they are, tokens are found
WITH gone AS (DELETE FROM dynamo_internal.transact_tokens WHERE token = 'three' RETURNING *)
INSERT INTO dynamo_internal.transact_tokens_0 SELECT role, '0', request, sizes, created_at FROM gone;
INSERT INTO dynamo_internal.transact_tokens_1 SELECT role, '1', request, sizes, created_at FROM dynamo_internal.transact_tokens_0 WHERE token = '0';
INSERT INTO dynamo_internal.transact_tokens_2 SELECT role, '2', request, sizes, created_at FROM dynamo_internal.transact_tokens_0 WHERE token = '0';
INSERT INTO dynamo_internal.transact_tokens_3 SELECT role, '3', request, sizes, created_at FROM dynamo_internal.transact_tokens_0 WHERE token = '0';
SELECT pg_temp.add(n::text) FROM generate_series(0, 3) n;
SELECT pg_temp.n();
-- one past its time makes room for itself, where it is
UPDATE dynamo_internal.transact_tokens SET created_at = created_at - interval '10 minutes 1 second' WHERE length(token) = 1;
SELECT pg_temp.add(n::text) FROM generate_series(0, 3) n;
SELECT pg_temp.n();
SELECT token, count(*) FROM dynamo_internal.transact_tokens WHERE length(token) = 1 GROUP BY 1 ORDER BY 1;
-- a row that somebody has tampered with stands for another request
UPDATE dynamo_internal.transact_tokens SET sizes = '{}' WHERE token = 'one';
SELECT pg_temp.add('one');
UPDATE dynamo_internal.transact_tokens SET sizes = '{1}' WHERE token = 'one';
SELECT dynamo.drop_table('CallToken');
DELETE FROM dynamo_internal.transact_tokens;
DELETE FROM dynamo_internal.shared_tokens;
