/*-------------------------------------------------------------------------
 *
 * item_base64.c
 *	  Base64 as the service reads and writes it (RFC 4648, padded, strict).
 *
 * PostgreSQL's own decoder skips white space and takes stray bits in the last
 * character, which the service refuses, with a text for each.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/base64.h"
#include "item/item_internal.h"
#include "miscadmin.h"

static int
base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : (c == '/' ? 63 : -1);
}

/*
 * Decode into "bytes", which has room for len / 4 * 3; NULL only checks.  Where
 * the padding comes first, the service says that the last character is bad.
 */
ItemBase64Error
item_base64_decode(const char *text, uint32 len, char *bytes, uint32 *nbytes)
{
	uint32		digits = len;
	uint32		bits = 0;
	int			nbits = 0;
	uint32		n = 0;

	if (len % 4 != 0)
		return ITEM_BASE64_LENGTH;
	while (digits > 0 && len - digits < 2 && text[digits - 1] == '=')
		digits--;
	for (uint32 i = 0; i < digits; i++)
	{
		int			value = base64_value(text[i]);

		if (value < 0)
			return text[0] == '=' ? ITEM_BASE64_LAST : ITEM_BASE64_CHARACTER;
		bits = bits << 6 | value;
		nbits += 6;
		if (nbits >= 8)
		{
			nbits -= 8;
			if (bytes)
				bytes[n] = (char) (bits >> nbits);
			n++;
			bits &= (1 << nbits) - 1;
		}
		if (nbits == 0)
			CHECK_FOR_INTERRUPTS();
	}
	*nbytes = n;
	return bits == 0 ? ITEM_BASE64_OK : ITEM_BASE64_LAST;
}

void
item_base64_append(StringInfo out, const char *bytes, uint32 len)
{
	int			space = pg_b64_enc_len(len);
	int			used;

	enlargeStringInfo(out, space);
	used = pg_b64_encode((const void *) bytes, len, out->data + out->len,
						 space);
	Assert(used >= 0);
	out->len += used;
	out->data[out->len] = '\0';
}
