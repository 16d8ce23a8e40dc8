/*-------------------------------------------------------------------------
 *
 * schema_source.c
 *	  Is it a table's relation that a statement reads?
 *
 * Statements name relations.  A lock on a relation keeps others from giving its
 * name to another one.  It keeps neither who owns two schemas from swapping their
 * names, nor a function that runs in the same session.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "schema/schema_row.h"

static void refuse(const TableDef *def) pg_attribute_noreturn();

/*
 * Queries that were made of a statement on a table.  Those that write are not
 * looked at, since rules may have made others of them.
 */
void
schema_check_source(List *queries, const TableDef *def)
{
	Query	   *query = queries != NIL ? linitial_node(Query, queries) : NULL;
	RangeTblEntry *first;
	List	   *relations;
	List	   *others;
	bool		secured;
	ListCell   *lc;

	if (query == NULL || query->commandType != CMD_SELECT)
		return;
	first = linitial_node(RangeTblEntry, query->rtable);
	if (first->rtekind == RTE_RELATION && first->relid == def->relid)
		return;

	/* The past is a subquery, of this relation alone; a view is, too. */
	extract_query_dependencies((Node *) queries, &relations, &others,
							   &secured);
	foreach(lc, relations)
	{
		if (lfirst_oid(lc) != def->relid)
			refuse(def);
	}
}

/*
 * The type of what is to be an item.
 */
void
schema_check_item(Oid type, const TableDef *def)
{
	if (type != schema_item_type())
		refuse(def);
}

static void
refuse(const TableDef *def)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the relation of table \"%s\" was renamed meanwhile",
					def->name)));
}
