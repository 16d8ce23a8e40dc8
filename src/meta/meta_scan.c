/*-------------------------------------------------------------------------
 *
 * meta_scan.c
 *	  Rows of the extension's own tables: found, changed, deleted, added.
 *
 * All of it is done without the executor, by code that has checked the right to
 * it.  Rows are those that the catalog's snapshot sees.  A table that is
 * written stays locked to the end of the transaction.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

void
meta_scan(MetaScan *scan, DynamoMember *table, LOCKMODE lockmode,
		  const DynamoIndex *index, int nkeys, ScanKey keys)
{
	memset(scan, 0, sizeof(*scan));
	scan->lockmode = lockmode;
	scan->rel = dynamo_table_find(table, lockmode);
	if (scan->rel == NULL)
		return;
	scan->scan = index ?
		dynamo_table_scan(scan->rel, index, NULL, nkeys, keys) :
		systable_beginscan(scan->rel, InvalidOid, false, NULL, nkeys, keys);
}

void
meta_scan_ordered(MetaScan *scan, DynamoMember *table,
				  const DynamoIndex *index, ScanDirection direction,
				  int nkeys, ScanKey keys)
{
	memset(scan, 0, sizeof(*scan));
	scan->lockmode = AccessShareLock;
	scan->direction = direction;
	scan->rel = dynamo_table_find(table, AccessShareLock);
	if (scan->rel == NULL)
		return;
	scan->order = dynamo_table_order(scan->rel, index);
	scan->scan = systable_beginscan_ordered(scan->rel, scan->order, NULL,
											nkeys, keys);
}

bool
meta_next(MetaScan *scan)
{
	if (scan->rel == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	scan->tuple = scan->order ?
		systable_getnext_ordered(scan->scan, scan->direction) :
		systable_getnext(scan->scan);
	return HeapTupleIsValid(scan->tuple);
}

void
meta_change(MetaScan *scan, MetaRow *row)
{
	meta_update_row(scan->rel, scan->tuple, row);
}

void
meta_delete(MetaScan *scan)
{
	CatalogTupleDelete(scan->rel, &scan->tuple->t_self);
}

void
meta_end(MetaScan *scan)
{
	if (scan->rel == NULL)
		return;
	if (scan->order)
	{
		systable_endscan_ordered(scan->scan);
		index_close(scan->order, AccessShareLock);
	}
	else
		systable_endscan(scan->scan);
	if (scan->lockmode == AccessShareLock)
		table_close(scan->rel, AccessShareLock);
	else
	{
		table_close(scan->rel, NoLock);
		CommandCounterIncrement();
	}
}

void *
meta_first(DynamoMember *table, const DynamoIndex *index, int nkeys,
		   ScanKey keys, MetaRead read)
{
	MetaScan	scan;
	void	   *row = NULL;

	meta_scan(&scan, table, AccessShareLock, index, nkeys, keys);
	if (meta_next(&scan))
		row = read(scan.rel, scan.tuple);
	meta_end(&scan);
	return row;
}

List *
meta_all(DynamoMember *table, const DynamoIndex *index, int nkeys,
		 ScanKey keys, MetaRead read)
{
	MetaScan	scan;
	List	   *rows = NIL;

	meta_scan(&scan, table, AccessShareLock, index, nkeys, keys);
	while (meta_next(&scan))
		rows = lappend(rows, read(scan.rel, scan.tuple));
	meta_end(&scan);
	return rows;
}

void
meta_insert(DynamoMember *table, MetaRow *row)
{
	Relation	rel = dynamo_table_open(table, RowExclusiveLock);

	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), row->values,
											row->nulls));
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

void
meta_put(DynamoMember *table, const DynamoIndex *index, int nkeys,
		 ScanKey keys, MetaRow *row)
{
	MetaScan	scan;
	bool		found;

	meta_scan(&scan, table, RowExclusiveLock, index, nkeys, keys);
	found = meta_next(&scan);
	if (found)
		meta_change(&scan, row);
	meta_end(&scan);
	if (!found)
		meta_insert(table, row);
}

void
meta_delete_all(DynamoMember *table, const DynamoIndex *index, int nkeys,
				ScanKey keys)
{
	MetaScan	scan;

	meta_scan(&scan, table, RowExclusiveLock, index, nkeys, keys);
	while (meta_next(&scan))
		meta_delete(&scan);
	meta_end(&scan);
}

void
meta_int4_key(ScanKey key, AttrNumber attnum, int32 value)
{
	ScanKeyInit(key, attnum, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(value));
}

void
meta_oid_key(ScanKey key, AttrNumber attnum, Oid value)
{
	ScanKeyInit(key, attnum, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(value));
}

void
meta_char_key(ScanKey key, AttrNumber attnum, char value)
{
	ScanKeyInit(key, attnum, BTEqualStrategyNumber, F_CHAREQ,
				CharGetDatum(value));
}
