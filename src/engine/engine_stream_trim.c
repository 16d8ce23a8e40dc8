#include "postgres.h"
#include "engine/engine_internal.h"
int
engine_stream_trim(TimestampTz now)
{
	return 0;
}
