/*-------------------------------------------------------------------------
 *
 * expr_path.c
 *	  Document paths: following one, comparing two, merging many.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

static int	compare_steps(const ExprStep *a, const ExprStep *b);
static int	compare_paths(const void *a, const void *b);
static void build_children(ExprFragment *fragment, const List *paths,
						   int from, int to, int depth);

/*
 * The path of one top-level attribute.
 */
ExprPath *
expr_path_of_name(const char *name)
{
	ExprPath   *path = palloc(sizeof(ExprPath));

	path->nsteps = 1;
	path->steps = palloc0(sizeof(ExprStep));
	path->steps[0].name = name;
	path->steps[0].namelen = strlen(name);
	return path;
}

/*
 * The value a path leads to, from the item's root; NULL is a missing item.
 * False when it leads nowhere.
 */
bool
expr_path_get(const ExprPath *path, const ItemValue *root, ItemValue *value)
{
	if (root == NULL)
		return false;
	*value = *root;
	for (int i = 0; i < path->nsteps; i++)
	{
		const ExprStep *step = &path->steps[i];
		ItemValue	container = *value;

		if (step->name)
		{
			if (container.type != ITEM_M ||
				!item_map_get(&container, step->name, step->namelen, value))
				return false;
		}
		else
		{
			if (container.type != ITEM_L ||
				step->position >= item_member_count(&container))
				return false;
			item_list_member(&container, step->position, value);
		}
	}
	return true;
}

bool
expr_path_equal(const ExprPath *a, const ExprPath *b)
{
	if (a->nsteps != b->nsteps)
		return false;
	for (int i = 0; i < a->nsteps; i++)
	{
		if (compare_steps(&a->steps[i], &b->steps[i]) != 0)
			return false;
	}
	return true;
}

/*
 * Is one path the other, or the beginning of it?  If instead one goes on with
 * a name where the other goes on with a list position, *conflict is set.
 */
bool
expr_path_overlap(const ExprPath *a, const ExprPath *b, bool *conflict)
{
	*conflict = false;
	for (int i = 0; i < a->nsteps && i < b->nsteps; i++)
	{
		if (compare_steps(&a->steps[i], &b->steps[i]) != 0)
		{
			*conflict = (a->steps[i].name == NULL) != (b->steps[i].name == NULL);
			return false;
		}
	}
	return true;
}

/*
 * A path as errors show it: [a, [1], b].
 */
char *
expr_path_text(const ExprPath *path)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	for (int i = 0; i < path->nsteps; i++)
	{
		const ExprStep *step = &path->steps[i];

		if (i > 0)
			appendStringInfoString(&out, ", ");
		if (step->name)
			appendBinaryStringInfo(&out, step->name, step->namelen);
		else
			appendStringInfo(&out, "[%u]", step->position);
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}

/*
 * Merge paths that do not overlap into one tree.
 */
void
expr_fragment_build(ExprFragment *root, const List *paths)
{
	List	   *sorted = list_copy(paths);

	if (sorted != NIL)
		dynamo_sort(sorted->elements, list_length(sorted), sizeof(ListCell),
					compare_paths);
	memset(root, 0, sizeof(ExprFragment));
	build_children(root, sorted, 0, list_length(sorted), 0);
}

/*
 * The children of a fragment "depth" steps down, from the sorted paths
 * [from, to) that lead through it.
 */
static void
build_children(ExprFragment *fragment, const List *paths, int from, int to,
			   int depth)
{
	int			next;

	check_stack_depth();
	if (from == to ||
		((ExprPath *) list_nth(paths, from))->nsteps == depth)
		return;					/* a path ends here */

	fragment->children = palloc0((to - from) * sizeof(ExprFragment));
	for (; from < to; from = next)
	{
		const ExprStep *step = &((ExprPath *) list_nth(paths, from))->steps[depth];
		ExprFragment *child = &fragment->children[fragment->nchildren++];

		CHECK_FOR_INTERRUPTS();
		next = from + 1;
		while (next < to &&
			   compare_steps(step, &((ExprPath *) list_nth(paths, next))->steps[depth]) == 0)
			next++;
		child->step = *step;
		build_children(child, paths, from, next, depth + 1);
	}
}

/*
 * For bsearch(): a step among the children of a fragment.
 */
int
expr_compare_fragment(const void *step, const void *fragment)
{
	return compare_steps(step, &((const ExprFragment *) fragment)->step);
}

/*
 * Is the first step of a path this attribute?
 */
bool
expr_path_starts_with(const ExprPath *path, const char *attribute)
{
	const ExprStep *first = &path->steps[0];

	return strlen(attribute) == first->namelen &&
		memcmp(attribute, first->name, first->namelen) == 0;
}

/*
 * Names before list positions, names bytewise, positions ascending.
 */
static int
compare_steps(const ExprStep *a, const ExprStep *b)
{
	int			cmp;

	if (a->name == NULL || b->name == NULL)
	{
		if (a->name || b->name)
			return a->name ? -1 : 1;
		return a->position < b->position ? -1 : (a->position > b->position);
	}
	cmp = memcmp(a->name, b->name, Min(a->namelen, b->namelen));
	if (cmp != 0)
		return cmp;
	return a->namelen < b->namelen ? -1 : (a->namelen > b->namelen);
}

static int
compare_paths(const void *a, const void *b)
{
	const ExprPath *pa = lfirst((const ListCell *) a);
	const ExprPath *pb = lfirst((const ListCell *) b);

	for (int i = 0; i < pa->nsteps && i < pb->nsteps; i++)
	{
		int			cmp = compare_steps(&pa->steps[i], &pb->steps[i]);

		if (cmp != 0)
			return cmp;
	}
	return pa->nsteps - pb->nsteps;
}
