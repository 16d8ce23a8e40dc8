/*-------------------------------------------------------------------------
 *
 * base_error.c
 *	  The one table of exceptions.
 *
 * An exception of the DynamoDB API travels as an ordinary PostgreSQL error:
 * its SQLSTATE says which exception it is, its message is AWS's text to the
 * letter, and members beyond the text (CancellationReasons, Item) are its
 * detail, a JSON object.  Table name and hint are for people in a session.
 * dynamo_exception_of() and dynamo_exception_type()
 * turn it back into an exception for an answer in JSON.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "lib/stringinfo.h"

#define CORAL_SERVICE	"com.amazon.coral.service#"
#define CORAL_VALIDATE	"com.amazon.coral.validate#"
#define CORAL_AVAILABILITY	"com.amazon.coral.availability#"
#define DYNAMODB		"com.amazonaws.dynamodb.v20120810#"

/* SQLSTATE NDnnn, nnn being the exception's row counted from 1. */
#define ND_SQLSTATE(row) \
	MAKE_SQLSTATE('N', 'D', '0', '0' + ((row) + 1) / 10, '0' + ((row) + 1) % 10)

static const char *const exception_types[DYNAMO_EXCEPTION_COUNT] = {
	[DYNAMO_VALIDATION] = CORAL_VALIDATE "ValidationException",
	[DYNAMO_SERIALIZATION] = CORAL_SERVICE "SerializationException",
	[DYNAMO_UNKNOWN_OPERATION] = CORAL_SERVICE "UnknownOperationException",
	[DYNAMO_RESOURCE_NOT_FOUND] = DYNAMODB "ResourceNotFoundException",
	[DYNAMO_RESOURCE_IN_USE] = DYNAMODB "ResourceInUseException",
	[DYNAMO_TABLE_NOT_FOUND] = DYNAMODB "TableNotFoundException",
	[DYNAMO_LIMIT_EXCEEDED] = DYNAMODB "LimitExceededException",
	[DYNAMO_CONDITIONAL_CHECK_FAILED] = DYNAMODB "ConditionalCheckFailedException",
	[DYNAMO_TRANSACTION_CANCELED] = DYNAMODB "TransactionCanceledException",
	[DYNAMO_TRANSACTION_CONFLICT] = DYNAMODB "TransactionConflictException",
	[DYNAMO_TRANSACTION_IN_PROGRESS] = DYNAMODB "TransactionInProgressException",
	[DYNAMO_IDEMPOTENT_PARAMETER_MISMATCH] = DYNAMODB "IdempotentParameterMismatchException",
	[DYNAMO_ITEM_COLLECTION_SIZE_LIMIT] = DYNAMODB "ItemCollectionSizeLimitExceededException",
	[DYNAMO_DUPLICATE_ITEM] = DYNAMODB "DuplicateItemException",
	[DYNAMO_ACCESS_DENIED] = CORAL_SERVICE "AccessDeniedException",
	[DYNAMO_INTERNAL_SERVER_ERROR] = DYNAMODB "InternalServerError",
	[DYNAMO_MISSING_AUTHENTICATION_TOKEN] = CORAL_SERVICE "MissingAuthenticationTokenException",
	[DYNAMO_INCOMPLETE_SIGNATURE] = CORAL_SERVICE "IncompleteSignatureException",
	[DYNAMO_INVALID_SIGNATURE] = CORAL_SERVICE "InvalidSignatureException",
	[DYNAMO_UNRECOGNIZED_CLIENT] = CORAL_SERVICE "UnrecognizedClientException",
	[DYNAMO_EXPIRED_ITERATOR] = DYNAMODB "ExpiredIteratorException",
	[DYNAMO_TRIMMED_DATA_ACCESS] = DYNAMODB "TrimmedDataAccessException",
	[DYNAMO_SERVICE_UNAVAILABLE] = DYNAMODB "ServiceUnavailable",
	[DYNAMO_POLICY_NOT_FOUND] = DYNAMODB "PolicyNotFoundException",
	[DYNAMO_GLOBAL_TABLE_NOT_FOUND] = DYNAMODB "GlobalTableNotFoundException",
	[DYNAMO_BACKUP_NOT_FOUND] = DYNAMODB "BackupNotFoundException",
	[DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE] = DYNAMODB "PointInTimeRecoveryUnavailableException",
	[DYNAMO_EXPORT_NOT_FOUND] = DYNAMODB "ExportNotFoundException",
	[DYNAMO_THROTTLING] = CORAL_AVAILABILITY "ThrottlingException",
	[DYNAMO_PROVISIONED_THROUGHPUT_EXCEEDED] = DYNAMODB "ProvisionedThroughputExceededException",
	[DYNAMO_TABLE_ALREADY_EXISTS] = DYNAMODB "TableAlreadyExistsException",
	[DYNAMO_TABLE_IN_USE] = DYNAMODB "TableInUseException",
	[DYNAMO_BACKUP_IN_USE] = DYNAMODB "BackupInUseException",
	[DYNAMO_INVALID_RESTORE_TIME] = DYNAMODB "InvalidRestoreTimeException",
	[DYNAMO_INVALID_EXPORT_TIME] = DYNAMODB "InvalidExportTimeException",
	[DYNAMO_EXPORT_CONFLICT] = DYNAMODB "ExportConflictException",
	[DYNAMO_IMPORT_NOT_FOUND] = DYNAMODB "ImportNotFoundException",
	[DYNAMO_IMPORT_CONFLICT] = DYNAMODB "ImportConflictException",
};

static void raise_exception(DynamoException e, const char *rule,
							const char *fields, const DynamoHelp *help,
							const char *fmt, va_list args)
			pg_attribute_noreturn() pg_attribute_printf(5, 0);

/*
 * Raise exception "e" with AWS's text.
 */
void
dynamo_error(DynamoException e, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_exception(e, NULL, NULL, NULL, fmt, args);
	va_end(args);
}

/*
 * The same with help for a user who is connected; NULL: none.
 */
void
dynamo_error_with_help(DynamoException e, const DynamoHelp *help,
					   const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_exception(e, NULL, NULL, help, fmt, args);
	va_end(args);
}

/*
 * The same with further members of the error body: "fields" is JSON text such
 * as "Item":{...}, or NULL; the detail is the object they make up.
 */
void
dynamo_error_with_fields(DynamoException e, const char *fields,
						 const DynamoHelp *help, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_exception(e, NULL, fields, help, fmt, args);
	va_end(args);
}

/*
 * The same for a broken rule that callers have to recognize; NULL: it is none
 * of these.
 */
void
dynamo_rule_error(DynamoException e, const char *rule, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_exception(e, rule, NULL, NULL, fmt, args);
	va_end(args);
}

/*
 * The same with help for a user who is connected.
 */
void
dynamo_rule_error_with_help(DynamoException e, const char *rule,
							const DynamoHelp *help, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_exception(e, rule, NULL, help, fmt, args);
	va_end(args);
}

/*
 * Was the error raised by dynamo_rule_error() for that rule?
 */
bool
dynamo_breaks(const ErrorData *error, const char *rule)
{
	return error->constraint_name && strcmp(error->constraint_name, rule) == 0;
}

/*
 * Has Citus found that a node is down, or has one that goes down said so?  The
 * end of this process itself is no error that could be caught.
 */
bool
dynamo_is_node_lost(int sqlerrcode)
{
	return ERRCODE_TO_CATEGORY(sqlerrcode) == ERRCODE_CONNECTION_EXCEPTION ||
		sqlerrcode == ERRCODE_ADMIN_SHUTDOWN ||
		sqlerrcode == ERRCODE_CRASH_SHUTDOWN ||
		sqlerrcode == ERRCODE_CANNOT_CONNECT_NOW;
}

void
dynamo_log_caught(const char *before, const ErrorData *error)
{
	ereport(LOG_SERVER_ONLY,
			(errcode(error->sqlerrcode),
			 errmsg_internal("%s%s", before, error->message),
			 error->detail ? errdetail_internal("%s", error->detail) : 0,
			 error->context ? errcontext_msg("%s", error->context) : 0));
}

/*
 * In PG_CATCH, of what other nodes have part in: if one of them could not be
 * reached, or was started again since Citus connected to it, the client is to
 * try again.  Citus raises some of these as internal errors.
 */
void
dynamo_rethrow_from_nodes(MemoryContext context)
{
	ErrorData  *error;

	if (geterrcode() != ERRCODE_INTERNAL_ERROR &&
		!dynamo_is_node_lost(geterrcode()))
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	error->sqlerrcode = ERRCODE_CONNECTION_FAILURE;
	error->constraint_name = pstrdup(DYNAMO_RULE_ANSWER);
	ReThrowError(error);
}

/*
 * A message put together.
 */
char *
dynamo_format(const char *fmt, va_list args)
{
	StringInfoData message;

	initStringInfo(&message);
	for (;;)
	{
		va_list		again;
		int			needed;

		va_copy(again, args);
		needed = appendStringInfoVA(&message, fmt, again);
		va_end(again);
		if (needed == 0)
			break;
		enlargeStringInfo(&message, needed);
	}
	return message.data;
}

/*
 * In PG_CATCH: a copy of the error, if that is exception "e"; any other one is
 * thrown on.  It lies in "context", which becomes the current one.  The
 * error is still the current one, too: FlushErrorState() ends it.
 */
ErrorData *
dynamo_caught(DynamoException e, MemoryContext context)
{
	ErrorData  *error;
	DynamoException caught;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	if (!dynamo_exception_of(error->sqlerrcode, &caught) || caught != e)
		PG_RE_THROW();
	return error;
}

/*
 * In ereport(): what an error says beside its message, as part of another.
 */
int
dynamo_rest_of(const ErrorData *error)
{
	errcode(error->sqlerrcode);
	if (error->detail)
		errdetail_internal("%s", error->detail);
	if (error->hint)
		errhint("%s", error->hint);
	if (error->context)
		errcontext("%s", error->context);
	return 0;
}

/*
 * Is this SQLSTATE one of ours?  Sets *e when it is.
 */
bool
dynamo_exception_of(int sqlerrcode, DynamoException *e)
{
	for (int row = 0; row < DYNAMO_EXCEPTION_COUNT; row++)
	{
		if (ND_SQLSTATE(row) == sqlerrcode)
		{
			*e = (DynamoException) row;
			return true;
		}
	}
	return false;
}

/*
 * The exception as it stands in "__type", namespace included.
 */
const char *
dynamo_exception_type(DynamoException e)
{
	return exception_types[e];
}

static void
raise_exception(DynamoException e, const char *rule, const char *fields,
				const DynamoHelp *help, const char *fmt, va_list args)
{
	static const DynamoHelp none = {NULL};

	if (help == NULL)
		help = &none;
	ereport(ERROR,
			(errcode(ND_SQLSTATE(e)),
			 errmsg_internal("%s", dynamo_format(fmt, args)),
			 rule ? err_generic_string(PG_DIAG_CONSTRAINT_NAME, rule) : 0,
			 fields ? errdetail_internal("{%s}", fields) : 0,
			 help->schema ? err_generic_string(PG_DIAG_SCHEMA_NAME, help->schema) : 0,
			 help->table ? err_generic_string(PG_DIAG_TABLE_NAME, help->table) : 0,
			 help->hint ? errhint("%s", help->hint) : 0));
}
