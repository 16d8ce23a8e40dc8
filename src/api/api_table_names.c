/*-------------------------------------------------------------------------
 *
 * api_table_names.c
 *	  Lists of names: whether they differ, and how they are printed.
 *
 * A request is checked before its lists are known to be short, and there is
 * room for some hundred thousand names in it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_table.h"

/* A name and where it stood. */
typedef struct PlacedName
{
	const char *name;
	int			place;
} PlacedName;

/* A name and where a Java HashSet has it. */
typedef struct HashedName
{
	const char *name;
	uint32		bucket;
	int			place;			/* among those put into it */
} HashedName;

static PlacedName *sort(const char *const *names, int count);
static const char *const *names_of(const KeyAttr *attrs, int n);
static int	compare_placed_names(const void *a, const void *b);
static int	compare_hashed_names(const void *a, const void *b);

/*
 * Position of the first name that stands in the list before, too; -1 when
 * all differ.
 */
int
api_first_duplicate(const char *const *names, int count)
{
	PlacedName *sorted = sort(names, count);
	int			first = -1;

	for (int i = 1; i < count; i++)
	{
		if (strcmp(sorted[i - 1].name, sorted[i].name) == 0 &&
			(first < 0 || sorted[i].place < first))
			first = sorted[i].place;
	}
	pfree(sorted);
	return first;
}

/*
 * The same for attributes.
 */
int
api_first_duplicate_key(const KeyAttr *attrs, int n)
{
	return api_first_duplicate(names_of(attrs, n), n);
}

/*
 * The places of attributes in the order of their names.
 */
int *
api_sort_names(const KeyAttr *attrs, int n)
{
	PlacedName *sorted = sort(names_of(attrs, n), n);
	int		   *places = palloc(Max(n, 1) * sizeof(int));

	for (int i = 0; i < n; i++)
		places[i] = sorted[i].place;
	pfree(sorted);
	return places;
}

static PlacedName *
sort(const char *const *names, int count)
{
	PlacedName *sorted = palloc(Max(count, 1) * sizeof(PlacedName));

	for (int i = 0; i < count; i++)
	{
		sorted[i].name = names[i];
		sorted[i].place = i;
	}
	qsort(sorted, count, sizeof(PlacedName), compare_placed_names);
	return sorted;
}

static const char *const *
names_of(const KeyAttr *attrs, int n)
{
	const char **names = palloc(Max(n, 1) * sizeof(char *));

	for (int i = 0; i < n; i++)
		names[i] = attrs[i].name;
	return names;
}

static int
compare_placed_names(const void *a, const void *b)
{
	const PlacedName *na = a;
	const PlacedName *nb = b;
	int			cmp = strcmp(na->name, nb->name);

	return cmp != 0 ? cmp : na->place - nb->place;
}

/*
 * a, b, c: in the order of a Java HashSet, as the service prints them.
 */
char *
api_list_names(const KeyAttr *attrs, int n)
{
	PlacedName *sorted = sort(names_of(attrs, n), n);
	HashedName *set = palloc(Max(n, 1) * sizeof(HashedName));
	int			count = 0;
	StringInfoData out;

	for (int i = 0; i < n; i++)
	{
		if (i > 0 && strcmp(sorted[i].name, sorted[i - 1].name) == 0)
			continue;
		set[count].name = sorted[i].name;
		set[count++].place = sorted[i].place;
	}
	for (int i = 0; i < count; i++)
		set[i].bucket = dynamo_java_bucket(set[i].name, strlen(set[i].name),
										   count);
	qsort(set, count, sizeof(HashedName), compare_hashed_names);

	initStringInfo(&out);
	for (int i = 0; i < count; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "", set[i].name);
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
