/*-------------------------------------------------------------------------
 *
 * sql_policy.c
 *	  put_role_policy, delete_role_policy; grant_leading_keys,
 *	  revoke_leading_keys.
 *
 * A role's policies are there to narrow it, so neither the role nor anybody
 * whom they narrow may change them, also if that is only after SET ROLE: it is
 * for superusers, and for those who administer the role and cannot be it.
 * Leading keys are row-level security: they are for the table's owner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_auth_members.h"
#include "control/control.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "schema/schema.h"
#include "sql/sql.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/syscache.h"

#define MAX_POLICY_NAME	128

PG_FUNCTION_INFO_V1(dynamo_put_role_policy);
PG_FUNCTION_INFO_V1(dynamo_delete_role_policy);
PG_FUNCTION_INFO_V1(dynamo_grant_leading_keys);
PG_FUNCTION_INFO_V1(dynamo_revoke_leading_keys);

static void check_administrator(Oid role);
static bool can_be(Oid user, Oid role);
static void share(Oid role, const char *policy);
static void check_name(const char *name);
static void check_table(const char *name);

/*
 * put_role_policy(role_name regrole, policy_name text, document text)
 */
Datum
dynamo_put_role_policy(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	text	   *document = PG_GETARG_TEXT_PP(2);

	PreventCommandIfReadOnly("put_role_policy()");
	check_administrator(role);
	check_name(name);
	if (superuser_arg(role))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("policies do not apply to superusers"),
				 errdetail("Role \"%s\" is a superuser.",
						   GetUserNameFromId(role, false))));
	policy_put_role(role, name, VARDATA_ANY(document),
					VARSIZE_ANY_EXHDR(document));
	share(role, name);
	PG_RETURN_VOID();
}

/*
 * delete_role_policy(role_name regrole, policy_name text)
 */
Datum
dynamo_delete_role_policy(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));

	PreventCommandIfReadOnly("delete_role_policy()");
	check_administrator(role);
	if (!policy_delete_role(role, name))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" has no policy \"%s\"",
						GetUserNameFromId(role, true), name)));
	share(role, name);
	PG_RETURN_VOID();
}

/*
 * All nodes of a cluster have the policies of a role.
 */
static void
share(Oid role, const char *policy)
{
	char	   *name = GetUserNameFromId(role, true);

	if (name != NULL)
		control_share_row(CONTROL_ROLE_POLICY, name, policy);
}

/*
 * grant_leading_keys(role_name regrole, table_name text, VARIADIC leading_keys text[])
 */
Datum
dynamo_grant_leading_keys(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	ArrayType  *keys = PG_GETARG_ARRAYTYPE_P(2);

	if (ArrayGetNItems(ARR_NDIM(keys), ARR_DIMS(keys)) == 0 ||
		array_contains_nulls(keys))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("leading_keys must not be empty, nor have nulls")));
	check_table(name);
	schema_grant_leading(sql_table_name(name), role, PointerGetDatum(keys));
	PG_RETURN_VOID();
}

/*
 * revoke_leading_keys(role_name regrole, table_name text)
 */
Datum
dynamo_revoke_leading_keys(PG_FUNCTION_ARGS)
{
	Oid			role = PG_GETARG_OID(0);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));

	check_table(name);
	if (!schema_revoke_leading(sql_table_name(name), role))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" has no leading keys of table \"%s\"",
						GetUserNameFromId(role, true), name)));
	PG_RETURN_VOID();
}

static void
check_table(const char *name)
{
	if (schema_find_table(sql_table_name(name)) == NULL)
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(sql_table_name(name)),
							   "Requested resource not found: Table: %s not found",
							   name);
}

/*
 * Policies of a role that is gone are for superusers alone.
 */
static void
check_administrator(Oid role)
{
	Oid			user = GetUserId();
	char	   *name = GetUserNameFromId(role, true);

	if (name == NULL && !superuser())
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist", role)));
	if (superuser() ||
		(is_admin_of_role(user, role) && !can_be(user, role) &&
		 !can_be(GetSessionUserId(), role)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied to manage policies of role \"%s\"", name),
			 errdetail("Only superusers, and roles that have ADMIN OPTION for the role and can neither inherit its privileges nor become it, may do that.")));
}

/*
 * Can it have the role's privileges, inherited or after SET ROLE, in however
 * many steps of either kind?
 */
static bool
can_be(Oid user, Oid role)
{
	List	   *reached = list_make1_oid(user);
	ListCell   *lc;

	foreach(lc, reached)
	{
		CatCList   *memberships;

		if (lfirst_oid(lc) == role)
			return true;
		memberships = SearchSysCacheList1(AUTHMEMMEMROLE,
										  ObjectIdGetDatum(lfirst_oid(lc)));
		for (int i = 0; i < memberships->n_members; i++)
		{
			Form_pg_auth_members row = (Form_pg_auth_members)
				GETSTRUCT(&memberships->members[i]->tuple);

			if (compat_can_be(row))
				reached = list_append_unique_oid(reached, row->roleid);
		}
		ReleaseCatCacheList(memberships);
	}
	return false;
}

/*
 * What IAM lets a policy be named.
 */
static void
check_name(const char *name)
{
	size_t		len = strlen(name);

	if (len < 1 || len > MAX_POLICY_NAME ||
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+=,.@-") != len)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("invalid policy name: \"%s\"", name),
				 errdetail("A name has 1 to %d letters, digits and + = , . @ - _ characters.",
						   MAX_POLICY_NAME)));
}
