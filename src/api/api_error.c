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
#include "utils/resowner.h"

/* What an error body says. */
typedef struct ErrorBody
{
	DynamoException exception;
	const char *message;		/* or NULL */
	const char *fields;			/* further members, or NULL */
} ErrorBody;

#define CONFLICT "Transaction is ongoing for the item"

static void translate_error(const char *operation, const ErrorData *error,
							ErrorBody *body);
static const char *detail_members(const char *detail);
static bool lost_race(int sqlerrcode);
static const char *text_member(DynamoException e);

/*
 * The error body for "error", caught while running "operation" (NULL: none was
 * found), and the HTTP status that goes with it.
 */
StringInfo
api_error_json(const char *operation, const ErrorData *error,
			   int *http_status)
{
	StringInfo	out = makeStringInfo();
	ErrorBody	body = {0};

	translate_error(operation, error, &body);
	*http_status = body.exception == DYNAMO_INTERNAL_SERVER_ERROR ? 500 : 400;
	appendStringInfoChar(out, '{');
	api_string_member(out, "__type", dynamo_exception_type(body.exception));
	if (body.message)
		api_string_member(out, text_member(body.exception), body.message);
	if (body.fields)
		appendStringInfo(out, ",%s", body.fields);
	appendStringInfoChar(out, '}');
	return out;
}

/*
 * Which exception of the service an error is. What has no exception of its
 * own is InternalServerError, and its text stays on the server.
 */
static void
translate_error(const char *operation, const ErrorData *error,
				ErrorBody *body)
{
	const ApiOperation *op = operation ? api_find_operation(operation) : NULL;
	ApiConflict conflict = op ? op->conflict : API_CONFLICT_NONE;

	if (dynamo_exception_of(error->sqlerrcode, &body->exception))
	{
		body->message = error->message;
		if (body->exception == DYNAMO_UNKNOWN_OPERATION ||
			strcmp(error->message, API_NO_TEXT) == 0)
			body->message = NULL;
		if (body->exception == DYNAMO_TRANSACTION_CANCELED ||
			body->exception == DYNAMO_CONDITIONAL_CHECK_FAILED)
			body->fields = detail_members(error->detail);
	}
	else if (lost_race(error->sqlerrcode) && conflict == API_CONFLICT_WRITE)
	{
		body->exception = DYNAMO_TRANSACTION_CONFLICT;
		body->message = CONFLICT;
	}
	else if (lost_race(error->sqlerrcode) &&
			 conflict == API_CONFLICT_TRANSACTION)
	{
		/* Which action it was is not known any more. */
		body->exception = DYNAMO_TRANSACTION_CANCELED;
		body->message = "Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict]";
		body->fields = "\"CancellationReasons\":[{\"Code\":\"TransactionConflict\",\"Message\":\"" CONFLICT "\"}]";
	}
	else if (error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE)
	{
		body->exception = DYNAMO_ACCESS_DENIED;
		body->message = error->message;
	}
	else
	{
		body->exception = DYNAMO_INTERNAL_SERVER_ERROR;
		body->message = "The request processing has failed because of an unknown error, exception or failure.";
	}
}

/*
 * The members of a detail that is a JSON object, without its braces.  NULL
 * where it is none: a user's trigger may raise what it likes.
 */
static const char *
detail_members(const char *detail)
{
	json_error_t error;
	size_t		len = detail ? strlen(detail) : 0;

	if (len <= 2 || detail[0] != '{' || detail[len - 1] != '}' ||
		item_json_load(detail, len, &error) == NULL)
		return NULL;
	return pnstrdup(detail + 1, len - 2);
}

static bool
lost_race(int sqlerrcode)
{
	return sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE ||
		sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ||
		sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
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
