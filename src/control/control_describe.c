/*-------------------------------------------------------------------------
 *
 * control_describe.c
 *	  TableDescription.
 *
 * Counts and sizes are estimates (shard_size.c), as the service's are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "control/control_internal.h"
#include "region/region.h"
#include "region/region.h"

static const char *const state_names[] = {
	[CONTROL_TABLE_CREATING] = "CREATING",
	[CONTROL_TABLE_ACTIVE] = "ACTIVE",
	[CONTROL_TABLE_UPDATING] = "UPDATING",
	[CONTROL_TABLE_DELETING] = "DELETING",
};

static void append_size(StringInfo out, const SchemaSize *size,
						const char *size_member);
static void append_indexes(StringInfo out, const char *member,
						   const TableDef *def, const SchemaSize *sizes,
						   bool local, ControlTableState state,
						   const ControlTableChange *change);
static void append_index(StringInfo out, const TableDef *def,
						 const IndexDef *index, const SchemaSize *size,
						 ControlTableState state,
						 const ControlTableChange *change);
static void add_attributes(const IndexDef *index, KeyAttr *attrs, int *count);
static void append_search_element(StringInfo out, const char *attribute,
								  const char *type);
static void append_projection(StringInfo out, const IndexDef *index);
static void append_vectors(StringInfo out, const TableDef *def,
						   const SchemaSize *sizes,
						   ControlTableState state,
						   const ControlTableChange *change);
static void append_arn(StringInfo out, const TableDef *def,
					   const IndexDef *index);
static ControlTableState changing_state(const IndexDef *index,
										const ControlTableChange *change);
static void append_warm(StringInfo out, json_t *settings,
						ControlTableState state, bool changing);
static int	compare_attributes(const void *a, const void *b);
static int	compare_ordinals(const void *a, const void *b);

const char *
control_state_name(ControlTableState state)
{
	return state_names[state];
}

/*
 * Append a member whose value is the description of a table.
 */
void
control_append_table(StringInfo out, const char *member, const TableDef *def,
					 ControlTableState state, const ControlTableChange *change)
{
	json_t	   *settings = control_settings(def->settings);
	bool		whole = state != CONTROL_TABLE_DELETING;
	const SchemaSize *sizes = state == CONTROL_TABLE_CREATING ?
		palloc0(sizeof(SchemaSize) * (1 + def->nindexes + def->nvectors)) :
		schema_table_sizes(def);

	wire_member(out, member);
	appendStringInfoChar(out, '{');
	if (whole)
		control_append_attributes(out, def);
	wire_string_member(out, "TableName", def->name);
	if (whole)
	{
		wire_member(out, "KeySchema");
		control_append_keys(out, &def->hash, 1, &def->range, def->range.name ? 1 : 0);
	}
	wire_string_member(out, "TableStatus", state_names[state]);
	if (whole)
	{
		wire_member(out, "CreationDateTime");
		appendStringInfoString(out, wire_epoch(def->created_at));
	}
	control_append_throughput(out, settings);
	append_size(out, &sizes[0], "TableSizeBytes");
	wire_string_member(out, "TableArn", wire_table_arn(def->name));
	wire_string_member(out, "TableId", def->table_id);
	if (state == CONTROL_TABLE_CREATING && control_is_on_demand(settings))
	{
		/* not yet the time of the change */
		wire_member(out, "BillingModeSummary");
		appendStringInfoString(out, "{\"BillingMode\":\"PAY_PER_REQUEST\"}");
	}
	else
		wire_json_member(out, settings, "BillingModeSummary");
	if (whole)
	{
		append_indexes(out, "LocalSecondaryIndexes", def, sizes, true, state, change);
		append_indexes(out, "GlobalSecondaryIndexes", def, sizes, false, state, change);
		append_vectors(out, def, sizes + 1 + def->nindexes, state, change);
		wire_json_member(out, settings, "TableClassSummary");
		wire_json_member(out, settings, "OnDemandThroughput");
		append_warm(out, settings, state, change && change->warm);
		control_append_encryption(out, settings, change && change->encryption);
		stream_append_members(out, def);
	}
	if (whole && def->replication)
		control_append_replicas(out, def, settings, change && change->regions ?
								change->replicas : region_replicas(def->relid));
	if (change && change->restore)
	{
		wire_member(out, "RestoreSummary");
		appendStringInfoString(out, change->restore);
	}
	wire_boolean_member(out, "DeletionProtectionEnabled",
						json_is_true(json_object_get(settings, "DeletionProtectionEnabled")));
	appendStringInfoChar(out, '}');
}

/*
 * Append AttributeDefinitions: every attribute that is in a key, by name.
 */
void
control_append_attributes(StringInfo out, const TableDef *def)
{
	KeyAttr    *attrs;
	int			count = 0;
	int			space = 2;

	for (int i = 0; i < def->nindexes; i++)
		space += def->indexes[i].nhash + def->indexes[i].nrange;
	for (int i = 0; i < def->nvectors; i++)
		space += def->vectors[i].nhash + def->vectors[i].nrange;
	attrs = palloc(sizeof(KeyAttr) * space);
	attrs[count++] = def->hash;
	if (def->range.name)
		attrs[count++] = def->range;
	for (int i = 0; i < def->nindexes; i++)
		add_attributes(&def->indexes[i], attrs, &count);
	for (int i = 0; i < def->nvectors; i++)
		add_attributes(&def->vectors[i], attrs, &count);
	qsort(attrs, count, sizeof(KeyAttr), compare_attributes);

	wire_member(out, "AttributeDefinitions");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < count; i++)
	{
		char		type[2] = {attrs[i].type, '\0'};

		if (i > 0 && strcmp(attrs[i].name, attrs[i - 1].name) == 0)
			continue;
		wire_element(out);
		appendStringInfoChar(out, '{');
		wire_string_member(out, "AttributeName", attrs[i].name);
		wire_string_member(out, "AttributeType", type);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

static void
add_attributes(const IndexDef *index, KeyAttr *attrs, int *count)
{
	for (int i = 0; i < index->nhash; i++)
		attrs[(*count)++] = index->hash[i];
	for (int i = 0; i < index->nrange; i++)
		attrs[(*count)++] = index->range[i];
}

/*
 * Append a KeySchema.
 */
void
control_append_keys(StringInfo out, const KeyAttr *hash, int nhash,
					const KeyAttr *range, int nrange)
{
	appendStringInfoChar(out, '[');
	for (int i = 0; i < nhash; i++)
		wire_key_element(out, hash[i].name, "HASH");
	for (int i = 0; i < nrange; i++)
		wire_key_element(out, range[i].name, "RANGE");
	appendStringInfoChar(out, ']');
}

static void
append_size(StringInfo out, const SchemaSize *size, const char *size_member)
{
	wire_member(out, size_member);
	appendStringInfo(out, "%.0f", size->bytes);
	wire_member(out, "ItemCount");
	appendStringInfo(out, "%.0f", rint(size->entries));
}

static void
append_indexes(StringInfo out, const char *member, const TableDef *def,
			   const SchemaSize *sizes, bool local, ControlTableState state, const ControlTableChange *change)
{
	int			count;
	const IndexDef **order = control_ordered_indexes(def, local, &count);

	if (count == 0)
		return;
	wire_member(out, member);
	appendStringInfoChar(out, '[');
	for (int i = 0; i < count; i++)
	{
		wire_element(out);
		append_index(out, def, order[i],
					 &sizes[1 + (order[i] - def->indexes)], state, change);
	}
	appendStringInfoChar(out, ']');
}

/*
 * The vector indexes, in the order of their creation.
 */
const IndexDef **
control_ordered_vectors(const TableDef *def)
{
	const IndexDef **order = palloc(sizeof(IndexDef *) * Max(def->nvectors, 1));

	for (int i = 0; i < def->nvectors; i++)
		order[i] = &def->vectors[i];
	qsort(order, def->nvectors, sizeof(IndexDef *), compare_ordinals);
	return order;
}

/*
 * The local or the global indexes, in the same order.
 */
const IndexDef **
control_ordered_indexes(const TableDef *def, bool local, int *count)
{
	const IndexDef **order = palloc(sizeof(IndexDef *) * Max(def->nindexes, 1));

	*count = 0;
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].local == local)
			order[(*count)++] = &def->indexes[i];
	}
	qsort(order, *count, sizeof(IndexDef *), compare_ordinals);
	return order;
}

/*
 * Append IndexName, KeySchema and Projection.
 */
void
control_append_index_key(StringInfo out, const IndexDef *index)
{
	wire_string_member(out, "IndexName", index->name);
	wire_member(out, "KeySchema");
	control_append_keys(out, index->hash, index->nhash, index->range, index->nrange);
	append_projection(out, index);
}

/*
 * Append what a vector index is, as a request would say it.
 */
void
control_append_vector(StringInfo out, const IndexDef *index)
{
	static const char *const distances[] = {
		[VECTOR_COSINE] = "COSINE",
		[VECTOR_DOT_PRODUCT] = "DOT_PRODUCT",
		[VECTOR_EUCLIDEAN] = "EUCLIDEAN",
	};

	wire_string_member(out, "IndexName", index->name);
	wire_member(out, "VectorAttribute");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "AttributeName", index->vector);
	appendStringInfoChar(out, '}');
	if (index->nhash + index->nrange > 0)
	{
		wire_member(out, "SearchSchema");
		appendStringInfoChar(out, '[');
		for (int i = 0; i < index->nhash; i++)
			append_search_element(out, index->hash[i].name, "HASH");
		for (int i = 0; i < index->nrange; i++)
			append_search_element(out, index->range[i].name, "INLINE_FILTER");
		appendStringInfoChar(out, ']');
	}
	append_projection(out, index);
	wire_integer_member(out, "Dimensions", index->dimensions);
	wire_string_member(out, "DistanceFunction", distances[index->distance]);
}

static void
append_search_element(StringInfo out, const char *attribute, const char *type)
{
	wire_element(out);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "AttributeName", attribute);
	wire_string_member(out, "SearchSchemaElementType", type);
	appendStringInfoChar(out, '}');
}

static void
append_projection(StringInfo out, const IndexDef *index)
{
	static const char *const projections[] = {
		[PROJECTION_ALL] = "ALL",
		[PROJECTION_KEYS_ONLY] = "KEYS_ONLY",
		[PROJECTION_INCLUDE] = "INCLUDE",
	};

	wire_member(out, "Projection");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "ProjectionType", projections[index->projection]);
	if (index->projection == PROJECTION_INCLUDE)
	{
		wire_member(out, "NonKeyAttributes");
		appendStringInfoChar(out, '[');
		for (int i = 0; i < index->nnonkey; i++)
		{
			wire_element(out);
			wire_append_string(out, index->nonkey[i]);
		}
		appendStringInfoChar(out, ']');
	}
	appendStringInfoChar(out, '}');
}

/*
 * One index, as an element of LocalSecondaryIndexes or
 * GlobalSecondaryIndexes.
 */
static void
append_index(StringInfo out, const TableDef *def, const IndexDef *index,
			 const SchemaSize *size, ControlTableState state,
			 const ControlTableChange *change)
{
	appendStringInfoChar(out, '{');
	control_append_index_key(out, index);
	if (!index->local)
	{
		json_t	   *settings = control_settings(index->settings);
		ControlTableState mine = CONTROL_TABLE_ACTIVE;
		bool		backfilling = false;

		if (change != NULL)
			mine = changing_state(index, change);
		if (mine == CONTROL_TABLE_ACTIVE &&
			(state == CONTROL_TABLE_CREATING || !OidIsValid(index->relid)))
		{
			mine = CONTROL_TABLE_CREATING;
			backfilling = true;
		}
		wire_string_member(out, "IndexStatus", state_names[mine]);
		if (mine == CONTROL_TABLE_CREATING && state != CONTROL_TABLE_CREATING)
			wire_boolean_member(out, "Backfilling", backfilling);
		control_append_throughput(out, settings);
		wire_json_member(out, settings, "OnDemandThroughput");
		append_warm(out, settings, state, false);
	}
	append_size(out, size, "IndexSizeBytes");
	append_arn(out, def, index);
	appendStringInfoChar(out, '}');
}

/*
 * The vector indexes of a table.  One that has no relation is searched in the
 * table, and so is ACTIVE, unless it is being built.
 */
static void
append_vectors(StringInfo out, const TableDef *def, const SchemaSize *sizes,
			   ControlTableState state, const ControlTableChange *change)
{
	static const SchemaSize none = {0};
	const IndexDef **order = control_ordered_vectors(def);

	if (def->nvectors == 0)
		return;
	wire_member(out, "VectorIndexes");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < def->nvectors; i++)
	{
		ControlTableState mine = state == CONTROL_TABLE_CREATING ?
			CONTROL_TABLE_CREATING : CONTROL_TABLE_ACTIVE;

		if (change && change->index &&
			strcmp(change->index, order[i]->name) == 0)
			mine = change->index_state;
		else if (order[i]->building)
			mine = CONTROL_TABLE_CREATING;
		wire_element(out);
		appendStringInfoChar(out, '{');
		control_append_vector(out, order[i]);
		wire_string_member(out, "IndexStatus", state_names[mine]);
		if (mine == CONTROL_TABLE_CREATING && state != CONTROL_TABLE_CREATING)
			wire_boolean_member(out, "Backfilling", change == NULL);
		append_size(out, mine == CONTROL_TABLE_CREATING ? &none :
					&sizes[order[i] - def->vectors], "IndexSizeBytes");
		append_arn(out, def, order[i]);
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

static void
append_arn(StringInfo out, const TableDef *def, const IndexDef *index)
{
	wire_string_member(out, "IndexArn",
					   psprintf("%s/index/%s", wire_table_arn(def->name),
								index->name));
}

/* The state of an index that an UpdateTable request may be about. */
static ControlTableState
changing_state(const IndexDef *index, const ControlTableChange *change)
{
	if (change->index && strcmp(change->index, index->name) == 0)
		return change->index_state;
	for (int i = 0; i < change->nupdated; i++)
	{
		if (strcmp(change->updated[i], index->name) == 0)
			return CONTROL_TABLE_UPDATING;
	}
	return change->billing ? CONTROL_TABLE_UPDATING : CONTROL_TABLE_ACTIVE;
}

/* A table that is being created tells it only if the request did. */
static void
append_warm(StringInfo out, json_t *settings, ControlTableState state,
			bool changing)
{
	json_t	   *warm = json_object_get(settings, "WarmThroughput");

	if (warm == NULL || (state == CONTROL_TABLE_CREATING && !changing))
		return;
	wire_member(out, "WarmThroughput");
	if (changing)
		control_append_changed(out, warm, "Status", "\"UPDATING\"");
	else
		wire_append_json(out, warm);
}

static int
compare_attributes(const void *a, const void *b)
{
	return strcmp(((const KeyAttr *) a)->name, ((const KeyAttr *) b)->name);
}

static int
compare_ordinals(const void *a, const void *b)
{
	return (*(const IndexDef *const *) a)->ordinal -
		(*(const IndexDef *const *) b)->ordinal;
}
