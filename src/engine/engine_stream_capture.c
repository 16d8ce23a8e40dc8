#include "postgres.h"
#include "commands/trigger.h"
#include "fmgr.h"
PG_FUNCTION_INFO_V1(dynamo_stream_capture);
Datum
dynamo_stream_capture(PG_FUNCTION_ARGS)
{
	PG_RETURN_NULL();
}
