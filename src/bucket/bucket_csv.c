/*-------------------------------------------------------------------------
 *
 * bucket_csv.c
 *	  Records of CSV, after RFC 4180, with any of six delimiters.
 *
 * A cell with quotes around it may have delimiters, line ends, and quotes that
 * are doubled.  A quote in a cell that does not begin with one, and text
 * behind a closing quote, are refused: their writer meant something else.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"
#include "miscadmin.h"

static const char *take_part(BucketCsv *csv, const char *p, const char *end);
static void end_cell(BucketCsv *csv);
static const BucketColumn *find_column(const BucketSource *source,
									   const char *name);
static void read_cell(const char *cell, size_t len, ItemType type,
					  ItemNode *node);

/*
 * Records of cells that this delimiter separates.  Memory is of the current
 * context.
 */
void
bucket_csv_init(BucketCsv *csv, char delimiter)
{
	memset(csv, 0, sizeof(BucketCsv));
	csv->delimiter = delimiter;
	csv->space = 16;
	csv->ends = palloc(sizeof(int) * csv->space);
	initStringInfo(&csv->text);
}

/*
 * Begin another record.
 */
void
bucket_csv_begin(BucketCsv *csv)
{
	csv->state = BUCKET_CSV_BEGIN;
	csv->size = 0;
	csv->count = 0;
	csv->problem = NULL;
	resetStringInfo(&csv->text);
}

/*
 * True: the record ends with this line.
 */
bool
bucket_csv_line(BucketCsv *csv, const BucketLine *line)
{
	const char *p = line->text;
	const char *end = p + line->len;

	csv->size += line->len;
	if (line->too_long || csv->size > BUCKET_MAX_LINE)
		csv->problem = _("the record is too long");
	while (csv->problem == NULL && p < end)
	{
		CHECK_FOR_INTERRUPTS();
		p = take_part(csv, p, end);
	}
	if (csv->problem == NULL && csv->state == BUCKET_CSV_QUOTED)
	{
		csv->size += line->crlf ? 2 : 1;
		appendStringInfoString(&csv->text, line->crlf ? "\r\n" : "\n");
		return false;
	}
	end_cell(csv);
	return true;
}

/*
 * Take what stands at "p" up to the next quote or delimiter, or that one.
 */
static const char *
take_part(BucketCsv *csv, const char *p, const char *end)
{
	const char *start = p;

	if (csv->state == BUCKET_CSV_QUOTED && *p != '"')
	{
		p = memchr(p, '"', end - p);
		if (p == NULL)
			p = end;
		appendBinaryStringInfo(&csv->text, start, p - start);
		return p;
	}
	if (*p == '"')
	{
		switch (csv->state)
		{
			case BUCKET_CSV_BEGIN:
				csv->state = BUCKET_CSV_QUOTED;
				break;
			case BUCKET_CSV_QUOTED:
				csv->state = BUCKET_CSV_CLOSED;
				break;
			case BUCKET_CSV_CLOSED:
				appendStringInfoChar(&csv->text, '"');
				csv->state = BUCKET_CSV_QUOTED;
				break;
			case BUCKET_CSV_BARE:
				csv->problem = _("a quote stands in a cell that does not begin with one");
				break;
		}
		return p + 1;
	}
	if (*p == csv->delimiter)
	{
		end_cell(csv);
		csv->state = BUCKET_CSV_BEGIN;
		return p + 1;
	}
	if (csv->state == BUCKET_CSV_CLOSED)
	{
		csv->problem = _("something stands between a closing quote and the next delimiter");
		return end;
	}
	csv->state = BUCKET_CSV_BARE;
	while (p < end && *p != csv->delimiter && *p != '"')
		p++;
	appendBinaryStringInfo(&csv->text, start, p - start);
	return p;
}

static void
end_cell(BucketCsv *csv)
{
	if (csv->count == csv->space)
	{
		csv->space *= 2;
		csv->ends = repalloc(csv->ends, sizeof(int) * csv->space);
	}
	csv->ends[csv->count++] = csv->text.len;
}

/*
 * Cell number "n", from 0; not terminated.
 */
static const char *
cell_of(const BucketCsv *csv, int n, size_t *len)
{
	int			start = n > 0 ? csv->ends[n - 1] : 0;

	*len = csv->ends[n] - start;
	return csv->text.data + start;
}

/*
 * The names in a record that is a header; an error for one that is empty or
 * comes twice.
 */
List *
bucket_csv_header(const BucketCsv *csv)
{
	List	   *names = NIL;

	for (int i = 0; i < csv->count; i++)
	{
		size_t		len;
		const char *cell = cell_of(csv, i, &len);

		names = lappend(names, pnstrdup(cell, len));
	}
	return names;
}

/*
 * An error for a name that is empty, too long, or comes twice.
 */
void
bucket_csv_check_header(List *names)
{
	const char **array = palloc(sizeof(char *) * Max(list_length(names), 1));
	ListCell   *lc;
	int			duplicate;

	foreach(lc, names)
	{
		const char *name = lfirst(lc);

		array[foreach_current_index(lc)] = name;
		codec_check_name(name, strlen(name));
	}
	duplicate = dynamo_first_duplicate(array, list_length(names));
	if (duplicate >= 0)
		dynamo_error(DYNAMO_VALIDATION, "Column \"%s\" comes twice in the header",
					 array[duplicate]);
}

/*
 * The record as an item; raises ValidationException for what is none.
 */
Item *
bucket_csv_item(const BucketCsv *csv, List *header, const BucketSource *source)
{
	ItemNode	node;

	if (csv->problem)
		dynamo_error(DYNAMO_VALIDATION, "CSV is malformed: %s", csv->problem);
	if (csv->count > list_length(header))
		dynamo_error(DYNAMO_VALIDATION,
					 "CSV is malformed: the record has %d cells, but there are %d columns",
					 csv->count, list_length(header));
	item_node_init(&node, ITEM_M);
	for (int i = 0; i < csv->count; i++)
	{
		const char *name = list_nth(header, i);
		const BucketColumn *column = find_column(source, name);
		size_t		len;
		const char *cell = cell_of(csv, i, &len);

		CHECK_FOR_INTERRUPTS();
		if (len > 0)
			read_cell(cell, len, column ? column->type : ITEM_S,
					  item_node_add(&node, name, strlen(name)));
	}
	item_node_sort(&node);
	return item_pack(&node);
}

/*
 * The column of that name that is no string; NULL: there is none.
 */
static const BucketColumn *
find_column(const BucketSource *source, const char *name)
{
	for (int i = 0; i < source->ncolumns; i++)
	{
		if (strcmp(source->columns[i].name, name) == 0)
			return &source->columns[i];
	}
	return NULL;
}

static void
read_cell(const char *cell, size_t len, ItemType type, ItemNode *node)
{
	ItemValue	value = {type, len, cell};

	if (type == ITEM_N)
		value = item_number(cell, len, ITEM_CURRENT);
	else if (type == ITEM_B)
	{
		char	   *bytes = palloc(len / 4 * 3 + 1);

		if (item_base64_decode(cell, len, bytes, &value.len) != ITEM_BASE64_OK)
			dynamo_error(DYNAMO_VALIDATION, "Base64 of a binary key is malformed");
		value.data = bytes;
	}
	item_node_leaf(node, &value);
}
