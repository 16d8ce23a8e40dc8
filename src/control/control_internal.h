/*-------------------------------------------------------------------------
 *
 * control_internal.h
 *	  What the files of the control plane share: the requests about tables,
 *	  their settings, and the names a client knows streams, shards, records
 *	  and positions by.
 *
 * A table's and an index's settings (TableDef.settings, IndexDef.settings)
 * are a JSON object with members as TableDescription has them, plus
 * "BillingMode", "Tags" and "StreamTags".  A change of one member keeps the
 * others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CONTROL_INTERNAL_H
#define DYNAMO_CONTROL_INTERNAL_H

#include "postgres.h"

#include "backup/backup.h"
#include "control/control.h"
#include "job/job.h"
#include "mb/pg_wchar.h"
#include "schema/schema.h"
#include "stream/stream.h"

/* Prefixes of the service's texts. */
#define IN_USE		"Attempt to change a resource which is still in use: "
#define NOT_FOUND	"Requested resource not found: "
#define SUBSCRIBER_LIMIT	"Subscriber limit exceeded: "
#define CONTROL_INVALID		"Invalid Request: "

/* The attributes that a request defines. */
typedef struct ControlAttributes
{
	int			count;
	KeyAttr    *attrs;
	bool	   *used;			/* by a key schema seen so far */
	int		   *by_name;		/* their places, sorted by name */
} ControlAttributes;

/* CreateTable */
typedef struct ControlCreateTable
{
	const char *table_name;
	json_t	   *attributes;
	json_t	   *key_schema;
	int			billing_mode;
	json_t	   *throughput;
	json_t	   *local_indexes;
	json_t	   *global_indexes;
	json_t	   *stream;
	json_t	   *encryption;
	json_t	   *tags;
	const char *table_class;
	WireBoolean protection;
	json_t	   *on_demand;
	json_t	   *warm;
	const char *policy;
	json_t	   *vectors;
} ControlCreateTable;

/* UpdateTable */
typedef struct ControlUpdateTable
{
	const char *table_name;
	json_t	   *attributes;
	int			billing_mode;
	json_t	   *throughput;
	json_t	   *index_updates;
	json_t	   *stream;
	json_t	   *encryption;
	json_t	   *replicas;
	const char *table_class;
	WireBoolean protection;
	json_t	   *on_demand;
	json_t	   *warm;
} ControlUpdateTable;

/* RestoreTableFromBackup, RestoreTableToPointInTime */
typedef struct ControlRestore
{
	const char *target;			/* TargetTableName */
	const char *backup;			/* BackupArn */
	const char *source;			/* SourceTableName */
	const char *source_arn;
	WireBoolean latest;			/* UseLatestRestorableTime */
	json_t	   *time;			/* RestoreDateTime */
	int			billing_mode;	/* and other overrides */
	json_t	   *global_indexes;
	json_t	   *local_indexes;
	json_t	   *throughput;
	json_t	   *on_demand;
	json_t	   *encryption;
} ControlRestore;

/* Values of BillingMode: 0 is "not given". */
#define CONTROL_BILLING_PROVISIONED		1
#define CONTROL_BILLING_ON_DEMAND		2

/* Values of KeyType and ProjectionType, likewise. */
#define CONTROL_KEY_HASH				1
#define CONTROL_KEY_RANGE				2

/* A member of a fresh GSI, as the request has it. */
typedef struct ControlIndexRequest
{
	const char *name;
	json_t	   *key_schema;
	json_t	   *projection;
	json_t	   *throughput;
	json_t	   *on_demand;
	json_t	   *warm;
} ControlIndexRequest;

/* Inner structures are read member by member: nothing is filled. */
#define CONTROL_MEMBER(json_name, field_shape) \
	{.name = json_name, .shape = &field_shape}
#define CONTROL_REQUIRED(json_name, field_shape) \
	{.name = json_name, .shape = &field_shape, .required = true}

/* control_shape.c */
extern const WireShape control_table_name_shape;	/* a table's, 3 to 255 */
extern const WireShape control_resource_arn_shape;
extern const WireShape control_table_arn_shape;
extern const WireShape control_backup_arn_shape;
extern const WireShape control_job_arn_shape;
extern const WireShape control_index_shape; /* fills ControlIndexRequest */
extern const WireShape control_table_parameters_shape;	/* ControlCreateTable */

/* control_check.c */
extern void control_check_create_table(const ControlCreateTable *request,
									   TableSpec *spec);
extern void control_check_create_quotas(const ControlCreateTable *request);
extern void control_check_new_index(const ControlIndexRequest *request,
									const ControlUpdateTable *update,
									const TableDef *def, IndexDef *index);

/* control_settings.c */
extern json_t *control_settings(const char *settings);
extern const char *control_settings_set(const char *settings, const char *member,
										const char *value);
extern const char *control_settings_remove(const char *settings,
										   const char *member);
extern void control_append_changed(StringInfo out, const json_t *object,
								   const char *member, const char *value);
extern bool control_is_on_demand(const json_t *settings);
extern const char *control_set_billing(const char *settings, bool on_demand,
									   TimestampTz now);

/* control_throughput.c */
extern const char *control_new_throughput(const char *index, bool added,
										  bool is_on_demand, json_t *throughput,
										  json_t *on_demand, json_t *warm);
extern void control_check_bounds(const char *index, json_t *throughput);
extern void control_check_quota(const char *index, json_t *throughput);
extern bool control_same_throughput(const json_t *settings, json_t *throughput,
									int64 *read, int64 *write);
extern const char *control_set_throughput(const char *settings,
										  json_t *throughput);
extern const char *control_end_throughput(const char *settings, bool index);
extern const char *control_changing_throughput(const char *old_settings,
											   const char *settings);
extern void control_check_decrease(const json_t *settings, json_t *throughput);
extern bool control_may_decrease(const json_t *settings);
extern void control_append_throughput(StringInfo out, json_t *settings);
extern void control_check_on_demand(const char *index, json_t *on_demand,
									bool is_on_demand);
extern const char *control_set_on_demand(const char *settings, json_t *on_demand);
extern const char *control_told_on_demand(const char *settings,
										  json_t *on_demand);
extern void control_check_warm(const char *index, json_t *warm,
							   const json_t *settings);
extern const char *control_set_warm(const char *settings, json_t *warm);
extern bool control_is_given(json_t *units);

/* control_describe.c */
typedef enum ControlTableState
{
	CONTROL_TABLE_CREATING,
	CONTROL_TABLE_ACTIVE,
	CONTROL_TABLE_UPDATING,
	CONTROL_TABLE_DELETING
} ControlTableState;

/* What a request has just begun to change. */
typedef struct ControlTableChange
{
	const char *index;			/* one created or deleted; NULL: none */
	ControlTableState index_state;
	const char **updated;		/* indexes updated */
	int			nupdated;
	bool		billing;		/* the mode, of all global indexes, too */
	bool		warm;			/* WarmThroughput */
	bool		encryption;		/* SSESpecification */
	const char *restore;		/* RestoreSummary, JSON text; NULL: none */
} ControlTableChange;

extern void control_append_keys(StringInfo out, const KeyAttr *hash, int nhash,
								const KeyAttr *range, int nrange);
extern void control_append_attributes(StringInfo out, const TableDef *def);
extern const IndexDef **control_ordered_indexes(const TableDef *def, bool local,
												int *count);
extern void control_append_index_key(StringInfo out, const IndexDef *index);
extern void control_append_table(StringInfo out, const char *member,
								 const TableDef *def, ControlTableState state,
								 const ControlTableChange *change);

/* control_table.c: the definition of a table that it has made */
extern const TableDef *control_make_table(const ControlCreateTable *request);

/*
 * control_job.c: what clients know jobs by.  "part" is what stands in the ARN
 * between the table and the id: "import".
 */
extern char *control_job_arn(const Job *job, const char *part);
extern const char *control_job_id(const char *arn, const char *part);
extern const char *control_job_status(const Job *job);
/* A job that has failed, with a FailureCode */
extern void control_append_job_failure(StringInfo out, const Job *job);
extern void control_append_job_times(StringInfo out, const Job *job);
extern void control_append_job_member(StringInfo out, const json_t *request,
									  const char *member);
/* What a job keeps of its request, JSON text, has no NUL, as jsonb has none */
extern void control_drop_nul(char *json);
extern void control_list_jobs(StringInfo out, JobKind kind,
							  const char *table, const char *next_token,
							  int limit, const char *member,
							  void (*append) (StringInfo out, const Job *job));

/* control_definition.c */
extern char *control_definition(const TableDef *def);

/* control_names.c */
extern int	control_first_duplicate_key(const KeyAttr *attrs, int n);
extern int *control_sort_names(const KeyAttr *attrs, int n);
extern char *control_list_names(const KeyAttr *attrs, int n);

/* control_encryption.c */
extern void control_check_encryption(json_t *specification);
extern void control_check_encryption_change(json_t *specification,
											json_t *settings);
extern const char *control_set_encryption(const char *settings,
										  json_t *specification);
extern void control_append_encryption(StringInfo out, json_t *settings,
									  bool changing);

/* control_absent.c */
extern void control_check_replicas(json_t *updates);

/* control_policy.c */
extern void control_check_new_policy(const char *table, const char *policy);
extern void control_attach_new_policy(const TableDef *def, const char *policy);
extern void control_forget_policies(const TableDef *def);

/* control_letter.c */
extern bool control_is_letter(pg_wchar c);

/* control_tag.c */
extern void control_check_tags(json_t *tags);
extern const char *control_tags_text(json_t *tags);

typedef struct ControlTagRequest
{
	const char *arn;
	json_t	   *tags;
	json_t	   *keys;
	const char *next_token;
} ControlTagRequest;

/* control_find.c */
extern const TableDef *control_find_table(const char *name_or_arn,
										  const char *action);
extern const char *control_find_source(const char *name_or_arn,
									   const char *action, bool echo);
extern void control_require_table(const char *name_or_arn);
extern void control_check_old_name(const char *member, const char *path,
								   const char *name);
extern void control_refuse_filling(const TableDef *def);

/* control_backup.c */
extern const JobHandler control_backup_handler;
extern void control_put_away(const TableDef *def);
extern void control_refuse_backing_up(const TableDef *def);

/* control_backup_show.c */
extern void control_backup_of_job(const Job *job, Backup *backup);
extern void control_append_backup(StringInfo out, const char *member,
								  const Backup *backup,
								  const char *arn, const char *status);
extern void control_append_description(StringInfo out,
									   const Backup *backup,
									   const char *arn, const char *status);

/* control_backup_find.c */
extern const Backup *control_find_backup(const char *arn,
										 const char *action,
										 bool *creating);
extern bool control_is_elsewhere(const char *backup_arn);

/* control_override.c */
extern char *control_restored_table(const ControlRestore *r,
									const json_t *source);

/* control_new_settings.c */
extern const char *control_create_settings(const ControlCreateTable *r,
										   TimestampTz now);

/* control_pending.c */
extern TableSpec *control_pending_spec(const json_t *request,
									   TimestampTz created_at);
extern void control_append_pending(StringInfo out, const char *member,
								   const Job *job);
extern const Job *control_pending_restore(const char *name_or_arn);
extern void control_refuse_pending(const char *name_or_arn);
extern const Job *control_restore_of_backup(const char *id);

/* control_recovery.c */
extern void control_refuse_recovery(const char *table);

#endif							/* DYNAMO_CONTROL_INTERNAL_H */
