/*-------------------------------------------------------------------------
 *
 * process_want.c
 *	  What there is to do in the background of each database.
 *
 * A session that makes work asks for it here, and wakes what is to do it: a
 * process of the database that is idle, or the launcher, which starts one.  So
 * no session starts a process.  What a process finds it writes here, too: what
 * it stays for, until when that is done, and what is left.  The launcher, the
 * views and the metrics read it.
 *
 * It is as a note on a board.  After a crash the board is empty, and each
 * database is looked at.  There is room for many databases; one that finds none
 * is looked at in each round.  A database that has nothing to do gives its room
 * to another.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "process/process.h"
#include "process/process_watch.h"
#include "storage/lwlock.h"

#ifdef USE_ASSERT_CHECKING
#define MAX_DATABASES	16
#else
#define MAX_DATABASES	256
#endif

typedef struct Board
{
	LWLock		lock;
	DynamoWants all[MAX_DATABASES];
} Board;

static Board *board;

static void attach_board(void *memory, int tranche, bool made);
static DynamoWants *find_wants(Oid database, bool make);

const char *
dynamo_service_name(DynamoService service)
{
	static const char *const names[DYNAMO_SERVICES] = {
		[DYNAMO_HTTP] = "http",
		[DYNAMO_MAINTENANCE] = "maintenance",
		[DYNAMO_BUILD] = "build",
		[DYNAMO_HANDLER] = "handler",
		[DYNAMO_JOB] = "job",
		[DYNAMO_MARKER] = "recovery",
		[DYNAMO_CLUSTER] = "cluster",
		[DYNAMO_REPLICA] = "replication",
	};

	return names[service];
}

DynamoShared dynamo_shared_wants = {
	.name = "dynamo wants", .size = sizeof(Board), .attach = attach_board
};

static void
attach_board(void *memory, int tranche, bool made)
{
	board = memory;
	if (made)
		LWLockInitialize(&board->lock, tranche);
}

/*
 * NULL: there is none, or no room.  Entries of work stay where they are.
 */
static DynamoWants *
find_wants(Oid database, bool make)
{
	DynamoWants *room = NULL;

	for (int i = 0; i < MAX_DATABASES; i++)
	{
		DynamoWants *wants = &board->all[i];

		if (wants->database == database)
			return wants;
		if ((wants->wanted | wants->kept) == 0 &&
			(room == NULL || !OidIsValid(wants->database)))
			room = wants;
	}
	if (!make || room == NULL)
		return NULL;
	memset(room, 0, sizeof(*room));
	room->database = database;
	return room;
}

/*
 * Have somebody look after such work in this database.
 */
void
dynamo_want(DynamoService service)
{
	if (!dynamo_preloaded)
		return;
	dynamo_want_in(MyDatabaseId, DYNAMO_BIT(service));
	if (!dynamo_workers_wake(MyDatabaseId))
		dynamo_launcher_wake();
}

void
dynamo_want_in(Oid database, uint32 services)
{
	DynamoWants *wants;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_EXCLUSIVE);
	wants = find_wants(database, true);
	for (int i = 0; wants != NULL && i < DYNAMO_SERVICES; i++)
	{
		if ((services & ~wants->wanted & DYNAMO_BIT(i)) != 0)
			wants->since[i] = dynamo_clock();
	}
	if (wants != NULL)
		wants->wanted |= services;
	LWLockRelease(&board->lock);
}

/*
 * What was asked for in this database.  The caller is to do it.
 */
uint32
dynamo_wants_take(void)
{
	DynamoWants *wants;
	uint32		taken = 0;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_EXCLUSIVE);
	wants = find_wants(MyDatabaseId, false);
	if (wants != NULL)
	{
		taken = wants->wanted;
		wants->wanted = 0;
	}
	LWLockRelease(&board->lock);
	return taken;
}

/*
 * A process stays for such work in this database, or not: then nothing of it is
 * left that others could do.  Otherwise the launcher would send them for ever.
 */
void
dynamo_keep(DynamoService service, bool kept)
{
	DynamoWants *wants;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_EXCLUSIVE);
	wants = find_wants(MyDatabaseId, kept);
	if (wants != NULL && !kept)
	{
		wants->kept &= ~DYNAMO_BIT(service);
		wants->waiting[service] = wants->useful[service] = 0;
	}
	else if (wants != NULL && (wants->kept & DYNAMO_BIT(service)) == 0)
	{
		wants->kept |= DYNAMO_BIT(service);
		wants->kept_since[service] = dynamo_clock();
	}
	LWLockRelease(&board->lock);
}

/*
 * All that a process stays for here.
 */
uint32
dynamo_kept(void)
{
	DynamoWants *wants;
	uint32		kept;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_SHARED);
	wants = find_wants(MyDatabaseId, false);
	kept = wants ? wants->kept : 0;
	LWLockRelease(&board->lock);
	return kept;
}

/*
 * Of such work in this database, all up to that time is done, or begun; so many
 * pieces wait, and so many processes would find some.
 */
void
dynamo_note_done(DynamoService service, int64 up_to, int waiting, int useful)
{
	DynamoWants *wants;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_EXCLUSIVE);
	wants = find_wants(MyDatabaseId, true);
	if (wants != NULL)
	{
		wants->up_to[service] = up_to;
		wants->waiting[service] = waiting;
		wants->useful[service] = useful;
	}
	LWLockRelease(&board->lock);
}

/*
 * The oldest piece of such work that is known to be left; 0: none is.
 */
void
dynamo_note_oldest(DynamoService service, TimestampTz oldest)
{
	DynamoWants *wants;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_EXCLUSIVE);
	wants = find_wants(MyDatabaseId, true);
	if (wants != NULL)
		wants->oldest[service] = oldest;
	LWLockRelease(&board->lock);
}

/*
 * 0: nobody has noted any.
 */
int64
dynamo_done_up_to(DynamoService service)
{
	DynamoWants *wants;
	int64		up_to;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_SHARED);
	wants = find_wants(MyDatabaseId, false);
	up_to = wants ? wants->up_to[service] : 0;
	LWLockRelease(&board->lock);
	return up_to;
}

/*
 * There is nothing to do in a database, or no such database.
 */
void
dynamo_wants_nothing(Oid database)
{
	DynamoWants *wants;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_EXCLUSIVE);
	wants = find_wants(database, false);
	if (wants != NULL)
		memset(wants, 0, sizeof(*wants));
	LWLockRelease(&board->lock);
}

/*
 * A copy of all.
 */
List *
dynamo_wants_list(void)
{
	DynamoWants *copy = palloc(sizeof(board->all));
	List	   *list = NIL;

	dynamo_attach_shared(&dynamo_shared_wants);
	LWLockAcquire(&board->lock, LW_SHARED);
	memcpy(copy, board->all, sizeof(board->all));
	LWLockRelease(&board->lock);
	for (int i = 0; i < MAX_DATABASES; i++)
	{
		if (OidIsValid(copy[i].database))
			list = lappend(list, &copy[i]);
	}
	return list;
}

/*
 * For how many milliseconds has such work waited for somebody to do it?
 */
int64
dynamo_want_lag(const DynamoWants *wants, DynamoService service)
{
	int64		now = dynamo_clock();
	int64		since = now;

	if (wants->wanted & DYNAMO_BIT(service))
		since = Min(since, wants->since[service]);
	if ((wants->kept & DYNAMO_BIT(service)) && wants->waiting[service] > 0)
		since = Min(since, Max(wants->kept_since[service],
							   wants->up_to[service]));
	return now - since;
}
