/*-------------------------------------------------------------------------
 *
 * console.c
 *	  The files of the console.
 *
 * They are installed beside the extension, in the folder dynamo-console of the
 * share folder, and read when they are asked for.  Only the names below are
 * ever opened, whatever a request says, so no path leads out of the folder.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>

#include "base/base.h"
#include "common/hashfn.h"
#include "console/console.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/guc.h"

/* No file of ours comes near; a greater one is not ours. */
#define MAX_FILE	(8 * 1024 * 1024)

static const struct
{
	const char *path;
	const char *name;
	const char *content_type;
}			files[] = {
	{"/console", "index.html", "text/html; charset=utf-8"},
	{"/console/", "index.html", "text/html; charset=utf-8"},
	{"/console/console.js", "console.js", "text/javascript; charset=utf-8"},
	{"/console/console.css", "console.css", "text/css; charset=utf-8"},
};

/*
 * The page runs its own script, speaks to the server it came from, and shows
 * nothing from elsewhere.  Nobody else's page may hold it in a frame.
 */
const ConsoleHeader console_headers[] = {
	{"Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; "
		"connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
	"form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cache-Control", "no-cache"},
};
const int	console_num_headers = lengthof(console_headers);

bool		console_enabled = false;

static int	find_file(const char *uri);
static StringInfo read_file(const char *name);

void
console_define_settings(void)
{
	DefineCustomBoolVariable("dynamo.http_console",
							 "Whether GET /console serves the console.",
							 NULL,
							 &console_enabled, false,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
}

bool
console_asked(const char *uri)
{
	return find_file(uri) >= 0;
}

bool
console_read(const char *uri, bool gzip, ConsoleFile *file)
{
	int			i = find_file(uri);

	if (i < 0)
		return false;
	file->body = gzip ? read_file(psprintf("%s.gz", files[i].name)) : NULL;
	file->gzip = file->body != NULL;
	if (file->body == NULL &&
		(file->body = read_file(files[i].name)) == NULL)
		return false;
	file->content_type = files[i].content_type;
	file->etag = psprintf("\"%016llx\"", (unsigned long long)
						  hash_bytes_extended((unsigned char *) file->body->data,
											  file->body->len, 0));
	return true;
}

bool
console_unchanged(const ConsoleFile *file, const char *if_none_match)
{
	return if_none_match != NULL && strstr(if_none_match, file->etag) != NULL;
}

static int
find_file(const char *uri)
{
	for (int i = 0; i < lengthof(files); i++)
	{
		if (dynamo_is_path(uri, files[i].path))
			return i;
	}
	return -1;
}

/*
 * NULL: it is not installed.
 */
static StringInfo
read_file(const char *name)
{
	char		share[MAXPGPATH];
	char	   *path;
	FILE	   *file;
	struct stat st;
	StringInfo	body = NULL;

	get_share_path(my_exec_path, share);
	path = psprintf("%s/dynamo-console/%s", share, name);
	file = AllocateFile(path, PG_BINARY_R);
	if (file == NULL)
	{
		if (errno == ENOENT)
			return NULL;
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", path)));
	}
	if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) &&
		st.st_size <= MAX_FILE)
	{
		body = makeStringInfo();
		enlargeStringInfo(body, st.st_size);
		body->len = fread(body->data, 1, st.st_size, file);
		body->data[body->len] = '\0';
	}
	FreeFile(file);
	return body;
}
