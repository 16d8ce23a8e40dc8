/*-------------------------------------------------------------------------
 *
 * control_new_settings.c
 *	  The settings of a new table, as its request has them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

/*
 * Check what a CreateTable request says of throughput and make the table's
 * settings.
 */
const char *
control_create_settings(const ControlCreateTable *r, TimestampTz now)
{
	const char *settings;
	bool		on_demand = r->billing_mode == CONTROL_BILLING_ON_DEMAND;

	settings = control_new_throughput(NULL, false, on_demand, r->throughput,
									  r->on_demand, r->warm);
	settings = control_set_billing(settings, on_demand, now);
	if (r->table_class)
		settings = control_settings_set(settings, "TableClassSummary",
										psprintf("{\"TableClass\":\"%s\"}",
												 r->table_class));
	if (r->protection == WIRE_TRUE)
		settings = control_settings_set(settings, "DeletionProtectionEnabled",
										"true");
	if (r->encryption)
		settings = control_set_encryption(settings, r->encryption);
	if (r->tags && json_array_size(r->tags) > 0)
		settings = control_settings_set(settings, "Tags", control_tags_text(r->tags));
	return settings;
}

/*
 * Those of a table that a relation becomes, or of its indexes: on demand.
 */
const char *
control_attached_settings(bool index, TimestampTz now)
{
	ControlCreateTable r = {.billing_mode = CONTROL_BILLING_ON_DEMAND};

	return index ? control_new_throughput(NULL, true, true, NULL, NULL, NULL) :
		control_create_settings(&r, now);
}
