/*-------------------------------------------------------------------------
 *
 * journal.h
 *	  The journal: what changes to tables with point-in-time recovery replace.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_JOURNAL_H
#define DYNAMO_JOURNAL_H

#include "postgres.h"

#include "access/transam.h"
#include "item/item.h"
#include "key/key.h"
#include "meta/meta.h"
#include "schema/schema.h"
#include "utils/snapshot.h"
#include "utils/timestamp.h"

extern void journal_init(void);

/*
 * journal_recovery.c: point-in-time recovery
 *
 * Of the owner's tables; raise ResourceNotFoundException.  Enabling what is
 * enabled changes the days: 1 to 35.
 */
extern void journal_enable(const char *table, int days);
extern void journal_disable(const char *table);

/*
 * Of a distributed table: keep writers away on all nodes; and when its recovery
 * has begun.  Given by the rooms above.
 */
typedef struct JournalCluster
{
	void		(*lock) (const TableDef *def, int lockmode);
	void		(*begun) (void);
} JournalCluster;

extern JournalCluster journal_cluster;

/*
 * On another node of a cluster: have recovery of a distributed table as its
 * coordinator says, days 0: none.  "lock" keeps writers away on this node.
 */
extern void journal_follow(const TableDef *def, int days,
						   void (*lock) (const TableDef *def, int lockmode));
extern void journal_forget_lost(void);

/*
 * A table with recovery is being deleted, and its relation put away: from now
 * on it does not change.  The row stays as long as the relation.  The caller
 * has locked it against everybody else, and deletes the definition.
 */
extern void journal_end(Oid relid);

/* journal_row.c: of a relation that is dropped */
extern void journal_row_delete(Oid relid);

/* Of any relation, also one put away; NULL: off */
extern const RecoveryDef *journal_find(Oid relid);
extern List *journal_list(void);	/* of RecoveryDef * */

#define JOURNAL_MAX_DAYS	35

/*
 * Since when the journal is complete for a table; or, as number 0, for all, since
 * what was before has been trimmed.
 */
typedef struct JournalWindow
{
	TimestampTz began_at;
	FullTransactionId xid;		/* in which that began; of 0, the next one
								 * when it had been trimmed */
} JournalWindow;

extern bool journal_find_window(int32 id, JournalWindow *window);
extern void journal_begin_window(int32 id, TimestampTz began_at,
								 FullTransactionId xid);
extern bool journal_lock_windows(void); /* false: busy */
extern void journal_begin_restored(void);
extern void journal_begin_next(Oid *relid);
extern void journal_begin_anew(const RecoveryDef *recovery, TimestampTz now);

/* Numbers of the journal */
extern int64 journal_draw_entry(void);
extern int64 journal_last_entry(void);

/*
 * journal_mark.c
 *
 * Markers of point-in-time recovery: moments that tables can be brought back
 * to.  Anybody may take them, at any time.
 */

/* So much the clock may be set back before windows begin anew. */
#define JOURNAL_SLACK		(10 * USECS_PER_SEC)

typedef struct JournalMarker
{
	TimestampTz at;
	TimestampTz since;			/* from then on all was as it says */
	Datum		snapshot;		/* a pg_snapshot */
	FullTransactionId next;		/* none from there on had begun */
} JournalMarker;

/*
 * Which marker: the last up to "from", or, forward, the first from there on.
 * Of transactions, invalid ones are no condition.
 */
typedef struct JournalMarkerSearch
{
	bool		forward;
	TimestampTz from;
	TimestampTz to;				/* go no further; 0: to the end */
	FullTransactionId sees;		/* it sees this transaction as committed */
	FullTransactionId xmin;		/* no older one was in progress */
	FullTransactionId next;		/* none from there on had begun */
} JournalMarkerSearch;

extern TimestampTz journal_mark(bool in_any_case);	/* 0: nothing has changed */
extern bool journal_find_marker(const JournalMarkerSearch *search,
								JournalMarker *marker); /* false: none */

/*
 * Has the clock been set back since the window began, and it has not begun anew?
 * Then it takes a marker in the future for one of its own, and what is committed
 * now for older than that.
 */
extern bool journal_window_is_stale(const JournalWindow *window,
									TimestampTz now);
extern FullTransactionId journal_marker_xmin(Datum snapshot);

/* Text of a pg_snapshot: the active one, without what is not committed */
extern char *journal_snapshot_text(void);

/* journal_ledger.c: on a primary */
extern void journal_ledger_begin(Snapshot snapshot);
extern TimestampTz journal_ledger_since(Snapshot snapshot, TimestampTz before);

/* journal_trim.c */
extern int	journal_trim(TimestampTz now);

extern bool journal_trimmed_ahead(const JournalWindow *complete);

/* journal_append.c: by which the entries of a partition key are found */
extern int32 journal_hash(const ItemPartitionKey *key);

/* journal_append.c: the tables it is kept in, and its columns */

#define JOURNAL_RECOVERY	1
#define JOURNAL_HASH		2
#define JOURNAL_NUMBER		3
#define JOURNAL_AT			4
#define JOURNAL_XID			5
#define JOURNAL_KEYS		6
#define JOURNAL_OLD			7
#define JOURNAL_SNAPSHOT	8
#define JOURNAL_SINCE		9
#define JOURNAL_NATTS		9

/* Columns of a piece's index. */
#define JOURNAL_INDEX_RECOVERY	1
#define JOURNAL_INDEX_HASH		2
#define JOURNAL_INDEX_NUMBER	3

#define JOURNAL_PERIOD		(2 * USECS_PER_DAY)

extern const MetaRing journal_ring;
extern void journal_append(const TableDef *def,
						   const ItemPartitionKey *key,
						   const Item *old_item,
						   const Item *new_item);

#endif							/* DYNAMO_JOURNAL_H */
