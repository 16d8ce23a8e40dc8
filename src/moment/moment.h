/*-------------------------------------------------------------------------
 *
 * moment.h
 *	  Items of several nodes, as of one moment.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_MOMENT_H
#define DYNAMO_MOMENT_H

#include "postgres.h"

#include "engine/engine.h"

/*
 * moment_read.c
 *
 * Items that engine_transact_get() has left, in the current context.  False: they
 * cannot be read, since others always change those that are contended.
 */
extern bool moment_read(EngineGet *gets, int n);

#endif							/* DYNAMO_MOMENT_H */
