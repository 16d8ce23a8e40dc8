/*-------------------------------------------------------------------------
 *
 * replica_copy.c
 *	  The first copy of a table to another region.
 *
 * A replica begins empty, and is sent the feed from its beginning.  So all that
 * is to be done is to have each item in it: those that were written before the
 * table was global get a version, the oldest there is, a page of them at a
 * time.  Whoever writes one of them waits for that page, and no longer.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/base_session.h"
#include "executor/spi.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "replica/replica_internal.h"
#include "stream/stream.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

/* Items that get a version in one transaction. */
#define PAGE	1000

typedef struct CopyPage
{
	const TableDef *def;
	const Item *last;
	int			nitems;
} CopyPage;

static void check_rows(const TableDef *def);
static char *page_query(const TableDef *def, const TableKey *after);
static void take_item(HeapTuple row, TupleDesc desc, void *arg);

/*
 * Give a page of the items their first versions; true: all have one.  Items are
 * read as the owner of the table.
 */
bool
replica_copy_page(const TableDef *def)
{
	const Item *from = region_versioned_to(def->relid);
	TableKey   *after = from ? key_given(def, from) : NULL;
	CopyPage	page = {.def = def};
	Oid			types[2];
	Datum		values[2];
	int			nvalues = 0;
	DynamoUser	before;

	if (after != NULL)
	{
		types[nvalues] = get_atttype(def->relid, SCHEMA_ATTR_PK);
		values[nvalues++] = PointerGetDatum(after->pk);
		if (after->sk != NULL)
		{
			types[nvalues] = get_atttype(def->relid, SCHEMA_ATTR_SK(def));
			values[nvalues++] = PointerGetDatum(after->sk);
		}
	}
	dynamo_become(&before, meta_relation_owner(def->relid),
				  SECURITY_RESTRICTED_OPERATION);
	check_rows(def);
	(void) meta_query(page_query(def, after), nvalues, types, values,
					  take_item, &page);
	dynamo_resume_user(&before);
	region_set_versioned(def->relid, page.nitems == PAGE ? page.last : NULL);
	return page.nitems < PAGE;
}

/*
 * Otherwise what a policy hides from the owner would get no version, and never come
 * to a replica, without a word.
 */
static void
check_rows(const TableDef *def)
{
	if (check_enable_rls(def->relid, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security can hide items of table \"%s\" from its owner",
						def->name),
				 errhint("Call ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.")));
}

static char *
page_query(const TableDef *def, const TableKey *after)
{
	const char *relation = meta_relation_identity(def->relid);
	const char *columns = def->range.name ? "pk, sk" : "pk";
	char	   *where = "";

	if (after != NULL)
		where = psprintf(" WHERE ROW(%s) OPERATOR(pg_catalog.>) ROW(%s)",
						 columns, def->range.name ? "$1, $2" : "$1");
	return psprintf("SELECT item FROM %s%s ORDER BY %s LIMIT %d", relation,
					where, columns, PAGE);
}

static void
take_item(HeapTuple row, TupleDesc desc, void *arg)
{
	CopyPage   *page = arg;
	bool		isnull;
	Datum		datum = SPI_getbinval(row, desc, 1, &isnull);
	const Item *item;

	CHECK_FOR_INTERRUPTS();
	schema_check_item(SPI_gettypeid(desc, 1), page->def);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("a row of table \"%s\" has no item",
						page->def->name)));
	item = DatumGetItemP(datum);
	stream_feed_first(page->def, item);
	page->last = key_as_item(page->def, NULL, item);
	page->nitems++;
}

void
replica_refuse_missing(const TableDef *def)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("an item of table \"%s\" is not there, but has a version",
					def->name),
			 errhint("A policy of row-level security may hide it from the owner, or somebody has deleted it past the triggers.")));
}
