/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  What differs between PostgreSQL 15 and 18, and nothing else.  Every
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

/* 16 replaced one ownership test an object class by one for all. */
#if PG_VERSION_NUM >= 160000
#define compat_relation_owner(relid, roleid) \
	object_ownercheck(RelationRelationId, relid, roleid)
#else
#define compat_relation_owner(relid, roleid) \
	pg_class_ownercheck(relid, roleid)
#endif

#endif							/* DYNAMO_COMPAT_H */
