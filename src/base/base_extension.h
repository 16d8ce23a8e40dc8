/*-------------------------------------------------------------------------
 *
 * base_extension.h
 *	  What belongs to the extension: its tables, functions, types.
 *
 * A file that uses one declares it, static, with what it knows of it, and then
 * gets its OID or opens it.  Types, and tables that people read, are in schema
 * dynamo; functions, sequences and other tables are in dynamo_internal.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_EXTENSION_H
#define DYNAMO_BASE_EXTENSION_H

#include "postgres.h"

#include "access/attnum.h"
#include "access/genam.h"
#include "access/htup.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

#define DYNAMO_INDEX_COLUMNS	3

/* A column of a table, an argument of a function. */
typedef struct DynamoColumn
{
	Oid			type;			/* InvalidOid: dynamo.item */
	bool		not_null;
} DynamoColumn;

/* A btree of a table, on these columns and all its rows. */
typedef struct DynamoIndex
{
	int			ncolumns;
	AttrNumber	columns[DYNAMO_INDEX_COLUMNS];
	Oid			oid;			/* while its table is known; InvalidOid: there
								 * is none */
} DynamoIndex;

typedef enum DynamoMemberKind
{
	DYNAMO_MEMBER_SCHEMA,
	DYNAMO_MEMBER_TABLE,
	DYNAMO_MEMBER_SEQUENCE,
	DYNAMO_MEMBER_FUNCTION,
	DYNAMO_MEMBER_TYPE,
	DYNAMO_MEMBER_WRAPPER		/* of foreign data; in no schema */
} DynamoMemberKind;

typedef struct DynamoMember
{
	DynamoMemberKind kind;
	const char *name;
	bool		internal;		/* in schema dynamo_internal, not dynamo */
	int			ncolumns;		/* or arguments */
	const DynamoColumn *columns;
	int			nlater;			/* of the last columns: an older version of
								 * the SQL objects may lack them */
	int			nindexes;
	DynamoIndex *indexes;
	void		(*forgotten) (void);	/* what was read through it is to be
										 * read anew; may not fail; or NULL */

	/* base_extension.c's */
	Oid			oid;			/* InvalidOid: not known */
	uint32		hash;			/* that syscache messages about it name */
	bool		checked;		/* a table's columns, and its indexes found */
	struct DynamoMember *next;
} DynamoMember;

#define DYNAMO_SCHEMA(member_name) \
	{.kind = DYNAMO_MEMBER_SCHEMA, .name = (member_name)}
#define DYNAMO_TABLE(member_name, member_columns, ...) \
	{.kind = DYNAMO_MEMBER_TABLE, .name = (member_name), \
	 .ncolumns = lengthof(member_columns), .columns = (member_columns), \
	 ##__VA_ARGS__}
#define DYNAMO_INTERNAL_TABLE(member_name, member_columns, ...) \
	DYNAMO_TABLE(member_name, member_columns, .internal = true, ##__VA_ARGS__)
#define DYNAMO_INDEXES(member_indexes) \
	.nindexes = lengthof(member_indexes), .indexes = (member_indexes)
#define DYNAMO_SEQUENCE(member_name) \
	{.kind = DYNAMO_MEMBER_SEQUENCE, .name = (member_name), .internal = true}
#define DYNAMO_FUNCTION(member_name, member_arguments) \
	{.kind = DYNAMO_MEMBER_FUNCTION, .name = (member_name), \
	 .internal = true, .ncolumns = lengthof(member_arguments), .columns = (member_arguments)}
#define DYNAMO_WRAPPER(member_name) \
	{.kind = DYNAMO_MEMBER_WRAPPER, .name = (member_name)}
#define DYNAMO_TYPE(member_name) \
	{.kind = DYNAMO_MEMBER_TYPE, .name = (member_name)}

/*
 * "find": InvalidOid or NULL when there is no extension, or it has no such
 * member.  "get" and "open": that is an error.
 */
extern Oid	dynamo_member_find(DynamoMember *member);
extern Oid	dynamo_member_get(DynamoMember *member);
extern Relation dynamo_table_find(DynamoMember *table, LOCKMODE lockmode);
extern Relation dynamo_table_open(DynamoMember *table, LOCKMODE lockmode);
extern SysScanDesc dynamo_table_scan(Relation table, const DynamoIndex *index,
									 Snapshot snapshot, int nkeys, ScanKey keys);

extern void dynamo_table_drop_orphans(DynamoMember *table, AttrNumber role);

/* The index on these columns, NULL when there is none. */
extern Relation dynamo_table_index(Relation table, const DynamoIndex *index,
								   LOCKMODE lockmode);

/* The same to scan the table in its order; an error when there is none. */
extern Relation dynamo_table_order(Relation table, const DynamoIndex *index);
extern bool dynamo_index_sorts(HeapTuple index, int column, Oid type,
							   Oid collation);

/*
 * Is the extension there, in this library's version or an older one?  The
 * second raises an error where "find" would: there are SQL objects of a later
 * version, or tables of a format that this library does not read.
 */
extern bool dynamo_is_installed(void);
extern bool dynamo_check_installed(void);

#endif							/* DYNAMO_BASE_EXTENSION_H */
