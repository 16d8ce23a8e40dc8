-- An example of each operation of the API: what the pages below docs/reference/operations show.
--
-- As in docs_functions.sql. By HTTP, what dynamo.call gets as its second argument is the
-- body of the request.
SET client_min_messages = error;
CREATE TEMPORARY TABLE made (buckets text);
COPY made FROM PROGRAM 'd=$(mktemp -d) && mkdir -p $d/library-files/new && printf ''{"Item":{"shelf":{"S":"B"},"book":{"S":"Emma"}}}\n'' > $d/library-files/new/1.json && echo $d';
SELECT buckets FROM made \gset
LOAD 'dynamo';
ALTER SYSTEM SET dynamo.bucket_directory = :'buckets';
SELECT pg_reload_conf();
\c -
SET client_min_messages = error;

-- CreateTable: Makes a table with its key and its indexes.
SELECT dynamo.call('CreateTable', '{"TableName": "Library", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [
		{"AttributeName": "shelf", "AttributeType": "S"},
		{"AttributeName": "book", "AttributeType": "S"},
		{"AttributeName": "year", "AttributeType": "N"}],
	"KeySchema": [
		{"AttributeName": "shelf", "KeyType": "HASH"},
		{"AttributeName": "book", "KeyType": "RANGE"}],
	"GlobalSecondaryIndexes": [{"IndexName": "ByYear", "Projection": {"ProjectionType": "ALL"},
		"KeySchema": [{"AttributeName": "shelf", "KeyType": "HASH"}, {"AttributeName": "year", "KeyType": "RANGE"}]}]}')
	#>> '{TableDescription,TableStatus}' AS status;
-- .
-- PutItem: Stores an item, in the place of one with the same key.
SELECT dynamo.call('PutItem', '{"TableName": "Library",
	"Item": {"shelf": {"S": "A"}, "book": {"S": "Ulysses"}, "year": {"N": "1922"}},
	"ConditionExpression": "attribute_not_exists(book)"}');
-- .
-- GetItem: Reads the item with this key.
SELECT dynamo.call('GetItem', '{"TableName": "Library",
	"Key": {"shelf": {"S": "A"}, "book": {"S": "Ulysses"}}, "ProjectionExpression": "book, #y",
	"ExpressionAttributeNames": {"#y": "year"}, "ReturnConsumedCapacity": "TOTAL"}');
-- .
-- UpdateItem: Changes the item with this key, or makes it.
SELECT dynamo.call('UpdateItem', '{"TableName": "Library",
	"Key": {"shelf": {"S": "A"}, "book": {"S": "Ulysses"}},
	"UpdateExpression": "ADD lent :one SET #to = :who",
	"ExpressionAttributeNames": {"#to": "to"},
	"ExpressionAttributeValues": {":one": {"N": "1"}, ":who": {"S": "Nora"}},
	"ReturnValues": "UPDATED_NEW"}');
-- .
-- Query: Reads the items of one partition key, from the table or from an index, by pages of 1 MB.
SELECT dynamo.call('Query', '{"TableName": "Library", "IndexName": "ByYear",
	"KeyConditionExpression": "shelf = :s AND #y BETWEEN :from AND :to",
	"ExpressionAttributeNames": {"#y": "year"}, "ProjectionExpression": "book",
	"ExpressionAttributeValues": {":s": {"S": "A"}, ":from": {"N": "1900"}, ":to": {"N": "1950"}}}');
-- .
-- Scan: Reads all items, by pages of 1 MB; or one of so many parts of them.
SELECT dynamo.call('Scan', '{"TableName": "Library", "FilterExpression": "attribute_exists(lent)",
	"Select": "COUNT", "Segment": 0, "TotalSegments": 1}');
-- .
-- BatchWriteItem: Puts and deletes up to 25 items, each for itself.
SELECT dynamo.call('BatchWriteItem', '{"RequestItems": {"Library": [
	{"PutRequest": {"Item": {"shelf": {"S": "A"}, "book": {"S": "Dubliners"}, "year": {"N": "1914"}}}},
	{"DeleteRequest": {"Key": {"shelf": {"S": "A"}, "book": {"S": "Stephen Hero"}}}}]}}');
-- .
-- BatchGetItem: Reads up to 100 items by their keys.
SELECT dynamo.call('BatchGetItem', '{"RequestItems": {"Library": {"ProjectionExpression": "book", "Keys": [
	{"shelf": {"S": "A"}, "book": {"S": "Dubliners"}}]}}}');
-- .
-- TransactWriteItems: Does up to 100 puts, updates, deletes and checks, all or none.
SELECT dynamo.call('TransactWriteItems', '{"ClientRequestToken": "lend-1", "TransactItems": [
	{"Update": {"TableName": "Library", "Key": {"shelf": {"S": "A"}, "book": {"S": "Dubliners"}},
		"UpdateExpression": "ADD lent :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}},
	{"ConditionCheck": {"TableName": "Library", "Key": {"shelf": {"S": "A"}, "book": {"S": "Ulysses"}},
		"ConditionExpression": "attribute_exists(book)"}}]}');
-- .
-- TransactGetItems: Reads up to 100 items, of one moment.
SELECT dynamo.call('TransactGetItems', '{"TransactItems": [
	{"Get": {"TableName": "Library", "Key": {"shelf": {"S": "A"}, "book": {"S": "Dubliners"}},
		"ProjectionExpression": "lent"}}]}');
-- .
-- DeleteItem: Removes the item with this key, if there is one.
SELECT dynamo.call('DeleteItem', '{"TableName": "Library", "ReturnValues": "ALL_OLD",
	"Key": {"shelf": {"S": "A"}, "book": {"S": "Dubliners"}}}');
-- .
-- ExecuteStatement: Runs a statement of PartiQL.
SELECT dynamo.call('ExecuteStatement', '{"Statement": "SELECT book FROM Library WHERE shelf = ?",
	"Parameters": [{"S": "A"}]}');
-- .
-- BatchExecuteStatement: Runs up to 25 statements of PartiQL, each for itself.
SELECT dynamo.call('BatchExecuteStatement', '{"Statements": [
	{"Statement": "SELECT lent FROM Library WHERE shelf = ''A'' AND book = ''Ulysses''"}]}');
-- .
-- ExecuteTransaction: Runs up to 100 statements of PartiQL, all or none.
SELECT dynamo.call('ExecuteTransaction', '{"TransactStatements": [
	{"Statement": "UPDATE Library SET lent = 0 WHERE shelf = ''A'' AND book = ''Ulysses''"}]}');
-- .
-- DescribeTable: Tells what a table is, and how far an index is.
SELECT dynamo.call('DescribeTable', '{"TableName": "Library"}') #> '{Table,KeySchema}' AS keys;
-- .
-- ListTables: Lists all tables, also those that the role may not use, by pages.
SELECT dynamo.call('ListTables', '{"ExclusiveStartTableName": "Librarx", "Limit": 1}') -> 'TableNames' AS names;
-- .
-- UpdateTable: Changes indexes, the stream, throughput, protection from deletion.
SELECT dynamo.call('UpdateTable', '{"TableName": "Library",
	"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}}')
	#>> '{TableDescription,StreamSpecification,StreamViewType}' AS stream;
-- .
SELECT dynamo.call('PutItem', '{"TableName": "Library", "Item": {"shelf": {"S": "A"}, "book": {"S": "Emma"}}}');
-- ListStreams: Lists the streams of a table, or of all.
SELECT dynamo.call('ListStreams', '{"TableName": "Library"}') #>> '{Streams,0,StreamArn}' AS stream \gset
-- .
-- DescribeStream: Lists the shards of a stream.
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'stream'))
	#>> '{StreamDescription,StreamStatus}' AS status;
-- .
SELECT s ->> 'ShardId' AS shard, i AS iterator
FROM json_array_elements(dynamo.call('DescribeStream', json_build_object('StreamArn', :'stream')) #> '{StreamDescription,Shards}') AS s,
	LATERAL (SELECT dynamo.call('GetShardIterator', json_build_object('StreamArn', :'stream', 'ShardId', s ->> 'ShardId', 'ShardIteratorType', 'TRIM_HORIZON')) ->> 'ShardIterator') AS t (i)
ORDER BY json_array_length(dynamo.call('GetRecords', json_build_object('ShardIterator', i)) -> 'Records') DESC LIMIT 1 \gset
-- GetShardIterator: Tells where to read a shard from: its oldest record, its newest, or one with a number.
SELECT dynamo.call('GetShardIterator', json_build_object('StreamArn', :'stream',
	'ShardId', :'shard', 'ShardIteratorType', 'TRIM_HORIZON')) ->> 'ShardIterator' AS iterator \gset
-- .
-- GetRecords: Reads the next records of a shard, and where those after them are.
SELECT dynamo.call('GetRecords', json_build_object('ShardIterator', :'iterator'))
	#> '{Records,0,dynamodb,Keys}' AS keys;
-- .
-- UpdateTimeToLive: Lets items expire at the time in an attribute, in seconds since 1970.
SELECT dynamo.call('UpdateTimeToLive', '{"TableName": "Library",
	"TimeToLiveSpecification": {"Enabled": true, "AttributeName": "gone_at"}}');
-- .
-- DescribeTimeToLive: Tells whether items of a table expire, and by which attribute.
SELECT dynamo.call('DescribeTimeToLive', '{"TableName": "Library"}');
-- .
-- UpdateContinuousBackups: Says whether any second of the last days can be restored.
SELECT dynamo.call('UpdateContinuousBackups', '{"TableName": "Library",
	"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 7}}')
	#>> '{ContinuousBackupsDescription,PointInTimeRecoveryDescription,PointInTimeRecoveryStatus}' AS status;
-- .
-- DescribeContinuousBackups: Tells from when and to when a table can be restored.
SELECT dynamo.call('DescribeContinuousBackups', '{"TableName": "Library"}')
	#>> '{ContinuousBackupsDescription,PointInTimeRecoveryDescription,RecoveryPeriodInDays}' AS days;
-- .
SELECT extract(epoch FROM dynamo.mark_recovery()) AS moment \gset
-- GetItemAsOf: Reads the item with this key as it was, at a time that can be restored.
SELECT dynamo.call('GetItemAsOf', json_build_object('TableName', 'Library', 'AsOf', :'moment'::numeric,
	'Key', '{"shelf": {"S": "A"}, "book": {"S": "Ulysses"}}'::json));
-- .
-- RestoreTableToPointInTime: Makes a table with the items of another as they were.
SELECT dynamo.call('RestoreTableToPointInTime', '{"SourceTableName": "Library",
	"TargetTableName": "LibraryThen", "UseLatestRestorableTime": true}')
	#>> '{TableDescription,TableStatus}' AS status;
-- .
CALL dynamo.run_jobs();
-- CreateBackup: Copies the items of a table, as of one moment.
SELECT dynamo.call('CreateBackup', '{"TableName": "Library", "BackupName": "spring"}')
	#>> '{BackupDetails,BackupArn}' AS backup \gset
-- .
CALL dynamo.run_jobs();
-- DescribeBackup: Tells how far a backup is, and what it has.
SELECT dynamo.call('DescribeBackup', json_build_object('BackupArn', :'backup'))
	#>> '{BackupDescription,BackupDetails,BackupStatus}' AS status;
-- .
-- ListBackups: Lists the backups of a table, or of all.
SELECT dynamo.call('ListBackups', '{"TableName": "Library"}') #>> '{BackupSummaries,0,BackupName}' AS name;
-- .
-- RestoreTableFromBackup: Makes a table with the items of a backup.
SELECT dynamo.call('RestoreTableFromBackup', json_build_object('TargetTableName', 'LibraryAgain',
	'BackupArn', :'backup')) #>> '{TableDescription,TableStatus}' AS status;
-- .
CALL dynamo.run_jobs();
-- DeleteBackup: Drops a backup.
SELECT dynamo.call('DeleteBackup', json_build_object('BackupArn', :'backup'))
	#>> '{BackupDescription,BackupDetails,BackupName}' AS name;
-- .
SELECT 'arn:aws:dynamodb:us-east-1:000000000000:table/Library' AS arn \gset
-- ExportTableToPointInTime: Writes the items of a table, or what has changed, to files of a bucket.
SELECT dynamo.call('ExportTableToPointInTime', json_build_object('TableArn', :'arn',
	'S3Bucket', 'library-files', 'S3Prefix', 'spring')) #>> '{ExportDescription,ExportArn}' AS export \gset
-- .
CALL dynamo.run_jobs();
-- DescribeExport: Tells how far an export is, and what it has written.
SELECT dynamo.call('DescribeExport', json_build_object('ExportArn', :'export'))
	#>> '{ExportDescription,ExportStatus}' AS status;
-- .
-- ListExports: Lists the exports of a table, or of all.
SELECT dynamo.call('ListExports', json_build_object('TableArn', :'arn'))
	#>> '{ExportSummaries,0,ExportStatus}' AS status;
-- .
-- ImportTable: Makes a table with the items of the files in a bucket.
SELECT dynamo.call('ImportTable', '{"S3BucketSource": {"S3Bucket": "library-files", "S3KeyPrefix": "new/"},
	"InputFormat": "DYNAMODB_JSON", "TableCreationParameters": {"TableName": "LibraryNew", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "book", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "book", "KeyType": "HASH"}]}}')
	#>> '{ImportTableDescription,ImportArn}' AS import \gset
-- .
CALL dynamo.run_jobs();
-- DescribeImport: Tells how far an import is, and how many items were wrong.
SELECT d ->> 'ImportStatus' AS status, d ->> 'ImportedItemCount' AS items
FROM (SELECT dynamo.call('DescribeImport', json_build_object('ImportArn', :'import')) -> 'ImportTableDescription') AS i (d);
-- .
-- ListImports: Lists the imports of a table, or of all.
SELECT dynamo.call('ListImports', json_build_object('TableArn', :'arn' || 'New'))
	#>> '{ImportSummaryList,0,ImportStatus}' AS status;
-- .
-- StartBulkPutItems: Puts the items of the files in a bucket into a table that is there.
SELECT dynamo.call('StartBulkPutItems', '{"TableName": "Library",
	"InputS3Configuration": {"S3Bucket": "library-files", "S3KeyPrefix": "new/", "InputFormat": "DYNAMODB_JSON"},
	"OutputS3Configuration": {"S3Bucket": "library-files", "OutputType": ["ERROR"]}}')
	#>> '{BulkOperationDescription,BulkOperationArn}' AS bulk \gset
-- .
-- DescribeBulkOperation: Tells how far a bulk operation is.
SELECT dynamo.call('DescribeBulkOperation', json_build_object('BulkOperationArn', :'bulk'))
	#>> '{BulkOperationDescription,BulkOperationStatus}' AS status;
-- .
-- ListBulkOperations: Lists the bulk operations of a table, or of all.
SELECT json_array_length(dynamo.call('ListBulkOperations', '{}') -> 'BulkOperationsSummaryList') AS operations;
-- .
-- CancelBulkOperation: Ends a bulk operation as soon as possible; what was put stays.
SELECT dynamo.call('CancelBulkOperation', json_build_object('BulkOperationArn', :'bulk')) IS NOT NULL AS cancelled;
-- .
CALL dynamo.run_jobs();
-- TagResource: Puts tags on a table.
SELECT dynamo.call('TagResource', json_build_object('ResourceArn', :'arn',
	'Tags', '[{"Key": "team", "Value": "books"}]'::json));
-- .
-- ListTagsOfResource: Lists the tags of a table.
SELECT dynamo.call('ListTagsOfResource', json_build_object('ResourceArn', :'arn'));
-- .
-- UntagResource: Takes tags of a table away.
SELECT dynamo.call('UntagResource', json_build_object('ResourceArn', :'arn', 'TagKeys', '["team"]'::json));
-- .
-- PutResourcePolicy: Narrows what GRANT lets roles do with a table.
SELECT dynamo.call('PutResourcePolicy', json_build_object('ResourceArn', :'arn', 'Policy',
	'{"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "dynamodb:DeleteTable", "Resource": "' || :'arn' || '"}]}'))
	->> 'RevisionId' IS NOT NULL AS kept;
-- .
-- GetResourcePolicy: Shows the policy of a table.
SELECT (dynamo.call('GetResourcePolicy', json_build_object('ResourceArn', :'arn')) ->> 'Policy')::json #>> '{Statement,0,Effect}' AS effect;
-- .
-- DeleteResourcePolicy: Takes the policy of a table away.
SELECT dynamo.call('DeleteResourcePolicy', json_build_object('ResourceArn', :'arn')) ->> 'RevisionId' IS NOT NULL AS deleted;
-- .
-- UpdateContributorInsights: Says whether the most accessed keys of a table are counted (dynamo.stat_keys).
SELECT dynamo.call('UpdateContributorInsights', '{"TableName": "Library", "ContributorInsightsAction": "ENABLE"}')
	->> 'ContributorInsightsStatus' AS status;
-- .
-- DescribeContributorInsights: Tells whether the most accessed keys of a table are counted.
SELECT dynamo.call('DescribeContributorInsights', '{"TableName": "Library"}') ->> 'ContributorInsightsStatus' AS status;
-- .
-- ListContributorInsights: Lists the tables whose most accessed keys are counted.
SELECT dynamo.call('ListContributorInsights', '{"TableName": "Library"}') #>> '{ContributorInsightsSummaries,0,TableName}' AS name;
-- .
-- DescribeLimits: Tells the limits of the account, which are those of a new account of AWS.
SELECT dynamo.call('DescribeLimits', '{}');
-- .
-- DescribeEndpoints: Tells where requests go: here.
SELECT json_array_length(dynamo.call('DescribeEndpoints', '{}') -> 'Endpoints') AS endpoints;
-- .
-- DescribeKinesisStreamingDestination: Lists none; Kinesis is not here.
SELECT dynamo.call('DescribeKinesisStreamingDestination', '{"TableName": "Library"}');
-- .
-- EnableKinesisStreamingDestination: Refused: Kinesis is not here.
SELECT dynamo.try_call('EnableKinesisStreamingDestination', '{"TableName": "Library",
	"StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/books"}') ->> 'message' AS message;
-- .
-- DisableKinesisStreamingDestination: There is none to disable.
SELECT dynamo.try_call('DisableKinesisStreamingDestination', '{"TableName": "Library",
	"StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/books"}') ->> 'message' AS message;
-- .
-- UpdateKinesisStreamingDestination: There is none to update.
SELECT dynamo.try_call('UpdateKinesisStreamingDestination', '{"TableName": "Library",
	"StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/books",
	"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MILLISECOND"}}') ->> 'message' AS message;
-- .
-- CreateGlobalTable: Refused: the service has ended global tables of that version (see UpdateTable).
SELECT dynamo.try_call('CreateGlobalTable', '{"GlobalTableName": "Library",
	"ReplicationGroup": [{"RegionName": "us-east-1"}]}') ->> 'message' AS message;
-- .
-- DescribeGlobalTable: There is no global table of the version that this is about.
SELECT dynamo.try_call('DescribeGlobalTable', '{"GlobalTableName": "Library"}') ->> 'message' AS message;
-- .
-- DescribeGlobalTableSettings: There is no global table of the version that this is about.
SELECT dynamo.try_call('DescribeGlobalTableSettings', '{"GlobalTableName": "Library"}') ->> 'message' AS message;
-- .
-- ListGlobalTables: There is no global table of the version that this is about.
SELECT dynamo.call('ListGlobalTables', '{}');
-- .
-- UpdateGlobalTable: Refused: the service has ended global tables of that version (see UpdateTable).
SELECT dynamo.try_call('UpdateGlobalTable', '{"GlobalTableName": "Library",
	"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}') ->> 'message' AS message;
-- .
-- UpdateGlobalTableSettings: There is no global table of the version that this is about.
SELECT dynamo.try_call('UpdateGlobalTableSettings', '{"GlobalTableName": "Library"}') ->> 'message' AS message;
-- .
-- DescribeTableReplicaAutoScaling: Shows the auto scaling of a global table in all its regions. (Of other tables: dynamo.set_auto_scaling.)
SELECT dynamo.try_call('DescribeTableReplicaAutoScaling', '{"TableName": "Library"}') ->> 'message' AS message;
-- .
-- UpdateTableReplicaAutoScaling: Changes the auto scaling of a global table: of writes in all its regions, of reads in each.
SELECT dynamo.try_call('UpdateTableReplicaAutoScaling', '{"TableName": "Library"}') ->> 'message' AS message;
-- .
-- DescribeStatistics: Shows the counters of a table: requests, outcomes, units, latencies.
SELECT dynamo.call('DescribeStatistics', '{"TableName": "Library"}') ->> 'TableName' AS counted;
-- .
-- DescribeHotKeys: Shows the keys that are asked for most, and those throttled most, where UpdateContributorInsights has them counted.
SELECT dynamo.call('DescribeHotKeys', '{"TableName": "Library", "IndexName": "ByYear"}') ->> 'IndexName' AS index;
-- .
-- DescribePlan: Tells what a request would do, and does not do it: as dynamo.explain.
SELECT dynamo.call('DescribePlan', json_build_object('Operation', 'GetItem', 'Request',
	'{"TableName": "Library", "Key": {"shelf": {"S": "A"}, "book": {"S": "Ulysses"}}}')) #>> '{Steps,0,Condition}' AS condition;
-- .
-- ListJobs: Lists backups, restores, exports, imports and bulk operations, the newest first, with their progress, page by page.
SELECT DISTINCT job ->> 'Kind' AS kind FROM json_array_elements(dynamo.call('ListJobs', '{}') -> 'Jobs') AS job
WHERE job ->> 'TableName' = 'Library' ORDER BY kind;
-- .
-- ListEventSourceMappings: Lists event source mappings with what they have handled, their last result and their lag.
SELECT json_typeof(dynamo.call('ListEventSourceMappings', '{}') -> 'EventSourceMappings') AS mappings;
-- .
-- UpdateEventSourceMapping: Stops an event source mapping, or has it go on: a batch that waits after a failure is tried again at once.
CREATE FUNCTION shelve(event jsonb) RETURNS void LANGUAGE plpgsql AS 'BEGIN NULL; END';
SELECT dynamo.create_event_source_mapping('Library', 'shelve', enabled => false) AS mapping \gset
SELECT dynamo.call('UpdateEventSourceMapping', json_build_object('Mapping', :mapping, 'Enabled', true)) #>> '{EventSourceMapping,Enabled}' AS enabled;
DROP FUNCTION shelve(jsonb);
-- .
-- GetFilterMatches: Tells which of some records a FilterCriteria of an event source mapping lets through.
SELECT dynamo.call('GetFilterMatches', json_build_object('FilterCriteria', '{"Filters": [{"Pattern": "{\"eventName\": [\"INSERT\"]}"}]}',
	'Records', '[{"eventName": "INSERT"}, {"eventName": "REMOVE"}]'));
-- .
-- ListWorkers: Lists the server's processes of dynamo in all databases, and what waits for one. For members of pg_read_all_stats.
SELECT json_typeof(dynamo.call('ListWorkers', '{}') -> 'Workers') AS workers;
-- .
-- SearchVectors: Finds the items whose vectors are nearest to one, best first; exactly unless dynamo.vector_search is auto.
SELECT dynamo.call('UpdateTable', '{"TableName": "Library",
	"VectorIndexUpdates": [{"Create": {"IndexName": "Near", "Dimensions": 2, "DistanceFunction": "EUCLIDEAN",
		"VectorAttribute": {"AttributeName": "mood"}, "Projection": {"ProjectionType": "KEYS_ONLY"}}}]}') IS NOT NULL AS changed;
SELECT dynamo.call('PutItem', '{"TableName": "Library", "Item": {"shelf": {"S": "C"}, "book": {"S": "Molloy"},
	"mood": {"L": [{"N": "3"}, {"N": "4"}]}}}');
SELECT dynamo.call('SearchVectors', '{"TableName": "Library", "IndexName": "Near",
	"SearchVector": [{"N": "0"}, {"N": "0"}], "TopK": 1}') -> 'SearchResults' AS results;
-- .
SELECT dynamo.disable_recovery('Library');
-- DeleteTable: Drops a table with all its items and indexes.
SELECT dynamo.call('DeleteTable', '{"TableName": "Library"}') #>> '{TableDescription,TableStatus}' AS status;
-- .
SELECT dynamo.drop_table(table_name) FROM dynamo.tables WHERE table_name LIKE 'Library%';
DELETE FROM dynamo_internal.jobs;
ALTER SYSTEM RESET dynamo.bucket_directory;
SELECT pg_reload_conf();
\set remove 'cat > /dev/null; rm -r ' :buckets
COPY (SELECT 1) TO PROGRAM :'remove';
