/*-------------------------------------------------------------------------
 *
 * base_java.c
 *	  The order of names in Java's hash tables.
 *
 * The service prints sets of names in the order in which it iterates over a
 * HashMap or a HashSet: by bucket, within a bucket in the order in which they
 * were put there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base.h"
#include "mb/pg_wchar.h"

static uint32 hash_code(const char *text, uint32 len);

/*
 * The bucket of a UTF-8 text in a table that has grown to "count" keys.
 */
uint32
dynamo_java_bucket(const char *text, uint32 len, int count)
{
	uint32		hash = hash_code(text, len);
	uint32		buckets = 16;

	while (count > buckets / 4 * 3)
		buckets *= 2;
	return (hash ^ hash >> 16) & (buckets - 1);
}

/*
 * String.hashCode(), which is of UTF-16.
 */
static uint32
hash_code(const char *text, uint32 len)
{
	const unsigned char *p = (const unsigned char *) text;
	const unsigned char *end = p + len;
	uint32		hash = 0;

	for (; p < end; p += pg_utf_mblen(p))
	{
		pg_wchar	c = utf8_to_unicode(p);

		if (c > 0xFFFF)
		{
			hash = hash * 31 + 0xD7C0 + (c >> 10);
			c = 0xDC00 + (c & 0x3FF);
		}
		hash = hash * 31 + c;
	}
	return hash;
}
