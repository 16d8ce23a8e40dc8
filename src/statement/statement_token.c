/*-------------------------------------------------------------------------
 *
 * statement_token.c
 *	  NextToken of PartiQL: where a page of a SELECT ended.
 *
 * A token is Base64 of
 *
 *		16 bytes	what it is bound to: statement, parameters, table, index
 *		16 bytes	a hash of all else, so that no token is changed unnoticed
 *		the rest	number of the read, and the key it ended at, as JSON
 *
 * There is no secret in it.  A client that makes a token by hand gets what an
 * ExclusiveStartKey gives: another place inside of what the statement reads,
 * with the privileges that the statement has anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/string.h"
#include "statement/statement_internal.h"

#define HASH	16				/* bytes of each hash */
#define HEAD	(2 * HASH)

/* A key to be read */
typedef struct Key
{
	const json_t *json;
	const Item *item;
} Key;

static void hash_text(const char *text, int len, char *hash);
static void bind(const char *text, const json_t *parameters,
				 const ApiTarget *target, char *hash);
static void read_key(void *arg);
static void refuse_token(void) pg_attribute_noreturn();

/*
 * A token for what follows a position.
 */
char *
statement_token(const char *text, const json_t *parameters,
				const ApiTarget *target, const StatementPosition *position)
{
	StringInfoData sealed;
	StringInfoData token;
	char		hash[HASH];

	initStringInfo(&sealed);
	bind(text, parameters, target, hash);
	appendBinaryStringInfo(&sealed, hash, HASH);
	appendStringInfo(&sealed, "%d", position->read);
	if (position->key)
		codec_append_map(&sealed, position->key);
	hash_text(sealed.data, sealed.len, hash);

	initStringInfo(&token);
	appendBinaryStringInfo(&token, sealed.data, HASH);
	appendBinaryStringInfo(&token, hash, HASH);
	appendBinaryStringInfo(&token, sealed.data + HASH, sealed.len - HASH);
	initStringInfo(&sealed);
	item_base64_append(&sealed, token.data, token.len);
	return sealed.data;
}

/*
 * The position in a token, which must be for the same statement.
 */
void
statement_read_token(const char *token, const char *text,
					 const json_t *parameters, const ApiTarget *target,
					 StatementPosition *position)
{
	uint32		len = strlen(token);
	char	   *bytes = palloc(len + 1);
	StringInfoData sealed;
	char		hash[HASH];
	char	   *end;

	if (item_base64_decode(token, len, bytes, &len) != ITEM_BASE64_OK ||
		len <= HEAD)
		refuse_token();
	bytes[len] = '\0';
	initStringInfo(&sealed);
	appendBinaryStringInfo(&sealed, bytes, HASH);
	appendBinaryStringInfo(&sealed, bytes + HEAD, len - HEAD);
	hash_text(sealed.data, sealed.len, hash);
	if (memcmp(hash, bytes + HASH, HASH) != 0)
		refuse_token();
	bind(text, parameters, target, hash);
	if (memcmp(hash, bytes, HASH) != 0)
		dynamo_error(DYNAMO_VALIDATION, "NextToken does not match request");

	position->read = strtoint(bytes + HEAD, &end, 10);
	position->key = NULL;
	if (position->read < 0)
		refuse_token();
	if (*end != '\0')
	{
		json_error_t error;
		Key			key = {codec_load(end, bytes + len - end, &error)};

		if (!json_is_object(key.json) || api_refusal(read_key, &key))
			refuse_token();
		position->key = key.item;
	}
}

static void
read_key(void *arg)
{
	Key		   *key = arg;

	key->item = codec_read_map(key->json, ITEM_CURRENT);
}

static void
refuse_token(void)
{
	dynamo_error(DYNAMO_VALIDATION, "Invalid NextToken");
}

/*
 * What a token is good for.  Another table of the same name has another
 * TableId.
 */
static void
bind(const char *text, const json_t *parameters, const ApiTarget *target,
	 char *hash)
{
	StringInfoData all;

	initStringInfo(&all);
	wire_append_string(&all, text);
	if (parameters)
		wire_append_canonical_json(&all, parameters);
	appendStringInfoString(&all, target->def->table_id);
	if (target->index)
		wire_append_string(&all, target->index->name);
	hash_text(all.data, all.len, hash);
}

static void
hash_text(const char *text, int len, char *hash)
{
	uint8		digest[DYNAMO_SHA256_LENGTH];

	dynamo_sha256(text, len, digest);
	memcpy(hash, digest, HASH);
}
