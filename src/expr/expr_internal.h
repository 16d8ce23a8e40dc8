/*-------------------------------------------------------------------------
 *
 * expr_internal.h
 *	  The trees of the expression languages, and what scanner, grammar,
 *	  checks and evaluators share.
 *
 * One kind of node serves conditions and the right-hand sides of updates.  A
 * parsed expression goes through two stages: the grammar builds the tree with
 * placeholders as written, then expr_check.c resolves them and checks what
 * can be known without an item.  Evaluators see resolved trees only.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_EXPR_INTERNAL_H
#define DYNAMO_EXPR_INTERNAL_H

#include "postgres.h"

#include "expr/expr.h"

struct ExprNode
{
	ExprOp		op;
	bool		grouped;		/* stands in parentheses */
	const char *text;			/* value or function as written */
	ExprPath   *path;			/* EXPR_OP_PATH */
	ItemValue	value;			/* EXPR_OP_VALUE, once resolved */
	List	   *args;			/* operators and functions: ExprNode * */
	ItemValue  *sorted;			/* IN: S, N or B of one type, instead of all
								 * arguments but the first; or NULL */
	int			nsorted;
};

struct ExprCondition
{
	ExprNode   *root;
};

/*
 * Several document paths merged into one tree, children sorted: names
 * bytewise, list positions ascending.  A leaf stands for the whole value.
 */
typedef struct ExprFragment
{
	ExprStep	step;			/* how its parent reaches it; unset at the
								 * root */
	int			nchildren;
	struct ExprFragment *children;
} ExprFragment;

struct ExprProjection
{
	List	   *paths;			/* ExprPath *, as written */
	ExprFragment root;
	List	   *columns;		/* ExprColumn *; NIL: parts stay where they
								 * are */
};

struct ExprAction
{
	ExprActionKind kind;
	ExprPath   *target;
	ExprNode   *operand;		/* NULL: REMOVE */
};

struct ExprUpdate
{
	List	   *actions;		/* ExprAction *, as written */
	ExprFragment targets;
	bool		legacy;			/* AttributeUpdates: ADD appends to lists */
};

/*
 * One expression being parsed.
 *
 * The grammar notes the first of each error that ranks after a syntax error;
 * expr_check.c reports them in the order of the service.
 */
typedef struct ExprParser
{
	ExprKind	kind;
	const char *text;
	int			length;
	ExprBindings *bindings;		/* or NULL */

	/* scanner */
	void	   *scanner;
	int			start;			/* token that picks the language, 0 once given */
	int			position;		/* bytes consumed */
	int			previous_start; /* token before the current one; 0: none */
	int			token_start;	/* current token; 0: none yet */
	int			token_end;

	/* noted by the grammar */
	const char *bad_index;		/* list position out of range */
	const char *reserved;
	const ExprNode *bad_function;
	const char *bad_function_at;
	ExprActionKind repeated;
	bool		has_repeated;
	bool		sections[EXPR_ACTION_DELETE + 1];
	int			operators;

	/* result */
	ExprNode   *condition;
	List	   *paths;			/* projection */
	List	   *actions;		/* update */
} ExprParser;

/* A token's text inside the expression. */
typedef struct ExprText
{
	const char *start;
	int			length;
} ExprText;

/* expr_scan.l */
union YYSTYPE;
extern void expr_scan_begin(ExprParser *parser);
extern void expr_scan_end(ExprParser *parser);
extern int	expr_yylex(union YYSTYPE *lvalp, ExprParser *parser);
extern void expr_yyerror(ExprParser *parser, const char *message)
			pg_attribute_noreturn();

/* expr_gram.y */
extern int	expr_yyparse(ExprParser *parser);
extern int	expr_start_token(ExprKind kind);

/* expr_name.c */
extern void expr_error(const ExprParser *parser, const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(2, 3);
extern void expr_hint_error(const ExprParser *parser, const char *hint,
							const char *fmt,...)
			pg_attribute_noreturn() pg_attribute_printf(3, 4);
extern const char *expr_op_name(ExprOp op);
extern bool expr_op_is_function(ExprOp op);
extern const char *expr_action_name(ExprActionKind kind);

/* expr_parse.c */
extern ExprNode *expr_make(ExprOp op, List *args);
extern ExprNode *expr_make_operator(ExprParser *parser, ExprOp op, List *args);
extern ExprNode *expr_make_value(ExprText text);
extern ExprNode *expr_make_path(ExprPath *path);
extern ExprNode *expr_make_call(ExprParser *parser, ExprText name, List *args);
extern ExprNode *expr_make_group(ExprParser *parser, ExprNode *node);
extern ExprPath *expr_path_begin(ExprParser *parser, ExprText name);
extern ExprPath *expr_path_name(ExprParser *parser, ExprPath *path,
								ExprText name);
extern ExprPath *expr_path_position(ExprParser *parser, ExprPath *path,
									ExprText index);
extern void expr_add_action(ExprParser *parser, ExprActionKind kind,
							ExprPath *target, ExprNode *operand);
extern void expr_end_section(ExprParser *parser, ExprActionKind kind);

/* expr_check.c */
extern void expr_check_condition(ExprParser *parser);
extern void expr_check_projection(ExprParser *parser);
extern void expr_check_update(ExprParser *parser);

/* expr_bind.c */
extern const char *expr_bound_name(ExprBindings *bindings,
								   const char *placeholder);
extern bool expr_bound_value(ExprBindings *bindings, const char *placeholder,
							 ItemValue *value);

/* expr_reserved.c */
extern bool expr_is_reserved(const char *name, int length);

/* expr_path.c */
extern ExprPath *expr_path_of_name(const char *name);
extern bool expr_path_get(const ExprPath *path, const ItemValue *root,
						  ItemValue *value);
extern bool expr_path_overlap(const ExprPath *a, const ExprPath *b,
							  bool *conflict);
extern char *expr_path_text(const ExprPath *path);
extern int	expr_compare_fragment(const void *step, const void *fragment);
extern void expr_fragment_build(ExprFragment *root, const List *paths);

/* expr_project.c */
extern bool expr_fragment_gather(const ExprFragment *fragment,
								 const ItemValue *value, ItemNode *node);

#endif							/* DYNAMO_EXPR_INTERNAL_H */
