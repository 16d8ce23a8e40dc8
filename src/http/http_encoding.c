/*-------------------------------------------------------------------------
 *
 * http_encoding.c
 *	  Which compression a client takes: Accept-Encoding.
 *
 * The header may come several times, and each names codings with weights:
 * "gzip;q=0.5, deflate".  A coding without a weight has the greatest, one with
 * the weight 0 is refused, and "*" stands for all that are not named.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "http/http_internal.h"

/* The weight of a coding that has none, in thousandths. */
#define FULL_WEIGHT		1000

/* A coding that is not named. */
#define UNNAMED			(-1)

typedef struct Weights
{
	int			gzip;
	int			deflate;
	int			identity;
	int			others;
} Weights;

static enum MHD_Result read_header(void *cls, enum MHD_ValueKind kind,
								   const char *name, size_t name_len,
								   const char *value, size_t value_len);
static void read_coding(Weights *weights, const char *text, size_t len);
static int	read_weight(const char *text, size_t len);
static bool is_word(const char *text, size_t len, const char *word);
static const char *skip_blanks(const char *text, const char *end);

/*
 * What to compress a response with.
 */
HttpEncoding
http_accepted_encoding(HttpRequest *request)
{
	Weights		weights = {UNNAMED, UNNAMED, UNNAMED, UNNAMED};
	int			best;

	http_each_header(request, read_header, &weights);
	if (weights.gzip == UNNAMED)
		weights.gzip = weights.others;
	if (weights.deflate == UNNAMED)
		weights.deflate = weights.others;
	best = Max(weights.gzip, weights.deflate);
	if (best <= 0 || best < weights.identity)
		return HTTP_PLAIN;
	return best == weights.gzip ? HTTP_GZIP : HTTP_DEFLATE;
}

/*
 * One header; http_each_header() calls this for each.
 */
static enum MHD_Result
read_header(void *cls, enum MHD_ValueKind kind, const char *name,
			size_t name_len, const char *value, size_t value_len)
{
	if (value == NULL || pg_strcasecmp(name, "Accept-Encoding") != 0)
		return MHD_YES;
	for (;;)
	{
		size_t		len = strcspn(value, ",");

		read_coding(cls, value, len);
		if (value[len] == '\0')
			return MHD_YES;
		value += len + 1;
	}
}

/*
 * One coding with its weight.
 */
static void
read_coding(Weights *weights, const char *text, size_t len)
{
	const char *end = text + len;
	const char *name = skip_blanks(text, end);
	size_t		name_len = strcspn(name, "; \t,");
	int			weight = read_weight(name + name_len, end - name - name_len);

	if (is_word(name, name_len, "gzip") || is_word(name, name_len, "x-gzip"))
		weights->gzip = Max(weights->gzip, weight);
	else if (is_word(name, name_len, "deflate"))
		weights->deflate = Max(weights->deflate, weight);
	else if (is_word(name, name_len, "identity"))
		weights->identity = Max(weights->identity, weight);
	else if (is_word(name, name_len, "*"))
		weights->others = Max(weights->others, weight);
}

/*
 * The weight in what follows a coding's name, ";q=0.5", in thousandths.  What
 * is not understood refuses the coding.
 */
static int
read_weight(const char *text, size_t len)
{
	const char *end = text + len;
	const char *p = skip_blanks(text, end);
	int			weight;
	int			digit = FULL_WEIGHT;

	if (p == end)
		return FULL_WEIGHT;
	if (*p != ';')
		return 0;
	p = skip_blanks(p + 1, end);
	if (end - p < 3 || (*p != 'q' && *p != 'Q') || p[1] != '=' ||
		(p[2] != '0' && p[2] != '1'))
		return 0;
	weight = (p[2] - '0') * FULL_WEIGHT;
	p += 3;
	if (p < end && *p == '.')
	{
		for (p++; p < end && *p >= '0' && *p <= '9'; p++)
		{
			digit /= 10;
			weight += (*p - '0') * digit;
		}
	}
	if (skip_blanks(p, end) < end)
		return 0;
	return Min(weight, FULL_WEIGHT);
}

static bool
is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && pg_strncasecmp(text, word, len) == 0;
}

static const char *
skip_blanks(const char *text, const char *end)
{
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	return text;
}
