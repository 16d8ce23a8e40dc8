-- A shop in one table, as scenario A has it, for the console to show: two indexes,
-- of which one means three things, and the other has few items, by their keys alone.
SET client_min_messages = warning;
DROP VIEW IF EXISTS console.revenue;
DO $$ BEGIN
	PERFORM dynamo.drop_table(name) FROM unnest(ARRAY['ConsoleShop', 'ConsolePrivate', 'ConsoleMany', 'ConsoleModel',
		'ConsoleQueue', 'ConsoleGraph', 'ConsoleSales', 'ConsoleNew', 'ConsoleLarge', 'WorkbenchStaff', 'WorkbenchLibrary', 'WorkbenchVisits']) name
	WHERE to_regclass(format('dynamo_data.%I', name)) IS NOT NULL;
END $$;
SET ROLE clerk;
SELECT dynamo.call('CreateTable', '{"TableName": "ConsoleShop", "BillingMode": "PAY_PER_REQUEST",
	"KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
	"AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"},
		{"AttributeName": "GSI1PK", "AttributeType": "S"}, {"AttributeName": "GSI1SK", "AttributeType": "S"},
		{"AttributeName": "GSI2PK", "AttributeType": "S"}, {"AttributeName": "GSI2SK", "AttributeType": "S"}],
	"GlobalSecondaryIndexes": [{"IndexName": "GSI1", "Projection": {"ProjectionType": "ALL"},
		"KeySchema": [{"AttributeName": "GSI1PK", "KeyType": "HASH"}, {"AttributeName": "GSI1SK", "KeyType": "RANGE"}]},
		{"IndexName": "GSI2", "Projection": {"ProjectionType": "KEYS_ONLY"},
		"KeySchema": [{"AttributeName": "GSI2PK", "KeyType": "HASH"}, {"AttributeName": "GSI2SK", "KeyType": "RANGE"}]}],
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}}'::json);
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "ConsoleShop", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}'::json);
SELECT dynamo.put_item('ConsoleShop', jsonb_build_object('PK', 'CUSTOMER#' || c, 'SK', 'PROFILE', 'name', 'Customer ' || c, 'email', c || '@example.com',
	'GSI1PK', 'EMAIL#' || c || '@example.com', 'GSI1SK', 'CUSTOMER#' || c)::dynamo.item)
FROM generate_series(1, 40) c;
SELECT dynamo.put_item('ConsoleShop', jsonb_build_object('PK', 'CUSTOMER#' || c, 'SK', 'ORDER#2026-03-' || lpad(o::text, 2, '0'),
	'total', c * o, 'GSI1PK', 'STATUS#' || CASE o % 2 WHEN 0 THEN 'open' ELSE 'paid' END, 'GSI1SK', '2026-03-' || o)::dynamo.item)
FROM generate_series(1, 40) c, generate_series(1, 6) o;
-- Orders that somebody has to look at, alone in an index.
SELECT dynamo.update_item('ConsoleShop', jsonb_build_object('PK', 'CUSTOMER#' || c, 'SK', 'ORDER#2026-03-02')::dynamo.item,
	'SET GSI2PK = :f, GSI2SK = SK', '{":f": "FLAGGED"}') FROM generate_series(1, 4) c;
SELECT dynamo.put_item('ConsoleShop', jsonb_build_object('PK', 'ORDER#' || 98760 + o, 'SK', part, 'quantity', o, 'price', 9.99)::dynamo.item)
FROM generate_series(1, 5) o, unnest('{META,ITEM#001,ITEM#002}'::text[]) part;
SELECT dynamo.put_item('ConsoleShop', jsonb_build_object('PK', 'PRODUCT#' || p, 'SK', 'DETAILS', 'title', 'Product ' || p, 'price', p, 'inventory', 10 * p, 'version', 1,
	'GSI1PK', 'CATEGORY#' || CASE p % 3 WHEN 0 THEN 'electronics' ELSE 'kitchen' END, 'GSI1SK', 'PRODUCT#' || p)::dynamo.item)
FROM generate_series(1, 60) p;
-- What would run, or spoil the page, if it were not text; as large and as deep as an item may be.
SELECT dynamo.put_item('ConsoleShop', jsonb_build_object('PK', 'HOSTILE#1', 'SK', '<script>window.hacked = 1</script>',
	'html', '<img src=x onerror="window.hacked = 1">', 'control', E'\x01\x1b[31m\u202e', 'link', 'javascript:window.hacked=1',
	'__proto__', 'polluted', 'long', repeat('x', 408900), 'deep', (repeat('[', 31) || '1' || repeat(']', 31))::jsonb)::dynamo.item);
SELECT dynamo.call('CreateTable', '{"TableName": "ConsolePrivate", "BillingMode": "PAY_PER_REQUEST",
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}'::json);
SELECT dynamo.put_item('ConsolePrivate', '{"id": "secret"}');
SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "ConsoleShop", "ContributorInsightsAction": "ENABLE"}'::json);
SELECT count(item) FROM generate_series(1, 20), LATERAL dynamo.get_item('ConsoleShop', '{"PK": "PRODUCT#7", "SK": "DETAILS"}') AS item;
SELECT dynamo.call('CreateBackup', '{"TableName": "ConsoleShop", "BackupName": "console-backup"}'::json);
-- More than anybody draws.
SELECT dynamo.create_table('ConsoleMany', 'id', partition_key_type => 'N');
INSERT INTO dynamo_data."ConsoleMany" (item)
SELECT jsonb_build_object('id', n, 'text', 'Item ' || n)::dynamo.item FROM generate_series(1, 100000) n;
-- A function that fails as long as there is an item named FAULT.
SELECT dynamo.create_table('ConsoleQueue', 'id');
SELECT dynamo.enable_stream('ConsoleQueue');
RESET ROLE;
CREATE SCHEMA IF NOT EXISTS console AUTHORIZATION clerk;
GRANT EXECUTE ON FUNCTION dynamo.create_event_source_mapping TO clerk;
SET ROLE clerk;
CREATE OR REPLACE FUNCTION console.take(event jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF dynamo.get_item('ConsoleQueue', '{"id": "FAULT"}') IS NOT NULL THEN
		RAISE 'there is a FAULT';
	END IF;
END $$;
SELECT dynamo.create_event_source_mapping('ConsoleQueue', 'console.take', starting_position => 'TRIM_HORIZON');
SELECT dynamo.put_item('ConsoleQueue', '{"id": "FAULT"}');
RESET ROLE;
ANALYZE dynamo_data."ConsoleShop", dynamo_data."ConsoleMany", dynamo_data."ConsolePrivate";
GRANT SELECT ON dynamo_data."ConsoleShop" TO acme;
