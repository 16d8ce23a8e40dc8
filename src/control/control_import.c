/*-------------------------------------------------------------------------
 *
 * control_import.c
 *	  ListImports: there are no imports yet.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

typedef struct ImportRequest
{
	const char *table_arn;		/* TableArn */
	WireInteger limit;			/* PageSize */
}			ImportRequest;

static const WireShape table_arn_shape = {
	.kind = WIRE_STRING, WIRE_BETWEEN(1, 1024)
};
static const WireShape page_shape = {.kind = WIRE_INTEGER, WIRE_BETWEEN(1, 25)};

WIRE_REQUEST_SHAPE(control_list_imports_shape, ImportRequest, "ListImportsInput",
				   WIRE_FIELD("TableArn", table_arn_shape, ImportRequest, table_arn),
				   WIRE_FIELD("PageSize", page_shape, ImportRequest, limit));

void
control_list_imports(const void *request, StringInfo out)
{
	appendStringInfoString(out, "{\"ImportSummaryList\":[]}");
}
