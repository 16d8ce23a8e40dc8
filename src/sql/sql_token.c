/*-------------------------------------------------------------------------
 *
 * sql_token.c
 *	  What transactions at the other nodes of a cluster call where the rows of
 *	  their ClientRequestTokens are (token_shared.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "token/token.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dynamo_claim_token);
PG_FUNCTION_INFO_V1(dynamo_settle_token);

Datum
dynamo_claim_token(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(token_shared_lock(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									 text_to_cstring(PG_GETARG_TEXT_PP(1))));
}

Datum
dynamo_settle_token(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(token_settle(text_to_cstring(PG_GETARG_TEXT_PP(0)),
												  text_to_cstring(PG_GETARG_TEXT_PP(1)),
												  PG_GETARG_INT64(2))));
}
