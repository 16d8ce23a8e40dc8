/*-------------------------------------------------------------------------
 *
 * operation_counted.c
 *	  Which errors of a handler an operation counts.
 *
 * The constraint pass says "1 validation error detected: " of what it finds.
 * Some operations say so of errors that come later, too: of those about the
 * request alone.  Which ones, differs from operation to operation, and is
 * told here for each rule.  Transactions, batches, Scan and GetItem count
 * none.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "operation/operation_internal.h"

#define PUT		OPERATION_COUNTS_PUT
#define UPDATE	OPERATION_COUNTS_UPDATE
#define DELETE	OPERATION_COUNTS_DELETE
#define QUERY	OPERATION_COUNTS_QUERY

typedef struct Counted
{
	const char *rule;
	int			operations;		/* those that count it when it is broken */
} Counted;

static const Counted counted[] = {
	{DYNAMO_RULE_VALUE_FORM, PUT | UPDATE | DELETE},
	{DYNAMO_RULE_VALUE, PUT | UPDATE | DELETE},
	{DYNAMO_RULE_MIXING, PUT | UPDATE | DELETE},
	{DYNAMO_RULE_PLACEHOLDERS, PUT | UPDATE | DELETE},
	{DYNAMO_RULE_EXPRESSION, PUT | UPDATE | DELETE},
	{DYNAMO_RULE_LEGACY_CONDITION, PUT | DELETE},
	{DYNAMO_RULE_RETURN_VALUES, DELETE},
	{DYNAMO_RULE_SELECT, QUERY},
};

/*
 * Does the operation count this error of its handler?
 */
bool
operation_counts_error(const Operation *op, const ErrorData *error)
{
	DynamoException e;

	if (!dynamo_exception_of(error->sqlerrcode, &e) || e != DYNAMO_VALIDATION)
		return false;
	for (int i = 0; i < lengthof(counted); i++)
	{
		if (dynamo_breaks(error, counted[i].rule))
			return (counted[i].operations & op->counts) != 0;
	}
	return false;
}
