/*-------------------------------------------------------------------------
 *
 * global.h
 *	  Operations about tables in several regions: for each a shape and a
 *	  handler, as those in control.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_GLOBAL_H
#define DYNAMO_GLOBAL_H

#include "postgres.h"

#include "base/base_request.h"
#include "lib/stringinfo.h"
#include "schema/schema.h"
#include "wire/wire.h"

/* global_update.c: UpdateTable, whatever it changes; its shape is control's */
extern void global_update_table(DynamoRequest *request, StringInfo out);

/*
 * global_shared.c: settings that all regions share.  Documents are JSON text.
 * The first is for work of the server, or by the table's owner: the document of
 * a table, NULL if it has none, unless one is to begin.
 */
extern void global_init(void);
extern const char *global_share_settings(const TableDef *def, bool begin);
extern const char *global_merge_settings(const char *table,
										 const char *document);
extern bool global_same_settings(const char *a, const char *b);

/* global_scaling.c */
extern const WireShape global_describe_scaling_shape;
extern const WireShape global_update_scaling_shape;
extern void global_describe_scaling(DynamoRequest *request, StringInfo out);
extern void global_update_scaling(DynamoRequest *request, StringInfo out);

/* global_legacy.c */
extern const WireShape global_legacy_shape;
extern const WireShape global_create_legacy_shape;
extern const WireShape global_update_legacy_shape;
extern const WireShape global_list_legacy_shape;
extern void global_create_legacy(DynamoRequest *request, StringInfo out);
extern void global_update_legacy(DynamoRequest *request, StringInfo out);
extern void global_describe_legacy(DynamoRequest *request, StringInfo out);
extern void global_find_legacy(DynamoRequest *request, StringInfo out);
extern void global_list_legacy(DynamoRequest *request, StringInfo out);

#endif							/* DYNAMO_GLOBAL_H */
