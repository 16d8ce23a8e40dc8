-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION dynamo" to load this file. \quit

-- Items live in relations of this schema, one a table.
CREATE SCHEMA dynamo_data;
COMMENT ON SCHEMA dynamo_data IS 'relations of the tables made by dynamo.create_table and CreateTable';
GRANT USAGE ON SCHEMA dynamo, dynamo_data TO PUBLIC;

--
-- Type dynamo.item
--

--
-- Types dynamo.partition_key and dynamo.sort_key
--

--
-- Table access method dynamo
--

CREATE FUNCTION dynamo.tableam_handler(internal) RETURNS table_am_handler
AS 'MODULE_PATHNAME', 'dynamo_tableam_handler'
LANGUAGE C STRICT VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dynamo.tableam_handler(internal) IS 'handler of table access method dynamo';

CREATE ACCESS METHOD dynamo TYPE TABLE HANDLER dynamo.tableam_handler;
COMMENT ON ACCESS METHOD dynamo IS
'heap with collections kept together (rows that share the first column of a primary key of two or more) and HOT updates decided by index values; see dynamo.placement and dynamo.attribute_hot';

--
-- Definitions of tables and indexes
--
-- Written by the functions below, which ask no right on these two tables;
-- pg_dump carries their rows.
--

CREATE TABLE dynamo.tables (
	table_name text COLLATE "C" NOT NULL,
	relation pg_catalog.regclass NOT NULL,
	partition_key text NOT NULL,
	partition_key_type "char" NOT NULL
		CHECK (partition_key_type IN ('S', 'N', 'B')),
	sort_key text,
	sort_key_type "char"
		CHECK (sort_key_type IN ('S', 'N', 'B')),
	table_id uuid NOT NULL,
	created_at timestamp with time zone NOT NULL,
	settings json NOT NULL,
	CONSTRAINT tables_pkey PRIMARY KEY (table_name),
	CONSTRAINT tables_relation_key UNIQUE (relation),
	CHECK ((sort_key IS NULL) = (sort_key_type IS NULL))
) USING heap;
COMMENT ON TABLE dynamo.tables IS 'the tables, one a row; written by create_table, drop_table and their like, not by hand';
COMMENT ON COLUMN dynamo.tables.table_name IS 'TableName';
COMMENT ON COLUMN dynamo.tables.relation IS 'the relation that holds its items';
COMMENT ON COLUMN dynamo.tables.partition_key IS 'name of the HASH attribute';
COMMENT ON COLUMN dynamo.tables.partition_key_type IS 'its type: S, N or B';
COMMENT ON COLUMN dynamo.tables.sort_key IS 'name of the RANGE attribute, null when there is none';
COMMENT ON COLUMN dynamo.tables.sort_key_type IS 'its type: S, N or B';
COMMENT ON COLUMN dynamo.tables.table_id IS 'TableId, new with each creation';
COMMENT ON COLUMN dynamo.tables.created_at IS 'CreationDateTime';
COMMENT ON COLUMN dynamo.tables.settings IS 'billing mode, throughput, tags and whatever else changes nothing in how items are stored';

CREATE TABLE dynamo.indexes (
	table_name text COLLATE "C" NOT NULL,
	index_name text COLLATE "C" NOT NULL,
	ordinal integer NOT NULL,
	is_local boolean NOT NULL,
	partition_key text[] NOT NULL,
	partition_key_type "char"[] NOT NULL,
	sort_key text[] NOT NULL,
	sort_key_type "char"[] NOT NULL,
	projection text NOT NULL
		CHECK (projection IN ('ALL', 'KEYS_ONLY', 'INCLUDE')),
	non_key_attributes text[],
	settings json NOT NULL,
	CONSTRAINT indexes_pkey PRIMARY KEY (table_name, index_name),
	CHECK (cardinality(partition_key) = cardinality(partition_key_type)
		AND cardinality(sort_key) = cardinality(sort_key_type))
) USING heap;
COMMENT ON TABLE dynamo.indexes IS 'the secondary indexes, one a row; written by create_index, drop_index and their like, not by hand';
COMMENT ON COLUMN dynamo.indexes.table_name IS 'the table it belongs to';
COMMENT ON COLUMN dynamo.indexes.index_name IS 'IndexName';
COMMENT ON COLUMN dynamo.indexes.ordinal IS 'its place among the indexes of the table, in order of creation';
COMMENT ON COLUMN dynamo.indexes.is_local IS 'LocalSecondaryIndex, else GlobalSecondaryIndex';
COMMENT ON COLUMN dynamo.indexes.partition_key IS 'names of the HASH attributes, 1 to 4';
COMMENT ON COLUMN dynamo.indexes.partition_key_type IS 'their types';
COMMENT ON COLUMN dynamo.indexes.sort_key IS 'names of the RANGE attributes, 0 to 4';
COMMENT ON COLUMN dynamo.indexes.sort_key_type IS 'their types';
COMMENT ON COLUMN dynamo.indexes.projection IS 'ProjectionType';
COMMENT ON COLUMN dynamo.indexes.non_key_attributes IS 'NonKeyAttributes of projection INCLUDE';
COMMENT ON COLUMN dynamo.indexes.settings IS 'throughput and the like';

SELECT pg_catalog.pg_extension_config_dump('dynamo.tables', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo.indexes', '');
GRANT SELECT ON dynamo.tables, dynamo.indexes TO PUBLIC;

CREATE FUNCTION dynamo._definition_edited() RETURNS trigger
	AS 'MODULE_PATHNAME', 'dynamo_definition_edited' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION dynamo._definition_edited() IS 'flushes cached definitions when a definition table was edited by plain SQL';
REVOKE EXECUTE ON FUNCTION dynamo._definition_edited() FROM PUBLIC;
CREATE TRIGGER definition_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.tables
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo._definition_edited();
CREATE TRIGGER definition_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.indexes
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo._definition_edited();

CREATE FUNCTION dynamo._relation_dropped() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'dynamo_relation_dropped' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION dynamo._relation_dropped() IS 'takes away the definitions of tables and indexes whose relation was dropped by plain SQL';
REVOKE EXECUTE ON FUNCTION dynamo._relation_dropped() FROM PUBLIC;
CREATE EVENT TRIGGER dynamo_relation_dropped ON sql_drop
	EXECUTE FUNCTION dynamo._relation_dropped();
COMMENT ON EVENT TRIGGER dynamo_relation_dropped IS 'keeps the definitions of dynamo true';

--
-- Tables and indexes
--

CREATE FUNCTION dynamo.create_table(table_name text, partition_key text,
	sort_key text DEFAULT NULL, partition_key_type text DEFAULT 'S',
	sort_key_type text DEFAULT 'S') RETURNS pg_catalog.regclass
	AS 'MODULE_PATHNAME', 'dynamo_create_table'
	LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.create_table(text, text, text, text, text) IS
'CreateTable, billing mode PAY_PER_REQUEST: makes a table and returns its relation in schema dynamo_data, which takes the privilege CREATE there. A table name has 3 to 255 characters of a-z, A-Z, 0-9, _ . -; a key attribute 1 to 255 bytes and the type S, N or B. The type may stand in the name, ''PK S'', as long as the type argument is left out: a name that itself ends in a blank and one of these letters is written with its type, ''Size S S''. Raises ResourceInUseException if the table exists, ValidationException for what DynamoDB refuses.';

CREATE FUNCTION dynamo.create_index(table_name text, index_name text,
	partition_key text, sort_key text DEFAULT NULL,
	partition_key_type text DEFAULT 'S', sort_key_type text DEFAULT 'S',
	projection text DEFAULT 'ALL', non_key_attributes text[] DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'dynamo_create_index'
	LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;

CREATE FUNCTION dynamo.drop_table(table_name text) RETURNS void
	AS 'MODULE_PATHNAME', 'dynamo_drop_table'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.drop_table(text) IS
'DeleteTable: drops a table with all its items and indexes, which takes its ownership. Raises ResourceNotFoundException if there is none, ValidationException if deletion protection is on.';

CREATE FUNCTION dynamo.drop_index(table_name text, index_name text)
	RETURNS void
	AS 'MODULE_PATHNAME', 'dynamo_drop_index'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dynamo.drop_index(text, text) IS
'UpdateTable with GlobalSecondaryIndexUpdates Delete: drops a global secondary index, which takes the ownership of the table. Raises ResourceNotFoundException if there is no such table or index, ValidationException for a local secondary index.';

CREATE FUNCTION dynamo.relation(table_name text)
	RETURNS pg_catalog.regclass
	AS 'MODULE_PATHNAME', 'dynamo_relation'
	LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dynamo.relation(text) IS
'the relation that holds a table''s items, for plain SQL. Raises ResourceNotFoundException if there is no such table.';

--
-- Items
--

--
-- The DynamoDB API
--
