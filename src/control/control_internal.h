/*-------------------------------------------------------------------------
 *
 * control_internal.h
 *	  What the files of the control plane share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CONTROL_INTERNAL_H
#define DYNAMO_CONTROL_INTERNAL_H

#include "postgres.h"

#include "backup/backup.h"
#include "control/control_tables.h"
#include "mb/pg_wchar.h"
#include "stream/stream.h"

/* The attributes that a request defines. */
typedef struct ControlAttributes
{
	int			count;
	KeyAttr    *attrs;
	bool	   *used;			/* by a key schema seen so far */
	int		   *by_name;		/* their places, sorted by name */
} ControlAttributes;

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

/* The same of a vector index. */
typedef struct ControlVectorRequest
{
	const char *name;
	json_t	   *attribute;		/* VectorAttribute */
	json_t	   *search_schema;
	json_t	   *projection;
	WireInteger dimensions;
	int			distance;		/* 1 + a VectorDistance */
} ControlVectorRequest;

/* control_pending.c */
extern void control_describe_missing(DynamoRequest *request, const char *name);

/* control_shape.c */
extern const WireShape control_index_shape; /* fills ControlIndexRequest */
extern const WireShape control_vector_shape;	/* fills ControlVectorRequest */

/* control_attribute.c */
extern ControlAttributes control_read_attributes(json_t *list);
extern void control_check_duplicates(const ControlAttributes *attributes);
extern char control_find_type(ControlAttributes *attributes, const char *name);
extern void control_read_projection(json_t *projection, IndexDef *index);
extern void control_check_new_name(const char *name, const TableDef *def);
extern void control_check_redefined(const ControlAttributes *attributes,
									const TableDef *def);
extern const KeyAttr *control_find_key(const TableDef *def, const char *name);

/* control_check.c */
extern void control_check_create_table(const ControlCreateTable *request,
									   TableSpec *spec);
extern void control_check_create_quotas(const ControlCreateTable *request);
extern void control_check_new_index(const ControlIndexRequest *request,
									const ControlUpdateTable *update,
									const TableDef *def, IndexDef *index);

/* control_vector.c */
extern void control_mark_vectors(json_t *vectors,
								 ControlAttributes *attributes);
extern void control_check_vectors(json_t *vectors,
								  ControlAttributes *attributes,
								  TableSpec *spec);
extern void control_check_new_vector(json_t *create,
									 const ControlUpdateTable *update,
									 const TableDef *def, bool on_demand,
									 IndexDef *index);
extern const char *control_read_vector_updates(json_t *updates,
											   bool *created);

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

/* control_encryption.c */
extern void control_check_encryption_change(json_t *specification,
											json_t *settings);
extern const char *control_set_encryption(const char *settings,
										  json_t *specification);
extern void control_append_encryption(StringInfo out, json_t *settings,
									  bool changing);

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

/* control_new_settings.c */
extern const char *control_create_settings(const ControlCreateTable *r,
										   TimestampTz now);

#endif							/* DYNAMO_CONTROL_INTERNAL_H */
