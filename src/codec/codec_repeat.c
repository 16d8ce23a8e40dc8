/*-------------------------------------------------------------------------
 *
 * codec_repeat.c
 *	  Sets with a member that comes twice.
 *
 * A set may have millions of members when it comes, so they are sorted, never
 * compared each with each.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "miscadmin.h"

/* A member of a set, and where it stands there. */
typedef struct Numbered
{
	ItemValue	value;
	int			position;
} Numbered;

static void refuse_repeats(ItemType type, ItemWording wording,
						   const char *list) pg_attribute_noreturn();
static char *sent_members(const json_t *json);
static char *members_up_to_repeat(ItemType type, const ItemNode *node);
static int	first_repeat(const ItemNode *node);
static int	compare_numbered(const void *a, const void *b);
static ItemValue *all_values(const ItemNode *node);

/*
 * Refuse a set, "json" read into "node", with a member that comes twice.
 */
void
codec_check_repeats(ItemType type, const json_t *json, ItemWording wording,
					const ItemNode *node)
{
	ItemValue  *values = all_values(node);
	bool		repeats = item_values_repeat(values, node->count);

	pfree(values);
	if (!repeats)
		return;
	if (type == ITEM_NS)
		refuse_repeats(type, wording, "");
	if (wording != ITEM_CURRENT)
		refuse_repeats(type, wording, sent_members(json));
	refuse_repeats(type, wording, members_up_to_repeat(type, node));
}

/*
 * "list" is the set as its type's text has it.
 */
static void
refuse_repeats(ItemType type, ItemWording wording, const char *list)
{
	const char *message;

	if (type == ITEM_NS)
		message = wording != ITEM_CURRENT ?
			"Input collection contains duplicates" :
			DYNAMO_INVALID "Input collection contains duplicates.";
	else
		message = psprintf(DYNAMO_INVALID "Input collection [%s]%s contains duplicates.",
						   list, type == ITEM_BS ? "of type BS" : "");
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE, "%s", message);
}

/*
 * A set's members as they were sent.
 */
static char *
sent_members(const json_t *json)
{
	StringInfoData list;
	size_t		i;
	json_t	   *member;

	initStringInfo(&list);
	json_array_foreach(json, i, member)
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "",
						 json_string_value(member));
	}
	return list.data;
}

/*
 * A set's members as the service holds them when it meets the first one that
 * was there before: those up to there sorted, then that one, then the rest.
 */
static char *
members_up_to_repeat(ItemType type, const ItemNode *node)
{
	int			repeat = first_repeat(node);
	ItemValue  *values = all_values(node);
	StringInfoData list;

	item_values_sort(values, repeat);
	initStringInfo(&list);
	for (int i = 0; i < node->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoString(&list, type == ITEM_SS ? ", " : ",");
		if (type == ITEM_SS)
			codec_append_string(&list, values[i].data, values[i].len);
		else
		{
			appendStringInfoChar(&list, '"');
			item_base64_append(&list, values[i].data, values[i].len);
			appendStringInfoChar(&list, '"');
		}
	}
	return list.data;
}

/*
 * The position of the first member of a set that was there before; the set
 * has one.
 */
static int
first_repeat(const ItemNode *node)
{
	Numbered   *members = palloc(sizeof(Numbered) * node->count);
	int			first = node->count;

	for (int i = 0; i < node->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		members[i].value = node->members[i].node.value;
		members[i].position = i;
	}
	dynamo_sort(members, node->count, sizeof(Numbered), compare_numbered);
	for (int i = 1; i < node->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (item_value_compare(&members[i - 1].value, &members[i].value) == 0)
			first = Min(first, members[i].position);
	}
	pfree(members);
	return first;
}

/*
 * By value, and equal ones by position.
 */
static int
compare_numbered(const void *a, const void *b)
{
	const Numbered *na = a;
	const Numbered *nb = b;
	int			order = item_value_compare(&na->value, &nb->value);

	if (order != 0)
		return order;
	return na->position < nb->position ? -1 : na->position > nb->position;
}

/*
 * The members of a set under construction.
 */
static ItemValue *
all_values(const ItemNode *node)
{
	ItemValue  *values = palloc(sizeof(ItemValue) * node->count);

	for (int n = 0; n < node->count; n++)
	{
		CHECK_FOR_INTERRUPTS();
		values[n] = node->members[n].node.value;
	}
	return values;
}
