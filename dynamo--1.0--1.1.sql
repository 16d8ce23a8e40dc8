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

/*
 * Privileges: what default privileges of whoever runs this have given is taken
 * back, as for the objects of 1.0.  The tables and functions that are new are
 * these.
 */

CREATE FUNCTION dynamo_internal.run(statement text)
RETURNS void
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'dynamo_run';

SELECT dynamo_internal.run(format('REVOKE ALL ON TABLE %s FROM %s',
	c.oid::regclass,
	CASE a.grantee
		WHEN 0 THEN 'PUBLIC'
		ELSE quote_ident(pg_get_userbyid(a.grantee))
	END))
FROM pg_class AS c,
	LATERAL (
		SELECT DISTINCT grantee FROM aclexplode(c.relacl)
		WHERE grantee <> c.relowner
	) AS a
WHERE c.oid IN ('dynamo_internal.node_moments'::regclass,
	'dynamo_internal.cluster_moments'::regclass,
	'dynamo_internal.cluster_places'::regclass);

SELECT dynamo_internal.run(format('REVOKE ALL ON FUNCTION %s FROM %I',
	p.oid::regprocedure, pg_get_userbyid(a.grantee)))
FROM pg_proc AS p,
	LATERAL (
		SELECT DISTINCT grantee FROM aclexplode(p.proacl)
		WHERE grantee NOT IN (0, p.proowner)
	) AS a
WHERE p.oid IN ('dynamo.stat_shards'::regproc, 'dynamo.rebalance'::regproc,
	'dynamo_internal.shard_cost'::regproc,
	'dynamo_internal.settle_token'::regproc,
	'dynamo_internal.backup_query'::regproc,
	'dynamo_internal.hold_items'::regproc,
	'dynamo_internal.take_moment'::regproc,
	'dynamo_internal.moment_lasts'::regproc,
	'dynamo_internal.moment_query'::regproc);

DROP FUNCTION dynamo_internal.run(text);

GRANT EXECUTE ON FUNCTION dynamo.stat_shards(integer) TO pg_read_all_stats;

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

-- It reads all numbers of a vector, so a plan that calls it for each row costs
-- more than one that reads the index.
ALTER FUNCTION dynamo_internal.vector_entry(
	dynamo.item, text, integer, text[], "char"[], boolean) COST 100;
