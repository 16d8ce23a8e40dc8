/*-------------------------------------------------------------------------
 *
 * global_override.c
 *	  Overrides: settings of a replica that are not those of the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"
#include "miscadmin.h"

#define INDEXES		"GlobalSecondaryIndexes"

static void check_capacity(const json_t *members, bool on_demand, bool created);
static void check_key(const GlobalUpdate *update, json_t *settings);
static const char *merged_indexes(json_t *old, json_t *list);

/* Members of an action, and of its elements, that are kept. */
static const char *const kept[] = {
	"KMSMasterKeyId", "ProvisionedThroughputOverride",
	"OnDemandThroughputOverride", "TableClassOverride"
};

/*
 * Check what an action says of its replica's settings.
 */
void
global_check_overrides(const GlobalUpdate *update, const TableDef *def)
{
	json_t	   *settings = control_settings(def->settings);
	bool		on_demand = control_is_on_demand(settings);
	bool		created = update->action == GLOBAL_CREATE;
	json_t	   *class = wire_json_get(update->members, "TableClassOverride");
	size_t		i;
	json_t	   *index;

	check_capacity(update->members, on_demand, created);
	json_array_foreach(wire_json_get(update->members, INDEXES), i, index)
	{
		const char *name = wire_json_text(json_object_get(index, "IndexName"));
		const IndexDef *known = schema_find_index(def, name);

		CHECK_FOR_INTERRUPTS();
		if (!created && (known == NULL || known->local))
			dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
								   schema_help_indexes(def),
								   NOT_FOUND "Index %s for table %s", name,
								   def->name);
		check_capacity(index, on_demand, created);
	}
	if (class)
		control_check_class(wire_json_text(class));
	check_key(update, settings);
}

static void
check_capacity(const json_t *members, bool on_demand, bool created)
{
	if (on_demand && !created &&
		wire_json_get(members, "ProvisionedThroughputOverride"))
		dynamo_error(DYNAMO_VALIDATION,
					 "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
	if (!on_demand && wire_json_get(members, "OnDemandThroughputOverride"))
		dynamo_error(DYNAMO_VALIDATION,
					 "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED");
}

/*
 * A key is named for all members or for none, as the table names its own; and
 * never later.
 */
static void
check_key(const GlobalUpdate *update, json_t *settings)
{
	bool		named = wire_json_get(json_object_get(settings, "Encryption"),
									  "KMSMasterKeyId") != NULL;
	json_t	   *key = wire_json_get(update->members, "KMSMasterKeyId");
	bool		given = key != NULL;

	if ((update->action == GLOBAL_UPDATE && given) ||
		(update->action == GLOBAL_CREATE && named && !given))
		dynamo_error(DYNAMO_VALIDATION,
					 "KMSMasterKeyId must be specified for each replica.");
	if (update->action == GLOBAL_CREATE && given && !named)
		dynamo_error(DYNAMO_VALIDATION,
					 "All replica keys must either be Customer Managed CMK or AWS Managed CMK.");
	if (update->action == GLOBAL_CREATE && given)
		control_check_encryption(control_settings(psprintf("{\"SSEType\":\"KMS\",\"KMSMasterKeyId\":%s}",
														   wire_json_document(key))));
}

/*
 * The overrides of a replica with those that an action names: JSON text, which is
 * never NULL.
 */
const char *
global_merge_overrides(const char *old, const json_t *members)
{
	json_t	   *indexes = wire_json_get(members, INDEXES);
	const char *merged = old;

	for (int i = 0; i < lengthof(kept); i++)
	{
		json_t	   *value = wire_json_get(members, kept[i]);

		if (value)
			merged = control_settings_set(merged, kept[i],
										  wire_json_document(value));
	}
	if (indexes)
		merged = control_settings_set(merged, INDEXES,
									  merged_indexes(json_object_get(control_settings(old), INDEXES),
													 indexes));
	return merged;
}

/*
 * The same of indexes, by their names.
 */
static const char *
merged_indexes(json_t *old, json_t *list)
{
	StringInfoData out;
	const char *name;
	json_t	   *value;
	size_t		i;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	json_object_foreach(old, name, value)
	{
		wire_member(&out, name);
		wire_append_json(&out, value);
	}
	json_array_foreach(list, i, value)
	{
		const json_t *before;

		CHECK_FOR_INTERRUPTS();
		name = wire_json_text(json_object_get(value, "IndexName"));
		before = json_object_get(old, name);
		wire_member(&out, name);
		appendStringInfoString(&out, global_merge_overrides(before ? wire_json_document(before) : "{}",
															value));
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
