/*-------------------------------------------------------------------------
 *
 * base_message.h
 *	  What the nodes of a cluster say to one another: calls and answers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_MESSAGE_H
#define DYNAMO_BASE_MESSAGE_H

#include "postgres.h"

#include "base/base_route.h"
#include "lib/stringinfo.h"

/* What a node sends that wants its calls executed. */
#define DYNAMO_SERVE_CALLS	"CALL dynamo_internal.serve_calls()"

/*
 * What stands in the place of an operation's name where something is to be noted
 * of a token (token_note.c).
 */
#define DYNAMO_NOTE_TOKEN	"#token"

/*
 * ... and where a part of a transaction of several nodes is to be prepared under
 * the name that stands before it and a blank, and where that is to be ended
 * (shard_commit.c).
 */
#define DYNAMO_PREPARE_PART	"#prepare"
#define DYNAMO_COMMIT_PART	"#commit"
#define DYNAMO_ABORT_PART	"#abort"

/* The node that asks: */
extern void dynamo_message_call(StringInfo out, const char *operation,
								bool is_long, const DynamoClaim *claim,
								const char *request, size_t len);
extern void dynamo_message_claim(StringInfo out, const DynamoClaim *claim);
extern const char *dynamo_message_read_claim(const char *text,
											 DynamoClaim *claim);
extern ErrorData *dynamo_message_error(const char *answer, int len);
extern ErrorData *dynamo_message_text_error(const char *answer);
extern const char *dynamo_message_body(const char *answer, int len,
									   int *body_len);

/* The node that is asked: */
extern const char *dynamo_message_read(StringInfo call, bool *is_long,
									   DynamoClaim *claim,
									   const char **request, int *len);
extern void dynamo_message_answer(StringInfo out, const char *body, int len);
extern void dynamo_message_refuse(StringInfo out, const ErrorData *error);
extern void dynamo_message_answer_text(StringInfo out, const char *body,
									   int len);
extern void dynamo_message_refuse_text(StringInfo out, const ErrorData *error);

#endif							/* DYNAMO_BASE_MESSAGE_H */
