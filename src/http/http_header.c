/*-------------------------------------------------------------------------
 *
 * http_header.c
 *	  What libmicrohttpd knows of a request and of its connection.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"
#include "mb/pg_wchar.h"

/*
 * The value of a header, NULL when it was not sent.
 */
const char *
http_header(HttpRequest *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
									   name);
}

/*
 * What a client sent outside of its body, as text that an answer may have in
 * it: if it is not UTF-8, it is taken for Latin 1.
 */
const char *
http_text(const char *bytes)
{
	StringInfoData text;

	if (bytes == NULL ||
		pg_verify_mbstr(PG_UTF8, bytes, strlen(bytes), true))
		return bytes;
	initStringInfo(&text);
	for (const unsigned char *p = (const unsigned char *) bytes; *p; p++)
	{
		if (*p >= 0x80)
			appendStringInfoChar(&text, 0xC0 | *p >> 6);
		appendStringInfoChar(&text, *p >= 0x80 ? 0x80 | (*p & 0x3F) : *p);
	}
	return text.data;
}

/*
 * What we know of a connection.
 */
HttpConnection *
http_connection(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection,
								   MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info->socket_context;
}
