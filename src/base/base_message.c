/*-------------------------------------------------------------------------
 *
 * base_message.c
 *	  What the nodes of a cluster say to one another: calls and answers.
 *
 * After DYNAMO_SERVE_CALLS, calls and answers are CopyData messages.  Each call
 * has one answer, and they come in the order of the calls.
 *
 *	  call		'*' if nobody waits behind it, '@' and three numbers, each
 *				before a blank, if something is noted of its token, the
 *				operation's name, a zero byte, the request
 *	  answer	'A', the body
 *				'E', fields: a code, a text, a zero byte
 *
 * The fields are those of the protocol's ErrorResponse, under its codes.  Texts
 * are in the encoding of the node that asks: it is the other's client.
 *
 * A session that asks by a statement gets text, where there are no zero bytes
 * and which the server brings into its client's encoding: an answer as it is,
 * and after an 'E' the bytes of that error as hexadecimal digits.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_message.h"
#include "base/compat.h"
#include "libpq/pqformat.h"
#include "postgres_ext.h"
#include "utils/builtins.h"

#define LONG	'*'
#define NOTED	'@'
#define ANSWER	'A'
#define ERROR_	'E'

/* The fields of an error that make an answer, beside the SQLSTATE. */
typedef struct Field
{
	char		code;
	size_t		offset;
} Field;

static const Field fields[] = {
	{PG_DIAG_MESSAGE_PRIMARY, offsetof(ErrorData, message)},
	{PG_DIAG_MESSAGE_DETAIL, offsetof(ErrorData, detail)},
	{PG_DIAG_MESSAGE_HINT, offsetof(ErrorData, hint)},
	{PG_DIAG_CONTEXT, offsetof(ErrorData, context)},
	{PG_DIAG_SCHEMA_NAME, offsetof(ErrorData, schema_name)},
	{PG_DIAG_TABLE_NAME, offsetof(ErrorData, table_name)},
	{PG_DIAG_COLUMN_NAME, offsetof(ErrorData, column_name)},
	{PG_DIAG_DATATYPE_NAME, offsetof(ErrorData, datatype_name)},
	{PG_DIAG_CONSTRAINT_NAME, offsetof(ErrorData, constraint_name)},
};

#define FIELD(error, i) \
	((char **) ((char *) (error) + fields[i].offset))

static void set_field(ErrorData *error, char code, const char *text);
static void misunderstood(void) pg_attribute_noreturn();

/*
 * Append a call.  One that is long may take as long as a request may.  "claim"
 * may be NULL.
 */
void
dynamo_message_call(StringInfo out, const char *operation, bool is_long,
					const DynamoClaim *claim, const char *request, size_t len)
{
	if (is_long)
		appendStringInfoCharMacro(out, LONG);
	if (claim != NULL && claim->id != 0)
	{
		appendStringInfoCharMacro(out, NOTED);
		dynamo_message_claim(out, claim);
	}
	appendBinaryStringInfo(out, operation, strlen(operation) + 1);
	appendBinaryStringInfo(out, request, len);
}

/*
 * The operation that is called.  The request is not terminated.
 */
const char *
dynamo_message_read(StringInfo call, bool *is_long, DynamoClaim *claim,
					const char **request, int *len)
{
	const char *operation = pq_getmsgstring(call);

	*is_long = operation[0] == LONG;
	if (*is_long)
		operation++;
	memset(claim, 0, sizeof(*claim));
	if (operation[0] == NOTED)
	{
		operation = dynamo_message_read_claim(operation + 1, claim);
		if (operation == NULL)
			misunderstood();
	}
	*request = pq_getmsgtext(call, call->len - call->cursor, len);
	return operation;
}

/*
 * What is noted of a token, as text.
 */
void
dynamo_message_claim(StringInfo out, const DynamoClaim *claim)
{
	appendStringInfo(out, INT64_FORMAT " " INT64_FORMAT " %d ", claim->id,
					 claim->noted_at, claim->group);
}

/*
 * The same read; returns what follows.  NULL: it is none.
 */
const char *
dynamo_message_read_claim(const char *text, DynamoClaim *claim)
{
	char	   *end;

	claim->id = strtoll(text, &end, 10);
	claim->noted_at = strtoll(end, &end, 10);
	claim->group = (int32) strtol(end, &end, 10);
	if (*end == ' ' && claim->id != 0)
		return end + 1;
	claim->id = 0;
	return NULL;
}

void
dynamo_message_answer(StringInfo out, const char *body, int len)
{
	pq_sendbyte(out, ANSWER);
	pq_sendtext(out, body, len);
}

/*
 * Append the error as an answer.
 */
void
dynamo_message_refuse(StringInfo out, const ErrorData *error)
{
	pq_sendbyte(out, ERROR_);
	pq_sendbyte(out, PG_DIAG_SQLSTATE);
	pq_sendstring(out, unpack_sql_state(error->sqlerrcode));
	for (int i = 0; i < lengthof(fields); i++)
	{
		const char *text = *FIELD(unconstify(ErrorData *, error), i);

		if (text == NULL)
			continue;
		pq_sendbyte(out, fields[i].code);
		pq_sendstring(out, text);
	}
}

/*
 * The same as text.
 */
void
dynamo_message_answer_text(StringInfo out, const char *body, int len)
{
	appendStringInfoChar(out, ANSWER);
	appendBinaryStringInfo(out, body, len);
}

void
dynamo_message_refuse_text(StringInfo out, const ErrorData *error)
{
	StringInfoData bytes;

	initStringInfo(&bytes);
	dynamo_message_refuse(&bytes, error);
	appendStringInfoChar(out, ERROR_);
	enlargeStringInfo(out, 2 * bytes.len + 1);
	out->len += hex_encode(bytes.data, bytes.len, out->data + out->len);
	out->data[out->len] = '\0';
}

/*
 * dynamo_message_error() of an answer as text.
 */
ErrorData *
dynamo_message_text_error(const char *answer)
{
	int			len = strlen(answer);
	char	   *bytes;

	if (answer[0] != ERROR_)
		return NULL;
	bytes = palloc(len / 2 + 1);
	return dynamo_message_error(bytes, hex_decode(answer + 1, len - 1, bytes));
}

/*
 * The error that an answer is, in the current context, as if it had been raised
 * here; NULL: it is none.  Raises protocol_violation.
 */
ErrorData *
dynamo_message_error(const char *answer, int len)
{
	const char *end = answer + len;
	ErrorData  *error;

	if (len == 0 || answer[0] != ERROR_)
		return NULL;
	error = palloc0(sizeof(ErrorData));
	error->elevel = ERROR;
	error->assoc_context = CurrentMemoryContext;
	for (const char *next = answer + 1; next < end;)
	{
		const char *zero = memchr(next, '\0', end - next);

		if (zero == NULL || zero == next)
			misunderstood();
		set_field(error, next[0], next + 1);
		next = zero + 1;
	}
	if (error->sqlerrcode == 0 || error->message == NULL)
		misunderstood();
	return error;
}

static void
set_field(ErrorData *error, char code, const char *text)
{
	if (code == PG_DIAG_SQLSTATE && strlen(text) == 5)
		error->sqlerrcode = MAKE_SQLSTATE(text[0], text[1], text[2], text[3],
										  text[4]);
	for (int i = 0; i < lengthof(fields); i++)
	{
		if (fields[i].code == code)
			*FIELD(error, i) = pstrdup(text);
	}
}

/*
 * The body of an answer that is no error.  Raises protocol_violation.
 */
const char *
dynamo_message_body(const char *answer, int len, int *body_len)
{
	if (len == 0 || answer[0] != ANSWER)
		misunderstood();
	*body_len = len - 1;
	return answer + 1;
}

static void
misunderstood(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROTOCOL_VIOLATION),
			 errmsg("unexpected answer of a node")));
}
