/*-------------------------------------------------------------------------
 *
 * vector_page.c
 *	  Pages of vector indexes: how they are laid out, made and read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/rel.h"
#include "vector/vector_internal.h"

/* How much more than the least an entry may take for a group of fewer pages. */
#define SPARE(bytes)	((bytes) + (bytes) / 20)

static void try_all(VectorShape *shape);
static bool fits(VectorShape *shape, int npages);
static double entry_bytes(const VectorShape *shape);
static int	first_area(const VectorShape *shape);

/*
 * Initialize a page, of which "used" bytes behind the header are in use.  Those
 * up to its end belong to nobody, and are neither logged nor kept.
 */
void
vector_page_init(Page page, VectorPageKind kind, int used)
{
	VectorOpaque *opaque;

	PageInit(page, BLCKSZ, sizeof(VectorOpaque));
	opaque = (VectorOpaque *) PageGetSpecialPointer(page);
	opaque->kind = kind;
	opaque->page_id = VECTOR_PAGE_ID;
	((PageHeader) page)->pd_lower = VECTOR_PAGE_START + used;
}

/*
 * Is it a page of that kind?  It may be one that a crash left empty.
 */
bool
vector_page_is(Page page, VectorPageKind kind)
{
	const VectorOpaque *opaque;

	if (PageIsNew(page) ||
		PageGetSpecialSize(page) != MAXALIGN(sizeof(VectorOpaque)))
		return false;
	opaque = (const VectorOpaque *) PageGetSpecialPointer(page);
	return opaque->page_id == VECTOR_PAGE_ID && opaque->kind == kind;
}

/*
 * Pin a page, and lock it unless "lock" is BUFFER_LOCK_UNLOCK.  Pages of
 * elements are not locked by readers: the lock on the first page of their group
 * guards them.
 */
Buffer
vector_page_read(Relation index, BlockNumber block, VectorPageKind kind,
				 int lock, BufferAccessStrategy strategy)
{
	Buffer		buffer = ReadBufferExtended(index, MAIN_FORKNUM, block,
											RBM_NORMAL, strategy);

	if (lock != BUFFER_LOCK_UNLOCK)
		LockBuffer(buffer, lock);
	if (!vector_page_is(BufferGetPage(buffer), kind))
		vector_page_corrupted(index, block);
	return buffer;
}

/*
 * The same of a page that another one names.
 */
Buffer
vector_page_follow(Relation index, BlockNumber block, VectorPageKind kind,
				   int lock)
{
	if (block >= RelationGetNumberOfBlocks(index))
		vector_page_corrupted(index, block);
	return vector_page_read(index, block, kind, lock, NULL);
}

void
vector_page_corrupted(Relation index, BlockNumber block)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("page %u of index \"%s\" is not what others say it is",
					block, RelationGetRelationName(index)),
			 errhint("Please REINDEX it.")));
}

/*
 * Copy what the meta page says.  It may have been an index's of another
 * library, or damaged, so nothing is believed that would have us read elsewhere.
 */
void
vector_read_meta(Relation index, VectorMeta *meta)
{
	Buffer		buffer = vector_page_read(index, 0, VECTOR_PAGE_META,
										  BUFFER_LOCK_SHARE, NULL);
	VectorShape shape;

	*meta = *vector_page_meta(BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	shape = meta->shape;
	if (meta->magic != VECTOR_MAGIC || meta->version != VECTOR_VERSION ||
		meta->ngenerations > VECTOR_MAX_GENERATIONS ||
		(shape.dimensions == 0) != (meta->ngenerations == 0) ||
		shape.dimensions > DYNAMO_MAX_DIMENSIONS ||
		shape.ntags > VECTOR_MAX_TAGS)
		vector_page_corrupted(index, 0);
	if (shape.dimensions > 0)
	{
		vector_lay_out(&shape);
		if (shape.npages != meta->shape.npages ||
			shape.nslots != meta->shape.nslots)
			vector_page_corrupted(index, 0);
	}
}

/*
 * How many pages has a group, and how many slots?  Vectors that fill a page badly
 * share several, as few as come within a twentieth of the least.  None may be
 * on more pages than one record of the log can change.
 *
 * Each read and each write of an index asks, and to try all takes longer than to
 * store an entry, so what was found is kept.
 */
void
vector_lay_out(VectorShape *shape)
{
	static VectorShape found[16];
	VectorShape *kept = &found[murmurhash32(shape->dimensions << 8 |
											shape->ntags) % lengthof(found)];

	if (kept->dimensions != shape->dimensions || kept->ntags != shape->ntags)
	{
		*kept = *shape;
		try_all(kept);
	}
	shape->npages = kept->npages;
	shape->nslots = kept->nslots;
}

static void
try_all(VectorShape *shape)
{
	VectorShape tried = *shape;
	double		least = 0;

	for (int npages = VECTOR_MAX_PAGES; npages > 0; npages--)
	{
		if (!fits(&tried, npages))
			continue;
		if (least == 0 || entry_bytes(&tried) < least)
			least = entry_bytes(&tried);
	}
	for (int npages = 1; npages <= VECTOR_MAX_PAGES; npages++)
	{
		if (fits(&tried, npages) && entry_bytes(&tried) <= SPARE(least))
			break;
	}
	*shape = tried;
}

/*
 * Set what groups of so many pages are like; false: there can be none.
 */
static bool
fits(VectorShape *shape, int npages)
{
	Size		slot = VECTOR_SLOT_SIZE(shape);
	Size		space = VECTOR_PAGE_SPACE * npages - sizeof(VectorGroup);
	VectorSpan	spans[VECTOR_MAX_SPANS];

	shape->npages = npages;
	shape->nslots = space / (slot + sizeof(float) * shape->dimensions);
	if (shape->nslots == 0 ||
		sizeof(VectorGroup) + slot * shape->nslots > VECTOR_PAGE_SPACE)
		return false;
	for (int i = 0; i < shape->nslots; i++)
	{
		int			n = vector_spans(shape, i, spans);

		if (n == 0 || (n == VECTOR_MAX_SPANS && spans[0].page != 0))
			return false;
	}
	return true;
}

static double
entry_bytes(const VectorShape *shape)
{
	return (double) BLCKSZ * shape->npages / shape->nslots;
}

/*
 * Where do the elements of a slot lie?  Returns in how many stretches; 0: in
 * more than an entry may have.
 */
int
vector_spans(const VectorShape *shape, int slot, VectorSpan *spans)
{
	int			area = first_area(shape);
	int			len = sizeof(float) * shape->dimensions;
	int			at = len * slot;	/* in the bytes of all pages */
	int			n = 0;

	while (len > 0)
	{
		VectorSpan *span = &spans[n];
		int			space = VECTOR_PAGE_SPACE - area;

		if (n++ == VECTOR_MAX_SPANS)
			return 0;
		if (at < space)
		{
			span->page = 0;
			span->offset = VECTOR_PAGE_START + area + at;
			span->len = Min(len, space - at);
		}
		else
		{
			int			rest = (at - space) % VECTOR_PAGE_SPACE;

			span->page = 1 + (at - space) / VECTOR_PAGE_SPACE;
			span->offset = VECTOR_PAGE_START + rest;
			span->len = Min(len, VECTOR_PAGE_SPACE - rest);
		}
		at += span->len;
		len -= span->len;
	}
	return n;
}

/* What of the first page the slots take. */
static int
first_area(const VectorShape *shape)
{
	return sizeof(VectorGroup) + VECTOR_SLOT_SIZE(shape) * shape->nslots;
}

/*
 * The page of the directory that has a bucket, locked, and its place there.
 */
Buffer
vector_page_bucket(Relation index, const VectorMeta *meta, uint32 generation,
				   uint32 bucket, int lock, int *n)
{
	*n = bucket % VECTOR_PAGE_BUCKETS;
	return vector_page_follow(index, meta->directories[generation] +
							  bucket / VECTOR_PAGE_BUCKETS,
							  VECTOR_PAGE_DIRECTORY, lock);
}
