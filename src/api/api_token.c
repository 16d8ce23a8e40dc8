/*-------------------------------------------------------------------------
 *
 * api_token.c
 *	  ClientRequestToken: a transaction is done once for ten minutes.
 *
 * A row of dynamo_internal.transact_tokens is written in the transaction it
 * stands for.  Otherwise it could be there without the writes, or they without
 * it.  While that transaction runs, a lock on the token, held to its end,
 * turns others with the token away.  Tokens belong to the role that sent them.
 *
 * Where the transaction is about distributed tables, the token is known to all
 * nodes of the cluster (api_token_shared.c).
 *
 * Rows are in four tables that take turns, each for five minutes, as the pieces
 * of the streams' ring do.  The present one and the two before have all rows of
 * the last ten minutes.  The fourth has older ones, if any, and is truncated.  So
 * no row is deleted, nothing is left to vacuum, and what is kept are twenty
 * minutes of traffic at most, also beside a snapshot that is hours old:
 *
 *		 piece	  0		  1		  2		  3
 *				  ^		  ^		  ^		  ^
 *				before	 now	 next	before that
 *
 * A search for a token looks in all four, so a clock that is set, and a piece
 * that was not truncated in time, change nothing: a row says itself how old it
 * is.  A piece is truncated when all of its rows are past their time, and is
 * looked through once more, by the clock of then, when nobody can write there
 * any more.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "api/api_internal.h"
#include "base/base_extension.h"
#include "catalog/indexing.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define PIECES	4
#define PERIOD	(5 * USECS_PER_MINUTE)

/* A session that has tried to truncate a piece does not again for so long. */
#define TRIM_PAUSE	(10 * USECS_PER_SEC)

StaticAssertDecl((PIECES - 2) * PERIOD >= API_TOKEN_LIFETIME,
				 "what is truncated is over");

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

/* The primary key of each piece. */
#define PRIMARY		{{2, {TOKEN_ROLE, TOKEN_TOKEN}}}

static DynamoIndex primary[PIECES][1] = {PRIMARY, PRIMARY, PRIMARY, PRIMARY};

#define PIECE(n) \
	DYNAMO_INTERNAL_TABLE("transact_tokens_" #n, token_columns, \
						  DYNAMO_INDEXES(primary[n]))

static DynamoMember pieces[] = {PIECE(0), PIECE(1), PIECE(2), PIECE(3)};

StaticAssertDecl(lengthof(pieces) == PIECES, "all pieces are there");

/* This transaction is to truncate, when it commits. */
static bool trim_due = false;

static const ApiTokenRow *claim_here(const char *token);
static const ApiTokenRow *claim_shared(const char *token);
static void refuse_second(void) pg_attribute_noreturn();
static bool lock_token(const char *token);
static int	piece_of(TimestampTz when);
static Relation try_open(int n, LOCKMODE lockmode);
static const ApiTokenRow *find_row(int n, Relation piece, const char *token);
static const ApiTokenRow *read_token_row(Relation piece, HeapTuple tuple);
static bool is_past(const ApiTokenRow *row);
static int64 *judge(const ApiTokenRow *row, const ApiToken *token);
static void store_here(const char *token, const ApiTokenRow *row);
static void trim_at_end(TimestampTz now);
static void at_end(XactEvent event, void *arg);
static void trim(void);
static bool can_go(Relation piece);
static bool has_valid(Relation piece);
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
	const ApiTokenRow *row = NULL;

	if (!lock_token(token))
		refuse_second();
	for (int n = 0; n < PIECES && row == NULL; n++)
	{
		Relation	piece;

		/*
		 * The process that truncates the next one has seen that nothing is
		 * there.  Nobody has to wait for that.
		 */
		if (n == piece_of(GetCurrentTimestamp() + PERIOD))
			piece = try_open(n, AccessShareLock);
		else
			piece = dynamo_table_open(&pieces[n], AccessShareLock);
		if (piece == NULL)
			continue;
		if (RelationGetNumberOfBlocks(piece) > 0)
			row = find_row(n, piece, token);
		table_close(piece, AccessShareLock);
	}
	return row;
}

static int
piece_of(TimestampTz when)
{
	int			n = (int) ((when / PERIOD) % PIECES);

	return n < 0 ? n + PIECES : n;	/* a clock before 2000 */
}

/*
 * NULL: somebody holds a conflicting lock.
 */
static Relation
try_open(int n, LOCKMODE lockmode)
{
	if (!ConditionalLockRelationOid(dynamo_member_get(&pieces[n]), lockmode))
		return NULL;
	return dynamo_table_open(&pieces[n], NoLock);
}

static const ApiTokenRow *
find_row(int n, Relation piece, const char *token)
{
	Snapshot	snapshot;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	const ApiTokenRow *row = NULL;

	ScanKeyInit(&keys[0], TOKEN_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(GetUserId()));
	ScanKeyInit(&keys[1], TOKEN_TOKEN, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(token));

	/* The lock's last holder has committed: take the latest snapshot. */
	snapshot = RegisterSnapshot(GetLatestSnapshot());
	scan = dynamo_table_scan(piece, primary[n], snapshot, 2, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		row = read_token_row(piece, tuple);
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	return row;
}

static const ApiTokenRow *
claim_shared(const char *token)
{
	List	   *rows = NIL;

	if (!api_shared_token_claim(token, &rows))
		refuse_second();
	if (rows == NIL || is_past(linitial(rows)))
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
 * The row of a token.  One past its time makes room: the piece may be the one
 * that the next goes to.
 */
static const ApiTokenRow *
read_token_row(Relation piece, HeapTuple tuple)
{
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS];
	ApiTokenRow *row = palloc(sizeof(ApiTokenRow));
	TM_FailureData failure;

	heap_deform_tuple(tuple, RelationGetDescr(piece), values, nulls);
	row->request = DatumGetByteaPCopy(values[TOKEN_REQUEST - 1]);
	row->sizes = DatumGetArrayTypePCopy(values[TOKEN_SIZES - 1]);
	row->created_at = DatumGetTimestampTz(values[TOKEN_CREATED_AT - 1]);
	if (!is_past(row))
		return row;
	LockRelationOid(RelationGetRelid(piece), RowExclusiveLock);
	(void) compat_heap_delete(piece, &tuple->t_self, GetCurrentCommandId(true),
							  &failure);
	return NULL;
}

static bool
is_past(const ApiTokenRow *row)
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

/*
 * The lock on the piece stays.  Otherwise it could be truncated under a row
 * that is not committed yet.
 */
static void
store_here(const char *token, const ApiTokenRow *row)
{
	Relation	piece;
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS] = {false};

	if (row->created_at % PERIOD > PERIOD / 2 && !IsolationUsesXactSnapshot())
		trim_at_end(row->created_at);
	piece = dynamo_table_open(&pieces[piece_of(row->created_at)],
							  RowExclusiveLock);
	values[TOKEN_ROLE - 1] = ObjectIdGetDatum(GetUserId());
	values[TOKEN_TOKEN - 1] = CStringGetTextDatum(token);
	values[TOKEN_REQUEST - 1] = PointerGetDatum(row->request);
	values[TOKEN_SIZES - 1] = PointerGetDatum(row->sizes);
	values[TOKEN_CREATED_AT - 1] = TimestampTzGetDatum(row->created_at);
	CatalogTupleInsert(piece, heap_form_tuple(RelationGetDescr(piece), values,
											  nulls));
	CommandCounterIncrement();
	table_close(piece, NoLock);
}

/*
 * Maintenance has not been there for half a period: maybe there is none.  At
 * the end of the transaction: otherwise one that lasts would keep a piece
 * locked when it is everybody's.  Not where it would remember for conflicts
 * what it has looked through; nor each time, since somebody may have the piece
 * locked.
 */
static void
trim_at_end(TimestampTz now)
{
	static bool registered = false;
	static TimestampTz tried_at = 0;

	if (!registered)
		RegisterXactCallback(at_end, NULL);
	registered = true;
	if (now - tried_at < TRIM_PAUSE && now >= tried_at)
		return;
	tried_at = now;
	trim_due = true;
}

static void
at_end(XactEvent event, void *arg)
{
	bool		due = trim_due;

	trim_due = false;
	if (event != XACT_EVENT_PRE_COMMIT || !due || !dynamo_is_installed())
		return;
	PushActiveSnapshot(GetTransactionSnapshot());	/* TRUNCATE wants one */
	trim();
	PopActiveSnapshot();
}

/*
 * Remove what is past its time.  In a transaction of its own.
 */
void
api_tokens_expire(void)
{
	trim();
	api_shared_tokens_expire();
}

/*
 * Truncate the piece that comes next, unless somebody has it locked, or has
 * put something there that is still valid.
 */
static void
trim(void)
{
	int			n = piece_of(GetCurrentTimestamp() + PERIOD);
	Relation	piece = try_open(n, AccessShareLock);
	bool		wanted;
	Oid			relid;

	/* Usually it has been done; then do not keep anybody away. */
	if (piece == NULL)
		return;
	wanted = can_go(piece);
	table_close(piece, AccessShareLock);
	if (!wanted)
		return;
	piece = try_open(n, AccessExclusiveLock);
	if (piece == NULL)
		return;
	relid = RelationGetRelid(piece);

	/* Time has passed, more than we know, and somebody may have been there. */
	wanted = n == piece_of(GetCurrentTimestamp() + PERIOD) && can_go(piece);
	table_close(piece, NoLock);
	if (wanted)
		meta_truncate(relid);
}

/*
 * Has a piece rows, which are all past their time?
 */
static bool
can_go(Relation piece)
{
	/* A query of this session may be reading it: TRUNCATE would refuse. */
	return piece->rd_refcnt == 1 && RelationGetNumberOfBlocks(piece) > 0 &&
		!has_valid(piece);
}

static bool
has_valid(Relation piece)
{
	TimestampTz limit = GetCurrentTimestamp() - API_TOKEN_LIFETIME;
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TableScanDesc scan = compat_table_beginscan(piece, snapshot);
	HeapTuple	tuple;
	bool		found = false;

	while (!found &&
		   HeapTupleIsValid(tuple = heap_getnext(scan, ForwardScanDirection)))
	{
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		found = DatumGetTimestampTz(heap_getattr(tuple, TOKEN_CREATED_AT,
												 RelationGetDescr(piece),
												 &isnull)) >= limit;
	}
	table_endscan(scan);
	UnregisterSnapshot(snapshot);
	return found;
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
