/*-------------------------------------------------------------------------
 *
 * capacity_share.c
 *	  Nodes of a cluster tell one another what was taken from a table.
 *
 * Each node has a bucket of a distributed table, or of its index, which fills
 * as if there were no other.  The coordinator asks all nodes each second what
 * they have taken, and with the same call tells them what the others had taken
 * before; each takes that from its own bucket.  So all nodes together give what
 * the table has.  A node gives too much only until it hears of the others, and
 * its bucket owes that then.  Where a call fails, what it would have told is
 * forgotten.
 *
 * Partition keys need none of it: one node has all items of a key.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "capacity/capacity_internal.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* What is told of a bucket: so many numbers, one after the other. */
enum
{
	TOLD_GROUP,					/* the node, Citus' number */
	TOLD_TABLE_HIGH,
	TOLD_TABLE_LOW,
	TOLD_INDEX,
	TOLD_KIND,
	TOLD_UNITS,
	TOLD_RATE,
	TOLD_DEPTH,
	TOLD_SINCE,
	TOLD
};

#define NOTHING	"{}"

#define EXCHANGE \
	"SELECT pg_catalog.concat('{', pg_catalog.string_agg(" \
	"NULLIF(pg_catalog.btrim(n.result, '{}'), ''), ','), '}') " \
	"FROM pg_catalog.run_command_on_all_nodes(pg_catalog.format(" \
	"'SELECT dynamo_internal.exchange_throughput(%L)', $1)) AS n WHERE n.success"

PG_FUNCTION_INFO_V1(dynamo_exchange_throughput);

static void hear(const Datum *numbers);
static Datum tell(int32 group);
static void append(ArrayBuildState *all, double number);

/*
 * Have all nodes tell one another what they have taken.  For the coordinator,
 * each second.
 */
void
capacity_exchange(void)
{
	static char *told = NULL;	/* with the last call */
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(told ? told : NOTHING);
	char	   *text = NOTHING;

	if (told != NULL)
		pfree(told);
	told = NULL;
	shard_run_as_owner(EXCHANGE, 1, &type, &value, meta_take_text, &text);
	told = MemoryContextStrdup(TopMemoryContext, text);
}

/*
 * exchange_throughput(told): what other nodes have taken, and this one; gives
 * what this one has taken since the last call.
 */
Datum
dynamo_exchange_throughput(PG_FUNCTION_ARGS)
{
	ArrayType  *told = PG_GETARG_ARRAYTYPE_P(0);
	int32		group = shard_node_group();
	Datum	   *numbers;
	int			n;

	if (ARR_HASNULL(told) || ARR_NDIM(told) > 1 ||
		ArrayGetNItems(ARR_NDIM(told), ARR_DIMS(told)) % TOLD != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("what was taken of throughputs is %d numbers for each of them",
						TOLD)));
	deconstruct_array(told, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &numbers, NULL, &n);
	for (int i = 0; i < n && capacity_buckets_exist(); i += TOLD)
	{
		if (DatumGetFloat8(numbers[i + TOLD_GROUP]) != group)
			hear(numbers + i);
	}
	PG_RETURN_DATUM(tell(group));
}

/*
 * What another node has taken is missing here, too.
 */
static void
hear(const Datum *numbers)
{
	CapacityTaken taken = {
		.key = {
			.table = (uint64) DatumGetFloat8(numbers[TOLD_TABLE_HIGH]) << 32 |
			(uint64) DatumGetFloat8(numbers[TOLD_TABLE_LOW]),
			.database = MyDatabaseId,
			.index = (int32) DatumGetFloat8(numbers[TOLD_INDEX]),
			.kind = (int32) DatumGetFloat8(numbers[TOLD_KIND]),
			.shared = 1
		},
		.rate = {
			.units = DatumGetFloat8(numbers[TOLD_RATE]),
			.depth = DatumGetFloat8(numbers[TOLD_DEPTH]),
			.since = (TimestampTz) DatumGetFloat8(numbers[TOLD_SINCE])
		},
		.units = DatumGetFloat8(numbers[TOLD_UNITS])
	};

	capacity_spend_elsewhere(&taken);
}

/*
 * What was taken here since the last time, of this database.
 */
static Datum
tell(int32 group)
{
	ArrayBuildState *all = initArrayResult(FLOAT8OID, CurrentMemoryContext,
										   false);
	int			nsets = capacity_sets();

	for (int set = 0; set < nsets; set++)
	{
		CapacityTaken taken[CAPACITY_WAYS];
		int			n = capacity_untold(set, MyDatabaseId, taken);

		for (int i = 0; i < n; i++)
		{
			append(all, group);
			append(all, taken[i].key.table >> 32);
			append(all, taken[i].key.table & PG_UINT32_MAX);
			append(all, taken[i].key.index);
			append(all, taken[i].key.kind);
			append(all, taken[i].units);
			append(all, taken[i].rate.units);
			append(all, taken[i].rate.depth);
			append(all, taken[i].rate.since);
		}
	}
	return makeArrayResult(all, CurrentMemoryContext);
}

static void
append(ArrayBuildState *all, double number)
{
	(void) accumArrayResult(all, Float8GetDatum(number), false, FLOAT8OID,
							CurrentMemoryContext);
}
