/*-------------------------------------------------------------------------
 *
 * transfer_source.c
 *	  Where the items of a job come from, as its request tells it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/lmgr.h"
#include "transfer/transfer_internal.h"
#include "transfer/transfer_load_internal.h"

static void read_csv(const json_t *request, BucketSource *reading);
static void read_columns(const json_t *table, BucketSource *reading);

json_t *
transfer_request(const Job *job)
{
	json_error_t error;
	json_t	   *request = codec_load(job->request, strlen(job->request),
										 &error);

	if (!json_is_object(request))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("request of job \"%s\" is not a JSON object",
						job->id)));
	return request;
}

/*
 * The table that the job was asked for, and no other that has its name now.
 */
const TableDef *
transfer_table(const Job *job)
{
	const TableDef *def = schema_find_table(job->table_name);

	return def != NULL && def->relid == job->relid ? def : NULL;
}

/*
 * The same, and from here on no other gets its name.  Records are put into the
 * table of that name, with keys that were made for this one.
 */
const TableDef *
transfer_lock_table(const Job *job)
{
	LockRelationOid(job->relid, RowExclusiveLock);
	return transfer_table(job);
}

/*
 * "location" has the bucket, and its prefix; "request" the format.
 */
void
transfer_source_read(const json_t *location, const json_t *request,
					 TransferSource *source)
{
	const char *prefix = wire_json_text_in(location, "S3KeyPrefix");
	const char *format = wire_json_text_in(request, "InputFormat");
	const char *compression = wire_json_text_in(request, "InputCompressionType");

	memset(source, 0, sizeof(*source));
	source->bucket = wire_json_text_in(location, "S3Bucket");
	source->prefix = prefix ? prefix : "";
	if (source->bucket == NULL || format == NULL)
		job_fail("ValidationError", "The request names no bucket and format.");
	transfer_check_owner(source->bucket,
						 wire_json_text_in(location, "S3BucketOwner"));
	source->reading.format = BUCKET_DYNAMODB_JSON;
	if (strcmp(format, "ION") == 0)
		source->reading.format = BUCKET_ION;
	if (compression != NULL && strcmp(compression, "GZIP") == 0)
		source->reading.compression = BUCKET_GZIP;
	else if (compression != NULL && strcmp(compression, "ZSTD") == 0)
		source->reading.compression = BUCKET_ZSTD;
	if (strcmp(format, "CSV") == 0)
		read_csv(request, &source->reading);
}

/*
 * Fail the job of this step unless the bucket is of that account (NULL: it
 * does not matter).  A bucket has no owner but this server, which has one
 * account.
 */
void
transfer_check_owner(const char *bucket, const char *owner)
{
	if (owner != NULL && strcmp(owner, wire_account_id) != 0)
		job_fail("S3AccessDenied", "Bucket \"%s\" is not of account %s",
				 bucket, owner);
}

static void
read_csv(const json_t *request, BucketSource *reading)
{
	const json_t *csv = json_object_get(json_object_get(request,
														"InputFormatOptions"),
										"Csv");
	const char *delimiter = wire_json_text_in(csv, "Delimiter");
	json_t	   *name;
	size_t		i;

	reading->format = BUCKET_CSV;
	reading->delimiter = delimiter ? delimiter[0] : ',';
	json_array_foreach(json_object_get(csv, "HeaderList"), i, name)
		reading->header = lappend(reading->header,
								  pstrdup(wire_json_text(name)));
	read_columns(json_object_get(request, "TableCreationParameters"), reading);
}

/*
 * The columns that the table's keys and indexes give a type.
 */
static void
read_columns(const json_t *table, BucketSource *reading)
{
	json_t	   *attributes = json_object_get(table, "AttributeDefinitions");
	BucketColumn *columns = palloc0(sizeof(BucketColumn) *
									(json_array_size(attributes) + 1));
	json_t	   *attribute;
	size_t		i;

	json_array_foreach(attributes, i, attribute)
	{
		const char *type = wire_json_text_in(attribute, "AttributeType");

		columns[i].name = wire_json_text_in(attribute, "AttributeName");
		columns[i].type = type[0] == 'N' ? ITEM_N : type[0] == 'B' ? ITEM_B : ITEM_S;
	}
	reading->ncolumns = json_array_size(attributes);
	reading->columns = columns;
}
