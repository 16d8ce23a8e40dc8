/*-------------------------------------------------------------------------
 *
 * control.h
 *	  The operations about tables, indexes, streams and what belongs to them,
 *	  other than the items: for each a shape and a handler, which the table of
 *	  commands (operation_table.c) brings together.
 *
 * A handler gets the request, whose input wire_fill() has filled by the shape,
 * raises the exceptions of the service, and appends the answer's JSON object.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CONTROL_H
#define DYNAMO_CONTROL_H

#include "postgres.h"

#include "engine/engine.h"
#include "nodes/pg_list.h"
#include "policy/policy.h"
#include "wire/wire.h"

/* control_update.c: is a change of the table's indexes left to a worker? */
extern bool control_builds_later(const DynamoRequest *request,
								 const TableDef *def);

/* control_table.c */
extern const WireShape control_describe_table_shape;
extern const WireShape control_delete_table_shape;
extern const WireShape control_list_tables_shape;
extern const WireShape control_empty_shape;
extern void control_create_table(DynamoRequest *request, StringInfo out);
extern void control_describe_table(DynamoRequest *request, StringInfo out);
extern void control_delete_table(DynamoRequest *request, StringInfo out);
extern void control_list_tables(DynamoRequest *request, StringInfo out);
extern void control_describe_limits(DynamoRequest *request, StringInfo out);
extern void control_describe_endpoints(DynamoRequest *request, StringInfo out);

/* control_new_settings.c */
extern const char *control_attached_settings(bool index, TimestampTz now);

/* control_update.c */
extern void control_update_table(DynamoRequest *request, StringInfo out);

/* control_shape.c */
extern const WireShape control_create_table_shape;
extern const WireShape control_update_table_shape;
extern const WireShape control_tag_resource_shape;
extern const WireShape control_untag_resource_shape;
extern const WireShape control_list_tags_shape;

/* control_tag.c */
extern void control_tag_resource(DynamoRequest *request, StringInfo out);
extern void control_untag_resource(DynamoRequest *request, StringInfo out);
extern void control_list_tags(DynamoRequest *request, StringInfo out);

/* control_ttl.c */
extern const WireShape control_update_ttl_shape;
extern const WireShape control_describe_ttl_shape;
extern void control_update_ttl(DynamoRequest *request, StringInfo out);
extern void control_describe_ttl(DynamoRequest *request, StringInfo out);

/*
 * control_scaling.c: what maintenance does with the policies of one table is a
 * transaction.
 */
typedef struct ControlScaling
{
	const char *table;			/* its name */
	const char *index;			/* NULL: the table */
	const char *dimension;		/* ReadCapacityUnits, WriteCapacityUnits */
	int64		least;			/* units */
	int64		most;
	double		target;			/* percent of the units */
	bool		only_out;		/* never scale in */
} ControlScaling;

extern void control_set_scaling(const ControlScaling *policy);
extern bool control_drop_scaling(const char *table, const char *index,
								 const char *dimension);
extern List *control_scaled_tables(void);
extern void control_scale_table(const char *table);

/* control_throughput.c: defines its setting */
extern void control_throughput_init(void);

extern const WireShape control_restore_from_backup_shape;
extern const WireShape control_restore_to_time_shape;

/* control_policy.c */
extern const WireShape control_policy_shape;
extern void control_put_policy(DynamoRequest *request, StringInfo out);
extern void control_get_policy(DynamoRequest *request, StringInfo out);
extern void control_delete_policy(DynamoRequest *request, StringInfo out);

/*
 * control_shared.c: what is the same at all nodes of a cluster.  The key of a
 * row is the access key's id; names of a role and a policy; names of a table
 * and of a stream, "" for none.
 */
typedef enum ControlShared
{
	CONTROL_ACCESS_KEY,
	CONTROL_ROLE_POLICY,
	CONTROL_RESOURCE_POLICY
} ControlShared;

extern void control_share_row(ControlShared kind, const char *first,
							  const char *second);
extern void control_joined(void);

/* control_kinesis.c, control_insights.c */
extern const WireShape control_describe_kinesis_shape;
extern const WireShape control_kinesis_shape;
extern const WireShape control_update_kinesis_shape;
extern const WireShape control_insights_shape;
extern const WireShape control_update_insights_shape;
extern const WireShape control_list_insights_shape;
extern void control_describe_kinesis(DynamoRequest *request, StringInfo out);
extern void control_enable_kinesis(DynamoRequest *request, StringInfo out);
extern void control_disable_kinesis(DynamoRequest *request, StringInfo out);
extern void control_update_kinesis(DynamoRequest *request, StringInfo out);
extern void control_describe_insights(DynamoRequest *request, StringInfo out);
extern void control_update_insights(DynamoRequest *request, StringInfo out);
extern void control_list_insights(DynamoRequest *request, StringInfo out);

#endif							/* DYNAMO_CONTROL_H */
