/*-------------------------------------------------------------------------
 *
 * engine_leading.c
 *	  Which store serves a partition key, where row-level security is ours.
 *
 * If all policies that bind the user are grants of partition keys
 * (schema_leading.c), they say of an item by its partition key alone whether
 * the user may read and write it.  So the local store, which knows no
 * policies, may do what has a key that is granted.  What has another, or none,
 * is for the executor.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "utils/rls.h"

/*
 * Is a partition key like one of the patterns that have been granted?
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
 * Does row-level security hide nothing of a partition from the current user?
 */
bool
engine_shows(const EngineTable *table, const ItemValue *hash)
{
	if (table->leading != NIL)
		return engine_leads(table, hash);
	return check_enable_rls(table->def->relid, InvalidOid, true) != RLS_ENABLED;
}
