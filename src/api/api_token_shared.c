/*-------------------------------------------------------------------------
 *
 * api_token_shared.c
 *	  ClientRequestTokens that all nodes of a Citus cluster know.
 *
 * A client that has got no answer asks again, and a load balancer may send it
 * to another node.  So where a transaction is about distributed tables its token
 * stands in dynamo_internal.shared_tokens, which Citus distributes by token: a
 * row is on one node, and is written in the same transaction, which commits in
 * two phases.  The lock on the token is taken on that node, too, and is kept
 * while the transaction is prepared.
 *
 * OIDs of roles differ from node to node, so rows have the role's name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "api/api_internal.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

/* Beside that of api_token.c */
#define TOKEN_LOCK		0xD2

static void take_claim(HeapTuple row, TupleDesc desc, void *claimed);
static void take_row(HeapTuple row, TupleDesc desc, void *found);
static Datum role_name(void);

/*
 * Claim a token to the end of the transaction.  False: another transaction has.
 * The row that it has, if any, is added to "rows", a list of ApiTokenRow.
 */
bool
api_shared_token_claim(const char *token, List **rows)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(token), role_name()};
	bool		claimed = false;

	/* A query of several rows or none: count() makes it one. */
	shard_run_as_owner("SELECT dynamo_internal.claim_token($1, $2), pg_catalog.count(*) "
					   "FROM dynamo_internal.shared_tokens WHERE token OPERATOR(pg_catalog.=) $1",
					   lengthof(types), types, values, take_claim, &claimed);
	if (!claimed)
		return false;

	/* By another query, which sees what the last holder has committed. */
	shard_run_as_owner("SELECT request, sizes, created_at FROM dynamo_internal.shared_tokens "
					   "WHERE token OPERATOR(pg_catalog.=) $1 AND role OPERATOR(pg_catalog.=) $2",
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
	ApiTokenRow *row = palloc(sizeof(ApiTokenRow));
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
api_shared_token_store(const char *token, const ApiTokenRow *row)
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

static Datum
role_name(void)
{
	return CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
}

/*
 * Take the lock on a token, where its row is.  False: somebody has it.
 */
bool
api_lock_shared_token(const char *token, const char *role)
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
 * Remove the rows of shared tokens that are past their time.  One node does it
 * for all.
 */
void
api_shared_tokens_expire(void)
{
	Oid			types[] = {TIMESTAMPTZOID};
	Datum		values[] = {TimestampTzGetDatum(GetCurrentTimestamp() -
												API_TOKEN_LIFETIME)};

	if (shard_has_nodes() && shard_is_coordinator())
		shard_run_as_owner("DELETE FROM dynamo_internal.shared_tokens WHERE created_at OPERATOR(pg_catalog.<) $1",
						   lengthof(types), types, values, NULL, NULL);
}
