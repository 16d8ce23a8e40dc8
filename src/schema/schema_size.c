/*-------------------------------------------------------------------------
 *
 * schema_size.c
 *	  How large tables and indexes are, and how many entries they have.
 *
 * These are estimates, as PostgreSQL has them without reading anything: what
 * the last VACUUM or ANALYZE has counted, scaled to the size that the relation
 * has now.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "schema/schema_internal.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

/*
 * The sizes of a table and, after it, of its indexes in the order of the
 * definition, vector indexes last.  One that cannot be read has none.
 */
SchemaSize *
schema_table_sizes(const TableDef *def)
{
	SchemaSize *sizes;

	if (def->distributed)
		return schema_cluster.sizes(def);
	sizes = palloc0(sizeof(SchemaSize) *
					(1 + def->nindexes + def->nvectors));
	schema_relation_size(def->relid, &sizes[0]);
	for (int i = 0; i < def->nindexes + def->nvectors; i++)
		schema_relation_size(schema_index_at(def, i)->relid, &sizes[1 + i]);
	return sizes;
}

/*
 * Nothing for a relation that is not there.
 */
void
schema_relation_size(Oid relid, SchemaSize *size)
{
	Relation	rel = NULL;

	if (OidIsValid(relid))
		rel = try_relation_open(relid, AccessShareLock);
	if (rel == NULL)
		return;
	if (RELKIND_HAS_STORAGE(rel->rd_rel->relkind))
	{
		BlockNumber blocks = RelationGetNumberOfBlocks(rel);
		double		entries = Max(rel->rd_rel->reltuples, 0);

		if (rel->rd_rel->relpages != 0)
			entries *= (double) blocks / (BlockNumber) rel->rd_rel->relpages;
		size->entries += entries;

		/* An index without entries still has its meta page. */
		if (entries > 0 || rel->rd_rel->relkind != RELKIND_INDEX)
			size->bytes += (double) blocks * BLCKSZ;
	}
	relation_close(rel, AccessShareLock);
}
