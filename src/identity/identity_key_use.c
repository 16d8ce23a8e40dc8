/*-------------------------------------------------------------------------
 *
 * identity_key_use.c
 *	  When an access key was last used, to an hour.
 *
 * A worker remembers of each key when it has last put a use on record.  Once an
 * hour has passed since, the next use is written when its answer has left, in
 * a transaction of its own: no client waits for it, and no request that only
 * reads becomes one that writes.  Workers take turns, and a use that another
 * has just written is not written again, so a key costs at most one write an
 * hour.
 *
 * dynamo_internal.access_key_uses is a table of its own.  Otherwise each use
 * would have all workers forget all keys, and would be sent to the other nodes
 * of a cluster.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "base/base_extension.h"
#include "base/base_request.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type_d.h"
#include "identity/identity.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Columns of dynamo_internal.access_key_uses. */
#define USES_ID			1
#define USES_LAST_USED	2
#define USES_NATTS		2

static const DynamoColumn uses_columns[] = {
	{TEXTOID, true}, {TIMESTAMPTZOID, true}
};

StaticAssertDecl(lengthof(uses_columns) == USES_NATTS,
				 "each column has its type");

static DynamoIndex uses_indexes[] = {
	{1, {USES_ID}},
};

static DynamoMember uses_table =
DYNAMO_INTERNAL_TABLE("access_key_uses", uses_columns,
					  DYNAMO_INDEXES(uses_indexes));

#define INTERVAL		USECS_PER_HOUR

/* Uses that wait to be written. */
#define MAX_WAITING		1024

/* Milliseconds: before the next try, and for one. */
#define RETRY			60000
#define TIMEOUT			5000

typedef char KeyId[IDENTITY_ID_LENGTH + 1];

static HTAB *waiting;			/* of KeyId; NULL: none wait */
static MemoryContext waiting_context;
static TimestampTz retry_at = 0;

static void write_waiting(void);
static Relation open_uses(void);
static void write_use(Relation rel, const char *id, TimestampTz now);
static bool is_recent(TimestampTz noted, TimestampTz now);
static void drop_orphan_uses(void);

/*
 * A request has proved to know the key's secret.
 */
void
identity_key_used(IdentityKey *key)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();

	if (is_recent(key->noted, now))
		return;
	key->noted = now;
	if (waiting == NULL)
	{
		HASHCTL		ctl;

		if (waiting_context == NULL)
			waiting_context = AllocSetContextCreate(TopMemoryContext,
													"dynamo access key uses",
													ALLOCSET_SMALL_SIZES);
		ctl.hcxt = waiting_context;
		ctl.keysize = sizeof(KeyId);
		ctl.entrysize = sizeof(KeyId);
		waiting = hash_create("dynamo access key uses", 16, &ctl,
							  HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
	}
	if (hash_get_num_entries(waiting) < MAX_WAITING)
		(void) hash_search(waiting, key->id, HASH_ENTER, NULL);
}

/*
 * Between requests: write what waits.  If that fails it is tried again with the
 * next request from a minute later on.
 */
void
identity_key_use_settle(void)
{
	MemoryContext context = CurrentMemoryContext;
	TimestampTz now;

	if (waiting == NULL)
		return;
	now = GetCurrentTimestamp();
	if (now < retry_at)
		return;
	retry_at = TimestampTzPlusMilliseconds(now, RETRY);
	PG_TRY();
	{
		dynamo_request_begin(TIMEOUT);
		write_waiting();
		(void) dynamo_request_commit();
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		EmitErrorReport();
		FlushErrorState();
		dynamo_request_abort();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
}

static void
write_waiting(void)
{
	Relation	rel = open_uses();
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	HASH_SEQ_STATUS status;
	const char *id;

	if (rel == NULL)
		return;
	hash_seq_init(&status, waiting);
	while ((id = hash_seq_search(&status)) != NULL)
		write_use(rel, id, now);
	table_close(rel, NoLock);
	waiting = NULL;
	MemoryContextReset(waiting_context);
	retry_at = 0;
}

/*
 * The table, for this transaction alone to write; NULL if it cannot be had now:
 * others are at it, nothing may be written, or the SQL objects are of a version
 * that lacks it.
 */
static Relation
open_uses(void)
{
	Oid			relid;

	if (RecoveryInProgress() || XactReadOnly)
		return NULL;
	relid = dynamo_member_find(&uses_table);
	if (!OidIsValid(relid) ||
		!ConditionalLockRelationOid(relid, ShareRowExclusiveLock))
		return NULL;
	return dynamo_table_find(&uses_table, NoLock);
}

static void
write_use(Relation rel, const char *id, TimestampTz now)
{
	Datum		values[USES_NATTS] = {
		CStringGetTextDatum(id), TimestampTzGetDatum(now)
	};
	bool		nulls[USES_NATTS] = {0};
	HeapTuple	row = heap_form_tuple(RelationGetDescr(rel), values, nulls);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		isnull;

	ScanKeyEntryInitialize(&key, 0, USES_ID, BTEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXTEQ, values[0]);
	scan = dynamo_table_scan(rel, &uses_indexes[0], NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (!HeapTupleIsValid(tuple))
		CatalogTupleInsert(rel, row);
	else if (!is_recent(DatumGetTimestampTz(heap_getattr(tuple, USES_LAST_USED,
														 RelationGetDescr(rel),
														 &isnull)), now))
		CatalogTupleUpdate(rel, &tuple->t_self, row);
	systable_endscan(scan);
}

/*
 * What is further in the future was noted by a clock that was set back since.
 */
static bool
is_recent(TimestampTz noted, TimestampTz now)
{
	return now - noted < INTERVAL && noted - now < INTERVAL;
}

/*
 * Drop the keys of roles that are gone, and the uses of keys that are.
 */
void
identity_drop_orphans(void)
{
	identity_key_drop_orphans();
	drop_orphan_uses();
}

static void
drop_orphan_uses(void)
{
	Relation	rel = open_uses();
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		isnull;

	if (rel == NULL)
		return;
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		id = heap_getattr(tuple, USES_ID, RelationGetDescr(rel),
									  &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!identity_key_exists(TextDatumGetCString(id)))
			CatalogTupleDelete(rel, &tuple->t_self);
	}
	systable_endscan(scan);
	table_close(rel, NoLock);
}
