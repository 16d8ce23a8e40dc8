/*-------------------------------------------------------------------------
 *
 * expr_cond.c
 *	  Evaluating conditions.
 *
 * Nothing is allocated: operands are views into the item and the bindings,
 * and the one computed operand, size(), is written to the caller's stack.  An
 * operand that does not exist is no error; every comparison with it is false,
 * except "<>", which is the negation of "=".
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr_internal.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/* Bytes of a text between two looks for interrupts. */
#define CHUNK	65536

/* An operand and room for a computed number. */
typedef struct Operand
{
	bool		exists;
	ItemValue	value;
	uint8		number[ITEM_NUMBER_MAX_BYTES];
} Operand;

static bool evaluate(const ExprNode *node, const ItemValue *root,
					 ItemValue *value, uint8 *number);
static bool test(const ExprNode *node, const ItemValue *root);
static bool test_all(const ExprNode *node, const ItemValue *root);
static bool test_any(const ExprNode *node, const ItemValue *root);
static bool test_equal(const ExprNode *a, const ExprNode *b,
					   const ItemValue *root);
static bool test_order(ExprOp op, const ExprNode *a, const ExprNode *b,
					   const ItemValue *root);
static bool test_in(const ExprNode *node, const ItemValue *root);
static bool test_exists(const ExprNode *node, const ItemValue *root);
static bool test_type(const ExprNode *node, const ItemValue *root);
static bool test_begins_with(const ExprNode *node, const ItemValue *root);
static bool test_contains(const ExprNode *node, const ItemValue *root);
static bool is_ordered(ItemType type);
static bool size_of(const ItemValue *value, uint32 *size);
static uint32 utf16_length(const char *text, uint32 len);
static void fetch(const ExprNode *node, const ItemValue *root, Operand *operand);
static List *collect_paths(const ExprNode *node, List *paths);

/*
 * Does the item meet the condition?  A missing item (NULL) is an empty one.
 */
bool
expr_test(const ExprCondition *condition, const Item *item)
{
	ItemValue	root;

	if (item == NULL)
		return test(condition->root, NULL);
	root = item_root(item);
	return test(condition->root, &root);
}

/*
 * The paths a condition names, in the order of its text.
 */
List *
expr_condition_paths(const ExprCondition *condition)
{
	return collect_paths(condition->root, NIL);
}

/*
 * The value of an operand; false when it has none.  "number" is room for
 * ITEM_NUMBER_MAX_BYTES, which the value may refer to.
 */
static bool
evaluate(const ExprNode *node, const ItemValue *root, ItemValue *value,
		 uint8 *number)
{
	ItemValue	sized;
	uint32		size;
	char		digits[MAXINT8LEN + 1];
	int			len;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (node->op)
	{
		case EXPR_OP_VALUE:
			*value = node->value;
			return true;
		case EXPR_OP_PATH:
			return expr_path_get(node->path, root, value);
		case EXPR_OP_SIZE:
			if (!evaluate(linitial(node->args), root, &sized, number) ||
				!size_of(&sized, &size))
				return false;
			len = pg_ultoa_n(size, digits);
			value->type = ITEM_N;
			value->data = (const char *) number;
			if (item_number_parse(digits, len, number, &value->len) != ITEM_NUMBER_OK)
				elog(ERROR, "could not make a number of size %u", size);
			return true;
		default:
			elog(ERROR, "unexpected operand %d in condition", (int) node->op);
	}
	return false;				/* keep compiler quiet */
}

/*
 * Is this condition true of the item?
 */
static bool
test(const ExprNode *node, const ItemValue *root)
{
	const List *args = node->args;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (node->op)
	{
		case EXPR_OP_AND:
			return test_all(node, root);
		case EXPR_OP_OR:
			return test_any(node, root);
		case EXPR_OP_NOT:
			return !test(linitial(args), root);
		case EXPR_OP_EQ:
			return test_equal(linitial(args), lsecond(args), root);
		case EXPR_OP_NE:
			return !test_equal(linitial(args), lsecond(args), root);
		case EXPR_OP_LT:
		case EXPR_OP_LE:
		case EXPR_OP_GT:
		case EXPR_OP_GE:
			return test_order(node->op, linitial(args), lsecond(args), root);
		case EXPR_OP_BETWEEN:
			return test_order(EXPR_OP_GE, linitial(args), lsecond(args), root) &&
				test_order(EXPR_OP_LE, linitial(args), lthird(args), root);
		case EXPR_OP_IN:
			return test_in(node, root);
		case EXPR_OP_ATTRIBUTE_EXISTS:
			return test_exists(linitial(args), root);
		case EXPR_OP_ATTRIBUTE_NOT_EXISTS:
			return !test_exists(linitial(args), root);
		case EXPR_OP_ATTRIBUTE_TYPE:
			return test_type(node, root);
		case EXPR_OP_BEGINS_WITH:
			return test_begins_with(node, root);
		case EXPR_OP_CONTAINS:
			return test_contains(node, root);
		default:
			elog(ERROR, "unexpected operator %d in condition", (int) node->op);
	}
	return false;				/* keep compiler quiet */
}

static bool
test_all(const ExprNode *node, const ItemValue *root)
{
	ListCell   *lc;

	foreach(lc, node->args)
	{
		if (!test(lfirst(lc), root))
			return false;
	}
	return true;
}

static bool
test_any(const ExprNode *node, const ItemValue *root)
{
	ListCell   *lc;

	foreach(lc, node->args)
	{
		if (test(lfirst(lc), root))
			return true;
	}
	return false;
}

static bool
test_equal(const ExprNode *a, const ExprNode *b, const ItemValue *root)
{
	Operand		left;
	Operand		right;

	fetch(a, root, &left);
	fetch(b, root, &right);
	return left.exists && right.exists &&
		item_value_equal(&left.value, &right.value);
}

/*
 * "<" and its kin hold between two values of one ordered type only.
 */
static bool
test_order(ExprOp op, const ExprNode *a, const ExprNode *b,
		   const ItemValue *root)
{
	Operand		left;
	Operand		right;
	int			cmp;

	fetch(a, root, &left);
	fetch(b, root, &right);
	if (!left.exists || !right.exists ||
		left.value.type != right.value.type || !is_ordered(left.value.type))
		return false;
	cmp = item_value_compare(&left.value, &right.value);
	switch (op)
	{
		case EXPR_OP_LT:
			return cmp < 0;
		case EXPR_OP_LE:
			return cmp <= 0;
		case EXPR_OP_GT:
			return cmp > 0;
		default:
			return cmp >= 0;
	}
}

static bool
test_in(const ExprNode *node, const ItemValue *root)
{
	Operand		first;
	ListCell   *lc;

	fetch(linitial(node->args), root, &first);
	if (!first.exists)
		return false;
	if (node->sorted != NULL)
		return first.value.type == node->sorted[0].type &&
			bsearch(&first.value, node->sorted, node->nsorted,
					sizeof(ItemValue), item_value_order) != NULL;
	for_each_from(lc, node->args, 1)
	{
		Operand		other;

		fetch(lfirst(lc), root, &other);
		if (other.exists && item_value_equal(&first.value, &other.value))
			return true;
	}
	return false;
}

static bool
test_exists(const ExprNode *node, const ItemValue *root)
{
	Operand		operand;

	fetch(node, root, &operand);
	return operand.exists;
}

static bool
test_type(const ExprNode *node, const ItemValue *root)
{
	const ItemValue *name = &((ExprNode *) lsecond(node->args))->value;
	Operand		operand;
	const char *type;

	fetch(linitial(node->args), root, &operand);
	if (!operand.exists)
		return false;
	type = item_type_name(operand.value.type);
	return strlen(type) == name->len && memcmp(type, name->data, name->len) == 0;
}

static bool
test_begins_with(const ExprNode *node, const ItemValue *root)
{
	Operand		text;
	Operand		prefix;

	fetch(linitial(node->args), root, &text);
	fetch(lsecond(node->args), root, &prefix);
	return text.exists && prefix.exists &&
		text.value.type == prefix.value.type &&
		(text.value.type == ITEM_S || text.value.type == ITEM_B) &&
		text.value.len >= prefix.value.len &&
		memcmp(text.value.data, prefix.value.data, prefix.value.len) == 0;
}

static bool
list_contains(const ItemValue *list, const ItemValue *wanted)
{
	uint32		count = item_member_count(list);

	for (uint32 i = 0; i < count; i++)
	{
		ItemValue	member;

		CHECK_FOR_INTERRUPTS();
		item_list_member(list, i, &member);
		if (item_value_equal(&member, wanted))
			return true;
	}
	return false;
}

/*
 * Part of a string or binary, member of a set, element of a list.
 */
static bool
test_contains(const ExprNode *node, const ItemValue *root)
{
	Operand		whole;
	Operand		part;

	fetch(linitial(node->args), root, &whole);
	fetch(lsecond(node->args), root, &part);
	if (!whole.exists || !part.exists)
		return false;
	switch (whole.value.type)
	{
		case ITEM_S:
		case ITEM_B:
			return whole.value.type == part.value.type &&
				memmem(whole.value.data, whole.value.len,
					   part.value.data, part.value.len) != NULL;
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
			return item_set_contains(&whole.value, &part.value);
		case ITEM_L:
			return list_contains(&whole.value, &part.value);
		default:
			return false;
	}
}

static bool
is_ordered(ItemType type)
{
	return type == ITEM_S || type == ITEM_N || type == ITEM_B;
}

/*
 * What size() gives; false for a value that has no size.
 */
static bool
size_of(const ItemValue *value, uint32 *size)
{
	switch (value->type)
	{
		case ITEM_S:
			*size = utf16_length(value->data, value->len);
			return true;
		case ITEM_B:
			*size = value->len;
			return true;
		case ITEM_SS:
		case ITEM_NS:
		case ITEM_BS:
		case ITEM_L:
		case ITEM_M:
			*size = item_member_count(value);
			return true;
		default:
			return false;
	}
}

/*
 * UTF-16 code units of a UTF-8 text: one a character, two from U+10000 on.
 */
static uint32
utf16_length(const char *text, uint32 len)
{
	uint32		units = 0;

	for (uint32 i = 0; i < len; i++)
	{
		unsigned char c = text[i];

		if (i % CHUNK == 0)
			CHECK_FOR_INTERRUPTS();
		if ((c & 0xC0) != 0x80)
			units += c >= 0xF0 ? 2 : 1;
	}
	return units;
}

static void
fetch(const ExprNode *node, const ItemValue *root, Operand *operand)
{
	operand->exists = evaluate(node, root, &operand->value, operand->number);
}

static List *
collect_paths(const ExprNode *node, List *paths)
{
	ListCell   *lc;

	check_stack_depth();
	if (node->op == EXPR_OP_PATH)
		paths = lappend(paths, node->path);
	foreach(lc, node->args)
		paths = collect_paths(lfirst(lc), paths);
	return paths;
}
