/*-------------------------------------------------------------------------
 *
 * api_internal.h
 *	  What the files of the API share: request shapes, the operation table,
 *	  and the pieces of a response.
 *
 * A request is checked twice before a handler sees it.  The shape pass walks
 * the whole body and refuses what has the wrong JSON type
 * (SerializationException).  The constraint pass walks it again and collects
 * what breaks a rule of a single member (required, length, range, pattern,
 * enumeration) into one ValidationException.  Then api_fill() puts the members
 * where the handler's struct wants them.  All three are driven by the same
 * tables: a shape for each kind of value, a field for each member.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_INTERNAL_H
#define DYNAMO_API_INTERNAL_H

#include "postgres.h"

#include "api/api.h"
#include "lib/stringinfo.h"

/*
 * Kinds of values, and the C type that api_fill() stores for each.
 */
typedef enum ApiKind
{
	API_STRING,					/* const char *, NULL: absent; with choices: int,
								 * 0 absent, else 1 + its place among them */
	API_BOOLEAN,				/* ApiBoolean */
	API_INTEGER,				/* ApiInteger */
	API_LONG,					/* ApiInteger */
	API_NUMBER,					/* json_t *, a timestamp or a fraction */
	API_VALUE,					/* json_t *, an AttributeValue */
	API_LIST,					/* json_t * */
	API_MAP,					/* json_t * */
	API_STRUCT					/* json_t *, to be filled with its own shape */
} ApiKind;

/* A flag that may be missing. */
typedef enum ApiBoolean
{
	API_BOOLEAN_UNSET,
	API_FALSE,
	API_TRUE
} ApiBoolean;

typedef struct ApiShape ApiShape;
typedef struct ApiField ApiField;

struct ApiShape
{
	ApiKind		kind;
	const char *name;			/* STRUCT: its class, for messages */
	bool		has_min;
	int64		min;			/* least length, or value of a number */
	bool		has_max;
	int64		max;			/* greatest length, or value */
	bool		pattern;		/* must match [a-zA-Z0-9_.-]+ */
	bool		table;			/* a table's name: an ARN will do */
	bool		attribute;		/* an attribute's name: it has no NUL */
	bool		terse;			/* errors echo no value, see add_error() */
	const char *const *choices; /* enumeration, NULL-terminated, as printed */
	const ApiShape *element;	/* LIST, MAP: its values */
	const ApiShape *key;		/* MAP: rules for its keys; or NULL */
	const ApiField *fields;		/* STRUCT: ended by a NULL name */
};

/*
 * A member of a structure.  The order of a structure's fields is the order in
 * which broken constraints are listed.
 */
struct ApiField
{
	const char *name;
	const ApiShape *shape;
	bool		required;
	size_t		offset;			/* in the struct that api_fill() fills */
};

#define API_MIN(n)			.has_min = true, .min = (n)
#define API_MAX(n)			.has_max = true, .max = (n)
#define API_BETWEEN(a, b)	API_MIN(a), API_MAX(b)

/* A field of the struct "type" whose C member is "member". */
#define API_FIELD(json_name, field_shape, type, member) \
	{.name = json_name, .shape = &field_shape, \
	 .offset = offsetof(type, member)}
#define API_REQUIRED(json_name, field_shape, type, member) \
	{.name = json_name, .shape = &field_shape, .required = true, \
	 .offset = offsetof(type, member)}
#define API_FIELDS_END		{.name = NULL}

/* A structure of the fields that follow, and its shape. */
#define API_STRUCT_SHAPE(variable, class_name, ...) \
	static const ApiField variable##_fields[] = { \
		__VA_ARGS__, API_FIELDS_END \
	}; \
	static const ApiShape variable = { \
		.kind = API_STRUCT, .name = class_name, .fields = variable##_fields \
	}

/*
 * What a client is told when PostgreSQL gave up on a lock or lost a race:
 * ServiceUnavailable, since no read of the service conflicts with anything;
 * TransactionConflictException; that its transaction was cancelled; or
 * ResourceInUseException, for what changes a table.
 */
typedef enum ApiConflict
{
	API_CONFLICT_NONE,
	API_CONFLICT_WRITE,
	API_CONFLICT_TRANSACTION,
	API_CONFLICT_RESOURCE
} ApiConflict;

/*
 * One operation.  The handler gets the filled request, the struct of
 * "request_size" bytes that the shape's offsets refer to, and appends the
 * response's JSON object.
 */
typedef struct ApiOperation
{
	const char *name;
	const ApiShape *shape;
	size_t		request_size;
	void		(*handler) (const void *request, StringInfo out);
	ApiConflict conflict;
} ApiOperation;

/* The message of an error whose body has no text: a request that is no JSON. */
#define API_NO_TEXT "could not parse the request as a JSON object"

/* The message that goes with CancellationReasons. */
#define API_CANCELED \
	"Transaction cancelled, please refer cancellation reasons for specific reasons [%s]"

/* api_error.c */
extern bool api_lost_race(int sqlerrcode);

/* api_dispatch.c */
extern const ApiOperation *api_find_operation(const char *name);

/* The operations of each family; a row without a name ends them. */
extern const ApiOperation api_table_operations[];	/* api_table.c */
extern const ApiOperation api_ttl_operations[];	/* api_table_ttl.c */
extern const ApiOperation api_backup_operations[];	/* api_table_backup.c */
extern const ApiOperation api_absent_operations[];	/* api_table_absent.c */
extern const ApiOperation api_item_operations[];	/* api_item.c */
extern const ApiOperation api_query_operations[];	/* api_page.c */
extern const ApiOperation api_batch_operations[];	/* api_batch.c */
extern const ApiOperation api_transact_operations[];	/* api_transact.c */
extern const ApiOperation api_stream_operations[];	/* api_stream.c */

/* api_type.c */
extern void api_check_shape(const ApiShape *shape, const json_t *body);

/* api_validate.c */
extern void api_check_constraints(const ApiShape *shape, const json_t *body);

/* api_fill.c */
extern void api_fill(const ApiShape *shape, const json_t *object,
					 void *request);
extern json_t **api_members(const ApiShape *shape, const json_t *object);
extern int	api_choice(const ApiShape *shape, const char *text);
extern json_t *api_json_get(const json_t *object, const char *name);
extern const char *api_json_text(const json_t *value);
extern int64 api_json_integer(const json_t *value);
extern bool api_json_boolean(const char *text, bool *value);
extern const char *api_table_name(const char *name_or_arn);
extern bool api_is_name(const char *text);

/* api_shape.c: shapes that several operations use */
extern const ApiShape api_string_shape;
extern const ApiShape api_boolean_shape;
extern const ApiShape api_long_shape;
extern const ApiShape api_table_name_shape;
extern const ApiShape api_name_shape;	/* no ARN, 3 to 255 */
extern const ApiShape api_value_shape;
extern const ApiShape api_any_values_shape; /* inside L or M, for echoes */
extern const ApiShape api_item_shape;	/* name -> AttributeValue */
extern const ApiShape api_names_shape;
extern const ApiShape api_attributes_to_get_shape;
extern const ApiShape api_conditional_operator_shape;
extern const ApiShape api_comparison_operator_shape;
extern const ApiShape api_return_capacity_shape;
extern const ApiShape api_return_metrics_shape;
extern const ApiShape api_return_values_shape;
extern const ApiShape api_on_failure_shape;

/*
 * api_request.c
 */
typedef struct ApiParameter
{
	const char *name;
	bool		given;
	bool		expression;		/* else a legacy parameter */
} ApiParameter;

extern void api_check_mixing(const ApiParameter *parameters, int n);
extern ExprBindings *api_read_bindings(const json_t *names,
									   const json_t *values);
extern void api_check_key_paths(const TableDef *def, const List *paths);
extern void api_check_batch_key(const TableDef *def, const Item *item);
extern bool api_has_attribute(const Item *item, const KeyAttr *attr);
extern bool api_is_type(const ItemValue *value, char type);
extern bool api_path_starts_with(const ExprPath *path, const char *attribute);

/*
 * api_legacy.c: first the values of all members are read, later the rest is
 * checked and compiled.
 */
typedef struct ApiLegacyConditions ApiLegacyConditions;
typedef struct ApiLegacyUpdates ApiLegacyUpdates;

#define API_OR	1				/* ConditionalOperator, filled */

extern const ApiShape api_conditions_shape;
extern const ApiShape api_expected_shape;
extern const ApiShape api_attribute_updates_shape;

extern ExprProjection *api_legacy_projection(const json_t *attributes);
extern ApiLegacyConditions *api_legacy_read_conditions(const ApiShape *shape,
													   const json_t *map);
extern ExprCondition *api_legacy_expected(ApiLegacyConditions *all,
										  int conditional_operator);
extern void api_legacy_check_conditions(ApiLegacyConditions *all);
extern ExprCondition *api_legacy_filter(const ApiLegacyConditions *all,
										int conditional_operator);
extern ExprKeyCondition *api_legacy_key_condition(const ApiLegacyConditions *all);
extern ApiLegacyUpdates *api_legacy_read_updates(const json_t *map);
extern ExprUpdate *api_legacy_update(const ApiLegacyUpdates *all);

/*
 * api_item.c: one write, as a request of its own or an action of
 * TransactWriteItems.
 */
typedef struct ApiWriteRequest
{
	const char *table_name;
	json_t	   *item;			/* Item or Key */
	json_t	   *expected;
	json_t	   *attribute_updates;
	int			conditional_operator;
	const char *condition_expression;
	const char *update_expression;
	json_t	   *names;
	json_t	   *values;
	int			return_values;
	int			return_capacity;
	int			return_metrics;
	int			on_failure;
} ApiWriteRequest;

#define API_METRICS_SIZE		1	/* ReturnItemCollectionMetrics, filled */
#define API_ON_FAILURE_ALL_OLD	1	/* ReturnValuesOnConditionCheckFailure */

#define API_WRITE_EXPRESSION_FIELDS \
	API_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, ApiWriteRequest, on_failure), \
	API_FIELD("ConditionExpression", api_string_shape, ApiWriteRequest, condition_expression), \
	API_FIELD("ExpressionAttributeNames", api_names_shape, ApiWriteRequest, names), \
	API_FIELD("ExpressionAttributeValues", api_item_shape, ApiWriteRequest, values)

/* A write between its request and the engine. */
typedef struct ApiWritePlan
{
	const ApiWriteInput *input;
	EngineWrite write;
} ApiWritePlan;

extern void api_read_write(const ApiWriteRequest *request,
						   EngineAction action, ApiWriteInput *input);
extern void api_write_parse(const ApiWriteInput *input, ApiWritePlan *plan);
extern void api_write_bind(ApiWritePlan *plan, EngineTable *table);
extern bool api_write_shows(const ApiWriteInput *input);

/*
 * api_query.c and api_range.c: what a Query or Scan reads, the table or one of
 * its indexes.
 */
typedef struct ApiTarget
{
	const TableDef *def;
	const IndexDef *index;		/* NULL: the table */
	int			nhash;
	const KeyAttr *hash;
	int			nrange;
	const KeyAttr *range;
} ApiTarget;

extern const ApiTarget *api_query_target(const ApiQuery *query);
extern bool api_query_single(const ApiQuery *query);

extern void api_range_check_count(const ExprKeyCondition *condition,
								  bool index);
extern void api_range_query(const ApiTarget *target,
							const ExprKeyCondition *condition,
							const Item *start, EngineScanSpec *spec);
extern void api_range_scan(const ApiTarget *target, const Item *start,
						   EngineScanSpec *spec);

/*
 * api_capacity.c
 */
typedef enum ApiConsumedKind
{
	API_CONSUMED_PLAIN,
	API_CONSUMED_TRANSACT_READ,
	API_CONSUMED_TRANSACT_WRITE
} ApiConsumedKind;

/* One table's account of a request. */
typedef struct ApiConsumed
{
	const char *table_name;		/* as sent */
	const TableDef *def;
	ApiConsumedKind kind;
	double		table;
	double	   *indexes;		/* one for each of def->indexes */
	bool	   *touched;		/* has the index anything to show? */
} ApiConsumed;

extern bool api_wants_capacity(ApiCapacity mode);
extern ApiConsumed *api_consumed(const char *table_name, const TableDef *def);
extern void api_charge_get(ApiConsumed *consumed, const Item *item,
						   double factor);
extern void api_charge_scan(ApiConsumed *consumed, int i, uint64 bytes,
							double factor);
extern void api_charge_write(ApiConsumed *consumed, const Item *old_item,
							 const Item *new_item, double factor);
extern void api_consumed_member(StringInfo out, ApiCapacity mode,
								const ApiConsumed *consumed);
extern void api_consumed_list_member(StringInfo out, ApiCapacity mode,
									 const List *consumed);
extern void api_append_metrics(StringInfo out, const TableDef *def,
							   const Item *item);

/* ItemCollectionMetrics of several tables. */
typedef struct ApiMetrics ApiMetrics;

extern ApiMetrics *api_metrics(void);
extern void api_metrics_add(ApiMetrics *metrics, const char *table_name,
							const TableDef *def, const Item *item);
extern void api_metrics_member(StringInfo out, const ApiMetrics *metrics);

/* api_token.c */
extern bool api_token_replay(const char *token, const json_t *items, int n,
							 int64 **sizes);
extern void api_token_keep(const char *token, const json_t *items, int n,
						   const int64 *sizes);

/*
 * api_response.c: members of a response.  api_member() begins one: a comma if
 * the object already has members, then the quoted name and a colon;
 * api_element() begins an element of an array.
 */
extern void api_member(StringInfo out, const char *name);
extern void api_element(StringInfo out);
extern void api_append_string(StringInfo out, const char *text);
extern void api_string_member(StringInfo out, const char *name, const char *text);
extern void api_integer_member(StringInfo out, const char *name, int64 value);
extern void api_boolean_member(StringInfo out, const char *name, bool value);
extern void api_item_member(StringInfo out, const char *name, const Item *item);
extern void api_append_java_item(StringInfo out, const Item *item);

#endif							/* DYNAMO_API_INTERNAL_H */
