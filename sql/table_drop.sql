-- Dropping: through the API, by plain SQL in every way, and taken back.

CREATE FUNCTION pg_temp.definitions() RETURNS TABLE (definition text)
LANGUAGE sql AS $$
	SELECT table_name || ' ' || relation::text FROM dynamo.tables
	WHERE table_name LIKE 'Dropped%'
	UNION ALL
	SELECT table_name || ' ' || index_name FROM dynamo.indexes
	WHERE table_name LIKE 'Dropped%'
	ORDER BY 1
$$;

SELECT dynamo.create_table('Dropped', 'pk', 'sk');
SELECT dynamo.create_index('Dropped', 'index', 'a');

SELECT dynamo.call('UpdateTable', '{"TableName": "Dropped", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}') IS NOT NULL AS stream;

-- The answer has no keys and no stream; then the table is gone.
SELECT json_object_keys(answer -> 'TableDescription'), answer #>> '{TableDescription,TableStatus}'
FROM dynamo.call('DeleteTable', '{"TableName": "Dropped"}') answer;
SELECT pg_temp.definitions();
SELECT dynamo.drop_table('Dropped');
SELECT to_regclass('dynamo_data."Dropped"'), to_regclass('dynamo_data."Dropped/index"');

-- A rolled back drop, and a rolled back creation.
SELECT dynamo.create_table('Dropped', 'pk', 'sk');
SELECT dynamo.create_index('Dropped', 'index', 'a');
BEGIN;
SELECT dynamo.drop_table('Dropped');
SAVEPOINT s;
SELECT dynamo.create_table('Dropped', 'other N');
SELECT pg_temp.definitions();
SELECT dynamo.call('DescribeTable', '{"TableName": "Dropped"}') #>> '{Table,KeySchema,0,AttributeName}' AS key;
ROLLBACK TO s;
SELECT dynamo.relation('Dropped');
ROLLBACK;
SELECT pg_temp.definitions();
SELECT dynamo.call('DescribeTable', '{"TableName": "Dropped"}') #>> '{Table,KeySchema,0,AttributeName}' AS key;

-- Plain SQL: the index, the table.
DROP INDEX dynamo_data."Dropped/index";
SELECT pg_temp.definitions();
SELECT dynamo.create_index('Dropped', 'index', 'a');
DROP TABLE dynamo_data."Dropped";
SELECT pg_temp.definitions();
SELECT dynamo.relation('Dropped');

-- Concurrently, an index of which the catalogs have much to say.
SELECT dynamo.create_table('Dropped', 'pk');
SELECT dynamo.create_index('Dropped', 'wide', names[1:4], names[5:8])
FROM (SELECT array_agg(left(encode(sha512(i::text::bytea), 'hex'), 60)) AS names FROM generate_series(1, 8) AS i) AS all_of_them;
DROP INDEX CONCURRENTLY dynamo_data."Dropped/wide";
SELECT pg_temp.definitions();
SELECT dynamo.drop_table('Dropped');

-- What an index needs is dropped, whatever the columns of the table are called.
SELECT dynamo.create_table('Dropped', 'pk');
CREATE FUNCTION dropped_function(dynamo.item) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 1';
CREATE INDEX "Dropped/own" ON dynamo_data."Dropped" (dropped_function(item));
ALTER TABLE dynamo_data."Dropped" RENAME item TO renamed;
SET client_min_messages = warning;
DROP FUNCTION dropped_function CASCADE;
RESET client_min_messages;
SELECT to_regclass('dynamo_data."Dropped/own"');
DROP TABLE dynamo_data."Dropped";

-- An index of the same name elsewhere is another index.
SELECT dynamo.create_table('Dropped', 'pk');
SELECT dynamo.create_index('Dropped', 'index', 'a');
CREATE TABLE elsewhere (i int);
CREATE INDEX "Dropped/index" ON elsewhere (i);
DROP TABLE elsewhere;
SELECT pg_temp.definitions();

-- With its owner.  Who does not own it cannot drop or change it.
CREATE ROLE dropped_owner;
CREATE ROLE dropped_other;
GRANT CREATE ON SCHEMA dynamo_data TO dropped_owner;
SET ROLE dropped_other;
SELECT dynamo.create_table('DroppedOther', 'pk');
SELECT dynamo.drop_table('Dropped');
SELECT dynamo.create_index('Dropped', 'mine', 'a');
SELECT dynamo.call('UpdateTable', '{"TableName": "Dropped", "DeletionProtectionEnabled": true}');
RESET ROLE;
SET ROLE dropped_owner;
SELECT dynamo.create_table('DroppedOwned', 'pk');
SELECT dynamo.create_index('DroppedOwned', 'index', 'a');
SELECT dynamo.create_table('DroppedOwned2', 'pk');
SELECT dynamo.drop_index('DroppedOwned', 'index');
SELECT dynamo.drop_table('DroppedOwned2');
RESET ROLE;
SELECT pg_temp.definitions();
DROP OWNED BY dropped_owner;
SELECT pg_temp.definitions();
DROP ROLE dropped_owner, dropped_other;

-- With a schema it was moved to.
CREATE SCHEMA dropped;
ALTER TABLE dynamo_data."Dropped" SET SCHEMA dropped;
SELECT dynamo.relation('Dropped');
SELECT dynamo.drop_index('Dropped', 'index');
SELECT dynamo.create_index('Dropped', 'index', 'a');
SELECT pg_temp.definitions();
SET client_min_messages = warning;
DROP SCHEMA dropped CASCADE;
RESET client_min_messages;
SELECT pg_temp.definitions();

-- Where event triggers do not run: drop_table() removes the definition itself.
SELECT dynamo.create_table('Dropped', 'pk');
SELECT dynamo.create_index('Dropped', 'index', 'a');
ALTER EVENT TRIGGER dynamo_relation_dropped DISABLE;
SELECT dynamo.drop_table('Dropped');
ALTER EVENT TRIGGER dynamo_relation_dropped ENABLE;
SELECT pg_temp.definitions();
