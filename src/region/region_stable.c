/*-------------------------------------------------------------------------
 *
 * region_stable.c
 *	  Up to which time the versions of a global table are settled, so that
 *	  tombstones may go.
 *
 * A tombstone keeps an older write, which comes late, from bringing the item back.
 * It may go when no older write can come any more.
 *
 * A region claims a time when each version that it has given up to then has been
 * applied in all the others, and it will give no more such versions.  It comes to
 * a claim in steps, each a transaction (region_stable_advance()):
 *
 *	1	It sets its floor, a time that is past.  From then on all its versions are
 *		later: those that the clock gives anyway, and an expired item's are made so.
 *		It is past by the clocks of all the others, too, as they have told them last: a
 *		clock that is wrong for a while would otherwise make it a time from which on
 *		no other region takes what is written here, until it has come.
 *	2	It notes the last number of the feed.  Versions with greater numbers
 *		are drawn after the floor was seen by all, so they are later.
 *	3	When all the others have what is up to that number, the floor is its claim.
 *
 * Regions tell each other their claims, with the members of the group that they
 * are about.  The least of all, the region's own included, is settled: each version
 * up to there, whoever gave it, is in all regions, and nobody will give another.
 * Tombstones of up to then go, once the others have them.
 *
 * What comes nevertheless, and is as old, is there a second time: a batch that was
 * held up, or all the items of a region that was restored.  If there is an item or
 * a tombstone, that decides.  If there is none the item has been deleted,
 * and its tombstone is gone, since it had come the first time: what comes is
 * dead (region_is_dead()).
 *
 * A claim that was made stays true: a version that is everywhere is not taken back.
 * Where it is by a restore, all is exchanged anew, and what is dead is answered.  A
 * region that lacks what others have claimed would take what it is sent for dead: so
 * it is told a claim only once it is known to have all; those two who exchange all have
 * no claims of each other until that is done; and with a new replica each begins anew.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "region/region_internal.h"
#include "utils/builtins.h"
#include "utils/guc.h"

/* Seconds that a tombstone is kept at least. */
static int	tombstone_age;

static const char *settled_members(const TableDef *def, int64 *position,
								   int64 *clock);
static int	compare_names(const ListCell *a, const ListCell *b);
static int64 settled(const TableDef *def, const char *members);

void
region_stable_init(void)
{
	DefineCustomIntVariable("dynamo.tombstone_age",
							"Time for which what is known of deleted items of global tables is kept at least.",
							"It is kept longer, until all regions have it.",
							&tombstone_age, 7 * 86400, 0, 35 * 86400,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
}

/*
 * Another region claims that for a group of these members.  While it is sent all, it
 * sends all, too: it claims nothing that holds.
 */
void
region_stable_told(Oid relid, const char *region, int64 time,
				   const char *members)
{
	const RegionLink *link;
	RegionClaim claim = region_claim(relid, region);

	if (claim.time == time && strcmp(claim.members, members) == 0)
		return;
	region_lock_rows(relid);
	link = region_link(relid, region);
	if (link == NULL || link->whole)
		return;
	claim.members = members;
	claim.time = time;
	region_set_claim(relid, region, &claim);
}

/*
 * What this region claims, and for which members; 0: nothing.
 */
int64
region_stable_claim(const TableDef *def, const char **members)
{
	RegionClaim claim = region_claim(def->relid, def->replication->region);

	*members = claim.members;
	return claim.time;
}

/*
 * The members of a group that is at rest, but for writes: each has got all there was
 * of this region up to *position, and the clock of each has said *clock, or a later
 * time.  NULL: one comes, goes, or is sent all anew.
 */
static const char *
settled_members(const TableDef *def, int64 *position, int64 *clock)
{
	List	   *names = list_make1(def->replication->region);
	StringInfoData text;
	ListCell   *lc;

	*position = *clock = PG_INT64_MAX;
	if (!def->replication->versioned)
		return NULL;
	foreach(lc, region_replicas(def->relid))
	{
		const RegionReplica *replica = lfirst(lc);
		const RegionLink *link = region_link(def->relid, replica->region);

		if (replica->status != REPLICA_ACTIVE || link == NULL || link->whole ||
			link->incarnation == NULL)
			return NULL;
		*position = Min(*position, link->position);
		*clock = Min(*clock, link->clock);
		names = lappend(names, replica->region);
	}
	list_sort(names, compare_names);
	initStringInfo(&text);
	foreach(lc, names)
		appendStringInfo(&text, "%s%s", text.len > 0 ? "," : "",
						 (const char *) lfirst(lc));
	return text.data;
}

static int
compare_names(const ListCell *a, const ListCell *b)
{
	return strcmp(lfirst(a), lfirst(b));
}

/*
 * The next step to a claim.  "last" is the last number that has been drawn since the
 * rows of the table were locked, by which the caller keeps away who sets its floor.
 * For the background.
 */
void
region_stable_advance(const TableDef *def, int64 last)
{
	const char *own = def->replication->region;
	int64		floor;
	int64		position;
	int64		clock;
	const char *members = settled_members(def, &position, &clock);
	RegionClaim claim;

	if (members == NULL)
		return;
	floor = region_floor(def->relid);
	claim = region_claim(def->relid, own);
	if (floor != 0 && claim.number == 0)
		claim.number = Max(last, 1);
	else if (floor != 0 && position < claim.number)
		return;
	else if (floor != 0 &&
			 (claim.time < floor || strcmp(claim.members, members) != 0))
	{
		claim.time = floor;
		claim.members = members;
	}
	else
	{
		int64		next = Min(region_time_before(tombstone_age),
							   region_time_at(clock));

		if (next <= floor)
			return;
		region_set_floor(def->relid, next);
		claim.number = 0;
	}
	region_set_claim(def->relid, own, &claim);
}

/*
 * All versions up to there are in all regions; 0: none is known to be.
 */
static int64
settled(const TableDef *def, const char *members)
{
	RegionClaim claim = region_claim(def->relid, def->replication->region);
	int64		time = claim.time;
	ListCell   *lc;

	if (strcmp(claim.members, members) != 0)
		return 0;
	foreach(lc, region_replicas(def->relid))
	{
		claim = region_claim(def->relid,
							 ((const RegionReplica *) lfirst(lc))->region);
		if (strcmp(claim.members, members) != 0)
			return 0;
		time = Min(time, claim.time);
	}
	return time;
}

/*
 * Forget tombstones that nothing can come for.  Returns how many went, "limit" at
 * most.  For the background, which has locked the rows of the table.
 */
int64
region_stable_trim(const TableDef *def, int64 limit)
{
	static const char query[] =
		"DELETE FROM dynamo_internal.item_versions WHERE ctid IN ("
		"SELECT v.ctid FROM dynamo_internal.item_versions AS v "
		"WHERE v.global_id OPERATOR(pg_catalog.=) $1 AND v.deleted "
		"AND v.time OPERATOR(pg_catalog.<=) $2 "
		"AND v.number OPERATOR(pg_catalog.<=) $3 "
		"LIMIT $4 FOR UPDATE SKIP LOCKED)";
	Oid			types[] = {INT4OID, INT8OID, INT8OID, INT8OID};
	Datum		values[lengthof(types)];
	const char *own = def->replication->region;
	const char *members;
	int64		position;
	int64		clock;
	int64		time;
	int64		trimmed;

	members = settled_members(def, &position, &clock);
	time = members ? settled(def, members) : 0;
	if (time == 0)
		return 0;
	values[0] = Int32GetDatum(def->replication->id);
	values[1] = Int64GetDatum(time);
	values[2] = Int64GetDatum(position);
	values[3] = Int64GetDatum(limit);
	trimmed = meta_query(query, lengthof(types), types, values, NULL, NULL);
	if (trimmed > 0)
	{
		RegionClaim claim = region_claim(def->relid, own);

		/* Whoever does not find a tombstone finds this. */
		claim.trimmed = Max(claim.trimmed, time);
		region_set_claim(def->relid, own, &claim);
	}
	return trimmed;
}

/*
 * Is a version that comes from another region, of a key that has none here, as old
 * as tombstones that are gone?  To be asked after that was looked for.  *answer is
 * then what such a tombstone would be now: older than all that is written anew.
 */
bool
region_is_dead(const TableDef *def, const RegionVersion *version,
			   RegionVersion *answer)
{
	RegionClaim claim = region_claim(def->relid, def->replication->region);

	/* Items from before the table was global are of time 0. */
	if (claim.trimmed == 0 || version->time > claim.trimmed)
		return false;
	answer->time = Max(claim.trimmed, version->time + 1);
	answer->region = def->replication->region_id;
	return true;
}
