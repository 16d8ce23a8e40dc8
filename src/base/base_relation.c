/*-------------------------------------------------------------------------
 *
 * base_relation.c
 *	  One relcache callback for all our caches.
 *
 * Core has room for ten relcache callbacks in a process, for all extensions
 * together, and the eleventh ends the process.  So we register one, and it
 * calls every cache of ours.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define MAX_WATCHERS	8

static DynamoWatcher watchers[MAX_WATCHERS];
static int	nwatchers = 0;

static void tell_watchers(Datum arg, Oid relid);
static void drop_gone(DynamoCache *cache);

/*
 * Have "watcher" called, from now on, whenever a relcache entry of this
 * process is invalidated: right after the entry was rebuilt, in the order in
 * which watchers came.  One that watches already is not called twice.
 */
void
dynamo_watch_relations(DynamoWatcher watcher)
{
	for (int i = 0; i < nwatchers; i++)
	{
		if (watchers[i] == watcher)
			return;
	}
	if (nwatchers == MAX_WATCHERS)
		elog(ERROR, "too many watchers of relations");
	if (nwatchers == 0)
		CacheRegisterRelcacheCallback(tell_watchers, (Datum) 0);
	watchers[nwatchers++] = watcher;
}

static void
tell_watchers(Datum arg, Oid relid)
{
	for (int i = 0; i < nwatchers; i++)
		watchers[i] (relid);
}

void *
dynamo_cache_get(DynamoCache *cache, Oid relid)
{
	DynamoKnown *known;

	if (cache->entries == NULL)
	{
		HASHCTL		ctl = {.keysize = sizeof(Oid),
			.entrysize = cache->entry_size,
		.hcxt = CacheMemoryContext};

		cache->entries = hash_create(cache->name, 32, &ctl,
									 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		dynamo_watch_relations(cache->watcher);
	}
	known = hash_search(cache->entries, &relid, HASH_FIND, NULL);
	if (known != NULL)
		return known;
	drop_gone(cache);
	known = hash_search(cache->entries, &relid, HASH_ENTER, NULL);
	memset(known, 0, cache->entry_size);
	known->relid = relid;
	return known;
}

/*
 * They would stay for ever.  One of a relation that is there may be in use.
 */
static void
drop_gone(DynamoCache *cache)
{
	HASH_SEQ_STATUS scan;
	DynamoKnown *known;

	hash_seq_init(&scan, cache->entries);
	while ((known = hash_seq_search(&scan)) != NULL)
	{
		if (known->valid || get_rel_relkind(known->relid) != '\0')
			continue;
		if (cache->release)
			cache->release(known);
		(void) hash_search(cache->entries, &known->relid, HASH_REMOVE, NULL);
	}
}

void *
dynamo_cache_look(const DynamoCache *cache, Oid relid)
{
	return cache->entries == NULL ? NULL :
		hash_search(cache->entries, &relid, HASH_FIND, NULL);
}
