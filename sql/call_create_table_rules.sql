-- CreateTable, and the table of ImportTable: each rule of indexes, throughput and encryption in its words, as measured on the service
\t on
\a
CREATE FUNCTION pg_temp.ask(operation text, request jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT replace(coalesce(answer ->> 'message', 'made'), 'One or more parameter values were invalid: ', 'P: ') FROM dynamo.try_call(operation, jsonb_strip_nulls(request)::json) answer $$;
CREATE FUNCTION pg_temp.made(more jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.ask('CreateTable', '{"TableName": "CallRules", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}' || more) $$;
CREATE FUNCTION pg_temp.with_index(more jsonb, "table" jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.made(jsonb_build_object('GlobalSecondaryIndexes', jsonb_build_array(
		'{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}' || more)) || "table") $$;
\set provisioned '{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}'
\set units '{"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}'

-- projections
SELECT pg_temp.with_index('{"Projection": null}');
SELECT projection, pg_temp.with_index(jsonb_build_object('Projection', projection)) FROM unnest(ARRAY['{}', '{"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}',
	'{"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["a"]}', '{"ProjectionType": "INCLUDE"}', '{"ProjectionType": "INCLUDE", "NonKeyAttributes": []}',
	'{"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b", "a"]}', '{"ProjectionType": "X"}']::jsonb[]) projection;
SELECT regexp_replace(pg_temp.with_index(jsonb_build_object('Projection', jsonb_build_object('ProjectionType', 'INCLUDE', 'NonKeyAttributes', jsonb_agg('a' || n)))), '\[a1.*\]', '[...]') FROM generate_series(1, 21) n;
-- an attribute of the key may be named, and indexes may be equal
SELECT pg_temp.with_index('{"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["pk"]}}'), dynamo.drop_table('CallRules');
-- keys: of local indexes, and of global ones with four attributes of a kind
SELECT pg_temp.made('{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "S"}],
	"LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}');
SELECT kinds, pg_temp.with_index(jsonb_build_object('KeySchema', schema), jsonb_build_object('AttributeDefinitions', definitions))
FROM unnest('{HRH,HHHHH,HRRRRR,HHHHHRRRRR,HHHHRRRR}'::text[]) kinds, LATERAL (
	SELECT jsonb_agg(jsonb_build_object('AttributeName', 'a' || n, 'KeyType', CASE substr(kinds, n, 1) WHEN 'H' THEN 'HASH' ELSE 'RANGE' END) ORDER BY n) AS schema,
		jsonb_agg(jsonb_build_object('AttributeName', 'a' || n, 'AttributeType', 'S') ORDER BY n) || '[{"AttributeName": "pk", "AttributeType": "S"}]' AS definitions FROM generate_series(1, length(kinds)) n) k;
SELECT dynamo.drop_table('CallRules');

-- throughput of indexes goes with the table's billing mode
SELECT pg_temp.with_index(:'units'), pg_temp.with_index('{}', :'provisioned');
-- OnDemandThroughput, of the table and of an index: not for PROVISIONED, and no -1
SELECT member, pg_temp.made(jsonb_build_object('OnDemandThroughput', jsonb_build_object(member, 5)) || :'provisioned'),
	pg_temp.with_index(jsonb_build_object('OnDemandThroughput', jsonb_build_object(member, 5)) || :'units', :'provisioned')
FROM unnest('{MaxReadRequestUnits,MaxWriteRequestUnits}'::text[]) member;
SELECT n, pg_temp.made(jsonb_build_object('OnDemandThroughput', jsonb_build_object('MaxWriteRequestUnits', n))), pg_temp.with_index(jsonb_build_object('OnDemandThroughput', jsonb_build_object('MaxReadRequestUnits', n)))
FROM unnest('{0,-1,40001}'::int[]) n;
-- WarmThroughput is not below what a table is warm for
SELECT pg_temp.made('{"WarmThroughput": {"WriteUnitsPerSecond": 3999}}'), pg_temp.with_index('{"WarmThroughput": {"ReadUnitsPerSecond": 0}}');
SELECT pg_temp.made('{"WarmThroughput": {"WriteUnitsPerSecond": 4}}' || :'provisioned'::jsonb), pg_temp.with_index('{"WarmThroughput": {"ReadUnitsPerSecond": 4}}' || :'units'::jsonb, :'provisioned');
-- what is empty says nothing
SELECT pg_temp.with_index('{"WarmThroughput": {}, "OnDemandThroughput": {}}', '{"WarmThroughput": {}, "OnDemandThroughput": {}, "Tags": []}'),
	dynamo.call('DescribeTable', '{"TableName": "CallRules"}')::text ~ 'OnDemandThroughput' AS told, dynamo.drop_table('CallRules');

-- encryption
SELECT encryption, pg_temp.made(jsonb_build_object('SSESpecification', encryption)) FROM unnest(ARRAY['{"Enabled": false, "SSEType": "KMS"}', '{"Enabled": false, "KMSMasterKeyId": "x"}',
	'{"Enabled": true, "KMSMasterKeyId": "x"}', '{"Enabled": true, "SSEType": "AES256"}', '{"SSEType": "AES256"}', '{"KMSMasterKeyId": "x"}', '{"Enabled": true, "SSEType": "X"}']::jsonb[]) encryption;
-- tags and a policy are checked, and nothing is made
SELECT pg_temp.made('{"Tags": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}'), pg_temp.made('{"ResourcePolicy": "null"}');
SELECT count(*) FROM dynamo.tables WHERE table_name = 'CallRules';

-- The same rules for the table that an import makes, by its path
CREATE FUNCTION pg_temp.imported(more jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.ask('ImportTable', jsonb_build_object('S3BucketSource', '{"S3Bucket": "none"}'::jsonb, 'InputFormat', 'DYNAMODB_JSON', 'TableCreationParameters',
		'{"TableName": "CallRules", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}' || more)) $$;
SELECT more, pg_temp.imported(more) FROM unnest(ARRAY['{"TableName": "!"}', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/CallRules"}', '{"AttributeDefinitions": [{}]}', '{"KeySchema": [{}]}', '{"BillingMode": null, "ProvisionedThroughput": {}}',
	'{"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": ""}}', '{"SSESpecification": {"Enabled": false, "SSEType": "KMS"}}', '{"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}',
	'{"OnDemandThroughput": {"MaxReadRequestUnits": 0}}', '{"GlobalSecondaryIndexes": []}', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "x", "AttributeType": "S"}]}']::jsonb[]) more;
