/*-------------------------------------------------------------------------
 *
 * base_transaction.c
 *	  A transaction of a process that has no client: a request by HTTP, a piece
 *	  of background work.
 *
 * It is a transaction block.  Core does not mind; but Citus takes each statement
 * outside of one for a transaction.  It would be committed at the other nodes,
 * and its locks be gone, before the next: what was read could be changed by
 * others before it is written.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/base.h"

void
dynamo_transaction_begin(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	BeginImplicitTransactionBlock();
}

/*
 * What is to come ends transactions by itself, as CREATE INDEX CONCURRENTLY
 * does.  Core refuses that in a block.
 */
void
dynamo_transaction_open(void)
{
	EndImplicitTransactionBlock();
}

void
dynamo_transaction_commit(void)
{
	EndImplicitTransactionBlock();
	CommitTransactionCommand();
}

/*
 * It is left prepared, under a name.  Core prepares blocks alone that are not
 * implicit.
 */
void
dynamo_transaction_prepare(const char *name)
{
	BeginTransactionBlock();
	CommitTransactionCommand();
	if (!PrepareTransactionBlock(name))
		elog(ERROR, "there is no transaction to be prepared");
	CommitTransactionCommand();
}
