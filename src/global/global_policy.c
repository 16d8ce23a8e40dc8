/*-------------------------------------------------------------------------
 *
 * global_policy.c
 *	  Policies about replicas.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "global/global_internal.h"
#include "miscadmin.h"
#include "policy/policy.h"

/*
 * Beside UpdateTable here, a policy has to allow what is done in the other
 * region, to the table that is there or is to be.  A replica that comes or goes
 * is all items, whatever keys a role is held to.
 */
void
global_check_policies(const DynamoRequest *request, const List *updates,
					  const TableDef *def)
{
	static const char *const actions[GLOBAL_ACTIONS][11] = {
		[GLOBAL_CREATE] = {
			"CreateTable", "CreateTableReplica", "Query", "Scan",
			"UpdateItem", "PutItem", "GetItem", "DeleteItem",
			"BatchWriteItem", "UpdateTimeToLive", NULL
		},
		[GLOBAL_UPDATE] = {"UpdateTable", NULL},
		[GLOBAL_DELETE] = {"DeleteTable", "DeleteTableReplica", NULL},
		[GLOBAL_DISASSOCIATE] = {"DisassociateTableReplica", NULL},
	};
	ListCell   *lc;

	if (request->policy == NULL)
		return;
	foreach(lc, updates)
	{
		const GlobalUpdate *update = lfirst(lc);
		PolicyResource there = {
			.arn = psprintf("arn:aws:dynamodb:%s:%s:table/%s",
							update->region, wire_account_id, def->name)
		};

		for (const char *const *action = actions[update->action]; *action; action++)
		{
			PolicyCheck check;

			CHECK_FOR_INTERRUPTS();
			policy_check_begin(request->policy, &check, *action, &there);
			if (update->action == GLOBAL_CREATE ||
				update->action == GLOBAL_DELETE)
				check.reach = POLICY_ALL_ITEMS;
			policy_require(&check, *action);
		}
	}
}
