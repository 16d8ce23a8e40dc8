/*-------------------------------------------------------------------------
 *
 * vector.h
 *	  Vectors in items: what an index on them takes, and how far they are from
 *	  each other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_VECTOR_H
#define DYNAMO_VECTOR_H

#include "postgres.h"

#include "item/item.h"
#include "schema/schema.h"

/* vector_value.c: numbers of items as elements of vectors, rounded to float4 */
typedef enum VectorElement
{
	VECTOR_ELEMENT_OK,
	VECTOR_ELEMENT_TYPE,		/* it is no number */
	VECTOR_ELEMENT_RANGE		/* it is beyond float4 */
} VectorElement;

extern VectorElement vector_element(const ItemValue *value, float *element);

/*
 * All of a list; false: it is none, of another length, or has a bad element.
 * Without a place for them they are not looked at but for their type.
 */
extern bool vector_read(const ItemValue *value, int dimensions,
						float *elements);

/* As the API gives them back */
extern ItemValue vector_value(const float *elements, int dimensions);

/*
 * vector_check.c: what an item may have in the attributes of vector indexes.
 * All raise ValidationException.
 */
extern void vector_check_item(const TableDef *def, const Item *item);
extern void vector_check_attribute(const IndexDef *index, const Item *item,
								   const char *name);

/* Is the item in the index?  If it is, its vector; "elements" may be NULL */
extern bool vector_in_index(const IndexDef *index, const Item *item,
							float *elements);

/*
 * vector_distance.c: the service's score.  What all vectors are compared with
 * is prepared once; its elements stay where they are.
 */
typedef struct VectorTarget
{
	VectorDistance distance;
	int			dimensions;
	const float *elements;
	double		square;			/* COSINE: the product with itself */
} VectorTarget;

extern void vector_target(VectorTarget *target, VectorDistance distance,
						  int dimensions, const float *elements);
extern double vector_score(const VectorTarget *target, const float *elements);

/* Is the first better than the second? */
extern bool vector_is_better(VectorDistance distance, double a, double b);

#endif							/* DYNAMO_VECTOR_H */
