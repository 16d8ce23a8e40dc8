/*-------------------------------------------------------------------------
 *
 * archive_find.c
 *	  The backup that a request names, and ListBackups.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive_internal.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "shard/shard.h"

/* ListBackups */
typedef struct ListRequest
{
	const char *table;			/* TableName */
	WireInteger limit;
	json_t	   *lower;			/* TimeRangeLowerBound */
	json_t	   *upper;			/* TimeRangeUpperBound */
	const char *start;			/* ExclusiveStartBackupArn */
	int			type;			/* BackupType, 0 or 1 + its place */
} ListRequest;

/* Which backups are listed. */
typedef struct Filter
{
	const char *table;			/* NULL: of all */
	bool		user;
	bool		system;
	int64		from;			/* milliseconds since 1970 */
	int64		to;				/* exclusive */
} Filter;

#define MAX_LIST	100

static const char *parse_arn(const char *arn, const char **id);
static const Backup *find_job(const char *id);
static void read_filter(const ListRequest *r, Filter *filter);
static List *list(const Filter *filter, const char *after, int limit);
static bool passes(const Backup *backup, void *filter);
static List *note(List *listed, const Backup *backup, const char *status);

static const ShardListing listing = {
	.operation = "ListBackups", .member = "BackupSummaries", .arn = "BackupArn"
};

/* In the order in which the service prints them. */
static const char *const backup_types[] = {
	"USER", "SYSTEM", "AWS_BACKUP", "ALL", NULL
};

enum
{
	TYPE_DEFAULT,
	TYPE_USER,
	TYPE_SYSTEM,
	TYPE_AWS_BACKUP,
	TYPE_ALL
};

static const WireShape limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(1, MAX_LIST)
};
static const WireShape type_shape = {
	.kind = WIRE_STRING, .choices = backup_types
};

WIRE_REQUEST_SHAPE(archive_list_backups_shape, ListRequest, "ListBackupsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, ListRequest, table),
				   WIRE_FIELD("Limit", limit_shape, ListRequest, limit),
				   WIRE_FIELD("TimeRangeLowerBound", wire_time_shape, ListRequest, lower),
				   WIRE_FIELD("TimeRangeUpperBound", wire_time_shape, ListRequest, upper),
				   WIRE_FIELD("ExclusiveStartBackupArn", control_backup_arn_shape, ListRequest, start),
				   WIRE_FIELD("BackupType", type_shape, ListRequest, type));

/*
 * The backup with that ARN, which the current user may use, for operation
 * "action".  One that is being made has no relation yet.  Another node may have
 * it.
 */
const Backup *
archive_find_backup(DynamoRequest *request, const char *arn,
					const char *action, bool *creating)
{
	const char *id;
	const char *table = parse_arn(arn, &id);
	const Backup *backup = backup_read(id);

	*creating = backup == NULL;
	if (backup == NULL)
		backup = find_job(id);
	if (backup == NULL)
		backup = archive_find_elsewhere(request, id, creating);
	if (backup == NULL || strcmp(backup->table_name, table) != 0)
		dynamo_error(DYNAMO_BACKUP_NOT_FOUND, "Backup not found: %s", arn);
	if (!*creating && !backup->elsewhere && !schema_may_use(backup->relid))
		dynamo_error(DYNAMO_ACCESS_DENIED, "%s", wire_denial_on(action, arn));
	return backup;
}

/*
 * Is the ARN one of a region that is not ours?  It has been found valid.
 */
bool
archive_is_elsewhere(const char *arn)
{
	WireBackupName name;

	return wire_parse_backup_arn(arn, &name) && !name.region_ours;
}

/*
 * Take an ARN apart: the table's name, and the backup's id.  The region may be
 * any that there is: the account has one backup with that id.
 */
static const char *
parse_arn(const char *arn, const char **id)
{
	WireBackupName name;

	if (!wire_parse_backup_arn(arn, &name))
		dynamo_error(DYNAMO_VALIDATION, "Invalid Backup ARN");
	if (!name.region_exists)
		dynamo_error(DYNAMO_VALIDATION, "BackupArn is not valid");
	if (!name.account_ours)
		dynamo_error(DYNAMO_ACCESS_DENIED, "Access is denied");
	*id = name.id;
	return name.table;
}

/* One that is being made; NULL: there is none that the user may know of */
static const Backup *
find_job(const char *id)
{
	const Job  *job = job_find(JOB_BACKUP, id);
	Backup	   *backup;

	if (job == NULL || job_is_finished(job))
		return NULL;
	backup = palloc(sizeof(Backup));
	archive_backup_of_job(job, backup);
	return backup;
}

/*
 * Reads one more than it tells, to know whether there are more.
 */
void
archive_list_backups(DynamoRequest *request, StringInfo out)
{
	const ListRequest *r = request->input;
	int			limit = r->limit.given ? r->limit.value : MAX_LIST;
	const char *after = NULL;
	Filter		filter;
	const char *next;

	read_filter(r, &filter);
	if (r->start != NULL)
	{
		WireBackupName name;

		if (!wire_parse_backup_arn(r->start, &name))
			dynamo_error(DYNAMO_VALIDATION, "Invalid Backup ARN");
		if (!name.region_ours)
			dynamo_error(DYNAMO_VALIDATION,
						 CONTROL_INVALID "The supplied ExclusiveStartBackupArn does not match the region");
		after = name.id;
	}
	appendStringInfoChar(out, '{');
	next = shard_append_list(request, out, &listing,
							 list(&filter, after, limit + 1), limit);
	if (next != NULL)
		wire_string_member(out, "LastEvaluatedBackupArn", next);
	appendStringInfoChar(out, '}');
}

/*
 * Which are asked for.  A time is told in milliseconds, so that is how times
 * compare.
 */
static void
read_filter(const ListRequest *r, Filter *filter)
{
	filter->table = r->table ? wire_table_name(r->table) : NULL;
	filter->user = r->type == TYPE_DEFAULT || r->type == TYPE_USER ||
		r->type == TYPE_ALL;
	filter->system = r->type == TYPE_SYSTEM || r->type == TYPE_ALL;
	filter->from = r->lower ?
		wire_milliseconds(wire_given_time(r->lower)) : PG_INT64_MIN;
	filter->to = r->upper ?
		wire_milliseconds(wire_given_time(r->upper)) : PG_INT64_MAX;
	if (filter->from > filter->to)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Time range lower bound must be less than or equal to upper bound");
}

/*
 * The first of those after an id, of ShardListed *: backups, and jobs that make
 * some.
 */
static List *
list(const Filter *filter, const char *after, int limit)
{
	List	   *listed = NIL;
	ListCell   *lc;

	foreach(lc, backup_list(after, passes, unconstify(Filter *, filter),
							limit))
		listed = note(listed, lfirst(lc), "AVAILABLE");
	foreach(lc, job_list_unfinished(JOB_BACKUP))
	{
		const Job  *job = lfirst(lc);
		Backup		backup;

		CHECK_FOR_INTERRUPTS();
		if (after && strcmp(job->id, after) <= 0)
			continue;
		archive_backup_of_job(job, &backup);
		if (passes(&backup, unconstify(Filter *, filter)) &&
			job_find(JOB_BACKUP, job->id) != NULL)
			listed = note(listed, &backup, "CREATING");
	}
	return listed;
}

/* One that is being made has no relation yet: it is the user's to know of. */
static bool
passes(const Backup *backup, void *arg)
{
	const Filter *filter = arg;
	int64		created = wire_milliseconds(backup->created_at);

	return (backup->system ? filter->system : filter->user) &&
		(filter->table == NULL ||
		 strcmp(backup->table_name, filter->table) == 0) &&
		created >= filter->from && created < filter->to &&
		(!OidIsValid(backup->relid) || schema_may_use(backup->relid));
}

static List *
note(List *listed, const Backup *backup, const char *status)
{
	const char *arn = wire_backup_arn(backup->table_name, backup->id);
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "TableName", backup->table_name);
	wire_string_member(&out, "TableId", backup->table_id);
	wire_string_member(&out, "TableArn", wire_table_arn(backup->table_name));
	archive_append_backup(&out, NULL, backup, arn, status);
	appendStringInfoChar(&out, '}');
	return shard_note_listed(listed, arn, out.data);
}
