-- CreateTable: the relation it makes, its answer, its definition.
\a

-- Door 2: the answer says CREATING and has what the service's has.
CREATE FUNCTION pg_temp.answer(operation text, request json) RETURNS text
LANGUAGE sql AS $$
	-- times, ids and clutter aside
	SELECT jsonb_pretty((dynamo.call(operation, request)::jsonb)
		#- '{TableDescription,TableId}' #- '{TableDescription,CreationDateTime}')
$$;

SELECT pg_temp.answer('CreateTable', '{
	"TableName": "Create.One",
	"AttributeDefinitions": [
		{"AttributeName": "sk", "AttributeType": "N"},
		{"AttributeName": "pk", "AttributeType": "S"},
		{"AttributeName": "a", "AttributeType": "B"}],
	"KeySchema": [
		{"AttributeName": "pk", "KeyType": "HASH"},
		{"AttributeName": "sk", "KeyType": "RANGE"}],
	"BillingMode": "PAY_PER_REQUEST",
	"LocalSecondaryIndexes": [
		{"IndexName": "local", "Projection": {"ProjectionType": "KEYS_ONLY"},
		 "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
			{"AttributeName": "a", "KeyType": "RANGE"}]}],
	"GlobalSecondaryIndexes": [
		{"IndexName": "zzz", "Projection": {"ProjectionType": "ALL"},
		 "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]},
		{"IndexName": "aaa",
		 "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["y", "x"]},
		 "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"},
			{"AttributeName": "sk", "KeyType": "HASH"},
			{"AttributeName": "pk", "KeyType": "RANGE"}]}]}');

-- Its relation: keys derived from the item, the access method, room for HOT.
SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull,
	pg_get_expr(d.adbin, d.adrelid) AS generated
FROM pg_attribute a
	LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = dynamo.relation('Create.One') AND a.attnum > 0
ORDER BY a.attnum;
SELECT am.amname, c.reloptions
FROM pg_class c JOIN pg_am am ON am.oid = c.relam
WHERE c.oid = dynamo.relation('Create.One');
SELECT pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = dynamo.relation('Create.One')
ORDER BY indexrelid;

-- Keys come from the item, and cannot be given otherwise.
INSERT INTO dynamo_data."Create.One" (item) VALUES ('{"pk": "p", "sk": 1, "b": 2}');
SELECT pk, sk FROM dynamo_data."Create.One";
INSERT INTO dynamo_data."Create.One" (pk, item) VALUES ('p', '{"pk": "q", "sk": 1}');
INSERT INTO dynamo_data."Create.One" (item) VALUES ('{"pk": "p"}');
INSERT INTO dynamo_data."Create.One" (item) VALUES ('{"pk": "p", "sk": "1"}');
INSERT INTO dynamo_data."Create.One" (item) VALUES ('{"pk": "p", "sk": 1.0}');

-- One name, one table.
SELECT dynamo.create_table('Create.One', 'pk');

-- PROVISIONED is the default; only a hash key.
SELECT pg_temp.answer('CreateTable', '{
	"TableName": "Create.Two",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"DeletionProtectionEnabled": false,
	"TableClass": "STANDARD_INFREQUENT_ACCESS",
	"SSESpecification": {"Enabled": false},
	"StreamSpecification": {"StreamEnabled": false},
	"Tags": []}');

SELECT dynamo.drop_table('Create.One'), dynamo.drop_table('Create.Two');

-- What it runs, and whatever that calls, looks names up in the system's schema.
BEGIN;
CREATE FUNCTION note_path() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '%: %', tg_tag, current_setting('search_path');
END $$;
CREATE EVENT TRIGGER note_path ON ddl_command_end EXECUTE FUNCTION note_path();
SET LOCAL search_path = public;
SELECT dynamo.create_table('Create.Path', 'pk');
SELECT dynamo.create_index('Create.Path', 'index', 'a');
ROLLBACK;
