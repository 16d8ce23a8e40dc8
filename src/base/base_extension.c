/*-------------------------------------------------------------------------
 *
 * base_extension.c
 *	  What belongs to the extension: its tables, functions, types.
 *
 * A name proves nothing: the owner of a database can create a schema, a table
 * or a function of any name, before the extension is there or beside it.  So
 * nothing is found by its name alone.  A schema must be a member of our
 * extension (pg_depend), and so must everything in it.  A table's owner must
 * be the extension's, or a superuser.  A function must be written in C, which
 * only superusers can do.
 *
 * Rows of our tables are read and written without the executor.  So when a
 * table is opened for the first time, its columns are compared with those its
 * reader knows.  Otherwise a difference would be a crash.  It may have no
 * index that only the executor can maintain.
 *
 * What was found is remembered until a message comes for it, or for a
 * schema, which goes when the extension goes.  Absence is not remembered.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "base/base.h"
#include "base/base_extension.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_index.h"
#include "catalog/pg_language_d.h"
#include "catalog/pg_namespace_d.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "commands/extension.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define EXTENSION	"dynamo"

/* Its schemas: [false] for people, [true] for what that is made of. */
static const char *const schema_names[] = {"dynamo", "dynamo_internal"};

#define NSCHEMAS	lengthof(schema_names)

/* The extension; a schema that is InvalidOid is not known. */
typedef struct Extension
{
	Oid			oid;
	Oid			owner;
	Oid			schemas[NSCHEMAS];
	uint32		hashes[NSCHEMAS];	/* that messages about them name */
} Extension;

static Extension extension;

/* Where members are: in a catalog, and a cache that sends messages. */
static const struct
{
	Oid			catalog;
	int			cache;
}			homes[] = {
	[DYNAMO_MEMBER_SCHEMA] = {NamespaceRelationId, NAMESPACEOID},
	[DYNAMO_MEMBER_TABLE] = {RelationRelationId, RELOID},
	[DYNAMO_MEMBER_SEQUENCE] = {RelationRelationId, RELOID},
	[DYNAMO_MEMBER_FUNCTION] = {ProcedureRelationId, PROCOID},
	[DYNAMO_MEMBER_TYPE] = {TypeRelationId, TYPEOID},
	[DYNAMO_MEMBER_WRAPPER] = {ForeignDataWrapperRelationId, FOREIGNDATAWRAPPEROID},
};

/* Those that have been looked up. */
static DynamoMember *members = NULL;

/* Messages received: did one come while something was being looked up? */
static uint64 messages = 0;

static DynamoMember item_type = DYNAMO_TYPE("item");

static void watch_member(DynamoMember *member);
static void member_changed(Oid relid);
static void object_changed(Datum arg, int cache, uint32 hash);
static void forget_all(void);
static void forget_member(DynamoMember *member);
static Oid	home_of(const DynamoMember *member);
static bool find_extension(Extension *found);
static Oid	find_schema(const Extension *found, const char *name);
static bool read_extension(Extension *found, char **version);
static int	version_order(const char *version);
static void check_version(const char *version);
static void check_format(const Extension *found);
static Oid	look_up(const DynamoMember *member);
static Oid	look_up_relation(const DynamoMember *member, char relkind);
static Oid	look_up_function(const DynamoMember *member);
static Oid	column_type(const DynamoColumn *column);
static void raise_absent(const DynamoMember *member) pg_attribute_noreturn();
static void raise_foreign(const DynamoMember *member, Oid owner)
			pg_attribute_noreturn();
static void raise_altered(const DynamoMember *table, char *detail)
			pg_attribute_noreturn();
static void check_table(DynamoMember *table, Relation rel);
static void check_columns(const DynamoMember *table, Relation rel);
static void check_indexes(const DynamoMember *table, Relation rel);
static bool is_on(Relation index, Relation table, const DynamoIndex *wanted);

/*
 * The OID of a member, InvalidOid when there is no extension or it has none
 * of this name.
 */
Oid
dynamo_member_find(DynamoMember *member)
{
	uint64		seen;

	if (OidIsValid(member->oid))
		return member->oid;
	watch_member(member);
	do
	{
		Extension	found;
		Oid			oid = InvalidOid;

		seen = messages;
		member->oid = InvalidOid;	/* what follows may raise an error */
		if (!OidIsValid(home_of(member)) && find_extension(&found))
			extension = found;
		if (OidIsValid(home_of(member)))
			oid = look_up(member);
		member->oid = oid;
		member->hash = GetSysCacheHashValue1(homes[member->kind].cache,
											 ObjectIdGetDatum(oid));
	} while (seen != messages);
	return member->oid;
}

/*
 * The same where it must be there.
 */
Oid
dynamo_member_get(DynamoMember *member)
{
	Oid			oid = dynamo_member_find(member);

	if (!OidIsValid(oid))
		raise_absent(member);
	return oid;
}

/*
 * Lock and open a table of ours; NULL when it is not there.
 */
Relation
dynamo_table_find(DynamoMember *table, LOCKMODE lockmode)
{
	Oid			relid;

	while (OidIsValid(relid = dynamo_member_find(table)))
	{
		Relation	rel = try_table_open(relid, lockmode);

		/* Taking the lock may have told that the extension was replaced. */
		if (rel == NULL)
			forget_member(table);
		else if (table->oid == relid && !table->checked)
			check_table(table, rel);
		if (table->oid == relid && table->checked)
			return rel;
		if (rel != NULL)
			table_close(rel, lockmode);
		CHECK_FOR_INTERRUPTS();
	}
	return NULL;
}

/*
 * The same where it must be there.
 */
Relation
dynamo_table_open(DynamoMember *table, LOCKMODE lockmode)
{
	Relation	rel = dynamo_table_find(table, lockmode);

	if (rel == NULL)
		raise_absent(table);
	return rel;
}

/*
 * Scan an open table of ours by one of its indexes, or the whole table if that
 * is gone; systable_endscan() it.
 */
SysScanDesc
dynamo_table_scan(Relation table, const DynamoIndex *index, Snapshot snapshot,
				  int nkeys, ScanKey keys)
{
	return systable_beginscan(table, index->oid, OidIsValid(index->oid),
							  snapshot, nkeys, keys);
}

/*
 * The index, to scan the table in its order, with AccessShareLock; an error
 * when there is none.
 */
Relation
dynamo_table_order(Relation table, const DynamoIndex *index)
{
	if (!OidIsValid(index->oid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has lost an index that it needs",
						RelationGetRelationName(table))));
	return index_open(index->oid, AccessShareLock);
}

/*
 * Delete the rows whose column "role" is the OID of a role that is gone.
 * Otherwise a role that is made later and happens to get it would have them.
 */
void
dynamo_table_drop_orphans(DynamoMember *table, AttrNumber role)
{
	Relation	rel = dynamo_table_open(table, ShareRowExclusiveLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0,
										  NULL);
	HeapTuple	tuple;
	bool		any = false;
	bool		isnull;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		oid = heap_getattr(tuple, role, RelationGetDescr(rel),
									   &isnull);

		CHECK_FOR_INTERRUPTS();
		if (SearchSysCacheExists1(AUTHOID, oid))
			continue;
		CatalogTupleDelete(rel, &tuple->t_self);
		any = true;
	}
	systable_endscan(scan);
	if (any)
		CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);
}

/*
 * Open the index of a table that is on these columns, whatever its name; NULL
 * when there is none.
 */
Relation
dynamo_table_index(Relation table, const DynamoIndex *index, LOCKMODE lockmode)
{
	List	   *indexes = RelationGetIndexList(table);
	Relation	found = NULL;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		found = index_open(lfirst_oid(lc), lockmode);
		if (is_on(found, table, index))
			break;
		index_close(found, lockmode);
		found = NULL;
	}
	list_free(indexes);
	return found;
}

/*
 * Is a column of an index, counted from 1, in the default order of btrees on
 * this type, ascending?  "index" is a row of pg_index.
 */
bool
dynamo_index_sorts(HeapTuple index, int column, Oid type, Oid collation)
{
	bool		isnull;
	oidvector  *classes = (oidvector *)
		DatumGetPointer(SysCacheGetAttr(INDEXRELID, index,
										Anum_pg_index_indclass, &isnull));
	oidvector  *collations = (oidvector *)
		DatumGetPointer(SysCacheGetAttr(INDEXRELID, index,
										Anum_pg_index_indcollation, &isnull));
	int2vector *options = (int2vector *)
		DatumGetPointer(SysCacheGetAttr(INDEXRELID, index,
										Anum_pg_index_indoption, &isnull));
	TypeCacheEntry *order = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);

	return OidIsValid(order->btree_opf) &&
		get_opclass_family(classes->values[column - 1]) == order->btree_opf &&
		collations->values[column - 1] == collation &&
		options->values[column - 1] == 0;
}

/*
 * Is the extension there, in this library's version or an older one?
 */
bool
dynamo_is_installed(void)
{
	Extension	found;
	char	   *version;

	return read_extension(&found, &version) && version_order(version) <= 0;
}

bool
dynamo_check_installed(void)
{
	Extension	found;

	return find_extension(&found);
}

/*
 * Let a member receive messages.
 */
static void
watch_member(DynamoMember *member)
{
	if (members == NULL)
	{
		dynamo_watch_relations(member_changed);
		CacheRegisterSyscacheCallback(NAMESPACEOID, object_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(PROCOID, object_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(TYPEOID, object_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(FOREIGNDATAWRAPPEROID, object_changed,
									  (Datum) 0);
	}
	for (DynamoMember *known = members; known != NULL; known = known->next)
	{
		if (known == member)
			return;
	}
	member->next = members;
	members = member;
}

/*
 * A relation has changed; InvalidOid stands for every relation.
 */
static void
member_changed(Oid relid)
{
	messages++;
	if (!OidIsValid(relid))
	{
		forget_all();
		return;
	}
	for (DynamoMember *member = members; member != NULL; member = member->next)
	{
		if (homes[member->kind].cache == RELOID && member->oid == relid)
			forget_member(member);
	}
}

/*
 * The same for what is in another cache; 0 stands for everything in it.
 */
static void
object_changed(Datum arg, int cache, uint32 hash)
{
	messages++;
	if (hash == 0 || (cache == NAMESPACEOID && (hash == extension.hashes[0] ||
												hash == extension.hashes[1])))
	{
		forget_all();
		return;
	}
	for (DynamoMember *member = members; member != NULL; member = member->next)
	{
		if (homes[member->kind].cache == cache && member->hash == hash)
			forget_member(member);
	}
}

static void
forget_all(void)
{
	memset(extension.schemas, 0, sizeof(extension.schemas));
	for (DynamoMember *member = members; member != NULL; member = member->next)
		forget_member(member);
}

static void
forget_member(DynamoMember *member)
{
	member->oid = InvalidOid;
	member->checked = false;
	if (member->forgotten != NULL)
		member->forgotten();
}

/*
 * The schema that a member is in; InvalidOid: not known.
 */
static Oid
home_of(const DynamoMember *member)
{
	return extension.schemas[member->internal];
}

/*
 * Look for the extension and its schemas.  Raises an error where it is not for
 * this library to touch.
 */
static bool
find_extension(Extension *found)
{
	char	   *version;

	if (!read_extension(found, &version))
		return false;
	if (!IsBinaryUpgrade)
	{
		check_version(version);
		check_format(found);
	}
	for (int i = 0; i < NSCHEMAS; i++)
	{
		found->schemas[i] = find_schema(found, schema_names[i]);
		found->hashes[i] =
			GetSysCacheHashValue1(NAMESPACEOID,
								  ObjectIdGetDatum(found->schemas[i]));
	}
	return true;
}

/*
 * A schema of this name that belongs to the extension, or InvalidOid.
 */
static Oid
find_schema(const Extension *found, const char *name)
{
	Oid			schema = get_namespace_oid(name, true);

	if (OidIsValid(schema) &&
		getExtensionOfObject(NamespaceRelationId, schema) != found->oid)
		return InvalidOid;
	return schema;
}

/*
 * Read our row of pg_extension, if there is one.
 */
static bool
read_extension(Extension *found, char **version)
{
	Relation	rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		exists;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber,
				F_NAMEEQ, CStringGetDatum(EXTENSION));
	scan = systable_beginscan(rel, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	exists = HeapTupleIsValid(tuple);
	if (exists)
	{
		Form_pg_extension form = (Form_pg_extension) GETSTRUCT(tuple);
		bool		isnull;
		Datum		extversion = heap_getattr(tuple,
											  Anum_pg_extension_extversion,
											  RelationGetDescr(rel), &isnull);

		found->oid = form->oid;
		found->owner = form->extowner;
		*version = TextDatumGetCString(extversion);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return exists;
}

/*
 * Is a version of the SQL objects before (-1), after (1) or that of this
 * library?  Versions are numbers with dots between them.
 */
static int
version_order(const char *version)
{
	const char *ours = DYNAMO_VERSION;

	if (version[strspn(version, "0123456789.")] != '\0')
		return 1;				/* none that we have made */
	while (*version != '\0' || *ours != '\0')
	{
		long		a = strtol(version, (char **) &version, 10);
		long		b = strtol(ours, (char **) &ours, 10);

		if (a != b)
			return a < b ? -1 : 1;
		version += strspn(version, ".");
		ours += strspn(ours, ".");
	}
	return 0;
}

/*
 * A library serves older SQL objects, since servers are restarted before
 * anybody can run ALTER EXTENSION, and says once in a process what to run.  It
 * cannot know what newer ones expect.
 */
static void
check_version(const char *version)
{
	static bool told = false;
	int			order = version_order(version);

	if (order > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("library of extension \"%s\" is version %s, older than its SQL objects, version %s",
						EXTENSION, DYNAMO_VERSION, version),
				 errhint("Install the library of version %s, and restart the server.",
						 version)));
	if (order < 0 && !told && !creating_extension)
	{
		told = true;
		ereport(WARNING,
				(errmsg("extension \"%s\" is version %s, and its library version %s",
						EXTENSION, version, DYNAMO_VERSION),
				 errhint("Run \"ALTER EXTENSION %s UPDATE\" in database \"%s\".",
						 EXTENSION, get_database_name(MyDatabaseId))));
	}
}

/*
 * The table access method's handler says which format the tables are of, and
 * raises an error if it is none of ours (../am/am_handler.c).
 */
static void
check_format(const Extension *found)
{
	HeapTuple	tuple = SearchSysCache1(AMNAME, CStringGetDatum(EXTENSION));
	Form_pg_am	form;
	Oid			handler = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return;					/* not yet, during CREATE EXTENSION */
	form = (Form_pg_am) GETSTRUCT(tuple);
	if (getExtensionOfObject(AccessMethodRelationId, form->oid) == found->oid)
		handler = form->amhandler;
	ReleaseSysCache(tuple);
	if (OidIsValid(handler))
		(void) GetTableAmRoutine(handler);
}

static Oid
look_up(const DynamoMember *member)
{
	Oid			oid = InvalidOid;

	switch (member->kind)
	{
		case DYNAMO_MEMBER_SCHEMA:
			oid = get_namespace_oid(member->name, true);
			break;
		case DYNAMO_MEMBER_TABLE:
			oid = look_up_relation(member, RELKIND_RELATION);
			break;
		case DYNAMO_MEMBER_SEQUENCE:
			oid = look_up_relation(member, RELKIND_SEQUENCE);
			break;
		case DYNAMO_MEMBER_FUNCTION:
			oid = look_up_function(member);
			break;
		case DYNAMO_MEMBER_TYPE:
			oid = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
								  CStringGetDatum(member->name),
								  ObjectIdGetDatum(home_of(member)));
			break;
		case DYNAMO_MEMBER_WRAPPER:
			oid = get_foreign_data_wrapper_oid(member->name, true);
			break;
	}
	if (OidIsValid(oid) &&
		getExtensionOfObject(homes[member->kind].catalog,
							 oid) == extension.oid)
		return oid;
	return InvalidOid;
}

/*
 * The owner must be one we trust: a table's owner decides what is in it.
 */
static Oid
look_up_relation(const DynamoMember *member, char relkind)
{
	Oid			relid = get_relname_relid(member->name, home_of(member));
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	form = (Form_pg_class) GETSTRUCT(tuple);
	owner = form->relowner;
	if (form->relkind != relkind)
		relid = InvalidOid;
	ReleaseSysCache(tuple);

	if (OidIsValid(relid) && owner != extension.owner &&
		!superuser_arg(owner) &&
		getExtensionOfObject(RelationRelationId, relid) == extension.oid)
		raise_foreign(member, owner);
	return relid;
}

/*
 * A function is identified by its arguments, too.  It must be in C.  Otherwise
 * its owner could change what it does.
 */
static Oid
look_up_function(const DynamoMember *member)
{
	Oid			types[FUNC_MAX_ARGS];
	HeapTuple	tuple;
	Oid			function = InvalidOid;

	for (int i = 0; i < member->ncolumns; i++)
		types[i] = column_type(&member->columns[i]);
	tuple = SearchSysCache3(PROCNAMEARGSNSP,
							CStringGetDatum(member->name),
							PointerGetDatum(buildoidvector(types,
														   member->ncolumns)),
							ObjectIdGetDatum(home_of(member)));
	if (HeapTupleIsValid(tuple))
	{
		Form_pg_proc form = (Form_pg_proc) GETSTRUCT(tuple);

		if (form->prolang == ClanguageId)
			function = form->oid;
		ReleaseSysCache(tuple);
	}
	return function;
}

static Oid
column_type(const DynamoColumn *column)
{
	return OidIsValid(column->type) ? column->type :
		dynamo_member_find(&item_type);
}

static void
raise_absent(const DynamoMember *member)
{
	Extension	found;
	char	   *version;

	if (!read_extension(&found, &version))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"%s\" does not exist", EXTENSION)));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("extension \"%s\" has lost \"%s\"", EXTENSION,
					member->kind == DYNAMO_MEMBER_SCHEMA ? member->name :
					quote_qualified_identifier(schema_names[member->internal],
											   member->name)),
			 errdetail("It was renamed, or taken from the extension, or its schema was.")));
}

static void
raise_foreign(const DynamoMember *member, Oid owner)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("relation \"%s.%s\" belongs to role \"%s\", who does not own extension \"%s\"",
					schema_names[member->internal], member->name,
					GetUserNameFromId(owner, true),
					EXTENSION),
			 errhint("Give it back to the owner of the extension.")));
}

/*
 * Is a table as code that reads it without the executor expects it?  Checks
 * its indexes, too.
 */
static void
check_table(DynamoMember *table, Relation rel)
{
	check_columns(table, rel);
	check_indexes(table, rel);
	for (int i = 0; i < table->nindexes; i++)
	{
		Relation	index = dynamo_table_index(rel, &table->indexes[i],
											   AccessShareLock);

		table->indexes[i].oid = index ? RelationGetRelid(index) : InvalidOid;
		if (index != NULL)
			index_close(index, AccessShareLock);
	}
	table->checked = OidIsValid(table->oid);	/* no message came meanwhile */
}

static void
check_columns(const DynamoMember *table, Relation rel)
{
	TupleDesc	desc = RelationGetDescr(rel);

	if (rel->rd_rel->relam != HEAP_TABLE_AM_OID)
		raise_altered(table, psprintf("Its access method should be \"%s\".",
									  "heap"));
	if (desc->natts > table->ncolumns ||
		desc->natts < table->ncolumns - table->nlater)
		raise_altered(table, psprintf("It has had %d columns, and should have %d.",
									  desc->natts, table->ncolumns));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute has = TupleDescAttr(desc, i);
		const DynamoColumn *column = &table->columns[i];
		Oid			type = column_type(column);

		if (has->atttypid != type || (column->not_null && !has->attnotnull))
			raise_altered(table, psprintf("Column %d should be of type %s%s.",
										  i + 1, format_type_be(type),
										  column->not_null ?
										  " and NOT NULL" : ""));
	}
}

/*
 * What only the executor computes has no place in an index of a table that is
 * written to without it.
 */
static void
check_indexes(const DynamoMember *table, Relation rel)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);
		HeapTuple	tuple = index->rd_indextuple;

		if (!heap_attisnull(tuple, Anum_pg_index_indexprs, NULL) ||
			!heap_attisnull(tuple, Anum_pg_index_indpred, NULL) ||
			index->rd_index->indisexclusion || !index->rd_index->indimmediate)
			raise_altered(table, psprintf("Index \"%s\" should be on columns, of all rows, and not deferrable.",
										  RelationGetRelationName(index)));
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
}

static void
raise_altered(const DynamoMember *table, char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s.%s\" is not as extension \"%s\" has made it",
					schema_names[table->internal], table->name, EXTENSION),
			 errdetail_internal("%s", detail)));
}

static bool
is_on(Relation index, Relation table, const DynamoIndex *wanted)
{
	Form_pg_index form = index->rd_index;

	if (!form->indisvalid || form->indnatts != wanted->ncolumns ||
		form->indnkeyatts != wanted->ncolumns ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL))
		return false;
	for (int i = 0; i < wanted->ncolumns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(RelationGetDescr(table),
												 wanted->columns[i] - 1);

		if (form->indkey.values[i] != wanted->columns[i] ||
			!dynamo_index_sorts(index->rd_indextuple, i + 1, column->atttypid,
								column->attcollation))
			return false;
	}
	return true;
}
