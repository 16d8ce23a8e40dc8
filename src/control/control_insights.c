/*-------------------------------------------------------------------------
 *
 * control_insights.c
 *	  UpdateContributorInsights, DescribeContributorInsights,
 *	  ListContributorInsights: whose hot keys are counted.
 *
 * They stand in the settings of the table or index, as
 * {"Enabled": ..., "Mode": ..., "LastUpdateDateTime": ...}.  A change is made
 * when the request returns.  What is counted is shown by dynamo.stat_keys; the
 * rules that the service tells have no other use here.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "control/control_internal.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#define MEMBER			"ContributorInsights"
#define DEFAULT_MODE	"ACCESSED_AND_THROTTLED_KEYS"
#define MAX_LIST		100

typedef struct InsightsRequest
{
	const char *table;
	const char *index;
	int			action;			/* 1: ENABLE, 2: DISABLE */
	int			mode;			/* into modes[], from 1; 0: not given */
	const char *next_token;
	WireInteger limit;
} InsightsRequest;

/* A list on its way. */
typedef struct Listing
{
	StringInfo	out;
	const char *after;			/* begin after this; NULL: at the beginning */
	int64		limit;
	int			n;
	const char *last;			/* the last shown */
	bool		more;
} Listing;

static const char *const actions[] = {"ENABLE", "DISABLE", NULL};
static const char *const modes[] = {
	"THROTTLED_KEYS", "ACCESSED_AND_THROTTLED_KEYS", NULL
};

static const WireShape action_shape = {.kind = WIRE_STRING, .choices = actions};
static const WireShape mode_shape = {.kind = WIRE_STRING, .choices = modes};
static const WireShape index_name_shape = {
	.kind = WIRE_STRING, .names = WIRE_NAMES_INDEX
};
static const WireShape limit_shape = {
	.kind = WIRE_INTEGER, WIRE_BETWEEN(0, MAX_LIST)
};

WIRE_REQUEST_SHAPE(control_update_insights_shape, InsightsRequest, "UpdateContributorInsightsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, InsightsRequest, table),
				   WIRE_FIELD("IndexName", index_name_shape, InsightsRequest, index),
				   WIRE_REQUIRED("ContributorInsightsAction", action_shape, InsightsRequest, action),
				   WIRE_FIELD("ContributorInsightsMode", mode_shape, InsightsRequest, mode));
WIRE_REQUEST_SHAPE(control_insights_shape, InsightsRequest, "DescribeContributorInsightsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, InsightsRequest, table),
				   WIRE_FIELD("IndexName", index_name_shape, InsightsRequest, index));
WIRE_REQUEST_SHAPE(control_list_insights_shape, InsightsRequest, "ListContributorInsightsInput",
				   WIRE_FIELD("TableName", control_table_name_shape, InsightsRequest, table),
				   WIRE_FIELD("NextToken", wire_string_shape, InsightsRequest, next_token),
				   WIRE_FIELD("MaxResults", limit_shape, InsightsRequest, limit));

static const IndexDef *find_index(const InsightsRequest *r,
								  const TableDef *def);
static void store(const TableDef *def, const IndexDef *index, bool enabled,
				  const char *mode);
static void check_index_name(const char *name);
static const json_t *insights_of(const char *settings);
static bool is_enabled(const json_t *insights);
static const char *mode_of(const json_t *insights);
static void append_state(StringInfo out, const TableDef *def,
						 const IndexDef *index, const json_t *insights);
static void append_rules(StringInfo out, const TableDef *def,
						 const IndexDef *index, const json_t *insights);
static void list_table(Listing *listing, const TableDef *def);
static void list_one(Listing *listing, const TableDef *def,
					 const IndexDef *index);

/*
 * What is as it is asked to be is left alone, and told at once.
 */
void
control_update_insights(DynamoRequest *request, StringInfo out)
{
	const InsightsRequest *r = request->input;
	bool		enable = r->action == 1;
	const char *mode = r->mode ? modes[r->mode - 1] : DEFAULT_MODE;
	const TableDef *def;
	const IndexDef *index;
	const json_t *old;
	bool		changes;

	check_index_name(r->index);
	def = control_find_table(r->table, "UpdateContributorInsights");
	schema_lock_definition(def->name);
	def = control_find_table(r->table, "UpdateContributorInsights");	/* as it is now */
	index = find_index(r, def);
	old = insights_of(index ? index->settings : def->settings);
	if (!enable && old != NULL)
		mode = mode_of(old);
	changes = enable ? !is_enabled(old) || strcmp(mode, mode_of(old)) != 0 :
		is_enabled(old);
	if (changes)
		store(def, index, enable, mode);

	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName", def->name);
	if (index != NULL)
		wire_string_member(out, "IndexName", index->name);
	wire_string_member(out, "ContributorInsightsStatus",
					   enable ? (changes ? "ENABLING" : "ENABLED") :
					   changes ? "DISABLING" : "DISABLED");
	if (enable || old != NULL)
		wire_string_member(out, "ContributorInsightsMode", mode);
	appendStringInfoChar(out, '}');
}

static void
store(const TableDef *def, const IndexDef *index, bool enabled,
	  const char *mode)
{
	const char *value =
		psprintf("{\"Enabled\":%s,\"Mode\":\"%s\",\"LastUpdateDateTime\":%s}",
				 enabled ? "true" : "false", mode,
				 wire_epoch(GetCurrentTimestamp()));

	if (index != NULL)
		schema_change_index_settings(def->name, index->name,
									 control_settings_set(index->settings,
														  MEMBER, value));
	else
		schema_change_table_settings(def->name,
									 control_settings_set(def->settings,
														  MEMBER, value));
	if (!enabled)
		stats_forget_keys(&def->stats->id, index ? index->relid : InvalidOid);
}

/*
 * The length of an IndexName has a text of its own; no shape tells it.
 */
static void
check_index_name(const char *name)
{
	if (name != NULL)
		control_check_old_name("IndexName", "indexName", name);
}

/*
 * The global index that the request names; NULL: it names none.  One that is
 * not built yet is not found.
 */
static const IndexDef *
find_index(const InsightsRequest *r, const TableDef *def)
{
	const IndexDef *index = r->index ? schema_find_index(def, r->index) : NULL;

	if (r->index && (index == NULL || index->local || index->building))
		dynamo_error(DYNAMO_RESOURCE_NOT_FOUND,
					 NOT_FOUND "Index: %s not found for table: %s",
					 r->index, def->name);
	return index;
}

/* NULL: they were never on. */
static const json_t *
insights_of(const char *settings)
{
	return json_object_get(control_settings(settings), MEMBER);
}

static bool
is_enabled(const json_t *insights)
{
	return json_is_true(json_object_get(insights, "Enabled"));
}

static const char *
mode_of(const json_t *insights)
{
	return wire_json_text(json_object_get(insights, "Mode"));
}

void
control_describe_insights(DynamoRequest *request, StringInfo out)
{
	const InsightsRequest *r = request->input;
	const TableDef *def;
	const IndexDef *index;
	const json_t *insights;
	const json_t *changed;

	check_index_name(r->index);
	def = control_find_table(r->table, "DescribeContributorInsights");
	index = find_index(r, def);
	insights = insights_of(index ? index->settings : def->settings);
	changed = json_object_get(insights, "LastUpdateDateTime");

	appendStringInfoChar(out, '{');
	append_state(out, def, index, insights);
	if (is_enabled(insights))
		append_rules(out, def, index, insights);
	if (changed != NULL)
	{
		wire_member(out, "LastUpdateDateTime");
		wire_append_json(out, changed);
	}
	appendStringInfoChar(out, '}');
}

/*
 * What it is about, and how it stands.
 */
static void
append_state(StringInfo out, const TableDef *def, const IndexDef *index,
			 const json_t *insights)
{
	wire_string_member(out, "TableName", def->name);
	if (index != NULL)
		wire_string_member(out, "IndexName", index->name);
	wire_string_member(out, "ContributorInsightsStatus",
					   is_enabled(insights) ? "ENABLED" : "DISABLED");
	if (insights != NULL)
		wire_string_member(out, "ContributorInsightsMode", mode_of(insights));
}

/*
 * The names of the service's rules: of partition keys, and with a sort key of
 * whole keys; most accessed, unless only throttles count, and most throttled.
 */
static void
append_rules(StringInfo out, const TableDef *def, const IndexDef *index,
			 const json_t *insights)
{
	static const char *const rules[] = {"PKC", "PKT", "SKC", "SKT"};
	bool		sorted = index ? index->nrange > 0 : def->range.name != NULL;
	bool		accessed = strcmp(mode_of(insights), DEFAULT_MODE) == 0;
	double		changed = json_number_value(json_object_get(insights,
															"LastUpdateDateTime"));

	wire_member(out, "ContributorInsightsRuleList");
	appendStringInfoChar(out, '[');
	for (int i = 0; i < lengthof(rules); i++)
	{
		if ((rules[i][0] == 'S' && !sorted) || (rules[i][2] == 'C' && !accessed))
			continue;
		wire_element(out);
		wire_append_string(out, psprintf("DynamoDBContributorInsights-%s-%s-%.0f",
										 rules[i],
										 index ? index->name : def->name,
										 changed * 1000));
	}
	appendStringInfoChar(out, ']');
}

/*
 * ListContributorInsights: those that are on, of tables that the user may use.
 */
void
control_list_insights(DynamoRequest *request, StringInfo out)
{
	const InsightsRequest *r = request->input;
	Listing		listing = {out, r->next_token};
	ListCell   *lc;

	listing.limit = r->limit.given && r->limit.value > 0 ? r->limit.value :
		MAX_LIST;
	appendStringInfoChar(out, '{');
	wire_member(out, "ContributorInsightsSummaries");
	appendStringInfoChar(out, '[');
	if (r->table)
		list_table(&listing, control_find_table(r->table, "ListContributorInsights"));
	else
	{
		foreach(lc, schema_list_tables("", INT_MAX))
		{
			const TableDef *def = schema_find_sound_table(lfirst(lc));

			CHECK_FOR_INTERRUPTS();
			if (def != NULL && schema_may_use(def->relid))
				list_table(&listing, def);
		}
	}
	appendStringInfoChar(out, ']');
	if (listing.more)
		wire_string_member(out, "NextToken", listing.last);
	appendStringInfoChar(out, '}');
}

static void
list_table(Listing *listing, const TableDef *def)
{
	list_one(listing, def, NULL);
	for (int i = 0; i < def->nindexes; i++)
		list_one(listing, def, &def->indexes[i]);
}

/*
 * In the order of their names.  A comma is less than all that names have, so a
 * table comes before those whose names go on behind its own.
 */
static void
list_one(Listing *listing, const TableDef *def, const IndexDef *index)
{
	const json_t *insights = insights_of(index ? index->settings :
										 def->settings);
	const char *name = psprintf("%s,%s", def->name, index ? index->name : "");

	if (!is_enabled(insights) ||
		(listing->after != NULL && strcmp(name, listing->after) <= 0))
		return;
	if (listing->n == listing->limit)
	{
		listing->more = true;
		return;
	}
	wire_element(listing->out);
	appendStringInfoChar(listing->out, '{');
	append_state(listing->out, def, index, insights);
	appendStringInfoChar(listing->out, '}');
	listing->last = name;
	listing->n++;
}
