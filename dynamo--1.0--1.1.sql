/* dynamo--1.0--1.1.sql: what version 1.1 adds to the objects of 1.0 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION dynamo UPDATE TO '1.1'" to load this file. \quit

/*
 * Load of distributed tables
 */

CREATE FUNCTION dynamo.stat_shards(measure_seconds integer DEFAULT 10)
RETURNS TABLE (
	table_name text,
	shard bigint,
	node text,
	bytes bigint,
	accesses bigint,
	share double precision)
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_stat_shards';
COMMENT ON FUNCTION dynamo.stat_shards(integer) IS
'lists the shards of all distributed tables, the most accessed first: the '
'node that has the shard; bytes with indexes; how often it was accessed while '
'the call measured, for 0 to 3600 seconds, and its share of all accesses. An '
'access is a scan of the shard or of one of its indexes, as PostgreSQL counts '
'them (track_counts): a request for an item is one to three of them. 0 '
'seconds: those that were counted since the shard came to its node. A WARNING '
'tells which node does not answer. For pg_read_all_stats, which has to be '
'able to log in at the other nodes. Raises object_not_in_prerequisite_state '
'without Citus, invalid_parameter_value for other seconds. Example: SELECT * '
'FROM dynamo.stat_shards() LIMIT 5';
REVOKE EXECUTE ON FUNCTION dynamo.stat_shards(integer) FROM PUBLIC;

CREATE FUNCTION dynamo.rebalance(
	dry_run boolean DEFAULT true,
	access_weight double precision DEFAULT 0.5,
	measure_seconds integer DEFAULT 10,
	shard_transfer_mode text DEFAULT 'auto')
RETURNS TABLE (
	table_name text,
	shard bigint,
	bytes bigint,
	accesses bigint,
	source text,
	target text)
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_rebalance';
COMMENT ON FUNCTION dynamo.rebalance(
	boolean, double precision, integer, text) IS
'lists the moves of shards after which the nodes of a Citus cluster bear the '
'same, in their order; with dry_run => false, has Citus begin with them in '
'the background (citus_rebalance_start), by auto, force_logical or '
'block_writes. What a shard bears is its share of all bytes and, to the part '
'that access_weight says, from 0 to 1, of all accesses, as stat_shards '
'measures them. Runs on the coordinator. For a superuser. Raises '
'object_not_in_prerequisite_state without Citus or elsewhere than on the '
'coordinator, connection_failure if a node does not answer, '
'invalid_parameter_value for other values, and what Citus raises. Example: '
'SELECT * FROM dynamo.rebalance()';
REVOKE EXECUTE ON FUNCTION dynamo.rebalance(
	boolean, double precision, integer, text) FROM PUBLIC;

CREATE FUNCTION dynamo_internal.shard_cost(shard bigint)
RETURNS real
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_shard_cost';
COMMENT ON FUNCTION dynamo_internal.shard_cost(bigint) IS
'what a shard costs, for Citus, while dynamo.rebalance() is at work';
REVOKE EXECUTE ON FUNCTION dynamo_internal.shard_cost(bigint) FROM PUBLIC;

/*
 * Tokens of transactions that one node of a cluster executes
 */

CREATE FUNCTION dynamo_internal.settle_token(token text, role text, id bigint)
RETURNS text
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_settle_token';
COMMENT ON FUNCTION dynamo_internal.settle_token(text, text, bigint) IS
'was the transaction executed here that is noted under this number of a '
'ClientRequestToken of a role, by its name? If so, the sizes of its items, '
'in bytes; busy: it is being executed; closed: it was not, and is not from '
'now on';
REVOKE EXECUTE ON FUNCTION dynamo_internal.settle_token(text, text, bigint)
	FROM PUBLIC;
COMMENT ON TABLE dynamo_internal.shared_tokens IS
'ClientRequestTokens of TransactWriteItems with distributed tables in the '
'last twenty minutes; distributed itself, by token, once the first table is';
COMMENT ON COLUMN dynamo_internal.shared_tokens.request IS
'SHA-256 of the request''s TransactItems; where one node executes it, and '
'keeps whether it was, a number of 8 bytes and the node''s groupid follow';
COMMENT ON COLUMN dynamo_internal.shared_tokens.created_at IS
'when it was used; it is valid for ten minutes after that, or for twenty '
'where a node is noted';

/*
 * Backups that another node of a cluster restores
 */

CREATE FUNCTION dynamo_internal.backup_query(backup_id text)
RETURNS text
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_backup_query';
COMMENT ON FUNCTION dynamo_internal.backup_query(text) IS
'the query of the items of a backup of this node, whose relation it locks to '
'the end of the transaction; null if the backup is not there. For another '
'node of a cluster, which restores it. Needs SELECT on the relation.';

/*
 * Items of several nodes as of one moment, beside others who change them
 */

CREATE FUNCTION dynamo_internal.hold_items(table_name text, keys bytea[])
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_hold_items';
COMMENT ON FUNCTION dynamo_internal.hold_items(text, bytea[]) IS
'locks items of a distributed table that are on this node, by their keys, to '
'the end of the (sub)transaction, as SELECT ... FOR SHARE SKIP LOCKED does. '
'For reading items of several nodes as of one moment. Needs SELECT and '
'UPDATE; without UPDATE it gives false and locks nothing.';

/*
 * Point-in-time recovery of distributed tables (see src/recall)
 */

CREATE TABLE dynamo_internal.node_moments (
	moment_id pg_catalog.uuid NOT NULL,
	snapshot pg_catalog.pg_snapshot NOT NULL,
	taken_at timestamp with time zone NOT NULL,
	last_entry bigint NOT NULL,
	CONSTRAINT node_moments_pkey PRIMARY KEY (moment_id)
) USING heap;
CREATE INDEX node_moments_taken_at
	ON dynamo_internal.node_moments (taken_at);
COMMENT ON TABLE dynamo_internal.node_moments IS
'what this node had committed at moments of its cluster; not dumped';
COMMENT ON COLUMN dynamo_internal.node_moments.moment_id IS 'the moment';
COMMENT ON COLUMN dynamo_internal.node_moments.snapshot IS
'what was committed here';
COMMENT ON COLUMN dynamo_internal.node_moments.taken_at IS
'when that was, by this node''s clock';
COMMENT ON COLUMN dynamo_internal.node_moments.last_entry IS
'the last entry of the journal whose number had been drawn';

CREATE TABLE dynamo_internal.cluster_moments (
	moment_id pg_catalog.uuid NOT NULL,
	taken_at timestamp with time zone NOT NULL,
	lasted_until timestamp with time zone NOT NULL,
	lacking integer[] NOT NULL,
	CONSTRAINT cluster_moments_pkey PRIMARY KEY (taken_at)
) USING heap;
COMMENT ON TABLE dynamo_internal.cluster_moments IS
'on the coordinator of a cluster: moments of all nodes, to which distributed '
'tables with point-in-time recovery can be restored; not dumped';
COMMENT ON COLUMN dynamo_internal.cluster_moments.moment_id IS
'by which nodes keep their parts in node_moments';
COMMENT ON COLUMN dynamo_internal.cluster_moments.taken_at IS
'all that is in it was committed before';
COMMENT ON COLUMN dynamo_internal.cluster_moments.lasted_until IS
'nothing had changed up to then';
COMMENT ON COLUMN dynamo_internal.cluster_moments.lacking IS
'recovery_id of tables that it is of no use to';

CREATE TABLE dynamo_internal.cluster_places (
	recovery_id integer NOT NULL,
	placed text NOT NULL,
	begun text NOT NULL,
	since timestamp with time zone NOT NULL,
	CONSTRAINT cluster_places_pkey PRIMARY KEY (recovery_id)
) USING heap;
COMMENT ON TABLE dynamo_internal.cluster_places IS
'on the coordinator of a cluster: where the shards of a distributed table '
'with point-in-time recovery were at its last moment; not dumped';
COMMENT ON COLUMN dynamo_internal.cluster_places.recovery_id IS 'the table';
COMMENT ON COLUMN dynamo_internal.cluster_places.placed IS
'nodes, and the placements that they have';
COMMENT ON COLUMN dynamo_internal.cluster_places.begun IS
'the transactions in which recovery has begun on them';
COMMENT ON COLUMN dynamo_internal.cluster_places.since IS
'the first moment that has found it so';

CREATE FUNCTION dynamo_internal.take_moment(moment_id pg_catalog.uuid)
RETURNS text
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_take_moment';
COMMENT ON FUNCTION dynamo_internal.take_moment(pg_catalog.uuid) IS
'keeps what is committed on this node as its part of a moment of the '
'cluster, in a transaction that has called hold_commits(), as all nodes do. '
'Returns the tables that it is of use to, and where their recovery began';
REVOKE EXECUTE ON FUNCTION dynamo_internal.take_moment(pg_catalog.uuid)
	FROM PUBLIC;

CREATE FUNCTION dynamo_internal.moment_lasts(moment_id pg_catalog.uuid)
RETURNS boolean
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_moment_lasts';
COMMENT ON FUNCTION dynamo_internal.moment_lasts(pg_catalog.uuid) IS
'has nothing changed on this node since its part of that moment, in tables '
'with point-in-time recovery?';
REVOKE EXECUTE ON FUNCTION dynamo_internal.moment_lasts(pg_catalog.uuid)
	FROM PUBLIC;

CREATE FUNCTION dynamo_internal.moment_query(
	table_name text, moment_id pg_catalog.uuid, shards bigint[])
RETURNS text
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_moment_query';
COMMENT ON FUNCTION dynamo_internal.moment_query(
	text, pg_catalog.uuid, bigint[]) IS
'the query of the items that shards of a distributed table, which this node '
'has, had at a moment of the cluster. It locks them to the end of the '
'transaction, in which the query is to be run. Needs SELECT on the relation '
'of the table';

--
-- Values that partition keys are compared with
--
-- In an UPDATE or DELETE with "pk = $1", where the parameter is text or a
-- number, Citus has such a value, and finds the shard by what it is as a value
-- of the column's type.  Without a cast it took it for one that no row has.
--

CREATE CAST (dynamo_internal.partition_key_value AS dynamo.partition_key)
	WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (
	dynamo_internal.partition_key_value AS dynamo.partition_key) IS
'the same key';

--
-- Plans that read vector indexes: searches of distributed tables
--

CREATE FUNCTION dynamo_internal.vector_meets(
	entry dynamo_internal.vector_entry, query bytea)
RETURNS boolean
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_meets';
COMMENT ON FUNCTION dynamo_internal.vector_meets(
	dynamo_internal.vector_entry, bytea) IS
'implements @@';

CREATE FUNCTION dynamo_internal.vector_nearness(
	entry dynamo_internal.vector_entry, query bytea)
RETURNS double precision
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_nearness';
COMMENT ON FUNCTION dynamo_internal.vector_nearness(
	dynamo_internal.vector_entry, bytea) IS
'implements <->';

CREATE OPERATOR dynamo_internal.@@ (
	LEFTARG = dynamo_internal.vector_entry, RIGHTARG = bytea,
	FUNCTION = dynamo_internal.vector_meets,
	RESTRICT = pg_catalog.contsel, JOIN = pg_catalog.contjoinsel
);
COMMENT ON OPERATOR dynamo_internal.@@ (
	dynamo_internal.vector_entry, bytea) IS
'is the entry of a vector index one that a search asks for, by hashes of the '
'attributes of its condition?';

CREATE OPERATOR dynamo_internal.<-> (
	LEFTARG = dynamo_internal.vector_entry, RIGHTARG = bytea,
	FUNCTION = dynamo_internal.vector_nearness
);
COMMENT ON OPERATOR dynamo_internal.<-> (
	dynamo_internal.vector_entry, bytea) IS
'how far the vector of an entry is from that of a search, by the distance of '
'its index; the nearest is the least, by DOT_PRODUCT, too';

ALTER OPERATOR FAMILY dynamo_internal.vector_entry_ops USING dynamo_vector ADD
	OPERATOR 1 dynamo_internal.@@ (dynamo_internal.vector_entry, bytea),
	OPERATOR 2 dynamo_internal.<-> (dynamo_internal.vector_entry, bytea)
		FOR ORDER BY pg_catalog.float_ops;
COMMENT ON OPERATOR CLASS dynamo_internal.vector_entry_ops
	USING dynamo_vector IS
'entries of vector indexes, to be found by a search, the nearest first';
COMMENT ON ACCESS METHOD dynamo_vector IS
'vectors of items side by side, for the searches of vector indexes; those of '
'distributed tables are planned with it';

CREATE FUNCTION dynamo_internal.vector_entry_analyze(internal)
RETURNS boolean
LANGUAGE C STABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'dynamo_vector_entry_analyze';
COMMENT ON FUNCTION dynamo_internal.vector_entry_analyze(internal) IS
'ANALYZE of type dynamo_internal.vector_entry: there are no statistics';
ALTER TYPE dynamo_internal.vector_entry SET (
	ANALYZE = dynamo_internal.vector_entry_analyze
);

-- It reads all numbers of a vector, so a plan that calls it for each row costs
-- more than one that reads the index.
ALTER FUNCTION dynamo_internal.vector_entry(
	dynamo.item, text, integer, text[], "char"[], boolean) COST 100;

--
-- Comments of 1.0 that are not true any more, or not the whole of it
--

COMMENT ON TYPE dynamo.item IS
'a DynamoDB item: named attributes, each of one of the ten types. Also used '
'for keys and for the values of an expression. Input is typed DynamoDB JSON '
'({"a":{"S":"x"}}), if all members are objects and one of them has one '
'member, named like a type; or else plain JSON ({"a":"x"}). Output is typed. '
'Invalid values raise ValidationException, wrong JSON types '
'SerializationException. Subscripts read and assign as those of jsonb do, but '
'a position past the end of a list appends to it, without nulls before; a set '
'or a binary that is assigned an array or a base64 string of its kind stays '
'one. The limit of 400 KB applies when an item is stored in a table.';

COMMENT ON FUNCTION dynamo.distribute_table(text, integer) IS
'distributes a table, with its items and indexes, by partition key over the '
'nodes of a Citus cluster, in 1 to 64000 shards (null: as many as '
'citus.shard_count says); it can then be used on every node. Runs on the '
'coordinator. A table that is distributed already is made known to nodes that '
'were added since. For the owner of the table, with SELECT and UPDATE on '
'dynamo_internal.nodes and EXECUTE on dynamo_internal.take_definition() on '
'all nodes; the first time in a database for a superuser. Raises '
'object_not_in_prerequisite_state without Citus, elsewhere than on the '
'coordinator, or if the table has a stream, an event source mapping, '
'point-in-time recovery, replicas in other regions, an index being built, or '
'row-level security; ResourceNotFoundException if there is no such table. '
'Example: SELECT dynamo.distribute_table(''Garden'', shard_count => 32)';

COMMENT ON FUNCTION dynamo.undistribute_table(text) IS
'brings a distributed table, with its items and indexes, to the coordinator, '
'where it runs, as an ordinary table. For the owner of the table, with the '
'rights that distribute_table needs. Raises object_not_in_prerequisite_state '
'without Citus, elsewhere than on the coordinator, or if the table is not '
'distributed, or has a stream, point-in-time recovery or an index being '
'built; ResourceNotFoundException if there is no such table. Example: SELECT '
'dynamo.undistribute_table(''Garden'')';

COMMENT ON FUNCTION dynamo.get_item(
	text, dynamo.item, text, dynamo.json_input, timestamp with time zone) IS
'API operation GetItem: the item with this key, or no row. key has exactly '
'the key attributes, typed or plain JSON; a null key finds nothing. '
'projection_expression picks attributes; expression_attribute_names is {"#n": '
'"name"}. Reads the statement''s snapshot, or with as_of what was committed '
'then: to the second, in a table with point-in-time recovery that is not '
'distributed, where no row-level security applies. Needs SELECT on the table. '
'Raises ValidationException, ResourceNotFoundException, '
'AccessDeniedException; with as_of PointInTimeRecoveryUnavailableException, '
'InvalidRestoreTimeException. Example: SELECT item FROM '
'dynamo.get_item(''Garden'', ''north'', ''fern'')';

COMMENT ON FUNCTION dynamo.search_vectors(
	text, text, "any", integer, text, dynamo.item_input, text,
	dynamo.json_input, timestamp with time zone) IS
'API operation SearchVectors: the top_k items (1 to 100) of a vector index '
'that are nearest to search_vector, best first, with their scores: 1 minus '
'the cosine, the distance, or the product, as the index says. The search is '
'exact unless dynamo.vector_search is auto. search_vector has as many '
'elements as the index has dimensions (at most 4096): an array of numbers, or '
'a list of them like [1, 0.5], as text, json, jsonb and pgvector''s vector '
'have it; elements are rounded to 32 bits. search_condition_expression '
'compares the HASH attribute of the index, which it must, and filters, all by '
'= and AND. Items are what the index projects, without the vector; '
'projection_expression picks attributes, and may name the vector. '
'expression_attribute_values is {":v": value}, expression_attribute_names '
'{"#n": "name"}; as_of is as in dynamo.get_item, and searches the items of '
'then. Needs SELECT on the table. Raises ValidationException, '
'ResourceNotFoundException, AccessDeniedException, and what dynamo.get_item '
'raises with as_of. Example: SELECT item->>''plant'' AS plant, score FROM '
'dynamo.search_vectors(''Garden'', ''Alike'', ARRAY[1, 0.5], top_k => 2)';

COMMENT ON FUNCTION dynamo.enable_recovery(text, integer) IS
'switches point-in-time recovery of a table on, as UpdateContinuousBackups '
'does, or changes for how many days, 1 to 35, it reaches back: the table can '
'be restored to any second since now, a distributed one to moments some '
'seconds apart. For the owner of the table. Raises ResourceNotFoundException. '
'Example: SELECT dynamo.enable_recovery(''Garden'', days => 7)';

COMMENT ON FUNCTION dynamo.recovery_window(text) IS
'the times that a table can be restored to, and read as of unless it is '
'distributed, as DescribeContinuousBackups tells them, and for how many days '
'they are kept; all null if point-in-time recovery is off. For those who may '
'use the table. Raises ResourceNotFoundException. Example: SELECT * FROM '
'dynamo.recovery_window(''Garden'')';

COMMENT ON FUNCTION dynamo.mark_recovery() IS
'makes what is committed now a point that tables with point-in-time recovery '
'can be restored to, and returns its time. If dynamo is preloaded, the server '
'does it each second while there are changes, for distributed tables each '
'five seconds. For these it has to be called on the coordinator. Call it in a '
'transaction of its own. Only the owner may execute it. Example: SELECT '
'dynamo.mark_recovery()';

COMMENT ON FUNCTION dynamo.create_backup(text, text) IS
'CreateBackup: copies the items of a table, as of one moment, in this '
'transaction, with its definition, and returns the ARN of the backup. No '
'writer has to wait, but for those of a distributed table that write on '
'several nodes, for a moment. A backup outlives its table; see '
'dynamo.backups. A backup name has 3 to 255 characters of a-z, A-Z, 0-9, _ . '
'- and need not be unique. For the owner of the table, who then owns the '
'backup. (By HTTP, a background worker makes it.) Raises '
'TableNotFoundException. Example: SELECT dynamo.create_backup(''Garden'', '
'''before-winter'')';

COMMENT ON FUNCTION dynamo.restore_table(
	text, text, timestamp with time zone, text) IS
'RestoreTableToPointInTime or RestoreTableFromBackup: makes a table, in this '
'transaction, and returns its relation. (In a trigger of a request by HTTP, a '
'background worker makes it, and null is returned.) Either source_table_name '
'is given, a table with point-in-time recovery or one that was deleted with '
'it: then the new table has its items as of as_of, to the second (of a '
'distributed table as of the last moment of its cluster before), by default '
'as they are. Or backup_arn is given: then it has those of the backup. Keys, '
'indexes, throughput and encryption are those of the source; stream, time to '
'live, tags and policies are not kept. Needs CREATE on schema dynamo_data, '
'and SELECT on the source or on the relation of the backup. Raises '
'TableAlreadyExistsException, TableNotFoundException, '
'BackupNotFoundException, PointInTimeRecoveryUnavailableException, '
'InvalidRestoreTimeException. Example: SELECT '
'dynamo.restore_table(''GardenAgain'', backup_arn => :''backup'')';

COMMENT ON FUNCTION dynamo.export_table(text, text, text, text, timestamptz,
	timestamptz, timestamptz, text, text, text, text, dynamo.item_input,
	dynamo.json_input) IS
'has the items of a table written to files of a bucket by a background '
'process, in the layout of the service''s exports, and returns the export''s '
'ARN; dynamo.jobs shows how far it is. export_format is DYNAMODB_JSON or ION; '
'files are compressed by gzip. as_of is of what time the items are (null: '
'now); from_time and to_time (null: the end of the window, about a second '
'ago) instead have what changed between them written, as export_view_type '
'says: NEW_IMAGE or NEW_AND_OLD_IMAGES. Times need point-in-time recovery on '
'the table, which must not be distributed, and lie in its window; the present '
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

COMMENT ON FUNCTION dynamo.import_table(
	text, text, text, text, text, text, text, text, text, text, text[]) IS
'makes a table with these keys (see dynamo.create_table) and has a background '
'process fill it with the items of the files in a bucket (see '
'dynamo.grant_bucket) whose names begin with a prefix. Formats: '
'DYNAMODB_JSON, ION, CSV, the latter with a delimiter (one of , ; : | tab '
'space) and the names of its columns, which otherwise stand in the first line '
'of each file; compressions: NONE, GZIP, ZSTD. The files of a full export of '
'AWS are in such a form. Until the job has ended the table is CREATING and of '
'no use. Of items with the same key one stays. An item that is wrong is '
'counted; the job fails in the end, with the others in place. Anything else '
'that goes wrong takes the table away again. The job runs as the current '
'user, who needs CREATE on schema dynamo_data and the right to read the '
'bucket (dynamo.grant_bucket). Returns the ARN of the import: see '
'DescribeImport, dynamo.jobs, dynamo.cancel_job. Raises ValidationException, '
'ResourceInUseException, LimitExceededException (more than 50 at a time), '
'AccessDeniedException. API: ImportTable. Example: SELECT '
'dynamo.import_table(''GardenCopy'', ''garden-files'', ''bed'', ''plant'', '
'prefix => ''spring/'', input_compression => ''GZIP'')';

COMMENT ON COLUMN dynamo.bucket_grants.bucket IS
'name of the bucket: of a folder in the directory of the setting '
'dynamo.bucket_directory, or of one at a store';

COMMENT ON FUNCTION dynamo.grant_bucket(text, pg_catalog.regrole, text[]) IS
'lets a role use a bucket, a folder in the directory of the setting '
'dynamo.bucket_directory, or one at a store that a superuser has made '
'(create_bucket): "read" to import from it, "write" to export to it. It adds '
'to what the role has. The folder need not be there yet. The name has 3 to '
'255 letters, digits and . _ - and begins and ends with a letter or digit. It '
'is for superusers; members of pg_read_server_files and pg_write_server_files '
'need no grant for a folder. Example: SELECT '
'dynamo.grant_bucket(''garden-files'', ''gardener'', ''{read,write}'')';

COMMENT ON FUNCTION dynamo.create_access_key(pg_catalog.regrole, text, text,
	text, timestamp with time zone) IS
'makes an access key: HTTP requests signed with it run as that role, which '
'must have LOGIN, and which the caller must be, or be a member of that has '
'its rights and may SET ROLE to it. The secret is shown only here. "id" (3 to '
'128 letters, digits and underscores) and "secret" (1 to 128 printable '
'characters; less than 20 for superusers alone) are made at random unless '
'given. The key is refused from "expires_at" on; null: never. Only the owner '
'of the function may execute it. Example: SELECT * FROM '
'dynamo.create_access_key(''gardener'', comment => ''the shed'')';

COMMENT ON FUNCTION dynamo.update_access_key(text, text,
	timestamp with time zone) IS
'changes the comment of an access key, and when it expires; what is null '
'stays as it is, an empty comment is none, infinity is never. The caller must '
'be its role, or a member of that which has its rights and may SET ROLE to '
'it. Only the owner of the function may execute it. Example: SELECT '
'dynamo.update_access_key(''GARDENERSKEY'', '
'expires_at => now() + ''7 days'')';

COMMENT ON FUNCTION dynamo.drop_access_key(text) IS
'drops an access key; requests signed with it are refused after that. The '
'caller must be its role, or a member of that which has its rights and may '
'SET ROLE to it. Example: SELECT '
'dynamo.drop_access_key(''GARDENERSKEY'')';

COMMENT ON FUNCTION dynamo.create_region(text, text) IS
'makes a region known, whose database a foreign server of the wrapper '
'dynamo_region is about, of which a superuser is the owner; or (null) names '
'the region that this database is, which is the setting dynamo.region '
'otherwise. A name has 1 to 63 small letters, digits and hyphens. Only '
'superusers may call it. An error if there is a region of that name, unless '
'its server is gone, or has another OID since pg_upgrade: then it gets this '
'one. Example: SELECT dynamo.create_region(''eu-west-1'')';

COMMENT ON COLUMN dynamo.stat_cluster_tables.requests IS
'requests, each where it was executed: by HTTP about one partition key, and '
'the parts of a batch or of a transaction, at the node that has it; all '
'others at the node that was asked';
COMMENT ON COLUMN dynamo.stat_activity.service IS
'http, maintenance, build, handler, job, recovery, cluster or replication';
COMMENT ON COLUMN dynamo.stat_workers.service IS
'http, maintenance, build, handler, job, recovery, cluster or replication; '
'null: nothing';

--
-- Rows of other roles
--
-- A function in a query on the view would see them before its condition does.
--

ALTER VIEW dynamo.replicas SET (security_barrier);

--
-- Who a key, a function or a job is
--
-- pg_read_all_data and pg_write_all_data are privileges on each table, so also
-- on those which say whose keys there are, with their secrets, as whom the
-- server works, and who may do what.  Such rows are written by the functions
-- for them, and by who owns the tables; secrets are read by nobody else.
--

ALTER TABLE dynamo.access_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE dynamo.bucket_grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE dynamo.resource_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE dynamo.role_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE dynamo_internal.event_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE dynamo_internal.jobs ENABLE ROW LEVEL SECURITY;
CREATE POLICY read ON dynamo.bucket_grants FOR SELECT USING (true);
CREATE POLICY read ON dynamo.resource_policies FOR SELECT USING (true);
CREATE POLICY read ON dynamo.role_policies FOR SELECT USING (true);
CREATE POLICY read ON dynamo_internal.event_sources FOR SELECT USING (true);
COMMENT ON POLICY read ON dynamo.bucket_grants IS
'who has SELECT may read them, as for a dump, and write nothing';
COMMENT ON POLICY read ON dynamo.resource_policies IS
'who has SELECT may read them, as for a dump, and write nothing';
COMMENT ON POLICY read ON dynamo.role_policies IS
'who has SELECT may read them, as for a dump, and write nothing';
COMMENT ON POLICY read ON dynamo_internal.event_sources IS
'who has SELECT may read them, as for a dump, and write nothing';

--
-- Dumps
--
-- What a role has stays for a while when it is gone, and a dump would have its
-- OID there: that of another role, perhaps, where it is restored.
--

SELECT pg_catalog.pg_extension_config_dump('dynamo.bucket_grants',
	'WHERE role IN (SELECT oid FROM pg_catalog.pg_roles)');
SELECT pg_catalog.pg_extension_config_dump('dynamo.role_policies',
	'WHERE role IN (SELECT oid FROM pg_catalog.pg_roles)');

--
-- Owners and privileges
--
-- Whoever runs this, what is new belongs to whom the rest does, as in a
-- database that begins with this version: what is kept of moments is read and
-- written as the owner of the rest, who may not be a superuser any more.  And
-- what default privileges of whoever runs this have given is taken back, as
-- for the objects of 1.0.  Tables and functions that are new stand in these
-- lists.
--

CREATE FUNCTION dynamo_internal.run(statement text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_run';

WITH new AS (
	SELECT 'TABLE' AS kind, oid::regclass::text AS name, relowner AS owner,
		relacl AS acl
	FROM pg_class
	WHERE oid IN ('dynamo_internal.node_moments'::regclass,
		'dynamo_internal.cluster_moments'::regclass,
		'dynamo_internal.cluster_places'::regclass)
	UNION ALL
	SELECT 'FUNCTION', oid::regprocedure::text, proowner, proacl
	FROM pg_proc
	WHERE oid IN ('dynamo.stat_shards'::regproc, 'dynamo.rebalance'::regproc,
		'dynamo_internal.shard_cost'::regproc,
		'dynamo_internal.settle_token'::regproc,
		'dynamo_internal.backup_query'::regproc,
		'dynamo_internal.hold_items'::regproc,
		'dynamo_internal.take_moment'::regproc,
		'dynamo_internal.moment_lasts'::regproc,
		'dynamo_internal.moment_query'::regproc,
		'dynamo_internal.vector_meets'::regproc,
		'dynamo_internal.vector_nearness'::regproc,
		'dynamo_internal.vector_entry_analyze'::regproc)
)
SELECT dynamo_internal.run(statement)
FROM (
	SELECT 1 AS step, format('REVOKE ALL ON %s %s FROM %s', kind, name,
		CASE grantee
			WHEN 0 THEN 'PUBLIC'
			ELSE quote_ident(pg_get_userbyid(grantee))
		END) AS statement
	FROM new, aclexplode(acl)
	WHERE grantee <> owner AND (grantee <> 0 OR kind = 'TABLE')
	UNION
	SELECT 2, format('ALTER %s %s OWNER TO %I', kind, name,
		pg_get_userbyid(relowner))
	FROM new, pg_class
	WHERE oid = 'dynamo_internal.nodes'::regclass AND relowner <> owner
	ORDER BY step
) AS steps;

SELECT dynamo_internal.run(format('ALTER OPERATOR %s OWNER TO %I',
	o.oid::regoperator, pg_get_userbyid(n.relowner)))
FROM pg_operator AS o, pg_class AS n
WHERE n.oid = 'dynamo_internal.nodes'::regclass AND o.oprowner <> n.relowner
	AND o.oprname IN ('@@', '<->') AND o.oprright = 'bytea'::regtype
	AND o.oprleft = 'dynamo_internal.vector_entry'::regtype;

DROP FUNCTION dynamo_internal.run(text);

GRANT EXECUTE ON FUNCTION dynamo.stat_shards(integer) TO pg_read_all_stats;
