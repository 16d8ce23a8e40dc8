/*-------------------------------------------------------------------------
 *
 * schema_expression.c
 *	  What the columns of a table's relation and indexes are made of.
 *
 * The columns are functions of the item.  They are put together here as
 * trees, by OID, so that no search_path and no function of a like name can
 * make them mean something else.  An index is made from their text, and known
 * as ours by having the same trees (schema_match.c).  A relation that is to be
 * attached has trees, but no definition yet: what they name is read out of
 * them.  Whether they are exactly ours is for the comparison to say.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/base_session.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_type_d.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/primnodes.h"
#include "schema/schema_internal.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

static DynamoMember item_type = DYNAMO_TYPE("item");
static DynamoMember partition_key_type = DYNAMO_TYPE("partition_key");
static DynamoMember sort_key_type = DYNAMO_TYPE("sort_key");

/* Arguments: an item, then names of attributes and their types. */
static const DynamoColumn one_attribute[] = {
	{InvalidOid}, {TEXTOID}, {CHAROID}
};
static const DynamoColumn many_attributes[] = {
	{InvalidOid}, {TEXTARRAYOID}, {CHARARRAYOID}
};
static const DynamoColumn one_name[] = {{InvalidOid}, {TEXTOID}};
static const DynamoColumn many_names[] = {{InvalidOid}, {TEXTARRAYOID}};
static const DynamoColumn name_and_texts[] = {
	{InvalidOid}, {TEXTOID}, {TEXTARRAYOID}
};
static const DynamoColumn vector_definition[] = {
	{InvalidOid}, {TEXTOID}, {INT4OID}, {TEXTARRAYOID}, {CHARARRAYOID},
	{BOOLOID}
};
static const DynamoColumn handler_argument[] = {{INTERNALOID}};

static DynamoMember partition_key =
DYNAMO_FUNCTION("partition_key", one_attribute);
static DynamoMember sort_key =
DYNAMO_FUNCTION("sort_key", one_attribute);
static DynamoMember index_partition_hash =
DYNAMO_FUNCTION("index_partition_hash", one_attribute);
static DynamoMember index_partition_hash_of_many =
DYNAMO_FUNCTION("index_partition_hash", many_attributes);
static DynamoMember index_sort_key =
DYNAMO_FUNCTION("index_sort_key", one_attribute);
static DynamoMember key_hash = DYNAMO_FUNCTION("key_hash", many_names);
static DynamoMember expiry = DYNAMO_FUNCTION("expiry", one_name);
static DynamoMember leading_key_like =
DYNAMO_FUNCTION("leading_key_like", name_and_texts);
static DynamoMember entry_of_vector =
DYNAMO_FUNCTION("vector_entry", vector_definition);
static DynamoMember vector_handler =
DYNAMO_FUNCTION("vector_handler", handler_argument);

static List *arguments_of(Node *expression, DynamoMember *function, int nargs);
static bool read_attribute(Node *expression, DynamoMember *function,
						   KeyAttr *attribute);
static bool read_attributes(Node *expression, IndexDef *index);
static bool is_attribute(const KeyAttr *attribute);
static Datum *elements_of(Node *array, Oid type, int *n);
static Expr *leading_condition(const TableDef *def, Datum patterns);
static Expr *index_hash(const TableDef *def, const IndexDef *index);
static Expr *vector_column(const TableDef *def, const IndexDef *index);
static Expr *tie_breaker(const TableDef *def);
static Expr *of_attribute(DynamoMember *function, Oid type,
						  const TableDef *def, const KeyAttr *attribute);
static FuncExpr *call_member(DynamoMember *function, Oid type,
							 const TableDef *def,
							 List *arguments);
static Expr *text_constant(const char *text);
static Expr *array_constant(Oid type, Datum *elements, int n);
static Expr *array_of_names(const TableDef *def);

Oid
schema_item_type(void)
{
	return dynamo_member_get(&item_type);
}

/*
 * The type of a column of a table's relation.
 */
Oid
schema_column_type(const TableDef *def, AttrNumber attnum)
{
	if (attnum == SCHEMA_ATTR_ITEM(def))
		return schema_item_type();
	return dynamo_member_get(attnum == SCHEMA_ATTR_PK ? &partition_key_type :
							 &sort_key_type);
}

/*
 * What the columns before the item are generated from.
 */
List *
schema_table_keys(const TableDef *def)
{
	List	   *keys = list_make1(of_attribute(&partition_key,
											   schema_column_type(def, SCHEMA_ATTR_PK),
											   def, &def->hash));

	if (def->range.name != NULL)
		keys = lappend(keys, of_attribute(&sort_key,
										  schema_column_type(def, SCHEMA_ATTR_SK(def)),
										  def, &def->range));
	return keys;
}

/*
 * What a CHECK asks of these columns where they are ordinary ones: that they
 * are as they would be if they were generated.
 */
Expr *
schema_key_check(const TableDef *def)
{
	List	   *tests = NIL;
	ListCell   *lc;

	foreach(lc, schema_table_keys(def))
	{
		AttrNumber	attnum = foreach_current_index(lc) + 1;
		Oid			type = schema_column_type(def, attnum);
		TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR);
		Expr	   *column = (Expr *) makeVar(1, attnum, type, -1, InvalidOid,
											  0);

		tests = lappend(tests,
						make_opclause(entry->eq_opr, BOOLOID, false, column,
									  lfirst(lc), InvalidOid, InvalidOid));
	}
	return make_ands_explicit(tests);
}

/*
 * Read the attributes of the keys out of what may be that CHECK.
 */
bool
schema_read_key_check(Node *check, TableDef *def)
{
	List	   *tests = make_ands_implicit((Expr *) check);
	ListCell   *lc;

	if (tests == NIL || list_length(tests) > 2)
		return false;
	foreach(lc, tests)
	{
		OpExpr	   *test = lfirst(lc);
		bool		range = foreach_current_index(lc) > 0;

		if (!IsA(test, OpExpr) || list_length(test->args) != 2 ||
			!schema_read_table_key(lsecond(test->args), range,
								   range ? &def->range : &def->hash))
			return false;
	}
	return true;
}

/*
 * The columns of a secondary index.  The last one tells entries apart that are
 * equal otherwise.  Of a vector index there is one, what it keeps of an item.
 */
List *
schema_index_keys(const TableDef *def, const IndexDef *index)
{
	List	   *keys;

	if (index->vector != NULL)
		return list_make1(vector_column(def, index));
	keys = list_make1(index_hash(def, index));
	for (int i = 0; i < index->nrange; i++)
		keys = lappend(keys, of_attribute(&index_sort_key, BYTEAOID, def,
										  &index->range[i]));
	return lappend(keys, tie_breaker(def));
}

/*
 * Are these the columns of a vector index?
 */
bool
schema_keep_vectors(List *keys)
{
	return list_length(keys) == 1;
}

/*
 * Has an index with this operator class the access method of vector indexes?
 */
bool
schema_is_vector_class(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	HeapTuple	am;
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return false;
	am = SearchSysCache1(AMOID,
						 ObjectIdGetDatum(((Form_pg_opclass) GETSTRUCT(tuple))->opcmethod));
	result = HeapTupleIsValid(am) &&
		((Form_pg_am) GETSTRUCT(am))->amhandler ==
		dynamo_member_get(&vector_handler);
	if (HeapTupleIsValid(am))
		ReleaseSysCache(am);
	ReleaseSysCache(tuple);
	return result;
}

/*
 * An error: the SQL objects of an older version have no operators by which plans
 * read vector indexes.
 */
void
schema_check_vectors_spread(void)
{
	Oid			type = get_func_rettype(dynamo_member_get(&entry_of_vector));
	Oid			opclass = GetDefaultOpClass(type,
											get_index_am_oid("dynamo_vector",
															 false));

	if (!schema_is_vector_class(opclass) ||
		!OidIsValid(get_opfamily_member(get_opclass_family(opclass), type,
										BYTEAOID, VECTOR_ORDER_STRATEGY)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("vector indexes of distributed tables need the SQL objects of this version of dynamo"),
				 errhint("Run ALTER EXTENSION dynamo UPDATE.")));
}

/*
 * The columns of the index on when items expire.
 */
List *
schema_ttl_keys(const TableDef *def, const char *attribute)
{
	Expr	   *seconds = (Expr *) call_member(&expiry, INT8OID, def,
											   list_make1(text_constant(attribute)));

	return list_make2(seconds, tie_breaker(def));
}

/*
 * Which items have an entry: those that have all columns but the last, which
 * all have.
 */
Expr *
schema_predicate(List *keys)
{
	List	   *tests = NIL;

	for (int i = 0; i < list_length(keys) - 1; i++)
	{
		NullTest   *test = makeNode(NullTest);

		test->arg = copyObject(list_nth(keys, i));
		test->nulltesttype = IS_NOT_NULL;
		test->location = -1;
		tests = lappend(tests, test);
	}
	return make_ands_explicit(tests);
}

/*
 * An expression about a row as SQL.  "def" has a relation.
 */
char *
schema_expression_sql(const TableDef *def, Expr *expression)
{
	List	   *context = deparse_context_for(get_rel_name(def->relid),
											  def->relid);
	int			nest_level = dynamo_pin_search_path();
	char	   *sql = deparse_expression((Node *) expression, context, false,
										 false);

	AtEOXact_GUC(true, nest_level);
	return sql;
}

/*
 * The same of the columns of an index, and of its access method, for CREATE
 * INDEX.  A vector index needs no predicate: items that are not in it have no
 * entry to be kept.
 */
char *
schema_index_columns(const TableDef *def, List *keys)
{
	List	   *context = deparse_context_for(get_rel_name(def->relid),
											  def->relid);
	int			nest_level = dynamo_pin_search_path();
	StringInfoData sql;
	ListCell   *lc;

	initStringInfo(&sql);
	appendStringInfoString(&sql, schema_keep_vectors(keys) ?
						   "USING dynamo_vector (" : "USING btree (");
	foreach(lc, keys)
		appendStringInfo(&sql, "%s%s", lc == list_head(keys) ? "" : ", ",
						 deparse_expression(lfirst(lc), context, false,
											false));
	appendStringInfoChar(&sql, ')');
	if (!schema_keep_vectors(keys))
		appendStringInfo(&sql, " WHERE %s",
						 deparse_expression((Node *) schema_predicate(keys),
											context, false, false));
	AtEOXact_GUC(true, nest_level);
	return sql.data;
}

/*
 * The condition that an item's partition key is like one of the patterns
 * (text[]); schema_leading.c.
 */
static Expr *
leading_condition(const TableDef *def, Datum patterns)
{
	Expr	   *constant = (Expr *) makeConst(TEXTARRAYOID, -1,
											  DEFAULT_COLLATION_OID, -1,
											  patterns, false, false);

	return (Expr *) call_member(&leading_key_like, BOOLOID, def,
								list_make2(text_constant(def->hash.name),
										   constant));
}

/*
 * The same as SQL.
 */
char *
schema_leading_sql(const TableDef *def, Datum patterns)
{
	return schema_expression_sql(def, leading_condition(def, patterns));
}

/*
 * The patterns of such a condition, copied; 0: it is none.
 */
Datum
schema_read_leading(Node *expression, const TableDef *def)
{
	List	   *args = arguments_of(expression, &leading_key_like, 3);
	Const	   *patterns = args ? lthird(args) : NULL;

	if (args == NIL || !IsA(patterns, Const) || patterns->constisnull ||
		patterns->consttype != TEXTARRAYOID ||
		!equal(expression, leading_condition(def, patterns->constvalue)))
		return (Datum) 0;
	return datumCopy(patterns->constvalue, false, -1);
}

/*
 * The key attribute that a column of a table is generated from; false: none.
 */
bool
schema_read_table_key(Node *expression, bool range, KeyAttr *attribute)
{
	return read_attribute(expression, range ? &sort_key : &partition_key,
						  attribute);
}

/*
 * The attributes that the columns of an index name; false: it is none of ours.
 */
bool
schema_read_index_keys(List *expressions, IndexDef *index)
{
	int			nrange = list_length(expressions) - 2;

	if (nrange < 0 || nrange > DYNAMO_MAX_KEY_ATTRS ||
		!read_attributes(linitial(expressions), index))
		return false;
	index->nrange = nrange;
	index->range = palloc(sizeof(KeyAttr) * Max(nrange, 1));
	for (int i = 0; i < nrange; i++)
	{
		if (!read_attribute(list_nth(expressions, 1 + i), &index_sort_key,
							&index->range[i]))
			return false;
	}
	return true;
}

/*
 * The arguments of a call of the function, NIL if it is none, or of another
 * number of arguments.
 */
static List *
arguments_of(Node *expression, DynamoMember *function, int nargs)
{
	FuncExpr   *call = (FuncExpr *) expression;

	if (expression == NULL || !IsA(expression, FuncExpr) ||
		call->funcid != dynamo_member_get(function) ||
		list_length(call->args) != nargs)
		return NIL;
	return call->args;
}

static bool
read_attribute(Node *expression, DynamoMember *function, KeyAttr *attribute)
{
	List	   *args = arguments_of(expression, function, 3);
	Const	   *name = args ? lsecond(args) : NULL;
	Const	   *type = args ? lthird(args) : NULL;

	if (args == NIL || !IsA(name, Const) || !IsA(type, Const) ||
		name->constisnull || type->constisnull ||
		name->consttype != TEXTOID || type->consttype != CHAROID)
		return false;
	attribute->name = TextDatumGetCString(name->constvalue);
	attribute->type = DatumGetChar(type->constvalue);
	return is_attribute(attribute);
}

/*
 * The partition key of an index, of one attribute or several.
 */
static bool
read_attributes(Node *expression, IndexDef *index)
{
	List	   *args = arguments_of(expression, &index_partition_hash_of_many, 3);
	Datum	   *names;
	Datum	   *types;
	int			ntypes;

	index->hash = palloc(sizeof(KeyAttr) * DYNAMO_MAX_KEY_ATTRS);
	index->nhash = 1;
	if (args == NIL)
		return read_attribute(expression, &index_partition_hash, index->hash);
	names = elements_of(lsecond(args), TEXTOID, &index->nhash);
	types = elements_of(lthird(args), CHAROID, &ntypes);
	if (names == NULL || types == NULL || index->nhash != ntypes ||
		ntypes < 2 || ntypes > DYNAMO_MAX_KEY_ATTRS)
		return false;
	for (int i = 0; i < ntypes; i++)
	{
		index->hash[i].name = TextDatumGetCString(names[i]);
		index->hash[i].type = DatumGetChar(types[i]);
		if (!is_attribute(&index->hash[i]))
			return false;
	}
	return true;
}

/*
 * May a key attribute be like that?
 */
static bool
is_attribute(const KeyAttr *attribute)
{
	size_t		len = strlen(attribute->name);

	return len > 0 && len <= DYNAMO_MAX_NAME &&
		(attribute->type == 'S' || attribute->type == 'N' ||
		 attribute->type == 'B');
}

/*
 * The elements of an array constant; NULL: it is none, or has nulls.
 */
static Datum *
elements_of(Node *array, Oid type, int *n)
{
	Const	   *constant = (Const *) array;
	Datum	   *elements;
	bool	   *nulls;
	int16		len;
	bool		byval;
	char		align;

	if (!IsA(array, Const) || constant->constisnull ||
		constant->consttype != get_array_type(type))
		return NULL;
	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array(DatumGetArrayTypeP(constant->constvalue), type, len,
					  byval, align, &elements, &nulls, n);
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			return NULL;
	}
	return elements;
}

static Expr *
index_hash(const TableDef *def, const IndexDef *index)
{
	Datum		names[DYNAMO_MAX_KEY_ATTRS];
	Datum		types[DYNAMO_MAX_KEY_ATTRS];

	if (index->nhash == 1)
		return of_attribute(&index_partition_hash, INT4OID, def,
							&index->hash[0]);
	for (int i = 0; i < index->nhash; i++)
	{
		names[i] = CStringGetTextDatum(index->hash[i].name);
		types[i] = CharGetDatum(index->hash[i].type);
	}
	return (Expr *) call_member(&index_partition_hash_of_many, INT4OID, def,
								list_make2(array_constant(TEXTOID, names,
														  index->nhash),
										   array_constant(CHAROID, types,
														  index->nhash)));
}

/*
 * What a vector index keeps of an item: of the attributes the HASH one is the
 * first.
 */
static Expr *
vector_column(const TableDef *def, const IndexDef *index)
{
	int			n = index->nhash + index->nrange;
	Datum	   *names = palloc(sizeof(Datum) * Max(n, 1));
	Datum	   *types = palloc(sizeof(Datum) * Max(n, 1));
	Oid			entry = dynamo_member_get(&entry_of_vector);
	List	   *arguments;

	for (int i = 0; i < n; i++)
	{
		const KeyAttr *attr = i < index->nhash ? &index->hash[i] :
			&index->range[i - index->nhash];

		names[i] = CStringGetTextDatum(attr->name);
		types[i] = CharGetDatum(attr->type);
	}
	arguments = list_make5(text_constant(index->vector),
						   makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
									 Int32GetDatum(index->dimensions), false,
									 true),
						   array_constant(TEXTOID, names, n),
						   array_constant(CHAROID, types, n),
						   makeBoolConst(index->nhash > 0, false));
	return (Expr *) call_member(&entry_of_vector, get_func_rettype(entry), def,
								arguments);
}

/*
 * An argument list of any length is an array to the parser.
 */
static Expr *
tie_breaker(const TableDef *def)
{
	FuncExpr   *hash = call_member(&key_hash, INT4OID, def,
								   list_make1(array_of_names(def)));

	hash->funcvariadic = true;
	return (Expr *) hash;
}

static Expr *
of_attribute(DynamoMember *function, Oid type, const TableDef *def,
			 const KeyAttr *attribute)
{
	Const	   *attribute_type = makeConst(CHAROID, -1, InvalidOid, 1,
										   CharGetDatum(attribute->type),
										   false, true);

	return (Expr *) call_member(function, type, def,
								list_make2(text_constant(attribute->name),
										   attribute_type));
}

/*
 * A function of the item.
 */
static FuncExpr *
call_member(DynamoMember *function, Oid type, const TableDef *def,
			List *arguments)
{
	AttrNumber	attnum = SCHEMA_ATTR_ITEM(def);
	Var		   *item = makeVar(1, attnum, schema_column_type(def, attnum), -1,
							   InvalidOid, 0);

	return makeFuncExpr(dynamo_member_get(function), type,
						lcons(item, arguments), InvalidOid,
						DEFAULT_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

static Expr *
text_constant(const char *text)
{
	return (Expr *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1,
							  CStringGetTextDatum(text), false, false);
}

static Expr *
array_constant(Oid type, Datum *elements, int n)
{
	Oid			array_type = get_array_type(type);
	int16		len;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &len, &byval, &align);
	return (Expr *) makeConst(array_type, -1, get_typcollation(array_type), -1,
							  PointerGetDatum(construct_array(elements, n,
															  type, len, byval,
															  align)),
							  false, false);
}

static Expr *
array_of_names(const TableDef *def)
{
	ArrayExpr  *names = makeNode(ArrayExpr);

	names->array_typeid = TEXTARRAYOID;
	names->array_collid = DEFAULT_COLLATION_OID;
	names->element_typeid = TEXTOID;
	names->elements = list_make1(text_constant(def->hash.name));
	if (def->range.name != NULL)
		names->elements = lappend(names->elements,
								  text_constant(def->range.name));
	names->multidims = false;
	names->location = -1;
	return (Expr *) names;
}
