/*-------------------------------------------------------------------------
 *
 * base_shared.c
 *	  Memory that all processes of a server share: requested, made and attached
 *	  in one way.
 *
 * In front of each piece stands the tranche of its locks, which processes have
 * to tell the server by themselves.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_shared.h"
#include "base/compat.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#define HEAD	CACHELINEALIGN(sizeof(int))

/* With assertions, bytes that follow a piece, which nobody may write to. */
#ifdef USE_ASSERT_CHECKING
#define GUARD	64
#else
#define GUARD	0
#endif
#define GUARDED 0x7E

static DynamoShared *pieces = NULL; /* requested */
static shmem_request_hook_type previous_request = NULL;
static shmem_startup_hook_type previous_startup = NULL;

static Size size_of(const DynamoShared *shared);
static Size whole_size(const DynamoShared *shared);
static void request_all(void);
static void attach_all(void);

void
dynamo_share(DynamoShared *shared)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	if (pieces == NULL)
	{
		previous_request = shmem_request_hook;
		shmem_request_hook = request_all;
		previous_startup = shmem_startup_hook;
		shmem_startup_hook = attach_all;
	}
	shared->next = pieces;
	pieces = shared;
}

static Size
size_of(const DynamoShared *shared)
{
	return shared->size != 0 ? shared->size : shared->measure();
}

/*
 * With what stands before and after it.
 */
static Size
whole_size(const DynamoShared *shared)
{
	return add_size(HEAD, add_size(size_of(shared), GUARD));
}

static void
request_all(void)
{
	if (previous_request)
		previous_request();
	for (const DynamoShared *shared = pieces; shared; shared = shared->next)
	{
		if (size_of(shared) != 0)
			RequestAddinShmemSpace(whole_size(shared));
	}
}

/*
 * Once more after a crash, when all memory is new.
 */
static void
attach_all(void)
{
	if (previous_startup)
		previous_startup();
	for (DynamoShared *shared = pieces; shared; shared = shared->next)
	{
		shared->attached = false;
		if (size_of(shared) != 0)
			dynamo_attach_shared(shared);
	}
}

void
dynamo_attach_shared(DynamoShared *shared)
{
	Size		size;
	int		   *tranche;
	char	   *guard;
	bool		found;

	if (shared->attached)
		return;
	size = whole_size(shared);
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	tranche = ShmemInitStruct(shared->name, size, &found);
	if (!found)
	{
		memset(tranche, 0, size);
		*tranche = compat_new_tranche(shared->name);
	}
	compat_name_tranche(*tranche, shared->name);
	guard = (char *) tranche + size - GUARD;
	for (int i = 0; i < GUARD && !found; i++)
		guard[i] = GUARDED;
	shared->attach((char *) tranche + HEAD, *tranche, !found);
	for (int i = 0; i < GUARD; i++)
		Assert(guard[i] == GUARDED);
	LWLockRelease(AddinShmemInitLock);
	shared->attached = true;
}
