/*-------------------------------------------------------------------------
 *
 * transfer_policy.c
 *	  Policies about the records of a bulk operation, and about exports.
 *
 * When a bulk operation was started nobody knew its keys, so conditions about
 * them were left to be checked here, each record by itself, as the items of
 * BatchWriteItem are (../api/api_policy.c).  An export is checked when it is
 * asked for and again when its work begins.  Policies are those that there are
 * at that moment.  The client is the one that has sent the request.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "transfer/transfer_internal.h"
#include "transfer/transfer_load_internal.h"

#define BULK	"StartBulkPutItems"
#define EXPORT	"ExportTableToPointInTime"

static PolicyRequest *policies_of_job(const json_t *request, const char *action);
static PolicyResource table_resource(const TableDef *def);
static void check_record(PolicyRequest *request,
						 const PolicyResource *resource, bool shown,
						 TransferRecord *record);
static void add_attributes(PolicyCheck *check, const TransferExport *export,
						   const TableDef *def);

/*
 * Find the records that may not be put: they have a problem from now on.
 * "shown": so is the item that is in the way of a condition.
 */
void
transfer_check_policies(const json_t *request, const TableDef *def, bool shown,
						TransferBatch *batch)
{
	PolicyRequest *policies = policies_of_job(request, BULK);
	PolicyResource resource = table_resource(def);
	ListCell   *lc;

	if (policies == NULL)
		return;
	foreach(lc, batch->records)
	{
		TransferRecord *record = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (record->code == NULL)
			check_record(policies, &resource, shown, record);
	}
}

/*
 * Policies for a job's request.  NULL: there is none now, or it was asked for
 * by a SQL function, to which none applies.
 */
static PolicyRequest *
policies_of_job(const json_t *request, const char *action)
{
	const json_t *client = json_object_get(request, TRANSFER_CLIENT);
	PolicyRequest *policies = client ? policy_begin(NULL, action) : NULL;

	if (policies != NULL)
		policy_set_client(policies,
						  json_string_value(json_object_get(client, "SourceIp")),
						  json_is_true(json_object_get(client, "SecureTransport")));
	return policies;
}

static PolicyResource
table_resource(const TableDef *def)
{
	PolicyResource resource = {0};

	resource.arn = wire_table_arn(def->name);
	resource.table = def->name;
	resource.table_id = def->table_id;
	return resource;
}

/*
 * Append TRANSFER_CLIENT, what policies are to know of the client of the
 * request at hand when they are asked again.
 */
void
transfer_append_client(StringInfo out, const DynamoRequest *request)
{
	const char *address = policy_client_address();

	wire_member(out, TRANSFER_CLIENT);
	appendStringInfoChar(out, '{');
	if (address != NULL)
		wire_string_member(out, "SourceIp", address);
	wire_boolean_member(out, "SecureTransport",
						policy_client_secure(request->client.transport));
	appendStringInfoChar(out, '}');
}

static void
check_record(PolicyRequest *request, const PolicyResource *resource,
			 bool shown, TransferRecord *record)
{
	PolicyCheck check;
	const char *denial;

	policy_check_begin(request, &check, BULK, resource);
	if (policy_wants(&check, POLICY_LEADING_KEYS))
		policy_add_value(&check, POLICY_LEADING_KEYS, &record->key->hash);
	if (policy_wants(&check, POLICY_ATTRIBUTES))
	{
		policy_add_item(&check, record->item);
		if (record->condition)
			policy_add_paths(&check, expr_condition_paths(record->condition));
	}
	policy_add_text(&check, POLICY_RETURN_VALUES,
					shown && record->condition ? "ALL_OLD" : "NONE");
	denial = policy_denial(&check, BULK);
	if (denial != NULL)
	{
		record->code = "AccessDeniedException";
		record->problem = psprintf("%s%s", wire_denial_on(BULK, resource->arn),
								   denial);
	}
}

/*
 * transfer_check_export() for the request of a job, by the policies of now.
 */
void
transfer_check_export_again(const json_t *request,
							const TransferExport *export, const TableDef *def)
{
	transfer_check_export(policies_of_job(request, EXPORT), export, def);
}

/*
 * AccessDeniedException unless policies (NULL: there are none) let the export
 * be made.  A key condition confines an export to a partition, a projection to
 * attributes; else it is about all of them.
 */
void
transfer_check_export(PolicyRequest *policies, const TransferExport *export,
					  const TableDef *def)
{
	const TransferFilter *filter = export->filter;
	bool		keyed = filter != NULL && filter->clauses != NULL;
	bool		projected = filter != NULL && filter->projection != NULL;
	PolicyResource resource = table_resource(def);
	PolicyCheck check;
	const char *denial;

	if (policies == NULL)
		return;
	policy_check_begin(policies, &check, EXPORT, &resource);
	if (keyed)
	{
		check.reach = projected ? POLICY_GIVEN : POLICY_ALL_ATTRIBUTES;
		policy_add_value(&check, POLICY_LEADING_KEYS, &filter->range.hash[0]);
	}
	else
		check.reach = projected ? POLICY_ALL_KEYS : POLICY_ALL_ITEMS;
	policy_add_text(&check, POLICY_SELECT,
					projected ? "SPECIFIC_ATTRIBUTES" : "ALL_ATTRIBUTES");
	if (projected && policy_wants(&check, POLICY_ATTRIBUTES))
		add_attributes(&check, export, def);
	denial = policy_denial(&check, EXPORT);
	if (denial != NULL)
		dynamo_error(DYNAMO_ACCESS_DENIED, "%s%s",
					 wire_denial_on(EXPORT, resource.arn), denial);
}

/*
 * What the expressions name.  The keys of a change are told in any case.
 */
static void
add_attributes(PolicyCheck *check, const TransferExport *export,
			   const TableDef *def)
{
	const TransferFilter *filter = export->filter;

	policy_add_paths(check, expr_projection_paths(filter->projection));
	if (filter->keys != NULL)
		policy_add_paths(check, expr_condition_paths(filter->keys));
	if (filter->filter != NULL)
		policy_add_paths(check, expr_condition_paths(filter->filter));
	if (!export->incremental)
		return;
	policy_add_attribute(check, def->hash.name, strlen(def->hash.name));
	if (def->range.name != NULL)
		policy_add_attribute(check, def->range.name, strlen(def->range.name));
}
