/*-------------------------------------------------------------------------
 *
 * item_internal.h
 *	  What the files of this folder share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ITEM_INTERNAL_H
#define DYNAMO_ITEM_INTERNAL_H

#include "item/item.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

/*
 * Unsigned bytewise order, the shorter first when one begins the other.  Most
 * differ in the first byte, and need no call.
 */
static inline int
item_bytes_compare(const char *a, uint32 alen, const char *b, uint32 blen)
{
	uint32		len = Min(alen, blen);
	int			cmp = len > 0 ? (uint8) *a - (uint8) *b : 0;

	if (cmp == 0 && len > 1)
		cmp = memcmp(a + 1, b + 1, len - 1);
	if (cmp != 0)
		return cmp;
	return alen < blen ? -1 : (alen > blen ? 1 : 0);
}

static inline bool
item_is_set(ItemType type)
{
	return type == ITEM_SS || type == ITEM_NS || type == ITEM_BS;
}

/* S, N or B: what a key attribute may be. */
static inline bool
item_is_scalar_key(ItemType type)
{
	return type == ITEM_S || type == ITEM_N || type == ITEM_B;
}

/* The type of a set's members. */
static inline ItemType
item_set_member_type(ItemType set)
{
	return set == ITEM_SS ? ITEM_S : (set == ITEM_NS ? ITEM_N : ITEM_B);
}

/*
 * Where "len" more bytes can be written, and a NUL behind them.  The caller
 * adds what it has written to out->len, and sees to the NUL unless more follows
 * at once.
 */
static inline char *
item_room(StringInfo out, Size len)
{
	if (unlikely(len >= (Size) (out->maxlen - out->len)))
		enlargeStringInfo(out, (int) Min(len, MaxAllocSize));
	return out->data + out->len;
}

/* item_varint.c */
extern bool item_read_long_varint(const char **p, const char *end,
								  uint32 *value);

/*
 * False: it would end behind "end".  Nearly all are one byte long.
 */
static inline bool
item_read_varint(const char **p, const char *end, uint32 *value)
{
	if (*p < end && (uint8) **p < 0x80)
	{
		*value = (uint8) *(*p)++;
		return true;
	}
	return item_read_long_varint(p, end, value);
}

/*
 * An offset of "width" bytes; most are one byte or two.
 */
static inline uint32
item_read_end(const uint8 *p, int width)
{
	uint32		end = 0;

	if (width == 1)
		return *p;
	if (width == 2)
		return p[0] | p[1] << 8;
	for (int i = width; i-- > 0;)
		end = end << 8 | p[i];
	return end;
}

/* item_format.c */
extern bool item_bytes_valid(const char *data, uint32 len);
extern bool item_text_valid(const char *data, uint32 len);

/* item_version.c */
extern void item_version_read(const Item *item, ItemNode *root);

/* item_value.c */
extern bool item_values_repeat(ItemValue *values, int count);

/* item_repeat.c */
extern void item_check_repeats(ItemType type, const json_t *json,
							   ItemWording wording, const ItemNode *node);

/* item_digit.c */
extern char *item_ascii_digits(const char *text, uint32 *len);

/* item_number.c */
#define ITEM_NUMBER_DIGITS	38
#define ITEM_NUMBER_PAIRS	20
#define ITEM_NUMBER_LEAST	(-64)	/* exponents of pairs */
#define ITEM_NUMBER_MOST	63

/* A number taken apart: 0.PPPP... * 100 ^ exponent */
typedef struct ItemPairs
{
	bool		negative;
	int			count;			/* 0: zero; first and last are not 0 */
	int			exponent;
	uint8		pairs[ITEM_NUMBER_PAIRS];
} ItemPairs;

extern bool item_number_valid(const char *data, uint32 len);
extern uint32 item_number_size(const ItemValue *number);
extern void item_pairs_read(const ItemValue *value, ItemPairs *number);
extern void item_pairs_write(const ItemPairs *number, uint8 *bytes,
							 uint32 *nbytes);
extern void item_refuse_result(void) pg_attribute_noreturn();

/* item_tree.c: JSON at once; NULL: left to jansson */
extern json_t *item_tree_read(const char *text, size_t len);

/* item_json.c */
extern void item_check_encoding(const char *type);

/* item_write.c */
extern void item_json_append_plain(StringInfo out, const ItemValue *value);

/* item_read.c */
extern void item_check_nesting(int level);

/*
 * item_key.c
 *
 * Layout of a partition key; item_key.c tells it in full.
 */
#define ITEM_KEY_HASH	4		/* bytes of the hash */
#define ITEM_KEY_LONG	0x80	/* in the kind: value cut, SHA-256 appended */
#define ITEM_KEY_WHOLE	1536	/* longest value that is kept whole */
#define ITEM_KEY_PREFIX	(ITEM_KEY_WHOLE - 32)	/* of a value that is cut */

/* item_merge.c */
extern Item *item_join(const Item *a, const Item *b);
extern Item *item_without(const Item *item, ItemValue *names, uint32 nnames);
extern bool item_value_contains(const ItemValue *value, const ItemValue *part);

/* item_path.c */
#define ITEM_WITH_LAST	0x01	/* create the last step */
#define ITEM_WITH_ALL	0x02	/* create all steps */

extern bool item_follow(const Item *item, char **path, int nsteps,
						ItemValue *value);
extern Item *item_with(const Item *item, char **path, int nsteps, Jsonb *value,
					   uint32 flags);

/* item_plain.c */
extern void item_plain_read(Jsonb *jsonb, ItemNode *node);
extern void item_plain_read_value(Jsonb *jsonb, int level, ItemNode *node);

/* item_text.c: plain JSON at once; false: left to item_plain_read() */
extern bool item_text_read(const char *text, size_t len, ItemNode *node);
extern const char *item_text_read_first(const char *text, size_t len,
										ItemNode *node);

/* item_escape.c: the first byte that JSON must escape, or the end */
extern Jsonb *item_plain_jsonb(const ItemValue *value);

#endif							/* DYNAMO_ITEM_INTERNAL_H */
