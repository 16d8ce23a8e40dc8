/*-------------------------------------------------------------------------
 *
 * capacity_limit.c
 *	  What limits a table, an index, a partition key, and whether a demand is
 *	  within it.
 *
 * A table or global index on provisioned throughput has a bucket of 300
 * seconds for reads and one for writes.  One on demand has them where
 * OnDemandThroughput names a maximum, and they hold a second.  Each partition
 * key has those of a partition, which are the same for all.  Local indexes
 * live on the throughput of their table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "capacity/capacity_internal.h"
#include "codec/codec.h"
#include "common/hashfn.h"
#include "item/item.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

/* Seconds of unused throughput that are kept. */
#define BURST	300

/* The numbers of a table or index, read from its settings. */
typedef struct Limits
{
	Oid			relid;			/* of the table; InvalidOid: free */
	int			index;			/* IndexDef.ordinal; 0: the table */
	char	   *settings;		/* of which these are the numbers */
	bool		on_demand;
	double		provisioned[CAPACITY_KINDS];
	double		maximum[CAPACITY_KINDS];	/* 0: none */
} Limits;

/* Those read last, by relation and index. */
#define CACHED	64

bool		capacity_enforced = false;

/* What one partition gives, in units a second. */
static const double partition_units[CAPACITY_KINDS] = {
	[CAPACITY_READ] = 3000,
	[CAPACITY_WRITE] = 1000,
};

/* A bucket that a demand is to be met from, and what it means if it is empty. */
typedef struct Source
{
	CapacityKey key;
	CapacityRate rate;
	CapacityRefusal refusal;
} Source;

#define MAX_SOURCES	2

static int	find_sources(const CapacityDemand *demand, Source *sources);
static uint64 table_hash(const TableDef *def);
static const Limits *limits_of(const TableDef *def, const IndexDef *index);
static void read_limits(Limits *limits, const char *settings);
static double limit_units(const json_t *settings, const char *object,
						  const char *member);

/*
 * Defines the setting, and asks for shared memory.
 */
void
capacity_init(void)
{
	DefineCustomBoolVariable("dynamo.enforce_throughput",
							 "Throttles requests beyond the throughput of tables and indexes.",
							 "Provisioned throughput, the maxima of tables on demand, and what one partition key can have. Only where the server preloads dynamo, and by dynamo.call and HTTP.",
							 &capacity_enforced, false, PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.auto_scaling_period",
							"Length of the periods by which throughput is scaled.",
							"Two periods above the target scale out, fifteen below it scale in.",
							&capacity_period, 60000, 100, 3600000, PGC_SIGHUP,
							GUC_UNIT_MS, NULL, NULL, NULL);
	capacity_bucket_init();
}

bool
capacity_is_on_demand(const TableDef *def)
{
	return limits_of(def, NULL)->on_demand;
}

/*
 * Units a second that a table or a global index may have; 0: as many as there
 * are.
 */
double
capacity_limit(const TableDef *def, const IndexDef *index, CapacityKind kind)
{
	bool		on_demand = capacity_is_on_demand(def);
	const Limits *limits = limits_of(def, index);

	return on_demand ? limits->maximum[kind] : limits->provisioned[kind];
}

/*
 * Is there a token for the demand?  Takes none.
 */
CapacityRefusal
capacity_ask(const CapacityDemand *demand)
{
	Source		sources[MAX_SOURCES];
	int			n = find_sources(demand, sources);

	for (int i = 0; i < n; i++)
	{
		if (capacity_tokens(&sources[i].key, &sources[i].rate) <= 0)
			return sources[i].refusal;
	}
	return CAPACITY_ADMITTED;
}

/*
 * Take the units of a demand, also where there are not so many.
 */
void
capacity_take(const CapacityDemand *demand)
{
	Source		sources[MAX_SOURCES];
	int			n = find_sources(demand, sources);

	for (int i = 0; i < n; i++)
		capacity_spend(&sources[i].key, &sources[i].rate, demand->units);
}

/*
 * Units a second taken in each of the last CAPACITY_PERIODS, the latest first;
 * negative: not known.  False: no limit is enforced, and nothing is known.
 */
bool
capacity_history(const TableDef *def, const IndexDef *index, CapacityKind kind,
				 double *history)
{
	CapacityDemand demand = {.def = def, .index = index, .kind = kind};
	Source		sources[MAX_SOURCES];

	if (find_sources(&demand, sources) == 0)
		return false;
	capacity_look_back(&sources[0].key, &sources[0].rate, history);
	return true;
}

/*
 * The buckets that a demand is to be met from: that of the table or index,
 * and that of the partition key.
 */
static int
find_sources(const CapacityDemand *demand, Source *sources)
{
	bool		on_demand;
	double		limit;
	CapacityKey key = {
		.table = table_hash(demand->def),
		.database = MyDatabaseId,
		.index = demand->index ? demand->index->ordinal : 0,
		.kind = demand->kind,
		.shared = demand->def->checked ? 1 : 0,
	};
	int			n = 0;

	if (!capacity_enforced || !capacity_buckets_exist())
		return 0;
	on_demand = capacity_is_on_demand(demand->def);
	limit = capacity_limit(demand->def, demand->index, demand->kind);
	if (limit > 0)
		sources[n++] = (Source)
	{
		key,
		{
			limit, on_demand ? 1 : BURST, demand->def->created_at
		},
			on_demand ? CAPACITY_ON_DEMAND_MAXIMUM : CAPACITY_PROVISIONED
	};
	if (demand->partition != 0)
	{
		key.partition = demand->partition;
		sources[n++] = (Source)
		{
			key,
			{
				partition_units[demand->kind], 1, demand->def->created_at
			}, CAPACITY_KEY_RANGE
		};
	}
	return n;
}

/*
 * All shards of a table have its TableId, on all nodes.
 */
static uint64
table_hash(const TableDef *def)
{
	return hash_bytes_extended((const unsigned char *) def->table_id,
							   strlen(def->table_id), 0);
}

/*
 * The numbers are read anew when the settings are others.  They are good until
 * the next call.
 */
static const Limits *
limits_of(const TableDef *def, const IndexDef *index)
{
	static Limits cache[CACHED];
	int			ordinal = index ? index->ordinal : 0;
	const char *settings = index ? index->settings : def->settings;
	Limits	   *limits = &cache[(def->relid + ordinal) % CACHED];

	if (limits->relid == def->relid && limits->index == ordinal &&
		strcmp(limits->settings, settings) == 0)
		return limits;
	if (limits->settings != NULL)
		pfree(limits->settings);
	memset(limits, 0, sizeof(*limits));
	read_limits(limits, settings);
	limits->settings = MemoryContextStrdup(TopMemoryContext, settings);
	limits->index = ordinal;
	limits->relid = def->relid;
	return limits;
}

static void
read_limits(Limits *limits, const char *settings)
{
	json_error_t error;
	const json_t *object = codec_load(settings, strlen(settings), &error);
	const char *mode = json_string_value(json_object_get(object,
														 "BillingMode"));

	limits->on_demand = mode && strcmp(mode, "PAY_PER_REQUEST") == 0;
	limits->provisioned[CAPACITY_READ] =
		limit_units(object, "ProvisionedThroughput", "ReadCapacityUnits");
	limits->provisioned[CAPACITY_WRITE] =
		limit_units(object, "ProvisionedThroughput", "WriteCapacityUnits");
	limits->maximum[CAPACITY_READ] =
		limit_units(object, "OnDemandThroughput", "MaxReadRequestUnits");
	limits->maximum[CAPACITY_WRITE] =
		limit_units(object, "OnDemandThroughput", "MaxWriteRequestUnits");
}

/*
 * A number of units; those that are not there, or are no limit (-1), are 0.
 */
static double
limit_units(const json_t *settings, const char *object, const char *member)
{
	const json_t *number = json_object_get(json_object_get(settings, object),
										   member);

	return Max(json_number_value(number), 0);
}
