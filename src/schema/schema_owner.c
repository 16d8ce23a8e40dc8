/*-------------------------------------------------------------------------
 *
 * schema_owner.c
 *	  Queries on tables of the extension, for roles that have no rights on
 *	  them.
 *
 * The queries are ours.  Citus sees them, and runs them where the rows are, in
 * a session of the owner's.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "utils/guc.h"

/*
 * What "take" allocates is the caller's.
 */
void
schema_run_as_owner(const char *query, int nargs, Oid *types, Datum *values,
					SchemaTakeRow take, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	int			nest_level = schema_pin_search_path();
	char	   *nulls = palloc(nargs + 1);
	Oid			user;
	int			context;
	int			result;

	for (int i = 0; i < nargs; i++)
		nulls[i] = values[i] == (Datum) 0 ? 'n' : ' ';
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(schema_relation_owner(schema_nodes()),
						   context | SECURITY_LOCAL_USERID_CHANGE);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	result = SPI_execute_with_args(query, nargs, types, values, nulls, false,
								   0);
	if (result < 0)
		elog(ERROR, "could not run \"%s\": %s", query,
			 SPI_result_code_string(result));
	for (uint64 i = 0; take != NULL && i < SPI_processed; i++)
	{
		SPITupleTable *rows = SPI_tuptable;
		MemoryContext spi = MemoryContextSwitchTo(caller);

		take(rows->vals[i], rows->tupdesc, arg);
		MemoryContextSwitchTo(spi);
	}
	SPI_finish();
	SetUserIdAndSecContext(user, context);
	AtEOXact_GUC(true, nest_level);
}
