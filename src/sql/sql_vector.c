/*-------------------------------------------------------------------------
 *
 * sql_vector.c
 *	  An argument that is a vector: an array of numbers, or text with a list of
 *	  them, as json, jsonb and pgvector's vector are written.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "search/search.h"
#include "sql/sql.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "vector/vector.h"

#define NUMBER_CHARACTERS	"0123456789+-.eE"
#define BLANKS				" \t\n\r"

static float *array_elements(Datum array, Oid type, int *n);
static float element_of(Oid type, Oid output, Datum value);
static float *list_elements(const char *text, int *n);
static float read_number(const char *text, uint32 len);

/*
 * Elements are rounded to float4 from all digits that they have.  Raises
 * ValidationException for what is no number of 32 bits, and for a number of
 * elements that no vector has.
 */
float *
sql_vector_arg(FunctionCallInfo fcinfo, int n, const char *name,
			   int *dimensions)
{
	Oid			type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, n));
	float	   *elements;
	Oid			output;
	bool		varlena;

	sql_check_given(fcinfo, n, name);
	if (OidIsValid(get_element_type(type)))
		elements = array_elements(PG_GETARG_DATUM(n), get_element_type(type),
								  dimensions);
	else
	{
		getTypeOutputInfo(type, &output, &varlena);
		elements = list_elements(OidOutputFunctionCall(output,
													   PG_GETARG_DATUM(n)),
								 dimensions);
	}
	return elements;
}

static float *
array_elements(Datum array, Oid type, int *n)
{
	ArrayType  *given = DatumGetArrayTypeP(array);
	Oid			base = getBaseType(type);
	float	   *elements;
	Datum	   *datums;
	bool	   *nulls;
	int16		len;
	bool		byval;
	char		align;
	Oid			output;
	bool		varlena;

	if (ARR_NDIM(given) > 1 || array_contains_nulls(given))
		search_refuse_vector();
	search_check_dimensions(ArrayGetNItems(ARR_NDIM(given), ARR_DIMS(given)));
	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array(given, type, len, byval, align, &datums, &nulls, n);
	getTypeOutputInfo(type, &output, &varlena);
	elements = palloc(sizeof(float) * *n);
	for (int i = 0; i < *n; i++)
		elements[i] = element_of(base, output, datums[i]);
	return elements;
}

static float
element_of(Oid type, Oid output, Datum value)
{
	const char *text;
	double		number;

	if (type == FLOAT4OID)
		number = DatumGetFloat4(value);
	else if (type == FLOAT8OID)
		number = DatumGetFloat8(value);
	else
	{
		text = OidOutputFunctionCall(output, value);
		return read_number(text, strlen(text));
	}
	if (!(fabs(number) <= ITEM_MAX_FLOAT4))
		search_refuse_vector();
	return number;
}

/*
 * "[1, 0.5]"
 */
static float *
list_elements(const char *text, int *n)
{
	float	   *elements = palloc(sizeof(float) * DYNAMO_MAX_DIMENSIONS);

	*n = 0;
	text += strspn(text, BLANKS);
	if (*text++ != '[')
		search_refuse_vector();
	text += strspn(text, BLANKS);
	if (*text == ']')
		search_check_dimensions(0);
	for (;;)
	{
		size_t		len = strspn(text, NUMBER_CHARACTERS);

		if (*n == DYNAMO_MAX_DIMENSIONS)
			search_check_dimensions(*n + 1);
		elements[(*n)++] = read_number(text, len);
		text += len;
		text += strspn(text, BLANKS);
		if (*text == ']')
			break;
		if (*text++ != ',')
			search_refuse_vector();
		text += strspn(text, BLANKS);
	}
	text++;
	if (text[strspn(text, BLANKS)] != '\0')
		search_refuse_vector();
	return elements;
}

static float
read_number(const char *text, uint32 len)
{
	uint8		bytes[ITEM_NUMBER_MAX_BYTES];
	ItemValue	number = {ITEM_N, 0, (const char *) bytes};
	float		element;

	CHECK_FOR_INTERRUPTS();
	if (item_number_parse(text, len, bytes, &number.len) != ITEM_NUMBER_OK ||
		vector_element(&number, &element) != VECTOR_ELEMENT_OK)
		search_refuse_vector();
	return element;
}
