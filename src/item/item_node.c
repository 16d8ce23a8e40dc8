/*-------------------------------------------------------------------------
 *
 * item_node.c
 *	  Values under construction.
 *
 * A node is a leaf, which shows a packed value that lives elsewhere, or a
 * branch, which has members of its own.  An update expands the containers on
 * its path and leaves all others as leaves, so it costs what it touches.
 *
 * The members of a map stand sorted by name, so that finding one is a binary
 * search.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Members that a branch has room for at first, when nobody says how many. */
#define FIRST_SPACE	8

static void node_resize(ItemNode *branch, size_t space);
static ItemNode *node_insert(ItemNode *branch, int n);
static bool map_search(const ItemNode *map, const char *name, uint32 namelen,
					   int *n);

/*
 * An empty branch of a container type.
 */
void
item_node_init(ItemNode *node, ItemType type)
{
	memset(node, 0, sizeof(ItemNode));
	node->value.type = type;
	node->branch = true;
}

/*
 * A leaf that shows "value", which must outlive it.
 */
void
item_node_leaf(ItemNode *node, const ItemValue *value)
{
	memset(node, 0, sizeof(ItemNode));
	node->value = *value;
}

/*
 * Turn a leaf of a container type into a branch whose members are leaves.
 * Nothing happens to a branch.
 */
void
item_node_expand(ItemNode *node)
{
	ItemValue	packed = node->value;
	ItemValue	value;
	ItemIterator it;
	uint32		count;

	if (node->branch)
		return;
	count = item_iterate(&packed, &it);
	item_node_init(node, packed.type);
	item_node_reserve(node, count);
	while (item_next(&it, &value))
		item_node_leaf(item_node_add(node, it.name, it.namelen), &value);
}

/*
 * Reserve memory for exactly "count" members of the branch.
 */
void
item_node_reserve(ItemNode *branch, size_t count)
{
	if (count > branch->space)
		node_resize(branch, count);
}

/*
 * A new last member of a list or set, for the caller to fill at once.
 */
ItemNode *
item_node_append(ItemNode *branch)
{
	return node_insert(branch, branch->count);
}

/*
 * The member of a map with this name, new or about to be replaced, for the
 * caller to fill at once.  The name must outlive the node.
 */
ItemNode *
item_node_put(ItemNode *map, const char *name, uint32 namelen)
{
	ItemNode   *node;
	int			n;

	if (map_search(map, name, namelen, &n))
		return &map->members[n].node;
	node = node_insert(map, n);
	map->members[n].name = name;
	map->members[n].namelen = namelen;
	return node;
}

/*
 * The member of a map with this name; NULL when there is none.
 */
ItemNode *
item_node_find(const ItemNode *map, const char *name, uint32 namelen)
{
	int			n;

	return map_search(map, name, namelen, &n) ? &map->members[n].node : NULL;
}

/*
 * A new last member with a name known to be new.  It is out of order: callers
 * must call item_node_sort() in the end.
 */
ItemNode *
item_node_add(ItemNode *map, const char *name, uint32 namelen)
{
	ItemNode   *node = node_insert(map, map->count);

	map->members[map->count - 1].name = name;
	map->members[map->count - 1].namelen = namelen;
	return node;
}

static int
compare_names(const void *a, const void *b, void *arg)
{
	const ItemMember *ma = a;
	const ItemMember *mb = b;

	return item_bytes_compare(ma->name, ma->namelen, mb->name, mb->namelen);
}

/*
 * Put the members of a map in order.
 */
void
item_node_sort(ItemNode *branch)
{
	if (branch->count > 1)
		qsort_interruptible(branch->members, branch->count, sizeof(ItemMember),
							compare_names, NULL);
}

static void
node_resize(ItemNode *branch, size_t space)
{
	if (space > MaxAllocSize / sizeof(ItemMember))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many members in one attribute value")));
	if (branch->members)
		branch->members = repalloc(branch->members,
								   sizeof(ItemMember) * space);
	else
		branch->members = palloc(sizeof(ItemMember) * space);
	branch->space = space;
}

/*
 * Make room for a member at position n.
 */
static ItemNode *
node_insert(ItemNode *branch, int n)
{
	ItemNode   *node;

	Assert(branch->branch);
	if (branch->count >= branch->space)
		node_resize(branch, Max((size_t) branch->space * 2, FIRST_SPACE));
	memmove(&branch->members[n + 1], &branch->members[n],
			sizeof(ItemMember) * (branch->count - n));
	branch->count++;
	memset(&branch->members[n], 0, sizeof(ItemMember));
	node = &branch->members[n].node;
	node->value.type = ITEM_NULL;
	return node;
}

/*
 * Is there a member of this name?  *n is its position, or the one it would
 * have.
 */
static bool
map_search(const ItemNode *map, const char *name, uint32 namelen, int *n)
{
	int			low = 0;
	int			high = map->count;

	Assert(map->branch && map->value.type == ITEM_M);
	while (low < high)
	{
		int			mid = low + (high - low) / 2;
		const ItemMember *member = &map->members[mid];
		int			cmp = item_bytes_compare(name, namelen,
											 member->name, member->namelen);

		if (cmp == 0)
		{
			*n = mid;
			return true;
		}
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	*n = low;
	return false;
}
