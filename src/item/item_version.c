/*-------------------------------------------------------------------------
 *
 * item_version.c
 *	  Items of an older version of the packed form.
 *
 * A reader opens an item by item_root(), which comes here unless the item is
 * of the current version.  What is older is unpacked here and packed again
 * there; nobody else learns of it.  The item on disk stays as it is until it is
 * written.
 *
 * Version 1 differs from item_format.c in two things:
 *
 *		container	all ends are written, also that of the last member; "width"
 *					is the least in which it fits
 *		member of M	varint of the name's length, name, type byte, payload
 *
 * As there, every offset is compared with its container before it is followed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "miscadmin.h"

static void read_container(ItemType type, const char *p, const char *end,
						   ItemNode *node);
static void read_member(ItemType container, const char *p, const char *end,
						ItemMember *member);
static void read_stored_value(ItemType type, const char *p, const char *end,
							  ItemNode *node);
static void corrupt(void) pg_attribute_noreturn();

/*
 * Unpack an item that has a version byte, not the current one.  Strings stay
 * where they are.
 */
void
item_version_read(const Item *item, ItemNode *root)
{
	const char *data = VARDATA_ANY(item);

	if (*data != 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("value of type dynamo.item is corrupt"),
				 errdetail("Its format has version %d, which is unknown.",
						   (uint8) *data)));
	read_container(ITEM_M, data + 1, data + VARSIZE_ANY_EXHDR(item), root);
}

static void
read_container(ItemType type, const char *p, const char *end, ItemNode *node)
{
	uint32		head;
	uint32		count;
	int			width;
	const uint8 *ends;
	uint32		start = 0;

	check_stack_depth();
	if (!item_read_varint(&p, end, &head))
		corrupt();
	count = head >> 2;
	width = (head & 3) + 1;
	if ((uint64) count * width > (uint64) (end - p))
		corrupt();
	ends = (const uint8 *) p;
	p += (size_t) count * width;

	memset(node, 0, sizeof(ItemNode));
	node->value.type = type;
	node->branch = true;
	node->count = node->space = count;
	node->members = palloc_extended(sizeof(ItemMember) * Max(count, 1),
									MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < count; i++)
	{
		uint32		next = item_read_end(ends + (size_t) i * width, width);

		CHECK_FOR_INTERRUPTS();
		if (next < start || next > end - p)
			corrupt();
		read_member(type, p + start, p + next, &node->members[i]);
		start = next;
	}
}

static void
read_member(ItemType container, const char *p, const char *end,
			ItemMember *member)
{
	if (item_is_set(container))
	{
		read_stored_value(item_set_member_type(container), p, end,
						  &member->node);
		return;
	}
	if (container == ITEM_M)
	{
		if (!item_read_varint(&p, end, &member->namelen) ||
			member->namelen > end - p)
			corrupt();
		member->name = p;
		p += member->namelen;
	}
	if (p == end || (uint8) *p < ITEM_S || (uint8) *p > ITEM_M)
		corrupt();
	read_stored_value((ItemType) (uint8) *p, p + 1, end, &member->node);
}

static void
read_stored_value(ItemType type, const char *p, const char *end,
				  ItemNode *node)
{
	if (item_is_set(type) || type == ITEM_L || type == ITEM_M)
	{
		read_container(type, p, end, node);
		return;
	}
	if (type == ITEM_BOOL && end - p != 1)
		corrupt();
	node->value.type = type;
	node->value.data = p;
	node->value.len = end - p;
}

static void
corrupt(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("value of type dynamo.item is corrupt")));
}
