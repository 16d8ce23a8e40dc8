/*-------------------------------------------------------------------------
 *
 * engine_spi_row.c
 *	  What all statements of the SPI store need: the relation's name and types,
 *	  the item of a row, and refusals in the service's words.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/*
 * In PG_CATCH, after dynamo_work_enter(): what "user" may not do is
 * AccessDeniedException, raised by PostgreSQL or by a trigger.  One that runs
 * as its owner is the current user still.  In a security-restricted operation,
 * which maintenance is, there is no client to be answered, and what PostgreSQL
 * says is more.  A node that cannot be reached is ServiceUnavailable, and the
 * log says which.
 */
void
engine_spi_rethrow(EngineTable *table, MemoryContext context, Oid user)
{
	Oid			current;
	int			security;

	dynamo_work_leave();
	if (table->def->distributed && dynamo_is_node_lost(geterrcode()))
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		ereport(LOG,
				(errcode(error->sqlerrcode),
				 errmsg("dynamo cannot reach all nodes of table \"%s\"",
						table->def->name),
				 errdetail_internal("%s", error->message)));
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	}
	if (geterrcode() != ERRCODE_INSUFFICIENT_PRIVILEGE ||
		InSecurityRestrictedOperation())
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	FlushErrorState();
	GetUserIdAndSecContext(&current, &security);
	SetUserIdAndSecContext(user, security);
	engine_deny(table, NULL);
}

/*
 * An item that a statement returned, in "context".  A function that ran while
 * it was planned may have given the relation's name to one with other types.
 */
Item *
engine_spi_item(EngineTable *table, TupleDesc desc, Datum datum, bool isnull,
				MemoryContext context)
{
	MemoryContext caller;
	Item	   *item;

	schema_check_item(TupleDescAttr(desc, 0)->atttypid, table->def);
	if (isnull)
		engine_no_item(table);
	caller = MemoryContextSwitchTo(context);
	item = (Item *) PG_DETOAST_DATUM_COPY(datum);
	MemoryContextSwitchTo(caller);
	return item;
}

char *
engine_spi_relation(EngineTable *table)
{
	Oid			schema = RelationGetNamespace(table->rel);

	return quote_qualified_identifier(get_namespace_name(schema),
									  RelationGetRelationName(table->rel));
}

Oid
engine_spi_type(EngineTable *table, int column)
{
	return TupleDescAttr(RelationGetDescr(table->rel), column - 1)->atttypid;
}
