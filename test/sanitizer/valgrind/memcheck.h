/*
 * Lets AddressSanitizer know of PostgreSQL's memory contexts.
 *
 * A server built with USE_VALGRIND tells Valgrind which parts of its own
 * allocator's blocks are in use.  This file stands in for Valgrind's header and
 * tells AddressSanitizer the same, so that a read of a freed chunk, or of the
 * byte after one, is reported there, too.  What it cannot be told is what has
 * not been written yet.
 *
 * Valgrind is also told which shared buffers are pinned or locked, but not
 * always: a checkpoint writes buffers that it has not been told of.  So we do
 * not tell of buffers.
 */
#ifndef SANITIZER_MEMCHECK_H
#define SANITIZER_MEMCHECK_H

#include <sanitizer/asan_interface.h>

/*
 * The functions, not the macros of that header: these do nothing in code that
 * is not itself compiled for AddressSanitizer.
 */

#if defined(BUFMGR_INTERNALS_H) || defined(NBTREE_H)
#define VALGRIND_MAKE_MEM_NOACCESS(addr, size)			do {} while (0)
#else
#define VALGRIND_MAKE_MEM_NOACCESS(addr, size) \
	__asan_poison_memory_region(addr, size)
#endif
#define VALGRIND_MAKE_MEM_UNDEFINED(addr, size) \
	__asan_unpoison_memory_region(addr, size)
#define VALGRIND_MAKE_MEM_DEFINED(addr, size) \
	__asan_unpoison_memory_region(addr, size)

#define VALGRIND_CREATE_MEMPOOL(pool, redzone, zeroed)	do {} while (0)
#define VALGRIND_DESTROY_MEMPOOL(pool)					do {} while (0)
#define VALGRIND_MEMPOOL_ALLOC(pool, addr, size) \
	__asan_unpoison_memory_region(addr, size)
/* The allocator itself wipes, and so poisons, what is freed. */
#define VALGRIND_MEMPOOL_FREE(pool, addr)				do {} while (0)
#define VALGRIND_MEMPOOL_CHANGE(pool, from, to, size) \
	__asan_unpoison_memory_region(to, size)

#define VALGRIND_CHECK_MEM_IS_DEFINED(addr, size)		((void) 0)
#define VALGRIND_GET_VBITS(addr, bits, size)			0
#define VALGRIND_SET_VBITS(addr, bits, size)			((void) 0)

#endif
