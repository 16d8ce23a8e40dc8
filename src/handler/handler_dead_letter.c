/*-------------------------------------------------------------------------
 *
 * handler_dead_letter.c
 *	  The table that keeps what a function could not handle.
 *
 * It is any table with a column "message" of type jsonb; all other columns get
 * their defaults.  Rows are inserted by SQL as the mapping's owner, so that
 * privileges, triggers and policies apply.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type_d.h"
#include "executor/spi.h"
#include "handler/handler_internal.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#define COLUMN	"message"

/*
 * Refuse a table that the mapping's owner could not write failures to.
 */
void
handler_check_on_failure(Oid relid, Oid owner)
{
	AttrNumber	column = get_attnum(relid, COLUMN);
	char		kind = get_rel_relkind(relid);

	if ((kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE) ||
		column <= 0 || get_atttype(relid, column) != JSONBOID)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation \"%s\" cannot keep failures",
						get_rel_name(relid)),
				 errdetail("It must be a table with a column \"%s\" of type jsonb.",
						   COLUMN)));
	if (get_rel_persistence(relid) == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("temporary table \"%s\" cannot keep failures",
						get_rel_name(relid))));
	if (pg_class_aclcheck(relid, owner, ACL_INSERT) != ACLCHECK_OK &&
		pg_attribute_aclcheck(relid, column, owner,
							  ACL_INSERT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(relid));
}

void
handler_keep_failure(Oid relid, const char *message)
{
	char	   *relation = meta_relation_identity(relid);
	Oid			types[] = {JSONBOID};
	Datum		values[1];

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the table for failures does not exist any more")));
	values[0] = DirectFunctionCall1(jsonb_in, CStringGetDatum(message));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args(psprintf("INSERT INTO %s (" COLUMN ") VALUES ($1)",
									   relation),
							  1, types, values, NULL, false,
							  0) != SPI_OK_INSERT)
		elog(ERROR, "could not insert a failure");
	SPI_finish();
}
