/*-------------------------------------------------------------------------
 *
 * api_throttle.c
 *	  Requests beyond the throughput of their table.
 *
 * What a request has consumed is known when its work has been done, but not
 * yet answered.  Then it needs a token in the bucket of each arm of its
 * account.  Without one it is refused, and what it did is rolled back.
 *
 * BatchWriteItem leaves to its client what it has no room for, and cannot roll
 * back one write of several.  It asks before each, for what the write will
 * need at least, and takes what it has needed then.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "api/api_internal.h"

static inline bool is_limited(const DynamoRequest *request);
static CapacityConsumed *get_account(const TableDef *def, const TableKey *key,
									 const Item *item, double factor);
static CapacityConsumed *write_account(const EngineWrite *write, double factor);
static bool admits(const CapacityConsumed *consumed, CapacityKind kind,
				   ApiThrottle *refused);
static void take_units(const CapacityConsumed *consumed, CapacityKind kind);
static void spend_units(const CapacityConsumed *consumed, CapacityKind kind);
static void spend_all(CapacityConsumed **accounts, int n, CapacityKind kind,
					  EngineReason *reasons);
static CapacityDemand demand_of(const CapacityConsumed *consumed, int arm,
								CapacityKind kind);
static double arm_units(const CapacityConsumed *consumed, int arm);
static DynamoException exception_of(const ApiThrottle *refused);
static const char *text_of(const ApiThrottle *refused);
static char *reasons_of(const ApiThrottle *refused, const char *member);

/*
 * Is the request limited?  If not, no account is kept.
 */
static inline bool
is_limited(const DynamoRequest *request)
{
	return capacity_enforced && request != NULL && request->limited &&
		request->explain == NULL;
}

/*
 * One item was read by its key; NULL: it was missing.
 */
void
api_limit_get(const DynamoRequest *request, const TableDef *def,
			  const TableKey *key, const Item *item, double factor)
{
	if (is_limited(request))
		spend_units(get_account(def, key, item, factor), CAPACITY_READ);
}

/*
 * One item was written, or would have been if its condition had held.
 */
void
api_limit_write(const DynamoRequest *request, const EngineWrite *write)
{
	if (is_limited(request))
		spend_units(write_account(write, 1), CAPACITY_WRITE);
}

/*
 * A page was read, by one reader (NULL: by several).
 */
void
api_limit_page(const DynamoRequest *request, CapacityConsumed *consumed,
			   const ApiReader *reader)
{
	const EngineScanSpec *spec = reader ? api_reader_spec(reader) : NULL;

	if (!is_limited(request))
		return;
	if (spec != NULL && spec->nhash > 0)
	{
		consumed->partition =
			item_partition_key_hash(item_partition_key(spec->hash,
													   spec->nhash));
		if (spec->index != NULL && !spec->index->local)
			consumed->partition_arm = spec->index - consumed->def->indexes;
	}
	spend_units(consumed, CAPACITY_READ);
}

/*
 * A transaction has read.
 */
void
api_limit_gets(const DynamoRequest *request, const ApiTransactGot *got,
			   const EngineGet *gets, int n)
{
	CapacityConsumed **accounts;
	EngineReason *reasons;

	if (!is_limited(request))
		return;
	accounts = palloc(sizeof(CapacityConsumed *) * n);
	reasons = palloc0(sizeof(EngineReason) * n);
	for (int i = 0; i < n; i++)
	{
		accounts[i] = get_account(got[i].def, gets[i].key, gets[i].item, 2);
		reasons[i].code = "None";
	}
	spend_all(accounts, n, CAPACITY_READ, reasons);
}

/*
 * A transaction has written.
 */
void
api_limit_writes(const DynamoRequest *request, EngineWrite **writes, int n,
				 EngineReason *reasons)
{
	CapacityConsumed **accounts;

	if (!is_limited(request))
		return;
	accounts = palloc(sizeof(CapacityConsumed *) * n);
	for (int i = 0; i < n; i++)
		accounts[i] = write_account(writes[i], 2);
	spend_all(accounts, n, CAPACITY_WRITE, reasons);
}

/*
 * One item of a batch was read.  False: it is left to the client.
 */
bool
api_admits_get(const DynamoRequest *request, const TableDef *def,
			   const TableKey *key, const Item *item, double factor,
			   ApiThrottle *refused)
{
	CapacityConsumed *account;

	if (!is_limited(request))
		return true;
	account = get_account(def, key, item, factor);
	if (!admits(account, CAPACITY_READ, refused))
		return false;
	take_units(account, CAPACITY_READ);
	return true;
}

/*
 * May this write of a batch be done?  If so, api_take_write() comes after it.
 */
bool
api_admits_write(const DynamoRequest *request, const EngineWrite *write,
				 ApiThrottle *refused)
{
	CapacityConsumed *account;

	if (!is_limited(request))
		return true;
	account = capacity_consumed(NULL, engine_def(write->table));
	account->partition = item_partition_key_hash(write->key->pk);
	account->key = write->key;
	capacity_charge_new(account, write->item);
	return admits(account, CAPACITY_WRITE, refused);
}

void
api_take_write(const DynamoRequest *request, const EngineWrite *write)
{
	if (is_limited(request))
		take_units(write_account(write, 1), CAPACITY_WRITE);
}

/*
 * Raise the exception for what was refused.
 */
void
api_refuse(const ApiThrottle *refused)
{
	DynamoException e = exception_of(refused);

	dynamo_error_with_fields(e,
							 reasons_of(refused, e == DYNAMO_THROTTLING ?
										"throttlingReasons" : "ThrottlingReasons"),
							 NULL, "%s", text_of(refused));
}

static CapacityConsumed *
get_account(const TableDef *def, const TableKey *key, const Item *item,
			double factor)
{
	CapacityConsumed *account = capacity_consumed(NULL, def);

	capacity_charge_get(account, item, factor);
	account->partition = item_partition_key_hash(key->pk);
	account->key = key;
	return account;
}

static CapacityConsumed *
write_account(const EngineWrite *write, double factor)
{
	CapacityConsumed *account = capacity_consumed(NULL, engine_def(write->table));
	const Item *after = write->action == ENGINE_CHECK ||
		write->condition_failed ? write->old_item : write->new_item;

	capacity_charge_write(account, write->old_item, after, factor);
	account->partition = item_partition_key_hash(write->key->pk);
	return account;
}

/*
 * Is there a token for each arm of the account?  If not, *refused says where
 * there is none.
 */
static bool
admits(const CapacityConsumed *consumed, CapacityKind kind, ApiThrottle *refused)
{
	for (int arm = -1; arm < consumed->def->nindexes; arm++)
	{
		CapacityDemand demand = demand_of(consumed, arm, kind);

		if (demand.units == 0)
			continue;
		refused->refusal = capacity_ask(&demand);
		refused->def = demand.def;
		refused->index = demand.index;
		refused->kind = kind;
		if (refused->refusal == CAPACITY_ADMITTED)
			continue;
		if (consumed->key != NULL)
			api_count_key(consumed->def, NULL, STATS_KEY_THROTTLED,
						  &consumed->key->hash, &consumed->key->range);
		return false;
	}
	return true;
}

static void
take_units(const CapacityConsumed *consumed, CapacityKind kind)
{
	for (int arm = -1; arm < consumed->def->nindexes; arm++)
	{
		CapacityDemand demand = demand_of(consumed, arm, kind);

		if (demand.units > 0)
			capacity_take(&demand);
	}
}

static void
spend_units(const CapacityConsumed *consumed, CapacityKind kind)
{
	ApiThrottle refused;

	if (!admits(consumed, kind, &refused))
		api_refuse(&refused);
	take_units(consumed, kind);
}

/*
 * The accounts of a transaction's actions: all are admitted, or it is
 * cancelled.
 */
static void
spend_all(CapacityConsumed **accounts, int n, CapacityKind kind,
		  EngineReason *reasons)
{
	bool		refused = false;

	for (int i = 0; i < n; i++)
	{
		ApiThrottle throttle;

		if (admits(accounts[i], kind, &throttle))
			continue;
		refused = true;
		reasons[i].code = exception_of(&throttle) == DYNAMO_THROTTLING ?
			"ThrottlingError" : "ProvisionedThroughputExceeded";
		reasons[i].message = text_of(&throttle);
	}
	if (refused)
		api_transact_cancel(reasons, n, NULL);
	for (int i = 0; i < n; i++)
		take_units(accounts[i], kind);
}

/*
 * What is wanted of the table (arm -1) or of a global index.  Local indexes
 * have the throughput of their table.
 */
static CapacityDemand
demand_of(const CapacityConsumed *consumed, int arm, CapacityKind kind)
{
	CapacityDemand demand = {.def = consumed->def, .kind = kind};

	demand.units = arm_units(consumed, arm);
	if (arm >= 0)
		demand.index = &consumed->def->indexes[arm];
	if (arm == consumed->partition_arm)
		demand.partition = consumed->partition;
	return demand;
}

static double
arm_units(const CapacityConsumed *consumed, int arm)
{
	const TableDef *def = consumed->def;
	double		units;

	if (arm >= 0)
		return def->indexes[arm].local ? 0 : consumed->indexes[arm];
	units = consumed->table;
	for (int i = 0; i < def->nindexes; i++)
	{
		if (def->indexes[i].local)
			units += consumed->indexes[i];
	}
	return units;
}

static DynamoException
exception_of(const ApiThrottle *refused)
{
	return refused->refusal != CAPACITY_PROVISIONED &&
		capacity_is_on_demand(refused->def) ? DYNAMO_THROTTLING :
		DYNAMO_PROVISIONED_THROUGHPUT_EXCEEDED;
}

static const char *
text_of(const ApiThrottle *refused)
{
	if (refused->refusal == CAPACITY_ON_DEMAND_MAXIMUM)
		return "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
	if (exception_of(refused) == DYNAMO_THROTTLING)
		return "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html";
	if (refused->index == NULL)
		return "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.";
	if (refused->kind == CAPACITY_READ)
		return "The level of configured provisioned throughput for the index was exceeded";
	return "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API";
}

/*
 * Why, and whose throughput it is, as a member of the error's body.
 */
static char *
reasons_of(const ApiThrottle *refused, const char *member)
{
	static const char *const causes[] = {
		[CAPACITY_PROVISIONED] = "ProvisionedThroughputExceeded",
		[CAPACITY_ON_DEMAND_MAXIMUM] = "MaxOnDemandThroughputExceeded",
		[CAPACITY_KEY_RANGE] = "KeyRangeThroughputExceeded",
	};
	const char *arn = wire_table_arn(refused->def->name);
	StringInfoData fields;

	initStringInfo(&fields);
	wire_member(&fields, member);
	appendStringInfoString(&fields, "[{");
	wire_string_member(&fields, "reason",
					   psprintf("%s%s%s", refused->index ? "Index" : "Table",
								refused->kind == CAPACITY_READ ? "Read" : "Write",
								causes[refused->refusal]));
	wire_string_member(&fields, "resource", refused->index == NULL ? arn :
					   psprintf("%s/index/%s", arn, refused->index->name));
	appendStringInfoString(&fields, "}]");
	return fields.data;
}
