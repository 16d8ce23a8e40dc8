/*-------------------------------------------------------------------------
 *
 * schema_row.c
 *	  Rows of the definition tables: reading their columns, changing them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation.h"
#include "schema/schema_internal.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

void		(*schema_definitions_forgotten) (void);
bool		(*schema_is_filling) (Oid relid);

/*
 * A column of text equals "text".
 */
void
schema_text_key(ScanKey key, AttrNumber attnum, const char *text)
{
	ScanKeyInit(key, attnum, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(text));
	key->sk_collation = C_COLLATION_OID;
}

Datum
schema_column(HeapTuple tuple, AttrNumber attnum, Relation rel, bool *isnull)
{
	return heap_getattr(tuple, attnum, RelationGetDescr(rel), isnull);
}

/*
 * A column of text, or one stored as text is; NULL for null.
 */
char *
schema_text_column(HeapTuple tuple, AttrNumber attnum, Relation rel)
{
	bool		isnull;
	Datum		value = schema_column(tuple, attnum, rel, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/*
 * All columns null, none replaced.
 */
void
schema_init_row(SchemaRow *row)
{
	memset(row->values, 0, sizeof(row->values));
	memset(row->nulls, true, sizeof(row->nulls));
	memset(row->replaces, false, sizeof(row->replaces));
}

void
schema_set_column(SchemaRow *row, AttrNumber attnum, Datum value)
{
	Assert(attnum <= SCHEMA_MAX_COLUMNS);
	row->values[attnum - 1] = value;
	row->nulls[attnum - 1] = false;
	row->replaces[attnum - 1] = true;
}

/*
 * Replace the columns that were set.
 */
void
schema_update_row(Relation rel, HeapTuple tuple, SchemaRow *row)
{
	tuple = heap_modify_tuple(tuple, RelationGetDescr(rel), row->values,
							  row->nulls, row->replaces);
	CatalogTupleUpdate(rel, &tuple->t_self, tuple);
}

/*
 * The tables of definitions have changed, or are others by now: the cache, in
 * a file above, is told.
 */
void
schema_definitions_gone(void)
{
	if (schema_definitions_forgotten)
		schema_definitions_forgotten();
}
