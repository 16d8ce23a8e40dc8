-- Throughput that is kept and told: ProvisionedThroughput, OnDemandThroughput,
-- WarmThroughput of tables and indexes.
\a

CREATE FUNCTION pg_temp.created(members jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.call('CreateTable', ('{"TableName": "Units", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}'::jsonb || members)::json)::jsonb -> 'TableDescription';
EXCEPTION WHEN OTHERS THEN
	RETURN to_jsonb(sqlstate || ' ' || sqlerrm);
END $$;
CREATE FUNCTION pg_temp.updated(members jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
BEGIN
	RETURN dynamo.call('UpdateTable', (members || '{"TableName": "Units"}')::json)::jsonb -> 'TableDescription';
EXCEPTION WHEN OTHERS THEN
	RETURN to_jsonb(sqlstate || ' ' || sqlerrm);
END $$;
CREATE FUNCTION pg_temp.updated_index(members jsonb) RETURNS jsonb
LANGUAGE sql AS $$
	SELECT pg_temp.updated(jsonb_build_object('GlobalSecondaryIndexUpdates',
		jsonb_build_array(jsonb_build_object('Update', members || '{"IndexName": "idx"}'))))
$$;
CREATE FUNCTION pg_temp.described(VARIADIC path text[]) RETURNS jsonb
LANGUAGE sql AS $$
	SELECT (dynamo.call('DescribeTable', '{"TableName": "Units"}')::jsonb -> 'Table') #> path
$$;

-- A table created on demand was switched when it was created.
SELECT pg_temp.created('{}') ? 'WarmThroughput' AS told;
SELECT pg_temp.described('BillingModeSummary', 'LastUpdateToPayPerRequestDateTime') = pg_temp.described('CreationDateTime') AS switched;
SELECT dynamo.drop_table('Units');

-- WarmThroughput that was asked for is on its way, then there.
SELECT pg_temp.created('{"WarmThroughput": {"ReadUnitsPerSecond": 13000}}') -> 'WarmThroughput';
SELECT pg_temp.described('WarmThroughput');
SELECT d ->> 'TableStatus', d -> 'WarmThroughput' FROM pg_temp.updated('{"WarmThroughput": {"ReadUnitsPerSecond": 14000}}') d;
SELECT pg_temp.described('WarmThroughput', 'ReadUnitsPerSecond');
SELECT pg_temp.updated('{"WarmThroughput": {"ReadUnitsPerSecond": 13999}}');

-- Limits have a quota; -1 clears one that is there.
SELECT pg_temp.updated('{"OnDemandThroughput": {"MaxReadRequestUnits": 40001}}');
SELECT pg_temp.updated('{"OnDemandThroughput": {"MaxWriteRequestUnits": -2}}');
SELECT dynamo.drop_table('Units');
SELECT pg_temp.created('{"OnDemandThroughput": {"MaxWriteRequestUnits": 50000}}');
SELECT pg_temp.created('{"OnDemandThroughput": {"MaxWriteRequestUnits": -1}}');

-- Indexes have them, too.
SELECT pg_temp.created('{"GlobalSecondaryIndexes": [{"IndexName": "idx", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}') ->> 'TableStatus';
SELECT pg_temp.updated_index('{"OnDemandThroughput": {"MaxReadRequestUnits": 0}}');
SELECT pg_temp.updated_index('{"OnDemandThroughput": {"MaxReadRequestUnits": 50000}}');
SELECT pg_temp.updated_index('{"WarmThroughput": {"WriteUnitsPerSecond": 3999}}');
SELECT pg_temp.updated('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "none", "WarmThroughput": {}}}]}');
SELECT pg_temp.updated_index('{"OnDemandThroughput": {"MaxReadRequestUnits": 7}, "WarmThroughput": {"WriteUnitsPerSecond": 5000}}') ->> 'TableStatus';
SELECT pg_temp.described('GlobalSecondaryIndexes', '0', 'OnDemandThroughput') AS limits,
	pg_temp.described('GlobalSecondaryIndexes', '0', 'WarmThroughput') AS warm;

-- The index is busy meanwhile, the table is not.
SELECT d ->> 'TableStatus', i ->> 'IndexStatus'
FROM pg_temp.updated_index('{"OnDemandThroughput": {"MaxReadRequestUnits": 8}}') d, jsonb_array_elements(d -> 'GlobalSecondaryIndexes') i;

-- To PROVISIONED: each index needs throughput, whatever else is said of it.
SELECT pg_temp.updated('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 30000, "WriteCapacityUnits": 9},
	"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "idx", "WarmThroughput": {"WriteUnitsPerSecond": 6000}}}]}');
-- The limits go, of indexes as well, and cannot come back.
SELECT pg_temp.updated('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 30000, "WriteCapacityUnits": 9},
	"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "idx", "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 9}}}]}') ->> 'TableStatus';
SELECT pg_temp.described('GlobalSecondaryIndexes', '0', 'OnDemandThroughput') AS limits;
SELECT pg_temp.updated_index('{"OnDemandThroughput": {"MaxReadRequestUnits": 7}}');

-- A table is warm for what is provisioned, and stays so.
SELECT pg_temp.described('WarmThroughput');
SELECT pg_temp.updated('{"ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 9}}') ->> 'TableStatus';
SELECT pg_temp.described('WarmThroughput');

-- Decreases of one day are counted, for the table and for each index.
SELECT pg_temp.updated('{"ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 8}}') ->> 'TableStatus';
SELECT pg_temp.described('ProvisionedThroughput', 'NumberOfDecreasesToday') AS "table",
	pg_temp.described('GlobalSecondaryIndexes', '0', 'ProvisionedThroughput', 'NumberOfDecreasesToday') AS index;
UPDATE dynamo.tables SET settings = jsonb_set(settings::jsonb, '{ProvisionedThroughput,LastDecreaseDateTime}',
	to_jsonb(extract(epoch FROM now() - interval '1 day')))::json WHERE table_name = 'Units';
SELECT pg_temp.described('ProvisionedThroughput', 'NumberOfDecreasesToday') AS "table";

-- The answer to the first of a day does not count those of the day before.
SELECT pg_temp.updated('{"ProvisionedThroughput": {"ReadCapacityUnits": 2, "WriteCapacityUnits": 8}}') #> '{ProvisionedThroughput,NumberOfDecreasesToday}' AS "table";
SELECT pg_temp.described('ProvisionedThroughput', 'NumberOfDecreasesToday') AS "table";

-- Back, with an index changed by the way: zeroes are told of both.
SELECT pg_temp.updated('{"BillingMode": "PAY_PER_REQUEST", "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "idx", "OnDemandThroughput": {"MaxReadRequestUnits": 7}}}]}') ->> 'TableStatus';
SELECT pg_temp.described('ProvisionedThroughput', 'ReadCapacityUnits') AS "table",
	pg_temp.described('GlobalSecondaryIndexes', '0', 'ProvisionedThroughput', 'ReadCapacityUnits') AS index,
	pg_temp.described('GlobalSecondaryIndexes', '0', 'OnDemandThroughput') AS limits;
SELECT dynamo.drop_table('Units');

-- The greatest there is.
SELECT pg_temp.created('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 40000, "WriteCapacityUnits": 40000}}')
	#> '{ProvisionedThroughput,WriteCapacityUnits}' AS units;
SELECT dynamo.drop_table('Units');
