/*-------------------------------------------------------------------------
 *
 * moment_node.c
 *	  The part of a reading that is one node's: the versions of its items, and locks
 *	  on them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "item/item_bytes.h"
#include "miscadmin.h"
#include "moment/moment_internal.h"
#include "port/pg_bswap.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(dynamo_read_items);
PG_FUNCTION_INFO_V1(dynamo_hold_items);

/* A key that is read on this node. */
typedef struct ReadKey
{
	const TableKey *key;
	EngineTable *shard;			/* NULL: it is not here */
	bool		in_doubt;
} ReadKey;

static bool find_shards(EngineTable *table, ArrayType *keys, ReadKey *found,
						List **shards);
static const TableKey *read_key(const EngineTable *table, bytea *bytes);
static EngineTable *shard_of(EngineTable *table, const TableKey *key,
							 List **shards, bool *able);
static bytea *read_version(const ReadKey *key, int64 known);
static bool may_hold(const TableDef *def);
static void close_shards(List *shards, EngineTable *table);

/*
 * read_items(table_name, keys, known): the items of a distributed table that are
 * on this node, for moment_read().  Those who are prepared are looked for first:
 * whoever ends between that and the snapshot is seen by it.
 */
Datum
dynamo_read_items(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	ArrayType  *keys = PG_GETARG_ARRAYTYPE_P(1);
	ArrayType  *known = PG_GETARG_ARRAYTYPE_P(2);
	int			n = ArrayGetNItems(ARR_NDIM(keys), ARR_DIMS(keys));
	EngineTable *table = engine_open(NULL, name, ENGINE_READ);
	ReadKey    *found = palloc0(sizeof(ReadKey) * n);
	Datum	   *answers = palloc0(sizeof(Datum) * n);
	bool	   *nulls = palloc0(sizeof(bool) * n);
	List	   *shards = NIL;
	bool		able;

	if (ARR_HASNULL(keys) || ARR_HASNULL(known) ||
		ArrayGetNItems(ARR_NDIM(known), ARR_DIMS(known)) != n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("each key needs a version")));
	able = find_shards(table, keys, found, &shards);
	for (int i = 0; able && i < n; i++)
		found[i].in_doubt = found[i].shard == NULL ||
			engine_in_doubt(found[i].shard, found[i].key);
	PushActiveSnapshot(GetLatestSnapshot());
	for (int i = 0; able && i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		nulls[i] = found[i].in_doubt;
		if (!nulls[i])
			answers[i] = PointerGetDatum(read_version(&found[i],
													  ((int64 *) ARR_DATA_PTR(known))[i]));
	}
	PopActiveSnapshot();
	close_shards(shards, table);
	if (!able)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(moment_array(answers, nulls, n));
}

/*
 * hold_items(table_name, keys): lock those of these items that are on this node, and
 * that nobody is changing, so that they stay as they are to the end of the
 * (sub)transaction.  Nobody waits here.  False: the user
 * may not.
 */
Datum
dynamo_hold_items(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	ArrayType  *keys = PG_GETARG_ARRAYTYPE_P(1);
	int			n = ArrayGetNItems(ARR_NDIM(keys), ARR_DIMS(keys));
	EngineTable *table = engine_open(NULL, name, ENGINE_READ);
	ReadKey    *found = palloc0(sizeof(ReadKey) * n);
	List	   *shards = NIL;
	bool		able;

	if (ARR_HASNULL(keys))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("keys must not be null")));
	able = may_hold(engine_def(table)) &&
		find_shards(table, keys, found, &shards);
	PushActiveSnapshot(GetLatestSnapshot());
	for (int i = 0; able && i < n; i++)
	{
		EngineTable *shard = found[i].shard;

		CHECK_FOR_INTERRUPTS();
		if (shard != NULL &&
			ConditionalLockRelationOid(engine_def(shard)->relid, RowShareLock))
			engine_try_hold(shard, found[i].key);
	}
	PopActiveSnapshot();
	close_shards(shards, table);
	PG_RETURN_BOOL(able);
}

/*
 * A lock on a row is a change of it, which needs what a ConditionCheck needs.
 */
static bool
may_hold(const TableDef *def)
{
	return !XactReadOnly && !RecoveryInProgress() &&
		pg_class_aclcheck(def->relid, GetUserId(), ACL_UPDATE) == ACLCHECK_OK;
}

static void
close_shards(List *shards, EngineTable *table)
{
	ListCell   *lc;

	foreach(lc, shards)
		engine_close(lfirst(lc));
	engine_close(table);
}

/*
 * The keys, and those of their shards that are here, open until they are closed.
 * False: our own store cannot serve one of them.
 */
static bool
find_shards(EngineTable *table, ArrayType *keys, ReadKey *found, List **shards)
{
	Datum	   *values;
	int			n;
	bool		able = engine_def(table)->distributed;

	deconstruct_array(keys, BYTEAOID, -1, false, TYPALIGN_INT, &values, NULL, &n);
	for (int i = 0; able && i < n; i++)
	{
		found[i].key = read_key(table, DatumGetByteaPP(values[i]));
		found[i].shard = shard_of(table, found[i].key, shards, &able);
	}
	return able;
}

static const TableKey *
read_key(const EngineTable *table, bytea *bytes)
{
	if (!item_bytes_valid(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid binary format for type %s", "dynamo.item")));
	return key_given(engine_def(table), (Item *) bytes);
}

/*
 * Each shard is opened once.  Nobody waits for its lock: all of a move by
 * block_writes holds that.
 */
static EngineTable *
shard_of(EngineTable *table, const TableKey *key, List **shards, bool *able)
{
	bool		doubtful;
	const Shard *shard = shard_look(engine_def(table),
									PointerGetDatum(key->pk), &doubtful);
	EngineTable *open;
	ListCell   *lc;

	if (doubtful || !OidIsValid(shard->relid))
		return NULL;
	foreach(lc, *shards)
	{
		open = lfirst(lc);
		if (engine_def(open)->relid == shard->relid)
			return open;
	}
	open = engine_open_shard(table, shard->relid);
	if (open == NULL)
		*able = false;
	else
		*shards = lappend(*shards, open);
	return open;
}

/*
 * The version, and the item, if there is one and that version is not known.
 */
static bytea *
read_version(const ReadKey *key, int64 known)
{
	uint64		version = known;
	const Item *item = engine_read_version(key->shard, key->key, &version);
	Size		len = item ? VARSIZE_ANY_EXHDR(item) : 0;
	bytea	   *answer = palloc(VARHDRSZ + sizeof(version) + len);

	SET_VARSIZE(answer, VARHDRSZ + sizeof(version) + len);
	version = pg_hton64(version);
	memcpy(VARDATA(answer), &version, sizeof(version));
	if (item != NULL)
		memcpy(VARDATA(answer) + sizeof(version), VARDATA_ANY(item), len);
	return answer;
}

/*
 * An array of bytea.
 */
Datum
moment_array(Datum *values, bool *nulls, int n)
{
	int			lower = 1;

	return PointerGetDatum(construct_md_array(values, nulls, 1, &n, &lower,
											  BYTEAOID, -1, false,
											  TYPALIGN_INT));
}
