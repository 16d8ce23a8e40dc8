/*-------------------------------------------------------------------------
 *
 * policy_operator.c
 *	  Conditions: operators, their operands, and whether they hold.
 *
 * A key may have several values.  ForAllValues: asks all of them, and holds if
 * there are none; ForAnyValue: asks for one.  An operator without either means
 * one value; where there are several, it holds for an Allow if all values do,
 * and for a Deny if one does.  Otherwise a batch could hide a value behind
 * another.
 *
 * A key that the request does not have: ...IfExists and negated operators
 * hold, others do not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "policy/policy_internal.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#define PLAIN	POLICY_VARIABLES
#define LIKE	(POLICY_VARIABLES | POLICY_WILDCARDS)
#define ARN		(LIKE | POLICY_AS_ARN)

/* Cases of their names do not matter. */
static const PolicyOperator operators[] = {
	{"StringEquals", POLICY_STRING, POLICY_EQ, false, PLAIN},
	{"StringNotEquals", POLICY_STRING, POLICY_EQ, true, PLAIN},
	{"StringEqualsIgnoreCase", POLICY_STRING, POLICY_EQ, false, PLAIN | POLICY_FOLDED},
	{"StringNotEqualsIgnoreCase", POLICY_STRING, POLICY_EQ, true, PLAIN | POLICY_FOLDED},
	{"StringLike", POLICY_STRING, POLICY_EQ, false, LIKE},
	{"StringNotLike", POLICY_STRING, POLICY_EQ, true, LIKE},
	{"BinaryEquals", POLICY_STRING, POLICY_EQ, false, 0},
	{"ArnEquals", POLICY_STRING, POLICY_EQ, false, ARN},
	{"ArnLike", POLICY_STRING, POLICY_EQ, false, ARN},
	{"ArnNotEquals", POLICY_STRING, POLICY_EQ, true, ARN},
	{"ArnNotLike", POLICY_STRING, POLICY_EQ, true, ARN},
	{"NumericEquals", POLICY_NUMERIC, POLICY_EQ, false},
	{"NumericNotEquals", POLICY_NUMERIC, POLICY_EQ, true},
	{"NumericLessThan", POLICY_NUMERIC, POLICY_LT, false},
	{"NumericLessThanEquals", POLICY_NUMERIC, POLICY_LE, false},
	{"NumericGreaterThan", POLICY_NUMERIC, POLICY_GT, false},
	{"NumericGreaterThanEquals", POLICY_NUMERIC, POLICY_GE, false},
	{"DateEquals", POLICY_DATE, POLICY_EQ, false},
	{"DateNotEquals", POLICY_DATE, POLICY_EQ, true},
	{"DateLessThan", POLICY_DATE, POLICY_LT, false},
	{"DateLessThanEquals", POLICY_DATE, POLICY_LE, false},
	{"DateGreaterThan", POLICY_DATE, POLICY_GT, false},
	{"DateGreaterThanEquals", POLICY_DATE, POLICY_GE, false},
	{"Bool", POLICY_BOOL, POLICY_EQ, false},
	{"IpAddress", POLICY_ADDRESS, POLICY_EQ, false},
	{"NotIpAddress", POLICY_ADDRESS, POLICY_EQ, true},
	{"Null", POLICY_IS_NULL, POLICY_EQ, false},
};

/* A condition and what it is asked for */
typedef struct AskedValues
{
	const PolicyCondition *condition;
	const PolicyCheck *check;
} AskedValues;

static bool strip(const char **name, size_t *len, const char *prefix);
static bool read_number(const char *text, size_t len, ItemValue *number);
static bool read_time(const char *text, size_t len, TimestampTz *time);
static bool read_address(const char *text, size_t len, PolicyAddress *address);
static bool read_boolean(const char *text, size_t len, bool *value);
static bool touches_all(PolicyReach reach, PolicyKey key);
static bool value_holds(const AskedValues *asked, const PolicyText *value);
static bool operand_matches(const AskedValues *asked,
							const PolicyOperand *operand,
							const PolicyText *text, const PolicyOperand *value);
static bool in_relation(PolicyRelation relation, int order);
static bool is_within(const PolicyAddress *address, const PolicyAddress *net);

/*
 * The operator of that name, with its quantifier and suffix.  False: there is
 * no such operator.
 */
bool
policy_find_operator(const char *name, PolicyCondition *condition)
{
	static const char suffix[] = "IfExists";
	size_t		len = strlen(name);

	condition->quantifier = POLICY_PLAIN;
	if (strip(&name, &len, "ForAllValues:"))
		condition->quantifier = POLICY_FOR_ALL;
	else if (strip(&name, &len, "ForAnyValue:"))
		condition->quantifier = POLICY_FOR_SOME;
	if (len > strlen(suffix) &&
		pg_strcasecmp(name + len - strlen(suffix), suffix) == 0)
	{
		condition->if_exists = true;
		len -= strlen(suffix);
	}
	for (int i = 0; i < lengthof(operators); i++)
	{
		if (strlen(operators[i].name) == len &&
			pg_strncasecmp(operators[i].name, name, len) == 0)
		{
			condition->op = &operators[i];
			return condition->op->comparison != POLICY_IS_NULL ||
				!condition->if_exists;
		}
	}
	return false;
}

static bool
strip(const char **name, size_t *len, const char *prefix)
{
	size_t		n = strlen(prefix);

	if (*len < n || pg_strncasecmp(*name, prefix, n) != 0)
		return false;
	*name += n;
	*len -= n;
	return true;
}

bool
policy_read_operand(const PolicyOperator *op, const char *text, size_t len,
					bool variables, PolicyOperand *operand)
{
	switch (op->comparison)
	{
		case POLICY_STRING:
			operand->pattern =
				policy_pattern(text, len, variables ? op->flags :
							   op->flags & ~POLICY_VARIABLES);
			return true;
		case POLICY_NUMERIC:
			return read_number(text, len, &operand->number);
		case POLICY_DATE:
			return read_time(text, len, &operand->time);
		case POLICY_ADDRESS:
			return read_address(text, len, &operand->address);
		case POLICY_BOOL:
		case POLICY_IS_NULL:
			return read_boolean(text, len, &operand->boolean);
	}
	return false;
}

static bool
read_number(const char *text, size_t len, ItemValue *number)
{
	uint8		bytes[ITEM_NUMBER_MAX_BYTES];
	uint32		nbytes;

	if (item_number_parse(text, len, bytes, &nbytes) != ITEM_NUMBER_OK)
		return false;
	number->type = ITEM_N;
	number->len = nbytes;
	number->data = memcpy(palloc(Max(nbytes, 1)), bytes, nbytes);
	return true;
}

/*
 * 2026-01-31, 2026-01-31T12:00:00Z, with a fraction or an offset; or seconds
 * since 1970.
 */
static bool
read_time(const char *text, size_t len, TimestampTz *time)
{
	char		copy[64];
	int			year,
				month,
				day;
	int			hour = 0,
				minute = 0;
	double		second = 0;
	int			offset = 0;
	int			at = 0;

	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (strspn(copy, "0123456789") == len && len <= 11 && len != 4)
	{
		*time = time_t_to_timestamptz((pg_time_t) strtoll(copy, NULL, 10));
		return true;
	}
	if (sscanf(copy, "%4d-%2d-%2d%n", &year, &month, &day, &at) != 3 || at == 0)
		return false;
	if (copy[at] == 'T')
	{
		const char *rest = copy + at + 1;
		int			sign = 0;
		int			zone_hour = 0,
					zone_minute = 0;

		at = 0;
		if (sscanf(rest, "%2d:%2d%n", &hour, &minute, &at) != 2 || at == 0)
			return false;
		rest += at;
		if (*rest == ':')
		{
			char	   *end;

			if (rest[1] < '0' || rest[1] > '9' || rest[2] < '0' || rest[2] > '9')
				return false;
			second = strtod(rest + 1, &end);
			rest = end;
		}
		if (*rest == 'Z')
			rest++;
		else if (*rest == '+' || *rest == '-')
		{
			sign = *rest == '+' ? 1 : -1;
			at = 0;
			if (sscanf(rest + 1, "%2d:%2d%n", &zone_hour, &zone_minute,
					   &at) != 2 || at == 0)
				return false;
			rest += 1 + at;
			offset = sign * (zone_hour * 60 + zone_minute);
		}
		if (*rest != '\0')
			return false;
	}
	else if (copy[at] != '\0')
		return false;
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31 ||
		hour < 0 || hour > 24 || minute < 0 || minute > 59 || second < 0 ||
		second >= 61)
		return false;
	*time = ((int64) (date2j(year, month, day) - POSTGRES_EPOCH_JDATE) *
			 SECS_PER_DAY + hour * 3600 + (minute - offset) * 60) *
		USECS_PER_SEC + (int64) (second * USECS_PER_SEC);
	return true;
}

/*
 * An address or a network in CIDR notation.  IPv4 inside IPv6 is IPv4.
 */
static bool
read_address(const char *text, size_t len, PolicyAddress *address)
{
	static const uint8 mapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	char		copy[64];
	char	   *slash;
	int			most;

	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	slash = strchr(copy, '/');
	if (slash)
		*slash++ = '\0';
	address->family = strchr(copy, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(address->family, copy, address->bytes) != 1)
		return false;
	most = address->family == AF_INET ? 32 : 128;
	address->bits = most;
	if (slash)
	{
		if (*slash == '\0' || strspn(slash, "0123456789") != strlen(slash) ||
			strlen(slash) > 3)
			return false;
		address->bits = atoi(slash);
		if (address->bits > most)
			return false;
	}
	if (most == 128 && address->bits >= 96 &&
		memcmp(address->bytes, mapped, sizeof(mapped)) == 0)
	{
		address->family = AF_INET;
		memmove(address->bytes, address->bytes + 12, 4);
		address->bits -= 96;
	}
	return true;
}

static bool
read_boolean(const char *text, size_t len, bool *value)
{
	*value = len == 4;
	return (len == 4 && pg_strncasecmp(text, "true", 4) == 0) ||
		(len == 5 && pg_strncasecmp(text, "false", 5) == 0);
}

/*
 * Has the key of a condition all values that there are?
 */
static bool
touches_all(PolicyReach reach, PolicyKey key)
{
	return (reach == POLICY_ALL_KEYS && key < POLICY_ATTRIBUTES) ||
		(reach == POLICY_ALL_ATTRIBUTES && key == POLICY_ATTRIBUTES) ||
		(reach == POLICY_ALL_ITEMS && key <= POLICY_ATTRIBUTES);
}

/*
 * Does a condition of an Allow or Deny statement hold?  Of one about keys that
 * has all of them, an Allow never holds, nor does an exception from a Deny:
 * ForAllValues would hold as if there were none.  What an Allow says of there
 * being none (Null) is taken at its word.
 */
bool
policy_holds(const PolicyCondition *condition, bool deny,
			 const PolicyCheck *check)
{
	static const PolicyValues none = {0};
	const PolicyValues *values = &none;
	AskedValues asked = {condition, check};
	bool		all;

	if (check->reach == POLICY_LATER && condition->key <= POLICY_RETURN_VALUES)
		return !deny;
	if (touches_all(check->reach, condition->key) &&
		(deny || condition->op->comparison != POLICY_IS_NULL))
		return deny;
	if (condition->key != POLICY_UNKNOWN)
		values = POLICY_SESSION_KEY(condition->key) ?
			policy_session_values(check->request, condition->key) :
			&check->values[condition->key];
	if (condition->op->comparison == POLICY_IS_NULL)
	{
		for (int i = 0; i < condition->n; i++)
		{
			if (condition->operands[i].boolean == (values->n == 0))
				return true;
		}
		return false;
	}
	if (values->n == 0)
		return condition->quantifier == POLICY_FOR_ALL || condition->if_exists ||
			(condition->op->negated && condition->quantifier == POLICY_PLAIN);
	all = condition->quantifier == POLICY_FOR_ALL ||
		(condition->quantifier == POLICY_PLAIN && !deny);
	for (int i = 0; i < values->n; i++)
	{
		if (value_holds(&asked, &values->texts[i]) != all)
			return !all;
	}
	return all;
}

/*
 * Does the operator hold for one value: for one of its operands, or, negated,
 * for none?  A value that is not of the operator's kind matches no operand.
 */
static bool
value_holds(const AskedValues *asked, const PolicyText *value)
{
	const PolicyCondition *condition = asked->condition;
	const PolicyOperator *op = condition->op;
	PolicyOperand read = {0};
	bool		readable = op->comparison == POLICY_STRING ||
		policy_read_operand(op, value->data, value->len, false, &read);

	for (int i = 0; i < condition->n && readable; i++)
	{
		if (operand_matches(asked, &condition->operands[i], value, &read))
			return !op->negated;
	}
	return op->negated;
}

static bool
operand_matches(const AskedValues *asked, const PolicyOperand *operand,
				const PolicyText *text, const PolicyOperand *value)
{
	const PolicyOperator *op = asked->condition->op;

	switch (op->comparison)
	{
		case POLICY_STRING:
			return policy_matches(&operand->pattern, text, asked->check);
		case POLICY_NUMERIC:
			return in_relation(op->relation,
							   item_value_compare(&value->number,
												  &operand->number));
		case POLICY_DATE:
			return in_relation(op->relation,
							   value->time < operand->time ? -1 :
							   value->time > operand->time);
		case POLICY_ADDRESS:
			return is_within(&value->address, &operand->address);
		default:
			return value->boolean == operand->boolean;
	}
}

static bool
in_relation(PolicyRelation relation, int order)
{
	switch (relation)
	{
		case POLICY_EQ:
			return order == 0;
		case POLICY_LT:
			return order < 0;
		case POLICY_LE:
			return order <= 0;
		case POLICY_GT:
			return order > 0;
		default:
			return order >= 0;
	}
}

static bool
is_within(const PolicyAddress *address, const PolicyAddress *net)
{
	int			whole = net->bits / 8;
	int			rest = net->bits % 8;

	if (address->family != net->family || address->bits < net->bits ||
		memcmp(address->bytes, net->bytes, whole) != 0)
		return false;
	return rest == 0 ||
		(address->bytes[whole] ^ net->bytes[whole]) >> (8 - rest) == 0;
}
