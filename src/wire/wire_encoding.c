/*-------------------------------------------------------------------------
 *
 * wire_encoding.c
 *	  Which compression a client takes: Accept-Encoding.
 *
 * The header names codings with weights: "gzip;q=0.5, deflate".  A coding whose
 * weight is missing, or cannot be read, has the greatest, one with the weight 0
 * is refused, and "*" stands for all that are not named.  As at the service,
 * only the first header of several counts, "identity" is no reason to leave a
 * coding that is named, and of equal weights the first has it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "wire/wire.h"

/* The weight of a coding that has none. */
#define FULL_WEIGHT		1.0

/* A coding that is not named. */
#define UNNAMED			(-1.0)

typedef struct Weights
{
	double		gzip;
	double		deflate;
	double		identity;
	double		others;
	double		best;			/* the greatest of gzip and deflate */
	WireEncoding encoding;		/* and whose it is */
} Weights;

static void read_coding(Weights *weights, const char *text, size_t len);
static void name_coding(Weights *weights, WireEncoding encoding,
						double *named, double weight);
static double read_weight(const char *text, size_t len);
static double read_number(const char *text, const char *end);
static bool is_word(const char *text, size_t len, const char *word);
static const char *skip_blanks(const char *text, const char *end);

/*
 * What to compress a response with, by the value of the header, or NULL.
 */
WireEncoding
wire_accepted_encoding(const char *value)
{
	Weights		weights = {UNNAMED, UNNAMED, UNNAMED, UNNAMED, 0, WIRE_PLAIN};

	while (value != NULL)
	{
		size_t		len = strcspn(value, ",");

		read_coding(&weights, value, len);
		value = value[len] == ',' ? value + len + 1 : NULL;
	}
	if (weights.others > weights.best && weights.others >= weights.identity)
	{
		if (weights.gzip == UNNAMED)
			return WIRE_GZIP;
		if (weights.deflate == UNNAMED)
			return WIRE_DEFLATE;
	}
	return weights.encoding;
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
	double		weight = read_weight(name + name_len, end - name - name_len);

	if (is_word(name, name_len, "gzip"))
		name_coding(weights, WIRE_GZIP, &weights->gzip, weight);
	else if (is_word(name, name_len, "deflate"))
		name_coding(weights, WIRE_DEFLATE, &weights->deflate, weight);
	else if (is_word(name, name_len, "identity"))
		weights->identity = Max(weights->identity, weight);
	else if (is_word(name, name_len, "*"))
		weights->others = Max(weights->others, weight);
}

static void
name_coding(Weights *weights, WireEncoding encoding, double *named,
			double weight)
{
	*named = Max(*named, weight);
	if (weight > weights->best)
	{
		weights->best = weight;
		weights->encoding = encoding;
	}
}

/*
 * The first weight in what follows a coding's name, ";q=0.5".
 */
static double
read_weight(const char *text, size_t len)
{
	const char *end = text + len;
	const char *p = text;

	while ((p = memchr(p, ';', end - p)) != NULL)
	{
		p = skip_blanks(p + 1, end);
		if (end - p >= 2 && (*p == 'q' || *p == 'Q') && p[1] == '=')
			return read_number(p + 2, end);
	}
	return FULL_WEIGHT;
}

/*
 * A number up to a blank or the next ";".  What is none, or above 1, is 1.
 */
static double
read_number(const char *text, const char *end)
{
	double		value = 0;
	double		unit = 1;
	bool		fraction = false;
	const char *p = text;

	for (; p < end && strchr("; \t", *p) == NULL; p++)
	{
		if (*p == '.' && !fraction)
			fraction = true;
		else if (*p < '0' || *p > '9')
			return FULL_WEIGHT;
		else if (fraction)
			value += (*p - '0') * (unit /= 10);
		else
			value = value * 10 + (*p - '0');
	}
	return p == text || value > FULL_WEIGHT ? FULL_WEIGHT : value;
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
