-- CreateTable: what it refuses, in the order in which it looks, and that a
-- refused request leaves nothing behind.
\a

CREATE FUNCTION pg_temp.refused(changes jsonb) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	-- a good request; "changes" replaces members, null takes one away
	request jsonb := jsonb_strip_nulls('{
		"TableName": "Refused",
		"AttributeDefinitions": [
			{"AttributeName": "a", "AttributeType": "S"},
			{"AttributeName": "b", "AttributeType": "S"}],
		"KeySchema": [
			{"AttributeName": "a", "KeyType": "HASH"},
			{"AttributeName": "b", "KeyType": "RANGE"}],
		"BillingMode": "PAY_PER_REQUEST"}'::jsonb || changes);
BEGIN
	PERFORM dynamo.call('CreateTable', request::json);
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;

CREATE FUNCTION pg_temp.index(name text, projection jsonb, VARIADIC keys text[])
RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_object('IndexName', name, 'Projection', projection,
		'KeySchema', (SELECT jsonb_agg(jsonb_build_object(
			'AttributeName', split_part(k, ' ', 1),
			'KeyType', split_part(k, ' ', 2)) ORDER BY n)
			FROM unnest(keys) WITH ORDINALITY AS u(k, n)))
$$;
CREATE FUNCTION pg_temp.refused(member text, VARIADIC indexes jsonb[])
RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.refused(jsonb_build_object(member, to_jsonb(indexes)))
$$;

-- Single members.
SELECT pg_temp.refused('{"TableName": null}');
SELECT pg_temp.refused('{"TableName": "ab"}');
SELECT pg_temp.refused('{"TableName": "a;c"}');
SELECT left(pg_temp.refused(jsonb_build_object('TableName', repeat('x', 256))), 62);
SELECT pg_temp.refused('{"KeySchema": null, "AttributeDefinitions": null}');
SELECT pg_temp.refused('{"KeySchema": []}');
SELECT pg_temp.refused('{"BillingMode": "FREE"}');
SELECT pg_temp.refused('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "SS"}]}');
SELECT pg_temp.refused('{"ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}}');
SELECT pg_temp.refused('{"TableName": 5}');

-- Billing.
SELECT pg_temp.refused('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT pg_temp.refused('{"BillingMode": null}');
SELECT pg_temp.refused('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1}}');
SELECT pg_temp.refused('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 40001, "WriteCapacityUnits": 1}}');

-- Key schema and definitions.
SELECT pg_temp.refused('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "N"}]}');
SELECT pg_temp.refused('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}]}');
SELECT pg_temp.refused('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}]}');
SELECT pg_temp.refused('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}]}');
SELECT pg_temp.refused('{"KeySchema": [{"AttributeName": "a", "KeyType": "RANGE"}, {"AttributeName": "b", "KeyType": "HASH"}]}');
SELECT pg_temp.refused('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "HASH"}]}');
SELECT pg_temp.refused('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}');
SELECT pg_temp.refused('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}, {"AttributeName": "c", "KeyType": "RANGE"}]}') ~ 'less than or equal to 2$';

-- Indexes.
SELECT pg_temp.refused('{"LocalSecondaryIndexes": []}');
SELECT pg_temp.refused('{"GlobalSecondaryIndexes": []}');
SELECT pg_temp.refused('LocalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "ALL"}', 'a HASH'));
SELECT pg_temp.refused('LocalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "ALL"}', 'b HASH', 'a RANGE'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "ALL"}', 'c HASH'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "ALL"}', 'a HASH', 'a RANGE'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "ALL"}', 'a RANGE'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{}', 'a HASH'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "INCLUDE"}', 'a HASH'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["x"]}', 'a HASH'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "x"]}', 'a HASH'));
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "ALL"}', 'a HASH') || '{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT pg_temp.refused('GlobalSecondaryIndexes', pg_temp.index('one', '{"ProjectionType": "ALL"}', 'a HASH'), pg_temp.index('one', '{"ProjectionType": "ALL"}', 'b HASH'));
SELECT pg_temp.refused('LocalSecondaryIndexes', VARIADIC array_agg(pg_temp.index('index' || i, '{"ProjectionType": "ALL"}', 'a HASH', 'b RANGE')))
FROM generate_series(1, 6) i;
SELECT pg_temp.refused('GlobalSecondaryIndexes', VARIADIC array_agg(pg_temp.index('index' || i, '{"ProjectionType": "ALL"}', 'b HASH')))
FROM generate_series(1, 21) i;

-- Names are listed as a hash table has them; a surrogate pair is two of its
-- characters.
SELECT pg_temp.refused(jsonb_build_object('AttributeDefinitions', (SELECT jsonb_agg(jsonb_build_object('AttributeName', name, 'AttributeType', 'S'))
		FROM unnest(ARRAY['user', 'id', U&'\+01F600', 'created_at', 'é']) name),
	'KeySchema', '[{"AttributeName": "user", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}]'::jsonb,
	'GlobalSecondaryIndexes', jsonb_build_array(pg_temp.index('one', '{"ProjectionType": "ALL"}', 'user HASH'))));
-- The last character that needs no pair.
SELECT regexp_replace(refused, U&'\FFFF', 'U+FFFF')
FROM pg_temp.refused(jsonb_build_object('AttributeDefinitions', (SELECT jsonb_agg(jsonb_build_object('AttributeName', name, 'AttributeType', 'S'))
		FROM unnest(ARRAY['k', 'm', U&'\FFFF']) name)));
SELECT pg_temp.refused(jsonb_build_object('AttributeDefinitions', (SELECT jsonb_agg(jsonb_build_object('AttributeName', 'a' || i, 'AttributeType', 'S'))
	FROM generate_series(1, 20) i)));
-- It has each name once, even where two names share a bucket.
SELECT pg_temp.refused(jsonb_build_object('AttributeDefinitions', (SELECT jsonb_agg(jsonb_build_object('AttributeName', name, 'AttributeType', 'S'))
		FROM unnest('{a,b,x}'::text[]) name),
	'GlobalSecondaryIndexes', jsonb_build_array(pg_temp.index('one', '{"ProjectionType": "ALL"}', 'Aa HASH', 'BB HASH', 'Aa HASH'))));

-- Others.
SELECT pg_temp.refused('{"StreamSpecification": {"StreamEnabled": true}}');
SELECT pg_temp.refused('{"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}}');
SELECT pg_temp.refused('{"TableClass": "FAST"}');
SELECT pg_temp.refused('{"SSESpecification": {"Enabled": false, "SSEType": "KMS"}}');
SELECT pg_temp.refused('{"OnDemandThroughput": {"MaxReadRequestUnits": 0}}');
SELECT pg_temp.refused('{"WarmThroughput": {"ReadUnitsPerSecond": 1}}') ~ 'is lower than initial throughput for OnDemand';
SELECT pg_temp.refused('{"Tags": [{"Key": "aws:x", "Value": "v"}]}');
SELECT pg_temp.refused('{"Tags": [{"Key": "k"}]}');

-- What is not done here is refused, not passed over.
SELECT pg_temp.refused('{"ResourcePolicy": "{}"}');
SELECT pg_temp.refused('{"GlobalTableSourceArn": "arn"}');
SELECT pg_temp.refused('{"GlobalTableSettingsReplicationMode": "ENABLED"}');

-- Throughput: what is out of bounds is seen first, quotas are seen last.
SELECT pg_temp.refused('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1}, "KeySchema": [{"AttributeName": "a", "KeyType": "RANGE"}]}');
SELECT pg_temp.refused(jsonb_build_object('BillingMode', NULL, 'ProvisionedThroughput', '{"ReadCapacityUnits": 40001, "WriteCapacityUnits": 1}'::jsonb, 'AttributeDefinitions', '[]'::jsonb,
	'GlobalSecondaryIndexes', jsonb_build_array(pg_temp.index('one', '{}', 'z HASH') || '{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1000000000001}}')));
SELECT pg_temp.refused('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 40001, "WriteCapacityUnits": 1}, "Tags": [{"Key": "k"}]}');
SELECT pg_temp.refused('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 40001, "WriteCapacityUnits": 1}}');
SELECT pg_temp.refused(jsonb_build_object('BillingMode', NULL, 'ProvisionedThroughput', '{"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}'::jsonb,
	'GlobalSecondaryIndexes', jsonb_build_array(pg_temp.index('one', '{"ProjectionType": "ALL"}', 'a HASH') || '{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 40001}}')));

-- The partition key's attributes come first.
SELECT pg_temp.refused('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"},
		{"AttributeName": "c", "AttributeType": "S"}],
	"GlobalSecondaryIndexes": [{"IndexName": "mixed", "Projection": {"ProjectionType": "ALL"},
		"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"},
			{"AttributeName": "a", "KeyType": "HASH"}]}]}');

SELECT count(*) FROM dynamo.tables WHERE table_name = 'Refused';
