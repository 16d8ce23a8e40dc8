/*-------------------------------------------------------------------------
 *
 * schema_rights.c
 *	  Taking rights to a relation from all who have them.
 *
 * REVOKE takes away what one role has granted.  What others have granted who
 * had grant option goes with CASCADE, but not if they granted it for a column.
 * So the lists of the relation and its columns are changed directly: bits go,
 * none comes, and what is left is well-formed as it was.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "schema/schema_internal.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static void let_read(Relation catalog, HeapTuple tuple, AttrNumber attnum,
					 Oid relid, AttrNumber column, Oid owner);
static Acl *only_select(const Acl *acl);

void
schema_let_only_read(Oid relid)
{
	Relation	classes = table_open(RelationRelationId, RowExclusiveLock);
	Relation	attributes = table_open(AttributeRelationId, RowExclusiveLock);
	HeapTuple	class = SearchSysCacheCopy1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;
	AttrNumber	natts;

	if (!HeapTupleIsValid(class))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	owner = ((Form_pg_class) GETSTRUCT(class))->relowner;
	natts = ((Form_pg_class) GETSTRUCT(class))->relnatts;
	let_read(classes, class, Anum_pg_class_relacl, relid, 0, owner);
	for (AttrNumber i = 1; i <= natts; i++)
	{
		HeapTuple	attribute = SearchSysCacheCopyAttNum(relid, i);

		if (HeapTupleIsValid(attribute))
			let_read(attributes, attribute, Anum_pg_attribute_attacl, relid, i,
					 owner);
	}
	table_close(attributes, NoLock);
	table_close(classes, NoLock);
	CommandCounterIncrement();
}

/*
 * The relation's list (column 0), or that of a column, which is NULL when
 * nobody has a right to that column alone.
 */
static void
let_read(Relation catalog, HeapTuple tuple, AttrNumber attnum, Oid relid,
		 AttrNumber column, Oid owner)
{
	bool		isnull;
	Datum		value = heap_getattr(tuple, attnum, RelationGetDescr(catalog),
									 &isnull);
	Acl		   *before;
	Acl		   *after;
	Oid		   *old_roles;
	Oid		   *new_roles;
	int			nold = 0;
	int			nnew;
	int			replaced = attnum;

	if (isnull && column != 0)
		return;
	before = isnull ? acldefault(OBJECT_TABLE, owner) : DatumGetAclP(value);
	after = only_select(before);
	if (!isnull)
		nold = aclmembers(before, &old_roles);
	nnew = aclmembers(after, &new_roles);
	value = PointerGetDatum(after);
	isnull = column != 0 && ACL_NUM(after) == 0;
	tuple = heap_modify_tuple_by_cols(tuple, RelationGetDescr(catalog), 1,
									  &replaced, &value, &isnull);
	CatalogTupleUpdate(catalog, &tuple->t_self, tuple);
	updateAclDependencies(RelationRelationId, relid, column, owner,
						  nold, nold > 0 ? old_roles : NULL, nnew, new_roles);
}

static Acl *
only_select(const Acl *acl)
{
	Acl		   *left = palloc(ACL_SIZE(acl));
	AclItem    *items;
	int			n = 0;

	memcpy(left, acl, ACL_SIZE(acl));
	items = ACL_DAT(left);
	for (int i = 0; i < ACL_NUM(acl); i++)
	{
		AclItem		item = items[i];

		ACLITEM_SET_PRIVS_GOPTIONS(item, ACLITEM_GET_PRIVS(item) & ACL_SELECT,
								   ACLITEM_GET_GOPTIONS(item) & ACL_SELECT);
		if (ACLITEM_GET_RIGHTS(item) != ACL_NO_RIGHTS)
			items[n++] = item;
	}
	ARR_DIMS(left)[0] = n;
	SET_VARSIZE(left, ACL_N_SIZE(n));
	return left;
}
