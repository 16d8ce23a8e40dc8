/*-------------------------------------------------------------------------
 *
 * monitor_keys.c
 *	  DescribeHotKeys: the keys of a table, or of an index, that are asked for
 *	  most, and those that are throttled most.
 *
 * Keys are data: it takes what reading all items takes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_tables.h"
#include "mb/pg_wchar.h"
#include "monitor/monitor.h"
#include "shard/shard.h"
#include "utils/rls.h"

typedef struct KeysRequest
{
	const char *table;
	const char *index;
	WireBoolean all_nodes;
} KeysRequest;

static const WireShape index_name_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(DYNAMO_MIN_NAME, DYNAMO_MAX_NAME),
	.pattern = true, .names = WIRE_NAMES_INDEX
};

WIRE_REQUEST_SHAPE(monitor_keys_shape, KeysRequest, "DescribeHotKeysInput",
				   WIRE_REQUIRED("TableName", wire_table_name_shape, KeysRequest, table),
				   WIRE_FIELD("IndexName", index_name_shape, KeysRequest, index),
				   WIRE_FIELD("AllNodes", wire_boolean_shape, KeysRequest, all_nodes));

static const IndexDef *find_index(const TableDef *def, const char *name);
static void append_key(StringInfo out, const char *event,
					   const StatsKeyCount *count);

/*
 * Which keys there are is more than policies of rows would show.
 */
EngineTable *
monitor_open_keys(DynamoRequest *request, const char *table_name)
{
	EngineTable *table = engine_open(request, table_name, ENGINE_SCAN);
	const TableDef *def = engine_def(table);

	if (check_enable_rls(def->relid, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for the keys of table \"%s\"",
						def->name),
				 errdetail("Policies of its relation apply to the role.")));
	return table;
}

/*
 * What was kept of a long one ends in "...".
 */
const char *
monitor_key_part(const StatsKeyCount *count, int n)
{
	ItemValue	value = {count->types[n], count->lens[n], count->data[n]};
	StringInfoData out;

	if (count->lens[n] == 0)
		return NULL;
	initStringInfo(&out);
	if (count->lens[n] > STATS_KEY_BYTES && value.type == ITEM_S)
	{
		int			len = pg_encoding_mbcliplen(PG_UTF8, value.data,
												STATS_KEY_BYTES,
												STATS_KEY_BYTES - 3);

		value = item_string(psprintf("%s...", pnstrdup(value.data, len)),
							len + 3);
	}
	else if (count->lens[n] > STATS_KEY_BYTES)
		value.len = STATS_KEY_BYTES;
	codec_append_value(&out, &value);
	return out.data;
}

void
monitor_describe_keys(DynamoRequest *request, StringInfo out)
{
	static const char *const events[] = {"accessed", "throttled"};
	const KeysRequest *r = request->input;
	EngineTable *table = monitor_open_keys(request, wire_table_name(r->table));
	const TableDef *def = engine_def(table);
	const IndexDef *index = r->index ? find_index(def, r->index) : NULL;

	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName", def->name);
	if (index != NULL)
		wire_string_member(out, "IndexName", index->name);
	wire_member(out, "Keys");
	appendStringInfoChar(out, '[');
	for (int event = 0; event < STATS_KEY_EVENTS; event++)
	{
		for (int level = 0; level < STATS_KEY_LEVELS; level++)
		{
			StatsKeyCount counts[STATS_SKETCH_KEYS];
			int			n = stats_copy_keys(&def->stats->id,
											index ? index->relid : InvalidOid,
											event, level, counts);

			for (int i = 0; i < Min(n, MONITOR_MAX_KEYS); i++)
				append_key(out, events[event], &counts[i]);
		}
	}
	appendStringInfoChar(out, ']');
	if (r->all_nodes == WIRE_TRUE && def->distributed)
		shard_append_answers(request, out, "DescribeHotKeys");
	appendStringInfoChar(out, '}');
	engine_close(table);
}

/*
 * One that is not built yet is not found.
 */
static const IndexDef *
find_index(const TableDef *def, const char *name)
{
	const IndexDef *index = schema_find_index(def, name);

	if (index == NULL || !OidIsValid(index->relid))
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Index: %s not found for table: %s", name,
					 def->name);
	return index;
}

static void
append_key(StringInfo out, const char *event, const StatsKeyCount *count)
{
	static const char *const members[] = {"PartitionKey", "SortKey"};

	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Event", event);
	for (int i = 0; i < lengthof(members); i++)
	{
		const char *part = monitor_key_part(count, i);

		if (part == NULL)
			continue;
		wire_member(out, members[i]);
		appendStringInfoString(out, part);
	}
	wire_integer_member(out, "Requests", count->count);
	wire_integer_member(out, "Error", count->error);
	appendStringInfoChar(out, '}');
}
