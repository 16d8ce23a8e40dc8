/*-------------------------------------------------------------------------
 *
 * recall_row.c
 *	  What the coordinator keeps of moments, and of where tables are.
 *
 * A moment is a row of dynamo_internal.cluster_moments: its name, by which each node
 * keeps its snapshot, and its time.  Of each table dynamo_internal.cluster_places
 * says where it was when the last moment was taken, and since when.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "journal/journal.h"
#include "meta/meta.h"
#include "recall/recall_internal.h"
#include "shard/shard.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

static const DynamoColumn moments_columns[] = {
	{UUIDOID, true}, {TIMESTAMPTZOID, true}, {TIMESTAMPTZOID, true},
	{INT4ARRAYOID, true}
};
static DynamoMember moments_member =
DYNAMO_INTERNAL_TABLE("cluster_moments", moments_columns);

/* Moments are kept so much longer than the longest period. */
#define KEPT_LONGER		USECS_PER_DAY

/* Of some moments. */
typedef struct Names
{
	char	   *text;
	TimestampTz *first;
} Names;

static void take_group(HeapTuple row, TupleDesc desc, void *places);
static void take_state(HeapTuple row, TupleDesc desc, void *state);
static void take_moment(HeapTuple row, TupleDesc desc, void *moment);
static void take_names(HeapTuple row, TupleDesc desc, void *names);
static TimestampTz time_column(HeapTuple row, TupleDesc desc, int n);
static TimestampTz kept_from(void);

/*
 * In one query, so under one snapshot.
 */
void
recall_read_places(Oid relid, RecallPlaces *places)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(relid);

	places->groups = NIL;
	places->text = "";
	places->copied = false;
	(void) meta_query("SELECT p.groupid, pg_catalog.array_agg(s.shardid ORDER BY s.shardid)::text, "
					  "pg_catalog.string_agg(s.shardid || '/' || p.placementid, ' ' ORDER BY s.shardid, p.placementid), "
					  "bool_or((SELECT count(*) FROM pg_catalog.pg_dist_placement AS q WHERE q.shardid = s.shardid AND q.shardstate = 1) > 1) "
					  "FROM pg_catalog.pg_dist_shard AS s JOIN pg_catalog.pg_dist_placement AS p ON p.shardid = s.shardid "
					  "WHERE s.logicalrelid::oid = $1 AND p.shardstate = 1 GROUP BY p.groupid ORDER BY p.groupid",
					  1, &type, &value, take_group, places);
}

static void
take_group(HeapTuple row, TupleDesc desc, void *arg)
{
	RecallPlaces *places = arg;
	RecallGroup *group = palloc(sizeof(RecallGroup));
	bool		isnull;

	group->group = DatumGetInt32(SPI_getbinval(row, desc, 1, &isnull));
	group->shards = SPI_getvalue(row, desc, 2);
	places->groups = lappend(places->groups, group);
	places->copied |= DatumGetBool(SPI_getbinval(row, desc, 4, &isnull));
	places->text = psprintf("%s%d(%s)", places->text, group->group,
							SPI_getvalue(row, desc, 3));
}

bool
recall_find_state(int32 recovery, RecallState *state)
{
	Oid			type = INT4OID;
	Datum		value = Int32GetDatum(recovery);

	return shard_run_as_owner("SELECT p.placed, p.begun, p.since FROM dynamo_internal.cluster_places AS p "
							  "WHERE p.recovery_id = $1",
							  1, &type, &value, take_state, state) > 0;
}

static void
take_state(HeapTuple row, TupleDesc desc, void *arg)
{
	RecallState *state = arg;

	state->placed = SPI_getvalue(row, desc, 1);
	state->begun = SPI_getvalue(row, desc, 2);
	state->since = time_column(row, desc, 3);
}

void
recall_put_state(int32 recovery, const RecallState *state)
{
	Oid			types[] = {INT4OID, TEXTOID, TEXTOID, TIMESTAMPTZOID};
	Datum		values[] = {Int32GetDatum(recovery),
		CStringGetTextDatum(state->placed), CStringGetTextDatum(state->begun),
	TimestampTzGetDatum(state->since)};

	(void) shard_run_as_owner("INSERT INTO dynamo_internal.cluster_places AS p VALUES ($1, $2, $3, $4) "
							  "ON CONFLICT (recovery_id) DO UPDATE SET placed = $2, begun = $3, since = $4",
							  lengthof(types), types, values, NULL, NULL);
}

bool
recall_find_moment(int32 recovery, TimestampTz from, TimestampTz to,
				   bool first, RecallMoment *moment)
{
	Oid			types[] = {INT4OID, TIMESTAMPTZOID, TIMESTAMPTZOID};
	Datum		values[] = {Int32GetDatum(recovery), TimestampTzGetDatum(from),
	TimestampTzGetDatum(to)};

	return shard_run_as_owner(psprintf("SELECT m.moment_id, m.taken_at, m.lasted_until FROM dynamo_internal.cluster_moments AS m "
									   "WHERE m.taken_at >= $2 AND m.taken_at <= $3 AND NOT ($1 = ANY (m.lacking)) "
									   "ORDER BY m.taken_at %s LIMIT 1",
									   first ? "ASC" : "DESC"),
							  lengthof(types), types, values, take_moment,
							  moment) > 0;
}

static void
take_moment(HeapTuple row, TupleDesc desc, void *arg)
{
	RecallMoment *moment = arg;

	strlcpy(moment->id, SPI_getvalue(row, desc, 1), sizeof(moment->id));
	moment->at = time_column(row, desc, 2);
	moment->lasted = time_column(row, desc, 3);
}

static TimestampTz
time_column(HeapTuple row, TupleDesc desc, int n)
{
	bool		isnull;

	return DatumGetTimestampTz(SPI_getbinval(row, desc, n, &isnull));
}

Oid
recall_owner(void)
{
	return meta_relation_owner(dynamo_member_get(&moments_member));
}

/*
 * Keep all others from taking moments, to the end of the transaction.  So they are
 * in the order of their times.
 */
bool
recall_lock_moments(bool waits)
{
	Oid			relid = dynamo_member_get(&moments_member);

	if (!waits)
		return ConditionalLockRelationOid(relid, ShareRowExclusiveLock);
	LockRelationOid(relid, ShareRowExclusiveLock);
	return true;
}

/*
 * Those whose time has not come yet are from before the clock was set back, and are
 * forgotten.  Otherwise times would come twice, and an older state would pass for a
 * later one.
 */
void
recall_insert_moment(const RecallMoment *moment, List *lacking)
{
	Oid			types[] = {TEXTOID, TIMESTAMPTZOID, INT4ARRAYOID};
	Datum		values[3];
	Datum	   *elements = palloc(sizeof(Datum) * (list_length(lacking) + 1));
	ListCell   *lc;

	foreach(lc, lacking)
		elements[foreach_current_index(lc)] = Int32GetDatum(lfirst_int(lc));
	values[0] = CStringGetTextDatum(moment->id);
	values[1] = TimestampTzGetDatum(moment->at);
	values[2] = PointerGetDatum(construct_array(elements, list_length(lacking),
												INT4OID, sizeof(int32), true,
												TYPALIGN_INT));
	(void) shard_run_as_owner("DELETE FROM dynamo_internal.cluster_moments WHERE taken_at >= $2",
							  2, types, values, NULL, NULL);
	(void) shard_run_as_owner("UPDATE dynamo_internal.cluster_moments SET lasted_until = $2 WHERE lasted_until > $2 "
							  "AND taken_at = (SELECT max(m.taken_at) FROM dynamo_internal.cluster_moments AS m)",
							  2, types, values, NULL, NULL);
	(void) shard_run_as_owner("INSERT INTO dynamo_internal.cluster_moments VALUES ($1::uuid, $2, $2, $3)",
							  lengthof(types), types, values, NULL, NULL);
}

void
recall_note_lasted(const RecallMoment *moment)
{
	Oid			types[] = {TEXTOID, TIMESTAMPTZOID, TIMESTAMPTZOID};
	Datum		values[] = {CStringGetTextDatum(moment->id),
		TimestampTzGetDatum(moment->at),
	TimestampTzGetDatum(moment->lasted)};

	(void) shard_run_as_owner("UPDATE dynamo_internal.cluster_moments SET lasted_until = $3 "
							  "WHERE taken_at = $2 AND moment_id = $1::uuid AND lasted_until < $3",
							  lengthof(types), types, values, NULL, NULL);
}

char *
recall_list_moments(int most, TimestampTz *before)
{
	Oid			types[] = {INT4OID, TIMESTAMPTZOID};
	Datum		values[] = {Int32GetDatum(most), TimestampTzGetDatum(*before)};
	Names		names = {.first = before};

	(void) shard_run_as_owner("SELECT pg_catalog.array_agg(m.moment_id)::text, pg_catalog.min(m.taken_at) FROM "
							  "(SELECT c.moment_id, c.taken_at FROM dynamo_internal.cluster_moments AS c "
							  "WHERE c.taken_at < $2 ORDER BY c.taken_at DESC LIMIT $1) AS m",
							  lengthof(types), types, values, take_names, &names);
	return names.text;
}

static void
take_names(HeapTuple row, TupleDesc desc, void *arg)
{
	Names	   *names = arg;

	names->text = SPI_getvalue(row, desc, 1);
	if (names->text != NULL)
		*names->first = time_column(row, desc, 2);
}

bool
recall_note_lost(int32 recovery, TimestampTz since, const char *moments)
{
	Oid			types[] = {INT4OID, TIMESTAMPTZOID, TEXTOID};
	Datum		values[] = {Int32GetDatum(recovery), TimestampTzGetDatum(since),
	CStringGetTextDatum(moments)};

	return shard_run_as_owner("UPDATE dynamo_internal.cluster_moments AS m "
							  "SET lacking = pg_catalog.array_append(pg_catalog.array_remove(m.lacking, $1), $1) "
							  "WHERE m.taken_at >= $2 AND m.moment_id = ANY ($3::uuid[])",
							  lengthof(types), types, values, NULL, NULL) > 0;
}

/*
 * Moments, this node's parts of them, and where tables were that have no recovery any
 * more.  A database of 1.0 has none of these.
 */
void
recall_trim(void)
{
	Oid			type = TIMESTAMPTZOID;
	Datum		value = TimestampTzGetDatum(kept_from());

	if (!OidIsValid(dynamo_member_find(&moments_member)))
		return;
	(void) shard_run_as_owner("DELETE FROM dynamo_internal.node_moments WHERE taken_at < $1",
							  1, &type, &value, NULL, NULL);
	(void) shard_run_as_owner("DELETE FROM dynamo_internal.cluster_moments WHERE taken_at < $1",
							  1, &type, &value, NULL, NULL);
	(void) shard_run_as_owner("DELETE FROM dynamo_internal.cluster_places AS p WHERE NOT EXISTS "
							  "(SELECT FROM dynamo_internal.recovery AS r WHERE r.recovery_id = p.recovery_id)",
							  0, NULL, NULL, NULL, NULL);
}

/*
 * Older ones are of no use to any table.
 */
static TimestampTz
kept_from(void)
{
	int			days = 0;
	ListCell   *lc;

	foreach(lc, journal_list())
		days = Max(days, ((const RecoveryDef *) lfirst(lc))->days);
	return GetCurrentTimestamp() - days * USECS_PER_DAY - KEPT_LONGER;
}
