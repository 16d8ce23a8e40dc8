-- Policy documents: what is refused, and with which text.
\t on
\a
\set VERBOSITY terse
CREATE ROLE regress_policy;
CREATE FUNCTION pg_temp.put(document text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dynamo.put_role_policy('regress_policy', 'p', document);
  RETURN 'put';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || replace(SQLERRM, 'One or more parameter values were invalid: Invalid policy document: ', '...');
END $$;
-- one statement of these members, whose others are good
CREATE FUNCTION pg_temp.statement(members jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.put(jsonb_build_object('Version', '2012-10-17', 'Statement', jsonb_strip_nulls('{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}' || members))::text) $$;

-- the text as a whole
SELECT pg_temp.put('');
SELECT pg_temp.put('{');
SELECT pg_temp.put('[]');
SELECT pg_temp.put('null');
SELECT pg_temp.put('{"Version": "2012-10-17"}');
SELECT pg_temp.put('{"Statement": []}');
SELECT pg_temp.put('{"Statement": "x"}');
SELECT pg_temp.put('{"Statement": [1]}');
SELECT pg_temp.put('{"Version": "2013-10-17", "Statement": []}');
SELECT pg_temp.put('{"Id": 1, "Statement": []}');
SELECT pg_temp.put('{"Statment": [], "Statement": []}');
-- 20,480 bytes, white space included
SELECT pg_temp.put(rpad('{"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}}', 20480)), pg_temp.put(rpad('{"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}}', 20481));
-- statements: one or a list
SELECT pg_temp.statement('{}');
SELECT pg_temp.statement('{"Effect": null}'), pg_temp.statement('{"Effect": "allow"}'), pg_temp.statement('{"Effect": ["Allow"]}');
SELECT pg_temp.statement('{"Action": null}'), pg_temp.statement('{"Action": []}'), pg_temp.statement('{"Action": [1]}'), pg_temp.statement('{"Action": "GetItem"}');
SELECT pg_temp.statement('{"NotAction": "dynamodb:GetItem"}'), pg_temp.statement('{"Action": null, "NotAction": ["dynamodb:GetItem"]}');
SELECT pg_temp.statement('{"Resource": null}'), pg_temp.statement('{"Resource": []}'), pg_temp.statement('{"Resource": "table/x"}'), pg_temp.statement('{"Resource": {}}');
SELECT pg_temp.statement('{"Principal": "*"}'), pg_temp.statement('{"NotPrincipal": {"AWS": "*"}}');
SELECT pg_temp.put('{"Statement": [{"Sid": "a", "Effect": "Allow", "Action": "*", "Resource": "*"}, {"Sid": "a", "Effect": "Allow", "Action": "*", "Resource": "*"}]}');
-- a misspelt member must not widen a statement
SELECT pg_temp.statement('{"Conditions": {}}');
-- conditions
SELECT pg_temp.statement('{"Condition": {}}'), pg_temp.statement('{"Condition": []}'), pg_temp.statement('{"Condition": {"StringEquals": "x"}}');
SELECT pg_temp.statement('{"Condition": {"StringIs": {"aws:username": "x"}}}'), pg_temp.statement('{"Condition": {"ForSome:StringEquals": {"aws:username": "x"}}}'), pg_temp.statement('{"Condition": {"NullIfExists": {"aws:username": "true"}}}');
SELECT pg_temp.statement('{"Condition": {"StringEquals": {"username": "x"}}}'), pg_temp.statement('{"Condition": {"StringEquals": {"aws:username": {}}}}');
SELECT pg_temp.statement('{"Condition": {"NumericEquals": {"aws:EpochTime": "x"}}}'), pg_temp.statement('{"Condition": {"NumericEquals": {"aws:EpochTime": [1, "2.5", 1e3]}}}');
SELECT pg_temp.statement('{"Condition": {"DateLessThan": {"aws:CurrentTime": "2026-13-01"}}}'), pg_temp.statement('{"Condition": {"DateLessThan": {"aws:CurrentTime": "2026-01-01T10:00"}}}'), pg_temp.statement('{"Condition": {"DateLessThan": {"aws:CurrentTime": "2026-01-01T10:00:00.5+01:00"}}}'), pg_temp.statement('{"Condition": {"DateLessThan": {"aws:CurrentTime": "today"}}}');
SELECT pg_temp.statement('{"Condition": {"IpAddress": {"aws:SourceIp": "10.0.0.0/33"}}}'), pg_temp.statement('{"Condition": {"IpAddress": {"aws:SourceIp": ["10.0.0.0/8", "::1/128", "::ffff:10.0.0.0/104"]}}}'), pg_temp.statement('{"Condition": {"IpAddress": {"aws:SourceIp": "10.0.0"}}}');
SELECT pg_temp.statement('{"Condition": {"Bool": {"aws:SecureTransport": "yes"}}}'), pg_temp.statement('{"Condition": {"Bool": {"aws:SecureTransport": [true, "FALSE"]}}}');

-- names
SELECT dynamo.put_role_policy('regress_policy', '', '{}');
SELECT dynamo.put_role_policy('regress_policy', 'a/b', '{}');
SELECT dynamo.put_role_policy('regress_policy', repeat('a', 129), '{}');
BEGIN;
SELECT dynamo.put_role_policy('regress_policy', repeat('a', 128), '{"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}}');
SELECT length(policy_name) FROM dynamo.role_policies ORDER BY 1 DESC LIMIT 1;
ROLLBACK;
SELECT dynamo.delete_role_policy('regress_policy', 'q');
-- one row a name, the last document
SELECT role, policy_name, document FROM dynamo.role_policies;
SELECT dynamo.delete_role_policy('regress_policy', 'p');
DROP ROLE regress_policy;
