/*
 * Loaded before a server by LD_PRELOAD: the file ASKED grows by a byte each time
 * that a page is asked for ahead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int
posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
	int			(*next) (int, off_t, off_t, int) = dlsym(RTLD_NEXT, "posix_fadvise");

	if (advice == POSIX_FADV_WILLNEED)
	{
		int			file = open(getenv("ASKED"), O_WRONLY | O_APPEND);

		if (write(file, "x", 1) != 1)
			abort();
		close(file);
	}
	return next(fd, offset, length, advice);
}
