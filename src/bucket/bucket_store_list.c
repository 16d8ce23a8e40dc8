/*-------------------------------------------------------------------------
 *
 * bucket_store_list.c
 *	  The files at a store, and the uploads that were not completed.
 *
 * A page at a time is read into memory that is there before, for the parser that
 * calls us back can pass no error on.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_store.h"
#include "miscadmin.h"

/* Entries of a page, as many as we ask for. */
#define PAGE			1000

/* Of a file, so that the sum of all is a number. */
#define MAX_SIZE		(PG_INT64_MAX / BUCKET_MAX_FILES)

/* As they are encoded. */
#define MAX_KEY			(3 * BUCKET_MAX_KEY)
#define MAX_TOKEN		2048

typedef struct StoreEntry
{
	char		key[MAX_KEY + 1];
	char		upload[MAX_TOKEN + 1];	/* of uploads */
	int64		size;			/* of objects */
} StoreEntry;

typedef struct StorePage
{
	const char *element;		/* that an entry is */
	int			count;
	bool		encoded;		/* keys are, as in URLs */
	bool		truncated;		/* there are more */
	char		token[MAX_TOKEN + 1];	/* to ask for them */
	StoreEntry	entries[PAGE + 1];	/* the last one is being read */
} StorePage;

static StorePage *new_page(const char *element);
static char *page_parameters(const StorePage *page, const char *prefix);
static bool note_element(void *page, const char *parent, const char *name,
						 const char *text);
static bool note_of_entry(StorePage *page, const char *name, const char *text);
static bool copy_text(char *to, size_t size, const char *text);
static List *add_files(List *files, StoreBucket *bucket, const StorePage *page);
static char *entry_key(const StorePage *page, const StoreEntry *entry);
static int	hex_digit(char c);

/*
 * See BucketOps.
 */
List *
store_list(Bucket *base, const char *prefix)
{
	StoreBucket *bucket = (StoreBucket *) base;
	StorePage  *page = new_page("Contents");
	List	   *files = NIL;
	int			entries = 0;

	do
	{
		StoreRequest request = {.method = "GET"};
		StoreAnswer answer;
		char	   *token = pstrdup(page->token);

		CHECK_FOR_INTERRUPTS();
		request.url = store_url(bucket, "", page_parameters(page, prefix));
		if (!store_document(bucket, "", &request, STORE_FOUND, note_element,
							page, &answer) ||
			(page->truncated && (page->count == 0 || page->token[0] == '\0' ||
								 strcmp(page->token, token) == 0)))
			ereport(ERROR,
					(errcode(ERRCODE_FDW_ERROR),
					 bucket_rule(BUCKET_RULE_FILE),
					 errmsg("store of bucket \"%s\" does not tell what files it has",
							base->name)));
		files = add_files(files, bucket, page);
		entries += page->count;
		bucket_check_count(base, list_length(files));
		/* What is passed over has a limit, too, or pages might have no end. */
		bucket_check_count(base, entries - list_length(files));
		pfree(token);
	} while (page->truncated);
	pfree(page);
	return files;
}

static StorePage *
new_page(const char *element)
{
	StorePage  *page = palloc(sizeof(StorePage));

	page->element = element;
	page->token[0] = '\0';
	return page;
}

/*
 * In the order in which they are signed.
 */
static char *
page_parameters(const StorePage *page, const char *prefix)
{
	StringInfoData out;

	initStringInfo(&out);
	if (page->token[0] != '\0')
	{
		appendStringInfoString(&out, "continuation-token=");
		store_append_encoded(&out, page->token, "");
		appendStringInfoChar(&out, '&');
	}
	appendStringInfo(&out, "encoding-type=url&list-type=2&max-keys=%d&prefix=",
					 PAGE);
	store_append_encoded(&out, prefix, "");
	return out.data;
}

/*
 * See StoreElement.
 */
static bool
note_element(void *arg, const char *parent, const char *name,
			 const char *text)
{
	StorePage  *page = arg;

	if (name == NULL)
	{
		page->count = 0;
		page->truncated = page->encoded = false;
		page->token[0] = '\0';
		memset(&page->entries[0], 0, sizeof(StoreEntry));
		return true;
	}
	if (strcmp(parent, page->element) == 0)
		return page->count < PAGE && note_of_entry(page, name, text);
	if (strcmp(name, page->element) == 0)
	{
		if (page->count == PAGE)
			return false;
		memset(&page->entries[++page->count], 0, sizeof(StoreEntry));
		return true;
	}
	if (text == NULL)
		return true;
	if (strcmp(name, "IsTruncated") == 0)
		page->truncated = strcmp(text, "true") == 0;
	else if (strcmp(name, "EncodingType") == 0)
		page->encoded = strcmp(text, "url") == 0;
	else if (strcmp(name, "NextContinuationToken") == 0)
		return copy_text(page->token, sizeof(page->token), text);
	return true;
}

static bool
note_of_entry(StorePage *page, const char *name, const char *text)
{
	StoreEntry *entry = &page->entries[page->count];

	if (text == NULL)
		return true;
	if (strcmp(name, "Key") == 0)
		return copy_text(entry->key, sizeof(entry->key), text);
	if (strcmp(name, "UploadId") == 0)
		return copy_text(entry->upload, sizeof(entry->upload), text);
	if (strcmp(name, "Size") == 0)
	{
		entry->size = strtoll(text, NULL, 10);
		return entry->size >= 0 && entry->size <= MAX_SIZE;
	}
	return true;
}

static bool
copy_text(char *to, size_t size, const char *text)
{
	return strlcpy(to, text, size) < size;
}

/*
 * What ends in "/" stands for a folder, and has no content.
 */
static List *
add_files(List *files, StoreBucket *bucket, const StorePage *page)
{
	for (int i = 0; i < page->count; i++)
	{
		char	   *key = entry_key(page, &page->entries[i]);
		size_t		len = strlen(key);
		BucketFile *file;

		if ((len > 0 && key[len - 1] == '/') ||
			bucket_is_odd(&bucket->base, key))
			continue;
		file = palloc(sizeof(BucketFile));
		file->key = key;
		file->size = page->entries[i].size;
		files = lappend(files, file);
	}
	return files;
}

static char *
entry_key(const StorePage *page, const StoreEntry *entry)
{
	char	   *key = pstrdup(entry->key);
	char	   *to = key;

	if (!page->encoded)
		return key;
	for (const char *from = key; *from != '\0'; from++)
	{
		if (*from == '%' && hex_digit(from[1]) >= 0 && hex_digit(from[2]) >= 0)
		{
			*to++ = hex_digit(from[1]) << 4 | hex_digit(from[2]);
			from += 2;
		}
		else
			*to++ = *from == '+' ? ' ' : *from;
	}
	*to = '\0';
	return key;
}

/*
 * -1: it is none.
 */
static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/*
 * Abort the uploads of a key that were never completed.  A store that does not
 * tell of uploads, or may not, keeps them, and takes space for them.
 */
void
store_abort_uploads(StoreBucket *bucket, const char *key)
{
	StorePage  *page = new_page("Upload");
	StringInfoData parameters;
	StoreRequest request = {.method = "GET"};
	StoreAnswer answer;

	initStringInfo(&parameters);
	appendStringInfo(&parameters, "encoding-type=url&max-uploads=%d&prefix=",
					 PAGE);
	store_append_encoded(&parameters, key, "");
	appendStringInfoString(&parameters, "&uploads=");
	request.url = store_url(bucket, "", parameters.data);
	if (!store_document(bucket, key, &request, STORE_ANYTHING, note_element,
						page, &answer))
	{
		if (strcmp(answer.code, "NoSuchBucket") == 0)
			store_refuse(bucket, key, &answer);
		ereport(WARNING,
				(errcode(ERRCODE_FDW_ERROR),
				 errmsg("could not look for unfinished uploads of file \"%s\" of bucket \"%s\"",
						key, bucket->base.name),
				 errdetail("The store has answered with status %ld.",
						   answer.status)));
		page->count = 0;
	}
	for (int i = 0; i < page->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (strcmp(entry_key(page, &page->entries[i]), key) == 0)
			store_abort_upload(bucket, key, page->entries[i].upload);
	}
	pfree(page);
}

/*
 * Abort an upload, if there is one.
 */
void
store_abort_upload(StoreBucket *bucket, const char *key, const char *upload)
{
	StringInfoData parameters;
	StoreRequest request = {.method = "DELETE"};
	StoreAnswer answer;

	initStringInfo(&parameters);
	appendStringInfoString(&parameters, "uploadId=");
	store_append_encoded(&parameters, upload, "");
	request.url = store_url(bucket, key, parameters.data);
	store_send(bucket, key, &request, STORE_MAYBE, &answer);
}
