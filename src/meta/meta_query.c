/*-------------------------------------------------------------------------
 *
 * meta_query.c
 *	  Queries of our own by SPI.
 *
 * Citus sees them, and runs them where the rows are, in a session of the same
 * user.  It sends times as this session writes them, and that one reads them by
 * a DateStyle of its own.  So they are written as ISO has it, which all read alike.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_session.h"
#include "executor/spi.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

typedef struct Numbers
{
	int64		first;
	int64	   *second;
} Numbers;

static void take_flag(HeapTuple row, TupleDesc desc, void *arg);
static void take_numbers(HeapTuple row, TupleDesc desc, void *arg);

/*
 * What "take" allocates is the caller's.  It may run queries, too.
 */
uint64
meta_query(const char *query, int nargs, Oid *types, Datum *values,
		   MetaTakeRow take, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	int			nest_level = dynamo_pin_search_path();
	char	   *nulls = palloc(nargs + 1);
	int			result;
	uint64		n;
	SPITupleTable *rows;

	if (DateStyle != USE_ISO_DATES)
		(void) set_config_option("datestyle", "ISO",
								 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
								 true, 0, false);
	for (int i = 0; i < nargs; i++)
		nulls[i] = values[i] == (Datum) 0 && !get_typbyval(types[i]) ? 'n' : ' ';
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	result = SPI_execute_with_args(query, nargs, types, values, nulls, false,
								   0);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", query,
			 SPI_result_code_string(result));
	n = SPI_processed;
	rows = SPI_tuptable;
	for (uint64 i = 0; take != NULL && i < n; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(caller);

		take(rows->vals[i], rows->tupdesc, arg);
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	pfree(nulls);
	return n;
}

bool
meta_query_flag(const char *query, int nargs, Oid *types, Datum *values)
{
	bool		flag = false;

	(void) meta_query(query, nargs, types, values, take_flag, &flag);
	return flag;
}

static void
take_flag(HeapTuple row, TupleDesc desc, void *arg)
{
	bool		isnull;
	Datum		value = SPI_getbinval(row, desc, 1, &isnull);

	*(bool *) arg = !isnull && DatumGetBool(value);
}

char *
meta_query_text(const char *query, int nargs, Oid *types, Datum *values)
{
	char	   *text = NULL;

	(void) meta_query(query, nargs, types, values, meta_take_text, &text);
	return text;
}

void
meta_take_text(HeapTuple row, TupleDesc desc, void *arg)
{
	*(char **) arg = SPI_getvalue(row, desc, 1);
}

int64
meta_query_number(const char *query, Oid type, Datum *values, int nvalues,
				  int64 *second)
{
	Oid			types[] = {type, INT8OID};
	Numbers		numbers = {-1, second};

	Assert(nvalues <= lengthof(types));
	(void) meta_query(query, nvalues, types, values, take_numbers, &numbers);
	return numbers.first;
}

static void
take_numbers(HeapTuple row, TupleDesc desc, void *arg)
{
	Numbers    *numbers = arg;
	bool		isnull;
	Datum		value = SPI_getbinval(row, desc, 1, &isnull);

	if (isnull)
		return;
	numbers->first = DatumGetInt64(value);
	if (numbers->second != NULL)
		*numbers->second = DatumGetInt64(SPI_getbinval(row, desc, 2, &isnull));
}
