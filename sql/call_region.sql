-- Region and account are the server's: a session cannot change them, a reload does.
\t on
\a
SELECT dynamo.create_table('Elsewhere', 'id');
SET dynamo.region = 'eu-west-2';
SET dynamo.account_id = '123456789012';
ALTER SYSTEM SET dynamo.region = 'eu-west-2';
ALTER SYSTEM SET dynamo.account_id = '123456789012';
SELECT pg_reload_conf();
\c -
SELECT dynamo.call('DescribeTable', '{"TableName": "Elsewhere"}')::jsonb #>> '{Table,TableArn}';
SELECT dynamo.call('GetItem', '{"TableName": "arn:aws:dynamodb:eu-west-2:123456789012:table/Elsewhere", "Key": {"id": {"S": "a"}}}');
SELECT dynamo.call('GetItem', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/Elsewhere", "Key": {"id": {"S": "a"}}}');
ALTER SYSTEM RESET dynamo.region;
ALTER SYSTEM RESET dynamo.account_id;
SELECT pg_reload_conf();
\c -
SELECT dynamo.call('DescribeTable', '{"TableName": "Elsewhere"}')::jsonb #>> '{Table,TableArn}';
SELECT dynamo.drop_table('Elsewhere');
