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

static const ApiOperation *const families[] = {
	api_item_operations,
	api_query_operations,
	api_batch_operations,
	api_transact_operations,
	api_table_operations,
	api_ttl_operations,
	NULL
};

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
	for (int i = 0; families[i]; i++)
	{
		for (const ApiOperation *op = families[i]; op->name; op++)
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
	json_error_t error;
	json_t	   *body;
	void	   *filled;

	if (op == NULL)
		dynamo_error(DYNAMO_UNKNOWN_OPERATION, "unknown operation \"%s\"",
					 operation);
	body = item_json_load(request, request_len, &error);
	if (body == NULL)
		dynamo_error(DYNAMO_SERIALIZATION, API_NO_TEXT);
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
api_check_envelope(const char *operation, const char *request,
				   size_t request_len)
{
	json_error_t error;

	if (item_json_load(request, request_len, &error) == NULL)
		dynamo_error(DYNAMO_SERIALIZATION, API_NO_TEXT);
	if (api_find_operation(operation) == NULL)
		dynamo_error(DYNAMO_UNKNOWN_OPERATION, "unknown operation \"%s\"",
					 operation);
}
