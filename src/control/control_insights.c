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
	.kind = WIRE_STRING, .pattern = true, .names = WIRE_NAMES_INDEX,
	WIRE_BETWEEN(DYNAMO_MIN_NAME, DYNAMO_MAX_NAME)
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
static const json_t *insights_of(const char *settings);
static void append_state(StringInfo out, const TableDef *def,
						 const IndexDef *index, const json_t *insights);
static void append_rules(StringInfo out, const TableDef *def,
						 const IndexDef *index, const json_t *insights);
static void list_table(Listing *listing, const TableDef *def);
static void list_one(Listing *listing, const TableDef *def,
					 const IndexDef *index);

void
control_update_insights(const void *request, StringInfo out)
{
	const InsightsRequest *r = request;
	bool		enable = r->action == 1;
	const char *mode = r->mode ? modes[r->mode - 1] : DEFAULT_MODE;
	const TableDef *def = control_find_table(r->table, "UpdateContributorInsights");
	const IndexDef *index;
	const char *value;

	schema_lock_definition(def->name);
	def = control_find_table(r->table, "UpdateContributorInsights");	/* as it is now */
	index = find_index(r, def);
	value = psprintf("{\"Enabled\":%s,\"Mode\":\"%s\",\"LastUpdateDateTime\":%s}",
					 enable ? "true" : "false", mode,
					 wire_epoch(GetCurrentTimestamp()));
	if (index != NULL)
		schema_change_index_settings(def->name, index->name,
									 control_settings_set(index->settings,
														  MEMBER, value));
	else
		schema_change_table_settings(def->name,
									 control_settings_set(def->settings,
														  MEMBER, value));
	if (!enable)
		stats_forget_keys(&def->stats->id, index ? index->relid : InvalidOid);

	appendStringInfoChar(out, '{');
	wire_string_member(out, "TableName", def->name);
	if (index != NULL)
		wire_string_member(out, "IndexName", index->name);
	wire_string_member(out, "ContributorInsightsStatus",
					   enable ? "ENABLING" : "DISABLING");
	wire_string_member(out, "ContributorInsightsMode", mode);
	appendStringInfoChar(out, '}');
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

static const json_t *
insights_of(const char *settings)
{
	return json_object_get(control_settings(settings), MEMBER);
}

void
control_describe_insights(const void *request, StringInfo out)
{
	const InsightsRequest *r = request;
	const TableDef *def = control_find_table(r->table, "DescribeContributorInsights");
	const IndexDef *index = find_index(r, def);
	const json_t *insights = insights_of(index ? index->settings :
										 def->settings);
	const json_t *changed = json_object_get(insights, "LastUpdateDateTime");

	appendStringInfoChar(out, '{');
	append_state(out, def, index, insights);
	if (json_is_true(json_object_get(insights, "Enabled")))
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
	bool		enabled = json_is_true(json_object_get(insights, "Enabled"));

	wire_string_member(out, "TableName", def->name);
	if (index != NULL)
		wire_string_member(out, "IndexName", index->name);
	wire_string_member(out, "ContributorInsightsStatus",
					   enabled ? "ENABLED" : "DISABLED");
	if (enabled)
		wire_string_member(out, "ContributorInsightsMode",
						   wire_json_text(json_object_get(insights, "Mode")));
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
	bool		accessed = strcmp(wire_json_text(json_object_get(insights, "Mode")),
								  DEFAULT_MODE) == 0;
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
 * ListContributorInsights: those that were ever enabled, of tables that the
 * user may use.
 */
void
control_list_insights(const void *request, StringInfo out)
{
	const InsightsRequest *r = request;
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
			const TableDef *def = schema_find_table(lfirst(lc));

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
 * In the order of their names; no name has a slash.
 */
static void
list_one(Listing *listing, const TableDef *def, const IndexDef *index)
{
	const json_t *insights = insights_of(index ? index->settings :
										 def->settings);
	const char *name = psprintf("%s/%s", def->name, index ? index->name : "");

	if (insights == NULL ||
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
