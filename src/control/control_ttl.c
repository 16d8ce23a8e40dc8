/*-------------------------------------------------------------------------
 *
 * control_ttl.c
 *	  UpdateTimeToLive, DescribeTimeToLive.
 *
 * A change is made when UpdateTimeToLive returns.  Until the worker has built
 * the index on the expiry, no item expires, and no promise is broken.
 * ENABLING is shown only if that index is missing for another reason, such as
 * a restore.  A second change within the hour is allowed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

typedef struct TtlRequest
{
	const char *table_name;
	json_t	   *specification;
} TtlRequest;

typedef struct TtlSpecification
{
	WireBoolean enabled;
	const char *attribute;
} TtlSpecification;

static void check_change(const TableDef *def,
						 const TtlSpecification *specification);

static const WireShape attribute_shape = {
	.kind = WIRE_STRING, .attribute = true, WIRE_BETWEEN(1, 255)
};

static const WireField specification_fields[] = {
	WIRE_REQUIRED("Enabled", wire_boolean_shape, TtlSpecification, enabled),
	WIRE_REQUIRED("AttributeName", attribute_shape, TtlSpecification, attribute),
	WIRE_FIELDS_END
};
static const WireShape specification_shape = {
	.kind = WIRE_STRUCT, .name = "TimeToLiveSpecification",
	.fields = specification_fields
};

static const WireField update_fields[] = {
	WIRE_FIELD("TableName", control_table_name_shape, TtlRequest, table_name),
	WIRE_REQUIRED("TimeToLiveSpecification", specification_shape, TtlRequest, specification),
	WIRE_FIELDS_END
};
const WireShape control_update_ttl_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(TtlRequest), .name = "UpdateTimeToLiveInput",
	.fields = update_fields
};

static const WireField describe_fields[] = {
	WIRE_FIELD("TableName", control_table_name_shape, TtlRequest, table_name),
	WIRE_FIELDS_END
};
const WireShape control_describe_ttl_shape = {
	.kind = WIRE_STRUCT, .size = sizeof(TtlRequest), .name = "DescribeTimeToLiveInput",
	.fields = describe_fields
};

void
control_update_ttl(DynamoRequest *request, StringInfo out)
{
	const TtlRequest *r = request->input;
	const TableDef *def = control_find_table(r->table_name, "UpdateTimeToLive");
	TtlSpecification specification = {0};

	wire_fill(&specification_shape, r->specification, &specification);
	schema_lock_definition(def->name);
	def = control_find_table(r->table_name, "UpdateTimeToLive");	/* as it is now */
	control_refuse_filling(def);
	check_change(def, &specification);
	schema_set_ttl(def->name, specification.enabled == WIRE_TRUE ?
				   specification.attribute : NULL,
				   control_builds_later(request, def));

	appendStringInfoString(out, "{\"TimeToLiveSpecification\":{");
	wire_boolean_member(out, "Enabled", specification.enabled == WIRE_TRUE);
	wire_string_member(out, "AttributeName", specification.attribute);
	appendStringInfoString(out, "}}");
}

/*
 * Refuse a change that changes nothing, or is about another attribute.
 */
static void
check_change(const TableDef *def, const TtlSpecification *specification)
{
	const char *current = def->ttl_attribute;

	if (current == NULL && specification->enabled != WIRE_TRUE)
		dynamo_error(DYNAMO_VALIDATION, "TimeToLive is already disabled");
	if (current != NULL && strcmp(current, specification->attribute) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "TimeToLive is active on a different AttributeName: current AttributeName is %s",
					 current);
	if (current != NULL && specification->enabled == WIRE_TRUE)
		dynamo_error(DYNAMO_VALIDATION, "TimeToLive is already enabled");
}

void
control_describe_ttl(DynamoRequest *request, StringInfo out)
{
	const TtlRequest *r = request->input;
	const TableDef *def = control_find_table(r->table_name, "DescribeTimeToLive");

	appendStringInfoString(out, "{\"TimeToLiveDescription\":{");
	wire_string_member(out, "TimeToLiveStatus",
					   def->ttl_attribute == NULL ? "DISABLED" :
					   OidIsValid(def->ttl_relid) || def->ttl_building ?
					   "ENABLED" : "ENABLING");
	if (def->ttl_attribute != NULL)
		wire_string_member(out, "AttributeName", def->ttl_attribute);
	appendStringInfoString(out, "}}");
}
