/*-------------------------------------------------------------------------
 *
 * schema_internal.h
 *	  What the files of this folder share: the definition tables.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SCHEMA_INTERNAL_H
#define DYNAMO_SCHEMA_INTERNAL_H

#include "postgres.h"

#include "access/genam.h"
#include "access/htup.h"
#include "access/skey.h"
#include "base/base_extension.h"
#include "nodes/primnodes.h"
#include "schema/schema.h"

/* schema_ddl.c */
extern void schema_define(TableDef *def);
extern Oid	schema_of_data(void);

/* schema_lock.c */
extern const TableDef *schema_open_own_table(const char *name, int lockmode);

/* schema_catalog.c: rows of tables and indexes */
extern Relation schema_open_tables(LOCKMODE lockmode);
extern Oid	schema_row_relation(const char *name);
extern TableDef *schema_row_read(Oid relid);
extern List *schema_row_names(const char *after, int limit);
extern void schema_row_insert(const TableDef *def);
extern void schema_row_delete(Oid relid);
extern void schema_row_set_settings(Oid relid, const char *settings);
extern void schema_row_set_ttl(Oid relid, const char *attribute);
extern void schema_row_set_building(Oid relid, const char *btree,
									bool building);
extern List *schema_row_ttl_names(void);
extern List *schema_row_building_names(void);
extern List *schema_row_setting_names(const char *member);
extern void schema_index_row_insert(const char *table, const IndexDef *index);
extern bool schema_index_row_delete(const char *table, const char *index);
extern void schema_index_row_set_settings(const char *table, const char *index,
										  const char *settings);

/* schema_match.c: the relations behind a definition */
extern bool schema_has_columns(const TableDef *def);
extern Node *schema_generated_from(Oid relid, AttrNumber attnum);
extern bool schema_has_generated_keys(const TableDef *def);
extern bool schema_has_checked_keys(const TableDef *def);
extern char *schema_key_check_name(const TableDef *def);
extern bool schema_looks_distributed(Relation rel);
extern void schema_find_btrees(TableDef *def);
extern List *schema_btree_keys(const TableDef *def, const char *relname,
							   const IndexDef **index);
extern bool schema_is_btree(HeapTuple tuple, List *keys);
extern bool schema_is_building(const TableDef *def, const char *relname);

/* schema_expression.c: columns of relations and indexes; lists of Expr */
extern Oid	schema_column_type(const TableDef *def, AttrNumber attnum);
extern Expr *schema_key_check(const TableDef *def);
extern bool schema_read_key_check(Node *check, TableDef *def);
extern char *schema_expression_sql(const TableDef *def, Expr *expression);
extern List *schema_index_keys(const TableDef *def, const IndexDef *index);
extern List *schema_ttl_keys(const TableDef *def, const char *attribute);
extern bool schema_read_table_key(Node *expression, bool range,
								  KeyAttr *attribute);
extern bool schema_read_index_keys(List *expressions, IndexDef *index);
extern Expr *schema_predicate(List *keys);
extern char *schema_index_columns(const TableDef *def, List *keys);
extern char *schema_leading_sql(const TableDef *def, Datum patterns);
extern Datum schema_read_leading(Node *expression, const TableDef *def);

/* schema_citus.c */
extern void schema_citus_init(void);
extern bool schema_distributes_new; /* dynamo.distribute_new_tables */
extern bool schema_has_citus(void);
extern Oid	schema_shard_table(int64 shard, int32 *low, int32 *high);
extern int64 schema_placement_here(int64 shard);

/*
 * schema_rights.c: from now on nobody has a right to the relation but SELECT,
 * and nobody has it who had it not.  The caller has checked who asks.
 */
extern void schema_let_only_read(Oid relid);

/* schema_stream_shard.c: shards of streams of distributed tables */
extern void schema_lock_shards(const TableDef *def, int lockmode);
extern void schema_open_all_stream_shards(const TableDef *def);

/* schema_stream_place.c: rows of dynamo_internal.stream_shards */
typedef struct SchemaPlace
{
	int32		stream;
	int32		place;
	int64		shard;
	int32		group;
	int32		low;
	int32		high;
	Oid			relation;
	TimestampTz opened_at;
	bool		committed;
} SchemaPlace;

extern List *schema_places(int32 stream, int32 place);
extern void schema_place_insert(const SchemaPlace *row);
extern Datum schema_places_text(int32 stream);
extern void schema_forget_places(TimestampTz followed_before,
								 bool (*exists) (int32 stream));
extern bool schema_place_is_there(int32 place);
extern bool schema_is_distributed(Oid relid);

/* schema_distribute.c */
extern void schema_distribute_new(const char *name);
extern void schema_refuse_distributed(const TableDef *def, const char *what);

/* schema_shard.c: OIDs of the shards on this node */
extern List *schema_shards_here(const TableDef *def);

/* schema_nodes.c */
extern bool schema_prepare_nodes(void);

/* schema_publish.c */
extern Oid	schema_nodes(void);
extern void schema_definition_changed(Oid relid);
extern void schema_publish(Oid relid);
extern void schema_publish_removal(const char *name);

/* schema_build.c: btrees, made now or by the background worker */
extern void schema_check_may_build(Oid schema);
extern void schema_make_btree(const TableDef *def, const char *relname,
							  List *keys, bool later);
extern const TableDef *schema_open_to_drop(const char *table,
										   const char *relname, bool later);
extern void schema_drop_btree(const TableDef *def, const char *relname,
							  bool later);

/* schema_stream_row.c: rows of dynamo.streams */
extern void schema_stream_row_insert(const TableDef *table, char view);
extern void schema_stream_row_end(Oid relid);
extern const StreamDef *schema_stream_row_latest(const TableDef *def);
extern const StreamDef *schema_stream_of_relation(Oid relid);
extern void schema_stream_relation_dropped(Oid relid, Oid owner);
extern void schema_stream_init(void);

/* schema_capture.c */
extern void schema_begin_capture(const TableDef *def);
extern void schema_end_capture(Oid relid);
extern bool schema_has_capture(Oid relid);
extern bool schema_is_capture_function(Oid function);

/*
 * An error, but for superusers: does the relation's every change leave a
 * record, in its order?  A trigger would not record all of them.
 */
extern void schema_check_capture(Relation rel);
extern void schema_refuse_capture(const char *relation, const char *trigger);

/* schema_guard.c: may it be dropped of a relation that stays?  Else an error */
extern void schema_capture_dropped(Oid relid, const char *trigger);

/* schema_recovery_row.c */
extern int32 schema_recovery_row_insert(const TableDef *def, int days);
extern void schema_recovery_row_delete(Oid relid);
extern void schema_recovery_row_set_days(Oid relid, int days,
										 TimestampTz kept_from);
extern void schema_recovery_row_set_ended(Oid relid, TimestampTz when);

/* schema_backup.c */
extern void schema_backup_relation_dropped(Oid relid);

/* schema_mapping.c */
extern void schema_mapping_relation_dropped(Oid relid);

/* schema_name.c: names of relations */
extern char *schema_relation_name(const char *table);
extern char *schema_primary_name(const char *table);
extern char *schema_ttl_name(const char *table);
extern char *schema_index_name(const char *table, const char *index);

#endif							/* DYNAMO_SCHEMA_INTERNAL_H */
