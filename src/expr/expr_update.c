/*-------------------------------------------------------------------------
 *
 * expr_update.c
 *	  Applying updates.
 *
 * An update sees the item as it was, wherever its text stands: first every
 * right-hand side is computed from the old item, then all changes are put in
 * place.  The old item becomes a tree of nodes that is expanded only along the
 * paths that change; what no path touches is carried over packed.
 *
 * Positions in lists are those of the old item too.  Hence the changes go in
 * this order: replacing and adding in maps, replacing in lists, and removals,
 * which in a list leave a hole; then elements past the end, by their
 * positions; holes are closed last.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

/* The type of a removed member until its map or list is closed up. */
#define HOLE	((ItemType) 0)

/* An action with its right-hand side computed. */
typedef struct Change
{
	const ExprAction *action;
	enum
	{
		CHANGE_NONE,			/* the path must be valid, nothing happens */
		CHANGE_MISSING,			/* the right-hand side does not exist */
		CHANGE_PUT,
		CHANGE_APPEND,			/* a put past the end of a list; legacy: of a
								 * new attribute */
		CHANGE_REMOVE
	}			what;
	ItemNode	value;			/* PUT, APPEND */
} Change;

/* One application of an update. */
typedef struct UpdateState
{
	bool		legacy;
	ItemValue	old;			/* root of the item as it was */
	ItemNode	root;			/* the item under construction */
	bool		holes;			/* some map or list has holes */
	uint64		written;		/* sizes of the right-hand sides so far */
} UpdateState;

static bool creates_item(const ExprUpdate *update);
static void compute(UpdateState *state, Change *change);
static void count_written(UpdateState *state, const ItemValue *value);
static bool evaluate(UpdateState *state, const ExprNode *node, ItemNode *result);
static bool evaluate_sum(UpdateState *state, const ExprNode *node, ItemNode *result);
static bool evaluate_append(UpdateState *state, const ExprNode *node,
							ItemNode *result);
static void append_lists(UpdateState *state, const ItemValue *a,
						 const ItemValue *b, ItemNode *result);
static void compute_add(UpdateState *state, Change *change);
static void unite_sets(UpdateState *state, const ItemValue *old,
					   const ItemValue *operand, ItemNode *result);
static void compute_delete(UpdateState *state, Change *change);
static void merge_sets(const ItemValue *keep, const ItemValue *other, bool add,
					   ItemNode *result);
static void place(UpdateState *state, Change *change);
static void place_in_list(UpdateState *state, Change *change, ItemNode *list);
static void make_hole(UpdateState *state, ItemNode *member);
static void place_appended(UpdateState *state, Change *changes, int nchanges);
static int	compare_positions(const void *a, const void *b);
static ItemNode *find_parent(UpdateState *state, const ExprPath *path);
static void close_holes(ItemNode *node);
static void check_depth(const ExprUpdate *update, const Item *item);
static void refuse_type(const UpdateState *state) pg_attribute_noreturn();
static void refuse_path(void) pg_attribute_noreturn();
static List *collect_sources(const ExprNode *node, List *paths);

/*
 * Apply an update to the item as it was, NULL when missing; then "key", the
 * key attributes, is what it starts from.  NULL: it was missing and stays so.
 * Raises ValidationException.  Touches no table, and may be called inside
 * PG_TRY.
 */
Item *
expr_update(const ExprUpdate *update, const Item *old, const Item *key)
{
	int			nchanges = list_length(update->actions);
	Change	   *changes;
	UpdateState state;
	const Item *base = old ? old : key;
	Item	   *result;

	if (old == NULL && !creates_item(update))
		return NULL;

	memset(&state, 0, sizeof(state));
	state.legacy = update->legacy;
	if (base)
	{
		state.old = item_root(base);
		item_node_leaf(&state.root, &state.old);
	}
	else
	{
		item_node_init(&state.root, ITEM_M);
		state.old = item_pack_value(&state.root);
	}

	/*
	 * Wrong types anywhere are reported before paths and missing attributes,
	 * and these from the last action back.
	 */
	changes = palloc0(Max(nchanges, 1) * sizeof(Change));
	for (int i = 0; i < nchanges; i++)
	{
		CHECK_FOR_INTERRUPTS();
		changes[i].action = list_nth(update->actions, i);
		compute(&state, &changes[i]);
	}
	for (int i = nchanges - 1; i >= 0; i--)
	{
		CHECK_FOR_INTERRUPTS();
		(void) find_parent(&state, changes[i].action->target);
		if (changes[i].what == CHANGE_MISSING)
			dynamo_error(DYNAMO_VALIDATION,
						 "The provided expression refers to an attribute that does not exist in the item");
	}
	for (int i = 0; i < nchanges; i++)
	{
		CHECK_FOR_INTERRUPTS();
		place(&state, &changes[i]);
	}

	/*
	 * Every right-hand side ends up in the item, so this much is known before
	 * it is made; it keeps an update from multiplying an item without bounds.
	 */
	if (state.written > DYNAMO_MAX_ITEM_SIZE)
		dynamo_error(DYNAMO_VALIDATION, ITEM_TOO_LARGE_UPDATED);
	place_appended(&state, changes, nchanges);
	if (state.holes)
		close_holes(&state.root);

	result = item_pack(&state.root);
	check_depth(update, result);
	return result;
}

/*
 * What UPDATED_OLD (from the old item) and UPDATED_NEW (from the new one)
 * return; NULL: nothing.
 */
Item *
expr_updated_part(const ExprUpdate *update, const Item *item)
{
	ItemValue	root;
	ItemNode	node;

	if (item == NULL || update->actions == NIL)
		return NULL;
	root = item_root(item);
	if (!expr_fragment_gather(&update->targets, &root, &node))
		return NULL;
	return item_pack(&node);
}

/*
 * The paths an update writes, in the order of its text.
 */
List *
expr_update_paths(const ExprUpdate *update)
{
	List	   *paths = NIL;
	ListCell   *lc;

	foreach(lc, update->actions)
	{
		CHECK_FOR_INTERRUPTS();
		paths = lappend(paths, ((ExprAction *) lfirst(lc))->target);
	}
	return paths;
}

/*
 * The paths its right-hand sides read, in the order of its text.
 */
List *
expr_update_sources(const ExprUpdate *update)
{
	List	   *paths = NIL;
	ListCell   *lc;

	foreach(lc, update->actions)
	{
		CHECK_FOR_INTERRUPTS();
		paths = collect_sources(((ExprAction *) lfirst(lc))->operand, paths);
	}
	return paths;
}

/*
 * Does the update write to this attribute, or into it?  The targets are
 * sorted, and may be many.
 */
bool
expr_update_touches(const ExprUpdate *update, const char *attribute)
{
	ExprStep	wanted = {attribute, strlen(attribute), 0};

	return bsearch(&wanted, update->targets.children,
				   update->targets.nchildren, sizeof(ExprFragment),
				   expr_compare_fragment) != NULL;
}

/*
 * Does what the update makes of this attribute depend on the item?
 */
bool
expr_update_copies(const ExprUpdate *update, const char *attribute)
{
	ListCell   *lc;

	foreach(lc, update->actions)
	{
		const ExprAction *action = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (expr_path_starts_with(action->target, attribute))
			return collect_sources(action->operand, NIL) != NIL;
	}
	return false;
}

/*
 * The value of the request that the update sets this attribute to; NULL: it
 * does something else with it, or nothing.
 */
const ItemValue *
expr_update_value(const ExprUpdate *update, const char *attribute)
{
	ListCell   *lc;

	foreach(lc, update->actions)
	{
		const ExprAction *action = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (action->kind == EXPR_ACTION_SET &&
			action->operand->op == EXPR_OP_VALUE &&
			action->target->nsteps == 1 &&
			expr_path_starts_with(action->target, attribute))
			return &action->operand->value;
	}
	return NULL;
}

/*
 * Does the update make an item where there is none?  One that only takes
 * away does not; one without any action does.
 */
static bool
creates_item(const ExprUpdate *update)
{
	ListCell   *lc;

	foreach(lc, update->actions)
	{
		ExprActionKind kind = ((ExprAction *) lfirst(lc))->kind;

		CHECK_FOR_INTERRUPTS();
		if (kind == EXPR_ACTION_SET || kind == EXPR_ACTION_ADD)
			return true;
	}
	return update->actions == NIL;
}

/*
 * Right-hand sides
 */

static void
compute(UpdateState *state, Change *change)
{
	switch (change->action->kind)
	{
		case EXPR_ACTION_SET:
			change->what = evaluate(state, change->action->operand,
									&change->value) ? CHANGE_PUT : CHANGE_MISSING;
			break;
		case EXPR_ACTION_REMOVE:
			change->what = CHANGE_REMOVE;
			break;
		case EXPR_ACTION_ADD:
			compute_add(state, change);
			break;
		case EXPR_ACTION_DELETE:
			compute_delete(state, change);
			break;
	}
	if (change->what == CHANGE_PUT && !change->value.branch)
		count_written(state, &change->value.value);
}

/*
 * A value that ends up in the item.  Beyond what an item may have nothing more
 * is measured: a large value may stand in many places.
 */
static void
count_written(UpdateState *state, const ItemValue *value)
{
	if (state->written <= DYNAMO_MAX_ITEM_SIZE)
		state->written += item_value_size(value);
}

/*
 * The value of a right-hand side; false when it refers to what the item does
 * not have.
 */
static bool
evaluate(UpdateState *state, const ExprNode *node, ItemNode *result)
{
	ItemValue	value;

	check_stack_depth();
	switch (node->op)
	{
		case EXPR_OP_VALUE:
			item_node_leaf(result, &node->value);
			return true;
		case EXPR_OP_IF_NOT_EXISTS:
			if (!expr_path_get(((ExprNode *) linitial(node->args))->path,
							   &state->old, &value))
				return evaluate(state, lsecond(node->args), result);
			item_node_leaf(result, &value);
			return true;
		case EXPR_OP_PATH:
			if (!expr_path_get(node->path, &state->old, &value))
				return false;
			item_node_leaf(result, &value);
			return true;
		case EXPR_OP_PLUS:
		case EXPR_OP_MINUS:
			return evaluate_sum(state, node, result);
		case EXPR_OP_LIST_APPEND:
			return evaluate_append(state, node, result);
		default:
			elog(ERROR, "unexpected operator %d in update", (int) node->op);
	}
	return false;				/* keep compiler quiet */
}

/*
 * Evaluate two operands that must be of one type.  The first that is wrong or
 * missing decides.
 */
static bool
evaluate_pair(UpdateState *state, const ExprNode *node, ItemType type,
			  ItemValue *left, ItemValue *right)
{
	ItemNode	operand;

	if (!evaluate(state, linitial(node->args), &operand))
		return false;
	if (operand.value.type != type)
		refuse_type(state);
	*left = operand.value;
	if (!evaluate(state, lsecond(node->args), &operand))
		return false;
	if (operand.value.type != type)
		refuse_type(state);
	*right = operand.value;
	return true;
}

static bool
evaluate_sum(UpdateState *state, const ExprNode *node, ItemNode *result)
{
	ItemValue	left;
	ItemValue	right;
	ItemValue	sum;

	if (!evaluate_pair(state, node, ITEM_N, &left, &right))
		return false;
	sum = item_number_add(&left, &right, node->op == EXPR_OP_MINUS);
	item_node_leaf(result, &sum);
	return true;
}

/*
 * list_append().  Its operands are packed: it does not nest.
 */
static bool
evaluate_append(UpdateState *state, const ExprNode *node, ItemNode *result)
{
	ItemValue	left;
	ItemValue	right;

	if (!evaluate_pair(state, node, ITEM_L, &left, &right))
		return false;
	append_lists(state, &left, &right, result);
	return true;
}

/*
 * One list after the other.  What is too large for an item is not made, only
 * counted.
 */
static void
append_lists(UpdateState *state, const ItemValue *a, const ItemValue *b,
			 ItemNode *result)
{
	const ItemValue *lists[] = {a, b};

	item_node_init(result, ITEM_L);
	if (state->written <= DYNAMO_MAX_ITEM_SIZE)
		state->written += (uint64) item_value_size(a) + item_value_size(b) -
			ITEM_CONTAINER_SIZE;
	if (state->written > DYNAMO_MAX_ITEM_SIZE)
		return;
	for (int i = 0; i < lengthof(lists); i++)
	{
		uint32		count = item_member_count(lists[i]);

		for (uint32 n = 0; n < count; n++)
		{
			ItemValue	member;

			CHECK_FOR_INTERRUPTS();
			item_list_member(lists[i], n, &member);
			item_node_leaf(item_node_append(result), &member);
		}
	}
}

/*
 * ADD: numbers add up, sets unite, a missing value is created.  In legacy
 * updates lists are appended to.
 */
static void
compute_add(UpdateState *state, Change *change)
{
	const ItemValue *operand = &change->action->operand->value;
	ItemValue	old;

	change->what = CHANGE_PUT;
	if (!expr_path_get(change->action->target, &state->old, &old))
	{
		item_node_leaf(&change->value, operand);
		return;
	}
	if (old.type != operand->type)
		refuse_type(state);
	if (old.type == ITEM_N)
	{
		ItemValue	sum = item_number_add(&old, operand, false);

		item_node_leaf(&change->value, &sum);
	}
	else if (old.type == ITEM_L)
		append_lists(state, &old, operand, &change->value);
	else
		unite_sets(state, &old, operand, &change->value);
}

/*
 * The members of two sets, each once.  All of the operand's are among them, so
 * what is too large for an item is not made, only counted.
 */
static void
unite_sets(UpdateState *state, const ItemValue *old, const ItemValue *operand,
		   ItemNode *result)
{
	count_written(state, operand);
	if (state->written > DYNAMO_MAX_ITEM_SIZE)
		item_node_init(result, old->type);
	else
		merge_sets(old, operand, true, result);
}

/*
 * DELETE: set difference; an emptied set goes.
 */
static void
compute_delete(UpdateState *state, Change *change)
{
	const ItemValue *operand = &change->action->operand->value;
	ItemValue	old;

	change->what = CHANGE_NONE;
	if (!expr_path_get(change->action->target, &state->old, &old))
		return;
	if (old.type != operand->type)
		refuse_type(state);
	merge_sets(&old, operand, false, &change->value);
	change->what = change->value.count > 0 ? CHANGE_PUT : CHANGE_REMOVE;
}

/*
 * A set with the members of another added, or taken out.  The order of those
 * that stay is kept.
 */
static void
merge_sets(const ItemValue *keep, const ItemValue *other, bool add,
		   ItemNode *result)
{
	const ItemValue *known = add ? keep : other;	/* looked up in */
	const ItemValue *probe = add ? other : keep;	/* looked up */
	uint32		nknown;
	ItemValue  *members = item_set_sorted(known, &nknown);
	uint32		nkeep = add ? item_member_count(keep) : 0;
	uint32		nprobe = item_member_count(probe);
	ItemValue	member;

	item_node_init(result, keep->type);
	for (uint32 i = 0; i < nkeep; i++)
	{
		CHECK_FOR_INTERRUPTS();
		item_set_member(keep, i, &member);
		item_node_leaf(item_node_append(result), &member);
	}
	for (uint32 i = 0; i < nprobe; i++)
	{
		CHECK_FOR_INTERRUPTS();
		item_set_member(probe, i, &member);
		if (bsearch(&member, members, nknown, sizeof(ItemValue),
					item_value_order) == NULL)
			item_node_leaf(item_node_append(result), &member);
	}
	pfree(members);
}

/*
 * Changes
 */

/*
 * Put one change in place, except that an element past the end of its list,
 * and a new attribute of a legacy update, is only recognized as such.
 */
static void
place(UpdateState *state, Change *change)
{
	const ExprPath *path = change->action->target;
	const ExprStep *last = &path->steps[path->nsteps - 1];
	ItemNode   *parent = find_parent(state, path);
	ItemNode   *member;

	if (last->name == NULL)
	{
		place_in_list(state, change, parent);
		return;
	}
	switch (change->what)
	{
		case CHANGE_PUT:
			member = state->legacy ?
				item_node_find(parent, last->name, last->namelen) :
				item_node_put(parent, last->name, last->namelen);
			if (member)
				*member = change->value;
			else
				change->what = CHANGE_APPEND;
			break;
		case CHANGE_REMOVE:
			member = item_node_find(parent, last->name, last->namelen);
			if (member)
				make_hole(state, member);
			break;
		default:
			break;
	}
}

static void
place_in_list(UpdateState *state, Change *change, ItemNode *list)
{
	const ExprPath *path = change->action->target;
	uint32		position = path->steps[path->nsteps - 1].position;
	bool		inside = position < (uint32) list->count;

	switch (change->what)
	{
		case CHANGE_PUT:
			if (inside)
				list->members[position].node = change->value;
			else
				change->what = CHANGE_APPEND;
			break;
		case CHANGE_REMOVE:
			if (inside)
				make_hole(state, &list->members[position].node);
			break;
		default:
			break;
	}
}

static void
make_hole(UpdateState *state, ItemNode *member)
{
	memset(member, 0, sizeof(ItemNode));
	member->value.type = HOLE;
	state->holes = true;
}

/*
 * Append the elements that were set past the end of their lists, in the order
 * of their positions; no gap is filled.  New attributes of a legacy update may
 * be many: they are put in order together, when the item is packed.
 */
static void
place_appended(UpdateState *state, Change *changes, int nchanges)
{
	int			nappended = 0;

	for (int i = 0; i < nchanges; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (changes[i].what == CHANGE_APPEND)
			changes[nappended++] = changes[i];
	}
	if (!state->legacy)
		dynamo_sort(changes, nappended, sizeof(Change), compare_positions);
	for (int i = 0; i < nappended; i++)
	{
		const ExprPath *path = changes[i].action->target;
		const ExprStep *last = &path->steps[path->nsteps - 1];
		ItemNode   *parent = find_parent(state, path);

		CHECK_FOR_INTERRUPTS();
		*(state->legacy ? item_node_add(parent, last->name, last->namelen) :
		  item_node_append(parent)) = changes[i].value;
	}
}

static int
compare_positions(const void *a, const void *b)
{
	const ExprPath *pa = ((const Change *) a)->action->target;
	const ExprPath *pb = ((const Change *) b)->action->target;
	uint32		position_a = pa->steps[pa->nsteps - 1].position;
	uint32		position_b = pb->steps[pb->nsteps - 1].position;

	return position_a < position_b ? -1 : (position_a > position_b);
}

/*
 * The container the last step of a path stands in, expanded, along with all
 * above it.  It must exist and be of the kind the step needs.
 */
static ItemNode *
find_parent(UpdateState *state, const ExprPath *path)
{
	ItemNode   *node = &state->root;

	for (int i = 0;; i++)
	{
		const ExprStep *step = &path->steps[i];

		if (node->value.type != (step->name ? ITEM_M : ITEM_L))
			refuse_path();
		item_node_expand(node);
		if (i == path->nsteps - 1)
			return node;
		if (step->name)
			node = item_node_find(node, step->name, step->namelen);
		else if (step->position < (uint32) node->count)
			node = &node->members[step->position].node;
		else
			node = NULL;
		if (node == NULL)
			refuse_path();
	}
}

/*
 * Take the holes out of all maps and lists that were expanded.
 */
static void
close_holes(ItemNode *node)
{
	int			kept = 0;

	check_stack_depth();
	for (int i = 0; i < node->count; i++)
	{
		ItemNode   *member = &node->members[i].node;

		CHECK_FOR_INTERRUPTS();
		if (member->branch &&
			(member->value.type == ITEM_L || member->value.type == ITEM_M))
			close_holes(member);
		if (member->value.type != HOLE)
			node->members[kept++] = node->members[i];
	}
	node->count = kept;
}

/*
 * A path may carry a nested value deeper than an item can nest.
 */
static void
check_depth(const ExprUpdate *update, const Item *item)
{
	for (int i = 0; i < update->targets.nchildren; i++)
	{
		const ExprStep *attribute = &update->targets.children[i].step;
		ItemValue	value;

		CHECK_FOR_INTERRUPTS();
		if (item_get(item, attribute->name, attribute->namelen, &value) &&
			item_value_depth(&value) > DYNAMO_MAX_NESTING)
			dynamo_error(DYNAMO_VALIDATION,
						 "Nesting Levels have exceeded supported limits");
	}
}

static void
refuse_type(const UpdateState *state)
{
	if (state->legacy)
		dynamo_error(DYNAMO_VALIDATION, "Type mismatch for attribute to update");
	dynamo_error(DYNAMO_VALIDATION,
				 "An operand in the update expression has an incorrect data type");
}

static void
refuse_path(void)
{
	dynamo_error(DYNAMO_VALIDATION,
				 "The document path provided in the update expression is invalid for update");
}

static List *
collect_sources(const ExprNode *node, List *paths)
{
	ListCell   *lc;

	if (node == NULL)
		return paths;
	check_stack_depth();
	if (node->op == EXPR_OP_PATH)
		paths = lappend(paths, node->path);
	foreach(lc, node->args)
		paths = collect_sources(lfirst(lc), paths);
	return paths;
}
