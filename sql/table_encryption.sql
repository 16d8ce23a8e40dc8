-- SSESpecification is kept and shown; it encrypts nothing
\t on
\a
SELECT dynamo.create_table('Encrypted', 'pk');
CREATE FUNCTION pg_temp.described(name text DEFAULT 'Encrypted') RETURNS json LANGUAGE sql AS $$
  SELECT dynamo.call('DescribeTable', json_build_object('TableName', name)) -> 'Table' -> 'SSEDescription' $$;
CREATE FUNCTION pg_temp.updated(specification text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(answer ->> 'message', (answer #>> '{TableDescription,TableStatus}') || ' ' || coalesce(answer #>> '{TableDescription,SSEDescription}', 'default'))
  FROM dynamo.try_call('UpdateTable', ('{"TableName": "Encrypted", "SSESpecification": ' || specification || '}')::json) answer $$;
CREATE FUNCTION pg_temp.created(specification text) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(answer ->> 'message', answer #>> '{TableDescription,SSEDescription}')
  FROM dynamo.try_call('CreateTable', ('{"TableName": "EncryptedNew", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
	"SSESpecification": ' || specification || '}')::json) answer $$;

-- UpdateTable, and back.  The answer shows what there was: nothing, or the old key.  Whether an
-- alias or {"Enabled": true} leads to another key is not known, so it changes something
SELECT pg_temp.described() IS NULL;
SELECT pg_temp.updated('{"Enabled": false}');
SELECT pg_temp.updated('{}');
SELECT pg_temp.updated('{"Enabled": true}');
SELECT pg_temp.described();
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS"}');
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "alias/shop"}');
SELECT pg_temp.described();
-- the key as it is described is known to be the same
SELECT pg_temp.updated(jsonb_build_object('Enabled', true, 'SSEType', 'KMS', 'KMSMasterKeyId', pg_temp.described() ->> 'KMSMasterKeyArn')::text);
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:us-east-1:000000000000:alias/shop"}');
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "1234abcd-12ab-34cd-56ef-1234567890ab"}');
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:us-east-1:111122223333:key/x"}');
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "arn:aws:kms:us-east-1:111122223333:key/x"}');
SELECT pg_temp.updated('{"Enabled": false}');
SELECT pg_temp.described() IS NULL;
-- what does not go together
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "AES256"}');
SELECT pg_temp.updated('{"Enabled": true, "KMSMasterKeyId": "x"}');
SELECT pg_temp.updated('{"Enabled": false, "SSEType": "KMS"}');
-- a type alone switches it on, and nothing at all does not
SELECT pg_temp.updated('{"SSEType": "KMS", "KMSMasterKeyId": "x"}');
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": ""}');
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "a\"b"}');
SELECT length(pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "' || repeat('a', 2049) || '"}')) > 2049;
BEGIN;
SELECT pg_temp.updated('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "' || repeat('a', 2048) || '"}');
ROLLBACK;
SELECT dynamo.try_call('UpdateTable', '{"TableName": "Encrypted", "SSESpecification": {"Enabled": true}, "DeletionProtectionEnabled": true}') ->> 'message';
-- CreateTable; a client may send a flag as text
SELECT pg_temp.created('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "a b"}');
SELECT pg_temp.created('{"Enabled": "true"}');
SELECT pg_temp.described('EncryptedNew');
SELECT dynamo.drop_table('EncryptedNew');
-- a type is enough, and nothing is nothing
SELECT pg_temp.created('{"SSEType": "KMS"}');
SELECT dynamo.drop_table('EncryptedNew');
SELECT pg_temp.created('{}') IS NULL;
SELECT dynamo.drop_table('EncryptedNew');
SELECT pg_temp.created('{"KMSMasterKeyId": "x"}');
SELECT pg_temp.created('{"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": ""}');
SELECT pg_temp.created('{"Enabled": false}') IS NULL, pg_temp.described('EncryptedNew') IS NULL;

SELECT dynamo.drop_table('Encrypted'), dynamo.drop_table('EncryptedNew');
