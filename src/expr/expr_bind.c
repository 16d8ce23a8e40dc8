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
#include "miscadmin.h"

#define NAMES	"ExpressionAttributeNames"
#define VALUES	"ExpressionAttributeValues"

/* Bytes of a placeholder. */
#define MAX_PLACEHOLDER 255

typedef struct Placeholder
{
	const char *text;			/* with its "#" or ":"; not terminated */
	uint32		length;
	uint32		member;			/* number in the map */
	bool		used;			/* by some expression */
} Placeholder;

typedef struct Unused
{
	const Placeholder *placeholder;
	uint32		bucket;			/* in a HashMap of Java */
} Unused;

struct ExprBindingIndex
{
	int			nvalues;
	ItemValue	root;			/* of the values */
	Placeholder *names;			/* sorted */
	Placeholder *values;		/* sorted */
};

static int	compare_placeholders(const void *a, const void *b);
static Placeholder *find_placeholder(Placeholder *sorted, int count,
									 const char *text);
static void check_name(const ExprName *name);
static void check_key(const char *map, char mark, const char *key, size_t len);
static void check_all_used(const char *map, const Placeholder *placeholders,
						   int count);
static int	compare_unused(const void *a, const void *b);

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

	index->names = palloc0(Max(nnames, 1) * sizeof(Placeholder));
	for (int i = 0; i < nnames; i++)
	{
		CHECK_FOR_INTERRUPTS();
		index->names[i].text = names[i].placeholder;
		index->names[i].length = strlen(names[i].placeholder);
		index->names[i].member = i;
	}
	dynamo_sort(index->names, nnames, sizeof(Placeholder),
				compare_placeholders);

	if (values)
	{
		index->root = item_root(values);
		index->nvalues = item_member_count(&index->root);
	}
	index->values = palloc0(Max(index->nvalues, 1) * sizeof(Placeholder));
	for (int i = 0; i < index->nvalues; i++)
	{
		Placeholder *p = &index->values[i];
		ItemValue	ignored;

		CHECK_FOR_INTERRUPTS();
		item_map_member(&index->root, i, &p->text, &p->length, &ignored);
		p->member = i;
	}
	dynamo_sort(index->values, index->nvalues, sizeof(Placeholder),
				compare_placeholders);
	return bindings;
}

/*
 * The attribute name behind "#n", now marked as used; NULL when there is none.
 */
const char *
expr_bound_name(ExprBindings *bindings, const char *placeholder)
{
	Placeholder *p;

	if (bindings == NULL)
		return NULL;
	p = find_placeholder(bindings->index->names, bindings->nnames,
						 placeholder);
	if (p == NULL)
		return NULL;
	p->used = true;
	return bindings->names[p->member].name;
}

/*
 * The value behind ":v", now marked as used; false when there is none.
 */
bool
expr_bound_value(ExprBindings *bindings, const char *placeholder,
				 ItemValue *value)
{
	Placeholder *p;
	const char *name;
	uint32		namelen;

	if (bindings == NULL)
		return false;
	p = find_placeholder(bindings->index->values, bindings->index->nvalues,
						 placeholder);
	if (p == NULL)
		return false;
	p->used = true;
	item_map_member(&bindings->index->root, p->member, &name, &namelen, value);
	return true;
}

/*
 * Refuse the maps that were given where nothing could use them.
 */
void
expr_check_given(bool names, bool values, bool any_expression,
				 const char *without)
{
	if (names && !any_expression)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  NAMES " can only be specified when using expressions");
	if (values && without)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  VALUES " can only be specified when using expressions%s%s",
						  without[0] ? ": " : "", without);
}

/*
 * Check the keys of an ExpressionAttributeNames that was given.
 */
void
expr_check_name_keys(int nnames, const ExprName *names)
{
	if (nnames == 0)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  NAMES " must not be empty");
	for (int i = 0; i < nnames; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_key(NAMES, '#', names[i].placeholder,
				  strlen(names[i].placeholder));
	}
}

/*
 * Check the attribute names it stands for.
 */
void
expr_check_names(int nnames, const ExprName *names)
{
	for (int i = 0; i < nnames; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_name(&names[i]);
	}
}

static void
check_name(const ExprName *name)
{
	if (name->name[0] == '\0')
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  NAMES " contains invalid value: Empty attribute name for key %s",
						  name->placeholder);
	if (strlen(name->name) > ITEM_MAX_NAME)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  NAMES " contains invalid value: Attribute name is too large, must be less than %d bytes for key %s",
						  ITEM_MAX_NAME + 1, name->placeholder);
}

/*
 * Check an ExpressionAttributeValues that was given, before its members.
 */
void
expr_check_value_count(int nvalues)
{
	if (nvalues == 0)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  VALUES " must not be empty");
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
expr_check_values(const Item *values)
{
	ItemValue	root = item_root(values);
	ItemIterator it;
	ItemValue	value;

	expr_check_value_count(item_iterate(&root, &it));
	while (item_next(&it, &value))
		expr_check_value_key(it.name, it.namelen);
}

/*
 * Every member of both maps must have been used by some expression.
 */
void
expr_check_unused(const ExprBindings *bindings)
{
	const struct ExprBindingIndex *index;

	if (bindings == NULL)
		return;
	index = bindings->index;
	check_all_used(NAMES, index->names, bindings->nnames);
	check_all_used(VALUES, index->values, index->nvalues);
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

static Placeholder *
find_placeholder(Placeholder *sorted, int count, const char *text)
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
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  "%s contains invalid key: The expression attribute map contains an empty key;",
						  map);
	for (size_t i = 1; valid && i < len; i++)
	{
		unsigned char c = key[i];

		valid = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			(c >= 'a' && c <= 'z') || c == '_';
	}
	if (!valid)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  "%s contains invalid key: Syntax error; key: \"%.*s\"",
						  map, (int) len, key);
	if (len > MAX_PLACEHOLDER && mark == '#')
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  "%s contains invalid key: The expression attribute map contains a key that is too long; size of key: %zu",
						  map, len);
	if (len > MAX_PLACEHOLDER)
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
						  "%s contains invalid key: The expression attribute map contains a key that is too long;",
						  map);
}

/*
 * Report unused ones in the order in which Java iterates over a HashMap of
 * all; within a bucket, in the order of our map.
 */
static void
check_all_used(const char *map, const Placeholder *placeholders, int count)
{
	Unused	   *unused = palloc(Max(count, 1) * sizeof(Unused));
	int			nunused = 0;
	StringInfoData list;

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (placeholders[i].used)
			continue;
		unused[nunused].placeholder = &placeholders[i];
		unused[nunused++].bucket = dynamo_java_bucket(placeholders[i].text,
													  placeholders[i].length,
													  count);
	}
	if (nunused == 0)
		return;
	dynamo_sort(unused, nunused, sizeof(Unused), compare_unused);
	initStringInfo(&list);
	for (int i = 0; i < nunused; i++)
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfo(&list, "%s%.*s", i > 0 ? ", " : "",
						 (int) unused[i].placeholder->length,
						 unused[i].placeholder->text);
	}
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_PLACEHOLDERS,
					  "Value provided in %s unused in expressions: keys: {%s}",
					  map, list.data);
}

static int
compare_unused(const void *a, const void *b)
{
	const Unused *ua = a;
	const Unused *ub = b;

	if (ua->bucket != ub->bucket)
		return ua->bucket < ub->bucket ? -1 : 1;
	return ua->placeholder->member < ub->placeholder->member ? -1 : 1;
}
