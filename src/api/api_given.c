/*-------------------------------------------------------------------------
 *
 * api_given.c
 *	  Items that come beside the JSON of a request, not in it.
 *
 * The SQL functions of transactions take JSON in which items are plain.  They
 * read them anyway, so they need not be written as typed JSON to be parsed,
 * checked and read once more.  In their place stands an object that the shape
 * of a request takes for an item, and that names the item by its number.
 *
 * Nothing tells a stand-in from an item that looks like one.  So a caller that
 * gives items has to give all that the request has.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "utils/builtins.h"

#define MEMBER	"given"

static const json_t *only_member(const json_t *json);

/*
 * Give an item: append what stands for it.
 */
void
api_give_item(ApiGivenItems *given, Item *item, StringInfo json)
{
	char		number[12];

	pg_ltoa(list_length(given->items), number);
	appendStringInfoString(json, "{\"" MEMBER "\":{\"N\":\"");
	appendStringInfoString(json, number);
	appendStringInfoString(json, "\"}}");
	given->items = lappend(given->items, item);
}

/*
 * The item that "json" stands for; NULL if it stands for itself.  "given" may
 * be NULL.
 */
Item *
api_given_item(const ApiGivenItems *given, const json_t *json)
{
	const char *number;
	int			n;

	if (given == NULL || given->items == NIL)
		return NULL;
	number = json_string_value(only_member(only_member(json)));
	n = number ? atoi(number) : -1;
	if (n < 0 || n >= list_length(given->items))
		elog(ERROR, "an item of the request was not given");
	return list_nth(given->items, n);
}

/*
 * NULL: it is no object, or has no member.
 */
static const json_t *
only_member(const json_t *json)
{
	json_t	   *object = unconstify(json_t *, json);

	return json_object_iter_value(json_object_iter(object));
}
