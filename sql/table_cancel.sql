-- Requests of the control plane have no limit on their lists before they are
-- checked.  A long list can be cancelled: left alone, each of these would run
-- for seconds, and then say what is wrong with it.
SET statement_timeout = '300ms';
-- attributes, each compared with all others
SELECT dynamo.call('CreateTable', json_build_object(
	'TableName', 'cancel', 'BillingMode', 'PAY_PER_REQUEST',
	'KeySchema', json '[{"AttributeName":"a1","KeyType":"HASH"}]',
	'AttributeDefinitions', (
		SELECT json_agg(json_build_object('AttributeName', 'a' || i, 'AttributeType', 'S'))
		FROM generate_series(1, 40000) i)));
-- names of indexes
SELECT dynamo.call('CreateTable', json_build_object(
	'TableName', 'cancel', 'BillingMode', 'PAY_PER_REQUEST',
	'KeySchema', json '[{"AttributeName":"a1","KeyType":"HASH"}]',
	'AttributeDefinitions', json '[{"AttributeName":"a1","AttributeType":"S"}]',
	'GlobalSecondaryIndexes', (
		SELECT json_agg(json_build_object('IndexName', 'index' || i,
			'KeySchema', json '[{"AttributeName":"a1","KeyType":"HASH"}]',
			'Projection', json '{"ProjectionType":"ALL"}'))
		FROM generate_series(1, 40000) i)));
-- indexes to be changed
SELECT dynamo.call('UpdateTable', json_build_object(
	'TableName', 'cancel',
	'GlobalSecondaryIndexUpdates', (
		SELECT json_agg(json_build_object('Delete', json_build_object('IndexName', 'index' || i)))
		FROM generate_series(1, 40000) i)));
-- tags
SELECT dynamo.call('TagResource', json_build_object(
	'ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/cancel',
	'Tags', (
		SELECT json_agg(json_build_object('Key', 'tag' || i, 'Value', ''))
		FROM generate_series(1, 40000) i)));
RESET statement_timeout;
