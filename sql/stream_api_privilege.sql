-- Who may read a stream by the API: who may SELECT from the table, unless
-- policies hide items from him; of a table dropped, its former owner.
\a
\t on
SET dynamo.stream_shards = 1;
CREATE ROLE stream_owner;
CREATE ROLE stream_reader;
GRANT USAGE, CREATE ON SCHEMA dynamo_data TO stream_owner;
GRANT USAGE ON SCHEMA dynamo_data TO stream_reader;

SELECT dynamo.create_table('StreamPrivilege', 'pk');
ALTER TABLE dynamo_data."StreamPrivilege" OWNER TO stream_owner;
SELECT dynamo.enable_stream('StreamPrivilege') IS NOT NULL;
SELECT dynamo.put_item('StreamPrivilege', '{"pk": "a"}');
SELECT arn, dynamo.call('DescribeStream', json_build_object('StreamArn', arn)) #>> '{StreamDescription,Shards,0,ShardId}' AS shard
FROM json_extract_path_text(dynamo.call('DescribeTable', '{"TableName": "StreamPrivilege"}'), 'Table', 'LatestStreamArn') arn \gset
SELECT dynamo.call('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'TRIM_HORIZON')) AS iterator \gset
PREPARE iterator AS SELECT i ->> '__type', regexp_replace(i ->> 'Message', '/stream/.*', '/stream/LABEL'), i ->> 'ShardIterator' IS NOT NULL
FROM dynamo.try_call('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'TRIM_HORIZON')) i;
PREPARE records AS SELECT i ->> '__type', regexp_replace(i ->> 'Message', '/stream/.*', '/stream/LABEL'), i #>> '{Records,0,dynamodb,Keys}' FROM dynamo.try_call('GetRecords', :'iterator') i;

-- The owner; a stranger, who is not told that there is a stream.
SET ROLE stream_owner;
EXECUTE iterator;
EXECUTE records;
SET ROLE stream_reader;
EXECUTE iterator;
EXECUTE records;
SELECT json_array_length(dynamo.call('ListStreams', '{"TableName": "StreamPrivilege"}') -> 'Streams') > 0 AS listed;
SELECT dynamo.call('UpdateTable', '{"TableName": "StreamPrivilege", "StreamSpecification": {"StreamEnabled": false}}');

-- Who may read the table may read its stream, if he may read all of it.
RESET ROLE;
GRANT SELECT ON dynamo_data."StreamPrivilege" TO stream_reader;
SET ROLE stream_reader;
EXECUTE iterator;
EXECUTE records;
RESET ROLE;
ALTER TABLE dynamo_data."StreamPrivilege" ENABLE ROW LEVEL SECURITY;
SET ROLE stream_reader;
EXECUTE records;
SET ROLE stream_owner;
EXECUTE records;

-- The table dropped.
SELECT dynamo.drop_table('StreamPrivilege');
EXECUTE records;
SET ROLE stream_reader;
EXECUTE iterator;
EXECUTE records;
RESET ROLE;
EXECUTE records;

-- Somebody else under the owner's name is not the owner.
REVOKE ALL ON SCHEMA dynamo_data FROM stream_owner;
DROP ROLE stream_owner;
CREATE ROLE stream_owner;
GRANT USAGE ON SCHEMA dynamo_data TO stream_owner;
SET ROLE stream_owner;
EXECUTE iterator;
EXECUTE records;
RESET ROLE;
UPDATE dynamo.streams SET owner_oid = 'stream_owner'::regrole WHERE table_name = 'StreamPrivilege';
SET ROLE stream_owner;
EXECUTE records;
RESET ROLE;

REVOKE ALL ON SCHEMA dynamo_data FROM stream_owner, stream_reader;
DROP ROLE stream_owner, stream_reader;
