/*-------------------------------------------------------------------------
 *
 * shard_stream.c
 *	  Shards of the stream of a distributed table.
 *
 * A change is recorded on the node where it is made.  A shard of the stream is
 * the time that one of Citus' shards is on one node: it opens when the shard
 * comes, and closes when it moves on or is split.  The number of its placement
 * on the coordinator is its name.  It grows with each move and split, so the
 * parent of a shard of the stream is, among those before it, the last that had
 * its hashes.  (Other nodes number placements differently.)
 *
 * Nothing tells us that a shard has moved.  So a node asks the coordinator for
 * the number when a row is first written to a relation that it has no number
 * for.  While that write is under way the shard cannot move on, so the answer
 * is right.  The coordinator notes what it was asked in
 * dynamo_internal.stream_shards, at once, and thus knows all shards of the
 * stream that can have records.  The node notes it with the write.  Nobody
 * waits for such a row: others that do not see it ask again and add another.
 *
 * A node that has joined may be given shards before it is sent definitions.
 * It refuses to write to them.  Otherwise the changes would leave no record.
 *
 * A relation has one number at most: where a shard comes to a node again, Citus
 * makes another relation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "base/compat.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* Beside names, the lock on which has 0 there (schema_lock.c). */
#define STREAM_OF_TABLE		1

/* What a process knows of a relation that may be a shard. */
typedef struct Captured
{
	DynamoKnown known;			/* valid until a relcache message comes for
								 * it, or its table */
	LocalTransactionId looked;	/* not a shard, for that transaction */
	Oid			table;			/* InvalidOid: not a shard */
	bool		streams;		/* its table has a stream */
	bool		recovers;		/* ... point-in-time recovery */
	ShardPlace	row;			/* .place 0: not known */
	LocalTransactionId noted_in;	/* the row is there, or was written by
									 * that ... */
	SubTransactionId noted_by;	/* ... subtransaction */
} Captured;

PG_FUNCTION_INFO_V1(dynamo_open_stream_shard);
PG_FUNCTION_INFO_V1(dynamo_stream_shard_is_open);

static void relation_changed(Oid relid);
static bool has_own_stream(const TableDef *def);
static bool look(Relation rel, Captured *entry);
static void check_unknown(Relation rel, Oid table);
static void check_lost(const TableDef *def);
static void open_first_shard(HeapTuple tuple, TupleDesc desc, void *arg);
static void lock_stream(Oid table, int lockmode);
static bool read_number(const char *name, int64 *shard);
static bool is_named_shard(Relation rel, Oid table, int64 shard);
static void note(const TableDef *def, Captured *entry);
static int32 ask(const TableDef *def, int64 shard);
static const StreamDef *open_stream(const char *table, const char *label,
									const TableDef **def);
static int32 placement_now(int64 shard, int32 *group);
static int	compare_shards(const ListCell *a, const ListCell *b);

static DynamoCache relations = {
	.name = "dynamo captured shards",.entry_size = sizeof(Captured),
	.watcher = relation_changed
};

/* Messages received: did one come while a relation was being looked at? */
static uint64 messages = 0;

/*
 * Can the relation be a shard of Citus', by its name?  Where this is false it
 * stays so as long as its relcache entry.
 */
bool
shard_may_be(Relation rel)
{
	int64		shard;

	return read_number(RelationGetRelationName(rel), &shard) &&
		shard_has_citus();
}

/*
 * Citus appends the number.
 */
static bool
read_number(const char *name, int64 *shard)
{
	const char *digits = strrchr(name, '_');
	char	   *end;

	if (digits == NULL || digits[1] < '1' || digits[1] > '9')
		return false;
	errno = 0;
	*shard = strtoll(digits + 1, &end, 10);
	return *end == '\0' && errno == 0;
}

/*
 * A row of the relation, which is locked, is about to change, or has: is that
 * to be recorded, and where?  While a shard is copied to this node it is not.
 */
bool
shard_find_capture(Relation rel, ShardCapture *capture)
{
	Captured   *entry = dynamo_cache_get(&relations, RelationGetRelid(rel));

	for (;;)
	{
		if (!entry->known.valid)
		{
			entry->known.valid = true;
			entry->table = InvalidOid;
			entry->looked = InvalidLocalTransactionId;
			entry->row.place = 0;
			entry->noted_in = InvalidLocalTransactionId;
		}
		if (!OidIsValid(entry->table) && entry->looked != compat_lxid &&
			!look(rel, entry))
			entry->looked = compat_lxid;
		if (!OidIsValid(entry->table) ||
			(!entry->streams && !entry->recovers))
			return false;
		capture->def = schema_find_relation(entry->table);
		if (capture->def != NULL &&
			has_own_stream(capture->def) == entry->streams &&
			(capture->def->recovery != NULL) == entry->recovers)
			break;

		/* A message has come for it meanwhile. */
		entry->known.valid = false;
		CHECK_FOR_INTERRUPTS();
	}
	if (entry->streams && !entry->row.committed &&
		(entry->noted_in != compat_lxid ||
		 entry->noted_by != GetCurrentSubTransactionId()))
		note(capture->def, entry);
	capture->place = entry->row.place;
	return true;
}

/*
 * One whose shards are where those of the table are.
 */
static bool
has_own_stream(const TableDef *def)
{
	return def->stream != NULL && def->stream->nshards == 0;
}

/*
 * A relation has changed, or what Citus says of a table, or its definition;
 * InvalidOid stands for all.
 */
static void
relation_changed(Oid relid)
{
	HASH_SEQ_STATUS scan;
	Captured   *entry;

	messages++;
	hash_seq_init(&scan, relations.entries);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		if (!OidIsValid(relid) || entry->known.relid == relid ||
			entry->table == relid)
			entry->known.valid = false;
	}
}

/*
 * Find out whether the relation is a shard that has its place here.  A stream
 * may just begin, or end, in a transaction that other nodes have committed and
 * this one has not.  It has locked the shards that were here; for others its
 * end is waited for here.
 */
static bool
look(Relation rel, Captured *entry)
{
	int64		shard;
	int32		low;
	int32		high;
	Oid			table;
	const TableDef *def;
	uint64		seen;

	if (!read_number(RelationGetRelationName(rel), &shard))
		return false;
	table = shard_table(shard, &low, &high);
	if (!OidIsValid(table) || !is_named_shard(rel, table, shard) ||
		shard_placement_here(shard) == 0)
		return false;
	entry->table = table;
	entry->known.valid = false;
	lock_stream(table, ShareLock);
	if (schema_find_relation(table) == NULL)
		check_unknown(rel, table);
	seen = messages;
	def = schema_find_relation(table);
	if (def != NULL && def->stream == NULL)
		check_lost(def);
	entry->streams = def != NULL && has_own_stream(def);
	entry->recovers = def != NULL && def->recovery != NULL;
	entry->row.committed = false;
	entry->row.place = 0;
	entry->row.stream = entry->streams ? def->stream->id : 0;
	entry->row.shard = shard;
	entry->row.group = shard_node_group();
	entry->row.low = low;
	entry->row.high = high;
	entry->row.relation = RelationGetRelid(rel);

	/*
	 * Until the next message.  Not before all is known: otherwise an error on
	 * the way would leave that nothing is to be recorded.
	 */
	entry->known.valid = messages == seen;
	return true;
}

/*
 * This node has no definition of a table whose shard it has.  That is an error
 * if the coordinator has: one that it has committed, so that rows can be copied
 * here while a table is being distributed.  The coordinator is not asked about
 * tables that were never dynamo's.
 */
static void
check_unknown(Relation rel, Oid table)
{
	char	   *name;
	char	   *answer;

	if (shard_is_coordinator() || !schema_looks_distributed(rel))
		return;
	name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
									  get_rel_name(table));
	answer = shard_ask_coordinator(psprintf("SELECT pg_catalog.count(*) FROM dynamo.tables AS t "
											"JOIN pg_catalog.pg_dist_partition AS d ON d.logicalrelid OPERATOR(pg_catalog.=) t.relation "
											"WHERE t.relation OPERATOR(pg_catalog.=) pg_catalog.to_regclass(%s)",
											quote_literal_cstr(name)));
	if (pg_strtoint32(answer) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this node has no definition of table %s yet", name),
				 errhint("Call dynamo.distribute_table() for it on the coordinator.")));
}

/*
 * The table has a stream here that is enabled, but is not of its relation: the
 * change would leave no record.
 */
static void
check_lost(const TableDef *def)
{
	DynamoHelp	help = {.hint = "This node has lost the relation of the table's stream. Call dynamo.distribute_table() for the table on the coordinator."};

	if (stream_is_lost(def->name))
		dynamo_error_with_help(DYNAMO_SERVICE_UNAVAILABLE, &help,
							   DYNAMO_UNAVAILABLE);
}

/*
 * The transaction that begins or ends the stream of a table keeps others from
 * learning whether it has one.  He has locked the table's relation on all
 * nodes, so nobody who waits for him holds that.
 */
static void
lock_stream(Oid table, int lockmode)
{
	Relation	tables = schema_open_tables(AccessShareLock);

	LockDatabaseObject(RelationGetRelid(tables), table, STREAM_OF_TABLE,
					   lockmode);
	table_close(tables, AccessShareLock);
}

/*
 * Anybody may call a relation of his own like a shard.
 */
static bool
is_named_shard(Relation rel, Oid table, int64 shard)
{
	Datum		values[] = {ObjectIdGetDatum(table), Int64GetDatum(shard)};

	return get_rel_name(table) != NULL &&
		meta_relation_owner(table) == rel->rd_rel->relowner &&
		meta_query_number("SELECT " SHARD_RELATION("$1", "$2") "::pg_catalog.oid::pg_catalog.int8",
						  OIDOID, values, lengthof(values), NULL) == RelationGetRelid(rel);
}

/*
 * Find the number of the shard's place, and have it noted when this
 * transaction commits.  Our own rows do not count as long as they can be
 * rolled back.
 */
static void
note(const TableDef *def, Captured *entry)
{
	List	   *rows = shard_places(def->stream->id, 0);
	ListCell   *lc;
	int32		place = entry->row.place;
	bool		mine = false;

	foreach(lc, rows)
	{
		const ShardPlace *row = lfirst(lc);

		if (row->relation != entry->known.relid || row->shard != entry->row.shard)
			continue;
		place = row->place;
		if (row->committed)
		{
			entry->row.place = place;
			entry->row.committed = true;
			return;
		}
		mine = true;
	}
	if (place == 0)
		place = ask(def, entry->row.shard);
	entry->row.place = place;
	if (!mine)
	{
		entry->row.opened_at = GetCurrentTimestamp();
		shard_place_insert(&entry->row);
	}
	entry->noted_in = compat_lxid;
	entry->noted_by = GetCurrentSubTransactionId();
}

/*
 * The number of the place where the shard is now, which is here.
 */
static int32
ask(const TableDef *def, int64 shard)
{
	const StreamDef *stream = def->stream;
	int32		group;
	char	   *answer;

	if (shard_is_coordinator())
		return placement_now(shard, &group);
	answer = shard_ask_coordinator(psprintf("SELECT dynamo_internal.open_stream_shard(%s, %s, " INT64_FORMAT ")",
											quote_literal_cstr(stream->table_name),
											quote_literal_cstr(stream->label),
											shard));
	return pg_strtoint32(answer);
}

/*
 * open_stream_shard(table_name, label, shard), on the coordinator.
 */
Datum
dynamo_open_stream_shard(PG_FUNCTION_ARGS)
{
	int64		shard = PG_GETARG_INT64(2);
	const TableDef *def;
	const StreamDef *stream = open_stream(text_to_cstring(PG_GETARG_TEXT_PP(0)),
										  text_to_cstring(PG_GETARG_TEXT_PP(1)),
										  &def);
	ShardPlace	row = {0};

	PreventCommandIfReadOnly("opening a shard of a stream");
	PreventCommandIfParallelMode("opening a shard of a stream");
	if (def == NULL || shard_table(shard, &row.low, &row.high) != def->relid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("there is no such stream, or shard " INT64_FORMAT " is of another table",
						shard)));
	if (pg_class_aclmask(def->relid, GetUserId(),
						 ACL_INSERT | ACL_UPDATE | ACL_DELETE, ACLMASK_ANY) == 0)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(def->relid));
	row.place = placement_now(shard, &row.group);
	row.stream = stream->id;
	row.shard = shard;
	row.opened_at = GetCurrentTimestamp();
	if (shard_places(stream->id, row.place) == NIL)
		shard_place_insert(&row);
	PG_RETURN_INT32(row.place);
}

/*
 * The stream that is enabled on a distributed table, with its definition; NULL:
 * there is none.
 */
static const StreamDef *
open_stream(const char *table, const char *label, const TableDef **def)
{
	const StreamDef *stream = NULL;

	*def = schema_find_table(table);
	if (*def != NULL && (*def)->distributed)
		stream = (*def)->stream;
	if (stream == NULL || stream->nshards != 0 ||
		strcmp(stream->label, label) != 0)
		*def = NULL;
	return stream;
}

/*
 * Where a shard is now, as this node numbers it, and the node.
 */
static int32
placement_now(int64 shard, int32 *group)
{
	Datum		values[] = {Int64GetDatum(shard)};
	int64		node;
	int64		place = meta_query_number("SELECT p.placementid, p.groupid::pg_catalog.int8 FROM pg_catalog.pg_dist_placement p "
										  "WHERE p.shardid OPERATOR(pg_catalog.=) $1 AND p.shardstate OPERATOR(pg_catalog.=) 1",
										  INT8OID, values, lengthof(values), &node);

	if (place <= 0 || place > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("shard " INT64_FORMAT " has no placement", shard)));
	*group = (int32) node;
	return (int32) place;
}

/*
 * A stream begins, or ends: keep writers away from the shards of the table
 * that are on this node, and have them look anew.  A transaction that has them
 * all locked has locked the table's relation on all nodes before, as Citus'
 * DDL does.  Otherwise two could wait for each other.
 */
void
shard_lock(const TableDef *def, int lockmode)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(def->relid);
	List	   *relids = NIL;
	ListCell   *lc;

	(void) meta_query("SELECT " SHARD_RELATION("s.logicalrelid", "s.shardid") "::pg_catalog.oid "
					  "FROM pg_catalog.pg_dist_shard s WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1 ORDER BY s.shardid",
					  1, &type, &value, shard_take_relid, &relids);
	lock_stream(def->relid, ExclusiveLock);
	foreach(lc, relids)
	{
		LockRelationOid(lfirst_oid(lc), lockmode);
		CacheInvalidateRelcacheByRelid(lfirst_oid(lc));
	}
}

/*
 * Lock the relation of a distributed table on all nodes, and then its shards:
 * here now, and elsewhere when the definition is taken.
 */
void
shard_lock_everywhere(const TableDef *def, int lockmode)
{
	const char *mode = lockmode == AccessExclusiveLock ?
		"ACCESS EXCLUSIVE" : "SHARE ROW EXCLUSIVE";

	shard_run_on_nodes(psprintf("LOCK TABLE %s IN %s MODE",
								meta_relation_identity(def->relid), mode),
					   0, NULL, NULL);
	shard_lock(def, lockmode);
}

void
shard_take_relid(HeapTuple row, TupleDesc desc, void *arg)
{
	List	  **relids = arg;
	bool		isnull;
	Datum		relid = SPI_getbinval(row, desc, 1, &isnull);

	if (!isnull)
		*relids = lappend_oid(*relids, DatumGetObjectId(relid));
}

/*
 * A stream has begun, on the coordinator: these are its first shards.
 */
void
shard_open_streams(const TableDef *def)
{
	Oid			type = OIDOID;
	Datum		value = ObjectIdGetDatum(def->relid);

	(void) meta_query("SELECT p.placementid::pg_catalog.int4, s.shardid, p.groupid, "
					  "s.shardminvalue::pg_catalog.int4, s.shardmaxvalue::pg_catalog.int4, "
					  "CASE WHEN p.groupid OPERATOR(pg_catalog.=) 0 "
					  "THEN " SHARD_RELATION("s.logicalrelid", "s.shardid") "::pg_catalog.oid END "
					  "FROM pg_catalog.pg_dist_shard s JOIN pg_catalog.pg_dist_placement p ON p.shardid OPERATOR(pg_catalog.=) s.shardid "
					  "WHERE s.logicalrelid OPERATOR(pg_catalog.=) $1 AND s.shardminvalue IS NOT NULL",
					  1, &type, &value, open_first_shard,
					  unconstify(StreamDef *, stream_of_relation(def->relid)));
}

static void
open_first_shard(HeapTuple tuple, TupleDesc desc, void *arg)
{
	const StreamDef *stream = arg;
	ShardPlace	row = {0};
	bool		isnull;

	row.stream = stream->id;
	row.place = DatumGetInt32(SPI_getbinval(tuple, desc, 1, &isnull));
	row.shard = DatumGetInt64(SPI_getbinval(tuple, desc, 2, &isnull));
	row.group = DatumGetInt32(SPI_getbinval(tuple, desc, 3, &isnull));
	row.low = DatumGetInt32(SPI_getbinval(tuple, desc, 4, &isnull));
	row.high = DatumGetInt32(SPI_getbinval(tuple, desc, 5, &isnull));
	row.relation = DatumGetObjectId(SPI_getbinval(tuple, desc, 6, &isnull));
	if (isnull)
		row.relation = InvalidOid;
	row.opened_at = stream->created_at;
	shard_place_insert(&row);
}

/*
 * All shards of a stream, on the coordinator, in the order of their places.
 * Those of a node that has left the cluster have gone with it.  Otherwise
 * consumers would wait for them before they begin their children.
 */
List *
shard_stream_shards(const StreamDef *stream)
{
	List	   *rows = shard_places(stream->id, 0);
	List	   *shards = NIL;
	ListCell   *lc;

	foreach(lc, rows)
	{
		const ShardPlace *row = lfirst(lc);
		StreamShard *shard;
		const char *host;
		int			port;

		if (row->group != shard_node_group() &&
			!shard_group_node(row->group, &host, &port))
			continue;
		shard = palloc0(sizeof(StreamShard));
		shard->place = row->place;
		shard->group = row->group;
		shard->low = row->low;
		shard->high = row->high;
		shard->opened_at = row->opened_at;
		shards = lappend(shards, shard);
	}
	list_sort(shards, compare_shards);
	for (int i = list_length(shards) - 1; i > 0; i--)
	{
		if (compare_shards(list_nth_cell(shards, i),
						   list_nth_cell(shards, i - 1)) == 0)
			shards = list_delete_nth_cell(shards, i);
	}
	foreach(lc, shards)
	{
		StreamShard *shard = lfirst(lc);

		shard->closed = stream->end_number != 0 ||
			!shard_place_is_there(shard->place);
		for (int i = 0; i < foreach_current_index(lc); i++)
		{
			const StreamShard *before = list_nth(shards, i);

			if (before->low <= shard->high && shard->low <= before->high)
				shard->parent = before->place;
		}
	}
	return shards;
}

static int
compare_shards(const ListCell *a, const ListCell *b)
{
	const StreamShard *left = lfirst(a);
	const StreamShard *right = lfirst(b);

	return left->place < right->place ? -1 : left->place > right->place;
}

/*
 * Can a shard of a stream that was on this node have more records?  All that
 * will ever be have been written when this says no, committed or not.
 */
bool
shard_stream_is_open(const StreamDef *stream, int32 place, bool *known)
{
	List	   *rows = shard_places(stream->id, place);
	const ShardPlace *row;
	char	   *answer;

	*known = true;
	if (stream->end_number != 0)
		return false;
	if (rows != NIL && (OidIsValid(((ShardPlace *) linitial(rows))->relation)))
	{
		row = linitial(rows);
		return get_rel_name(row->relation) != NULL &&
			shard_placement_here(row->shard) != 0;
	}

	/* Nothing that was written there is committed. */
	if (shard_is_coordinator())
	{
		*known = rows != NIL;
		return shard_place_is_there(place);
	}
	answer = shard_ask_coordinator(psprintf("SELECT coalesce(dynamo_internal.stream_shard_is_open(%s, %s, %d)::pg_catalog.text, '')",
											quote_literal_cstr(stream->table_name),
											quote_literal_cstr(stream->label),
											place));
	*known = answer[0] != '\0';
	return strcmp(answer, "true") == 0;
}

/*
 * stream_shard_is_open(table_name, label, place), on the coordinator; null:
 * there is no such shard.
 */
Datum
dynamo_stream_shard_is_open(PG_FUNCTION_ARGS)
{
	const StreamDef *stream = stream_find(text_to_cstring(PG_GETARG_TEXT_PP(0)),
										  text_to_cstring(PG_GETARG_TEXT_PP(1)));
	int32		place = PG_GETARG_INT32(2);

	if (stream == NULL || shard_places(stream->id, place) == NIL)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(shard_place_is_there(place));
}
