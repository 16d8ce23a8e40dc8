/*-------------------------------------------------------------------------
 *
 * base_process.h
 *	  Launchers and the workers they start.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_BASE_PROCESS_H
#define DYNAMO_BASE_PROCESS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "postmaster/bgworker.h"
#include "storage/lock.h"

typedef struct DynamoDatabase
{
	Oid			oid;
	char	   *name;
	bool		connectable;	/* by others than those who may do anything */
} DynamoDatabase;

extern void dynamo_register_launcher(const char *function, const char *type,
									 int workers);
extern void dynamo_check_processes(void);
extern BackgroundWorkerHandle *dynamo_start_worker(const char *function,
												   const char *name,
												   const char *type,
												   Datum arg);
extern BackgroundWorkerHandle *dynamo_start_spare_worker(const char *function,
														 const char *name,
														 const char *type,
														 Datum arg);
extern Size dynamo_processes_size(void);
extern bool dynamo_processes_are_short(void);
extern List *dynamo_databases(void);	/* of DynamoDatabase * */
extern bool dynamo_lock_database(Oid database);
extern bool dynamo_database_is_free(Oid database);
extern bool dynamo_database_is_wanted(Oid database,
									  VirtualTransactionId *by);
extern char *dynamo_database_name(Oid database);	/* NULL: there is none */
extern char *dynamo_role_name(Oid role);	/* NULL: there is none */
extern void *dynamo_shared_memory(const char *name, Size size,
								  void (*init) (void *memory));

#endif							/* DYNAMO_BASE_PROCESS_H */
