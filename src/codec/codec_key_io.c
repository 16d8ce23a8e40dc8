/*-------------------------------------------------------------------------
 *
 * codec_key_io.c
 *	  The SQL functions of types dynamo.partition_key, dynamo.sort_key and
 *	  dynamo.key_value.
 *
 * The text form of a key that is a string is the string.  Any other is JSON,
 * and so is a string that begins with "{" or has a NUL in it:
 *
 *		{"N":"5"}  {"B":"AA=="}  {"S":"{x"}			one value
 *		{"L":[{"S":"a"},{"N":"5"}]}					several (partition key)
 *		{"raw":"AAAA"}								the payload, in base64
 *
 * The last one is for what no value gives back: a partition key that was cut,
 * and bounds of ranges.
 *
 * A key_value has the bytes of a sort key, but any length.  Its text form is a
 * string; which type is meant is up to the key that it is for.  A string that
 * begins with "{" may be a whole key in JSON, so it is marked: its type is M.
 * Only text without a type is read so.  Text that is cast is always a string.
 * Numbers and binaries, and such a string, are written as {"":{"N":"5"}}, which
 * is a key of no table: what is written is read as what it was.  Citus sends
 * constants to other nodes as text.
 *
 * A key that comes in obeys the limits of DynamoDB, and one that comes in as
 * bytes is checked as far as it can be: a hash that does not belong to the
 * value would make a row no one finds again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec_internal.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/sortsupport.h"

PG_FUNCTION_INFO_V1(dynamo_partition_key_in);
PG_FUNCTION_INFO_V1(dynamo_partition_key_out);
PG_FUNCTION_INFO_V1(dynamo_partition_key_recv);
PG_FUNCTION_INFO_V1(dynamo_partition_key_from_text);
PG_FUNCTION_INFO_V1(dynamo_partition_key_from_bytea);
PG_FUNCTION_INFO_V1(dynamo_partition_key_from_numeric);
PG_FUNCTION_INFO_V1(dynamo_partition_key_from_int4);
PG_FUNCTION_INFO_V1(dynamo_partition_key_from_int8);
PG_FUNCTION_INFO_V1(dynamo_partition_key_sortsupport);
PG_FUNCTION_INFO_V1(dynamo_sort_key_in);
PG_FUNCTION_INFO_V1(dynamo_sort_key_out);
PG_FUNCTION_INFO_V1(dynamo_sort_key_recv);
PG_FUNCTION_INFO_V1(dynamo_sort_key_from_text);
PG_FUNCTION_INFO_V1(dynamo_sort_key_from_bytea);
PG_FUNCTION_INFO_V1(dynamo_sort_key_from_numeric);
PG_FUNCTION_INFO_V1(dynamo_sort_key_from_int4);
PG_FUNCTION_INFO_V1(dynamo_sort_key_from_int8);
PG_FUNCTION_INFO_V1(dynamo_sort_key_sortsupport);
PG_FUNCTION_INFO_V1(dynamo_sort_key_after);
PG_FUNCTION_INFO_V1(dynamo_key_value_in);
PG_FUNCTION_INFO_V1(dynamo_key_value_out);
PG_FUNCTION_INFO_V1(dynamo_key_value_recv);
PG_FUNCTION_INFO_V1(dynamo_key_value_send);
PG_FUNCTION_INFO_V1(dynamo_key_value_from_text);
PG_FUNCTION_INFO_V1(dynamo_key_value_from_bytea);
PG_FUNCTION_INFO_V1(dynamo_key_value_from_numeric);
PG_FUNCTION_INFO_V1(dynamo_key_value_from_int4);
PG_FUNCTION_INFO_V1(dynamo_key_value_from_int8);
PG_FUNCTION_INFO_V1(dynamo_key_send);
PG_FUNCTION_INFO_V1(dynamo_key_eq);
PG_FUNCTION_INFO_V1(dynamo_key_ne);
PG_FUNCTION_INFO_V1(dynamo_key_lt);
PG_FUNCTION_INFO_V1(dynamo_key_le);
PG_FUNCTION_INFO_V1(dynamo_key_gt);
PG_FUNCTION_INFO_V1(dynamo_key_ge);
PG_FUNCTION_INFO_V1(dynamo_key_cmp);
PG_FUNCTION_INFO_V1(dynamo_key_hash_value);
PG_FUNCTION_INFO_V1(dynamo_key_hash_value_extended);

#define DatumGetKeyP(d)		((struct varlena *) PG_DETOAST_DATUM_PACKED(d))

/* What the text of a key_value begins with that says its type. */
static const char typed_value[] = "{\"\":";

static ItemValue *read_key_text(char *string, const char *type_name,
								int max_values, int *nvalues, bytea **raw);
static json_t *load_key(const char *string, const char *type_name);
static bytea *read_raw(const json_t *raw, const char *type_name);
static void bad_key(const char *type_name) pg_attribute_noreturn();
static Datum build_partition_key(const ItemValue *values, int nvalues);
static Datum build_sort_key(const ItemValue *value);
static Datum take_sort_key(bytea *raw);
static Datum build_key_value(ItemValue value);
static ItemValue string_key_value(const char *text, uint32 len);
static ItemValue typed_key_value(const char *text);
static bool partition_key_valid(const char *bytes, uint32 len);
static bool composite_split(const char *data, uint32 len, ItemValue *values,
							int *nvalues);
static bool scalar_valid(const ItemValue *value);
static void append_key(StringInfo out, const ItemValue *values, int nvalues,
					   const struct varlena *key);
static bytea *recv_bytes(StringInfo buf);
static ItemValue text_value(const text *t);
static ItemValue bytea_value(const bytea *b);
static inline bool key_in_place(Datum datum, const char **data, uint32 *len);
static int	compare_datums(Datum a, Datum b);
static int	compare_toasted(Datum a, Datum b);
static int	key_fast_compare(Datum a, Datum b, SortSupport ssup);
static Datum key_abbreviate(Datum original, SortSupport ssup);
static bool key_abbrev_abort(int memtupcount, SortSupport ssup);

/*
 * Partition keys
 */

Datum
dynamo_partition_key_in(PG_FUNCTION_ARGS)
{
	bytea	   *raw;
	int			nvalues;
	ItemValue  *values = read_key_text(PG_GETARG_CSTRING(0),
									   "dynamo.partition_key",
									   DYNAMO_MAX_KEY_ATTRS, &nvalues, &raw);

	if (!raw)
		return build_partition_key(values, nvalues);
	if (!partition_key_valid(VARDATA(raw), VARSIZE(raw) - VARHDRSZ))
		bad_key("dynamo.partition_key");
	PG_RETURN_BYTEA_P(raw);
}

Datum
dynamo_partition_key_out(PG_FUNCTION_ARGS)
{
	struct varlena *key = DatumGetKeyP(PG_GETARG_DATUM(0));
	const char *data = VARDATA_ANY(key);
	uint32		len = VARSIZE_ANY_EXHDR(key);
	ItemValue	values[DYNAMO_MAX_KEY_ATTRS];
	int			nvalues = 0;
	StringInfoData out;

	if (len > ITEM_KEY_HASH)
	{
		uint8		kind = (uint8) data[ITEM_KEY_HASH];

		values[0].type = (ItemType) kind;
		values[0].data = data + ITEM_KEY_HASH + 1;
		values[0].len = len - ITEM_KEY_HASH - 1;
		if (kind != ITEM_L)
			nvalues = 1;
		else if (!composite_split(values[0].data, values[0].len,
								  values, &nvalues))
			nvalues = 0;
	}
	initStringInfo(&out);
	append_key(&out, values, nvalues, key);
	PG_RETURN_CSTRING(out.data);
}

Datum
dynamo_partition_key_recv(PG_FUNCTION_ARGS)
{
	bytea	   *raw = recv_bytes((StringInfo) PG_GETARG_POINTER(0));

	if (!partition_key_valid(VARDATA(raw), VARSIZE(raw) - VARHDRSZ))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary format for type %s",
						"dynamo.partition_key")));
	PG_RETURN_BYTEA_P(raw);
}

Datum
dynamo_partition_key_from_text(PG_FUNCTION_ARGS)
{
	ItemValue	value = text_value(PG_GETARG_TEXT_PP(0));

	return build_partition_key(&value, 1);
}

Datum
dynamo_partition_key_from_bytea(PG_FUNCTION_ARGS)
{
	ItemValue	value = bytea_value(PG_GETARG_BYTEA_PP(0));

	return build_partition_key(&value, 1);
}

Datum
dynamo_partition_key_from_numeric(PG_FUNCTION_ARGS)
{
	ItemValue	value = item_number_from_numeric(PG_GETARG_DATUM(0));

	return build_partition_key(&value, 1);
}

Datum
dynamo_partition_key_from_int4(PG_FUNCTION_ARGS)
{
	ItemValue	value = item_number_from_int64(PG_GETARG_INT32(0));

	return build_partition_key(&value, 1);
}

Datum
dynamo_partition_key_from_int8(PG_FUNCTION_ARGS)
{
	ItemValue	value = item_number_from_int64(PG_GETARG_INT64(0));

	return build_partition_key(&value, 1);
}

static Datum
build_partition_key(const ItemValue *values, int nvalues)
{
	codec_check_encoding("dynamo.partition_key");
	for (int i = 0; i < nvalues; i++)
		item_check_partition_key(&values[i]);
	return PointerGetDatum(item_partition_key(values, nvalues));
}

/*
 * Sort keys
 */

Datum
dynamo_sort_key_in(PG_FUNCTION_ARGS)
{
	bytea	   *raw;
	int			nvalues;
	ItemValue  *value = read_key_text(PG_GETARG_CSTRING(0), "dynamo.sort_key",
									  1, &nvalues, &raw);

	if (!raw)
		return build_sort_key(value);
	return take_sort_key(raw);
}

Datum
dynamo_sort_key_out(PG_FUNCTION_ARGS)
{
	struct varlena *key = DatumGetKeyP(PG_GETARG_DATUM(0));
	uint32		len = VARSIZE_ANY_EXHDR(key);
	ItemValue	value = {ITEM_S, 0, NULL};
	StringInfoData out;

	if (len > 0)
	{
		value.type = (ItemType) *(uint8 *) VARDATA_ANY(key);
		value.data = VARDATA_ANY(key) + 1;
		value.len = len - 1;
	}
	initStringInfo(&out);
	append_key(&out, &value, len > 0 ? 1 : 0, key);
	PG_RETURN_CSTRING(out.data);
}

/*
 * Any bytes have their place in the order, and none can do harm: the bound of
 * a prefix is not even UTF-8.
 */
Datum
dynamo_sort_key_recv(PG_FUNCTION_ARGS)
{
	return take_sort_key(recv_bytes((StringInfo) PG_GETARG_POINTER(0)));
}

Datum
dynamo_sort_key_from_text(PG_FUNCTION_ARGS)
{
	ItemValue	value = text_value(PG_GETARG_TEXT_PP(0));

	return build_sort_key(&value);
}

Datum
dynamo_sort_key_from_bytea(PG_FUNCTION_ARGS)
{
	ItemValue	value = bytea_value(PG_GETARG_BYTEA_PP(0));

	return build_sort_key(&value);
}

Datum
dynamo_sort_key_from_numeric(PG_FUNCTION_ARGS)
{
	ItemValue	value = item_number_from_numeric(PG_GETARG_DATUM(0));

	return build_sort_key(&value);
}

Datum
dynamo_sort_key_from_int4(PG_FUNCTION_ARGS)
{
	ItemValue	value = item_number_from_int64(PG_GETARG_INT32(0));

	return build_sort_key(&value);
}

Datum
dynamo_sort_key_from_int8(PG_FUNCTION_ARGS)
{
	ItemValue	value = item_number_from_int64(PG_GETARG_INT64(0));

	return build_sort_key(&value);
}

/*
 * The least key greater than all strings that begin with the argument.
 */
Datum
dynamo_sort_key_after(PG_FUNCTION_ARGS)
{
	ItemValue	prefix = text_value(PG_GETARG_TEXT_PP(0));
	ItemValue	numbers = {ITEM_N, 0, ""};
	ItemSortKey *after = item_sort_key_after_prefix(&prefix);

	/* after all strings come the numbers */
	PG_RETURN_POINTER(after ? after : item_sort_key(&numbers));
}

static Datum
build_sort_key(const ItemValue *value)
{
	codec_check_encoding("dynamo.sort_key");
	item_check_sort_key(value);
	return PointerGetDatum(item_sort_key(value));
}

/*
 * A sort key as it is stored.  Any bytes are in their place among the others,
 * so only what could not be written as text and read again is refused.
 */
static Datum
take_sort_key(bytea *raw)
{
	ItemValue	value = {ITEM_B, 0, NULL};

	if (VARSIZE(raw) > VARHDRSZ)
		value.len = VARSIZE(raw) - VARHDRSZ - 1;
	item_check_sort_key(&value);
	PG_RETURN_BYTEA_P(raw);
}

/*
 * Values for keys
 */

Datum
dynamo_key_value_in(PG_FUNCTION_ARGS)
{
	char	   *string = PG_GETARG_CSTRING(0);

	return build_key_value(string_key_value(string, strlen(string)));
}

Datum
dynamo_key_value_out(PG_FUNCTION_ARGS)
{
	struct varlena *datum = DatumGetKeyP(PG_GETARG_DATUM(0));
	ItemValue	value = codec_key_value(datum);
	StringInfoData out;

	initStringInfo(&out);
	if (value.type == ITEM_M ||
		(value.type == ITEM_S && (value.len == 0 || *value.data != '{')))
		appendBinaryStringInfo(&out, value.data, value.len);
	else
	{
		appendStringInfoString(&out, typed_value);
		codec_append_value(&out, &value);
		appendStringInfoChar(&out, '}');
	}
	PG_RETURN_CSTRING(out.data);
}

/*
 * The binary form is the text.
 */
Datum
dynamo_key_value_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len;
	char	   *string = pq_getmsgtext(buf, buf->len - buf->cursor, &len);

	return build_key_value(string_key_value(string, len));
}

Datum
dynamo_key_value_send(PG_FUNCTION_ARGS)
{
	char	   *text = DatumGetCString(dynamo_key_value_out(fcinfo));
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendtext(&buf, text, strlen(text));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
dynamo_key_value_from_text(PG_FUNCTION_ARGS)
{
	return build_key_value(text_value(PG_GETARG_TEXT_PP(0)));
}

Datum
dynamo_key_value_from_bytea(PG_FUNCTION_ARGS)
{
	return build_key_value(bytea_value(PG_GETARG_BYTEA_PP(0)));
}

Datum
dynamo_key_value_from_numeric(PG_FUNCTION_ARGS)
{
	return build_key_value(item_number_from_numeric(PG_GETARG_DATUM(0)));
}

Datum
dynamo_key_value_from_int4(PG_FUNCTION_ARGS)
{
	return build_key_value(item_number_from_int64(PG_GETARG_INT32(0)));
}

Datum
dynamo_key_value_from_int8(PG_FUNCTION_ARGS)
{
	return build_key_value(item_number_from_int64(PG_GETARG_INT64(0)));
}

static Datum
build_key_value(ItemValue value)
{
	struct varlena *datum = palloc((Size) VARHDRSZ + 1 + value.len);

	codec_check_encoding("dynamo.key_value");
	SET_VARSIZE(datum, VARHDRSZ + 1 + value.len);
	*VARDATA(datum) = (char) value.type;
	memcpy(VARDATA(datum) + 1, value.data, value.len);
	return PointerGetDatum(datum);
}

static ItemValue
string_key_value(const char *text, uint32 len)
{
	ItemValue	value = item_string(text, len);

	if (strncmp(text, typed_value, strlen(typed_value)) == 0)
		return typed_key_value(text);
	if (len > 0 && *text == '{')
		value.type = ITEM_M;
	return value;
}

/*
 * A value that is written with its type.
 */
static ItemValue
typed_key_value(const char *text)
{
	json_error_t error;
	json_t	   *json = codec_load(text, strlen(text), &error);
	json_t	   *value = json_object_get(json, "");
	ItemNode	node;

	if (value == NULL || json_object_size(json) != 1)
		bad_key("dynamo.key_value");
	codec_check_value(value);
	codec_read_value(value, ITEM_CURRENT, &node);
	if (node.branch || !item_is_scalar_key(node.value.type))
		bad_key("dynamo.key_value");
	return node.value;
}

/*
 * The value in a datum of type dynamo.key_value: S, N or B.  Type M: text that
 * may be a key in JSON.
 */
ItemValue
codec_key_value(const struct varlena *datum)
{
	ItemValue	value = {ITEM_S, 0, ""};

	if (VARSIZE_ANY_EXHDR(datum) > 0)
	{
		value.type = (ItemType) *(uint8 *) VARDATA_ANY(datum);
		value.data = VARDATA_ANY(datum) + 1;
		value.len = VARSIZE_ANY_EXHDR(datum) - 1;
	}
	return value;
}

/*
 * Text form
 */

/*
 * The values a key's text stands for, in "*nvalues" elements; or, as *raw,
 * the payload it spells out.
 */
static ItemValue *
read_key_text(char *string, const char *type_name, int max_values,
			  int *nvalues, bytea **raw)
{
	ItemValue  *values = palloc(sizeof(ItemValue) * max_values);
	ItemNode	node;
	json_t	   *json;

	*raw = NULL;
	*nvalues = 1;
	if (*string != '{')
	{
		values[0] = item_string(string, strlen(string));
		return values;
	}

	json = load_key(string, type_name);
	if (json_object_get(json, "raw"))
	{
		*raw = read_raw(json_object_get(json, "raw"), type_name);
		return NULL;
	}
	codec_check_value(json);
	codec_read_value(json, ITEM_CURRENT, &node);
	if (!node.branch)
	{
		values[0] = node.value;
		if (!item_is_scalar_key(values[0].type))
			bad_key(type_name);
		return values;
	}
	*nvalues = node.count;
	if (node.value.type != ITEM_L || node.count < 2 || node.count > max_values)
		bad_key(type_name);
	for (int i = 0; i < node.count; i++)
	{
		values[i] = node.members[i].node.value;
		if (!item_is_scalar_key(values[i].type))
			bad_key(type_name);
	}
	return values;
}

static json_t *
load_key(const char *string, const char *type_name)
{
	json_error_t error;
	json_t	   *json = codec_load(string, strlen(string), &error);

	if (!json)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", type_name),
				 errdetail("JSON is malformed at line %d, column %d: %s.",
						   error.line, error.column, error.text),
				 errhint("Write a string that begins with \"{\" as {\"S\":\"...\"}.")));
	return json;
}

static bytea *
read_raw(const json_t *raw, const char *type_name)
{
	uint32		len = json_string_length(raw);
	bytea	   *bytes = palloc((Size) VARHDRSZ + len);
	uint32		nbytes;

	if (!json_is_string(raw) ||
		item_base64_decode(json_string_value(raw), len, VARDATA(bytes),
						   &nbytes) != ITEM_BASE64_OK)
		bad_key(type_name);
	SET_VARSIZE(bytes, VARHDRSZ + nbytes);
	return bytes;
}

static void
bad_key(const char *type_name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s", type_name),
			 errdetail("A key is a string, a number, or a binary value.")));
}

/*
 * "key" is printed raw when its values, as they were taken from it, would not
 * give it back.
 */
static void
append_key(StringInfo out, const ItemValue *values, int nvalues,
		   const struct varlena *key)
{
	bool		valid = nvalues > 0;

	for (int i = 0; i < nvalues; i++)
		valid = valid && scalar_valid(&values[i]);
	if (!valid)
	{
		appendStringInfoString(out, "{\"raw\":\"");
		item_base64_append(out, VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key));
		appendStringInfoString(out, "\"}");
	}
	else if (nvalues == 1 && values->type == ITEM_S &&
			 (values->len == 0 || *values->data != '{') &&
			 memchr(values->data, '\0', values->len) == NULL)
		appendBinaryStringInfo(out, values->data, values->len);
	else if (nvalues == 1)
		codec_append_value(out, values);
	else
	{
		appendStringInfoString(out, "{\"L\":[");
		for (int i = 0; i < nvalues; i++)
		{
			if (i > 0)
				appendStringInfoChar(out, ',');
			codec_append_value(out, &values[i]);
		}
		appendStringInfoString(out, "]}");
	}
}

/*
 * Checks
 */

/*
 * Are these bytes the payload of a partition key, or of a bound?
 */
static bool
partition_key_valid(const char *bytes, uint32 len)
{
	ItemValue	values[DYNAMO_MAX_KEY_ATTRS];
	int			nvalues = 1;
	uint8		kind;
	ItemPartitionKey *key;

	if (len <= ITEM_KEY_HASH)
		return len == ITEM_KEY_HASH;
	kind = (uint8) bytes[ITEM_KEY_HASH];
	values[0].type = (ItemType) (kind & ~ITEM_KEY_LONG);
	values[0].data = bytes + ITEM_KEY_HASH + 1;
	values[0].len = len - ITEM_KEY_HASH - 1;
	if (kind & ITEM_KEY_LONG)
		return values[0].len == ITEM_KEY_WHOLE &&
			(values[0].type == ITEM_S || values[0].type == ITEM_B ||
			 values[0].type == ITEM_L);
	if (kind == ITEM_L &&
		!composite_split(values[0].data, values[0].len, values, &nvalues))
		return false;
	for (int i = 0; i < nvalues; i++)
	{
		if (!scalar_valid(&values[i]))
			return false;
	}
	key = item_partition_key(values, nvalues);
	return VARSIZE(key) - VARHDRSZ == len &&
		memcmp(VARDATA(key), bytes, len) == 0;
}

/*
 * The values of a composite key, 2 or more.
 */
static bool
composite_split(const char *data, uint32 len, ItemValue *values, int *nvalues)
{
	int			n = 0;

	while (len > 0)
	{
		uint32		valuelen;

		if (len < 5 || n >= DYNAMO_MAX_KEY_ATTRS)
			return false;
		memcpy(&valuelen, data + 1, 4);
		valuelen = pg_ntoh32(valuelen);
		if (valuelen > len - 5)
			return false;
		values[n].type = (ItemType) (uint8) *data;
		values[n].data = data + 5;
		values[n].len = valuelen;
		n++;
		data += 5 + valuelen;
		len -= 5 + valuelen;
	}
	*nvalues = n;
	return n > 1;
}

static bool
scalar_valid(const ItemValue *value)
{
	switch ((int) value->type)
	{
		case ITEM_S:
			return item_text_valid(value->data, value->len);
		case ITEM_N:
			return item_number_valid(value->data, value->len);
		case ITEM_B:
			return true;
		default:
			return false;
	}
}

/*
 * Binary form: the payload.
 */

static bytea *
recv_bytes(StringInfo buf)
{
	int			len = buf->len - buf->cursor;
	bytea	   *raw = palloc((Size) VARHDRSZ + len);

	SET_VARSIZE(raw, VARHDRSZ + len);
	memcpy(VARDATA(raw), pq_getmsgbytes(buf, len), len);
	return raw;
}

Datum
dynamo_key_send(PG_FUNCTION_ARGS)
{
	struct varlena *key = DatumGetKeyP(PG_GETARG_DATUM(0));
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendbytes(&buf, VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/*
 * Values of other SQL types
 */

static ItemValue
text_value(const text *t)
{
	return item_string(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
}

static ItemValue
bytea_value(const bytea *b)
{
	ItemValue	value = {ITEM_B, VARSIZE_ANY_EXHDR(b), VARDATA_ANY(b)};

	return value;
}

/*
 * Operators and operator classes: one order for both types
 */

/*
 * The bytes of a key where it stands; false: it must be made anew first.
 */
static inline bool
key_in_place(Datum datum, const char **data, uint32 *len)
{
	const struct varlena *key = (const struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_SHORT(key))
	{
		*data = VARDATA_SHORT(key);
		*len = VARSIZE_SHORT(key) - VARHDRSZ_SHORT;
	}
	else
	{
		*data = VARDATA(key);
		*len = VARSIZE(key) - VARHDRSZ;
	}
	/* to core's macro a pointer to TOAST is a short varlena, too */
	return VARATT_IS_SHORT(key) ? !VARATT_IS_EXTERNAL(key) :
		!VARATT_IS_EXTENDED(key);
}

static int
compare_datums(Datum a, Datum b)
{
	const char *data_a;
	const char *data_b;
	uint32		len_a;
	uint32		len_b;

	if (!key_in_place(a, &data_a, &len_a) || !key_in_place(b, &data_b, &len_b))
		return compare_toasted(a, b);
	return item_bytes_compare(data_a, len_a, data_b, len_b);
}

static int
compare_toasted(Datum a, Datum b)
{
	struct varlena *key_a = DatumGetKeyP(a);
	struct varlena *key_b = DatumGetKeyP(b);
	int			cmp = item_sort_key_compare(key_a, key_b);

	/* a btree does not like memory to leak */
	if ((Pointer) key_a != DatumGetPointer(a))
		pfree(key_a);
	if ((Pointer) key_b != DatumGetPointer(b))
		pfree(key_b);
	return cmp;
}

#define KEY_OPERATOR(function, operator) \
Datum \
function(PG_FUNCTION_ARGS) \
{ \
	PG_RETURN_BOOL(compare_datums(PG_GETARG_DATUM(0), \
								  PG_GETARG_DATUM(1)) operator 0); \
}

KEY_OPERATOR(dynamo_key_eq, ==)
KEY_OPERATOR(dynamo_key_ne, !=)
KEY_OPERATOR(dynamo_key_lt, <)
KEY_OPERATOR(dynamo_key_le, <=)
KEY_OPERATOR(dynamo_key_gt, >)
KEY_OPERATOR(dynamo_key_ge, >=)

Datum
dynamo_key_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_datums(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

/*
 * Hashes are stored, in hash indexes, and tell the partition and the shard of an
 * item.  So there is no other one in a later version, as long as there are tables
 * of this format (am_handler.c).
 */
Datum
dynamo_key_hash_value(PG_FUNCTION_ARGS)
{
	struct varlena *key = DatumGetKeyP(PG_GETARG_DATUM(0));
	Datum		hash = hash_any((unsigned char *) VARDATA_ANY(key),
								VARSIZE_ANY_EXHDR(key));

	PG_FREE_IF_COPY(key, 0);
	return hash;
}

Datum
dynamo_key_hash_value_extended(PG_FUNCTION_ARGS)
{
	struct varlena *key = DatumGetKeyP(PG_GETARG_DATUM(0));
	Datum		hash = hash_any_extended((unsigned char *) VARDATA_ANY(key),
										 VARSIZE_ANY_EXHDR(key),
										 PG_GETARG_INT64(1));

	PG_FREE_IF_COPY(key, 0);
	return hash;
}

/*
 * A partition key begins with 4 bytes that tell nearly all keys apart, which
 * is what an abbreviated key should be.
 */
Datum
dynamo_partition_key_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = key_fast_compare;
#if SIZEOF_DATUM == 8
	if (ssup->abbreviate)
	{
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = key_abbreviate;
		ssup->abbrev_abort = key_abbrev_abort;
		ssup->abbrev_full_comparator = key_fast_compare;
	}
#endif
	PG_RETURN_VOID();
}

/*
 * The first bytes of sort keys are often all the same: no abbreviation.
 */
Datum
dynamo_sort_key_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = key_fast_compare;
	PG_RETURN_VOID();
}

static int
key_fast_compare(Datum a, Datum b, SortSupport ssup)
{
	return compare_datums(a, b);
}

static Datum
key_abbreviate(Datum original, SortSupport ssup)
{
	struct varlena *key = DatumGetKeyP(original);
	Datum		hash = (Datum) item_partition_key_hash(key);

	if ((Pointer) key != DatumGetPointer(original))
		pfree(key);
	return hash;
}

static bool
key_abbrev_abort(int memtupcount, SortSupport ssup)
{
	return false;
}
