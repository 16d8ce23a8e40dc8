/*-------------------------------------------------------------------------
 *
 * api_range.c
 *	  What a Query or Scan reads: key conditions, and start keys against the
 *	  keys of what they read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "miscadmin.h"

#define START_KEY "The provided starting key is invalid"
#define SCHEMA_MISMATCH "The provided key element does not match the schema"

static int	key_attributes(const ApiTarget *target, const KeyAttr **attrs);
static void check_start_length(const ApiTarget *target, const Item *start);
static void check_start_key(const KeyAttr *attr, const void *start);
static void check_start_attribute(const Item *start, const KeyAttr *attr);
static void check_start_rest(const ApiTarget *target, const Item *start);
static void check_start_range(const ApiTarget *target, const Item *start,
							  const EngineScanSpec *spec);
static bool same_value(const Item *start, const KeyAttr *attr,
					   const ItemValue *value);
static bool matches_range(const ItemValue *value, const EngineScanSpec *spec);
static bool begins_with(const ItemValue *value, const ItemValue *prefix);
static void check_segment(const ApiTarget *target, const Item *start,
						  const EngineScanSpec *spec);

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
	engine_bind_keys(target->def, target->index, condition,
					 start ? check_start_key : NULL, start, spec);
	if (start)
	{
		check_start_rest(target, start);
		check_start_range(target, start, spec);
	}
	schema_help_end(&help);
	spec->start_after = start;
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

/*
 * Called for each attribute of what is read before its condition is looked at.
 */
static void
check_start_key(const KeyAttr *attr, const void *start)
{
	check_start_attribute(start, attr);
}

static void
check_start_attribute(const Item *start, const KeyAttr *attr)
{
	ItemValue	value;

	if (!item_get(start, attr->name, strlen(attr->name), &value))
		dynamo_error(DYNAMO_VALIDATION, START_KEY);
	if (!key_attr_value(start, attr, &value))
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
				  const EngineScanSpec *spec)
{
	bool		same_partition = true;
	bool		inside = true;
	ItemValue	value;

	for (int i = 0; i < spec->nhash; i++)
		same_partition = same_partition &&
			same_value(start, &target->hash[i], &spec->hash[i]);
	if (!same_partition && spec->op == EXPR_KEY_NONE)
		dynamo_error(DYNAMO_VALIDATION,
					 "The provided starting key is outside query boundaries based on provided conditions");

	for (int i = 0; i < spec->nequal; i++)
		inside = inside && same_value(start, &target->range[i], &spec->equal[i]);
	if (spec->op != EXPR_KEY_NONE)
		inside = inside &&
			key_attr_value(start, &target->range[spec->nequal], &value) &&
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

	return key_attr_value(start, attr, &own) && item_value_equal(&own, value);
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
		if (!present || !key_attr_value(start, attrs[i], &value))
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
