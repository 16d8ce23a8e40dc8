/*-------------------------------------------------------------------------
 *
 * control_vector.c
 *	  Vector indexes in requests: rules, one by one, in the order in which the
 *	  service reports what is wrong.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"

#define CONFLICT	"Conflicting attribute definition for '%s'. "

/* The vector, its filters and what is included beside. */
#define MAX_PROJECTED	20

static void read_vector(json_t *element, IndexDef *index);
static const char *attribute_name(const json_t *vector);
static void read_search_schema(json_t *list, IndexDef *index);
static void check_vector(const IndexDef *index, ControlAttributes *attributes,
						 const IndexDef *others, int nothers);
static void check_projected(const IndexDef *index, const KeyAttr *hash,
							const KeyAttr *range);

/*
 * Mark what they name as used.  A vector that is defined has an error of its
 * own.
 */
void
control_mark_vectors(json_t *vectors, ControlAttributes *attributes)
{
	size_t		i;
	json_t	   *vector;

	json_array_foreach(vectors, i, vector)
	{
		size_t		j;
		json_t	   *element;

		(void) control_find_type(attributes, attribute_name(vector));
		json_array_foreach(wire_json_get(vector, "SearchSchema"), j, element)
		{
			CHECK_FOR_INTERRUPTS();
			(void) control_find_type(attributes,
									 wire_json_text(json_object_get(element, "AttributeName")));
		}
	}
}

/*
 * Check those of a CreateTable request, and make definitions of them.  The
 * table's key is known.
 */
void
control_check_vectors(json_t *vectors, ControlAttributes *attributes,
					  TableSpec *spec)
{
	size_t		i;
	json_t	   *element;

	if (json_array_size(vectors) > DYNAMO_MAX_VECTORS)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "VectorIndex count exceeds the per-table limit of %d",
					 DYNAMO_MAX_VECTORS);
	spec->vectors = palloc0(sizeof(IndexDef) * DYNAMO_MAX_VECTORS);
	json_array_foreach(vectors, i, element)
	{
		IndexDef   *index = &spec->vectors[i];

		read_vector(element, index);
		check_vector(index, attributes, spec->vectors, i);
		check_projected(index, &spec->hash, &spec->range);
		spec->nvectors++;
	}
}

/*
 * Check the Create of an UpdateTable request, and make the definition.
 */
void
control_check_new_vector(json_t *create, const ControlUpdateTable *update,
						 const TableDef *def, bool on_demand, IndexDef *index)
{
	ControlAttributes attributes = control_read_attributes(update->attributes);
	ControlAttributes named = {0};
	const KeyAttr *key;

	memset(index, 0, sizeof(IndexDef));
	read_vector(create, index);
	if (!on_demand)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Vector indexes are only supported for PAY_PER_REQUEST tables");
	control_check_duplicates(&attributes);
	check_vector(index, &attributes, def->vectors, def->nvectors);
	key = control_find_key(def, index->vector);
	if (key != NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{%s:%c:HASH}] New schema: VectorIndexSchema:[VectorAttribute: key{%s:L:%d}]",
					 key->name, key->type, index->vector, index->dimensions);
	named.attrs = index->hash;
	named.count = index->nhash;
	control_check_redefined(&named, def);
	named.attrs = index->range;
	named.count = index->nrange;
	control_check_redefined(&named, def);
	check_projected(index, &def->hash, &def->range);
	control_check_new_name(index->name, def);
	if (def->nvectors >= DYNAMO_MAX_VECTORS)
		dynamo_error(DYNAMO_LIMIT_EXCEEDED,
					 SUBSCRIBER_LIMIT "Number of vector secondary indexes exceeds per-table limit of %d",
					 DYNAMO_MAX_VECTORS);
}

/*
 * The name in the one action of VectorIndexUpdates; NULL: there is none.
 */
const char *
control_read_vector_updates(json_t *updates, bool *created)
{
	const char *name = NULL;
	size_t		i;
	json_t	   *update;

	json_array_foreach(updates, i, update)
	{
		json_t	   *create = wire_json_get(update, "Create");
		json_t	   *delete = wire_json_get(update, "Delete");

		CHECK_FOR_INTERRUPTS();
		if (create == NULL && delete == NULL)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null");
		if (create != NULL && delete != NULL)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Only one vector index action is allowed per VectorIndexUpdate object");
		*created = create != NULL;
		name = wire_json_text(json_object_get(*created ? create : delete,
											  "IndexName"));
	}
	return name;
}

/*
 * What the request says, the types of the SearchSchema's attributes excepted.
 */
static void
read_vector(json_t *element, IndexDef *index)
{
	ControlVectorRequest request = {0};

	CHECK_FOR_INTERRUPTS();
	wire_fill(&control_vector_shape, element, &request);
	if (request.dimensions.value > DYNAMO_MAX_DIMENSIONS)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Number of dimensions must be between 1 and %d inclusive.",
					 DYNAMO_MAX_DIMENSIONS);
	index->name = unconstify(char *, request.name);
	index->vector = pstrdup(attribute_name(element));
	index->dimensions = request.dimensions.value;
	index->distance = (VectorDistance) (request.distance - 1);
	read_search_schema(request.search_schema, index);
	control_read_projection(request.projection, index);
}

static const char *
attribute_name(const json_t *vector)
{
	return wire_json_text(json_object_get(json_object_get(vector, "VectorAttribute"),
										  "AttributeName"));
}

static void
read_search_schema(json_t *list, IndexDef *index)
{
	size_t		n = json_array_size(list);
	const char **names = palloc(sizeof(char *) * (n + 1));
	int			duplicate;
	size_t		i;
	json_t	   *element;

	index->hash = palloc0(sizeof(KeyAttr) * (n + 1));
	index->range = palloc0(sizeof(KeyAttr) * (n + 1));
	json_array_foreach(list, i, element)
	{
		KeyAttr		attr = {0};

		CHECK_FOR_INTERRUPTS();
		names[i] = wire_json_text(json_object_get(element, "AttributeName"));
		attr.name = pstrdup(names[i]);
		if (strcmp(wire_json_text(json_object_get(element, "SearchSchemaElementType")),
				   "HASH") == 0)
			index->hash[index->nhash++] = attr;
		else
			index->range[index->nrange++] = attr;
	}
	duplicate = dynamo_first_duplicate(names, n);
	if (duplicate >= 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Duplicate attribute in SearchSchema: %s",
					 names[duplicate]);
	if (index->nhash > 1)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "SearchSchema can have at most 1 HASH element");
	if (index->nrange > DYNAMO_MAX_FILTERS)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "SearchSchema can have at most %d INLINE_FILTER elements",
					 DYNAMO_MAX_FILTERS);
}

/*
 * The attributes of an index, whose types are filled in, beside those of the
 * others.
 */
static void
check_vector(const IndexDef *index, ControlAttributes *attributes,
			 const IndexDef *others, int nothers)
{
	KeyAttr    *lists[] = {index->hash, index->range};
	int			counts[] = {index->nhash, index->nrange};

	for (int list = 0; list < lengthof(lists); list++)
	{
		for (int i = 0; i < counts[list]; i++)
		{
			KeyAttr    *attr = &lists[list][i];

			CHECK_FOR_INTERRUPTS();
			attr->type = control_find_type(attributes, attr->name);
			if (attr->type == 0)
				dynamo_error(DYNAMO_VALIDATION,
							 DYNAMO_INVALID "One element in SearchSchema is not defined in attribute definitions");
		}
	}
	if (control_find_type(attributes, index->vector) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID CONFLICT "An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute.",
					 index->vector);
	for (int i = 0; i < nothers; i++)
	{
		if (strcmp(others[i].vector, index->vector) == 0 &&
			others[i].dimensions != index->dimensions)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID CONFLICT "All VectorIndexes on the same vector attribute must use the same dimensions.",
						 index->vector);
	}
}

/*
 * The vector counts, each filter, and what else is included; keys do not.
 */
static void
check_projected(const IndexDef *index, const KeyAttr *hash,
				const KeyAttr *range)
{
	int			projected = 1 + index->nrange;

	for (int i = 0; i < index->nnonkey; i++)
	{
		const char *name = index->nonkey[i];

		CHECK_FOR_INTERRUPTS();
		projected += strcmp(name, hash->name) != 0 &&
			(range->name == NULL || strcmp(name, range->name) != 0) &&
			(index->nhash == 0 || strcmp(name, index->hash[0].name) != 0);
	}
	if (projected > MAX_PROJECTED)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Number of projected attributes exceeds the limit of %d for vector index: %s",
					 MAX_PROJECTED, index->name);
}
