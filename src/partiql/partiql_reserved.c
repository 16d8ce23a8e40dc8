/*-------------------------------------------------------------------------
 *
 * partiql_reserved.c
 *	  Words that name no attribute unless they are quoted, and types.
 *
 * PartiQL reserves the words of SQL-92.  Those that the service's language has
 * tokens for are in partiql_scan.l.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "partiql/partiql_internal.h"

/* Sorted. */
static const char *const reserved[] = {
	"absolute", "add", "all", "allocate", "alter", "any", "are", "assertion",
	"at", "authorization", "begin", "bit", "cascade", "cascaded", "case",
	"cast", "catalog", "char", "character", "check", "close", "coalesce",
	"collate", "collation", "column", "commit", "connect", "connection",
	"constraint", "constraints", "continue", "convert", "corresponding",
	"create", "cross", "current", "current_date", "current_time",
	"current_timestamp", "current_user", "cursor", "date", "deallocate",
	"dec", "decimal", "declare", "default", "deferrable", "deferred",
	"describe", "descriptor", "diagnostics", "disconnect", "distinct",
	"domain", "double", "drop", "else", "end", "escape", "except",
	"exception", "exec", "execute", "external", "extract", "fetch", "float",
	"for", "foreign", "found", "full", "get", "global", "go", "goto", "grant",
	"group", "having", "identity", "immediate", "indicator", "initially",
	"inner", "input", "insensitive", "int", "integer", "intersect",
	"interval", "isolation", "join", "language", "left", "local", "lower",
	"match", "module", "names", "national", "natural", "nchar", "next", "no",
	"nullif", "numeric", "octet_length", "of", "on", "only", "open", "option",
	"outer", "output", "overlaps", "pad", "partial", "position", "precision",
	"prepare", "preserve", "primary", "prior", "privileges", "procedure",
	"public", "read", "real", "references", "relative", "restrict", "revoke",
	"right", "rollback", "rows", "schema", "scroll", "section", "session",
	"session_user", "smallint", "some", "space", "sql", "sqlcode", "sqlerror",
	"sqlstate", "substring", "system_user", "table", "temporary", "then",
	"time", "timestamp", "to", "transaction", "translate", "translation",
	"trim", "union", "unique", "unknown", "upper", "usage", "user", "using",
	"values", "varchar", "varying", "view", "when", "whenever", "with",
	"work", "write", "zone"
};

/* Types that IS may name, in capitals. */
static const char *const types[] = {
	"ANY", "BAG", "BLOB", "BOOL", "BOOLEAN", "CHAR", "CHARACTER",
	"CHARACTER VARYING", "CLOB", "DATE", "DECIMAL", "DOUBLE PRECISION",
	"FLOAT", "INT", "INT2", "INT4", "INT8", "INTEGER", "LIST", "MISSING",
	"NULL", "NUMERIC", "REAL", "SEXP", "SMALLINT", "STRING", "STRUCT",
	"SYMBOL", "TIME", "TIMESTAMP", "TUPLE", "VARCHAR"
};

static int	compare_word(const void *word, const void *element);

bool
partiql_is_reserved(const char *word, int length)
{
	return bsearch(word, reserved, lengthof(reserved), sizeof(char *),
				   compare_word) != NULL;
}

static int
compare_word(const void *word, const void *element)
{
	return pg_strcasecmp(word, *(const char *const *) element);
}

/*
 * Is there such a type, whether the service can ask for it or not?
 */
bool
partiql_is_type(const char *type)
{
	for (int i = 0; i < lengthof(types); i++)
	{
		if (strcmp(types[i], type) == 0)
			return true;
	}
	return false;
}
