/*-------------------------------------------------------------------------
 *
 * region_internal.h
 *	  What the files of regions share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_REGION_INTERNAL_H
#define DYNAMO_REGION_INTERNAL_H

#include "postgres.h"

#include "meta/meta.h"
#include "region/region.h"

/* region_row.c */
extern bool region_row_delete(const char *name);

/* region_server.c: its OID; an error if there is none that can be a region */
extern Oid	region_server(const char *name);

/* region_conflict.c */
extern void region_conflict_forget(Oid relid);

/* region_version.c */
extern void region_version_init(void);

#endif							/* DYNAMO_REGION_INTERNAL_H */
