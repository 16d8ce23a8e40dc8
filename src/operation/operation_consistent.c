/*-------------------------------------------------------------------------
 *
 * operation_consistent.c
 *	  What a standby cannot answer although it writes nothing: a read that has
 *	  to see all that was committed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "operation/operation_internal.h"

static bool is_consistent(const Operation *op, const json_t *body);
static bool asks(const json_t *read);

/*
 * To be called on a standby, with a body that fits the operation's shape.
 */
void
operation_check_consistent(const Operation *op, const json_t *body)
{
	if (is_consistent(op, body))
		PreventCommandDuringRecovery("a consistent read");
}

/*
 * A transaction always is.  A batch asks for it by table, or by statement.
 */
static bool
is_consistent(const Operation *op, const json_t *body)
{
	const char *name;
	size_t		i;
	json_t	   *read;

	if (op->parts == OPERATION_TRANSACTION || asks(body))
		return true;
	json_object_foreach(json_object_get(body, "RequestItems"), name, read)
	{
		CHECK_FOR_INTERRUPTS();
		if (asks(read))
			return true;
	}
	json_array_foreach(json_object_get(body, "Statements"), i, read)
	{
		CHECK_FOR_INTERRUPTS();
		if (asks(read))
			return true;
	}
	return false;
}

static bool
asks(const json_t *read)
{
	return wire_json_is_true(read, "ConsistentRead");
}
