/*-------------------------------------------------------------------------
 *
 * policy_action.c
 *	  The actions that policies speak of, as numbers.
 *
 * The operations of the API come first, by the numbers that the layer above gives
 * them; then what has no operation of its own.  A statement keeps a bit for each,
 * set when its document is read: wildcards and NotAction cost nothing at a check.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "policy/policy_internal.h"

#define SERVICE	"dynamodb:"

/* Actions of parts of requests */
static const char *const parts[] = {
	"ConditionCheckItem", "PartiQLDelete", "PartiQLInsert", "PartiQLSelect",
	"PartiQLUpdate", "CreateTableReplica", "DeleteTableReplica",
	"DisassociateTableReplica"
};

static const char *const *operations;	/* sorted */
static int	noperations;

/* What is not among them has the last number: only "*" is about it. */
#define OTHER	(noperations + (int) lengthof(parts))

StaticAssertDecl(POLICY_MAX_OPERATIONS + lengthof(parts) + 1 <=
				 64 * POLICY_ACTION_WORDS,
				 "each action has a bit");

static const char *action_name(int action);
static int	compare_name(const void *name, const void *operation);

/*
 * The operations of the API, sorted by name, which stay where they are.  To be
 * given before the first document is read.
 */
void
policy_name_operations(const char *const *names, int n)
{
	Assert(n <= POLICY_MAX_OPERATIONS);
	operations = names;
	noperations = n;
}

/*
 * The number of an action.
 */
int
policy_action(const char *name)
{
	const char *const *found = bsearch(name, operations, noperations,
									   sizeof(char *), compare_name);

	if (found)
		return found - operations;
	for (int i = 0; i < lengthof(parts); i++)
	{
		if (strcmp(parts[i], name) == 0)
			return noperations + i;
	}
	return OTHER;
}

/*
 * The reverse; "" is none of them.
 */
static const char *
action_name(int action)
{
	if (action < noperations)
		return operations[action];
	return action < OTHER ? parts[action - noperations] : "";
}

static int
compare_name(const void *name, const void *operation)
{
	return strcmp(name, *(const char *const *) operation);
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
		char	   *name = psprintf(SERVICE "%s", action_name(i));

		text.data = name;
		text.len = strlen(name);
		if (policy_matches(&compiled, &text, NULL))
			bits[i / 64] |= UINT64CONST(1) << (i % 64);
		pfree(name);
	}
}
