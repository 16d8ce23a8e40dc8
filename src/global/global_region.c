/*-------------------------------------------------------------------------
 *
 * global_region.c
 *	  Regions by their names, as requests and answers have them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"

static int	compare_names(const ListCell *a, const ListCell *b);

/*
 * Is it a region, other than this, where replicas can be?
 */
bool
global_is_region(const char *name)
{
	const Region *region = region_find(name);

	return region != NULL && OidIsValid(region->server);
}

/*
 * All regions, this one too, by name: "a, b".
 */
char *
global_list_regions(void)
{
	List	   *names = list_make1(region_own()->name);
	StringInfoData list;
	ListCell   *lc;

	foreach(lc, region_list())
	{
		const Region *region = lfirst(lc);

		if (OidIsValid(region->server))
			names = lappend(names, region->name);
	}
	list_sort(names, compare_names);
	initStringInfo(&list);
	foreach(lc, names)
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 (const char *) lfirst(lc));
	return list.data;
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}
