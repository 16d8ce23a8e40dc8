/*-------------------------------------------------------------------------
 *
 * engine_scan.c
 *	  Query and Scan: from the terms of a request to bounds on the columns of
 *	  an index, and from the index's entries to items.
 *
 * A table is read through its primary index, columns (pk, sk); a secondary
 * index has (hash of the partition key, RANGE attributes ..., tie-breaker), the
 * tie-breaker being a hash of the table's key.  Both are in the order in which
 * the service returns items.
 *
 * A page goes on after ExclusiveStartKey by one row condition on the columns
 * that the request does not hold equal:
 *
 *		Query  pk = x, sk < y		pk = x, (sk) > (start), sk < y
 *		Scan						(pk, sk) > (start, start)
 *		Query on an index			hash = x, (range, tie) >= (start, start)
 *
 * The last is not ">".  The service's hash runs the two parts of the table's
 * key together, so items ("a", "bc") and ("ab", "c") have one tie-breaker, and
 * if their index keys are equal, too, the index holds them in no particular
 * order.  Both hashes have 4 bytes, so other items can meet by chance.  We
 * return such a group sorted by table key, whatever it is in the index, and
 * leave out what comes before the start in that order.  A scan of a secondary
 * index reads one entry ahead to find the end of a group.  Otherwise a page
 * that ends inside a group would lose or repeat some of it.  A group can be as
 * large as there are ways to cut a string in two, so only its keys are kept;
 * its items are fetched when their turn comes.
 *
 * A Query of an index leaves out the items of other partitions whose hash is
 * the same.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "base/base_budget.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

struct EngineScan
{
	EngineTable *table;
	const IndexDef *index;
	bool		backward;
	Snapshot	snapshot;		/* registered */
	EngineCursor *cursor;		/* NULL: nothing can match */
	bool		at_end;			/* of the cursor */
	MemoryContext context;		/* holds all of the scan */

	/* An item read from the cursor lives in one of two places. */
	MemoryContext places[2];
	int			place;			/* where the next one goes */

	/* Secondary index only. */
	int			nhash;			/* 0: Scan */
	ItemValue	hash[DYNAMO_MAX_KEY_ATTRS];
	const Item *ahead;			/* read, but not returned yet */
	const Item *start;			/* ExclusiveStartKey; NULL once left behind */
	MemoryContext group_context;
	List	   *group;			/* of TableKey: what remains of a group, the
								 * next one last */
	MemoryContext group_item;	/* holds its member last returned */
};

static bool reads_partition(const EngineScanSpec *spec);
static void set_bounds(EngineRange *range, const TableDef *def,
					   const EngineScanSpec *spec, bool *empty);
static int	query_bounds(EngineRange *range, const EngineScanSpec *spec);
static void range_bounds(EngineRange *range, const EngineScanSpec *spec,
						 int column);
static void segment_bounds(EngineRange *range, const EngineScanSpec *spec);
static Datum segment_bound(const EngineScanSpec *spec, int segment);
static void start_bound(EngineRange *range, const TableDef *def,
						const EngineScanSpec *spec, int column, bool *empty);
static int	key_columns(const TableDef *def, const IndexDef *index,
						const Item *item, Datum *values);
static Datum sort_column(const EngineScanSpec *spec, const ItemValue *value);
static void add_bound(EngineRange *range, int column, StrategyNumber compare,
					  Datum value);
static uint64 segment_hash(int segment, int total);
static const Item *read_item(EngineScan *scan);
static bool in_partition(const EngineScan *scan, const Item *item);
static const Item *next_in_order(EngineScan *scan);
static void collect_group(EngineScan *scan, const Item *first);
static void add_to_group(EngineScan *scan, const Item *item);
static const Item *next_of_group(EngineScan *scan);
static const Item *fetch_last(EngineScan *scan);
static int	group_order(const ListCell *a, const ListCell *b);
static int	group_order_reversed(const ListCell *a, const ListCell *b);
static bool same_group(EngineScan *scan, const Item *a, const Item *b);
static int32 tie_breaker(const TableDef *def, const Item *item);
static int32 index_hash(const IndexDef *index, const Item *item);
static bool same_bytes(const ItemValue *a, const ItemValue *b);
static bool before_start(EngineScan *scan, const Item *item);

/*
 * Refuse to read from an index that has no btree of its own: it is still being
 * built (ValidationException, as on the service), or another index has the name
 * that its btree would get (55000).
 */
void
engine_check_index(const EngineTable *table, const IndexDef *index)
{
	if (OidIsValid(index->relid))
		return;
	if (index->taken)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" of table \"%s\" cannot be read: another index has its name",
						index->name, table->def->name),
				 errdetail("The one on relation \"%s\" is not what the definition asks for.",
						   RelationGetRelationName(table->rel)),
				 errhint("Rename or drop it.")));
	dynamo_error(DYNAMO_VALIDATION,
				 "Cannot read from backfilling global secondary index: %s",
				 index->name);
}

/*
 * Begin a Query or a Scan; NULL: the request is to be executed on another node.
 * The scan has a context of its own below the current one, and keeps nothing of
 * "spec".  The table must stay open until engine_scan_end().
 *
 * All items are as of one snapshot, the active one if there is one, registered
 * here: so a page may be read while others write, and no item of it is seen
 * twice or in two versions.  (Of a distributed table: engine_spi_scan.c.)  From
 * page to page the snapshot is another; then ExclusiveStartKey alone carries on,
 * and an item whose index key changes between two pages may be met twice or not
 * at all, as on the service.
 *
 * No row is locked.  Until the end the snapshot holds vacuum back.
 */
EngineScan *
engine_scan_begin(EngineTable *table, const EngineScanSpec *spec)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo scan",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	EngineScan *scan = palloc0(sizeof(EngineScan));
	EngineRange *range = palloc0(sizeof(EngineRange));
	bool		empty = false;

	if (spec->index != NULL)
		engine_check_index(table, spec->index);
	if (reads_partition(spec) &&
		!engine_use_shard(table,
						  PointerGetDatum(item_partition_key(spec->hash, 1))))
	{
		MemoryContextSwitchTo(caller);
		MemoryContextDelete(context);
		return NULL;
	}
	scan->table = table;
	scan->index = spec->index == NULL ? NULL :
		schema_find_index(table->def, spec->index->name);
	scan->backward = spec->backward;
	scan->context = context;
	for (int i = 0; i < 2; i++)
		scan->places[i] = AllocSetContextCreate(context, "dynamo scan item",
												ALLOCSET_SMALL_SIZES);
	if (spec->index != NULL && spec->start_after != NULL)
		scan->start = item_copy(spec->start_after);
	for (int i = 0; spec->index != NULL && i < spec->nhash; i++)
	{
		ItemValue  *copy = &scan->hash[scan->nhash++];

		*copy = spec->hash[i];
		copy->data = memcpy(palloc(Max(copy->len, 1)), copy->data, copy->len);
	}

	range->index = scan->index;
	range->backward = spec->backward;
	set_bounds(range, table->def, spec, &empty);
	if (!empty)
	{
		scan->snapshot = RegisterSnapshot(table->past != NULL ?
										  engine_past_snapshot() :
										  ActiveSnapshotSet() ?
										  GetActiveSnapshot() :
										  GetTransactionSnapshot());
		if (table->leading != NIL)
			engine_use_store(table, reads_partition(spec) &&
							 engine_leads(table, &spec->hash[0]));
		scan->cursor = engine_begin(table, range, scan->snapshot);
	}
	MemoryContextSwitchTo(caller);
	return scan;
}

/*
 * Is all of it of one partition of the table?
 */
static bool
reads_partition(const EngineScanSpec *spec)
{
	return spec->nhash == 1 && (spec->index == NULL || spec->index->local);
}

/*
 * The next item, NULL at the end; it lives until the next call.  Those of the
 * last page that lie in one group with the start are passed over here.
 */
const Item *
engine_scan_next(EngineScan *scan)
{
	const Item *item;

	do
	{
		CHECK_FOR_INTERRUPTS();
		item = scan->index ? next_in_order(scan) : read_item(scan);
	} while (item != NULL && scan->start != NULL && before_start(scan, item));
	return item;
}

/*
 * End the scan, at its end or before.
 */
void
engine_scan_end(EngineScan *scan)
{
	if (scan->cursor)
		scan->table->store->end(scan->cursor);
	if (scan->snapshot)
		UnregisterSnapshot(scan->snapshot);
	MemoryContextDelete(scan->context);
}

/*
 * The bounds of a scan, ordered by column, and in a column the row condition
 * first, from which nbtree then starts.
 */
static void
set_bounds(EngineRange *range, const TableDef *def,
		   const EngineScanSpec *spec, bool *empty)
{
	int			column = spec->nhash > 0 ? query_bounds(range, spec) : 1;

	if (spec->start_after != NULL)
		start_bound(range, def, spec, column, empty);
	if (spec->nhash > 0)
		range_bounds(range, spec, column);
	else if (spec->total_segments > 0)
		segment_bounds(range, spec);
}

/*
 * The columns a Query holds equal.  Returns the first one it does not.
 */
static int
query_bounds(EngineRange *range, const EngineScanSpec *spec)
{
	int			column = 1;

	add_bound(range, column++, BTEqualStrategyNumber,
			  spec->index ?
			  Int32GetDatum(item_index_hash(spec->hash, spec->nhash)) :
			  PointerGetDatum(item_partition_key(spec->hash, spec->nhash)));
	for (int i = 0; i < spec->nequal; i++)
		add_bound(range, column++, BTEqualStrategyNumber,
				  sort_column(spec, &spec->equal[i]));
	if (spec->op == EXPR_KEY_EQ)
		add_bound(range, column++, BTEqualStrategyNumber,
				  sort_column(spec, &spec->low));
	return column;
}

/*
 * The bounds of a Query on the one column that it does not hold equal, if it has
 * any.  No key may come after all that begin with a prefix (only 0xff bytes):
 * then there is no upper bound.
 */
static void
range_bounds(EngineRange *range, const EngineScanSpec *spec, int column)
{
	static const StrategyNumber compares[] = {
		[EXPR_KEY_LT] = BTLessStrategyNumber,
		[EXPR_KEY_LE] = BTLessEqualStrategyNumber,
		[EXPR_KEY_GT] = BTGreaterStrategyNumber,
		[EXPR_KEY_GE] = BTGreaterEqualStrategyNumber,
		[EXPR_KEY_BETWEEN] = BTGreaterEqualStrategyNumber,
		[EXPR_KEY_BEGINS_WITH] = BTGreaterEqualStrategyNumber,
	};
	struct varlena *after;

	if (spec->op == EXPR_KEY_NONE || spec->op == EXPR_KEY_EQ)
		return;
	add_bound(range, column, compares[spec->op],
			  sort_column(spec, &spec->low));
	if (spec->op == EXPR_KEY_BETWEEN)
		add_bound(range, column, BTLessEqualStrategyNumber,
				  sort_column(spec, &spec->high));
	if (spec->op == EXPR_KEY_BEGINS_WITH)
	{
		after = spec->index ? item_index_sort_key_after_prefix(&spec->low) :
			item_sort_key_after_prefix(&spec->low);
		if (after != NULL)
			add_bound(range, column, BTLessStrategyNumber, PointerGetDatum(after));
	}
}

/*
 * The bounds of one segment of a parallel Scan.  The segments divide all hashes
 * of partition keys: each item is in one of them and no other.
 */
static void
segment_bounds(EngineRange *range, const EngineScanSpec *spec)
{
	if (spec->segment > 0)
		add_bound(range, 1, BTGreaterEqualStrategyNumber,
				  segment_bound(spec, spec->segment));
	if (spec->segment + 1 < spec->total_segments)
		add_bound(range, 1, BTLessStrategyNumber,
				  segment_bound(spec, spec->segment + 1));
}

/*
 * The first value of a segment as the first column of what is scanned has it.
 */
static Datum
segment_bound(const EngineScanSpec *spec, int segment)
{
	uint64		hash = segment_hash(segment, spec->total_segments);

	return spec->index ? Int32GetDatum(item_index_bound(hash)) :
		PointerGetDatum(item_partition_key_bound(hash));
}

/*
 * Where the last page ended.  "column" is the first one that is not held
 * equal; if there is none, at most one item could have been on that page.
 */
static void
start_bound(EngineRange *range, const TableDef *def,
			const EngineScanSpec *spec, int column, bool *empty)
{
	EngineBound *bound = &range->bounds[range->nbounds];
	Datum		values[ENGINE_MAX_COLUMNS];
	int			ncolumns = key_columns(def, spec->index, spec->start_after,
									   values);

	if (column > ncolumns)
	{
		*empty = true;
		return;
	}
	if (spec->index != NULL)
		bound->compare = spec->backward ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber;
	else
		bound->compare = spec->backward ? BTLessStrategyNumber : BTGreaterStrategyNumber;
	bound->column = column;
	bound->nvalues = ncolumns - column + 1;
	memcpy(bound->values, &values[column - 1],
		   sizeof(Datum) * bound->nvalues);
	range->nbounds++;
}

/*
 * What an item's entry in an index has in its columns.  Returns their number.
 */
static int
key_columns(const TableDef *def, const IndexDef *index, const Item *item,
			Datum *values)
{
	int			n = 0;

	if (index == NULL)
	{
		TableKey   *key = key_stored(def, item);

		values[n++] = PointerGetDatum(key->pk);
		if (key->sk != NULL)
			values[n++] = PointerGetDatum(key->sk);
		return n;
	}

	values[n++] = Int32GetDatum(index_hash(index, item));
	for (int i = 0; i < index->nrange; i++)
	{
		ItemValue	range = key_stored_attr(item, &index->range[i]);

		values[n++] = PointerGetDatum(item_index_sort_key(&range));
	}
	values[n++] = Int32GetDatum(tie_breaker(def, item));
	return n;
}

/*
 * A sort key as a column of what is scanned has it.
 */
static Datum
sort_column(const EngineScanSpec *spec, const ItemValue *value)
{
	return spec->index ? PointerGetDatum(item_index_sort_key(value)) :
		PointerGetDatum(item_sort_key(value));
}

/*
 * Add a condition on one column.  ENGINE_MAX_BOUNDS is enough for any spec.
 */
static void
add_bound(EngineRange *range, int column, StrategyNumber compare, Datum value)
{
	EngineBound *bound = &range->bounds[range->nbounds++];

	Assert(range->nbounds <= ENGINE_MAX_BOUNDS);
	bound->column = column;
	bound->compare = compare;
	bound->nvalues = 1;
	bound->values[0] = value;
}

/*
 * Where a segment begins.  The service divides by the first 12 bits of the
 * hash; more segments than that many bits can tell apart take 32.
 */
static uint64
segment_hash(int segment, int total)
{
	int			bits = total <= 4096 ? 12 : 32;
	uint64		first = (((uint64) segment << bits) + total - 1) / total;

	return first << (64 - bits);
}

/*
 * Is a partition key with this hash in the scan's segment?
 */
bool
engine_in_segment(const EngineScanSpec *spec, uint64 hash)
{
	int			total = spec->total_segments;

	return hash >= segment_hash(spec->segment, total) &&
		(spec->segment + 1 == total ||
		 hash < segment_hash(spec->segment + 1, total));
}

/*
 * How many bytes has a Scan before it, or one of its segments: of the table, or
 * of the index's entries?  As the files are, not as statistics say; 0: not
 * known, for the store is not the local one.
 */
uint64
engine_scan_bytes(const EngineTable *table, const EngineScanSpec *spec)
{
	uint64		blocks;

	if (table->store != &engine_local_store)
		return 0;
	if (spec->index != NULL)
	{
		Relation	index = index_open(spec->index->relid, AccessShareLock);

		blocks = RelationGetNumberOfBlocks(index);
		index_close(index, NoLock);
	}
	else
		blocks = RelationGetNumberOfBlocks(table->rel);
	return blocks * BLCKSZ / Max(spec->total_segments, 1);
}

/*
 * The next item of the cursor, in the place whose turn it is.
 */
static const Item *
read_item(EngineScan *scan)
{
	MemoryContext place = scan->places[scan->place];
	MemoryContext caller;
	const Item *item;

	/* Asked once more after its end, an index scan would start again. */
	if (scan->cursor == NULL || scan->at_end)
		return NULL;
	caller = MemoryContextSwitchTo(scan->context);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(place);
		item = scan->table->store->next(scan->cursor, scan->place, place);
		if (item == NULL || in_partition(scan, item))
			break;

		/* The client never sees it, so it counts here. */
		dynamo_budget_spend(scan->table->request, VARSIZE_ANY(item));
	}
	scan->at_end = item == NULL;
	MemoryContextSwitchTo(caller);
	return item;
}

/*
 * Has the item the partition key that the Query of an index asks for, and not
 * just its hash?
 */
static bool
in_partition(const EngineScan *scan, const Item *item)
{
	for (int i = 0; i < scan->nhash; i++)
	{
		ItemValue	value = key_stored_attr(item, &scan->index->hash[i]);

		if (!same_bytes(&value, &scan->hash[i]))
			return false;
	}
	return true;
}

/*
 * The next item of a secondary index, groups sorted.
 *
 * Two places take turns, so that the item returned and the one read ahead both
 * live: "ahead" lies in scan->place, and what is read after it goes to the other.
 */
static const Item *
next_in_order(EngineScan *scan)
{
	const Item *item = next_of_group(scan);

	if (item != NULL)
		return item;

	item = scan->ahead ? scan->ahead : read_item(scan);
	scan->ahead = NULL;
	if (item == NULL)
		return NULL;

	/* What was read ahead lies in the other place. */
	scan->place = 1 - scan->place;
	scan->ahead = read_item(scan);
	if (scan->ahead == NULL || !same_group(scan, item, scan->ahead))
		return item;

	collect_group(scan, item);
	item = next_of_group(scan);
	return item != NULL ? item : next_in_order(scan);
}

/*
 * Collect the group that "first" and the item read ahead belong to, and read
 * ahead to the first that does not.
 */
static void
collect_group(EngineScan *scan, const Item *first)
{
	if (scan->group_context == NULL)
	{
		scan->group_context = AllocSetContextCreate(scan->context,
													"dynamo scan group",
													ALLOCSET_DEFAULT_SIZES);
		scan->group_item = AllocSetContextCreate(scan->context,
												 "dynamo scan group item",
												 ALLOCSET_DEFAULT_SIZES);
	}
	MemoryContextReset(scan->group_context);
	add_to_group(scan, first);
	while (scan->ahead != NULL && same_group(scan, first, scan->ahead))
	{
		CHECK_FOR_INTERRUPTS();
		add_to_group(scan, scan->ahead);
		scan->ahead = read_item(scan);
	}

	/* The item read ahead stays; reading on uses the other place. */
	list_sort(scan->group, scan->backward ? group_order : group_order_reversed);
}

/*
 * Keep an item's key.  The item counts as read, and once more if it is fetched
 * when its turn comes.
 */
static void
add_to_group(EngineScan *scan, const Item *item)
{
	MemoryContext caller;
	Item	   *key_item;

	dynamo_budget_spend(scan->table->request, VARSIZE_ANY(item));
	caller = MemoryContextSwitchTo(scan->group_context);
	key_item = key_as_item(scan->table->def, NULL, item);
	scan->group = lappend(scan->group, key_stored(scan->table->def, key_item));
	MemoryContextSwitchTo(caller);
}

/*
 * NULL: there are no more.  Of a distributed table, which has no snapshot, an
 * item may have gone since.
 */
static const Item *
next_of_group(EngineScan *scan)
{
	const Item *item = NULL;

	while (item == NULL && scan->group != NIL)
	{
		CHECK_FOR_INTERRUPTS();
		item = fetch_last(scan);
		if (item == NULL && !scan->table->def->distributed)
			elog(ERROR, "item disappeared from a snapshot");
	}
	return item;
}

/*
 * Take the last key off the group's list and fetch its item, under the scan's
 * own snapshot: it is the version whose entry was read.
 */
static const Item *
fetch_last(EngineScan *scan)
{
	TableKey   *key = llast(scan->group);
	MemoryContext caller;
	EngineRow	row;

	scan->group = list_delete_last(scan->group);
	MemoryContextReset(scan->group_item);
	caller = MemoryContextSwitchTo(scan->group_item);
	PushActiveSnapshot(scan->snapshot);
	scan->table->store->fetch(scan->table, key, &row);
	PopActiveSnapshot();
	MemoryContextSwitchTo(caller);
	return row.item;
}

/*
 * The order of a group's members by table key.  The list is taken from its end,
 * so a forward scan sorts it in reverse.
 */
static int
group_order(const ListCell *a, const ListCell *b)
{
	return key_compare(lfirst(a), lfirst(b));
}

static int
group_order_reversed(const ListCell *a, const ListCell *b)
{
	return group_order(b, a);
}

/*
 * Have two items equal values in all columns of the index?
 */
static bool
same_group(EngineScan *scan, const Item *a, const Item *b)
{
	const TableDef *def = scan->table->def;
	const IndexDef *index = scan->index;

	for (int i = 0; i < index->nrange; i++)
	{
		ItemValue	left = key_stored_attr(a, &index->range[i]);
		ItemValue	right = key_stored_attr(b, &index->range[i]);

		if (!same_bytes(&left, &right))
			return false;
	}
	return tie_breaker(def, a) == tie_breaker(def, b) &&
		(scan->nhash > 0 || index_hash(index, a) == index_hash(index, b));
}

/*
 * The last column of an item's entry, and the first: computed from the item,
 * since entries of an index are not returned by a scan.
 */
static int32
tie_breaker(const TableDef *def, const Item *item)
{
	ItemValue	hash = key_stored_attr(item, &def->hash);
	ItemValue	range;

	if (def->range.name == NULL)
		return item_key_hash(&hash, NULL);
	range = key_stored_attr(item, &def->range);
	return item_key_hash(&hash, &range);
}

static int32
index_hash(const IndexDef *index, const Item *item)
{
	ItemValue	values[DYNAMO_MAX_KEY_ATTRS];

	for (int i = 0; i < index->nhash; i++)
		values[i] = key_stored_attr(item, &index->hash[i]);
	return item_index_hash(values, index->nhash);
}

/*
 * Values of one type.
 */
static bool
same_bytes(const ItemValue *a, const ItemValue *b)
{
	return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/*
 * Was the item, of the first ones read, on a page before?  The bound lets in all
 * items that are equal to the start in the index's columns; of these, the ones
 * up to the start in the order of table keys have been returned.  The first item
 * beyond them ends the search: "start" is forgotten.
 */
static bool
before_start(EngineScan *scan, const Item *item)
{
	MemoryContext place = scan->group_item ? scan->group_item : scan->context;
	MemoryContext caller = MemoryContextSwitchTo(place);
	const TableDef *def = scan->table->def;
	int			order = key_compare(key_stored(def, item),
									key_stored(def, scan->start));
	bool		same = order == 0 || same_group(scan, item, scan->start);

	MemoryContextSwitchTo(caller);
	if (!same)
		scan->start = NULL;
	return same && (scan->backward ? order >= 0 : order <= 0);
}
