-- CreateTable: the order of two errors at one place, as measured on the service in October 2026
\t on
\a
CREATE FUNCTION pg_temp.ask(operation text, request jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(dynamo.try_call(operation, request::json) ->> 'message', ' failed to satisfy constraint: Member must', '', 'g') $$;
CREATE FUNCTION pg_temp.made(more jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.ask('CreateTable', '{"TableName": "CallCreate", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}' || more) $$;
-- a table's name: its length before its characters, whatever the operation
SELECT operation, pg_temp.ask(operation, '{"TableName": "!"}') FROM unnest('{DescribeTable,DeleteTable,UpdateTable,DescribeTimeToLive,DescribeContinuousBackups,DescribeContributorInsights}'::text[]) operation;
SELECT pg_temp.made('{"TableName": "!"}'), pg_temp.made('{"TableName": ""}');
-- others the other way round
SELECT pg_temp.ask('ListTables', '{"ExclusiveStartTableName": "!"}'), pg_temp.ask('CreateBackup', '{"TableName": "abc", "BackupName": "!"}');
-- members of structures
SELECT pg_temp.made('{"AttributeDefinitions": [{}]}');
SELECT pg_temp.made('{"KeySchema": [{}]}');
SELECT pg_temp.made('{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {}}');
SELECT pg_temp.made('{"AttributeDefinitions": [{"AttributeName": "", "AttributeType": "X"}], "KeySchema": [{"AttributeName": "", "KeyType": "X"}], "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}}');
-- WarmThroughput has no least value of its shape
SELECT pg_temp.made('{"WarmThroughput": {"ReadUnitsPerSecond": 0}}');
-- older words about a length
SELECT operation, pg_temp.ask(operation, jsonb_build_object('GlobalTableName', name)) FROM unnest('{CreateGlobalTable,DescribeGlobalTable,UpdateGlobalTableSettings}'::text[]) operation, unnest('{"",ab,a!b,abc}'::text[]) name;
