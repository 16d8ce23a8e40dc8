/*-------------------------------------------------------------------------
 *
 * vector_distance.c
 *	  How far two vectors are from each other.
 *
 * Elements are float4, sums are double.  Each loop has several sums that do not
 * depend on each other, so that the compiler can keep them side by side in
 * registers: it may not change the order of one sum.  What is left of a vector is
 * added by another function, for GCC keeps a sum that is changed after its loop
 * twice, and takes twice the time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "vector/vector.h"

/* Sums side by side. */
#define LANES	8

/*
 * Loops are made of instructions that take several elements at once, where the
 * compiler can choose them at run time for processors with AVX2, too.  None that
 * multiplies and adds at once, which rounds otherwise: a score is the same
 * everywhere.
 */
#if defined(__clang__)
#pragma clang fp contract(off)
#define REST
#define LOOP
#elif defined(__GNUC__)
#define REST __attribute__((optimize("fp-contract=off")))
#define VECTORISED optimize("O3", "fp-contract=off")
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define LOOP __attribute__((target_clones("avx2", "default"), VECTORISED))
#else
#define LOOP __attribute__((VECTORISED))
#endif
#else
#define REST
#define LOOP
#endif

static double cosine_distance(const VectorTarget *target,
							  const float *elements);
static double dot_product(int n, const double *a, const float *b) REST;
static void add_products(int n, const double *a, const float *b,
						 double *sums) LOOP;
static double product_and_square(int n, const double *a, const float *b,
								 double *square) REST;
static void add_both(int n, const double *a, const float *b,
					 double *products, double *squares) LOOP;
static double squared_distance(int n, const double *a, const float *b) REST;
static void add_differences(int n, const double *a, const float *b,
							double *sums) LOOP;
static double sum_of(const double *lanes);

void
vector_target(VectorTarget *target, VectorDistance distance, int dimensions,
			  const float *elements)
{
	target->distance = distance;
	target->dimensions = dimensions;
	target->elements = palloc(sizeof(double) * Max(dimensions, 1));
	for (int i = 0; i < dimensions; i++)
		target->elements[i] = elements[i];
	target->square = 0;
	if (distance == VECTOR_COSINE)
		(void) product_and_square(dimensions, target->elements, elements,
								  &target->square);
}

/*
 * What SearchVectors returns as Score.  Of a vector and itself it is exactly 0
 * for COSINE and EUCLIDEAN; of a zero vector and any other it is 1 for COSINE.
 */
double
vector_score(const VectorTarget *target, const float *elements)
{
	double		score;

	switch (target->distance)
	{
		case VECTOR_COSINE:
			return cosine_distance(target, elements);
		case VECTOR_DOT_PRODUCT:
			score = dot_product(target->dimensions, target->elements,
								elements);
			break;
		default:
			score = sqrt(squared_distance(target->dimensions,
										  target->elements, elements));
			break;
	}
	return Min(Max(score, -FLT_MAX), FLT_MAX);
}

bool
vector_is_better(VectorDistance distance, double a, double b)
{
	return distance == VECTOR_DOT_PRODUCT ? a > b : a < b;
}

/*
 * One root of the product, not a product of two roots: the root of a square is
 * exact.  Otherwise a vector would be at some distance from itself.
 */
static double
cosine_distance(const VectorTarget *target, const float *elements)
{
	double		square;
	double		product = product_and_square(target->dimensions,
											 target->elements, elements,
											 &square);

	square *= target->square;
	if (square == 0)
		return 1;
	return Min(Max(1 - product / sqrt(square), 0), 2);
}

static double
dot_product(int n, const double *a, const float *b)
{
	double		sums[LANES];
	int			whole = n - n % LANES;

	add_products(whole, a, b, sums);
	for (int i = whole; i < n; i++)
		sums[0] += a[i] * (double) b[i];
	return sum_of(sums);
}

/*
 * n is a multiple of LANES, as below.
 */
static void
add_products(int n, const double *a, const float *b, double *sums)
{
	double		lanes[LANES] = {0};

	for (; n > 0; n -= LANES, a += LANES, b += LANES)
	{
		for (int j = 0; j < LANES; j++)
			lanes[j] += a[j] * (double) b[j];
	}
	for (int j = 0; j < LANES; j++)
		sums[j] = lanes[j];
}

/*
 * The same, and the second vector's product with itself.
 */
static double
product_and_square(int n, const double *a, const float *b, double *square)
{
	double		products[LANES];
	double		squares[LANES];
	int			whole = n - n % LANES;

	add_both(whole, a, b, products, squares);
	for (int i = whole; i < n; i++)
	{
		products[0] += a[i] * (double) b[i];
		squares[0] += (double) b[i] * (double) b[i];
	}
	*square = sum_of(squares);
	return sum_of(products);
}

static void
add_both(int n, const double *a, const float *b, double *products,
		 double *squares)
{
	double		lanes[LANES] = {0};
	double		more[LANES] = {0};

	for (; n > 0; n -= LANES, a += LANES, b += LANES)
	{
		for (int j = 0; j < LANES; j++)
		{
			lanes[j] += a[j] * (double) b[j];
			more[j] += (double) b[j] * (double) b[j];
		}
	}
	for (int j = 0; j < LANES; j++)
	{
		products[j] = lanes[j];
		squares[j] = more[j];
	}
}

static double
squared_distance(int n, const double *a, const float *b)
{
	double		sums[LANES];
	int			whole = n - n % LANES;

	add_differences(whole, a, b, sums);
	for (int i = whole; i < n; i++)
		sums[0] += (a[i] - (double) b[i]) * (a[i] - (double) b[i]);
	return sum_of(sums);
}

static void
add_differences(int n, const double *a, const float *b, double *sums)
{
	double		lanes[LANES] = {0};

	for (; n > 0; n -= LANES, a += LANES, b += LANES)
	{
		for (int j = 0; j < LANES; j++)
		{
			double		difference = a[j] - (double) b[j];

			lanes[j] += difference * difference;
		}
	}
	for (int j = 0; j < LANES; j++)
		sums[j] = lanes[j];
}

static double
sum_of(const double *lanes)
{
	double		sum = 0;

	for (int i = 0; i < LANES; i++)
		sum += lanes[i];
	return sum;
}
