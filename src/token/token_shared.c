/*-------------------------------------------------------------------------
 *
 * token_shared.c
 *	  ClientRequestTokens that all nodes of a Citus cluster know.
 *
 * A client that has got no answer asks again, and a load balancer may send it
 * to another node.  So where a transaction is about distributed tables its token
 * stands in dynamo_internal.shared_tokens, which Citus distributes by token: a
 * row is on one node, and is written in the same transaction, which commits in
 * two phases.  The lock on the token is taken on that node, too, and is kept
 * while the transaction is prepared.
 *
 * A transaction that one node executes is not done in two phases.  Its row here
 * says which node that is (token_note.c).  Who finds it, and does not leave
 * the request to that node, asks there.
 *
 * OIDs of roles differ from node to node, so rows have the role's name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xlog.h"
#include "base/base.h"
#include "base/base_request.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "shard/shard.h"
#include "storage/lock.h"
#include "token/token_internal.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* Beside that of token_own.c */
#define TOKEN_LOCK		0xD2

static void take_claim(HeapTuple row, TupleDesc desc, void *claimed);
static void take_row(HeapTuple row, TupleDesc desc, void *found);
static Datum role_name(void);

/*
 * Claim a token to the end of the transaction.  False: another transaction has.
 * The row that it has, if any, is added to "rows", a list of TokenRow.
 */
bool
token_shared_claim(const char *token, List **rows)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(token), role_name()};
	bool		claimed = false;

	/*
	 * Before the lock.  Otherwise the row could move, and another transaction
	 * have the lock where it is then.
	 */
	(void) shard_find_token(token, true);

	/* A query of several rows or none: count() makes it one. */
	shard_run_as_owner("SELECT dynamo_internal.claim_token($1, $2), pg_catalog.count(*) "
					   "FROM dynamo_internal.shared_tokens WHERE token OPERATOR(pg_catalog.=) $1",
					   lengthof(types), types, values, take_claim, &claimed);
	if (!claimed)
		return false;

	/*
	 * By another query, which sees what the last holder has committed.  It
	 * locks the row, so that its node writes to disk all that it goes by.
	 */
	shard_run_as_owner("SELECT request, sizes, created_at FROM dynamo_internal.shared_tokens "
					   "WHERE token OPERATOR(pg_catalog.=) $1 AND role OPERATOR(pg_catalog.=) $2 FOR UPDATE",
					   lengthof(types), types, values, take_row, rows);
	return true;
}

static void
take_claim(HeapTuple row, TupleDesc desc, void *claimed)
{
	bool		isnull;

	*(bool *) claimed = DatumGetBool(heap_getattr(row, 1, desc, &isnull));
}

static void
take_row(HeapTuple tuple, TupleDesc desc, void *arg)
{
	List	  **rows = arg;
	TokenRow   *row = palloc(sizeof(TokenRow));
	bool		isnull;

	row->request = DatumGetByteaPCopy(heap_getattr(tuple, 1, desc, &isnull));
	row->sizes = DatumGetArrayTypePCopy(heap_getattr(tuple, 2, desc, &isnull));
	row->created_at = DatumGetTimestampTz(heap_getattr(tuple, 3, desc,
													   &isnull));
	*rows = lappend(*rows, row);
}

/*
 * Store the row of a token that is claimed; one past its time makes room.
 */
void
token_shared_store(const char *token, const TokenRow *row)
{
	Oid			types[] = {TEXTOID, TEXTOID, BYTEAOID, INT8ARRAYOID,
	TIMESTAMPTZOID};
	Datum		values[] = {CStringGetTextDatum(token), role_name(),
		PointerGetDatum(row->request), PointerGetDatum(row->sizes),
	TimestampTzGetDatum(row->created_at)};

	shard_run_as_owner("INSERT INTO dynamo_internal.shared_tokens (token, role, request, sizes, created_at) "
					   "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (token, role) DO UPDATE "
					   "SET request = EXCLUDED.request, sizes = EXCLUDED.sizes, created_at = EXCLUDED.created_at",
					   lengthof(types), types, values, NULL, NULL);
}

void
token_refuse_second(void)
{
	dynamo_error(DYNAMO_TRANSACTION_IN_PROGRESS,
				 "The transaction with the given request token is already in progress.");
}

/*
 * What is answered goes by this row.  Who has written it may have let go of the
 * token before that was on disk, as HTTP workers do.
 */
void
token_reach_disk(HeapTuple row)
{
	XLogRecPtr	lsn = TransactionIdGetCommitLSN(HeapTupleHeaderGetXmin(row->t_data));

	dynamo_answer_asks(lsn);
	if (XLogRecPtrIsInvalid(lsn))
		return;
	XLogFlush(lsn);
	dynamo_flush(lsn);
}

static Datum
role_name(void)
{
	return CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
}

/*
 * Take the lock on a token, where its row is.  False: somebody has it.
 */
bool
token_shared_lock(const char *token, const char *role)
{
	uint64		seed = hash_bytes_extended((const unsigned char *) role,
										   strlen(role), 0);
	uint64		hash = hash_bytes_extended((const unsigned char *) token,
										   strlen(token), seed);
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, (uint32) (hash >> 32),
						 (uint32) hash, TOKEN_LOCK);
	return LockAcquire(&tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/*
 * A row that does not stand for writes, but says which node executes them, has
 * that after the digest of the request.  Then its number and time, and the node,
 * are in *claim.
 */
bool
token_shared_read_claim(const TokenRow *row, DynamoClaim *claim)
{
	const char *bytes = VARDATA(row->request);

	if (VARSIZE(row->request) != VARHDRSZ + TOKEN_NOTE_LENGTH)
		return false;
	memcpy(&claim->id, bytes + DYNAMO_SHA256_LENGTH, sizeof(claim->id));
	memcpy(&claim->group, bytes + DYNAMO_SHA256_LENGTH + sizeof(claim->id),
		   sizeof(claim->group));
	claim->id = pg_ntoh64(claim->id);
	claim->group = pg_ntoh32(claim->group);
	claim->noted_at = row->created_at;
	return true;
}

/*
 * What such a row has of its request.
 */
bytea *
token_shared_write_claim(const char *digest, const DynamoClaim *claim)
{
	bytea	   *result = palloc(VARHDRSZ + TOKEN_NOTE_LENGTH);
	char	   *bytes = VARDATA(result);
	uint64		id = pg_hton64(claim->id);
	uint32		group = pg_hton32(claim->group);

	SET_VARSIZE(result, VARHDRSZ + TOKEN_NOTE_LENGTH);
	memcpy(bytes, digest, DYNAMO_SHA256_LENGTH);
	memcpy(bytes + DYNAMO_SHA256_LENGTH, &id, sizeof(id));
	memcpy(bytes + DYNAMO_SHA256_LENGTH + sizeof(id), &group, sizeof(group));
	return result;
}

bool
token_shared_is_past(const TokenRow *row)
{
	DynamoClaim claim;
	TimestampTz lifetime = token_shared_read_claim(row, &claim) ?
		TOKEN_NOTE_LIFETIME : TOKEN_LIFETIME;

	return row->created_at < GetCurrentTimestamp() - lifetime;
}

/*
 * Remove the rows of shared tokens that are past their time.  One node does it
 * for all.
 */
void
token_shared_expire(void)
{
	Oid			types[] = {TIMESTAMPTZOID};
	Datum		values[] = {TimestampTzGetDatum(GetCurrentTimestamp() -
												TOKEN_NOTE_LIFETIME)};

	if (shard_has_nodes() && shard_is_coordinator())
		shard_run_as_owner("DELETE FROM dynamo_internal.shared_tokens WHERE created_at OPERATOR(pg_catalog.<) $1",
						   lengthof(types), types, values, NULL, NULL);
}
