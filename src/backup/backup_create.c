/*-------------------------------------------------------------------------
 *
 * backup_create.c
 *	  Making backups, and dropping those whose time is over.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "backup/backup.h"
#include "engine/engine.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

static void describe_source(const TableDef *def, SchemaBackup *backup);
static bool is_expired(const SchemaBackup *backup, void *now);
static bool drop_one(void *backup);

/*
 * See backup.h.
 */
void
backup_create(const TableDef *def, SchemaBackup *backup)
{
	Relation	source;
	const TableDef *now = schema_table_open(def->name, AccessShareLock,
											&source);

	if (now == NULL || strcmp(now->table_id, def->table_id) != 0)
		dynamo_error(DYNAMO_TABLE_NOT_FOUND, "Table not found: %s", def->name);
	schema_check_owner(now);
	describe_source(now, backup);
	backup->relid = schema_backup_relation(backup->id,
										   schema_relation_owner(now->relid));
	backup->items = backup_run_insert(psprintf("INSERT INTO %s (item) SELECT item FROM %s",
											   schema_relation_identity(backup->relid),
											   schema_relation_identity(now->relid)));
	backup->size = DatumGetInt64(DirectFunctionCall1(pg_table_size,
													 ObjectIdGetDatum(backup->relid)));
	schema_backup_insert(backup);
	table_close(source, NoLock);
}

static void
describe_source(const TableDef *def, SchemaBackup *backup)
{
	backup->table_name = def->name;
	strlcpy(backup->table_id, def->table_id, sizeof(backup->table_id));
}

/*
 * See backup.h.
 */
void
backup_put_away(const TableDef *def, SchemaBackup *backup)
{
	double		items;
	double		pages;

	describe_source(def, backup);
	if (engine_relation_size(def->relid, &items, &pages))
		backup->items = (int64) items;
	backup->name = psprintf("%s$DeletedTableBackup", def->name);
	backup->system = true;
	backup->expires_at = backup->created_at +
		BACKUP_SYSTEM_DAYS * USECS_PER_DAY;
	backup->relid = schema_put_away(def->name, backup->id);
	backup->size = DatumGetInt64(DirectFunctionCall1(pg_table_size,
													 ObjectIdGetDatum(backup->relid)));
	schema_backup_insert(backup);
}

/*
 * One that is being restored waits for the next time.  So does one that cannot
 * be dropped, because its owner has made a view of it, say, or else that would
 * keep those of others.
 */
int
backup_drop_expired(TimestampTz now)
{
	List	   *expired = schema_backup_list(NULL, is_expired, &now, 0);
	ListCell   *lc;
	int			dropped = 0;

	foreach(lc, expired)
	{
		SchemaBackup *backup = lfirst(lc);
		ErrorData  *error;

		CHECK_FOR_INTERRUPTS();
		if (!ConditionalLockRelationOid(backup->relid, AccessExclusiveLock))
			continue;
		if (schema_backup_read(backup->id) == NULL)
			continue;			/* somebody was faster */
		error = dynamo_attempt(drop_one, backup);
		if (error == NULL)
			dropped++;
		else if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			ReThrowError(error);
		else
			ereport(WARNING,
					(errcode(error->sqlerrcode),
					 errmsg("could not drop expired backup \"%s\" of table \"%s\": %s",
							backup->id, backup->table_name, error->message),
					 error->detail ? errdetail_internal("%s", error->detail) : 0));
	}
	return dropped;
}

static bool
drop_one(void *backup)
{
	schema_backup_drop(backup);
	return true;
}

static bool
is_expired(const SchemaBackup *backup, void *now)
{
	return backup->expires_at != 0 && backup->expires_at <= *(TimestampTz *) now;
}
