/*-------------------------------------------------------------------------
 *
 * stream_privilege.c
 *	  Who may know of a stream, and who may read it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "stream/stream_internal.h"
#include "utils/acl.h"
#include "utils/rls.h"

static bool was_owner(const StreamDef *stream);
static void deny(const char *table, const char *label,
				 const char *action) pg_attribute_noreturn();

/*
 * May the current user know of the stream?  If the table is gone, its former
 * owner may.  The stream's row does not show that yet if the table is being
 * dropped by another session, or was dropped where no event trigger runs.
 */
bool
stream_may_use(const StreamDef *stream)
{
	bool		gone = !OidIsValid(stream->relid);

	return (!gone && schema_may_use_yet(stream->relid, &gone)) ||
		(gone && was_owner(stream));
}

static bool
was_owner(const StreamDef *stream)
{
	return superuser() ||
		(OidIsValid(stream->owner) &&
		 has_privs_of_role(GetUserId(), stream->owner));
}

/*
 * Refuse a user who may not read the stream.  It shows all items of its table,
 * so a role under row-level security may not.
 */
void
stream_check_read(const StreamDef *stream, const char *action)
{
	bool		gone = !OidIsValid(stream->relid);
	bool		allowed = false;

	if (!gone)
		allowed = pg_class_aclcheck_ext(stream->relid, GetUserId(), ACL_SELECT,
										&gone) == ACLCHECK_OK &&
			check_enable_rls(stream->relid, InvalidOid, true) != RLS_ENABLED;
	if (gone)
		allowed = was_owner(stream);
	if (!allowed)
		deny(stream->table_name, stream->label, action);
}

/*
 * Raise AccessDeniedException for the current user.
 */
static void
deny(const char *table, const char *label, const char *action)
{
	schema_deny(action, psprintf("table/%s/stream/%s", table, label),
				schema_help_table(table));
}

/*
 * A stream of ours, NULL if there is none.  A user who may not use a table
 * must not learn which streams it has.
 */
const StreamDef *
stream_look_for(const WireStreamName *name, const char *action)
{
	const StreamDef *stream = stream_find(name->table, name->label);
	const TableDef *def = schema_find_table(name->table);

	if (stream != NULL ? !stream_may_use(stream) :
		def != NULL && !schema_may_use(def->relid))
		deny(name->table, name->label, action);
	return stream;
}
