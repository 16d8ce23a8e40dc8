/*-------------------------------------------------------------------------
 *
 * statement_internal.h
 *	  What the files of PartiQL statements share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_STATEMENT_INTERNAL_H
#define DYNAMO_STATEMENT_INTERNAL_H

#include "postgres.h"

#include "api/api_handler.h"
#include "partiql/partiql.h"
#include "statement/statement.h"

/*
 * statement_execute.c: a PartiQL statement that has been read.
 */
typedef struct Statement
{
	DynamoRequest *request;		/* that it is of */
	const PartiqlBound *bound;
	bool		consistent_read;
	bool		item_on_failure;
} Statement;

extern const WireShape statement_text_shape;	/* its text */
extern const WireShape statement_parameters_shape;

/* As values, *n of them, in the current context; NULL: there are none */
extern ItemValue *statement_read_parameters(const json_t *parameters, int *n);

/* A SELECT of PartiQL under way. */
typedef struct StatementSelect StatementSelect;

/*
 * statement_select.c: the items that a SELECT reads.  A position is where a page
 * ended: in which read, and after which key (NULL: before its first item).
 */
typedef struct StatementPosition
{
	int			read;
	const Item *key;
} StatementPosition;

/*
 * statement_select_begin() checks the statement, privileges included;
 * statement_select_start() goes to a position (NULL: the beginning), and comes next.
 */
extern StatementSelect *statement_select_begin(const Statement *statement);
extern void statement_select_start(StatementSelect *select,
								   const StatementPosition *start);

/* What it reads, as long as the SELECT */
extern const ApiTarget *statement_select_target(const StatementSelect *select);

/* Is each read a whole key's, so that it costs what GetItem does? */
extern bool statement_select_gets(const StatementSelect *select);

/* Where to go on after a row; false: there is nothing left to read */
extern bool statement_select_position(const StatementSelect *select,
									  const ApiRow *row,
									  StatementPosition *position);

/*
 * The next item read, whatever becomes of it; false at the end.  Of a key's
 * read row->stored is NULL if there is no item.
 */
extern bool statement_select_step(StatementSelect *select, ApiRow *row);

/* The reader of the only read; NULL: there are several, or keys are read */
extern const ApiReader *statement_select_only_reader(const StatementSelect *select);

/* Closes the table */
extern void statement_select_end(StatementSelect *select);

/*
 * Raises ValidationException for a value of another type than the attribute's
 */
extern void statement_check_key_type(const KeyAttr *attr, const ItemValue *value);

/*
 * Is the statement about one item of the table, by its whole key?  Then *key
 * is that key, and *more says whether there are further conditions.
 */
extern bool statement_select_key(const Statement *statement, const TableDef *def,
								 const Item **key, bool *more);

/*
 * statement_token.c: a token for what follows a position of this statement,
 * and the position in a token.  The latter raises ValidationException for a
 * token that is none, or of another statement.
 */
extern char *statement_token(const char *text, const json_t *parameters,
							 const ApiTarget *target,
							 const StatementPosition *position);
extern void statement_read_token(const char *token, const char *text,
								 const json_t *parameters,
								 const ApiTarget *target,
								 StatementPosition *position);

/*
 * statement_write.c: from a statement to the write it stands for.  The
 * first step needs no table, the second sets the key and the condition.
 */
extern EngineAccess statement_access(const Statement *statement);
extern void statement_to_write(const Statement *statement, ApiWrite *w);
extern void statement_bind(const Statement *statement,
							   const TableDef *def, ApiWrite *w);
extern void statement_write(const Statement *statement, ApiWrite *w);

#endif							/* DYNAMO_STATEMENT_INTERNAL_H */
