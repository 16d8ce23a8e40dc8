/*-------------------------------------------------------------------------
 *
 * schema_privilege.c
 *	  Who may know what a table is like.
 *
 * A table's description (its keys, indexes, tags, streams) is shown to roles
 * that may use it: its owner, and roles with SELECT, INSERT, UPDATE or DELETE,
 * on the table or on a column.  Everybody can see that a table exists.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "schema/schema.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#define USES	(ACL_SELECT | ACL_INSERT | ACL_UPDATE | ACL_DELETE)

/*
 * May the current user see the description of the relation's table?  Nobody
 * may if it is gone.
 */
bool
schema_may_use(Oid relid)
{
	bool		gone = false;

	return schema_may_use_yet(relid, &gone);
}

bool
schema_may_use_yet(Oid relid, bool *gone)
{
	Oid			user = GetUserId();

	if (pg_class_aclcheck_ext(relid, user, USES, gone) == ACLCHECK_OK)
		return true;
	return !*gone &&
		(pg_attribute_aclcheck_all(relid, user, USES & ~ACL_DELETE,
								   ACLMASK_ANY) == ACLCHECK_OK ||
		 compat_relation_owner(relid, user));
}

/*
 * Refuse a user who may not use a table.  "action" is the API operation.
 * False: the table is being dropped.
 */
bool
schema_check_use(const TableDef *def, const char *action)
{
	bool		gone = false;

	if (!schema_may_use_yet(def->relid, &gone) && !gone)
		schema_deny(action, psprintf("table/%s", def->name),
					schema_grant_help(def, ACL_SELECT));
	return !gone;
}

/*
 * What the table's owner could grant.  Says nothing of what the user has.
 */
DynamoHelp *
schema_grant_help(const TableDef *def, AclMode missing)
{
	static const struct
	{
		AclMode		mode;
		const char *name;
	}			names[] = {
		{ACL_SELECT, "SELECT"}, {ACL_INSERT, "INSERT"},
		{ACL_UPDATE, "UPDATE"}, {ACL_DELETE, "DELETE"}
	};
	DynamoHelp *help = schema_help_table(def->name);
	char	   *relation = meta_relation_identity(def->relid);
	StringInfoData out;

	if (help == NULL || relation == NULL)
		return help;
	initStringInfo(&out);
	for (int i = 0; i < lengthof(names); i++)
	{
		if (missing & names[i].mode)
			appendStringInfo(&out, "%s%s",
							 out.len > 0 ? ", " : "Its owner can GRANT ",
							 names[i].name);
	}
	appendStringInfo(&out, " ON %s TO %s.", relation,
					 quote_identifier(GetUserNameFromId(GetUserId(), false)));
	help->hint = out.data;
	return help;
}

void
schema_deny(const char *action, const char *resource, const DynamoHelp *help)
{
	dynamo_error_with_help(DYNAMO_ACCESS_DENIED, help, "%s",
						   schema_callbacks.denial(action, resource));
}
