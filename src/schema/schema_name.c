/*-------------------------------------------------------------------------
 *
 * schema_name.c
 *	  Names of the relations behind tables and indexes.
 *
 * A DynamoDB name has up to 255 characters of [a-zA-Z0-9_.-], an identifier
 * 63 bytes.  All relations of all tables share one schema, so the names of
 * indexes hold a character that no DynamoDB name has:
 *
 *		Shop			the table's relation
 *		Shop:pkey		its primary key
 *		Shop:ttl		the index of its items' expiry
 *		Shop/ByDate		its secondary index ByDate
 *
 * What is longer than an identifier keeps its first 46 bytes, then '~' and
 * 16 hex digits of the whole name's SHA-256.  The name of a relation is
 * chosen once; afterwards a table knows its relation by OID, and an index is
 * recognized by this name and by its columns (schema_match.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "schema/schema_internal.h"

#define KEPT_BYTES		46
#define HASH_BYTES		8

StaticAssertDecl(KEPT_BYTES + 1 + 2 * HASH_BYTES == NAMEDATALEN - 1,
				 "a shortened name fills an identifier");

static char *shorten(char *name);

/* May a table or an index have this name? */
bool
schema_is_name(const char *name)
{
	size_t		len = strlen(name);

	return len >= DYNAMO_MIN_NAME && len <= DYNAMO_MAX_NAME &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == len;
}

/* The name of the relation of table "table", palloc'd. */
char *
schema_relation_name(const char *table)
{
	return shorten(pstrdup(table));
}

/* The name of its primary key's constraint and index. */
char *
schema_primary_name(const char *table)
{
	return shorten(psprintf("%s:pkey", table));
}

/* The name of the btree index on its items' expiry. */
char *
schema_ttl_name(const char *table)
{
	return shorten(psprintf("%s:ttl", table));
}

/* The name of the btree index behind secondary index "index" of "table". */
char *
schema_index_name(const char *table, const char *index)
{
	return shorten(psprintf("%s/%s", table, index));
}

static char *
shorten(char *name)
{
	uint8		digest[DYNAMO_SHA256_LENGTH];
	StringInfoData out;

	if (strlen(name) < NAMEDATALEN)
		return name;

	dynamo_sha256(name, strlen(name), digest);
	initStringInfo(&out);
	appendBinaryStringInfo(&out, name, KEPT_BYTES);
	appendStringInfoChar(&out, '~');
	for (int i = 0; i < HASH_BYTES; i++)
		appendStringInfo(&out, "%02x", digest[i]);
	return out.data;
}
