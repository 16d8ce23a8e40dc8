/*-------------------------------------------------------------------------
 *
 * region_row.c
 *	  Regions: rows of dynamo.regions.
 *
 * A region is a database.  One that is known here is reached by a foreign
 * server; the row without a server is this database's own name.  A superuser
 * makes the rows: what is replicated to a region leaves this database.
 *
 * Rows are not dumped.  A copy of a database is not the region that it is a
 * copy of, and must not send to that region's peers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "miscadmin.h"
#include "port/pg_crc32c.h"
#include "region/region_internal.h"
#include "utils/builtins.h"
#include "wire/wire.h"

/* Columns of dynamo.regions. */
#define REGIONS_NAME	1
#define REGIONS_ID		2
#define REGIONS_SERVER	3
#define REGIONS_NATTS	3

static const DynamoColumn regions_columns[] = {
	{TEXTOID, true}, {INT4OID, true}, {OIDOID, true}
};

StaticAssertDecl(lengthof(regions_columns) == REGIONS_NATTS,
				 "each column has its type");

static DynamoIndex regions_indexes[] = {
	{1, {REGIONS_NAME}},
};

static DynamoMember regions =
DYNAMO_TABLE("regions", regions_columns, DYNAMO_INDEXES(regions_indexes));

static void check_name(const char *name);
static int32 hash_name(const char *name);
static void *read_row(Relation rel, HeapTuple tuple);

const Region *
region_find(const char *name)
{
	ScanKeyData key;

	meta_text_key(&key, REGIONS_NAME, name);
	return meta_first(&regions, &regions_indexes[0], 1, &key, read_row);
}

List *
region_list(void)
{
	return meta_all(&regions, NULL, 0, NULL, read_row);
}

const Region *
region_own(void)
{
	Region	   *own;
	ListCell   *lc;

	foreach(lc, region_list())
	{
		own = lfirst(lc);
		if (!OidIsValid(own->server))
			return own;
	}
	own = palloc0(sizeof(Region));
	own->name = pstrdup(wire_region);
	own->id = hash_name(own->name);
	return own;
}

/*
 * A region whose server is gone gets another one.  That no two have one id or one
 * server, and one at most has none, is what indexes hold.
 */
void
region_create(const char *name, const char *server)
{
	const Region *known;
	MetaRow		row;

	region_check_superuser();
	check_name(name);
	if (server != NULL && strcmp(name, region_own()->name) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("region \"%s\" is this database's own", name)));
	known = server ? region_find(name) : NULL;
	if (known != NULL && OidIsValid(known->server) &&
		!region_server_exists(known->server))
		(void) region_row_delete(name);
	meta_init_row(&row);
	meta_set_column(&row, REGIONS_NAME, CStringGetTextDatum(name));
	meta_set_column(&row, REGIONS_ID, Int32GetDatum(hash_name(name)));
	meta_set_column(&row, REGIONS_SERVER,
					ObjectIdGetDatum(server ? region_server(server) :
									 InvalidOid));
	meta_insert(&regions, &row);
}

/*
 * False: there is none.
 */
bool
region_row_delete(const char *name)
{
	MetaScan	scan;
	ScanKeyData key;
	bool		found;

	meta_text_key(&key, REGIONS_NAME, name);
	meta_scan(&scan, &regions, RowExclusiveLock, &regions_indexes[0], 1, &key);
	found = meta_next(&scan);
	if (found)
		meta_delete(&scan);
	meta_end(&scan);
	return found;
}

void
region_check_superuser(void)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be superuser to create or drop a region")));
}

static void
check_name(const char *name)
{
	size_t		len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	if (len == 0 || len > REGION_MAX_NAME || name[len] != '\0' ||
		name[0] == '-' || name[len - 1] == '-')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("invalid name of a region: \"%s\"", name),
				 errdetail("It has 1 to %d small letters, digits and hyphens, and begins and ends with none of the last.",
						   REGION_MAX_NAME)));
}

/*
 * The same on all machines.
 */
static int32
hash_name(const char *name)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, name, strlen(name));
	FIN_CRC32C(crc);
	return (int32) crc;
}

static void *
read_row(Relation rel, HeapTuple tuple)
{
	Region	   *region = palloc0(sizeof(Region));
	bool		isnull;

	region->name = meta_text_column(tuple, REGIONS_NAME, rel);
	region->id = DatumGetInt32(meta_column(tuple, REGIONS_ID, rel, &isnull));
	region->server = DatumGetObjectId(meta_column(tuple, REGIONS_SERVER, rel,
												  &isnull));
	return region;
}
