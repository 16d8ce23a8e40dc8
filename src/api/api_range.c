/*-------------------------------------------------------------------------
 *
 * api_range.c
 *	  Key conditions and start keys against the keys of what they read.
 *
 * A table or index has HASH attributes, all of which a Query holds equal, and
 * RANGE attributes, of which it may restrict a left prefix: equal up to the
 * last one named, which takes any operator.  Before several-attribute keys
 * there was one of each, and the texts for that case are the service's older
 * ones.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"

#define START_KEY "The provided starting key is invalid"
#define SCHEMA_MISMATCH "The provided key element does not match the schema"

static bool is_composite(const ApiTarget *target);
static void bind_simple(const ApiTarget *target,
						const ExprKeyCondition *condition, const Item *start,
						EngineScanSpec *spec);
static void bind_composite(const ApiTarget *target,
						   const ExprKeyCondition *condition,
						   const Item *start, EngineScanSpec *spec);
static void check_composite_hash(const ApiTarget *target,
								 const ExprKeyCondition *condition);
static int	check_composite_range(const ApiTarget *target,
								  const ExprKeyCondition *condition);
static const ExprKeyClause *find_clause(const ExprKeyCondition *condition,
										const char *name);
static void check_foreign_clauses(const ApiTarget *target,
								  const ExprKeyCondition *condition);
static bool is_key(const ApiTarget *target, const char *name);
static void check_clause(const KeyAttr *attr, const ExprKeyClause *clause,
						 int limit);
static int	operand_count(const ExprKeyClause *clause);
static void set_range(EngineScanSpec *spec, const ExprKeyClause *clause);
static int	key_attributes(const ApiTarget *target, const KeyAttr **attrs);
static void check_start_length(const ApiTarget *target, const Item *start);
static void check_start_attribute(const Item *start, const KeyAttr *attr);
static void check_start_rest(const ApiTarget *target, const Item *start);
static void check_start_range(const ApiTarget *target, const Item *start,
							  const EngineScanSpec *spec, bool range_clause);
static bool same_value(const Item *start, const KeyAttr *attr,
					   const ItemValue *value);
static bool matches_range(const ItemValue *value, const EngineScanSpec *spec);
static bool begins_with(const ItemValue *value, const ItemValue *prefix);
static void check_segment(const ApiTarget *target, const Item *start,
						  const EngineScanSpec *spec);

/*
 * The number of conditions, before it is known what is read: only indexes have
 * keys of more than two attributes.
 */
void
api_range_check_count(const ExprKeyCondition *condition, bool index)
{
	if (condition->nclauses < 1 || (condition->nclauses > 2 && !index))
		dynamo_error(DYNAMO_VALIDATION,
					 "Conditions can be of length 1 or 2 only");
}

/*
 * Make the range of a Query.  "start" is ExclusiveStartKey, or NULL.
 */
void
api_range_query(const ApiTarget *target, const ExprKeyCondition *condition,
				const Item *start, EngineScanSpec *spec)
{
	SchemaHelp	help;

	if (start)
	{
		check_start_length(target, start);
		if (target->index == NULL && target->nrange == 0)
		{
			StringInfoData key;
			ItemValue	value;

			if (!item_get(start, target->hash[0].name,
						  strlen(target->hash[0].name), &value))
				dynamo_error(DYNAMO_VALIDATION, START_KEY);

			initStringInfo(&key);
			wire_append_java_item(&key, start);
			dynamo_error(DYNAMO_VALIDATION,
						 "The provided exclusive start key is invalid: ExclusiveStartKey: %s",
						 key.data);
		}
	}
	schema_help_begin(&help, target->def, target->index);
	if (is_composite(target))
		bind_composite(target, condition, start, spec);
	else
		bind_simple(target, condition, start, spec);
	schema_help_end(&help);
	spec->start_after = start;
}

static bool
is_composite(const ApiTarget *target)
{
	return target->nhash > 1 || target->nrange > 1;
}

/*
 * One HASH attribute, at most one RANGE attribute.
 */
static void
bind_simple(const ApiTarget *target, const ExprKeyCondition *condition,
			const Item *start, EngineScanSpec *spec)
{
	const KeyAttr *hash = &target->hash[0];
	const KeyAttr *range = target->nrange > 0 ? &target->range[0] : NULL;
	const ExprKeyClause *hash_clause = find_clause(condition, hash->name);
	const ExprKeyClause *range_clause =
		range ? find_clause(condition, range->name) : NULL;

	api_range_check_count(condition, false);
	if (start)
		check_start_attribute(start, hash);
	if (range == NULL && condition->nclauses > 1)
		dynamo_error(DYNAMO_VALIDATION, "Query key condition not supported");
	if (hash_clause == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Query condition missed key schema element: %s",
					 hash->name);
	check_clause(hash, hash_clause, DYNAMO_MAX_PARTITION_KEY);
	if (hash_clause->op != EXPR_KEY_EQ)
		dynamo_error(DYNAMO_VALIDATION, "Query key condition not supported");

	if (start && range)
		check_start_attribute(start, range);
	if (range && range_clause == NULL && condition->nclauses > 1)
		dynamo_error(DYNAMO_VALIDATION,
					 "Query condition missed key schema element: %s",
					 range->name);
	if (range_clause)
		check_clause(range, range_clause, DYNAMO_MAX_SORT_KEY);

	spec->nhash = 1;
	spec->hash[0] = hash_clause->values[0];
	if (range_clause)
		set_range(spec, range_clause);
	if (start)
	{
		check_start_rest(target, start);
		check_start_range(target, start, spec, range_clause != NULL);
	}
}

/*
 * Several attributes: every HASH attribute equal, RANGE attributes a left
 * prefix of which all but the last are equal.
 */
static void
bind_composite(const ApiTarget *target, const ExprKeyCondition *condition,
			   const Item *start, EngineScanSpec *spec)
{
	int			last;

	check_composite_hash(target, condition);
	check_foreign_clauses(target, condition);
	last = check_composite_range(target, condition);

	spec->nhash = target->nhash;
	for (int i = 0; i < target->nhash; i++)
	{
		const ExprKeyClause *clause = find_clause(condition,
												  target->hash[i].name);

		if (start)
			check_start_attribute(start, &target->hash[i]);
		check_clause(&target->hash[i], clause, DYNAMO_MAX_PARTITION_KEY);
		spec->hash[i] = clause->values[0];
	}
	for (int i = 0; i < target->nrange; i++)
	{
		const ExprKeyClause *clause;

		if (start)
			check_start_attribute(start, &target->range[i]);
		if (i > last)
			continue;
		clause = find_clause(condition, target->range[i].name);
		check_clause(&target->range[i], clause, DYNAMO_MAX_SORT_KEY);
		if (i < last)
			spec->equal[spec->nequal++] = clause->values[0];
		else
			set_range(spec, clause);
	}
	if (start)
	{
		check_start_rest(target, start);
		check_start_range(target, start, spec, last >= 0);
	}
}

static void
check_composite_hash(const ApiTarget *target,
					 const ExprKeyCondition *condition)
{
	StringInfoData missing;

	initStringInfo(&missing);
	for (int i = 0; i < target->nhash; i++)
	{
		const ExprKeyClause *clause = find_clause(condition,
												  target->hash[i].name);

		if (clause == NULL || clause->op != EXPR_KEY_EQ)
			appendStringInfo(&missing, "%s%s", missing.len > 0 ? ", " : "",
							 target->hash[i].name);
	}
	if (missing.len > 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "HASH key attributes %s must have equality conditions specified in the query",
					 missing.data);
}

/*
 * A clause on an attribute that is no key stands where one on the next RANGE
 * attribute should, if there is any left.
 */
static void
check_foreign_clauses(const ApiTarget *target,
					  const ExprKeyCondition *condition)
{
	const char *missed = NULL;

	for (int i = target->nrange - 1; i >= 0; i--)
	{
		if (find_clause(condition, target->range[i].name) == NULL)
			missed = target->range[i].name;
	}
	for (int i = 0; i < condition->nclauses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_key(target, condition->clauses[i].name))
			continue;
		if (missed)
			dynamo_error(DYNAMO_VALIDATION,
						 "Query condition missed key schema element: %s",
						 missed);
		dynamo_error(DYNAMO_VALIDATION, "Query key condition not supported");
	}
}

/*
 * The last RANGE attribute with a clause, -1 for none, once all before it are
 * known to be held equal.
 */
static int
check_composite_range(const ApiTarget *target,
					  const ExprKeyCondition *condition)
{
	StringInfoData missing;
	int			last = -1;

	for (int i = 0; i < target->nrange; i++)
	{
		if (find_clause(condition, target->range[i].name))
			last = i;
	}
	initStringInfo(&missing);
	for (int i = 0; i < last; i++)
	{
		const ExprKeyClause *clause = find_clause(condition,
												  target->range[i].name);

		if (clause == NULL || clause->op != EXPR_KEY_EQ)
			appendStringInfo(&missing, "%s%s", missing.len > 0 ? ", " : "",
							 target->range[i].name);
	}
	if (missing.len > 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "RANGE key attributes %s must have equality conditions specified in the query because a condition is present on key attribute %s",
					 missing.data, target->range[last].name);
	return last;
}

static const ExprKeyClause *
find_clause(const ExprKeyCondition *condition, const char *name)
{
	for (int i = 0; i < condition->nclauses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (strcmp(condition->clauses[i].name, name) == 0)
			return &condition->clauses[i];
	}
	return NULL;
}

static bool
is_key(const ApiTarget *target, const char *name)
{
	for (int i = 0; i < target->nhash; i++)
	{
		if (strcmp(target->hash[i].name, name) == 0)
			return true;
	}
	for (int i = 0; i < target->nrange; i++)
	{
		if (strcmp(target->range[i].name, name) == 0)
			return true;
	}
	return false;
}

/*
 * A clause against its attribute: its operator, and its operands' types,
 * emptiness and size.
 */
static void
check_clause(const KeyAttr *attr, const ExprKeyClause *clause, int limit)
{
	if (clause->op == EXPR_KEY_OTHER)
		dynamo_error(DYNAMO_VALIDATION,
					 "Attempted conditional constraint is not an indexable operation");
	for (int i = 0; i < operand_count(clause); i++)
	{
		const ItemValue *value = &clause->values[i];

		if (!item_is_key_type(value, attr->type))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Condition parameter type does not match schema type");
		if (value->len == 0)
			item_refuse_empty_key(value->type, DYNAMO_NOT_VALID,
								  psprintf(" Key: %s", attr->name));
		if (limit == DYNAMO_MAX_PARTITION_KEY)
			item_check_partition_key(value);
		else
			item_check_sort_key(value);
	}
}

static int
operand_count(const ExprKeyClause *clause)
{
	return clause->op == EXPR_KEY_BETWEEN ? 2 : 1;
}

static void
set_range(EngineScanSpec *spec, const ExprKeyClause *clause)
{
	spec->op = clause->op;
	spec->low = clause->values[0];
	if (clause->op == EXPR_KEY_BETWEEN)
		spec->high = clause->values[1];
}

/*
 * The attributes a start key must have: the table's key, and the index's.
 * "attrs" has room for all of them; returns how many there are.
 */
static int
key_attributes(const ApiTarget *target, const KeyAttr **attrs)
{
	const KeyAttr *candidates[2 + 2 * DYNAMO_MAX_KEY_ATTRS];
	int			ncandidates = 0;
	int			n = 0;

	candidates[ncandidates++] = &target->def->hash;
	if (target->def->range.name)
		candidates[ncandidates++] = &target->def->range;
	if (target->index)
	{
		for (int i = 0; i < target->nhash; i++)
			candidates[ncandidates++] = &target->hash[i];
		for (int i = 0; i < target->nrange; i++)
			candidates[ncandidates++] = &target->range[i];
	}
	for (int i = 0; i < ncandidates; i++)
	{
		bool		known = false;

		for (int k = 0; k < n; k++)
			known = known || strcmp(attrs[k]->name, candidates[i]->name) == 0;
		if (!known)
			attrs[n++] = candidates[i];
	}
	return n;
}

static void
check_start_length(const ApiTarget *target, const Item *start)
{
	const KeyAttr *attrs[2 + 2 * DYNAMO_MAX_KEY_ATTRS];
	ItemValue	root = item_root(start);

	if (item_member_count(&root) != key_attributes(target, attrs))
		dynamo_error(DYNAMO_VALIDATION, START_KEY);
}

static void
check_start_attribute(const Item *start, const KeyAttr *attr)
{
	ItemValue	value;

	if (!item_get(start, attr->name, strlen(attr->name), &value))
		dynamo_error(DYNAMO_VALIDATION, START_KEY);
	if (!engine_key_value(start, attr, &value))
		dynamo_error(DYNAMO_VALIDATION, SCHEMA_MISMATCH);
	if (value.len == 0)
		item_refuse_empty_key(value.type, START_KEY ": " DYNAMO_NOT_VALID,
							  psprintf(" Key: %s", attr->name));
}

/*
 * All attributes of a start key, when those of the index were seen before.
 */
static void
check_start_rest(const ApiTarget *target, const Item *start)
{
	const KeyAttr *attrs[2 + 2 * DYNAMO_MAX_KEY_ATTRS];
	int			n = key_attributes(target, attrs);

	for (int i = 0; i < n; i++)
		check_start_attribute(start, attrs[i]);
}

/*
 * A start key must lie where the Query looks.  With a condition on the sort
 * key the service looks at that first, and has words of its own for another
 * partition.
 */
static void
check_start_range(const ApiTarget *target, const Item *start,
				  const EngineScanSpec *spec, bool range_clause)
{
	bool		same_partition = true;
	bool		inside = true;
	ItemValue	value;

	for (int i = 0; i < spec->nhash; i++)
		same_partition = same_partition &&
			same_value(start, &target->hash[i], &spec->hash[i]);
	if (!same_partition && !range_clause)
		dynamo_error(DYNAMO_VALIDATION,
					 "The provided starting key is outside query boundaries based on provided conditions");

	for (int i = 0; i < spec->nequal; i++)
		inside = inside && same_value(start, &target->range[i], &spec->equal[i]);
	if (spec->op != EXPR_KEY_NONE)
		inside = inside &&
			engine_key_value(start, &target->range[spec->nequal], &value) &&
			matches_range(&value, spec);
	if (!inside)
		dynamo_error(DYNAMO_VALIDATION,
					 "The provided starting key does not match the range key predicate");
	if (!same_partition)
		dynamo_error(DYNAMO_VALIDATION,
					 "The query can return at most one row and cannot be restarted");
}

static bool
same_value(const Item *start, const KeyAttr *attr, const ItemValue *value)
{
	ItemValue	own;

	return engine_key_value(start, attr, &own) && item_value_equal(&own, value);
}

static bool
matches_range(const ItemValue *value, const EngineScanSpec *spec)
{
	switch (spec->op)
	{
		case EXPR_KEY_NONE:
			break;
		case EXPR_KEY_EQ:
			return item_value_compare(value, &spec->low) == 0;
		case EXPR_KEY_LT:
			return item_value_compare(value, &spec->low) < 0;
		case EXPR_KEY_LE:
			return item_value_compare(value, &spec->low) <= 0;
		case EXPR_KEY_GT:
			return item_value_compare(value, &spec->low) > 0;
		case EXPR_KEY_GE:
			return item_value_compare(value, &spec->low) >= 0;
		case EXPR_KEY_BETWEEN:
			return item_value_compare(value, &spec->low) >= 0 &&
				item_value_compare(value, &spec->high) <= 0;
		case EXPR_KEY_BEGINS_WITH:
			return begins_with(value, &spec->low);
		case EXPR_KEY_OTHER:	/* refused before */
			break;
	}
	return true;
}

static bool
begins_with(const ItemValue *value, const ItemValue *prefix)
{
	return value->len >= prefix->len &&
		memcmp(value->data, prefix->data, prefix->len) == 0;
}

/*
 * Make the range of a Scan: all of it, or its segment, from the start key on.
 */
void
api_range_scan(const ApiTarget *target, const Item *start,
			   EngineScanSpec *spec)
{
	const KeyAttr *attrs[2 + 2 * DYNAMO_MAX_KEY_ATTRS];
	ItemValue	root;
	ItemValue	value;
	int			n;

	spec->start_after = start;
	if (start == NULL)
		return;
	n = key_attributes(target, attrs);
	root = item_root(start);
	for (int i = 0; i < n; i++)
	{
		bool		present = item_get(start, attrs[i]->name,
									   strlen(attrs[i]->name), &value);

		if (!present && target->index)
			dynamo_error(DYNAMO_VALIDATION, START_KEY);
		if (!present || !engine_key_value(start, attrs[i], &value))
			dynamo_error(DYNAMO_VALIDATION, START_KEY ": " SCHEMA_MISMATCH);
	}
	if (item_member_count(&root) != n)
		dynamo_error(DYNAMO_VALIDATION, START_KEY ": " SCHEMA_MISMATCH);
	for (int i = 0; i < n; i++)
		check_start_attribute(start, attrs[i]);
	if (spec->total_segments > 0)
		check_segment(target, start, spec);
}

static void
check_segment(const ApiTarget *target, const Item *start,
			  const EngineScanSpec *spec)
{
	ItemValue	values[DYNAMO_MAX_KEY_ATTRS];
	ItemPartitionKey *key;

	for (int i = 0; i < target->nhash; i++)
		item_get(start, target->hash[i].name, strlen(target->hash[i].name),
				 &values[i]);
	key = item_partition_key(values, target->nhash);
	if (!engine_in_segment(spec, item_partition_key_hash(key)))
		dynamo_error(DYNAMO_VALIDATION,
					 START_KEY ": Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d",
					 spec->total_segments, spec->segment);
}
