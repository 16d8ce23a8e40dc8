/*-------------------------------------------------------------------------
 *
 * shard_size.c
 *	  How large distributed tables and their indexes are, and how many entries
 *	  they have.
 *
 * These are sums over the shards (schema_size.c).  Each node is asked for
 * those that it has.  What they said is kept for a while, so that describing a
 * table often costs the others nothing, and a node that is down is waited for
 * seldom.  One that does not answer, or where somebody changes the table at
 * this moment, is left out if nothing is known from before.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "shard/shard_internal.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Milliseconds for which the sizes of a distributed table are kept. */
#define KEPT		10000

/* ... and to wait for a connection to another node. */
#define PATIENCE	"1s"

PG_FUNCTION_INFO_V1(dynamo_shard_sizes);

/* What the nodes said of a distributed table. */
typedef struct Kept
{
	DynamoKnown known;
	int64		at;				/* by dynamo_clock() */
	int			n;
	SchemaSize *sizes;			/* of the table and its indexes; in
								 * CacheMemoryContext; NULL: none */
} Kept;

/* Sums of what the nodes say. */
typedef struct Sum
{
	int			n;
	SchemaSize *sizes;
	bool		whole;			/* nobody was missing */
} Sum;

static bool ask_nodes(const TableDef *def, Sum *sum);
static void add_node(HeapTuple row, TupleDesc desc, void *sum);
static Datum index_names(const TableDef *def);
static void release(void *entry);
static void relation_changed(Oid relid);
static bool add_shard(const TableDef *def, Oid relid, ArrayType *indexes,
					  Datum *sums);

static DynamoCache kept_sizes = {
	.name = "dynamo sizes",.entry_size = sizeof(Kept),
	.watcher = relation_changed, .release = release
};

/*
 * The sizes of a table and, after it, of its indexes in the order of the
 * definition, vector indexes last.
 */
SchemaSize *
shard_sizes(const TableDef *def)
{
	int			n = 1 + def->nindexes + def->nvectors;
	Size		length = sizeof(SchemaSize) * n;
	Kept	   *kept = dynamo_cache_get(&kept_sizes, def->relid);
	Sum			sum = {.n = n, .sizes = palloc0(length)};

	if (kept->known.valid && kept->n == n &&
		dynamo_clock() - kept->at <= KEPT)
	{
		memcpy(sum.sizes, kept->sizes, length);
		return sum.sizes;
	}
	if (!ask_nodes(def, &sum) && kept->sizes != NULL && kept->n == n)
		memcpy(sum.sizes, kept->sizes, length);
	kept = dynamo_cache_get(&kept_sizes, def->relid);
	if (kept->sizes == NULL || kept->n != n)
	{
		if (kept->sizes != NULL)
			pfree(kept->sizes);
		kept->sizes = NULL;
		kept->sizes = MemoryContextAlloc(CacheMemoryContext, length);
		kept->n = n;
	}
	memcpy(kept->sizes, sum.sizes, length);
	kept->at = dynamo_clock();
	kept->known.valid = true;
	return sum.sizes;
}

/*
 * Have all nodes answered?
 */
static bool
ask_nodes(const TableDef *def, Sum *sum)
{
	Oid			types[] = {TEXTOID, TEXTARRAYOID};
	Datum		values[] = {CStringGetTextDatum(def->name), index_names(def)};
	int			nest_level = NewGUCNestLevel();

	(void) set_config_option("citus.node_connection_timeout", PATIENCE,
							 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	sum->whole = true;
	shard_run_as_owner("SELECT CASE WHEN n.success THEN NULLIF(n.result, '')::pg_catalog.float8[] END "
					   "FROM pg_catalog.run_command_on_all_nodes(pg_catalog.format("
					   "'SELECT dynamo_internal.shard_sizes(%L, %L)', $1, $2::pg_catalog.text)) AS n",
					   lengthof(types), types, values, add_node, sum);
	AtEOXact_GUC(true, nest_level);
	return sum->whole;
}

static void
add_node(HeapTuple row, TupleDesc desc, void *arg)
{
	Sum		   *sum = arg;
	bool		isnull;
	Datum		value = heap_getattr(row, 1, desc, &isnull);
	Datum	   *elements;
	int			n;

	if (isnull)
	{
		sum->whole = false;
		return;
	}
	deconstruct_array(DatumGetArrayTypeP(value), FLOAT8OID, sizeof(float8),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &elements, NULL, &n);
	if (n != 2 * sum->n)
		sum->whole = false;
	for (int i = 0; i < Min(n / 2, sum->n); i++)
	{
		sum->sizes[i].bytes += DatumGetFloat8(elements[2 * i]);
		sum->sizes[i].entries += DatumGetFloat8(elements[2 * i + 1]);
	}
}

static Datum
index_names(const TableDef *def)
{
	int			n = def->nindexes + def->nvectors;
	Datum	   *names = palloc(sizeof(Datum) * Max(n, 1));

	for (int i = 0; i < n; i++)
		names[i] = CStringGetTextDatum(schema_index_at(def, i)->name);
	return PointerGetDatum(construct_array(names, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

static void
release(void *entry)
{
	Kept	   *kept = entry;

	if (kept->sizes != NULL)
		pfree(kept->sizes);
}

/*
 * A table has changed; InvalidOid stands for every relation, but not for their
 * sizes.
 */
static void
relation_changed(Oid relid)
{
	Kept	   *kept = dynamo_cache_look(&kept_sizes, relid);

	if (kept != NULL)
		kept->known.valid = false;
}

/*
 * shard_sizes(table_name, index_names): bytes and entries of the shards of a
 * distributed table that are on this node, then those of its indexes.  Null:
 * somebody has locked one of them.
 */
Datum
dynamo_shard_sizes(PG_FUNCTION_ARGS)
{
	const TableDef *def = schema_find_table(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ArrayType  *indexes = PG_GETARG_ARRAYTYPE_P(1);
	int			n = 2 * (1 + ArrayGetNItems(ARR_NDIM(indexes),
											ARR_DIMS(indexes)));
	Datum	   *sums = palloc(sizeof(Datum) * n);
	ListCell   *lc;

	if (ARR_HASNULL(indexes))
		PG_RETURN_NULL();
	for (int i = 0; i < n; i++)
		sums[i] = Float8GetDatum(0);
	if (def != NULL && def->distributed)
	{
		foreach(lc, shard_all_here(def))
		{
			CHECK_FOR_INTERRUPTS();
			if (!add_shard(def, lfirst_oid(lc), indexes, sums))
				PG_RETURN_NULL();
		}
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(sums, n, FLOAT8OID, sizeof(float8),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/*
 * Nobody is waited for: it may be a transaction that waits for us.
 */
static bool
add_shard(const TableDef *def, Oid relid, ArrayType *indexes, Datum *sums)
{
	const TableDef *shard;
	SchemaSize	size = {0};
	Datum	   *names;
	int			n;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return false;
	if (get_rel_relkind(relid) == '\0')
		return true;			/* moved away, or dropped */
	shard = shard_definition(def, relid);
	schema_relation_size(relid, &size);
	deconstruct_array(indexes, TEXTOID, -1, false, TYPALIGN_INT, &names, NULL,
					  &n);
	for (int i = -1; i < n; i++)
	{
		Datum	   *sum = &sums[2 * (1 + i)];

		if (i >= 0)
		{
			const char *name = TextDatumGetCString(names[i]);
			const IndexDef *index = schema_find_index(shard, name);

			if (index == NULL)
				index = schema_find_vector(shard, name);

			size = (SchemaSize)
			{
				0
			};
			if (index != NULL)
				schema_relation_size(index->relid, &size);
		}
		sum[0] = Float8GetDatum(DatumGetFloat8(sum[0]) + size.bytes);
		sum[1] = Float8GetDatum(DatumGetFloat8(sum[1]) + size.entries);
	}
	return true;
}
