-- Policies of tables and streams: PutResourcePolicy, GetResourcePolicy,
-- DeleteResourcePolicy, and CreateTable's ResourcePolicy.
\t on
\a
\set VERBOSITY terse
CREATE ROLE regress_owner;
CREATE ROLE regress_ann;
CREATE ROLE regress_group;
CREATE ROLE regress_bob IN ROLE regress_group;
GRANT CREATE ON SCHEMA dynamo_data TO regress_owner;
SET ROLE regress_owner;
SELECT dynamo.create_table('PolicyT', 'pk'), dynamo.create_table('PolicyU', 'pk');
SELECT dynamo.enable_stream('PolicyT') IS NOT NULL;
GRANT SELECT ON dynamo_data."PolicyT", dynamo_data."PolicyU" TO regress_ann, regress_group;
SELECT dynamo.put_item('PolicyT', '{"pk": "1"}'), dynamo.put_item('PolicyU', '{"pk": "1"}');
-- What became of a request; revisions and labels are not shown.
CREATE FUNCTION pg_temp.answer(operation text, request jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(coalesce(a ->> 'message', a ->> 'Message', a::text), '\d{13}|\d{4}-\d\d-\d\dT[0-9:.]+', '...', 'g') FROM dynamo.try_call(operation, request::json) a $$;
CREATE FUNCTION pg_temp.arn(name text) RETURNS text LANGUAGE sql AS $$ SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/' || name $$;
CREATE FUNCTION pg_temp.put(name text, policy text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.answer('PutResourcePolicy', jsonb_build_object('ResourceArn', pg_temp.arn(name), 'Policy', policy) || more) $$;
CREATE FUNCTION pg_temp.revision(name text) RETURNS text LANGUAGE sql AS $$
  SELECT dynamo.call('GetResourcePolicy', json_build_object('ResourceArn', pg_temp.arn(name))) ->> 'RevisionId' $$;
CREATE FUNCTION pg_temp.get(name text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.answer('GetResourcePolicy', jsonb_build_object('ResourceArn', pg_temp.arn(name))) $$;
CREATE FUNCTION pg_temp.delete(name text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.answer('DeleteResourcePolicy', jsonb_build_object('ResourceArn', pg_temp.arn(name)) || more) $$;
CREATE FUNCTION pg_temp.reads(name text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.answer('GetItem', jsonb_build_object('TableName', name, 'Key', '{"pk": {"S": "1"}}'::jsonb)) $$;
CREATE FUNCTION pg_temp.policy(effect text, principal text, action text DEFAULT '"dynamodb:*"', more text DEFAULT '') RETURNS text LANGUAGE sql AS $$
  SELECT format('{"Version": "2012-10-17", "Statement": [{"Effect": "%s", "Principal": %s, "Action": %s, "Resource": "*"%s}]}', effect, principal, action, more) $$;

-- none: Get says so, Delete does nothing, and expects nothing
SELECT pg_temp.get('PolicyT');
SELECT pg_temp.delete('PolicyT'), pg_temp.delete('PolicyT', '{"ExpectedRevisionId": "1"}');
SELECT pg_temp.get('PolicyX'), pg_temp.put('PolicyX', 'x');
SELECT pg_temp.answer('PutResourcePolicy', jsonb_build_object('ResourceArn', pg_temp.arn('PolicyT')));
-- documents: principals are needed, and must be roles; nothing is open to everybody
SELECT pg_temp.put('PolicyT', '{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}');
SELECT pg_temp.put('PolicyT', pg_temp.policy('Allow', '"*"')), pg_temp.put('PolicyT', pg_temp.policy('Allow', '{"AWS": ["*"]}'));
SELECT pg_temp.put('PolicyT', pg_temp.policy('Allow', '{"AWS": "arn:aws:iam::000000000000:user/regress_none"}'));
SELECT pg_temp.put('PolicyT', pg_temp.policy('Allow', '{"AWS": "regress_ann"}')), pg_temp.put('PolicyT', pg_temp.policy('Allow', '"regress_ann"')), pg_temp.put('PolicyT', pg_temp.policy('Allow', '{"Postgres": "x"}'));
SELECT pg_temp.put('PolicyT', '{"Statement": {"Effect": "Allow", "NotPrincipal": {"AWS": "000000000000"}, "Action": "*", "Resource": "*"}}');
-- who is meant has one shape: a list of anybody is nobody to some readers, and an
-- empty exception from a Deny is none, or all
SELECT principal, pg_temp.put('PolicyT', format('{"Statement": {"Effect": "Deny", %s, "Action": "*", "Resource": "*"}}', principal))
FROM unnest(ARRAY['"Principal": ["*"]', '"NotPrincipal": []', '"Principal": {}', '"Principal": null', '"Principal": 1', '"Principal": true', '"NotPrincipal": ["000000000000"]']) principal;
SELECT pg_temp.get('PolicyT');
-- revisions
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}'), '{"ExpectedRevisionId": "1"}');
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}'), '{"ExpectedRevisionId": "NO_POLICY"}');
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}'), '{"ExpectedRevisionId": "NO_POLICY"}');
SELECT pg_temp.get('PolicyT');
SELECT pg_temp.revision('PolicyT') AS first \gset
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}'));
SELECT pg_temp.revision('PolicyT') = :'first' AS "the same document keeps its revision";
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}', '["dynamodb:GetItem", "dynamodb:Scan"]'), jsonb_build_object('ExpectedRevisionId', :'first'));
SELECT pg_temp.revision('PolicyT') = :'first';
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}'), jsonb_build_object('ExpectedRevisionId', :'first')), pg_temp.delete('PolicyT', jsonb_build_object('ExpectedRevisionId', :'first'));
RESET ROLE;

-- it holds for whom it names, on this table, at the doors
SET ROLE regress_ann;
SELECT pg_temp.reads('PolicyT');
SELECT pg_temp.reads('PolicyU');
SELECT count(*) FROM dynamo.get_item('PolicyT', '{"pk": "1"}');
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyT');
-- only the owner sees or changes it
SELECT pg_temp.get('PolicyT'), pg_temp.delete('PolicyT'), pg_temp.put('PolicyT', '{}');
RESET ROLE;
-- renamed, the role is the same, and one of its old name is another
ALTER ROLE regress_ann RENAME TO regress_anna;
CREATE ROLE regress_ann;
GRANT SELECT ON dynamo_data."PolicyT" TO regress_ann;
SET ROLE regress_anna;
SELECT pg_temp.reads('PolicyT');
SET ROLE regress_ann;
SELECT pg_temp.reads('PolicyT');
RESET ROLE;
DROP OWNED BY regress_ann;
DROP ROLE regress_ann;
ALTER ROLE regress_anna RENAME TO regress_ann;

-- role/<name> means whoever has its privileges, user/<name> that role alone
SET ROLE regress_owner;
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_group"}', '"dynamodb:GetItem"')) IS NOT NULL;
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyT');
SET ROLE regress_owner;
SELECT pg_temp.put('PolicyT', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:role/regress_group"}', '"dynamodb:GetItem"')) IS NOT NULL;
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyT');
-- everybody else: NotPrincipal, or a condition
SET ROLE regress_owner;
SELECT pg_temp.put('PolicyT', '{"Statement": {"Effect": "Deny", "NotPrincipal": {"AWS": ["arn:aws:iam::000000000000:user/regress_ann", "arn:aws:iam::000000000000:user/regress_owner"]}, "Action": "dynamodb:*", "Resource": "*"}}') IS NOT NULL;
SELECT pg_temp.reads('PolicyT');
SET ROLE regress_ann;
SELECT pg_temp.reads('PolicyT');
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyT');
RESET ROLE;
-- an Allow of the table is enough for a role whose policies do not deny it
SELECT dynamo.put_role_policy('regress_ann', 'p', '{"Statement": {"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "*"}}');
SET ROLE regress_owner;
SELECT pg_temp.put('PolicyT', pg_temp.policy('Allow', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}', '"dynamodb:GetItem"')) IS NOT NULL;
SET ROLE regress_ann;
SELECT pg_temp.reads('PolicyT'), pg_temp.reads('PolicyU');
RESET ROLE;
SELECT dynamo.put_role_policy('regress_ann', 'p', '{"Statement": {"Effect": "Deny", "Action": "dynamodb:Get*", "Resource": "*"}}');
SET ROLE regress_ann;
SELECT pg_temp.reads('PolicyT');
RESET ROLE;
SELECT dynamo.delete_role_policy('regress_ann', 'p');

-- who shuts himself out must say that he means it
SET ROLE regress_owner;
SELECT pg_temp.put('PolicyU', pg_temp.policy('Deny', '"*"'));
SELECT pg_temp.put('PolicyU', pg_temp.policy('Deny', '"*"'), '{"ConfirmRemoveSelfResourceAccess": true}');
SELECT pg_temp.reads('PolicyU'), pg_temp.delete('PolicyU'), pg_temp.get('PolicyU');
RESET ROLE;
SELECT pg_temp.delete('PolicyU');

-- a stream has its own
SELECT regexp_replace(dynamo.call('DescribeTable', '{"TableName": "PolicyT"}') -> 'Table' ->> 'LatestStreamArn', '.*:table/', '') AS stream \gset
SELECT pg_temp.get(:'stream'), pg_temp.get('PolicyT/stream/2020-01-01T00:00:00.000');
SET ROLE regress_owner;
SELECT pg_temp.put(:'stream', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_bob"}', '["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetItem"]'));
SET ROLE regress_bob;
SELECT pg_temp.answer('DescribeStream', jsonb_build_object('StreamArn', pg_temp.arn(:'stream')));
SELECT pg_temp.reads('PolicyT');
RESET ROLE;
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', pg_temp.arn(:'stream'))) -> 'StreamDescription' -> 'Shards' -> 0 ->> 'ShardId' AS shard \gset
SET ROLE regress_bob;
SELECT dynamo.call('GetShardIterator', json_build_object('StreamArn', pg_temp.arn(:'stream'), 'ShardId', :'shard', 'ShardIteratorType', 'TRIM_HORIZON')) ->> 'ShardIterator' AS iterator \gset
SELECT pg_temp.answer('GetRecords', jsonb_build_object('ShardIterator', :'iterator'));
RESET ROLE;

-- a row that somebody has edited, so that its roles are not those that its document
-- names, denies everything
SET ROLE regress_owner;
SELECT pg_temp.put('PolicyU', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}', '"dynamodb:PutItem"'));
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyU');
RESET ROLE;
BEGIN;
UPDATE dynamo.resource_policies SET principals = '{}' WHERE table_name = 'PolicyU';
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyU');
ROLLBACK;
BEGIN;
UPDATE dynamo.resource_policies SET principals = '{regress_ann,regress_bob}' WHERE table_name = 'PolicyU';
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyU');
ROLLBACK;
SET ROLE regress_bob;
SELECT pg_temp.reads('PolicyU');
RESET ROLE;

-- CreateTable brings one along; a table of the same name has none of it
SET ROLE regress_owner;
SELECT pg_temp.answer('CreateTable', jsonb_build_object('TableName', 'PolicyV', 'BillingMode', 'PAY_PER_REQUEST', 'KeySchema', '[{"AttributeName": "pk", "KeyType": "HASH"}]'::jsonb, 'AttributeDefinitions', '[{"AttributeName": "pk", "AttributeType": "S"}]'::jsonb, 'ResourcePolicy', 'nonsense'));
SELECT dynamo.call('CreateTable', json_build_object('TableName', 'PolicyV', 'BillingMode', 'PAY_PER_REQUEST', 'KeySchema', '[{"AttributeName": "pk", "KeyType": "HASH"}]'::json, 'AttributeDefinitions', '[{"AttributeName": "pk", "AttributeType": "S"}]'::json, 'ResourcePolicy', pg_temp.policy('Deny', '{"AWS": "arn:aws:iam::000000000000:user/regress_ann"}'))) -> 'TableDescription' ->> 'TableStatus';
GRANT SELECT ON dynamo_data."PolicyV" TO regress_ann;
SET ROLE regress_ann;
SELECT pg_temp.reads('PolicyV');
SET ROLE regress_owner;
DROP TABLE dynamo_data."PolicyV";
SELECT dynamo.create_table('PolicyV', 'pk');
GRANT SELECT ON dynamo_data."PolicyV" TO regress_ann;
SET ROLE regress_ann;
SELECT pg_temp.reads('PolicyV');
RESET ROLE;
SELECT pg_temp.get('PolicyV');
SELECT dynamo.drop_table('PolicyV'), dynamo.drop_table('PolicyT'), dynamo.drop_table('PolicyU');
SELECT count(*) FROM dynamo.resource_policies;
DROP OWNED BY regress_owner;
DROP ROLE regress_owner, regress_ann, regress_bob, regress_group;
