/*-------------------------------------------------------------------------
 *
 * transfer_filter.c
 *	  Which items an export is of, and which of their attributes.
 *
 * A filter is read when the export is asked for, which raises what is wrong
 * with it, and again when the work begins.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "transfer/transfer_internal.h"
#include "wire/wire.h"

#define INVALID		"Invalid Request: Invalid FilterSpecification: "

#define MAX_NAME	250			/* bytes */
#define MAX_VALUE	(2 * 1024 * 1024)	/* bytes */

static json_t *known_members(const json_t *specification);
static void check_sizes(const ExprBindings *bindings);

/*
 * A FilterSpecification, whose JSON types have been checked, as far as it can
 * be read without a table.  Raises ValidationException.
 */
TransferFilter *
transfer_filter_read(const json_t *specification)
{
	TransferFilter *filter = palloc0(sizeof(TransferFilter));
	const char *keys = wire_json_text_in(specification, "KeyConditionExpression");
	const char *condition = wire_json_text_in(specification, "FilterExpression");
	const char *projection = wire_json_text_in(specification, "ProjectionExpression");
	const json_t *names = wire_json_get(specification,
										"ExpressionAttributeNames");
	const json_t *values = wire_json_get(specification,
										 "ExpressionAttributeValues");
	bool		valued = keys != NULL || condition != NULL;
	ExprBindings *bindings;

	filter->specification = known_members(specification);
	if (json_object_size(filter->specification) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 INVALID "The specification can not be empty");
	expr_check_given(names != NULL, values != NULL, valued || projection,
					 valued ? NULL :
					 "FilterExpression and KeyConditionExpression are null");
	bindings = wire_bindings(names, values, NULL,
							 keys ? ITEM_CURRENT : ITEM_CLASSIC);
	if (bindings != NULL)
		check_sizes(bindings);
	if (keys)
		filter->keys = expr_parse_condition(EXPR_KEY_CONDITION, keys, bindings);
	if (condition)
		filter->filter = expr_parse_condition(EXPR_FILTER, condition, bindings);
	if (projection)
		filter->projection = expr_parse_projection(projection, bindings);
	expr_check_unused(bindings);
	if (filter->keys)
	{
		filter->clauses = expr_key_condition(filter->keys);
		engine_check_clauses(filter->clauses);
	}
	return filter;
}

/*
 * The specification without members that it does not have, and those that are
 * null.
 */
static json_t *
known_members(const json_t *specification)
{
	static const char *const names[] = {
		"FilterExpression", "ProjectionExpression", "KeyConditionExpression",
		"ExpressionAttributeNames", "ExpressionAttributeValues"
	};
	StringInfoData known;
	const char *key;
	json_t	   *value;
	json_error_t error;

	initStringInfo(&known);
	appendStringInfoChar(&known, '{');
	json_object_foreach((json_t *) specification, key, value)
	{
		for (int i = 0; i < lengthof(names) && !json_is_null(value); i++)
		{
			if (strcmp(names[i], key) != 0)
				continue;
			wire_member(&known, key);
			wire_append_json(&known, value);
		}
	}
	appendStringInfoChar(&known, '}');
	return codec_load(known.data, known.len, &error);
}

/*
 * How long a name and a value may be here, that have passed for others.
 */
static void
check_sizes(const ExprBindings *bindings)
{
	ItemValue	root;
	ItemIterator it;
	ItemValue	value;

	for (int i = 0; i < bindings->nnames; i++)
	{
		if (strlen(bindings->names[i].name) > MAX_NAME)
			dynamo_error(DYNAMO_VALIDATION,
						 INVALID "The name for key %s is longer than %d bytes",
						 bindings->names[i].placeholder, MAX_NAME);
	}
	if (bindings->values == NULL)
		return;
	root = item_root(bindings->values);
	item_iterate(&root, &it);
	while (item_next(&it, &value))
	{
		CHECK_FOR_INTERRUPTS();
		if (value.len > MAX_VALUE)
			dynamo_error(DYNAMO_VALIDATION,
						 INVALID "The value for key %s is larger than %d bytes",
						 pnstrdup(it.name, it.namelen), MAX_VALUE);
	}
}

/*
 * Check one against a table's keys and indexes.  Raises ValidationException.
 * The order is that of Query.
 */
void
transfer_filter_check(TransferFilter *filter, const TableDef *def)
{
	transfer_filter_bind(filter, def);
	if (filter->projection)
		engine_check_key_paths(def, expr_projection_paths(filter->projection));
	if (filter->filter && filter->clauses)
		engine_check_filter_keys(def, NULL, filter->filter,
								 "Filter Expression");
	if (filter->filter)
		engine_check_key_paths(def, expr_condition_paths(filter->filter));
}

/*
 * Find its range of a table.  Raises ValidationException.
 */
void
transfer_filter_bind(TransferFilter *filter, const TableDef *def)
{
	if (filter->clauses)
		engine_bind_keys(def, NULL, filter->clauses, NULL, NULL,
						 &filter->range);
}
