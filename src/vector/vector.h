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

#include "access/genam.h"
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
 * vector_entry.c: what a vector index keeps of an item; NULL: it is not in the
 * index.  A tag is a hash of an attribute's value; 0 where there is none.
 */
#define VECTOR_MAX_TAGS		19

typedef struct VectorEntry
{
	int32		vl_len_;
	uint16		dimensions;
	uint8		ntags;
	uint8		hashed;			/* the first tag is that of the HASH attribute */
	uint32		words[FLEXIBLE_ARRAY_MEMBER];	/* tags, then elements */
} VectorEntry;

extern VectorEntry *vector_make_entry(const IndexDef *index, const Item *item);
extern bool vector_entry_changes(const IndexDef *index, const Item *old_item,
								 const Item *item);
extern uint32 vector_tag(const ItemValue *value);

/*
 * vector_scan.c: entries with certain tags
 */
typedef struct VectorWanted
{
	bool		is_wanted[VECTOR_MAX_TAGS];
	uint32		tags[VECTOR_MAX_TAGS];
} VectorWanted;

typedef struct VectorScan VectorScan;
typedef void (*VectorVisit) (void *arg, const ItemPointerData *tid,
							 const uint32 *tags, const float *elements);

extern VectorScan *vector_scan_begin(Relation index, const IndexDef *def,
									 const VectorWanted *wanted);
extern int	vector_scan_batch(const VectorScan *scan);
extern bool vector_scan_next(VectorScan *scan, VectorVisit visit, void *arg);
extern void vector_scan_end(VectorScan *scan);
extern double vector_scan_estimate(Relation index, const IndexDef *def,
								   const VectorWanted *wanted, double *all);

/* vector_query.c: a search in SQL, for the operators on entries */
extern bytea *vector_make_query(const IndexDef *index,
								const VectorWanted *wanted,
								const float *elements);

/* vector_graph.c: pgvector's indexes on the same vectors */
typedef struct VectorGraph
{
	Oid			relid;
	Oid			cast;			/* of real[] to its type */
	float		greatest;		/* element that it keeps */
	bool		halves;			/* of float4s are its elements */
} VectorGraph;

extern bool vector_graph_find(Relation table, const IndexDef *index,
							  VectorGraph *graph);
extern Datum vector_graph_query(const VectorGraph *graph, int dimensions,
								const float *elements);

/* vector_verify.c */
typedef void (*VectorProblem) (void *arg, BlockNumber block, const char *text);

extern void vector_verify(Relation index, VectorProblem problem, void *arg);

/*
 * vector_distance.c: the service's score.  What all vectors are compared with
 * is prepared once, in the current context: its elements as double, as which they
 * are computed with.
 */
typedef struct VectorTarget
{
	VectorDistance distance;
	int			dimensions;
	double	   *elements;
	double		square;			/* COSINE: the product with itself */
} VectorTarget;

extern void vector_target(VectorTarget *target, VectorDistance distance,
						  int dimensions, const float *elements);
extern double vector_score(const VectorTarget *target, const float *elements);

/* Is the first better than the second? */
extern bool vector_is_better(VectorDistance distance, double a, double b);

#endif							/* DYNAMO_VECTOR_H */
