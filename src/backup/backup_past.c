/*-------------------------------------------------------------------------
 *
 * backup_past.c
 *	  Point-in-time recovery: a table's items as they were, as SQL.
 *
 * The queries call dynamo_internal.past(), which is backup_read_past() below:
 * the journal is read in the name of its owner, and handed to whom the relation
 * lets read all of its items.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "backup/backup_change.h"
#include "backup/backup_past.h"
#include "base/compat.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* Columns of what is read, as dynamo_internal.past() returns them. */
#define PAST_KEYS	3
#define PAST_OLD	4
#define PAST_NATTS	5

/* Where rows go. */
typedef struct Target
{
	const RecoveryDef *recovery;
	Tuplestorestate *store;
	TupleDesc	desc;
} Target;

static EnginePast *past_of(const BackupMoment *moment);
static void check_right(Oid relid);
static void check_complete(const RecoveryDef *recovery,
						   const BackupPastCall *call);
static char *journal_query(const RecoveryDef *recovery,
						   const BackupPastCall *call);
static char *key_text(const char *function, const KeyAttr *attr);
static void copy_rows(const char *query, const RecoveryDef *recovery,
					  const BackupPastCall *call, Tuplestorestate *store,
					  TupleDesc desc);
static void put_row(HeapTuple tuple, void *target);

char *
backup_past_query(const BackupMoment *moment)
{
	return psprintf("SELECT i.item FROM (%s) AS i",
					engine_past_query(past_of(moment), NULL));
}

void
backup_read_as_of(EngineTable *table, TimestampTz when)
{
	const TableDef *def = engine_def(table);
	const BackupMoment *moment = backup_moment(def->relid, when);

	if (moment == NULL)
		backup_refuse_time(def->relid, def->name, when);
	engine_read_past(table, past_of(moment));
}

/*
 * What was changed after "from" may have been changed after "to", too: then at
 * "to" it was what the journal says, else what it is today.
 */
char *
backup_changes_query(const BackupMoment *from, const BackupMoment *to,
					 const ItemValue *hash)
{
	const EnginePast *first = past_of(from);
	const EnginePast *last = past_of(to);
	int32		entry_hash = hash ?
		journal_hash(item_partition_key(hash, 1)) : 0;
	const int32 *only = hash ? &entry_hash : NULL;
	StringInfoData sql;

	if (first->snapshot == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are no changes after the present")));
	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT c.keys, c.old_image, c.new_image, c.changed_at "
					 "FROM (SELECT f.keys, f.old_image, f.changed_at, "
					 "CASE WHEN l.pk IS NULL THEN t.item ELSE l.old_image END AS new_image "
					 "FROM %s AS f "
					 "LEFT JOIN %s AS l ON l.pk OPERATOR(pg_catalog.=) f.pk%s "
					 "LEFT JOIN %s AS t ON t.pk OPERATOR(pg_catalog.=) f.pk%s) AS c "
					 "WHERE (c.old_image IS NULL) OPERATOR(pg_catalog.<>) (c.new_image IS NULL) "
					 "OR NOT (c.old_image OPERATOR(pg_catalog.=) c.new_image)",
					 engine_past_call(first, only, last->snapshot ?
									  quote_literal_cstr(last->snapshot) :
									  "pg_catalog.pg_current_snapshot()"),
					 last->snapshot ? engine_past_call(last, only, "NULL") :
					 "(SELECT NULL::dynamo.partition_key AS pk, "
					 "NULL::dynamo.sort_key AS sk, "
					 "NULL::dynamo.item AS old_image)",
					 first->range ?
					 " AND l.sk OPERATOR(pg_catalog.=) f.sk" : "",
					 meta_relation_identity(from->relid),
					 first->range ?
					 " AND t.sk OPERATOR(pg_catalog.=) f.sk" : "");
	return sql.data;
}

static EnginePast *
past_of(const BackupMoment *moment)
{
	EnginePast *past = palloc0(sizeof(EnginePast));

	past->relid = moment->relid;
	past->range = moment->recovery->range.name != NULL;
	past->snapshot = moment->snapshot;
	past->from = moment->from;
	return past;
}

/*
 * Put the rows that a past query (backup_past_query()) asks for into "store".
 * An error if nothing is recorded of the relation, or the user may not read
 * all of it.
 */
void
backup_read_past(const BackupPastCall *call, Tuplestorestate *store,
				 TupleDesc desc)
{
	const RecoveryDef *recovery = journal_find(call->relid);
	char	   *query;

	if (recovery == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation with OID %u has no point-in-time recovery",
						call->relid)));
	check_right(call->relid);
	backup_check_file(call->relid);

	/* Once pieces are locked, none can be trimmed. */
	query = journal_query(recovery, call);
	check_complete(recovery, call);

	copy_rows(query, recovery, call, store, desc);
}

/*
 * May the user see all items?  SELECT on all columns will do.
 */
static void
check_right(Oid relid)
{
	char	   *name = get_rel_name(relid);

	if (pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT,
								  ACLMASK_ALL) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, name);
	if (check_enable_rls(relid, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the past of relation \"%s\" cannot be read where row-level security applies",
						name)));
}

/*
 * TRUNCATE and some kinds of ALTER TABLE give a relation a new file, in which
 * a snapshot from before sees nothing.
 */
void
backup_check_file(Oid relid)
{
	Relation	classes = table_open(RelationRelationId, AccessShareLock);
	Relation	rel = relation_open(relid, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(classes, ClassOidIndexId, true,
							  GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	if (!HeapTupleIsValid(tuple) ||
		((Form_pg_class) GETSTRUCT(tuple))->relfilenode !=
		rel->rd_rel->relfilenode)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to a concurrent rewrite of relation \"%s\"",
						RelationGetRelationName(rel)),
				 errdetail("The snapshot is older than what the relation has.")));
	systable_endscan(scan);
	relation_close(rel, AccessShareLock);
	table_close(classes, AccessShareLock);
}

/*
 * The journal may have been trimmed since somebody looked.  What was written at
 * any time was written by transactions that the window's beginning waited for, or
 * by later ones.
 */
static void
check_complete(const RecoveryDef *recovery, const BackupPastCall *call)
{
	TimestampTz from = call->from;
	JournalWindow complete;
	JournalWindow window;

	if (TIMESTAMP_IS_NOBEGIN(from) &&
		journal_find_window(recovery->id, &window))
		from = window.began_at - JOURNAL_SLACK;
	if (journal_find_window(0, &complete) &&
		(journal_trimmed_ahead(&complete) ?
		 FullTransactionIdPrecedes(journal_marker_xmin(call->since),
								   complete.xid) :
		 complete.began_at > from))
		ereport(ERROR,
				(errcode(ERRCODE_SNAPSHOT_TOO_OLD),
				 errmsg("the journal of point-in-time recovery has been trimmed beyond %s",
						timestamptz_to_str(from))));
}

/*
 * The first entry of each item among those that the snapshot does not see.
 */
static char *
journal_query(const RecoveryDef *recovery, const BackupPastCall *call)
{
	return psprintf("SELECT DISTINCT ON (c.pk, c.sk) c.pk, c.sk, c.keys, c.old_image, %s "
					"FROM (SELECT %s AS pk, %s AS sk, e.* FROM %s AS e "
					"WHERE e.recovery OPERATOR(pg_catalog.=) $1%s "
					"AND NOT pg_catalog.pg_visible_in_snapshot(e.xid, $3)) AS c "
					"ORDER BY c.pk, c.sk, c.number",
					call->has_until ?
					"pg_catalog.max(c.at) FILTER (WHERE pg_catalog.pg_visible_in_snapshot(c.xid, $4)) "
					"OVER (PARTITION BY c.pk, c.sk)" :
					"NULL::pg_catalog.timestamptz",
					key_text("partition_key", &recovery->hash),
					recovery->range.name != NULL ?
					key_text("sort_key", &recovery->range) :
					"NULL::dynamo.sort_key",
					engine_journal_entries(call->from),
					call->has_hash ?
					" AND e.hash OPERATOR(pg_catalog.=) $2" : "");
}

static char *
key_text(const char *function, const KeyAttr *attr)
{
	return psprintf("dynamo_internal.%s(COALESCE(e.old_image, e.keys), %s, '%c'::pg_catalog.\"char\")",
					function, quote_literal_cstr(attr->name), attr->type);
}

static void
copy_rows(const char *sql, const RecoveryDef *recovery,
		  const BackupPastCall *call, Tuplestorestate *store, TupleDesc desc)
{
	Target		target = {recovery, store, desc};
	BackupQuery query = {
		.sql = sql,
		.nargs = 4,
		.types = {INT4OID, INT4OID, PG_SNAPSHOTOID, PG_SNAPSHOTOID},
		.values = {Int32GetDatum(recovery->id), Int32GetDatum(call->hash),
		call->since, call->until},
		.each = put_row,
		.arg = &target
	};

	memcpy(query.nulls, call->has_until ? "    " : "   n", 5);
	backup_run_query(&query);
}

/*
 * An entry that has an image has no keys: they are made of it.
 */
static void
put_row(HeapTuple tuple, void *arg)
{
	const Target *target = arg;
	const RecoveryDef *recovery = target->recovery;
	Datum		values[PAST_NATTS];
	bool		nulls[PAST_NATTS];
	TableDef	def = {.hash = recovery->hash, .range = recovery->range};

	heap_deform_tuple(tuple, SPI_tuptable->tupdesc, values, nulls);
	if (nulls[PAST_KEYS - 1])
		values[PAST_KEYS - 1] =
			PointerGetDatum(key_as_item(&def, NULL,
											DatumGetItemP(values[PAST_OLD - 1])));
	nulls[PAST_KEYS - 1] = false;
	tuplestore_putvalues(target->store, target->desc, values, nulls);
}
