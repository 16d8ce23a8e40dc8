/*-------------------------------------------------------------------------
 *
 * schema_coordinator.c
 *	  A node of a Citus cluster asks its coordinator, or another.
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

static char *ask(const char *query, int nvalues, Oid *types, Datum *values,
				 bool *success);

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
	Oid			types[] = {TEXTOID};
	Datum		values[] = {CStringGetTextDatum(query)};
	bool		success;
	char	   *answer = ask("SELECT success, result FROM pg_catalog.run_command_on_coordinator($1)",
							 lengthof(values), types, values, &success);

	if (!success)
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("the coordinator did not answer"),
				 answer ? errdetail_internal("%s", answer) : 0));
	return answer;
}

char *
schema_ask_node(const char *host, int port, const char *query)
{
	Oid			types[] = {TEXTOID, INT4OID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(host), Int32GetDatum(port),
		CStringGetTextDatum(query)};
	bool		success;
	char	   *answer = ask("SELECT success, result FROM pg_catalog.master_run_on_worker(ARRAY[$1], ARRAY[$2], ARRAY[$3], false)",
							 lengthof(values), types, values, &success);

	return success ? answer : NULL;
}

/*
 * Ask by a function of Citus.  Without success the answer may be NULL, or say
 * why.
 */
static char *
ask(const char *query, int nvalues, Oid *types, Datum *values, bool *success)
{
	MemoryContext caller = CurrentMemoryContext;
	int			nest_level = schema_pin_search_path();
	char	   *done;
	char	   *answer;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args(query, nvalues, types, values, NULL, false,
							  1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "no node was asked");
	done = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	answer = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2);
	*success = done != NULL && done[0] == 't' && answer != NULL;
	if (answer != NULL)
		answer = MemoryContextStrdup(caller, answer);
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	return answer;
}
