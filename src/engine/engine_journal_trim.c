/*-------------------------------------------------------------------------
 *
 * engine_journal_trim.c
 *	  The journal of point-in-time recovery: deleting what no table needs, and
 *	  beginning where there is none.
 *
 * A piece goes when it is older than the longest period of any table by a day.
 * The day is for transactions: what a marker does not see was written before
 * it, by as much as they last.  If one lasts longer, the markers that would
 * need what is gone are no use any more (backup_window.c), since the time is
 * kept from which on the journal is complete.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "engine/engine_internal.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

/* For transactions that last. */
#define KEPT_LONGER		USECS_PER_DAY

static TimestampTz needed_from(TimestampTz now);

/*
 * Truncate what is not needed at time "now".  Returns the number of pieces.
 */
int
engine_journal_trim(TimestampTz now)
{
	const EngineRing *ring = &engine_journal_ring;
	TimestampTz needed = needed_from(now);
	TimestampTz complete = 0;
	SchemaWindow window;
	int			trimmed = 0;

	PreventCommandIfReadOnly("trimming the journal");
	PreventCommandIfParallelMode("trimming the journal");
	if (!schema_lock_windows())
		return 0;

	/* The piece of "now" is behind all others, which are in turn. */
	for (int age = ring->npieces - 1; age > 0; age--)
	{
		TimestampTz when = now - age * ring->period;
		TimestampTz end = when - when % ring->period + ring->period;

		CHECK_FOR_INTERRUPTS();
		if (end > needed)
			break;
		if (!engine_ring_trim(ring, engine_ring_piece(ring, when), NULL))
			continue;
		complete = end;
		trimmed++;
	}
	if (trimmed > 0 &&
		(!schema_find_window(0, &window) || window.began_at < complete))
		schema_begin_window(0, complete, GetTopFullTransactionId());
	return trimmed;
}

static TimestampTz
needed_from(TimestampTz now)
{
	int			days = 0;
	ListCell   *lc;

	foreach(lc, schema_list_recoveries())
		days = Max(days, ((const RecoveryDef *) lfirst(lc))->days);
	return now - days * USECS_PER_DAY - KEPT_LONGER;
}
