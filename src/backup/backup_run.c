/*-------------------------------------------------------------------------
 *
 * backup_run.c
 *	  Statements that copy items.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup.h"
#include "base/base_session.h"
#include "executor/spi.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rls.h"

static uint64 run_insert(const char *statement, int nargs, Oid *types,
						 Datum *values);
static void turn_row_security_off(void);

/*
 * Run an INSERT whose every name is qualified: how many rows were inserted.
 * Row-level security that would hide one is an error.
 */
uint64
backup_run_insert(const char *statement)
{
	return run_insert(statement, 0, NULL, NULL);
}

/*
 * The same with a parameter.
 */
uint64
backup_run_insert_of(const char *statement, Oid type, Datum value)
{
	return run_insert(statement, 1, &type, &value);
}

static uint64
run_insert(const char *statement, int nargs, Oid *types, Datum *values)
{
	int			nest_level = dynamo_pin_search_path();
	SPIPlanPtr	plan;
	int			result;
	uint64		inserted;

	turn_row_security_off();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	plan = SPI_prepare(statement, nargs, types);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s",
			 SPI_result_code_string(SPI_result));
	backup_check_plan(plan);
	result = SPI_execute_plan(plan, values, NULL, false, 0);
	if (result != SPI_OK_INSERT)
		elog(ERROR, "could not run \"%s\": %s", statement,
			 SPI_result_code_string(result));
	inserted = SPI_processed;
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	return inserted;
}

/*
 * Refuse a plan of anything but tables and backups.  Statements name relations.
 * A lock on one keeps its name, but not that of its schema, whose owner can give
 * it to another one, with a view in the relation's place.  The plan, which is not
 * kept, is of what was looked at here.
 */
void
backup_check_plan(SPIPlanPtr plan)
{
	CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));
	ListCell   *lc;

	foreach(lc, source->relationOids)
	{
		Oid			relid = lfirst_oid(lc);

		if (schema_find_sound_relation(relid) == NULL &&
			!backup_is_relation(relid))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("relation \"%s\" has got the name of a table meanwhile",
							get_rel_name(relid))));
	}
}

static void
turn_row_security_off(void)
{
	(void) set_config_option("row_security", "off", PGC_USERSET, PGC_S_SESSION,
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

	turn_row_security_off();
	(void) check_enable_rls(relid, InvalidOid, false);
	AtEOXact_GUC(true, nest_level);
}
