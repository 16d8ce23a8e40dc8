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
