/*-------------------------------------------------------------------------
 *
 * partiql_value.c
 *	  Literals and parameters as values.
 *
 * What is wrong with a literal is told with its place inside the value it is
 * part of: root, root.name, root[1].  A parameter is a value as a whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "partiql/partiql_internal.h"

static void read_literal(const PartiqlNode *node, StringInfo place, int level,
						 ItemNode *result);
static void read_list(const PartiqlNode *node, StringInfo place, int level,
					  ItemNode *result);
static void read_map(const PartiqlNode *node, StringInfo place, int level,
					 ItemNode *result);
static void read_bag(const PartiqlNode *node, StringInfo place,
					 ItemNode *result);
static void check_bag(const PartiqlNode *node, const StringInfo place,
					  const ItemNode *set);
static ItemValue read_number(const PartiqlNode *node, const StringInfo place);
static void read_node_value(const PartiqlNode *node,
							const ItemValue *parameters,
							ItemNode *result);

/*
 * A literal or a parameter.  Raises ValidationException for anything else.
 */
ItemValue
partiql_value(const PartiqlNode *node, const ItemValue *parameters)
{
	ItemNode	value;

	if (node->kind == PARTIQL_PARAMETER)
		return parameters[node->parameter];
	read_node_value(node, parameters, &value);
	return item_pack_value(&value);
}

/*
 * The map of an INSERT: an item.
 */
Item *
partiql_item(const PartiqlNode *node, const ItemValue *parameters)
{
	ItemNode	item;

	if (node->kind != PARTIQL_MAP)
		dynamo_error(DYNAMO_VALIDATION,
					 "Unsupported data type: %s under key root at %s",
					 partiql_kind_name(node), partiql_place(node->place));
	item_node_init(&item, ITEM_M);
	for (int i = 0; i < list_length(node->args); i += 2)
	{
		const PartiqlNode *name = list_nth(node->args, i);

		CHECK_FOR_INTERRUPTS();
		codec_check_name(name->text, name->length);
		if (item_node_find(&item, name->text, name->length))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Duplicate value in attribute name: %s",
						 name->text);
		read_node_value(list_nth(node->args, i + 1), parameters,
						item_node_put(&item, name->text, name->length));
	}
	return item_pack(&item);
}

static void
read_node_value(const PartiqlNode *node, const ItemValue *parameters,
				ItemNode *result)
{
	StringInfoData place;

	if (node->kind == PARTIQL_PARAMETER)
	{
		item_node_leaf(result, &parameters[node->parameter]);
		return;
	}
	initStringInfo(&place);
	appendStringInfoString(&place, "root");
	read_literal(node, &place, 1, result);
}

/*
 * One literal; "level" is that of a list or map in its place.
 */
static void
read_literal(const PartiqlNode *node, StringInfo place, int level,
			 ItemNode *result)
{
	ItemValue	value = {ITEM_NULL, 0, NULL};

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if ((node->kind == PARTIQL_LIST || node->kind == PARTIQL_MAP) &&
		level > DYNAMO_MAX_NESTING)
		dynamo_error(DYNAMO_VALIDATION,
					 "Nesting Levels have exceeded supported limits under %s",
					 place->data);
	switch (node->kind)
	{
		case PARTIQL_LIST:
			read_list(node, place, level, result);
			return;
		case PARTIQL_MAP:
			read_map(node, place, level, result);
			return;
		case PARTIQL_BAG:
			read_bag(node, place, result);
			return;
		case PARTIQL_STRING:
			value = item_string(node->text, node->length);
			break;
		case PARTIQL_NUMBER:
			value = read_number(node, place);
			break;
		case PARTIQL_TRUE:
		case PARTIQL_FALSE:
			value = item_bool(node->kind == PARTIQL_TRUE);
			break;
		case PARTIQL_NULL:
			break;
		default:
			dynamo_error(DYNAMO_VALIDATION,
						 "Unsupported data type: %s under key %s at %s",
						 partiql_kind_name(node), place->data,
						 partiql_place(node->place));
	}
	item_node_leaf(result, &value);
}

static void
read_list(const PartiqlNode *node, StringInfo place, int level,
		  ItemNode *result)
{
	int			length = place->len;
	int			n = 0;
	ListCell   *lc;

	item_node_init(result, ITEM_L);
	foreach(lc, node->args)
	{
		appendStringInfo(place, "[%d]", n++);
		read_literal(lfirst(lc), place, level + 1, item_node_append(result));
		place->len = length;
		place->data[length] = '\0';
	}
}

static void
read_map(const PartiqlNode *node, StringInfo place, int level,
		 ItemNode *result)
{
	int			length = place->len;

	item_node_init(result, ITEM_M);
	for (int i = 0; i < list_length(node->args); i += 2)
	{
		const PartiqlNode *name = list_nth(node->args, i);

		codec_check_name(name->text, name->length);
		if (item_node_find(result, name->text, name->length))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Duplicate value in attribute name: %s",
						 name->text);
		appendStringInfo(place, ".%s", name->text);
		read_literal(list_nth(node->args, i + 1), place, level + 1,
					 item_node_put(result, name->text, name->length));
		place->len = length;
		place->data[length] = '\0';
	}
}

/*
 * A set: numbers or strings.
 */
static void
read_bag(const PartiqlNode *node, StringInfo place, ItemNode *result)
{
	const PartiqlNode *first = node->args ? linitial(node->args) : NULL;
	int			length = place->len;
	int			n = 0;
	ListCell   *lc;

	if (first == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Empty bags are not supported");
	item_node_init(result, first->kind == PARTIQL_NUMBER ? ITEM_NS : ITEM_SS);
	foreach(lc, node->args)
	{
		const PartiqlNode *member = lfirst(lc);
		ItemNode	value;

		appendStringInfo(place, "[%d]", n++);
		read_literal(member, place, 1, &value);
		place->len = length;
		place->data[length] = '\0';
		if (member->kind != first->kind ||
			(member->kind != PARTIQL_NUMBER && member->kind != PARTIQL_STRING))
			dynamo_error(DYNAMO_VALIDATION,
						 "DynamoDB only supports either numbers or strings in bags");
		*item_node_append(result) = value;
	}
	check_bag(node, place, result);
}

/*
 * Refuse a set with a member that comes twice.
 */
static void
check_bag(const PartiqlNode *node, const StringInfo place,
		  const ItemNode *set)
{
	ItemValue  *values = palloc(sizeof(ItemValue) * set->count);
	bool		repeats = false;
	StringInfoData list;
	ListCell   *lc;

	for (int i = 0; i < set->count; i++)
		values[i] = set->members[i].node.value;
	item_values_sort(values, set->count);
	for (int i = 1; i < set->count; i++)
		repeats = repeats || item_value_equal(&values[i - 1], &values[i]);
	if (!repeats)
		return;
	initStringInfo(&list);
	foreach(lc, node->args)
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "",
						 ((PartiqlNode *) lfirst(lc))->text);
	if (set->value.type == ITEM_SS)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Input collection [%s] contains duplicates.",
					 list.data);
	dynamo_error(DYNAMO_VALIDATION,
				 DYNAMO_INVALID "Input collection [%s] contains duplicates! under %s",
				 list.data, place->data);
}

static ItemValue
read_number(const PartiqlNode *node, const StringInfo place)
{
	uint8	   *bytes = palloc(ITEM_NUMBER_MAX_BYTES);
	ItemValue	value = {ITEM_N, 0, (char *) bytes};

	switch (item_number_parse(node->text, node->length, bytes, &value.len))
	{
		case ITEM_NUMBER_OK:
			break;
		case ITEM_NUMBER_UNDERFLOW:
			dynamo_error(DYNAMO_VALIDATION,
						 "Number underflow. Attempting to store a number with magnitude smaller than supported range under %s",
						 place->data);
		case ITEM_NUMBER_PRECISION:
			dynamo_error(DYNAMO_VALIDATION,
						 "Attempting to store more than 38 significant digits in a Number under %s",
						 place->data);
		case ITEM_NUMBER_SYNTAX:
			partiql_malformed("");
		default:
			dynamo_error(DYNAMO_VALIDATION,
						 "Number overflow. Attempting to store a number with magnitude larger than supported range under %s",
						 place->data);
	}
	return value;
}

/*
 * What errors call a node: a function by its name, all else by its kind.
 */
const char *
partiql_kind_name(const PartiqlNode *node)
{
	static const char *const names[] = {
		[PARTIQL_PATH] = "Path",
		[PARTIQL_PARAMETER] = "Parameter",
		[PARTIQL_STRING] = "Literal",
		[PARTIQL_NUMBER] = "Literal",
		[PARTIQL_TRUE] = "Literal",
		[PARTIQL_FALSE] = "Literal",
		[PARTIQL_NULL] = "Literal",
		[PARTIQL_MISSING] = "LiteralMissing",
		[PARTIQL_LIST] = "List",
		[PARTIQL_BAG] = "Bag",
		[PARTIQL_MAP] = "Struct",
		[PARTIQL_STAR] = "Star",
		[PARTIQL_AND] = "And",
		[PARTIQL_OR] = "Or",
		[PARTIQL_NOT] = "Not",
		[PARTIQL_EQ] = "Eq",
		[PARTIQL_NE] = "Ne",
		[PARTIQL_LT] = "Lt",
		[PARTIQL_LE] = "Lte",
		[PARTIQL_GT] = "Gt",
		[PARTIQL_GE] = "Gte",
		[PARTIQL_BETWEEN] = "Between",
		[PARTIQL_IN] = "InCollection",
		[PARTIQL_LIKE] = "Like",
		[PARTIQL_IS] = "IsType",
		[PARTIQL_PLUS] = "Plus",
		[PARTIQL_MINUS] = "Minus",
		[PARTIQL_TIMES] = "Times",
		[PARTIQL_DIVIDE] = "Divide",
		[PARTIQL_MODULO] = "Modulo",
		[PARTIQL_CONCAT] = "Concat",
		[PARTIQL_NEGATE] = "Neg",
		[PARTIQL_POSITIVE] = "Pos"
	};

	return node->kind == PARTIQL_CALL ? node->text : names[node->kind];
}
