/*-------------------------------------------------------------------------
 *
 * shard_commit.c
 *	  A transaction of several nodes, one prepare for each.
 *
 * This process executes a part of it, and has other nodes execute theirs, each by
 * one call that leaves the part prepared.  When all are, the commit of this
 * transaction decides.
 *
 *	  send		each other node gets its part, all at once
 *	  execute	ours, meanwhile
 *	  decide	all have said that they are prepared.  Their names are written
 *				to Citus' table of such commits, and this transaction commits,
 *				on disk: one commit
 *	  end		the nodes are told to commit what they have prepared, or to
 *				undo it
 *
 * The names are as those of Citus, and so is what a name in that table means: what
 * is prepared is to be committed if it stands there, and to be undone otherwise.
 * So where the end does not get to a node, Citus' recovery brings it there, which
 * it starts once a minute on this node.
 *
 * Citus knows which of its own transactions are under way, and not of ours.  Its
 * recovery would undo what is prepared before we have decided.  So it has to wait
 * until we have: we hold the lock that one recovery holds against another.  Who
 * waits for that goes first; then we leave the transaction to Citus.
 *
 * Nobody waits long for a lock in such a transaction, neither here nor at the
 * other nodes.  So there are no cycles.  If anything fails all is undone, and the
 * transaction is executed once more, by Citus, which says what is wrong.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "base/base_message.h"
#include "base/base_request.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "peer/peer.h"
#include "process/process_watch.h"
#include "shard/shard_internal.h"
#include "storage/lock.h"
#include "utils/timestamp.h"

/* Other nodes at most; so many are rare, and left to Citus. */
#define MAX_PARTS		16

/* Milliseconds: to be prepared in, and to say that the end is there. */
#define PATIENCE		2000

/* Citus' lock on its recovery, as an advisory one: class and number. */
#define RECOVERY_CLASS	9
#define RECOVERY		0

#define MAX_NAME		64

typedef struct Part
{
	int32		group;
	DynamoNode	node;
	char		name[MAX_NAME];
	PeerCall   *call;			/* NULL: it has ended, and what it said is
								 * taken */
} Part;

static Part parts[MAX_PARTS];
static int	nparts = 0;
static const char *answers[MAX_PARTS];

static void end_parts(bool committed);
static bool is_told(Part *part, bool committed, int64 began);
static bool reach(const DynamoNode *node, int64 began);
static PeerCall *tell(const Part *part, const char *what);
static bool await(const PeerCall *call, int64 began, bool in_transaction);
static uint64 next_number(void);

/*
 * Is there a connection to the node?
 */
bool
shard_split_reaches(const DynamoNode *node)
{
	return peer_is_there(node);
}

/*
 * From here on the process is to execute nothing else until the transaction has
 * ended.  False: it cannot be executed in this way now.
 */
bool
shard_split_begin(void)
{
	static bool known = false;
	LOCKTAG		tag;

	nparts = 0;					/* whose end is not known is left to Citus */
	if (RecoveryInProgress())
		return false;
	if (!known)
		known = shard_knows_recovery();
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, 0, RECOVERY, RECOVERY_CLASS);
	return known &&
		LockAcquire(&tag, ShareLock, false, true) != LOCKACQUIRE_NOT_AVAIL &&
		shard_lock_decisions();
}

/*
 * Have a node execute its part, and prepare it.  False: it cannot be asked.
 */
bool
shard_split_send(int32 group, const DynamoNode *node, const char *request)
{
	StringInfoData call;
	StringInfoData message;
	Part	   *part = &parts[nparts];

	if (nparts == MAX_PARTS)
		return false;
	dynamo_request_settles(end_parts);
	part->group = group;
	part->node = *node;
	snprintf(part->name, sizeof(part->name), "citus_%d_%d_" UINT64_FORMAT "_%d",
			 shard_node_group(), MyProcPid, next_number(), nparts);
	initStringInfo(&call);
	appendStringInfo(&call, "%s %s", part->name, request);
	initStringInfo(&message);
	dynamo_message_call(&message, DYNAMO_PREPARE_PART, false, NULL, call.data,
						call.len);
	part->call = peer_send_now(node, message.data, message.len);
	if (part->call == NULL)
		return false;
	answers[nparts] = NULL;
	nparts++;
	return true;
}

/*
 * A number that is another one each time, in this process and after it, and none
 * of those that Citus counts from one.
 */
static uint64
next_number(void)
{
	static uint64 last = 0;

	last = Max(last + 1, (uint64) GetCurrentTimestamp());
	return last;
}

/*
 * All that is to be done here has been done.  Wait until all parts are prepared, and
 * have the commit of this transaction decide.  Raises what a node has raised.
 */
void
shard_split_decide(void)
{
	int64		began = dynamo_clock();

	for (int i = 0; i < nparts; i++)
	{
		Part	   *part = &parts[i];
		const char *text;
		ErrorData  *error;
		int			len;

		if (!await(part->call, began, true))
			dynamo_route_refuse();
		text = peer_call_answer(part->call, &len);
		if (text == NULL)
			dynamo_route_refuse();
		error = dynamo_message_error(text, len);
		if (error != NULL)
			ThrowErrorData(error);
		text = dynamo_message_body(text, len, &len);
		answers[i] = pnstrdup(text, len);
	}
	for (int i = 0; i < nparts; i++)
	{
		if (!shard_note_decision(parts[i].group, parts[i].name))
			dynamo_route_refuse();
	}
	dynamo_commit_first();
}

/*
 * What the node has said that was sent its part as the first, second, ...
 */
const char *
shard_split_answer(int part)
{
	return answers[part];
}

/*
 * False: it takes too long.
 */
static bool
await(const PeerCall *call, int64 began, bool in_transaction)
{
	while (!peer_await(call))
	{
		if (in_transaction)
			CHECK_FOR_INTERRUPTS();
		if (dynamo_clock() - began > PATIENCE)
			return false;
	}
	return true;
}

/*
 * This transaction has ended.  What was prepared, or may be yet, ends in the same
 * way: a call follows the one that prepares, on its connection, or on a new one where
 * that is lost.  Who has an answer is to find what was written, so a commit is waited
 * for.  Where a node cannot be told, Citus' recovery does it.
 */
static void
end_parts(bool committed)
{
	const char *what = committed ? DYNAMO_COMMIT_PART : DYNAMO_ABORT_PART;
	int64		began;

	/*
	 * The wait of the commit for standbys may have been cut short.  Where one
	 * is promoted that lacks it, the parts are to be undone.
	 */
	if (committed && nparts > 0)
		dynamo_flush(XactLastCommitEnd);
	began = dynamo_clock();
	for (int i = 0; i < nparts; i++)
	{
		Part	   *part = &parts[i];

		peer_forget(part->call);
		part->call = tell(part, what);
	}
	for (int i = 0; i < nparts; i++)
	{
		Part	   *part = &parts[i];

		if (!is_told(part, committed, began) && reach(&part->node, began))
		{
			part->call = tell(part, what);
			(void) is_told(part, committed, began);
		}
	}
	nparts = 0;
}

/*
 * Forgets the call.  False: it was lost, or could not be made.
 */
static bool
is_told(Part *part, bool committed, int64 began)
{
	PeerCall   *call = part->call;
	bool		lost = call == NULL;
	int			len;

	part->call = NULL;
	if (lost)
		return false;
	if (committed && await(call, began, false))
		lost = peer_call_answer(call, &len) == NULL;
	peer_forget(call);
	return !lost;
}

/*
 * Have a connection to the node.  False: there is none in time.
 */
static bool
reach(const DynamoNode *node, int64 began)
{
	while (peer_reach(node) != PEER_SENT)
	{
		if (dynamo_clock() - began > PATIENCE)
			return false;
		peer_wait();
	}
	return true;
}

/*
 * NULL: it cannot be told.
 */
static PeerCall *
tell(const Part *part, const char *what)
{
	char		message[MAX_NAME * 2];
	int			len = strlen(what) + 1;

	memcpy(message, what, len);
	strcpy(message + len, part->name);
	return peer_send_now(&part->node, message, len + strlen(part->name));
}
