/*-------------------------------------------------------------------------
 *
 * control_names.c
 *	  Lists of attributes: do their names differ, and how are they printed?
 *
 * A request is checked before its lists are known to be short, and there is
 * room for some hundred thousand names in it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"

/* A name and where a Java HashSet has it. */
typedef struct HashedName
{
	const char *name;
	uint32		bucket;
	int			place;			/* among those put into it */
} HashedName;

static const char *const *names_of(const KeyAttr *attrs, int n);
static int	compare_hashed_names(const void *a, const void *b);

/*
 * Position of the first attribute whose name one before it has, too; -1 when
 * all differ.
 */
int
control_first_duplicate_key(const KeyAttr *attrs, int n)
{
	return dynamo_first_duplicate(names_of(attrs, n), n);
}

/*
 * The places of attributes in the order of their names.
 */
int *
control_sort_names(const KeyAttr *attrs, int n)
{
	return dynamo_sort_names(names_of(attrs, n), n);
}

static const char *const *
names_of(const KeyAttr *attrs, int n)
{
	const char **names = palloc(Max(n, 1) * sizeof(char *));

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		names[i] = attrs[i].name;
	}
	return names;
}

/*
 * a, b, c: in the order of a Java HashSet, as the service prints them.
 */
char *
control_list_names(const KeyAttr *attrs, int n)
{
	const char *const *names = names_of(attrs, n);
	int		   *places = dynamo_sort_names(names, n);
	HashedName *set = palloc(Max(n, 1) * sizeof(HashedName));
	int			count = 0;
	StringInfoData out;

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i > 0 && strcmp(names[places[i]], names[places[i - 1]]) == 0)
			continue;
		set[count].name = names[places[i]];
		set[count++].place = places[i];
	}
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set[i].bucket = dynamo_java_bucket(set[i].name, strlen(set[i].name),
										   count);
	}
	dynamo_sort(set, count, sizeof(HashedName), compare_hashed_names);

	initStringInfo(&out);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "", set[i].name);
	}
	return out.data;
}

static int
compare_hashed_names(const void *a, const void *b)
{
	const HashedName *na = a;
	const HashedName *nb = b;

	if (na->bucket != nb->bucket)
		return na->bucket < nb->bucket ? -1 : 1;
	return na->place - nb->place;
}
