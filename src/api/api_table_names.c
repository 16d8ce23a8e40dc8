/*-------------------------------------------------------------------------
 *
 * api_table_names.c
 *	  Lists of names that must differ.
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

static int	compare_placed_names(const void *a, const void *b);

/*
 * Position of the first name that stands in the list before, too; -1 when
 * all differ.
 */
int
api_first_duplicate(const char *const *names, int count)
{
	PlacedName *sorted = palloc(Max(count, 1) * sizeof(PlacedName));
	int			first = -1;

	for (int i = 0; i < count; i++)
	{
		sorted[i].name = names[i];
		sorted[i].place = i;
	}
	qsort(sorted, count, sizeof(PlacedName), compare_placed_names);
	for (int i = 1; i < count; i++)
	{
		if (strcmp(sorted[i - 1].name, sorted[i].name) == 0 &&
			(first < 0 || sorted[i].place < first))
			first = sorted[i].place;
	}
	pfree(sorted);
	return first;
}

static int
compare_placed_names(const void *a, const void *b)
{
	const PlacedName *na = a;
	const PlacedName *nb = b;
	int			cmp = strcmp(na->name, nb->name);

	return cmp != 0 ? cmp : na->place - nb->place;
}
