/*-------------------------------------------------------------------------
 *
 * key.h
 *	  Keys of items, as the definition of a table wants them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_KEY_H
#define DYNAMO_KEY_H

#include "postgres.h"

#include "expr/expr.h"
#include "item/item.h"
#include "schema/schema.h"

/*
 * key_item.c
 *
 * The primary key of an item, checked against the schema.  key_given() is
 * for a Key (exactly the key attributes), key_of_item() for a whole item
 * (PutItem: other texts), which also checks its index keys.
 *
 * An update that would change the key is for key_check_update_targets() to
 * refuse, before engine_write() or engine_transact_write(), and one that gives
 * an index's key a value of the wrong type for key_check_update_values().
 */
typedef struct TableKey
{
	ItemValue	hash;
	ItemValue	range;			/* .data NULL: the table has no RANGE key */
	ItemPartitionKey *pk;
	ItemSortKey *sk;			/* NULL: no RANGE key */
} TableKey;

extern bool key_attr_value(const Item *item, const KeyAttr *attr,
						   ItemValue *value);
extern TableKey *key_given(const TableDef *def, const Item *key);
extern TableKey *key_of_item(const TableDef *def, const Item *item);
extern void key_check_update_targets(const TableDef *def,
									 const ExprUpdate *update);
extern void key_check_update_values(const TableDef *def,
									const ExprUpdate *update);
extern int	key_compare(const TableKey *a, const TableKey *b);

/*
 * The order in which everything that writes several items of a transaction
 * takes them: by the names of their tables, then by their keys.  With another
 * order two of them could wait for each other.  0: it is the same item.
 */
extern int	key_lock_order(const TableDef *a_def, const TableKey *a,
						   const TableDef *b_def, const TableKey *b);

/* A Key of bare values, HASH first, each as the type of its attribute */
extern Item *key_of_values(const TableDef *def,
						   const ItemValue *values, int nvalues);
extern Item *key_as_item(const TableDef *def, const IndexDef *index,
						 const Item *item); /* LastEvaluatedKey: table key,
											 * and index key if index given */

/* The Key of an item, of its attributes as they are stored */
extern Item *key_of_attrs(const TableDef *def, const ItemValue *hash,
						  const ItemValue *range);

/* What of an item an index carries (its projection); the item itself for ALL. */
extern const Item *key_index_entry(const TableDef *def, const IndexDef *index,
								   const Item *item);

extern bool key_index_value(const Item *item, const KeyAttr *attr,
							uint32 max_len, ItemValue *value);
extern void key_check_updated(const TableDef *def,
							  const ExprUpdate *update,
							  const Item *item);
extern ItemValue key_stored_attr(const Item *item, const KeyAttr *attr);
extern TableKey *key_stored(const TableDef *def, const Item *item);
extern int32 key_tie_breaker(const TableKey *key);

/*
 * key_estimate.c: how many items, by the statistics of ANALYZE.  These tell of a
 * table's data: the caller asks whether the user may read it.
 */

/* What a filter lets pass */
#define KEY_FILTER_SEL	0.3333333333333333

/* Rows, and blocks; false: never counted.  "relid" is a table or an index */
extern bool key_relation_counts(Oid relid, double *tuples, double *pages);

/* Of a table, or of its index that is not NULL */
extern double key_estimate_query(const TableDef *def, const IndexDef *index,
								 double tuples, const ExprKeyShape *shape);
extern double key_estimate_item(const TableDef *def);

#endif							/* DYNAMO_KEY_H */
