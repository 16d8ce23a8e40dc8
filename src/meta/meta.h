/*-------------------------------------------------------------------------
 *
 * meta.h
 *	  The extension's own tables: their rows, queries of them, and those that
 *	  take turns.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_META_H
#define DYNAMO_META_H

#include "postgres.h"

#include "access/genam.h"
#include "access/htup.h"
#include "access/sdir.h"
#include "access/skey.h"
#include "access/tupdesc.h"
#include "base/base_extension.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"
#include "utils/timestamp.h"

/*
 * meta_row.c: rows and columns of the definition tables
 */

/* No definition table has more columns. */
#define META_MAX_COLUMNS	24

/* A row being made or changed. */
typedef struct MetaRow
{
	Datum		values[META_MAX_COLUMNS];
	bool		nulls[META_MAX_COLUMNS];
	bool		replaces[META_MAX_COLUMNS];
} MetaRow;

extern void meta_int4_key(ScanKey key, AttrNumber attnum, int32 value);
extern void meta_oid_key(ScanKey key, AttrNumber attnum, Oid value);
extern void meta_char_key(ScanKey key, AttrNumber attnum, char value);
extern void meta_text_key(ScanKey key, AttrNumber attnum, const char *text);
extern Datum meta_column(HeapTuple tuple, AttrNumber attnum, Relation rel,
						 bool *isnull);
extern char *meta_text_column(HeapTuple tuple, AttrNumber attnum,
							  Relation rel);
extern void meta_init_row(MetaRow *row);
extern void meta_set_column(MetaRow *row, AttrNumber attnum, Datum value);
extern void meta_update_row(Relation rel, HeapTuple tuple, MetaRow *row);
extern int64 meta_sequence_last(DynamoMember *sequence, bool to_draw);
extern void meta_sequence_raise(DynamoMember *sequence, int64 least);

/*
 * meta_scan.c: rows of a table of ours, one after the other.
 *
 *		meta_scan(&scan, table, lockmode, index, nkeys, keys);
 *		while (meta_next(&scan)) ...
 *		meta_end(&scan);
 *
 * "index" NULL: all rows.  Where there is no extension, or it has no such
 * table, there is no row.  meta_change() and meta_delete() are about the row at
 * hand; they want RowExclusiveLock or more, which is kept, and the next command
 * sees what they did.
 */
typedef struct MetaScan
{
	Relation	rel;			/* NULL: there is none */
	HeapTuple	tuple;			/* the row at hand */

	/* meta_scan.c's */
	LOCKMODE	lockmode;
	SysScanDesc scan;
	Relation	order;			/* the index whose order is kept, or NULL */
	ScanDirection direction;
} MetaScan;

extern void meta_scan(MetaScan *scan, DynamoMember *table, LOCKMODE lockmode,
					  const DynamoIndex *index, int nkeys, ScanKey keys);

/* In the order of the index, which must be there, or this raises an error */
extern void meta_scan_ordered(MetaScan *scan, DynamoMember *table,
							  const DynamoIndex *index,
							  ScanDirection direction, int nkeys, ScanKey keys);
extern bool meta_next(MetaScan *scan);
extern void meta_change(MetaScan *scan, MetaRow *row);
extern void meta_delete(MetaScan *scan);
extern void meta_end(MetaScan *scan);

/* What "read" makes of the first row, NULL if there is none; of all rows. */
typedef void *(*MetaRead) (Relation rel, HeapTuple tuple);
extern void *meta_first(DynamoMember *table, const DynamoIndex *index,
						int nkeys, ScanKey keys, MetaRead read);
extern List *meta_all(DynamoMember *table, const DynamoIndex *index, int nkeys,
					  ScanKey keys, MetaRead read);

/*
 * A new row, or in place of the one that is found; without the rows that are.  The
 * next command sees it.  To insert one without the extension is an error.
 */
extern void meta_insert(DynamoMember *table, MetaRow *row);
extern void meta_put(DynamoMember *table, const DynamoIndex *index, int nkeys,
					 ScanKey keys, MetaRow *row);
extern void meta_delete_all(DynamoMember *table, const DynamoIndex *index,
							int nkeys, ScanKey keys);

/* The members of base_extension.h were made anew: the cache is told */
extern void (*meta_definitions_forgotten) (void);
extern void meta_definitions_gone(void);

/*
 * meta_query.c
 *
 * Run a query whose names are all qualified; no name inside of it is looked up
 * in the caller's path.  "take" gets each row, in the context of the caller;
 * NULL: there are none, or they do not matter.  A value that is 0 is null if its
 * type is passed by reference.  Returns the number of rows.
 */
typedef void (*MetaTakeRow) (HeapTuple row, TupleDesc desc, void *arg);
extern uint64 meta_query(const char *query, int nargs, Oid *types,
						 Datum *values, MetaTakeRow take, void *arg);

/* The first column of its one row; false, NULL: null, or there is no row. */
extern bool meta_query_flag(const char *query, int nargs, Oid *types,
							Datum *values);
extern char *meta_query_text(const char *query, int nargs, Oid *types,
							 Datum *values);

/* Takes the first column into a char *, as that does. */
extern void meta_take_text(HeapTuple row, TupleDesc desc, void *text);

/*
 * meta_query.c: the first column, a bigint, of a query's one row, and the
 * second if "second" is not NULL; -1: no row, or null.  Of two arguments the
 * second is a bigint.
 */
extern int64 meta_query_number(const char *query, Oid type, Datum *values,
							   int nvalues, int64 *second);

/* meta_run.c */
extern void meta_run_ddl(const char *statement);
extern void meta_truncate(Oid relid);	/* as its owner */
extern char *meta_relation_identity(Oid relid);

/* InvalidOid: there is no such relation */
extern Oid	meta_relation_owner(Oid relid);

/*
 * meta_ring.c
 */
typedef struct MetaRing
{
	int			npieces;
	DynamoMember *pieces;
	TimestampTz period;			/* for which a piece is used */
	DynamoIndex order;			/* by which pieces are read */
	const char *columns;		/* its columns, for messages */
} MetaRing;

extern int	meta_ring_piece(const MetaRing *ring, TimestampTz when);
extern Relation meta_ring_open(const MetaRing *ring, int n,
							   LOCKMODE lockmode);

/* AccessShareLock */
extern Relation meta_ring_index(const MetaRing *ring, Relation piece);
extern void meta_ring_insert(const MetaRing *ring, TimestampTz when,
							 Datum *values, bool *nulls);

/*
 * What a piece is truncated by.  A clock that is "ahead" of ours says when.
 */
typedef struct MetaTrim
{
	TimestampTz ahead;
	bool		(*may_go) (int n, Relation piece, TimestampTz now);
	void		(*note) (Relation piece);	/* before it goes; NULL: nothing */
} MetaTrim;

extern bool meta_ring_trim(const MetaRing *ring, int n,
						   const MetaTrim *trim);

#endif							/* DYNAMO_META_H */
