/*-------------------------------------------------------------------------
 *
 * region_claim.c
 *	  What regions claim of the versions of a global table: rows of
 *	  dynamo_internal.stable_versions.  What that is, region_stable.c says.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "region/region_internal.h"
#include "utils/builtins.h"

/* Columns of dynamo_internal.stable_versions. */
#define STABLE_RELATION		1
#define STABLE_REGION		2
#define STABLE_MEMBERS		3
#define STABLE_TIME			4
#define STABLE_NUMBER		5
#define STABLE_TRIMMED		6
#define STABLE_NATTS		6

static const DynamoColumn stable_columns[] = {
	{REGCLASSOID, true}, {TEXTOID, true}, {TEXTOID, true}, {INT8OID, true},
	{INT8OID, true}, {INT8OID, true}
};

StaticAssertDecl(lengthof(stable_columns) == STABLE_NATTS,
				 "each column has its type");

static DynamoIndex stable_indexes[] = {
	{2, {STABLE_RELATION, STABLE_REGION}},
};

static DynamoMember stable =
DYNAMO_INTERNAL_TABLE("stable_versions", stable_columns,
					  DYNAMO_INDEXES(stable_indexes));

static void *read_claim(Relation rel, HeapTuple tuple);

/*
 * Claims go with the table, or (not NULL) with a region.
 */
void
region_claim_forget(Oid relid, const char *region)
{
	ScanKeyData keys[2];

	meta_oid_key(&keys[0], STABLE_RELATION, relid);
	if (region != NULL)
		meta_text_key(&keys[1], STABLE_REGION, region);
	meta_delete_all(&stable, &stable_indexes[0], region ? 2 : 1, keys);
}

/*
 * What a region claims; one that has never done so, nothing.
 */
RegionClaim
region_claim(Oid relid, const char *region)
{
	ScanKeyData keys[2];
	const RegionClaim *claim;
	RegionClaim none = {.members = ""};

	meta_oid_key(&keys[0], STABLE_RELATION, relid);
	meta_text_key(&keys[1], STABLE_REGION, region);
	claim = meta_first(&stable, &stable_indexes[0], 2, keys, read_claim);
	return claim ? *claim : none;
}

static void *
read_claim(Relation rel, HeapTuple tuple)
{
	RegionClaim *claim = palloc(sizeof(RegionClaim));
	bool		isnull;

	claim->members = meta_text_column(tuple, STABLE_MEMBERS, rel);
	claim->time = DatumGetInt64(meta_column(tuple, STABLE_TIME, rel, &isnull));
	claim->number = DatumGetInt64(meta_column(tuple, STABLE_NUMBER, rel,
											  &isnull));
	claim->trimmed = DatumGetInt64(meta_column(tuple, STABLE_TRIMMED, rel,
											   &isnull));
	return claim;
}

/*
 * The caller holds the lock of the table's rows.
 */
void
region_set_claim(Oid relid, const char *region, const RegionClaim *claim)
{
	MetaRow		row;
	ScanKeyData keys[2];

	meta_init_row(&row);
	meta_set_column(&row, STABLE_RELATION, ObjectIdGetDatum(relid));
	meta_set_column(&row, STABLE_REGION, CStringGetTextDatum(region));
	meta_set_column(&row, STABLE_MEMBERS, CStringGetTextDatum(claim->members));
	meta_set_column(&row, STABLE_TIME, Int64GetDatum(claim->time));
	meta_set_column(&row, STABLE_NUMBER, Int64GetDatum(claim->number));
	meta_set_column(&row, STABLE_TRIMMED, Int64GetDatum(claim->trimmed));
	meta_oid_key(&keys[0], STABLE_RELATION, relid);
	meta_text_key(&keys[1], STABLE_REGION, region);
	meta_put(&stable, &stable_indexes[0], 2, keys, &row);
}

/*
 * What another region has, or this one, is not what it was: there is no claim until
 * all has been sent again.  The caller holds the lock of the table's rows.
 */
void
region_claim_withdraw(Oid relid, const char *own)
{
	RegionClaim claim = region_claim(relid, own);

	if (claim.time == 0 && claim.number == 0)
		return;
	claim.time = claim.number = 0;
	region_set_claim(relid, own, &claim);
}
