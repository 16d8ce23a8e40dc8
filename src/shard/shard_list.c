/*-------------------------------------------------------------------------
 *
 * shard_list.c
 *	  A page of what all nodes of a cluster have: backups, exports, imports, bulk
 *	  operations.
 *
 * Each of these is kept by the node that does it.  The node that is asked asks the
 * others for the same page, each as the current user, and merges what they list by
 * its ids, which are in the order of time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "codec/codec.h"
#include "miscadmin.h"
#include "shard/shard_internal.h"

/* What nodes list. */
typedef struct Merged
{
	const ShardListing *listing;
	List	   *listed;			/* ShardListed * */
	bool		more;			/* a node has more than it lists */
} Merged;

static void take_page(const char *node, const char *body, int len,
					  void *merged);
static void misunderstood(void) pg_attribute_noreturn();
static int	oldest_first(const ListCell *a, const ListCell *b);
static int	newest_first(const ListCell *a, const ListCell *b);

/*
 * Where a node does not answer nobody knows what there is.
 */
const char *
shard_append_list(DynamoRequest *request, StringInfo out,
				  const ShardListing *listing, List *listed, int limit)
{
	Merged		merged = {listing, listed};
	int			told;

	shard_ask_same(request, listing->operation, take_page, &merged);
	list_sort(merged.listed,
			  listing->newest_first ? newest_first : oldest_first);
	told = Min(list_length(merged.listed), limit);

	wire_member(out, listing->member);
	appendStringInfoChar(out, '[');
	for (int i = 0; i < told; i++)
	{
		const ShardListed *one = list_nth(merged.listed, i);

		wire_element(out);
		appendStringInfoString(out, one->text);
	}
	appendStringInfoChar(out, ']');
	if (told == 0 || (list_length(merged.listed) == told && !merged.more))
		return NULL;
	return ((const ShardListed *) list_nth(merged.listed, told - 1))->arn;
}

static void
take_page(const char *node, const char *body, int len, void *arg)
{
	Merged	   *merged = arg;
	json_error_t problem;
	json_t	   *page;
	json_t	   *elements;
	json_t	   *one;
	size_t		i;

	if (body == NULL)
		dynamo_error(DYNAMO_SERVICE_UNAVAILABLE, DYNAMO_UNAVAILABLE);
	page = codec_load(body, len, &problem);
	elements = json_object_get(page, merged->listing->member);
	if (!json_is_array(elements))
		misunderstood();
	json_array_foreach(elements, i, one)
	{
		CHECK_FOR_INTERRUPTS();
		merged->listed = shard_note_listed(merged->listed,
										   wire_json_text_in(one, merged->listing->arn),
										   wire_json_document(one));
	}
	merged->more |= json_object_size(page) > 1;
}

List *
shard_note_listed(List *listed, const char *arn, const char *text)
{
	ShardListed *one = palloc(sizeof(ShardListed));
	const char *slash = arn ? strrchr(arn, '/') : NULL;

	if (slash == NULL)
		misunderstood();
	one->arn = arn;
	one->id = slash + 1;
	one->text = text;
	return lappend(listed, one);
}

static void
misunderstood(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROTOCOL_VIOLATION),
			 errmsg("unexpected answer of a node")));
}

static int
oldest_first(const ListCell *a, const ListCell *b)
{
	return strcmp(((const ShardListed *) lfirst(a))->id,
				  ((const ShardListed *) lfirst(b))->id);
}

static int
newest_first(const ListCell *a, const ListCell *b)
{
	return oldest_first(b, a);
}
