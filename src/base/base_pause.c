/*-------------------------------------------------------------------------
 *
 * base_pause.c
 *	  Points at which a test can have a session stand still.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/base_pause.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"

#ifdef USE_ASSERT_CHECKING
void
dynamo_pause(const char *point)
{
	const char *at = GetConfigOption("dynamo_test.pause", true, false);

	if (at != NULL && strcmp(at, point) == 0)
		(void) DirectFunctionCall1(pg_advisory_xact_lock_shared_int8,
								   Int64GetDatum(1));
}
#endif
