/*-------------------------------------------------------------------------
 *
 * control_encryption.c
 *	  SSESpecification: the key that a table asks for.
 *
 * It is kept and shown, as tools that compare a table with its description
 * expect, and encrypts nothing: that is for the disks under the server.  So no
 * key is looked up, and what is told of one follows from its name.
 *
 * A table's settings have the member Encryption while it asks for KMS: an
 * object with the KMSMasterKeyId as it was sent, or without one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/sha2.h"
#include "control/control_internal.h"

#define MAX_KEY_ID	2048
#define UUID_BYTES	16

/* The key that a table gets if it names none. */
#define DEFAULT_KEY	"alias/aws/dynamodb"

static bool is_enabled(json_t *specification);
static void check_key_id(const char *key);
static const char *key_id(json_t *encryption);
static char *key_arn(const char *key);
static char *key_of_name(const char *name);

/*
 * Check SSESpecification (NULL: not given) by itself.
 */
void
control_check_encryption(json_t *specification)
{
	json_t	   *type = wire_json_get(specification, "SSEType");
	json_t	   *key = wire_json_get(specification, "KMSMasterKeyId");
	bool		disabled = wire_json_get(specification, "Enabled") &&
		!wire_json_is_true(specification, "Enabled");

	if (disabled && type)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "SSEType can not be specified if Enabled is false");
	if (disabled && key)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "KMSMasterKeyId can not be specified if Enabled is false");
	if (key && !type)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "SSEType KMS is required if KMSMasterKeyId is specified");
	if (type && strcmp(json_string_value(type), "AES256") == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "SSEType AES256 is not supported");
	if (key)
		check_key_id(wire_json_text(key));
}

/*
 * Does it ask for a key?  One that has but a type does.
 */
static bool
is_enabled(json_t *specification)
{
	if (wire_json_get(specification, "Enabled"))
		return wire_json_is_true(specification, "Enabled");
	return wire_json_get(specification, "SSEType") != NULL;
}

/*
 * An id, an alias or an ARN.  Whether there is such a key is not known here.
 */
static void
check_key_id(const char *key)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/_-";
	size_t		len = strlen(key);

	if (len > MAX_KEY_ID || strspn(key, good) != len)
		dynamo_error(DYNAMO_VALIDATION,
					 "KMS validation error: com.amazonaws.services.kms.model.NotFoundException: Invalid keyId %s",
					 key);
}

/*
 * The same against a table's settings.  Only a key that is named as the table's
 * description names it is known to be the one it has: an alias could lead to
 * another by now.
 */
void
control_check_encryption_change(json_t *specification, json_t *settings)
{
	json_t	   *now = json_object_get(settings, "Encryption");
	json_t	   *key = wire_json_get(specification, "KMSMasterKeyId");

	if (!is_enabled(specification))
	{
		if (now == NULL)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Table is already encrypted by default");
		return;
	}
	if (now != NULL && key != NULL &&
		strcmp(key_arn(key_id(now)), wire_json_text(key)) == 0)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key");
}

/*
 * Settings with what a checked SSESpecification asks for.
 */
const char *
control_set_encryption(const char *settings, json_t *specification)
{
	StringInfoData encryption;
	json_t	   *key = wire_json_get(specification, "KMSMasterKeyId");

	if (!is_enabled(specification))
		return control_settings_remove(settings, "Encryption");
	initStringInfo(&encryption);
	appendStringInfoChar(&encryption, '{');
	if (key)
		wire_string_member(&encryption, "KMSMasterKeyId", wire_json_text(key));
	appendStringInfoChar(&encryption, '}');
	return control_settings_set(settings, "Encryption", encryption.data);
}

/*
 * Append SSEDescription, if there is anything to tell.  While it is changing,
 * that is what there was before: nothing, if it is switched on.
 */
void
control_append_encryption(StringInfo out, json_t *settings, bool changing)
{
	json_t	   *encryption = json_object_get(settings, "Encryption");

	if (encryption == NULL && !changing)
		return;
	wire_member(out, "SSEDescription");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Status", changing ? "UPDATING" : "ENABLED");
	if (encryption != NULL)
	{
		wire_string_member(out, "SSEType", "KMS");
		wire_string_member(out, "KMSMasterKeyArn", key_arn(key_id(encryption)));
	}
	appendStringInfoChar(out, '}');
}

/* The key in settings. */
static const char *
key_id(json_t *encryption)
{
	json_t	   *key = wire_json_get(encryption, "KMSMasterKeyId");

	return json_is_string(key) ? wire_json_text(key) : DEFAULT_KEY;
}

/*
 * The ARN of a key, however it is named: never that of an alias.
 */
static char *
key_arn(const char *key)
{
	const char *alias = strncmp(key, "arn:", 4) == 0 ?
		strstr(key, ":alias/") : NULL;

	if (alias != NULL)
		key = alias + 1;
	else if (strncmp(key, "arn:", 4) == 0)
		return pstrdup(key);
	if (strncmp(key, "alias/", 6) == 0)
		key = key_of_name(key);
	return psprintf("arn:aws:kms:%s:%s:%s%s", wire_region, wire_account_id,
					strncmp(key, "key/", 4) == 0 ? "" : "key/", key);
}

/*
 * The id of the key that an alias stands for, one and the same in an account
 * and region: the bytes of a hash as a UUID.
 */
static char *
key_of_name(const char *name)
{
	char	   *whole = psprintf("%s:%s:%s", wire_region, wire_account_id, name);
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	StringInfoData id;

	dynamo_sha256(whole, strlen(whole), digest);
	digest[6] = (digest[6] & 0x0f) | 0x40;
	digest[8] = (digest[8] & 0x3f) | 0x80;
	initStringInfo(&id);
	for (int i = 0; i < UUID_BYTES; i++)
		appendStringInfo(&id, "%s%02x",
						 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
						 digest[i]);
	return id.data;
}
