/*-------------------------------------------------------------------------
 *
 * cover.c
 *	  Tells the fuzzer which branches an input reached for the first time.
 *
 * gcc -fsanitize-coverage=trace-pc puts a call of __sanitizer_cov_trace_pc()
 * into every basic block of the extension.  This library, preloaded into the
 * postmaster, answers the calls: it notes each pair of blocks that follow one
 * another, together with how often they did within one input (1, 2, 4, ... up
 * to 128 times), in a file that the fuzzer maps, too.  The fuzzer names the
 * target and opens an epoch before it sends an input; afterwards it looks
 * whether "fresh" has grown.
 *
 *		offset 0	uint32 target	1 to 63; 0: note nothing
 *		offset 4	uint32 epoch
 *		offset 8	uint32 fresh	notes made so far
 *		64 KB * t	notes of target t, a byte for each pair of blocks
 *
 * Two pairs may share a byte; then one of them goes unnoticed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fmgr.h"
#include "miscadmin.h"

PG_MODULE_MAGIC;

#define TARGETS		64
#define PAIRS		65536

typedef struct Header
{
	uint32		target;
	uint32		epoch;
	uint32		fresh;
} Header;

/* How often a pair was met in which epoch; of this process. */
typedef struct Count
{
	uint32		epoch;
	uint32		count;
} Count;

static uint8 *map;
static Count counts[PAIRS];

extern PGDLLEXPORT void _PG_init(void);
extern PGDLLEXPORT void __sanitizer_cov_trace_pc(void);

/*
 * The file lies in the data directory, which is where a postmaster works.
 */
void
_PG_init(void)
{
	int			fd = open("cover.map", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, (off_t) TARGETS * PAIRS) != 0)
		elog(FATAL, "could not make cover.map: %m");
	map = mmap(NULL, (size_t) TARGETS * PAIRS, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		elog(FATAL, "could not map cover.map: %m");
}

/*
 * Blocks are told by their distance from the start of the library, which is
 * the same in each backend.
 */
void
__sanitizer_cov_trace_pc(void)
{
	static uintptr_t base;
	static uint32 before;
	Header	   *header = (Header *) map;
	uint32		block;
	uint32		pair;

	if (header == NULL || header->target == 0 || header->target >= TARGETS)
		return;
	if (base == 0)
	{
		Dl_info		info;

		if (dladdr(__builtin_return_address(0), &info) == 0)
			return;
		base = (uintptr_t) info.dli_fbase;
	}
	block = (uint32) ((uintptr_t) __builtin_return_address(0) - base);
	pair = ((block * 0x9E3779B1u) ^ (before * 0x85EBCA6Bu)) >> 16;
	before = block;

	if (counts[pair].epoch != header->epoch)
	{
		counts[pair].epoch = header->epoch;
		counts[pair].count = 0;
	}
	counts[pair].count++;
	if (counts[pair].count <= 128 &&
		(counts[pair].count & (counts[pair].count - 1)) == 0)
	{
		uint8	   *notes = map + header->target * PAIRS + pair;
		uint8		note = counts[pair].count;

		if ((*notes & note) == 0)
		{
			*notes |= note;
			header->fresh++;
		}
	}
}
