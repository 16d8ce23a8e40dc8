/*-------------------------------------------------------------------------
 *
 * archive_override.c
 *	  The table that a restore makes: the source's definition, and what the
 *	  request has otherwise.
 *
 * Data, keys, indexes, billing and encryption are kept.  The definition of a
 * source has the members of a CreateTable request (control_definition.c); an
 * override of the request takes the place of its member.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive_internal.h"
#include "miscadmin.h"

/* The source, the request, and what becomes of them. */
typedef struct Restored
{
	const ControlRestore *request;
	const json_t *source;
	bool		on_demand;
	json_t	   *local_indexes;	/* or NULL */
	json_t	   *global_indexes;
	json_t	   *vectors;
} Restored;

static void check_billing(const Restored *restored);
static void check_index_billing(const Restored *restored);
static void check_on_demand(const Restored *restored);
static void check_indexes(const json_t *given, const json_t *source);
static bool same_index(const json_t *given, const json_t *source);
static bool same_vector(const json_t *given, const json_t *source);
static bool same_schema(const json_t *given, const json_t *source,
						const char *schema, const char *type);
static const char *canonical_projection(const json_t *index);
static void append_attributes(StringInfo out, const Restored *restored);
static bool is_key(const Restored *restored, const char *attribute);
static bool has_key(const json_t *key_schema, const char *attribute);
static void append_indexes(StringInfo out, const char *member,
						   const json_t *indexes, bool on_demand);
static void append(StringInfo out, const char *member, const json_t *value);

/*
 * A CreateTable request for the new table.  Raises what is wrong with the
 * overrides.
 */
char *
archive_restored_table(const ControlRestore *r, const json_t *source)
{
	Restored	restored = {.request = r, .source = source};
	StringInfoData out;

	restored.on_demand = r->billing_mode != 0 ?
		r->billing_mode == CONTROL_BILLING_ON_DEMAND :
		control_is_on_demand(source);
	restored.local_indexes = r->local_indexes ? r->local_indexes :
		json_object_get(source, "LocalSecondaryIndexes");
	restored.global_indexes = r->global_indexes ? r->global_indexes :
		json_object_get(source, "GlobalSecondaryIndexes");
	restored.vectors = r->vectors ? r->vectors :
		json_object_get(source, "VectorIndexes");

	check_indexes(r->local_indexes,
				  json_object_get(source, "LocalSecondaryIndexes"));
	check_indexes(r->global_indexes,
				  json_object_get(source, "GlobalSecondaryIndexes"));
	check_indexes(r->vectors, json_object_get(source, "VectorIndexes"));
	check_billing(&restored);
	check_index_billing(&restored);
	check_on_demand(&restored);
	if (r->encryption)
		control_check_encryption(r->encryption);

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "TableName", r->target);
	append_attributes(&out, &restored);
	append(&out, "KeySchema", json_object_get(source, "KeySchema"));
	wire_string_member(&out, "BillingMode", restored.on_demand ?
					   "PAY_PER_REQUEST" : "PROVISIONED");
	if (restored.on_demand)
		append(&out, "OnDemandThroughput", r->on_demand ? r->on_demand :
			   json_object_get(source, "OnDemandThroughput"));
	else
		append(&out, "ProvisionedThroughput", r->throughput ? r->throughput :
			   json_object_get(source, "ProvisionedThroughput"));
	append(&out, "SSESpecification", r->encryption ? r->encryption :
		   json_object_get(source, "SSESpecification"));
	append_indexes(&out, "LocalSecondaryIndexes", restored.local_indexes,
				   restored.on_demand);
	append_indexes(&out, "GlobalSecondaryIndexes", restored.global_indexes,
				   restored.on_demand);
	append(&out, "VectorIndexes",
		   json_array_size(restored.vectors) > 0 ? restored.vectors : NULL);
	appendStringInfoChar(&out, '}');
	return out.data;
}

static void
check_billing(const Restored *restored)
{
	const ControlRestore *r = restored->request;

	if (r->billing_mode == CONTROL_BILLING_PROVISIONED && !r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 CONTROL_INVALID "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED");
	if (r->billing_mode == CONTROL_BILLING_ON_DEMAND && r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 CONTROL_INVALID "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST");
	if (restored->on_demand && r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 CONTROL_INVALID "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED");
}

/*
 * The same for the global indexes.  Those that are kept as they are lose what
 * does not go with the billing mode; they cannot get what they lack.
 */
static void
check_index_billing(const Restored *restored)
{
	const ControlRestore *r = restored->request;
	size_t		i;
	json_t	   *index;

	json_array_foreach(restored->global_indexes, i, index)
	{
		const char *name = wire_json_text(json_object_get(index, "IndexName"));
		bool		given = wire_json_get(index, "ProvisionedThroughput") != NULL;

		CHECK_FOR_INTERRUPTS();
		if (!restored->on_demand && !given)
			dynamo_error(DYNAMO_VALIDATION,
						 CONTROL_INVALID "Must specify provisioned throughput for index %s",
						 name);
		if (restored->on_demand && given && r->global_indexes)
			dynamo_error(DYNAMO_VALIDATION,
						 CONTROL_INVALID "Cannot override ProvisionedThroughput %s for index %s",
						 r->billing_mode == CONTROL_BILLING_ON_DEMAND ?
						 "if BillingMode is overridden to PAY_PER_REQUEST" :
						 "unless BillingMode is PROVISIONED", name);
	}
}

static void
check_on_demand(const Restored *restored)
{
	static const char *const members[] = {
		"MaxReadRequestUnits", "MaxWriteRequestUnits"
	};

	for (int i = 0; i < lengthof(members); i++)
	{
		const json_t *units = wire_json_get(restored->request->on_demand,
											members[i]);

		if (units != NULL && wire_json_integer(units) < 1)
			dynamo_error(DYNAMO_VALIDATION,
						 CONTROL_INVALID "Requested %s for OnDemandThroughput is outside of valid range",
						 members[i]);
		if (!restored->on_demand && units != NULL)
			dynamo_error(DYNAMO_VALIDATION,
						 CONTROL_INVALID "Cannot override %s for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST",
						 members[i]);
	}
}

/*
 * Each index that is asked for must be one of the source's, whatever its name.
 */
static void
check_indexes(const json_t *given, const json_t *source)
{
	size_t		i;
	json_t	   *index;

	json_array_foreach(given, i, index)
	{
		bool		found = false;
		size_t		j;
		json_t	   *other;

		CHECK_FOR_INTERRUPTS();
		json_array_foreach(source, j, other)
			found = found || same_index(index, other);
		if (!found)
			dynamo_error(DYNAMO_VALIDATION,
						 CONTROL_INVALID "Index %s does not match a secondary index that existed in the source table and cannot be created during the restore operation",
						 wire_json_text(json_object_get(index, "IndexName")));
	}
}

/* By what it is but its name. */
static bool
same_index(const json_t *given, const json_t *source)
{
	if (wire_json_get(source, "VectorAttribute") != NULL &&
		!same_vector(given, source))
		return false;
	return same_schema(given, source, "KeySchema", "KeyType") &&
		same_schema(given, source, "SearchSchema",
					"SearchSchemaElementType") &&
		strcmp(canonical_projection(given), canonical_projection(source)) == 0;
}

static bool
same_vector(const json_t *given, const json_t *source)
{
	return json_equal(json_object_get(given, "VectorAttribute"),
					  json_object_get(source, "VectorAttribute")) &&
		json_equal(json_object_get(given, "DistanceFunction"),
				   json_object_get(source, "DistanceFunction")) &&
		wire_json_integer(json_object_get(given, "Dimensions")) ==
		wire_json_integer(json_object_get(source, "Dimensions"));
}

/* The attributes of a schema, in their order, and what they are in it. */
static bool
same_schema(const json_t *given, const json_t *source, const char *schema,
			const char *type)
{
	const json_t *keys = wire_json_get(given, schema);
	const json_t *others = wire_json_get(source, schema);

	if (json_array_size(keys) != json_array_size(others))
		return false;
	for (size_t i = 0; i < json_array_size(keys); i++)
	{
		const char *const members[] = {"AttributeName", type};

		for (int j = 0; j < lengthof(members); j++)
		{
			const char *mine = wire_json_text(json_object_get(json_array_get(keys, i), members[j]));
			const char *its = wire_json_text(json_object_get(json_array_get(others, i), members[j]));

			if (strcmp(mine, its) != 0)
				return false;
		}
	}
	return true;
}

/* Its type and its attributes, in the order of their names. */
static const char *
canonical_projection(const json_t *index)
{
	const json_t *projection = json_object_get(index, "Projection");
	const json_t *names = wire_json_get(projection, "NonKeyAttributes");
	const json_t *type = wire_json_get(projection, "ProjectionType");
	KeyAttr    *attrs = palloc0(sizeof(KeyAttr) * Max(json_array_size(names), 1));
	int		   *order;
	StringInfoData out;

	for (size_t i = 0; i < json_array_size(names); i++)
		attrs[i].name = unconstify(char *, wire_json_text(json_array_get(names, i)));
	order = control_sort_names(attrs, json_array_size(names));
	initStringInfo(&out);
	appendStringInfoString(&out, type ? wire_json_text(type) : "");
	for (size_t i = 0; i < json_array_size(names); i++)
		appendStringInfo(&out, " %s", attrs[order[i]].name);
	return out.data;
}

/*
 * AttributeDefinitions of the keys that are left.
 */
static void
append_attributes(StringInfo out, const Restored *restored)
{
	size_t		i;
	json_t	   *attribute;

	wire_member(out, "AttributeDefinitions");
	appendStringInfoChar(out, '[');
	json_array_foreach(json_object_get(restored->source, "AttributeDefinitions"),
					   i, attribute)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_key(restored, wire_json_text(json_object_get(attribute, "AttributeName"))))
			continue;
		wire_element(out);
		wire_append_json(out, attribute);
	}
	appendStringInfoChar(out, ']');
}

/* Of the table, or of an index that it is to have. */
static bool
is_key(const Restored *restored, const char *attribute)
{
	const json_t *lists[] = {
		restored->local_indexes, restored->global_indexes, restored->vectors
	};

	if (has_key(json_object_get(restored->source, "KeySchema"), attribute))
		return true;
	for (int list = 0; list < lengthof(lists); list++)
	{
		size_t		i;
		json_t	   *index;

		json_array_foreach(lists[list], i, index)
		{
			if (has_key(wire_json_get(index, "KeySchema"), attribute) ||
				has_key(wire_json_get(index, "SearchSchema"), attribute))
				return true;
		}
	}
	return false;
}

static bool
has_key(const json_t *key_schema, const char *attribute)
{
	size_t		i;
	json_t	   *key;

	json_array_foreach(key_schema, i, key)
	{
		if (strcmp(wire_json_text(json_object_get(key, "AttributeName")),
				   attribute) == 0)
			return true;
	}
	return false;
}

/* What an index has, but throughput that does not go with the billing mode. */
static void
append_indexes(StringInfo out, const char *member, const json_t *indexes,
			   bool on_demand)
{
	static const char *const members[] = {
		"IndexName", "KeySchema", "Projection", "WarmThroughput"
	};
	const char *units = on_demand ? "OnDemandThroughput" : "ProvisionedThroughput";
	size_t		i;
	json_t	   *index;

	if (json_array_size(indexes) == 0)
		return;
	wire_member(out, member);
	appendStringInfoChar(out, '[');
	json_array_foreach(indexes, i, index)
	{
		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		appendStringInfoChar(out, '{');
		for (int j = 0; j < lengthof(members); j++)
			append(out, members[j], wire_json_get(index, members[j]));
		append(out, units, wire_json_get(index, units));
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

/* A member, if there is a value for it. */
static void
append(StringInfo out, const char *member, const json_t *value)
{
	if (value == NULL)
		return;
	wire_member(out, member);
	wire_append_json(out, value);
}
