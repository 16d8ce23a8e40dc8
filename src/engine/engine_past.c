/*-------------------------------------------------------------------------
 *
 * engine_past.c
 *	  A table's items as of a marker, as SQL.
 *
 * The items of a moment are those of today, but for what has been changed by
 * transactions that the moment's snapshot does not see: of that, the journal
 * has what it was.  Both are read under one snapshot, so nothing is lost or
 * seen twice, whatever is written meanwhile.
 *
 * All of it is SQL, so that the server's joins and sorts do the work and spill
 * to disk.  Nobody may read the journal; a function of ours hands out what a
 * user may see (backup_past.c), and is asked for one partition key's entries
 * only where a read has one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "engine/engine_internal.h"
#include "journal/journal.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/*
 * SQL: a query of columns pk, sk if there is one, item.  With a hash, some
 * partition keys are as they were, others as they are: the caller wants one
 * with that hash.
 */
char *
engine_past_query(const EnginePast *past, const int32 *hash)
{
	const char *relation = meta_relation_identity(past->relid);

	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the relation does not exist any more")));
	if (past->snapshot == NULL)
		return psprintf("SELECT t.pk, %st.item FROM %s AS t",
						past->range ? "t.sk, " : "", relation);
	return psprintf("WITH past AS MATERIALIZED (SELECT p.pk, p.sk, p.old_image "
					"FROM %s AS p) "
					"SELECT t.pk, %st.item FROM %s AS t "
					"WHERE NOT EXISTS (SELECT FROM past AS p "
					"WHERE p.pk OPERATOR(pg_catalog.=) t.pk%s) "
					"UNION ALL SELECT p.pk, %sp.old_image FROM past AS p "
					"WHERE p.old_image IS NOT NULL",
					engine_past_call(past, hash, "NULL"),
					past->range ? "t.sk, " : "", relation,
					past->range ? " AND p.sk OPERATOR(pg_catalog.=) t.sk" : "",
					past->range ? "p.sk, " : "");
}

char *
engine_past_call(const EnginePast *past, const int32 *hash, const char *until)
{
	return psprintf("dynamo_internal.past(%u::pg_catalog.oid, "
					"%s::pg_catalog.pg_snapshot, "
					"%s::pg_catalog.timestamptz, %s, "
					"%s::pg_catalog.pg_snapshot)",
					past->relid, quote_literal_cstr(past->snapshot),
					quote_literal_cstr(timestamptz_to_str(past->from)),
					hash ? psprintf("(%d)", *hash) : "NULL", until);
}

/*
 * What a scan of the past reads, in parentheses.  A bound that holds the
 * partition key tells its hash.
 */
char *
engine_past_source(EngineTable *table, const EngineRange *range)
{
	const EngineBound *bound = range->bounds;
	int32		hash;
	bool		one = range->index == NULL && !range->expiry &&
		range->nbounds > 0 && bound->column == 1 && bound->nvalues == 1 &&
		bound->compare == BTEqualStrategyNumber;

	if (one)
		hash = journal_hash((ItemPartitionKey *)
							DatumGetPointer(bound->values[0]));
	return psprintf("(%s) AS past",
					engine_past_query(table->past, one ? &hash : NULL));
}

/*
 * SQL: the entries from "from" on, in parentheses.  Their pieces are locked,
 * and there may be more than is asked for, if they are in the same pieces.
 */
char *
engine_journal_entries(TimestampTz from)
{
	const MetaRing *ring = &journal_ring;
	TimestampTz now = GetCurrentTimestamp() + JOURNAL_SLACK;
	int			last = meta_ring_piece(ring, now);
	int			first = meta_ring_piece(ring, from);
	StringInfoData sql;

	/* How many periods: they may go round more than once. */
	if (from <= DT_NOBEGIN + USECS_PER_DAY ||
		now / ring->period - from / ring->period >= ring->npieces)
		first = last + 1;
	initStringInfo(&sql);
	for (int n = first % ring->npieces;; n = (n + 1) % ring->npieces)
	{
		Relation	piece = meta_ring_open(ring, n, AccessShareLock);

		appendStringInfo(&sql, "%sTABLE ONLY %s",
						 sql.len > 0 ? " UNION ALL " : "(",
						 meta_relation_identity(RelationGetRelid(piece)));
		table_close(piece, NoLock);
		if (n == last)
			break;
	}
	appendStringInfoChar(&sql, ')');
	return sql.data;
}

/*
 * Who may read it.
 */
Oid
engine_journal_owner(void)
{
	return meta_relation_owner(dynamo_member_get(&journal_ring.pieces[0]));
}
