/*-------------------------------------------------------------------------
 *
 * backup_row.c
 *	  Backups: rows of dynamo.backups, and their relations.
 *
 * A backup's relation is in schema dynamo_backup, where no user may create
 * anything, and belongs to the owner of the table, who may grant others to
 * read it.  A row whose relation is gone is no backup.
 *
 * What a backup holds is as it was: nobody has a right to write it, whatever
 * rights the table had, or the owner's default privileges give.  Its owner, and
 * nobody else, may grant such rights again.
 *
 * The schema is changed by the functions that core's commands call, by OID:
 * these ask for no privilege on it, and no name can lead them astray.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "backup/backup.h"
#include "base/base_session.h"
#include "catalog/dependency.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/toasting.h"
#include "commands/tablecmds.h"
#include "commands/tablespace.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "schema/schema_row.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/uuid.h"

#define SCHEMA_BACKUPS	"dynamo_backup" /* where relations of backups are */

/* Columns of dynamo.backups. */
#define BACKUPS_ID			1
#define BACKUPS_NAME		2
#define BACKUPS_TYPE		3
#define BACKUPS_TABLE		4
#define BACKUPS_TABLE_ID	5
#define BACKUPS_RELATION	6
#define BACKUPS_CREATED		7
#define BACKUPS_EXPIRES		8
#define BACKUPS_SIZE		9
#define BACKUPS_ITEMS		10
#define BACKUPS_DEFINITION	11
#define BACKUPS_NATTS		11

static void relation_dropped(Oid relid);
static const DynamoColumn backups_columns[] = {
	{TEXTOID, true}, {TEXTOID, true}, {TEXTOID, true}, {TEXTOID, true},
	{UUIDOID, true}, {REGCLASSOID, true}, {TIMESTAMPTZOID, true},
	{TIMESTAMPTZOID}, {INT8OID, true}, {INT8OID, true}, {JSONOID, true}
};

StaticAssertDecl(lengthof(backups_columns) == BACKUPS_NATTS,
				 "each column has its type");

static DynamoIndex backups_indexes[] = {
	{1, {BACKUPS_ID}},
	{1, {BACKUPS_RELATION}},
};

#define BACKUPS_BY_ID		(&backups_indexes[0])
#define BACKUPS_BY_RELATION	(&backups_indexes[1])

static DynamoMember backups_member =
DYNAMO_TABLE("backups", backups_columns, DYNAMO_INDEXES(backups_indexes));
static DynamoMember backup_schema = DYNAMO_SCHEMA(SCHEMA_BACKUPS);
static DynamoMember item_type = DYNAMO_TYPE("item");

/*
 * A backup goes with its relation.
 */
void
backup_init(void)
{
	static const SchemaFollower follower = {.dropped = relation_dropped};

	schema_follow(&follower);
}

/* How to free a relation of another one, and as whom. */
typedef struct Tie
{
	Oid			user;
	char	   *command;
} Tie;

static void *read_row(Relation backups, HeapTuple tuple);
static bool is_among_backups(Oid relid);
static bool try_drop(void *relation);
static void drop_indexes(const TableDef *def);
static void cut_ties(Oid relid);
static void take_tie(HeapTuple row, TupleDesc desc, void *list);
static void cut(Oid user, const char *command);
static void move(Oid relid, const char *id);
static void drop_relation(Oid relid);

/*
 * A backup by its id.
 */
const Backup *
backup_read(const char *id)
{
	ScanKeyData key;

	meta_text_key(&key, BACKUPS_ID, id);
	return meta_first(&backups_member, BACKUPS_BY_ID, 1, &key, read_row);
}

/*
 * Up to "limit" (0: all) of Backup *, in the order of ids, which is that of
 * creation: those after an id (NULL: all) for which "listed" is true.
 */
List *
backup_list(const char *after,
			bool (*listed) (const Backup *backup, void *arg),
			void *arg, int limit)
{
	MetaScan	scan;
	ScanKeyData key;
	List	   *found = NIL;

	ScanKeyEntryInitialize(&key, 0, BACKUPS_ID, BTGreaterStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXT_GT,
						   CStringGetTextDatum(after ? after : ""));
	meta_scan_ordered(&scan, &backups_member, BACKUPS_BY_ID,
					  ForwardScanDirection, 1, &key);
	while ((limit <= 0 || list_length(found) < limit) && meta_next(&scan))
	{
		Backup	   *backup = read_row(scan.rel, scan.tuple);

		if (backup != NULL && listed(backup, arg))
			found = lappend(found, backup);
	}
	meta_end(&scan);
	return found;
}

/*
 * Take an id for a backup that this transaction makes.  False: it is taken, if
 * only by somebody who may yet give it up.
 */
bool
backup_claim(const char *id)
{
	Relation	backups = dynamo_table_open(&backups_member, AccessShareLock);
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationGetRelid(backups),
					   hash_bytes((const unsigned char *) id, strlen(id)), 0);
	table_close(backups, AccessShareLock);
	return LockAcquire(&tag, ExclusiveLock, false, true) !=
		LOCKACQUIRE_NOT_AVAIL && backup_read(id) == NULL;
}

/*
 * A new row.  The relation is complete.
 */
void
backup_insert(const Backup *backup)
{
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, BACKUPS_ID, CStringGetTextDatum(backup->id));
	meta_set_column(&row, BACKUPS_NAME, CStringGetTextDatum(backup->name));
	meta_set_column(&row, BACKUPS_TYPE,
					CStringGetTextDatum(backup->system ? "SYSTEM" : "USER"));
	meta_set_column(&row, BACKUPS_TABLE,
					CStringGetTextDatum(backup->table_name));
	meta_set_column(&row, BACKUPS_TABLE_ID,
					DirectFunctionCall1(uuid_in,
										CStringGetDatum(backup->table_id)));
	meta_set_column(&row, BACKUPS_RELATION, ObjectIdGetDatum(backup->relid));
	meta_set_column(&row, BACKUPS_CREATED,
					TimestampTzGetDatum(backup->created_at));
	if (backup->expires_at != 0)
		meta_set_column(&row, BACKUPS_EXPIRES,
						TimestampTzGetDatum(backup->expires_at));
	meta_set_column(&row, BACKUPS_SIZE, Int64GetDatum(backup->size));
	meta_set_column(&row, BACKUPS_ITEMS, Int64GetDatum(backup->items));
	meta_set_column(&row, BACKUPS_DEFINITION,
					CStringGetTextDatum(backup->definition));
	meta_insert(&backups_member, &row);
	schema_let_only_read(backup->relid);
}

/*
 * The relation of a backup has been dropped: so is the backup.
 */
static void
relation_dropped(Oid relid)
{
	MetaScan	scan;
	ScanKeyData key;

	meta_oid_key(&key, BACKUPS_RELATION, relid);
	meta_scan(&scan, &backups_member, RowExclusiveLock, BACKUPS_BY_RELATION, 1,
			  &key);
	if (meta_next(&scan))
		meta_delete(&scan);
	meta_end(&scan);
}

/*
 * An empty relation for the items of a backup, as that owner would make it,
 * but where the database lies: he may have no right on another tablespace.
 * The table of backups stays locked.  Otherwise the extension, and the schema
 * with it, could be dropped from here on.
 */
Oid
backup_relation(const char *id, Oid owner)
{
	CreateStmt *create = makeNode(CreateStmt);
	ObjectAddress made;
	DynamoUser	before;

	PreventCommandIfReadOnly("making a backup");
	table_close(dynamo_table_open(&backups_member, RowExclusiveLock), NoLock);
	create->relation = makeRangeVar(SCHEMA_BACKUPS, pstrdup(id), -1);
	create->tableElts = list_make1(makeColumnDef("item",
												 dynamo_member_get(&item_type),
												 -1, InvalidOid));
	create->oncommit = ONCOMMIT_NOOP;
	create->tablespacename = get_tablespace_name(MyDatabaseTableSpace);
	create->accessMethod = "heap";

	/* Nobody may create there but for this. */
	dynamo_become(&before, BOOTSTRAP_SUPERUSERID, 0);
	made = DefineRelation(create, RELKIND_RELATION, owner, NULL, "CREATE TABLE");
	CommandCounterIncrement();
	NewRelationCreateToastTable(made.objectId, (Datum) 0);
	dynamo_resume_user(&before);
	CommandCounterIncrement();
	return made.objectId;
}

/*
 * Is the relation one that can be read as a backup?  Its owner may have
 * changed it.
 */
bool
backup_is_relation(Oid relid)
{
	AttrNumber	attnum = get_attnum(relid, "item");

	return get_rel_relkind(relid) == RELKIND_RELATION &&
		is_among_backups(relid) &&
		attnum != InvalidAttrNumber &&
		get_atttype(relid, attnum) == dynamo_member_find(&item_type);
}

static bool
is_among_backups(Oid relid)
{
	return get_rel_namespace(relid) == dynamo_member_find(&backup_schema);
}

/*
 * Drop the relation of a backup, and with it the backup.  Where no event
 * trigger runs, the row has to be deleted by us.  A relation that its owner
 * has moved elsewhere is no backup any more, perhaps somebody else's table: it
 * stays.
 */
void
backup_drop(const Backup *backup)
{
	if (is_among_backups(backup->relid))
		drop_relation(backup->relid);
	journal_row_delete(backup->relid);
	relation_dropped(backup->relid);
}

/*
 * The relation of the owner's table becomes a backup's, and is returned: its
 * definition, stream and indexes go, its point-in-time recovery ends, and it
 * moves to schema dynamo_backup.  Raises what DROP TABLE would.
 */
Oid
backup_take_relation(const char *table, const char *id)
{
	const TableDef *def;
	ErrorData  *error;
	Oid			relid;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessExclusiveLock);
	relid = def->relid;
	error = dynamo_attempt(try_drop, &relid);
	if (error != NULL)
		ReThrowError(error);
	schema_row_delete(relid);
	schema_table_gone(relid, meta_relation_owner(relid));
	journal_end(relid);
	drop_indexes(def);
	cut_ties(relid);
	move(relid, id);
	schema_definition_changed(relid);
	return relid;
}

/* A subtransaction's work, undone: would the relation let itself be dropped? */
static bool
try_drop(void *relation)
{
	meta_run_ddl(psprintf("DROP TABLE %s",
						  meta_relation_identity(*(Oid *) relation)));
	return false;
}

/*
 * The indexes that serve nobody any more.
 */
static void
drop_indexes(const TableDef *def)
{
	for (int i = 0; i < def->nindexes + def->nvectors; i++)
	{
		if (OidIsValid(schema_index_at(def, i)->relid))
			drop_relation(schema_index_at(def, i)->relid);
	}
	if (OidIsValid(def->ttl_relid))
		drop_relation(def->ttl_relid);
}

/*
 * Let nothing reach the rows through other relations: a parent has rights of
 * its own, and lets rows be changed that nobody may change here.  A foreign
 * key would have others keep the rows that it refers to.  A partition's keys
 * are its own only when it is none any more.
 */
static void
cut_ties(Oid relid)
{
	static const char *const queries[] = {
		"SELECT CASE WHEN c.relispartition THEN p.relowner END, "
		"pg_catalog.format(CASE WHEN c.relispartition "
		"THEN 'ALTER TABLE %s DETACH PARTITION %s' "
		"ELSE 'ALTER TABLE %2$s NO INHERIT %1$s' END, "
		"p.oid::pg_catalog.regclass, c.oid::pg_catalog.regclass) "
		"FROM pg_catalog.pg_inherits i "
		"JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.inhrelid "
		"JOIN pg_catalog.pg_class p ON p.oid OPERATOR(pg_catalog.=) i.inhparent "
		"WHERE i.inhrelid OPERATOR(pg_catalog.=) $1",
		"SELECT NULL::pg_catalog.oid, "
		"pg_catalog.format('ALTER TABLE %s DROP CONSTRAINT %I', "
		"conrelid::pg_catalog.regclass, conname) "
		"FROM pg_catalog.pg_constraint "
		"WHERE conrelid OPERATOR(pg_catalog.=) $1 "
		"AND contype OPERATOR(pg_catalog.=) 'f'"
	};

	for (int i = 0; i < lengthof(queries); i++)
	{
		Oid			types[] = {OIDOID};
		Datum		values[] = {ObjectIdGetDatum(relid)};
		List	   *ties = NIL;
		ListCell   *lc;

		(void) meta_query(queries[i], 1, types, values, take_tie, &ties);
		foreach(lc, ties)
		{
			const Tie  *tie = lfirst(lc);

			cut(tie->user, tie->command);
		}
	}
}

static void
take_tie(HeapTuple row, TupleDesc desc, void *list)
{
	List	  **ties = list;
	Tie		   *tie = palloc(sizeof(Tie));
	bool		isnull;
	Oid			user = DatumGetObjectId(SPI_getbinval(row, desc, 1, &isnull));

	tie->user = isnull ? GetUserId() : user;
	tie->command = SPI_getvalue(row, desc, 2);
	*ties = lappend(*ties, tie);
}

/*
 * Only the owner of a partitioned relation may detach what the owner of the
 * partition may drop.
 */
static void
cut(Oid cutter, const char *command)
{
	DynamoUser	before;

	dynamo_become(&before, cutter, 0);
	meta_run_ddl(command);
	dynamo_resume_user(&before);
}

/*
 * Move a locked relation to the backups', under that name.  Its indexes, and
 * sequences of columns that its owner has added, go with it, and must not meet
 * those of another one there.
 */
static void
move(Oid relid, const char *id)
{
	Relation	rel = table_open(relid, NoLock);
	List	   *indexes = RelationGetIndexList(rel);
	ObjectAddresses *moved = new_object_addresses();
	ListCell   *lc;

	foreach(lc, indexes)
	{
		RenameRelationInternal(lfirst_oid(lc),
							   psprintf("%s:%u", id, lfirst_oid(lc)), true,
							   true);
		CommandCounterIncrement();
	}
	foreach(lc, getOwnedSequences(relid))
	{
		RenameRelationInternal(lfirst_oid(lc),
							   psprintf("%s:%u", id, lfirst_oid(lc)), true,
							   false);
		CommandCounterIncrement();
	}
	AlterTableNamespaceInternal(rel, RelationGetNamespace(rel),
								dynamo_member_get(&backup_schema), moved);
	free_object_addresses(moved);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	RenameRelationInternal(relid, id, true, false);
	CommandCounterIncrement();
}

static void
drop_relation(Oid relid)
{
	ObjectAddress object;

	ObjectAddressSet(object, RelationRelationId, relid);
	performDeletion(&object, DROP_RESTRICT, PERFORM_DELETION_INTERNAL);
	CommandCounterIncrement();
}

/* NULL: its relation is gone */
static void *
read_row(Relation backups, HeapTuple tuple)
{
	Backup	   *backup = palloc0(sizeof(Backup));
	Datum		value;
	bool		isnull;

	backup->relid = DatumGetObjectId(meta_column(tuple, BACKUPS_RELATION,
												 backups, &isnull));
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(backup->relid)))
		return NULL;
	strlcpy(backup->id, meta_text_column(tuple, BACKUPS_ID, backups),
			sizeof(backup->id));
	backup->name = meta_text_column(tuple, BACKUPS_NAME, backups);
	backup->system = strcmp(meta_text_column(tuple, BACKUPS_TYPE, backups),
							"SYSTEM") == 0;
	backup->table_name = meta_text_column(tuple, BACKUPS_TABLE, backups);
	value = meta_column(tuple, BACKUPS_TABLE_ID, backups, &isnull);
	strlcpy(backup->table_id,
			DatumGetCString(DirectFunctionCall1(uuid_out, value)),
			sizeof(backup->table_id));
	backup->created_at = DatumGetTimestampTz(meta_column(tuple,
														 BACKUPS_CREATED,
														 backups, &isnull));
	value = meta_column(tuple, BACKUPS_EXPIRES, backups, &isnull);
	backup->expires_at = isnull ? 0 : DatumGetTimestampTz(value);
	backup->size = DatumGetInt64(meta_column(tuple, BACKUPS_SIZE, backups,
											 &isnull));
	backup->items = DatumGetInt64(meta_column(tuple, BACKUPS_ITEMS, backups,
											  &isnull));
	backup->definition = meta_text_column(tuple, BACKUPS_DEFINITION,
										  backups);
	return backup;
}
