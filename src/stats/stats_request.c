/*-------------------------------------------------------------------------
 *
 * stats_request.c
 *	  A request under way: what is to be counted of it, and the log of those
 *	  that took long.
 *
 * What a request reads and writes is noted in its own memory, and goes to
 * shared memory when it ends.  So a request that is dropped, because it is to
 * be tried again, leaves no trace.
 *
 * A request is counted for the table that it opens first.  Items and units are
 * counted where they belong.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "miscadmin.h"
#include "stats/stats_internal.h"

bool		stats_track;
int			stats_log_min_duration;

static uint64 elapsed(const StatsRequest *request);
static void count_request(StatsRequest *request, StatsOutcome outcome,
						  uint64 took);
static void apply_share(const StatsShare *share, int operation);
static StatsShare *share_of(StatsRequest *request, StatsTable *table,
							Oid index);
static void log_slow(StatsRequest *request, StatsOutcome outcome,
					 uint64 took, const char *id);

/*
 * A request begins.  "operation" is its number.
 */
void
stats_begin(StatsRequest *request, int operation)
{
	request->operation = operation;
	request->opened = false;
	request->table = NULL;
	request->nshares = 0;
	memset(request->totals, 0, sizeof(request->totals));
	request->role_name[0] = '\0';
	request->table_name[0] = '\0';
	if ((stats_track && stats_memory != NULL) || stats_log_min_duration >= 0)
		INSTR_TIME_SET_CURRENT(request->began);
	else
		INSTR_TIME_SET_ZERO(request->began);
}

/*
 * The request has opened a table.
 */
void
stats_opened(StatsRequest *request, StatsRef *ref, const char *name)
{
	if (!stats_counting(request) || request->opened)
		return;
	request->opened = true;
	if (stats_track)
		request->table = stats_table(ref);
	if (stats_log_min_duration >= 0)
		strlcpy(request->table_name, name, sizeof(request->table_name));
	stats_note_role(request);
}

/*
 * The request makes a table, which it cannot open before, or not itself: the log is
 * to have its name.
 */
void
stats_makes(StatsRequest *request, const char *name)
{
	if (stats_log_min_duration >= 0 && request != NULL &&
		request->table_name[0] == '\0')
		strlcpy(request->table_name, name, sizeof(request->table_name));
}

/*
 * Note the current user, if somebody may want to know.
 */
void
stats_note_role(StatsRequest *request)
{
	if (stats_log_min_duration >= 0 && request != NULL &&
		request->role_name[0] == '\0')
	{
		char	   *name = GetUserNameFromId(GetUserId(), true);

		if (name != NULL)
			strlcpy(request->role_name, name, sizeof(request->role_name));
	}
}

/*
 * The request has returned so many items, and used so many half units, of a
 * table or its index.
 */
void
stats_count(StatsRequest *request, StatsTable *table, Oid index,
			uint32 returned, uint32 read, uint32 written)
{
	StatsShare *share;

	if (!stats_counting(request))
		return;
	request->totals[STATS_RETURNED] += returned;
	request->totals[STATS_READ] += read;
	request->totals[STATS_WRITTEN] += written;
	if (!stats_track)
		return;
	share = share_of(request, table, index);
	if (share == NULL)
		return;
	share->counters[STATS_RETURNED] += returned;
	share->counters[STATS_READ] += read;
	share->counters[STATS_WRITTEN] += written;
	share->reads |= read > 0;
}

/*
 * The request's share of that table.  Where it has no room for one more, the
 * last goes to shared memory now.
 */
static StatsShare *
share_of(StatsRequest *request, StatsTable *table, Oid index)
{
	StatsShare *share;

	if (table == NULL && !OidIsValid(index))
		table = stats_no_table();
	if (table == NULL)
		return NULL;
	for (int i = 0; i < request->nshares; i++)
	{
		share = &request->shares[i];
		if (share->table == table && share->index == index)
			return share;
	}
	if (request->nshares == STATS_SHARES)
		apply_share(&request->shares[--request->nshares], request->operation);
	share = &request->shares[request->nshares++];
	memset(share, 0, sizeof(*share));
	share->table = table;
	share->index = index;
	return share;
}

/*
 * The request has ended.  "id" gives the id that its client was told, for the
 * log; NULL: there is none.
 */
void
stats_end(StatsRequest *request, StatsOutcome outcome,
		  const char *(*id) (void *arg), void *arg)
{
	uint64		took;

	if (INSTR_TIME_IS_ZERO(request->began))
		return;
	took = elapsed(request);
	if (stats_track)
		count_request(request, outcome, took);
	if (stats_log_min_duration >= 0 &&
		took >= stats_log_min_duration * UINT64CONST(1000000))
		log_slow(request, outcome, took, id ? id(arg) : NULL);
}

/*
 * A request that has been counted was gone on with: count what it has used
 * since.
 */
void
stats_add_on(StatsRequest *request)
{
	for (int i = 0; stats_track && i < request->nshares; i++)
		apply_share(&request->shares[i], request->operation);
	request->nshares = 0;
}

static uint64
elapsed(const StatsRequest *request)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, request->began);
	return (uint64) (INSTR_TIME_GET_DOUBLE(now) * 1e9);
}

static void
count_request(StatsRequest *request, StatsOutcome outcome, uint64 took)
{
	StatsTable *table = request->table ? request->table : stats_no_table();
	StatsCell  *cell = table ? stats_cell(table, request->operation) : NULL;

	for (int i = 0; i < request->nshares; i++)
		apply_share(&request->shares[i], request->operation);
	request->nshares = 0;
	if (cell == NULL || (request->opened && request->table == NULL) ||
		pg_atomic_read_u32(&table->cells[request->operation]) == 0)
		stats_count_untracked();
	if (cell == NULL)
		return;
	pg_atomic_fetch_add_u64(&cell->outcomes[outcome], 1);
	if (outcome != STATS_SUCCESS)
		return;
	pg_atomic_fetch_add_u64(&cell->counters[STATS_TIME], took);
	pg_atomic_fetch_add_u64(&cell->buckets[stats_bucket(took)], 1);
}

/*
 * An index has counters of its own; what it returns and costs is the table's,
 * too.
 */
static void
apply_share(const StatsShare *share, int operation)
{
	StatsIndex *index = OidIsValid(share->index) ?
		stats_index(share->table, share->index) : NULL;
	StatsCell  *cell = stats_cell(share->table, operation);

	for (int i = 0; i < STATS_TIME; i++)
	{
		if (share->counters[i] == 0)
			continue;
		if (cell != NULL)
			pg_atomic_fetch_add_u64(&cell->counters[i], share->counters[i]);
		if (index != NULL)
			pg_atomic_fetch_add_u64(&index->counters[i], share->counters[i]);
	}
	if (index != NULL && share->reads)
		pg_atomic_fetch_add_u64(&index->reads, 1);
}

/*
 * One line, for the server's log alone.  It has nothing of items or
 * statements, and what a role's name may do to a line of the log is undone.
 */
static void
log_slow(StatsRequest *request, StatsOutcome outcome, uint64 took,
		 const char *id)
{
	static const char *const outcomes[] = {
		"success", "user error", "condition failed", "conflict", "throttled",
		"system error"
	};

	for (char *p = request->role_name; *p != '\0'; p++)
	{
		if ((unsigned char) *p < ' ' || *p == '"')
			*p = '?';
	}
	ereport(LOG_SERVER_ONLY,
			(errmsg("duration: %.3f ms  dynamo request: %s on table \"%s\" for role \"%s\", %s, %.1f read units, %.1f write units, request id %s",
					took / 1e6, stats_operation_name(request->operation),
					request->table_name, request->role_name, outcomes[outcome],
					request->totals[STATS_READ] / 2.0,
					request->totals[STATS_WRITTEN] / 2.0, id ? id : "none"),
			 errhidestmt(true), errhidecontext(true)));
}
