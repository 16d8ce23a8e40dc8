/*-------------------------------------------------------------------------
 *
 * api_table.h
 *	  What the files of the table operations share.
 *
 * A table's and an index's settings (TableDef.settings, IndexDef.settings)
 * are a JSON object with members as TableDescription has them, plus
 * "BillingMode", "Tags" and "StreamTags".  Who changes one member keeps the
 * others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_TABLE_H
#define DYNAMO_API_TABLE_H

#include "postgres.h"

#include "api/api_internal.h"

/* Prefixes of the service's texts. */
#define IN_USE		"Attempt to change a resource which is still in use: "
#define NOT_FOUND	"Requested resource not found: "
#define SUBSCRIBER_LIMIT	"Subscriber limit exceeded: "

/* The attributes that a request defines. */
typedef struct ApiAttributes
{
	int			count;
	KeyAttr    *attrs;
	bool	   *used;			/* by a key schema seen so far */
	int		   *by_name;		/* their places, sorted by name */
} ApiAttributes;

/* CreateTable */
typedef struct ApiCreateTable
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
	ApiBoolean	protection;
	json_t	   *on_demand;
	json_t	   *warm;
	const char *policy;
	json_t	   *vectors;
	const char *source;
	const char *replication_mode;
} ApiCreateTable;

/* UpdateTable */
typedef struct ApiUpdateTable
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
	ApiBoolean	protection;
	json_t	   *on_demand;
	json_t	   *warm;
	json_t	   *vectors;
	json_t	   *witnesses;
	const char *consistency;
	const char *replication_mode;
} ApiUpdateTable;

/* Values of BillingMode: 0 is "not given". */
#define API_BILLING_PROVISIONED		1
#define API_BILLING_ON_DEMAND		2

/* Values of KeyType and ProjectionType, likewise. */
#define API_KEY_HASH				1
#define API_KEY_RANGE				2

/* A member of a fresh GSI, as the request has it. */
typedef struct ApiIndexRequest
{
	const char *name;
	json_t	   *key_schema;
	json_t	   *projection;
	json_t	   *throughput;
	json_t	   *on_demand;
	json_t	   *warm;
} ApiIndexRequest;

/* api_table_shape.c */
extern const ApiShape api_control_name_shape;	/* a table's, 3 to 255 */
extern const ApiShape api_resource_arn_shape;
extern const ApiShape api_create_table_shape;
extern const ApiShape api_update_table_shape;
extern const ApiShape api_index_shape;	/* fills ApiIndexRequest */
extern const ApiShape api_tag_resource_shape;
extern const ApiShape api_untag_resource_shape;
extern const ApiShape api_list_tags_shape;

/* api_table_check.c */
extern void api_check_create_table(const ApiCreateTable *request,
								   TableSpec *spec);
extern void api_check_create_quotas(const ApiCreateTable *request);
extern void api_check_new_index(const ApiIndexRequest *request,
								const ApiUpdateTable *update,
								const TableDef *def, IndexDef *index);

/* api_table_settings.c */
extern json_t *api_settings(const char *settings);
extern const char *api_settings_set(const char *settings, const char *member,
									const char *value);
extern const char *api_settings_remove(const char *settings,
									   const char *member);
extern void api_append_json(StringInfo out, const json_t *value);
extern const char *api_json_document(const json_t *value);
extern void api_append_changed(StringInfo out, const json_t *object,
							   const char *member, const char *value);
extern bool api_is_true(json_t *object, const char *member);
extern bool api_is_on_demand(const json_t *settings);
extern char *api_epoch(int64 timestamp);
extern const char *api_create_settings(const ApiCreateTable *request,
									   TimestampTz now);
extern const char *api_set_billing(const char *settings, bool on_demand,
								   TimestampTz now);

/* api_table_throughput.c */
extern const char *api_new_throughput(const char *index, bool is_on_demand,
									  json_t *throughput, json_t *on_demand,
									  json_t *warm);
extern void api_check_bounds(const char *index, json_t *throughput);
extern void api_check_quota(const char *index, json_t *throughput);
extern bool api_same_throughput(const json_t *settings, json_t *throughput,
								int64 *read, int64 *write);
extern const char *api_set_throughput(const char *settings,
									  json_t *throughput);
extern void api_append_throughput(StringInfo out, json_t *settings);
extern void api_check_on_demand(const char *index, json_t *on_demand,
								bool is_on_demand);
extern const char *api_set_on_demand(const char *settings, json_t *on_demand);
extern void api_check_warm(const char *index, json_t *warm,
						   const json_t *settings);
extern const char *api_set_warm(const char *settings, json_t *warm);
extern bool api_is_given(json_t *units);

/* api_table_describe.c */
typedef enum ApiTableState
{
	API_TABLE_CREATING,
	API_TABLE_ACTIVE,
	API_TABLE_UPDATING,
	API_TABLE_DELETING
} ApiTableState;

/* What a request has just begun to change. */
typedef struct ApiTableChange
{
	const char *index;			/* one created or deleted; NULL: none */
	ApiTableState index_state;
	const char **updated;		/* indexes updated */
	int			nupdated;
	bool		billing;		/* the mode, of all global indexes, too */
	bool		warm;			/* WarmThroughput */
} ApiTableChange;

extern char *api_table_arn(const char *name);
extern void api_append_keys(StringInfo out, const KeyAttr *hash, int nhash,
							const KeyAttr *range, int nrange);
extern void api_append_table(StringInfo out, const char *member,
							 const TableDef *def, ApiTableState state,
							 const ApiTableChange *change);

/* api_table_names.c */
extern int	api_first_duplicate(const char *const *names, int count);
extern int	api_first_duplicate_key(const KeyAttr *attrs, int n);
extern int *api_sort_names(const KeyAttr *attrs, int n);
extern char *api_list_names(const KeyAttr *attrs, int n);

/* api_table_stream.c */
extern void api_check_new_stream(json_t *specification);
extern void api_check_stream_change(json_t *specification);
extern void api_check_stream_state(json_t *specification, const TableDef *def);
extern void api_change_stream(json_t *specification, const char *table);
extern void api_append_stream(StringInfo out, const TableDef *def);

/* api_table_absent.c */
extern void api_check_replicas(json_t *updates);
extern void api_refuse(const char *member, bool given);

/* api_table_update.c */
extern void api_update_table(const void *request, StringInfo out);

/* api_table_tag.c */
extern void api_check_tags(json_t *tags);
extern const char *api_tags_text(json_t *tags);
extern const char *api_resource_table(const char *arn);
extern void api_tag_resource(const void *request, StringInfo out);
extern void api_untag_resource(const void *request, StringInfo out);
extern void api_list_tags(const void *request, StringInfo out);

typedef struct ApiTagRequest
{
	const char *arn;
	json_t	   *tags;
	json_t	   *keys;
	const char *next_token;
} ApiTagRequest;

/* api_table.c */
extern const TableDef *api_find_table(const char *name_or_arn);
extern void api_require_table(const char *name_or_arn);

#endif							/* DYNAMO_API_TABLE_H */
