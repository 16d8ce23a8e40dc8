/*-------------------------------------------------------------------------
 *
 * bucket_grant.c
 *	  Who may use a bucket: rows of dynamo.bucket_grants.
 *
 * The server reads and writes these files as its own operating-system user, so
 * who may have it do that is decided here alone.  A grant is for a bucket's
 * name, whether the folder exists or not: nobody learns of folders that are
 * not theirs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type_d.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

/* Columns of dynamo.bucket_grants. */
#define GRANTS_BUCKET	1
#define GRANTS_ROLE		2
#define GRANTS_READ		3
#define GRANTS_WRITE	4
#define GRANTS_NATTS	4

static const DynamoColumn grants_columns[] = {
	{TEXTOID, true}, {REGROLEOID, true}, {BOOLOID, true}, {BOOLOID, true}
};

StaticAssertDecl(lengthof(grants_columns) == GRANTS_NATTS,
				 "each column has its type");

static DynamoIndex grants_indexes[] = {
	{2, {GRANTS_BUCKET, GRANTS_ROLE}},
};

static DynamoMember grants_table =
DYNAMO_TABLE("bucket_grants", grants_columns, DYNAMO_INDEXES(grants_indexes));

static bool may_reach(const char *name, Oid server, BucketUse use);
static bool may_open(const char *name, BucketUse use);
static bool is_granted(const char *name, BucketUse use);
static void scan_grants(MetaScan *scan, const char *name, Oid role,
						LOCKMODE lockmode);
static Datum column(const MetaScan *scan, AttrNumber attnum);
static int	uses_of(const MetaScan *scan);
static int	take_row(const char *name, Oid role);
static void put_row(const char *name, Oid role, int uses);

/*
 * Raises insufficient_privilege unless the current role may.  What the name stood
 * for is what may be opened: another could get it meanwhile.
 */
Oid
bucket_check_use(const char *name, BucketUse use)
{
	Oid			server = bucket_server_find(name);

	if (OidIsValid(server) ? may_reach(name, server, use) :
		use == BUCKET_TIDY || may_open(name, use))
		return server;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 bucket_rule(BUCKET_RULE_ALLOWED),
			 errmsg("permission denied for bucket \"%s\"", name)));
}

/*
 * A store that is a superuser's is granted as folders are.  One that another role
 * has made is for those who are its members: it may have the name of a bucket
 * that others were granted, and their items would go where that role likes.
 * Superusers, too, have to become a member.  Nobody tidies up at a store by
 * credentials that he may not use.
 */
static bool
may_reach(const char *name, Oid server, BucketUse use)
{
	Oid			owner = bucket_server_owner(server);

	if (!superuser_arg(owner))
		return !superuser() && has_privs_of_role(GetUserId(), owner);
	return superuser() ||
		is_granted(name, use == BUCKET_TIDY ? BUCKET_WRITE : use);
}

static bool
may_open(const char *name, BucketUse use)
{
	return has_privs_of_role(GetUserId(), use == BUCKET_READ ?
							 ROLE_PG_READ_SERVER_FILES :
							 ROLE_PG_WRITE_SERVER_FILES) ||
		is_granted(name, use);
}

static bool
is_granted(const char *name, BucketUse use)
{
	Oid			user = GetUserId();
	MetaScan	scan;
	bool		found = false;

	scan_grants(&scan, name, InvalidOid, AccessShareLock);
	while (!found && meta_next(&scan))
		found = (uses_of(&scan) & use) != 0 &&
			has_privs_of_role(user, DatumGetObjectId(column(&scan, GRANTS_ROLE)));
	meta_end(&scan);
	return found;
}

/*
 * "uses": BucketUse, or-ed; added to what the role has.
 */
void
bucket_grant(const char *name, Oid role, int uses)
{
	put_row(name, role, take_row(name, role) | uses);
}

/*
 * False: the role had none of these.
 */
bool
bucket_revoke(const char *name, Oid role, int uses)
{
	int			had = take_row(name, role);

	put_row(name, role, had & ~uses);
	return (had & uses) != 0;
}

/*
 * Drop all grants of a bucket, whoever has them.
 */
void
bucket_revoke_all(const char *name)
{
	MetaScan	scan;

	scan_grants(&scan, name, InvalidOid, ShareRowExclusiveLock);
	while (meta_next(&scan))
		meta_delete(&scan);
	meta_end(&scan);
}

/*
 * Drop the grants of roles that are gone.
 */
void
bucket_drop_orphans(void)
{
	dynamo_table_drop_orphans(&grants_table, GRANTS_ROLE);
}

/*
 * Delete the row of a role; returns what it allowed, 0 without one.  One
 * writer at a time, to the end of the transaction.
 */
static int
take_row(const char *name, Oid role)
{
	MetaScan	scan;
	int			uses = 0;

	scan_grants(&scan, name, role, ShareRowExclusiveLock);
	if (meta_next(&scan))
	{
		uses = uses_of(&scan);
		meta_delete(&scan);
	}
	meta_end(&scan);
	return uses;
}

/*
 * A row for what a role may do; none if that is nothing.
 */
static void
put_row(const char *name, Oid role, int uses)
{
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, GRANTS_BUCKET, CStringGetTextDatum(name));
	meta_set_column(&row, GRANTS_ROLE, ObjectIdGetDatum(role));
	meta_set_column(&row, GRANTS_READ, BoolGetDatum((uses & BUCKET_READ) != 0));
	meta_set_column(&row, GRANTS_WRITE,
					BoolGetDatum((uses & BUCKET_WRITE) != 0));
	if (uses != 0)
		meta_insert(&grants_table, &row);
}

static int
uses_of(const MetaScan *scan)
{
	return (DatumGetBool(column(scan, GRANTS_READ)) ? BUCKET_READ : 0) |
		(DatumGetBool(column(scan, GRANTS_WRITE)) ? BUCKET_WRITE : 0);
}

/*
 * Grants of a bucket; role InvalidOid: of all roles.
 */
static void
scan_grants(MetaScan *scan, const char *name, Oid role, LOCKMODE lockmode)
{
	ScanKeyData keys[2];

	meta_text_key(&keys[0], GRANTS_BUCKET, name);
	meta_oid_key(&keys[1], GRANTS_ROLE, role);
	meta_scan(scan, &grants_table, lockmode, &grants_indexes[0],
			  OidIsValid(role) ? 2 : 1, keys);
}

static Datum
column(const MetaScan *scan, AttrNumber attnum)
{
	bool		isnull;

	return meta_column(scan->tuple, attnum, scan->rel, &isnull);
}
