-- What policies of a role let through: one case a row.  test/t/http_policy.pl
-- runs the same rows over HTTP.
--
-- A case: statements, "<effect> <actions> on <resources> [if <condition>]",
-- separated by ";"; an operation; its request; and what is expected: yes; no,
-- since nothing allows it; deny, since a statement forbids it.  In a request
-- {K1} and {K2} are the keys of an item of partition t1 and t2.
\t on
\a
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE TABLE policy_case (n serial, statements text, operation text, request text, expected text);
INSERT INTO policy_case (statements, operation, request, expected) VALUES
-- actions: names, wildcards, cases, another service's, NotAction
('Allow dynamodb:GetItem on *', 'GetItem', '"Key":{K1}', 'yes'),
('Allow dynamodb:Query on *', 'GetItem', '"Key":{K1}', 'no'),
('Allow dynamodb:Get* on *', 'GetItem', '"Key":{K1}', 'yes'),
('Allow dynamodb:?etItem on *', 'GetItem', '"Key":{K1}', 'yes'),
('Allow dynamodb:?GetItem on *', 'GetItem', '"Key":{K1}', 'no'),
('Allow DynamoDB:getitem on *', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on *', 'GetItem', '"Key":{K1}', 'yes'),
('Allow s3:* on *', 'GetItem', '"Key":{K1}', 'no'),
('Allow !dynamodb:PutItem on *', 'GetItem', '"Key":{K1}', 'yes'),
('Allow !dynamodb:PutItem on *', 'PutItem', '"Item":{K1}', 'no'),
('Allow * on *; Deny dynamodb:DeleteItem on *', 'DeleteItem', '"Key":{K1}', 'deny'),
('Deny dynamodb:DeleteItem on *; Allow * on *', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on *; Deny !dynamodb:GetItem on *', 'Scan', '"Limit":1', 'deny'),
-- resources: tables, indexes, wildcards, NotResource
('Allow * on arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on arn:aws:dynamodb:us-east-1:000000000000:table/PolicyX', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on arn:aws:dynamodb:*:*:table/Policy?', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on arn:aws:dynamodb:*:*:table/Policy', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on arn:aws:dynamodb:*:*:table/PolicyT', 'Query', '"IndexName":"ByMail","KeyConditionExpression":"mail=:m","ExpressionAttributeValues":{":m":{"S":"x"}}', 'no'),
('Allow * on arn:aws:dynamodb:*:*:table/PolicyT/index/*', 'Query', '"IndexName":"ByMail","KeyConditionExpression":"mail=:m","ExpressionAttributeValues":{":m":{"S":"x"}}', 'yes'),
('Allow * on arn:aws:dynamodb:*:*:table/PolicyT/index/*', 'Scan', '"Limit":1', 'no'),
('Allow * on *; Deny * on !arn:aws:dynamodb:*:*:table/PolicyT', 'Scan', '"IndexName":"ByMail"', 'deny'),
('Allow * on *; Deny * on !arn:aws:dynamodb:*:*:table/PolicyT', 'Scan', '"Limit":1', 'yes'),
('Allow * on arn:aws:dynamodb:*:*:table/${aws:username}', 'GetItem', '"Key":{K1}', 'no'),
-- leading keys: one, several, patterns, variables with and without a value
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["t1"]}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["t1"]}}', 'GetItem', '"Key":{K2}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:leadingkeys":["t1","t2"]}}', 'GetItem', '"Key":{K2}', 'yes'),
('Allow * on * if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"t*"}}', 'PutItem', '"Item":{K2}', 'yes'),
('Allow * on * if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"${aws:username}"}}', 'UpdateItem', '"Key":{K1}', 'no'),
('Allow * on * if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"${aws:username}"}}', 'DeleteItem', '"Key":{"pk":{"S":"regress_policy"},"sk":{"S":"a"}}', 'yes'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"${aws:FederatedUser, ''t1''}"}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"${aws:FederatedUser}"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"t${*}"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'BatchGetItem', '"RequestItems":{"PolicyT":{"Keys":[{K1},{K2}]}}', 'no'),
('Allow * on * if {"ForAnyValue:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'BatchGetItem', '"RequestItems":{"PolicyT":{"Keys":[{K1},{K2}]}}', 'yes'),
('Allow * on *; Deny * on * if {"ForAnyValue:StringEquals":{"dynamodb:LeadingKeys":"t2"}}', 'BatchGetItem', '"RequestItems":{"PolicyT":{"Keys":[{K1},{K2}]}}', 'deny'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'Query', '"KeyConditionExpression":"pk=:p","ExpressionAttributeValues":{":p":{"S":"t1"}}', 'yes'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'Query', '"KeyConditionExpression":"pk=:p","ExpressionAttributeValues":{":p":{"S":"t2"}},"Select":"COUNT"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'Query', '"KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"t2"}]}}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"x"}}', 'Query', '"IndexName":"ByMail","KeyConditionExpression":"mail=:m","ExpressionAttributeValues":{":m":{"S":"x"}}', 'yes'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'Query', '"IndexName":"ByMail","KeyConditionExpression":"mail=:m","ExpressionAttributeValues":{":m":{"S":"x"}}', 'no'),
-- a condition on keys refuses what is about all of them: ForAllValues would hold
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'Scan', '"Limit":1', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'Scan', '"IndexName":"ByMail"', 'no'),
('Allow * on * if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":"*"}}', 'Scan', '"Limit":1', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:SecondPartitionKeyValues":"t1"}}', 'Scan', '"Limit":1', 'no'),
('Allow * on * if {"StringEqualsIfExists":{"dynamodb:LeadingKeys":"t1"}}', 'Scan', '"Limit":1', 'no'),
('Allow * on * if {"Null":{"dynamodb:LeadingKeys":"true"}}', 'Scan', '"Limit":1', 'yes'),
('Allow * on *; Deny * on * if {"ForAnyValue:StringNotEquals":{"dynamodb:LeadingKeys":"t1"}}', 'Scan', '"Limit":1', 'deny'),
('Allow * on *; Deny * on * if {"Null":{"dynamodb:LeadingKeys":"true"}}', 'Scan', '"Limit":1', 'deny'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'ExecuteStatement', '"Statement":"SELECT * FROM PolicyT WHERE sk=''a''"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'CreateBackup', '"TableName":"PolicyT","BackupName":"backup"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'DeleteBackup', '"BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT/backup/01489602797149-73d8d5bc"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'DeleteTable', '"TableName":"PolicyT"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'ExportTableToPointInTime', '"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT","S3Bucket":"bucket"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'RestoreTableFromBackup', '"TargetTableName":"New","BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT/backup/01489602797149-73d8d5bc"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'RestoreTableToPointInTime', '"TargetTableName":"New","SourceTableName":"PolicyT","UseLatestRestorableTime":true', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'UpdateTimeToLive', '"TableName":"PolicyT","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'DescribeTable', '"TableName":"PolicyT"', 'yes'),
-- ... and one on attributes, but for reads, which say what they want
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk"]}}', 'CreateBackup', '"TableName":"PolicyT","BackupName":"backup"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk"]}}', 'Scan', '"ProjectionExpression":"pk"', 'yes'),
-- which keys a bulk operation has is seen later
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}; Deny dynamodb:StartBulkPutItems on * if {"StringEquals":{"aws:username":"regress_policy"}}', 'StartBulkPutItems', '"TableName":"PolicyT","InputS3Configuration":{"S3Bucket":"bucket","InputFormat":"ION"},"OutputS3Configuration":{"S3Bucket":"bucket","OutputType":["ERROR"]}', 'deny'),
('Allow dynamodb:GetItem on *', 'StartBulkPutItems', '"TableName":"PolicyT","InputS3Configuration":{"S3Bucket":"bucket","InputFormat":"ION"},"OutputS3Configuration":{"S3Bucket":"bucket","OutputType":["ERROR"]}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"},"Null":{"dynamodb:LeadingKeys":"false"}}', 'Scan', '"Limit":1', 'no'),
-- batches and transactions: each member, by its own action
('Allow dynamodb:BatchWriteItem on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'BatchWriteItem', '"RequestItems":{"PolicyT":[{"PutRequest":{"Item":{K1}}}]}', 'yes'),
('Allow dynamodb:BatchWriteItem on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'BatchWriteItem', '"RequestItems":{"PolicyT":[{"PutRequest":{"Item":{K1}}},{"DeleteRequest":{"Key":{K2}}}]}', 'no'),
('Allow dynamodb:PutItem on *', 'BatchWriteItem', '"RequestItems":{"PolicyT":[{"PutRequest":{"Item":{K1}}}]}', 'no'),
('Allow dynamodb:PutItem on *', 'TransactWriteItems', '"TransactItems":[{"Put":{"TableName":"PolicyT","Item":{K1}}}]', 'yes'),
('Allow dynamodb:TransactWriteItems on *', 'TransactWriteItems', '"TransactItems":[{"Put":{"TableName":"PolicyT","Item":{K1}}}]', 'no'),
('Allow dynamodb:PutItem on *', 'TransactWriteItems', '"TransactItems":[{"Put":{"TableName":"PolicyT","Item":{K1}}},{"ConditionCheck":{"TableName":"PolicyT","Key":{K2},"ConditionExpression":"attribute_exists(pk)"}}]', 'no'),
('Allow dynamodb:PutItem,dynamodb:ConditionCheckItem on *', 'TransactWriteItems', '"TransactItems":[{"Put":{"TableName":"PolicyT","Item":{K1}}},{"ConditionCheck":{"TableName":"PolicyT","Key":{K2},"ConditionExpression":"attribute_exists(pk)"}}]', 'yes'),
('Allow dynamodb:GetItem on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'TransactGetItems', '"TransactItems":[{"Get":{"TableName":"PolicyT","Key":{K1}}},{"Get":{"TableName":"PolicyT","Key":{K2}}}]', 'no'),
('Allow dynamodb:PutItem on * if {"StringEquals":{"dynamodb:EnclosingOperation":"TransactWriteItems"}}', 'PutItem', '"Item":{K1}', 'no'),
('Allow dynamodb:PutItem on * if {"StringEquals":{"dynamodb:EnclosingOperation":"TransactWriteItems"}}', 'TransactWriteItems', '"TransactItems":[{"Put":{"TableName":"PolicyT","Item":{K1}}}]', 'yes'),
('Allow * on *; Deny dynamodb:PutItem on * if {"ForAnyValue:StringEquals":{"dynamodb:EnclosingOperation":["TransactWriteItems"]}}', 'TransactWriteItems', '"TransactItems":[{"Put":{"TableName":"PolicyT","Item":{K1}}}]', 'deny'),
-- PartiQL
('Allow dynamodb:PartiQLSelect on *', 'ExecuteStatement', '"Statement":"SELECT * FROM PolicyT WHERE pk=''t1''"', 'yes'),
('Allow dynamodb:ExecuteStatement on *', 'ExecuteStatement', '"Statement":"SELECT * FROM PolicyT WHERE pk=''t1''"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'ExecuteStatement', '"Statement":"SELECT * FROM PolicyT WHERE pk IN [''t1'',''t2'']"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'ExecuteStatement', '"Statement":"SELECT * FROM PolicyT WHERE pk=? AND sk=''a''","Parameters":[{"S":"t2"}]', 'no'),
('Allow * on *; Deny * on * if {"Bool":{"dynamodb:FullTableScan":"true"}}', 'ExecuteStatement', '"Statement":"SELECT * FROM PolicyT WHERE sk=''a''"', 'deny'),
('Allow * on *; Deny * on * if {"Bool":{"dynamodb:FullTableScan":true}}', 'ExecuteStatement', '"Statement":"SELECT * FROM PolicyT WHERE pk=''t1''"', 'yes'),
('Allow dynamodb:PartiQLInsert on * if {"StringEquals":{"dynamodb:LeadingKeys":"t2"}}', 'ExecuteStatement', '"Statement":"INSERT INTO PolicyT VALUE {''pk'':''t1'',''sk'':''z''}"', 'no'),
('Allow dynamodb:PartiQLUpdate on * if {"StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'ExecuteStatement', '"Statement":"UPDATE PolicyT SET v=1 WHERE pk=''t1'' AND sk=''a''"', 'yes'),
('Allow dynamodb:PartiQL* on *; Deny dynamodb:PartiQLDelete on *', 'ExecuteStatement', '"Statement":"DELETE FROM PolicyT WHERE pk=''t1'' AND sk=''a''"', 'deny'),
('Allow dynamodb:PartiQLSelect on * if {"StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'BatchExecuteStatement', '"Statements":[{"Statement":"SELECT * FROM PolicyT WHERE pk=''t2'' AND sk=''a''"}]', 'no'),
('Allow dynamodb:PartiQLSelect on * if {"StringEquals":{"dynamodb:LeadingKeys":"t1"}}', 'ExecuteTransaction', '"TransactStatements":[{"Statement":"SELECT * FROM PolicyT WHERE pk=''t1'' AND sk=''a''"},{"Statement":"SELECT * FROM PolicyT WHERE pk=''t2'' AND sk=''a''"}]', 'no'),
('Allow dynamodb:PartiQLUpdate on * if {"StringEquals":{"dynamodb:EnclosingOperation":"ExecuteTransaction"}}', 'ExecuteTransaction', '"TransactStatements":[{"Statement":"UPDATE PolicyT SET v=1 WHERE pk=''t1'' AND sk=''b''"}]', 'yes'),
-- attributes: what is named, keys included; Select; ReturnValues
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]},"StringEquals":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}', 'GetItem', '"Key":{K1},"ProjectionExpression":"pk,v"', 'yes'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]},"StringEquals":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]}}', 'GetItem', '"Key":{K1},"ProjectionExpression":"secret.x"', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk"]}}', 'GetItem', '"Key":{K1},"AttributesToGet":["secret"]', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]}}', 'PutItem', '"Item":{"pk":{"S":"t1"},"sk":{"S":"a"},"secret":{"S":"x"}}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]}}', 'UpdateItem', '"Key":{K1},"UpdateExpression":"SET v = #s","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeNames":{"#s":"secret"}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]}}', 'UpdateItem', '"Key":{K1},"UpdateExpression":"REMOVE v","ConditionExpression":"size(secret) > :n","ExpressionAttributeValues":{":n":{"N":"1"}}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]}}', 'UpdateItem', '"Key":{K1},"UpdateExpression":"SET v = :n","ExpressionAttributeValues":{":n":{"N":"1"}}', 'yes'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk","sk","v"]}}', 'Scan', '"FilterExpression":"secret = :n","ExpressionAttributeValues":{":n":{"N":"1"}}', 'no'),
('Allow * on * if {"ForAllValues:StringEquals":{"dynamodb:Attributes":["pk"]}}', 'ExecuteStatement', '"Statement":"SELECT pk FROM PolicyT WHERE pk=''t1'' AND secret=1"', 'no'),
('Allow * on *; Deny * on * if {"StringEquals":{"dynamodb:Select":"COUNT"}}', 'Query', '"KeyConditionExpression":"pk=:p","ExpressionAttributeValues":{":p":{"S":"t1"}},"Select":"COUNT"', 'deny'),
('Allow * on * if {"StringEqualsIfExists":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES","dynamodb:ReturnValues":["NONE","UPDATED_NEW"]}}', 'DeleteItem', '"Key":{K1},"ReturnValues":"ALL_OLD"', 'no'),
('Allow * on * if {"StringEqualsIfExists":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES","dynamodb:ReturnValues":["NONE","UPDATED_NEW"]}}', 'DeleteItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"StringEquals":{"dynamodb:ReturnValues":"NONE"}}', 'PutItem', '"Item":{K1},"ConditionExpression":"attribute_not_exists(pk)","ReturnValuesOnConditionCheckFailure":"ALL_OLD"', 'no'),
('Allow * on * if {"StringEquals":{"dynamodb:ReturnConsumedCapacity":"NONE"}}', 'GetItem', '"Key":{K1},"ReturnConsumedCapacity":"TOTAL"', 'no'),
-- operators, about the session
('Allow * on * if {"StringNotEquals":{"aws:username":"regress_policy"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"StringEqualsIgnoreCase":{"aws:username":"REGRESS_policy"}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"StringNotLike":{"aws:username":"regress_*"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"ArnLike":{"aws:PrincipalArn":"arn:aws:iam::*:user/regress_*"}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"ArnLike":{"aws:PrincipalArn":"arn:*:user/regress_*"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"DateGreaterThan":{"aws:CurrentTime":"2020-01-01T00:00:00Z"},"DateLessThan":{"aws:CurrentTime":"2999-12-31"}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"DateLessThan":{"aws:CurrentTime":"2020-01-01T00:00:00+01:00"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"NumericGreaterThan":{"aws:EpochTime":1600000000}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"NumericLessThanEquals":{"aws:EpochTime":"1600000000"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"IpAddress":{"aws:SourceIp":"192.0.2.0/24"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"NotIpAddress":{"aws:SourceIp":"192.0.2.0/24"}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on *; Deny * on * if {"Bool":{"aws:SecureTransport":"false"}}', 'GetItem', '"Key":{K1}', 'deny'),
('Allow * on * if {"StringEquals":{"aws:PrincipalTag/team":"a"}}', 'GetItem', '"Key":{K1}', 'no'),
('Allow * on * if {"StringEqualsIfExists":{"aws:PrincipalTag/team":"a"}}', 'GetItem', '"Key":{K1}', 'yes'),
('Allow * on * if {"Null":{"aws:PrincipalTag/team":"true"}}', 'GetItem', '"Key":{K1}', 'yes'),
-- of several values one is enough for a Deny: others do not hide it
('Allow * on *; Deny * on * if {"StringEquals":{"dynamodb:LeadingKeys":"t2"}}', 'BatchGetItem', '"RequestItems":{"PolicyT":{"Keys":[{K1},{K2}]}}', 'deny'),
('Allow * on *; Deny * on * if {"StringEquals":{"dynamodb:Attributes":"secret"}}', 'GetItem', '"Key":{K1},"ProjectionExpression":"v,secret"', 'deny'),
-- "?" of an ARN stands for no colon
('Allow * on * if {"ArnLike":{"aws:PrincipalArn":"arn:aws:iam:?000000000000:user/regress_policy"}}', 'GetItem', '"Key":{K1}', 'no'),
-- operations about tables
('Allow * on *; Deny dynamodb:*Bulk* on *', 'ListBulkOperations', '', 'deny'),
('Allow dynamodb:*Bulk* on *', 'ListBulkOperations', '', 'yes'),
('Allow * on *; Deny dynamodb:StartBulkPutItems on *', 'StartBulkPutItems', '"TableName":"PolicyT","InputS3Configuration":{"S3Bucket":"bucket","InputFormat":"ION"},"OutputS3Configuration":{"S3Bucket":"bucket","OutputType":["ERROR"]}', 'deny'),
('Allow * on *; Deny dynamodb:PutResourcePolicy on *', 'CreateTable', '"TableName":"PolicyN","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"ResourcePolicy":"{}"', 'deny'),
('Allow dynamodb:CreateTable on *', 'CreateTable', '"TableName":"PolicyN","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"ResourcePolicy":"{}"', 'no'),
('Allow dynamodb:CreateTable on *', 'CreateTable', '"TableName":"PolicyN","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"Tags":[{"Key":"k","Value":"v"}]', 'no'),
('Allow * on *; Deny * on arn:aws:dynamodb:*:*:table/PolicyN', 'RestoreTableToPointInTime', '"TargetTableName":"PolicyN","SourceTableName":"PolicyT","UseLatestRestorableTime":true', 'deny'),
('Allow * on arn:aws:dynamodb:*:*:table/PolicyT', 'RestoreTableToPointInTime', '"TargetTableName":"PolicyN","SourceTableName":"PolicyT","UseLatestRestorableTime":true', 'no'),
('Allow * on *; Deny * on arn:aws:dynamodb:*:*:table/PolicyN', 'RestoreTableFromBackup', '"TargetTableName":"PolicyN","BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT/backup/01489602797149-73d8d5bc"', 'deny'),
('Allow * on *; Deny * on arn:aws:dynamodb:*:*:table/PolicyT', 'RestoreTableToPointInTime', '"TargetTableName":"PolicyN","SourceTableArn":"PolicyT","UseLatestRestorableTime":true', 'deny'),
('Allow * on *; Deny * on arn:aws:dynamodb:*:*:table/PolicyT/index/*', 'DescribeContributorInsights', '"TableName":"PolicyT","IndexName":"ByMail"', 'deny'),
('Allow * on *; Deny * on arn:aws:dynamodb:*:*:table/PolicyT/index/*', 'DescribeContributorInsights', '"TableName":"PolicyT"', 'yes'),
('Allow dynamodb:ListTables on *', 'ListTables', '', 'yes'),
('Allow * on arn:aws:dynamodb:*:*:table/*', 'ListTables', '', 'no'),
('Allow dynamodb:ListBackups on *; Deny * on arn:aws:dynamodb:*:*:table/*', 'ListBackups', '"TableName":"PolicyT"', 'yes'),
('Allow dynamodb:DescribeTable on arn:aws:dynamodb:*:*:table/PolicyT', 'DescribeTable', '"TableName":"PolicyT"', 'yes'),
('Allow dynamodb:GetItem on *', 'DescribeTable', '"TableName":"PolicyT"', 'no'),
('Allow dynamodb:DescribeTable on *', 'DescribeTable', '"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT"', 'yes'),
-- members that an operation does not have name nothing
('Allow dynamodb:DescribeTable on arn:aws:dynamodb:*:*:table/Mine', 'DescribeTable', '"TableName":"PolicyT","ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Mine"', 'no'),
('Allow dynamodb:UpdateTable on arn:aws:dynamodb:*:*:table/Mine', 'UpdateTable', '"TableName":"PolicyT","StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Mine/stream/2020-01-01T00:00:00.000","DeletionProtectionEnabled":false', 'no'),
('Allow dynamodb:TagResource on arn:aws:dynamodb:*:*:table/Mine', 'TagResource', '"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT","TableName":"Mine","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Mine","Tags":[{"Key":"k","Value":"v"}]', 'no'),
('Allow * on *; Deny dynamodb:ListTagsOfResource on arn:aws:dynamodb:*:*:table/PolicyT', 'ListTagsOfResource', '"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/PolicyT"', 'deny');
-- offsets of minutes: 59 minutes ago, in the time of a place 59 minutes ahead
INSERT INTO policy_case (statements, operation, request, expected)
SELECT format('Allow * on * if {"%s":{"aws:CurrentTime":"%s+00:59"}}', op, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')), 'GetItem', '"Key":{K1}', expected
FROM (VALUES ('DateLessThan', 'no'), ('DateGreaterThan', 'yes')) c (op, expected);

CREATE FUNCTION policy_list(list text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(part) FROM unnest(string_to_array(ltrim(list, '!'), ',')) part $$;
CREATE FUNCTION policy_document(statements text) RETURNS text LANGUAGE sql AS $$
  SELECT jsonb_build_object('Version', '2012-10-17', 'Statement', jsonb_agg(
    jsonb_build_object('Effect', p[1],
      CASE WHEN p[2] LIKE '!%' THEN 'NotAction' ELSE 'Action' END, policy_list(p[2]),
      CASE WHEN p[3] LIKE '!%' THEN 'NotResource' ELSE 'Resource' END, policy_list(p[3])) ||
    CASE WHEN p[4] IS NULL THEN '{}' ELSE jsonb_build_object('Condition', p[4]::jsonb) END))
  FROM regexp_split_to_table(statements, '; ') s, regexp_match(s, '^(Allow|Deny) (\S+) on (\S+)(?: if (.*))?$') p $$;
-- The whole request: its table, and keys for {K1} and {K2}
CREATE FUNCTION policy_request(operation text, request text) RETURNS text LANGUAGE sql AS $$
  SELECT '{' || CASE WHEN operation IN ('GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan') THEN '"TableName":"PolicyT",' ELSE '' END ||
    regexp_replace(request, '\{K(.)\}', '{"pk":{"S":"t\1"},"sk":{"S":"a"}}', 'g') || '}' $$;
-- yes, no or deny; an answer that is neither is shown
CREATE FUNCTION policy_outcome(answer text) RETURNS text LANGUAGE sql AS $$
  SELECT CASE
    WHEN answer ~ 'is not authorized to perform: dynamodb:\w+ on resource: \S+ because no identity-based policy allows the dynamodb:\w+ action"' THEN 'no'
    WHEN answer ~ 'is not authorized to perform: dynamodb:\w+ on resource: \S+ with an explicit deny in an identity-based policy"' THEN 'deny'
    WHEN answer ~ '__type|"Error"' AND answer !~ 'ConditionalCheckFailed' THEN answer
    ELSE 'yes' END $$;
SELECT dynamo.create_table('PolicyT', 'pk', 'sk'), dynamo.create_index('PolicyT', 'ByMail', 'mail');
SELECT dynamo.put_item('PolicyT', item::dynamo.item) FROM unnest('{"{\"pk\": \"t1\", \"sk\": \"a\", \"mail\": \"x\"}","{\"pk\": \"t1\", \"sk\": \"b\"}","{\"pk\": \"t2\", \"sk\": \"a\"}"}'::text[]) item;
CREATE ROLE regress_policy LOGIN;
GRANT SELECT, INSERT, UPDATE, DELETE ON dynamo_data."PolicyT" TO regress_policy;
-- end of what HTTP shares

-- the case about TLS asks for what this connection is
UPDATE policy_case SET statements = replace(statements, '"aws:SecureTransport":"false"', format('"aws:SecureTransport":"%s"', ssl::text))
FROM pg_stat_ssl WHERE pid = pg_backend_pid();
SELECT count(*) >= 100 FROM policy_case;
CREATE FUNCTION pg_temp.run(operation text, request text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  SET LOCAL ROLE regress_policy;
  answer := dynamo.try_call(operation, request::json);
  RESET ROLE;
  RETURN answer;
END $$;
CREATE FUNCTION pg_temp.check_case(c policy_case) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dynamo.put_role_policy('regress_policy', 'case', policy_document(c.statements));
  PERFORM dynamo.put_item('PolicyT', '{"pk": "t1", "sk": "b"}');
  PERFORM dynamo.put_item('PolicyT', '{"pk": "t2", "sk": "a"}');
  PERFORM dynamo.put_item('PolicyT', '{"pk": "t1", "sk": "a"}');
  RETURN policy_outcome(pg_temp.run(c.operation, policy_request(c.operation, c.request)));
END $$;
-- none is other than expected
SELECT c.*, outcome FROM policy_case c, LATERAL pg_temp.check_case(c) outcome WHERE outcome <> expected ORDER BY n;
SELECT expected, count(*) FROM policy_case GROUP BY 1 ORDER BY 1;

-- the SQL functions and plain SQL are not held by policies, but by privileges
SELECT dynamo.put_role_policy('regress_policy', 'case', policy_document('Deny * on *'));
SET ROLE regress_policy;
SELECT item ->> 'pk' FROM dynamo.get_item('PolicyT', '{"pk": "t1", "sk": "a"}');
SELECT dynamo.call('GetItem', policy_request('GetItem', '"Key":{K1}')::json);
RESET ROLE;
-- many attributes, each of which a policy asks about
SELECT dynamo.put_role_policy('regress_policy', 'case', policy_document('Allow * on *; Deny * on * if {"StringEquals":{"dynamodb:Attributes":"secret"}}'));
SET statement_timeout = '60s';
SET ROLE regress_policy;
SELECT dynamo.call('UpdateItem', json_build_object('TableName', 'PolicyT', 'Key', '{"pk": {"S": "t1"}, "sk": {"S": "a"}}'::json, 'AttributeUpdates', u))
  FROM (SELECT json_object_agg('a' || i, '{"Action": "DELETE"}'::json) FROM generate_series(1, 300000) i) x(u);
RESET ROLE;
RESET statement_timeout;
-- nor does a policy give what GRANT has not
SELECT dynamo.put_role_policy('regress_policy', 'case', policy_document('Allow * on *'));
REVOKE DELETE ON dynamo_data."PolicyT" FROM regress_policy;
SET ROLE regress_policy;
SELECT dynamo.call('DeleteItem', policy_request('DeleteItem', '"Key":{K1}')::json);
RESET ROLE;
SELECT dynamo.delete_role_policy('regress_policy', 'case');
SELECT dynamo.drop_table('PolicyT');
DROP TABLE policy_case CASCADE;
DROP FUNCTION policy_list, policy_document, policy_request, policy_outcome;
DROP ROLE regress_policy;
