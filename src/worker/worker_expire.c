/*-------------------------------------------------------------------------
 *
 * worker_expire.c
 *	  Expires the items of all tables of a database.
 *
 * The tables take turns, a batch each, until none has anything left.  A batch
 * is a transaction and holds its locks for some milliseconds; how long it took
 * sets the number of items in the next.  After each batch the worker rests for
 * at least half as long, and never expires more than MAX_RATE items a second,
 * so that others get the disk, the processor and the locks: removing a backlog
 * fast matters less than answering quickly.
 *
 * Items are deleted as the table's owner, in a security-restricted operation,
 * as CREATE INDEX and autovacuum treat functions of users.  Otherwise the
 * owner's triggers would have the rights of this process, a superuser's, or
 * could leave something behind in it.  The first failure of a table is
 * reported.  An item that cannot be deleted is skipped.  Otherwise it would
 * keep all behind it from expiring; a table that fails often loses its turn.
 * Each visit begins with another table.  Otherwise one whose triggers take all
 * the time could keep the same others waiting for ever.  A table where a batch
 * had to be cancelled is left alone for as long as that took, and longer if it
 * happens again (process_refusal.c).  Until that is known one process is at it
 * and no other.  Otherwise each that the launcher sends meanwhile would be
 * lost to it, too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "base/base_session.h"
#include "catalog/pg_class.h"
#include "common/pg_prng.h"
#include "engine/engine.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "schema/schema.h"
#include "shard/shard.h"
#include "storage/lock.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "worker/worker_internal.h"

/*
 * How long a batch should take, in milliseconds; and its size.  It begins with
 * no other item after MAX_TIME.
 */
#define BATCH_TIME		10
#define MAX_TIME		1000
#define FIRST_BATCH		16
#define MAX_BATCH		1000

/* Items a second.  If the machine can do more, that is left to others. */
#define MAX_RATE		40000

/* The longest rest, in milliseconds: DROP DATABASE waits for its end. */
#define MAX_REST		200

/* How often a table may fail in a visit: twice for each item passed over. */
#define MAX_FAILURES	20

/* A table that has its turn. */
typedef struct Turn
{
	char	   *table;
	int			size;			/* of the next batch */
	EngineExpiry from;			/* where it goes on */
	int64		expired;		/* how many items the last has expired */
	int			failures;		/* batches that failed */
	int			singles;		/* batches of one item, to find the one that
									 * fails */
} Turn;

static void note_backlog(void);
static void find_tables(void *unused);
static bool take_turn(Turn *turn);
static int	batch_size(const Turn *turn);
static bool pass_over(Turn *turn, EngineExpiry start);
static void expire_batch(void *turn);
static bool take_table(Oid relid);

/* Those that have more to expire, and the context they live in. */
static MemoryContext context = NULL;
static List *turns;
static int	next_turn;

/*
 * Look what there is to expire.
 */
void
worker_expire_begin(void)
{
	if (context == NULL)
		context = AllocSetContextCreate(TopMemoryContext, "dynamo expiry",
										ALLOCSET_SMALL_SIZES);
	MemoryContextReset(context);
	turns = NIL;
	next_turn = 0;
	(void) worker_run("look for tables with expiring items", WARNING,
					  find_tables, NULL);
}

/*
 * A batch of the next table.  Milliseconds to rest after it; -1: all is
 * expired.
 */
long
worker_expire(void)
{
	int64		began = dynamo_clock();
	int64		took;
	Turn	   *turn;
	bool		more;

	note_backlog();
	if (turns == NIL)
		return -1;
	next_turn %= list_length(turns);
	turn = list_nth(turns, next_turn);
	more = take_turn(turn);
	took = dynamo_clock() - began;
	if (more)
		next_turn++;
	else
		turns = list_delete_nth_cell(turns, next_turn);
	return Min(Max(Max(took / 2, turn->expired * 1000 / MAX_RATE - took), 1),
			   MAX_REST);
}

/*
 * When the oldest has expired that is known to be left.
 */
static void
note_backlog(void)
{
	int64		oldest = 0;
	ListCell   *lc;

	foreach(lc, turns)
	{
		int64		expiry = ((Turn *) lfirst(lc))->from.expiry;

		if (expiry > 0 && (oldest == 0 || expiry < oldest))
			oldest = expiry;
	}
	dynamo_note_oldest(DYNAMO_MAINTENANCE,
					   oldest == 0 ? 0 : time_t_to_timestamptz(oldest));
}

/*
 * The list and what is in it outlive the transaction.
 */
static void
find_tables(void *unused)
{
	List	   *names = schema_list_ttl_tables();
	MemoryContext old = MemoryContextSwitchTo(context);
	int			n = list_length(names);
	int			first = (int) (pg_prng_uint32(&pg_global_prng_state) % Max(n, 1));

	for (int i = 0; i < n; i++)
	{
		Turn	   *turn = palloc0(sizeof(*turn));

		turn->table = pstrdup(list_nth(names, (first + i) % n));
		turn->size = FIRST_BATCH;
		turns = lappend(turns, turn);
	}
	MemoryContextSwitchTo(old);
}

/*
 * One batch of a table.  Is there more?
 */
static bool
take_turn(Turn *turn)
{
	char		activity[DYNAMO_MAX_NAME + 32];
	int64		began = dynamo_clock();
	int64		took;
	EngineExpiry start = turn->from;
	int			size = batch_size(turn);

	snprintf(activity, sizeof(activity), "expire items of table \"%s\"",
			 turn->table);
	if (!worker_run(activity, turn->failures == 0 ? WARNING : DEBUG1,
					expire_batch, turn))
	{
		if (worker_error == ERRCODE_QUERY_CANCELED)
			dynamo_work_refuse(dynamo_clock() - began);
		return pass_over(turn, start);
	}
	if (turn->singles > 0)
	{
		turn->singles--;
		return turn->expired == size;
	}
	took = Max(dynamo_clock() - began, 1);
	turn->size = Min(Max(size * BATCH_TIME / took, 1), Min(2 * size, MAX_BATCH));
	return turn->expired == size || took >= MAX_TIME;
}

static int
batch_size(const Turn *turn)
{
	return turn->singles > 0 ? 1 : turn->size;
}

/*
 * A batch that began at "start" has failed.  Which item did it is found by
 * deleting one at a time.  Is it worth going on?
 */
static bool
pass_over(Turn *turn, EngineExpiry start)
{
	EngineExpiry *from = &turn->from;

	if ((from->expiry == start.expiry && from->hash == start.hash) ||
		++turn->failures >= MAX_FAILURES)
		return false;			/* it was none, or nearly all */
	if (turn->singles == 0)
	{
		turn->singles = turn->size;
		*from = start;
		return true;
	}

	/* The search stands at it. */
	turn->singles = 0;
	if (from->hash < PG_INT32_MAX)
		from->hash++;
	else
	{
		from->expiry++;
		from->hash = PG_INT32_MIN;
	}
	return true;
}

/*
 * The owner is asked for under the lock that the batch needs anyway.
 * Otherwise the table could have got another by the time its items are
 * deleted.
 */
static void
expire_batch(void *arg)
{
	Turn	   *turn = arg;
	const TableDef *def;
	EngineTable *table;
	Relation	rel;
	int64		end = dynamo_clock() + MAX_TIME;

	turn->expired = 0;
	def = schema_table_open(turn->table, RowExclusiveLock, &rel);
	if (def == NULL)
		return;

	/* One node deletes for all. */
	if ((def->distributed && !shard_is_coordinator()) ||
		!take_table(RelationGetRelid(rel)) ||
		!dynamo_work_for(rel->rd_rel->relowner) ||
		!dynamo_work_on(RelationGetRelid(rel), turn->table))
	{
		table_close(rel, NoLock);
		return;
	}
	dynamo_session_enter(rel->rd_rel->relowner, SECURITY_RESTRICTED_OPERATION);
	table = engine_open(NULL, turn->table, ENGINE_DELETE_ITEM);
	turn->expired = engine_expire(table, batch_size(turn), end, &turn->from);
	engine_close(table);
	dynamo_session_leave();
	table_close(rel, NoLock);
}

/*
 * To the end of the transaction.  False: another process is at it.
 */
static bool
take_table(Oid relid)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, relid,
					   SCHEMA_EXPIRE);
	return LockAcquire(&tag, ExclusiveLock, false, true) !=
		LOCKACQUIRE_NOT_AVAIL;
}
