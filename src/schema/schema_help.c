/*-------------------------------------------------------------------------
 *
 * schema_help.c
 *	  What an error about a table or its keys says beyond AWS's text.
 *
 * The text is the service's, and for an SDK that is all.  A person who is
 * connected sees more fields of an error: the table, and a hint.  They are
 * for sessions only; the HTTP server's answers have no place for them.
 *
 * A hint tells a role nothing that it may not know.  Everybody may know the
 * names of tables (SECURITY.md); keys and indexes are shown where the role's
 * privileges on the table have been checked.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "schema/schema_internal.h"

/* Names that are looked at to find one that differs in case only */
#define MAX_NAMES	1000

static void add_help(void *arg);
static char *key_hint(const TableDef *def, const IndexDef *index);
static void append_keys(StringInfo out, const KeyAttr *attrs, int n);
static const char *similar_table(const char *name);
static DynamoHelp *new_help(const char *table);

/*
 * Until schema_help_end(), exceptions are about the keys of the table, or of
 * one of its indexes.
 */
void
schema_help_begin(SchemaHelp *help, const TableDef *def,
				  const IndexDef *index)
{
	help->def = def;
	help->index = index;
	help->column = NULL;
	help->callback.callback = add_help;
	help->callback.arg = help;
	help->callback.previous = error_context_stack;
	error_context_stack = &help->callback;
}

void
schema_help_end(SchemaHelp *help)
{
	error_context_stack = help->callback.previous;
}

/*
 * Complete an exception that is being raised.
 */
static void
add_help(void *arg)
{
	SchemaHelp *help = arg;
	DynamoException e;

	if (MyBackendType != B_BACKEND || !dynamo_exception_of(geterrcode(), &e))
		return;
	err_generic_string(PG_DIAG_SCHEMA_NAME, SCHEMA_DATA);
	err_generic_string(PG_DIAG_TABLE_NAME, help->def->name);
	if (help->column != NULL)
		err_generic_string(PG_DIAG_COLUMN_NAME, help->column);
	errhint("%s", key_hint(help->def, help->index));
}

static char *
key_hint(const TableDef *def, const IndexDef *index)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, "The key of ");
	if (index != NULL)
		appendStringInfo(&out, "index \"%s\" of ", index->name);
	appendStringInfo(&out, "\"%s\" is ", def->name);
	append_keys(&out, index ? index->hash : &def->hash,
				index ? index->nhash : 1);
	append_keys(&out, index ? index->range : &def->range,
				index ? index->nrange : (def->range.name ? 1 : 0));
	out.data[out.len - 2] = '.';	/* it ends with a comma and a blank */
	out.data[out.len - 1] = '\0';
	return out.data;
}

static void
append_keys(StringInfo out, const KeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(out, "%s (%c), ", attrs[i].name, attrs[i].type);
}

/*
 * For an error about a table.  NULL: nobody would see it.
 */
DynamoHelp *
schema_help_table(const char *name)
{
	return new_help(name);
}

/*
 * For a name that no table has.
 */
DynamoHelp *
schema_help_missing(const char *name)
{
	DynamoHelp *help = new_help(name);
	const char *similar;

	if (help == NULL)
		return NULL;
	similar = similar_table(name);
	if (similar == NULL)
		help->hint =
			psprintf("There is no table \"%s\". Names are case-sensitive; SELECT table_name FROM dynamo.tables shows the tables that you may use.",
					 name);
	else if (strcmp(similar, name) == 0)
		help->hint = psprintf("Table \"%s\" is still being filled.", name);
	else
		help->hint =
			psprintf("There is no table \"%s\". Names are case-sensitive; did you mean \"%s\"?",
					 name, similar);
	return help;
}

/*
 * For a name that no index of the table has.
 */
DynamoHelp *
schema_help_indexes(const TableDef *def)
{
	DynamoHelp *help = new_help(def->name);
	int			n = def->nindexes + def->nvectors;
	StringInfoData out;

	if (help == NULL)
		return NULL;
	initStringInfo(&out);
	appendStringInfo(&out, "\"%s\" has %s", def->name,
					 n == 0 ? "no indexes." : "the indexes ");
	for (int i = 0; i < n; i++)
		appendStringInfo(&out, "\"%s\"%s", i < def->nindexes ?
						 def->indexes[i].name :
						 def->vectors[i - def->nindexes].name,
						 i + 1 < n ? ", " : "; names are case-sensitive.");
	help->hint = out.data;
	return help;
}

static const char *
similar_table(const char *name)
{
	ListCell   *lc;

	foreach(lc, schema_row_names(NULL, MAX_NAMES, NULL))
	{
		if (pg_strcasecmp(lfirst(lc), name) == 0)
			return lfirst(lc);
	}
	return NULL;
}

static DynamoHelp *
new_help(const char *table)
{
	DynamoHelp *help;

	if (MyBackendType != B_BACKEND)
		return NULL;
	help = palloc0(sizeof(DynamoHelp));
	help->schema = SCHEMA_DATA;
	help->table = table;
	return help;
}
