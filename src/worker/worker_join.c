/*-------------------------------------------------------------------------
 *
 * worker_join.c
 *	  Nodes that have joined a cluster are sent definitions, access keys and
 *	  policies.
 *
 * Where all nodes are known, a visit costs a query of this node's catalogs.
 * Each table is sent in a transaction of its own, so that one that a node
 * cannot take does not keep it from the others.  A failure is reported once,
 * and tried again later and later (../schema/shard_join.c): a node that does
 * not answer may cost a visit dynamo.maintenance_timeout.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

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

static bool attempt(const char *activity, void (*work) (void *arg), void *arg,
					Failure *failure);
static void look(void *found);
static void meet(void *unused);
static void copy(void *unused);
static void send_roles(void *unused);
static void list_tables(void *tables);
static void send_table(void *table);
static void note(void *failure);

/*
 * Tell all that are to be told.
 */
void
worker_tell_nodes(void)
{
	List	   *tables = NIL;
	ListCell   *lc;
	Failure		failure = {0};
	bool		found = false;

	if (!worker_run("look for nodes that have joined", WARNING, look, &found) ||
		!found ||
		!worker_run("note nodes that have joined", WARNING, meet, NULL))
		return;

	/* Only nodes that have a copy when it begins are told all. */
	if (attempt("copy the table of nodes", copy, NULL, &failure) &&
		attempt("note nodes that have joined", meet, NULL, &failure) &&
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
look(void *found)
{
	*(bool *) found = shard_has_strangers();
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
					(errmsg("dynamo has sent all definitions to the nodes that have joined")));
	}
	else if (failure->code != ERRCODE_LOCK_NOT_AVAILABLE)
		ereport(WARNING,
				(errcode(failure->code),
				 errmsg("dynamo could not send definitions to a node that has joined: %s",
						failure->message),
				 errhint("It is tried again later and later; dynamo_internal.known_nodes shows which.")));
}
