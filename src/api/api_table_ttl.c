/*-------------------------------------------------------------------------
 *
 * api_table_ttl.c
 *	  UpdateTimeToLive, DescribeTimeToLive.
 *
 * A change is made when UpdateTimeToLive returns; until the worker has built
 * the index on the expiry, no item expires, which nobody is promised.  ENABLING
 * is seen only where that index is missing otherwise, amid a restore for one.
 * Nothing holds off a second change within the hour.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_table.h"

typedef struct TtlRequest
{
	const char *table_name;
	json_t	   *specification;
} TtlRequest;

typedef struct TtlSpecification
{
	ApiBoolean	enabled;
	const char *attribute;
} TtlSpecification;

static void update_ttl(const void *request, StringInfo out);
static void describe_ttl(const void *request, StringInfo out);
static void check_change(const TableDef *def,
						 const TtlSpecification *specification);

static const ApiShape attribute_shape = {
	.kind = API_STRING, .attribute = true, API_BETWEEN(1, 255)
};

static const ApiField specification_fields[] = {
	API_REQUIRED("Enabled", api_boolean_shape, TtlSpecification, enabled),
	API_REQUIRED("AttributeName", attribute_shape, TtlSpecification, attribute),
	API_FIELDS_END
};
static const ApiShape specification_shape = {
	.kind = API_STRUCT, .name = "TimeToLiveSpecification",
	.fields = specification_fields
};

static const ApiField update_fields[] = {
	API_FIELD("TableName", api_control_name_shape, TtlRequest, table_name),
	API_REQUIRED("TimeToLiveSpecification", specification_shape, TtlRequest, specification),
	API_FIELDS_END
};
static const ApiShape update_shape = {
	.kind = API_STRUCT, .name = "UpdateTimeToLiveInput",
	.fields = update_fields
};

static const ApiField describe_fields[] = {
	API_FIELD("TableName", api_control_name_shape, TtlRequest, table_name),
	API_FIELDS_END
};
static const ApiShape describe_shape = {
	.kind = API_STRUCT, .name = "DescribeTimeToLiveInput",
	.fields = describe_fields
};

const ApiOperation api_ttl_operations[] = {
	{"UpdateTimeToLive", &update_shape, sizeof(TtlRequest), update_ttl, API_CONFLICT_RESOURCE},
	{"DescribeTimeToLive", &describe_shape, sizeof(TtlRequest), describe_ttl},
	{NULL}
};

static void
update_ttl(const void *request, StringInfo out)
{
	const TtlRequest *r = request;
	const TableDef *def = api_find_table(r->table_name);
	TtlSpecification specification = {0};

	api_fill(&specification_shape, r->specification, &specification);
	schema_lock_definition(def->name);
	def = api_find_table(r->table_name);	/* as it is now */
	check_change(def, &specification);
	schema_set_ttl(def->name, specification.enabled == API_TRUE ?
				   specification.attribute : NULL, api_build_later);

	appendStringInfoString(out, "{\"TimeToLiveSpecification\":{");
	api_boolean_member(out, "Enabled", specification.enabled == API_TRUE);
	api_string_member(out, "AttributeName", specification.attribute);
	appendStringInfoString(out, "}}");
}

/*
 * Refuse a change that changes nothing, or is about another attribute.
 */
static void
check_change(const TableDef *def, const TtlSpecification *specification)
{
	const char *current = def->ttl_attribute;

	if (current == NULL && specification->enabled != API_TRUE)
		dynamo_error(DYNAMO_VALIDATION, "TimeToLive is already disabled");
	if (current != NULL && strcmp(current, specification->attribute) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "TimeToLive is active on a different AttributeName: current AttributeName is %s",
					 current);
	if (current != NULL && specification->enabled == API_TRUE)
		dynamo_error(DYNAMO_VALIDATION, "TimeToLive is already enabled");
}

static void
describe_ttl(const void *request, StringInfo out)
{
	const TtlRequest *r = request;
	const TableDef *def = api_find_table(r->table_name);

	appendStringInfoString(out, "{\"TimeToLiveDescription\":{");
	api_string_member(out, "TimeToLiveStatus",
					  def->ttl_attribute == NULL ? "DISABLED" :
					  OidIsValid(def->ttl_relid) || def->ttl_building ?
					  "ENABLED" : "ENABLING");
	if (def->ttl_attribute != NULL)
		api_string_member(out, "AttributeName", def->ttl_attribute);
	appendStringInfoString(out, "}}");
}
