/*-------------------------------------------------------------------------
 *
 * vector_value.c
 *	  Lists of numbers as vectors.
 *
 * The table keeps a number with all its digits.  In a vector it is the nearest
 * float4, and so it is in what a search returns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "vector/vector.h"

/*
 * A value as an element.
 */
VectorElement
vector_element(const ItemValue *value, float *element)
{
	if (value->type != ITEM_N)
		return VECTOR_ELEMENT_TYPE;
	return item_number_float4(value, element) ?
		VECTOR_ELEMENT_OK : VECTOR_ELEMENT_RANGE;
}

bool
vector_read(const ItemValue *value, int dimensions, float *elements)
{
	return value->type == ITEM_L &&
		item_list_float4(value, dimensions, elements);
}

/*
 * A list of the shortest numbers that are these elements.
 */
ItemValue
vector_value(const float *elements, int dimensions)
{
	ItemNode	list;

	item_node_init(&list, ITEM_L);
	for (int i = 0; i < dimensions; i++)
	{
		char		text[FLOAT_SHORTEST_DECIMAL_LEN];
		int			len = float_to_shortest_decimal_buf(elements[i], text);
		ItemValue	number = item_number(text, len, ITEM_CURRENT);

		item_node_leaf(item_node_append(&list), &number);
	}
	return item_pack_value(&list);
}
