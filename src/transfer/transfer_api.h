/*-------------------------------------------------------------------------
 *
 * transfer_api.h
 *	  Operations on exports, imports and bulk operations.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_TRANSFER_API_H
#define DYNAMO_TRANSFER_API_H

#include "postgres.h"

#include "base/base_request.h"
#include "lib/stringinfo.h"
#include "wire/wire.h"

/* transfer_export_api.c */
extern void transfer_export_table(DynamoRequest *request, StringInfo out);
extern void transfer_find_export(DynamoRequest *request, StringInfo out);
extern void transfer_list_exports(DynamoRequest *request, StringInfo out);
extern const WireShape transfer_export_table_shape;
extern const WireShape transfer_list_exports_shape;
extern const WireShape transfer_describe_export_shape;

/* transfer_import_api.c */
extern void transfer_import_table(DynamoRequest *request, StringInfo out);
extern void transfer_describe_import(DynamoRequest *request, StringInfo out);
extern void transfer_list_imports(DynamoRequest *request, StringInfo out);
extern const WireShape transfer_import_table_shape;
extern const WireShape transfer_describe_import_shape;
extern const WireShape transfer_list_imports_shape;

/* transfer_bulk_api.c */
extern void transfer_start_bulk_put_items(DynamoRequest *request,
										  StringInfo out);
extern void transfer_describe_bulk_operation(DynamoRequest *request,
											 StringInfo out);
extern void transfer_cancel_bulk_operation(DynamoRequest *request,
										   StringInfo out);
extern void transfer_list_bulk_operations(DynamoRequest *request,
										  StringInfo out);
extern const WireShape transfer_start_bulk_put_items_shape;
extern const WireShape transfer_bulk_operation_shape;
extern const WireShape transfer_list_bulk_operations_shape;

#endif							/* DYNAMO_TRANSFER_API_H */
