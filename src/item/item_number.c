/*-------------------------------------------------------------------------
 *
 * item_number.c
 *	  Numbers: spelling, range, the sortable form, arithmetic.
 *
 * A number has at most 38 significant digits and a magnitude from 1E-130 to
 * 9.99...E+125.  It is kept everywhere - in items, in keys, and where a
 * partition key is hashed - in one form, whose unsigned bytewise order is the
 * numeric order and in which equal numbers are equal bytes:
 *
 *		zero		0x80
 *		positive	exponent + 192, then each pair of digits + 1
 *		negative	255 - (exponent + 192), then 101 - each pair of digits,
 *					then 102 if there are fewer than 20 pairs
 *
 * The value is 0.PPPP... * 100 ^ exponent, the first pair not 00 (but 01 to 09
 * when the decimal exponent is odd), the last pair not 00.  The exponent runs
 * from -64 to 63, a number has 1 to 20 pairs.  The closing 102 makes the
 * shorter of two negative numbers with one beginning the greater of them.
 *
 * Spelling is that of Java's BigDecimal, which is what the service reads
 * numbers with: [+-] digits with at most one point [eE [+-] digits], the
 * digits of any script.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "item/item_internal.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#define MAX_DIGITS		ITEM_NUMBER_DIGITS
#define MAX_PAIRS		ITEM_NUMBER_PAIRS
#define MAX_MAGNITUDE	125		/* power of ten of the leading digit */
#define MIN_MAGNITUDE	(-130)
#define ZERO_BYTE		0x80
#define EXPONENT_BIAS	192
#define NEGATIVE_END	102

#define OVERFLOW_TEXT \
	"Number overflow. Attempting to store a number with magnitude larger than supported range"
#define UNDERFLOW_TEXT \
	"Number underflow. Attempting to store a number with magnitude smaller than supported range"
#define SYNTAX_TEXT \
	"The parameter cannot be converted to a numeric value"

/* A number taken apart. */
typedef struct Decimal
{
	bool		negative;
	int			ndigits;		/* 0: zero; first and last are not 0 */
	int64		magnitude;		/* power of ten of the first digit */
	uint8		digits[MAX_DIGITS + 1];
} Decimal;

static void raise_number_error(ItemNumberError error, const char *text,
							   uint32 len, ItemWording wording);
static ItemNumberError decimal_scan(const char *text, uint32 len, Decimal *d);
static bool scan_exponent(const char *p, const char *end, int64 *exponent);
static void decimal_encode(const Decimal *d, uint8 *bytes, uint32 *nbytes);
static void decimal_decode(const ItemValue *number, Decimal *d);
static Numeric number_numeric(const ItemValue *number);

/*
 * Read a number.  "bytes" has room for ITEM_NUMBER_MAX_BYTES.
 */
ItemNumberError
item_number_parse(const char *text, uint32 len, uint8 *bytes, uint32 *nbytes)
{
	Decimal		d;
	ItemNumberError error = decimal_scan(text, len, &d);
	char	   *ascii;

	if (error == ITEM_NUMBER_SYNTAX &&
		(ascii = item_ascii_digits(text, &len)) != NULL)
		error = decimal_scan(ascii, len, &d);
	if (error == ITEM_NUMBER_OK)
		decimal_encode(&d, bytes, nbytes);
	return error;
}

/*
 * Read a number or raise ValidationException.
 */
ItemValue
item_number(const char *text, uint32 len, ItemWording wording)
{
	uint8	   *bytes = palloc(ITEM_NUMBER_MAX_BYTES);
	ItemValue	value = {ITEM_N, 0, (char *) bytes};
	ItemNumberError error = item_number_parse(text, len, bytes, &value.len);

	if (wording == ITEM_PARAMETER && !item_number_scale_fits(text, len))
		error = ITEM_NUMBER_SYNTAX;
	if (error != ITEM_NUMBER_OK)
		raise_number_error(error, text, len, wording);
	return value;
}

/*
 * Do exponent and scale of a number's text fit into 32 bits, as those of a
 * BigDecimal must?  What else may be wrong with it is not asked.
 */
bool
item_number_scale_fits(const char *text, uint32 len)
{
	const char *end = text + len;
	const char *point = NULL;
	const char *p = text;
	int64		exponent = 0;
	int64		scale;

	for (; p < end && *p != 'e' && *p != 'E'; p++)
	{
		if (*p == '.')
			point = p;
	}
	scale = point ? p - point - 1 : 0;
	if (p < end && !scan_exponent(p + 1, end, &exponent))
		return false;
	exponent = Min(Max(exponent, PG_INT64_MIN / 2), PG_INT64_MAX / 2);
	scale -= exponent;
	return exponent >= PG_INT32_MIN && exponent <= PG_INT32_MAX &&
		scale >= PG_INT32_MIN && scale <= PG_INT32_MAX;
}

/*
 * Raise the ValidationException that belongs to "error".
 */
static void
raise_number_error(ItemNumberError error, const char *text, uint32 len,
				   ItemWording wording)
{
	const char *message = NULL;

	switch (error)
	{
		case ITEM_NUMBER_OK:
			return;
		case ITEM_NUMBER_SYNTAX:
			message = len == 0 && wording != ITEM_CURRENT ? SYNTAX_TEXT :
				psprintf(SYNTAX_TEXT ": %.*s", (int) len, text);
			break;
		case ITEM_NUMBER_WRAPPED:
			message = wording != ITEM_CURRENT ? UNDERFLOW_TEXT : OVERFLOW_TEXT;
			break;
		case ITEM_NUMBER_OVERFLOW:
			message = OVERFLOW_TEXT;
			break;
		case ITEM_NUMBER_UNDERFLOW:
			message = UNDERFLOW_TEXT;
			break;
		case ITEM_NUMBER_PRECISION:
			message = "Attempting to store more than 38 significant digits in a Number";
			break;
	}
	dynamo_rule_error(DYNAMO_VALIDATION, DYNAMO_RULE_VALUE, "%s", message);
}

/*
 * Take a spelling apart and check the range: magnitude first, then digits.
 * The magnitude of a zero is that of its last digit, as in BigDecimal.
 */
static ItemNumberError
decimal_scan(const char *text, uint32 len, Decimal *d)
{
	const char *p = text;
	const char *end = text + len;
	int64		before_point = 0;	/* digits since the first that is not 0 */
	int64		after_point = 0;	/* all digits behind the point */
	int64		significant = 0;	/* up to the last digit that is not 0 */
	int64		scanned = 0;	/* digits since the first that is not 0 */
	int64		leading = 0;	/* zeros behind the point, before that digit */
	int64		exponent = 0;
	bool		point = false;
	bool		any = false;

	memset(d, 0, sizeof(Decimal));
	if (p < end && (*p == '+' || *p == '-'))
		d->negative = *p++ == '-';
	for (; p < end && (*p == '.' || (*p >= '0' && *p <= '9')); p++)
	{
		if (*p == '.')
		{
			if (point)
				return ITEM_NUMBER_SYNTAX;
			point = true;
			continue;
		}
		any = true;
		if (point)
			after_point++;
		if (scanned == 0 && *p == '0')
		{
			if (point)
				leading++;
			continue;
		}
		if (scanned < MAX_DIGITS + 1)
			d->digits[scanned] = *p - '0';
		scanned++;
		if (!point)
			before_point++;
		if (*p != '0')
			significant = scanned;
	}
	if (!any)
		return ITEM_NUMBER_SYNTAX;
	if (p < end && !((*p == 'e' || *p == 'E') &&
					 scan_exponent(p + 1, end, &exponent)))
		return ITEM_NUMBER_SYNTAX;

	/* a text is shorter than 2^30, so only the exponent can be near int64 */
	exponent = Min(Max(exponent, PG_INT64_MIN / 2), PG_INT64_MAX / 2);
	if (scanned == 0)
		d->magnitude = exponent - after_point;
	else if (before_point > 0)
		d->magnitude = exponent + before_point - 1;
	else
		d->magnitude = exponent - leading - 1;

	/* the service counted magnitude + 1 in 32 bits: there it turns negative */
	if (d->magnitude == PG_INT32_MAX)
		return ITEM_NUMBER_WRAPPED;
	if (d->magnitude < MIN_MAGNITUDE)
		return ITEM_NUMBER_UNDERFLOW;
	if (d->magnitude > MAX_MAGNITUDE)
		return ITEM_NUMBER_OVERFLOW;
	if (significant > MAX_DIGITS)
		return ITEM_NUMBER_PRECISION;
	d->ndigits = significant;
	return ITEM_NUMBER_OK;
}

/*
 * The integer behind an "e".  One that does not fit in 64 bits is none.
 */
static bool
scan_exponent(const char *p, const char *end, int64 *exponent)
{
	bool		negative = false;
	int64		value = 0;

	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	if (p == end)
		return false;
	for (; p < end; p++)
	{
		int			digit = *p - '0';

		if (digit < 0 || digit > 9)
			return false;
		/* negative, for the least integer has no positive counterpart */
		if (value < (PG_INT64_MIN + digit) / 10)
			return false;
		value = value * 10 - digit;
	}
	if (!negative && value == PG_INT64_MIN)
		return false;
	*exponent = negative ? value : -value;
	return true;
}

/*
 * The sortable form.
 */
static void
decimal_encode(const Decimal *d, uint8 *bytes, uint32 *nbytes)
{
	int			point = (int) d->magnitude + 1; /* 0.DDD * 10 ^ point */
	int			pad = point & 1;	/* a 0 before the first digit */
	ItemPairs	number;

	number.negative = d->negative;
	number.exponent = (point + pad) / 2;
	number.count = d->ndigits == 0 ? 0 : (d->ndigits + pad + 1) / 2;
	for (int i = 0; i < number.count; i++)
	{
		int			first = 2 * i - pad;
		int			pair = first >= 0 ? d->digits[first] * 10 : 0;

		if (first + 1 < d->ndigits)
			pair += d->digits[first + 1];
		number.pairs[i] = pair;
	}
	item_pairs_write(&number, bytes, nbytes);
}

/*
 * The sortable form of a number in pairs of digits.
 */
void
item_pairs_write(const ItemPairs *number, uint8 *bytes, uint32 *nbytes)
{
	uint8		exponent = number->exponent + EXPONENT_BIAS;
	uint32		n = 0;

	if (number->count == 0)
	{
		bytes[0] = ZERO_BYTE;
		*nbytes = 1;
		return;
	}
	bytes[n++] = number->negative ? 255 - exponent : exponent;
	for (int i = 0; i < number->count; i++)
		bytes[n++] = number->negative ? 101 - number->pairs[i] :
			number->pairs[i] + 1;
	if (number->negative && number->count < MAX_PAIRS)
		bytes[n++] = NEGATIVE_END;
	*nbytes = n;
}

/*
 * The pair of digits in a byte of the sortable form.
 */
static inline int
pair_at(const uint8 *bytes, int n, bool negative)
{
	return negative ? 101 - bytes[n] : bytes[n] - 1;
}

/*
 * The reverse.  Bytes that are no number give some number, never a crash.
 */
void
item_pairs_read(const ItemValue *value, ItemPairs *number)
{
	const uint8 *bytes = (const uint8 *) value->data;

	number->count = 0;
	number->negative = false;
	number->exponent = 0;
	if (value->len < 2)
		return;
	number->negative = bytes[0] < ZERO_BYTE;
	number->exponent = (number->negative ? 255 - bytes[0] : bytes[0]) -
		EXPONENT_BIAS;
	for (uint32 i = 1; i < value->len && number->count < MAX_PAIRS; i++)
	{
		int			pair = pair_at(bytes, i, number->negative);

		if (pair < 0 || pair > 99)
			break;
		number->pairs[number->count++] = pair;
	}
}

/*
 * The same, digit by digit.
 */
static void
decimal_decode(const ItemValue *number, Decimal *d)
{
	const uint8 *bytes = (const uint8 *) number->data;
	uint32		len = number->len;
	int			exponent;

	memset(d, 0, sizeof(Decimal));
	if (len < 2)
		return;
	d->negative = bytes[0] < ZERO_BYTE;
	exponent = d->negative ? 255 - bytes[0] : bytes[0];
	d->magnitude = (exponent - EXPONENT_BIAS) * 2 - 1;
	for (uint32 i = 1; i < len; i++)
	{
		int			pair = pair_at(bytes, i, d->negative);

		if (pair < 0 || pair > 99)
			break;
		for (int half = 0; half < 2; half++)
		{
			int			digit = half == 0 ? pair / 10 : pair % 10;

			if (d->ndigits == 0 && digit == 0)
				d->magnitude--;
			else if (d->ndigits <= MAX_DIGITS)
				d->digits[d->ndigits++] = digit;
		}
	}
	while (d->ndigits > 0 && d->digits[d->ndigits - 1] == 0)
		d->ndigits--;
}

/*
 * Are these bytes the sortable form of a number in range?  The form has no
 * room for any magnitude beyond.
 */
bool
item_number_valid(const char *data, uint32 len)
{
	ItemValue	number = {ITEM_N, len, data};
	Decimal		d;
	uint8		bytes[ITEM_NUMBER_MAX_BYTES];
	uint32		nbytes;

	if (len < 1 || len > ITEM_NUMBER_MAX_BYTES)
		return false;
	decimal_decode(&number, &d);
	if (d.ndigits > MAX_DIGITS)
		return false;
	decimal_encode(&d, bytes, &nbytes);
	return nbytes == len && memcmp(bytes, data, len) == 0;
}

/*
 * Two digits; one if the number begins with them and the first is 0.
 */
static inline char *
put_pair(char *p, int pair, bool first)
{
	if (!first || pair >= 10)
		*p++ = '0' + pair / 10;
	*p++ = '0' + pair % 10;
	return p;
}

/*
 * Print a number as AWS does: plain decimal, never an exponent.
 */
void
item_number_append(StringInfo out, const ItemValue *value)
{
	ItemPairs	number;
	char	   *start;
	char	   *p;
	int			i = 0;

	item_pairs_read(value, &number);
	p = start = item_room(out, 2 * (number.count + abs(number.exponent)) + 4);
	if (number.negative && number.count > 0)
		*p++ = '-';
	if (number.exponent <= 0 || number.count == 0)
		*p++ = '0';
	else
	{
		for (; i < number.exponent; i++)
			p = put_pair(p, i < number.count ? number.pairs[i] : 0, i == 0);
	}
	if (i < number.count)
	{
		*p++ = '.';
		for (int zero = number.exponent; zero < 0; zero++)
			p = put_pair(p, 0, false);
		for (; i < number.count; i++)
			p = put_pair(p, number.pairs[i], false);
		if (p[-1] == '0')
			p--;
	}
	*p = '\0';
	out->len += p - start;
}

/*
 * Bytes of a number by DynamoDB's rules: one, and one for each pair of digits
 * on either side of the point, and one for a minus sign.
 */
uint32
item_number_size(const ItemValue *number)
{
	const uint8 *bytes = (const uint8 *) number->data;
	bool		negative = number->len > 0 && bytes[0] < ZERO_BYTE;
	int			npairs = (int) number->len - 1;
	int			ndigits;
	int			before;
	int			zero;			/* is the first digit of the first pair 0? */

	if (negative && bytes[npairs] == NEGATIVE_END)
		npairs--;
	if (npairs < 1)
		return 1;
	zero = pair_at(bytes, 1, negative) < 10 ? 1 : 0;
	ndigits = 2 * npairs - zero -
		(pair_at(bytes, npairs, negative) % 10 == 0 ? 1 : 0);
	before = 2 * ((negative ? 255 - bytes[0] : bytes[0]) - EXPONENT_BIAS) -
		zero;
	before = Min(Max(before, 0), ndigits);
	return 1 + (before + 1) / 2 + (ndigits - before + 1) / 2 +
		(negative ? 1 : 0);
}

/*
 * The greatest integer that is not above the number; one beyond the range of
 * int64 is the end of that range.
 */
int64
item_number_floor(const ItemValue *number)
{
	Decimal		d;
	int64		result = 0;		/* negative, as in scan_exponent() */

	decimal_decode(number, &d);
	if (d.ndigits == 0)
		return 0;
	for (int64 i = 0; i <= d.magnitude; i++)
	{
		int			digit = i < d.ndigits ? d.digits[i] : 0;

		if (result < (PG_INT64_MIN + digit) / 10)
			return d.negative ? PG_INT64_MIN : PG_INT64_MAX;
		result = result * 10 - digit;
	}
	if (!d.negative)
		return result == PG_INT64_MIN ? PG_INT64_MAX : -result;
	if (d.ndigits > d.magnitude + 1 && result > PG_INT64_MIN)
		result--;				/* it has a fraction */
	return result;
}

Datum
item_number_to_numeric(const ItemValue *number)
{
	return NumericGetDatum(number_numeric(number));
}

static Numeric
number_numeric(const ItemValue *number)
{
	StringInfoData text;
	Datum		numeric;

	item_begin_few(&text);
	item_number_append(&text, number);
	numeric = DirectFunctionCall3(numeric_in, CStringGetDatum(text.data),
								  ObjectIdGetDatum(InvalidOid),
								  Int32GetDatum(-1));
	pfree(text.data);
	return DatumGetNumeric(numeric);
}

/*
 * A number of DynamoDB's from one of PostgreSQL's.  Raises
 * ValidationException when it is out of range, has more than 38 digits, or is
 * NaN or an infinity.
 */
ItemValue
item_number_from_numeric(Datum numeric)
{
	char	   *text = numeric_normalize(DatumGetNumeric(numeric));
	ItemValue	value = item_number(text, strlen(text), ITEM_CURRENT);

	pfree(text);				/* of 0e-16383 it has 16 kB */
	return value;
}

/*
 * A result of arithmetic that cannot be kept exactly.
 */
void
item_refuse_result(void)
{
	dynamo_error(DYNAMO_VALIDATION, OVERFLOW_TEXT);
}

ItemValue
item_number_from_int64(int64 integer)
{
	char		text[MAXINT8LEN + 1];

	return item_number(text, pg_lltoa(integer, text), ITEM_CURRENT);
}
