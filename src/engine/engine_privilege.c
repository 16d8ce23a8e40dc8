/*-------------------------------------------------------------------------
 *
 * engine_privilege.c
 *	  Who may do what with a table, and who learns what of its items.
 *
 * PostgreSQL's privileges on the relation decide, as they would for the SQL
 * that does the same.  Writing needs INSERT, UPDATE or DELETE.  Naming an item
 * by its key is not reading it.  Otherwise nobody could write without SELECT.
 * Anything that depends on the existing item needs SELECT:
 *
 *		condition		the columns that hold what it names: pk and sk for
 *						attributes of the table's key, item for all others
 *		update			item: the new one is made from the old one.  An error
 *						about an operand's type or the result's size says
 *						something about the old one
 *		old or new		item
 *		item shown
 *
 * A write that needs none of these has the same outcome whatever the item is.
 * engine_hide() then makes it look as if there had been no item.  Otherwise
 * the capacity consumed would reveal its size.
 *
 * What SQL reveals stays: that somebody else is working on an item, and that a
 * user's constraint refuses one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rls.h"

/* Indexed by EngineAccess. */
static const struct
{
	const char *action;			/* of the API, for AccessDeniedException */
	AclMode		writes;
	EngineReads reads;
}			accesses[] = {
	[ENGINE_READ] = {"GetItem", 0, ENGINE_READS_ITEM},
	[ENGINE_QUERY] = {"Query", 0, ENGINE_READS_ITEM},
	[ENGINE_SCAN] = {"Scan", 0, ENGINE_READS_ITEM},
	[ENGINE_SEARCH] = {"SearchVectors", 0, ENGINE_READS_ITEM},
	[ENGINE_PUT_ITEM] = {"PutItem", ACL_INSERT | ACL_UPDATE},
	[ENGINE_IMPORT] = {"ImportTable", ACL_INSERT | ACL_UPDATE},
	[ENGINE_UPDATE_ITEM] = {"UpdateItem", ACL_INSERT | ACL_UPDATE},
	[ENGINE_DELETE_ITEM] = {"DeleteItem", ACL_DELETE},
	[ENGINE_CHECK_ITEM] = {"ConditionCheckItem", ACL_UPDATE, ENGINE_READS_KEY},
	[ENGINE_SELECT_STATEMENT] = {"PartiQLSelect", 0, ENGINE_READS_ITEM},
	[ENGINE_INSERT_STATEMENT] = {"PartiQLInsert", ACL_INSERT | ACL_UPDATE},
	[ENGINE_UPDATE_STATEMENT] = {"PartiQLUpdate", ACL_INSERT | ACL_UPDATE},
	[ENGINE_DELETE_STATEMENT] = {"PartiQLDelete", ACL_DELETE},
};

static bool may_write(const EngineTable *table, AclMode missing);
static EngineReads readable_columns(const EngineTable *table);
static bool has_column(const EngineTable *table, int column, AclMode mode);
static void check_reads(const EngineTable *table, EngineReads reads);
static EngineReads reads_of(const EngineWrite *write);
static bool is_key_path(const TableDef *def, const ExprPath *path);

/*
 * The API's name of the operation: a constant.
 */
const char *
engine_action(EngineAccess access)
{
	return accesses[access].action;
}

/*
 * Refuse a user who may not open the table like this.  Notes what of it the
 * user may read; that holds as long as the table is open, as a plan's check
 * does in SQL.  A right that is revoked meanwhile counts for the next request.
 */
void
engine_check_access(EngineTable *table)
{
	AclMode		writes = accesses[table->access].writes;
	AclMode		has = pg_class_aclmask(RelationGetRelid(table->rel),
									   GetUserId(), writes | ACL_SELECT,
									   ACLMASK_ALL);

	table->readable = (has & ACL_SELECT) != 0 ? ENGINE_READS_ITEM :
		readable_columns(table);
	if (!may_write(table, writes & ~has))
		schema_deny(accesses[table->access].action,
					psprintf("table/%s", table->def->name),
					schema_grant_help(table->def, writes & ~has));
	check_reads(table, accesses[table->access].reads);
}

/*
 * Does the user have the missing privileges on the column, at least?  The
 * key's columns are generated: nobody writes them.
 */
static bool
may_write(const EngineTable *table, AclMode missing)
{
	static const AclMode modes[] = {ACL_INSERT, ACL_UPDATE};

	if (missing & ACL_DELETE)
		return false;
	for (int i = 0; i < lengthof(modes); i++)
	{
		if ((missing & modes[i]) &&
			!has_column(table, SCHEMA_ATTR_ITEM(table->def), modes[i]))
			return false;
	}
	return true;
}

/*
 * What SELECT on columns lets the user read.
 */
static EngineReads
readable_columns(const EngineTable *table)
{
	const TableDef *def = table->def;

	if (!has_column(table, SCHEMA_ATTR_PK, ACL_SELECT) ||
		(def->range.name != NULL &&
		 !has_column(table, SCHEMA_ATTR_SK(def), ACL_SELECT)))
		return ENGINE_READS_NOTHING;
	return has_column(table, SCHEMA_ATTR_ITEM(def), ACL_SELECT) ?
		ENGINE_READS_ITEM : ENGINE_READS_KEY;
}

/*
 * Has the current user the privilege on the column, by a grant on it?
 */
static bool
has_column(const EngineTable *table, int column, AclMode mode)
{
	return pg_attribute_aclcheck(RelationGetRelid(table->rel), column,
								 GetUserId(), mode) == ACLCHECK_OK;
}

/*
 * Refuse a user who may not read whole items.
 */
void
engine_check_read(const EngineTable *table)
{
	check_reads(table, ENGINE_READS_ITEM);
}

/*
 * Refuse a user who may not read that much.
 */
static void
check_reads(const EngineTable *table, EngineReads reads)
{
	if (table->readable < reads)
		schema_deny(accesses[table->access].action,
					psprintf("table/%s", table->def->name),
					schema_grant_help(table->def, ACL_SELECT));
}

/*
 * Refuse a write that depends on what the user may not read.
 */
void
engine_check_write(const EngineWrite *write)
{
	if (write->table->readable < ENGINE_READS_ITEM)
		check_reads(write->table, reads_of(write));
}

/*
 * Which part of the existing item does a write depend on?
 */
static EngineReads
reads_of(const EngineWrite *write)
{
	EngineReads reads = ENGINE_READS_NOTHING;
	ListCell   *lc;

	if (write->shown || write->update != NULL)
		return ENGINE_READS_ITEM;
	if (write->condition == NULL)
		return ENGINE_READS_NOTHING;
	foreach(lc, expr_condition_paths(write->condition))
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_key_path(write->table->def, lfirst(lc)))
			return ENGINE_READS_ITEM;
		reads = ENGINE_READS_KEY;
	}
	return reads;
}

/*
 * Is it in an attribute of the table's key, which the request names anyway?
 */
static bool
is_key_path(const TableDef *def, const ExprPath *path)
{
	return expr_path_starts_with(path, def->hash.name) ||
		(def->range.name != NULL && expr_path_starts_with(path, def->range.name));
}

/*
 * Hide from the outcome of a write what its user may not know.  What is charged
 * and answered is computed from old_item and new_item, so both look as if the
 * key had been free.  The condition has been tested by then, and the user may
 * read what it names (engine_check_write()).
 */
void
engine_hide(EngineWrite *write)
{
	if (write->table->readable == ENGINE_READS_ITEM)
		return;
	write->old_item = NULL;
	write->new_item = write->action == ENGINE_PUT ||
		write->action == ENGINE_UPDATE ? write->item : NULL;
}

/*
 * Raise AccessDeniedException for the current user.
 */
void
engine_deny(const EngineTable *table, const char *action)
{
	schema_deny(action ? action : accesses[table->access].action,
				psprintf("table/%s", table->def->name),
				schema_help_table(table->def->name));
}

/*
 * Is a partition key like one of the patterns that have been granted?  If all
 * policies that bind the user are such grants (schema_leading.c), they say of an item
 * by its partition key alone whether the user may read and write it.  So the local
 * store, which knows no policies, may do what has a key that is granted.  What has
 * another, or none, is for the executor.
 */
bool
engine_leads(const EngineTable *table, const ItemValue *hash)
{
	ListCell   *lc;

	foreach(lc, table->leading)
	{
		if (item_key_like(hash, PointerGetDatum(lfirst(lc))))
			return true;
	}
	return false;
}

/*
 * Does row-level security hide nothing of a partition from the current user?
 */
bool
engine_shows(const EngineTable *table, const ItemValue *hash)
{
	if (table->leading != NIL)
		return engine_leads(table, hash);
	return check_enable_rls(table->def->relid, InvalidOid, true) != RLS_ENABLED;
}
