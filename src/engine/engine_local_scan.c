/*-------------------------------------------------------------------------
 *
 * engine_local_scan.c
 *	  Index scans of the local store.
 *
 * Scan keys are made without looking anything up: the functions that compare
 * are known, so FmgrInfos point to them.  nbtree positions by the operator
 * class's own comparison, which is the same.
 *
 * A row condition becomes nbtree's row comparison key, with which it descends
 * straight to where a page begins, however many entries have equal leading
 * columns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "am/am.h"
#include "engine/engine_internal.h"
#include "executor/instrument.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"

struct EngineCursor
{
	EngineTable *table;
	Relation	index;
	bool		own_index;		/* close it at the end */
	IndexScanDesc scan;
	ScanDirection direction;
	AmAhead		ahead;
	TupleTableSlot *slots[2];
};

static void set_key(ScanKey scankey, int flags, int column,
					StrategyNumber compare, PGFunction function, Datum value);
static void set_row(ScanKey scankey, const EngineRange *range,
					const EngineBound *bound);
static PGFunction comparison(const EngineRange *range, int column,
							 StrategyNumber compare);
static Datum key_cmp(PG_FUNCTION_ARGS);
static Datum key_lt(PG_FUNCTION_ARGS);
static Datum key_le(PG_FUNCTION_ARGS);
static Datum key_eq(PG_FUNCTION_ARGS);
static Datum key_ge(PG_FUNCTION_ARGS);
static Datum key_gt(PG_FUNCTION_ARGS);

/* Indexed by StrategyNumber; 0 is the three-way comparison. */
static const PGFunction key_functions[] = {
	key_cmp, key_lt, key_le, key_eq, key_ge, key_gt
};
static const PGFunction int4_functions[] = {
	btint4cmp, int4lt, int4le, int4eq, int4ge, int4gt
};
static const PGFunction int8_functions[] = {
	btint8cmp, int8lt, int8le, int8eq, int8ge, int8gt
};

/*
 * A scan key for a column that is a partition key or a sort key.
 */
void
engine_local_key(ScanKey scankey, int column, StrategyNumber compare,
				 Datum value)
{
	set_key(scankey, 0, column, compare, key_functions[compare], value);
}

/*
 * EngineStore.begin
 *
 * The cursor and all it needs are allocated in the current context, which lives
 * as long as the scan, and belong to the current resource owner.  The values of
 * "range" are used where they are: nbtree keeps pointers to them.
 *
 * The snapshot is registered, so what it sees stays: neither pruning nor vacuum
 * removes a version of a row, or a value of its TOAST table, before the scan
 * ends.  Rows written meanwhile, by us or by others, are not seen.  A page of
 * the index may be split under the scan; that is nbtree's to know.
 *
 * A secondary index is locked until the end of the transaction.  With the lock
 * on the relation it is still the one of the definition.
 */
EngineCursor *
engine_local_begin(EngineTable *table, const EngineRange *range,
				   Snapshot snapshot)
{
	EngineCursor *cursor = palloc0(sizeof(EngineCursor));
	ScanKeyData scankeys[ENGINE_MAX_BOUNDS];

	cursor->table = table;
	cursor->direction = range->backward ? BackwardScanDirection :
		ForwardScanDirection;
	cursor->own_index = range->index != NULL || range->expiry;
	cursor->index = cursor->own_index ?
		index_open(range->index ? range->index->relid :
				   table->def->ttl_relid, AccessShareLock) :
		engine_local_primary(table);
	if (schema_index_lacks_versions(cursor->index, snapshot))
	{
		if (cursor->own_index)
			index_close(cursor->index, NoLock);
		return NULL;
	}

	for (int i = 0; i < range->nbounds; i++)
	{
		const EngineBound *bound = &range->bounds[i];

		if (bound->nvalues > 1)
			set_row(&scankeys[i], range, bound);
		else
			set_key(&scankeys[i], 0, bound->column, bound->compare,
					comparison(range, bound->column, bound->compare),
					bound->values[0]);
	}
	cursor->scan = compat_index_beginscan(table->rel, cursor->index, snapshot,
										  range->nbounds);
	index_rescan(cursor->scan, scankeys, range->nbounds, NULL, 0);
	for (int i = 0; i < 2; i++)
		cursor->slots[i] = table_slot_create(table->rel, NULL);
	return cursor;
}

/*
 * EngineStore.next
 *
 * Returns an item that lies in its page, pinned by the slot of "place", or in
 * "context" if it had to be unpacked.  Either way it is good until this place
 * is used again.  So at most two pages of the relation are pinned, and no page
 * is locked, while the caller looks at items: one that reads slowly, as by a
 * cursor of SQL, holds up no session, and vacuum passes over these two pages
 * unless it has to freeze them.
 */
const Item *
engine_local_next(EngineCursor *cursor, int place, MemoryContext context)
{
	TupleTableSlot *slot = cursor->slots[place];
	int64		read = pgBufferUsage.shared_blks_read;
	MemoryContext caller;
	const Item *item;

	if (!index_getnext_slot(cursor->scan, cursor->direction, slot))
		return NULL;
	if (cursor->ahead.wanted || pgBufferUsage.shared_blks_read != read)
		am_look_ahead(&cursor->ahead, cursor->scan, cursor->direction,
					  &slot->tts_tid);
	caller = MemoryContextSwitchTo(context);
	item = engine_local_item(cursor->table, slot, false);
	MemoryContextSwitchTo(caller);
	return item;
}

/*
 * EngineStore.end
 *
 * The index's lock is kept to the end of the transaction.  After an error this
 * is not called: the resource owner ends the scan.
 */
void
engine_local_end(EngineCursor *cursor)
{
	index_endscan(cursor->scan);
	for (int i = 0; i < 2; i++)
		ExecDropSingleTupleTableSlot(cursor->slots[i]);
	if (cursor->own_index)
		index_close(cursor->index, NoLock);
}

/*
 * A scan key.  sk_subtype stays InvalidOid: the operands have the type of the
 * operator class, so nbtree takes the strategy and the function as they are.
 */
static void
set_key(ScanKey scankey, int flags, int column, StrategyNumber compare,
		PGFunction function, Datum value)
{
	memset(scankey, 0, sizeof(ScanKeyData));
	scankey->sk_flags = flags;
	scankey->sk_attno = column;
	scankey->sk_strategy = compare;
	scankey->sk_func.fn_addr = function;
	scankey->sk_func.fn_nargs = 2;
	scankey->sk_func.fn_strict = true;
	scankey->sk_func.fn_mcxt = CurrentMemoryContext;
	scankey->sk_argument = value;
}

/*
 * A row comparison, in the form that nbtree takes: a header, whose argument is
 * the array of its members.  All have one strategy, the last one SK_ROW_END.
 * Members are compared by the three-way function, the header by none.
 */
static void
set_row(ScanKey scankey, const EngineRange *range, const EngineBound *bound)
{
	ScanKey		members = palloc(sizeof(ScanKeyData) * bound->nvalues);

	for (int i = 0; i < bound->nvalues; i++)
	{
		int			column = bound->column + i;

		set_key(&members[i],
				SK_ROW_MEMBER | (i == bound->nvalues - 1 ? SK_ROW_END : 0),
				column, bound->compare, comparison(range, column, 0),
				bound->values[i]);
	}
	set_key(scankey, SK_ROW_HEADER, bound->column, bound->compare, NULL,
			PointerGetDatum(members));
}

/*
 * What compares values of a column.  An index has sort keys between two
 * integers.
 */
static PGFunction
comparison(const EngineRange *range, int column, StrategyNumber compare)
{
	if (range->expiry)
		return (column == 1 ? int8_functions : int4_functions)[compare];
	if (range->index != NULL &&
		(column == 1 || column == range->index->nrange + 2))
		return int4_functions[compare];
	return key_functions[compare];
}

/*
 * Partition keys and sort keys, also those of indexes, are ordered by bytes.  An
 * entry of an index may be compressed.
 */
static int
compare_keys(FunctionCallInfo fcinfo)
{
	ItemSortKey *a = (ItemSortKey *) PG_GETARG_VARLENA_PP(0);
	ItemSortKey *b = (ItemSortKey *) PG_GETARG_VARLENA_PP(1);
	int			order = item_sort_key_compare(a, b);

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

static Datum
key_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_keys(fcinfo));
}

static Datum
key_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_keys(fcinfo) < 0);
}

static Datum
key_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_keys(fcinfo) <= 0);
}

static Datum
key_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_keys(fcinfo) == 0);
}

static Datum
key_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_keys(fcinfo) >= 0);
}

static Datum
key_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_keys(fcinfo) > 0);
}
