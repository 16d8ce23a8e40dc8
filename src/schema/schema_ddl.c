/*-------------------------------------------------------------------------
 *
 * schema_ddl.c
 *	  Creating, changing and dropping tables and indexes.
 *
 * Each function runs DDL as the current user, so that PostgreSQL decides what
 * that user may, then writes the definition rows.  All of it is part of the
 * caller's transaction.
 *
 * Order of locks: the table's name (an object lock: there may be no relation
 * yet), then its relation, then the definition tables.  The lock on the name
 * keeps two of these functions on one table apart until commit, so that of two
 * creators of a name one wins and the other is told so, and no definition row
 * has two writers at once.  A plain DROP TABLE or DROP INDEX knows nothing of
 * names: the lock on the relation, held to the end of the transaction, keeps
 * it away.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/* The schema of the relations. */
#define DATA_SCHEMA		"dynamo_data"

/*
 * Room left in each page by a load.  An update stays on its page, and touches
 * no index (HOT), only if the page can hold the new version beside the old
 * one; pruning then frees the old one's place for the next update.  A tenth of
 * a page is that place for one item of 800 bytes or four of 200, enough to
 * start with, and costs a tenth more pages.
 */
#define TABLE_FILLFACTOR	90

static void check_owner(const TableDef *def);
static void add_index(const char *table, Oid relid, const KeyAttr *hash,
					  const KeyAttr *range, const IndexDef *index,
					  int ordinal, bool later);
static char *create_table_statement(const TableSpec *spec,
									const char *relname);
static int	compare_names(const void *a, const void *b);

/*
 * Create a table and its indexes.  Returns its relation.
 */
Oid
schema_create_table(const TableSpec *spec)
{
	char	   *relname = schema_relation_name(spec->name);
	Oid			schema;
	Oid			orphan;
	TableDef	def;

	schema_lock_name(spec->name);
	schema = get_namespace_oid(DATA_SCHEMA, false);

	/* A relation that is none of ours may be in the way as well. */
	if (schema_find_table(spec->name) != NULL ||
		OidIsValid(get_relname_relid(relname, schema)) ||
		OidIsValid(get_relname_relid(schema_primary_name(spec->name), schema)))
		dynamo_error(DYNAMO_RESOURCE_IN_USE, "Table already exists: %s",
					 spec->name);

	/* The row of a relation dropped where no event trigger runs. */
	orphan = schema_row_relation(spec->name);
	if (OidIsValid(orphan))
	{
		schema_row_delete(orphan);
		schema_stream_relation_dropped(orphan, InvalidOid);
	}

	/* Rows of indexes whose table somebody deleted by hand. */
	schema_index_row_delete(spec->name, NULL);

	schema_run_ddl(create_table_statement(spec, relname));

	memset(&def, 0, sizeof(def));
	def.name = unconstify(char *, spec->name);
	def.relid = get_relname_relid(relname, schema);
	def.hash = spec->hash;
	def.range = spec->range;
	strlcpy(def.table_id,
			OidOutputFunctionCall(F_UUID_OUT,
								  OidFunctionCall0(F_GEN_RANDOM_UUID)),
			sizeof(def.table_id));
	def.created_at = spec->created_at;
	def.settings = unconstify(char *, spec->settings);
	schema_row_insert(&def);

	for (int i = 0; i < spec->nindexes; i++)
		add_index(spec->name, def.relid, &spec->hash, &spec->range,
				  &spec->indexes[i], i + 1, false);
	schema_definition_changed(def.relid);
	return def.relid;
}

/*
 * Drop a table with all that is in it.
 */
void
schema_drop_table(const char *name)
{
	const TableDef *def;

	schema_lock_name(name);
	def = schema_open_own_table(name, AccessExclusiveLock);
	schema_row_delete(def->relid);
	schema_stream_relation_dropped(def->relid,
								   schema_relation_owner(def->relid));
	schema_run_ddl(psprintf("DROP TABLE %s",
							schema_relation_identity(def->relid)));
}

/*
 * Add an index to a table, and build it in this transaction or later.
 */
void
schema_create_index(const char *table, const IndexDef *index, bool later)
{
	const TableDef *def;
	int			ordinal = 1;

	schema_lock_name(table);
	def = schema_open_own_table(table, later ? AccessShareLock : ShareLock);
	if (schema_find_index(def, index->name) != NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Attempting to create an index which already exists");
	for (int i = 0; i < def->nindexes; i++)
		ordinal = Max(ordinal, def->indexes[i].ordinal + 1);
	add_index(def->name, def->relid, &def->hash, &def->range, index, ordinal,
			  later);
	schema_definition_changed(def->relid);
}

/*
 * Drop an index, also one whose btree is broken or gone.
 */
void
schema_drop_index(const char *table, const char *index, bool later)
{
	char	   *relname = schema_index_name(table, index);
	const TableDef *def = schema_open_to_drop(table, relname, later);

	if (schema_find_index(def, index) == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 "Requested resource not found: Index %s for table %s",
					 index, table);
	schema_index_row_delete(def->name, index);
	schema_definition_changed(def->relid);
	schema_drop_btree(def, relname, later);
}

/*
 * Keep the definition of a table as it is until the end of the transaction,
 * for who reads settings to change them.  Nothing happens if there is no such
 * table.
 */
void
schema_lock_definition(const char *table)
{
	const TableDef *def = schema_find_table(table);

	if (def == NULL)
		return;
	check_owner(def);
	schema_lock_name(table);
}

/*
 * Replace a table's settings, JSON text.
 */
void
schema_change_table_settings(const char *table, const char *settings)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessShareLock);
	schema_row_set_settings(def->relid, settings);
	schema_definition_changed(def->relid);
}

/*
 * Replace an index's settings, JSON text.
 */
void
schema_change_index_settings(const char *table, const char *index,
							 const char *settings)
{
	const TableDef *def;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessShareLock);
	schema_index_row_set_settings(def->name, index, settings);
	schema_definition_changed(def->relid);
}

List *
schema_list_tables(const char *after, int limit)
{
	return schema_row_names(after, limit);
}

/*
 * Keep other transactions from creating, changing or dropping table "name".
 * Two names with one hash wait for each other, no more.  The definition table
 * stays locked, too: from here on the extension cannot be replaced.
 */
void
schema_lock_name(const char *name)
{
	const SchemaCatalog *c;
	Relation	tables;

	/* Rows of the definition tables are written where nobody else asks. */
	PreventCommandIfReadOnly("a change of a table's definition");
	PreventCommandIfParallelMode("a change of a table's definition");

	tables = schema_catalog_open(SCHEMA_TABLES, AccessShareLock, &c);
	if (tables == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"%s\" does not exist", "dynamo")));
	if (strlen(name) > SCHEMA_MAX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("table name is longer than %d characters",
						SCHEMA_MAX_NAME)));
	LockDatabaseObject(RelationGetRelid(tables),
					   hash_bytes((const unsigned char *) name, strlen(name)),
					   0, ExclusiveLock);
	table_close(tables, NoLock);
}

/*
 * Lock the relation of a table to the end of the transaction.  Only its owner
 * gets that far: others shall not hold up its users.
 */
const TableDef *
schema_open_own_table(const char *name, int lockmode)
{
	const TableDef *def = schema_find_table(name);
	Relation	rel;

	if (def != NULL)
	{
		check_owner(def);
		def = schema_table_open(name, lockmode, &rel);
	}
	if (def == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 "Requested resource not found: Table: %s not found",
					 name);
	check_owner(def);			/* it may be another one by now */
	table_close(rel, NoLock);
	return def;
}

/* The owner of the schema may drop its tables, too, but only by DROP TABLE. */
static void
check_owner(const TableDef *def)
{
	if (!compat_relation_owner(def->relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, def->name);
}

/*
 * Make an index and insert its row.  "hash" and "range" are the table's key;
 * range->name is NULL when it has no RANGE key.
 */
static void
add_index(const char *table, Oid relid, const KeyAttr *hash,
		  const KeyAttr *range, const IndexDef *index, int ordinal,
		  bool later)
{
	IndexDef	row = *index;
	char	   *relname = schema_index_name(table, index->name);

	if (OidIsValid(get_relname_relid(relname, get_rel_namespace(relid))))
		dynamo_error(DYNAMO_VALIDATION,
					 "Attempting to create an index which already exists");
	schema_make_btree(relid, relname,
					  schema_index_columns(hash, range, index), later);
	row.ordinal = ordinal;
	row.nonkey = palloc(sizeof(char *) * Max(index->nnonkey, 1));
	for (int i = 0; i < index->nnonkey; i++)
		row.nonkey[i] = index->nonkey[i];
	qsort(row.nonkey, row.nnonkey, sizeof(char *), compare_names);
	schema_index_row_insert(table, &row);
}

/*
 * Make the definition rows of "relid" visible to this transaction, and have
 * every backend read them anew: this one now, others at commit.
 */
void
schema_definition_changed(Oid relid)
{
	CacheInvalidateRelcacheByRelid(relid);
	CommandCounterIncrement();
}

/*
 * Run a statement whose every name is qualified.  Still no name inside it, or
 * inside someone's event trigger, is to be looked up in the caller's path.
 */
void
schema_run_ddl(const char *statement)
{
	int			nest_level = NewGUCNestLevel();
	int			result;

	(void) set_config_option("search_path", "pg_catalog, pg_temp",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	result = SPI_execute(statement, false, 0);
	if (result != SPI_OK_UTILITY)
		elog(ERROR, "could not run \"%s\": %s", statement,
			 SPI_result_code_string(result));
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
}

/*
 * Empty a relation of the extension, which the current user need not own.
 */
void
schema_truncate(Oid relid)
{
	Oid			user;
	int			context;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(schema_relation_owner(relid),
						   context | SECURITY_LOCAL_USERID_CHANGE);
	schema_run_ddl(psprintf("TRUNCATE ONLY %s",
							schema_relation_identity(relid)));
	SetUserIdAndSecContext(user, context);
}

static char *
create_table_statement(const TableSpec *spec, const char *relname)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s ("
					 "pk dynamo.partition_key GENERATED ALWAYS AS "
					 "(dynamo.partition_key(item, %s::pg_catalog.text, '%c'::pg_catalog.\"char\")) STORED NOT NULL, ",
					 quote_qualified_identifier(DATA_SCHEMA, relname),
					 quote_literal_cstr(spec->hash.name), spec->hash.type);
	if (spec->range.name != NULL)
		appendStringInfo(&sql,
						 "sk dynamo.sort_key GENERATED ALWAYS AS "
						 "(dynamo.sort_key(item, %s::pg_catalog.text, '%c'::pg_catalog.\"char\")) STORED NOT NULL, ",
						 quote_literal_cstr(spec->range.name),
						 spec->range.type);
	appendStringInfo(&sql, "item dynamo.item NOT NULL, "
					 "CONSTRAINT %s PRIMARY KEY (pk%s)) "
					 "USING dynamo WITH (fillfactor = %d)",
					 quote_identifier(schema_primary_name(spec->name)),
					 spec->range.name ? ", sk" : "", TABLE_FILLFACTOR);
	return sql.data;
}

Oid
schema_relation_owner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

char *
schema_relation_identity(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
									  get_rel_name(relid));
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}
