/*-------------------------------------------------------------------------
 *
 * worker_join.c
 *	  Nodes of a cluster that have joined, or lost what they knew, are sent
 *	  definitions, access keys and policies; all are told each second what the
 *	  others have taken of throughputs.  Every few seconds a moment of all nodes
 *	  is taken, if a distributed table has point-in-time recovery.
 *
 * A process of the coordinator stays for that, since such a node answers nobody
 * meanwhile.  Where all nodes are known, a look costs a query of this node's
 * catalogs.  Each table is sent in a transaction of its own, so that one that a
 * node cannot take does not keep it from the others.  A failure is reported once,
 * and tried again later and later (../shard/shard_join.c): a node that does
 * not answer may cost dynamo.maintenance_timeout each time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "capacity/capacity.h"
#include "journal/journal.h"
#include "process/process.h"
#include "recall/recall.h"
#include "schema/schema.h"
#include "shard/shard.h"
#include "utils/memutils.h"
#include "worker/worker_internal.h"

/* What goes wrong first. */
typedef struct Failure
{
	bool		any;
	int			code;
	char		message[WORKER_MESSAGE];
} Failure;

/* Milliseconds between two looks, and for which tables may be sent. */
#define LOOK_INTERVAL	1000
#define SENDING			10000

/* ... between two moments, and after one that could not be taken. */
#define MOMENT_INTERVAL 5000
#define MOMENT_FAILED	10000

/* What a look finds. */
typedef struct Found
{
	bool		tells;
	bool		strangers;
	bool		takes;			/* tables and indexes have buckets that all
								 * nodes take from */
	bool		recovers;		/* a distributed table has recovery */
} Found;

static void want_looks(void);
static void take_moment(bool asked);
static void moment(void *unused);
static void tell(void);
static bool attempt(const char *activity, void (*work) (void *arg), void *arg,
					Failure *failure);
static void look(void *found);
static void exchange(void *unused);
static void meet(void *unused);
static void copy(void *unused);
static void send_roles(void *unused);
static void list_tables(void *tables);
static void send_table(void *table);
static void note(void *failure);

void
worker_join_init(void)
{
	shard_callbacks.prepared = want_looks;
	journal_cluster.begun = want_looks;
}

static void
want_looks(void)
{
	if (dynamo_preloaded)
		dynamo_want(DYNAMO_CLUSTER);
}

/*
 * A look, if it is time for one, and what follows from it.  One process of the
 * database does that.
 */
long
worker_tell(bool asked)
{
	static int64 due = 0;
	static bool done = true;
	static bool exchanged = true;
	Found		found = {0};
	long		wait = worker_due(DYNAMO_CLUSTER, asked, due);

	if (wait != 0)
		return wait;
	if (worker_ttl_interval == 0)
	{
		dynamo_keep(DYNAMO_CLUSTER, false);
		return -1;
	}
	due = dynamo_clock() + LOOK_INTERVAL;
	if (!worker_begin(DYNAMO_CLUSTER, 1, SENDING))
		return LOOK_INTERVAL;

	/* Nobody waits for a look while this process is at it, however long. */
	dynamo_note_done(DYNAMO_CLUSTER, dynamo_clock(), 0, 0);
	done = worker_run("look for nodes that lack definitions",
					  done ? WARNING : DEBUG1, look, &found);
	if (done)
	{
		dynamo_keep(DYNAMO_CLUSTER, found.tells);
		if (!found.tells)
			return -1;
		if (found.takes)
			exchanged = worker_run("exchange what was taken of throughputs",
								   exchanged ? WARNING : DEBUG1, exchange, NULL);
		if (found.recovers)
			take_moment(asked);
		if (found.strangers)
			tell();
	}

	/* If it takes long over something else then, another is to look. */
	dynamo_note_done(DYNAMO_CLUSTER, dynamo_clock(), 1, 0);
	return LOOK_INTERVAL;
}

/*
 * A moment, if it is time for one: recovery that has begun is not kept waiting.
 */
static void
take_moment(bool asked)
{
	static int64 due = 0;
	static bool taken = true;

	if (dynamo_clock() < due && !asked)
		return;
	taken = worker_run("take a moment of the cluster",
					   taken ? WARNING : DEBUG1, moment, NULL);
	due = dynamo_clock() + (taken ? MOMENT_INTERVAL : MOMENT_FAILED);
}

static void
moment(void *unused)
{
	(void) recall_take(false);
}

/*
 * Tell all that are to be told.
 */
static void
tell(void)
{
	List	   *tables = NIL;
	ListCell   *lc;
	Failure		failure = {0};

	if (!worker_run("note nodes that lack definitions", WARNING, meet, NULL))
		return;

	/* Only nodes that have a copy when it begins are told all. */
	if (attempt("copy the table of nodes", copy, NULL, &failure) &&
		attempt("note nodes that lack definitions", meet, NULL, &failure) &&
		attempt("look for distributed tables", list_tables, &tables, &failure))
	{
		foreach(lc, tables)
		{
			if (!attempt("send a definition", send_table, lfirst(lc), &failure) &&
				!worker_has_time())
				break;
		}
		(void) attempt("send access keys and policies", send_roles, NULL,
					   &failure);
	}
	list_free_deep(tables);
	(void) worker_run("note that nodes are told", WARNING, note, &failure);
}

/*
 * Do it in a transaction.  It is "note" that reports what fails.
 */
static bool
attempt(const char *activity, void (*work) (void *arg), void *arg,
		Failure *failure)
{
	if (worker_run(activity, DEBUG1, work, arg))
		return true;
	if (!failure->any)
	{
		failure->any = true;
		failure->code = worker_error;
		strlcpy(failure->message, worker_message, sizeof(failure->message));
	}
	return false;
}

static void
look(void *arg)
{
	Found	   *found = arg;

	found->tells = shard_tells_others();
	found->strangers = found->tells && shard_has_strangers();
	found->recovers = found->tells && recall_is_needed();
	found->takes = found->tells && capacity_enforced && shard_has_nodes();
}

static void
exchange(void *unused)
{
	capacity_exchange();
}

static void
meet(void *unused)
{
	shard_meet_strangers();
}

static void
copy(void *unused)
{
	shard_copy_nodes();
}

static void
send_roles(void *unused)
{
	shard_callbacks.joined();
}

/* The list outlives the transaction. */
static void
list_tables(void *arg)
{
	List	  **tables = arg;
	List	   *names = shard_tables();
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
	ListCell   *lc;

	foreach(lc, names)
		* tables = lappend(*tables, pstrdup(lfirst(lc)));
	MemoryContextSwitchTo(old);
}

static void
send_table(void *table)
{
	shard_send_table(table);
}

static void
note(void *arg)
{
	Failure    *failure = arg;

	if (!shard_note_strangers(failure->any ? failure->message : NULL))
	{
		if (!failure->any)
			ereport(LOG,
					(errmsg("dynamo has sent all definitions to the nodes that lacked them")));
	}
	else if (failure->code != ERRCODE_LOCK_NOT_AVAILABLE)
		ereport(WARNING,
				(errcode(failure->code),
				 errmsg("dynamo could not send definitions to a node that lacks them: %s",
						failure->message),
				 errhint("It is tried again later and later; dynamo_internal.known_nodes shows which.")));
}
