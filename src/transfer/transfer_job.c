/*-------------------------------------------------------------------------
 *
 * transfer_job.c
 *	  What clients know jobs by: exports, imports, bulk operations.
 *
 *		arn:aws:dynamodb:<region>:<account>:table/<table>/<part>/<id>
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "shard/shard.h"
#include "transfer/transfer_job.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* The group of the node if it knows of a job, or '' */
#define LOOK \
	"SELECT COALESCE((SELECT g.groupid::pg_catalog.text FROM dynamo.jobs AS j, pg_catalog.pg_dist_local_group AS g " \
	"WHERE j.job OPERATOR(pg_catalog.=) %s), '')"

/* A page's token has as many hex digits, at least. */
#define TOKEN_DIGITS	112

static bool is_token(const char *text);
static bool is_account(const char *text);
static char *look_elsewhere(DynamoRequest *request, const char *id);
static char *page_token(const char *id);
static const char *read_page_token(const char *token);
static int	hex_digit(char c);

const WireShape transfer_token_shape = {
	.kind = WIRE_STRING, .matches = is_token,.matches_pattern = "^[^\\$]+$"
};
const WireShape transfer_owner_shape = {
	.kind = WIRE_STRING, .matches = is_account,.matches_pattern = "[0-9]{12}"
};

static bool
is_token(const char *text)
{
	return text[0] != '\0' && strchr(text, '$') == NULL;
}

static bool
is_account(const char *text)
{
	return strlen(text) == 12 && strspn(text, "0123456789") == 12;
}

char *
transfer_job_arn(const Job *job, const char *part)
{
	return psprintf("%s/%s/%s", wire_table_arn(job->table_name), part,
					job->id);
}

/*
 * The id at the end of an ARN of ours; NULL: it is no such ARN.
 */
const char *
transfer_job_id(const char *arn, const char *part)
{
	const char *middle = psprintf("/%s/", part);
	const char *found = strstr(arn, middle);
	char	   *table;

	if (strncmp(arn, "arn:", 4) != 0 || found == NULL)
		return NULL;
	table = pnstrdup(arn, found - arn);
	(void) wire_resource_table(table);
	return found + strlen(middle);
}

/*
 * Have the node execute the request that has the job with this id, which this
 * one has not.  False: none has it.
 */
bool
transfer_job_elsewhere(DynamoRequest *request, const char *id)
{
	char	   *group = look_elsewhere(request, id);

	if (group == NULL)
		return false;
	shard_execute_at(pg_strtoint32(group), request);
	return true;
}

/*
 * Is there a job with this id, here or at another node, that the user may know of?
 */
bool
transfer_job_exists(DynamoRequest *request, JobKind kind, const char *id)
{
	return job_find(kind, id) != NULL || look_elsewhere(request, id) != NULL;
}

static char *
look_elsewhere(DynamoRequest *request, const char *id)
{
	return shard_find_elsewhere(request,
								psprintf(LOOK, quote_literal_cstr(id)));
}

const char *
transfer_job_status(const Job *job)
{
	switch (job->status)
	{
		case JOB_IN_PROGRESS:
			return "IN_PROGRESS";
		case JOB_CANCELLING:
			return "CANCELLING";
		case JOB_COMPLETED:
			return "COMPLETED";
		case JOB_COMPLETED_WITH_ERRORS:
			return "COMPLETED_WITH_ERRORS";
		case JOB_FAILED:
			return "FAILED";
		case JOB_CANCELLED:
			return "CANCELLED";
	}
	elog(ERROR, "unexpected status \"%c\" of a job", job->status);
	return NULL;				/* keep compiler quiet */
}

void
transfer_append_job_times(StringInfo out, const Job *job)
{
	wire_member(out, "StartTime");
	appendStringInfoString(out, wire_epoch(job->created_at));
	if (job->ended_at != 0)
	{
		wire_member(out, "EndTime");
		appendStringInfoString(out, wire_epoch(job->ended_at));
	}
}

/*
 * A member of its request, if it has that.
 */
void
transfer_append_job_member(StringInfo out, const json_t *request,
						   const char *member)
{
	const json_t *value = wire_json_get(request, member);

	if (value == NULL)
		return;
	wire_member(out, member);
	wire_append_json(out, value);
}

/*
 * It becomes the character that wire_json_text() makes of it, which no name of a
 * bucket or file may have either.
 */
void
transfer_drop_nul(char *json)
{
	for (char *p = json; *p != '\0'; p++)
	{
		if (*p != '\\')
			continue;
		p++;
		if (strncmp(p, "u0000", 5) == 0)
			p[4] = '1';
	}
}

/*
 * It reads one more than it tells, to know whether there are more.  What one
 * request takes, when its JSON is read, goes before the next.
 */
void
transfer_list_jobs(DynamoRequest *request, StringInfo out,
				   const TransferListing *listing, const char *table,
				   const char *next_token, int limit)
{
	List	   *jobs = job_list(listing->kind, table, InvalidOid, next_token ?
								read_page_token(next_token) : NULL,
								limit + 1);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo listed job",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller;
	List	   *listed = NIL;
	ListCell   *lc;
	const char *next;

	foreach(lc, jobs)
	{
		const Job  *job = lfirst(lc);
		StringInfoData text;

		initStringInfo(&text);
		caller = MemoryContextSwitchTo(context);
		listing->append(&text, job);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(context);
		listed = shard_note_listed(listed,
								   transfer_job_arn(job, listing->part),
								   text.data);
	}
	MemoryContextDelete(context);
	appendStringInfoChar(out, '{');
	next = shard_append_list(request, out, &listing->page, listed, limit);
	if (next != NULL)
		wire_string_member(out, "NextToken",
						   page_token(transfer_job_id(next, listing->part)));
	appendStringInfoChar(out, '}');
}

/*
 * The token of the page after the job with an id: that in hex, and zeros.
 */
static char *
page_token(const char *id)
{
	StringInfoData out;

	initStringInfo(&out);
	for (const char *c = id; *c != '\0'; c++)
		appendStringInfo(&out, "%02x", (unsigned char) *c);
	while (out.len < TOKEN_DIGITS)
		appendStringInfoChar(&out, '0');
	return out.data;
}

/*
 * The id in a token.
 */
static const char *
read_page_token(const char *token)
{
	char	   *id = palloc0(JOB_ID_LENGTH + 1);
	size_t		len = strlen(token);
	bool		good = len == TOKEN_DIGITS;

	for (int i = 0; good && i < TOKEN_DIGITS; i += 2)
	{
		int			high = hex_digit(token[i]);
		int			low = hex_digit(token[i + 1]);
		int			c = high * 16 + low;

		if (i / 2 < JOB_ID_LENGTH)
		{
			good = high >= 0 && low >= 0 && c > 0;
			id[i / 2] = c;
		}
		else
			good = high == 0 && low == 0;
	}
	if (!good)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid Request: Provided nextToken is invalid: %s",
					 token);
	return id;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * FailureCode and FailureMessage of a job that has failed.  What is said of a
 * missing bucket is what S3 says.
 */
void
transfer_append_job_failure(StringInfo out, const Job *job)
{
	wire_string_member(out, "FailureCode", job->failure_code);
	if (strcmp(job->failure_code, "S3NoSuchBucket") != 0)
		wire_string_member(out, "FailureMessage", job->failure_message);
	else
		wire_string_member(out, "FailureMessage",
						   psprintf("The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket; Request ID: %016llX)",
									(unsigned long long) job->created_at));
}
