/*-------------------------------------------------------------------------
 *
 * codec_path.c
 *	  Paths of names and list positions, as core's #> has them: what is there,
 *	  and the item with something else there.
 *
 * A new value comes as jsonb, which has no sets and no binaries.  Where one of
 * these stood, an array or a base64 string of its kind becomes one again: what
 * is read as jsonb and written back is what it was.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "miscadmin.h"

static bool get_step(const ItemValue *value, const char *step,
					 ItemValue *member);
static bool read_position(const char *step, uint32 count, int64 *position);
static ItemNode *find_step(ItemNode *node, const char *step, bool *append,
						   uint32 flags);
static ItemNode *find_position(ItemNode *list, const char *step);
static ItemNode *add_step(ItemNode *node, const char *step);
static void keep_types(const ItemValue *old, ItemNode *node);
static void keep_map_types(const ItemValue *old, ItemNode *node);
static void keep_list_types(const ItemValue *old, ItemNode *node);
static void keep_set(ItemType type, ItemNode *node);
static void keep_binary(ItemNode *node);

/*
 * What is at a path in the item: names in maps, positions in lists and sets,
 * from 0, negative ones from the end.  False: nothing.
 */
bool
codec_follow(const Item *item, char **path, int nsteps, ItemValue *value)
{
	*value = item_root(item);
	for (int i = 0; i < nsteps; i++)
	{
		ItemValue	member;

		if (!get_step(value, path[i], &member))
			return false;
		*value = member;
	}
	return true;
}

static bool
get_step(const ItemValue *value, const char *step, ItemValue *member)
{
	int64		position;
	uint32		count;

	if (value->type == ITEM_M)
		return item_map_get(value, step, strlen(step), member);
	if (value->type < ITEM_SS)
		return false;

	count = item_member_count(value);
	if (!read_position(step, count, &position) || position < 0 ||
		position >= count)
		return false;
	if (value->type == ITEM_L)
		item_list_member(value, position, member);
	else
		item_set_member(value, position, member);
	return true;
}

/*
 * A step as a position among "count" members, counted from the first; it need
 * not be one of them.
 */
static bool
read_position(const char *step, uint32 count, int64 *position)
{
	char	   *end;

	errno = 0;
	*position = strtol(step, &end, 10);
	if (end == step || *end != '\0' || errno != 0)
		return false;
	if (*position < 0)
		*position += count;
	return true;
}

/*
 * The item with a value at a path of one step or more.  A position past the end
 * of a list appends to it.  CODEC_WITH_LAST: the last step may be new;
 * CODEC_WITH_ALL: any step may, and a path through a scalar or a set is an
 * error; what is new on the way is a list where "positions" has the step into
 * it, otherwise a map.  NULL: the path leads nowhere, and "flags" do not allow
 * for that.  The members of a set have no path.
 */
Item *
codec_with(const Item *item, char **path, const bool *positions, int nsteps,
		   Jsonb *value, uint32 flags)
{
	ItemValue	root = item_root(item);
	ItemNode	top;
	ItemNode   *node = &top;
	ItemNode	new_node;
	bool		append = false;

	codec_check_nesting(nsteps - 1);
	item_node_leaf(&top, &root);
	codec_plain_read_value(value, nsteps, &new_node);
	for (int i = 0; i < nsteps; i++)
	{
		bool		last = i == nsteps - 1;
		ItemNode   *next = find_step(node, path[i], &append, flags);

		if (next == NULL)
		{
			if (!append ||
				!(flags & (last ? CODEC_WITH_LAST | CODEC_WITH_ALL : CODEC_WITH_ALL)))
				return NULL;
			next = add_step(node, path[i]);
			if (!last)
				item_node_init(next, positions[i + 1] ? ITEM_L : ITEM_M);
		}
		node = next;
	}
	if (!node->branch)
		keep_types(&node->value, &new_node);
	*node = new_node;
	return item_pack(&top);
}

/*
 * The member that a step leads to; NULL when there is none, and *append says
 * whether there may be one.
 */
static ItemNode *
find_step(ItemNode *node, const char *step, bool *append, uint32 flags)
{
	ItemType	type = node->value.type;

	*append = true;
	if (type == ITEM_M || type == ITEM_L)
	{
		item_node_expand(node);
		if (type == ITEM_L)
			return find_position(node, step);
		codec_check_name(step, strlen(step));
		return item_node_find(node, step, strlen(step));
	}
	if (flags & CODEC_WITH_ALL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot replace existing key"),
				 errdetail("The path assumes that the value before \"%s\" is a map or a list, but it is of type %s.",
						   step, item_type_name(type))));
	*append = false;
	return NULL;
}

/*
 * The member of a list at this position; NULL when that is past the end.
 */
static ItemNode *
find_position(ItemNode *list, const char *step)
{
	int64		position;

	if (!read_position(step, list->count, &position))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("path element \"%s\" is not a position in a list",
						step)));
	if (position < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("path element \"%s\" is out of range", step)));
	return position < list->count ? &list->members[position].node : NULL;
}

static ItemNode *
add_step(ItemNode *node, const char *step)
{
	if (node->value.type == ITEM_L)
		return item_node_append(node);
	return item_node_put(node, step, strlen(step));
}

/*
 * "node" replaces "old" and came from jsonb: give it the types that jsonb
 * cannot express, where it could be the same kind of thing.
 */
static void
keep_types(const ItemValue *old, ItemNode *node)
{
	check_stack_depth();
	if (old->type == ITEM_B && node->value.type == ITEM_S)
		keep_binary(node);
	else if (item_is_set(old->type) && node->value.type == ITEM_L)
		keep_set(old->type, node);
	else if (old->type == ITEM_M && node->value.type == ITEM_M)
		keep_map_types(old, node);
	else if (old->type == ITEM_L && node->value.type == ITEM_L)
		keep_list_types(old, node);
}

static void
keep_map_types(const ItemValue *old, ItemNode *node)
{
	for (int i = 0; i < node->count; i++)
	{
		ItemMember *member = &node->members[i];
		ItemValue	value;

		CHECK_FOR_INTERRUPTS();
		if (item_map_get(old, member->name, member->namelen, &value))
			keep_types(&value, &member->node);
	}
}

/*
 * Members of a list may have moved.  A set or a binary stays one where it is
 * the same as before.
 */
static void
keep_list_types(const ItemValue *old, ItemNode *node)
{
	uint32		count = Min(item_member_count(old), node->count);

	for (uint32 i = 0; i < count; i++)
	{
		ItemNode	kept = node->members[i].node;
		ItemValue	value;

		CHECK_FOR_INTERRUPTS();
		item_list_member(old, i, &value);
		keep_types(&value, &kept);
		if (value.type == ITEM_B || item_is_set(value.type))
		{
			ItemValue	packed = item_pack_value(&kept);

			if (!item_value_equal(&packed, &value))
				continue;
		}
		node->members[i].node = kept;
	}
}

/*
 * A list as a set, its members once each.  An empty list stays one, for there
 * are no empty sets, and so does one with members of other types.
 */
static void
keep_set(ItemType type, ItemNode *node)
{
	ItemType	member_type = item_set_member_type(type);
	ItemValue  *values = palloc(sizeof(ItemValue) * Max(node->count, 1));
	int			count = node->count;

	for (int i = 0; i < count; i++)
	{
		ItemNode	member = node->members[i].node;

		CHECK_FOR_INTERRUPTS();
		if (type == ITEM_BS && member.value.type == ITEM_S)
			keep_binary(&member);
		if (member.branch || member.value.type != member_type)
			return;
		values[i] = member.value;
	}
	if (count == 0)
		return;
	item_values_sort(values, count);
	item_node_init(node, type);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == 0 || item_value_compare(&values[i - 1], &values[i]) != 0)
			item_node_leaf(item_node_append(node), &values[i]);
	}
}

/*
 * A string as the binary that it is the base64 of, if it is.
 */
static void
keep_binary(ItemNode *node)
{
	const ItemValue *text = &node->value;
	char	   *buffer = palloc(Max(text->len, 1));
	ItemValue	bytes = {ITEM_B, 0, buffer};

	if (item_base64_decode(text->data, text->len, buffer,
						   &bytes.len) == ITEM_BASE64_OK)
		item_node_leaf(node, &bytes);
}
