/*-------------------------------------------------------------------------
 *
 * engine_table.c
 *	  Opening a table: its definition, its relation's lock, the current
 *	  user's privileges, and the item store.
 *
 * A request opens each of its tables once, and nothing here is remembered
 * from one request to the next: definitions and relations come from caches
 * that are right at the moment the lock is taken.
 *
 * The relation's lock is that of plain DML, AccessShareLock to read and
 * RowExclusiveLock to write, and is kept to the end of the transaction.
 * Otherwise the table could be dropped under our uncommitted writes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "am/am.h"
#include "engine/engine_internal.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "region/region.h"

/*
 * When the library is loaded, once in a process: what the rooms below register.
 */
void
engine_init(void)
{
	am_init();
	schema_init();

	/*
	 * Core calls back at the end of a transaction in the opposite order:
	 * records of shards are written then, and entries of the journal, whose
	 * commit has to be announced; and their claims have to be left to a
	 * transaction that is prepared.
	 */
	stream_init();
	journal_init();
	shard_init();
	region_init();
}

/*
 * Open a table.  Lives in the current context; engine_close() it, or leave it
 * to the end of the transaction after an error.
 *
 * The order of the checks is that of what a client may learn: a table that is
 * not there, or is still being filled by an import, before rights;
 * rights before anything that tells of triggers or publications.
 *
 * What is found out here (which store, who records changes, what may be read)
 * holds as long as the lock: to change a trigger, a policy or a column is to
 * wait for us if we write.  It is for the current user, who must be the same
 * until engine_close().  Beside us, others may read and write rows, build
 * indexes concurrently, vacuum and analyze; TRUNCATE, DROP and most
 * of ALTER TABLE wait.
 */
EngineTable *
engine_open(DynamoRequest *request, const char *table_name,
			EngineAccess access)
{
	EngineTable *table = palloc0(sizeof(EngineTable));

	table->request = request;
	table->access = access;
	if (engine_for_write(table))
	{
		PreventCommandIfReadOnly(engine_action(access));
		PreventCommandIfParallelMode(engine_action(access));
	}
	table->def = schema_table_open(table_name,
								   engine_for_write(table) ?
								   RowExclusiveLock : AccessShareLock,
								   &table->rel);
	if (table->def == NULL ||
		(table->def->filling && access != ENGINE_IMPORT))
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(table_name),
							   "Requested resource not found");
	if (request != NULL)
		stats_opened(request->stats, table->def->stats, table->def->name);
	engine_check_access(table);
	if (!dynamo_work_on(table->def->relid, table->def->name))
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);

	engine_use_store(table, engine_local_usable(table->rel, table->def,
												&table->fires,
												&table->leading));
	if (table->def->distributed && table->rel->rd_rel->relrowsecurity)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("row-level security is enabled for distributed table \"%s\"",
						table->def->name)));
	if (schema_is_captured(table->def) && engine_for_write(table))
	{
		stream_capture_check_triggers(table->rel);

		/*
		 * Otherwise rows of heirs, which have no trigger, could change here.
		 */
		if (table->rel->rd_rel->relhassubclass)
			schema_refuse_heirs(table->def->relid);
	}

	if (engine_for_write(table))
		schema_check_published(table->rel,
							   access == ENGINE_DELETE_ITEM ||
							   access == ENGINE_DELETE_STATEMENT ?
							   CMD_DELETE : CMD_UPDATE);
	return table;
}

/*
 * From here on, the table is served by the local store, or by the executor,
 * whose triggers record changes.
 */
void
engine_use_store(EngineTable *table, bool local)
{
	table->store = local ? &engine_local_store : &engine_spi_store;
	table->captures = local && table->fires &&
		schema_is_captured(table->def);
}

/*
 * Give back what the store has opened, and the relation.  Locks stay until the
 * transaction ends: a table with changes that are not committed is not to be
 * dropped or altered by others.
 */
void
engine_close(EngineTable *table)
{
	table->store->close(table);
	table_close(table->rel, NoLock);
	pfree(table);
}

/*
 * The table's definition: of its shard, once a write or read has found that
 * (engine_shard.c).  It lives as long as the transaction.
 */
const TableDef *
engine_def(const EngineTable *table)
{
	return table->def;
}

/*
 * The request that has opened the table; NULL: it was work of the server.
 */
DynamoRequest *
engine_request(const EngineTable *table)
{
	return table->request;
}

/*
 * The API's name of what the table was opened for: a constant, "GetItem".
 */
const char *
engine_table_action(const EngineTable *table)
{
	return engine_action(table->access);
}

/*
 * Why the SPI store is taken; NULL: it is not.  The text is a constant, for
 * EXPLAIN.  It looks at the relation again, which our lock has kept as it was.
 */
const char *
engine_slow_reason(const EngineTable *table)
{
	bool		fire;

	if (table->leading != NIL)
		return "policies of the relation apply to the role, but to partition keys that it has been granted";
	return table->store == &engine_local_store ? NULL :
		engine_local_obstacle(table->rel, table->def, &fire);
}
