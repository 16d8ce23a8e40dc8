/*-------------------------------------------------------------------------
 *
 * expr_project.c
 *	  Projections: the named parts of an item, in place.
 *
 * A nested part keeps the maps and lists around it.  Elements of a list come
 * packed, in ascending order of their positions; a container of which nothing
 * is found is left out.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

static Item *project_columns(const List *columns, const ItemValue *root);
static bool gather_members(const ExprFragment *fragment, const ItemValue *map,
						   ItemNode *node);

/*
 * The projected item; empty when it has none of the paths.
 */
Item *
expr_project(const ExprProjection *projection, const Item *item)
{
	ItemValue	root = item_root(item);
	ItemNode	node;

	if (projection->columns != NIL)
		return project_columns(projection->columns, &root);
	if (!expr_fragment_gather(&projection->root, &root, &node))
		item_node_init(&node, ITEM_M);
	return item_pack(&node);
}

/*
 * Parts of an item as attributes of another.
 */
static Item *
project_columns(const List *columns, const ItemValue *root)
{
	ItemNode	node;
	ListCell   *lc;

	item_node_init(&node, ITEM_M);
	foreach(lc, columns)
	{
		const ExprColumn *column = lfirst(lc);
		ItemValue	value;

		CHECK_FOR_INTERRUPTS();
		if (expr_path_get(column->path, root, &value))
			item_node_leaf(item_node_put(&node, column->name, column->namelen),
						   &value);
	}
	return item_pack(&node);
}

/*
 * The paths of a projection, in the order of its text.
 */
List *
expr_projection_paths(const ExprProjection *projection)
{
	return list_copy(projection->paths);
}

/*
 * What the fragment names of "value", as a node that shows parts of it.  False
 * when there is nothing, and "node" is unset.
 */
bool
expr_fragment_gather(const ExprFragment *fragment, const ItemValue *value,
					 ItemNode *node)
{
	bool		found = false;

	check_stack_depth();
	if (fragment->nchildren == 0)
	{
		item_node_leaf(node, value);
		return true;
	}
	if (value->type == ITEM_M &&
		(uint32) fragment->nchildren > item_member_count(value))
		return gather_members(fragment, value, node);
	for (int i = 0; i < fragment->nchildren; i++)
	{
		const ExprFragment *child = &fragment->children[i];
		const ExprStep *step = &child->step;
		ExprPath	path = {1, (ExprStep *) step};
		ItemValue	member;
		ItemNode	part;

		CHECK_FOR_INTERRUPTS();
		if (!expr_path_get(&path, value, &member) ||
			!expr_fragment_gather(child, &member, &part))
			continue;
		if (!found)
			item_node_init(node, value->type);
		found = true;
		if (step->name)
			*item_node_put(node, step->name, step->namelen) = part;
		else
			*item_node_append(node) = part;
	}
	return found;
}

/*
 * The same of a map with fewer members than are named: AttributesToGet may have
 * a million, and a page thousands of items.
 */
static bool
gather_members(const ExprFragment *fragment, const ItemValue *map,
			   ItemNode *node)
{
	ItemIterator it;
	ItemValue	value;
	bool		found = false;

	(void) item_iterate(map, &it);
	while (item_next(&it, &value))
	{
		ExprStep	step = {it.name, it.namelen, 0};
		const ExprFragment *child = bsearch(&step, fragment->children,
											fragment->nchildren,
											sizeof(ExprFragment),
											expr_compare_fragment);
		ItemNode	part;

		if (child == NULL || !expr_fragment_gather(child, &value, &part))
			continue;
		if (!found)
			item_node_init(node, ITEM_M);
		found = true;
		*item_node_put(node, it.name, it.namelen) = part;
	}
	return found;
}
