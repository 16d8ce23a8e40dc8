/*-------------------------------------------------------------------------
 *
 * handler_mapping.c
 *	  Making, changing and deleting event source mappings.
 *
 * A mapping belongs to the role that makes it, and its function runs as that
 * role.  The role must be allowed to read the table's stream, and to call the
 * function; both are asked again for each batch.  Members of the role may
 * change the mapping.  The owner of the table may disable and delete it, too:
 * it holds on to his table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/compat.h"
#include "catalog/pg_proc.h"
#include "handler/handler_internal.h"
#include "miscadmin.h"
#include "schema/schema_row.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

static bool may_direct(Oid owner);
static void name_function(StreamMapping *mapping, Oid function);
static void forget_waits(int32 id);
static void refuse_missing(int32 id) pg_attribute_noreturn();
static void refuse_stranger(int32 id) pg_attribute_noreturn();

/*
 * Returns the number of the new mapping.
 */
int32
handler_create(const char *table, Oid function,
			   const HandlerSettings *settings, Oid on_failure,
			   HandlerStart start, TimestampTz at, bool enabled)
{
	const TableDef *def = schema_find_table(table);
	StreamMapping mapping = {0};

	PreventCommandIfReadOnly("making an event source mapping");
	PreventCommandIfParallelMode("making an event source mapping");
	handler_check_settings(settings);
	if (def == NULL || !schema_check_use(def, "GetRecords"))
		dynamo_error_with_help(DYNAMO_RESOURCE_NOT_FOUND,
							   schema_help_missing(table),
							   "Requested resource not found: Table: %s not found",
							   table);

	/* Otherwise the table could be dropped before the row is there. */
	LockRelationOid(def->relid, AccessShareLock);
	def = schema_find_table(table);
	if (def != NULL)
		schema_refuse_distributed(def, "have an event source mapping");
	if (def == NULL || def->stream == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" has no stream", table),
				 errhint("Enable one by dynamo.enable_stream() or UpdateTable.")));
	stream_check_read(def->stream, "GetRecords");
	handler_check_function(function, GetUserId());
	if (OidIsValid(on_failure))
		handler_check_on_failure(on_failure, GetUserId());

	mapping.relid = def->relid;
	mapping.stream = def->stream->id;
	mapping.owner = GetUserId();
	mapping.owner_name = GetUserNameFromId(mapping.owner, false);
	name_function(&mapping, function);
	mapping.enabled = enabled;
	mapping.created_at = GetCurrentTimestamp();
	mapping.settings = handler_settings_text(settings);
	mapping.on_failure = on_failure;
	mapping.id = stream_mapping_insert(&mapping);
	handler_set_positions(mapping.id, def->stream, settings->factor, start,
						  at, false);
	if (enabled)
		dynamo_want_worker(&handler_callbacks);
	return mapping.id;
}

static void
name_function(StreamMapping *mapping, Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	mapping->function_name = pstrdup(NameStr(form->proname));
	mapping->function_schema = get_namespace_name(form->pronamespace);
	ReleaseSysCache(tuple);
}

/*
 * A mapping that the current user may change; its table's owner may only if
 * "of_table" is true.
 */
const StreamMapping *
handler_find(int32 id, bool of_table)
{
	const StreamMapping *mapping = stream_mapping_read(id);

	if (mapping == NULL)
		refuse_missing(id);
	if (!dynamo_acts_for(mapping->owner) && !(of_table && dynamo_owns(mapping->relid)))
		refuse_stranger(id);
	return mapping;
}

/*
 * Does the current user know of the mapping?
 */
bool
handler_may_know(const StreamMapping *mapping)
{
	return dynamo_acts_for(mapping->owner) || dynamo_owns(mapping->relid);
}

/*
 * Change a mapping that handler_lock() has returned.  One that is enabled then goes
 * on at once, with batches that wait after a failure, too.
 */
void
handler_update(const StreamMapping *mapping, Oid function,
			   const HandlerSettings *settings, bool replace_on_failure,
			   Oid on_failure, bool enabled)
{
	StreamMapping changed = *mapping;
	HandlerSettings before;
	char	   *text = handler_settings_text(settings);

	/* What is stored may be written in another way. */
	handler_read_settings(mapping, &before);
	if (!may_direct(changed.owner) &&
		(!dynamo_owns(changed.relid) || enabled || OidIsValid(function) ||
		 replace_on_failure ||
		 strcmp(text, handler_settings_text(&before)) != 0))
		refuse_stranger(mapping->id);
	handler_check_settings(settings);
	if (OidIsValid(function))
	{
		handler_check_function(function, changed.owner);
		name_function(&changed, function);
	}
	if (replace_on_failure)
	{
		if (OidIsValid(on_failure))
			handler_check_on_failure(on_failure, changed.owner);
		changed.on_failure = on_failure;
	}
	changed.settings = text;
	changed.enabled = enabled;
	stream_mapping_update(&changed);
	if (enabled)
	{
		forget_waits(mapping->id);
		dynamo_want_worker(&handler_callbacks);
	}
}

/*
 * May the current user say what is done as that role?  Its privileges alone are not
 * enough: a function, or a trigger of a table for failures, is it.
 */
static bool
may_direct(Oid owner)
{
	return dynamo_acts_for(owner) && compat_can_become(GetUserId(), owner);
}

/*
 * Have batches that have failed tried again at once: what kept them from being
 * handled may be gone.  Their attempts are counted on.
 */
static void
forget_waits(int32 id)
{
	ListCell   *lc;

	foreach(lc, stream_position_list(id))
	{
		StreamPosition *position = lfirst(lc);

		if (position->retry_at == 0)
			continue;
		position->retry_at = 0;
		stream_position_update(position);
	}
}

void
handler_delete(int32 id)
{
	(void) handler_lock(id);
	stream_mapping_delete(id);
}

/*
 * Lock a mapping that the current user may change against all who run or
 * change it, in the order of stream_mapping.c, and read it again.
 */
const StreamMapping *
handler_lock(int32 id)
{
	const StreamMapping *mapping = handler_find(id, true);

	PreventCommandIfReadOnly("changing an event source mapping");
	PreventCommandIfParallelMode("changing an event source mapping");
	LockRelationOid(mapping->relid, AccessShareLock);
	(void) stream_mapping_lock(id, true, true);
	return handler_find(id, true);
}

static void
refuse_missing(int32 id)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("event source mapping %d does not exist", id)));
}

static void
refuse_stranger(int32 id)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("must be owner of event source mapping %d", id)));
}
