/*-------------------------------------------------------------------------
 *
 * schema_build.c
 *	  The btrees behind definitions: made at once, or by a worker.
 *
 * CREATE INDEX keeps writers away from the table until its transaction ends.
 * That is what a session does, since it may roll back.  If the definition can
 * be committed first, a background worker builds the btree with CREATE INDEX
 * CONCURRENTLY, which uses transactions of its own and waits several times for
 * those of others.
 *
 * dynamo.tables.building lists the btrees to be built like this.  Otherwise a
 * crash could leave an index CREATING for ever.  A missing btree is not enough
 * of a sign: during a restore all are missing, and pg_restore will make them.
 *
 * A btree on the list serves nobody, whatever its state.  It does from the
 * transaction on that takes it off the list: of one that the worker has just
 * built, whole, by the statement for the definition that there is now.  Any
 * other btree with a name on the list was left behind, and is dropped before
 * its name is taken off or it is tried again.  That is also how a btree is
 * dropped without a lock that writers would wait for: it goes on the list, with
 * no definition.
 *
 * The btrees of a distributed table are built by its coordinator.  Citus runs
 * the statements there on all shards, and the shell's btree is valid when all
 * of them are done.  It is valid for a moment before they begin, too, and on
 * the other nodes sooner than here.  So it is the list that counts, which
 * changes on all nodes with the definition.  A btree that is renamed would be
 * renamed on all shards; that is one reason why none is.
 *
 * Locks: a worker locks the table's build, for the session and without
 * waiting.  In the transactions between its statements it locks the name and
 * then the relation, as everybody does.  During a statement it holds neither,
 * so that the definition can change.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "access/table.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_tablespace.h"
#include "commands/tablecmds.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * Workers that build in one database.  Otherwise a single transaction that is
 * left open could in time have every process that the server may start, the
 * one that deletes expired items among them, wait for its end.
 */
#define MAX_BUILDERS	2

SchemaCallbacks schema_callbacks;

static bool can_build_later(const TableDef *def);
static void leave_to_worker(const TableDef *def, const char *relname);
static void call_builder(void);
static AclResult may_place(Oid role, Oid *tablespace);
static void clear_list(const TableDef *def, const char *relname, Oid btree);
static Oid	find_btree(const TableDef *def, const char *relname);
static Oid	find_own_btree(const TableDef *def, const char *relname);
static bool is_free(const TableDef *def, const char *relname);
static bool is_btree(Oid relid, List *keys);
static bool is_ours(const char *table, bool elsewhere);
static void stop_build(Oid relid);
static void build_lock(LOCKTAG *tag, Oid relid);
static bool take_seat(void);
static bool lock_now(const LOCKTAG *tag);
static char *create_statement(const char *command, const TableDef *def,
							  const char *relname, List *keys);

/*
 * Make a btree of the relation, now or later, unless it has that one, as after
 * a restore.  What the current user may not do is refused now, and what cannot
 * be done concurrently is done.
 */
void
schema_make_btree(const TableDef *def, const char *relname, List *keys,
				  bool later)
{
	Oid			btree = find_btree(def, relname);
	bool		listed = schema_is_building(def, relname);

	if (!listed && OidIsValid(btree) && is_btree(btree, keys) &&
		get_index_isvalid(btree))
		return;
	if (later && can_build_later(def))
	{
		schema_check_may_build(get_rel_namespace(def->relid));
		leave_to_worker(def, relname);
		return;
	}
	if (listed)
		clear_list(def, relname, btree);
	meta_run_ddl(create_statement("CREATE INDEX", def, relname, keys));
}

static void
leave_to_worker(const TableDef *def, const char *relname)
{
	schema_row_set_building(def->relid, relname, true);
	schema_definition_changed(def->relid);
	dynamo_at_commit(call_builder);
}

/*
 * If no process is to be had, the next round of the maintenance does it.
 */
static void
call_builder(void)
{
	if (schema_callbacks.start_builder != NULL)
		(void) schema_callbacks.start_builder();
}

/*
 * A btree is to be made now under a name on the list.  What was left behind
 * there, if anything, is in the way.
 */
static void
clear_list(const TableDef *def, const char *relname, Oid btree)
{
	if (OidIsValid(btree))
		meta_run_ddl(psprintf("DROP INDEX %s",
							  meta_relation_identity(btree)));
	schema_row_set_building(def->relid, relname, false);
}

/*
 * The rights that CREATE INDEX needs.  Checked here: the worker is a
 * superuser.
 */
void
schema_check_may_build(Oid schema)
{
	Oid			tablespace;
	AclResult	result = compat_may_create(schema, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_SCHEMA, get_namespace_name(schema));
	result = may_place(GetUserId(), &tablespace);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLESPACE,
					   get_tablespace_name(tablespace));
}

/*
 * May the role make something where this session makes it by default?
 */
static AclResult
may_place(Oid role, Oid *tablespace)
{
	*tablespace = GetDefaultTablespace(RELPERSISTENCE_PERMANENT, false);
	if (!OidIsValid(*tablespace) || *tablespace == MyDatabaseTableSpace)
		return ACLCHECK_OK;
	return compat_may_create_in(*tablespace, role);
}

/*
 * The worker's default may be another than the one for which rights were checked:
 * the owner of the database sets it as he likes.  Where the table's owner may make
 * nothing, nothing is made, up to the end of the transaction.
 */
void
schema_avoid_tablespace(Oid owner)
{
	Oid			tablespace;

	if (may_place(owner, &tablespace) != ACLCHECK_OK)
		(void) set_config_option("default_tablespace", "", PGC_USERSET,
								 PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0,
								 false);
}

/*
 * Lock the name of a table that is to lose a btree, and its relation as far as
 * that takes: what is dropped later, or not there yet, is in nobody's way.
 */
const TableDef *
schema_open_to_drop(const char *table, const char *relname, bool later)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_find_table(table);
	if (def == NULL || !OidIsValid(find_own_btree(def, relname)) ||
		(later && can_build_later(def)))
		return schema_open_own_table(table, AccessShareLock);
	return schema_open_own_table(table, AccessExclusiveLock);
}

/*
 * Drop a btree of a table that schema_open_to_drop() has given.  If later, the
 * worker finds something left behind.
 */
void
schema_drop_btree(const TableDef *def, const char *relname, bool later)
{
	Oid			btree = find_own_btree(def, relname);

	if (schema_is_building(def, relname))
		stop_build(def->relid);
	else if (OidIsValid(btree) && later && can_build_later(def))
		leave_to_worker(def, relname);
	else if (OidIsValid(btree))
		meta_run_ddl(psprintf("DROP INDEX %s",
							  meta_relation_identity(btree)));
}

static bool
can_build_later(const TableDef *def)
{
	return get_rel_relkind(def->relid) != RELKIND_PARTITIONED_TABLE;
}

/*
 * The index "relname" of a table's relation, valid or not; InvalidOid: it has
 * none.
 */
static Oid
find_btree(const TableDef *def, const char *relname)
{
	Oid			btree = get_relname_relid(relname,
										  get_rel_namespace(def->relid));

	if (OidIsValid(btree) && IndexGetRelation(btree, true) == def->relid)
		return btree;
	return InvalidOid;
}

/*
 * The same if it is what the definition has under that name, and no worker's.
 */
static Oid
find_own_btree(const TableDef *def, const char *relname)
{
	Oid			btree = find_btree(def, relname);
	const IndexDef *index;
	List	   *keys = schema_btree_keys(def, relname, &index);

	if (OidIsValid(btree) && keys != NIL && is_btree(btree, keys) &&
		!schema_is_building(def, relname))
		return btree;
	return InvalidOid;
}

static bool
is_btree(Oid relid, List *keys)
{
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(relid));
	bool		result = HeapTupleIsValid(tuple) &&
	schema_is_btree(tuple, keys);

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/*
 * The build in progress for the table is no longer wanted.  Cancel it.  The
 * worker then waits for our transaction and looks at the definition again.
 */
static void
stop_build(Oid relid)
{
	LOCKTAG		tag;
	VirtualTransactionId *holder;

	build_lock(&tag, relid);
	holder = GetLockConflicts(&tag, ExclusiveLock, NULL);
	for (; VirtualTransactionIdIsValid(*holder); holder++)
	{
		PGPROC	   *proc = compat_lock_holder(*holder);

		if (proc != NULL && proc->pid != 0)
			(void) kill(proc->pid, SIGINT);
	}
	dynamo_at_commit(call_builder);
}

/*
 * "elsewhere": also those for which other nodes are to work, and have us wait
 * as long as that takes.
 */
List *
schema_list_builds(bool elsewhere)
{
	List	   *names = schema_row_building_names();
	List	   *ours = NIL;
	ListCell   *lc;

	foreach(lc, names)
	{
		if (is_ours(lfirst(lc), elsewhere))
			ours = lappend(ours, lfirst(lc));
	}
	return ours;
}

/* A distributed table is the coordinator's, though all nodes have its list. */
static bool
is_ours(const char *table, bool elsewhere)
{
	const TableDef *def = schema_find_sound_table(table);

	return def != NULL &&
		(!def->distributed || (elsewhere && schema_cluster.is_coordinator()));
}

/*
 * Lock a table's build until the session releases it or a transaction fails.
 * Returns the table's relation; InvalidOid: another worker has it, or there
 * are enough workers, or no such table.
 */
Oid
schema_lock_build(const char *table)
{
	const TableDef *def = schema_find_table(table);
	LOCKTAG		tag;

	if (def == NULL)
		return InvalidOid;
	build_lock(&tag, def->relid);
	return lock_now(&tag) && take_seat() ? def->relid : InvalidOid;
}

static void
build_lock(LOCKTAG *tag, Oid relid)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, relid,
					   SCHEMA_BUILD);
}

/*
 * Only a worker with a table to build takes a seat.  So every seat belongs to
 * a worker that will look for more to do when it is done.
 */
static bool
take_seat(void)
{
	for (int seat = 1; seat <= MAX_BUILDERS; seat++)
	{
		LOCKTAG		tag;

		SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, InvalidOid,
						   seat);
		if (lock_now(&tag))
			return true;
	}
	return false;
}

/* For the session. */
static bool
lock_now(const LOCKTAG *tag)
{
	return LockAcquire(tag, ExclusiveLock, true, true) !=
		LOCKACQUIRE_NOT_AVAIL;
}

/*
 * What to run next for the table whose relation is, or was, "relid"; NULL when
 * nothing is left to do, or this transaction is to be committed and the table
 * looked at again.  "done" is what has been run just now with success, or NULL.
 */
char *
schema_next_build(const char *table, Oid relid, const char *done)
{
	const TableDef *def;
	Relation	rel;
	bool		finished = false;	/* is to be committed */

	if (schema_find_table(table) == NULL)
		return NULL;			/* perhaps the extension is gone, too */
	schema_lock_name(table);
	def = schema_table_open(table, AccessShareLock, &rel);
	if (def == NULL)
		return NULL;
	table_close(rel, NoLock);
	if (def->relid != relid)
		return NULL;

	while (def->nbuilding > 0)
	{
		const char *relname = def->building[0];
		Oid			built = find_btree(def, relname);
		const IndexDef *index;
		List	   *keys = schema_btree_keys(def, relname, &index);
		char	   *create = keys == NIL ? NULL :
			create_statement("CREATE INDEX CONCURRENTLY", def, relname, keys);

		if (create != NULL && !OidIsValid(built))
		{
			if (is_free(def, relname))
				return create;
			if (finished)
				return NULL;
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_TABLE),
					 errmsg("relation \"%s\" already exists", relname)));
		}
		if (OidIsValid(built) &&
			(create == NULL || done == NULL || strcmp(create, done) != 0 ||
			 !get_index_isvalid(built) || !is_btree(built, keys)))
			return psprintf("DROP INDEX CONCURRENTLY IF EXISTS %s",
							meta_relation_identity(built));
		schema_row_set_building(def->relid, relname, false);
		schema_definition_changed(def->relid);
		finished = true;
		def = schema_find_table(table);
	}
	return NULL;
}

/*
 * If not, Citus could build on all shards and find out in the end.
 */
static bool
is_free(const TableDef *def, const char *relname)
{
	return !OidIsValid(get_relname_relid(relname,
										 get_rel_namespace(def->relid)));
}

/*
 * What has failed for a table goes last, so that it keeps nothing else from
 * being built in the next round.
 */
void
schema_put_off_build(const char *table)
{
	const TableDef *def;

	if (!OidIsValid(schema_lock_build(table)))
		return;
	schema_lock_name(table);
	def = schema_find_table(table);
	if (def == NULL || def->nbuilding < 2)
		return;
	schema_row_set_building(def->relid, def->building[0], true);
	schema_definition_changed(def->relid);
}

static char *
create_statement(const char *command, const TableDef *def,
				 const char *relname, List *keys)
{
	return psprintf("%s %s ON %s %s", command,
					quote_identifier(relname),
					meta_relation_identity(def->relid),
					schema_index_columns(def, keys));
}
