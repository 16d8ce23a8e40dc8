/*-------------------------------------------------------------------------
 *
 * region_server.c
 *	  Regions as foreign servers: the options of these, and of user mappings.
 *
 * A server of the wrapper dynamo_region says where a database is, a user mapping
 * as whom the background connects there for the tables of a role.  What a
 * server says is a superuser's word alone: the passwords of mappings are sent
 * there.  A mapping is mostly a user's own; so a connection must have asked for
 * the password, unless a superuser says otherwise.  Otherwise the mapping could
 * name anybody whom the other server trusts because of where we come from.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "region/region_internal.h"
#include "utils/builtins.h"

static DynamoMember wrapper = DYNAMO_WRAPPER("dynamo_region");

/* The options there are; those of servers are libpq's. */
static const struct
{
	const char *name;
	Oid			catalog;
	bool		by_superuser;	/* it alone may set it */
	bool		boolean;
}			options[] = {
	{"host", ForeignServerRelationId, true},
	{"hostaddr", ForeignServerRelationId, true},
	{"port", ForeignServerRelationId, true},
	{"dbname", ForeignServerRelationId, true},
	{"sslmode", ForeignServerRelationId, true},
	{"sslrootcert", ForeignServerRelationId, true},
	{"user", UserMappingRelationId},
	{"password", UserMappingRelationId},
	{"password_required", UserMappingRelationId, true, true},
};

static void check_option(DefElem *def, Oid catalog);
static void check_server(const ForeignServer *server);
static bool has_password(const UserMapping *mapping);
static void append_options(StringInfo text, List *list,
						   bool *password_required);

void
region_check_options(Datum array, Oid catalog)
{
	ListCell   *lc;

	foreach(lc, untransformRelOptions(array))
		check_option(lfirst(lc), catalog);
}

/*
 * What is wrong is not shown: it may be secret.
 */
static void
check_option(DefElem *def, Oid catalog)
{
	for (int i = 0; i < lengthof(options); i++)
	{
		bool		value;

		if (options[i].catalog != catalog ||
			strcmp(options[i].name, def->defname) != 0)
			continue;
		if (options[i].by_superuser && !superuser())
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("must be superuser to set option \"%s\"",
							def->defname)));
		if (options[i].boolean && !parse_bool(defGetString(def), &value))
			ereport(ERROR,
					(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
					 errmsg("invalid value for option \"%s\"", def->defname)));
		return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			 errmsg("invalid option \"%s\"", def->defname)));
}

Oid
region_server(const char *name)
{
	ForeignServer *server = GetForeignServerByName(name, false);

	check_server(server);
	return server->serverid;
}

/*
 * Is it a server of our wrapper?  It may have been dropped, and pg_upgrade gives
 * servers other OIDs.
 */
bool
region_server_exists(Oid serverid)
{
	ForeignServer *server = GetForeignServerExtended(serverid, FSV_MISSING_OK);

	return server != NULL && server->fdwid == dynamo_member_get(&wrapper);
}

static void
check_server(const ForeignServer *server)
{
	if (server->fdwid != dynamo_member_get(&wrapper) ||
		!superuser_arg(server->owner))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("server \"%s\" is not a superuser's of the wrapper dynamo_region",
						server->servername)));
}

/*
 * The server must still be a superuser's: its owner says where passwords go.
 */
char *
region_conninfo(Oid serverid, Oid role, bool *password_required)
{
	ForeignServer *server;
	UserMapping *mapping;
	StringInfoData text;

	if (!region_server_exists(serverid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("the foreign server of the region is gone, or has another OID since pg_upgrade"),
				 errhint("Call dynamo.create_region() again, with the names of the region and its server.")));
	server = GetForeignServer(serverid);
	check_server(server);
	mapping = GetUserMapping(role, serverid);
	*password_required = !superuser_arg(role);
	initStringInfo(&text);
	append_options(&text, server->options, password_required);
	append_options(&text, mapping->options, password_required);
	if (*password_required && !has_password(mapping))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
				 errmsg("the user mapping of role \"%s\" for server \"%s\" has no password",
						GetUserNameFromId(role, false),
						GetForeignServer(serverid)->servername),
				 errdetail("Only a superuser's mapping may do without one, by the option password_required.")));
	return text.data;
}

/*
 * libpq looks elsewhere for a password that is missing or empty, as in the server's
 * own .pgpass, which is not for those who write mappings.
 */
static bool
has_password(const UserMapping *mapping)
{
	ListCell   *lc;

	foreach(lc, mapping->options)
	{
		DefElem    *def = lfirst(lc);

		if (strcmp(def->defname, "password") == 0)
			return *defGetString(def) != '\0';
	}
	return false;
}

static void
append_options(StringInfo text, List *list, bool *password_required)
{
	ListCell   *lc;

	foreach(lc, list)
	{
		DefElem    *def = lfirst(lc);

		if (strcmp(def->defname, "password_required") == 0)
		{
			*password_required = *password_required && defGetBoolean(def);
			continue;
		}
		appendStringInfo(text, "%s='", def->defname);
		for (const char *c = defGetString(def); *c; c++)
		{
			if (*c == '\'' || *c == '\\')
				appendStringInfoChar(text, '\\');
			appendStringInfoChar(text, *c);
		}
		appendStringInfoString(text, "' ");
	}
}
