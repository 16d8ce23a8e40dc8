-- Secondary indexes: their btrees, and which items are in them.
\a

SELECT dynamo.create_table('Indexed', 'pk', 'sk N');

-- One attribute; two; several of each.
SELECT dynamo.create_index('Indexed', 'hash', 'h');
SELECT dynamo.create_index('Indexed', 'both', 'h', 'r N', projection => 'KEYS_ONLY');
SELECT dynamo.create_index('Indexed', 'multi', ARRAY['h', 'h2 N'], ARRAY['r', 'r2'],
	sort_key_type => ARRAY['N', 'B'], projection => 'INCLUDE', non_key_attributes => ARRAY['z', 'y']);
SELECT index_name, ordinal, is_local, partition_key, partition_key_type, sort_key,
	sort_key_type, projection, non_key_attributes
FROM dynamo.indexes WHERE table_name = 'Indexed' ORDER BY ordinal;
SELECT regexp_replace(pg_get_indexdef(indexrelid), '.* USING btree', '') AS btree
FROM pg_index WHERE indrelid = dynamo.relation('Indexed') AND NOT indisprimary
ORDER BY indexrelid;

-- Sparse: what lacks an attribute, or has it with another type, is not there.
INSERT INTO dynamo_data."Indexed" (item) VALUES
	('{"pk": "p", "sk": 1}'),
	('{"pk": "p", "sk": 2, "h": "x"}'),
	('{"pk": "p", "sk": 3, "h": "x", "r": 1}'),
	('{"pk": {"S": "p"}, "sk": {"N": "4"}, "h": {"S": "x"}, "h2": {"N": "1"}, "r": {"N": "1"}, "r2": {"B": "AA=="}}');
VACUUM ANALYZE dynamo_data."Indexed";
SELECT relname, reltuples FROM pg_class
WHERE oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = dynamo.relation('Indexed'))
ORDER BY relname;

-- An index added later finds the items that are there, and skips the others.
SELECT dynamo.create_index('Indexed', 'late', 'r N');
SELECT reltuples FROM pg_class WHERE oid = 'dynamo_data."Indexed/late"'::regclass;
SELECT dynamo.create_index('Indexed', 'typed', 'r B');
SELECT dynamo.create_index('Indexed', 'typed', 'nowhere B');
SELECT reltuples FROM pg_class WHERE oid = 'dynamo_data."Indexed/typed"'::regclass;

-- REINDEX CONCURRENTLY makes another relation of the same name.
CREATE TEMP TABLE before AS SELECT 'dynamo_data."Indexed/late"'::regclass::oid;
REINDEX INDEX CONCURRENTLY dynamo_data."Indexed/late";
SELECT oid <> 'dynamo_data."Indexed/late"'::regclass AS rebuilt FROM before;
CREATE FUNCTION pg_temp.status(index text) RETURNS text LANGUAGE sql AS $$
	SELECT i ->> 'IndexStatus'
	FROM json_array_elements(dynamo.call('DescribeTable', '{"TableName": "Indexed"}')
		#> '{Table,GlobalSecondaryIndexes}') i
	WHERE i ->> 'IndexName' = index
$$;
SELECT pg_temp.status('late');

-- An index that is not valid is not read; it can still be dropped.
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'dynamo_data."Indexed/late"'::regclass;
SELECT pg_temp.status('late');
SELECT dynamo.drop_index('Indexed', 'late');
SELECT to_regclass('dynamo_data."Indexed/late"'), pg_temp.status('late');

-- Nor is one of the name that another relation has; it is left alone.
ALTER INDEX dynamo_data."Indexed/typed" RENAME TO aside;
CREATE TABLE dynamo_data.elsewhere (a int);
CREATE INDEX "Indexed/typed" ON dynamo_data.elsewhere (a);
SELECT pg_temp.status('typed');
SELECT dynamo.drop_index('Indexed', 'typed');
SELECT indrelid::regclass, indexrelid::regclass FROM pg_index WHERE indrelid = 'dynamo_data.elsewhere'::regclass;
DROP TABLE dynamo_data.elsewhere;

-- What the functions refuse.
SELECT dynamo.create_index('Indexed', 'hash', 'h');
SELECT dynamo.create_index('Indexed', 'xy', 'h');
SELECT dynamo.create_index('Indexed', 'other', 'h N');
SELECT dynamo.create_index('Indexed', 'other', 'h', projection => 'SOME');
SELECT dynamo.create_index('Indexed', 'other', 'h', projection => 'INCLUDE');
SELECT dynamo.create_index('Indexed', 'other', ARRAY['a', 'b', 'c', 'd', 'e']);
SELECT dynamo.create_index('Indexed', 'other', ARRAY['a', 'b'], ARRAY['b']);
SELECT dynamo.create_index('Indexed', 'other', ARRAY[]::text[]);
SELECT dynamo.create_index('Indexed', 'other', ARRAY['a'], partition_key_type => ARRAY['S', 'N']);
SELECT dynamo.create_index('Indexed', NULL, 'a');
SELECT dynamo.create_index('Nothing', 'other', 'a');
SELECT dynamo.drop_index('Indexed', 'none');
SELECT dynamo.drop_table('Indexed');
SELECT count(*) FROM dynamo.indexes WHERE table_name = 'Indexed';

-- Twenty global indexes, and not one more.
SELECT dynamo.create_table('Indexed', 'pk');
SELECT count(*) FROM (SELECT dynamo.create_index('Indexed', 'index' || n, 'a') FROM generate_series(1, 20) n) made;
SELECT dynamo.create_index('Indexed', 'more', 'a');
SELECT dynamo.drop_table('Indexed');
