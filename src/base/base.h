/*-------------------------------------------------------------------------
 *
 * base.h
 *	  The exceptions of the DynamoDB API, the limits that several folders must
 *	  agree on, and the messages that caches depend on.  Every other folder
 *	  stands on this one; this one stands on PostgreSQL alone.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_H
#define DYNAMO_BASE_H

#include "postgres.h"

#include "access/xlogdefs.h"
#include "base/compat.h"
#include "utils/hsearch.h"

/* Limits of the service, in bytes unless said otherwise. */
/* Bytes an item may have as DynamoDB counts them, see item_size() */
#define DYNAMO_MAX_ITEM_SIZE		409600
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
#define DYNAMO_MAX_VECTORS			5	/* vector indexes */
#define DYNAMO_MAX_FILTERS			18	/* INLINE_FILTER attributes of one */
#define DYNAMO_MAX_DIMENSIONS		4096
#define DYNAMO_MAX_FILTER			10240	/* bytes of such an attribute */
#define DYNAMO_MAX_LSI				5
#define DYNAMO_MIN_NAME				3	/* of tables and indexes: characters */
#define DYNAMO_MAX_NAME				255

/* Texts of the service, or their beginnings. */
#define DYNAMO_INVALID		"One or more parameter values were invalid: "
#define DYNAMO_NOT_VALID	"One or more parameter values are not valid. "
#define DYNAMO_COUNTED		"1 validation error detected: "
#define DYNAMO_CONFLICT		"Transaction is ongoing for the item"
#define DYNAMO_TRIMMED		"The data you are trying to access has been trimmed"
#define DYNAMO_UNAVAILABLE	"The service is temporarily unavailable."

/* What a standby refuses; the service has no such thing. */
#define DYNAMO_STANDBY \
	"This server is a standby, which serves eventually consistent reads. " \
	"Send writes and consistent reads to the primary server."

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
	DYNAMO_EXPORT_NOT_FOUND,
	DYNAMO_THROTTLING,
	DYNAMO_PROVISIONED_THROUGHPUT_EXCEEDED,
	DYNAMO_TABLE_ALREADY_EXISTS,
	DYNAMO_TABLE_IN_USE,
	DYNAMO_BACKUP_IN_USE,
	DYNAMO_INVALID_RESTORE_TIME,
	DYNAMO_INVALID_EXPORT_TIME,
	DYNAMO_EXPORT_CONFLICT,
	DYNAMO_IMPORT_NOT_FOUND,
	DYNAMO_IMPORT_CONFLICT
} DynamoException;

#define DYNAMO_EXCEPTION_COUNT (DYNAMO_IMPORT_CONFLICT + 1)

/*
 * Rules that callers have to recognize when they are broken.  They travel with
 * the error as its constraint's name, so that nobody has to read an error's
 * text to know what it is.
 */
#define DYNAMO_RULE_JSON			"request_is_json"
#define DYNAMO_RULE_JSON_MEMORY		"json_takes_little_memory"
#define DYNAMO_RULE_ABSENT			"operation_is_available"
#define DYNAMO_RULE_KEY_NOT_EMPTY	"key_is_not_empty"
#define DYNAMO_RULE_VALUE_COUNT		"value_has_one_type"
#define DYNAMO_RULE_VALUE_FORM		"value_is_well_formed"
#define DYNAMO_RULE_VALUE			"value_is_valid"
#define DYNAMO_RULE_NESTING			"value_is_not_too_deep"
#define DYNAMO_RULE_NAME			"attribute_name_is_not_empty"
#define DYNAMO_RULE_EXPRESSION		"expression_is_valid"
#define DYNAMO_RULE_PLACEHOLDERS	"placeholders_fit"
#define DYNAMO_RULE_MIXING			"parameters_go_together"
#define DYNAMO_RULE_LEGACY_CONDITION	"legacy_condition_is_well_formed"
#define DYNAMO_RULE_RETURN_VALUES	"return_values_fit"
#define DYNAMO_RULE_SELECT			"select_fits"
#define DYNAMO_RULE_BUDGET			"request_is_short"
#define DYNAMO_RULE_SHARE			"role_has_its_share"
#define DYNAMO_RULE_COORDINATOR		"node_is_coordinator"
#define DYNAMO_RULE_ANSWER			"nodes_answer"
#define DYNAMO_RULE_OWNER			"node_owns_the_rows"

/*
 * What an error says to a session beside AWS's text: any of these may be NULL.
 * Answers of the HTTP server have no place for it.
 */
typedef struct DynamoHelp
{
	const char *schema;
	const char *table;
	const char *hint;
} DynamoHelp;

/* base_error.c */
extern void dynamo_error(DynamoException e, const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(2, 3);
extern void dynamo_error_with_help(DynamoException e, const DynamoHelp *help,
								   const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(3, 4);
extern void dynamo_error_with_fields(DynamoException e, const char *fields,
									 const DynamoHelp *help,
									 const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(4, 5);
extern void dynamo_rule_error(DynamoException e, const char *rule,
							  const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(3, 4);
extern void dynamo_rule_error_with_help(DynamoException e, const char *rule,
										const DynamoHelp *help,
										const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(4, 5);
extern bool dynamo_breaks(const ErrorData *error, const char *rule);
extern char *dynamo_format(const char *fmt, va_list args)
			pg_attribute_printf(1, 0);
extern bool dynamo_is_node_lost(int sqlerrcode);

/* Log an error that has been caught; "before" stands before its message. */
extern void dynamo_log_caught(const char *before, const ErrorData *error);
extern void dynamo_rethrow_from_nodes(MemoryContext context)
			pg_attribute_noreturn();
extern ErrorData *dynamo_caught(DynamoException e, MemoryContext context);
extern int	dynamo_rest_of(const ErrorData *error);
extern bool dynamo_exception_of(int sqlerrcode, DynamoException *e);
extern const char *dynamo_exception_type(DynamoException e);

/*
 * base_relation.c: "relid" is the relation that changed, InvalidOid: any may
 * have.  A watcher may be called wherever a lock is taken; it must not fail.
 */
typedef void (*DynamoWatcher) (Oid relid);

extern void dynamo_watch_relations(DynamoWatcher watcher);

/*
 * What this process knows of relations, in CacheMemoryContext.  Entries begin
 * with a DynamoKnown.
 */
typedef struct DynamoKnown
{
	Oid			relid;			/* hash key */
	bool		valid;
} DynamoKnown;

typedef struct DynamoCache
{
	const char *name;
	Size		entry_size;
	DynamoWatcher watcher;		/* marks entries as not valid */
	void		(*release) (void *entry);	/* before one goes; NULL: nothing */
	HTAB	   *entries;		/* NULL until the first is asked for */
} DynamoCache;

/*
 * The entry of a relation.  A new one is all zero; before it is made, those go
 * that are not valid and whose relation is gone.
 */
extern void *dynamo_cache_get(DynamoCache *cache, Oid relid);

/* NULL: there is none.  May be called by a watcher. */
extern void *dynamo_cache_look(const DynamoCache *cache, Oid relid);

/* base_sort.c */
extern void dynamo_sort(void *elements, size_t count, size_t size,
						int (*compare) (const void *a, const void *b));
extern int *dynamo_sort_names(const char *const *names, int count);
extern int	dynamo_first_duplicate(const char *const *names, int count);

/*
 * base_parsed.c
 *
 * dynamo_parsed() gives what "parse" makes of a text and of a number that says
 * how to read it; on nothing else may that depend.  Its result lives as long
 * as the current context and must not be changed.  A cache is a static
 * variable of the file that parses.
 */
#define DYNAMO_PARSED_SLOTS 256 /* texts kept at most */

typedef struct DynamoParsedSlot
{
	struct DynamoParsed *parsed;	/* NULL: free */
	uint64		used;			/* when, counted in look-ups */
} DynamoParsedSlot;

typedef struct DynamoParsedCache
{
	const void *(*parse) (int kind, const char *text);
	uint64		lookups;
	DynamoParsedSlot slots[DYNAMO_PARSED_SLOTS];
} DynamoParsedCache;

extern const void *dynamo_parsed(DynamoParsedCache *cache, int kind,
								 const char *text);

/* base_attempt.c */
extern ErrorData *dynamo_attempt(bool (*work) (void *arg), void *arg);
extern void dynamo_attempt_pass(ErrorData *error);

/* base_flush.c */
extern void dynamo_flush(XLogRecPtr lsn);
extern XLogRecPtr dynamo_log_end(void);
extern XLogRecPtr dynamo_standbys_end(void);

/* base_transaction.c */
extern void dynamo_transaction_begin(void);
extern void dynamo_transaction_open(void);
extern void dynamo_transaction_commit(void);
extern void dynamo_transaction_prepare(const char *name);

/* base_commit.c */
extern void dynamo_at_commit(void (*work) (void));

/* base_digest.c: both fail only where GnuTLS does */
#define DYNAMO_SHA256_LENGTH	32

extern void dynamo_sha256(const void *data, size_t len, void *digest);
extern void *dynamo_sha256_begin(void);
extern bool dynamo_sha256_add(void *hash, const void *data, size_t len);
extern void dynamo_sha256_end(void *hash, void *digest);
extern void dynamo_hmac_sha256(const void *key, size_t key_len,
							   const void *data, size_t len, void *digest);

/* base_java.c */
extern uint32 dynamo_java_bucket(const char *text, uint32 len, int count);

/*
 * Is a request about that path, with or without a query?
 */
static inline bool
dynamo_is_path(const char *uri, const char *path)
{
	size_t		len = strlen(path);

	return strncmp(uri, path, len) == 0 &&
		(uri[len] == '\0' || uri[len] == '?');
}

#endif							/* DYNAMO_BASE_H */
