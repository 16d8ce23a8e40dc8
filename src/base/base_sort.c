/*-------------------------------------------------------------------------
 *
 * base_sort.c
 *	  Sorting of what a client may have sent in great numbers; it can be
 *	  cancelled.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "miscadmin.h"

/* What core's sort hands through to call_compare(). */
typedef struct Comparison
{
	int			(*compare) (const void *a, const void *b);
} Comparison;

/* A name and where it stood. */
typedef struct PlacedName
{
	const char *name;
	int			place;
} PlacedName;

static int	call_compare(const void *a, const void *b, void *arg);
static int	compare_names(const void *a, const void *b);

/*
 * qsort(), looking for interrupts.
 */
void
dynamo_sort(void *elements, size_t count, size_t size,
			int (*compare) (const void *a, const void *b))
{
	Comparison	comparison = {compare};

	qsort_interruptible(elements, count, size, call_compare, &comparison);
}

static int
call_compare(const void *a, const void *b, void *arg)
{
	return ((const Comparison *) arg)->compare(a, b);
}

/*
 * The places of names in the order of their bytes.
 */
int *
dynamo_sort_names(const char *const *names, int count)
{
	PlacedName *sorted = palloc(Max(count, 1) * sizeof(PlacedName));
	int		   *places = palloc(Max(count, 1) * sizeof(int));

	for (int i = 0; i < count; i++)
	{
		sorted[i].name = names[i];
		sorted[i].place = i;
	}
	dynamo_sort(sorted, count, sizeof(PlacedName), compare_names);
	for (int i = 0; i < count; i++)
		places[i] = sorted[i].place;
	pfree(sorted);
	return places;
}

static int
compare_names(const void *a, const void *b)
{
	const PlacedName *na = a;
	const PlacedName *nb = b;
	int			cmp = strcmp(na->name, nb->name);

	return cmp != 0 ? cmp : na->place - nb->place;
}

/*
 * Position of the first name that stands in the list before, too; -1 when
 * all differ.
 */
int
dynamo_first_duplicate(const char *const *names, int count)
{
	int		   *places = dynamo_sort_names(names, count);
	int			first = -1;

	for (int i = 1; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (strcmp(names[places[i - 1]], names[places[i]]) == 0 &&
			(first < 0 || places[i] < first))
			first = places[i];
	}
	pfree(places);
	return first;
}
