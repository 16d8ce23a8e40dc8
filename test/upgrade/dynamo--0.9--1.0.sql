\echo Use "ALTER EXTENSION dynamo UPDATE" to load this file. \quit

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

-- Nodes are told again when Citus has made the relations of tables anew there.
ALTER TABLE dynamo_internal.known_nodes ADD COLUMN version pg_catalog.xid;
COMMENT ON COLUMN dynamo_internal.known_nodes.version IS
'of its row of pg_dist_node, which Citus writes when it makes the relations '
'of distributed tables anew there; another one is to be told again';
COMMENT ON COLUMN dynamo.stat_activity.service IS
'http, maintenance, build, handler, job, recovery or cluster';
COMMENT ON VIEW dynamo.stat_workers IS
'which of max_worker_processes are in use by dynamo, in all databases, for '
'what and since when; and what waits for one; for members of '
'pg_read_all_stats';
GRANT SELECT ON dynamo.stat_workers TO pg_read_all_stats;
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

COMMENT ON FUNCTION dynamo_internal.item_send(dynamo.item) IS
'binary output of type dynamo.item: the stored form, for servers; a later '
'version may write another one, which this one does not read';

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

DROP FUNCTION dynamo.matches(dynamo.item, text, dynamo.item, jsonb);
DROP FUNCTION dynamo.project(dynamo.item, text, jsonb);
DROP FUNCTION dynamo.apply_update(dynamo.item, text, dynamo.item, jsonb);
DROP FUNCTION dynamo.get_item(
	text, dynamo.item, text, jsonb, timestamp with time zone);
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

-- dynamo.export_table has five more arguments.
DROP FUNCTION dynamo.export_table(text, text, text, text, timestamptz,
	timestamptz, timestamptz, text);

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

-- COMMENTs of functions have an example.
COMMENT ON FUNCTION dynamo.to_json(item dynamo.item) IS
'the item as typed DynamoDB JSON, {"a":{"S":"x"}}; nothing is lost. Example: '
'SELECT dynamo.to_json(item) FROM dynamo.get_item(''Garden'', ''north'', '
'''ivy'')';
COMMENT ON FUNCTION dynamo.item_size(item dynamo.item) IS
'size of the item in bytes by DynamoDB''s rules, as used for the limit of '
'409600 and for capacity units. Example: SELECT dynamo.item_size(''{"bed": '
'"north", "height": 40}'')';
COMMENT ON FUNCTION dynamo.item_set(dynamo.item, text[], jsonb, boolean) IS
'the item with a value at a path of names and list positions, like '
'jsonb_set: a position past the end appends. If the last step is missing it '
'is created, or nothing changes, as create_if_missing says; if another is '
'missing, nothing changes. Everything else keeps its type, and so does a set '
'or a binary that is replaced by an array or a base64 string of its kind. '
'Example: SELECT dynamo.item_set(''{"kinds": {"SS": ["dark"]}, "place": '
'{"M": {"x": {"N": "1"}}}}'', ''{place,x}'', ''5'')';
COMMENT ON FUNCTION dynamo.begins_with(
	sort_key dynamo.sort_key, prefix text) IS
'is the sort key a string that begins with prefix? Can use an index on the '
'sort key. Example: SELECT item->>''plant'' AS plant FROM '
'dynamo_data."Garden" WHERE pk = ''north'' AND dynamo.begins_with(sk, ''i'')';
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
COMMENT ON FUNCTION dynamo.drop_table(text) IS
'DeleteTable: drops a table with all its items and indexes. For the owner of '
'the table. Raises ResourceNotFoundException if there is none, '
'ResourceInUseException while an index is being built by a background '
'worker, ValidationException if deletion protection is on. Example: SELECT '
'dynamo.drop_table(''GardenAgain'')';
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
COMMENT ON FUNCTION dynamo.detach_table(text) IS
'forgets a table, but not its relation, which is returned, with all items '
'and indexes. For the owner of the table. Raises ResourceNotFoundException '
'if there is none; object_not_in_prerequisite_state if it has a stream. '
'Example: SELECT dynamo.detach_table(''GardenAgain'')';
DROP FUNCTION dynamo.distribute_table(text, integer);
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
COMMENT ON FUNCTION dynamo.undistribute_table(text) IS
'brings a distributed table, with its items and indexes, to the coordinator, '
'where it runs, as an ordinary table. For the owner of the table, with the '
'rights that distribute_table needs. Raises object_not_in_prerequisite_state '
'without Citus, elsewhere than on the coordinator, or if the table is not '
'distributed or has a stream; ResourceNotFoundException if there is no such '
'table. Example: SELECT dynamo.undistribute_table(''Garden'')';
COMMENT ON FUNCTION dynamo.drop_index(text, text) IS
'UpdateTable with GlobalSecondaryIndexUpdates Delete: drops a global '
'secondary index. For the owner of the table. Raises '
'ResourceNotFoundException if there is no such table or index, '
'LimitExceededException while a background worker builds another index of '
'the table, ValidationException for a local secondary index. Example: SELECT '
'dynamo.drop_index(''Garden'', ''ByCare'')';
COMMENT ON FUNCTION dynamo.enable_ttl(text, text) IS
'UpdateTimeToLive: an item expires at the time in this attribute, in seconds '
'since 1970. The attribute is top-level, of type N, and its name has 1 to '
'255 characters. Expired items are deleted by expire_items, or in the '
'background if the server preloads dynamo. Builds an index on the attribute '
'in this transaction. For the owner of the table. Raises '
'ResourceNotFoundException if there is no such table, ValidationException if '
'time to live is on already. Example: SELECT dynamo.enable_ttl(''Garden'', '
'''gone_at'')';
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
COMMENT ON FUNCTION dynamo.drop_auto_scaling(text, text, text) IS
'DeleteScalingPolicy and DeregisterScalableTarget of Application Auto '
'Scaling: the throughput of the table or global index stays as it is. False: '
'there was no such policy. For the owner of the table. Raises '
'ResourceNotFoundException if there is no such table. Example: SELECT '
'dynamo.drop_auto_scaling(''Garden'', ''ReadCapacityUnits'')';
COMMENT ON FUNCTION dynamo.disable_ttl(text) IS
'UpdateTimeToLive: items no longer expire, and the index on their expiry is '
'dropped. For the owner of the table. Raises ResourceNotFoundException if '
'there is no such table, ValidationException if time to live is off already. '
'Example: SELECT dynamo.disable_ttl(''Garden'')';
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
COMMENT ON FUNCTION dynamo.table_placement(text) IS
'how a table''s items lie: its pages of 8 kB, items, versions of items that '
'this statement does not see, item collections (partition keys), the part of '
'the pages that is in use, from 0 to 1, and means for a collection. The '
'fewer pages a collection has, the faster it is read. Reads the whole table '
'and its primary key''s index; locks, rights and errors are those of '
'check_table. Example: SELECT items, collections, items_per_collection FROM '
'dynamo.table_placement(''Garden'')';
COMMENT ON FUNCTION dynamo.relation(text) IS
'the relation that holds a table''s items, for plain SQL. Raises '
'ResourceNotFoundException if there is no such table. Example: SELECT '
'dynamo.relation(''Garden'')';
COMMENT ON FUNCTION dynamo.batch_get(text, dynamo.item[]) IS
'API operation BatchGetItem on one table: the items of these keys, in their '
'order; a key without an item, or a null key, gives no row. Takes any number '
'of keys. Needs SELECT on the table. Raises ValidationException, '
'ResourceNotFoundException, AccessDeniedException. Example: SELECT '
'item->>''plant'' AS plant FROM dynamo.batch_get(''Garden'', ''{"bed": '
'"north", "plant": "ivy"}'', ''{"bed": "moon", "plant": "moss"}'', ''{"bed": '
'"north", "plant": "fern"}'')';
COMMENT ON FUNCTION dynamo.partiql(text) IS
'API operation ExecuteStatement: runs a PartiQL statement without '
'parameters. See partiql(text, "any"). Example: SELECT item->>''plant'' AS '
'plant FROM dynamo.partiql(''SELECT * FROM "Garden" WHERE bed = ? AND height '
'> ?'', ''north'', 100)';
COMMENT ON FUNCTION dynamo.enable_stream(text, text) IS
'starts a stream of the changes to a table, as UpdateTable with '
'StreamEnabled does, and returns its label. view_type is KEYS_ONLY, '
'NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES. The setting '
'dynamo.stream_shards gives the number of shards. For the owner of the '
'table. Raises ValidationException, ResourceNotFoundException. Example: '
'SELECT dynamo.enable_stream(''Garden'')';
COMMENT ON FUNCTION dynamo.disable_stream(text) IS
'ends the stream of a table, as UpdateTable does; its records remain for 24 '
'hours. For the owner of the table. Raises ValidationException, '
'ResourceNotFoundException. Example: SELECT dynamo.disable_stream(''Garden'')';
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
COMMENT ON FUNCTION dynamo.trim_streams() IS
'truncates the stream records of four hours, all of them more than 24 hours '
'old, and forgets streams disabled more than 24 hours ago. Returns the '
'number of pieces truncated, 0 or 1. Call it at least once in four hours, in '
'a transaction of its own; if dynamo is preloaded, the server does it. Only '
'the owner may execute it. Example: SELECT dynamo.trim_streams()';
COMMENT ON FUNCTION dynamo.enable_recovery(text, integer) IS
'switches point-in-time recovery of a table on, as UpdateContinuousBackups '
'does, or changes for how many days, 1 to 35, it reaches back: the table can '
'be restored to any second since now. For the owner of the table. Raises '
'ResourceNotFoundException. Example: SELECT '
'dynamo.enable_recovery(''Garden'', days => 7)';
COMMENT ON FUNCTION dynamo.disable_recovery(text) IS
'switches point-in-time recovery of a table off, as UpdateContinuousBackups '
'does; what was kept of it is lost. For the owner of the table. Raises '
'ResourceNotFoundException. Example: SELECT '
'dynamo.disable_recovery(''Garden'')';
COMMENT ON FUNCTION dynamo.recovery_window(text) IS
'the times that a table can be read as of and restored to, as '
'DescribeContinuousBackups tells them, and for how many days they are kept; '
'all null if point-in-time recovery is off. For those who may use the table. '
'Raises ResourceNotFoundException. Example: SELECT * FROM '
'dynamo.recovery_window(''Garden'')';
COMMENT ON FUNCTION dynamo.mark_recovery() IS
'makes what is committed now a point that tables with point-in-time recovery '
'can be restored to, and returns its time. If dynamo is preloaded, the '
'server does it each second while there are changes. Call it in a '
'transaction of its own. Only the owner may execute it. Example: SELECT '
'dynamo.mark_recovery()';
COMMENT ON FUNCTION dynamo.trim_recovery() IS
'truncates those parts of the journal of point-in-time recovery, each for '
'two days, that are older than the longest period of any table by more than '
'a day; begins recovery of tables that come from a dump. Returns their '
'number. Call it at least once in two days, in a transaction of its own; if '
'dynamo is preloaded, the server does it. Only the owner may execute it. '
'Example: SELECT dynamo.trim_recovery()';
DROP FUNCTION dynamo.create_event_source_mapping(
	text, pg_catalog.regproc, integer, integer, json, integer, boolean,
	pg_catalog.regclass, text, timestamp with time zone, integer, integer,
	boolean);
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
DROP FUNCTION dynamo.update_event_source_mapping(
	integer, pg_catalog.regproc, integer, integer, json, integer, boolean,
	pg_catalog.regclass, integer, boolean);
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
ALTER VIEW dynamo.event_source_mappings
	RENAME COLUMN batching_window TO batching_window_seconds;
ALTER VIEW dynamo.event_source_mappings
	RENAME COLUMN maximum_record_age TO maximum_record_age_seconds;
ALTER VIEW dynamo.event_source_mappings
	RENAME COLUMN last_at TO last_called_at;
ALTER VIEW dynamo.recovery_holes RENAME COLUMN began TO began_at;
ALTER VIEW dynamo.recovery_holes RENAME COLUMN ended TO ended_at;
ALTER VIEW dynamo.stat_streams RENAME COLUMN lag TO lag_records;
COMMENT ON VIEW dynamo.stat_streams IS
'enabled streams: readers get records up to the horizon, and wait for the '
'holder, the oldest transaction that writes to the stream. lag_records is in '
'record numbers, which all streams of the database share. Null on a standby. '
'Of tables that the role may read.';
COMMENT ON FUNCTION dynamo.delete_event_source_mapping(integer) IS
'deletes an event source mapping and its position, as Lambda''s '
'DeleteEventSourceMapping does. Waits for a batch that is being handled. For '
'members of the role that owns the mapping, and for the owner of the table. '
'Raises undefined_object, insufficient_privilege. Example: SELECT '
'dynamo.delete_event_source_mapping(:mapping)';
COMMENT ON FUNCTION dynamo.run_event_source_mapping(integer) IS
'handles, in the current transaction, all changes that an event source '
'mapping has not handled yet, whether it is enabled or not, without waiting '
'for the batching window or for the time of the next attempt. A shard is '
'left at the first batch that fails, with a warning. Returns the number of '
'records handled. The function runs as the owner of the mapping. For members '
'of that role. Raises undefined_object, insufficient_privilege. Example: '
'SELECT dynamo.run_event_source_mapping(:mapping)';
COMMENT ON FUNCTION dynamo.cancel_job(text) IS
'ends a backup, restore, export, import or bulk operation as soon as '
'possible; it is CANCELLING until then. The argument is its ARN or its id, '
'the end of the ARN (see dynamo.jobs). For members of the role that has '
'asked for it, the owner of its table, and superusers. Returns false if it '
'has ended already. Raises undefined_object and read_only_sql_transaction. '
'API: CancelBulkOperation. Example: SELECT dynamo.cancel_job(:''bulk'')';
COMMENT ON PROCEDURE dynamo.run_jobs() IS
'does the work of all jobs there are, in this session and at once: those of '
'roles that the current user is a member of. Waits for jobs that a '
'background process is at, and takes them over from it. Commits after each '
'step, so it cannot be called inside a transaction block. For tests, for '
'cron, and for servers that do not preload dynamo. A job that fails is '
'reported as a warning, and tried again up to 5 times in all where that may '
'help. Raises active_sql_transaction and read_only_sql_transaction. Example: '
'CALL dynamo.run_jobs()';
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
COMMENT ON FUNCTION dynamo.create_backup(text, text) IS
'CreateBackup: copies the items of a table, as of one moment, in this '
'transaction, with its definition, and returns the ARN of the backup. No '
'writer has to wait. A backup outlives its table; see dynamo.backups. A '
'backup name has 3 to 255 characters of a-z, A-Z, 0-9, _ . - and need not be '
'unique. For the owner of the table, who then owns the backup. (By HTTP, a '
'background worker makes it.) Raises TableNotFoundException. Example: SELECT '
'dynamo.create_backup(''Garden'', ''before-winter'')';
COMMENT ON FUNCTION dynamo.delete_backup(text) IS
'DeleteBackup: drops a backup, by its ARN. For the owner of its relation. '
'Raises BackupNotFoundException if there is none, BackupInUseException while '
'a table is being restored from it, ValidationException for one that '
'DeleteTable has left, which goes by itself after 35 days. Example: SELECT '
'dynamo.delete_backup(:''backup'')';
DROP FUNCTION dynamo.restore_table(
	text, text, timestamp with time zone, text);
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
COMMENT ON FUNCTION dynamo.grant_bucket(text, pg_catalog.regrole, text[]) IS
'lets a role use a bucket, a folder in the directory of the setting '
'dynamo.bucket_directory: "read" to import from it, "write" to export to it. '
'It adds to what the role has. The folder need not be there yet. The name '
'has 3 to 255 letters, digits and . _ - and begins and ends with a letter or '
'digit. It is for superusers; members of pg_read_server_files and '
'pg_write_server_files need no grant. Example: SELECT '
'dynamo.grant_bucket(''garden-files'', ''gardener'', ''{read,write}'')';
COMMENT ON FUNCTION dynamo.revoke_bucket(text, pg_catalog.regrole, text[]) IS
'takes privileges back that grant_bucket has given; an error if the role has '
'none of them. Exports and imports of the role that run now fail at their '
'next step. It is for superusers. Example: SELECT '
'dynamo.revoke_bucket(''garden-files'', ''gardener'', ''{write}'')';
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
COMMENT ON FUNCTION dynamo.stat_reset() IS
'forgets all statistics of this database. Only the owner of the function may '
'execute it, and whom he grants EXECUTE. Example: SELECT dynamo.stat_reset()';
COMMENT ON FUNCTION dynamo.drop_access_key(text) IS
'drops an access key; requests signed with it are refused after that. The '
'caller must be its role, or be a member of it. Example: SELECT '
'dynamo.drop_access_key(''GARDENERSKEY'')';
DROP FUNCTION dynamo.put_role_policy(pg_catalog.regrole, text, text);
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
COMMENT ON FUNCTION dynamo.delete_role_policy(pg_catalog.regrole, text) IS
'takes a policy away from a role; an error if it has none of that name. Who '
'may put one may delete it; as DeleteRolePolicy of AWS IAM. Example: SELECT '
'dynamo.delete_role_policy(''gardener'', ''read-garden'')';
COMMENT ON FUNCTION dynamo.grant_leading_keys(pg_catalog.regrole, text, text[])
IS
'holds a role to items whose partition key is one of these, in which * is '
'any text and ? any character, in SQL and at every other door: writes the '
'row-level security policy, in place of one it wrote for that role before. '
'The first call for a table enables row-level security; other roles then see '
'nothing, the owner aside, until they are granted keys, such as *. GRANT is '
'needed as before. For the table''s owner. Example: SELECT '
'dynamo.grant_leading_keys(''gardener'', ''Garden'', ''north'', ''w*'')';
COMMENT ON FUNCTION dynamo.revoke_leading_keys(pg_catalog.regrole, text) IS
'takes back what grant_leading_keys gave a role: it sees no items of the '
'table any more. Row-level security stays enabled. For the table''s owner. '
'Example: SELECT dynamo.revoke_leading_keys(''gardener'', ''Garden'')';

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

-- dynamo.indexes has vector indexes, too.
ALTER TABLE dynamo.indexes
	ADD COLUMN vector_attribute text,
	ADD COLUMN dimensions integer CHECK (dimensions BETWEEN 1 AND 4096),
	ADD COLUMN distance_function text
		CHECK (distance_function IN ('COSINE', 'DOT_PRODUCT', 'EUCLIDEAN')),
	DROP CONSTRAINT indexes_check,
	ADD CONSTRAINT indexes_check
	CHECK (cardinality(partition_key) BETWEEN 0 AND 4
		AND cardinality(sort_key) BETWEEN 0 AND 18
		AND cardinality(partition_key) = cardinality(partition_key_type)
		AND cardinality(sort_key) = cardinality(sort_key_type)
		AND partition_key_type || sort_key_type <@ '{S,N,B}'),
	ADD CONSTRAINT indexes_vector_check CHECK (
		CASE WHEN vector_attribute IS NULL
		THEN cardinality(partition_key) >= 1 AND cardinality(sort_key) <= 4
			AND dimensions IS NULL AND distance_function IS NULL
		ELSE cardinality(partition_key) <= 1 AND NOT is_local
			AND dimensions IS NOT NULL AND distance_function IS NOT NULL END);
COMMENT ON TABLE dynamo.indexes IS
'secondary indexes and vector indexes, one row each; written by create_index, '
'drop_index and the like, not by hand';
COMMENT ON COLUMN dynamo.indexes.partition_key IS
'names of the HASH attributes, 1 to 4; of a vector index none or 1';
COMMENT ON COLUMN dynamo.indexes.sort_key IS
'names of the RANGE attributes, 0 to 4; of a vector index those of the '
'INLINE_FILTER attributes, 0 to 18';
COMMENT ON COLUMN dynamo.indexes.vector_attribute IS
'name of the VectorAttribute of a vector index, null for others';
COMMENT ON COLUMN dynamo.indexes.dimensions IS
'how many numbers its vectors have';
COMMENT ON COLUMN dynamo.indexes.distance_function IS
'DistanceFunction: COSINE, DOT_PRODUCT or EUCLIDEAN';

CREATE OR REPLACE VIEW dynamo.jobs WITH (security_barrier) AS
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

-- Vectors of items are kept side by side, by an index access method.
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
GRANT SELECT ON dynamo.regions, dynamo.replicas, dynamo.conflicts TO PUBLIC;

CREATE FUNCTION dynamo.stream_arn(table_name text, label text)
RETURNS text
LANGUAGE C STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_stream_arn';
COMMENT ON FUNCTION dynamo.stream_arn(text, text) IS
'the ARN of a stream, which DescribeStream and the like take as StreamArn, by '
'two columns of dynamo.streams; region and account in it are settings. '
'Example: SELECT dynamo.stream_arn(''Garden'', ''2026-12-01T10:00:00.000'')';
COMMENT ON COLUMN dynamo.streams.label IS
'StreamLabel, the time it was enabled; dynamo.stream_arn(table_name, label) '
'is the ARN';

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

DROP FUNCTION dynamo.stat_keys(text);
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
GRANT SELECT ON dynamo.stat_cluster_tables TO PUBLIC;

COMMENT ON FUNCTION dynamo_internal.take_definition(
	integer, text, text, text, text, text) IS
'gives this node the definition of a distributed table: a row of '
'dynamo.tables (null: the table is gone), an array of rows of dynamo.indexes, '
'one of rows of dynamo.streams, and, as JSON, the shards of the stream and '
'policies, as text. For the owner of the relation; for roles that distribute '
'tables';
