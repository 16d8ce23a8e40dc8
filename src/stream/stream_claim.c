/*-------------------------------------------------------------------------
 *
 * stream_claim.c
 *	  Stream records: which transactions may still write some.
 *
 * A claim says "this transaction's numbers in this stream are greater than v".
 * It is made before the transaction draws its first number for the stream, and
 * ends after its outcome can be seen (README.md, "Late commits").
 *
 * Where the module is preloaded, claims are in shared memory of our own.  Each
 * process has a place there, which it alone writes to: an array of claims, and
 * how many of them are valid.  It fills in a claim, then counts it.  At the end
 * of the transaction it counts none.  A reader reads the count, then so many
 * claims.  It takes no lock, and in a place without claims looks at one word.
 *
 * A claim may be overwritten by the process' next transaction while somebody
 * reads it.  What that reader takes for a claim, then, is none, and can only
 * hold it back for no reason.  Nor does it miss one: the claim that is gone was
 * of a transaction that had ended, which the reader's snapshot will see; the
 * new one, if it was not counted yet when the reader came, is of numbers
 * beyond those that it reads.
 *
 * A transaction that is prepared leaves its process, and outlives the server.
 * So it gets a lock for each claim just before, whose tag is (database,
 * stream, v), and which core keeps for it from then on.  Nobody ever waits for
 * such a lock.  A list of all those tags is in our shared memory, too; one
 * whose lock nobody holds any more is struck off by the first that notices.
 * After a start of the server the list is made from the lock table, once.  The
 * process' own claims end after those of the list are there, and a reader
 * looks at the list last.
 *
 * Where the module is not preloaded, each claim is such a lock from the
 * beginning, and a reader copies the lock table.
 *
 * A place has room for few streams.  A transaction that writes to more has a
 * last claim that is on all streams of the database.
 *
 * Of the feeds of global tables (stream_feed.c) it is noted up to where readers
 * have come, at most.  Who writes claims that, which may be less than the last
 * number.  So a record above it, which another transaction has written, is in front
 * of all readers until this one ends: it may be changed in its place.  As with
 * claims, each side writes its own first, then reads the other's:
 *
 *		writer					reader
 *		claim what is noted		H = last number
 *		-- full barrier --		note it
 *		claim what is noted		-- full barrier --
 *			by now				claims
 *
 * Either the reader finds the claim, and stays behind it, or the writer finds
 * what the reader has noted.  Of a feed of which nothing is noted since the server has
 * started, and none there is room for, the last number is claimed, and no record is
 * changed in its place.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/twophase.h"
#include "access/xact.h"
#include "base/base_shared.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/lock.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "stream/stream_internal.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

/* Of a transaction; 512 bytes of shared memory for each process. */
#define MAX_CLAIMS		31

/* Instead of a stream's number, which are greater. */
#define ALL_STREAMS		0

/* Of which it is noted how far they have been read. */
#define MAX_FEEDS		256

typedef struct Claim
{
	Oid			database;
	int32		stream;
	pg_atomic_uint64 number;	/* v: numbers are greater */
} Claim;

/* A feed that is read; once in use it stays.  "reached" is 0 before. */
typedef struct Feed
{
	Oid			database;
	Oid			sequence;		/* that numbers come from: dynamo may be
								 * dropped and created again */
	int32		stream;
	pg_atomic_uint64 reached;	/* readers have no number above it */
} Feed;

/* What a process claims. */
typedef struct Place
{
	pg_atomic_uint32 count;
	int			pid;
	Claim		claims[MAX_CLAIMS];
} Place;

typedef struct Claims
{
	LWLock		lock;			/* on what follows, but for "count" */
	bool		complete;		/* the lock table has been looked at */
	int			sweep_at;		/* strike off when there are so many */
	pg_atomic_uint32 nprepared;
	Claim	   *prepared;		/* of prepared transactions */
	Feed		feeds[MAX_FEEDS];
	int			nplaces;
	Place		places[FLEXIBLE_ARRAY_MEMBER];
} Claims;

static Claims *shared = NULL;	/* NULL: not preloaded */

/* A stream that this transaction has claimed. */
typedef struct Claimed
{
	int32		stream;
	int64		behind;			/* as stream_claim() returns it */
} Claimed;

/* Those of the transaction "claimant" (Claimed *). */
static FullTransactionId claimant = {0};
static List *streams = NIL;

static Size measure(void);
static void attach_claims(void *memory, int tranche, bool made);
static int	max_prepared(void);
static int64 publish(int32 stream);
static Feed *find_feed(Oid sequence, int32 stream);
static Feed *add_feed(Oid sequence, int32 stream);
static Place *own_place(void);
static void at_end(XactEvent event, void *arg);
static void hold(Oid database, int32 stream, int64 number);
static void leave_prepared(void);
static void complete_prepared(void);
static void add_prepared(Oid database, int32 stream, int64 number);
static void sweep_prepared(void);
static void set_tag(LOCKTAG *tag, Oid database, int32 stream, int64 number);
static int64 tag_number(const LOCKTAG *tag);
static bool is_claim(const LockInstanceData *lock);
static bool is_held(const Claim *claim);
static bool concerns(Oid database, int32 claimed, const StreamDef *stream);
static void least_in_places(const StreamDef *stream, int64 *least, int *pid);
static void least_prepared(const StreamDef *stream, int64 *least, int *pid);
static void least_in_locks(const StreamDef *stream, int64 *least, int *pid);

static DynamoShared shared_claims = {
	.name = "dynamo claims", .measure = measure, .attach = attach_claims
};

/*
 * Called once a process.
 */
void
stream_claim_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	dynamo_share(&shared_claims);
	RegisterXactCallback(at_end, NULL);
}

static Size
measure(void)
{
	Size		size = offsetof(Claims, places);

	size = add_size(size, mul_size(MaxBackends, sizeof(Place)));
	return add_size(size, mul_size(max_prepared(), sizeof(Claim)));
}

static int
max_prepared(void)
{
	return max_prepared_xacts * MAX_CLAIMS;
}

static void
attach_claims(void *memory, int tranche, bool made)
{
	shared = memory;
	if (!made)
		return;
	LWLockInitialize(&shared->lock, tranche);
	shared->nplaces = MaxBackends;
	shared->prepared = (Claim *) &shared->places[MaxBackends];
	Assert((char *) &shared->prepared[max_prepared()] ==
		   (char *) shared + measure());
	pg_atomic_init_u32(&shared->nprepared, 0);
	for (int i = 0; i < max_prepared(); i++)
		pg_atomic_init_u64(&shared->prepared[i].number, 0);
	for (int i = 0; i < MAX_FEEDS; i++)
		pg_atomic_init_u64(&shared->feeds[i].reached, 0);
	for (int i = 0; i < shared->nplaces; i++)
	{
		pg_atomic_init_u32(&shared->places[i].count, 0);
		for (int j = 0; j < MAX_CLAIMS; j++)
			pg_atomic_init_u64(&shared->places[i].claims[j].number, 0);
	}
}

/*
 * Tell readers that this transaction may write records of the stream with any
 * number from now on.  Until its end: the claim is the top transaction's:
 * otherwise a savepoint's rollback would end it while records remain.
 *
 * Returns the number that all readers of a feed are behind, and stay behind, until
 * this transaction ends; PG_INT64_MAX if that is not known, and of other streams.
 */
int64
stream_claim(const StreamDef *stream)
{
	FullTransactionId xid = GetTopFullTransactionId();
	MemoryContext caller;
	Claimed    *claimed;
	ListCell   *lc;

	if (!FullTransactionIdEquals(claimant, xid))
	{
		streams = NIL;			/* went with the transaction that made it */
		claimant = xid;
	}
	foreach(lc, streams)
	{
		claimed = lfirst(lc);
		if (claimed->stream == stream->id)
			return claimed->behind;
	}
	caller = MemoryContextSwitchTo(TopTransactionContext);
	claimed = palloc(sizeof(Claimed));
	claimed->stream = stream->id;
	claimed->behind = publish(stream->id);
	streams = lappend(streams, claimed);
	MemoryContextSwitchTo(caller);
	return claimed->behind;
}

/*
 * First the sequence, then the claim, then our first number: otherwise a reader's
 * horizon could pass it.  What readers of a feed have reached is no greater than the
 * last number, and does instead.
 */
static int64
publish(int32 stream)
{
	Feed	   *feed = find_feed(stream_sequence_oid(), stream);
	int64		number = feed ? (int64) pg_atomic_read_u64(&feed->reached) :
		stream_last_number(true);
	Place	   *place;
	Claim	   *claim;
	uint32		n;

	if (shared == NULL)
	{
		hold(MyDatabaseId, stream, number);
		return PG_INT64_MAX;
	}
	place = own_place();
	n = pg_atomic_read_u32(&place->count);
	if (n >= MAX_CLAIMS)
		return PG_INT64_MAX;	/* the last one is on all streams */
	claim = &place->claims[n];
	claim->database = MyDatabaseId;
	claim->stream = n == MAX_CLAIMS - 1 ? ALL_STREAMS : stream;
	pg_atomic_write_u64(&claim->number, (uint64) number);
	place->pid = MyProcPid;

	/* Counted when it is there, and before our number is drawn. */
	pg_write_barrier();
	pg_atomic_write_u32(&place->count, n + 1);
	pg_memory_barrier();
	if (feed == NULL)
		return PG_INT64_MAX;
	number = (int64) pg_atomic_read_u64(&feed->reached);
	pg_atomic_write_u64(&claim->number, (uint64) number);
	return number;
}

/*
 * Of a feed, whose number is below zero.  NULL: it has not been read since the
 * server started, as far as is known, or is none.
 */
static Feed *
find_feed(Oid sequence, int32 stream)
{
	uint32		first = (uint32) stream;

	if (shared == NULL || stream >= 0)
		return NULL;
	for (uint32 i = 0; i < MAX_FEEDS; i++)
	{
		Feed	   *feed = &shared->feeds[(first + i) % MAX_FEEDS];

		if (pg_atomic_read_u64(&feed->reached) == 0)
			break;
		pg_read_barrier();
		if (feed->stream == stream && feed->sequence == sequence &&
			feed->database == MyDatabaseId)
			return feed;
	}
	return NULL;
}

/*
 * The same; NULL: there is no room for it.  The caller has the list locked.
 */
static Feed *
add_feed(Oid sequence, int32 stream)
{
	uint32		first = (uint32) stream;
	Feed	   *feed = find_feed(sequence, stream);

	for (uint32 i = 0; feed == NULL && i < MAX_FEEDS; i++)
	{
		Feed	   *place = &shared->feeds[(first + i) % MAX_FEEDS];

		if (pg_atomic_read_u64(&place->reached) == 0)
			feed = place;
	}
	if (feed != NULL)
	{
		feed->database = MyDatabaseId;
		feed->sequence = sequence;
		feed->stream = stream;
		pg_write_barrier();
	}
	return feed;
}

/*
 * Somebody who is about to ask for claims will not read beyond this number.  It is
 * noted of feeds.
 */
void
stream_claim_reach(const StreamDef *stream, int64 number)
{
	Feed	   *feed;
	Oid			sequence;
	uint64		before;

	if (shared == NULL || stream->id >= 0 || number <= 0)
		return;
	sequence = stream_sequence_oid();
	feed = find_feed(sequence, stream->id);
	if (feed == NULL)
	{
		LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
		feed = add_feed(sequence, stream->id);
		if (feed != NULL && pg_atomic_read_u64(&feed->reached) == 0)
			pg_atomic_write_u64(&feed->reached, (uint64) number);
		LWLockRelease(&shared->lock);
	}
	if (feed == NULL)
		return;
	before = pg_atomic_read_u64(&feed->reached);
	while (before < (uint64) number &&
		   !pg_atomic_compare_exchange_u64(&feed->reached, &before,
										   (uint64) number))
		continue;
	pg_memory_barrier();
}

static Place *
own_place(void)
{
	int			n = compat_process_number;

	Assert(n >= 0 && n < shared->nplaces);
	return &shared->places[n];
}

/*
 * By the time of these events core has made the outcome visible; a prepared
 * transaction is another process' by then.
 */
static void
at_end(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_PREPARE:
			leave_prepared();
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			if (shared == NULL || MyProc == NULL ||
				pg_atomic_read_u32(&own_place()->count) == 0)
				break;
			pg_memory_barrier();
			pg_atomic_write_u32(&own_place()->count, 0);
			break;
		default:
			break;
	}
}

/*
 * A lock that stands for a claim, to the end of the top transaction.
 */
static void
hold(Oid database, int32 stream, int64 number)
{
	ResourceOwner owner = CurrentResourceOwner;
	LOCKTAG		tag;

	set_tag(&tag, database, stream, number);
	CurrentResourceOwner = TopTransactionResourceOwner;
	(void) LockAcquire(&tag, AccessShareLock, false, false);
	CurrentResourceOwner = owner;
}

/*
 * This transaction is going to be prepared: its claims are to outlive its
 * process.
 */
static void
leave_prepared(void)
{
	Place	   *place = own_place();
	uint32		n = pg_atomic_read_u32(&place->count);

	/* Without any, core refuses to prepare it. */
	if (max_prepared_xacts == 0 || n == 0)
		return;

	/* The lock first: otherwise the claim could be struck off at once. */
	for (uint32 i = 0; i < n; i++)
		hold(place->claims[i].database, place->claims[i].stream,
			 pg_atomic_read_u64(&place->claims[i].number));
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (pg_atomic_read_u32(&shared->nprepared) + n > shared->sweep_at)
		sweep_prepared();
	for (uint32 i = 0; i < n; i++)
		add_prepared(place->claims[i].database, place->claims[i].stream,
					 pg_atomic_read_u64(&place->claims[i].number));
	LWLockRelease(&shared->lock);
}

/*
 * Some transactions were prepared before the server started, and have kept
 * their locks.
 */
static void
complete_prepared(void)
{
	LockData   *locks;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (!shared->complete)
	{
		locks = GetLockStatusData();
		for (int i = 0; i < locks->nelements; i++)
		{
			const LockInstanceData *lock = &locks->locks[i];

			if (is_claim(lock) && lock->pid == 0)
				add_prepared(lock->locktag.locktag_field1,
							 (int32) lock->locktag.locktag_field2,
							 tag_number(&lock->locktag));
		}

		/* A reader without the lock finds them listed. */
		pg_write_barrier();
		shared->complete = true;
	}
	LWLockRelease(&shared->lock);
}

/*
 * Add to the list what is not there yet; the caller has it locked.
 */
static void
add_prepared(Oid database, int32 stream, int64 number)
{
	uint32		n = pg_atomic_read_u32(&shared->nprepared);
	Claim	   *claim;

	for (uint32 i = 0; i < n; i++)
	{
		claim = &shared->prepared[i];
		if (claim->database == database && claim->stream == stream &&
			pg_atomic_read_u64(&claim->number) == (uint64) number)
			return;
	}
	if (n >= max_prepared())
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("maximum number of prepared transactions reached"),
				 errhint("Increase max_prepared_transactions (currently %d).",
						 max_prepared_xacts)));
	claim = &shared->prepared[n];
	claim->database = database;
	claim->stream = stream;
	pg_atomic_write_u64(&claim->number, (uint64) number);
	pg_write_barrier();
	pg_atomic_write_u32(&shared->nprepared, n + 1);
}

/*
 * Strike off claims of transactions that have ended; the caller has the list
 * locked.  The next time when there are twice as many: otherwise a server that
 * prepares many transactions, and never reads a stream, would look at all of
 * them for each.
 */
static void
sweep_prepared(void)
{
	uint32		n = pg_atomic_read_u32(&shared->nprepared);
	uint32		left = 0;

	for (uint32 i = 0; i < n; i++)
	{
		const Claim *claim = &shared->prepared[i];
		Claim	   *to = &shared->prepared[left];

		if (!is_held(claim))
			continue;
		to->database = claim->database;
		to->stream = claim->stream;
		pg_atomic_write_u64(&to->number,
							pg_atomic_read_u64((pg_atomic_uint64 *) &claim->number));
		left++;
	}
	pg_atomic_write_u32(&shared->nprepared, left);
	shared->sweep_at = Min(max_prepared(), 2 * left + 2 * MAX_CLAIMS);
}

/*
 * Lock type and method together are used by nobody else; numbers have 48 bits.
 */
static void
set_tag(LOCKTAG *tag, Oid database, int32 stream, int64 number)
{
	tag->locktag_field1 = database;
	tag->locktag_field2 = (uint32) stream;
	tag->locktag_field3 = (uint32) ((uint64) number >> 16);
	tag->locktag_field4 = (uint16) (number & 0xFFFF);
	tag->locktag_type = LOCKTAG_USERLOCK;
	tag->locktag_lockmethodid = DEFAULT_LOCKMETHOD;
}

static int64
tag_number(const LOCKTAG *tag)
{
	return (int64) (((uint64) tag->locktag_field3 << 16) |
					tag->locktag_field4);
}

static bool
is_claim(const LockInstanceData *lock)
{
	return lock->holdMask != 0 &&
		lock->locktag.locktag_type == LOCKTAG_USERLOCK &&
		lock->locktag.locktag_lockmethodid == DEFAULT_LOCKMETHOD;
}

/*
 * Does anybody hold the lock of this claim?  Not for a transaction whose
 * outcome can be seen, which core lets go of its locks after that.
 */
static bool
is_held(const Claim *claim)
{
	LOCKTAG		tag;
	VirtualTransactionId *holders;
	int			n;

	set_tag(&tag, claim->database, claim->stream,
			pg_atomic_read_u64((pg_atomic_uint64 *) &claim->number));
	holders = GetLockConflicts(&tag, AccessExclusiveLock, &n);
	pfree(holders);
	return n > 0;
}

static bool
concerns(Oid database, int32 claimed, const StreamDef *stream)
{
	return database == MyDatabaseId &&
		(claimed == stream->id || claimed == ALL_STREAMS);
}

/*
 * The least number after which a transaction in progress has drawn, or is
 * going to draw, numbers for the stream, PG_INT64_MAX if there is none; and its
 * process, 0 if it is prepared.
 *
 * The caller has read the sequence, and takes its snapshot afterwards.
 */
int64
stream_least_claim(const StreamDef *stream, int *pid)
{
	int64		least = PG_INT64_MAX;

	*pid = 0;
	if (shared == NULL)
	{
		least_in_locks(stream, &least, pid);
		return least;
	}
	if (!shared->complete)
		complete_prepared();
	pg_memory_barrier();
	least_in_places(stream, &least, pid);

	/* A claim that has left its place is in the list by then. */
	pg_memory_barrier();
	if (pg_atomic_read_u32(&shared->nprepared) > 0)
		least_prepared(stream, &least, pid);
	pg_memory_barrier();
	return least;
}

static void
least_in_places(const StreamDef *stream, int64 *least, int *pid)
{
	for (int i = 0; i < shared->nplaces; i++)
	{
		Place	   *place = &shared->places[i];
		uint32		n = pg_atomic_read_u32(&place->count);

		pg_read_barrier();
		for (uint32 j = 0; j < n; j++)
		{
			Claim	   *claim = &place->claims[j];
			int64		number = pg_atomic_read_u64(&claim->number);

			if (!concerns(claim->database, claim->stream, stream) || number >= *least)
				continue;
			*least = number;
			*pid = place->pid;
		}
	}
}

static void
least_prepared(const StreamDef *stream, int64 *least, int *pid)
{
	bool		ended = false;
	uint32		n;

	LWLockAcquire(&shared->lock, LW_SHARED);
	n = pg_atomic_read_u32(&shared->nprepared);
	for (uint32 i = 0; i < n; i++)
	{
		Claim	   *claim = &shared->prepared[i];
		int64		number = pg_atomic_read_u64(&claim->number);

		if (!concerns(claim->database, claim->stream, stream) || number >= *least)
			continue;
		if (is_held(claim))
		{
			*least = number;
			*pid = 0;
		}
		else
			ended = true;
	}
	LWLockRelease(&shared->lock);
	if (!ended)
		return;
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	sweep_prepared();
	LWLockRelease(&shared->lock);
}

static void
least_in_locks(const StreamDef *stream, int64 *least, int *pid)
{
	LockData   *locks = GetLockStatusData();

	for (int i = 0; i < locks->nelements; i++)
	{
		const LockInstanceData *lock = &locks->locks[i];
		const LOCKTAG *tag = &lock->locktag;

		if (is_claim(lock) &&
			concerns(tag->locktag_field1, (int32) tag->locktag_field2,
					 stream) &&
			tag_number(tag) < *least)
		{
			*least = tag_number(tag);
			*pid = lock->pid;
		}
	}
	pfree(locks->locks);
	pfree(locks);
}
