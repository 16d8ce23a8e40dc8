/*-------------------------------------------------------------------------
 *
 * am_hot.c
 *	  Attribute-aware HOT: an update is HOT if no index entry changes.
 *
 * heap gives up HOT as soon as a column changes that an index reads, in an
 * expression or predicate, too.  If one column holds a whole item, and the
 * indexes extract attributes from it, that is every update.  Here we evaluate
 * the expressions and predicates on the old and the new tuple.  If every index
 * column comes out the same, bit by bit, we tell heap that no column that an
 * index reads has changed.
 *
 * We tell it through the relcache: heap_update() first asks for the set of
 * columns that block HOT and copies it.  For the duration of the call we put a
 * set there whose column cannot change.  The sets that decide the lock mode
 * (key columns) and what is logged for decoding (replica identity) are others
 * and stay as they are.
 *
 * Everything else is heap's: whether the new version fits the page, the
 * chain, and whether new index entries are needed after all.
 *
 * An index that is not valid follows heap's rule: its expressions may fail on
 * rows that were never entered into it, and the way out is to update those
 * rows.  It still counts, like every index that RelationGetIndexList() gives:
 * a concurrent build relies on that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "access/heapam.h"
#include "access/sysattr.h"
#include "access/xact.h"
#include "am/am.h"
#include "am/am_internal.h"
#include "base/compat.h"
#include "catalog/index.h"
#include "catalog/pg_am_d.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "storage/proc.h"
#include "utils/datum.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/*
 * The set heap is shown: tableoid alone.  It never changes, and since no
 * index may have it, no genuine set contains it.
 */
#define UNCHANGING	(TableOidAttributeNumber - FirstLowInvalidHeapAttributeNumber)

/*
 * An index that has expressions or a predicate.
 */
typedef struct ComputedIndex
{
	IndexInfo  *info;
	ExprState  *predicate;		/* NULL: none */
	Bitmapset  *reads;			/* columns, offset as in the relcache */
	bool		usable;			/* valid: its expressions may be evaluated */
	int			nexprs;
	bool	   *typbyval;		/* of the expressions */
	int16	   *typlen;
} ComputedIndex;

/*
 * What is known about the indexes of a relation.
 *
 * Built when first needed and kept until the relcache entry of the table is
 * invalidated, which is what makes RelationGetIndexList() look again, too; or
 * until some function is: what is prepared has the function's language, and the
 * owner as whom it runs if it is SECURITY DEFINER.
 */
typedef struct HotState
{
	MemoryContext context;		/* holds all of it */
	EState	   *estate;
	TupleTableSlot *old_slot;
	Bitmapset  *plain;			/* columns indexed as such */
	List	   *computed;		/* of ComputedIndex */
	bool		in_use;
	bool		stale;			/* invalidated while in use */
	bool		compared;		/* so that a difference is one */
} HotState;

typedef struct HotEntry
{
	Oid			relid;			/* hash key */
	HotState   *state;			/* NULL: none at the moment */
} HotEntry;

/* GUC dynamo.attribute_hot */
bool		am_attribute_hot = true;

static HTAB *hot_states = NULL;
static uint64 invalidations = 0;	/* of any relation */

/* What am_update_hint() was told, and where: an error ends the subtransaction. */
static Oid	hint_relid = InvalidOid;
static bool hint_change;
static LocalTransactionId hint_in;
static SubTransactionId hint_by;

static bool entries_stay(Relation rel, ItemPointer otid, TupleTableSlot *slot);
static bool compare_guarded(HotState *state, Relation rel, ItemPointer otid,
							TupleTableSlot *slot);
static HotState *hot_state_get(Relation rel);
static HotState *hot_state_build(Relation rel);
static void add_index(HotState *state, Relation index);
static void hot_state_release(HotState *state, bool failed);
static void hot_relation_changed(Oid relid);
static void hot_function_changed(Datum arg, int cache, uint32 hash);
static void hot_entry_forget(HotEntry *entry);
static bool compare_versions(HotState *state, Relation rel, ItemPointer otid,
							 TupleTableSlot *slot);
static bool column_stays(HotState *state, TupleTableSlot *new, int attno);
static bool index_stays(HotState *state, ComputedIndex *index,
						TupleTableSlot *new);

void
am_hot_init(void)
{
	HASHCTL		ctl;

	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(HotEntry);
	hot_states = hash_create("dynamo HOT states", 32, &ctl,
							 HASH_ELEM | HASH_BLOBS);
	dynamo_watch_relations(hot_relation_changed);
	CacheRegisterSyscacheCallback(PROCOID, hot_function_changed, (Datum) 0);
}

/*
 * See am.h for what the caller promises.  The hint is for the next update of
 * "rel", if that is of the same subtransaction.  Where the relation is heap's by
 * now, nobody would take it, and one that comes after another SET ACCESS METHOD
 * would believe it.
 */
void
am_update_hint(Relation rel, bool index_keys_change)
{
	if (rel->rd_rel->relam == HEAP_TABLE_AM_OID)
		return;
	hint_relid = RelationGetRelid(rel);
	hint_change = index_keys_change;
	hint_in = compat_lxid;
	hint_by = GetCurrentSubTransactionId();
}

/*
 * TableAmRoutine.tuple_update
 *
 * heap_update() reads the set before it takes any lock, so no invalidation
 * can come between our judgement and its use, and it holds for the whole call
 * (a retry after waiting is for the same old tuple).
 */
TM_Result
am_hot_update(compat_update_parameters)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();
	Bitmapset  *saved;
	MemoryContext oldcontext;
	TM_Result	result;

	if (!entries_stay(rel, otid, slot) || compat_hot_attrs(rel) == NULL)
		return heap->tuple_update(compat_update_arguments);

	/*
	 * Only this set: otherwise a foreign key's check could pass a row whose
	 * key is changing, or a subscriber lose track of it.
	 */
	oldcontext = MemoryContextSwitchTo(CacheMemoryContext);
	saved = compat_hot_attrs(rel);
	compat_hot_attrs(rel) = bms_make_singleton(UNCHANGING);
	MemoryContextSwitchTo(oldcontext);

	PG_TRY();
	{
		result = heap->tuple_update(compat_update_arguments);
	}
	PG_FINALLY();
	{
		/*
		 * Always given back: otherwise every update would be HOT from now on.
		 * If the entry was rebuilt meanwhile, our set went with the old
		 * contents, and what is there now, if anything, is genuine.  Known by
		 * content: our address may be in use again.
		 */
		if (bms_is_member(UNCHANGING, compat_hot_attrs(rel)))
		{
			bms_free(compat_hot_attrs(rel));
			compat_hot_attrs(rel) = saved;
		}
		else
			bms_free(saved);
	}
	PG_END_TRY();

	return result;
}

/*
 * Would the new tuple in "slot" have the index entries of the one at "otid"?
 * False also if that cannot be told.
 */
static bool
entries_stay(Relation rel, ItemPointer otid, TupleTableSlot *slot)
{
	HotState   *state;
	Bitmapset  *blocking;
	bool		hinted = hint_relid == RelationGetRelid(rel) &&
		hint_in == compat_lxid && hint_by == GetCurrentSubTransactionId();
	bool		stay;

	/* An update that failed on its way here has left its own. */
	if (hint_relid == RelationGetRelid(rel))
		hint_relid = InvalidOid;
	if (!am_attribute_hot || (hinted && hint_change) ||
		!rel->rd_rel->relhasindex || !ActiveSnapshotSet())
		return false;

	/* Have the relcache compute the set; it may look at the indexes. */
	blocking = RelationGetIndexAttrBitmap(rel, compat_hot_attrs_kind);
	if (blocking == NULL)
		return false;
	bms_free(blocking);
#ifndef USE_ASSERT_CHECKING
	if (hinted)
		return true;
#endif

	/* NULL: an expression of this table's indexes is updating the table. */
	state = hot_state_get(rel);
	if (state == NULL)
		return false;
	state->in_use = true;
	stay = compare_guarded(state, rel, otid, slot);

	/* An index may have been created while expressions were evaluated. */
	if (state->stale)
		stay = false;

	/* Without assertions whoever says that nothing changes is believed. */
	Assert(stay || !hinted || !state->compared || state->stale);
	hot_state_release(state, false);

	return stay;
}

/*
 * compare_versions(), with the state given up on error.
 */
static bool
compare_guarded(HotState *state, Relation rel, ItemPointer otid,
				TupleTableSlot *slot)
{
	bool		stay;

	PG_TRY();
	{
		stay = compare_versions(state, rel, otid, slot);
	}
	PG_CATCH();
	{
		hot_state_release(state, true);
		PG_RE_THROW();
	}
	PG_END_TRY();

	return stay;
}

/*
 * The state of the relation, or NULL if it is in use.
 */
static HotState *
hot_state_get(Relation rel)
{
	Oid			relid = RelationGetRelid(rel);
	uint64		before = invalidations;
	HotEntry   *entry;
	HotState   *state;

	entry = hash_search(hot_states, &relid, HASH_FIND, NULL);
	if (entry != NULL && entry->state != NULL)
		return entry->state->in_use ? NULL : entry->state;

	state = hot_state_build(rel);
	if (invalidations != before)
	{
		/* Perhaps it is out of date already.  Not to be kept or relied on. */
		state->stale = true;
		return state;
	}
	entry = hash_search(hot_states, &relid, HASH_ENTER, NULL);
	entry->state = state;
	return state;
}

/*
 * Look at all indexes.  The state is complete or, on error, not there: its
 * context belongs to the caller's until the end.
 */
static HotState *
hot_state_build(Relation rel)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo HOT state",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	HotState   *state = palloc0(sizeof(HotState));
	TupleDesc	desc;
	List	   *indexes;
	ListCell   *lc;

	/* Copies, for the relcache's own would be pinned until end of query. */
	desc = CreateTupleDescCopyConstr(RelationGetDescr(rel));
	state->context = context;
	state->estate = CreateExecutorState();
	state->old_slot = MakeSingleTupleTableSlot(desc, &TTSOpsBufferHeapTuple);

	/*
	 * All indexes, ready or not: otherwise a chain could grow under a
	 * concurrent build whose index has different entries for its members.
	 */
	indexes = RelationGetIndexList(rel);
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (compat_blocks_hot(index))
			add_index(state, index);
		index_close(index, AccessShareLock);
	}

	MemoryContextSwitchTo(oldcontext);
	MemoryContextSetParent(context, CacheMemoryContext);
	return state;
}

/*
 * Note what the index reads: plain columns in state->plain, else in an entry
 * of state->computed, its expressions prepared.
 */
static void
add_index(HotState *state, Relation index)
{
	IndexInfo  *info = BuildIndexInfo(index);
	ComputedIndex *computed;
	ListCell   *lc;
	int			i = 0;

	for (int col = 0; col < info->ii_NumIndexAttrs; col++)
	{
		int			attno = info->ii_IndexAttrNumbers[col];

		if (attno != 0)
			state->plain =
				bms_add_member(state->plain,
							   attno - FirstLowInvalidHeapAttributeNumber);
	}
	if (info->ii_Expressions == NIL && info->ii_Predicate == NIL)
		return;

	computed = palloc0(sizeof(ComputedIndex));
	computed->info = info;
	computed->usable = index->rd_index->indisvalid &&
		index->rd_index->indisready;
	pull_varattnos((Node *) info->ii_Expressions, 1, &computed->reads);
	pull_varattnos((Node *) info->ii_Predicate, 1, &computed->reads);

	computed->nexprs = list_length(info->ii_Expressions);
	computed->typbyval = palloc(sizeof(bool) * (computed->nexprs + 1));
	computed->typlen = palloc(sizeof(int16) * (computed->nexprs + 1));
	foreach(lc, info->ii_Expressions)
	{
		get_typlenbyval(exprType(lfirst(lc)), &computed->typlen[i],
						&computed->typbyval[i]);
		i++;
	}
	if (info->ii_Predicate != NIL)
		computed->predicate = ExecPrepareQual(info->ii_Predicate,
											  state->estate);
	info->ii_ExpressionsState = ExecPrepareExprList(info->ii_Expressions,
													state->estate);
	state->computed = lappend(state->computed, computed);
}

/*
 * Done with the state.  After an error its expressions may be half-way
 * through something; it is made anew next time.
 */
static void
hot_state_release(HotState *state, bool failed)
{
	ExecClearTuple(state->old_slot);
	state->in_use = false;
	if (state->stale)
		MemoryContextDelete(state->context);	/* nobody points to it */
	else if (failed)
	{
		HASH_SEQ_STATUS seq;
		HotEntry   *entry;

		hash_seq_init(&seq, hot_states);
		while ((entry = hash_seq_search(&seq)) != NULL)
		{
			if (entry->state == state)
				hot_entry_forget(entry);
		}
	}
	else
		ResetPerTupleExprContext(state->estate);
}

static void
hot_relation_changed(Oid relid)
{
	HotEntry   *entry;

	invalidations++;
	if (OidIsValid(relid))
	{
		entry = hash_search(hot_states, &relid, HASH_FIND, NULL);
		if (entry != NULL)
			hot_entry_forget(entry);
	}
	else
	{
		HASH_SEQ_STATUS seq;

		hash_seq_init(&seq, hot_states);
		while ((entry = hash_seq_search(&seq)) != NULL)
			hot_entry_forget(entry);
	}
}

static void
hot_function_changed(Datum arg, int cache, uint32 hash)
{
	hot_relation_changed(InvalidOid);
}

/*
 * Drop an entry's state; if it is in use, its user drops it.
 */
static void
hot_entry_forget(HotEntry *entry)
{
	HotState   *state = entry->state;

	entry->state = NULL;
	if (state == NULL)
		return;
	if (state->in_use)
		state->stale = true;
	else
		MemoryContextDelete(state->context);
}

/*
 * entries_stay() with everything at hand.
 */
static bool
compare_versions(HotState *state, Relation rel, ItemPointer otid,
				 TupleTableSlot *slot)
{
	HeapTupleHeader old;
	ListCell   *lc;
	int			bit = -1;

	state->compared = false;

	/* Without expressions and predicates, our rule is heap's. */
	if (state->computed == NIL)
		return false;

	if (!table_tuple_fetch_row_version(rel, otid, SnapshotAny,
									   state->old_slot))
		return false;

	/*
	 * If somebody has updated or deleted it, heap_update() is going to fail
	 * or to wait.  Leave that to it; evaluating expressions on a new tuple
	 * that may never be stored could fail needlessly.
	 */
	old = ((BufferHeapTupleTableSlot *) state->old_slot)->base.tuple->t_data;
	if (!(old->t_infomask & HEAP_XMAX_INVALID) &&
		!HEAP_XMAX_IS_LOCKED_ONLY(old->t_infomask))
		return false;

	state->compared = true;
	slot->tts_tableOid = RelationGetRelid(rel);
	while ((bit = bms_next_member(state->plain, bit)) >= 0)
	{
		if (!column_stays(state, slot,
						  bit + FirstLowInvalidHeapAttributeNumber))
			return false;
	}
	foreach(lc, state->computed)
	{
		if (!index_stays(state, lfirst(lc), slot))
			return false;
	}
	return true;
}

/*
 * As heap compares columns: stored bytes, nothing is detoasted.
 */
static bool
column_stays(HotState *state, TupleTableSlot *new, int attno)
{
	Form_pg_attribute att;
	Datum		old_value,
				new_value;
	bool		old_isnull,
				new_isnull;

	if (attno <= 0)
		return false;
	att = TupleDescAttr(state->old_slot->tts_tupleDescriptor, attno - 1);
	old_value = slot_getattr(state->old_slot, attno, &old_isnull);
	new_value = slot_getattr(new, attno, &new_isnull);
	if (old_isnull || new_isnull)
		return old_isnull == new_isnull;
	return datumIsEqual(old_value, new_value, att->attbyval, att->attlen);
}

/*
 * Would the new tuple have the same entry in this index as the old one, or
 * neither one have any?
 */
static bool
index_stays(HotState *state, ComputedIndex *index, TupleTableSlot *new)
{
	ExprContext *econtext = GetPerTupleExprContext(state->estate);
	Datum		values[2][INDEX_MAX_KEYS];
	bool		isnull[2][INDEX_MAX_KEYS];
	bool		entered[2];
	bool		changed = false;
	int			bit = -1;
	int			expr = 0;

	while (!changed && (bit = bms_next_member(index->reads, bit)) >= 0)
		changed = !column_stays(state, new,
								bit + FirstLowInvalidHeapAttributeNumber);
	if (!changed)
		return true;

	/*
	 * Not valid: never evaluated: otherwise a row that made its build fail
	 * could not be repaired, since its old version would fail again.
	 */
	if (!index->usable)
	{
		state->compared = false;
		return false;
	}

	for (int i = 0; i < 2; i++)
	{
		econtext->ecxt_scantuple = i == 0 ? state->old_slot : new;
		entered[i] = ExecQual(index->predicate, econtext);
	}
	if (entered[0] != entered[1])
		return false;
	if (!entered[0])
		return true;

	for (int i = 0; i < 2; i++)
	{
		econtext->ecxt_scantuple = i == 0 ? state->old_slot : new;
		FormIndexDatum(index->info, econtext->ecxt_scantuple, state->estate,
					   values[i], isnull[i]);
	}

	/* Plain columns have been compared already. */
	for (int col = 0; col < index->info->ii_NumIndexAttrs; col++)
	{
		if (index->info->ii_IndexAttrNumbers[col] != 0)
			continue;
		if (isnull[0][col] != isnull[1][col])
			return false;
		if (!isnull[0][col] &&
			!datum_image_eq(values[0][col], values[1][col],
							index->typbyval[expr], index->typlen[expr]))
			return false;
		expr++;
	}
	return true;
}
