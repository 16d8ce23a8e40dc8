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
static bool note_job(Job *job, void *search);
static bool note_token(Job *job, void *search);
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

/* Is another job to be looked at? */
static bool
note_token(Job *job, void *arg)
{
	Search	   *search = arg;

	if (job->created_at < search->since)
		return false;
	if (job->token == NULL || strcmp(job->token, search->token) != 0 ||
		job->owner != GetUserId())
		return true;
	search->found = list_make1(job);
	return false;
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

static bool
note_job(Job *job, void *arg)
{
	Search	   *search = arg;

	if ((search->table_name == NULL ||
		 strcmp(job->table_name, search->table_name) == 0) &&
		(!OidIsValid(search->relid) || job->relid == search->relid) &&
		may_know(job))
		search->found = lappend(search->found, job);
	return search->limit <= 0 || list_length(search->found) < search->limit;
}

const Job *
job_pending_for(const char *table_name)
{
	ListCell   *lc;

	foreach(lc, job_row_unfinished())
	{
		const Job  *job = lfirst(lc);

		if ((job->kind == JOB_RESTORE || job->kind == JOB_IMPORT) &&
			strcmp(job->table_name, table_name) == 0)
			return job;
	}
	return NULL;
}

/*
 * Jobs are read first.  One that ends in between has made its table.
 */
List *
job_list_tables(const char *after, int limit)
{
	List	   *restores = job_list_unfinished(JOB_RESTORE);
	List	   *names = schema_list_tables(after, limit);
	ListCell   *lc;

	foreach(lc, restores)
	{
		const Job  *job = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if ((after == NULL || strcmp(job->table_name, after) > 0) &&
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
	return list_length(job_list_unfinished(kind));
}

List *
job_list_unfinished(JobKind kind)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, job_row_unfinished())
	{
		if (((const Job *) lfirst(lc))->kind == kind)
			found = lappend(found, lfirst(lc));
	}
	return found;
}

/*
 * Numbers of unfinished jobs that the current user may run, oldest first.
 */
List *
job_list_mine(void)
{
	List	   *mine = NIL;
	ListCell   *lc;

	foreach(lc, job_row_unfinished())
	{
		const Job  *job = lfirst(lc);

		if (dynamo_acts_for(job->owner))
			mine = lappend_int(mine, job->number);
	}
	return mine;
}
