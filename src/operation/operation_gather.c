/*-------------------------------------------------------------------------
 *
 * operation_gather.c
 *	  The answer that the answers of nodes make, to a request that has left in
 *	  parts.
 *
 * What nodes have not done is what a client is told as unprocessed.  Items are not
 * read again here: their text goes from the nodes' answers to ours.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec.h"
#include "miscadmin.h"
#include "operation/operation_internal.h"

/* A text that is gone through, up to its end. */
typedef struct Reader
{
	const char *at;
	const char *end;
} Reader;

typedef struct Slice
{
	const char *start;
	int			len;
} Slice;

/*
 * A member whose value is a list, of items of a table: text without brackets.
 * Where the list is Keys among settings, these are the same in all parts.
 */
typedef struct Gathered
{
	Slice		name;			/* as text, with its quotes */
	StringInfoData list;
	StringInfoData settings;	/* each after a comma */
	bool		keyed;
} Gathered;

static void gather_lists(List **gathered, Slice map);
static void gather_names(List **gathered, Slice map);
static Gathered *gathered_of(List **gathered, Slice name);
static void gather_keyed(Gathered *one, Slice settings);
static void add_list(StringInfo list, Slice more);
static void append_lists(StringInfo out, List *gathered);
static bool is_called(Slice name, const char *text);
static void append_accounts(StringInfo out, List *accounts);
static List *load_accounts(List *accounts, Slice list);
static bool same_table(const json_t *a, const json_t *b);
static void append_sum(StringInfo out, List *objects);
static void append_member_sum(StringInfo out, const char *name, List *objects);
static void begin_object(Reader *reader, Slice object);
static bool next_member(Reader *reader, Slice *name, Slice *value);
static void skip_string(Reader *reader);
static void skip_value(Reader *reader);
static void misunderstood(void) pg_attribute_noreturn();

/*
 * Of answers of nodes, and of the RequestItems of parts that were not done.
 */
StringInfo
operation_gather(const Operation *op, List *answers, List *left)
{
	const char *unprocessed = op->writes ? "UnprocessedItems" : "UnprocessedKeys";
	StringInfo	out = makeStringInfo();
	List	   *responses = NIL;
	List	   *rest = NIL;
	List	   *metrics = NIL;
	List	   *accounts = NIL;
	bool		reads = false;
	ListCell   *lc;

	foreach(lc, answers)
	{
		StringInfo	answer = lfirst(lc);
		Slice		whole = {answer->data, answer->len};
		Reader		reader;
		Slice		name;
		Slice		value;

		CHECK_FOR_INTERRUPTS();
		begin_object(&reader, whole);
		while (next_member(&reader, &name, &value))
		{
			if (is_called(name, "Responses"))
			{
				reads = true;
				gather_lists(&responses, value);
			}
			else if (is_called(name, unprocessed))
				gather_lists(&rest, value);
			else if (is_called(name, "ItemCollectionMetrics"))
				gather_lists(&metrics, value);
			else if (is_called(name, "ConsumedCapacity"))
				accounts = load_accounts(accounts, value);
		}
	}
	foreach(lc, left)
	{
		Slice		text = {lfirst(lc), strlen(lfirst(lc))};

		gather_lists(&rest, text);
		if (reads)
			gather_names(&responses, text);
	}
	appendStringInfoChar(out, '{');
	if (reads)
	{
		wire_member(out, "Responses");
		append_lists(out, responses);
	}
	wire_member(out, unprocessed);
	append_lists(out, rest);
	if (metrics != NIL)
	{
		wire_member(out, "ItemCollectionMetrics");
		append_lists(out, metrics);
	}
	if (accounts != NIL)
	{
		wire_member(out, "ConsumedCapacity");
		append_accounts(out, accounts);
	}
	appendStringInfoChar(out, '}');
	return out;
}

/*
 * The RequestItems of several parts, as those of one request.
 */
StringInfo
operation_gather_items(List *items)
{
	StringInfo	out = makeStringInfo();
	List	   *gathered = NIL;
	ListCell   *lc;

	foreach(lc, items)
	{
		Slice		text = {lfirst(lc), strlen(lfirst(lc))};

		gather_lists(&gathered, text);
	}
	append_lists(out, gathered);
	return out;
}

/*
 * Lists by name, or settings with a list of Keys.
 */
static void
gather_lists(List **gathered, Slice map)
{
	Reader		reader;
	Slice		name;
	Slice		value;

	begin_object(&reader, map);
	while (next_member(&reader, &name, &value))
	{
		Gathered   *one = gathered_of(gathered, name);

		if (value.start[0] == '{')
			gather_keyed(one, value);
		else
			add_list(&one->list, value);
	}
}

/*
 * Each name has its list, if only an empty one.
 */
static void
gather_names(List **gathered, Slice map)
{
	Reader		reader;
	Slice		name;
	Slice		value;

	begin_object(&reader, map);
	while (next_member(&reader, &name, &value))
		(void) gathered_of(gathered, name);
}

static Gathered *
gathered_of(List **gathered, Slice name)
{
	Gathered   *one;
	ListCell   *lc;

	foreach(lc, *gathered)
	{
		one = lfirst(lc);
		if (one->name.len == name.len &&
			memcmp(one->name.start, name.start, name.len) == 0)
			return one;
	}
	one = palloc0(sizeof(Gathered));
	one->name = name;
	initStringInfo(&one->list);
	initStringInfo(&one->settings);
	*gathered = lappend(*gathered, one);
	return one;
}

static void
gather_keyed(Gathered *one, Slice settings)
{
	bool		first = !one->keyed;
	Reader		reader;
	Slice		name;
	Slice		value;

	one->keyed = true;
	begin_object(&reader, settings);
	while (next_member(&reader, &name, &value))
	{
		if (is_called(name, "Keys"))
			add_list(&one->list, value);
		else if (first)
		{
			appendStringInfoChar(&one->settings, ',');
			appendBinaryStringInfo(&one->settings, name.start, name.len);
			appendStringInfoChar(&one->settings, ':');
			appendBinaryStringInfo(&one->settings, value.start, value.len);
		}
	}
}

static void
add_list(StringInfo list, Slice more)
{
	if (more.len < 2 || more.start[0] != '[' || more.start[more.len - 1] != ']')
		misunderstood();
	if (more.len == 2)
		return;
	if (list->len > 0)
		appendStringInfoChar(list, ',');
	appendBinaryStringInfo(list, more.start + 1, more.len - 2);
}

static void
append_lists(StringInfo out, List *gathered)
{
	ListCell   *lc;

	appendStringInfoChar(out, '{');
	foreach(lc, gathered)
	{
		const Gathered *one = lfirst(lc);

		if (lc != list_head(gathered))
			appendStringInfoChar(out, ',');
		appendBinaryStringInfo(out, one->name.start, one->name.len);
		appendStringInfoString(out, one->keyed ? ":{\"Keys\":[" : ":[");
		appendBinaryStringInfo(out, one->list.data, one->list.len);
		appendStringInfoChar(out, ']');
		appendBinaryStringInfo(out, one->settings.data, one->settings.len);
		if (one->keyed)
			appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, '}');
}

static bool
is_called(Slice name, const char *text)
{
	int			len = strlen(text);

	return name.len == len + 2 && memcmp(name.start + 1, text, len) == 0;
}

/*
 * ConsumedCapacity: the sums of the accounts of each table.
 */
static void
append_accounts(StringInfo out, List *accounts)
{
	ListCell   *lc;

	appendStringInfoChar(out, '[');
	while (accounts != NIL)
	{
		const json_t *first = linitial(accounts);
		List	   *together = NIL;
		List	   *others = NIL;

		foreach(lc, accounts)
		{
			if (same_table(first, lfirst(lc)))
				together = lappend(together, lfirst(lc));
			else
				others = lappend(others, lfirst(lc));
		}
		wire_element(out);
		append_sum(out, together);
		accounts = others;
	}
	appendStringInfoChar(out, ']');
}

static List *
load_accounts(List *accounts, Slice list)
{
	json_error_t error;
	json_t	   *loaded = codec_load(list.start, list.len, &error);
	json_t	   *account;
	size_t		i;

	if (loaded == NULL || !json_is_array(loaded))
		misunderstood();
	json_array_foreach(loaded, i, account)
	{
		if (!json_is_object(account) ||
			wire_json_text_in(account, "TableName") == NULL)
			misunderstood();
		accounts = lappend(accounts, account);
	}
	return accounts;
}

static bool
same_table(const json_t *a, const json_t *b)
{
	return strcmp(wire_json_text_in(a, "TableName"),
				  wire_json_text_in(b, "TableName")) == 0;
}

/*
 * Of objects with the same members, or some of them: numbers, and objects of
 * numbers.
 */
static void
append_sum(StringInfo out, List *objects)
{
	ListCell   *lc;

	check_stack_depth();
	appendStringInfoChar(out, '{');
	foreach(lc, objects)
	{
		const char *name;
		json_t	   *value;

		json_object_foreach((json_t *) lfirst(lc), name, value)
		{
			bool		done = false;
			ListCell   *before;

			CHECK_FOR_INTERRUPTS();
			for (before = list_head(objects); before != lc && !done;
				 before = lnext(objects, before))
				done = json_object_get(lfirst(before), name) != NULL;
			if (!done)
				append_member_sum(out, name, objects);
		}
	}
	appendStringInfoChar(out, '}');
}

static void
append_member_sum(StringInfo out, const char *name, List *objects)
{
	List	   *parts = NIL;
	const char *text = NULL;
	double		sum = 0;
	bool		whole = true;	/* as VectorWriteRequestBytes are */
	ListCell   *lc;

	foreach(lc, objects)
	{
		json_t	   *value = json_object_get(lfirst(lc), name);

		if (json_is_object(value))
			parts = lappend(parts, value);
		else if (json_is_string(value))
			text = json_string_value(value);
		else
		{
			sum += json_number_value(value);
			whole &= !json_is_real(value);
		}
	}
	wire_member(out, name);
	if (parts != NIL)
		append_sum(out, parts);
	else if (text != NULL)
		wire_append_string(out, text);
	else
		appendStringInfo(out, whole ? "%.0f" : "%.1f", sum);
}

/*
 * What is read from here on is an object's members, written as we write them.
 * It came from another node, so no byte of it is taken for granted.
 */
static void
begin_object(Reader *reader, Slice object)
{
	if (object.len < 2 || object.start[0] != '{' ||
		object.start[object.len - 1] != '}')
		misunderstood();
	reader->at = object.start + 1;
	reader->end = object.start + object.len - 1;
}

/*
 * The next member, its name with the quotes around it.  False: there is none.
 */
static bool
next_member(Reader *reader, Slice *name, Slice *value)
{
	if (reader->at == reader->end)
		return false;
	name->start = reader->at;
	skip_string(reader);
	name->len = reader->at - name->start;
	if (reader->at == reader->end || *reader->at != ':')
		misunderstood();
	reader->at++;
	value->start = reader->at;
	skip_value(reader);
	value->len = reader->at - value->start;
	if (value->len == 0)
		misunderstood();
	if (reader->at < reader->end && *reader->at++ != ',')
		misunderstood();
	return true;
}

static void
skip_string(Reader *reader)
{
	if (reader->at == reader->end || *reader->at != '"')
		misunderstood();
	reader->at++;
	while (reader->at < reader->end && *reader->at != '"')
		reader->at += *reader->at == '\\' ? 2 : 1;
	if (reader->at >= reader->end)
		misunderstood();
	reader->at++;
}

/*
 * Up to a comma or the end, outside of strings and of what is in brackets.
 */
static void
skip_value(Reader *reader)
{
	int			depth = 0;

	while (reader->at < reader->end)
	{
		switch (*reader->at)
		{
			case '"':
				skip_string(reader);
				continue;
			case '{':
			case '[':
				depth++;
				break;
			case '}':
			case ']':
				depth--;
				break;
			case ',':
				if (depth == 0)
					return;
				break;
			default:
				break;
		}
		reader->at++;
	}
	if (depth != 0)
		misunderstood();
}

static void
misunderstood(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROTOCOL_VIOLATION),
			 errmsg("unexpected answer of a node")));
}
