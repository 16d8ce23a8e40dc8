/*-------------------------------------------------------------------------
 *
 * policy_pattern.c
 *	  Texts of policies: "*" and "?", and variables.
 *
 * A variable stands for the value of its key as it is: wildcards in it are
 * plain characters.  Otherwise a role could be named to match everything.  A
 * variable that has neither a value nor a default matches nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "policy/policy_internal.h"

static const struct
{
	const char *name;
	PolicyKey	key;
}			keys[] = {
	{"dynamodb:LeadingKeys", POLICY_LEADING_KEYS},
	{"dynamodb:FirstPartitionKeyValues", POLICY_LEADING_KEYS},
	{"dynamodb:SecondPartitionKeyValues", POLICY_SECOND_KEYS},
	{"dynamodb:ThirdPartitionKeyValues", POLICY_THIRD_KEYS},
	{"dynamodb:FourthPartitionKeyValues", POLICY_FOURTH_KEYS},
	{"dynamodb:Attributes", POLICY_ATTRIBUTES},
	{"dynamodb:Select", POLICY_SELECT},
	{"dynamodb:ReturnValues", POLICY_RETURN_VALUES},
	{"dynamodb:ReturnConsumedCapacity", POLICY_RETURN_CAPACITY},
	{"dynamodb:EnclosingOperation", POLICY_ENCLOSING_OPERATION},
	{"dynamodb:FullTableScan", POLICY_FULL_TABLE_SCAN},
	{"aws:username", POLICY_USERNAME},
	{"aws:userid", POLICY_USER_ID},
	{"aws:PrincipalArn", POLICY_PRINCIPAL_ARN},
	{"aws:PrincipalAccount", POLICY_PRINCIPAL_ACCOUNT},
	{"aws:PrincipalType", POLICY_PRINCIPAL_TYPE},
	{"aws:SourceIp", POLICY_SOURCE_IP},
	{"aws:CurrentTime", POLICY_CURRENT_TIME},
	{"aws:EpochTime", POLICY_EPOCH_TIME},
	{"aws:SecureTransport", POLICY_SECURE_TRANSPORT},
	{"aws:RequestedRegion", POLICY_REQUESTED_REGION},
	{"aws:ResourceAccount", POLICY_RESOURCE_ACCOUNT},
};

static void add_piece(PolicyPattern *pattern, const PolicyPiece *piece);
static void add_literal(PolicyPattern *pattern, const char *text, size_t len);
static size_t read_variable(PolicyPattern *pattern, const char *text,
							size_t len);
static const PolicyText *value_of(const PolicyPiece *piece,
								  const PolicyCheck *check);
static inline int character_len(const char *at, const char *end);
static bool begins(const PolicyPattern *pattern, const PolicyText *prefix,
				   const char *at, const char *end);

/*
 * The key of that name, whose case does not matter.
 */
PolicyKey
policy_key(const char *name, size_t len)
{
	for (int i = 0; i < lengthof(keys); i++)
	{
		if (strlen(keys[i].name) == len &&
			pg_strncasecmp(keys[i].name, name, len) == 0)
			return keys[i].key;
	}
	return POLICY_UNKNOWN;
}

/*
 * The pieces of a text, in the current context.  "text" is copied.
 */
PolicyPattern
policy_pattern(const char *text, size_t len, int flags)
{
	PolicyPattern pattern = {0};
	const char *copy = pnstrdup(text, len);
	size_t		from = 0;		/* where the literal begins */
	size_t		i = 0;

	pattern.arn = (flags & POLICY_AS_ARN) != 0;
	pattern.folded = (flags & POLICY_FOLDED) != 0;
	while (i < len)
	{
		PolicyPiece piece = {0};
		size_t		taken = 0;

		if ((flags & POLICY_WILDCARDS) && (copy[i] == '*' || copy[i] == '?'))
		{
			add_literal(&pattern, copy + from, i - from);
			piece.kind = copy[i] == '*' ? POLICY_ANY : POLICY_ONE;
			add_piece(&pattern, &piece);
			from = ++i;
			continue;
		}
		if ((flags & POLICY_VARIABLES) && copy[i] == '$' && i + 1 < len &&
			copy[i + 1] == '{')
		{
			add_literal(&pattern, copy + from, i - from);
			from = i;
			taken = read_variable(&pattern, copy + i, len - i);
		}
		i += taken > 0 ? taken : 1;
		if (taken > 0)
			from = i;
	}
	add_literal(&pattern, copy + from, len - from);
	return pattern;
}

static void
add_literal(PolicyPattern *pattern, const char *text, size_t len)
{
	PolicyPiece piece = {.kind = POLICY_LITERAL, .text = {text, len}};

	if (len > 0)
		add_piece(pattern, &piece);
}

static void
add_piece(PolicyPattern *pattern, const PolicyPiece *piece)
{
	int			n = pattern->n;

	/* "**" is "*". */
	if (piece->kind == POLICY_ANY && n > 0 &&
		pattern->pieces[n - 1].kind == POLICY_ANY)
		return;
	if (n == 0)
		pattern->pieces = palloc(sizeof(PolicyPiece));
	else if ((n & (n - 1)) == 0)
		pattern->pieces = repalloc(pattern->pieces,
								   sizeof(PolicyPiece) * 2 * n);
	pattern->pieces[pattern->n++] = *piece;
}

/*
 * A variable at the beginning of "text": ${key}, ${key, 'default'}, or one of
 * the characters * ? $ that are meant as they are.  Returns its length; 0: it
 * does not end.
 */
static size_t
read_variable(PolicyPattern *pattern, const char *text, size_t len)
{
	const char *end = memchr(text, '}', len);
	const char *name = text + 2;
	const char *comma;
	PolicyPiece piece = {.kind = POLICY_VARIABLE};
	size_t		name_len;

	if (end == NULL)
		return 0;
	name_len = end - name;
	if (name_len == 1 && strchr("*?$", *name) != NULL)
	{
		add_literal(pattern, name, 1);
		return end + 1 - text;
	}
	comma = memchr(name, ',', name_len);
	if (comma != NULL)
	{
		const char *from = memchr(comma, '\'', end - comma);
		const char *to = end;

		while (from && to > from + 1 && to[-1] != '\'')
			to--;
		if (from && to > from + 1)
		{
			piece.text.data = from + 1;
			piece.text.len = to - 1 - (from + 1);
		}
		name_len = comma - name;
	}
	while (name_len > 0 && name[name_len - 1] == ' ')
		name_len--;
	piece.key = policy_key(name, name_len);
	add_piece(pattern, &piece);
	return end + 1 - text;
}

/*
 * Bits of the keys that a pattern's variables name.
 */
uint64
policy_pattern_keys(const PolicyPattern *pattern)
{
	uint64		bits = 0;

	for (int i = 0; i < pattern->n; i++)
	{
		if (pattern->pieces[i].kind == POLICY_VARIABLE)
			bits |= UINT64CONST(1) << pattern->pieces[i].key;
	}
	return bits;
}

/*
 * Does the whole text match?  "check" has the values of variables; NULL: there
 * are none.  Goes back to the last "*" only, which is enough.
 */
bool
policy_matches(const PolicyPattern *pattern, const PolicyText *text,
			   const PolicyCheck *check)
{
	const char *end = text->data + text->len;
	const char *at = text->data;
	const char *rest = at;		/* of an ARN: its last part */
	const char *mark = NULL;	/* where the last "*" ends by now */
	int			star = -1;
	int			i = 0;

	CHECK_FOR_INTERRUPTS();
	for (int part = 1; pattern->arn && part < 6 && rest < end; part++)
	{
		const char *colon = memchr(rest, ':', end - rest);

		rest = colon ? colon + 1 : end;
	}
	for (;;)
	{
		if (i < pattern->n)
		{
			const PolicyPiece *piece = &pattern->pieces[i];
			const PolicyText *value;

			if (piece->kind == POLICY_ANY)
			{
				star = i++;
				mark = at;
				if (i == pattern->n && (!pattern->arn || at >= rest))
					return true;
				continue;
			}
			if (piece->kind == POLICY_ONE && at < end &&
				!(pattern->arn && *at == ':' && at < rest))
			{
				at += character_len(at, end);
				i++;
				continue;
			}
			value = piece->kind == POLICY_LITERAL ? &piece->text :
				piece->kind == POLICY_VARIABLE ? value_of(piece, check) : NULL;
			if (piece->kind == POLICY_VARIABLE && value == NULL)
				return false;
			if (value && begins(pattern, value, at, end))
			{
				at += value->len;
				i++;
				continue;
			}
		}
		else if (at == end)
			return true;
		if (star < 0 || mark >= end ||
			(pattern->arn && *mark == ':' && mark < rest))
			return false;
		CHECK_FOR_INTERRUPTS();
		mark += character_len(mark, end);
		at = mark;
		i = star + 1;
	}
}

/*
 * What is compared is UTF-8, whatever the database's encoding.
 */
static inline int
character_len(const char *at, const char *end)
{
	return IS_HIGHBIT_SET(*at) ?
		Min(pg_utf_mblen((const unsigned char *) at), end - at) : 1;
}

/*
 * The value of a variable's key, or its default; NULL: there is neither.  A
 * key of several values is none that a variable can stand for.
 */
static const PolicyText *
value_of(const PolicyPiece *piece, const PolicyCheck *check)
{
	const PolicyValues *values = NULL;

	if (check != NULL && piece->key != POLICY_UNKNOWN)
		values = POLICY_SESSION_KEY(piece->key) ?
			policy_session_values(check->request, piece->key) :
			&check->values[piece->key];
	if (values != NULL && values->n == 1)
		return &values->texts[0];
	return piece->text.data ? &piece->text : NULL;
}

static bool
begins(const PolicyPattern *pattern, const PolicyText *prefix, const char *at,
	   const char *end)
{
	if (end - at < (ptrdiff_t) prefix->len)
		return false;
	if (!pattern->folded)
		return memcmp(at, prefix->data, prefix->len) == 0;
	for (uint32 i = 0; i < prefix->len; i++)
	{
		if (pg_tolower((unsigned char) at[i]) !=
			pg_tolower((unsigned char) prefix->data[i]))
			return false;
	}
	return true;
}
