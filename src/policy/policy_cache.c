/*-------------------------------------------------------------------------
 *
 * policy_cache.c
 *	  Policies as this process knows them: read once, and compiled.
 *
 * What is known lives in a context of its own, a generation.  A message that a
 * table of policies, a role or a membership has changed makes it policy_stale; the next
 * request begins another.  A request may hold on to what it has found, so a
 * generation stays until no request is under way.
 *
 * The first thing to know of a database is whether it has policies at all: if
 * not, policy_absent says so, and nothing else is done.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "policy/policy_internal.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/*
 * Roles and resources known at a time, and bytes of what is known: a document
 * of 20 kB may take a megabyte when it is compiled, and who owns tables may
 * attach one to each.
 */
#define MAX_KNOWN	4096
#define MAX_MEMORY	((Size) 256 * 1024 * 1024)

typedef struct RoleEntry
{
	Oid			role;
	bool		superuser;
	const char *name;
	int			n;
	PolicyDocument **documents;
} RoleEntry;

typedef struct ResourceKey
{
	char		table_id[40];
	char		label[24];
} ResourceKey;

typedef struct ResourceEntry
{
	ResourceKey key;
	PolicyResourcePolicies attached;
} ResourceEntry;

int			policy_under_way = 0;

static MemoryContext all;		/* its children are generations */
static MemoryContext generation;	/* NULL: none, or it is old */
static bool any_attached;
static List *roles;				/* that have policies, as OIDs */
static HTAB *known_roles;
static HTAB *known_resources;

static bool refresh(void);
static void begin_generation(void);
static HTAB *create_table(const char *name, size_t key, size_t entry);
static void role_changed(Datum arg, int cacheid, uint32 hashvalue);
static RoleEntry *find_role(Oid role);
static void read_role(RoleEntry *entry);

/*
 * Begin to check a request (NULL: the session's) of the current user to an
 * operation of the API.  NULL: no policy applies to it, or the user is a
 * superuser.
 */
PolicyRequest *
policy_begin(const DynamoRequest *asked, const char *operation)
{
	RoleEntry  *entry;
	PolicyRequest *request;

	if (!refresh())
		return NULL;
	entry = find_role(GetUserId());
	if (entry->superuser || (entry->n == 0 && !any_attached))
		return NULL;
	request = palloc0(sizeof(PolicyRequest));
	request->context = CurrentMemoryContext;
	if (asked != NULL)
		request->transport = asked->client.transport;
	request->operation = operation;
	request->role = entry->role;
	request->name = entry->name;
	request->n = entry->n;
	request->documents = entry->documents;
	return request;
}

const char *
policy_operation(const PolicyRequest *request)
{
	return request->operation;
}

void
policy_set_reach(PolicyRequest *request, PolicyReach reach)
{
	request->reach = reach;
}

void
policy_set_items(PolicyRequest *request, const char *capacity, bool by_parts)
{
	request->capacity = capacity;
	request->by_parts = by_parts;
}

bool
policy_by_parts(const PolicyRequest *request)
{
	return request->by_parts;
}

/*
 * A request of the current user that no policy of a role is about.
 */
PolicyRequest *
policy_request_alone(const DynamoRequest *asked, const char *operation)
{
	PolicyRequest *request = palloc0(sizeof(PolicyRequest));

	request->context = CurrentMemoryContext;
	if (asked != NULL)
		request->transport = asked->client.transport;
	request->operation = operation;
	request->role = GetUserId();
	request->name = GetUserNameFromId(request->role, false);
	return request;
}

/*
 * See that a generation is there.  False: there are no policies.
 */
static bool
refresh(void)
{
	bool		known;

	if (policy_absent)
		return false;
	if (!policy_stale && hash_get_num_entries(known_roles) +
		hash_get_num_entries(known_resources) < MAX_KNOWN &&
		MemoryContextMemAllocated(generation, true) < MAX_MEMORY)
		return roles != NIL || any_attached;
	policy_stale = true;		/* should that fail */
	begin_generation();
	policy_stale = false;		/* a message from here on makes it old again */
	PG_TRY();
	{
		MemoryContext caller = MemoryContextSwitchTo(generation);

		roles = policy_list_roles(&known);
		any_attached = policy_any_attached();
		MemoryContextSwitchTo(caller);
	}
	PG_CATCH();
	{
		policy_stale = true;
		PG_RE_THROW();
	}
	PG_END_TRY();
	if (!known)
		policy_stale = true;
	policy_absent = !policy_stale && roles == NIL && !any_attached;
	return roles != NIL || any_attached;
}

static void
begin_generation(void)
{
	if (all == NULL)
	{
		all = AllocSetContextCreate(TopMemoryContext, "dynamo policies",
									ALLOCSET_SMALL_SIZES);
		CacheRegisterSyscacheCallback(AUTHOID, role_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, role_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, role_changed, (Datum) 0);
	}
	if (policy_under_way == 0)
		MemoryContextDeleteChildren(all);
	generation = AllocSetContextCreate(all, "dynamo policies, one generation",
									   ALLOCSET_SMALL_SIZES);
	roles = NIL;
	any_attached = false;
	known_roles = create_table("dynamo policies of roles", sizeof(Oid),
							   sizeof(RoleEntry));
	known_resources = create_table("dynamo policies of resources",
								   sizeof(ResourceKey), sizeof(ResourceEntry));
}

static HTAB *
create_table(const char *name, size_t key, size_t entry)
{
	HASHCTL		ctl;

	ctl.hcxt = generation;
	ctl.keysize = key;
	ctl.entrysize = entry;
	return hash_create(name, 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/*
 * A role has changed, or who is a member of which.  Of pg_database_owner that is the
 * owner of the database.
 */
static void
role_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	policy_stale = true;
}

static RoleEntry *
find_role(Oid role)
{
	RoleEntry  *entry = hash_search(known_roles, &role, HASH_FIND, NULL);
	RoleEntry	found = {.role = role};
	MemoryContext caller;

	if (entry != NULL)
		return entry;
	caller = MemoryContextSwitchTo(generation);
	read_role(&found);
	MemoryContextSwitchTo(caller);
	entry = hash_search(known_roles, &role, HASH_ENTER, NULL);
	*entry = found;
	return entry;
}

/*
 * A role has the policies of all roles whose privileges it has, its own first
 * among them.
 */
static void
read_role(RoleEntry *entry)
{
	List	   *documents = NIL;
	ListCell   *lc;

	entry->superuser = superuser_arg(entry->role);
	entry->name = GetUserNameFromId(entry->role, false);
	if (entry->superuser)
		return;
	foreach(lc, roles)
	{
		if (has_privs_of_role(entry->role, lfirst_oid(lc)))
			documents = list_concat(documents,
									policy_role_documents(lfirst_oid(lc)));
	}
	entry->documents = palloc(sizeof(PolicyDocument *) *
							  Max(list_length(documents), 1));
	foreach(lc, documents)
		entry->documents[entry->n++] = policy_compile(lfirst(lc), false);
}

/*
 * The policy of a resource, as long as the request lives.
 */
const PolicyResourcePolicies *
policy_attached(const PolicyResource *resource)
{
	ResourceKey key;
	ResourceEntry *entry;
	PolicyDocument *document;
	MemoryContext caller;

	if (!any_attached)
		return NULL;
	memset(&key, 0, sizeof(key));
	strlcpy(key.table_id, resource->table_id, sizeof(key.table_id));
	if (resource->label)
		strlcpy(key.label, resource->label, sizeof(key.label));
	entry = hash_search(known_resources, &key, HASH_FIND, NULL);
	if (entry != NULL)
		return &entry->attached;
	caller = MemoryContextSwitchTo(generation);
	document = policy_read_attached(resource->table, key.table_id, key.label);
	MemoryContextSwitchTo(caller);
	entry = hash_search(known_resources, &key, HASH_ENTER, NULL);
	entry->attached.document = document;
	return &entry->attached;
}
