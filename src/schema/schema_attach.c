/*-------------------------------------------------------------------------
 *
 * schema_attach.c
 *	  A relation that is there becomes a table, and a table a mere relation.
 *
 * pg_dump -t carries a relation without its definition, and plain SQL can make
 * one as CREATE TABLE would.  To attach it is to write the definition that its
 * columns and indexes show.  What they show is compared with what we would
 * make of that definition: a relation that differs is refused, and an index
 * that differs is left alone.
 *
 * What attributes an index projects, and whether it is a local one, no btree
 * shows: it becomes a global index that projects all.  Time to live stays off.
 *  Otherwise the items of an old dump would go at once.
 *
 * The right to attach is the right to create: ownership of the relation, and
 * CREATE on schema dynamo_data.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "base/compat.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#define NAME_CHARACTERS	"a-z, A-Z, 0-9, _ . -"

static void check_right(Oid relid, Oid schema);
static void check_relation(Relation rel, Oid schema);
static void read_keys(Relation rel, TableDef *def);
static void refuse_relation(Relation rel, char *detail)
			pg_attribute_noreturn();
static void attach_indexes(const TableDef *def, const char *settings);
static bool read_index(const TableDef *def, Oid relid, IndexDef *index);
static bool agrees(List **attributes, const IndexDef *index);
static const KeyAttr *find_attribute(List *attributes, const char *name);
/*
 * Make a relation the table of this name, whose settings are JSON text, and so
 * are those of its indexes.
 */
void
schema_attach_table(Oid relid, const char *name, const char *settings,
					const char *index_settings, TimestampTz now)
{
	Oid			schema = schema_of_data();
	TableDef	def = {.name = unconstify(char *, name), .relid = relid};
	Relation	rel;

	if (!schema_is_name(name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("a table's name has %d to %d characters of %s",
						DYNAMO_MIN_NAME, DYNAMO_MAX_NAME, NAME_CHARACTERS)));
	check_right(relid, schema);
	schema_lock_name(name);
	rel = try_table_open(relid, ShareUpdateExclusiveLock);
	check_right(relid, schema); /* it may be gone, or another's, by now */
	check_relation(rel, schema);
	read_keys(rel, &def);
	if (schema_find_table(name) != NULL)
		dynamo_error(DYNAMO_RESOURCE_IN_USE, "Table already exists: %s", name);

	def.created_at = now;
	def.settings = unconstify(char *, settings);
	schema_define(&def);
	attach_indexes(&def, index_settings);
	schema_definition_changed(relid);
	schema_comment(relid, NULL);
	table_close(rel, NoLock);
}

/*
 * Forget the definition of a table, which becomes a mere relation: returned.
 * The index of its items' expiry goes, since time to live does.
 */
Oid
schema_detach_table(const char *name)
{
	const TableDef *def;
	Oid			relid;

	schema_lock_name(name);
	def = schema_open_own_table(name, AccessExclusiveLock);
	if (def->stream != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has a stream", name),
				 errhint("Disable it with dynamo.disable_stream().")));
	if (def->recovery != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has point-in-time recovery", name),
				 errhint("Disable it with dynamo.disable_recovery().")));
	if (def->replication != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has replicas in other regions", name)));
	if (def->nbuilding > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("an index of table \"%s\" is being built", name)));
	schema_refuse_distributed(def, "be detached");
	relid = def->relid;
	if (def->ttl_attribute != NULL)
		schema_set_ttl(name, NULL, false);
	schema_comment_clear(relid, schema_comment_text(def));
	schema_row_delete(relid);
	schema_table_gone(relid, meta_relation_owner(relid));
	schema_definition_changed(relid);
	return relid;
}

static void
check_right(Oid relid, Oid schema)
{
	AclResult	result = compat_may_create(schema, GetUserId());
	char	   *name = get_rel_name(relid);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the relation does not exist any more")));
	if (!compat_relation_owner(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, name);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_SCHEMA, SCHEMA_DATA);
}

static void
check_relation(Relation rel, Oid schema)
{
	const char *name = RelationGetRelationName(rel);
	const TableDef *attached = schema_find_relation(RelationGetRelid(rel));

	if (attached != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("relation \"%s\" is table \"%s\" already", name,
						attached->name)));
	if (rel->rd_rel->relkind != RELKIND_RELATION ||
		rel->rd_rel->relispartition || RelationUsesLocalBuffers(rel))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an ordinary table", name)));
	if (RelationGetNamespace(rel) != schema)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is not in schema \"%s\"", name,
						SCHEMA_DATA),
				 errhint("Move it there with ALTER TABLE ... SET SCHEMA.")));
}

/*
 * The table's key, from what the relation's columns are generated from.  They
 * must be exactly as we make them, and so must the primary key.
 */
static void
read_keys(Relation rel, TableDef *def)
{
	Oid			relid = def->relid;
	bool		has_range = get_attnum(relid, "sk") == 2;

	if (get_attnum(relid, "pk") != 1 ||
		!schema_read_table_key(schema_generated_from(relid, 1), false,
							   &def->hash))
		refuse_relation(rel, "Column 1 should be pk dynamo.partition_key GENERATED ALWAYS AS (dynamo_internal.partition_key(item, 'name', 'S')) STORED.");
	if (has_range &&
		!schema_read_table_key(schema_generated_from(relid, 2), true,
							   &def->range))
		refuse_relation(rel, "Column 2 should be sk dynamo.sort_key GENERATED ALWAYS AS (dynamo_internal.sort_key(item, 'name', 'S')) STORED.");
	if (!schema_has_columns(def) || !schema_has_generated_keys(def))
		refuse_relation(rel, has_range ?
						"Its columns should be pk, sk and item dynamo.item, in this order." :
						"Its columns should be pk and item dynamo.item, in this order.");
	if (has_range && strcmp(def->hash.name, def->range.name) == 0)
		refuse_relation(rel, "pk and sk should be made from different attributes.");
	schema_find_btrees(def);
	if (!OidIsValid(def->primary_relid))
		refuse_relation(rel, psprintf("Its primary key should be (%s).",
									  has_range ? "pk, sk" : "pk"));
}

static void
refuse_relation(Relation rel, char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
			 errmsg("relation \"%s\" is not like one that create_table makes",
					RelationGetRelationName(rel)),
			 errdetail_internal("%s", detail)));
}

/*
 * Define the indexes that are there: those that have our names and columns and
 * agree with those before them, in the order in which they were made, as far as
 * their OIDs tell.
 */
static void
attach_indexes(const TableDef *def, const char *settings)
{
	List	   *btrees = list_copy(def->btrees);
	List	   *attributes = list_make2(unconstify(KeyAttr *, &def->hash),
										unconstify(KeyAttr *, &def->range));
	int			ordinal = 1;
	ListCell   *lc;

	if (def->range.name == NULL)
		attributes = list_delete_last(attributes);
	list_sort(btrees, list_oid_cmp);
	foreach(lc, btrees)
	{
		IndexDef	index = {0};

		if (lfirst_oid(lc) == def->primary_relid ||
			!read_index(def, lfirst_oid(lc), &index) ||
			!agrees(&attributes, &index))
			continue;
		index.ordinal = ordinal++;
		index.settings = unconstify(char *, settings);
		schema_index_row_insert(def->name, &index);
	}
}

/*
 * The definition that a btree of the relation shows; false: none.  A name that
 * had to be cut does not tell the index's.
 */
static bool
read_index(const TableDef *def, Oid relid, IndexDef *index)
{
	const char *relname = get_rel_name(relid);
	size_t		prefix = strlen(def->name);
	HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(relid));
	Datum		expressions;
	bool		isnull = true;
	bool		ours = false;

	if (!HeapTupleIsValid(tuple))
		return false;
	expressions = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs,
								  &isnull);
	if (!isnull && relname != NULL && strlen(relname) > prefix + 1 &&
		strncmp(relname, def->name, prefix) == 0 && relname[prefix] == '/')
	{
		index->name = pstrdup(relname + prefix + 1);
		ours = schema_is_name(index->name) &&
			strcmp(schema_index_name(def->name, index->name), relname) == 0 &&
			schema_read_index_keys(stringToNode(TextDatumGetCString(expressions)),
								   index) &&
			schema_is_btree(tuple, schema_index_keys(def, index));
	}
	ReleaseSysCache(tuple);
	return ours;
}

/*
 * May an index be beside what has these attributes for keys?  Each attribute
 * has one type, and one place in a key.  If so, its own are added.
 */
static bool
agrees(List **attributes, const IndexDef *index)
{
	List	   *own = NIL;
	ListCell   *lc;

	for (int i = 0; i < index->nhash; i++)
		own = lappend(own, &index->hash[i]);
	for (int i = 0; i < index->nrange; i++)
		own = lappend(own, &index->range[i]);
	foreach(lc, own)
	{
		const KeyAttr *attribute = lfirst(lc);
		const KeyAttr *known = find_attribute(*attributes, attribute->name);

		if (find_attribute(own, attribute->name) != attribute ||
			(known != NULL && known->type != attribute->type))
			return false;
	}
	*attributes = list_concat(*attributes, own);
	return true;
}

/* NULL: none of them has the name. */
static const KeyAttr *
find_attribute(List *attributes, const char *name)
{
	ListCell   *lc;

	foreach(lc, attributes)
	{
		const KeyAttr *attribute = lfirst(lc);

		if (strcmp(attribute->name, name) == 0)
			return attribute;
	}
	return NULL;
}
