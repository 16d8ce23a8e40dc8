/*-------------------------------------------------------------------------
 *
 * sql_stream.c
 *	  The SQL functions on streams.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "engine/engine.h"
#include "sql/sql.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dynamo_enable_stream);
PG_FUNCTION_INFO_V1(dynamo_disable_stream);

static char view_of(const char *view_type);

/*
 * enable_stream(table_name, view_type)
 */
Datum
dynamo_enable_stream(PG_FUNCTION_ARGS)
{
	char	   *table = sql_required_text_arg(fcinfo, 0, "table_name");
	char	   *view = sql_required_text_arg(fcinfo, 1, "view_type");

	schema_enable_stream(table, view_of(view));
	PG_RETURN_TEXT_P(cstring_to_text(schema_latest_stream(table)->label));
}

/*
 * disable_stream(table_name)
 */
Datum
dynamo_disable_stream(PG_FUNCTION_ARGS)
{
	schema_disable_stream(sql_required_text_arg(fcinfo, 0, "table_name"));
	PG_RETURN_VOID();
}

static char
view_of(const char *view_type)
{
	static const struct
	{
		const char *name;
		char		view;
	}			views[] = {
		{"KEYS_ONLY", 'K'},
		{"NEW_IMAGE", 'N'},
		{"OLD_IMAGE", 'O'},
		{"NEW_AND_OLD_IMAGES", 'B'},
	};

	for (int i = 0; i < lengthof(views); i++)
	{
		if (strcmp(views[i].name, view_type) == 0)
			return views[i].view;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid view type: \"%s\"", view_type),
			 errhint("Use KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES.")));
}
