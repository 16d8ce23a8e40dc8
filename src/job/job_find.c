/*-------------------------------------------------------------------------
 *
 * job_find.c
 *	  Finding jobs, and who may know of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "job/job_internal.h"
#include "miscadmin.h"
#include "schema/schema.h"

/* A search of the jobs of a kind. */
typedef struct Search
{
	const char *table_name;		/* NULL: any */
	Oid			relid;			/* InvalidOid: any */
	const char *token;			/* NULL: any */
	TimestampTz since;
	int			limit;
	List	   *found;
} Search;

static bool may_know(const Job *job);
static JobAnswer note_job(Job *job, void *search);
static JobAnswer note_token(Job *job, void *search);
static bool makes_table(const Job *job, void *name);
static bool is_of_kind(const Job *job, void *kind);
static List *add_name(List *names, char *name);

/*
 * A table that an import has made is for others when the import has ended.
 */
void
job_init(void)
{
	schema_is_filling = job_row_imports;
}

const Job *
job_find(JobKind kind, const char *id)
{
	const Job  *job = job_row_find(id);

	return job != NULL && job->kind == kind && may_know(job) ? job : NULL;
}

const Job *
job_find_any(const char *id)
{
	const Job  *job = job_row_find(id);

	return job != NULL && may_know(job) ? job : NULL;
}

/*
 * Where the job knows its relation, that counts.  Otherwise the owner of
 * another table that has the name now would.
 */
static bool
may_know(const Job *job)
{
	return dynamo_acts_for(job->owner) || dynamo_owns(job->relid);
}

const Job *
job_find_token(JobKind kind, const char *token, TimestampTz since)
{
	Search		search = {.token = token, .since = since};

	job_lock_token(kind, token);
	job_row_each(kind, NULL, note_token, &search);
	return search.found != NIL ? linitial(search.found) : NULL;
}

static JobAnswer
note_token(Job *job, void *arg)
{
	Search	   *search = arg;

	if (job->created_at < search->since)
		return JOB_TAKE_NONE;
	if (job->token == NULL || strcmp(job->token, search->token) != 0 ||
		job->owner != GetUserId())
		return JOB_PASS_OVER;
	search->found = list_make1(job);
	return JOB_TAKE_LAST;
}

List *
job_list(JobKind kind, const char *table_name, Oid relid, const char *before,
		 int limit)
{
	Search		search = {
		.table_name = table_name, .relid = relid, .limit = limit
	};

	job_row_each(kind, before, note_job, &search);
	return search.found;
}

static JobAnswer
note_job(Job *job, void *arg)
{
	Search	   *search = arg;

	if ((search->table_name != NULL &&
		 strcmp(job->table_name, search->table_name) != 0) ||
		(OidIsValid(search->relid) && job->relid != search->relid) ||
		!may_know(job))
		return JOB_PASS_OVER;
	search->found = lappend(search->found, job);
	return list_length(search->found) == search->limit ?
		JOB_TAKE_LAST : JOB_TAKE;
}

const Job *
job_pending_for(const char *table_name)
{
	List	   *jobs = job_row_unfinished(makes_table,
										  unconstify(char *, table_name));

	return jobs == NIL ? NULL : linitial(jobs);
}

static bool
makes_table(const Job *job, void *name)
{
	return (job->kind == JOB_RESTORE || job->kind == JOB_IMPORT) &&
		strcmp(job->table_name, name) == 0;
}

/*
 * Jobs are read first.  One that ends in between has made its table.
 */
List *
job_list_tables(const char *after, int limit)
{
	List	   *jobs = job_row_unfinished(NULL, NULL);
	List	   *names = schema_list_tables(after, limit);
	ListCell   *lc;

	foreach(lc, jobs)
	{
		const Job  *job = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (job->kind == JOB_RESTORE &&
			(after == NULL || strcmp(job->table_name, after) > 0) &&
			may_know(job))
			names = add_name(names, job->table_name);
	}
	return list_truncate(names, limit);
}

/*
 * In its place, unless it is there.
 */
static List *
add_name(List *names, char *name)
{
	int			place = 0;

	while (place < list_length(names) &&
		   strcmp(list_nth(names, place), name) < 0)
		place++;
	if (place < list_length(names) &&
		strcmp(list_nth(names, place), name) == 0)
		return names;
	return list_insert_nth(names, place, name);
}

int
job_count_unfinished(JobKind kind)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, job_row_unfinished(NULL, NULL))
		n += ((const Job *) lfirst(lc))->kind == kind;
	return n;
}

List *
job_list_unfinished(JobKind kind)
{
	return job_row_unfinished(is_of_kind, &kind);
}

static bool
is_of_kind(const Job *job, void *kind)
{
	return job->kind == *(const JobKind *) kind;
}

/*
 * Numbers of unfinished jobs that the current user may run, oldest first.
 */
List *
job_list_mine(void)
{
	List	   *mine = NIL;
	ListCell   *lc;

	foreach(lc, job_row_unfinished(NULL, NULL))
	{
		const Job  *job = lfirst(lc);

		if (dynamo_acts_for(job->owner))
			mine = lappend_int(mine, job->number);
	}
	return mine;
}
