/*-------------------------------------------------------------------------
 *
 * token_own.c
 *	  ClientRequestTokens that this node keeps by itself.
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
#include "base/base_extension.h"
#include "base/base_request.h"
#include "catalog/indexing.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "token/token_internal.h"
#include "utils/acl.h"
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

StaticAssertDecl((PIECES - 2) * PERIOD >= TOKEN_LIFETIME,
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

static bool lock_token(Oid role, const char *token);
static const TokenRow *find_token(Oid role, const char *token);
static int	piece_of(TimestampTz when);
static Relation try_open(int n, LOCKMODE lockmode);
static const TokenRow *find_row(int n, Relation piece, Oid role,
								const char *token);
static const TokenRow *read_token_row(Relation piece, HeapTuple tuple);
static bool is_past(const TokenRow *row);
static void store(Oid role, const char *token, const TokenRow *row);
static void trim_at_end(TimestampTz now);
static void at_end(XactEvent event, void *arg);
static void trim(void);
static bool can_go(Relation piece);
static bool has_valid(Relation piece);

/*
 * Claim a token.  The row that it has; NULL: none that is valid.
 */
const TokenRow *
token_own_claim(const char *token)
{
	if (!lock_token(GetUserId(), token))
		token_refuse_second();
	return find_token(GetUserId(), token);
}

/*
 * The row of a token that is locked, NULL if none is valid.
 */
static const TokenRow *
find_token(Oid role, const char *token)
{
	const TokenRow *row = NULL;

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
			row = find_row(n, piece, role, token);
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

static const TokenRow *
find_row(int n, Relation piece, Oid role, const char *token)
{
	Snapshot	snapshot;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	const TokenRow *row = NULL;

	ScanKeyInit(&keys[0], TOKEN_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
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

/*
 * What a token's node has noted under this number is executed here, or has been:
 * then the sizes that were kept.  If it was not, it is not from now on.
 */
char *
token_settle(const char *token, const char *role_name, int64 id)
{
	const char *name = token_own_name(token, id);
	Oid			role = get_role_oid(role_name, false);
	const TokenRow *row;

	dynamo_commit_first();
	if (!lock_token(role, name))
		return TOKEN_BUSY;
	row = find_token(role, name);
	if (row == NULL)
	{
		TokenRow	closed = {
			.request = (bytea *) cstring_to_text(""),
			.sizes = construct_empty_array(INT8OID),
			.created_at = GetCurrentTimestamp()
		};

		store(role, name, &closed);
		return TOKEN_CLOSED;
	}
	if (token_own_is_closed(row))
		return TOKEN_CLOSED;
	return OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(row->sizes));
}

/*
 * A row without a request says that there will be none.
 */
bool
token_own_is_closed(const TokenRow *row)
{
	return VARSIZE(row->request) == VARHDRSZ;
}

/*
 * The name under which a node keeps by itself what is noted elsewhere.  No
 * client's token is as long.
 */
char *
token_own_name(const char *token, int64 id)
{
	return psprintf("%s at %036lld", token, (long long) id);
}

static bool
lock_token(Oid role, const char *token)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) token,
										   strlen(token), role);
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (hash >> 32),
						 (uint32) hash, TOKEN_LOCK);
	return LockAcquire(&tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/*
 * The row of a token.  One past its time makes room: the piece may be the one
 * that the next goes to.
 */
static const TokenRow *
read_token_row(Relation piece, HeapTuple tuple)
{
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS];
	TokenRow   *row = palloc(sizeof(TokenRow));
	TM_FailureData failure;

	heap_deform_tuple(tuple, RelationGetDescr(piece), values, nulls);
	row->request = DatumGetByteaPCopy(values[TOKEN_REQUEST - 1]);
	row->sizes = DatumGetArrayTypePCopy(values[TOKEN_SIZES - 1]);
	row->created_at = DatumGetTimestampTz(values[TOKEN_CREATED_AT - 1]);
	if (!is_past(row))
	{
		token_reach_disk(tuple);
		return row;
	}
	LockRelationOid(RelationGetRelid(piece), RowExclusiveLock);
	(void) compat_heap_delete(piece, &tuple->t_self, GetCurrentCommandId(true),
							  &failure);
	return NULL;
}

static bool
is_past(const TokenRow *row)
{
	return row->created_at < GetCurrentTimestamp() - TOKEN_LIFETIME;
}

/*
 * Store the row of a token that is claimed.
 */
void
token_own_store(const char *token, const TokenRow *row)
{
	store(GetUserId(), token, row);
}

/*
 * The lock on the piece stays.  Otherwise it could be truncated under a row
 * that is not committed yet.
 */
static void
store(Oid role, const char *token, const TokenRow *row)
{
	Relation	piece;
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS] = {false};

	if (row->created_at % PERIOD > PERIOD / 2 && !IsolationUsesXactSnapshot())
		trim_at_end(row->created_at);
	piece = dynamo_table_open(&pieces[piece_of(row->created_at)],
							  RowExclusiveLock);
	values[TOKEN_ROLE - 1] = ObjectIdGetDatum(role);
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
tokens_expire(void)
{
	trim();
	token_shared_expire();
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
	TimestampTz limit = GetCurrentTimestamp() - TOKEN_LIFETIME;
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
