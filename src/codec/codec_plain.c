/*-------------------------------------------------------------------------
 *
 * codec_plain.c
 *	  Plain JSON, by way of core's jsonb.
 *
 * From jsonb: strings are S, numbers N, booleans BOOL, null NULL, arrays L,
 * objects M.  To jsonb: the same, and sets are arrays, binaries base64
 * strings.  What comes back from jsonb is thus not always what went in; typed
 * JSON is the form that keeps everything.  A map that looks like a value of it
 * gets a NOTICE.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "codec/codec_internal.h"
#include "miscadmin.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

static void read_plain_value(JsonbIterator **it, const JsonbValue *jv,
							 ItemNode *node, int level);
static void read_object(JsonbIterator **it, ItemNode *node, int level);
static void read_array(JsonbIterator **it, ItemNode *node, int level);
static void read_scalar(const JsonbValue *jv, ItemNode *node);
static bool fits_type(ItemType type, const ItemNode *node);
static JsonbValue *push_value(compat_jsonb_state *state, JsonbIteratorToken token,
							  const ItemValue *value);
static void scalar_jsonb(const ItemValue *value, JsonbValue *jv);
static void string_jsonb(const char *text, uint32 len, JsonbValue *jv);

/*
 * A jsonb object as a map.  The node shows the jsonb's memory.
 */
void
codec_plain_read(Jsonb *jsonb, ItemNode *node)
{
	JsonbIterator *it;
	JsonbValue	jv;

	if (!JB_ROOT_IS_OBJECT(jsonb))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "dynamo.item"),
				 errdetail("An item is a JSON object.")));
	it = JsonbIteratorInit(&jsonb->root);
	(void) JsonbIteratorNext(&it, &jv, false);
	read_object(&it, node, 0);
}

/*
 * Any jsonb as a value that stands in an item, so many levels below it.
 */
void
codec_plain_read_value(Jsonb *jsonb, int level, ItemNode *node)
{
	JsonbIterator *it = JsonbIteratorInit(&jsonb->root);
	JsonbValue	jv;

	(void) JsonbIteratorNext(&it, &jv, false);
	if (JB_ROOT_IS_SCALAR(jsonb))
	{
		(void) JsonbIteratorNext(&it, &jv, false);
		read_scalar(&jv, node);
	}
	else
		read_plain_value(&it, &jv, node, level);
}

/*
 * The value that the iterator has just come to; for a container it goes on to
 * the container's end.
 */
static void
read_plain_value(JsonbIterator **it, const JsonbValue *jv, ItemNode *node,
				 int level)
{
	CHECK_FOR_INTERRUPTS();
	if (jv->type == jbvObject)
		read_object(it, node, level);
	else if (jv->type == jbvArray)
		read_array(it, node, level);
	else
		read_scalar(jv, node);
}

static void
read_object(JsonbIterator **it, ItemNode *node, int level)
{
	JsonbValue	jv;

	codec_check_nesting(level);
	item_node_init(node, ITEM_M);
	while (JsonbIteratorNext(it, &jv, false) == WJB_KEY)
	{
		ItemNode   *member;

		codec_check_name(jv.val.string.val, jv.val.string.len);
		member = item_node_add(node, jv.val.string.val, jv.val.string.len);
		(void) JsonbIteratorNext(it, &jv, false);
		read_plain_value(it, &jv, member, level + 1);
	}
	item_node_sort(node);
	if (level > 0)
		codec_plain_notice(node);
}

static void
read_array(JsonbIterator **it, ItemNode *node, int level)
{
	JsonbValue	jv;

	codec_check_nesting(level);
	item_node_init(node, ITEM_L);
	while (JsonbIteratorNext(it, &jv, false) != WJB_END_ARRAY)
		read_plain_value(it, &jv, item_node_append(node), level + 1);
}

static void
read_scalar(const JsonbValue *jv, ItemNode *node)
{
	ItemValue	value = {ITEM_NULL, 0, NULL};

	switch (jv->type)
	{
		case jbvNull:
			break;
		case jbvString:
			value = item_string(jv->val.string.val, jv->val.string.len);
			break;
		case jbvNumeric:
			value = item_number_from_numeric(NumericGetDatum(jv->val.numeric));
			break;
		case jbvBool:
			value = item_bool(jv->val.boolean);
			break;
		default:
			elog(ERROR, "unrecognized jsonb value type: %d", (int) jv->type);
	}
	item_node_leaf(node, &value);
}

/*
 * A map that stands in plain JSON: is it a value of typed JSON by mistake?  It
 * may be meant, so it is told, and stored as it is; once in a statement, since
 * all its rows are likely to be alike.
 */
void
codec_plain_notice(const ItemNode *map)
{
	static TimestampTz told = 0;
	const ItemMember *member = map->members;
	char		name[sizeof("BOOL")];
	ItemType	type;

	if (map->count != 1 || member->namelen >= sizeof(name))
		return;
	memcpy(name, member->name, member->namelen);
	name[member->namelen] = '\0';
	if (!item_type_from_name(name, &type) || !fits_type(type, &member->node) ||
		told == GetCurrentStatementStartTimestamp())
		return;
	told = GetCurrentStatementStartTimestamp();
	ereport(NOTICE,
			(errmsg("a value like {\"%s\": ...} in plain JSON was read as a map",
					name),
			 errhint("JSON is read as typed only if all members of an item are typed, and never from jsonb.")));
}

/*
 * Could typed JSON have this as the value of a member of that name?
 */
static bool
fits_type(ItemType type, const ItemNode *node)
{
	uint8		bytes[ITEM_NUMBER_MAX_BYTES];
	uint32		len;

	switch (type)
	{
		case ITEM_N:
			return node->value.type == ITEM_S &&
				item_number_parse(node->value.data, node->value.len, bytes,
								  &len) == ITEM_NUMBER_OK;
		case ITEM_S:
		case ITEM_B:
			return node->value.type == ITEM_S;
		case ITEM_BOOL:
		case ITEM_NULL:
			return node->value.type == ITEM_BOOL;
		case ITEM_L:
		case ITEM_M:
			return node->value.type == type;
		default:				/* sets */
			return node->value.type == ITEM_L && node->count > 0 &&
				node->members[0].node.value.type == ITEM_S;
	}
}

/*
 * Any value as jsonb.
 */
Jsonb *
codec_plain_jsonb(const ItemValue *value)
{
	compat_jsonb_state state = {0};
	JsonbValue	scalar;

	if (value->type >= ITEM_SS)
		return JsonbValueToJsonb(push_value(&state, WJB_VALUE, value));
	scalar_jsonb(value, &scalar);
	return JsonbValueToJsonb(&scalar);
}

/*
 * Push a value, as WJB_VALUE of an object or WJB_ELEM of an array.  Returns
 * what pushJsonbValue() does: the whole container when its end was pushed.
 */
static JsonbValue *
push_value(compat_jsonb_state *state, JsonbIteratorToken token,
		   const ItemValue *value)
{
	bool		map = value->type == ITEM_M;
	JsonbValue	jv;
	ItemIterator it;
	ItemValue	member;

	check_stack_depth();
	if (value->type < ITEM_SS)
	{
		scalar_jsonb(value, &jv);
		return compat_push_jsonb(state, token, &jv);
	}

	(void) compat_push_jsonb(state, map ? WJB_BEGIN_OBJECT : WJB_BEGIN_ARRAY,
							 NULL);
	(void) item_iterate(value, &it);
	while (item_next(&it, &member))
	{
		if (map)
		{
			string_jsonb(it.name, it.namelen, &jv);
			(void) compat_push_jsonb(state, WJB_KEY, &jv);
		}
		(void) push_value(state, map ? WJB_VALUE : WJB_ELEM, &member);
	}
	return compat_push_jsonb(state, map ? WJB_END_OBJECT : WJB_END_ARRAY, NULL);
}

/*
 * A value without members as plain JSON: B is base64.
 */
static void
scalar_jsonb(const ItemValue *value, JsonbValue *jv)
{
	StringInfoData base64;

	switch (value->type)
	{
		case ITEM_S:
			string_jsonb(value->data, value->len, jv);
			break;
		case ITEM_N:
			jv->type = jbvNumeric;
			jv->val.numeric = DatumGetNumeric(item_number_to_numeric(value));
			break;
		case ITEM_B:
			item_begin_few(&base64);
			item_base64_append(&base64, value->data, value->len);
			string_jsonb(base64.data, base64.len, jv);
			break;
		case ITEM_BOOL:
			jv->type = jbvBool;
			jv->val.boolean = *value->data != 0;
			break;
		default:
			Assert(value->type == ITEM_NULL);
			jv->type = jbvNull;
			break;
	}
}

/*
 * The string is not copied.  jsonb is text, and text has no NUL.
 */
static void
string_jsonb(const char *text, uint32 len, JsonbValue *jv)
{
	if (memchr(text, '\0', len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("unsupported character in a string"),
				 errdetail("A NUL character cannot be converted to text or jsonb."),
				 errhint("Use dynamo.to_json() to get the item as typed JSON.")));
	jv->type = jbvString;
	jv->val.string.val = unconstify(char *, text);
	jv->val.string.len = len;
}
