/*-------------------------------------------------------------------------
 *
 * policy_decide.c
 *	  May a request do this?
 *
 * As in one account of AWS: an explicit Deny wins, wherever it stands.  A role
 * that has policies needs an Allow, of its own or of the resource.  For a role
 * without policies the privileges that GRANT gave are what allows it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "policy/policy_internal.h"
#include "utils/acl.h"
#include "wire/wire.h"

/* Among more names than that nobody looks for one that comes again. */
#define MANY_ATTRIBUTES	1024

typedef enum PolicyDecision
{
	POLICY_ALLOWED,
	POLICY_NOT_ALLOWED,			/* the role has policies, and none allows it */
	POLICY_DENIED_ROLE,			/* explicitly, by a policy of the role */
	POLICY_DENIED_RESOURCE		/* explicitly, by the resource's */
} PolicyDecision;

static void add_value(PolicyCheck *check, PolicyKey key, const char *data,
					  uint32 len);
static PolicyDecision decide_check(const PolicyCheck *check);
static bool denies(const PolicyDocument *document, const PolicyCheck *check,
				   bool resource, bool *allowed);
static bool applies(const PolicyStatement *statement, const PolicyCheck *check,
					bool resource);
static bool names_principal(const PolicyStatement *statement, Oid role);
static bool names_resource(const PolicyStatement *statement,
						   const PolicyCheck *check);

/*
 * Begin to check an action of the API on a resource.
 */
void
policy_check_begin(PolicyRequest *request, PolicyCheck *check,
				   const char *action, const PolicyResource *resource)
{
	memset(check, 0, sizeof(PolicyCheck));
	check->request = request;
	check->action = policy_action(action);
	check->reach = request->reach;
	check->resource = resource->arn;
	if (resource->table)
		check->attached = policy_attached(resource);
	for (int i = 0; i < request->n; i++)
		check->wanted |= request->documents[i]->keys;
	if (check->attached && check->attached->document)
		check->wanted |= check->attached->document->keys;
	if (strcmp(action, request->operation) != 0)
		policy_add_text(check, POLICY_ENCLOSING_OPERATION, request->operation);
	if (request->capacity)
		policy_add_text(check, POLICY_RETURN_CAPACITY, request->capacity);
}

/*
 * Add a value to a key's.  It is referred to, not copied.
 */
static void
add_value(PolicyCheck *check, PolicyKey key, const char *data, uint32 len)
{
	PolicyValues *values = &check->values[key];

	if (values->n == values->space)
	{
		values->space = Max(8, values->space * 2);
		values->texts = values->texts ?
			repalloc(values->texts, sizeof(PolicyText) * values->space) :
			palloc(sizeof(PolicyText) * values->space);
	}
	values->texts[values->n].data = data;
	values->texts[values->n].len = len;
	values->n++;
}

void
policy_add_text(PolicyCheck *check, PolicyKey key, const char *text)
{
	add_value(check, key, text, strlen(text));
}

/*
 * The value of a key attribute: a number as the service writes it, bytes in
 * base64.
 */
void
policy_add_value(PolicyCheck *check, PolicyKey key, const ItemValue *value)
{
	StringInfoData text;

	if (value->type == ITEM_S)
	{
		add_value(check, key, value->data, value->len);
		return;
	}
	initStringInfo(&text);
	if (value->type == ITEM_N)
		item_number_append(&text, value);
	else
		item_base64_append(&text, value->data, value->len);
	add_value(check, key, text.data, text.len);
}

/*
 * Add the name of an attribute, unless it is there.  A request may have a
 * million, and one that comes again among many changes no answer.
 */
void
policy_add_attribute(PolicyCheck *check, const char *name, uint32 len)
{
	const PolicyValues *names = &check->values[POLICY_ATTRIBUTES];

	for (int i = 0; i < names->n && names->n <= MANY_ATTRIBUTES; i++)
	{
		if (names->texts[i].len == len &&
			memcmp(names->texts[i].data, name, len) == 0)
			return;
	}
	add_value(check, POLICY_ATTRIBUTES, name, len);
}

/*
 * Add the attributes that paths (List of ExprPath *) reach.  A nested path counts
 * as the attribute it begins with.
 */
void
policy_add_paths(PolicyCheck *check, const List *paths)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		const ExprStep *step = &((const ExprPath *) lfirst(lc))->steps[0];

		CHECK_FOR_INTERRUPTS();
		policy_add_attribute(check, step->name, step->namelen);
	}
}

/*
 * The same of all top-level attributes of an item.
 */
void
policy_add_item(PolicyCheck *check, const Item *item)
{
	ItemValue	root = item_root(item);
	ItemIterator it;
	ItemValue	member;

	item_iterate(&root, &it);
	while (item_next(&it, &member))
		add_value(check, POLICY_ATTRIBUTES, it.name, it.namelen);
}

const char *
policy_denial(const PolicyCheck *check, const char *action)
{
	switch (decide_check(check))
	{
		case POLICY_ALLOWED:
			return NULL;
		case POLICY_NOT_ALLOWED:
			return psprintf(" because no identity-based policy allows the dynamodb:%s action",
							action);
		case POLICY_DENIED_ROLE:
			return " with an explicit deny in an identity-based policy";
		default:
			return " with an explicit deny in a resource-based policy";
	}
}

static PolicyDecision
decide_check(const PolicyCheck *check)
{
	const PolicyRequest *request = check->request;
	bool		allowed = request->n == 0;

	if (check->attached && check->attached->document &&
		denies(check->attached->document, check, true, &allowed))
		return POLICY_DENIED_RESOURCE;
	for (int i = 0; i < request->n; i++)
	{
		if (denies(request->documents[i], check, false, &allowed))
			return POLICY_DENIED_ROLE;
	}
	return allowed ? POLICY_ALLOWED : POLICY_NOT_ALLOWED;
}

/*
 * Does a document deny it explicitly?  Sets *allowed if it allows it.
 */
static bool
denies(const PolicyDocument *document, const PolicyCheck *check,
	   bool resource, bool *allowed)
{
	for (int i = 0; i < document->n; i++)
	{
		const PolicyStatement *statement = &document->statements[i];

		if ((!statement->deny && *allowed) ||
			!applies(statement, check, resource))
			continue;
		if (statement->deny)
			return true;
		*allowed = true;
	}
	return false;
}

/*
 * Does a statement speak of this?
 */
static bool
applies(const PolicyStatement *statement, const PolicyCheck *check,
		bool resource)
{
	if ((statement->actions[check->action / 64] &
		 (UINT64CONST(1) << (check->action % 64))) == 0)
		return false;
	if (resource && !names_principal(statement, check->request->role))
		return false;
	if (!names_resource(statement, check))
		return false;
	for (int i = 0; i < statement->nconditions; i++)
	{
		if (!policy_holds(&statement->conditions[i], statement->deny, check))
			return false;
	}
	return true;
}

/*
 * An Allow for the account leaves the decision to its roles' own policies.
 */
static bool
names_principal(const PolicyStatement *statement, Oid role)
{
	for (int i = 0; i < statement->nprincipals; i++)
	{
		const PolicyPrincipal *principal = &statement->principals[i];

		if (principal->anybody ||
			(principal->account && (statement->deny ||
									statement->not_principal)) ||
			(OidIsValid(principal->role) &&
			 (principal->role == role ||
			  (principal->group && has_privs_of_role(role, principal->role)))))
			return !statement->not_principal;
	}
	return statement->not_principal;
}

static bool
names_resource(const PolicyStatement *statement, const PolicyCheck *check)
{
	PolicyText	arn = {check->resource, strlen(check->resource)};

	for (int i = 0; i < statement->nresources; i++)
	{
		if (policy_matches(&statement->resources[i], &arn, check))
			return !statement->not_resource;
	}
	return statement->not_resource;
}

/*
 * Would the document, attached to the resource, forbid the action to the
 * current user?
 */
bool
policy_document_denies(const DynamoRequest *asked, const char *document,
					   size_t len, const char *action,
					   const PolicyResource *resource)
{
	PolicyRequest *request = policy_request_alone(asked, action);
	PolicyDocument *parsed;
	PolicyCheck check = {0};
	bool		allowed = true;

	policy_check_size(len);
	parsed = policy_parse(document, len, true);
	policy_resolve_principals(parsed);
	check.request = request;
	check.action = policy_action(action);
	check.resource = resource->arn;
	return denies(parsed, &check, true, &allowed);
}

/*
 * Raise AccessDeniedException unless policies allow it.
 */
void
policy_require(const PolicyCheck *check, const char *action)
{
	const char *denial = policy_denial(check, action);

	if (denial == NULL)
		return;
	dynamo_error(DYNAMO_ACCESS_DENIED, "%s%s",
				 wire_denial_on(action, check->resource), denial);
}
