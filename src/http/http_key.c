/*-------------------------------------------------------------------------
 *
 * http_key.c
 *	  Access keys: made, dropped, and looked up.
 *
 * A signature is an HMAC, so the server needs the secret itself: it stands in
 * dynamo.access_keys, which no one but superusers and the extension's owner
 * may read.  pg_dump leaves the table out, as it leaves out passwords.
 *
 * A worker remembers the keys it has seen, and the signing key it derived
 * from each.  Whoever changes the table sends a relcache invalidation for it,
 * at which the worker forgets them all; it takes notice of that at the start
 * of each request's transaction.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_collation.h"
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
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

/* Columns of dynamo.access_keys. */
#define KEYS_ID			1
#define KEYS_SECRET		2
#define KEYS_ROLE		3
#define KEYS_CREATED	4
#define KEYS_NATTS		4

/* What AWS's look like. */
#define ID_PREFIX		"AKIA"
#define ID_RANDOM		16
#define SECRET_BYTES	30
#define SECRET_LENGTH	40

/* Remembered at a time. */
#define MAX_KEYS		1024

static HTAB *keys;
static MemoryContext keys_context;
static Oid	keys_relation;		/* invalid: to be looked up */

static bool read_key(const char *id, HttpKey *key);
static Relation open_keys(LOCKMODE lockmode);
static HeapTuple find_row(Relation rel, const char *id, SysScanDesc *scan);
static void create_cache(void);
static void watch_keys(void);
static void forget_keys(Datum arg, Oid relid);
static bool may_log_in(Oid role);
static void check_role(Oid role);
static void make_id(char *id);
static void make_secret(char *secret);

PG_FUNCTION_INFO_V1(dynamo_create_access_key);
PG_FUNCTION_INFO_V1(dynamo_drop_access_key);
PG_FUNCTION_INFO_V1(dynamo_access_keys_edited);

/*
 * Is the table of keys there?  The extension's schema may outlive it.
 */
bool
http_keys_exist(void)
{
	Oid			schema;

	if (OidIsValid(keys_relation))
		return true;
	watch_keys();
	schema = get_namespace_oid("dynamo", true);
	if (OidIsValid(schema))
		keys_relation = get_relname_relid("access_keys", schema);
	return OidIsValid(keys_relation);
}

/*
 * The key of that name, NULL when there is none or its role may not log in.
 * It stays until the next transaction.
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
			forget_keys((Datum) 0, InvalidOid);
			create_cache();
		}
		key = hash_search(keys, id, HASH_ENTER, &exists);
		key->role = found.role;
		key->secret = MemoryContextStrdup(keys_context, found.secret);
		key->date[0] = '\0';
	}
	return may_log_in(key->role) ? key : NULL;
}

static bool
read_key(const char *id, HttpKey *key)
{
	Relation	rel = open_keys(AccessShareLock);
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
	keys_relation = RelationGetRelid(rel);
	table_close(rel, AccessShareLock);
	return HeapTupleIsValid(tuple);
}

static Relation
open_keys(LOCKMODE lockmode)
{
	Oid			schema = get_namespace_oid("dynamo", false);
	Oid			relid = get_relname_relid("access_keys", schema);

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s\" does not exist",
						"dynamo.access_keys")));
	return table_open(relid, lockmode);
}

/*
 * The caller ends the scan when it is done with the row.
 */
static HeapTuple
find_row(Relation rel, const char *id, SysScanDesc *scan)
{
	Oid			index = compat_primary_key_index(rel);
	ScanKeyData key;

	ScanKeyEntryInitialize(&key, 0, KEYS_ID, BTEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXTEQ,
						   CStringGetTextDatum(id));
	*scan = systable_beginscan(rel, index, OidIsValid(index), NULL, 1, &key);
	return systable_getnext(*scan);
}

static void
create_cache(void)
{
	HASHCTL		ctl;

	if (keys != NULL)
		return;
	watch_keys();
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

static void
watch_keys(void)
{
	static bool watching = false;

	if (!watching)
		CacheRegisterRelcacheCallback(forget_keys, (Datum) 0);
	watching = true;
}

/*
 * The table of keys has changed, or any table may have, or it is not known
 * which one that is.
 */
static void
forget_keys(Datum arg, Oid relid)
{
	if (OidIsValid(relid) && OidIsValid(keys_relation) &&
		relid != keys_relation)
		return;
	keys_relation = InvalidOid;
	if (keys == NULL)
		return;
	keys = NULL;
	MemoryContextReset(keys_context);
}

static bool
may_log_in(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	bool		may;

	if (!HeapTupleIsValid(tuple))
		return false;
	may = ((Form_pg_authid) GETSTRUCT(tuple))->rolcanlogin;
	ReleaseSysCache(tuple);
	return may;
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

	check_role(role);
	if (!may_log_in(role))
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
	rel = open_keys(RowExclusiveLock);
	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
											nulls));
	CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);

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
	Relation	rel = open_keys(RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple = find_row(rel, id, &scan);
	bool		isnull;

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
 * Whoever could become the role may have keys for it.  A role that is gone
 * has keys left that only a superuser may drop.
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
