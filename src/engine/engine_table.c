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
 * RowExclusiveLock to write, and is kept to the end of the transaction, or
 * else the table could be dropped under our uncommitted writes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "am/am.h"
#include "engine/engine_internal.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/guc.h"

/* Indexed by EngineAccess. */
static const struct
{
	const char *action;			/* of the API, for AccessDeniedException */
	AclMode		mode;
} accesses[] = {
	[ENGINE_READ] = {"GetItem", ACL_SELECT},
	[ENGINE_QUERY] = {"Query", ACL_SELECT},
	[ENGINE_SCAN] = {"Scan", ACL_SELECT},
	[ENGINE_PUT_ITEM] = {"PutItem", ACL_INSERT | ACL_UPDATE},
	[ENGINE_UPDATE_ITEM] = {"UpdateItem", ACL_INSERT | ACL_UPDATE},
	[ENGINE_DELETE_ITEM] = {"DeleteItem", ACL_DELETE},
	[ENGINE_CHECK_ITEM] = {"ConditionCheckItem", ACL_SELECT | ACL_UPDATE},
};

static void check_privileges(const EngineTable *table, AclMode mode);
static void deny(const char *action, const char *resource)
			pg_attribute_noreturn();
static const char *setting(const char *name);

void
engine_init(void)
{
	am_init();
	schema_init();
}

/*
 * Open a table.  Lives in the current context; engine_close() it, or leave it
 * to the end of the transaction after an error.
 */
EngineTable *
engine_open(const char *table_name, EngineAccess access)
{
	EngineTable *table = palloc0(sizeof(EngineTable));
	bool		fire = false;

	table->access = access;
	if (engine_for_write(table))
	{
		PreventCommandIfReadOnly(accesses[access].action);
		PreventCommandIfParallelMode(accesses[access].action);
	}
	table->def = schema_table_open(table_name,
								   engine_for_write(table) ?
								   RowExclusiveLock : AccessShareLock,
								   &table->rel);
	if (table->def == NULL)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 "Requested resource not found");
	check_privileges(table, accesses[access].mode);

	if (engine_local_usable(table->rel, table->def, &fire))
	{
		table->store = &engine_local_store;
		table->stream = fire ? table->def->stream : NULL;
	}
	else
		table->store = &engine_spi_store;	/* triggers will see to it */
	if (table->def->stream != NULL && engine_for_write(table) &&
		table->rel->rd_rel->relhassubclass)
		schema_refuse_heirs(table->def->relid);

	/* As the executor: no update of what could not be replicated. */
	if (engine_for_write(table))
		CheckCmdReplicaIdentity(table->rel,
								access == ENGINE_DELETE_ITEM ?
								CMD_DELETE : CMD_UPDATE);
	return table;
}

void
engine_close(EngineTable *table)
{
	table->store->close(table);
	table_close(table->rel, NoLock);
	pfree(table);
}

const TableDef *
engine_def(const EngineTable *table)
{
	return table->def;
}

/*
 * Refuse who may write to the table but must not learn what is in it.
 */
void
engine_check_read(const EngineTable *table)
{
	check_privileges(table, ACL_SELECT);
}

bool
engine_for_write(const EngineTable *table)
{
	return table->access >= ENGINE_PUT_ITEM;
}

static void
check_privileges(const EngineTable *table, AclMode mode)
{
	if (pg_class_aclmask(RelationGetRelid(table->rel), GetUserId(), mode,
						 ACLMASK_ALL) != mode)
		engine_deny(table, accesses[table->access].action);
}

/*
 * Raise AccessDeniedException for the current user.
 */
void
engine_deny(const EngineTable *table, const char *action)
{
	deny(action ? action : accesses[table->access].action,
		 psprintf("table/%s", table->def->name));
}

/*
 * The same for a stream.
 */
void
engine_deny_stream(const StreamDef *stream, const char *action)
{
	deny(action, psprintf("table/%s/stream/%s", stream->table_name,
						  stream->label));
}

static void
deny(const char *action, const char *resource)
{
	dynamo_error(DYNAMO_ACCESS_DENIED, "%s", engine_denial(action, resource));
}

/*
 * What the current user is told who may not do this.  "resource" is the end of
 * its ARN, such as "table/Shop"; NULL: whatever there is.
 */
char *
engine_denial(const char *action, const char *resource)
{
	const char *account = setting("dynamo.account_id");
	const char *arn = "*";

	if (resource != NULL)
		arn = psprintf("arn:aws:dynamodb:%s:%s:%s", setting("dynamo.region"),
					   account, resource);
	return psprintf("User: arn:aws:iam::%s:user/%s is not authorized to perform: dynamodb:%s on resource: %s",
					account, GetUserNameFromId(GetUserId(), false), action,
					arn);
}

/*
 * A row without an item: somebody has taken NOT NULL off the column.
 */
void
engine_no_item(const EngineTable *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("relation \"%s\" has a row whose item is null",
					RelationGetRelationName(table->rel)),
			 errtable(table->rel)));
}

/* A setting of a layer above, which is what ARNs are made of. */
static const char *
setting(const char *name)
{
	const char *value = GetConfigOption(name, true, false);

	return value ? value : "";
}
