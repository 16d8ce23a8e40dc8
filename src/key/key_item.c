/*-------------------------------------------------------------------------
 *
 * key_item.c
 *	  Keys of items, of tables and of indexes: finding them in an item, and
 *	  refusing those that the schema does not allow.
 *
 * Checks go attribute by attribute, HASH before RANGE, the table's key before
 * those of its indexes, and indexes by name, so that of several errors the
 * service's is reported.
 *
 * An index key that an item has not is no error: the item is not in the
 * index.  One of a wrong type is, on every write through the engine.  Rows
 * that came by plain SQL, or were there before the index, may have one all
 * the same; they are not in the index either, and updates that do not touch
 * the attribute leave them alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "key/key.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "vector/vector.h"

#define KEY_MISMATCH	"The provided key element does not match the schema"

static bool get_attr(const Item *item, const KeyAttr *attr,
					 ItemValue *value);
static void get_key_attr(const Item *key, const KeyAttr *attr,
						 ItemValue *value);
static void item_key_attr(const Item *item, const KeyAttr *attr,
						  ItemValue *value);
static void check_key_value(const KeyAttr *attr, const ItemValue *value,
							bool hash);
static ItemValue value_for(const KeyAttr *attr, const ItemValue *value);
static TableKey *make_key(const TableDef *def, TableKey *key);
static void check_index_keys(const IndexDef *index, const Item *item);
static void check_index_key(const IndexDef *index, const KeyAttr *attr,
							uint32 max_len, const Item *item);
static uint32 aggregated_size(const IndexDef *index, const Item *item);
static void check_index_type(const IndexDef *index, const KeyAttr *attr,
							 const ItemValue *value);
static void check_update_value(const IndexDef *index, const KeyAttr *attr,
							   const ExprUpdate *update);
static void check_updated_key(const IndexDef *index, const KeyAttr *attr,
							  uint32 max_len, const ExprUpdate *update,
							  const Item *item);
static void check_updated_vector(const IndexDef *index,
								 const ExprUpdate *update, const Item *item);
static void put_attr(ItemNode *map, const Item *item, const KeyAttr *attr);
static void put_value(ItemNode *map, const KeyAttr *attr,
					  const ItemValue *value);
static void put_index_attrs(ItemNode *map, const IndexDef *index,
							const Item *item);

/*
 * A Key: exactly the key attributes.
 */
TableKey *
key_given(const TableDef *def, const Item *key)
{
	TableKey   *result = palloc0(sizeof(TableKey));
	ItemValue	root = item_root(key);
	SchemaHelp	help;

	schema_help_begin(&help, def, NULL);
	if (item_member_count(&root) != (def->range.name ? 2 : 1))
		dynamo_error(DYNAMO_VALIDATION, KEY_MISMATCH);
	get_key_attr(key, &def->hash, &result->hash);
	if (def->range.name)
		get_key_attr(key, &def->range, &result->range);
	check_key_value(&def->hash, &result->hash, true);
	if (def->range.name)
		check_key_value(&def->range, &result->range, false);
	schema_help_end(&help);
	return make_key(def, result);
}

/*
 * A Key of bare values, the HASH attribute's first.
 */
Item *
key_of_values(const TableDef *def, const ItemValue *values, int nvalues)
{
	ItemNode	key;
	ItemValue	value;
	SchemaHelp	help;

	schema_help_begin(&help, def, NULL);
	if (nvalues != (def->range.name ? 2 : 1))
		dynamo_error(DYNAMO_VALIDATION, KEY_MISMATCH);
	item_node_init(&key, ITEM_M);
	for (int i = 0; i < nvalues; i++)
	{
		const KeyAttr *attr = i == 0 ? &def->hash : &def->range;

		value = value_for(attr, &values[i]);
		item_node_leaf(item_node_put(&key, attr->name, strlen(attr->name)),
					   &value);
	}
	schema_help_end(&help);
	return item_pack(&key);
}

/*
 * Text stands for a number or a binary where the key is one.
 */
static ItemValue
value_for(const KeyAttr *attr, const ItemValue *value)
{
	ItemValue	binary = {ITEM_B, 0, NULL};
	bytea	   *bytes;

	if (value->type != ITEM_S || attr->type == 'S')
		return *value;
	if (attr->type == 'N')
		return item_number(value->data, value->len, ITEM_CURRENT);
	bytes = DatumGetByteaPP(DirectFunctionCall1(byteain,
												CStringGetDatum(pnstrdup(value->data,
																		 value->len))));
	binary.data = VARDATA_ANY(bytes);
	binary.len = VARSIZE_ANY_EXHDR(bytes);
	return binary;
}

/*
 * The key of an item to be put.  Its index keys are checked, too.
 */
TableKey *
key_of_item(const TableDef *def, const Item *item)
{
	TableKey   *result = palloc0(sizeof(TableKey));
	SchemaHelp	help;

	schema_help_begin(&help, def, NULL);
	help.column = "pk";
	item_key_attr(item, &def->hash, &result->hash);
	check_key_value(&def->hash, &result->hash, true);
	if (def->range.name)
	{
		help.column = "sk";
		item_key_attr(item, &def->range, &result->range);
		check_key_value(&def->range, &result->range, false);
	}
	schema_help_end(&help);
	for (int i = 0; i < def->nindexes; i++)
		check_index_keys(&def->indexes[i], item);
	vector_check_item(def, item);
	return make_key(def, result);
}

/*
 * Order of keys within a table: that of its primary index.
 */
int
key_compare(const TableKey *a, const TableKey *b)
{
	int			order = item_partition_key_compare(a->pk, b->pk);

	if (order == 0 && a->sk != NULL && b->sk != NULL)
		order = item_sort_key_compare(a->sk, b->sk);
	return order;
}

/*
 * The order in which everything that writes several items of a transaction
 * takes them: by the names of their tables, then by their keys.  With another
 * order two of them could wait for each other. 0: it is the same item.  Names
 * are the same on all nodes of a cluster; OIDs are not.  Shards of a table have
 * its name, and relations of their own.
 */
int
key_lock_order(const TableDef *a_def, const TableKey *a,
			   const TableDef *b_def, const TableKey *b)
{
	int			order = a_def->relid == b_def->relid ? 0 :
		strcmp(a_def->name, b_def->name);

	return order != 0 ? order : key_compare(a, b);
}

/*
 * The key of an item, as a Key or, with an index, an ExclusiveStartKey.
 */
Item *
key_as_item(const TableDef *def, const IndexDef *index, const Item *item)
{
	ItemNode	map;

	item_node_init(&map, ITEM_M);
	put_attr(&map, item, &def->hash);
	if (def->range.name)
		put_attr(&map, item, &def->range);
	if (index)
		put_index_attrs(&map, index, item);
	return item_pack(&map);
}

/*
 * The Key of an item whose attributes have been looked up; "range" is not looked at
 * where the table has none.
 */
Item *
key_of_attrs(const TableDef *def, const ItemValue *hash,
			 const ItemValue *range)
{
	ItemNode	map;

	item_node_init(&map, ITEM_M);
	put_value(&map, &def->hash, hash);
	if (def->range.name)
		put_value(&map, &def->range, range);
	return item_pack(&map);
}

/*
 * What an index carries of an item.
 */
const Item *
key_index_entry(const TableDef *def, const IndexDef *index,
				const Item *item)
{
	ItemNode	map;

	if (index->projection == PROJECTION_ALL)
		return item;

	item_node_init(&map, ITEM_M);
	put_attr(&map, item, &def->hash);
	if (def->range.name)
		put_attr(&map, item, &def->range);
	put_index_attrs(&map, index, item);
	if (index->projection == PROJECTION_INCLUDE)
	{
		for (int i = 0; i < index->nnonkey; i++)
		{
			KeyAttr		attr = {index->nonkey[i], 0};

			put_attr(&map, item, &attr);
		}
	}
	return item_pack(&map);
}

/* A key attribute of a stored item or of a checked ExclusiveStartKey. */
ItemValue
key_stored_attr(const Item *item, const KeyAttr *attr)
{
	ItemValue	value;

	if (!get_attr(item, attr, &value))
		dynamo_error(DYNAMO_VALIDATION, "The provided starting key is invalid");
	return value;
}

/*
 * The key of such an item.
 */
TableKey *
key_stored(const TableDef *def, const Item *item)
{
	TableKey   *key = palloc0(sizeof(TableKey));

	key->hash = key_stored_attr(item, &def->hash);
	if (def->range.name)
		key->range = key_stored_attr(item, &def->range);
	return make_key(def, key);
}

/*
 * The tie-breaker in indexes.
 */
int32
key_tie_breaker(const TableKey *key)
{
	return item_key_hash(&key->hash, key->sk ? &key->range : NULL);
}

static bool
get_attr(const Item *item, const KeyAttr *attr, ItemValue *value)
{
	return item_get(item, attr->name, strlen(attr->name), value);
}

/*
 * The attribute, if the item has it and it has the type of the schema.
 */
bool
key_attr_value(const Item *item, const KeyAttr *attr, ItemValue *value)
{
	return item_get_key(item, attr->name, strlen(attr->name), attr->type,
						value);
}

/*
 * The attribute as a key of an index; false when it is none, as in
 * index_partition_hash() and index_sort_key() of schema dynamo_internal.
 */
bool
key_index_value(const Item *item, const KeyAttr *attr, uint32 max_len,
				ItemValue *value)
{
	return item_index_key(item, attr->name, strlen(attr->name), attr->type,
						  max_len, value);
}

/*
 * Refuse an update that names a key attribute, whatever it does to it.
 */
void
key_check_update_targets(const TableDef *def, const ExprUpdate *update)
{
	ListCell   *lc;

	if (!expr_update_touches(update, def->hash.name) &&
		(def->range.name == NULL ||
		 !expr_update_touches(update, def->range.name)))
		return;
	foreach(lc, expr_update_paths(update))
	{
		const ExprPath *path = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (expr_path_starts_with(path, def->hash.name) ||
			(def->range.name && expr_path_starts_with(path, def->range.name)))
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Cannot update attribute %.*s. This attribute is part of the key",
						 (int) path->steps[0].namelen, path->steps[0].name);
	}
}

/*
 * Refuse a value of the request that is of the wrong type for the key of an
 * index, whatever the item has.
 */
void
key_check_update_values(const TableDef *def, const ExprUpdate *update)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < index->nhash; j++)
			check_update_value(index, &index->hash[j], update);
		for (int j = 0; j < index->nrange; j++)
			check_update_value(index, &index->range[j], update);
	}
}

/*
 * Check the index keys that an update has set in "item".
 */
void
key_check_updated(const TableDef *def, const ExprUpdate *update,
				  const Item *item)
{
	for (int i = 0; i < def->nindexes; i++)
	{
		const IndexDef *index = &def->indexes[i];

		for (int j = 0; j < index->nhash; j++)
			check_updated_key(index, &index->hash[j],
							  DYNAMO_MAX_PARTITION_KEY, update, item);
		for (int j = 0; j < index->nrange; j++)
			check_updated_key(index, &index->range[j],
							  DYNAMO_MAX_SORT_KEY, update, item);
	}
	for (int i = 0; i < def->nvectors; i++)
		check_updated_vector(&def->vectors[i], update, item);
}

/*
 * The same of the attributes of a vector index.
 */
static void
check_updated_vector(const IndexDef *index, const ExprUpdate *update,
					 const Item *item)
{
	if (expr_update_touches(update, index->vector))
		vector_check_attribute(index, item, index->vector);
	for (int i = 0; i < index->nhash; i++)
	{
		if (expr_update_touches(update, index->hash[i].name))
			vector_check_attribute(index, item, index->hash[i].name);
	}
	for (int i = 0; i < index->nrange; i++)
	{
		if (expr_update_touches(update, index->range[i].name))
			vector_check_attribute(index, item, index->range[i].name);
	}
}

/* An attribute of a Key. */
static void
get_key_attr(const Item *key, const KeyAttr *attr, ItemValue *value)
{
	if (!key_attr_value(key, attr, value))
		dynamo_error(DYNAMO_VALIDATION, KEY_MISMATCH);
}

/* A key attribute of an item to be put. */
static void
item_key_attr(const Item *item, const KeyAttr *attr, ItemValue *value)
{
	if (!get_attr(item, attr, value))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Missing the key %s in the item",
					 attr->name);
	if (!item_is_key_type(value, attr->type))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Type mismatch for key %s expected: %c actual: %s",
					 attr->name, attr->type, item_type_name(value->type));
}

static void
check_key_value(const KeyAttr *attr, const ItemValue *value, bool hash)
{
	if (value->len == 0)
		item_refuse_empty_key(value->type, DYNAMO_NOT_VALID,
							  psprintf(" Key: %s", attr->name));
	if (hash)
		item_check_partition_key(value);
	else
		item_check_sort_key(value);
}

static TableKey *
make_key(const TableDef *def, TableKey *key)
{
	key->pk = item_partition_key(&key->hash, 1);
	if (def->range.name)
		key->sk = item_sort_key(&key->range);
	return key;
}

static void
check_index_keys(const IndexDef *index, const Item *item)
{
	ItemValue	range = {ITEM_S};

	for (int i = 0; i < index->nhash; i++)
		check_index_key(index, &index->hash[i], DYNAMO_MAX_PARTITION_KEY,
						item);
	for (int i = 0; i < index->nrange; i++)
		check_index_key(index, &index->range[i], DYNAMO_MAX_SORT_KEY, item);
	range.len = aggregated_size(index, item);
	item_check_sort_key(&range);
}

/*
 * The size of all RANGE attributes of an index together.  An entry with
 * several long ones would not fit a page.
 */
static uint32
aggregated_size(const IndexDef *index, const Item *item)
{
	uint32		size = 0;

	for (int i = 0; index->nrange > 1 && i < index->nrange; i++)
	{
		ItemValue	value;

		if (key_index_value(item, &index->range[i], DYNAMO_MAX_SORT_KEY,
							&value))
			size += value.len;
	}
	return size;
}

static void
check_index_key(const IndexDef *index, const KeyAttr *attr, uint32 max_len,
				const Item *item)
{
	ItemValue	value;

	if (!get_attr(item, attr, &value))
		return;
	check_index_type(index, attr, &value);
	if (value.len == 0)
		item_refuse_empty_key(value.type,
							  DYNAMO_NOT_VALID "A value specified for a secondary index key is not supported. ",
							  psprintf(" IndexName: %s, IndexKey: %s",
									   index->name, attr->name));
	if (max_len == DYNAMO_MAX_PARTITION_KEY)
		item_check_partition_key(&value);
	else
		item_check_sort_key(&value);
}

static void
check_index_type(const IndexDef *index, const KeyAttr *attr,
				 const ItemValue *value)
{
	if (!item_is_key_type(value, attr->type))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Type mismatch for Index Key %s Expected: %c Actual: %s IndexName: %s",
					 attr->name, attr->type, item_type_name(value->type),
					 index->name);
}

static void
check_update_value(const IndexDef *index, const KeyAttr *attr,
				   const ExprUpdate *update)
{
	const ItemValue *value;

	if (!expr_update_touches(update, attr->name))
		return;
	value = expr_update_value(update, attr->name);
	if (value != NULL)
		check_index_type(index, attr, value);
}

/*
 * The same after an update, which has texts of its own.  A value of the wrong
 * type that came with the request is refused as by a put.
 */
static void
check_updated_key(const IndexDef *index, const KeyAttr *attr, uint32 max_len,
				  const ExprUpdate *update, const Item *item)
{
	ItemValue	value;

	if (!expr_update_touches(update, attr->name) ||
		!get_attr(item, attr, &value))
		return;

	if (!item_is_key_type(&value, attr->type))
	{
		if (expr_update_copies(update, attr->name))
			dynamo_error(DYNAMO_VALIDATION,
						 "The update expression attempted to update the secondary index key to unsupported type");
		check_index_key(index, attr, max_len, item);
	}
	if (value.len == 0)
		item_refuse_empty_key(value.type,
							  DYNAMO_NOT_VALID "The update expression attempted to update a secondary index key to a value that is not supported. ",
							  "");
	if (value.type != ITEM_N &&
		(value.len > max_len ||
		 aggregated_size(index, item) > DYNAMO_MAX_SORT_KEY))
		dynamo_error(DYNAMO_VALIDATION,
					 "The update expression attempted to update the secondary index key beyond allowed size limits");
}

static void
put_attr(ItemNode *map, const Item *item, const KeyAttr *attr)
{
	ItemValue	value;

	if (get_attr(item, attr, &value))
		put_value(map, attr, &value);
}

static void
put_value(ItemNode *map, const KeyAttr *attr, const ItemValue *value)
{
	item_node_leaf(item_node_put(map, attr->name, strlen(attr->name)), value);
}

static void
put_index_attrs(ItemNode *map, const IndexDef *index, const Item *item)
{
	for (int i = 0; i < index->nhash; i++)
		put_attr(map, item, &index->hash[i]);
	for (int i = 0; i < index->nrange; i++)
		put_attr(map, item, &index->range[i]);
}
