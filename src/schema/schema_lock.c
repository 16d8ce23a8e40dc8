/*-------------------------------------------------------------------------
 *
 * schema_lock.c
 *	  Locks that a change of a definition takes: the table's name, then its
 *	  relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/objectaddress.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/rel.h"

static bool is_of_another_node(const TableDef *def);

/*
 * Keep other transactions from creating, changing or dropping table "name".
 * Two names with the same hash only wait for each other.  The definition table
 * stays locked, too.  Otherwise the extension could be replaced from here on.
 */
void
schema_lock_name(const char *name)
{
	Relation	tables;

	/* Rows are written without the executor, which would check this. */
	PreventCommandIfReadOnly("a change of a table's definition");
	PreventCommandIfParallelMode("a change of a table's definition");

	tables = schema_open_tables(AccessShareLock);
	if (strlen(name) > DYNAMO_MAX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("table name is longer than %d characters",
						DYNAMO_MAX_NAME)));
	LockDatabaseObject(RelationGetRelid(tables),
					   hash_bytes((const unsigned char *) name, strlen(name)),
					   0, ExclusiveLock);
	table_close(tables, NoLock);
}

/*
 * Is a lock one on the name of some table?
 */
bool
schema_is_name_lock(const LOCKTAG *tag)
{
	return tag->locktag_type == LOCKTAG_OBJECT &&
		tag->locktag_field1 == MyDatabaseId &&
		tag->locktag_field2 == schema_tables();
}

/*
 * Lock the relation of a table to the end of the transaction.  Users who do
 * not own it are refused before.  Otherwise anybody could block its users.
 */
const TableDef *
schema_open_own_table(const char *name, int lockmode)
{
	const TableDef *def = schema_find_table(name);
	Relation	rel;

	if (def != NULL)
	{
		schema_check_owner(def);
		def = schema_table_open(name, lockmode, &rel);
	}
	if (def == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(name),
							   "Requested resource not found: Table: %s not found",
							   name);
	schema_check_owner(def);	/* it may be another one by now */
	if (is_of_another_node(def))
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_COORDINATOR,
						  "Table %s is distributed by Citus: its definition is changed on the coordinator",
						  name);
	table_close(rel, NoLock);
	return def;
}

/* The owner of the schema may drop its tables, too, but only by DROP TABLE. */
void
schema_check_owner(const TableDef *def)
{
	if (!compat_relation_owner(def->relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, def->name);
}

/*
 * Keep the definition of a table as it is until the end of the transaction,
 * for callers that read settings to change them.  Does nothing without such a
 * table, nor where only another node may change it: that one sends this node
 * the change, and would wait for a transaction that waits for it.
 */
void
schema_lock_definition(const char *table)
{
	const TableDef *def = schema_find_table(table);

	if (def == NULL)
		return;
	schema_check_owner(def);
	if (!is_of_another_node(def))
		schema_lock_name(table);
}

/*
 * Is the definition changed on another node?
 */
static bool
is_of_another_node(const TableDef *def)
{
	return def->distributed && !schema_cluster.is_coordinator();
}

/*
 * Refuse what a distributed table cannot do: "have a stream".  Requests of the
 * API, too, ask for that.
 */
void
schema_refuse_distributed(const TableDef *def, const char *what)
{
	DynamoHelp	help = {.hint = "Use dynamo.undistribute_table() first."};

	if (def->distributed)
		dynamo_error_with_help(DYNAMO_VALIDATION, &help,
							   "table \"%s\" is distributed and cannot %s",
							   def->name, what);
}
