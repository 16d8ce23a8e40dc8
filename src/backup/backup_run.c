/*-------------------------------------------------------------------------
 *
 * backup_run.c
 *	  Statements that copy items.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup.h"
#include "executor/spi.h"
#include "utils/guc.h"
#include "utils/rls.h"

static void set_local(const char *name, const char *value);

/*
 * Run an INSERT whose every name is qualified: how many rows were inserted.
 * Row-level security that would hide one is an error.
 */
uint64
backup_run_insert(const char *statement)
{
	int			nest_level = NewGUCNestLevel();
	int			result;
	uint64		inserted;

	set_local("search_path", "pg_catalog, pg_temp");
	set_local("row_security", "off");
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	result = SPI_execute(statement, false, 0);
	if (result != SPI_OK_INSERT)
		elog(ERROR, "could not run \"%s\": %s", statement,
			 SPI_result_code_string(result));
	inserted = SPI_processed;
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	return inserted;
}

static void
set_local(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/*
 * Refuse a user whom row-level security may keep from a row, with the error
 * that core has for it.
 */
void
backup_check_rows(Oid relid)
{
	int			nest_level = NewGUCNestLevel();

	set_local("row_security", "off");
	(void) check_enable_rls(relid, InvalidOid, false);
	AtEOXact_GUC(true, nest_level);
}
