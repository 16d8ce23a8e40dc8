-- StreamSpecification: what CreateTable and UpdateTable make of it, and what a
-- table tells of its stream.
\a
\t on

CREATE FUNCTION pg_temp.asked(operation text, request jsonb) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	answer jsonb;
BEGIN
	answer := dynamo.call(operation, request::json);
	-- the table's stream, its label being a time
	RETURN regexp_replace((SELECT string_agg(key || ' ' || value, ', ' ORDER BY key)
		FROM jsonb_each(coalesce(answer -> 'Table', answer -> 'TableDescription'))
		WHERE key ~ 'Stream'), '\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}', 'LABEL', 'g');
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
CREATE FUNCTION pg_temp.created(name text, stream jsonb) RETURNS text
LANGUAGE sql AS $$
	SELECT pg_temp.asked('CreateTable', jsonb_build_object('TableName', name, 'StreamSpecification', stream) || '{
		"BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}')
$$;
CREATE FUNCTION pg_temp.updated(changes jsonb) RETURNS text
LANGUAGE sql AS $$
	SELECT pg_temp.asked('UpdateTable', changes || '{"TableName": "StreamTable"}')
$$;
CREATE FUNCTION pg_temp.label() RETURNS text
LANGUAGE sql AS $$
	SELECT dynamo.call('DescribeTable', '{"TableName": "StreamTable"}') -> 'Table' ->> 'LatestStreamLabel'
$$;

-- Created without: nothing is told.  Created with one: all is.
SELECT pg_temp.created('StreamTable', '{"StreamEnabled": false}') IS NULL;
SELECT dynamo.drop_table('StreamTable');
SELECT pg_temp.created('StreamTable', '{"StreamEnabled": true}');
SELECT pg_temp.created('StreamTable', '{"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}');
SELECT pg_temp.created('StreamTable', '{"StreamViewType": "KEYS_ONLY"}');
SELECT pg_temp.created('StreamTable', '{"StreamEnabled": true, "StreamViewType": "keys"}');
SELECT pg_temp.created('StreamTable', '{"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}');
SELECT pg_temp.asked('DescribeTable', '{"TableName": "StreamTable"}');
SELECT pg_temp.label() AS first \gset

-- A view type cannot be edited in place.
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": true}}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}}');

-- Disabled, the stream is still the latest; enabled again, it is another one,
-- and the old one is still listed.
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": false}}');
SELECT pg_temp.asked('DescribeTable', '{"TableName": "StreamTable"}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": false}}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "OLD_IMAGE"}}');
SELECT pg_temp.asked('DescribeTable', '{"TableName": "StreamTable"}');
SELECT s ->> 'StreamLabel' = pg_temp.label() AS latest
FROM json_array_elements(dynamo.call('ListStreams', '{"TableName": "StreamTable"}') -> 'Streams') s
WHERE s ->> 'StreamLabel' >= :'first';

-- What it goes together with, and what not; a refused request changes nothing.
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": false}, "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": false}, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}]}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": false}, "DeletionProtectionEnabled": false}');
SELECT pg_temp.asked('DescribeTable', '{"TableName": "StreamTable"}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": false}, "BillingMode": "PAY_PER_REQUEST"}');
SELECT dynamo.enable_stream('StreamTable', 'NEW_IMAGE') IS NOT NULL;
SELECT pg_temp.asked('DescribeTable', '{"TableName": "StreamTable"}');
SELECT pg_temp.asked('UpdateTable', '{"TableName": "NoTable", "StreamSpecification": {"StreamEnabled": false}}');

-- The answer to DeleteTable tells of no stream; a table made anew has none.
SELECT pg_temp.asked('DeleteTable', '{"TableName": "StreamTable"}');
SELECT dynamo.create_table('StreamTable', 'pk');
SELECT pg_temp.asked('DescribeTable', '{"TableName": "StreamTable"}') IS NULL;
SELECT dynamo.drop_table('StreamTable');
