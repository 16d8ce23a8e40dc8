/*-------------------------------------------------------------------------
 *
 * moment_read.c
 *	  Items of several nodes, as of one moment.
 *
 * Nodes share no snapshot.  A transaction of several of them is prepared on all,
 * then committed on one after the other.  So each node reads its items in one
 * snapshot of its own, and all do so in rounds, until in one of them each item is
 * in the version that the round before has found, and nobody who has changed it
 * is prepared.
 *
 * Then all of these versions were the current ones when the last round began.
 * For assume that a transaction was seen by the round before on one node and not
 * on another.  It was committed on the one, so it had been prepared on the other
 * before the last round.  The last round has found its change there, or found it
 * prepared.
 *
 * So only those who change the very items cause more than two rounds.  A round is
 * a statement for each node and table, and an item whose version is known is not
 * sent again.
 *
 * Where they always change them the rounds go on under locks: before each, the
 * nodes lock those items that nobody is changing just then, and nobody waits
 * meanwhile with locks that he has: neither this reading, nor for longer than
 * some milliseconds a transaction whose parts nodes execute.  So from round to
 * round fewer items can change.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "base/base_session.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "item/item_bytes.h"
#include "miscadmin.h"
#include "moment/moment_internal.h"
#include "port/pg_bswap.h"
#include "schema/schema_row.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#define MANY_ROUNDS		100		/* others always change what is read */
#define MANY_CHANGES	5		/* rounds that have found some, before locks */

/* Milliseconds: where somebody is prepared, before the next round and in all. */
#define FIRST_PAUSE		1
#define LAST_PAUSE		50
#define PATIENCE		5000

/* ... and with locks, for which others wait, in all. */
#define HOLD_PATIENCE	500

static DynamoColumn hold_arguments[] = {
	{TEXTOID, true}, {BYTEAARRAYOID, true}
};

/* Nodes have it when all of them have a library that has it. */
static DynamoMember hold_function = DYNAMO_FUNCTION("hold_items", hold_arguments);

/* No version is that. */
#define VERSION_UNKNOWN	INT64CONST(-1)

/* The items of a table that are on one node. */
typedef struct Part
{
	EngineTable *table;
	int32		group;
	int			n;
	int		   *places;			/* of its items, among all */
} Part;

/* A reading, round after round. */
typedef struct Reading
{
	EngineGet  *gets;
	int			n;
	int64	   *versions;		/* as the last round has found them */
	const Part *part;			/* that is being read */
	bool		able;			/* the nodes serve such a reading */
	bool		same;			/* this round is as the one before */
	bool		changed;		/* it has found another version of an item */
	bool		in_doubt;		/* somebody is prepared, or shards have moved */
	bool		holds;			/* the user may lock the items */
} Reading;

static bool is_readable(const EngineGet *gets, int n);
static bool read_rounds(Reading *reading);
static bool can_hold(void);
static bool read_held(void *arg);
static bool is_done(const Reading *reading);
static void read_round(Reading *reading);
static void hold_items(Reading *reading);
static List *parts_of(const Reading *reading);
static void read_part(Reading *reading, const Part *part);
static void hold_part(Reading *reading, const Part *part);
static Datum keys_of(const Reading *reading, const Part *part);
static void take_held(HeapTuple row, TupleDesc desc, void *arg);
static Item *key_item(const EngineGet *get);
static void take_part(HeapTuple row, TupleDesc desc, void *arg);
static void take_version(Reading *reading, int place, bytea *answer);
static void misunderstood(void) pg_attribute_noreturn();

/*
 * Read items that engine_transact_get() could not read under one snapshot; false:
 * others always change them.
 */
bool
moment_read(EngineGet *gets, int n)
{
	Reading		reading = {.gets = gets, .n = n, .able = is_readable(gets, n)};
	bool		done = reading.able && read_rounds(&reading);

	return reading.able ? done : moment_read_settled(gets, n);
}

/*
 * May these items be read so?  Their tables are distributed, and the transaction
 * has changed none of them: what it has changed is seen by some sessions of Citus
 * alone.  In REPEATABLE READ nothing is read anew.
 */
static bool
is_readable(const EngineGet *gets, int n)
{
	if (IsolationUsesXactSnapshot())
		return false;
	for (int i = 0; i < n; i++)
	{
		const TableDef *def = engine_def(gets[i].table);

		if (!def->distributed || !shard_may_read_moment(def))
			return false;
	}
	return true;
}

/*
 * False: others always change the items, or the nodes are not able to read them.
 */
static bool
read_rounds(Reading *reading)
{
	TimestampTz start = GetCurrentTimestamp();
	long		pause = FIRST_PAUSE;
	int			changes = 0;

	reading->versions = palloc(sizeof(int64) * reading->n);
	for (int i = 0; i < reading->n; i++)
		reading->versions[i] = VERSION_UNKNOWN;
	for (int round = 0; round < MANY_ROUNDS; round++)
	{
		read_round(reading);
		if (!is_done(reading) && reading->changed &&
			++changes == MANY_CHANGES && can_hold())
		{
			ErrorData  *error = dynamo_attempt(read_held, reading);

			if (error != NULL)
				ReThrowError(error);
		}
		if (is_done(reading))
			return reading->able;
		if (!reading->in_doubt)
		{
			pause = FIRST_PAUSE;
			continue;
		}
		if (TimestampDifferenceExceeds(start, GetCurrentTimestamp(), PATIENCE))
			break;
		dynamo_nap(pause);
		pause = Min(2 * pause, LAST_PAUSE);
	}
	return false;
}

/*
 * May this transaction lock anything?  Other nodes know that it only reads if its
 * BEGIN says so.  In parallel mode there are no subtransactions.
 */
static bool
can_hold(void)
{
	return !XactReadOnly && !RecoveryInProgress() && !IsInParallelMode() &&
		OidIsValid(dynamo_member_find(&hold_function));
}

/*
 * Rounds under locks, in a subtransaction that is undone: then others go on.
 */
static bool
read_held(void *arg)
{
	Reading    *reading = arg;
	TimestampTz start = GetCurrentTimestamp();

	for (;;)
	{
		hold_items(reading);
		if (!reading->holds)
			break;
		read_round(reading);
		if (is_done(reading) ||
			TimestampDifferenceExceeds(start, GetCurrentTimestamp(), HOLD_PATIENCE))
			break;
		dynamo_nap(FIRST_PAUSE);
	}
	return false;
}

static bool
is_done(const Reading *reading)
{
	return reading->same || !reading->able;
}

static void
read_round(Reading *reading)
{
	List	   *parts = parts_of(reading);
	ListCell   *lc;

	reading->same = true;
	reading->changed = false;
	reading->in_doubt = false;
	foreach(lc, parts)
	{
		CHECK_FOR_INTERRUPTS();
		read_part(reading, lfirst(lc));
		if (!reading->able)
			return;
	}
}

static void
hold_items(Reading *reading)
{
	List	   *parts = parts_of(reading);
	ListCell   *lc;

	reading->holds = true;
	foreach(lc, parts)
	{
		CHECK_FOR_INTERRUPTS();
		hold_part(reading, lfirst(lc));
		if (!reading->holds)
			return;
	}
}

/*
 * Shards may have moved since the round before.
 */
static List *
parts_of(const Reading *reading)
{
	List	   *parts = NIL;

	for (int i = 0; i < reading->n; i++)
	{
		const EngineGet *get = &reading->gets[i];
		int32		group = shard_group_of(engine_def(get->table),
										   PointerGetDatum(get->key->pk));
		Part	   *part = NULL;
		ListCell   *lc;

		foreach(lc, parts)
		{
			part = lfirst(lc);
			if (part->table == get->table && part->group == group)
				break;
			part = NULL;
		}
		if (part == NULL)
		{
			part = palloc(sizeof(Part));
			part->table = get->table;
			part->group = group;
			part->n = 0;
			part->places = palloc(sizeof(int) * reading->n);
			parts = lappend(parts, part);
		}
		part->places[part->n++] = i;
	}
	return parts;
}

/*
 * One node reads its items of one table.
 */
static void
read_part(Reading *reading, const Part *part)
{
	const EngineGet *first = &reading->gets[part->places[0]];
	const TableDef *def = engine_def(part->table);
	Oid			types[] = {schema_column_type(def, SCHEMA_ATTR_PK), BYTEAARRAYOID, INT8ARRAYOID};
	Datum		values[lengthof(types)];
	Datum	   *known = palloc(sizeof(Datum) * part->n);

	for (int i = 0; i < part->n; i++)
		known[i] = Int64GetDatum(reading->versions[part->places[i]]);
	values[0] = PointerGetDatum(first->key->pk);
	values[1] = keys_of(reading, part);
	values[2] = PointerGetDatum(construct_array(known, part->n, INT8OID,
												sizeof(int64), FLOAT8PASSBYVAL,
												TYPALIGN_DOUBLE));
	reading->part = part;
	reading->able = false;
	shard_run_at_key(def,
					 psprintf("dynamo_internal.read_items(%s, $2, $3)",
							  quote_literal_cstr(def->name)),
					 lengthof(types), types, values, take_part, reading);
}

/*
 * One node locks those of its items of one table that nobody is changing.
 */
static void
hold_part(Reading *reading, const Part *part)
{
	const TableDef *def = engine_def(part->table);
	Oid			types[] = {schema_column_type(def, SCHEMA_ATTR_PK), BYTEAARRAYOID};
	Datum		values[lengthof(types)];

	values[0] = PointerGetDatum(reading->gets[part->places[0]].key->pk);
	values[1] = keys_of(reading, part);
	shard_run_at_key(def,
					 psprintf("dynamo_internal.hold_items(%s, $2)",
							  quote_literal_cstr(def->name)),
					 lengthof(types), types, values, take_held, reading);
}

static Datum
keys_of(const Reading *reading, const Part *part)
{
	Datum	   *keys = palloc(sizeof(Datum) * part->n);

	for (int i = 0; i < part->n; i++)
		keys[i] = PointerGetDatum(key_item(&reading->gets[part->places[i]]));
	return moment_array(keys, NULL, part->n);
}

static void
take_held(HeapTuple row, TupleDesc desc, void *arg)
{
	Reading    *reading = arg;
	bool		isnull;

	reading->holds = DatumGetBool(SPI_getbinval(row, desc, 1, &isnull));
}

/*
 * An item of the key alone: its bytes are what the other node is sent.
 */
static Item *
key_item(const EngineGet *get)
{
	ItemValue	values[] = {get->key->hash, get->key->range};

	return key_of_values(engine_def(get->table), values,
						 get->key->sk == NULL ? 1 : 2);
}

/*
 * The node's answer: NULL, it is not able to.
 */
static void
take_part(HeapTuple row, TupleDesc desc, void *arg)
{
	Reading    *reading = arg;
	const Part *part = reading->part;
	Datum	   *answers;
	bool	   *nulls;
	int			n;
	bool		isnull;
	Datum		answer = SPI_getbinval(row, desc, 1, &isnull);

	if (isnull)
		return;
	deconstruct_array(DatumGetArrayTypeP(answer), BYTEAOID, -1, false,
					  TYPALIGN_INT, &answers, &nulls, &n);
	if (n != part->n)
		misunderstood();
	for (int i = 0; i < n; i++)
		take_version(reading, part->places[i],
					 nulls[i] ? NULL : DatumGetByteaPP(answers[i]));
	reading->able = true;
}

/*
 * Eight bytes of the version, and the item, if there is one and its version is
 * another than before.
 */
static void
take_version(Reading *reading, int place, bytea *answer)
{
	EngineGet  *get = &reading->gets[place];
	int64	   *version = &reading->versions[place];
	int			len = answer ? VARSIZE_ANY_EXHDR(answer) : 0;
	const char *bytes = answer ? VARDATA_ANY(answer) : NULL;
	uint64		found;

	get->contended = true;
	if (len < sizeof(found))
	{
		*version = VERSION_UNKNOWN;
		reading->in_doubt = true;
		reading->same = false;
		return;
	}
	memcpy(&found, bytes, sizeof(found));
	found = pg_ntoh64(found);
	if ((int64) found == *version)
	{
		get->contended = false;
		return;
	}
	reading->same = false;
	reading->changed |= *version != VERSION_UNKNOWN;
	*version = (int64) found;
	bytes += sizeof(found);
	len -= sizeof(found);
	get->item = NULL;
	if (*version == MOMENT_MISSING)
		return;
	if (!item_bytes_valid(bytes, len))
		misunderstood();
	get->item = (Item *) cstring_to_text_with_len(bytes, len);
}

static void
misunderstood(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROTOCOL_VIOLATION),
			 errmsg("unexpected answer of a node")));
}
