/*-------------------------------------------------------------------------
 *
 * am_image.c
 *	  Collections are told apart by the image of their key.
 *
 * A collection's rows have the same first column of the primary key, bit by
 * bit.  Images that differ although the values are equal (numeric 1.0 and
 * 1.00) are told apart; no operator of the type needs to be known or called.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "am/am_internal.h"
#include "base/compat.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/datum.h"
#include "utils/rel.h"

/*
 * The bytes a value consists of; its header, if it has one, left out: that is
 * short in a tuple and long in an expression's result.
 */
static const char *
image_of(const Datum *value, Form_pg_attribute att, Size *size)
{
	if (att->attbyval)
	{
		*size = sizeof(Datum);
		return (const char *) value;
	}
	if (att->attlen == -1)
	{
		struct varlena *v = (struct varlena *) DatumGetPointer(*value);

		*size = VARSIZE_ANY_EXHDR(v);
		return VARDATA_ANY(v);
	}
	*size = datumGetSize(*value, false, att->attlen);
	return DatumGetPointer(*value);
}

uint32
am_image_hash(Datum value, Form_pg_attribute att)
{
	Size		size;
	const char *image = image_of(&value, att, &size);

	return hash_bytes((const unsigned char *) image, size);
}

/*
 * The value neither compressed nor out of line.
 */
Datum
am_plain(Datum value, Form_pg_attribute att)
{
	if (att->attlen == -1 && !att->attbyval &&
		(VARATT_IS_COMPRESSED(DatumGetPointer(value)) ||
		 VARATT_IS_EXTERNAL(DatumGetPointer(value))))
		return PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	return value;
}

/*
 * Let go of what am_plain() made of the value, if it made anything.
 */
void
am_free_plain(Datum plain, Datum value)
{
	if (plain != value)
		pfree(DatumGetPointer(plain));
}

/*
 * Are these two one and the same, bit by bit?  An index may hold compressed
 * what the table does not.
 */
bool
am_same_image(Datum a, Datum b, Form_pg_attribute att)
{
	Datum		plain_a = am_plain(a, att);
	Datum		plain_b = am_plain(b, att);
	Size		size_a,
				size_b;
	const char *image_a = image_of(&plain_a, att, &size_a);
	const char *image_b = image_of(&plain_b, att, &size_b);
	bool		same;

	same = size_a == size_b && memcmp(image_a, image_b, size_a) == 0;
	am_free_plain(plain_a, a);
	am_free_plain(plain_b, b);
	return same;
}

/*
 * What the tuples of one collection have in common, in four bytes.
 */
uint32
am_collection_hash(Relation rel, TupleTableSlot *slot)
{
	AttrNumber	partition = am_place_state(rel)->partition;
	Datum		value;
	bool		isnull;

	value = slot_getattr(slot, partition, &isnull);
	if (isnull)
		return 0;
	return am_image_hash(value, TupleDescAttr(RelationGetDescr(rel),
											  partition - 1));
}
