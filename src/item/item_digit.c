/*-------------------------------------------------------------------------
 *
 * item_digit.c
 *	  Decimal digits that are not ASCII.
 *
 * Java's BigDecimal, and so the service, takes them in any script of the
 * Basic Multilingual Plane.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* The zeros; nine other digits follow each. */
static const uint16 zeros[] = {
	0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6,
	0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090,
	0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40,
	0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10
};

static int	digit_value(pg_wchar c);

/*
 * A UTF-8 text with all its digits in ASCII, and its new length.  NULL when it
 * has none that were not, or characters that are no digits besides.
 */
char *
item_ascii_digits(const char *text, uint32 *len)
{
	const unsigned char *p = (const unsigned char *) text;
	const unsigned char *end = p + *len;
	char	   *result = NULL;
	uint32		n = 0;

	for (; p < end; p += pg_utf_mblen(p))
	{
		int			digit = *p;

		CHECK_FOR_INTERRUPTS();
		if (IS_HIGHBIT_SET(*p))
		{
			digit = digit_value(utf8_to_unicode(p));
			if (digit < 0)
				return NULL;
			if (result == NULL)
			{
				result = palloc(*len);
				n = p - (const unsigned char *) text;
				memcpy(result, text, n);
			}
			digit += '0';
		}
		if (result)
			result[n++] = digit;
	}
	*len = n;
	return result;
}

/*
 * 0 to 9; -1 for what is no digit.
 */
static int
digit_value(pg_wchar c)
{
	for (int i = 0; i < lengthof(zeros); i++)
	{
		if (c >= zeros[i] && c < zeros[i] + 10)
			return c - zeros[i];
	}
	return -1;
}
