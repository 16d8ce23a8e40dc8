/*-------------------------------------------------------------------------
 *
 * engine_range.c
 *	  Expressions against the keys of what is read: the table, or one of its
 *	  indexes.
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

#include "engine/engine.h"
#include "miscadmin.h"

/* Of what is read. */
typedef struct Keys
{
	int			nhash;
	const KeyAttr *hash;
	int			nrange;
	const KeyAttr *range;
} Keys;

/* Told of each attribute before its condition is looked at. */
typedef struct Watch
{
	EngineEachKey each;			/* NULL: nobody */
	const void *arg;
} Watch;

static Keys keys_of(const TableDef *def, const IndexDef *index);
static void check_count(const Keys *keys, const ExprKeyCondition *condition);
static void tell_watcher(const Watch *watch, const KeyAttr *attr);
static void bind_simple(const Keys *keys, const ExprKeyCondition *condition,
						const Watch *watch, EngineScanSpec *spec);
static void bind_composite(const Keys *keys,
						   const ExprKeyCondition *condition,
						   const Watch *watch, EngineScanSpec *spec);
static void check_composite_hash(const Keys *keys,
								 const ExprKeyCondition *condition);
static int	check_composite_range(const Keys *keys,
								  const ExprKeyCondition *condition);
static const ExprKeyClause *find_clause(const ExprKeyCondition *condition,
										const char *name);
static void check_foreign_clauses(const Keys *keys,
								  const ExprKeyCondition *condition);
static bool is_key(const Keys *keys, const char *name);
static void check_clause(const KeyAttr *attr, const ExprKeyClause *clause,
						 int limit);
static int	operand_count(const ExprKeyClause *clause);
static void set_range(EngineScanSpec *spec, const ExprKeyClause *clause);
static List *nested_paths(const List *paths);
static void check_scalar_key(const List *paths, const char *key,
							 const char *label);

/*
 * A key condition must have a clause, whatever is read.
 */
void
engine_check_clauses(const ExprKeyCondition *condition)
{
	if (condition->nclauses < 1)
		dynamo_error(DYNAMO_VALIDATION,
					 "Conditions can be of length 1 or 2 only");
}

/*
 * Set the range, the hash and the direction's bounds of "spec" as the key
 * condition asks for, on the table's keys or those of "index".  "each" (NULL:
 * nobody) gets the key attributes, each before its clause is looked at.
 * Raises ValidationException.
 *
 * "spec" was zeroed.  Its values point to those of the condition, which must
 * live as long.  Nothing of the table's data is looked at, and nothing is locked.
 */
void
engine_bind_keys(const TableDef *def, const IndexDef *index,
				 const ExprKeyCondition *condition, EngineEachKey each,
				 const void *arg, EngineScanSpec *spec)
{
	const Keys	keys = keys_of(def, index);
	const Watch watch = {each, arg};

	check_count(&keys, condition);
	if (keys.nhash > 1 || keys.nrange > 1)
		bind_composite(&keys, condition, &watch, spec);
	else
		bind_simple(&keys, condition, &watch, spec);
}

/*
 * The attributes of what is read; they stay the definition's.
 */
static Keys
keys_of(const TableDef *def, const IndexDef *index)
{
	Keys		keys = {1, &def->hash, def->range.name ? 1 : 0, &def->range};

	if (index)
	{
		keys.nhash = index->nhash;
		keys.hash = index->hash;
		keys.nrange = index->nrange;
		keys.range = index->range;
	}
	return keys;
}

/*
 * Two conditions on a key of one attribute are told later, in other words.
 */
static void
check_count(const Keys *keys, const ExprKeyCondition *condition)
{
	int			nkeys = keys->nhash + keys->nrange;

	if (condition->nclauses > Max(nkeys, 2))
		dynamo_error(DYNAMO_VALIDATION,
					 "The number of query conditions (%d) exceeds the number of key attributes defined in the schema (%d)",
					 condition->nclauses, nkeys);
}

/*
 * Tell of an attribute, before its clause can be refused: what is told counts
 * even if an error follows.
 */
static void
tell_watcher(const Watch *watch, const KeyAttr *attr)
{
	if (watch->each)
		watch->each(attr, watch->arg);
}

/*
 * One HASH attribute, at most one RANGE attribute.
 */
static void
bind_simple(const Keys *keys, const ExprKeyCondition *condition,
			const Watch *watch, EngineScanSpec *spec)
{
	const KeyAttr *hash = &keys->hash[0];
	const KeyAttr *range = keys->nrange > 0 ? &keys->range[0] : NULL;
	const ExprKeyClause *hash_clause = find_clause(condition, hash->name);
	const ExprKeyClause *range_clause =
		range ? find_clause(condition, range->name) : NULL;

	tell_watcher(watch, hash);
	if (range == NULL && condition->nclauses > 1)
		dynamo_error(DYNAMO_VALIDATION, "Query key condition not supported");
	if (hash_clause == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Query condition missed key schema element: %s",
					 hash->name);
	check_clause(hash, hash_clause, DYNAMO_MAX_PARTITION_KEY);
	if (hash_clause->op != EXPR_KEY_EQ)
		dynamo_error(DYNAMO_VALIDATION, "Query key condition not supported");

	if (range)
		tell_watcher(watch, range);
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
}

/*
 * Several attributes: every HASH attribute equal, RANGE attributes a left
 * prefix of which all but the last are equal.
 */
static void
bind_composite(const Keys *keys, const ExprKeyCondition *condition,
			   const Watch *watch, EngineScanSpec *spec)
{
	int			last;

	check_composite_hash(keys, condition);
	check_foreign_clauses(keys, condition);
	last = check_composite_range(keys, condition);

	spec->nhash = keys->nhash;
	for (int i = 0; i < keys->nhash; i++)
	{
		const ExprKeyClause *clause = find_clause(condition,
												  keys->hash[i].name);

		tell_watcher(watch, &keys->hash[i]);
		check_clause(&keys->hash[i], clause, DYNAMO_MAX_PARTITION_KEY);
		spec->hash[i] = clause->values[0];
	}
	for (int i = 0; i < keys->nrange; i++)
	{
		const ExprKeyClause *clause;

		tell_watcher(watch, &keys->range[i]);
		if (i > last)
			continue;
		clause = find_clause(condition, keys->range[i].name);
		check_clause(&keys->range[i], clause, DYNAMO_MAX_SORT_KEY);
		if (i < last)
			spec->equal[spec->nequal++] = clause->values[0];
		else
			set_range(spec, clause);
	}
}

/*
 * Every HASH attribute must be held equal; the error names all that are not.
 */
static void
check_composite_hash(const Keys *keys,
					 const ExprKeyCondition *condition)
{
	StringInfoData missing;

	initStringInfo(&missing);
	for (int i = 0; i < keys->nhash; i++)
	{
		const ExprKeyClause *clause = find_clause(condition,
												  keys->hash[i].name);

		if (clause == NULL || clause->op != EXPR_KEY_EQ)
			appendStringInfo(&missing, "%s%s", missing.len > 0 ? ", " : "",
							 keys->hash[i].name);
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
check_foreign_clauses(const Keys *keys,
					  const ExprKeyCondition *condition)
{
	const char *missed = NULL;

	for (int i = keys->nrange - 1; i >= 0; i--)
	{
		if (find_clause(condition, keys->range[i].name) == NULL)
			missed = keys->range[i].name;
	}
	for (int i = 0; i < condition->nclauses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_key(keys, condition->clauses[i].name))
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
check_composite_range(const Keys *keys,
					  const ExprKeyCondition *condition)
{
	StringInfoData missing;
	int			last = -1;

	for (int i = 0; i < keys->nrange; i++)
	{
		if (find_clause(condition, keys->range[i].name))
			last = i;
	}
	initStringInfo(&missing);
	for (int i = 0; i < last; i++)
	{
		const ExprKeyClause *clause = find_clause(condition,
												  keys->range[i].name);

		if (clause == NULL || clause->op != EXPR_KEY_EQ)
			appendStringInfo(&missing, "%s%s", missing.len > 0 ? ", " : "",
							 keys->range[i].name);
	}
	if (missing.len > 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "RANGE key attributes %s must have equality conditions specified in the query because a condition is present on key attribute %s",
					 missing.data, keys->range[last].name);
	return last;
}

/*
 * The first clause on an attribute; NULL: none.
 */
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
is_key(const Keys *keys, const char *name)
{
	for (int i = 0; i < keys->nhash; i++)
	{
		if (strcmp(keys->hash[i].name, name) == 0)
			return true;
	}
	for (int i = 0; i < keys->nrange; i++)
	{
		if (strcmp(keys->range[i].name, name) == 0)
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

/*
 * The clause on the last RANGE attribute that has one; values are not copied.
 */
static void
set_range(EngineScanSpec *spec, const ExprKeyClause *clause)
{
	spec->op = clause->op;
	spec->low = clause->values[0];
	if (clause->op == EXPR_KEY_BETWEEN)
		spec->high = clause->values[1];
}

/*
 * A Query's filter, "parameter", must leave the keys it reads by alone.
 */
void
engine_check_filter_keys(const TableDef *def, const IndexDef *index,
						 const ExprCondition *filter, const char *parameter)
{
	const Keys	keys = keys_of(def, index);
	List	   *paths = expr_condition_paths(filter);
	ListCell   *lc;

	for (int i = 0; i < keys.nhash + keys.nrange; i++)
	{
		const char *key = i < keys.nhash ? keys.hash[i].name :
			keys.range[i - keys.nhash].name;

		foreach(lc, paths)
		{
			CHECK_FOR_INTERRUPTS();
			if (expr_path_starts_with(lfirst(lc), key))
				dynamo_error(DYNAMO_VALIDATION,
							 "%s can only contain non-primary key attributes: Primary key attribute: %s",
							 parameter, key);
		}
	}
}

/*
 * Refuse document paths (List of ExprPath *) that reach into a key attribute
 * of the table or of one of its indexes.
 */
void
engine_check_key_paths(const TableDef *def, const List *paths)
{
	paths = nested_paths(paths);
	if (paths == NIL)
		return;
	check_scalar_key(paths, def->hash.name, "Key");
	if (def->range.name)
		check_scalar_key(paths, def->range.name, "Key");
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		for (int k = 0; k < index->nhash; k++)
			check_scalar_key(paths, index->hash[k].name, "IndexKey");
		for (int k = 0; k < index->nrange; k++)
			check_scalar_key(paths, index->range[k].name, "IndexKey");
	}
}

/*
 * The paths that reach into an attribute.  Others may be many, expressions are
 * short.
 */
static List *
nested_paths(const List *paths)
{
	List	   *nested = NIL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		ExprPath   *path = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (path->nsteps > 1)
			nested = lappend(nested, path);
	}
	return nested;
}

/*
 * Refuse a path that begins with this key attribute.
 */
static void
check_scalar_key(const List *paths, const char *key, const char *label)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		const ExprPath *path = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (expr_path_starts_with(path, key))
			dynamo_error(DYNAMO_VALIDATION,
						 "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s",
						 label, key);
	}
}
