/*-------------------------------------------------------------------------
 *
 * archive_elsewhere.c
 *	  Backups that other nodes of a Citus cluster have.
 *
 * A backup is a relation of the node that was asked for it.  What that cannot
 * be found here by is asked of the others, each as the current user, who sees
 * there what he would see if he had asked there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "archive/archive_internal.h"
#include "datatype/timestamp.h"
#include "shard/shard.h"
#include "utils/builtins.h"

/* One that is there, or else the job that makes it; nothing: '' */
#define LOOK \
	"SELECT COALESCE((SELECT pg_catalog.json_build_object('Group', g.groupid, " \
	"'Table', b.table_name, 'TableId', b.table_id, " \
	"'CreatedAt', (extract(epoch FROM b.created_at) OPERATOR(pg_catalog.*) 1000000)::pg_catalog.int8, " \
	"'Definition', b.definition, " \
	"'Readable', pg_catalog.has_table_privilege(b.relation, 'SELECT'))::pg_catalog.text " \
	"FROM dynamo.backups AS b, pg_catalog.pg_dist_local_group AS g " \
	"WHERE b.backup_id OPERATOR(pg_catalog.=) %s), " \
	"(SELECT pg_catalog.json_build_object('Group', g.groupid, 'Table', j.table_name)::pg_catalog.text " \
	"FROM dynamo.jobs AS j, pg_catalog.pg_dist_local_group AS g " \
	"WHERE j.job OPERATOR(pg_catalog.=) %s AND j.kind OPERATOR(pg_catalog.=) 'BACKUP' AND j.ended_at IS NULL), '')"

/* Is a table restored from it? */
#define RESTORES \
	"SELECT pg_catalog.count(*) FROM dynamo.jobs AS j " \
	"WHERE j.kind OPERATOR(pg_catalog.=) 'RESTORE' AND j.ended_at IS NULL " \
	"AND (j.request OPERATOR(pg_catalog.->>) 'BackupId') OPERATOR(pg_catalog.=) %s"

/*
 * Found by its id; NULL: no node has it that the user may know of.
 */
Backup *
archive_find_elsewhere(DynamoRequest *request, const char *id, bool *creating)
{
	char	   *quoted = quote_literal_cstr(id);
	char	   *text = shard_find_elsewhere(request,
											psprintf(LOOK, quoted, quoted));
	json_t	   *found;
	Backup	   *backup;

	if (text == NULL)
		return NULL;
	found = control_settings(text);
	backup = palloc0(sizeof(Backup));
	strlcpy(backup->id, id, sizeof(backup->id));
	backup->elsewhere = true;
	backup->group = json_integer_value(json_object_get(found, "Group"));
	backup->table_name = pstrdup(wire_json_text_in(found, "Table"));
	*creating = json_object_get(found, "TableId") == NULL;
	if (*creating)
		return backup;
	strlcpy(backup->table_id, wire_json_text_in(found, "TableId"),
			sizeof(backup->table_id));
	backup->created_at = json_integer_value(json_object_get(found, "CreatedAt")) -
		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	backup->definition = unconstify(char *,
									wire_json_document(json_object_get(found, "Definition")));
	backup->readable = json_is_true(json_object_get(found, "Readable"));
	return backup;
}

/*
 * Does the coordinator, which restores for all nodes, restore a table from it?
 * If it does not answer it does not either.
 */
bool
archive_is_restored(const Backup *backup)
{
	char	   *count;

	if (!shard_is_worker())
		return false;
	count = shard_try_coordinator(psprintf(RESTORES,
										   quote_literal_cstr(backup->id)));
	return count != NULL && strcmp(count, "0") != 0;
}
