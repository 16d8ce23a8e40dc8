/*-------------------------------------------------------------------------
 *
 * global_shared.c
 *	  Settings that are the same in all regions of a global table: a document.
 *
 * The document (dynamo_internal.shared_settings) has an entry for each setting:
 * its value, and when and in which region it was set.  Of two entries the later is
 * the one; of two of the same time, that of the region whose name is greater.
 * Whoever has changed a setting, by whatever door, has made the table differ from
 * its document: global_share_settings() notes that as set now.  A peer's document
 * is merged entry by entry, and what is later there is done here
 * (global_apply.c).  An entry that cannot be done yet stays as it was, and is
 * merged again.
 *
 * The region that makes a table global begins the document.  Others take a whole
 * one: until then a table has nothing to tell, since what it has not been told
 * would pass for what was set there now.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "global/global_internal.h"
#include "meta/meta.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#define SHARED_RELATION		1
#define SHARED_DOCUMENT		2
#define SHARED_NATTS		2

/* How far a peer's clock may be ahead, and bytes of a document. */
#define MAX_AHEAD			500
#define MAX_DOCUMENT		(1024 * 1024)

static const DynamoColumn shared_columns[] = {
	{REGCLASSOID, true}, {TEXTOID, true}
};

StaticAssertDecl(lengthof(shared_columns) == SHARED_NATTS,
				 "each column has its type");

static DynamoIndex shared_indexes[] = {
	{1, {SHARED_RELATION}},
};

static DynamoMember shared_settings =
DYNAMO_INTERNAL_TABLE("shared_settings", shared_columns,
					  DYNAMO_INDEXES(shared_indexes));

/* An entry, of a document that was read. */
typedef struct SharedEntry
{
	int64		time;			/* ms */
	const char *region;
	json_t	   *value;			/* JSON null: there is none */
} SharedEntry;

static void forget(Oid relid);
static void table_gone(Oid relid, Oid owner);
static void *read_document(Relation rel, HeapTuple tuple);
static bool scan_document(MetaScan *scan, Oid relid);
static const char *stored(Oid relid);
static void store(Oid relid, const char *document);
static void check_size(size_t bytes);
static json_t *parse(const char *document);
static const char *reconciled(const TableDef *def, const char *document);
static bool read_entry(json_t *document, const char *name, SharedEntry *entry);
static bool is_later(const SharedEntry *a, const SharedEntry *b);
static void append_entry(StringInfo out, const char *name, const SharedEntry *entry);
static void append_missing(StringInfo out, json_t *document, json_t *others,
						   const SharedEntry *gone);

void
global_init(void)
{
	static const SchemaFollower follower = {
		.gone = table_gone,
		.dropped = forget
	};

	schema_follow(&follower);
}

static void
table_gone(Oid relid, Oid owner)
{
	forget(relid);
}

static void
forget(Oid relid)
{
	MetaScan	scan;

	if (scan_document(&scan, relid))
		meta_delete(&scan);
	meta_end(&scan);
}

/*
 * The document of a table, after what was changed here has been noted; NULL: it
 * has none.  "begin": then it gets one.
 */
const char *
global_share_settings(const TableDef *def, bool begin)
{
	const char *old = stored(def->relid);
	const char *now;

	if (old == NULL && !begin)
		return NULL;
	now = reconciled(def, old ? old : "{}");
	if (old == NULL || strcmp(old, now) != 0)
		store(def->relid, now);
	return now;
}

/*
 * Do here what is later in a peer's document, of which nothing is known yet.
 * Returns the document that there is then; NULL: there is no such global table.
 * For the table's owner.  Raises what UpdateTable and the like raise.
 */
const char *
global_merge_settings(const char *table, const char *document)
{
	const TableDef *def;
	const char *old;
	json_t	   *theirs;
	json_t	   *ours;
	json_t	   *here;
	json_t	   *billing;
	bool		whole = true;
	int64		now = wire_milliseconds(GetCurrentTimestamp());
	StringInfoData out;
	const char *name;
	json_t	   *value;

	check_size(strlen(document));
	schema_lock_definition(table);
	def = schema_find_table(table);
	if (def == NULL || !schema_check_use(def, "UpdateTable") ||
		def->replication == NULL)
		return NULL;
	theirs = parse(document);
	billing = json_object_get(json_object_get(theirs, "Billing"), "Value");
	old = stored(def->relid);
	ours = parse(old ? reconciled(def, old) : "{}");
	here = parse(global_settings_of(def));

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	json_object_foreach(theirs, name, value)
	{
		json_t	   *set = json_object_get(here, name);
		SharedEntry mine = {0};
		SharedEntry other;
		bool		known = read_entry(ours, name, &mine);

		CHECK_FOR_INTERRUPTS();
		if (!read_entry(theirs, name, &other))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("entry \"%s\" of a document is not valid", name)));
		if (other.time <= now + MAX_AHEAD && is_later(&other, &mine) &&
			(json_equal(other.value, set ? set : json_null()) ||
			 global_apply_setting(table, name, other.value, billing)))
			append_entry(&out, name, &other);
		else if (known)
			append_entry(&out, name, &mine);
		else
			whole = false;
	}
	append_missing(&out, ours, theirs, NULL);
	appendStringInfoChar(&out, '}');
	check_size(out.len);
	if (out.len > 2 && (old != NULL || whole))
		store(def->relid, out.data);
	return out.data;
}

static void
check_size(size_t bytes)
{
	if (bytes > MAX_DOCUMENT)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("document of settings has more than %d bytes",
						MAX_DOCUMENT)));
}

/*
 * Do two documents say the same?
 */
bool
global_same_settings(const char *a, const char *b)
{
	return json_equal(parse(a), parse(b));
}

/*
 * A document with entries, set here and now, for what the table has otherwise.
 */
static const char *
reconciled(const TableDef *def, const char *document)
{
	json_t	   *old = parse(document);
	json_t	   *now = parse(global_settings_of(def));
	int64		time = wire_milliseconds(GetCurrentTimestamp());
	SharedEntry gone = {.time = time, .region = region_own()->name,
	.value = json_null()};
	StringInfoData out;
	const char *name;
	json_t	   *value;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	json_object_foreach(now, name, value)
	{
		SharedEntry entry;

		CHECK_FOR_INTERRUPTS();
		if (!read_entry(old, name, &entry))
			entry.time = 0;
		else if (json_equal(entry.value, value))
		{
			append_entry(&out, name, &entry);
			continue;
		}
		entry.time = Max(time, entry.time + 1);
		entry.region = gone.region;
		entry.value = value;
		append_entry(&out, name, &entry);
	}
	append_missing(&out, old, now, &gone);
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * Append those entries of a document that "others" has not: as they are, or
 * those with a value as "gone".
 */
static void
append_missing(StringInfo out, json_t *document, json_t *others,
			   const SharedEntry *gone)
{
	const char *name;
	json_t	   *value;

	json_object_foreach(document, name, value)
	{
		SharedEntry entry;

		CHECK_FOR_INTERRUPTS();
		if (json_object_get(others, name) != NULL ||
			!read_entry(document, name, &entry))
			continue;
		if (gone != NULL && !json_is_null(entry.value) &&
			global_setting_goes(name))
		{
			int64		time = Max(gone->time, entry.time + 1);

			entry = *gone;
			entry.time = time;
		}
		append_entry(out, name, &entry);
	}
}

static bool
read_entry(json_t *document, const char *name, SharedEntry *entry)
{
	json_t	   *found = json_object_get(document, name);
	json_t	   *time = json_object_get(found, "Time");
	json_t	   *region = json_object_get(found, "Region");

	if (!json_is_integer(time) || !json_is_string(region) ||
		json_object_get(found, "Value") == NULL)
		return false;
	entry->time = json_integer_value(time);
	entry->region = wire_json_text(region);
	entry->value = json_object_get(found, "Value");
	return true;
}

static bool
is_later(const SharedEntry *a, const SharedEntry *b)
{
	if (a->time != b->time || b->region == NULL)
		return a->time > b->time || b->region == NULL;
	return strcmp(a->region, b->region) > 0;
}

static void
append_entry(StringInfo out, const char *name, const SharedEntry *entry)
{
	wire_member(out, name);
	appendStringInfoChar(out, '{');
	wire_integer_member(out, "Time", entry->time);
	wire_string_member(out, "Region", entry->region);
	wire_member(out, "Value");
	wire_append_json(out, entry->value);
	appendStringInfoChar(out, '}');
}

static json_t *
parse(const char *document)
{
	json_error_t error;
	json_t	   *object = codec_load(document, strlen(document), &error);

	if (!json_is_object(object))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("document of settings is not a JSON object")));
	return object;
}

/* NULL: there is none. */
static const char *
stored(Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, SHARED_RELATION, relid);
	return meta_first(&shared_settings, &shared_indexes[0], 1, &key,
					  read_document);
}

static void *
read_document(Relation rel, HeapTuple tuple)
{
	return meta_text_column(tuple, SHARED_DOCUMENT, rel);
}

static void
store(Oid relid, const char *document)
{
	MetaScan	scan;
	MetaRow		row;
	bool		found = scan_document(&scan, relid);

	meta_init_row(&row);
	meta_set_column(&row, SHARED_RELATION, ObjectIdGetDatum(relid));
	meta_set_column(&row, SHARED_DOCUMENT, CStringGetTextDatum(document));
	if (found)
		meta_change(&scan, &row);
	meta_end(&scan);
	if (!found)
		meta_insert(&shared_settings, &row);
}

/* The caller ends the scan.  False: there is none. */
static bool
scan_document(MetaScan *scan, Oid relid)
{
	ScanKeyData key;

	meta_oid_key(&key, SHARED_RELATION, relid);
	meta_scan(scan, &shared_settings, RowExclusiveLock, &shared_indexes[0], 1,
			  &key);
	return meta_next(scan);
}
