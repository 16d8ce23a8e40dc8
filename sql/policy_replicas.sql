-- What policies are asked about replicas: the table here, and that of the other region by its ARN
\t on
\a
SET client_min_messages = warning;
CREATE ROLE policy_replicas;
GRANT USAGE, CREATE ON SCHEMA dynamo_data TO policy_replicas;
CREATE SERVER policy_replicas_eu FOREIGN DATA WRAPPER dynamo_region OPTIONS (host 'localhost', dbname 'eu');
SELECT dynamo.create_region('eu-west-1', 'policy_replicas_eu');
SET SESSION AUTHORIZATION policy_replicas;
SELECT dynamo.create_table('PolicyReplicas', 'pk');
RESET SESSION AUTHORIZATION;
-- a case: what is allowed here, and in that region, and what is asked for
CREATE PROCEDURE pg_temp.may(here text, there text) LANGUAGE sql AS $$
	SELECT dynamo.put_role_policy('policy_replicas', 'p', json_build_object('Statement', json_build_array(
		json_build_object('Effect', 'Allow', 'Action', here, 'Resource', 'arn:aws:dynamodb:us-east-1:*:table/*'),
		json_build_object('Effect', 'Allow', 'Action', there::json, 'Resource', 'arn:aws:dynamodb:eu-west-1:*:table/PolicyReplicas')))::text) $$;
CREATE FUNCTION pg_temp.asked(updates text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(answer ->> 'message', answer ->> 'Message', answer #>> '{TableDescription,TableStatus}')
	FROM dynamo.try_call('UpdateTable', json_build_object('TableName', 'PolicyReplicas', 'ReplicaUpdates', updates::json)) answer $$;
\set create '[{"Create": {"RegionName": "eu-west-1"}}]'
\set update '[{"Update": {"RegionName": "eu-west-1", "TableClassOverride": "STANDARD"}}]'
\set delete '[{"Delete": {"RegionName": "eu-west-1"}}]'
\set leave '[{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]'
-- nothing here: it is not asked there
CALL pg_temp.may('dynamodb:GetItem', '["dynamodb:*"]');
SET SESSION AUTHORIZATION policy_replicas;
SELECT pg_temp.asked(:'create');
RESET SESSION AUTHORIZATION;
-- what creates a replica there, one by one
CALL pg_temp.may('dynamodb:UpdateTable', '["dynamodb:CreateTable"]');
SET SESSION AUTHORIZATION policy_replicas;
SELECT pg_temp.asked(:'create');
RESET SESSION AUTHORIZATION;
CALL pg_temp.may('dynamodb:UpdateTable', '["dynamodb:Create*"]');
SET SESSION AUTHORIZATION policy_replicas;
SELECT pg_temp.asked(:'create');
RESET SESSION AUTHORIZATION;
-- what changes and deletes it: here it is no member, which is told after this
CALL pg_temp.may('dynamodb:UpdateTable', '["dynamodb:DeleteTable"]');
SET SESSION AUTHORIZATION policy_replicas;
SELECT pg_temp.asked(:'update');
SELECT pg_temp.asked(:'delete');
SELECT pg_temp.asked(:'leave');
RESET SESSION AUTHORIZATION;
CALL pg_temp.may('dynamodb:*', '["dynamodb:UpdateTable", "dynamodb:DeleteTable", "dynamodb:DeleteTableReplica"]');
SET SESSION AUTHORIZATION policy_replicas;
SELECT pg_temp.asked(:'update');
SELECT pg_temp.asked(:'delete');
SELECT pg_temp.asked(:'leave');
RESET SESSION AUTHORIZATION;
-- all items go there, or are deleted there: not for a role that is held to keys
SELECT dynamo.put_role_policy('policy_replicas', 'p', '{"Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*", "Condition": {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "a*"}}}]}');
SET SESSION AUTHORIZATION policy_replicas;
SELECT pg_temp.asked(:'create');
SELECT pg_temp.asked(:'delete');
RESET SESSION AUTHORIZATION;
-- all that it takes to create one
CALL pg_temp.may('dynamodb:UpdateTable', '["dynamodb:*Table*", "dynamodb:*Item", "dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateTimeToLive"]');
SET SESSION AUTHORIZATION policy_replicas;
SELECT pg_temp.asked(:'create');
RESET SESSION AUTHORIZATION;
DROP TABLE dynamo_data."PolicyReplicas";
SELECT dynamo.drop_region('eu-west-1');
DROP SERVER policy_replicas_eu;
SELECT dynamo.delete_role_policy('policy_replicas', 'p');
DROP OWNED BY policy_replicas;
DROP ROLE policy_replicas;
