/*-------------------------------------------------------------------------
 *
 * meta_row.c
 *	  Rows of the definition tables: reading their columns, changing them;
 *	  numbers drawn for them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xlog.h"
#include "base/base_request.h"
#include "base/base_session.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "commands/sequence.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"

void		(*meta_definitions_forgotten) (void);

/*
 * A column of text equals "text".
 */
void
meta_text_key(ScanKey key, AttrNumber attnum, const char *text)
{
	ScanKeyInit(key, attnum, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(text));
	key->sk_collation = C_COLLATION_OID;
}

Datum
meta_column(HeapTuple tuple, AttrNumber attnum, Relation rel, bool *isnull)
{
	return heap_getattr(tuple, attnum, RelationGetDescr(rel), isnull);
}

/*
 * A column of text, or one stored as text is; NULL for null.
 */
char *
meta_text_column(HeapTuple tuple, AttrNumber attnum, Relation rel)
{
	bool		isnull;
	Datum		value = meta_column(tuple, attnum, rel, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/*
 * All columns null, none replaced.
 */
void
meta_init_row(MetaRow *row)
{
	memset(row->values, 0, sizeof(row->values));
	memset(row->nulls, true, sizeof(row->nulls));
	memset(row->replaces, false, sizeof(row->replaces));
}

void
meta_set_column(MetaRow *row, AttrNumber attnum, Datum value)
{
	Assert(attnum <= META_MAX_COLUMNS);
	row->values[attnum - 1] = value;
	row->nulls[attnum - 1] = false;
	row->replaces[attnum - 1] = true;
}

/*
 * Replace the columns that were set.
 */
void
meta_update_row(Relation rel, HeapTuple tuple, MetaRow *row)
{
	tuple = heap_modify_tuple(tuple, RelationGetDescr(rel), row->values,
							  row->nulls, row->replaces);
	CatalogTupleUpdate(rel, &tuple->t_self, tuple);
}

/*
 * The last number that was drawn, 0 if there was none.  Read from the page of
 * the sequence itself, since SQL would need a privilege.  With "to_draw" the
 * lock is nextval()'s, and kept as nextval() keeps it.  Otherwise the number
 * is made durable first.  Otherwise a crash could take it back and it would be
 * drawn again, for a record that a reader has passed.
 */
int64
meta_sequence_last(DynamoMember *sequence, bool to_draw)
{
	LOCKMODE	lockmode = to_draw ? RowExclusiveLock : AccessShareLock;
	Relation	rel = relation_open(dynamo_member_get(sequence),
									lockmode);
	Buffer		buffer = ReadBuffer(rel, 0);
	Page		page = BufferGetPage(buffer);
	HeapTupleData tuple;
	Form_pg_sequence_data data;
	int64		last;
	XLogRecPtr	logged;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	tuple.t_data = (HeapTupleHeader)
		PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));
	data = (Form_pg_sequence_data) GETSTRUCT(&tuple);
	last = data->is_called ? data->last_value : data->last_value - 1;
	logged = BufferGetLSNAtomic(buffer);
	UnlockReleaseBuffer(buffer);
	if (!to_draw)
	{
		XLogFlush(logged);
		dynamo_answer_asks(logged);
	}
	relation_close(rel, to_draw ? NoLock : lockmode);
	return last;
}

/*
 * Have it go on above "least".  Nobody else does that at the same time.
 */
void
meta_sequence_raise(DynamoMember *sequence, int64 least)
{
	Oid			relid = dynamo_member_get(sequence);
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, relid, 1);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
	if (meta_sequence_last(sequence, true) < least)
	{
		DynamoUser	before;

		dynamo_become(&before, meta_relation_owner(relid), 0);
		(void) DirectFunctionCall2(setval_oid, ObjectIdGetDatum(relid),
								   Int64GetDatum(least));
		dynamo_resume_user(&before);
	}
	(void) LockRelease(&tag, ExclusiveLock, false);
}

/*
 * The tables of definitions have changed, or are others by now: the cache, in
 * a file above, is told.
 */
void
meta_definitions_gone(void)
{
	if (meta_definitions_forgotten)
		meta_definitions_forgotten();
}
