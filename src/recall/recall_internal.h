/*-------------------------------------------------------------------------
 *
 * recall_internal.h
 *	  What the files of this folder share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_RECALL_INTERNAL_H
#define DYNAMO_RECALL_INTERNAL_H

#include "postgres.h"

#include "recall/recall.h"
#include "utils/uuid.h"

#define RECALL_ID		37		/* text of a uuid */

/*
 * recall_row.c
 *
 * Where the shards of a table are: "text" has the number of each placement, so it
 * never comes again once a shard has moved or was split.
 */
typedef struct RecallGroup
{
	int32		group;			/* of a node */
	char	   *shards;			/* that it has: an array, as text */
} RecallGroup;

typedef struct RecallPlaces
{
	const char *text;
	List	   *groups;			/* of RecallGroup * */
	bool		copied;			/* a shard is on several nodes */
} RecallPlaces;

extern void recall_read_places(Oid relid, RecallPlaces *places);

/*
 * What the last moment of use to a table has found: where it was then, and in
 * which transaction its recovery had begun on each node.  All moments "since" have
 * found the same.
 */
typedef struct RecallState
{
	const char *placed;
	const char *begun;
	TimestampTz since;
} RecallState;

extern bool recall_find_state(int32 recovery, RecallState *state);
extern void recall_put_state(int32 recovery, const RecallState *state);

/* A moment.  Nothing had changed up to "lasted". */
typedef struct RecallMoment
{
	char		id[RECALL_ID];
	TimestampTz at;
	TimestampTz lasted;
} RecallMoment;

/* The last of use to a table (0: to any) in that time; or the first.  False: none. */
extern bool recall_find_moment(int32 recovery, TimestampTz from,
							   TimestampTz to, bool first,
							   RecallMoment *moment);
extern Oid	recall_owner(void); /* of what is kept of moments */
extern bool recall_lock_moments(bool waits);	/* false: somebody takes one */
extern void recall_insert_moment(const RecallMoment *moment, List *lacking);
extern void recall_note_lasted(const RecallMoment *moment);

/*
 * Names of the last moments before a time, as an array; the time becomes that of the
 * first of them.  NULL: there are none.  And note that of these a table can use none
 * from a time on.  False: there are none from then on.
 */
extern char *recall_list_moments(int most, TimestampTz *before);
extern bool recall_note_lost(int32 recovery, TimestampTz since,
							 const char *moments);

/* recall_window.c: the moment that answers for a time; raises an error */
extern void recall_choose(const TableDef *def, const RecallPlaces *places,
						  TimestampTz when, RecallMoment *moment);

/* recall_nodes.c: sessions at all nodes, which answer within a time or fail */
typedef struct RecallNode
{
	int32		group;
	char	   *host;
	int			port;
	char	   *name;			/* in messages */
	struct pg_conn *conn;
	char	   *answer;			/* NULL: null, or there was none */
} RecallNode;

typedef struct RecallNodes
{
	int			n;
	RecallNode *nodes;
	TimestampTz deadline;
} RecallNodes;

extern void recall_nodes_begin(RecallNodes *nodes);
extern void recall_nodes_allow(RecallNodes *nodes, int milliseconds);
extern void recall_nodes_ask(RecallNodes *nodes, const char *query);
extern void recall_nodes_ask_in_turn(RecallNodes *nodes, const char *query);
extern void recall_nodes_end(RecallNodes *nodes);

/* recall_node.c: recoveries of distributed tables that are on; RecoveryDef * */
extern List *recall_list(void);

#endif							/* DYNAMO_RECALL_INTERNAL_H */
