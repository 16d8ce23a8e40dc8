/*-------------------------------------------------------------------------
 *
 * control_policy.c
 *	  PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy.
 *
 * A policy is attached to a table, and holds for its indexes, or to a stream.
 * The table's owner alone may put it, see it or take it away: it may name other
 * users of the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"
#include "miscadmin.h"
#include "shard/shard.h"
#include "utils/acl.h"

#define NO_POLICY	"NO_POLICY"

/* How texts about a policy that is not there begin. */
#define MISSING		"Resource-based policy not found for the provided ResourceArn: "

typedef struct PolicyInput
{
	const char *arn;
	const char *policy;
	const char *expected;		/* ExpectedRevisionId */
	WireBoolean confirm;
} PolicyInput;

static const WireShape revision_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 255)
};

WIRE_REQUEST_SHAPE(control_policy_shape, PolicyInput, "ResourcePolicyInput",
				   WIRE_REQUIRED("ResourceArn", control_resource_arn_shape, PolicyInput, arn),
				   WIRE_FIELD("Policy", wire_string_shape, PolicyInput, policy),
				   WIRE_FIELD("ExpectedRevisionId", revision_shape, PolicyInput, expected),
				   WIRE_FIELD("ConfirmRemoveSelfResourceAccess", wire_boolean_shape, PolicyInput, confirm));

static PolicyResource find_holder(const char *arn, const char *action,
								  bool change);
static const TableDef *holder_table(const char *arn, const char *action,
									const char **label);
static void check_owner(const char *arn);
static void check_revision(const PolicyInput *r, const PolicyResource *resource,
						   const PolicyAttached *attached);
static void refuse_missing(const char *arn) pg_attribute_noreturn();
static void share(const PolicyResource *resource);
static void check_self(const DynamoRequest *request,
					   const PolicyResource *resource, const char *policy);

/*
 * The model has the policy required; the shape is shared with requests that
 * have none.
 */
void
control_put_policy(DynamoRequest *request, StringInfo out)
{
	const PolicyInput *r = request->input;
	PolicyResource resource;
	PolicyAttached attached = {0};
	const char *revision;

	if (r->policy == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_COUNTED "Value null at 'policy' failed to satisfy constraint: Member must not be null");
	resource = find_holder(r->arn, "PutResourcePolicy", true);
	(void) policy_get_attached(&resource, &attached);
	check_revision(r, &resource, &attached);
	if (r->confirm != WIRE_TRUE && !request->client.confirmed)
		check_self(request, &resource, r->policy);
	revision = policy_put_attached(&resource, r->policy, strlen(r->policy));
	share(&resource);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "RevisionId", revision);
	appendStringInfoChar(out, '}');
}

void
control_get_policy(DynamoRequest *request, StringInfo out)
{
	const PolicyInput *r = request->input;
	PolicyResource resource = find_holder(r->arn, "GetResourcePolicy", false);
	PolicyAttached attached;

	if (!policy_get_attached(&resource, &attached))
		refuse_missing(r->arn);
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Policy", policy_shown(attached.document));
	wire_string_member(out, "RevisionId", attached.revision);
	appendStringInfoChar(out, '}');
}

/*
 * That there is none to delete is an error only if the request expects one.
 */
void
control_delete_policy(DynamoRequest *request, StringInfo out)
{
	const PolicyInput *r = request->input;
	PolicyResource resource = find_holder(r->arn, "DeleteResourcePolicy", true);
	PolicyAttached attached = {0};
	bool		found = policy_get_attached(&resource, &attached);

	check_revision(r, &resource, &attached);
	appendStringInfoChar(out, '{');
	if (found)
	{
		(void) policy_delete_attached(&resource);
		share(&resource);
		wire_string_member(out, "RevisionId", attached.revision);
	}
	appendStringInfoChar(out, '}');
}

/*
 * The table or stream of an ARN.  To change its policy, its definition is
 * locked and touched: others come after us, and only its owner may.
 */
static PolicyResource
find_holder(const char *arn, const char *action, bool change)
{
	PolicyResource resource = {.arn = arn};
	const TableDef *def = holder_table(arn, action, &resource.label);

	if (change)
	{
		schema_lock_definition(def->name);
		def = holder_table(arn, action, &resource.label);	/* as it is now */
		schema_change_table_settings(def->name, def->settings);
	}
	else if (!compat_relation_owner(def->relid, GetUserId()))
		dynamo_error(DYNAMO_ACCESS_DENIED, "%s", wire_denial_on(action, arn));
	resource.table = def->name;
	resource.table_id = def->table_id;
	return resource;
}

static const TableDef *
holder_table(const char *arn, const char *action, const char **label)
{
	WireStreamName stream;
	const TableDef *def;

	check_owner(arn);
	if (!wire_parse_stream_arn(arn, &stream))
		return control_find_table(wire_resource_table(arn), action);
	def = schema_find_table(stream.table);
	if (stream_look_for(&stream, action) == NULL || def == NULL ||
		def->stream == NULL || strcmp(def->stream->label, stream.label) != 0)
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Stream: %s not found for Table: %s",
					 stream.label, stream.table);
	*label = stream.label;
	return def;
}

/*
 * What is of another region or account is refused in words of these operations.
 */
static void
check_owner(const char *arn)
{
	bool		region_ours;
	bool		account_ours;

	if (!wire_owner(arn, &region_ours, &account_ours))
		return;
	if (!region_ours)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Invalid resource Arn: %s", arn);
	if (!account_ours)
		dynamo_error(DYNAMO_VALIDATION, WIRE_OTHER_ACCOUNT);
}

/*
 * ExpectedRevisionId against the policy there is, if any.
 */
static void
check_revision(const PolicyInput *r, const PolicyResource *resource,
			   const PolicyAttached *attached)
{
	bool		none = r->expected && strcmp(r->expected, NO_POLICY) == 0;

	if (r->expected == NULL || (none && attached->revision == NULL))
		return;
	if (none)
		dynamo_error(DYNAMO_POLICY_NOT_FOUND,
					 MISSING "Requested policy update expecting none to be present for table %s, but a policy exists with revision id %s.",
					 resource->table, attached->revision);
	if (attached->revision == NULL)
		dynamo_error(DYNAMO_POLICY_NOT_FOUND,
					 MISSING "Requested update for policy with revision id %s, but table %s has no associated policy.",
					 r->expected, resource->table);
	if (strcmp(r->expected, attached->revision) != 0)
		dynamo_error(DYNAMO_POLICY_NOT_FOUND,
					 MISSING "Requested update for policy with revision id %s, but the policy associated to target table %s has revision id %s.",
					 r->expected, resource->table, attached->revision);
}

static void
refuse_missing(const char *arn)
{
	dynamo_error(DYNAMO_POLICY_NOT_FOUND, MISSING "%s", arn);
}

/*
 * Refuse a policy that its own author could not change any more.
 */
static void
check_self(const DynamoRequest *request, const PolicyResource *resource,
		   const char *policy)
{
	if (!superuser() &&
		policy_document_denies(request, policy, strlen(policy),
							   "PutResourcePolicy", resource))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Invalid policy document: The policy would not allow you to change it in the future. Set ConfirmRemoveSelfResourceAccess to confirm that.");
}

/*
 * CreateTable's ResourcePolicy, before there is a table.
 */
void
control_check_new_policy(const char *table, const char *policy)
{
	PolicyResource resource = {.arn = wire_table_arn(table)};

	(void) policy_document_denies(NULL, policy, strlen(policy),
								  "PutResourcePolicy", &resource);
}

void
control_attach_new_policy(const TableDef *def, const char *policy)
{
	PolicyResource resource = {.table = def->name,.table_id = def->table_id};

	(void) policy_put_attached(&resource, policy, strlen(policy));
	share(&resource);
}

/*
 * A table that is about to be dropped takes its policies along.
 */
void
control_forget_policies(const TableDef *def)
{
	PolicyResource resource = {.table = def->name,.table_id = def->table_id};

	if (policy_absent)
		return;
	if (policy_delete_attached(&resource))
		share(&resource);
	if (def->stream)
	{
		resource.label = def->stream->label;
		if (policy_delete_attached(&resource))
			share(&resource);
	}
}

/*
 * All nodes have what a distributed table has.
 */
static void
share(const PolicyResource *resource)
{
	const TableDef *def = schema_find_table(resource->table);

	if (def != NULL && def->distributed && !shard_publish_policies(def))
		control_share_row(CONTROL_RESOURCE_POLICY, resource->table,
						  resource->label ? resource->label : "");
}
