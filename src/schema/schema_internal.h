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

#include "schema/schema_row.h"

/* schema_ddl.c */
extern void schema_define(TableDef *def);
extern Oid	schema_of_data(void);

/* schema_comment.c: the comment of a relation, which tells keys and indexes */
extern char *schema_comment_text(const TableDef *def);
extern void schema_comment(Oid relid, const char *before);
extern void schema_comment_clear(Oid relid, const char *before);

/* schema_build.c: btrees, made now or by the background worker */
extern void schema_check_may_build(Oid schema);
extern void schema_make_btree(const TableDef *def, const char *relname,
							  List *keys, bool later);
extern const TableDef *schema_open_to_drop(const char *table,
										   const char *relname, bool later);
extern void schema_drop_btree(const TableDef *def, const char *relname,
							  bool later);

/* schema_follow.c: the rooms above are told */
extern void schema_follow_read(TableDef *def);
extern void schema_follow_dropped(Oid relid);
extern bool schema_has_capture(Oid relid);
extern bool schema_is_capture_function(Oid function);

/* schema_guard.c: may it be dropped of a relation that stays?  Else an error */
extern void schema_capture_dropped(Oid relid, const char *trigger);

/*
 * An error, but for superusers: does the relation's every change leave a
 * record, in its order?  A trigger would not record all of them.
 */
extern void schema_check_capture(Relation rel);
extern void schema_refuse_capture(const char *relation, const char *trigger);

#endif							/* DYNAMO_SCHEMA_INTERNAL_H */
