/*-------------------------------------------------------------------------
 *
 * api_plan.c
 *	  What a Query, Scan or GetItem reads, put into words for EXPLAIN.
 *
 * A key is shown as a KeyConditionExpression would have it, with values in
 * place of placeholders: strings and numbers as in JSON, other types as typed
 * JSON.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"

static const char *query_key(const ApiTarget *target,
							 const EngineScanSpec *spec);
static void append_range(StringInfo out, const char *name,
						 const EngineScanSpec *spec);
static void append_equal(StringInfo out, const char *name,
						 const ItemValue *value);
static void append_value(StringInfo out, const ItemValue *value);

void
api_plan_reader(const ApiReader *query, ApiPlan *plan)
{
	const ApiTarget *target = api_reader_target(query);
	const EngineScanSpec *spec = api_reader_spec(query);

	plan->index = target->index ? target->index->relid :
		target->def->primary_relid;
	plan->key = spec->nhash > 0 ? query_key(target, spec) : NULL;
}

void
api_plan_get(const char *table_name, const Item *key, ApiPlan *plan)
{
	EngineTable *table = engine_open(NULL, wire_table_name(table_name),
									 ENGINE_READ);
	const TableDef *def = engine_def(table);

	plan->index = def->primary_relid;
	plan->key = api_plan_key(def, key_given(def, key));
	engine_close(table);
}

/*
 * A key as a KeyConditionExpression with its values in place.
 */
char *
api_plan_key(const TableDef *def, const TableKey *key)
{
	StringInfoData out;

	initStringInfo(&out);
	append_equal(&out, def->hash.name, &key->hash);
	if (def->range.name)
		append_equal(&out, def->range.name, &key->range);
	return out.data;
}

/*
 * The same of a partition.
 */
char *
api_plan_partition(const TableDef *def, const ItemValue *hash)
{
	StringInfoData out;

	initStringInfo(&out);
	append_equal(&out, def->hash.name, hash);
	return out.data;
}

static const char *
query_key(const ApiTarget *target, const EngineScanSpec *spec)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < spec->nhash; i++)
		append_equal(&out, target->hash[i].name, &spec->hash[i]);
	for (int i = 0; i < spec->nequal; i++)
		append_equal(&out, target->range[i].name, &spec->equal[i]);
	if (spec->op != EXPR_KEY_NONE)
		append_range(&out, target->range[spec->nequal].name, spec);
	return out.data;
}

/*
 * The condition on the last key attribute that has one.
 */
static void
append_range(StringInfo out, const char *name, const EngineScanSpec *spec)
{
	static const char *const operators[] = {
		[EXPR_KEY_EQ] = "=",[EXPR_KEY_LT] = "<",[EXPR_KEY_LE] = "<=",
		[EXPR_KEY_GT] = ">",[EXPR_KEY_GE] = ">="
	};

	appendStringInfoString(out, " AND ");
	if (spec->op == EXPR_KEY_BEGINS_WITH)
		appendStringInfo(out, "begins_with(%s, ", name);
	else if (spec->op == EXPR_KEY_BETWEEN)
		appendStringInfo(out, "%s BETWEEN ", name);
	else
		appendStringInfo(out, "%s %s ", name, operators[spec->op]);
	append_value(out, &spec->low);
	if (spec->op == EXPR_KEY_BEGINS_WITH)
		appendStringInfoChar(out, ')');
	if (spec->op == EXPR_KEY_BETWEEN)
	{
		appendStringInfoString(out, " AND ");
		append_value(out, &spec->high);
	}
}

static void
append_equal(StringInfo out, const char *name, const ItemValue *value)
{
	appendStringInfo(out, "%s%s = ", out->len > 0 ? " AND " : "", name);
	append_value(out, value);
}

static void
append_value(StringInfo out, const ItemValue *value)
{
	if (value->type == ITEM_S)
		codec_append_string(out, value->data, value->len);
	else if (value->type == ITEM_N)
		item_number_append(out, value);
	else
		codec_append_value(out, value);
}
