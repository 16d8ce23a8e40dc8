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
 * Where the transaction is about distributed tables, the token is known to all
 * nodes of the cluster (api_token_shared.c).
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

static const ApiTokenRow *claim_here(const char *token);
static const ApiTokenRow *claim_shared(const char *token);
static void refuse_second(void) pg_attribute_noreturn();
static bool lock_token(const char *token);
static const ApiTokenRow *read_row(Relation rel, HeapTuple tuple);
static bool is_over(const ApiTokenRow *row);
static int64 *judge(const ApiTokenRow *row, const ApiToken *token);
static void store_here(const char *token, const ApiTokenRow *row);
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
api_token_replay(const ApiToken *token, int64 **sizes)
{
	const ApiTokenRow *row = token->shared ? claim_shared(token->text) :
		claim_here(token->text);

	if (row == NULL)
		return false;
	*sizes = judge(row, token);
	return true;
}

/*
 * Claim a token.  The row that it has; NULL: none that is valid.
 */
static const ApiTokenRow *
claim_here(const char *token)
{
	Relation	rel;
	Snapshot	snapshot;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	const ApiTokenRow *row = NULL;

	if (!lock_token(token))
		refuse_second();
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
		row = read_row(rel, tuple);
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(rel, NoLock);
	return row;
}

static const ApiTokenRow *
claim_shared(const char *token)
{
	List	   *rows = NIL;

	if (!api_shared_token_claim(token, &rows))
		refuse_second();
	if (rows == NIL || is_over(linitial(rows)))
		return NULL;
	return linitial(rows);
}

static void
refuse_second(void)
{
	dynamo_error(DYNAMO_TRANSACTION_IN_PROGRESS,
				 "The transaction with the given request token is already in progress.");
}

static bool
lock_token(const char *token)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) token,
										   strlen(token), GetUserId());
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (hash >> 32),
						 (uint32) hash, TOKEN_LOCK);
	return LockAcquire(&tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/*
 * The row of a token; one past its time makes room.
 */
static const ApiTokenRow *
read_row(Relation rel, HeapTuple tuple)
{
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS];
	ApiTokenRow *row = palloc(sizeof(ApiTokenRow));

	heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
	row->request = DatumGetByteaPCopy(values[TOKEN_REQUEST - 1]);
	row->sizes = DatumGetArrayTypePCopy(values[TOKEN_SIZES - 1]);
	row->created_at = DatumGetTimestampTz(values[TOKEN_CREATED_AT - 1]);
	if (!is_over(row))
		return row;
	remove_row(rel, tuple, true);
	return NULL;
}

static bool
is_over(const ApiTokenRow *row)
{
	return row->created_at < GetCurrentTimestamp() - API_TOKEN_LIFETIME;
}

/*
 * The sizes in a row that stands for this request; raises if it stands for
 * another.
 */
static int64 *
judge(const ApiTokenRow *row, const ApiToken *token)
{
	const bytea *own = digest(token->items);
	const ArrayType *array = row->sizes;
	int64	   *sizes;

	if (VARSIZE(row->request) != VARSIZE(own) ||
		memcmp(row->request, own, VARSIZE(own)) != 0 ||
		ARR_HASNULL(array) ||
		ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) != token->n)
		dynamo_error(DYNAMO_IDEMPOTENT_PARAMETER_MISMATCH,
					 "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical");
	sizes = palloc(sizeof(int64) * token->n);
	memcpy(sizes, ARR_DATA_PTR(array), sizeof(int64) * token->n);
	return sizes;
}

/*
 * Remember that this request has been done.  api_token_replay() came before,
 * in this transaction, and found nothing.
 */
void
api_token_keep(const ApiToken *token, const int64 *sizes)
{
	Datum	   *elements = palloc(sizeof(Datum) * token->n);
	ApiTokenRow row;

	for (int i = 0; i < token->n; i++)
		elements[i] = Int64GetDatum(sizes[i]);
	row.request = digest(token->items);
	row.sizes = construct_array(elements, token->n, INT8OID, sizeof(int64),
								FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	row.created_at = GetCurrentTimestamp();
	if (token->shared)
		api_shared_token_store(token->text, &row);
	else
		store_here(token->text, &row);
}

static void
store_here(const char *token, const ApiTokenRow *row)
{
	Relation	rel = dynamo_table_open(&tokens, RowExclusiveLock);
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS] = {false};

	remove_expired(rel);
	values[TOKEN_ROLE - 1] = ObjectIdGetDatum(GetUserId());
	values[TOKEN_TOKEN - 1] = CStringGetTextDatum(token);
	values[TOKEN_REQUEST - 1] = PointerGetDatum(row->request);
	values[TOKEN_SIZES - 1] = PointerGetDatum(row->sizes);
	values[TOKEN_CREATED_AT - 1] = TimestampTzGetDatum(row->created_at);
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
				TimestampTzGetDatum(GetCurrentTimestamp() - API_TOKEN_LIFETIME));
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
