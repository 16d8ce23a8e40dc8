/*-------------------------------------------------------------------------
 *
 * schema_ttl.c
 *	  Switching time to live on and off.
 *
 * While it is on, a table has a btree on dynamo.expiry(item, attribute), of
 * those items that have such a number, and on the hash of the primary key, so
 * that a search can go on among items that expire in one second.  As with a
 * secondary index, its name ties it to the definition, and whoever drops it
 * switches off what it served.
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
		schema_make_btree(def->relid, relname,
						  schema_ttl_columns(def, attribute), later);
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

/*
 * The columns of an index on when items expire, of those that ever do.
 */
char *
schema_ttl_columns(const TableDef *def, const char *attribute)
{
	char	   *expiry = psprintf("dynamo.expiry(item, %s::pg_catalog.text)",
								  quote_literal_cstr(attribute));

	return psprintf("(%s, %s) WHERE %s IS NOT NULL", expiry,
					schema_tie_expression(&def->hash, &def->range), expiry);
}

/*
 * An index of this name is gone from some schema.  If it was one by which
 * expired items are found, time to live is off.
 */
void
schema_ttl_index_dropped(const char *relname)
{
	ListCell   *lc;

	foreach(lc, schema_row_ttl_names())
	{
		const char *table = lfirst(lc);
		const TableDef *def;

		if (strcmp(schema_ttl_name(table), relname) != 0)
			continue;
		def = schema_find_table(table);
		if (def == NULL || schema_is_building(def, relname) ||
			OidIsValid(get_relname_relid(relname,
										 get_rel_namespace(def->relid))))
			continue;
		schema_row_set_ttl(def->relid, NULL);
		schema_definition_changed(def->relid);
	}
}
