/*-------------------------------------------------------------------------
 *
 * archive_show.c
 *	  What clients are told of a backup.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive_internal.h"

static void append_source(StringInfo out, const Backup *backup);
static void append_features(StringInfo out, const Backup *backup);

/*
 * What a job says of the backup that it makes.
 */
void
archive_backup_of_job(const Job *job, Backup *backup)
{
	json_t	   *asked = control_settings(job->request);

	memset(backup, 0, sizeof(Backup));
	strlcpy(backup->id, job->id, sizeof(backup->id));
	backup->name = pstrdup(wire_json_text(json_object_get(asked, "BackupName")));
	backup->table_name = job->table_name;
	strlcpy(backup->table_id,
			wire_json_text(json_object_get(asked, "TableId")),
			sizeof(backup->table_id));
	backup->created_at = job->created_at;
	backup->items = json_integer_value(json_object_get(asked, "ItemCount"));
	backup->size = json_integer_value(json_object_get(asked, "SizeBytes"));
	backup->definition = unconstify(char *,
									wire_json_document(json_object_get(asked, "Definition")));
}

/*
 * Append the member BackupDescription.  "arn" is the backup's, as it was
 * asked for.
 */
void
archive_append_description(StringInfo out, const Backup *backup,
						   const char *arn, const char *status)
{
	wire_member(out, "BackupDescription");
	appendStringInfoChar(out, '{');
	archive_append_backup(out, "BackupDetails", backup, arn, status);
	append_source(out, backup);
	append_features(out, backup);
	appendStringInfoChar(out, '}');
}

/*
 * Append a member that is BackupDetails; without a name, the members of these.
 */
void
archive_append_backup(StringInfo out, const char *member,
					  const Backup *backup, const char *arn,
					  const char *status)
{
	if (member != NULL)
	{
		wire_member(out, member);
		appendStringInfoChar(out, '{');
	}
	wire_string_member(out, "BackupArn", arn);
	wire_string_member(out, "BackupName", backup->name);
	wire_integer_member(out, "BackupSizeBytes", backup->size);
	wire_string_member(out, "BackupStatus", status);
	wire_string_member(out, "BackupType", backup->system ? "SYSTEM" : "USER");
	wire_member(out, "BackupCreationDateTime");
	appendStringInfoString(out, wire_epoch(backup->created_at));
	if (backup->expires_at != 0)
	{
		wire_member(out, "BackupExpiryDateTime");
		appendStringInfoString(out, wire_epoch(backup->expires_at));
	}
	if (member != NULL)
		appendStringInfoChar(out, '}');
}

static void
append_source(StringInfo out, const Backup *backup)
{
	json_t	   *definition = control_settings(backup->definition);

	wire_member(out, "SourceTableDetails");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName", backup->table_name);
	wire_string_member(out, "TableId", backup->table_id);
	wire_string_member(out, "TableArn", wire_table_arn(backup->table_name));
	wire_integer_member(out, "TableSizeBytes", backup->size);
	wire_json_member(out, definition, "KeySchema");
	wire_json_member(out, definition, "TableCreationDateTime");
	if (json_object_get(definition, "ProvisionedThroughput"))
		wire_json_member(out, definition, "ProvisionedThroughput");
	else
	{
		wire_member(out, "ProvisionedThroughput");
		appendStringInfoString(out, "{\"ReadCapacityUnits\":0,\"WriteCapacityUnits\":0}");
	}
	wire_json_member(out, definition, "OnDemandThroughput");
	wire_integer_member(out, "ItemCount", backup->items);
	wire_json_member(out, definition, "BillingMode");
	appendStringInfoChar(out, '}');
}

/* Of a system backup none are told. */
static void
append_features(StringInfo out, const Backup *backup)
{
	static const char *const members[] = {
		"LocalSecondaryIndexes", "GlobalSecondaryIndexes", "StreamDescription",
		"TimeToLiveDescription", "SSEDescription", "VectorIndexes"
	};
	json_t	   *definition = control_settings(backup->definition);

	wire_member(out, "SourceTableFeatureDetails");
	appendStringInfoChar(out, '{');
	for (int i = 0; i < lengthof(members) && !backup->system; i++)
		wire_json_member(out, definition, members[i]);
	appendStringInfoChar(out, '}');
}
