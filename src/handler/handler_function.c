/*-------------------------------------------------------------------------
 *
 * handler_function.c
 *	  The function of a mapping: which it is, whether it may be called, the
 *	  call.
 *
 * It runs as the mapping's owner, in the background and for a long time to
 * come.  Its owner can replace what it does at any moment, and anybody with
 * CREATE on the schema can make another of its name after it was dropped.  So
 * a name proves nothing: the function must belong to the mapping's owner, or
 * to a role that has all of that owner's rights anyway and can become it.  This
 * is asked before each call.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type_d.h"
#include "fmgr.h"
#include "handler/handler_internal.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static bool has_form(Form_pg_proc form);

/*
 * Refuse what a mapping of that owner may not call.
 */
void
handler_check_function(Oid function, Oid owner)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc form;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function with OID %u does not exist", function)));
	form = (Form_pg_proc) GETSTRUCT(tuple);
	if (!has_form(form))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
				 errmsg("function \"%s\" cannot handle events",
						NameStr(form->proname)),
				 errdetail("It must take one argument of type jsonb, and return jsonb or void.")));
	if (compat_may_execute(function, owner) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION,
					   NameStr(form->proname));
	if (!compat_can_become(form->proowner, owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("function \"%s\" belongs to role \"%s\", who could have it do anything as role \"%s\"",
						NameStr(form->proname),
						GetUserNameFromId(form->proowner, true),
						GetUserNameFromId(owner, true)),
				 errhint("Write a function of your own that calls it.")));
	ReleaseSysCache(tuple);
}

static bool
has_form(Form_pg_proc form)
{
	return form->prokind == PROKIND_FUNCTION && !form->proretset &&
		form->pronargs == 1 && form->proargtypes.values[0] == JSONBOID &&
		(form->prorettype == JSONBOID || form->prorettype == VOIDOID);
}

/*
 * The function of a mapping, for the current user, who is its owner.  It is
 * known by its name: pg_upgrade and pg_dump keep no OIDs of functions.
 */
Oid
handler_find_function(const StreamMapping *mapping)
{
	Oid			types[] = {JSONBOID};
	Oid			schema = LookupExplicitNamespace(mapping->function_schema,
												 false);
	Oid			function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
										   CStringGetDatum(mapping->function_name),
										   PointerGetDatum(buildoidvector(types, 1)),
										   ObjectIdGetDatum(schema));

	if (!OidIsValid(function))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("function %s(jsonb) does not exist",
						handler_function_text(mapping)),
				 errhint("Name another one by dynamo.update_event_source_mapping().")));
	handler_check_function(function, GetUserId());
	return function;
}

/*
 * What its name is in SQL.
 */
char *
handler_function_text(const StreamMapping *mapping)
{
	return quote_qualified_identifier(mapping->function_schema,
									  mapping->function_name);
}

/*
 * Call it.  Returns its result as JSON; NULL: null, or nothing.
 */
char *
handler_call(Oid function, const char *event)
{
	LOCAL_FCINFO(fcinfo, 1);
	FmgrInfo	flinfo;
	Datum		result;
	bool		is_void = get_func_rettype(function) != JSONBOID;
	char	   *text = NULL;

	PushActiveSnapshot(GetTransactionSnapshot());
	InvokeFunctionExecuteHook(function);
	fmgr_info(function, &flinfo);
	InitFunctionCallInfoData(*fcinfo, &flinfo, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = DirectFunctionCall1(jsonb_in,
												CStringGetDatum(event));
	fcinfo->args[0].isnull = false;
	result = FunctionCallInvoke(fcinfo);
	if (!is_void && !fcinfo->isnull)
		text = DatumGetCString(DirectFunctionCall1(jsonb_out, result));
	PopActiveSnapshot();
	return text;
}
