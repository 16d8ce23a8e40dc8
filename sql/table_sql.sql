-- The SQL functions: types in names, defaults, nulls, plain SQL beside them.

-- 'PK S' is a name and a type; a type argument settles it.
SELECT dynamo.create_table('Sql1', 'PK S', 'SK S');
SELECT dynamo.create_table('Sql2', 'PK', 'SK N');
SELECT dynamo.create_table('Sql3', 'PK', 'SK', 'B', 'N');
SELECT dynamo.create_table('Sql4', 'my key', NULL, NULL);
SELECT dynamo.create_table('Sql5', 'Size S S', 'Vitamin B', sort_key_type => 'N');
SELECT dynamo.create_table('Sql6', 'a X', 'S');
SELECT table_name, partition_key, partition_key_type, sort_key, sort_key_type
FROM dynamo.tables WHERE table_name LIKE 'Sql%' ORDER BY 1;

-- A table may be named by its ARN, as in the API.
SELECT dynamo.create_table('arn:aws:dynamodb:us-east-1:000000000000:table/Sql9', 'a');
SELECT dynamo.create_index('arn:aws:dynamodb:us-east-1:000000000000:table/Sql9', 'index', 'b');
SELECT dynamo.relation('arn:aws:dynamodb:us-east-1:000000000000:table/Sql9');
SELECT dynamo.drop_table('arn:aws:dynamodb:us-east-1:000000000000:table/Sql9');
SELECT dynamo.create_table('arn:aws:dynamodb:us-east-1:000000000000:index/Sql9', 'a');

-- What they refuse.
SELECT dynamo.create_table('Sql7', 'a', 'a');
SELECT dynamo.create_table('Sql7', 'a', partition_key_type => 'BOOL');
SELECT dynamo.create_table('Sql7', '');
SELECT dynamo.create_table('Sql 7', 'a');
SELECT dynamo.create_table(NULL, 'a');
SELECT dynamo.create_table('Sql7', NULL);
SELECT dynamo.relation('Sql7');
SELECT dynamo.relation(NULL) IS NULL AS strict;

-- An index on a PROVISIONED table takes the table's throughput.
SELECT dynamo.call('CreateTable', '{"TableName": "Sql7",
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}}') IS NOT NULL AS created;
SELECT dynamo.create_index('Sql7', 'index', 'b');
SELECT dynamo.call('DescribeTable', '{"TableName": "Sql7"}')
	#>> '{Table,GlobalSecondaryIndexes,0,ProvisionedThroughput,WriteCapacityUnits}' AS units;

-- relation() serves plain SQL, and the key is searchable by its text.
INSERT INTO dynamo_data."Sql1" (item) VALUES ('{"PK": "a", "SK": "1", "n": 1}'), ('{"PK": "a", "SK": "2", "n": 2}'), ('{"PK": "b", "SK": "1", "n": 3}');
SELECT item ->> 'n' AS n FROM dynamo_data."Sql1" WHERE pk = 'a' ORDER BY sk DESC;
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT * FROM dynamo_data."Sql1" WHERE pk = 'a' AND sk > '1';
RESET enable_seqscan;

-- Nobody's search_path bends what they make.
CREATE SCHEMA sql_path;
CREATE TYPE sql_path.text AS ENUM ('no');
SET search_path = sql_path, pg_catalog;
SELECT dynamo.create_table('Sql8', 'PK', 'SK'), dynamo.create_index('Sql8', 'index', 'b'::pg_catalog.text);
SHOW search_path;
RESET search_path;
DROP TYPE sql_path.text;
DROP SCHEMA sql_path;

SELECT dynamo.drop_table('Sql' || i) FROM generate_series(1, 8) i;
