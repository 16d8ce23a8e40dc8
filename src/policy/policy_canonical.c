/*-------------------------------------------------------------------------
 *
 * policy_canonical.c
 *	  The text that a resource's policy is kept and shown as.
 *
 * As the service does it, there is no white space outside strings, members
 * stand in one order, a list of one action, resource or principal is that one,
 * and an account's id is the ARN of its root.  Documents that are equal then
 * are the same policy.  One without a Version is another than one with the
 * version that it has by default, and yet both are shown with it: the default is
 * added when a document is shown.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "policy/policy_internal.h"
#include "wire/wire.h"

#define DEFAULT_VERSION	"\"Version\":\"2008-10-17\""

static void append_statement(StringInfo out, const json_t *statement);
static void append_principals(StringInfo out, const json_t *principals);
static void append_principal(StringInfo out, const json_t *principal);
static void append_one_or_all(StringInfo out, const json_t *value,
							  void (*append) (StringInfo out,
											  const json_t *value));

/*
 * Of a document that policy_parse() has read as a resource's.
 */
char *
policy_canonical(const char *text, size_t len)
{
	static const char *const members[] = {"Version", "Id"};
	json_error_t error;
	const json_t *document = codec_load(text, len, &error);
	const json_t *statements = json_object_get(document, "Statement");
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < lengthof(members); i++)
	{
		const json_t *value = json_object_get(document, members[i]);

		if (value == NULL)
			continue;
		wire_member(&out, members[i]);
		wire_append_json(&out, value);
	}
	wire_member(&out, "Statement");
	appendStringInfoChar(&out, '[');
	for (int i = 0; i < policy_elements(statements); i++)
	{
		CHECK_FOR_INTERRUPTS();
		wire_element(&out);
		append_statement(&out, policy_element(statements, i));
	}
	appendStringInfoString(&out, "]}");
	return out.data;
}

/*
 * What is kept, as it is shown.
 */
const char *
policy_shown(const char *document)
{
	static const char begin[] = "{\"Version\":";

	if (document[0] != '{' || strncmp(document, begin, strlen(begin)) == 0)
		return document;
	return psprintf("{" DEFAULT_VERSION ",%s", document + 1);
}

static void
append_statement(StringInfo out, const json_t *statement)
{
	static const struct
	{
		const char *name;
		void		(*append) (StringInfo out, const json_t *value);
		bool		list;
	}			members[] = {
		{"Sid", wire_append_json},
		{"Effect", NULL},
		{"Principal", append_principals},
		{"NotPrincipal", append_principals},
		{"Action", wire_append_json, true},
		{"NotAction", wire_append_json, true},
		{"Resource", wire_append_json, true},
		{"NotResource", wire_append_json, true},
		{"Condition", wire_append_json},
	};

	appendStringInfoChar(out, '{');
	for (int i = 0; i < lengthof(members); i++)
	{
		const json_t *value = json_object_get(statement, members[i].name);

		if (value == NULL)
			continue;
		wire_member(out, members[i].name);
		if (members[i].append == NULL)
			wire_append_string(out, policy_denies(json_string_value(value)) ?
							   "Deny" : "Allow");
		else if (members[i].list)
			append_one_or_all(out, value, members[i].append);
		else
			members[i].append(out, value);
	}
	appendStringInfoChar(out, '}');
}

/*
 * "*", or lists by kind.
 */
static void
append_principals(StringInfo out, const json_t *principals)
{
	const char *kind;
	json_t	   *list;

	if (!json_is_object(principals))
	{
		wire_append_json(out, principals);
		return;
	}
	appendStringInfoChar(out, '{');
	json_object_foreach((json_t *) principals, kind, list)
	{
		CHECK_FOR_INTERRUPTS();
		wire_member(out, kind);
		append_one_or_all(out, list, append_principal);
	}
	appendStringInfoChar(out, '}');
}

static void
append_principal(StringInfo out, const json_t *principal)
{
	const char *text = json_string_value(principal);

	if (text != NULL && policy_is_account(text, strlen(text)))
		wire_append_string(out, psprintf("arn:aws:iam::%s:root", text));
	else
		wire_append_json(out, principal);
}

/*
 * A list of one is its element.
 */
static void
append_one_or_all(StringInfo out, const json_t *value,
				  void (*append) (StringInfo out, const json_t *value))
{
	size_t		i;
	json_t	   *element;

	if (!json_is_array(value) || json_array_size(value) == 1)
	{
		append(out, policy_element(value, 0));
		return;
	}
	appendStringInfoChar(out, '[');
	json_array_foreach(value, i, element)
	{
		CHECK_FOR_INTERRUPTS();
		wire_element(out);
		append(out, element);
	}
	appendStringInfoChar(out, ']');
}
