/*-------------------------------------------------------------------------
 *
 * api_dispatch.c
 *	  From an operation's name and a request's text to the response.
 *
 * What all operations have in common is done here once: parse, shape pass,
 * constraint pass, fill.  A handler sees a request that is well formed by
 * itself and checks what depends on several members or on the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "engine/engine.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

char	   *api_region;
char	   *api_account_id;
const char *api_host;

/* Targets of requests begin with the name of a service. */
#define DYNAMODB	"DynamoDB_20120810."
#define STREAMS		"DynamoDBStreams_20120810."

typedef struct Family
{
	const char *service;
	const ApiOperation *operations;
} Family;

static const Family families[] = {
	{DYNAMODB, api_item_operations},
	{DYNAMODB, api_query_operations},
	{DYNAMODB, api_batch_operations},
	{DYNAMODB, api_transact_operations},
	{DYNAMODB, api_table_operations},
	{DYNAMODB, api_ttl_operations},
	{DYNAMODB, api_backup_operations},
	{DYNAMODB, api_absent_operations},
	{STREAMS, api_stream_operations},
};

static const ApiOperation *find_operation(const char *service,
										  const char *name);
static json_t *check_envelope(const ApiOperation *op, const char *operation,
							  const char *request, size_t request_len);

/*
 * Settings of the API.  Initializes the layers below.
 */
void
api_init(void)
{
	engine_init();

	DefineCustomStringVariable("dynamo.region",
							   "Region in the ARNs of tables and indexes.",
							   NULL,
							   &api_region,
							   "us-east-1",
							   PGC_USERSET,
							   0,
							   NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.account_id",
							   "Account in the ARNs of tables and indexes.",
							   NULL,
							   &api_account_id,
							   "000000000000",
							   PGC_USERSET,
							   0,
							   NULL, NULL, NULL);
}

/*
 * The operation's row; NULL: there is no such operation.
 */
const ApiOperation *
api_find_operation(const char *name)
{
	return find_operation(NULL, name);
}

/*
 * The operation that a target names, as "DynamoDB_20120810.GetItem" does; NULL:
 * its service has no such operation.
 */
const char *
api_target_operation(const char *target)
{
	const char *dot = strchr(target, '.');
	const ApiOperation *op;

	if (dot == NULL)
		return NULL;
	op = find_operation(target, dot + 1);
	return op ? op->name : NULL;
}

/*
 * Look in the families of the service that "service" begins with, NULL: in
 * all.
 */
static const ApiOperation *
find_operation(const char *service, const char *name)
{
	for (int i = 0; i < lengthof(families); i++)
	{
		const Family *family = &families[i];

		if (service && strncmp(service, family->service,
							   strlen(family->service)) != 0)
			continue;
		for (const ApiOperation *op = family->operations; op->name; op++)
		{
			if (strcmp(op->name, name) == 0)
				return op;
		}
	}
	return NULL;
}

/*
 * The response is in the current memory context, and so is all that was
 * needed to make it: run each request in a context of its own.
 */
StringInfo
api_call(const char *operation, const char *request, size_t request_len)
{
	const ApiOperation *op = api_find_operation(operation);
	StringInfo	out = makeStringInfo();
	json_t	   *body = check_envelope(op, operation, request, request_len);
	void	   *filled;

	api_check_shape(op->shape, body);
	api_check_constraints(op->shape, body);

	filled = palloc0(op->request_size);
	api_fill(op->shape, body, filled);

	/* Read what is committed now, and what this transaction wrote before. */
	PushActiveSnapshot(GetTransactionSnapshot());
	op->handler(filled, out);
	PopActiveSnapshot();
	return out;
}

void
api_committed(void)
{
	schema_call_builder();
}

void
api_check_envelope(const char *operation, const char *request,
				   size_t request_len)
{
	(void) check_envelope(api_find_operation(operation), operation, request,
						  request_len);
}

/*
 * What can be wrong with a request whatever its operation is.  Returns it
 * parsed.
 */
static json_t *
check_envelope(const ApiOperation *op, const char *operation,
			   const char *request, size_t request_len)
{
	json_error_t error;
	json_t	   *body = item_json_load(request, request_len, &error);

	if (body == NULL)
		dynamo_error(DYNAMO_SERIALIZATION, API_NO_TEXT);
	if (op == NULL)
		dynamo_error(DYNAMO_UNKNOWN_OPERATION, "unknown operation \"%s\"",
					 operation);
	return body;
}
