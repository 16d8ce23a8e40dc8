/*-------------------------------------------------------------------------
 *
 * balance.h
 *	  What the shards of distributed tables bear, and which of them should move.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BALANCE_H
#define DYNAMO_BALANCE_H

#include "postgres.h"

#include "meta/meta.h"

/* balance_load.c */
extern void balance_each_load(int seconds, MetaTakeRow take, void *arg);

/* balance_move.c */
extern void balance_move(bool start, double access_weight, int seconds,
						 const char *mode, MetaTakeRow take, void *arg);

#endif							/* DYNAMO_BALANCE_H */
