/*-------------------------------------------------------------------------
 *
 * schema_catalog.c
 *	  Rows of dynamo.tables and dynamo.indexes.
 *
 * The only file that knows the columns of the definition tables.  They are
 * read and written as core reads and writes its catalogs: scans under a fresh
 * catalog snapshot, in every isolation level, and writes that check no
 * privilege, since the right to create, alter or drop the relation is the
 * right to define it.  simple_heap_update() cannot wait for another writer of
 * a row, so two writers of one row must be kept apart by locks on its table:
 * see schema_ddl.c.
 *
 * A row names its relation by regclass, which pg_dump writes as a name and
 * pg_upgrade keeps as it is.  A row of dynamo.indexes cannot do the same: when
 * pg_restore loads it, no index exists yet.  Its btree is found when the
 * definition is read, among the indexes of the table's relation, by name
 * (schema_match.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "schema/schema_internal.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* Columns of dynamo.tables. */
#define TABLES_NAME				1
#define TABLES_RELATION			2
#define TABLES_HASH				3
#define TABLES_HASH_TYPE		4
#define TABLES_RANGE			5
#define TABLES_RANGE_TYPE		6
#define TABLES_ID				7
#define TABLES_CREATED			8
#define TABLES_SETTINGS			9
#define TABLES_TTL				10
#define TABLES_BUILDING			11
#define TABLES_NATTS			11

/* Columns of dynamo.indexes. */
#define INDEXES_TABLE			1
#define INDEXES_NAME			2
#define INDEXES_ORDINAL			3
#define INDEXES_LOCAL			4
#define INDEXES_HASH			5
#define INDEXES_HASH_TYPES		6
#define INDEXES_RANGE			7
#define INDEXES_RANGE_TYPES		8
#define INDEXES_PROJECTION		9
#define INDEXES_NONKEY			10
#define INDEXES_SETTINGS		11
#define INDEXES_VECTOR			12
#define INDEXES_DIMENSIONS		13
#define INDEXES_DISTANCE		14
#define INDEXES_NATTS			14

static const char *const projection_names[] = {
	[PROJECTION_ALL] = "ALL",
	[PROJECTION_KEYS_ONLY] = "KEYS_ONLY",
	[PROJECTION_INCLUDE] = "INCLUDE",
};

static const char *const distance_names[] = {
	[VECTOR_COSINE] = "COSINE",
	[VECTOR_DOT_PRODUCT] = "DOT_PRODUCT",
	[VECTOR_EUCLIDEAN] = "EUCLIDEAN",
};

static const DynamoColumn tables_columns[] = {
	{TEXTOID, true}, {REGCLASSOID, true}, {TEXTOID, true}, {CHAROID, true},
	{TEXTOID}, {CHAROID}, {UUIDOID, true}, {TIMESTAMPTZOID, true},
	{JSONOID, true}, {TEXTOID}, {TEXTARRAYOID}
};

static const DynamoColumn indexes_columns[] = {
	{TEXTOID, true}, {TEXTOID, true}, {INT4OID, true}, {BOOLOID, true},
	{TEXTARRAYOID, true}, {CHARARRAYOID, true}, {TEXTARRAYOID, true},
	{CHARARRAYOID, true}, {TEXTOID, true}, {TEXTARRAYOID}, {JSONOID, true},
	{TEXTOID}, {INT4OID}, {TEXTOID}
};

StaticAssertDecl(lengthof(tables_columns) == TABLES_NATTS &&
				 lengthof(indexes_columns) == INDEXES_NATTS,
				 "each column has its type");

static DynamoIndex tables_indexes[] = {
	{1, {TABLES_NAME}},
	{1, {TABLES_RELATION}},
};

static DynamoIndex indexes_indexes[] = {
	{2, {INDEXES_TABLE, INDEXES_NAME}},
};

#define TABLES_BY_NAME		(&tables_indexes[0])
#define TABLES_BY_RELATION	(&tables_indexes[1])
#define INDEXES_BY_NAME		(&indexes_indexes[0])

static DynamoMember tables_member =
DYNAMO_TABLE("tables", tables_columns, DYNAMO_INDEXES(tables_indexes),
			 .forgotten = meta_definitions_gone);
static DynamoMember indexes_member =
DYNAMO_TABLE("indexes", indexes_columns, DYNAMO_INDEXES(indexes_indexes),
			 .forgotten = meta_definitions_gone);

bool		(*schema_is_filling) (Oid relid);

static void scan_tables(MetaScan *scan, Oid relid, LOCKMODE lockmode);
static void *read_relation(Relation tables, HeapTuple tuple);
static List *names_with(AttrNumber attnum, const char *part);
static void scan_indexes(MetaScan *scan, const char *table, const char *index,
						 LOCKMODE lockmode);
static void read_indexes(TableDef *def);
static void add_index(IndexDef **indexes, int *n, int *space,
					  const IndexDef *index);
static void read_index(Relation indexes, HeapTuple tuple, IndexDef *index);
static void read_vector(Relation indexes, HeapTuple tuple, IndexDef *index);
static void refuse_index(Relation indexes, const IndexDef *index)
			pg_attribute_noreturn();
static int	compare_indexes(const void *a, const void *b);
static int	keys_columns(HeapTuple tuple, AttrNumber attnum, Relation rel,
						 KeyAttr **keys);
static int	texts_column(HeapTuple tuple, AttrNumber attnum, Relation rel,
						 char ***texts);
static void set_keys(MetaRow *row, AttrNumber attnum, const KeyAttr *keys,
					 int nkeys);
static bool is_filling(const TableDef *def);
static Datum settings_datum(const char *settings);
static void change_column(MetaScan *scan, AttrNumber attnum, const char *text);

/*
 * The OID of dynamo.tables.
 */
Oid
schema_tables(void)
{
	return dynamo_member_get(&tables_member);
}

/*
 * The table of tables; there is none without the extension.
 */
Relation
schema_open_tables(LOCKMODE lockmode)
{
	return dynamo_table_open(&tables_member, lockmode);
}

/*
 * The relation of table "name", InvalidOid when there is no such row.
 */
Oid
schema_row_relation(const char *name)
{
	ScanKeyData key;
	Oid		   *relid;

	meta_text_key(&key, TABLES_NAME, name);
	relid = meta_first(&tables_member, TABLES_BY_NAME, 1, &key, read_relation);
	return relid ? *relid : InvalidOid;
}

static void *
read_relation(Relation tables, HeapTuple tuple)
{
	Oid		   *relid = palloc(sizeof(Oid));
	bool		isnull;

	*relid = DatumGetObjectId(meta_column(tuple, TABLES_RELATION, tables,
										  &isnull));
	return relid;
}

/*
 * Read the definition whose relation is "relid" into the current context.
 * NULL when there is no row or no relation.
 */
TableDef *
schema_row_read(Oid relid)
{
	MetaScan	scan;
	TableDef   *def = NULL;

	scan_tables(&scan, relid, AccessShareLock);
	if (meta_next(&scan) &&
		SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
	{
		Relation	tables = scan.rel;
		HeapTuple	tuple = scan.tuple;
		Datum		value;
		bool		isnull;

		def = palloc0(sizeof(TableDef));
		def->relid = relid;
		def->name = meta_text_column(tuple, TABLES_NAME, tables);
		def->hash.name = meta_text_column(tuple, TABLES_HASH, tables);
		def->hash.type = DatumGetChar(meta_column(tuple, TABLES_HASH_TYPE,
												  tables,
												  &isnull));
		def->range.name = meta_text_column(tuple, TABLES_RANGE, tables);
		if (def->range.name != NULL)
			def->range.type = DatumGetChar(meta_column(tuple,
													   TABLES_RANGE_TYPE,
													   tables, &isnull));
		value = meta_column(tuple, TABLES_ID, tables, &isnull);
		strlcpy(def->table_id,
				DatumGetCString(DirectFunctionCall1(uuid_out, value)),
				sizeof(def->table_id));
		def->stats = palloc0(sizeof(StatsRef));
		def->stats->id = *DatumGetUUIDP(value);
		def->created_at = DatumGetTimestampTz(meta_column(tuple,
														  TABLES_CREATED,
														  tables, &isnull));
		def->settings = meta_text_column(tuple, TABLES_SETTINGS, tables);
		def->ttl_attribute = meta_text_column(tuple, TABLES_TTL, tables);
		def->nbuilding = texts_column(tuple, TABLES_BUILDING, tables,
									  &def->building);
	}
	meta_end(&scan);

	if (def != NULL)
	{
		read_indexes(def);
		schema_find_btrees(def);
		def->distributed = schema_cluster.holds(relid);
		schema_follow_read(def);
		def->filling = is_filling(def);
	}
	return def;
}

/*
 * The node whose tables are sent to others knows by itself.  What a dump or a
 * node that was promoted has of others' settings is old.
 */
static bool
is_filling(const TableDef *def)
{
	if (schema_is_filling != NULL && schema_is_filling(def->relid))
		return true;
	return def->distributed && !schema_cluster.is_coordinator() &&
		strstr(def->settings, SCHEMA_FILLING) != NULL;
}

/*
 * Up to "limit" table names greater than "after" (NULL: all), as a list of
 * char *, in byte order.  Those whose relation is gone are added to "missing",
 * which may be NULL.
 */
List *
schema_row_names(const char *after, int limit, List **missing)
{
	MetaScan	scan;
	ScanKeyData key;
	List	   *names = NIL;

	ScanKeyEntryInitialize(&key, 0, TABLES_NAME, BTGreaterStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXT_GT,
						   CStringGetTextDatum(after ? after : ""));
	meta_scan_ordered(&scan, &tables_member, TABLES_BY_NAME,
					  ForwardScanDirection, 1, &key);
	while (list_length(names) < limit && meta_next(&scan))
	{
		bool		isnull;
		Datum		relid = meta_column(scan.tuple, TABLES_RELATION, scan.rel,
										&isnull);
		char	   *name = meta_text_column(scan.tuple, TABLES_NAME, scan.rel);

		if (SearchSysCacheExists1(RELOID, relid))
			names = lappend(names, name);
		else if (missing != NULL)
			*missing = lappend(*missing, name);
	}
	meta_end(&scan);
	return names;
}

/*
 * Insert the row of a table; its indexes have rows of their own.
 */
void
schema_row_insert(const TableDef *def)
{
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, TABLES_NAME, CStringGetTextDatum(def->name));
	meta_set_column(&row, TABLES_RELATION, ObjectIdGetDatum(def->relid));
	meta_set_column(&row, TABLES_HASH, CStringGetTextDatum(def->hash.name));
	meta_set_column(&row, TABLES_HASH_TYPE, CharGetDatum(def->hash.type));
	if (def->range.name != NULL)
	{
		meta_set_column(&row, TABLES_RANGE,
						CStringGetTextDatum(def->range.name));
		meta_set_column(&row, TABLES_RANGE_TYPE,
						CharGetDatum(def->range.type));
	}
	meta_set_column(&row, TABLES_ID,
					DirectFunctionCall1(uuid_in, CStringGetDatum(def->table_id)));
	meta_set_column(&row, TABLES_CREATED,
					TimestampTzGetDatum(def->created_at));
	meta_set_column(&row, TABLES_SETTINGS, settings_datum(def->settings));
	meta_insert(&tables_member, &row);
}

/*
 * Delete the row of the table whose relation is "relid", if it has one, and
 * those of its indexes; of a distributed one on all nodes.
 */
void
schema_row_delete(Oid relid)
{
	MetaScan	scan;
	char	   *name = NULL;
	bool		elsewhere = !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)) ||
		schema_cluster.holds(relid);

	scan_tables(&scan, relid, RowExclusiveLock);
	if (meta_next(&scan))
	{
		name = meta_text_column(scan.tuple, TABLES_NAME, scan.rel);
		meta_delete(&scan);
	}
	meta_end(&scan);

	if (name == NULL)
		return;
	schema_index_row_delete(name, NULL);
	if (elsewhere)
		schema_cluster.removed(name);
}

/*
 * Change the settings of a table.
 */
void
schema_row_set_settings(Oid relid, const char *settings)
{
	MetaScan	scan;

	scan_tables(&scan, relid, RowExclusiveLock);
	change_column(&scan, TABLES_SETTINGS, settings ? settings : "{}");
}

/*
 * Change the attribute by which a table's items expire; NULL: they do not.
 */
void
schema_row_set_ttl(Oid relid, const char *attribute)
{
	MetaScan	scan;

	scan_tables(&scan, relid, RowExclusiveLock);
	change_column(&scan, TABLES_TTL, attribute);
}

/*
 * Name a btree among those that the worker is to build, or take it away.
 */
void
schema_row_set_building(Oid relid, const char *btree, bool building)
{
	MetaScan	scan;

	scan_tables(&scan, relid, RowExclusiveLock);
	if (meta_next(&scan))
	{
		char	  **names;
		int			n = texts_column(scan.tuple, TABLES_BUILDING, scan.rel,
									 &names);
		Datum	   *kept = palloc(sizeof(Datum) * (n + 1));
		int			nkept = 0;
		MetaRow		row;

		for (int i = 0; i < n; i++)
		{
			if (strcmp(names[i], btree) != 0)
				kept[nkept++] = CStringGetTextDatum(names[i]);
		}
		if (building)
			kept[nkept++] = CStringGetTextDatum(btree);
		meta_init_row(&row);
		row.replaces[TABLES_BUILDING - 1] = true;
		if (nkept > 0)
			meta_set_column(&row, TABLES_BUILDING,
							PointerGetDatum(construct_array(kept, nkept,
															TEXTOID, -1, false,
															TYPALIGN_INT)));
		meta_change(&scan, &row);
	}
	meta_end(&scan);
}

/*
 * The names of the tables whose items expire, as a list of char *.
 */
List *
schema_row_ttl_names(void)
{
	return names_with(TABLES_TTL, NULL);
}

/*
 * The same of those for which the worker has something to do.
 */
List *
schema_row_building_names(void)
{
	return names_with(TABLES_BUILDING, NULL);
}

/*
 * The same of those whose settings have a member of this name, at whatever
 * depth.
 */
List *
schema_row_setting_names(const char *member)
{
	return names_with(TABLES_SETTINGS, psprintf("\"%s\"", member));
}

/* Where a column is not null, and has this in its text (NULL: anything). */
static List *
names_with(AttrNumber attnum, const char *part)
{
	MetaScan	scan;
	List	   *names = NIL;

	meta_scan(&scan, &tables_member, AccessShareLock, NULL, 0, NULL);
	while (meta_next(&scan))
	{
		bool		isnull;
		Datum		relid = meta_column(scan.tuple, TABLES_RELATION, scan.rel,
										&isnull);

		(void) meta_column(scan.tuple, attnum, scan.rel, &isnull);
		if (isnull || !SearchSysCacheExists1(RELOID, relid) ||
			(part && !strstr(meta_text_column(scan.tuple, attnum, scan.rel),
							 part)))
			continue;
		names = lappend(names, meta_text_column(scan.tuple, TABLES_NAME,
												scan.rel));
	}
	meta_end(&scan);
	return names;
}

/*
 * Insert the row of an index.
 */
void
schema_index_row_insert(const char *table, const IndexDef *index)
{
	MetaRow		row;

	meta_init_row(&row);
	meta_set_column(&row, INDEXES_TABLE, CStringGetTextDatum(table));
	meta_set_column(&row, INDEXES_NAME, CStringGetTextDatum(index->name));
	meta_set_column(&row, INDEXES_ORDINAL, Int32GetDatum(index->ordinal));
	meta_set_column(&row, INDEXES_LOCAL, BoolGetDatum(index->local));
	set_keys(&row, INDEXES_HASH, index->hash, index->nhash);
	set_keys(&row, INDEXES_RANGE, index->range, index->nrange);
	meta_set_column(&row, INDEXES_PROJECTION,
					CStringGetTextDatum(projection_names[index->projection]));
	if (index->projection == PROJECTION_INCLUDE)
	{
		Datum	   *names = palloc(sizeof(Datum) * index->nnonkey);

		for (int i = 0; i < index->nnonkey; i++)
			names[i] = CStringGetTextDatum(index->nonkey[i]);
		meta_set_column(&row, INDEXES_NONKEY,
						PointerGetDatum(construct_array(names, index->nnonkey,
														TEXTOID, -1, false,
														TYPALIGN_INT)));
	}
	meta_set_column(&row, INDEXES_SETTINGS, settings_datum(index->settings));
	if (index->vector != NULL)
	{
		meta_set_column(&row, INDEXES_VECTOR,
						CStringGetTextDatum(index->vector));
		meta_set_column(&row, INDEXES_DIMENSIONS,
						Int32GetDatum(index->dimensions));
		meta_set_column(&row, INDEXES_DISTANCE,
						CStringGetTextDatum(distance_names[index->distance]));
	}
	meta_insert(&indexes_member, &row);
}

/*
 * Delete the row of an index; all of the table's for NULL.  Returns whether
 * there was one.
 */
bool
schema_index_row_delete(const char *table, const char *index)
{
	MetaScan	scan;
	bool		found = false;

	scan_indexes(&scan, table, index, RowExclusiveLock);
	while (meta_next(&scan))
	{
		meta_delete(&scan);
		found = true;
	}
	meta_end(&scan);
	return found;
}

/*
 * Change the settings of an index.
 */
void
schema_index_row_set_settings(const char *table, const char *index,
							  const char *settings)
{
	MetaScan	scan;

	scan_indexes(&scan, table, index, RowExclusiveLock);
	change_column(&scan, INDEXES_SETTINGS, settings ? settings : "{}");
}

static void
scan_tables(MetaScan *scan, Oid relid, LOCKMODE lockmode)
{
	ScanKeyData key;

	meta_oid_key(&key, TABLES_RELATION, relid);
	meta_scan(scan, &tables_member, lockmode, TABLES_BY_RELATION, 1, &key);
}

/* Rows of all indexes of a table, or of one. */
static void
scan_indexes(MetaScan *scan, const char *table, const char *index,
			 LOCKMODE lockmode)
{
	ScanKeyData keys[2];

	meta_text_key(&keys[0], INDEXES_TABLE, table);
	if (index != NULL)
		meta_text_key(&keys[1], INDEXES_NAME, index);
	meta_scan(scan, &indexes_member, lockmode, INDEXES_BY_NAME, index ? 2 : 1,
			  keys);
}

/*
 * Fill in the indexes of a definition, sorted by name; their btrees are left
 * open.
 */
static void
read_indexes(TableDef *def)
{
	MetaScan	scan;
	int			space = 4;
	int			vector_space = 0;

	def->indexes = palloc(sizeof(IndexDef) * space);
	scan_indexes(&scan, def->name, NULL, AccessShareLock);
	while (meta_next(&scan))
	{
		IndexDef	index;

		read_index(scan.rel, scan.tuple, &index);
		if (index.vector != NULL)
			add_index(&def->vectors, &def->nvectors, &vector_space, &index);
		else
			add_index(&def->indexes, &def->nindexes, &space, &index);
		if (index.local)
			def->nlocal++;
	}
	meta_end(&scan);
	qsort(def->indexes, def->nindexes, sizeof(IndexDef), compare_indexes);
	if (def->nvectors > 0)
		qsort(def->vectors, def->nvectors, sizeof(IndexDef), compare_indexes);
}

/* Append one to a list that has room for "space". */
static void
add_index(IndexDef **indexes, int *n, int *space, const IndexDef *index)
{
	if (*space == 0)
	{
		*space = DYNAMO_MAX_VECTORS;
		*indexes = palloc(sizeof(IndexDef) * *space);
	}
	else if (*n == *space)
	{
		*space *= 2;
		*indexes = repalloc(*indexes, sizeof(IndexDef) * *space);
	}
	(*indexes)[(*n)++] = *index;
}

static void
read_index(Relation indexes, HeapTuple tuple, IndexDef *index)
{
	char	   *projection;
	bool		isnull;

	memset(index, 0, sizeof(IndexDef));
	index->name = meta_text_column(tuple, INDEXES_NAME, indexes);
	index->ordinal = DatumGetInt32(meta_column(tuple, INDEXES_ORDINAL,
											   indexes,
											   &isnull));
	index->local = DatumGetBool(meta_column(tuple, INDEXES_LOCAL, indexes,
											&isnull));
	index->nhash = keys_columns(tuple, INDEXES_HASH, indexes, &index->hash);
	index->nrange = keys_columns(tuple, INDEXES_RANGE, indexes,
								 &index->range);
	projection = meta_text_column(tuple, INDEXES_PROJECTION, indexes);
	for (int i = 0; i < lengthof(projection_names); i++)
	{
		if (strcmp(projection, projection_names[i]) == 0)
			index->projection = (ProjectionType) i;
	}
	index->nnonkey = texts_column(tuple, INDEXES_NONKEY, indexes,
								  &index->nonkey);
	index->settings = meta_text_column(tuple, INDEXES_SETTINGS, indexes);
	index->vector = meta_text_column(tuple, INDEXES_VECTOR, indexes);
	if (index->vector != NULL)
		read_vector(indexes, tuple, index);
	else if (index->nhash == 0 || index->nhash > DYNAMO_MAX_KEY_ATTRS ||
			 index->nrange > DYNAMO_MAX_KEY_ATTRS)
		refuse_index(indexes, index);
}

/*
 * What makes it one on vectors.
 */
static void
read_vector(Relation indexes, HeapTuple tuple, IndexDef *index)
{
	char	   *distance = meta_text_column(tuple, INDEXES_DISTANCE, indexes);
	bool		isnull;
	Datum		dimensions = meta_column(tuple, INDEXES_DIMENSIONS, indexes,
										 &isnull);
	int			i = 0;

	if (!isnull)
		index->dimensions = DatumGetInt32(dimensions);
	while (distance != NULL && i < lengthof(distance_names) &&
		   strcmp(distance, distance_names[i]) != 0)
		i++;
	if (distance == NULL || i == lengthof(distance_names) ||
		index->dimensions < 1 || index->dimensions > DYNAMO_MAX_DIMENSIONS ||
		index->nhash > 1)
		refuse_index(indexes, index);
	index->distance = (VectorDistance) i;
}

static void
refuse_index(Relation indexes, const IndexDef *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("definition in \"%s\" is not valid",
					RelationGetRelationName(indexes)),
			 errdetail("Index \"%s\" has a key, dimensions or a distance that none can have.",
					   index->name)));
}

static int
compare_indexes(const void *a, const void *b)
{
	return strcmp(((const IndexDef *) a)->name, ((const IndexDef *) b)->name);
}

/*
 * Key attributes: column "attnum" has the names, the one after it the types.
 * Returns how many there are.
 */
static int
keys_columns(HeapTuple tuple, AttrNumber attnum, Relation rel,
			 KeyAttr **keys)
{
	char	  **names;
	int			nnames = texts_column(tuple, attnum, rel, &names);
	bool		isnull;
	Datum		types = meta_column(tuple, attnum + 1, rel, &isnull);
	Datum	   *elements = NULL;
	int			ntypes = 0;

	if (!isnull)
		deconstruct_array(DatumGetArrayTypeP(types), CHAROID, 1, true,
						  TYPALIGN_CHAR, &elements, NULL, &ntypes);
	if (nnames != ntypes || nnames > DYNAMO_MAX_FILTERS)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("definition in \"%s\" is not valid",
						RelationGetRelationName(rel)),
				 errdetail("There are %d key attributes and %d types.",
						   nnames, ntypes)));
	*keys = palloc(sizeof(KeyAttr) * Max(nnames, 1));
	for (int i = 0; i < nnames; i++)
	{
		(*keys)[i].name = names[i];
		(*keys)[i].type = DatumGetChar(elements[i]);
	}
	return nnames;
}

/* A column of text[]; none for null. */
static int
texts_column(HeapTuple tuple, AttrNumber attnum, Relation rel, char ***texts)
{
	bool		isnull;
	Datum		array = meta_column(tuple, attnum, rel, &isnull);
	Datum	   *elements;
	int			n;

	*texts = NULL;
	if (isnull)
		return 0;
	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, NULL, &n);
	*texts = palloc(sizeof(char *) * Max(n, 1));
	for (int i = 0; i < n; i++)
		(*texts)[i] = TextDatumGetCString(elements[i]);
	return n;
}

/* The reverse of keys_columns(). */
static void
set_keys(MetaRow *row, AttrNumber attnum, const KeyAttr *keys, int nkeys)
{
	Datum		names[DYNAMO_MAX_FILTERS];
	Datum		types[DYNAMO_MAX_FILTERS];

	for (int i = 0; i < nkeys; i++)
	{
		names[i] = CStringGetTextDatum(keys[i].name);
		types[i] = CharGetDatum(keys[i].type);
	}
	meta_set_column(row, attnum,
					PointerGetDatum(construct_array(names, nkeys, TEXTOID, -1,
													false, TYPALIGN_INT)));
	meta_set_column(row, attnum + 1,
					PointerGetDatum(construct_array(types, nkeys, CHAROID, 1,
													true, TYPALIGN_CHAR)));
}

static Datum
settings_datum(const char *settings)
{
	return CStringGetTextDatum(settings ? settings : "{}");
}

/*
 * Change a column of text (NULL: null) in the row that "scan" finds, if there
 * is one; ends the scan.
 */
static void
change_column(MetaScan *scan, AttrNumber attnum, const char *text)
{
	MetaRow		row;

	meta_init_row(&row);
	row.replaces[attnum - 1] = true;
	if (text != NULL)
		meta_set_column(&row, attnum, CStringGetTextDatum(text));
	if (meta_next(scan))
		meta_change(scan, &row);
	meta_end(scan);
}
