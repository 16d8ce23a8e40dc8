/*-------------------------------------------------------------------------
 *
 * schema_comment.c
 *	  What \dt+ says of a table: its key and its indexes.
 *
 * The columns of a relation are called pk and sk whatever the key attributes
 * are, so its comment tells their names.  A comment is kept as the definition
 * is, as long as nobody has written another: one that differs from what the
 * definition says is a person's, and none at all may be wanted, too.
 *
 * pg_dump carries comments.  The catalogs tell everybody what stands in them,
 * as they do with the expressions of columns and indexes (SECURITY.md).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "commands/comment.h"
#include "schema/schema_internal.h"
#include "utils/syscache.h"

static void append_key(StringInfo out, const KeyAttr *attrs, int n);

/*
 * What the comment of a table is to be, as:
 * DynamoDB table; key PK (S), SK (S); ByName: name (S), SK (S)
 */
char *
schema_comment_text(const TableDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoString(&out, "DynamoDB table");
	if (strlen(def->name) >= NAMEDATALEN)	/* its relation has a shorter one */
		appendStringInfo(&out, " %s", def->name);
	appendStringInfoString(&out, "; key ");
	append_key(&out, &def->hash, 1);
	if (def->range.name != NULL)
	{
		appendStringInfoString(&out, ", ");
		append_key(&out, &def->range, 1);
	}
	for (int i = 0; i < def->nindexes + def->nvectors; i++)
	{
		const IndexDef *index = schema_index_at(def, i);

		appendStringInfo(&out, "; %s: ", index->name);
		if (index->vector != NULL)
		{
			appendStringInfo(&out, "vectors of %s", index->vector);
			continue;
		}
		append_key(&out, index->hash, index->nhash);
		if (index->nrange > 0)
			appendStringInfoString(&out, ", ");
		append_key(&out, index->range, index->nrange);
	}
	return out.data;
}

/*
 * Write the comment of a table whose definition has changed.  "before" is what
 * schema_comment_text() said then; NULL: there was no table.
 */
void
schema_comment(Oid relid, const char *before)
{
	char	   *now = GetComment(relid, RelationRelationId, 0);
	const TableDef *def = schema_find_relation(relid);

	if (def == NULL || !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		return;					/* it is being dropped */
	if (before == NULL ? now == NULL : now != NULL && strcmp(now, before) == 0)
		CreateComments(relid, RelationRelationId, 0, schema_comment_text(def));
}

/*
 * Take away what was written for a table that is one no more.
 */
void
schema_comment_clear(Oid relid, const char *before)
{
	char	   *now = GetComment(relid, RelationRelationId, 0);

	if (now != NULL && strcmp(now, before) == 0)
		CreateComments(relid, RelationRelationId, 0, NULL);
}

static void
append_key(StringInfo out, const KeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(out, "%s%s (%c)", i > 0 ? ", " : "", attrs[i].name,
						 attrs[i].type);
}
