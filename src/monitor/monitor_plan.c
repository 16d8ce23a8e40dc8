/*-------------------------------------------------------------------------
 *
 * monitor_plan.c
 *	  DescribePlan, an operation of ours: what another would do, as
 *	  dynamo.explain tells it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "monitor/monitor.h"

typedef struct PlanRequest
{
	const char *operation;
	const char *body;			/* its request, as JSON text */
} PlanRequest;

List	   *(*monitor_explain) (const char *operation, const char *body,
								size_t len);

static const WireShape text_shape = {.kind = WIRE_STRING, WIRE_MIN(1)};
static const WireShape request_shape = {
	.kind = WIRE_STRING, WIRE_MIN(1), .names = WIRE_NAMES_INSIDE
};

WIRE_REQUEST_SHAPE(monitor_plan_shape, PlanRequest, "DescribePlanInput",
				   WIRE_REQUIRED("Operation", text_shape, PlanRequest, operation),
				   WIRE_REQUIRED("Request", request_shape, PlanRequest, body));

static void append_step(StringInfo out, const MonitorStep *step);
static void text_member(StringInfo out, const char *name, const char *text);
static void number_member(StringInfo out, const char *name, double value);

/*
 * The operation is checked as if it were made, by the same client, its policies
 * and privileges included.
 */
void
monitor_describe_plan(DynamoRequest *request, StringInfo out)
{
	const PlanRequest *r = request->input;
	ListCell   *lc;

	appendStringInfoChar(out, '{');
	wire_member(out, "Steps");
	appendStringInfoChar(out, '[');
	foreach(lc, monitor_explain(r->operation, r->body, strlen(r->body)))
		append_step(out, lfirst(lc));
	appendStringInfoString(out, "]}");
}

/*
 * Figures are left out where they are not known, or not for the user.
 */
static void
append_step(StringInfo out, const MonitorStep *step)
{
	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Action", step->action);
	wire_string_member(out, "TableName", step->table_name);
	if (step->index_name != NULL)
		wire_string_member(out, "IndexName", step->index_name);
	wire_string_member(out, "Access", step->access);
	text_member(out, "Condition", step->condition);
	wire_boolean_member(out, "Backward", step->backward);
	if (step->estimated)
	{
		number_member(out, "ItemsRead", step->read);
		number_member(out, "ItemsReturned", step->returned);
		number_member(out, "ReadUnits", step->read_units);
		number_member(out, "WriteUnits", step->write_units);
	}
	text_member(out, "SlowReason", step->slow_reason);
	appendStringInfoChar(out, '}');
}

/*
 * A text in the encoding of the database; NULL: there is none.
 */
static void
text_member(StringInfo out, const char *name, const char *text)
{
	if (text != NULL)
		wire_string_member(out, name,
						   pg_server_to_any(text, strlen(text), PG_UTF8));
}

static void
number_member(StringInfo out, const char *name, double value)
{
	wire_member(out, name);
	appendStringInfo(out, "%.*f", value == rint(value) ? 0 : 1, value);
}
