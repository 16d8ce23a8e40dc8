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

#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "policy/policy_internal.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"
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

static void forget_policies(void);

static DynamoMember roles_table =
DYNAMO_TABLE("role_policies", roles_columns, DYNAMO_INDEXES(roles_indexes),
			 .forgotten = forget_policies);
static DynamoMember resources_table =
DYNAMO_TABLE("resource_policies", resources_columns,
			 DYNAMO_INDEXES(resources_indexes), .forgotten = forget_policies);

bool		policy_absent = false;
bool		policy_stale = true;

static void scan_role(MetaScan *scan, Oid role, const char *name,
					  LOCKMODE lockmode);
static void scan_resource(MetaScan *scan, const char *table,
						  const char *label, LOCKMODE lockmode);
static Datum column_of(const MetaScan *scan, AttrNumber attnum);
static char *text_column(const MetaScan *scan, AttrNumber attnum);
static bool delete_first(MetaScan *scan);
static bool is_attached(const PolicyResource *resource,
						const PolicyAttached *attached, const char *document,
						const PolicyDocument *parsed);
static void insert_policy(DynamoMember *table, MetaRow *row);
static void set_principals(PolicyDocument *document, Datum array);
static Datum principals_array(const PolicyDocument *document);
static int	roles_of(Datum array, Datum **roles);
static Datum array_of(Datum *roles, int n);
static bool without_gone(const MetaScan *scan, Datum *principals);
static void forget_gone(void);
static char *new_revision(const char *before);

PG_FUNCTION_INFO_V1(dynamo_policies_edited);

/*
 * Roles that have policies, sorted, each once; *known false: there are no
 * tables.
 */
List *
policy_list_roles(bool *known)
{
	List	   *roles = NIL;
	MetaScan	scan;

	meta_scan(&scan, &roles_table, AccessShareLock, NULL, 0, NULL);
	*known = scan.rel != NULL;
	while (meta_next(&scan))
		roles = lappend_oid(roles, DatumGetObjectId(column_of(&scan,
															  ROLES_ROLE)));
	meta_end(&scan);
	list_sort(roles, list_oid_cmp);
	list_deduplicate_oid(roles);
	return roles;
}

List *
policy_role_documents(Oid role)
{
	List	   *documents = NIL;
	MetaScan	scan;

	scan_role(&scan, role, NULL, AccessShareLock);
	while (meta_next(&scan))
		documents = lappend(documents, text_column(&scan, ROLES_DOCUMENT));
	meta_end(&scan);
	return documents;
}

bool
policy_any_attached(void)
{
	MetaScan	scan;
	bool		any;

	meta_scan(&scan, &resources_table, AccessShareLock, NULL, 0, NULL);
	any = meta_next(&scan);
	meta_end(&scan);
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
	MetaScan	scan;
	PolicyDocument *document = NULL;

	scan_resource(&scan, table, label, AccessShareLock);
	if (meta_next(&scan) &&
		strcmp(text_column(&scan, RESOURCES_TABLE_ID), table_id) == 0)
	{
		document = policy_compile(text_column(&scan, RESOURCES_DOCUMENT),
								  true);
		set_principals(document, column_of(&scan, RESOURCES_PRINCIPALS));
	}
	meta_end(&scan);
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

	if (roles_of(array, &roles) != list_length(named))
	{
		*document = *policy_deny_all();
		return;
	}
	foreach(lc, named)
		((PolicyPrincipal *) lfirst(lc))->role =
			DatumGetObjectId(roles[foreach_current_index(lc)]);
}

/*
 * Raises ValidationException for a principal that is no role.
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
	return array_of(roles, list_length(named));
}

/*
 * How many roles an array has, and which; nobody is InvalidOid, or null.
 */
static int
roles_of(Datum array, Datum **roles)
{
	bool	   *nulls;			/* their elements are 0 */
	int			n;

	deconstruct_array(DatumGetArrayTypeP(array), REGROLEOID, sizeof(Oid), true,
					  TYPALIGN_INT, roles, &nulls, &n);
	return n;
}

static Datum
array_of(Datum *roles, int n)
{
	return PointerGetDatum(construct_array(roles, n, REGROLEOID, sizeof(Oid),
										   true, TYPALIGN_INT));
}

/*
 * The policy that a resource has.
 */
bool
policy_get_attached(const PolicyResource *resource, PolicyAttached *attached)
{
	MetaScan	scan;
	bool		found;

	scan_resource(&scan, resource->table,
				  resource->label ? resource->label : "", AccessShareLock);
	found = meta_next(&scan) &&
		strcmp(text_column(&scan, RESOURCES_TABLE_ID), resource->table_id) == 0;
	if (found)
	{
		attached->document = text_column(&scan, RESOURCES_DOCUMENT);
		attached->revision = text_column(&scan, RESOURCES_REVISION);
	}
	meta_end(&scan);
	return found;
}

/*
 * Attach a policy to a resource, in place of another, as its canonical text.
 * Returns its revision, which stays if that is the same.  The caller keeps
 * other writers of the resource's row away.
 */
const char *
policy_put_attached(const PolicyResource *resource, const char *document,
					size_t len)
{
	PolicyDocument *parsed;
	PolicyAttached before = {0};
	MetaRow		row;
	const char *revision;

	policy_check_size(len);
	parsed = policy_parse(document, len, true);
	policy_resolve_principals(parsed);
	document = policy_canonical(document, len);
	if (policy_get_attached(resource, &before) &&
		is_attached(resource, &before, document, parsed))
		return before.revision;
	(void) policy_delete_attached(resource);
	revision = new_revision(before.revision);
	meta_init_row(&row);
	meta_set_column(&row, RESOURCES_TABLE,
					CStringGetTextDatum(resource->table));
	meta_set_column(&row, RESOURCES_LABEL,
					CStringGetTextDatum(resource->label ? resource->label : ""));
	meta_set_column(&row, RESOURCES_TABLE_ID,
					CStringGetTextDatum(resource->table_id));
	meta_set_column(&row, RESOURCES_REVISION, CStringGetTextDatum(revision));
	meta_set_column(&row, RESOURCES_DOCUMENT, CStringGetTextDatum(document));
	meta_set_column(&row, RESOURCES_PRINCIPALS, principals_array(parsed));
	insert_policy(&resources_table, &row);
	return revision;
}

/*
 * Is it the policy that is attached?  The same text names other roles where one
 * was dropped, or renamed, and another has its name.
 */
static bool
is_attached(const PolicyResource *resource, const PolicyAttached *attached,
			const char *document, const PolicyDocument *parsed)
{
	List	   *named = policy_named_principals(parsed);
	PolicyDocument *kept;
	List	   *before;
	ListCell   *lc;

	if (strcmp(attached->document, document) != 0)
		return false;
	kept = policy_read_attached(resource->table, resource->table_id,
								resource->label ? resource->label : "");
	before = policy_named_principals(kept);
	if (list_length(before) != list_length(named))
		return false;			/* somebody has edited the row */
	foreach(lc, named)
	{
		const PolicyPrincipal *principal = list_nth(before,
													foreach_current_index(lc));

		if (((const PolicyPrincipal *) lfirst(lc))->role != principal->role)
			return false;
	}
	return true;
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
	MetaScan	scan;

	scan_resource(&scan, resource->table,
				  resource->label ? resource->label : "", RowExclusiveLock);
	return delete_first(&scan);
}

/*
 * Give a role a policy, in place of one of that name.
 */
void
policy_put_role(Oid role, const char *name, const char *document, size_t len)
{
	MetaRow		row;

	policy_check_size(len);
	(void) policy_parse(document, len, false);
	(void) policy_delete_role(role, name);
	meta_init_row(&row);
	meta_set_column(&row, ROLES_ROLE, ObjectIdGetDatum(role));
	meta_set_column(&row, ROLES_NAME, CStringGetTextDatum(name));
	meta_set_column(&row, ROLES_DOCUMENT,
					PointerGetDatum(cstring_to_text_with_len(document, len)));
	insert_policy(&roles_table, &row);
}

/*
 * False: the role has no policy of that name.  One writer at a time.
 */
bool
policy_delete_role(Oid role, const char *name)
{
	MetaScan	scan;

	scan_role(&scan, role, name, ShareRowExclusiveLock);
	return delete_first(&scan);
}

/*
 * Delete the row that a scan finds first, and end it.  False: there is none.
 */
static bool
delete_first(MetaScan *scan)
{
	bool		found = meta_next(scan);

	if (found)
	{
		meta_delete(scan);
		CacheInvalidateRelcache(scan->rel);
	}
	meta_end(scan);
	return found;
}

/*
 * All sessions read the policies anew.
 */
static void
insert_policy(DynamoMember *table, MetaRow *row)
{
	CacheInvalidateRelcacheByRelid(dynamo_member_get(table));
	meta_insert(table, row);
}

/*
 * Drop the policies of roles that are gone, and let principals that are gone be
 * nobody.  Otherwise a role that is made later and happens to get the same OID
 * would have them, as would one that has it where a dump is restored.
 */
void
policy_drop_orphans(void)
{
	MetaScan	scan;
	Datum		principals;
	bool		any = false;

	dynamo_table_drop_orphans(&roles_table, ROLES_ROLE);

	/* Usually none is gone, and no writer has to wait. */
	meta_scan(&scan, &resources_table, AccessShareLock, NULL, 0, NULL);
	while (!any && meta_next(&scan))
		any = without_gone(&scan, &principals);
	meta_end(&scan);
	if (any)
		forget_gone();
}

/*
 * The principals of the row at hand, nobody in the place of those that are
 * gone.  False: all are there.
 */
static bool
without_gone(const MetaScan *scan, Datum *principals)
{
	Datum	   *roles;
	int			n = roles_of(column_of(scan, RESOURCES_PRINCIPALS), &roles);
	bool		any = false;

	for (int i = 0; i < n; i++)
	{
		if (!OidIsValid(DatumGetObjectId(roles[i])) ||
			SearchSysCacheExists1(AUTHOID, roles[i]))
			continue;
		roles[i] = ObjectIdGetDatum(InvalidOid);
		any = true;
	}
	*principals = array_of(roles, n);
	return any;
}

/*
 * One writer at a time.
 */
static void
forget_gone(void)
{
	MetaScan	scan;
	MetaRow		row;
	Datum		principals;

	meta_scan(&scan, &resources_table, ShareRowExclusiveLock, NULL, 0, NULL);
	while (meta_next(&scan))
	{
		if (!without_gone(&scan, &principals))
			continue;
		meta_init_row(&row);
		meta_set_column(&row, RESOURCES_PRINCIPALS, principals);
		meta_change(&scan, &row);
	}
	if (scan.rel != NULL)
		CacheInvalidateRelcache(scan.rel);
	meta_end(&scan);
}

/*
 * A table of policies has changed, or is another one by now.
 */
static void
forget_policies(void)
{
	policy_stale = true;
	policy_absent = false;
}

/*
 * Policies of a role; name NULL: all of them.  It is an error if the table of
 * policies is not there: without policies everything would be allowed.
 */
static void
scan_role(MetaScan *scan, Oid role, const char *name, LOCKMODE lockmode)
{
	ScanKeyData keys[2];

	(void) dynamo_member_get(&roles_table);
	meta_oid_key(&keys[0], ROLES_ROLE, role);
	if (name != NULL)
		meta_text_key(&keys[1], ROLES_NAME, name);
	meta_scan(scan, &roles_table, lockmode, &roles_indexes[0], name ? 2 : 1,
			  keys);
}

static void
scan_resource(MetaScan *scan, const char *table, const char *label,
			  LOCKMODE lockmode)
{
	ScanKeyData keys[2];

	(void) dynamo_member_get(&resources_table);
	meta_text_key(&keys[0], RESOURCES_TABLE, table);
	meta_text_key(&keys[1], RESOURCES_LABEL, label);
	meta_scan(scan, &resources_table, lockmode, &resources_indexes[0], 2, keys);
}

static Datum
column_of(const MetaScan *scan, AttrNumber attnum)
{
	bool		isnull;

	return meta_column(scan->tuple, attnum, scan->rel, &isnull);
}

static char *
text_column(const MetaScan *scan, AttrNumber attnum)
{
	return meta_text_column(scan->tuple, attnum, scan->rel);
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
