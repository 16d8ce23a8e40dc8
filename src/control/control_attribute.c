/*-------------------------------------------------------------------------
 *
 * control_attribute.c
 *	  What indexes of all kinds share in requests: the attributes that are
 *	  defined, names, projections.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"

static const KeyAttr *find_in_index(const IndexDef *index, const char *name,
									const KeyAttr *found);

/*
 * AttributeDefinitions of a request.
 */
ControlAttributes
control_read_attributes(json_t *list)
{
	ControlAttributes attributes;
	size_t		i;
	json_t	   *element;

	attributes.count = json_array_size(list);
	attributes.attrs = palloc0(sizeof(KeyAttr) * Max(attributes.count, 1));
	json_array_foreach(list, i, element)
	{
		attributes.attrs[i].name = pstrdup(wire_json_text(json_object_get(element, "AttributeName")));
		attributes.attrs[i].type = *json_string_value(json_object_get(element, "AttributeType"));
	}
	attributes.used = palloc0(sizeof(bool) * Max(attributes.count, 1));
	attributes.by_name = control_sort_names(attributes.attrs, attributes.count);
	return attributes;
}

/*
 * Refuse one that is there twice.
 */
void
control_check_duplicates(const ControlAttributes *attributes)
{
	int			duplicate = control_first_duplicate_key(attributes->attrs,
														attributes->count);

	if (duplicate >= 0)
		dynamo_error(DYNAMO_VALIDATION, "Attribute Name is duplicated: %s",
					 attributes->attrs[duplicate].name);
}

/*
 * The type of an attribute, which is marked used; 0: it is not defined.
 */
char
control_find_type(ControlAttributes *attributes, const char *name)
{
	int			low = 0;
	int			high = attributes->count;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			place = attributes->by_name[middle];
		int			order = strcmp(name, attributes->attrs[place].name);

		if (order == 0)
		{
			attributes->used[place] = true;
			return attributes->attrs[place].type;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

/*
 * Fill the projection of an index. INCLUDE has NonKeyAttributes, each once;
 * the others have none.
 */
void
control_read_projection(json_t *projection, IndexDef *index)
{
	json_t	   *nonkey = wire_json_get(projection, "NonKeyAttributes");
	json_t	   *type = wire_json_get(projection, "ProjectionType");
	const char *name = type ? json_string_value(type) : NULL;
	size_t		i;
	json_t	   *element;

	if (name == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Unknown ProjectionType: null");
	if (strcmp(name, "INCLUDE") != 0)
	{
		if (nonkey)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "ProjectionType is %s, but NonKeyAttributes is specified",
						 name);
		index->projection = strcmp(name, "ALL") == 0 ?
			PROJECTION_ALL : PROJECTION_KEYS_ONLY;
		return;
	}

	if (!nonkey)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
	index->projection = PROJECTION_INCLUDE;
	index->nnonkey = json_array_size(nonkey);
	index->nonkey = palloc(sizeof(char *) * index->nnonkey);
	json_array_foreach(nonkey, i, element)
	{
		CHECK_FOR_INTERRUPTS();
		index->nonkey[i] = pstrdup(wire_json_text(element));
		for (int j = 0; j < i; j++)
		{
			if (strcmp(index->nonkey[i], index->nonkey[j]) == 0)
				dynamo_error(DYNAMO_VALIDATION,
							 DYNAMO_INVALID "Duplicate element in NonKeyAttributes: %s",
							 index->nonkey[i]);
		}
	}
}

/*
 * Indexes of all kinds share their names.
 */
void
control_check_new_name(const char *name, const TableDef *def)
{
	if (schema_find_index(def, name) != NULL ||
		schema_find_vector(def, name) != NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "Attempting to create an index which already exists");
}

/*
 * An attribute that is a key elsewhere in the table has one type.
 */
void
control_check_redefined(const ControlAttributes *attributes,
						const TableDef *def)
{
	for (int i = 0; i < attributes->count; i++)
	{
		const KeyAttr *attr = &attributes->attrs[i];
		const KeyAttr *old;

		CHECK_FOR_INTERRUPTS();
		old = control_find_key(def, attr->name);
		if (old && old->type != attr->type)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{%s:%c:%s}] New schema: Schema:[SchemaElement: key{%s:%c:%s}]",
						 old->name, old->type, "HASH",
						 attr->name, attr->type, "HASH");
	}
}

/*
 * The key attribute of that name, of the table or the last of its indexes that
 * has it; NULL: it is in no key.
 */
const KeyAttr *
control_find_key(const TableDef *def, const char *name)
{
	const KeyAttr *found = NULL;

	if (strcmp(def->hash.name, name) == 0)
		found = &def->hash;
	if (def->range.name && strcmp(def->range.name, name) == 0)
		found = &def->range;
	for (int i = 0; i < def->nindexes; i++)
		found = find_in_index(&def->indexes[i], name, found);
	for (int i = 0; i < def->nvectors; i++)
		found = find_in_index(&def->vectors[i], name, found);
	return found;
}

static const KeyAttr *
find_in_index(const IndexDef *index, const char *name, const KeyAttr *found)
{
	for (int i = 0; i < index->nhash; i++)
	{
		if (strcmp(index->hash[i].name, name) == 0)
			found = &index->hash[i];
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (strcmp(index->range[i].name, name) == 0)
			found = &index->range[i];
	}
	return found;
}
