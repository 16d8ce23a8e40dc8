/*-------------------------------------------------------------------------
 *
 * api_request.c
 *	  What many requests carry: placeholders, expressions beside legacy
 *	  parameters, paths that meet keys.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"

static ExprName *read_names(const json_t *names, int *nnames);
static Item *read_values(const json_t *values, ItemWording wording);
static void read_named_value(const char *key, const json_t *value,
							 ItemNode *node);
static void append_given(StringInfo out, const ApiParameter *parameters,
						 int n, bool expression);
static List *nested_paths(const List *paths);
static void check_scalar_key(const List *paths, const char *key,
							 const char *label);

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
	dynamo_error(DYNAMO_VALIDATION,
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
 * ExpressionAttributeNames and ExpressionAttributeValues (either NULL: not
 * given), checked.
 */
ExprBindings *
api_read_bindings(const json_t *names, const json_t *values,
				  const ApiGivenItems *given, ItemWording wording)
{
	int			nnames = 0;
	ExprName   *name_array = NULL;
	Item	   *value_map = NULL;

	if (names == NULL && values == NULL)
		return NULL;
	if (names != NULL)
	{
		name_array = read_names(names, &nnames);
		expr_check_name_keys(nnames, name_array);
	}
	if (values != NULL)
	{
		value_map = api_given_item(given, values);
		if (value_map != NULL)
			expr_check_values(value_map);
		else
			value_map = read_values(values, wording);
	}
	expr_check_names(nnames, name_array);
	return expr_bindings(nnames, name_array, value_map);
}

static ExprName *
read_names(const json_t *names, int *nnames)
{
	ExprName   *array = palloc0(sizeof(ExprName) * (json_object_size(names) + 1));
	int			n = 0;
	const char *key;
	json_t	   *value;

	json_object_foreach((json_t *) names, key, value)
	{
		CHECK_FOR_INTERRUPTS();
		array[n].placeholder = key;
		array[n].name = json_is_null(value) ? "" : wire_json_text(value);
		n++;
	}
	*nnames = n;
	return array;
}

static Item *
read_values(const json_t *values, ItemWording wording)
{
	ItemNode	map;
	const char *key;
	json_t	   *value;

	expr_check_value_count(json_object_size(values));
	json_object_foreach((json_t *) values, key, value)
	{
		CHECK_FOR_INTERRUPTS();
		expr_check_value_key(key, strlen(key));
	}
	item_node_init(&map, ITEM_M);
	json_object_foreach((json_t *) values, key, value)
	{
		ItemNode   *node = item_node_add(&map, key, strlen(key));

		CHECK_FOR_INTERRUPTS();
		if (wording == ITEM_CLASSIC)
			read_named_value(key, value, node);
		else
			item_json_read_value(value, wording, node);
	}
	item_node_sort(&map);
	return item_pack(&map);
}

/*
 * One value in the classic wording: what is wrong with it is said with its
 * key.  Reading a value touches nothing but memory, so its error needs no
 * subtransaction.
 */
static void
read_named_value(const char *key, const json_t *value, ItemNode *node)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		item_json_read_value(value, ITEM_CLASSIC, node);
	}
	PG_CATCH();
	{
		const char *message = dynamo_caught(DYNAMO_VALIDATION,
											context)->message;

		FlushErrorState();
		dynamo_error(DYNAMO_VALIDATION,
					 "ExpressionAttributeValues contains invalid value: %s for key %s",
					 message, key);
	}
	PG_END_TRY();
}

/*
 * Refuse document paths (List of ExprPath *) that reach into a key attribute
 * of the table or of one of its indexes.
 */
void
api_check_key_paths(const TableDef *def, const List *paths)
{
	paths = nested_paths(paths);
	if (paths == NIL)
		return;
	check_scalar_key(paths, def->hash.name, "Key");
	if (def->range.name)
		check_scalar_key(paths, def->range.name, "Key");
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		for (int k = 0; k < index->nhash; k++)
			check_scalar_key(paths, index->hash[k].name, "IndexKey");
		for (int k = 0; k < index->nrange; k++)
			check_scalar_key(paths, index->range[k].name, "IndexKey");
	}
}

/*
 * The paths that reach into an attribute.  Others may be many, expressions are
 * short.
 */
static List *
nested_paths(const List *paths)
{
	List	   *nested = NIL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		ExprPath   *path = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (path->nsteps > 1)
			nested = lappend(nested, path);
	}
	return nested;
}

static void
check_scalar_key(const List *paths, const char *key, const char *label)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		const ExprPath *path = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (expr_path_starts_with(path, key))
			dynamo_error(DYNAMO_VALIDATION,
						 "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s",
						 label, key);
	}
}

/*
 * The key of an item to put in a batch: any fault of it has the text of a Key.
 */
void
api_check_batch_key(const TableDef *def, const Item *item)
{
	ItemValue	value;

	if (!engine_key_value(item, &def->hash, &value) ||
		(def->range.name && !engine_key_value(item, &def->range, &value)))
		dynamo_error(DYNAMO_VALIDATION,
					 "The provided key element does not match the schema");
}
