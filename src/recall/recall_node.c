/*-------------------------------------------------------------------------
 *
 * recall_node.c
 *	  A node's part in moments of the cluster, and the items that it had then.
 *
 * The node keeps its snapshot under the name of the moment, in a row of
 * dynamo_internal.node_moments.  So a node that has the row has all that the
 * snapshot sees: what it sees was logged before.  A server that has lost the one,
 * as a standby that was behind when it was promoted, has lost the other.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "backup/backup_past.h"
#include "base/base_session.h"
#include "base/compat.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "recall/recall_internal.h"
#include "shard/shard.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

/* Columns of dynamo_internal.node_moments. */
#define MOMENTS_ID			1
#define MOMENTS_SNAPSHOT	2
#define MOMENTS_TAKEN		3
#define MOMENTS_LAST		4
#define MOMENTS_NATTS		4

static const DynamoColumn moments_columns[] = {
	{UUIDOID, true}, {PG_SNAPSHOTOID, true}, {TIMESTAMPTZOID, true},
	{INT8OID, true}
};

StaticAssertDecl(lengthof(moments_columns) == MOMENTS_NATTS,
				 "each column has its type");

static DynamoIndex moments_indexes[] = {
	{1, {MOMENTS_ID}},
};

static DynamoMember moments_member =
DYNAMO_INTERNAL_TABLE("node_moments", moments_columns,
					  DYNAMO_INDEXES(moments_indexes));

/*
 * Milliseconds that what is prepared is waited for, while nobody commits on several
 * nodes; and after which it is not waited for any more.
 */
#define PATIENCE		500
#define PREPARED_LATELY	"1 second"

/* The node's part of a moment. */
typedef struct Part
{
	Datum		snapshot;
	TimestampTz taken_at;		/* by the node's clock */
	int64		last_entry;		/* of the journal, drawn before the snapshot */
} Part;

PG_FUNCTION_INFO_V1(dynamo_take_moment);
PG_FUNCTION_INFO_V1(dynamo_moment_lasts);
PG_FUNCTION_INFO_V1(dynamo_moment_query);

static List *list_whole(void);
static bool await_prepared(TimestampTz start);
static bool is_prepared(Oid relid, bool lately);
static Datum take_snapshot(void);
static void insert_part(Datum id, const Part *part);
static void *read_part(Relation rel, HeapTuple tuple);
static const Part *find_part(Datum id);
static bool sees_window(const Part *part, const RecoveryDef *recovery,
						FullTransactionId *xid);
static const TableDef *open_source(const char *table);
static void append_shards(StringInfo out, const TableDef *def,
						  ArrayType *shards);
static Oid	lock_shard(const TableDef *def, int64 shard);
static void refuse(const char *table, const char *reason)
			pg_attribute_noreturn();

List *
recall_list(void)
{
	List	   *all = journal_list();
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, all)
	{
		RecoveryDef *recovery = lfirst(lc);

		if (recovery->ended_at == 0 && get_rel_name(recovery->relid) != NULL &&
			schema_cluster.holds(recovery->relid))
			found = lappend(found, recovery);
	}
	return found;
}

/*
 * take_moment(id): this node's part, in a transaction that holds off the commits
 * of several nodes, as all nodes do.  What is prepared has been decided by then,
 * and is waited for.  Tells of the tables that the part is of use to in which
 * transaction their recovery began here: Name=xid, separated by spaces.
 *
 * The number of the last entry is read before the snapshot.  A transaction that
 * drew one of those before either is seen, or is one that the snapshot names.
 * Each later one has a greater number.
 */
Datum
dynamo_take_moment(PG_FUNCTION_ARGS)
{
	List	   *whole;
	StringInfoData out;
	Part		part;
	ListCell   *lc;

	PreventCommandIfReadOnly("taking a moment of the cluster");
	PreventCommandIfParallelMode("taking a moment of the cluster");
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("a moment of the cluster is taken in READ COMMITTED")));
	(void) await_prepared(GetCurrentTimestamp());
	whole = list_whole();
	part.last_entry = journal_last_entry();
	part.snapshot = take_snapshot();
	part.taken_at = GetCurrentTimestamp();
	insert_part(PG_GETARG_DATUM(0), &part);
	initStringInfo(&out);
	foreach(lc, whole)
	{
		const RecoveryDef *recovery = lfirst(lc);
		const TableDef *def = schema_find_sound_relation(recovery->relid);
		FullTransactionId xid;

		if (def != NULL && sees_window(&part, recovery, &xid))
			appendStringInfo(&out, "%s%s=" UINT64_FORMAT,
							 out.len > 0 ? " " : "", def->name,
							 U64FromFullTransactionId(xid));
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

/*
 * The tables of which nothing is prepared.  That is asked before the snapshot: what is
 * committed just after it would be half there, though nobody sees it prepared any more.
 */
static List *
list_whole(void)
{
	List	   *whole = NIL;
	ListCell   *lc;

	foreach(lc, recall_list())
	{
		RecoveryDef *recovery = lfirst(lc);

		if (!is_prepared(recovery->relid, false))
			whole = lappend(whole, recovery);
	}
	return whole;
}

/*
 * False: something stays prepared.
 */
static bool
await_prepared(TimestampTz start)
{
	ListCell   *lc;

	foreach(lc, recall_list())
	{
		while (is_prepared(((const RecoveryDef *) lfirst(lc))->relid, true))
		{
			if (TimestampDifferenceExceeds(start, GetCurrentTimestamp(), PATIENCE))
				return false;
			dynamo_nap(1);
		}
	}
	return true;
}

/*
 * Is a transaction of Citus' prepared here that may have written the table?
 * Anybody can give a transaction such a name: one of a role that may not write
 * there does not count.  One that is in this list no more is seen by the next
 * snapshot, if it was committed.
 */
static bool
is_prepared(Oid relid, bool lately)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(relid);

	return meta_query(psprintf("SELECT FROM pg_catalog.pg_prepared_xact() AS p "
							   "JOIN pg_catalog.pg_database AS d ON d.oid = p.dbid "
							   "WHERE d.datname = pg_catalog.current_database() "
							   "AND pg_catalog.starts_with(p.gid, 'citus_') "
							   "AND (pg_catalog.has_any_column_privilege(p.ownerid, $1, 'INSERT, UPDATE') "
							   "OR pg_catalog.has_table_privilege(p.ownerid, $1, 'DELETE')) %s LIMIT 1",
							   lately ? "AND p.prepared > pg_catalog.clock_timestamp() - interval '" PREPARED_LATELY "'" : ""),
					  1, &type, &value, NULL, NULL) > 0;
}

/*
 * Before this transaction has an xid, which would be one of those in progress.
 */
static Datum
take_snapshot(void)
{
	Datum		snapshot;

	PushActiveSnapshot(GetLatestSnapshot());
	snapshot = DirectFunctionCall1(pg_snapshot_in,
								   CStringGetDatum(journal_snapshot_text()));
	PopActiveSnapshot();
	return snapshot;
}

static void
insert_part(Datum id, const Part *part)
{
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, MOMENTS_ID, id);
	meta_set_column(&row, MOMENTS_SNAPSHOT, part->snapshot);
	meta_set_column(&row, MOMENTS_TAKEN, TimestampTzGetDatum(part->taken_at));
	meta_set_column(&row, MOMENTS_LAST, Int64GetDatum(part->last_entry));
	meta_insert(&moments_member, &row);
}

/*
 * NULL: this node has no part in it, or not any more.
 */
static const Part *
find_part(Datum id)
{
	ScanKeyData key;

	ScanKeyInit(&key, MOMENTS_ID, BTEqualStrategyNumber, F_UUID_EQ, id);
	return meta_first(&moments_member, &moments_indexes[0], 1, &key, read_part);
}

static void *
read_part(Relation rel, HeapTuple tuple)
{
	Part	   *part = palloc(sizeof(Part));
	bool		isnull;

	part->snapshot =
		PointerGetDatum(PG_DETOAST_DATUM_COPY(meta_column(tuple, MOMENTS_SNAPSHOT,
														  rel, &isnull)));
	part->taken_at = DatumGetTimestampTz(meta_column(tuple, MOMENTS_TAKEN, rel,
													 &isnull));
	part->last_entry = DatumGetInt64(meta_column(tuple, MOMENTS_LAST, rel,
												 &isnull));
	return part;
}

/*
 * Does the snapshot see the transaction in which recovery began here?  Then all
 * that it does not see is in the journal.
 */
static bool
sees_window(const Part *part, const RecoveryDef *recovery,
			FullTransactionId *xid)
{
	JournalWindow window;

	if (!journal_find_window(recovery->id, &window))
		return false;
	*xid = window.xid;
	return DatumGetBool(DirectFunctionCall2(pg_visible_in_snapshot,
											FullTransactionIdGetDatum(window.xid),
											part->snapshot));
}

/*
 * moment_lasts(id): has nothing changed on this node since its part of a moment?
 * No entry was drawn, and no transaction that may have drawn one before was in
 * progress then.
 */
Datum
dynamo_moment_lasts(PG_FUNCTION_ARGS)
{
	const Part *part = find_part(PG_GETARG_DATUM(0));
	char	   *snapshot;
	ListCell   *lc;

	if (part == NULL || part->last_entry != journal_last_entry())
		PG_RETURN_BOOL(false);
	snapshot = DatumGetCString(DirectFunctionCall1(pg_snapshot_out,
												   part->snapshot));
	if (snapshot[strlen(snapshot) - 1] != ':')
		PG_RETURN_BOOL(false);
	foreach(lc, recall_list())
	{
		FullTransactionId xid;

		if (!sees_window(part, lfirst(lc), &xid))
			PG_RETURN_BOOL(false);
	}
	PG_RETURN_BOOL(true);
}

/*
 * moment_query(table_name, id, shards): the query of the items that these shards,
 * which are here, had at a moment.  Their relations are locked to the end of the
 * transaction, and the query is to be run in it, which is REPEATABLE READ: it sees
 * the shards and the journal under one snapshot.
 */
Datum
dynamo_moment_query(PG_FUNCTION_ARGS)
{
	const TableDef *def = open_source(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	const Part *part = find_part(PG_GETARG_DATUM(1));
	const char *range = def->range.name ? ", sk" : "";
	FullTransactionId xid;
	StringInfoData out;
	BackupPastCall call = {.relid = def->relid};

	if (!IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("the items of a moment are read in REPEATABLE READ")));
	if (part == NULL)
		refuse(def->name, "This node does not know that moment: it may be another server now, which was behind.");
	if (!sees_window(part, def->recovery, &xid))
		refuse(def->name, "Its recovery has begun anew on this node since then.");
	call.since = part->snapshot;
	call.from = backup_written_from(def->recovery, part->snapshot,
									part->taken_at);
	initStringInfo(&out);
	appendStringInfo(&out, "WITH past AS MATERIALIZED (SELECT p.pk, p.sk, p.old_image "
					 "FROM dynamo_internal.past(%u::pg_catalog.oid, %s::pg_catalog.pg_snapshot, %s::pg_catalog.timestamptz) AS p) "
					 "SELECT t.item FROM (",
					 call.relid,
					 quote_literal_cstr(DatumGetCString(DirectFunctionCall1(pg_snapshot_out, call.since))),
					 quote_literal_cstr(timestamptz_to_str(call.from)));
	append_shards(&out, def, PG_GETARG_ARRAYTYPE_P(2));
	appendStringInfo(&out, ") AS t WHERE NOT EXISTS (SELECT FROM past AS p WHERE p.pk OPERATOR(pg_catalog.=) t.pk%s) "
					 "UNION ALL SELECT p.old_image FROM past AS p WHERE p.old_image IS NOT NULL",
					 range[0] ? " AND p.sk OPERATOR(pg_catalog.=) t.sk" : "");
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

/*
 * The user must be one who may read all of it.
 */
static const TableDef *
open_source(const char *table)
{
	const TableDef *def = schema_find_table(table);

	if (def == NULL || !def->distributed)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("there is no distributed table \"%s\" here", table)));
	if (pg_class_aclcheck(def->relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, table);
	if (def->recovery == NULL)
		refuse(table, "Its recovery is not on.");
	return def;
}

static void
append_shards(StringInfo out, const TableDef *def, ArrayType *shards)
{
	Datum	   *values;
	int			n;

	deconstruct_array(shards, INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &values, NULL, &n);
	for (int i = 0; i < n; i++)
	{
		Oid			relid = lock_shard(def, DatumGetInt64(values[i]));

		appendStringInfo(out, "%sSELECT s.pk, %ss.item FROM ONLY %s AS s",
						 i > 0 ? " UNION ALL " : "",
						 def->range.name ? "s.sk, " : "",
						 meta_relation_identity(relid));
	}
	if (n == 0)
		refuse(def->name, "No shards are asked for.");
}

/*
 * A shard of the table that this node has, as the active snapshot and the catalogs
 * say; anybody may call a relation of his own like one.
 */
static Oid
lock_shard(const TableDef *def, int64 shard)
{
	Datum		values[] = {ObjectIdGetDatum(def->relid), Int64GetDatum(shard)};
	Oid			relid;
	int64		here;

	here = meta_query_number("SELECT count(*) FROM pg_catalog.pg_dist_shard AS s "
							 "JOIN pg_catalog.pg_dist_placement AS p ON p.shardid = s.shardid "
							 "JOIN pg_catalog.pg_dist_local_group AS g ON g.groupid = p.groupid "
							 "WHERE s.logicalrelid::oid = $1 AND s.shardid = $2",
							 OIDOID, values, lengthof(values), NULL);
	if (here != 1)
		refuse(def->name, "A shard of it is not on this node.");
	relid = (Oid) meta_query_number("SELECT coalesce(" SHARD_RELATION("$1", "$2") "::oid::bigint, 0)",
									OIDOID, values, lengthof(values), NULL);
	if (OidIsValid(relid))
		LockRelationOid(relid, AccessShareLock);
	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_RELATION ||
		meta_relation_owner(relid) != meta_relation_owner(def->relid))
		refuse(def->name, "A shard of it has no relation on this node.");
	backup_check_file(relid);
	return relid;
}

static void
refuse(const char *table, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" cannot be brought back to that time", table),
			 errdetail_internal("%s", reason)));
}
