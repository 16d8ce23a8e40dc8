/*-------------------------------------------------------------------------
 *
 * backup_hole.c
 *	  Point-in-time recovery: the times in a window that are refused.
 *
 * By the rules of backup_window.c.  Two markers that are far apart, and the next
 * of which does not say that all had been so since the first, are looked for
 * first; usually there are few, and the journal's entries are read only then.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup_change.h"
#include "backup/backup_window.h"
#include "engine/engine.h"
#include "executor/spi.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/xid8.h"

static void add_hole(HeapTuple tuple, void *holes);

List *
backup_holes(Oid relid)
{
	BackupMarkers markers;
	List	   *holes = NIL;
	BackupQuery query = {
		.nargs = 5,
		.types = {INT4OID, XID8OID, INT8OID, TIMESTAMPTZOID, XID8OID},
		.nulls = "     ",
		.each = add_hole,
		.arg = &holes
	};

	if (!backup_useful_markers(relid, &markers))
		return NIL;
	query.values[0] = Int32GetDatum(markers.recovery->id);
	query.values[1] = FullTransactionIdGetDatum(markers.sees);
	query.values[2] = Int64GetDatum(markers.from);
	query.values[3] =
		TimestampTzGetDatum(markers.recovery->ended_at != 0 ?
							markers.recovery->ended_at : DT_NOEND);
	query.values[4] = FullTransactionIdGetDatum(markers.clock);
	query.sql = psprintf("WITH entry AS (SELECT * FROM %s AS e), "
						 "marker AS (SELECT e.at, e.snapshot, "
						 "CASE WHEN e.at OPERATOR(pg_catalog.<) $4 "
						 "THEN COALESCE(e.since, e.at) "
						 "ELSE LEAST(e.since, e.at, $4) END AS since, "
						 "pg_catalog.lag(e.at) OVER w AS before_at, "
						 "pg_catalog.lag(e.snapshot) OVER w AS before "
						 "FROM entry AS e "
						 "WHERE e.recovery OPERATOR(pg_catalog.=) 0 "
						 "AND e.hash OPERATOR(pg_catalog.=) 0 "
						 "AND e.number OPERATOR(pg_catalog.>=) $3 "
						 "AND pg_catalog.pg_visible_in_snapshot($2, e.snapshot) "
						 "WINDOW w AS (ORDER BY e.number)) "
						 "SELECT h.began, h.ended FROM (SELECT "
						 "GREATEST((m.before_at OPERATOR(pg_catalog.+) '%d us'::pg_catalog.interval), c.at) AS began, "
						 "m.since AS ended FROM marker AS m, "
						 "LATERAL (SELECT pg_catalog.min(" BACKUP_WRITTEN_AT(5) ") AS at FROM entry AS e "
						 "WHERE e.recovery OPERATOR(pg_catalog.=) $1 "
						 "AND pg_catalog.pg_visible_in_snapshot(e.xid, m.snapshot) "
						 "AND NOT pg_catalog.pg_visible_in_snapshot(e.xid, m.before)) AS c "
						 "WHERE m.since OPERATOR(pg_catalog.>) "
						 "(m.before_at OPERATOR(pg_catalog.+) '%d us'::pg_catalog.interval) "
						 "AND c.at IS NOT NULL) AS h "
						 "WHERE h.began OPERATOR(pg_catalog.<) h.ended "
						 "ORDER BY h.began",
						 engine_journal_entries(DT_NOBEGIN),
						 (int) WINDOW_PROMISE, (int) WINDOW_PROMISE);
	backup_run_query(&query);
	if (markers.last_hole.began != 0)
	{
		BackupHole *last = palloc(sizeof(BackupHole));

		*last = markers.last_hole;
		holes = lappend(holes, last);
	}
	return holes;
}

static void
add_hole(HeapTuple tuple, void *holes)
{
	List	  **found = holes;
	TupleDesc	desc = SPI_tuptable->tupdesc;
	BackupHole *hole = SPI_palloc(sizeof(BackupHole));
	MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(hole));
	bool		isnull;

	hole->began = DatumGetTimestampTz(SPI_getbinval(tuple, desc, 1, &isnull));
	hole->ended = DatumGetTimestampTz(SPI_getbinval(tuple, desc, 2, &isnull));
	*found = lappend(*found, hole);
	MemoryContextSwitchTo(caller);
}
