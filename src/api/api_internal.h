/*-------------------------------------------------------------------------
 *
 * api_internal.h
 *	  What the files of the operations on items share, and the table of all
 *	  commands.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_INTERNAL_H
#define DYNAMO_API_INTERNAL_H

#include "postgres.h"

#include "api/api.h"
#include "base/base_route.h"
#include "capacity/capacity.h"
#include "partiql/partiql.h"
#include "utils/array.h"
#include "utils/timestamp.h"
#include "wire/wire.h"

/* Which node of a cluster executes a request. */
typedef enum ApiPlace
{
	API_AT_ANY_NODE,
	API_AT_ITEMS,				/* that of its items, or a stream's records */
	API_AT_COORDINATOR			/* it changes what all nodes know of a table */
} ApiPlace;

/* What a request consists of. */
typedef enum ApiParts
{
	API_ONE,
	API_BATCH,
	API_TRANSACTION
} ApiParts;

/*
 * How policies check a request.  Its action is the operation, unless parts of
 * it have actions of their own.
 */
typedef enum ApiChecked
{
	API_CHECKED_BY_NAMES,		/* before it runs, on all that it names */
	API_CHECKED_ON_ALL,			/* before it runs, on "*" */
	API_CHECKED_LATER,			/* by the handler, when items are known */
	API_CHECKED_BY_PARTS		/* by the handler, each part as its action */
} ApiChecked;

/*
 * All that is known of an operation.  The handler gets the request as its shape
 * fills it and appends the response's JSON object, or nothing where the service
 * sends none.
 */
struct ApiOperation
{
	const char *name;			/* its action for policies, too */
	const char *service;		/* what its targets begin with */
	const WireShape *shape;
	void		(*handler) (const void *request, StringInfo out);
	WireConflict conflict;		/* what losing a race becomes */
	bool		writes;			/* so it is not tried again if its answer is
								 * lost */
	ApiPlace	place;
	ApiParts	parts;
	ApiChecked	checked;
	PolicyReach reach;			/* unless it is checked by its parts */
	bool		explained;		/* dynamo.explain() knows it */
	int			counts;			/* one of the bits below; 0: it counts none */
};

/* api_command.c */
extern const char *api_similar_operation(const char *name);
extern void api_name_operations(void);

/*
 * api_counted.c: operations that count what is wrong with a request, as "1
 * validation error detected: ".
 */
#define API_COUNTS_PUT		0x01
#define API_COUNTS_UPDATE	0x02
#define API_COUNTS_DELETE	0x04
#define API_COUNTS_QUERY	0x08

extern bool api_counts_error(const ApiOperation *op, const ErrorData *error);

/* api_attempt.c */
typedef void (*ApiWork) (void *arg);

extern ErrorData *api_attempt(ApiWork work, void *arg);
extern ErrorData *api_refusal(ApiWork work, void *arg);

/* api_coordinator.c */
extern bool api_is_for_coordinator(const ApiOperation *op);
extern void api_run_or_forward(const ApiOperation *op, const char *request,
							   size_t request_len, bool in_block,
							   ApiWork work, void *arg, StringInfo out);
extern void api_ask_node(const ApiOperation *op, const DynamoNode *node,
						 const char *request, size_t request_len,
						 StringInfo out);

/* api_item.c */
extern const WireShape api_get_item_shape;
extern const WireShape api_put_item_shape;
extern const WireShape api_update_item_shape;
extern const WireShape api_delete_item_shape;
extern void api_get_item(const void *request, StringInfo out);
extern void api_put_item(const void *request, StringInfo out);
extern void api_update_item(const void *request, StringInfo out);
extern void api_delete_item(const void *request, StringInfo out);

/* api_query.c */
extern const WireShape api_query_shape;
extern const WireShape api_scan_shape;
extern void api_query(const void *request, StringInfo out);
extern void api_scan(const void *request, StringInfo out);

/* api_batch.c */
extern const WireShape api_batch_get_item_shape;
extern const WireShape api_batch_write_item_shape;
extern void api_batch_get_item(const void *request, StringInfo out);
extern void api_batch_write_item(const void *request, StringInfo out);

/* api_transact_get.c, api_transact_write.c */
extern const WireShape api_transact_get_items_shape;
extern const WireShape api_transact_write_items_shape;
extern void api_transact_get_items(const void *request, StringInfo out);
extern void api_transact_write_items(const void *request, StringInfo out);

/* api_given.c */
extern Item *api_given_item(const ApiGivenItems *given, const json_t *json);

/* api_shape.c: shapes that several operations use */
extern const WireShape api_attributes_to_get_shape;
extern const char *const api_conditional_operators[];
extern const WireShape api_conditional_operator_shape;
extern const WireShape api_comparison_operator_shape;
extern const WireShape api_return_capacity_shape;
extern const WireShape api_return_metrics_shape;
extern const WireShape api_on_failure_shape;

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
extern void api_check_batch_key(const TableDef *def, const Item *item);

/*
 * api_policy.c: each does nothing if its request is NULL.  They check what is
 * about to be done, in its final form, and raise AccessDeniedException.
 */
extern void api_policy_operation(PolicyRequest *request,
								 const ApiOperation *op, const json_t *body);
extern void api_policy_get(PolicyRequest *request, const EngineTable *table,
						   const ExprProjection *projection,
						   EngineKey *const *keys, int nkeys);
extern void api_policy_write(PolicyRequest *request, const ApiWrite *w);
extern void api_policy_batch(PolicyRequest *request, const EngineTable *table,
							 EngineWrite *const *writes, int nwrites);

/*
 * api_legacy.c: first the values of all members are read, later the rest is
 * checked and compiled.
 */
typedef struct ApiLegacyConditions ApiLegacyConditions;
typedef struct ApiLegacyUpdates ApiLegacyUpdates;

#define API_OR	1				/* ConditionalOperator, filled */

extern const WireShape api_conditions_shape;
extern const WireShape api_expected_shape;
extern const WireShape api_attribute_updates_shape;

extern ExprProjection *api_legacy_projection(const json_t *attributes);
extern ApiLegacyConditions *api_legacy_read_conditions(const WireShape *shape,
													   const json_t *map,
													   ItemWording wording);
extern ExprCondition *api_legacy_expected(ApiLegacyConditions *all,
										  int conditional_operator);
extern void api_legacy_check_conditions(ApiLegacyConditions *all);
extern ExprCondition *api_legacy_filter(const ApiLegacyConditions *all,
										int conditional_operator);
extern ExprKeyCondition *api_legacy_key_condition(const ApiLegacyConditions *all);
extern ApiLegacyUpdates *api_legacy_read_updates(const json_t *map,
												 ItemWording wording);
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
	const ApiGivenItems *given; /* or NULL */
} ApiWriteRequest;

#define API_METRICS_SIZE		1	/* ReturnItemCollectionMetrics, filled */
#define API_ON_FAILURE_ALL_OLD	1	/* ReturnValuesOnConditionCheckFailure */

#define API_WRITE_EXPRESSION_FIELDS \
	WIRE_FIELD("ReturnValuesOnConditionCheckFailure", api_on_failure_shape, ApiWriteRequest, on_failure), \
	WIRE_FIELD("ConditionExpression", wire_string_shape, ApiWriteRequest, condition_expression), \
	WIRE_FIELD("ExpressionAttributeNames", wire_names_shape, ApiWriteRequest, names), \
	WIRE_FIELD("ExpressionAttributeValues", wire_item_shape, ApiWriteRequest, values)

extern void api_read_write(const ApiWriteRequest *request, bool alone,
						   ApiWrite *w);
/* What PartiQL says where an item is to be inserted that exists */
#define API_DUPLICATE_ITEM "Duplicate primary key exists in table"

extern void api_write_parse(ApiWrite *w);
extern void api_write_run(ApiWrite *w, EngineTable *table);
extern void api_write_bind(ApiWrite *w, EngineTable *table);

/*
 * api_reader.c and api_range.c: what a Query or Scan reads, the table or one of
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

/* Looks at the index, and at how it is to be read, of "input" only */
extern void api_find_target(const EngineTable *table,
							const ApiQueryInput *input, ApiTarget *target);
extern const EngineTable *api_reader_table(const ApiReader *query);
extern const ApiTarget *api_reader_target(const ApiReader *query);
extern const EngineScanSpec *api_reader_spec(const ApiReader *query);
extern bool api_reader_single(const ApiReader *query);
extern void api_reader_foresee(const ApiReader *query, int64 limit);

/* api_policy.c: a Query, a Scan */
extern void api_policy_read(const ApiQueryInput *input,
							const EngineTable *table, const ApiTarget *target,
							const EngineScanSpec *spec,
							const ExprCondition *filter,
							const ExprProjection *projection);

extern void api_range_query(const ApiTarget *target,
							const ExprKeyCondition *condition,
							const Item *start, EngineScanSpec *spec);
extern void api_range_scan(const ApiTarget *target, const Item *start,
						   EngineScanSpec *spec);

/*
 * api_statement.c: a PartiQL statement that has been read.
 */
typedef struct ApiStatement
{
	const PartiqlBound *bound;
	bool		consistent_read;
	bool		item_on_failure;
	PolicyRequest *policy;		/* the door's, to be checked; or NULL */
} ApiStatement;

/* api_policy.c: a SELECT */
extern void api_policy_select(PolicyRequest *request, const EngineTable *table,
							  const ApiTarget *target, const ExprReads *reads,
							  const PartiqlBound *bound);

extern const WireShape api_statement_shape; /* its text */
extern const WireShape api_parameters_shape;
extern const WireShape api_execute_statement_shape;
extern void api_execute_statement(const void *request, StringInfo out);
extern ItemValue *api_read_parameters(const json_t *parameters, int *n);

/*
 * api_select.c: the items that a SELECT reads.  A position is where a page
 * ended: in which read, and after which key (NULL: before its first item).
 */
typedef struct ApiSelectPosition
{
	int			read;
	const Item *key;
} ApiSelectPosition;

/*
 * api_select_begin() checks the statement, privileges included;
 * api_select_start() goes to a position (NULL: the beginning), and comes next.
 */
extern ApiSelectReader *api_select_begin(const ApiStatement *statement);
extern void api_select_start(ApiSelectReader *select,
							 const ApiSelectPosition *start);
extern const ApiTarget *api_select_target(const ApiSelectReader *select);

/* Is each read a whole key's, so that it costs what GetItem does? */
extern bool api_select_gets(const ApiSelectReader *select);

/* Where to go on after a row; false: there is nothing left to read */
extern bool api_select_position(const ApiSelectReader *select,
								const ApiRow *row,
								ApiSelectPosition *position);

/*
 * The next item read, whatever becomes of it; false at the end.  Of a key's
 * read "stored" is NULL if there is no item.
 */
extern bool api_select_step(ApiSelectReader *select, ApiRow *row);

/* The reader of the only read; NULL: there are several, or keys are read */
extern const ApiReader *api_select_only_reader(const ApiSelectReader *select);
extern void api_select_end(ApiSelectReader *select);

extern void api_check_key_type(const KeyAttr *attr, const ItemValue *value);

/*
 * Is the statement about one item of the table, by its whole key and nothing
 * else?  *more: there are further conditions.
 */
extern bool api_select_key(const ApiStatement *statement, const TableDef *def,
						   const Item **key, bool *more);

/* api_select_token.c */
extern char *api_select_token(const char *text, const json_t *parameters,
							  const ApiTarget *target,
							  const ApiSelectPosition *position);
extern void api_select_read_token(const char *token, const char *text,
								  const json_t *parameters,
								  const ApiTarget *target,
								  ApiSelectPosition *position);

/*
 * api_statement_write.c: from a statement to the write it stands for.  The
 * first step needs no table, the second sets the key and the condition.
 */
extern EngineAccess api_statement_access(const ApiStatement *statement);
extern void api_statement_write(const ApiStatement *statement, ApiWrite *w);
extern void api_statement_bind(const ApiStatement *statement,
							   const TableDef *def, ApiWrite *w);
extern void api_statement_execute(const ApiStatement *statement, ApiWrite *w);

/* api_statement_batch.c, api_statement_transact.c */
extern const WireShape api_batch_execute_statement_shape;
extern const WireShape api_execute_transaction_shape;
extern void api_batch_execute_statement(const void *request, StringInfo out);
extern void api_execute_transaction(const void *request, StringInfo out);

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
	double		failed;			/* of writes that failed: in no arm */
	double	   *indexes;		/* one for each of def->indexes */
	bool	   *touched;		/* has the index anything to show? */
	const EngineKey *key;		/* of the item it is about; NULL: of several */
	uint64		partition;		/* hash of the one partition key of the table,
								 * or of an index, that it is all about; 0: of
								 * several */
	int			partition_arm;	/* that index's place; -1: the table */
} ApiConsumed;

extern bool api_wants_capacity(ApiCapacity mode);
extern ApiConsumed *api_consumed(const char *table_name, const TableDef *def);
extern void api_charge_get(ApiConsumed *consumed, const Item *item,
						   double factor);
extern void api_charge_scan(ApiConsumed *consumed, int i, uint64 bytes,
							double factor);
extern void api_charge_write(ApiConsumed *consumed, const Item *old_item,
							 const Item *new_item, double factor);
extern void api_charge_failed(ApiConsumed *consumed, const Item *old_item,
							  const Item *new_item);
extern void api_charge_new(ApiConsumed *consumed, const Item *item);
extern void api_consumed_member(StringInfo out, ApiCapacity mode,
								const ApiConsumed *consumed);
extern void api_consumed_list_member(StringInfo out, ApiCapacity mode,
									 const List *consumed);
extern void api_append_metrics(StringInfo out, const TableDef *def,
							   const Item *item);

/*
 * api_throttle.c
 *
 * Where dynamo.enforce_throughput limits what requests take, by dynamo.call and
 * by HTTP.  Those that limit raise ProvisionedThroughputExceededException or
 * ThrottlingException, and so roll back what was done.  Those that admit tell
 * instead, so that a batch can leave the item to its client.
 */
extern bool api_limits(void);
extern void api_limit_begin(void);
extern void api_limit_end(void);
extern void api_limit_get(const TableDef *def, const EngineKey *key,
						  const Item *item, double factor);
extern void api_limit_write(const EngineWrite *write);
extern void api_limit_page(ApiConsumed *consumed, const ApiReader *reader);
extern void api_limit_gets(const ApiTransactGot *got, const EngineGet *gets,
						   int n);
extern void api_limit_writes(EngineWrite **writes, int n,
							 EngineReason *reasons);

/* What a batch has not had room for, in the throughput of its tables. */
typedef struct ApiThrottle
{
	CapacityRefusal refusal;
	const TableDef *def;
	const IndexDef *index;		/* NULL: the table */
	CapacityKind kind;
} ApiThrottle;

extern bool api_admits_get(const TableDef *def, const EngineKey *key,
						   const Item *item, double factor,
						   ApiThrottle *refused);
extern bool api_admits_write(const EngineWrite *write, ApiThrottle *refused);
extern void api_take_write(const EngineWrite *write);
extern void api_refuse(const ApiThrottle *refused) pg_attribute_noreturn();

extern double api_read_units(const Item *item);
extern double api_write_units(const Item *old_item, const Item *new_item);

/*
 * api_plan.c: a key as a KeyConditionExpression with its values in place
 */
extern char *api_plan_key(const TableDef *def, const EngineKey *key);

/*
 * What explains readers, while engine_explain is set; or else NULL
 */
extern void (*api_explain_range) (const ApiReader *query, bool filtered);

/*
 * api_used.c
 */

/* What a stream of items has read. */
typedef struct ApiTally
{
	bool		wanted;			/* somebody counts; set at the beginning */
	uint64		bytes;			/* of entries */
	double		gets;			/* units of single items */
	int64		returned;
} ApiTally;

extern void api_count_get(const TableDef *def, const EngineKey *key,
						  const Item *item, double factor);
extern void api_count_write(const TableDef *def, const EngineKey *key,
							const Item *old_item, const Item *new_item,
							double factor);
extern void api_count_partition(const ApiTarget *target,
								const EngineScanSpec *spec);
extern void api_count_account(const ApiConsumed *consumed, int64 returned,
							  bool written);
extern void api_count_key(const TableDef *def, const IndexDef *index,
						  StatsKeyEvent event, const ItemValue *hash,
						  const ItemValue *range);
extern void api_tally_row(ApiTally *tally, const ApiRow *row, bool get);
extern void api_count_tally(const ApiTally *tally, const ApiTarget *target,
							bool gets);

/* ItemCollectionMetrics of several tables. */
typedef struct ApiMetrics ApiMetrics;

extern ApiMetrics *api_metrics(void);
extern void api_metrics_add(ApiMetrics *metrics, const char *table_name,
							const TableDef *def, const Item *item);
extern void api_metrics_member(StringInfo out, const ApiMetrics *metrics);

/*
 * api_transact.c
 */
typedef struct ApiTransactRequest
{
	json_t	   *items;
	int			return_capacity;
	int			return_metrics;
	const char *token;
} ApiTransactRequest;

/* A transaction of writes on its way. */
typedef struct ApiTransaction
{
	int			n;
	ApiWrite   *writes;
	EngineReason *reasons;
	List	   *tables;			/* opened, see api_transact_open() */
} ApiTransaction;

extern void api_transact_finish(const ApiTransactRequest *request,
								ApiTransaction *transaction, StringInfo out);
extern void api_transact_append_got(const ApiTransactRequest *request,
									const ApiTransactGot *got, int n,
									StringInfo out);

/* What a transaction may carry, there or back */
#define API_MAX_PAYLOAD (4 * 1024 * 1024)

extern ApiTransactRequest *api_transact_read(DynamoParsedCache *cache,
											 const WireShape *shape,
											 const char *items, size_t len,
											 const ApiGivenItems *given);
extern const json_t *api_transact_parse(const WireShape *shape,
										const char *text);
extern void api_transact_check_bytes(uint64 bytes);
extern EngineTable *api_transact_open(List **tables, const char *name,
									  EngineAccess access);
extern void api_transact_close(List *tables);
extern void api_transact_check_keys(const EngineGet *items, int n);
extern void api_transact_cancel(const EngineReason *reasons, int n,
								const bool *show_item)
			pg_attribute_noreturn();
extern bool api_transact_accept(ApiWork bind, void *arg, const char *but,
								EngineReason *reason);
extern char *api_transact_reasons(const EngineReason *reasons, int n,
								  const bool *show_item);
extern ApiConsumed *api_transact_account(List **accounts, const char *name,
										 const TableDef *def,
										 ApiConsumedKind kind);

/* api_token.c */
#define API_TOKEN_LIFETIME	(10 * USECS_PER_MINUTE)

/* A ClientRequestToken, and the n actions that it was sent with. */
typedef struct ApiToken
{
	const char *text;
	const json_t *items;
	int			n;
	bool		shared;			/* all nodes of a cluster know it */
} ApiToken;

/* What is kept for a token. */
typedef struct ApiTokenRow
{
	bytea	   *request;		/* a digest */
	ArrayType  *sizes;			/* of int8 */
	TimestampTz created_at;
} ApiTokenRow;

extern bool api_token_replay(const ApiToken *token, int64 **sizes);
extern void api_token_keep(const ApiToken *token, const int64 *sizes);

/* api_token_shared.c */
extern bool api_shared_token_claim(const char *token, List **rows);
extern void api_shared_tokens_expire(void);
extern void api_shared_token_store(const char *token, const ApiTokenRow *row);

#endif							/* DYNAMO_API_INTERNAL_H */
