-- UpdateTable: throughput and billing, as measured on the service in October 2026
\t on
\a
CREATE FUNCTION pg_temp.made(name text, members jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT dynamo.call('CreateTable', (jsonb_build_object('TableName', name, 'BillingMode', 'PAY_PER_REQUEST',
		'AttributeDefinitions', '[{"AttributeName": "pk", "AttributeType": "S"}]'::jsonb, 'KeySchema', '[{"AttributeName": "pk", "KeyType": "HASH"}]'::jsonb) || members)::json)
		#>> '{TableDescription,TableStatus}' $$;
-- an error's text, or what the answer has at some paths
CREATE FUNCTION pg_temp.told(name text, members text, VARIADIC paths text[] DEFAULT '{"{TableStatus}"}') RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(coalesce(answer ->> 'message', (SELECT string_agg(coalesce(answer -> 'TableDescription' #>> path::text[], '-'), ' ' ORDER BY n) FROM unnest(paths) WITH ORDINALITY p(path, n))),
		'DateTime":[0-9.]+', 'DateTime":0', 'g')
	FROM dynamo.try_call('UpdateTable', (jsonb_build_object('TableName', name) || members::jsonb)::json) answer $$;
CREATE FUNCTION pg_temp.described(name text, VARIADIC paths text[]) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace((SELECT string_agg(coalesce(dynamo.call('DescribeTable', json_build_object('TableName', name)) -> 'Table' #>> path::text[], '-'), ' ' ORDER BY n) FROM unnest(paths) WITH ORDINALITY p(path, n)),
		'DateTime":[0-9.]+', 'DateTime":0', 'g') $$;
CREATE FUNCTION pg_temp.units(r int, w int, index text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN index IS NULL THEN format('{"ProvisionedThroughput": {"ReadCapacityUnits": %s, "WriteCapacityUnits": %s}}', r, w)
		ELSE format('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "%s", "ProvisionedThroughput": {"ReadCapacityUnits": %s, "WriteCapacityUnits": %s}}}]}', index, r, w) END $$;
\set gsi '"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}'
\set five '"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}'
SELECT pg_temp.made('UpdateUnits', ('{"BillingMode": "PROVISIONED", ' || :'five' || ', "GlobalSecondaryIndexes": [{"IndexName": "one", ' || :'gsi' || ', ' || :'five' || '}, {"IndexName": "two", ' || :'gsi' || ', ' || :'five' || '}]}')::jsonb);
SELECT pg_temp.made('UpdateDemand', ('{"GlobalSecondaryIndexes": [{"IndexName": "one", ' || :'gsi' || '}]}')::jsonb);

-- BillingMode PROVISIONED goes with units, on any table or none; PAY_PER_REQUEST does not
SELECT name, pg_temp.told(name, '{"BillingMode": "PROVISIONED"}'), pg_temp.told(name, '{"BillingMode": "PAY_PER_REQUEST", ' || :'five' || '}')
FROM unnest('{UpdateUnits,UpdateDemand,UpdateNone}'::text[]) name;
SELECT pg_temp.told('UpdateDemand', pg_temp.units(6, 6));
SELECT pg_temp.told('UpdateDemand', '{"BillingMode": "PAY_PER_REQUEST"}', '{TableStatus}');

-- an answer shows the units and the count of before, and the time of now
SELECT pg_temp.told('UpdateUnits', pg_temp.units(9, 5), '{TableStatus}', '{ProvisionedThroughput}');
SELECT pg_temp.described('UpdateUnits', '{TableStatus}', '{ProvisionedThroughput}');
SELECT pg_temp.told('UpdateUnits', pg_temp.units(8, 5), '{ProvisionedThroughput}');
-- both in one call count once
SELECT pg_temp.told('UpdateUnits', pg_temp.units(7, 6), '{ProvisionedThroughput}');
SELECT pg_temp.described('UpdateUnits', '{ProvisionedThroughput}');
SELECT pg_temp.told('UpdateUnits', pg_temp.units(4, 5, 'one'), '{TableStatus}', '{GlobalSecondaryIndexes,0,IndexStatus}', '{GlobalSecondaryIndexes,0,ProvisionedThroughput}');

-- four decreases a day for the table, and for each index; then one an hour
SELECT pg_temp.told('UpdateUnits', pg_temp.units(6 - n, 6), '{TableStatus}') FROM generate_series(0, 1) n;
CREATE FUNCTION pg_temp.shown(text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace($1, '\w+, \w+ \d+, \d{4} at \d+:\d\d:\d\d [AP]M', 'DATE', 'g') $$;
SELECT pg_temp.shown(pg_temp.told('UpdateUnits', pg_temp.units(4, 6)));
SELECT pg_temp.shown(pg_temp.told('UpdateUnits', pg_temp.units(4, 60))) ~ '^Subscriber limit exceeded: Provisioned throughput decreases';
SELECT pg_temp.told('UpdateUnits', pg_temp.units(10 - n, 1, 'two'), '{TableStatus}') FROM generate_series(6, 9) n;
SELECT pg_temp.shown(pg_temp.told('UpdateUnits', pg_temp.units(4, 1, 'one'), '{TableStatus}'));
SELECT pg_temp.told('UpdateUnits', pg_temp.units(3, 1, 'two'), '{TableStatus}');
SELECT pg_temp.told('UpdateUnits', pg_temp.units(2, 1, 'two')) ~ '^Subscriber limit exceeded: Provisioned throughput decreases';
-- an increase is free, and a call is refused whole
SELECT pg_temp.told('UpdateUnits', pg_temp.units(50, 50), '{TableStatus}');
SELECT pg_temp.told('UpdateUnits', (pg_temp.units(51, 51)::jsonb || pg_temp.units(2, 1, 'two')::jsonb)::text) ~ '^Subscriber limit exceeded';
SELECT pg_temp.described('UpdateUnits', '{ProvisionedThroughput}', '{GlobalSecondaryIndexes,1,ProvisionedThroughput}');
-- the times: Java's long form, in UTC; at midnight, or an hour after the last
UPDATE dynamo.tables SET settings = jsonb_set(settings::jsonb, '{ProvisionedThroughput,LastDecreaseDateTime}',
	to_jsonb(extract(epoch FROM date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '23:59:59')))::json WHERE table_name = 'UpdateUnits';
SELECT replace(replace(pg_temp.told('UpdateUnits', pg_temp.units(4, 6)),
	to_char(now() AT TIME ZONE 'UTC', 'FMDay, FMMonth FMDD, YYYY'), 'TODAY'), to_char(now() AT TIME ZONE 'UTC' + interval '1 day', 'FMDay, FMMonth FMDD, YYYY'), 'TOMORROW');
-- an hour later it is free, and so is the next day
UPDATE dynamo.tables SET settings = jsonb_set(settings::jsonb, '{ProvisionedThroughput,LastDecreaseDateTime}',
	to_jsonb(extract(epoch FROM now() - interval '1 hour')))::json WHERE table_name = 'UpdateUnits';
SELECT pg_temp.told('UpdateUnits', pg_temp.units(49, 50), '{TableStatus}');
-- who tests may have it otherwise
SET dynamo.limit_throughput_decreases = off;
SELECT pg_temp.told('UpdateUnits', pg_temp.units(49 - n, 50), '{TableStatus}') FROM generate_series(1, 5) n;
SELECT pg_temp.described('UpdateUnits', '{ProvisionedThroughput,NumberOfDecreasesToday}')::int > 4;
RESET dynamo.limit_throughput_decreases;

-- to PAY_PER_REQUEST: a decrease of each index, not of the table; the time comes later
SELECT pg_temp.made('UpdateSwitch', ('{"BillingMode": "PROVISIONED", ' || :'five' || ', "GlobalSecondaryIndexes": [{"IndexName": "one", ' || :'gsi' || ', ' || :'five' || '}]}')::jsonb);
SELECT pg_temp.told('UpdateSwitch', '{"BillingMode": "PAY_PER_REQUEST"}', '{TableStatus}', '{BillingModeSummary}', '{ProvisionedThroughput}');
SELECT pg_temp.described('UpdateSwitch', '{TableStatus}', '{BillingModeSummary}', '{ProvisionedThroughput}', '{GlobalSecondaryIndexes,0,ProvisionedThroughput}');

-- an index that is deleted by the same request is shown on its way out
SELECT pg_temp.made('UpdateBoth', ('{"BillingMode": "PROVISIONED", ' || :'five' || ', "GlobalSecondaryIndexes": [{"IndexName": "one", ' || :'gsi' || ', ' || :'five' || '}, {"IndexName": "two", ' || :'gsi' || ', ' || :'five' || '}]}')::jsonb);
SELECT pg_temp.told('UpdateBoth', '{"BillingMode": "PAY_PER_REQUEST", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "one"}}]}', '{TableStatus}', '{BillingModeSummary}',
	'{GlobalSecondaryIndexes,0,IndexName}', '{GlobalSecondaryIndexes,0,IndexStatus}', '{GlobalSecondaryIndexes,1,IndexName}', '{GlobalSecondaryIndexes,1,IndexStatus}', '{GlobalSecondaryIndexes,1,ProvisionedThroughput,ReadCapacityUnits}');
-- beside one that is created, others are shown with the units of before
SELECT pg_temp.told('UpdateBoth', '{"BillingMode": "PROVISIONED", ' || :'five' || ', "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "two", ' || :'five' || '}}]}');
SELECT pg_temp.told('UpdateBoth', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", ' || :'gsi' || ', ' || :'five' || '}},
	{"Update": {"IndexName": "two", "ProvisionedThroughput": {"ReadCapacityUnits": 6, "WriteCapacityUnits": 7}}}]}', '{TableStatus}',
	'{GlobalSecondaryIndexes,0,IndexName}', '{GlobalSecondaryIndexes,0,IndexStatus}', '{GlobalSecondaryIndexes,0,ProvisionedThroughput,WriteCapacityUnits}', '{GlobalSecondaryIndexes,1,IndexName}', '{GlobalSecondaryIndexes,1,IndexStatus}');
SELECT pg_temp.described('UpdateBoth', '{GlobalSecondaryIndexes,0,IndexName}', '{GlobalSecondaryIndexes,0,ProvisionedThroughput,WriteCapacityUnits}', '{GlobalSecondaryIndexes,1,IndexName}'), dynamo.drop_table('UpdateBoth');

-- OnDemandThroughput of a table is changed at once; the answer shows what was taken away
SELECT pg_temp.told('UpdateDemand', '{"OnDemandThroughput": ' || change || '}', '{TableStatus}', '{OnDemandThroughput}'), pg_temp.described('UpdateDemand', '{OnDemandThroughput}')
FROM unnest(ARRAY['{"MaxReadRequestUnits": 10}', '{"MaxWriteRequestUnits": 20}', '{"MaxReadRequestUnits": -1}', '{"MaxWriteRequestUnits": -1, "MaxReadRequestUnits": -1}']) change;
SELECT pg_temp.told('UpdateDemand', '{"OnDemandThroughput": {"MaxReadRequestUnits": 0}}');
SELECT pg_temp.told('UpdateUnits', '{"OnDemandThroughput": {"MaxReadRequestUnits": 10}}');
-- of an index, the index is busy; on a provisioned table it has a text of its own, and so has an index that is added
SELECT pg_temp.told('UpdateDemand', '{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "one", "OnDemandThroughput": {"MaxReadRequestUnits": 10}}}]}', '{TableStatus}', '{GlobalSecondaryIndexes,0,IndexStatus}');
SELECT pg_temp.told('UpdateUnits', '{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "one", "OnDemandThroughput": {"MaxWriteRequestUnits": 10}}}]}');
SELECT pg_temp.told('UpdateUnits', '{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "new", ' || :'gsi' || ', ' || :'five' || ', "OnDemandThroughput": {"MaxReadRequestUnits": 10}}}]}');

-- WarmThroughput of nothing meets the rule of meaning, not one of shape
SELECT n, pg_temp.told('UpdateDemand', format('{"WarmThroughput": {"ReadUnitsPerSecond": %s}}', n)),
	pg_temp.told('UpdateDemand', format('{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "one", "WarmThroughput": {"WriteUnitsPerSecond": %s}}}]}', n))
FROM unnest(ARRAY[0, -1]) n;
-- what is empty is not there, beside other members; of an index it is an error, whether there is one or not
SELECT pg_temp.told('UpdateDemand', '{"WarmThroughput": {}, "OnDemandThroughput": {}, ' || more || '}', '{TableStatus}')
FROM unnest(ARRAY['"DeletionProtectionEnabled": false', '"TableClass": "STANDARD"', '"SSESpecification": {"Enabled": true}', '"BillingMode": "PAY_PER_REQUEST"']) more;
SELECT pg_temp.told(name, '{"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "none", "WarmThroughput": {}}}]}')
FROM unnest('{UpdateDemand,UpdateNone}'::text[]) name;
-- nothing at all; what is there, but empty, is not listed
SELECT pg_temp.told('UpdateDemand', nothing)
FROM unnest('{"{}", "{\"GlobalSecondaryIndexUpdates\": []}", "{\"WarmThroughput\": {}}", "{\"OnDemandThroughput\": {}}", "{\"OnDemandThroughput\": {}, \"WarmThroughput\": {}}"}'::text[]) nothing;

-- TableClass: told as it was, changed afterwards; of CreateTable it is told if it was named
SELECT pg_temp.made('UpdateClass', '{"TableClass": "STANDARD"}');
SELECT pg_temp.described('UpdateClass', '{TableClassSummary}'), pg_temp.described('UpdateSwitch', '{TableClassSummary}');
SELECT pg_temp.told('UpdateClass', '{"TableClass": "STANDARD_INFREQUENT_ACCESS"}', '{TableStatus}', '{TableClassSummary}');
SELECT pg_temp.described('UpdateClass', '{TableStatus}', '{TableClassSummary}');

SELECT dynamo.drop_table(name) FROM unnest('{UpdateUnits,UpdateDemand,UpdateSwitch,UpdateClass}'::text[]) name;
