/*-------------------------------------------------------------------------
 *
 * api_used.c
 *	  What a request has read and written, for the statistics.
 *
 * It is noted where it is done, whether or not the client wants to see
 * ConsumedCapacity, which comes from the same functions (api_capacity.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"

/*
 * One item read by its key; NULL: it was missing.
 */
void
api_count_get(const TableDef *def, const Item *item, double factor)
{
	if (stats_counting())
		stats_count(stats_table(def->stats), InvalidOid, item != NULL,
					2 * factor * api_read_units(item), 0);
}

/*
 * One item written, as for api_charge_write().
 */
void
api_count_write(const TableDef *def, const Item *old_item,
				const Item *new_item, double factor)
{
	ApiConsumed *consumed;

	if (!stats_counting())
		return;
	if (def->nindexes == 0)
	{
		stats_count(stats_table(def->stats), InvalidOid, 0, 0,
					2 * factor * api_write_units(old_item, new_item));
		return;
	}
	consumed = api_consumed(def->name, def);
	api_charge_write(consumed, old_item, new_item, factor);
	api_count_account(consumed, 0, true);
}

/*
 * What a table's account has come to, and the items it gave: of its only index,
 * if one was touched.
 */
void
api_count_account(const ApiConsumed *consumed, int64 returned, bool written)
{
	const TableDef *def = consumed->def;
	uint32		halves = 2 * consumed->table;
	StatsTable *table;

	if (!stats_counting())
		return;
	table = stats_table(def->stats);
	for (int i = 0; i < def->nindexes; i++)
	{
		uint32		used = 2 * consumed->indexes[i];

		if (!consumed->touched[i] || table == NULL)
			halves += used;
		else
		{
			stats_count(table, def->indexes[i].relid, returned,
						written ? 0 : used, written ? used : 0);
			returned = 0;
		}
	}
	stats_count(table, InvalidOid, returned, written ? 0 : halves,
				written ? halves : 0);
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
		tally->gets += api_read_units(row->stored);
	if (!get && row->entry)
		tally->bytes += item_size(row->entry);
	if (row->item)
		tally->returned++;
}

/*
 * Count what it has come to.  "target" is what was read.
 */
void
api_count_tally(const ApiTally *tally, const ApiTarget *target, bool gets)
{
	ApiConsumed *consumed;

	if (!tally->wanted || !stats_counting())
		return;
	consumed = api_consumed(target->def->name, target->def);
	consumed->table = tally->gets * 0.5;
	if (!gets)
		api_charge_scan(consumed, target->index ?
						target->index - target->def->indexes : -1,
						tally->bytes, 0.5);
	api_count_account(consumed, tally->returned, false);
}
