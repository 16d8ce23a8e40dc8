/*-------------------------------------------------------------------------
 *
 * stats_commit.c
 *	  What is counted when its transaction commits: items that time to live
 *	  has deleted, and records of streams.
 *
 * What a savepoint's rollback takes back is counted all the same.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "stats/stats_internal.h"

#define MAX_PENDING		8

typedef struct Pending
{
	StatsTable *table;
	uint32		generation;
	uint64		ttl_deletions;
	uint64		stream_records;
} Pending;

static Pending pending[MAX_PENDING];
static int	npending = 0;

static void transaction_ends(XactEvent event, void *arg);
static Pending *pending_of(StatsRef *ref);
static void apply_committed(void);

void
stats_commit_init(void)
{
	RegisterXactCallback(transaction_ends, NULL);
}

static void
transaction_ends(XactEvent event, void *arg)
{
	if (npending == 0)
		return;
	switch (event)
	{
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
			apply_committed();
			npending = 0;
			break;
		case XACT_EVENT_ABORT:
			npending = 0;
			break;
		default:
			break;
	}
}

static void
apply_committed(void)
{
	for (int i = 0; i < npending; i++)
	{
		const Pending *p = &pending[i];

		if (p->table->generation != p->generation)
			continue;			/* the table is gone */
		pg_atomic_fetch_add_u64(&p->table->ttl_deletions, p->ttl_deletions);
		pg_atomic_fetch_add_u64(&p->table->stream_records, p->stream_records);
	}
}

/*
 * What the transaction has counted for the table; NULL: nothing is counted.
 */
static Pending *
pending_of(StatsRef *ref)
{
	StatsTable *table = stats_track && ref ? stats_table(ref) : NULL;
	Pending    *p;

	if (table == NULL)
		return NULL;
	for (int i = 0; i < npending; i++)
	{
		p = &pending[i];
		if (p->table == table && p->generation == table->generation)
			return p;
	}
	if (npending == MAX_PENDING)
	{
		apply_committed();		/* without waiting for the commit */
		npending = 0;
	}
	p = &pending[npending++];
	memset(p, 0, sizeof(*p));
	p->table = table;
	p->generation = table->generation;
	return p;
}

/*
 * Time to live has deleted so many items of the table.
 */
void
stats_ttl_deleted(StatsRef *ref, uint64 n)
{
	Pending    *p = n > 0 ? pending_of(ref) : NULL;

	if (p != NULL)
		p->ttl_deletions += n;
}

/*
 * A change of the table has been recorded.
 */
void
stats_stream_recorded(StatsRef *ref)
{
	Pending    *p = pending_of(ref);

	if (p != NULL)
		p->stream_records++;
}
