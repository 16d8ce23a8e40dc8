/*-------------------------------------------------------------------------
 *
 * base_request.h
 *	  The requests of a process that executes one after the other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_REQUEST_H
#define DYNAMO_BASE_REQUEST_H

#include "postgres.h"

#include "access/xlogdefs.h"

extern void dynamo_request_begin(int timeout);
extern XLogRecPtr dynamo_request_commit(void);
extern void dynamo_request_abort(void);

/* In any session */
extern void dynamo_commit_first(void);

#endif							/* DYNAMO_BASE_REQUEST_H */
