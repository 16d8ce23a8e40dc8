/*-------------------------------------------------------------------------
 *
 * vector_entry.c
 *	  What a vector index keeps of an item, and the SQL function that makes it.
 *
 * The elements of the vector, and before them a hash of the value of each
 * attribute of the SearchSchema, that of the HASH attribute first.  A search
 * compares hashes, and then the values in the item.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "vector/vector_internal.h"

PG_FUNCTION_INFO_V1(dynamo_vector_entry);
PG_FUNCTION_INFO_V1(dynamo_vector_entry_in);
PG_FUNCTION_INFO_V1(dynamo_vector_entry_out);
PG_FUNCTION_INFO_V1(dynamo_vector_entry_analyze);

static uint32 tag_of(const Item *item, const KeyAttr *attr);
static bool value_changes(const char *name, const Item *old_item,
						  const Item *item);
static bool read_definition(FunctionCallInfo fcinfo, IndexDef *index);

/*
 * NULL: the item is not in the index.
 */
VectorEntry *
vector_make_entry(const IndexDef *index, const Item *item)
{
	int			ntags = index->nhash + index->nrange;
	Size		size = offsetof(VectorEntry, words) +
		sizeof(uint32) * (ntags + index->dimensions);
	VectorEntry *entry = palloc(size);
	uint32	   *tag = entry->words;

	if (!vector_in_index(index, item, (float *) (entry->words + ntags)))
	{
		pfree(entry);
		return NULL;
	}
	SET_VARSIZE(entry, size);
	entry->dimensions = index->dimensions;
	entry->ntags = ntags;
	entry->hashed = index->nhash > 0;
	for (int i = 0; i < index->nhash; i++)
		*tag++ = tag_of(item, &index->hash[i]);
	for (int i = 0; i < index->nrange; i++)
		*tag++ = tag_of(item, &index->range[i]);
	return entry;
}

static uint32
tag_of(const Item *item, const KeyAttr *attr)
{
	ItemValue	value;

	return item_get(item, attr->name, strlen(attr->name), &value) ?
		vector_tag(&value) : 0;
}

/*
 * May the entry of an item change, appear or disappear?  Only if one of the
 * values does from which it is made.
 */
bool
vector_entry_changes(const IndexDef *index, const Item *old_item,
					 const Item *item)
{
	if (value_changes(index->vector, old_item, item))
		return true;
	for (int i = 0; i < index->nhash; i++)
	{
		if (value_changes(index->hash[i].name, old_item, item))
			return true;
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (value_changes(index->range[i].name, old_item, item))
			return true;
	}
	return false;
}

static bool
value_changes(const char *name, const Item *old_item, const Item *item)
{
	ItemValue	before;
	ItemValue	after;
	bool		had = item_get(old_item, name, strlen(name), &before);
	bool		has = item_get(item, name, strlen(name), &after);

	return had != has ||
		(had && (before.type != after.type || before.len != after.len ||
				 memcmp(before.data, after.data, after.len) != 0));
}

/*
 * Values that are equal have the same bytes.
 */
uint32
vector_tag(const ItemValue *value)
{
	return DatumGetUInt32(hash_any((const unsigned char *) value->data,
								   value->len));
}

/*
 * vector_entry(item, vector, dimensions, attributes, types, hashed): raises
 * nothing, whatever the item has.  Arguments that no definition has make NULL.
 */
Datum
dynamo_vector_entry(PG_FUNCTION_ARGS)
{
	IndexDef	index = {0};
	VectorEntry *entry;

	if (!read_definition(fcinfo, &index))
		PG_RETURN_NULL();
	entry = vector_make_entry(&index, PG_GETARG_ITEM_P(0));
	if (entry == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(entry);
}

static bool
read_definition(FunctionCallInfo fcinfo, IndexDef *index)
{
	Datum	   *names;
	Datum	   *types;
	bool	   *no_name;
	bool	   *no_type;
	int			n;
	int			ntypes;
	KeyAttr    *attrs;

	index->vector = text_to_cstring(PG_GETARG_TEXT_PP(1));
	index->dimensions = PG_GETARG_INT32(2);
	if (index->dimensions < 1 || index->dimensions > DYNAMO_MAX_DIMENSIONS)
		return false;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), TEXTOID, -1, false,
					  TYPALIGN_INT, &names, &no_name, &n);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(4), CHAROID, 1, true,
					  TYPALIGN_CHAR, &types, &no_type, &ntypes);
	index->nhash = PG_GETARG_BOOL(5) ? 1 : 0;
	if (n != ntypes || n < index->nhash || n > VECTOR_MAX_TAGS)
		return false;
	attrs = palloc(sizeof(KeyAttr) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		if (no_name[i] || no_type[i])
			return false;
		attrs[i].name = TextDatumGetCString(names[i]);
		attrs[i].type = DatumGetChar(types[i]);
	}
	index->hash = attrs;
	index->range = attrs + index->nhash;
	index->nrange = n - index->nhash;
	return true;
}

/*
 * The type is one of entries only: nobody can write its values.
 */
Datum
dynamo_vector_entry_in(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot accept a value of type %s",
					"dynamo_internal.vector_entry")));
	PG_RETURN_VOID();
}

Datum
dynamo_vector_entry_out(PG_FUNCTION_ARGS)
{
	const VectorEntry *entry =
		(const VectorEntry *) PG_DETOAST_DATUM(PG_GETARG_DATUM(0));

	PG_RETURN_CSTRING(psprintf("%d dimensions, %d attributes",
							   entry->dimensions, entry->ntags));
}

/*
 * Has ANALYZE make no entries.  No plan asks for statistics of them, and it would
 * keep those of 30,000 rows in memory until the last is made: half a gigabyte of
 * the longest vectors.
 */
Datum
dynamo_vector_entry_analyze(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(false);
}
