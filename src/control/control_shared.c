/*-------------------------------------------------------------------------
 *
 * control_shared.c
 *	  Access keys and policies are the same at all nodes of a Citus cluster.
 *
 * A client may be led to any node, so a key must be known there, and what a
 * policy denies must be denied there.  Each node has the rows in tables of its
 * own, which every request reads.  A node that changes a row sends it to the
 * others by an UPDATE of dynamo_internal.nodes, as definitions are sent
 * (../shard/shard_publish.c), but from any node: it runs take_row() on all of
 * them, in the same transaction.  Roles go by their names, so a role must be
 * at all nodes.  Otherwise the change is refused.
 *
 * Before the first table is distributed there is nobody to send to.  Then all
 * keys and policies of roles that the coordinator has are sent, and again when
 * nodes have come since.  What others have besides stays, such as a key that was
 * dropped while its node was away.  Policies of tables that are not distributed
 * are their node's own; those of others go with the definition, where the user may
 * send that, and else as keys do.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "control/control_internal.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "utils/array.h"
#include "utils/builtins.h"

#define ROLE_IS_KEY \
	"t.role OPERATOR(pg_catalog.=) (SELECT r.oid FROM pg_catalog.pg_roles AS r " \
	"WHERE r.rolname OPERATOR(pg_catalog.=) $1[1])"

/* The number of a role that was dropped may be another one's elsewhere. */
#define ROLE_IS_THERE \
	"t.role OPERATOR(pg_catalog.=) ANY (SELECT r.oid FROM pg_catalog.pg_roles AS r)"

/* A table whose rows are shared, and how a row is found by its key, $1. */
typedef struct SharedTable
{
	const char *name;
	const char *is_sent;		/* of others there is no row */
	const char *is_row;
	const char *keys;			/* a query for the keys of all rows */
} SharedTable;

static const SharedTable shared_tables[] = {
	[CONTROL_ACCESS_KEY] = {
		"access_keys", ROLE_IS_THERE,
		"t.access_key_id OPERATOR(pg_catalog.=) $1[1]",
		"SELECT t.access_key_id, NULL::pg_catalog.text FROM dynamo.access_keys AS t WHERE " ROLE_IS_THERE
	},
	[CONTROL_ROLE_POLICY] = {
		"role_policies", "true",
		ROLE_IS_KEY " AND t.policy_name OPERATOR(pg_catalog.=) $1[2]",
		"SELECT pg_catalog.pg_get_userbyid(t.role)::pg_catalog.text, t.policy_name FROM dynamo.role_policies AS t"
	},
	[CONTROL_RESOURCE_POLICY] = {
		"resource_policies", "true",
		"t.table_name OPERATOR(pg_catalog.=) $1[1] AND t.stream_label OPERATOR(pg_catalog.=) $1[2]",
		"SELECT t.table_name, t.stream_label FROM dynamo.resource_policies AS t"
	},
};

/* The key of a row. */
typedef struct SharedKey
{
	char	   *first;
	char	   *second;			/* NULL: there is none */
} SharedKey;

PG_FUNCTION_INFO_V1(dynamo_take_row);

static void share_all(ControlShared kind);
static Datum key_array(const char *first, const char *second);
static void take_key(HeapTuple row, TupleDesc desc, void *keys);
static const SharedTable *find_shared_table(const char *name);

/*
 * The row with this key was added, changed or deleted: so it is at all nodes.
 * Without a cluster nothing is done.
 */
void
control_share_row(ControlShared kind, const char *first, const char *second)
{
	const SharedTable *table = &shared_tables[kind];
	Oid			types[] = {TEXTARRAYOID, TEXTOID, TEXTOID};
	Datum		values[] = {key_array(first, second), 0, 0};
	char	   *row = NULL;
	const char *statement;

	if (!shard_has_nodes())
		return;
	shard_run_as_owner(psprintf("SELECT t::pg_catalog.text FROM dynamo.%s AS t WHERE %s AND %s",
								table->name, table->is_row, table->is_sent),
					   1, types, values, meta_take_text, &row);
	values[1] = CStringGetTextDatum(table->name);
	values[2] = row ? CStringGetTextDatum(row) : (Datum) 0;
	statement = psprintf("UPDATE dynamo_internal.nodes SET taken = dynamo_internal.take_row(taken, %d, $2, $1, $3)",
						 shard_node_group());

	/* In one session at each node with definitions that he sends. */
	if (superuser())
		(void) meta_query(statement, lengthof(types), types, values, NULL, NULL);
	else
		shard_run_as_owner(statement, lengthof(types), types, values, NULL, NULL);
}

/*
 * Nodes have joined: send the keys and policies of roles.
 */
void
control_joined(void)
{
	share_all(CONTROL_ACCESS_KEY);
	share_all(CONTROL_ROLE_POLICY);
}

static void
share_all(ControlShared kind)
{
	List	   *keys = NIL;
	ListCell   *lc;

	shard_run_as_owner(shared_tables[kind].keys, 0, NULL, NULL, take_key,
					   &keys);
	foreach(lc, keys)
	{
		const SharedKey *key = lfirst(lc);

		control_share_row(kind, key->first, key->second);
	}
}

static Datum
key_array(const char *first, const char *second)
{
	Datum		elements[2];
	int			n = 0;

	elements[n++] = CStringGetTextDatum(first);
	if (second != NULL)
		elements[n++] = CStringGetTextDatum(second);
	return PointerGetDatum(construct_array(elements, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

static void
take_key(HeapTuple row, TupleDesc desc, void *arg)
{
	List	  **keys = arg;
	SharedKey  *key = palloc0(sizeof(SharedKey));
	bool		isnull;
	Datum		value = heap_getattr(row, 1, desc, &isnull);

	key->first = TextDatumGetCString(value);
	value = heap_getattr(row, 2, desc, &isnull);
	if (!isnull)
		key->second = TextDatumGetCString(value);
	*keys = lappend(*keys, key);
}

/*
 * take_row(taken, origin, table_name, key, content), see above.  The node where
 * the row comes from has it.
 */
Datum
dynamo_take_row(PG_FUNCTION_ARGS)
{
	const SharedTable *table;
	Oid			types[] = {TEXTARRAYOID, TEXTOID};
	Datum		values[2];

	for (int i = 0; i < 4; i++)
	{
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	}
	if (PG_GETARG_INT32(1) == shard_node_group())
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	table = find_shared_table(text_to_cstring(PG_GETARG_TEXT_PP(2)));
	values[0] = PG_GETARG_DATUM(3);
	shard_run_as_owner(psprintf("DELETE FROM dynamo.%s AS t WHERE %s",
								table->name, table->is_row),
					   1, types, values, NULL, NULL);
	if (!PG_ARGISNULL(4))
	{
		values[1] = PG_GETARG_DATUM(4);
		shard_run_as_owner(psprintf("INSERT INTO dynamo.%s SELECT t.* FROM (SELECT ($2::dynamo.%s).*) AS t WHERE %s",
									table->name, table->name, table->is_row),
						   lengthof(types), types, values, NULL, NULL);
	}
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

static const SharedTable *
find_shared_table(const char *name)
{
	for (int i = 0; i < lengthof(shared_tables); i++)
	{
		if (strcmp(shared_tables[i].name, name) == 0)
			return &shared_tables[i];
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("rows of \"%s\" are not shared", name)));
}
