/*-------------------------------------------------------------------------
 *
 * wire_error.c
 *	  From a PostgreSQL error back to the error body of the service.
 *
 * DynamoDB's own exceptions come back as they were raised (base_error.c).
 * Errors of PostgreSQL that a client can be expected to understand are
 * translated, and what users' constraints and triggers refuse; all others
 * become InternalServerError, whose text says nothing of what went on inside.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "wire/wire.h"

/* What an error body says. */
typedef struct ErrorBody
{
	DynamoException exception;
	const char *message;		/* or NULL */
	const char *fields;			/* further members, or NULL */
} ErrorBody;

/* A larger request is not parsed once more, for the sake of a name in it. */
#define MAX_SEARCHED	(1024 * 1024)

/* Where nobody knows which action met a conflict. */
#define CONFLICT_REASON \
	"\"CancellationReasons\":[{\"Code\":\"TransactionConflict\"," \
	"\"Message\":\"" DYNAMO_CONFLICT "\"}]"

static void translate_error(const ErrorData *error, WireConflict conflict,
							ErrorBody *body);
static bool is_refused(const ErrorData *error);
static const char *refusal(const ErrorData *error);
static void translate_race(WireConflict conflict, const ErrorData *error,
						   ErrorBody *body);
static char *reason_codes(const char *detail);
static const char *resource_of(const char *request, size_t len);
static bool has_members(DynamoException exception);
static const char *detail_members(const char *detail);
static const char *text_member(DynamoException e);

/*
 * The body {"__type":...,"message":...} of an error that was caught while
 * "action" ran for the current user on the request, and the HTTP status that
 * goes with it.  "conflict" says what a lost race is to that operation.
 */
StringInfo
wire_error_body(const ErrorData *error, WireConflict conflict,
				const char *action, const char *request, size_t request_len,
				int *http_status)
{
	StringInfo	out = makeStringInfo();
	ErrorBody	body = {0};

	translate_error(error, conflict, &body);
	if (body.exception == DYNAMO_ACCESS_DENIED && body.message == NULL)
		body.message = wire_denial(action, resource_of(request, request_len));
	*http_status = body.exception == DYNAMO_INTERNAL_SERVER_ERROR ? 500 :
		body.exception == DYNAMO_SERVICE_UNAVAILABLE ? 503 : 400;
	appendStringInfoChar(out, '{');
	wire_string_member(out, "__type", dynamo_exception_type(body.exception));
	if (body.message)
		wire_string_member(out, text_member(body.exception), body.message);
	if (body.fields)
		appendStringInfo(out, ",%s", body.fields);
	appendStringInfoChar(out, '}');
	return out;
}

/*
 * The exception of the service that the client gets for such an error.
 */
DynamoException
wire_exception(const ErrorData *error, WireConflict conflict)
{
	ErrorBody	body = {0};

	translate_error(error, conflict, &body);
	return body.exception;
}

/*
 * Which exception of the service an error is.  An error without one of its own
 * is InternalServerError, and its text stays on the server.  So does the text
 * of every refusal; the caller replaces it by the service's.
 */
static void
translate_error(const ErrorData *error, WireConflict conflict, ErrorBody *body)
{
	if (dynamo_exception_of(error->sqlerrcode, &body->exception))
	{
		body->message = error->message;
		if ((body->exception == DYNAMO_UNKNOWN_OPERATION &&
			 !dynamo_breaks(error, DYNAMO_RULE_ABSENT)) ||
			dynamo_breaks(error, DYNAMO_RULE_JSON))
			body->message = NULL;
		if (has_members(body->exception))
			body->fields = detail_members(error->detail);
	}
	else if (wire_lost_race(error->sqlerrcode))

		/* On a standby the race is with what the primary has done already. */
		translate_race(RecoveryInProgress() ? WIRE_CONFLICT_NONE : conflict,
					   error, body);
	else if (error->sqlerrcode == ERRCODE_READ_ONLY_SQL_TRANSACTION &&
			 RecoveryInProgress())
	{
		/* An SDK that tried again would ask the same server. */
		body->exception = DYNAMO_VALIDATION;
		body->message = DYNAMO_STANDBY;
	}
	else if (error->sqlerrcode == ERRCODE_READ_ONLY_SQL_TRANSACTION ||
			 (error->sqlerrcode == ERRCODE_CONNECTION_FAILURE &&
			  dynamo_breaks(error, DYNAMO_RULE_ANSWER)))
	{
		/*
		 * A server that is so for a while, or was a standby until now: it
		 * will write again.  A coordinator that is down comes back.
		 */
		body->exception = DYNAMO_SERVICE_UNAVAILABLE;
		body->message = DYNAMO_UNAVAILABLE;
	}
	else if (error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE)
		body->exception = DYNAMO_ACCESS_DENIED;
	else if (error->sqlerrcode == ERRCODE_PROGRAM_LIMIT_EXCEEDED &&
			 dynamo_breaks(error, DYNAMO_RULE_JSON_MEMORY))
	{
		body->exception = DYNAMO_VALIDATION;
		body->message = DYNAMO_INVALID "JSON text takes too much memory";
	}
	else if (is_refused(error))
	{
		body->exception = DYNAMO_VALIDATION;
		body->message = refusal(error);
	}
	else
	{
		body->exception = DYNAMO_INTERNAL_SERVER_ERROR;
		body->message = "The request processing has failed because of an unknown error, exception or failure.";
	}
}

/*
 * Has something that users have made refused the request: a constraint, a
 * domain, a trigger, a policy, an index, an event trigger?  It would refuse it
 * again, and an SDK repeats what looks like an internal error.  They raise
 * errors of these classes, or of those that SQL leaves to implementations and
 * users: letters from I on, digits from 5 on.  RAISE's own (P0) is among these,
 * and what is too large for an index (54).
 */
static bool
is_refused(const ErrorData *error)
{
	static const char *const classes[] = {
		"22",					/* data, in an expression of a constraint */
		"23",					/* constraints */
		"44",					/* WITH CHECK OPTION */
		"45",					/* other databases' SIGNAL */
	};
	static const char *const ours[] = {"53", "55", "57", "58", "72", "XX"};
	const char *state = unpack_sql_state(error->sqlerrcode);

	/*
	 * What our own tables refuse is a fault of ours.  A catalog refuses what
	 * somebody else has made meanwhile; the next attempt meets that.
	 */
	if (error->schema_name != NULL &&
		(strcmp(error->schema_name, "dynamo") == 0 ||
		 strcmp(error->schema_name, "dynamo_internal") == 0 ||
		 strcmp(error->schema_name, "pg_catalog") == 0))
		return false;
	for (int i = 0; i < lengthof(classes); i++)
	{
		if (strncmp(state, classes[i], 2) == 0)
			return true;
	}
	for (int i = 0; i < lengthof(ours); i++)
	{
		if (strncmp(state, ours[i], 2) == 0)
			return false;
	}
	return (state[0] >= '5' && state[0] <= '9') ||
		(state[0] >= 'I' && state[0] <= 'Z');
}

/*
 * What the client is told of that: the name of a constraint.  PostgreSQL's
 * texts, and those of triggers, may show the item, or what others have there.
 */
static const char *
refusal(const ErrorData *error)
{
	const char *name = error->constraint_name;

	if (name != NULL && strlen(name) < NAMEDATALEN &&
		(error->table_name != NULL || error->datatype_name != NULL))
		return psprintf("One or more parameter values were invalid: Constraint %s is violated",
						name);
	return "One or more parameter values were invalid: A constraint or a trigger has refused the request";
}

static void
translate_race(WireConflict conflict, const ErrorData *error, ErrorBody *body)
{
	switch (conflict)
	{
		case WIRE_CONFLICT_NONE:
			body->exception = DYNAMO_SERVICE_UNAVAILABLE;
			body->message = DYNAMO_UNAVAILABLE;
			break;
		case WIRE_CONFLICT_WRITE:
			body->exception = DYNAMO_TRANSACTION_CONFLICT;
			body->message = DYNAMO_CONFLICT;
			break;
		case WIRE_CONFLICT_TRANSACTION:
			body->exception = DYNAMO_TRANSACTION_CANCELED;
			body->message = psprintf(WIRE_CANCELED, reason_codes(error->detail));
			body->fields = detail_members(error->detail);
			if (body->fields == NULL)
				body->fields = CONFLICT_REASON;
			break;
		case WIRE_CONFLICT_RESOURCE:
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
		codec_load(detail, strlen(detail), &error) : NULL;
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
	json_t	   *body = len <= MAX_SEARCHED ?
		codec_load(request, len, &error) : NULL;
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
 * Does the exception have members beside its text?  A detail of any other one
 * is not for clients.
 */
static bool
has_members(DynamoException exception)
{
	return exception == DYNAMO_TRANSACTION_CANCELED ||
		exception == DYNAMO_CONDITIONAL_CHECK_FAILED ||
		exception == DYNAMO_PROVISIONED_THROUGHPUT_EXCEEDED ||
		exception == DYNAMO_THROTTLING;
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
		codec_load(detail, len, &error) == NULL)
		return NULL;
	return pnstrdup(detail + 1, len - 2);
}

/*
 * The text for a current user who may not do this.  "resource" is the end of
 * its ARN, such as "table/Shop"; NULL: any resource.
 */
char *
wire_denial(const char *action, const char *resource)
{
	const char *arn = "*";

	if (resource != NULL)
		arn = psprintf("arn:aws:dynamodb:%s:%s:%s", wire_region,
					   wire_account_id, resource);
	return wire_denial_on(action, arn);
}

/*
 * The same for a resource by its whole ARN, or "*".
 */
char *
wire_denial_on(const char *action, const char *arn)
{
	return psprintf("User: %s is not authorized to perform: dynamodb:%s on resource: %s",
					wire_user_arn(GetUserId()), action, arn);
}

/*
 * Does the error say that somebody else was faster?
 */
bool
wire_lost_race(int sqlerrcode)
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
