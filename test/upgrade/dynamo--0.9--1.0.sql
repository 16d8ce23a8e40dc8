\echo Use "ALTER EXTENSION dynamo UPDATE" to load this file. \quit

-- dynamo.export_table has five more arguments.
DROP FUNCTION dynamo.export_table(text, text, text, text, timestamptz,
	timestamptz, timestamptz, text);

CREATE FUNCTION dynamo.export_table(table_name text, bucket text,
	prefix text DEFAULT NULL,
	export_format text DEFAULT 'DYNAMODB_JSON',
	export_time timestamptz DEFAULT NULL,
	from_time timestamptz DEFAULT NULL,
	to_time timestamptz DEFAULT NULL,
	export_view_type text DEFAULT 'NEW_AND_OLD_IMAGES',
	key_condition text DEFAULT NULL,
	filter text DEFAULT NULL,
	projection text DEFAULT NULL,
	expression_attribute_values dynamo.item DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL)
RETURNS text
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_export_table';
COMMENT ON FUNCTION dynamo.export_table(text, text, text, text, timestamptz,
	timestamptz, timestamptz, text, text, text, text, dynamo.item, jsonb) IS
'has the items of a table written to files of a bucket by a background '
'process, in the layout of the service''s exports, and returns the export''s '
'ARN; dynamo.jobs shows how far it is. export_format is DYNAMODB_JSON or '
'ION; files are compressed by gzip. export_time is of what time the items '
'are (null: now); from_time and to_time (null: the end of the window, about '
'a second ago) instead have what '
'changed between them written, as export_view_type says: NEW_IMAGE or '
'NEW_AND_OLD_IMAGES. Times need point-in-time recovery on the table and '
'lie in its window; the present needs none. key_condition confines the export '
'to one partition key, perhaps to a range of sort keys, filter to the items '
'that meet it (of a change, the item as it is now, or was before it was '
'deleted), projection to some attributes; they are the expressions of '
'dynamo.query, as are expression_attribute_values and '
'expression_attribute_names, and nulls where nothing is left out. The role '
'needs SELECT on the table, without row-level security that hides items: a '
'role with grant_leading_keys may export the present of a key that it was '
'granted; and "write" on the bucket (grant_bucket). Raises '
'ResourceNotFoundException, AccessDeniedException, ValidationException, '
'InvalidExportTimeException, PointInTimeRecoveryUnavailableException. API: '
'ExportTableToPointInTime.';

-- dynamo_internal.operations() tells the members of requests, too.
DROP FUNCTION dynamo_internal.operations();

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

-- Access keys have a comment, an end and a last use, and may be of one's own.
ALTER TABLE dynamo.access_keys ADD COLUMN expires_at timestamp with time zone,
	ADD COLUMN comment text;
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
GRANT SELECT ON dynamo.stat_access_keys TO PUBLIC;

DROP FUNCTION dynamo.create_access_key(pg_catalog.regrole);
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
'Example: SELECT * FROM dynamo.create_access_key(''clerk'', '
'comment => ''till of shop 7'')';
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
'execute it. Example: SELECT dynamo.update_access_key(''AKIAEXAMPLE'', '
'expires_at => now() + ''7 days'')';
REVOKE EXECUTE ON FUNCTION dynamo.update_access_key(text, text,
	timestamp with time zone) FROM PUBLIC;
-- What another node is asked for comes with all fields of its error.
DROP FUNCTION dynamo_internal.try_call_later(text, json);

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

-- Buckets at stores.
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
'path_style false puts that name into the host''s. ca_file names a file of '
'certificates on the server to trust instead of the system''s, which only '
'superusers may. Credentials are given by CREATE USER MAPPING, for a role or '
'for PUBLIC. It needs USAGE on the wrapper. The bucket of a superuser is for '
'those whom grant_bucket allows it; that of another role is for its members.';

CREATE FUNCTION dynamo.drop_bucket(bucket text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_drop_bucket';
COMMENT ON FUNCTION dynamo.drop_bucket(text) IS
'forgets a bucket that create_bucket has made, its credentials and grants; '
'what is at the store stays. It is for who owns the server; an error if '
'there is no such bucket.';

-- Nodes are told again when Citus has made the relations of tables anew there.
ALTER TABLE dynamo_internal.known_nodes ADD COLUMN version pg_catalog.xid;
COMMENT ON COLUMN dynamo_internal.known_nodes.version IS
'of its row of pg_dist_node, which Citus writes when it makes the relations '
'of distributed tables anew there; another one is to be told again';
COMMENT ON COLUMN dynamo.stat_activity.service IS
'http, maintenance, build, handler, job, recovery or cluster';
COMMENT ON COLUMN dynamo.stat_workers.service IS
'http, maintenance, build, handler, job, recovery or cluster; null: nothing';

-- Markers have the next transaction.
COMMENT ON COLUMN dynamo_internal.journal_0.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_1.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_2.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_3.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_4.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_5.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_6.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_7.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_8.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_9.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_10.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_11.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_12.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_13.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_14.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_15.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_16.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_17.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_18.xid IS
'the transaction; of a marker: the next one, which had not begun';
COMMENT ON COLUMN dynamo_internal.journal_19.xid IS
'the transaction; of a marker: the next one, which had not begun';

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
'what functions take as a request: JSON of type text, varchar, json or jsonb. '
'Its text, which the function reads';

CREATE CAST (text AS dynamo.json_input) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (text AS dynamo.json_input) IS 'JSON as text';
CREATE CAST (varchar AS dynamo.json_input) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (varchar AS dynamo.json_input) IS 'JSON as text';
CREATE CAST (json AS dynamo.json_input) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (json AS dynamo.json_input) IS 'JSON as text';
CREATE CAST (jsonb AS dynamo.json_input) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (jsonb AS dynamo.json_input) IS 'JSON as text';

DROP FUNCTION dynamo.put_item(
	text, dynamo.item, text, dynamo.item, jsonb, text);
DROP FUNCTION dynamo.update_item(
	text, dynamo.item, text, dynamo.item, text, jsonb, text);
DROP FUNCTION dynamo.delete_item(
	text, dynamo.item, text, dynamo.item, jsonb, text);
DROP FUNCTION dynamo.query(
	text, text, dynamo.item, text, text, text, jsonb, boolean, bigint,
	dynamo.item, timestamp with time zone);
DROP FUNCTION dynamo.scan(
	text, text, dynamo.item, text, text, jsonb, bigint, dynamo.item,
	integer, integer, timestamp with time zone);
DROP FUNCTION dynamo.call(text, json);
DROP FUNCTION dynamo.try_call(text, json);
DROP FUNCTION dynamo.explain(text, json);
DROP FUNCTION dynamo.transact_write(json);
DROP FUNCTION dynamo.transact_get(json);
DROP FUNCTION dynamo.transact_write(text);
DROP FUNCTION dynamo.transact_get(text);
CREATE FUNCTION dynamo.put_item(
	table_name text,
	item dynamo.item_input,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE')
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_put_item';
COMMENT ON FUNCTION dynamo.put_item(
	text, dynamo.item_input, text, dynamo.item_input, jsonb, text) IS
'API operation PutItem: stores an item of at most 409,600 bytes and replaces '
'one with the same key. return_values is NONE (the result is null) or ALL_OLD '
'(the item before). expression_attribute_values is {":v": value}. Needs '
'INSERT and UPDATE on the table; SELECT, too, with a condition or ALL_OLD. '
'Raises ConditionalCheckFailedException, ValidationException, '
'ResourceNotFoundException, AccessDeniedException.';

CREATE FUNCTION dynamo.update_item(
	table_name text,
	key dynamo.item_input,
	update_expression text,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	condition_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE')
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_update_item';
COMMENT ON FUNCTION dynamo.update_item(
	text, dynamo.item_input, text, dynamo.item_input, text, jsonb, text) IS
'API operation UpdateItem: changes the item with this key by SET, REMOVE, ADD '
'and DELETE, and creates it if there is none. A null update_expression '
'creates the bare key. return_values is NONE (the result is null), ALL_OLD, '
'UPDATED_OLD, ALL_NEW or UPDATED_NEW. The item may not become larger than '
'409,600 bytes. Needs INSERT and UPDATE on the table; SELECT, too, with a '
'condition, an update that reads the item, or return_values. Raises '
'ConditionalCheckFailedException, ValidationException, '
'ResourceNotFoundException, AccessDeniedException.';

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	key dynamo.item,
	condition_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	return_values text DEFAULT 'NONE')
RETURNS dynamo.item
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_delete_item';
COMMENT ON FUNCTION dynamo.delete_item(
	text, dynamo.item, text, dynamo.item_input, jsonb, text) IS
'API operation DeleteItem: removes the item with this key, if there is one. '
'return_values is NONE (the result is null) or ALL_OLD (the item removed). '
'Needs DELETE on the table; SELECT, too, with a condition or ALL_OLD. Raises '
'ConditionalCheckFailedException, ValidationException, '
'ResourceNotFoundException, AccessDeniedException.';

CREATE FUNCTION dynamo.query(
	table_name text,
	key_condition_expression text,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	index_name text DEFAULT NULL,
	filter_expression text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
	scan_index_forward boolean DEFAULT true,
	max_items bigint DEFAULT NULL,
	exclusive_start_key dynamo.item_input DEFAULT NULL,
	as_of timestamp with time zone DEFAULT NULL)
RETURNS TABLE (item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 100
SUPPORT dynamo_internal.estimate
AS 'MODULE_PATHNAME', 'dynamo_query';
COMMENT ON FUNCTION dynamo.query(
	text, text, dynamo.item_input, text, text, text, jsonb, boolean, bigint,
	dynamo.item_input, timestamp with time zone) IS
'API operation Query: the items that meet key_condition_expression (one '
'partition key, perhaps a range of sort keys) and filter_expression, in the '
'order of the sort key, descending if scan_index_forward is false; from an '
'index if index_name is given. Items stream one by one: there is no page of 1 '
'MB, and a LIMIT stops the reading. projection_expression picks attributes. '
'expression_attribute_values is {":v": value}, expression_attribute_names '
'{"#n": "name"}. max_items limits the items returned (after the filter); '
'exclusive_start_key is the key of the last item seen; as_of is as in '
'dynamo.get_item, and an index shows what it had then. Needs SELECT on the '
'table. Raises ValidationException, ResourceNotFoundException, '
'AccessDeniedException, and what dynamo.get_item raises with as_of.';

CREATE FUNCTION dynamo.scan(
	table_name text,
	filter_expression text DEFAULT NULL,
	expression_attribute_values dynamo.item_input DEFAULT NULL,
	index_name text DEFAULT NULL,
	projection_expression text DEFAULT NULL,
	expression_attribute_names jsonb DEFAULT NULL,
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
	text, text, dynamo.item_input, text, text, jsonb, bigint,
	dynamo.item_input, integer, integer, timestamp with time zone) IS
'API operation Scan: all items of a table, or of an index if index_name is '
'given, that meet filter_expression, in the order of the partition key''s '
'hash. segment (from 0) and total_segments (1 to 1000000) select one of that '
'many disjoint parts. projection_expression, expression_attribute_values, '
'expression_attribute_names, max_items, exclusive_start_key and as_of are as '
'in dynamo.query. Items stream one by one: there is no page of 1 MB, and a '
'LIMIT stops the reading. Needs SELECT on the table. Raises '
'ValidationException, ResourceNotFoundException, AccessDeniedException.';

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

CREATE FUNCTION dynamo.delete_item(
	table_name text,
	key json)
RETURNS dynamo.item
LANGUAGE sql VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE
RETURN dynamo.delete_item(table_name, key::dynamo.item);
COMMENT ON FUNCTION dynamo.delete_item(text, json) IS
'the same with the key in JSON of type json';

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
'UnknownOperationException.';

CREATE FUNCTION dynamo.try_call(operation text, request dynamo.json_input)
RETURNS pg_catalog.json
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_try_call';
COMMENT ON FUNCTION dynamo.try_call(text, dynamo.json_input) IS
'dynamo.call in a subtransaction: instead of raising an error it undoes what '
'it wrote and returns DynamoDB''s error body, {"__type":..., "message":...}.';

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
'scan or segment; relation the btree that is gone through, condition the part '
'of it. Items and units of one page are estimates by ANALYZE, null if it has '
'not seen the table or the role may not read it. store is local, or spi, the '
'slower one, for the reason given.';

CREATE FUNCTION dynamo.transact_write(actions dynamo.json_input)
RETURNS TABLE (ordinal integer, table_name text, action text)
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE ROWS 10
AS 'MODULE_PATHNAME', 'dynamo_transact_write';
COMMENT ON FUNCTION dynamo.transact_write(dynamo.json_input) IS
'API operation TransactWriteItems: up to 100 actions Put, Update, Delete and '
'ConditionCheck, all or none. actions is the request''s TransactItems, a JSON '
'array; items, keys and values in it are typed or plain JSON. Returns what '
'was done. Needs the privileges of each action. Raises '
'TransactionCanceledException with CancellationReasons as its detail, '
'ValidationException, ResourceNotFoundException. PostgreSQL''s errors for a '
'lost race (40001, 40P01, 55P03) also have CancellationReasons in their '
'detail.';

CREATE FUNCTION dynamo.transact_get(gets dynamo.json_input)
RETURNS TABLE (ordinal integer, table_name text, item dynamo.item)
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 10
AS 'MODULE_PATHNAME', 'dynamo_transact_get';
COMMENT ON FUNCTION dynamo.transact_get(dynamo.json_input) IS
'API operation TransactGetItems: up to 100 items of one snapshot. gets is the '
'request''s TransactItems, a JSON array; keys in it are typed or plain JSON. '
'item is null if there is none. Needs SELECT on the tables. Raises '
'TransactionCanceledException with CancellationReasons as its detail for keys '
'that do not fit their table; ValidationException, ResourceNotFoundException, '
'AccessDeniedException.';

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
'elsewhere than on the coordinator.';
REVOKE EXECUTE ON FUNCTION dynamo.check_cluster() FROM PUBLIC;
