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
 *		byte 0..3	hash, big endian
 *		byte 4		kind
 *		byte 5..	what the kind says
 *
 *		kind			byte 5..
 *		ITEM_S, N, B	the value, as in a sort key
 *		ITEM_L			several values, for an index with a partition key of
 *						several attributes; each is its type, its length in
 *						four bytes, big endian, and the value
 *		kind | 0x80		one of these longer than 1536 bytes: the first 1504
 *						bytes of it, then the SHA-256 of all
 *
 * The hash is the first 4 bytes of the MD5 of "Outliers" and the value (the
 * encoding, if there are several), which is what the service orders its
 * partitions by.  Two keys in four billion share them and are in the order of
 * their values; segments of a scan need no more than 4 bytes.
 *
 * A btree entry must fit in a third of a page, 2704 bytes, together with a
 * sort key of 1024 bytes that does not compress.  That is why a long partition
 * key is not kept whole.  A SHA-256 keeps its identity, and its item has the
 * original.  Partition keys are only compared for equality; their order within
 * one hash means nothing, so cutting them costs nothing.
 *
 * The bound of a hash range is a partition key of 4 bytes, the hash alone: it
 * sorts before all keys with that hash.  It is never stored.
 *
 * An index keeps less.  Its columns are
 *
 *		integer		the first 4 bytes of the partition key's hash
 *		bytea		the value of a sort key, for each that the index has
 *		integer		the first 4 bytes of a hash of the table's key
 *
 * An entry leads to an item, and the item has its keys: a search for a
 * partition key leaves out the items that have another with that hash.  A sort
 * key's type is the index's.  What is equal in all columns is put into order
 * by the table's key (engine_scan.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "port/pg_bswap.h"

static const char hash_prefix[] = "Outliers";

/* So many hashes are remembered, of two strings of so many bytes each. */
#define HASHES			4
#define HASHED_BYTES	64

typedef struct Hashed
{
	bool		used;
	uint32		alen;
	uint32		blen;
	uint64		hash;
	char		a[HASHED_BYTES];
	char		b[HASHED_BYTES];
} Hashed;

static ItemValue key_encoding(const ItemValue *values, int nvalues);
static ItemPartitionKey *build_key(uint8 kind, const char *data, uint32 len);
static uint64 hash_bytes_of(const char *a, uint32 alen, const char *b,
							uint32 blen);
static bool is_hash_of(const Hashed *hashed, const char *a, uint32 alen,
					   const char *b, uint32 blen);
static uint64 md5_of(const char *a, uint32 alen, const char *b, uint32 blen);
static int32 signed_hash(uint64 hash);
static ItemValue after_prefix(const ItemValue *prefix);
static int	payload_compare(const struct varlena *a, const struct varlena *b);

/*
 * The partition key of one value, S, N or B, or of the several that make up
 * an index's.  No limit of length is checked here.
 */
ItemPartitionKey *
item_partition_key(const ItemValue *values, int nvalues)
{
	ItemValue	encoding = key_encoding(values, nvalues);

	return build_key(encoding.type, encoding.data, encoding.len);
}

/*
 * What a partition key is made of: the kind, as a type, and all of the value.
 */
static ItemValue
key_encoding(const ItemValue *values, int nvalues)
{
	StringInfoData encoding;
	ItemValue	result = {ITEM_L, 0, NULL};

	if (nvalues == 1)
		return values[0];

	initStringInfo(&encoding);
	for (int i = 0; i < nvalues; i++)
	{
		uint32		len = pg_hton32(values[i].len);

		Assert(item_is_scalar_key(values[i].type));
		appendStringInfoChar(&encoding, (char) values[i].type);
		appendBinaryStringInfo(&encoding, (char *) &len, sizeof(len));
		appendBinaryStringInfo(&encoding, values[i].data, values[i].len);
	}
	result.data = encoding.data;
	result.len = encoding.len;
	return result;
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

/*
 * The hash a key begins with, in the upper half of the result.
 */
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
 * The first column of an index: what is left of a partition key, of one value
 * or several.
 */
int32
item_index_hash(const ItemValue *values, int nvalues)
{
	ItemValue	encoding = key_encoding(values, nvalues);

	return signed_hash(hash_bytes_of(encoding.data, encoding.len, NULL, 0));
}

/*
 * A column of an index for a sort key.
 */
bytea *
item_index_sort_key(const ItemValue *value)
{
	bytea	   *key = palloc((Size) VARHDRSZ + value->len);

	SET_VARSIZE(key, VARHDRSZ + value->len);
	memcpy(VARDATA(key), value->data, value->len);
	return key;
}

/*
 * The last column of an index: tells entries with equal index keys apart, and
 * orders them, by a hash of the table's key.
 */
int32
item_key_hash(const ItemValue *partition, const ItemValue *sort)
{
	return signed_hash(hash_bytes_of(partition->data, partition->len,
									 sort ? sort->data : NULL,
									 sort ? sort->len : 0));
}

/*
 * The lower bound of an index's first column for hashes of "hash" or greater.
 */
int32
item_index_bound(uint64 hash)
{
	return signed_hash(hash);
}

/*
 * The first half of a hash.  The service orders by it as an unsigned number,
 * integer is signed, hence the sign bit is turned over.
 */
static int32
signed_hash(uint64 hash)
{
	return (int32) ((uint32) (hash >> 32) ^ 0x80000000);
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
	ItemValue	after = after_prefix(prefix);

	return after.len > 0 ? item_sort_key(&after) : NULL;
}

/*
 * The same for a column of an index.
 */
bytea *
item_index_sort_key_after_prefix(const ItemValue *prefix)
{
	ItemValue	after = after_prefix(prefix);

	return after.len > 0 ? item_index_sort_key(&after) : NULL;
}

/*
 * The least bytes greater than all that begin with the prefix; none if there
 * are no such bytes.
 */
static ItemValue
after_prefix(const ItemValue *prefix)
{
	ItemValue	after = *prefix;
	char	   *data;

	Assert(prefix->type == ITEM_S || prefix->type == ITEM_B);
	while (after.len > 0 && (uint8) after.data[after.len - 1] == 0xff)
		after.len--;
	if (after.len > 0)
	{
		data = memcpy(palloc(after.len), after.data, after.len);
		((uint8 *) data)[after.len - 1]++;
		after.data = data;
	}
	return after;
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
 *
 * The columns and predicates of a row's indexes are expressions that each ask
 * anew, so the last answers to short questions are remembered.
 */
static uint64
hash_bytes_of(const char *a, uint32 alen, const char *b, uint32 blen)
{
	static Hashed remembered[HASHES];
	static int	next = 0;
	Hashed	   *hashed = &remembered[next];

	for (int i = 0; i < HASHES; i++)
	{
		if (is_hash_of(&remembered[i], a, alen, b, blen))
			return remembered[i].hash;
	}
	if (alen > HASHED_BYTES || blen > HASHED_BYTES)
		return md5_of(a, alen, b, blen);
	next = (next + 1) % HASHES;
	hashed->hash = md5_of(a, alen, b, blen);
	memcpy(hashed->a, a, alen);
	if (blen > 0)
		memcpy(hashed->b, b, blen);
	hashed->alen = alen;
	hashed->blen = blen;
	hashed->used = true;
	return hashed->hash;
}

static bool
is_hash_of(const Hashed *hashed, const char *a, uint32 alen, const char *b,
		   uint32 blen)
{
	return hashed->used && hashed->alen == alen && hashed->blen == blen &&
		memcmp(hashed->a, a, alen) == 0 &&
		(blen == 0 || memcmp(hashed->b, b, blen) == 0);
}

static uint64
md5_of(const char *a, uint32 alen, const char *b, uint32 blen)
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
