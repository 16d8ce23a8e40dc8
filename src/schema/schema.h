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
#include "utils/snapshot.h"
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

/* How far two vectors are from each other. */
typedef enum VectorDistance
{
	VECTOR_COSINE,
	VECTOR_DOT_PRODUCT,
	VECTOR_EUCLIDEAN
} VectorDistance;

/* Operators of the access method dynamo_vector. */
#define VECTOR_MEETS_STRATEGY	1	/* entry @@ query */
#define VECTOR_ORDER_STRATEGY	2	/* entry <-> query */

/*
 * A secondary index, or a vector index: of that hash has its HASH attribute, if
 * there is one, and range its INLINE_FILTER attributes.
 */
typedef struct IndexDef
{
	char	   *name;			/* DynamoDB's index name */
	Oid			relid;			/* the relation, a btree or one of vectors;
								 * InvalidOid: there is none that may be read
								 * (being built, or broken) */
	Oid			counted;		/* of a shard's: the table's, for which it
								 * counts; InvalidOid: itself */
	bool		building;		/* there is none because the worker has not
								 * finished it */
	bool		taken;			/* its name is another index's */
	bool		local;			/* LSI, else GSI */
	int			ordinal;		/* place in the order of their creation */
	int			nhash;			/* 1 to 4; 1 for an LSI; of vectors 0 or 1 */
	KeyAttr    *hash;
	int			nrange;			/* 0 to 4; 1 for an LSI; of vectors 0 to 18 */
	KeyAttr    *range;
	ProjectionType projection;
	int			nnonkey;		/* INCLUDE: NonKeyAttributes, sorted */
	char	  **nonkey;
	char	   *settings;		/* JSON object: throughput and the like */
	char	   *vector;			/* of a vector index: the vector's attribute */
	int			dimensions;
	VectorDistance distance;
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

/*
 * A global table: other regions have replicas of it, so each of its items has a
 * version.
 */
typedef struct GlobalDef
{
	int32		id;				/* what versions of its items name */
	char	   *region;			/* this database's own */
	int32		region_id;
	uint64		seed;			/* of hashes of keys; nobody else's business */
	bool		versioned;		/* all of its items have a version by now */
	int64		floor;			/* versions given here are later */
} GlobalDef;

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
	int			nvectors;
	IndexDef   *vectors;		/* vector indexes, sorted by name; one that
								 * has no relation is searched in the table */
	char		table_id[37];	/* TableId */
	StatsRef   *stats;			/* where the table is counted */
	int64		created_at;		/* CreationDateTime, TimestampTz */
	char	   *settings;		/* JSON object: BillingMode, Tags, ... */
	const StreamDef *stream;	/* NULL: none is enabled */
	const RecoveryDef *recovery;	/* NULL: off */
	const GlobalDef *replication;	/* NULL: no other region has it */
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

/* One of all its indexes, of which there are nindexes + nvectors */
static inline const IndexDef *
schema_index_at(const TableDef *def, int i)
{
	return i < def->nindexes ? &def->indexes[i] :
		&def->vectors[i - def->nindexes];
}

/* Do changes to its items leave anything? */
static inline bool
schema_is_captured(const TableDef *def)
{
	return def->stream != NULL || def->recovery != NULL ||
		def->replication != NULL;
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
extern const TableDef *schema_find_sound_table(const char *name);
extern const TableDef *schema_table_open(const char *name, int lockmode,
										 Relation *rel);	/* NULL: none */
/* NULL: the relation is none of ours */
extern const TableDef *schema_find_relation(Oid relid);
extern const TableDef *schema_find_sound_relation(Oid relid);
extern const IndexDef *schema_find_index(const TableDef *table, const char *name);
extern const IndexDef *schema_find_vector(const TableDef *table, const char *name);
extern void schema_init(void);

/* schema_source.c: raise if it is not what was to be read */
extern void schema_check_source(List *queries, const TableDef *def);
extern void schema_check_item(Oid type, const TableDef *def);

/*
 * schema_catalog.c: given by a layer above.  Is the relation of a table being
 * filled before anybody else may use it?  What changes the answer sends
 * schema_definition_changed() for the relation.
 */
extern bool (*schema_is_filling) (Oid relid);

/* Of a table that another node fills: a member of its settings. */
#define SCHEMA_FILLING	"\"Filling\":true"

/* schema_ddl.c */
typedef struct TableSpec
{
	const char *name;
	KeyAttr		hash;
	KeyAttr		range;			/* .name NULL: none */
	int			nindexes;
	IndexDef   *indexes;		/* .relid not set */
	int			nvectors;
	IndexDef   *vectors;		/* the same */
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
extern void schema_create_vector(const char *table, const IndexDef *vector,
								 bool later);
extern void schema_drop_vector(const char *table, const char *vector,
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
extern void schema_check_may_create(const char *name);
extern void schema_change_table_settings(const char *table, const char *settings);
extern void schema_change_index_settings(const char *table, const char *index,
										 const char *settings);

/* shard_size.c: estimates */
typedef struct SchemaSize
{
	double		bytes;
	double		entries;
} SchemaSize;

extern SchemaSize *schema_table_sizes(const TableDef *def);

/*
 * schema_follow.c: rooms above that keep something about tables, in the order
 * in which they are told.
 */
typedef struct SchemaFollower
{
	/* A definition has been read: what is known of the table besides */
	void		(*read) (TableDef *def);

	/*
	 * The relation is no table any more, or is being dropped.  "owner" is its
	 * last; InvalidOid: not known.
	 */
	void		(*gone) (Oid relid, Oid owner);

	/* The relation is dropped, whether it was a table or not. */
	void		(*dropped) (Oid relid);

	/* Are changes of the relation to be recorded? */
	bool		(*captures) (Oid relid);
} SchemaFollower;

extern void schema_follow(const SchemaFollower *follower);
extern void schema_table_gone(Oid relid, Oid owner);	/* tells them */

/*
 * Tables whose rows are on several servers: what a layer above knows of them,
 * given when it initializes.
 */
typedef struct SchemaCluster
{
	bool		(*holds) (Oid relid);	/* are its rows elsewhere? */
	bool		(*is_coordinator) (void);

	/* An error: they are, but not as our tables' should be */
	void		(*refuse) (const TableDef *def);
	void		(*check_new) (const char *table);	/* may it be created here? */
	void		(*created) (const char *table);
	void		(*changed) (Oid relid); /* its definition */
	void		(*removed) (const char *table);

	/* There are no definitions of those char *: an error if there will be */
	void		(*missing) (List *names);
	SchemaSize *(*sizes) (const TableDef *def);
} SchemaCluster;

extern SchemaCluster schema_cluster;

/* schema_follow.c: its rows are others now; all who have read them are told */
extern void schema_definition_changed(Oid relid);

/* schema_attach.c: the same rules */
extern void schema_attach_table(Oid relid, const char *name,
								const char *settings,
								const char *index_settings, TimestampTz now);
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

/* schema_match.c */
extern bool schema_index_lacks_versions(Relation index, Snapshot snapshot);

/* schema_stat.c */
extern void schema_sweep_stats(bool (*counts_keys) (const TableDef *def,
													const IndexDef *index));

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
extern void schema_avoid_tablespace(Oid owner);
extern void schema_put_off_build(const char *table);

/*
 * schema_capture.c: the triggers of relations whose changes are recorded; a
 * distributed one has none, and is checked alone
 */
/* Row trigger of a relation with a stream, and the one for TRUNCATE. */
#define SCHEMA_STREAM_TRIGGER	"!dynamo_stream"
#define SCHEMA_TRUNCATE_TRIGGER "!dynamo_stream_truncate"

/* Is it one of these by its name, and is it as we make it? */
extern bool schema_has_capture_name(const char *trigger);
extern bool schema_is_capture(const Trigger *trigger);
extern void schema_begin_capture(const TableDef *def);
extern void schema_check_watched(const TableDef *def);
extern void schema_end_capture(Oid relid);
extern void schema_refuse_heirs(Oid relid);

/* schema_publish.c */
extern void schema_check_published(Relation rel, CmdType command);

#endif							/* DYNAMO_SCHEMA_H */
