/*-------------------------------------------------------------------------
 *
 * schema_ttl.c
 *	  Switching time to live on and off.
 *
 * While it is on, a table has a btree on dynamo_internal.expiry(item,
 * attribute), of those items that have such a number, and on the hash of the
 * primary key, so that a search can continue among items that expire in one
 * second.  As with a secondary index, its name ties it to the definition, and
 * dropping it switches off what it served.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "schema/schema_internal.h"
#include "storage/lockdefs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/*
 * Have a table's items expire by "attribute", or not at all (NULL).  The index
 * by which expired ones are found is there as long as they do, or comes later.
 */
void
schema_set_ttl(const char *table, const char *attribute, bool later)
{
	char	   *relname = schema_ttl_name(table);
	const TableDef *def;

	if (attribute == NULL)
		def = schema_open_to_drop(table, relname, later);
	else
	{
		schema_lock_name(table);
		def = schema_open_own_table(table, later ? AccessShareLock : ShareLock);
		schema_make_btree(def, relname, schema_ttl_keys(def, attribute),
						  later);
	}
	schema_row_set_ttl(def->relid, attribute);
	schema_definition_changed(def->relid);
	if (attribute == NULL)
		schema_drop_btree(def, relname, later);
}

List *
schema_list_ttl_tables(void)
{
	return schema_row_ttl_names();
}
