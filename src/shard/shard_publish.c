/*-------------------------------------------------------------------------
 *
 * shard_publish.c
 *	  Telling others that a definition has changed: other backends, and the
 *	  other nodes of a Citus cluster.
 *
 * Every node has the rows of a distributed table in its own dynamo.tables and
 * dynamo.indexes, with the OID that the relation has there.  The coordinator
 * changes them, and has the others do the same in its transaction, which Citus
 * commits in two phases: all nodes have the change, or none.
 *
 * dynamo_internal.nodes is how it is sent.  It has one row, and where there
 * are distributed tables it is a reference table, of which every node has a
 * copy.  An UPDATE is run on all of them, and calls take_definition() on each.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "journal/journal.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/json.h"
#include "utils/memutils.h"

static bool may_send(void);
static Datum others_text(Datum name, const StreamDef *stream,
						 const RecoveryDef *recovery);
static void send(const char *name, Datum *rows);
static Datum text_of(const char *query, Oid type, Datum argument);

/* What is sent of a table. */
enum
{
	SENT_TABLE,
	SENT_INDEXES,
	SENT_STREAMS,
	SENT_OTHERS,				/* its stream's shards, policies, recovery */
	SENT
};

#define ROW \
	"SELECT t::pg_catalog.text FROM dynamo.tables AS t " \
	"WHERE t.relation OPERATOR(pg_catalog.=) $1"

/*
 * The same of a table that an import has not filled yet.  The job is this node's,
 * so others know it by a member of their settings.
 */
#define FILLING_ROW \
	"SELECT pg_catalog.json_populate_record(t, pg_catalog.json_build_object('settings', " \
	"('{" SCHEMA_FILLING "' OPERATOR(pg_catalog.||) " \
	"CASE WHEN t.settings::pg_catalog.text OPERATOR(pg_catalog.=) '{}' THEN '' ELSE ',' END OPERATOR(pg_catalog.||) " \
	"pg_catalog.substr(t.settings::pg_catalog.text, 2))::pg_catalog.json))::pg_catalog.text " \
	"FROM dynamo.tables AS t WHERE t.relation OPERATOR(pg_catalog.=) $1"

/*
 * The rows of a table have changed: if it is a distributed one, change them on
 * all other nodes.
 */
void
shard_publish(Oid relid)
{
	Datum		rows[SENT];
	Datum		name;

	if (!shard_is_distributed(relid) || !shard_is_coordinator() ||
		!shard_is_distributed(shard_nodes()))
		return;
	rows[SENT_TABLE] = text_of(schema_is_filling && schema_is_filling(relid) ? FILLING_ROW : ROW,
							   REGCLASSOID, ObjectIdGetDatum(relid));
	if (rows[SENT_TABLE] == (Datum) 0)
		return;
	name = text_of("SELECT t.table_name FROM dynamo.tables AS t WHERE t.relation OPERATOR(pg_catalog.=) $1",
				   REGCLASSOID, ObjectIdGetDatum(relid));
	rows[SENT_INDEXES] = text_of("SELECT pg_catalog.array_agg(i)::pg_catalog.text FROM dynamo.indexes AS i WHERE i.table_name OPERATOR(pg_catalog.=) $1",
								 TEXTOID, name);
	rows[SENT_STREAMS] = text_of("SELECT pg_catalog.array_agg(s)::pg_catalog.text FROM dynamo.streams AS s WHERE s.relation OPERATOR(pg_catalog.=) $1 AND s.shards OPERATOR(pg_catalog.=) 0",
								 REGCLASSOID, ObjectIdGetDatum(relid));
	rows[SENT_OTHERS] = others_text(name, stream_of_relation(relid),
									journal_find(relid));
	send(TextDatumGetCString(name), rows);
}

/*
 * Policies of a table, their principals by name.  One that was dropped is nobody:
 * its number may be another role elsewhere.
 */
#define POLICIES \
	"(SELECT t.table_name, t.stream_label, t.table_id, t.revision_id, t.document, " \
	"ARRAY(SELECT coalesce(r.oid, 0::pg_catalog.oid)::pg_catalog.regrole " \
	"FROM pg_catalog.unnest(t.principals) WITH ORDINALITY AS o (role, n) " \
	"LEFT JOIN pg_catalog.pg_roles AS r ON r.oid OPERATOR(pg_catalog.=) o.role::pg_catalog.oid ORDER BY o.n) " \
	"FROM dynamo.resource_policies AS t WHERE t.table_name OPERATOR(pg_catalog.=) $1)"

/*
 * As JSON: {"places": [...], "policies": "rows as text", "recovery": days}, without
 * the second if the table and its streams have no policies, and without the third
 * if it has no point-in-time recovery.
 */
static Datum
others_text(Datum name, const StreamDef *stream, const RecoveryDef *recovery)
{
	StringInfoData out;
	Oid			type = TEXTOID;
	char	   *policies = NULL;

	shard_run_as_owner("SELECT pg_catalog.array_agg(p)::pg_catalog.text FROM " POLICIES " AS p",
					   1, &type, &name, meta_take_text, &policies);
	initStringInfo(&out);
	appendStringInfo(&out, "{\"places\":%s",
					 stream ? TextDatumGetCString(shard_places_text(stream->id)) : "[]");
	if (policies != NULL)
	{
		appendStringInfoString(&out, ",\"policies\":");
		escape_json(&out, policies);
	}
	if (recovery != NULL)
		appendStringInfo(&out, ",\"recovery\":%d", recovery->days);
	appendStringInfoChar(&out, '}');
	return CStringGetTextDatum(out.data);
}

/*
 * Have all nodes take the policies that a table has now.  False: they are to be
 * sent by another way, since this is not the coordinator, or the current user may
 * not send definitions.  Who may does it in his own session at the nodes: what the
 * owner of the extension sends in the same transaction would wait for that.
 */
bool
shard_publish_policies(const TableDef *def)
{
	if (!shard_is_coordinator() || !may_send())
		return false;
	CommandCounterIncrement();
	shard_publish(def->relid);
	return true;
}

/*
 * The rows of a table have been deleted.  Its relation may be gone; then
 * nobody knows any more whether it was distributed.  A row that stays on a
 * node without a relation is no table, so a role that may not tell the nodes
 * need not.
 */
void
shard_publish_removal(const char *name)
{
	Datum		rows[SENT] = {0};

	if (shard_is_coordinator() &&
		shard_is_distributed(shard_nodes()) && may_send())
		send(name, rows);
}

static bool
may_send(void)
{
	return pg_class_aclcheck(shard_nodes(), GetUserId(),
							 ACL_UPDATE) == ACLCHECK_OK;
}

static void
send(const char *name, Datum *rows)
{
	Oid			types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(name), rows[SENT_TABLE],
		rows[SENT_INDEXES], rows[SENT_STREAMS], rows[SENT_OTHERS]};

	shard_run_on_nodes("UPDATE dynamo_internal.nodes SET taken = dynamo_internal.take_definition(taken, $1, $2, $3, $4, $5)",
					   lengthof(types), types, values);
}

/*
 * The text that a query gives, in the current context; 0: null, or no row.
 */
static Datum
text_of(const char *query, Oid type, Datum argument)
{
	char	   *text = meta_query_text(query, 1, &type, &argument);

	return text ? CStringGetTextDatum(text) : (Datum) 0;
}
