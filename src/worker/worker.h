/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  Maintenance in the background: expired items and old stream records.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_WORKER_H
#define DYNAMO_WORKER_H

#include "postgres.h"

#include "backup/backup.h"
#include "nodes/pg_list.h"

/* What the layers beside give when they initialize. */
typedef struct WorkerCallbacks
{
	void		(*drop_orphan_keys) (void); /* access keys of roles gone */
	void		(*expire_tokens) (void);	/* that all nodes know */
	List	   *(*scaled_tables) (void);	/* char *: with auto scaling */
	void		(*scale_table) (const char *table);
	bool		(*is_wanted) (const Backup *backup);	/* by a restore */
	bool		(*counts_keys) (const TableDef *def, const IndexDef *index);
} WorkerCallbacks;

extern WorkerCallbacks worker_callbacks;

/* worker_launcher.c: how many processes it needs */
extern int	worker_init(void);

#endif							/* DYNAMO_WORKER_H */
