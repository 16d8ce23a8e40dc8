/*-------------------------------------------------------------------------
 *
 * base_parsed.c
 *	  What this process has parsed, by its text.
 *
 * What comes of a parse is what the text says, and no more: it depends on no
 * table, setting or role, so nothing makes it wrong.  A cache holds a limited
 * number of short texts; the one used longest ago gives way.  What it became
 * may be in use still, so it goes with the last context that it was asked for
 * in.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "common/hashfn.h"
#include "utils/memutils.h"

#define SLOTS	DYNAMO_PARSED_SLOTS
#define WAYS	4				/* places that a text may be in */
#define MAX_LENGTH	1024		/* longer texts are parsed each time */

/* A text that was parsed; lies in its own context */
typedef struct DynamoParsed
{
	MemoryContext context;
	uint32		hash;
	int			kind;
	const char *text;
	const void *result;
	int			users;			/* contexts that it is in use in */
	bool		dropped;		/* out of the cache */
} Parsed;

typedef DynamoParsedSlot Slot;

static Slot *find_slot(DynamoParsedCache *cache, int kind, const char *text,
					   uint32 hash);
static bool holds(const Slot *slot, int kind, const char *text, uint32 hash);
static void fill_slot(DynamoParsedCache *cache, Slot *slot, int kind,
					  const char *text, uint32 hash);
static void hold_parsed(Parsed *parsed);
static void release_parsed(void *arg);
static void drop_parsed(Parsed *parsed);

/*
 * What cache->parse() makes of the text, which it remembers by kind and text.
 * The result lives as long as the context that was current, and may be shared:
 * the caller must not change it.
 */
const void *
dynamo_parsed(DynamoParsedCache *cache, int kind, const char *text)
{
	size_t		length = strlen(text);
	uint32		hash;
	Slot	   *slot;

	if (length > MAX_LENGTH)
		return cache->parse(kind, text);
	hash = hash_bytes((const unsigned char *) text, length);
	slot = find_slot(cache, kind, text, hash);
	if (!holds(slot, kind, text, hash))
		fill_slot(cache, slot, kind, text, hash);
	slot->used = ++cache->lookups;
	hold_parsed(slot->parsed);
	return slot->parsed->result;
}

/*
 * Where a text is, or the place that it gets.
 */
static Slot *
find_slot(DynamoParsedCache *cache, int kind, const char *text, uint32 hash)
{
	Slot	   *first = &cache->slots[hash % (SLOTS / WAYS) * WAYS];
	Slot	   *oldest = first;

	for (Slot *slot = first; slot < first + WAYS; slot++)
	{
		if (holds(slot, kind, text, hash))
			return slot;
		if (slot->used < oldest->used)
			oldest = slot;
	}
	return oldest;
}

static bool
holds(const Slot *slot, int kind, const char *text, uint32 hash)
{
	return slot->parsed && slot->parsed->hash == hash &&
		slot->parsed->kind == kind && strcmp(slot->parsed->text, text) == 0;
}

/*
 * Parse into a context that becomes the cache's only once nothing can fail.
 */
static void
fill_slot(DynamoParsedCache *cache, Slot *slot, int kind, const char *text,
		  uint32 hash)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo parsed text",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Parsed	   *parsed = palloc0(sizeof(Parsed));

	parsed->context = context;
	parsed->hash = hash;
	parsed->kind = kind;
	parsed->text = pstrdup(text);
	MemoryContextSetIdentifier(context, parsed->text);
	parsed->result = cache->parse(kind, parsed->text);
	MemoryContextSwitchTo(caller);
	MemoryContextSetParent(context, CacheMemoryContext);
	if (slot->parsed)
		drop_parsed(slot->parsed);
	slot->parsed = parsed;
}

/*
 * Keep what was parsed for as long as the current context.
 */
static void
hold_parsed(Parsed *parsed)
{
	MemoryContextCallback *callback = palloc0(sizeof(MemoryContextCallback));

	callback->func = release_parsed;
	callback->arg = parsed;
	parsed->users++;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
}

static void
release_parsed(void *arg)
{
	Parsed	   *parsed = arg;

	parsed->users--;
	if (parsed->dropped && parsed->users == 0)
		MemoryContextDelete(parsed->context);
}

static void
drop_parsed(Parsed *parsed)
{
	parsed->dropped = true;
	if (parsed->users == 0)
		MemoryContextDelete(parsed->context);
}
