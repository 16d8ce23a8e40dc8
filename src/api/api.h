/*-------------------------------------------------------------------------
 *
 * api.h
 *	  The operations on items.
 *
 * Callers with typed arguments (the SQL functions) fill an input struct below
 * and call the function that the JSON handler calls.  An input struct holds a
 * request without its JSON: names as sent, items packed, expressions still
 * text.  The functions check everything that depends on more than one member,
 * raise the exceptions of the service, and leave their results in the current
 * memory context.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_H
#define DYNAMO_API_H

#include "postgres.h"

#include "engine/engine.h"
#include "policy/policy.h"
#include "stats/stats.h"
#include "wire/wire.h"

/*
 * Enumerations of requests.  Zero is "not given"; the others stand in the
 * order in which the service prints them.
 */
typedef enum ApiReturnValues
{
	API_RETURN_UNSET,
	API_RETURN_ALL_NEW,
	API_RETURN_UPDATED_OLD,
	API_RETURN_ALL_OLD,
	API_RETURN_NONE,
	API_RETURN_UPDATED_NEW
} ApiReturnValues;

typedef enum ApiSelect
{
	API_SELECT_UNSET,
	API_SELECT_SPECIFIC_ATTRIBUTES,
	API_SELECT_COUNT,
	API_SELECT_ALL_ATTRIBUTES,
	API_SELECT_ALL_PROJECTED
} ApiSelect;

/* Shapes that arguments of SQL functions are held to, too. */
extern const WireShape api_return_values_shape;
extern const WireShape api_segment_shape;
extern const WireShape api_total_segments_shape;

/* GetItem */
typedef struct ApiGetInput
{
	DynamoRequest *request;		/* that it is of */
	const char *table_name;		/* name or ARN */
	const Item *key;
	const char *projection_expression;	/* or NULL */
	ExprBindings *bindings;		/* NULL: neither names nor values given */
	const ExprProjection *projection;	/* AttributesToGet, compiled; or NULL */
	bool		consistent_read;
	const TimestampTz *as_of;	/* SQL: read the past; NULL: the present */
} ApiGetInput;

typedef struct ApiGetOutput
{
	const TableDef *def;
	const Item *stored;			/* whole, as stored; NULL: there is none */
	const Item *item;			/* projected; NULL: there is none */
} ApiGetOutput;

/*
 * One write, from the door to the engine and back: PutItem, UpdateItem,
 * DeleteItem, or an action of TransactWriteItems.  Of "write" the door fills
 * the action, the item (or key), and condition and update where they come
 * compiled, from legacy parameters.
 */
typedef struct ApiWrite
{
	DynamoRequest *request;		/* that it is of */
	EngineWrite write;
	const char *table_name;		/* name or ARN */
	const char *condition_expression;	/* or NULL */
	const char *update_expression;	/* or NULL */
	ExprBindings *bindings;		/* NULL: neither names nor values given */
	ApiReturnValues return_values;
	bool		item_on_failure;	/* ConditionalCheckFailed carries the item */
	bool		insert;			/* a condition that fails means a duplicate */
	/* out */
	const TableDef *def;
	const Item *attributes;		/* what return_values asks for, or NULL */
} ApiWrite;

/* Query and Scan */
typedef struct ApiQueryInput
{
	DynamoRequest *request;		/* that it is of */
	bool		scan;			/* Scan, else Query */
	const char *table_name;		/* name or ARN */
	const char *index_name;		/* or NULL */
	const char *key_condition_expression;
	const char *filter_expression;
	const char *projection_expression;
	ExprBindings *bindings;		/* NULL: neither names nor values given */
	const ExprKeyCondition *key_condition;	/* KeyConditions, compiled */
	const ExprCondition *filter;	/* QueryFilter, ScanFilter, compiled */
	const ExprProjection *projection;	/* AttributesToGet, compiled */
	ApiSelect	select;
	bool		backward;
	bool		consistent_read;
	const Item *exclusive_start_key;	/* or NULL */
	WireInteger segment;
	WireInteger total_segments;
	bool		statement;		/* PartiQL: its rules and texts; the filter
								 * may test keys */
	bool		alternatives;	/* ... it is an OR, and need not be carried */
	const TimestampTz *as_of;	/* SQL: read the past; NULL: the present */
} ApiQueryInput;

/* A Query or Scan under way. */
typedef struct ApiReader ApiReader;

/* What became of one item that a Query or Scan has read. */
typedef struct ApiRow
{
	const Item *stored;			/* whole, as stored */
	const Item *entry;			/* what the index carries of it */
	const Item *item;			/* projected; NULL: the filter refused it */
	bool		fetched;		/* of an index: the table's item was needed */
} ApiRow;

/* One action of TransactWriteItems, as the SQL function reports it. */
typedef struct ApiTransactAction
{
	const char *table_name;
	const char *action;			/* "Put", "Update", "Delete", "ConditionCheck" */
} ApiTransactAction;

/* One answer of TransactGetItems */
typedef struct ApiTransactGot
{
	const char *table_name;
	const TableDef *def;
	const Item *stored;			/* whole, as stored; NULL: missing */
	const Item *item;			/* projected; NULL: missing */
} ApiTransactGot;

/* api_item.c */
extern void api_get(const ApiGetInput *input, ApiGetOutput *output);
extern void api_check_write(const ApiWrite *w);
extern void api_write(ApiWrite *w);

/*
 * api_reader.c
 *
 * api_reader_begin() checks everything, privileges included, and reads
 * nothing; api_reader_next() gives the next item that passes the filter,
 * projected, or NULL at the end: no pages, no limits.  api_reader_step() gives
 * every item read, passed or not, to count pages.  What both return lives until
 * the next call.  api_reader_count() is how many items have been read.
 */
extern ApiReader *api_reader_begin(const ApiQueryInput *input);
extern const Item *api_reader_next(ApiReader *query);
extern bool api_reader_step(ApiReader *query, ApiRow *row);
extern int64 api_reader_count(const ApiReader *query);
extern void api_reader_tell(const ApiReader *query);	/* counts what
														 * api_reader_next() has
														 * read */
extern void api_reader_end(ApiReader *query);

/*
 * api_plan.c: what a request reads, for EXPLAIN.  "index" is the btree it goes
 * through; "key" is the part of it that is read, as a KeyConditionExpression
 * with its values in place; NULL: all of it.
 */
typedef struct ApiPlan
{
	Oid			index;
	const char *key;
} ApiPlan;

extern void api_plan_reader(const ApiReader *query, ApiPlan *plan);

/* Raises what GetItem would raise before it reads */
extern void api_plan_get(const char *table_name, const Item *key,
						 ApiPlan *plan);

/*
 * api_given.c: items beside the JSON of a request, which stand-ins in it name.
 * Either all that the request has are given, or none is.
 */
typedef struct ApiGivenItems
{
	List	   *items;			/* Item * */
	const char *source;			/* the JSON with the items in it */
} ApiGivenItems;

extern void api_give_item(ApiGivenItems *given, Item *item, StringInfo json);

/*
 * api_transact_write.c and api_transact_get.c
 *
 * For a request.  "actions" and "gets" are TransactItems, a JSON array; Item,
 * Key and ExpressionAttributeValues in it are stand-ins if any item is given.
 * Both return how many actions there were, and in *done or *got what they
 * were.
 */
extern int	api_transact_write(DynamoRequest *request, const char *actions,
							   size_t len, const ApiGivenItems *given,
							   ApiTransactAction **done);
extern int	api_transact_get(DynamoRequest *request, const char *gets,
							 size_t len, const ApiGivenItems *given,
							 ApiTransactGot **got);

#endif							/* DYNAMO_API_H */
