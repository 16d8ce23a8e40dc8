/*-------------------------------------------------------------------------
 *
 * backup_change.c
 *	  Point-in-time recovery: reading the journal.
 *
 * Nobody may read it but its owner, and our code in his name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup_change.h"
#include "base/base_session.h"
#include "engine/engine.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/xid8.h"

/* Rows fetched from the journal at a time. */
#define FETCH_ROWS	1000

static void run_query(const BackupQuery *query);
static void note_time(HeapTuple tuple, void *when);

void
backup_run_query(const BackupQuery *query)
{
	DynamoUser	before;
	int			level;

	dynamo_become(&before, engine_journal_owner(),
				  SECURITY_RESTRICTED_OPERATION);
	level = dynamo_pin_search_path();
	run_query(query);
	AtEOXact_GUC(false, level);
	dynamo_resume_user(&before);
}

static void
run_query(const BackupQuery *query)
{
	Portal		portal;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	portal = SPI_cursor_open_with_args(NULL, query->sql, query->nargs,
									   (Oid *) query->types,
									   (Datum *) query->values, query->nulls,
									   true, 0);
	do
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			CHECK_FOR_INTERRUPTS();
			query->each(SPI_tuptable->vals[i], query->arg);
		}
		SPI_freetuptable(SPI_tuptable);
	} while (SPI_processed == FETCH_ROWS);
	SPI_cursor_close(portal);
	SPI_finish();
}

TimestampTz
backup_first_change(const RecoveryDef *recovery, TimestampTz from, Datum since,
					Datum until, FullTransactionId clock)
{
	TimestampTz first = DT_NOEND;
	BackupQuery query = {
		.nargs = 4,
		.types = {INT4OID, PG_SNAPSHOTOID, PG_SNAPSHOTOID, XID8OID},
		.values = {Int32GetDatum(recovery->id), since, until,
		FullTransactionIdGetDatum(clock)},
		.nulls = "    ",
		.each = note_time,
		.arg = &first
	};

	query.sql = psprintf("SELECT pg_catalog.min(" BACKUP_WRITTEN_AT(4) ") FROM %s AS e "
						 "WHERE e.recovery OPERATOR(pg_catalog.=) $1 "
						 "AND pg_catalog.pg_visible_in_snapshot(e.xid, $3) "
						 "AND NOT pg_catalog.pg_visible_in_snapshot(e.xid, $2)",
						 engine_journal_entries(from));
	backup_run_query(&query);
	return first;
}

static void
note_time(HeapTuple tuple, void *when)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, SPI_tuptable->tupdesc, 1, &isnull);

	if (!isnull)
		*(TimestampTz *) when = DatumGetTimestampTz(value);
}
