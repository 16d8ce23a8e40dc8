/*-------------------------------------------------------------------------
 *
 * bucket_key.c
 *	  What names of buckets and keys of files may be.
 *
 * They are the same for folders and for stores: no part of a key leads up, so
 * that none leads out of its bucket.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "bucket/bucket_internal.h"
#include "mb/pg_wchar.h"

#define NAME_CHARACTERS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

static bool is_utf8(const char *key);
static const char *key_of(const char *prefix);
static const char *key_fault(const char *key);
static const char *part_fault(const char *part, size_t len);

/*
 * May a bucket have that name?  Letters, digits, ".", "_", "-"; 3 to 255.
 */
bool
bucket_is_name(const char *name)
{
	size_t		len = strlen(name);

	return len >= DYNAMO_MIN_NAME && len <= DYNAMO_MAX_NAME &&
		strspn(name, NAME_CHARACTERS) == len &&
		bucket_is_alphanumeric(name[0]) &&
		bucket_is_alphanumeric(name[len - 1]);
}

/*
 * Raises an error for what is no key; "" and one "/" at the end are allowed.
 */
void
bucket_check_prefix(const char *prefix)
{
	if (prefix[0] != '\0')
		bucket_check_key(key_of(prefix));
}

/*
 * What is wrong with it, as a sentence; NULL: it is one.
 */
const char *
bucket_prefix_fault(const char *prefix)
{
	return prefix[0] != '\0' ? key_fault(key_of(prefix)) : NULL;
}

/*
 * Without the "/" at the end.
 */
static const char *
key_of(const char *prefix)
{
	size_t		len = strlen(prefix);

	return prefix[len - 1] == '/' ? pnstrdup(prefix, len - 1) : prefix;
}

/*
 * Raises an error for what is no key of a file.
 */
void
bucket_check_key(const char *key)
{
	const char *fault = key_fault(key);

	if (fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 bucket_rule(BUCKET_RULE_KEY),
				 errmsg("invalid key of a file in a bucket: \"%s\"",
						is_utf8(key) ? key : ""),
				 errdetail_internal("%s", fault)));
}

static bool
is_utf8(const char *key)
{
	return pg_verify_mbstr(PG_UTF8, key, strlen(key), true);
}

/*
 * What is wrong with it, as a sentence; NULL: it is a key.
 */
static const char *
key_fault(const char *key)
{
	const char *part = key;

	if (strlen(key) > BUCKET_MAX_KEY)
		return _("It is too long.");
	if (!is_utf8(key))
		return _("It is not text in UTF-8.");
	for (;;)
	{
		size_t		len = strcspn(part, "/");
		const char *fault = part_fault(part, len);

		if (fault != NULL || part[len] == '\0')
			return fault;
		part += len + 1;
	}
}

static const char *
part_fault(const char *part, size_t len)
{
	if (len == 0)
		return _("A part between slashes is empty.");
	if (len > BUCKET_MAX_PART)
		return _("A part between slashes is too long.");
	if ((len == 1 && part[0] == '.') ||
		(len == 2 && part[0] == '.' && part[1] == '.'))
		return _("A part between slashes is \".\" or \"..\".");
	if (strncmp(part, BUCKET_TEMPORARY, strlen(BUCKET_TEMPORARY)) == 0)
		return _("Names of temporary files begin so.");
	for (size_t i = 0; i < len; i++)
	{
		if ((unsigned char) part[i] < ' ' || part[i] == '\\' ||
			part[i] == '\177')
			return _("It has a control character or a backslash.");
	}
	return NULL;
}

/*
 * Raises an error if a listing has found so many.
 */
void
bucket_check_count(const Bucket *bucket, int files)
{
	if (files > BUCKET_MAX_FILES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 bucket_rule(BUCKET_RULE_FILE),
				 errmsg("too many files in bucket \"%s\"", bucket->name),
				 errdetail("No more than %d are read.", BUCKET_MAX_FILES)));
}

/*
 * Is a file to be passed over, as no key leads to it?  A warning says so.
 */
bool
bucket_is_odd(const Bucket *bucket, const char *key)
{
	const char *fault = key_fault(key);
	StringInfoData shown;

	if (fault == NULL)
		return false;
	initStringInfo(&shown);
	for (const char *p = key; *p != '\0'; p++)
	{
		if (*p >= ' ' && *p < '\177' && *p != '\\')
			appendStringInfoChar(&shown, *p);
		else
			appendStringInfo(&shown, "\\%03o", (unsigned char) *p);
	}
	ereport(WARNING,
			(errcode(ERRCODE_INVALID_NAME),
			 errmsg("file \"%s\" of bucket \"%s\" is passed over: its name is no key",
					shown.data, bucket->name),
			 errdetail_internal("%s", fault)));
	return true;
}
