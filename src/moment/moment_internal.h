/*-------------------------------------------------------------------------
 *
 * moment_internal.h
 *	  What the files of this folder share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_MOMENT_INTERNAL_H
#define DYNAMO_MOMENT_INTERNAL_H

#include "postgres.h"

#include "moment/moment.h"
#include "shard/shard.h"

/* The version of an item that is missing */
#define MOMENT_MISSING	INT64CONST(0)

/* moment_settled.c: as moment_read() */
extern bool moment_read_settled(EngineGet *gets, int n);

/* moment_node.c */
extern Datum moment_array(Datum *values, bool *nulls, int n);

#endif							/* DYNAMO_MOMENT_INTERNAL_H */
