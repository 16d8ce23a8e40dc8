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

/* Where nobody knows which action met a conflict. */
#define CONFLICT_REASON \
	"\"CancellationReasons\":[{\"Code\":\"TransactionConflict\"," \
	"\"Message\":\"" DYNAMO_CONFLICT "\"}]"

static void translate_error(const char *operation, const ErrorData *error,
							ErrorBody *body);
static void translate_race(ApiConflict conflict, const ErrorData *error,
						   ErrorBody *body);
static char *reason_codes(const char *detail);
static const char *resource_of(const char *request, size_t len);
static const char *detail_members(const char *detail);
static const char *text_member(DynamoException e);

/*
 * The error body for "error", caught while running "operation" (an empty
 * string: none was found), and the HTTP status that goes with it.
 */
StringInfo
api_error_json(const char *operation, const char *request, size_t request_len,
			   const ErrorData *error, int *http_status)
{
	StringInfo	out = makeStringInfo();
	ErrorBody	body = {0};

	translate_error(operation, error, &body);
	if (body.exception == DYNAMO_ACCESS_DENIED && body.message == NULL)
		body.message = engine_denial(operation,
									 resource_of(request, request_len));
	*http_status = body.exception == DYNAMO_INTERNAL_SERVER_ERROR ? 500 :
		body.exception == DYNAMO_SERVICE_UNAVAILABLE ? 503 : 400;
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
 * Which exception of the service an error is.  What has no exception of its
 * own is InternalServerError, and its text stays on the server.  So does the
 * text of a refusal, whoever refused; the caller puts the service's in place.
 */
static void
translate_error(const char *operation, const ErrorData *error,
				ErrorBody *body)
{
	const ApiOperation *op = api_find_operation(operation);

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
	else if (api_lost_race(error->sqlerrcode))
		translate_race(op ? op->conflict : API_CONFLICT_NONE, error, body);
	else if (error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE)
		body->exception = DYNAMO_ACCESS_DENIED;
	else
	{
		body->exception = DYNAMO_INTERNAL_SERVER_ERROR;
		body->message = "The request processing has failed because of an unknown error, exception or failure.";
	}
}

static void
translate_race(ApiConflict conflict, const ErrorData *error, ErrorBody *body)
{
	switch (conflict)
	{
		case API_CONFLICT_NONE:
			body->exception = DYNAMO_SERVICE_UNAVAILABLE;
			body->message = "The service is temporarily unavailable.";
			break;
		case API_CONFLICT_WRITE:
			body->exception = DYNAMO_TRANSACTION_CONFLICT;
			body->message = DYNAMO_CONFLICT;
			break;
		case API_CONFLICT_TRANSACTION:
			body->exception = DYNAMO_TRANSACTION_CANCELED;
			body->message = psprintf(API_CANCELED, reason_codes(error->detail));
			body->fields = detail_members(error->detail);
			if (body->fields == NULL)
				body->fields = CONFLICT_REASON;
			break;
		case API_CONFLICT_RESOURCE:
			body->exception = DYNAMO_RESOURCE_IN_USE;
			body->message = "Attempt to change a resource which is still in use";
			break;
	}
}

/*
 * The codes of the CancellationReasons in a detail.  There are none where the
 * race was lost before any action was at work: for a lock on a table.
 */
static char *
reason_codes(const char *detail)
{
	StringInfoData codes;
	json_error_t error;
	json_t	   *fields = detail ?
		item_json_load(detail, strlen(detail), &error) : NULL;
	size_t		i;
	json_t	   *reason;

	initStringInfo(&codes);
	json_array_foreach(json_object_get(fields, "CancellationReasons"), i, reason)
	{
		const char *code = json_string_value(json_object_get(reason, "Code"));

		appendStringInfo(&codes, "%s%s", i > 0 ? ", " : "", code ? code : "");
	}
	return codes.len > 0 ? codes.data : "TransactionConflict";
}

/*
 * The end of the ARN of the table a request is about, NULL where it does not
 * say.
 */
static const char *
resource_of(const char *request, size_t len)
{
	json_error_t error;
	json_t	   *body = item_json_load(request, len, &error);
	const char *name = json_string_value(json_object_get(body, "TableName"));
	const char *arn = json_string_value(json_object_get(body, "ResourceArn"));

	if (name != NULL && strncmp(name, "arn:", 4) != 0)
		return psprintf("table/%s", name);
	if (arn == NULL)
		arn = name;
	arn = arn ? strstr(arn, ":table/") : NULL;
	return arn ? arn + 1 : NULL;
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

/*
 * Does the error say that somebody else was faster?
 */
bool
api_lost_race(int sqlerrcode)
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
		out = api_error_json(operation, request, request_len, error,
							 &http_status);
	}
	PG_END_TRY();

	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return out;
}
