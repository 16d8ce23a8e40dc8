/*-------------------------------------------------------------------------
 *
 * monitor_filter.c
 *	  GetFilterMatches: which of some records a FilterCriteria lets through.
 *
 * So a filter is tried before an event source mapping has it, by the rules that
 * the mapping will go by.  It is about nothing but what the request brings.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler.h"
#include "miscadmin.h"
#include "monitor/monitor.h"

typedef struct FilterRequest
{
	const char *criteria;		/* both are JSON texts */
	const char *records;
} FilterRequest;

static const WireShape text_shape = {.kind = WIRE_STRING, WIRE_MIN(1)};

WIRE_REQUEST_SHAPE(monitor_filter_shape, FilterRequest, "GetFilterMatchesInput",
				   WIRE_REQUIRED("FilterCriteria", text_shape, FilterRequest, criteria),
				   WIRE_REQUIRED("Records", text_shape, FilterRequest, records));

static List *load_filters(const char *criteria);

/*
 * "Matches" has true or false for each record, in their order.
 */
void
monitor_filter_matches(DynamoRequest *request, StringInfo out)
{
	const FilterRequest *r = request->input;
	List	   *patterns = load_filters(r->criteria);
	json_error_t error;
	const json_t *records = codec_load(r->records, strlen(r->records), &error);

	if (!json_is_array(records))
		dynamo_error(DYNAMO_VALIDATION, "Records must be a JSON array of records");
	appendStringInfoChar(out, '{');
	wire_member(out, "Matches");
	appendStringInfoChar(out, '[');
	for (size_t i = 0; i < json_array_size(records); i++)
	{
		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		appendStringInfoString(out, handler_matches(patterns, json_array_get(records, i)) ?
							   "true" : "false");
	}
	appendStringInfoString(out, "]}");
}

/*
 * What is wrong with a filter is told in the words in which SQL tells it.
 */
static List *
load_filters(const char *criteria)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *volatile patterns = NIL;

	PG_TRY();
	{
		patterns = handler_load_filters(criteria);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (error->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE)
			PG_RE_THROW();
		FlushErrorState();
		dynamo_error(DYNAMO_VALIDATION, "%s", error->message);
	}
	PG_END_TRY();
	return patterns;
}
