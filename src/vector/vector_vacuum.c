/*-------------------------------------------------------------------------
 *
 * vector_vacuum.c
 *	  VACUUM of vector indexes: entries of rows that are gone make room.
 *
 * Slots become free where they are.  A group with free slots is put on the list
 * of its bucket, and the next entries go there.  The file does not become
 * shorter but by REINDEX.
 *
 * No reader holds a page between reading an entry and following it.  All read
 * under MVCC snapshots, and a row that has taken the place of another since is
 * none that theirs sees.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "base/compat.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "vector/vector_internal.h"

/* Of so many slots of a generation one is free: new entries are to go there. */
#define ROOMY			20

/* What is found in a generation. */
typedef struct Room
{
	uint64		slots;
	uint64		used;
} Room;

typedef struct Vacuum
{
	Relation	index;
	VectorMeta	meta;
	IndexBulkDeleteResult *stats;
	IndexBulkDeleteCallback callback;
	void	   *callback_state;
	Room		rooms[VECTOR_MAX_GENERATIONS];
} Vacuum;

static bool sweep_group(Vacuum *vacuum, Buffer buffer);
static bool is_of_index(const Vacuum *vacuum, const VectorGroup *group);
static void free_slots(Vacuum *vacuum, Buffer buffer, const int *dead, int n);
static void list_group(Vacuum *vacuum, BlockNumber block, uint32 generation,
					   uint32 bucket);
static void tell_room(const Vacuum *vacuum);

/*
 * ambulkdelete: ask the callback about each entry, in the order of the file.  An
 * entry that is made meanwhile leads to no row that the caller asks about.
 */
IndexBulkDeleteResult *
vector_bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
				   IndexBulkDeleteCallback callback, void *callback_state)
{
	Vacuum		vacuum = {
		.index = info->index, .callback = callback,
		.callback_state = callback_state
	};
	BlockNumber nblocks = RelationGetNumberOfBlocks(info->index);

	if (stats == NULL)
		stats = palloc0(sizeof(IndexBulkDeleteResult));
	vacuum.stats = stats;
	stats->num_index_tuples = 0;
	vector_read_meta(info->index, &vacuum.meta);
	for (BlockNumber block = 1; block < nblocks; block++)
	{
		Buffer		buffer;
		const VectorGroup *group;
		uint32		generation;
		uint32		bucket;
		bool		list;

		compat_vacuum_delay();
		buffer = ReadBufferExtended(info->index, MAIN_FORKNUM, block,
									RBM_NORMAL, info->strategy);
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		if (!vector_page_is(BufferGetPage(buffer), VECTOR_PAGE_GROUP))
		{
			UnlockReleaseBuffer(buffer);
			continue;
		}
		group = vector_page_group(BufferGetPage(buffer));
		generation = group->generation;
		bucket = group->bucket;
		list = sweep_group(&vacuum, buffer);
		UnlockReleaseBuffer(buffer);
		if (list)
			list_group(&vacuum, block, generation, bucket);
	}
	tell_room(&vacuum);
	return stats;
}

/*
 * amvacuumcleanup
 */
IndexBulkDeleteResult *
vector_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (stats == NULL || info->analyze_only)
		return stats;
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	return stats;
}

/*
 * Delete what the callback says.  Returns whether the group has room and is not
 * on the list of its bucket.
 */
static bool
sweep_group(Vacuum *vacuum, Buffer buffer)
{
	const VectorShape *shape = &vacuum->meta.shape;
	Page		page = BufferGetPage(buffer);
	const VectorGroup *group = vector_page_group(page);
	int			dead[VECTOR_PAGE_SPACE / offsetof(VectorSlot, tags)];
	int			n = 0;
	int			used = 0;
	Room	   *room;

	if (!is_of_index(vacuum, group))
		vector_page_corrupted(vacuum->index, BufferGetBlockNumber(buffer));
	for (int i = 0; i < shape->nslots; i++)
	{
		VectorSlot *slot = vector_page_slot(page, shape, i);

		if (!ItemPointerIsValid(&slot->tid))
			continue;
		used++;
		if (vacuum->callback(&slot->tid, vacuum->callback_state))
			dead[n++] = i;
	}
	if (n > 0)
		free_slots(vacuum, buffer, dead, n);
	vacuum->stats->tuples_removed += n;
	vacuum->stats->num_index_tuples += used - n;
	room = &vacuum->rooms[group->generation];
	room->slots += shape->nslots;
	room->used += used - n;
	return used - n < shape->nslots && !group->listed;
}

/* What it says of itself is used to find its bucket. */
static bool
is_of_index(const Vacuum *vacuum, const VectorGroup *group)
{
	return group->generation < vacuum->meta.ngenerations &&
		group->bucket < VECTOR_BUCKETS(group->generation);
}

static void
free_slots(Vacuum *vacuum, Buffer buffer, const int *dead, int n)
{
	GenericXLogState *state = GenericXLogStart(vacuum->index);
	Page		page = GenericXLogRegisterBuffer(state, buffer, 0);
	VectorGroup *group = vector_page_group(page);

	for (int i = 0; i < n; i++)
		ItemPointerSetInvalid(&vector_page_slot(page, &vacuum->meta.shape,
												dead[i])->tid);
	group->used -= n;
	group->first_free = Min(group->first_free, dead[0]);
	GenericXLogFinish(state);
}

/*
 * Put a group on the list of its bucket, in the order of locks.
 */
static void
list_group(Vacuum *vacuum, BlockNumber block, uint32 generation,
		   uint32 bucket)
{
	int			n;
	Buffer		directory = vector_page_bucket(vacuum->index, &vacuum->meta,
											   generation, bucket,
											   BUFFER_LOCK_EXCLUSIVE, &n);
	Buffer		buffer = vector_page_read(vacuum->index, block,
										  VECTOR_PAGE_GROUP,
										  BUFFER_LOCK_EXCLUSIVE, NULL);

	if (!vector_page_group(BufferGetPage(buffer))->listed)
	{
		GenericXLogState *state = GenericXLogStart(vacuum->index);
		VectorBucket *entry =
			&vector_page_buckets(GenericXLogRegisterBuffer(state, directory, 0))[n];
		VectorGroup *group =
			vector_page_group(GenericXLogRegisterBuffer(state, buffer, 0));

		group->open_next = entry->open;
		group->listed = true;
		entry->open = block;
		GenericXLogFinish(state);
	}
	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(directory);
}

/*
 * Keep in the meta page which generations new entries are to look at.  One that
 * was opened meanwhile is the newest, which they do in any case.
 */
static void
tell_room(const Vacuum *vacuum)
{
	uint32		roomy = 0;
	Buffer		buffer;

	for (uint32 i = 0; i + 1 < vacuum->meta.ngenerations; i++)
	{
		const Room *room = &vacuum->rooms[i];

		if ((room->slots - room->used) * ROOMY > room->slots)
			roomy |= 1 << i;
	}
	if (roomy == vacuum->meta.roomy)
		return;
	buffer = vector_page_read(vacuum->index, 0, VECTOR_PAGE_META,
							  BUFFER_LOCK_EXCLUSIVE, NULL);
	{
		GenericXLogState *state = GenericXLogStart(vacuum->index);

		vector_page_meta(GenericXLogRegisterBuffer(state, buffer, 0))->roomy = roomy;
		GenericXLogFinish(state);
	}
	UnlockReleaseBuffer(buffer);
}
