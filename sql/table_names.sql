-- Names: up to 255 characters, case-sensitive, and none takes another's place.

-- An identifier has 63 bytes; a longer name keeps 46 and a hash.
SELECT dynamo.create_table(repeat('n', 63), 'pk');
SELECT dynamo.create_table(repeat('n', 64), 'pk');
SELECT dynamo.create_table(repeat('n', 254) || 'x', 'pk');
SELECT dynamo.create_table(repeat('n', 254) || 'y', 'pk');
SELECT left(dynamo.create_table(repeat('n', 256), 'pk')::text, 10);

-- The longest index names on the longest table name.
SELECT dynamo.create_index(repeat('n', 254) || 'x', repeat('i', 254) || 'x', 'a');
SELECT dynamo.create_index(repeat('n', 254) || 'x', repeat('i', 254) || 'y', 'a');
SELECT relname FROM pg_class
WHERE oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = dynamo.relation(repeat('n', 254) || 'x'))
ORDER BY oid;
SELECT right(i ->> 'IndexName', 2), i ->> 'IndexStatus'
FROM json_array_elements(dynamo.call('DescribeTable', json_build_object('TableName', repeat('n', 254) || 'x'))
	#> '{Table,GlobalSecondaryIndexes}') i;
-- Its definition goes with the first of the two.
SELECT format('DROP INDEX %s', min(indexrelid)::regclass) FROM pg_index
WHERE indrelid = dynamo.relation(repeat('n', 254) || 'x') AND NOT indisprimary \gexec
SELECT right(index_name, 2) FROM dynamo.indexes WHERE table_name LIKE 'nnn%';
SELECT dynamo.drop_table(repeat('n', 63)), dynamo.drop_table(repeat('n', 64)),
	dynamo.drop_table(repeat('n', 254) || 'x'), dynamo.drop_table(repeat('n', 254) || 'y');

-- Upper and lower case; what looks like a name of PostgreSQL's own making.
SELECT dynamo.create_table(name, 'pk'), dynamo.create_index(name, 'idx', 'a')
FROM unnest(ARRAY['Named', 'named', '_Named', 'Named_pkey', 'Named-idx', 'Named.idx', 'select', '...', '---']) name;
SELECT dynamo.drop_table(name)
FROM unnest(ARRAY['Named', 'named', '_Named', 'Named_pkey', 'Named-idx', 'Named.idx', 'select', '...', '---']) name;

-- Attributes may have any name: quotes, blanks, reserved words, the columns'.
SELECT dynamo.create_table('Named', 'it''s "a" \key', 'item N');
SELECT dynamo.create_index('Named', 'odd', ARRAY['pk', 'a,b', '{"', '\'], ARRAY[' ', 'a $1']);
INSERT INTO dynamo_data."Named" (item)
VALUES ('{"it''s \"a\" \\key": "k", "item": 1, "pk": "1", "a,b": "2", "{\"": "3", "\\": "4", " ": "5", "a $1": "6"}');
SELECT pk, sk FROM dynamo_data."Named";
VACUUM ANALYZE dynamo_data."Named";
SELECT reltuples FROM pg_class WHERE relname = 'Named/odd';
SELECT dynamo.drop_table('Named');

-- A relation that is no table of ours is in the way, and not touched.
CREATE TABLE dynamo_data."Named" (i int);
SELECT dynamo.create_table('Named', 'pk');
SELECT dynamo.drop_table('Named');
DROP TABLE dynamo_data."Named";
CREATE TABLE dynamo_data."Named:pkey" (i int);
SELECT dynamo.create_table('Named', 'pk');
DROP TABLE dynamo_data."Named:pkey";
CREATE TABLE dynamo_data."Named/index" (i int);
SELECT dynamo.create_table('Named', 'pk');
SELECT dynamo.create_index('Named', 'index', 'a');
DROP TABLE dynamo_data."Named/index";
SELECT dynamo.drop_table('Named');
