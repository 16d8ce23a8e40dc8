/*-------------------------------------------------------------------------
 *
 * item_value.c
 *	  Comparing and measuring values.
 *
 * Two values are equal when they have the same type and the same content:
 * numbers by value, strings and binaries by bytes, lists in order, maps by
 * name, sets without order, at any depth.  Packed forms of equal values have
 * equal bytes, unless an NS or BS inside was written in another order.  Then
 * not even their lengths need be equal: the last member decides how wide the
 * offsets are.
 *
 * The size of a value is DynamoDB's, not ours: it decides what fits in an
 * item and what an operation costs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "item/item_internal.h"
#include "miscadmin.h"

static const char *const type_names[] = {
	[ITEM_S] = "S",
	[ITEM_N] = "N",
	[ITEM_B] = "B",
	[ITEM_BOOL] = "BOOL",
	[ITEM_NULL] = "NULL",
	[ITEM_SS] = "SS",
	[ITEM_NS] = "NS",
	[ITEM_BS] = "BS",
	[ITEM_L] = "L",
	[ITEM_M] = "M",
};

static bool members_equal(const ItemValue *a, const ItemValue *b);
static bool set_equal(const ItemValue *a, const ItemValue *b);
static uint64 sum_of_hashes(const ItemValue *set);
static uint32 members_size(const ItemValue *container, uint32 *count);
static uint32 page_value_size(const ItemValue *value);

ItemValue
item_string(const char *text, uint32 len)
{
	ItemValue	value = {ITEM_S, len, text};

	return value;
}

ItemValue
item_bool(bool truth)
{
	ItemValue	value = {ITEM_BOOL, 1, truth ? "\001" : "\000"};

	return value;
}

/*
 * The type as it stands in JSON: "S", "NS", ...
 */
const char *
item_type_name(ItemType type)
{
	Assert(type >= ITEM_S && type <= ITEM_M);
	return type_names[type];
}

bool
item_type_from_name(const char *name, ItemType *type)
{
	for (int i = ITEM_S; i <= ITEM_M; i++)
	{
		if (name[0] == type_names[i][0] && strcmp(name, type_names[i]) == 0)
		{
			*type = (ItemType) i;
			return true;
		}
	}
	return false;
}

bool
item_equal(const Item *a, const Item *b)
{
	ItemValue	root_a = item_root(a);
	ItemValue	root_b = item_root(b);

	return item_value_equal(&root_a, &root_b);
}

bool
item_value_equal(const ItemValue *a, const ItemValue *b)
{
	if (a->type != b->type)
		return false;
	if (a->len == b->len &&
		(a->len == 0 || memcmp(a->data, b->data, a->len) == 0))
		return true;
	switch (a->type)
	{
		case ITEM_L:
		case ITEM_M:
			return members_equal(a, b);
		case ITEM_NS:
		case ITEM_BS:
			return set_equal(a, b);
		default:
			return false;
	}
}

/*
 * Lists, or maps, whose members stand in the order of their names.
 */
static bool
members_equal(const ItemValue *a, const ItemValue *b)
{
	ItemIterator it_a;
	ItemIterator it_b;
	ItemValue	member_a;
	ItemValue	member_b;

	check_stack_depth();
	if (item_iterate(a, &it_a) != item_iterate(b, &it_b))
		return false;
	while (item_next(&it_a, &member_a) && item_next(&it_b, &member_b))
	{
		if (it_a.namelen != it_b.namelen ||
			(it_a.namelen > 0 &&
			 memcmp(it_a.name, it_b.name, it_a.namelen) != 0) ||
			!item_value_equal(&member_a, &member_b))
			return false;
	}
	return true;
}

/*
 * Most sets that differ do so in their sums, too, which take a fraction of the
 * time that sorting takes.  A condition may compare large sets a thousand times.
 */
static bool
set_equal(const ItemValue *a, const ItemValue *b)
{
	uint32		count;
	ItemValue  *members_a;
	ItemValue  *members_b;
	bool		equal = true;

	if (item_member_count(a) != item_member_count(b) ||
		sum_of_hashes(a) != sum_of_hashes(b))
		return false;
	members_a = item_set_sorted(a, &count);
	members_b = item_set_sorted(b, &count);
	for (uint32 i = 0; equal && i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		equal = item_value_compare(&members_a[i], &members_b[i]) == 0;
	}
	pfree(members_a);
	pfree(members_b);
	return equal;
}

/*
 * Of the members, whatever their order.
 */
static uint64
sum_of_hashes(const ItemValue *set)
{
	ItemIterator it;
	ItemValue	member;
	uint64		sum = 0;

	(void) item_iterate(set, &it);
	while (item_next(&it, &member))
		sum += hash_bytes_extended((const unsigned char *) member.data,
								   member.len, 0);
	return sum;
}

/*
 * Does a value come twice?  Leaves the array sorted.
 */
bool
item_values_repeat(ItemValue *values, int count)
{
	item_values_sort(values, count);
	for (int i = 1; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (item_value_compare(&values[i - 1], &values[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Is "member" one of the set's?  Never when it is of another type.
 */
bool
item_set_contains(const ItemValue *set, const ItemValue *member)
{
	uint32		count = item_member_count(set);
	uint32		low = 0;

	if (item_set_member_type(set->type) != member->type)
		return false;
	while (low < count)
	{
		uint32		at = set->type == ITEM_SS ? low + (count - low) / 2 : low;
		ItemValue	value;
		int			cmp;

		CHECK_FOR_INTERRUPTS();
		item_set_member(set, at, &value);
		cmp = item_value_compare(member, &value);
		if (cmp == 0)
			return true;
		if (set->type == ITEM_SS && cmp < 0)
			count = at;
		else
			low = at + 1;
	}
	return false;
}

/*
 * Bytes of a value by DynamoDB's rules.
 */
uint32
item_value_size(const ItemValue *value)
{
	uint32		size;
	uint32		count;

	switch (value->type)
	{
		case ITEM_S:
		case ITEM_B:
			return value->len;
		case ITEM_N:
			return item_number_size(value);
		case ITEM_BOOL:
		case ITEM_NULL:
			return 1;
		default:
			break;
	}

	check_stack_depth();
	size = members_size(value, &count);
	if (item_is_set(value->type))
		return size;
	return ITEM_CONTAINER_SIZE + count + size;
}

/*
 * Bytes of a container's members and their names.
 */
static uint32
members_size(const ItemValue *container, uint32 *count)
{
	ItemIterator it;
	ItemValue	member;
	uint32		size = 0;

	*count = item_iterate(container, &it);
	while (item_next(&it, &member))
		size += it.namelen + (member.type == ITEM_S ? member.len :
							  item_value_size(&member));
	return size;
}

/*
 * Bytes of an item by DynamoDB's rules: names and values, nothing else.
 */
uint32
item_size(const Item *item)
{
	ItemValue	root = item_root(item);
	uint32		count;

	/* what a nested map costs beyond its names and values is not counted */
	return members_size(&root, &count);
}

/*
 * No less than that, and known at once: no item's size is four times its packed
 * length.
 */
uint64
item_size_bound(const Item *item)
{
	return (uint64) 4 * VARSIZE_ANY_EXHDR(item);
}

/*
 * Refuse an item that is too large with "message".  Small ones need not be
 * measured.
 */
void
item_check_size(const Item *item, const char *message)
{
	if (item_size_bound(item) > DYNAMO_MAX_ITEM_SIZE &&
		item_size(item) > DYNAMO_MAX_ITEM_SIZE)
		dynamo_error(DYNAMO_VALIDATION, "%s", message);
}

/*
 * What an item counts towards the 1 MB page of Query and Scan.  That limit
 * follows the service's storage form, not the billed size: names do not
 * count, and the sort key counts once for every 3 kB of the rest.
 * "sort_key_name" is the table's sort key, or NULL.
 */
uint32
item_page_size(const Item *item, const char *sort_key_name)
{
	ItemValue	root = item_root(item);
	ItemIterator it;
	ItemValue	value;
	uint32		sort_len = sort_key_name ? strlen(sort_key_name) : 0;
	uint32		sort_size = 0;
	uint32		size = 0;

	(void) item_iterate(&root, &it);
	while (item_next(&it, &value))
	{
		if (sort_key_name && it.namelen == sort_len &&
			memcmp(it.name, sort_key_name, sort_len) == 0)
			sort_size = item_value_size(&value);
		else
			size += 1 + page_value_size(&value);
	}
	return 2 + size + (1 + (1 + size) / 3072) * (18 + sort_size);
}

static uint32
page_value_size(const ItemValue *value)
{
	uint32		size = item_value_size(value);

	switch (value->type)
	{
		case ITEM_S:
			return size + (size < 128 ? 1 : (size < 16384 ? 2 : 3));
		case ITEM_N:
		case ITEM_B:
			return size + 1;
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			return size + item_member_count(value) + 1;
		default:
			return size;
	}
}

/*
 * How many lists and maps stand in one another, this one counted.
 */
int
item_value_depth(const ItemValue *value)
{
	ItemIterator it;
	ItemValue	member;
	int			deepest = 0;

	if (value->type != ITEM_L && value->type != ITEM_M)
		return 0;
	check_stack_depth();
	(void) item_iterate(value, &it);
	while (item_next(&it, &member))
	{
		int			depth = item_value_depth(&member);

		deepest = Max(deepest, depth);
	}
	return deepest + 1;
}
