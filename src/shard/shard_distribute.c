/*-------------------------------------------------------------------------
 *
 * shard_distribute.c
 *	  A table is distributed over the nodes of a Citus cluster, and gathered
 *	  again.
 *
 * Citus distributes by an ordinary column.  So pk and sk, which are generated
 * from the item, become ordinary columns, and a CHECK keeps them what they
 * were.  The way back is the reverse: the columns are generated again, without
 * a look at the rows, since the CHECK has held for all of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "base/compat.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#define KEY_CHECK	"dynamo_key"
#define DISTRIBUTING	"tables are distributed"

/* What dynamo.distribute_new_tables says. */
enum
{
	SHARD_NEW_AUTO,
	SHARD_NEW_DISTRIBUTED,
	SHARD_NEW_LOCAL
};

static int	new_tables = SHARD_NEW_AUTO;

static void check_distributable(const TableDef *def);
static bool has_mapping(Oid relid);
static void refuse_distribution(const TableDef *def, const char *reason)
			pg_attribute_noreturn();
static void make_ordinary(const TableDef *def);
static void make_generated(const TableDef *def);
static void mark_generated(Relation pg_attribute, Oid relid, AttrNumber attnum);
static void define_again(const TableDef *def, const char *relation,
						 Oid schema);

void
shard_distribute_init(void)
{
	/* Words of a boolean setting, and one more. */
	static const struct config_enum_entry words[] = {
		{"auto", SHARD_NEW_AUTO, false},
		{"on", SHARD_NEW_DISTRIBUTED, false},
		{"off", SHARD_NEW_LOCAL, false},
		{"true", SHARD_NEW_DISTRIBUTED, true},
		{"false", SHARD_NEW_LOCAL, true},
		{"yes", SHARD_NEW_DISTRIBUTED, true},
		{"no", SHARD_NEW_LOCAL, true},
		{"1", SHARD_NEW_DISTRIBUTED, true},
		{"0", SHARD_NEW_LOCAL, true},
		{NULL, 0, false}
	};

	DefineCustomEnumVariable("dynamo.distribute_new_tables",
							 "Distributes tables over the nodes of a Citus cluster when they are created.",
							 "auto: where there are other nodes. The number of shards is that of citus.shard_count.",
							 &new_tables, SHARD_NEW_AUTO, words,
							 PGC_SUSET, 0, NULL, NULL, NULL);
}

/*
 * Is a table to be distributed when it is created?
 */
bool
shard_distributes_new(void)
{
	if (new_tables != SHARD_NEW_AUTO)
		return new_tables == SHARD_NEW_DISTRIBUTED;
	return shard_may_have_citus() &&
		(shard_is_worker() || (shard_is_coordinator() && shard_has_others()));
}

/*
 * May a table of that name be created on this node?  Raises an error if it is to
 * be distributed, and cannot be from here.
 */
void
shard_check_new(const char *name)
{
	DynamoHelp	help = {.hint = "Use CREATE EXTENSION citus on all nodes, or set dynamo.distribute_new_tables to off."};

	if (!shard_distributes_new())
		return;
	if (!shard_has_citus())
		dynamo_error_with_help(DYNAMO_VALIDATION, &help,
							   "Table %s is to be distributed by Citus, which is not there",
							   name);
	if (shard_is_worker())
		dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_COORDINATOR,
						  "Table %s is to be distributed by Citus: it is created on the coordinator",
						  name);
	shard_check_coordinator(DISTRIBUTING);
}

/*
 * What is left to do for a table just created, if anything.
 */
void
shard_distribute_new(const char *name)
{
	if (!shard_distributes_new())
		return;
	shard_check_new(name);
	shard_distribute_table(name, NULL);
}

/*
 * Distribute a table, in so many shards; NULL: as many as Citus' setting says.
 * One that is distributed already is only made known to all nodes, by a
 * superuser with what they share.
 */
void
shard_distribute_table(const char *name, const int *shard_count)
{
	const TableDef *def;
	bool		known;			/* all nodes know what they share */
	Oid			types[] = {OIDOID, INT4OID};
	Datum		values[2];

	shard_check_coordinator(DISTRIBUTING);
	schema_lock_name(name);
	def = schema_open_own_table(name, AccessExclusiveLock);
	known = !shard_prepare_nodes() && !def->distributed;
	if (!def->distributed)
	{
		check_distributable(def);
		make_ordinary(def);
		values[0] = ObjectIdGetDatum(def->relid);
		values[1] = Int32GetDatum(shard_count ? *shard_count :
								  pg_strtoint32(GetConfigOption("citus.shard_count",
																false, false)));
		shard_run_on_nodes("SELECT pg_catalog.create_distributed_table($1::pg_catalog.regclass, 'pk', colocate_with => 'none', shard_count => $2)",
						   lengthof(values), types, values);
	}
	schema_definition_changed(def->relid);
	if (!known && superuser())
		shard_callbacks.joined();
}

/*
 * Gather the rows of a table in an ordinary relation again.
 */
void
shard_undistribute_table(const char *name)
{
	const TableDef *def;
	Oid			types[] = {OIDOID};
	Datum		values[1];
	char	   *relation;
	Oid			schema;

	shard_check_coordinator(DISTRIBUTING);
	schema_lock_name(name);
	def = schema_open_own_table(name, AccessShareLock);
	if (!def->distributed)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is not distributed", name)));

	if (def->stream != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" cannot be gathered", name),
				 errdetail("It has a stream."),
				 errhint("Disable it first.")));
	if (def->recovery != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" cannot be gathered", name),
				 errdetail("It has point-in-time recovery."),
				 errhint("Disable it first.")));
	if (def->nbuilding > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" cannot be gathered", name),
				 errdetail("An index of it is being built or dropped.")));
	def = schema_open_own_table(name, AccessExclusiveLock);

	/* Citus makes another relation of that name and drops this one. */
	relation = get_rel_name(def->relid);
	schema = get_rel_namespace(def->relid);
	schema_row_delete(def->relid);
	values[0] = ObjectIdGetDatum(def->relid);
	shard_run_on_nodes("SELECT pg_catalog.undistribute_table($1::pg_catalog.regclass)",
					   lengthof(values), types, values);
	define_again(def, relation, schema);
}

/*
 * Raise an error unless this is the coordinator, where "what" is done.
 */
void
shard_check_coordinator(const char *what)
{
	const char *host;
	int			port;
	bool		known;

	shard_check_citus();
	if (shard_is_coordinator())
		return;
	known = shard_group_node(SHARD_COORDINATOR, &host, &port);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s on the coordinator of the cluster", what),
			 known ? errhint("Connect to %s:%d.", host, port) : 0));
}

void
shard_check_citus(void)
{
	if (!shard_has_citus())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("distributed tables need extension \"%s\"", "citus"),
				 errhint("Preload it, and use CREATE EXTENSION citus on all nodes.")));
}

/*
 * What a distributed table cannot have.
 */
static void
check_distributable(const TableDef *def)
{
	Relation	rel = table_open(def->relid, NoLock);

	if (rel->rd_rel->relkind != RELKIND_RELATION ||
		rel->rd_rel->relispartition || rel->rd_rel->relhassubclass ||
		!(def->generated || def->checked) || !OidIsValid(def->primary_relid))
		refuse_distribution(def,
							"Its relation is not as create_table makes it.");
	if (def->stream != NULL)
		refuse_distribution(def, "It has a stream.");
	if (def->nvectors > 0)
		schema_check_vectors_spread();
	if (has_mapping(def->relid))
		refuse_distribution(def, "It has an event source mapping.");
	if (def->recovery != NULL)
		refuse_distribution(def, "It has point-in-time recovery.");
	if (def->replication != NULL)
		refuse_distribution(def, "It has replicas in other regions.");
	if (def->nbuilding > 0)
		refuse_distribution(def, "An index of it is being built.");
	if (rel->rd_rel->relrowsecurity)
		refuse_distribution(def,
							"Row-level security is enabled for its relation.");
	table_close(rel, NoLock);
}

static bool
has_mapping(Oid relid)
{
	List	   *mappings = stream_mapping_list();
	ListCell   *lc;

	foreach(lc, mappings)
	{
		if (((const StreamMapping *) lfirst(lc))->relid == relid)
			return true;
	}
	return false;
}

static void
refuse_distribution(const TableDef *def, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" cannot be distributed", def->name),
			 errdetail_internal("%s", reason)));
}

static void
make_ordinary(const TableDef *def)
{
	if (def->checked)
		return;
	meta_run_ddl(psprintf("ALTER TABLE %s ALTER COLUMN pk DROP EXPRESSION%s, ADD CONSTRAINT %s CHECK (%s)",
						  meta_relation_identity(def->relid),
						  def->range.name ? ", ALTER COLUMN sk DROP EXPRESSION" : "",
						  KEY_CHECK,
						  schema_expression_sql(def, schema_key_check(def))));
}

/*
 * The reverse.  No SQL says that a column is generated from now on.
 */
static void
make_generated(const TableDef *def)
{
	Relation	rel = table_open(def->relid, AccessExclusiveLock);
	Relation	pg_attribute = table_open(AttributeRelationId,
										  RowExclusiveLock);
	List	   *keys = schema_table_keys(def);
	ListCell   *lc;

	foreach(lc, keys)
		mark_generated(pg_attribute, def->relid, foreach_current_index(lc) + 1);
	CommandCounterIncrement();
	foreach(lc, keys)
		(void) compat_store_default(rel, foreach_current_index(lc) + 1,
									lfirst(lc));
	table_close(pg_attribute, RowExclusiveLock);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	meta_run_ddl(psprintf("ALTER TABLE %s DROP CONSTRAINT %s",
						  meta_relation_identity(def->relid),
						  quote_identifier(schema_key_check_name(def))));
}

static void
mark_generated(Relation pg_attribute, Oid relid, AttrNumber attnum)
{
	HeapTuple	tuple = SearchSysCacheCopy2(ATTNUM, ObjectIdGetDatum(relid),
											Int16GetDatum(attnum));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "column %d of relation %u is not there", attnum, relid);
	((Form_pg_attribute) GETSTRUCT(tuple))->attgenerated =
		ATTRIBUTE_GENERATED_STORED;
	CatalogTupleUpdate(pg_attribute, &tuple->t_self, tuple);
	heap_freetuple(tuple);
}

/*
 * Make the relation that has that name now the table.  It need not be the
 * table's: attach_table() gives another one, and so does RENAME.
 */
static void
define_again(const TableDef *def, const char *relation, Oid schema)
{
	TableDef	now = *def;

	now.relid = get_relname_relid(relation, schema);
	if (!OidIsValid(now.relid))
		elog(ERROR, "relation of table \"%s\" is not there", def->name);
	make_generated(&now);
	schema_row_insert(&now);
	if (def->ttl_attribute != NULL)
		schema_row_set_ttl(now.relid, def->ttl_attribute);
	for (int i = 0; i < def->nindexes + def->nvectors; i++)
		schema_index_row_insert(def->name, schema_index_at(def, i));
	schema_definition_changed(now.relid);
}
