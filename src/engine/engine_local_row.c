/*-------------------------------------------------------------------------
 *
 * engine_local_row.c
 *	  What the local store asks of a relation and of a row: is it as we made
 *	  it, where is its primary index, what is its item?
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "catalog/pg_class.h"
#include "engine/engine_internal.h"
#include "utils/rel.h"
#include "utils/rls.h"

/*
 * Is the relation as we made it, with nothing on it that only the planner and
 * the executor can do?  If so, *fire says whether the executor would fire the
 * trigger of its stream.  False with *leading set: it is, but for row-level
 * security that is ours and lets the user at partition keys like these.
 *
 * The caller has a lock on the relation, and asks each time it opens it.
 * Triggers, rules, columns, policies and constraints come with a lock that
 * conflicts with a writer's, and with a message that has been processed when
 * the lock is ours.  A child may come while we hold it, as it may while a
 * statement runs: it counts from the next request on.  The answer is for the
 * current user alone.
 */
bool
engine_local_usable(Relation rel, const TableDef *def, bool *fire,
					List **leading)
{
	*leading = NIL;
	if (engine_local_obstacle(rel, def, fire) == NULL)
		return true;
	if (engine_structural_obstacle(rel, def, fire) != NULL ||
		!schema_leading_grants(rel, def, leading))
		*leading = NIL;
	return false;
}

/*
 * What is in the way; NULL: nothing.  The text is a constant, for EXPLAIN.
 * *fire is right if nothing is in the way.
 */
const char *
engine_local_obstacle(Relation rel, const TableDef *def, bool *fire)
{
	const char *obstacle = engine_structural_obstacle(rel, def, fire);

	if (obstacle != NULL)
		return obstacle;
	if (rel->rd_rel->relrowsecurity &&
		check_enable_rls(RelationGetRelid(rel), InvalidOid,
						 false) == RLS_ENABLED)
		return "policies of the relation apply to the role";
	return NULL;
}

/*
 * The same, policies aside.
 */
const char *
engine_structural_obstacle(Relation rel, const TableDef *def, bool *fire)
{
	if (def->distributed)
		return "the relation is distributed";
	if (!engine_local_shaped(rel, def))
		return "the relation is not as dynamo makes it: partitioned, inherited, with other columns, or without its primary key";
	if (rel->rd_rules != NULL)
		return "the relation has rules";
	if (!stream_capture_triggers(rel, fire))
		return "the relation has triggers";
	if (RelationGetDescr(rel)->constr->num_check > (def->checked ? 1 : 0))
		return "the relation has check constraints";
	return NULL;
}

/*
 * Are its columns and rows as we made them, whatever happens when they are
 * written?
 */
bool
engine_local_shaped(Relation rel, const TableDef *def)
{
	TupleDesc	desc = RelationGetDescr(rel);

	/* Keys that are not made from the item may disagree with it. */
	return rel->rd_rel->relkind == RELKIND_RELATION &&
		!rel->rd_rel->relispartition &&
		!rel->rd_rel->relhassubclass &&
		desc->natts == SCHEMA_ATTR_ITEM(def) &&
		desc->constr != NULL &&
		OidIsValid(def->primary_relid) &&
		!def->distributed &&
		(def->generated || def->checked);
}

/*
 * The primary index, open until the table is closed.  It is locked after the
 * relation, as everywhere; the lock is kept to the end of the transaction.
 */
Relation
engine_local_primary(EngineTable *table)
{
	if (table->primary == NULL)
		table->primary = index_open(table->def->primary_relid,
									engine_for_write(table) ?
									RowExclusiveLock : AccessShareLock);
	return table->primary;
}

/*
 * The item of a row.  It may lie in the slot unless a copy is asked for; a
 * compressed or external one is unpacked into the current context in any case.
 *
 * What lies in the slot lies in a page of the buffer pool.  The slot's pin
 * keeps pruning and vacuum from moving it: they need the page without pins of
 * others.  So it is good until the slot is cleared or takes another row.
 */
const Item *
engine_local_item(EngineTable *table, TupleTableSlot *slot, bool copy)
{
	bool		isnull;
	Datum		datum = slot_getattr(slot, SCHEMA_ATTR_ITEM(table->def),
									 &isnull);
	Item	   *item;

	if (isnull)
		engine_no_item(table);
	item = DatumGetItemP(datum);
	if (copy && item == (Item *) DatumGetPointer(datum))
	{
		Size		size = VARSIZE_ANY(item);

		item = memcpy(palloc(size), item, size);
	}
	return item;
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
