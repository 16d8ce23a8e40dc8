-- Settings that all regions of a global table share: of two, the later is the one
\t on
\a
SET client_min_messages = warning;
CREATE SERVER settings_west FOREIGN DATA WRAPPER dynamo_region OPTIONS (host 'localhost', dbname 'west');
SELECT dynamo.create_region('us-west-2', 'settings_west');
SELECT dynamo.call('CreateTable', '{"TableName": "SharedShop", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
	"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}}]}') IS NOT NULL;
-- a table of one region has none, and takes none
SELECT dynamo_internal.merge_settings('SharedShop', '{}') IS NULL, dynamo_internal.merge_settings('SharedNone', '{}') IS NULL;
SELECT dynamo_internal.add_replica('SharedShop', 'us-west-2');
UPDATE dynamo_internal.replicas SET status = 'ACTIVE' WHERE relation = 'dynamo_data."SharedShop"'::regclass;

-- what is set here: names and values of all settings, once somebody has begun
SELECT dynamo_internal.merge_settings('SharedShop', '{}');
INSERT INTO dynamo_internal.shared_settings VALUES ('dynamo_data."SharedShop"', '{}');
CREATE FUNCTION pg_temp.shared() RETURNS jsonb LANGUAGE sql AS $$ SELECT dynamo_internal.merge_settings('SharedShop', '{}')::jsonb $$;
SELECT key, value ->> 'Region', value -> 'Value' FROM jsonb_each(pg_temp.shared()) ORDER BY 1;
-- nothing is set, nothing is noted
SELECT pg_temp.shared() = pg_temp.shared();

-- a change here, by any door, is the later from then on
CREATE TEMP TABLE before AS SELECT pg_temp.shared() AS document;
SELECT dynamo.enable_ttl('SharedShop', 'expires');
SELECT dynamo.create_index('SharedShop', 'second', 'n N');
SELECT dynamo.enable_stream('SharedShop', 'KEYS_ONLY') IS NOT NULL;
SELECT dynamo.drop_index('SharedShop', 'gsi');
SELECT dynamo.set_auto_scaling('SharedShop', 'WriteCapacityUnits', 5, 50), dynamo.set_auto_scaling('SharedShop', 'ReadCapacityUnits', 5, 50);
-- what no policy of scaling can be
SELECT dynamo.set_auto_scaling('SharedShop', 'Units', 5, 50);
SELECT dynamo.set_auto_scaling('SharedShop', 'ReadCapacityUnits', 0, 50);
SELECT dynamo.set_auto_scaling('SharedShop', 'ReadCapacityUnits', 5, 4);
SELECT dynamo.set_auto_scaling('SharedShop', 'ReadCapacityUnits', 5, 50, 19.9);
SELECT dynamo.set_auto_scaling('SharedShop', 'ReadCapacityUnits', 5, 50, 90.1);
SELECT dynamo.set_auto_scaling('SharedShop', 'ReadCapacityUnits', 5, 50, 'NaN');
SELECT dynamo.set_auto_scaling('SharedShop', 'ReadCapacityUnits', 5, 50, index_name => 'none');
SELECT n.key, n.value -> 'Value' AS now, (n.value ->> 'Time')::bigint > coalesce((document -> n.key ->> 'Time')::bigint, 0) AS later
FROM before, jsonb_each(pg_temp.shared()) n WHERE n.value IS DISTINCT FROM document -> n.key ORDER BY 1;

-- a change there: "after" is how much later than the last change here
CREATE FUNCTION pg_temp.merge(name text, value json, after int DEFAULT 1, region text DEFAULT 'us-west-2') RETURNS text LANGUAGE sql AS $$
	SELECT (merged -> name ->> 'Region') || ' ' || coalesce(merged -> name ->> 'Value', 'null')
	FROM (SELECT dynamo_internal.merge_settings('SharedShop', json_build_object(name, json_build_object('Time', coalesce((pg_temp.shared() -> name ->> 'Time')::bigint, 0) + after, 'Region', region, 'Value', value))::text)::jsonb AS merged) m $$;
CREATE FUNCTION pg_temp.described(VARIADIC path text[]) RETURNS jsonb LANGUAGE sql AS $$
	SELECT (dynamo.call('DescribeTable', '{"TableName": "SharedShop"}')::jsonb -> 'Table') #> path $$;
SELECT pg_temp.merge('TimeToLive', '"ends"', -1), pg_temp.merge('TimeToLive', '"ends"', 0, 'aa-east-1'), pg_temp.merge('TimeToLive', '"ends"', 0), pg_temp.merge('TimeToLive', '"never"', 0);
SELECT dynamo.call('DescribeTimeToLive', '{"TableName": "SharedShop"}');
SELECT pg_temp.merge('TimeToLive', 'null');
SELECT pg_temp.merge('Stream', '"NEW_IMAGE"'), pg_temp.described('StreamSpecification', 'StreamViewType');
SELECT pg_temp.merge('Class', '"STANDARD_INFREQUENT_ACCESS"'), pg_temp.described('TableClassSummary', 'TableClass');
SELECT pg_temp.merge('Encryption', 'true'), pg_temp.described('SSEDescription', 'Status');
SELECT pg_temp.merge('MaxWrites', '7'), pg_temp.described('OnDemandThroughput');
SELECT pg_temp.merge('MaxWrites', 'null'), pg_temp.described('OnDemandThroughput');
SELECT pg_temp.merge('Warm', '{"ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 3000}'), pg_temp.described('WarmThroughput');
-- it grows only
SELECT pg_temp.merge('Warm', '{"ReadUnitsPerSecond": 14000, "WriteUnitsPerSecond": 5000}'), pg_temp.described('WarmThroughput');
SELECT pg_temp.merge('Scaling/index/second:WriteCapacityUnits', '{"MinCapacity": 1, "MaxCapacity": 9, "TargetValue": 50, "DisableScaleIn": true}'), pg_temp.merge('Scaling/table:WriteCapacityUnits', 'null');
SELECT settings -> 'AutoScaling' FROM dynamo.tables WHERE table_name = 'SharedShop';
-- units, more and fewer, of the table and its indexes, as often as there
SELECT pg_temp.merge('Billing', '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 20, "WriteCapacityUnits": 20}, "Indexes": {"second": {"ReadCapacityUnits": 30, "WriteCapacityUnits": 30}}}');
SELECT pg_temp.merge('Billing', format('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": %s, "WriteCapacityUnits": 20}, "Indexes": {"second": {"ReadCapacityUnits": 30, "WriteCapacityUnits": %s}}}', 10 - i, 20 - i)::json) FROM generate_series(1, 6) i;
SELECT pg_temp.described('ProvisionedThroughput', 'ReadCapacityUnits'), pg_temp.described('GlobalSecondaryIndexes', '0', 'ProvisionedThroughput', 'WriteCapacityUnits');
-- an index comes with the throughput that it has there, which cannot be set while it is built
BEGIN;
SELECT dynamo_internal.merge_settings('SharedShop', json_build_object(
	'Index/fourth', json_build_object('Time', 1, 'Region', 'us-west-2', 'Value', '{"AttributeDefinitions": [{"AttributeName": "n", "AttributeType": "N"}], "Create": {"IndexName": "fourth", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}'::json),
	'Billing', json_build_object('Time', 1, 'Region', 'us-west-2', 'Value', '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 4, "WriteCapacityUnits": 20}, "Indexes": {"fourth": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7}}}'::json))::text) IS NOT NULL;
SELECT i -> 'ProvisionedThroughput' -> 'ReadCapacityUnits', i -> 'ProvisionedThroughput' -> 'WriteCapacityUnits' FROM jsonb_array_elements(pg_temp.described('GlobalSecondaryIndexes')) i WHERE i ->> 'IndexName' = 'fourth';
ROLLBACK;
SELECT pg_temp.merge('Billing', '{"BillingMode": "PAY_PER_REQUEST"}'), pg_temp.described('BillingModeSummary', 'BillingMode');

-- what a peer cannot have set is refused as a client's request is, and nothing is changed
SELECT pg_temp.merge('Class', '"FAST"');
SELECT pg_temp.merge('Class', '{"a": 1}');
SELECT pg_temp.merge('Stream', '"ALL"');
SELECT pg_temp.merge('Stream', '7');
SELECT pg_temp.merge('TimeToLive', '["x"]');
SELECT pg_temp.merge('MaxWrites', '"x"');
SELECT pg_temp.merge('Warm', '"x"');
SELECT pg_temp.merge('Encryption', '7');
SELECT pg_temp.merge('Billing', '7'), pg_temp.merge('Billing', '{"BillingMode": "PROVISIONED"}');
SELECT pg_temp.merge('Billing', '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": "x"}}');
SELECT pg_temp.merge('Index/x', '7');
SELECT pg_temp.merge('Index/x', '{"Create": {"IndexName": "y"}}'), pg_temp.merge('Vector/x', '{"Create": 7}');
SELECT pg_temp.merge('Index/x', '{"Create": {"IndexName": "x"}}');
SELECT pg_temp.merge('Index/x"},{', '{"Create": {"IndexName": "x\"},{"}}');
SELECT pg_temp.merge('Scaling/x', '{}'), pg_temp.merge('Scaling/table:ReadCapacityUnits', '{}'), pg_temp.merge('Other', '1');
SELECT pg_temp.merge('Scaling/table:WriteCapacityUnits', '7');
SELECT dynamo_internal.merge_settings('SharedShop', '');
SELECT dynamo_internal.merge_settings('SharedShop', '[]');
SELECT dynamo_internal.merge_settings('SharedShop', '{"Class": {"Time": "x", "Region": "y", "Value": null}}');
SELECT dynamo_internal.merge_settings('SharedShop', repeat('x', 1024 * 1024 + 1));
-- nor what it has set in the future
SELECT pg_temp.merge('Class', '"STANDARD"', 3600000);
SELECT pg_temp.described('TableClassSummary', 'TableClass'), pg_temp.described('StreamSpecification', 'StreamViewType');
-- indexes: one that has the name and is another, one that goes, one that comes
SELECT pg_temp.merge('Index/second', '{"AttributeDefinitions": [{"AttributeName": "b", "AttributeType": "B"}], "Create": {"IndexName": "second", "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}');
SELECT pg_temp.merge('Index/second', 'null');
SELECT pg_temp.merge('Vector/near', '{"Create": {"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Projection": {"ProjectionType": "ALL"}, "Dimensions": 3, "DistanceFunction": "COSINE"}}') AS made;
SELECT i ->> 'IndexName' AS vectors FROM jsonb_array_elements(pg_temp.described('VectorIndexes')) i;
SELECT pg_temp.merge('Vector/near', 'null'), pg_temp.described('VectorIndexes') IS NULL AS gone;
BEGIN;
SELECT pg_temp.merge('Index/third', '{"AttributeDefinitions": [{"AttributeName": "b", "AttributeType": "B"}], "Create": {"IndexName": "third", "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}], "Projection": {"ProjectionType": "KEYS_ONLY"}}}');
SELECT i ->> 'IndexName' AS index, i ->> 'IndexStatus' AS status FROM jsonb_array_elements(pg_temp.described('GlobalSecondaryIndexes')) i ORDER BY 1;
-- while it is being built, which is begun after commit, all stays as it is
SELECT pg_temp.merge('Class', '"STANDARD"');
SELECT dynamo.drop_index('SharedShop', 'third');
COMMIT;
-- while a replica comes or goes, all stays as it is
SELECT dynamo_internal.remove_replica('SharedShop', 'us-west-2');
SELECT pg_temp.merge('Class', '"STANDARD"');
-- others than the owner
CREATE ROLE settings_other;
SET SESSION AUTHORIZATION settings_other;
SELECT dynamo_internal.merge_settings('SharedShop', '{}') IS NULL;
RESET SESSION AUTHORIZATION;
DROP ROLE settings_other;
DROP TABLE dynamo_data."SharedShop";
SELECT count(*) FROM dynamo_internal.shared_settings;
SELECT dynamo.drop_region('us-west-2');
DROP SERVER settings_west;
