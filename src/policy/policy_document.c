/*-------------------------------------------------------------------------
 *
 * policy_document.c
 *	  Policy documents: from their text to what is checked.
 *
 * Version, Id, Statement (one, or a list) with Sid, Effect, Principal,
 * NotPrincipal, Action, NotAction, Resource, NotResource and Condition.  What
 * is wrong is told in the words of the service, or of its IAM where the
 * service has none.  A member that the language does not have is refused: a
 * misspelt Condition must not widen a statement.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "policy/policy_internal.h"

#define INVALID		DYNAMO_INVALID "Invalid policy document: "
#define SYNTAX		"Syntax errors in policy."
#define UNBOUNDED	"Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access"
#define NEWEST		"2012-10-17"
#define BAD_PRINCIPAL	DYNAMO_INVALID "Invalid principal in policy document."

/* What all statements of a document are read with */
typedef struct DocumentReader
{
	const char *text;
	int			statement;		/* that is being read; -1: none */
	bool		resource;		/* a policy of a table or stream */
	bool		variables;
	PolicyDocument *document;
} DocumentReader;

static void refuse_document(const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(1, 2);
static void refuse_syntax(const DocumentReader *reader, const char *member)
			pg_attribute_noreturn();
static json_t *load_document(const char *text, size_t len);
static void check_members(const DocumentReader *reader, const json_t *object,
						  const char *const *names);
static void check_version(DocumentReader *reader, const json_t *version);
static void check_sids(const json_t *statements);
static void read_statement(DocumentReader *reader, const json_t *json,
						   PolicyStatement *statement);
static void read_effect(const DocumentReader *reader,
						PolicyStatement *statement,
						const json_t *json);
static const json_t *one_of(const DocumentReader *reader, const json_t *json,
							const char *name, const char *not_name,
							bool *negated);
static void read_action_list(const DocumentReader *reader,
							 PolicyStatement *statement,
							 const char *member, const json_t *json);
static void read_resources(DocumentReader *reader, PolicyStatement *statement,
						   const json_t *json);
static void read_principals(const DocumentReader *reader,
							PolicyStatement *statement,
							const json_t *json);
static bool is_kind(const char *name);
static PolicyPrincipal read_principal(const char *text);
static void read_conditions(DocumentReader *reader, PolicyStatement *statement,
							const json_t *json);
static void read_condition(DocumentReader *reader, const char *op,
						   const char *key,
						   const json_t *values, PolicyCondition *condition);
static const char *scalar_text(const json_t *value, size_t *len);
static void check_unbounded(const PolicyStatement *statement);

PolicyDocument *
policy_parse(const char *text, size_t len, bool resource)
{
	static const char *const members[] = {"Version", "Id", "Statement", NULL};
	DocumentReader reader = {.text = text, .statement = -1, .resource = resource};
	json_t	   *json;
	const json_t *statements;
	PolicyDocument *document = palloc0(sizeof(PolicyDocument));

	json = load_document(text, len);
	if (!json_is_object(json) ||
		(!resource && !json_object_get(json, "Statement")))
		refuse_document("This text appears not to be a policy");
	reader.document = document;
	check_members(&reader, json, members);
	if (!json_object_get(json, "Statement"))
		refuse_syntax(&reader, NULL);
	check_version(&reader, json_object_get(json, "Version"));
	if (json_object_get(json, "Id") &&
		!json_is_string(json_object_get(json, "Id")))
		refuse_syntax(&reader, "Id");
	statements = json_object_get(json, "Statement");
	if (!json_is_array(statements) && !json_is_object(statements))
		refuse_syntax(&reader, "Statement");
	if (policy_elements(statements) == 0)
		refuse_document("Could not parse the policy: Statement is empty!");
	document->n = policy_elements(statements);
	document->statements = palloc0(sizeof(PolicyStatement) * document->n);
	for (int i = 0; i < document->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		reader.statement = i;
		read_statement(&reader, policy_element(statements, i),
					   &document->statements[i]);
	}
	check_sids(statements);
	return document;
}

/*
 * Raise what is said of a bad document.
 */
static void
refuse_document(const char *fmt,...)
{
	va_list		args;
	char	   *text;

	va_start(args, fmt);
	text = dynamo_format(fmt, args);
	va_end(args);
	dynamo_error(DYNAMO_VALIDATION, INVALID "%s", text);
}

/*
 * The same of a mistake in the language: of the value of a member of what is
 * being read, or of the whole, NULL.  The service says where that ends.
 */
static void
refuse_syntax(const DocumentReader *reader, const char *member)
{
	int			line;
	int			column;

	if (!reader->resource)
		refuse_document(SYNTAX);
	policy_position(reader->text, reader->statement, member, &line, &column);
	refuse_document("Syntax error at position (%d,%d)", line, column);
}

/*
 * A document that is given may have so many bytes, white space included.
 */
void
policy_check_size(size_t len)
{
	if (len > POLICY_MAX_DOCUMENT)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Maximum policy size of %d bytes exceeded",
					 POLICY_MAX_DOCUMENT);
}

static json_t *
load_document(const char *text, size_t len)
{
	json_error_t error;
	json_t	   *json = codec_load(text, len, &error);

	if (json == NULL)
		refuse_document("This policy contains invalid Json");
	return json;
}

static void
check_members(const DocumentReader *reader, const json_t *object,
			  const char *const *names)
{
	const char *name;
	json_t	   *value;

	json_object_foreach((json_t *) object, name, value)
	{
		int			i = 0;

		while (names[i] && strcmp(names[i], name) != 0)
			i++;
		if (names[i] == NULL)
			refuse_syntax(reader, name);
	}
}

static void
check_version(DocumentReader *reader, const json_t *version)
{
	const char *text = json_string_value(version);

	if (version == NULL)
		return;
	if (text == NULL ||
		(strcmp(text, NEWEST) != 0 && strcmp(text, "2008-10-17") != 0))
		refuse_document("The policy must contain a valid version string");
	reader->variables = strcmp(text, NEWEST) == 0;
}

static void
check_sids(const json_t *statements)
{
	int			n = policy_elements(statements);
	const char **sids = palloc(sizeof(char *) * n);
	int			nsids = 0;

	for (int i = 0; i < n; i++)
	{
		const char *sid =
			json_string_value(json_object_get(policy_element(statements, i),
											  "Sid"));

		if (sid)
			sids[nsids++] = sid;
	}
	if (nsids > 1 && dynamo_first_duplicate(sids, nsids) >= 0)
		refuse_document("The Statement Ids in the policy are not unique");
}

static void
read_statement(DocumentReader *reader, const json_t *json,
			   PolicyStatement *statement)
{
	static const char *const members[] = {
		"Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction",
		"Resource", "NotResource", "Condition", NULL
	};
	const json_t *principal;
	const json_t *actions;
	bool		not_action;

	if (!json_is_object(json))
		refuse_syntax(reader, NULL);
	check_members(reader, json, members);
	if (json_object_get(json, "Sid") &&
		!json_is_string(json_object_get(json, "Sid")))
		refuse_syntax(reader, "Sid");
	read_effect(reader, statement, json_object_get(json, "Effect"));

	principal = one_of(reader, json, "Principal", "NotPrincipal",
					   &statement->not_principal);
	if (!reader->resource && principal)
		refuse_document("Policy document should not specify a principal.");
	if (reader->resource && !principal)
		refuse_document("Missing required field Principal");
	if (principal)
		read_principals(reader, statement, principal);

	actions = one_of(reader, json, "Action", "NotAction", &not_action);
	if (actions == NULL)
		refuse_document("Missing required field Action");
	read_action_list(reader, statement, not_action ? "NotAction" : "Action",
					 actions);
	for (int i = 0; i < POLICY_ACTION_WORDS && not_action; i++)
		statement->actions[i] = ~statement->actions[i];

	read_resources(reader, statement,
				   one_of(reader, json, "Resource", "NotResource",
						  &statement->not_resource));
	if (json_object_get(json, "Condition"))
		read_conditions(reader, statement, json_object_get(json, "Condition"));
	if (reader->resource)
		check_unbounded(statement);
}

/*
 * The service takes it in any case for a resource, IAM does not for a role.
 */
static void
read_effect(const DocumentReader *reader, PolicyStatement *statement,
			const json_t *json)
{
	const char *effect = json_string_value(json);

	if (json == NULL)
		refuse_document("Missing required field Effect");
	if (effect == NULL ||
		(strcmp(effect, "Allow") != 0 && strcmp(effect, "Deny") != 0 &&
		 !(reader->resource && (pg_strcasecmp(effect, "Allow") == 0 ||
								policy_denies(effect)))))
		refuse_syntax(reader, "Effect");
	statement->deny = policy_denies(effect);
}

/*
 * Is that a Deny?
 */
bool
policy_denies(const char *effect)
{
	return pg_strcasecmp(effect, "Deny") == 0;
}

/*
 * The one of two members that is there; NULL: neither is.
 */
static const json_t *
one_of(const DocumentReader *reader, const json_t *json, const char *name,
	   const char *not_name, bool *negated)
{
	const json_t *plain = json_object_get(json, name);
	const json_t *other = json_object_get(json, not_name);

	if (plain && other)
		refuse_syntax(reader, not_name);
	*negated = other != NULL;
	return plain ? plain : other;
}

/*
 * A value that may stand for a list of itself, as that list.
 */
int
policy_elements(const json_t *value)
{
	return json_is_array(value) ? json_array_size(value) : 1;
}

const json_t *
policy_element(const json_t *value, int i)
{
	return json_is_array(value) ? json_array_get(value, i) : value;
}

static void
read_action_list(const DocumentReader *reader, PolicyStatement *statement,
				 const char *member, const json_t *json)
{
	if (policy_elements(json) == 0)
		refuse_document("Missing required field Action");
	for (int i = 0; i < policy_elements(json); i++)
	{
		const json_t *action = policy_element(json, i);
		const char *text = json_string_value(action);

		CHECK_FOR_INTERRUPTS();
		if (text == NULL)
			refuse_syntax(reader, member);
		if (strcmp(text, "*") != 0 && strchr(text, ':') == NULL)
			refuse_document("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
		policy_action_bits(text, json_string_length(action),
						   statement->actions);
	}
}

static void
read_resources(DocumentReader *reader, PolicyStatement *statement,
			   const json_t *json)
{
	if (json == NULL || policy_elements(json) == 0)
		refuse_document("Missing required field Resource");
	statement->resources = palloc0(sizeof(PolicyPattern) * policy_elements(json));
	for (int i = 0; i < policy_elements(json); i++)
	{
		const json_t *resource = policy_element(json, i);
		const char *text = json_string_value(resource);
		PolicyPattern *pattern = &statement->resources[i];

		CHECK_FOR_INTERRUPTS();
		if (text == NULL)
			refuse_syntax(reader, statement->not_resource ? "NotResource" :
						  "Resource");
		if (strcmp(text, "*") != 0 && strncmp(text, "arn:", 4) != 0)
			refuse_document("Resource %s must be in ARN format or \"*\".",
							text);
		*pattern = policy_pattern(text, json_string_length(resource),
								  POLICY_WILDCARDS |
								  (reader->variables ? POLICY_VARIABLES : 0));
		reader->document->keys |= policy_pattern_keys(pattern);
		statement->nresources++;
	}
}

/*
 * "*", or who is meant by kind: {"AWS": ...}.  Services and federated users
 * are nobody here.
 */
static void
read_principals(const DocumentReader *reader, PolicyStatement *statement,
				const json_t *json)
{
	const char *member = statement->not_principal ? "NotPrincipal" : "Principal";
	const char *text = json_string_value(json);
	const json_t *list;
	const char *kind;
	json_t	   *value;

	if (text != NULL)
	{
		if (strcmp(text, "*") != 0)
			refuse_syntax(reader, member);
		statement->principals = palloc0(sizeof(PolicyPrincipal));
		statement->principals[0].anybody = true;
		statement->nprincipals = 1;
		return;
	}
	if (!json_is_object(json) || json_object_size(json) == 0)
		refuse_syntax(reader, member);
	json_object_foreach((json_t *) json, kind, value)
	{
		if (!is_kind(kind))
			refuse_syntax(reader, member);
	}
	list = json_object_get(json, "AWS");
	if (list == NULL)
		return;
	statement->principals = palloc0(sizeof(PolicyPrincipal) *
									(policy_elements(list) + 1));
	for (int i = 0; i < policy_elements(list); i++)
	{
		const json_t *principal = policy_element(list, i);

		CHECK_FOR_INTERRUPTS();
		if (!json_is_string(principal))
			refuse_syntax(reader, member);
		statement->principals[statement->nprincipals++] =
			read_principal(json_string_value(principal));
	}
}

static bool
is_kind(const char *name)
{
	static const char *const kinds[] = {
		"AWS", "Service", "Federated", "CanonicalUser"
	};

	for (int i = 0; i < lengthof(kinds); i++)
	{
		if (strcmp(kinds[i], name) == 0)
			return true;
	}
	return false;
}

/*
 * "*", an account, or arn:aws:iam::<account>:root, user/<role>, role/<role>.
 * A principal of another account is nobody here.
 */
static PolicyPrincipal
read_principal(const char *text)
{
	static const char iam[] = "arn:aws:iam::";
	PolicyPrincipal principal = {0};
	const char *account = text;
	const char *who = "root";
	size_t		len = strlen(text);

	if (strcmp(text, "*") == 0)
	{
		principal.anybody = true;
		return principal;
	}
	if (strncmp(text, iam, strlen(iam)) == 0)
	{
		account = text + strlen(iam);
		who = strchr(account, ':');
		len = who ? who - account : 0;
		who = who ? who + 1 : "";
	}
	if (!policy_is_account(account, len))
		dynamo_error(DYNAMO_VALIDATION, BAD_PRINCIPAL);
	if (strcmp(who, "root") != 0 && strncmp(who, "user/", 5) != 0 &&
		strncmp(who, "role/", 5) != 0)
		dynamo_error(DYNAMO_VALIDATION, BAD_PRINCIPAL);
	if (strncmp(account, policy_account_id(), len) != 0 ||
		policy_account_id()[len] != '\0')
		return principal;
	if (strcmp(who, "root") == 0)
		principal.account = true;
	else
	{
		principal.group = strncmp(who, "role/", 5) == 0;
		principal.name = pstrdup(who + 5);
	}
	return principal;
}

/*
 * Has a text of that length the form of an account's id?
 */
bool
policy_is_account(const char *text, size_t len)
{
	return len == 12 && strspn(text, "0123456789") >= len;
}

static void
read_conditions(DocumentReader *reader, PolicyStatement *statement,
				const json_t *json)
{
	const char *op;
	json_t	   *keys;
	const char *key;
	json_t	   *values;
	int			n = 0;

	if (!json_is_object(json))
		refuse_syntax(reader, "Condition");
	json_object_foreach((json_t *) json, op, keys)
	{
		if (!json_is_object(keys))
			refuse_syntax(reader, "Condition");
		n += json_object_size(keys);
	}
	statement->conditions = palloc0(sizeof(PolicyCondition) * Max(n, 1));
	json_object_foreach((json_t *) json, op, keys)
	{
		json_object_foreach(keys, key, values)
		{
			CHECK_FOR_INTERRUPTS();
			read_condition(reader, op, key, values,
						   &statement->conditions[statement->nconditions++]);
		}
	}
}

static void
read_condition(DocumentReader *reader, const char *op, const char *key,
			   const json_t *values, PolicyCondition *condition)
{
	if (!policy_find_operator(op, condition))
		refuse_document("Invalid Condition type : %s.", op);
	if (strchr(key, ':') == NULL)
		refuse_document("Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
	condition->key = policy_key(key, strlen(key));
	if (condition->key != POLICY_UNKNOWN)
		reader->document->keys |= UINT64CONST(1) << condition->key;
	condition->operands = palloc0(sizeof(PolicyOperand) *
								  Max(policy_elements(values), 1));
	for (int i = 0; i < policy_elements(values); i++)
	{
		const json_t *value = policy_element(values, i);
		PolicyOperand *operand = &condition->operands[condition->n++];
		size_t		len;
		const char *text = scalar_text(value, &len);

		CHECK_FOR_INTERRUPTS();
		if (text == NULL ||
			!policy_read_operand(condition->op, text, len, reader->variables,
								 operand))
			refuse_syntax(reader, "Condition");
		reader->document->keys |= policy_pattern_keys(&operand->pattern);
	}
}

/*
 * A string, number or boolean as text; NULL: it is none of them.
 */
static const char *
scalar_text(const json_t *value, size_t *len)
{
	char	   *text = NULL;

	if (json_is_string(value))
	{
		*len = json_string_length(value);
		return json_string_value(value);
	}
	if (json_is_boolean(value))
		text = pstrdup(json_is_true(value) ? "true" : "false");
	else if (json_is_integer(value))
		text = psprintf(INT64_FORMAT, (int64) json_integer_value(value));
	else if (json_is_real(value))
		text = psprintf("%.17g", json_real_value(value));
	*len = text ? strlen(text) : 0;
	return text;
}

/*
 * A resource's policy must not be open to everybody.
 */
static void
check_unbounded(const PolicyStatement *statement)
{
	if (statement->deny)
		return;
	if (statement->not_principal)
		refuse_document("Allow with NotPrincipal is not allowed.");
	for (int i = 0; i < statement->nprincipals; i++)
	{
		if (statement->principals[i].anybody && statement->nconditions == 0)
			dynamo_error(DYNAMO_VALIDATION, UNBOUNDED);
	}
}

List *
policy_named_principals(const PolicyDocument *document)
{
	List	   *named = NIL;

	for (int i = 0; i < document->n; i++)
	{
		const PolicyStatement *statement = &document->statements[i];

		for (int k = 0; k < statement->nprincipals; k++)
		{
			if (statement->principals[k].name)
				named = lappend(named, &statement->principals[k]);
		}
	}
	return named;
}

PolicyDocument *
policy_deny_all(void)
{
	PolicyDocument *document = palloc0(sizeof(PolicyDocument));
	PolicyStatement *statement = palloc0(sizeof(PolicyStatement));

	document->n = 1;
	document->statements = statement;
	statement->deny = true;
	memset(statement->actions, 0xff, sizeof(statement->actions));
	statement->resources = palloc0(sizeof(PolicyPattern));
	statement->resources[0] = policy_pattern("*", 1, POLICY_WILDCARDS);
	statement->nresources = 1;
	statement->principals = palloc0(sizeof(PolicyPrincipal));
	statement->principals[0].anybody = true;
	statement->nprincipals = 1;
	return document;
}

/*
 * What cannot be read (a superuser may have written it) denies everything.
 * Reading touches nothing but memory, so its error needs no subtransaction.
 */
PolicyDocument *
policy_compile(const char *text, bool resource)
{
	MemoryContext context = CurrentMemoryContext;
	PolicyDocument *volatile document;

	PG_TRY();
	{
		document = policy_parse(text, strlen(text), resource);
	}
	PG_CATCH();
	{
		(void) dynamo_caught(DYNAMO_VALIDATION, context);
		FlushErrorState();
		document = policy_deny_all();
	}
	PG_END_TRY();
	return document;
}
