/*-------------------------------------------------------------------------
 *
 * item_format.c
 *	  The packed form of items: reading it, making it, checking it.
 *
 * No other file knows this layout.
 *
 * An Item is a varlena.  What follows its length word is
 *
 *		byte 0		low four bits: version of the format, 2
 *					high four bits: reserved, 0
 *		byte 1..	payload of the root, a value of type M
 *
 * A value is a type and a payload.  The type is an ItemType, one byte; where
 * it stands depends on what the value is in.  The payload's length is never
 * written with it: it follows from the container's offsets, so a string of n
 * bytes costs n bytes.
 *
 *		S			UTF-8, NUL allowed
 *		N			sortable number, see item_number.c; 1 to 21 bytes
 *		B			the bytes
 *		BOOL		one byte, 0 or 1
 *		NULL		nothing
 *		others		a container:
 *
 *		+------+------------------------+----------------------------+
 *		| head | end[0] .. end[count-2] | member 0 .. member count-1 |
 *		+------+------------------------+----------------------------+
 *
 *		head		varint of count * 4 + (width - 1)
 *		end[i]		where member i ends, counted from the start of member 0;
 *					an unsigned integer of "width" bytes, little endian; the
 *					last member ends where the container does
 *		width		1 to 4, the least in which the last of these fits; 1 when
 *					there are none
 *
 * and a member is
 *
 *		in L		type byte, payload
 *		in a set	payload (the set's type says which)
 *		in M		a byte: type in the low four bits, length of the name in the
 *					high four, or 0 and a varint with it if it is 16 or more;
 *					name; payload
 *
 * Members of M are sorted by name, those of SS by value, both by unsigned
 * bytes, the shorter first when one begins the other.  NS and BS keep the
 * order in which they were written; that is why equal items need not be
 * equal bytes.  Names within an M and members within a set are unique.  A
 * name is UTF-8 without NUL, 1 to 65535 bytes.
 *
 * A varint has seven bits a byte, the low ones first, the high bit set in all
 * bytes but the last, and no superfluous bytes.
 *
 * The offsets cost one or two bytes a member and buy binary search by name
 * and direct access by position, at any depth, without unpacking anything.
 * Nothing is aligned: integers are put together from bytes, so a payload may
 * stand anywhere, in a short varlena for instance.
 *
 * Version 1, which item_version.c makes into this one, wrote the end of every
 * member, and the length of a name and the type in a byte each.
 *
 * What comes off the disk is trusted to have been made here, but a damaged
 * item must not lead a reader out of its bounds: every offset is compared with
 * its container before it is followed.  What comes from a client in binary is
 * checked in full by item_bytes_valid() before anything else sees it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#define FORMAT_VERSION	2

/* The longest name whose length stands beside the type */
#define SHORT_NAME	15

/* Bytes of the longest varint */
#define MAX_VARINT	5

/* So many members are packed without memory of their own. */
#define FEW_MEMBERS	64

/* The parts of a container. */
typedef struct Container
{
	uint32		count;
	int			width;			/* of an offset */
	const uint8 *ends;
	const char *members;
	uint32		len;			/* of all members */
} Container;

static const Item *upgrade(const Item *item);
static int	put_varint(char *p, uint32 value);
static int	offset_width(uint32 len);
static Item *item_from_map(const ItemValue *map);
static void pack_container(StringInfo out, const ItemNode *branch);
static void pack_member(StringInfo out, ItemType container,
						const ItemMember *member);
static const ItemMember **pack_order(const ItemNode *branch);
static bool value_valid(const ItemValue *value, int level);
static bool map_valid(const Container *c, int level);
static bool list_valid(const Container *c, int level);
static bool set_valid(const ItemValue *set, const Container *c);
static void corrupt(void) pg_attribute_noreturn();

static inline bool
set_value(ItemValue *value, uint8 type, const char *data, uint32 len)
{
	if (type < ITEM_S || type > ITEM_M)
		return false;
	value->type = (ItemType) type;
	value->data = data;
	value->len = len;
	return type != ITEM_BOOL || len == 1;
}

/*
 * The name of a member of a map.
 */
static inline bool
split_name(const char *data, uint32 len, const char **name, uint32 *namelen)
{
	const char *p = data + 1;
	const char *end = data + len;

	if (len == 0)
		return false;
	*namelen = (uint8) *data >> 4;
	if (*namelen == 0 && !item_read_varint(&p, end, namelen))
		return false;
	*name = p;
	return *namelen <= end - p;
}

/*
 * A member of a map: its name and its value.
 */
static inline bool
split_named(const char *data, uint32 len, const char **name, uint32 *namelen,
			ItemValue *value)
{
	const char *payload;

	if (!split_name(data, len, name, namelen))
		return false;
	payload = *name + *namelen;
	return set_value(value, (uint8) *data & 0x0f, payload,
					 data + len - payload);
}

/*
 * Type byte and payload as a value.
 */
static inline bool
split_tag(const char *data, uint32 len, ItemValue *value)
{
	return len > 0 && set_value(value, (uint8) *data, data + 1, len - 1);
}

/*
 * Take a container's payload apart.  False when it cannot be one.
 */
static inline bool
container_open(const ItemValue *value, Container *c)
{
	const char *p = value->data;
	const char *end = p + value->len;
	uint32		head;
	uint32		nends;

	if (!item_read_varint(&p, end, &head))
		return false;
	c->count = head >> 2;
	c->width = (head & 3) + 1;
	nends = Max(c->count, 1) - 1;
	if ((uint64) nends * c->width > (uint64) (end - p))
		return false;
	c->ends = (const uint8 *) p;
	c->members = p + (size_t) nends * c->width;
	c->len = end - c->members;
	return true;
}

static inline uint32
container_end(const Container *c, uint32 n)
{
	if (n + 1 == c->count)
		return c->len;
	return item_read_end(c->ends + (size_t) n * c->width, c->width);
}

/*
 * The extent of member n < count.  False when it is not within bounds.
 */
static inline bool
container_member(const Container *c, uint32 n, const char **data, uint32 *len)
{
	uint32		start;
	uint32		end;

	Assert(n < c->count);
	start = n > 0 ? container_end(c, n - 1) : 0;
	end = container_end(c, n);
	if (start > end || end > c->len)
		return false;
	*data = c->members + start;
	*len = end - start;
	return true;
}

/*
 * Reading
 */

/*
 * The item as a value of type M.
 */
ItemValue
item_root(const Item *item)
{
	ItemValue	root = {ITEM_M, 0, NULL};

	if (VARSIZE_ANY_EXHDR(item) < 2)
		corrupt();
	if (*(const uint8 *) VARDATA_ANY(item) != FORMAT_VERSION)
		item = upgrade(item);
	root.data = VARDATA_ANY(item) + 1;
	root.len = VARSIZE_ANY_EXHDR(item) - 1;
	return root;
}

/*
 * An item of another version as one of ours, in the current context.
 */
static const Item *
upgrade(const Item *item)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller,
												  "dynamo item version",
												  ALLOCSET_SMALL_SIZES);
	ItemNode	root;

	MemoryContextSwitchTo(context);
	item_version_read(item, &root);
	MemoryContextSwitchTo(caller);
	item = item_pack(&root);
	MemoryContextDelete(context);
	return item;
}

/*
 * Find an attribute of the item.  False when it has none of this name.
 */
bool
item_get(const Item *item, const char *name, uint32 namelen,
		 ItemValue *value)
{
	ItemValue	root = item_root(item);

	return item_map_get(&root, name, namelen, value);
}

uint32
item_member_count(const ItemValue *container)
{
	Container	c;

	if (!container_open(container, &c))
		corrupt();
	return c.count;
}

/*
 * Member n of a map; n < item_member_count().
 */
void
item_map_member(const ItemValue *map, uint32 n, const char **name,
				uint32 *namelen, ItemValue *value)
{
	Container	c;
	const char *data;
	uint32		len;

	Assert(map->type == ITEM_M);
	if (!container_open(map, &c) ||
		!container_member(&c, n, &data, &len) ||
		!split_named(data, len, name, namelen, value))
		corrupt();
}

/*
 * Find a member of a map.  False when it has none of this name.
 */
bool
item_map_get(const ItemValue *map, const char *name, uint32 namelen,
			 ItemValue *value)
{
	Container	c;
	uint32		low = 0;
	uint32		high;

	Assert(map->type == ITEM_M);
	if (!container_open(map, &c))
		corrupt();
	high = c.count;
	while (low < high)
	{
		uint32		mid = low + (high - low) / 2;
		const char *data;
		uint32		len;
		const char *member;
		uint32		memberlen;
		int			cmp;

		if (!container_member(&c, mid, &data, &len) ||
			!split_name(data, len, &member, &memberlen))
			corrupt();
		cmp = item_bytes_compare(name, namelen, member, memberlen);
		if (cmp == 0)
		{
			if (!split_named(data, len, &member, &memberlen, value))
				corrupt();
			return true;
		}
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

/*
 * Member n of a list; n < item_member_count().
 */
void
item_list_member(const ItemValue *list, uint32 n, ItemValue *value)
{
	Container	c;
	const char *data;
	uint32		len;

	Assert(list->type == ITEM_L);
	if (!container_open(list, &c) ||
		!container_member(&c, n, &data, &len) ||
		!split_tag(data, len, value))
		corrupt();
}

/*
 * Member n of a set; n < item_member_count().
 */
void
item_set_member(const ItemValue *set, uint32 n, ItemValue *value)
{
	Container	c;

	Assert(item_is_set(set->type));
	if (!container_open(set, &c) ||
		!container_member(&c, n, &value->data, &value->len))
		corrupt();
	value->type = item_set_member_type(set->type);
}

uint32
item_iterate(const ItemValue *container, ItemIterator *it)
{
	Container	c;

	if (!container_open(container, &c))
		corrupt();
	it->name = NULL;
	it->namelen = 0;
	it->type = container->type;
	it->left = c.count;
	it->width = c.width;
	it->ends = c.ends;
	it->members = c.members;
	it->start = 0;
	it->len = c.len;
	return c.count;
}

bool
item_next(ItemIterator *it, ItemValue *member)
{
	uint32		start = it->start;
	uint32		end;
	const char *data;
	uint32		len;

	CHECK_FOR_INTERRUPTS();
	if (it->left == 0)
		return false;
	end = it->left > 1 ? item_read_end(it->ends, it->width) : it->len;
	if (start > end || end > it->len)
		corrupt();
	it->left--;
	it->ends += it->width;
	it->start = end;
	data = it->members + start;
	len = end - start;
	if (it->type == ITEM_M)
	{
		if (!split_named(data, len, &it->name, &it->namelen, member))
			corrupt();
	}
	else if (it->type == ITEM_L)
	{
		if (!split_tag(data, len, member))
			corrupt();
	}
	else
	{
		member->type = item_set_member_type(it->type);
		member->data = data;
		member->len = len;
	}
	return true;
}

/*
 * With a width that the compiler knows.
 */
static inline int
next_spans(ItemIterator *it, ItemType type, ItemSpan *spans, int most,
		   int width)
{
	const uint8 *members = (const uint8 *) it->members;
	const uint8 *ends = it->ends;
	uint32		start = it->start;
	int			n;

	most = Min(most, it->left);
	for (n = 0; n < most; n++)
	{
		uint32		end = n + 1 < it->left ?
			item_read_end(ends + n * width, width) : it->len;

		if (start >= end || end > it->len)
			corrupt();
		if (members[start] != type)
			break;
		spans[n].data = members + start + 1;
		spans[n].len = end - start - 1;
		start = end;
	}
	it->left -= n;
	it->ends += n * width;
	it->start = start;
	return n;
}

int
item_next_spans(ItemIterator *it, ItemType type, ItemSpan *spans, int most,
				const uint8 **limit)
{
	CHECK_FOR_INTERRUPTS();
	Assert(it->type == ITEM_L);
	*limit = (const uint8 *) it->members + it->len;
	if (it->width == 1)
		return next_spans(it, type, spans, most, 1);
	if (it->width == 2)
		return next_spans(it, type, spans, most, 2);
	return next_spans(it, type, spans, most, it->width);
}

/*
 * The members of a set in their order, whatever order they are stored in.
 */
ItemValue *
item_set_sorted(const ItemValue *set, uint32 *count)
{
	ItemIterator it;
	ItemValue  *members;
	uint32		n = 0;

	*count = item_iterate(set, &it);
	members = palloc_extended(sizeof(ItemValue) * Max(*count, 1),
							  MCXT_ALLOC_HUGE);
	while (n < *count && item_next(&it, &members[n]))
		n++;
	if (set->type != ITEM_SS)
		item_values_sort(members, *count);
	return members;
}

/*
 * Making
 */

/*
 * Pack a value of type M into an item of its own.
 */
Item *
item_pack(const ItemNode *map)
{
	StringInfoData out;

	Assert(map->value.type == ITEM_M);
	if (!map->branch)
		return item_from_map(&map->value);
	initStringInfo(&out);
	appendStringInfoSpaces(&out, VARHDRSZ);
	appendStringInfoChar(&out, FORMAT_VERSION);
	pack_container(&out, map);
	SET_VARSIZE(out.data, out.len);
	return (Item *) out.data;
}

/*
 * Pack any value.  A leaf is returned as it is, in the memory it is in.
 */
ItemValue
item_pack_value(const ItemNode *node)
{
	StringInfoData out;
	ItemValue	value;

	if (!node->branch)
		return node->value;
	item_begin_few(&out);
	pack_container(&out, node);
	value.type = node->value.type;
	value.data = out.data;
	value.len = out.len;
	return value;
}

/*
 * A map's payload copied into an item of its own.
 */
static Item *
item_from_map(const ItemValue *map)
{
	Item	   *item = palloc((Size) VARHDRSZ + 1 + map->len);

	Assert(map->type == ITEM_M);
	SET_VARSIZE(item, VARHDRSZ + 1 + map->len);
	*VARDATA(item) = FORMAT_VERSION;
	memcpy(VARDATA(item) + 1, map->data, map->len);
	return item;
}

Item *
item_copy(const Item *item)
{
	ItemValue	root = item_root(item);

	return item_from_map(&root);
}

/*
 * Append a branch's payload.  The members are written first, for only then
 * is the width of the offsets known; then they make room for the head.
 */
static void
pack_container(StringInfo out, const ItemNode *branch)
{
	const ItemMember **order;
	uint32		few[FEW_MEMBERS];
	uint32	   *ends = few;
	int			start = out->len;
	uint32		len;
	int			width;
	char		head[MAX_VARINT];
	int			headlen;
	int			nends;
	int			space;
	char	   *p;

	check_stack_depth();
	order = pack_order(branch);
	if (branch->count > FEW_MEMBERS)
		ends = palloc(sizeof(uint32) * branch->count);
	for (int i = 0; i < branch->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		pack_member(out, branch->value.type,
					order ? order[i] : &branch->members[i]);
		ends[i] = out->len - start;
	}

	len = out->len - start;
	nends = Max(branch->count, 1) - 1;
	width = offset_width(nends > 0 ? ends[nends - 1] : 0);
	headlen = put_varint(head, (uint32) branch->count << 2 | (width - 1));
	space = headlen + nends * width;
	(void) item_room(out, space);
	p = out->data + start;
	memmove(p + space, p, len);
	out->len += space;
	out->data[out->len] = '\0';

	memcpy(p, head, headlen);
	p += headlen;
	for (int i = 0; i < nends; i++)
		for (int byte = 0; byte < width; byte++)
			*p++ = (char) (ends[i] >> (8 * byte));

	if (ends != few)
		pfree(ends);
	if (order)
		pfree(order);
}

static void
pack_member(StringInfo out, ItemType container, const ItemMember *member)
{
	const ItemNode *node = &member->node;
	uint32		len = node->branch ? 0 : node->value.len;
	char	   *start = item_room(out, (Size) 1 + MAX_VARINT +
								  member->namelen + len);
	char	   *p = start;

	if (container == ITEM_M)
	{
		if (member->namelen > 0 && member->namelen <= SHORT_NAME)
			*p++ = (char) (node->value.type | member->namelen << 4);
		else
		{
			*p++ = (char) node->value.type;
			p += put_varint(p, member->namelen);
		}
		memcpy(p, member->name, member->namelen);
		p += member->namelen;
	}
	else if (!item_is_set(container))
		*p++ = (char) node->value.type;
	if (len > 0)
		memcpy(p, node->value.data, len);
	out->len += p + len - start;
	if (node->branch)
		pack_container(out, node);
}

static int
member_compare_name(const void *a, const void *b, void *arg)
{
	const ItemMember *ma = *(const ItemMember *const *) a;
	const ItemMember *mb = *(const ItemMember *const *) b;

	return item_bytes_compare(ma->name, ma->namelen, mb->name, mb->namelen);
}

static int
member_compare_value(const void *a, const void *b, void *arg)
{
	const ItemMember *ma = *(const ItemMember *const *) a;
	const ItemMember *mb = *(const ItemMember *const *) b;

	return item_value_compare(&ma->node.value, &mb->node.value);
}

/*
 * Do a branch's members stand in this order, none twice?  Inline: otherwise
 * each comparison would be a call.
 */
static pg_attribute_always_inline bool
is_sorted(const ItemNode *branch, qsort_arg_comparator compare)
{
	for (int i = 1; i < branch->count; i++)
	{
		const ItemMember *before = &branch->members[i - 1];
		const ItemMember *after = &branch->members[i];

		CHECK_FOR_INTERRUPTS();
		if (compare(&before, &after, NULL) >= 0)
			return false;
	}
	return true;
}

/*
 * A branch's members in the order of the format; NULL when they are in that
 * order already, as they mostly are.
 */
static const ItemMember **
pack_order(const ItemNode *branch)
{
	qsort_arg_comparator compare;
	const ItemMember **order;
	bool		in_order;

	if (branch->value.type == ITEM_M)
	{
		compare = member_compare_name;
		in_order = is_sorted(branch, member_compare_name);
	}
	else if (branch->value.type == ITEM_SS)
	{
		compare = member_compare_value;
		in_order = is_sorted(branch, member_compare_value);
	}
	else
		return NULL;

	if (in_order)
		return NULL;

	order = palloc(sizeof(ItemMember *) * branch->count);
	for (int i = 0; i < branch->count; i++)
		order[i] = &branch->members[i];
	qsort_interruptible(order, branch->count, sizeof(ItemMember *), compare,
						NULL);
	for (int i = 1; i < branch->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		/* Builders ensure that it differs; a damaged item was not built. */
		if (compare(&order[i - 1], &order[i], NULL) == 0)
			corrupt();
	}
	return order;
}

static int
put_varint(char *p, uint32 value)
{
	int			len = 0;

	while (value >= 0x80)
	{
		p[len++] = (char) (value | 0x80);
		value >>= 7;
	}
	p[len++] = (char) value;
	return len;
}

/*
 * The least width in which an offset of "len" fits.
 */
static int
offset_width(uint32 len)
{
	if (len <= 0xff)
		return 1;
	if (len <= 0xffff)
		return 2;
	return len <= 0xffffff ? 3 : 4;
}

/*
 * Checking
 */

/*
 * Are these bytes, from anywhere, exactly what this file would have made of
 * some item?  Nesting and all rules of values included; size is not.
 */
bool
item_bytes_valid(const char *data, uint32 len)
{
	ItemValue	root = {ITEM_M, len - 1, data + 1};

	if (len < 2 || (uint8) *data != FORMAT_VERSION)
		return false;
	return value_valid(&root, 0);
}

/*
 * The same of an item from the disk, which may be of another version; one that
 * is not of any raises an error of its own.
 */
bool
item_is_sound(const Item *item)
{
	if (VARSIZE_ANY_EXHDR(item) > 0 &&
		*(const uint8 *) VARDATA_ANY(item) != FORMAT_VERSION)
		item = item_copy(item);
	return item_bytes_valid(VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item));
}

/*
 * Are these bytes UTF-8?  NUL is fine.
 */
bool
item_text_valid(const char *data, uint32 len)
{
	for (uint32 pos = 0; pos < len;)
	{
		int			part = strnlen(data + pos, len - pos);

		/* PostgreSQL's check refuses NUL, so it is given what is between */
		if (!pg_verify_mbstr(PG_UTF8, data + pos, part, true))
			return false;
		pos += part + 1;
	}
	return true;
}

/*
 * "level" is the nesting of this value: 1 for an attribute of the item.
 */
static bool
value_valid(const ItemValue *value, int level)
{
	Container	c;
	uint32		end = 0;

	switch (value->type)
	{
		case ITEM_S:
			return item_text_valid(value->data, value->len);
		case ITEM_N:
			return item_number_valid(value->data, value->len);
		case ITEM_B:
			return true;
		case ITEM_BOOL:
			return value->len == 1 && (uint8) *value->data <= 1;
		case ITEM_NULL:
			return value->len == 0;
		default:
			break;
	}

	if (!container_open(value, &c))
		return false;
	for (uint32 i = 0; i + 1 < c.count; i++)
	{
		uint32		next = container_end(&c, i);

		CHECK_FOR_INTERRUPTS();
		if (next < end || next > c.len)
			return false;
		end = next;
	}
	if ((c.count == 0 && c.len > 0) || c.width != offset_width(end))
		return false;
	if (value->type != ITEM_M && value->type != ITEM_L)
		return set_valid(value, &c);
	if (level > DYNAMO_MAX_NESTING)
		return false;
	return value->type == ITEM_M ? map_valid(&c, level) :
		list_valid(&c, level);
}

static bool
map_valid(const Container *c, int level)
{
	const char *last = NULL;
	uint32		lastlen = 0;

	for (uint32 i = 0; i < c->count; i++)
	{
		const char *data;
		uint32		len;
		const char *name;
		uint32		namelen;
		ItemValue	value;

		CHECK_FOR_INTERRUPTS();
		/* A name that is short, or empty, is not written as a long one. */
		if (!container_member(c, i, &data, &len) ||
			!split_named(data, len, &name, &namelen, &value) ||
			namelen > ITEM_MAX_NAME ||
			(namelen <= SHORT_NAME && (uint8) *data < 0x10) ||
			!pg_verify_mbstr(PG_UTF8, name, namelen, true) ||
			!value_valid(&value, level + 1))
			return false;
		if (last && item_bytes_compare(last, lastlen, name, namelen) >= 0)
			return false;
		last = name;
		lastlen = namelen;
	}
	return true;
}

static bool
list_valid(const Container *c, int level)
{
	for (uint32 i = 0; i < c->count; i++)
	{
		const char *data;
		uint32		len;
		ItemValue	value;

		CHECK_FOR_INTERRUPTS();
		if (!container_member(c, i, &data, &len) ||
			!split_tag(data, len, &value) ||
			!value_valid(&value, level + 1))
			return false;
	}
	return true;
}

static bool
set_valid(const ItemValue *set, const Container *c)
{
	ItemValue	last;
	ItemValue  *sorted;
	uint32		count;

	if (c->count == 0)
		return false;
	for (uint32 i = 0; i < c->count; i++)
	{
		ItemValue	value = {item_set_member_type(set->type), 0, NULL};

		CHECK_FOR_INTERRUPTS();
		if (!container_member(c, i, &value.data, &value.len) ||
			!value_valid(&value, 1))
			return false;
		if (set->type == ITEM_SS && i > 0 &&
			item_value_compare(&last, &value) >= 0)
			return false;
		last = value;
	}
	sorted = item_set_sorted(set, &count);
	for (uint32 i = 1; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (item_value_compare(&sorted[i - 1], &sorted[i]) == 0)
			return false;
	}
	return true;
}

static void
corrupt(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("value of type dynamo.item is corrupt")));
}
