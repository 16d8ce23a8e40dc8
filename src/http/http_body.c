/*-------------------------------------------------------------------------
 *
 * http_body.c
 *	  Compressed bodies.
 *
 * zlib's own memory comes from palloc, so that an error leaks nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <zlib.h>

#include "http/http_internal.h"
#include "miscadmin.h"

/* Work between two checks for interrupts. */
#define PIECE			(64 * 1024)

/* zlib's window bits: zlib, gzip, or both told apart. */
#define WRITE_ZLIB		15
#define WRITE_GZIP		(15 + 16)
#define READ_ANY		(15 + 32)

static voidpf allocate_zlib(voidpf opaque, uInt items, uInt size);
static void release_zlib(voidpf opaque, voidpf address);
static StringInfo inflate_body(const char *body, size_t len);
static bool begins_member(const z_stream *stream, const char *end);
static void broken_body(void) pg_attribute_noreturn();

/*
 * Has the client compressed the body?
 */
bool
http_body_is_packed(HttpRequest *request)
{
	const char *encoding = http_header(request, "Content-Encoding");

	return encoding != NULL && encoding[0] != '\0' &&
		pg_strcasecmp(encoding, "identity") != 0;
}

/*
 * The body as it was before the client compressed it, terminated by a zero
 * byte.
 */
void
http_unpack_body(HttpRequest *request, const char **body, size_t *len)
{
	const char *encoding = http_header(request, "Content-Encoding");
	StringInfo	unpacked;

	*body = request->body ? request->body : "";
	*len = request->body_len;
	if (!http_body_is_packed(request))
		return;
	if (pg_strcasecmp(encoding, "gzip") != 0 &&
		pg_strcasecmp(encoding, "deflate") != 0)
		broken_body();
	unpacked = inflate_body(*body, *len);
	*body = unpacked->data;
	*len = unpacked->len;
}

/*
 * In pieces, of what goes in and of what comes out: a few bytes can unpack to
 * much, and many to nothing.  Where one member of gzip's ends, another may
 * begin.
 */
static StringInfo
inflate_body(const char *body, size_t len)
{
	StringInfo	out = makeStringInfo();
	const char *end = body + len;
	z_stream	stream = {0};
	int			rc;

	stream.zalloc = allocate_zlib;
	stream.zfree = release_zlib;
	stream.next_in = (Bytef *) unconstify(char *, body);
	if (inflateInit2(&stream, READ_ANY) != Z_OK)
		elog(ERROR, "could not initialize zlib");
	do
	{
		CHECK_FOR_INTERRUPTS();
		enlargeStringInfo(out, PIECE);
		stream.next_out = (Bytef *) out->data + out->len;
		stream.avail_out = PIECE;
		stream.avail_in = Min(end - (char *) stream.next_in, PIECE);
		rc = inflate(&stream, Z_NO_FLUSH);
		out->len = (char *) stream.next_out - out->data;
		if (out->len > HTTP_MAX_BODY)
			broken_body();
		if (rc == Z_STREAM_END && begins_member(&stream, end))
			rc = inflateReset(&stream);
	} while (rc == Z_OK);
	if (rc != Z_STREAM_END || (char *) stream.next_in < end)
		broken_body();
	(void) inflateEnd(&stream);
	out->data[out->len] = '\0';
	return out;
}

/*
 * Does what is left begin like a member of gzip's?
 */
static bool
begins_member(const z_stream *stream, const char *end)
{
	const char *left = (const char *) stream->next_in;

	return end - left >= 2 && left[0] == '\x1f' && left[1] == '\x8b';
}

/*
 * The body in gzip's format or, for deflate, in zlib's.
 */
StringInfo
http_pack_body(StringInfo body, WireEncoding encoding)
{
	StringInfo	out = makeStringInfo();
	z_stream	stream = {0};

	stream.zalloc = allocate_zlib;
	stream.zfree = release_zlib;
	if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED,
					 encoding == WIRE_GZIP ? WRITE_GZIP : WRITE_ZLIB, 8,
					 Z_DEFAULT_STRATEGY) != Z_OK)
		elog(ERROR, "could not initialize zlib");
	enlargeStringInfo(out, deflateBound(&stream, body->len));
	stream.next_in = (Bytef *) body->data;
	stream.avail_in = body->len;
	stream.next_out = (Bytef *) out->data;
	stream.avail_out = out->maxlen - 1;
	if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
		elog(ERROR, "could not compress a response");
	out->len = stream.total_out;
	(void) deflateEnd(&stream);
	return out;
}

static voidpf
allocate_zlib(voidpf opaque, uInt items, uInt size)
{
	return palloc_extended((Size) items * size,
						   MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
}

static void
release_zlib(voidpf opaque, voidpf address)
{
	pfree(address);
}

static void
broken_body(void)
{
	dynamo_error(DYNAMO_INTERNAL_SERVER_ERROR,
				 "The request processing has failed because of an unknown error, exception or failure.");
}
