/*-------------------------------------------------------------------------
 *
 * schema_match.c
 *	  Which relations serve a definition: has the table's the columns of one,
 *	  and which of its indexes are the primary key, the secondary indexes and
 *	  the one on the expiry?
 *
 * Core's catalogs alone are asked, since users may have altered, renamed or
 * dropped what we made.  A name says which index something is meant to be; it
 * is that index if it is what we would make for it.  An entry of another one
 * would be computed wrongly, and what is read from it would be wrong.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "nodes/nodeFuncs.h"
#include "schema/schema_internal.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* An index of a table's relation. */
typedef struct Btree
{
	char	   *name;
	HeapTuple	tuple;			/* its row in pg_index */
} Btree;

static bool has_column(const TableDef *def, const char *name, int attnum);
static bool is_generated(const TableDef *def, int attnum, Node *expression);
static bool is_stored(Oid relid, int attnum);
static List *list_btrees(TableDef *def);
static bool claims_name(const Btree *btree, const char *name, List *keys,
						Oid *relid);
static bool is_readable(HeapTuple tuple);
static bool has_tree(HeapTuple tuple, AttrNumber attnum, void *tree);
static bool serves_table(HeapTuple tuple, const TableDef *def);
static void match_index(TableDef *def, IndexDef *index, List *btrees);
static bool keeps_vectors(HeapTuple tuple, List *keys);

/*
 * Does the relation have the columns of a table?  We read them by position,
 * and what is in them must be keys and items.  Otherwise we would crash.
 *
 * A view has none of its own: on PostgreSQL 15 the owner can make one of the
 * relation, by a rule.  Whoever copies all items would run its functions.
 */
bool
schema_has_columns(const TableDef *def)
{
	return get_rel_relkind(def->relid) != RELKIND_VIEW &&
		has_column(def, "pk", SCHEMA_ATTR_PK) &&
		(def->range.name == NULL ||
		 has_column(def, "sk", SCHEMA_ATTR_SK(def))) &&
		has_column(def, "item", SCHEMA_ATTR_ITEM(def));
}

static bool
has_column(const TableDef *def, const char *name, int attnum)
{
	return get_attnum(def->relid, name) == attnum &&
		get_atttype(def->relid, attnum) == schema_column_type(def, attnum);
}

/*
 * Are the keys made from the item as we make them?  If not, they may disagree
 * with it.
 */
bool
schema_has_generated_keys(const TableDef *def)
{
	ListCell   *lc;

	foreach(lc, schema_table_keys(def))
	{
		if (!is_generated(def, foreach_current_index(lc) + 1, lfirst(lc)))
			return false;
	}
	return true;
}

static bool
is_generated(const TableDef *def, int attnum, Node *expression)
{
	return equal(schema_generated_from(def->relid, attnum), expression);
}

/*
 * What a column is generated from, stored; NULL: it is not.
 */
Node *
schema_generated_from(Oid relid, AttrNumber attnum)
{
	Relation	pg_attrdef = table_open(AttrDefaultRelationId,
										AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	Node	   *expression = NULL;

	ScanKeyInit(&keys[0], Anum_pg_attrdef_adrelid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(relid));
	ScanKeyInit(&keys[1], Anum_pg_attrdef_adnum, BTEqualStrategyNumber,
				F_INT2EQ, Int16GetDatum(attnum));
	scan = systable_beginscan(pg_attrdef, AttrDefaultIndexId, true, NULL,
							  2, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple) && is_stored(relid, attnum))
	{
		bool		isnull;
		Datum		adbin = heap_getattr(tuple, Anum_pg_attrdef_adbin,
										 RelationGetDescr(pg_attrdef),
										 &isnull);

		expression = stringToNode(TextDatumGetCString(adbin));
	}
	systable_endscan(scan);
	table_close(pg_attrdef, AccessShareLock);
	return expression;
}

static bool
is_stored(Oid relid, int attnum)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid),
										Int16GetDatum(attnum));
	bool		result = HeapTupleIsValid(tuple) &&
	((Form_pg_attribute) GETSTRUCT(tuple))->attgenerated ==
	ATTRIBUTE_GENERATED_STORED;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/*
 * Are they ordinary columns that a CHECK keeps like that?
 */
bool
schema_has_checked_keys(const TableDef *def)
{
	int			nkeys = def->range.name ? 2 : 1;

	for (int i = 1; i <= nkeys; i++)
	{
		if (is_stored(def->relid, i))
			return false;
	}
	return schema_key_check_name(def) != NULL;
}

/*
 * The name of that CHECK; NULL: there is none.
 */
char *
schema_key_check_name(const TableDef *def)
{
	Expr	   *check = schema_key_check(def);
	Relation	pg_constraint = table_open(ConstraintRelationId,
										   AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	char	   *name = NULL;

	ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(def->relid));
	scan = systable_beginscan(pg_constraint, ConstraintRelidTypidNameIndexId,
							  true, NULL, 1, &key);
	while (name == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
		bool		isnull;
		Datum		conbin;

		if (form->contype != CONSTRAINT_CHECK || !form->convalidated)
			continue;
		conbin = heap_getattr(tuple, Anum_pg_constraint_conbin,
							  RelationGetDescr(pg_constraint), &isnull);
		if (!isnull && equal(stringToNode(TextDatumGetCString(conbin)), check))
			name = pstrdup(NameStr(form->conname));
	}
	systable_endscan(scan);
	table_close(pg_constraint, AccessShareLock);
	return name;
}

/*
 * Has a relation such a CHECK, whatever the attributes of its keys are called?
 * It needs no definition, and is no proof: anybody can copy a table.
 */
bool
schema_looks_distributed(Relation rel)
{
	const TupleConstr *constraints = RelationGetDescr(rel)->constr;

	for (int i = 0; constraints != NULL && i < constraints->num_check; i++)
	{
		TableDef	def = {.relid = RelationGetRelid(rel)};
		Node	   *check = stringToNode(constraints->check[i].ccbin);

		if (constraints->check[i].ccvalid &&
			schema_read_key_check(check, &def) &&
			equal(check, schema_key_check(&def)))
			return true;
	}
	return false;
}

/*
 * Fill in the OIDs of the btrees, from the catalogs alone: no lock on the
 * table's relation, so that it can be described while it is being altered.  A
 * name that a worker is to build under is nobody's: see schema_build.c.
 */
void
schema_find_btrees(TableDef *def)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo indexes of a table",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	List	   *btrees = list_btrees(def);
	char	   *ttl_name = schema_ttl_name(def->name);
	ListCell   *lc;

	if (def->ttl_attribute != NULL)
	{
		List	   *keys = schema_ttl_keys(def, def->ttl_attribute);

		def->ttl_building = schema_is_building(def, ttl_name);
		foreach(lc, def->ttl_building ? NIL : btrees)
			def->ttl_taken |= claims_name(lfirst(lc), ttl_name, keys,
										  &def->ttl_relid);
	}
	for (int i = 0; i < def->nindexes; i++)
		match_index(def, &def->indexes[i], btrees);
	for (int i = 0; i < def->nvectors; i++)
		match_index(def, &def->vectors[i], btrees);

	/* The definition may be kept: what it was compared with goes. */
	MemoryContextSwitchTo(caller);
	def->btrees = list_copy(def->btrees);
	MemoryContextDelete(context);
}

static void
match_index(TableDef *def, IndexDef *index, List *btrees)
{
	char	   *relname = schema_index_name(def->name, index->name);
	List	   *keys = schema_index_keys(def, index);
	ListCell   *lc;

	index->building = schema_is_building(def, relname);
	foreach(lc, index->building ? NIL : btrees)
		index->taken |= claims_name(lfirst(lc), relname, keys, &index->relid);
}

/*
 * Has the index that name, but is another than the one with these columns?  If
 * it is that one, and can be read, *relid is set.
 */
static bool
claims_name(const Btree *btree, const char *name, List *keys, Oid *relid)
{
	if (strcmp(btree->name, name) != 0)
		return false;
	if (!schema_is_btree(btree->tuple, keys))
		return true;
	if (is_readable(btree->tuple))
		*relid = ((Form_pg_index) GETSTRUCT(btree->tuple))->indexrelid;
	return false;
}

/*
 * The indexes of a table's relation.  Fills in which of them is its primary
 * index, and the OIDs of all.
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
		Oid			relid = ((Form_pg_index) GETSTRUCT(tuple))->indexrelid;
		Btree	   *btree = palloc(sizeof(Btree));

		def->btrees = lappend_oid(def->btrees, relid);
		if (serves_table(tuple, def))
			def->primary_relid = relid;
		btree->name = get_rel_name(relid);

		/*
		 * From 18 on, what is long of it lies in a TOAST table, and without
		 * the scan's snapshot there may be none to fetch that by.
		 */
		btree->tuple = HeapTupleHasExternal(tuple) ?
			toast_flatten_tuple(tuple, RelationGetDescr(pg_index)) :
			heap_copytuple(tuple);
		if (btree->name != NULL)	/* else dropped just now */
			btrees = lappend(btrees, btree);
	}
	systable_endscan(scan);
	table_close(pg_index, AccessShareLock);
	return btrees;
}

/*
 * The columns of the index that a definition has under this name, of a
 * secondary or a vector index or (*index NULL) for the expiry; NIL: it has none.
 */
List *
schema_btree_keys(const TableDef *def, const char *relname,
				  const IndexDef **index)
{
	*index = NULL;
	for (int i = 0; i < def->nindexes + def->nvectors; i++)
	{
		const IndexDef *candidate = schema_index_at(def, i);

		if (strcmp(relname, schema_index_name(def->name, candidate->name)) == 0)
		{
			*index = candidate;
			return schema_index_keys(def, candidate);
		}
	}
	if (def->ttl_attribute != NULL &&
		strcmp(relname, schema_ttl_name(def->name)) == 0)
		return schema_ttl_keys(def, def->ttl_attribute);
	return NIL;
}

/*
 * Is an index, given by its row in pg_index, what we make of these columns?
 * It may be unfinished.
 */
bool
schema_is_btree(HeapTuple tuple, List *keys)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);
	ListCell   *lc;

	if (form->indnatts != list_length(keys) ||
		form->indnkeyatts != list_length(keys) ||
		form->indisunique || form->indisexclusion)
		return false;
	if (schema_keep_vectors(keys))
		return keeps_vectors(tuple, keys);
	foreach(lc, keys)
	{
		int			n = foreach_current_index(lc);

		if (form->indkey.values[n] != 0 ||
			!dynamo_index_sorts(tuple, n + 1, exprType(lfirst(lc)),
								exprCollation(lfirst(lc))))
			return false;
	}
	return has_tree(tuple, Anum_pg_index_indexprs, keys) &&
		has_tree(tuple, Anum_pg_index_indpred, schema_predicate(keys));
}

/*
 * The same of a vector index.
 */
static bool
keeps_vectors(HeapTuple tuple, List *keys)
{
	bool		isnull;
	oidvector  *classes = (oidvector *)
		DatumGetPointer(SysCacheGetAttr(INDEXRELID, tuple,
										Anum_pg_index_indclass, &isnull));

	(void) SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indpred, &isnull);
	return isnull && schema_is_vector_class(classes->values[0]) &&
		has_tree(tuple, Anum_pg_index_indexprs, keys);
}

static bool
has_tree(HeapTuple tuple, AttrNumber attnum, void *tree)
{
	bool		isnull;
	Datum		value = SysCacheGetAttr(INDEXRELID, tuple, attnum, &isnull);

	return !isnull && equal(stringToNode(TextDatumGetCString(value)), tree);
}

/*
 * Is it finished?
 */
static bool
is_readable(HeapTuple tuple)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);

	return form->indisvalid && form->indisready && form->indislive;
}

/*
 * Are the columns of an index the table's key, and does it refuse a second
 * item at once?
 */
static bool
serves_table(HeapTuple tuple, const TableDef *def)
{
	Form_pg_index form = (Form_pg_index) GETSTRUCT(tuple);
	int			nkeys = def->range.name ? 2 : 1;

	if (!form->indisprimary || !form->indimmediate || !is_readable(tuple) ||
		form->indnatts != nkeys || form->indnkeyatts != nkeys)
		return false;
	for (int i = 0; i < nkeys; i++)
	{
		if (form->indkey.values[i] != i + 1 ||
			!dynamo_index_sorts(tuple, i + 1, schema_column_type(def, i + 1),
								InvalidOid))
			return false;
	}
	return true;
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
 * An index may lack versions that only snapshots see which are older, if it says
 * so: where CREATE INDEX met HOT chains whose members differ in its columns, it
 * made an entry for the newest one alone.  Of an index that this transaction has
 * made, a snapshot does not tell whether it is older: so, as for core's planner,
 * it is.
 */
bool
schema_index_lacks_versions(Relation index, Snapshot snapshot)
{
	TransactionId xmin;

	if (!index->rd_index->indcheckxmin)
		return false;
	xmin = HeapTupleHeaderGetXmin(index->rd_indextuple->t_data);
	return TransactionIdIsNormal(xmin) &&
		(TransactionIdIsCurrentTransactionId(xmin) ||
		 XidInMVCCSnapshot(xmin, snapshot));
}
