-- An ARN names a stream with all its parts: of another partition, service,
-- region or account, there is none.
\t on
\a
SET dynamo.stream_shards = 1;
SELECT dynamo.create_table('StreamArn', 'pk');
SELECT dynamo.enable_stream('StreamArn') IS NOT NULL;
SELECT dynamo.call('ListStreams', '{"TableName": "StreamArn"}') #>> '{Streams,0,StreamArn}' AS arn \gset
SELECT dynamo.call('DescribeStream', json_build_object('StreamArn', :'arn')) #>> '{StreamDescription,Shards,0,ShardId}' AS shard \gset
SELECT dynamo.call('GetShardIterator', json_build_object('StreamArn', :'arn', 'ShardId', :'shard', 'ShardIteratorType', 'LATEST')) ->> 'ShardIterator' AS iterator \gset
CREATE FUNCTION pg_temp.answers(arn text, shard text, iterator text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT operation || ': ' || coalesce(regexp_replace(a ->> '__type', '.*#', '') || ' ' ||
		regexp_replace(coalesce(a ->> 'message', a ->> 'Message'), '[0-9]{4}-[0-9T:-]{14}[.][0-9]{3}', 'LABEL'), 'found')
	FROM (VALUES
		('DescribeStream', json_build_object('StreamArn', arn)),
		('GetShardIterator', json_build_object('StreamArn', arn, 'ShardId', shard, 'ShardIteratorType', 'LATEST')),
		('GetRecords', json_build_object('ShardIterator', arn || iterator)),
		('ListTagsOfResource', json_build_object('ResourceArn', arn)),
		('GetResourcePolicy', json_build_object('ResourceArn', arn))) r (operation, request),
		dynamo.try_call(operation, request) a
$$;
SELECT pg_temp.answers(:'arn', :'shard', replace(:'iterator', :'arn', ''));
SELECT pg_temp.answers(replace(:'arn', '000000000000', '000000000001'), :'shard', replace(:'iterator', :'arn', ''));
SELECT pg_temp.answers(replace(:'arn', 'us-east-1', 'us-east-2'), :'shard', replace(:'iterator', :'arn', ''));
SELECT pg_temp.answers(replace(:'arn', 'arn:aws:', 'arn:aws-cn:'), :'shard', replace(:'iterator', :'arn', ''));
SELECT dynamo.try_call('DescribeStream', json_build_object('StreamArn', replace(:'arn', 'dynamodb', 'kinesis'))) ->> 'message';
-- A label is a time and no more; a number that begins with that of our account
-- is of another.
SELECT dynamo.try_call('DescribeStream', json_build_object('StreamArn', a)) ->> '__type'
FROM unnest(ARRAY[:'arn' || '0', left(:'arn', -1), left(:'arn', -1) || 'x', left(:'arn', -1) || '/']) a;
SELECT dynamo.try_call('ListTagsOfResource', '{"ResourceArn": "arn:aws:dynamodb:us-east-1:0000000000001:table/StreamArn"}') ->> '__type';
SELECT dynamo.drop_table('StreamArn');
DELETE FROM dynamo.streams WHERE table_name = 'StreamArn';
