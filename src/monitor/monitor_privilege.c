/*-------------------------------------------------------------------------
 *
 * monitor_privilege.c
 *	  Who may see what of the statistics.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "monitor/monitor.h"
#include "utils/acl.h"

/*
 * May the current user see everybody's statistics?
 */
bool
monitor_sees_all(void)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
}

/*
 * May the current user know what depends on the items that were there?  A
 * write's units, and whether it has left a record, tell whether there was one,
 * and its size.
 */
bool
monitor_may_know_items(const TableDef *def)
{
	return monitor_sees_all() ||
		pg_class_aclcheck(def->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}
