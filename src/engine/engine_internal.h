/*-------------------------------------------------------------------------
 *
 * engine_internal.h
 *	  What the files of the engine share: the open table, the interface of
 *	  the item stores, and the decision what a write does to an item.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_ENGINE_INTERNAL_H
#define DYNAMO_ENGINE_INTERNAL_H

#include "postgres.h"

#include "access/genam.h"
#include "access/skey.h"
#include "base/base_extension.h"
#include "engine/engine.h"
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "shard/shard.h"
#include "storage/itemptr.h"
#include "stream/stream.h"
#include "utils/memutils.h"

/* Columns of an index: partition key, RANGE attributes, tie-breaker. */
#define ENGINE_MAX_COLUMNS	(DYNAMO_MAX_KEY_ATTRS + 2)

/*
 * A row as a store found it.
 */
typedef struct EngineRow
{
	const Item *item;			/* NULL: there is none */
	ItemPointerData tid;		/* local store: where this version lies */
	bool		refreshed;		/* lock() met a newer version than fetch() */
	const Item *stored;			/* SPI store: what a trigger made of the new
								 * one; else NULL */
	const ExprUpdate *update;	/* what makes the new item of this one; NULL:
								 * another takes its place */
} EngineRow;

/* What holding a row locked is for. */
typedef enum EngineLock
{
	ENGINE_LOCK_CHECK,			/* it must stay as it is */
	ENGINE_LOCK_UPDATE,
	ENGINE_LOCK_DELETE
} EngineLock;

/* What became of the attempt to keep an item missing. */
typedef enum EngineReserve
{
	ENGINE_RESERVED,
	ENGINE_TAKEN,				/* somebody has the key; start over */
	ENGINE_UNRESERVED			/* not here, or nobody could see the item */
} EngineReserve;

/*
 * A condition on a column of an index, counted from 1.  A row condition
 * compares several columns from there on lexicographically: nvalues > 1.
 */
typedef struct EngineBound
{
	int			column;
	StrategyNumber compare;
	int			nvalues;
	Datum		values[ENGINE_MAX_COLUMNS];
} EngineBound;

/*
 * A scan as the stores see it: the table's primary index (index NULL), one of
 * its secondary ones, or the one on when items expire, in order, between
 * bounds ordered by column.
 */
#define ENGINE_MAX_BOUNDS	(ENGINE_MAX_COLUMNS + 5)

typedef struct EngineRange
{
	const IndexDef *index;
	bool		expiry;			/* by expiry, a bigint, and tie-breaker, an
								 * integer; index is NULL */
	bool		backward;
	int			nbounds;
	EngineBound bounds[ENGINE_MAX_BOUNDS];
} EngineRange;

typedef struct EngineCursor EngineCursor;

/*
 * An item store.
 *
 * fetch		The item under the active snapshot, copied into the current
 *				context, or NULL.
 * lock			Lock the newest version of the row that fetch() found and
 *				refresh row->item.  False: the row is gone or has another key
 *				by now; take a new snapshot and fetch again.
 * insert		Store an item that fetch() did not find.  False: somebody else
 *				has, and has finished meanwhile; start over.
 * reserve,		See that an item which fetch() did not find stays missing for
 * release		others: insert its bare key, and delete it again before the
 *				transaction ends.  Nobody notices.
 * update,		Replace or delete the version in "row".  False: it is not the
 * remove		newest one any more; start over.  Once lock() has succeeded,
 *				they do, too.
 * prepare		Make what lives until close().  Then all above may be called in
 *				a subtransaction.
 * begin, next, A scan under the registered snapshot; NULL: no index has all that
 * end			it sees.  next() is given which of two places to use for the
 *				item, and a context to go with it, so that the last but one
 *				lives on while the next is read; it runs in that of the scan.
 *
 * With table->no_wait, lock() and remove() do not wait for a row that is in
 * somebody else's hands, but return false.
 *
 * "optimistic": update() and remove() find out by themselves that the row has
 * changed since fetch(), so that it need not be locked beforehand.
 *
 * "undoes": remove() takes back an insert() without a trace, but for the key,
 * which stays ours; no subtransaction is needed for it.
 */
typedef struct EngineStore
{
	bool		optimistic;
	bool		undoes;
	void		(*fetch) (EngineTable *table, const TableKey *key,
						  EngineRow *row);
	bool		(*lock) (EngineTable *table, const TableKey *key,
						 EngineLock purpose, EngineRow *row);
	bool		(*insert) (EngineTable *table, const TableKey *key,
						   const Item *item, EngineRow *row);
	bool		(*update) (EngineTable *table, const TableKey *key,
						   EngineRow *row, const Item *item);
	bool		(*remove) (EngineTable *table, const TableKey *key,
						   EngineRow *row);
	EngineReserve (*reserve) (EngineTable *table, const TableKey *key,
							  const Item *item, EngineRow *row);
	bool		(*release) (EngineTable *table, const TableKey *key,
							EngineRow *row);
	void		(*prepare) (EngineTable *table);
	EngineCursor *(*begin) (EngineTable *table, const EngineRange *range,
							Snapshot snapshot);
	const Item *(*next) (EngineCursor *cursor, int place,
						 MemoryContext context);
	void		(*end) (EngineCursor *cursor);
	void		(*close) (EngineTable *table);
} EngineStore;

/*
 * What of a row somebody may read, or has to.
 */
typedef enum EngineReads
{
	ENGINE_READS_NOTHING,
	ENGINE_READS_KEY,			/* pk and sk */
	ENGINE_READS_ITEM			/* these and the item */
} EngineReads;

struct EngineTable
{
	DynamoRequest *request;		/* that has opened it; NULL: none */
	const TableDef *def;
	Relation	rel;
	EngineAccess access;
	EngineReads readable;		/* by the user who opened it */
	const EngineStore *store;
	bool		no_wait;		/* leave rows alone that others hold */
	bool		captures;		/* the engine itself records changes, for the
								 * stream, the journal or both */
	List	   *leading;		/* the local store serves partition keys that
								 * are like these patterns, the other one all
								 * others; NIL: one store serves all */
	bool		fires;			/* the executor would fire the trigger that
								 * records changes */

	/* local store: made when first needed */
	Relation	primary;		/* the primary index */
	TupleTableSlot *old_slot;	/* a row as stored */
	TupleTableSlot *new_slot;	/* a row to be stored */
	EState	   *estate;			/* for indexes that are not ours */
	List	   *prepared;		/* these, in its memory */

	const EnginePast *past;		/* what is read; NULL: the present */

	/* SPI store */
	int			refusals;		/* inserts refused in a row for a key that was
								 * not there */
};

/* Where what belongs to an open table is allocated. */
#define engine_context(table) GetMemoryChunkContext(table)

/* engine_privilege.c, engine_table.c: before a read or write takes a store */
extern bool engine_leads(const EngineTable *table, const ItemValue *hash);
extern void engine_use_store(EngineTable *table, bool local);

/* The store for what has this partition key */
static inline void
engine_use_key(EngineTable *table, const ItemValue *hash)
{
	if (table->leading != NIL)
		engine_use_store(table, engine_leads(table, hash));
}

/* A scan; by the executor where an index lacks what the snapshot sees */
static inline EngineCursor *
engine_begin(EngineTable *table, const EngineRange *range, Snapshot snapshot)
{
	EngineCursor *cursor = table->store->begin(table, range, snapshot);

	if (cursor != NULL)
		return cursor;
	engine_use_store(table, false);
	return table->store->begin(table, range, snapshot);
}

/* What is to be told instead of done; NULL: it is done */
static inline EngineExplain *
engine_explain(const EngineTable *table)
{
	return table->request ? table->request->explain : NULL;
}

static inline bool
engine_for_write(const EngineTable *table)
{
	return table->access >= ENGINE_PUT_ITEM;
}

/* engine_privilege.c */
extern const char *engine_action(EngineAccess access);
extern void engine_check_access(EngineTable *table);
extern void engine_check_read(const EngineTable *table);
extern void engine_check_write(const EngineWrite *write);
extern void engine_hide(EngineWrite *write);
extern void engine_deny(const EngineTable *table, const char *action)
			pg_attribute_noreturn();

/* engine_write.c */
extern void engine_capture_write(const EngineWrite *write);
extern void engine_prepare(EngineWrite *write);
extern void engine_explain_write(const EngineWrite *write);
extern void engine_decide(EngineWrite *write, const Item *old_item);

/* engine_local_row.c */
extern void engine_no_item(const EngineTable *table)
			pg_attribute_noreturn();
extern bool engine_local_shaped(Relation rel, const TableDef *def);
extern const char *engine_local_obstacle(Relation rel, const TableDef *def,
										 bool *fire);
extern const char *engine_structural_obstacle(Relation rel,
											  const TableDef *def,
											  bool *fire);
extern bool engine_local_usable(Relation rel, const TableDef *def, bool *fire,
								List **leading);
extern Relation engine_local_primary(EngineTable *table);
extern const Item *engine_local_item(EngineTable *table, TupleTableSlot *slot,
									 bool copy);

/* engine_local.c */
extern const EngineStore engine_local_store;
extern void engine_local_add(EngineTable *table, const TableKey *key,
							 const Item *item, CommandId cid);
extern IndexScanDesc engine_local_probe(EngineTable *table,
										const TableKey *key,
										Snapshot snapshot);

/* engine_local_index.c */
typedef enum EngineIndexing
{
	ENGINE_INDEX_INSERT,		/* a new row, speculatively */
	ENGINE_INDEX_ADD,			/* a new row, for good */
	ENGINE_INDEX_UPDATE,		/* a new version */
	ENGINE_INDEX_SUMMARIZE		/* a HOT one: summarizing indexes only */
} EngineIndexing;

extern bool engine_local_index(EngineTable *table, const TableKey *key,
							   const Item *item, TupleTableSlot *slot,
							   EngineIndexing what, const Item *old_item);
extern void engine_local_hint(EngineTable *table, const ExprUpdate *update,
							  const Item *old_item, const Item *item);

/* engine_local_scan.c */
extern void engine_local_key(ScanKey scankey, int column,
							 StrategyNumber compare, Datum value);
extern EngineCursor *engine_local_begin(EngineTable *table,
										const EngineRange *range,
										Snapshot snapshot);
extern const Item *engine_local_next(EngineCursor *cursor, int place,
									 MemoryContext context);
extern void engine_local_end(EngineCursor *cursor);

/* engine_past_store.c, engine_past.c */
extern Snapshot engine_past_snapshot(void);
extern char *engine_past_source(EngineTable *table, const EngineRange *range);

/* engine_spi.c; "=" is so whatever the search_path is */
#define ENGINE_SPI_EQUALS	" OPERATOR(pg_catalog.=) "
extern const EngineStore engine_spi_store;

/* engine_shard.c */
extern void engine_hold_shard(const EngineTable *table, const TableKey *key);

/*
 * engine_spi_statement.c
 *
 * Run a statement on the row "key".  *processed tells whether it did anything;
 * if so, the row's item is returned, in the current context.  Statements that
 * only read use the active snapshot, the others take their own.
 */
typedef enum EngineStatement
{
	STATEMENT_FETCH,
	STATEMENT_LOCK_CHECK,
	STATEMENT_LOCK_UPDATE,
	STATEMENT_LOCK_DELETE,
	STATEMENT_LOCK_EXPIRED,
	STATEMENT_OWNER_FETCH,		/* plans of their own: no policy is in them */
	STATEMENT_OWNER_LOCK,
	STATEMENT_INSERT,
	STATEMENT_INSERT_AGAIN,		/* a conflict is an error */
	STATEMENT_UPDATE,
	STATEMENT_DELETE
} EngineStatement;

extern const Item *engine_spi_run(EngineTable *table,
								  EngineStatement statement,
								  const TableKey *key, const Item *item,
								  bool *processed);

/* engine_spi_row.c */
extern char *engine_spi_relation(EngineTable *table);
extern Oid	engine_spi_type(EngineTable *table, int column);

/* engine_spi_scan.c */
extern EngineCursor *engine_spi_begin(EngineTable *table,
									  const EngineRange *range,
									  Snapshot snapshot);
extern const Item *engine_spi_next(EngineCursor *cursor, int place,
								   MemoryContext context);
extern void engine_spi_end(EngineCursor *cursor);

#endif							/* DYNAMO_ENGINE_INTERNAL_H */
