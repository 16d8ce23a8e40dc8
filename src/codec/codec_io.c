/*-------------------------------------------------------------------------
 *
 * codec_io.c
 *	  The SQL functions of type dynamo.item.
 *
 * What is made here obeys all rules of values but one: an item may be larger
 * than 400 kB, for the same type carries the values of an expression.  The
 * limit is held where a row's partition key is derived from its item, see
 * item_extract.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "codec/codec_internal.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* No client sends more: DynamoDB takes no request beyond it. */
#define MAX_BINARY	(16 * 1024 * 1024)

PG_FUNCTION_INFO_V1(dynamo_item_in);
PG_FUNCTION_INFO_V1(dynamo_item_out);
PG_FUNCTION_INFO_V1(dynamo_item_recv);
PG_FUNCTION_INFO_V1(dynamo_item_send);
PG_FUNCTION_INFO_V1(dynamo_item_from_json);
PG_FUNCTION_INFO_V1(dynamo_item_from_jsonb);
PG_FUNCTION_INFO_V1(dynamo_item_to_json);
PG_FUNCTION_INFO_V1(dynamo_item_to_plain_json);
PG_FUNCTION_INFO_V1(dynamo_item_to_jsonb);
PG_FUNCTION_INFO_V1(dynamo_item_size);
PG_FUNCTION_INFO_V1(dynamo_item_field);
PG_FUNCTION_INFO_V1(dynamo_item_field_text);
PG_FUNCTION_INFO_V1(dynamo_item_path);
PG_FUNCTION_INFO_V1(dynamo_item_path_text);
PG_FUNCTION_INFO_V1(dynamo_item_exists);
PG_FUNCTION_INFO_V1(dynamo_item_join);
PG_FUNCTION_INFO_V1(dynamo_item_without);
PG_FUNCTION_INFO_V1(dynamo_item_without_array);
PG_FUNCTION_INFO_V1(dynamo_item_contains);
PG_FUNCTION_INFO_V1(dynamo_item_contained);
PG_FUNCTION_INFO_V1(dynamo_item_set);
PG_FUNCTION_INFO_V1(dynamo_item_eq);
PG_FUNCTION_INFO_V1(dynamo_item_ne);
PG_FUNCTION_INFO_V1(dynamo_item_hash);
PG_FUNCTION_INFO_V1(dynamo_item_hash_extended);

static bool get_field(FunctionCallInfo fcinfo, ItemValue *value);
static bool get_path(FunctionCallInfo fcinfo, ItemValue *value);
static char **read_path(const ArrayType *array, int *nsteps);
static bool contains(const Item *item, const Item *part);
static text *value_text(const ItemValue *value);
static uint64 value_hash(const ItemValue *value, uint64 seed);

/*
 * Text and binary
 */

Datum
dynamo_item_in(PG_FUNCTION_ARGS)
{
	char	   *string = PG_GETARG_CSTRING(0);

	PG_RETURN_ITEM_P(codec_read_any(string, strlen(string)));
}

Datum
dynamo_item_out(PG_FUNCTION_ARGS)
{
	StringInfoData out;

	initStringInfo(&out);
	codec_append_map(&out, PG_GETARG_ITEM_P(0));
	PG_RETURN_CSTRING(out.data);
}

/*
 * The binary form is the stored one without its length word.
 */
Datum
dynamo_item_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;
	const char *bytes;
	Item	   *item;

	codec_check_encoding("dynamo.item");
	if (len > MAX_BINARY)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("binary value of type %s is too large",
						"dynamo.item")));
	bytes = pq_getmsgbytes(buf, len);
	if (!item_bytes_valid(bytes, len))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary format for type %s", "dynamo.item")));
	item = palloc((Size) VARHDRSZ + len);
	SET_VARSIZE(item, VARHDRSZ + len);
	memcpy(VARDATA(item), bytes, len);
	PG_RETURN_ITEM_P(item);
}

Datum
dynamo_item_send(PG_FUNCTION_ARGS)
{
	Item	   *item = item_copy(PG_GETARG_ITEM_P(0));	/* in our version */
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendbytes(&buf, VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/*
 * Casts
 */

Datum
dynamo_item_from_json(PG_FUNCTION_ARGS)
{
	text	   *json = PG_GETARG_TEXT_PP(0);

	PG_RETURN_ITEM_P(codec_read_any(VARDATA_ANY(json),
										VARSIZE_ANY_EXHDR(json)));
}

Datum
dynamo_item_from_jsonb(PG_FUNCTION_ARGS)
{
	ItemNode	node;

	codec_check_encoding("dynamo.item");
	codec_plain_read(PG_GETARG_JSONB_P(0), &node);
	PG_RETURN_ITEM_P(item_pack(&node));
}

/*
 * Typed JSON.
 */
Datum
dynamo_item_to_json(PG_FUNCTION_ARGS)
{
	StringInfoData out;

	initStringInfo(&out);
	codec_append_map(&out, PG_GETARG_ITEM_P(0));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

/*
 * Plain JSON.
 */
Datum
dynamo_item_to_plain_json(PG_FUNCTION_ARGS)
{
	ItemValue	root = item_root(PG_GETARG_ITEM_P(0));
	StringInfoData out;

	initStringInfo(&out);
	codec_append_plain(&out, &root);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}

Datum
dynamo_item_to_jsonb(PG_FUNCTION_ARGS)
{
	ItemValue	root = item_root(PG_GETARG_ITEM_P(0));

	PG_RETURN_JSONB_P(codec_plain_jsonb(&root));
}

/*
 * Looking inside
 */

Datum
dynamo_item_size(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) item_size(PG_GETARG_ITEM_P(0)));
}

Datum
dynamo_item_field(PG_FUNCTION_ARGS)
{
	ItemValue	value;

	if (!get_field(fcinfo, &value))
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(codec_plain_jsonb(&value));
}

Datum
dynamo_item_field_text(PG_FUNCTION_ARGS)
{
	ItemValue	value;

	if (!get_field(fcinfo, &value) || value.type == ITEM_NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(value_text(&value));
}

Datum
dynamo_item_path(PG_FUNCTION_ARGS)
{
	ItemValue	value;

	if (!get_path(fcinfo, &value))
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(codec_plain_jsonb(&value));
}

Datum
dynamo_item_path_text(PG_FUNCTION_ARGS)
{
	ItemValue	value;

	if (!get_path(fcinfo, &value) || value.type == ITEM_NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(value_text(&value));
}

Datum
dynamo_item_exists(PG_FUNCTION_ARGS)
{
	ItemValue	value;

	PG_RETURN_BOOL(get_field(fcinfo, &value));
}

/*
 * Arguments are an item and the name of an attribute.
 */
static bool
get_field(FunctionCallInfo fcinfo, ItemValue *value)
{
	text	   *name = PG_GETARG_TEXT_PP(1);

	return item_get(PG_GETARG_ITEM_P(0), VARDATA_ANY(name),
					VARSIZE_ANY_EXHDR(name), value);
}

/*
 * Arguments are an item and a path.
 */
static bool
get_path(FunctionCallInfo fcinfo, ItemValue *value)
{
	int			nsteps;
	char	  **path = read_path(PG_GETARG_ARRAYTYPE_P(1), &nsteps);

	return path != NULL &&
		codec_follow(PG_GETARG_ITEM_P(0), path, nsteps, value);
}

/*
 * The steps of a path; NULL when one of them is null.
 */
static char **
read_path(const ArrayType *array, int *nsteps)
{
	Datum	   *steps;
	bool	   *nulls;
	char	  **path;

	deconstruct_array(unconstify(ArrayType *, array), TEXTOID, -1, false,
					  TYPALIGN_INT, &steps, &nulls, nsteps);
	path = palloc(sizeof(char *) * (*nsteps + 1));
	for (int i = 0; i < *nsteps; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			return NULL;
		path[i] = TextDatumGetCString(steps[i]);
	}
	return path;
}

/*
 * A string's own text; anything else as the text of its jsonb, a string in
 * it without quotes.
 */
static text *
value_text(const ItemValue *value)
{
	StringInfoData out;
	Jsonb	   *jsonb;

	switch (value->type)
	{
		case ITEM_S:
			if (memchr(value->data, '\0', value->len) != NULL)
				break;			/* the conversion to jsonb says why not */
			return cstring_to_text_with_len(value->data, value->len);
		case ITEM_N:
			initStringInfo(&out);
			item_number_append(&out, value);
			return cstring_to_text_with_len(out.data, out.len);
		case ITEM_B:
			initStringInfo(&out);
			item_base64_append(&out, value->data, value->len);
			return cstring_to_text_with_len(out.data, out.len);
		default:
			break;
	}
	jsonb = codec_plain_jsonb(value);
	return cstring_to_text(JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb)));
}

/*
 * Other items
 */

Datum
dynamo_item_join(PG_FUNCTION_ARGS)
{
	PG_RETURN_ITEM_P(item_join(PG_GETARG_ITEM_P(0), PG_GETARG_ITEM_P(1)));
}

Datum
dynamo_item_without(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(1);
	ItemValue	value = item_string(VARDATA_ANY(name),
									VARSIZE_ANY_EXHDR(name));

	PG_RETURN_ITEM_P(item_without(PG_GETARG_ITEM_P(0), &value, 1));
}

/*
 * A null in the array names nothing.
 */
Datum
dynamo_item_without_array(PG_FUNCTION_ARGS)
{
	Datum	   *names;
	bool	   *nulls;
	int			count;
	int			n = 0;
	ItemValue  *values;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false,
					  TYPALIGN_INT, &names, &nulls, &count);
	values = palloc(sizeof(ItemValue) * (count + 1));
	for (int i = 0; i < count; i++)
	{
		text	   *name;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			continue;
		name = DatumGetTextPP(names[i]);
		values[n++] = item_string(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	}
	PG_RETURN_ITEM_P(item_without(PG_GETARG_ITEM_P(0), values, n));
}

Datum
dynamo_item_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(PG_GETARG_ITEM_P(0), PG_GETARG_ITEM_P(1)));
}

Datum
dynamo_item_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(PG_GETARG_ITEM_P(1), PG_GETARG_ITEM_P(0)));
}

static bool
contains(const Item *item, const Item *part)
{
	ItemValue	root = item_root(item);
	ItemValue	part_root = item_root(part);

	return item_value_contains(&root, &part_root);
}

/*
 * Arguments: item, path, value, create_if_missing.
 */
Datum
dynamo_item_set(PG_FUNCTION_ARGS)
{
	Item	   *item = PG_GETARG_ITEM_P(0);
	int			nsteps;
	char	  **path = read_path(PG_GETARG_ARRAYTYPE_P(1), &nsteps);
	Item	   *changed;

	if (path == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("path element is null")));
	if (nsteps == 0)
		PG_RETURN_ITEM_P(item);
	codec_check_encoding("dynamo.item");
	changed = codec_with(item, path, NULL, nsteps, PG_GETARG_JSONB_P(2),
						 PG_GETARG_BOOL(3) ? CODEC_WITH_LAST : 0);
	PG_RETURN_ITEM_P(changed != NULL ? changed : item);
}

/*
 * Equality and hashing
 */

Datum
dynamo_item_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(item_equal(PG_GETARG_ITEM_P(0), PG_GETARG_ITEM_P(1)));
}

Datum
dynamo_item_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!item_equal(PG_GETARG_ITEM_P(0), PG_GETARG_ITEM_P(1)));
}

Datum
dynamo_item_hash(PG_FUNCTION_ARGS)
{
	ItemValue	root = item_root(PG_GETARG_ITEM_P(0));

	PG_RETURN_INT32((int32) value_hash(&root, 0));
}

Datum
dynamo_item_hash_extended(PG_FUNCTION_ARGS)
{
	ItemValue	root = item_root(PG_GETARG_ITEM_P(0));

	PG_RETURN_INT64((int64) value_hash(&root, PG_GETARG_INT64(1)));
}

/*
 * A hash that equal values share: what has no order is added up.
 */
static uint64
value_hash(const ItemValue *value, uint64 seed)
{
	uint64		hash = seed + value->type;
	ItemIterator it;
	ItemValue	member;

	if (value->type < ITEM_SS)
		return hash_bytes_extended((const unsigned char *) value->data,
								   value->len, hash);
	check_stack_depth();
	(void) item_iterate(value, &it);
	while (item_next(&it, &member))
	{
		if (item_is_set(value->type))
		{
			hash += value_hash(&member, seed);
			continue;
		}
		if (value->type == ITEM_M)
			hash = hash_bytes_extended((const unsigned char *) it.name,
									   it.namelen, hash);
		hash = hash_combine64(hash, value_hash(&member, seed));
	}
	return hash;
}
