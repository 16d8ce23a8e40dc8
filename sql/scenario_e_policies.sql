-- Many tenants in one table, held to their leading keys by a policy of a group:
-- no tenant reads, counts or changes anything of another, or learns from an
-- answer whether it is there.  test/t/http_policy.pl has the door HTTP.
\t on
\a
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE ROLE regress_tenants;
CREATE ROLE regress_acme IN ROLE regress_tenants;
CREATE ROLE regress_beta IN ROLE regress_tenants;
SELECT dynamo.create_table('ScenPolicies', 'PK', 'SK'), dynamo.create_index('ScenPolicies', 'ByTenant', 'tenant', 'SK');
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."ScenPolicies" TO regress_tenants;
INSERT INTO dynamo_data."ScenPolicies" (item)
SELECT jsonb_build_object('PK', format('TENANT#%s#USER#%s', tenant, n), 'SK', 'PROFILE', 'tenant', tenant, 'n', n)::dynamo.item
FROM unnest('{regress_acme,regress_acme2,regress_beta}'::text[]) tenant, generate_series(1, 3) n;
SELECT dynamo.put_role_policy('regress_tenants', 'own', '{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Action": ["dynamodb:*Item", "dynamodb:Batch*Item", "dynamodb:Query", "dynamodb:Scan", "dynamodb:PartiQL*"], "Resource": "arn:aws:dynamodb:*:*:table/ScenPolicies",
   "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "TENANT#${aws:username}#*"}, "Null": {"dynamodb:LeadingKeys": "false"}}},
  {"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "arn:aws:dynamodb:*:*:table/ScenPolicies/index/ByTenant",
   "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "${aws:username}"}}}]}');
CREATE TABLE scen_before AS SELECT item FROM dynamo.scan('ScenPolicies') WHERE item ->> 'tenant' <> 'regress_acme';

-- Every way to touch an item of a partition key, {K}; or to touch all.
CREATE TABLE scen_ways (n serial, operation text, request text);
GRANT SELECT ON scen_ways TO PUBLIC;
INSERT INTO scen_ways (operation, request) VALUES
  ('GetItem', '{"TableName": "ScenPolicies", "Key": {K}}'),
  ('GetItem', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/ScenPolicies", "Key": {K}, "ProjectionExpression": "n"}'),
  ('BatchGetItem', '{"RequestItems": {"ScenPolicies": {"Keys": [{O}, {K}]}}}'),
  ('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "ScenPolicies", "Key": {O}}}, {"Get": {"TableName": "ScenPolicies", "Key": {K}}}]}'),
  ('Query', '{"TableName": "ScenPolicies", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "{P}"}}}'),
  ('Query', '{"TableName": "ScenPolicies", "KeyConditionExpression": "PK = :p AND SK > :s", "ExpressionAttributeValues": {":p": {"S": "{P}"}, ":s": {"S": "A"}}, "Select": "COUNT"}'),
  ('Query', '{"TableName": "ScenPolicies", "KeyConditions": {"PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "{P}"}]}}}'),
  ('Query', '{"TableName": "ScenPolicies", "IndexName": "ByTenant", "KeyConditionExpression": "tenant = :p", "ExpressionAttributeValues": {":p": {"S": "{T}"}}, "Select": "COUNT"}'),
  ('PutItem', '{"TableName": "ScenPolicies", "Item": {K}, "ConditionExpression": "attribute_not_exists(PK)"}'),
  ('UpdateItem', '{"TableName": "ScenPolicies", "Key": {K}, "UpdateExpression": "SET x = n", "ReturnValues": "ALL_NEW"}'),
  ('UpdateItem', '{"TableName": "ScenPolicies", "Key": {K}, "ConditionExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "7"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}'),
  ('DeleteItem', '{"TableName": "ScenPolicies", "Key": {K}, "ReturnValues": "ALL_OLD"}'),
  ('BatchWriteItem', '{"RequestItems": {"ScenPolicies": [{"PutRequest": {"Item": {O}}}, {"DeleteRequest": {"Key": {K}}}]}}'),
  ('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "ScenPolicies", "Item": {O}}}, {"ConditionCheck": {"TableName": "ScenPolicies", "Key": {K}, "ConditionExpression": "attribute_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}]}'),
  ('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "ScenPolicies", "Item": {O}}}, {"Update": {"TableName": "ScenPolicies", "Key": {K}, "UpdateExpression": "REMOVE n"}}], "ClientRequestToken": "{U}"}'),
  ('ExecuteStatement', '{"Statement": "SELECT * FROM ScenPolicies WHERE PK = ''{P}''"}'),
  ('ExecuteStatement', '{"Statement": "SELECT * FROM ScenPolicies WHERE PK = ''{P}'' OR PK = ''{Q}''"}'),
  ('ExecuteStatement', '{"Statement": "UPDATE ScenPolicies SET n = 9 WHERE PK = ''{P}'' AND SK = ''PROFILE'' RETURNING ALL OLD *"}'),
  ('BatchExecuteStatement', '{"Statements": [{"Statement": "DELETE FROM ScenPolicies WHERE PK = ''{P}'' AND SK = ''PROFILE''"}]}'),
  ('ExecuteTransaction', '{"TransactStatements": [{"Statement": "INSERT INTO ScenPolicies VALUE {''PK'': ''{P}'', ''SK'': ''PROFILE''}"}]}'),
  ('Scan', '{"TableName": "ScenPolicies", "Select": "COUNT"}'),
  ('Scan', '{"TableName": "ScenPolicies", "IndexName": "ByTenant"}'),
  ('ExecuteStatement', '{"Statement": "SELECT * FROM ScenPolicies"}'),
  ('ExecuteStatement', '{"Statement": "SELECT * FROM ScenPolicies WHERE begins_with(PK, ''{P}'')"}');
CREATE FUNCTION pg_temp.answer(way scen_ways, tenant text, key text) RETURNS text LANGUAGE sql AS $$
  SELECT dynamo.try_call((way).operation, replace(replace(replace(replace(replace(replace((way).request,
    '{K}', format('{"PK": {"S": "%s"}, "SK": {"S": "PROFILE"}}', key)),
    '{O}', '{"PK": {"S": "TENANT#regress_acme#USER#1"}, "SK": {"S": "PROFILE"}}'),
    '{P}', key), '{Q}', 'TENANT#regress_acme#USER#1'), '{T}', tenant), '{U}', md5(key || (way).n))::json)::text $$;

-- its own items: whatever is allowed works, or fails for another reason
SET ROLE regress_acme;
SELECT n, operation, left(answer, 80) FROM scen_ways w, LATERAL pg_temp.answer(w, 'regress_acme', 'TENANT#regress_acme#USER#2') answer ORDER BY n;
-- those of others: always the same refusal, be they there or not
SELECT n, operation, there ~ 'AccessDenied' AS denied, there = absent AS same
FROM scen_ways w, LATERAL pg_temp.answer(w, 'regress_beta', 'TENANT#regress_beta#USER#1') there, LATERAL pg_temp.answer(w, 'none', 'TENANT#regress_beta#USER#9') absent
WHERE NOT there ~ 'AccessDenied' OR there <> absent ORDER BY n;
-- a tenant whose name begins like ours is another, and a name is no pattern
SELECT count(*) FROM scen_ways w WHERE pg_temp.answer(w, 'regress_acme2', 'TENANT#regress_acme2#USER#1') !~ 'AccessDenied';
RESET ROLE;
CREATE ROLE "*" IN ROLE regress_tenants;
SET ROLE "*";
SELECT count(*) FROM scen_ways w WHERE pg_temp.answer(w, 'regress_beta', 'TENANT#regress_beta#USER#1') !~ 'AccessDenied';
RESET ROLE;
-- the others: nothing lost, nothing changed, nothing new
SELECT count(*) FROM (SELECT item FROM dynamo.scan('ScenPolicies') WHERE item ->> 'PK' NOT LIKE 'TENANT#regress_acme#%') a FULL JOIN scen_before b ON a.item = b.item WHERE a.item IS NULL OR b.item IS NULL;
SELECT count(*) FROM scen_before;
DROP TABLE scen_before;
DELETE FROM dynamo_internal.transact_tokens WHERE role = 'regress_acme'::regrole;
DROP TABLE scen_ways CASCADE;
SELECT dynamo.drop_table('ScenPolicies'), dynamo.delete_role_policy('regress_tenants', 'own');
DROP ROLE regress_tenants, regress_acme, regress_beta, "*";
