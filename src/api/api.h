/*-------------------------------------------------------------------------
 *
 * api.h
 *	  The DynamoDB API: one row an operation, JSON in, JSON out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_H
#define DYNAMO_API_H

#include "postgres.h"

#include "engine/engine.h"

/*
 * api_dispatch.c
 *
 * Runs one operation in the current transaction and returns the response's
 * JSON text.  Raises the operation's exceptions (base.h).
 */
extern StringInfo api_call(const char *operation, const char *request,
						   size_t request_len);

#endif							/* DYNAMO_API_H */
