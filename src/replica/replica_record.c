/*-------------------------------------------------------------------------
 *
 * replica_record.c
 *	  Changes as they are sent: bytes.
 *
 * A batch begins with a byte, the version of this format.  A record is its
 * number, the time and the region of its version, whether the item is deleted,
 * and the length and the bytes of the item, or of its key.  Numbers are big
 * endian.  Who reads them trusts nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "item/item_bytes.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "replica/replica_internal.h"

#define FORMAT	1

static ReplicaRecord *read_record(StringInfo from);
static const Item *read_item(StringInfo from);
static void refuse(void) pg_attribute_noreturn();

void
replica_record_begin(StringInfo records)
{
	pq_sendbyte(records, FORMAT);
}

void
replica_record_append(StringInfo records, const ReplicaRecord *record)
{
	const Item *item = item_copy(record->item); /* in our version */
	uint32		len = VARSIZE_ANY_EXHDR(item);

	pq_sendint64(records, record->number);
	pq_sendint64(records, record->version.time);
	pq_sendint32(records, record->version.region);
	pq_sendbyte(records, record->deleted);
	pq_sendint32(records, len);
	appendBinaryStringInfo(records, VARDATA_ANY(item), len);
}

/*
 * Raises an error if they are not as written above.
 */
List *
replica_record_read(bytea *records)
{
	StringInfoData from = {
		.data = VARDATA_ANY(records),
		.len = VARSIZE_ANY_EXHDR(records)
	};
	List	   *list = NIL;

	if (from.len > REPLICA_MAX_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("batch of changes has more than %d bytes",
						REPLICA_MAX_RECORDS)));
	if (pq_getmsgbyte(&from) != FORMAT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("batch of changes has another format"),
				 errhint("The region that has sent it may have a newer version of dynamo.")));
	while (from.cursor < from.len)
	{
		CHECK_FOR_INTERRUPTS();
		list = lappend(list, read_record(&from));
	}
	return list;
}

static ReplicaRecord *
read_record(StringInfo from)
{
	ReplicaRecord *record = palloc0(sizeof(ReplicaRecord));

	record->number = pq_getmsgint64(from);
	record->version.time = pq_getmsgint64(from);
	record->version.region = (int32) pq_getmsgint(from, 4);
	record->deleted = pq_getmsgbyte(from) != 0;
	record->item = read_item(from);
	if (record->number <= 0 || record->version.time < 0)
		refuse();
	return record;
}

/*
 * As binary input of an item is read.
 */
static const Item *
read_item(StringInfo from)
{
	uint32		len = pq_getmsgint(from, 4);
	const char *bytes;
	Item	   *item;

	if (len > REPLICA_MAX_RECORDS)
		refuse();
	bytes = pq_getmsgbytes(from, (int) len);
	if (!item_bytes_valid(bytes, len))
		refuse();
	item = palloc((Size) VARHDRSZ + len);
	SET_VARSIZE(item, VARHDRSZ + len);
	memcpy(VARDATA(item), bytes, len);
	return item;
}

static void
refuse(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid batch of changes")));
}
