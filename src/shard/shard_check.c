/*-------------------------------------------------------------------------
 *
 * shard_check.c
 *	  What is wrong with the nodes of a Citus cluster, or will be.
 *
 * Each node is asked for what is known there of its settings, in one query, and
 * the answers are compared here.  Whether nodes reach one another is found out
 * by Citus.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "codec/codec.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "utils/builtins.h"

/*
 * What a node knows of itself.  It runs in a session there whose search_path is
 * whatever the database's owner likes, so nothing in it is looked up by that.
 * Addresses of the machine itself are not seen by pg_hba.conf's other clients.
 */
#define FACTS \
	"SELECT pg_catalog.json_build_object(" \
	"'max_worker_processes', pg_catalog.current_setting('max_worker_processes'), " \
	"'max_prepared_transactions', pg_catalog.current_setting('max_prepared_transactions'), " \
	"'max_connections', pg_catalog.current_setting('max_connections'), " \
	"'wal_level', pg_catalog.current_setting('wal_level'), " \
	"'PostgreSQL', pg_catalog.current_setting('server_version'), " \
	"'dynamo.distribute_new_tables', pg_catalog.current_setting('dynamo.distribute_new_tables', true), " \
	"'dynamo.ttl_interval', pg_catalog.current_setting('dynamo.ttl_interval', true), " \
	"'dynamo', (SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'dynamo'), " \
	"'citus', (SELECT e.extversion FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'citus'), " \
	"'daemon', EXISTS (SELECT FROM pg_catalog.pg_stat_activity AS a " \
	"WHERE a.backend_type OPERATOR(pg_catalog.~~) 'Citus Maintenance Daemon%' " \
	"AND a.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()), " \
	"'roles', (SELECT pg_catalog.string_agg(DISTINCT r.rolname, ', ') FROM pg_catalog.pg_roles AS r " \
	"JOIN dynamo.access_keys AS k ON k.role OPERATOR(pg_catalog.=) r.oid WHERE NOT r.rolcanlogin), " \
	"'open', (SELECT pg_catalog.string_agg(h.line_number::pg_catalog.text, ', ') FROM pg_catalog.pg_hba_file_rules AS h " \
	"WHERE h.auth_method OPERATOR(pg_catalog.=) 'trust' AND h.type OPERATOR(pg_catalog.<>) 'local' " \
	"AND h.address OPERATOR(pg_catalog.<>) ALL ('{127.0.0.1,::1,localhost,samehost}')), " \
	"'unread', (SELECT pg_catalog.min(h.line_number)::pg_catalog.text FROM pg_catalog.pg_hba_file_rules AS h WHERE h.error IS NOT NULL))"

/*
 * What a node knows that is to join, too: its own tables.  One that has been in
 * a cluster may have rows of tables that are gone.
 */
#define OWN_TABLES \
	"SELECT pg_catalog.json_agg(t.table_name) FROM dynamo.tables AS t " \
	"JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) t.relation"

/* What $1 is at some nodes, a row each. */
#define ASK \
	"SELECT n.nodename || ':' || n.nodeport, n.groupid, a.success, a.result FROM "
#define NODES \
	" AS n, LATERAL master_run_on_worker(" \
	"ARRAY[n.nodename], ARRAY[n.nodeport], ARRAY[$1], false) AS a "

/* A finding: that one node cannot connect to another. */
#define NO_CONNECTION(f, t) \
	"SELECT " f "nodename || ':' || " f "nodeport, " \
	"'it cannot connect to ' || " t "nodename || ':' || " t "nodeport, " \
	"'see pg_hba.conf and listen_addresses there, citus.node_conninfo and pg_dist_authinfo here' FROM "

/*
 * A finding: that a node lacks roles that have keys here.  Maintenance there has
 * dropped the keys, or will.
 */
#define MISSING_ROLES \
	"SELECT n.nodename || ':' || n.nodeport, 'roles with access keys are missing: ' || a.result, " \
	"'make them there, and call dynamo.distribute_table() for any table: it sends their keys again' " \
	"FROM (SELECT format('SELECT pg_catalog.string_agg(k.role::pg_catalog.text, '', '') FROM pg_catalog.unnest(%L::pg_catalog.name[]) AS k (role) " \
	"WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.rolname OPERATOR(pg_catalog.=) k.role)', " \
	"array_agg(DISTINCT r.rolname)) AS query FROM dynamo.access_keys AS k JOIN pg_roles AS r ON r.oid = k.role) AS q, " \
	"pg_dist_node AS n, LATERAL master_run_on_worker(" \
	"ARRAY[n.nodename], ARRAY[n.nodeport], ARRAY[q.query], false) AS a " \
	"WHERE n.noderole = 'primary'::noderole AND n.groupid <> 0 AND a.success AND a.result <> '' " \
	"ORDER BY n.groupid"

/* One of Citus' nodes, and what it says; NULL: nothing. */
typedef struct ClusterNode
{
	char	   *name;
	bool		coordinates;
	bool		joins;			/* it is not in the cluster yet */
	json_t	   *facts;
} ClusterNode;

/* A number that is to be so much at least. */
typedef struct Least
{
	const char *setting;
	int			least;			/* or, 0: at least the other setting */
	const char *other;
	const char *advice;
} Least;

static const Least leasts[] = {
	{"max_worker_processes", 16, NULL,
	"set it to 16 or more, and restart: processes of dynamo and of Citus share it, among them the daemon that ends transactions of several nodes"},
	{"max_prepared_transactions", 0, "max_connections",
	"set it to max_connections or more, and restart: each session may prepare a transaction of several nodes"},
};

/* What is to be the same on all nodes. */
static const struct
{
	const char *fact;
	const char *advice;
}			same[] = {
	{"PostgreSQL", "install the coordinator's version"},
	{"dynamo", "install the coordinator's packages, and run ALTER EXTENSION dynamo UPDATE on the coordinator"},
	{"citus", "install the coordinator's packages, and run ALTER EXTENSION citus UPDATE on each node"},
	{"dynamo.distribute_new_tables", "set it alike on all nodes: CreateTable at this one makes other tables"},
};

typedef struct Check
{
	ShardFinding *take;
	void	   *arg;
	List	   *nodes;			/* ClusterNode * */
	ClusterNode *coordinator;	/* one of them, or NULL */
} Check;

static void note_node(HeapTuple row, TupleDesc desc, void *check);
static json_t *read_facts(const char *text);
static void note_no_coordinator(const Check *check);
static void check_connections(Check *check, const char *host, int port);
static void check_own_tables(Check *check, const char *host, int port);
static void check_node(const Check *check, const ClusterNode *node);
static void check_same(const Check *check, const ClusterNode *node);
static void check_maintenance(const Check *check);
static void check_least(const Check *check, const ClusterNode *node,
						const Least *least);
static const char *fact(const ClusterNode *node, const char *name);
static const char *known(const ClusterNode *node, const char *name);
static void take_finding(HeapTuple row, TupleDesc desc, void *check);

/*
 * Give each finding to "take".  For a superuser, on the coordinator.  Nodes are
 * waited for as long as citus.node_connection_timeout says.
 */
void
shard_check_cluster(ShardFinding *take, void *arg)
{
	Check		check = {.take = take, .arg = arg};
	ListCell   *lc;

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the nodes of a cluster are checked by a superuser")));
	shard_check_coordinator("dynamo.check_cluster() must be called");
	(void) meta_query(ASK "pg_dist_node" NODES
					  "WHERE n.noderole = 'primary'::noderole ORDER BY n.groupid",
					  1, (Oid[]) {TEXTOID},
					  (Datum[]) {CStringGetTextDatum(FACTS)}, note_node, &check);
	if (check.coordinator == NULL)
		note_no_coordinator(&check);
	check_maintenance(&check);
	foreach(lc, check.nodes)
		check_node(&check, lfirst(lc));
	(void) meta_query(MISSING_ROLES, 0, NULL, NULL, take_finding, &check);
	(void) meta_query(NO_CONNECTION("from_", "to_")
					  "citus_check_cluster_node_health() WHERE NOT result",
					  0, NULL, NULL, take_finding, &check);
	(void) meta_query("SELECT n.nodename || ':' || n.nodeport, "
					  "'it has not been sent all definitions' || coalesce(': ' || split_part(k.failure, E'\\n', 1), ''), "
					  "'wait some seconds; dynamo.ttl_interval must not be 0 on the coordinator' "
					  "FROM dynamo_internal.known_nodes AS k JOIN pg_dist_node AS n ON n.nodeid = k.node "
					  "WHERE NOT k.told",
					  0, NULL, NULL, take_finding, &check);
}

/*
 * The same of a node that is about to join, as far as it can be seen before,
 * and of what it needs.  It was there before unless it "joins".
 */
void
shard_check_newcomer(const char *host, int port, bool joins,
					 ShardFinding *take, void *arg)
{
	Check		check = {.take = take, .arg = arg};
	Oid			types[] = {TEXTOID, TEXTOID, INT4OID};
	Datum		values[] = {CStringGetTextDatum(FACTS), CStringGetTextDatum(host),
	Int32GetDatum(port)};
	ClusterNode *node;

	(void) meta_query(ASK "(SELECT m.nodename, m.nodeport, m.groupid FROM pg_dist_node AS m "
					  "WHERE m.groupid = 0 AND m.noderole = 'primary'::noderole "
					  "UNION ALL SELECT $2, $3, -1)" NODES
					  "ORDER BY n.groupid DESC",
					  lengthof(types), types, values, note_node, &check);
	if (check.coordinator == NULL)
		note_no_coordinator(&check);
	check_maintenance(&check);
	node = llast(check.nodes);
	node->joins = joins;
	check_node(&check, node);
	if (node->facts == NULL)
		return;
	check_connections(&check, host, port);
	if (joins)
		check_own_tables(&check, host, port);
}

static void
note_no_coordinator(const Check *check)
{
	check->take(check->arg, "coordinator", "the other nodes do not know it",
				"call citus_set_coordinator_host(host, port)");
}

/*
 * Can a node and all of the cluster connect to one another, and it to itself?  Citus'
 * own check is of those that are in the cluster already.
 */
static void
check_connections(Check *check, const char *host, int port)
{
	Oid			types[] = {TEXTOID, INT4OID};
	Datum		values[] = {CStringGetTextDatum(host), Int32GetDatum(port)};

	(void) meta_query("WITH n AS (SELECT m.nodename, m.nodeport, m.groupid FROM pg_dist_node AS m "
					  "WHERE m.noderole = 'primary'::noderole AND (m.nodename <> $1 OR m.nodeport <> $2)), "
					  "p AS (SELECT n.nodename AS from_nodename, n.nodeport AS from_nodeport, $1 AS to_nodename, $2 AS to_nodeport, n.groupid FROM n "
					  "UNION ALL SELECT $1, $2, n.nodename, n.nodeport, n.groupid FROM n "
					  "UNION ALL SELECT $1, $2, $1, $2, -1) "
					  NO_CONNECTION("p.from_", "p.to_")
					  "p, LATERAL master_run_on_worker(ARRAY[p.from_nodename], ARRAY[p.from_nodeport], "
					  "ARRAY[format('SELECT pg_catalog.citus_check_connection_to_node(%L, %s)', p.to_nodename, p.to_nodeport)], false) AS a "
					  "WHERE a.success AND a.result = 'f' ORDER BY p.groupid",
					  lengthof(types), types, values, take_finding, check);
}

/*
 * Tables that a node made for itself are in the way of the cluster's.
 */
static void
check_own_tables(Check *check, const char *host, int port)
{
	Oid			types[] = {TEXTOID, TEXTOID, INT4OID};
	Datum		values[] = {CStringGetTextDatum(OWN_TABLES),
		CStringGetTextDatum(host), Int32GetDatum(port)};

	(void) meta_query("SELECT $2 || ':' || $3, 'it has a table of its own, ' || quote_ident(t.table_name), "
					  "'drop it, or detach it with dynamo.detach_table and rename its relation: the cluster has another one of this name' "
					  "FROM master_run_on_worker(ARRAY[$2], ARRAY[$3], ARRAY[$1], false) AS a, "
					  "dynamo.tables AS t JOIN pg_dist_partition AS d ON d.logicalrelid = t.relation "
					  "WHERE a.success AND a.result <> '' AND t.table_name IN ("
					  "SELECT json_array_elements_text(a.result::json)) ORDER BY 2",
					  lengthof(types), types, values, take_finding, check);
}

/*
 * A row of a node's name, its group, whether it has answered, and what.
 */
static void
note_node(HeapTuple row, TupleDesc desc, void *arg)
{
	Check	   *check = arg;
	ClusterNode *node = palloc0(sizeof(ClusterNode));
	char	   *text = SPI_getvalue(row, desc, 4);

	node->name = SPI_getvalue(row, desc, 1);
	node->coordinates = strcmp(SPI_getvalue(row, desc, 2), "0") == 0;
	if (strcmp(SPI_getvalue(row, desc, 3), "t") == 0)
		node->facts = read_facts(text);
	if (node->facts == NULL)
		check->take(check->arg, node->name,
					psprintf("it does not answer: %s",
							 text ? pnstrdup(text, strcspn(text, "\n")) : ""),
					"see whether it runs, lets the coordinator in, and has both extensions in this database");
	if (node->coordinates)
		check->coordinator = node;
	check->nodes = lappend(check->nodes, node);
}

static json_t *
read_facts(const char *text)
{
	json_error_t error;

	return text ? codec_load(text, strlen(text), &error) : NULL;
}

static void
check_node(const Check *check, const ClusterNode *node)
{
	if (node->facts == NULL)
		return;
	for (int i = 0; i < lengthof(leasts); i++)
		check_least(check, node, &leasts[i]);
	if (strcmp(known(node, "wal_level"), "logical") != 0)
		check->take(check->arg, node->name,
					psprintf("wal_level is %s", known(node, "wal_level")),
					"set it to logical, and restart: shards cannot move while they are written");
	if (!node->joins && json_is_false(json_object_get(node->facts, "daemon")))
		check->take(check->arg, node->name,
					"Citus' maintenance daemon does not run for this database",
					"see max_worker_processes, and the log: transactions of several nodes that a crash has cut in two stay locked");
	if (fact(node, "roles"))
		check->take(check->arg, node->name,
					psprintf("roles with access keys cannot log in: %s",
							 fact(node, "roles")),
					"alter them to LOGIN: nodes send requests to one another as the role");
	if (fact(node, "open"))
		check->take(check->arg, node->name,
					psprintf("pg_hba.conf lets other machines in without a password, line %s",
							 fact(node, "open")),
					"let nodes in by certificate or password: tenants may reach the port, too");
	if (fact(node, "unread"))
		check->take(check->arg, node->name,
					psprintf("pg_hba.conf has an error in line %s",
							 fact(node, "unread")),
					"correct it, and reload: what was read before holds until then");
	if (check->coordinator != NULL && check->coordinator->facts != NULL)
		check_same(check, node);
}

static void
check_same(const Check *check, const ClusterNode *node)
{
	for (int i = 0; i < lengthof(same); i++)
	{
		const char *there = known(node, same[i].fact);
		const char *here = known(check->coordinator, same[i].fact);

		if (strcmp(there, here) != 0)
			check->take(check->arg, node->name,
						psprintf("%s is %s, and %s on the coordinator",
								 same[i].fact, there, here),
						same[i].advice);
	}
}

static void
check_maintenance(const Check *check)
{
	const ClusterNode *node = check->coordinator;

	if (node != NULL && node->facts != NULL &&
		strcmp(known(node, "dynamo.ttl_interval"), "0") == 0)
		check->take(check->arg, node->name, "dynamo.ttl_interval is 0",
					"set it: nobody sends definitions to nodes that join");
}

static void
check_least(const Check *check, const ClusterNode *node, const Least *least)
{
	long		is = strtol(known(node, least->setting), NULL, 10);
	long		needed = least->other ?
		strtol(known(node, least->other), NULL, 10) : least->least;

	if (is >= needed)
		return;
	check->take(check->arg, node->name,
				least->other ?
				psprintf("%s is %ld, and %s %ld", least->setting, is,
						 least->other, needed) :
				psprintf("%s is %ld", least->setting, is),
				least->advice);
}

/*
 * A text among the facts of a node, NULL: there is none.
 */
static const char *
fact(const ClusterNode *node, const char *name)
{
	return json_string_value(json_object_get(node->facts, name));
}

/*
 * The same for people.
 */
static const char *
known(const ClusterNode *node, const char *name)
{
	const char *text = fact(node, name);

	return text ? text : "missing";
}

/*
 * A row of a node, a finding and what to do.
 */
static void
take_finding(HeapTuple row, TupleDesc desc, void *arg)
{
	const Check *check = arg;

	check->take(check->arg, SPI_getvalue(row, desc, 1),
				SPI_getvalue(row, desc, 2), SPI_getvalue(row, desc, 3));
}
