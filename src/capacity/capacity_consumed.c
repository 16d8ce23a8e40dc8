/*-------------------------------------------------------------------------
 *
 * capacity_consumed.c
 *	  ConsumedCapacity and ItemCollectionMetrics.
 *
 * A table's account of one request has an arm for the table and one for each
 * index.  Reads are charged by 4 KB, writes by 1 KB, of whole items: neither
 * filter nor projection makes them cheaper.  An index is charged for what it
 * carries of an item, and not at all when a write leaves that untouched.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "capacity/capacity_consumed.h"
#include "vector/vector.h"
#include "wire/wire.h"

#define READ_UNIT	4096
#define WRITE_UNIT	1024
#define VECTOR_BYTES	1024	/* a write or search of a vector index, at
								 * least */

/* The collections of one table. */
typedef struct TableMetrics
{
	const char *table_name;
	StringInfoData list;		/* of the JSON array, without brackets */
} TableMetrics;

struct CapacityMetrics
{
	List	   *tables;			/* of TableMetrics * */
};

static void charge_index_write(CapacityConsumed *consumed, int i,
							   const Item *old_item, const Item *new_item);
static bool in_index(const IndexDef *index, const Item *item);
static bool same_index_key(const IndexDef *index, const Item *a,
						   const Item *b);
static bool same_attributes(const KeyAttr *attrs, int n, const Item *a,
							const Item *b);
static bool same_attribute(const char *name, const Item *a, const Item *b);
static uint64 vector_write_bytes(const TableDef *def, const IndexDef *index,
								 const Item *old_item, const Item *new_item);
static double item_units(const Item *item, int unit);
static double whole_units(uint64 bytes, int unit);
static void append_consumed(StringInfo out, CapacityMode mode,
							const CapacityConsumed *consumed);
static void append_units(StringInfo out, const CapacityConsumed *consumed,
						 double value);
static void append_arms(StringInfo out, const CapacityConsumed *consumed,
						const char *name, bool local);
static void append_vectors(StringInfo out, const CapacityConsumed *consumed);

/*
 * Does the request want to see what it consumed?
 */
bool
capacity_is_wanted(CapacityMode mode)
{
	return mode == CAPACITY_MODE_TOTAL || mode == CAPACITY_MODE_INDEXES;
}

/*
 * An empty account of "def" under the name the request gave the table.
 */
CapacityConsumed *
capacity_consumed(const char *table_name, const TableDef *def)
{
	CapacityConsumed *consumed = palloc0(sizeof(CapacityConsumed));

	consumed->table_name = table_name;
	consumed->def = def;
	consumed->indexes = palloc0(sizeof(double) * (def->nindexes + 1));
	consumed->touched = palloc0(sizeof(bool) * (def->nindexes + 1));
	if (def->nvectors > 0)
		consumed->vectors = palloc0(sizeof(uint64) * def->nvectors);
	consumed->partition_arm = -1;
	return consumed;
}

/*
 * One item read by its key; NULL: it was missing.
 */
void
capacity_charge_get(CapacityConsumed *consumed, const Item *item, double factor)
{
	consumed->table += factor * capacity_read_units(item);
}

/*
 * Whole units of an item that is read, and of one that is written.
 */
double
capacity_read_units(const Item *item)
{
	return item_units(item, READ_UNIT);
}

double
capacity_write_units(const Item *old_item, const Item *new_item)
{
	return Max(item_units(old_item, WRITE_UNIT),
			   item_units(new_item, WRITE_UNIT));
}

/*
 * No item's size is four times its packed length, so small ones need not be
 * measured.
 */
static double
item_units(const Item *item, int unit)
{
	if (item == NULL || VARSIZE_ANY_EXHDR(item) <= unit / 4)
		return 1;
	return whole_units(item_size(item), unit);
}

/*
 * A Query or Scan that read "bytes" of the table, or of index "i" (-1: none).
 */
void
capacity_charge_scan(CapacityConsumed *consumed, int i, uint64 bytes, double factor)
{
	double		charge = factor * whole_units(bytes, READ_UNIT);

	if (i < 0)
		consumed->table += charge;
	else
	{
		consumed->indexes[i] += charge;
		consumed->touched[i] = true;
	}
}

/*
 * One item written, from "old_item" (NULL: there was none) to "new_item"
 * (NULL: there is none).  A transaction pays the table's arm twice.
 */
void
capacity_charge_write(CapacityConsumed *consumed, const Item *old_item,
					  const Item *new_item, double factor)
{
	consumed->table += factor * capacity_write_units(old_item, new_item);
	for (int i = 0; i < consumed->def->nindexes; i++)
		charge_index_write(consumed, i, old_item, new_item);
	for (int i = 0; i < consumed->def->nvectors; i++)
		consumed->vectors[i] += vector_write_bytes(consumed->def,
												   &consumed->def->vectors[i],
												   old_item, new_item);
}

/*
 * The bytes that a write takes of a vector index: those of its entry as it is
 * now, or was, if it changes at all.
 */
static uint64
vector_write_bytes(const TableDef *def, const IndexDef *index,
				   const Item *old_item, const Item *new_item)
{
	const Item *old_entry = NULL;
	const Item *new_entry = NULL;
	const Item *entry;
	ItemValue	vector;
	uint64		bytes;

	if (old_item && vector_in_index(index, old_item, NULL))
		old_entry = key_index_entry(def, index, old_item);
	if (new_item && vector_in_index(index, new_item, NULL))
		new_entry = key_index_entry(def, index, new_item);
	if (old_entry && new_entry && item_equal(old_entry, new_entry) &&
		same_attribute(index->vector, old_item, new_item))
		return 0;
	entry = new_entry ? new_entry : old_entry;
	if (entry == NULL)
		return 0;
	bytes = item_size(entry);
	if (item_get(entry, index->vector, strlen(index->vector), &vector))
		bytes -= item_value_size(&vector);
	else
		bytes += strlen(index->vector);
	return Max(bytes + sizeof(float) * index->dimensions, VECTOR_BYTES);
}

/*
 * One write of a batch that was tried and failed: units of the request, but of
 * no arm.
 */
void
capacity_charge_failed(CapacityConsumed *consumed, const Item *old_item,
					   const Item *new_item)
{
	consumed->failed += capacity_write_units(old_item, new_item);
}

/*
 * What writing an item costs at least, whatever was there: a unit of the
 * table, and of each index that carries it.
 */
void
capacity_charge_new(CapacityConsumed *consumed, const Item *item)
{
	consumed->table += 1;
	for (int i = 0; i < consumed->def->nindexes; i++)
		consumed->indexes[i] += in_index(&consumed->def->indexes[i], item);
}

/*
 * What a write costs in one index: entries that come, go or change.
 */
static void
charge_index_write(CapacityConsumed *consumed, int i, const Item *old_item,
				   const Item *new_item)
{
	const TableDef *def = consumed->def;
	const IndexDef *index = &def->indexes[i];
	const Item *old_entry = in_index(index, old_item) ?
		key_index_entry(def, index, old_item) : NULL;
	const Item *new_entry = in_index(index, new_item) ?
		key_index_entry(def, index, new_item) : NULL;
	double		old_units = item_units(old_entry, WRITE_UNIT);
	double		new_units = item_units(new_entry, WRITE_UNIT);
	double		charge;

	if (old_entry == NULL && new_entry == NULL)
		return;
	if (old_entry == NULL)
		charge = new_units;
	else if (new_entry == NULL)
		charge = old_units;
	else if (!same_index_key(index, old_item, new_item))
		charge = old_units + new_units;
	else if (item_equal(old_entry, new_entry))
		return;
	else
		charge = Max(old_units, new_units);
	consumed->indexes[i] += charge;
	consumed->touched[i] = true;
}

/*
 * Does the index carry the item?
 */
static bool
in_index(const IndexDef *index, const Item *item)
{
	ItemValue	value;

	if (item == NULL)
		return false;
	for (int i = 0; i < index->nhash; i++)
	{
		if (!key_attr_value(item, &index->hash[i], &value))
			return false;
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (!key_attr_value(item, &index->range[i], &value))
			return false;
	}
	return true;
}

static bool
same_index_key(const IndexDef *index, const Item *a, const Item *b)
{
	return same_attributes(index->hash, index->nhash, a, b) &&
		same_attributes(index->range, index->nrange, a, b);
}

/*
 * Both items have these attributes.
 */
static bool
same_attributes(const KeyAttr *attrs, int n, const Item *a, const Item *b)
{
	for (int i = 0; i < n; i++)
	{
		if (!same_attribute(attrs[i].name, a, b))
			return false;
	}
	return true;
}

static bool
same_attribute(const char *name, const Item *a, const Item *b)
{
	ItemValue	left;
	ItemValue	right;

	item_get(a, name, strlen(name), &left);
	item_get(b, name, strlen(name), &right);
	return item_value_equal(&left, &right);
}

/*
 * Whole units, at least one.
 */
static double
whole_units(uint64 bytes, int unit)
{
	return Max(1, (bytes + unit - 1) / unit);
}

/*
 * The member ConsumedCapacity of a single operation.
 */
void
capacity_consumed_member(StringInfo out, CapacityMode mode,
						 const CapacityConsumed *consumed)
{
	if (!capacity_is_wanted(mode))
		return;
	wire_member(out, "ConsumedCapacity");
	append_consumed(out, mode, consumed);
}

/*
 * The member ConsumedCapacity of several tables.
 */
void
capacity_consumed_list_member(StringInfo out, CapacityMode mode,
							  const List *consumed)
{
	ListCell   *lc;

	if (!capacity_is_wanted(mode))
		return;
	wire_member(out, "ConsumedCapacity");
	appendStringInfoChar(out, '[');
	foreach(lc, consumed)
	{
		wire_element(out);
		append_consumed(out, mode, lfirst(lc));
	}
	appendStringInfoChar(out, ']');
}

/*
 * One table's account.
 */
static void
append_consumed(StringInfo out, CapacityMode mode,
				const CapacityConsumed *consumed)
{
	double		total = consumed->table + consumed->failed;

	for (int i = 0; i < consumed->def->nindexes; i++)
		total += consumed->indexes[i];

	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName", consumed->table_name);
	append_units(out, consumed, total);
	if (mode == CAPACITY_MODE_INDEXES)
	{
		wire_member(out, "Table");
		appendStringInfoChar(out, '{');
		append_units(out, consumed, consumed->table);
		appendStringInfoChar(out, '}');
		append_arms(out, consumed, "LocalSecondaryIndexes", true);
		append_arms(out, consumed, "GlobalSecondaryIndexes", false);
		append_vectors(out, consumed);
	}
	appendStringInfoChar(out, '}');
}

static void
append_units(StringInfo out, const CapacityConsumed *consumed, double value)
{
	wire_member(out, "CapacityUnits");
	appendStringInfo(out, "%.1f", value);
	if (consumed->kind == CAPACITY_CONSUMED_TRANSACT_READ)
	{
		wire_member(out, "ReadCapacityUnits");
		appendStringInfo(out, "%.1f", value);
	}
	else if (consumed->kind == CAPACITY_CONSUMED_TRANSACT_WRITE)
	{
		wire_member(out, "WriteCapacityUnits");
		appendStringInfo(out, "%.1f", value);
	}
}

/*
 * The arms of the local, or the global, indexes that were touched.
 */
static void
append_arms(StringInfo out, const CapacityConsumed *consumed, const char *name,
			bool local)
{
	bool		any = false;

	for (int i = 0; i < consumed->def->nindexes; i++)
	{
		const IndexDef *index = &consumed->def->indexes[i];

		if (index->local != local || !consumed->touched[i])
			continue;
		if (!any)
		{
			wire_member(out, name);
			appendStringInfoChar(out, '{');
			any = true;
		}
		wire_member(out, index->name);
		appendStringInfoChar(out, '{');
		append_units(out, consumed, consumed->indexes[i]);
		appendStringInfoChar(out, '}');
	}
	if (any)
		appendStringInfoChar(out, '}');
}

/*
 * The arms of the vector indexes whose entries changed.
 */
static void
append_vectors(StringInfo out, const CapacityConsumed *consumed)
{
	bool		any = false;

	for (int i = 0; i < consumed->def->nvectors; i++)
	{
		if (consumed->vectors[i] == 0)
			continue;
		if (!any)
		{
			wire_member(out, "VectorIndexes");
			appendStringInfoChar(out, '{');
			any = true;
		}
		wire_member(out, consumed->def->vectors[i].name);
		appendStringInfoChar(out, '{');
		wire_integer_member(out, "VectorWriteRequestBytes",
							consumed->vectors[i]);
		appendStringInfoChar(out, '}');
	}
	if (any)
		appendStringInfoChar(out, '}');
}

/*
 * The bytes of a search: about what the service says, which depends on the
 * dimensions and on what is returned but vectors.
 */
uint64
capacity_search_bytes(const IndexDef *index, uint64 returned)
{
	return Max((uint64) (17.6 * index->dimensions) + returned, VECTOR_BYTES);
}

/*
 * ItemCollectionMetrics of one item: only tables with a local index have item
 * collections.  The size is an estimate by contract, in gigabytes; what lies
 * under one is [0, 1].  Appends the object without its name.
 */
void
capacity_append_metrics(StringInfo out, const TableDef *def, const Item *item)
{
	ItemValue	hash;

	appendStringInfoChar(out, '{');
	wire_member(out, "ItemCollectionKey");
	appendStringInfoChar(out, '{');
	if (item_get(item, def->hash.name, strlen(def->hash.name), &hash))
	{
		wire_member(out, def->hash.name);
		codec_append_value(out, &hash);
	}
	appendStringInfoChar(out, '}');
	wire_member(out, "SizeEstimateRangeGB");
	appendStringInfoString(out, "[0.0,1.0]}");
}

/*
 * Start collecting metrics of several tables.
 */
CapacityMetrics *
capacity_metrics(void)
{
	return palloc0(sizeof(CapacityMetrics));
}

/*
 * Add the collection of one written item.
 */
void
capacity_metrics_add(CapacityMetrics *metrics, const char *table_name,
					 const TableDef *def, const Item *item)
{
	TableMetrics *table = NULL;
	ListCell   *lc;

	if (def->nlocal == 0)
		return;
	foreach(lc, metrics->tables)
	{
		table = lfirst(lc);
		if (strcmp(table->table_name, table_name) == 0)
			break;
		table = NULL;
	}
	if (table == NULL)
	{
		table = palloc(sizeof(TableMetrics));
		table->table_name = table_name;
		initStringInfo(&table->list);
		metrics->tables = lappend(metrics->tables, table);
	}
	if (table->list.len > 0)
		appendStringInfoChar(&table->list, ',');
	capacity_append_metrics(&table->list, def, item);
}

/*
 * Write the member ItemCollectionMetrics, if there is any.
 */
void
capacity_metrics_member(StringInfo out, const CapacityMetrics *metrics)
{
	ListCell   *lc;

	if (metrics->tables == NIL)
		return;
	wire_member(out, "ItemCollectionMetrics");
	appendStringInfoChar(out, '{');
	foreach(lc, metrics->tables)
	{
		const TableMetrics *table = lfirst(lc);

		wire_member(out, table->table_name);
		appendStringInfo(out, "[%s]", table->list.data);
	}
	appendStringInfoChar(out, '}');
}
