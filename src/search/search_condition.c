/*-------------------------------------------------------------------------
 *
 * search_condition.c
 *	  A SearchConditionExpression against the SearchSchema of an index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "search/search.h"

#define HASH_NEEDED \
	"SearchConditionExpression must be provided when SearchSchema has a HASH key"

static const KeyAttr *find_attribute(const IndexDef *index, const char *name);
static void check_clause(const IndexDef *index, const ExprKeyClause *clause);

/*
 * The clauses of a condition (NULL: there is none), each on an attribute of the
 * SearchSchema.
 */
ExprKeyCondition *
search_bind_condition(const IndexDef *index, const ExprCondition *condition)
{
	ExprKeyCondition *clauses;
	bool		hash = index->nhash == 0;

	if (condition == NULL)
	{
		if (!hash)
			dynamo_error(DYNAMO_VALIDATION, HASH_NEEDED);
		return palloc0(sizeof(ExprKeyCondition));
	}
	clauses = expr_search_condition(condition);
	for (int i = 0; i < clauses->nclauses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_clause(index, &clauses->clauses[i]);
		hash = hash || strcmp(clauses->clauses[i].name,
							  index->hash[0].name) == 0;
	}
	if (!hash)
		dynamo_error(DYNAMO_VALIDATION, HASH_NEEDED);
	return clauses;
}

static void
check_clause(const IndexDef *index, const ExprKeyClause *clause)
{
	const KeyAttr *attr = find_attribute(index, clause->name);
	const ItemValue *value = &clause->values[0];

	if (attr == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "SearchConditionExpression must not contain any attributes that is not in SearchSchema. Invalid attribute: %s",
					 clause->name);
	if (!item_is_key_type(value, attr->type))
		dynamo_error(DYNAMO_VALIDATION,
					 "Type of '%s' attribute in SearchConditionExpression (%s) does not match type in search schema (%c)",
					 attr->name, item_type_name(value->type), attr->type);
	if (value->len == 0 && index->nhash > 0 && attr == &index->hash[0])
		item_refuse_empty_key(value->type, DYNAMO_NOT_VALID,
							  psprintf(" Key: %s", attr->name));
}

static const KeyAttr *
find_attribute(const IndexDef *index, const char *name)
{
	for (int i = 0; i < index->nhash; i++)
	{
		if (strcmp(index->hash[i].name, name) == 0)
			return &index->hash[i];
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (strcmp(index->range[i].name, name) == 0)
			return &index->range[i];
	}
	return NULL;
}

/*
 * Numbers are equal as numbers.
 */
bool
search_meets(const ExprKeyCondition *condition, const Item *item)
{
	for (int i = 0; i < condition->nclauses; i++)
	{
		const ExprKeyClause *clause = &condition->clauses[i];
		ItemValue	value;

		if (!item_get(item, clause->name, strlen(clause->name), &value) ||
			!item_value_equal(&value, &clause->values[0]))
			return false;
	}
	return true;
}
