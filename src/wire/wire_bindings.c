/*-------------------------------------------------------------------------
 *
 * wire_bindings.c
 *	  ExpressionAttributeNames and ExpressionAttributeValues.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "wire/wire.h"

static ExprName *read_names(const json_t *names, int *nnames);
static Item *read_values(const json_t *values, ItemWording wording);
static void read_named_value(const char *key, const json_t *value,
							 ItemNode *node);

/*
 * ExpressionAttributeNames and ExpressionAttributeValues of a request (NULL:
 * not given), checked as far as can be without an expression.  NULL: neither
 * is given.
 */
ExprBindings *
wire_bindings(const json_t *names, const json_t *values, const Item *given,
			  ItemWording wording)
{
	int			nnames = 0;
	ExprName   *name_array = NULL;
	const Item *value_map = given;

	if (names == NULL && values == NULL)
		return NULL;
	if (names != NULL)
	{
		name_array = read_names(names, &nnames);
		expr_check_name_keys(nnames, name_array);
	}
	if (values != NULL)
	{
		if (given != NULL)
			expr_check_values(given);
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
		array[n].name = json_is_string(value) ? wire_json_text(value) : "";
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
			codec_read_value(value, wording, node);
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
		codec_read_value(value, ITEM_CLASSIC, node);
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
