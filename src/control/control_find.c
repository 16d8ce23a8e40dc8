/*-------------------------------------------------------------------------
 *
 * control_find.c
 *	  The table, or the stream, that a request names.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

/*
 * TableName must be there, which no shape says: it has a text of its own.
 */
void
control_require_table(const char *name_or_arn)
{
	if (name_or_arn == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 "The parameter 'TableName' is required but was not present in the request");
}

/*
 * Check a name where the service still has its older text about the length.
 * "member" and "path": as that one names it, and as constraints do.
 */
void
control_check_old_name(const char *member, const char *path, const char *name)
{
	size_t		len = strlen(name);

	if (len < DYNAMO_MIN_NAME || len > DYNAMO_MAX_NAME)
		dynamo_error(DYNAMO_VALIDATION,
					 "%s must be at least %d characters long and at most %d characters long",
					 member, DYNAMO_MIN_NAME, DYNAMO_MAX_NAME);
	if (!wire_is_name(name))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_COUNTED "Value '%s' at '%s' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
					 name, path);
}

/*
 * The definition behind a TableName, which may be an ARN, for operation
 * "action".
 */
const TableDef *
control_find_table(const char *name_or_arn, const char *action)
{
	const TableDef *def;
	const char *name;

	control_require_table(name_or_arn);
	name = wire_table_name(name_or_arn);
	def = schema_find_table(name);
	if (def == NULL || !schema_check_use(def, action))
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(name),
							   NOT_FOUND "Table: %s not found", name);
	return def;
}

/*
 * A table that is being imported cannot be changed or deleted.
 */
void
control_refuse_filling(const TableDef *def)
{
	if (def->filling)
		dynamo_error(DYNAMO_RESOURCE_IN_USE,
					 IN_USE "Table is being created: %s", def->name);
}

/*
 * The name of the table that is backed up, exported or restored, which must
 * be there and whole.  The error names it, or echoes what was given.
 */
const char *
control_find_source(const char *name_or_arn, const char *action, bool echo)
{
	const char *name = wire_table_name(name_or_arn);
	const TableDef *def = schema_find_table(name);

	if (def == NULL || def->filling || !schema_check_use(def, action))
		dynamo_error(DYNAMO_TABLE_NOT_FOUND, "Table not found: %s",
					 echo ? name_or_arn : name);
	return name;
}
