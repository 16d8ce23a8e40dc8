/*-------------------------------------------------------------------------
 *
 * schema_publish.c
 *	  Writes to a table that publications are about.
 *
 * Core refuses an UPDATE or DELETE that could not be replicated, and from
 * PostgreSQL 18 on also one whose replica identity has generated columns that a
 * publication leaves out.  Those of our keys are generated, both from the item,
 * and a publication leaves them out unless told otherwise, FOR ALL TABLES or
 * one of an older server among them.  A server must not cease to take requests
 * for that, so this one reason does not count here: what is sent is what older
 * versions send (docs/cdc.md).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/compat.h"
#include "catalog/pg_publication.h"
#include "commands/publicationcmds.h"
#include "executor/executor.h"
#include "schema/schema.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

static bool are_sound(Relation rel);
static bool is_sound(Relation rel, Oid publication);

/*
 * Raises if such a command could not be replicated.
 */
void
schema_check_published(Relation rel, CmdType command)
{
	PublicationDesc published;

	RelationBuildPublicationDesc(rel, &published);
	if (!compat_keys_unpublished(&published, command) ||
		rel->rd_rel->relispartition || !are_sound(rel))
		CheckCmdReplicaIdentity(rel, command);
}

/*
 * Having found the one reason, core has not looked for others in all
 * publications.
 */
static bool
are_sound(Relation rel)
{
	List	   *publications =
		list_concat(compat_relation_publications(RelationGetRelid(rel)),
					GetSchemaPublications(RelationGetNamespace(rel)));
	ListCell   *lc;

	foreach(lc, list_concat(publications, GetAllTablesPublications()))
	{
		if (!is_sound(rel, lfirst_oid(lc)))
			return false;
	}
	return true;
}

static bool
is_sound(Relation rel, Oid publication)
{
	HeapTuple	tuple = SearchSysCache1(PUBLICATIONOID,
										ObjectIdGetDatum(publication));
	Form_pg_publication row;
	bool		bad_columns;
	bool		sound;

	if (!HeapTupleIsValid(tuple))
		return false;
	row = (Form_pg_publication) GETSTRUCT(tuple);
	compat_check_columns(row, rel, bad_columns);
	sound = !(row->pubupdate || row->pubdelete) || row->puballtables ||
		(!bad_columns &&
		 !pub_rf_contains_invalid_column(publication, rel, NIL,
										 row->pubviaroot));
	ReleaseSysCache(tuple);
	return sound;
}
