-- A relation dropped where event triggers do not run: its stream is left
-- without a relation, and is what a dropped table leaves.

CREATE FUNCTION pg_temp.start(arn text) RETURNS json LANGUAGE sql AS $$
	SELECT dynamo.try_call('GetShardIterator', json_build_object('StreamArn', arn, 'ShardIteratorType', 'TRIM_HORIZON',
		'ShardId', dynamo.call('DescribeStream', json_build_object('StreamArn', arn))::jsonb #>> '{StreamDescription,Shards,0,ShardId}'))
$$;
SET dynamo.stream_shards = 1;
SELECT dynamo.create_table('Orphan', 'pk');
SELECT dynamo.enable_stream('Orphan') IS NOT NULL AS enabled;
SELECT dynamo.put_item('Orphan', '{"pk": "1"}');
SELECT dynamo.call('ListStreams', '{"TableName": "Orphan"}')::jsonb #>> '{Streams,0,StreamArn}' AS arn \gset
SET session_replication_role = replica;
DROP TABLE dynamo_data."Orphan";
RESET session_replication_role;

-- Its owner may read it, others may not.
SELECT jsonb_path_query(dynamo.call('GetRecords', json_build_object('ShardIterator',
	pg_temp.start(:'arn') ->> 'ShardIterator'))::jsonb, '$.Records[*].dynamodb.Keys');
CREATE ROLE stream_orphan_reader;
GRANT ALL ON SCHEMA dynamo_data TO stream_orphan_reader;
SET ROLE stream_orphan_reader;
SELECT pg_temp.start(:'arn') ->> '__type';

-- A table that takes the name ends the stream, and does not get it.
SELECT dynamo.create_table('Orphan', 'pk');
SELECT dynamo.call('DescribeTable', '{"TableName": "Orphan"}')::jsonb #> '{Table,LatestStreamArn}' AS latest;
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn'))::jsonb #>> '{StreamDescription,StreamStatus}';
SELECT pg_temp.start(:'arn') ->> '__type';
SELECT dynamo.drop_table('Orphan');
SELECT pg_temp.start(:'arn') ->> '__type';
RESET ROLE;
REVOKE ALL ON SCHEMA dynamo_data FROM stream_orphan_reader;
DROP ROLE stream_orphan_reader;
SELECT pg_temp.start(:'arn') ->> '__type' AS error;
