/*-------------------------------------------------------------------------
 *
 * codec_subscript.c
 *	  Subscripts of dynamo.item: item['a']['b'][0], to read and to assign.
 *
 * They mean what they mean for jsonb: a name or a position each, and a value
 * that is jsonb.  An assignment creates the maps and lists on its way.  A
 * position past the end of a list appends, as in UpdateItem: no nulls fill a gap.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "codec/codec_internal.h"
#include "executor/execExpr.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "parser/parse_coerce.h"
#include "parser/parse_expr.h"
#include "utils/builtins.h"

/* What one reference knows while it is evaluated. */
typedef struct Steps
{
	bool	   *positions;		/* is it an integer? */
	char	  **path;
} Steps;

PG_FUNCTION_INFO_V1(dynamo_item_subscript);

static void transform(SubscriptingRef *ref, List *indirection,
					  ParseState *pstate, bool is_slice, bool is_assignment);
static Node *transform_step(ParseState *pstate, A_Indices *indices);
static void set_up(const SubscriptingRef *ref, SubscriptingRefState *state,
				   SubscriptExecSteps *methods);
static bool check_steps(ExprState *state, ExprEvalStep *op,
						ExprContext *context);
static void fetch(ExprState *state, ExprEvalStep *op, ExprContext *context);
static void fetch_old(ExprState *state, ExprEvalStep *op,
					  ExprContext *context);
static void assign(ExprState *state, ExprEvalStep *op, ExprContext *context);
static Item *empty_item(void);
static Jsonb *null_jsonb(void);

Datum
dynamo_item_subscript(PG_FUNCTION_ARGS)
{
	static const SubscriptRoutines routines = {
		.transform = transform,
		.exec_setup = set_up,
		.fetch_strict = true,
		.fetch_leakproof = false,
		.store_leakproof = false
	};

	PG_RETURN_POINTER(&routines);
}

/*
 * Parse analysis.
 */
static void
transform(SubscriptingRef *ref, List *indirection, ParseState *pstate,
		  bool is_slice, bool is_assignment)
{
	List	   *steps = NIL;
	ListCell   *lc;

	foreach(lc, indirection)
	{
		A_Indices  *indices = lfirst_node(A_Indices, lc);

		if (is_slice)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("%s subscript does not support slices",
							"dynamo.item"),
					 parser_errposition(pstate,
										exprLocation(indices->uidx ?
													 indices->uidx :
													 indices->lidx))));
		steps = lappend(steps, transform_step(pstate, indices));
	}
	ref->refupperindexpr = steps;
	ref->reflowerindexpr = NIL;
	ref->refrestype = JSONBOID;
	ref->reftypmod = -1;
}

/*
 * A subscript is a position if its type becomes an integer, otherwise a name.
 */
static Node *
transform_step(ParseState *pstate, A_Indices *indices)
{
	Node	   *step = transformExpr(pstate, indices->uidx,
									 pstate->p_expr_kind);
	Oid			type = exprType(step);
	Oid			target = INT4OID;

	if (type == UNKNOWNOID ||
		!can_coerce_type(1, &type, &target, COERCION_IMPLICIT))
		target = TEXTOID;
	if (!can_coerce_type(1, &type, &target, COERCION_IMPLICIT))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("subscript type %s is not supported",
						format_type_be(type)),
				 errhint("A subscript of %s is of type integer or text.",
						 "dynamo.item"),
				 parser_errposition(pstate, exprLocation(step))));
	return coerce_type(pstate, step, type, target, -1, COERCION_IMPLICIT,
					   COERCE_IMPLICIT_CAST, -1);
}

/*
 * Execution.
 */
static void
set_up(const SubscriptingRef *ref, SubscriptingRefState *state,
	   SubscriptExecSteps *methods)
{
	Steps	   *steps = palloc(sizeof(Steps));
	ListCell   *lc;

	steps->positions = palloc(sizeof(bool) * state->numupper);
	steps->path = palloc(sizeof(char *) * state->numupper);
	foreach(lc, ref->refupperindexpr)
		steps->positions[foreach_current_index(lc)] =
			exprType(lfirst(lc)) == INT4OID;
	state->workspace = steps;
	methods->sbs_check_subscripts = check_steps;
	methods->sbs_fetch = fetch;
	methods->sbs_assign = assign;
	methods->sbs_fetch_old = fetch_old;
}

/*
 * Make the path of the subscripts.  False: the result is null, because one of
 * them is.
 */
static bool
check_steps(ExprState *state, ExprEvalStep *op, ExprContext *context)
{
	SubscriptingRefState *ref = op->d.sbsref_subscript.state;
	Steps	   *steps = ref->workspace;

	for (int i = 0; i < ref->numupper; i++)
	{
		if (ref->upperindexnull[i])
		{
			if (ref->isassignment)
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("%s subscript in assignment must not be null",
								"dynamo.item")));
			*op->resnull = true;
			return false;
		}
		if (steps->positions[i])
			steps->path[i] = psprintf("%d",
									  DatumGetInt32(ref->upperindex[i]));
		else
			steps->path[i] = TextDatumGetCString(ref->upperindex[i]);
	}
	return true;
}

static void
fetch(ExprState *state, ExprEvalStep *op, ExprContext *context)
{
	SubscriptingRefState *ref = op->d.sbsref.state;
	Steps	   *steps = ref->workspace;
	ItemValue	value;

	*op->resnull = !codec_follow(DatumGetItemP(*op->resvalue), steps->path,
								 ref->numupper, &value);
	if (!*op->resnull)
		*op->resvalue = JsonbPGetDatum(codec_plain_jsonb(&value));
}

/*
 * What an assignment further down, to a part of the value, begins with.
 */
static void
fetch_old(ExprState *state, ExprEvalStep *op, ExprContext *context)
{
	SubscriptingRefState *ref = op->d.sbsref.state;
	Steps	   *steps = ref->workspace;
	ItemValue	value;

	ref->prevnull = *op->resnull ||
		!codec_follow(DatumGetItemP(*op->resvalue), steps->path, ref->numupper,
					  &value);
	ref->prevvalue = ref->prevnull ? (Datum) 0 :
		JsonbPGetDatum(codec_plain_jsonb(&value));
}

/*
 * A null item is an empty one, and a null value is of type NULL.
 */
static void
assign(ExprState *state, ExprEvalStep *op, ExprContext *context)
{
	SubscriptingRefState *ref = op->d.sbsref.state;
	Steps	   *steps = ref->workspace;
	Item	   *item = *op->resnull ? empty_item() :
		DatumGetItemP(*op->resvalue);
	Jsonb	   *value = ref->replacenull ? null_jsonb() :
		DatumGetJsonbP(ref->replacevalue);

	codec_check_encoding("dynamo.item");
	*op->resvalue = PointerGetDatum(codec_with(item, steps->path,
											   steps->positions,
											   ref->numupper, value,
											   CODEC_WITH_ALL));
	*op->resnull = false;
}

static Item *
empty_item(void)
{
	ItemNode	node;

	item_node_init(&node, ITEM_M);
	return item_pack(&node);
}

static Jsonb *
null_jsonb(void)
{
	JsonbValue	null;

	null.type = jbvNull;
	return JsonbValueToJsonb(&null);
}
