/*-------------------------------------------------------------------------
 *
 * schema_ddl.c
 *	  Creating, changing and dropping tables and indexes.
 *
 * Each function runs DDL as the current user, so that PostgreSQL decides what
 * that user may do, then writes the definition rows.  All of it is part of the
 * caller's transaction.
 *
 * Order of locks: the table's name (an object lock: there may be no relation
 * yet), then its relation, then the definition tables.  The lock on the name
 * keeps two of these functions on one table apart until commit, so that of two
 * creators of a name one wins and the other gets an error, and no definition
 * row has two writers at once.  A plain DROP TABLE or DROP INDEX knows nothing
 * of names: the lock on the relation, held to the end of the transaction,
 * keeps it away.
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
#include "fmgr.h"
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

static DynamoMember data_schema = DYNAMO_SCHEMA(SCHEMA_DATA);

/*
 * Room left in each page by a load.  An update stays on its page, and touches
 * no index (HOT), only if the page can hold the new version beside the old
 * one; pruning then frees the old one's place for the next update.  A
 * twentieth of a page is that place for one item of 400 bytes, enough to start
 * with; for longer ones the access method leaves more (am_page.c).
 */
#define TABLE_FILLFACTOR	95


static void add_index(const TableDef *def, const IndexDef *index, int ordinal,
					  bool later);
static void insert_row(const TableDef *def, const IndexDef *index, int ordinal);
static char *create_table_statement(const TableSpec *spec,
									const char *relname);
static int	compare_names(const void *a, const void *b);

/*
 * Create a table and its indexes, distributed if new ones are to be.  Returns
 * its relation.
 */
Oid
schema_create_table(const TableSpec *spec)
{
	char	   *relname = schema_relation_name(spec->name);
	Oid			schema;
	TableDef	def;

	schema_lock_name(spec->name);
	schema = schema_of_data();

	/* A relation that is none of ours may be in the way as well. */
	if (schema_find_table(spec->name) != NULL ||
		OidIsValid(get_relname_relid(relname, schema)) ||
		OidIsValid(get_relname_relid(schema_primary_name(spec->name), schema)))
		dynamo_error_with_help(DYNAMO_RESOURCE_IN_USE,
							   schema_help_table(spec->name),
							   "Table already exists: %s", spec->name);

	meta_run_ddl(create_table_statement(spec, relname));

	memset(&def, 0, sizeof(def));
	def.name = unconstify(char *, spec->name);
	def.relid = get_relname_relid(relname, schema);
	def.hash = spec->hash;
	def.range = spec->range;
	def.created_at = spec->created_at;
	def.settings = unconstify(char *, spec->settings);
	if (spec->table_id != NULL)
		strlcpy(def.table_id, spec->table_id, sizeof(def.table_id));
	schema_define(&def);

	for (int i = 0; i < spec->nindexes; i++)
		add_index(&def, &spec->indexes[i], i + 1, false);
	for (int i = 0; i < spec->nvectors; i++)
		add_index(&def, &spec->vectors[i], i + 1, false);
	schema_definition_changed(def.relid);
	schema_comment(def.relid, NULL);
	schema_cluster.created(spec->name);
	return def.relid;
}

/*
 * Insert the row of a new table, which gets a TableId if it has none, and clear
 * away what another one of its name has left.
 */
void
schema_define(TableDef *def)
{
	Oid			orphan = schema_row_relation(def->name);

	/* The row of a relation dropped where no event trigger runs. */
	if (OidIsValid(orphan))
	{
		schema_row_delete(orphan);
		schema_table_gone(orphan, InvalidOid);
	}

	/* Rows of indexes whose table somebody deleted by hand. */
	schema_index_row_delete(def->name, NULL);

	if (def->table_id[0] == '\0')
		strlcpy(def->table_id, schema_new_table_id(), sizeof(def->table_id));
	schema_row_insert(def);
}

/*
 * A TableId that no table has.
 */
char *
schema_new_table_id(void)
{
	return OidOutputFunctionCall(F_UUID_OUT,
								 OidFunctionCall0(F_GEN_RANDOM_UUID));
}

/*
 * The schema of the relations.
 */
Oid
schema_of_data(void)
{
	return dynamo_member_get(&data_schema);
}

/*
 * The rights that a new table with its indexes needs.
 */
void
schema_check_may_create(const char *name)
{
	schema_check_may_build(schema_of_data());
	schema_cluster.check_new(name);
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
	schema_table_gone(def->relid, meta_relation_owner(def->relid));
	meta_run_ddl(psprintf("DROP TABLE %s",
						  meta_relation_identity(def->relid)));
}

/*
 * Add an index to a table, and build it in this transaction or later.
 */
void
schema_create_index(const char *table, const IndexDef *index, bool later)
{
	const TableDef *def;
	char	   *comment;
	int			ordinal = 1;

	schema_lock_name(table);
	def = schema_open_own_table(table, later ? AccessShareLock : ShareLock);
	comment = schema_comment_text(def);
	if (schema_find_index(def, index->name) != NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Attempting to create an index which already exists");
	for (int i = 0; i < def->nindexes; i++)
		ordinal = Max(ordinal, def->indexes[i].ordinal + 1);
	add_index(def, index, ordinal, later);
	schema_definition_changed(def->relid);
	schema_comment(def->relid, comment);
}

/*
 * Drop an index, also one whose btree is broken or gone.
 */
void
schema_drop_index(const char *table, const char *index, bool later)
{
	char	   *relname = schema_index_name(table, index);
	const TableDef *def = schema_open_to_drop(table, relname, later);
	char	   *comment = schema_comment_text(def);

	if (schema_find_index(def, index) == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_indexes(def),
							   "Requested resource not found: Index %s for table %s",
							   index, table);
	schema_index_row_delete(def->name, index);
	schema_definition_changed(def->relid);
	schema_comment(def->relid, comment);
	schema_drop_btree(def, relname, later);
}

/*
 * Add a vector index to a table, as schema_create_index() does.  Until it is
 * built, searches read the table.
 */
void
schema_create_vector(const char *table, const IndexDef *vector, bool later)
{
	const TableDef *def;
	char	   *comment;
	int			ordinal = 1;

	schema_lock_name(table);
	def = schema_open_own_table(table, later ? AccessShareLock : ShareLock);
	comment = schema_comment_text(def);
	if (def->distributed)
		schema_check_vectors_spread();
	for (int i = 0; i < def->nvectors; i++)
		ordinal = Max(ordinal, def->vectors[i].ordinal + 1);
	add_index(def, vector, ordinal, later);
	schema_definition_changed(def->relid);
	schema_comment(def->relid, comment);
}

/*
 * Drop one that there is.
 */
void
schema_drop_vector(const char *table, const char *vector, bool later)
{
	char	   *relname = schema_index_name(table, vector);
	const TableDef *def = schema_open_to_drop(table, relname, later);
	char	   *comment = schema_comment_text(def);

	schema_index_row_delete(def->name, vector);
	schema_definition_changed(def->relid);
	schema_comment(def->relid, comment);
	schema_drop_btree(def, relname, later);
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
	List	   *missing = NIL;
	List	   *names = schema_row_names(after, limit, &missing);

	if (missing != NIL)
		schema_cluster.missing(missing);
	return names;
}

List *
schema_list_tables_with(const char *member)
{
	return schema_row_setting_names(member);
}

/*
 * Make an index and insert its row.  Of the table, name, relation and key are
 * asked for.
 */
static void
add_index(const TableDef *def, const IndexDef *index, int ordinal, bool later)
{
	char	   *relname = schema_index_name(def->name, index->name);

	if (!schema_is_building(def, relname) &&
		OidIsValid(get_relname_relid(relname,
									 get_rel_namespace(def->relid))))
		dynamo_error(DYNAMO_VALIDATION,
					 "Attempting to create an index which already exists");
	schema_make_btree(def, relname, schema_index_keys(def, index), later);
	insert_row(def, index, ordinal);
}

/*
 * Its row, with NonKeyAttributes in their order.
 */
static void
insert_row(const TableDef *def, const IndexDef *index, int ordinal)
{
	IndexDef	row = *index;

	row.ordinal = ordinal;
	row.nonkey = palloc(sizeof(char *) * Max(index->nnonkey, 1));
	for (int i = 0; i < index->nnonkey; i++)
		row.nonkey[i] = index->nonkey[i];
	qsort(row.nonkey, row.nnonkey, sizeof(char *), compare_names);
	schema_index_row_insert(def->name, &row);
}

static char *
create_table_statement(const TableSpec *spec, const char *relname)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s ("
					 "pk dynamo.partition_key GENERATED ALWAYS AS "
					 "(dynamo_internal.partition_key(item, %s::pg_catalog.text, '%c'::pg_catalog.\"char\")) STORED NOT NULL, ",
					 quote_qualified_identifier(SCHEMA_DATA, relname),
					 quote_literal_cstr(spec->hash.name), spec->hash.type);
	if (spec->range.name != NULL)
		appendStringInfo(&sql,
						 "sk dynamo.sort_key GENERATED ALWAYS AS "
						 "(dynamo_internal.sort_key(item, %s::pg_catalog.text, '%c'::pg_catalog.\"char\")) STORED NOT NULL, ",
						 quote_literal_cstr(spec->range.name),
						 spec->range.type);
	appendStringInfo(&sql, "item dynamo.item NOT NULL, "
					 "CONSTRAINT %s PRIMARY KEY (pk%s)) "
					 "USING dynamo WITH (fillfactor = %d)",
					 quote_identifier(schema_primary_name(spec->name)),
					 spec->range.name ? ", sk" : "", TABLE_FILLFACTOR);
	return sql.data;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}
