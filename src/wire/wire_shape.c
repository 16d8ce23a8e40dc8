/*-------------------------------------------------------------------------
 *
 * wire_shape.c
 *	  Shapes that operations of all kinds use.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "wire/wire.h"

const WireShape wire_string_shape = {.kind = WIRE_STRING};
const WireShape wire_boolean_shape = {.kind = WIRE_BOOLEAN};
const WireShape wire_long_shape = {.kind = WIRE_LONG};

/* Seconds since 1970, of which wire_given_time() makes a time. */
const WireShape wire_time_shape = {.kind = WIRE_NUMBER};

const WireShape wire_value_shape = {.kind = WIRE_VALUE};
const WireShape wire_unserved_shape = {.kind = WIRE_UNSERVED};

const WireShape wire_any_values_shape = {
	.kind = WIRE_MAP, .element = &wire_value_shape
};

const WireShape wire_table_name_shape = {
	.kind = WIRE_STRING, .pattern = true, .table = true,
	.names = WIRE_NAMES_RESOURCE, WIRE_BETWEEN(1, DYNAMO_MAX_NAME)
};
const WireShape wire_name_shape = {
	.kind = WIRE_STRING, .pattern = true, WIRE_BETWEEN(DYNAMO_MIN_NAME, DYNAMO_MAX_NAME)
};
const WireShape wire_bare_table_shape = {
	.kind = WIRE_STRING, .pattern = true, .names = WIRE_NAMES_RESOURCE,
	WIRE_BETWEEN(DYNAMO_MIN_NAME, DYNAMO_MAX_NAME)
};
const WireShape wire_item_shape = {
	.kind = WIRE_MAP, .element = &wire_value_shape
};

static const WireShape name_shape = {
	.kind = WIRE_STRING, .attribute = true
};
const WireShape wire_names_shape = {
	.kind = WIRE_MAP, .element = &name_shape
};
