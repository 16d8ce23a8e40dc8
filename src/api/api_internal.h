/*-------------------------------------------------------------------------
 *
 * api_internal.h
 *	  What the files of the operations on items share, and nobody else.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_API_INTERNAL_H
#define DYNAMO_API_INTERNAL_H

#include "postgres.h"

#include "api/api_handler.h"
#include "utils/array.h"
#include "utils/timestamp.h"

/* api_scatter.c */
extern void api_scatter(DynamoRequest *request, const EngineGet *items,
						const int32 *groups, int n, const char *rest,
						void (*append) (StringInfo out, const bool *chosen,
										void *arg),
						void *arg);

/* api_given.c */
extern Item *api_given_item(const ApiGivenItems *given, const json_t *json);

/*
 * api_legacy.c: first the values of all members are read, later the rest is
 * checked and compiled.
 */
typedef struct ApiLegacyConditions ApiLegacyConditions;
typedef struct ApiLegacyUpdates ApiLegacyUpdates;

#define API_OR	1				/* ConditionalOperator, filled */

extern const WireShape api_conditions_shape;
extern const WireShape api_expected_shape;
extern const WireShape api_attribute_updates_shape;

extern ExprProjection *api_legacy_projection(const json_t *attributes);
extern ApiLegacyConditions *api_legacy_read_conditions(const WireShape *shape,
													   const json_t *map,
													   ItemWording wording);
extern ExprCondition *api_legacy_expected(ApiLegacyConditions *all,
										  int conditional_operator);
extern void api_legacy_check_conditions(ApiLegacyConditions *all);
extern ExprCondition *api_legacy_filter(const ApiLegacyConditions *all,
										int conditional_operator);
extern ExprKeyCondition *api_legacy_key_condition(const ApiLegacyConditions *all);
extern ApiLegacyUpdates *api_legacy_read_updates(const json_t *map,
												 ItemWording wording);
extern ExprUpdate *api_legacy_update(const ApiLegacyUpdates *all);

extern void api_range_query(const ApiTarget *target,
							const ExprKeyCondition *condition,
							const Item *start, EngineScanSpec *spec);
extern void api_range_scan(const ApiTarget *target, const Item *start,
						   EngineScanSpec *spec);

#endif							/* DYNAMO_API_INTERNAL_H */
