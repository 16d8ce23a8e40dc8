/*-------------------------------------------------------------------------
 *
 * shard.h
 *	  Tables that Citus distributes: where their rows are, what the other nodes
 *	  are told, and what they are asked.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SHARD_H
#define DYNAMO_SHARD_H

#include "postgres.h"

#include "base/base_route.h"
#include "stream/stream.h"

extern void shard_init(void);

/* Given by the layers above */
typedef struct ShardCallbacks
{
	/* Some of them are new: what else all share is to be sent. */
	void		(*joined) (void);

	/* The first table is distributed: nodes are to be told from now on. */
	void		(*prepared) (void);
} ShardCallbacks;

extern ShardCallbacks shard_callbacks;

/* shard_distribute.c: the same rules; raise an error without Citus */
extern void shard_distribute_table(const char *name, const int *shard_count);
extern void shard_undistribute_table(const char *name);

/* ... refuse what needs Citus, or the coordinator: "SOMETHING must be called" */
extern void shard_check_citus(void);
extern void shard_check_coordinator(const char *what);

/* ... may a new table of that name be made here, and is it distributed? */
extern void shard_check_new(const char *name);
extern bool shard_distributes_new(void);

/* shard_check.c: a finding at a node, and what to do */
typedef void ShardFinding (void *arg, const char *node, const char *finding,
						   const char *advice);

extern void shard_check_cluster(ShardFinding *take, void *arg);

/* shard_progress.c */
extern void shard_each_node(MetaTakeRow take, void *arg);

/* shard_add.c */
extern void shard_add_node(const char *host, int port, const char *mode,
						   bool rebalance, void (*commit) (void));

/* shard_leave.c */
extern void shard_remove_node(const char *host, int port, const char *mode,
							  bool lose_records);

/* shard_citus.c: both false without Citus */
extern bool shard_is_coordinator(void);
extern bool shard_is_worker(void);

/* ... Citus is to run a statement about the table */
extern void shard_note_asker(const TableDef *def);

/* ... a table that is distributed in another way than ours is of no use */
extern void shard_refuse_foreign(const TableDef *def) pg_attribute_noreturn();

#define SHARD_COORDINATOR	0	/* its group */
extern int32 shard_node_group(void);	/* of nodes, Citus' number */

/*
 * shard_run.c: as the current user, and in order.  A node that cannot be
 * reached is ServiceUnavailable for a client.
 */
extern void shard_run_on_nodes(const char *statement, int nargs, Oid *types,
							   Datum *values);

/* shard_publish.c: of a table that is distributed; false: not by this way */
extern bool shard_publish_policies(const TableDef *def);

/* shard_nodes.c: does the database know other nodes? */
extern bool shard_has_nodes(void);

/* shard_join.c: nodes that are to be told; for maintenance */
extern bool shard_tells_others(void);
extern bool shard_has_strangers(void);
extern void shard_meet_strangers(void);
extern void shard_copy_nodes(void);
extern List *shard_tables(void);
extern void shard_send_table(const char *name);
extern bool shard_note_strangers(const char *failure);

/* shard_moment.c: the item, or null, is gone afterwards */
typedef void (*ShardTakeItem) (const Item *item, void *arg);

extern bool shard_may_read_moment(const TableDef *def);
extern void shard_read_moment(const TableDef *def, ShardTakeItem take,
							  void *arg);

/* shard_node.c: false: there is no node of that group */
extern bool shard_group_node(int32 group, const char **host, int *port);

/* ... it executes a request, which ends here */
struct DynamoRequest;
extern void shard_execute_at(int32 group, struct DynamoRequest *request);

/*
 * ... a session of the user's there.  It waits for nodes that answer, and a while for
 * locks; raises if one does not.
 */
typedef struct ShardSession ShardSession;

extern ShardSession *shard_session_begin(int32 group);
extern void shard_session_end(ShardSession *session);
extern void shard_session_run(ShardSession *session, const char *query);
extern void shard_session_last(ShardSession *session);
extern char *shard_session_ask(ShardSession *session, const char *query);
extern void shard_session_items(ShardSession *session, const char *query,
								ShardTakeItem take, void *arg);

/* ... the items of a query that it gives for a question */
extern bool shard_read_items(int32 group, const char *question,
							 ShardTakeItem take, void *arg);

/*
 * shard_commit.c: parts of this transaction that other nodes execute, and when it
 * commits, they do.  Nothing of it goes by Citus.
 */
extern bool shard_split_reaches(const DynamoNode *node);
extern bool shard_split_begin(void);
extern bool shard_split_send(int32 group, const DynamoNode *node,
							 const char *request);
extern void shard_split_decide(void);
extern const char *shard_split_answer(int part);

/* shard_run.c: an expression, on the node that has the partition key, $1 */
extern void shard_run_at_key(const TableDef *def, const char *expression,
							 int nargs, Oid *types, Datum *values,
							 MetaTakeRow take, void *arg);

/* shard_prepared.c: false: it takes too long */
extern bool shard_await_prepared(const TableDef *def, Datum pk);

/* shard_ask.c: on a worker */
extern bool shard_holds_tables(void);
extern char *shard_ask_coordinator(const char *query);
extern char *shard_try_coordinator(const char *query);

/* The same of a node; NULL: it does not answer */
extern char *shard_ask_node(const char *host, int port, const char *query);

/* ... of all nodes, and what one of all others has, for a request */
extern void shard_ask_all(const char *query, MetaTakeRow take, void *arg);
extern char *shard_find_elsewhere(struct DynamoRequest *request,
								  const char *query);
extern char *shard_question(const char *operation, const char *body,
							size_t len, bool later);

/*
 * shard_list.c: a page of what an operation lists.  Each element has an ARN that
 * ends with its id, and ids are in the order of time.
 */
typedef struct ShardListing
{
	const char *operation;
	const char *member;			/* of the answer: the array */
	const char *arn;			/* of an element */
	bool		newest_first;
} ShardListing;

typedef struct ShardListed
{
	const char *arn;
	const char *id;				/* its end */
	const char *text;			/* JSON */
} ShardListed;

extern List *shard_note_listed(List *listed, const char *arn,
							   const char *text);

/*
 * Append the array, of the elements that this node has, ShardListed *, one more
 * than the limit if it has more, and of those that other nodes of a cluster have.  The
 * ARN after which the next page begins; NULL: there is none.
 */
extern const char *shard_append_list(DynamoRequest *request,
									 StringInfo out,
									 const ShardListing *listing,
									 List *listed, int limit);

/*
 * shard_answer.c: append what the other nodes of a cluster answer to the same
 * request, as the member OtherNodes: an element for each, with its name, and without
 * an answer if there is none.  Raises what a node has refused it for.
 */
extern void shard_append_answers(DynamoRequest *request,
								 StringInfo out, const char *operation);

/*
 * shard_owner.c: the same as the owner of the extension's tables.
 */
extern uint64 shard_run_as_owner(const char *query, int nargs, Oid *types,
								 Datum *values, MetaTakeRow take,
								 void *arg);
extern char *shard_ask_group_as_owner(int32 group, const char *query);

/* ... is a backup of it promised by another node? */
extern bool shard_backs_up(const char *table);

/* shard_map.c: a part of a distributed table */
typedef struct Shard
{
	int64		id;
	int32		min;			/* of the hashes of its partition keys */
	int32		max;
	char	   *host;			/* of its node */
	int			port;
	int32		group;			/* what Citus calls the node by */
	Oid			relid;			/* InvalidOid: it is on another node */
	int			place;			/* in the order of "min" */
} Shard;

/*
 * The relation of a shard on this node, in a query of meta_query(), null: there is
 * none.  Citus leaves the schema out of a shard's name where that is public.
 */
#define SHARD_RELATION(table, shard) \
	"pg_catalog.to_regclass((" \
	"SELECT CASE WHEN n.nspname OPERATOR(pg_catalog.=) 'public' THEN 'public.' ELSE '' END " \
	"FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace " \
	"WHERE c.oid OPERATOR(pg_catalog.=) " table "::pg_catalog.oid) " \
	"OPERATOR(pg_catalog.||) pg_catalog.shard_name(" table "::pg_catalog.regclass, " shard "))"

extern const Shard *shard_find(const TableDef *def, Datum pk);
extern const Shard *shard_find_token(const char *token, bool anywhere);
extern const Shard *shard_look(const TableDef *def, Datum pk, bool *doubtful);

/* The group of its node, -1 if there is none; it may move at any time */
extern int32 shard_group_of(const TableDef *def, Datum pk);

/* Keep it on its node, whichever that is, to the end of the transaction */
extern void shard_hold(const TableDef *def, Datum pk);
extern const TableDef *shard_definition(const TableDef *def, Oid relid);

/* Where a relation's changes are recorded. */
typedef struct ShardCapture
{
	const TableDef *def;		/* of the table */
	int32		place;			/* the shard of its stream, if it has one */
} ShardCapture;

extern bool shard_may_be(Relation rel);
extern bool shard_find_capture(Relation rel, ShardCapture *capture);
extern List *shard_stream_shards(const StreamDef *stream);
extern bool shard_stream_is_open(const StreamDef *stream, int32 place,
								 bool *known);

#endif							/* DYNAMO_SHARD_H */
