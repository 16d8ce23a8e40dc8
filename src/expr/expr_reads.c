/*-------------------------------------------------------------------------
 *
 * expr_reads.c
 *	  Which part of a table or index a condition confines itself to.
 *
 * A condition is an OR of branches, or one branch.  A branch is an AND that
 * holds the HASH attribute equal to a value, or to one of several; it may
 * confine the RANGE attribute, too.  If every branch does so, the items that
 * meet the condition are found by reading these parts of the key; otherwise
 * all items have to be read.  Nothing is lost if a part is too large: readers
 * test the condition on each item, unless the reads are exact.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"

/* What a branch says of the two key attributes. */
typedef struct Branch
{
	List	   *hashes;			/* ItemValue * */
	ExprKeyOp	op;				/* of the RANGE attribute; EQ: any of values */
	List	   *values;			/* ItemValue * */
	bool		negated;		/* ... is different from something */
	bool		rest;			/* says more than hashes and op do */
} Branch;

/* A read while parts are compared. */
typedef struct Part
{
	ExprRead	read;
	bool		negated;
	bool		whole;			/* stands for the partition */
	bool		merged;			/* into that one */
} Part;

static bool read_branch(const ExprNode *node, const char *hash,
						const char *range, Branch *branch);
static void read_term(const ExprNode *node, const char *hash,
					  const char *range, Branch *branch);
static bool is_attribute(const ExprNode *node, const char *name);
static bool constants(const ExprNode *node);
static List *values_of(const ExprNode *node);
static ExprKeyOp range_op(ExprOp op);
static bool denies(const ExprNode *node, const char *range);
static List *add_parts(List *parts, const Branch *branch);
static void add_part(List **parts, const Branch *branch,
					 const ItemValue *hash, const ItemValue *low,
					 const ItemValue *high);
static bool check_overlaps(List *parts, bool ranged);
static void read_whole(List *parts, const ItemValue *hash);
static bool overlap(const ExprRead *a, const ExprRead *b);
static bool before(const ExprRead *a, const ExprRead *b);
static bool has_prefix(const ItemValue *value, const ItemValue *prefix);

/*
 * Raises ValidationException for more than EXPR_MAX_READS, and for
 * alternatives that have items in common.  "condition" may be NULL.
 */
ExprReads *
expr_reads(const ExprCondition *condition, const char *hash, const char *range)
{
	ExprReads  *result = palloc0(sizeof(ExprReads));
	const ExprNode *root = condition ? condition->root : NULL;
	List	   *branches;
	List	   *parts = NIL;
	ListCell   *lc;

	if (root == NULL)
		return result;
	result->alternatives = root->op == EXPR_OP_OR;
	result->exact = true;
	branches = result->alternatives ? root->args : list_make1((void *) root);
	foreach(lc, branches)
	{
		Branch		branch = {0};

		CHECK_FOR_INTERRUPTS();
		if (!read_branch(lfirst(lc), hash, range, &branch))
			return result;
		if (branch.rest)
			result->exact = false;
		parts = add_parts(parts, &branch);
	}
	if (check_overlaps(parts, range != NULL))
		result->exact = false;
	result->keyed = true;
	result->reads = palloc(sizeof(ExprRead) * list_length(parts));
	foreach(lc, parts)
	{
		const Part *part = lfirst(lc);
		bool		known = false;

		if (part->merged)
			continue;
		for (int i = 0; i < result->nreads && !known; i++)
			known = item_value_equal(&result->reads[i].hash,
									 &part->read.hash);
		if (!known)
			result->nhashes++;
		result->reads[result->nreads] = part->read;
		if (part->whole)
			result->reads[result->nreads].op = EXPR_KEY_NONE;
		result->nreads++;
	}
	return result;
}

/*
 * Does a condition hold the attribute equal to a value?  Looks at the operands
 * of AND; "count" is how often it does.
 */
bool
expr_key_equality(const ExprCondition *condition, const char *name,
				  ItemValue *value, int *count)
{
	const ExprNode *root = condition->root;
	List	   *terms = root->op == EXPR_OP_AND ? root->args :
		list_make1((void *) root);
	ListCell   *lc;

	*count = 0;
	foreach(lc, terms)
	{
		const ExprNode *term = lfirst(lc);
		const ExprNode *constant;

		CHECK_FOR_INTERRUPTS();
		if (term->op != EXPR_OP_EQ)
			continue;
		if (is_attribute(linitial(term->args), name))
			constant = lsecond(term->args);
		else if (is_attribute(lsecond(term->args), name))
			constant = linitial(term->args);
		else
			continue;
		if (constant->op != EXPR_OP_VALUE)
			continue;
		if ((*count)++ == 0)
			*value = constant->value;
	}
	return *count > 0;
}

/*
 * How many operands AND has; 1: it is no AND.
 */
int
expr_condition_terms(const ExprCondition *condition)
{
	return condition->root->op == EXPR_OP_AND ?
		list_length(condition->root->args) : 1;
}

/*
 * One branch; false: it does not say which partitions it is about.
 */
static bool
read_branch(const ExprNode *node, const char *hash, const char *range,
			Branch *branch)
{
	ListCell   *lc;

	if (node->op != EXPR_OP_AND)
		read_term(node, hash, range, branch);
	else
	{
		foreach(lc, node->args)
		{
			CHECK_FOR_INTERRUPTS();
			read_term(lfirst(lc), hash, range, branch);
		}
	}
	return branch->hashes != NIL;
}

/*
 * One operand of a branch's AND.  The first that confines an attribute counts;
 * a second one is tested on the items.
 */
static void
read_term(const ExprNode *node, const char *hash, const char *range,
		  Branch *branch)
{
	const ExprNode *first = node->args == NIL ? NULL : linitial(node->args);
	bool		flipped = false;
	ExprKeyOp	op = range_op(node->op);

	if (list_length(node->args) == 2 && first->op == EXPR_OP_VALUE)
	{
		flipped = true;
		first = lsecond(node->args);
	}
	if (range && denies(node, range))
		branch->negated = true;
	if (first == NULL || !constants(node) ||
		(flipped && op == EXPR_KEY_BEGINS_WITH))
		branch->rest = true;
	else if (op == EXPR_KEY_EQ && branch->hashes == NIL &&
			 is_attribute(first, hash))
		branch->hashes = values_of(node);
	else if (op != EXPR_KEY_NONE && branch->op == EXPR_KEY_NONE && range &&
			 is_attribute(first, range))
	{
		branch->op = op;
		branch->values = values_of(node);
		if (flipped)
			branch->op = op == EXPR_KEY_LT ? EXPR_KEY_GT :
				op == EXPR_KEY_LE ? EXPR_KEY_GE :
				op == EXPR_KEY_GT ? EXPR_KEY_LT :
				op == EXPR_KEY_GE ? EXPR_KEY_LE : op;
	}
	else
		branch->rest = true;
}

static bool
is_attribute(const ExprNode *node, const char *name)
{
	return node->op == EXPR_OP_PATH && node->path->nsteps == 1 &&
		expr_path_starts_with(node->path, name);
}

/*
 * Is it one path, and all else constants?
 */
static bool
constants(const ExprNode *node)
{
	int			paths = 0;
	ListCell   *lc;

	foreach(lc, node->args)
	{
		const ExprNode *arg = lfirst(lc);

		if (arg->op == EXPR_OP_PATH)
			paths++;
		else if (arg->op != EXPR_OP_VALUE)
			return false;
	}
	return paths == 1;
}

static List *
values_of(const ExprNode *node)
{
	List	   *values = NIL;
	ListCell   *lc;

	foreach(lc, node->args)
	{
		ExprNode   *arg = lfirst(lc);

		if (arg->op == EXPR_OP_VALUE)
			values = lappend(values, &arg->value);
	}
	return values;
}

/*
 * What an operator of conditions does on a key; NONE: no part of it.
 */
static ExprKeyOp
range_op(ExprOp op)
{
	switch (op)
	{
		case EXPR_OP_EQ:
		case EXPR_OP_IN:
			return EXPR_KEY_EQ;
		case EXPR_OP_LT:
			return EXPR_KEY_LT;
		case EXPR_OP_LE:
			return EXPR_KEY_LE;
		case EXPR_OP_GT:
			return EXPR_KEY_GT;
		case EXPR_OP_GE:
			return EXPR_KEY_GE;
		case EXPR_OP_BETWEEN:
			return EXPR_KEY_BETWEEN;
		case EXPR_OP_BEGINS_WITH:
			return EXPR_KEY_BEGINS_WITH;
		default:
			return EXPR_KEY_NONE;
	}
}

/*
 * Does a term say what the RANGE attribute is not?
 */
static bool
denies(const ExprNode *node, const char *range)
{
	const ExprNode *inner = node;
	ListCell   *lc;

	if (node->op == EXPR_OP_NOT)
		inner = linitial(node->args);
	else if (node->op != EXPR_OP_NE)
		return false;
	foreach(lc, inner->args)
	{
		if (is_attribute(lfirst(lc), range))
			return true;
	}
	return false;
}

/*
 * Every partition of a branch with every value that it lists.
 */
static List *
add_parts(List *parts, const Branch *branch)
{
	ListCell   *hash;
	ListCell   *value;

	foreach(hash, branch->hashes)
	{
		if (branch->op == EXPR_KEY_NONE)
			add_part(&parts, branch, lfirst(hash), NULL, NULL);
		else if (branch->op != EXPR_KEY_EQ)
			add_part(&parts, branch, lfirst(hash), linitial(branch->values),
					 list_length(branch->values) > 1 ?
					 lsecond(branch->values) : NULL);
		else
			foreach(value, branch->values)
				add_part(&parts, branch, lfirst(hash), lfirst(value), NULL);
	}
	return parts;
}

static void
add_part(List **parts, const Branch *branch, const ItemValue *hash,
		 const ItemValue *low, const ItemValue *high)
{
	Part	   *part = palloc0(sizeof(Part));

	if (list_length(*parts) >= EXPR_MAX_READS)
		dynamo_error(DYNAMO_VALIDATION,
					 "Too many decomposed read operations for a given query.");
	part->read.hash = *hash;
	part->read.op = branch->op;
	if (low)
		part->read.values[0] = *low;
	if (high)
		part->read.values[1] = *high;
	part->negated = branch->negated;
	*parts = lappend(*parts, part);
}

/*
 * Refuse parts of one partition that have items in common.  If one of them
 * says what the sort key is not, the partition is read as a whole instead.
 * Returns whether any is.
 */
static bool
check_overlaps(List *parts, bool ranged)
{
	bool		merged = false;
	int			n = list_length(parts);

	for (int i = 0; i < n; i++)
	{
		const Part *a = list_nth(parts, i);

		for (int k = i + 1; k < n; k++)
		{
			const Part *b = list_nth(parts, k);

			CHECK_FOR_INTERRUPTS();
			if (!overlap(&a->read, &b->read))
				continue;
			if (ranged && !a->negated && !b->negated)
				dynamo_error(DYNAMO_VALIDATION,
							 "Overlapping conditions with range keys are not supported in where clause");
			merged = true;
			read_whole(parts, &a->read.hash);
		}
	}
	return merged;
}

/*
 * Make the first part of a partition stand for all of it.  What it was is
 * still needed for other comparisons, which then find that it overlaps all.
 */
static void
read_whole(List *parts, const ItemValue *hash)
{
	bool		first = true;
	ListCell   *lc;

	foreach(lc, parts)
	{
		Part	   *part = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (!item_value_equal(&part->read.hash, hash))
			continue;
		part->whole = first;
		part->merged = !first;
		first = false;
	}
}

/*
 * Can there be an item in both?
 */
static bool
overlap(const ExprRead *a, const ExprRead *b)
{
	return item_value_equal(&a->hash, &b->hash) &&
		!before(a, b) && !before(b, a);
}

/*
 * Does all of "a" come before all of "b", in the order of the RANGE attribute?
 * Values of several types are compared by nobody: they are no keys.
 */
static bool
before(const ExprRead *a, const ExprRead *b)
{
	const ItemValue *high = &a->values[a->op == EXPR_KEY_BETWEEN ? 1 : 0];
	const ItemValue *low = &b->values[0];
	int			cmp;

	if (a->op == EXPR_KEY_NONE || a->op == EXPR_KEY_GT ||
		a->op == EXPR_KEY_GE || b->op == EXPR_KEY_NONE ||
		b->op == EXPR_KEY_LT || b->op == EXPR_KEY_LE ||
		high->type != low->type)
		return false;
	if (high->type != ITEM_S && high->type != ITEM_N && high->type != ITEM_B)
		return false;
	cmp = item_value_compare(high, low);
	if (a->op == EXPR_KEY_BEGINS_WITH)
		return cmp < 0 && !has_prefix(low, high);
	if (a->op == EXPR_KEY_LT || b->op == EXPR_KEY_GT)
		return cmp <= 0;
	return cmp < 0;
}

static bool
has_prefix(const ItemValue *value, const ItemValue *prefix)
{
	return value->type != ITEM_N && value->len >= prefix->len &&
		memcmp(value->data, prefix->data, prefix->len) == 0;
}
