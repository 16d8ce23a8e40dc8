/*-------------------------------------------------------------------------
 *
 * vector_graph.c
 *	  Graphs: pgvector's HNSW indexes on the vectors of items, which somebody
 *	  has made beside a vector index, so that a search need not compare them all.
 *
 *		CREATE INDEX ON dynamo_data."Document" USING hnsw
 *			((dynamo.vector_elements(item, 'embedding', 128)::vector(128))
 *			 vector_cosine_ops);
 *
 * pgvector is found when a search wants it; nothing of it is linked.  A graph is
 * told by what it is made of, and what a search calls has to belong to the
 * extension: its access method and its operator class, which superusers alone
 * can make, and the cast, a function in C, for which the same is true.  A name
 * counts for nothing by itself.  Otherwise whoever owns a table, or the extension,
 * could have functions of their own executed by those who search.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/base_session.h"
#include "catalog/dependency.h"
#include "catalog/pg_am.h"
#include "catalog/pg_language.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "vector/vector.h"

PG_FUNCTION_INFO_V1(dynamo_vector_elements);

static bool serves(Relation candidate, Oid extension, const IndexDef *index,
				   VectorGraph *graph);
static bool is_member(Oid class, Oid object, Oid extension);
static bool has_distance(Oid opclass, VectorDistance distance, bool *halves);
static bool read_expression(Node *node, Oid extension, const IndexDef *index,
							VectorGraph *graph);
static bool is_in_c(Oid function);
static bool is_elements(Oid function);
static ArrayType *make_array(int n, float **elements);
static void cut(float *elements, int n, float greatest);

/*
 * vector_elements(item, attribute, dimensions, max_element): null if the attribute
 * is no list of so many numbers.  Types of pgvector have less room than float4,
 * or sums that overflow, so elements that are beyond max_element are cut to it:
 * a write is never refused for the sake of a graph.
 */
Datum
dynamo_vector_elements(PG_FUNCTION_ARGS)
{
	const Item *item = PG_GETARG_ITEM_P(0);
	text	   *name = PG_GETARG_TEXT_PP(1);
	int			dimensions = PG_GETARG_INT32(2);
	float		greatest = PG_GETARG_FLOAT4(3);
	ItemValue	value;
	ArrayType  *array;
	float	   *elements;

	if (dimensions < 1 || dimensions > DYNAMO_MAX_DIMENSIONS ||
		!item_get(item, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &value))
		PG_RETURN_NULL();
	array = make_array(dimensions, &elements);
	if (!vector_read(&value, dimensions, elements))
		PG_RETURN_NULL();
	cut(elements, dimensions, greatest);
	PG_RETURN_ARRAYTYPE_P(array);
}

/*
 * An array of so many float4s, which are to be filled in.
 */
static ArrayType *
make_array(int n, float **elements)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + sizeof(float) * n;
	ArrayType  *array = palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = FLOAT4OID;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	*elements = (float *) ARR_DATA_PTR(array);
	return array;
}

static void
cut(float *elements, int n, float greatest)
{
	for (int i = 0; i < n; i++)
		elements[i] = Max(Min(elements[i], greatest), -greatest);
}

/*
 * A graph that the vectors of this index can be found by; the caller has locked
 * the table.  Core evaluates what is constant in an index's expressions when it
 * reads them, and functions there are the table owner's, who must not become us.
 */
bool
vector_graph_find(Relation table, const IndexDef *index, VectorGraph *graph)
{
	Oid			extension = get_extension_oid("vector", true);
	DynamoUser	before;
	List	   *indexes;
	ListCell   *lc;
	bool		found = false;

	if (!OidIsValid(extension))
		return false;
	dynamo_become(&before, table->rd_rel->relowner,
				  SECURITY_RESTRICTED_OPERATION);
	indexes = RelationGetIndexList(table);
	foreach(lc, indexes)
	{
		Relation	candidate = index_open(lfirst_oid(lc), AccessShareLock);

		found = serves(candidate, extension, index, graph);
		index_close(candidate, found ? NoLock : AccessShareLock);
		if (found)
			break;
	}
	list_free(indexes);
	dynamo_resume_user(&before);
	return found;
}

static bool
serves(Relation candidate, Oid extension, const IndexDef *index,
	   VectorGraph *graph)
{
	const FormData_pg_index *form = candidate->rd_index;
	Oid			am = candidate->rd_rel->relam;
	Oid			opclass;
	bool		isnull;
	oidvector  *opclasses;

	if (!form->indisvalid || form->indnatts != 1 ||
		form->indkey.values[0] != InvalidAttrNumber ||
		RelationGetIndexPredicate(candidate) != NIL ||
		strcmp(get_am_name(am), "hnsw") != 0 ||
		!is_member(AccessMethodRelationId, am, extension))
		return false;
	opclasses = (oidvector *)
		DatumGetPointer(SysCacheGetAttr(INDEXRELID, candidate->rd_indextuple,
										Anum_pg_index_indclass, &isnull));
	opclass = opclasses->values[0];
	graph->relid = RelationGetRelid(candidate);
	return is_member(OperatorClassRelationId, opclass, extension) &&
		has_distance(opclass, index->distance, &graph->halves) &&
		read_expression(linitial(RelationGetIndexExpressions(candidate)),
						extension, index, graph);
}

static bool
is_member(Oid class, Oid object, Oid extension)
{
	return OidIsValid(object) &&
		getExtensionOfObject(class, object) == extension;
}

/*
 * vector_l2_ops, halfvec_cosine_ops and the like.
 */
static bool
has_distance(Oid opclass, VectorDistance distance, bool *halves)
{
	static const char *const endings[] = {
		[VECTOR_COSINE] = "_cosine_ops",
		[VECTOR_DOT_PRODUCT] = "_ip_ops",
		[VECTOR_EUCLIDEAN] = "_l2_ops"
	};
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	const char *name;
	const char *ending;
	bool		has;

	if (!HeapTupleIsValid(tuple))
		return false;
	name = NameStr(((Form_pg_opclass) GETSTRUCT(tuple))->opcname);
	*halves = strncmp(name, "halfvec_", strlen("halfvec_")) == 0;
	ending = strchr(name, '_');
	has = ending != NULL && strcmp(ending, endings[distance]) == 0;
	ReleaseSysCache(tuple);
	return has;
}

/*
 * A cast of vector_elements(item, name of the attribute, dimensions, max_element)?
 */
static bool
read_expression(Node *node, Oid extension, const IndexDef *index,
				VectorGraph *graph)
{
	const FuncExpr *cast = (const FuncExpr *) node;
	const FuncExpr *call;
	const Const *args[3];

	if (!IsA(cast, FuncExpr) || list_length(cast->args) != 3 ||
		!is_member(ProcedureRelationId, cast->funcid, extension) ||
		!is_in_c(cast->funcid))
		return false;
	call = linitial(cast->args);
	if (!IsA(call, FuncExpr) || list_length(call->args) != 4 ||
		!is_elements(call->funcid) || !IsA(linitial(call->args), Var))
		return false;
	for (int i = 0; i < lengthof(args); i++)
	{
		args[i] = list_nth(call->args, i + 1);
		if (!IsA(args[i], Const) || args[i]->constisnull)
			return false;
	}
	graph->cast = cast->funcid;
	graph->greatest = DatumGetFloat4(args[2]->constvalue);
	return strcmp(TextDatumGetCString(args[0]->constvalue),
				  index->vector) == 0 &&
		DatumGetInt32(args[1]->constvalue) == index->dimensions;
}

static bool
is_in_c(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		is;

	if (!HeapTupleIsValid(tuple))
		return false;
	is = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId &&
		!((Form_pg_proc) GETSTRUCT(tuple))->prosecdef;
	ReleaseSysCache(tuple);
	return is;
}

static bool
is_elements(Oid function)
{
	FmgrInfo	info;

	fmgr_info(function, &info);
	return info.fn_addr == dynamo_vector_elements;
}

/*
 * What is searched for, as the graph keeps vectors.
 */
Datum
vector_graph_query(const VectorGraph *graph, int dimensions,
				   const float *elements)
{
	float	   *copy;
	ArrayType  *array = make_array(dimensions, &copy);

	memcpy(copy, elements, sizeof(float) * dimensions);
	cut(copy, dimensions, graph->greatest);
	return OidFunctionCall3(graph->cast, PointerGetDatum(array),
							Int32GetDatum(-1), BoolGetDatum(true));
}
