/*-------------------------------------------------------------------------
 *
 * policy_catalog.c
 *	  Rows of dynamo.role_policies and dynamo.resource_policies.
 *
 * A row names roles by OID: a policy goes with its role when that is renamed,
 * and a role of the old name gets none of it.  So do the principals of a
 * resource's policy: the row lists the roles that its text names, in order.
 * pg_dump writes both as names.
 *
 * A resource's row has the id of its table, too.  One of a table that was
 * dropped says nothing about another table of that name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "base/base_extension.h"
#include "catalog/indexing.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "policy/policy_internal.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* Columns of dynamo.role_policies. */
#define ROLES_ROLE			1
#define ROLES_NAME			2
#define ROLES_DOCUMENT		3
#define ROLES_NATTS			3

/* Columns of dynamo.resource_policies. */
#define RESOURCES_TABLE		1
#define RESOURCES_LABEL		2
#define RESOURCES_TABLE_ID	3
#define RESOURCES_REVISION	4
#define RESOURCES_DOCUMENT	5
#define RESOURCES_PRINCIPALS 6
#define RESOURCES_NATTS		6

static const DynamoColumn roles_columns[] = {
	{REGROLEOID, true}, {TEXTOID, true}, {TEXTOID, true}
};

static const DynamoColumn resources_columns[] = {
	{TEXTOID, true}, {TEXTOID, true}, {TEXTOID, true}, {TEXTOID, true},
	{TEXTOID, true}, {REGROLEARRAYOID, true}
};

StaticAssertDecl(lengthof(roles_columns) == ROLES_NATTS &&
				 lengthof(resources_columns) == RESOURCES_NATTS,
				 "each column has its type");

static DynamoIndex roles_indexes[] = {
	{2, {ROLES_ROLE, ROLES_NAME}},
};

static DynamoIndex resources_indexes[] = {
	{2, {RESOURCES_TABLE, RESOURCES_LABEL}},
};

static void forget(void);

static DynamoMember roles_table =
DYNAMO_TABLE("role_policies", roles_columns, DYNAMO_INDEXES(roles_indexes),
			 .forgotten = forget);
static DynamoMember resources_table =
DYNAMO_TABLE("resource_policies", resources_columns,
			 DYNAMO_INDEXES(resources_indexes), .forgotten = forget);

bool		policy_absent = false;
bool		policy_stale = true;

static SysScanDesc scan_role(Relation rel, Oid role, const char *name);
static SysScanDesc scan_resource(Relation rel, const char *table,
								 const char *label);
static Datum column(HeapTuple tuple, AttrNumber attnum, Relation rel);
static char *text_column(HeapTuple tuple, AttrNumber attnum, Relation rel);
static bool delete_first(Relation rel, SysScanDesc scan);
static void set_principals(PolicyDocument *document, Datum array);
static Datum principals_array(const PolicyDocument *document);
static char *new_revision(const char *before);

PG_FUNCTION_INFO_V1(dynamo_policies_edited);

/*
 * See policy_internal.h.
 */
List *
policy_list_roles(bool *known)
{
	Relation	rel = dynamo_table_find(&roles_table, AccessShareLock);
	List	   *roles = NIL;
	SysScanDesc scan;
	HeapTuple	tuple;

	*known = rel != NULL;
	if (rel == NULL)
		return NIL;
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		roles = lappend_oid(roles, DatumGetObjectId(column(tuple, ROLES_ROLE,
														   rel)));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	list_sort(roles, list_oid_cmp);
	list_deduplicate_oid(roles);
	return roles;
}

List *
policy_role_documents(Oid role)
{
	Relation	rel = dynamo_table_open(&roles_table, AccessShareLock);
	SysScanDesc scan = scan_role(rel, role, NULL);
	HeapTuple	tuple;
	List	   *documents = NIL;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		documents = lappend(documents,
							text_column(tuple, ROLES_DOCUMENT, rel));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return documents;
}

bool
policy_any_attached(void)
{
	Relation	rel = dynamo_table_find(&resources_table, AccessShareLock);
	SysScanDesc scan;
	bool		any;

	if (rel == NULL)
		return false;
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	any = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return any;
}

/*
 * The policy of a table with this id (label ""), or of its stream; NULL: it
 * has none.
 */
PolicyDocument *
policy_read_attached(const char *table, const char *table_id,
					 const char *label)
{
	Relation	rel = dynamo_table_open(&resources_table, AccessShareLock);
	SysScanDesc scan = scan_resource(rel, table, label);
	HeapTuple	tuple = systable_getnext(scan);
	PolicyDocument *document = NULL;

	if (HeapTupleIsValid(tuple) &&
		strcmp(text_column(tuple, RESOURCES_TABLE_ID, rel), table_id) == 0)
	{
		document = policy_compile(text_column(tuple, RESOURCES_DOCUMENT, rel),
								  true);
		set_principals(document, column(tuple, RESOURCES_PRINCIPALS, rel));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return document;
}

/*
 * Give the principals of a document the roles that its row lists.  If they do
 * not fit, somebody has edited the row, and the document denies everything.
 */
static void
set_principals(PolicyDocument *document, Datum array)
{
	List	   *named = policy_named_principals(document);
	ListCell   *lc;
	Datum	   *roles;
	bool	   *nulls;
	int			n;

	deconstruct_array(DatumGetArrayTypeP(array), REGROLEOID, sizeof(Oid), true,
					  TYPALIGN_INT, &roles, &nulls, &n);
	if (n != list_length(named))
	{
		*document = *policy_deny_all();
		return;
	}
	foreach(lc, named)
	{
		int			i = foreach_current_index(lc);

		((PolicyPrincipal *) lfirst(lc))->role =
			nulls[i] ? InvalidOid : DatumGetObjectId(roles[i]);
	}
}

/*
 * See policy_internal.h.
 */
void
policy_resolve_principals(PolicyDocument *document)
{
	ListCell   *lc;

	foreach(lc, policy_named_principals(document))
	{
		PolicyPrincipal *principal = lfirst(lc);

		principal->role = get_role_oid(principal->name, true);
		if (!OidIsValid(principal->role))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Invalid principal in policy document.");
	}
}

static Datum
principals_array(const PolicyDocument *document)
{
	List	   *named = policy_named_principals(document);
	Datum	   *roles = palloc(sizeof(Datum) * Max(list_length(named), 1));
	ListCell   *lc;

	foreach(lc, named)
		roles[foreach_current_index(lc)] =
			ObjectIdGetDatum(((PolicyPrincipal *) lfirst(lc))->role);
	return PointerGetDatum(construct_array(roles, list_length(named),
										   REGROLEOID, sizeof(Oid), true,
										   TYPALIGN_INT));
}

/*
 * The policy that a resource has.
 */
bool
policy_get_attached(const PolicyResource *resource, PolicyAttached *attached)
{
	Relation	rel = dynamo_table_open(&resources_table, AccessShareLock);
	SysScanDesc scan = scan_resource(rel, resource->table,
									 resource->label ? resource->label : "");
	HeapTuple	tuple = systable_getnext(scan);
	bool		found = HeapTupleIsValid(tuple) &&
		strcmp(text_column(tuple, RESOURCES_TABLE_ID, rel),
			   resource->table_id) == 0;

	if (found)
	{
		attached->document = text_column(tuple, RESOURCES_DOCUMENT, rel);
		attached->revision = text_column(tuple, RESOURCES_REVISION, rel);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/*
 * Attach a policy to a resource, in place of another, as its canonical text.
 * Returns its revision, which stays if that is the same.  The caller keeps other writers of
 * the resource's row away.
 */
const char *
policy_put_attached(const PolicyResource *resource, const char *document,
					size_t len)
{
	PolicyDocument *parsed;
	PolicyAttached before = {0};
	Datum		values[RESOURCES_NATTS];
	bool		nulls[RESOURCES_NATTS] = {0};
	const char *revision;
	Relation	rel;

	policy_check_size(len);
	parsed = policy_parse(document, len, true);
	policy_resolve_principals(parsed);
	document = policy_canonical(document, len);
	if (policy_get_attached(resource, &before) &&
		strcmp(before.document, document) == 0)
		return before.revision;
	(void) policy_delete_attached(resource);
	revision = new_revision(before.revision);
	values[RESOURCES_TABLE - 1] = CStringGetTextDatum(resource->table);
	values[RESOURCES_LABEL - 1] =
		CStringGetTextDatum(resource->label ? resource->label : "");
	values[RESOURCES_TABLE_ID - 1] = CStringGetTextDatum(resource->table_id);
	values[RESOURCES_REVISION - 1] = CStringGetTextDatum(revision);
	values[RESOURCES_DOCUMENT - 1] =
		CStringGetTextDatum(document);
	values[RESOURCES_PRINCIPALS - 1] = principals_array(parsed);
	rel = dynamo_table_open(&resources_table, RowExclusiveLock);
	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
											nulls));
	CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	return revision;
}

/*
 * Milliseconds since 1970, and another than before.
 */
static char *
new_revision(const char *before)
{
	int64		now = GetCurrentTimestamp() / 1000 +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY * 1000;
	char	   *revision = psprintf(INT64_FORMAT, now);

	if (before != NULL && strcmp(before, revision) == 0)
		revision = psprintf(INT64_FORMAT, now + 1);
	return revision;
}

/*
 * Take the policy of a resource away, and what a dropped table of its name has
 * left.  False: there was nothing.
 */
bool
policy_delete_attached(const PolicyResource *resource)
{
	Relation	rel = dynamo_table_open(&resources_table, RowExclusiveLock);

	return delete_first(rel,
						scan_resource(rel, resource->table,
									  resource->label ? resource->label : ""));
}

/*
 * Give a role a policy, in place of one of that name.
 */
void
policy_put_role(Oid role, const char *name, const char *document, size_t len)
{
	Datum		values[ROLES_NATTS];
	bool		nulls[ROLES_NATTS] = {0};
	Relation	rel;

	policy_check_size(len);
	(void) policy_parse(document, len, false);
	rel = dynamo_table_open(&roles_table, ShareRowExclusiveLock);
	(void) policy_delete_role(role, name);
	values[ROLES_ROLE - 1] = ObjectIdGetDatum(role);
	values[ROLES_NAME - 1] = CStringGetTextDatum(name);
	values[ROLES_DOCUMENT - 1] =
		PointerGetDatum(cstring_to_text_with_len(document, len));
	CatalogTupleInsert(rel, heap_form_tuple(RelationGetDescr(rel), values,
											nulls));
	CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);
	CommandCounterIncrement();
}

/*
 * False: the role has no policy of that name.  One writer at a time.
 */
bool
policy_delete_role(Oid role, const char *name)
{
	Relation	rel = dynamo_table_open(&roles_table, ShareRowExclusiveLock);

	return delete_first(rel, scan_role(rel, role, name));
}

/*
 * Delete the row that a scan finds first, and close the table.  False: there
 * is none.
 */
static bool
delete_first(Relation rel, SysScanDesc scan)
{
	HeapTuple	tuple = systable_getnext(scan);
	bool		found = HeapTupleIsValid(tuple);

	if (found)
	{
		CatalogTupleDelete(rel, &tuple->t_self);
		CacheInvalidateRelcache(rel);
	}
	systable_endscan(scan);
	table_close(rel, NoLock);
	if (found)
		CommandCounterIncrement();
	return found;
}

/*
 * Drop the policies of roles that are gone, or else a role that is made later
 * and happens to get the same OID would have them.
 */
void
policy_drop_orphans(void)
{
	dynamo_table_drop_orphans(&roles_table, ROLES_ROLE);
}

/*
 * A table of policies has changed, or is another one by now.
 */
static void
forget(void)
{
	policy_stale = true;
	policy_absent = false;
}

/*
 * Policies of a role; name NULL: all of them.
 */
static SysScanDesc
scan_role(Relation rel, Oid role, const char *name)
{
	ScanKeyData keys[2];

	ScanKeyInit(&keys[0], ROLES_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	if (name != NULL)
		ScanKeyEntryInitialize(&keys[1], 0, ROLES_NAME, BTEqualStrategyNumber,
							   InvalidOid, C_COLLATION_OID, F_TEXTEQ,
							   CStringGetTextDatum(name));
	return dynamo_table_scan(rel, &roles_indexes[0], NULL, name ? 2 : 1, keys);
}

static SysScanDesc
scan_resource(Relation rel, const char *table, const char *label)
{
	ScanKeyData keys[2];

	ScanKeyEntryInitialize(&keys[0], 0, RESOURCES_TABLE, BTEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXTEQ,
						   CStringGetTextDatum(table));
	ScanKeyEntryInitialize(&keys[1], 0, RESOURCES_LABEL, BTEqualStrategyNumber,
						   InvalidOid, C_COLLATION_OID, F_TEXTEQ,
						   CStringGetTextDatum(label));
	return dynamo_table_scan(rel, &resources_indexes[0], NULL, 2, keys);
}

static Datum
column(HeapTuple tuple, AttrNumber attnum, Relation rel)
{
	bool		isnull;

	return heap_getattr(tuple, attnum, RelationGetDescr(rel), &isnull);
}

static char *
text_column(HeapTuple tuple, AttrNumber attnum, Relation rel)
{
	return TextDatumGetCString(column(tuple, attnum, rel));
}

/*
 * Trigger: a table of policies was edited by plain SQL, or loaded from a dump.
 */
Datum
dynamo_policies_edited(PG_FUNCTION_ARGS)
{
	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function must be called as a trigger")));
	CacheInvalidateRelcache(((TriggerData *) fcinfo->context)->tg_relation);
	return PointerGetDatum(NULL);
}
