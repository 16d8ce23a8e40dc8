-- A relation dropped where event triggers do not run: its stream is left
-- without a relation, and is what a dropped table leaves.

CREATE FUNCTION pg_temp.start(arn text, shard text) RETURNS json LANGUAGE sql AS $$
	SELECT dynamo.try_call('GetShardIterator', json_build_object('StreamArn', arn, 'ShardIteratorType', 'TRIM_HORIZON', 'ShardId', shard))
$$;
SET dynamo.stream_shards = 1;
SELECT dynamo.create_table('Orphan', 'pk');
SELECT dynamo.enable_stream('Orphan') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Orphan', '{"pk": "1"}');
SELECT dynamo.call('ListStreams', '{"TableName": "Orphan"}')::jsonb #>> '{Streams,0,StreamArn}' AS arn \gset
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn')) #>> '{StreamDescription,Shards,0,ShardId}' AS shard \gset
SET session_replication_role = replica;
DROP TABLE dynamo_data."Orphan";
RESET session_replication_role;

-- Its owner may read it, others may not.
SELECT jsonb_path_query(dynamo.call('GetRecords', json_build_object('ShardIterator',
	pg_temp.start(:'arn', :'shard') ->> 'ShardIterator'))::jsonb, '$.Records[*].dynamodb.Keys');
CREATE ROLE stream_orphan_reader;
GRANT ALL ON SCHEMA dynamo_data TO stream_orphan_reader;
SET ROLE stream_orphan_reader;
SELECT pg_temp.start(:'arn', :'shard') ->> '__type';

-- A table that takes the name ends the stream, and does not get it.
SELECT dynamo.create_table('Orphan', 'pk');
SELECT dynamo.call('DescribeTable', '{"TableName": "Orphan"}')::jsonb #> '{Table,LatestStreamArn}' AS latest;
SELECT dynamo.try_call('DescribeStream', json_build_object('StreamArn', :'arn')) ->> '__type';
RESET ROLE;
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn')) #>> '{StreamDescription,StreamStatus}';
SET ROLE stream_orphan_reader;
SELECT pg_temp.start(:'arn', :'shard') ->> '__type';
SELECT dynamo.drop_table('Orphan');
SELECT pg_temp.start(:'arn', :'shard') ->> '__type';
RESET ROLE;
REVOKE ALL ON SCHEMA dynamo_data FROM stream_orphan_reader;
DROP ROLE stream_orphan_reader;
SELECT pg_temp.start(:'arn', :'shard') ->> '__type' AS error;
