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

#define MAX_WATCHERS	8

static DynamoWatcher watchers[MAX_WATCHERS];
static int	nwatchers = 0;

static void relation_changed(Datum arg, Oid relid);

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
		CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	watchers[nwatchers++] = watcher;
}

static void
relation_changed(Datum arg, Oid relid)
{
	for (int i = 0; i < nwatchers; i++)
		watchers[i] (relid);
}
