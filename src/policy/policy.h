/*-------------------------------------------------------------------------
 *
 * policy.h
 *	  Policies of roles, tables and streams, and whether they let a request.
 *
 * A caller at a door begins a request; what carries it out checks each action
 * on each resource, with the values that conditions may ask for:
 *
 *		request = policy_begin(...)			NULL: nothing to check
 *		policy_check_begin(request, &check, action, resource)
 *		if (policy_wants(&check, POLICY_LEADING_KEYS)) policy_add_value(...)
 *		denial = policy_denial(&check, action)
 *
 * Nothing here raises AccessDeniedException, nor looks at a table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_POLICY_H
#define DYNAMO_POLICY_H

#include "postgres.h"

#include "base/base_request.h"
#include "item/item.h"

/* Bytes of a document, white space included */
#define POLICY_MAX_DOCUMENT		20480

/*
 * Condition keys.  Those from POLICY_USERNAME on are the session's: they need
 * no policy_add_...().
 */
typedef enum PolicyKey
{
	POLICY_LEADING_KEYS,		/* one for each HASH attribute follows */
	POLICY_SECOND_KEYS,
	POLICY_THIRD_KEYS,
	POLICY_FOURTH_KEYS,
	POLICY_ATTRIBUTES,
	POLICY_SELECT,
	POLICY_RETURN_VALUES,
	POLICY_RETURN_CAPACITY,
	POLICY_ENCLOSING_OPERATION,
	POLICY_FULL_TABLE_SCAN,
	POLICY_USERNAME,
	POLICY_USER_ID,
	POLICY_PRINCIPAL_ARN,
	POLICY_PRINCIPAL_ACCOUNT,
	POLICY_PRINCIPAL_TYPE,
	POLICY_SOURCE_IP,
	POLICY_CURRENT_TIME,
	POLICY_EPOCH_TIME,
	POLICY_SECURE_TRANSPORT,
	POLICY_REQUESTED_REGION,
	POLICY_RESOURCE_ACCOUNT,
	POLICY_UNKNOWN				/* a key that no request has */
} PolicyKey;

#define POLICY_SESSION_KEY(key)	((key) >= POLICY_USERNAME)

/* A value of a key; not terminated */
typedef struct PolicyText
{
	const char *data;
	uint32		len;
} PolicyText;

typedef struct PolicyValues
{
	int			n;
	int			space;
	PolicyText *texts;
} PolicyValues;

/* A request under way, in the context it was begun in */
typedef struct PolicyRequest PolicyRequest;

/* What a policy can be of, beside a role */
typedef struct PolicyResource
{
	const char *arn;
	const char *table;			/* NULL: it is no table's */
	const char *table_id;
	const char *label;			/* of a stream; NULL: the table or its index */
} PolicyResource;

typedef struct PolicyResourcePolicies PolicyResourcePolicies;

/*
 * Which items an action is about.  A condition on keys or attributes keeps a role
 * from what is about all of them.
 */
typedef enum PolicyReach
{
	POLICY_GIVEN,				/* none, or those whose values are added */
	POLICY_ALL_KEYS,			/* those of all keys, with attributes as added */
	POLICY_ALL_ATTRIBUTES,		/* those of keys as added, with all of these */
	POLICY_ALL_ITEMS,
	POLICY_LATER				/* others: each is checked when it is known */
} PolicyReach;

/* One action on one resource */
typedef struct PolicyCheck
{
	PolicyRequest *request;
	int			action;
	PolicyReach reach;			/* the request's, unless it is changed */
	const char *resource;
	const PolicyResourcePolicies *attached; /* or NULL */
	uint64		wanted;			/* bits of keys that a statement asks for */
	PolicyValues values[POLICY_UNKNOWN];
} PolicyCheck;

/* A resource's policy, as it is kept */
typedef struct PolicyAttached
{
	const char *document;
	const char *revision;
} PolicyAttached;

/*
 * policy_cache.c
 *
 * policy_absent (policy_catalog.c): it is known that the database has no
 * policy at all.  A door tests it, and needs no more if it is set.  It is
 * about the database, not about a request.
 */
extern bool policy_absent;

/* How many requests of the process, one inside another, hold on to policies */
extern int	policy_under_way;

extern PolicyRequest *policy_begin(const DynamoRequest *request,
								   const char *operation);

/*
 * Hold on to what a request has found, until it ends, by an error or not.
 * NULL: there is nothing to hold.
 */
static inline void
policy_enter(const PolicyRequest *request)
{
	if (request)
		policy_under_way++;
}

static inline void
policy_leave(const PolicyRequest *request)
{
	if (request)
		policy_under_way--;
}

extern const char *policy_operation(const PolicyRequest *request);

/*
 * What is known of the operation: which items its checks are about; and if it is
 * one on items, ReturnConsumedCapacity, and whether its parts are checked as the
 * actions that they are, or all as the operation.
 */
extern void policy_set_reach(PolicyRequest *request, PolicyReach reach);
extern void policy_set_items(PolicyRequest *request, const char *capacity,
							 bool by_parts);
extern bool policy_by_parts(const PolicyRequest *request);

/* policy_decide.c */
extern void policy_check_begin(PolicyRequest *request, PolicyCheck *check,
							   const char *action,
							   const PolicyResource *resource);
extern void policy_add_text(PolicyCheck *check, PolicyKey key,
							const char *text);
extern void policy_add_value(PolicyCheck *check, PolicyKey key,
							 const ItemValue *value);
extern void policy_add_attribute(PolicyCheck *check, const char *name,
								 uint32 len);
extern void policy_add_paths(PolicyCheck *check, const List *paths);
extern void policy_add_item(PolicyCheck *check, const Item *item);

/* What ends the text of a denial; NULL: it is allowed */
extern const char *policy_denial(const PolicyCheck *check, const char *action);

/* Raises AccessDeniedException unless policies allow the action */
extern void policy_require(const PolicyCheck *check, const char *action);

/* May the current user, in a request, still act under this document alone? */
extern bool policy_document_denies(const DynamoRequest *request,
								   const char *document, size_t len,
								   const char *action,
								   const PolicyResource *resource);

static inline bool
policy_wants(const PolicyCheck *check, PolicyKey key)
{
	return (check->wanted & (UINT64CONST(1) << key)) != 0;
}

/*
 * policy_catalog.c: policies of roles and resources, as rows.  The caller has
 * checked that the user may change them.  What is put is checked, and raises
 * ValidationException.
 */
extern bool policy_get_attached(const PolicyResource *resource,
								PolicyAttached *attached);
/* A document that is attached, as clients see it; policy_canonical.c */
extern const char *policy_shown(const char *document);
extern const char *policy_put_attached(const PolicyResource *resource,
									   const char *document, size_t len);
extern bool policy_delete_attached(const PolicyResource *resource);
extern void policy_put_role(Oid role, const char *name, const char *document,
							size_t len);
extern bool policy_delete_role(Oid role, const char *name);
extern void policy_drop_orphans(void);

/*
 * policy_session.c
 *
 * What is known of the client, for work that goes on when the client has
 * gone.  NULL: it has no address.
 */
extern const char *policy_client_address(void);
extern bool policy_client_secure(DynamoTransport transport);
extern void policy_set_client(PolicyRequest *request, const char *address,
							  bool secure);

/* Settings of the layer that makes ARNs, given to this one at its start */
extern void policy_init(char **region, char **account);

/*
 * policy_action.c: the operations of the API, sorted by name, which stay where
 * they are.  Given before the first document is read.
 */
#define POLICY_MAX_OPERATIONS	100

extern void policy_name_operations(const char *const *names, int n);

#endif							/* DYNAMO_POLICY_H */
