/*-------------------------------------------------------------------------
 *
 * schema_coordinator.c
 *	  A worker of a Citus cluster asks its coordinator.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"

/*
 * Has this transaction a lock on the relation of a distributed table?  The
 * coordinator might wait for it, and the deadlock be seen by nobody.
 */
bool
schema_holds_distributed(void)
{
	LockData   *locks = GetLockStatusData();

	for (int i = 0; i < locks->nelements; i++)
	{
		const LockInstanceData *lock = &locks->locks[i];

		if (lock->pid == MyProcPid && lock->holdMask != 0 &&
			lock->locktag.locktag_type == LOCKTAG_RELATION &&
			lock->locktag.locktag_field1 == MyDatabaseId &&
			schema_is_distributed(lock->locktag.locktag_field2))
			return true;
	}
	return false;
}

/*
 * What the coordinator gives for a query of one value, in a transaction of its
 * own, as the current user.
 */
char *
schema_ask_coordinator(const char *query)
{
	MemoryContext caller = CurrentMemoryContext;
	int			nest_level = schema_pin_search_path();
	Oid			type = TEXTOID;
	Datum		argument = CStringGetTextDatum(query);
	char	   *success;
	char	   *answer;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args("SELECT success, result FROM pg_catalog.run_command_on_coordinator($1)",
							  1, &type, &argument, NULL, false,
							  1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "the coordinator was not asked");
	success = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	answer = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2);
	if (success == NULL || success[0] != 't' || answer == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("the coordinator did not answer"),
				 answer ? errdetail_internal("%s", answer) : 0));
	answer = MemoryContextStrdup(caller, answer);
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	return answer;
}
