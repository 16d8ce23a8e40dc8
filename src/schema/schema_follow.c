/*-------------------------------------------------------------------------
 *
 * schema_follow.c
 *	  Telling the rooms above that a definition is read, has changed, or is
 *	  gone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "schema/schema_internal.h"
#include "utils/inval.h"

#define MAX_FOLLOWERS	6

SchemaCluster schema_cluster;

static SchemaFollower followers[MAX_FOLLOWERS];
static int	nfollowers = 0;

/*
 * Have the follower called from now on, as long as the process lives.  At most
 * MAX_FOLLOWERS; they are called in the order in which they came.  For a layer
 * that initializes.
 */
void
schema_follow(const SchemaFollower *follower)
{
	if (nfollowers == MAX_FOLLOWERS)
		elog(ERROR, "too many followers of definitions");
	followers[nfollowers++] = *follower;
}

/*
 * Complete a definition whose own rows have been read.
 */
void
schema_follow_read(TableDef *def)
{
	for (int i = 0; i < nfollowers; i++)
	{
		if (followers[i].read)
			followers[i].read(def);
	}
}

/*
 * A relation is no table any more.  Its row has been deleted.
 */
void
schema_table_gone(Oid relid, Oid owner)
{
	for (int i = 0; i < nfollowers; i++)
	{
		if (followers[i].gone)
			followers[i].gone(relid, owner);
	}
}

void
schema_follow_dropped(Oid relid)
{
	for (int i = 0; i < nfollowers; i++)
	{
		if (followers[i].dropped)
			followers[i].dropped(relid);
	}
}

/*
 * Are changes to the relation to be recorded?  Unlike a definition, that
 * can be asked of a relation whose columns somebody has changed.
 */
bool
schema_has_capture(Oid relid)
{
	for (int i = 0; i < nfollowers; i++)
	{
		if (followers[i].captures && followers[i].captures(relid))
			return true;
	}
	return false;
}

/*
 * Make the definition rows of "relid" visible to this transaction, and have
 * every backend read them anew: this one now, others at commit.  Those of a
 * distributed table change on all nodes.
 */
void
schema_definition_changed(Oid relid)
{
	CacheInvalidateRelcacheByRelid(relid);
	CommandCounterIncrement();
	schema_cluster.changed(relid);
}
