/*-------------------------------------------------------------------------
 *
 * bucket_server.c
 *	  Buckets as foreign servers: the options of these, and of user mappings.
 *
 * PostgreSQL keeps user mappings from those whom they do not concern, and
 * pg_dump dumps them for superusers.  So a store's credentials stand there, and
 * who may make a server is a privilege on its wrapper.  What a server's options
 * say is checked when they are set and again when they are used.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "base/base_extension.h"
#include "bucket/bucket_store.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#define MAX_REGION	64
#define MAX_SECRET	4096

static DynamoMember wrapper = DYNAMO_WRAPPER("dynamo_bucket");

static bool is_endpoint(const char *value);
static bool is_region(const char *value);
static bool is_bucket(const char *value);
static bool is_boolean(const char *value);
static bool is_path(const char *value);
static bool is_secret(const char *value);

/* The options there are. */
static const struct
{
	const char *name;
	Oid			catalog;
	bool		needed;
	bool		by_superuser;	/* it alone may set it */
	bool		(*is_valid) (const char *value);
}			options[] = {
	{"endpoint", ForeignServerRelationId, true, false, is_endpoint},
	{"region", ForeignServerRelationId, false, false, is_region},
	{"bucket", ForeignServerRelationId, false, false, is_bucket},
	{"path_style", ForeignServerRelationId, false, false, is_boolean},
	{"ca_file", ForeignServerRelationId, false, true, is_path},
	{"access_key_id", UserMappingRelationId, true, false, is_secret},
	{"secret_access_key", UserMappingRelationId, true, false, is_secret},
	{"session_token", UserMappingRelationId, false, false, is_secret},
};

static void check_option(DefElem *def, Oid catalog);
static void check_path_style(List *list);
static char *option(List *list, const char *name);
static List *mapping_options(Oid server);

/*
 * Raises an error for options that a foreign server, or a
 * user mapping, of a store cannot have; "catalog" says of which they are.
 */
void
bucket_check_options(Datum array, Oid catalog)
{
	List	   *list = untransformRelOptions(array);
	ListCell   *lc;

	foreach(lc, list)
		check_option(lfirst(lc), catalog);
	for (int i = 0; i < lengthof(options); i++)
	{
		if (options[i].catalog == catalog && options[i].needed &&
			option(list, options[i].name) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
					 errmsg("option \"%s\" is required", options[i].name)));
	}
	check_path_style(list);
}

/*
 * What is wrong is not shown: it may be secret.
 */
static void
check_option(DefElem *def, Oid catalog)
{
	for (int i = 0; i < lengthof(options); i++)
	{
		if (options[i].catalog != catalog ||
			strcmp(options[i].name, def->defname) != 0)
			continue;
		if (options[i].by_superuser && !superuser())
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("must be superuser to set option \"%s\"",
							def->defname)));
		if (!options[i].is_valid(defGetString(def)))
			ereport(ERROR,
					(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
					 errmsg("invalid value for option \"%s\"", def->defname)));
		return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			 errmsg("invalid option \"%s\"", def->defname)));
}

/*
 * A bucket's name becomes part of the host's only if that is a name.
 */
static void
check_path_style(List *list)
{
	char	   *endpoint = option(list, "endpoint");
	char	   *path_style = option(list, "path_style");
	StoreEndpoint read;
	bool		in_path = true;

	if (endpoint == NULL || path_style == NULL ||
		!store_endpoint_read(endpoint, &read) ||
		!parse_bool(path_style, &in_path))
		return;
	if (!in_path && store_endpoint_is_address(&read))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
				 errmsg("option \"path_style\" must be true for an endpoint that is an address"),
				 errdetail("A bucket's name can stand before a name alone.")));
}

static bool
is_endpoint(const char *value)
{
	StoreEndpoint endpoint;

	return store_endpoint_read(value, &endpoint);
}

static bool
is_region(const char *value)
{
	size_t		len = strlen(value);

	for (size_t i = 0; i < len; i++)
	{
		if (!bucket_is_alphanumeric(value[i]) && value[i] != '-')
			return false;
	}
	return len > 0 && len <= MAX_REGION;
}

static bool
is_bucket(const char *value)
{
	return bucket_is_name(value);
}

static bool
is_boolean(const char *value)
{
	bool		result;

	return parse_bool(value, &result);
}

static bool
is_path(const char *value)
{
	return is_absolute_path(value);
}

/*
 * It becomes part of a header.
 */
static bool
is_secret(const char *value)
{
	size_t		len = strlen(value);

	for (size_t i = 0; i < len; i++)
	{
		if (value[i] <= ' ' || value[i] >= '\177')
			return false;
	}
	return len > 0 && len <= MAX_SECRET;
}

/*
 * NULL: it is not set.
 */
static char *
option(List *list, const char *name)
{
	ListCell   *lc;

	foreach(lc, list)
	{
		DefElem    *def = lfirst(lc);

		if (strcmp(def->defname, name) == 0)
			return defGetString(def);
	}
	return NULL;
}

/*
 * Is it a store, a foreign server of ours, and which?  A folder of that name comes
 * before it.  InvalidOid: it is none.
 */
Oid
bucket_server_find(const char *name)
{
	Oid			oid;

	if (strlen(name) >= NAMEDATALEN)
		return InvalidOid;		/* it would be cut to another's */
	oid = get_foreign_server_oid(name, true);
	if (!OidIsValid(oid) || bucket_folder_exists(name) ||
		GetForeignServer(oid)->fdwid != dynamo_member_find(&wrapper))
		return InvalidOid;
	return oid;
}

/*
 * Whose a server is.
 */
Oid
bucket_server_owner(Oid server)
{
	return GetForeignServer(server)->owner;
}

/*
 * Of a server and of the current role, whose credentials are there.
 */
void
store_options(const char *name, Oid server, StoreOptions *result)
{
	ForeignServer *found = GetForeignServer(server);
	List	   *credentials;
	char	   *path_style = option(found->options, "path_style");
	char	   *region = option(found->options, "region");
	char	   *endpoint = option(found->options, "endpoint");
	ListCell   *lc;

	memset(result, 0, sizeof(*result));
	result->path_style = true;
	foreach(lc, found->options)
	{
		DefElem    *def = lfirst(lc);

		if (strcmp(def->defname, "ca_file") != 0)
			check_option(def, ForeignServerRelationId);
	}
	if (endpoint == NULL || !store_endpoint_read(endpoint, &result->endpoint))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
				 bucket_rule(BUCKET_RULE_EXISTS),
				 errmsg("bucket \"%s\" has no endpoint", name)));
	result->region = region ? region : "us-east-1";
	result->bucket = option(found->options, "bucket");
	if (path_style)
		(void) parse_bool(path_style, &result->path_style);
	result->ca_file = option(found->options, "ca_file");
	credentials = mapping_options(server);
	foreach(lc, credentials)
		check_option(lfirst(lc), UserMappingRelationId);
	result->access_key_id = option(credentials, "access_key_id");
	result->secret = option(credentials, "secret_access_key");
	result->session_token = option(credentials, "session_token");
	if (result->access_key_id == NULL || result->secret == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
				 bucket_rule(BUCKET_RULE_ALLOWED),
				 errmsg("bucket \"%s\" has no credentials for role \"%s\"",
						name, GetUserNameFromId(GetUserId(), false))));
}

/*
 * Those of the current role's mapping, or of everybody's; NIL: there is none.
 */
static List *
mapping_options(Oid server)
{
	Oid			user = GetUserId();

	if (!SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(user),
							   ObjectIdGetDatum(server)) &&
		!SearchSysCacheExists2(USERMAPPINGUSERSERVER,
							   ObjectIdGetDatum(InvalidOid),
							   ObjectIdGetDatum(server)))
		return NIL;
	return GetUserMapping(user, server)->options;
}
