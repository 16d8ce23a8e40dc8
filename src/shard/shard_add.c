/*-------------------------------------------------------------------------
 *
 * shard_add.c
 *	  A node is added to its Citus cluster.
 *
 * Each step is a transaction of its own, since the next one needs what it has
 * committed: Citus copies tables by sessions of its own, and maintenance sends
 * definitions (shard_join.c).  A step that fails ends it.  All of them may be
 * done once more, so the same call goes on where another one has ended.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_session.h"
#include "catalog/pg_type.h"
#include "common/string.h"
#include "miscadmin.h"
#include "process/process_watch.h"
#include "shard/shard_internal.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

/* Milliseconds that a new node has to become sound, and between two looks. */
#define PATIENCE		120000
#define LOOK_INTERVAL	500

/* Citus refuses "auto" without a key, and dynamo_internal.nodes has none. */
#define COPY_REFERENCES \
	"SELECT replicate_reference_tables(" \
	"CASE $3 WHEN 'auto' THEN 'block_writes' ELSE $3 END::citus.shard_transfer_mode)"

/* What is found of a node that is to join, or has. */
typedef struct Newcomer
{
	char	   *host;
	int			port;
	char	   *name;			/* host:port */
	StringInfo	findings;
} Newcomer;

static void check_mode(const char *mode);
static void check_newcomer(Newcomer *node);
static bool is_member(const Newcomer *node);
static void await_soundness(Newcomer *node, void (*commit) (void));
static void look_over(Newcomer *node);
static void take_any(void *newcomer, const char *node, const char *finding,
					 const char *advice);
static void take_its_own(void *newcomer, const char *node, const char *finding,
						 const char *advice);
static void run_step(const Newcomer *node, const char *query, const char *mode,
					 void (*commit) (void));

/*
 * Make a node a worker of the cluster.  "mode" is how Citus copies and moves.
 * With "rebalance" shards begin to move, to it and between others.  For a
 * superuser, on the coordinator.  "commit" ends a transaction whose snapshot
 * is active, and begins the next one, which has none.
 */
void
shard_add_node(const char *host, int port, const char *mode, bool rebalance,
			   void (*commit) (void))
{
	Newcomer	node = {.port = port};

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("nodes are added by a superuser")));
	shard_check_coordinator("dynamo.add_node() must be called");
	node.host = pstrdup(host);
	node.name = psprintf("%s:%d", host, port);
	node.findings = makeStringInfo();

	PushActiveSnapshot(GetTransactionSnapshot());
	check_mode(mode);
	check_newcomer(&node);
	ereport(NOTICE, (errmsg("%s: is ready to join", node.name)));
	run_step(&node, "SELECT citus_add_node($1, $2)", mode, commit);
	ereport(NOTICE, (errmsg("%s: is in the cluster", node.name)));

	PushActiveSnapshot(GetTransactionSnapshot());
	run_step(&node, COPY_REFERENCES, mode, commit);
	await_soundness(&node, commit);
	ereport(NOTICE, (errmsg("%s: has all definitions", node.name)));
	if (!rebalance)
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	run_step(&node, "SELECT citus_rebalance_start(shard_transfer_mode => $3::citus.shard_transfer_mode)",
			 mode, commit);
	ereport(NOTICE, (errmsg("%s: shards begin to move", node.name)));
}

/*
 * Raises what Citus says of a mode that is none.
 */
static void
check_mode(const char *mode)
{
	Oid			type = TEXTOID;
	Datum		value = CStringGetTextDatum(mode);

	(void) meta_query("SELECT $1::citus.shard_transfer_mode", 1, &type, &value,
					  NULL, NULL);
}

/*
 * Before it joins: whatever is found ends it.
 */
static void
check_newcomer(Newcomer *node)
{
	resetStringInfo(node->findings);
	shard_check_newcomer(node->host, node->port, !is_member(node), take_any,
						 node);
	if (node->findings->len > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s is not ready to join the cluster", node->name),
				 errdetail("%s", node->findings->data)));
}

static bool
is_member(const Newcomer *node)
{
	Oid			types[] = {TEXTOID, INT4OID};
	Datum		values[] = {CStringGetTextDatum(node->host),
	Int32GetDatum(node->port)};

	return meta_query("SELECT FROM pg_dist_node AS n WHERE n.nodename = $1 AND n.nodeport = $2 "
					  "AND n.isactive", lengthof(types), types, values, NULL, NULL) > 0;
}

/*
 * Wait until maintenance has told the node all, and nothing is wrong with it.
 */
static void
await_soundness(Newcomer *node, void (*commit) (void))
{
	int64		began = dynamo_clock();

	for (;;)
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		look_over(node);
		commit();
		if (node->findings->len == 0)
			return;
		if (dynamo_clock() - began > PATIENCE)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("%s is in the cluster, and not sound", node->name),
					 errdetail("%s", node->findings->data),
					 errhint("It is asked for nothing that has no shard there. Call this once more, or dynamo.remove_node().")));
		dynamo_nap(LOOK_INTERVAL);
	}
}

static void
look_over(Newcomer *node)
{
	resetStringInfo(node->findings);
	if (shard_is_stranger(node->host, node->port))
		take_any(node, node->name, "it has not been sent all definitions",
				 "dynamo_internal.known_nodes may say why");
	shard_check_cluster(take_its_own, node);
}

static void
take_any(void *arg, const char *name, const char *finding, const char *advice)
{
	Newcomer   *node = arg;

	if (node->findings->len > 0)
		appendStringInfoChar(node->findings, '\n');
	appendStringInfo(node->findings, "%s: %s: %s.", name, finding, advice);
}

/*
 * Of all findings those that are about the node.
 */
static void
take_its_own(void *arg, const char *name, const char *finding,
			 const char *advice)
{
	const Newcomer *node = arg;

	if (strcmp(name, node->name) == 0 || pg_str_endswith(finding, node->name))
		take_any(arg, name, finding, advice);
}

/*
 * A query about the node, $1:$2, in the way that $3 says.
 */
static void
run_step(const Newcomer *node, const char *query, const char *mode,
		 void (*commit) (void))
{
	Oid			types[] = {TEXTOID, INT4OID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(node->host),
	Int32GetDatum(node->port), CStringGetTextDatum(mode)};

	(void) meta_query(query, lengthof(types), types, values, NULL, NULL);
	commit();
}
