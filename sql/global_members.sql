-- UpdateTable and DescribeTable of a global table: members, their settings, what is refused meanwhile
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
-- three regions, this one among them; nobody connects to the others
CREATE SERVER members_west FOREIGN DATA WRAPPER dynamo_region OPTIONS (host 'localhost', dbname 'west');
CREATE SERVER members_eu FOREIGN DATA WRAPPER dynamo_region OPTIONS (host 'localhost', dbname 'eu');
SELECT dynamo.create_region('us-west-2', 'members_west'), dynamo.create_region('eu-west-1', 'members_eu');
CREATE PROCEDURE pg_temp.becomes(members regclass, region text, now text) LANGUAGE sql AS $$
	UPDATE dynamo_internal.replicas SET status = now WHERE relation = members AND region_name = region $$;
SELECT dynamo.call('CreateTable', '{"TableName": "FactMembers", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
	"GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}') IS NOT NULL;
\set base '{"TableName": "FactMembers"}'
-- before there is a member
SELECT :facts FROM (VALUES
('a region that nobody knows', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-fake-1"}}]}',
	'ValidationException: Region us-fake-1 is not supported. The latest version of global tables are only supported in the following regions: [eu-west-1, us-east-1, us-west-2]'),
('capitals', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "EU-WEST-1"}}]}',
	'ValidationException: Region EU-WEST-1 is not supported. The latest version of global tables are only supported in the following regions: [eu-west-1, us-east-1, us-west-2]'),
('no member', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "eu-west-1"}}]}',
	'ValidationException: Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [eu-west-1].'),
('a key for one only', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1", "KMSMasterKeyId": "alias/mine"}}]}',
	'ValidationException: All replica keys must either be Customer Managed CMK or AWS Managed CMK.'),
('another class', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1", "TableClassOverride": "FAST"}}]}',
	'ValidationException: Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].')
) AS fact (about, operation, request, answer), :told;
-- one that comes
SELECT dynamo_internal.add_replica('FactMembers', 'us-west-2');
SELECT :facts FROM (VALUES
('it is listed', 'DescribeTable', '{}',
	'{"Table": {"TableStatus": "UPDATING", "GlobalTableVersion": "2019.11.21", "GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES", "DisassociationProtectionEnabled": true, "MultiRegionConsistency": null, "GlobalTableWitnesses": null,
	"Replicas": [{"RegionName": "us-west-2", "ReplicaStatus": "CREATING", "ReplicaArn": null, "ReplicaStatusPercentProgress": null, "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"},
	"GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES", "GlobalSecondaryIndexes": [{"IndexName": "gsi", "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}}]}]}}'),
('no other comes', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}', 'ResourceInUseException: The resource which you are attempting to change is in use.'),
('nor goes', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}]}', 'ResourceInUseException: The resource which you are attempting to change is in use.'),
('nothing is changed', 'UpdateTable', '{"DeletionProtectionEnabled": true}', 'ResourceInUseException: The resource which you are attempting to change is in use.'),
('but what goes together is told first', 'UpdateTable', '{"DeletionProtectionEnabled": true, "TableClass": "STANDARD"}', 'ValidationException: One or more parameter values were invalid: TableClass modification must be the only operation in the request'),
('it is not deleted', 'DeleteTable', '{}', 'ResourceInUseException: The resource which you are attempting to change is in use.'),
('tags are its own', 'TagResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:000000000000:table/FactMembers", "Tags": [{"Key": "a", "Value": "b"}]}', '{}')
) AS fact (about, operation, request, answer), :told;
-- one that is there
CALL pg_temp.becomes('dynamo_data."FactMembers"', 'us-west-2', 'ACTIVE');
SELECT dynamo.enable_stream('FactMembers') IS NOT NULL;
SELECT :facts FROM (VALUES
('it is ACTIVE', 'DescribeTable', '{}', '{"Table": {"TableStatus": "ACTIVE", "Replicas": [{"RegionName": "us-west-2", "ReplicaStatus": "ACTIVE"}]}}'),
('the same again', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Failed to create a the new replica of table with name: ‘FactMembers’ because one or more replicas already existed as tables.'),
('another is none', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "eu-west-1", "TableClassOverride": "STANDARD"}}]}',
	'ValidationException: Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [eu-west-1].'),
('consistency', 'UpdateTable', '{"MultiRegionConsistency": "EVENTUAL", "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}',
	'ValidationException: MultiRegionConsistency parameter is unsupported on existing global table'),
('no stream', 'UpdateTable', '{"StreamSpecification": {"StreamEnabled": false}}',
	'ValidationException: One or more parameter values were invalid: Disabling Stream is not allowed for a Global Table replica.'),
('another stream', 'UpdateTable', '{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}',
	'ValidationException: Table already has an enabled stream: TableName: FactMembers'),
('a source stays for a day', 'DeleteTable', '{}',
	'ValidationException: Replica cannot be deleted because it has acted as a source region for new replica(s) being added to the table in the last 24 hours.'),
('units of a table that pays per request', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 5}}}]}',
	'ValidationException: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST'),
('a key', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "KMSMasterKeyId": "alias/mine"}}]}',
	'ValidationException: KMSMasterKeyId must be specified for each replica.'),
('no such index', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "GlobalSecondaryIndexes": [{"IndexName": "none"}]}}]}',
	'ResourceNotFoundException: Requested resource not found: Index none for table FactMembers'),
('it is kept from leaving', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}',
	'ValidationException: Cannot disassociate table FactMembers in region us-east-1 because it has disassociation protection enabled. Disable disassociation protection first.'),
('it need not be', 'UpdateTable', '{"DisassociationProtectionEnabled": false}', '{"TableDescription": {"TableStatus": "ACTIVE"}}'),
('as is told', 'DescribeTable', '{}', '{"Table": {"DisassociationProtectionEnabled": false}}')
) AS fact (about, operation, request, answer), :told;
-- overrides are told as long as they differ; those of indexes are merged
SELECT :facts FROM (VALUES
('the answer shows what was', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "TableClassOverride": "STANDARD_INFREQUENT_ACCESS", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 7}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 8}}]}}]}',
	'{"TableDescription": {"TableStatus": "UPDATING", "Replicas": [{"RegionName": "us-west-2", "OnDemandThroughputOverride": null, "ReplicaTableClassSummary": null}]}}'),
('and then what is', 'DescribeTable', '{}',
	'{"Table": {"Replicas": [{"OnDemandThroughputOverride": {"MaxReadRequestUnits": 7}, "ProvisionedThroughputOverride": null, "ReplicaTableClassSummary": {"TableClass": "STANDARD_INFREQUENT_ACCESS"}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 8}}]}]}}'),
('another', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}}}, {"Update": {"RegionName": "us-west-2", "GlobalSecondaryIndexes": [{"IndexName": "gsi"}]}}]}',
	'{"TableDescription": {"TableStatus": "UPDATING", "Replicas": [{"OnDemandThroughputOverride": {"MaxReadRequestUnits": 7}}]}}'),
('the others stay', 'DescribeTable', '{}',
	'{"Table": {"Replicas": [{"OnDemandThroughputOverride": {"MaxReadRequestUnits": 9}, "ReplicaTableClassSummary": {"TableClass": "STANDARD_INFREQUENT_ACCESS"}, "GlobalSecondaryIndexes": [{"IndexName": "gsi", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 8}}]}]}}'),
('the table gets the same', 'UpdateTable', '{"OnDemandThroughput": {"MaxReadRequestUnits": 9}}', '{"TableDescription": {"TableStatus": "ACTIVE"}}'),
('so it is not one', 'DescribeTable', '{}', '{"Table": {"OnDemandThroughput": {"MaxReadRequestUnits": 9}, "Replicas": [{"RegionName": "us-west-2", "OnDemandThroughputOverride": null}]}}')
) AS fact (about, operation, request, answer), :told;
-- one of an index leaves those of others as they are
BEGIN;
SELECT dynamo.create_index('FactMembers', 'other', 'b');
SELECT :facts FROM (VALUES
('of another index', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "GlobalSecondaryIndexes": [{"IndexName": "other", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 6}}]}}]}', '{"TableDescription": {"TableStatus": "UPDATING"}}'),
('the first has its own', 'DescribeTable', '{}',
	'{"Table": {"Replicas": [{"GlobalSecondaryIndexes": [{"IndexName": "gsi", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 8}}, {"IndexName": "other", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 6}}]}]}}')
) AS fact (about, operation, request, answer), :told;
ROLLBACK;
-- writes that are provisioned grow by themselves
SELECT :facts FROM (VALUES
('provisioned', 'UpdateTable', '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "gsi", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}}]}', '{"TableDescription": {}}'),
('fixed writes', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}', 'ValidationException: Table write capacity should either be Pay-Per-Request or AutoScaled.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.set_auto_scaling('FactMembers', 'WriteCapacityUnits', 5, 50);
SELECT :facts FROM (VALUES
('of an index', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}', 'ValidationException: GSI write capacity should either be Pay-Per-Request or AutoScaled.'),
('a maximum of requests', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5}}}]}', 'ValidationException: MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED'),
('units of reads', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 11}}}]}', '{"TableDescription": {"TableStatus": "UPDATING"}}'),
('they are told', 'DescribeTable', '{}', '{"Table": {"Replicas": [{"ProvisionedThroughputOverride": {"ReadCapacityUnits": 11}}]}}')
) AS fact (about, operation, request, answer), :told;
-- one that goes
SELECT :facts FROM (VALUES
('the answer shows it as it was', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}]}', '{"TableDescription": {"TableStatus": "UPDATING", "Replicas": [{"RegionName": "us-west-2", "ReplicaStatus": "ACTIVE"}]}}'),
('then it is DELETING', 'DescribeTable', '{}', '{"Table": {"TableStatus": "ACTIVE", "Replicas": [{"RegionName": "us-west-2", "ReplicaStatus": "DELETING"}]}}'),
('meanwhile nothing is changed', 'UpdateTable', '{"TableClass": "STANDARD"}', 'ResourceInUseException: The resource which you are attempting to change is in use.')
) AS fact (about, operation, request, answer), :told;
-- a day later
CALL pg_temp.becomes('dynamo_data."FactMembers"', 'us-west-2', 'ACTIVE');
UPDATE dynamo_internal.replicas SET created_at = created_at - interval '25 hours';
-- one that is left, which was about to leave itself
UPDATE dynamo_internal.replicas SET until = 1;
SELECT count(nextval('dynamo_internal.stream_sequence')) FROM generate_series(1, 3);
SELECT :facts FROM (VALUES
('the answer shows what was', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}', '{"TableDescription": {"TableStatus": "UPDATING", "Replicas": [{"RegionName": "us-west-2", "ReplicaStatus": "ACTIVE"}]}}'),
('it is not done at once', 'DescribeTable', '{}', '{"Table": {"TableStatus": "UPDATING", "Replicas": [{"RegionName": "us-west-2", "ReplicaStatus": "UPDATING"}]}}'),
('nor twice', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}', 'ResourceInUseException: The resource which you are attempting to change is in use.'),
('nobody comes meanwhile', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}', 'ResourceInUseException: The resource which you are attempting to change is in use.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo_internal.join_replica('FactMembers', 'us-east-1', '', '{us-west-2,eu-west-1}');
SELECT dynamo_internal.leave_replica('FactMembers', 'us-east-1', 'us-west-2');
SELECT until > 1 AS until FROM dynamo_internal.replicas;
-- the other side: it has to have what was written here when it asked first
CALL pg_temp.becomes('dynamo_data."FactMembers"', 'us-west-2', 'ACTIVE');
UPDATE dynamo_internal.replicas SET until = 0, position = 0;
BEGIN;
SET LOCAL ROLE pg_read_server_files;
SELECT dynamo_internal.part_replica('FactMembers', 'us-east-1', 'us-west-2');
ROLLBACK;
SELECT dynamo_internal.part_replica('FactMembers', 'us-west-2', 'us-east-1');
SELECT dynamo_internal.part_replica('FactNone', 'us-east-1', 'us-west-2'), dynamo_internal.part_replica('FactMembers', 'us-east-1', 'eu-west-1');
SELECT dynamo_internal.part_replica('FactMembers', 'us-east-1', 'us-west-2');
SELECT until BETWEEN 1 AND (SELECT last_value FROM dynamo_internal.stream_sequence) AS until FROM dynamo_internal.replicas;
SELECT until FROM dynamo_internal.replicas \gset
SELECT nextval('dynamo_internal.stream_sequence') > :until AS more, dynamo_internal.part_replica('FactMembers', 'us-east-1', 'us-west-2');
SELECT until = :until AS same FROM dynamo_internal.replicas;
UPDATE dynamo_internal.replicas SET position = until - 1;
SELECT dynamo_internal.part_replica('FactMembers', 'us-east-1', 'us-west-2');
BEGIN;
UPDATE dynamo_internal.replicas SET position = until;
SELECT dynamo_internal.part_replica('FactMembers', 'us-east-1', 'us-west-2');
SELECT :facts FROM (VALUES ('it is alone', 'DescribeTable', '{}', '{"Table": {"TableStatus": "ACTIVE", "Replicas": null, "GlobalTableVersion": null, "DisassociationProtectionEnabled": null}}')) AS fact (about, operation, request, answer), :told;
-- in another group it is kept from leaving again, as each is at first
SELECT dynamo_internal.add_replica('FactMembers', 'us-west-2');
SELECT :facts FROM (VALUES ('it is kept again', 'DescribeTable', '{}', '{"Table": {"DisassociationProtectionEnabled": true}}')) AS fact (about, operation, request, answer), :told;
ROLLBACK;
-- one that is to be deleted is waited for no more
BEGIN;
CALL pg_temp.becomes('dynamo_data."FactMembers"', 'us-west-2', 'DELETING');
UPDATE dynamo_internal.replicas SET until = 0;
SELECT dynamo_internal.part_replica('FactMembers', 'us-east-1', 'us-west-2');
ROLLBACK;
SELECT :facts FROM (VALUES ('it may go', 'DeleteTable', '{}', '{"TableDescription": {"TableStatus": "DELETING", "Replicas": null}}')) AS fact (about, operation, request, answer), :told;
SELECT count(*) FROM dynamo.replicas;
-- where the table names a key, each replica has one of its own
BEGIN;
SELECT dynamo.call('CreateTable', '{"TableName": "FactKeys", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
	"SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "alias/ours"}}') IS NOT NULL;
\set base '{"TableName": "FactKeys"}'
SELECT :facts FROM (VALUES
('no key', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}', 'ValidationException: KMSMasterKeyId must be specified for each replica.'),
('what is none', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1", "KMSMasterKeyId": "a key"}}]}',
	'ValidationException: KMS validation error: com.amazonaws.services.kms.model.NotFoundException: Invalid keyId a key'),
('a key', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1", "KMSMasterKeyId": "arn:aws:kms:eu-west-1:000000000000:key/theirs"}}]}',
	'{"TableDescription": {"TableStatus": "UPDATING", "Replicas": []}}'),
('it is told', 'DescribeTable', '{}', '{"Table": {"Replicas": [{"RegionName": "eu-west-1", "KMSMasterKeyId": "arn:aws:kms:eu-west-1:000000000000:key/theirs"}]}}')
) AS fact (about, operation, request, answer), :told;
ROLLBACK;
SELECT dynamo.drop_region('us-west-2'), dynamo.drop_region('eu-west-1');
DROP SERVER members_west, members_eu;
