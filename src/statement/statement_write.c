/*-------------------------------------------------------------------------
 *
 * statement_write.c
 *	  INSERT, UPDATE and DELETE of PartiQL as writes.
 *
 * A statement names its item by conditions, so the key is known when the table
 * is.  What it demands beyond that is the write's condition:
 *
 *		INSERT	there is no such item
 *		UPDATE	there is, and all of WHERE holds (the key's part does if so)
 *		DELETE	all of WHERE holds, or there is no such item
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "statement/statement_internal.h"

static void check_inserted(const Item *item, const KeyAttr *attr);
static void check_key(const Statement *statement, const KeyAttr *attr);

/*
 * The privileges that a statement needs.
 */
EngineAccess
statement_access(const Statement *statement)
{
	switch (statement->bound->verb)
	{
		case PARTIQL_INSERT:
			return ENGINE_INSERT_STATEMENT;
		case PARTIQL_UPDATE:
			return ENGINE_UPDATE_STATEMENT;
		case PARTIQL_DELETE:
			return ENGINE_DELETE_STATEMENT;
		case PARTIQL_EXISTS:
			return ENGINE_CHECK_ITEM;
		default:
			return ENGINE_SELECT_STATEMENT;
	}
}

/*
 * The write that the statement stands for, as far as it is known without a
 * table.
 */
void
statement_to_write(const Statement *statement, ApiWrite *w)
{
	static const EngineAction actions[] = {
		[PARTIQL_INSERT] = ENGINE_PUT,
		[PARTIQL_UPDATE] = ENGINE_UPDATE,
		[PARTIQL_DELETE] = ENGINE_DELETE,
		[PARTIQL_EXISTS] = ENGINE_CHECK
	};
	static const ApiReturnValues returned[] = {
		[PARTIQL_RETURNING_NOTHING] = API_RETURN_UNSET,
		[PARTIQL_RETURNING_ALL_OLD] = API_RETURN_ALL_OLD,
		[PARTIQL_RETURNING_ALL_NEW] = API_RETURN_ALL_NEW,
		[PARTIQL_RETURNING_MODIFIED_OLD] = API_RETURN_UPDATED_OLD,
		[PARTIQL_RETURNING_MODIFIED_NEW] = API_RETURN_UPDATED_NEW
	};
	const PartiqlBound *bound = statement->bound;

	w->table_name = bound->table_name;
	w->write.action = actions[bound->verb];
	w->write.item = bound->item;
	w->write.update = bound->update;
	w->insert = bound->verb == PARTIQL_INSERT;
	w->return_values = returned[bound->returning];
	w->item_on_failure = statement->item_on_failure;
	w->request = statement->request;
	if (w->insert)
		item_check_size(w->write.item, ITEM_TOO_LARGE);
	api_write_parse(w);
}

/*
 * Set the key and the condition of that write by the table's definition.
 * Raises ValidationException for a statement that does not name exactly one
 * item.
 */
void
statement_bind(const Statement *statement, const TableDef *def,
				   ApiWrite *w)
{
	const PartiqlBound *bound = statement->bound;
	const Item *key;
	bool		more;

	if (w->insert)
	{
		check_inserted(w->write.item, &def->hash);
		if (def->range.name)
			check_inserted(w->write.item, &def->range);
		w->write.condition = expr_missing(def->hash.name);
		return;
	}
	if (!statement_select_key(statement, def, &key, &more))
		dynamo_error(DYNAMO_VALIDATION,
					 "Where clause does not contain a mandatory equality on all key attributes");
	check_key(statement, &def->hash);
	if (def->range.name)
		check_key(statement, &def->range);
	w->write.item = key;
	if (w->write.action != ENGINE_DELETE)
		w->write.condition = bound->where;
	else if (more)
		w->write.condition = expr_unless_missing(def->hash.name, bound->where);
}

/*
 * Do the write of a statement, whole.  w->def is set when nothing but the item,
 * or what is to become of it, can be wrong with it any more.
 */
void
statement_write(const Statement *statement, ApiWrite *w)
{
	EngineTable *table;

	statement_to_write(statement, w);
	table = engine_open(statement->request, w->table_name,
						statement_access(statement));
	statement_bind(statement, engine_def(table), w);
	w->def = engine_def(table);
	api_write_run(w, table);
	engine_close(table);
}

/*
 * An item to be inserted has the key's attributes.
 */
static void
check_inserted(const Item *item, const KeyAttr *attr)
{
	ItemValue	value;

	if (!item_get(item, attr->name, strlen(attr->name), &value))
		dynamo_error(DYNAMO_VALIDATION,
					 "Key attribute should be present in the item: Key %s",
					 attr->name);
	statement_check_key_type(attr, &value);
}

/*
 * One value for each attribute of the key, and one of its type.
 */
static void
check_key(const Statement *statement, const KeyAttr *attr)
{
	ItemValue	value;
	int			count;

	(void) expr_key_equality(statement->bound->where, attr->name, &value,
							 &count);
	if (count > 1)
		dynamo_error(DYNAMO_VALIDATION,
					 "Multiple conditions on same key %s. Only single item Update/Insert/Delete are supported",
					 attr->name);
	statement_check_key_type(attr, &value);
}
