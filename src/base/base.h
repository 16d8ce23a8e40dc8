/*-------------------------------------------------------------------------
 *
 * base.h
 *	  The exceptions of the DynamoDB API and the limits that several layers
 *	  must agree on.  Every other folder stands on this one; this one stands
 *	  on PostgreSQL alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_H
#define DYNAMO_BASE_H

#include "postgres.h"

#include "base/compat.h"

/* Limits of the service, in bytes unless said otherwise. */
#define DYNAMO_MAX_ITEM_SIZE		409600	/* DynamoDB's size, see item_size() */
#define DYNAMO_MAX_PARTITION_KEY	2048
#define DYNAMO_MAX_SORT_KEY			1024
#define DYNAMO_MAX_NESTING			31	/* lists and maps in one another */
#define DYNAMO_MAX_EXPRESSION		4096
#define DYNAMO_MAX_OPERATORS		300 /* operators and functions */
#define DYNAMO_MAX_IN_OPERANDS		100
#define DYNAMO_MAX_PATH_DEPTH		32	/* elements of a document path */
#define DYNAMO_MAX_PAGE				1048576 /* one page of Query or Scan */
#define DYNAMO_MAX_TRANSACT_ITEMS	100
#define DYNAMO_MAX_KEY_ATTRS		4	/* HASH or RANGE attributes of a GSI */
#define DYNAMO_MAX_GSI				20
#define DYNAMO_MAX_LSI				5

/* Texts of the service, or their beginnings. */
#define DYNAMO_INVALID		"One or more parameter values were invalid: "
#define DYNAMO_NOT_VALID	"One or more parameter values are not valid. "
#define DYNAMO_CONFLICT		"Transaction is ongoing for the item"
#define DYNAMO_TRIMMED		"The data you are trying to access has been trimmed"

/*
 * The exceptions.  Each has one SQLSTATE in class ND and one row in
 * base_error.c; the number is the row and the end of the SQLSTATE.
 */
typedef enum DynamoException
{
	DYNAMO_VALIDATION = 0,
	DYNAMO_SERIALIZATION,
	DYNAMO_UNKNOWN_OPERATION,
	DYNAMO_RESOURCE_NOT_FOUND,
	DYNAMO_RESOURCE_IN_USE,
	DYNAMO_TABLE_NOT_FOUND,
	DYNAMO_LIMIT_EXCEEDED,
	DYNAMO_CONDITIONAL_CHECK_FAILED,
	DYNAMO_TRANSACTION_CANCELED,
	DYNAMO_TRANSACTION_CONFLICT,
	DYNAMO_TRANSACTION_IN_PROGRESS,
	DYNAMO_IDEMPOTENT_PARAMETER_MISMATCH,
	DYNAMO_ITEM_COLLECTION_SIZE_LIMIT,
	DYNAMO_DUPLICATE_ITEM,
	DYNAMO_ACCESS_DENIED,
	DYNAMO_INTERNAL_SERVER_ERROR,
	DYNAMO_MISSING_AUTHENTICATION_TOKEN,
	DYNAMO_INCOMPLETE_SIGNATURE,
	DYNAMO_INVALID_SIGNATURE,
	DYNAMO_UNRECOGNIZED_CLIENT,
	DYNAMO_EXPIRED_ITERATOR,
	DYNAMO_TRIMMED_DATA_ACCESS,
	DYNAMO_SERVICE_UNAVAILABLE,
	DYNAMO_POLICY_NOT_FOUND,
	DYNAMO_GLOBAL_TABLE_NOT_FOUND,
	DYNAMO_BACKUP_NOT_FOUND,
	DYNAMO_POINT_IN_TIME_RECOVERY_UNAVAILABLE,
	DYNAMO_EXPORT_NOT_FOUND
} DynamoException;

#define DYNAMO_EXCEPTION_COUNT (DYNAMO_EXPORT_NOT_FOUND + 1)

/* base_error.c */
extern void dynamo_error(DynamoException e, const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(2, 3);
extern void dynamo_error_with_fields(DynamoException e, const char *fields,
									 const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(3, 4);
extern char *dynamo_format(const char *fmt, va_list args)
			pg_attribute_printf(1, 0);
extern const char *dynamo_caught(DynamoException e, MemoryContext context);
extern bool dynamo_exception_of(int sqlerrcode, DynamoException *e);
extern const char *dynamo_exception_type(DynamoException e);

/* base_java.c */
extern uint32 dynamo_java_bucket(const char *text, uint32 len, int count);

#endif							/* DYNAMO_BASE_H */
