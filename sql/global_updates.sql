-- UpdateTable about regions: what is refused of the request alone, in the service's order
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT dynamo.create_table('FactGlobal', 'pk');
\set base '{"TableName": "FactGlobal"}'
-- the shape of each element
SELECT :facts FROM (VALUES
('no element', 'UpdateTable', '{"ReplicaUpdates": []}',
	'ValidationException: 1 validation error detected: Value ''[]'' at ''replicaUpdates'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('no region', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {}}]}',
	'ValidationException: 1 validation error detected: Value null at ''replicaUpdates.1.member.create.regionName'' failed to satisfy constraint: Member must not be null'),
('no mode', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1"}}]}',
	'ValidationException: 1 validation error detected: Value null at ''replicaUpdates.1.member.disassociate.disassociationMode'' failed to satisfy constraint: Member must not be null'),
('another mode', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "AT_ONCE"}}]}',
	'ValidationException: 1 validation error detected: Value ''AT_ONCE'' at ''replicaUpdates.1.member.disassociate.disassociationMode'' failed to satisfy constraint: Member must satisfy enum value set: [WAIT_FOR_REPLICATION]'),
('no units', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-2", "ProvisionedThroughputOverride": {"ReadCapacityUnits": 0}}}]}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''replicaUpdates.1.member.create.provisionedThroughputOverride.readCapacityUnits'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('no index', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "GlobalSecondaryIndexes": []}}]}',
	'ValidationException: 1 validation error detected: Value ''[]'' at ''replicaUpdates.1.member.update.globalSecondaryIndexes'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('an index without a name', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "GlobalSecondaryIndexes": [{}]}}]}',
	'ValidationException: 1 validation error detected: Value null at ''replicaUpdates.1.member.update.globalSecondaryIndexes.1.member.indexName'' failed to satisfy constraint: Member must not be null'),
('two witnesses', 'UpdateTable', '{"GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-west-1"}}, {"Create": {"RegionName": "us-west-2"}}]}',
	'ValidationException: 1 validation error detected: Value ''[GlobalTableWitnessGroupUpdate(create=CreateGlobalTableWitnessGroupMemberAction(regionName=us-west-1)), GlobalTableWitnessGroupUpdate(create=CreateGlobalTableWitnessGroupMemberAction(regionName=us-west-2))]'' at ''globalTableWitnessUpdates'' failed to satisfy constraint: Member must have length less than or equal to 1'),
('another consistency', 'UpdateTable', '{"MultiRegionConsistency": "WEAK"}',
	'ValidationException: 1 validation error detected: Value ''WEAK'' at ''multiRegionConsistency'' failed to satisfy constraint: Member must satisfy enum value set: [EVENTUAL, STRONG]'),
('another mode of settings', 'UpdateTable', '{"GlobalTableSettingsReplicationMode": "ON"}',
	'ValidationException: 1 validation error detected: Value ''ON'' at ''globalTableSettingsReplicationMode'' failed to satisfy constraint: Member must satisfy enum value set: [ENABLED, DISABLED, ENABLED_WITH_OVERRIDES]')
) AS fact (about, operation, request, answer), :told;
-- nothing to do, and too much at once; a table that is not there is told after these
SELECT :facts FROM (VALUES
('consistency only', 'UpdateTable', '{"TableName": "FactNone", "MultiRegionConsistency": "STRONG"}',
	'ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required'),
('a witness only', 'UpdateTable', '{"TableName": "FactNone", "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-west-2"}}]}',
	'ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required'),
('a stream beside', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}}',
	'ValidationException: One or more parameter values were invalid: Replica modification must be the only operation in the request'),
('a mode of settings beside', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "GlobalTableSettingsReplicationMode": "ENABLED"}',
	'ValidationException: One or more parameter values were invalid: Replica modification must be the only operation in the request'),
('its class beside a bad action', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{}], "TableClass": "STANDARD"}',
	'ValidationException: One or more parameter values were invalid: TableClass modification must be the only operation in the request'),
('billing beside STRONG', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "MultiRegionConsistency": "STRONG", "BillingMode": "PAY_PER_REQUEST"}',
	'ValidationException: Requests that modify replicas or witnesses must not also modify other fields'),
('billing beside a witness', 'UpdateTable', '{"TableName": "FactNone", "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-west-2"}}], "BillingMode": "PAY_PER_REQUEST"}',
	'ValidationException: Requests that modify replicas or witnesses must not also modify other fields'),
('billing beside EVENTUAL', 'UpdateTable', '{"TableName": "FactNone", "MultiRegionConsistency": "EVENTUAL", "BillingMode": "PAY_PER_REQUEST"}',
	'ValidationException: Requests that modify replicas or witnesses must not also modify other fields'),
('protection beside', 'UpdateTable', '{"TableName": "FactNone", "DisassociationProtectionEnabled": true, "BillingMode": "PAY_PER_REQUEST"}',
	'ValidationException: One or more parameter values were invalid: DisassociationProtection modification must be the only operation in the request'),
('settings with overrides', 'UpdateTable', '{"TableName": "FactNone", "GlobalTableSettingsReplicationMode": "ENABLED_WITH_OVERRIDES"}',
	'ValidationException: Value ''ENABLED_WITH_OVERRIDES'' at ''GlobalTableSettingsReplicationMode'' failed to satisfy constraint: Only ENABLED and DISABLED settings replication are allowed'),
('no such table', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}]}',
	'ResourceNotFoundException: Requested resource not found: Table: FactNone not found')
) AS fact (about, operation, request, answer), :told;
-- the actions
SELECT :facts FROM (VALUES
('no action', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{}]}',
	'ValidationException: There are no actions specified in the Replica Update Action of the request.'),
('an Update of nothing', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2"}}]}',
	'ValidationException: There are no actions specified in the Replica Update Action of the request.'),
('two in one element', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}, "Delete": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Update table operation with more than one type of replica actions not allowed'),
('two Creates', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-1"}}, {"Create": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Update table operation with more than one create or delete replica actions not allowed'),
('two Deletes', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-west-1"}}, {"Delete": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Update table operation with more than one create or delete replica actions not allowed'),
('a Create and a Delete', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}, {"Delete": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Update table operation with more than one create or delete replica actions not allowed'),
('a Create and an Update', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}, {"Update": {"RegionName": "us-west-2", "TableClassOverride": "STANDARD"}}]}',
	'ValidationException: Update table operation with more than one type of replica actions not allowed'),
('a Disassociate and an Update', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}, {"Update": {"RegionName": "us-west-2", "TableClassOverride": "STANDARD"}}]}',
	'ValidationException: Update table operation with more than one type of replica actions not allowed'),
('the own region twice counts once', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-east-1"}}, {"Create": {"RegionName": "us-east-1"}}]}',
	'ValidationException: Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.'),
('a Delete twice counts once', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}, {"Delete": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [us-west-2].')
) AS fact (about, operation, request, answer), :told;
-- the regions, before the table
SELECT :facts FROM (VALUES
('an empty name', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{"Create": {"RegionName": ""}}]}',
	'AccessDeniedException: Access is denied'),
('the own region', 'UpdateTable', '{"TableName": "FactNone", "ReplicaUpdates": [{"Create": {"RegionName": "us-east-1"}}]}',
	'ValidationException: Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.'),
('the own region goes', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-east-1"}}]}',
	'ValidationException: Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.'),
('a region that nobody knows', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-fake-1"}}]}',
	'ValidationException: Region us-fake-1 is not supported. The latest version of global tables are only supported in the following regions: [us-east-1]'),
('capitals', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "US-EAST-1"}}]}',
	'ValidationException: Region US-EAST-1 is not supported. The latest version of global tables are only supported in the following regions: [us-east-1]'),
('no member', 'UpdateTable', '{"ReplicaUpdates": [{"Update": {"RegionName": "us-west-2", "TableClassOverride": "STANDARD"}}]}',
	'ValidationException: Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [us-west-2].'),
('another region leaves', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-west-2", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}',
	'ValidationException: One or more parameter values were invalid: Disassociate must be sent to the region that leaves the global table: us-west-2'),
('a regional table leaves', 'UpdateTable', '{"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}',
	'ValidationException: Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [us-east-1].')
) AS fact (about, operation, request, answer), :told;
-- STRONG
SELECT :facts FROM (VALUES
('one Create', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.'),
('three Creates', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}, {"Create": {"RegionName": "us-west-1"}}, {"Create": {"RegionName": "us-east-2"}}]}',
	'ValidationException: Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.'),
('two Creates and a witness', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}, {"Create": {"RegionName": "us-west-1"}}], "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-2"}}]}',
	'ValidationException: Unsupported replica count for global tables with MultiRegionConsistency set to STRONG.'),
('a witness without', 'UpdateTable', '{"ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-2"}}]}',
	'ValidationException: MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is present.'),
('a witness with EVENTUAL', 'UpdateTable', '{"MultiRegionConsistency": "EVENTUAL", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-2"}}]}',
	'ValidationException: MultiRegionConsistency must be set as STRONG when GlobalTableWitnessUpdates parameter is present.'),
('a witness of which nothing is said', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{}]}',
	'ValidationException: There are no actions specified in the Replica Update Action of the request.'),
('a witness that comes and goes', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-2"}, "Delete": {"RegionName": "us-east-2"}}]}',
	'ValidationException: Update table operation with more than one type of replica actions not allowed'),
('a witness where the replica is', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Cannot target multiple regions with the same action'),
('a witness here', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-1"}}]}',
	'ValidationException: Cannot add a witness in the same region as an existing replica when creating a global table with MultiRegionConsistency set to STRONG.'),
('a Delete', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}]}',
	'ValidationException: Only Replica Create actions are supported when MultiRegionConsistency parameter is provided.'),
('the own region', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}, {"Create": {"RegionName": "us-east-1"}}]}',
	'ValidationException: Cannot add or delete the local region through ReplicaUpdates. Use CreateTable, DeleteTable, or UpdateTable as required.'),
('no region can', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}, {"Create": {"RegionName": "us-east-2"}}]}',
	'ValidationException: Unsupported Region(s) specified for global tables with MultiRegionConsistency set to STRONG: [us-west-2, us-east-2].'),
('nor with a witness', 'UpdateTable', '{"MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-2"}}]}',
	'ValidationException: Unsupported Region(s) specified for global tables with MultiRegionConsistency set to STRONG: [us-west-2, us-east-2].'),
('it ends where it is not', 'UpdateTable', '{"ReplicaUpdates": [{"Delete": {"RegionName": "us-west-2"}}], "GlobalTableWitnessUpdates": [{"Delete": {"RegionName": "us-east-2"}}]}',
	'ValidationException: Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [us-west-2].')
) AS fact (about, operation, request, answer), :told;
-- what a regional table takes, and does not show
SELECT :facts FROM (VALUES
('settings', 'UpdateTable', '{"GlobalTableSettingsReplicationMode": "ENABLED"}', '{"TableDescription": {"TableStatus": "ACTIVE", "GlobalTableSettingsReplicationMode": null}}'),
('no settings', 'UpdateTable', '{"GlobalTableSettingsReplicationMode": "DISABLED"}', '{"TableDescription": {"TableStatus": "ACTIVE", "GlobalTableSettingsReplicationMode": null}}'),
('protection', 'UpdateTable', '{"DisassociationProtectionEnabled": false}', '{"TableDescription": {"TableStatus": "ACTIVE", "DisassociationProtectionEnabled": null}}'),
('afterwards', 'DescribeTable', '{}', '{"Table": {"TableStatus": "ACTIVE", "GlobalTableVersion": null, "Replicas": null, "MultiRegionConsistency": null, "GlobalTableWitnesses": null, "GlobalTableSettingsReplicationMode": null, "DisassociationProtectionEnabled": null}}')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.drop_table('FactGlobal');
