/*-------------------------------------------------------------------------
 *
 * schema_row.h
 *	  Rows and relations of definitions, for the rooms that keep more about
 *	  tables.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_SCHEMA_ROW_H
#define DYNAMO_SCHEMA_ROW_H

#include "postgres.h"

#include "nodes/primnodes.h"
#include "schema/schema.h"
#include "storage/lock.h"

/* schema_lock.c */
extern const TableDef *schema_open_own_table(const char *name, int lockmode);

extern bool schema_is_name_lock(const LOCKTAG *tag);
extern void schema_refuse_distributed(const TableDef *def, const char *what);

/* schema_name.c */
extern bool schema_is_name(const char *name);

/* schema_catalog.c: rows of tables and indexes */
extern Oid	schema_tables(void);
extern Relation schema_open_tables(LOCKMODE lockmode);
extern Oid	schema_row_relation(const char *name);
extern TableDef *schema_row_read(Oid relid);
extern List *schema_row_names(const char *after, int limit, List **missing);
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
extern Oid	schema_item_type(void);
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
extern bool schema_keep_vectors(List *keys);
extern bool schema_is_vector_class(Oid opclass);
extern void schema_check_vectors_spread(void);
extern char *schema_index_columns(const TableDef *def, List *keys);
extern char *schema_leading_sql(const TableDef *def, Datum patterns);
extern Datum schema_read_leading(Node *expression, const TableDef *def);

/* schema_size.c */
extern void schema_relation_size(Oid relid, SchemaSize *size);

/*
 * schema_rights.c: from now on nobody has a right to the relation but SELECT,
 * and nobody has it who had it not.  The caller has checked who asks.
 */
extern void schema_let_only_read(Oid relid);

/* schema_name.c: names of relations */
extern char *schema_relation_name(const char *table);
extern char *schema_primary_name(const char *table);
extern char *schema_ttl_name(const char *table);
extern char *schema_index_name(const char *table, const char *index);

#endif							/* DYNAMO_SCHEMA_ROW_H */
