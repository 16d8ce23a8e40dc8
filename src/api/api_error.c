/*-------------------------------------------------------------------------
 *
 * api_error.c
 *	  From a PostgreSQL error back to the error body of the service.
 *
 * DynamoDB's own exceptions come back as they were raised (base_error.c).
 * Errors of PostgreSQL that a client can be expected to understand are
 * translated; all others become InternalServerError, whose text says nothing
 * of what went on inside.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "api/api_internal.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

static DynamoException exception_of(const char *operation,
									const ErrorData *error,
									const char **message);
static const char *text_member(DynamoException e);

/* A PostgreSQL error and what a client of the service gets for it. */
typedef struct Translation
{
	int			sqlerrcode;
	DynamoException exception;
	const char *message;
} Translation;

#define CONFLICT "Transaction is ongoing for the item"

static const Translation translations[] = {
	{ERRCODE_T_R_SERIALIZATION_FAILURE, DYNAMO_TRANSACTION_CONFLICT, CONFLICT},
	{ERRCODE_T_R_DEADLOCK_DETECTED, DYNAMO_TRANSACTION_CONFLICT, CONFLICT},
	{ERRCODE_LOCK_NOT_AVAILABLE, DYNAMO_TRANSACTION_CONFLICT, CONFLICT},
	{ERRCODE_INSUFFICIENT_PRIVILEGE, DYNAMO_ACCESS_DENIED, NULL},
};

/*
 * Append the error body for "error", caught while running "operation" (NULL:
 * none was found), and tell the HTTP status.
 */
StringInfo
api_error_json(const char *operation, const ErrorData *error,
			   int *http_status)
{
	StringInfo	out = makeStringInfo();
	const char *message;
	DynamoException e = exception_of(operation, error, &message);

	*http_status = e == DYNAMO_INTERNAL_SERVER_ERROR ? 500 : 400;
	appendStringInfoChar(out, '{');
	api_string_member(out, "__type", dynamo_exception_type(e));
	if (message != NULL && strcmp(message, API_NO_TEXT) != 0 &&
		e != DYNAMO_UNKNOWN_OPERATION)
		api_string_member(out, text_member(e), message);
	if (error->detail != NULL &&
		(e == DYNAMO_TRANSACTION_CANCELED || e == DYNAMO_CONDITIONAL_CHECK_FAILED))
	{
		appendStringInfoChar(out, ',');
		appendStringInfoString(out, error->detail);
	}
	appendStringInfoChar(out, '}');
	return out;
}

static DynamoException
exception_of(const char *operation, const ErrorData *error,
			 const char **message)
{
	const ApiOperation *op = operation ? api_find_operation(operation) : NULL;
	DynamoException e;

	*message = error->message;
	if (dynamo_exception_of(error->sqlerrcode, &e))
		return e;

	for (int i = 0; i < lengthof(translations); i++)
	{
		const Translation *t = &translations[i];

		if (t->sqlerrcode != error->sqlerrcode)
			continue;
		if (t->message != NULL)
			*message = t->message;

		/*
		 * A transaction that loses is cancelled, with no reason to single out
		 * an action; its client retries both exceptions alike.
		 */
		if (t->exception != DYNAMO_TRANSACTION_CONFLICT ||
			(op != NULL && op->writes_items))
			return t->exception;
		break;
	}
	*message = "The request processing has failed because of an unknown error, exception or failure.";
	return DYNAMO_INTERNAL_SERVER_ERROR;
}

/*
 * The member that carries the text: the service's model spells it with a
 * capital in these.
 */
static const char *
text_member(DynamoException e)
{
	switch (e)
	{
		case DYNAMO_SERIALIZATION:
		case DYNAMO_ACCESS_DENIED:
		case DYNAMO_TRANSACTION_CANCELED:
		case DYNAMO_TRANSACTION_IN_PROGRESS:
		case DYNAMO_IDEMPOTENT_PARAMETER_MISMATCH:
			return "Message";
		default:
			return "message";
	}
}

/*
 * Run one operation in a subtransaction.  Where it raises, undo what it did
 * and return the error body instead of the response.
 */
StringInfo
api_try_call(const char *operation, const char *request, size_t request_len)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	StringInfo	volatile out = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		out = api_call(operation, request, request_len);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;
		int			http_status;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;

		/* A cancelled query is not an answer. */
		if (ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
			ERRCODE_TO_CATEGORY(ERRCODE_QUERY_CANCELED))
			ReThrowError(error);
		out = api_error_json(operation, error, &http_status);
	}
	PG_END_TRY();

	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return out;
}
