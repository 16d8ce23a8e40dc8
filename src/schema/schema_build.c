/*-------------------------------------------------------------------------
 *
 * schema_build.c
 *	  The btrees behind definitions: made at once, or by a worker.
 *
 * CREATE INDEX keeps writers from the table until its transaction ends.  That
 * is what a session gets, since it may roll back.  Where the definition can be
 * committed first, a background worker builds the btree with CREATE INDEX
 * CONCURRENTLY, which takes transactions of its own and several waits for
 * those of others.
 *
 * dynamo.tables.building names the btrees that are to be built so, and is what
 * remains of it after a crash.  It is not enough that a btree is missing: amid
 * a restore those of all indexes are, and pg_restore will make them.
 *
 * The worker builds under a name that means nothing, "Shop:build", and gives
 * the btree its own in the transaction that takes that name off the list.
 * Or else, should the index be deleted meanwhile and another of its name
 * created, a btree on other attributes could pass for the new one's.  Whatever
 * bears that name otherwise was left behind, and is dropped before its
 * definition is forgotten or tried again.  So a btree is dropped, too, without
 * a lock that writers would wait for: it is given that name, and left behind.
 *
 * Locks: a worker takes the table's build, for the session and without
 * waiting; then, in the transactions between its statements, the name and the
 * relation, in this order as all do.  During a statement it has neither, so
 * that the definition can change.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "access/table.h"
#include "base/base_process.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_tablespace.h"
#include "catalog/pg_type.h"
#include "commands/tablecmds.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/*
 * Workers that build in one database.  Or else a single transaction that is
 * left open could in time have every process that the server may start, the
 * one that deletes expired items among them, wait for its end.
 */
#define MAX_BUILDERS	2

/* There is something to do for the worker once we have committed. */
static bool builder_due = false;

static void check_may_build(Oid schema);
static bool can_drop_later(const TableDef *def, bool later);
static Oid	find_btree(const TableDef *def, const char *relname);
static void stop_build(Oid relid);
static void build_lock(LOCKTAG *tag, Oid relid);
static bool take_seat(void);
static bool lock_now(const LOCKTAG *tag);
static char *create_statement(const char *command, const char *relname,
							  Oid relid, const char *columns);
static void check_free(const TableDef *def, const char *relname);
static char *wanted_statement(const TableDef *def, const char *relname);
static void append_partition_key(StringInfo out, const KeyAttr *keys,
								 int nkeys);
static void append_sort_key(StringInfo out, const KeyAttr *key);
static void append_array(StringInfo out, Datum *elements, int n, Oid type);

/*
 * Make a btree of the relation, now or later.  What the current user may not
 * do is refused now, and what cannot be done concurrently is done.
 */
void
schema_make_btree(Oid relid, const char *relname, const char *columns,
				  bool later)
{
	if (!later || get_rel_relkind(relid) == RELKIND_PARTITIONED_TABLE)
	{
		schema_run_ddl(create_statement("CREATE INDEX", relname, relid,
										columns));
		return;
	}
	check_may_build(get_rel_namespace(relid));
	schema_row_set_building(relid, relname, true);
	schema_definition_changed(relid);
	builder_due = true;
}

/*
 * What CREATE INDEX asks of who owns the table: the worker is a superuser.
 */
static void
check_may_build(Oid schema)
{
	Oid			tablespace = GetDefaultTablespace(RELPERSISTENCE_PERMANENT,
												  false);
	AclResult	result = compat_may_create(schema, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_SCHEMA, get_namespace_name(schema));
	if (!OidIsValid(tablespace) || tablespace == MyDatabaseTableSpace)
		return;
	result = compat_may_create_in(tablespace, GetUserId());
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLESPACE,
					   get_tablespace_name(tablespace));
}

/*
 * Is a btree of this name still to be built for a table?
 */
bool
schema_is_building(const TableDef *def, const char *relname)
{
	for (int i = 0; i < def->nbuilding; i++)
	{
		if (strcmp(def->building[i], relname) == 0)
			return true;
	}
	return false;
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
	if (def == NULL || !OidIsValid(find_btree(def, relname)) ||
		can_drop_later(def, later))
		return schema_open_own_table(table, AccessShareLock);
	return schema_open_own_table(table, AccessExclusiveLock);
}

/*
 * Drop a btree of a table that schema_open_to_drop() has given.  If later, it
 * loses its name now, and the worker finds something left behind.
 */
void
schema_drop_btree(const TableDef *def, const char *relname, bool later)
{
	Oid			btree = find_btree(def, relname);

	if (!OidIsValid(btree))
	{
		if (schema_is_building(def, relname))
			stop_build(def->relid);
		return;
	}
	if (!can_drop_later(def, later))
	{
		schema_run_ddl(psprintf("DROP INDEX %s",
								schema_relation_identity(btree)));
		return;
	}
	RenameRelationInternal(btree, schema_build_name(def->name), true, true);
	schema_row_set_building(def->relid, relname, true);
	schema_definition_changed(def->relid);
	builder_due = true;
}

/* The worker's name is free while it has nothing to do for the table. */
static bool
can_drop_later(const TableDef *def, bool later)
{
	return later && def->nbuilding == 0 &&
		get_rel_relkind(def->relid) != RELKIND_PARTITIONED_TABLE;
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
 * What is being built for the table is not wanted any more.  Cancel it; the
 * worker then waits for our end to see what has become of the definition.
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
	builder_due = true;
}

/*
 * After commit: start a worker if there is need.  If that fails, the next
 * round of the maintenance does it.
 */
void
schema_call_builder(void)
{
	if (builder_due)
		(void) schema_start_builder();
	builder_due = false;
}

/*
 * One that finds nothing to do is soon gone.
 */
bool
schema_start_builder(void)
{
	BackgroundWorkerHandle *worker;

	worker = dynamo_start_worker("worker_build_main", "dynamo index build",
								 "dynamo index build",
								 ObjectIdGetDatum(MyDatabaseId));
	if (worker == NULL)
		return false;
	pfree(worker);
	return true;
}

List *
schema_list_builds(void)
{
	return schema_row_building_names();
}

/*
 * Take a table's build until the session lets go of it or a transaction fails.
 * Returns the table's relation; InvalidOid: another worker is at it, or there
 * are enough of them, or no such table.
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
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, RelationRelationId, relid, 1);
}

/*
 * Only who has a table to build takes one.  So all are taken by workers that
 * look for more to do when they have done that.
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
 * nothing is left to do.  "done" is what has been run just now with success,
 * or NULL.
 */
char *
schema_next_build(const char *table, Oid relid, const char *done)
{
	const TableDef *def;
	Relation	rel;
	Oid			built;
	bool		finished = false;	/* is to be committed */

	if (schema_find_table(table) == NULL)
		return NULL;			/* nor, perhaps, the extension */
	schema_lock_name(table);
	def = schema_table_open(table, AccessShareLock, &rel);
	if (def == NULL)
		return NULL;
	table_close(rel, NoLock);
	if (def->relid != relid)
		return NULL;

	built = find_btree(def, schema_build_name(table));
	while (def->nbuilding > 0)
	{
		const char *relname = def->building[0];
		char	   *create = wanted_statement(def, relname);

		if (create != NULL && !OidIsValid(built))
		{
			if (!finished)
				check_free(def, relname);
			return create;
		}
		if (OidIsValid(built))
		{
			if (create == NULL || done == NULL || strcmp(create, done) != 0 ||
				!get_index_isvalid(built))
				break;
			RenameRelationInternal(built, relname, true, true);
			built = InvalidOid;
			finished = true;
		}
		schema_row_set_building(def->relid, relname, false);
		schema_definition_changed(def->relid);
		def = schema_find_table(table);
	}
	if (OidIsValid(built))
		return psprintf("DROP INDEX CONCURRENTLY %s",
						schema_relation_identity(built));
	return NULL;
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

/*
 * Or else a btree would be built in vain, and again in each round.
 */
static void
check_free(const TableDef *def, const char *relname)
{
	if (OidIsValid(get_relname_relid(relname, get_rel_namespace(def->relid))))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" already exists", relname)));
}

/*
 * How a btree is built concurrently that a definition has under this name;
 * NULL: none has, or it is there.
 */
static char *
wanted_statement(const TableDef *def, const char *relname)
{
	char	   *columns = NULL;

	if (def->ttl_building &&
		strcmp(relname, schema_ttl_name(def->name)) == 0)
		columns = schema_ttl_columns(def, def->ttl_attribute);
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		if (index->building &&
			strcmp(relname, schema_index_name(def->name, index->name)) == 0)
			columns = schema_index_columns(&def->hash, &def->range, index);
	}
	if (columns == NULL)
		return NULL;
	return create_statement("CREATE INDEX CONCURRENTLY",
							schema_build_name(def->name), def->relid, columns);
}

static char *
create_statement(const char *command, const char *relname, Oid relid,
				 const char *columns)
{
	return psprintf("%s %s ON %s USING btree %s", command,
					quote_identifier(relname), schema_relation_identity(relid),
					columns);
}

/*
 * An index's columns, the tie-breaker among equal ones, and a predicate that
 * leaves out items without one of the index's attributes.
 */
char *
schema_index_columns(const KeyAttr *hash, const KeyAttr *range,
					 const IndexDef *index)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoChar(&sql, '(');
	append_partition_key(&sql, index->hash, index->nhash);
	for (int i = 0; i < index->nrange; i++)
	{
		appendStringInfoString(&sql, ", ");
		append_sort_key(&sql, &index->range[i]);
	}
	appendStringInfo(&sql, ", %s) WHERE ",
					 schema_tie_expression(hash, range));
	append_partition_key(&sql, index->hash, index->nhash);
	appendStringInfoString(&sql, " IS NOT NULL");
	for (int i = 0; i < index->nrange; i++)
	{
		appendStringInfoString(&sql, " AND ");
		append_sort_key(&sql, &index->range[i]);
		appendStringInfoString(&sql, " IS NOT NULL");
	}
	return sql.data;
}

/*
 * What tells entries of an index apart that are equal otherwise.
 */
char *
schema_tie_expression(const KeyAttr *hash, const KeyAttr *range)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "dynamo.key_hash(item, %s::pg_catalog.text",
					 quote_literal_cstr(hash->name));
	if (range->name != NULL)
		appendStringInfo(&sql, ", %s::pg_catalog.text",
						 quote_literal_cstr(range->name));
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

static void
append_partition_key(StringInfo out, const KeyAttr *keys, int nkeys)
{
	Datum		names[DYNAMO_MAX_KEY_ATTRS];
	Datum		types[DYNAMO_MAX_KEY_ATTRS];

	if (nkeys == 1)
	{
		appendStringInfo(out, "dynamo.index_partition_key(item, %s::pg_catalog.text, '%c'::pg_catalog.\"char\")",
						 quote_literal_cstr(keys[0].name), keys[0].type);
		return;
	}

	for (int i = 0; i < nkeys; i++)
	{
		names[i] = CStringGetTextDatum(keys[i].name);
		types[i] = CharGetDatum(keys[i].type);
	}
	appendStringInfoString(out, "dynamo.index_partition_key(item, ");
	append_array(out, names, nkeys, TEXTOID);
	appendStringInfoString(out, "::pg_catalog.text[], ");
	append_array(out, types, nkeys, CHAROID);
	appendStringInfoString(out, "::pg_catalog.\"char\"[])");
}

static void
append_sort_key(StringInfo out, const KeyAttr *key)
{
	appendStringInfo(out, "dynamo.index_sort_key(item, %s::pg_catalog.text, '%c'::pg_catalog.\"char\")",
					 quote_literal_cstr(key->name), key->type);
}

/* An array literal, quoted. */
static void
append_array(StringInfo out, Datum *elements, int n, Oid type)
{
	int16		len;
	bool		byval;
	char		align;
	ArrayType  *array;

	get_typlenbyvalalign(type, &len, &byval, &align);
	array = construct_array(elements, n, type, len, byval, align);
	appendStringInfoString(out,
						   quote_literal_cstr(OidOutputFunctionCall(F_ARRAY_OUT,
																	PointerGetDatum(array))));
}
