/*-------------------------------------------------------------------------
 *
 * transfer_manifest.c
 *	  Names and manifests of an export's files, as the service has them.
 *
 *		[prefix/]AWSDynamoDB/<export>/_started
 *		[prefix/]AWSDynamoDB/<export>/data/<name>.json.gz
 *		[prefix/]AWSDynamoDB/<export>/manifest-files.json
 *		[prefix/]AWSDynamoDB/<export>/manifest-files.checksum
 *		[prefix/]AWSDynamoDB/<export>/manifest-summary.json
 *		[prefix/]AWSDynamoDB/<export>/manifest-summary.checksum
 *
 * Incremental exports share [prefix/]AWSDynamoDB/data/.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "transfer/transfer_internal.h"
#include "utils/timestamp.h"
#include "wire/wire.h"

/* Characters of a data file's name: 128 bits, five a character. */
#define NAME_LENGTH	26

static void append_text(StringInfo out, const char *member, const char *text);

/*
 * The keys of an export's files, below its prefix in the bucket.
 */
void
transfer_layout(TransferLayout *layout, const Job *job,
				const TransferExport *request)
{
	const char *prefix = request->prefix ? request->prefix : "";
	size_t		len = strlen(prefix);
	const char *slash = len > 0 && prefix[len - 1] != '/' ? "/" : "";

	layout->id = job->id;
	layout->folder = psprintf("%s%sAWSDynamoDB/%s/", prefix, slash, job->id);
	layout->data = request->incremental ?
		psprintf("%s%sAWSDynamoDB/data/", prefix, slash) :
		psprintf("%sdata/", layout->folder);
	layout->suffix = request->format == BUCKET_ION ? ".ion.gz" : ".json.gz";
}

/*
 * A name follows from the export and the number: an export that begins anew
 * writes over what it has written before, and nobody else's files.
 */
char *
transfer_data_key(const TransferLayout *layout, int n)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
	char	   *text = psprintf("%s/%d", layout->id, n);
	ItemMd5		md5;
	uint8		bits[ITEM_MD5_BYTES + 1] = {0};
	char		name[NAME_LENGTH + 1] = {0};

	item_md5_init(&md5);
	item_md5_update(&md5, text, strlen(text));
	item_md5_final(&md5, bits);
	for (int i = 0; i < NAME_LENGTH; i++)
	{
		int			bit = i * 5;
		int			two = bits[bit / 8] << 8 | bits[bit / 8 + 1];

		name[i] = digits[two >> (11 - bit % 8) & 31];
	}
	return psprintf("%s%s%s", layout->data, name, layout->suffix);
}

/*
 * Key of a file of the export's own folder.
 */
char *
transfer_manifest_key(const TransferLayout *layout, const char *name)
{
	return psprintf("%s%s", layout->folder, name);
}

/*
 * Add a data file's line to manifest-files.json.
 */
void
transfer_append_file(StringInfo out, const char *key, int64 items,
					 const BucketDigest *digest)
{
	appendStringInfoChar(out, '{');
	wire_integer_member(out, "itemCount", items);
	wire_string_member(out, "md5Checksum", digest->md5);
	wire_string_member(out, "etag", digest->etag);
	wire_string_member(out, "dataFileS3Key", key);
	appendStringInfoString(out, "}\n");
}

/*
 * manifest-summary.json.
 */
char *
transfer_summary(const Job *job, const TransferExport *request,
				 const TransferExportState *state,
				 const TransferLayout *layout)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	wire_string_member(&out, "version",
					   request->incremental ? "2023-08-01" : "2020-06-30");
	wire_string_member(&out, "exportArn", transfer_export_arn(job));
	wire_string_member(&out, "startTime", wire_time_text(job->created_at));
	wire_string_member(&out, "endTime", wire_time_text(GetCurrentTimestamp()));
	wire_string_member(&out, "tableArn", wire_table_arn(job->table_name));
	wire_string_member(&out, "tableId", request->table_id);
	if (request->incremental)
	{
		wire_string_member(&out, "exportFromTime", wire_time_text(request->from_time));
		wire_string_member(&out, "exportToTime", wire_time_text(request->to_time));
	}
	else
		wire_string_member(&out, "exportTime", wire_time_text(state->time));
	wire_string_member(&out, "s3Bucket", request->bucket);
	append_text(&out, "s3Prefix", request->prefix);
	append_text(&out, "s3SseAlgorithm", request->sse_algorithm);
	append_text(&out, "s3SseKmsKeyId", request->sse_key);
	wire_string_member(&out, "manifestFilesS3Key",
					   transfer_manifest_key(layout, "manifest-files.json"));
	wire_integer_member(&out, "billedSizeBytes", state->bytes);
	wire_integer_member(&out, "itemCount", state->items);
	wire_string_member(&out, "outputFormat",
					   request->format == BUCKET_ION ? "ION" : "DYNAMODB_JSON");
	if (request->incremental)
		wire_string_member(&out, "outputView", request->old_images ?
						   "NEW_AND_OLD_IMAGES" : "NEW_IMAGE");
	wire_string_member(&out, "exportType", request->incremental ?
					   "INCREMENTAL_EXPORT" : "FULL_EXPORT");
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * null where there is none.
 */
static void
append_text(StringInfo out, const char *member, const char *text)
{
	wire_member(out, member);
	if (text)
		wire_append_string(out, text);
	else
		appendStringInfoString(out, "null");
}
