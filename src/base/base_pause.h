/*-------------------------------------------------------------------------
 *
 * base_pause.h
 *	  Points at which a test can have a session stand still.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_PAUSE_H
#define DYNAMO_BASE_PAUSE_H

#include "postgres.h"

/*
 * With assertions, where dynamo_test.pause names the point: wait for the
 * holder of advisory lock 1.
 */
#ifdef USE_ASSERT_CHECKING
extern void dynamo_pause(const char *point);
#else
#define dynamo_pause(point) ((void) 0)
#endif

#endif							/* DYNAMO_BASE_PAUSE_H */
