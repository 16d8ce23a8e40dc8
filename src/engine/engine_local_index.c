/*-------------------------------------------------------------------------
 *
 * engine_local_index.c
 *	  Index entries of the local store.
 *
 * The columns of our own indexes are expressions that extract attributes of
 * the item.  Here the item is at hand unpacked, so their values are computed
 * by the functions those expressions end in, not by the executor.  Both ways
 * must come to the same datum to the bit.  Otherwise plain SQL and the engine
 * would make different entries for one row; with assertions on, both are
 * computed and compared.  Indexes that somebody else has put on the relation
 * are served as the executor does.
 *
 * The primary index goes first.  For a new row it is where a conflict shows;
 * then the row is withdrawn and needs no further entries.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "am/am.h"
#include "catalog/index.h"
#include "engine/engine_internal.h"
#include "executor/executor.h"
#include "utils/datum.h"
#include "utils/rel.h"

/* What core knows of an index, and its expressions, ready to be evaluated. */
typedef struct PreparedIndex
{
	Oid			relid;
	IndexInfo  *info;
} PreparedIndex;

/* One entry: a value a column. */
typedef struct IndexEntry
{
	Datum		values[INDEX_MAX_KEYS];
	bool		isnull[INDEX_MAX_KEYS];
} IndexEntry;

static bool insert_primary(EngineTable *table, const TableKey *key,
						   TupleTableSlot *slot, EngineIndexing what);
static void insert_secondary(EngineTable *table, Oid indexoid,
							 const TableKey *key, const Item *item,
							 TupleTableSlot *slot, EngineIndexing what,
							 const Item *old_item);
static const IndexDef *our_index(const TableDef *def, Oid relid);
static bool our_entry(const IndexDef *def, const TableKey *key,
					  const Item *item, IndexEntry *entry);
static bool expiry_entry(EngineTable *table, const TableKey *key,
						 const Item *item,
						 IndexEntry *entry);
static bool expiry_changes(EngineTable *table, const Item *old_item,
						   const Item *item);
static IndexInfo *prepared_info(EngineTable *table, Relation index);
static bool foreign_entry(EngineTable *table, IndexInfo *info,
						  TupleTableSlot *slot, IndexEntry *entry);
static void check_entry(EngineTable *table, Relation index,
						TupleTableSlot *slot, bool present,
						const IndexEntry *ours);
static bool touches(const ExprUpdate *update, const char *attribute);
static bool touches_key(const ExprUpdate *update, const IndexDef *def);
static bool entry_changes(const IndexDef *def, const Item *old_item,
						  const Item *item);
static bool attrs_change(const KeyAttr *attrs, int nattrs, uint32 max_len,
						 const Item *old_item, const Item *item,
						 bool *in_old, bool *in_new);

/*
 * Make the index entries of the row in "slot", which has just been stored.
 * False, for a row stored speculatively only: the primary index has its key
 * already.  "old_item" is what an update replaces, NULL for a new row.
 *
 * The list of indexes is that of the relation now, not of the definition: an
 * index of the user's, one that is being built, or the second one that REINDEX
 * CONCURRENTLY makes is none that the definition knows, and needs its entry as
 * well.  CREATE INDEX CONCURRENTLY waits for our lock on the relation before it
 * reads it, so an index that is not in our list yet cannot miss this row.
 *
 * If one of the entries cannot be made, the error ends the (sub)transaction.
 * The row is dead then, and what entries it has are removed by vacuum.
 */
bool
engine_local_index(EngineTable *table, const TableKey *key,
				   const Item *item, TupleTableSlot *slot,
				   EngineIndexing what, const Item *old_item)
{
	List	   *indexes;
	ListCell   *lc;

	if (what != ENGINE_INDEX_SUMMARIZE &&
		!insert_primary(table, key, slot, what))
		return false;

	indexes = RelationGetIndexList(table->rel);
	foreach(lc, indexes)
	{
		if (lfirst_oid(lc) != table->def->primary_relid)
			insert_secondary(table, lfirst_oid(lc), key, item, slot, what,
							 old_item);
	}
	list_free(indexes);
	return true;
}

/*
 * Tell the access method whether an update changes any index entry, if we
 * know all indexes; else it finds out by itself.  "update" is what has made
 * "item" of "old_item", NULL if it took its place.
 *
 * A wrong "no change" would make the update HOT, and an index would go on to
 * lead to the row under its old key.  So each index in the relation's list
 * must be accounted for: the primary one, whose columns an update of ours never
 * changes, that of the expiry, and those of the definition.  An index that is
 * being built is in the list before it is in the definition, and so is one of
 * the user's: then no hint is given.  An index of the definition that is not in
 * the list counts for nothing.
 */
void
engine_local_hint(EngineTable *table, const ExprUpdate *update,
				  const Item *old_item, const Item *item)
{
	const TableDef *def = table->def;
	List	   *indexes = RelationGetIndexList(table->rel);
	int			known = 1;
	bool		change = false;

	if (OidIsValid(def->ttl_relid) &&
		list_member_oid(indexes, def->ttl_relid))
	{
		known++;
		change = touches(update, def->ttl_attribute) &&
			expiry_changes(table, old_item, item);
	}

	for (int i = 0; i < def->nindexes + def->nvectors; i++)
	{
		const IndexDef *index = schema_index_at(def, i);

		if (!list_member_oid(indexes, index->relid))
			continue;
		known++;
		change = change ||
			(touches_key(update, index) &&
			 entry_changes(index, old_item, item));
	}
	if (known == list_length(indexes))
		am_update_hint(table->rel, change);
	list_free(indexes);
}

/*
 * The entry in the primary index.
 *
 * With UNIQUE_CHECK_PARTIAL nbtree makes the entry in any case, and says
 * whether there is another of the key whose row is not dead: the row is
 * stored speculatively then, and the caller decides.  With UNIQUE_CHECK_YES it
 * waits for a transaction that is inserting or deleting such a row, and raises
 * 23505 if the row stays.  A new version of a row meets its own older one,
 * which is being deleted by us, and so is no conflict.
 */
static bool
insert_primary(EngineTable *table, const TableKey *key,
			   TupleTableSlot *slot, EngineIndexing what)
{
	static IndexInfo *const unused = NULL;	/* btree asks nothing of it */
	Datum		values[2];
	bool		isnull[2] = {false, false};

	values[0] = PointerGetDatum(key->pk);
	values[1] = PointerGetDatum(key->sk);
	return index_insert(engine_local_primary(table), values, isnull,
						&slot->tts_tid, table->rel,
						what == ENGINE_INDEX_INSERT ? UNIQUE_CHECK_PARTIAL :
						UNIQUE_CHECK_YES,
						what == ENGINE_INDEX_UPDATE, unused);
}

/*
 * The entry in one other index, if the row has one there.
 *
 * The lock on the index is released at once, as the executor does: what takes
 * the index away waits for our lock on the relation.
 *
 * An index that is not ready (CREATE INDEX CONCURRENTLY has announced it) gets
 * no entry: its builder waits for us before it reads the relation.  One that
 * is ready, but not valid, does.
 *
 * "unchanged" is a hint for nbtree: the logical row had this very entry, so
 * if the page is full it may look for versions of it that are dead.
 */
static void
insert_secondary(EngineTable *table, Oid indexoid, const TableKey *key,
				 const Item *item, TupleTableSlot *slot, EngineIndexing what,
				 const Item *old_item)
{
	Relation	index = index_open(indexoid, RowExclusiveLock);
	const IndexDef *def = our_index(table->def, indexoid);
	bool		expiry = indexoid == table->def->ttl_relid;
	bool		wanted = index->rd_index->indisready;
	bool		unchanged = false;
	IndexInfo  *info = NULL;
	IndexEntry	entry;
	bool		present = false;

	if (what == ENGINE_INDEX_SUMMARIZE && compat_blocks_hot(index))
		wanted = false;
	if (wanted && (def != NULL || expiry))
	{
		present = def ? our_entry(def, key, item, &entry) :
			expiry_entry(table, key, item, &entry);
		check_entry(table, index, slot, present, &entry);
		unchanged = present && what == ENGINE_INDEX_UPDATE &&
			!(def ? entry_changes(def, old_item, item) :
			  expiry_changes(table, old_item, item));
	}
	else if (wanted)
	{
		info = prepared_info(table, index);
		present = foreign_entry(table, info, slot, &entry);
	}

	if (present)
		(void) index_insert(index, entry.values, entry.isnull,
							&slot->tts_tid, table->rel,
							index->rd_index->indisunique ? UNIQUE_CHECK_YES :
							UNIQUE_CHECK_NO,
							unchanged, info);
	if (present && info != NULL && info->ii_ExclusionOps != NULL)
		check_exclusion_constraint(table->rel, index, info, &slot->tts_tid,
								   entry.values, entry.isnull,
								   table->estate, false);
	if (info != NULL)
	{
		compat_index_insert_cleanup(index, info);
		ResetPerTupleExprContext(table->estate);
	}
	index_close(index, RowExclusiveLock);
}

/*
 * The definition of an index, NULL when it is not one of ours.
 */
static const IndexDef *
our_index(const TableDef *def, Oid relid)
{
	for (int i = 0; i < def->nindexes + def->nvectors; i++)
	{
		if (schema_index_at(def, i)->relid == relid)
			return schema_index_at(def, i);
	}
	return NULL;
}

/*
 * The entry of an item in one of our indexes; false: it has none.  An item
 * without one of the attributes, or with a value that is no key, is left out,
 * as by the predicate of the index.  The sort keys are allocated in the current
 * context; nbtree copies what it stores.
 */
static bool
our_entry(const IndexDef *def, const TableKey *key, const Item *item,
		  IndexEntry *entry)
{
	ItemValue	hash[DYNAMO_MAX_KEY_ATTRS];
	ItemValue	range[DYNAMO_MAX_KEY_ATTRS];

	if (def->vector != NULL)
	{
		entry->values[0] = PointerGetDatum(vector_make_entry(def, item));
		entry->isnull[0] = false;
		return entry->values[0] != (Datum) 0;
	}
	for (int i = 0; i < def->nhash; i++)
	{
		if (!key_index_value(item, &def->hash[i],
							 DYNAMO_MAX_PARTITION_KEY, &hash[i]))
			return false;
	}
	for (int i = 0; i < def->nrange; i++)
	{
		if (!key_index_value(item, &def->range[i], DYNAMO_MAX_SORT_KEY,
							 &range[i]))
			return false;
	}

	memset(entry->isnull, false, def->nrange + 2);
	entry->values[0] = Int32GetDatum(item_index_hash(hash, def->nhash));
	for (int i = 0; i < def->nrange; i++)
		entry->values[i + 1] = PointerGetDatum(item_index_sort_key(&range[i]));
	entry->values[def->nrange + 1] = Int32GetDatum(key_tie_breaker(key));
	return true;
}

/*
 * The entry of an item in the index of when items expire; false: it has none.
 */
static bool
expiry_entry(EngineTable *table, const TableKey *key, const Item *item,
			 IndexEntry *entry)
{
	const char *attribute = table->def->ttl_attribute;
	int64		expiry;

	if (!item_expiry(item, attribute, strlen(attribute), &expiry))
		return false;
	memset(entry->isnull, false, 2);
	entry->values[0] = Int64GetDatum(expiry);
	entry->values[1] = Int32GetDatum(key_tie_breaker(key));
	return true;
}

/*
 * Does an item's entry in the index of when items expire change, appear or
 * disappear?
 */
static bool
expiry_changes(EngineTable *table, const Item *old_item, const Item *item)
{
	const char *attribute = table->def->ttl_attribute;
	int64		before = 0;
	int64		after = 0;

	return item_expiry(old_item, attribute, strlen(attribute), &before) !=
		item_expiry(item, attribute, strlen(attribute), &after) ||
		before != after;
}

/*
 * Of any index.  It is made once for an open table: core prepares expressions
 * in memory that lasts as long as the EState, so that many rows would fill it.
 *
 * It stays right as long as the table is open, because the lock on the relation
 * keeps everybody from changing the definition of an index on it.
 */
static IndexInfo *
prepared_info(EngineTable *table, Relation index)
{
	MemoryContext caller = MemoryContextSwitchTo(engine_context(table));
	PreparedIndex *prepared = NULL;
	ListCell   *lc;

	if (table->estate == NULL)
		table->estate = CreateExecutorState();
	MemoryContextSwitchTo(table->estate->es_query_cxt);
	foreach(lc, table->prepared)
	{
		prepared = lfirst(lc);
		if (prepared->relid == RelationGetRelid(index))
			break;
	}
	if (lc == NULL)
	{
		prepared = palloc(sizeof(PreparedIndex));
		prepared->relid = RelationGetRelid(index);
		prepared->info = BuildIndexInfo(index);
		prepared->info->ii_PredicateState =
			ExecPrepareQual(prepared->info->ii_Predicate, table->estate);
		table->prepared = lappend(table->prepared, prepared);
	}
	MemoryContextSwitchTo(caller);

	/* What the access method keeps is for one opening of the index. */
	prepared->info->ii_AmCache = NULL;
	prepared->info->ii_Context = caller;
	return prepared->info;
}

/*
 * The entry in any index; false: its predicate leaves the row out.  Functions
 * of the user's may run here, with the privileges of the current user.  Their
 * values live in the EState's per-tuple context, up to its reset.
 */
static bool
foreign_entry(EngineTable *table, IndexInfo *info, TupleTableSlot *slot,
			  IndexEntry *entry)
{
	ExprContext *econtext = GetPerTupleExprContext(table->estate);

	econtext->ecxt_scantuple = slot;
	if (!ExecQual(info->ii_PredicateState, econtext))
		return false;
	FormIndexDatum(info, slot, table->estate, entry->values, entry->isnull);
	return true;
}

/*
 * With assertions on, hold our way of making an entry against the index's.
 */
static void
check_entry(EngineTable *table, Relation index, TupleTableSlot *slot,
			bool present, const IndexEntry *ours)
{
#ifdef USE_ASSERT_CHECKING
	IndexInfo  *info = prepared_info(table, index);
	TupleDesc	desc = RelationGetDescr(index);
	IndexEntry	theirs;

	if ((foreign_entry(table, info, slot, &theirs) &&
		 !(desc->natts == 1 && theirs.isnull[0])) != present)
		elog(ERROR, "engine and index \"%s\" disagree on whether an item has an entry",
			 RelationGetRelationName(index));
	for (int i = 0; present && i < desc->natts; i++)
	{
		if (theirs.isnull[i] ||
			!datum_image_eq(theirs.values[i], ours->values[i],
							TupleDescAttr(desc, i)->attbyval,
							TupleDescAttr(desc, i)->attlen))
			elog(ERROR, "engine and index \"%s\" disagree on column %d of an entry",
				 RelationGetRelationName(index), i + 1);
	}
	ResetPerTupleExprContext(table->estate);
#endif
}

/*
 * May this attribute have changed?
 */
static bool
touches(const ExprUpdate *update, const char *attribute)
{
	return update == NULL || expr_update_touches(update, attribute);
}

/*
 * May any of those in the key of an index?
 */
static bool
touches_key(const ExprUpdate *update, const IndexDef *def)
{
	for (int i = 0; i < def->nhash; i++)
	{
		if (touches(update, def->hash[i].name))
			return true;
	}
	for (int i = 0; i < def->nrange; i++)
	{
		if (touches(update, def->range[i].name))
			return true;
	}
	return def->vector != NULL && touches(update, def->vector);
}

/*
 * Does an item's entry in one of our indexes change, appear or disappear?
 */
static bool
entry_changes(const IndexDef *def, const Item *old_item, const Item *item)
{
	bool		in_old = true;
	bool		in_new = true;
	bool		change;

	if (def->vector != NULL)
		return vector_entry_changes(def, old_item, item);
	change = attrs_change(def->hash, def->nhash, DYNAMO_MAX_PARTITION_KEY,
						  old_item, item, &in_old, &in_new);
	change |= attrs_change(def->range, def->nrange, DYNAMO_MAX_SORT_KEY,
						   old_item, item, &in_old, &in_new);
	return in_old != in_new || (in_new && change);
}

/*
 * The same of some of its key attributes, whose values are compared by their
 * bytes.  *in_old and *in_new become false if one is missing, or no key, in the
 * old or the new item.
 */
static bool
attrs_change(const KeyAttr *attrs, int nattrs, uint32 max_len,
			 const Item *old_item, const Item *item,
			 bool *in_old, bool *in_new)
{
	bool		change = false;

	for (int i = 0; i < nattrs; i++)
	{
		ItemValue	before;
		ItemValue	after;
		bool		had = key_index_value(old_item, &attrs[i], max_len,
										  &before);
		bool		has = key_index_value(item, &attrs[i], max_len,
										  &after);

		*in_old &= had;
		*in_new &= has;
		change |= had && has &&
			(before.len != after.len ||
			 memcmp(before.data, after.data, after.len) != 0);
	}
	return change;
}
