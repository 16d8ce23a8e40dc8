/*-------------------------------------------------------------------------
 *
 * api_shape.c
 *	  Shapes that several operations use.
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
static const char *const conditional_operators[] = {"OR", "AND", NULL};
static const char *const comparison_operators[] = {
	"IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL",
	"NE", "LE", "BEGINS_WITH", "GE", "CONTAINS", NULL
};

const ApiShape api_string_shape = {.kind = API_STRING};
const ApiShape api_boolean_shape = {.kind = API_BOOLEAN};
const ApiShape api_long_shape = {.kind = API_LONG};
const ApiShape api_value_shape = {.kind = API_VALUE};

const ApiShape api_any_values_shape = {
	.kind = API_MAP, .element = &api_value_shape
};

const ApiShape api_table_name_shape = {
	.kind = API_STRING, .pattern = true, .table = true, API_BETWEEN(1, 255)
};
const ApiShape api_name_shape = {
	.kind = API_STRING, .pattern = true, API_BETWEEN(3, 255)
};
const ApiShape api_item_shape = {
	.kind = API_MAP, .element = &api_value_shape
};

static const ApiShape name_shape = {
	.kind = API_STRING, .attribute = true
};
const ApiShape api_names_shape = {
	.kind = API_MAP, .element = &name_shape
};
static const ApiShape attribute_name_shape = {
	.kind = API_STRING, .attribute = true, API_MAX(65535)
};
const ApiShape api_attributes_to_get_shape = {
	.kind = API_LIST, .element = &attribute_name_shape, API_MIN(1)
};

const ApiShape api_conditional_operator_shape = {
	.kind = API_STRING, .choices = conditional_operators
};
const ApiShape api_comparison_operator_shape = {
	.kind = API_STRING, .choices = comparison_operators
};
const ApiShape api_return_capacity_shape = {
	.kind = API_STRING, .choices = return_capacity
};
const ApiShape api_return_metrics_shape = {
	.kind = API_STRING, .choices = return_metrics
};
const ApiShape api_return_values_shape = {
	.kind = API_STRING, .choices = return_values
};
const ApiShape api_on_failure_shape = {
	.kind = API_STRING, .choices = on_failure
};
