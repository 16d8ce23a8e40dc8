/*-------------------------------------------------------------------------
 *
 * vector_check.c
 *	  Which items are in a vector index, and what a write may not give one.
 *
 * An item without the vector, or without the HASH attribute, is not in the
 * index, and that is no error; one without a filter's attribute is, but no
 * search with that filter finds it.  What a write through the engine gives an
 * attribute of the index must fit.  What came by plain SQL, or was there before
 * the index, and does not fit is not in the index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "vector/vector.h"

/* How the service begins most of what it says here; the blank is its own. */
#define LONG_START	DYNAMO_NOT_VALID "One or more parameter values were invalid . "
#define SHORT_START	"One or more parameter values were invalid. "

static void check_vector(const IndexDef *index, const ItemValue *value);
static void refuse_element(const IndexDef *index, int i,
						   const ItemValue *element, VectorElement what)
			pg_attribute_noreturn();
static char *java_number(const ItemValue *number);
static void check_search_attribute(const IndexDef *index, const KeyAttr *attr,
								   bool hash, const ItemValue *value);
static bool fits(const KeyAttr *attr, bool hash, const ItemValue *value);

/*
 * Of an item to be put, all attributes.
 */
void
vector_check_item(const TableDef *def, const Item *item)
{
	for (int i = 0; i < def->nvectors; i++)
	{
		const IndexDef *index = &def->vectors[i];

		vector_check_attribute(index, item, index->vector);
		for (int j = 0; j < index->nhash; j++)
			vector_check_attribute(index, item, index->hash[j].name);
		for (int j = 0; j < index->nrange; j++)
			vector_check_attribute(index, item, index->range[j].name);
	}
}

/*
 * Of any item, one attribute, if the index has it.
 */
void
vector_check_attribute(const IndexDef *index, const Item *item,
					   const char *name)
{
	ItemValue	value;

	if (!item_get(item, name, strlen(name), &value))
		return;
	if (strcmp(name, index->vector) == 0)
		check_vector(index, &value);
	for (int i = 0; i < index->nhash; i++)
	{
		if (strcmp(name, index->hash[i].name) == 0)
			check_search_attribute(index, &index->hash[i], true, &value);
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (strcmp(name, index->range[i].name) == 0)
			check_search_attribute(index, &index->range[i], false, &value);
	}
}

static void
check_vector(const IndexDef *index, const ItemValue *value)
{
	ItemIterator it;
	ItemValue	element;
	float		ignored;

	if (value->type != ITEM_L)
		dynamo_error(DYNAMO_VALIDATION,
					 LONG_START "Invalid type for parameter %s, Expected: L, Actual: %s. IndexName: %s",
					 index->vector, item_type_name(value->type), index->name);
	if (item_member_count(value) != index->dimensions)
		dynamo_error(DYNAMO_VALIDATION,
					 LONG_START "Invalid size for parameter %s, Expected: %d, Actual: %u. IndexName: %s",
					 index->vector, index->dimensions,
					 item_member_count(value), index->name);
	item_iterate(value, &it);
	for (int i = 0; item_next(&it, &element); i++)
	{
		VectorElement what = vector_element(&element, &ignored);

		if (what != VECTOR_ELEMENT_OK)
			refuse_element(index, i, &element, what);
	}
}

static void
refuse_element(const IndexDef *index, int i, const ItemValue *element,
			   VectorElement what)
{
	if (what == VECTOR_ELEMENT_TYPE)
		dynamo_error(DYNAMO_VALIDATION,
					 SHORT_START "Invalid type for parameter %s[%d], Expected: 32-bit floating point number, Actual: %s. IndexName: %s",
					 index->vector, i, item_type_name(element->type),
					 index->name);
	dynamo_error(DYNAMO_VALIDATION,
				 LONG_START "Invalid value for parameter %s[%d], Value: %s is outside valid range [-3.4028235E38, 3.4028235E38]. IndexName: %s",
				 index->vector, i, java_number(element), index->name);
}

/*
 * A number beyond float4 as Java prints it: "3.5E+38".
 */
static char *
java_number(const ItemValue *number)
{
	StringInfoData text;
	StringInfoData out;
	const char *digits;
	size_t		before;
	size_t		significant;

	initStringInfo(&text);
	initStringInfo(&out);
	item_number_append(&text, number);
	digits = text.data;
	if (*digits == '-')
		appendStringInfoChar(&out, *digits++);
	before = strspn(digits, "0123456789");
	significant = before;
	while (significant > 1 && digits[significant - 1] == '0')
		significant--;
	appendStringInfoChar(&out, digits[0]);
	if (significant > 1)
		appendStringInfo(&out, ".%.*s", (int) significant - 1, digits + 1);
	appendStringInfo(&out, "E+%zu", before - 1);
	return out.data;
}

static void
check_search_attribute(const IndexDef *index, const KeyAttr *attr, bool hash,
					   const ItemValue *value)
{
	if (!item_is_key_type(value, attr->type))
		dynamo_error(DYNAMO_VALIDATION,
					 SHORT_START "Attribute '%s' type mismatch. Expected: %c, Actual: %s. IndexName: %s",
					 attr->name, attr->type, item_type_name(value->type),
					 index->name);
	if (hash && value->len == 0)
		item_refuse_empty_key(value->type,
							  DYNAMO_NOT_VALID "A value specified for a secondary index key is not supported. ",
							  psprintf(" IndexName: %s, IndexKey: %s",
									   index->name, attr->name));
	if (hash && value->len > DYNAMO_MAX_PARTITION_KEY)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Aggregate size for HASH key attributes exceeds the maximum of %d bytes",
					 DYNAMO_MAX_PARTITION_KEY);
	if (value->len > DYNAMO_MAX_FILTER)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Size limit exceeded for SearchSchema attribute '%s': maximum %d bytes",
					 attr->name, DYNAMO_MAX_FILTER);
}

bool
vector_in_index(const IndexDef *index, const Item *item, float *elements)
{
	ItemValue	value;

	for (int i = 0; i < index->nhash; i++)
	{
		if (!item_get(item, index->hash[i].name,
					  strlen(index->hash[i].name), &value) ||
			!fits(&index->hash[i], true, &value))
			return false;
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (item_get(item, index->range[i].name,
					 strlen(index->range[i].name), &value) &&
			!fits(&index->range[i], false, &value))
			return false;
	}
	return item_get(item, index->vector, strlen(index->vector), &value) &&
		vector_read(&value, index->dimensions, elements);
}

/* Would a write be allowed to give the attribute this value? */
static bool
fits(const KeyAttr *attr, bool hash, const ItemValue *value)
{
	if (!item_is_key_type(value, attr->type))
		return false;
	return hash ? value->len > 0 && value->len <= DYNAMO_MAX_PARTITION_KEY :
		value->len <= DYNAMO_MAX_FILTER;
}
