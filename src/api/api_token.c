/*-------------------------------------------------------------------------
 *
 * api_token.c
 *	  ClientRequestToken: a transaction is done once for ten minutes.
 *
 * A row of dynamo_internal.transact_tokens is written in the transaction it
 * stands for, or else it could be there without the writes, or they without
 * it.  While that transaction runs, a lock on the token, held to its end,
 * turns others with the token away.  Tokens belong to the role that sent them.
 *
 * Each new row removes a few expired ones, which keeps the table as small as
 * ten minutes of traffic.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "api/api_internal.h"
#include "base/base_extension.h"
#include "catalog/indexing.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define TOKEN_LIFETIME	(10 * USECS_PER_MINUTE)
#define MAX_EXPIRED		20		/* rows removed for one added */

/* Keeps our locks apart from pg_advisory_lock's, which use 1 and 2. */
#define TOKEN_LOCK		0xD1

/* Columns of dynamo_internal.transact_tokens */
#define TOKEN_ROLE			1
#define TOKEN_TOKEN			2
#define TOKEN_REQUEST		3
#define TOKEN_SIZES			4
#define TOKEN_CREATED_AT	5
#define TOKEN_COLUMNS		5

static const DynamoColumn token_columns[] = {
	{OIDOID, true}, {TEXTOID, true}, {BYTEAOID, true}, {INT8ARRAYOID, true},
	{TIMESTAMPTZOID, true}
};

StaticAssertDecl(lengthof(token_columns) == TOKEN_COLUMNS,
				 "each column has its type");

static DynamoIndex token_indexes[] = {
	{2, {TOKEN_ROLE, TOKEN_TOKEN}},
	{1, {TOKEN_CREATED_AT}},
};

#define PRIMARY		(&token_indexes[0])
#define BY_TIME		(&token_indexes[1])

static DynamoMember tokens =
DYNAMO_INTERNAL_TABLE("transact_tokens", token_columns,
					  DYNAMO_INDEXES(token_indexes));

static void lock_token(const char *token);
static bool read_row(Relation rel, HeapTuple tuple, const json_t *items,
					 int n, int64 **sizes);
static void remove_expired(Relation rel);
static void remove_row(Relation rel, HeapTuple tuple, bool wait);
static bytea *digest(const json_t *items);

/*
 * Was this request done under this token?  Then *sizes has what
 * api_token_keep() was given.  Raises if the token was used for another
 * request, or is in use at this moment; else it is ours until the transaction
 * ends.
 */
bool
api_token_replay(const char *token, const json_t *items, int n,
				 int64 **sizes)
{
	Relation	rel;
	Snapshot	snapshot;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	lock_token(token);
	rel = dynamo_table_open(&tokens, RowExclusiveLock);
	ScanKeyInit(&keys[0], TOKEN_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(GetUserId()));
	ScanKeyInit(&keys[1], TOKEN_TOKEN, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(token));

	/* The lock's last holder has committed: take the latest snapshot. */
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	scan = dynamo_table_scan(rel, PRIMARY, snapshot, 2, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		found = read_row(rel, tuple, items, n, sizes);
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(rel, NoLock);
	return found;
}

static void
lock_token(const char *token)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) token,
										   strlen(token), GetUserId());
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (hash >> 32),
						 (uint32) hash, TOKEN_LOCK);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		dynamo_error(DYNAMO_TRANSACTION_IN_PROGRESS,
					 "The transaction with the given request token is already in progress.");
}

/*
 * Judge the row of a token; one past its time makes room.
 */
static bool
read_row(Relation rel, HeapTuple tuple, const json_t *items, int n,
		 int64 **sizes)
{
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS];
	bytea	   *own = digest(items);
	bytea	   *kept;
	ArrayType  *array;

	heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
	if (DatumGetTimestampTz(values[TOKEN_CREATED_AT - 1]) <
		GetCurrentTimestamp() - TOKEN_LIFETIME)
	{
		remove_row(rel, tuple, true);
		return false;
	}
	kept = DatumGetByteaPP(values[TOKEN_REQUEST - 1]);
	array = DatumGetArrayTypeP(values[TOKEN_SIZES - 1]);
	if (VARSIZE_ANY_EXHDR(kept) != VARSIZE_ANY_EXHDR(own) ||
		memcmp(VARDATA_ANY(kept), VARDATA_ANY(own), VARSIZE_ANY_EXHDR(own)) != 0 ||
		ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != n)
		dynamo_error(DYNAMO_IDEMPOTENT_PARAMETER_MISMATCH,
					 "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical");
	*sizes = palloc(sizeof(int64) * n);
	memcpy(*sizes, ARR_DATA_PTR(array), sizeof(int64) * n);
	return true;
}

/*
 * Remember that this request has been done.  api_token_replay() came before,
 * in this transaction, and found nothing.
 */
void
api_token_keep(const char *token, const json_t *items, int n,
			   const int64 *sizes)
{
	Relation	rel = dynamo_table_open(&tokens, RowExclusiveLock);
	Datum	   *elements = palloc(sizeof(Datum) * n);
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS] = {false};

	remove_expired(rel);
	for (int i = 0; i < n; i++)
		elements[i] = Int64GetDatum(sizes[i]);
	values[TOKEN_ROLE - 1] = ObjectIdGetDatum(GetUserId());
	values[TOKEN_TOKEN - 1] = CStringGetTextDatum(token);
	values[TOKEN_REQUEST - 1] = PointerGetDatum(digest(items));
	values[TOKEN_SIZES - 1] =
		PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64),
										FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	values[TOKEN_CREATED_AT - 1] = TimestampTzGetDatum(GetCurrentTimestamp());
	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
											nulls));
	CommandCounterIncrement();
	table_close(rel, NoLock);
}

static void
remove_expired(Relation rel)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	int			removed = 0;

	ScanKeyInit(&key, TOKEN_CREATED_AT, BTLessStrategyNumber,
				F_TIMESTAMPTZ_LT,
				TimestampTzGetDatum(GetCurrentTimestamp() - TOKEN_LIFETIME));
	scan = dynamo_table_scan(rel, BY_TIME, snapshot, 1, &key);
	while (removed++ < MAX_EXPIRED &&
		   HeapTupleIsValid(tuple = systable_getnext(scan)))
		remove_row(rel, tuple, false);
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
}

/*
 * Delete a row; that someone else does, or did, is as well.
 */
static void
remove_row(Relation rel, HeapTuple tuple, bool wait)
{
	TM_FailureData failure;

	(void) heap_delete(rel, &tuple->t_self, GetCurrentCommandId(true),
					   InvalidSnapshot, wait, &failure, false);
}

/*
 * What makes two requests the same: the actions, however they are spaced and
 * their members ordered.
 */
static bytea *
digest(const json_t *items)
{
	StringInfoData text;
	bytea	   *result = palloc(VARHDRSZ + DYNAMO_SHA256_LENGTH);

	initStringInfo(&text);
	wire_append_canonical_json(&text, items);
	dynamo_sha256(text.data, text.len, VARDATA(result));
	SET_VARSIZE(result, VARHDRSZ + DYNAMO_SHA256_LENGTH);
	return result;
}
