/*-------------------------------------------------------------------------
 *
 * api_request.c
 *	  What many requests carry: placeholders, expressions beside legacy
 *	  parameters, keys.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"

static void append_given(StringInfo out, const ApiParameter *parameters,
						 int n, bool expression);

/*
 * Expressions and legacy parameters exclude each other.  "parameters" stand in
 * the order in which they are to be listed.
 */
void
api_check_mixing(const ApiParameter *parameters, int n)
{
	bool		expression = false;
	bool		legacy = false;
	StringInfoData old;
	StringInfoData new;

	for (int i = 0; i < n; i++)
	{
		if (parameters[i].given && parameters[i].expression)
			expression = true;
		else if (parameters[i].given)
			legacy = true;
	}
	if (!expression || !legacy)
		return;

	initStringInfo(&old);
	initStringInfo(&new);
	append_given(&old, parameters, n, false);
	append_given(&new, parameters, n, true);
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_MIXING,
					  "Can not use both expression and non-expression parameters in the same request: "
					  "Non-expression parameters: {%s} Expression parameters: {%s}",
					  old.data, new.data);
}

static void
append_given(StringInfo out, const ApiParameter *parameters, int n,
			 bool expression)
{
	for (int i = 0; i < n; i++)
	{
		if (parameters[i].given && parameters[i].expression == expression)
			appendStringInfo(out, "%s%s", out->len > 0 ? ", " : "",
							 parameters[i].name);
	}
}

/*
 * The key of an item to put in a batch: any fault of it has the text of a Key.
 */
void
api_check_batch_key(const TableDef *def, const Item *item)
{
	ItemValue	value;

	if (!key_attr_value(item, &def->hash, &value) ||
		(def->range.name && !key_attr_value(item, &def->range, &value)))
		dynamo_error(DYNAMO_VALIDATION,
					 "The provided key element does not match the schema");
}
