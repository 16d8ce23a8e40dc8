/*-------------------------------------------------------------------------
 *
 * wire.h
 *	  What a request and an answer look like, whatever the operation.
 *
 * A request is checked twice before a handler sees it.  The type pass walks
 * the whole body and refuses what has the wrong JSON type
 * (SerializationException).  The constraint pass walks it again and collects
 * what breaks a rule of a single member (required, length, range, pattern,
 * enumeration) into one ValidationException.  Then wire_fill() puts the
 * members into the handler's struct.  All three are driven by the same tables:
 * a shape for each kind of value, a field for each member.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_WIRE_H
#define DYNAMO_WIRE_H

#include "postgres.h"

#include "base/base.h"
#include "codec/codec.h"
#include "datatype/timestamp.h"
#include "expr/expr.h"
#include "item/item.h"
#include "lib/stringinfo.h"

/*
 * Kinds of values, and the C type that wire_fill() stores for each.
 */
typedef enum WireKind
{
	WIRE_STRING,				/* const char *, NULL: absent; with choices:
								 * int, 0 absent, else 1 + its place */
	WIRE_BOOLEAN,				/* WireBoolean */
	WIRE_INTEGER,				/* WireInteger */
	WIRE_LONG,					/* WireInteger */
	WIRE_NUMBER,				/* json_t *, a timestamp or a fraction */
	WIRE_VALUE,					/* json_t *, an AttributeValue */
	WIRE_LIST,					/* json_t * */
	WIRE_MAP,					/* json_t * */
	WIRE_STRUCT,				/* json_t *, to be filled with its own shape */
	WIRE_UNSERVED				/* nothing: a request that has it is refused */
} WireKind;

/* A number that may be missing. */
typedef struct WireInteger
{
	bool		given;
	int64		value;
} WireInteger;

/* A flag that may be missing. */
typedef enum WireBoolean
{
	WIRE_BOOLEAN_UNSET,
	WIRE_FALSE,
	WIRE_TRUE
} WireBoolean;

/*
 * Which broken constraints of a request the service tells.  While a required
 * member is missing, it tells all of them in any case.
 */
typedef enum WireTold
{
	WIRE_TOLD_ALL,
	WIRE_TOLD_NAME,				/* a bad table's name alone, else all */
	WIRE_TOLD_FIRST,			/* such a name alone, else one bad choice */
	WIRE_TOLD_CHOICES			/* bad choices alone, without a table's name */
} WireTold;

/* What a text names, so that policies are asked about it: see wire_resource() */
typedef enum WireNames
{
	WIRE_NAMES_NOTHING,
	WIRE_NAMES_RESOURCE,		/* a table, or by an ARN something of one */
	WIRE_NAMES_INDEX,			/* of the table that stands beside it */
	WIRE_NAMES_INSIDE			/* it does so somewhere: a statement, an
								 * iterator */
} WireNames;

typedef struct WireShape WireShape;
typedef struct WireField WireField;

struct WireShape
{
	WireKind	kind;
	const char *name;			/* STRUCT: its class, for messages */
	bool		has_min;
	int64		min;			/* least length, or value of a number */
	bool		has_max;
	int64		max;			/* greatest length, or value */
	bool		pattern;		/* must match [a-zA-Z0-9_.-]+ */
	bool		(*matches) (const char *text);	/* another pattern; or NULL */
	const char *matches_pattern;	/* as it is told */
	bool		table;			/* a table's name: an ARN will do */
	WireNames	names;
	const char *action;			/* that policies must allow, too, if such a
								 * member is given; or NULL */
	bool		length_first;	/* told before the pattern */
	bool		attribute;		/* an attribute's name: it has no NUL */
	bool		terse;			/* errors echo no value, see add_error() */
	bool		json;			/* of a map's key: a bad one is shown with the
								 * map, as JSON */
	bool		foremost;		/* told first where one is told, see told() */
	bool		empty;			/* an empty text breaks no rule of these: the
								 * operation has words of its own for it */
	const char *lone;			/* what is said if it is wrong, and no more */
	const char *const *choices; /* enumeration, NULL-terminated, as printed */
	const WireShape *element;	/* LIST, MAP: its values */
	const WireShape *key;		/* MAP: rules for its keys; or NULL */
	const WireField *fields;	/* STRUCT: ended by a NULL name */
	WireTold	told;			/* request: which broken constraints are told */
	size_t		size;			/* of the struct to fill; 0: none */
};

/*
 * A member of a structure.  The order of a structure's fields is the order in
 * which broken constraints are listed.
 */
struct WireField
{
	const char *name;
	const WireShape *shape;
	bool		required;
	size_t		offset;			/* in the struct that wire_fill() fills */
};

#define WIRE_MIN(n)			.has_min = true, .min = (n)
#define WIRE_MAX(n)			.has_max = true, .max = (n)
#define WIRE_BETWEEN(a, b)	WIRE_MIN(a), WIRE_MAX(b)

/* A field of the struct "type" whose C member is "member". */
#define WIRE_FIELD(json_name, field_shape, type, member) \
	{.name = json_name, .shape = &field_shape, \
	 .offset = offsetof(type, member)}
#define WIRE_REQUIRED(json_name, field_shape, type, member) \
	{.name = json_name, .shape = &field_shape, .required = true, \
	 .offset = offsetof(type, member)}
#define WIRE_FIELDS_END		{.name = NULL}

/*
 * A member that the service has and we have not.  A request that has it (an
 * empty list is as good as none) is refused by its name, rather than answered
 * as if it were not there.
 */
#define WIRE_REFUSED(json_name)	{.name = json_name, .shape = &wire_unserved_shape}

/* A structure of the fields that follow, and its shape. */
#define WIRE_STRUCT_SHAPE(variable, class_name, ...) \
	static const WireField variable##_fields[] = { \
		__VA_ARGS__, WIRE_FIELDS_END \
	}; \
	static const WireShape variable = { \
		.kind = WIRE_STRUCT, .name = class_name, .fields = variable##_fields \
	}

/* The same for a request, or whatever else wire_fill() puts into a "type". */
#define WIRE_REQUEST_SHAPE(variable, type, class_name, ...) \
	static const WireField variable##_fields[] = { \
		__VA_ARGS__, WIRE_FIELDS_END \
	}; \
	const WireShape variable = { \
		.kind = WIRE_STRUCT, .size = sizeof(type), .name = class_name, \
		.fields = variable##_fields \
	}

/*
 * The answer if PostgreSQL gave up on a lock or lost a race:
 * ServiceUnavailable, since no read of the service conflicts with anything;
 * TransactionConflictException; that its transaction was cancelled; or
 * ResourceInUseException, for what changes a table.
 */
typedef enum WireConflict
{
	WIRE_CONFLICT_NONE,
	WIRE_CONFLICT_WRITE,
	WIRE_CONFLICT_TRANSACTION,
	WIRE_CONFLICT_RESOURCE
} WireConflict;

/* The message that goes with CancellationReasons. */
#define WIRE_CANCELED \
	"Transaction cancelled, please refer cancellation reasons for specific reasons [%s]"

/* wire_type.c */
extern void wire_refuse_text(void) pg_attribute_noreturn();
extern void wire_check_types(const WireShape *shape, const json_t *body);

/* wire_constraint.c */
extern void wire_check_constraints(const WireShape *shape,
								   const json_t *body);
extern const json_t *wire_check_argument(const WireShape *shape,
										 const char *name, const char *text,
										 size_t len);

/* wire_fill.c */
extern void wire_fill(const WireShape *shape, const json_t *object,
					  void *request);
extern json_t **wire_members(const WireShape *shape, const json_t *object);
extern int	wire_choice(const WireShape *shape, const char *text);

/* wire_json.c */
extern json_t *wire_json_get(const json_t *object, const char *name);
extern const char *wire_json_text(const json_t *value);
extern int64 wire_json_integer(const json_t *value);

/* A member of an object; NULL, or "missing": there is none of that type */
extern const char *wire_json_text_in(const json_t *object, const char *member);
extern int64 wire_json_integer_in(const json_t *object, const char *member,
								  int64 missing);
extern bool wire_json_boolean(const char *text, bool *value);
extern bool wire_json_is_true(const json_t *object, const char *member);
extern const char *wire_json_document(const json_t *value);
extern void wire_append_json(StringInfo out, const json_t *value);
extern void wire_json_member(StringInfo out, json_t *object, const char *member);
extern void wire_append_canonical_json(StringInfo out, const json_t *value);

/*
 * wire_bindings.c: ExpressionAttributeNames and ExpressionAttributeValues of a
 * request (NULL: not given), checked as far as can be without an expression.
 * NULL: neither is given.  "given" is what "values" stands for where that is no
 * item of its own, or NULL.  Raises ValidationException, of values in the
 * wording.
 */
extern ExprBindings *wire_bindings(const json_t *names, const json_t *values,
								   const Item *given, ItemWording wording);

/*
 * wire_arn.c: what names a table, a stream or a backup.  The settings are part of each
 * ARN.
 */
extern char *wire_region;
extern char *wire_account_id;

extern char *wire_user_arn(Oid role);

/*
 * What a text names, if it is here: a table, or by an ARN a stream, an index or
 * a backup of a table, or a job about it.
 */
typedef struct WireResource
{
	const char *arn;			/* the text as it is if it names nothing here */
	const char *table;			/* NULL: it names nothing here */
	const char *part;			/* "stream", "backup", ...; NULL: the table */
	const char *id;				/* of the part; a stream's is its label */
} WireResource;

/* A stream that a request names. */
typedef struct WireStreamName
{
	const char *table;
	const char *label;
	bool		ours;			/* region and account are */
} WireStreamName;

/* A backup that a request names. */
typedef struct WireBackupName
{
	const char *table;
	const char *id;
	bool		region_exists;	/* partition and region do */
	bool		region_ours;	/* and are */
	bool		account_ours;
} WireBackupName;

/* What newer operations say of what another account has. */
#define WIRE_OTHER_ACCOUNT \
	"This action is only supported by accounts that match the resource owner\342\200\231s account."

extern void wire_init(void);
extern bool wire_is_name(const char *text);
extern const char *wire_table_name(const char *name_or_arn);
extern void wire_resource(const char *name_or_arn, WireResource *resource);
extern bool wire_owner(const char *arn, bool *region_ours,
					   bool *account_ours);
extern void wire_check_resource_owner(const char *arn);
extern const char *wire_resource_table(const char *arn);
extern char *wire_table_arn(const char *table);
extern char *wire_stream_arn(const char *table, const char *label);
extern char *wire_backup_arn(const char *table, const char *id);
extern bool wire_parse_backup_arn(const char *arn, WireBackupName *name);
extern bool wire_parse_stream_arn(const char *arn, WireStreamName *name);

/* wire_time.c */
extern char *wire_epoch(int64 timestamp);
extern int64 wire_milliseconds(TimestampTz time);
extern TimestampTz wire_given_time(const json_t *timestamp);

/* wire_shape.c: shapes that operations of all kinds use */
extern const WireShape wire_string_shape;
extern const WireShape wire_boolean_shape;
extern const WireShape wire_long_shape;
extern const WireShape wire_time_shape;
extern const WireShape wire_unserved_shape;
extern const WireShape wire_table_name_shape;
extern const WireShape wire_name_shape; /* no ARN, 3 to 255 */
extern const WireShape wire_bare_table_shape;	/* the same, of a table */
extern const WireShape wire_value_shape;
extern const WireShape wire_any_values_shape;	/* inside L or M, for echoes */
extern const WireShape wire_item_shape; /* name -> AttributeValue */
extern const WireShape wire_names_shape;

/* wire_error.c */
extern StringInfo wire_error_body(const ErrorData *error,
								  WireConflict conflict, const char *action,
								  const char *request, size_t request_len,
								  int *http_status);
extern DynamoException wire_exception(const ErrorData *error,
									  WireConflict conflict);
extern bool wire_lost_race(int sqlerrcode);
extern char *wire_denial(const char *action, const char *resource);
extern char *wire_denial_on(const char *action, const char *arn);

/*
 * wire_answer.c: members of a response.  wire_member() begins one: a comma if
 * the object already has members, then the quoted name and a colon;
 * wire_element() begins an element of an array.
 */
extern void wire_member(StringInfo out, const char *name);
extern void wire_element(StringInfo out);
extern void wire_append_string(StringInfo out, const char *text);
extern void wire_string_member(StringInfo out, const char *name, const char *text);
extern void wire_integer_member(StringInfo out, const char *name, int64 value);
extern void wire_boolean_member(StringInfo out, const char *name, bool value);
extern void wire_key_element(StringInfo out, const char *attribute,
							 const char *type);
extern void wire_item_member(StringInfo out, const char *name, const Item *item);
extern void wire_append_java_item(StringInfo out, const Item *item);
extern char *wire_time_text(TimestampTz time);
extern char *wire_seconds_text(TimestampTz time);

/* In the current context, or the bytes themselves; NULL of NULL */
extern const char *wire_text(const char *bytes);

/* wire_encoding.c */
typedef enum WireEncoding
{
	WIRE_PLAIN,
	WIRE_GZIP,
	WIRE_DEFLATE
} WireEncoding;

extern WireEncoding wire_accepted_encoding(const char *value);

#endif							/* DYNAMO_WIRE_H */
