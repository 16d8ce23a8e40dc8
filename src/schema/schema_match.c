/*-------------------------------------------------------------------------
 *
 * schema_match.c
 *	  Which relations serve a definition: has the table's the columns of one,
 *	  and which of its indexes are the primary key, the secondary indexes and
 *	  the one on the expiry?
 *
 * Core's catalogs alone are asked, since users may have altered, renamed or
 * dropped what we made.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "schema/schema_internal.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* One btree index of a table's relation. */
typedef struct Btree
{
	Oid			relid;
	char	   *name;
	int			nkeys;			/* columns */
} Btree;

static bool has_column(Oid relid, const char *name, int attnum,
					   const char *type);
static Oid	own_type(const char *name);
static bool serves_index(const Btree *btree, const IndexDef *index);
static List *list_btrees(TableDef *def);
static bool readable(HeapTuple tuple);
static bool is_btree(Oid relid);
static bool serves_table(HeapTuple tuple, const TableDef *def);

/*
 * Has the relation the columns of a table?  Whoever reads it relies on where
 * they are, and takes what is in them for keys and items.
 */
bool
schema_has_columns(const TableDef *def)
{
	return has_column(def->relid, "pk", SCHEMA_ATTR_PK, "partition_key") &&
		(def->range.name == NULL ||
		 has_column(def->relid, "sk", SCHEMA_ATTR_SK(def), "sort_key")) &&
		has_column(def->relid, "item", SCHEMA_ATTR_ITEM(def), "item");
}

static bool
has_column(Oid relid, const char *name, int attnum, const char *type)
{
	return get_attnum(relid, name) == attnum &&
		get_atttype(relid, attnum) == own_type(type);
}

/* The OID of a type of our schema. */
static Oid
own_type(const char *name)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
						   CStringGetDatum(name),
						   ObjectIdGetDatum(get_namespace_oid("dynamo", false)));
}

/*
 * Fill in the OIDs of the btrees, from the catalogs alone: no lock on the
 * table's relation, so that it can be described while it is being altered.
 * One of the right name may be someone else's: it must have our columns.
 */
void
schema_find_btrees(TableDef *def)
{
	List	   *btrees = list_btrees(def);
	char	   *ttl_name = schema_ttl_name(def->name);
	ListCell   *lc;

	foreach(lc, btrees)
	{
		Btree	   *btree = lfirst(lc);

		if (def->ttl_attribute != NULL &&
			strcmp(btree->name, ttl_name) == 0 && btree->nkeys == 2 &&
			get_atttype(btree->relid, 1) == INT8OID &&
			get_atttype(btree->relid, 2) == INT8OID)
			def->ttl_relid = btree->relid;
	}
	def->ttl_building = def->ttl_attribute != NULL &&
		!OidIsValid(def->ttl_relid) && schema_is_building(def, ttl_name);
	for (int i = 0; i < def->nindexes; i++)
	{
		IndexDef   *index = &def->indexes[i];
		char	   *relname = schema_index_name(def->name, index->name);

		foreach(lc, btrees)
		{
			Btree	   *btree = lfirst(lc);

			if (strcmp(btree->name, relname) == 0 &&
				serves_index(btree, index))
				index->relid = btree->relid;
		}
		index->building = !OidIsValid(index->relid) &&
			schema_is_building(def, relname);
	}
}

/*
 * Has a btree the columns of a secondary index?
 */
static bool
serves_index(const Btree *btree, const IndexDef *index)
{
	if (btree->nkeys != index->nrange + 2 ||
		get_atttype(btree->relid, 1) != own_type("partition_key") ||
		get_atttype(btree->relid, btree->nkeys) != INT8OID)
		return false;
	for (int i = 0; i < index->nrange; i++)
	{
		if (get_atttype(btree->relid, i + 2) != own_type("sort_key"))
			return false;
	}
	return true;
}

/*
 * The btrees of a table's relation that can be read.  Fills in which of them
 * is its primary index, and the OIDs of all.
 */
static List *
list_btrees(TableDef *def)
{
	Relation	pg_index = table_open(IndexRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *btrees = NIL;

	ScanKeyInit(&key, Anum_pg_index_indrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(def->relid));
	scan = systable_beginscan(pg_index, IndexIndrelidIndexId, true, NULL,
							  1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);
		char	   *name = get_rel_name(form->indexrelid);
		Btree	   *btree;

		def->btrees = lappend_oid(def->btrees, form->indexrelid);
		if (name == NULL || !readable(tuple))
			continue;			/* dropped just now, or not built */
		if (form->indisprimary && serves_table(tuple, def))
			def->primary_relid = form->indexrelid;
		btree = palloc(sizeof(Btree));
		btree->relid = form->indexrelid;
		btree->name = name;
		btree->nkeys = form->indnatts;
		btrees = lappend(btrees, btree);
	}
	systable_endscan(scan);
	table_close(pg_index, AccessShareLock);
	return btrees;
}

/*
 * Is an index a finished btree with all columns in ascending order?
 */
static bool
readable(HeapTuple tuple)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);
	bool		isnull;
	int2vector *options;

	if (!form->indisvalid || !form->indisready || !form->indislive ||
		form->indnatts != form->indnkeyatts ||
		!is_btree(form->indexrelid))
		return false;
	options = (int2vector *) DatumGetPointer(SysCacheGetAttr(INDEXRELID, tuple,
															 Anum_pg_index_indoption,
															 &isnull));
	for (int i = 0; i < form->indnatts; i++)
	{
		if (options->values[i] != 0)
			return false;
	}
	return true;
}

static bool
is_btree(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	bool		result = HeapTupleIsValid(tuple) &&
	((Form_pg_class) GETSTRUCT(tuple))->relam == BTREE_AM_OID;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/*
 * Are the columns of an index the table's key, and does it refuse a second
 * item at once?
 */
static bool
serves_table(HeapTuple tuple, const TableDef *def)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);

	return form->indimmediate &&
		form->indnatts == (def->range.name ? 2 : 1) &&
		form->indkey.values[0] == SCHEMA_ATTR_PK &&
		(def->range.name == NULL ||
		 form->indkey.values[1] == SCHEMA_ATTR_SK(def));
}
