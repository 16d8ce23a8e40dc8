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

#include "catalog/index.h"
#include "schema/schema_internal.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static char *create_ttl_statement(const TableDef *def, const char *attribute);

/*
 * Have a table's items expire by "attribute", or not at all (NULL).  The index
 * by which expired ones are found is there as long as they do.
 */
void
schema_set_ttl(const char *table, const char *attribute)
{
	const TableDef *def;
	Oid			btree;

	schema_lock_name(table);
	def = schema_open_own_table(table, attribute ? ShareLock :
								AccessExclusiveLock);
	if (attribute != NULL)
		schema_run_ddl(create_ttl_statement(def, attribute));
	schema_row_set_ttl(def->relid, attribute);
	schema_definition_changed(def->relid);

	btree = get_relname_relid(schema_ttl_name(table),
							  get_rel_namespace(def->relid));
	if (attribute == NULL && OidIsValid(btree) &&
		IndexGetRelation(btree, true) == def->relid)
		schema_run_ddl(psprintf("DROP INDEX %s",
								schema_relation_identity(btree)));
}

List *
schema_list_ttl_tables(void)
{
	return schema_row_ttl_names();
}

/*
 * An index on when items expire, of those that ever do.
 */
static char *
create_ttl_statement(const TableDef *def, const char *attribute)
{
	char	   *expiry = psprintf("dynamo.expiry(item, %s::pg_catalog.text)",
								  quote_literal_cstr(attribute));

	return psprintf("CREATE INDEX %s ON %s USING btree (%s, %s) WHERE %s IS NOT NULL",
					quote_identifier(schema_ttl_name(def->name)),
					schema_relation_identity(def->relid), expiry,
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
		if (def == NULL ||
			OidIsValid(get_relname_relid(relname,
										 get_rel_namespace(def->relid))))
			continue;
		schema_row_set_ttl(def->relid, NULL);
		schema_definition_changed(def->relid);
	}
}
