/*-------------------------------------------------------------------------
 *
 * control_export.c
 *	  ExportTableToPointInTime, DescribeExport, ListExports: there are no
 *	  exports yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

typedef struct ExportRequest
{
	const char *table_arn;		/* TableArn */
	const char *arn;			/* ExportArn */
	const char *bucket;			/* S3Bucket */
	WireInteger limit;			/* MaxResults */
} ExportRequest;

static const WireShape table_arn_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 1024)
};
static const WireShape page_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, 25)};

WIRE_REQUEST_SHAPE(control_export_table_shape, ExportRequest, "ExportTableToPointInTimeInput",
				   WIRE_REQUIRED("TableArn", table_arn_shape, ExportRequest, table_arn),
				   WIRE_REQUIRED("S3Bucket", wire_string_shape, ExportRequest, bucket));
WIRE_REQUEST_SHAPE(control_list_exports_shape, ExportRequest, "ListExportsInput",
				   WIRE_FIELD("TableArn", table_arn_shape, ExportRequest, table_arn),
				   WIRE_FIELD("MaxResults", page_shape, ExportRequest, limit));
WIRE_REQUEST_SHAPE(control_describe_export_shape, ExportRequest, "DescribeExportInput",
				   WIRE_REQUIRED("ExportArn", control_backup_arn_shape, ExportRequest, arn));

void
control_export_table(const void *request, StringInfo out)
{
	const ExportRequest *r = request;

	if (strncmp(r->table_arn, "arn:", 4) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "tableArn is not a valid ARN");
	control_refuse_recovery(control_find_source(r->table_arn,
												"ExportTableToPointInTime",
												true));
}

void
control_list_exports(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"ExportSummaries\":[]}");
}

void
control_find_export(const void *request, StringInfo out)
{
	const ExportRequest *r = request;

	if (strncmp(r->arn, "arn:", 4) != 0 || strstr(r->arn, "/export/") == NULL)
		dynamo_error(DYNAMO_VALIDATION, "Invalid Export ARN");
	dynamo_error(DYNAMO_EXPORT_NOT_FOUND,
				 "Export not found: Export not found: %s", r->arn);
}
