/*-------------------------------------------------------------------------
 *
 * handler_list.c
 *	  What there is to do in a database, and where mappings go when their
 *	  stream ends.
 *
 * A stream that was disabled is read to its end.  If the table gets another
 * one, the mapping goes on there, at its start, when all lanes have read the
 * old one: so the changes of an item stay in order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"
#include "storage/lmgr.h"
#include "utils/timestamp.h"

static void add_lanes(HandlerLanes *lanes, const StreamMapping *mapping);
static bool has_read_all(int32 mapping, const StreamDef *stream);

/*
 * The lanes of mappings that are enabled, other than those that wait for
 * another attempt.  The list lives in the current context.
 */
void
handler_list(HandlerLanes *lanes)
{
	ListCell   *lc;

	memset(lanes, 0, sizeof(*lanes));
	foreach(lc, stream_mapping_list())
	{
		const StreamMapping *mapping = lfirst(lc);

		if (!mapping->enabled || !OidIsValid(mapping->owner))
			continue;
		lanes->mappings++;
		add_lanes(lanes, mapping);
	}
}

static void
add_lanes(HandlerLanes *lanes, const StreamMapping *mapping)
{
	ListCell   *lc;

	foreach(lc, stream_position_list(mapping->id))
	{
		const StreamPosition *position = lfirst(lc);
		HandlerLane *lane;

		if (dynamo_turn_waits(position->retry_at))
			continue;
		lane = palloc(sizeof(*lane));
		lane->mapping = mapping->id;
		lane->lane = position->lane;
		lanes->due = lappend(lanes->due, lane);
	}
}

/*
 * Move all mappings on whose stream has ended.
 */
void
handler_advance(void)
{
	ListCell   *lc;

	foreach(lc, stream_mapping_list())
	{
		const StreamMapping *mapping = lfirst(lc);

		if (mapping->enabled)
			handler_advance_one(mapping);
	}
}

/*
 * Move a mapping on if its stream has ended, has been read, and the table has
 * another one.  If somebody is at it, the next call does it.
 */
void
handler_advance_one(const StreamMapping *mapping)
{
	const StreamDef *stream = stream_by_id(mapping->stream);
	const StreamDef *next;
	StreamMapping changed;
	HandlerSettings settings;

	if (stream != NULL &&
		(stream->end_number == 0 || !has_read_all(mapping->id, stream)))
		return;
	next = stream_following(mapping->relid,
							stream ? stream->start_number : -1);
	if (next == NULL ||
		!ConditionalLockRelationOid(mapping->relid, AccessShareLock) ||
		!stream_mapping_lock(mapping->id, true, false))
		return;
	mapping = stream_mapping_read(mapping->id);
	if (mapping == NULL ||
		(stream != NULL && mapping->stream != stream->id) ||
		mapping->stream == next->id)
		return;
	changed = *mapping;
	changed.stream = next->id;
	handler_read_settings(mapping, &settings);
	stream_mapping_update(&changed);
	stream_position_delete_all(mapping->id);
	handler_set_positions(mapping->id, next, settings.factor,
						  HANDLER_TRIM_HORIZON, 0, stream == NULL);
}

static bool
has_read_all(int32 mapping, const StreamDef *stream)
{
	ListCell   *lc;

	foreach(lc, stream_position_list(mapping))
	{
		if (((const StreamPosition *) lfirst(lc))->number < stream->end_number)
			return false;
	}
	return true;
}

/*
 * Delete the mappings of roles that are gone.  Those of roles that were renamed
 * wait.
 */
void
handler_drop_orphans(void)
{
	ListCell   *lc;

	foreach(lc, stream_mapping_list())
	{
		const StreamMapping *mapping = lfirst(lc);

		if (!mapping->orphan ||
			!ConditionalLockRelationOid(mapping->relid, AccessShareLock) ||
			!stream_mapping_lock(mapping->id, true, false))
			continue;
		mapping = stream_mapping_read(mapping->id);
		if (mapping != NULL && mapping->orphan)
			stream_mapping_delete(mapping->id);
	}
}
