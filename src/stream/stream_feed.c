/*-------------------------------------------------------------------------
 *
 * stream_feed.c
 *	  The feed of a global table: its items, in the order of their last changes.
 *
 * The feed is the versions of the items (../region/region_version.c) by number.
 * Numbers are drawn and claimed as those of streams are, so readers have a horizon:
 * what is not committed yet has a greater one (stream_claim.c).  The claim is on a
 * stream that does not exist, of the table's number below zero.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "stream/stream_internal.h"

/* So long a reader waits for writers; milliseconds. */
#define MAX_WAIT	20

static RegionNumbers claim(const TableDef *def);

/*
 * Numbers for what this transaction writes.
 */
static RegionNumbers
claim(const TableDef *def)
{
	StreamDef	feed = {.id = -def->replication->id};
	RegionNumbers numbers = {
		.behind = stream_claim(&feed), .draw = stream_draw_number
	};

	return numbers;
}

/*
 * An item of a global table is another by now, or (deleted) is gone: note its
 * version.  Raises what region_stamp() does.
 */
void
stream_feed_write(const TableDef *def, const Item *item, bool deleted,
				  RegionStamp stamp)
{
	RegionNumbers numbers = claim(def);

	region_stamp(def, item, deleted, stamp, &numbers);
}

/*
 * An item that other regions had is deleted there, and there is none here: note
 * the version that is expected (region_expect()).  False: there is a newer one,
 * or one of an item, unless it is to be done "anyway".
 */
bool
stream_feed_bury(const TableDef *def, const Item *keys, bool anyway)
{
	RegionNumbers numbers = claim(def);

	return region_try_stamp(def, keys, true,
							anyway ? REGION_WRITE : REGION_BURIAL, &numbers);
}

/*
 * The number up to which all changes of the table are committed, or never will
 * be.  To be asked before the snapshot that reads them is taken.
 *
 * A writer that began before now holds readers back to where they were then.  Under
 * load there always is one.  But it ends soon as a rule, and who comes after it holds back
 * to what is noted now: so who held back is waited for, for a moment, until all up
 * to "last" can be read, which has been the last number.  "stuck" is of the reader: it
 * does not wait twice for who stays, as a bulk load.
 */
int64
stream_feed_horizon(const TableDef *def, int64 last, int64 *stuck)
{
	StreamDef	feed = {.id = -def->replication->id};
	int64		horizon = stream_horizon(&feed);

	for (int i = 0; horizon < last && horizon != *stuck; i++)
	{
		int			pid;

		if (i == MAX_WAIT)
		{
			*stuck = horizon;
			break;
		}
		CHECK_FOR_INTERRUPTS();
		pg_usleep(1000);
		horizon = Max(horizon, Min(last, stream_least_claim(&feed, &pid)));
	}
	return horizon;
}

/*
 * The last number that was drawn; or, before the first, one drawn now.  It is noted as
 * if it had been read: no transaction that writes from now on keeps readers from
 * getting there.
 */
int64
stream_feed_last(const TableDef *def)
{
	int64		last = stream_last();

	if (last <= 0)
		last = stream_draw_number();
	if (def->replication != NULL)
	{
		StreamDef	feed = {.id = -def->replication->id};

		stream_claim_reach(&feed, last);
	}
	return last;
}

/*
 * An item that was there before its table was global gets a version, unless it
 * has one.
 */
void
stream_feed_first(const TableDef *def, const Item *item)
{
	RegionNumbers numbers = claim(def);

	(void) region_try_stamp(def, item, false, REGION_FIRST, &numbers);
}
