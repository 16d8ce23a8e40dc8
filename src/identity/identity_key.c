/*-------------------------------------------------------------------------
 *
 * identity_key.c
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
#include "control/control.h"
#include "funcapi.h"
#include "identity/identity.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

/* Columns of dynamo.access_keys. */
#define KEYS_ID			1
#define KEYS_SECRET		2
#define KEYS_ROLE		3
#define KEYS_CREATED	4
#define KEYS_EXPIRES	5
#define KEYS_COMMENT	6
#define KEYS_NATTS		6

static const DynamoColumn keys_columns[] = {
	{TEXTOID, true}, {TEXTOID, true}, {REGROLEOID, true},
	{TIMESTAMPTZOID, true}, {TIMESTAMPTZOID, false}, {TEXTOID, false}
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

/*
 * What one's own may be.  An id stands between slashes in a request, and has
 * the characters of AWS's.  Anybody who knows a request can try out secrets,
 * so a short one is for a superuser to choose.
 */
#define ID_CHARS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
#define ID_MIN			3
#define SECRET_MIN		20
#define SECRET_MAX		128
#define COMMENT_MAX		256		/* characters */

/* Remembered at a time. */
#define MAX_KEYS		1024

static HTAB *keys;
static MemoryContext keys_context;
static Oid	keys_owner;			/* of their table */

static bool read_key(const char *id, IdentityKey *key);
static HeapTuple find_row(Relation rel, const char *id, SysScanDesc *scan);
static void create_cache(void);
static HeapTuple find_own_row(Relation rel, const char *id,
							  SysScanDesc *scan);
static void changed(Relation rel, const char *id);
static void check_role(Oid role);
static char *text_arg(FunctionCallInfo fcinfo, int n);
static void check_id(const char *id);
static void check_secret(const char *secret);
static void check_comment(const char *comment);
static void set_comment(const char *comment, Datum *values, bool *nulls);
static char *make_id(void);
static char *make_secret(void);
static void fill_randomly(uint8 *bytes, size_t len);

PG_FUNCTION_INFO_V1(dynamo_create_access_key);
PG_FUNCTION_INFO_V1(dynamo_update_access_key);
PG_FUNCTION_INFO_V1(dynamo_drop_access_key);
PG_FUNCTION_INFO_V1(dynamo_access_keys_edited);

/*
 * Is the table of keys there?
 */
bool
identity_keys_exist(void)
{
	return OidIsValid(dynamo_member_find(&keys_table));
}

/*
 * The key of that name, NULL when there is none, it has expired, or its role
 * is not let in.  It stays until the next transaction.  The owner of the table
 * must be able to become the role.  Otherwise keys could give rights that the
 * owner lacks.
 */
IdentityKey *
identity_find_key(const char *id)
{
	IdentityKey found;
	IdentityKey *key;
	bool		exists;

	if (strlen(id) >= sizeof(found.id))
		return NULL;
	do
	{
		CHECK_FOR_INTERRUPTS();
		create_cache();
		key = hash_search(keys, id, HASH_FIND, NULL);
		if (key == NULL && !read_key(id, &found))
			return NULL;
	} while (keys == NULL);		/* a message came while it was read */
	if (key == NULL)
	{
		char	   *secret;

		if (hash_get_num_entries(keys) >= MAX_KEYS)
		{
			forget_keys();
			create_cache();
		}
		secret = MemoryContextStrdup(keys_context, found.secret);
		key = hash_search(keys, id, HASH_ENTER, &exists);
		key->role = found.role;
		key->expires_at = found.expires_at;
		key->noted = 0;
		key->secret = secret;
		key->date[0] = '\0';
	}
	return key->expires_at > GetCurrentStatementStartTimestamp() &&
		identity_role_is_open(key->role) &&
		compat_can_become(keys_owner, key->role) ? key : NULL;
}

static bool
read_key(const char *id, IdentityKey *key)
{
	Relation	rel = dynamo_table_open(&keys_table, AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple = find_row(rel, id, &scan);
	bool		isnull;
	Datum		expires_at;

	if (HeapTupleIsValid(tuple))
	{
		key->role = DatumGetObjectId(heap_getattr(tuple, KEYS_ROLE,
												  RelationGetDescr(rel),
												  &isnull));
		key->secret = TextDatumGetCString(heap_getattr(tuple, KEYS_SECRET,
													   RelationGetDescr(rel),
													   &isnull));
		key->expires_at = DT_NOEND;
		if (RelationGetNumberOfAttributes(rel) >= KEYS_EXPIRES)
		{
			expires_at = heap_getattr(tuple, KEYS_EXPIRES,
									  RelationGetDescr(rel), &isnull);
			if (!isnull)
				key->expires_at = DatumGetTimestampTz(expires_at);
		}
	}
	systable_endscan(scan);
	keys_owner = rel->rd_rel->relowner;
	table_close(rel, AccessShareLock);
	return HeapTupleIsValid(tuple);
}

/*
 * Is there a key of that name, good or not?
 */
bool
identity_key_exists(const char *id)
{
	Relation	rel = dynamo_table_open(&keys_table, AccessShareLock);
	SysScanDesc scan;
	bool		exists = HeapTupleIsValid(find_row(rel, id, &scan));

	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return exists;
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
	ctl.keysize = sizeof(((IdentityKey *) NULL)->id);
	ctl.entrysize = sizeof(IdentityKey);
	keys = hash_create("dynamo access keys", 64, &ctl,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

/*
 * The table of keys has changed, or is another one by now.  This transaction may
 * be using a key, and has them up to its end.
 */
static void
forget_keys(void)
{
	MemoryContext context = keys_context;

	if (keys == NULL)
		return;
	keys = NULL;
	keys_context = NULL;
	if (TopTransactionContext != NULL)
		MemoryContextSetParent(context, TopTransactionContext);
	else
		MemoryContextDelete(context);
}

/*
 * Drop the keys of roles that are gone.  They do not work any more, and must be
 * gone before a role is made that happens to get the same OID.
 */
void
identity_key_drop_orphans(void)
{
	dynamo_table_drop_orphans(&keys_table, KEYS_ROLE);
}

/*
 * create_access_key(role_name regrole, id text, secret text, comment text,
 * expires_at timestamptz).  An id and a secret that are not given are made.
 */
Datum
dynamo_create_access_key(PG_FUNCTION_ARGS)
{
	Oid			role;
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *id = text_arg(fcinfo, 1);
	char	   *secret = text_arg(fcinfo, 2);
	char	   *comment = text_arg(fcinfo, 3);
	Datum		values[KEYS_NATTS] = {0};
	bool		nulls[KEYS_NATTS] = {0};
	Relation	rel;
	SysScanDesc scan;

	PreventCommandIfReadOnly("create_access_key()");
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role_name must not be null")));
	role = PG_GETARG_OID(0);
	check_role(role);
	if (!identity_role_may_log_in(role))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("role \"%s\" is not permitted to log in",
						GetUserNameFromId(role, false)),
				 errhint("Use ALTER ROLE ... LOGIN.")));
	if (id != NULL)
		check_id(id);
	else
		id = make_id();
	if (secret != NULL)
		check_secret(secret);
	else
		secret = make_secret();
	check_comment(comment);

	values[KEYS_ID - 1] = CStringGetTextDatum(id);
	values[KEYS_SECRET - 1] = CStringGetTextDatum(secret);
	values[KEYS_ROLE - 1] = ObjectIdGetDatum(role);
	values[KEYS_CREATED - 1] = TimestampTzGetDatum(GetCurrentTimestamp());
	nulls[KEYS_EXPIRES - 1] = PG_ARGISNULL(4);
	if (!PG_ARGISNULL(4))
		values[KEYS_EXPIRES - 1] = PG_GETARG_DATUM(4);
	set_comment(comment, values, nulls);
	rel = dynamo_table_open(&keys_table, RowExclusiveLock);
	if (HeapTupleIsValid(find_row(rel, id, &scan)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("access key \"%s\" already exists", id)));
	systable_endscan(scan);
	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
											nulls));
	changed(rel, id);

	InitMaterializedSRF(fcinfo, 0);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	return (Datum) 0;
}

/*
 * update_access_key(access_key_id text, comment text, expires_at timestamptz):
 * what is null stays as it is.
 */
Datum
dynamo_update_access_key(PG_FUNCTION_ARGS)
{
	char	   *id = text_arg(fcinfo, 0);
	char	   *comment = text_arg(fcinfo, 1);
	Datum		values[KEYS_NATTS] = {0};
	bool		nulls[KEYS_NATTS] = {0};
	bool		replaces[KEYS_NATTS] = {0};
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;

	PreventCommandIfReadOnly("update_access_key()");
	if (id == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("access_key_id must not be null")));
	check_comment(comment);
	rel = dynamo_table_open(&keys_table, RowExclusiveLock);
	tuple = find_own_row(rel, id, &scan);
	if (comment != NULL)
	{
		replaces[KEYS_COMMENT - 1] = true;
		set_comment(comment, values, nulls);
	}
	if (!PG_ARGISNULL(2))
	{
		replaces[KEYS_EXPIRES - 1] = true;
		values[KEYS_EXPIRES - 1] = PG_GETARG_DATUM(2);
	}
	tuple = heap_modify_tuple(tuple, RelationGetDescr(rel), values, nulls,
							  replaces);
	CatalogTupleUpdate(rel, &tuple->t_self, tuple);
	systable_endscan(scan);
	changed(rel, id);
	PG_RETURN_VOID();
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

	PreventCommandIfReadOnly("drop_access_key()");
	rel = dynamo_table_open(&keys_table, RowExclusiveLock);
	CatalogTupleDelete(rel, &find_own_row(rel, id, &scan)->t_self);
	systable_endscan(scan);
	changed(rel, id);
	PG_RETURN_VOID();
}

/*
 * The row of a key that the user may change.
 */
static HeapTuple
find_own_row(Relation rel, const char *id, SysScanDesc *scan)
{
	HeapTuple	tuple = find_row(rel, id, scan);
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("access key \"%s\" does not exist", id)));
	check_role(DatumGetObjectId(heap_getattr(tuple, KEYS_ROLE,
											 RelationGetDescr(rel),
											 &isnull)));
	return tuple;
}

/*
 * The key was made, changed or dropped: all processes and nodes shall know.
 */
static void
changed(Relation rel, const char *id)
{
	CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	control_share_row(CONTROL_ACCESS_KEY, id, NULL);
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
	if (!compat_can_become(GetUserId(), role))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to manage access keys of role \"%s\"",
						GetUserNameFromId(role, true))));
}

static char *
text_arg(FunctionCallInfo fcinfo, int n)
{
	return !PG_ARGISNULL(n) ? text_to_cstring(PG_GETARG_TEXT_PP(n)) : NULL;
}

static void
check_id(const char *id)
{
	size_t		len = strlen(id);

	if (len < ID_MIN || len > IDENTITY_ID_LENGTH ||
		strspn(id, ID_CHARS) != len)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid access key ID \"%s\"", id),
				 errdetail("It must have %d to %d letters, digits and underscores.",
						   ID_MIN, IDENTITY_ID_LENGTH)));
}

static void
check_secret(const char *secret)
{
	size_t		len = strlen(secret);

	for (size_t i = 0; i < len; i++)
	{
		if (secret[i] <= ' ' || secret[i] > '~')
			len = 0;
	}
	if (len == 0 || len > SECRET_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid secret access key"),
				 errdetail("It must have 1 to %d printable ASCII characters without spaces.",
						   SECRET_MAX)));
	if (len < SECRET_MIN && !superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to choose a secret access key of less than %d characters",
						SECRET_MIN),
				 errhint("Leave it out to have one made, or give a longer one.")));
}

static void
check_comment(const char *comment)
{
	if (comment != NULL && pg_mbstrlen(comment) > COMMENT_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("comment must have at most %d characters",
						COMMENT_MAX)));
}

/*
 * An empty comment is none.
 */
static void
set_comment(const char *comment, Datum *values, bool *nulls)
{
	nulls[KEYS_COMMENT - 1] = comment == NULL || comment[0] == '\0';
	if (!nulls[KEYS_COMMENT - 1])
		values[KEYS_COMMENT - 1] = CStringGetTextDatum(comment);
}

static char *
make_id(void)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	uint8		random[ID_RANDOM];
	char	   *id = palloc(strlen(ID_PREFIX) + ID_RANDOM + 1);

	fill_randomly(random, sizeof(random));
	strcpy(id, ID_PREFIX);
	for (int i = 0; i < ID_RANDOM; i++)
		id[strlen(ID_PREFIX) + i] = digits[random[i] % 32];
	id[strlen(ID_PREFIX) + ID_RANDOM] = '\0';
	return id;
}

static char *
make_secret(void)
{
	uint8		random[SECRET_BYTES];
	char	   *secret = palloc(SECRET_LENGTH + 1);
	int			len;

	fill_randomly(random, sizeof(random));
	len = pg_b64_encode((const void *) random, sizeof(random), secret,
						SECRET_LENGTH);
	Assert(len == SECRET_LENGTH);
	secret[len] = '\0';
	return secret;
}

static void
fill_randomly(uint8 *bytes, size_t len)
{
	if (!pg_strong_random(bytes, len))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
}
