/*-------------------------------------------------------------------------
 *
 * schema_citus.c
 *	  Has Citus taken the relation of a table?
 *
 * Of a relation that Citus distributes, or replicates, the server keeps an
 * empty shell under the old name; the rows are in relations of other names.
 * Citus' planner leads plain SQL to them.  The engine, which goes to the
 * relation itself, would read and write the shell beside them.
 *
 * Such relations stand in Citus' table pg_dist_partition.  Citus sends a
 * relcache message when it puts one there or takes it away, so the answer can
 * be part of a cached definition.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "schema/schema_internal.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#define CITUS_EXTENSION		"citus"
#define CITUS_TABLES		"pg_dist_partition"
#define CITUS_RELATION		"logicalrelid"

static Oid	citus_tables(void);
static bool names_relation(Relation tables, Oid relid);

bool
schema_is_distributed(Oid relid)
{
	Oid			tables_relid = citus_tables();
	Relation	tables;
	bool		distributed;

	if (!OidIsValid(tables_relid))
		return false;
	tables = try_table_open(tables_relid, AccessShareLock);
	if (tables == NULL)
		return false;			/* Citus is just being dropped */
	distributed = names_relation(tables, relid);
	table_close(tables, AccessShareLock);
	return distributed;
}

/*
 * The table of Citus, InvalidOid where there is none.  One that has its name
 * only is somebody else's.
 */
static Oid
citus_tables(void)
{
	Oid			extension = get_extension_oid(CITUS_EXTENSION, true);
	Oid			relid;

	if (!OidIsValid(extension))
		return InvalidOid;
	relid = get_relname_relid(CITUS_TABLES, PG_CATALOG_NAMESPACE);
	if (!OidIsValid(relid) ||
		getExtensionOfObject(RelationRelationId, relid) != extension)
		return InvalidOid;
	return relid;
}

/*
 * Does a row name the relation?  They are as many as Citus has tables.
 */
static bool
names_relation(Relation tables, Oid relid)
{
	AttrNumber	column = get_attnum(RelationGetRelid(tables), CITUS_RELATION);
	ScanKeyData key;
	SysScanDesc scan;
	bool		found;

	if (column == InvalidAttrNumber ||
		get_atttype(RelationGetRelid(tables), column) != REGCLASSOID)
		return false;
	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(tables, InvalidOid, false, NULL, 1, &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	return found;
}
