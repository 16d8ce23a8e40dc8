/*-------------------------------------------------------------------------
 *
 * vector_internal.h
 *	  The pages of the index access method dynamo_vector.
 *
 * Block 0 is the meta page.  Behind it, in no order, are directories, each a
 * row of pages with the buckets of one generation, and groups: some pages in a
 * row that hold entries.  The first page of a group has its slots, one an entry;
 * the elements of all of them follow, one vector after another, over the rest of
 * that page and the next ones.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_VECTOR_INTERNAL_H
#define DYNAMO_VECTOR_INTERNAL_H

#include "postgres.h"

#include "access/genam.h"
#include "nodes/pathnodes.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"
#include "utils/relcache.h"
#include "vector/vector.h"

typedef enum VectorPageKind
{
	VECTOR_PAGE_META = 1,
	VECTOR_PAGE_DIRECTORY,
	VECTOR_PAGE_GROUP,			/* the first of a group */
	VECTOR_PAGE_ELEMENTS		/* another one of it */
} VectorPageKind;

/* At the end of every page */
typedef struct VectorOpaque
{
	uint16		kind;
	uint16		page_id;		/* for tools that look at pages */
} VectorOpaque;

#define VECTOR_PAGE_ID		0xFFA1
#define VECTOR_PAGE_START	MAXALIGN(SizeOfPageHeaderData)
#define VECTOR_PAGE_END		(BLCKSZ - MAXALIGN(sizeof(VectorOpaque)))
#define VECTOR_PAGE_SPACE	(VECTOR_PAGE_END - VECTOR_PAGE_START)

/* What all entries of an index have in common */
typedef struct VectorShape
{
	uint16		dimensions;		/* 0: nothing has been stored yet */
	uint8		ntags;
	uint8		hashed;			/* the first tag tells the bucket */
	uint16		npages;			/* of a group */
	uint16		nslots;
} VectorShape;

#define VECTOR_MAX_PAGES	8

/*
 * A generation has four times the buckets of the one before; the first has one.
 */
#define VECTOR_MAX_GENERATIONS	9
#define VECTOR_BUCKETS(generation) ((uint32) 1 << (2 * (generation)))

#define VECTOR_MAGIC		0x76656331
#define VECTOR_VERSION		1

typedef struct VectorMeta
{
	uint32		magic;
	uint32		version;
	VectorShape shape;
	uint32		ngenerations;	/* 0: nothing has been stored yet */
	uint32		groups;			/* in the newest one */
	uint32		roomy;			/* a bit for each in which VACUUM has found
								 * much room */
	BlockNumber directories[VECTOR_MAX_GENERATIONS];	/* their first pages */
} VectorMeta;

typedef struct VectorBucket
{
	BlockNumber head;			/* the newest of its groups */
	BlockNumber open;			/* the first of those that may have room */
} VectorBucket;

#define VECTOR_PAGE_BUCKETS	(VECTOR_PAGE_SPACE / sizeof(VectorBucket))

/* At the start of a group; its slots follow. */
typedef struct VectorGroup
{
	BlockNumber next;			/* the one before it in its bucket; always
								 * lower than its own */
	BlockNumber open_next;		/* the next one that may have room */
	uint32		bucket;
	uint16		generation;
	uint16		listed;			/* it is in that list */
	uint16		used;			/* entries */
	uint16		first_free;		/* all slots before this one are taken */
} VectorGroup;

typedef struct VectorSlot
{
	ItemPointerData tid;		/* not valid: the slot is free */
	uint16		unused;
	uint32		tags[FLEXIBLE_ARRAY_MEMBER];
} VectorSlot;

#define VECTOR_SLOT_SIZE(shape) \
	(offsetof(VectorSlot, tags) + sizeof(uint32) * (shape)->ntags)

static inline VectorMeta *
vector_page_meta(Page page)
{
	return (VectorMeta *) (page + VECTOR_PAGE_START);
}

static inline VectorBucket *
vector_page_buckets(Page page)
{
	return (VectorBucket *) (page + VECTOR_PAGE_START);
}

static inline VectorGroup *
vector_page_group(Page page)
{
	return (VectorGroup *) (page + VECTOR_PAGE_START);
}

static inline VectorSlot *
vector_page_slot(Page page, const VectorShape *shape, int slot)
{
	return (VectorSlot *) (page + VECTOR_PAGE_START + sizeof(VectorGroup) +
						   VECTOR_SLOT_SIZE(shape) * slot);
}

/*
 * vector_page.c
 */

/* Where a stretch of a vector's elements lies in its group. */
typedef struct VectorSpan
{
	int			page;
	int			offset;
	int			len;			/* bytes */
} VectorSpan;

#define VECTOR_MAX_SPANS	4

extern void vector_page_init(Page page, VectorPageKind kind, int used);
extern Buffer vector_page_read(Relation index, BlockNumber block,
							   VectorPageKind kind, int lock,
							   BufferAccessStrategy strategy);
extern Buffer vector_page_follow(Relation index, BlockNumber block,
								 VectorPageKind kind, int lock);
extern bool vector_page_is(Page page, VectorPageKind kind);
extern void vector_page_corrupted(Relation index, BlockNumber block)
			pg_attribute_noreturn();
extern void vector_read_meta(Relation index, VectorMeta *meta);
extern void vector_lay_out(VectorShape *shape);
extern int	vector_spans(const VectorShape *shape, int slot, VectorSpan *spans);
extern Buffer vector_page_bucket(Relation index, const VectorMeta *meta,
								 uint32 generation, uint32 bucket, int lock,
								 int *n);

/*
 * vector_query.c: what operators on entries ask for
 */
typedef struct VectorAsked
{
	VectorShape shape;			/* of entries: dimensions, ntags, hashed */
	VectorWanted wanted;
	VectorTarget target;
} VectorAsked;

extern VectorAsked *vector_read_query(const bytea *bytes);
extern double vector_nearness(const VectorAsked *query,
							  const float *elements);

/* vector_order.c: plans that read an index */
extern void vector_estimate_cost(PlannerInfo *root, IndexPath *path,
								 double loop_count, Cost *startup_cost,
								 Cost *total_cost, Selectivity *selectivity,
								 double *correlation, double *pages);
extern IndexScanDesc vector_begin_ordered(Relation index, int nkeys,
										  int norderbys);
extern void vector_restart_ordered(IndexScanDesc scan, ScanKey keys, int nkeys,
								   ScanKey orderbys, int norderbys);
extern bool vector_next_ordered(IndexScanDesc scan, ScanDirection direction);
extern void vector_end_ordered(IndexScanDesc scan);

/* vector_insert.c */
extern void vector_insert(Relation index, const VectorEntry *entry,
						  const ItemPointerData *tid);

/* vector_vacuum.c */
extern IndexBulkDeleteResult *vector_bulk_delete(IndexVacuumInfo *info,
												 IndexBulkDeleteResult *stats,
												 IndexBulkDeleteCallback callback,
												 void *callback_state);
extern IndexBulkDeleteResult *vector_vacuum_cleanup(IndexVacuumInfo *info,
													IndexBulkDeleteResult *stats);

#endif							/* DYNAMO_VECTOR_INTERNAL_H */
