/*-------------------------------------------------------------------------
 *
 * schema.h
 *	  Definitions of tables and indexes, their cache, and DDL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SCHEMA_H
#define DYNAMO_SCHEMA_H

#include "postgres.h"

#include "access/htup.h"
#include "access/transam.h"
#include "access/tupdesc.h"
#include "base/base.h"
#include "meta/meta.h"
#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"
#include "stats/stats.h"
#include "utils/relcache.h"
#include "utils/reltrigger.h"
#include "utils/timestamp.h"

/* A key attribute: its name and its type, 'S', 'N' or 'B'. */
typedef struct KeyAttr
{
	char	   *name;
	char		type;
} KeyAttr;

typedef enum ProjectionType
{
	PROJECTION_ALL,
	PROJECTION_KEYS_ONLY,
	PROJECTION_INCLUDE
} ProjectionType;

typedef struct IndexDef
{
	char	   *name;			/* DynamoDB's index name */
	Oid			relid;			/* the btree index; InvalidOid: there is none
								 * that may be read (being built, or broken) */
	bool		building;		/* there is none because the worker has not
								 * finished it */
	bool		taken;			/* its name is another index's */
	bool		local;			/* LSI, else GSI */
	int			ordinal;		/* place in the order of their creation */
	int			nhash;			/* 1 to 4; 1 for an LSI */
	KeyAttr    *hash;
	int			nrange;			/* 0 to 4; 1 for an LSI */
	KeyAttr    *range;
	ProjectionType projection;
	int			nnonkey;		/* INCLUDE: NonKeyAttributes, sorted */
	char	  **nonkey;
	char	   *settings;		/* JSON object: throughput and the like */
} IndexDef;

/*
 * A stream of the changes to a table.  Numbers are record numbers; those of
 * its records lie between start_number and end_number, both exclusive.
 */
typedef struct StreamDef
{
	int32		id;				/* what its records name */
	Oid			relid;			/* its table's; InvalidOid: dropped */
	Oid			owner;			/* of a table dropped; InvalidOid: role gone,
								 * or another one by now */
	char	   *table_name;
	char		label[24];		/* StreamLabel, 2026-01-31T23:59:59.999 */
	char		view;			/* 'K', 'N', 'O', 'B': KEYS_ONLY to both
								 * images */
	int			nshards;		/* 0: the table is, or was, distributed, and
								 * each place of a shard is one */
	KeyAttr		hash;
	KeyAttr		range;			/* .name NULL: none */
	int64		created_at;		/* TimestampTz, whole milliseconds */
	int64		disabled_at;	/* TimestampTz; means nothing while enabled */
	int64		start_number;
	int64		end_number;		/* 0: enabled */
} StreamDef;

/*
 * Point-in-time recovery of a table: its changes leave what they replace in
 * the journal.
 */
typedef struct RecoveryDef
{
	int32		id;				/* what its journal names */
	Oid			relid;			/* its table's, also when put away */
	int			days;			/* RecoveryPeriodInDays */
	int64		kept_from;		/* TimestampTz: nothing before it is promised */
	int64		ended_at;		/* TimestampTz, when its table was deleted; 0:
								 * enabled */
	KeyAttr		hash;
	KeyAttr		range;			/* .name NULL: none */
} RecoveryDef;

typedef struct TableDef
{
	char	   *name;			/* DynamoDB's table name */
	Oid			relid;			/* dynamo_data.<relation> */
	Oid			primary_relid;	/* its primary key's btree index; InvalidOid:
								 * it has none (during a restore) */
	bool		generated;		/* keys are made from the item */
	bool		checked;		/* keys are ordinary columns, which a CHECK
								 * keeps as they would be made */
	KeyAttr		hash;
	KeyAttr		range;			/* .name NULL: no RANGE key */
	int			nindexes;
	IndexDef   *indexes;		/* sorted by name */
	int			nlocal;			/* how many of them are LSIs */
	char		table_id[37];	/* TableId */
	StatsRef   *stats;			/* where the table is counted */
	int64		created_at;		/* CreationDateTime, TimestampTz */
	char	   *settings;		/* JSON object: BillingMode, Tags, ... */
	const StreamDef *stream;	/* NULL: none is enabled */
	const RecoveryDef *recovery;	/* NULL: off */
	char	   *ttl_attribute;	/* NULL: items do not expire */
	Oid			ttl_relid;		/* the btree on expiry(); InvalidOid: none, or
								 * it may not be read */
	bool		ttl_building;	/* the worker has not finished that btree */
	bool		ttl_taken;		/* its name is another index's */
	int			nbuilding;		/* names of btrees that the worker makes, or
								 * clears away */
	char	  **building;
	bool		distributed;	/* Citus has its rows elsewhere */
	bool		filling;		/* an import fills it: CREATING */
	List	   *btrees;			/* OIDs of all indexes of the relation: one
								 * that serves nothing now may do so when
								 * renamed */
} TableDef;

/* Do changes to its items leave anything? */
static inline bool
schema_is_captured(const TableDef *def)
{
	return def->stream != NULL || def->recovery != NULL;
}

#define SCHEMA_DATA			"dynamo_data"	/* where relations of tables are */

/* Columns of a table's relation. */
#define SCHEMA_ATTR_PK		1
#define SCHEMA_ATTR_SK(def) ((def)->range.name ? 2 : 0)
#define SCHEMA_ATTR_ITEM(def) ((def)->range.name ? 3 : 2)

/*
 * What the columns before the item are generated from: a list of Expr, whose
 * only variable is the item.  schema_expression.c
 */
extern List *schema_table_keys(const TableDef *def);

/*
 * schema_cache.c
 *
 * A definition returned here is right at the moment of the call and stays
 * allocated until the end of the transaction.  It stays right as long as the
 * caller holds a lock on the relation, so: look up, lock the relation, look up
 * again and start over if another definition comes back (schema_table_open
 * does this dance).
 */
extern const TableDef *schema_find_table(const char *name); /* NULL: none */
extern const TableDef *schema_table_open(const char *name, int lockmode,
										 Relation *rel);	/* NULL: none */
/* NULL: the relation is none of ours */
extern const TableDef *schema_find_relation(Oid relid);
extern const IndexDef *schema_find_index(const TableDef *table, const char *name);
extern void schema_init(void);

/*
 * schema_catalog.c: given by a layer above.  Is the relation of a table being
 * filled before anybody else may use it?  Whoever changes the answer sends
 * schema_definition_changed() for the relation.
 */
extern bool (*schema_is_filling) (Oid relid);

/* schema_ddl.c */
typedef struct TableSpec
{
	const char *name;
	KeyAttr		hash;
	KeyAttr		range;			/* .name NULL: none */
	int			nindexes;
	IndexDef   *indexes;		/* .relid not set */
	TimestampTz created_at;
	const char *table_id;		/* NULL: a new one */
	const char *settings;		/* JSON object text, NULL: {} */
} TableSpec;

/*
 * Each runs in the caller's transaction, with the caller's privileges on
 * schema dynamo_data, and rolls back with it.
 */
extern Oid	schema_create_table(const TableSpec *spec);
extern char *schema_new_table_id(void);
extern void schema_drop_table(const char *name);
extern void schema_create_index(const char *table, const IndexDef *index,
								bool later);	/* see schema_build.c */
extern void schema_drop_index(const char *table, const char *index,
							  bool later);
extern void schema_lock_definition(const char *table);
extern void schema_lock_name(const char *name);

/*
 * schema_privilege.c: may the current user use a table, so know what it is
 * like?  "yet" sets *gone where there is no such relation any more.  Those
 * with an "action", an operation of the API, raise AccessDeniedException in
 * its name.
 */
extern bool schema_may_use(Oid relid);
extern bool schema_may_use_yet(Oid relid, bool *gone);

/* False: the table is gone */
extern bool schema_check_use(const TableDef *def, const char *action);

/* "resource" is the end of an ARN */
extern void schema_deny(const char *action, const char *resource,
						const DynamoHelp *help) pg_attribute_noreturn();

/* What the owner could grant of what is missing */
extern DynamoHelp *schema_grant_help(const TableDef *def, AclMode missing);

/* Raise PostgreSQL's errors about the current user's rights */
extern void schema_check_owner(const TableDef *def);
extern void schema_check_may_create(void);
extern void schema_change_table_settings(const char *table, const char *settings);
extern void schema_change_index_settings(const char *table, const char *index,
										 const char *settings);

/* schema_distribute.c: the same rules; raise an error without Citus */
extern void schema_distribute_table(const char *name, int shard_count);
extern void schema_undistribute_table(const char *name);

/* schema_citus.c: both false without Citus */
extern bool schema_is_coordinator(void);
extern bool schema_is_worker(void);

/* ... a table that is distributed in another way than ours is of no use */
extern void schema_refuse_foreign(const TableDef *def) pg_attribute_noreturn();

extern int32 schema_node_group(void);	/* of nodes, Citus' number */

/* schema_nodes.c: does the database know other nodes? */
extern bool schema_has_nodes(void);

/* schema_join.c: nodes that are to be told; for maintenance */
extern bool schema_has_strangers(void);
extern void schema_meet_strangers(void);
extern void schema_copy_nodes(void);
extern List *schema_distributed_names(void);
extern void schema_send_table(const char *name);
extern bool schema_note_strangers(const char *failure);

/* schema_prepared.c: false: it takes too long */
extern bool schema_await_prepared(const TableDef *def, Datum pk);

/* schema_coordinator.c: on a worker */
extern bool schema_holds_distributed(void);
extern char *schema_ask_coordinator(const char *query);

/* The same of a node; NULL: it does not answer */
extern char *schema_ask_node(const char *host, int port, const char *query);

/* schema_size.c: estimates */
typedef struct SchemaSize
{
	double		bytes;
	double		entries;
} SchemaSize;

extern SchemaSize *schema_table_sizes(const TableDef *def);

/*
 * schema_owner.c: the same as the owner of the extension's tables.
 */
extern uint64 schema_run_as_owner(const char *query, int nargs, Oid *types,
								  Datum *values, MetaTakeRow take,
								  void *arg);

/* meta_run.c */
extern void schema_definition_changed(Oid relid);

/* schema_shard.c: a part of a distributed table */
typedef struct SchemaShard
{
	int64		id;
	int32		min;			/* of the hashes of its partition keys */
	int32		max;
	char	   *host;			/* of its node */
	int			port;
	int32		group;			/* what Citus calls the node by */
	Oid			relid;			/* InvalidOid: it is on another node */
	int			place;			/* in the order of "min" */
} SchemaShard;

extern const SchemaShard *schema_find_shard(const TableDef *def, Datum pk);

/* The group of its node, -1 if there is none; it may move at any time */
extern int32 schema_group_of(const TableDef *def, Datum pk);

/* Keep it on its node, whichever that is, to the end of the transaction */
extern void schema_hold_shard(const TableDef *def, Datum pk);
extern const TableDef *schema_shard_definition(const TableDef *def, Oid relid);

/*
 * schema_stream_shard.c: shards of the stream of a distributed table.  Each is
 * the time that one of Citus' shards is on one node.
 */
typedef struct SchemaStreamShard
{
	int32		place;			/* grows with each move and split */
	int32		parent;			/* its place; 0: none is known */
	int32		group;			/* its node's */
	int32		low;			/* hashes of partition keys */
	int32		high;
	TimestampTz opened_at;
	bool		closed;			/* nothing is written there any more */
} SchemaStreamShard;

/* Where a relation's changes are recorded. */
typedef struct SchemaCapture
{
	const TableDef *def;		/* of the table */
	int32		place;			/* the shard of its stream */
} SchemaCapture;

extern bool schema_may_be_shard(Relation rel);
extern bool schema_find_capture(Relation rel, SchemaCapture *capture);
extern List *schema_stream_shards(const StreamDef *stream);
extern bool schema_stream_shard_is_open(const StreamDef *stream, int32 place,
										bool *known);
extern bool schema_group_node(int32 group, const char **host, int *port);

/* schema_attach.c: the same rules */
extern void schema_attach_table(Oid relid, const char *name,
								const char *settings, TimestampTz now);
extern Oid	schema_detach_table(const char *name);

/* Names (char *) in byte order */
extern List *schema_list_tables(const char *after, int limit);

/*
 * schema_help.c: what sessions see beside AWS's text.  Between begin and end
 * every exception gets the table's key for a hint; "column" may be set to the
 * one that is at fault.  The others are for dynamo_error_with_help().
 */
typedef struct SchemaHelp
{
	const TableDef *def;
	const IndexDef *index;		/* NULL: the table's own key */
	const char *column;
	ErrorContextCallback callback;
} SchemaHelp;

extern void schema_help_begin(SchemaHelp *help, const TableDef *def,
							  const IndexDef *index);
extern void schema_help_end(SchemaHelp *help);
extern DynamoHelp *schema_help_table(const char *name);
extern DynamoHelp *schema_help_missing(const char *name);
extern DynamoHelp *schema_help_indexes(const TableDef *def);

/* schema_stat.c */
extern void schema_sweep_stats(void);

/* schema_leading.c: what of a table row-level security lets a role see */
extern bool schema_leading_grants(Relation rel, const TableDef *def,
								  List **patterns);
extern void schema_grant_leading(const char *table, Oid role, Datum patterns);
extern bool schema_revoke_leading(const char *table, Oid role);

/* schema_ttl.c */
extern void schema_set_ttl(const char *table, const char *attribute,	/* NULL: off */
						   bool later);

/* Names (char *) of tables whose settings have this member */
extern List *schema_list_tables_with(const char *member);

/* Names (char *) of tables with a time to live */
extern List *schema_list_ttl_tables(void);

/*
 * schema_build.c
 *
 * A build is a row of statements, each to be run outside of a transaction
 * block by the process that has locked the table's build.
 */
typedef struct SchemaCallbacks
{
	/* Start a process that builds; false: there is none to be had. */
	bool		(*start_builder) (void);

	/* Start the process that takes markers, if it is not there. */
	void		(*start_marker) (void);

	/* All nodes of a cluster know the definition of a table. */
	void		(*distributed) (const char *table);

	/* Some of them are new: what else all share is to be sent. */
	void		(*joined) (void);

	/*
	 * The text of the AccessDeniedException for the current user, who may not
	 * do "action" (PutItem, ...) to "resource", the end of an ARN.
	 */
	char	   *(*denial) (const char *action, const char *resource);
} SchemaCallbacks;

extern SchemaCallbacks schema_callbacks;	/* given by the layers above */

/*
 * What one process at a time does to a table: the last number of a lock on an
 * object, its relation.
 */
typedef enum SchemaTask
{
	SCHEMA_BUILD = 1,
	SCHEMA_EXPIRE
}			SchemaTask;

extern List *schema_list_builds(bool elsewhere);	/* of char *, tables */
extern Oid	schema_lock_build(const char *table);	/* for the session */
extern char *schema_next_build(const char *table, Oid relid,
							   const char *done);	/* NULL: no more */
extern void schema_put_off_build(const char *table);

/*
 * schema_stream.c
 *
 * What these return lives in the current context.  view is 'K', 'N', 'O' or
 * 'B'.  A stream is listed for 24 hours after it was disabled, also when its
 * table is gone; "latest" is the one enabled, or else the last disabled, of
 * the table that has the name now.
 */
#define SCHEMA_STREAM_LABEL		24	/* bytes, with the NUL */
#define SCHEMA_STREAM_PIECES	8
#define SCHEMA_MAX_SHARDS		64

/* Row trigger of a relation with a stream, and the one for TRUNCATE. */
#define SCHEMA_STREAM_TRIGGER	"!dynamo_stream"
#define SCHEMA_TRUNCATE_TRIGGER "!dynamo_stream_truncate"

/* Is it one of these by its name, and is it as we make it? */
extern bool schema_has_capture_name(const char *trigger);
extern bool schema_is_capture(const Trigger *trigger);

/* Raises ValidationException and ResourceNotFoundException */
extern void schema_enable_stream(const char *table, char view);
extern void schema_refuse_heirs(Oid relid);
extern void schema_disable_stream(const char *table);	/* same */
extern const StreamDef *schema_find_stream(const char *table,
										   const char *label);
extern const StreamDef *schema_latest_stream(const char *table);
extern List *schema_list_streams(const char *table, const char *after_table,
								 const char *after_label,
								 bool (*listed) (const StreamDef *stream),
								 int limit);	/* of StreamDef *, by table
												 * and label */
extern int64 schema_stream_trimmed(const StreamDef *stream);	/* as of now */
extern bool schema_lock_streams(void);	/* against all changes; false: busy */
extern void schema_set_trimmed(int32 id, int64 number);
extern void schema_forget_streams(TimestampTz disabled_before,
								  TimestampTz followed_before);
extern int64 schema_last_number(bool to_draw);
extern int64 schema_draw_number(void);
extern const StreamDef *schema_stream_by_id(int32 id);	/* NULL: none */

/* The first stream of a relation that began after that number; or NULL */
extern const StreamDef *schema_next_stream(Oid relid, int64 start_number);

/*
 * schema_recovery.c: point-in-time recovery
 *
 * Of the owner's tables; raise ResourceNotFoundException.  Enabling what is
 * enabled changes the days: 1 to 35.
 */
extern void schema_enable_recovery(const char *table, int days);
extern void schema_disable_recovery(const char *table);

/*
 * A table with recovery is being deleted, and its relation put away: from now
 * on it does not change.  The row stays as long as the relation.  The caller
 * has locked it against everybody else, and deletes the definition.
 */
extern void schema_end_recovery(Oid relid);

/* Of any relation, also one put away; NULL: off */
extern const RecoveryDef *schema_find_recovery(Oid relid);
extern List *schema_list_recoveries(void);	/* of RecoveryDef * */

#define SCHEMA_MAX_RECOVERY_DAYS	35

/*
 * Since when the journal is complete for a table; or, as number 0, for all, since
 * what was before has been trimmed.
 */
typedef struct SchemaWindow
{
	TimestampTz began_at;
	FullTransactionId xid;		/* in which that began; of 0, the next one
								 * when it had been trimmed */
} SchemaWindow;

extern bool schema_find_window(int32 id, SchemaWindow *window);
/* Told when a transaction begins a window */
extern void (*schema_window_begins) (void);
extern void schema_begin_window(int32 id, TimestampTz began_at,
								FullTransactionId xid);
extern bool schema_lock_windows(void);	/* false: busy */
extern void schema_begin_restored(void);
extern void schema_begin_anew(const RecoveryDef *recovery, TimestampTz now);

/* Numbers of the journal */
extern int64 schema_draw_entry(void);

/*
 * schema_backup.c: backups of tables
 *
 * A backup is a row of dynamo.backups and a relation of schema dynamo_backup,
 * which has a column item.  What these return lives in the current context.
 */
#define SCHEMA_BACKUP_ID	23	/* characters, as 01489602797149-73d8d5bc */

typedef struct SchemaBackup
{
	char		id[SCHEMA_BACKUP_ID + 1];	/* the end of BackupArn */
	char	   *name;
	bool		system;			/* left by DeleteTable, else a user's */
	char	   *table_name;
	char		table_id[37];
	Oid			relid;			/* its items' */
	TimestampTz created_at;
	TimestampTz expires_at;		/* 0: never */
	int64		size;			/* bytes */
	int64		items;
	char	   *definition;		/* JSON object, read by a folder above */
} SchemaBackup;

extern const SchemaBackup *schema_backup_read(const char *id);	/* NULL: none */
extern bool schema_backup_claim(const char *id);

/*
 * Up to "limit" (0: all) of SchemaBackup *, in the order of ids, which is that
 * of creation: those after an id (NULL: all) for which "listed" is true.
 */
extern List *schema_backup_list(const char *after,
								bool (*listed) (const SchemaBackup *backup, void *arg),
								void *arg, int limit);
extern void schema_backup_insert(const SchemaBackup *backup);

/* An empty relation for a backup's items, of that owner */
extern Oid	schema_backup_relation(const char *id, Oid owner);

/*
 * The relation of the owner's table becomes a backup's, and is returned: its
 * definition, stream and indexes go, its point-in-time recovery ends, and it
 * moves to schema dynamo_backup.  Raises what DROP TABLE would.
 */
extern Oid	schema_put_away(const char *table, const char *id);

/*
 * Drop a backup's relation and its row.  The caller has checked who asks.
 */
extern void schema_backup_drop(const SchemaBackup *backup);

/* Can the relation be read as a backup? */
extern bool schema_is_backup(Oid relid);

/*
 * schema_mapping.c: event source mappings and how far they have come
 *
 * A mapping has a function called with the changes to a table.  Its shards
 * are divided into lanes, each with a position of its own.
 */
typedef struct SchemaMapping
{
	int32		id;
	Oid			relid;			/* of the table */
	int32		stream;			/* that is being read */
	Oid			owner;			/* InvalidOid: role gone, or of another name */
	bool		orphan;			/* it is gone */
	char	   *owner_name;
	char	   *function_schema;
	char	   *function_name;
	bool		enabled;
	TimestampTz created_at;
	char	   *settings;		/* JSON object, read by a folder above */
	Oid			on_failure;		/* relation for what is given up, or
								 * InvalidOid */
} SchemaMapping;

#define SCHEMA_MAX_RESULT	1000	/* bytes of a position's result */

typedef struct SchemaPosition
{
	int32		mapping;
	int			lane;
	int64		number;			/* all up to it is done */
	int64		handled;		/* records, by the function */
	int64		discarded;		/* records given up */
	int64		batch_end;		/* last number of the batch being retried; 0:
								 * none is */
	int			batch_limit;	/* records of a batch while bisecting; 0: none */
	int			failures;		/* of the batch being retried */
	TimestampTz retry_at;		/* not before; 0: now */
	TimestampTz last_at;		/* of the last attempt; 0: there was none */
	char	   *result;			/* what came of it */
	TimestampTz lost_at;		/* when records were found trimmed; 0: never */
} SchemaPosition;

extern int32 schema_mapping_insert(const SchemaMapping *mapping);
extern const SchemaMapping *schema_mapping_read(int32 id);	/* NULL: none */
extern List *schema_mapping_list(void); /* of SchemaMapping *, by id */
extern void schema_mapping_update(const SchemaMapping *mapping);
extern void schema_mapping_delete(int32 id);

/* Of one lane; of all lanes; false: "wait" is false and somebody has it */
extern bool schema_mapping_lock(int32 id, bool exclusive, bool wait);
extern bool schema_lane_lock(int32 id, int lane, bool wait);

extern SchemaPosition *schema_position_read(int32 mapping, int lane);
extern List *schema_position_list(int32 mapping);	/* by lane */
extern void schema_position_insert(const SchemaPosition *position);
extern void schema_position_update(const SchemaPosition *position);
extern void schema_position_delete_all(int32 mapping);

#endif							/* DYNAMO_SCHEMA_H */
