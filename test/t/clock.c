/*
 * clock.c
 *	  A clock that a test sets, for all processes that load this: the system's
 *	  and as many microseconds as the file $DYNAMO_TEST_CLOCK says at this moment.
 *
 *	  cc -shared -fPIC -o clock.so clock.c; LD_PRELOAD=clock.so
 *
 * Only the time of day is another: timeouts are measured by another clock.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t
offset(void)
{
	static volatile int64_t *shared = NULL;

	if (shared == NULL)
	{
		const char *name = getenv("DYNAMO_TEST_CLOCK");
		int			file = name ? open(name, O_RDONLY) : -1;

		if (file < 0)
			return 0;
		shared = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
		close(file);
		if (shared == MAP_FAILED)
			abort();
	}
	return *shared;
}

int
clock_gettime(clockid_t which, struct timespec *now)
{
	int			result = syscall(SYS_clock_gettime, which, now);

	if (result == 0 && which == CLOCK_REALTIME)
	{
		int64_t		later = now->tv_sec * INT64_C(1000000000) + now->tv_nsec +
			offset() * 1000;

		now->tv_sec = later / 1000000000;
		now->tv_nsec = later % 1000000000;
	}
	return result;
}

int
gettimeofday(struct timeval *now, void *zone)
{
	struct timespec precise;

	(void) zone;
	clock_gettime(CLOCK_REALTIME, &precise);
	now->tv_sec = precise.tv_sec;
	now->tv_usec = precise.tv_nsec / 1000;
	return 0;
}

time_t
time(time_t *now)
{
	struct timespec precise;

	clock_gettime(CLOCK_REALTIME, &precise);
	if (now != NULL)
		*now = precise.tv_sec;
	return precise.tv_sec;
}
