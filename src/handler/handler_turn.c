/*-------------------------------------------------------------------------
 *
 * handler_turn.c
 *	  One turn of a lane: a batch is read, the function is called, and the
 *	  lane's position moves behind the batch, all in one transaction.
 *
 * So each change is handled once, however processes and servers end: either
 * the function's work is committed, and the position with it, or neither is.
 *
 * The function runs in a subtransaction.  When it fails, its work is undone,
 * and the failure is noted in the transaction around it.  What fails later, at
 * commit, takes the whole transaction; the caller then notes the failure in
 * another one.
 *
 * What is noted decides about the next turn:
 *
 *	failure				the same batch again, after a while; what
 *						maximum_retry_attempts allows and no more
 *	failure, bisecting	its first half; a record alone is tried again as above
 *	partial response	the records before the first that could not be
 *						handled; then that one, alone, as after a failure
 *	no attempts left	the batch is given up, and the table on_failure keeps it
 *
 * A partial response undoes the whole call, even though a part of it was well
 * done.  Otherwise the work on records behind the failed one would be
 * committed now and done again.  So a batch with a failure in the middle is
 * called for once more, up to there.
 *
 * Reasons that have nothing to do with the records, such as a privilege that
 * is missing, cost no attempt.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base_pause.h"
#include "base/base_session.h"
#include "handler/handler_internal.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

/* Seconds to the next attempt if the function could not even be called. */
#define PROBLEM_DELAY	10

DynamoWorkers handler_callbacks;

typedef enum Outcome
{
	RESULT_NOTHING,
	RESULT_HANDLED,
	RESULT_GIVEN_UP,
	RESULT_PARTIAL
} Outcome;

/* A turn that is being taken. */
typedef struct Attempt
{
	HandlerTurn *turn;
	const StreamMapping *mapping;
	const StreamDef *stream;
	StreamPosition *position;
	HandlerSettings settings;
	HandlerBatch batch;
	Outcome		result;
	int			failed;			/* RESULT_PARTIAL: place of the first */
	ErrorData  *error;			/* NULL: none */
} Attempt;

static bool running = false;

static HandlerOutcome attempt_turn(HandlerTurn *turn);
static bool lock_mapping(Attempt *attempt);
static bool lock_all(HandlerTurn *turn, Oid relid);
static void note_lost(Attempt *attempt);
static void try_it(Attempt *attempt);
static bool try_work(void *arg);
static void read_and_call(Attempt *attempt);
static bool must_wait(const Attempt *attempt);
static bool is_exhausted(const Attempt *attempt);
static void give_up(Attempt *attempt);
static void call(Attempt *attempt);
static HandlerOutcome note_outcome(Attempt *attempt);
static void note_done(Attempt *attempt);
static HandlerOutcome note_partial(Attempt *attempt);
static void report_failure(const Attempt *attempt);
static void note_failure(StreamPosition *position, const HandlerTurn *turn,
						 const HandlerSettings *settings,
						 const char *message);
static void start_again_in(StreamPosition *position, int seconds);

/*
 * Take a turn.  HANDLER_BUSY and HANDLER_IDLE: nothing was done.
 */
HandlerOutcome
handler_take_turn(HandlerTurn *turn)
{
	MemoryContext caller = dynamo_turn_begin();
	HandlerOutcome outcome;

	PreventCommandIfReadOnly("running an event source mapping");
	PreventCommandIfParallelMode("running an event source mapping");
	if (running)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a function that handles events cannot run event source mappings")));
	running = true;
	PG_TRY();
	{
		outcome = attempt_turn(turn);
	}
	PG_FINALLY();
	{
		running = false;
	}
	PG_END_TRY();
	dynamo_turn_end(caller);
	return outcome;
}

static HandlerOutcome
attempt_turn(HandlerTurn *turn)
{
	Attempt		attempt = {.turn = turn};

	turn->count = 0;
	turn->called = turn->cancelled = turn->given_up = false;
	dynamo_pause("handler");
	if (!lock_mapping(&attempt))
		return attempt.mapping ? HANDLER_BUSY : HANDLER_IDLE;
	turn->from = attempt.position->number;
	if (attempt.stream->end_number != 0 &&
		turn->from >= attempt.stream->end_number)
		return HANDLER_IDLE;
	if (!turn->by_hand && dynamo_turn_waits(attempt.position->retry_at))
		return HANDLER_IDLE;
	if (!dynamo_may_work(&handler_callbacks, turn->by_hand,
						 attempt.mapping->owner, attempt.mapping->relid,
						 attempt.stream->table_name))
		return HANDLER_BUSY;
	note_lost(&attempt);
	try_it(&attempt);
	return note_outcome(&attempt);
}

/*
 * Lock what the turn needs, and read it again.  False with a mapping: somebody
 * else is at it; without: there is nothing to be done.
 */
static bool
lock_mapping(Attempt *attempt)
{
	HandlerTurn *turn = attempt->turn;
	const StreamMapping *mapping = stream_mapping_read(turn->mapping);
	Oid			relid;

	if (mapping == NULL || (!mapping->enabled && !turn->by_hand))
		return false;
	relid = mapping->relid;
	if (!lock_all(turn, relid))
	{
		attempt->mapping = mapping;
		return false;
	}
	mapping = stream_mapping_read(turn->mapping);
	if (mapping == NULL || (!mapping->enabled && !turn->by_hand) ||
		mapping->relid != relid || !OidIsValid(mapping->owner))
		return false;
	attempt->position = stream_position_read(turn->mapping, turn->lane);
	attempt->stream = stream_by_id(mapping->stream);
	if (attempt->position == NULL || attempt->stream == NULL)
		return false;
	attempt->mapping = mapping;
	handler_read_settings(mapping, &attempt->settings);
	return true;
}

/*
 * In the order of stream_mapping.c.  A worker does not wait.  Otherwise it
 * could be kept from all other lanes.
 */
static bool
lock_all(HandlerTurn *turn, Oid relid)
{
	if (turn->by_hand)
		LockRelationOid(relid, AccessShareLock);
	else if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return false;
	return stream_mapping_lock(turn->mapping, false, turn->by_hand) &&
		stream_lane_lock(turn->mapping, turn->lane, turn->by_hand);
}

/*
 * Records that were trimmed before they could be handled are lost.
 */
static void
note_lost(Attempt *attempt)
{
	StreamPosition *position = attempt->position;
	int64		trimmed = stream_trimmed(attempt->stream);

	if (position->number >= trimmed ||
		trimmed == attempt->stream->start_number)
		return;
	ereport(WARNING,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("event source mapping %d has lost records of table \"%s\"",
					position->mapping, attempt->stream->table_name),
			 errdetail("Records after sequence number %s, up to %s, were trimmed before they were handled.",
					   stream_sequence_number(position->number),
					   stream_sequence_number(trimmed))));
	position->number = trimmed;
	position->batch_end = 0;
	position->batch_limit = 0;
	position->failures = 0;
	position->lost_at = GetCurrentTimestamp();
	stream_position_update(position);
	attempt->turn->from = trimmed;
}

/*
 * Work in a subtransaction, which is kept if all goes well.
 */
static void
try_it(Attempt *attempt)
{
	attempt->error = dynamo_turn_work(attempt->mapping->owner,
									  attempt->turn->by_hand, try_work,
									  attempt);
	if (attempt->error == NULL)
		return;
	attempt->turn->cancelled =
		attempt->error->sqlerrcode == ERRCODE_QUERY_CANCELED;

	/*
	 * A cancel of the session is meant for what it does, not for what the
	 * function does.
	 */
	if (attempt->turn->by_hand && attempt->turn->cancelled)
		ReThrowError(attempt->error);
}

static bool
try_work(void *arg)
{
	Attempt    *attempt = arg;

	read_and_call(attempt);
	return attempt->result != RESULT_PARTIAL;
}

static void
read_and_call(Attempt *attempt)
{
	HandlerBatch *batch = &attempt->batch;

	stream_check_read(attempt->stream, "GetRecords");
	handler_read_batch(batch, attempt->stream, attempt->position,
					   &attempt->settings, attempt->turn->limit);
	if (batch->count == 0 || must_wait(attempt))
		return;
	if (batch->expired || is_exhausted(attempt))
		give_up(attempt);
	else
		call(attempt);
}

/*
 * Is the batch to grow?  By hand it is taken as it is.  One that lies in the future
 * was written before the clock was set back, and does not wait for that.
 */
static bool
must_wait(const Attempt *attempt)
{
	const HandlerBatch *batch = &attempt->batch;
	TimestampTz window = attempt->settings.window * USECS_PER_SEC;
	TimestampTz left = batch->first_at + window - GetCurrentTimestamp();

	return !attempt->turn->by_hand && !batch->complete &&
		left > 0 && left <= window;
}

static bool
is_exhausted(const Attempt *attempt)
{
	const StreamPosition *position = attempt->position;

	return position->batch_end != 0 && attempt->settings.max_retries >= 0 &&
		position->failures > attempt->settings.max_retries;
}

static void
give_up(Attempt *attempt)
{
	const StreamMapping *mapping = attempt->mapping;
	const StreamPosition *position = attempt->position;

	if (OidIsValid(mapping->on_failure))
		handler_keep_failure(mapping->on_failure,
							 handler_failure(mapping, attempt->stream,
											 position->lane /
											 attempt->settings.factor,
											 &attempt->batch,
											 position->failures));
	attempt->result = RESULT_GIVEN_UP;
}

static void
call(Attempt *attempt)
{
	HandlerTurn *turn = attempt->turn;
	const HandlerBatch *batch = &attempt->batch;
	Oid			function = handler_find_function(attempt->mapping);

	turn->size = batch->count;
	turn->to = batch->to;
	turn->half = batch->numbers[(batch->count - 1) / 2];
	turn->called = true;
	attempt->failed =
		handler_first_failed(handler_call(function, handler_event(batch)),
							 batch);
	attempt->result = attempt->failed < 0 ? RESULT_HANDLED : RESULT_PARTIAL;
}

/*
 * Note what came of it.  The function may have deleted its own mapping; then
 * there is nothing to note.
 */
static HandlerOutcome
note_outcome(Attempt *attempt)
{
	HandlerTurn *turn = attempt->turn;
	StreamPosition *position = attempt->position;

	if (attempt->error != NULL)
	{
		report_failure(attempt);
		note_failure(position, turn, &attempt->settings,
					 attempt->error->message);
		return HANDLER_FAILED;
	}
	if (attempt->result == RESULT_PARTIAL)
		return note_partial(attempt);
	if (attempt->result == RESULT_NOTHING &&
		(attempt->batch.count > 0 || attempt->batch.to == position->number))
		return HANDLER_IDLE;
	note_done(attempt);
	return HANDLER_DONE;
}

/*
 * The lane goes on behind the batch.
 */
static void
note_done(Attempt *attempt)
{
	StreamPosition *position = attempt->position;
	const HandlerBatch *batch = &attempt->batch;

	position->number = batch->to;
	position->batch_end = 0;
	position->failures = 0;
	position->retry_at = 0;
	if (attempt->result == RESULT_HANDLED)
	{
		position->handled += batch->count;
		position->result = "OK";
		position->last_at = GetCurrentTimestamp();
		if (position->batch_limit > attempt->settings.batch_size / 2)
			position->batch_limit = 0;
		else
			position->batch_limit *= 2;
	}
	else if (attempt->result == RESULT_GIVEN_UP)
	{
		position->discarded += batch->count;
		ereport(WARNING,
				(errcode(ERRCODE_TRIGGERED_ACTION_EXCEPTION),
				 errmsg("event source mapping %d has given up records of table \"%s\"",
						position->mapping, attempt->stream->table_name),
				 errdetail("Sequence numbers: %s to %s, %d records.",
						   stream_sequence_number(batch->numbers[0]),
						   stream_sequence_number(batch->numbers[batch->count - 1]),
						   batch->count)));
	}
	attempt->turn->count = batch->count;
	attempt->turn->given_up = attempt->result == RESULT_GIVEN_UP;
	stream_position_update(position);
}

static HandlerOutcome
note_partial(Attempt *attempt)
{
	StreamPosition *position = attempt->position;
	const HandlerBatch *batch = &attempt->batch;

	position->last_at = GetCurrentTimestamp();
	position->batch_end = batch->numbers[Max(attempt->failed - 1, 0)];
	position->result = psprintf("PROBLEM: the function could not handle record %s",
								stream_sequence_number(batch->numbers[attempt->failed]));
	if (attempt->failed > 0)
	{
		position->failures = 0;
		position->retry_at = 0;
	}
	else
		start_again_in(position, ++position->failures);
	stream_position_update(position);
	return attempt->failed > 0 ? HANDLER_DONE : HANDLER_FAILED;
}

static void
report_failure(const Attempt *attempt)
{
	const ErrorData *error = attempt->error;
	const HandlerTurn *turn = attempt->turn;

	ereport(WARNING,
			(dynamo_rest_of(error),
			 turn->called ?
			 errmsg("event source mapping %d: function %s has failed on a batch of table \"%s\": %s",
					turn->mapping, handler_function_text(attempt->mapping),
					attempt->stream->table_name, error->message) :
			 errmsg("event source mapping %d of table \"%s\" cannot be run: %s",
					turn->mapping, attempt->stream->table_name,
					error->message)));
}

/*
 * The turn's transaction has failed, in spite of all.
 */
void
handler_note_failure(HandlerTurn *turn, const char *message)
{
	Attempt		attempt = {.turn = turn};
	int64		from = turn->from;

	if (!lock_mapping(&attempt))
		return;

	/* The turn may have begun behind lost records, which it has not noted. */
	note_lost(&attempt);
	if (attempt.position->number != from)
		return;
	note_failure(attempt.position, turn, &attempt.settings, message);
}

static void
note_failure(StreamPosition *position, const HandlerTurn *turn,
			 const HandlerSettings *settings, const char *message)
{
	position->last_at = GetCurrentTimestamp();
	position->result = psprintf("PROBLEM: %s", message);
	if (!turn->called)
		start_again_in(position, 0);
	else if (settings->bisect && turn->size > 1)
	{
		position->batch_end = turn->half;
		position->batch_limit = turn->size / 2;
		position->failures = 0;
		position->retry_at = 0;
	}
	else
	{
		position->batch_end = turn->to;
		start_again_in(position, ++position->failures);
	}
	stream_position_update(position);
}

/*
 * After so many failures; 0: it could not be tried.
 */
static void
start_again_in(StreamPosition *position, int failures)
{
	position->retry_at = failures > 0 ? dynamo_turn_again(failures) :
		GetCurrentTimestamp() + PROBLEM_DELAY * USECS_PER_SEC;
}
