/*-------------------------------------------------------------------------
 *
 * transfer_report.c
 *	  Conditions that records of a bulk operation set, and the reports of what
 *	  it could not put.
 *
 * A record may have, beside its Item, the members of PutItem that make a
 * condition: ConditionExpression, ExpressionAttributeNames and
 * ExpressionAttributeValues.
 *
 * Reports are files of JSON lines under <prefix>/AWSDynamoDB/<id>/, one for
 * each step that has anything to report, named by the number of the step: one
 * that is done again after a crash writes its file again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/expr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "transfer/transfer_load_internal.h"

/* A record whose condition is being read. */
typedef struct Condition
{
	TransferRecord *record;
	const json_t *members;
} Condition;

static const json_t *read_members(const TransferRecord *record);
static bool read_condition(void *condition);
static void append_error(StringInfo out, const TransferRecord *record);
static void append_refused(StringInfo out, const TransferRecord *record);
static void put_report(const Job *job, const json_t *output, const char *kind,
					   int64 part, const StringInfo lines);

/*
 * A record of JSON that is an item and a condition is no item to the reader
 * of files.  Take these apart.
 */
void
transfer_read_conditions(const TransferSource *source, TransferBatch *batch)
{
	ListCell   *lc;

	if (source->reading.format != BUCKET_DYNAMODB_JSON)
		return;
	foreach(lc, batch->records)
	{
		Condition	condition = {lfirst(lc)};
		ErrorData  *error;

		CHECK_FOR_INTERRUPTS();
		condition.members = read_members(condition.record);
		if (condition.members == NULL)
			continue;
		error = dynamo_attempt(read_condition, &condition);
		if (error != NULL)
			transfer_note_error(condition.record, error);
	}
}

/*
 * The members of a record that is more than an item; NULL: it is none.
 */
static const json_t *
read_members(const TransferRecord *record)
{
	static const char *const known[] = {
		"Item", "ConditionExpression", "ExpressionAttributeNames",
		"ExpressionAttributeValues"
	};
	json_error_t error;
	json_t	   *members;
	size_t		n = 0;

	if (record->item != NULL || record->text == NULL ||
		strstr(record->text, "\"ConditionExpression\"") == NULL)
		return NULL;
	members = codec_load(record->text, record->len, &error);
	for (int i = 0; i < lengthof(known); i++)
		n += json_object_get(members, known[i]) != NULL;
	return n == json_object_size(members) &&
		json_is_object(json_object_get(members, "Item")) &&
		json_is_string(json_object_get(members, "ConditionExpression")) ?
		members : NULL;
}

static bool
read_condition(void *arg)
{
	Condition  *condition = arg;
	TransferRecord *record = condition->record;
	const json_t *item = json_object_get(condition->members, "Item");
	const json_t *names = wire_json_get(condition->members,
										"ExpressionAttributeNames");
	const json_t *values = wire_json_get(condition->members,
										 "ExpressionAttributeValues");
	ExprBindings *bindings;

	expr_check_given(names != NULL, values != NULL, true, NULL);
	if (values != NULL)
		codec_check_nesting_of(values);
	bindings = wire_bindings(names, values, NULL, ITEM_CURRENT);
	record->condition =
		expr_parse_condition(EXPR_CONDITION,
							 wire_json_text_in(condition->members,
											   "ConditionExpression"), bindings);
	expr_check_unused(bindings);
	codec_check_nesting_of(item);
	record->item = codec_read_map(item, ITEM_CURRENT);
	record->code = record->problem = NULL;
	return true;
}

/*
 * Write what the job's output is to have of this step.
 */
void
transfer_report(const Job *job, const json_t *output,
				const TransferState *state, const TransferBatch *batch)
{
	StringInfoData errors;
	StringInfoData refused;
	ListCell   *lc;

	initStringInfo(&errors);
	initStringInfo(&refused);
	foreach(lc, batch->records)
	{
		const TransferRecord *record = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (record->code != NULL && transfer_wants(output, "ERROR"))
			append_error(&errors, record);
		else if (record->refused && transfer_wants(output, TRANSFER_REFUSED))
			append_refused(&refused, record);
	}
	put_report(job, output, "error", state->parts, &errors);
	put_report(job, output, "condition-check-failure", state->parts, &refused);
}

/*
 * Is that type of report asked for?
 */
bool
transfer_wants(const json_t *output, const char *type)
{
	json_t	   *wanted;
	size_t		i;

	json_array_foreach(json_object_get(output, "OutputType"), i, wanted)
	{
		if (strcmp(json_string_value(wanted), type) == 0)
			return true;
	}
	return false;
}

static void
append_error(StringInfo out, const TransferRecord *record)
{
	appendStringInfoChar(out, '{');
	wire_string_member(out, "ErrorCode", record->code);
	wire_string_member(out, "ErrorMessage", record->problem);
	wire_string_member(out, "S3Key", record->file);
	if (record->line > 0)
		wire_integer_member(out, "LineNumber", record->line);
	if (record->item != NULL)
		wire_item_member(out, "Item", record->item);
	else if (record->text != NULL &&
			 pg_verify_mbstr(PG_UTF8, record->text, record->len, true))
		wire_string_member(out, "Record", record->text);
	appendStringInfoString(out, "}\n");
}

static void
append_refused(StringInfo out, const TransferRecord *record)
{
	appendStringInfoChar(out, '{');
	wire_item_member(out, "Item", record->item);
	if (record->existing != NULL)
		wire_item_member(out, "ExistingItem", record->existing);
	wire_string_member(out, "S3Key", record->file);
	wire_integer_member(out, "LineNumber", record->line);
	appendStringInfoString(out, "}\n");
}

static void
put_report(const Job *job, const json_t *output, const char *kind, int64 part,
		   const StringInfo lines)
{
	const char *name = wire_json_text_in(output, "S3Bucket");
	const char *prefix = wire_json_text_in(output, "S3KeyPrefix");
	size_t		len = prefix ? strlen(prefix) : 0;
	Bucket	   *bucket;

	if (lines->len == 0)
		return;
	bucket = bucket_open(name, BUCKET_WRITE);
	bucket_put(bucket,
			   psprintf("%s%sAWSDynamoDB/%s/%s/%08lld.json",
						len > 0 ? prefix : "",
						len > 0 && prefix[len - 1] != '/' ? "/" : "",
						job->id, kind, (long long) part),
			   lines->data, lines->len, NULL);
	bucket_close(bucket);
}
