/*-------------------------------------------------------------------------
 *
 * engine.h
 *	  Reading, writing, querying and transacting on tables: locking,
 *	  conditions, indexes.  Everything runs in the caller's transaction and
 *	  with the privileges of the current user.
 *
 * Which version of an item is seen: a write takes a snapshot of its own, so in
 * READ COMMITTED it meets the newest committed version and all that its
 * transaction wrote before, and when it returns its work is visible to later
 * commands.  A read uses the active snapshot, and takes one of its own only
 * where there is none: a STABLE SQL function must see what its statement sees.
 * A VOLATILE function must also see what an earlier call of the same statement
 * wrote.  It pushes a new one (GetTransactionSnapshot()) around the request,
 * as SPI does.
 *
 * Privileges are checked here, and nowhere above (engine_privilege.c).
 *
 * This layer sees neither text nor JSON: a request arrives as packed items,
 * parsed expressions and bound ranges.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ENGINE_H
#define DYNAMO_ENGINE_H

#include "postgres.h"

#include "base/base_request.h"
#include "executor/tuptable.h"
#include "expr/expr.h"
#include "item/item.h"
#include "key/key.h"
#include "schema/schema.h"
#include "utils/rel.h"
#include "utils/snapshot.h"
#include "utils/timestamp.h"
#include "vector/vector.h"

/*
 * An open table.  Opened once per request and table, closed at its end; an
 * error closes it as the transaction's resources are released.
 */
typedef struct EngineTable EngineTable;

typedef enum EngineAccess
{
	ENGINE_READ,				/* SELECT; these five differ in error texts */
	ENGINE_QUERY,
	ENGINE_SCAN,
	ENGINE_SELECT_STATEMENT,	/* PartiQL */
	ENGINE_SEARCH,
	ENGINE_PUT_ITEM,			/* INSERT and UPDATE */
	ENGINE_IMPORT,				/* same; also of a table that others may not
								 * use yet */
	ENGINE_UPDATE_ITEM,			/* INSERT and UPDATE */
	ENGINE_DELETE_ITEM,			/* DELETE */
	ENGINE_CHECK_ITEM,			/* UPDATE, as a row lock asks, and SELECT */
	ENGINE_INSERT_STATEMENT,	/* as the items, in the name of PartiQL */
	ENGINE_UPDATE_STATEMENT,
	ENGINE_DELETE_STATEMENT
} EngineAccess;

/* engine_table.c */

/*
 * For a request, which must live as long as the table is open; NULL: for work
 * of the server.  Raises ResourceNotFoundException and AccessDeniedException.
 */
extern EngineTable *engine_open(DynamoRequest *request, const char *table_name,
								EngineAccess access);
extern void engine_close(EngineTable *table);
extern const TableDef *engine_def(const EngineTable *table);

extern DynamoRequest *engine_request(const EngineTable *table);

/* The action of the API that the table was opened for: "GetItem" */
extern const char *engine_table_action(const EngineTable *table);
extern void engine_init(void);

/* engine_privilege.c: do policies hide nothing of it from the current user? */
extern bool engine_shows(const EngineTable *table, const ItemValue *hash);

/*
 * engine_get.c: the current item in the current context, NULL when missing.
 *
 * Here and below, what reads or writes may find that the table's request has
 * to be executed on another node (dynamo_is_elsewhere()).  Then nothing has
 * been done, and out members are not set.
 */
extern const Item *engine_get(EngineTable *table, const TableKey *key);

/*
 * engine_write.c
 *
 * One write: find the item, test the condition, store the outcome if nobody has
 * changed the item since, otherwise begin anew.  A condition that fails is a
 * result, not an error.
 */
typedef enum EngineAction
{
	ENGINE_PUT,
	ENGINE_UPDATE,
	ENGINE_DELETE,
	ENGINE_CHECK				/* transactions: condition only */
} EngineAction;

typedef struct EngineWrite
{
	/* in */
	EngineAction action;
	EngineTable *table;
	const TableKey *key;
	const Item *item;			/* PUT: the new item; else the key attributes */
	const ExprCondition *condition; /* or NULL */
	const ExprUpdate *update;	/* UPDATE; NULL creates the bare key */
	bool		shown;			/* the caller shows what was there, or is */
	bool		service;		/* on behalf of the service: TTL */

	/*
	 * Asked of the item that would be replaced (NULL: there is none), as the
	 * condition is, which must hold, too; NULL: it may be.  May be called
	 * several times, and looks at nothing that others may change unless they
	 * change the item.
	 */
	bool		(*admits) (void *arg, const Item *old_item);
	void	   *admits_arg;

	/* out; for users who may not read the item, as if there had been none */
	const Item *old_item;		/* NULL: there was none */
	const Item *new_item;		/* NULL: there is none */
	bool		condition_failed;
	bool		left;			/* a service's write only: the row is in
								 * somebody else's hands, and nothing was done */
} EngineWrite;

/*
 * Raises ValidationException, AccessDeniedException, SQLSTATE 40001 in REPEATABLE
 * READ and above, and what triggers and constraints of the user's raise.  The out
 * members live in the current context.
 */
extern void engine_write(EngineWrite *write);

/*
 * engine_insert.c
 *
 * New rows for an INSERT of plain SQL, stored as the executor would store them,
 * which has checked privileges and holds the relation open.
 */

/* Of a relation that the caller has open: may these be used for it? */
extern bool engine_insert_fits(Relation rel);

/* Of a relation that fits; lives in the current context until the end */
extern EngineTable *engine_insert_begin(Relation rel);

/* Raises ValidationException as PutItem does, and 23505 if the key is there */
extern void engine_insert_row(EngineTable *table, const Item *item,
							  CommandId cid);
extern void engine_insert_end(EngineTable *table);

/*
 * engine_transact.c
 *
 * All writes or none: locks in key order, tests all conditions, applies.
 * Returns true when done.  On false nothing was written and reasons[i] says
 * what became of writes[i]; so they do when the error of a lost race is
 * raised.  The caller has checked that no item comes twice.
 */
typedef struct EngineReason
{
	const char *code;			/* "None", "ConditionalCheckFailed", ... */
	const char *message;		/* NULL with "None" */
	const Item *item;			/* the item as it was; NULL when missing */
} EngineReason;

extern bool engine_transact_write(EngineWrite **writes, int nwrites,
								  EngineReason *reasons);

/* One read of several, as of one moment. */
typedef struct EngineGet
{
	EngineTable *table;
	const TableKey *key;
	const Item *item;			/* out; NULL: missing */
	bool		contended;		/* others change it; by moment_read() */
} EngineGet;

/*
 * n is 1 or more; items live in the current context.  False: nothing has been
 * read, since they are on several nodes, and are for moment_read().
 */
extern bool engine_transact_get(EngineGet *gets, int n);

/* The same under the active snapshot, wherever they are */
extern void engine_get_all(EngineGet *gets, int n);

/* engine_shard.c: where items of distributed tables are */
typedef enum EngineAt
{
	ENGINE_AS_OPENED,			/* their tables reach them */
	ENGINE_AT_SHARDS,			/* here, and their tables are shards now */
	ENGINE_ELSEWHERE,			/* on another node, which executes the request */
	ENGINE_SCATTERED			/* on several, which execute parts of it */
} EngineAt;

extern EngineAt engine_use_shards(EngineGet *gets, int n, int32 *groups,
								  EngineTable ***tables);
extern void engine_node_of(const EngineGet *item, DynamoNode *node);
extern void engine_leave_shards(EngineGet *gets, int n, EngineTable **tables);
extern bool engine_use_shard(EngineTable *table, Datum pk);

/* ... a shard here, until engine_close(); NULL: not for the local store */
extern EngineTable *engine_open_shard(const EngineTable *table, Oid relid);

/* engine_local_version.c: of a shard */
extern bool engine_in_doubt(EngineTable *shard, const TableKey *key);
extern const Item *engine_read_version(EngineTable *shard, const TableKey *key,
									   uint64 *version);
extern void engine_try_hold(EngineTable *shard, const TableKey *key);

/*
 * engine_scan.c
 *
 * A scan over the table or one of its indexes, in order.  nhash = 0 is a Scan
 * (hash order, or a segment of it); otherwise all HASH attributes of the
 * table or index are given and it is a Query.
 */
typedef struct EngineScanSpec
{
	const IndexDef *index;		/* NULL: the table */
	int			nhash;
	ItemValue	hash[DYNAMO_MAX_KEY_ATTRS];
	int			nequal;			/* leading RANGE attributes held equal, before
								 * "op" */
	ItemValue	equal[DYNAMO_MAX_KEY_ATTRS];
	ExprKeyOp	op;				/* on the next RANGE attribute */
	ItemValue	low;			/* its operand */
	ItemValue	high;			/* BETWEEN's second */
	bool		backward;
	const Item *start_after;	/* ExclusiveStartKey, validated; or NULL */
	int			segment;
	int			total_segments; /* 0: not a parallel scan */
} EngineScanSpec;

typedef struct EngineScan EngineScan;

/*
 * engine_range.c
 *
 * Expressions against the keys of the table, or of an index that is not NULL.
 * All raise ValidationException.
 */

extern void engine_check_clauses(const ExprKeyCondition *condition);

/*
 * The part of "spec" that a key condition asks for.  "each" (NULL: none) gets
 * the key attributes, each before its clause is looked at.
 */
typedef void (*EngineEachKey) (const KeyAttr *attr, const void *arg);

extern void engine_bind_keys(const TableDef *def, const IndexDef *index,
							 const ExprKeyCondition *condition,
							 EngineEachKey each, const void *arg,
							 EngineScanSpec *spec);

extern void engine_check_filter_keys(const TableDef *def,
									 const IndexDef *index,
									 const ExprCondition *filter,
									 const char *parameter);

extern void engine_check_key_paths(const TableDef *def, const List *paths);

/* engine_scan.c */
extern bool engine_in_segment(const EngineScanSpec *spec, uint64 hash);
extern void engine_check_index(const EngineTable *table, const IndexDef *index);

/* NULL: the request is to be executed elsewhere */
extern EngineScan *engine_scan_begin(EngineTable *table,
									 const EngineScanSpec *spec);

/* engine_vector.c; NULL: the table is to be scanned */
typedef struct EngineVectors EngineVectors;

extern EngineVectors *engine_vectors_begin(EngineTable *table,
										   const IndexDef *index,
										   const VectorWanted *wanted, int *batch);
extern bool engine_vectors_next(EngineVectors *vectors, VectorVisit visit,
								void *arg);
extern const Item *engine_vectors_fetch(EngineVectors *vectors,
										const ItemPointerData *tid);
extern void engine_vectors_end(EngineVectors *vectors);
extern Snapshot engine_vectors_snapshot(const EngineTable *table,
										const IndexDef *index);
extern const Item *engine_vectors_item(EngineTable *table,
									   TupleTableSlot *slot);
extern void engine_spi_rethrow(EngineTable *table, MemoryContext context,
							   Oid user) pg_attribute_noreturn();
extern Item *engine_spi_item(EngineTable *table, TupleDesc desc, Datum datum,
							 bool isnull, MemoryContext context);

/*
 * The next item, whole, as stored; NULL at the end.  It lives until the next
 * call: the scan keeps a context of its own and resets it per item.
 */
extern const Item *engine_scan_next(EngineScan *scan);
extern void engine_scan_end(EngineScan *scan);

extern uint64 engine_scan_bytes(const EngineTable *table,
								const EngineScanSpec *spec);

/*
 * For a request that has this, single items are neither read nor written: it
 * is told instead, and there is nothing.  "item" is what a PUT would store.
 */
typedef struct EngineExplain
{
	void		(*item) (struct EngineExplain *explain,
						 const EngineTable *table, const char *action,
						 const TableKey *key, const Item *item);
} EngineExplain;

extern const char *engine_slow_reason(const EngineTable *table);

/*
 * engine_expire.c
 *
 * Delete, in the current transaction, up to "max_items" items that have
 * expired, those first that expired first, and begin with none after "end" of
 * dynamo_clock().  Returns how many that were: fewer than "max_items" if
 * time was over or no more are to be had now.  0 if time to live is off.  The
 * table is open for ENGINE_DELETE_ITEM; SELECT is needed, too.
 *
 * *from is where the search begins: {0} at first.  On return it is where the
 * next transaction goes on, so that it does not meet again what this one has
 * deleted.
 */
typedef struct EngineExpiry
{
	int64		expiry;
	int32		hash;			/* of the item's key, among those of one
								 * second */
} EngineExpiry;

extern int64 engine_expire(EngineTable *table, int64 max_items,
						   int64 end, EngineExpiry *from);

/*
 * engine_past.c
 *
 * A table's items as of a marker.
 */
typedef struct EnginePast
{
	Oid			relid;
	bool		range;			/* there is a sort key */
	char	   *snapshot;		/* text of a pg_snapshot; NULL: the present */
	TimestampTz from;			/* what it does not see was written later */
} EnginePast;

extern char *engine_past_query(const EnginePast *past, const int32 *hash);

/* SQL: a call of the function that knows what has been changed since; "until"
 * is an expression */
extern char *engine_past_call(const EnginePast *past, const int32 *hash,
							  const char *until);

extern void engine_read_past(EngineTable *table, const EnginePast *past);

/* SQL: the entries from "from" on, in parentheses; their pieces are locked */
extern char *engine_journal_entries(TimestampTz from);
extern Oid	engine_journal_owner(void);

#endif							/* DYNAMO_ENGINE_H */
