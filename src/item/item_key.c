/*-------------------------------------------------------------------------
 *
 * item_key.c
 *	  Keys: datums of the types dynamo.partition_key and dynamo.sort_key.
 *
 * Both are varlenas whose payload is ordered by memcmp, the shorter first.
 *
 * A sort key is
 *
 *		byte 0		type: ITEM_S, ITEM_N or ITEM_B
 *		byte 1..	the value: UTF-8, sortable number, or bytes
 *
 * A partition key is
 *
 *		byte 0..7	hash, big endian
 *		byte 8		kind
 *		byte 9..	what the kind says
 *
 *		kind			byte 9..
 *		ITEM_S, N, B	the value, as in a sort key
 *		ITEM_L			several values, for an index with a partition key of
 *						several attributes; each is its type, its length in
 *						four bytes, big endian, and the value
 *		kind | 0x80		one of these longer than 1536 bytes: the first 1504
 *						bytes of it, then the SHA-256 of all
 *
 * The hash is the first 8 bytes of the MD5 of "Outliers" and the value (the
 * encoding, if there are several), which is what the service orders its
 * partitions by.
 *
 * A btree entry must fit in a third of a page, 2704 bytes, together with a
 * sort key of 1024 bytes that does not compress.  That is why a long partition
 * key is not kept whole.  A SHA-256 keeps its identity, and its item has the
 * original.  Partition keys are only compared for equality; their order within
 * one hash means nothing, so cutting them costs nothing.
 *
 * The bound of a hash range is a partition key of 8 bytes, the hash alone: it
 * sorts before all keys with that hash.  It is never stored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "port/pg_bswap.h"

static const char hash_prefix[] = "Outliers";

static ItemPartitionKey *build_key(uint8 kind, const char *data, uint32 len);
static uint64 hash_bytes_of(const char *a, uint32 alen, const char *b,
							uint32 blen);
static int	payload_compare(const struct varlena *a, const struct varlena *b);

/*
 * The partition key of one value, S, N or B, or of the several that make up
 * an index's.  No limit of length is checked here.
 */
ItemPartitionKey *
item_partition_key(const ItemValue *values, int nvalues)
{
	StringInfoData encoding;

	if (nvalues == 1)
		return build_key(values->type, values->data, values->len);

	initStringInfo(&encoding);
	for (int i = 0; i < nvalues; i++)
	{
		uint32		len = pg_hton32(values[i].len);

		Assert(item_is_scalar_key(values[i].type));
		appendStringInfoChar(&encoding, (char) values[i].type);
		appendBinaryStringInfo(&encoding, (char *) &len, sizeof(len));
		appendBinaryStringInfo(&encoding, values[i].data, values[i].len);
	}
	return build_key(ITEM_L, encoding.data, encoding.len);
}

/*
 * A partition key of this kind (without ITEM_KEY_LONG), all of whose value is
 * given.
 */
static ItemPartitionKey *
build_key(uint8 kind, const char *data, uint32 len)
{
	bool		cut = len > ITEM_KEY_WHOLE;
	uint32		kept = cut ? ITEM_KEY_WHOLE : len;
	Size		size = VARHDRSZ + ITEM_KEY_HASH + 1 + kept;
	ItemPartitionKey *key = palloc(size);
	uint64		hash = pg_hton64(hash_bytes_of(data, len, NULL, 0));
	char	   *p = VARDATA(key);

	SET_VARSIZE(key, size);
	memcpy(p, &hash, ITEM_KEY_HASH);
	p += ITEM_KEY_HASH;
	*p++ = (char) (cut ? kind | ITEM_KEY_LONG : kind);
	if (cut)
	{
		memcpy(p, data, ITEM_KEY_PREFIX);
		dynamo_sha256(data, len, p + ITEM_KEY_PREFIX);
	}
	else
		memcpy(p, data, len);
	return key;
}

ItemSortKey *
item_sort_key(const ItemValue *value)
{
	ItemSortKey *key = palloc((Size) VARHDRSZ + 1 + value->len);

	Assert(item_is_scalar_key(value->type));
	SET_VARSIZE(key, VARHDRSZ + 1 + value->len);
	*VARDATA(key) = (char) value->type;
	memcpy(VARDATA(key) + 1, value->data, value->len);
	return key;
}

uint64
item_partition_key_hash(const ItemPartitionKey *key)
{
	uint64		hash = 0;

	memcpy(&hash, VARDATA_ANY(key),
		   Min(VARSIZE_ANY_EXHDR(key), ITEM_KEY_HASH));
	return pg_ntoh64(hash);
}

int
item_partition_key_compare(const ItemPartitionKey *a, const ItemPartitionKey *b)
{
	return payload_compare(a, b);
}

int
item_sort_key_compare(const ItemSortKey *a, const ItemSortKey *b)
{
	return payload_compare(a, b);
}

static int
payload_compare(const struct varlena *a, const struct varlena *b)
{
	return item_bytes_compare(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
							  VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));
}

/*
 * What tells entries of an index with equal index keys apart, and orders
 * them: a hash of the table's key.  The service orders by it as an unsigned
 * number, bigint is signed, hence the sign bit is turned over.
 */
int64
item_key_hash(const ItemValue *partition, const ItemValue *sort)
{
	uint64		hash = hash_bytes_of(partition->data, partition->len,
									 sort ? sort->data : NULL,
									 sort ? sort->len : 0);

	return (int64) (hash ^ UINT64CONST(0x8000000000000000));
}

/*
 * The lower bound of the keys whose hash is "hash" or greater.
 */
ItemPartitionKey *
item_partition_key_bound(uint64 hash)
{
	ItemPartitionKey *key = palloc(VARHDRSZ + ITEM_KEY_HASH);

	hash = pg_hton64(hash);
	SET_VARSIZE(key, VARHDRSZ + ITEM_KEY_HASH);
	memcpy(VARDATA(key), &hash, ITEM_KEY_HASH);
	return key;
}

/*
 * The least sort key greater than every one that begins with "prefix"; NULL
 * when there is none of its type.  It need not be valid UTF-8.
 */
ItemSortKey *
item_sort_key_after_prefix(const ItemValue *prefix)
{
	ItemValue	after = *prefix;
	ItemSortKey *key;

	Assert(prefix->type == ITEM_S || prefix->type == ITEM_B);
	while (after.len > 0 && (uint8) after.data[after.len - 1] == 0xff)
		after.len--;
	if (after.len == 0)
		return NULL;
	key = item_sort_key(&after);
	((uint8 *) VARDATA(key))[after.len]++;
	return key;
}

/*
 * The type that the letter of a key attribute stands for; false: none that a
 * key may have.
 */
bool
item_key_type(char letter, ItemType *type)
{
	switch (letter)
	{
		case 'S':
			*type = ITEM_S;
			return true;
		case 'N':
			*type = ITEM_N;
			return true;
		case 'B':
			*type = ITEM_B;
			return true;
		default:
			return false;
	}
}

/*
 * Is this a value for a key attribute of the type with that letter?
 */
bool
item_is_key_type(const ItemValue *value, char letter)
{
	ItemType	type;

	return item_key_type(letter, &type) && value->type == type;
}

/*
 * The attribute, if the item has it and it has the type of the key.
 */
bool
item_get_key(const Item *item, const char *name, uint32 namelen, char letter,
			 ItemValue *value)
{
	return item_get(item, name, namelen, value) &&
		item_is_key_type(value, letter);
}

/*
 * The same as a key of an index, which leaves out what is empty or longer than
 * "max_len".
 */
bool
item_index_key(const Item *item, const char *name, uint32 namelen, char letter,
			   uint32 max_len, ItemValue *value)
{
	return item_get_key(item, name, namelen, letter, value) &&
		value->len > 0 && value->len <= max_len;
}

/*
 * Refuse an empty value, S or B, of a key attribute.  "before" begins the
 * text, "after" ends it.
 */
void
item_refuse_empty_key(ItemType type, const char *before, const char *after)
{
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_KEY_NOT_EMPTY,
					  "%sThe AttributeValue for a key attribute cannot contain an empty %s value.%s",
					  before, type == ITEM_S ? "string" : "binary", after);
}

/*
 * Refuse a value too long for a partition key.  Numbers never are.
 */
void
item_check_partition_key(const ItemValue *value)
{
	if (value->len > DYNAMO_MAX_PARTITION_KEY)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Size of hashkey has exceeded the maximum size limit of%d bytes",
					 DYNAMO_MAX_PARTITION_KEY);
}

/*
 * Refuse a value too long for a sort key.
 */
void
item_check_sort_key(const ItemValue *value)
{
	if (value->len > DYNAMO_MAX_SORT_KEY)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Aggregated size of all range keys has exceeded the size limit of %d bytes",
					 DYNAMO_MAX_SORT_KEY);
}

/*
 * The first 8 bytes of the MD5 of the prefix, a and b, as a big-endian number.
 */
static uint64
hash_bytes_of(const char *a, uint32 alen, const char *b, uint32 blen)
{
	ItemMd5		md5;
	uint8		digest[ITEM_MD5_BYTES];
	uint64		hash;

	item_md5_init(&md5);
	item_md5_update(&md5, hash_prefix, sizeof(hash_prefix) - 1);
	item_md5_update(&md5, a, alen);
	item_md5_update(&md5, b, blen);
	item_md5_final(&md5, digest);
	memcpy(&hash, digest, sizeof(hash));
	return pg_ntoh64(hash);
}
