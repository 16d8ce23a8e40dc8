/*-------------------------------------------------------------------------
 *
 * backup_restore.c
 *	  Making tables of backups, and of the past.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

/*
 * Make a table with the items of a query, which has one column, item: their
 * number.  Indexes are built once they are all there.
 */
uint64
backup_restore(const TableSpec *spec, const char *query)
{
	TableSpec	bare = *spec;
	uint64		items;
	Oid			relid;

	bare.nindexes = 0;
	bare.nvectors = 0;
	relid = schema_create_table(&bare);
	items = backup_run_insert(psprintf("INSERT INTO %s (item) %s",
									   meta_relation_identity(relid),
									   query));
	for (int i = 0; i < spec->nindexes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		schema_create_index(spec->name, &spec->indexes[i], false);
	}
	for (int i = 0; i < spec->nvectors; i++)
	{
		CHECK_FOR_INTERRUPTS();
		schema_create_vector(spec->name, &spec->vectors[i], false);
	}
	return items;
}

/*
 * The query for the items of a backup.  Refuses a user who may not read them,
 * or not all of them, and what its owner has made of the relation.
 */
char *
backup_items_query(const Backup *backup)
{
	LockRelationOid(backup->relid, AccessShareLock);
	if (!backup_is_relation(backup->relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation of backup \"%s\" is not what it was",
						backup->name)));
	if (pg_class_aclcheck(backup->relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE,
					   get_rel_name(backup->relid));
	backup_check_rows(backup->relid);
	return psprintf("SELECT item FROM ONLY %s",
					meta_relation_identity(backup->relid));
}
