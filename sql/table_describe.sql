-- DescribeTable.
\a

CREATE FUNCTION pg_temp.described(name text, VARIADIC path text[] DEFAULT '{}')
RETURNS jsonb LANGUAGE sql AS $$
	SELECT (dynamo.call('DescribeTable', json_build_object('TableName', name))::jsonb
		-> 'Table') #> path
$$;

SELECT dynamo.create_table('Described', 'pk', 'sk N');
SELECT dynamo.create_index('Described', 'ByDate', 'day', 'time N');

-- ACTIVE at once; all members, and what is unset is absent.
SELECT jsonb_object_keys(pg_temp.described('Described'));
SELECT pg_temp.described('Described', 'TableStatus') AS status,
	pg_temp.described('Described', 'TableArn') AS arn,
	pg_temp.described('Described', 'GlobalSecondaryIndexes', '0', 'IndexArn') AS index_arn;
SELECT pg_temp.described('Described', 'BillingModeSummary', 'LastUpdateToPayPerRequestDateTime') IS NOT NULL AS switched,
	abs(pg_temp.described('Described', 'CreationDateTime')::numeric - extract(epoch FROM now())) < 60 AS now,
	pg_temp.described('Described', 'TableId') ->> 0 ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' AS uuid;

-- A table may be named by its ARN.
SELECT pg_temp.described('arn:aws:dynamodb:us-east-1:000000000000:table/Described', 'TableName');
SELECT pg_temp.described('arn:aws:dynamodb:mars:000000000000:table/Described', 'TableName');
SELECT pg_temp.described('arn:aws:dynamodb:us-east-1:999999999999:table/Described', 'TableName');

-- A fresh table has nothing; later there are estimates.
SELECT pg_temp.described('Described', 'ItemCount') AS items,
	pg_temp.described('Described', 'TableSizeBytes') AS bytes,
	pg_temp.described('Described', 'GlobalSecondaryIndexes', '0', 'ItemCount') AS index_items;
INSERT INTO dynamo_data."Described" (item)
SELECT jsonb_build_object('pk', 'p', 'sk', i)
	|| CASE WHEN i <= 10 THEN '{"day": "d", "time": 1}' ELSE '{}' END::jsonb
FROM generate_series(1, 100) i;
VACUUM ANALYZE dynamo_data."Described";
SELECT pg_temp.described('Described', 'ItemCount') AS items,
	pg_temp.described('Described', 'TableSizeBytes')::int > 0 AS bytes,
	pg_temp.described('Described', 'GlobalSecondaryIndexes', '0', 'ItemCount') AS index_items;

SELECT pg_temp.described('Nothing');
SELECT dynamo.call('DescribeTable', '{}');
SELECT dynamo.call('DescribeTable', '{"TableName": "ab"}');

SELECT dynamo.call('DescribeLimits', '{}');
SELECT dynamo.call('DescribeEndpoints', '{}');

SELECT dynamo.drop_table('Described');
