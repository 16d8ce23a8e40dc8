/*-------------------------------------------------------------------------
 *
 * control_definition.c
 *	  What a table is, as JSON that outlives it: for backups, and to make a
 *	  table of it again.
 *
 * The object has the members of a CreateTable request that would make such a
 * table, as far as a restore keeps them, and with other names what only
 * DescribeBackup tells: TableCreationDateTime, StreamDescription,
 * TimeToLiveDescription, SSEDescription.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"

static void append_indexes(StringInfo out, const TableDef *def, bool local);
static void append_vectors(StringInfo out, const TableDef *def);
static void append_throughput(StringInfo out, json_t *settings,
							  bool on_demand);
static void append_features(StringInfo out, const TableDef *def,
							json_t *settings);

/*
 * The definition of a table.
 */
char *
control_definition(const TableDef *def)
{
	json_t	   *settings = control_settings(def->settings);
	json_t	   *encryption = json_object_get(settings, "Encryption");
	bool		on_demand = control_is_on_demand(settings);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	control_append_attributes(&out, def);
	wire_member(&out, "KeySchema");
	control_append_keys(&out, &def->hash, 1, &def->range,
						def->range.name ? 1 : 0);
	wire_string_member(&out, "BillingMode",
					   on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
	append_throughput(&out, settings, on_demand);
	if (encryption != NULL)
	{
		json_t	   *key = json_object_get(encryption, "KMSMasterKeyId");

		wire_member(&out, "SSESpecification");
		appendStringInfoString(&out, "{\"Enabled\":true,\"SSEType\":\"KMS\"");
		if (key != NULL)
			wire_string_member(&out, "KMSMasterKeyId", wire_json_text(key));
		appendStringInfoChar(&out, '}');
	}
	append_indexes(&out, def, true);
	append_indexes(&out, def, false);
	append_vectors(&out, def);
	append_features(&out, def, settings);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/* What goes with the billing mode, of the table or of a global index. */
static void
append_throughput(StringInfo out, json_t *settings, bool on_demand)
{
	json_t	   *units = json_object_get(settings, on_demand ?
										"OnDemandThroughput" :
										"ProvisionedThroughput");

	if (units == NULL)
		return;
	wire_member(out, on_demand ? "OnDemandThroughput" : "ProvisionedThroughput");
	if (on_demand)
	{
		wire_append_json(out, units);
		return;
	}
	appendStringInfoChar(out, '{');
	wire_integer_member(out, "ReadCapacityUnits",
						json_integer_value(json_object_get(units, "ReadCapacityUnits")));
	wire_integer_member(out, "WriteCapacityUnits",
						json_integer_value(json_object_get(units, "WriteCapacityUnits")));
	appendStringInfoChar(out, '}');
}

/*
 * LocalSecondaryIndexes or GlobalSecondaryIndexes, if there are any.
 */
static void
append_indexes(StringInfo out, const TableDef *def, bool local)
{
	bool		on_demand = control_is_on_demand(control_settings(def->settings));
	const IndexDef **order;
	int			count;

	order = control_ordered_indexes(def, local, &count);
	if (count == 0)
		return;
	wire_member(out, local ? "LocalSecondaryIndexes" : "GlobalSecondaryIndexes");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		appendStringInfoChar(out, '{');
		control_append_index_key(out, order[i]);
		if (!local)
			append_throughput(out, control_settings(order[i]->settings),
							  on_demand);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

/* VectorIndexes, if there are any. */
static void
append_vectors(StringInfo out, const TableDef *def)
{
	const IndexDef **order = control_ordered_vectors(def);

	if (def->nvectors == 0)
		return;
	wire_member(out, "VectorIndexes");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < def->nvectors; i++)
	{
		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		appendStringInfoChar(out, '{');
		control_append_vector(out, order[i]);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

/* What a restore drops, and DescribeBackup tells. */
static void
append_features(StringInfo out, const TableDef *def, json_t *settings)
{
	wire_member(out, "TableCreationDateTime");
	appendStringInfoString(out, wire_epoch(def->created_at));
	if (def->stream != NULL)
	{
		wire_member(out, "StreamDescription");
		appendStringInfoChar(out, '{');
		wire_boolean_member(out, "StreamEnabled", true);
		wire_string_member(out, "StreamViewType",
						   stream_view(def->stream->view));
		appendStringInfoChar(out, '}');
	}
	if (def->ttl_attribute != NULL)
	{
		wire_member(out, "TimeToLiveDescription");
		appendStringInfoChar(out, '{');
		wire_string_member(out, "TimeToLiveStatus", "ENABLED");
		wire_string_member(out, "AttributeName", def->ttl_attribute);
		appendStringInfoChar(out, '}');
	}
	control_append_encryption(out, settings, false);
}
