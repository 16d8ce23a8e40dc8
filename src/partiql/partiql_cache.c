/*-------------------------------------------------------------------------
 *
 * partiql_cache.c
 *	  Statements that this process has parsed, by their texts.
 *
 * A parsed statement is what its text says, and no more: it depends on no
 * table, setting or role, so nothing makes it wrong.  The cache holds a
 * limited number of short texts; the one used longest ago gives way.  It may be
 * in use still, so it goes with the transaction.
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

typedef struct Slot
{
	MemoryContext context;		/* holds text and statement; NULL: free */
	uint32		hash;
	uint64		used;			/* when, counted in look-ups */
	const char *text;
	const PartiqlStatement *statement;
} Slot;

static Slot slots[SLOTS];
static uint64 lookups = 0;

static Slot *find_slot(const char *text, uint32 hash);
static void fill_slot(Slot *slot, const char *text, uint32 hash);

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
	if (slot->context == NULL || slot->hash != hash ||
		strcmp(slot->text, text) != 0)
		fill_slot(slot, text, hash);
	slot->used = ++lookups;
	return slot->statement;
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
		if (slot->context && slot->hash == hash &&
			strcmp(slot->text, text) == 0)
			return slot;
		if (slot->used < oldest->used)
			oldest = slot;
	}
	return oldest;
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
	const char *copy = pstrdup(text);
	const PartiqlStatement *statement = partiql_parse_text(copy);

	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, CacheMemoryContext);
	if (slot->context)
		MemoryContextSetParent(slot->context, TopTransactionContext);
	slot->context = context;
	slot->hash = hash;
	slot->text = copy;
	slot->statement = statement;
}
