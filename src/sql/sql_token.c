/*-------------------------------------------------------------------------
 *
 * sql_token.c
 *	  What transactions at the other nodes of a cluster call where the rows of
 *	  their ClientRequestTokens are (api_token_shared.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api.h"
#include "fmgr.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dynamo_claim_token);

Datum
dynamo_claim_token(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(api_lock_shared_token(text_to_cstring(PG_GETARG_TEXT_PP(0)),
										 text_to_cstring(PG_GETARG_TEXT_PP(1))));
}
