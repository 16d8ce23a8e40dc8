/*-------------------------------------------------------------------------
 *
 * http_key.c
 *	  Access keys: made, dropped, and looked up.
 *
 * A signature is an HMAC, so the server needs the secret itself.  It is in
 * dynamo.access_keys, which only superusers and the extension's owner may
 * read.  pg_dump leaves the table out, as it leaves out passwords.
 *
 * A worker remembers the keys it has seen, and the signing key it derived from
 * each.  Every change of the table sends a relcache invalidation for it, and
 * the worker forgets them all; it receives it at the start of each request's
 * transaction.
 *
 * A key gives no more rights than its maker has: the table must be the
 * extension's (base_extension.c), and its owner able to become the key's role.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "base/base_extension.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "common/base64.h"
#include "funcapi.h"
#include "http/http_internal.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Columns of dynamo.access_keys. */
#define KEYS_ID			1
#define KEYS_SECRET		2
#define KEYS_ROLE		3
#define KEYS_CREATED	4
#define KEYS_NATTS		4

static const DynamoColumn keys_columns[] = {
	{TEXTOID, true}, {TEXTOID, true}, {REGROLEOID, true},
	{TIMESTAMPTZOID, true}
};

StaticAssertDecl(lengthof(keys_columns) == KEYS_NATTS,
				 "each column has its type");

static DynamoIndex keys_indexes[] = {
	{1, {KEYS_ID}},
};

static void forget_keys(void);

static DynamoMember keys_table =
DYNAMO_TABLE("access_keys", keys_columns, DYNAMO_INDEXES(keys_indexes),
			 .forgotten = forget_keys);

/* What AWS's look like. */
#define ID_PREFIX		"AKIA"
#define ID_RANDOM		16
#define SECRET_BYTES	30
#define SECRET_LENGTH	40

/* Remembered at a time. */
#define MAX_KEYS		1024

static HTAB *keys;
static MemoryContext keys_context;
static Oid	keys_owner;			/* of their table */

static bool read_key(const char *id, HttpKey *key);
static HeapTuple find_row(Relation rel, const char *id, SysScanDesc *scan);
static void create_cache(void);
static void check_role(Oid role);
static void make_id(char *id);
static void make_secret(char *secret);

PG_FUNCTION_INFO_V1(dynamo_create_access_key);
PG_FUNCTION_INFO_V1(dynamo_drop_access_key);
PG_FUNCTION_INFO_V1(dynamo_access_keys_edited);

/*
 * Is the table of keys there?
 */
bool
http_keys_exist(void)
{
	return OidIsValid(dynamo_member_find(&keys_table));
}

/*
 * The key of that name, NULL when there is none or its role is not let in.
 * It stays until the next transaction.  The owner of the table must be able to
 * become the role, or else keys could give rights that the owner lacks.
 */
HttpKey *
http_find_key(const char *id)
{
	HttpKey		found;
	HttpKey    *key;
	bool		exists;

	if (strlen(id) >= sizeof(found.id))
		return NULL;
	create_cache();
	key = hash_search(keys, id, HASH_FIND, NULL);
	if (key == NULL)
	{
		if (!read_key(id, &found))
			return NULL;
		if (hash_get_num_entries(keys) >= MAX_KEYS)
		{
			forget_keys();
			create_cache();
		}
		key = hash_search(keys, id, HASH_ENTER, &exists);
		key->role = found.role;
		key->secret = MemoryContextStrdup(keys_context, found.secret);
		key->date[0] = '\0';
	}
	return http_role_is_open(key->role) &&
		has_privs_of_role(keys_owner, key->role) ? key : NULL;
}

static bool
read_key(const char *id, HttpKey *key)
{
	Relation	rel = dynamo_table_open(&keys_table, AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple = find_row(rel, id, &scan);
	bool		isnull;

	if (HeapTupleIsValid(tuple))
	{
		key->role = DatumGetObjectId(heap_getattr(tuple, KEYS_ROLE,
												  RelationGetDescr(rel),
												  &isnull));
		key->secret = TextDatumGetCString(heap_getattr(tuple, KEYS_SECRET,
													   RelationGetDescr(rel),
													   &isnull));
	}
	systable_endscan(scan);
	keys_owner = rel->rd_rel->relowner;
	table_close(rel, AccessShareLock);
	return HeapTupleIsValid(tuple);
}

/*
 * The caller ends the scan when it is done with the row.
 */
static HeapTuple
find_row(Relation rel, const char *id, SysScanDesc *scan)
{
	ScanKeyData key;

	ScanKeyEntryInitialize(&key, 0, KEYS_ID, BTEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXTEQ,
						   CStringGetTextDatum(id));
	*scan = dynamo_table_scan(rel, &keys_indexes[0], NULL, 1, &key);
	return systable_getnext(*scan);
}

static void
create_cache(void)
{
	HASHCTL		ctl;

	if (keys != NULL)
		return;
	if (keys_context == NULL)
		keys_context = AllocSetContextCreate(TopMemoryContext,
											 "dynamo access keys",
											 ALLOCSET_SMALL_SIZES);
	ctl.hcxt = keys_context;
	ctl.keysize = sizeof(((HttpKey *) NULL)->id);
	ctl.entrysize = sizeof(HttpKey);
	keys = hash_create("dynamo access keys", 64, &ctl,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

/*
 * The table of keys has changed, or is another one by now.
 */
static void
forget_keys(void)
{
	if (keys == NULL)
		return;
	keys = NULL;
	MemoryContextReset(keys_context);
}

/*
 * Drop the keys of roles that are gone.  They do not work any more, and must be
 * gone before a role is made that happens to get the same OID.
 */
void
http_drop_orphan_keys(void)
{
	dynamo_table_drop_orphans(&keys_table, KEYS_ROLE);
}

/*
 * create_access_key(role_name regrole)
 */
Datum
dynamo_create_access_key(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char		id[sizeof(ID_PREFIX) + ID_RANDOM];
	char		secret[SECRET_LENGTH + 1];
	Datum		values[KEYS_NATTS];
	bool		nulls[KEYS_NATTS] = {0};
	Relation	rel;

	PreventCommandIfReadOnly("create_access_key()");
	check_role(role);
	if (!http_role_may_log_in(role))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("role \"%s\" is not permitted to log in",
						GetUserNameFromId(role, false)),
				 errhint("Use ALTER ROLE ... LOGIN.")));
	make_id(id);
	make_secret(secret);

	values[KEYS_ID - 1] = CStringGetTextDatum(id);
	values[KEYS_SECRET - 1] = CStringGetTextDatum(secret);
	values[KEYS_ROLE - 1] = ObjectIdGetDatum(role);
	values[KEYS_CREATED - 1] = TimestampTzGetDatum(GetCurrentTimestamp());
	rel = dynamo_table_open(&keys_table, RowExclusiveLock);
	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
											nulls));
	CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	control_share_row(CONTROL_ACCESS_KEY, id, NULL);

	InitMaterializedSRF(fcinfo, 0);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}

/*
 * drop_access_key(access_key_id text)
 */
Datum
dynamo_drop_access_key(PG_FUNCTION_ARGS)
{
	char	   *id = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		isnull;

	PreventCommandIfReadOnly("drop_access_key()");
	rel = dynamo_table_open(&keys_table, RowExclusiveLock);
	tuple = find_row(rel, id, &scan);
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("access key \"%s\" does not exist", id)));
	check_role(DatumGetObjectId(heap_getattr(tuple, KEYS_ROLE,
											 RelationGetDescr(rel),
											 &isnull)));
	CatalogTupleDelete(rel, &tuple->t_self);
	systable_endscan(scan);
	CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	control_share_row(CONTROL_ACCESS_KEY, id, NULL);
	PG_RETURN_VOID();
}

/*
 * Trigger: the table was edited by plain SQL.
 */
Datum
dynamo_access_keys_edited(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function must be called as a trigger")));
	CacheInvalidateRelcache(((TriggerData *) fcinfo->context)->tg_relation);
	return PointerGetDatum(NULL);
}

/*
 * A user who could become the role may make and drop its keys.  Keys of a role
 * that is gone can be dropped only by a superuser.
 */
static void
check_role(Oid role)
{
	if (!has_privs_of_role(GetUserId(), role))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to manage access keys of role \"%s\"",
						GetUserNameFromId(role, true))));
}

static void
make_id(char *id)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	uint8		random[ID_RANDOM];

	if (!pg_strong_random(random, sizeof(random)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	strcpy(id, ID_PREFIX);
	for (int i = 0; i < ID_RANDOM; i++)
		id[strlen(ID_PREFIX) + i] = digits[random[i] % 32];
	id[strlen(ID_PREFIX) + ID_RANDOM] = '\0';
}

static void
make_secret(char *secret)
{
	uint8		random[SECRET_BYTES];
	int			len;

	if (!pg_strong_random(random, sizeof(random)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	len = pg_b64_encode((const void *) random, sizeof(random), secret,
						SECRET_LENGTH);
	Assert(len == SECRET_LENGTH);
	secret[len] = '\0';
}
