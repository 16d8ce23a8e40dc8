-- GetItemAsOf, an operation of ours for the console: GetItem of a moment.
\t on
\a
SELECT dynamo.create_table('Told', 'pk') IS NOT NULL;
SELECT dynamo.put_item('Told', '{"pk": "a", "n": 1}');
CREATE FUNCTION told(at text, key text DEFAULT '{"pk": {"S": "a"}}') RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(dynamo.try_call('GetItemAsOf', format('{"TableName": "Told", "Key": %s, "AsOf": %s}', key, at)::json)::text, '''[0-9].*''', '...') $$;
-- without recovery there is no past
SELECT told('1');
SELECT dynamo.enable_recovery('Told');
SELECT dynamo.mark_recovery() IS NOT NULL;
SELECT extract(epoch FROM clock_timestamp()) AS before \gset
SELECT pg_sleep(0.01);
SELECT dynamo.put_item('Told', '{"pk": "a", "n": 2}'), dynamo.put_item('Told', '{"pk": "b"}');
SELECT dynamo.mark_recovery() IS NOT NULL;
SELECT pg_sleep(0.01);
SELECT extract(epoch FROM clock_timestamp()) AS after \gset
SELECT dynamo.mark_recovery() IS NOT NULL;
SELECT dynamo.delete_item('Told', '{"pk": "a"}');
-- as it was, and what was not there
SELECT told(:'before');
SELECT told(:'before', '{"pk": {"S": "b"}}');
SELECT told(:'after');
-- times that cannot be told
SELECT told('0');
SELECT told('"yesterday"');
SELECT told('null');
-- bad requests, as GetItem's
SELECT told('1', '{"pk": {"N": "1"}}');
SELECT dynamo.try_call('GetItemAsOf', '{"TableName": "Gone", "Key": {"pk": {"S": "a"}}, "AsOf": 1}');
SELECT dynamo.try_call('GetItemAsOf', '{}');
-- whoever may not read the table may not read its past
CREATE ROLE told_nobody;
GRANT USAGE ON SCHEMA dynamo_data TO told_nobody;
SET ROLE told_nobody;
SELECT told('1');
RESET ROLE;
-- policies take it for GetItem
SELECT dynamo.put_role_policy('told_nobody', 'few', '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}, {"Effect": "Deny", "Action": "dynamodb:GetItem", "Resource": "*"}]}');
GRANT SELECT ON dynamo_data."Told" TO told_nobody;
SET ROLE told_nobody;
SELECT told(:'after');
RESET ROLE;
-- Clean up
SELECT dynamo.delete_role_policy('told_nobody', 'few');
SELECT dynamo.disable_recovery('Told');
SELECT dynamo.drop_table('Told');
DROP FUNCTION told;
DROP OWNED BY told_nobody;
DROP ROLE told_nobody;
