/*-------------------------------------------------------------------------
 *
 * item.h
 *	  Attribute values, items, numbers and keys.
 *
 * An Item is what a column of type dynamo.item holds: a varlena, packed, never
 * changed in place.  An ItemValue is a view of one value inside packed memory:
 * it owns nothing and lives as long as what it points into.  An ItemNode is a
 * value under construction; every packed value is made by packing a tree of
 * nodes, so only item_format.c knows the layout.
 *
 * Everything here allocates in the current memory context and raises
 * DynamoDB's exceptions (base.h) with the texts of the service.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ITEM_H
#define DYNAMO_ITEM_H

#include "postgres.h"

#include "base/base.h"
#include "lib/stringinfo.h"

/* PostgreSQL's Item is a pointer into a page; only bufpage.h speaks of it. */
#include "storage/bufpage.h"
#define Item DynamoItem

/*
 * The ten types.  Stored: append, never renumber.
 */
typedef enum ItemType
{
	ITEM_S = 1,
	ITEM_N,
	ITEM_B,
	ITEM_BOOL,
	ITEM_NULL,
	ITEM_SS,
	ITEM_NS,
	ITEM_BS,
	ITEM_L,
	ITEM_M
} ItemType;

#define ITEM_MAX_NAME	65535	/* bytes of an attribute's name */

/* A sortable number: an exponent byte and up to 20 base-100 digits. */
#define ITEM_NUMBER_MAX_BYTES	21

/*
 * A view of one value.  S, B: "data" is the text or the bytes, not terminated.
 * N: the sortable number.  BOOL: one byte, 0 or 1.  NULL: empty.  Others: a
 * packed container, to be read through the accessors below.
 */
typedef struct ItemValue
{
	ItemType	type;
	uint32		len;
	const char *data;
} ItemValue;

/*
 * Goes over the members of a container, which must stay where it is:
 *
 *		item_iterate(&container, &it);
 *		while (item_next(&it, &member)) ...
 */
typedef struct ItemIterator
{
	const char *name;			/* of the member of an M; NULL in others */
	uint32		namelen;
	/* private */
	ItemType	type;
	uint32		left;			/* members to come */
	int			width;			/* of an offset */
	const uint8 *ends;			/* offset of the next one's end */
	const char *members;
	uint32		start;			/* of the next one */
	uint32		len;			/* of all members */
} ItemIterator;

/* A packed item, TOAST-free.  Opaque outside item_format.c. */
typedef struct varlena Item;

#define DatumGetItemP(d)		((Item *) PG_DETOAST_DATUM_PACKED(d))
#define PG_GETARG_ITEM_P(n)		DatumGetItemP(PG_GETARG_DATUM(n))
#define PG_RETURN_ITEM_P(i)		PG_RETURN_POINTER(i)

/*
 * A value under construction.  A leaf shows a value that is already packed
 * (a scalar, or a whole container carried over unread).  A branch is a
 * container of type SS, NS, BS, L or M whose members are nodes.
 */
typedef struct ItemMember ItemMember;

typedef struct ItemNode
{
	ItemValue	value;			/* leaf: the value; branch: only .type holds */
	bool		branch;
	int			count;			/* branch: members in use */
	int			space;			/* branch: members allocated */
	ItemMember *members;
} ItemNode;

struct ItemMember
{
	const char *name;			/* M only; not terminated */
	uint32		namelen;
	ItemNode	node;
};

/* item_format.c: reading packed values */

/* The item as a value of type M */
extern ItemValue item_root(const Item *item);
extern bool item_get(const Item *item, const char *name, uint32 namelen,
					 ItemValue *value);
extern uint32 item_member_count(const ItemValue *container);

/* Returns the number of members */
extern uint32 item_iterate(const ItemValue *container, ItemIterator *it);

/* False at the end; can be cancelled */
extern bool item_next(ItemIterator *it, ItemValue *member);
extern void item_map_member(const ItemValue *map, uint32 n, const char **name,
							uint32 *namelen, ItemValue *value);
extern bool item_map_get(const ItemValue *map, const char *name,
						 uint32 namelen, ItemValue *value);
extern void item_list_member(const ItemValue *list, uint32 n,
							 ItemValue *value);
extern void item_set_member(const ItemValue *set, uint32 n, ItemValue *value);

/* Its members in order, palloc'd */
extern ItemValue *item_set_sorted(const ItemValue *set, uint32 *count);

/* item_format.c: making packed values */
extern Item *item_pack(const ItemNode *map);	/* branch or leaf of type M */
extern ItemValue item_pack_value(const ItemNode *node);
extern Item *item_copy(const Item *item);

/* Is it, to the last byte, what would be made of some item? */
extern bool item_is_sound(const Item *item);

/* item_node.c: values under construction; members of M stand sorted by name */
extern void item_node_init(ItemNode *node, ItemType type);	/* empty branch */
extern void item_node_leaf(ItemNode *node, const ItemValue *value);
extern void item_node_expand(ItemNode *node);	/* leaf container -> branch */

/* Make room for that many members to come */
extern void item_node_reserve(ItemNode *branch, size_t count);
extern ItemNode *item_node_append(ItemNode *branch);	/* L, sets */
extern ItemNode *item_node_put(ItemNode *map, const char *name, uint32 namelen);
extern ItemNode *item_node_find(const ItemNode *map, const char *name,
								uint32 namelen);

/* Add a member; its name must be new, and may come in any order */
extern ItemNode *item_node_add(ItemNode *map, const char *name, uint32 namelen);
extern void item_node_sort(ItemNode *branch);	/* after item_node_add() */

/* item_order.c: S, N or B, both of one type; the sign of the result */
extern int	item_value_compare(const ItemValue *a, const ItemValue *b);
extern int	item_value_order(const void *a, const void *b); /* for bsearch() */
extern void item_values_sort(ItemValue *values, uint32 count);

/* item_value.c: comparing and measuring */
#define ITEM_TOO_LARGE \
	"Item size has exceeded the maximum allowed size"
#define ITEM_TOO_LARGE_UPDATED \
	"Item size to update has exceeded the maximum allowed size"

#define ITEM_CONTAINER_SIZE	3	/* what DynamoDB counts for an L or M itself */

extern ItemValue item_string(const char *text, uint32 len);
extern ItemValue item_bool(bool value);
extern const char *item_type_name(ItemType type);	/* "S", "NS", ... */
extern bool item_type_from_name(const char *name, ItemType *type);
extern bool item_value_equal(const ItemValue *a, const ItemValue *b);
extern bool item_equal(const Item *a, const Item *b);
extern bool item_set_contains(const ItemValue *set, const ItemValue *member);
extern uint32 item_value_size(const ItemValue *value);	/* DynamoDB's bytes */
extern uint32 item_size(const Item *item);
extern uint64 item_size_bound(const Item *item);

/* Raises ValidationException with the message above 400 KB */
extern void item_check_size(const Item *item, const char *message);

/* Bytes that count towards the 1 MB of a page */
extern uint32 item_page_size(const Item *item, const char *sort_key_name);

/* How deep lists and maps lie in one another; 0 for a scalar */
extern int	item_value_depth(const ItemValue *value);

/* item_extract.c */
extern bool item_expiry(const Item *item, const char *name, uint32 namelen,
						int64 *expiry);

/*
 * The texts about a value that is none.  The service has new ones, but some of
 * its operations keep the classic ones.  So do PartiQL's parameters; there an
 * exponent that Java's BigDecimal does not hold makes no number at all.
 */
typedef enum ItemWording
{
	ITEM_CURRENT,
	ITEM_CLASSIC,
	ITEM_PARAMETER
} ItemWording;

/* item_number.c */
typedef enum ItemNumberError
{
	ITEM_NUMBER_OK = 0,
	ITEM_NUMBER_SYNTAX,
	ITEM_NUMBER_OVERFLOW,
	ITEM_NUMBER_WRAPPED,		/* an overflow; classic: an underflow */
	ITEM_NUMBER_UNDERFLOW,
	ITEM_NUMBER_PRECISION
} ItemNumberError;

extern ItemNumberError item_number_parse(const char *text, uint32 len,
										 uint8 *bytes, uint32 *nbytes);

extern bool item_number_scale_fits(const char *text, uint32 len);

/* Raises ValidationException for what is no number */
extern ItemValue item_number(const char *text, uint32 len,
							 ItemWording wording);
extern void item_number_append(StringInfo out, const ItemValue *number);
extern int64 item_number_floor(const ItemValue *number);
extern Datum item_number_to_numeric(const ItemValue *number);

/* Raises ValidationException beyond 38 digits or the range */
extern ItemValue item_number_from_numeric(Datum numeric);
extern ItemValue item_number_from_int64(int64 integer);

/* The greatest that the service takes for a float4; it rounds to FLT_MAX. */
#define ITEM_MAX_FLOAT4	3.4028235e38

/* item_float.c: the nearest; false: the number is beyond +-3.4028235E38 */
extern bool item_number_float4(const ItemValue *number, float *result);

/*
 * So many numbers of a list; false: there is one beyond, or what is none.
 * Without a place for them only their type is looked at.
 */
extern bool item_list_float4(const ItemValue *list, uint32 count,
							 float *elements);

/* item_sum.c: the same of the result */
extern ItemValue item_number_add(const ItemValue *a, const ItemValue *b,
								 bool subtract);

/* item_base64.c */
typedef enum ItemBase64Error
{
	ITEM_BASE64_OK = 0,
	ITEM_BASE64_LENGTH,
	ITEM_BASE64_CHARACTER,
	ITEM_BASE64_LAST
} ItemBase64Error;

extern ItemBase64Error item_base64_decode(const char *text, uint32 len,
										  char *bytes, uint32 *nbytes);
extern void item_base64_append(StringInfo out, const char *bytes, uint32 len);

/* item_md5.c */
#define ITEM_MD5_BYTES	16

typedef struct ItemMd5
{
	uint32		state[4];
	uint64		length;			/* bytes taken in so far */
	uint8		block[64];		/* the last length % 64 of them */
} ItemMd5;

extern void item_md5_init(ItemMd5 *md5);
extern void item_md5_update(ItemMd5 *md5, const void *bytes, size_t len);
extern void item_md5_final(ItemMd5 *md5, uint8 *digest);

/*
 * Keys.  ItemPartitionKey and ItemSortKey are varlenas, the datums of the types
 * dynamo.partition_key and dynamo.sort_key; their layout is in item_key.c.
 */
typedef struct varlena ItemPartitionKey;
typedef struct varlena ItemSortKey;

/* item_key.c; the lengths of keys are limited by the checks alone */
extern bool item_key_type(char letter, ItemType *type);
extern bool item_is_key_type(const ItemValue *value, char letter);
extern bool item_get_key(const Item *item, const char *name, uint32 namelen,
						 char letter, ItemValue *value);
extern bool item_index_key(const Item *item, const char *name,
						   uint32 namelen, char letter, uint32 max_len,
						   ItemValue *value);
extern void item_refuse_empty_key(ItemType type, const char *before,
								  const char *after)
			pg_attribute_noreturn();

/* Raises ValidationException above 2048 bytes */
extern void item_check_partition_key(const ItemValue *value);
extern void item_check_sort_key(const ItemValue *value);	/* 1024 bytes */
extern ItemPartitionKey *item_partition_key(const ItemValue *values, int nvalues);
extern ItemSortKey *item_sort_key(const ItemValue *value);
extern uint64 item_partition_key_hash(const ItemPartitionKey *key);
extern int	item_partition_key_compare(const ItemPartitionKey *a, const ItemPartitionKey *b);
extern int	item_sort_key_compare(const ItemSortKey *a, const ItemSortKey *b);

/*
 * item_extract.c: the columns of the row that holds an item.  They raise
 * ValidationException, as PutItem does, if the item is too large or its key
 * attribute missing, of another type, empty or too long.
 */
extern ItemPartitionKey *item_row_partition_key(const Item *item,
												const char *name,
												uint32 namelen, char type,
												ItemValue *value);
extern ItemSortKey *item_row_sort_key(const Item *item, const char *name,
									  uint32 namelen, char type,
									  ItemValue *value);

/* item_leading.c; patterns is an array of text, with "*" and "?" */
extern bool item_key_like(const ItemValue *key, Datum patterns);

/*
 * Columns of an index: partition key, sort key, tie-breaker ("sort" may be
 * NULL), and the lower bound of the first one in a range of hashes.
 */
extern int32 item_index_hash(const ItemValue *values, int nvalues);
extern bytea *item_index_sort_key(const ItemValue *value);
extern int32 item_key_hash(const ItemValue *partition, const ItemValue *sort);
extern int32 item_index_bound(uint64 hash);

/*
 * Least and greatest partition_key of a hash range: lower bound sorts before,
 * or equal to, every key whose hash is >= hash.
 */
extern ItemPartitionKey *item_partition_key_bound(uint64 hash);

/*
 * The least sort key greater than every key that begins with "prefix" (S or
 * B); NULL when there is none.
 */
extern ItemSortKey *item_sort_key_after_prefix(const ItemValue *prefix);
extern bytea *item_index_sort_key_after_prefix(const ItemValue *prefix);

#endif							/* DYNAMO_ITEM_H */
