/*-------------------------------------------------------------------------
 *
 * control_check.c
 *	  From the key schemas of a request to a table's or index's definition.
 *
 * Each rule is a function of its own; the order of the calls is the order in
 * which the service reports what is wrong.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"

#define MAX_NONKEY_TOTAL	100

/* A KeySchema: of the table, or of an index. */
typedef struct KeySchema
{
	const char *index;			/* NULL: the table's */
	bool		is_global;		/* a GSI's */
	int			count;
	KeyAttr    *attrs;			/* type 0 until the attribute is found */
	bool	   *range;
} KeySchema;

static KeySchema read_key_schema(json_t *list, const char *index, bool is_global);
static void read_indexes(const ControlCreateTable *r, KeySchema *schemas,
						 ControlIndexRequest *indexes);
static void check_billing(const ControlCreateTable *r);
static void check_key_schema(KeySchema *schema, ControlAttributes *attributes);
static void find_types(KeySchema *schema, ControlAttributes *attributes);
static void check_key_order(const KeySchema *schema);
static void check_all_used(const ControlAttributes *attributes, bool indexes);
static void check_local_index(const KeySchema *index, const KeySchema *table);
static void check_global_key(const KeySchema *index);
static void check_index_names(const ControlIndexRequest *indexes, int n,
							  json_t *vectors);
static void check_counts(int nlocal, int nglobal, const IndexDef *indexes);
static void check_nonkey_total(const IndexDef *indexes, int n, int more);
static void check_features(const ControlCreateTable *r);
static void fill_index(IndexDef *def, const ControlIndexRequest *request,
					   const KeySchema *schema);
static const char *index_settings(const ControlIndexRequest *request, bool added,
								  bool on_demand);

/*
 * Check a CreateTable request and make the table's definition of it, but for
 * its name and settings.
 */
void
control_check_create_table(const ControlCreateTable *r, TableSpec *spec)
{
	int			nlocal = json_array_size(r->local_indexes);
	int			nglobal = json_array_size(r->global_indexes);
	int			nindexes = nlocal + nglobal;
	KeySchema  *schemas = palloc0(sizeof(KeySchema) * (nindexes + 1));
	ControlIndexRequest *indexes = palloc0(sizeof(ControlIndexRequest) * (nindexes + 1));
	ControlAttributes attributes;
	bool		on_demand = r->billing_mode == CONTROL_BILLING_ON_DEMAND;

	/* schemas[0] is the table's, the LSIs' follow, then the GSIs' */
	schemas[0] = read_key_schema(r->key_schema, NULL, false);
	read_indexes(r, schemas + 1, indexes);

	check_billing(r);
	for (int i = nlocal; i < nindexes; i++)
		control_check_bounds(indexes[i].name, indexes[i].throughput);
	attributes = control_read_attributes(r->attributes);
	control_check_duplicates(&attributes);
	for (int i = 0; i <= nindexes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		check_key_schema(&schemas[i], &attributes);
	}
	control_mark_vectors(r->vectors, &attributes);
	check_all_used(&attributes,
				   nindexes > 0 || json_array_size(r->vectors) > 0);

	if (r->local_indexes && nlocal == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "List of LocalSecondaryIndexes is empty");
	if (r->global_indexes && nglobal == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "List of GlobalSecondaryIndexes is empty");

	for (int i = 0; i < nlocal; i++)
		check_local_index(&schemas[1 + i], &schemas[0]);
	for (int i = nlocal; i < nindexes; i++)
		check_global_key(&schemas[1 + i]);

	spec->nindexes = nindexes;
	spec->indexes = palloc0(sizeof(IndexDef) * Max(nindexes, 1));
	for (int i = 0; i < nindexes; i++)
		control_read_projection(indexes[i].projection, &spec->indexes[i]);
	for (int i = nlocal; i < nindexes; i++)
	{
		if (on_demand && indexes[i].throughput)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST",
						 indexes[i].name);
		if (!on_demand && !indexes[i].throughput)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "ProvisionedThroughput is not specified for index: %s",
						 indexes[i].name);
	}
	check_index_names(indexes, nindexes, r->vectors);
	check_counts(nlocal, nglobal, spec->indexes);
	check_features(r);

	spec->hash = schemas[0].attrs[0];
	if (schemas[0].count > 1)
		spec->range = schemas[0].attrs[1];
	control_check_vectors(r->vectors, &attributes, spec);
	for (int i = 0; i < nindexes; i++)
	{
		fill_index(&spec->indexes[i], &indexes[i], &schemas[1 + i]);
		if (!spec->indexes[i].local)
			spec->indexes[i].settings = unconstify(char *,
												   index_settings(&indexes[i], false, on_demand));
	}
}

/*
 * Check the throughput of a CreateTable request that is all right otherwise.
 */
void
control_check_create_quotas(const ControlCreateTable *r)
{
	size_t		i;
	json_t	   *index;

	control_check_quota(NULL, r->throughput);
	json_array_foreach(r->global_indexes, i, index)
	{
		CHECK_FOR_INTERRUPTS();
		control_check_quota(wire_json_text(json_object_get(index, "IndexName")),
							wire_json_get(index, "ProvisionedThroughput"));
	}
}

/*
 * Check the Create of an UpdateTable request and make the index's definition
 * of it, settings included.
 */
void
control_check_new_index(const ControlIndexRequest *request,
						const ControlUpdateTable *update, const TableDef *def,
						IndexDef *index)
{
	ControlAttributes attributes = control_read_attributes(update->attributes);
	KeySchema	schema = read_key_schema(request->key_schema, request->name,
										 true);
	bool		on_demand = update->billing_mode != 0 ?
		update->billing_mode == CONTROL_BILLING_ON_DEMAND :
		control_is_on_demand(control_settings(def->settings));
	int			nglobal = def->nindexes - def->nlocal;

	if (attributes.count == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "AttributeDefinitions is not specified for index: %s",
					 request->name);
	control_check_duplicates(&attributes);
	find_types(&schema, &attributes);
	for (int i = 0; i < schema.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (schema.attrs[i].type == 0)
			dynamo_error(DYNAMO_VALIDATION,
						 "Invalid KeySchema: Some index key attribute have no definition");
	}
	check_key_order(&schema);
	check_global_key(&schema);
	attributes.count = schema.count;
	attributes.attrs = schema.attrs;
	control_check_redefined(&attributes, def);
	memset(index, 0, sizeof(IndexDef));
	control_read_projection(request->projection, index);
	if (!on_demand && !request->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: %s",
					 request->name);
	if (on_demand && request->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: %s when BillingMode is PAY_PER_REQUEST",
					 request->name);
	control_check_new_name(request->name, def);
	if (nglobal >= DYNAMO_MAX_GSI)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED,
					 SUBSCRIBER_LIMIT "Number of global secondary indexes exceeds per-table limit of %d",
					 DYNAMO_MAX_GSI);

	check_nonkey_total(def->indexes, def->nindexes, index->nnonkey);
	control_check_quota(request->name, request->throughput);
	fill_index(index, request, &schema);
	index->settings = unconstify(char *,
								 index_settings(request, true, on_demand));
}

static KeySchema
read_key_schema(json_t *list, const char *index, bool is_global)
{
	KeySchema	schema;
	size_t		i;
	json_t	   *element;

	schema.index = index;
	schema.is_global = is_global;
	schema.count = json_array_size(list);
	schema.attrs = palloc0(sizeof(KeyAttr) * schema.count);
	schema.range = palloc0(sizeof(bool) * schema.count);
	json_array_foreach(list, i, element)
	{
		CHECK_FOR_INTERRUPTS();
		schema.attrs[i].name = pstrdup(wire_json_text(json_object_get(element, "AttributeName")));
		schema.range[i] = strcmp(json_string_value(json_object_get(element, "KeyType")),
								 "RANGE") == 0;
	}
	return schema;
}

static void
read_indexes(const ControlCreateTable *r, KeySchema *schemas,
			 ControlIndexRequest *indexes)
{
	json_t	   *lists[] = {r->local_indexes, r->global_indexes};
	int			n = 0;

	for (int list = 0; list < lengthof(lists); list++)
	{
		size_t		i;
		json_t	   *element;

		json_array_foreach(lists[list], i, element)
		{
			CHECK_FOR_INTERRUPTS();
			wire_fill(&control_index_shape, element, &indexes[n]);
			schemas[n] = read_key_schema(indexes[n].key_schema,
										 indexes[n].name, list == 1);
			n++;
		}
	}
}

static void
check_billing(const ControlCreateTable *r)
{
	if (r->billing_mode == CONTROL_BILLING_ON_DEMAND)
	{
		if (r->throughput)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST");
		return;
	}
	if (!r->throughput)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED");
	control_check_bounds(NULL, r->throughput);
}

static void
check_key_schema(KeySchema *schema, ControlAttributes *attributes)
{
	if (schema->count > attributes->count)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid KeySchema: Some index key attribute have no definition");
	find_types(schema, attributes);
	for (int i = 0; i < schema->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (schema->attrs[i].type == 0)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], AttributeDefinitions: [%s]",
						 control_list_names(schema->attrs, schema->count),
						 control_list_names(attributes->attrs, attributes->count));
	}
	check_key_order(schema);
}

/*
 * Find the types of the attributes of a key, and mark these used.
 */
static void
find_types(KeySchema *schema, ControlAttributes *attributes)
{
	for (int i = 0; i < schema->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		schema->attrs[i].type = control_find_type(attributes,
												  schema->attrs[i].name);
	}
}

static void
check_key_order(const KeySchema *schema)
{
	if (control_first_duplicate_key(schema->attrs, schema->count) >= 0)
	{
		if (schema->is_global)
			dynamo_error(DYNAMO_VALIDATION,
						 "The KeySchema contains multiple key attributes with the same name");
		dynamo_error(DYNAMO_VALIDATION,
					 "Both the Hash Key and the Range Key element in the KeySchema have the same name");
	}
	if (schema->range[0])
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
	if (!schema->is_global && schema->count > 1 && !schema->range[1])
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
}

/*
 * Each attribute that is defined must be in the key of the table or of an
 * index.
 */
static void
check_all_used(const ControlAttributes *attributes, bool indexes)
{
	KeyAttr    *used = palloc(Max(attributes->count, 1) * sizeof(KeyAttr));
	int			nused = 0;

	for (int i = 0; i < attributes->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (attributes->used[i])
			used[nused++] = attributes->attrs[i];
	}
	if (nused == attributes->count)
		return;
	if (!indexes)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions");
	dynamo_error(DYNAMO_VALIDATION,
				 DYNAMO_INVALID "Some AttributeDefinitions are not used. AttributeDefinitions: [%s], keys used: [%s]",
				 control_list_names(attributes->attrs, attributes->count),
				 control_list_names(used, nused));
}

static void
check_local_index(const KeySchema *index, const KeySchema *table)
{
	if (table->count < 2)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex");
	if (index->count < 2)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Index KeySchema does not have a range key for index: %s",
					 index->index);
	if (strcmp(index->attrs[0].name, table->attrs[0].name) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s",
					 index->index, index->attrs[0].name, table->attrs[0].name);
}

static void
check_global_key(const KeySchema *index)
{
	int			nrange = 0;

	for (int i = 0; i < index->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (index->range[i])
			nrange++;
		else if (nrange > 0)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "All HASH key attributes must precede RANGE key attributes in the KeySchema");
	}
	if (index->count - nrange > DYNAMO_MAX_KEY_ATTRS || nrange > DYNAMO_MAX_KEY_ATTRS)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "The KeySchema exceeds the maximum allowed number of %s key attributes",
					 nrange > DYNAMO_MAX_KEY_ATTRS ? "RANGE" : "HASH");
}

static void
check_index_names(const ControlIndexRequest *indexes, int n,
				  json_t *vectors)
{
	const char **names = palloc((n + json_array_size(vectors) + 1) * sizeof(char *));
	int			duplicate;
	size_t		j;
	json_t	   *vector;

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		names[i] = indexes[i].name;
	}
	json_array_foreach(vectors, j, vector)
	{
		CHECK_FOR_INTERRUPTS();
		names[n++] = wire_json_text(json_object_get(vector, "IndexName"));
	}
	duplicate = dynamo_first_duplicate(names, n);
	if (duplicate >= 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Duplicate index name: %s",
					 names[duplicate]);
}

static void
check_counts(int nlocal, int nglobal, const IndexDef *indexes)
{
	if (nlocal > DYNAMO_MAX_LSI)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Number of LocalSecondaryIndexes exceeds per-table limit of %d",
					 DYNAMO_MAX_LSI);
	if (nglobal > DYNAMO_MAX_GSI)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "GlobalSecondaryIndex count exceeds the per-table limit of %d",
					 DYNAMO_MAX_GSI);
	check_nonkey_total(indexes, nlocal + nglobal, 0);
}

/*
 * What all indexes together project beyond their keys, and "more".
 */
static void
check_nonkey_total(const IndexDef *indexes, int n, int more)
{
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		more += indexes[i].nnonkey;
	}
	if (more > MAX_NONKEY_TOTAL)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Number of NonKeyAttributes exceeds per-table limit of %d",
					 MAX_NONKEY_TOTAL);
}

/*
 * Streams, classes, encryption, policies and tags: the rules of the service.
 */
static void
check_features(const ControlCreateTable *r)
{
	if (r->stream)
		stream_check_new(r->stream);
	if (r->table_class && strcmp(r->table_class, "STANDARD") != 0 &&
		strcmp(r->table_class, "STANDARD_INFREQUENT_ACCESS") != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].");
	control_check_encryption(r->encryption);
	if (r->vectors && r->billing_mode != CONTROL_BILLING_ON_DEMAND)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Vector indexes are only supported for PAY_PER_REQUEST tables");
	if (r->policy)
		control_check_new_policy(wire_table_name(r->table_name), r->policy);
	if (r->tags)
		control_check_tags(r->tags);
}

static void
fill_index(IndexDef *def, const ControlIndexRequest *request,
		   const KeySchema *schema)
{
	def->name = unconstify(char *, request->name);
	def->local = !schema->is_global;
	def->hash = schema->attrs;
	while (def->nhash < schema->count && !schema->range[def->nhash])
		def->nhash++;
	def->range = schema->attrs + def->nhash;
	def->nrange = schema->count - def->nhash;
}

static const char *
index_settings(const ControlIndexRequest *request, bool added, bool on_demand)
{
	return control_new_throughput(request->name, added, on_demand,
								  request->throughput, request->on_demand,
								  request->warm);
}
