/*-------------------------------------------------------------------------
 *
 * identity_sigv4.c
 *	  Whose request is it?  AWS Signature Version 4, in a header or in the
 *	  query string.
 *
 * The client signs a digest of its request, the "canonical request", with a
 * key derived from its secret, the day, the region and the service.  We build
 * the same digest from what arrived and compare.  The checks come in the
 * order of the service, with its texts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>
#include <gnutls/gnutls.h>
#include <time.h>

#include "identity/identity.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "wire/wire.h"

#define ALGORITHM		"AWS4-HMAC-SHA256"
#define REGION_CHARS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define TERMINATOR		"aws4_request"
#define UNSIGNED		"UNSIGNED-PAYLOAD"

/* Minutes that a client's clock may be off. */
#define SKEW			5

/* All whose names begin so must be signed. */
#define OWN_HEADER		"x-amz-"

/* Headers, and parameters. */
#define MAX_PAIRS		128

#define MAX_EXPIRES		604800

#define MISMATCH \
	"The request signature we calculated does not match the signature you provided. " \
	"Check your AWS Secret Access Key and signing method. " \
	"Consult the service documentation for details."
#define INVALID_TOKEN "The security token included in the request is invalid."

const char	identity_dynamodb[] = "dynamodb";

/* A header or a parameter. */
typedef struct Pair
{
	const char *name;
	size_t		namelen;
	const char *value;
} Pair;

typedef struct Pairs
{
	int			n;
	bool		more;			/* than there is room for */
	Pair		pairs[MAX_PAIRS];
} Pairs;

/* The five elements of a credential. */
enum
{
	KEY_ID,
	DATE,
	REGION,
	SERVICE_NAME,
	TERM,
	CREDENTIAL_ELEMENTS
};

/* A request's signature and what it speaks about. */
typedef struct Signature
{
	const IdentityRequest *request;
	const char *service;		/* that it is for */
	IdentityRefusal *refusal;
	char	   *path;			/* as sent */
	bool		in_query;
	const char *algorithm;
	const char *credential;
	const char *signed_headers;
	const char *signature;
	const char *date;			/* as sent */
	char		timestamp[17];	/* in basic ISO 8601 */
	char	   *scope[CREDENTIAL_ELEMENTS];
	Pairs		headers;
	Pairs		query;			/* decoded */
	Pairs		signs;			/* signed_headers, without values */
} Signature;

static bool refuse_signature(Signature *s, DynamoException e,
							 const char *fmt,...)
			pg_attribute_printf(3, 4);
static void collect_header(void *headers, const char *name, size_t namelen,
						   const char *value);
static void parse_uri(Signature *s, const char *uri);
static void clear(Pairs *pairs);
static void add_pair(Pairs *pairs, const char *name, size_t namelen,
					 const char *value);
static inline const char *find_pair(const Pairs *pairs, const char *name);
static bool has(const Pairs *pairs, const char *name, size_t len);
static inline bool is_named(const Pair *pair, const char *name, size_t len);
static char *split(char **rest, char separator);
static bool find_form(Signature *s);
static bool read_query(Signature *s);
static bool read_header(Signature *s);
static bool check_parts(Signature *s, const char *malformed);
static bool check_date(Signature *s);
static bool parse_date(const char *text, time_t *t);
static int	two_digits(const char *text);
static void format_date(time_t t, char *timestamp);
static bool check_signed_headers(Signature *s);
static bool check_signed(Signature *s, const char *name, size_t len);
static bool check_scope(Signature *s);
static bool is_region(const char *region, const char *allowed);
static bool check_credential(Signature *s, IdentityKey **key);
static bool check_signature(Signature *s, IdentityKey *key);
static bool hash_payload(Signature *s, char *hex);
static void canonical_request(Signature *s, StringInfo out,
							  const char *payload);
static void append_texts(StringInfo out,...);
static void append_query(Signature *s, StringInfo out);
static int	compare_pairs(const void *a, const void *b);
static void append_encoded(StringInfo out, const char *text);
static void append_headers(Signature *s, StringInfo out);
static void append_trimmed(StringInfo out, const char *value);
static void derive_key(Signature *s, IdentityKey *key);
static void sha256_hex(const char *data, size_t len, char *hex);
static void hmac(const uint8 *key, const char *data, uint8 *result);
static void to_hex(const uint8 *bytes, char *hex);
static bool same(const char *a, const char *b);

/*
 * Whose request to that service is it?  Runs in a transaction.
 */
bool
identity_authenticate(const IdentityRequest *request, const char *service,
					  Oid *role, IdentityRefusal *refusal)
{
	Signature  *s = palloc(sizeof(Signature));
	IdentityKey *key;

	/* All but the arrays, which are counted. */
	memset(s, 0, offsetof(Signature, headers));
	clear(&s->headers);
	clear(&s->query);
	clear(&s->signs);
	s->request = request;
	s->service = service;
	s->refusal = refusal;
	request->each_header(request->request, collect_header, &s->headers);
	parse_uri(s, request->uri);

	if (!find_form(s) ||
		!(s->in_query ? read_query(s) : read_header(s)) ||
		!check_date(s) ||
		!check_signed_headers(s) ||
		!check_scope(s) ||
		!check_credential(s, &key) ||
		!check_signature(s, key))
		return false;
	identity_key_used(key);
	*role = key->role;
	return true;
}

static bool
refuse_signature(Signature *s, DynamoException e, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	s->refusal->message = wire_text(dynamo_format(fmt, args));
	va_end(args);
	s->refusal->exception = e;
	return false;
}

static void
collect_header(void *headers, const char *name, size_t namelen,
			   const char *value)
{
	add_pair(headers, name, namelen, value);
}

static void
parse_uri(Signature *s, const char *uri)
{
	const char *p = strchr(uri, '?');

	s->path = p ? pnstrdup(uri, p - uri) : pstrdup(uri);
	while (p != NULL && !s->query.more)
	{
		const char *end = strchr(++p, '&');
		size_t		len = end ? end - p : strlen(p);
		const char *equal = memchr(p, '=', len);

		if (len > 0)
		{
			char	   *name = identity_decode(p, equal ? equal - p : len);

			add_pair(&s->query, name, strlen(name),
					 equal ? identity_decode(equal + 1, p + len - equal - 1) : "");
		}
		p = end;
	}
}

/* Take %XX away.  A zero byte ends the text. */
char *
identity_decode(const char *text, size_t len)
{
	char	   *result = palloc(len + 1);
	char	   *out = result;

	for (size_t i = 0; i < len; i++)
	{
		if (text[i] == '%' && i + 2 < len &&
			isxdigit((unsigned char) text[i + 1]) &&
			isxdigit((unsigned char) text[i + 2]))
		{
			char		hex[3] = {text[i + 1], text[i + 2], '\0'};

			*out++ = (char) strtol(hex, NULL, 16);
			i += 2;
		}
		else
			*out++ = text[i];
	}
	*out = '\0';
	return result;
}

static void
clear(Pairs *pairs)
{
	pairs->n = 0;
	pairs->more = false;
}

static void
add_pair(Pairs *pairs, const char *name, size_t namelen, const char *value)
{
	Pair	   *pair = &pairs->pairs[pairs->n];

	if (pairs->n == lengthof(pairs->pairs))
	{
		pairs->more = true;
		return;
	}
	pair->name = name;
	pair->namelen = namelen;
	pair->value = value;
	pairs->n++;
}

/* Inline, so that the length of a literal is known. */
static inline const char *
find_pair(const Pairs *pairs, const char *name)
{
	size_t		len = strlen(name);

	for (int i = 0; i < pairs->n; i++)
	{
		if (is_named(&pairs->pairs[i], name, len))
			return pairs->pairs[i].value;
	}
	return NULL;
}

static bool
has(const Pairs *pairs, const char *name, size_t len)
{
	for (int i = 0; i < pairs->n; i++)
	{
		if (is_named(&pairs->pairs[i], name, len))
			return true;
	}
	return false;
}

static inline bool
is_named(const Pair *pair, const char *name, size_t len)
{
	return pair->namelen == len &&
		pg_strncasecmp(pair->name, name, len) == 0;
}

/*
 * The text up to the next separator, NULL when no text is left: strsep() for
 * one separator, and quicker.
 */
static char *
split(char **rest, char separator)
{
	char	   *part = *rest;
	char	   *end = part ? strchr(part, separator) : NULL;

	if (end != NULL)
		*end++ = '\0';
	*rest = end;
	return part;
}

static bool
find_form(Signature *s)
{
	const char *header = find_pair(&s->headers, "Authorization");

	s->in_query = find_pair(&s->query, "X-Amz-Algorithm") != NULL;
	if (header != NULL && s->in_query)
		return refuse_signature(s, DYNAMO_INVALID_SIGNATURE,
								"Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
	if (!s->in_query &&
		(header == NULL || strncmp(header, "AWS4-", strlen("AWS4-")) != 0))
		return refuse_signature(s, DYNAMO_MISSING_AUTHENTICATION_TOKEN,
								"Request is missing Authentication Token");
	return true;
}

static bool
read_query(Signature *s)
{
	static const char *const names[] = {
		"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature",
		"X-Amz-SignedHeaders", "X-Amz-Date"
	};
	const char **fields[] = {
		&s->algorithm, &s->credential, &s->signature, &s->signed_headers,
		&s->date
	};
	StringInfoData missing;

	initStringInfo(&missing);
	for (int i = 0; i < lengthof(names); i++)
	{
		*fields[i] = find_pair(&s->query, names[i]);
		if (*fields[i] == NULL || **fields[i] == '\0')
			appendStringInfo(&missing,
							 "AWS query-string parameters must include '%s'. ",
							 names[i]);
	}
	if (missing.len > 0)
		return refuse_signature(s, DYNAMO_INCOMPLETE_SIGNATURE,
								"%sRe-examine the query-string parameters.",
								missing.data);
	return true;
}

/*
 * Authorization: ALGORITHM Credential=..., SignedHeaders=..., Signature=...
 */
static bool
read_header(Signature *s)
{
	char	   *copy = pstrdup(find_pair(&s->headers, "Authorization"));
	char	   *rest;
	const char *malformed = NULL;

	s->algorithm = strtok_r(copy, ", ", &rest);
	for (;;)
	{
		char	   *part = strtok_r(NULL, ", ", &rest);
		char	   *equal = part ? strchr(part, '=') : NULL;

		if (part == NULL)
			break;
		if (equal != NULL)
			*equal++ = '\0';
		else
		{
			malformed = malformed ? malformed : part;
			equal = "";			/* there, at least */
		}
		if (strcmp(part, "Credential") == 0)
			s->credential = equal;
		else if (strcmp(part, "SignedHeaders") == 0)
			s->signed_headers = equal;
		else if (strcmp(part, "Signature") == 0)
			s->signature = equal;
	}
	s->date = find_pair(&s->headers, "X-Amz-Date");
	if (s->date == NULL)
		s->date = find_pair(&s->headers, "Date");
	return check_parts(s, malformed);
}

static bool
check_parts(Signature *s, const char *malformed)
{
	const char *header = find_pair(&s->headers, "Authorization");
	StringInfoData missing;

	initStringInfo(&missing);
	if (s->credential == NULL)
		appendStringInfoString(&missing, "Authorization header requires 'Credential' parameter. ");
	if (s->signature == NULL)
		appendStringInfoString(&missing, "Authorization header requires 'Signature' parameter. ");
	if (s->signed_headers == NULL)
		appendStringInfoString(&missing, "Authorization header requires 'SignedHeaders' parameter. ");
	if (s->date == NULL)
		appendStringInfoString(&missing, "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ");
	if (missing.len > 0)
		return refuse_signature(s, DYNAMO_INCOMPLETE_SIGNATURE,
								"%sAuthorization=%s",
								missing.data, header);
	if (malformed != NULL)
		return refuse_signature(s, DYNAMO_INCOMPLETE_SIGNATURE,
								"'%s' not a valid key=value pair (missing equal-sign) in Authorization header: '%s'.",
								malformed, header);
	return true;
}

/*
 * The date is one, and near.  Sets s->timestamp.
 */
static bool
check_date(Signature *s)
{
	const char *expires = s->in_query ? find_pair(&s->query,
												  "X-Amz-Expires") : NULL;
	time_t		now = time(NULL);
	time_t		t;
	int			valid = SKEW * 60;
	char		limit[17];
	char		current[17];

	if (!parse_date(s->date, &t))
		return refuse_signature(s, DYNAMO_INCOMPLETE_SIGNATURE,
								"Date must be in ISO-8601 'basic format'. Got '%s'. See http://en.wikipedia.org/wiki/ISO_8601",
								s->date);
	if (expires != NULL)
		valid = Max(0, Min(atoi(expires), MAX_EXPIRES));
	if (isdigit((unsigned char) s->date[0]))
		strlcpy(s->timestamp, s->date, sizeof(s->timestamp));
	else
		format_date(t, s->timestamp);
	if (t < now - valid)
	{
		format_date(now, current);
		format_date(now - valid, limit);
		return refuse_signature(s, DYNAMO_INVALID_SIGNATURE,
								"Signature expired: %s is now earlier than %s (%s - %d min.)",
								s->timestamp, limit, current, valid / 60);
	}
	if (t > now + SKEW * 60)
	{
		format_date(now, current);
		format_date(now + SKEW * 60, limit);
		return refuse_signature(s, DYNAMO_INVALID_SIGNATURE,
								"Signature not yet current: %s is still later than %s (%s + %d min.)",
								s->timestamp, limit, current, SKEW);
	}
	return true;
}

/*
 * Basic ISO 8601, or the form of the header Date.
 */
static bool
parse_date(const char *text, time_t *t)
{
	static const char pattern[] = "dddddddd" "T" "dddddd" "Z";
	struct tm	tm = {0};
	const char *end;
	int			i = 0;

	/* The usual case, without the costs of strptime(). */
	while (text[i] && (pattern[i] == 'd' ? isdigit((unsigned char) text[i]) :
					   text[i] == pattern[i]))
		i++;
	if (pattern[i] == '\0' && text[i] == '\0')
	{
		int			month = two_digits(text + 4);
		int			day = two_digits(text + 6);
		int			days;

		if (month < 1 || month > 12 || day < 1 || day > 31)
			return false;
		days = date2j(two_digits(text) * 100 + two_digits(text + 2),
					  month, day) - UNIX_EPOCH_JDATE;
		*t = (time_t) days * SECS_PER_DAY +
			two_digits(text + 9) * SECS_PER_HOUR +
			two_digits(text + 11) * SECS_PER_MINUTE + two_digits(text + 13);
		return true;
	}
	end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	if (end == NULL || *end != '\0')
		return false;
	*t = timegm(&tm);
	return true;
}

static int
two_digits(const char *text)
{
	return (text[0] - '0') * 10 + (text[1] - '0');
}

static void
format_date(time_t t, char *timestamp)
{
	struct tm	tm;

	if (gmtime_r(&t, &tm) == NULL ||
		strftime(timestamp, 17, "%Y%m%dT%H%M%SZ", &tm) != 16)
		strcpy(timestamp, "00000000T000000Z");
}

/*
 * The host must be signed, and so must every header of AWS's own that was
 * sent: anybody on the way could add or change it otherwise, the operation's
 * name for instance.  No client signs a header twice, or sends more than we
 * look at.
 */
static bool
check_signed_headers(Signature *s)
{
	char	   *rest = pstrdup(s->signed_headers);
	size_t		own = strlen(OWN_HEADER);

	for (char *name; (name = split(&rest, ';')) != NULL;)
	{
		if (has(&s->signs, name, strlen(name)))
			return refuse_signature(s, DYNAMO_INVALID_SIGNATURE, MISMATCH);
		add_pair(&s->signs, name, strlen(name), "");
		if (s->signs.more)
			break;
	}
	if (!check_signed(s, "Host", strlen("Host")))
		return false;
	for (int i = 0; i < s->headers.n; i++)
	{
		Pair	   *header = &s->headers.pairs[i];

		if (header->namelen >= own &&
			pg_strncasecmp(header->name, OWN_HEADER, own) == 0 &&
			!check_signed(s, header->name, header->namelen))
			return false;
	}
	if (s->headers.more || s->query.more)
		return refuse_signature(s, DYNAMO_INVALID_SIGNATURE, MISMATCH);
	return true;
}

static bool
check_signed(Signature *s, const char *name, size_t len)
{
	if (has(&s->signs, name, len))
		return true;
	return refuse_signature(s, DYNAMO_INVALID_SIGNATURE,
							"'%.*s' must be a 'SignedHeader' in the AWS Authorization.",
							(int) len, name);
}

/*
 * Everything else that can be said without knowing the key.
 */
static bool
check_scope(Signature *s)
{
	StringInfoData wrong;
	char	   *rest = pstrdup(s->credential);
	int			n = 0;

	if (strcmp(s->algorithm, ALGORITHM) != 0)
		return refuse_signature(s, DYNAMO_INCOMPLETE_SIGNATURE,
								"Unsupported AWS 'algorithm': '%s' (only AWS4-HMAC-SHA256 for now). ",
								s->algorithm);
	for (char *element; (element = split(&rest, '/')) != NULL; n++)
	{
		if (n < CREDENTIAL_ELEMENTS)
			s->scope[n] = element;
	}
	if (n != CREDENTIAL_ELEMENTS)
		return refuse_signature(s, DYNAMO_INCOMPLETE_SIGNATURE,
								"Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '%s'",
								s->credential);

	initStringInfo(&wrong);
	if (!is_region(s->scope[REGION], s->request->region))
		appendStringInfo(&wrong, "Credential should be scoped to a valid region, not '%s'. ",
						 s->scope[REGION]);
	if (strcmp(s->scope[SERVICE_NAME], s->service) != 0)
		appendStringInfo(&wrong, "Credential should be scoped to correct service: '%s'. ",
						 s->service);
	if (strcmp(s->scope[TERM], TERMINATOR) != 0)
		appendStringInfo(&wrong, "Credential should be scoped with a valid terminator: 'aws4_request', not '%s'. ",
						 s->scope[TERM]);
	if (strncmp(s->scope[DATE], s->timestamp, 8) != 0 ||
		strlen(s->scope[DATE]) != 8)
		appendStringInfo(&wrong, "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '%s' != '%.8s', from '%s'. ",
						 s->scope[DATE], s->timestamp, s->timestamp);
	if (wrong.len > 0)
		return refuse_signature(s, DYNAMO_INVALID_SIGNATURE, "%.*s",
								wrong.len - 1,
								wrong.data);
	return true;
}

/*
 * Is the region one that requests may be signed for?  It is part of what the
 * signature is made with, and no more: any will do, unless the administrator
 * wants to notice clients that are meant for another place.
 */
static bool
is_region(const char *region, const char *allowed)
{
	size_t		len = strlen(region);

	if (strcmp(allowed, "*") != 0)
		return strcmp(region, allowed) == 0;
	return len > 0 && len < sizeof(((IdentityKey *) NULL)->region) &&
		strspn(region, REGION_CHARS) == len;
}

/*
 * Our keys are for the long term, and good without a session token.  Clients
 * set up for a stand-in of the service send one all the same, a constant such
 * as "token".  It gives no rights, so it is signed like other headers and not
 * looked at.
 */
static bool
check_credential(Signature *s, IdentityKey **key)
{
	*key = identity_find_key(s->scope[KEY_ID]);
	if (*key == NULL)
		return refuse_signature(s, DYNAMO_UNRECOGNIZED_CLIENT, INVALID_TOKEN);
	return true;
}

static bool
check_signature(Signature *s, IdentityKey *key)
{
	StringInfoData text;
	char		hex[2 * DYNAMO_SHA256_LENGTH + 1];
	char		payload[2 * DYNAMO_SHA256_LENGTH + 1];
	uint8		signature[DYNAMO_SHA256_LENGTH];

	if (!hash_payload(s, payload))
		return refuse_signature(s, DYNAMO_INVALID_SIGNATURE, MISMATCH);
	initStringInfo(&text);
	canonical_request(s, &text, payload);
	sha256_hex(text.data, text.len, hex);

	resetStringInfo(&text);
	append_texts(&text, ALGORITHM "\n", s->timestamp, "\n",
				 s->credential + strlen(s->scope[KEY_ID]) + 1, "\n", hex, NULL);
	derive_key(s, key);
	hmac(key->signing_key, text.data, signature);
	to_hex(signature, hex);
	if (!same(hex, s->signature))
		return refuse_signature(s, DYNAMO_INVALID_SIGNATURE, MISMATCH);
	return true;
}

/*
 * What stands for the body in the canonical request.  False: the client says
 * its body has another hash than it has.  Clients in Elixir send the header
 * without a value, and sign the hash.
 */
static bool
hash_payload(Signature *s, char *hex)
{
	const IdentityRequest *request = s->request;
	const char *claimed = find_pair(&s->headers, "X-Amz-Content-Sha256");

	if (claimed != NULL && strcmp(claimed, UNSIGNED) == 0)
	{
		strcpy(hex, UNSIGNED);
		return true;
	}
	if (*request->hasher != NULL)
	{
		dynamo_sha256_end(*request->hasher, request->hash);
		*request->hasher = NULL;
	}
	else if (!*request->hashed)
		dynamo_sha256(request->body ? request->body : "", request->body_len,
					  request->hash);
	*request->hashed = true;
	to_hex(request->hash, hex);
	return claimed == NULL || claimed[0] == '\0' || strcmp(claimed, hex) == 0;
}

static void
canonical_request(Signature *s, StringInfo out, const char *payload)
{
	append_texts(out, s->request->method, "\n", s->path[0] ? s->path : "/",
				 "\n", NULL);
	append_query(s, out);
	appendStringInfoChar(out, '\n');
	append_headers(s, out);
	append_texts(out, "\n", s->signed_headers, "\n", payload, NULL);
}

/* Texts up to a NULL; faster than a format. */
static void
append_texts(StringInfo out,...)
{
	va_list		texts;
	const char *text;

	va_start(texts, out);
	while ((text = va_arg(texts, const char *)) != NULL)
		appendStringInfoString(out, text);
	va_end(texts);
}

/*
 * All parameters but the signature, encoded anew and sorted.
 */
static void
append_query(Signature *s, StringInfo out)
{
	Pair		sorted[MAX_PAIRS];
	int			n = 0;

	for (int i = 0; i < s->query.n; i++)
	{
		const Pair *pair = &s->query.pairs[i];
		StringInfoData name;
		StringInfoData value;

		if (strcmp(pair->name, "X-Amz-Signature") == 0)
			continue;
		initStringInfo(&name);
		initStringInfo(&value);
		append_encoded(&name, pair->name);
		append_encoded(&value, pair->value);
		sorted[n].name = name.data;
		sorted[n].value = value.data;
		n++;
	}
	qsort(sorted, n, sizeof(Pair), compare_pairs);
	for (int i = 0; i < n; i++)
		appendStringInfo(out, "%s%s=%s", i > 0 ? "&" : "", sorted[i].name,
						 sorted[i].value);
}

static int
compare_pairs(const void *a, const void *b)
{
	const Pair *x = a;
	const Pair *y = b;
	int			cmp = strcmp(x->name, y->name);

	return cmp != 0 ? cmp : strcmp(x->value, y->value);
}

static void
append_encoded(StringInfo out, const char *text)
{
	for (; *text; text++)
	{
		unsigned char c = *text;

		if (c < 128 && (isalnum(c) || strchr("-_.~", c) != NULL))
			appendStringInfoChar(out, c);
		else
			appendStringInfo(out, "%%%02X", c);
	}
}

/*
 * One line for each signed header, repeated ones joined.
 */
static void
append_headers(Signature *s, StringInfo out)
{
	for (int n = 0; n < s->signs.n; n++)
	{
		const Pair *name = &s->signs.pairs[n];
		bool		first = true;

		appendBinaryStringInfo(out, name->name, name->namelen);
		appendStringInfoCharMacro(out, ':');
		for (int i = 0; i < s->headers.n; i++)
		{
			if (!is_named(&s->headers.pairs[i], name->name, name->namelen))
				continue;
			if (!first)
				appendStringInfoChar(out, ',');
			append_trimmed(out, s->headers.pairs[i].value);
			first = false;
		}
		appendStringInfoCharMacro(out, '\n');
	}
}

/* Without blanks at the ends, and one where there were several. */
static void
append_trimmed(StringInfo out, const char *value)
{
	bool		blank = false;
	int			start = out->len;

	if (strchr(value, ' ') == NULL && strchr(value, '\t') == NULL)
	{
		appendStringInfoString(out, value);
		return;
	}
	for (; *value; value++)
	{
		if (*value == ' ' || *value == '\t')
		{
			blank = true;
			continue;
		}
		if (blank && out->len > start)
			appendStringInfoChar(out, ' ');
		blank = false;
		appendStringInfoChar(out, *value);
	}
}

/*
 * The key changes with the day, the region and the service only.
 */
static void
derive_key(Signature *s, IdentityKey *key)
{
	char	   *secret;
	uint8		hash[DYNAMO_SHA256_LENGTH];

	if (strcmp(key->date, s->scope[DATE]) == 0 &&
		strcmp(key->region, s->scope[REGION]) == 0 &&
		key->service == s->service)
		return;
	secret = psprintf("AWS4%s", key->secret);
	dynamo_hmac_sha256(secret, strlen(secret), s->scope[DATE],
					   strlen(s->scope[DATE]), hash);
	hmac(hash, s->scope[REGION], hash);
	hmac(hash, s->service, hash);
	hmac(hash, TERMINATOR, key->signing_key);
	strlcpy(key->date, s->scope[DATE], sizeof(key->date));
	strlcpy(key->region, s->scope[REGION], sizeof(key->region));
	key->service = s->service;
}

static void
sha256_hex(const char *data, size_t len, char *hex)
{
	uint8		hash[DYNAMO_SHA256_LENGTH];

	dynamo_sha256(data, len, hash);
	to_hex(hash, hex);
}

/* Of a text; "result" may be "key". */
static void
hmac(const uint8 *key, const char *data, uint8 *result)
{
	dynamo_hmac_sha256(key, DYNAMO_SHA256_LENGTH, data, strlen(data), result);
}

static void
to_hex(const uint8 *bytes, char *hex)
{
	hex_encode((const char *) bytes, DYNAMO_SHA256_LENGTH, hex);
	hex[2 * DYNAMO_SHA256_LENGTH] = '\0';
}

/* Compare in a time that tells nothing of where they differ. */
static bool
same(const char *a, const char *b)
{
	size_t		len = strlen(a);

	return strlen(b) == len && gnutls_memcmp(a, b, len) == 0;
}
