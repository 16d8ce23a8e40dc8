/*-------------------------------------------------------------------------
 *
 * api_handler.h
 *	  What the operations on items share, with those that stand on them: PartiQL
 *	  statements, and the table of operations.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_HANDLER_H
#define DYNAMO_API_HANDLER_H

#include "postgres.h"

#include "api/api.h"
#include "capacity/capacity_consumed.h"
#include "partiql/partiql.h"

/* api_attempt.c */
typedef void (*ApiWork) (void *arg);

extern ErrorData *api_attempt(ApiWork work, void *arg);
extern ErrorData *api_refusal(ApiWork work, void *arg);

/* api_item.c */
extern const WireShape api_get_item_shape;
extern const WireShape api_get_item_as_of_shape;
extern const WireShape api_put_item_shape;
extern const WireShape api_update_item_shape;
extern const WireShape api_delete_item_shape;
extern void api_get_item(DynamoRequest *request, StringInfo out);
extern void api_get_item_as_of(DynamoRequest *request, StringInfo out);
extern void api_put_item(DynamoRequest *request, StringInfo out);
extern void api_update_item(DynamoRequest *request, StringInfo out);
extern void api_delete_item(DynamoRequest *request, StringInfo out);

/* api_query.c */
extern const WireShape api_query_shape;
extern const WireShape api_scan_shape;
extern void api_query(DynamoRequest *request, StringInfo out);
extern void api_scan(DynamoRequest *request, StringInfo out);

/* api_batch.c */
extern const WireShape api_batch_get_item_shape;
extern const WireShape api_batch_write_item_shape;
extern void api_batch_get_item(DynamoRequest *request, StringInfo out);
extern void api_batch_write_item(DynamoRequest *request, StringInfo out);

/* api_transact_get.c, api_transact_write.c */
extern const WireShape api_transact_get_items_shape;
extern const WireShape api_transact_write_items_shape;
extern void api_transact_get_items(DynamoRequest *request, StringInfo out);
extern void api_transact_write_items(DynamoRequest *request, StringInfo out);

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
 * api_policy.c: each does nothing if its request, that of the table, has no
 * policies to be checked.  They check what is about to be done, in its final
 * form, and raise AccessDeniedException.
 */
extern void api_policy_get(const EngineTable *table,
						   const ExprProjection *projection,
						   TableKey *const *keys, int nkeys);
extern void api_policy_write(const ApiWrite *w);
extern void api_policy_batch(const EngineTable *table,
							 EngineWrite *const *writes, int nwrites);

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

/* api_policy.c: a search of a vector index */
extern void api_policy_search(const EngineTable *table,
							  const IndexDef *index);

/* api_policy.c: a SELECT */
extern void api_policy_select(const EngineTable *table,
							  const ApiTarget *target, const ExprReads *reads,
							  const PartiqlBound *bound);

/*
 * api_throttle.c
 *
 * Where dynamo.enforce_throughput limits what a request takes.  Those that
 * limit raise ProvisionedThroughputExceededException or ThrottlingException,
 * and so roll back what was done.  Those that admit tell instead, so that a
 * batch can leave the item to its client.
 */
extern void api_limit_get(const DynamoRequest *request, const TableDef *def,
						  const TableKey *key, const Item *item, double factor);
extern void api_limit_write(const DynamoRequest *request,
							const EngineWrite *write);
extern void api_limit_page(const DynamoRequest *request,
						   CapacityConsumed *consumed, const ApiReader *reader);
extern void api_limit_gets(const DynamoRequest *request,
						   const ApiTransactGot *got, const EngineGet *gets,
						   int n);
extern void api_limit_writes(const DynamoRequest *request,
							 EngineWrite **writes, int n,
							 EngineReason *reasons);

/* What a batch has not had room for, in the throughput of its tables. */
typedef struct ApiThrottle
{
	CapacityRefusal refusal;
	const TableDef *def;
	const IndexDef *index;		/* NULL: the table */
	CapacityKind kind;
} ApiThrottle;

extern bool api_admits_get(const DynamoRequest *request, const TableDef *def,
						   const TableKey *key, const Item *item,
						   double factor, ApiThrottle *refused);
extern bool api_admits_write(const DynamoRequest *request,
							 const EngineWrite *write, ApiThrottle *refused);
extern void api_take_write(const DynamoRequest *request,
						   const EngineWrite *write);
extern void api_refuse(const ApiThrottle *refused) pg_attribute_noreturn();

/*
 * api_plan.c: a key as a KeyConditionExpression with its values in place
 */
extern char *api_plan_key(const TableDef *def, const TableKey *key);
extern char *api_plan_partition(const TableDef *def, const ItemValue *hash);

/*
 * What a request that is told instead of done (DynamoRequest.explain) points
 * to: readers are told, too
 */
typedef struct ApiExplain
{
	EngineExplain engine;		/* must be first */
	void		(*range) (struct ApiExplain *explain, const ApiReader *query,
						  bool filtered);
} ApiExplain;

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

extern void api_count_get(const DynamoRequest *request, const TableDef *def,
						  const TableKey *key, const Item *item, double factor);
extern void api_count_write(const DynamoRequest *request, const TableDef *def,
							const TableKey *key, const Item *old_item,
							const Item *new_item, double factor);
extern void api_count_partition(const DynamoRequest *request,
								const ApiTarget *target,
								const EngineScanSpec *spec);
extern void api_count_account(const DynamoRequest *request,
							  const CapacityConsumed *consumed, int64 returned,
							  bool written);
extern bool api_counts_keys(const TableDef *def, const IndexDef *index);
extern void api_count_key(const TableDef *def, const IndexDef *index,
						  StatsKeyEvent event, const ItemValue *hash,
						  const ItemValue *range);
extern void api_tally_row(ApiTally *tally, const ApiRow *row, bool get);
extern void api_count_tally(const DynamoRequest *request,
							const ApiTally *tally, const ApiTarget *target,
							bool gets);

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
	const json_t *actions;		/* of TransactWriteItems, as they came; NULL:
								 * it is another request's */
} ApiTransaction;

extern void api_transact_finish(DynamoRequest *request,
								const ApiTransactRequest *given,
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
extern EngineTable *api_transact_open(DynamoRequest *request, List **tables,
									  const char *name, EngineAccess access);
extern void api_transact_close(List *tables);
extern void api_transact_check_keys(const EngineGet *items, int n);
/* Raises a lost race where the engine returns false */
extern void api_transact_read_items(EngineGet *gets, int n);
extern void api_transact_cancel(const EngineReason *reasons, int n,
								const bool *show_item)
			pg_attribute_noreturn();
extern bool api_transact_accept(ApiWork bind, void *arg, const char *but,
								EngineReason *reason);
extern char *api_transact_reasons(const EngineReason *reasons, int n,
								  const bool *show_item);
extern CapacityConsumed *api_transact_account(List **accounts, const char *name,
											  const TableDef *def,
											  CapacityConsumedKind kind);

#endif							/* DYNAMO_API_HANDLER_H */
