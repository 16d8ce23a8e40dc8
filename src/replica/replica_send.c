/*-------------------------------------------------------------------------
 *
 * replica_send.c
 *	  A turn at a replica in another region: what is to be done there, and what is
 *	  to be sent.
 *
 * A turn has three parts.  The first, a transaction, reads what is to be sent.
 * The second speaks with the peer, in no transaction: who waits for another
 * server holds nothing.  The third, a transaction, notes what has come of it.  So
 * the turn may end after each of them, by a crash, too: the peer knows
 * what it has, and says so to whoever begins anew.
 *
 * While the peer stores a batch, the next turn may read the one after it.  That is sent
 * when the peer has said that it has the first, and only then: if it has less, if it has
 * refused it, or was lost, what was read ahead is thrown away.
 *
 * A database may be put back to an older state of itself, by a backup or a copy of
 * its files, or be a standby that lacked the end.  Its numbers then come a second
 * time, for other changes.  So nothing is sent before it is durable here
 * that numbers up to there have been offered: a peer that has more knows of changes
 * that are not here any more.  Then all begins anew, in both directions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "base/base_session.h"
#include "catalog/pg_type_d.h"
#include "engine/engine.h"
#include "global/global.h"
#include "libpq-fe.h"
#include "mb/pg_wchar.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "process/process_turn.h"
#include "process/process_watch.h"
#include "replica/replica_internal.h"
#include "storage/lmgr.h"
#include "stream/stream.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* So many versions are looked at in one turn, of which few may be sent. */
#define MAX_LOOKS	20000

/*
 * A replica has nothing of a batch before it has all of it.  So a batch is as large as
 * it stores in that time, in milliseconds, or in so many ways there and back, whichever is
 * longer; and has at least so many bytes.
 */
#define BATCH_TIME	50
#define BATCH_TRIPS	4
#define LEAST_BATCH	(128 * 1024)

/* A replica that is less behind is ACTIVE; milliseconds. */
#define MAX_LAG		1000

/* How often settings are compared, and the peer asked anyway; milliseconds. */
#define COMPARE_EVERY	1000
#define ASK_EVERY		10000

/* How often a region that is to be left is asked whether it has come so far. */
#define PART_EVERY		500

/* What is known of a replica is kept so long without a turn of it. */
#define FORGET_AFTER	600000

/* What peers answer: ResourceNotFoundException, undefined_table, duplicate_table. */
#define NOT_FOUND	"ND004"
#define NOT_GLOBAL	"42P01"
#define EXISTS		"42P07"

/* How far each replica is, as far as this process knows. */
typedef struct Known
{
	Oid			relid;
	char		region[REGION_MAX_NAME + 1];
	char	   *incarnation;
	bool		joined;
	int64		whole_to;		/* the last number when this process began to
								 * send all; -1: it has not */
	int64		position;		/* below 0: to be asked */
	int64		ahead;			/* ... once what is under way is stored */
	int			room;			/* bytes of the next batch */
	int64		trip;			/* a question was answered in so many ms */
	int64		left_at;		/* what is under way, by dynamo_clock() */
	int64		stuck;			/* the horizon that was waited for in vain */
	int64		confirmed;		/* ... as the peer has said last */
	int64		clock;			/* ... by its clock; 0: not asked */
	char	   *settings;		/* both agree on; NULL: not known */
	int64		compared_at;	/* by dynamo_clock(), as the next */
	int64		settings_at;	/* they were refused: not before that again */
	char		refusal[REPLICA_FAILURE];	/* ... and why, until then */
	int64		told_at;
	int64		asked_at;
	int64		parted_at;
	int64		noted_at;
	int64		used_at;
	TimestampTz sent_to;		/* all that was written until then is there */
	int64		drawn;			/* the last number ... */
	TimestampTz drawn_at;		/* ... of then; 0: none has been noted */
	struct Known *next;
} Known;

static Known *known = NULL;

static Known *find_known(const RegionLink *link, const char *incarnation);
static void forget_unused(void);
static char *incarnation(const TableDef *def, const RegionLink *link);
static char *definition(const TableDef *def, const char *region);
static void find_others(ReplicaTurn *turn, const TableDef *def, Oid owner);
static void find_route(ReplicaRoute *route, const char *region, Oid owner);
static void read_batch(ReplicaTurn *turn, Known *at, const TableDef *def);
static TimestampTz written_until(Known *at, int64 position, int64 last,
								 TimestampTz now);
static bool sends_all(const RegionLink *link);
static void read_changes(ReplicaTurn *turn, int room, const TableDef *def,
						 EngineTable *table, RegionFeed *feed);
static void add_change(ReplicaTurn *turn, const TableDef *def,
					   EngineTable *table, const RegionFed *fed);
static void read_settings(ReplicaTurn *turn, Known *at, const TableDef *def);
static bool send_settings(ReplicaTurn *turn, Known *at);
static void take_settings(ReplicaTurn *turn);
static void agree(Known *at, const char *settings);
static bool ask_position(ReplicaTurn *turn, Known *at);
static bool ask_received(ReplicaTurn *turn, int64 stable, int64 *position,
						 int64 *clock);
static bool may_have_left(const ReplicaTurn *turn);
static bool part(ReplicaTurn *turn);
static bool ask_if_left(ReplicaTurn *turn, Known *at);
static bool ask_all(ReplicaTurn *turn);
static void renew(const ReplicaTurn *turn);
static void note(const ReplicaTurn *turn, ReplicaStatus status);
static bool join(ReplicaTurn *turn);
static bool leave(ReplicaTurn *turn);
static bool tell_others(ReplicaTurn *turn, const char *query,
						const char *what);
static void set_position(Known *at, int64 position);
static void set_room(Known *at, int len, int64 took);
static bool send_batch(ReplicaTurn *turn, Known *at);
static int64 number(PGresult *result, int column);

/*
 * The first part, in a transaction.  What is read lives in the current context.
 * False: there is nothing to do.
 */
bool
replica_turn_begin(ReplicaTurn *turn)
{
	const TableDef *def;
	const RegionLink *link;
	Known	   *at;
	Oid			owner;

	/*
	 * Who drops or rewrites it is not waited for: other tables have turns,
	 * too.
	 */
	if (!ConditionalLockRelationOid(turn->link.relid, AccessShareLock))
		return false;
	def = schema_find_relation(turn->link.relid);
	link = region_link(turn->link.relid, turn->link.region);
	if (def == NULL || def->replication == NULL || link == NULL)
		return false;
	turn->link = *link;
	turn->table = pstrdup(def->name);
	turn->own = pstrdup(def->replication->region);
	turn->incarnation = incarnation(def, link);
	at = find_known(&turn->link, turn->incarnation);
	if (turn->link.status != REPLICA_DELETING && !def->replication->versioned)
	{
		if (!turn->link.source)
			region_set_versioned(def->relid, NULL);
		else
			(void) replica_copy_page(def);
		turn->more = true;
		return false;
	}
	turn->confirmed = link->confirmed;
	turn->parting = link->status == REPLICA_LEAVING &&
		link->position >= link->until;
	turn->stable = region_stable_claim(def, &turn->members_of);
	owner = meta_relation_owner(def->relid);
	find_route(&turn->route, turn->link.region, owner);
	if (turn->link.status == REPLICA_CREATING)
	{
		turn->definition = definition(def, turn->link.region);
		turn->first_settings = global_share_settings(def, false);
	}
	if (turn->link.status == REPLICA_CREATING ||
		turn->link.status == REPLICA_DELETING)
		find_others(turn, def, owner);
	if (turn->link.status != REPLICA_DELETING && at->position >= 0)
	{
		DynamoUser	before;

		turn->after = at->ahead;
		dynamo_become(&before, owner, SECURITY_RESTRICTED_OPERATION);
		read_settings(turn, at, def);
		read_batch(turn, at, def);
		dynamo_resume_user(&before);
		if (turn->nrecords > 0)
			region_link_offer(&turn->link, turn->position);
	}
	return true;
}

/*
 * The settings that regions share, if they are not what the peer has, as far as
 * is known, or if it is time to ask whether it has the table.
 */
static void
read_settings(ReplicaTurn *turn, Known *at, const TableDef *def)
{
	const char *settings;

	if (turn->link.status != REPLICA_ACTIVE ||
		dynamo_clock() < at->settings_at ||
		dynamo_clock() - at->compared_at <= COMPARE_EVERY)
		return;
	settings = global_share_settings(def, false);
	at->compared_at = dynamo_clock();
	if (settings != NULL &&
		(at->settings == NULL || strcmp(at->settings, settings) != 0 ||
		 at->compared_at - at->told_at > ASK_EVERY))
		turn->settings = settings;
}

/*
 * Does what has been read go on from what the peer has, now that it has said so?
 */
bool
replica_turn_follows(const ReplicaTurn *turn)
{
	return turn->after == find_known(&turn->link, turn->incarnation)->position;
}

/*
 * The second part, in no transaction.  False: turn->failure says why.  True, and
 * turn->under_way: replica_turn_land() is its end.  No other is under way.
 */
bool
replica_turn_exchange(ReplicaTurn *turn)
{
	Known	   *at = find_known(&turn->link, turn->incarnation);

	if (turn->link.status == REPLICA_DELETING)
		return leave(turn);
	if (turn->parting && dynamo_clock() - at->parted_at > PART_EVERY)
	{
		at->parted_at = dynamo_clock();
		if (!part(turn))
			return false;
		if (turn->left)
			return true;
	}
	if (turn->link.status == REPLICA_CREATING && !at->joined)
	{
		if (!join(turn))
			return false;
		at->joined = true;
	}
	if (at->position < 0 || dynamo_clock() - at->asked_at > ASK_EVERY)
	{
		int64		before = at->position;

		if (!ask_position(turn, at))
			return false;
		if (turn->left)
			return true;
		if (turn->renewed || at->position != before)
		{
			/* What has been read is not what is to be sent. */
			turn->position = Max(at->position, 0);
			turn->nrecords = 0;
			turn->caught_up = turn->has_all = false;
			turn->settings = NULL;
			turn->told = true;
			turn->more = true;
			return true;
		}
	}
	if (turn->settings != NULL && !send_settings(turn, at))
		return false;
	if (turn->left)
		return true;
	if (turn->nrecords == 0)
	{
		set_position(at, turn->position);
		return true;
	}
	return send_batch(turn, at);
}

/*
 * Have the peer set what was set here later.  A peer that has no such table any
 * more has left.  One that refuses it, as where it has another index of that name, is
 * sent items all the same.
 */
static bool
send_settings(ReplicaTurn *turn, Known *at)
{
	const char *values[] = {turn->table, turn->settings};
	PGresult   *result = replica_ask(&turn->route,
									 "SELECT dynamo_internal.merge_settings($1, $2)",
									 lengthof(values), values, NULL,
									 turn->failure);

	agree(at, NULL);
	at->told_at = dynamo_clock();
	if (result == NULL)
	{
		if (!replica_refused(""))
			at->settings_at = dynamo_clock() + ASK_EVERY;
		return false;
	}
	at->settings_at = 0;
	if (PQgetisnull(result, 0, 0))
		turn->left = true;
	else
		turn->merged = pstrdup(PQgetvalue(result, 0, 0));
	PQclear(result);
	return true;
}

/* "settings": both have them; NULL: that is not known. */
static void
agree(Known *at, const char *settings)
{
	char	   *before = at->settings;

	at->settings = NULL;
	if (before != NULL)
		pfree(before);
	if (settings != NULL)
		at->settings = MemoryContextStrdup(TopMemoryContext, settings);
}

/*
 * The third part, in a transaction.
 */
void
replica_turn_end(ReplicaTurn *turn)
{
	ReplicaStatus status = turn->link.status;

	if (turn->merged != NULL)
		take_settings(turn);

	if (turn->left)
	{
		replica_forget(turn->link.relid, turn->link.region);
		ereport(LOG,
				(errmsg("dynamo has no replica of table \"%s\" in region \"%s\" any more",
						turn->table, turn->link.region)));
		return;
	}
	if (turn->renewed)
	{
		renew(turn);
		return;
	}
	if (turn->settled)
		region_link_settle(&turn->link, turn->incarnation);
	if (status == REPLICA_CREATING && turn->has_all)
		status = REPLICA_ACTIVE;
	note(turn, status);
}

/*
 * A row of the table of replicas is written where it has something to tell, or for
 * ten seconds has had nothing.
 */
static void
note(const ReplicaTurn *turn, ReplicaStatus status)
{
	Known	   *at = find_known(&turn->link, turn->incarnation);
	RegionProgress progress = {
		.status = status, .position = turn->position, .sent = turn->nrecords,
		.held = turn->held, .confirmed = turn->confirmed, .clock = at->clock
	};
	bool		complete = turn->last && turn->caught_up;
	TimestampTz before = at->sent_to != 0 ? at->sent_to : turn->link.sent_to;

	/* That they may part is told by its position. */
	if (turn->link.position < turn->link.until && !complete)
		progress.position = Min(turn->position, turn->link.until - 1);
	if (turn->nrecords > 0 && before != 0)
		progress.lag = Max((GetCurrentTimestamp() - before) / 1000, 0);
	if (turn->caught_up && turn->sent_to != 0)
		progress.sent_to = at->sent_to = turn->sent_to;
	progress.has_all = turn->has_all;
	if (dynamo_clock() < at->settings_at)
		progress.description = at->refusal;
	if (turn->nrecords > 0 || turn->told || status != turn->link.status ||
		(turn->link.whole && turn->has_all) ||
		complete || turn->link.failures > 0 || turn->held > 0 ||
		(turn->caught_up && dynamo_clock() - at->noted_at > ASK_EVERY))
	{
		region_link_note(&turn->link, &progress);
		at->noted_at = dynamo_clock();
	}
}

/*
 * Set here what was set there later.
 */
static void
take_settings(ReplicaTurn *turn)
{
	Known	   *at = find_known(&turn->link, turn->incarnation);
	DynamoUser	before;

	if (global_same_settings(turn->settings, turn->merged))
	{
		agree(at, turn->settings);
		return;
	}

	/* What is refused here keeps no items waiting, either. */
	at->settings_at = dynamo_clock() + ASK_EVERY;
	dynamo_become(&before, meta_relation_owner(turn->link.relid),
				  SECURITY_RESTRICTED_OPERATION);
	(void) global_merge_settings(turn->table, turn->merged);
	dynamo_resume_user(&before);
	at->settings_at = 0;
}

/*
 * ... and if one of them has failed, in a transaction.  The table may be gone
 * there: this is asked next time.  A replica that cannot be made leaves nothing.
 */
void
replica_turn_fail(ReplicaTurn *turn, const char *reason)
{
	/* A peer's words may be cut within a character, or in another encoding. */
	reason = pnstrdup(reason, pg_encoding_verifymbstr(GetDatabaseEncoding(),
													  reason,
													  (int) strlen(reason)));
	if (turn->incarnation != NULL)
	{
		Known	   *at = find_known(&turn->link, turn->incarnation);

		agree(at, NULL);
		at->compared_at = 0;
		set_position(at, -1);
		strlcpy(at->refusal, reason, sizeof(at->refusal));
	}
	if (turn->impossible)
		replica_forget(turn->link.relid, turn->link.region);
	else
		region_link_fail(&turn->link, reason,
						 dynamo_turn_again(turn->link.failures + 1));
}

static Known *
find_known(const RegionLink *link, const char *incarnation_now)
{
	Known	   *at;

	for (at = known; at != NULL; at = at->next)
	{
		if (at->relid == link->relid && strcmp(at->region, link->region) == 0)
			break;
	}
	if (at == NULL)
	{
		forget_unused();
		at = MemoryContextAllocZero(TopMemoryContext, sizeof(Known));
		at->relid = link->relid;
		strlcpy(at->region, link->region, sizeof(at->region));
		at->next = known;
		known = at;
	}
	if (at->incarnation == NULL ||
		strcmp(at->incarnation, incarnation_now) != 0)
	{
		char	   *before = at->incarnation;

		at->incarnation = MemoryContextStrdup(TopMemoryContext,
											  incarnation_now);
		if (before != NULL)
			pfree(before);
		at->joined = false;
		at->whole_to = -1;
		set_position(at, -1);
		at->room = LEAST_BATCH;
		at->stuck = -1;
		at->drawn_at = 0;
	}
	at->used_at = dynamo_clock();
	return at;
}

/*
 * Those that had no turn for long are of replicas that are gone.
 */
static void
forget_unused(void)
{
	Known	  **at = &known;

	while (*at != NULL)
	{
		Known	   *old = *at;

		if (dynamo_clock() - old->used_at <= FORGET_AFTER)
		{
			at = &old->next;
			continue;
		}
		*at = old->next;
		agree(old, NULL);
		pfree(old->incarnation);
		pfree(old);
	}
}

/*
 * What tells the numbers of this database from those of one that is restored, or
 * promoted, in its place.
 */
static char *
incarnation(const TableDef *def, const RegionLink *link)
{
	return psprintf(UINT64_FORMAT "-%u-%u-%d-%016llx",
					GetSystemIdentifier(), GetWALInsertionTimeLine(),
					MyDatabaseId, def->replication->id,
					(unsigned long long) link->epoch);
}

/*
 * The CreateTable request of a table that is like this one, with the key that
 * was named for the region.
 */
static char *
definition(const TableDef *def, const char *region)
{
	static const char query[] =
		"SELECT pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object("
		"'TableName', t->'TableName', 'KeySchema', t->'KeySchema', "
		"'AttributeDefinitions', t->'AttributeDefinitions', "
		"'BillingMode', 'PAY_PER_REQUEST', "
		"'GlobalSecondaryIndexes', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object("
		"'IndexName', i->'IndexName', 'KeySchema', i->'KeySchema', 'Projection', i->'Projection')) "
		"FROM pg_catalog.jsonb_array_elements(t->'GlobalSecondaryIndexes') AS i), "
		"'LocalSecondaryIndexes', (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object("
		"'IndexName', i->'IndexName', 'KeySchema', i->'KeySchema', 'Projection', i->'Projection')) "
		"FROM pg_catalog.jsonb_array_elements(t->'LocalSecondaryIndexes') AS i), "
		"'StreamSpecification', t->'StreamSpecification', "
		"'SSESpecification', CASE WHEN o->'KMSMasterKeyId' IS NOT NULL THEN pg_catalog.jsonb_build_object("
		"'Enabled', true, 'SSEType', 'KMS', 'KMSMasterKeyId', o->'KMSMasterKeyId') END))::pg_catalog.text "
		"FROM (SELECT dynamo.call('DescribeTable', pg_catalog.jsonb_build_object('TableName', $1))::pg_catalog.text::pg_catalog.jsonb->'Table', "
		"$2::pg_catalog.jsonb) AS d(t, o)";
	const RegionReplica *replica = region_replica(def->relid, region);
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {
		CStringGetTextDatum(def->name),
		CStringGetTextDatum(replica ? replica->overrides : "{}")
	};

	return meta_query_text(query, lengthof(types), types, values);
}

/*
 * The regions that have the table, but for the one that comes or goes; with
 * this one, as an array of text.
 */
static void
find_others(ReplicaTurn *turn, const TableDef *def, Oid owner)
{
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	appendStringInfo(&text, "{%s", turn->own);
	foreach(lc, region_replicas(def->relid))
	{
		const RegionReplica *replica = lfirst(lc);
		ReplicaOther *other;

		if (replica->status != REPLICA_ACTIVE)
			continue;
		appendStringInfo(&text, ",%s", replica->region);
		other = palloc0(sizeof(ReplicaOther));
		other->region = replica->region;
		find_route(&other->route, replica->region, owner);
		turn->others = lappend(turn->others, other);
	}
	appendStringInfoChar(&text, '}');
	turn->members = text.data;
}

static void
find_route(ReplicaRoute *route, const char *region, Oid owner)
{
	const Region *peer = region_find(region);

	if (peer == NULL || !OidIsValid(peer->server))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("region \"%s\" does not exist", region)));
	route->conninfo = region_conninfo(peer->server, owner,
									  &route->password_required);
}

/*
 * Changes after turn->after, up to the horizon, or as many as are a batch.
 * The horizon first: the snapshot shows all up to there.
 *
 * Before the two part, all that there is: an item that was written before that
 * was asked for, and again since, is beyond the horizon by now, maybe each time.
 *
 * A replica that is sent all, with versions of all regions, has it when it has what
 * there was when that began: a horizon that is held back by a writer is less, and what
 * lies beyond it nobody else may send.
 */
static void
read_batch(ReplicaTurn *turn, Known *at, const TableDef *def)
{
	TimestampTz now = GetCurrentTimestamp();
	int64		last = stream_last();
	int64		horizon;
	Snapshot	snapshot;
	EngineTable *table;
	RegionFeed *feed;

	if (!sends_all(&turn->link))
		at->whole_to = -1;
	else if (at->whole_to < 0)
		at->whole_to = last;
	horizon = stream_feed_horizon(def, last, &at->stuck);
	initStringInfo(&turn->records);
	replica_record_begin(&turn->records);
	turn->position = Max(turn->after, horizon);
	turn->sent_to = written_until(at, turn->position, last, now);
	turn->last = turn->link.position < turn->link.until &&
		horizon >= turn->link.until;
	if (horizon <= turn->after && !turn->last)
	{
		turn->caught_up = true;
		turn->has_all = turn->position >= at->whole_to;
		return;
	}
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	PushActiveSnapshot(snapshot);
	table = engine_open(NULL, def->name, ENGINE_READ);
	feed = region_feed_begin(def, turn->after,
							 turn->last ? PG_INT64_MAX : horizon, snapshot);
	read_changes(turn, at->room, def, table, feed);
	turn->has_all = turn->caught_up && turn->position >= at->whole_to;
	region_feed_end(feed);

	/* Now, not before: who wrote what was read has seen no more than that. */
	turn->seen = replica_seen(def->relid, turn->link.region, &turn->seen_of);
	turn->read_to = dynamo_log_end();
	engine_close(table);
	PopActiveSnapshot();
	UnregisterSnapshot(snapshot);
}

/*
 * What was written until some time has a number up to the last one of then.  Where a
 * writer holds the horizon back, all up to "position" was written until an earlier time
 * than now; 0: not later than what has been told.
 */
static TimestampTz
written_until(Known *at, int64 position, int64 last, TimestampTz now)
{
	TimestampTz result = 0;

	if (position >= last)
		result = now;
	else if (at->drawn_at != 0 && position >= at->drawn)
		result = at->drawn_at;
	if (result != 0 || at->drawn_at == 0)
	{
		at->drawn = last;
		at->drawn_at = now;
	}
	return result;
}

/*
 * Versions of all regions, not of this one alone?
 */
static bool
sends_all(const RegionLink *link)
{
	return link->status == REPLICA_CREATING || link->whole;
}

static void
read_changes(ReplicaTurn *turn, int room, const TableDef *def,
			 EngineTable *table, RegionFeed *feed)
{
	MemoryContext each = AllocSetContextCreate(CurrentMemoryContext,
											   "dynamo change",
											   ALLOCSET_DEFAULT_SIZES);
	int64		horizon = turn->position;
	bool		all = sends_all(&turn->link) || turn->link.until > 0;
	const RegionFed *fed;
	int			looks = 0;

	turn->caught_up = true;
	while ((fed = region_feed_next(feed)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (turn->records.len >= room || looks++ >= MAX_LOOKS)
		{
			turn->position = Min(fed->number - 1, horizon);
			turn->caught_up = false;
			turn->more = turn->position > turn->after;
			break;
		}

		/*
		 * Each region sends its own; a copy of the whole has all. Before two
		 * part, others may have done so already, whose versions replace own
		 * ones.
		 */
		if (all || fed->version.region == def->replication->region_id)
		{
			MemoryContext caller = MemoryContextSwitchTo(each);

			add_change(turn, def, table, fed);
			MemoryContextSwitchTo(caller);
			MemoryContextReset(each);
		}
	}
	MemoryContextDelete(each);
}

static void
add_change(ReplicaTurn *turn, const TableDef *def, EngineTable *table,
		   const RegionFed *fed)
{
	ReplicaRecord record = {
		.number = fed->number, .version = fed->version,
		.deleted = fed->deleted, .item = fed->keys
	};

	if (!fed->deleted)
		record.item = engine_get(table, key_given(def, fed->keys));
	if (record.item == NULL)
		replica_refuse_missing(def);
	replica_record_append(&turn->records, &record);
	turn->nrecords++;
}

/*
 * Ask the peer where to go on, which may have been put back to an older state, or know
 * that this database has been.  One that has no such table any more has left.
 */
static bool
ask_position(ReplicaTurn *turn, Known *at)
{
	int64		asked_at = dynamo_clock();
	int64		position;

	if (!ask_received(turn, 0, &position, &at->clock))
	{
		turn->left = may_have_left(turn);

		/* A failover may lose one that is being made: make it again. */
		if (replica_refused(NOT_FOUND))
			at->joined = false;
		return turn->left;
	}
	at->trip = dynamo_clock() - asked_at;
	if (position > turn->link.offered || position < turn->link.confirmed ||
		(turn->link.incarnation != NULL &&
		 strcmp(turn->link.incarnation, turn->incarnation) != 0))
	{
		turn->renewed = ask_all(turn);
		return turn->renewed;
	}

	/* What is claimed is true of a peer that has what it had. */
	if (turn->stable > 0 && !ask_received(turn, turn->stable, &position,
										  &at->clock))
		return false;
	turn->settled = turn->link.incarnation == NULL;
	if (at->position < 0 || position != at->confirmed)
		set_position(at, position);
	at->confirmed = turn->confirmed = position;
	at->asked_at = dynamo_clock();
	return true;
}

/*
 * Does the last answer say that there is no such table any more?
 */
static bool
may_have_left(const ReplicaTurn *turn)
{
	return (turn->link.status == REPLICA_ACTIVE ||
			turn->link.status == REPLICA_LEAVING) &&
		(replica_refused(NOT_FOUND) || replica_refused(NOT_GLOBAL));
}

/*
 * The peer has refused a batch: since it has no such table any more?  It is asked:
 * triggers there raise what they like.
 */
static bool
ask_if_left(ReplicaTurn *turn, Known *at)
{
	char		failure[REPLICA_FAILURE];
	int64		position;

	if (!may_have_left(turn))
		return false;
	strlcpy(failure, turn->failure, sizeof(failure));
	turn->left = !ask_received(turn, 0, &position, &at->clock) &&
		may_have_left(turn);
	strlcpy(turn->failure, failure, sizeof(failure));
	return turn->left;
}

/*
 * ... and tell it what this region claims; 0: nothing.  Its clock says *clock.
 */
static bool
ask_received(ReplicaTurn *turn, int64 stable, int64 *position, int64 *clock)
{
	const char *values[] = {
		turn->table, turn->own, turn->incarnation,
		psprintf(INT64_FORMAT, stable), turn->members_of
	};
	PGresult   *result = replica_ask(&turn->route,
									 "SELECT dynamo_internal.replica_received($1, $2, $3, $4::bigint, $5), "
									 "(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint",
									 lengthof(values), values, NULL,
									 turn->failure);

	if (result == NULL)
		return false;
	*position = number(result, 0);
	*clock = number(result, 1);
	PQclear(result);
	return true;
}

/*
 * What this database had, the peer may have; it sends it all.
 */
static bool
ask_all(ReplicaTurn *turn)
{
	const char *values[] = {turn->table, turn->own};
	PGresult   *result = replica_ask(&turn->route,
									 "SELECT dynamo_internal.resend_replica($1, $2)",
									 lengthof(values), values, NULL,
									 turn->failure);

	PQclear(result);
	return result != NULL;
}

/*
 * ... and is sent all that there is, a second later: a peer that says each
 * time that it has more than it can have waits longer and longer.
 */
static void
renew(const ReplicaTurn *turn)
{
	region_link_renew(turn->link.relid, turn->link.region, true);
	region_link_fail(&turn->link, "all is exchanged anew",
					 dynamo_turn_again(turn->link.failures + 1));
	if (turn->link.failures > 0)
		return;
	ereport(LOG,
			(errmsg("dynamo exchanges table \"%s\" with region \"%s\" anew",
					turn->table, turn->link.region),
			 errdetail("The region knows of changes that are not in this database, which has been restored or promoted.")));
}

/*
 * Have the table made there, and the others told of it: each sends there what
 * is written in it.
 */
static bool
join(ReplicaTurn *turn)
{
	const char *values[] = {
		turn->table, turn->link.region, turn->definition, turn->members,
		turn->first_settings ? turn->first_settings : ""
	};
	PGresult   *result = replica_ask(&turn->route,
									 "SELECT dynamo_internal.join_replica($1, $2, $3, $4::text[], $5)",
									 lengthof(values), values, NULL,
									 turn->failure);

	PQclear(result);
	turn->impossible = result == NULL && replica_refused(EXISTS);
	return result != NULL &&
		tell_others(turn,
					"SELECT dynamo_internal.join_replica($1, $2, '', $3::text[])",
					psprintf("{%s,%s}", turn->own, turn->link.region));
}

/*
 * The other region has all that it is to have.  When it has sent as much, and does
 * without this one from now on, the two have nothing to do with each other any more.
 */
static bool
part(ReplicaTurn *turn)
{
	const char *values[] = {turn->table, turn->link.region, turn->own};
	PGresult   *result = replica_ask(&turn->route,
									 "SELECT dynamo_internal.part_replica($1, $2, $3)",
									 lengthof(values), values, NULL,
									 turn->failure);

	if (result == NULL)
		return false;
	turn->left = PQntuples(result) == 1 &&
		strcmp(PQgetvalue(result, 0, 0), "t") == 0;
	PQclear(result);
	return true;
}

static bool
leave(ReplicaTurn *turn)
{
	const char *values[] = {turn->table, turn->link.region, turn->own};
	PGresult   *result = replica_ask(&turn->route,
									 "SELECT dynamo_internal.leave_replica($1, $2, $3)",
									 lengthof(values), values, NULL,
									 turn->failure);

	PQclear(result);
	turn->left = result != NULL &&
		tell_others(turn,
					"SELECT dynamo_internal.forget_replica($1, $2, $3)",
					turn->link.region);
	return turn->left;
}

static bool
tell_others(ReplicaTurn *turn, const char *query, const char *what)
{
	ListCell   *lc;

	foreach(lc, turn->others)
	{
		const ReplicaOther *other = lfirst(lc);
		const char *values[] = {turn->table, other->region, what};
		PGresult   *result = replica_ask(&other->route, query,
										 lengthof(values), values, NULL,
										 turn->failure);

		PQclear(result);
		if (result == NULL)
			return false;
	}
	return true;
}

static void
set_position(Known *at, int64 position)
{
	at->position = at->ahead = position;
}

/*
 * A batch of so many bytes has been stored in so many milliseconds.
 */
static void
set_room(Known *at, int len, int64 took)
{
	int64		goal = Max(BATCH_TIME, BATCH_TRIPS * at->trip);

	if (took > 2 * goal)
		at->room = Max(Min(at->room, len) / 2, LEAST_BATCH);
	else if (took < goal && len >= at->room)
		at->room = Min(2 * at->room, REPLICA_MAX_BATCH);
}

static bool
send_batch(ReplicaTurn *turn, Known *at)
{
	char		position[32];
	char		after[32];
	char		seen[32];
	const char *values[] = {
		turn->table, turn->own, turn->incarnation, position,
		turn->records.data, after, seen, turn->seen_of
	};
	int			lengths[] = {0, 0, 0, 0, turn->records.len, 0, 0, 0};

	/*
	 * What has been read, and that it is offered, survives a crash.  Where
	 * that was new, the end of the first part has done so.
	 */
	XLogFlush(turn->read_to);
	snprintf(position, sizeof(position), INT64_FORMAT, turn->position);
	snprintf(after, sizeof(after), INT64_FORMAT, at->confirmed);
	snprintf(seen, sizeof(seen), INT64_FORMAT, turn->seen);
	if (!replica_ask_begin(&turn->route,
						   "SELECT received, held FROM dynamo_internal.apply_replica($1, $2, $3, $4::bigint, $5::bytea, $6::bigint, $7::bigint, $8)",
						   lengthof(values), values, lengths, turn->failure))
		return false;
	at->ahead = turn->position;
	at->left_at = dynamo_clock();
	turn->under_way = true;
	return true;
}

/*
 * Wait for the peer to have stored what was sent.  As the second part, whose end
 * this is.
 */
bool
replica_turn_land(ReplicaTurn *turn)
{
	Known	   *at = find_known(&turn->link, turn->incarnation);
	PGresult   *result = replica_ask_end(&turn->route, turn->failure);

	turn->under_way = false;
	if (result == NULL)
	{
		/* Nobody knows what it has. */
		set_position(at, -1);
		at->room = LEAST_BATCH;
		return ask_if_left(turn, at);
	}
	set_room(at, turn->records.len, dynamo_clock() - at->left_at);
	set_position(at, number(result, 0));
	turn->confirmed = at->confirmed = at->position;
	if (at->position < turn->after)
	{
		/* It has less than it had, but may have more by the time it is asked. */
		PQclear(result);
		turn->renewed = ask_all(turn);
		return turn->renewed;
	}
	turn->held = number(result, 1);
	if (turn->held > 0)
	{
		turn->position = at->position;
		turn->caught_up = turn->has_all = false;
		turn->more = false;
	}
	PQclear(result);
	return true;
}

/*
 * What is no number is 0: nothing is there.
 */
static int64
number(PGresult *result, int column)
{
	return PQntuples(result) == 1 && column < PQnfields(result) ?
		strtoll(PQgetvalue(result, 0, column), NULL, 10) : 0;
}
