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

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "base/base_extension.h"
#include "bucket/bucket_internal.h"
#include "catalog/indexing.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

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

static bool may_use(const char *name, BucketUse use);
static SysScanDesc scan_grants(Relation rel, const char *name, Oid role);
static Datum column(HeapTuple tuple, AttrNumber attnum, Relation rel);
static int	tuple_uses(HeapTuple tuple, Relation rel);
static int	take_row(Relation rel, const char *name, Oid role);
static void put_row(Relation rel, const char *name, Oid role, int uses);

/*
 * See bucket.h.
 */
void
bucket_check_use(const char *name, BucketUse use)
{
	if (use != BUCKET_TIDY && !may_use(name, use))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 bucket_rule(BUCKET_RULE_ALLOWED),
				 errmsg("permission denied for bucket \"%s\"", name)));
}

static bool
may_use(const char *name, BucketUse use)
{
	Oid			user = GetUserId();
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	if (has_privs_of_role(user, use == BUCKET_READ ? ROLE_PG_READ_SERVER_FILES :
						  ROLE_PG_WRITE_SERVER_FILES))
		return true;
	rel = dynamo_table_open(&grants_table, AccessShareLock);
	scan = scan_grants(rel, name, InvalidOid);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		found = (tuple_uses(tuple, rel) & use) != 0 &&
			has_privs_of_role(user, DatumGetObjectId(column(tuple, GRANTS_ROLE, rel)));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/*
 * See bucket.h.
 */
void
bucket_grant(const char *name, Oid role, int uses)
{
	Relation	rel = dynamo_table_open(&grants_table, ShareRowExclusiveLock);

	put_row(rel, name, role, take_row(rel, name, role) | uses);
	table_close(rel, NoLock);
}

/*
 * See bucket.h.
 */
bool
bucket_revoke(const char *name, Oid role, int uses)
{
	Relation	rel = dynamo_table_open(&grants_table, ShareRowExclusiveLock);
	int			had = take_row(rel, name, role);

	put_row(rel, name, role, had & ~uses);
	table_close(rel, NoLock);
	return (had & uses) != 0;
}

/*
 * See bucket.h.
 */
void
bucket_drop_orphans(void)
{
	dynamo_table_drop_orphans(&grants_table, GRANTS_ROLE);
}

/*
 * Delete the row of a role; returns what it allowed, 0 without one.
 */
static int
take_row(Relation rel, const char *name, Oid role)
{
	SysScanDesc scan = scan_grants(rel, name, role);
	HeapTuple	tuple = systable_getnext(scan);
	int			uses = 0;

	if (HeapTupleIsValid(tuple))
	{
		uses = tuple_uses(tuple, rel);
		CatalogTupleDelete(rel, &tuple->t_self);
	}
	systable_endscan(scan);
	return uses;
}

/*
 * A row for what a role may do; none if that is nothing.
 */
static void
put_row(Relation rel, const char *name, Oid role, int uses)
{
	Datum		values[GRANTS_NATTS];
	bool		nulls[GRANTS_NATTS] = {0};

	values[GRANTS_BUCKET - 1] = CStringGetTextDatum(name);
	values[GRANTS_ROLE - 1] = ObjectIdGetDatum(role);
	values[GRANTS_READ - 1] = BoolGetDatum((uses & BUCKET_READ) != 0);
	values[GRANTS_WRITE - 1] = BoolGetDatum((uses & BUCKET_WRITE) != 0);
	if (uses != 0)
		CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
												nulls));
	CommandCounterIncrement();
}

static int
tuple_uses(HeapTuple tuple, Relation rel)
{
	return (DatumGetBool(column(tuple, GRANTS_READ, rel)) ? BUCKET_READ : 0) |
		(DatumGetBool(column(tuple, GRANTS_WRITE, rel)) ? BUCKET_WRITE : 0);
}

/*
 * Grants of a bucket; role InvalidOid: of all roles.
 */
static SysScanDesc
scan_grants(Relation rel, const char *name, Oid role)
{
	ScanKeyData keys[2];

	ScanKeyEntryInitialize(&keys[0], 0, GRANTS_BUCKET, BTEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXTEQ,
						   CStringGetTextDatum(name));
	ScanKeyInit(&keys[1], GRANTS_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	return dynamo_table_scan(rel, &grants_indexes[0], NULL,
							 OidIsValid(role) ? 2 : 1, keys);
}

static Datum
column(HeapTuple tuple, AttrNumber attnum, Relation rel)
{
	bool		isnull;

	return heap_getattr(tuple, attnum, RelationGetDescr(rel), &isnull);
}
