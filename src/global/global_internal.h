/*-------------------------------------------------------------------------
 *
 * global_internal.h
 *	  What the files about global tables share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_GLOBAL_INTERNAL_H
#define DYNAMO_GLOBAL_INTERNAL_H

#include "postgres.h"

#include "control/control_tables.h"
#include "global/global.h"
#include "region/region.h"

/* global_request.c: an element of ReplicaUpdates */
typedef enum GlobalAction
{
	GLOBAL_CREATE,
	GLOBAL_UPDATE,
	GLOBAL_DELETE,
	GLOBAL_DISASSOCIATE
} GlobalAction;

#define GLOBAL_ACTIONS			4

typedef struct GlobalUpdate
{
	GlobalAction action;
	const char *region;
	json_t	   *members;		/* of the action */
} GlobalUpdate;

extern List *global_read_updates(const ControlUpdateTable *r);

/* global_update.c: "what": "replicas", "witnesses" */
extern void global_refuse_missing(const char *what, const char *region)
			pg_attribute_noreturn();

/* global_region.c */
extern bool global_is_region(const char *name);
extern char *global_list_regions(void);

/* global_apply.c */
extern const char *global_settings_of(const TableDef *def);
extern bool global_setting_goes(const char *name);
extern bool global_apply_setting(const char *table, const char *name,
								 json_t *value, const json_t *billing);

/* global_policy.c */
extern void global_check_policies(const DynamoRequest *request,
								  const List *updates, const TableDef *def);

/* global_override.c */
extern void global_check_overrides(const GlobalUpdate *update,
								   const TableDef *def);
extern const char *global_merge_overrides(const char *old,
										  const json_t *members);

#endif							/* DYNAMO_GLOBAL_INTERNAL_H */
