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

--
-- Tables and indexes
--

--
-- Items
--

--
-- The DynamoDB API
--
