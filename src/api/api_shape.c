/*-------------------------------------------------------------------------
 *
 * api_shape.c
 *	  Shapes that several operations on items use.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"

/* Each in the order in which the service prints it, and its enum has it. */
static const char *const return_values[] = {
	"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW", NULL
};
static const char *const return_capacity[] = {"INDEXES", "TOTAL", "NONE", NULL};
static const char *const return_metrics[] = {"SIZE", "NONE", NULL};
static const char *const on_failure[] = {"ALL_OLD", "NONE", NULL};
const char *const api_conditional_operators[] = {"OR", "AND", NULL};
static const char *const comparison_operators[] = {
	"IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL",
	"NE", "LE", "BEGINS_WITH", "GE", "CONTAINS", NULL
};

static const WireShape attribute_name_shape = {
	.kind = WIRE_STRING, .attribute = true, WIRE_MAX(65535)
};
const WireShape api_attributes_to_get_shape = {
	.kind = WIRE_LIST, .element = &attribute_name_shape, WIRE_MIN(1)
};

const WireShape api_conditional_operator_shape = {
	.kind = WIRE_STRING, .choices = api_conditional_operators
};
const WireShape api_comparison_operator_shape = {
	.kind = WIRE_STRING, .choices = comparison_operators
};
const WireShape api_return_capacity_shape = {
	.kind = WIRE_STRING, .choices = return_capacity
};
const WireShape api_return_metrics_shape = {
	.kind = WIRE_STRING, .choices = return_metrics
};
const WireShape api_return_values_shape = {
	.kind = WIRE_STRING, .choices = return_values, .foremost = true
};
const WireShape api_on_failure_shape = {
	.kind = WIRE_STRING, .choices = on_failure
};
