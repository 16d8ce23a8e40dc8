/*-------------------------------------------------------------------------
 *
 * job_row.c
 *	  Rows of dynamo_internal.jobs.
 *
 * They are written without the executor, by code that has checked the right to
 * it, under the locks of job_lock.c.  The owner is kept by name and by OID, as
 * that of event source mappings is, and both must match.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "base/base_extension.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type_d.h"
#include "commands/sequence.h"
#include "common/pg_prng.h"
#include "job/job_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "schema/schema.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* Columns of dynamo_internal.jobs. */
#define JOBS_NUMBER				1
#define JOBS_ID					2
#define JOBS_KIND				3
#define JOBS_STATUS				4
#define JOBS_TABLE				5
#define JOBS_RELATION			6
#define JOBS_OWNER				7
#define JOBS_OWNER_OID			8
#define JOBS_REQUEST			9
#define JOBS_TOKEN				10
#define JOBS_POSITION			11
#define JOBS_CREATED			12
#define JOBS_STARTED			13
#define JOBS_ENDED				14
#define JOBS_RETRY				15
#define JOBS_CODE				16
#define JOBS_MESSAGE			17
#define JOBS_ATTEMPTS			18
#define JOBS_NATTS				18

static const DynamoColumn columns[] = {
	{INT4OID, true}, {TEXTOID, true}, {CHAROID, true}, {CHAROID, true},
	{TEXTOID, true}, {REGCLASSOID}, {NAMEOID, true}, {OIDOID, true},
	{JSONOID, true}, {TEXTOID}, {JSONOID}, {TIMESTAMPTZOID, true},
	{TIMESTAMPTZOID}, {TIMESTAMPTZOID}, {TIMESTAMPTZOID}, {TEXTOID},
	{TEXTOID}, {INT4OID, true}
};

StaticAssertDecl(lengthof(columns) == JOBS_NATTS,
				 "each column has its type");

static DynamoIndex indexes[] = {
	{1, {JOBS_NUMBER}},
	{1, {JOBS_ID}},
	{2, {JOBS_KIND, JOBS_ID}},
	{2, {JOBS_STATUS, JOBS_NUMBER}},
};

#define BY_NUMBER	(&indexes[0])
#define BY_ID		(&indexes[1])
#define BY_KIND		(&indexes[2])
#define BY_STATUS	(&indexes[3])

static DynamoMember jobs_member =
DYNAMO_INTERNAL_TABLE("jobs", columns, DYNAMO_INDEXES(indexes));
static DynamoMember numbers = DYNAMO_SEQUENCE("job_numbers");

static void tell_table(const Job *job);
static void set_before(ScanKey key, const char *id);
static int	compare_numbers(const ListCell *a, const ListCell *b);
static void *read_row(Relation jobs, HeapTuple tuple);
static Job *read_brief(Relation jobs, HeapTuple tuple);
static void read_texts(Job *job, Relation jobs, HeapTuple tuple);
static void set_fixed(const Job *job, MetaRow *row);
static void set_changing(const Job *job, MetaRow *row);
static void set_text(MetaRow *row, AttrNumber attnum, const char *text);
static void set_time(MetaRow *row, AttrNumber attnum, TimestampTz time);

/* What the locks of jobs name. */
Oid
job_row_table(void)
{
	return dynamo_member_get(&jobs_member);
}

/*
 * Sets the number, and the id where it is "".
 */
void
job_row_insert(Job *job)
{
	MetaRow		row;

	job->number = (int32) nextval_internal(dynamo_member_get(&numbers), false);
	if (job->id[0] == '\0')
		job_make_id(job->id, job->created_at, job->number);
	meta_init_row(&row);
	set_fixed(job, &row);
	set_changing(job, &row);
	meta_insert(&jobs_member, &row);
	tell_table(job);
}

/*
 * The milliseconds since 1970, and some digits that make it unique.  The first
 * of them are the job's number, so that lists have the jobs of one millisecond
 * in the order in which they were made, but where the digits begin anew.
 */
void
job_make_id(char *id, TimestampTz created_at, int32 number)
{
	int64		since_epoch = created_at +
		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

	snprintf(id, JOB_ID_LENGTH + 1, "%014lld-%04x%04x",
			 (long long) (since_epoch / 1000), (uint32) number & 0xFFFF,
			 pg_prng_uint32(&pg_global_prng_state) & 0xFFFF);
}

/*
 * Write what can change.  The caller has locked the row.
 */
void
job_row_update(const Job *job)
{
	MetaScan	scan;
	ScanKeyData key;

	meta_int4_key(&key, JOBS_NUMBER, job->number);
	meta_scan(&scan, &jobs_member, RowExclusiveLock, BY_NUMBER, 1, &key);
	if (meta_next(&scan))
	{
		MetaRow		row;

		meta_init_row(&row);
		set_changing(job, &row);
		for (int i = 0; i < JOBS_NATTS; i++)
			row.replaces[i] = i + 1 == JOBS_STATUS || i + 1 == JOBS_RELATION ||
				(i + 1 >= JOBS_POSITION && i + 1 != JOBS_CREATED);
		meta_change(&scan, &row);
	}
	meta_end(&scan);
	if (job_is_finished(job))
		tell_table(job);
}

/*
 * The table's definition may be another now: see schema_is_filling().
 */
static void
tell_table(const Job *job)
{
	if (job->kind == JOB_IMPORT && OidIsValid(job->relid) &&
		SearchSysCacheExists1(RELOID, ObjectIdGetDatum(job->relid)))
		schema_definition_changed(job->relid);
	CommandCounterIncrement();
}

Job *
job_row_read(int32 number)
{
	ScanKeyData key;

	meta_int4_key(&key, JOBS_NUMBER, number);
	return meta_first(&jobs_member, BY_NUMBER, 1, &key, read_row);
}

Job *
job_row_find(const char *id)
{
	ScanKeyData key;

	meta_text_key(&key, JOBS_ID, id);
	return meta_first(&jobs_member, BY_ID, 1, &key, read_row);
}

void
job_row_each(JobKind kind, const char *before,
			 JobAnswer (*ask) (Job *job, void *arg), void *arg)
{
	MetaScan	scan;
	ScanKeyData keys[2];
	JobAnswer	answer = JOB_PASS_OVER;

	meta_char_key(&keys[0], JOBS_KIND, kind);
	if (before != NULL)
		set_before(&keys[1], before);
	meta_scan_ordered(&scan, &jobs_member, BY_KIND, BackwardScanDirection,
					  before ? 2 : 1, keys);
	while (answer < JOB_TAKE_LAST && meta_next(&scan))
	{
		Job		   *job = read_brief(scan.rel, scan.tuple);

		answer = ask(job, arg);
		if (answer == JOB_TAKE || answer == JOB_TAKE_LAST)
			read_texts(job, scan.rel, scan.tuple);
	}
	meta_end(&scan);
}

bool
job_reach(const char *before, int count, char *newest, char *oldest)
{
	MetaScan	scan;
	ScanKeyData key;
	int			n = 0;

	newest[0] = oldest[0] = '\0';
	if (before != NULL)
		set_before(&key, before);
	meta_scan_ordered(&scan, &jobs_member, BY_ID, BackwardScanDirection,
					  before ? 1 : 0, &key);
	while (n < count && meta_next(&scan))
	{
		char	   *id = meta_text_column(scan.tuple, JOBS_ID, scan.rel);

		strlcpy(n++ == 0 ? newest : oldest, id, JOB_ID_LENGTH + 1);
		pfree(id);
	}
	meta_end(&scan);
	if (n < count)
		oldest[0] = '\0';
	return n == count;
}

static void
set_before(ScanKey key, const char *id)
{
	ScanKeyEntryInitialize(key, 0, JOBS_ID, BTLessStrategyNumber, InvalidOid,
						   C_COLLATION_OID, F_TEXT_LT, CStringGetTextDatum(id));
}

List *
job_row_unfinished(bool (*is_wanted) (const Job *job, void *arg), void *arg)
{
	static const JobStatus unfinished[] = {JOB_IN_PROGRESS, JOB_CANCELLING};
	List	   *found = NIL;

	for (int i = 0; i < lengthof(unfinished); i++)
	{
		MetaScan	scan;
		ScanKeyData key;

		meta_char_key(&key, JOBS_STATUS, unfinished[i]);
		meta_scan(&scan, &jobs_member, AccessShareLock, BY_STATUS, 1, &key);
		while (meta_next(&scan))
		{
			Job		   *job = read_brief(scan.rel, scan.tuple);

			if (is_wanted != NULL && !is_wanted(job, arg))
				continue;
			if (is_wanted != NULL)
				read_texts(job, scan.rel, scan.tuple);
			found = lappend(found, job);
		}
		meta_end(&scan);
	}
	list_sort(found, compare_numbers);
	return found;
}

/*
 * Each definition that is loaded asks for this.  So nothing is read of a job but
 * what it takes.
 */
bool
job_row_imports(Oid relid)
{
	static const JobStatus unfinished[] = {JOB_IN_PROGRESS, JOB_CANCELLING};
	bool		found = false;

	for (int i = 0; i < lengthof(unfinished) && !found; i++)
	{
		MetaScan	scan;
		ScanKeyData key;

		meta_char_key(&key, JOBS_STATUS, unfinished[i]);
		meta_scan(&scan, &jobs_member, AccessShareLock, BY_STATUS, 1, &key);
		while (!found && meta_next(&scan))
		{
			bool		isnull;
			Datum		kind = meta_column(scan.tuple, JOBS_KIND, scan.rel,
										   &isnull);
			Datum		relation;

			if (DatumGetChar(kind) != JOB_IMPORT)
				continue;
			relation = meta_column(scan.tuple, JOBS_RELATION, scan.rel, &isnull);
			found = !isnull && DatumGetObjectId(relation) == relid;
		}
		meta_end(&scan);
	}
	return found;
}

static int
compare_numbers(const ListCell *a, const ListCell *b)
{
	int32		left = ((const Job *) lfirst(a))->number;
	int32		right = ((const Job *) lfirst(b))->number;

	return (left > right) - (left < right);
}

/*
 * Delete those that ended before.  Nobody works on a job that has ended, nor
 * changes its row.
 */
void
job_forget(TimestampTz ended_before)
{
	MetaScan	scan;

	meta_scan(&scan, &jobs_member, RowExclusiveLock, NULL, 0, NULL);
	while (meta_next(&scan))
	{
		bool		isnull;
		Datum		ended = meta_column(scan.tuple, JOBS_ENDED, scan.rel,
										&isnull);

		if (!isnull && DatumGetTimestampTz(ended) < ended_before)
			meta_delete(&scan);
	}
	meta_end(&scan);
}

static void *
read_row(Relation jobs, HeapTuple tuple)
{
	Job		   *job = read_brief(jobs, tuple);

	read_texts(job, jobs, tuple);
	return job;
}

static void
read_texts(Job *job, Relation jobs, HeapTuple tuple)
{
	job->request = meta_text_column(tuple, JOBS_REQUEST, jobs);
	job->position = meta_text_column(tuple, JOBS_POSITION, jobs);
}

/*
 * All but these two.
 */
static Job *
read_brief(Relation jobs, HeapTuple tuple)
{
	Job		   *job = palloc0(sizeof(*job));
	Datum		values[JOBS_NATTS];
	bool		nulls[JOBS_NATTS];

#define TEXT(attnum) \
	(nulls[(attnum) - 1] ? NULL : TextDatumGetCString(values[(attnum) - 1]))
#define TIME(attnum) \
	(nulls[(attnum) - 1] ? 0 : DatumGetTimestampTz(values[(attnum) - 1]))

	heap_deform_tuple(tuple, RelationGetDescr(jobs), values, nulls);
	job->number = DatumGetInt32(values[JOBS_NUMBER - 1]);
	strlcpy(job->id, TextDatumGetCString(values[JOBS_ID - 1]),
			sizeof(job->id));
	job->kind = (JobKind) DatumGetChar(values[JOBS_KIND - 1]);
	job->status = (JobStatus) DatumGetChar(values[JOBS_STATUS - 1]);
	job->table_name = TEXT(JOBS_TABLE);
	if (!nulls[JOBS_RELATION - 1])
		job->relid = DatumGetObjectId(values[JOBS_RELATION - 1]);
	job->owner_name = pstrdup(NameStr(*DatumGetName(values[JOBS_OWNER - 1])));
	job->owner = DatumGetObjectId(values[JOBS_OWNER_OID - 1]);
	job->orphan = !SearchSysCacheExists1(AUTHOID,
										 ObjectIdGetDatum(job->owner));
	if (get_role_oid(job->owner_name, true) != job->owner)
		job->owner = InvalidOid;
	job->token = TEXT(JOBS_TOKEN);
	job->created_at = TIME(JOBS_CREATED);
	job->started_at = TIME(JOBS_STARTED);
	job->ended_at = TIME(JOBS_ENDED);
	job->retry_at = TIME(JOBS_RETRY);
	job->failure_code = TEXT(JOBS_CODE);
	job->failure_message = TEXT(JOBS_MESSAGE);
	job->attempts = DatumGetInt32(values[JOBS_ATTEMPTS - 1]);
	return job;

#undef TEXT
#undef TIME
}

static void
set_fixed(const Job *job, MetaRow *row)
{
	Name		owner = palloc(sizeof(NameData));

	namestrcpy(owner, job->owner_name);
	meta_set_column(row, JOBS_NUMBER, Int32GetDatum(job->number));
	set_text(row, JOBS_ID, job->id);
	meta_set_column(row, JOBS_KIND, CharGetDatum(job->kind));
	set_text(row, JOBS_TABLE, job->table_name);
	meta_set_column(row, JOBS_OWNER, NameGetDatum(owner));
	meta_set_column(row, JOBS_OWNER_OID, ObjectIdGetDatum(job->owner));
	set_text(row, JOBS_REQUEST, job->request);
	set_text(row, JOBS_TOKEN, job->token);
	set_time(row, JOBS_CREATED, job->created_at);
}

static void
set_changing(const Job *job, MetaRow *row)
{
	meta_set_column(row, JOBS_STATUS, CharGetDatum(job->status));
	if (OidIsValid(job->relid))
		meta_set_column(row, JOBS_RELATION, ObjectIdGetDatum(job->relid));
	set_text(row, JOBS_POSITION, job->position);
	set_time(row, JOBS_STARTED, job->started_at);
	set_time(row, JOBS_ENDED, job->ended_at);
	set_time(row, JOBS_RETRY, job->retry_at);
	set_text(row, JOBS_CODE, job->failure_code);
	if (job->failure_message != NULL)
		meta_set_column(row, JOBS_MESSAGE,
						PointerGetDatum(cstring_to_text_with_len(job->failure_message,
																 pg_mbcliplen(job->failure_message,
																			  strlen(job->failure_message),
																			  JOB_MAX_FAILURE))));
	meta_set_column(row, JOBS_ATTEMPTS, Int32GetDatum(job->attempts));
}

static void
set_text(MetaRow *row, AttrNumber attnum, const char *text)
{
	if (text != NULL)
		meta_set_column(row, attnum, CStringGetTextDatum(text));
}

static void
set_time(MetaRow *row, AttrNumber attnum, TimestampTz time)
{
	if (time != 0)
		meta_set_column(row, attnum, TimestampTzGetDatum(time));
}
