-- grant_leading_keys: row-level security that holds SQL itself to partition
-- keys, and the fast store where that is proven to be enough.
\t on
\a
\set VERBOSITY terse
CREATE ROLE regress_owner;
CREATE ROLE regress_acme;
CREATE ROLE regress_beta;
CREATE ROLE regress_staff;
GRANT CREATE ON SCHEMA dynamo_data TO regress_owner;
SET ROLE regress_owner;
SELECT dynamo.create_table('PolicyT', 'PK', 'SK'), dynamo.create_index('PolicyT', 'ByMail', 'mail', 'SK'), dynamo.create_table('PolicyN', 'n', partition_key_type => 'N');
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."PolicyT", dynamo_data."PolicyN" TO regress_acme, regress_beta, regress_staff;
SELECT dynamo.put_item('PolicyT', format('{"PK": "%s#1", "SK": "%s", "mail": "m"}', tenant, n)::dynamo.item) FROM unnest('{ACME,ACME2,BETA}'::text[]) tenant, generate_series(1, 2) n;
SELECT dynamo.put_item('PolicyN', format('{"n": %s}', n)::dynamo.item) FROM unnest('{1,10,1.5,2}'::numeric[]) n;
SELECT dynamo.grant_leading_keys('regress_acme', 'PolicyT', 'ACME#*');
SELECT dynamo.grant_leading_keys('regress_beta', 'PolicyT', 'BETA#1', 'BETA#?');
SELECT dynamo.grant_leading_keys('regress_staff', 'PolicyT', '*');
SELECT dynamo.grant_leading_keys('regress_acme', 'PolicyN', '1', '1.5');
SELECT polname, polpermissive, polcmd, polroles::regrole[], pg_get_expr(polqual, polrelid), polwithcheck FROM pg_policy WHERE polrelid IN (dynamo.relation('PolicyT'), dynamo.relation('PolicyN')) ORDER BY polrelid, polname;
-- in place of what there was
SELECT dynamo.grant_leading_keys('regress_beta', 'PolicyT', 'BETA#*');
SELECT count(*) FROM pg_policy WHERE polrelid = dynamo.relation('PolicyT');
SET ROLE regress_acme;
-- plain SQL, the functions and the API see the same
SELECT item ->> 'PK', item ->> 'SK' FROM dynamo_data."PolicyT" ORDER BY 1, 2;
SELECT item ->> 'PK', item ->> 'SK' FROM dynamo.scan('PolicyT') ORDER BY 1, 2;
SELECT item ->> 'PK' FROM dynamo.query('PolicyT', 'mail = :m', '{":m": "m"}', index_name => 'ByMail');
SELECT count(*) FROM dynamo.query('PolicyT', 'PK = :p', '{":p": "ACME#1"}');
SELECT count(*) FROM dynamo.query('PolicyT', 'PK = :p', '{":p": "ACME2#1"}');
SELECT item FROM dynamo.get_item('PolicyT', 'ACME#1', '2');
SELECT item FROM dynamo.get_item('PolicyT', 'BETA#1', '2');
SELECT n, (SELECT count(*) FROM dynamo.get_item('PolicyN', n)) FROM unnest('{1,10,1.5,2}'::numeric[]) n;
SELECT dynamo.put_item('PolicyT', '{"PK": "ACME#2", "SK": "1", "mail": "m"}', return_values => 'ALL_OLD');
SELECT dynamo.update_item('PolicyT', '{"PK": "ACME#2", "SK": "1"}', 'SET x = :x', '{":x": 1}', return_values => 'ALL_NEW');
SELECT dynamo.put_item('PolicyT', '{"PK": "BETA#1", "SK": "1"}');
SELECT dynamo.put_item('PolicyT', '{"PK": "BETA#1", "SK": "9"}');
SELECT dynamo.delete_item('PolicyT', 'BETA#1', '1') IS NULL;
SELECT dynamo.delete_item('PolicyT', 'ACME#2', '1');
INSERT INTO dynamo_data."PolicyT" (item) VALUES ('{"PK": "BETA#1", "SK": "9"}');
-- a transaction with both kinds of keys: the executor does all of it, and refuses
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "PolicyT", "Item": {"PK": {"S": "ACME#3"}, "SK": {"S": "1"}}}}, {"Put": {"TableName": "PolicyT", "Item": {"PK": {"S": "BETA#3"}, "SK": {"S": "1"}}}}]}') ->> 'Message';
SELECT dynamo.try_call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "PolicyT", "Item": {"PK": {"S": "ACME#3"}, "SK": {"S": "1"}}}}, {"Delete": {"TableName": "PolicyT", "Key": {"PK": {"S": "ACME#4"}, "SK": {"S": "1"}}}}]}');
SELECT dynamo.try_call('BatchGetItem', '{"RequestItems": {"PolicyT": {"Keys": [{"PK": {"S": "BETA#1"}, "SK": {"S": "1"}}, {"PK": {"S": "ACME#3"}, "SK": {"S": "1"}}]}}}') -> 'Responses';
SET ROLE regress_staff;
SELECT count(*) FROM dynamo.scan('PolicyT');
RESET ROLE;
-- only the owner grants and revokes
SET ROLE regress_acme;
SELECT dynamo.grant_leading_keys('regress_acme', 'PolicyT', '*');
SELECT dynamo.revoke_leading_keys('regress_acme', 'PolicyT');
-- the fast store does what is about granted keys: nothing is planned, up to a
-- request that is not
\c
SET client_min_messages = warning;
CREATE FUNCTION pg_temp.planned() RETURNS bool LANGUAGE sql AS $$
  SELECT count(*) > 0 FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' AND strpos(ident, 'dynamo_data."' || 'PolicyT"') > 0 $$;
SET ROLE regress_acme;
SELECT dynamo.put_item('PolicyT', '{"PK": "ACME#8", "SK": "1"}');
SELECT count(*) FROM dynamo.get_item('PolicyT', 'ACME#8', '1');
SELECT count(*) FROM dynamo.query('PolicyT', 'PK = :p', '{":p": "ACME#8"}');
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "PolicyT", "Item": {"PK": {"S": "ACME#8"}, "SK": {"S": "1"}}}}, {"Delete": {"TableName": "PolicyT", "Key": {"PK": {"S": "ACME#9"}, "SK": {"S": "1"}}}}]}');
SELECT dynamo.delete_item('PolicyT', 'ACME#8', '1') IS NOT NULL;
RESET ROLE;
SELECT pg_temp.planned();
SET ROLE regress_acme;
SELECT count(*) FROM dynamo.get_item('PolicyT', 'BETA#1', '1');
RESET ROLE;
SELECT pg_temp.planned();
SET ROLE regress_owner;
SELECT dynamo.grant_leading_keys('regress_acme', 'PolicyT');
SELECT dynamo.grant_leading_keys('regress_acme', 'PolicyT', NULL);
SELECT dynamo.grant_leading_keys('regress_acme', 'PolicyX', '*');
-- one more policy, restrictive, or permissive but not ours: the executor decides
CREATE POLICY no_mail ON dynamo_data."PolicyT" AS RESTRICTIVE TO regress_acme USING (NOT item ? 'mail');
SET ROLE regress_acme;
SELECT count(*) FROM dynamo.get_item('PolicyT', 'ACME#1', '1'), dynamo.query('PolicyT', 'PK = :p', '{":p": "ACME#1"}');
SET ROLE regress_owner;
DROP POLICY no_mail ON dynamo_data."PolicyT";
CREATE POLICY mine ON dynamo_data."PolicyT" TO regress_acme USING (item ->> 'PK' = 'BETA#1');
SET ROLE regress_acme;
SELECT count(*) FROM dynamo.query('PolicyT', 'PK = :p', '{":p": "BETA#1"}');
SET ROLE regress_owner;
DROP POLICY mine ON dynamo_data."PolicyT";
-- our function, but of another attribute, or on another list
ALTER POLICY regress_acme_leading_keys ON dynamo_data."PolicyT" USING (dynamo_internal.leading_key_like(item, 'SK', '{1}'));
SET ROLE regress_acme;
SELECT item ->> 'SK' FROM dynamo.query('PolicyT', 'PK = :p', '{":p": "BETA#1"}');
SELECT item ->> 'SK' FROM dynamo.get_item('PolicyT', 'ACME#1', '2');
SET ROLE regress_owner;
ALTER POLICY regress_acme_leading_keys ON dynamo_data."PolicyT" USING (dynamo_internal.leading_key_like(item, 'PK', '{ACME#*}')) WITH CHECK (false);
SET ROLE regress_acme;
SELECT dynamo.put_item('PolicyT', '{"PK": "ACME#1", "SK": "3"}');
SET ROLE regress_owner;
DROP POLICY regress_acme_leading_keys ON dynamo_data."PolicyT";
SELECT dynamo.grant_leading_keys('regress_acme', 'PolicyT', 'ACME#*');
-- known by what it is, not by its name; and a role renamed stays itself
ALTER POLICY regress_acme_leading_keys ON dynamo_data."PolicyT" RENAME TO other;
RESET ROLE;
ALTER ROLE regress_acme RENAME TO regress_acme2;
SET ROLE regress_acme2;
SELECT count(*) FROM dynamo.query('PolicyT', 'PK = :p', '{":p": "ACME#1"}');
SET ROLE regress_owner;
SELECT dynamo.revoke_leading_keys('regress_acme2', 'PolicyT');
SELECT dynamo.revoke_leading_keys('regress_acme2', 'PolicyT');
SET ROLE regress_acme2;
SELECT count(*) FROM dynamo.query('PolicyT', 'PK = :p', '{":p": "ACME#1"}');
-- one request for keys that are granted and keys that are not: each has its store, and each is closed once
SET ROLE regress_owner;
SELECT dynamo.grant_leading_keys('regress_acme2', 'PolicyT', 'ACME#*');
SET ROLE regress_acme2;
SELECT dynamo.call('BatchGetItem', '{"RequestItems": {"PolicyT": {"Keys": [{"PK": {"S": "ACME#9"}, "SK": {"S": "9"}}, {"PK": {"S": "BETA#1"}, "SK": {"S": "1"}}]}}}');
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"PolicyT": [{"DeleteRequest": {"Key": {"PK": {"S": "ACME#9"}, "SK": {"S": "9"}}}}, {"DeleteRequest": {"Key": {"PK": {"S": "BETA#1"}, "SK": {"S": "1"}}}}]}}');
SELECT dynamo.call('TransactWriteItems', '{"TransactItems": [{"Delete": {"TableName": "PolicyT", "Key": {"PK": {"S": "ACME#9"}, "SK": {"S": "9"}}}}, {"Delete": {"TableName": "PolicyT", "Key": {"PK": {"S": "BETA#1"}, "SK": {"S": "1"}}}}]}');
SET ROLE regress_owner;
-- what has expired is found by the executor, and deleted by the fast store
SELECT dynamo.enable_ttl('PolicyT', 'ttl');
SELECT dynamo.put_item('PolicyT', format('{"PK": "%s#7", "SK": "%s", "ttl": %s}', tenant, n, extract(epoch FROM now())::bigint - 100)::dynamo.item) FROM unnest('{ACME,BETA}'::text[]) tenant, generate_series(1, 3) n;
SET ROLE regress_acme2;
SELECT dynamo.expire_items('PolicyT');
SET ROLE regress_owner;
-- policies that wait for row-level security are not switched on unasked
SELECT dynamo.create_table('PolicyU', 'PK');
CREATE POLICY waits ON dynamo_data."PolicyU" USING (false);
SELECT dynamo.grant_leading_keys('regress_beta', 'PolicyU', '*');
SELECT dynamo.drop_table('PolicyT'), dynamo.drop_table('PolicyU'), dynamo.drop_table('PolicyN');
RESET ROLE;
DROP OWNED BY regress_owner;
DROP ROLE regress_owner, regress_acme2, regress_beta, regress_staff;
