/*-------------------------------------------------------------------------
 *
 * http_departure.c
 *	  Answers that are leaving: their memory.
 *
 * An answer stays until its client has read it, and nobody has to read.  So
 * the answers of a worker are limited all together.  Where they are more, the
 * oldest that are not read lose their connections.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/socket.h>

#include "http/http_internal.h"

/* Answers of one worker, all together. */
#define MAX_ANSWERS		((size_t) 16 * HTTP_MAX_BODY)

static size_t answers;

/* Not read to their ends, the oldest first. */
static dlist_head leaving = DLIST_STATIC_INIT(leaving);

/*
 * The request has an answer of so many bytes.
 */
void
http_departure_begin(HttpRequest *request, size_t len)
{
	request->answer_len = len;
	answers += len;
	dlist_push_tail(&leaving, &request->leaving);
	while (answers > MAX_ANSWERS)
	{
		HttpRequest *oldest =
			dlist_head_element(HttpRequest, leaving, &leaving);
		HttpConnection *connection = http_connection(oldest->connection);

		if (oldest == request)
			break;
		http_departure_end(oldest);
		if (connection != NULL)
			(void) shutdown(connection->fd, SHUT_RDWR);
	}
}

/*
 * The answer is read, or its connection is gone.  Nothing to do when it was
 * given up before, or when there never was one.
 */
void
http_departure_end(HttpRequest *request)
{
	if (request->leaving.next == NULL)
		return;
	dlist_delete(&request->leaving);
	request->leaving.next = NULL;
	answers -= request->answer_len;
}
