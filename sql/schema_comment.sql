-- What \dt+ says of a table: its key and its indexes, whose names no column of
-- the relation has.  A comment that somebody has written stays.
\t on
\a
\set VERBOSITY terse
CREATE FUNCTION pg_temp.said(name text) RETURNS text LANGUAGE sql AS $$
	SELECT obj_description(format('dynamo_data.%I', name)::regclass, 'pg_class') $$;

SELECT dynamo.create_table('Said', 'PK', 'SK');
SELECT pg_temp.said('Said');
SELECT dynamo.create_index('Said', 'ByDay', 'day N', 'SK');
SELECT pg_temp.said('Said');
-- several attributes, local indexes, by the API
SELECT dynamo.call('CreateTable', '{"TableName": "Said.more", "BillingMode": "PAY_PER_REQUEST",
	"KeySchema": [{"AttributeName": "a b", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
	"AttributeDefinitions": [{"AttributeName": "a b", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"},
		{"AttributeName": "x", "AttributeType": "B"}, {"AttributeName": "y", "AttributeType": "S"}, {"AttributeName": "z", "AttributeType": "S"}],
	"LocalSecondaryIndexes": [{"IndexName": "local", "Projection": {"ProjectionType": "KEYS_ONLY"},
		"KeySchema": [{"AttributeName": "a b", "KeyType": "HASH"}, {"AttributeName": "x", "KeyType": "RANGE"}]}],
	"GlobalSecondaryIndexes": [{"IndexName": "global", "Projection": {"ProjectionType": "ALL"},
		"KeySchema": [{"AttributeName": "y", "KeyType": "HASH"}, {"AttributeName": "z", "KeyType": "RANGE"}, {"AttributeName": "n", "KeyType": "RANGE"}]}]}') IS NOT NULL;
SELECT pg_temp.said('Said.more');
-- a name that is longer than a relation's
SELECT dynamo.create_table(repeat('long', 20), 'id');
SELECT obj_description(relation, 'pg_class') FROM dynamo.tables WHERE table_name = repeat('long', 20);

-- an index goes: by us, and by plain SQL
SELECT dynamo.drop_index('Said.more', 'global');
SELECT pg_temp.said('Said.more');
DROP INDEX dynamo_data."Said/ByDay";
SELECT pg_temp.said('Said');
-- what is undone is not said
BEGIN;
SELECT dynamo.create_index('Said', 'Undone', 'x');
ROLLBACK;
SELECT pg_temp.said('Said');

-- a person's words stay, and so does a person's silence
COMMENT ON TABLE dynamo_data."Said" IS 'ours';
SELECT dynamo.create_index('Said', 'More', 'x');
SELECT pg_temp.said('Said');
COMMENT ON TABLE dynamo_data."Said" IS NULL;
SELECT dynamo.drop_index('Said', 'More');
SELECT pg_temp.said('Said') IS NULL;

-- a mere relation has none, one that becomes a table has one
SELECT dynamo.detach_table('Said.more');
SELECT pg_temp.said('Said.more') IS NULL;
SELECT dynamo.attach_table('dynamo_data."Said.more"', 'Said.more');
SELECT pg_temp.said('Said.more');

-- nothing is left of them
SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name IN ('Said', 'Said.more', repeat('long', 20)) ORDER BY table_name;
SELECT count(*) FROM pg_description d WHERE classoid = 'pg_class'::regclass AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = objoid);
