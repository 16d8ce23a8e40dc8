-- UpdateTable: what goes together in one request, and each rule of its indexes, as measured on the service
\t on
\a
CREATE FUNCTION pg_temp.told(name text, request jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT replace(coalesce(answer ->> 'message', answer #>> '{TableDescription,TableStatus}'), 'One or more parameter values were invalid: ', 'P: ')
	FROM dynamo.try_call('UpdateTable', (jsonb_build_object('TableName', name) || request)::json) answer $$;
CREATE FUNCTION pg_temp.one_index(action text, members jsonb, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('GlobalSecondaryIndexUpdates', jsonb_build_array(jsonb_build_object(action, CASE action WHEN 'Create' THEN
		'{"IndexName": "new", "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}'::jsonb ELSE '{"IndexName": "gsi"}' END || members))) || more $$;
\set units '{"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}'
\set attributes '{"AttributeDefinitions": [{"AttributeName": "b", "AttributeType": "S"}]}'
SELECT dynamo.call('CreateTable', ('{"TableName": "RulesDemand", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}],
	"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}')::json) IS NOT NULL;
SELECT dynamo.call('CreateTable', ('{"TableName": "RulesUnits", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
	"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}]}'::jsonb || :'units')::json) IS NOT NULL;

-- each two kinds of change in one request, whether there is such a table or not
CREATE TABLE pg_temp.change (n serial, kind text, request jsonb);
INSERT INTO pg_temp.change (kind, request) VALUES
	('encryption', '{"SSESpecification": {"Enabled": true}}'), ('class', '{"TableClass": "STANDARD_INFREQUENT_ACCESS"}'), ('protection', '{"DeletionProtectionEnabled": true}'),
	('warm', '{"WarmThroughput": {"ReadUnitsPerSecond": 20000}}'), ('replicas', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}'), ('on demand', '{"OnDemandThroughput": {"MaxReadRequestUnits": 5}}'),
	('stream', '{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}'), ('units', '{"ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 7}}'),
	('create', pg_temp.one_index('Create', :'units', :'attributes')), ('delete', pg_temp.one_index('Delete', '{}'));
SELECT a.kind || ' + ' || b.kind, pg_temp.told('RulesNone', a.request || b.request) FROM pg_temp.change a JOIN pg_temp.change b ON a.n < b.n AND NOT (a.kind = 'create' AND b.kind = 'delete') ORDER BY a.n, b.n;
SELECT count(*) FROM pg_temp.change a JOIN pg_temp.change b ON a.n < b.n AND b.kind <> 'delete' WHERE pg_temp.told('RulesNone', a.request || b.request) IS DISTINCT FROM pg_temp.told('RulesUnits', a.request || b.request);

-- what an element of GlobalSecondaryIndexUpdates is
SELECT updates, pg_temp.told('RulesDemand', jsonb_build_object('GlobalSecondaryIndexUpdates', updates)) FROM unnest(ARRAY['[{}]', '[{"Delete": {"IndexName": "gsi"}, "Update": {"IndexName": "gsi"}}]',
	'[{"Delete": {"IndexName": "gsi"}}, {"Update": {"IndexName": "gsi", "OnDemandThroughput": {"MaxReadRequestUnits": 5}}}]', '[{"Delete": {"IndexName": "gsi"}}, {"Delete": {"IndexName": "other"}}]']::jsonb[]) updates;
-- which index
SELECT index, pg_temp.told('RulesDemand', pg_temp.one_index('Delete', jsonb_build_object('IndexName', index))), pg_temp.told('RulesDemand', pg_temp.one_index('Update', jsonb_build_object('IndexName', index, 'OnDemandThroughput', '{"MaxReadRequestUnits": 0}'::jsonb)))
FROM unnest('{lsi,none}'::text[]) index;
-- an index that is added: definitions, then throughput
SELECT index, pg_temp.told('RulesDemand', pg_temp.one_index('Create', jsonb_build_object('IndexName', index), :'attributes')) FROM unnest('{lsi,gsi}'::text[]) index;
SELECT pg_temp.told('RulesDemand', pg_temp.one_index('Create', '{}')), pg_temp.told('RulesDemand', pg_temp.one_index('Create', '{}', '{"AttributeDefinitions": [{"AttributeName": "c", "AttributeType": "S"}]}')),
	pg_temp.told('RulesDemand', pg_temp.one_index('Create', '{}', '{"AttributeDefinitions": [{"AttributeName": "b", "AttributeType": "N"}]}'));
SELECT pg_temp.told('RulesDemand', pg_temp.one_index('Create', :'units', :'attributes')), pg_temp.told('RulesUnits', pg_temp.one_index('Create', '{}', :'attributes'));
-- an index that is changed
SELECT pg_temp.told('RulesDemand', pg_temp.one_index('Update', :'units')), pg_temp.told('RulesDemand', pg_temp.one_index('Update', '{}')), pg_temp.told('RulesUnits', pg_temp.one_index('Update', '{}'));
SELECT pg_temp.told('RulesUnits', pg_temp.one_index('Update', :'units')), pg_temp.told('RulesUnits', :'units');
SELECT pg_temp.told('RulesUnits', pg_temp.one_index('Update', '{"ProvisionedThroughput": {"ReadCapacityUnits": 40001, "WriteCapacityUnits": 5}}'));

-- throughput: one member changed is a change, one member given is none
SELECT pg_temp.told('RulesUnits', '{"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}'), pg_temp.told('RulesUnits', '{"ProvisionedThroughput": {"ReadCapacityUnits": 5}}');
SELECT member, n, pg_temp.told('RulesDemand', jsonb_build_object('OnDemandThroughput', jsonb_build_object(member, n))), pg_temp.told('RulesUnits', jsonb_build_object('OnDemandThroughput', jsonb_build_object(member, n)))
FROM unnest('{MaxReadRequestUnits,MaxWriteRequestUnits}'::text[]) member, unnest('{0,-2,40001}'::int[]) n;
SELECT member, pg_temp.told('RulesDemand', jsonb_build_object('WarmThroughput', jsonb_build_object(member, 3999))) FROM unnest('{ReadUnitsPerSecond,WriteUnitsPerSecond}'::text[]) member;
-- to what there is: of throughput an error, of the others not
SELECT more, pg_temp.told('RulesDemand', more) FROM unnest(ARRAY['{"BillingMode": "PAY_PER_REQUEST"}', '{"TableClass": "STANDARD"}', '{"DeletionProtectionEnabled": false}', '{"WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}}',
	'{"SSESpecification": {"Enabled": false}}', '{"StreamSpecification": {"StreamEnabled": false}}']::jsonb[]) more;
-- streams and classes
SELECT more, pg_temp.told('RulesDemand', more) FROM unnest(ARRAY['{"StreamSpecification": {"StreamEnabled": true}}', '{"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}}', '{"TableClass": "FAST"}',
	'{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}', '{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}']::jsonb[]) more;
SELECT dynamo.drop_table('RulesDemand'), dynamo.drop_table('RulesUnits');
