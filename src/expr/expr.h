/*-------------------------------------------------------------------------
 *
 * expr.h
 *	  The expression languages of DynamoDB: conditions and filters, key
 *	  conditions, projections, updates.
 *
 * An expression is parsed and bound once and evaluated many times.  Parsing
 * raises ValidationException with the text of the service ("Invalid
 * ConditionExpression: ..."); it needs no table.  A parsed tree lives in the
 * memory context that was current when it was parsed and refers to the
 * bindings' memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_EXPR_H
#define DYNAMO_EXPR_H

#include "postgres.h"

#include "fmgr.h"
#include "item/item.h"
#include "nodes/pg_list.h"

/* Which parameter an expression came in: it gives errors their prefix. */
typedef enum ExprKind
{
	EXPR_CONDITION,
	EXPR_FILTER,
	EXPR_KEY_CONDITION,
	EXPR_SEARCH_CONDITION,
	EXPR_PROJECTION,
	EXPR_UPDATE,
	EXPR_STATEMENT				/* PartiQL: no parameter, and no prefix */
} ExprKind;

typedef enum ExprOp
{
	/* operands */
	EXPR_OP_PATH,
	EXPR_OP_VALUE,
	/* operators */
	EXPR_OP_AND,
	EXPR_OP_OR,
	EXPR_OP_NOT,
	EXPR_OP_EQ,
	EXPR_OP_NE,
	EXPR_OP_LT,
	EXPR_OP_LE,
	EXPR_OP_GT,
	EXPR_OP_GE,
	EXPR_OP_BETWEEN,
	EXPR_OP_IN,
	EXPR_OP_PLUS,
	EXPR_OP_MINUS,
	/* functions of conditions */
	EXPR_OP_ATTRIBUTE_EXISTS,
	EXPR_OP_ATTRIBUTE_NOT_EXISTS,
	EXPR_OP_ATTRIBUTE_TYPE,
	EXPR_OP_BEGINS_WITH,
	EXPR_OP_CONTAINS,
	EXPR_OP_SIZE,
	/* functions of updates */
	EXPR_OP_IF_NOT_EXISTS,
	EXPR_OP_LIST_APPEND,
	/* while parsing only */
	EXPR_OP_UNKNOWN_FUNCTION
} ExprOp;

typedef enum ExprActionKind
{
	EXPR_ACTION_SET,
	EXPR_ACTION_REMOVE,
	EXPR_ACTION_ADD,
	EXPR_ACTION_DELETE
} ExprActionKind;

/*
 * ExpressionAttributeNames and ExpressionAttributeValues of one request,
 * shared by all its expressions, which mark what they use.  Made by
 * expr_bindings() only; where an expression takes bindings, NULL means that
 * the request has neither map.
 */
typedef struct ExprName
{
	const char *placeholder;	/* "#n" */
	const char *name;			/* attribute name, terminated */
} ExprName;

typedef struct ExprBindings
{
	int			nnames;
	ExprName   *names;			/* in the request's order */
	const Item *values;			/* map ":v" -> value; NULL when not given */
	struct ExprBindingIndex *index; /* private to expr_bind.c */
} ExprBindings;

/*
 * A document path: names and list positions, aliases resolved.
 */
typedef struct ExprStep
{
	const char *name;			/* NULL: a list position */
	uint32		namelen;
	uint32		position;
} ExprStep;

typedef struct ExprPath
{
	int			nsteps;			/* at least 1; the first is a name */
	ExprStep   *steps;
} ExprPath;

typedef struct ExprNode ExprNode;	/* private to src/expr, as are all these */
typedef struct ExprAction ExprAction;
typedef struct ExprCondition ExprCondition;
typedef struct ExprProjection ExprProjection;
typedef struct ExprUpdate ExprUpdate;

/*
 * expr_bind.c
 *
 * The checks of the two maps that need no expression, in the order in which
 * they are made: expr_check_given(), before anything else in the request is
 * looked at; the keys of both maps, by expr_check_name_keys(),
 * expr_check_value_count() and expr_check_value_key(); the values as any value
 * is checked; the names by expr_check_names().  expr_check_values() sees to the
 * keys of values that are an Item already.
 *
 * "without" is what the request should have had for values to be allowed, where
 * its text says so: "FilterExpression is null", or "UpdateExpression and
 * ConditionExpression are null"; an empty string where it does not.  NULL: the
 * request has an expression.
 *
 * expr_check_unused() comes after all expressions of the request are parsed.
 */
extern ExprBindings *expr_bindings(int nnames, ExprName *names, const Item *values);
extern void expr_check_given(bool names, bool values, bool any_expression,
							 const char *without);
extern void expr_check_name_keys(int nnames, const ExprName *names);
extern void expr_check_value_count(int nvalues);
extern void expr_check_value_key(const char *key, size_t len);
extern void expr_check_values(const Item *values);
extern void expr_check_names(int nnames, const ExprName *names);
extern void expr_check_unused(const ExprBindings *bindings);

/* expr_parse.c */
extern ExprCondition *expr_parse_condition(ExprKind kind, const char *text,
										   ExprBindings *bindings);

/* Not bound, and good for expr_key_shape() only */
extern ExprCondition *expr_parse_outline(ExprKind kind, const char *text);
extern ExprProjection *expr_parse_projection(const char *text,
											 ExprBindings *bindings);
extern ExprUpdate *expr_parse_update(const char *text, ExprBindings *bindings);

extern ExprStep *expr_path_extend(ExprPath *path);

/* Raises ValidationException for a wrong size or syntax, and for no more */
extern void expr_check_syntax(ExprKind kind, const char *text);

/* expr_cond.c; a missing item (NULL) is an empty one */
extern bool expr_test(const ExprCondition *condition, const Item *item);

/*
 * expr_key.c: a KeyConditionExpression as a list of clauses in textual order,
 * checked as far as can be without a table.  It is parsed as a condition; this
 * check follows when all expressions of the request have been parsed and what
 * is unused has been reported.
 */
typedef enum ExprKeyOp
{
	EXPR_KEY_NONE,				/* no restriction */
	EXPR_KEY_EQ,
	EXPR_KEY_LT,
	EXPR_KEY_LE,
	EXPR_KEY_GT,
	EXPR_KEY_GE,
	EXPR_KEY_BETWEEN,			/* values[0] <= x <= values[1] */
	EXPR_KEY_BEGINS_WITH,
	EXPR_KEY_OTHER				/* of KeyConditions: what no key can have */
} ExprKeyOp;

typedef struct ExprKeyClause
{
	const char *name;			/* attribute, terminated */
	ExprKeyOp	op;
	ItemValue	values[2];
} ExprKeyClause;

typedef struct ExprKeyCondition
{
	int			nclauses;
	ExprKeyClause *clauses;
} ExprKeyCondition;

extern ExprKeyCondition *expr_key_condition(const ExprCondition *condition);

/* expr_search.c: the same of a SearchConditionExpression */
extern ExprKeyCondition *expr_search_condition(const ExprCondition *condition);

/* How many clauses of which kind has a condition that is not bound? */
typedef struct ExprKeyShape
{
	int			equal;
	int			inequalities;
	int			ranges;			/* BETWEEN, begins_with */
} ExprKeyShape;

extern void expr_key_shape(const ExprCondition *condition,
						   ExprKeyShape *shape);

/* expr_project.c */
extern Item *expr_project(const ExprProjection *projection, const Item *item);

/*
 * expr_update.c
 *
 * expr_update() applies an update to the item as it was ("old", NULL when
 * missing; then "key", the key attributes, is what it starts from).  Returns
 * NULL when the item was missing and the update creates none (REMOVE and
 * DELETE only).  Raises ValidationException for what only the item can show
 * (invalid document path, wrong operand type, missing attribute).  It touches
 * no table, holds nothing, and may be called inside PG_TRY.
 *
 * expr_updated_part() gives what UPDATED_OLD (from the old item) and
 * UPDATED_NEW (from the new one) return, NULL when nothing is left.
 */
extern Item *expr_update(const ExprUpdate *update, const Item *old,
						 const Item *key);
extern Item *expr_updated_part(const ExprUpdate *update, const Item *item);

/*
 * What an expression reads or writes, for checks that need a table: lists of
 * ExprPath *.  The paths an update writes are its targets.
 */
extern List *expr_condition_paths(const ExprCondition *condition);
extern List *expr_projection_paths(const ExprProjection *projection);
extern bool expr_path_starts_with(const ExprPath *path,
								  const char *attribute);
extern List *expr_update_paths(const ExprUpdate *update);	/* targets */
extern List *expr_update_sources(const ExprUpdate *update); /* paths read */
extern bool expr_update_touches(const ExprUpdate *update,
								const char *attribute);
extern bool expr_update_copies(const ExprUpdate *update, const char *attribute);
extern const ItemValue *expr_update_value(const ExprUpdate *update,
										  const char *attribute);

/*
 * expr_sql.c: names as SQL functions take them, JSON of an object of strings;
 * the result lies in the current context.  The argument is NULL if it is null.
 */
extern text *expr_names_arg(FunctionCallInfo fcinfo, int n);
extern ExprName *expr_names_from_json(const text *names, int *nnames);

/*
 * expr_legacy.c
 *
 * The legacy parameters compiled to the same trees.  Raises what their
 * operators and values can be refused for without a table; the shape of the
 * JSON (Exists, Value against AttributeValueList, ...) is the caller's.
 * Names and values are referred to, not copied.
 */
typedef enum ExprLegacyOp
{
	EXPR_LEGACY_EQ,
	EXPR_LEGACY_NE,
	EXPR_LEGACY_LE,
	EXPR_LEGACY_LT,
	EXPR_LEGACY_GE,
	EXPR_LEGACY_GT,
	EXPR_LEGACY_IN,
	EXPR_LEGACY_BETWEEN,
	EXPR_LEGACY_BEGINS_WITH,
	EXPR_LEGACY_CONTAINS,
	EXPR_LEGACY_NOT_CONTAINS,
	EXPR_LEGACY_NULL,			/* Expected: Exists false */
	EXPR_LEGACY_NOT_NULL
} ExprLegacyOp;

/* One member of KeyConditions, QueryFilter, ScanFilter or Expected. */
typedef struct ExprLegacyCondition
{
	const char *name;			/* attribute, terminated */
	ExprLegacyOp op;
	int			nvalues;
	const ItemValue *values;
} ExprLegacyCondition;

typedef enum ExprLegacyAction
{
	EXPR_LEGACY_PUT,
	EXPR_LEGACY_ADD,
	EXPR_LEGACY_DELETE
} ExprLegacyAction;

/* One member of AttributeUpdates. */
typedef struct ExprLegacyUpdate
{
	const char *name;			/* attribute, terminated */
	ExprLegacyAction action;
	const ItemValue *value;		/* NULL when not given */
} ExprLegacyUpdate;

extern bool expr_legacy_op_from_name(const char *name, ExprLegacyOp *op);
extern void expr_legacy_check_condition(const ExprLegacyCondition *condition);
extern ExprCondition *expr_legacy_condition(int nconditions,
											const ExprLegacyCondition *conditions,
											bool any);	/* OR; else AND */
extern ExprKeyCondition *expr_legacy_key_condition(int nconditions,
												   const ExprLegacyCondition *conditions);
extern ExprUpdate *expr_legacy_update(int nupdates,
									  const ExprLegacyUpdate *updates);
extern ExprProjection *expr_legacy_projection(int nnames,
											  const char *const *names);

/*
 * expr_build.c
 *
 * Trees from another language than the expressions (PartiQL).  The nodes are
 * made one by one, then expr_build_condition() and expr_build_update() check
 * what parsing an expression would check, in the same words but without the
 * name of a parameter.  Values and paths are referred to, not copied; lists
 * become part of the tree.
 */
typedef struct ExprColumn
{
	const char *name;			/* of the result's attribute; not terminated */
	uint32		namelen;
	const ExprPath *path;
} ExprColumn;

extern ExprNode *expr_build(ExprOp op, List *args); /* of ExprNode * */
extern ExprNode *expr_build_value(const ItemValue *value);
extern ExprNode *expr_build_path(ExprPath *path);
extern ExprAction *expr_build_action(ExprActionKind kind, ExprPath *target,
									 ExprNode *operand);	/* NULL: REMOVE */
extern ExprCondition *expr_build_condition(ExprNode *root);
extern ExprUpdate *expr_build_update(List *actions);

extern ExprProjection *expr_build_columns(List *columns);

extern bool expr_path_equal(const ExprPath *a, const ExprPath *b);

/*
 * expr_reads.c
 *
 * What of a table or index has to be read to find all items that meet a
 * condition.  "hash" and "range" (NULL: none) name the key attributes.
 */
#define EXPR_MAX_READS	50

typedef struct ExprRead
{
	ItemValue	hash;
	ExprKeyOp	op;				/* on the range attribute */
	ItemValue	values[2];
} ExprRead;

typedef struct ExprReads
{
	bool		keyed;			/* else everything has to be read */
	bool		alternatives;	/* the condition is an OR */
	bool		exact;			/* the reads say all that the condition says */
	int			nhashes;		/* partitions */
	int			nreads;
	ExprRead   *reads;			/* no two have an item in common */
} ExprReads;

extern ExprReads *expr_reads(const ExprCondition *condition, const char *hash,
							 const char *range);

extern bool expr_key_equality(const ExprCondition *condition,
							  const char *name, ItemValue *value, int *count);

extern int	expr_condition_terms(const ExprCondition *condition);

extern ExprCondition *expr_unless_missing(const char *attribute,
										  const ExprCondition *condition);

extern ExprCondition *expr_missing(const char *attribute);

#endif							/* DYNAMO_EXPR_H */
