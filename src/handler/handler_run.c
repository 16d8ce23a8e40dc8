/*-------------------------------------------------------------------------
 *
 * handler_run.c
 *	  Running a mapping by hand, for tests, for cron, and where nothing
 *	  preloads us.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "handler/handler_internal.h"
#include "miscadmin.h"

static int64 run_lanes(const StreamMapping *mapping);

/*
 * Run a mapping in the current session, whether it is enabled or not: all
 * records up to the horizon of this moment.  A lane is left at the first
 * batch that fails.  Returns how many records were handled.
 */
int64
handler_run(int32 id)
{
	const StreamMapping *mapping = handler_find(id, false);
	int64		count = 0;
	int32		stream;

	PreventCommandIfReadOnly("running an event source mapping");
	PreventCommandIfParallelMode("running an event source mapping");
	if (!OidIsValid(mapping->owner))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" that owns event source mapping %d does not exist any more",
						mapping->owner_name, id)));
	do
	{
		stream = mapping->stream;
		handler_advance_one(mapping);
		mapping = stream_mapping_read(id);
		if (mapping == NULL)
			break;				/* deleted meanwhile */
		count += run_lanes(mapping);
		mapping = stream_mapping_read(id);
		if (mapping != NULL)
			handler_advance_one(mapping);
		mapping = stream_mapping_read(id);
	} while (mapping != NULL && mapping->stream != stream);
	return count;
}

static int64
run_lanes(const StreamMapping *mapping)
{
	const StreamDef *stream = stream_by_id(mapping->stream);
	int			lanes = list_length(stream_position_list(mapping->id));
	int64		count = 0;

	for (int lane = 0; stream != NULL && lane < lanes; lane++)
	{
		HandlerTurn turn = {.mapping = mapping->id, .lane = lane,.by_hand = true};

		turn.limit = stream_horizon(stream);
		while (handler_take_turn(&turn) == HANDLER_DONE)
			count += turn.given_up ? 0 : turn.count;
	}
	return count;
}
