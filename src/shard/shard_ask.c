/*-------------------------------------------------------------------------
 *
 * shard_ask.c
 *	  A node of a Citus cluster asks its coordinator, another, or all of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_budget.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "peer/peer.h"
#include "shard/shard_internal.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"

typedef struct Answer
{
	bool		success;
	char	   *text;
} Answer;

/* What other nodes have. */
typedef struct Found
{
	char	   *text;
	bool		silent;			/* one does not answer */
} Found;

static bool is_table_lock(const LOCKTAG *tag);
static char *ask_coordinator(const char *query, bool *success);
static char *ask(const char *query, int nvalues, Oid *types, Datum *values,
				 bool *success);
static void take_found(HeapTuple row, TupleDesc desc, void *arg);
static void take_answer(HeapTuple row, TupleDesc desc, void *arg);

/*
 * Has this transaction a lock on the relation of a distributed table, or on a
 * table's name?  The coordinator might wait for it, and the deadlock be seen by
 * nobody.
 */
bool
shard_holds_tables(void)
{
	LockData   *locks = GetLockStatusData();

	for (int i = 0; i < locks->nelements; i++)
	{
		const LockInstanceData *lock = &locks->locks[i];

		if (lock->pid == MyProcPid && lock->holdMask != 0 &&
			(schema_is_name_lock(&lock->locktag) ||
			 is_table_lock(&lock->locktag)))
			return true;
	}
	return false;
}

/*
 * Is a lock one on the relation of a distributed table?
 */
static bool
is_table_lock(const LOCKTAG *tag)
{
	return tag->locktag_type == LOCKTAG_RELATION &&
		tag->locktag_field1 == MyDatabaseId &&
		shard_is_distributed(tag->locktag_field2);
}

/*
 * What the coordinator gives for a query of one value, in a transaction of its
 * own, as the current user.
 */
char *
shard_ask_coordinator(const char *query)
{
	bool		success;
	char	   *answer = ask_coordinator(query, &success);

	if (!success)
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 err_generic_string(PG_DIAG_CONSTRAINT_NAME, DYNAMO_RULE_ANSWER),
				 errmsg("the coordinator did not answer"),
				 answer ? errdetail_internal("%s", answer) : 0));
	return answer;
}

/*
 * The same; NULL: it does not answer, or refuses to.
 */
char *
shard_try_coordinator(const char *query)
{
	bool		success;
	char	   *answer = ask_coordinator(query, &success);

	return success ? answer : NULL;
}

static char *
ask_coordinator(const char *query, bool *success)
{
	Oid			types[] = {TEXTOID};
	Datum		values[] = {CStringGetTextDatum(query)};

	return ask("SELECT success, result FROM pg_catalog.run_command_on_coordinator($1)",
			   lengthof(values), types, values, success);
}

char *
shard_ask_node(const char *host, int port, const char *query)
{
	Oid			types[] = {TEXTOID, INT4OID, TEXTOID};
	Datum		values[] = {CStringGetTextDatum(host), Int32GetDatum(port),
		CStringGetTextDatum(query)};
	bool		success;
	char	   *answer = ask("SELECT success, result FROM pg_catalog.master_run_on_worker(ARRAY[$1], ARRAY[$2], ARRAY[$3], false)",
							 lengthof(values), types, values, &success);

	return success ? answer : NULL;
}

/*
 * What each node of the cluster gives for a query of one value, this node first
 * and in this transaction, others in one of their own, as the current user.  Rows
 * of a name, null for this node, and a text, null: it does not answer, or refuses
 * to.  Without Citus this server is the only one.
 */
void
shard_ask_all(const char *query, MetaTakeRow take, void *arg)
{
	(void) meta_query(psprintf("SELECT NULL::text, (%s)::text", query),
					  0, NULL, NULL, take, arg);
	shard_ask_rest(NULL, query, take, arg);
}

/*
 * The same of all nodes but this one, for a request, or NULL.  It may take long to
 * ask, which is not for a process that others wait for.
 */
void
shard_ask_rest(DynamoRequest *request, const char *query, MetaTakeRow take,
			   void *arg)
{
	Oid			types[] = {TEXTOID, INT4OID};
	Datum		values[] = {CStringGetTextDatum(query),
	Int32GetDatum(shard_node_group())};

	if (shard_node_group() < 0)
		return;
	dynamo_budget_spend(request, DYNAMO_BUDGET);
	peer_note_asker();
	(void) meta_query("SELECT n.nodename || ':' || n.nodeport, "
					  "CASE WHEN a.success THEN a.result END "
					  "FROM pg_dist_node AS n, LATERAL pg_catalog.master_run_on_worker("
					  "ARRAY[n.nodename], ARRAY[n.nodeport], ARRAY[$1], false) AS a "
					  "WHERE n.noderole = 'primary'::noderole AND n.groupid <> $2 "
					  "ORDER BY n.groupid",
					  lengthof(types), types, values, take, arg);
}

/*
 * The text that is not empty of those that the other nodes give for a query;
 * NULL: none has one.  Where a node does not answer, and no other has one, nobody
 * knows.
 */
char *
shard_find_elsewhere(DynamoRequest *request, const char *query)
{
	Found		found = {0};

	shard_ask_rest(request, query, take_found, &found);
	if (found.text == NULL && found.silent)
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	return found.text;
}

static void
take_found(HeapTuple row, TupleDesc desc, void *arg)
{
	Found	   *found = arg;
	char	   *text = SPI_getvalue(row, desc, 2);

	if (text == NULL)
		found->silent = true;
	else if (text[0] != '\0' && found->text == NULL)
		found->text = text;
}

/*
 * What asks a node to execute a request: the query's value is its message
 * (base_message.h).  "later": indexes are to be made and dropped after the commit, and
 * the request waits a second for a lock at most.
 */
char *
shard_question(const char *operation, const char *body, size_t len,
			   bool later)
{
	return psprintf("SELECT dynamo_internal.answer_node(%s, %s, %s)",
					quote_literal_cstr(operation),
					quote_literal_cstr(pnstrdup(body, len)),
					later ? "true" : "false");
}

/*
 * Ask by a function of Citus.  Without success the answer may be NULL, or say
 * why.
 */
static char *
ask(const char *query, int nvalues, Oid *types, Datum *values, bool *success)
{
	Answer		answer = {0};

	peer_note_asker();
	if (meta_query(query, nvalues, types, values, take_answer, &answer) != 1)
		elog(ERROR, "no node was asked");
	*success = answer.success && answer.text != NULL;
	return answer.text;
}

static void
take_answer(HeapTuple row, TupleDesc desc, void *arg)
{
	Answer	   *answer = arg;
	char	   *done = SPI_getvalue(row, desc, 1);

	answer->success = done != NULL && done[0] == 't';
	answer->text = SPI_getvalue(row, desc, 2);
}
