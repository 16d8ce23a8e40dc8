/*-------------------------------------------------------------------------
 *
 * global_apply.c
 *	  Settings of a table that its regions share: what they are here, and how
 *	  a value that another region has set is set here.
 *
 * A setting has a name, and a value as requests have it.  Values come from a
 * peer: each goes through the operation that sets it, with all of its checks.
 *
 *		Billing			BillingMode, ProvisionedThroughput, and Indexes with that
 *						of each global index
 *		MaxWrites		OnDemandThroughput's MaxWriteRequestUnits
 *		Warm			WarmThroughput, without its status
 *		Class			TableClass
 *		Encryption		whether there is an SSESpecification
 *		Stream			StreamViewType
 *		TimeToLive		AttributeName
 *		Index/NAME		a global index: the action of a request that creates it,
 *						and AttributeDefinitions
 *		Vector/NAME		a vector index, likewise
 *		Scaling/NAME	a policy for writes
 *
 * Null stands for none.  Reads are provisioned alike everywhere, too, and
 * a region that is to have others gets them afterwards.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"
#include "miscadmin.h"
#include "stream/stream.h"
#include "utils/guc.h"

#define INDEX		"Index/"
#define VECTOR		"Vector/"
#define SCALING		"Scaling/"

typedef struct SharedSetting
{
	const char *name;
	bool		(*apply) (const TableDef *def, json_t *value);
} SharedSetting;

static void append_units(StringInfo out, const char *settings);
static void append_billing(StringInfo out, const TableDef *def);
static void append_number(StringInfo out, const char *name,
						  const json_t *object, const char *member);
static void append_warm(StringInfo out, json_t *settings);
static void append_text(StringInfo out, const char *name, const char *text);
static void append_index(StringInfo out, const TableDef *def,
						 const IndexDef *index);
static void append_policies(StringInfo out, json_t *settings);
static bool apply_billing(const TableDef *def, json_t *value);
static bool apply_max_writes(const TableDef *def, json_t *value);
static bool apply_warm(const TableDef *def, json_t *value);
static bool apply_class(const TableDef *def, json_t *value);
static bool apply_encryption(const TableDef *def, json_t *value);
static bool apply_stream(const TableDef *def, json_t *value);
static bool apply_expiry(const TableDef *def, json_t *value);
static bool apply_index(const TableDef *def, const char *name, json_t *value,
						bool vector, const json_t *billing);
static const char *quoted(const char *text);
static bool apply_policy(const TableDef *def, const char *name, json_t *value);
static void carry_out(const WireShape *shape,
					  void (*handler) (DynamoRequest *request, StringInfo out),
					  const char *body);
static void update_table(const TableDef *def, const char *member,
						 const char *value);
static bool same_units(const char *settings, const json_t *units);
static const char *text_of(const json_t *value);

static const SharedSetting settings_applied[] = {
	{"Billing", apply_billing},
	{"MaxWrites", apply_max_writes},
	{"Warm", apply_warm},
	{"Class", apply_class},
	{"Encryption", apply_encryption},
	{"Stream", apply_stream},
	{"TimeToLive", apply_expiry},
};

/*
 * All settings as they are here: a JSON object.  Indexes come first, since what
 * is said of their throughput supposes them.
 */
const char *
global_settings_of(const TableDef *def)
{
	json_t	   *settings = control_settings(def->settings);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < def->nindexes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!def->indexes[i].local)
			append_index(&out, def, &def->indexes[i]);
	}
	for (int i = 0; i < def->nvectors; i++)
	{
		CHECK_FOR_INTERRUPTS();
		append_index(&out, def, &def->vectors[i]);
	}
	append_billing(&out, def);
	append_number(&out, "MaxWrites",
				  json_object_get(settings, "OnDemandThroughput"),
				  "MaxWriteRequestUnits");
	append_warm(&out, settings);
	append_text(&out, "Class",
				wire_json_text_in(json_object_get(settings, "TableClassSummary"),
								  "TableClass"));
	wire_boolean_member(&out, "Encryption",
						json_object_get(settings, "Encryption") != NULL);
	append_text(&out, "Stream",
				def->stream ? stream_view(def->stream->view) : NULL);
	append_text(&out, "TimeToLive", def->ttl_attribute);
	append_policies(&out, settings);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * Does a setting that is not among them stand for something that is gone?
 */
bool
global_setting_goes(const char *name)
{
	return strncmp(name, INDEX, strlen(INDEX)) == 0 ||
		strncmp(name, VECTOR, strlen(VECTOR)) == 0 ||
		strncmp(name, SCALING, strlen(SCALING)) == 0;
}

/*
 * Set a setting as another region has done, whose billing is "billing".  False: it
 * cannot be set yet, as a replica comes or goes or an index is being built, or is
 * none that is known here.  Raises what the operation does that sets it.
 */
bool
global_apply_setting(const char *table, const char *name, json_t *value,
					 const json_t *billing)
{
	const TableDef *def = schema_find_table(table);

	if (control_is_busy(def))
		return false;
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].building)
			return false;
	}
	if (strncmp(name, INDEX, strlen(INDEX)) == 0)
		return apply_index(def, name + strlen(INDEX), value, false, billing);
	if (strncmp(name, VECTOR, strlen(VECTOR)) == 0)
		return apply_index(def, name + strlen(VECTOR), value, true, billing);
	if (strncmp(name, SCALING, strlen(SCALING)) == 0)
		return apply_policy(def, name + strlen(SCALING), value);
	for (int i = 0; i < lengthof(settings_applied); i++)
	{
		if (strcmp(settings_applied[i].name, name) == 0)
			return settings_applied[i].apply(def, value);
	}
	return false;
}

static void
append_billing(StringInfo out, const TableDef *def)
{
	bool		on_demand = control_is_on_demand(control_settings(def->settings));

	wire_member(out, "Billing");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "BillingMode",
					   on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
	if (!on_demand)
	{
		wire_member(out, "ProvisionedThroughput");
		append_units(out, def->settings);
		wire_member(out, "Indexes");
		appendStringInfoChar(out, '{');
		for (int i = 0; i < def->nindexes; i++)
		{
			if (def->indexes[i].local)
				continue;
			wire_member(out, def->indexes[i].name);
			append_units(out, def->indexes[i].settings);
		}
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, '}');
}

static void
append_units(StringInfo out, const char *settings)
{
	json_t	   *units = json_object_get(control_settings(settings),
										"ProvisionedThroughput");

	appendStringInfoChar(out, '{');
	append_number(out, "ReadCapacityUnits", units, "ReadCapacityUnits");
	append_number(out, "WriteCapacityUnits", units, "WriteCapacityUnits");
	appendStringInfoChar(out, '}');
}

/* "name": a whole number among an object's members, or null. */
static void
append_number(StringInfo out, const char *name, const json_t *object,
			  const char *member)
{
	json_t	   *value = json_object_get(object, member);

	if (json_is_integer(value))
		wire_integer_member(out, name, json_integer_value(value));
	else
	{
		wire_member(out, name);
		appendStringInfoString(out, "null");
	}
}

static void
append_warm(StringInfo out, json_t *settings)
{
	json_t	   *warm = json_object_get(settings, "WarmThroughput");

	wire_member(out, "Warm");
	appendStringInfoChar(out, '{');
	append_number(out, "ReadUnitsPerSecond", warm, "ReadUnitsPerSecond");
	append_number(out, "WriteUnitsPerSecond", warm, "WriteUnitsPerSecond");
	appendStringInfoChar(out, '}');
}

static void
append_text(StringInfo out, const char *name, const char *text)
{
	if (text)
		wire_string_member(out, name, text);
	else
	{
		wire_member(out, name);
		appendStringInfoString(out, "null");
	}
}

static void
append_index(StringInfo out, const TableDef *def, const IndexDef *index)
{
	bool		vector = index->vector != NULL;
	IndexDef	copy = *index;
	TableDef	attributes = {
		.hash = def->hash,
		.nindexes = vector ? 0 : 1,
		.indexes = &copy,
		.nvectors = vector ? 1 : 0,
		.vectors = &copy
	};

	wire_member(out, psprintf("%s%s", vector ? VECTOR : INDEX, index->name));
	appendStringInfoChar(out, '{');
	control_append_attributes(out, &attributes);
	wire_member(out, "Create");
	appendStringInfoChar(out, '{');
	if (vector)
		control_append_vector(out, index);
	else
		control_append_index_key(out, index);
	appendStringInfoString(out, "}}");
}

/* Those for writes. */
static void
append_policies(StringInfo out, json_t *settings)
{
	const char *name;
	json_t	   *policy;

	json_object_foreach(json_object_get(settings, CONTROL_AUTO_SCALING), name, policy)
	{
		if (strcmp(strrchr(name, ':'), ":WriteCapacityUnits") != 0)
			continue;
		wire_member(out, psprintf(SCALING "%s", name));
		wire_append_json(out, policy);
	}
}

/*
 * A change to PROVISIONED says the throughput of every index, other changes that
 * of what changes.
 */
static bool
apply_billing(const TableDef *def, json_t *value)
{
	bool		was_on_demand = control_is_on_demand(control_settings(def->settings));
	const char *mode = wire_json_text_in(value, "BillingMode");
	json_t	   *units = json_object_get(value, "ProvisionedThroughput");
	StringInfoData list;
	StringInfoData body;

	if (mode == NULL)
		return false;
	if (strcmp(mode, "PAY_PER_REQUEST") == 0)
	{
		if (!was_on_demand)
			update_table(def, "BillingMode", "\"PAY_PER_REQUEST\"");
		return true;
	}
	if (units == NULL)
		return false;
	initStringInfo(&list);
	appendStringInfoChar(&list, '[');
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];
		json_t	   *own = json_object_get(json_object_get(value, "Indexes"),
										  index->name);

		if (index->local || (!was_on_demand &&
							 (own == NULL || same_units(index->settings, own))))
			continue;
		wire_element(&list);
		appendStringInfoString(&list, "{\"Update\":{");
		wire_string_member(&list, "IndexName", index->name);
		wire_member(&list, "ProvisionedThroughput");
		wire_append_json(&list, own ? own : units);
		appendStringInfoString(&list, "}}");
	}
	appendStringInfoChar(&list, ']');

	initStringInfo(&body);
	appendStringInfoChar(&body, '{');
	wire_string_member(&body, "TableName", def->name);
	if (was_on_demand)
		wire_string_member(&body, "BillingMode", "PROVISIONED");
	if (was_on_demand || !same_units(def->settings, units))
	{
		wire_member(&body, "ProvisionedThroughput");
		wire_append_json(&body, units);
	}
	if (list.len > 2)
	{
		wire_member(&body, "GlobalSecondaryIndexUpdates");
		appendStringInfoString(&body, list.data);
	}
	appendStringInfoChar(&body, '}');
	if (was_on_demand || list.len > 2 || !same_units(def->settings, units))
		carry_out(&control_update_table_shape, control_update_table, body.data);
	return true;
}

static bool
same_units(const char *settings, const json_t *units)
{
	json_t	   *now = json_object_get(control_settings(settings),
									  "ProvisionedThroughput");

	return json_equal(json_object_get(now, "ReadCapacityUnits"),
					  json_object_get(units, "ReadCapacityUnits")) &&
		json_equal(json_object_get(now, "WriteCapacityUnits"),
				   json_object_get(units, "WriteCapacityUnits"));
}

/* A table that is not on demand has none; -1 takes one away. */
static bool
apply_max_writes(const TableDef *def, json_t *value)
{
	if (!control_is_on_demand(control_settings(def->settings)))
		return json_is_null(value);
	update_table(def, "OnDemandThroughput",
				 psprintf("{\"MaxWriteRequestUnits\":%s}",
						  json_is_null(value) ? "-1" : wire_json_document(value)));
	return true;
}

/* It grows, and never shrinks: what is more here remains. */
static bool
apply_warm(const TableDef *def, json_t *value)
{
	static const char *const members[] = {
		"ReadUnitsPerSecond", "WriteUnitsPerSecond"
	};
	json_t	   *now = json_object_get(control_settings(def->settings),
									  "WarmThroughput");
	StringInfoData more;

	if (!json_is_object(value))
		return false;
	initStringInfo(&more);
	appendStringInfoChar(&more, '{');
	for (int i = 0; i < lengthof(members); i++)
	{
		int64		wanted = wire_json_integer_in(value, members[i], 0);

		if (wanted > wire_json_integer_in(now, members[i], 0))
			wire_integer_member(&more, members[i], wanted);
	}
	appendStringInfoChar(&more, '}');
	if (more.len > 2)
		update_table(def, "WarmThroughput", more.data);
	return true;
}

static bool
apply_class(const TableDef *def, json_t *value)
{
	update_table(def, "TableClass",
				 json_is_null(value) ? "\"STANDARD\"" : wire_json_document(value));
	return true;
}

static bool
apply_encryption(const TableDef *def, json_t *value)
{
	if (!json_is_boolean(value))
		return false;
	update_table(def, "SSESpecification", json_is_true(value) ?
				 "{\"Enabled\":true,\"SSEType\":\"KMS\"}" : "{\"Enabled\":false}");
	return true;
}

/* Another view is another stream. */
static bool
apply_stream(const TableDef *def, json_t *value)
{
	StringInfoData specification;

	if (def->stream)
		stream_disable(def->name);
	if (json_is_null(value))
		return true;
	initStringInfo(&specification);
	appendStringInfoChar(&specification, '{');
	wire_boolean_member(&specification, "StreamEnabled", true);
	wire_string_member(&specification, "StreamViewType", text_of(value));
	appendStringInfoChar(&specification, '}');
	update_table(def, "StreamSpecification", specification.data);
	return true;
}

static bool
apply_expiry(const TableDef *def, json_t *value)
{
	const char *attributes[] = {
		def->ttl_attribute, json_is_null(value) ? NULL : text_of(value)
	};

	for (int i = 0; i < lengthof(attributes); i++)
	{
		StringInfoData body;

		if (attributes[i] == NULL)
			continue;
		initStringInfo(&body);
		appendStringInfoChar(&body, '{');
		wire_string_member(&body, "TableName", def->name);
		wire_member(&body, "TimeToLiveSpecification");
		appendStringInfoChar(&body, '{');
		wire_boolean_member(&body, "Enabled", i == 1);
		wire_string_member(&body, "AttributeName", attributes[i]);
		appendStringInfoString(&body, "}}");
		carry_out(&control_update_ttl_shape, control_update_ttl, body.data);
	}
	return true;
}

/*
 * An index that has the name, and is another, stands in the way: the owner has to
 * say which one it is to be.  It has the throughput that the peer's billing says.
 * While it is built that waits: another one would be what was set here later.
 */
static bool
apply_index(const TableDef *def, const char *name, json_t *value, bool vector,
			const json_t *billing)
{
	const IndexDef *index = vector ? schema_find_vector(def, name) :
		schema_find_index(def, name);
	json_t	   *create = json_object_get(value, "Create");
	const char *named = wire_json_text_in(create, "IndexName");
	const char *action;
	StringInfoData body;

	if (index == NULL && json_is_null(value))
		return true;
	if (index != NULL && !json_is_null(value))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("table \"%s\" has another index \"%s\" in this region",
						def->name, name)));
	if (!json_is_null(value) && (named == NULL || strcmp(named, name) != 0))
		return false;
	action = json_is_null(value) ?
		control_settings_set("{}", "IndexName", quoted(name)) :
		wire_json_document(create);
	if (!json_is_null(value) && !vector &&
		!control_is_on_demand(control_settings(def->settings)))
	{
		json_t	   *own = json_object_get(json_object_get(billing, "Indexes"),
										  name);
		StringInfoData units;

		initStringInfo(&units);
		if (own != NULL)
			wire_append_json(&units, own);
		else
			append_units(&units, def->settings);
		action = control_settings_set(action, "ProvisionedThroughput",
									  units.data);
	}

	initStringInfo(&body);
	appendStringInfoChar(&body, '{');
	wire_string_member(&body, "TableName", def->name);
	wire_json_member(&body, value, "AttributeDefinitions");
	wire_member(&body, vector ? "VectorIndexUpdates" :
				"GlobalSecondaryIndexUpdates");
	appendStringInfo(&body, "[{\"%s\":%s}]}",
					 json_is_null(value) ? "Delete" : "Create", action);
	carry_out(&control_update_table_shape, control_update_table, body.data);
	return true;
}

/* A text in JSON. */
static const char *
quoted(const char *text)
{
	StringInfoData out;

	initStringInfo(&out);
	wire_append_string(&out, text);
	return out.data;
}

/* "name": as control_scaling_name() makes it. */
static bool
apply_policy(const TableDef *def, const char *name, json_t *value)
{
	const char *colon = strrchr(name, ':');
	ControlScaling policy = {
		.table = def->name,
		.least = wire_json_integer_in(value, "MinCapacity", 0),
		.most = wire_json_integer_in(value, "MaxCapacity", 0),
		.target = json_number_value(json_object_get(value, "TargetValue")),
		.only_out = json_is_true(json_object_get(value, "DisableScaleIn"))
	};

	if (colon == NULL || strcmp(colon, ":WriteCapacityUnits") != 0)
		return false;
	policy.dimension = colon + 1;
	if (strncmp(name, "index/", 6) == 0)
		policy.index = pnstrdup(name + 6, colon - name - 6);
	if (json_is_null(value))
		control_drop_scaling(def->name, policy.index, policy.dimension);
	else
		control_set_scaling(&policy);
	return true;
}

/* UpdateTable of one member, JSON text. */
static void
update_table(const TableDef *def, const char *member, const char *value)
{
	StringInfoData body;

	initStringInfo(&body);
	appendStringInfoChar(&body, '{');
	wire_string_member(&body, "TableName", def->name);
	wire_member(&body, member);
	appendStringInfo(&body, "%s}", value);
	carry_out(&control_update_table_shape, control_update_table, body.data);
}

/*
 * As a client would ask for it; but capacity may fall as often as it did
 * there.
 */
static void
carry_out(const WireShape *shape,
		  void (*handler) (DynamoRequest *request, StringInfo out),
		  const char *body)
{
	json_error_t error;
	json_t	   *json = codec_load(body, strlen(body), &error);
	DynamoRequest request = {
		.input = palloc0(shape->size),
		.client = {.builds_later = true}
	};
	int			level = NewGUCNestLevel();
	StringInfoData answer;

	(void) set_config_option("dynamo.limit_throughput_decreases", "off",
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	initStringInfo(&answer);
	wire_check_types(shape, json);
	wire_check_constraints(shape, json);
	wire_fill(shape, json, unconstify(void *, request.input));
	handler(&request, &answer);
	AtEOXact_GUC(true, level);
}

/* Of what should be a text. */
static const char *
text_of(const json_t *value)
{
	return json_is_string(value) ? wire_json_text(value) : "";
}
