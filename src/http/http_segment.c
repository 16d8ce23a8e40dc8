/*-------------------------------------------------------------------------
 *
 * http_segment.c
 *	  What a long request is and what its answer, in dynamic shared memory.
 *
 * The worker that has the connection puts what the client sent into a segment,
 * and keeps that until the end.  The answer stands in the same segment if it
 * fits, otherwise in one that the long worker makes.  Who may read and write
 * there, and when, is http_job.c's.
 *
 * A segment of ten megabytes takes its worker seven milliseconds to make, fault
 * in and unmap, and one to copy to.  So a worker keeps one that is no longer
 * needed for a second (the spare), and its next request takes that if it is
 * large enough.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <netinet/in.h>

#include "http/http_internal.h"
#include "process/process_watch.h"

/* A segment has room for most answers. */
#define MIN_SEGMENT		((Size) 16 * 1024)

/* How long the spare is kept, in milliseconds. */
#define SPARE_TIME		1000

/* A request; "data" is the URI, the headers, and the body. */
typedef struct Sent
{
	bool		last;
	bool		secure;
	bool		hashed;
	uint8		hash[DYNAMO_SHA256_LENGTH];
	struct sockaddr_storage address;
	instr_time	called;
	char		id[HTTP_ID_LENGTH + 1];
	size_t		uri_len;		/* each without the zero byte behind it */
	size_t		head_len;
	size_t		body_len;
	char		data[FLEXIBLE_ARRAY_MEMBER];
} Sent;

typedef struct Answer
{
	unsigned int status;
	WireEncoding encoding;
	uint32		crc;
	size_t		len;
	char		body[FLEXIBLE_ARRAY_MEMBER];
} Answer;

/* Of this worker, or NULL. */
static dsm_segment *spare;
static int64 spare_end;

static dsm_segment *take_segment(Size size);
static dsm_segment *make_segment(Size size);
static Size head_length(HttpRequest *request);
static enum MHD_Result add_length(void *cls, enum MHD_ValueKind kind,
								  const char *name, size_t name_len,
								  const char *value, size_t len);
static enum MHD_Result add_header(void *cls, enum MHD_ValueKind kind,
								  const char *name, size_t name_len,
								  const char *value, size_t len);

/*
 * The size of a segment for the request, in bytes.
 */
Size
http_segment_size(HttpRequest *request)
{
	Size		size = offsetof(Sent, data) + strlen(request->uri) +
		head_length(request) + request->body_len + 3;

	return Max(size, MIN_SEGMENT);
}

/*
 * A segment of that size with the request in it; NULL: there is no memory.
 * "last" is whether it has to do without what it would have to wait for.
 */
dsm_segment *
http_segment_fill(HttpRequest *request, Size size, bool last)
{
	dsm_segment *segment = take_segment(size);
	const struct sockaddr *address = http_client(request);
	Sent	   *sent;
	char	   *end;

	if (segment == NULL)
		return NULL;

	sent = dsm_segment_address(segment);
	memset(sent, 0, offsetof(Sent, data));
	sent->last = last;
	sent->secure = http_is_secure(request);
	sent->hashed = request->hashed;
	memcpy(sent->hash, request->hash, sizeof(sent->hash));
	if (address != NULL)
		memcpy(&sent->address, address, address->sa_family == AF_INET6 ?
			   sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	sent->called = request->called;
	strlcpy(sent->id, http_request_id(request), sizeof(sent->id));
	sent->uri_len = strlen(request->uri);
	sent->head_len = head_length(request);
	sent->body_len = request->body_len;
	end = stpcpy(sent->data, request->uri) + 1;
	http_each_header(request, add_header, &end);
	*end++ = '\0';
	if (request->body_len > 0)
		memcpy(end, request->body, request->body_len);
	end[request->body_len] = '\0';
	return segment;
}

static Size
head_length(HttpRequest *request)
{
	Size		len = 0;

	http_each_header(request, add_length, &len);
	return len;
}

static enum MHD_Result
add_length(void *cls, enum MHD_ValueKind kind, const char *name,
		   size_t name_len, const char *value, size_t len)
{
	*(Size *) cls += strlen(name) + 1 + (value ? strlen(value) : 0) + 1;
	return MHD_YES;
}

static enum MHD_Result
add_header(void *cls, enum MHD_ValueKind kind, const char *name,
		   size_t name_len, const char *value, size_t len)
{
	char	  **end = cls;

	*end = stpcpy(*end, name) + 1;
	*end = stpcpy(*end, value ? value : "") + 1;
	return MHD_YES;
}

/*
 * The request is sent once more, and now "last" is this.
 */
void
http_segment_set_last(dsm_segment *segment, bool last)
{
	((Sent *) dsm_segment_address(segment))->last = last;
}

/*
 * The request of a segment, which points into it.
 */
void
http_segment_request(dsm_segment *segment, HttpRequest *request, bool *last)
{
	Sent	   *sent = dsm_segment_address(segment);

	memset(request, 0, sizeof(*request));
	*last = sent->last;
	request->method = "POST";
	request->secure = sent->secure;
	request->hashed = sent->hashed;
	memcpy(request->hash, sent->hash, sizeof(request->hash));
	if (sent->address.ss_family != AF_UNSPEC)
		request->address = (struct sockaddr *) &sent->address;
	request->called = sent->called;
	strlcpy(request->id, sent->id, sizeof(request->id));
	request->uri = sent->data;
	request->head = request->uri + sent->uri_len + 1;
	request->head_len = sent->head_len;
	request->body = sent->data + sent->uri_len + 1 + sent->head_len + 1;
	request->body_len = sent->body_len;
}

/*
 * Put an answer into the segment of its request, which is overwritten, or into
 * a new one if it does not fit.  Returns which; NULL: there is no memory.
 */
dsm_segment *
http_segment_store(dsm_segment *segment, const HttpReply *reply)
{
	Size		size = offsetof(Answer, body) + reply->body->len;
	Answer	   *answer;

	if (size > dsm_segment_map_length(segment))
	{
		segment = make_segment(size);
		if (segment == NULL)
			return NULL;
	}
	answer = dsm_segment_address(segment);
	answer->status = reply->status;
	answer->encoding = reply->encoding;
	answer->crc = reply->crc;
	answer->len = reply->body->len;
	memcpy(answer->body, reply->body->data, reply->body->len);
	return segment;
}

/*
 * The answer of a segment, which points into it.
 */
void
http_segment_reply(dsm_segment *segment, HttpReply *reply)
{
	Answer	   *answer = dsm_segment_address(segment);

	reply->status = answer->status;
	reply->encoding = answer->encoding;
	reply->crc = answer->crc;
	reply->body = makeStringInfo();
	pfree(reply->body->data);
	reply->body->data = answer->body;
	reply->body->len = answer->len;
}

/*
 * The segment that a long worker has made and pinned, without the pin; NULL:
 * there is no memory, which the log says.  No error is raised.
 */
dsm_segment *
http_segment_attach(dsm_handle handle)
{
	MemoryContext context = CurrentMemoryContext;
	dsm_segment *volatile segment = NULL;

	PG_TRY();
	{
		segment = dsm_attach(handle);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		EmitErrorReport();
		FlushErrorState();
	}
	PG_END_TRY();
	dsm_unpin_segment(handle);
	return segment;
}

/*
 * The spare, if it is large enough, or a new one; NULL: there is no memory.
 */
static dsm_segment *
take_segment(Size size)
{
	dsm_segment *segment = spare;

	if (segment == NULL || dsm_segment_map_length(segment) < size)
		return make_segment(size);
	spare = NULL;
	return segment;
}

/*
 * NULL: there is no memory, which the log says where it is not for want of a
 * place among the segments.
 */
static dsm_segment *
make_segment(Size size)
{
	MemoryContext context = CurrentMemoryContext;
	dsm_segment *volatile segment = NULL;

	PG_TRY();
	{
		segment = dsm_create(size, DSM_CREATE_NULL_IF_MAXSEGMENTS);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		EmitErrorReport();
		FlushErrorState();
	}
	PG_END_TRY();
	return segment;
}

/*
 * Nobody else has a use for the segment: it is the spare, unless there is a
 * larger one.
 */
void
http_segment_keep(dsm_segment *segment)
{
	if (spare != NULL &&
		dsm_segment_map_length(spare) >= dsm_segment_map_length(segment))
	{
		dsm_detach(segment);
		return;
	}
	if (spare != NULL)
		dsm_detach(spare);
	spare = segment;
	spare_end = dynamo_clock() + SPARE_TIME;
}

/*
 * Milliseconds until http_segment_settle() has something to do; -1: never.
 */
long
http_segment_timeout(void)
{
	return spare == NULL ? -1 : Max(spare_end - dynamo_clock(), 0);
}

/*
 * Give up the spare if its time is over.
 */
void
http_segment_settle(void)
{
	if (spare == NULL || dynamo_clock() < spare_end)
		return;
	dsm_detach(spare);
	spare = NULL;
}
