-- UpdateTable.
\a

CREATE FUNCTION pg_temp.updated(changes jsonb) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	answer jsonb;
BEGIN
	answer := dynamo.call('UpdateTable', (changes || '{"TableName": "Updated"}')::json)::jsonb
		-> 'TableDescription';
	RETURN answer ->> 'TableStatus';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
CREATE FUNCTION pg_temp.described(VARIADIC path text[]) RETURNS jsonb
LANGUAGE sql AS $$
	SELECT (dynamo.call('DescribeTable', '{"TableName": "Updated"}')::jsonb
		-> 'Table') #> path
$$;

SELECT dynamo.create_table('Updated', 'pk');
SELECT dynamo.create_index('Updated', 'one', 'a');
SELECT dynamo.create_index('Updated', 'two', 'a', 'b N');

-- Nothing to do, and what cannot go together.
SELECT pg_temp.updated('{}') ~ '^ND001 At least one of ProvisionedThroughput,';
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": []}') ~ '^ND001 At least one of ProvisionedThroughput,';
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [], "BillingMode": "PAY_PER_REQUEST"}');
SELECT pg_temp.updated('{"TableClass": "STANDARD", "DeletionProtectionEnabled": true}');
SELECT pg_temp.updated('{"DeletionProtectionEnabled": true, "BillingMode": "PAY_PER_REQUEST"}');
SELECT pg_temp.updated('{"OnDemandThroughput": {"MaxReadRequestUnits": 5}, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}]}');
SELECT pg_temp.updated('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}]}');

-- What is out of bounds is seen before the table is looked up.
SELECT dynamo.call('UpdateTable', '{"TableName": "Nothing", "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1}}');
SELECT dynamo.call('UpdateTable', '{"TableName": "Nothing", "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "one", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1000000000001}}}]}');

-- Deletion protection; the table is not busy meanwhile.
SELECT pg_temp.updated('{"DeletionProtectionEnabled": true}');
SELECT dynamo.drop_table('Updated');
SELECT pg_temp.updated('{"DeletionProtectionEnabled": false}');
SELECT pg_temp.described('DeletionProtectionEnabled');

-- Billing mode: to PROVISIONED with throughput for each index.
SELECT pg_temp.updated('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT pg_temp.updated('{"BillingMode": "PROVISIONED"}');
SELECT pg_temp.updated('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT pg_temp.updated('{"OnDemandThroughput": {"MaxReadRequestUnits": 5}}');
SELECT pg_temp.described('OnDemandThroughput');
SELECT pg_temp.updated('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2},
	"GlobalSecondaryIndexUpdates": [
		{"Update": {"IndexName": "one", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}},
		{"Update": {"IndexName": "two", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}}]}');
SELECT pg_temp.described('BillingModeSummary', 'BillingMode') AS mode,
	pg_temp.described('ProvisionedThroughput', 'WriteCapacityUnits') AS "table",
	pg_temp.described('GlobalSecondaryIndexes', '0', 'ProvisionedThroughput', 'WriteCapacityUnits') AS one,
	pg_temp.described('GlobalSecondaryIndexes', '1', 'ProvisionedThroughput', 'WriteCapacityUnits') AS two,
	pg_temp.described('OnDemandThroughput') AS on_demand;
SELECT pg_temp.updated('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}');
SELECT pg_temp.updated('{"ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 1}}');
SELECT pg_temp.described('ProvisionedThroughput') ? 'LastIncreaseDateTime' AS increased,
	pg_temp.described('ProvisionedThroughput') ? 'LastDecreaseDateTime' AS decreased;
-- A change of it is told at once, although the table is said to be busy.
SELECT told #>> '{TableDescription,TableStatus}' AS status,
	told #>> '{TableDescription,BillingModeSummary,BillingMode}' AS mode,
	told #> '{TableDescription,ProvisionedThroughput,WriteCapacityUnits}' AS units
	FROM dynamo.call('UpdateTable', '{"TableName": "Updated", "BillingMode": "PAY_PER_REQUEST"}') AS told;
SELECT pg_temp.described('GlobalSecondaryIndexes', '1', 'ProvisionedThroughput', 'WriteCapacityUnits') AS two;

-- Members nobody knows are passed over, whatever their names; so are empty
-- structures, which alone are nothing to do.  A flag may come as text.
SELECT pg_temp.updated('{"OnDemandThroughput": {"a\"b": 1, "MaxWriteRequestUnits": 9.5}}');
SELECT pg_temp.described('OnDemandThroughput');
SELECT pg_temp.updated('{"OnDemandThroughput": {"MaxWriteRequestUnits": -1}}');
SELECT pg_temp.described('OnDemandThroughput') IS NULL AS cleared;
SELECT pg_temp.updated('{"OnDemandThroughput": {}, "WarmThroughput": {"x": 1}}') ~ '^ND001 At least one of ProvisionedThroughput,';
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": "true", "StreamViewType": "KEYS_ONLY"}}');
SELECT pg_temp.updated('{"StreamSpecification": {"StreamEnabled": "false"}}');

-- Indexes: what is refused.
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{}]}');
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}, "Update": {"IndexName": "one"}}]}');
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "one"}}, {"Delete": {"IndexName": "one"}}]}');
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}, {"Delete": {"IndexName": "two"}}]}');
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "none"}}]}');
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "one", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}]}');
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "three", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT pg_temp.updated('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "N"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "three", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]}');
SELECT dynamo.create_index('Updated', 'one', 'a');

-- One taken away: the answer says so, and its attribute goes with it.
SELECT answer #> '{TableDescription,TableStatus}' AS "table", i ->> 'IndexName' AS index, i ->> 'IndexStatus' AS status
FROM dynamo.call('UpdateTable', '{"TableName": "Updated", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "two"}}]}') answer,
	json_array_elements(answer #> '{TableDescription,GlobalSecondaryIndexes}') i;
SELECT pg_temp.described('AttributeDefinitions');

-- Indexes project a hundred attributes beyond their keys, all together.
SELECT count(*) FROM (SELECT dynamo.create_index('Updated', 'many' || i, 'a', projection => 'INCLUDE', non_key_attributes => (SELECT array_agg('n' || j) FROM generate_series(1, 20) j))
FROM generate_series(1, 5) i) AS made;
SELECT dynamo.create_index('Updated', 'more', 'a', projection => 'INCLUDE', non_key_attributes => '{x}');
SELECT count(*) FROM (SELECT dynamo.drop_index('Updated', 'many' || i) FROM generate_series(1, 5) i) AS gone;

-- Tags.
SELECT dynamo.call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Updated", "Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": ""}]}');
SELECT dynamo.call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Updated", "Tags": [{"Key": "a", "Value": "2"}]}');
SELECT dynamo.call('UntagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Updated", "TagKeys": ["b", "c"]}');
SELECT dynamo.call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Updated"}');
SELECT dynamo.call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/None"}');
SELECT dynamo.call('TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Updated", "Tags": [{"Key": "a", "Value": "2"}, {"Key": "a", "Value": "3"}]}');
SELECT dynamo.call('TagResource', '{"ResourceArn": "x", "Tags": [{"Key": "a", "Value": "2"}]}');

-- A stream has tags of its own as long as it is enabled.
SELECT dynamo.enable_stream('Updated') AS label \gset
SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/Updated/stream/' || :'label' AS stream \gset
SELECT dynamo.call('ListTagsOfResource', json_build_object('ResourceArn', :'stream'));
SELECT dynamo.call('TagResource', json_build_object('ResourceArn', :'stream', 'Tags', '[{"Key": "s", "Value": "1"}, {"Key": "t", "Value": "2"}]'::json));
SELECT dynamo.call('UntagResource', json_build_object('ResourceArn', :'stream', 'TagKeys', '["t"]'::json));
SELECT dynamo.call('ListTagsOfResource', json_build_object('ResourceArn', :'stream'));
SELECT dynamo.call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Updated"}');
SELECT dynamo.try_call('TagResource', json_build_object('ResourceArn', :'stream', 'Tags', json_agg(json_build_object('Key', i::text, 'Value', '')))) FROM generate_series(1, 50) i;
SELECT dynamo.disable_stream('Updated');
SELECT replace(dynamo.try_call('ListTagsOfResource', json_build_object('ResourceArn', :'stream')) ->> 'message', :'label', 'LABEL');
SELECT dynamo.call('ListTagsOfResource', json_build_object('ResourceArn', 'arn:aws:dynamodb:us-east-1:000000000000:table/Updated/stream/' || dynamo.enable_stream('Updated')));

SELECT dynamo.call('UpdateTable', '{"TableName": "Nothing", "BillingMode": "PAY_PER_REQUEST"}');
SELECT dynamo.drop_table('Updated');
