/*-------------------------------------------------------------------------
 *
 * expr_bind.c
 *	  ExpressionAttributeNames and ExpressionAttributeValues.
 *
 * The maps of a request are looked up by all its expressions and end with the
 * question which of their members nobody used.  Both are indexed by their
 * placeholders once, sorted, because a client may send 2 MB of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "lib/stringinfo.h"

#define NAMES	"ExpressionAttributeNames"
#define VALUES	"ExpressionAttributeValues"

/* Bytes of a placeholder. */
#define MAX_PLACEHOLDER 255

typedef struct Placeholder
{
	const char *text;			/* with its "#" or ":"; not terminated */
	uint32		length;
	uint32		member;			/* number in the map */
} Placeholder;

struct ExprBindingIndex
{
	int			nvalues;
	ItemValue	root;			/* of the values */
	Placeholder *names;			/* sorted */
	Placeholder *values;		/* sorted */
};

static int	compare_placeholders(const void *a, const void *b);
static const Placeholder *find(const Placeholder *sorted, int count,
							   const char *text);
static void check_name(const ExprName *name);
static void check_key(const char *map, char mark, const char *key, size_t len);
static void append_unused(StringInfo list, const char *text, int length);
static void raise_unused(const char *map, const StringInfo list);

/*
 * Bind the two maps of a request.  They are referred to, not copied.
 */
ExprBindings *
expr_bindings(int nnames, ExprName *names, const Item *values)
{
	ExprBindings *bindings = palloc0(sizeof(ExprBindings));
	struct ExprBindingIndex *index = palloc0(sizeof(struct ExprBindingIndex));

	bindings->nnames = nnames;
	bindings->names = names;
	bindings->values = values;
	bindings->index = index;

	index->names = palloc(Max(nnames, 1) * sizeof(Placeholder));
	for (int i = 0; i < nnames; i++)
	{
		names[i].used = false;
		index->names[i].text = names[i].placeholder;
		index->names[i].length = strlen(names[i].placeholder);
		index->names[i].member = i;
	}
	qsort(index->names, nnames, sizeof(Placeholder), compare_placeholders);

	if (values)
	{
		index->root = item_root(values);
		index->nvalues = item_member_count(&index->root);
	}
	index->values = palloc(Max(index->nvalues, 1) * sizeof(Placeholder));
	bindings->value_used = palloc0(Max(index->nvalues, 1) * sizeof(bool));
	for (int i = 0; i < index->nvalues; i++)
	{
		Placeholder *p = &index->values[i];
		ItemValue	ignored;

		item_map_member(&index->root, i, &p->text, &p->length, &ignored);
		p->member = i;
	}
	qsort(index->values, index->nvalues, sizeof(Placeholder),
		  compare_placeholders);
	return bindings;
}

/*
 * The attribute name behind "#n", now marked as used; NULL when there is none.
 */
const char *
expr_bound_name(ExprBindings *bindings, const char *placeholder)
{
	const Placeholder *p;

	if (bindings == NULL)
		return NULL;
	p = find(bindings->index->names, bindings->nnames, placeholder);
	if (p == NULL)
		return NULL;
	bindings->names[p->member].used = true;
	return bindings->names[p->member].name;
}

/*
 * The value behind ":v", now marked as used; false when there is none.
 */
bool
expr_bound_value(ExprBindings *bindings, const char *placeholder,
				 ItemValue *value)
{
	const Placeholder *p;
	const char *name;
	uint32		namelen;

	if (bindings == NULL)
		return false;
	p = find(bindings->index->values, bindings->index->nvalues, placeholder);
	if (p == NULL)
		return false;
	bindings->value_used[p->member] = true;
	item_map_member(&bindings->index->root, p->member, &name, &namelen, value);
	return true;
}

/*
 * Check an ExpressionAttributeNames that was given.
 */
void
expr_check_names(int nnames, const ExprName *names, bool any_expression)
{
	if (!any_expression)
		dynamo_error(DYNAMO_VALIDATION,
					 NAMES " can only be specified when using expressions");
	if (nnames == 0)
		dynamo_error(DYNAMO_VALIDATION, NAMES " must not be empty");
	for (int i = 0; i < nnames; i++)
	{
		check_key(NAMES, '#', names[i].placeholder,
				  strlen(names[i].placeholder));
		check_name(&names[i]);
	}
}

static void
check_name(const ExprName *name)
{
	if (name->name[0] == '\0')
		dynamo_error(DYNAMO_VALIDATION,
					 NAMES " contains invalid value: Empty attribute name for key %s",
					 name->placeholder);
	if (strlen(name->name) > ITEM_MAX_NAME)
		dynamo_error(DYNAMO_VALIDATION,
					 NAMES " contains invalid value: Attribute name is too large, must be less than %d bytes for key %s",
					 ITEM_MAX_NAME + 1, name->placeholder);
}

/*
 * Check an ExpressionAttributeValues that was given, before its members.
 */
void
expr_check_value_count(int nvalues, const char *without)
{
	if (without)
		dynamo_error(DYNAMO_VALIDATION,
					 VALUES " can only be specified when using expressions: %s",
					 without);
	if (nvalues == 0)
		dynamo_error(DYNAMO_VALIDATION, VALUES " must not be empty");
}

/*
 * Check the key of a member of ExpressionAttributeValues.
 */
void
expr_check_value_key(const char *key, size_t len)
{
	check_key(VALUES, ':', key, len);
}

/*
 * Check an ExpressionAttributeValues whose values are known to be good.
 */
void
expr_check_values(const Item *values, const char *without)
{
	ItemValue	root = item_root(values);
	uint32		count = item_member_count(&root);

	expr_check_value_count(count, without);
	for (uint32 i = 0; i < count; i++)
	{
		const char *name;
		uint32		namelen;
		ItemValue	value;

		item_map_member(&root, i, &name, &namelen, &value);
		expr_check_value_key(name, namelen);
	}
}

/*
 * Every member of both maps must have been used by some expression.
 */
void
expr_check_unused(const ExprBindings *bindings)
{
	StringInfoData list;

	if (bindings == NULL)
		return;
	initStringInfo(&list);
	for (int i = 0; i < bindings->nnames; i++)
	{
		if (!bindings->names[i].used)
			append_unused(&list, bindings->names[i].placeholder,
						  strlen(bindings->names[i].placeholder));
	}
	raise_unused(NAMES, &list);
	for (int i = 0; i < bindings->index->nvalues; i++)
	{
		const char *name;
		uint32		namelen;
		ItemValue	value;

		if (bindings->value_used[i])
			continue;
		item_map_member(&bindings->index->root, i, &name, &namelen, &value);
		append_unused(&list, name, namelen);
	}
	raise_unused(VALUES, &list);
}

static int
compare_placeholders(const void *a, const void *b)
{
	const Placeholder *pa = a;
	const Placeholder *pb = b;

	if (pa->length != pb->length)
		return pa->length < pb->length ? -1 : 1;
	return memcmp(pa->text, pb->text, pa->length);
}

static const Placeholder *
find(const Placeholder *sorted, int count, const char *text)
{
	Placeholder key;

	key.text = text;
	key.length = strlen(text);
	return bsearch(&key, sorted, count, sizeof(Placeholder),
				   compare_placeholders);
}

/*
 * A placeholder is its mark and at least one ASCII letter, digit or "_".
 */
static void
check_key(const char *map, char mark, const char *key, size_t len)
{
	bool		valid = len > 1 && key[0] == mark;

	if (len == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "%s contains invalid key: The expression attribute map contains an empty key;",
					 map);
	for (size_t i = 1; valid && i < len; i++)
	{
		unsigned char c = key[i];

		valid = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			(c >= 'a' && c <= 'z') || c == '_';
	}
	if (!valid)
		dynamo_error(DYNAMO_VALIDATION,
					 "%s contains invalid key: Syntax error; key: \"%.*s\"",
					 map, (int) len, key);
	if (len > MAX_PLACEHOLDER && mark == '#')
		dynamo_error(DYNAMO_VALIDATION,
					 "%s contains invalid key: The expression attribute map contains a key that is too long; size of key: %zu",
					 map, len);
	if (len > MAX_PLACEHOLDER)
		dynamo_error(DYNAMO_VALIDATION,
					 "%s contains invalid key: The expression attribute map contains a key that is too long;",
					 map);
}

static void
append_unused(StringInfo list, const char *text, int length)
{
	if (list->len > 0)
		appendStringInfoString(list, ", ");
	appendBinaryStringInfo(list, text, length);
}

static void
raise_unused(const char *map, const StringInfo list)
{
	if (list->len > 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Value provided in %s unused in expressions: keys: {%s}",
					 map, list->data);
}
