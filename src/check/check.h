/*-------------------------------------------------------------------------
 *
 * check.h
 *	  Damage in a table: in its pages, items, keys and indexes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CHECK_H
#define DYNAMO_CHECK_H

#include "postgres.h"

#include "storage/block.h"
#include "storage/off.h"

/*
 * Reads a whole table of the current user's, and tells what is wrong with it:
 * in which relation, the table's or an index's; in which row of the table,
 * if in any; and what, without a word of the row.  Without "problem" only the
 * figures are gathered, of a table that is taken to be sound.  Raises
 * ResourceNotFoundException, insufficient_privilege, and
 * feature_not_supported for a table whose items are in other relations.
 */
typedef struct TableCheck
{
	const char *table;
	void		(*problem) (struct TableCheck *check, Oid relid,
							BlockNumber block, OffsetNumber line,
							const char *text);
	/* the figures, as one snapshot sees them */
	int64		pages;
	int64		free;			/* bytes of them that take new items */
	int64		items;
	int64		hidden;			/* other versions of items */
	int64		collections;	/* partition keys */
	int64		places;			/* pages of each collection, summed up */
} TableCheck;

extern void check_whole_table(TableCheck *check);

#endif							/* DYNAMO_CHECK_H */
