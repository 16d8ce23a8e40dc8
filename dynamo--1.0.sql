-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION dynamo" to load this file. \quit

--
-- Schemas
--
-- All are made here and belong to the extension.  Where one exists there is no
-- telling what its owner has put in it, or will; then this fails.  While
-- the script runs, search_path is pg_catalog: what is not qualified is core's.
--
-- Long comments are adjacent string literals, which SQL takes for one.
--

CREATE SCHEMA dynamo;
COMMENT ON SCHEMA dynamo IS 'DynamoDB inside PostgreSQL';

-- What people do not call or read: support functions of types, operators and
-- casts, what generated columns and indexes are made of, records of streams.
CREATE SCHEMA dynamo_internal;
COMMENT ON SCHEMA dynamo_internal IS 'what schema dynamo is made of';

-- Items live in relations of this schema, one a table.
CREATE SCHEMA dynamo_data;
COMMENT ON SCHEMA dynamo_data IS
'one relation for each table made by dynamo.create_table or CreateTable';

-- A backup is a relation of this schema.
CREATE SCHEMA dynamo_backup;
COMMENT ON SCHEMA dynamo_backup IS
'one relation for each backup, see dynamo.backups';

--
-- Type dynamo.item
--
-- Operators stand in pg_catalog, so that item ->> 'name' works whatever the
-- search_path is, and none can bend it.  But there they are candidates for
-- each query, also for one like '{"a": 1}' ? 'a', whose types are not known.
-- So an operator may stand there only if it never wins, nor ties, where core
-- has a choice.  For -> and its kin core itself has two, json and jsonb, and
-- for || and = it prefers text.  For ? and - its one choice is jsonb with text
-- or text[] on the right: ours have a domain there, which loses to these.
-- #- and ?& cannot be had that way.  sql/sql_foreign.sql holds this.
--

CREATE DOMAIN dynamo_internal.attribute AS text;
COMMENT ON DOMAIN dynamo_internal.attribute IS
'name of an attribute, where an operator takes one that core has with text';
CREATE DOMAIN dynamo_internal.attributes AS text[];
COMMENT ON DOMAIN dynamo_internal.attributes IS
'names of attributes, where an operator takes them that core has with text[]';

CREATE TYPE dynamo.item;

CREATE FUNCTION dynamo_internal.item_in(cstring)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_in';
COMMENT ON FUNCTION dynamo_internal.item_in(cstring) IS
'input of type dynamo.item: typed DynamoDB JSON or plain JSON';

CREATE FUNCTION dynamo_internal.item_out(dynamo.item)
RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_out';
COMMENT ON FUNCTION dynamo_internal.item_out(dynamo.item) IS
'output of type dynamo.item: typed DynamoDB JSON';

CREATE FUNCTION dynamo_internal.item_recv(internal)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_recv';
COMMENT ON FUNCTION dynamo_internal.item_recv(internal) IS
'binary input of type dynamo.item, checked in full';

CREATE FUNCTION dynamo_internal.item_send(dynamo.item)
RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_send';
COMMENT ON FUNCTION dynamo_internal.item_send(dynamo.item) IS
'binary output of type dynamo.item: the stored form, for servers; a later '
'version may write another one, which this one does not read';

CREATE FUNCTION dynamo_internal.item_subscript(internal)
RETURNS internal
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_subscript';
COMMENT ON FUNCTION dynamo_internal.item_subscript(internal) IS
'subscripts of type dynamo.item';

CREATE TYPE dynamo.item (
	INPUT = dynamo_internal.item_in,
	OUTPUT = dynamo_internal.item_out,
	RECEIVE = dynamo_internal.item_recv,
	SEND = dynamo_internal.item_send,
	SUBSCRIPT = dynamo_internal.item_subscript,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);
COMMENT ON TYPE dynamo.item IS
'a DynamoDB item: named attributes, each of one of the ten types. Also used '
'for keys and for the values of an expression. Input is typed DynamoDB JSON '
'({"a":{"S":"x"}}), if all members are objects and one of them has one '
'member, named like a type; or else plain JSON ({"a":"x"}). Output is typed. '
'Invalid values raise ValidationException, wrong JSON types '
'SerializationException. Subscripts read and assign as those of jsonb do; a '
'set or a binary that is assigned an array or a base64 string of its kind '
'stays one. The limit of 400 KB applies when an item is stored in a table.';

--
-- Casts of dynamo.item
--

CREATE FUNCTION dynamo_internal.item(json)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_from_json';
COMMENT ON FUNCTION dynamo_internal.item(json) IS
'an item from typed DynamoDB JSON or plain JSON';

CREATE FUNCTION dynamo_internal.item(jsonb)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_from_jsonb';
COMMENT ON FUNCTION dynamo_internal.item(jsonb) IS
'an item from plain JSON: strings S, numbers N, booleans BOOL, null NULL, '
'arrays L, objects M; numbers with more than 38 digits or out of range raise '
'ValidationException';

CREATE FUNCTION dynamo.to_json(item dynamo.item)
RETURNS json
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_to_json';
COMMENT ON FUNCTION dynamo.to_json(item dynamo.item) IS
'the item as typed DynamoDB JSON, {"a":{"S":"x"}}; nothing is lost. Example: '
'SELECT dynamo.to_json(item) FROM dynamo.get_item(''Garden'', ''north'', '
'''ivy'')';

CREATE FUNCTION dynamo_internal.to_jsonb(item dynamo.item)
RETURNS jsonb
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_to_jsonb';
COMMENT ON FUNCTION dynamo_internal.to_jsonb(item dynamo.item) IS
'the item as plain JSON, {"a":"x"}: sets become arrays, binaries base64 '
'strings; an error if a string contains a NUL';

CREATE FUNCTION dynamo_internal.item_json(item dynamo.item)
RETURNS json
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_to_plain_json';
COMMENT ON FUNCTION dynamo_internal.item_json(item dynamo.item) IS
'the item as plain JSON, {"a":"x"}: sets become arrays, binaries base64 '
'strings, and what is read back from it is a list, or a string';

CREATE CAST (json AS dynamo.item)
	WITH FUNCTION dynamo_internal.item(json) AS ASSIGNMENT;
COMMENT ON CAST (json AS dynamo.item) IS
'typed DynamoDB JSON or plain JSON, told apart as in the input of the type';
CREATE CAST (jsonb AS dynamo.item)
	WITH FUNCTION dynamo_internal.item(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS dynamo.item) IS
'plain JSON, never typed: arrays become lists, strings stay strings; there '
'are no sets and no binaries in it';
CREATE CAST (dynamo.item AS jsonb)
	WITH FUNCTION dynamo_internal.to_jsonb(dynamo.item) AS ASSIGNMENT;
COMMENT ON CAST (dynamo.item AS jsonb) IS
'plain JSON. Cannot keep: sets (arrays), binaries (base64 strings). An error '
'if a string contains a NUL.';
CREATE CAST (dynamo.item AS json)
	WITH FUNCTION dynamo_internal.item_json(dynamo.item) AS ASSIGNMENT;
COMMENT ON CAST (dynamo.item AS json) IS
'plain JSON; row_to_json, to_jsonb and jsonb_agg use it. Cannot keep: sets '
'(arrays), binaries (base64 strings). dynamo.to_json keeps all.';

--
-- JSON as an argument
--
-- What is taken as an item by functions whose argument may be text or json,
-- too.  Implicit casts of these to dynamo.item itself would change queries
-- that have nothing of dynamo in them, since items have operators.
--

CREATE TYPE dynamo.item_input;

CREATE FUNCTION dynamo_internal.item_input_in(cstring)
RETURNS dynamo.item_input
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_in';
COMMENT ON FUNCTION dynamo_internal.item_input_in(cstring) IS
'input of type dynamo.item_input';

CREATE FUNCTION dynamo_internal.item_input_out(dynamo.item_input)
RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_out';
COMMENT ON FUNCTION dynamo_internal.item_input_out(dynamo.item_input) IS
'output of type dynamo.item_input: typed DynamoDB JSON';

CREATE FUNCTION dynamo_internal.item_input_recv(internal)
RETURNS dynamo.item_input
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_recv';
COMMENT ON FUNCTION dynamo_internal.item_input_recv(internal) IS
'binary input of type dynamo.item_input, checked in full';

CREATE FUNCTION dynamo_internal.item_input_send(dynamo.item_input)
RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_send';
COMMENT ON FUNCTION dynamo_internal.item_input_send(dynamo.item_input) IS
'binary output of type dynamo.item_input: the stored form';

CREATE TYPE dynamo.item_input (
	INPUT = dynamo_internal.item_input_in,
	OUTPUT = dynamo_internal.item_input_out,
	RECEIVE = dynamo_internal.item_input_recv,
	SEND = dynamo_internal.item_input_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);
COMMENT ON TYPE dynamo.item_input IS
'what functions take as an item: an item, or JSON of type text, varchar, json '
'or jsonb. Read and written as dynamo.item is';

CREATE FUNCTION dynamo_internal.item_input(text)
RETURNS dynamo.item_input
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_from_json';
COMMENT ON FUNCTION dynamo_internal.item_input(text) IS
'an item from typed DynamoDB JSON or plain JSON';

CREATE FUNCTION dynamo_internal.item_input(json)
RETURNS dynamo.item_input
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_from_json';
COMMENT ON FUNCTION dynamo_internal.item_input(json) IS
'an item from typed DynamoDB JSON or plain JSON';

CREATE FUNCTION dynamo_internal.item_input(jsonb)
RETURNS dynamo.item_input
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_from_jsonb';
COMMENT ON FUNCTION dynamo_internal.item_input(jsonb) IS
'an item from plain JSON';

CREATE CAST (text AS dynamo.item_input)
	WITH FUNCTION dynamo_internal.item_input(text) AS IMPLICIT;
COMMENT ON CAST (text AS dynamo.item_input) IS
'typed DynamoDB JSON or plain JSON, told apart as in the input of the type';
CREATE CAST (varchar AS dynamo.item_input)
	WITH FUNCTION dynamo_internal.item_input(text) AS IMPLICIT;
COMMENT ON CAST (varchar AS dynamo.item_input) IS
'typed DynamoDB JSON or plain JSON, told apart as in the input of the type';
CREATE CAST (json AS dynamo.item_input)
	WITH FUNCTION dynamo_internal.item_input(json) AS IMPLICIT;
COMMENT ON CAST (json AS dynamo.item_input) IS
'typed DynamoDB JSON or plain JSON, told apart as in the input of the type';
CREATE CAST (jsonb AS dynamo.item_input)
	WITH FUNCTION dynamo_internal.item_input(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS dynamo.item_input) IS
'plain JSON, never typed, as in the cast to dynamo.item';
CREATE CAST (dynamo.item AS dynamo.item_input)
	WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (dynamo.item AS dynamo.item_input) IS 'the same item';

CREATE TYPE dynamo.json_input;

CREATE FUNCTION dynamo_internal.json_input_in(cstring)
RETURNS dynamo.json_input
LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
AS 'textin';
COMMENT ON FUNCTION dynamo_internal.json_input_in(cstring) IS
'input of type dynamo.json_input';

CREATE FUNCTION dynamo_internal.json_input_out(dynamo.json_input)
RETURNS cstring
LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE
AS 'textout';
COMMENT ON FUNCTION dynamo_internal.json_input_out(dynamo.json_input) IS
'output of type dynamo.json_input';

CREATE FUNCTION dynamo_internal.json_input_recv(internal)
RETURNS dynamo.json_input
LANGUAGE internal STABLE STRICT PARALLEL SAFE
AS 'textrecv';
COMMENT ON FUNCTION dynamo_internal.json_input_recv(internal) IS
'binary input of type dynamo.json_input';

CREATE FUNCTION dynamo_internal.json_input_send(dynamo.json_input)
RETURNS bytea
LANGUAGE internal STABLE STRICT PARALLEL SAFE
AS 'textsend';
COMMENT ON FUNCTION dynamo_internal.json_input_send(dynamo.json_input) IS
'binary output of type dynamo.json_input';

CREATE TYPE dynamo.json_input (
	INPUT = dynamo_internal.json_input_in,
	OUTPUT = dynamo_internal.json_input_out,
	RECEIVE = dynamo_internal.json_input_recv,
	SEND = dynamo_internal.json_input_send,
	LIKE = text
);
COMMENT ON TYPE dynamo.json_input IS
'what functions take as JSON that is no item, a request for example: of type '
'text, varchar, json or jsonb. Its text, which the function reads';

CREATE CAST (text AS dynamo.json_input) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (text AS dynamo.json_input) IS 'JSON as text';
CREATE CAST (varchar AS dynamo.json_input) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (varchar AS dynamo.json_input) IS 'JSON as text';
CREATE CAST (json AS dynamo.json_input) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (json AS dynamo.json_input) IS 'JSON as text';
CREATE CAST (jsonb AS dynamo.json_input) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (jsonb AS dynamo.json_input) IS 'JSON as text';

--
-- Functions and operators of dynamo.item
--

CREATE FUNCTION dynamo.item_size(item dynamo.item)
RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_size';
COMMENT ON FUNCTION dynamo.item_size(item dynamo.item) IS
'size of the item in bytes by DynamoDB''s rules, as used for the limit of '
'409600 and for capacity units. Example: SELECT dynamo.item_size(''{"bed": '
'"north", "height": 40}'')';

CREATE FUNCTION dynamo.vector_elements(
	item dynamo.item,
	attribute text,
	dimensions integer,
	max_element real DEFAULT '1e17')
RETURNS real[]
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_elements';
COMMENT ON FUNCTION dynamo.vector_elements(
	item dynamo.item, attribute text, dimensions integer, max_element real) IS
'the vector in an attribute of the item, rounded to 32 bits; null if it is no '
'list of so many numbers. Elements beyond max_element, or its negative, '
'become that, since types of pgvector have less room: 65504 for halfvec. For '
'the expression of an HNSW index by which searches of vectors are faster. '
'Example: SELECT dynamo.vector_elements(''{"shade": [0.2, 0.9]}'', ''shade'', '
'2)';

CREATE FUNCTION dynamo.item_set(
	item dynamo.item,
	path text[],
	value jsonb,
	create_if_missing boolean DEFAULT true)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_set';
COMMENT ON FUNCTION dynamo.item_set(dynamo.item, text[], jsonb, boolean) IS
'the item with a value at a path of names and list positions, like '
'jsonb_set: a position past the end appends. If the last step is missing it '
'is created, or nothing changes, as create_if_missing says; if another is '
'missing, nothing changes. Everything else keeps its type, and so does a set '
'or a binary that is replaced by an array or a base64 string of its kind. '
'Example: SELECT dynamo.item_set(''{"kinds": {"SS": ["dark"]}, "place": '
'{"M": {"x": {"N": "1"}}}}'', ''{place,x}'', ''5'')';

CREATE FUNCTION dynamo_internal.item_field(item dynamo.item, attribute text)
RETURNS jsonb
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_field';
COMMENT ON FUNCTION dynamo_internal.item_field(
	item dynamo.item, attribute text) IS
'value of an attribute as plain JSON, null if there is none; implements ->';

CREATE FUNCTION dynamo_internal.item_field_text(
	item dynamo.item,
	attribute text)
RETURNS text
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_field_text';
COMMENT ON FUNCTION dynamo_internal.item_field_text(
	item dynamo.item, attribute text) IS
'value of an attribute as text, null if there is none or its type is NULL; '
'implements ->>';

CREATE FUNCTION dynamo_internal.item_path(item dynamo.item, path text[])
RETURNS jsonb
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_path';
COMMENT ON FUNCTION dynamo_internal.item_path(item dynamo.item, path text[]) IS
'value at a path of names and list positions (from 0; negative from the end) '
'as plain JSON, null if there is none; implements #>';

CREATE FUNCTION dynamo_internal.item_path_text(item dynamo.item, path text[])
RETURNS text
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_path_text';
COMMENT ON FUNCTION dynamo_internal.item_path_text(
	item dynamo.item, path text[]) IS
'value at a path as text, null if there is none or its type is NULL; '
'implements #>>';

CREATE FUNCTION dynamo_internal.item_exists(
	item dynamo.item,
	attribute dynamo_internal.attribute)
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_exists';
COMMENT ON FUNCTION dynamo_internal.item_exists(
	item dynamo.item, attribute dynamo_internal.attribute) IS
'does the item have an attribute with this name? implements ?';

CREATE FUNCTION dynamo_internal.item_join(dynamo.item, dynamo.item)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_join';
COMMENT ON FUNCTION dynamo_internal.item_join(dynamo.item, dynamo.item) IS
'implements ||';

CREATE FUNCTION dynamo_internal.item_without(
	item dynamo.item,
	attribute dynamo_internal.attribute)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_without';
COMMENT ON FUNCTION dynamo_internal.item_without(
	item dynamo.item, attribute dynamo_internal.attribute) IS
'implements -';

CREATE FUNCTION dynamo_internal.item_without(
	item dynamo.item,
	attributes dynamo_internal.attributes)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_without_array';
COMMENT ON FUNCTION dynamo_internal.item_without(
	item dynamo.item, attributes dynamo_internal.attributes) IS
'implements -';

CREATE FUNCTION dynamo_internal.item_contains(dynamo.item, dynamo.item)
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_contains';
COMMENT ON FUNCTION dynamo_internal.item_contains(dynamo.item, dynamo.item) IS
'implements @>';

CREATE FUNCTION dynamo_internal.item_contained(dynamo.item, dynamo.item)
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_contained';
COMMENT ON FUNCTION dynamo_internal.item_contained(dynamo.item, dynamo.item) IS
'implements <@';

CREATE FUNCTION dynamo_internal.item_eq(dynamo.item, dynamo.item)
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_eq';
COMMENT ON FUNCTION dynamo_internal.item_eq(dynamo.item, dynamo.item) IS
'implements =';

CREATE FUNCTION dynamo_internal.item_ne(dynamo.item, dynamo.item)
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_ne';
COMMENT ON FUNCTION dynamo_internal.item_ne(dynamo.item, dynamo.item) IS
'implements <>';

CREATE FUNCTION dynamo_internal.item_hash(dynamo.item)
RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_hash';
COMMENT ON FUNCTION dynamo_internal.item_hash(dynamo.item) IS
'hash of an item, for its hash operator class';

CREATE FUNCTION dynamo_internal.item_hash_extended(dynamo.item, bigint)
RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_item_hash_extended';
COMMENT ON FUNCTION dynamo_internal.item_hash_extended(dynamo.item, bigint) IS
'seeded hash of an item, for its hash operator class';

CREATE OPERATOR pg_catalog.-> (
	LEFTARG = dynamo.item, RIGHTARG = text,
	FUNCTION = dynamo_internal.item_field
);
COMMENT ON OPERATOR pg_catalog.-> (dynamo.item, text) IS
'value of an attribute as plain JSON';

CREATE OPERATOR pg_catalog.->> (
	LEFTARG = dynamo.item, RIGHTARG = text,
	FUNCTION = dynamo_internal.item_field_text
);
COMMENT ON OPERATOR pg_catalog.->> (dynamo.item, text) IS
'value of an attribute as text';

CREATE OPERATOR pg_catalog.#> (
	LEFTARG = dynamo.item, RIGHTARG = text[],
	FUNCTION = dynamo_internal.item_path
);
COMMENT ON OPERATOR pg_catalog.#> (dynamo.item, text[]) IS
'value at a path as plain JSON';

CREATE OPERATOR pg_catalog.#>> (
	LEFTARG = dynamo.item, RIGHTARG = text[],
	FUNCTION = dynamo_internal.item_path_text
);
COMMENT ON OPERATOR pg_catalog.#>> (dynamo.item, text[]) IS
'value at a path as text';

CREATE OPERATOR pg_catalog.? (
	LEFTARG = dynamo.item, RIGHTARG = dynamo_internal.attribute,
	FUNCTION = dynamo_internal.item_exists
);
COMMENT ON OPERATOR pg_catalog.? (dynamo.item, dynamo_internal.attribute) IS
'does the item have this attribute?';

CREATE OPERATOR pg_catalog.|| (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo_internal.item_join
);
COMMENT ON OPERATOR pg_catalog.|| (dynamo.item, dynamo.item) IS
'the attributes of both; where both have one, that of the right one. All keep '
'their types.';

CREATE OPERATOR pg_catalog.- (
	LEFTARG = dynamo.item, RIGHTARG = dynamo_internal.attribute,
	FUNCTION = dynamo_internal.item_without
);
COMMENT ON OPERATOR pg_catalog.- (dynamo.item, dynamo_internal.attribute) IS
'the item without this attribute';

CREATE OPERATOR pg_catalog.- (
	LEFTARG = dynamo.item, RIGHTARG = dynamo_internal.attributes,
	FUNCTION = dynamo_internal.item_without
);
COMMENT ON OPERATOR pg_catalog.- (dynamo.item, dynamo_internal.attributes) IS
'the item without these attributes';

CREATE OPERATOR pg_catalog.@> (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo_internal.item_contains,
	COMMUTATOR = OPERATOR(pg_catalog.<@),
	RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR pg_catalog.@> (dynamo.item, dynamo.item) IS
'does the left item contain the right one? As for jsonb; a set contains '
'another one, or a list, whose members it has.';

CREATE OPERATOR pg_catalog.<@ (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo_internal.item_contained,
	COMMUTATOR = OPERATOR(pg_catalog.@>),
	RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR pg_catalog.<@ (dynamo.item, dynamo.item) IS
'is the left item contained in the right one?';

CREATE OPERATOR pg_catalog.= (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo_internal.item_eq,
	COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
	RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR pg_catalog.= (dynamo.item, dynamo.item) IS
'equal as DynamoDB has it: numbers by value, sets without order, at any depth';

CREATE OPERATOR pg_catalog.<> (
	LEFTARG = dynamo.item, RIGHTARG = dynamo.item,
	FUNCTION = dynamo_internal.item_ne,
	COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (dynamo.item, dynamo.item) IS 'not equal';

CREATE OPERATOR CLASS dynamo_internal.item_hash_ops
DEFAULT FOR TYPE dynamo.item USING hash AS
	OPERATOR 1 pg_catalog.= (dynamo.item, dynamo.item),
	FUNCTION 1 dynamo_internal.item_hash(dynamo.item),
	FUNCTION 2 dynamo_internal.item_hash_extended(dynamo.item, bigint);
COMMENT ON OPERATOR CLASS dynamo_internal.item_hash_ops USING hash IS
'hash operators of dynamo.item';

--
-- Types dynamo.partition_key and dynamo.sort_key
--

CREATE TYPE dynamo.partition_key;

CREATE FUNCTION dynamo_internal.partition_key_in(cstring)
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_in';
COMMENT ON FUNCTION dynamo_internal.partition_key_in(cstring) IS
'input of type dynamo.partition_key';

CREATE FUNCTION dynamo_internal.partition_key_out(dynamo.partition_key)
RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_out';
COMMENT ON FUNCTION dynamo_internal.partition_key_out(dynamo.partition_key) IS
'output of type dynamo.partition_key';

CREATE FUNCTION dynamo_internal.partition_key_recv(internal)
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_recv';
COMMENT ON FUNCTION dynamo_internal.partition_key_recv(internal) IS
'binary input of type dynamo.partition_key';

CREATE FUNCTION dynamo_internal.partition_key_send(dynamo.partition_key)
RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_send';
COMMENT ON FUNCTION dynamo_internal.partition_key_send(dynamo.partition_key) IS
'binary output of type dynamo.partition_key: the stored form';

CREATE TYPE dynamo.partition_key (
	INPUT = dynamo_internal.partition_key_in,
	OUTPUT = dynamo_internal.partition_key_out,
	RECEIVE = dynamo_internal.partition_key_recv,
	SEND = dynamo_internal.partition_key_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = main
);
COMMENT ON TYPE dynamo.partition_key IS
'a partition key: S, N or B, at most 2048 bytes, ordered by DynamoDB''s hash, '
'then by value. In an index, several attributes can form one. A string is '
'written as it is, anything else as typed JSON: {"N":"5"}, {"B":"AA=="}, and '
'a string that begins with a brace as {"S":"{"}.';

CREATE FUNCTION dynamo_internal.partition_key(text)
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_text';
COMMENT ON FUNCTION dynamo_internal.partition_key(text) IS
'a key of type S, the text as it is';

CREATE FUNCTION dynamo_internal.partition_key(bytea)
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_bytea';
COMMENT ON FUNCTION dynamo_internal.partition_key(bytea) IS 'a key of type B';

CREATE FUNCTION dynamo_internal.partition_key(numeric)
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_numeric';
COMMENT ON FUNCTION dynamo_internal.partition_key(numeric) IS
'a key of type N';

CREATE FUNCTION dynamo_internal.partition_key(integer)
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_int4';
COMMENT ON FUNCTION dynamo_internal.partition_key(integer) IS
'a key of type N';

CREATE FUNCTION dynamo_internal.partition_key(bigint)
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_int8';
COMMENT ON FUNCTION dynamo_internal.partition_key(bigint) IS 'a key of type N';

CREATE CAST (text AS dynamo.partition_key)
	WITH FUNCTION dynamo_internal.partition_key(text) AS ASSIGNMENT;
COMMENT ON CAST (text AS dynamo.partition_key) IS 'a key of type S';
CREATE CAST (varchar AS dynamo.partition_key)
	WITH FUNCTION dynamo_internal.partition_key(text) AS ASSIGNMENT;
COMMENT ON CAST (varchar AS dynamo.partition_key) IS 'a key of type S';
CREATE CAST (bytea AS dynamo.partition_key)
	WITH FUNCTION dynamo_internal.partition_key(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS dynamo.partition_key) IS 'a key of type B';
CREATE CAST (numeric AS dynamo.partition_key)
	WITH FUNCTION dynamo_internal.partition_key(numeric) AS ASSIGNMENT;
COMMENT ON CAST (numeric AS dynamo.partition_key) IS 'a key of type N';
CREATE CAST (integer AS dynamo.partition_key)
	WITH FUNCTION dynamo_internal.partition_key(integer) AS ASSIGNMENT;
COMMENT ON CAST (integer AS dynamo.partition_key) IS 'a key of type N';
CREATE CAST (bigint AS dynamo.partition_key)
	WITH FUNCTION dynamo_internal.partition_key(bigint) AS ASSIGNMENT;
COMMENT ON CAST (bigint AS dynamo.partition_key) IS 'a key of type N';

CREATE FUNCTION dynamo_internal.partition_key_sortsupport(internal)
RETURNS void
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_sortsupport';
COMMENT ON FUNCTION dynamo_internal.partition_key_sortsupport(internal) IS
'sort support, for the btree operator class';

CREATE FUNCTION dynamo_internal.partition_key_hash(dynamo.partition_key)
RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value';
COMMENT ON FUNCTION dynamo_internal.partition_key_hash(dynamo.partition_key) IS
'hash, for the hash operator class; not DynamoDB''s';

CREATE FUNCTION dynamo_internal.partition_key_hash_extended(
	dynamo.partition_key,
	bigint)
RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value_extended';
COMMENT ON FUNCTION dynamo_internal.partition_key_hash_extended(
	dynamo.partition_key, bigint) IS
'seeded hash, for the hash operator class';

CREATE TYPE dynamo.sort_key;

CREATE FUNCTION dynamo_internal.sort_key_in(cstring)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_in';
COMMENT ON FUNCTION dynamo_internal.sort_key_in(cstring) IS
'input of type dynamo.sort_key';

CREATE FUNCTION dynamo_internal.sort_key_out(dynamo.sort_key)
RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_out';
COMMENT ON FUNCTION dynamo_internal.sort_key_out(dynamo.sort_key) IS
'output of type dynamo.sort_key';

CREATE FUNCTION dynamo_internal.sort_key_recv(internal)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_recv';
COMMENT ON FUNCTION dynamo_internal.sort_key_recv(internal) IS
'binary input of type dynamo.sort_key';

CREATE FUNCTION dynamo_internal.sort_key_send(dynamo.sort_key)
RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_send';
COMMENT ON FUNCTION dynamo_internal.sort_key_send(dynamo.sort_key) IS
'binary output of type dynamo.sort_key: the stored form';

CREATE TYPE dynamo.sort_key (
	INPUT = dynamo_internal.sort_key_in,
	OUTPUT = dynamo_internal.sort_key_out,
	RECEIVE = dynamo_internal.sort_key_recv,
	SEND = dynamo_internal.sort_key_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = main
);
COMMENT ON TYPE dynamo.sort_key IS
'a sort key: S, N or B, at most 1024 bytes; strings and binaries in byte '
'order, numbers in numeric order. A string is written as it is, anything else '
'as typed JSON: {"N":"5"}, {"B":"AA=="}, and a string that begins with a '
'brace as {"S":"{"}.';

CREATE FUNCTION dynamo_internal.sort_key(text)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_from_text';
COMMENT ON FUNCTION dynamo_internal.sort_key(text) IS
'a key of type S, the text as it is';

CREATE FUNCTION dynamo_internal.sort_key(bytea)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_from_bytea';
COMMENT ON FUNCTION dynamo_internal.sort_key(bytea) IS 'a key of type B';

CREATE FUNCTION dynamo_internal.sort_key(numeric)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_from_numeric';
COMMENT ON FUNCTION dynamo_internal.sort_key(numeric) IS 'a key of type N';

CREATE FUNCTION dynamo_internal.sort_key(integer)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_from_int4';
COMMENT ON FUNCTION dynamo_internal.sort_key(integer) IS 'a key of type N';

CREATE FUNCTION dynamo_internal.sort_key(bigint)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_from_int8';
COMMENT ON FUNCTION dynamo_internal.sort_key(bigint) IS 'a key of type N';

CREATE CAST (text AS dynamo.sort_key)
	WITH FUNCTION dynamo_internal.sort_key(text) AS ASSIGNMENT;
COMMENT ON CAST (text AS dynamo.sort_key) IS 'a key of type S';
CREATE CAST (varchar AS dynamo.sort_key)
	WITH FUNCTION dynamo_internal.sort_key(text) AS ASSIGNMENT;
COMMENT ON CAST (varchar AS dynamo.sort_key) IS 'a key of type S';
CREATE CAST (bytea AS dynamo.sort_key)
	WITH FUNCTION dynamo_internal.sort_key(bytea) AS ASSIGNMENT;
COMMENT ON CAST (bytea AS dynamo.sort_key) IS 'a key of type B';
CREATE CAST (numeric AS dynamo.sort_key)
	WITH FUNCTION dynamo_internal.sort_key(numeric) AS ASSIGNMENT;
COMMENT ON CAST (numeric AS dynamo.sort_key) IS 'a key of type N';
CREATE CAST (integer AS dynamo.sort_key)
	WITH FUNCTION dynamo_internal.sort_key(integer) AS ASSIGNMENT;
COMMENT ON CAST (integer AS dynamo.sort_key) IS 'a key of type N';
CREATE CAST (bigint AS dynamo.sort_key)
	WITH FUNCTION dynamo_internal.sort_key(bigint) AS ASSIGNMENT;
COMMENT ON CAST (bigint AS dynamo.sort_key) IS 'a key of type N';

CREATE FUNCTION dynamo_internal.sort_key_sortsupport(internal)
RETURNS void
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_sortsupport';
COMMENT ON FUNCTION dynamo_internal.sort_key_sortsupport(internal) IS
'sort support, for the btree operator class';

CREATE FUNCTION dynamo_internal.sort_key_hash(dynamo.sort_key)
RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value';
COMMENT ON FUNCTION dynamo_internal.sort_key_hash(dynamo.sort_key) IS
'hash, for the hash operator class; not DynamoDB''s';

CREATE FUNCTION dynamo_internal.sort_key_hash_extended(dynamo.sort_key, bigint)
RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value_extended';
COMMENT ON FUNCTION dynamo_internal.sort_key_hash_extended(
	dynamo.sort_key, bigint) IS
'seeded hash, for the hash operator class';

--
-- Values to compare keys with
--
-- pk = 5 and sk > o.day compare a key with a value of a type of core.  If such
-- values were cast to keys implicitly, 'a'::text = 1 would have an operator
-- wherever the extension is: both sides could become keys.  So they are cast
-- to types of their own, each with operators that take a key on one side.
-- The bytes are those of the key types, and so are the C functions.
--

CREATE TYPE dynamo_internal.partition_key_value;

CREATE FUNCTION dynamo_internal.partition_key_value_in(cstring)
RETURNS dynamo_internal.partition_key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_in';
COMMENT ON FUNCTION dynamo_internal.partition_key_value_in(cstring) IS
'input of type dynamo_internal.partition_key_value';

CREATE FUNCTION dynamo_internal.partition_key_value_out(
	dynamo_internal.partition_key_value)
RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_out';
COMMENT ON FUNCTION dynamo_internal.partition_key_value_out(
	dynamo_internal.partition_key_value) IS
'output of type dynamo_internal.partition_key_value';

CREATE FUNCTION dynamo_internal.partition_key_value_recv(internal)
RETURNS dynamo_internal.partition_key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_recv';
COMMENT ON FUNCTION dynamo_internal.partition_key_value_recv(internal) IS
'binary input of type dynamo_internal.partition_key_value';

CREATE FUNCTION dynamo_internal.partition_key_value_send(
	dynamo_internal.partition_key_value)
RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_send';
COMMENT ON FUNCTION dynamo_internal.partition_key_value_send(
	dynamo_internal.partition_key_value) IS
'binary output of type dynamo_internal.partition_key_value';

CREATE TYPE dynamo_internal.partition_key_value (
	INPUT = dynamo_internal.partition_key_value_in,
	OUTPUT = dynamo_internal.partition_key_value_out,
	RECEIVE = dynamo_internal.partition_key_value_recv,
	SEND = dynamo_internal.partition_key_value_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = main
);
COMMENT ON TYPE dynamo_internal.partition_key_value IS
'what dynamo.partition_key is compared with: text, numbers and bytea are cast '
'to it';

CREATE FUNCTION dynamo_internal.partition_key_value(text)
RETURNS dynamo_internal.partition_key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_text';
COMMENT ON FUNCTION dynamo_internal.partition_key_value(text) IS
'a value of type S';

CREATE FUNCTION dynamo_internal.partition_key_value(bytea)
RETURNS dynamo_internal.partition_key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_bytea';
COMMENT ON FUNCTION dynamo_internal.partition_key_value(bytea) IS
'a value of type B';

CREATE FUNCTION dynamo_internal.partition_key_value(numeric)
RETURNS dynamo_internal.partition_key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_numeric';
COMMENT ON FUNCTION dynamo_internal.partition_key_value(numeric) IS
'a value of type N';

CREATE FUNCTION dynamo_internal.partition_key_value(integer)
RETURNS dynamo_internal.partition_key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_int4';
COMMENT ON FUNCTION dynamo_internal.partition_key_value(integer) IS
'a value of type N';

CREATE FUNCTION dynamo_internal.partition_key_value(bigint)
RETURNS dynamo_internal.partition_key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_from_int8';
COMMENT ON FUNCTION dynamo_internal.partition_key_value(bigint) IS
'a value of type N';

CREATE CAST (text AS dynamo_internal.partition_key_value)
	WITH FUNCTION dynamo_internal.partition_key_value(text) AS IMPLICIT;
COMMENT ON CAST (text AS dynamo_internal.partition_key_value) IS
'a value of type S';
CREATE CAST (varchar AS dynamo_internal.partition_key_value)
	WITH FUNCTION dynamo_internal.partition_key_value(text) AS IMPLICIT;
COMMENT ON CAST (varchar AS dynamo_internal.partition_key_value) IS
'a value of type S';
CREATE CAST (bytea AS dynamo_internal.partition_key_value)
	WITH FUNCTION dynamo_internal.partition_key_value(bytea) AS IMPLICIT;
COMMENT ON CAST (bytea AS dynamo_internal.partition_key_value) IS
'a value of type B';
CREATE CAST (numeric AS dynamo_internal.partition_key_value)
	WITH FUNCTION dynamo_internal.partition_key_value(numeric) AS IMPLICIT;
COMMENT ON CAST (numeric AS dynamo_internal.partition_key_value) IS
'a value of type N';
CREATE CAST (integer AS dynamo_internal.partition_key_value)
	WITH FUNCTION dynamo_internal.partition_key_value(integer) AS IMPLICIT;
COMMENT ON CAST (integer AS dynamo_internal.partition_key_value) IS
'a value of type N';
CREATE CAST (bigint AS dynamo_internal.partition_key_value)
	WITH FUNCTION dynamo_internal.partition_key_value(bigint) AS IMPLICIT;
COMMENT ON CAST (bigint AS dynamo_internal.partition_key_value) IS
'a value of type N';

CREATE TYPE dynamo.key_value;

CREATE FUNCTION dynamo_internal.key_value_in(cstring)
RETURNS dynamo.key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_in';
COMMENT ON FUNCTION dynamo_internal.key_value_in(cstring) IS
'input of type dynamo.key_value';

CREATE FUNCTION dynamo_internal.key_value_out(dynamo.key_value)
RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_out';
COMMENT ON FUNCTION dynamo_internal.key_value_out(dynamo.key_value) IS
'output of type dynamo.key_value';

CREATE FUNCTION dynamo_internal.key_value_recv(internal)
RETURNS dynamo.key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_recv';
COMMENT ON FUNCTION dynamo_internal.key_value_recv(internal) IS
'binary input of type dynamo.key_value';

CREATE FUNCTION dynamo_internal.key_value_send(dynamo.key_value)
RETURNS bytea
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_send';
COMMENT ON FUNCTION dynamo_internal.key_value_send(dynamo.key_value) IS
'binary output of type dynamo.key_value';

CREATE TYPE dynamo.key_value (
	INPUT = dynamo_internal.key_value_in,
	OUTPUT = dynamo_internal.key_value_out,
	RECEIVE = dynamo_internal.key_value_recv,
	SEND = dynamo_internal.key_value_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	CATEGORY = 'S',
	PREFERRED = true,
	STORAGE = main
);
COMMENT ON TYPE dynamo.key_value IS
'the value of a key attribute: text, a number or bytea. What dynamo.sort_key '
'is compared with, and what get_item and delete_item take';

CREATE FUNCTION dynamo_internal.key_value(text)
RETURNS dynamo.key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_from_text';
COMMENT ON FUNCTION dynamo_internal.key_value(text) IS 'a value of type S';

CREATE FUNCTION dynamo_internal.key_value(bytea)
RETURNS dynamo.key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_from_bytea';
COMMENT ON FUNCTION dynamo_internal.key_value(bytea) IS 'a value of type B';

CREATE FUNCTION dynamo_internal.key_value(numeric)
RETURNS dynamo.key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_from_numeric';
COMMENT ON FUNCTION dynamo_internal.key_value(numeric) IS 'a value of type N';

CREATE FUNCTION dynamo_internal.key_value(integer)
RETURNS dynamo.key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_from_int4';
COMMENT ON FUNCTION dynamo_internal.key_value(integer) IS 'a value of type N';

CREATE FUNCTION dynamo_internal.key_value(bigint)
RETURNS dynamo.key_value
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_value_from_int8';
COMMENT ON FUNCTION dynamo_internal.key_value(bigint) IS 'a value of type N';

CREATE CAST (text AS dynamo.key_value)
	WITH FUNCTION dynamo_internal.key_value(text) AS IMPLICIT;
COMMENT ON CAST (text AS dynamo.key_value) IS 'a value of type S';
CREATE CAST (varchar AS dynamo.key_value)
	WITH FUNCTION dynamo_internal.key_value(text) AS IMPLICIT;
COMMENT ON CAST (varchar AS dynamo.key_value) IS 'a value of type S';
CREATE CAST (bytea AS dynamo.key_value)
	WITH FUNCTION dynamo_internal.key_value(bytea) AS IMPLICIT;
COMMENT ON CAST (bytea AS dynamo.key_value) IS 'a value of type B';
CREATE CAST (numeric AS dynamo.key_value)
	WITH FUNCTION dynamo_internal.key_value(numeric) AS IMPLICIT;
COMMENT ON CAST (numeric AS dynamo.key_value) IS 'a value of type N';
CREATE CAST (integer AS dynamo.key_value)
	WITH FUNCTION dynamo_internal.key_value(integer) AS IMPLICIT;
COMMENT ON CAST (integer AS dynamo.key_value) IS 'a value of type N';
CREATE CAST (bigint AS dynamo.key_value)
	WITH FUNCTION dynamo_internal.key_value(bigint) AS IMPLICIT;
COMMENT ON CAST (bigint AS dynamo.key_value) IS 'a value of type N';

CREATE FUNCTION dynamo_internal.partition_key_hash(
	dynamo_internal.partition_key_value)
RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value';
COMMENT ON FUNCTION dynamo_internal.partition_key_hash(
	dynamo_internal.partition_key_value) IS
'hash, for the hash operator family';

CREATE FUNCTION dynamo_internal.partition_key_hash_extended(
	dynamo_internal.partition_key_value,
	bigint)
RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value_extended';
COMMENT ON FUNCTION dynamo_internal.partition_key_hash_extended(
	dynamo_internal.partition_key_value, bigint) IS
'seeded hash, for the hash operator family';

CREATE FUNCTION dynamo_internal.sort_key_hash(dynamo.key_value)
RETURNS integer
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value';
COMMENT ON FUNCTION dynamo_internal.sort_key_hash(dynamo.key_value) IS
'hash, for the hash operator family';

CREATE FUNCTION dynamo_internal.sort_key_hash_extended(
	dynamo.key_value,
	bigint)
RETURNS bigint
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash_value_extended';
COMMENT ON FUNCTION dynamo_internal.sort_key_hash_extended(
	dynamo.key_value, bigint) IS
'seeded hash, for the hash operator family';

--
-- Prefixes of sort keys
--

--
-- Comparisons of keys, with keys and with values
--
-- Each pair of types has the same seven functions and six operators.  An index
-- sorts the values of an array, too; operators of two values stand in
-- dynamo_internal, or 'a'::text = 1 would find them.
--

-- Gone again when this script is done.
CREATE FUNCTION dynamo_internal.run(statement text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_run';

SELECT dynamo_internal.run(c.statement)
FROM (VALUES
	(1, 'partition_key', 'dynamo.partition_key', 'dynamo.partition_key',
		'pg_catalog'),
	(2, 'partition_key', 'dynamo.partition_key',
		'dynamo_internal.partition_key_value', 'pg_catalog'),
	(3, 'partition_key', 'dynamo_internal.partition_key_value',
		'dynamo.partition_key', 'pg_catalog'),
	(4, 'partition_key', 'dynamo_internal.partition_key_value',
		'dynamo_internal.partition_key_value', 'dynamo_internal'),
	(5, 'sort_key', 'dynamo.sort_key', 'dynamo.sort_key', 'pg_catalog'),
	(6, 'sort_key', 'dynamo.sort_key', 'dynamo.key_value', 'pg_catalog'),
	(7, 'sort_key', 'dynamo.key_value', 'dynamo.sort_key', 'pg_catalog'),
	(8, 'sort_key', 'dynamo.key_value', 'dynamo.key_value',
		'dynamo_internal'))
	AS p(pair, name, l, r, home),
	(VALUES
	(1, 'eq', '=', 'equal', '=', '<>', 'eq'),
	(2, 'ne', '<>', 'not equal', '<>', '=', 'neq'),
	(3, 'lt', '<', 'less than', '>', '>=', 'scalarlt'),
	(4, 'le', '<=', 'less than or equal', '>=', '>', 'scalarle'),
	(5, 'gt', '>', 'greater than', '<', '<=', 'scalargt'),
	(6, 'ge', '>=', 'greater than or equal', '<=', '<', 'scalarge'),
	(7, 'cmp', NULL, NULL, NULL, NULL, NULL))
	AS o(sort, f, sign, meaning, commutator, negator, estimate),
	LATERAL (VALUES
	(1, pg_catalog.format(
		'CREATE FUNCTION dynamo_internal.%s_%s(%s, %s) RETURNS %s '
		'LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE '
		'AS ''MODULE_PATHNAME'', ''dynamo_key_%2$s''',
		p.name, o.f, p.l, p.r,
		CASE o.f WHEN 'cmp' THEN 'integer' ELSE 'boolean' END)),
	(2, pg_catalog.format(
		'COMMENT ON FUNCTION dynamo_internal.%s_%s(%s, %s) IS %L',
		p.name, o.f, p.l, p.r,
		CASE o.f WHEN 'cmp'
			THEN 'less, equal, greater: -1, 0, 1 in sign; for the btree '
				'operator ' || CASE WHEN p.pair IN (1, 5)
				THEN 'class' ELSE 'family' END
			ELSE 'implements ' || o.sign
		END)),
	(3, pg_catalog.format(
		'CREATE OPERATOR %1$s.%2$s (LEFTARG = %3$s, RIGHTARG = %4$s, '
		'FUNCTION = dynamo_internal.%5$s_%6$s, '
		'COMMUTATOR = OPERATOR(%1$s.%7$s), NEGATOR = OPERATOR(%1$s.%8$s), '
		'RESTRICT = %9$ssel, JOIN = %9$sjoinsel %10$s)',
		p.home, o.sign, p.l, p.r, p.name, o.f, o.commutator, o.negator,
		o.estimate,
		CASE WHEN o.f = 'eq' AND p.pair IN (1, 5) THEN ', HASHES, MERGES'
			WHEN o.f = 'eq' THEN ', HASHES'
		END)),
	(4, pg_catalog.format('COMMENT ON OPERATOR %s.%s (%s, %s) IS %L',
		p.home, o.sign, p.l, p.r, o.meaning)))
	AS c(step, statement)
WHERE c.step <= 2 OR o.sign IS NOT NULL
ORDER BY p.pair, o.sort, c.step;

CREATE OPERATOR CLASS dynamo_internal.partition_key_ops
DEFAULT FOR TYPE dynamo.partition_key USING btree AS
	OPERATOR 1 pg_catalog.< (dynamo.partition_key, dynamo.partition_key),
	OPERATOR 2 pg_catalog.<= (dynamo.partition_key, dynamo.partition_key),
	OPERATOR 3 pg_catalog.= (dynamo.partition_key, dynamo.partition_key),
	OPERATOR 4 pg_catalog.>= (dynamo.partition_key, dynamo.partition_key),
	OPERATOR 5 pg_catalog.> (dynamo.partition_key, dynamo.partition_key),
	FUNCTION 1 dynamo_internal.partition_key_cmp(
		dynamo.partition_key, dynamo.partition_key),
	FUNCTION 2 dynamo_internal.partition_key_sortsupport(internal),
	FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR CLASS dynamo_internal.partition_key_ops USING btree IS
'btree operators of dynamo.partition_key';

CREATE OPERATOR CLASS dynamo_internal.partition_key_hash_ops
DEFAULT FOR TYPE dynamo.partition_key USING hash AS
	OPERATOR 1 pg_catalog.= (dynamo.partition_key, dynamo.partition_key),
	FUNCTION 1 dynamo_internal.partition_key_hash(dynamo.partition_key),
	FUNCTION 2 dynamo_internal.partition_key_hash_extended(
		dynamo.partition_key, bigint);
COMMENT ON OPERATOR CLASS dynamo_internal.partition_key_hash_ops USING hash IS
'hash operators of dynamo.partition_key';

CREATE OPERATOR CLASS dynamo_internal.sort_key_ops
DEFAULT FOR TYPE dynamo.sort_key USING btree AS
	OPERATOR 1 pg_catalog.< (dynamo.sort_key, dynamo.sort_key),
	OPERATOR 2 pg_catalog.<= (dynamo.sort_key, dynamo.sort_key),
	OPERATOR 3 pg_catalog.= (dynamo.sort_key, dynamo.sort_key),
	OPERATOR 4 pg_catalog.>= (dynamo.sort_key, dynamo.sort_key),
	OPERATOR 5 pg_catalog.> (dynamo.sort_key, dynamo.sort_key),
	FUNCTION 1 dynamo_internal.sort_key_cmp(dynamo.sort_key, dynamo.sort_key),
	FUNCTION 2 dynamo_internal.sort_key_sortsupport(internal),
	FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR CLASS dynamo_internal.sort_key_ops USING btree IS
'btree operators of dynamo.sort_key';

CREATE OPERATOR CLASS dynamo_internal.sort_key_hash_ops
DEFAULT FOR TYPE dynamo.sort_key USING hash AS
	OPERATOR 1 pg_catalog.= (dynamo.sort_key, dynamo.sort_key),
	FUNCTION 1 dynamo_internal.sort_key_hash(dynamo.sort_key),
	FUNCTION 2 dynamo_internal.sort_key_hash_extended(dynamo.sort_key, bigint);
COMMENT ON OPERATOR CLASS dynamo_internal.sort_key_hash_ops USING hash IS
'hash operators of dynamo.sort_key';

SELECT dynamo_internal.run(c.statement)
FROM (VALUES
	('partition_key', 'dynamo.partition_key',
		'dynamo_internal.partition_key_value'),
	('sort_key', 'dynamo.sort_key', 'dynamo.key_value'))
	AS t(name, key, value),
	LATERAL (VALUES (t.key, t.value, 'pg_catalog'),
		(t.value, t.key, 'pg_catalog'), (t.value, t.value, 'dynamo_internal'))
	AS p(l, r, home),
	LATERAL (VALUES
	(pg_catalog.format(
		'ALTER OPERATOR FAMILY dynamo_internal.%1$s_ops USING btree ADD '
		'OPERATOR 1 %4$s.< (%2$s, %3$s), OPERATOR 2 %4$s.<= (%2$s, %3$s), '
		'OPERATOR 3 %4$s.= (%2$s, %3$s), OPERATOR 4 %4$s.>= (%2$s, %3$s), '
		'OPERATOR 5 %4$s.> (%2$s, %3$s), '
		'FUNCTION 1 (%2$s, %3$s) dynamo_internal.%1$s_cmp(%2$s, %3$s)',
		t.name, p.l, p.r, p.home)),
	(pg_catalog.format(
		'ALTER OPERATOR FAMILY dynamo_internal.%1$s_hash_ops USING hash ADD '
		'OPERATOR 1 %4$s.= (%2$s, %3$s)',
		t.name, p.l, p.r, p.home)
	|| CASE p.l WHEN p.r THEN pg_catalog.format(
		', FUNCTION 1 (%2$s, %2$s) dynamo_internal.%1$s_hash(%2$s), '
		'FUNCTION 2 (%2$s, %2$s) '
		'dynamo_internal.%1$s_hash_extended(%2$s, bigint)', t.name, p.l)
		ELSE '' END))
	AS c(statement);

CREATE FUNCTION dynamo_internal.sort_key_after(prefix text)
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_after';
COMMENT ON FUNCTION dynamo_internal.sort_key_after(prefix text) IS
'the smallest sort key greater than all strings that begin with prefix; an '
'upper bound only, not a value';

CREATE FUNCTION dynamo.begins_with(sort_key dynamo.sort_key, prefix text)
RETURNS boolean
LANGUAGE sql IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
RETURN $1 OPERATOR(pg_catalog.>=) dynamo_internal.sort_key($2)
   AND $1 OPERATOR(pg_catalog.<) dynamo_internal.sort_key_after($2);
COMMENT ON FUNCTION dynamo.begins_with(
	sort_key dynamo.sort_key, prefix text) IS
'is the sort key a string that begins with prefix? Can use an index on the '
'sort key. Example: SELECT item->>''plant'' AS plant FROM '
'dynamo_data."Garden" WHERE pk = ''north'' AND dynamo.begins_with(sk, ''i'')';

--
-- Keys of items: what the columns of a table and of its indexes are made of
--
-- Those of indexes, as the comparison of keys above, are LEAKPROOF: under
-- row-level security no other condition is looked up in an index.
--

CREATE FUNCTION dynamo_internal.partition_key(
	item dynamo.item,
	attribute text,
	type "char")
RETURNS dynamo.partition_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_partition_key_of_item';
COMMENT ON FUNCTION dynamo_internal.partition_key(
	item dynamo.item, attribute text, type "char") IS
'the partition key of an item of a table: the value of this attribute, which '
'must have this type (S, N or B). Raises ValidationException like PutItem: if '
'the attribute is missing, empty, of another type or longer than 2048 bytes, '
'or the item is larger than 409600 bytes.';

CREATE FUNCTION dynamo_internal.sort_key(
	item dynamo.item,
	attribute text,
	type "char")
RETURNS dynamo.sort_key
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_sort_key_of_item';
COMMENT ON FUNCTION dynamo_internal.sort_key(
	item dynamo.item, attribute text, type "char") IS
'the sort key of an item of a table: the value of this attribute, which must '
'have this type (S, N or B). Raises ValidationException like PutItem: if the '
'attribute is missing, empty, of another type or longer than 1024 bytes.';

CREATE FUNCTION dynamo_internal.index_partition_hash(
	item dynamo.item,
	attribute text,
	type "char")
RETURNS integer
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_index_partition_hash';
COMMENT ON FUNCTION dynamo_internal.index_partition_hash(
	item dynamo.item, attribute text, type "char") IS
'hash of the partition key of an item in an index: orders partitions as '
'DynamoDB does; null if the item has no key of this type, so it is not in the '
'index';

CREATE FUNCTION dynamo_internal.index_partition_hash(
	item dynamo.item,
	attributes text[],
	types "char"[])
RETURNS integer
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_index_partition_hash_array';
COMMENT ON FUNCTION dynamo_internal.index_partition_hash(
	item dynamo.item, attributes text[], types "char"[]) IS
'hash of the partition key of an item in an index where several attributes '
'form it (1 to 4, each with a type); null if one is missing or of another '
'type';

CREATE FUNCTION dynamo_internal.index_sort_key(
	item dynamo.item,
	attribute text,
	type "char")
RETURNS bytea
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_index_sort_key';
COMMENT ON FUNCTION dynamo_internal.index_sort_key(
	item dynamo.item, attribute text, type "char") IS
'the sort key of an item in an index, as bytes that sort as its values do; '
'null if it has none of this type, so the item is not in the index';

CREATE FUNCTION dynamo_internal.key_hash(
	item dynamo.item,
	VARIADIC attributes text[])
RETURNS integer
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_key_hash';
COMMENT ON FUNCTION dynamo_internal.key_hash(
	item dynamo.item, VARIADIC attributes text[]) IS
'hash of the primary key of an item, its 1 or 2 attributes named; orders '
'equal keys of an index as DynamoDB does';

CREATE FUNCTION dynamo_internal.leading_key_like(
	item dynamo.item, attribute text, patterns text[])
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_leading_key_like';
COMMENT ON FUNCTION dynamo_internal.leading_key_like(
	item dynamo.item, attribute text, patterns text[]) IS
'whether the key attribute of an item is like one of the patterns, in which * '
'is any text and ? any character; for row-level security '
'(dynamo.grant_leading_keys)';

CREATE FUNCTION dynamo_internal.expiry(item dynamo.item, attribute text)
RETURNS bigint
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_expiry';
COMMENT ON FUNCTION dynamo_internal.expiry(item dynamo.item, attribute text) IS
'when an item expires, in seconds since 1970: the number in this top-level '
'attribute, rounded down, and limited to the range of bigint; null unless it '
'is of type N';

--
-- Expressions
--

CREATE FUNCTION dynamo.matches(
	item dynamo.item,
	condition_expression text,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL)
RETURNS boolean
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_matches';
COMMENT ON FUNCTION dynamo.matches(
	dynamo.item, text, dynamo.item_input, dynamo.json_input) IS
'does the item meet the condition? For items that are in no table of dynamo, '
'or not yet: a column of type dynamo.item or jsonb in a CHECK constraint, a '
'trigger, a policy, a filter of a consumer. condition_expression is as in a '
'ConditionExpression or FilterExpression, at most 4096 bytes and 300 '
'operators; values as {":v": ...}, names as {"#n": "name"}; a NULL item '
'counts as missing; ValidationException for a bad expression. Example: '
'SELECT dynamo.matches(''{"height": 40, "kinds": {"dark": true}}'', ''height '
'> :h AND kinds.dark = :t'', ''{":h": 30, ":t": true}'')';

CREATE FUNCTION dynamo.project(
	item dynamo.item,
	projection_expression text,
	expression_attribute_names dynamo.json_input DEFAULT NULL)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_project';
COMMENT ON FUNCTION dynamo.project(dynamo.item, text, dynamo.json_input) IS
'the named parts of the item, at their places: to show a client, a view or a '
'log no more of an item than it needs. projection_expression is as in '
'GetItem, at most 4096 bytes, paths of at most 32 elements; names as {"#n": '
'"name"}; ValidationException for a bad expression. Example: SELECT '
'dynamo.project(''{"bed": "north", "place": {"x": 1, "y": 2}, "seen": [7, 8, '
'9]}'', ''place.x, seen[1]'')';

CREATE FUNCTION dynamo.apply_update(
	item dynamo.item,
	update_expression text,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL)
RETURNS dynamo.item
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_apply_update';
COMMENT ON FUNCTION dynamo.apply_update(
	dynamo.item, text, dynamo.item_input, dynamo.json_input) IS
'the item after the update, which is stored nowhere: to see what UpdateItem '
'would do, or to change items in plain SQL, many at once, UPDATE ... SET '
'item = dynamo.apply_update(item, ...). update_expression is as in '
'UpdateItem, at most 4096 bytes and 300 operators; values as {":v": ...}, '
'names as {"#n": "name"}; a NULL item counts as missing; the result is NULL '
'if the update does not create the item; ValidationException for a bad '
'expression, an invalid path, a wrong type or a result over 400 KB. Example: '
'SELECT dynamo.apply_update(''{"bed": "north", "height": 40}'', ''SET height '
'= height + :n REMOVE bed'', ''{":n": 2}'')';

--
-- Table access method dynamo
--

CREATE FUNCTION dynamo_internal.tableam_handler(internal)
RETURNS table_am_handler
LANGUAGE C VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_tableam_handler_1';
COMMENT ON FUNCTION dynamo_internal.tableam_handler(internal) IS
'handler of table access method dynamo';

CREATE ACCESS METHOD dynamo TYPE TABLE HANDLER dynamo_internal.tableam_handler;
COMMENT ON ACCESS METHOD dynamo IS
'heap, but rows that share the first column of a primary key of two or more '
'columns are kept together, and an update is HOT if no index entry changes; '
'see dynamo.placement and dynamo.attribute_hot';

--
-- Index access method dynamo_vector
--

CREATE TYPE dynamo_internal.vector_entry;

CREATE FUNCTION dynamo_internal.vector_entry_in(cstring)
RETURNS dynamo_internal.vector_entry
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_entry_in';
COMMENT ON FUNCTION dynamo_internal.vector_entry_in(cstring) IS
'input of type dynamo_internal.vector_entry: an error';

CREATE FUNCTION dynamo_internal.vector_entry_out(dynamo_internal.vector_entry)
RETURNS cstring
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_entry_out';
COMMENT ON FUNCTION dynamo_internal.vector_entry_out(
	dynamo_internal.vector_entry) IS
'output of type dynamo_internal.vector_entry';

CREATE TYPE dynamo_internal.vector_entry (
	INPUT = dynamo_internal.vector_entry_in,
	OUTPUT = dynamo_internal.vector_entry_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = plain
);
COMMENT ON TYPE dynamo_internal.vector_entry IS
'what a vector index keeps of an item: the elements of its vector, rounded to '
'32 bits, and a hash of each attribute of the SearchSchema';

CREATE FUNCTION dynamo_internal.vector_entry(
	item dynamo.item,
	vector text,
	dimensions integer,
	attributes text[],
	types "char"[],
	hashed boolean)
RETURNS dynamo_internal.vector_entry
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_entry';
COMMENT ON FUNCTION dynamo_internal.vector_entry(
	item dynamo.item, vector text, dimensions integer, attributes text[],
	types "char"[], hashed boolean) IS
'what an index keeps of an item whose attribute "vector" is a list of so many '
'(1 to 4096) numbers; null if it is none, or if one of the attributes of the '
'SearchSchema (19 at most, with their types; the first is the HASH attribute '
'if "hashed") does not fit, so the item is not in the index';

CREATE FUNCTION dynamo_internal.vector_handler(internal)
RETURNS index_am_handler
LANGUAGE C VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_handler_1';
COMMENT ON FUNCTION dynamo_internal.vector_handler(internal) IS
'handler of index access method dynamo_vector';

CREATE ACCESS METHOD dynamo_vector TYPE INDEX
	HANDLER dynamo_internal.vector_handler;
COMMENT ON ACCESS METHOD dynamo_vector IS
'vectors of items side by side, for the searches of vector indexes; no query '
'is planned with it';

CREATE OPERATOR CLASS dynamo_internal.vector_entry_ops
	DEFAULT FOR TYPE dynamo_internal.vector_entry USING dynamo_vector AS
	STORAGE dynamo_internal.vector_entry;
COMMENT ON OPERATOR CLASS dynamo_internal.vector_entry_ops
	USING dynamo_vector IS
'entries of vector indexes: there are no operators on them';
COMMENT ON OPERATOR FAMILY dynamo_internal.vector_entry_ops
	USING dynamo_vector IS
'entries of vector indexes';

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
	ttl_attribute text,
	building text[],
	CONSTRAINT tables_pkey PRIMARY KEY (table_name),
	CONSTRAINT tables_relation_key UNIQUE (relation),
	CHECK ((sort_key IS NULL) = (sort_key_type IS NULL))
) USING heap;
COMMENT ON TABLE dynamo.tables IS
'tables, one row each; written by create_table, drop_table and the like, not '
'by hand';
COMMENT ON COLUMN dynamo.tables.table_name IS 'TableName';
COMMENT ON COLUMN dynamo.tables.relation IS
'the relation that holds its items';
COMMENT ON COLUMN dynamo.tables.partition_key IS 'name of the HASH attribute';
COMMENT ON COLUMN dynamo.tables.partition_key_type IS 'its type: S, N or B';
COMMENT ON COLUMN dynamo.tables.sort_key IS
'name of the RANGE attribute, null if there is none';
COMMENT ON COLUMN dynamo.tables.sort_key_type IS 'its type: S, N or B';
COMMENT ON COLUMN dynamo.tables.table_id IS 'TableId, new with each creation';
COMMENT ON COLUMN dynamo.tables.created_at IS 'CreationDateTime';
COMMENT ON COLUMN dynamo.tables.settings IS
'billing mode, throughput, tags and other things that do not affect how items '
'are stored';
COMMENT ON COLUMN dynamo.tables.ttl_attribute IS
'the attribute that says when an item expires, null if time to live is off';
COMMENT ON COLUMN dynamo.tables.building IS
'names of indexes that a background worker has to build or clear away';

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
	vector_attribute text,
	dimensions integer CHECK (dimensions BETWEEN 1 AND 4096),
	distance_function text
		CHECK (distance_function IN ('COSINE', 'DOT_PRODUCT', 'EUCLIDEAN')),
	CONSTRAINT indexes_pkey PRIMARY KEY (table_name, index_name),
	CHECK (cardinality(partition_key) BETWEEN 0 AND 4
		AND cardinality(sort_key) BETWEEN 0 AND 18
		AND cardinality(partition_key) = cardinality(partition_key_type)
		AND cardinality(sort_key) = cardinality(sort_key_type)
		AND partition_key_type || sort_key_type <@ '{S,N,B}'),
	CONSTRAINT indexes_vector_check CHECK (
		CASE WHEN vector_attribute IS NULL
		THEN cardinality(partition_key) >= 1 AND cardinality(sort_key) <= 4
			AND dimensions IS NULL AND distance_function IS NULL
		ELSE cardinality(partition_key) <= 1 AND NOT is_local
			AND dimensions IS NOT NULL AND distance_function IS NOT NULL END)
) USING heap;
COMMENT ON TABLE dynamo.indexes IS
'secondary indexes and vector indexes, one row each; written by create_index, '
'drop_index and the like, not by hand';
COMMENT ON COLUMN dynamo.indexes.table_name IS 'the table it belongs to';
COMMENT ON COLUMN dynamo.indexes.index_name IS 'IndexName';
COMMENT ON COLUMN dynamo.indexes.ordinal IS
'position among the indexes of the table, in order of creation';
COMMENT ON COLUMN dynamo.indexes.is_local IS
'LocalSecondaryIndex, else GlobalSecondaryIndex';
COMMENT ON COLUMN dynamo.indexes.partition_key IS
'names of the HASH attributes, 1 to 4; of a vector index none or 1';
COMMENT ON COLUMN dynamo.indexes.partition_key_type IS 'their types';
COMMENT ON COLUMN dynamo.indexes.sort_key IS
'names of the RANGE attributes, 0 to 4; of a vector index those of the '
'INLINE_FILTER attributes, 0 to 18';
COMMENT ON COLUMN dynamo.indexes.sort_key_type IS 'their types';
COMMENT ON COLUMN dynamo.indexes.projection IS 'ProjectionType';
COMMENT ON COLUMN dynamo.indexes.non_key_attributes IS
'NonKeyAttributes of projection INCLUDE';
COMMENT ON COLUMN dynamo.indexes.settings IS 'throughput and the like';
COMMENT ON COLUMN dynamo.indexes.vector_attribute IS
'name of the VectorAttribute of a vector index, null for others';
COMMENT ON COLUMN dynamo.indexes.dimensions IS
'how many numbers its vectors have';
COMMENT ON COLUMN dynamo.indexes.distance_function IS
'DistanceFunction: COSINE, DOT_PRODUCT or EUCLIDEAN';

SELECT pg_catalog.pg_extension_config_dump('dynamo.tables', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo.indexes', '');

-- Each role sees the tables that it may use.
CREATE FUNCTION dynamo_internal.may_use(relation pg_catalog.regclass)
RETURNS pg_catalog.bool
LANGUAGE C STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_may_use';
COMMENT ON FUNCTION dynamo_internal.may_use(pg_catalog.regclass) IS
'may the current user see the definition of the table behind the relation? '
'True for its owner, and with SELECT, INSERT, UPDATE or DELETE on it or on a '
'column';
ALTER TABLE dynamo.tables ENABLE ROW LEVEL SECURITY;
ALTER TABLE dynamo.indexes ENABLE ROW LEVEL SECURITY;
CREATE POLICY may_use ON dynamo.tables FOR SELECT
	USING (dynamo_internal.may_use(relation));
CREATE POLICY may_use ON dynamo.indexes FOR SELECT
	USING (EXISTS (
		SELECT FROM dynamo.tables AS t
		WHERE t.table_name OPERATOR(pg_catalog.=) indexes.table_name));
COMMENT ON POLICY may_use ON dynamo.tables IS
'shows definitions to roles that may use the table';
COMMENT ON POLICY may_use ON dynamo.indexes IS
'shows definitions to roles that may use the table';

CREATE FUNCTION dynamo_internal.definition_edited()
RETURNS trigger
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_definition_edited';
COMMENT ON FUNCTION dynamo_internal.definition_edited() IS
'flushes cached definitions when plain SQL edits a definition table';
REVOKE EXECUTE ON FUNCTION dynamo_internal.definition_edited() FROM PUBLIC;
CREATE TRIGGER definition_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.tables
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.definition_edited();
CREATE TRIGGER definition_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.indexes
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.definition_edited();

-- How definitions of distributed tables reach all nodes
-- (src/shard/README.md)
CREATE TABLE dynamo_internal.nodes (
	taken integer NOT NULL
) USING heap;
COMMENT ON TABLE dynamo_internal.nodes IS
'one row, which each node of a Citus cluster has a copy of: an UPDATE runs '
'take_definition() on all nodes';
COMMENT ON COLUMN dynamo_internal.nodes.taken IS 'means nothing';
INSERT INTO dynamo_internal.nodes VALUES (0);

-- Whom the coordinator has sent all of it (src/shard/shard_join.c)
CREATE TABLE dynamo_internal.known_nodes (
	node integer NOT NULL,
	placement bigint,
	told boolean NOT NULL,
	since timestamp with time zone NOT NULL,
	tried_at timestamp with time zone NOT NULL,
	failure text,
	version pg_catalog.xid,
	CONSTRAINT known_nodes_pkey PRIMARY KEY (node)
) USING heap;
COMMENT ON TABLE dynamo_internal.known_nodes IS
'nodes of a Citus cluster that maintenance on the coordinator has sent '
'definitions, access keys and policies, or has tried to';
COMMENT ON COLUMN dynamo_internal.known_nodes.node IS
'the node, by nodeid of pg_dist_node';
COMMENT ON COLUMN dynamo_internal.known_nodes.placement IS
'its copy of dynamo_internal.nodes, by placementid of pg_dist_placement; '
'another copy is to be told again. Null: it has none';
COMMENT ON COLUMN dynamo_internal.known_nodes.told IS
'whether it has been sent everything';
COMMENT ON COLUMN dynamo_internal.known_nodes.since IS
'when that was first tried';
COMMENT ON COLUMN dynamo_internal.known_nodes.tried_at IS
'when it was last tried';
COMMENT ON COLUMN dynamo_internal.known_nodes.failure IS
'why it failed, null if it did not';
COMMENT ON COLUMN dynamo_internal.known_nodes.version IS
'of its row of pg_dist_node, which Citus writes when it makes the relations '
'of distributed tables anew there; another one is to be told again';

-- Immutable it is not, but Citus runs nothing else where the row is.
CREATE FUNCTION dynamo_internal.take_definition(
	taken integer,
	table_name text,
	definition text,
	indexes text,
	streams text,
	stream_shards text)
RETURNS integer
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_take_definition';
COMMENT ON FUNCTION dynamo_internal.take_definition(
	integer, text, text, text, text, text) IS
'gives this node the definition of a distributed table: a row of '
'dynamo.tables (null: the table is gone), an array of rows of dynamo.indexes, '
'one of rows of dynamo.streams, and, as JSON, the shards of the stream and '
'policies, as text. For the owner of the relation; for roles that distribute '
'tables';
REVOKE EXECUTE ON FUNCTION dynamo_internal.take_definition(
	integer, text, text, text, text, text) FROM PUBLIC;

CREATE FUNCTION dynamo_internal.take_row(
	taken integer,
	origin integer,
	table_name text,
	key text[],
	content text)
RETURNS integer
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_take_row';
COMMENT ON FUNCTION dynamo_internal.take_row(
	integer, integer, text, text[], text) IS
'gives this node a row of dynamo.access_keys, role_policies or '
'resource_policies, as text, in place of the one with this key (null: the row '
'is gone), unless it comes from this group of nodes. For superusers';
REVOKE EXECUTE ON FUNCTION dynamo_internal.take_row(
	integer, integer, text, text[], text) FROM PUBLIC;

CREATE FUNCTION dynamo_internal.shard_sizes(table_name text, indexes text[])
RETURNS pg_catalog.float8[]
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_shard_sizes';
COMMENT ON FUNCTION dynamo_internal.shard_sizes(text, text[]) IS
'estimated bytes and entries of the shards of a distributed table that are on '
'this node, then the same of each of these indexes; null if somebody has '
'locked one of the shards. Other nodes ask for DescribeTable.';
REVOKE EXECUTE ON FUNCTION dynamo_internal.shard_sizes(text, text[])
	FROM PUBLIC;

CREATE FUNCTION dynamo_internal.hold_commits(taken integer)
RETURNS integer
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_hold_commits';
COMMENT ON FUNCTION dynamo_internal.hold_commits(integer) IS
'keeps this node from committing transactions of several nodes, to the end '
'of the transaction. For a backup of a distributed table, which all nodes '
'have at one moment';
REVOKE EXECUTE ON FUNCTION dynamo_internal.hold_commits(integer) FROM PUBLIC;

CREATE FUNCTION dynamo_internal.read_items(
	table_name text,
	keys bytea[],
	known bigint[])
RETURNS bytea[]
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_read_items';
COMMENT ON FUNCTION dynamo_internal.read_items(text, bytea[], bigint[]) IS
'reads items of a distributed table that are on this node, by their keys, for '
'reading items of several nodes as of one moment. Gives the version of each, '
'and the item if that is not the known one; null where a transaction that is '
'prepared has changed it, or where it is on another node.';

CREATE FUNCTION dynamo_internal.exchange_throughput(
	told pg_catalog.float8[])
RETURNS pg_catalog.float8[]
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_exchange_throughput';
COMMENT ON FUNCTION dynamo_internal.exchange_throughput(pg_catalog.float8[]) IS
'tells this node what the nodes of a cluster have taken of the throughput of '
'distributed tables, and gives what this one has taken since the last call. '
'The coordinator calls it on all nodes each second, where '
'dynamo.enforce_throughput is on';
REVOKE EXECUTE ON FUNCTION dynamo_internal.exchange_throughput(
	pg_catalog.float8[]) FROM PUBLIC;

CREATE FUNCTION dynamo_internal.await_prepared(relation text)
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_await_prepared';
COMMENT ON FUNCTION dynamo_internal.await_prepared(text) IS
'waits until the transactions of Citus that are prepared on this node now, by '
'roles that may write this relation, are not any more; false if that takes '
'longer than five seconds. For reading items of several nodes as of one '
'moment.';

CREATE FUNCTION dynamo_internal.relation_dropped()
RETURNS event_trigger
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_relation_dropped';
COMMENT ON FUNCTION dynamo_internal.relation_dropped() IS
'removes the definitions of tables and indexes when plain SQL drops their '
'relation';
REVOKE EXECUTE ON FUNCTION dynamo_internal.relation_dropped() FROM PUBLIC;
CREATE EVENT TRIGGER dynamo_relation_dropped ON sql_drop
	EXECUTE FUNCTION dynamo_internal.relation_dropped();
COMMENT ON EVENT TRIGGER dynamo_relation_dropped IS
'removes definitions whose relation is dropped';

CREATE FUNCTION dynamo_internal.capture_touched()
RETURNS event_trigger
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_capture_touched';
COMMENT ON FUNCTION dynamo_internal.capture_touched() IS
'refuses commands after which changes to a table with a stream, or '
'point-in-time recovery, would not be recorded';
REVOKE EXECUTE ON FUNCTION dynamo_internal.capture_touched() FROM PUBLIC;
CREATE EVENT TRIGGER dynamo_capture_touched ON ddl_command_end
	WHEN TAG IN ('CREATE TRIGGER', 'ALTER TRIGGER', 'ALTER TABLE',
		'CREATE SCHEMA')
	EXECUTE FUNCTION dynamo_internal.capture_touched();
COMMENT ON EVENT TRIGGER dynamo_capture_touched IS
'keeps the triggers that record changes as they are';
CREATE EVENT TRIGGER dynamo_capture_rewritten ON table_rewrite
	EXECUTE FUNCTION dynamo_internal.capture_touched();
COMMENT ON EVENT TRIGGER dynamo_capture_rewritten IS
'refuses to rewrite items whose changes are recorded';

--
-- Tables and indexes
--

CREATE FUNCTION dynamo.create_table(
	table_name text,
	partition_key text,
	sort_key text DEFAULT NULL,
	partition_key_type text DEFAULT 'S',
	sort_key_type text DEFAULT 'S')
RETURNS pg_catalog.regclass
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_create_table';
COMMENT ON FUNCTION dynamo.create_table(text, text, text, text, text) IS
'CreateTable, billing mode PAY_PER_REQUEST: makes a table and returns its '
'relation in schema dynamo_data. Needs the privilege CREATE there. A table '
'name has 3 to 255 characters of a-z, A-Z, 0-9, _ . -; a key attribute 1 to '
'255 bytes and the type S, N or B. The type can be part of the name, ''PK '
'S'', if the type argument is left out. So a name that itself ends in a '
'blank and one of these letters must be written with its type, ''Size S S''. '
'Raises ResourceInUseException if the table exists, ValidationException for '
'what DynamoDB refuses. Example: SELECT dynamo.create_table(''Garden'', '
'partition_key => ''bed'', sort_key => ''plant'')';

CREATE FUNCTION dynamo.create_index(
	table_name text,
	index_name text,
	partition_key text,
	sort_key text DEFAULT NULL,
	partition_key_type text DEFAULT 'S',
	sort_key_type text DEFAULT 'S',
	projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_create_index';
COMMENT ON FUNCTION dynamo.create_index(
	text, text, text, text, text, text, text, text[]) IS
'UpdateTable with GlobalSecondaryIndexUpdates Create: adds a global '
'secondary index and builds it in this transaction. For the owner of the '
'table. Only items that have all its key attributes are in it. An index name '
'has 3 to 255 characters of a-z, A-Z, 0-9, _ . -; keys and types are as in '
'create_table; projection is ALL, KEYS_ONLY, or INCLUDE with 1 to 20 '
'non_key_attributes. A table has at most 20 such indexes. (By HTTP, a '
'background worker builds the index while the table is in use.) Raises '
'ResourceNotFoundException if there is no such table, ValidationException or '
'LimitExceededException for what DynamoDB refuses. Example: SELECT '
'dynamo.create_index(''Garden'', ''ByHeight'', ''bed'', ''height N'')';

CREATE FUNCTION dynamo.create_index(
	table_name text,
	index_name text,
	partition_key text[],
	sort_key text[] DEFAULT NULL,
	partition_key_type text[] DEFAULT NULL,
	sort_key_type text[] DEFAULT NULL,
	projection text DEFAULT 'ALL',
	non_key_attributes text[] DEFAULT NULL)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_create_index_multi';
COMMENT ON FUNCTION dynamo.create_index(
	text, text, text[], text[], text[], text[], text, text[]) IS
'the same with keys of several attributes: 1 to 4 for the partition key, up '
'to 4 for the sort key, each with a type of its own (all S if no types are '
'given)';

CREATE FUNCTION dynamo.drop_table(table_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_drop_table';
COMMENT ON FUNCTION dynamo.drop_table(text) IS
'DeleteTable: drops a table with all its items and indexes. For the owner of '
'the table. Raises ResourceNotFoundException if there is none, '
'ResourceInUseException while an index is being built by a background '
'worker, ValidationException if deletion protection is on. Example: SELECT '
'dynamo.drop_table(''GardenAgain'')';

CREATE FUNCTION dynamo.attach_table(
	relation pg_catalog.regclass,
	table_name text DEFAULT NULL)
RETURNS text
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_attach_table';
COMMENT ON FUNCTION dynamo.attach_table(pg_catalog.regclass, text) IS
'makes a relation a table, one that pg_dump -t has carried over, that '
'detach_table has left, or that plain SQL has made: returns the name, by '
'default that of the relation. The relation is in schema dynamo_data, with '
'columns, generated keys and primary key as create_table makes them. Its '
'indexes that are as create_index makes them become global ones that project '
'ALL; time to live is off. Needs CREATE on schema dynamo_data. For the owner '
'of the relation. Raises ResourceInUseException if there is such a table, '
'invalid_table_definition for a relation that differs. Example: SELECT '
'dynamo.attach_table(''dynamo_data."GardenAgain"'')';

CREATE FUNCTION dynamo.detach_table(table_name text)
RETURNS pg_catalog.regclass
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_detach_table';
COMMENT ON FUNCTION dynamo.detach_table(text) IS
'forgets a table, but not its relation, which is returned, with all items '
'and indexes. For the owner of the table. Raises ResourceNotFoundException '
'if there is none; object_not_in_prerequisite_state if it has a stream. '
'Example: SELECT dynamo.detach_table(''GardenAgain'')';

CREATE FUNCTION dynamo.distribute_table(
	table_name text,
	shard_count integer DEFAULT NULL)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_distribute_table';
COMMENT ON FUNCTION dynamo.distribute_table(text, integer) IS
'distributes a table, with its items and indexes, by partition key over the '
'nodes of a Citus cluster, in 1 to 64000 shards (null: as many as '
'citus.shard_count says); it can then be used on every node. Runs on the '
'coordinator. A table that is distributed already is made known to nodes '
'that were added since. For the owner of the table, with '
'SELECT and UPDATE on dynamo_internal.nodes and EXECUTE on '
'dynamo_internal.take_definition() on all nodes; the first time in a '
'database for a superuser. Raises object_not_in_prerequisite_state without '
'Citus, elsewhere than on the coordinator, or if the table has a stream, an '
'event source mapping, an index being built, or row-level security; '
'ResourceNotFoundException if there is no such table. Example: SELECT '
'dynamo.distribute_table(''Garden'', shard_count => 32)';

CREATE FUNCTION dynamo.undistribute_table(table_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_undistribute_table';
COMMENT ON FUNCTION dynamo.undistribute_table(text) IS
'brings a distributed table, with its items and indexes, to the coordinator, '
'where it runs, as an ordinary table. For the owner of the table, with the '
'rights that distribute_table needs. Raises object_not_in_prerequisite_state '
'without Citus, elsewhere than on the coordinator, or if the table is not '
'distributed or has a stream; ResourceNotFoundException if there is no such '
'table. Example: SELECT dynamo.undistribute_table(''Garden'')';

CREATE PROCEDURE dynamo.add_node(
	host text,
	port integer,
	shard_transfer_mode text DEFAULT 'auto',
	rebalance boolean DEFAULT false)
LANGUAGE C
AS 'MODULE_PATHNAME', 'dynamo_add_node';
COMMENT ON PROCEDURE dynamo.add_node(text, integer, text, boolean) IS
'makes a server a worker of a Citus cluster: checks it as check_cluster does, '
'and that no table of its own has the name of a distributed one; adds it; '
'copies reference tables; waits up to two minutes until it has been sent all '
'definitions and check_cluster finds nothing wrong with it; then, if asked '
'to, has shards begin to move. Shards and reference tables are copied by '
'auto, force_logical or block_writes. Tells by a NOTICE what is done. Commits '
'after each step, so it is refused in transaction blocks, and ends where a '
'step fails; the same call goes on from there. Runs on the coordinator. For '
'a superuser. Raises object_not_in_prerequisite_state without Citus or '
'elsewhere than on the coordinator, and where something is wrong with the '
'node, and what Citus raises. Example: CALL dynamo.add_node(''db2'', 5432)';
REVOKE EXECUTE ON PROCEDURE dynamo.add_node(text, integer, text, boolean)
	FROM PUBLIC;

CREATE FUNCTION dynamo.cluster_nodes()
RETURNS TABLE (
	node text,
	told boolean,
	failure text,
	shards bigint,
	arriving bigint,
	leaving bigint)
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_cluster_nodes';
COMMENT ON FUNCTION dynamo.cluster_nodes() IS
'lists the nodes of a Citus cluster: whether one has been sent all '
'definitions, and if not why it could not be; shards of all distributed '
'tables that it has; shards that are moving there, or from there, now. Runs '
'on the coordinator. For a superuser. Raises '
'object_not_in_prerequisite_state without Citus or elsewhere than on the '
'coordinator. Example: SELECT * FROM dynamo.cluster_nodes()';
REVOKE EXECUTE ON FUNCTION dynamo.cluster_nodes() FROM PUBLIC;

CREATE FUNCTION dynamo.remove_node(
	host text,
	port integer,
	shard_transfer_mode text DEFAULT 'auto',
	lose_records boolean DEFAULT false)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_remove_node';
COMMENT ON FUNCTION dynamo.remove_node(text, integer, text, boolean) IS
'takes a worker out of a Citus cluster: moves its shards to others, each in a '
'transaction of its own, by auto, force_logical or block_writes; checks that '
'it has none; has it forget the cluster; removes it. Ends where a step fails, '
'with the node still in the cluster; what has moved stays moved. Records of '
'streams that are less than a day old stop it, unless they may be lost: the '
'node has them. Runs on the coordinator. For a superuser. Raises '
'object_not_in_prerequisite_state without Citus or elsewhere than on the '
'coordinator, undefined_object if there is no such worker, object_in_use if '
'it has shards or records, and what Citus raises. Example: SELECT '
'dynamo.remove_node(''db2'', 5432)';
REVOKE EXECUTE ON FUNCTION dynamo.remove_node(text, integer, text, boolean)
	FROM PUBLIC;

CREATE FUNCTION dynamo.check_cluster()
RETURNS TABLE (node text, finding text, advice text)
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_check_cluster';
COMMENT ON FUNCTION dynamo.check_cluster() IS
'tells what is wrong with the nodes of a Citus cluster, or will be, and what '
'to do: nodes that do not answer, cannot reach one another, or have not been '
'sent all definitions; max_worker_processes, max_prepared_transactions and '
'wal_level; versions and dynamo.distribute_new_tables that differ from the '
'coordinator''s; roles with access keys that cannot log in; pg_hba.conf. No '
'row: nothing was found. Waits for nodes as long as '
'citus.node_connection_timeout says. Runs on the coordinator. For a '
'superuser. Raises object_not_in_prerequisite_state without Citus or '
'elsewhere than on the coordinator. Example: SELECT * FROM '
'dynamo.check_cluster()';
REVOKE EXECUTE ON FUNCTION dynamo.check_cluster() FROM PUBLIC;

CREATE FUNCTION dynamo.drop_index(table_name text, index_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_drop_index';
COMMENT ON FUNCTION dynamo.drop_index(text, text) IS
'UpdateTable with GlobalSecondaryIndexUpdates Delete: drops a global '
'secondary index. For the owner of the table. Raises '
'ResourceNotFoundException if there is no such table or index, '
'LimitExceededException while a background worker builds another index of '
'the table, ValidationException for a local secondary index. Example: SELECT '
'dynamo.drop_index(''Garden'', ''ByCare'')';

CREATE FUNCTION dynamo.enable_ttl(table_name text, attribute_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_enable_ttl';
COMMENT ON FUNCTION dynamo.enable_ttl(text, text) IS
'UpdateTimeToLive: an item expires at the time in this attribute, in seconds '
'since 1970. The attribute is top-level, of type N, and its name has 1 to '
'255 characters. Expired items are deleted by expire_items, or in the '
'background if the server preloads dynamo. Builds an index on the attribute '
'in this transaction. For the owner of the table. Raises '
'ResourceNotFoundException if there is no such table, ValidationException if '
'time to live is on already. Example: SELECT dynamo.enable_ttl(''Garden'', '
'''gone_at'')';

CREATE FUNCTION dynamo.set_auto_scaling(
	table_name text,
	dimension text,
	min_capacity bigint,
	max_capacity bigint,
	target_utilization double precision DEFAULT 70,
	index_name text DEFAULT NULL,
	disable_scale_in boolean DEFAULT false)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_set_auto_scaling';
COMMENT ON FUNCTION dynamo.set_auto_scaling(
	text, text, bigint, bigint, double precision, text, boolean) IS
'RegisterScalableTarget and PutScalingPolicy of Application Auto Scaling, '
'with TargetTrackingScaling: the provisioned ReadCapacityUnits or '
'WriteCapacityUnits (dimension) of a table or a global index follow what is '
'consumed, between min_capacity and max_capacity units a second, so that '
'target_utilization percent of them, 20 to 90, are used. Acts in the '
'background, by UpdateTable, if the server preloads dynamo and '
'dynamo.enforce_throughput is on: after two periods '
'(dynamo.auto_scaling_period) above the target, and after fifteen below it '
'unless disable_scale_in. Replaces the policy there was. For the owner of '
'the table. Raises ResourceNotFoundException if there is no such table or '
'global index. Example: SELECT dynamo.set_auto_scaling(''Garden'', '
'''ReadCapacityUnits'', min_capacity => 5, max_capacity => 500, '
'target_utilization => 70)';

CREATE FUNCTION dynamo.drop_auto_scaling(
	table_name text,
	dimension text,
	index_name text DEFAULT NULL)
RETURNS boolean
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_drop_auto_scaling';
COMMENT ON FUNCTION dynamo.drop_auto_scaling(text, text, text) IS
'DeleteScalingPolicy and DeregisterScalableTarget of Application Auto '
'Scaling: the throughput of the table or global index stays as it is. False: '
'there was no such policy. For the owner of the table. Raises '
'ResourceNotFoundException if there is no such table. Example: SELECT '
'dynamo.drop_auto_scaling(''Garden'', ''ReadCapacityUnits'')';

CREATE FUNCTION dynamo.disable_ttl(table_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_disable_ttl';
COMMENT ON FUNCTION dynamo.disable_ttl(text) IS
'UpdateTimeToLive: items no longer expire, and the index on their expiry is '
'dropped. For the owner of the table. Raises ResourceNotFoundException if '
'there is no such table, ValidationException if time to live is off already. '
'Example: SELECT dynamo.disable_ttl(''Garden'')';

CREATE FUNCTION dynamo.expire_items(
	table_name text,
	max_items bigint DEFAULT NULL)
RETURNS bigint
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_expire_items';
COMMENT ON FUNCTION dynamo.expire_items(text, bigint) IS
'deletes expired items of a table, at most max_items (null: all), oldest '
'expiry first, and returns how many. Needs DELETE and SELECT, and UPDATE if '
'row-level security, a trigger or the like make it work by SQL, which locks '
'rows. Skips items that another transaction has locked or is changing, and '
'items that expired more than five years ago. Everything is part of the '
'caller''s transaction: if many items have expired, give a limit, and '
'commit. Raises ResourceNotFoundException if there is no such table, '
'object_not_in_prerequisite_state if its time to live is off. Example: '
'SELECT dynamo.expire_items(''Garden'', max_items => 1000)';

CREATE FUNCTION dynamo.check_table(table_name text)
RETURNS TABLE (
	relation pg_catalog.regclass,
	block bigint,
	line integer,
	problem text)
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_check_table';
COMMENT ON FUNCTION dynamo.check_table(text) IS
'what is wrong with a table; no rows: nothing. Reads all its pages, without '
'trusting them, its items, which must be readable and canonical, its key '
'columns, which must be those of the items, and its btrees: each entry must '
'be what its row makes, and each row that belongs into an index must have '
'one entry. relation is the table''s or an index''s; block and line are the '
'row''s in the table, and null if the problem is not that of a row. Takes '
'AccessShareLock and one snapshot; writers go on. The order of entries in a '
'btree is amcheck''s to check, by bt_index_check. For the owner of the '
'table. Raises ResourceNotFoundException if there is none, '
'feature_not_supported if it is distributed or partitioned. Example: SELECT '
'* FROM dynamo.check_table(''Garden'')';

CREATE FUNCTION dynamo.table_placement(table_name text)
RETURNS TABLE (
	pages bigint,
	items bigint,
	other_versions bigint,
	collections bigint,
	fill double precision,
	items_per_collection double precision,
	pages_per_collection double precision)
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 1
AS 'MODULE_PATHNAME', 'dynamo_table_placement';
COMMENT ON FUNCTION dynamo.table_placement(text) IS
'how a table''s items lie: its pages of 8 kB, items, versions of items that '
'this statement does not see, item collections (partition keys), the part of '
'the pages that is in use, from 0 to 1, and means for a collection. The '
'fewer pages a collection has, the faster it is read. Reads the whole table '
'and its primary key''s index; locks, rights and errors are those of '
'check_table. Example: SELECT items, collections, items_per_collection FROM '
'dynamo.table_placement(''Garden'')';

CREATE FUNCTION dynamo.relation(table_name text)
RETURNS pg_catalog.regclass
LANGUAGE C STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_relation';
COMMENT ON FUNCTION dynamo.relation(text) IS
'the relation that holds a table''s items, for plain SQL. Raises '
'ResourceNotFoundException if there is no such table. Example: SELECT '
'dynamo.relation(''Garden'')';

--
-- Items
--

-- In a FROM clause the functions that return items are plan nodes of their own
-- (see sql_path.c), so that they stream.  Their support function, which
-- estimates rows, also brings these plans to a session that has not loaded the
-- module yet.

CREATE FUNCTION dynamo_internal.estimate(internal)
RETURNS internal
LANGUAGE C STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_estimate';
COMMENT ON FUNCTION dynamo_internal.estimate(internal) IS
'planner support function of get_item, batch_get, query, scan and partiql';

CREATE FUNCTION dynamo.get_item(
	table_name text,
	key dynamo.item,
	projection_expression text DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL,
	as_of timestamp with time zone DEFAULT NULL)
RETURNS TABLE (item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 1
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_get_item';
COMMENT ON FUNCTION dynamo.get_item(
	text, dynamo.item, text, dynamo.json_input, timestamp with time zone) IS
'API operation GetItem: the item with this key, or no row. key has exactly '
'the key attributes, typed or plain JSON; a null key finds nothing. '
'projection_expression picks attributes; expression_attribute_names is '
'{"#n": "name"}. Reads the statement''s snapshot, or with as_of what was '
'committed then: to the second, in a table with point-in-time recovery, '
'where no row-level security applies. Needs SELECT on the table. Raises '
'ValidationException, ResourceNotFoundException, AccessDeniedException; with '
'as_of PointInTimeRecoveryUnavailableException, InvalidRestoreTimeException. '
'Example: SELECT item FROM dynamo.get_item(''Garden'', ''north'', ''fern'')';

CREATE FUNCTION dynamo.get_item(
	table_name text,
	partition_key dynamo.key_value)
RETURNS TABLE (item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 1
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_get_item';
COMMENT ON FUNCTION dynamo.get_item(text, dynamo.key_value) IS
'API operation GetItem with a bare key value: the item with this partition '
'key, or no row; none for a null value. The value is text, a number or bytea; '
'text stands for any type that the key of the table has. A text without a '
'type that begins with a brace is not a value but a key in JSON, and what '
'follows it is the projection_expression; cast to text what may begin with '
'one.';

CREATE FUNCTION dynamo.get_item(
	table_name text,
	partition_key dynamo.key_value,
	sort_key dynamo.key_value)
RETURNS TABLE (item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 1
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_get_item';
COMMENT ON FUNCTION dynamo.get_item(
	text, dynamo.key_value, dynamo.key_value) IS
'the same for a table that has a sort key';

CREATE FUNCTION dynamo.get_item(
	table_name text,
	key json)
RETURNS TABLE (item dynamo.item)
LANGUAGE sql STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
	SELECT g.item
	FROM dynamo.get_item(table_name, key::dynamo.item) AS g (item);
END;
COMMENT ON FUNCTION dynamo.get_item(text, json) IS
'the same with the key in JSON of type json';

CREATE FUNCTION dynamo.put_item(
	table_name text,
	item dynamo.item_input,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL,
	return_values text DEFAULT 'NONE')
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_put_item';
COMMENT ON FUNCTION dynamo.put_item(
	text, dynamo.item_input, text, dynamo.item_input, dynamo.json_input,
	text) IS
'API operation PutItem: stores an item of at most 409,600 bytes and replaces '
'one with the same key. return_values is NONE (the result is null) or '
'ALL_OLD (the item before). expression_attribute_values is {":v": value}. '
'Needs INSERT and UPDATE on the table; SELECT, too, with a condition or '
'ALL_OLD. Raises ConditionalCheckFailedException, ValidationException, '
'ResourceNotFoundException, AccessDeniedException. Example: SELECT '
'dynamo.put_item(''Garden'', ''{"bed": "north", "plant": "fern", "height": '
'40}'')';

CREATE FUNCTION dynamo.update_item(
	table_name text,
	key dynamo.item_input,
	update_expression text,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	condition_expression text DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL,
	return_values text DEFAULT 'NONE')
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_update_item';
COMMENT ON FUNCTION dynamo.update_item(
	text, dynamo.item_input, text, dynamo.item_input, text,
	dynamo.json_input, text) IS
'API operation UpdateItem: changes the item with this key by SET, REMOVE, '
'ADD and DELETE, and creates it if there is none. A null update_expression '
'creates the bare key. return_values is NONE (the result is null), ALL_OLD, '
'UPDATED_OLD, ALL_NEW or UPDATED_NEW. The item may not become larger than '
'409,600 bytes. Needs INSERT and UPDATE on the table; SELECT, too, with a '
'condition, an update that reads the item, or return_values. Raises '
'ConditionalCheckFailedException, ValidationException, '
'ResourceNotFoundException, AccessDeniedException. Example: SELECT '
'dynamo.update_item(''Garden'', ''{"bed": "north", "plant": "fern"}'', ''SET '
'height = height + :grown, watered = :day'', ''{":grown": 2, ":day": '
'"2026-05-01", ":high": 100}'', condition_expression => ''height < :high'', '
'return_values => ''UPDATED_NEW'')';

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	key dynamo.item,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL,
	return_values text DEFAULT 'NONE')
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_delete_item';
COMMENT ON FUNCTION dynamo.delete_item(
	text, dynamo.item, text, dynamo.item_input, dynamo.json_input, text) IS
'API operation DeleteItem: removes the item with this key, if there is one. '
'return_values is NONE (the result is null) or ALL_OLD (the item removed). '
'Needs DELETE on the table; SELECT, too, with a condition or ALL_OLD. Raises '
'ConditionalCheckFailedException, ValidationException, '
'ResourceNotFoundException, AccessDeniedException. Example: SELECT '
'dynamo.delete_item(''Garden'', ''south'', ''rose'')';

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	partition_key dynamo.key_value)
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_delete_item_bare';
COMMENT ON FUNCTION dynamo.delete_item(text, dynamo.key_value) IS
'API operation DeleteItem with a bare key value: removes the item with this '
'partition key, if there is one; the result is null. The value is text, a '
'number or bytea; text stands for any type that the key of the table has. A '
'text without a type that begins with a brace is not a value but a key in '
'JSON, and what follows it is the condition_expression; cast to text what may '
'begin with one.';

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	partition_key dynamo.key_value,
	sort_key dynamo.key_value)
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_delete_item_bare';
COMMENT ON FUNCTION dynamo.delete_item(
	text, dynamo.key_value, dynamo.key_value) IS
'the same for a table that has a sort key';

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	key json)
RETURNS dynamo.item
LANGUAGE sql VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
RETURN dynamo.delete_item(table_name, key::dynamo.item);
COMMENT ON FUNCTION dynamo.delete_item(text, json) IS
'the same with the key in JSON of type json';

CREATE FUNCTION dynamo.query(
	table_name text,
	key_condition_expression text,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	index_name text DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL,
	scan_index_forward boolean DEFAULT true,
	max_items bigint DEFAULT NULL,
	exclusive_start_key dynamo.item_input DEFAULT NULL,
	as_of timestamp with time zone DEFAULT NULL)
RETURNS TABLE (item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 100
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_query';
COMMENT ON FUNCTION dynamo.query(
	text, text, dynamo.item_input, text, text, text, dynamo.json_input,
	boolean, bigint, dynamo.item_input, timestamp with time zone) IS
'API operation Query: the items that meet key_condition_expression (one '
'partition key, perhaps a range of sort keys) and filter_expression, in the '
'order of the sort key, descending if scan_index_forward is false; from an '
'index if index_name is given. Items stream one by one: there is no page of '
'1 MB, and a LIMIT stops the reading. projection_expression picks '
'attributes. expression_attribute_values is {":v": value}, '
'expression_attribute_names {"#n": "name"}. max_items limits the items '
'returned (after the filter); exclusive_start_key is the key of the last '
'item seen; as_of is as in dynamo.get_item, and an index shows what it had '
'then. Needs SELECT on the table. Raises ValidationException, '
'ResourceNotFoundException, AccessDeniedException, and what dynamo.get_item '
'raises with as_of. Example: SELECT item->>''plant'' AS plant, '
'item->>''height'' AS height FROM dynamo.query(''Garden'', ''bed = :b AND '
'plant >= :p'', ''{":b": "north", ":p": "f"}'', scan_index_forward => false) '
'LIMIT 2';

CREATE FUNCTION dynamo.scan(
	table_name text,
	filter_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	index_name text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL,
	max_items bigint DEFAULT NULL,
	exclusive_start_key dynamo.item_input DEFAULT NULL,
	segment integer DEFAULT NULL,
	total_segments integer DEFAULT NULL,
	as_of timestamp with time zone DEFAULT NULL)
RETURNS TABLE (item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 1000
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_scan';
COMMENT ON FUNCTION dynamo.scan(
	text, text, dynamo.item_input, text, text, dynamo.json_input, bigint,
	dynamo.item_input, integer, integer, timestamp with time zone) IS
'API operation Scan: all items of a table, or of an index if index_name is '
'given, that meet filter_expression, in the order of the partition key''s '
'hash. segment (from 0) and total_segments (1 to 1000000) select one of that '
'many disjoint parts. projection_expression, expression_attribute_values, '
'expression_attribute_names, max_items, exclusive_start_key and as_of are as '
'in dynamo.query. Items stream one by one: there is no page of 1 MB, and a '
'LIMIT stops the reading. Needs SELECT on the table. Raises '
'ValidationException, ResourceNotFoundException, AccessDeniedException. '
'Example: SELECT item->>''bed'' AS bed, item->>''plant'' AS plant FROM '
'dynamo.scan(''Garden'', ''height > :h'', ''{":h": 100}'')';

CREATE FUNCTION dynamo.search_vectors(
	table_name text,
	index_name text,
	search_vector "any",
	top_k integer,
	search_condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL,
	as_of timestamp with time zone DEFAULT NULL)
RETURNS TABLE (item dynamo.item, score double precision)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 10
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_search_vectors';
COMMENT ON FUNCTION dynamo.search_vectors(
	text, text, "any", integer, text, dynamo.item_input, text,
	dynamo.json_input, timestamp with time zone) IS
'API operation SearchVectors: the top_k items (1 to 100) of a vector index '
'that are nearest to search_vector, best first, with their scores: 1 minus '
'the cosine, the distance, or the product, as the index says. The search is '
'exact. search_vector has as many elements as the index has dimensions (at '
'most 4096): an array of numbers, or a list of them like [1, 0.5], as text, '
'json, jsonb and pgvector''s vector have it; elements are rounded to 32 bits. '
'search_condition_expression compares the HASH attribute of the index, which '
'it must, and filters, all by = and AND. Items are what the index projects, '
'without the vector; projection_expression picks attributes, and may name '
'the vector. expression_attribute_values is {":v": value}, '
'expression_attribute_names {"#n": "name"}; as_of is as in dynamo.get_item, '
'and searches the items of then. Needs SELECT on the table. Raises '
'ValidationException, ResourceNotFoundException, AccessDeniedException, and '
'what dynamo.get_item raises with as_of. Example: SELECT item->>''plant'' AS '
'plant, score FROM dynamo.search_vectors(''Garden'', ''Alike'', '
'ARRAY[1, 0.5], top_k => 2)';

CREATE FUNCTION dynamo.batch_get(table_name text, VARIADIC keys dynamo.item[])
RETURNS TABLE (item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 10
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_batch_get';
COMMENT ON FUNCTION dynamo.batch_get(text, dynamo.item[]) IS
'API operation BatchGetItem on one table: the items of these keys, in their '
'order; a key without an item, or a null key, gives no row. Takes any number '
'of keys. Needs SELECT on the table. Raises ValidationException, '
'ResourceNotFoundException, AccessDeniedException. Example: SELECT '
'item->>''plant'' AS plant FROM dynamo.batch_get(''Garden'', ''{"bed": '
'"north", "plant": "ivy"}'', ''{"bed": "moon", "plant": "moss"}'', ''{"bed": '
'"north", "plant": "fern"}'')';

CREATE FUNCTION dynamo.partiql(statement text)
RETURNS TABLE (item dynamo.item)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 100
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_partiql';
COMMENT ON FUNCTION dynamo.partiql(text) IS
'API operation ExecuteStatement: runs a PartiQL statement without '
'parameters. See partiql(text, "any"). Example: SELECT item->>''plant'' AS '
'plant FROM dynamo.partiql(''SELECT * FROM "Garden" WHERE bed = ? AND height '
'> ?'', ''north'', 100)';

CREATE FUNCTION dynamo.partiql(statement text, VARIADIC parameters "any")
RETURNS TABLE (item dynamo.item)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 100
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_partiql';
COMMENT ON FUNCTION dynamo.partiql(text, "any") IS
'API operation ExecuteStatement: runs a PartiQL statement of up to 8192 '
'characters, one of SELECT, INSERT, UPDATE and DELETE. Its ? stand for the '
'parameters: text is S, numbers are N, boolean is BOOL, bytea is B, null is '
'NULL, an item is M; jsonb is what it is in an item, typed or plain. A SELECT '
'gives its items as they are read: no pages, LIMIT stops the reading. A write '
'gives what RETURNING asks for. A SELECT reads the statement''s snapshot. '
'Needs SELECT; INSERT and UPDATE; or DELETE. '
'Raises ValidationException, ResourceNotFoundException, '
'AccessDeniedException, ConditionalCheckFailedException, '
'DuplicateItemException.';

CREATE FUNCTION dynamo.transact_write(actions dynamo.json_input)
RETURNS TABLE (ordinal integer, table_name text, action text)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 10
AS 'MODULE_PATHNAME', 'dynamo_transact_write';
COMMENT ON FUNCTION dynamo.transact_write(dynamo.json_input) IS
'API operation TransactWriteItems: up to 100 actions Put, Update, Delete and '
'ConditionCheck, all or none. actions is the request''s TransactItems, a '
'JSON array; items, keys and values in it are typed or plain JSON. Returns '
'what was done. Needs the privileges of each action. Raises '
'TransactionCanceledException with CancellationReasons as its detail, '
'ValidationException, ResourceNotFoundException. PostgreSQL''s errors for a '
'lost race (40001, 40P01, 55P03) also have CancellationReasons in their '
'detail. Example: SELECT * FROM dynamo.transact_write(''[ {"Put": '
'{"TableName": "Garden", "Item": {"bed": "west", "plant": "fern", "height": '
'40}}}, {"Delete": {"TableName": "Garden", "Key": {"bed": "north", "plant": '
'"fern"}, "ConditionExpression": "attribute_exists(bed)"}}]'')';

CREATE FUNCTION dynamo.transact_get(gets dynamo.json_input)
RETURNS TABLE (ordinal integer, table_name text, item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'dynamo_transact_get';
COMMENT ON FUNCTION dynamo.transact_get(dynamo.json_input) IS
'API operation TransactGetItems: up to 100 items of one snapshot. gets is '
'the request''s TransactItems, a JSON array; keys in it are typed or plain '
'JSON. item is null if there is none. Needs SELECT on the tables. Raises '
'TransactionCanceledException with CancellationReasons as its detail for '
'keys that do not fit their table; ValidationException, '
'ResourceNotFoundException, AccessDeniedException. Example: SELECT * FROM '
'dynamo.transact_get(''[ {"Get": {"TableName": "Garden", "Key": {"bed": '
'"west", "plant": "fern"}}}, {"Get": {"TableName": "Garden", "Key": {"bed": '
'"north", "plant": "fern"}}}]'')';

--
-- Streams
--
-- All streams of a database write into one ring of eight pieces.  A piece
-- takes the records of four hours, then the next one does; what is older than
-- 24 hours is truncated away a piece at a time (see stream_append.c).
--

CREATE TABLE dynamo.streams (
	stream_id integer NOT NULL,
	relation pg_catalog.regclass,
	table_name text COLLATE "C" NOT NULL,
	label text COLLATE "C" NOT NULL,
	view_type text NOT NULL
		CHECK (view_type IN ('KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE',
			'NEW_AND_OLD_IMAGES')),
	shards integer NOT NULL CHECK (shards BETWEEN 0 AND 64),
	partition_key text NOT NULL,
	partition_key_type "char" NOT NULL
		CHECK (partition_key_type IN ('S', 'N', 'B')),
	sort_key text,
	sort_key_type "char"
		CHECK (sort_key_type IN ('S', 'N', 'B')),
	owner name NOT NULL,
	owner_oid oid NOT NULL,
	created_at timestamp with time zone NOT NULL,
	start_number bigint NOT NULL,
	trimmed_number bigint NOT NULL,
	disabled_at timestamp with time zone,
	end_number bigint,
	CONSTRAINT streams_pkey PRIMARY KEY (stream_id),
	CONSTRAINT streams_label_key UNIQUE (table_name, label),
	CHECK ((sort_key IS NULL) = (sort_key_type IS NULL)),
	CHECK ((disabled_at IS NULL) = (end_number IS NULL))
) USING heap;
CREATE INDEX streams_relation ON dynamo.streams (relation);
COMMENT ON TABLE dynamo.streams IS
'streams of tables, one row each: enabled ones, and others for 24 hours after '
'they were disabled; written by enable_stream, disable_stream, UpdateTable '
'and the like, not by hand';
COMMENT ON COLUMN dynamo.streams.stream_id IS
'identifies the stream in its records';
COMMENT ON COLUMN dynamo.streams.relation IS
'the relation of its table, null after that is dropped';
COMMENT ON COLUMN dynamo.streams.table_name IS 'TableName';
COMMENT ON COLUMN dynamo.streams.label IS
'StreamLabel, the time it was enabled; dynamo.stream_arn(table_name, label) '
'is the ARN';
COMMENT ON COLUMN dynamo.streams.view_type IS 'StreamViewType';
COMMENT ON COLUMN dynamo.streams.shards IS
'number of shards; 0 for a distributed table: dynamo_internal.stream_shards '
'has them';
COMMENT ON COLUMN dynamo.streams.partition_key IS
'name of the HASH attribute of its table';
COMMENT ON COLUMN dynamo.streams.partition_key_type IS 'its type: S, N or B';
COMMENT ON COLUMN dynamo.streams.sort_key IS
'name of the RANGE attribute, null if there is none';
COMMENT ON COLUMN dynamo.streams.sort_key_type IS 'its type: S, N or B';
COMMENT ON COLUMN dynamo.streams.owner IS
'owner of the table when the stream was enabled, or when the table was '
'dropped; may read the stream after that';
COMMENT ON COLUMN dynamo.streams.owner_oid IS
'OID of the owner; a role with the same name and another OID, as after DROP '
'ROLE or in another cluster, may not read it';
COMMENT ON COLUMN dynamo.streams.created_at IS 'when it was enabled';
COMMENT ON COLUMN dynamo.streams.start_number IS
'its records have greater numbers';
COMMENT ON COLUMN dynamo.streams.trimmed_number IS
'greatest number of a trimmed record, start_number if none was trimmed';
COMMENT ON COLUMN dynamo.streams.disabled_at IS
'when it was disabled, null while it is enabled';
COMMENT ON COLUMN dynamo.streams.end_number IS
'its records have smaller numbers; null while it is enabled';
CREATE TRIGGER definition_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.streams
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.definition_edited();

CREATE SEQUENCE dynamo_internal.stream_ids AS integer;
COMMENT ON SEQUENCE dynamo_internal.stream_ids IS 'numbers of streams';
CREATE SEQUENCE dynamo_internal.stream_sequence
	MAXVALUE 281474976710655 NO CYCLE;
COMMENT ON SEQUENCE dynamo_internal.stream_sequence IS
'numbers of the records of all streams';

-- A shard of Citus' that is or was on a node is one of the stream's.  The
-- coordinator knows all of them, other nodes their own
-- (src/shard/README.md).
CREATE TABLE dynamo_internal.stream_shards (
	stream integer NOT NULL,
	place integer NOT NULL,
	shard bigint NOT NULL,
	group_id integer NOT NULL,
	low integer NOT NULL,
	high integer NOT NULL,
	relation oid NOT NULL,
	opened_at timestamp with time zone NOT NULL
) USING heap;
CREATE INDEX stream_shards_stream
	ON dynamo_internal.stream_shards (stream, place);
COMMENT ON TABLE dynamo_internal.stream_shards IS
'shards of streams of distributed tables, open and closed ones; a row may be '
'there twice';
COMMENT ON COLUMN dynamo_internal.stream_shards.stream IS
'stream_id of its stream';
COMMENT ON COLUMN dynamo_internal.stream_shards.place IS
'the placement, by its number on the coordinator, where it grows with each '
'move and split';
COMMENT ON COLUMN dynamo_internal.stream_shards.shard IS
'the shard of the table, as Citus numbers it';
COMMENT ON COLUMN dynamo_internal.stream_shards.group_id IS
'the node, by Citus'' number of its group';
COMMENT ON COLUMN dynamo_internal.stream_shards.low IS
'least hash of its partition keys';
COMMENT ON COLUMN dynamo_internal.stream_shards.high IS
'greatest hash of its partition keys';
COMMENT ON COLUMN dynamo_internal.stream_shards.relation IS
'its relation on this node, 0 on others';
COMMENT ON COLUMN dynamo_internal.stream_shards.opened_at IS
'when it was first written to, or the stream was enabled';

CREATE FUNCTION dynamo_internal.open_stream_shard(
	table_name text,
	label text,
	shard bigint)
RETURNS integer
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_open_stream_shard';
COMMENT ON FUNCTION dynamo_internal.open_stream_shard(text, text, bigint) IS
'which placement, by its number here, the shard of a distributed table has '
'now; notes it as a shard of the stream. The other nodes of a cluster call it '
'on the coordinator, when a shard is first written to where it has come. For '
'roles that may write to the table. Raises object_not_in_prerequisite_state '
'if there is no such stream or shard, insufficient_privilege';

CREATE FUNCTION dynamo_internal.stream_shard_is_open(
	table_name text,
	label text,
	place integer)
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_stream_shard_is_open';
COMMENT ON FUNCTION dynamo_internal.stream_shard_is_open(
	text, text, integer) IS
'whether a shard of a stream of a distributed table is where it was; null if '
'the coordinator, where it runs, knows no such shard. The other nodes of a '
'cluster call it.';

-- Nothing but TRUNCATE ever makes a row of these obsolete, so there is nothing
-- to vacuum.  Large images are not compressed: that would be done twice more
-- for each write, and for a day only.  No number comes twice: it would be in
-- vain to look for equal entries of the index whenever a page is full.
CREATE TABLE dynamo_internal.stream_records_0 (
	number bigint NOT NULL,
	created_at timestamp with time zone NOT NULL,
	stream integer NOT NULL,
	shard integer NOT NULL,
	event "char" NOT NULL,
	service boolean NOT NULL,
	keys dynamo.item,
	old_image dynamo.item,
	new_image dynamo.item
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
ALTER TABLE dynamo_internal.stream_records_0
	ALTER old_image SET STORAGE external, ALTER new_image SET STORAGE external;
CREATE INDEX stream_records_0_order
	ON dynamo_internal.stream_records_0 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_0 IS
'stream records, a piece of the ring; read by dynamo.stream and GetRecords';
COMMENT ON COLUMN dynamo_internal.stream_records_0.number IS
'from dynamo_internal.stream_sequence';
COMMENT ON COLUMN dynamo_internal.stream_records_0.created_at IS
'when the change was made';
COMMENT ON COLUMN dynamo_internal.stream_records_0.stream IS
'stream_id of its stream';
COMMENT ON COLUMN dynamo_internal.stream_records_0.shard IS
'shard of its stream, from 0; of a distributed table place in '
'dynamo_internal.stream_shards';
COMMENT ON COLUMN dynamo_internal.stream_records_0.event IS
'I: INSERT, M: MODIFY, R: REMOVE';
COMMENT ON COLUMN dynamo_internal.stream_records_0.service IS
'deleted because it had expired';
COMMENT ON COLUMN dynamo_internal.stream_records_0.keys IS
'the key of the item, null if there is an image';
COMMENT ON COLUMN dynamo_internal.stream_records_0.old_image IS
'the item before the change, if the stream keeps it';
COMMENT ON COLUMN dynamo_internal.stream_records_0.new_image IS
'the item after the change, if the stream keeps it';

CREATE TABLE dynamo_internal.stream_records_1 (
	LIKE dynamo_internal.stream_records_0 INCLUDING COMMENTS INCLUDING STORAGE
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
CREATE INDEX stream_records_1_order
	ON dynamo_internal.stream_records_1 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_1 IS
'stream records, a piece of the ring';
CREATE TABLE dynamo_internal.stream_records_2 (
	LIKE dynamo_internal.stream_records_0 INCLUDING COMMENTS INCLUDING STORAGE
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
CREATE INDEX stream_records_2_order
	ON dynamo_internal.stream_records_2 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_2 IS
'stream records, a piece of the ring';
CREATE TABLE dynamo_internal.stream_records_3 (
	LIKE dynamo_internal.stream_records_0 INCLUDING COMMENTS INCLUDING STORAGE
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
CREATE INDEX stream_records_3_order
	ON dynamo_internal.stream_records_3 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_3 IS
'stream records, a piece of the ring';
CREATE TABLE dynamo_internal.stream_records_4 (
	LIKE dynamo_internal.stream_records_0 INCLUDING COMMENTS INCLUDING STORAGE
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
CREATE INDEX stream_records_4_order
	ON dynamo_internal.stream_records_4 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_4 IS
'stream records, a piece of the ring';
CREATE TABLE dynamo_internal.stream_records_5 (
	LIKE dynamo_internal.stream_records_0 INCLUDING COMMENTS INCLUDING STORAGE
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
CREATE INDEX stream_records_5_order
	ON dynamo_internal.stream_records_5 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_5 IS
'stream records, a piece of the ring';
CREATE TABLE dynamo_internal.stream_records_6 (
	LIKE dynamo_internal.stream_records_0 INCLUDING COMMENTS INCLUDING STORAGE
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
CREATE INDEX stream_records_6_order
	ON dynamo_internal.stream_records_6 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_6 IS
'stream records, a piece of the ring';
CREATE TABLE dynamo_internal.stream_records_7 (
	LIKE dynamo_internal.stream_records_0 INCLUDING COMMENTS INCLUDING STORAGE
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
CREATE INDEX stream_records_7_order
	ON dynamo_internal.stream_records_7 (stream, shard, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.stream_records_7 IS
'stream records, a piece of the ring';
COMMENT ON INDEX dynamo_internal.stream_records_0_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo_internal.stream_records_1_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo_internal.stream_records_2_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo_internal.stream_records_3_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo_internal.stream_records_4_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo_internal.stream_records_5_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo_internal.stream_records_6_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo_internal.stream_records_7_order IS
'order in which a piece of the ring is read';
COMMENT ON INDEX dynamo.streams_relation IS 'streams of a relation';

SELECT pg_catalog.pg_extension_config_dump('dynamo.streams', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.stream_ids', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_sequence', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_0', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_1', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_2', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_3', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_4', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_5', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_6', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.stream_records_7', '');
ALTER TABLE dynamo.streams ENABLE ROW LEVEL SECURITY;
CREATE POLICY may_use ON dynamo.streams FOR SELECT
	USING (CASE WHEN relation IS NOT NULL
		THEN dynamo_internal.may_use(relation)
		ELSE owner OPERATOR(pg_catalog.=) pg_catalog.pg_get_userbyid(owner_oid)
			AND pg_catalog.pg_has_role(owner_oid, 'USAGE') END);
COMMENT ON POLICY may_use ON dynamo.streams IS
'shows definitions to roles that may use the table, or owned it last';

CREATE FUNCTION dynamo_internal.stream_capture()
RETURNS trigger
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_stream_capture';
COMMENT ON FUNCTION dynamo_internal.stream_capture() IS
'writes the records of changes made by plain SQL; its triggers are made and '
'dropped with a stream';

CREATE FUNCTION dynamo.enable_stream(
	table_name text,
	view_type text DEFAULT 'NEW_AND_OLD_IMAGES')
RETURNS text
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_enable_stream';
COMMENT ON FUNCTION dynamo.enable_stream(text, text) IS
'starts a stream of the changes to a table, as UpdateTable with '
'StreamEnabled does, and returns its label. view_type is KEYS_ONLY, '
'NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES. The setting '
'dynamo.stream_shards gives the number of shards. For the owner of the '
'table. Raises ValidationException, ResourceNotFoundException. Example: '
'SELECT dynamo.enable_stream(''Garden'')';

CREATE FUNCTION dynamo.disable_stream(table_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_disable_stream';
COMMENT ON FUNCTION dynamo.disable_stream(text) IS
'ends the stream of a table, as UpdateTable does; its records remain for 24 '
'hours. For the owner of the table. Raises ValidationException, '
'ResourceNotFoundException. Example: SELECT dynamo.disable_stream(''Garden'')';

CREATE FUNCTION dynamo.stream_arn(table_name text, label text)
RETURNS text
LANGUAGE C STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_stream_arn';
COMMENT ON FUNCTION dynamo.stream_arn(text, text) IS
'the ARN of a stream, which DescribeStream and the like take as StreamArn, by '
'two columns of dynamo.streams; region and account in it are settings. '
'Example: SELECT dynamo.stream_arn(''Garden'', ''2026-12-01T10:00:00.000'')';

CREATE FUNCTION dynamo_internal.stream(
	table_name text,
	after numeric,
	OUT sequence_number numeric,
	OUT event_name text,
	OUT created_at timestamp with time zone,
	OUT keys dynamo.item,
	OUT old_image dynamo.item,
	OUT new_image dynamo.item,
	OUT by_service boolean)
RETURNS SETOF record
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_stream';
COMMENT ON FUNCTION dynamo_internal.stream(text, numeric) IS
'implements dynamo.stream';

CREATE FUNCTION dynamo.stream(table_name text, after numeric DEFAULT NULL)
RETURNS TABLE (
	sequence_number numeric,
	event_name text,
	created_at timestamp with time zone,
	keys dynamo.item,
	old_image dynamo.item,
	new_image dynamo.item,
	by_service boolean)
LANGUAGE sql STABLE CALLED ON NULL INPUT PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT (s.r).sequence_number, (s.r).event_name, (s.r).created_at,
		   (s.r).keys, (s.r).old_image, (s.r).new_image, (s.r).by_service
	FROM (SELECT dynamo_internal.stream($1, $2) AS r) AS s;
END;
COMMENT ON FUNCTION dynamo.stream(text, numeric) IS
'the changes to a table, in order, as its stream has recorded them: all '
'shards of the enabled stream, or of the last one if none is enabled. after '
'is the last sequence_number seen, null to start with the oldest record. '
'event_name is INSERT, MODIFY or REMOVE; old_image and new_image are present '
'as the view type says; by_service is true for items deleted because they '
'had expired. Shows what is committed at the time of the call, in every '
'isolation level, and nothing after the first change of a transaction in '
'progress. Needs SELECT on the table, without row-level security in force. '
'Raises TrimmedDataAccessException when records after "after" have been '
'trimmed, ResourceNotFoundException, AccessDeniedException. Example: SELECT '
'event_name, keys->>''plant'' AS plant, new_image->>''bed'' AS bed FROM '
'dynamo.stream(''Garden'', after => NULL)';

CREATE FUNCTION dynamo.trim_streams()
RETURNS integer
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_trim_streams';
COMMENT ON FUNCTION dynamo.trim_streams() IS
'truncates the stream records of four hours, all of them more than 24 hours '
'old, and forgets streams disabled more than 24 hours ago. Returns the '
'number of pieces truncated, 0 or 1. Call it at least once in four hours, in '
'a transaction of its own; if dynamo is preloaded, the server does it. Only '
'the owner may execute it. Example: SELECT dynamo.trim_streams()';
REVOKE EXECUTE ON FUNCTION dynamo.trim_streams() FROM PUBLIC;

CREATE FUNCTION dynamo_internal.trim_streams(now timestamp with time zone)
RETURNS integer
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_trim_streams_at';
COMMENT ON FUNCTION dynamo_internal.trim_streams(timestamp with time zone) IS
'trim_streams() as of the given time';
REVOKE EXECUTE ON FUNCTION dynamo_internal.trim_streams(
	timestamp with time zone)
	FROM PUBLIC;

--
-- Point-in-time recovery
--
-- The journal has what changes have replaced, in a ring of twenty pieces for
-- two days each, and each second the snapshot of that second, a marker (see
-- journal_append.c).  It is not dumped: after a restore, windows begin anew.
--

CREATE TABLE dynamo_internal.recovery (
	recovery_id integer NOT NULL,
	relation pg_catalog.regclass NOT NULL,
	days integer NOT NULL CHECK (days BETWEEN 1 AND 35),
	kept_from timestamp with time zone NOT NULL,
	ended_at timestamp with time zone,
	partition_key text NOT NULL,
	partition_key_type "char" NOT NULL
		CHECK (partition_key_type IN ('S', 'N', 'B')),
	sort_key text,
	sort_key_type "char"
		CHECK (sort_key_type IN ('S', 'N', 'B')),
	CONSTRAINT recovery_pkey PRIMARY KEY (recovery_id),
	CONSTRAINT recovery_relation_key UNIQUE (relation),
	CHECK ((sort_key IS NULL) = (sort_key_type IS NULL))
) USING heap;
COMMENT ON TABLE dynamo_internal.recovery IS
'tables with point-in-time recovery, one row each, and relations of deleted '
'tables that had it; written by enable_recovery, UpdateContinuousBackups and '
'the like, not by hand';
COMMENT ON COLUMN dynamo_internal.recovery.recovery_id IS
'identifies the table in the journal';
COMMENT ON COLUMN dynamo_internal.recovery.relation IS
'the relation of the table, or of one that was deleted';
COMMENT ON COLUMN dynamo_internal.recovery.days IS 'RecoveryPeriodInDays';
COMMENT ON COLUMN dynamo_internal.recovery.kept_from IS
'nothing before is promised: when recovery was enabled, or what a change of '
'the period left';
COMMENT ON COLUMN dynamo_internal.recovery.ended_at IS
'when the table was deleted, null if it was not';
COMMENT ON COLUMN dynamo_internal.recovery.partition_key IS
'name of the HASH attribute of the table';
COMMENT ON COLUMN dynamo_internal.recovery.partition_key_type IS
'its type: S, N or B';
COMMENT ON COLUMN dynamo_internal.recovery.sort_key IS
'name of the RANGE attribute, null if there is none';
COMMENT ON COLUMN dynamo_internal.recovery.sort_key_type IS
'its type: S, N or B';
CREATE TRIGGER definition_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo_internal.recovery
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.definition_edited();

CREATE SEQUENCE dynamo_internal.recovery_ids AS integer;
COMMENT ON SEQUENCE dynamo_internal.recovery_ids IS
'numbers of tables in the journal';
CREATE SEQUENCE dynamo_internal.journal_sequence;
COMMENT ON SEQUENCE dynamo_internal.journal_sequence IS
'numbers of the entries of the journal';

CREATE TABLE dynamo_internal.recovery_windows (
	recovery_id integer NOT NULL,
	began_at timestamp with time zone NOT NULL,
	xid pg_catalog.xid8 NOT NULL,
	CONSTRAINT recovery_windows_pkey PRIMARY KEY (recovery_id)
) USING heap;
COMMENT ON TABLE dynamo_internal.recovery_windows IS
'what the journal of this server has of a table; not dumped, as the journal '
'is not';
COMMENT ON COLUMN dynamo_internal.recovery_windows.recovery_id IS
'the table; 0: of any table';
COMMENT ON COLUMN dynamo_internal.recovery_windows.began_at IS
'all changes since then';
COMMENT ON COLUMN dynamo_internal.recovery_windows.xid IS
'of the transaction in which that began';

-- As pieces of streams: only TRUNCATE makes rows obsolete, and images are not
-- compressed.
CREATE TABLE dynamo_internal.journal_0 (
	recovery integer NOT NULL,
	hash integer NOT NULL,
	number bigint NOT NULL,
	at timestamp with time zone NOT NULL,
	xid pg_catalog.xid8 NOT NULL,
	keys dynamo.item,
	old_image dynamo.item,
	snapshot pg_catalog.pg_snapshot,
	since timestamp with time zone
) USING heap WITH (
	autovacuum_enabled = false, toast.autovacuum_enabled = false
);
ALTER TABLE dynamo_internal.journal_0 ALTER old_image SET STORAGE external;
CREATE INDEX journal_0_order
	ON dynamo_internal.journal_0 (recovery, hash, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.journal_0 IS
'the journal of point-in-time recovery, a piece of the ring';
COMMENT ON COLUMN dynamo_internal.journal_0.recovery IS
'recovery_id of the table, or 0: a marker';
COMMENT ON COLUMN dynamo_internal.journal_0.hash IS
'upper half of the hash of the partition key';
COMMENT ON COLUMN dynamo_internal.journal_0.number IS
'from dynamo_internal.journal_sequence; of a marker, its time in microseconds '
'since 2000';
COMMENT ON COLUMN dynamo_internal.journal_0.at IS
'when the change was made, or the snapshot taken';
COMMENT ON COLUMN dynamo_internal.journal_0.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_0.keys IS
'the key of the item if there was none before';
COMMENT ON COLUMN dynamo_internal.journal_0.old_image IS
'the item before the change';
COMMENT ON COLUMN dynamo_internal.journal_0.snapshot IS
'of a marker: what was committed';
COMMENT ON COLUMN dynamo_internal.journal_0.since IS
'of a marker: from when on all was as it says; null: not known';
SELECT dynamo_internal.run(c.statement)
FROM pg_catalog.generate_series(1, 19) AS n,
	LATERAL (VALUES (1, pg_catalog.format(
		'CREATE TABLE dynamo_internal.journal_%s ('
		'LIKE dynamo_internal.journal_0 INCLUDING COMMENTS INCLUDING STORAGE) '
		'USING heap WITH (autovacuum_enabled = false, '
		'toast.autovacuum_enabled = false)', n)),
	(2, pg_catalog.format(
		'CREATE INDEX journal_%s_order ON dynamo_internal.journal_%1$s '
		'(recovery, hash, number) WITH (deduplicate_items = off)', n)),
	(3, pg_catalog.format(
		'COMMENT ON TABLE dynamo_internal.journal_%s IS '
		'''the journal of point-in-time recovery, a piece of the ring''', n)))
		AS c(step, statement)
ORDER BY n, c.step;
SELECT dynamo_internal.run(pg_catalog.format(
	'COMMENT ON INDEX dynamo_internal.journal_%s_order IS '
	'''entries of a partition in order''', n))
FROM pg_catalog.generate_series(0, 19) AS n;

SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.recovery', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo_internal.recovery_ids', '');

CREATE FUNCTION dynamo.enable_recovery(
	table_name text,
	days integer DEFAULT 35)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_enable_recovery';
COMMENT ON FUNCTION dynamo.enable_recovery(text, integer) IS
'switches point-in-time recovery of a table on, as UpdateContinuousBackups '
'does, or changes for how many days, 1 to 35, it reaches back: the table can '
'be restored to any second since now. For the owner of the table. Raises '
'ResourceNotFoundException. Example: SELECT '
'dynamo.enable_recovery(''Garden'', days => 7)';

CREATE FUNCTION dynamo.disable_recovery(table_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_disable_recovery';
COMMENT ON FUNCTION dynamo.disable_recovery(text) IS
'switches point-in-time recovery of a table off, as UpdateContinuousBackups '
'does; what was kept of it is lost. For the owner of the table. Raises '
'ResourceNotFoundException. Example: SELECT '
'dynamo.disable_recovery(''Garden'')';

CREATE FUNCTION dynamo.recovery_window(
	table_name text,
	OUT days integer,
	OUT earliest timestamp with time zone,
	OUT latest timestamp with time zone)
RETURNS record
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_recovery_window';
COMMENT ON FUNCTION dynamo.recovery_window(text) IS
'the times that a table can be read as of and restored to, as '
'DescribeContinuousBackups tells them, and for how many days they are kept; '
'all null if point-in-time recovery is off. For those who may use the table. '
'Raises ResourceNotFoundException. Example: SELECT * FROM '
'dynamo.recovery_window(''Garden'')';

CREATE FUNCTION dynamo_internal.recovery_holes(relation pg_catalog.oid)
RETURNS TABLE (
	began timestamp with time zone,
	ended timestamp with time zone)
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_recovery_holes';
COMMENT ON FUNCTION dynamo_internal.recovery_holes(pg_catalog.oid) IS
'rows of dynamo.recovery_holes for a relation; none for those who may not use '
'it';

CREATE VIEW dynamo.recovery_holes AS
SELECT t.table_name, h.began AS began_at, h.ended AS ended_at
FROM dynamo.tables AS t,
	LATERAL dynamo_internal.recovery_holes(t.relation) AS h;
COMMENT ON VIEW dynamo.recovery_holes IS
'times within recovery_window() that a table cannot be read as of or '
'restored to, since no point was marked while it was changed; of the tables '
'that the role may use. Reads the whole journal of a table that has such '
'times';
COMMENT ON COLUMN dynamo.recovery_holes.table_name IS 'the table';
COMMENT ON COLUMN dynamo.recovery_holes.began_at IS 'the first of these times';
COMMENT ON COLUMN dynamo.recovery_holes.ended_at IS
'the first that can be restored again';

CREATE FUNCTION dynamo.mark_recovery()
RETURNS timestamp with time zone
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_mark_recovery';
COMMENT ON FUNCTION dynamo.mark_recovery() IS
'makes what is committed now a point that tables with point-in-time recovery '
'can be restored to, and returns its time. If dynamo is preloaded, the '
'server does it each second while there are changes. Call it in a '
'transaction of its own. Only the owner may execute it. Example: SELECT '
'dynamo.mark_recovery()';
REVOKE EXECUTE ON FUNCTION dynamo.mark_recovery() FROM PUBLIC;

CREATE FUNCTION dynamo.trim_recovery()
RETURNS integer
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_trim_recovery';
COMMENT ON FUNCTION dynamo.trim_recovery() IS
'truncates those parts of the journal of point-in-time recovery, each for '
'two days, that are older than the longest period of any table by more than '
'a day; begins recovery of tables that come from a dump. Returns their '
'number. Call it at least once in two days, in a transaction of its own; if '
'dynamo is preloaded, the server does it. Only the owner may execute it. '
'Example: SELECT dynamo.trim_recovery()';
REVOKE EXECUTE ON FUNCTION dynamo.trim_recovery() FROM PUBLIC;

CREATE FUNCTION dynamo_internal.trim_recovery(now timestamp with time zone)
RETURNS integer
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_trim_recovery_at';
COMMENT ON FUNCTION dynamo_internal.trim_recovery(timestamp with time zone) IS
'trim_recovery() as of the given time';
REVOKE EXECUTE ON FUNCTION dynamo_internal.trim_recovery(
	timestamp with time zone)
	FROM PUBLIC;

CREATE FUNCTION dynamo_internal.past(
	relation pg_catalog.oid,
	since pg_catalog.pg_snapshot,
	written_from timestamp with time zone,
	hash integer DEFAULT NULL,
	until pg_catalog.pg_snapshot DEFAULT NULL)
RETURNS TABLE (
	pk dynamo.partition_key,
	sk dynamo.sort_key,
	keys dynamo.item,
	old_image dynamo.item,
	changed_at timestamp with time zone)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 1000
AS 'MODULE_PATHNAME', 'dynamo_past';
COMMENT ON FUNCTION dynamo_internal.past(
	pg_catalog.oid, pg_catalog.pg_snapshot, timestamp with time zone, integer,
	pg_catalog.pg_snapshot) IS
'what the items of a table were that have been changed since a marker: one '
'row for each, old_image null if there was none; of all, or of partition keys '
'with that hash. changed_at is the last change that "until" sees. Needs '
'SELECT on the relation, without row-level security in force';

--
-- Regions and global tables
--
-- A region is a database.  A table with replicas in other regions has a row
-- in global_tables, and one in replicas for each other region (see
-- src/region).  None of this is dumped: a copy of a database is not the region
-- that it is a copy of.
--

CREATE FUNCTION dynamo_internal.region_validator(options text[],
	catalog pg_catalog.oid)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_region_validator';
COMMENT ON FUNCTION dynamo_internal.region_validator(text[], pg_catalog.oid) IS
'checks options of a foreign server that stands for a region, or of a user '
'mapping that holds its credentials';

CREATE FOREIGN DATA WRAPPER dynamo_region
	VALIDATOR dynamo_internal.region_validator;
COMMENT ON FOREIGN DATA WRAPPER dynamo_region IS
'databases that are other regions: a server says where one is (options host, '
'hostaddr, port, dbname, sslmode, sslrootcert; for superusers), user mappings '
'as whom the background connects there for tables of a role (options user, '
'password, and for superusers password_required). It has no foreign tables';

CREATE TABLE dynamo.regions (
	region_name text NOT NULL,
	region_id integer NOT NULL,
	server pg_catalog.oid NOT NULL,
	CONSTRAINT regions_pkey PRIMARY KEY (region_name),
	CONSTRAINT regions_region_id_key UNIQUE (region_id),
	CONSTRAINT regions_server_key UNIQUE (server)
) USING heap;
COMMENT ON TABLE dynamo.regions IS
'regions, one row each; written by create_region and drop_region, not by hand';
COMMENT ON COLUMN dynamo.regions.region_name IS 'its name: eu-west-1';
COMMENT ON COLUMN dynamo.regions.region_id IS
'what versions of items name it by: the CRC-32C of its name';
COMMENT ON COLUMN dynamo.regions.server IS
'the foreign server that says where it is, of the wrapper dynamo_region; 0: '
'it is this database';

CREATE FUNCTION dynamo.create_region(region_name text,
	server_name text DEFAULT NULL)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_create_region';
COMMENT ON FUNCTION dynamo.create_region(text, text) IS
'makes a region known, whose database a foreign server of the wrapper '
'dynamo_region is about, of which a superuser is the owner; or (null) names '
'the region that this database is, which is the setting dynamo.region '
'otherwise. A name has 1 to 63 small letters, digits and hyphens. Only '
'superusers may call it. An error if there is a region of that name. Example: '
'SELECT dynamo.create_region(''eu-west-1'')';
REVOKE EXECUTE ON FUNCTION dynamo.create_region(text, text) FROM PUBLIC;

CREATE FUNCTION dynamo.drop_region(region_name text,
	lost boolean DEFAULT false)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_drop_region';
COMMENT ON FUNCTION dynamo.drop_region(text, boolean) IS
'forgets a region; its foreign server stays. Only superusers may call it. An '
'error if there is no such region, if it has replicas of tables, or if it is '
'this database''s own while there are such tables. With "lost" its replicas '
'are forgotten, too, without asking it, and what it had sent here goes to the '
'other regions. Example: SELECT dynamo.drop_region(''eu-west-1'')';
REVOKE EXECUTE ON FUNCTION dynamo.drop_region(text, boolean) FROM PUBLIC;

CREATE TABLE dynamo_internal.global_tables (
	relation pg_catalog.regclass NOT NULL,
	global_id integer NOT NULL,
	region_name text NOT NULL,
	region_id integer NOT NULL,
	seed bigint NOT NULL,
	versioned boolean NOT NULL,
	versioned_to dynamo.item,
	floor bigint NOT NULL,
	CONSTRAINT global_tables_pkey PRIMARY KEY (relation),
	CONSTRAINT global_tables_global_id_key UNIQUE (global_id)
) USING heap;
COMMENT ON TABLE dynamo_internal.global_tables IS
'tables with replicas in other regions, one row each; not written by hand';
COMMENT ON COLUMN dynamo_internal.global_tables.relation IS
'the relation of the table';
COMMENT ON COLUMN dynamo_internal.global_tables.global_id IS
'identifies the table in what is kept of its items';
COMMENT ON COLUMN dynamo_internal.global_tables.region_name IS
'this database''s region when the table became global';
COMMENT ON COLUMN dynamo_internal.global_tables.region_id IS
'its number';
COMMENT ON COLUMN dynamo_internal.global_tables.seed IS
'random; hashes of keys begin with it';
COMMENT ON COLUMN dynamo_internal.global_tables.versioned IS
'whether all items have a version by now';
COMMENT ON COLUMN dynamo_internal.global_tables.versioned_to IS
'key of the last item that has been given one';
COMMENT ON COLUMN dynamo_internal.global_tables.floor IS
'versions that are given here have a later time, as in item_versions';
CREATE TRIGGER definition_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE
	ON dynamo_internal.global_tables
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.definition_edited();

CREATE SEQUENCE dynamo_internal.global_table_ids AS integer;
COMMENT ON SEQUENCE dynamo_internal.global_table_ids IS
'numbers of global tables';

CREATE TABLE dynamo_internal.replicas (
	relation pg_catalog.regclass NOT NULL,
	region_name text NOT NULL,
	region_id integer NOT NULL,
	status text NOT NULL
		CHECK (status IN ('CREATING', 'UPDATING', 'ACTIVE', 'DELETING')),
	status_description text,
	created_at timestamp with time zone NOT NULL,
	overrides json NOT NULL,
	source boolean NOT NULL,
	position bigint NOT NULL,
	sent bigint NOT NULL,
	held bigint NOT NULL,
	sent_to timestamp with time zone,
	retry_at timestamp with time zone,
	failures integer NOT NULL,
	offered bigint NOT NULL,
	epoch bigint NOT NULL,
	incarnation text,
	whole boolean NOT NULL,
	lag bigint NOT NULL,
	confirmed bigint NOT NULL,
	clock bigint NOT NULL,
	until bigint NOT NULL,
	CONSTRAINT replicas_pkey PRIMARY KEY (relation, region_name)
) USING heap;
COMMENT ON TABLE dynamo_internal.replicas IS
'replicas of global tables in other regions, one row each; not written by '
'hand';
COMMENT ON COLUMN dynamo_internal.replicas.relation IS
'the relation of the table here';
COMMENT ON COLUMN dynamo_internal.replicas.region_name IS 'the other region';
COMMENT ON COLUMN dynamo_internal.replicas.region_id IS 'its number';
COMMENT ON COLUMN dynamo_internal.replicas.status IS
'ReplicaStatus: CREATING, UPDATING, ACTIVE or DELETING';
COMMENT ON COLUMN dynamo_internal.replicas.status_description IS
'what is in the way, null if nothing is';
COMMENT ON COLUMN dynamo_internal.replicas.created_at IS
'when it was asked for';
COMMENT ON COLUMN dynamo_internal.replicas.overrides IS
'settings of the replica that are not the table''s';
COMMENT ON COLUMN dynamo_internal.replicas.source IS
'whether its first items come from here';
COMMENT ON COLUMN dynamo_internal.replicas.position IS
'number of the last version that the replica has';
COMMENT ON COLUMN dynamo_internal.replicas.sent IS 'versions sent to it';
COMMENT ON COLUMN dynamo_internal.replicas.held IS
'versions sent last that the replica does not take yet, since its clock is '
'behind';
COMMENT ON COLUMN dynamo_internal.replicas.sent_to IS
'it has all that was written here until then';
COMMENT ON COLUMN dynamo_internal.replicas.retry_at IS
'when it is tried again';
COMMENT ON COLUMN dynamo_internal.replicas.failures IS
'attempts in vain, one after the other';
COMMENT ON COLUMN dynamo_internal.replicas.offered IS
'no version with a greater number has ever been sent to it';
COMMENT ON COLUMN dynamo_internal.replicas.epoch IS
'random; another one when what is sent to it begins anew';
COMMENT ON COLUMN dynamo_internal.replicas.incarnation IS
'of this database, which the replica knows; null if it knows none yet';
COMMENT ON COLUMN dynamo_internal.replicas.whole IS
'whether versions of all regions are sent to it, until it has all';
COMMENT ON COLUMN dynamo_internal.replicas.lag IS
'milliseconds that the oldest of the changes sent last took at most';
COMMENT ON COLUMN dynamo_internal.replicas.confirmed IS
'greatest number up to which the replica has ever said that it has all';
COMMENT ON COLUMN dynamo_internal.replicas.clock IS
'what its clock has said last: milliseconds since 1970, 0: nothing';
COMMENT ON COLUMN dynamo_internal.replicas.until IS
'number: once all up to it is there the two regions part, of which one '
'leaves; 0: they stay together';

CREATE TABLE dynamo_internal.item_versions (
	global_id integer NOT NULL,
	key uuid NOT NULL,
	number bigint NOT NULL,
	time bigint NOT NULL,
	region_id integer NOT NULL,
	deleted boolean NOT NULL,
	keys dynamo.item NOT NULL,
	CONSTRAINT item_versions_pkey PRIMARY KEY (global_id, key)
) USING heap;
CREATE INDEX item_versions_number
	ON dynamo_internal.item_versions (global_id, number)
	WITH (deduplicate_items = off);
COMMENT ON TABLE dynamo_internal.item_versions IS
'what the last write of each item of a global table was, one row each';
COMMENT ON COLUMN dynamo_internal.item_versions.global_id IS
'the table, in global_tables';
COMMENT ON COLUMN dynamo_internal.item_versions.key IS
'a hash of the key';
COMMENT ON COLUMN dynamo_internal.item_versions.number IS
'of the change here, from dynamo_internal.stream_sequence';
COMMENT ON COLUMN dynamo_internal.item_versions.time IS
'milliseconds since 1970, times 65536, and a count within one; 0: before the '
'table was global';
COMMENT ON COLUMN dynamo_internal.item_versions.region_id IS
'where it was written';
COMMENT ON COLUMN dynamo_internal.item_versions.deleted IS
'there is no item any more';
COMMENT ON COLUMN dynamo_internal.item_versions.keys IS 'the key';
COMMENT ON INDEX dynamo_internal.item_versions_number IS
'items of a table in the order of their last changes';

CREATE TABLE dynamo_internal.replicas_received (
	relation pg_catalog.regclass NOT NULL,
	region_name text NOT NULL,
	incarnation text NOT NULL,
	position bigint NOT NULL,
	applied bigint NOT NULL,
	discarded bigint NOT NULL,
	CONSTRAINT replicas_received_pkey PRIMARY KEY (relation, region_name)
) USING heap;
COMMENT ON TABLE dynamo_internal.replicas_received IS
'what has come from the replicas of global tables, one row each';
COMMENT ON COLUMN dynamo_internal.replicas_received.relation IS
'the relation of the table here';
COMMENT ON COLUMN dynamo_internal.replicas_received.region_name IS
'the other region';
COMMENT ON COLUMN dynamo_internal.replicas_received.incarnation IS
'tells its database from one that has been restored in its place';
COMMENT ON COLUMN dynamo_internal.replicas_received.position IS
'number there of the last change that is here';
COMMENT ON COLUMN dynamo_internal.replicas_received.applied IS
'changes that have come from there, and were newer';
COMMENT ON COLUMN dynamo_internal.replicas_received.discarded IS
'changes that have come from there, and were not newer';

CREATE VIEW dynamo.replicas AS
SELECT t.table_name, r.region_name, r.status, r.status_description,
	r.created_at, r.position, r.sent, r.held, r.sent_to AS sent_until,
	coalesce(f.applied, 0) AS applied,
	coalesce(f.discarded, 0) AS discarded,
	CASE WHEN r.failures > 0 OR r.held > 0
			OR w.since OPERATOR(pg_catalog.>) 30000
		THEN greatest(w.since, 0) ELSE r.lag END
		* interval '1 millisecond' AS lag
FROM dynamo_internal.replicas AS r
	JOIN dynamo.tables AS t USING (relation)
	LEFT JOIN dynamo_internal.replicas_received AS f
		USING (relation, region_name)
	CROSS JOIN LATERAL (SELECT (extract(epoch FROM
		pg_catalog.clock_timestamp() - coalesce(r.sent_to, r.created_at))
		* 1000)::bigint) AS w(since)
WHERE dynamo_internal.may_use(r.relation);
COMMENT ON VIEW dynamo.replicas IS
'replicas of tables in other regions, one row each; of the tables that the '
'role may use';
COMMENT ON COLUMN dynamo.replicas.table_name IS 'the table';
COMMENT ON COLUMN dynamo.replicas.region_name IS 'the other region';
COMMENT ON COLUMN dynamo.replicas.status IS
'ReplicaStatus: CREATING, UPDATING, ACTIVE or DELETING';
COMMENT ON COLUMN dynamo.replicas.status_description IS
'what is in the way, null if nothing is';
COMMENT ON COLUMN dynamo.replicas.created_at IS 'when it was asked for';
COMMENT ON COLUMN dynamo.replicas.position IS
'number of the last change here that the replica has';
COMMENT ON COLUMN dynamo.replicas.sent IS 'changes sent to it';
COMMENT ON COLUMN dynamo.replicas.applied IS
'changes that have come from there, and were newer';
COMMENT ON COLUMN dynamo.replicas.discarded IS
'changes that have come from there, and were not newer';
COMMENT ON COLUMN dynamo.replicas.held IS
'changes sent last that the replica does not take yet, since its clock is '
'behind';
COMMENT ON COLUMN dynamo.replicas.sent_until IS
'it has all that was written here until then; noted every ten seconds at '
'least while it is reached';
COMMENT ON COLUMN dynamo.replicas.lag IS
'how long the oldest of the changes sent last took at most; while sending '
'fails, for how long it may lack what was written here';

CREATE TABLE dynamo_internal.stable_versions (
	relation pg_catalog.regclass NOT NULL,
	region_name text NOT NULL,
	members text NOT NULL,
	time bigint NOT NULL,
	number bigint NOT NULL,
	trimmed bigint NOT NULL,
	CONSTRAINT stable_versions_pkey PRIMARY KEY (relation, region_name)
) USING heap;
COMMENT ON TABLE dynamo_internal.stable_versions IS
'up to when all regions of a global table have what each of them has written, '
'a row for each region; not written by hand';
COMMENT ON COLUMN dynamo_internal.stable_versions.relation IS
'the relation of the table here';
COMMENT ON COLUMN dynamo_internal.stable_versions.region_name IS
'the region that claims it: this one, or another';
COMMENT ON COLUMN dynamo_internal.stable_versions.members IS
'all regions that have the table, by comma';
COMMENT ON COLUMN dynamo_internal.stable_versions.time IS
'they have its versions up to then, as in item_versions';
COMMENT ON COLUMN dynamo_internal.stable_versions.number IS
'of this region: what all others are to have for the next claim';
COMMENT ON COLUMN dynamo_internal.stable_versions.trimmed IS
'of this region: what is known of deleted items up to then is forgotten';

CREATE TABLE dynamo_internal.conflict_logs (
	relation pg_catalog.regclass NOT NULL,
	days integer NOT NULL,
	entries integer NOT NULL,
	CONSTRAINT conflict_logs_pkey PRIMARY KEY (relation)
) USING heap;
COMMENT ON TABLE dynamo_internal.conflict_logs IS
'tables whose conflicts are logged, one row each; written by '
'dynamo.log_conflicts';
COMMENT ON COLUMN dynamo_internal.conflict_logs.relation IS
'the relation of the table';
COMMENT ON COLUMN dynamo_internal.conflict_logs.days IS
'for how many days a conflict is kept';
COMMENT ON COLUMN dynamo_internal.conflict_logs.entries IS
'how many conflicts are kept at most';

CREATE SEQUENCE dynamo_internal.conflict_numbers;
COMMENT ON SEQUENCE dynamo_internal.conflict_numbers IS
'numbers of conflicts';

CREATE TABLE dynamo_internal.conflicts (
	relation pg_catalog.regclass NOT NULL,
	number bigint NOT NULL,
	logged_at timestamp with time zone NOT NULL,
	keys dynamo.item NOT NULL,
	lost_region text NOT NULL,
	lost_time bigint NOT NULL,
	lost_item dynamo.item,
	won_region text NOT NULL,
	won_time bigint NOT NULL,
	won_item dynamo.item,
	CONSTRAINT conflicts_pkey PRIMARY KEY (relation, number)
) USING heap;
COMMENT ON TABLE dynamo_internal.conflicts IS
'writes of items of global tables that were lost to others, one row each; '
'read by dynamo.conflicts';
COMMENT ON COLUMN dynamo_internal.conflicts.relation IS
'the relation of the table here';
COMMENT ON COLUMN dynamo_internal.conflicts.number IS
'from dynamo_internal.conflict_numbers';
COMMENT ON COLUMN dynamo_internal.conflicts.logged_at IS
'when it was noticed';
COMMENT ON COLUMN dynamo_internal.conflicts.keys IS 'the key of the item';
COMMENT ON COLUMN dynamo_internal.conflicts.lost_region IS
'where the write was made that was lost';
COMMENT ON COLUMN dynamo_internal.conflicts.lost_time IS
'time of its version, as in dynamo_internal.item_versions';
COMMENT ON COLUMN dynamo_internal.conflicts.lost_item IS
'what it wrote; null: it deleted the item';
COMMENT ON COLUMN dynamo_internal.conflicts.won_region IS
'where the one was made that won';
COMMENT ON COLUMN dynamo_internal.conflicts.won_time IS
'time of its version';
COMMENT ON COLUMN dynamo_internal.conflicts.won_item IS
'what it wrote; null: it deleted the item';

CREATE FUNCTION dynamo.log_conflicts(table_name text,
	days integer DEFAULT 7, entries integer DEFAULT 10000)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_log_conflicts';
COMMENT ON FUNCTION dynamo.log_conflicts(text, integer, integer) IS
'has writes of a global table that are lost to those of other regions logged '
'here, in dynamo.conflicts, and keeps them for so many days, up to 3650, and '
'no more than so many entries; 0 days: no longer, and those that there are '
'go. For the owner of the table, in each region by itself. Raises '
'ResourceNotFoundException. Example: SELECT '
'dynamo.log_conflicts(''Garden'', days => 30)';

CREATE VIEW dynamo.conflicts WITH (security_barrier) AS
SELECT t.table_name, c.logged_at, c.keys,
	c.lost_region,
	pg_catalog.to_timestamp((c.lost_time >> 16) / 1000.0) AS lost_at,
	c.lost_time AS lost_version,
	c.lost_item,
	c.won_region,
	pg_catalog.to_timestamp((c.won_time >> 16) / 1000.0) AS won_at,
	c.won_time AS won_version,
	c.won_item
FROM dynamo_internal.conflicts AS c
	JOIN dynamo.tables AS t USING (relation)
WHERE pg_catalog.has_table_privilege(c.relation, 'SELECT')
	AND NOT pg_catalog.row_security_active(c.relation);
COMMENT ON VIEW dynamo.conflicts IS
'writes of items of global tables that were lost to those of other regions, '
'one row each, of the tables that dynamo.log_conflicts was called for; of '
'those of which the role may read all rows';
COMMENT ON COLUMN dynamo.conflicts.table_name IS 'the table';
COMMENT ON COLUMN dynamo.conflicts.logged_at IS 'when it was noticed here';
COMMENT ON COLUMN dynamo.conflicts.keys IS 'the key of the item';
COMMENT ON COLUMN dynamo.conflicts.lost_region IS
'where the write was made that was lost';
COMMENT ON COLUMN dynamo.conflicts.lost_at IS
'when, by the clock there; 1970: before the table was global';
COMMENT ON COLUMN dynamo.conflicts.lost_version IS
'its version: milliseconds since 1970, times 65536, and a count within one';
COMMENT ON COLUMN dynamo.conflicts.lost_item IS
'the item that it wrote; null: it deleted the item';
COMMENT ON COLUMN dynamo.conflicts.won_region IS
'where the write was made that won';
COMMENT ON COLUMN dynamo.conflicts.won_at IS 'when, by the clock there';
COMMENT ON COLUMN dynamo.conflicts.won_version IS 'its version';
COMMENT ON COLUMN dynamo.conflicts.won_item IS
'the item that it wrote; null: it deleted the item';

CREATE FUNCTION dynamo_internal.replica_received(table_name text,
	region_name text, incarnation text, stable bigint DEFAULT 0,
	members text DEFAULT '')
RETURNS bigint
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_replica_received';
COMMENT ON FUNCTION dynamo_internal.replica_received(text, text, text, bigint,
	text) IS
'the number after which a region goes on sending its changes of a table, '
'which says that all members have its versions up to the time "stable"; '
'other regions call it as the owner of the table, which alone may';

CREATE FUNCTION dynamo_internal.apply_replica(table_name text,
	region_name text, incarnation text, "position" bigint, records bytea,
	after bigint DEFAULT 0, seen bigint DEFAULT 0, seen_of text DEFAULT '',
	OUT received bigint, OUT applied bigint, OUT discarded bigint,
	OUT held bigint)
RETURNS record
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_apply_replica';
COMMENT ON FUNCTION dynamo_internal.apply_replica(text, text, text, bigint,
	bytea, bigint, bigint, text) IS
'stores a batch of changes that another region has sent, where they are '
'newer, if those up to "after" are there; "seen" is up to where that region '
'had what was written here, by this database''s incarnation "seen_of"; other '
'regions call it as the owner of the table, which alone may';

CREATE FUNCTION dynamo_internal.resend_replica(table_name text,
	region_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_resend_replica';
COMMENT ON FUNCTION dynamo_internal.resend_replica(text, text) IS
'has a region sent all changes of a table again, of all regions; that region '
'calls it as the owner of the table, which alone may';

CREATE FUNCTION dynamo_internal.join_replica(table_name text,
	region_name text, definition text, members text[],
	settings text DEFAULT '')
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_join_replica';
COMMENT ON FUNCTION dynamo_internal.join_replica(text, text, text, text[],
	text) IS
'makes a table a replica of those of other regions, one of which calls it; '
'definition is a CreateTable request, and settings what merge_settings takes, '
'for one that is not there';

CREATE FUNCTION dynamo_internal.leave_replica(table_name text,
	region_name text, member text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_leave_replica';
COMMENT ON FUNCTION dynamo_internal.leave_replica(text, text, text) IS
'drops a table that is a replica of that of another region, which calls it';

CREATE TABLE dynamo_internal.shared_settings (
	relation pg_catalog.regclass NOT NULL,
	document text NOT NULL,
	CONSTRAINT shared_settings_pkey PRIMARY KEY (relation)
) USING heap;
COMMENT ON TABLE dynamo_internal.shared_settings IS
'settings that all regions of a global table share, one row a table; not '
'written by hand';
COMMENT ON COLUMN dynamo_internal.shared_settings.relation IS
'the relation of the table';
COMMENT ON COLUMN dynamo_internal.shared_settings.document IS
'JSON object: for each setting its Value, and the Time (ms) and Region of its '
'last change';

CREATE FUNCTION dynamo_internal.merge_settings(table_name text, document text)
RETURNS text
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_merge_settings';
COMMENT ON FUNCTION dynamo_internal.merge_settings(text, text) IS
'sets settings as another region has set them, where it did so later; other '
'regions call it as the owner of the table, which alone may. What is set '
'then, as such a document; null if there is no such global table';

CREATE FUNCTION dynamo_internal.forget_replica(table_name text,
	region_name text, member text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_forget_replica';
COMMENT ON FUNCTION dynamo_internal.forget_replica(text, text, text) IS
'notes that a region has a replica of a table no longer; another region calls '
'it';

CREATE FUNCTION dynamo_internal.part_replica(table_name text,
	region_name text, member text)
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_part_replica';
COMMENT ON FUNCTION dynamo_internal.part_replica(text, text, text) IS
'whether a region that leaves a global table has all that was written here '
'when it first asked, and has left; it calls this';

CREATE FUNCTION dynamo_internal.trim_replicas()
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_trim_replicas';
COMMENT ON FUNCTION dynamo_internal.trim_replicas() IS
'forgets what is no longer needed: versions of items of tables that are '
'global no longer, what is known of deleted items once all regions have it, '
'and conflicts that have been kept for long enough; 10,000 at most of each. '
'True: there may be more. The background does it each hour';
REVOKE EXECUTE ON FUNCTION dynamo_internal.trim_replicas() FROM PUBLIC;

CREATE FUNCTION dynamo_internal.add_replica(table_name text,
	region_name text)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_add_replica';
COMMENT ON FUNCTION dynamo_internal.add_replica(text, text) IS
'asks for a replica of a table in a region: a row of dynamo.replicas';
REVOKE EXECUTE ON FUNCTION dynamo_internal.add_replica(text, text)
	FROM PUBLIC;

CREATE FUNCTION dynamo_internal.remove_replica(table_name text,
	region_name text)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_remove_replica';
COMMENT ON FUNCTION dynamo_internal.remove_replica(text, text) IS
'asks for the end of a replica of a table';
REVOKE EXECUTE ON FUNCTION dynamo_internal.remove_replica(text, text)
	FROM PUBLIC;

--
-- Event source mappings
--
-- A function is called with the changes to a table, in batches.  How far it
-- has come is written in the transaction of its work (see src/handler).
--

CREATE SEQUENCE dynamo_internal.event_source_ids AS integer;
COMMENT ON SEQUENCE dynamo_internal.event_source_ids IS
'numbers of event source mappings';
CREATE TABLE dynamo_internal.event_sources (
	mapping pg_catalog.int4 NOT NULL,
	relation pg_catalog.regclass NOT NULL,
	stream pg_catalog.int4 NOT NULL,
	owner pg_catalog.name NOT NULL,
	owner_oid pg_catalog.oid NOT NULL,
	function_schema pg_catalog.name NOT NULL,
	function_name pg_catalog.name NOT NULL,
	enabled pg_catalog.bool NOT NULL,
	created_at pg_catalog.timestamptz NOT NULL,
	settings pg_catalog.json NOT NULL,
	on_failure pg_catalog.regclass,
	CONSTRAINT event_sources_pkey PRIMARY KEY (mapping)
) USING heap;
COMMENT ON TABLE dynamo_internal.event_sources IS
'event source mappings, one row each; written by '
'dynamo.create_event_source_mapping and the like, read by '
'dynamo.event_source_mappings';
COMMENT ON COLUMN dynamo_internal.event_sources.mapping IS 'its number';
COMMENT ON COLUMN dynamo_internal.event_sources.relation IS
'the relation of the table whose changes it handles';
COMMENT ON COLUMN dynamo_internal.event_sources.stream IS
'stream_id of the stream that it reads now';
COMMENT ON COLUMN dynamo_internal.event_sources.owner IS
'the role that the function runs as';
COMMENT ON COLUMN dynamo_internal.event_sources.owner_oid IS
'its OID; a role with the same name and another OID does not own the mapping';
COMMENT ON COLUMN dynamo_internal.event_sources.function_schema IS
'schema of the function';
COMMENT ON COLUMN dynamo_internal.event_sources.function_name IS
'its name; its argument is of type jsonb';
COMMENT ON COLUMN dynamo_internal.event_sources.enabled IS
'whether the server runs it';
COMMENT ON COLUMN dynamo_internal.event_sources.created_at IS
'when it was made';
COMMENT ON COLUMN dynamo_internal.event_sources.settings IS
'batch size, filters and the like, under Lambda''s names';
COMMENT ON COLUMN dynamo_internal.event_sources.on_failure IS
'the table that keeps what was given up, null if none does';
CREATE TABLE dynamo_internal.event_source_positions (
	mapping pg_catalog.int4 NOT NULL,
	lane pg_catalog.int4 NOT NULL,
	number pg_catalog.int8 NOT NULL,
	handled pg_catalog.int8 NOT NULL,
	discarded pg_catalog.int8 NOT NULL,
	batch_end pg_catalog.int8,
	batch_limit pg_catalog.int4,
	failures pg_catalog.int4 NOT NULL,
	retry_at pg_catalog.timestamptz,
	last_at pg_catalog.timestamptz,
	result pg_catalog.text NOT NULL,
	lost_at pg_catalog.timestamptz,
	CONSTRAINT event_source_positions_pkey PRIMARY KEY (mapping, lane)
) USING heap WITH (fillfactor = 50);
COMMENT ON TABLE dynamo_internal.event_source_positions IS
'how far event source mappings have come, a row for each lane: a shard, or '
'with a parallelization factor one part of its keys';
COMMENT ON COLUMN dynamo_internal.event_source_positions.mapping IS
'the mapping';
COMMENT ON COLUMN dynamo_internal.event_source_positions.lane IS
'shard times the parallelization factor, plus the part';
COMMENT ON COLUMN dynamo_internal.event_source_positions.number IS
'all records up to this number are done';
COMMENT ON COLUMN dynamo_internal.event_source_positions.handled IS
'records that the function has handled';
COMMENT ON COLUMN dynamo_internal.event_source_positions.discarded IS
'records that were given up';
COMMENT ON COLUMN dynamo_internal.event_source_positions.batch_end IS
'last number of the batch that is tried again, null if none is';
COMMENT ON COLUMN dynamo_internal.event_source_positions.batch_limit IS
'most records of a batch, after one that was cut in half; null: the batch '
'size';
COMMENT ON COLUMN dynamo_internal.event_source_positions.failures IS
'how often that batch has failed';
COMMENT ON COLUMN dynamo_internal.event_source_positions.retry_at IS
'when it is tried again, null if there is no reason to wait';
COMMENT ON COLUMN dynamo_internal.event_source_positions.last_at IS
'when the function was called last, or could not be';
COMMENT ON COLUMN dynamo_internal.event_source_positions.result IS
'what came of that';
COMMENT ON COLUMN dynamo_internal.event_source_positions.lost_at IS
'when records were found trimmed before they were handled, null if never';

CREATE FUNCTION dynamo_internal.event_source_restored()
RETURNS trigger
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_event_source_restored';
COMMENT ON FUNCTION dynamo_internal.event_source_restored() IS
'finds the owner of a mapping that is restored from a dump, and disables it';
REVOKE EXECUTE ON FUNCTION dynamo_internal.event_source_restored() FROM PUBLIC;
CREATE TRIGGER event_source_restored
	BEFORE INSERT ON dynamo_internal.event_sources
	FOR EACH ROW EXECUTE FUNCTION dynamo_internal.event_source_restored();
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.event_source_ids', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.event_sources', '');
SELECT pg_catalog.pg_extension_config_dump(
	'dynamo_internal.event_source_positions', '');

CREATE FUNCTION dynamo.create_event_source_mapping(
	table_name text,
	function pg_catalog.regproc,
	batch_size integer DEFAULT 100,
	batching_window_seconds integer DEFAULT 0,
	filter_criteria dynamo.json_input DEFAULT NULL,
	maximum_retry_attempts integer DEFAULT -1,
	bisect_on_error boolean DEFAULT false,
	on_failure pg_catalog.regclass DEFAULT NULL,
	starting_position text DEFAULT 'LATEST',
	starting_timestamp timestamp with time zone DEFAULT NULL,
	maximum_record_age_seconds integer DEFAULT -1,
	parallelization_factor integer DEFAULT 1,
	enabled boolean DEFAULT true)
RETURNS integer
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_create_event_source_mapping';
COMMENT ON FUNCTION dynamo.create_event_source_mapping(
	text, pg_catalog.regproc, integer, integer, dynamo.json_input, integer,
	boolean, pg_catalog.regclass, text, timestamp with time zone, integer,
	integer, boolean) IS
'has a function called with the changes to a table, in the background, as '
'Lambda''s CreateEventSourceMapping does, and returns the number of the '
'mapping. The table needs a stream. The function takes one jsonb, an event '
'of Lambda, and returns void or jsonb, null or a partial batch response; it '
'runs as the current role, which needs SELECT on the table and EXECUTE on '
'the function, and must own the function unless the function''s owner has '
'all its rights. Each change is handled exactly once: the position is kept '
'in the transaction of the function''s work. batch_size: 1 to 10000 records '
'(and 6 MB). batching_window_seconds: 0 to 300, to wait for a whole batch. '
'filter_criteria: {"Filters": [{"Pattern": ...}]}, 1 to 10 EventBridge '
'patterns. maximum_retry_attempts: 0 to 10000, -1: no limit. '
'bisect_on_error: cut a batch that fails in half. on_failure: a table with a '
'column message of type jsonb that keeps what is given up. '
'starting_position: LATEST, TRIM_HORIZON, or AT_TIMESTAMP with '
'starting_timestamp. maximum_record_age_seconds: 60 to 604800, -1: no '
'limit. parallelization_factor: 1 to 10 batches of a shard at a time, the '
'changes of a partition key in order. Raises ResourceNotFoundException, '
'AccessDeniedException, object_not_in_prerequisite_state without a stream, '
'invalid_function_definition, insufficient_privilege, '
'invalid_parameter_value. Only the owner may execute it, unless granted: a '
'mapping takes processes of the server. Example: SELECT '
'dynamo.create_event_source_mapping(''Garden'', ''count_plants'', batch_size '
'=> 10, starting_position => ''TRIM_HORIZON'')';
REVOKE EXECUTE ON FUNCTION dynamo.create_event_source_mapping(
	text, pg_catalog.regproc, integer, integer, dynamo.json_input, integer,
	boolean, pg_catalog.regclass, text, timestamp with time zone, integer,
	integer, boolean)
	FROM PUBLIC;

CREATE FUNCTION dynamo.update_event_source_mapping(
	mapping integer,
	function pg_catalog.regproc DEFAULT NULL,
	batch_size integer DEFAULT NULL,
	batching_window_seconds integer DEFAULT NULL,
	filter_criteria dynamo.json_input DEFAULT NULL,
	maximum_retry_attempts integer DEFAULT NULL,
	bisect_on_error boolean DEFAULT NULL,
	on_failure pg_catalog.regclass DEFAULT NULL,
	maximum_record_age_seconds integer DEFAULT NULL,
	enabled boolean DEFAULT NULL)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_update_event_source_mapping';
COMMENT ON FUNCTION dynamo.update_event_source_mapping(
	integer, pg_catalog.regproc, integer, integer, dynamo.json_input,
	integer, boolean, pg_catalog.regclass, integer, boolean) IS
'changes an event source mapping, as Lambda''s UpdateEventSourceMapping '
'does. What is null stays; filter_criteria {} and on_failure ''-'' remove '
'what there was. Limits are those of dynamo.create_event_source_mapping. '
'Waits for a batch that is being handled; one that waits after a failure is '
'tried again at once if the mapping is enabled. For members of the role '
'that owns the mapping; the owner of the table may disable it. Raises '
'undefined_object, insufficient_privilege, and what '
'create_event_source_mapping raises. Example: SELECT '
'dynamo.update_event_source_mapping(:mapping, batch_size => 100, enabled => '
'false)';

CREATE FUNCTION dynamo.delete_event_source_mapping(mapping integer)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_delete_event_source_mapping';
COMMENT ON FUNCTION dynamo.delete_event_source_mapping(integer) IS
'deletes an event source mapping and its position, as Lambda''s '
'DeleteEventSourceMapping does. Waits for a batch that is being handled. For '
'members of the role that owns the mapping, and for the owner of the table. '
'Raises undefined_object, insufficient_privilege. Example: SELECT '
'dynamo.delete_event_source_mapping(:mapping)';

CREATE FUNCTION dynamo.run_event_source_mapping(mapping integer)
RETURNS bigint
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_run_event_source_mapping';
COMMENT ON FUNCTION dynamo.run_event_source_mapping(integer) IS
'handles, in the current transaction, all changes that an event source '
'mapping has not handled yet, whether it is enabled or not, without waiting '
'for the batching window or for the time of the next attempt. A shard is '
'left at the first batch that fails, with a warning. Returns the number of '
'records handled. The function runs as the owner of the mapping. For members '
'of that role. Raises undefined_object, insufficient_privilege. Example: '
'SELECT dynamo.run_event_source_mapping(:mapping)';

CREATE FUNCTION dynamo_internal.event_source_lag(mapping integer)
RETURNS interval
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_event_source_lag';
COMMENT ON FUNCTION dynamo_internal.event_source_lag(integer) IS
'how long ago the oldest change was made that an event source mapping has '
'still to handle; null if there is none';

CREATE VIEW dynamo.event_source_mappings WITH (security_barrier) AS
SELECT s.mapping,
	t.table_name,
	(SELECT label FROM dynamo.streams WHERE stream_id = s.stream)
		AS stream_label,
	pg_catalog.format('%I.%I', s.function_schema, s.function_name)
		AS function,
	s.owner,
	s.enabled,
	(s.settings ->> 'BatchSize')::integer AS batch_size,
	(s.settings ->> 'MaximumBatchingWindowInSeconds')::integer
		AS batching_window_seconds,
	s.settings -> 'FilterCriteria' AS filter_criteria,
	(s.settings ->> 'MaximumRetryAttempts')::integer
		AS maximum_retry_attempts,
	(s.settings ->> 'BisectBatchOnFunctionError')::boolean
		AS bisect_on_error,
	s.on_failure,
	(s.settings ->> 'MaximumRecordAgeInSeconds')::integer
		AS maximum_record_age_seconds,
	(s.settings ->> 'ParallelizationFactor')::integer
		AS parallelization_factor,
	s.created_at,
	p.handled,
	p.discarded,
	CASE WHEN pg_catalog.pg_has_role(s.owner_oid, 'USAGE') THEN p.result END
		AS last_processing_result,
	p.last_at AS last_called_at,
	p.retry_at,
	p.lost_at,
	dynamo_internal.event_source_lag(s.mapping) AS lag
FROM dynamo_internal.event_sources AS s
	JOIN dynamo.tables AS t ON t.relation = s.relation
	JOIN pg_catalog.pg_class AS c ON c.oid = s.relation
	CROSS JOIN LATERAL (
		SELECT sum(q.handled)::bigint AS handled,
			sum(q.discarded)::bigint AS discarded,
			(pg_catalog.array_agg(q.result
				ORDER BY (q.failures > 0) DESC, q.last_at DESC NULLS LAST,
					q.lane))[1] AS result,
			max(q.last_at) AS last_at,
			min(q.retry_at) AS retry_at,
			max(q.lost_at) AS lost_at
		FROM dynamo_internal.event_source_positions AS q
		WHERE q.mapping = s.mapping) AS p
WHERE pg_catalog.pg_has_role(s.owner_oid, 'USAGE')
	OR pg_catalog.pg_has_role(c.relowner, 'USAGE');
COMMENT ON VIEW dynamo.event_source_mappings IS
'event source mappings, one row each, for members of the roles that own them '
'or own their tables';
COMMENT ON COLUMN dynamo.event_source_mappings.mapping IS
'its number, for update_, delete_ and run_event_source_mapping';
COMMENT ON COLUMN dynamo.event_source_mappings.table_name IS
'the table whose changes it handles';
COMMENT ON COLUMN dynamo.event_source_mappings.stream_label IS
'the stream that it reads now';
COMMENT ON COLUMN dynamo.event_source_mappings.function IS
'the function that is called';
COMMENT ON COLUMN dynamo.event_source_mappings.owner IS
'the role that the function runs as';
COMMENT ON COLUMN dynamo.event_source_mappings.enabled IS
'whether the server runs it';
COMMENT ON COLUMN dynamo.event_source_mappings.batch_size IS
'most records of a call';
COMMENT ON COLUMN dynamo.event_source_mappings.batching_window_seconds IS
'seconds to wait for a whole batch';
COMMENT ON COLUMN dynamo.event_source_mappings.filter_criteria IS
'EventBridge patterns, one of which a record must fit; null: all pass';
COMMENT ON COLUMN dynamo.event_source_mappings.maximum_retry_attempts IS
'how often a batch that failed is tried again, -1: without limit';
COMMENT ON COLUMN dynamo.event_source_mappings.bisect_on_error IS
'whether a batch that failed is cut in half';
COMMENT ON COLUMN dynamo.event_source_mappings.on_failure IS
'the table that keeps what was given up';
COMMENT ON COLUMN dynamo.event_source_mappings.maximum_record_age_seconds IS
'seconds after which a change is given up, -1: never';
COMMENT ON COLUMN dynamo.event_source_mappings.parallelization_factor IS
'batches of a shard at a time';
COMMENT ON COLUMN dynamo.event_source_mappings.created_at IS
'when it was made';
COMMENT ON COLUMN dynamo.event_source_mappings.handled IS
'records that the function has handled, of the stream that is read now';
COMMENT ON COLUMN dynamo.event_source_mappings.discarded IS
'records of it that were given up';
COMMENT ON COLUMN dynamo.event_source_mappings.last_processing_result IS
'OK, No records processed, or PROBLEM and what it is; of a shard with a '
'problem if one has any; for members of the owner';
COMMENT ON COLUMN dynamo.event_source_mappings.last_called_at IS
'when the function was called last';
COMMENT ON COLUMN dynamo.event_source_mappings.retry_at IS
'when a batch that failed is tried again';
COMMENT ON COLUMN dynamo.event_source_mappings.lost_at IS
'when changes were found trimmed before they were handled; null: never';
COMMENT ON COLUMN dynamo.event_source_mappings.lag IS
'how long ago the oldest change was made that is still to be handled; null: '
'there is none';

--
-- Jobs
--
-- Backups, restores, exports and imports that go on after the request that
-- asked for them was answered (see src/job).  They are about this server's
-- files and processes, so pg_dump leaves them out.
--

CREATE SEQUENCE dynamo_internal.job_numbers AS integer CYCLE;
COMMENT ON SEQUENCE dynamo_internal.job_numbers IS 'numbers of jobs';
CREATE TABLE dynamo_internal.jobs (
	number pg_catalog.int4 NOT NULL,
	id pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
	kind pg_catalog."char" NOT NULL,
	status pg_catalog."char" NOT NULL,
	table_name pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
	relation pg_catalog.regclass,
	owner pg_catalog.name NOT NULL,
	owner_oid pg_catalog.oid NOT NULL,
	request pg_catalog.json NOT NULL,
	token pg_catalog.text COLLATE pg_catalog."C",
	position pg_catalog.json,
	created_at pg_catalog.timestamptz NOT NULL,
	started_at pg_catalog.timestamptz,
	ended_at pg_catalog.timestamptz,
	retry_at pg_catalog.timestamptz,
	failure_code pg_catalog.text COLLATE pg_catalog."C",
	failure_message pg_catalog.text COLLATE pg_catalog."C",
	attempts pg_catalog.int4 NOT NULL,
	CONSTRAINT jobs_pkey PRIMARY KEY (number),
	CONSTRAINT jobs_id_key UNIQUE (id)
) USING heap;
CREATE INDEX jobs_kind_idx ON dynamo_internal.jobs (kind, id);
CREATE INDEX jobs_status_idx ON dynamo_internal.jobs (status, number);
COMMENT ON TABLE dynamo_internal.jobs IS
'backups, restores, exports and imports of the last 90 days, one row each; '
'written by the operations that start them and the processes that work on '
'them, read by dynamo.jobs and dynamo.stat_progress_job';
COMMENT ON COLUMN dynamo_internal.jobs.number IS 'its number, in locks';
COMMENT ON COLUMN dynamo_internal.jobs.id IS
'the end of its ARN: when it was made, and eight digits';
COMMENT ON COLUMN dynamo_internal.jobs.kind IS
'B: backup, R: restore, E: export, I: import, P: bulk operation';
COMMENT ON COLUMN dynamo_internal.jobs.status IS
'R: in progress, X: being cancelled, C: completed, E: completed with errors, '
'F: failed, Y: cancelled';
COMMENT ON COLUMN dynamo_internal.jobs.table_name IS
'the table; of a restore or an import the new one';
COMMENT ON COLUMN dynamo_internal.jobs.relation IS
'its relation, null while it is not made';
COMMENT ON COLUMN dynamo_internal.jobs.owner IS
'the name of the role that asked for it, and that it runs as';
COMMENT ON COLUMN dynamo_internal.jobs.owner_oid IS
'that role; another one that has the name by now does not get the job';
COMMENT ON COLUMN dynamo_internal.jobs.request IS 'what was asked for';
COMMENT ON COLUMN dynamo_internal.jobs.token IS
'the ClientToken of the request, null if it had none';
COMMENT ON COLUMN dynamo_internal.jobs.position IS
'how far it has come, and what it has counted; null at the beginning';
COMMENT ON COLUMN dynamo_internal.jobs.created_at IS 'when it was asked for';
COMMENT ON COLUMN dynamo_internal.jobs.started_at IS
'when work on it began first';
COMMENT ON COLUMN dynamo_internal.jobs.ended_at IS
'when it ended, null if it has not';
COMMENT ON COLUMN dynamo_internal.jobs.retry_at IS
'when it is tried again after a failure, null: at once';
COMMENT ON COLUMN dynamo_internal.jobs.failure_code IS
'the FailureCode of the API, null if nothing has failed';
COMMENT ON COLUMN dynamo_internal.jobs.failure_message IS
'what has failed last, null if nothing has';
COMMENT ON COLUMN dynamo_internal.jobs.attempts IS
'how often it was begun since a step was done; after 5 it has failed';

CREATE FUNCTION dynamo.cancel_job(job text)
RETURNS boolean
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_cancel_job';
COMMENT ON FUNCTION dynamo.cancel_job(text) IS
'ends a backup, restore, export, import or bulk operation as soon as '
'possible; it is CANCELLING until then. The argument is its ARN or its id, '
'the end of the ARN (see dynamo.jobs). For members of the role that has '
'asked for it, the owner of its table, and superusers. Returns false if it '
'has ended already. Raises undefined_object and read_only_sql_transaction. '
'API: CancelBulkOperation. Example: SELECT dynamo.cancel_job(:''bulk'')';

CREATE PROCEDURE dynamo.run_jobs()
LANGUAGE C
AS 'MODULE_PATHNAME', 'dynamo_run_jobs';
COMMENT ON PROCEDURE dynamo.run_jobs() IS
'does the work of all jobs there are, in this session and at once: those of '
'roles that the current user is a member of. Waits for jobs that a '
'background process is at, and takes them over from it. Commits after each '
'step, so it cannot be called inside a transaction block. For tests, for '
'cron, and for servers that do not preload dynamo. A job that fails is '
'reported as a warning, and tried again up to 5 times in all where that may '
'help. Raises active_sql_transaction and read_only_sql_transaction. Example: '
'CALL dynamo.run_jobs()';

CREATE FUNCTION dynamo.import_table(
	table_name text,
	bucket text,
	partition_key text,
	sort_key text DEFAULT NULL,
	partition_key_type text DEFAULT 'S',
	sort_key_type text DEFAULT 'S',
	prefix text DEFAULT '',
	input_format text DEFAULT 'DYNAMODB_JSON',
	input_compression text DEFAULT 'NONE',
	delimiter text DEFAULT ',',
	header text[] DEFAULT NULL)
RETURNS text
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_import_table';
COMMENT ON FUNCTION dynamo.import_table(
	text, text, text, text, text, text, text, text, text, text, text[]) IS
'makes a table with these keys (see dynamo.create_table) and has a '
'background process fill it with the items of the files in a bucket, a '
'folder of dynamo.bucket_directory, whose names begin with a prefix. '
'Formats: DYNAMODB_JSON, ION, CSV, the latter with a delimiter (one of , ; : '
'| tab space) and the names of its columns, which otherwise stand in the '
'first line of each file; compressions: NONE, GZIP, ZSTD. The files of a '
'full export of AWS are in such a form. Until the job has ended the table is '
'CREATING and of no use. Of items with the same key one stays. An item that '
'is wrong is counted; the job fails in the end, with the others in place. '
'Anything else that goes wrong takes the table away again. The job runs as '
'the current user, who needs CREATE on schema dynamo_data and the right to '
'read the bucket (dynamo.grant_bucket). Returns the ARN of the import: see '
'DescribeImport, dynamo.jobs, dynamo.cancel_job. Raises ValidationException, '
'ResourceInUseException, LimitExceededException (more than 50 at a time), '
'AccessDeniedException. API: ImportTable. Example: SELECT '
'dynamo.import_table(''GardenCopy'', ''garden-files'', ''bed'', ''plant'', '
'prefix => ''spring/'', input_compression => ''GZIP'')';

CREATE FUNCTION dynamo.bulk_put_items(
	table_name text,
	bucket text,
	prefix text DEFAULT '',
	input_format text DEFAULT 'DYNAMODB_JSON',
	input_compression text DEFAULT 'NONE',
	report_bucket text DEFAULT NULL,
	report_prefix text DEFAULT '',
	max_write_request_units bigint DEFAULT NULL)
RETURNS text
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_bulk_put_items';
COMMENT ON FUNCTION dynamo.bulk_put_items(
	text, text, text, text, text, text, text, bigint) IS
'has a background process put the items of the files in a bucket (see '
'dynamo.import_table; formats DYNAMODB_JSON and ION) into a table that is '
'there, over items with the same keys. A line of JSON may have, beside Item, '
'ConditionExpression, ExpressionAttributeNames and '
'ExpressionAttributeValues. What cannot be put is counted, and with a '
'report_bucket written to files of JSON lines there, under '
'report_prefix/AWSDynamoDB/. max_write_request_units, at least 1024, limits '
'the kilobytes of items a second. The job runs as the current user. What was '
'put stays, however it ends. Returns the ARN of the operation: see '
'DescribeBulkOperation, dynamo.jobs, dynamo.cancel_job. Raises '
'ValidationException, ResourceNotFoundException, LimitExceededException '
'(more than 50 at a time), AccessDeniedException. API: StartBulkPutItems. '
'Example: SELECT dynamo.bulk_put_items(''GardenAgain'', ''garden-files'', '
'prefix => ''spring/'', input_compression => ''GZIP'')';

CREATE VIEW dynamo.jobs WITH (security_barrier) AS
SELECT j.id AS job,
	CASE j.kind
		WHEN 'B' THEN 'BACKUP'
		WHEN 'R' THEN 'RESTORE'
		WHEN 'E' THEN 'EXPORT'
		WHEN 'I' THEN 'IMPORT'
		WHEN 'P' THEN 'BULK_PUT'
	END AS kind,
	CASE j.status
		WHEN 'R' THEN 'IN_PROGRESS'
		WHEN 'X' THEN 'CANCELLING'
		WHEN 'C' THEN 'COMPLETED'
		WHEN 'E' THEN 'COMPLETED_WITH_ERRORS'
		WHEN 'F' THEN 'FAILED'
		WHEN 'Y' THEN 'CANCELLED'
	END AS status,
	j.table_name,
	j.relation,
	j.owner,
	j.request,
	j.position,
	j.created_at,
	j.started_at,
	j.ended_at,
	j.retry_at,
	j.failure_code,
	j.failure_message,
	CASE WHEN j.ended_at IS NULL THEN (
		SELECT l.pid
		FROM pg_catalog.pg_locks AS l
		WHERE l.locktype = 'object'
			AND l.database = (
				SELECT oid FROM pg_catalog.pg_database
				WHERE datname = pg_catalog.current_database())
			AND l.classid = 'dynamo_internal.jobs'::pg_catalog.regclass
			AND l.objid = j.number::pg_catalog.int8
			AND l.objsubid = 0
			AND l.granted
	) END AS pid
FROM dynamo_internal.jobs AS j
	LEFT JOIN pg_catalog.pg_class AS c ON c.oid = j.relation
WHERE pg_catalog.pg_has_role(j.owner_oid, 'USAGE')
	OR pg_catalog.pg_has_role(c.relowner, 'USAGE');
COMMENT ON VIEW dynamo.jobs IS
'backups, restores, exports, imports and bulk operations of the last 90 days, '
'one row each, for members of the roles that have asked for them or own their '
'tables';
COMMENT ON COLUMN dynamo.jobs.job IS
'its id, the end of its ARN; for dynamo.cancel_job';
COMMENT ON COLUMN dynamo.jobs.kind IS
'BACKUP, RESTORE, EXPORT, IMPORT, BULK_PUT';
COMMENT ON COLUMN dynamo.jobs.status IS
'IN_PROGRESS, COMPLETED, COMPLETED_WITH_ERRORS, FAILED, CANCELLING, CANCELLED';
COMMENT ON COLUMN dynamo.jobs.table_name IS
'the table it is about; of a restore or an import the new one';
COMMENT ON COLUMN dynamo.jobs.relation IS
'its relation; null while that is not made';
COMMENT ON COLUMN dynamo.jobs.owner IS
'the role that has asked for it, and that it runs as';
COMMENT ON COLUMN dynamo.jobs.request IS 'what was asked for';
COMMENT ON COLUMN dynamo.jobs.position IS
'how far it has come, and what it has counted; null at the beginning';
COMMENT ON COLUMN dynamo.jobs.created_at IS 'when it was asked for';
COMMENT ON COLUMN dynamo.jobs.started_at IS
'when work on it began; null: it has not';
COMMENT ON COLUMN dynamo.jobs.ended_at IS 'when it ended; null: it has not';
COMMENT ON COLUMN dynamo.jobs.retry_at IS
'when it is tried again after a failure; null: it has not to wait';
COMMENT ON COLUMN dynamo.jobs.failure_code IS
'the FailureCode of the API; null: nothing has failed';
COMMENT ON COLUMN dynamo.jobs.failure_message IS
'what has failed last; null: nothing has';
COMMENT ON COLUMN dynamo.jobs.pid IS
'the process that is at it; null: none is';

CREATE VIEW dynamo.stat_progress_job AS
SELECT j.pid,
	j.job,
	j.kind,
	j.status,
	j.table_name,
	j.relation,
	j.owner,
	j.started_at,
	p.bytes_processed,
	p.bytes_total,
	p.tuples_processed AS items_processed,
	p.tuples_excluded AS items_excluded
FROM dynamo.jobs AS j
	LEFT JOIN pg_catalog.pg_stat_progress_copy AS p ON p.pid = j.pid
WHERE j.pid IS NOT NULL;
COMMENT ON VIEW dynamo.stat_progress_job IS
'the jobs that a process is at now, one row each, with what that reports to '
'pg_stat_progress_copy; for those who see them in dynamo.jobs';
COMMENT ON COLUMN dynamo.stat_progress_job.pid IS 'the process';
COMMENT ON COLUMN dynamo.stat_progress_job.job IS
'the id of the job, see dynamo.jobs';
COMMENT ON COLUMN dynamo.stat_progress_job.kind IS
'BACKUP, RESTORE, EXPORT, IMPORT, BULK_PUT';
COMMENT ON COLUMN dynamo.stat_progress_job.status IS
'IN_PROGRESS, CANCELLING';
COMMENT ON COLUMN dynamo.stat_progress_job.table_name IS 'the table';
COMMENT ON COLUMN dynamo.stat_progress_job.relation IS
'its relation; null while that is not made';
COMMENT ON COLUMN dynamo.stat_progress_job.owner IS 'the role it runs as';
COMMENT ON COLUMN dynamo.stat_progress_job.started_at IS
'when work on it began';
COMMENT ON COLUMN dynamo.stat_progress_job.bytes_processed IS
'bytes read or written so far, of files; null: not reported';
COMMENT ON COLUMN dynamo.stat_progress_job.bytes_total IS
'bytes there are; 0: not known';
COMMENT ON COLUMN dynamo.stat_progress_job.items_processed IS
'items read or written so far';
COMMENT ON COLUMN dynamo.stat_progress_job.items_excluded IS
'items that could not be taken';

--
-- Backups
--
-- The items of a backup are an ordinary relation of schema dynamo_backup,
-- which pg_dump carries as it does any other.  It belongs to the owner of the
-- table.
--

CREATE TABLE dynamo.backups (
	backup_id text COLLATE "C" NOT NULL,
	backup_name text COLLATE "C" NOT NULL,
	backup_type text NOT NULL CHECK (backup_type IN ('USER', 'SYSTEM')),
	table_name text COLLATE "C" NOT NULL,
	table_id uuid NOT NULL,
	relation pg_catalog.regclass NOT NULL,
	created_at timestamp with time zone NOT NULL,
	expires_at timestamp with time zone,
	size_bytes bigint NOT NULL,
	item_count bigint NOT NULL,
	definition json NOT NULL,
	CONSTRAINT backups_pkey PRIMARY KEY (backup_id),
	CONSTRAINT backups_relation_key UNIQUE (relation)
) USING heap;
COMMENT ON TABLE dynamo.backups IS
'backups of tables, one row each; written by create_backup, delete_backup and '
'the like, not by hand';
COMMENT ON COLUMN dynamo.backups.backup_id IS
'the end of BackupArn: when it was made, and eight digits';
COMMENT ON COLUMN dynamo.backups.backup_name IS 'BackupName, not unique';
COMMENT ON COLUMN dynamo.backups.backup_type IS
'BackupType: USER, or SYSTEM for what DeleteTable has left of a table with '
'point-in-time recovery';
COMMENT ON COLUMN dynamo.backups.table_name IS 'TableName';
COMMENT ON COLUMN dynamo.backups.table_id IS
'TableId, which tells tables of one name apart';
COMMENT ON COLUMN dynamo.backups.relation IS
'the relation that holds its items; who owns it may delete the backup, who '
'may read it may restore it';
COMMENT ON COLUMN dynamo.backups.created_at IS 'BackupCreationDateTime';
COMMENT ON COLUMN dynamo.backups.expires_at IS
'BackupExpiryDateTime, null if it does not expire';
COMMENT ON COLUMN dynamo.backups.size_bytes IS
'BackupSizeBytes: the size of the relation';
COMMENT ON COLUMN dynamo.backups.item_count IS 'number of items';
COMMENT ON COLUMN dynamo.backups.definition IS
'what the table was: keys, indexes, throughput, stream and time to live';
SELECT pg_catalog.pg_extension_config_dump('dynamo.backups', '');
ALTER TABLE dynamo.backups ENABLE ROW LEVEL SECURITY;
CREATE POLICY may_use ON dynamo.backups FOR SELECT
	USING (dynamo_internal.may_use(relation));
COMMENT ON POLICY may_use ON dynamo.backups IS
'shows backups to roles that may use their relations';

CREATE FUNCTION dynamo.create_backup(table_name text, backup_name text)
RETURNS text
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_create_backup';
COMMENT ON FUNCTION dynamo.create_backup(text, text) IS
'CreateBackup: copies the items of a table, as of one moment, in this '
'transaction, with its definition, and returns the ARN of the backup. No '
'writer has to wait. A backup outlives its table; see dynamo.backups. A '
'backup name has 3 to 255 characters of a-z, A-Z, 0-9, _ . - and need not be '
'unique. For the owner of the table, who then owns the backup. (By HTTP, a '
'background worker makes it.) Raises TableNotFoundException. Example: SELECT '
'dynamo.create_backup(''Garden'', ''before-winter'')';

CREATE FUNCTION dynamo.delete_backup(backup_arn text)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_delete_backup';
COMMENT ON FUNCTION dynamo.delete_backup(text) IS
'DeleteBackup: drops a backup, by its ARN. For the owner of its relation. '
'Raises BackupNotFoundException if there is none, BackupInUseException while '
'a table is being restored from it, ValidationException for one that '
'DeleteTable has left, which goes by itself after 35 days. Example: SELECT '
'dynamo.delete_backup(:''backup'')';

CREATE FUNCTION dynamo.restore_table(
	target_table_name text,
	source_table_name text DEFAULT NULL,
	as_of timestamp with time zone DEFAULT NULL,
	backup_arn text DEFAULT NULL)
RETURNS pg_catalog.regclass
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_restore_table';
COMMENT ON FUNCTION dynamo.restore_table(
	text, text, timestamp with time zone, text) IS
'RestoreTableToPointInTime or RestoreTableFromBackup: makes a table, in this '
'transaction, and returns its relation. (In a trigger of a request by HTTP, '
'a background worker makes it, and null is returned.) Either '
'source_table_name is given, a table with point-in-time recovery or one that '
'was deleted with it: then the new table has its items as of as_of, to the '
'second, by default as they are. Or backup_arn is given: then '
'it has those of the backup. Keys, indexes, throughput and encryption are '
'those of the source; stream, time to live, tags and policies are not kept. '
'Needs CREATE on schema dynamo_data, and SELECT on the source or on the '
'relation of the backup. Raises TableAlreadyExistsException, '
'TableNotFoundException, BackupNotFoundException, '
'PointInTimeRecoveryUnavailableException, InvalidRestoreTimeException. '
'Example: SELECT dynamo.restore_table(''GardenAgain'', backup_arn => '
':''backup'')';

--
-- Buckets
--
-- Folders of the server, and buckets at stores, that stand for those of S3
-- (see src/bucket).
--

CREATE TABLE dynamo.bucket_grants (
	bucket text COLLATE "C" NOT NULL,
	role pg_catalog.regrole NOT NULL,
	may_read boolean NOT NULL,
	may_write boolean NOT NULL,
	CONSTRAINT bucket_grants_pkey PRIMARY KEY (bucket, role)
) USING heap;
COMMENT ON TABLE dynamo.bucket_grants IS
'which roles may use which buckets (grant_bucket), one row each; superusers '
'alone may read it unless they grant SELECT';
COMMENT ON COLUMN dynamo.bucket_grants.bucket IS
'name of the bucket: of a folder in the directory of the setting '
'dynamo.bucket_directory';
COMMENT ON COLUMN dynamo.bucket_grants.role IS
'the role that may use it, and with it all roles that have its privileges';
COMMENT ON COLUMN dynamo.bucket_grants.may_read IS
'whether it may import from the bucket and read items of its files';
COMMENT ON COLUMN dynamo.bucket_grants.may_write IS
'whether it may export to the bucket';
SELECT pg_catalog.pg_extension_config_dump('dynamo.bucket_grants', '');

CREATE FUNCTION dynamo.grant_bucket(bucket text, role pg_catalog.regrole,
	privileges text[] DEFAULT '{read,write}')
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_grant_bucket';
COMMENT ON FUNCTION dynamo.grant_bucket(text, pg_catalog.regrole, text[]) IS
'lets a role use a bucket, a folder in the directory of the setting '
'dynamo.bucket_directory: "read" to import from it, "write" to export to it. '
'It adds to what the role has. The folder need not be there yet. The name '
'has 3 to 255 letters, digits and . _ - and begins and ends with a letter or '
'digit. It is for superusers; members of pg_read_server_files and '
'pg_write_server_files need no grant. Example: SELECT '
'dynamo.grant_bucket(''garden-files'', ''gardener'', ''{read,write}'')';

CREATE FUNCTION dynamo.revoke_bucket(bucket text, role pg_catalog.regrole,
	privileges text[] DEFAULT '{read,write}')
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_revoke_bucket';
COMMENT ON FUNCTION dynamo.revoke_bucket(text, pg_catalog.regrole, text[]) IS
'takes privileges back that grant_bucket has given; an error if the role has '
'none of them. Exports and imports of the role that run now fail at their '
'next step. It is for superusers. Example: SELECT '
'dynamo.revoke_bucket(''garden-files'', ''gardener'', ''{write}'')';

CREATE FUNCTION dynamo_internal.bucket_validator(options text[],
	catalog pg_catalog.oid)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_bucket_validator';
COMMENT ON FUNCTION dynamo_internal.bucket_validator(text[], pg_catalog.oid) IS
'checks options of a foreign server that stands for a bucket, or of a user '
'mapping that holds its credentials';

CREATE FOREIGN DATA WRAPPER dynamo_bucket
	VALIDATOR dynamo_internal.bucket_validator;
COMMENT ON FOREIGN DATA WRAPPER dynamo_bucket IS
'buckets at S3-compatible stores: a server is a bucket, user mappings hold '
'credentials (options access_key_id, secret_access_key, session_token). Roles '
'with USAGE on the wrapper may make buckets. It has no foreign tables';

CREATE FUNCTION dynamo.create_bucket(bucket text, endpoint text,
	region text DEFAULT 'us-east-1', store_bucket text DEFAULT NULL,
	path_style boolean DEFAULT true, ca_file text DEFAULT NULL)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_create_bucket';
COMMENT ON FUNCTION dynamo.create_bucket(text, text, text, text, boolean, text)
IS
'makes a bucket that is at an S3-compatible store, for exports, imports and '
'bulk operations: a foreign server of the wrapper dynamo_bucket. endpoint is '
'a URL of a scheme, http or https, a host and perhaps a port; a superuser '
'has to name it in the setting dynamo.bucket_endpoints. region is signed; '
'store_bucket is the bucket''s name at the store (null: the same); '
'path_style false puts that name into the host''s, which must be no address '
'then. ca_file names a file of '
'certificates on the server to trust instead of the system''s, which only '
'superusers may. Credentials are given by CREATE USER MAPPING, for a role or '
'for PUBLIC. It needs USAGE on the wrapper. The bucket of a superuser is for '
'those whom grant_bucket allows it; that of another role is for its members. '
'Example: SELECT dynamo.create_bucket(''garden-store'', '
'''https://store.example:9000'', path_style => true)';

CREATE FUNCTION dynamo.drop_bucket(bucket text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_drop_bucket';
COMMENT ON FUNCTION dynamo.drop_bucket(text) IS
'forgets a bucket that create_bucket has made, its credentials and grants; '
'what is at the store stays. It is for who owns the server; an error if '
'there is no such bucket. Example: SELECT '
'dynamo.drop_bucket(''garden-store'')';

CREATE FUNCTION dynamo.bucket_items(bucket text, prefix text DEFAULT '',
	input_format text DEFAULT 'DYNAMODB_JSON',
	input_compression text DEFAULT 'NONE',
	delimiter text DEFAULT ',',
	header text[] DEFAULT NULL,
	columns text[] DEFAULT NULL)
RETURNS TABLE (key text, number bigint, line bigint, item dynamo.item,
	problem text)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
COST 1000 ROWS 100000
AS 'MODULE_PATHNAME', 'dynamo_bucket_items';
COMMENT ON FUNCTION dynamo.bucket_items(text, text, text, text, text, text[],
	text[]) IS
'what an import would read: the items in the files of a bucket whose keys '
'begin with prefix, file by file, in the order of their keys; the manifests '
'of an export are left out. Each row has the file, the number of the record '
'and the line it begins on, from 1, and the item, or what is wrong with it. '
'input_format is DYNAMODB_JSON, ION or CSV, input_compression NONE, GZIP or '
'ZSTD. CSV has one of , ; : | tab and space between its cells; header names '
'the columns (null: the first record does), and columns those that are no '
'strings, with N or B, as {"price N"}. A line may have 16 MB. The role needs '
'"read" on the bucket (grant_bucket). A file that is cut short or damaged is '
'an error. Example: SELECT item->>''bed'' AS bed, item->>''plant'' AS plant, '
'problem FROM dynamo.bucket_items(''garden-files'', ''spring/'', '
'input_compression => ''GZIP'') ORDER BY bed, plant';

CREATE FUNCTION dynamo.export_table(table_name text, bucket text,
	prefix text DEFAULT NULL,
	export_format text DEFAULT 'DYNAMODB_JSON',
	as_of timestamptz DEFAULT NULL,
	from_time timestamptz DEFAULT NULL,
	to_time timestamptz DEFAULT NULL,
	export_view_type text DEFAULT 'NEW_AND_OLD_IMAGES',
	key_condition_expression text DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	expression_attribute_names dynamo.json_input DEFAULT NULL)
RETURNS text
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_export_table';
COMMENT ON FUNCTION dynamo.export_table(text, text, text, text, timestamptz,
	timestamptz, timestamptz, text, text, text, text, dynamo.item_input,
	dynamo.json_input) IS
'has the items of a table written to files of a bucket by a background '
'process, in the layout of the service''s exports, and returns the export''s '
'ARN; dynamo.jobs shows how far it is. export_format is DYNAMODB_JSON or '
'ION; files are compressed by gzip. as_of is of what time the items are '
'(null: now); from_time and to_time (null: the end of the window, about a '
'second ago) instead have what changed between them written, as '
'export_view_type says: NEW_IMAGE or NEW_AND_OLD_IMAGES. Times need '
'point-in-time recovery on the table and lie in its window; the present '
'needs none. key_condition_expression confines the export to one partition '
'key, perhaps to a range of sort keys, filter_expression to the items that '
'meet it (of a change, the item as it is now, or was before it was deleted), '
'projection_expression to some attributes; they are as in dynamo.query, as '
'are expression_attribute_values and expression_attribute_names, and null '
'where nothing is left out. The role needs SELECT on the table, without '
'row-level security that hides items: a role with grant_leading_keys may '
'export the present of a key that it was granted; and "write" on the bucket '
'(grant_bucket). Raises ResourceNotFoundException, AccessDeniedException, '
'ValidationException, InvalidExportTimeException, '
'PointInTimeRecoveryUnavailableException. API: ExportTableToPointInTime. '
'Example: SELECT dynamo.export_table(''Garden'', ''garden-files'', prefix => '
'''spring'')';

--
-- The DynamoDB API
--

-- The rows are in four tables that take turns and are truncated, so there is
-- nothing to vacuum.
CREATE TABLE dynamo_internal.transact_tokens (
	role pg_catalog.oid NOT NULL,
	token pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
	request pg_catalog.bytea NOT NULL,
	sizes pg_catalog.int8[] NOT NULL,
	created_at pg_catalog.timestamptz NOT NULL
) USING heap;
COMMENT ON TABLE dynamo_internal.transact_tokens IS
'ClientRequestTokens of TransactWriteItems in the last ten minutes, each '
'written in its transaction, by which time it is into one of the tables that '
'inherit from this one';
COMMENT ON COLUMN dynamo_internal.transact_tokens.role IS
'the role that sent it';
COMMENT ON COLUMN dynamo_internal.transact_tokens.token IS
'ClientRequestToken';
COMMENT ON COLUMN dynamo_internal.transact_tokens.request IS
'SHA-256 of the request''s TransactItems';
COMMENT ON COLUMN dynamo_internal.transact_tokens.sizes IS
'sizes of the items, in bytes, for the capacity that a replay consumes';
COMMENT ON COLUMN dynamo_internal.transact_tokens.created_at IS
'when it was used; it is valid for ten minutes after that';
CREATE TABLE dynamo_internal.transact_tokens_0 (PRIMARY KEY (role, token))
	INHERITS (dynamo_internal.transact_tokens)
	USING heap WITH (autovacuum_enabled = false);
COMMENT ON TABLE dynamo_internal.transact_tokens_0 IS
'tokens of five minutes of twenty';
CREATE TABLE dynamo_internal.transact_tokens_1 (PRIMARY KEY (role, token))
	INHERITS (dynamo_internal.transact_tokens)
	USING heap WITH (autovacuum_enabled = false);
COMMENT ON TABLE dynamo_internal.transact_tokens_1 IS
'tokens of five minutes of twenty';
CREATE TABLE dynamo_internal.transact_tokens_2 (PRIMARY KEY (role, token))
	INHERITS (dynamo_internal.transact_tokens)
	USING heap WITH (autovacuum_enabled = false);
COMMENT ON TABLE dynamo_internal.transact_tokens_2 IS
'tokens of five minutes of twenty';
CREATE TABLE dynamo_internal.transact_tokens_3 (PRIMARY KEY (role, token))
	INHERITS (dynamo_internal.transact_tokens)
	USING heap WITH (autovacuum_enabled = false);
COMMENT ON TABLE dynamo_internal.transact_tokens_3 IS
'tokens of five minutes of twenty';

-- OIDs of roles differ from node to node.
CREATE TABLE dynamo_internal.shared_tokens (
	token pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
	role pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
	request pg_catalog.bytea NOT NULL,
	sizes pg_catalog.int8[] NOT NULL,
	created_at pg_catalog.timestamptz NOT NULL,
	PRIMARY KEY (token, role)
) USING heap;
COMMENT ON TABLE dynamo_internal.shared_tokens IS
'ClientRequestTokens of TransactWriteItems with distributed tables in the '
'last ten minutes; distributed itself, by token, once the first table is';
COMMENT ON COLUMN dynamo_internal.shared_tokens.token IS
'ClientRequestToken';
COMMENT ON COLUMN dynamo_internal.shared_tokens.role IS
'name of the role that sent it';
COMMENT ON COLUMN dynamo_internal.shared_tokens.request IS
'SHA-256 of the request''s TransactItems';
COMMENT ON COLUMN dynamo_internal.shared_tokens.sizes IS
'sizes of the items, in bytes, for the capacity that a replay consumes';
COMMENT ON COLUMN dynamo_internal.shared_tokens.created_at IS
'when it was used; it is valid for ten minutes after that';

CREATE FUNCTION dynamo_internal.claim_token(token text, role text)
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_claim_token';
COMMENT ON FUNCTION dynamo_internal.claim_token(text, text) IS
'locks a ClientRequestToken of a role, by its name, to the end of the '
'transaction; false if another transaction has. Runs on the node that has the '
'token''s row.';
REVOKE EXECUTE ON FUNCTION dynamo_internal.claim_token(text, text)
	FROM PUBLIC;

CREATE FUNCTION dynamo.call(operation text, request dynamo.json_input)
RETURNS pg_catalog.json
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_call';
COMMENT ON FUNCTION dynamo.call(text, dynamo.json_input) IS
'Runs one operation of the DynamoDB API ("GetItem", "TransactWriteItems", '
'...) in the current transaction; request and response are as in DynamoDB, '
'limits and pages included; null for a null argument. An exception of '
'DynamoDB is an error with a SQLSTATE in class ND and DynamoDB''s text as '
'message; further members of the error body (Item, CancellationReasons) are '
'in the detail. An operation that is not implemented raises '
'UnknownOperationException. Example: SELECT dynamo.call(''GetItem'', '
'''{"TableName": "Garden", "Key": {"bed": {"S": "west"}, "plant": {"S": '
'"fern"}}}'')';

CREATE FUNCTION dynamo.try_call(operation text, request dynamo.json_input)
RETURNS pg_catalog.json
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_try_call';
COMMENT ON FUNCTION dynamo.try_call(text, dynamo.json_input) IS
'dynamo.call in a subtransaction: instead of raising an error it undoes what '
'it wrote and returns DynamoDB''s error body, {"__type":..., "message":...}. '
'Example: SELECT dynamo.try_call(''GetItem'', ''{"TableName": "Gardn", '
'"Key": {"bed": {"S": "west"}}}'')';

CREATE FUNCTION dynamo_internal.answer_node(operation text, request json,
	later boolean)
RETURNS text
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_answer_node';
COMMENT ON FUNCTION dynamo_internal.answer_node(text, json, boolean) IS
'dynamo.try_call for the other nodes of a cluster, which call it for what '
'this one alone can do: A and the response, or E and the error with all its '
'fields, in hexadecimal. later: indexes of distributed tables are made and '
'dropped by a background worker after the commit, as for requests by HTTP.';

-- Immutable it is not, but Citus runs nothing else where the row is.
CREATE FUNCTION dynamo_internal.expires(relation oid, item dynamo.item)
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_expires';
COMMENT ON FUNCTION dynamo_internal.expires(oid, dynamo.item) IS
'whether an item of a shard of a distributed table with a stream has expired; '
'true for other relations. If the statement that asks deletes the item, its '
'record in the stream names the service. For expire_items and background '
'workers.';

CREATE PROCEDURE dynamo_internal.serve_calls()
LANGUAGE C
AS 'MODULE_PATHNAME', 'dynamo_serve_calls';
COMMENT ON PROCEDURE dynamo_internal.serve_calls() IS
'executes requests about items of one partition key where their rows are, for '
'as long as the session lives. The HTTP servers of a cluster''s other nodes '
'call it; they have checked the policies. Requests and answers are CopyData '
'messages in both directions. Each request is a transaction; it is answered '
'when what it has written is as durable as synchronous_commit demands. '
'statement_timeout and lock_timeout hold for each request. A request is '
'answered with ServiceUnavailable if the rows are on another node, with '
'query_canceled if it reads more than 96 kB. Raises feature_not_supported in '
'a transaction block or a function.';

CREATE FUNCTION dynamo.explain(operation text, request dynamo.json_input)
RETURNS TABLE (step integer, action text, table_name text, index_name text,
	access text, relation pg_catalog.regclass, condition text,
	backward boolean, items_read double precision,
	items_returned double precision, read_units double precision,
	write_units double precision, store text, store_reason text)
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_explain';
COMMENT ON FUNCTION dynamo.explain(text, dynamo.json_input) IS
'What an operation on items ("Query", "ExecuteStatement", ...) would do, one '
'row a step; nothing is read or written. Raises what the operation would '
'raise before it reads, missing privileges among it. access is key, range, '
'scan or segment; relation the btree that is gone through, condition the '
'part of it. Items and units of one page are estimates by ANALYZE, null if '
'it has not seen the table or the role may not read it. store is local, or '
'spi, the slower one, for the reason given. Example: SELECT action, '
'index_name, access, condition FROM dynamo.explain(''Query'', '
'''{"TableName": "Garden", "IndexName": "ByHeight", '
'"KeyConditionExpression": "bed = :b AND height < :h", '
'"ExpressionAttributeValues": {":b": {"S": "north"}, ":h": {"N": "100"}}}'')';

--
-- Statistics
--
-- Shared memory knows a table by its id.  The functions give it the name it
-- has now, and show each role the tables whose description it may see.
--

CREATE FUNCTION dynamo_internal.operations()
RETURNS TABLE (operation text, service text, available boolean, writes boolean,
	place text, parts text, checked text, reach text, explained boolean,
	names text[], members text[], refused text[])
LANGUAGE C IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_operations';
COMMENT ON FUNCTION dynamo_internal.operations() IS
'the operations of the API, one row each: whether there is such an operation '
'here, whether it changes anything, which node of a cluster executes it, what '
'a request consists of, when policies check it and which items it is about, '
'whether dynamo.explain knows it, which members of a request name something, '
'which it may have, and which of the service''s are refused by their name';

CREATE FUNCTION dynamo_internal.stat_requests(
	by_table boolean,
	by_operation boolean
)
RETURNS TABLE (table_name text, relation pg_catalog.regclass, operation text,
	requests bigint, successes bigint, user_errors bigint,
	condition_failures bigint, conflicts bigint, throttles bigint,
	system_errors bigint, items_returned bigint,
	read_units double precision, write_units double precision,
	total_ms double precision, mean_ms double precision,
	p50_ms double precision, p99_ms double precision,
	p999_ms double precision, ttl_deletions bigint, stream_records bigint,
	stats_since timestamp with time zone)
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_stat_requests';
COMMENT ON FUNCTION dynamo_internal.stat_requests(boolean, boolean) IS
'requests that were counted, by table, by operation, or by both; what '
'concerns no table comes last, for roles with pg_read_all_stats';

CREATE FUNCTION dynamo_internal.stat_indexes()
RETURNS TABLE (table_name text, index_name text,
	relation pg_catalog.regclass, reads bigint, items_returned bigint,
	read_units double precision, write_units double precision)
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_stat_indexes';
COMMENT ON FUNCTION dynamo_internal.stat_indexes() IS
'what has been read by indexes and written to them';

CREATE FUNCTION dynamo_internal.stat_streams()
RETURNS TABLE (table_name text, stream_label text, shards integer,
	last_number bigint, horizon bigint, lag bigint, holder_pid integer,
	holder_xid pg_catalog.xid)
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_stat_streams';
COMMENT ON FUNCTION dynamo_internal.stat_streams() IS
'how far readers of enabled streams may read, and who holds them back';

CREATE FUNCTION dynamo_internal.stat_workers()
RETURNS TABLE (pid integer, service text, stage text, accepting boolean,
	parked_requests integer, requests bigint, kind text,
	database oid, idle boolean, since timestamptz, waiting integer)
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_stat_workers';
COMMENT ON FUNCTION dynamo_internal.stat_workers() IS
'processes that serve HTTP or work in the background; without a pid, work '
'that waits for one';

CREATE FUNCTION dynamo_internal.stat_untracked()
RETURNS bigint
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_stat_untracked';
COMMENT ON FUNCTION dynamo_internal.stat_untracked() IS
'requests since the start of the server whose table had no place in the '
'statistics; see dynamo.stat_max_tables';

CREATE FUNCTION dynamo.stat_reset()
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'dynamo_stat_reset';
COMMENT ON FUNCTION dynamo.stat_reset() IS
'forgets all statistics of this database. Only the owner of the function may '
'execute it, and whom he grants EXECUTE. Example: SELECT dynamo.stat_reset()';
REVOKE EXECUTE ON FUNCTION dynamo.stat_reset() FROM PUBLIC;

CREATE FUNCTION dynamo.stat_keys(
	table_name text,
	all_nodes boolean DEFAULT false)
RETURNS TABLE (index_name text, event text, partition_key text, sort_key text,
	requests bigint, error bigint)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_stat_keys';
COMMENT ON FUNCTION dynamo.stat_keys(text, boolean) IS
'the most accessed and the most throttled keys of a table and its global '
'indexes, up to 25 of each kind, where UpdateContributorInsights has enabled '
'that; needs SELECT on the table. First partition keys, then, if there is a '
'sort key, whole keys, as typed JSON, the first 64 bytes of each part. A key '
'was asked for at least requests - error times, at most requests. Counted '
'since the start of the server. all_nodes: with sums of what each node of a '
'Citus cluster shows, which is asked as the current user; a WARNING tells '
'which does not answer. Example: SELECT event, partition_key, requests FROM '
'dynamo.stat_keys(''Garden'')';

CREATE FUNCTION dynamo_internal.stat_nodes(keys_of text)
RETURNS TABLE (node text, answer text)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_stat_nodes';
COMMENT ON FUNCTION dynamo_internal.stat_nodes(text) IS
'what each node of a Citus cluster has counted of the keys of a table, or, of '
'null, of all distributed tables, as JSON, this one first and without a name; '
'null: it does not answer';

CREATE VIEW dynamo.stat_tables AS
	SELECT table_name, relation, requests, successes, user_errors,
		condition_failures, conflicts, throttles, system_errors,
		items_returned, read_units, write_units, total_ms, mean_ms, p50_ms,
		p99_ms, p999_ms, ttl_deletions, stream_records, stats_since
	FROM dynamo_internal.stat_requests(true, false);
COMMENT ON VIEW dynamo.stat_tables IS
'requests and what they used, one row a table; of the tables that the role '
'may use, and of all for pg_read_all_stats. Latencies are those of successful '
'requests; units are those of ConsumedCapacity.';
COMMENT ON COLUMN dynamo.stat_tables.table_name IS 'the table';
COMMENT ON COLUMN dynamo.stat_tables.relation IS
'its relation, in schema dynamo_data';
COMMENT ON COLUMN dynamo.stat_tables.requests IS
'requests, by SQL functions, dynamo.call and HTTP';
COMMENT ON COLUMN dynamo.stat_tables.successes IS 'requests that succeeded';
COMMENT ON COLUMN dynamo.stat_tables.user_errors IS
'requests refused for a mistake of the caller, a missing table or a missing '
'privilege';
COMMENT ON COLUMN dynamo.stat_tables.condition_failures IS
'requests refused for a condition that was false, or an item that was there '
'already';
COMMENT ON COLUMN dynamo.stat_tables.conflicts IS
'requests refused for a conflict with another transaction';
COMMENT ON COLUMN dynamo.stat_tables.throttles IS
'requests refused for throughput that was used up';
COMMENT ON COLUMN dynamo.stat_tables.system_errors IS
'requests that failed by an error of the server, or were cancelled';
COMMENT ON COLUMN dynamo.stat_tables.items_returned IS 'items in answers';
COMMENT ON COLUMN dynamo.stat_tables.read_units IS
'capacity units of reads, as in ConsumedCapacity';
COMMENT ON COLUMN dynamo.stat_tables.write_units IS
'capacity units of writes, as in ConsumedCapacity; of tables that the role '
'may read';
COMMENT ON COLUMN dynamo.stat_tables.total_ms IS
'milliseconds that the successful requests took together; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_tables.mean_ms IS
'milliseconds that a successful request took on average; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_tables.p50_ms IS
'milliseconds within which half of the successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_tables.p99_ms IS
'milliseconds within which 99 of 100 successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_tables.p999_ms IS
'milliseconds within which 999 of 1,000 successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_tables.ttl_deletions IS
'items that time to live has deleted; null: the role may not read the table';
COMMENT ON COLUMN dynamo.stat_tables.stream_records IS
'records appended to the stream of the table; null: the role may not read it';
COMMENT ON COLUMN dynamo.stat_tables.stats_since IS
'since when the table is counted';

CREATE VIEW dynamo.stat_cluster_tables AS
	WITH answers AS MATERIALIZED (
		SELECT n.node, n.answer
		FROM dynamo_internal.stat_nodes(NULL) AS n)
	SELECT t.table_name, pg_catalog.count(*) AS nodes,
		(SELECT pg_catalog.string_agg(a.node, ', ') FROM answers AS a
			WHERE a.answer IS NULL) AS silent,
		pg_catalog.sum(t.requests)::bigint AS requests,
		pg_catalog.sum(t.successes)::bigint AS successes,
		pg_catalog.sum(t.user_errors)::bigint AS user_errors,
		pg_catalog.sum(t.condition_failures)::bigint AS condition_failures,
		pg_catalog.sum(t.conflicts)::bigint AS conflicts,
		pg_catalog.sum(t.throttles)::bigint AS throttles,
		pg_catalog.sum(t.system_errors)::bigint AS system_errors,
		pg_catalog.sum(t.items_returned)::bigint AS items_returned,
		pg_catalog.sum(t.read_units) AS read_units,
		pg_catalog.sum(t.write_units) AS write_units,
		pg_catalog.sum(t.total_ms) AS total_ms,
		pg_catalog.sum(t.total_ms) OPERATOR(pg_catalog./)
			nullif(pg_catalog.sum(t.successes), 0) AS mean_ms,
		pg_catalog.max(t.p99_ms) AS p99_ms,
		pg_catalog.sum(t.ttl_deletions)::bigint AS ttl_deletions,
		pg_catalog.sum(t.stream_records)::bigint AS stream_records,
		pg_catalog.min(t.stats_since) AS stats_since
	FROM answers AS a,
		pg_catalog.json_to_recordset(a.answer::pg_catalog.json) AS t(
			table_name text, requests bigint, successes bigint,
			user_errors bigint, condition_failures bigint, conflicts bigint,
			throttles bigint, system_errors bigint, items_returned bigint,
			read_units double precision, write_units double precision,
			total_ms double precision, p99_ms double precision,
			ttl_deletions bigint, stream_records bigint,
			stats_since timestamp with time zone)
	GROUP BY t.table_name;
COMMENT ON VIEW dynamo.stat_cluster_tables IS
'distributed tables, one row each: the sums of stat_tables of all nodes of a '
'Citus cluster. Each node is asked as the current user. Empty where there is '
'no cluster.';
COMMENT ON COLUMN dynamo.stat_cluster_tables.table_name IS 'the table';
COMMENT ON COLUMN dynamo.stat_cluster_tables.nodes IS
'nodes that have counted it';
COMMENT ON COLUMN dynamo.stat_cluster_tables.silent IS
'nodes that do not answer, whose part is missing; null: none';
COMMENT ON COLUMN dynamo.stat_cluster_tables.requests IS
'requests, each where it was executed: by HTTP about one partition key, and '
'the parts of a batch, at the node that has it; all others at the node that '
'was asked';
COMMENT ON COLUMN dynamo.stat_cluster_tables.successes IS
'requests that succeeded';
COMMENT ON COLUMN dynamo.stat_cluster_tables.user_errors IS
'requests refused for a mistake of the caller, a missing table or a missing '
'privilege';
COMMENT ON COLUMN dynamo.stat_cluster_tables.condition_failures IS
'requests refused for a condition that was false, or an item that was there '
'already';
COMMENT ON COLUMN dynamo.stat_cluster_tables.conflicts IS
'requests refused for a conflict with another transaction';
COMMENT ON COLUMN dynamo.stat_cluster_tables.throttles IS
'requests refused for throughput that was used up';
COMMENT ON COLUMN dynamo.stat_cluster_tables.system_errors IS
'requests that failed by an error of the server, or were cancelled';
COMMENT ON COLUMN dynamo.stat_cluster_tables.items_returned IS
'items in answers';
COMMENT ON COLUMN dynamo.stat_cluster_tables.read_units IS
'capacity units of reads, as in ConsumedCapacity';
COMMENT ON COLUMN dynamo.stat_cluster_tables.write_units IS
'capacity units of writes, as in ConsumedCapacity; null: the role may not '
'read the table';
COMMENT ON COLUMN dynamo.stat_cluster_tables.total_ms IS
'milliseconds that the successful requests took together; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_cluster_tables.mean_ms IS
'milliseconds that a successful request took on average; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_cluster_tables.p99_ms IS
'milliseconds within which 99 of 100 successful requests were done at each '
'node, and so at all; null: there was none';
COMMENT ON COLUMN dynamo.stat_cluster_tables.ttl_deletions IS
'items that time to live has deleted; null: the role may not read the table';
COMMENT ON COLUMN dynamo.stat_cluster_tables.stream_records IS
'records appended to the stream of the table; null: the role may not read it';
COMMENT ON COLUMN dynamo.stat_cluster_tables.stats_since IS
'since when the table is counted at any node';

CREATE VIEW dynamo.stat_operations AS
	SELECT operation, requests, successes, user_errors, condition_failures,
		conflicts, throttles, system_errors, items_returned, read_units,
		write_units, total_ms, mean_ms, p50_ms, p99_ms, p999_ms
	FROM dynamo_internal.stat_requests(false, true);
COMMENT ON VIEW dynamo.stat_operations IS
'the same, one row an operation; for pg_read_all_stats with requests that '
'concern no table, or one that is gone';
COMMENT ON COLUMN dynamo.stat_operations.operation IS
'the operation of the API';
COMMENT ON COLUMN dynamo.stat_operations.requests IS
'requests, by SQL functions, dynamo.call and HTTP';
COMMENT ON COLUMN dynamo.stat_operations.successes IS
'requests that succeeded';
COMMENT ON COLUMN dynamo.stat_operations.user_errors IS
'requests refused for a mistake of the caller, a missing table or a missing '
'privilege';
COMMENT ON COLUMN dynamo.stat_operations.condition_failures IS
'requests refused for a condition that was false, or an item that was there '
'already';
COMMENT ON COLUMN dynamo.stat_operations.conflicts IS
'requests refused for a conflict with another transaction';
COMMENT ON COLUMN dynamo.stat_operations.throttles IS
'requests refused for throughput that was used up';
COMMENT ON COLUMN dynamo.stat_operations.system_errors IS
'requests that failed by an error of the server, or were cancelled';
COMMENT ON COLUMN dynamo.stat_operations.items_returned IS 'items in answers';
COMMENT ON COLUMN dynamo.stat_operations.read_units IS
'capacity units of reads, as in ConsumedCapacity';
COMMENT ON COLUMN dynamo.stat_operations.write_units IS
'capacity units of writes, as in ConsumedCapacity; of tables that the role '
'may read';
COMMENT ON COLUMN dynamo.stat_operations.total_ms IS
'milliseconds that the successful requests took together; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_operations.mean_ms IS
'milliseconds that a successful request took on average; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_operations.p50_ms IS
'milliseconds within which half of the successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_operations.p99_ms IS
'milliseconds within which 99 of 100 successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_operations.p999_ms IS
'milliseconds within which 999 of 1,000 successful requests were done; null: '
'there was none';

CREATE VIEW dynamo.stat_table_operations AS
	SELECT table_name, relation, operation, requests, successes, user_errors,
		condition_failures, conflicts, throttles, system_errors,
		items_returned, read_units, write_units, total_ms, mean_ms, p50_ms,
		p99_ms, p999_ms, stats_since
	FROM dynamo_internal.stat_requests(true, true);
COMMENT ON VIEW dynamo.stat_table_operations IS
'the same, one row a table and operation; table_name is null for what '
'concerns no table, or one that is gone';
COMMENT ON COLUMN dynamo.stat_table_operations.table_name IS
'the table; null: none, or one that is gone';
COMMENT ON COLUMN dynamo.stat_table_operations.relation IS
'its relation, in schema dynamo_data';
COMMENT ON COLUMN dynamo.stat_table_operations.operation IS
'the operation of the API';
COMMENT ON COLUMN dynamo.stat_table_operations.requests IS
'requests, by SQL functions, dynamo.call and HTTP';
COMMENT ON COLUMN dynamo.stat_table_operations.successes IS
'requests that succeeded';
COMMENT ON COLUMN dynamo.stat_table_operations.user_errors IS
'requests refused for a mistake of the caller, a missing table or a missing '
'privilege';
COMMENT ON COLUMN dynamo.stat_table_operations.condition_failures IS
'requests refused for a condition that was false, or an item that was there '
'already';
COMMENT ON COLUMN dynamo.stat_table_operations.conflicts IS
'requests refused for a conflict with another transaction';
COMMENT ON COLUMN dynamo.stat_table_operations.throttles IS
'requests refused for throughput that was used up';
COMMENT ON COLUMN dynamo.stat_table_operations.system_errors IS
'requests that failed by an error of the server, or were cancelled';
COMMENT ON COLUMN dynamo.stat_table_operations.items_returned IS
'items in answers';
COMMENT ON COLUMN dynamo.stat_table_operations.read_units IS
'capacity units of reads, as in ConsumedCapacity';
COMMENT ON COLUMN dynamo.stat_table_operations.write_units IS
'capacity units of writes, as in ConsumedCapacity; of tables that the role '
'may read';
COMMENT ON COLUMN dynamo.stat_table_operations.total_ms IS
'milliseconds that the successful requests took together; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_table_operations.mean_ms IS
'milliseconds that a successful request took on average; null: there was '
'none';
COMMENT ON COLUMN dynamo.stat_table_operations.p50_ms IS
'milliseconds within which half of the successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_table_operations.p99_ms IS
'milliseconds within which 99 of 100 successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_table_operations.p999_ms IS
'milliseconds within which 999 of 1,000 successful requests were done; null: '
'there was none';
COMMENT ON COLUMN dynamo.stat_table_operations.stats_since IS
'since when the table is counted';

CREATE VIEW dynamo.stat_indexes AS
	SELECT table_name, index_name, relation, reads, items_returned, read_units,
		write_units
	FROM dynamo_internal.stat_indexes();
COMMENT ON VIEW dynamo.stat_indexes IS
'reads by an index, and the units used by these and by writes to it, one '
'row an index; counted anew when the index is made again or REINDEX '
'CONCURRENTLY has replaced it';
COMMENT ON COLUMN dynamo.stat_indexes.table_name IS 'the table';
COMMENT ON COLUMN dynamo.stat_indexes.index_name IS 'the secondary index';
COMMENT ON COLUMN dynamo.stat_indexes.relation IS 'its btree';
COMMENT ON COLUMN dynamo.stat_indexes.reads IS
'Query and Scan requests, and statements, that read by it';
COMMENT ON COLUMN dynamo.stat_indexes.items_returned IS
'items in their answers';
COMMENT ON COLUMN dynamo.stat_indexes.read_units IS
'capacity units of reads by it';
COMMENT ON COLUMN dynamo.stat_indexes.write_units IS
'capacity units of writes to it; null: the role may not read the table';

CREATE VIEW dynamo.stat_streams AS
	SELECT s.table_name, s.stream_label, s.shards, s.last_number, s.horizon,
		s.lag AS lag_records, s.holder_pid, s.holder_xid,
		a.xact_start AS holder_since
	FROM dynamo_internal.stat_streams() AS s
		LEFT JOIN pg_catalog.pg_stat_activity AS a
			ON a.pid OPERATOR(pg_catalog.=) s.holder_pid;
COMMENT ON VIEW dynamo.stat_streams IS
'enabled streams: readers get records up to the horizon, and wait for the '
'holder, the oldest transaction that writes to the stream. lag_records is in '
'record numbers, which all streams of the database share. Null on a standby. '
'Of tables that the role may read.';
COMMENT ON COLUMN dynamo.stat_streams.table_name IS 'the table';
COMMENT ON COLUMN dynamo.stat_streams.stream_label IS
'the label of the stream, as in its ARN';
COMMENT ON COLUMN dynamo.stat_streams.shards IS 'its open shards';
COMMENT ON COLUMN dynamo.stat_streams.last_number IS
'the last sequence number that was drawn, by any stream of the database';
COMMENT ON COLUMN dynamo.stat_streams.horizon IS
'the number up to which readers get records';
COMMENT ON COLUMN dynamo.stat_streams.lag_records IS
'last_number less horizon';
COMMENT ON COLUMN dynamo.stat_streams.holder_pid IS
'the process whose transaction holds the horizon back; null: none does, or '
'it is prepared';
COMMENT ON COLUMN dynamo.stat_streams.holder_xid IS 'that transaction';
COMMENT ON COLUMN dynamo.stat_streams.holder_since IS 'when it began';

CREATE VIEW dynamo.stat_activity AS
	SELECT w.pid, w.service, w.stage, w.accepting, w.parked_requests,
		w.requests, a.state, a.query AS activity, a.query_start AS since,
		a.client_addr, a.wait_event_type, a.wait_event
	FROM dynamo_internal.stat_workers() AS w
		JOIN pg_catalog.pg_stat_activity AS a
			ON a.pid OPERATOR(pg_catalog.=) w.pid;
COMMENT ON VIEW dynamo.stat_activity IS
'what each worker does: operation, table and role of its request, shown to '
'pg_read_all_stats; the stage, which is "ending" or "lost" for work that does '
'not end; and the requests that wait for a lock, or for their turn';
COMMENT ON COLUMN dynamo.stat_activity.pid IS 'the process';
COMMENT ON COLUMN dynamo.stat_activity.service IS
'http, maintenance, build, handler, job, recovery or cluster';
COMMENT ON COLUMN dynamo.stat_activity.stage IS
'running, or ending or lost for work that does not end';
COMMENT ON COLUMN dynamo.stat_activity.accepting IS
'whether it takes new clients';
COMMENT ON COLUMN dynamo.stat_activity.parked_requests IS
'requests that wait for a lock, or for their turn';
COMMENT ON COLUMN dynamo.stat_activity.requests IS
'requests that it has executed';
COMMENT ON COLUMN dynamo.stat_activity.state IS 'as in pg_stat_activity';
COMMENT ON COLUMN dynamo.stat_activity.activity IS
'operation, table and role of its request';
COMMENT ON COLUMN dynamo.stat_activity.since IS 'when that began';
COMMENT ON COLUMN dynamo.stat_activity.client_addr IS
'address of the client of the request';
COMMENT ON COLUMN dynamo.stat_activity.wait_event_type IS
'as in pg_stat_activity';
COMMENT ON COLUMN dynamo.stat_activity.wait_event IS 'as in pg_stat_activity';

CREATE VIEW dynamo.stat_workers AS
	SELECT w.pid, w.kind, d.datname AS database,
		CASE WHEN NOT w.idle THEN w.service END AS service,
		CASE WHEN w.idle THEN 'idle' ELSE w.stage END AS state,
		w.since, w.waiting, a.query AS activity
	FROM dynamo_internal.stat_workers() AS w
		LEFT JOIN pg_catalog.pg_database AS d
			ON d.oid OPERATOR(pg_catalog.=) w.database
		LEFT JOIN pg_catalog.pg_stat_activity AS a
			ON a.pid OPERATOR(pg_catalog.=) w.pid;
COMMENT ON VIEW dynamo.stat_workers IS
'which of max_worker_processes are in use by dynamo, in all databases, for '
'what and since when; and what waits for one; for members of '
'pg_read_all_stats';
COMMENT ON COLUMN dynamo.stat_workers.pid IS 'the process; null: none';
COMMENT ON COLUMN dynamo.stat_workers.kind IS
'http or background; null: work that waits';
COMMENT ON COLUMN dynamo.stat_workers.database IS 'where it works';
COMMENT ON COLUMN dynamo.stat_workers.service IS
'http, maintenance, build, handler, job, recovery or cluster; null: nothing';
COMMENT ON COLUMN dynamo.stat_workers.state IS
'running or idle; ending or lost for work that does not end; waiting';
COMMENT ON COLUMN dynamo.stat_workers.since IS
'since when it does that, or waits';
COMMENT ON COLUMN dynamo.stat_workers.waiting IS
'how many pieces of work wait, as far as that is known';
COMMENT ON COLUMN dynamo.stat_workers.activity IS
'what it does now or did last, shown to pg_read_all_stats';

--
-- Access keys
--

CREATE TABLE dynamo.access_keys (
	access_key_id text COLLATE "C" NOT NULL,
	secret_access_key text NOT NULL,
	role pg_catalog.regrole NOT NULL,
	created_at timestamp with time zone NOT NULL,
	expires_at timestamp with time zone,
	comment text,
	CONSTRAINT access_keys_pkey PRIMARY KEY (access_key_id)
) USING heap;
COMMENT ON TABLE dynamo.access_keys IS
'keys that sign HTTP requests, one row each, with their secrets; pg_dump '
'leaves them out';
COMMENT ON COLUMN dynamo.access_keys.access_key_id IS
'identifies the key in a request';
COMMENT ON COLUMN dynamo.access_keys.secret_access_key IS
'the secret that requests are signed with';
COMMENT ON COLUMN dynamo.access_keys.role IS 'the role that requests run as';
COMMENT ON COLUMN dynamo.access_keys.created_at IS 'when the key was made';
COMMENT ON COLUMN dynamo.access_keys.expires_at IS
'from then on the key is refused; null: never';
COMMENT ON COLUMN dynamo.access_keys.comment IS
'whose it is and what for, in the words of who made it';

CREATE TABLE dynamo_internal.access_key_uses (
	access_key_id text COLLATE "C" NOT NULL,
	last_used_at timestamp with time zone NOT NULL,
	CONSTRAINT access_key_uses_pkey PRIMARY KEY (access_key_id)
) USING heap;
COMMENT ON TABLE dynamo_internal.access_key_uses IS
'when keys were last used, to an hour';

CREATE VIEW dynamo.stat_access_keys WITH (security_barrier) AS
	SELECT k.access_key_id, k.role, k.comment, k.created_at, k.expires_at,
		u.last_used_at
	FROM dynamo.access_keys AS k
		LEFT JOIN dynamo_internal.access_key_uses AS u
			ON u.access_key_id OPERATOR(pg_catalog.=) k.access_key_id
			AND u.last_used_at OPERATOR(pg_catalog.>=) k.created_at
	WHERE pg_catalog.pg_has_role(k.role, 'USAGE')
		OR pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE');
COMMENT ON VIEW dynamo.stat_access_keys IS
'access keys without their secrets, and when they were last used: those of '
'roles that the user is or is a member of; all for pg_read_all_stats';
COMMENT ON COLUMN dynamo.stat_access_keys.access_key_id IS
'identifies the key in a request';
COMMENT ON COLUMN dynamo.stat_access_keys.role IS
'the role that requests run as';
COMMENT ON COLUMN dynamo.stat_access_keys.comment IS
'what create_access_key or update_access_key was given';
COMMENT ON COLUMN dynamo.stat_access_keys.created_at IS
'when the key was made';
COMMENT ON COLUMN dynamo.stat_access_keys.expires_at IS
'from then on it is refused; null: never';
COMMENT ON COLUMN dynamo.stat_access_keys.last_used_at IS
'when a request was last signed with it, known to an hour; at this node of a '
'cluster; null: not yet';

CREATE FUNCTION dynamo.create_access_key(role_name pg_catalog.regrole,
	id text DEFAULT NULL, secret text DEFAULT NULL, comment text DEFAULT NULL,
	expires_at timestamp with time zone DEFAULT NULL)
RETURNS TABLE (access_key_id text, secret_access_key text)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 1
AS 'MODULE_PATHNAME', 'dynamo_create_access_key';
COMMENT ON FUNCTION dynamo.create_access_key(pg_catalog.regrole, text, text,
	text, timestamp with time zone) IS
'makes an access key: HTTP requests signed with it run as that role, which '
'must have LOGIN, and which the caller must be or be a member of. The secret '
'is shown only here. "id" (3 to 128 letters, digits and underscores) and '
'"secret" (1 to 128 printable characters; less than 20 for superusers alone) '
'are made at random unless given. The key is refused from "expires_at" on; '
'null: never. Only the owner of the function may execute it. '
'Example: SELECT * FROM dynamo.create_access_key(''gardener'', '
'comment => ''the shed'')';
REVOKE EXECUTE ON FUNCTION dynamo.create_access_key(pg_catalog.regrole, text,
	text, text, timestamp with time zone) FROM PUBLIC;

CREATE FUNCTION dynamo.update_access_key(access_key_id text,
	comment text DEFAULT NULL,
	expires_at timestamp with time zone DEFAULT NULL)
RETURNS void
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_update_access_key';
COMMENT ON FUNCTION dynamo.update_access_key(text, text,
	timestamp with time zone) IS
'changes the comment of an access key, and when it expires; what is null '
'stays as it is, an empty comment is none, infinity is never. The caller '
'must be its role, or be a member of it. Only the owner of the function may '
'execute it. Example: SELECT dynamo.update_access_key(''GARDENERSKEY'', '
'expires_at => now() + ''7 days'')';
REVOKE EXECUTE ON FUNCTION dynamo.update_access_key(text, text,
	timestamp with time zone) FROM PUBLIC;

CREATE FUNCTION dynamo.drop_access_key(access_key_id text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_drop_access_key';
COMMENT ON FUNCTION dynamo.drop_access_key(text) IS
'drops an access key; requests signed with it are refused after that. The '
'caller must be its role, or be a member of it. Example: SELECT '
'dynamo.drop_access_key(''GARDENERSKEY'')';
REVOKE EXECUTE ON FUNCTION dynamo.drop_access_key(text) FROM PUBLIC;

CREATE FUNCTION dynamo_internal.access_keys_edited()
RETURNS trigger
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_access_keys_edited';
COMMENT ON FUNCTION dynamo_internal.access_keys_edited() IS
'makes the HTTP workers forget cached keys when plain SQL edits them';
REVOKE EXECUTE ON FUNCTION dynamo_internal.access_keys_edited() FROM PUBLIC;
CREATE TRIGGER access_keys_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.access_keys
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.access_keys_edited();

--
-- Policies
--

CREATE TABLE dynamo.role_policies (
	role pg_catalog.regrole NOT NULL,
	policy_name text COLLATE "C" NOT NULL,
	document text NOT NULL,
	CONSTRAINT role_policies_pkey PRIMARY KEY (role, policy_name)
) USING heap;
COMMENT ON TABLE dynamo.role_policies IS
'policies of roles, one row each; superusers alone may read it unless they '
'grant SELECT';
COMMENT ON COLUMN dynamo.role_policies.role IS
'the role that the policy narrows, and with it all roles that have its '
'privileges';
COMMENT ON COLUMN dynamo.role_policies.policy_name IS
'identifies the policy among those of its role';
COMMENT ON COLUMN dynamo.role_policies.document IS
'the policy, as AWS writes them; one that cannot be read denies everything';

CREATE TABLE dynamo.resource_policies (
	table_name text COLLATE "C" NOT NULL,
	stream_label text COLLATE "C" NOT NULL,
	table_id text NOT NULL,
	revision_id text NOT NULL,
	document text NOT NULL,
	principals pg_catalog.regrole[] NOT NULL,
	CONSTRAINT resource_policies_pkey PRIMARY KEY (table_name, stream_label)
) USING heap;
COMMENT ON TABLE dynamo.resource_policies IS
'policies of tables and streams (PutResourcePolicy), one row each; superusers '
'alone may read it unless they grant SELECT';
COMMENT ON COLUMN dynamo.resource_policies.table_name IS
'the table that has the policy, or whose stream has it';
COMMENT ON COLUMN dynamo.resource_policies.stream_label IS
'StreamLabel of the stream; empty for the table''s own policy';
COMMENT ON COLUMN dynamo.resource_policies.table_id IS
'TableId; the policy is not that of a later table of the same name';
COMMENT ON COLUMN dynamo.resource_policies.revision_id IS
'RevisionId';
COMMENT ON COLUMN dynamo.resource_policies.document IS
'the policy, as AWS writes them; one that cannot be read denies everything';
COMMENT ON COLUMN dynamo.resource_policies.principals IS
'the roles that the document names as principals, in its order; they stay the '
'same when a role is renamed';

CREATE FUNCTION dynamo_internal.policies_edited()
RETURNS trigger
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_policies_edited';
COMMENT ON FUNCTION dynamo_internal.policies_edited() IS
'makes all processes forget cached policies when plain SQL edits them';
REVOKE EXECUTE ON FUNCTION dynamo_internal.policies_edited() FROM PUBLIC;
CREATE TRIGGER policies_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.role_policies
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.policies_edited();
CREATE TRIGGER policies_edited
	AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON dynamo.resource_policies
	FOR EACH STATEMENT EXECUTE FUNCTION dynamo_internal.policies_edited();

SELECT pg_catalog.pg_extension_config_dump('dynamo.role_policies', '');
SELECT pg_catalog.pg_extension_config_dump('dynamo.resource_policies', '');

CREATE FUNCTION dynamo.put_role_policy(role_name pg_catalog.regrole,
	policy_name text, document dynamo.json_input)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_put_role_policy';
COMMENT ON FUNCTION dynamo.put_role_policy(
	pg_catalog.regrole, text, dynamo.json_input) IS
'gives a role a policy, in place of one of that name: JSON as AWS writes it, '
'without principals, 20480 bytes at most; the name has up to 128 letters, '
'digits and + = , . @ - _ . From then on requests of the role, and of roles '
'that have its privileges, by dynamo.call and HTTP need an Allow in one of '
'their policies besides what GRANT gave. It is for superusers, and for roles '
'that have ADMIN OPTION for the role and cannot be it. A document that is '
'wrong is a ValidationException; as PutRolePolicy of AWS IAM. Example: '
'SELECT dynamo.put_role_policy(''gardener'', ''read-garden'', ''{"Version": '
'"2012-10-17", "Statement": [ {"Effect": "Allow", "Action": '
'["dynamodb:GetItem", "dynamodb:Query"], "Resource": '
'"arn:aws:dynamodb:*:*:table/Garden"}]}'')';

CREATE FUNCTION dynamo.delete_role_policy(role_name pg_catalog.regrole,
	policy_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_delete_role_policy';
COMMENT ON FUNCTION dynamo.delete_role_policy(pg_catalog.regrole, text) IS
'takes a policy away from a role; an error if it has none of that name. Who '
'may put one may delete it; as DeleteRolePolicy of AWS IAM. Example: SELECT '
'dynamo.delete_role_policy(''gardener'', ''read-garden'')';

CREATE FUNCTION dynamo.grant_leading_keys(role_name pg_catalog.regrole,
	table_name text, VARIADIC leading_keys text[])
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_grant_leading_keys';
COMMENT ON FUNCTION dynamo.grant_leading_keys(pg_catalog.regrole, text, text[])
IS
'holds a role to items whose partition key is one of these, in which * is '
'any text and ? any character, in SQL and at every other door: writes the '
'row-level security policy, in place of one it wrote for that role before. '
'The first call for a table enables row-level security; other roles then see '
'nothing, the owner aside, until they are granted keys, such as *. GRANT is '
'needed as before. For the table''s owner. Example: SELECT '
'dynamo.grant_leading_keys(''gardener'', ''Garden'', ''north'', ''w*'')';

CREATE FUNCTION dynamo.revoke_leading_keys(role_name pg_catalog.regrole,
	table_name text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_revoke_leading_keys';
COMMENT ON FUNCTION dynamo.revoke_leading_keys(pg_catalog.regrole, text) IS
'takes back what grant_leading_keys gave a role: it sees no items of the '
'table any more. Row-level security stays enabled. For the table''s owner. '
'Example: SELECT dynamo.revoke_leading_keys(''gardener'', ''Garden'')';

--
-- Privileges on schemas and relations
--
-- Whoever creates the extension may have default privileges, meant for other
-- tables than one of secrets.  What they have given is taken back first, but
-- for what functions mean to everybody.
--

SELECT dynamo_internal.run(format('REVOKE ALL ON %s FROM %s', o.name,
	CASE a.grantee
		WHEN 0 THEN 'PUBLIC'
		ELSE quote_ident(pg_get_userbyid(a.grantee))
	END))
FROM pg_depend AS d,
	LATERAL (
		SELECT format('SCHEMA %I', nspname) AS name, nspacl AS acl,
			nspowner AS owner
		FROM pg_namespace
		WHERE d.classid = 'pg_namespace'::regclass AND oid = d.objid
		UNION ALL
		SELECT format('%s %s',
				CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
				oid::regclass),
			relacl, relowner
		FROM pg_class
		WHERE d.classid = 'pg_class'::regclass AND oid = d.objid
		UNION ALL
		SELECT format('ROUTINE %s', oid::regprocedure), proacl, proowner
		FROM pg_proc
		WHERE d.classid = 'pg_proc'::regclass AND oid = d.objid
	) AS o,
	LATERAL (
		SELECT DISTINCT grantee FROM aclexplode(o.acl)
		WHERE grantee <> o.owner
			AND (grantee <> 0 OR d.classid <> 'pg_proc'::regclass)
	) AS a
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dynamo');

DROP FUNCTION dynamo_internal.run(text);

GRANT USAGE ON SCHEMA dynamo, dynamo_internal, dynamo_data, dynamo_backup
	TO PUBLIC;
GRANT SELECT ON dynamo.tables, dynamo.indexes, dynamo.recovery_holes,
	dynamo.streams, dynamo.regions, dynamo.replicas,
	dynamo.conflicts,
	dynamo.event_source_mappings, dynamo.jobs, dynamo.stat_progress_job,
	dynamo.backups TO PUBLIC;
GRANT SELECT ON dynamo.stat_tables, dynamo.stat_cluster_tables,
	dynamo.stat_operations,
	dynamo.stat_table_operations, dynamo.stat_indexes, dynamo.stat_streams,
	dynamo.stat_activity, dynamo.stat_access_keys TO PUBLIC;
GRANT SELECT ON dynamo.stat_workers TO pg_read_all_stats;
