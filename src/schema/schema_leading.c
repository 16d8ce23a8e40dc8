/*-------------------------------------------------------------------------
 *
 * schema_leading.c
 *	  Partition keys that roles have been granted: row-level security that we
 *	  write ourselves, and know again.
 *
 * A grant is a permissive policy for one role and all commands.  Its condition
 * is a call of our function on the item, with the table's partition key and
 * the patterns of the grant.  It is known by that tree, never by its name.
 *
 * The first grant enables row-level security: from then on, roles without a
 * grant see nothing of the table, its owner aside.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "commands/defrem.h"
#include "commands/policy.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "rewrite/rowsecurity.h"
#include "schema/schema_internal.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/rel.h"

static bool binds(const RowSecurityPolicy *policy, Oid role);
static Datum patterns_of(const RowSecurityPolicy *policy, const TableDef *def);
static bool is_grant(const RowSecurityPolicy *policy, const TableDef *def,
					 Oid role);
static List *grants_of(const TableDef *def, Oid role, bool *enabled,
					   bool *any);
static void drop_policies(const TableDef *def, List *names);
static char *free_name(const TableDef *def, Oid role);

/*
 * Whether the policies that bind the current user on the relation are all
 * grants of ours; their patterns are in *patterns, as Datums of text[].  The
 * caller has a lock on the relation, whose row-level security is enabled.
 */
bool
schema_leading_grants(Relation rel, const TableDef *def, List **patterns)
{
	ListCell   *lc;

	*patterns = NIL;
	if (rel->rd_rsdesc == NULL)
		return false;
	foreach(lc, rel->rd_rsdesc->policies)
	{
		const RowSecurityPolicy *policy = lfirst(lc);
		Datum		granted;

		if (!binds(policy, GetUserId()))
			continue;
		granted = patterns_of(policy, def);
		if (granted == (Datum) 0)
			return false;
		*patterns = lappend(*patterns, DatumGetPointer(granted));
	}
	return *patterns != NIL;
}

/*
 * Does a policy bind a role?  As core says.
 */
static bool
binds(const RowSecurityPolicy *policy, Oid role)
{
	Oid		   *roles = (Oid *) ARR_DATA_PTR(policy->roles);

	for (int i = 0; i < ARR_DIMS(policy->roles)[0]; i++)
	{
		if (roles[i] == ACL_ID_PUBLIC || has_privs_of_role(role, roles[i]))
			return true;
	}
	return false;
}

/*
 * The patterns of a grant of ours, 0 for any other policy.
 */
static Datum
patterns_of(const RowSecurityPolicy *policy, const TableDef *def)
{
	if (!policy->permissive || policy->polcmd != '*' ||
		policy->hassublinks || policy->qual == NULL ||
		(policy->with_check_qual != NULL &&
		 !equal(policy->with_check_qual, policy->qual)))
		return (Datum) 0;
	return schema_read_leading((Node *) policy->qual, def);
}

/*
 * Grant a role the partition keys that are like one of the patterns (text[]),
 * in place of what it had been granted before.
 */
void
schema_grant_leading(const char *table, Oid role, Datum patterns)
{
	const TableDef *def;
	List	   *before;
	bool		enabled;
	bool		any;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessExclusiveLock);
	schema_refuse_distributed(def, "have row-level security");
	before = grants_of(def, role, &enabled, &any);

	/* Policies that wait for it may have been meant for later. */
	if (!enabled && any)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation of table \"%s\" has policies, but row-level security is not enabled",
						table),
				 errhint("Use ALTER TABLE ... ENABLE ROW LEVEL SECURITY, or drop the policies.")));
	if (!enabled)
		meta_run_ddl(psprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY",
							  meta_relation_identity(def->relid)));
	drop_policies(def, before);
	meta_run_ddl(psprintf("CREATE POLICY %s ON %s TO %s USING (%s)",
						  quote_identifier(free_name(def, role)),
						  meta_relation_identity(def->relid),
						  quote_identifier(GetUserNameFromId(role, false)),
						  schema_leading_sql(def, patterns)));
	CommandCounterIncrement();
}

/*
 * Take a role's grant away; false: it had none.
 */
bool
schema_revoke_leading(const char *table, Oid role)
{
	const TableDef *def;
	List	   *grants;
	bool		enabled;
	bool		any;

	schema_lock_name(table);
	def = schema_open_own_table(table, AccessExclusiveLock);
	grants = grants_of(def, role, &enabled, &any);
	drop_policies(def, grants);
	return grants != NIL;
}

/*
 * Names of the policies that are grants for the role; and is row-level
 * security enabled, and are there any policies?
 */
static List *
grants_of(const TableDef *def, Oid role, bool *enabled, bool *any)
{
	Relation	rel = table_open(def->relid, NoLock);
	List	   *names = NIL;
	ListCell   *lc;

	*enabled = rel->rd_rel->relrowsecurity;
	*any = relation_has_policies(rel);
	foreach(lc, rel->rd_rsdesc ? rel->rd_rsdesc->policies : NIL)
	{
		const RowSecurityPolicy *policy = lfirst(lc);

		if (is_grant(policy, def, role))
			names = lappend(names, pstrdup(policy->policy_name));
	}
	table_close(rel, NoLock);
	return names;
}

static void
drop_policies(const TableDef *def, List *names)
{
	ListCell   *lc;

	foreach(lc, names)
		meta_run_ddl(psprintf("DROP POLICY %s ON %s",
							  quote_identifier(lfirst(lc)),
							  meta_relation_identity(def->relid)));
	CommandCounterIncrement();
}

static bool
is_grant(const RowSecurityPolicy *policy, const TableDef *def, Oid role)
{
	return ARR_DIMS(policy->roles)[0] == 1 &&
		((Oid *) ARR_DATA_PTR(policy->roles))[0] == role &&
		patterns_of(policy, def) != (Datum) 0;
}

static char *
free_name(const TableDef *def, Oid role)
{
	const char *role_name = GetUserNameFromId(role, false);
	char	   *name = makeObjectName(role_name, NULL, "leading_keys");

	for (int i = 1; OidIsValid(get_relation_policy_oid(def->relid, name,
													   true)); i++)
		name = makeObjectName(role_name, psprintf("%d", i), "leading_keys");
	return name;
}
