/*-------------------------------------------------------------------------
 *
 * journal_internal.h
 *	  What the files of the journal share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_JOURNAL_INTERNAL_H
#define DYNAMO_JOURNAL_INTERNAL_H

#include "postgres.h"

#include "journal/journal.h"

/* journal_row.c */
extern int32 journal_row_insert(const TableDef *def, int days);
extern void journal_row_set_days(Oid relid, int days,
								 TimestampTz kept_from);
extern void journal_row_set_ended(Oid relid, TimestampTz when);

/* journal_mark.c: in a transaction that is about to commit changes */
extern void journal_mark_if_due(bool prepares);
extern bool journal_mark_set_back(TimestampTz written);

/* journal_ledger.c */
extern void journal_ledger_init(void (*mark_if_due) (bool prepares),
								bool (*note_set_back) (TimestampTz written));
extern void journal_ledger_change(TimestampTz now);
extern void journal_ledger_window_begins(void);
extern bool journal_ledger_is_due(TimestampTz now, TimestampTz interval);
extern uint64 journal_ledger_changes(bool *same);
extern TimestampTz journal_ledger_marked_at(void);
extern bool journal_ledger_mark(TimestampTz last, TimestampTz at,
								uint64 changes);
extern void journal_ledger_begin_anew(TimestampTz now);

#endif							/* DYNAMO_JOURNAL_INTERNAL_H */
