-- UpdateTableReplicaAutoScaling: of a table with replicas
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'UpdateTableReplicaAutoScaling', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short and wrong one', 'UpdateTableReplicaAutoScaling', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'UpdateTableReplicaAutoScaling', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Global table with name: ''FactNone'' does not exist.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactGlobal', 'pk');
SELECT :facts FROM (VALUES
('a table', 'UpdateTableReplicaAutoScaling', '{"TableName": "FactGlobal"}',
	'ResourceNotFoundException: Global table with name: ''FactGlobal'' does not exist.')
) AS fact (about, operation, request, answer), :told;
-- with a replica
CREATE SERVER update_scaling FOREIGN DATA WRAPPER dynamo_region OPTIONS (host 'localhost', dbname 'eu');
SELECT dynamo.create_region('eu-west-1', 'update_scaling');
SELECT dynamo.create_index('FactGlobal', 'gsi', 'a');
SELECT dynamo_internal.add_replica('FactGlobal', 'eu-west-1');
\set base '{"TableName": "FactGlobal"}'
SELECT :facts FROM (VALUES
('while it comes', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 5}}', 'ResourceInUseException: The resource which you are attempting to change is in use.')
) AS fact (about, operation, request, answer), :told;
UPDATE dynamo_internal.replicas SET status = 'ACTIVE';
-- who may not use the table
BEGIN;
SET LOCAL ROLE pg_read_server_files;
SELECT :facts FROM (VALUES
('changes none of it', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"AutoScalingDisabled": true}}',
	'AccessDeniedException: User: arn:aws:iam::000000000000:user/pg_read_server_files is not authorized to perform: dynamodb:UpdateTableReplicaAutoScaling on resource: arn:aws:dynamodb:us-east-1:000000000000:table/FactGlobal'),
('nor sees it', 'DescribeTableReplicaAutoScaling', '{}',
	'AccessDeniedException: User: arn:aws:iam::000000000000:user/pg_read_server_files is not authorized to perform: dynamodb:DescribeTable on resource: arn:aws:dynamodb:us-east-1:000000000000:table/FactGlobal')
) AS fact (about, operation, request, answer), :told;
ROLLBACK;
SELECT :facts FROM (VALUES
('no element', 'UpdateTableReplicaAutoScaling', '{"ReplicaUpdates": []}',
	'ValidationException: 1 validation error detected: Value ''[]'' at ''replicaUpdates'' failed to satisfy constraint: Member must have length greater than or equal to 1'),
('no region', 'UpdateTableReplicaAutoScaling', '{"ReplicaUpdates": [{}]}',
	'ValidationException: 1 validation error detected: Value null at ''replicaUpdates.1.member.regionName'' failed to satisfy constraint: Member must not be null'),
('no units', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 0}}',
	'ValidationException: 1 validation error detected: Value ''0'' at ''provisionedWriteCapacityAutoScalingUpdate.minimumUnits'' failed to satisfy constraint: Member must have value greater than or equal to 1'),
('no target', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 5, "MaximumUnits": 50, "ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {}}}}',
	'ValidationException: 1 validation error detected: Value null at ''provisionedWriteCapacityAutoScalingUpdate.scalingPolicyUpdate.targetTrackingScalingPolicyConfiguration.targetValue'' failed to satisfy constraint: Member must not be null'),
('a wait that is not kept', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 50, "ScaleInCooldown": 9}}}}',
	'ValidationException: One or more parameter values were invalid: ScaleInCooldown is not supported'),
('less than all', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 5}}',
	'ValidationException: One or more parameter values were invalid: MinimumUnits and MaximumUnits are required, and MaximumUnits must not be less than MinimumUnits'),
('a target beyond reason', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"MinimumUnits": 5, "MaximumUnits": 50, "ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 99}}}}',
	'ValidationException: One or more parameter values were invalid: TargetValue is required, and must be between 20 and 90'),
('no member', 'UpdateTableReplicaAutoScaling', '{"ReplicaUpdates": [{"RegionName": "us-west-2"}]}',
	'ValidationException: Update global table operation failed because one or more replicas were not part of the global table. Please retry the request without these replicas: [us-west-2].'),
('no index', 'UpdateTableReplicaAutoScaling', '{"GlobalSecondaryIndexUpdates": [{"IndexName": "none", "ProvisionedWriteCapacityAutoScalingUpdate": {"AutoScalingDisabled": true}}]}',
	'ResourceNotFoundException: Requested resource not found: Index none for table FactGlobal'),
('nothing of these is left', 'DescribeTableReplicaAutoScaling', '{}', '{"TableAutoScalingDescription": {"Replicas": [{"ReplicaProvisionedWriteCapacityAutoScalingSettings": {"AutoScalingDisabled": true}}, {"RegionName": "us-east-1"}]}}')
) AS fact (about, operation, request, answer), :told;
\set policy '"MinimumUnits": 5, "MaximumUnits": 50, "ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 55.5, "DisableScaleIn": true}}'
SELECT dynamo.call('UpdateTableReplicaAutoScaling', ('{"TableName": "FactGlobal", "ProvisionedWriteCapacityAutoScalingUpdate": {' || :'policy' || '},
	"GlobalSecondaryIndexUpdates": [{"IndexName": "gsi", "ProvisionedWriteCapacityAutoScalingUpdate": {' || :'policy' || '}}],
	"ReplicaUpdates": [{"RegionName": "eu-west-1", "ReplicaProvisionedReadCapacityAutoScalingUpdate": {' || :'policy' || '}, "ReplicaGlobalSecondaryIndexUpdates": [{"IndexName": "gsi", "ProvisionedReadCapacityAutoScalingUpdate": {' || :'policy' || '}}]},
		{"RegionName": "us-east-1", "ReplicaProvisionedReadCapacityAutoScalingUpdate": {' || :'policy' || '}}]}')::json) #>> '{TableAutoScalingDescription,Replicas,0,ReplicaProvisionedWriteCapacityAutoScalingSettings}' AS before;
SELECT :facts FROM (VALUES
('writes of all, reads of each', 'DescribeTableReplicaAutoScaling', '{}',
	'{"TableAutoScalingDescription": {"Replicas": [{"RegionName": "eu-west-1", "ReplicaProvisionedReadCapacityAutoScalingSettings": {"MinimumUnits": 5, "MaximumUnits": 50, "ScalingPolicies": [{"PolicyName": "table:ReadCapacityUnits", "TargetTrackingScalingPolicyConfiguration": {"TargetValue": 55.5, "DisableScaleIn": true}}]},
		"ReplicaProvisionedWriteCapacityAutoScalingSettings": {"MinimumUnits": 5}, "GlobalSecondaryIndexes": [{"ProvisionedReadCapacityAutoScalingSettings": {"MinimumUnits": 5}, "ProvisionedWriteCapacityAutoScalingSettings": {"MinimumUnits": 5}}]},
		{"RegionName": "us-east-1", "ReplicaProvisionedReadCapacityAutoScalingSettings": {"MinimumUnits": 5}, "GlobalSecondaryIndexes": [{"ProvisionedReadCapacityAutoScalingSettings": {"AutoScalingDisabled": true}, "ProvisionedWriteCapacityAutoScalingSettings": {"MinimumUnits": 5}}]}]}}'),
('a part of one', 'UpdateTableReplicaAutoScaling', '{"ReplicaUpdates": [{"RegionName": "eu-west-1", "ReplicaProvisionedReadCapacityAutoScalingUpdate": {"MaximumUnits": 70}}]}', '{"TableAutoScalingDescription": {"TableStatus": "UPDATING"}}'),
('an end', 'UpdateTableReplicaAutoScaling', '{"ProvisionedWriteCapacityAutoScalingUpdate": {"AutoScalingDisabled": true}, "ReplicaUpdates": [{"RegionName": "eu-west-1", "ReplicaGlobalSecondaryIndexUpdates": [{"IndexName": "gsi", "ProvisionedReadCapacityAutoScalingUpdate": {"AutoScalingDisabled": true}}]}]}', '{"TableAutoScalingDescription": {"TableStatus": "UPDATING"}}'),
('what is left', 'DescribeTableReplicaAutoScaling', '{}',
	'{"TableAutoScalingDescription": {"Replicas": [{"ReplicaProvisionedReadCapacityAutoScalingSettings": {"MinimumUnits": 5, "MaximumUnits": 70}, "ReplicaProvisionedWriteCapacityAutoScalingSettings": {"AutoScalingDisabled": true},
		"GlobalSecondaryIndexes": [{"ProvisionedReadCapacityAutoScalingSettings": {"AutoScalingDisabled": true}, "ProvisionedWriteCapacityAutoScalingSettings": {"MinimumUnits": 5}}]}, {"ReplicaProvisionedReadCapacityAutoScalingSettings": {"MinimumUnits": 5}}]}}')
) AS fact (about, operation, request, answer), :told;
DROP TABLE dynamo_data."FactGlobal";
SELECT dynamo.drop_region('eu-west-1');
DROP SERVER update_scaling;
