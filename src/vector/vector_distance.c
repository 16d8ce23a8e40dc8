/*-------------------------------------------------------------------------
 *
 * vector_distance.c
 *	  How far two vectors are from each other.
 *
 * Elements are float4, sums are double.  Each loop has several sums that do not
 * depend on each other, so that the compiler can keep them side by side in
 * registers: it may not change the order of one sum.
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
 * Where the compiler can, loops are made twice, for processors with AVX2 and
 * for all.  No instruction that multiplies and adds at once, which rounds
 * otherwise: a score is the same everywhere.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
	!defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define LOOP __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define LOOP
#endif

static double cosine_distance(int n, const float *a, const float *b);
static double dot_product(int n, const float *a, const float *b) LOOP;
static double squared_distance(int n, const float *a, const float *b) LOOP;
static double sum_of(const double *lanes);

/*
 * What SearchVectors returns as Score.  Of a vector and itself it is exactly 0
 * for COSINE and EUCLIDEAN; of a zero vector and any other it is 1 for COSINE.
 */
double
vector_score(VectorDistance distance, int dimensions, const float *a,
			 const float *b)
{
	double		score;

	switch (distance)
	{
		case VECTOR_COSINE:
			return cosine_distance(dimensions, a, b);
		case VECTOR_DOT_PRODUCT:
			score = dot_product(dimensions, a, b);
			break;
		default:
			score = sqrt(squared_distance(dimensions, a, b));
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
cosine_distance(int n, const float *a, const float *b)
{
	double		squares = dot_product(n, a, a) * dot_product(n, b, b);

	if (squares == 0)
		return 1;
	return Min(Max(1 - dot_product(n, a, b) / sqrt(squares), 0), 2);
}

static double
dot_product(int n, const float *a, const float *b)
{
	double		lanes[LANES] = {0};
	int			i = 0;

	for (; i + LANES <= n; i += LANES)
	{
		for (int j = 0; j < LANES; j++)
			lanes[j] += (double) a[i + j] * (double) b[i + j];
	}
	for (; i < n; i++)
		lanes[0] += (double) a[i] * (double) b[i];
	return sum_of(lanes);
}

static double
squared_distance(int n, const float *a, const float *b)
{
	double		lanes[LANES] = {0};
	int			i = 0;

	for (; i + LANES <= n; i += LANES)
	{
		for (int j = 0; j < LANES; j++)
		{
			double		difference = (double) a[i + j] - (double) b[i + j];

			lanes[j] += difference * difference;
		}
	}
	for (; i < n; i++)
		lanes[0] += ((double) a[i] - (double) b[i]) *
			((double) a[i] - (double) b[i]);
	return sum_of(lanes);
}

static double
sum_of(const double *lanes)
{
	double		sum = 0;

	for (int i = 0; i < LANES; i++)
		sum += lanes[i];
	return sum;
}
