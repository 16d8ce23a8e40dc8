/*-------------------------------------------------------------------------
 *
 * replica_apply.c
 *	  Stores what a peer has sent, where it is newer than what is here.
 *
 * A change is a write like any other: with the rights, triggers, indexes,
 * stream records and journal entries of one.  But it has the version that it has
 * got where it was made, and is done only if that is greater than the one here.
 * That is asked as a condition is: of the row that is there, which must be the
 * newest, by the time that it is replaced (../engine/engine_write.c).
 *
 * A deletion of what is not here leaves a tombstone alone.  No row can be locked
 * for it; the version's row decides who was first, and who comes second looks
 * again.
 *
 * The position up to which all is here moves in the same transaction.  So a
 * batch may be sent twice, and after a crash or a restore the sender is told
 * where to go on.
 *
 * Changes are made in the order of keys, as all do that write several items, and
 * one at a time by each peer.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type_d.h"
#include "common/hashfn.h"
#include "engine/engine.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "replica/replica_internal.h"
#include "storage/lmgr.h"
#include "stream/stream.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"

/* Columns of dynamo_internal.replicas_received. */
#define RECEIVED_RELATION		1
#define RECEIVED_REGION			2
#define RECEIVED_INCARNATION	3
#define RECEIVED_POSITION		4
#define RECEIVED_APPLIED		5
#define RECEIVED_DISCARDED		6
#define RECEIVED_NATTS			6

static const DynamoColumn received_columns[] = {
	{REGCLASSOID, true}, {TEXTOID, true}, {TEXTOID, true}, {INT8OID, true},
	{INT8OID, true}, {INT8OID, true}
};

StaticAssertDecl(lengthof(received_columns) == RECEIVED_NATTS,
				 "each column has its type");

static DynamoIndex received_indexes[] = {
	{2, {RECEIVED_RELATION, RECEIVED_REGION}},
};

static DynamoMember received =
DYNAMO_INTERNAL_TABLE("replicas_received", received_columns,
					  DYNAMO_INDEXES(received_indexes));

/* So often an item is looked for again that others are at. */
#define MAX_ATTEMPTS	3

/* The tables of a batch, open for both that is done to them. */
typedef struct Applying
{
	const TableDef *def;
	EngineTable *put;
	EngineTable *remove;
	int64		repeated_to;	/* up to there all has been applied before */
	int64		seen;			/* the peer had all up to there of this
								 * region, as far as is known */
	bool		logs;			/* conflicts are logged */
	int64		nconflicts;		/* that have been */
} Applying;

/* A change that is being made. */
typedef struct Change
{
	const TableDef *def;
	const ReplicaRecord *record;
	TableKey   *key;
	RegionIncoming incoming;
	bool		found;			/* there is an item */
	bool		dead;			/* its tombstone is gone */
	RegionVersion answer;		/* ... which would be this one now */
	MemoryContext keep;			/* for the item that is here; NULL: it is not
								 * needed */
	bool		versioned;		/* there is a version here */
	RegionSide	here;
	int64		number;			/* of that version */
} Change;

static void forget(Oid relid);
static void end_and_share(Oid relid, const char *region);
static int64 seen(const TableDef *def, const ReplicaBatch *sent);
static const TableDef *open_member(const char *table, const char *region);
static const TableDef *lock_member(const char *table, const char *region);
static void lock_peer(Oid relid, const char *region);
static bool scan_received(MetaScan *scan, Oid relid, const char *region);
static int64 read_column(MetaScan *scan, AttrNumber column);
static int64 read_position(const TableDef *def, const char *region,
						   const char *incarnation);
static void note_received(const TableDef *def, const char *region,
						  const char *incarnation,
						  ReplicaApplied *result);
static List *read_changes(const TableDef *def, bytea *records);
static int	by_key(const ListCell *a, const ListCell *b);
static void apply_all(Applying *batch, List *changes, ReplicaApplied *result);
static bool apply(Applying *batch, Change *change);
static bool write_change(Applying *batch, Change *change);
static bool is_newer(void *arg, const Item *old_item);
static void note_conflict(Applying *batch, const Change *change, bool applied);
static bool same_item(const Item *a, const Item *b);
static void answer_dead(Change *change);
static bool bury(const Change *change, RegionIncoming *incoming, bool anyway);

/*
 * What has been received goes with its table.
 */
void
replica_init(void)
{
	static const SchemaFollower follower = {
		.dropped = forget
	};

	schema_follow(&follower);
}

static void
forget(Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, RECEIVED_RELATION, relid);
	meta_delete_all(&received, &received_indexes[0], 1, &key);
}

/*
 * What comes from a region that has left, and may come again, begins anew.
 */
void
replica_forget(Oid relid, const char *region)
{
	MetaScan	scan;

	lock_peer(relid, region);
	region_link_end(relid, region);
	if (scan_received(&scan, relid, region))
		meta_delete(&scan);
	meta_end(&scan);
}

void
replica_rejoin(Oid relid, const List *members)
{
	ListCell   *lc;

	foreach(lc, members)
		region_link_renew(relid, lfirst(lc), true);
}

void
replica_lose(const char *region)
{
	ListCell   *table;

	region_check_superuser();
	PreventCommandIfReadOnly("dynamo.drop_region()");
	foreach(table, region_tables(region))
		end_and_share(lfirst_oid(table), region);
}

/*
 * A region is gone, which may have sent to this one what it did not send to others.
 */
static void
end_and_share(Oid relid, const char *region)
{
	ListCell   *lc;

	replica_forget(relid, region);
	foreach(lc, region_replicas(relid))
		region_link_renew(relid, ((const RegionReplica *) lfirst(lc))->region,
						  true);
}

bool
replica_part(const char *table, const char *region)
{
	const TableDef *def = schema_find_table(table);
	const RegionLink *link;

	if (def == NULL)
		return true;
	schema_check_owner(def);
	PreventCommandIfReadOnly("what a region tells of its leaving");
	link = region_link(def->relid, region);
	if (link == NULL)
		return true;
	if (link->status != REPLICA_DELETING && link->until == 0)
	{
		region_link_bound(def->relid, region, stream_feed_last(def));
		return false;
	}

	/* One that is to be deleted is sent nothing any more. */
	if (link->status != REPLICA_DELETING && link->position < link->until)
		return false;
	end_and_share(def->relid, region);
	return true;
}

int64
replica_received(const char *table, const char *region,
				 const char *incarnation, int64 stable, const char *members)
{
	const TableDef *def = open_member(table, region);

	if (stable > 0)
	{
		PreventCommandIfReadOnly("what a region tells of its changes");
		region_stable_told(def->relid, region, stable, members);
	}
	return read_position(def, region, incarnation);
}

static int64
read_position(const TableDef *def, const char *region,
			  const char *incarnation)
{
	MetaScan	scan;
	int64		position = 0;

	if (scan_received(&scan, def->relid, region) &&
		strcmp(meta_text_column(scan.tuple, RECEIVED_INCARNATION, scan.rel),
			   incarnation) == 0)
		position = read_column(&scan, RECEIVED_POSITION);
	meta_end(&scan);
	return position;
}

/*
 * *incarnation is in the current context; "": nothing has come yet.
 */
int64
replica_seen(Oid relid, const char *region, char **incarnation)
{
	MetaScan	scan;
	int64		position = 0;

	*incarnation = "";
	if (scan_received(&scan, relid, region))
	{
		position = read_column(&scan, RECEIVED_POSITION);
		*incarnation = meta_text_column(scan.tuple, RECEIVED_INCARNATION,
										scan.rel);
	}
	meta_end(&scan);
	return position;
}

void
replica_resend(const char *table, const char *region)
{
	const TableDef *def = open_member(table, region);

	PreventCommandIfReadOnly("sending changes to a region");
	region_link_renew(def->relid, region, true);
}

void
replica_apply(const ReplicaBatch *sent, ReplicaApplied *result)
{
	const TableDef *def;
	Applying	batch = {0};
	List	   *changes;

	PreventCommandIfReadOnly("applying changes of a region");
	PreventCommandIfParallelMode("applying changes of a region");
	def = batch.def = lock_member(sent->table, sent->region);

	/* What the peer is told to be here is not taken back by a crash. */
	ForceSyncCommit();
	memset(result, 0, sizeof(*result));
	result->position = read_position(def, sent->region, sent->incarnation);
	if (result->position < sent->after)
		return;
	batch.repeated_to = result->position;
	result->position = sent->position;
	changes = read_changes(def, sent->records);
	if (changes != NIL)
	{
		batch.put = engine_open(NULL, sent->table, ENGINE_PUT_ITEM);
		batch.remove = engine_open(NULL, sent->table, ENGINE_DELETE_ITEM);
		batch.logs = region_logs_conflicts(def->relid);
		if (batch.logs)
			batch.seen = seen(def, sent);
		apply_all(&batch, changes, result);
		engine_close(batch.put);
		engine_close(batch.remove);
	}
	if (batch.nconflicts > 0)
		region_limit_conflicts(def->relid);
	note_received(def, sent->region, sent->incarnation, result);
}

/*
 * Up to where the peer had what this database has written, as it is now; 0: of
 * another incarnation.
 */
static int64
seen(const TableDef *def, const ReplicaBatch *sent)
{
	const RegionLink *link = region_link(def->relid, sent->region);

	return link != NULL && link->incarnation != NULL &&
		strcmp(link->incarnation, sent->seen_of) == 0 ? sent->seen : 0;
}

/*
 * A global table of the current user's, which has a replica in that region.
 */
static const TableDef *
open_member(const char *table, const char *region)
{
	const TableDef *def = schema_find_table(table);

	if (def == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(table),
							   "Requested resource not found: Table: %s not found",
							   table);
	schema_check_owner(def);
	if (def->replication == NULL || !region_is_member(def->relid, region))
		ereport(ERROR,
				(errcode(def->replication == NULL ? ERRCODE_UNDEFINED_TABLE :
						 ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" has no replica in region \"%s\"",
						table, region)));
	return def;
}

/*
 * The same for a batch: who drops the table has done so, or waits.  What has come would
 * be noted of a table that is gone.
 */
static const TableDef *
lock_member(const char *table, const char *region)
{
	for (;;)
	{
		Oid			relid = open_member(table, region)->relid;
		const TableDef *def;

		lock_peer(relid, region);
		LockRelationOid(relid, RowExclusiveLock);
		def = open_member(table, region);
		if (def->relid == relid)
			return def;
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * One batch of a peer at a time, to the end of the transaction.
 */
static void
lock_peer(Oid relid, const char *region)
{
	LockDatabaseObject(dynamo_member_get(&received), relid,
					   (uint16) hash_bytes((const unsigned char *) region,
										   strlen(region)),
					   ExclusiveLock);
}

/*
 * The caller ends the scan.  False: nothing has come from there yet.
 */
static bool
scan_received(MetaScan *scan, Oid relid, const char *region)
{
	ScanKeyData keys[2];

	meta_oid_key(&keys[0], RECEIVED_RELATION, relid);
	meta_text_key(&keys[1], RECEIVED_REGION, region);
	meta_scan(scan, &received, RowExclusiveLock, &received_indexes[0], 2,
			  keys);
	return meta_next(scan);
}

static int64
read_column(MetaScan *scan, AttrNumber column)
{
	bool		isnull;

	return DatumGetInt64(meta_column(scan->tuple, column, scan->rel, &isnull));
}

/*
 * What comes from another incarnation has numbers of its own.  Of one, a batch that
 * comes late, or again, takes nothing back.
 */
static void
note_received(const TableDef *def, const char *region,
			  const char *incarnation, ReplicaApplied *result)
{
	MetaScan	scan;
	MetaRow		row;
	bool		found = scan_received(&scan, def->relid, region);
	int64		applied = result->applied;
	int64		discarded = result->discarded;

	if (found)
	{
		applied += read_column(&scan, RECEIVED_APPLIED);
		discarded += read_column(&scan, RECEIVED_DISCARDED);
		if (strcmp(meta_text_column(scan.tuple, RECEIVED_INCARNATION, scan.rel),
				   incarnation) == 0)
			result->position = Max(result->position,
								   read_column(&scan, RECEIVED_POSITION));
	}
	meta_init_row(&row);
	meta_set_column(&row, RECEIVED_RELATION, ObjectIdGetDatum(def->relid));
	meta_set_column(&row, RECEIVED_REGION, CStringGetTextDatum(region));
	meta_set_column(&row, RECEIVED_INCARNATION,
					CStringGetTextDatum(incarnation));
	meta_set_column(&row, RECEIVED_POSITION, Int64GetDatum(result->position));
	meta_set_column(&row, RECEIVED_APPLIED, Int64GetDatum(applied));
	meta_set_column(&row, RECEIVED_DISCARDED, Int64GetDatum(discarded));
	if (found)
		meta_change(&scan, &row);
	meta_end(&scan);
	if (!found)
		meta_insert(&received, &row);
}

/*
 * Sorted by key.  Raises ValidationException for an item that is none of the
 * table.  One whose attribute is no key of an index is one: it may have been
 * written by SQL.
 */
static List *
read_changes(const TableDef *def, bytea *records)
{
	List	   *changes = NIL;
	ListCell   *lc;

	foreach(lc, replica_record_read(records))
	{
		Change	   *change = palloc0(sizeof(Change));

		CHECK_FOR_INTERRUPTS();
		change->def = def;
		change->record = lfirst(lc);
		change->incoming.relid = def->relid;
		change->incoming.version = change->record->version;
		change->incoming.keys = change->record->deleted ?
			change->record->item :
			key_as_item(def, NULL, change->record->item);
		change->key = key_given(def, change->incoming.keys);
		changes = lappend(changes, change);
	}
	list_sort(changes, by_key);
	return changes;
}

static int
by_key(const ListCell *a, const ListCell *b)
{
	return key_compare(((const Change *) lfirst(a))->key,
					   ((const Change *) lfirst(b))->key);
}

static void
apply_all(Applying *batch, List *changes, ReplicaApplied *result)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo change",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	ListCell   *lc;

	foreach(lc, changes)
	{
		Change	   *change = lfirst(lc);
		bool		applied;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(context);
		if (batch->logs)
			change->keep = context;
		if (region_is_early(&change->record->version))
		{
			result->held++;
			result->position = Min(result->position,
								   change->record->number - 1);
			continue;
		}
		applied = apply(batch, change);
		if (applied)
			result->applied++;
		else
			result->discarded++;
		if (!applied && change->dead && !change->record->deleted)
			answer_dead(change);
		if (batch->logs)
			note_conflict(batch, change, applied);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

/*
 * Was the change newer than what is here?
 */
static bool
apply(Applying *batch, Change *change)
{
	for (int attempt = 0;; attempt++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!write_change(batch, change))
			return false;
		if (!change->record->deleted || change->found)
			return true;

		/* A policy may hide it: with a tombstone it would stay, here alone. */
		if (attempt >= MAX_ATTEMPTS &&
			check_enable_rls(batch->def->relid, InvalidOid,
							 true) == RLS_ENABLED)
			replica_refuse_missing(batch->def);

		/* There was no item: others may be about to write it. */
		if (bury(change, &change->incoming, attempt >= MAX_ATTEMPTS))
			return true;
	}
}

/*
 * A write with the version of the change; false: that is not newer.
 */
static bool
write_change(Applying *batch, Change *change)
{
	EngineWrite write = {
		.action = change->record->deleted ? ENGINE_DELETE : ENGINE_PUT,
		.table = change->record->deleted ? batch->remove : batch->put,
		.key = change->key,
		.item = change->record->item,
		.admits = is_newer,
		.admits_arg = change
	};
	RegionIncoming *before;

	change->incoming.taken = false;
	before = region_expect(&change->incoming);
	PG_TRY();
	{
		engine_write(&write);
	}
	PG_FINALLY();
	{
		(void) region_expect(before);
	}
	PG_END_TRY();
	return !write.condition_failed;
}

/*
 * May the change replace this item, or (NULL) be where there is none?
 */
static bool
is_newer(void *arg, const Item *old_item)
{
	Change	   *change = arg;

	change->found = old_item != NULL;
	change->versioned = region_version(change->def, change->incoming.keys,
									   &change->here.version,
									   &change->number);
	if (change->keep != NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(change->keep);

		change->here.item = old_item ? item_copy(old_item) : NULL;
		MemoryContextSwitchTo(caller);
	}
	if (change->versioned)
		return region_compare(&change->record->version,
							  &change->here.version) > 0;
	change->dead = old_item == NULL &&
		region_is_dead(change->def, &change->record->version,
					   &change->answer);
	return !change->dead;
}

/*
 * An item has come that was deleted here, whose tombstone is gone: whoever has it
 * yet, since he was restored, is sent another.
 */
static void
answer_dead(Change *change)
{
	RegionIncoming own = change->incoming;

	own.version = change->answer;
	own.taken = false;
	(void) bury(change, &own, false);
}

/*
 * Has one of the two been lost, which the region of the other had not seen?
 *
 * What comes from the peer, and is older than what is here, was not seen by who
 * wrote that, unless it has come before.  What is newer has not seen a version of
 * this region that had not come to the peer when the batch was read.  One that
 * had, it has discarded, and noted, or written its own over it.
 */
static void
note_conflict(Applying *batch, const Change *change, bool applied)
{
	RegionSide	came = {
		.version = change->record->version,
		.item = change->record->deleted ? NULL : change->record->item
	};
	const RegionSide *here = &change->here;

	if (!change->versioned ||
		here->version.region == came.version.region ||
		same_item(here->item, came.item))
		return;
	if (!applied && change->record->number > batch->repeated_to)
		region_conflict(batch->def, change->incoming.keys, &came, here);
	else if (applied &&
			 here->version.region == batch->def->replication->region_id &&
			 change->number > batch->seen)
		region_conflict(batch->def, change->incoming.keys, here, &came);
	else
		return;
	batch->nconflicts++;
}

/* NULL: there is none. */
static bool
same_item(const Item *a, const Item *b)
{
	return a == NULL || b == NULL ? a == b : item_equal(a, b);
}

/*
 * Leave a tombstone where there is no item; false: there may be one by now, or a
 * newer version.
 */
static bool
bury(const Change *change, RegionIncoming *incoming, bool anyway)
{
	RegionIncoming *before = region_expect(incoming);
	volatile bool done = false;

	PG_TRY();
	{
		done = stream_feed_bury(change->def, incoming->keys, anyway);
	}
	PG_FINALLY();
	{
		(void) region_expect(before);
	}
	PG_END_TRY();
	return done;
}
