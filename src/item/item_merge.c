/*-------------------------------------------------------------------------
 *
 * item_merge.c
 *	  Two items: joined, or does one contain the other; and an item without
 *	  some of its attributes.
 *
 * What is carried over is carried over packed, so it keeps its type.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "miscadmin.h"

static bool map_contains(const ItemValue *map, const ItemValue *part);
static bool list_contains(const ItemValue *list, const ItemValue *part);
static bool list_has(const ItemValue *list, const ItemValue *wanted);
static bool set_contains(const ItemValue *set, const ItemValue *part);

/*
 * The attributes of both; where both have one, that of "b".
 */
Item *
item_join(const Item *a, const Item *b)
{
	ItemValue	maps[2] = {item_root(a), item_root(b)};
	uint32		counts[2] = {item_member_count(&maps[0]),
	item_member_count(&maps[1])};
	uint32		at[2] = {0, 0};
	ItemNode	joined;

	item_node_init(&joined, ITEM_M);
	item_node_reserve(&joined, (size_t) counts[0] + counts[1]);
	while (at[0] < counts[0] || at[1] < counts[1])
	{
		const char *names[2] = {NULL, NULL};
		uint32		lens[2];
		ItemValue	values[2];
		int			cmp = 0;
		int			from;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < 2; i++)
		{
			if (at[i] < counts[i])
				item_map_member(&maps[i], at[i], &names[i], &lens[i],
								&values[i]);
		}
		if (names[0] != NULL && names[1] != NULL)
			cmp = item_bytes_compare(names[0], lens[0], names[1], lens[1]);
		from = names[1] == NULL || cmp < 0 ? 0 : 1;
		item_node_leaf(item_node_add(&joined, names[from], lens[from]),
					   &values[from]);
		if (cmp == 0 && names[0] != NULL && names[1] != NULL)
			at[0]++;
		at[from] += 1;
	}
	return item_pack(&joined);
}

/*
 * The item without the attributes of these names, strings that are sorted
 * here.
 */
Item *
item_without(const Item *item, ItemValue *names, uint32 nnames)
{
	ItemValue	map = item_root(item);
	ItemIterator it;
	ItemValue	value;
	ItemNode	rest;

	item_values_sort(names, nnames);
	item_node_init(&rest, ITEM_M);
	item_iterate(&map, &it);
	while (item_next(&it, &value))
	{
		ItemValue	name = item_string(it.name, it.namelen);

		if (nnames == 0 ||
			bsearch(&name, names, nnames, sizeof(ItemValue),
					item_value_order) == NULL)
			item_node_leaf(item_node_add(&rest, it.name, it.namelen), &value);
	}
	return item_pack(&rest);
}

/*
 * Does "value" contain "part"?  A map contains one whose members are all
 * contained in its own of the same name; a list one whose members are each
 * contained in one of its own; a set another one, or a list, whose members
 * it has.  Anything else contains what equals it.
 */
bool
item_value_contains(const ItemValue *value, const ItemValue *part)
{
	check_stack_depth();
	if (item_is_set(value->type) &&
		(part->type == value->type || part->type == ITEM_L))
		return set_contains(value, part);
	if (value->type != part->type)
		return false;
	if (value->type == ITEM_M)
		return map_contains(value, part);
	if (value->type == ITEM_L)
		return list_contains(value, part);
	return item_value_equal(value, part);
}

static bool
map_contains(const ItemValue *map, const ItemValue *part)
{
	ItemIterator it;
	ItemValue	wanted;
	ItemValue	value;

	item_iterate(part, &it);
	while (item_next(&it, &wanted))
	{
		if (!item_map_get(map, it.name, it.namelen, &value) ||
			!item_value_contains(&value, &wanted))
			return false;
	}
	return true;
}

static bool
list_contains(const ItemValue *list, const ItemValue *part)
{
	ItemIterator it;
	ItemValue	wanted;

	item_iterate(part, &it);
	while (item_next(&it, &wanted))
	{
		if (!list_has(list, &wanted))
			return false;
	}
	return true;
}

static bool
list_has(const ItemValue *list, const ItemValue *wanted)
{
	ItemIterator it;
	ItemValue	value;

	item_iterate(list, &it);
	while (item_next(&it, &value))
	{
		if (item_value_contains(&value, wanted))
			return true;
	}
	return false;
}

static bool
set_contains(const ItemValue *set, const ItemValue *part)
{
	ItemIterator it;
	ItemValue	wanted;

	item_iterate(part, &it);
	while (item_next(&it, &wanted))
	{
		if (!item_set_contains(set, &wanted))
			return false;
	}
	return true;
}
