/*-------------------------------------------------------------------------
 *
 * balance_internal.h
 *	  What the files of this folder share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BALANCE_INTERNAL_H
#define DYNAMO_BALANCE_INTERNAL_H

#include "postgres.h"

#include "balance/balance.h"

/* balance_load.c: as values of a query, $1 and $2 */
typedef struct BalanceReadings
{
	Oid			types[2];
	Datum		values[2];
} BalanceReadings;

/* ... which begins with this: l (shard, bytes, accesses) */
#define BALANCE_READING(n) \
	"(SELECT split_part(w, ' ', 1)::bigint AS shard, max(split_part(w, ' ', 2)::bigint) AS bytes, " \
	"max(split_part(w, ' ', 3)::bigint) AS scans " \
	"FROM string_to_table($" #n ", ',') AS w WHERE w <> '' GROUP BY 1)"
#define BALANCE_LOADS \
	"WITH l AS (SELECT b.shard, b.bytes, greatest(b.scans - coalesce(a.scans, 0), 0) AS accesses " \
	"FROM " BALANCE_READING(2) " AS b LEFT JOIN " BALANCE_READING(1) " AS a ON a.shard = b.shard) "

extern void balance_measure(int seconds, int elevel, BalanceReadings *readings);

#endif							/* DYNAMO_BALANCE_INTERNAL_H */
