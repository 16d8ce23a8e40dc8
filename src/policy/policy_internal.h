/*-------------------------------------------------------------------------
 *
 * policy_internal.h
 *	  A document as it is checked: statements, patterns, conditions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_POLICY_INTERNAL_H
#define DYNAMO_POLICY_INTERNAL_H

#include "postgres.h"

#include "codec/codec.h"
#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "policy/policy.h"

/*
 * policy_pattern.c: a text with wildcards and variables, as pieces.
 */
typedef enum PolicyPieceKind
{
	POLICY_LITERAL,
	POLICY_ANY,					/* "*" */
	POLICY_ONE,					/* "?" */
	POLICY_VARIABLE				/* "${key}", "${key, 'default'}" */
} PolicyPieceKind;

typedef struct PolicyPiece
{
	PolicyPieceKind kind;
	PolicyText	text;			/* literal; default of a variable, .data NULL:
								 * it has none */
	PolicyKey	key;			/* variable */
} PolicyPiece;

typedef struct PolicyPattern
{
	int			n;
	PolicyPiece *pieces;
	bool		arn;			/* "*" and "?" stay within a part of an ARN */
	bool		folded;			/* cases do not matter */
} PolicyPattern;

#define POLICY_WILDCARDS	0x01	/* "*" and "?" are no literals */
#define POLICY_VARIABLES	0x02	/* nor is "${...}" */
#define POLICY_AS_ARN		0x04
#define POLICY_FOLDED		0x08

extern PolicyPattern policy_pattern(const char *text, size_t len, int flags);
extern bool policy_matches(const PolicyPattern *pattern,
						   const PolicyText *text, const PolicyCheck *check);
extern uint64 policy_pattern_keys(const PolicyPattern *pattern);
extern PolicyKey policy_key(const char *name, size_t len);

/*
 * policy_operator.c: a condition.
 */
typedef enum PolicyComparison
{
	POLICY_STRING,
	POLICY_NUMERIC,
	POLICY_DATE,
	POLICY_BOOL,
	POLICY_ADDRESS,
	POLICY_IS_NULL
} PolicyComparison;

typedef enum PolicyRelation
{
	POLICY_EQ,
	POLICY_LT,
	POLICY_LE,
	POLICY_GT,
	POLICY_GE
} PolicyRelation;

typedef enum PolicyQuantifier
{
	POLICY_PLAIN,
	POLICY_FOR_ALL,
	POLICY_FOR_SOME
} PolicyQuantifier;

typedef struct PolicyOperator
{
	const char *name;
	PolicyComparison comparison;
	PolicyRelation relation;
	bool		negated;
	int			flags;			/* of its patterns */
} PolicyOperator;

/* An address, of IPv4 or IPv6, with as many bits as count */
typedef struct PolicyAddress
{
	int			family;			/* AF_INET, AF_INET6 */
	uint8		bytes[16];
	int			bits;
} PolicyAddress;

typedef struct PolicyOperand
{
	PolicyPattern pattern;		/* POLICY_STRING */
	ItemValue	number;
	TimestampTz time;
	PolicyAddress address;
	bool		boolean;
} PolicyOperand;

typedef struct PolicyCondition
{
	const PolicyOperator *op;
	PolicyQuantifier quantifier;
	bool		if_exists;
	PolicyKey	key;
	int			n;
	PolicyOperand *operands;
} PolicyCondition;

extern bool policy_find_operator(const char *name, PolicyCondition *condition);

/* False: the text is no operand of this operator */
extern bool policy_read_operand(const PolicyOperator *op, const char *text,
								size_t len, bool variables,
								PolicyOperand *operand);
extern bool policy_holds(const PolicyCondition *condition, bool deny,
						 const PolicyCheck *check);

/*
 * policy_document.c
 */
typedef struct PolicyPrincipal
{
	bool		anybody;		/* "*" */
	bool		account;		/* all of it; an Allow gives it nothing */
	bool		group;			/* role/<name>: all that have its privileges */
	const char *name;			/* of a role; NULL: anybody, or nobody here */
	Oid			role;
} PolicyPrincipal;

#define POLICY_ACTION_WORDS	2

typedef struct PolicyStatement
{
	bool		deny;
	uint64		actions[POLICY_ACTION_WORDS];
	bool		not_resource;
	int			nresources;
	PolicyPattern *resources;
	bool		not_principal;
	int			nprincipals;	/* policies of resources */
	PolicyPrincipal *principals;
	int			nconditions;
	PolicyCondition *conditions;
} PolicyStatement;

typedef struct PolicyDocument
{
	int			n;
	PolicyStatement *statements;
	uint64		keys;			/* bits of those that conditions and variables
								 * ask for */
} PolicyDocument;

/*
 * Read a document; raises ValidationException.  One of a resource names
 * principals, one of a role does not.
 */
extern PolicyDocument *policy_parse(const char *text, size_t len,
									bool resource);

/* Raises ValidationException if a text that is given is too long */
extern void policy_check_size(size_t len);

/* A value that may stand for a list of itself, as that list */
extern int	policy_elements(const json_t *value);
extern const json_t *policy_element(const json_t *value, int i);

extern bool policy_denies(const char *effect);
extern bool policy_is_account(const char *text, size_t len);

/* policy_canonical.c */
extern char *policy_canonical(const char *text, size_t len);

/* policy_position.c */
extern void policy_position(const char *text, int statement,
							const char *member, int *line, int *column);

/* Principals that name a role, in the order of the text */
extern List *policy_named_principals(const PolicyDocument *document);

/* The same, but what cannot be read becomes a document that denies all */
extern PolicyDocument *policy_compile(const char *text, bool resource);

/* One that denies everything */
extern PolicyDocument *policy_deny_all(void);

/* policy_action.c */
extern int	policy_action(const char *name);
extern void policy_action_bits(const char *pattern, size_t len, uint64 *bits);

/* policy_session.c */
extern const PolicyValues *policy_session_values(const PolicyRequest *request,
												 PolicyKey key);
extern const char *policy_account_id(void);

/* A request; policy_cache.c */
struct PolicyRequest
{
	MemoryContext context;
	DynamoTransport transport;
	const char *operation;
	const char *capacity;		/* ReturnConsumedCapacity; NULL: none */
	PolicyReach reach;			/* see policy_set_reach() */
	bool		by_parts;		/* see policy_set_items() */
	Oid			role;
	const char *name;			/* of the role */
	int			n;
	PolicyDocument *const *documents;	/* of the role, and of roles whose
										 * privileges it has */
	PolicyValues session[POLICY_UNKNOWN - POLICY_USERNAME];
};

/* Of a table, or of a stream */
struct PolicyResourcePolicies
{
	PolicyDocument *document;	/* NULL: there is none */
};

extern const PolicyResourcePolicies *policy_attached(const PolicyResource *resource);
extern PolicyRequest *policy_request_alone(const DynamoRequest *request,
										   const char *operation);

/* policy_catalog.c: for the cache, into the current context */

/* A table of policies has changed since this was set to false */
extern bool policy_stale;

/* Roles that have policies, sorted, each once; *known false: no tables */
extern List *policy_list_roles(bool *known);
extern List *policy_role_documents(Oid role);	/* of char * */
extern bool policy_any_attached(void);
extern PolicyDocument *policy_read_attached(const char *table,
											const char *table_id,
											const char *label);

extern void policy_resolve_principals(PolicyDocument *document);

#endif							/* DYNAMO_POLICY_INTERNAL_H */
