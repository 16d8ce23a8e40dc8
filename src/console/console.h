/*-------------------------------------------------------------------------
 *
 * console.h
 *	  The files of the console, which a browser asks the HTTP server for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CONSOLE_H
#define DYNAMO_CONSOLE_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* One file, as it is sent. */
typedef struct ConsoleFile
{
	const char *content_type;
	char	   *etag;			/* with its quotes */
	bool		gzip;			/* is the body compressed? */
	StringInfo	body;
} ConsoleFile;

/* What every file is sent with, besides its type and its tag. */
typedef struct ConsoleHeader
{
	const char *name;
	const char *value;
} ConsoleHeader;

extern const ConsoleHeader console_headers[];
extern const int console_num_headers;

/* Is the console served?  The setting dynamo.http_console. */
extern bool console_enabled;

/*
 * Is this the path of a file of the console, as "/console"?  A query behind it
 * is not looked at.  Raises nothing.
 */
extern bool console_asked(const char *uri);

/*
 * Read the file for a path for which the former is true, into the current
 * memory context; if "gzip", as it was compressed when it was built, if it was.
 * False: it is not installed, or is not one of ours.  Raises what reading a file
 * can raise.
 */
extern bool console_read(const char *uri, bool gzip, ConsoleFile *file);

/*
 * Does the header If-None-Match, or NULL, name this tag?
 */
extern bool console_unchanged(const ConsoleFile *file, const char *if_none_match);

/* Called once a process. */
extern void console_define_settings(void);

#endif							/* DYNAMO_CONSOLE_H */
