/*-------------------------------------------------------------------------
 *
 * backup_restore.c
 *	  Making tables of backups, and of the past.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "backup/backup.h"
#include "miscadmin.h"
#include "schema/schema_row.h"
#include "shard/shard.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Items on their way into a table, some thousands of bytes at a time. */
typedef struct Load
{
	char	   *statement;
	MemoryContext context;		/* of those that wait */
	Datum	   *items;
	int			count;
	Size		bytes;
} Load;

/* What another node has. */
typedef struct Elsewhere
{
	int32		group;
	const char *question;
} Elsewhere;

#define LOAD_ITEMS	1000
#define LOAD_BYTES	(1024 * 1024)

static Oid	make_bare(const TableSpec *spec);
static void make_indexes(const TableSpec *spec);
static bool read_elsewhere(ShardTakeItem take, void *load, void *elsewhere);
static void take_item(const Item *item, void *load);
static void put_items(Load *load);

/*
 * Make a table with the items of a query, which has one column, item: their
 * number.  Indexes are built once they are all there.
 */
uint64
backup_restore(const TableSpec *spec, const char *query)
{
	Oid			relid = make_bare(spec);
	uint64		items;

	items = backup_run_insert(psprintf("INSERT INTO %s (item) %s",
									   meta_relation_identity(relid),
									   query));
	make_indexes(spec);
	return items;
}

/*
 * The same with the items of the query that the node of a group gives for a
 * question.  False: it gives none.
 */
bool
backup_restore_from(const TableSpec *spec, int32 group, const char *question)
{
	Elsewhere	elsewhere = {group, question};

	return backup_restore_with(spec, read_elsewhere, &elsewhere);
}

static bool
read_elsewhere(ShardTakeItem take, void *load, void *arg)
{
	const Elsewhere *elsewhere = arg;

	return shard_read_items(elsewhere->group, elsewhere->question, take, load);
}

/*
 * The same with the items that "read" gives.
 */
bool
backup_restore_with(const TableSpec *spec, BackupRead read, void *arg)
{
	Oid			relid = make_bare(spec);
	Load		load = {0};

	load.statement = psprintf("INSERT INTO %s (item) SELECT i FROM pg_catalog.unnest($1) AS i",
							  meta_relation_identity(relid));
	load.context = AllocSetContextCreate(CurrentMemoryContext,
										 "dynamo restore",
										 ALLOCSET_DEFAULT_SIZES);
	load.items = palloc(LOAD_ITEMS * sizeof(Datum));
	if (!read(take_item, &load, arg))
		return false;
	put_items(&load);
	make_indexes(spec);
	return true;
}

static Oid
make_bare(const TableSpec *spec)
{
	TableSpec	bare = *spec;

	bare.nindexes = 0;
	bare.nvectors = 0;
	return schema_create_table(&bare);
}

static void
make_indexes(const TableSpec *spec)
{
	for (int i = 0; i < spec->nindexes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		schema_create_index(spec->name, &spec->indexes[i], false);
	}
	for (int i = 0; i < spec->nvectors; i++)
	{
		CHECK_FOR_INTERRUPTS();
		schema_create_vector(spec->name, &spec->vectors[i], false);
	}
}

static void
take_item(const Item *item, void *arg)
{
	Load	   *load = arg;
	MemoryContext caller;

	if (item == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("an item is null")));
	caller = MemoryContextSwitchTo(load->context);
	load->items[load->count++] = datumCopy(PointerGetDatum(item), false, -1);
	MemoryContextSwitchTo(caller);
	load->bytes += VARSIZE_ANY(item);
	if (load->count == LOAD_ITEMS || load->bytes >= LOAD_BYTES)
		put_items(load);
}

static void
put_items(Load *load)
{
	ArrayType  *array;

	if (load->count == 0)
		return;
	array = construct_array(load->items, load->count, schema_item_type(), -1,
							false, TYPALIGN_INT);
	(void) backup_run_insert_of(load->statement,
								get_array_type(schema_item_type()),
								PointerGetDatum(array));
	pfree(array);
	MemoryContextReset(load->context);
	load->count = 0;
	load->bytes = 0;
}

/*
 * The query for the items of a backup.  Refuses a user who may not read them,
 * or not all of them, and what its owner has made of the relation.
 */
char *
backup_items_query(const Backup *backup)
{
	LockRelationOid(backup->relid, AccessShareLock);
	if (!backup_is_relation(backup->relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation of backup \"%s\" is not what it was",
						backup->name)));
	if (pg_class_aclcheck(backup->relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE,
					   get_rel_name(backup->relid));
	backup_check_rows(backup->relid);
	return psprintf("SELECT item FROM ONLY %s",
					meta_relation_identity(backup->relid));
}
