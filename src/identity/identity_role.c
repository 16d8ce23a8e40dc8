/*-------------------------------------------------------------------------
 *
 * identity_role.c
 *	  May a role be served?
 *
 * A client of ours never connects to the database, so what keeps a role from
 * connecting is asked for each of its requests.
 *
 * An access key is a password that the server made, so it is good as long as
 * a password of the role is: VALID UNTIL holds for it.  CONNECTION LIMIT
 * counts sessions, and a request is none; but 0, of a role or of a database,
 * lets nobody in, as ever but superusers.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "base/compat.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "identity/identity.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/syscache.h"

static bool is_expired(HeapTuple role);
static bool is_closed(Form_pg_database database, Oid role);

/*
 * Has the role the attribute LOGIN?
 */
bool
identity_role_may_log_in(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	bool		may;

	if (!HeapTupleIsValid(tuple))
		return false;
	may = ((Form_pg_authid) GETSTRUCT(tuple))->rolcanlogin;
	ReleaseSysCache(tuple);
	return may;
}

/*
 * Are the role's keys good now?
 */
bool
identity_role_is_open(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(role));
	Form_pg_authid row;
	bool		is_open;

	if (!HeapTupleIsValid(tuple))
		return false;
	row = (Form_pg_authid) GETSTRUCT(tuple);
	is_open = row->rolcanlogin && (row->rolsuper || row->rolconnlimit != 0) &&
		!is_expired(tuple);
	ReleaseSysCache(tuple);
	return is_open;
}

static bool
is_expired(HeapTuple role)
{
	bool		isnull;
	Datum		until = SysCacheGetAttr(AUTHOID, role,
										Anum_pg_authid_rolvaliduntil, &isnull);

	return !isnull &&
		DatumGetTimestampTz(until) < GetCurrentStatementStartTimestamp();
}

/*
 * Refuse a role that the database does not let in.
 */
void
identity_role_check_connect(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID,
										ObjectIdGetDatum(MyDatabaseId));
	Form_pg_database row;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	row = (Form_pg_database) GETSTRUCT(tuple);
	if (is_closed(row, role) ||
		compat_may_connect(MyDatabaseId, role) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for database \"%s\"",
						NameStr(row->datname))));
	ReleaseSysCache(tuple);
}

static bool
is_closed(Form_pg_database database, Oid role)
{
	return !database->datallowconn ||
		(database->datconnlimit == 0 && !superuser_arg(role));
}
