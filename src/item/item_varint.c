/*-------------------------------------------------------------------------
 *
 * item_varint.c
 *	  Integers of the packed form: seven bits a byte, the low ones first.
 *
 * The high bit is set in all bytes but the last, and no byte is superfluous.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_internal.h"

/*
 * Read one of any length and move *p behind it.  False: there is none before
 * "end".
 */
bool
item_read_long_varint(const char **p, const char *end, uint32 *value)
{
	uint32		v = 0;

	for (int shift = 0; shift < 35; shift += 7)
	{
		uint8		byte;

		if (*p >= end)
			return false;
		byte = (uint8) *(*p)++;
		if (shift == 28 && byte > 0x0f)
			return false;
		v |= (uint32) (byte & 0x7f) << shift;
		if (byte < 0x80)
		{
			*value = v;
			return byte != 0 || shift == 0;
		}
	}
	return false;
}
