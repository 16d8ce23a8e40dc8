-- DescribeTableReplicaAutoScaling: of a table with replicas
\getenv top PG_ABS_SRCDIR
\set helper :top /sql/helpers/facts.sql
\i :helper
SELECT :facts FROM (VALUES
('no name', 'DescribeTableReplicaAutoScaling', '{}',
	'ValidationException: The parameter ''TableName'' is required but was not present in the request'),
('a short and wrong one', 'DescribeTableReplicaAutoScaling', '{"TableName": "!"}',
	'ValidationException: 2 validation errors detected: Value ''!'' at ''tableName'' failed to satisfy constraint: Member must have length greater than or equal to 3; Value ''!'' at ''tableName'' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+'),
('no table', 'DescribeTableReplicaAutoScaling', '{"TableName": "FactNone"}',
	'ResourceNotFoundException: Global table with name: ''FactNone'' does not exist.')
) AS fact (about, operation, request, answer), :told;
SELECT dynamo.create_table('FactGlobal', 'pk');
SELECT :facts FROM (VALUES
('a table', 'DescribeTableReplicaAutoScaling', '{"TableName": "FactGlobal"}',
	'ResourceNotFoundException: Global table with name: ''FactGlobal'' does not exist.')
) AS fact (about, operation, request, answer), :told;
-- with a replica: all regions by name, this one too
CREATE SERVER describe_scaling FOREIGN DATA WRAPPER dynamo_region OPTIONS (host 'localhost', dbname 'eu');
SELECT dynamo.create_region('eu-west-1', 'describe_scaling');
SELECT dynamo.create_index('FactGlobal', 'gsi', 'a');
SELECT dynamo_internal.add_replica('FactGlobal', 'eu-west-1');
SELECT :facts FROM (VALUES
('none is set', 'DescribeTableReplicaAutoScaling', '{"TableName": "FactGlobal"}',
	'{"TableAutoScalingDescription": {"TableName": "FactGlobal", "TableStatus": "UPDATING", "Replicas": [
		{"RegionName": "eu-west-1", "ReplicaStatus": "CREATING", "ReplicaProvisionedReadCapacityAutoScalingSettings": {"AutoScalingDisabled": true, "ScalingPolicies": []}, "ReplicaProvisionedWriteCapacityAutoScalingSettings": {"AutoScalingDisabled": true, "ScalingPolicies": []},
			"GlobalSecondaryIndexes": [{"IndexName": "gsi", "IndexStatus": "ACTIVE", "ProvisionedReadCapacityAutoScalingSettings": {"AutoScalingDisabled": true, "ScalingPolicies": []}, "ProvisionedWriteCapacityAutoScalingSettings": {"AutoScalingDisabled": true, "ScalingPolicies": []}}]},
		{"RegionName": "us-east-1", "ReplicaStatus": "ACTIVE", "GlobalSecondaryIndexes": [{"IndexName": "gsi"}]}]}}'),
('by its ARN', 'DescribeTableReplicaAutoScaling', '{"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/FactGlobal"}', '{"TableAutoScalingDescription": {"TableName": "FactGlobal"}}')
) AS fact (about, operation, request, answer), :told;
UPDATE dynamo_internal.replicas SET status = 'ACTIVE';
SELECT dynamo.set_auto_scaling('FactGlobal', 'WriteCapacityUnits', 5, 50), dynamo.set_auto_scaling('FactGlobal', 'ReadCapacityUnits', 6, 60, index_name => 'gsi');
SELECT :facts FROM (VALUES
('writes are those of all, reads of a region', 'DescribeTableReplicaAutoScaling', '{"TableName": "FactGlobal"}',
	'{"TableAutoScalingDescription": {"TableStatus": "ACTIVE", "Replicas": [
		{"RegionName": "eu-west-1", "ReplicaStatus": "ACTIVE", "ReplicaProvisionedReadCapacityAutoScalingSettings": {"AutoScalingDisabled": true},
			"ReplicaProvisionedWriteCapacityAutoScalingSettings": {"AutoScalingDisabled": null, "MinimumUnits": 5, "MaximumUnits": 50, "ScalingPolicies": [{"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70, "DisableScaleIn": false}}]},
			"GlobalSecondaryIndexes": [{"ProvisionedReadCapacityAutoScalingSettings": {"AutoScalingDisabled": true}}]},
		{"RegionName": "us-east-1", "ReplicaProvisionedWriteCapacityAutoScalingSettings": {"MinimumUnits": 5, "MaximumUnits": 50},
			"GlobalSecondaryIndexes": [{"ProvisionedReadCapacityAutoScalingSettings": {"MinimumUnits": 6, "MaximumUnits": 60, "AutoScalingDisabled": null}}]}]}}')
) AS fact (about, operation, request, answer), :told;
DROP TABLE dynamo_data."FactGlobal";
SELECT dynamo.drop_region('eu-west-1');
DROP SERVER describe_scaling;
