/*-------------------------------------------------------------------------
 *
 * bucket_request.c
 *	  Requests to stores that are tried again, and the errors of those that
 *	  came to nothing.
 *
 * A store that is busy, or a connection that breaks, is tried a few times with
 * growing pauses.  Of what a store says of an error only the code is told on: the
 * rest could be anything, if it is no store.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_store.h"
#include "common/pg_prng.h"
#include "miscadmin.h"

/* Before the second attempt, in milliseconds; it doubles. */
#define FIRST_PAUSE		200

/* Bytes that are read of documents: 1,000 keys have 4 MB; of errors. */
#define MAX_DOCUMENT	(16 * 1024 * 1024)
#define MAX_ERROR		(64 * 1024)
#define CHUNK			(16 * 1024)

/* What a store says, and what it is for us. */
static const struct
{
	const char *code;
	const char *rule;
}			codes[] = {
	{"AccessDenied", BUCKET_RULE_ALLOWED},
	{"AccountProblem", BUCKET_RULE_ALLOWED},
	{"AllAccessDisabled", BUCKET_RULE_ALLOWED},
	{"ExpiredToken", BUCKET_RULE_ALLOWED},
	{"InvalidAccessKeyId", BUCKET_RULE_ALLOWED},
	{"InvalidToken", BUCKET_RULE_ALLOWED},
	{"SignatureDoesNotMatch", BUCKET_RULE_ALLOWED},
	{"NoSuchBucket", BUCKET_RULE_EXISTS},
	{"NoSuchKey", BUCKET_RULE_FOUND},
	{"SlowDown", NULL},
	{"InternalError", NULL},
	{"ServiceUnavailable", NULL},
	{"RequestTimeout", NULL},
};

static bool may_pass(const StoreAnswer *answer);
static bool is_accepted(StoreExchange *exchange, StoreAnswer *answer,
						StoreAccept accept);
static bool read_document(StoreExchange *exchange, size_t limit,
						  StoreElement element, void *arg,
						  const char **failure);
static void read_code(StoreExchange *exchange, char *code);
static bool note_code(void *code, const char *parent, const char *name,
					  const char *text);
static const char *rule_of(const StoreAnswer *answer);
static void fail(StoreBucket *bucket, const StoreAnswer *answer,
				 const char *failure)
			pg_attribute_noreturn();
static int	sqlstate_of(const StoreAnswer *answer, const char *rule);

/*
 * Send it, and again if the store is busy or cannot be reached.  The body of
 * an answer that is not 2xx has been read: "code" is what it said.
 */
StoreExchange *
store_request(StoreBucket *bucket, const char *key,
			  const StoreRequest *request, StoreAccept accept,
			  StoreAnswer *answer)
{
	for (int attempt = 1;; attempt++)
	{
		const char *failure = NULL;
		StoreExchange *exchange;
		bool		last = attempt >= STORE_ATTEMPTS || bucket->strikes > 0;

		exchange = store_exchange(bucket, request, answer, &failure);
		if (exchange == NULL && (answer->final || last))
			fail(bucket, answer, failure);
		if (exchange != NULL && (last || !may_pass(answer)))
		{
			bucket->strikes = 0;
			if (!is_accepted(exchange, answer, accept))
				store_refuse(bucket, key, answer);
			return exchange;
		}
		if (exchange != NULL)
			store_exchange_end(exchange);
		store_wait_again(attempt);
	}
}

/*
 * If the answer is no good one, its code is read.
 */
static bool
is_accepted(StoreExchange *exchange, StoreAnswer *answer, StoreAccept accept)
{
	if (answer->status / 100 == 2)
		return true;
	read_code(exchange, answer->code);
	return accept == STORE_ANYTHING ||
		(accept == STORE_MAYBE && answer->status == 404 &&
		 strcmp(answer->code, "NoSuchBucket") != 0);
}

/*
 * The same of one whose answer has no body, or one that nobody reads.
 */
void
store_send(StoreBucket *bucket, const char *key, const StoreRequest *request,
		   StoreAccept accept, StoreAnswer *answer)
{
	StoreExchange *exchange = store_request(bucket, key, request, accept,
											answer);
	char		unread[1024];
	const char *failure;

	/* What it says to the end keeps the connection of use. */
	for (int i = 0; i < MAX_ERROR / lengthof(unread); i++)
	{
		if (store_exchange_read(exchange, unread, sizeof(unread), &failure) == 0)
			break;
	}
	store_exchange_end(exchange);
}

/*
 * The same of one that is answered by a document, which is read as by
 * store_xml_begin().  "element" is called with nothing but "arg" before, once
 * an attempt.  False: there was no such document.
 */
bool
store_document(StoreBucket *bucket, const char *key,
			   const StoreRequest *request, StoreAccept accept,
			   StoreElement element, void *arg, StoreAnswer *answer)
{
	for (int attempt = 1;; attempt++)
	{
		StoreExchange *exchange = store_request(bucket, key, request, accept,
												answer);
		const char *failure = NULL;
		bool		good = false;

		if (answer->status / 100 == 2)
		{
			(void) element(arg, NULL, NULL, NULL);
			good = read_document(exchange, MAX_DOCUMENT, element, arg,
								 &failure);
		}
		store_exchange_end(exchange);
		if (failure == NULL)
			return good;
		if (attempt >= STORE_ATTEMPTS || bucket->strikes > 0)
			fail(bucket, answer, failure);
		store_wait_again(attempt);
	}
}

/*
 * False: it is no document, or too long, or was cut off, if "failure" is set.
 */
static bool
read_document(StoreExchange *exchange, size_t limit, StoreElement element,
			  void *arg, const char **failure)
{
	StoreXml   *xml = store_xml_begin(element, arg);
	char	   *chunk = palloc(CHUNK);
	size_t		total = 0;
	size_t		len;
	bool		good;

	do
	{
		CHECK_FOR_INTERRUPTS();
		len = store_exchange_read(exchange, chunk, CHUNK, failure);
		total += len;
		good = *failure == NULL && total <= limit &&
			store_xml_add(xml, chunk, len, len == 0);
	} while (good && len > 0);
	store_xml_end(xml);
	pfree(chunk);
	return good;
}

/*
 * Before the next attempt: 1, 2, ...
 */
void
store_wait_again(int attempt)
{
	int			pause = FIRST_PAUSE << (attempt - 1);

	store_pause(pause / 2 + (int) (pg_prng_double(&pg_global_prng_state) *
								   pause / 2));
}

/*
 * Is the store busy?
 */
static bool
may_pass(const StoreAnswer *answer)
{
	return answer->status == 500 || answer->status == 502 ||
		answer->status == 503 || answer->status == 504 || answer->status == 429;
}

/*
 * The code of an error, if its document has one; else "".
 */
static void
read_code(StoreExchange *exchange, char *code)
{
	const char *failure;

	(void) read_document(exchange, MAX_ERROR, note_code, code, &failure);
}

static bool
note_code(void *code, const char *parent, const char *name, const char *text)
{
	if (text == NULL || strcmp(parent, "Error") != 0 ||
		strcmp(name, "Code") != 0 || strlen(text) >= STORE_MAX_CODE)
		return true;
	for (const char *p = text; *p != '\0'; p++)
	{
		if (!bucket_is_alphanumeric(*p))
			return true;
	}
	strcpy(code, text);
	return false;
}

/*
 * What is wrong, by the code, or by the status of an answer that has none.
 */
static const char *
rule_of(const StoreAnswer *answer)
{
	for (int i = 0; i < lengthof(codes); i++)
	{
		if (strcmp(codes[i].code, answer->code) == 0)
			return codes[i].rule ? codes[i].rule : BUCKET_RULE_FILE;
	}
	if (answer->status == 401 || answer->status == 403)
		return BUCKET_RULE_ALLOWED;
	if (answer->status == 404)
		return BUCKET_RULE_FOUND;
	return BUCKET_RULE_FILE;
}

/*
 * The errors of an answer, and of none.  The key may be "".
 */
void
store_refuse(const StoreBucket *bucket, const char *key,
			 const StoreAnswer *answer)
{
	const char *rule = rule_of(answer);

	ereport(ERROR,
			(errcode(sqlstate_of(answer, rule)),
			 bucket_rule(rule),
			 key[0] == '\0' ?
			 errmsg("store of bucket \"%s\" has refused a request",
					bucket->base.name) :
			 errmsg("store of bucket \"%s\" has refused a request about file \"%s\"",
					bucket->base.name, key),
			 answer->code[0] == '\0' ?
			 errdetail("It has answered with status %ld.", answer->status) :
			 errdetail("It has answered with status %ld, %s.", answer->status,
					   answer->code)));
}

/*
 * What may pass by itself is a matter of the system; a job is tried again then.
 */
static int
sqlstate_of(const StoreAnswer *answer, const char *rule)
{
	if (may_pass(answer))
		return ERRCODE_IO_ERROR;
	if (strcmp(rule, BUCKET_RULE_ALLOWED) == 0)
		return ERRCODE_INSUFFICIENT_PRIVILEGE;
	if (strcmp(rule, BUCKET_RULE_EXISTS) == 0 ||
		strcmp(rule, BUCKET_RULE_FOUND) == 0)
		return ERRCODE_UNDEFINED_OBJECT;
	return ERRCODE_FDW_ERROR;
}

/*
 * No answer came.
 */
static void
fail(StoreBucket *bucket, const StoreAnswer *answer, const char *failure)
{
	if (answer->refused)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 bucket_rule(BUCKET_RULE_ALLOWED),
				 errmsg("address of the endpoint of bucket \"%s\" is not allowed",
						bucket->base.name)));
	store_unreachable(bucket, failure);
}

/*
 * Raise the error of a request to which no answer came.
 */
void
store_unreachable(StoreBucket *bucket, const char *failure)
{
	bucket->strikes++;
	ereport(ERROR,
			(errcode(ERRCODE_IO_ERROR),
			 bucket_rule(BUCKET_RULE_FILE),
			 errmsg("could not reach the store of bucket \"%s\": %s",
					bucket->base.name, failure)));
}

/*
 * The URL of a key, with parameters behind it, which may be "".
 */
char *
store_url(const StoreBucket *bucket, const char *key, const char *parameters)
{
	StringInfoData url;

	initStringInfo(&url);
	appendStringInfo(&url, "%s/", bucket->url);
	store_append_encoded(&url, key, "/");
	if (parameters[0] != '\0')
		appendStringInfo(&url, "?%s", parameters);
	return url.data;
}

/*
 * As signatures have it, or else they would be of something else.
 */
void
store_append_encoded(StringInfo out, const char *text, const char *also)
{
	for (const char *p = text; *p != '\0'; p++)
	{
		if (bucket_is_alphanumeric(*p) || strchr("-._~", *p) != NULL ||
			strchr(also, *p) != NULL)
			appendStringInfoChar(out, *p);
		else
			appendStringInfo(out, "%%%02X", (unsigned char) *p);
	}
}
