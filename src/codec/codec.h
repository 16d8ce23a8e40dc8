/*-------------------------------------------------------------------------
 *
 * codec.h
 *	  Items and values as text: JSON, typed and plain.
 *
 * Everything here allocates in the current memory context and raises
 * DynamoDB's exceptions (base.h) with the texts of the service.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CODEC_H
#define DYNAMO_CODEC_H

#include "postgres.h"

/*
 * jansson and PostgreSQL share two names.  PostgreSQL's header comes first, for
 * json_typeof is a macro in jansson; json_object(), its constructor, must not
 * be called at all: in a backend that name is PostgreSQL's function.
 */
#include "utils/fmgrprotos.h"
#define json_object jansson_json_object
#include <jansson.h>
#undef json_object

#include "item/item.h"

/* codec_json.c; a loaded document goes with its memory context: no json_decref() */
extern json_t *codec_load(const char *text, size_t len, json_error_t *error);

/* codec_read.c */

/* Raises ValidationException for what may not name an attribute */
extern void codec_check_name(const char *name, size_t len);

/* The service's parser's name for a scalar: a constant */
extern const char *codec_token_name(const json_t *json);

/* Raises SerializationException for a wrong shape */
extern void codec_check_value(const json_t *value);

/* One typed AttributeValue; raises ValidationException for what is none */
extern void codec_read_value(const json_t *value, ItemWording wording,
								 ItemNode *node);

/* Raises ValidationException where a value of such a map is too deep */
extern void codec_check_nesting_of(const json_t *map);
extern bool codec_too_deep(const json_t *map);

/* Attribute names with typed values */
extern Item *codec_read_map(const json_t *map, ItemWording wording);

/* codec_json.c */

/* Typed JSON or plain JSON */
extern Item *codec_read_any(const char *text, size_t len);
extern Item *codec_read_first(const char *text, size_t len,
								  const char **end);

/* codec_write.c: as {"S":"x"} */
extern void codec_append_value(StringInfo out, const ItemValue *value);

/* As {"a":{"S":"x"}} */
extern void codec_append_map(StringInfo out, const Item *item);

/* codec_escape.c: with quotes and escapes */
extern void codec_append_string(StringInfo out, const char *text, uint32 len);
extern const char *codec_plain_end(const char *text, const char *end);

/* codec_key_io.c: what a dynamo.key_value is; M: text, perhaps a key in JSON */
extern ItemValue codec_key_value(const struct varlena *datum);

#endif							/* DYNAMO_CODEC_H */
