/*-------------------------------------------------------------------------
 *
 * process.h
 *	  Launchers and the workers they start.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_PROCESS_H
#define DYNAMO_PROCESS_H

#include "postgres.h"

#include "base/base_shared.h"
#include "nodes/pg_list.h"
#include "postmaster/bgworker.h"
#include "storage/lock.h"

typedef struct DynamoDatabase
{
	Oid			oid;
	char	   *name;
	bool		connectable;	/* by others than those who may do anything */
} DynamoDatabase;

/*
 * process_launcher.c: the process that starts all others.  What is to be done
 * there, by each that registers it.
 */
typedef struct DynamoTender
{
	/* Do what is to be done.  Milliseconds until the next time; -1: whenever */
	long		(*tend) (bool reloaded);

	/* The launcher ends. */
	void		(*stop) (void);
} DynamoTender;

extern void dynamo_launcher_register(const DynamoTender *tender);
extern void dynamo_launcher_init(void);
extern void dynamo_launcher_wake(void);
extern PGDLLEXPORT void dynamo_launcher_main(Datum arg);

/* process_slot.c: who gets a process */
typedef enum DynamoNeed
{
	DYNAMO_SPARE,				/* others can do without it */
	DYNAMO_LATE,				/* that, but work has waited for it */
	DYNAMO_NEEDED				/* nobody else does its work */
} DynamoNeed;

extern BackgroundWorkerHandle *dynamo_start_worker(const char *function,
												   const char *name,
												   const char *type,
												   Datum arg, DynamoNeed need);
extern void dynamo_check_processes(int needed);
extern DynamoShared dynamo_shared_slots;
extern int	dynamo_slots_free(void);
extern bool dynamo_processes_are_short(void);

/* process_list.c */
extern bool dynamo_preloaded;	/* by shared_preload_libraries */

extern List *dynamo_databases(void);	/* of DynamoDatabase * */
extern bool dynamo_lock_database(Oid database);
extern void dynamo_unlock_database(Oid database);
extern bool dynamo_database_is_free(Oid database);
extern bool dynamo_database_is_wanted(Oid database,
									  VirtualTransactionId *by);
extern char *dynamo_database_name(Oid database);	/* NULL: there is none */
extern char *dynamo_role_name(Oid role);	/* NULL: there is none */
extern void *dynamo_shared_memory(const char *name, Size size,
								  void (*init) (void *memory));

#endif							/* DYNAMO_PROCESS_H */
