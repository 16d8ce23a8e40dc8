/*-------------------------------------------------------------------------
 *
 * token_note.c
 *	  ClientRequestTokens of transactions that one node of a cluster executes.
 *
 * Two nodes have to do with such a transaction: the one that has its items, and
 * the one that has its token's row, where another request with the token would
 * look (token_shared.c).  A commit of both in two phases costs several times
 * as much as the writes.  So they commit one after the other:
 *
 *	  note		the token's node notes of the token what the request is, and
 *				which node executes it.  That is on its disk before
 *	  execute	that node does the writes and keeps, in the same transaction,
 *				that they are done (token_own.c).
 *
 * The second decides.  What is noted says where to look, and that no other
 * request has the token.  The same request comes to the same node as long as its
 * items are there.  A request that does not, since its items have moved, or it is
 * another one, or comes by SQL, is left to Citus: it locks the token on its node,
 * and asks the node that is noted (token_settle()).  If that has not executed
 * it, it keeps that it never will, before it says so: a request under way finds
 * that.  So what is noted changes only when nobody can go by it any more, or in
 * time.
 *
 * What is noted has a number, under which the other node keeps its row.  When the
 * row here is gone, after its time, the next has another number.  A node that was
 * delayed for so long does not execute what was noted so long ago.
 *
 * Where both are one node it is one transaction, and one row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "base/base_message.h"
#include "base/base_request.h"
#include "base/compat.h"
#include "catalog/indexing.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "token/token_internal.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* Columns of dynamo_internal.shared_tokens */
#define TOKEN_TOKEN			1
#define TOKEN_ROLE			2
#define TOKEN_REQUEST		3
#define TOKEN_SIZES			4
#define TOKEN_CREATED_AT	5
#define TOKEN_COLUMNS		5

/* Bytes of a token, which has 36 characters at most. */
#define MAX_TOKEN			(36 * MAX_MULTIBYTE_CHAR_LEN)

/* What is to be noted of a token */
typedef struct TokenNote
{
	int32		group;			/* of the node that executes the request */
	char		digest[DYNAMO_SHA256_LENGTH];
	const char *token;
} TokenNote;

static void read_note(const char *request, TokenNote *note);
static void refuse_note(void) pg_attribute_noreturn();
static bool note_token(Relation shard, const TokenNote *note, DynamoClaim *claim);
static TokenRow *find_row(Relation shard, const char *token,
						  ItemPointer place);
static bool hold_row(Relation shard, ItemPointer place);
static void put_row(Relation shard, const char *token, const TokenRow *row,
					ItemPointer place);
static const char *own_name(void);

/*
 * As text: the node, the digest of the request as hexadecimal digits, the token.
 */
char *
token_note_text(const char *token, const bytea *digest, int32 group)
{
	char		digits[2 * DYNAMO_SHA256_LENGTH + 1];

	digits[hex_encode(VARDATA(digest), DYNAMO_SHA256_LENGTH, digits)] = '\0';
	return psprintf("%d %s %s", group, digits, token);
}

static void
read_note(const char *request, TokenNote *note)
{
	char	   *end;
	size_t		len;

	note->group = (int32) strtol(request, &end, 10);
	if (*end++ != ' ' || strlen(end) < 2 * DYNAMO_SHA256_LENGTH + 2 ||
		end[2 * DYNAMO_SHA256_LENGTH] != ' ')
		refuse_note();
	(void) hex_decode(end, 2 * DYNAMO_SHA256_LENGTH, note->digest);
	note->token = end + 2 * DYNAMO_SHA256_LENGTH + 1;
	len = strlen(note->token);
	if (len > MAX_TOKEN)
		refuse_note();
}

static void
refuse_note(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROTOCOL_VIOLATION),
			 errmsg("unexpected request of a node")));
}

/*
 * Another node asks: note a token of the current user's.  The answer is what is
 * noted, or empty if it is something else, and is good when this transaction is
 * on disk.
 */
StringInfo
token_note(const char *request)
{
	static bool is_cluster = false;
	StringInfo	answer = makeStringInfo();
	const Shard *home;
	TokenNote	note;
	DynamoClaim claim;
	Relation	shard;

	/* That takes a look through a catalog, and is asked once. */
	if (!is_cluster)
		is_cluster = shard_has_nodes();
	if (!is_cluster)
		refuse_note();
	read_note(request, &note);
	PushActiveSnapshot(GetTransactionSnapshot());	/* Citus leaves its own */
	home = shard_find_token(note.token, false);
	if (!OidIsValid(home->relid))
		dynamo_route_refuse();
	if (!token_shared_lock(note.token, own_name()))
		token_refuse_second();

	/* If it were lost, and what goes by it is not, that would be done again. */
	if (synchronous_commit == SYNCHRONOUS_COMMIT_OFF)
		dynamo_commit_first();
	shard = table_open(home->relid, RowExclusiveLock);
	if (note_token(shard, &note, &claim))
		dynamo_message_claim(answer, &claim);
	table_close(shard, NoLock);
	PopActiveSnapshot();
	return answer;
}

/*
 * False: there is something else that is still valid.
 */
static bool
note_token(Relation shard, const TokenNote *note, DynamoClaim *claim)
{
	ItemPointerData place;
	const TokenRow *old = find_row(shard, note->token, &place);
	TimestampTz now = GetCurrentTimestamp();
	TokenRow	row = {.sizes = construct_empty_array(INT8OID),
	.created_at = now};

	if (old != NULL && !token_shared_is_past(old))
	{
		if (!token_shared_read_claim(old, claim) ||
			claim->group != note->group ||
			memcmp(VARDATA(old->request), note->digest,
				   DYNAMO_SHA256_LENGTH) != 0)
			return false;
		if (old->created_at > now - TOKEN_NOTE_RENEWED)
			return true;
	}
	else
		claim->id = now;
	claim->group = note->group;
	claim->noted_at = now;

	row.request = token_shared_write_claim(note->digest, claim);
	put_row(shard, note->token, &row, old ? &place : NULL);
	return true;
}

/*
 * Claim a token whose row is in this relation on this node.  The row that it
 * has; NULL: none that is valid.
 */
const TokenRow *
token_note_claim(Oid shard, const char *token)
{
	ItemPointerData place;
	Relation	rel;
	const TokenRow *row;
	DynamoClaim claim;

	if (!token_shared_lock(token, own_name()))
		token_refuse_second();
	rel = table_open(shard, AccessShareLock);
	row = find_row(rel, token, &place);
	table_close(rel, NoLock);
	if (row == NULL || token_shared_is_past(row))
		return NULL;

	/* It was noted when the items were on another node, or the token was. */
	if (token_shared_read_claim(row, &claim))
		dynamo_route_refuse();
	return row;
}

/*
 * Store the row of a token that is claimed.
 */
void
token_note_store(Oid shard, const char *token, const TokenRow *row)
{
	Relation	rel = table_open(shard, RowExclusiveLock);
	ItemPointerData place;
	bool		exists = find_row(rel, token, &place) != NULL;

	put_row(rel, token, row, exists ? &place : NULL);
	table_close(rel, NoLock);
}

/*
 * The row of the current user's token, and where it is; NULL: there is none.
 * The token's lock is ours, so its last holder has committed.
 */
static TokenRow *
find_row(Relation shard, const char *token, ItemPointer place)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	TokenRow   *row = NULL;

	ScanKeyInit(&keys[0], TOKEN_TOKEN, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(token));
	ScanKeyInit(&keys[1], TOKEN_ROLE, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(own_name()));
	scan = systable_beginscan(shard, compat_primary_key_index(shard), true,
							  snapshot, lengthof(keys), keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		TupleDesc	desc = RelationGetDescr(shard);
		bool		isnull;

		row = palloc(sizeof(TokenRow));
		row->request = DatumGetByteaPCopy(heap_getattr(tuple, TOKEN_REQUEST,
													   desc, &isnull));
		row->sizes = DatumGetArrayTypePCopy(heap_getattr(tuple, TOKEN_SIZES,
														 desc, &isnull));
		row->created_at = DatumGetTimestampTz(heap_getattr(tuple,
														   TOKEN_CREATED_AT,
														   desc, &isnull));
		*place = tuple->t_self;
		token_reach_disk(tuple);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	return row;
}

/*
 * Is the row still there?  What is past its time may be being removed, without the
 * token's lock.  If it is there it stays.
 */
static bool
hold_row(Relation shard, ItemPointer place)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	TupleTableSlot *slot = table_slot_create(shard, NULL);
	TM_FailureData failure;
	TM_Result	result = table_tuple_lock(shard, place, snapshot, slot,
										  GetCurrentCommandId(true),
										  LockTupleNoKeyExclusive,
										  LockWaitBlock, 0, &failure);

	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	return result != TM_Deleted;
}

/*
 * In the place of the one that there is; NULL: there is none.
 */
static void
put_row(Relation shard, const char *token, const TokenRow *row,
		ItemPointer place)
{
	Datum		values[TOKEN_COLUMNS];
	bool		nulls[TOKEN_COLUMNS] = {false};
	HeapTuple	tuple;

	values[TOKEN_TOKEN - 1] = CStringGetTextDatum(token);
	values[TOKEN_ROLE - 1] = CStringGetTextDatum(own_name());
	values[TOKEN_REQUEST - 1] = PointerGetDatum(row->request);
	values[TOKEN_SIZES - 1] = PointerGetDatum(row->sizes);
	values[TOKEN_CREATED_AT - 1] = TimestampTzGetDatum(row->created_at);
	tuple = heap_form_tuple(RelationGetDescr(shard), values, nulls);
	if (place != NULL && hold_row(shard, place))
		CatalogTupleUpdate(shard, place, tuple);
	else
		CatalogTupleInsert(shard, tuple);
	CommandCounterIncrement();
}

static const char *
own_name(void)
{
	return GetUserNameFromId(GetUserId(), false);
}
