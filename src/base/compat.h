/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  What differs between PostgreSQL 15 and 19, and nothing else.  Every
 *	  test of PG_VERSION_NUM in the tree stands here, each with the change
 *	  it answers to.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DYNAMO_COMPAT_H
#define DYNAMO_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000
#error "dynamo needs PostgreSQL 15 or newer"
#endif

/*
 * 16 moved VARDATA_ANY() and its like out of postgres.h, and asks one function
 * about privileges on all classes, by the OID of their catalog.
 */
#if PG_VERSION_NUM >= 160000
#include "catalog/pg_class_d.h"
#include "catalog/pg_database_d.h"
#include "catalog/pg_namespace_d.h"
#include "catalog/pg_proc_d.h"
#include "catalog/pg_tablespace_d.h"
#include "varatt.h"
#endif

/* 18 split explain.h. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* 18 has pg_noreturn, before the declaration, instead. */
#ifndef pg_attribute_noreturn
#define pg_attribute_noreturn() __attribute__((noreturn))
#endif

/* 17 has no old_snapshot_threshold, whose error this was. */
#if PG_VERSION_NUM >= 170000
#define ERRCODE_SNAPSHOT_TOO_OLD MAKE_SQLSTATE('7','2','0','0','0')
#endif

/* 16 replaced one ownership test an object class by one for all. */
#if PG_VERSION_NUM >= 160000
#define compat_relation_owner(relid, roleid) \
	object_ownercheck(RelationRelationId, relid, roleid)
#else
#define compat_relation_owner(relid, roleid) \
	pg_class_ownercheck(relid, roleid)
#endif

/*
 * compat_may_create, compat_may_create_in, compat_may_connect,
 * compat_may_execute: the right CREATE on a schema, on a tablespace, CONNECT to
 * a database, EXECUTE on a function, an AclResult.  16 replaced one test an
 * object class here, too.
 *
 * compat_lock_holder: the process of a virtual transaction, NULL if it has
 * gone.  17 replaced backend IDs by numbers of processes.
 */
#if PG_VERSION_NUM >= 160000
#define compat_may_create(schema, roleid) \
	object_aclcheck(NamespaceRelationId, schema, roleid, ACL_CREATE)
#define compat_may_create_in(tablespace, roleid) \
	object_aclcheck(TableSpaceRelationId, tablespace, roleid, ACL_CREATE)
#define compat_may_connect(database, roleid) \
	object_aclcheck(DatabaseRelationId, database, roleid, ACL_CONNECT)
#define compat_may_execute(function, roleid) \
	object_aclcheck(ProcedureRelationId, function, roleid, ACL_EXECUTE)
#else
#define compat_may_create(schema, roleid) \
	pg_namespace_aclcheck(schema, roleid, ACL_CREATE)
#define compat_may_create_in(tablespace, roleid) \
	pg_tablespace_aclcheck(tablespace, roleid, ACL_CREATE)
#define compat_may_connect(database, roleid) \
	pg_database_aclcheck(database, roleid, ACL_CONNECT)
#define compat_may_execute(function, roleid) \
	pg_proc_aclcheck(function, roleid, ACL_EXECUTE)
#endif

/*
 * compat_can_be: does a row of pg_auth_members let its member have the role's
 * privileges, at once or after SET ROLE?  Since 16 it may give no more than
 * ADMIN OPTION.
 */
#if PG_VERSION_NUM >= 160000
#define compat_can_be(row) ((row)->inherit_option || (row)->set_option)
#else
#define compat_can_be(row) true
#endif

/*
 * compat_can_become: has a role the privileges of another one, and can it become
 * that by SET ROLE?  Since 16 who has the privileges may be kept from SET ROLE.
 */
#if PG_VERSION_NUM >= 160000
#define compat_can_become(member, role) \
	(has_privs_of_role(member, role) && member_can_set_role(member, role))
#else
#define compat_can_become(member, role) has_privs_of_role(member, role)
#endif

#if PG_VERSION_NUM >= 170000
#define compat_lock_holder(vxid) ProcNumberGetProc((vxid).procNumber)
#else
#define compat_lock_holder(vxid) BackendIdGetProc((vxid).backendId)
#endif

/*
 * compat_lxid: the number of this process's transaction, of which every one has
 * one.  17 moved it.
 */
#if PG_VERSION_NUM >= 170000
#define compat_lxid (MyProc->vxid.lxid)
#else
#define compat_lxid (MyProc->lxid)
#endif

/*
 * compat_process_number: this process' place among all, below MaxBackends for a
 * backend.  17 made it a variable.
 */
#if PG_VERSION_NUM >= 170000
#define compat_process_number MyProcNumber
#else
#define compat_process_number (MyProc->pgprocno)
#endif

/*
 * compat_holds_lock: 17 lets callers ask for stronger locks, too.
 */
#if PG_VERSION_NUM >= 170000
#define compat_holds_lock(tag, mode) LockHeldByMe(tag, mode, false)
#else
#define compat_holds_lock(tag, mode) LockHeldByMe(tag, mode)
#endif

/*
 * The access method's.  Macros, so that only files that use them include what
 * they need.
 *
 * compat_update_indexes: what table_tuple_update() reports about the indexes.
 * 16 tells summarizing indexes apart and made the bool an enum.
 *
 * compat_relfilenumber: the name of the relation's file; compat_file_of: with its
 * database and tablespace.  16 renamed both.
 *
 * compat_set_new_file, compat_file: the callback that gives a relation another
 * file, and what names it.  16 renamed both.
 *
 * compat_extend_relation: sets "buffer" to a new page at the end of the main
 * fork, zeroed, pinned, exclusively locked.  16 replaced P_NEW under an
 * extension lock of the caller's by ExtendBufferedRel(), which takes it.
 *
 * compat_primary_key_index: the primary key's index if its constraint is
 * immediate, else InvalidOid.  18 asks whether a deferrable one is welcome.
 *
 * compat_hot_attrs: the relcache's set of columns whose change rules out HOT,
 * computed by RelationGetIndexAttrBitmap(compat_hot_attrs_kind).  16 split
 * summarizing indexes off.
 */
#if PG_VERSION_NUM >= 160000
#define compat_update_indexes TU_UpdateIndexes
#define compat_relfilenumber(rel) ((rel)->rd_locator.relNumber)
#define compat_file_of(rel) ((rel)->rd_locator)
#define compat_set_new_file relation_set_new_filelocator
#define compat_file RelFileLocator
#define compat_extend_relation(rel, buffer) \
	((buffer) = ExtendBufferedRel(BMR_REL(rel), MAIN_FORKNUM, NULL, \
								  EB_LOCK_FIRST | \
								  (RELATION_IS_LOCAL(rel) ? \
								   EB_SKIP_EXTENSION_LOCK : 0)))
#define compat_hot_attrs(rel) ((rel)->rd_hotblockingattr)
#define compat_hot_attrs_kind INDEX_ATTR_BITMAP_HOT_BLOCKING
#define compat_blocks_hot(index) (!(index)->rd_indam->amsummarizing)
#else
#define compat_update_indexes bool
#define compat_relfilenumber(rel) ((rel)->rd_node.relNode)
#define compat_file_of(rel) ((rel)->rd_node)
#define compat_set_new_file relation_set_new_filenode
#define compat_file RelFileNode
#define compat_extend_relation(rel, buffer) \
	do { \
		bool		need_lock = !RELATION_IS_LOCAL(rel); \
		if (need_lock) \
			LockRelationForExtension(rel, ExclusiveLock); \
		(buffer) = ReadBufferExtended(rel, MAIN_FORKNUM, P_NEW, \
									  RBM_ZERO_AND_LOCK, NULL); \
		if (need_lock) \
			UnlockRelationForExtension(rel, ExclusiveLock); \
	} while (0)
#define compat_hot_attrs(rel) ((rel)->rd_indexattr)
#define compat_hot_attrs_kind INDEX_ATTR_BITMAP_ALL
#define compat_blocks_hot(index) true
#endif

/*
 * Callbacks of the access method.  19 takes options as unsigned numbers, gives
 * them to updates and deletes, too, and tells CLUSTER's which snapshot to copy
 * by; it has no flag for a row that moves to another partition.
 *
 * compat_options: the type of the options.
 *
 * compat_delete_parameters, compat_update_parameters, compat_copy_parameters:
 * the parameters of tuple_delete, tuple_update and relation_copy_for_cluster;
 * what is called "arguments" passes all of them on.
 *
 * compat_tuple_delete, compat_tuple_update, compat_heap_delete: those, called
 * without options and without a snapshot to check against.
 */
#if PG_VERSION_NUM >= 190000
#define compat_options uint32
#define compat_delete_parameters \
	Relation rel, ItemPointer tid, CommandId cid, uint32 options, \
	Snapshot snapshot, Snapshot crosscheck, bool wait, TM_FailureData *tmfd
#define compat_delete_arguments \
	rel, tid, cid, options, snapshot, crosscheck, wait, tmfd
#define compat_update_parameters \
	Relation rel, ItemPointer otid, TupleTableSlot *slot, CommandId cid, \
	uint32 options, Snapshot snapshot, Snapshot crosscheck, bool wait, \
	TM_FailureData *tmfd, LockTupleMode *lockmode, \
	TU_UpdateIndexes *update_indexes
#define compat_update_arguments \
	rel, otid, slot, cid, options, snapshot, crosscheck, wait, tmfd, \
	lockmode, update_indexes
#define compat_copy_parameters \
	Relation old, Relation new, Relation index, bool use_sort, \
	TransactionId oldest_xmin, Snapshot snapshot, \
	TransactionId *xid_cutoff, MultiXactId *multi_cutoff, \
	double *num_tuples, double *tups_vacuumed, double *tups_recently_dead
#define compat_copy_arguments \
	old, new, index, use_sort, oldest_xmin, snapshot, xid_cutoff, \
	multi_cutoff, num_tuples, tups_vacuumed, tups_recently_dead
#define compat_tuple_delete(rel, tid, cid, snapshot, wait, tmfd) \
	table_tuple_delete(rel, tid, cid, 0, snapshot, InvalidSnapshot, wait, tmfd)
#define compat_tuple_update(rel, otid, slot, cid, snapshot, tmfd, mode, indexes) \
	table_tuple_update(rel, otid, slot, cid, 0, snapshot, InvalidSnapshot, \
					   true, tmfd, mode, indexes)
#define compat_heap_delete(rel, tid, cid, tmfd) \
	heap_delete(rel, tid, cid, 0, InvalidSnapshot, true, tmfd)
#else
#define compat_options int
#define compat_delete_parameters \
	Relation rel, ItemPointer tid, CommandId cid, Snapshot snapshot, \
	Snapshot crosscheck, bool wait, TM_FailureData *tmfd, bool changing_part
#define compat_delete_arguments \
	rel, tid, cid, snapshot, crosscheck, wait, tmfd, changing_part
#define compat_update_parameters \
	Relation rel, ItemPointer otid, TupleTableSlot *slot, CommandId cid, \
	Snapshot snapshot, Snapshot crosscheck, bool wait, \
	TM_FailureData *tmfd, LockTupleMode *lockmode, \
	compat_update_indexes *update_indexes
#define compat_update_arguments \
	rel, otid, slot, cid, snapshot, crosscheck, wait, tmfd, lockmode, \
	update_indexes
#define compat_copy_parameters \
	Relation old, Relation new, Relation index, bool use_sort, \
	TransactionId oldest_xmin, TransactionId *xid_cutoff, \
	MultiXactId *multi_cutoff, double *num_tuples, \
	double *tups_vacuumed, double *tups_recently_dead
#define compat_copy_arguments \
	old, new, index, use_sort, oldest_xmin, xid_cutoff, multi_cutoff, \
	num_tuples, tups_vacuumed, tups_recently_dead
#define compat_tuple_delete(rel, tid, cid, snapshot, wait, tmfd) \
	table_tuple_delete(rel, tid, cid, snapshot, InvalidSnapshot, wait, tmfd, \
					   false)
#define compat_tuple_update(rel, otid, slot, cid, snapshot, tmfd, mode, indexes) \
	table_tuple_update(rel, otid, slot, cid, snapshot, InvalidSnapshot, true, \
					   tmfd, mode, indexes)
#define compat_heap_delete(rel, tid, cid, tmfd) \
	heap_delete(rel, tid, cid, InvalidSnapshot, true, tmfd, false)
#endif

/*
 * compat_table_index_fetch_begin: 19 takes flags, none of which we set.
 */
#if PG_VERSION_NUM >= 190000
#define compat_table_index_fetch_begin(rel) table_index_fetch_begin(rel, 0)
#else
#define compat_table_index_fetch_begin(rel) table_index_fetch_begin(rel)
#endif

/*
 * compat_count_search: tells EXPLAIN of a search of an index.  18 counts them.
 */
#if PG_VERSION_NUM >= 180000
#define compat_count_search(scan) \
	do { \
		if ((scan)->instrument) \
			(scan)->instrument->nsearches++; \
	} while (0)
#else
#define compat_count_search(scan) ((void) 0)
#endif

/*
 * compat_disable_path: has an index's path lose that has infinite costs, also where
 * enable_seqscan is off.  18 compares how many nodes are disabled before costs.
 */
#if PG_VERSION_NUM >= 180000
#define compat_disable_path(index_path) ((index_path)->path.disabled_nodes += 2)
#else
#define compat_disable_path(index_path) ((void) 0)
#endif

/*
 * compat_vacuum_delay: where VACUUM of an index waits.  18 tells ANALYZE apart.
 */
#if PG_VERSION_NUM >= 180000
#define compat_vacuum_delay() vacuum_delay_point(false)
#else
#define compat_vacuum_delay() vacuum_delay_point()
#endif

/*
 * compat_store_default: the expression behind a column.  18 no longer asks
 * whether the column is being added.
 */
#if PG_VERSION_NUM >= 180000
#define compat_store_default(rel, attnum, expression) \
	StoreAttrDefault(rel, attnum, expression, false)
#else
#define compat_store_default(rel, attnum, expression) \
	StoreAttrDefault(rel, attnum, expression, false, false)
#endif

/*
 * compat_bulk_insert_pinned: a bulk-insert state for one insert that begins
 * with the pinned page.  16 lets it reserve pages.
 *
 * compat_read_recent_buffer: pins a block of the main fork if it still is in
 * that buffer.  16 renamed the locator.
 */
#if PG_VERSION_NUM >= 160000
#define compat_bulk_insert_pinned(state, buffer) \
	(*(state) = (BulkInsertStateData) {.current_buf = (buffer), \
									   .next_free = InvalidBlockNumber, \
									   .last_free = InvalidBlockNumber})
#define compat_read_recent_buffer(rel, block, buffer) \
	ReadRecentBuffer((rel)->rd_locator, MAIN_FORKNUM, block, buffer)
#else
#define compat_bulk_insert_pinned(state, buffer) \
	(*(state) = (BulkInsertStateData) {.current_buf = (buffer)})
#define compat_read_recent_buffer(rel, block, buffer) \
	ReadRecentBuffer((rel)->rd_node, MAIN_FORKNUM, block, buffer)
#endif

/*
 * compat_buffer_uses: how often the page of a shared buffer was used of late.
 * 19 made the state a number of 64 bits.
 *
 * compat_prune: heap_page_prune_opt().  19 can mark the page as visible to all,
 * too, and leaves the page of the visibility map pinned for the next call.
 */
#if PG_VERSION_NUM >= 190000
#define compat_buffer_uses(buffer) \
	BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u64(&GetBufferDescriptor((buffer) - 1)->state))
#define compat_prune(rel, buffer) \
	do { \
		Buffer		map = InvalidBuffer; \
		heap_page_prune_opt(rel, buffer, &map, false); \
		if (BufferIsValid(map)) \
			ReleaseBuffer(map); \
	} while (0)
#else
#define compat_buffer_uses(buffer) \
	BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u32(&GetBufferDescriptor((buffer) - 1)->state))
#define compat_prune(rel, buffer) heap_page_prune_opt(rel, buffer)
#endif

/*
 * compat_bt_search: _bt_search() for reading, without a snapshot to be too old,
 * and without the stack of pages above.  16 takes the table, too; 17 has no
 * such snapshots any more; 19 makes no stack unless it is asked for.
 */
#if PG_VERSION_NUM >= 190000
#define compat_bt_search(index, table, key, buffer) \
	((void) _bt_search(index, table, key, buffer, BT_READ, false))
#elif PG_VERSION_NUM >= 170000
#define compat_bt_search(index, table, key, buffer) \
	_bt_freestack(_bt_search(index, table, key, buffer, BT_READ))
#elif PG_VERSION_NUM >= 160000
#define compat_bt_search(index, table, key, buffer) \
	_bt_freestack(_bt_search(index, table, key, buffer, BT_READ, NULL))
#else
#define compat_bt_search(index, table, key, buffer) \
	_bt_freestack(_bt_search(index, key, buffer, BT_READ, NULL))
#endif

#if PG_VERSION_NUM >= 180000
#define compat_primary_key_index(rel) RelationGetPrimaryKeyIndex(rel, false)
#else
#define compat_primary_key_index(rel) RelationGetPrimaryKeyIndex(rel)
#endif

/*
 * The engine's.
 *
 * compat_summarizing_only: does what table_tuple_update() reported call for
 * entries in summarizing indexes only?  16 brought these.
 *
 * compat_index_beginscan, compat_index_begin_ordered, compat_table_beginscan: 18
 * takes a place for EXPLAIN's counters of an index; 19 takes flags, none of which
 * we set.  The second is of a scan by nothing but one ORDER BY.
 *
 * compat_index_insert_cleanup: releases what an index keeps in IndexInfo from
 * insert to insert, such as buffers of BRIN.  17 brought it.
 *
 * compat_result_relation: what a statement modifies, open.  18 wants to be told
 * that it is that.
 *
 * compat_executor_run: reads on in a query.  18 has dropped the argument that
 * said whether this is the only call.
 */
#if PG_VERSION_NUM >= 160000
#define compat_summarizing_only(indexes) ((indexes) == TU_Summarizing)
#else
#define compat_summarizing_only(indexes) false
#endif

#if PG_VERSION_NUM >= 170000
#define compat_index_insert_cleanup(index, info) \
	index_insert_cleanup(index, info)
#else
#define compat_index_insert_cleanup(index, info) ((void) (info))
#endif

#if PG_VERSION_NUM >= 190000
#define compat_index_beginscan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, NULL, nkeys, 0, 0)
#define compat_index_begin_ordered(table, index, snapshot) \
	index_beginscan(table, index, snapshot, NULL, 0, 1, 0)
#define compat_table_beginscan(table, snapshot) \
	table_beginscan(table, snapshot, 0, NULL, 0)
#else
#if PG_VERSION_NUM >= 180000
#define compat_index_beginscan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, NULL, nkeys, 0)
#define compat_index_begin_ordered(table, index, snapshot) \
	index_beginscan(table, index, snapshot, NULL, 0, 1)
#else
#define compat_index_beginscan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, nkeys, 0)
#define compat_index_begin_ordered(table, index, snapshot) \
	index_beginscan(table, index, snapshot, 0, 1)
#endif
#define compat_table_beginscan(table, snapshot) \
	table_beginscan(table, snapshot, 0, NULL)
#endif

#if PG_VERSION_NUM >= 180000
#define compat_result_relation(estate, rti) \
	ExecGetRangeTableRelation(estate, rti, true)
#define compat_executor_run(query, nrows) \
	ExecutorRun(query, ForwardScanDirection, nrows)
#else
#define compat_result_relation(estate, rti) \
	ExecGetRangeTableRelation(estate, rti)
#define compat_executor_run(query, nrows) \
	ExecutorRun(query, ForwardScanDirection, nrows, false)
#endif

/*
 * compat_same_search_path: is the search_path the one that a plan was made for?
 * 17 renamed the question.
 */
#if PG_VERSION_NUM >= 170000
#define compat_same_search_path(source) \
	SearchPathMatchesCurrentEnvironment((source)->search_path)
#else
#define compat_same_search_path(source) \
	OverrideSearchPathMatchesCurrent((source)->search_path)
#endif

/*
 * compat_relation_publications: the publications that name a table.  19 has
 * others that name it as an exception.
 */
#if PG_VERSION_NUM >= 190000
#define compat_relation_publications(relid) GetRelationIncludedPublications(relid)
#else
#define compat_relation_publications(relid) GetRelationPublications(relid)
#endif

/*
 * compat_keys_unpublished: is all that keeps the command from being published
 * that generated columns of the replica identity are not?  Only 18 minds.
 *
 * compat_check_columns: sets "bad" if the list of columns of that publication
 * lacks some of the replica identity.  18 checks generated columns, too.
 */
#if PG_VERSION_NUM >= 180000
#define compat_keys_unpublished(published, command) \
	((command) == CMD_DELETE ? \
	 (published)->rf_valid_for_delete && \
	 (published)->cols_valid_for_delete && \
	 !(published)->gencols_valid_for_delete : \
	 (published)->rf_valid_for_update && \
	 (published)->cols_valid_for_update && \
	 !(published)->gencols_valid_for_update)
#define compat_check_columns(publication, rel, bad) \
	do { \
		bool		unpublished; \
		(void) pub_contains_invalid_column((publication)->oid, rel, NIL, \
										   (publication)->pubviaroot, \
										   (publication)->pubgencols, \
										   &(bad), &unpublished); \
	} while (0)
#else
#define compat_keys_unpublished(published, command) false
#define compat_check_columns(publication, rel, bad) \
	((bad) = pub_collist_contains_invalid_column((publication)->oid, rel, \
												 NIL, (publication)->pubviaroot))
#endif

/*
 * compat_portal_run: all of a portal, as a client's command.  18 has dropped
 * the argument that said whether this is the only call.
 */
#if PG_VERSION_NUM >= 180000
#define compat_portal_run(portal, dest) \
	PortalRun(portal, FETCH_ALL, true, dest, dest, NULL)
#else
#define compat_portal_run(portal, dest) \
	PortalRun(portal, FETCH_ALL, true, true, dest, dest, NULL)
#endif

/*
 * compat_create_wait_events: a set for "n" events that lives as long as the
 * process.  17 ties it to a resource owner instead of a memory context.
 */
#if PG_VERSION_NUM >= 170000
#define compat_create_wait_events(n) CreateWaitEventSet(NULL, n)
#else
#define compat_create_wait_events(n) CreateWaitEventSet(TopMemoryContext, n)
#endif

/*
 * compat_new_tranche, compat_name_tranche: a number for locks, and its name in
 * this process.  19 keeps the name beside the number for all processes.
 */
#if PG_VERSION_NUM >= 190000
#define compat_new_tranche(name) LWLockNewTrancheId(name)
#define compat_name_tranche(tranche, name) ((void) 0)
#else
#define compat_new_tranche(name) LWLockNewTrancheId()
#define compat_name_tranche(tranche, name) LWLockRegisterTranche(tranche, name)
#endif

/*
 * compat_jsonb_state, compat_push_jsonb: jsonb that is being made, from zeroes
 * on, and pushJsonbValue(), whose result is the whole when its end was pushed.
 * 19 keeps the result in the state.
 */
#if PG_VERSION_NUM >= 190000
#define compat_jsonb_state JsonbInState
#define compat_push_jsonb(state, token, value) \
	(pushJsonbValue(state, token, value), (state)->result)
#else
#define compat_jsonb_state JsonbParseState *
#define compat_push_jsonb(state, token, value) \
	pushJsonbValue(state, token, value)
#endif

/*
 * compat_plan_parameters, compat_plan_arguments: a planner hook's.
 *
 * compat_plan_query: plans a rewritten query.
 *
 * 19 tells the planner of EXPLAIN.
 *
 * compat_jumble: the type of what parse analysis has jumbled.  19 lets nobody
 * change it.
 */
#if PG_VERSION_NUM >= 190000
#define compat_plan_parameters \
	Query *query, const char *text, int options, ParamListInfo params, \
	ExplainState *es
#define compat_plan_arguments query, text, options, params, es
#define compat_plan_query(query, text, options, params) \
	pg_plan_query(query, text, options, params, NULL)
#define compat_jumble const JumbleState
#else
#define compat_plan_parameters \
	Query *query, const char *text, int options, ParamListInfo params
#define compat_plan_arguments query, text, options, params
#define compat_plan_query(query, text, options, params) \
	pg_plan_query(query, text, options, params)
#define compat_jumble JumbleState
#endif

/*
 * compat_die: die(), from another handler of the signal.  19 tells handlers
 * where the signal comes from.
 */
#if PG_VERSION_NUM >= 190000
#define compat_die() die(postgres_signal_arg, pg_siginfo)
#else
#define compat_die() die(postgres_signal_arg)
#endif

/*
 * compat_setting: a setting; NULL: there is none of this name.  16 has a function
 * that finds one.
 */
#if PG_VERSION_NUM >= 160000
#define compat_setting(name) find_option(name, false, true, 0)
#else
#include "utils/guc.h"
#include "utils/guc_tables.h"

static inline struct config_generic *
compat_setting(const char *name)
{
	struct config_generic **all = get_guc_variables();

	for (int i = 0; i < GetNumConfigOptions(); i++)
	{
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	}
	return NULL;
}
#endif

#endif							/* DYNAMO_COMPAT_H */
