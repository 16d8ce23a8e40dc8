/*-------------------------------------------------------------------------
 *
 * operation_stat.c
 *	  Requests in the statistics: which operation, and what became of it.
 *
 * The door that lets a request in begins and ends it: operation_counted() does
 * both for a piece of work, and the HTTP server by itself, because it may try
 * a request again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "operation/operation_internal.h"

static StatsOutcome canceled_outcome(const ErrorData *error);

void
operation_stat_begin(DynamoRequest *request, StatsRequest *stats)
{
	request->stats = stats;
	stats_begin(stats, operation_number(request->operation));
}

/*
 * Do the work of a request, and count it, with its error if it raises one.
 * Requests that the work makes by SQL are inside this one.
 */
void
operation_counted(DynamoRequest *request, void (*work) (void *arg), void *arg)
{
	StatsRequest stats;

	operation_stat_begin(request, &stats);
	dynamo_request_enter(request);
	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		dynamo_request_leave(request);
		operation_stat_fail(request);
		PG_RE_THROW();
	}
	PG_END_TRY();
	dynamo_request_leave(request);
	stats_end(&stats, STATS_SUCCESS, NULL, NULL);
	request->stats = NULL;
}

/*
 * The request ends with the error being handled, which stays as it is.
 */
void
operation_stat_fail(DynamoRequest *request)
{
	MemoryContext caller = MemoryContextSwitchTo(request->context);
	ErrorData  *error = CopyErrorData();

	stats_end(request->stats, operation_outcome(request->operation, error),
			  NULL, NULL);
	FreeErrorData(error);
	MemoryContextSwitchTo(caller);
}

/*
 * What an error of the operation is in the statistics.
 */
StatsOutcome
operation_outcome(const Operation *op, const ErrorData *error)
{
	switch (wire_exception(error, op->conflict))
	{
		case DYNAMO_CONDITIONAL_CHECK_FAILED:
		case DYNAMO_DUPLICATE_ITEM:
			return STATS_CONDITION_FAILED;
		case DYNAMO_TRANSACTION_CONFLICT:
		case DYNAMO_TRANSACTION_IN_PROGRESS:
			return STATS_CONFLICT;
		case DYNAMO_TRANSACTION_CANCELED:
			return canceled_outcome(error);
		case DYNAMO_THROTTLING:
		case DYNAMO_PROVISIONED_THROUGHPUT_EXCEEDED:
			return STATS_THROTTLED;
		case DYNAMO_INTERNAL_SERVER_ERROR:
		case DYNAMO_SERVICE_UNAVAILABLE:
			return STATS_SYSTEM_ERROR;
		default:
			return STATS_USER_ERROR;
	}
}

/*
 * A transaction was cancelled for the first of its reasons.
 */
static StatsOutcome
canceled_outcome(const ErrorData *error)
{
	static const struct
	{
		const char *code;
		StatsOutcome outcome;
	}			codes[] = {
		{"ConditionalCheckFailed", STATS_CONDITION_FAILED},
		{"DuplicateItem", STATS_CONDITION_FAILED},
		{"TransactionConflict", STATS_CONFLICT},
		{"ThrottlingError", STATS_THROTTLED},
		{"ProvisionedThroughputExceeded", STATS_THROTTLED},
	};
	json_error_t json_error;
	json_t	   *fields = error->detail ?
		codec_load(error->detail, strlen(error->detail), &json_error) : NULL;
	size_t		i;
	json_t	   *reason;

	/* Without any, it has lost a race for a whole table. */
	if (fields == NULL && wire_lost_race(error->sqlerrcode))
		return STATS_CONFLICT;
	json_array_foreach(json_object_get(fields, "CancellationReasons"), i, reason)
	{
		const char *code = json_string_value(json_object_get(reason, "Code"));

		for (int k = 0; code != NULL && k < lengthof(codes); k++)
		{
			if (strcmp(codes[k].code, code) == 0)
				return codes[k].outcome;
		}
	}
	return STATS_USER_ERROR;
}
