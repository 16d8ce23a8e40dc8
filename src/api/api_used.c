/*-------------------------------------------------------------------------
 *
 * api_used.c
 *	  What a request has read and written, for the statistics.
 *
 * It is noted where it is done, whether or not the client wants to see
 * ConsumedCapacity, which comes from the same functions (capacity_consumed.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"
#include "utils/memutils.h"

/* The bit of the table's own keys; those of indexes come before. */
#define TABLE_KEYS	31

StaticAssertDecl(DYNAMO_MAX_GSI + DYNAMO_MAX_LSI < TABLE_KEYS,
				 "each index has a bit");

static inline bool is_counted(const DynamoRequest *request);
static inline uint32 key_bit(const TableDef *def, const IndexDef *index);
static void find_keys(const TableDef *def);
static const char *insights_mode(const char *settings);
static StatsKeyPart key_part(const ItemValue *value);

static inline bool
is_counted(const DynamoRequest *request)
{
	return request != NULL && stats_counting(request->stats);
}

/*
 * One item read by its key; NULL: it was missing.
 */
void
api_count_get(const DynamoRequest *request, const TableDef *def,
			  const TableKey *key, const Item *item, double factor)
{
	if (!is_counted(request))
		return;
	api_count_key(def, NULL, STATS_KEY_ACCESSED, &key->hash, &key->range);
	stats_count(request->stats, stats_table(def->stats), InvalidOid,
				item != NULL,
				2 * factor * capacity_read_units(item), 0);
}

/*
 * One item written, as for capacity_charge_write().
 */
void
api_count_write(const DynamoRequest *request, const TableDef *def,
				const TableKey *key, const Item *old_item,
				const Item *new_item, double factor)
{
	CapacityConsumed *consumed;

	if (!is_counted(request))
		return;
	api_count_key(def, NULL, STATS_KEY_ACCESSED, &key->hash, &key->range);
	if (def->nindexes == 0)
	{
		stats_count(request->stats, stats_table(def->stats), InvalidOid, 0, 0,
					2 * factor * capacity_write_units(old_item, new_item));
		return;
	}
	consumed = capacity_consumed(def->name, def);
	capacity_charge_write(consumed, old_item, new_item, factor);
	api_count_account(request, consumed, 0, true);
}

/*
 * What a table's account has come to, and the items it gave: of its only index,
 * if one was touched.
 */
void
api_count_account(const DynamoRequest *request,
				  const CapacityConsumed *consumed, int64 returned,
				  bool written)
{
	const TableDef *def = consumed->def;
	uint32		halves = 2 * consumed->table;
	StatsTable *table;

	if (!is_counted(request))
		return;
	table = stats_table(def->stats);
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];
		uint32		used = 2 * consumed->indexes[i];

		if (!consumed->touched[i] || table == NULL)
			halves += used;
		else
		{
			stats_count(request->stats, table,
						OidIsValid(index->counted) ? index->counted : index->relid,
						returned, written ? 0 : used, written ? used : 0);
			returned = 0;
		}
	}
	stats_count(request->stats, table, InvalidOid, returned,
				written ? 0 : halves,
				written ? halves : 0);
}

/*
 * The partition that a Query reads, of the table or of a global index.
 */
void
api_count_partition(const DynamoRequest *request, const ApiTarget *target,
					const EngineScanSpec *spec)
{
	bool global = target->index != NULL && !target->index->local;

	if (is_counted(request) && spec->nhash == 1)
		api_count_key(target->def, global ? target->index : NULL,
					  STATS_KEY_ACCESSED, &spec->hash[0], NULL);
}

/*
 * A row that a stream of items has read, one that a page does not account for.
 */
void
api_tally_row(ApiTally *tally, const ApiRow *row, bool get)
{
	if (!tally->wanted)
		return;
	if (get || row->fetched)
		tally->gets += capacity_read_units(row->stored);
	if (!get && row->entry)
		tally->bytes += item_size(row->entry);
	if (row->item)
		tally->returned++;
}

/*
 * Count what it has come to.  "target" is what was read.
 */
void
api_count_tally(const DynamoRequest *request, const ApiTally *tally,
				const ApiTarget *target, bool gets)
{
	CapacityConsumed *consumed;

	if (!tally->wanted || !is_counted(request))
		return;
	consumed = capacity_consumed(target->def->name, target->def);
	consumed->table = tally->gets * 0.5;
	if (!gets)
		capacity_charge_scan(consumed, target->index ?
							 target->index - target->def->indexes : -1,
							 tally->bytes, 0.5);
	api_count_account(request, consumed, tally->returned, false);
}

static inline uint32
key_bit(const TableDef *def, const IndexDef *index)
{
	return (uint32) 1 << (index ? index - def->indexes : TABLE_KEYS);
}

/*
 * Are keys of the table, or of an index of it (NULL: of none), to be counted?
 */
bool
api_counts_keys(const TableDef *def, const IndexDef *index)
{
	StatsRef   *ref = def->stats;

	if (!ref->keys_known)
		find_keys(def);
	return ((ref->accessed_keys | ref->throttled_keys) &
			key_bit(def, index)) != 0;
}

/*
 * A key of the table, or of an index of it (NULL: of none), was accessed or
 * throttled.  "range" may have no data.
 */
void
api_count_key(const TableDef *def, const IndexDef *index, StatsKeyEvent event,
			  const ItemValue *hash, const ItemValue *range)
{
	StatsRef   *ref = def->stats;
	uint32		bit = key_bit(def, index);
	StatsKey	key = {0};

	if (!ref->keys_known)
		find_keys(def);
	if (((event == STATS_KEY_ACCESSED ? ref->accessed_keys :
		  ref->throttled_keys) & bit) == 0)
		return;
	key.parts[0] = key_part(hash);
	if (range != NULL && range->data != NULL)
		key.parts[1] = key_part(range);
	stats_count_key(&ref->id, index ? index->relid : InvalidOid, event, &key);
}

/*
 * Whose keys are to be counted stands in the settings.
 */
static void
find_keys(const TableDef *def)
{
	StatsRef   *ref = def->stats;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo settings",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);

	for (int i = 0; i <= def->nindexes; i++)
	{
		bool		table = i == def->nindexes;
		const char *mode = insights_mode(table ? def->settings :
										 def->indexes[i].settings);
		uint32		bit = (uint32) 1 << (table ? TABLE_KEYS : i);

		if (mode == NULL)
			continue;
		ref->throttled_keys |= bit;
		if (strcmp(mode, "ACCESSED_AND_THROTTLED_KEYS") == 0)
			ref->accessed_keys |= bit;
	}
	ref->keys_known = true;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}

/*
 * NULL: Contributor Insights are off.
 */
static const char *
insights_mode(const char *settings)
{
	json_error_t error;
	json_t	   *insights;

	if (settings == NULL || strstr(settings, "ContributorInsights") == NULL)
		return NULL;
	insights = json_object_get(codec_load(settings, strlen(settings),
											  &error), "ContributorInsights");
	if (!json_is_true(json_object_get(insights, "Enabled")))
		return NULL;
	return json_string_value(json_object_get(insights, "Mode"));
}

static StatsKeyPart
key_part(const ItemValue *value)
{
	StatsKeyPart part = {value->type, value->len, value->data};

	return part;
}
