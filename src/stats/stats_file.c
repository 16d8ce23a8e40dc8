/*-------------------------------------------------------------------------
 *
 * stats_file.c
 *	  Statistics across a restart: a file beside those of core.
 *
 * The postmaster writes it when the server has been shut down, and reads and
 * removes it at the next start.  So after a crash there is none, as with
 * core's statistics.  The file is:
 *
 *		header		what it is, and how many entries follow
 *		entries		a FileTable each, with its FileIndexes and FileCells
 *		CRC-32C		of all before
 *
 * It is read as if somebody else had written it: nothing is believed before
 * its CRC, and no number after it beyond its limits.  A file that is not as we
 * would have written it is left out with a message.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/file_utils.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "stats/stats_internal.h"
#include "storage/fd.h"

#define FILE_NAME		PGSTAT_STAT_PERMANENT_DIRECTORY "/dynamo.stat"
#define TEMPORARY_NAME	FILE_NAME ".tmp"

#define MAGIC			0x64796e61
#define VERSION			1

/* No file of ours is larger. */
#define MAX_FILE		(INT64CONST(1024) * 1024 * 1024)

typedef struct FileHeader
{
	uint32		magic;
	uint32		version;
	uint32		operations;		/* what their numbers mean: a hash */
	uint32		buckets;
	uint32		ntables;
	uint32		unused;
} FileHeader;

typedef struct FileTable
{
	Oid			database;
	pg_uuid_t	id;
	uint32		nindexes;
	uint32		ncells;
	uint32		unused;
	TimestampTz since;
	uint64		ttl_deletions;
	uint64		stream_records;
} FileTable;

typedef struct FileIndex
{
	Oid			relid;
	uint32		unused;
	uint64		reads;
	uint64		counters[STATS_TIME];
} FileIndex;

typedef struct FileCell
{
	uint32		operation;
	uint32		unused;
	StatsCellCopy copy;
} FileCell;

/* A file in memory, on the way in. */
typedef struct Input
{
	const char *next;
	size_t		left;
} Input;

/* A file on the way out. */
typedef struct Output
{
	FILE	   *file;
	pg_crc32c	crc;
	bool		failed;
} Output;

static char *read_whole(size_t *len);
static bool check_frame(const char *data, size_t len);
static bool take_bytes(Input *input, void *what, size_t len);
static bool read_table(Input *input);
static bool read_index(Input *input, StatsTable *table, int n);
static bool read_cell(Input *input, StatsTable *table);
static void put(Output *out, const void *what, size_t len);
static void write_all(Output *out);
static void write_table(Output *out, StatsTable *table);
static void complain(const char *what);

/*
 * In the postmaster, before any other process is there.
 */
void
stats_file_read(void)
{
	size_t		len;
	char	   *data = read_whole(&len);
	FileHeader	header;
	Input		input = {data, len - sizeof(pg_crc32c)};
	bool		good;

	if (data == NULL)
		return;
	good = check_frame(data, len) && take_bytes(&input, &header,
												sizeof(header));
	for (uint32 i = 0; good && i < header.ntables; i++)
		good = read_table(&input);
	if (!good || input.left != 0)
		ereport(LOG,
				(errmsg("file \"%s\" is not what this version of dynamo has written",
						FILE_NAME),
				 errdetail("Statistics begin anew.")));
	pfree(data);
}

/*
 * The file's bytes; NULL: there is none, or it cannot be one.  Removes it,
 * since it is old as soon as somebody counts.
 */
static char *
read_whole(size_t *len)
{
	FILE	   *file = AllocateFile(FILE_NAME, PG_BINARY_R);
	struct stat st;
	char	   *data = NULL;

	*len = 0;
	if (file == NULL)
	{
		if (errno != ENOENT)
			complain("open");
		return NULL;
	}
	if (fstat(fileno(file), &st) != 0)
		complain("read");
	else if (S_ISREG(st.st_mode) && st.st_size <= MAX_FILE &&
			 st.st_size >= sizeof(FileHeader) + sizeof(pg_crc32c))
	{
		data = palloc_extended(st.st_size,
							   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
		if (data != NULL && fread(data, 1, st.st_size, file) != st.st_size)
		{
			pfree(data);
			data = NULL;
		}
		*len = st.st_size;
	}
	if (data == NULL)
		ereport(LOG,
				(errmsg("file \"%s\" is not what this version of dynamo has written",
						FILE_NAME),
				 errdetail("Statistics begin anew.")));
	FreeFile(file);
	(void) unlink(FILE_NAME);
	return data;
}

/*
 * Is it ours, whole, and of this version?
 */
static bool
check_frame(const char *data, size_t len)
{
	FileHeader	header;
	pg_crc32c	crc;
	pg_crc32c	stored;

	memcpy(&header, data, sizeof(header));
	memcpy(&stored, data + len - sizeof(stored), sizeof(stored));
	INIT_CRC32C(crc);
	COMP_CRC32C(crc, data, len - sizeof(stored));
	FIN_CRC32C(crc);
	return EQ_CRC32C(crc, stored) && header.magic == MAGIC &&
		header.version == VERSION && header.buckets == STATS_BUCKETS &&
		header.operations == stats_operations_hash();
}

static bool
take_bytes(Input *input, void *what, size_t len)
{
	if (input->left < len)
		return false;
	memcpy(what, input->next, len);
	input->next += len;
	input->left -= len;
	return true;
}

/*
 * One entry.  What there is no room for is read and forgotten.
 */
static bool
read_table(Input *input)
{
	FileTable	saved;
	StatsTable *table;

	if (!take_bytes(input, &saved, sizeof(saved)) ||
		saved.nindexes > STATS_MAX_INDEXES ||
		saved.ncells > STATS_MAX_OPERATIONS ||
		!IS_VALID_TIMESTAMP(saved.since))
		return false;
	table = stats_take_table(saved.database, &saved.id);
	if (table != NULL)
	{
		table->since = saved.since;
		pg_atomic_write_u64(&table->ttl_deletions, saved.ttl_deletions);
		pg_atomic_write_u64(&table->stream_records, saved.stream_records);
	}
	for (uint32 i = 0; i < saved.nindexes; i++)
	{
		if (!read_index(input, table, i))
			return false;
	}
	for (uint32 i = 0; i < saved.ncells; i++)
	{
		if (!read_cell(input, table))
			return false;
	}
	return true;
}

static bool
read_index(Input *input, StatsTable *table, int n)
{
	FileIndex	saved;
	StatsIndex *index;

	if (!take_bytes(input, &saved, sizeof(saved)) || !OidIsValid(saved.relid))
		return false;
	if (table == NULL)
		return true;
	index = &table->indexes[n];
	pg_atomic_write_u32(&index->relid, saved.relid);
	pg_atomic_write_u64(&index->reads, saved.reads);
	for (int i = 0; i < STATS_TIME; i++)
		pg_atomic_write_u64(&index->counters[i], saved.counters[i]);
	return true;
}

static bool
read_cell(Input *input, StatsTable *table)
{
	FileCell	saved;
	StatsCell  *cell;
	uint32		number;

	if (!take_bytes(input, &saved, sizeof(saved)) ||
		saved.operation >= STATS_MAX_OPERATIONS)
		return false;
	if (table == NULL || pg_atomic_read_u32(&table->cells[saved.operation]) != 0)
		return true;
	number = stats_take_cell(table);
	if (number == 0)
		return true;
	cell = &stats_memory->cells[number - 1];
	for (int i = 0; i < STATS_OUTCOMES; i++)
		pg_atomic_write_u64(&cell->outcomes[i], saved.copy.outcomes[i]);
	for (int i = 0; i < STATS_COUNTERS; i++)
		pg_atomic_write_u64(&cell->counters[i], saved.copy.counters[i]);
	for (int i = 0; i < STATS_BUCKETS; i++)
		pg_atomic_write_u64(&cell->buckets[i], saved.copy.buckets[i]);
	pg_atomic_write_u32(&table->cells[saved.operation], number);
	return true;
}

/*
 * In the postmaster, when all others are gone.
 */
void
stats_file_write(void)
{
	Output		out = {NULL};

	out.file = AllocateFile(TEMPORARY_NAME, PG_BINARY_W);
	if (out.file == NULL)
	{
		complain("write");
		return;
	}
	INIT_CRC32C(out.crc);
	write_all(&out);
	FIN_CRC32C(out.crc);
	if (fwrite(&out.crc, sizeof(out.crc), 1, out.file) != 1)
		out.failed = true;
	if (FreeFile(out.file) != 0)
		out.failed = true;
	if (out.failed)
	{
		complain("write");
		(void) unlink(TEMPORARY_NAME);
	}
	else
		(void) durable_rename(TEMPORARY_NAME, FILE_NAME, LOG);
}

static void
put(Output *out, const void *what, size_t len)
{
	COMP_CRC32C(out->crc, what, len);
	if (fwrite(what, 1, len, out->file) != len)
		out->failed = true;
}

static void
write_all(Output *out)
{
	FileHeader	header = {MAGIC, VERSION, stats_operations_hash(),
	STATS_BUCKETS};

	for (int i = 0; i < stats_memory->ntables; i++)
	{
		if (stats_memory->tables[i].used)
			header.ntables++;
	}
	put(out, &header, sizeof(header));
	for (int i = 0; i < stats_memory->ntables; i++)
	{
		if (stats_memory->tables[i].used)
			write_table(out, &stats_memory->tables[i]);
	}
}

static void
write_table(Output *out, StatsTable *table)
{
	FileTable	saved = {0};

	saved.database = table->database;
	saved.id = table->id;
	saved.since = table->since;
	saved.ttl_deletions = pg_atomic_read_u64(&table->ttl_deletions);
	saved.stream_records = pg_atomic_read_u64(&table->stream_records);
	for (int i = 0; i < STATS_MAX_INDEXES; i++)
		saved.nindexes += pg_atomic_read_u32(&table->indexes[i].relid) != InvalidOid;
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
		saved.ncells += pg_atomic_read_u32(&table->cells[i]) != 0;
	put(out, &saved, sizeof(saved));

	for (int i = 0; i < STATS_MAX_INDEXES; i++)
	{
		FileIndex	index = {0};

		index.relid = pg_atomic_read_u32(&table->indexes[i].relid);
		if (index.relid == InvalidOid)
			continue;
		(void) stats_copy_index(table, index.relid, &index.reads,
								index.counters);
		put(out, &index, sizeof(index));
	}
	for (int i = 0; i < STATS_MAX_OPERATIONS; i++)
	{
		FileCell	cell = {i};

		if (stats_copy(table, i, &cell.copy))
			put(out, &cell, sizeof(cell));
	}
}

static void
complain(const char *what)
{
	ereport(LOG,
			(errcode_for_file_access(),
			 errmsg("could not %s file \"%s\": %m", what, FILE_NAME)));
}
