/*-------------------------------------------------------------------------
 *
 * journal_ledger.c
 *	  What is known in shared memory of the commits that the journal is about.
 *
 * A marker tells what was committed at its time.  Of the time between two
 * markers, something is known if we know when the last commit before the second
 * one was: from then on all was as that one says.  So each transaction that
 * leaves entries announces its commit, and notes the time when it is done:
 *
 *		announce xid   | commit, seen by others |   note the time   withdraw
 *		---------------+------------------------+---------+------------+---->
 *
 * A process that takes a snapshot looks at the announcements and then at the
 * time.  A transaction that the snapshot sees has announced itself before;
 * either it has not withdrawn yet, and nothing is known, or the time is not
 * before its commit.  So a process that is stopped anywhere costs knowledge,
 * never truth.
 *
 * The commit of a prepared transaction calls no function of ours.  Its
 * announcement stays, in a place of its own, until somebody finds that it has
 * ended, and notes that this may have been up to now.
 *
 * Here, too, stands when the last marker was taken.  A transaction that is about
 * to commit and finds none of the last second takes one itself, in itself.  So
 * markers do not depend on any process that could be stopped or starved.
 *
 * Each database has a page of its own, from its first look at it to the end of
 * the server.  If two shared one, the markers of one would stand for the other's,
 * which then would have none.  Without preload there is no such memory, and
 * nothing of it is known; nor in a database for which no page is left.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/twophase.h"
#include "access/xact.h"
#include "access/xlogrecovery.h"
#include "base/base_pause.h"
#include "base/base_shared.h"
#include "journal/journal_internal.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* For so many databases. */
#define PAGES			1021

/* Of a database. */
typedef struct LedgerPage
{
	pg_atomic_uint32 database;	/* 0: nobody's yet */
	pg_atomic_uint64 changes;	/* commits, counted */
	pg_atomic_uint64 changed_at;	/* none was later */
	pg_atomic_uint64 marked_changes;	/* that the last marker sees */
	pg_atomic_uint64 marked_at;
} LedgerPage;

/*
 * Announcements: a database and an xid, or 0.  First the processes', then those
 * of prepared transactions, of which some may have ended.
 */
typedef struct Ledger
{
	LedgerPage	pages[PAGES];
	TimestampTz made_at;		/* when the server started */
	pg_atomic_uint32 begun;		/* 0: nothing is known */
	pg_atomic_uint32 overflowed;	/* nor if a prepared one found no place */
	pg_atomic_uint64 announced[FLEXIBLE_ARRAY_MEMBER];
} Ledger;

#define announcement(database, xid) (((uint64) (database) << 32) | (xid))
#define announced_database(a) ((Oid) ((a) >> 32))
#define announced_xid(a) ((TransactionId) (a))

#define PREPARED_PLACES (2 * max_prepared_xacts)
#define PLACES			(MaxBackends + PREPARED_PLACES)

static Ledger *ledger = NULL;
static void (*mark_if_due) (bool prepares);
static bool (*note_set_back) (TimestampTz written);

/* The transaction at hand */
static bool has_entries = false;
static TimestampTz written_until;	/* the latest time of its entries; 0 */
static bool is_set_back = false;	/* its commit shows that the clock was */
static bool window_begins = false;	/* of a table, in this transaction */
static bool announced = false;
static bool has_marker = false;
static uint64 marker_changes;
static TimestampTz marker_at;
static TimestampTz marker_before;

static Size measure(void);
static void attach(void *memory, int tranche, bool made);
static LedgerPage *my_page(void);
static LedgerPage *page_of(Oid database);
static void transaction_event(XactEvent event, void *arg);
static void forget_marker(void);
static void announce(void);
static void withdraw(void);
static void note_change(LedgerPage *page, TimestampTz when);
static void keep_prepared(uint64 who);
static bool keep(uint64 who);
static void sweep(void);
static void know_prepared(Snapshot snapshot);
static bool is_known(void);

static DynamoShared shared_ledger = {
	.name = "dynamo ledger", .measure = measure, .attach = attach
};

void
journal_ledger_init(void (*if_due) (bool prepares),
					bool (*set_back) (TimestampTz written))
{
	mark_if_due = if_due;
	note_set_back = set_back;
	RegisterXactCallback(transaction_event, NULL);
	dynamo_share(&shared_ledger);
}

static Size
measure(void)
{
	return add_size(offsetof(Ledger, announced),
					mul_size(PLACES, sizeof(pg_atomic_uint64)));
}

static void
attach(void *memory, int tranche, bool made)
{
	ledger = memory;
	if (!made)
		return;
	ledger->made_at = GetCurrentTimestamp();
	for (int i = 0; i < PAGES; i++)
	{
		pg_atomic_init_u32(&ledger->pages[i].database, InvalidOid);
		pg_atomic_init_u64(&ledger->pages[i].changes, 0);
		pg_atomic_init_u64(&ledger->pages[i].changed_at, 0);
		pg_atomic_init_u64(&ledger->pages[i].marked_changes, 0);
		pg_atomic_init_u64(&ledger->pages[i].marked_at, 0);
	}
	pg_atomic_init_u32(&ledger->begun, 0);
	pg_atomic_init_u32(&ledger->overflowed, 0);
	for (int i = 0; i < PLACES; i++)
		pg_atomic_init_u64(&ledger->announced[i], 0);
}

/*
 * NULL: nothing is known.
 */
static LedgerPage *
my_page(void)
{
	static LedgerPage *page = NULL;

	if (page == NULL && ledger != NULL)
		page = page_of(MyDatabaseId);
	return page;
}

/*
 * The same of any database, which takes the first page that is free.
 */
static LedgerPage *
page_of(Oid database)
{
	for (int i = 0; i < PAGES; i++)
	{
		LedgerPage *page = &ledger->pages[(database + i) % PAGES];
		uint32		owner = pg_atomic_read_u32(&page->database);

		if (owner == database ||
			(owner == InvalidOid &&
			 (pg_atomic_compare_exchange_u32(&page->database, &owner,
											 database) || owner == database)))
			return page;
	}
	return NULL;
}

/*
 * This transaction changes what markers are about: its next entry has this time.
 */
void
journal_ledger_change(TimestampTz now)
{
	has_entries = true;
	written_until = Max(written_until, now);
}

/*
 * Nor do those know a table that have been taken.
 */
void
journal_ledger_window_begins(void)
{
	has_entries = window_begins = true;
}

/*
 * Has no marker been taken for so long?  Nor if the clock has been set back.
 */
bool
journal_ledger_is_due(TimestampTz now, TimestampTz interval)
{
	LedgerPage *page = my_page();
	TimestampTz marked_at;

	if (page == NULL)
		return false;
	marked_at = (TimestampTz) pg_atomic_read_u64(&page->marked_at);
	return now - marked_at >= interval || now < marked_at - JOURNAL_SLACK;
}

/*
 * The commits so far, for journal_ledger_mark().  *same: nothing has been
 * committed since the last marker, and nothing that was prepared could be.
 */
uint64
journal_ledger_changes(bool *same)
{
	LedgerPage *page = my_page();
	uint64		changes;

	*same = false;
	if (page == NULL)
		return 0;
	changes = pg_atomic_read_u64(&page->changes);
	if (!is_known() ||
		pg_atomic_read_u64(&page->marked_changes) != changes)
		return changes;
	*same = true;
	for (int i = MaxBackends; i < PLACES && *same; i++)
	{
		uint64		who = pg_atomic_read_u64(&ledger->announced[i]);

		*same = who == 0 || announced_database(who) != MyDatabaseId;
	}
	return changes;
}

/*
 * The time of the last marker since the server started; 0: there was none.
 */
TimestampTz
journal_ledger_marked_at(void)
{
	LedgerPage *page = my_page();

	return page ? (TimestampTz) pg_atomic_read_u64(&page->marked_at) : 0;
}

/*
 * Take the place of the last marker, so that those of one database are in the
 * order of their snapshots: "last" was read before the snapshot was taken.
 * False: somebody else has; take another snapshot.  When the transaction ends,
 * that is noted.
 */
bool
journal_ledger_mark(TimestampTz last, TimestampTz at, uint64 changes)
{
	LedgerPage *page = my_page();
	uint64		expected = (uint64) last;

	if (page == NULL)
		return true;
	if (!pg_atomic_compare_exchange_u64(&page->marked_at, &expected,
										(uint64) at))
		return false;
	if (GetCurrentTransactionNestLevel() > 1)
		return true;			/* it may be rolled back without our knowing */
	has_marker = true;
	marker_before = last;
	marker_at = at;
	marker_changes = changes;
	return true;
}

/*
 * Since when has all been as the snapshot says?  The clock was at "before" just
 * before it was taken; so long, too, nothing has changed.  0: nobody knows.
 * The caller's own changes are not in it.
 */
TimestampTz
journal_ledger_since(Snapshot snapshot, TimestampTz before)
{
	LedgerPage *page = my_page();
	TimestampTz since;

	if (page == NULL || !is_known())
		return 0;
	for (int i = 0; i < PLACES; i++)
	{
		uint64		who = pg_atomic_read_u64(&ledger->announced[i]);

		if (who != 0 && announced_database(who) == MyDatabaseId &&
			!XidInMVCCSnapshot(announced_xid(who), snapshot))
			return 0;
	}
	pg_read_barrier();
	since = (TimestampTz) pg_atomic_read_u64(&page->changed_at);
	return since <= before ? since : 0;
}

/*
 * Know what there is to be known from now on; to be called with a snapshot, by
 * the first that looks.  What was committed before was committed before the
 * server started, unless it was prepared, or came from a primary.
 */
void
journal_ledger_begin(Snapshot snapshot)
{
	TimestampTz before;

	if (my_page() == NULL)
		return;
	if (pg_atomic_read_u32(&ledger->begun) != 0)
	{
		sweep();
		return;
	}
	know_prepared(snapshot);
	if (max_prepared_xacts == 0 && GetLatestXTime() == 0)
		before = ledger->made_at;
	else
		before = GetCurrentTimestamp();
	for (int i = 0; i < PAGES; i++)
		note_change(&ledger->pages[i], before);
	pg_atomic_write_u32(&ledger->begun, 1);
}

/*
 * The clock was set back, and what was noted before is of no use any more.
 */
void
journal_ledger_begin_anew(TimestampTz now)
{
	LedgerPage *page = my_page();

	if (page == NULL)
		return;
	pg_atomic_write_u64(&page->changed_at, (uint64) now);

	/*
	 * Somebody may have committed since "now", and found a later time in
	 * place of his.
	 */
	note_change(page, GetCurrentTimestamp());
}

static void
transaction_event(XactEvent event, void *arg)
{
	if (!has_entries && !has_marker)
		return;
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			if (written_until > GetCurrentTimestamp() + JOURNAL_SLACK)
				is_set_back = note_set_back(written_until);
			if (has_entries && my_page() != NULL)
			{
				mark_if_due(event == XACT_EVENT_PRE_PREPARE);
				announce();
			}
			return;
		case XACT_EVENT_COMMIT:
			if (announced)
				note_change(my_page(), GetCurrentTimestamp());
			if (has_marker && my_page() != NULL)
				pg_atomic_write_u64(&my_page()->marked_changes,
									marker_changes);

			/*
			 * No marker sees it yet.  So the next writer takes one. Otherwise
			 * what he changes would be before the first point of the table.
			 */
			if (window_begins && my_page() != NULL)
				pg_atomic_write_u64(&my_page()->marked_at, 0);
			if (is_set_back && my_page() != NULL)
				pg_atomic_write_u64(&my_page()->marked_at,
									(uint64) written_until);
			break;
		case XACT_EVENT_PREPARE:
			if (announced)
				keep_prepared(pg_atomic_read_u64(&ledger->announced[MyProc - ProcGlobal->allProcs]));
			forget_marker();
			break;
		case XACT_EVENT_ABORT:
			forget_marker();
			break;
		default:
			return;				/* of parallel workers, which do not write */
	}
	withdraw();
	has_entries = has_marker = window_begins = is_set_back = false;
	written_until = 0;
}

/*
 * Nobody else sees the marker of this transaction, not yet or never.
 */
static void
forget_marker(void)
{
	uint64		mine = (uint64) marker_at;

	if (has_marker && my_page() != NULL)
		(void) pg_atomic_compare_exchange_u64(&my_page()->marked_at, &mine,
											  (uint64) marker_before);
}

/*
 * Of several processes that begin to commit at a time each has its own place.
 */
static void
announce(void)
{
	pg_atomic_write_u64(&ledger->announced[MyProc - ProcGlobal->allProcs],
						announcement(MyDatabaseId,
									 GetTopTransactionId()));
	announced = true;
	pg_memory_barrier();
	dynamo_pause("commit");
}

static void
withdraw(void)
{
	if (!announced)
		return;
	pg_memory_barrier();
	pg_atomic_write_u64(&ledger->announced[MyProc - ProcGlobal->allProcs], 0);
	announced = false;
}

/*
 * Something was committed at some time up to "when".
 */
static void
note_change(LedgerPage *page, TimestampTz when)
{
	uint64		latest = pg_atomic_read_u64(&page->changed_at);

	while ((TimestampTz) latest < when &&
		   !pg_atomic_compare_exchange_u64(&page->changed_at, &latest,
										   (uint64) when))
		;
	pg_atomic_fetch_add_u64(&page->changes, 1);
}

/*
 * There is room for all that can be prepared at a time, and for as many that
 * have ended without anybody's noticing.
 */
static void
keep_prepared(uint64 who)
{
	if (keep(who))
		return;
	sweep();
	if (!keep(who))
		pg_atomic_write_u32(&ledger->overflowed, 1);
}

static bool
keep(uint64 who)
{
	for (int i = MaxBackends; i < PLACES; i++)
	{
		uint64		expected = 0;

		/* Of several who look first, each comes with the same ones. */
		if (pg_atomic_compare_exchange_u64(&ledger->announced[i], &expected,
										   who) || expected == who)
			return true;
	}
	return false;
}

/*
 * Of prepared transactions that have ended, take the announcements away.  One
 * may have shown that the clock was set back, so the next marker looks.
 */
static void
sweep(void)
{
	for (int i = MaxBackends; i < PLACES; i++)
	{
		uint64		who = pg_atomic_read_u64(&ledger->announced[i]);
		LedgerPage *page;

		if (who == 0 || TransactionIdIsInProgress(announced_xid(who)))
			continue;
		page = page_of(announced_database(who));
		if (page != NULL)
		{
			note_change(page, GetCurrentTimestamp());
			pg_atomic_write_u64(&page->marked_at, (uint64) DT_NOEND);
		}
		(void) pg_atomic_compare_exchange_u64(&ledger->announced[i], &who, 0);
	}
}

/*
 * Announce those that were prepared before the server started, or on the server
 * whose standby it was.
 */
static void
know_prepared(Snapshot snapshot)
{
	for (int i = 0; i < max_prepared_xacts; i++)
	{
		const PGPROC *proc = &PreparedXactProcs[i];
		TransactionId xid = proc->xid;

		if (TransactionIdIsNormal(xid) &&
			XidInMVCCSnapshot(xid, snapshot))
			keep_prepared(announcement(proc->databaseId, xid));
	}
}

static bool
is_known(void)
{
	return pg_atomic_read_u32(&ledger->begun) != 0 &&
		pg_atomic_read_u32(&ledger->overflowed) == 0;
}
