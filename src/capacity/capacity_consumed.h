/*-------------------------------------------------------------------------
 *
 * capacity_consumed.h
 *	  What a request takes of the capacity of tables: ConsumedCapacity, and
 *	  ItemCollectionMetrics.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CAPACITY_CONSUMED_H
#define DYNAMO_CAPACITY_CONSUMED_H

#include "postgres.h"

#include "capacity/capacity.h"
#include "engine/engine.h"

typedef enum CapacityMode
{
	CAPACITY_MODE_UNSET,
	CAPACITY_MODE_INDEXES,
	CAPACITY_MODE_TOTAL,
	CAPACITY_MODE_NONE
} CapacityMode;

typedef enum CapacityConsumedKind
{
	CAPACITY_CONSUMED_PLAIN,
	CAPACITY_CONSUMED_TRANSACT_READ,
	CAPACITY_CONSUMED_TRANSACT_WRITE
} CapacityConsumedKind;

/* One table's account of a request. */
typedef struct CapacityConsumed
{
	const char *table_name;		/* as sent */
	const TableDef *def;
	CapacityConsumedKind kind;
	double		table;
	double		failed;			/* of writes that failed: in no arm */
	double	   *indexes;		/* one for each of def->indexes */
	bool	   *touched;		/* has the index anything to show? */
	uint64	   *vectors;		/* bytes written, one for each of def->vectors */
	const TableKey *key;		/* of the item it is about; NULL: of several */
	uint64		partition;		/* hash of the one partition key of the table,
								 * or of an index, that it is all about; 0: of
								 * several */
	int			partition_arm;	/* that index's place; -1: the table */
} CapacityConsumed;

extern bool capacity_is_wanted(CapacityMode mode);
extern CapacityConsumed *capacity_consumed(const char *table_name, const TableDef *def);
extern void capacity_charge_get(CapacityConsumed *consumed, const Item *item,
								double factor);
extern void capacity_charge_scan(CapacityConsumed *consumed, int i, uint64 bytes,
								 double factor);
extern void capacity_charge_write(CapacityConsumed *consumed, const Item *old_item,
								  const Item *new_item, double factor);
extern uint64 capacity_search_bytes(const IndexDef *index, uint64 returned);
extern void capacity_charge_failed(CapacityConsumed *consumed, const Item *old_item,
								   const Item *new_item);
extern void capacity_charge_new(CapacityConsumed *consumed, const Item *item);
extern void capacity_consumed_member(StringInfo out, CapacityMode mode,
									 const CapacityConsumed *consumed);
extern void capacity_consumed_list_member(StringInfo out, CapacityMode mode,
										  const List *consumed);
extern void capacity_append_metrics(StringInfo out, const TableDef *def,
									const Item *item);

extern double capacity_read_units(const Item *item);
extern double capacity_write_units(const Item *old_item, const Item *new_item);

/* ItemCollectionMetrics of several tables. */
typedef struct CapacityMetrics CapacityMetrics;

extern CapacityMetrics *capacity_metrics(void);
extern void capacity_metrics_add(CapacityMetrics *metrics, const char *table_name,
								 const TableDef *def, const Item *item);
extern void capacity_metrics_member(StringInfo out, const CapacityMetrics *metrics);

#endif							/* DYNAMO_CAPACITY_CONSUMED_H */
