/*-------------------------------------------------------------------------
 *
 * codec_internal.h
 *	  What the files of this folder share and nobody else needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_CODEC_INTERNAL_H
#define DYNAMO_CODEC_INTERNAL_H

#include "codec/codec.h"
#include "item/item_bytes.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

/* codec_repeat.c */
extern void codec_check_repeats(ItemType type, const json_t *json,
								ItemWording wording, const ItemNode *node);

/* codec_tree.c: JSON at once; NULL: left to jansson */
extern json_t *codec_tree_read(const char *text, size_t len);

/* codec_json.c */
extern void codec_check_encoding(const char *type);

/* codec_write.c */
extern void codec_append_plain(StringInfo out, const ItemValue *value);

/* codec_read.c */
extern void codec_check_nesting(int level);

/* codec_path.c */
#define CODEC_WITH_LAST	0x01	/* create the last step */
#define CODEC_WITH_ALL	0x02	/* create all steps */

extern bool codec_follow(const Item *item, char **path, int nsteps,
						 ItemValue *value);
extern Item *codec_with(const Item *item, char **path, const bool *positions,
						int nsteps, Jsonb *value, uint32 flags);

/* codec_plain.c */
extern void codec_plain_read(Jsonb *jsonb, ItemNode *node);
extern void codec_plain_read_value(Jsonb *jsonb, int level, ItemNode *node);
extern void codec_plain_notice(const ItemNode *map);
extern Jsonb *codec_plain_jsonb(const ItemValue *value);

/* codec_text.c: plain JSON at once; false: left to codec_plain_read() */
extern bool codec_text_read(const char *text, size_t len, ItemNode *node);
extern const char *codec_text_read_first(const char *text, size_t len,
										 ItemNode *node);

#endif							/* DYNAMO_CODEC_INTERNAL_H */
