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

#include "access/htup.h"
#include "access/skey.h"
#include "schema/schema.h"

/* The definition tables and the indexes that scans of them use. */
typedef struct SchemaCatalog
{
	Oid			tables;			/* dynamo.tables */
	Oid			tables_by_name;
	Oid			tables_by_relation;
	Oid			indexes;		/* dynamo.indexes */
	Oid			indexes_by_name;
	Oid			streams;		/* dynamo.streams */
	Oid			streams_by_id;
	Oid			streams_by_label;
	Oid			streams_by_relation;
	Oid			stream_ids;		/* sequence */
	StreamRing	ring;
} SchemaCatalog;

typedef enum SchemaCatalogTable
{
	SCHEMA_TABLES,
	SCHEMA_INDEXES,
	SCHEMA_STREAMS
} SchemaCatalogTable;

/* schema_cache.c */
extern Relation schema_catalog_open(SchemaCatalogTable which, int lockmode,
									const SchemaCatalog **c);

/*
 * schema_row.c: rows and columns of the definition tables
 */

/* No definition table has more columns. */
#define SCHEMA_MAX_COLUMNS	17

/* A row being made or changed. */
typedef struct SchemaRow
{
	Datum		values[SCHEMA_MAX_COLUMNS];
	bool		nulls[SCHEMA_MAX_COLUMNS];
	bool		replaces[SCHEMA_MAX_COLUMNS];
} SchemaRow;

extern Relation schema_catalog_for_write(SchemaCatalogTable which,
										 const SchemaCatalog **c);
extern void schema_text_key(ScanKey key, AttrNumber attnum, const char *text);
extern Datum schema_column(HeapTuple tuple, AttrNumber attnum, Relation rel,
						   bool *isnull);
extern char *schema_text_column(HeapTuple tuple, AttrNumber attnum,
								Relation rel);
extern void schema_init_row(SchemaRow *row);
extern void schema_set_column(SchemaRow *row, AttrNumber attnum, Datum value);
extern void schema_update_row(Relation rel, HeapTuple tuple, SchemaRow *row);

/* schema_catalog.c: rows of tables and indexes */
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
extern void schema_index_row_insert(const char *table, const IndexDef *index);
extern bool schema_index_row_delete(const char *table, const char *index);
extern void schema_index_row_set_settings(const char *table, const char *index,
										  const char *settings);
extern void schema_index_row_of_relation(const char *relname,
										 List **tables, List **indexes);

/* schema_match.c: the relations behind a definition */
extern bool schema_has_columns(const TableDef *def);
extern void schema_find_btrees(TableDef *def);

/* schema_ddl.c: what all changes of definitions share */
extern void schema_lock_name(const char *name);
extern const TableDef *schema_open_own_table(const char *name, int lockmode);
extern void schema_definition_changed(Oid relid);
extern void schema_run_ddl(const char *statement);
extern Oid	schema_relation_owner(Oid relid);
extern char *schema_relation_identity(Oid relid);

/* schema_build.c: btrees, made now or by the background worker */
extern void schema_make_btree(Oid relid, const char *relname,
							  const char *columns, bool later);
extern const TableDef *schema_open_to_drop(const char *table,
										   const char *relname, bool later);
extern void schema_drop_btree(const TableDef *def, const char *relname,
							  bool later);
extern bool schema_is_building(const TableDef *def, const char *relname);
extern char *schema_index_columns(const KeyAttr *hash, const KeyAttr *range,
								  const IndexDef *index);
extern char *schema_tie_expression(const KeyAttr *hash, const KeyAttr *range);

/* schema_stream.c: rows of dynamo.streams */
extern const StreamDef *schema_stream_of_relation(Oid relid);
extern void schema_stream_relation_dropped(Oid relid, Oid owner);
extern void schema_stream_init(void);

/* schema_ttl.c */
extern void schema_ttl_index_dropped(const char *relname);
extern char *schema_ttl_columns(const TableDef *def, const char *attribute);

/* schema_name.c: names of relations */
extern char *schema_relation_name(const char *table);
extern char *schema_primary_name(const char *table);
extern char *schema_ttl_name(const char *table);
extern char *schema_build_name(const char *table);
extern char *schema_index_name(const char *table, const char *index);

#endif							/* DYNAMO_SCHEMA_INTERNAL_H */
