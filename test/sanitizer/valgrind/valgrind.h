/* Stands in for Valgrind's header; see memcheck.h. */
#ifndef SANITIZER_VALGRIND_H
#define SANITIZER_VALGRIND_H

#define VALGRIND_COUNT_ERRORS			0
#define VALGRIND_PRINTF(...)			((void) 0)

#endif
