/*-------------------------------------------------------------------------
 *
 * control_tables.h
 *	  Tables as requests know them, for the rooms above that make or describe
 *	  tables, too: shapes and checks of their members, settings, definitions.
 *
 * A table's and an index's settings (TableDef.settings, IndexDef.settings)
 * are a JSON object with members as TableDescription has them, plus
 * "BillingMode", "Tags" and "StreamTags".  A change of one member keeps the
 * others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CONTROL_TABLES_H
#define DYNAMO_CONTROL_TABLES_H

#include "postgres.h"

#include "control/control.h"
#include "job/job.h"
#include "schema/schema.h"

/* Prefixes of the service's texts. */
#define IN_USE		"Attempt to change a resource which is still in use: "
#define NOT_FOUND	"Requested resource not found: "
#define SUBSCRIBER_LIMIT	"Subscriber limit exceeded: "
#define CONTROL_INVALID		"Invalid Request: "

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

/* Values of BillingMode: 0 is "not given". */
#define CONTROL_BILLING_PROVISIONED		1
#define CONTROL_BILLING_ON_DEMAND		2

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
	json_t	   *witnesses;
	int			consistency;	/* MultiRegionConsistency; 0: not given */
	int			settings_mode;	/* GlobalTableSettingsReplicationMode; 0 */
	WireBoolean membership_protection;	/* DisassociationProtectionEnabled */
	const char *table_class;
	WireBoolean protection;
	json_t	   *on_demand;
	json_t	   *warm;
	json_t	   *vector_updates;
} ControlUpdateTable;

/* Values of MultiRegionConsistency. */
#define CONTROL_EVENTUAL				1
#define CONTROL_STRONG					2

/* Values of GlobalTableSettingsReplicationMode. */
#define CONTROL_SETTINGS_ENABLED		1
#define CONTROL_SETTINGS_DISABLED		2
#define CONTROL_SETTINGS_OVERRIDES		3

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
	json_t	   *vectors;
	json_t	   *throughput;
	json_t	   *on_demand;
	json_t	   *encryption;
} ControlRestore;

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
extern const WireShape control_table_parameters_shape;	/* ControlCreateTable */

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
	bool		regions;		/* the replicas, which were these: */
	const List *replicas;		/* of RegionReplica * */
	const char *restore;		/* RestoreSummary, JSON text; NULL: none */
} ControlTableChange;

extern const char *control_state_name(ControlTableState state);
extern void control_append_keys(StringInfo out, const KeyAttr *hash, int nhash,
								const KeyAttr *range, int nrange);
extern void control_append_attributes(StringInfo out, const TableDef *def);
extern const IndexDef **control_ordered_indexes(const TableDef *def, bool local,
												int *count);
extern const IndexDef **control_ordered_vectors(const TableDef *def);
extern void control_append_index_key(StringInfo out, const IndexDef *index);
extern void control_append_vector(StringInfo out, const IndexDef *index);
extern void control_append_table(StringInfo out, const char *member,
								 const TableDef *def, ControlTableState state,
								 const ControlTableChange *change);

/*
 * control_scaling.c: policies, a member of a table's settings: an object by the
 * names of what they are about
 */
#define CONTROL_AUTO_SCALING	"AutoScaling"

extern const char *control_scaling_name(const char *index,
										const char *dimension);
extern const char *control_scaling_text(const ControlScaling *policy);
extern bool control_scales_writes(const json_t *settings, const char *index);

/* control_replicas.c: of global tables */
#define CONTROL_OVERRIDDEN	"ENABLED_WITH_OVERRIDES"

extern ControlTableState control_state(const TableDef *def);
extern bool control_is_busy(const TableDef *def);
extern void control_refuse_busy(const TableDef *def);
extern void control_refuse_source(const TableDef *def);
extern bool control_keeps_membership(const json_t *settings);
extern void control_append_replicas(StringInfo out, const TableDef *def,
									json_t *settings, const List *replicas);

/* control_table.c: the definition of a table that it has made */
extern const TableDef *control_make_table(const ControlCreateTable *request);

/* control_definition.c */
extern char *control_definition(const TableDef *def);

/* control_names.c */
extern int	control_first_duplicate_key(const KeyAttr *attrs, int n);
extern int *control_sort_names(const KeyAttr *attrs, int n);
extern char *control_list_names(const KeyAttr *attrs, int n);

/* control_encryption.c */
extern void control_check_encryption(json_t *specification);

/* control_update.c: what needs no table, of any request */
extern void control_check_update(const ControlUpdateTable *request);
extern void control_check_class(const char *class);

/* control_find.c */
extern const TableDef *control_find_table(const char *name_or_arn,
										  const char *action);
extern const char *control_find_source(const char *name_or_arn,
									   const char *action, bool echo);
extern void control_require_table(const char *name_or_arn);
extern void control_check_old_name(const char *member, const char *path,
								   const char *name);
extern void control_refuse_filling(const TableDef *def);

/* control_pending.c */
extern TableSpec *control_pending_spec(const json_t *request,
									   TimestampTz created_at);
extern void control_append_pending(StringInfo out, const char *member,
								   const Job *job);
extern const Job *control_pending_restore(const char *name_or_arn);
extern void control_refuse_pending(const char *name_or_arn);
extern const Job *control_restore_of_backup(const char *id);

#endif							/* DYNAMO_CONTROL_TABLES_H */
