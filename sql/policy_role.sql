-- Policies of roles: who may change them, and whom they narrow.
\t on
\a
\set VERBOSITY terse
CREATE ROLE regress_tenants NOINHERIT;
CREATE ROLE regress_ann IN ROLE regress_tenants;
CREATE ROLE regress_bob;
CREATE ROLE regress_boss NOINHERIT;
GRANT regress_bob TO regress_boss WITH ADMIN OPTION;
CREATE ROLE regress_root SUPERUSER;
SELECT dynamo.create_table('PolicyT', 'pk');
GRANT SELECT ON dynamo_data."PolicyT" TO regress_tenants, regress_bob;
SELECT dynamo.put_item('PolicyT', '{"pk": "regress_ann"}'), dynamo.put_item('PolicyT', '{"pk": "regress_bob"}');
CREATE FUNCTION pg_temp.reads(key text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(answer ->> 'Message', answer ->> 'Item') FROM dynamo.try_call('GetItem', format('{"TableName": "PolicyT", "Key": {"pk": {"S": "%s"}}}', key)::json) answer $$;
\set document '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*", "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}}}}'

-- a role with privileges of another has its policies: those of a group
SELECT dynamo.put_role_policy('regress_tenants', 'own', :'document');
SET ROLE regress_ann;
SELECT pg_temp.reads('regress_ann');
SELECT pg_temp.reads('regress_bob');
SET ROLE regress_bob;
SELECT pg_temp.reads('regress_ann');
RESET ROLE;
-- an Allow of its own adds to the group's, a Deny takes away
SELECT dynamo.put_role_policy('regress_ann', 'more', '{"Statement": {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}}');
SET ROLE regress_ann;
SELECT pg_temp.reads('regress_bob');
RESET ROLE;
SELECT dynamo.put_role_policy('regress_ann', 'less', '{"Statement": {"Effect": "Deny", "Action": "dynamodb:*", "Resource": "*"}}');
SET ROLE regress_ann;
SELECT pg_temp.reads('regress_ann');
RESET ROLE;
SELECT dynamo.delete_role_policy('regress_ann', 'less'), dynamo.delete_role_policy('regress_ann', 'more');
-- who leaves the group leaves its policies
REVOKE regress_tenants FROM regress_ann;
GRANT SELECT ON dynamo_data."PolicyT" TO regress_ann;
SET ROLE regress_ann;
SELECT pg_temp.reads('regress_bob');
RESET ROLE;
GRANT regress_tenants TO regress_ann;

-- a role's policies go with it when it is renamed
ALTER ROLE regress_ann RENAME TO regress_anna;
SET ROLE regress_anna;
SELECT pg_temp.reads('regress_ann');
SELECT pg_temp.reads('regress_anna') IS NULL;
RESET ROLE;

-- nobody changes the policies that narrow him, nor those of others
SET ROLE regress_anna;
SELECT dynamo.delete_role_policy('regress_tenants', 'own');
SELECT dynamo.put_role_policy('regress_anna', 'more', :'document');
SELECT dynamo.put_role_policy('regress_bob', 'more', :'document');
SELECT * FROM dynamo.role_policies;
DELETE FROM dynamo.role_policies;
RESET ROLE;
GRANT regress_tenants TO regress_anna WITH ADMIN OPTION;
SET ROLE regress_anna;
SELECT dynamo.delete_role_policy('regress_tenants', 'own');
-- Attack: a role with ADMIN OPTION that does not inherit takes the group's policy
-- away, and then becomes the group by SET ROLE.
SET ROLE regress_boss;
SELECT dynamo.put_role_policy('regress_bob', 'more', :'document');
RESET ROLE;
-- nor by way of others, whom it can become
CREATE ROLE regress_way NOINHERIT IN ROLE regress_tenants;
CREATE ROLE regress_far NOINHERIT IN ROLE regress_way;
GRANT regress_tenants TO regress_far WITH ADMIN OPTION;
SELECT current_setting('server_version_num')::int >= 160000 AS tells_set \gset
\if :tells_set
REVOKE INHERIT OPTION FOR regress_tenants FROM regress_far;
REVOKE SET OPTION FOR regress_tenants FROM regress_far;
REVOKE SET OPTION FOR regress_bob FROM regress_boss;
REVOKE INHERIT OPTION FOR regress_bob FROM regress_boss;
\endif
SET ROLE regress_far;
SELECT dynamo.delete_role_policy('regress_tenants', 'own');
-- who administers a role and cannot be it may, as there can be since 16
\if :tells_set
SET ROLE regress_boss;
\else
RESET ROLE;
\endif
SELECT dynamo.put_role_policy('regress_bob', 'more', :'document');
-- but not for the sake of a session that can
RESET ROLE;
CREATE ROLE regress_both IN ROLE regress_boss, regress_bob;
SET SESSION AUTHORIZATION regress_both;
SET ROLE regress_boss;
SELECT dynamo.delete_role_policy('regress_bob', 'more');
RESET SESSION AUTHORIZATION;
SET ROLE regress_bob;
SELECT pg_temp.reads('regress_ann');
SELECT dynamo.delete_role_policy('regress_bob', 'more');
\if :tells_set
SET ROLE regress_boss;
\else
RESET ROLE;
\endif
SELECT dynamo.delete_role_policy('regress_bob', 'more');
RESET ROLE;
DROP ROLE regress_far, regress_way, regress_both;

-- superusers are not narrowed
SELECT dynamo.put_role_policy('regress_root', 'p', :'document');
GRANT regress_tenants TO regress_root;
SET ROLE regress_root;
SELECT pg_temp.reads('regress_bob');
RESET ROLE;

-- a role that is no more, or is not yet
SELECT dynamo.put_role_policy('regress_nobody', 'p', :'document');
SET ROLE regress_bob;
SELECT dynamo.put_role_policy(1::oid::regrole, 'p', :'document');
RESET ROLE;
BEGIN READ ONLY;
SELECT dynamo.put_role_policy('regress_bob', 'p', :'document');
ROLLBACK;
-- what plain SQL writes counts at once; what cannot be read denies everything
INSERT INTO dynamo.role_policies VALUES ('regress_bob', 'p', 'nonsense');
SET ROLE regress_bob;
SELECT pg_temp.reads('regress_bob');
RESET ROLE;
DELETE FROM dynamo.role_policies WHERE policy_name = 'p';
SET ROLE regress_bob;
SELECT pg_temp.reads('regress_bob');
RESET ROLE;
-- a transaction sees its own changes, and nobody those that are undone
BEGIN;
SELECT dynamo.put_role_policy('regress_bob', 'p', :'document');
SET LOCAL ROLE regress_bob;
SELECT pg_temp.reads('regress_ann');
ROLLBACK;
SET ROLE regress_bob;
SELECT pg_temp.reads('regress_ann');
RESET ROLE;
-- a trigger's own request is checked for its user; what it does by SQL functions is not
SELECT dynamo.put_role_policy('regress_bob', 'p', '{"Statement": {"Effect": "Allow", "Action": "dynamodb:PutItem", "Resource": "*"}}');
GRANT INSERT, UPDATE ON dynamo_data."PolicyT" TO regress_bob;
CREATE FUNCTION pg_temp.looks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE WARNING '%, %', (SELECT count(*) FROM dynamo.get_item('PolicyT', '{"pk": "regress_ann"}')), pg_temp.reads('regress_ann');
  RETURN NEW;
END $$;
CREATE TRIGGER looks BEFORE INSERT ON dynamo_data."PolicyT" FOR EACH ROW EXECUTE FUNCTION pg_temp.looks();
SET ROLE regress_bob;
SELECT dynamo.call('PutItem', '{"TableName": "PolicyT", "Item": {"pk": {"S": "x"}}}');
SELECT dynamo.call('DeleteItem', '{"TableName": "PolicyT", "Key": {"pk": {"S": "x"}}}');
RESET ROLE;
SELECT dynamo.drop_table('PolicyT');
TRUNCATE dynamo.role_policies;
DROP ROLE regress_anna, regress_tenants, regress_bob, regress_boss, regress_root;
