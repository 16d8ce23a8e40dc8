/*-------------------------------------------------------------------------
 *
 * control_encryption.c
 *	  SSESpecification: the key that a table asks for.
 *
 * It is kept and shown, as tools that compare a table with its description
 * expect, and encrypts nothing: that is for the disks under the server.
 *
 * A table's settings have the member Encryption while it asks for KMS: an
 * object with the KMSMasterKeyId as it was sent, or without one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "control/control_internal.h"

#define MAX_KEY_ID	2048

/* The key that a table gets if it names none. */
#define DEFAULT_KEY	"alias/aws/dynamodb"

static void check_key_id(const char *key);
static const char *key_id(json_t *encryption);
static char *key_arn(const char *key);

/*
 * Check SSESpecification (NULL: not given) by itself.
 */
void
control_check_encryption(json_t *specification)
{
	json_t	   *type = wire_json_get(specification, "SSEType");
	json_t	   *key = wire_json_get(specification, "KMSMasterKeyId");
	bool		enabled = wire_json_is_true(specification, "Enabled");

	if (!enabled && type)
		dynamo_error(DYNAMO_VALIDATION,
					 DYNAMO_INVALID "SSEType can not be specified if Enabled is false");
	if (!enabled && key)
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
 * An id, an alias or an ARN.  Whether there is such a key is not known here.
 */
static void
check_key_id(const char *key)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/_-";
	size_t		len = strlen(key);

	if (len == 0 || len > MAX_KEY_ID || strspn(key, good) != len)
		dynamo_error(DYNAMO_VALIDATION,
					 "KMS validation error: com.amazonaws.services.kms.model.NotFoundException: Invalid keyId %s",
					 key);
}

/*
 * The same against a table's settings: it must change something.
 */
void
control_check_encryption_change(json_t *specification, json_t *settings)
{
	json_t	   *now = json_object_get(settings, "Encryption");

	if (!wire_json_is_true(specification, "Enabled"))
	{
		if (now == NULL)
			dynamo_error(DYNAMO_VALIDATION,
						 DYNAMO_INVALID "Table is already encrypted by default");
		return;
	}
	if (now != NULL && strcmp(key_id(now), key_id(specification)) == 0)
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

	if (!wire_json_is_true(specification, "Enabled"))
		return control_settings_remove(settings, "Encryption");
	initStringInfo(&encryption);
	appendStringInfoChar(&encryption, '{');
	if (key)
		wire_string_member(&encryption, "KMSMasterKeyId", wire_json_text(key));
	appendStringInfoChar(&encryption, '}');
	return control_settings_set(settings, "Encryption", encryption.data);
}

/*
 * Append SSEDescription, if the settings have what it tells.
 */
void
control_append_encryption(StringInfo out, json_t *settings, bool changing)
{
	json_t	   *encryption = json_object_get(settings, "Encryption");

	if (encryption == NULL)
		return;
	wire_member(out, "SSEDescription");
	appendStringInfoChar(out, '{');
	wire_string_member(out, "Status", changing ? "UPDATING" : "ENABLED");
	wire_string_member(out, "SSEType", "KMS");
	wire_string_member(out, "KMSMasterKeyArn", key_arn(key_id(encryption)));
	appendStringInfoChar(out, '}');
}

/* The key in settings, or in an SSESpecification. */
static const char *
key_id(json_t *encryption)
{
	json_t	   *key = wire_json_get(encryption, "KMSMasterKeyId");

	return json_is_string(key) ? wire_json_text(key) : DEFAULT_KEY;
}

static char *
key_arn(const char *key)
{
	if (strncmp(key, "arn:", 4) == 0)
		return pstrdup(key);
	return psprintf("arn:aws:kms:%s:%s:%s%s", wire_region, wire_account_id,
					strncmp(key, "alias/", 6) == 0 ? "" : "key/", key);
}
