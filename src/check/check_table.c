/*-------------------------------------------------------------------------
 *
 * check_table.c
 *	  Is a table what it should be?  Its pages, its items, its keys, its
 *	  indexes; and how its collections lie.
 *
 * One snapshot for all of it.  First the pages are read one by one
 * (am_check.c): each row's item must be readable and canonical, and each key
 * column what the item's attributes make of it.  Then each btree and each vector
 * index is read from end to end: what an entry holds must be what its row makes,
 * and the row must satisfy the index's predicate.
 *
 * That no row lacks its entry follows from sums: the rows that belong into an
 * index, counted and hashed by their places, must be those that its entries
 * led to, each once.  Only where they differ the rows are looked up one by one
 * to say which.  So a sound table is read once, in the order of its pages, and
 * no memory grows with it.
 *
 * Locking: AccessShareLock on the table and its indexes.  Writers go on.  Rows
 * of theirs that the snapshot does not see are not looked at, and what it sees
 * stays until it is released, entries included.
 *
 * Pages that are not sound are left out of the comparison of rows and entries:
 * following an entry there could read what is none.
 *
 * The order of entries within a btree is left to amcheck: the btrees are
 * core's own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "am/am.h"
#include "base/base_session.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "check/check.h"
#include "common/hashfn.h"
#include "engine/engine.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "vector/vector.h"

/* Rows by their places, in any order. */
typedef struct Tally
{
	int64		rows;
	uint64		sum;
} Tally;

/* An index of the table. */
typedef struct CheckIndex
{
	Relation	rel;
	const IndexDef *vectors;	/* what it keeps vectors of; NULL: a btree */
	IndexInfo  *info;
	ExprState  *predicate;
	Tally		page;			/* rows of the page that belong into it */
	Tally		belong;			/* ... and of all pages that are sound */
	Tally		found;			/* the rows that its entries led to */
} CheckIndex;

typedef struct Check
{
	AmCheck		pages;			/* first: its callbacks are given this */
	const TableDef *def;
	TableCheck *caller;
	EState	   *estate;
	TupleTableSlot *row;		/* from a page */
	TupleTableSlot *fetched;	/* by the index that is read */
	List	   *keys;			/* ExprStates, of the columns before the item */
	Bitmapset  *damaged[2];		/* blocks with a problem; from 2^31 on */
	List	   *indexes;		/* CheckIndexes */
	CheckIndex *index;			/* the one that is read */
	uint64		collection;		/* its last entry's */
	int			nhashes;		/* partition keys on the page */
	uint64		hashes[MaxHeapTuplesPerPage];
} Check;

/* Lines of one page of the table that entries lead to. */
typedef struct Sought
{
	BlockNumber block;
	bool		found;
	bool		lines[MaxHeapTuplesPerPage + 1];
} Sought;

/* A row under an attempt. */
typedef struct RowWork
{
	Check	   *check;
	const char *text;			/* what is wrong; NULL: nothing */
} RowWork;

static void open_indexes(Check *check);
static void tell_row(AmCheck *pages, BlockNumber block, OffsetNumber line,
					 const char *text);
static bool is_damaged(const Check *check, BlockNumber block);
static void check_row(AmCheck *pages, HeapTuple tuple);
static bool row_work(void *arg);
static const char *item_problem(Check *check);
static const char *key_problem(Check *check);
static bool belongs(Check *check, CheckIndex *index, TupleTableSlot *slot);
static void end_page(AmCheck *pages, BlockNumber block);
static int	hash_order(const void *a, const void *b);
static void check_index(Check *check);
static bool read_index(void *arg);
static bool read_vectors(void *arg);
static void take_vector(void *arg, const ItemPointerData *tid,
						const uint32 *tags, const float *elements);
static void tell_page(void *arg, BlockNumber block, const char *text);
static const IndexDef *vectors_of(const Check *check, Relation rel);
static VectorEntry *entry_of_row(Check *check, TupleTableSlot *slot);
static bool leads_nowhere(Check *check, const ItemPointerData *tid);
static bool has_entry(Check *check, IndexTuple entry,
					  const ItemPointerData *tid);
static void check_entry(Check *check, IndexTuple entry);
static bool entry_is(Check *check, IndexTuple entry, const Datum *values,
					 const bool *nulls);
static void count_row(Tally *tally, const ItemPointerData *tid);
static bool name_missing(void *arg);
static void ignore_problem(AmCheck *pages, BlockNumber block,
						   OffsetNumber line, const char *text);
static void look_up_row(AmCheck *pages, HeapTuple tuple);
static bool is_found(Check *check);
static bool is_found_vector(Check *check);
static void note_line(void *arg, const ItemPointerData *tid, const uint32 *tags,
					  const float *elements);
static IndexScanDesc begin_search(Check *check, const Datum *values,
								  const bool *nulls);
static void tell_index(Check *check, const ItemPointerData *tid,
					   const char *text);
static void report_problem(Check *check, Relation rel, BlockNumber block,
						   OffsetNumber line, const char *text);

/*
 * Check the table check->table, page by page and entry by entry: "problem" is
 * called for each piece of damage, and the members behind it count.  Only the
 * owner may; the table is locked as a reader locks it.
 */
void
check_whole_table(TableCheck *caller)
{
	Check		check = {.caller = caller};
	Relation	rel;
	DynamoUser	before;
	int			nest_level;
	ListCell   *lc;

	check.def = schema_table_open(caller->table, AccessShareLock, &rel);
	if (check.def == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(caller->table),
							   "Requested resource not found");
	schema_check_owner(check.def);
	if (check.def->distributed || rel->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" has its items in other relations",
						check.def->name)));

	/* Expressions of indexes may be the owner's, who must not become us. */
	dynamo_become(&before, rel->rd_rel->relowner,
				  SECURITY_RESTRICTED_OPERATION);
	nest_level = dynamo_pin_search_path();

	check.pages = (AmCheck)
	{
		.rel = rel, .problem = tell_row, .row = check_row,
			.page_read = end_page
	};
	check.pages.snapshot = RegisterSnapshot(GetActiveSnapshot());
	check.estate = CreateExecutorState();
	check.row = MakeSingleTupleTableSlot(RelationGetDescr(rel),
										 &TTSOpsHeapTuple);
	foreach(lc, schema_table_keys(check.def))
		check.keys = lappend(check.keys,
							 ExecPrepareExpr(lfirst(lc), check.estate));
	open_indexes(&check);

	am_check(&check.pages);
	caller->pages = check.pages.pages;
	caller->free = check.pages.free;
	caller->hidden = check.pages.hidden;
	foreach(lc, check.indexes)
	{
		check.index = lfirst(lc);
		check_index(&check);
		index_close(check.index->rel, NoLock);
	}

	ExecDropSingleTupleTableSlot(check.row);
	FreeExecutorState(check.estate);
	UnregisterSnapshot(check.pages.snapshot);
	AtEOXact_GUC(false, nest_level);
	dynamo_resume_user(&before);
	table_close(rel, NoLock);
}

/*
 * Those that serve reads.  One that is being built may lack rows, and one that
 * was built since the snapshot may lack versions.
 */
static void
open_indexes(Check *check)
{
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(check->pages.rel))
	{
		Relation	rel = index_open(lfirst_oid(lc), AccessShareLock);
		CheckIndex *index;

		const IndexDef *vectors = vectors_of(check, rel);

		if ((rel->rd_rel->relam != BTREE_AM_OID && vectors == NULL) ||
			!rel->rd_index->indisvalid ||
			schema_index_lacks_versions(rel, check->pages.snapshot) ||
			(check->caller->problem == NULL &&
			 RelationGetRelid(rel) != check->def->primary_relid))
		{
			index_close(rel, NoLock);
			continue;
		}
		index = palloc0(sizeof(CheckIndex));
		index->rel = rel;
		index->vectors = vectors;
		index->info = BuildIndexInfo(rel);
		index->predicate = ExecPrepareQual(index->info->ii_Predicate,
										   check->estate);
		check->indexes = lappend(check->indexes, index);
	}
}

/*
 * The pages
 */

static void
tell_row(AmCheck *pages, BlockNumber block, OffsetNumber line,
		 const char *text)
{
	Check	   *check = (Check *) pages;
	MemoryContext caller = MemoryContextSwitchTo(check->estate->es_query_cxt);

	check->damaged[block >> 31] = bms_add_member(check->damaged[block >> 31],
												 block & PG_INT32_MAX);
	MemoryContextSwitchTo(caller);
	report_problem(check, pages->rel, block, line, text);
}

static bool
is_damaged(const Check *check, BlockNumber block)
{
	return bms_is_member(block & PG_INT32_MAX, check->damaged[block >> 31]);
}

static void
check_row(AmCheck *pages, HeapTuple tuple)
{
	Check	   *check = (Check *) pages;
	RowWork		work = {.check = check};
	ErrorData  *error;

	ExecStoreHeapTuple(tuple, check->row, false);
	GetPerTupleExprContext(check->estate)->ecxt_scantuple = check->row;
	check->caller->items++;
	error = dynamo_attempt(row_work, &work);
	if (error != NULL)
	{
		dynamo_attempt_pass(error);
		work.text = error->message;
	}
	if (work.text != NULL)
		tell_row(pages, ItemPointerGetBlockNumber(&tuple->t_self),
				 ItemPointerGetOffsetNumber(&tuple->t_self), work.text);
	ResetPerTupleExprContext(check->estate);
}

/*
 * What an index holds is asked only of a row that is sound.
 */
static bool
row_work(void *arg)
{
	RowWork    *work = arg;
	Check	   *check = work->check;
	ListCell   *lc;

	work->text = item_problem(check);
	if (work->text == NULL)
		work->text = key_problem(check);
	if (work->text != NULL)
		return true;
	foreach(lc, check->indexes)
	{
		CheckIndex *index = lfirst(lc);

		if (belongs(check, index, check->row))
			count_row(&index->page, &check->row->tts_tid);
	}
	return true;
}

static const char *
item_problem(Check *check)
{
	bool		isnull;
	Datum		item = slot_getattr(check->row, SCHEMA_ATTR_ITEM(check->def),
									&isnull);

	if (isnull)
		return "row has no item";
	if (!item_is_sound(DatumGetItemP(item)))
		return "item is not as it would be made";
	return NULL;
}

static const char *
key_problem(Check *check)
{
	ExprContext *econtext = GetPerTupleExprContext(check->estate);
	ListCell   *lc;

	foreach(lc, check->keys)
	{
		int			n = foreach_current_index(lc);
		Form_pg_attribute att =
			TupleDescAttr(check->row->tts_tupleDescriptor, n);
		bool		isnull;
		Datum		column = slot_getattr(check->row, n + 1, &isnull);
		bool		none;
		Datum		key = ExecEvalExprSwitchContext(lfirst(lc), econtext,
													&none);

		if (isnull || none ||
			!datum_image_eq(column, key, att->attbyval, att->attlen))
			return n == 0 ? "partition key is not that of the item" :
				"sort key is not that of the item";
		if (n == 0)
			check->hashes[check->nhashes++] =
				item_partition_key_hash((ItemPartitionKey *) PG_DETOAST_DATUM_PACKED(column));
	}
	return NULL;
}

static bool
belongs(Check *check, CheckIndex *index, TupleTableSlot *slot)
{
	ExprContext *econtext = GetPerTupleExprContext(check->estate);
	Datum		value;
	bool		isnull;

	econtext->ecxt_scantuple = slot;
	if (index->vectors == NULL)
		return ExecQual(index->predicate, econtext);
	FormIndexDatum(index->info, slot, check->estate, &value, &isnull);
	return !isnull;
}

static void
count_row(Tally *tally, const ItemPointerData *tid)
{
	tally->rows++;
	tally->sum += hash_combine64(ItemPointerGetBlockNumber(tid),
								 murmurhash32(ItemPointerGetOffsetNumber(tid)));
}

/*
 * Its collections are counted, and its rows, if all of them are sound.
 */
static void
end_page(AmCheck *pages, BlockNumber block)
{
	Check	   *check = (Check *) pages;
	bool		sound = !is_damaged(check, block);
	ListCell   *lc;

	foreach(lc, check->indexes)
	{
		CheckIndex *index = lfirst(lc);

		if (sound)
		{
			index->belong.rows += index->page.rows;
			index->belong.sum += index->page.sum;
		}
		index->page = (Tally)
		{
			0
		};
	}
	qsort(check->hashes, check->nhashes, sizeof(uint64), hash_order);
	for (int i = 0; i < check->nhashes; i++)
		if (i == 0 || check->hashes[i] != check->hashes[i - 1])
			check->caller->places++;
	check->nhashes = 0;
}

static int
hash_order(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/*
 * The indexes
 */

static void
check_index(Check *check)
{
	CheckIndex *index = check->index;
	AmCheck		pages = check->pages;
	ErrorData  *error = dynamo_attempt(index->vectors ? read_vectors :
									   read_index, check);

	if (error == NULL && (index->found.rows != index->belong.rows ||
						  index->found.sum != index->belong.sum))
	{
		tell_index(check, NULL,
				   psprintf("entries lead to " INT64_FORMAT " rows, but " INT64_FORMAT " belong into the index",
							index->found.rows, index->belong.rows));

		/* It is read by other ways than before, and may be damaged there. */
		error = dynamo_attempt(name_missing, check);
		check->pages = pages;
	}
	if (error != NULL)
	{
		dynamo_attempt_pass(error);
		tell_index(check, NULL, error->message);
	}
}

/*
 * From end to end.  The rows of sound pages have been read once, so reading
 * them again raises nothing.  The slot is made here, since its pin goes with
 * the attempt.
 */
static bool
read_index(void *arg)
{
	Check	   *check = arg;
	ItemPointer tid;
	IndexScanDesc scan = compat_index_beginscan(check->pages.rel,
												check->index->rel,
												check->pages.snapshot, 0);

	check->fetched = table_slot_create(check->pages.rel, NULL);
	scan->xs_want_itup = true;
	index_rescan(scan, NULL, 0, NULL, 0);
	while ((tid = index_getnext_tid(scan, ForwardScanDirection)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_damaged(check, ItemPointerGetBlockNumber(tid)))
			continue;
		if (ItemPointerGetBlockNumber(tid) >= check->pages.pages)
		{
			/* What the snapshot sees is on pages that were there before. */
			if (ItemPointerGetBlockNumber(tid) >=
				RelationGetNumberOfBlocks(check->pages.rel))
				tell_index(check, tid, "entry leads behind the table's end");
		}
		else if (index_fetch_heap(scan, check->fetched))
			check_entry(check, scan->xs_itup);
		else if (leads_nowhere(check, tid) &&
				 has_entry(check, scan->xs_itup, tid) &&
				 leads_nowhere(check, tid))
			tell_index(check, tid, "entry leads to no row");
	}
	ExecDropSingleTupleTableSlot(check->fetched);
	index_endscan(scan);
	return true;
}

/*
 * The vectors of a group, copied.
 */
typedef struct VectorBatch
{
	int			n;
	int			size;			/* of one: tags and elements, in bytes */
	int			ntags;
	ItemPointerData *tids;
	char	   *words;
} VectorBatch;

/*
 * The same of a vector index.  That an entry leads to no row at all is not told:
 * VACUUM may have been at the row since the entry was read, and no entry can be
 * looked up alone.
 */
static bool
read_vectors(void *arg)
{
	Check	   *check = arg;
	Relation	rel = check->index->rel;
	const IndexDef *def = check->index->vectors;
	VectorWanted all = {0};
	VectorBatch batch = {.ntags = def->nhash + def->nrange};
	IndexFetchTableData *fetch;
	VectorScan *scan;

	vector_verify(rel, tell_page, check);
	scan = vector_scan_begin(rel, def, &all);
	if (scan == NULL)
	{
		tell_index(check, NULL, "entries are not those of the definition");
		return true;
	}
	batch.size = sizeof(uint32) * (batch.ntags + def->dimensions);
	batch.tids = palloc(sizeof(ItemPointerData) * vector_scan_batch(scan));
	batch.words = palloc_extended((Size) batch.size * vector_scan_batch(scan),
								  MCXT_ALLOC_HUGE);
	fetch = compat_table_index_fetch_begin(check->pages.rel);
	check->fetched = table_slot_create(check->pages.rel, NULL);
	while (vector_scan_next(scan, take_vector, &batch))
	{
		for (int i = 0; i < batch.n; i++)
		{
			ItemPointerData tid = batch.tids[i];
			bool		again = false;
			VectorEntry *entry;

			CHECK_FOR_INTERRUPTS();
			if (is_damaged(check, ItemPointerGetBlockNumber(&tid)))
				continue;
			if (ItemPointerGetBlockNumber(&tid) >= check->pages.pages)
			{
				if (ItemPointerGetBlockNumber(&tid) >=
					RelationGetNumberOfBlocks(check->pages.rel))
					tell_index(check, &tid, "entry leads behind the table's end");
				continue;
			}
			if (!table_index_fetch_tuple(fetch, &tid, check->pages.snapshot,
										 check->fetched, &again, NULL))
				continue;
			count_row(&check->index->found, &check->fetched->tts_tid);
			entry = entry_of_row(check, check->fetched);
			if (entry == NULL)
				tell_index(check, &check->fetched->tts_tid,
						   "entry of a row that does not belong into the index");
			else if (entry->dimensions != def->dimensions ||
					 entry->ntags != batch.ntags ||
					 memcmp(entry->words, batch.words + (Size) batch.size * i,
							batch.size) != 0)
				tell_index(check, &check->fetched->tts_tid,
						   "entry is not what its row makes");
			ResetPerTupleExprContext(check->estate);
		}
		batch.n = 0;
	}
	ExecDropSingleTupleTableSlot(check->fetched);
	table_index_fetch_end(fetch);
	vector_scan_end(scan);
	return true;
}

static void
take_vector(void *arg, const ItemPointerData *tid, const uint32 *tags,
			const float *elements)
{
	VectorBatch *batch = arg;
	char	   *to = batch->words + (Size) batch->size * batch->n;
	int			tag_bytes = sizeof(uint32) * batch->ntags;

	batch->tids[batch->n++] = *tid;
	memcpy(to, tags, tag_bytes);
	memcpy(to + tag_bytes, elements, batch->size - tag_bytes);
}

static void
tell_page(void *arg, BlockNumber block, const char *text)
{
	Check	   *check = arg;

	report_problem(check, check->index->rel, InvalidBlockNumber, InvalidOffsetNumber,
				   psprintf("%s (page %u)", text, block));
}

/* NULL: it is none of the definition's. */
static const IndexDef *
vectors_of(const Check *check, Relation rel)
{
	for (int i = 0; i < check->def->nvectors; i++)
	{
		if (check->def->vectors[i].relid == RelationGetRelid(rel))
			return &check->def->vectors[i];
	}
	return NULL;
}

/* NULL: it has none. */
static VectorEntry *
entry_of_row(Check *check, TupleTableSlot *slot)
{
	Datum		value;
	bool		isnull;

	GetPerTupleExprContext(check->estate)->ecxt_scantuple = slot;
	FormIndexDatum(check->index->info, slot, check->estate, &value, &isnull);
	return isnull ? NULL : (VectorEntry *) PG_DETOAST_DATUM(value);
}

/*
 * Has the page no such line?  VACUUM frees a line after it has removed the
 * entries that lead there, but maybe after we have read one of them.  So the
 * caller asks again whether the entry is there; a line that is in no use
 * before and after that should have none.
 */
static bool
leads_nowhere(Check *check, const ItemPointerData *tid)
{
	OffsetNumber line = ItemPointerGetOffsetNumber(tid);
	Buffer		buffer = ReadBuffer(check->pages.rel,
									ItemPointerGetBlockNumber(tid));
	Page		page;
	bool		result;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	result = PageIsNew(page) || line > PageGetMaxOffsetNumber(page) ||
		!ItemIdIsUsed(PageGetItemId(page, line));
	UnlockReleaseBuffer(buffer);
	return result;
}

/*
 * Is there an entry of these values that leads to this line, whatever is
 * there?
 */
static bool
has_entry(Check *check, IndexTuple entry, const ItemPointerData *tid)
{
	TupleDesc	desc = RelationGetDescr(check->index->rel);
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];
	ItemPointerData wanted = *tid;
	ItemPointer found;
	IndexScanDesc scan;

	index_deform_tuple(entry, desc, values, nulls);
	scan = begin_search(check, values, nulls);
	do
		found = index_getnext_tid(scan, ForwardScanDirection);
	while (found != NULL && !ItemPointerEquals(found, &wanted));
	index_endscan(scan);
	return found != NULL;
}

static void
check_entry(Check *check, IndexTuple entry)
{
	CheckIndex *index = check->index;
	ItemPointer tid = &check->fetched->tts_tid;
	MemoryContext caller =
		MemoryContextSwitchTo(GetPerTupleMemoryContext(check->estate));
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];

	count_row(&index->found, tid);
	if (!belongs(check, index, check->fetched))
		tell_index(check, tid, "entry of a row that does not belong into the index");
	else
	{
		FormIndexDatum(index->info, check->fetched, check->estate, values,
					   nulls);
		if (!entry_is(check, entry, values, nulls))
			tell_index(check, tid, "entry is not what its row makes");
		if (RelationGetRelid(index->rel) == check->def->primary_relid)
		{
			uint64		hash =
				item_partition_key_hash((ItemPartitionKey *) PG_DETOAST_DATUM_PACKED(values[0]));

			if (check->caller->collections == 0 || hash != check->collection)
				check->caller->collections++;
			check->collection = hash;
		}
	}
	MemoryContextSwitchTo(caller);
	ResetPerTupleExprContext(check->estate);
}

static bool
entry_is(Check *check, IndexTuple entry, const Datum *values,
		 const bool *nulls)
{
	TupleDesc	desc = RelationGetDescr(check->index->rel);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		bool		isnull;
		Datum		value = index_getattr(entry, i + 1, desc, &isnull);

		if (isnull != nulls[i])
			return false;
		if (!isnull &&
			!datum_image_eq(value, values[i], att->attbyval, att->attlen))
			return false;
	}
	return true;
}

/*
 * A second turn over the pages: which rows have no entry in this index?  The
 * caller sets check->pages back.
 */
static bool
name_missing(void *arg)
{
	Check	   *check = arg;

	check->pages.problem = ignore_problem;
	check->pages.row = look_up_row;
	check->pages.page_read = NULL;
	check->fetched = table_slot_create(check->pages.rel, NULL);
	am_check(&check->pages);
	ExecDropSingleTupleTableSlot(check->fetched);
	return true;
}

static void
ignore_problem(AmCheck *pages, BlockNumber block, OffsetNumber line,
			   const char *text)
{
	/* It was told in the first turn. */
}

static void
look_up_row(AmCheck *pages, HeapTuple tuple)
{
	Check	   *check = (Check *) pages;

	if (is_damaged(check, ItemPointerGetBlockNumber(&tuple->t_self)))
		return;
	ExecStoreHeapTuple(tuple, check->row, false);
	if (belongs(check, check->index, check->row) &&
		!is_found(check))
		tell_index(check, &tuple->t_self, "row has no entry");
	ResetPerTupleExprContext(check->estate);
}

/*
 * Does an entry lead to the row that was read?
 */
static bool
is_found(Check *check)
{
	Datum		values[INDEX_MAX_KEYS];
	bool		nulls[INDEX_MAX_KEYS];
	IndexScanDesc scan;
	bool		found = false;

	if (check->index->vectors != NULL)
		return is_found_vector(check);
	FormIndexDatum(check->index->info, check->row, check->estate, values,
				   nulls);
	scan = begin_search(check, values, nulls);
	while (!found && index_getnext_slot(scan, ForwardScanDirection,
										check->fetched))
		found = ItemPointerEquals(&check->fetched->tts_tid,
								  &check->row->tts_tid);
	index_endscan(scan);
	return found;
}

/*
 * The same in a vector index, by a scan of the entries with the row's tags.
 */
static bool
is_found_vector(Check *check)
{
	VectorWanted wanted = {0};
	VectorEntry *entry = entry_of_row(check, check->row);
	VectorScan *scan;
	Sought		sought = {
		.block = ItemPointerGetBlockNumber(&check->row->tts_tid)
	};
	IndexFetchTableData *fetch;

	for (int i = 0; i < entry->ntags; i++)
	{
		wanted.is_wanted[i] = true;
		wanted.tags[i] = entry->words[i];
	}
	scan = vector_scan_begin(check->index->rel, check->index->vectors, &wanted);
	while (scan != NULL && vector_scan_next(scan, note_line, &sought))
		;
	if (scan != NULL)
		vector_scan_end(scan);
	fetch = compat_table_index_fetch_begin(check->pages.rel);
	for (int i = 1; i <= MaxHeapTuplesPerPage && !sought.found; i++)
	{
		ItemPointerData tid;
		bool		again = false;

		ItemPointerSet(&tid, sought.block, i);
		sought.found = sought.lines[i] &&
			table_index_fetch_tuple(fetch, &tid, check->pages.snapshot,
									check->fetched, &again, NULL) &&
			ItemPointerEquals(&check->fetched->tts_tid, &check->row->tts_tid);
	}
	table_index_fetch_end(fetch);
	return sought.found;
}

static void
note_line(void *arg, const ItemPointerData *tid, const uint32 *tags,
		  const float *elements)
{
	Sought	   *sought = arg;
	OffsetNumber line = ItemPointerGetOffsetNumber(tid);

	if (ItemPointerGetBlockNumber(tid) == sought->block &&
		line <= MaxHeapTuplesPerPage)
		sought->lines[line] = true;
}

/*
 * A scan of the entries that have these values.
 */
static IndexScanDesc
begin_search(Check *check, const Datum *values, const bool *nulls)
{
	Relation	rel = check->index->rel;
	int			nkeys = IndexRelationGetNumberOfKeyAttributes(rel);
	ScanKeyData keys[INDEX_MAX_KEYS];
	IndexScanDesc scan = compat_index_beginscan(check->pages.rel, rel,
												check->pages.snapshot, nkeys);

	for (int i = 0; i < nkeys; i++)
	{
		Oid			type = rel->rd_opcintype[i];
		Oid			equal = get_opfamily_member(rel->rd_opfamily[i], type,
												type, BTEqualStrategyNumber);

		if (nulls[i])
			ScanKeyEntryInitialize(&keys[i], SK_ISNULL | SK_SEARCHNULL, i + 1,
								   InvalidStrategy, InvalidOid, InvalidOid,
								   InvalidOid, (Datum) 0);
		else
			ScanKeyEntryInitialize(&keys[i], 0, i + 1, BTEqualStrategyNumber,
								   type, rel->rd_indcollation[i],
								   get_opcode(equal), values[i]);
	}
	index_rescan(scan, keys, nkeys, NULL, 0);
	return scan;
}

/*
 * "tid": the row of the table; NULL: it is about the index.
 */
static void
tell_index(Check *check, const ItemPointerData *tid, const char *text)
{
	report_problem(check, check->index->rel,
				   tid ? ItemPointerGetBlockNumber(tid) : InvalidBlockNumber,
				   tid ? ItemPointerGetOffsetNumber(tid) : InvalidOffsetNumber, text);
}

static void
report_problem(Check *check, Relation rel, BlockNumber block, OffsetNumber line,
			   const char *text)
{
	if (check->caller->problem != NULL)
		check->caller->problem(check->caller, RelationGetRelid(rel), block,
							   line, text);
}
