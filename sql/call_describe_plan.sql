-- DescribePlan, an operation of ours: the plan of a request, with the request's own checks
\t on
\a
SET client_min_messages = warning;
CREATE ROLE planned_reader;
CREATE ROLE planned_nobody;
GRANT USAGE ON SCHEMA dynamo_data TO planned_reader, planned_nobody;
SELECT dynamo.create_table('Planned', 'pk', 'sk') IS NOT NULL;
SELECT dynamo.create_index('Planned', 'ByG', 'g');
GRANT SELECT ON dynamo_data."Planned" TO planned_reader;
SELECT dynamo.put_item('Planned', '{"pk": "a", "sk": "1", "g": "all"}');
CREATE FUNCTION plan(operation text, request text) RETURNS text LANGUAGE sql AS $$
	SELECT dynamo.try_call('DescribePlan', json_build_object('Operation', operation, 'Request', request))::text $$;
SELECT plan('Query', '{"TableName": "Planned", "IndexName": "ByG", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "all"}}, "ScanIndexForward": false}');
SELECT plan('GetItem', '{"TableName": "Planned", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}}');
-- it does nothing
SELECT plan('DeleteItem', '{"TableName": "Planned", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}}');
SELECT count(*) FROM dynamo_data."Planned";
SELECT plan('ExecuteStatement', '{"Statement": "SELECT * FROM \"Planned\" WHERE pk = ''a''"}');
SELECT plan('Query', '{"TableName": "Planned"}');
SELECT plan('Query', 'no JSON');
SELECT plan('DescribeTable', '{"TableName": "Planned"}');
SELECT plan('DescribePlan', '{"Operation": "Scan", "Request": "{}"}');
SELECT plan('Nothing', '{}');
SELECT plan('', '');
SET ROLE planned_nobody;
SELECT plan('Scan', '{"TableName": "Planned"}');
RESET ROLE;
SELECT dynamo.put_role_policy('planned_reader', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:Query", "Resource": "*"}]}');
SET ROLE planned_reader;
SELECT plan('Scan', '{"TableName": "Planned"}');
RESET ROLE;

-- Clean up
SELECT dynamo.delete_role_policy('planned_reader', 'few');
SELECT dynamo.drop_table('Planned');
DROP FUNCTION plan(text, text);
DROP OWNED BY planned_reader, planned_nobody;
DROP ROLE planned_reader, planned_nobody;
