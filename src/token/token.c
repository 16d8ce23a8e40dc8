/*-------------------------------------------------------------------------
 *
 * token.c
 *	  ClientRequestToken: a transaction is done once for ten minutes.
 *
 * A row is written in the transaction it stands for.  Otherwise it could be there
 * without the writes, or they without it.  While that transaction runs, a lock on
 * the token, held to its end, turns others with the token away.  Tokens belong to
 * the role that sent them.
 *
 * Where the transaction is about distributed tables, the token is known to all
 * nodes of the cluster (token_shared.c).  If one node executes it, the row is
 * kept there, and what all nodes know says where (token_note.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_request.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "token/token_internal.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "wire/wire.h"

static DynamoColumn settle_arguments[] = {
	{TEXTOID, true}, {TEXTOID, true}, {INT8OID, true}
};

/* Nodes have it when all of them have a library that has it. */
static DynamoMember settle_function = DYNAMO_FUNCTION("settle_token", settle_arguments);

static int32 deciding_group(EngineAt at, const EngineGet *places,
							EngineTable **tables);
static const TokenRow *claim_shared(const char *token);
static const TokenRow *settle(const DynamoClaim *claim, const char *token,
							  const TokenRow *row);
static int64 *judge(const TokenRow *row, const ClientToken *token);
static bool is_good(const DynamoClaim *claim, int32 group);
static bytea *digest(const json_t *items);

/*
 * engine_use_shards() for a transaction with a token.  Where it is executed here,
 * *token says afterwards how it is kept.  ENGINE_ELSEWHERE: by another node, or one
 * is to note it first.  ENGINE_SCATTERED, with "groups": by this one and others.
 */
EngineAt
token_use_shards(ClientToken *token, DynamoRequest *request,
				 EngineGet *places, int n, int32 *groups,
				 EngineTable ***tables)
{
	DynamoRoute route = request->route;
	const Shard *home;
	EngineAt	at;
	int32		group;

	if (!token->shared || route == DYNAMO_ROUTE_NONE ||
		!OidIsValid(dynamo_member_find(&settle_function)))
		return ENGINE_AS_OPENED;
	request->has_token = true;
	at = engine_use_shards(places, n, groups, tables);
	if (at == ENGINE_AS_OPENED)
		return at;
	group = deciding_group(at, places, *tables);
	home = shard_find_token(token->text, false);
	if (home->group == group)
	{
		token->shard = home->relid;
		if (at != ENGINE_ELSEWHERE && !OidIsValid(home->relid))
			dynamo_route_refuse();
		return at;
	}
	if (request->claim.id != 0)
	{
		if (!is_good(&request->claim, group))
			dynamo_route_refuse();
		token->text = token_own_name(token->text, request->claim.id);
		token->shared = false;
		return at;
	}
	if (at == ENGINE_AT_SHARDS)
		engine_leave_shards(places, n, *tables);
	dynamo_route_to(route, request, home->host, home->port);
	request->noting = token_note_text(token->text, digest(token->items), group);
	return ENGINE_ELSEWHERE;
}

/*
 * The node whose commit decides: this one, if several execute the transaction.
 */
static int32
deciding_group(EngineAt at, const EngineGet *places, EngineTable **tables)
{
	const EngineTable *table;

	if (at == ENGINE_SCATTERED)
		return shard_node_group();
	table = at == ENGINE_AT_SHARDS ? tables[0] : places[0].table;
	return shard_group_of(engine_def(table),
						  PointerGetDatum(places[0].key->pk));
}

/*
 * Is it this node that is noted?  What was noted long ago may be gone.
 */
static bool
is_good(const DynamoClaim *claim, int32 group)
{
	return claim->group == group &&
		claim->noted_at > GetCurrentTimestamp() - TOKEN_NOTE_GOOD;
}

/*
 * Was this request done under this token?  Then *sizes has what token_keep() was
 * given.  Raises if the token was used for another request, or is in use at this
 * moment; else it is ours until the transaction ends.
 */
bool
token_replay(const ClientToken *token, int64 **sizes)
{
	const TokenRow *row;

	if (OidIsValid(token->shard))
		row = token_note_claim(token->shard, token->text);
	else
		row = token->shared ? claim_shared(token->text) :
			token_own_claim(token->text);
	if (row == NULL)
		return false;
	if (token_own_is_closed(row))
		dynamo_route_refuse();
	*sizes = judge(row, token);
	return true;
}

/*
 * Claim a token by Citus.
 */
static const TokenRow *
claim_shared(const char *token)
{
	List	   *rows = NIL;
	const TokenRow *row;
	DynamoClaim claim;

	if (!token_shared_claim(token, &rows))
		token_refuse_second();
	if (rows == NIL)
		return NULL;
	row = linitial(rows);
	if (token_shared_is_past(row))
		return NULL;
	return token_shared_read_claim(row, &claim) ?
		settle(&claim, token, row) : row;
}

/*
 * A row that says at which node the request is executed: was it?  If not, it
 * will not be any more.
 */
static const TokenRow *
settle(const DynamoClaim *claim, const char *token, const TokenRow *row)
{
	const char *role = GetUserNameFromId(GetUserId(), false);
	const char *query =
		psprintf("SELECT dynamo_internal.settle_token(%s, %s, " INT64_FORMAT ")",
				 quote_literal_cstr(token), quote_literal_cstr(role), claim->id);
	const char *answer = shard_ask_group_as_owner(claim->group, query);
	TokenRow   *done;

	if (answer == NULL)
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	if (strcmp(answer, TOKEN_BUSY) == 0)
		token_refuse_second();
	if (strcmp(answer, TOKEN_CLOSED) == 0)
		return NULL;
	done = palloc(sizeof(TokenRow));
	*done = *row;
	done->request = (bytea *)
		cstring_to_text_with_len(VARDATA(row->request), DYNAMO_SHA256_LENGTH);
	done->sizes = DatumGetArrayTypeP(OidInputFunctionCall(F_ARRAY_IN,
														  unconstify(char *, answer),
														  INT8OID, -1));
	return done;
}

/*
 * The sizes in a row that stands for this request; raises if it stands for
 * another.
 */
static int64 *
judge(const TokenRow *row, const ClientToken *token)
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
 * Remember that this request has been done.  token_replay() came before, in this
 * transaction, and found nothing.
 */
void
token_keep(const ClientToken *token, const int64 *sizes)
{
	Datum	   *elements = palloc(sizeof(Datum) * token->n);
	TokenRow	row;

	for (int i = 0; i < token->n; i++)
		elements[i] = Int64GetDatum(sizes[i]);
	row.request = digest(token->items);
	row.sizes = construct_array(elements, token->n, INT8OID, sizeof(int64),
								FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	row.created_at = GetCurrentTimestamp();
	if (OidIsValid(token->shard))
		token_note_store(token->shard, token->text, &row);
	else if (token->shared)
		token_shared_store(token->text, &row);
	else
		token_own_store(token->text, &row);
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
