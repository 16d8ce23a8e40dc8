/*-------------------------------------------------------------------------
 *
 * engine_insert.c
 *	  Rows that plain SQL inserts.
 *
 * For each INSERT the executor reads and prepares anew the expressions of the
 * generated columns, and the expressions and predicates of all indexes.  That
 * is more work than to store a row.  The local store computes the same values
 * from the item, so it stores the row where nothing is wanted that only the
 * executor does: triggers, constraints, policies, other columns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "utils/rel.h"

/*
 * False: only the executor can, as the relation is now.  Columns of the key
 * that are not generated are the statement's to give, and what a stream or the
 * journal records is left to their trigger.  Policies are no concern of ours:
 * those that apply to the statement are in its plan, for the role that it
 * inserts as, which a view may make another one.
 */
bool
engine_insert_fits(Relation rel)
{
	const TableDef *def = schema_find_sound_relation(RelationGetRelid(rel));
	bool		fire;

	return def != NULL && def->generated && rel->trigdesc == NULL &&
		engine_structural_obstacle(rel, def, &fire) == NULL;
}

/*
 * Open a table for inserts of plain SQL.  The caller holds RowExclusiveLock on
 * "rel" and keeps it open until engine_insert_end(); the executor has checked
 * privileges.  The relation fits (engine_insert_fits()).
 */
EngineTable *
engine_insert_begin(Relation rel)
{
	EngineTable *table = palloc0(sizeof(EngineTable));

	table->def = schema_find_relation(RelationGetRelid(rel));
	table->rel = rel;
	table->access = ENGINE_PUT_ITEM;
	table->store = &engine_local_store;
	return table;
}

/*
 * Insert one row, as command "cid", that of the statement: it does not see its
 * own rows.  Raises ValidationException for a key that is missing or no key,
 * and 23505 if the key is there.  Waits for a transaction that is inserting or
 * deleting the same key, holding the rows of this statement as SQL does; a
 * deadlock among such is PostgreSQL's to detect.
 */
void
engine_insert_row(EngineTable *table, const Item *item, CommandId cid)
{
	const KeyAttr *hash = &table->def->hash;
	const KeyAttr *range = &table->def->range;
	TableKey	key = {{0}};

	key.pk = item_row_partition_key(item, hash->name, strlen(hash->name),
									hash->type, &key.hash);
	if (range->name != NULL)
		key.sk = item_row_sort_key(item, range->name, strlen(range->name),
								   range->type, &key.range);
	engine_local_add(table, &key, item, cid);
}

/*
 * Free the table; the relation stays the caller's.
 */
void
engine_insert_end(EngineTable *table)
{
	table->store->close(table);
	pfree(table);
}
