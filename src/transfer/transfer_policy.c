/*-------------------------------------------------------------------------
 *
 * transfer_policy.c
 *	  Policies about the records of a bulk operation.
 *
 * When it was started nobody knew its keys, so conditions about them were left
 * to be checked here, each record by itself, as the items of BatchWriteItem are
 * (../api/api_policy.c).  Policies are those that there are when the record is
 * put.  The client is the one that has started the operation.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "transfer/transfer_load_internal.h"

#define ACTION	"StartBulkPutItems"

static PolicyRequest *begin(const json_t *client);
static void check_record(PolicyRequest *request,
						 const PolicyResource *resource, bool shown,
						 TransferRecord *record);

/*
 * Find the records that may not be put: they have a problem from now on.
 * "shown": so is the item that is in the way of a condition.
 */
void
transfer_check_policies(const json_t *request, const TableDef *def, bool shown,
						TransferBatch *batch)
{
	const json_t *client = json_object_get(request, TRANSFER_CLIENT);
	PolicyRequest *policies = client ? begin(client) : NULL;
	PolicyResource resource = {
		.arn = wire_table_arn(def->name), .table = def->name,
		.table_id = def->table_id
	};
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

static PolicyRequest *
begin(const json_t *client)
{
	PolicyRequest *request = policy_begin(ACTION);

	if (request != NULL)
		policy_set_client(request,
						  json_string_value(json_object_get(client, "SourceIp")),
						  json_is_true(json_object_get(client, "SecureTransport")));
	return request;
}

static void
check_record(PolicyRequest *request, const PolicyResource *resource,
			 bool shown, TransferRecord *record)
{
	PolicyCheck check;
	const char *denial;
	ListCell   *lc;

	policy_check_begin(request, &check, ACTION, resource);
	if (policy_wants(&check, POLICY_LEADING_KEYS))
		policy_add_value(&check, POLICY_LEADING_KEYS, &record->key->hash);
	if (policy_wants(&check, POLICY_ATTRIBUTES))
	{
		policy_add_item(&check, record->item);
		foreach(lc, record->condition ?
				expr_condition_paths(record->condition) : NIL)
		{
			const ExprStep *step = &((const ExprPath *) lfirst(lc))->steps[0];

			policy_add_attribute(&check, step->name, step->namelen);
		}
	}
	policy_add_text(&check, POLICY_RETURN_VALUES,
					shown && record->condition ? "ALL_OLD" : "NONE");
	denial = policy_denial(&check, ACTION);
	if (denial != NULL)
	{
		record->code = "AccessDeniedException";
		record->problem = psprintf("%s%s", wire_denial_on(ACTION, resource->arn),
								   denial);
	}
}
