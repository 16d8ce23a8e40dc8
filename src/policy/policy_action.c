/*-------------------------------------------------------------------------
 *
 * policy_action.c
 *	  The actions that policies speak of, as numbers.
 *
 * A statement keeps a bit for each, set when its document is read: wildcards
 * and NotAction cost nothing at a check.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "policy/policy_internal.h"

#define SERVICE	"dynamodb:"

/* In the order of their bytes, for bsearch() */
static const char *const actions[] = {
	"BatchExecuteStatement", "BatchGetItem", "BatchWriteItem",
	"ConditionCheckItem", "CreateBackup", "CreateGlobalTable", "CreateTable",
	"DeleteBackup", "DeleteItem", "DeleteResourcePolicy", "DeleteTable",
	"DescribeBackup", "DescribeContinuousBackups",
	"DescribeContributorInsights", "DescribeEndpoints", "DescribeExport",
	"DescribeGlobalTable", "DescribeGlobalTableSettings", "DescribeImport",
	"DescribeKinesisStreamingDestination", "DescribeLimits", "DescribeStream",
	"DescribeTable", "DescribeTableReplicaAutoScaling", "DescribeTimeToLive",
	"DisableKinesisStreamingDestination", "EnableKinesisStreamingDestination",
	"ExecuteStatement", "ExecuteTransaction", "ExportTableToPointInTime",
	"GetItem", "GetRecords", "GetResourcePolicy", "GetShardIterator",
	"ImportTable", "ListBackups", "ListContributorInsights", "ListExports",
	"ListGlobalTables", "ListImports", "ListStreams", "ListTables",
	"ListTagsOfResource", "PartiQLDelete", "PartiQLInsert", "PartiQLSelect",
	"PartiQLUpdate", "PutItem", "PutResourcePolicy", "Query",
	"RestoreTableFromBackup", "RestoreTableToPointInTime", "Scan",
	"TagResource", "TransactGetItems", "TransactWriteItems", "UntagResource",
	"UpdateContinuousBackups", "UpdateContributorInsights",
	"UpdateGlobalTable", "UpdateGlobalTableSettings", "UpdateItem",
	"UpdateKinesisStreamingDestination", "UpdateTable",
	"UpdateTableReplicaAutoScaling", "UpdateTimeToLive"
};

/* What is not among them has the last number: only "*" is about it. */
#define OTHER	((int) lengthof(actions))

StaticAssertDecl(lengthof(actions) + 1 <= 64 * POLICY_ACTION_WORDS,
				 "each action has a bit");

static int	compare_name(const void *name, const void *action);

/*
 * The number of an operation's action.
 */
int
policy_action(const char *name)
{
	const char *const *found = bsearch(name, actions, lengthof(actions),
									   sizeof(char *), compare_name);

	return found ? found - actions : OTHER;
}

static int
compare_name(const void *name, const void *action)
{
	return strcmp(name, *(const char *const *) action);
}

/*
 * Set the bits of what an element of Action means, such as "dynamodb:Get*".
 * Cases do not matter.
 */
void
policy_action_bits(const char *pattern, size_t len, uint64 *bits)
{
	PolicyPattern compiled;

	compiled = policy_pattern(pattern, len, POLICY_WILDCARDS | POLICY_FOLDED);
	for (int i = 0; i <= OTHER; i++)
	{
		PolicyText	text;
		char	   *name = psprintf(SERVICE "%s", i < OTHER ? actions[i] : "");

		text.data = name;
		text.len = strlen(name);
		if (policy_matches(&compiled, &text, NULL))
			bits[i / 64] |= UINT64CONST(1) << (i % 64);
		pfree(name);
	}
}
