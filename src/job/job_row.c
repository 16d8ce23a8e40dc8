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
#include "access/table.h"
#include "access/xact.h"
#include "base/base_extension.h"
#include "catalog/indexing.h"
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
static Job *read_one(const DynamoIndex *index, ScanKey key);
static void number_key(ScanKey key, int32 number);
static void text_key(ScanKey key, AttrNumber attnum, StrategyNumber strategy,
					 RegProcedure procedure, const char *text);
static void add_unfinished(Relation jobs, JobStatus status, List **found);
static int	compare_numbers(const ListCell *a, const ListCell *b);
static Job *read_row(Relation jobs, HeapTuple tuple);
static void set_fixed(const Job *job, Datum *values, bool *nulls);
static void set_changing(const Job *job, Datum *values, bool *nulls);
static void set(Datum *values, bool *nulls, AttrNumber attnum, Datum value);
static void set_text(Datum *values, bool *nulls, AttrNumber attnum,
					 const char *text);
static void set_time(Datum *values, bool *nulls, AttrNumber attnum,
					 TimestampTz time);

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
	Relation	jobs;
	Datum		values[JOBS_NATTS] = {0};
	bool		nulls[JOBS_NATTS];

	job->number = (int32) nextval_internal(dynamo_member_get(&numbers), false);
	if (job->id[0] == '\0')
		job_make_id(job->id, job->created_at);
	memset(nulls, true, sizeof(nulls));
	set_fixed(job, values, nulls);
	set_changing(job, values, nulls);
	jobs = dynamo_table_open(&jobs_member, RowExclusiveLock);
	CatalogTupleInsert(jobs, heap_form_tuple(RelationGetDescr(jobs), values,
											 nulls));
	table_close(jobs, NoLock);
	tell_table(job);
}

/*
 * The milliseconds since 1970, and some digits that make it unique.
 */
void
job_make_id(char *id, TimestampTz created_at)
{
	int64		since_epoch = created_at +
		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

	snprintf(id, JOB_ID_LENGTH + 1, "%014lld-%08x",
			 (long long) (since_epoch / 1000),
			 pg_prng_uint32(&pg_global_prng_state));
}

/*
 * Write what can change.  The caller has locked the row.
 */
void
job_row_update(const Job *job)
{
	Relation	jobs = dynamo_table_open(&jobs_member, RowExclusiveLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	number_key(&key, job->number);
	scan = dynamo_table_scan(jobs, BY_NUMBER, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		Datum		values[JOBS_NATTS] = {0};
		bool		nulls[JOBS_NATTS];
		bool		replaces[JOBS_NATTS];

		memset(nulls, true, sizeof(nulls));
		set_changing(job, values, nulls);
		for (int i = 0; i < JOBS_NATTS; i++)
			replaces[i] = i + 1 == JOBS_STATUS || i + 1 == JOBS_RELATION ||
				(i + 1 >= JOBS_POSITION && i + 1 != JOBS_CREATED);
		tuple = heap_modify_tuple(tuple, RelationGetDescr(jobs), values,
								  nulls, replaces);
		CatalogTupleUpdate(jobs, &tuple->t_self, tuple);
	}
	systable_endscan(scan);
	table_close(jobs, NoLock);
	if (job_is_finished(job))
		tell_table(job);
	else
		CommandCounterIncrement();
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

	number_key(&key, number);
	return read_one(BY_NUMBER, &key);
}

Job *
job_row_find(const char *id)
{
	ScanKeyData key;

	text_key(&key, JOBS_ID, BTEqualStrategyNumber, F_TEXTEQ, id);
	return read_one(BY_ID, &key);
}

static Job *
read_one(const DynamoIndex *index, ScanKey key)
{
	Relation	jobs = dynamo_table_find(&jobs_member, AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple;
	Job		   *job = NULL;

	if (jobs == NULL)
		return NULL;
	scan = dynamo_table_scan(jobs, index, NULL, 1, key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		job = read_row(jobs, tuple);
	systable_endscan(scan);
	table_close(jobs, AccessShareLock);
	return job;
}

/*
 * See job_internal.h.
 */
void
job_row_each(JobKind kind, const char *before,
			 bool (*each) (Job *job, void *arg), void *arg)
{
	Relation	jobs = dynamo_table_find(&jobs_member, AccessShareLock);
	Relation	index;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	if (jobs == NULL)
		return;
	index = dynamo_table_order(jobs, BY_KIND);
	ScanKeyInit(&keys[0], JOBS_KIND, BTEqualStrategyNumber, F_CHAREQ,
				CharGetDatum(kind));
	if (before != NULL)
		text_key(&keys[1], JOBS_ID, BTLessStrategyNumber, F_TEXT_LT, before);
	scan = systable_beginscan_ordered(jobs, index, NULL, before ? 2 : 1, keys);
	while ((tuple = systable_getnext_ordered(scan, BackwardScanDirection)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (!each(read_row(jobs, tuple), arg))
			break;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(jobs, AccessShareLock);
}

List *
job_row_unfinished(void)
{
	Relation	jobs = dynamo_table_find(&jobs_member, AccessShareLock);
	List	   *found = NIL;

	if (jobs == NULL)
		return NIL;
	add_unfinished(jobs, JOB_IN_PROGRESS, &found);
	add_unfinished(jobs, JOB_CANCELLING, &found);
	table_close(jobs, AccessShareLock);
	list_sort(found, compare_numbers);
	return found;
}

static void
add_unfinished(Relation jobs, JobStatus status, List **found)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, JOBS_STATUS, BTEqualStrategyNumber, F_CHAREQ,
				CharGetDatum(status));
	scan = dynamo_table_scan(jobs, BY_STATUS, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CHECK_FOR_INTERRUPTS();
		*found = lappend(*found, read_row(jobs, tuple));
	}
	systable_endscan(scan);
}

static int
compare_numbers(const ListCell *a, const ListCell *b)
{
	int32		left = ((const Job *) lfirst(a))->number;
	int32		right = ((const Job *) lfirst(b))->number;

	return (left > right) - (left < right);
}

/*
 * See job.h.  Nobody works on a job that has ended, nor changes its row.
 */
void
job_forget(TimestampTz ended_before)
{
	Relation	jobs = dynamo_table_find(&jobs_member, RowExclusiveLock);
	SysScanDesc scan;
	HeapTuple	tuple;

	if (jobs == NULL)
		return;
	scan = systable_beginscan(jobs, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		ended = heap_getattr(tuple, JOBS_ENDED,
										 RelationGetDescr(jobs), &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull && DatumGetTimestampTz(ended) < ended_before)
			CatalogTupleDelete(jobs, &tuple->t_self);
	}
	systable_endscan(scan);
	table_close(jobs, NoLock);
}

static void
number_key(ScanKey key, int32 number)
{
	ScanKeyInit(key, JOBS_NUMBER, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(number));
}

static void
text_key(ScanKey key, AttrNumber attnum, StrategyNumber strategy,
		 RegProcedure procedure, const char *text)
{
	ScanKeyInit(key, attnum, strategy, procedure, CStringGetTextDatum(text));
	key->sk_collation = C_COLLATION_OID;
}

static Job *
read_row(Relation jobs, HeapTuple tuple)
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
	job->request = TEXT(JOBS_REQUEST);
	job->token = TEXT(JOBS_TOKEN);
	job->position = TEXT(JOBS_POSITION);
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
set_fixed(const Job *job, Datum *values, bool *nulls)
{
	Name		owner = palloc(sizeof(NameData));

	namestrcpy(owner, job->owner_name);
	set(values, nulls, JOBS_NUMBER, Int32GetDatum(job->number));
	set_text(values, nulls, JOBS_ID, job->id);
	set(values, nulls, JOBS_KIND, CharGetDatum(job->kind));
	set_text(values, nulls, JOBS_TABLE, job->table_name);
	set(values, nulls, JOBS_OWNER, NameGetDatum(owner));
	set(values, nulls, JOBS_OWNER_OID, ObjectIdGetDatum(job->owner));
	set_text(values, nulls, JOBS_REQUEST, job->request);
	set_text(values, nulls, JOBS_TOKEN, job->token);
	set_time(values, nulls, JOBS_CREATED, job->created_at);
}

static void
set_changing(const Job *job, Datum *values, bool *nulls)
{
	set(values, nulls, JOBS_STATUS, CharGetDatum(job->status));
	if (OidIsValid(job->relid))
		set(values, nulls, JOBS_RELATION, ObjectIdGetDatum(job->relid));
	set_text(values, nulls, JOBS_POSITION, job->position);
	set_time(values, nulls, JOBS_STARTED, job->started_at);
	set_time(values, nulls, JOBS_ENDED, job->ended_at);
	set_time(values, nulls, JOBS_RETRY, job->retry_at);
	set_text(values, nulls, JOBS_CODE, job->failure_code);
	if (job->failure_message != NULL)
		set(values, nulls, JOBS_MESSAGE,
			PointerGetDatum(cstring_to_text_with_len(job->failure_message,
													 pg_mbcliplen(job->failure_message,
																  strlen(job->failure_message),
																  JOB_MAX_FAILURE))));
	set(values, nulls, JOBS_ATTEMPTS, Int32GetDatum(job->attempts));
}

static void
set(Datum *values, bool *nulls, AttrNumber attnum, Datum value)
{
	values[attnum - 1] = value;
	nulls[attnum - 1] = false;
}

static void
set_text(Datum *values, bool *nulls, AttrNumber attnum, const char *text)
{
	if (text != NULL)
		set(values, nulls, attnum, CStringGetTextDatum(text));
}

static void
set_time(Datum *values, bool *nulls, AttrNumber attnum, TimestampTz time)
{
	if (time != 0)
		set(values, nulls, attnum, TimestampTzGetDatum(time));
}
