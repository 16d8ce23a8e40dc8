/*-------------------------------------------------------------------------
 *
 * wire_arn.c
 *	  Names of tables, streams and backups, and the ARNs they stand in.
 *
 *		table		arn:aws:dynamodb:<region>:<account>:table/<table>
 *		stream		arn:aws:dynamodb:<region>:<account>:table/<table>/stream/<label>
 *		backup		arn:aws:dynamodb:<region>:<account>:table/<table>/backup/<id>
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"
#include "wire/wire.h"

char	   *wire_region;
char	   *wire_account_id;

/* What a table may be named with. */
#define NAME_CHARACTERS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* The ARN of a table, or of a part of one */
typedef struct Arn
{
	const char *table;
	const char *part;			/* NULL: the table itself */
	const char *id;
	bool		region_exists;	/* partition and region do */
	bool		region_ours;	/* and are */
	bool		account_ours;
} Arn;

/* Regions of partition "aws", beside ours if that has a name of its own. */
static const char *const regions[] = {
	"af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2",
	"ap-northeast-3", "ap-south-1", "ap-south-2", "ap-southeast-1",
	"ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5",
	"ap-southeast-6", "ap-southeast-7", "ca-central-1", "ca-west-1",
	"eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2",
	"eu-west-1", "eu-west-2", "eu-west-3", "il-central-1", "me-central-1",
	"me-south-1", "mx-central-1", "sa-east-1", "us-east-1", "us-east-2",
	"us-west-1", "us-west-2"
};

static bool is_backup(const Arn *parts);
static bool split_arn(const char *arn, Arn *parts);
static bool region_exists(const char *name);
static const char *resource_account(const char *arn);
static bool is_table_name(const char *text);
static bool is_label(const char *text);

/*
 * Settings that are part of each ARN.
 */
void
wire_init(void)
{
	DefineCustomStringVariable("dynamo.region",
							   "Region in ARNs, names of endpoints and stream records.",
							   "Another setting says which regions requests may be signed for.",
							   &wire_region,
							   "us-east-1",
							   PGC_SIGHUP,
							   0,
							   NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.account_id",
							   "Account in the ARNs of tables and indexes.",
							   NULL,
							   &wire_account_id,
							   "000000000000",
							   PGC_SIGHUP,
							   0,
							   NULL, NULL, NULL);
}

/*
 * A role, as a user of the account.  Its name has the encoding of the database
 * that it was made in, which may be another one.
 */
char *
wire_user_arn(Oid role)
{
	return psprintf("arn:aws:iam::%s:user/%s", wire_account_id,
					wire_text(GetUserNameFromId(role, false)));
}

/*
 * The bare table name behind what a request gives as TableName.
 */
const char *
wire_table_name(const char *name_or_arn)
{
	char	   *rest;
	char	   *part[5];

	if (strncmp(name_or_arn, "arn:", 4) != 0)
		return name_or_arn;

	/* arn:aws:dynamodb:<region>:<account>:table/<name> */
	rest = pstrdup(name_or_arn);
	for (int i = 0; i < lengthof(part); i++)
		part[i] = strsep(&rest, ":");
	if (rest == NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_COUNTED "Invalid resource type in '%s'",
					 name_or_arn);
	if (strcmp(part[1], "aws") != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_COUNTED "Invalid AWS partition in '%s'",
					 name_or_arn);
	if (strcmp(part[3], wire_region) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_COUNTED "Invalid AWS region in '%s'",
					 name_or_arn);
	if (strcmp(part[2], "dynamodb") != 0 || strncmp(rest, "table/", 6) != 0 ||
		!wire_is_name(rest + 6))
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_COUNTED "Invalid resource type in '%s'",
					 name_or_arn);
	if (strcmp(part[4], wire_account_id) != 0)
		dynamo_error(DYNAMO_ACCESS_DENIED, "Access is denied");
	return rest + 6;
}

/*
 * Has a text the characters of a name?
 */
bool
wire_is_name(const char *text)
{
	return text[0] != '\0' && text[strspn(text, NAME_CHARACTERS)] == '\0';
}

/*
 * Refuse the ARN of what is not here: another service's, another region's, or
 * another account's.
 */
void
wire_check_resource_owner(const char *arn)
{
	const char *account = resource_account(arn);
	size_t		len = strlen(wire_account_id);

	if (strncmp(account, wire_account_id, len) != 0 || account[len] != ':')
		dynamo_error(DYNAMO_ACCESS_DENIED, "Access is denied");
}

/*
 * The name of the table that an ARN is of; raises for other resources, and for
 * what is not here.
 */
const char *
wire_resource_table(const char *arn)
{
	const char *account = resource_account(arn);
	const char *name = strstr(account, ":table/");

	if (name == NULL || name != account + strcspn(account, ":") ||
		strchr(name + 7, '/') != NULL)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: %s",
					 arn);
	wire_check_resource_owner(arn);
	return name + 7;
}

/*
 * Where an ARN of this region says the account.
 */
static const char *
resource_account(const char *arn)
{
	char	   *prefix = psprintf("arn:aws:dynamodb:%s:", wire_region);

	if (strncmp(arn, "arn:", 4) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "ARNs must start with 'arn:': %s", arn);
	if (strncmp(arn, "arn:aws:dynamodb:", 17) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Provided Arn is not a DynamoDB resource arn: %s",
					 arn);
	if (strncmp(arn, prefix, strlen(prefix)) != 0)
		dynamo_error(DYNAMO_VALIDATION,
					 "Invalid TableArn: Invalid ResourceArn provided as input %s",
					 arn);
	return arn + strlen(prefix);
}

/*
 * The ARN of a table.
 */
char *
wire_table_arn(const char *name)
{
	return psprintf("arn:aws:dynamodb:%s:%s:table/%s", wire_region,
					wire_account_id, name);
}

/*
 * The ARN of the stream of a table with that label.
 */
char *
wire_stream_arn(const char *table, const char *label)
{
	return psprintf("%s/stream/%s", wire_table_arn(table), label);
}

/*
 * Take an ARN apart.  False: it is not the ARN of a stream, of whomever.
 */
bool
wire_parse_stream_arn(const char *arn, WireStreamName *name)
{
	Arn			parts;

	if (!split_arn(arn, &parts) || parts.part == NULL ||
		strcmp(parts.part, "stream") != 0 || !is_label(parts.id) ||
		!is_table_name(parts.table))
		return false;
	name->table = parts.table;
	name->label = parts.id;
	name->ours = parts.region_ours && parts.account_ours;
	return true;
}

/*
 * The ARN of a backup of a table.
 */
char *
wire_backup_arn(const char *table, const char *id)
{
	return psprintf("%s/backup/%s", wire_table_arn(table), id);
}

/*
 * Take an ARN apart.  False: it is not the ARN of a backup, of whomever.
 */
bool
wire_parse_backup_arn(const char *arn, WireBackupName *name)
{
	Arn			parts;

	if (!split_arn(arn, &parts) || !is_backup(&parts) ||
		!is_table_name(parts.table) || !wire_is_name(parts.id))
		return false;
	name->table = parts.table;
	name->id = parts.id;
	name->region_exists = parts.region_exists;
	name->region_ours = parts.region_ours;
	name->account_ours = parts.account_ours;
	return true;
}

/*
 * What a text names.  This and the functions above take a text in the same way,
 * whatever the member that it stands in: what begins with "arn:" is an ARN, and
 * everything else is the bare name of a table.  So an operation is about the
 * very resource that policies have been asked about.  There is one spelling of
 * an ARN: what differs by a case, a region or an account names nothing here.
 * But a backup is found whichever region its ARN says, so policies are asked
 * about the ARN with ours.
 */
void
wire_resource(const char *name_or_arn, WireResource *resource)
{
	Arn			parts;

	memset(resource, 0, sizeof(WireResource));
	resource->arn = name_or_arn;
	if (strncmp(name_or_arn, "arn:", 4) != 0)
	{
		resource->table = name_or_arn;
		resource->arn = wire_table_arn(name_or_arn);
	}
	else if (split_arn(name_or_arn, &parts) && parts.account_ours &&
			 (parts.region_ours || (parts.region_exists && is_backup(&parts))))
	{
		resource->table = parts.table;
		resource->part = parts.part;
		resource->id = parts.id;
		if (!parts.region_ours)
			resource->arn = wire_backup_arn(parts.table, parts.id);
	}
}

static bool
is_backup(const Arn *parts)
{
	return parts->part != NULL && strcmp(parts->part, "backup") == 0;
}

/*
 * Whose an ARN of a table, or of a part of one, is; false: it is none.
 */
bool
wire_owner(const char *arn, bool *region_ours, bool *account_ours)
{
	Arn			parts;

	if (!split_arn(arn, &parts))
		return false;
	*region_ours = parts.region_ours;
	*account_ours = parts.account_ours;
	return true;
}

/*
 * Take the ARN of a table, or of a part of one, apart; false: it is none.
 */
static bool
split_arn(const char *arn, Arn *parts)
{
	char	   *rest = pstrdup(arn);
	char	   *part[5];

	for (int i = 0; i < lengthof(part); i++)
		part[i] = strsep(&rest, ":");
	if (rest == NULL || strcmp(part[0], "arn") != 0 ||
		strcmp(part[2], "dynamodb") != 0 || strncmp(rest, "table/", 6) != 0)
		return false;
	rest += 6;
	parts->table = strsep(&rest, "/");
	parts->part = rest ? strsep(&rest, "/") : NULL;
	parts->id = rest;
	parts->region_exists = strcmp(part[1], "aws") == 0 &&
		region_exists(part[3]);
	parts->region_ours = strcmp(part[1], "aws") == 0 &&
		strcmp(part[3], wire_region) == 0;
	parts->account_ours = strcmp(part[4], wire_account_id) == 0;
	return parts->part == NULL || parts->id != NULL;
}

static bool
region_exists(const char *name)
{
	for (int i = 0; i < lengthof(regions); i++)
	{
		if (strcmp(regions[i], name) == 0)
			return true;
	}
	return strcmp(name, wire_region) == 0;
}

/* Has "text" the characters and the length of a table's name? */
static bool
is_table_name(const char *text)
{
	size_t		len = strlen(text);

	return len >= DYNAMO_MIN_NAME && len <= DYNAMO_MAX_NAME && wire_is_name(text);
}

/* A label is a time, 2015-05-11T21:21:33.291. */
static bool
is_label(const char *text)
{
	static const char model[] = "0000-00-00T00:00:00.000";

	for (int i = 0; i < lengthof(model); i++)
	{
		bool		good = model[i] == '0' ?
			text[i] >= '0' && text[i] <= '9' : text[i] == model[i];

		if (!good)
			return false;
	}
	return true;
}
