/*-------------------------------------------------------------------------
 *
 * partiql_cache.c
 *	  Statements that this process has parsed, by their texts.
 *
 * A parsed statement is what its text says, and no more: it depends on no
 * table, setting or role, so nothing makes it wrong.  The cache holds a
 * limited number of short texts; the one used longest ago gives way.  It may be
 * in use still, so it goes with the last context that it was asked for in.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "partiql/partiql_internal.h"
#include "utils/memutils.h"

#define SLOTS	256				/* statements kept at most */
#define WAYS	4				/* places that a text may be in */
#define MAX_LENGTH	1024		/* longer texts are parsed each time */

/* A statement; lies in its own context */
typedef struct Kept
{
	MemoryContext context;
	uint32		hash;
	const char *text;
	const PartiqlStatement *statement;
	int			users;			/* contexts that it is in use in */
	bool		dropped;		/* out of the cache */
} Kept;

typedef struct Slot
{
	Kept	   *kept;			/* NULL: free */
	uint64		used;			/* when, counted in look-ups */
} Slot;

static Slot slots[SLOTS];
static uint64 lookups = 0;

static Slot *find_slot(const char *text, uint32 hash);
static bool holds(const Slot *slot, const char *text, uint32 hash);
static void fill_slot(Slot *slot, const char *text, uint32 hash);
static void hold(Kept *kept);
static void release(void *arg);
static void drop(Kept *kept);

/*
 * See partiql.h.
 */
const PartiqlStatement *
partiql_parse(const char *text)
{
	size_t		length = strlen(text);
	uint32		hash;
	Slot	   *slot;

	if (length > MAX_LENGTH)
		return partiql_parse_text(text);
	hash = hash_bytes((const unsigned char *) text, length);
	slot = find_slot(text, hash);
	if (!holds(slot, text, hash))
		fill_slot(slot, text, hash);
	slot->used = ++lookups;
	hold(slot->kept);
	return slot->kept->statement;
}

/*
 * Where a text is, or the place that it gets.
 */
static Slot *
find_slot(const char *text, uint32 hash)
{
	Slot	   *first = &slots[hash % (SLOTS / WAYS) * WAYS];
	Slot	   *oldest = first;

	for (Slot *slot = first; slot < first + WAYS; slot++)
	{
		if (holds(slot, text, hash))
			return slot;
		if (slot->used < oldest->used)
			oldest = slot;
	}
	return oldest;
}

static bool
holds(const Slot *slot, const char *text, uint32 hash)
{
	return slot->kept && slot->kept->hash == hash &&
		strcmp(slot->kept->text, text) == 0;
}

/*
 * Parse into a context that becomes the cache's only once nothing can fail.
 */
static void
fill_slot(Slot *slot, const char *text, uint32 hash)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo statement",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Kept	   *kept = palloc0(sizeof(Kept));

	kept->context = context;
	kept->hash = hash;
	kept->text = pstrdup(text);
	kept->statement = partiql_parse_text(kept->text);
	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, CacheMemoryContext);
	if (slot->kept)
		drop(slot->kept);
	slot->kept = kept;
}

/*
 * Keep a statement for as long as the current context.
 */
static void
hold(Kept *kept)
{
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	callback->func = release;
	callback->arg = kept;
	kept->users++;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

static void
release(void *arg)
{
	Kept	   *kept = arg;

	kept->users--;
	if (kept->dropped && kept->users == 0)
		MemoryContextDelete(kept->context);
}

static void
drop(Kept *kept)
{
	kept->dropped = true;
	if (kept->users == 0)
		MemoryContextDelete(kept->context);
}
