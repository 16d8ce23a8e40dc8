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
#include "port/pg_bswap.h"

/* Members that a branch has room for at first, when nobody says how many. */
#define FIRST_SPACE	8

/* So many members are sorted on the stack, by insertion. */
#define FEW		32

/* A member to be sorted */
typedef struct Place
{
	uint64		prefix;			/* of its name */
	const ItemMember *member;
} Place;

static bool sort_places(Place *places, int count);
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

/*
 * The first eight bytes of a name: where they differ, they are in the order of
 * the names.
 */
static inline uint64
name_prefix(const ItemMember *member)
{
	uint32		len = member->namelen;
	uint64		prefix = 0;

	if (len >= 8)
	{
		memcpy(&prefix, member->name, 8);
		return pg_ntoh64(prefix);
	}
	if (len >= 4)
	{
		uint32		first;
		uint32		last;

		/* They overlap where the name has less than eight. */
		memcpy(&first, member->name, 4);
		memcpy(&last, member->name + len - 4, 4);
		return (uint64) pg_ntoh32(first) << 32 |
			(uint64) pg_ntoh32(last) << (64 - 8 * len);
	}
	for (uint32 i = 0; i < len; i++)
		prefix |= (uint64) (uint8) member->name[i] << (56 - 8 * i);
	return prefix;
}

static int
compare_places(const void *a, const void *b, void *arg)
{
	const Place *pa = a;
	const Place *pb = b;

	if (pa->prefix != pb->prefix)
		return pa->prefix < pb->prefix ? -1 : 1;
	return item_bytes_compare(pa->member->name, pa->member->namelen,
							  pb->member->name, pb->member->namelen);
}

/*
 * Put the members of a map in order.
 */
void
item_node_sort(ItemNode *branch)
{
	int			count = branch->count;
	Place		few[FEW];
	Place	   *places = few;
	ItemMember *members;

	if (count <= 1)
		return;
	if (count > FEW)
		places = palloc_extended(sizeof(Place) * count, MCXT_ALLOC_HUGE);
	for (int i = 0; i < count; i++)
	{
		places[i].member = &branch->members[i];
		places[i].prefix = name_prefix(places[i].member);
	}
	if (!sort_places(places, count))
	{
		members = palloc(sizeof(ItemMember) * branch->space);
		for (int i = 0; i < count; i++)
			members[i] = *places[i].member;
		pfree(branch->members);
		branch->members = members;
	}
	if (places != few)
		pfree(places);
}

/*
 * Sort; true if they were in order already.
 */
static bool
sort_places(Place *places, int count)
{
	bool		sorted = true;

	if (count > FEW)
	{
		qsort_interruptible(places, count, sizeof(Place), compare_places,
							NULL);
		return false;
	}
	for (int i = 1; i < count; i++)
	{
		Place		place = places[i];
		int			n = i;

		while (n > 0 && compare_places(&places[n - 1], &place, NULL) > 0)
		{
			places[n] = places[n - 1];
			n--;
		}
		if (n < i)
		{
			places[n] = place;
			sorted = false;
		}
	}
	return sorted;
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
	if (n < branch->count)
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
